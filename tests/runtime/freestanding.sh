#!/bin/sh
# freestanding.sh - what the headers need and give: no symbol, no float, little stack, little code
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

out=$BUILD/freestanding
mkdir -p "$out"
MOST_STACK=1024 # bytes of kpred_predict, the rule's apart, gcc -O2
MOST_CODE=12288 # bytes of kpred.h, gcc -Os, portable body

for header in kpred kpred_constraints; do
    printf '#define KPRED_IMPLEMENTATION\n#include "%s.h"\n' $header >"$out/$header.c"
done

# object HEADER COMMAND...: compiles the definitions that a header brings; position-dependent, so
# that a table of addresses is as constant in the object as it is in the source
object() {
    source=$1
    shift
    "$@" -std=c99 -ffreestanding -fno-pic -I. -c "$out/$source.c" -o "$out/$source.o"
}

# No symbol from elsewhere, compilers' helpers (as for wide divisions) included; none exported
# without the public prefix; nothing to write to.
symbols() {
    object "$@" || return 1
    undefined=$(nm -u "$out/$1.o")
    [ -z "$undefined" ] || { echo "undefined:" $undefined; return 1; }
    private=$(nm -g --defined-only "$out/$1.o" | awk '$3 !~ /^kpred_/')
    [ -z "$private" ] || { echo "exported:" $private; return 1; }
    data=$(nm "$out/$1.o" | awk '$2 ~ /^[bBdDcCsSgG]$/')
    [ -z "$data" ] || { echo "not constant:" $data; return 1; }
}

check_symbols() { # NAME COMMAND...
    variant=$1
    shift
    for header in kpred kpred_constraints; do
        check "$variant-$header" symbols $header "$@"
    done
}

builds_for_32_bits() {
    object kpred $1 -m32 -DKPRED_SIMD=0 2>/dev/null
}

for cc in gcc clang; do
    if ! has $cc; then
        skipped "$cc-symbols" "no $cc"
        continue
    fi
    for level in 0 1 2 3 s; do
        check_symbols "$cc-O$level" $cc -O$level -DKPRED_SIMD=0
    done
    if echo | $cc -E -dM -xc - | grep -q __SSE2__; then
        check_symbols "$cc-O2-sse2" $cc -O2 -DKPRED_SIMD=1
    else
        skipped "$cc-O2-sse2" "no SSE2"
    fi
    if ! builds_for_32_bits $cc; then
        skipped "$cc-32-bits" "$cc cannot build for 32 bits here"
        continue
    fi
    for level in 0 2; do
        check_symbols "$cc-32-bits-O$level" $cc -m32 -O$level -DKPRED_SIMD=0
    done
done

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
    if has gcc && object kpred gcc -mgeneral-regs-only -DKPRED_SIMD=0 2>/dev/null; then
        check "no-float-registers-for-$header" \
            object $header gcc -O2 -mgeneral-regs-only -DKPRED_SIMD=0
    else
        skipped "no-float-registers-for-$header" "no gcc with -mgeneral-regs-only"
    fi
done

# ---- stack ----

# Bytes of the longest chain of calls from kpred_predict, frames and call graph as gcc reports them.
# A call by address may reach either scorer function; the rule's frames are its author's. Where the
# depths do not settle, something calls itself.
deepest() {
    awk -F'"' '
        /^node:/ { frame[$2] = match($4, /[0-9]+ bytes/) ? substr($4, RSTART) + 0 : 0 }
        /^edge:/ { from[n] = $2; to[n++] = $4 }
        END {
            for (f in frame)
                if (f ~ /kpri_additive_(start|logits)/) { from[n] = "__indirect_call"; to[n++] = f }
            for (f in frame) depth[f] = frame[f]
            for (round = grown = 1; grown && round < 99; round++)
                for (i = grown = 0; i < n; i++)
                    if (frame[from[i]] + depth[to[i]] > depth[from[i]]) {
                        depth[from[i]] = frame[from[i]] + depth[to[i]]
                        grown = 1
                    }
            print grown ? "recursion" : depth["kpred_predict"]
        }' "$1"
}

stack_is_small() {
    object kpred gcc -O2 -fcallgraph-info=su $1 || return 1
    bytes=$(deepest "$out/kpred.ci")
    echo "$bytes bytes, at most $MOST_STACK" | tee "$out/stack$1"
    [ "$bytes" -gt 100 ] && [ "$bytes" -le $MOST_STACK ]
}

if has gcc && object kpred gcc -O2 -fcallgraph-info=su 2>/dev/null; then
    check "stack-portable" stack_is_small -DKPRED_SIMD=0
    if echo | gcc -E -dM -xc - | grep -q __SSE2__; then
        check "stack-sse2" stack_is_small -DKPRED_SIMD=1
    else
        skipped "stack-sse2" "no SSE2"
    fi
else
    skipped "stack" "no gcc with -fcallgraph-info"
fi

# ---- code size ----

# Text with its constants, as `size` counts them.
code_is_small() {
    gcc -std=c99 -Os -DKPRED_SIMD=0 -I. -c "$out/kpred.c" -o "$out/size.o" || return 1
    bytes=$(size "$out/size.o" | awk 'NR == 2 { print $1 }')
    echo "$bytes bytes, at most $MOST_CODE" | tee "$out/size"
    [ "$bytes" -gt 1000 ] && [ "$bytes" -le $MOST_CODE ]
}

if has gcc && has size; then
    check "code-size" code_is_small
else
    skipped "code-size" "no gcc or no size"
fi
test_end
