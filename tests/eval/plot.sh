#!/bin/sh
# plot.sh - what `kpred-train eval --plot` draws, and what happens where it cannot
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "all"
data=$tmp/rowsum.csv
awk 'BEGIN {
    print "gpu,rows,cols,threads,unroll"
    for (rows = 1; rows <= 64; rows *= 2)
        for (cols = 20; cols < 2000; cols *= 3)
            print (rows % 3 == 1 ? "gfx900_56" : "gfx906_60") "," rows "," cols "," \
                (cols < 200 ? 64 : 256) "," (rows > 4 ? 4 : 1)
}' >"$data"
"$trainer" train tests/fixtures/rowsum.spec --data "$data" --epochs 1 --float-out "$tmp/f32" \
    -o "$tmp/rowsum.h" >"$tmp/log" 2>&1 ||
    { failed "train" "$(head -3 "$tmp/log")"; test_end; exit; }

eval_rowsum() {
    "$trainer" eval "$tmp/rowsum.h" --data "$data" --rows all "$@"
}

# No gnuplot on the path: a message before any work, nothing printed or written
no_gnuplot() {
    mkdir -p "$tmp/empty"
    echo old >"$tmp/old.svg"
    PATH="$tmp/empty" "$trainer" eval "$tmp/rowsum.h" --data "$data" --rows all \
        --plot "$tmp/old.svg" >"$tmp/out" 2>"$tmp/err"
    [ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -q 'there is no gnuplot' "$tmp/err" &&
        [ "$(cat "$tmp/old.svg")" = old ] && nothing_left
}

nothing_left() {
    ! find "$tmp" -name '.kpred*' | grep .
}

# One that fails, or dies: the file is as it was.
bad_gnuplot() {
    mkdir -p "$tmp/bad"
    printf '#!/bin/sh\n[ "$1" = --version ] || { echo half; %s; }\n' "$1" >"$tmp/bad/gnuplot"
    chmod +x "$tmp/bad/gnuplot"
    echo old >"$tmp/old.svg"
    (PATH=$tmp/bad:$PATH; export PATH; eval_rowsum --plot "$tmp/old.svg") >"$tmp/out" 2>"$tmp/err"
    [ $? = 1 ] && grep -q 'gnuplot failed' "$tmp/err" && [ "$(cat "$tmp/old.svg")" = old ] &&
        nothing_left
}

check "no gnuplot" no_gnuplot
check "gnuplot fails" bad_gnuplot "exit 3"
check "gnuplot dies" bad_gnuplot 'kill -9 $$'

need gnuplot "plots"

# points FILE: circles that mark points; the key has one for each curve
points() {
    grep -c "<use xlink:href='#gpPt6'" "$1"
}

table_and_plot() {
    eval_rowsum -k 2,1 --csv >"$tmp/table.csv" && rm -f "$tmp/a.svg" &&
        eval_rowsum -k 2,1 --csv --plot "$tmp/a.svg" | cmp - "$tmp/table.csv" || return 1
    curves=$(sed 1d "$tmp/table.csv" | cut -d, -f3,4 | sort -u | wc -l)
    head -n 1 "$tmp/a.svg" | grep -q '<?xml' && tail -n 2 "$tmp/a.svg" | grep -q '</svg>' &&
        [ "$(points "$tmp/a.svg")" -eq $((3 * curves)) ] && nothing_left
}

# Every group has its name there, and `all` is one curve.
names() {
    sed 1d "$tmp/table.csv" | cut -d, -f3 | sort -u | while read -r gpu; do
        [ "$gpu" = all ] || grep -q ">${gpu}[,<]" "$tmp/a.svg" || echo "no $gpu"
    done | grep . && return 1
    eval_rowsum -k 1,2,3 --by all --plot "$tmp/b.svg" >"$tmp/out" &&
        [ "$(points "$tmp/b.svg")" -eq 4 ] && grep -q '>all<' "$tmp/b.svg" &&
        grep -q '>rowsum, all problems<' "$tmp/b.svg"
}

same_bytes() {
    eval_rowsum -k 1,2,3 --by all --plot "$tmp/c.svg" >"$tmp/out" && cmp "$tmp/b.svg" "$tmp/c.svg"
}

unwritable() {
    eval_rowsum --plot "$tmp/none/a.svg" >"$tmp/out" 2>"$tmp/err"
    [ $? = 1 ] && grep -q "$tmp/none" "$tmp/err"
}

# A point for every bin, curves for the first tuple and for the largest k, and the diagonal
reliability() {
    eval_rowsum --reliability -k 1,3 --by all --csv --plot "$tmp/r.svg" >"$tmp/r.csv" &&
        [ "$(points "$tmp/r.svg")" -eq $(($(grep -c '[0-9]-[0-9]*0,' "$tmp/r.csv") + 2)) ] &&
        grep -q '>all, k = 1<' "$tmp/r.svg" && grep -q '>all, k = 3<' "$tmp/r.svg" &&
        grep -q '>y = x<' "$tmp/r.svg" && grep -q '>predicted probability, %<' "$tmp/r.svg" &&
        ! grep -q '>y = x<' "$tmp/a.svg" && nothing_left
}

check "table and plot" table_and_plot
check "names" names
check "--reliability" reliability
check "the same bytes again" same_bytes
check "a folder that is not there" unwritable
test_end
