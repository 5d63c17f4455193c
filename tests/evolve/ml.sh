#!/bin/sh
# ml.sh - `kpred-evolve ml`, `ml-report` and `ml-export`: searches over tensor programs, what is chosen, and bad input
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
evolve=$BUILD/kpred-evolve
[ -x "$evolve" ] || end_without "kpred-evolve ml" "kpred-evolve is not built"
! "$evolve" ml 2>&1 | grep -q 'built without' || end_without "kpred-evolve ml" "there is no MLIR in the build"

# Images of 4 x 4 numbers; the label says which half is brighter
awk 'BEGIN {
    printf "label"
    for (i = 0; i < 16; i++) printf ",p%d", i
    for (k = 0; k < 400; k++) {
        printf "\n%d", k % 2
        for (i = 0; i < 16; i++) printf ",%g", ((i < 8) == (k % 2)) * 0.5 + (i * k % 7) / 14
    }
    print ""
}' >"$tmp/rows.csv"
network() {
    "$evolve" network dense --data "$tmp/rows.csv" --epochs 8 --batch 10 -o "$tmp/$1.mlir" --plant "$1" >"$tmp/out" 2>&1
}
network dead || { cat "$tmp/out"; exit 1; }

# searches LOG OPTION...
searches() {
    log=$tmp/$1.log
    shift
    "$evolve" ml "$tmp/dead.mlir" --data "$tmp/rows.csv" -o "$log" --population 8 --jobs 2 "$@" >"$tmp/out" 2>"$tmp/err"
}

evaluations() {
    grep -cE '^(valid|wrong|crashed|timed-out)' "$tmp/$1.log"
}

finds() {
    searches first --evaluations 20 && grep -q '^log .*error' "$tmp/out" && [ "$(evaluations first)" -ge 15 ] &&
        grep -qE '^[0-9]+ evaluations: [0-9]+ valid' "$tmp/err" && return
    cat "$tmp/err"
    return 1
}

# What was evaluated before a kill is not evaluated again.
resumes() {
    cp "$tmp/first.log" "$tmp/cut.log" && n=$(evaluations cut) && searches cut --evaluations 26 --resume &&
        [ "$(head -n "$(wc -l <"$tmp/first.log")" "$tmp/cut.log" | cksum)" = "$(cksum <"$tmp/first.log")" ] &&
        [ "$(evaluations cut)" -gt "$n" ] && return
    cat "$tmp/err"
    return 1
}

# The dead branch is 40 % of the time: a search in which it goes by one edit is said in words.
minimised() {
    searches climb --method climb --evaluations 40 --seed 2 || { cat "$tmp/err"; return 1; }
    "$evolve" ml-report "$tmp/climb.log" -o "$tmp/chosen.mlir" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    grep -q '^point .*validate' "$tmp/out" && grep -q '^module  *1.0000 .*  0  *-$' "$tmp/out" &&
        grep -qE '^chosen: point [0-9]+$' "$tmp/out" && grep -qE '^1\. [a-z]+ .*\(' "$tmp/out" &&
        grep -qE '^gain [0-9.]+ % \(95 % interval' "$tmp/out" &&
        grep -qE '^wrong labels of 80 test images: [0-9.]+ %, of the module [0-9.]+ %$' "$tmp/out" && return
    cat "$tmp/out"
    return 1
}

# What is chosen is a module that can be searched in its turn, with fewer multiplications.
writes_module() {
    [ "$(grep -c linalg.matmul "$tmp/chosen.mlir")" -lt "$(grep -c linalg.matmul "$tmp/dead.mlir")" ] &&
        "$evolve" ml "$tmp/chosen.mlir" --data "$tmp/rows.csv" -o "$tmp/again.log" --population 4 --elite 1 \
            --evaluations 5 >"$tmp/out" 2>"$tmp/err" && return
    cat "$tmp/err"
    return 1
}

