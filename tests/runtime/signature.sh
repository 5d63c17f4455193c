#!/bin/sh
# signature.sh - every variant of the compilers predicts what tests/signature says
# SPDX-License-Identifier: MIT
#
# usage: signature.sh [gcc|clang|make], the variants of a compiler and of that for C++ beside it, or what
# `make signature` says
#
# tests/signature holds the total that `make signature` prints. It changes with the weights and with
# the arithmetic; a commit that changes it says so. Other processors: processors.sh.
. tests/harness/script.inc
. tests/harness/variants.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# The weights are the same bytes for every option but the word size, so a compiler reads them once
# for each. The definitions of the headers that are in this object, too, give way to those of the variant.
models() {
    printf '#define KPRED_IMPLEMENTATION\n#include "model/shipped.h"\n' >"$tmp/models.c"
    # shellcheck disable=SC2086
    [ -e "$tmp/models$2.o" ] || { $1 -std=c99 -O1 $2 $C_WARNINGS -I. -Itests -c "$tmp/models.c" \
        -o "$tmp/models$2.o" && objcopy --weaken "$tmp/models$2.o"; }
}

# apart COMMAND...: the program of the variant's headers and of models that are compiled already.
# That clang does not vectorize a loop when it checks every step of it is no defect.
apart() {
    case $* in *-m32*) bits=-m32 ;; *) bits= ;; esac
    printf '#define KPRED_IMPLEMENTATION\n#include "kpred_constraints.h"\n#include "kpred.h"\n' \
        >"$tmp/headers.c"
    # shellcheck disable=SC2086
    models "$1" "$bits" && "$@" $C_WARNINGS -Wno-pass-failed -I. -DMODELS_APART "$tmp/headers.c" tests/signature.c \
        "$tmp/models$bits.o" -o "$tmp/signature"
}

# together COMMAND...: all of it in one file, in C++
together() {
    # shellcheck disable=SC2086
    "$@" -xc++ $WARNINGS -I. tests/signature.c -o "$tmp/signature"
}

# Every model's line is that of the first variant, which tells more than the total.
predicts() {
    case $1 in *++) together "$@" ;; *) apart "$@" ;; esac && "$tmp/signature" >"$tmp/all" || return 1
    [ -e "$tmp/first" ] || cp "$tmp/all" "$tmp/first"
    diff "$tmp/first" "$tmp/all" && [ "$(sed -n 's/^total //p' "$tmp/all")" = "$(cat tests/signature)" ]
}

variant() {
    check "$*" predicts "$@"
}

make_target() {
    total=$(make -s signature CC="$CC" CFLAGS="-O1" BUILD="$tmp/build" | tail -n 1)
    [ "$total" = "total $(cat tests/signature)" ]
}

need_weights "signature"
if [ ! -e tests/signature ]; then
    skipped "signature" "tests/signature is not there"
else
    case ${1-} in
    gcc) each_variant p variant gcc g++ ;;
    clang) each_variant p variant clang clang++ ;;
    *) check "make signature" make_target ;;
    esac
fi
test_end
