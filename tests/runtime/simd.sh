#!/bin/sh
# simd.sh - the portable and the SSE2 body of kpred.h give the trainer's integers, and which one is default
# SPDX-License-Identifier: MIT
#
# With the shipped models: signature.sh
. tests/harness/script.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

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
    test_program test_integer "$tmp/integer" "-DKPRED_SIMD=$1" && "$tmp/integer"
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
test_end
