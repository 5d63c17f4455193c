#!/bin/sh
# analyze.sh - static analysis of the headers, the generated headers and the examples: make analyze, make misra
# SPDX-License-Identifier: MIT
#
# usage: sh tools/release/analyze.sh [quick]                              from the repository's root
#        sh tools/release/analyze.sh misra [--count] [GENERATED_HEADER...]
#        sh tools/release/analyze.sh tree FOLDER
#
# tree lays out in FOLDER what the others look at. misra is MISRA C:2012 as cppcheck's addon checks it.
#
# quick: without the two tools that follow every path, gcc -fanalyzer and clang's analyzer, which take nearly all the time.
# Each tool that is not installed is named, and counted as skipped. analyze_accepted below lists the findings
# that are none, with reasons; a line of it that meets nothing is a finding, too. The last line is
# `analyze: N tools, N findings, N skipped`; where there is no tool, the totals of what was skipped come behind it.
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

# ---- tree: what is looked at ----

# The headers as they are; the generated headers, whose networks' arrays have their types and sizes, but a
# single 0 in place of their numbers, on which tools would spend their time; the examples, which get
# declarations alone; and files that include all: FOLDER/headers.c defines what the three headers do,
# FOLDER/all.c what the generated ones do besides. Stand-ins of tests are system headers there: nobody
# looks for faults in them. Left out is what needs a header that its reader trains: main.c of
# examples/own_kernel, show.c of gemm_cpu, and day.c of gemm_gpu.

# elided NAMES HEADER: with a single 0 in arrays of such names, an extended regular expression. No line moves.
elided() {
    awk -v array="^static const [a-z0-9_* ]*kpri_.*_($1)[[][0-9]+[]]( KPRI_ALIGNED)? = [{]\$" '
        /^}/ { inside = 0 }
        inside { $0 = inside == 2 ? "    0" : ""; inside = 1 }
        $0 ~ array { inside = 2 }
        { print }' "$2"
}

