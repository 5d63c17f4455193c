#!/bin/sh
# bench_peers.sh - tools/peers/bench with small models: its peers predict what classics.py predicts
# SPDX-License-Identifier: MIT
#
# The objects are those of make bench-peers, but in BUILD/check, where they stay; the trees are few.
. tests/harness/script.inc

test_begin
export OMP_NUM_THREADS=1
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
first=$MIOPEN_DB/gfx900_56.db.bz2 second=$MIOPEN_DB/gfx906_60.db.bz2
need python3 "tools/peers/bench"
need_trainer "tools/peers/bench"
need_weights "tools/peers/bench"
[ "$(uname -s)" = Linux ] || end_without "tools/peers/bench" "it needs Linux"
for file in "$first" "$second"; do
    [ -r "$file" ] || end_without "tools/peers/bench" "there is no $file"
done
need_numpy "tools/peers/bench"
out=$BUILD/check/peers
bench=$out/bench_peers

part() { $python tests/peers/bench_peers.py "$@"; }

models() {
    part make "$out" --trainer "$trainer" --data "$first" "$second" --rounds 2 --trees 2
}

objects() {
    make -s -f tools/peers/bench/Makefile BUILD="$BUILD" OUT="$out" CC="$CC" CFLAGS="$CFLAGS"
}

# The table, and every tuple; what is missing is named on standard error
runs() {
    "$bench" "$out" --rounds 2 --csv --tuples "$tmp/tuples.csv" >"$tmp/table.csv" 2>"$tmp/skips" ||
        { cat "$tmp/skips"; return 1; }
}

# Instructions come into their column.
counted() {
    echo nearest,10,4321 >"$tmp/counts"
    "$bench" "$out" --only nearest --rounds 1 --csv --instructions "$tmp/counts" | grep -q '^nearest,10,[0-9,]*,4321,'
}

# Only one function's instructions are counted, and of it they are more than a scan of all rows needs.
instructions() {
    valgrind --tool=callgrind --toggle-collect=measured_predictions --callgrind-out-file="$tmp/callgrind" \
        "$bench" "$out" --only nearest --k 1 --count 2>"$tmp/said" || { cat "$tmp/said"; return 1; }
    awk '/^totals:|^summary:/ { n = $2 / 32 } END { exit !(n > 1000 && n < 1000000) }' "$tmp/callgrind"
}

# broken NAME LINE: a folder like this one, but for a wrong line at the end of that file
broken() {
    rm -rf "$tmp/broken" && mkdir "$tmp/broken" && ln -s "$out"/* "$tmp/broken" && rm "$tmp/broken/$1" &&
        head -n 5 "$out/$1" >"$tmp/broken/$1" && echo "$2" >>"$tmp/broken/$1"
}

markdown() {
    $python tools/report/peers.py "$tmp/table.csv" >"$tmp/table.md" &&
        [ "$(wc -l <"$tmp/table.md")" -eq $(($(wc -l <"$tmp/table.csv") + 1)) ] &&
        ! awk -F'|' 'NF != 14' "$tmp/table.md" | grep .
}

plot() {
    $python tools/report/peers.py "$tmp/table.csv" --plot "$tmp/peers.svg" >/dev/null && grep -q '</svg>' "$tmp/peers.svg"
}

check "models" models
check "objects" objects
check "all that is there runs" runs
check "tuples of classics.py" part compare "$out" "$tmp/tuples.csv"
check "every cell, and names of what is missing" part table "$tmp/table.csv" "$tmp/skips"
check "a column of instructions" counted
check_with valgrind "instructions of predictions alone" instructions
refuse "no such peer" 1 'names no peer' "$bench" "$out" --only nobody
refuse "several lines to count" 1 'not 2' "$bench" "$out" --only nearest --count
broken test.csv 1,2,3
refuse "a short row" 1 'test.csv:6: expected 9 fields and 8 indexes' "$bench" "$tmp/broken"
broken test.csv "$(sed -n '2s/[0-9]*$/99/p' "$out/test.csv")"
refuse "an index beyond the values" 1 'test.csv:6: expected' "$bench" "$tmp/broken"
refuse "no folder" 1 'there is no' "$bench" "$tmp/none"
check "the table in Markdown" markdown
check_with gnuplot "the plot" plot
refuse "another table" 2 'expected columns' $python tools/report/peers.py "$out/test.csv"
test_end
