#!/bin/sh
# misra.sh - MISRA C:2012 as cppcheck's addon checks it: make misra
# SPDX-License-Identifier: MIT
#
# usage: sh tools/release/misra.sh [--count] [GENERATED_HEADER...], from the repository's root
#
# docs/misra.md has a table of the rules from which the code deviates, with the number of places in each
# kind of file, and the reasons. A rule that is not in it, more places than it says, and a rule of it from
# which nothing deviates are failures. --count prints the rules and numbers that there are. With generated
# headers, it reads these instead of all of weights/. The last line is `misra: N rules, N findings`.
set -u
. tests/harness/script.inc
test_begin
count=''
[ "${1-}" != --count ] || { count=yes; shift; }
whole=0
[ $# -gt 0 ] || { whole=1; set -- weights/*.h; }
KINDS='kpred.h kpred_constraints.h kpred_hip.h weights examples'

need cppcheck "misra"
need python3 "misra"
sh tools/release/analyzed.sh "$tmp/tree" || exit 1
cd "$tmp/tree" || exit 1

# places FILE [OPTION...]: `FILE:LINE: [rule]` of what it and its headers have
places() {
    cppcheck -q --addon=misra --std=c99 --template='{file}:{line}: [{id}]' --suppress='*:system/*' \
        -DKPRED_SIMD=0 -DCHAR_BIT=8 -DINT_MAX=2147483647 \
        '-DKPRED_HIP_API_HEADER="hip/hip_standin.h"' -I. -Isystem "$@" 2>&1 | grep misra-c2012
}

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
    awk -v kinds="$KINDS" '{ n[$2, $1] = $3; rules[$2] }
        END { m = split(kinds, kind, " ")
              for (r in rules) { line = "| " r " |"
                  for (i = 1; i <= m; i++) line = line " " (n[r, kind[i]] ? n[r, kind[i]] : "-") " |"
                  print line } }' "$tmp/there" | sort -V
    exit
fi

# `KIND RULE NUMBER` of the table: its columns are the rule, the kinds in their order, and the reason
sed -n 's/^| \([0-9]*\.[0-9]*\) |/\1/p' "$root/docs/misra.md" | awk -F'|' -v kinds="$KINDS" '{
    m = split(kinds, kind, " "); split($1, first, " ")
    fields = split($0, cell, "|"); rule = first[1]; cell[1] = first[2]
    for (i = 1; i <= m; i++) { gsub(/ /, "", cell[i]); if (cell[i] != "-") print kind[i], rule, cell[i] } }' \
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
