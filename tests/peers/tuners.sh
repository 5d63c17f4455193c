#!/bin/sh
# tuners.sh - tools/peers/tuners.py, beside `kpred-train tune --replay`, and tools/report/tuners.sh
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
TUNER=$(absolute "${TUNER:-../shared/tuner}")
python=python3
has python3 || end_without "other strategies" "there is no python3"
python3 -c "import numpy" 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
data=$tmp/data
mkdir "$data"
part() { $python tests/peers/tuners.py "$1" "$data" $2; }
tuners() { $python tools/peers/tuners.py "$@"; }
classic="random genetic annealing differential iterated climb"

check "small tables" part write
check "a table, and who is whose neighbour" part table
check "what another table says" part other
check "classic strategies" part strategies "$classic"
check "a climb ends at the top" part climbs
check "what is known costs nothing" part again
check_module numpy "what is known elsewhere" part strategies order
check_module sklearn "learning strategies" part strategies "process boosted"
check_module scipy "means, variances and expected improvement" part process
check "means and intervals" part means

# comma NAME...: as --strategies takes them
comma() { echo "$*" | tr ' ' ,; }

# The columns are those of kpred-train; so is all of a row that is not up to chance.
same_columns() {
    tuners "$data/cache.json" --csv --seeds 2 --budget 50 --strategies "$(comma $classic)" >"$tmp/theirs" &&
        "$trainer" tune --replay "$data/cache.json" --csv --seeds 2 --budget 50 >"$tmp/ours" || return 1
    [ "$(head -n 1 "$tmp/ours")" = "$(head -n 1 "$tmp/theirs")" ] && [ "$(wc -l <"$tmp/theirs")" -eq 13 ] || return 1
    for strategy in $classic; do
        awk -F, -v OFS=, -v s="$strategy" 'NR > 1 && $2 == s { $2 = "kpred"; $5 = $6 = ""; print }' \
            "$tmp/theirs" >"$tmp/rows"
        awk -F, -v OFS=, 'NR > 1 { $5 = $6 = ""; print }' "$tmp/ours" | cmp - "$tmp/rows" || return 1
    done
}
check_with "$trainer" "the columns of kpred-train tune" same_columns

# With one measurement, what is missed is written as 1, and there are rows of all kinds.
misses() {
    tuners "$data/cache.json" --csv --seeds 60 --budget 1 --strategies random | awk -F, 'NR > 1 {
        n++; if ($5 != 1 || $6 != 1) bad = 1; hit += $7 == "1.00000"; miss += $7 < 1 }
        END { exit bad || n != 60 || !hit || !miss }'
}
check "a miss is the budget" misses

forms() {
    tuners "$data/cache.json" --csv --seeds 2 --strategies random,climb | cut -d, -f2- >"$tmp/rows"
    for file in t4.json ktt.json open.json cut.json cache.json.bz2 cache.json.gz; do
        tuners "$data/$file" --csv --seeds 2 --strategies random,climb --gpu A100 | cut -d, -f2- |
            cmp - "$tmp/rows" || return 1
    done
}
check "all forms are one table" forms

# The same order elsewhere: the best comes first. The table's own times tell nothing.
known() {
    tuners "$data/cache.json" --csv --seeds 1 --strategies order --data "$data/same.json" |
        grep -qx 'cache.json,order,data,1,1,1,1.00000'
}
itself() {
    tuners "$data/cache.json" --csv --seeds 1 --strategies boosted --data "$data/cache.json" |
        grep -q '^cache.json,boosted,cold,'
}
deaf() {
    tuners "$data/cache.json" --csv --seeds 1 --strategies climb --data "$data/same.json" >"$tmp/told" &&
        tuners "$data/cache.json" --csv --seeds 1 --strategies climb | cmp - "$tmp/told"
}
check_module numpy "another table is known" known
check_module sklearn "its own times are not" itself
check "climbs are deaf" deaf

refuse "an unknown strategy" 2 '--strategies: "best": none of random, genetic' tuners "$data/cache.json" --strategies best
refuse "an unknown option" 2 'unrecognized arguments: --best' tuners "$data/cache.json" --best
refuse "no number" 2 'invalid int value' tuners "$data/cache.json" --seeds many
refuse "no seeds" 2 '--seeds 0: at least 1' tuners "$data/cache.json" --seeds 0
refuse "no budget" 2 '--budget -1: at least 1' tuners "$data/cache.json" --budget -1
refuse "no table" 2 'required: table' tuners
refuse "order without a table" 2 'needs another table in --data' tuners "$data/cache.json" --strategies order
refuse "order with itself alone" 2 'needs another table in --data' tuners "$data/cache.json" --strategies order \
    --data "$data/cache.json"
refuse "a file that is not there" 1 'none: No such file' tuners "$tmp/none"
refuse "a damaged file" 1 'damaged.json.bz2: ' tuners "$data/damaged.json.bz2"
refuse "no JSON" 1 'broken.json: is no JSON object' tuners "$data/broken.json"
refuse "no object" 1 'list.json: is no JSON object' tuners "$data/list.json"
refuse "no table of a tuner" 1 'none.json: has none of cache, results, Results' tuners "$data/none.json"
refuse "an unexpected form" 1 'wrong.json: results: is not as expected' tuners "$data/wrong.json"
refuse "no configuration" 1 'empty.json: has no configuration' tuners "$data/empty.json"
refuse "all failed" 1 'failed.json: each of its 1 configurations failed' tuners "$data/failed.json"
refuse "another GPU" 1 'is of the GPU NVIDIA A100, not of --gpu W6600' tuners "$data/cache.json" --gpu W6600
refuse "another kernel" 1 'alien.json: has no parameter of' tuners "$data/cache.json" --data "$data/alien.json"

# The report replays what is missing, and keeps what is there.
report() {
    SEEDS=2 STRATEGIES="random climb" KNOWN='' sh tools/report/tuners.sh "$tmp/build" "$data/hub" >"$tmp/means"
}
whole() {
    mkdir -p "$tmp/build" && cp "$trainer" "$tmp/build/kpred-train" && report || return 1
    [ "$(wc -l <"$tmp/build/tuners/rows.csv")" -eq 17 ] && [ "$(wc -l <"$tmp/means")" -eq 9 ] || return 1
    has gnuplot && { grep -q '</svg>' "$tmp/build/tuners/tuners.svg" || return 1; }
    kept=$tmp/build/tuners/rows/toy_milo.A100.json-random-cold.csv
    sed '2s/.*/toy_milo.A100.json,random,cold,1,7777,7777,1/' "$kept" >"$tmp/kept" && cat "$tmp/kept" >"$kept" && report &&
        grep -q 7777 "$tmp/build/tuners/rows.csv" || return 1
    sed 2d "$kept" >"$tmp/kept" && cat "$tmp/kept" >"$kept" && report && [ "$(wc -l <"$kept")" -eq 3 ]
}
check_with "$trainer" "report" whole
refuse "a report without tables" 1 "there is no table in $tmp/none" sh tools/report/tuners.sh "$tmp/build" "$tmp/none"

hub() {
    tuners "$TUNER/$1" --csv --seeds 2 --strategies random,climb | cut -d, -f2- >"$tmp/cache"
    tuners "$TUNER/$2" --csv --seeds 2 --strategies random,climb | cut -d, -f2- | cmp - "$tmp/cache"
}
check_with "$TUNER/convolution_milo.A100_T4.json.bz2" "Kernel Tuner's hub: a cache and its T4" \
    hub convolution_milo.A100.json.gz convolution_milo.A100_T4.json.bz2
test_end
