#!/bin/sh
# evolve_example.sh - examples/evolve: what is learned from its times, what is found, what is launched
# SPDX-License-Identifier: MIT
#
# usage: evolve_example.sh [show|check|run]
#
# A search depends on times: so where it finds nothing, the machine may have been too busy.
. tests/harness/script.inc

test_begin
part=${1-show}
need_trainer "examples/evolve"

# example TARGET: the last line of what it printed is in $tmp/last
example() {
    make -s -C examples/evolve "$1" BUILD="$BUILD" OUT="$tmp/out" >"$tmp/all" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    tail -n 1 "$tmp/all" >"$tmp/last"
}

# Few zeros want the variant without the stop, many the one with it.
shows() {
    example show && awk '$1 == 1 { print $3 }' "$tmp/all" | tr '\n' ' ' | grep -qx '0 1 '
}
finds() {
    example check && cat "$tmp/last" && grep -qE '^evolve: planted store removed, gain [0-9.]+ %' "$tmp/last"
}
launches() {
    example run && [ "$(grep -c ' variant [0-9]' "$tmp/all")" -eq 6 ]
}

case $part in
show) check "make show" shows ;;
*)
    [ -x "$BUILD/kpred-evolve" ] || end_without "make $part" "kpred-evolve is not built"
    if [ "$part" = check ]; then check "make check" finds; else check "make run" launches; fi
    ;;
esac
test_end
