#!/bin/sh
# families.sh - kpred_constraints.h by families: what is asked for is there, once, without a warning
# SPDX-License-Identifier: MIT
#
# usage: families.sh [alone]: each family by itself, with all warnings of four compilers, and no more
. tests/harness/script.inc

test_begin
families=$(sed -n 's/^#undef KPRED_RULES_//p' kpred_constraints.h | grep -vx NO_FAMILY)

# compiled NAME COMMAND...: into an object of that name
compiled() {
    name=$1; shift
    "$@" -I. -c "$tmp/$name.c" -o "$tmp/$name.o"
}

# rules NAME: what the object defines for others, the runtime apart
rules() {
    nm -g --defined-only "$tmp/$1.o" | sed -n 's/.* //; /^kpred_rule_/p' | sort
}

include='#include "kpred_constraints.h"'
implement='#define KPRED_IMPLEMENTATION'

# ---- each family alone ----

# alone FUNCTION COMMAND...: FUNCTION FAMILY COMMAND... for each family
alone() {
    function=$1; shift
    for family in $families; do
        printf '%s\n' "#define KPRED_RULES_$family" "$include" >"$tmp/$family.c"
        $function "$family" "$@" || return 1
    done
}

# clean NAME COMMAND...: compilers warn of a static function that nothing uses, and of one that is declared and not
# defined; only gcc has to compile for that.
clean() {
    name=$1; shift
    case $1 in
    clang*) "$@" -I. -fsyntax-only "$tmp/$name.c" ;;
    *) compiled "$name" "$@" ;;
    esac
}

