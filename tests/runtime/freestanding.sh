#!/bin/sh
# freestanding.sh - what the headers need and give: no symbol, no float, little stack, little code
# SPDX-License-Identifier: MIT
. tests/harness/script.inc
. tests/harness/variants.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
MOST_STACK=1024 # bytes of kpred_predict, the rule's apart, gcc -O2
MOST_CODE=12288 # bytes of kpred.h, gcc -Os, portable body

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

# No symbol from elsewhere, compilers' helpers (as for wide divisions) included; none exported
# without the public prefix; nothing to write to.
symbols() {
    object "$@" || return 1
    undefined=$(nm -u "$tmp/$1.o")
    [ -z "$undefined" ] || { echo "undefined:" $undefined; return 1; }
    private=$(nm -g --defined-only "$tmp/$1.o" | awk '$3 !~ /^kpred_/')
    [ -z "$private" ] || { echo "exported:" $private; return 1; }
    data=$(nm "$tmp/$1.o" | awk '$2 ~ /^[bBdDcCsSgG]$/')
    [ -z "$data" ] || { echo "not constant:" $data; return 1; }
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
    object kpred gcc -std=c99 -O2 -fcallgraph-info=su $1 || return 1
    bytes=$(deepest "$tmp/kpred.ci")
    echo "$bytes bytes, at most $MOST_STACK"
    [ "$bytes" -gt 100 ] && [ "$bytes" -le $MOST_STACK ]
}

if ! unavailable gcc -fcallgraph-info=su >/dev/null; then
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
    gcc -std=c99 -Os -DKPRED_SIMD=0 -I. -c "$tmp/kpred.c" -o "$tmp/size.o" || return 1
    bytes=$(size "$tmp/size.o" | awk 'NR == 2 { print $1 }')
    echo "$bytes bytes, at most $MOST_CODE"
    [ "$bytes" -gt 1000 ] && [ "$bytes" -le $MOST_CODE ]
}

if has gcc && has size; then
    check "code-size" code_is_small
else
    skipped "code-size" "no gcc or no size"
fi
test_end
