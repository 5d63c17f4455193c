#!/bin/sh
# analysis.sh - static analysis finds nothing: the quick tools of make analyze, each a check
# SPDX-License-Identifier: MIT
#
# All tools are a stage of make release-check.
. tests/harness/script.inc

test_begin
sh tools/release/analyze.sh quick >"$tmp/log" 2>&1
grep -qE '^analyze: [0-9]+ tools, [0-9]+ findings, [0-9]+ skipped$' "$tmp/log" ||
    failed "analyze.sh" "$(tail -n 5 "$tmp/log")"
while read -r line; do
    case $line in
    skip\ *) echo "$line" && n_skipped=$((n_skipped + 1)) ;;
    *': 0 findings') passed "${line%%:*}" ;;
    *' findings') failed "${line%%:*}" "${line#*: }" ;;
    analyze:* | *' passed, '*) ;;
    *) echo "$line" ;;
    esac
done <"$tmp/log"
test_end
