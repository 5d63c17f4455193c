#!/bin/sh
# freestanding.sh - what the headers need and give: no symbol, float or loop, little stack and code
# SPDX-License-Identifier: MIT
. tests/harness/script.inc
. tests/harness/variants.inc
. tests/harness/stack.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
MOST_STACK=1024 # bytes of kpred_predict, the rule's apart, gcc -O2
MOST_CODE=12288 # bytes of kpred.h, gcc -Os, portable body
MOST_ALL=24576 # the same with all bodies of x86-64

for header in kpred kpred_constraints; do
    printf '#define KPRED_IMPLEMENTATION\n#include "%s.h"\n' $header >"$tmp/$header.c"
done

# object HEADER COMMAND...: compiles the definitions that a header brings; position-dependent, so
# that a table of addresses is as constant in the object as it is in the source
object() {
    source=$1
    shift
    "$@" -ffreestanding -fno-pic -I. -c "$tmp/$source.c" -o "$tmp/$source.o"
}

# Instructions that convert, compute or compare floating point; fmov, of Arm, moves bits.
FLOATS='v?(u?comis|cvt|(add|sub|mul|div|sqrt|rsqrt|rcp|min|max|cmp|round|dp|hadd|hsub)[a-z0-9]*[ps][sd]$)|[su]cvtf|v?f(m[^o]|[^m])'

# No symbol from elsewhere, compilers' helpers (as for wide divisions) included; none exported
# without the public prefix; nothing to write to; no floating point.
symbols() {
    object "$@" || return 1
    undefined=$(nm -u "$tmp/$1.o")
    [ -z "$undefined" ] || { echo "undefined:" $undefined; return 1; }
    private=$(nm -g --defined-only "$tmp/$1.o" | awk '$3 !~ /^kpred_/')
    [ -z "$private" ] || { echo "exported:" $private; return 1; }
    data=$(nm "$tmp/$1.o" | awk '$2 ~ /^[bBdDcCsSgG]$/')
    [ -z "$data" ] || { echo "not constant:" $data; return 1; }
    floats=$(objdump -d --no-show-raw-insn "$tmp/$1.o" | awk -F'\t' '{ sub(/ .*/, "", $2); print $2 }' |
        grep -E "^($FLOATS)")
    [ -z "$floats" ] || { echo "floating point:" $floats; return 1; }
}

variant() {
    for header in kpred kpred_constraints; do
        check "$header: $*" symbols $header "$@"
    done
}

each_variant f variant

# ---- no floating point ----

without_comments() {
    gcc -fpreprocessed -dD -E -P -w "$1" 2>/dev/null || cc -fpreprocessed -E -P -w "$1"
}

no_float() {
    words=$(without_comments "$1" | grep -nwE 'float|double|_Float[0-9]+|[0-9]+\.[0-9]*[fF]?')
    [ -z "$words" ] || { echo "$words"; return 1; }
}

# Without the registers that hold it, no floating point compiles.
for header in kpred kpred_constraints; do
    check "no-float-in-$header" no_float $header.h
    if ! unavailable gcc -mgeneral-regs-only >/dev/null; then
        check "no-float-registers-for-$header" \
            object $header gcc -std=c99 -O1 -mgeneral-regs-only -DKPRED_SIMD=0
    else
        skipped "no-float-registers-for-$header" "no gcc with -mgeneral-regs-only"
    fi
done

# ---- no loop ----

# The helpers and rules of kpred_constraints.h: no word that loops
no_loop() {
    words=$(without_comments kpred_constraints.h | grep -nwE 'for|while|do|goto')
    [ -z "$words" ] || { echo "$words"; return 1; }
}
check "no-loop-in-kpred_constraints" no_loop

# ---- stack, and no recursion ----

stack_is_small() {
    object kpred gcc -std=c99 -O2 -fcallgraph-info=su $1 || return 1
    bytes=$(deepest "$tmp/kpred.ci" kpred_predict)
    echo "$bytes bytes, at most $MOST_STACK"
    [ "$bytes" -gt 100 ] && [ "$bytes" -le $MOST_STACK ]
}

# What the compiler has not made a loop of: -O0
no_recursion() {
    object kpred_constraints gcc -std=c99 -O0 -fcallgraph-info=su -DKPRED_SIMD=0 || return 1
    bytes=$(deepest "$tmp/kpred_constraints.ci" kpred_rule_conv_mlir_igemm_wrw)
    echo "$bytes bytes from a rule that asks another"
    [ "$bytes" != recursion ] && [ "$bytes" -gt 100 ]
}

if ! unavailable gcc -fcallgraph-info=su >/dev/null; then
    check "no-recursion-in-kpred_constraints" no_recursion
    check "stack-portable" stack_is_small -DKPRED_SIMD=0
    if echo | gcc -E -dM -xc - | grep -q __SSE2__; then
        check "stack-sse2" stack_is_small -DKPRED_SIMD=1
    else
        skipped "stack-sse2" "no SSE2"
    fi
    if [ "$(uname -m)" = x86_64 ]; then
        check "stack, all bodies" stack_is_small -DKPRED_SIMD=100
    else
        skipped "stack, all bodies" "this is no x86-64"
    fi
else
    skipped "stack" "no gcc with -fcallgraph-info"
fi

# ---- code size ----

# code_is_small OPTION MOST: text with its constants, as `size` counts them
code_is_small() {
    gcc -std=c99 -Os "$1" -I. -c "$tmp/kpred.c" -o "$tmp/size.o" || return 1
    bytes=$(size "$tmp/size.o" | awk 'NR == 2 { print $1 }')
    echo "$bytes bytes, at most $2"
    [ "$bytes" -gt 1000 ] && [ "$bytes" -le "$2" ]
}