tables() {
    "$evolve" ml-report "$tmp/climb.log" --csv >"$tmp/report.csv" 2>"$tmp/err" &&
        [ "$(head -n 1 "$tmp/report.csv")" = point,time,gain,low,high,search,validate,test,edits,list ] &&
        grep -q '^module,1.0000,' "$tmp/report.csv" && tail -n 1 "$tmp/report.csv" | grep -q '^chosen,0\.' && return
    cat "$tmp/err" "$tmp/report.csv"
    return 1
}

plots() {
    "$evolve" ml-report "$tmp/climb.log" --plot "$tmp/front.svg" --json >"$tmp/out" 2>"$tmp/err" &&
        grep -q 'module as it is' "$tmp/front.svg" && grep -q '"point": *"chosen"' "$tmp/out" && return
    cat "$tmp/err"
    return 1
}

# refuses STATUS MESSAGE COMMAND ARGUMENT...: on one line, and there is no new log
refuses() {
    status=$1 message=$2
    shift 2
    rm -f "$tmp/no.log"
    "$evolve" "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq "$status" ] && grep -qF -- "$message" "$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -e "$tmp/no.log" ] &&
        return
    cat "$tmp/err"
    return 1
}

# bad_module MESSAGE OPTION...: the module is $tmp/bad.mlir
bad_module() {
    message=$1
    shift
    refuses 1 "$message" ml "$tmp/bad.mlir" --data "$tmp/rows.csv" -o "$tmp/no.log" "$@"
}

# alters SED MESSAGE: a module that is altered
alters() {
    sed "$1" "$tmp/dead.mlir" >"$tmp/bad.mlir" && ! cmp -s "$tmp/bad.mlir" "$tmp/dead.mlir" && bad_module "$2"
}

data() {
    refuses 1 "$1" ml "$tmp/dead.mlir" --data "$tmp/bad.csv" -o "$tmp/no.log"
}

other_shape() {
    cut -d, -f1-10 "$tmp/rows.csv" >"$tmp/bad.csv" && data 'dense: does not take batches of images of 9 numbers'
}
more_labels() {
    sed '5s/^./2/' "$tmp/rows.csv" >"$tmp/bad.csv" && data 'dense: does not give 10 times a number for each of 3 labels'
}
bad_label() {
    sed '5s/^./-1/' "$tmp/rows.csv" >"$tmp/bad.csv" && data "$tmp/bad.csv:5: label"
}
chance() {
    awk -F, -v OFS=, 'NR > 1 { $1 = int(NR / 2) % 2 } 1' "$tmp/rows.csv" >"$tmp/bad.csv" && data 'which is no more than chance'
}
# Without a bound on time, what is chosen has the least validation error of the front.
least_error() {
    "$evolve" ml-report "$tmp/climb.log" --choose error --bound 50 --csv >"$tmp/out" 2>"$tmp/err" ||
        { grep -q 'what is chosen is the module as it is' "$tmp/err" && return; cat "$tmp/err"; return 1; }
    awk -F, '$1 ~ /^[0-9]+$/ && (!n++ || $7 < least) { least = $7 } $1 == "chosen" { found = $7 <= least + 0.01 }
        END { exit !found }' "$tmp/out"
}

