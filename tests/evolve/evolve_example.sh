#!/bin/sh
# evolve_example.sh - examples/evolve: what is learned from its times, what is found, what is launched
# SPDX-License-Identifier: MIT
#
# usage: evolve_example.sh [show|check|layer|run|bound]
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
finds_layer() {
    example ml-check && cat "$tmp/last" && grep -qE '^evolve ml: planted layer removed, gain [0-9.]+ %' "$tmp/last"
}
launches() {
    example run && [ "$(grep -c ' variant [0-9]' "$tmp/all")" -eq 6 ]
}

# A small bound names the module as it is, a great one a faster variant.
keeps_bounds() {
    example ml-run && awk '$1 == 10 { first = $2 } $1 == 110 { last = $2 } END { exit !(first == 0 && last > 0) }' "$tmp/all"
}

case $part in
show) check "make show" shows ;;
*)
    [ -x "$BUILD/kpred-evolve" ] || end_without "make $part" "kpred-evolve is not built"
    case $part in
    check) check "make check" finds ;;
    run) check "make run" launches ;;
    *)
        "$BUILD/kpred-evolve" ml 2>&1 | grep -q 'built without' && end_without "make $part" "there is no MLIR in the build"
        PYTHON=python3
        "$PYTHON" -c 'import sklearn' 2>/dev/null || PYTHON=/usr/bin/python3
        "$PYTHON" -c 'import sklearn' 2>/dev/null || end_without "make $part" "there is no scikit-learn"
        export PYTHON
        case $part in
        bound) check "make ml-run" keeps_bounds ;;
        *) check "make ml-check" finds_layer ;;
        esac
        ;;
    esac
    ;;
esac
test_end
