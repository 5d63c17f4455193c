#!/bin/sh
# readers.sh - whole tables of Tensile, AITER and other tuners, beside what readers.py finds in them
# SPDX-License-Identifier: MIT
#
# usage: readers.sh [all]   all: every file of other tuners. The tests in C have small ones.
. tests/harness/script.inc

test_begin
need_trainer "second readers"
need python3 "second readers"
for library in JANSSON BZIP2 ZLIB; do
    grep -q HAVE_$library "$BUILD/libraries" || end_without "second readers" "kpred-train was built without $library"
done
checks_of "second readers" python3 tests/data/readers.py "$trainer" "$tmp" "$@"
test_end
