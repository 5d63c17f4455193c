#!/bin/sh
# fuzz_one.sh - runs one fuzz target with libFuzzer, for fuzz.sh
# SPDX-License-Identifier: MIT
#
# usage: fuzz_one.sh HOME SECONDS TARGET. It leaves the target's log and its line of the CSV file in HOME/logs.
. tests/harness/script.inc
. tests/fuzz/fuzz.inc

home=$1 seconds=$2 target=$3
log=$home/logs/$3.log corpus=$home/corpus/$3 begin=$home/begin/$3 crashes=$home/crashes/$3
rm -rf "$begin"
mkdir -p "$corpus" "$begin" "$crashes"
# shellcheck disable=SC2046
cp $(fuzz_seeds "$target") $(fuzz_found "$target") "$begin"
FUZZ_FOLDER=$(fuzz_folder) || exit 1
export FUZZ_FOLDER
trap 'rm -rf "$FUZZ_FOLDER"' EXIT

# count_faults: inputs at which the target fails; slow ones are none
count_faults() {
    find "$crashes" -name 'crash-*' -o -name 'leak-*' -o -name 'timeout-*' -o -name 'oom-*' | wc -l
}

set -- "$corpus" "$begin"
[ ! -e "$FUZZ/dict/$target" ] || set -- -dict="$FUZZ/dict/$target" "$@"
before=$(count_faults) start=$(date +%s)
"$home/fuzz_$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -close_fd_mask=3 -reload=0 \
    -print_final_stats=1 -artifact_prefix="$crashes/" "$@" </dev/null >"$log" 2>&1
status=$? end=$(date +%s)
faults=$(($(count_faults) - before))

# stat_of NAME: a figure of libFuzzer's; 0: it ended before it told that
stat_of() {
    figure=$(sed -n "s/^stat::$1: *//p" "$log" | tail -n 1)
    echo "${figure:-0}"
}
runs=$(stat_of number_of_executed_units)
[ $status -eq 0 ] && [ "$runs" -gt 0 ] || [ $faults -gt 0 ] || faults=1
[ "$end" -gt "$start" ] || end=$((start + 1))

# edges: how many were reached, and at which execution the last new one was
edges() {
    sed -n 's/^#\([0-9]*\).* cov: \([0-9]*\) .*/\1 \2/p' "$log" |
        awk '$2 > most { most = $2; at = $1 } END { print most + 0, at + 0 }'
}
# shellcheck disable=SC2046
set -- $(edges)
idle=$((runs > $2 ? (end - start) * (runs - $2) / runs : 0))
echo "$target,$runs,$((runs / (end - start))),$1,$(stat_of new_units_added),$idle,$((end - start)),$faults" \
    >"$home/logs/$target.row"
