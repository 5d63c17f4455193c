#!/bin/sh
# sanitized.sh - the programs, as users run them, find nothing under the sanitizers, nor under valgrind
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
flags='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'
# clang's sees what gcc's sees, and null pointers that are moved
! echo 'int main(void){return 0;}' | clang $flags -xc - -o "$tmp/probe" 2>/dev/null || CC=clang

# Suites that run the programs, of programs built so; with a few dozen rows, not with whole databases
suites() {
    export CFLAGS="$flags" BUILD="$tmp/build" ORACLE=none MIOPEN_DB=none
    make -s -j2 EXACT='-ffp-contract=off -pthread' || return 1
    # Some of them take ten times as long as else.
    JOBS=1 LIMIT=${LIMIT:-1500} sh tests/harness/run.sh test_cli test_table json test_miopen test_entries \
        test_user_db test_databases test_driver test_altered test_reasons test_networks test_judges test_targets \
        test_data test_default_features test_aiter test_calls fuzz samples >"$tmp/log" 2>&1 && return
    grep -A 3 -E 'FAIL|runtime error:|ERROR: [A-Za-z]*Sanitizer' "$tmp/log" || tail -n 20 "$tmp/log"
    return 1
}

under_valgrind() {
    test_program test_hip "$tmp/hip" -g && valgrind -q --error-exitcode=9 "$tmp/hip" >"$tmp/log" || return 1
    valgrind -q --error-exitcode=9 --leak-check=full "$kpred" predict conv_asm_bwd_wrw_3x3 \
        gpu=gfx900 dir=W dtype=FP16 n=32 c=64 h=28 w=28 k=64 stride=1 groups=1 -k 20
}

if echo 'int main(void){return 0;}' | "$CC" $flags -xc - -o "$tmp/probe" 2>/dev/null; then
    check "programs under sanitizers, $CC" suites
else
    skipped "programs under sanitizers" "no $CC with its sanitizers"
fi
check_with valgrind "kpred predict and test_hip under valgrind" under_valgrind
test_end