# As a library: the module is variant 0, and no model of the spec names a variant that breaks a bound.
exports() {
    "$evolve" ml-export "$tmp/climb.log" -o "$tmp/lib" --name net >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    cat >"$tmp/calls.c" <<'END'
#include "net.h"
#include <stdio.h>
#include <string.h>
static _Alignas(64) unsigned char arena[net_arena + 64];
static float in[10 * 16], out[net_variants][10 * 2], again[10 * 2];
int main(void)
{
    int same = 1;
    for (int i = 0; i < 160; i++)
        in[i] = (float)(i % 7) / 7;
    memset(arena, 0xff, sizeof arena);
    for (int v = 0; v < net_variants; v++) {
        net_table[v](in, out[v], arena);
        net_table[v](in, again, arena);
        same &= memcmp(out[v], again, sizeof again) == 0 && out[v][0] == out[v][0] && out[v][0] != out[v][1];
    }
    for (int i = 0; i < 64; i++)
        same &= arena[net_arena + i] == 0xff;
    printf("%d variants, %d, %.2f\n", net_variants, same, 100 * net_points[0].validate);
    return !same || net_points[net_variants - 1].us > 0.99 * net_points[0].us;
}
END
    $CC -std=c11 $CFLAGS -I"$tmp/lib" "$tmp/calls.c" "$tmp/lib/net.o" -lm -o "$tmp/calls" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    "$tmp/calls" >"$tmp/called" || { cat "$tmp/called"; return 1; }
    "$evolve" ml-report "$tmp/climb.log" --csv 2>"$tmp/err" | awk -F, '$1 == "module" { print $7 }' >"$tmp/module"
    grep -q " 1, $(cat "$tmp/module")\$" "$tmp/called"
}
predicts() {
    "$BUILD/kpred-train" train "$tmp/lib/net.spec" --data "$tmp/lib/net.csv" -o "$tmp/net_model.h" >"$tmp/out" 2>&1 ||
        { cat "$tmp/out"; return 1; }
    for bound in 1 1000; do
        fastest=$(awk -F, -v bound=$bound '$1 == bound && (!n++ || $3 < least) { least = $3; v = $2 } END { print v }' \
            "$tmp/lib/net.csv")
        "$BUILD/kpred" predict "$tmp/net_model.h" bound=$bound -k 1 >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
        tail -n 1 "$tmp/out" | awk -v want="$fastest" '{ exit $3 != want }' || return 1
    done
}

other_log() {
    sed 's/^# split 1$/# split 2/' "$tmp/first.log" >"$tmp/other.log"
    refuses 1 'other.log:' ml-report "$tmp/other.log"
}
no_log() {
    refuses 1 "$tmp/none.log" ml-report "$tmp/none.log"
}
kept_log() {
    "$evolve" ml "$tmp/dead.mlir" --data "$tmp/rows.csv" -o "$tmp/first.log" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'is there already' "$tmp/err"
}

check "a search" finds
check "goes on" resumes
check "what is chosen, in words" minimised
check "what is chosen, as a module" writes_module
check "as CSV" tables
if command -v gnuplot >/dev/null; then
    check "as a plot, and as JSON" plots
else
    skipped "as a plot, and as JSON" "there is no gnuplot"
fi
check "what is chosen by error" least_error
check "as a library" exports
if [ -x "$BUILD/kpred-train" ]; then
    check "a model of the library" predicts
else
    skipped "a model of the library" "kpred-train is not built"
fi
check "a file as folder" refuses 1 'rows.csv: is no folder' ml-export "$tmp/climb.log" -o "$tmp/rows.csv"
check "files that are there" refuses 1 'lib/net.o: is there already; --force replaces it' \
    ml-export "$tmp/climb.log" -o "$tmp/lib" --name net
check "its own images" refuses 1 "would overwrite the log's data" \
    ml-export "$tmp/climb.log" -o "$tmp" --name rows --force
check "a name that is none" refuses 1 '"1st": is no C identifier' ml-export "$tmp/climb.log" -o "$tmp/no" --name 1st
check "no file" refuses 1 "$tmp/none.mlir" ml "$tmp/none.mlir" --data "$tmp/rows.csv" -o "$tmp/no.log"
check "a module that does not parse" alters '3s/=/==/' "$tmp/bad.mlir:3:"
check "a module that does not verify" alters 's/-> tensor<10x2xf32> attributes/-> tensor<10x3xf32> attributes/' "$tmp/bad.mlir:"
check "no such function" refuses 1 'has no function "other"' ml "$tmp/dead.mlir" --data "$tmp/rows.csv" -o "$tmp/no.log" --function other
check "images of another shape" other_shape
check "more labels than numbers" more_labels
check "a label out of range" bad_label
check "a network at chance" chance
check "the data as log" refuses 1 'would overwrite --data' ml "$tmp/dead.mlir" --data "$tmp/rows.csv" -o "$tmp/rows.csv"
check "a log that is there" kept_log
check "a log of another search" other_log
check "no log" no_log
check "an elite as large as the population" refuses 2 '--elite 8' ml "$tmp/dead.mlir" --data "$tmp/rows.csv" -o "$tmp/no.log" --population 8 --elite 8
test_end