if [ "${1-}" = alone ]; then
    # What is not static needs a declaration before it, of which clang warns as well and sooner.
    for how in clang,KPRED_IMPLEMENTATION clang,KPRED_STATIC gcc,KPRED_STATIC; do
        cc=${how%,*} flag=-D${how#*,}
        [ $cc = gcc ] && cxx=g++ || cxx=clang++
        check_with $cc "$cc: each alone, $flag" alone clean $cc -std=c99 $C_WARNINGS $flag
        check_with $cxx "$cxx: each alone, $flag" alone clean $cxx -xc++ -std=c++98 $WARNINGS -Wno-long-long $flag
    done
    test_end
    exit
fi

# ---- what is in an object ----

need nm "what is in an object"
printf '%s\n' "$implement" "$include" >"$tmp/all.c"
compiled all "$CC" -std=c99 || exit 1
rules all >"$tmp/all"
alone compiled "$CC" -std=c99 -DKPRED_IMPLEMENTATION || exit 1

# All together are all that there are, and none is in two.
parts() {
    for family in $families; do
        rules "$family" >"$tmp/part"
        [ -s "$tmp/part" ] || { echo "$family has no rule"; return 1; }
        cat "$tmp/part"
    done >"$tmp/parts"
    [ "$(wc -l <"$tmp/all")" -gt 15 ] && sort "$tmp/parts" | diff - "$tmp/all"
}
check "each rule is in one family" parts

# A family's rules are those that the lists say are in it.
listed() {
    printf '%s\n' "$include" '#include <stdio.h>' '#define SHOW(rule, n, list, of) puts(#of " " #rule);' \
        'int main(void) { KPRED_RULE_LIST(SHOW) KPRED_ONE_WAY_LIST(SHOW) return 0; }' >"$tmp/listed.c"
    "$CC" -std=c99 -I. "$tmp/listed.c" -o "$tmp/listed" && "$tmp/listed" >"$tmp/lists" || return 1
    for family in $families; do
        sed -n "s/^$family //p" "$tmp/lists" | sort >"$tmp/of_list"
        rules "$family" | grep -v '^kpred_rule_of_' | diff - "$tmp/of_list" || return 1
    done
}
check "each family has the rules that the lists say" listed

# has_all NAME COMMAND...: the file defines every rule, with no warning
has_all() {
    compiled "$@" && rules "$1" | diff - "$tmp/all"
}

# requests FAMILY...: each, twice
requests() {
    for family in "$@"; do
        for time in once again; do printf '%s\n' "#define KPRED_RULES_$family /* $time */" "$include"; done
    done
}
backwards=$(echo "$families" | sed '1!G;h;$!d')
{ echo "$implement"; requests $families; } >"$tmp/forwards.c"
{ echo "$implement"; requests $backwards; } >"$tmp/backwards.c"
{ echo "$include"; requests $families; echo "$implement"; requests $backwards; } >"$tmp/late.c"
{ echo "$implement"; requests CONV_IGEMM; echo "$include"; echo "$include"; } >"$tmp/rest.c"
{ echo "$implement"; printf '#define KPRED_RULES_%s\n' $families; echo "$include"; } >"$tmp/at_once.c"
for name in forwards backwards late rest at_once; do
    check "all families, $name" has_all $name "$CC" -std=c99 -Wall -Wextra -Wpedantic -Werror
done

# ---- generated headers ----

need_weights "generated headers"

# headers NAME...: lines that include them
headers() {
    printf '#include "weights/%s.h"\n' "$@"
}
two="conv_asm_1x1u conv_hip_igemm_v4r1_wrw"
three="conv_igemm_gtc_fwd_nhwc conv_solver conv_asm_1x1u"
{ echo "$implement"; headers $two; headers $two; } >"$tmp/two.c"
{ headers $three; echo "$implement"; headers $three; } >"$tmp/three.c"
{ headers $two; echo "$implement"; headers $three; echo "$include"; } >"$tmp/five.c"
{ echo "$implement"; headers gemm_mi100_nn; } >"$tmp/none.c"
{ echo "$implement"; echo "#define KPRED_RULES_NO_FAMILY"; echo "$include"; } >"$tmp/no_family.c"

# only NAME FAMILY...: the object has the rules of these families, no others, and needs none
only() {
    compiled "$1" "$CC" -std=c99 $C_WARNINGS || return 1
    rules "$1" >"$tmp/got"
    undefined=$(nm -u "$tmp/$1.o" | grep kpred_)
    shift
    for family in "$@"; do rules "$family"; done | sort -u | diff - "$tmp/got" && [ -z "$undefined" ]
}
check "two headers, twice" only two CONV_ASM_1X1U CONV_HIP_IGEMM_V4R1
check "three headers, defined after they were declared" only three CONV_IGEMM_GTC CONV_SOLVER CONV_ASM_1X1U
as_cxx() {
    for name in two three five; do compiled $name g++ -xc++ -std=c++98 -Wall -Wextra -Werror || return 1; done
}
check_with g++ "the same in C++" as_cxx
check "then all of the file" only five $families
check "a header with a list needs none" only none
check "no family" only no_family

# The arithmetic of conditions is read where a header's own rule needs it, and nowhere else.
expressions() {
    "$CC" -std=c99 -I. -E "$tmp/$1.c" | grep -c '^static inline int64_t kpri_x_add'
}
{ headers conv_asm_1x1u conv_solver; } >"$tmp/without.c"
{ headers conv_asm_1x1u gemm_a4w4_blockscale conv_solver gemm_a8w8_blockscale; } >"$tmp/with.c"
read_once() {
    compiled with "$CC" -std=c99 $C_WARNINGS && [ "$(expressions without) $(expressions with)" = "0 1" ]
}
check "expressions" read_once

# Each shipped header carries the family of its rule, and no other; one with conditions none.
asks() {
    for spec in $(model_specs); do
        lines=$(sed -n 's/^#define KPRED_RULES_//p' "${spec%.spec}.h")
        case $(grep -c '^rule *= *kpred_rule' "$spec") in
        1) echo "$families" | grep -qx "$lines" || { echo "$spec: $lines"; return 1; } ;;
        *) [ "$lines" = "$(sed -nE '/^\[(kernels|restrict)\]/{ s/.*/NO_FAMILY/p; q; }' "$spec")" ] ||
            { echo "$spec: $lines"; return 1; } ;;
        esac
    done
}
check "each header asks for a family" asks
test_end
