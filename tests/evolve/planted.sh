#!/bin/sh
# planted.sh - the planted wastes of examples/evolve survive each baseline, and nothing depends on them
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] planted.sh
. tests/harness/script.inc

EVOLVE_CLANG=${EVOLVE_CLANG:-clang-16}
test_begin
need "$EVOLVE_CLANG" "planted wastes"
folder=examples/evolve/planted
wastes='INVARIANT_LOAD DIVISION SCRATCH_ARRAY DEAD_STORE BUFFER'
native=$(echo 'int x;' | $EVOLVE_CLANG -march=native -xc -c - -o /dev/null 2>/dev/null && echo -march=native)

# ir KERNEL OPTION...: the text of its function
ir() {
    kernel=$1; shift
    $EVOLVE_CLANG "$@" -fno-discard-value-names -S -emit-llvm $folder/$kernel.c -o - |
        sed -n "/^define .*@$kernel(/,/^}/p" | grep -v '^ *$'
}

# has_waste WASTE TEXT: it is in the function.
has_waste() {
    sh $folder/wastes.sh "$2" | grep -qx "$1"
}

lacks_waste() {
    ! has_waste "$@"
}

# told_apart WASTE WITH WITHOUT
told_apart() {
    has_waste $1 "$2" || { echo "$1 was removed by the passes"; return 1; }
    lacks_waste $1 "$3" || { echo "$1 is there without it"; return 1; }
}

# The buffer is an array that nobody else reads, and is found as such.
not_alone() {
    [ "$1 $2" = "SCRATCH_ARRAY buffer" ] || { echo "$1 is in $2"; return 1; }
}

file_of() {
    echo $1 | tr '[:upper:]' '[:lower:]'
}

# counts FILE INSTRUCTION NUMBER: no loop was copied
counts() {
    found=$(grep -c " $2 " "$1")
    [ $found -eq $3 ] || { echo "$found times $2, not $3"; return 1; }
}

size_of() {
    grep -cE '^  [^ ]' "$1"
}

# of_some_50 FILE: its size is what the figures of kpred-evolve are given for
of_some_50() {
    size=$(size_of "$1")
    if [ "$size" -lt 35 ] || [ "$size" -gt 65 ]; then
        echo "$size instructions"
        return 1
    fi
}

# survives LEVEL...: all that a baseline's passes leave of planted.c, and of what is without one waste
survives() {
    ir planted "$@" >"$tmp/all.ll"
    of_some_50 "$tmp/all.ll" || return 1
    for count in "fdiv 4" "store 7" "load 5"; do
        counts "$tmp/all.ll" $count || return 1
    done
    for waste in $wastes; do
        ir planted "$@" -DWITHOUT_$waste >"$tmp/less.ll"
        told_apart $waste "$tmp/all.ll" "$tmp/less.ll" || return 1
    done
}

# alone LEVEL...: the kernels that have one waste each
alone() {
    for waste in $wastes; do
        kernel=$(file_of $waste)
        ir $kernel "$@" >"$tmp/one.ll"
        ir $kernel "$@" -DWITHOUT_WASTE >"$tmp/none.ll"
        told_apart $waste "$tmp/one.ll" "$tmp/none.ll" || return 1
        for other in $wastes; do
            [ $other = $waste ] || lacks_waste $other "$tmp/one.ll" || not_alone $other $kernel || return 1
        done
    done
}

for level in -O2 -O3 "-O3 $native"; do
    for vectors in "" "-fno-vectorize -fno-slp-vectorize"; do
        check "all wastes survive $level $vectors" survives $level $vectors
        check "each waste alone survives $level $vectors" alone $level $vectors
    done
done

# ---- the outputs without them ----

cp tools/evolve/harness.h "$tmp/kpred_evolve.h"
$CC -std=c99 -Itools $CFLAGS tests/evolve/kernel_driver.c -o "$tmp/driver" -lm -ldl || exit 1

# library FILE OPTION... SOURCE
library() {
    out=$1; shift
    $EVOLVE_CLANG -std=c99 -fPIC -shared -I"$tmp" "$@" -lm -o "$out"
}

equal_without() {
    set -- "$tmp/all.so"
    all=
    for waste in $wastes; do
        all="$all -DWITHOUT_$waste"
        set -- "$@" "$tmp/$waste.so"
        library "$tmp/$waste.so" -O3 -DWITHOUT_$waste $folder/planted.c
    done
    library "$tmp/cases.so" $folder/planted_harness.c &&
        library "$tmp/all.so" -O3 $folder/planted.c &&
        library "$tmp/none.so" -O3 $all $folder/planted.c &&
        "$tmp/driver" check "$tmp/cases.so" planted "$@" "$tmp/none.so"
}

one_equal_without() {
    library "$tmp/cases.so" $folder/one_waste_harness.c || return 1
    for waste in $wastes; do
        kernel=$(file_of $waste)
        library "$tmp/0.so" -O3 $folder/$kernel.c || return 1
        library "$tmp/1.so" -O3 -DWITHOUT_WASTE $folder/$kernel.c || return 1
        "$tmp/driver" check "$tmp/cases.so" $kernel "$tmp/0.so" "$tmp/1.so" || return 1
    done
}

check "without each waste, and without all, the outputs are the same" equal_without
check "without its only waste the outputs of a kernel are the same" one_equal_without
test_end