# Behind `|| exit` a function would go on after a failure, so this one has a process of its own.
tree() {
    set -e
    to=$1
    mkdir -p "$to/weights" "$to/system"
    cp kpred.h kpred_constraints.h kpred_hip.h "$to"
    cp -R examples "$to"
    cp -R tests/hip "$to/system"
    for header in weights/*.h; do
        elided '(weights|biases|(weight|bias|embedding|out|offset)[0-9]+_?)' "$header" >"$to/$header"
    done
    find "$to/examples" -name '*.[ch]*' | while read -r file; do
        sed 's/^#define KPRED_\(HIP_\)\?\(IMPLEMENTATION\|STATIC\).*//' "$file" >"$to/declared"
        mv "$to/declared" "$file"
    done
    rm "$to/examples/own_kernel/main.c" "$to/examples/gemm_cpu/show.c" "$to/examples/gemm_gpu/day.c"
    printf '%s\n' '#define KPRED_IMPLEMENTATION' '#define KPRED_HIP_IMPLEMENTATION' \
        '#include "kpred_constraints.h"' '#include "kpred_hip.h"' >"$to/headers.c"
    cp "$to/headers.c" "$to/all.c"
    for header in weights/*.h; do echo "#include \"$header\""; done >>"$to/all.c"
}

if [ "${1-}" = tree ]; then
    tree "$2"
    exit
fi

. tests/harness/script.inc
test_begin
sh tools/release/analyze.sh tree "$tmp/tree" || exit 1
cd "$tmp/tree" || exit 1

# ---- misra ----

# docs/misra.md has a table of the rules from which the code deviates, with the number of places in each
# kind of file, and the reasons. A rule that is not in it, more places than it says, and a rule of it from
# which nothing deviates are failures. --count prints the rules and numbers that there are. With generated
# headers, it reads these instead of all of weights/. The last line is `misra: N rules, N findings`.

# places FILE [OPTION...]: `FILE:LINE: [rule]` of what it and its headers have
places() {
    cppcheck -q --addon=misra --std=c99 --template='{file}:{line}: [{id}]' --suppress='*:system/*' \
        -DKPRED_SIMD=0 -DCHAR_BIT=8 -DINT_MAX=2147483647 \
        '-DKPRED_HIP_API_HEADER="hip/hip_standin.h"' -I. -Isystem "$@" 2>&1 | grep misra-c2012
}

misra() {
    count=''
    [ "${1-}" != --count ] || { count=yes; shift; }
    whole=0
    [ $# -gt 0 ] || { whole=1; set -- weights/*.h; }
    MISRA_KINDS='kpred.h kpred_constraints.h kpred_hip.h weights examples'

    need cppcheck "misra"
    need python3 "misra"

    # A generated header is read in the form in which a program has it, and what it includes as declarations.
    {
        places headers.c
        for header in "$@"; do
            { echo '#include "kpred.h"'; echo '#define KPRED_IMPLEMENTATION'; echo '#define KPRI_IMPLEMENTED'
                echo '#define KPRED_RULES_NO_FAMILY'
                echo "#include \"$header\""; } >one.c
            places one.c | grep weights/
        done
        for file in $(find examples -name '*.c' | sort); do places "$file" | grep '^examples'; done
    } >"$tmp/places"

    # Each place once; `KIND RULE NUMBER`
    sed 's,^weights/\.\./,,; s,^\./,,' "$tmp/places" | grep -v '^headers\.c' | sort -u | sed 's,^\(weights\|examples\)/[^:]*,\1,' |
        sed -n 's/^\([^:]*\):[0-9]*: \[misra-c2012-\(.*\)\]/\1 \2/p' | sort | uniq -c |
        awk '{ print $2, $3, $1 }' >"$tmp/there"

    if [ "$count" ]; then
        awk -v kinds="$MISRA_KINDS" '{ n[$2, $1] = $3; rules[$2] }
            END { m = split(kinds, kind, " ")
                  for (r in rules) { line = "| " r " |"
                      for (i = 1; i <= m; i++) line = line " " (n[r, kind[i]] ? n[r, kind[i]] : "-") " |"
                      print line } }' "$tmp/there" | sort -V
        exit
    fi

    # `KIND RULE NUMBER` of the table: its columns are the rule, the kinds in their order, and the reason
    sed -n 's/^| \([0-9]*\.[0-9]*\) |/\1/p' "$root/docs/misra.md" | awk -F'|' -v kinds="$MISRA_KINDS" '{
        m = split(kinds, kind, " "); split($1, first, " ")
        fields = split($0, cell, "|"); rule = first[1]; cell[1] = first[2]
        for (i = 1; i <= m; i++) { gsub(/ /, "", cell[i]); if (cell[i] != "") print kind[i], rule, cell[i] } }' \
        >"$tmp/stated"

    awk -v whole="$whole" 'NR == FNR { stated[$1 " " $2] = $3; next }
         { there[$1 " " $2] = 1 }
         $3 > stated[$1 " " $2] + 0 {
             print $1 ": rule " $2 ": " $3 " places; docs/misra.md states " stated[$1 " " $2] + 0 }
         END { for (s in stated) if (whole && !(s in there)) print s ": docs/misra.md states it in vain" }' \
        "$tmp/stated" "$tmp/there" >"$tmp/judged"
    cat "$tmp/judged"
    echo "misra: $(cut -d' ' -f2 "$tmp/there" | sort -u | wc -l) rules, $(wc -l <"$tmp/judged") findings"
    [ ! -s "$tmp/judged" ]
}

if [ "${1-}" = misra ]; then
    shift
    misra "$@"
    exit
fi

# ---- the tools of make analyze ----

KINDS='error\|warning\|performance\|portability'
QUIET="-Wno-padded -Wno-used-but-marked-unused -Wno-declaration-after-statement -Wno-float-equal
    -Wno-covered-switch-default -Wno-reserved-identifier"
CHECKS='-*,bugprone-*,misc-*,performance-*,portability-*,-bugprone-easily-swappable-parameters'
CHECKS=$CHECKS',-bugprone-reserved-identifier,-bugprone-implicit-widening-of-multiplication-result'

FLAGS='-std=c99 -D_POSIX_C_SOURCE=200809L -DKPRED_HIP_API_HEADER="hip/hip_standin.h" -I.'
examples=$(find examples -name '*.c' | sort)

# of_TOOL prints what it finds

# gcc follows each name of a kernel apart, for hours: here the tables of kernels have a single 0, too.
of_gcc() (
    cp -R . "$tmp/gcc" && cd "$tmp/gcc" || exit 1
    for header in weights/*.h; do
        elided 'kernel_(names|values|ids)' "$header" >"$tmp/one" && cp "$tmp/one" "$header" || exit 1
    done
    for file in all.c $examples; do
        gcc $FLAGS -isystem system -O1 -fanalyzer -c "$file" -o "$tmp/gcc.o" || echo "$file:0: error: gcc"
    done
)

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

# `TOOL PATTERN` (an extended regular expression) meets `FILE:LINE: text [check] | the line`. Above it
# stands the reason.
analyze_accepted() {
    cat <<'END'
# The loop above sets all 15 runs; the analyzer follows four of its turns.
analyzer kpred.h:.*garbage value .* for \(i = 0; run\[i\]; i = kpri_below
analyzer kpred.h:.*uninitialized value .* more = kpri_merge\(s, records, n_decided, more, run\[i\]\)
# A tile is at least 1: of another there is no variant that could be loaded.
analyzer examples/gemm_gpu/device.h:.*Division by zero .* return .unsigned..\(size \+ tile - 1\) / tile
# An arena that is touched holds anything.
analyzer kpred.h:.*(garbage|uninitialized) .* seen = \(char\)\(seen . p
# It takes the sides of the matrix for such that their product wraps around to 0.
analyzer examples/own_kernel/kernel.h:.*Assigned value is garbage
# Both sides of the comma are steps of one loop.
clang kpred.h:.*-Wcomma. . a\+\+, b\+\+;
# It does end; freestanding.c may not use an attribute that other compilers lack.
clang examples/freestanding.c:.*-Wmissing-noreturn
# The parameter is what stands behind the `=` of an enumerator, or a name.
tidy kpred(_hip)?.h:.*bugprone-macro-parentheses. . #define KPRI_(HIP_)?ENUM
tidy kpred_constraints.h:.*bugprone-macro-parentheses. . return problem.KPRED_CONV2D_DIR. == dir
# A bit: 0 or 1.
tidy kpred.h:.*bugprone-narrowing-conversions. . return s->used
# A stream is a handle, and it is the handle that stays.
tidy kpred_hip.h:.*misc-misplaced-const. . const hipStream_t stream
# A case for each length of a prefix. Headers of earlier versions are compared with this very code.
tidy weights/.*consecutive identical branches .bugprone-branch-clone.
# take_gpu reads only the text in front of n, which strcspn found in it.
cppcheck examples/gemm_dispatch.c:.*arrayIndexOutOfBoundsCond
END
}

# entries TOOL: what is accepted of it, as extended regular expressions
entries() {
    analyze_accepted | grep "^$1 "
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
[ $n_tools -gt 0 ] || echo "0 passed, 0 failed, $n_skipped skipped" # so that this is not a stage that passed
[ $n_failed -eq 0 ]
