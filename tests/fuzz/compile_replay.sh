#!/bin/sh
# compile_replay.sh - compiles a file of tests/fuzz for the program that replays inputs
# SPDX-License-Identifier: MIT
#
# usage: compile_replay.sh FOLDER NAME, where the object goes, and which file it is
. tests/harness/script.inc
. tests/fuzz/fuzz.inc

fuzz_compile "$2" "$1/$2.o" "$CC" $CFLAGS -I"$1" -DLLVMFuzzerTestOneInput="target_${2#fuzz_}"
