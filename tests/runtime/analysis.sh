#!/bin/sh
# analysis.sh - static analysis finds nothing in the headers
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
cat >"$tmp/all.c" <<'END'
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
#include "kpred.h"
#include "kpred_constraints.h"
#include "kpred_hip.h"
END
tidy='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters'
tidy="$tidy,-bugprone-narrowing-conversions,-bugprone-macro-parentheses,-bugprone-reserved-identifier"

check_with cppcheck "cppcheck of the headers" cppcheck -q --std=c99 --enable=warning,portability \
    --error-exitcode=1 --inline-suppr -DKPRED_SIMD=0 -DCHAR_BIT=8 -DINT_MAX=2147483647 -I. -Itests \
    "$tmp/all.c"
check_with clang-tidy "clang-tidy of the headers" clang-tidy --quiet --warnings-as-errors='*' \
    --checks="$tidy" --header-filter='kpred.*' "$tmp/all.c" -- -std=c99 -I. -Itests
check_with gcc "gcc -fanalyzer of the headers" gcc -std=c99 -O1 -fanalyzer -Werror -I. -Itests \
    -c "$tmp/all.c" -o "$tmp/all.o"
test_end
