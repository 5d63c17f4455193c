#!/bin/sh
# simd.sh - the portable and the SSE2 body of kpred.h give the same bytes
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

CC=${CC:-cc}
CFLAGS=${CFLAGS:--O2}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# build SIMD SOURCE OUTPUT ARGUMENT...
build() {
    simd=$1 source=$2 output=$3; shift 3
    # shellcheck disable=SC2086
    $CC -std=c99 -I. -Itools -Itests $CFLAGS "-DKPRED_SIMD=$simd" "$source" "$@" -o "$tmp/$output"
}

# What KPRED_SIMD is where the user says nothing
default_of() {
    printf '#define KPRED_IMPLEMENTATION\n#include "kpred.h"\n' >"$tmp/default.c"
    # shellcheck disable=SC2086
    $CC -std=c99 -I. $CFLAGS "$@" -dM -E "$tmp/default.c" | sed -n 's/^#define KPRED_SIMD //p'
}

defaults() {
    [ "$(default_of)" = 1 ] && [ "$(default_of -ffreestanding)" = 0 ] &&
        [ "$(default_of -U__SSE2__)" = 0 ] && [ "$(default_of -DKPRED_SIMD=0)" = 0 ]
}

# Each body against the trainer's integers, on random networks
same_as_trainer() {
    build "$1" tests/train/test_integer.c "integer$1" "$archive" -pthread -lm && "$tmp/integer$1"
}

# The shipped model's line of the signature is in both outputs.
same_line() {
    grep "^$1 " "$tmp/sse2.txt" && grep -qxF "$(grep "^$1 " "$tmp/sse2.txt")" "$tmp/portable.txt"
}

both_signatures() {
    build 0 tests/signature.c portable && build 1 tests/signature.c sse2 &&
        "$tmp/portable" >"$tmp/portable.txt" && "$tmp/sse2" >"$tmp/sse2.txt"
}

# shellcheck disable=SC2086
if ! echo | $CC $CFLAGS -E -dM -xc - 2>/dev/null | grep -q __SSE2__; then
    skipped "SSE2" "$CC does not announce it"
    test_end
    exit
fi
check "default of KPRED_SIMD" defaults
check "random networks, portable" same_as_trainer 0
check "random networks, SSE2" same_as_trainer 1
need_weights "shipped models"
check "both bodies run every model" both_signatures
for spec in weights/*.spec; do
    name=$(basename "$spec" .spec)
    check "$name" same_line "$name"
done
test_end