if has gcc && has size; then
    check "code-size" code_is_small -DKPRED_SIMD=0 $MOST_CODE
    check "code-size, by default" code_is_small -std=c99 $MOST_ALL
else
    skipped "code-size" "no gcc or no size"
fi

# ---- code of a program with one model ----

RUNTIME=9350    # bytes of functions, gcc 12 -Os for x86-64, portable body; all bounds are 1 to 3 % above
ONE_MODEL=10780 # what conv_asm_1x1u may take in all
ALL=18850       # and all shipped models together
ALL_RULES=10720 # all rules, as one who includes kpred_constraints.h by itself gets them

# The rule of each model, and what else there is in its header that runs
rules() {
    cat <<'END'
conv_asm_1x1u 1450
conv_asm_bwd_wrw_1x1 905
conv_asm_bwd_wrw_3x3 1210
conv_bin_winograd_rxs_f2x3 790
conv_bin_winograd_rxs_f3x2 790
conv_hip_igemm_v4r1_wrw 1500
conv_igemm_gtc_bwd_nhwc 585
conv_igemm_gtc_fwd_nhwc 585
conv_igemm_gtc_wrw_nhwc 585
conv_ocl_direct_fwd_1x1 930
conv_solver 1650
gemm_a4w4_blockscale 336
gemm_a8w8_blockscale 720
gemm_a8w8_blockscale_bpreshuffle 1470
gemm_mi100_nn 131
gemm_mi100_nt 131
gemm_mi100_tn 131
END
}

# measured HEADER...: prints the bytes of functions and of constants in an object with these headers
measured() {
    { echo "#define KPRED_IMPLEMENTATION"; printf '#include "%s"\n' "$@"; } >"$tmp/sizes.c"
    gcc -std=c99 -Os -fno-asynchronous-unwind-tables -DKPRED_SIMD=0 -I. -c "$tmp/sizes.c" -o "$tmp/sizes.o" || return 1
    code=$(nm -t d -S "$tmp/sizes.o" | awk '$3 ~ /^[tT]$/ { sum += $2 } END { print sum + 0 }')
    all=$(size "$tmp/sizes.o" | awk 'NR == 2 { print $1 + $2 + $3 }')
    echo "$code $((all - code))"
}

# sizes HEADER...: these bytes as $code and $constants, compiled once
sizes() {
    known=$tmp/sizes.$(echo "$*" | cksum | tr ' ' .)
    [ -s "$known" ] || measured "$@" >"$known" || return 1
    read -r code constants <"$known"
}

at_most() {
    echo "$1: $2 bytes, at most $3"
    [ "$2" -le "$3" ]
}

runtime_is_small() {
    sizes kpred.h && [ "$code" -gt 1000 ] && at_most "the runtime" "$code" $RUNTIME
}

# A model's rule is what its header adds to the runtime's functions.
rule_is_small() {
    bound=$(rules | sed -n "s/^$1 //p")
    [ -n "$bound" ] || { echo "$1 has no bound"; return 1; }
    sizes kpred.h && runtime=$code && sizes "weights/$1.h" &&
        at_most "its rule" $((code - runtime)) "$bound"
}

one_model_is_small() {
    sizes weights/conv_asm_1x1u.h && at_most "all of it" "$code" $ONE_MODEL
}

all_are_small() {
    sizes weights/*.h && at_most "all of them" "$code" $ALL
}

all_rules_are_small() {
    sizes kpred.h && runtime=$code && sizes kpred_constraints.h &&
        at_most "all rules" $((code - runtime)) $ALL_RULES
}

# row NAME DIGITS: of docs/embedding.md, constants with so many digits behind the point
row() {
    awk -v name="$1" -v digits="$2" -v code="$code" -v constants="$constants" 'BEGIN {
        printf "| %s | %.1f | %.*f |\n", name, code / 1000, digits, constants / 1000 }'
}

rows() {
    sizes kpred.h || return 1
    runtime=$code runtime_constants=$constants
    row "the runtime, \`kpred.h\`" 1
    for spec in weights/*.spec; do
        sizes "${spec%.spec}.h" || return 1
        code=$((code - runtime)) constants=$((constants - runtime_constants))
        row "\`$(basename "$spec" .spec)\`" 0
    done
}

documented() {
    rows >"$tmp/rows" && sed -n '/^| | code/,/^$/p' docs/embedding.md | sed '1,2d; /^$/d' | diff - "$tmp/rows"
}

# Others write other code, and the bounds are narrow.
is_measured() {
    has nm && has size && [ "$(gcc -dumpversion | cut -d. -f1)-$(gcc -dumpmachine | cut -d- -f1)" = 12-x86_64 ]
}

if has gcc && is_measured; then
    check "code-of-the-runtime" runtime_is_small
    for spec in weights/*.spec; do
        name=$(basename "$spec" .spec)
        check_with "${spec%.spec}.h" "code-of-$name" rule_is_small "$name"
    done
    check_with weights/conv_asm_1x1u.h "code-of-one-model" one_model_is_small
    check "code-of-all-rules" all_rules_are_small
    if has_weights; then
        check "code-of-all-models" all_are_small
        check "sizes-in-embedding.md" documented
    fi
else
    skipped "code of each model" "the bounds are those of gcc 12 for x86-64"
fi
test_end
