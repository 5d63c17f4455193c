#!/bin/sh
# analyze.sh - static analysis of the headers, the generated headers and the examples: make analyze
# SPDX-License-Identifier: MIT
#
# usage: sh tools/release/analyze.sh [quick], from the repository's root
#
# quick: without the two tools that follow every path, gcc -fanalyzer and clang's analyzer, which take nearly all the time.
# Each tool that is not installed is named, and counted as skipped. tools/release/analyze_accepted lists
# the findings that are none, with reasons; a line of it that meets nothing is a finding, too. The last
# line is `analyze: N tools, N findings, N skipped`; where there is no tool, the totals of what was skipped
# come behind it.
#
# Warnings of clang -Weverything, and checks of clang-tidy, that are switched off:
#   padded                        a struct may have holes: models and contexts are no files
#   used-but-marked-unused        what a file may leave unused is marked, and it uses some of it
#   declaration-after-statement   is a rule of C89
#   float-equal                   a 0 that means "not set" is exact
#   covered-switch-default        other warnings ask for the default
#   reserved-identifier           the start of a program without libc is called _start
#   easily-swappable-parameters   nearly all of our arguments are 32-bit integers
#   implicit-widening-of-multiplication-result   its products are of small constants
# cppcheck leaves out its checks of style; sparse lets 0 be a null pointer, as it is in C and C++.
#
# shellcheck disable=SC2089,SC2090 # the compiler is to see the quotes
set -u
. tests/harness/script.inc
test_begin
KINDS='error\|warning\|performance\|portability'
accepted=$root/tools/release/analyze_accepted
QUIET="-Wno-padded -Wno-used-but-marked-unused -Wno-declaration-after-statement -Wno-float-equal
    -Wno-covered-switch-default -Wno-reserved-identifier"
CHECKS='-*,bugprone-*,misc-*,performance-*,portability-*,-bugprone-easily-swappable-parameters'
CHECKS=$CHECKS',-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result'

sh tools/release/analyzed.sh "$tmp/tree" || exit 1
cd "$tmp/tree" || exit 1
FLAGS='-std=c99 -D_POSIX_C_SOURCE=200809L -DKPRED_HIP_API_HEADER="hip/hip_standin.h" -I.'
examples=$(find examples -name '*.c' | sort)

# ---- the tools: each prints what it finds ----

of_gcc() {
    for file in all.c $examples; do
        gcc $FLAGS -isystem system -O1 -fanalyzer -c "$file" -o "$tmp/gcc.o" || echo "$file:0: error: gcc"
    done
}

of_clang() {
    for file in all.c $examples; do
        clang $FLAGS -isystem system -Weverything $QUIET -fsyntax-only "$file" || echo "$file:0: error: clang"
    done
}

# What is in a header counts as much as what is in the file. It is the same for every file, so all.c alone has it.
of_analyzer() {
    headers='-Xclang -analyzer-opt-analyze-headers'
    for file in all.c $examples; do
        clang $FLAGS -isystem system --analyze --analyzer-output text $headers "$file" ||
            echo "$file:0: error: clang --analyze"
        headers=''
    done
}

of_tidy() {
    clang-tidy --quiet --checks="$CHECKS" --header-filter='.*' all.c $examples -- $FLAGS -isystem system
}

# It reads the portable body, as it does not know the others' intrinsics.
of_cppcheck() {
    cppcheck -q --std=c99 --enable=warning,performance,portability --inline-suppr --suppress='*:system/*' \
        --template='{file}:{line}:{column}: {severity}: {message} [{id}]' \
        -DKPRED_SIMD=0 -DCHAR_BIT=8 -DINT_MAX=2147483647 -D__x86_64__ \
        '-DKPRED_HIP_API_HEADER="hip/hip_standin.h"' -I. -Isystem all.c $examples
}

# With internal linkage, as it asks for a declaration that is not the definition
of_sparse() {
    for file in all.c $examples; do
        sparse $FLAGS -Wno-non-pointer-null -Isystem -DKPRED_STATIC -DKPRED_HIP_STATIC "$file" ||
            echo "$file:0: error: sparse"
    done
}

# ---- what they found ----

# findings TOOL: of its log, once each, as `TOOL FILE:LINE: text | the line itself`
findings() {
    sed -n 's,^\./,,; s,weights/\.\./,,; s,^[^:]*/tree/\(\./\)*,,; s,weights/\.\./,,
        /^\(kpred\|weights\|examples\|all\.c\)[^: ]*:[0-9].*: *\(fatal error\|'"$KINDS"'\):/p' \
        "$tmp/$1.log" | sort -u | awk -v tool="$1" -F: '{
            for (i = 1; i <= $2; i++) if ((getline line < $1) <= 0) { line = ""; break }
            close($1); sub(/^ */, "", line)
            text = $0; sub(/^[^:]*:[0-9:]*/, "", text)
            print tool " " $1 ":" $2 ":" text " | " line }'
}

# entries TOOL: what is accepted of it, as extended regular expressions
entries() {
    grep "^$1 " "$accepted"
}

# judge TOOL: prints what is not accepted, and what is accepted and not there
judge() {
    findings "$1" >"$tmp/found"
    entries "$1" >"$tmp/entries"
    if [ -s "$tmp/entries" ]; then grep -vE -f "$tmp/entries" "$tmp/found"; else cat "$tmp/found"; fi
    while read -r entry; do
        grep -qE -e "$entry" "$tmp/found" || echo "analyze_accepted: this meets nothing: $entry"
    done <"$tmp/entries"
}

tools='' n_tools=0
# start TOOL PROGRAM
start() {
    if has "$2"; then
        tools="$tools $1" n_tools=$((n_tools + 1))
        "of_$1" >"$tmp/$1.log" 2>&1
    else
        skipped "$1" "there is no $2"
    fi
}

paths=yes
[ "${1-}" != quick ] || paths=
if [ "$paths" ]; then
    of_gcc >"$tmp/gcc.log" 2>&1 & # it takes as long as the others together
    start analyzer clang
fi
start clang clang
start tidy clang-tidy
start cppcheck cppcheck
start sparse sparse
wait
if [ "$paths" ] && has gcc; then
    tools="gcc$tools" n_tools=$((n_tools + 1))
elif [ "$paths" ]; then
    skipped gcc "there is no gcc"
fi

for tool in $tools; do
    judge "$tool" >"$tmp/judged"
    cat "$tmp/judged"
    count=$(wc -l <"$tmp/judged")
    echo "$tool: $count findings"
    n_failed=$((n_failed + count))
done
echo "analyze: $n_tools tools, $n_failed findings, $n_skipped skipped"
[ $n_tools -gt 0 ] || echo "0 passed, 0 failed, $n_skipped skipped" # so that this is no stage that passed
[ $n_failed -eq 0 ]
