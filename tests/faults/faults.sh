#!/bin/sh
# faults.sh - every command when memory, the disk or a call of the system fails, and when it is killed
# SPDX-License-Identifier: MIT
#
# usage: faults.sh [all [NAME...]]: a few faults for each command of the tables `commands` and
# tools/*/tests/faults; all: those of each call,
# and of NAME alone. shim.c has the faults, and faults.py says what must hold after each.
. tests/harness/script.inc
. tests/faults/inputs.inc
for own in tools/*/tests/faults.inc; do
    # shellcheck disable=SC1090
    . "./$own"
done

test_begin
faults=$root/tests/faults
which=some
[ $# = 0 ] || { which=all; shift; }
need python3 "faults"
need_weights "faults"
[ "$(uname -sm)" = "Linux x86_64" ] || end_without "faults" "shim.c is for Linux on x86-64"
$CC -std=c99 $CFLAGS -shared -fPIC "$faults/shim.c" -o "$tmp/shim.so" -ldl ||
    end_without "faults" "the shim does not compile: it is for glibc"

sample_databases
mkdir "$tmp/in" "$tmp/work" && mv "$tmp/gfx906_60.db" "$tmp/in" && cd "$tmp/in" || exit 1
for inputs in own tune miopen aiter; do check "inputs: $inputs" ${inputs}_inputs; done
tables=$faults/commands
for own in "$root"/tools/*/tests/faults; do
    room=$(outbuilding "${own#"$root/"}")
    if [ -x "$BUILD/kpred-$room" ]; then
        check "inputs: $room" "${room}_inputs" && tables=$tables,$own
    else
        skipped "kpred-$room" "it is not built"
    fi
done
cd "$root" || exit 1

checks_of "faults" python3 "$faults/faults.py" "$BUILD" "$tmp/in" "$tmp/shim.so" "$tmp/work" "$tables" $which "$@"
test_end
