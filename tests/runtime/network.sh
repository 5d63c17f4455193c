#!/bin/sh
# network.sh - the same bytes from every body of the network, compiler and option
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

out=$BUILD/network
mkdir -p "$out"

# The body for SSE2 is there to be tested only where the compiler announces SSE2.
has_sse2() {
    echo | "$@" -E -dM -xc - 2>/dev/null | grep -q __SSE2__
}

# variant NAME COMPILER OPTION...: builds, runs, and compares the hash of all results
variant() {
    name=$1
    shift
    if ! has "$1"; then
        skipped "$name" "no $1"
    elif ! "$@" -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itests tests/runtime/test_network.c -o "$out/$name" -lm \
        2>"$out/$name.err"; then
        case "$*" in
        *-m32*) skipped "$name" "$1 cannot build for 32 bits here" ;;
        *) failed "$name" "does not build: $(head -3 "$out/$name.err")" ;;
        esac
    elif ! "$out/$name" >"$out/$name.txt"; then
        failed "$name" "$(grep FAIL "$out/$name.txt" | head -3)"
    else
        compare "$name"
    fi
}

compare() {
    signature=$(sed -n 's/.*signature //p' "$out/$1.txt")
    expected=${expected:-$signature}
    if [ -n "$signature" ] && [ "$signature" = "$expected" ]; then
        passed "$1"
    else
        failed "$1" "signature $signature, not $expected"
    fi
}

for cc in gcc clang; do
    variant "$cc-portable" $cc -O2 -DKPRED_SIMD=0
    variant "$cc-portable-O0" $cc -O0 -DKPRED_SIMD=0
    variant "$cc-portable-native" $cc -O3 -march=native -ffast-math -funsigned-char -DKPRED_SIMD=0
    variant "$cc-32-bits" $cc -m32 -O2 -DKPRED_SIMD=0
    if has $cc && ! has_sse2 $cc; then
        skipped "$cc-sse2" "no SSE2"
        continue
    fi
    variant "$cc-sse2" $cc -O2 -DKPRED_SIMD=1
    variant "$cc-sse2-native" $cc -O3 -march=native -ffast-math -funsigned-char -DKPRED_SIMD=1
done
test_end
