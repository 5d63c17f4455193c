#!/bin/sh
# fuzz_one.sh - runs one fuzz target with libFuzzer, for fuzz.sh
# SPDX-License-Identifier: MIT
#
# usage: fuzz_one.sh TARGET, with home, seconds and FUZZ in the environment. It leaves the target's log and
# its line of the CSV file in $home/logs.
. tests/harness/script.inc
. tests/fuzz/fuzz.inc

target=$1 log=$home/logs/$1.log corpus=$home/corpus/$1
mkdir -p "$corpus"
mkdir -p "$home/crashes/$target"
mkdir -p "$home/begin/$target"
rm -f "$home/begin/$target"/*
# shellcheck disable=SC2046
cp $(fuzz_inputs "$target") "$home/begin/$target"
set -- "$corpus" "$home/begin/$target"
[ ! -e "$FUZZ/$target.dict" ] || set -- -dict="$FUZZ/$target.dict" "$@"

FUZZ_FOLDER=$(fuzz_folder) || exit 1
export FUZZ_FOLDER
trap 'rm -rf "$FUZZ_FOLDER"' EXIT
before=$(find "$home/crashes/$target" -type f | wc -l)
start=$(date +%s)
# LeakSanitizer asks for ptrace, which not every machine allows; detect_leaks stays on where it can.
"$home/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -close_fd_mask=3 \
    -print_final_stats=1 -reload=0 -artifact_prefix="$home/crashes/$target/" "$@" </dev/null >"$log" 2>&1
status=$?
end=$(date +%s)
faults=$(($(find "$home/crashes/$target" -type f | wc -l) - before))
[ $status -eq 0 ] || [ $faults -gt 0 ] || faults=1

# stat NAME: a figure of libFuzzer's
stat_of() {
    sed -n "s/^stat::$1: *//p" "$log" | tail -n 1
}
edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
last=$(find "$corpus" -type f -printf '%T@\n' | sort -n | tail -n 1 | cut -d. -f1)
[ "${last:-0}" -ge "$start" ] || last=$start
runs=$(stat_of number_of_executed_units)
runs=${runs:-$(grep -o '^#[0-9]*' "$log" | tail -n 1 | tr -d '#')}
[ $end -gt "$start" ] || end=$((start + 1))
echo "$target,${runs:-0},$((${runs:-0} / (end - start))),${edges:-0},$(stat_of new_units_added),$((end - last)),$((end - start)),$faults" |
    sed 's/,,/,0,/' >"$home/logs/$target.row"
