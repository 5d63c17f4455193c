#!/bin/sh
# evolve_kernels.sh - the kernels and harnesses of examples/evolve run, and give the same at each level
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] evolve_kernels.sh
. tests/harness/script.inc

EVOLVE_CLANG=${EVOLVE_CLANG:-clang-16}
test_begin
need "$EVOLVE_CLANG" "kernels to be evolved"
folder=examples/evolve
cp tools/evolve/harness.h "$tmp/kpred_evolve.h"
$CC -std=c99 $C_WARNINGS -Itools $CFLAGS tests/evolve/kernel_driver.c -o "$tmp/driver" -lm -ldl || exit 1

# library FILE OPTION... SOURCE
library() {
    out=$1; shift
    $EVOLVE_CLANG -std=c99 -ffp-contract=off -fPIC -shared -I"$tmp" "$@" -lm -o "$out"
}

# The warnings that the harness's header promises not to give; a kernel is called by its name alone.
quiet() {
    $EVOLVE_CLANG -std=c99 $C_WARNINGS -I"$tmp" -fsyntax-only "$1" &&
        $EVOLVE_CLANG -std=c99 $WARNINGS -fsyntax-only "$2"
}

# alike KERNEL.c FUNCTION HARNESS.c: all levels of optimisation give the same
alike() {
    library "$tmp/cases.so" -O1 "$3" && library "$tmp/0.so" -O0 "$1" && library "$tmp/2.so" -O2 "$1" &&
        library "$tmp/3.so" -O3 "$1" && library "$tmp/4.so" -O3 -fno-vectorize -fno-slp-vectorize "$1" &&
        "$tmp/driver" check "$tmp/cases.so" $2 "$tmp/0.so" "$tmp/2.so" "$tmp/3.so" "$tmp/4.so"
}

# sanitized KERNEL.c FUNCTION HARNESS.c: what is undefined would end it
sanitized() {
    library "$tmp/cases.so" -O1 "$3" &&
        library "$tmp/s.so" -O1 -fsanitize=undefined -fsanitize-trap=undefined "$1" &&
        "$tmp/driver" check "$tmp/cases.so" $2 "$tmp/s.so"
}

kernel_checks() {
    check "$2: no warnings" quiet "$3" "$1"
    check "$2: the same outputs at each level" alike "$@"
    check "$2: nothing undefined" sanitized "$@"
}

for harness in "$folder"/rodinia/*_harness.c; do
    kernel=${harness%_harness.c}.c
    kernel_checks $kernel "$(basename $kernel .c)" $harness
done
kernel_checks $folder/histogram.c histogram $folder/histogram_harness.c
kernel_checks $folder/planted/planted.c planted $folder/planted/planted_harness.c
kernel_checks $folder/variants/kernel.c product $folder/variants/harness.c

# ---- the variants of one kernel ----

both_variants() {
    library "$tmp/cases.so" -O1 $folder/variants/harness.c &&
        library "$tmp/0.so" -O3 $folder/variants/kernel.c &&
        library "$tmp/1.so" -O3 -DSTOP=0 $folder/variants/kernel.c &&
        "$tmp/driver" check "$tmp/cases.so" product "$tmp/0.so" "$tmp/1.so"
}
check "variants: with and without the stop the sums are the same" both_variants

# The blocks of C in the document are these files, in that order.
shown() {
    sed -n '/^```c$/,/^```$/p' docs/evolve.md | grep -v '^```' | diff - "$tmp/files"
}
cat $folder/histogram.c $folder/histogram_harness.c >"$tmp/files"
check "docs/evolve.md shows histogram.c and its harness" shown

# ---- does the driver see what is wrong? ----

# notices SED WHAT: of a changed kernel, that buffer
notices() {
    sed "$1" $folder/rodinia/needleman_wunsch.c >"$tmp/changed.c"
    library "$tmp/cases.so" -O1 $folder/rodinia/needleman_wunsch_harness.c &&
        library "$tmp/0.so" -O1 $folder/rodinia/needleman_wunsch.c &&
        library "$tmp/1.so" -O1 "$tmp/changed.c" || return 1
    ! "$tmp/driver" check "$tmp/cases.so" needleman_wunsch "$tmp/0.so" "$tmp/1.so" >"$tmp/said" 2>&1 &&
        grep -q "$2" "$tmp/said"
}

crashes() {
    sed 's/r <= rows/r <= rows + 1/' $folder/rodinia/needleman_wunsch.c >"$tmp/changed.c"
    library "$tmp/1.so" -O1 "$tmp/changed.c" || return 1
    ("$tmp/driver" check "$tmp/cases.so" needleman_wunsch "$tmp/1.so") >/dev/null 2>&1
    [ $? -gt 128 ]
}
check "the driver sees a wrong score" notices 's/a > b/a < b/' table
check "the driver sees a row too few" notices 's/r <= rows/r < rows/' table
check "the driver sees a changed input" notices 's/const int width = cols + 1;/&((int *)worth)[5] = 1;/' worth
check "a kernel that writes behind a buffer crashes" crashes
test_end
