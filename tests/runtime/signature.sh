#!/bin/sh
# signature.sh - every compiler, option and word size predicts what tests/signature says
# SPDX-License-Identifier: MIT
#
# tests/signature holds the total that `make signature` prints. It changes with the weights and with
# the arithmetic; a commit that changes it says so. Other processors: wide.sh.
. tests/harness/script.inc

CC=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

run() {
    "$@" -I. tests/signature.c -o "$tmp/signature" || return 1
    "$tmp/signature" >"$tmp/all" || return 1
    total=$(sed -n 's/^total //p' "$tmp/all")
    [ "$total" = "$(cat tests/signature)" ] || { echo "total $total"; return 1; }
}

# variant COMMAND...: the name of the test is the command
variant() {
    check "$*" run "$@"
}

builds() {
    echo 'int main(void) { return 0; }' >"$tmp/probe.c"
    "$@" "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null && "$tmp/probe"
}

# Each of the options with the portable body and, where there is one, the other
bodies() {
    if echo | "$@" -E -dM -xc - 2>/dev/null | grep -q __SSE2__; then
        variant "$@" -DKPRED_SIMD=1
    fi
    variant "$@" -DKPRED_SIMD=0
}

compiler() {
    bodies "$1" -std=c99 -O0
    bodies "$1" -std=c99 -O2
    bodies "$1" -std=c99 -O3 -ffast-math
    if builds "$1" -m32; then
        variant "$1" -std=c99 -O2 -m32 -funsigned-char -DKPRED_SIMD=0
    else
        skipped "$1 -m32" "it cannot build for 32 bits here"
    fi
    if builds "$1" -fsanitize=undefined; then
        bodies "$1" -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=all
    else
        skipped "$1 -fsanitize=undefined" "it has no such sanitizer here"
    fi
}

make_target() {
    total=$(make -s signature CC="$CC" CFLAGS="-O1" BUILD="$tmp/build" | tail -n 1)
    [ "$total" = "total $(cat tests/signature)" ]
}

need_weights "signature"
if [ ! -e tests/signature ]; then
    skipped "signature" "tests/signature is not there"
    test_end
    exit
fi
for cc in gcc clang; do
    if has $cc; then
        compiler $cc
    else
        skipped "$cc" "it is not installed"
    fi
done
check "make signature" make_target
test_end
