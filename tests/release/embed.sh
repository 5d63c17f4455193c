#!/bin/sh
# embed.sh - every way to include the headers, as C and C++, without a warning
# SPDX-License-Identifier: MIT
#
# The models are small ones, made here. With the shipped ones: matrix.sh. Nothing is optimised, which
# takes half the time: warnings.sh compiles with -O1, and matrix.sh and others with every level.
. tests/harness/script.inc

test_begin
need_trainer "all"
out=$tmp
sum= # what every program must print

# model NAME [LINE...]: its header, with these lines in the spec
model() {
    sed "s/^name .*/name = $1/;s/^\(.*epochs\|teachers\) .*/\1 = 1/" tests/fixtures/rowsum.spec >"$out/$1.spec"
    model=$out/$1; shift
    printf '%s\n' "$@" >>"$model.spec"
    printf '%s\n' gpu,rows,cols,threads,unroll gfx900_56,64,64,64,1 gfx906_60,512,256,128,2 gfx906_60,900,99,128,4 >"$out/rows.csv"
    "$trainer" train "$model.spec" --data "$out/rows.csv" --split none -o "$model.h"
}

# object COMPILER OPTION...: compiles with the warnings of the compiler's language, unless it has; its path
object() {
    object=$out/$(echo "$*" | tr ' ' _).o
    echo "$object"
    [ ! -e "$object" ] || return 0
    case $1 in
    *++) language="-xc++ $WARNINGS" ;;
    *) language="-xc $C_WARNINGS" ;;
    esac
    "$@" $language -O0 -I. -I"$out" -c tests/release/embed/use.c -o "$object"
}

# program NAME "COMMAND FOR FIRST" "COMMAND FOR SECOND": two files and the main of the compiler make one program, the sum
# of which is that of every other
program() {
    first=$(object $2 -DNAME=first) && second=$(object $3 -DNAME=second) && main=$(object ${2%% *} -DMAIN) &&
        ${2%% *} "$first" "$second" "$main" -o "$out/$1" && got=$("$out/$1") || return 1
    sum=${sum:-$got}
    [ "$got" = "$sum" ] || { echo "sum $got, not $sum"; return 1; }
}

# The program runs in this shell, not in a substitution, so that it can keep the sum.
check_program() {
    for command in "${2%% *}" "${3%% *}"; do
        has "$command" || { skipped "$1" "no $command"; return; }
    done
    if program "$@" >"$out/log" 2>&1; then
        passed "$1"
    else
        failed "$1" "$(head -5 "$out/log")"
    fi
}

# all_ways NAME COMMAND: the definitions in one file; in each its own; both; late. The vector bodies, which take longest
# to compile, are in the first alone.
all_ways() {
    portable="$2 -DKPRED_SIMD=0"
    check_program "$1-two-files" "$2 -DKPRED_IMPLEMENTATION" "$2"
    check_program "$1-static" "$portable -DKPRED_STATIC" "$portable -DKPRED_STATIC"
    check_program "$1-static-and-shared" "$2 -DKPRED_IMPLEMENTATION" "$portable -DKPRED_STATIC"
    check_program "$1-late" "$portable -DLATE" "$2"
}

check "a model without a rule" model alpha
check "a model with a rule" model beta "[restrict]" "threads * unroll <= 256"
for cc in gcc clang; do
    cxx=g++ std=c11 # the standard that the matrix's cells of the gate leave out
    [ $cc = gcc ] || cxx=clang++ std=c17
    all_ways $cc-c99 "$cc -std=c99"
    all_ways $cxx-c++17 "$cxx -std=c++17"
    check_program $cc-$std "$cc -std=$std -DKPRED_SIMD=0 -DKPRED_IMPLEMENTATION" "$cc -std=$std"
    check_program $cxx-c++98 "$cxx -std=c++98 -DKPRED_IMPLEMENTATION" "$cxx -std=c++98"
    for std in c++11 c++20; do
        check_program $cxx-$std "$cxx -std=$std -DKPRED_SIMD=0 -DKPRED_IMPLEMENTATION" "$cxx -std=$std"
    done
    check_program $cxx-uses-$cc "$cxx -std=c++11" "$cc -std=c99 -DKPRED_SIMD=0 -DKPRED_IMPLEMENTATION"
    check_program $cc-c99-portable "$cc -std=c99 -DKPRED_SIMD=0 -DKPRED_STATIC" "$cc -std=c99 -DKPRED_STATIC"
done

# left_out OPTION MAIN STATUS: whether a rule is in a program depends on what its main uses, if the
# linker may leave out sections. (They are built, not run: their problem is none.)
left_out() {
    printf '#include "kpred_constraints.h"\n%s\n' "$2" >"$out/rules.c"
    gcc -std=c99 -O0 -DKPRED_SIMD=0 $1 -ffunction-sections -fdata-sections -Wl,--gc-sections -I. "$out/rules.c" \
        -o "$out/rules" || return 1
    nm "$out/rules" | grep -q kpred_rule_of_solvers
    [ $? -eq $3 ]
}
body='int32_t p[KPRED_CONV3D_FIELD_COUNT]; int main(int n, char **v) { (void)v; return'
one="$body kpred_rule_conv_mlir_igemm(p, p, (size_t)n); }"
solver="static const uint64_t words[] = { 0 };
$body kpred_rule_of_solvers(words, 1, p, p, (size_t)n); }"
for how in KPRED_IMPLEMENTATION KPRED_STATIC; do
    if has gcc && has nm && gcc -Wl,--gc-sections -xc - -o "$out/empty" 2>/dev/null <<END
int main(void) { return 0; }
END
    then
        check "rule-unused-$how" left_out -D$how "$one" 1
        check "rule-used-$how" left_out -D$how "$solver" 0
    else
        skipped "rule-unused-$how" "no gcc, nm or linker with --gc-sections"
    fi
done
test_end
