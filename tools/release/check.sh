#!/bin/sh
# check.sh - `make release-check`: runs the stages of tools/release/stages one by one, and closes with a table
# SPDX-License-Identifier: MIT
#
# usage: [BUILD=build] sh tools/release/check.sh [STAGE...], from the repository's root
#
# Each stage leaves its output in BUILD/release/NAME.log. One that passed is not run again for the same
# commit, so that a second call goes on where the first one failed or was ended. That holds only where all is
# committed: of a tree with changes nothing is remembered.
set -u
BUILD=${BUILD:-build}
stages=tools/release/stages
out=$BUILD/release
mkdir -p "$out/passed" || exit 1
passed=0 failed=0 skipped=0

# The commit that a stage is remembered for, or nothing
commit() {
    [ -e .git ] && [ -z "$(git status --porcelain)" ] && git rev-parse HEAD
}

# chosen STAGE...: the names of these, or of all
chosen() {
    sed -n 's/^\([a-z][a-z-]*\): .*/\1/p' $stages >"$out/names"
    [ $# -gt 0 ] || { cat "$out/names"; return; }
    for stage in "$@"; do
        grep -x "$stage" "$out/names" || { echo "check.sh: $stages has no stage $stage" >&2; return 1; }
    done
}

# verdict STATUS LOG: passed, failed or skipped, of a stage that ended so; one that ran or said nothing has failed
verdict() {
    counts=$(tail -n 1 "$2" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped')
    case $1,$counts in
    0,) [ -s "$2" ] && echo passed || echo failed ;;
    0,'0 passed, 0 failed, 0 skipped') echo failed ;;
    0,*' passed, 0 failed, 0 skipped') echo passed ;;
    0,'0 passed, 0 failed, '*) echo skipped ;;
    0,*', 0 failed, '*) echo passed ;;
    *) echo failed ;;
    esac
}

# run STAGE: its verdict, and what took how long, as a row of the table
run() {
    log=$out/$1.log
    start=$(date +%s)
    command=$(sed -n "s/^$1: //p" $stages)
    sh -c "$command" >"$log" 2>&1 </dev/null
    result=$(verdict $? "$log")
    printf '%-10s %-8s %6s s  %s\n' "$1" $result $(($(date +%s) - start)) "$(tail -n 1 "$log")" >>"$out/table"
    [ $result != passed ] || [ -z "$commit" ] || [ "$(commit)" != "$commit" ] || echo "$commit" >"$out/passed/$1"
}

names=$(chosen "$@") || exit 2
commit=$(commit) || echo "The tree has changes that are not committed: what passes is not remembered."
: >"$out/table"
for stage in $names; do
    if [ -n "$commit" ] && [ "$(cat "$out/passed/$stage" 2>/dev/null)" = "$commit" ]; then
        result=passed
        printf '%-10s %-8s %6s    %s\n' "$stage" passed - "it passed before, for this commit" >>"$out/table"
    else
        echo "$stage: $out/$stage.log"
        run "$stage"
    fi
    case $result in
    passed) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
done
cat "$out/table"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
