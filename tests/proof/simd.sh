#!/bin/sh
# simd.sh - the bodies with vectors give what the portable C gives, for all inputs
# SPDX-License-Identifier: MIT
#
# usage: simd.sh                  functions of more inputs: z3 proves them, from terms that give what the functions give
#        [PART=K/N] simd.sh all   functions of one number, for all 2^32, or each N-th block of them: this machine's
#                                 bodies, and NEON's where they are emulated
. tests/harness/script.inc

test_begin
arm=aarch64-linux-gnu-gcc emulator=qemu-aarch64

# build FOLDER COMPILER OPTION...: the program of the headers in that folder
build() {
    folder=$1 compiler=$2; shift 2
    $compiler -std=c99 -O2 -I"$folder" -I. -Itests "$@" tests/proof/test_simd.c -o "$tmp/test_simd"
}

# on_arm FOLDER BODY COMMAND...: the command, with the program for NEON
on_arm() {
    folder=$1 body=$2; shift 2
    build "$folder" $arm -static "-DKPRED_SIMD=$body" -march=armv8.2-a+dotprod &&
        "$@" $emulator -cpu max "$tmp/test_simd"
}

# ---- one number ----

# all_numbers COMMAND...: every check of test_simd.c passes with all numbers, or the part
all_numbers() {
    part=${PART:-0/1}
    STRIDE=${part#*/} DRAWN=${part%/*} "$@" >"$tmp/said"
    status=$?
    cat "$tmp/said"
    return $status
}

if [ "${1-}" = all ]; then
    build . "$CC" && checks_of "all numbers" all_numbers "$tmp/test_simd"
    if has $arm && has $emulator; then
        checks_of "all numbers, by NEON" on_arm . 5 all_numbers
    else
        skipped "all numbers, by NEON" "needs $arm and $emulator"
    fi
    test_end
    exit
fi

# ---- more inputs ----

# The python3 that has z3
find_z3() {
    for python in python3 /usr/bin/python3; do
        ! "$python" -c "import z3" 2>/dev/null || return 0
    done
    return 1
}

simd() {
    "$python" tests/proof/simd.py "$@"
}

# samples FOLDER: what the functions of these headers give is what the terms give
samples() {
    build "$1" "$CC" && "$tmp/test_simd" samples >"$tmp/samples" || return 1
    if has $arm && has $emulator; then
        for body in 5 6; do on_arm "$1" $body samples_of >>"$tmp/samples" || return 1; done
    fi
    simd samples <"$tmp/samples"
}

samples_of() {
    "$@" samples
}

# proofs KIND: the claims, with seconds, in the report
proofs() {
    mkdir -p "$BUILD/proof" && simd "$1" >"$BUILD/proof/simd-$1.txt" && return
    cat "$BUILD/proof/simd-$1.txt"
    return 1
}

# found EXPRESSION: this fault in a copy of the header is seen by the program, and by the samples
found() {
    rm -rf "$tmp/copy" && mkdir "$tmp/copy" && sed "$1" kpred.h >"$tmp/copy/kpred.h" &&
        ! cmp -s kpred.h "$tmp/copy/kpred.h" && build "$tmp/copy" "$CC" &&
        if [ "$2" = one ]; then ! "$tmp/test_simd" >"$tmp/said"; else ! samples "$tmp/copy" >"$tmp/said"; fi
}

faults() {
    large='/kpri_requantise8/,/^}/s/set1_epi16(127)/set1_epi16(126)/'
    check "found by numbers: an activation too large" found "$large" one
    check "found by samples: an activation too large" found "$large" two
    check "found by numbers: a part of a step of exp2" found '/kpri_exp2_neg4/,/^}/s/1023/1022/' one
    check "found by numbers: a place of log2" found '/kpri_log2_4/,/^}/s/x0303030302020100/x0303030302020101/' one
    check "found by samples: a unit in another place" found '/kpri_units32/,/^}/s/0, 4, 1, 5/0, 4, 5, 1/' two
    check "found by samples: half of a product" found '/kpri_scaled4/,/^}/s/0xcc/0xc0/' two
}

case $(uname -m) in
x86_64)
    if find_z3; then
        check "all claims are proved" proofs proofs
        check "no claim holds that is false" proofs false
        check "the functions give what the terms give" samples .
        faults
    else
        skipped "functions of more inputs" "no python3 has z3 (Debian: python3-z3)"
    fi ;;
*) skipped "functions of more inputs" "this is no x86-64" ;;
esac
test_end
