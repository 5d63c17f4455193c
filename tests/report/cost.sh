#!/bin/sh
# cost.sh - `make cost`: fits find the costs that were put in, bad input is refused, and it runs with one model
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_numpy "tools/report/cost.py"

mkdir "$tmp/made" && $python tests/report/cost.py "$tmp/made" || exit 1

cost() { $python tools/report/cost.py "$@"; }

# is BODY START MULTIPLY_ADDS PREFIXES VALUES KEPT: the second table's line of the body, within a hundredth
is() {
    awk -F, -v want="$*" '
        /^body,rows,start,multiply_adds/ { inside = 1; next }
        /^$/ { inside = 0 }
        inside { n = split(want, w, " ")
                 if ($1 != w[1]) next
                 found = 1
                 for (i = 2; i <= n; i++) { d = $(i + 1) - w[i]; if (d < 0) d = -d; if (d > 0.01 * w[i]) bad = 1 } }
        END { exit bad || !found }' "$tmp/out" || { cat "$tmp/out"; return 1; }
}
found() { cost "$tmp/made" --csv >"$tmp/out" && is a 500 0.02 90 7 0; }
instructions() { is instructions 5000 0.2 900 70 0; }
# A cost that would be below 0 is 0: kept is the last but two.
no_negative() {
    sed -n '/^body,rows,start,multiply_adds/,/^$/s/^b,//p' "$tmp/out" | tr , '\n' >"$tmp/b"
    [ "$(sed -n 6p "$tmp/b")" = 0 ] && ! grep '^-' "$tmp/b"
}
# The geometric mean of 2, 4 and 4
distance() { grep -qx 'hot,a,10,3,3.17,1.50' "$tmp/out"; }
# At most 3 prefixes before the second parameter, whatever the beam is; values say the same, so they may share.
known_before() {
    mkdir "$tmp/known" && cp "$tmp/made"/*.json "$tmp/known" && cp "$tmp/made/known.csv" "$tmp/known/hot.csv" &&
        cost "$tmp/known" --csv >"$tmp/out" || return 1
    sed -n '/^body,rows,start,weights,prefixes,values,r2,off$/{n;p;}' "$tmp/out" >"$tmp/line"
    grep -qE '^a,21,[^,]*,0[.]01,[^,]*,[^,]*,1[.]000,0[.]0$' "$tmp/line" || { cat "$tmp/out"; return 1; }
}
picture() {
    cost "$tmp/made" -o "$tmp/cost.svg" >"$tmp/out" && grep -q '</svg>' "$tmp/cost.svg" &&
        grep -q 'distance to the limit' "$tmp/cost.svg" && grep -q 'instructions' "$tmp/cost.svg"
}

check "least squares" found
check "least squares of instructions" instructions
check "no cost below 0" no_negative
check "distances" distance
check "what is known before" known_before
check_with gnuplot "the plot" picture

# bad NAME SED-PROGRAM PATTERN: hot.csv changed
bad() {
    rm -rf "$tmp/bad" && mkdir "$tmp/bad" && sed "$2" "$tmp/made/hot.csv" >"$tmp/bad/hot.csv"
    refuse "$1" 2 "$3" cost "$tmp/bad"
}
bad "a column is missing" '1s/,kept//' "hot.csv:1: no column kept"
bad "no number" '3s/^one,2,[^,]*/one,2,fast/' 'hot.csv:3: ns "fast": is no number above 0'
bad "no MODEL.json" "" "one.json: "
bad "no rows" 1q "hot.csv: has no rows"
refuse "no measurements" 2 "hot.csv: " cost "$tmp"
mkdir "$tmp/other" && cp "$tmp/made/hot.csv" "$tmp/other" && echo totals: 5 >"$tmp/other/one-1.callgrind"
cp "$tmp"/made/*.json "$tmp/other"
refuse "no output of callgrind" 2 "one-1.callgrind: is no output of callgrind" cost "$tmp/other"

# With one model and few beams; the second run measures nothing again.
small() {
    MODELS=conv_asm_bwd_wrw_3x3 BEAMS=1,2 BODY=portable COUNTED=1 COUNTED_BODY=portable \
        sh tools/report/cost.sh "$tmp/build" "$tmp/new.svg"
}
runs() {
    mkdir "$tmp/build" && cp "$BUILD/kpred" "$tmp/build" && sleep 1 && small >"$tmp/first" 2>"$tmp/log" &&
        [ "$(grep -cE '^(hot|cold) +portable ' "$tmp/first")" -eq 5 ]
}
again() {
    cp -p "$tmp/build/cost/hot.csv" "$tmp/hot.csv" &&
        small >"$tmp/second" 2>"$tmp/log" && cmp "$tmp/second" "$tmp/first" &&
        cmp "$tmp/hot.csv" "$tmp/build/cost/hot.csv"
}
if [ -x "$BUILD/kpred" ]; then
    need_weights "tools/report/cost.sh"
    check "cost.sh" runs
    check "cost.sh again" again
else
    skipped "cost.sh" "kpred is not built"
fi
test_end
