#!/bin/sh
# freestanding.sh - what the headers need and give: no symbol, float or loop, little stack and code; which body is taken
# SPDX-License-Identifier: MIT
#
# usage: freestanding.sh [network|sizes]: with `network`, random networks give the same bytes from each compiler and
# option, by every body; with `sizes`, docs/embedding.md has the size of each model, and all have a bound. What predicts
# with all shipped models is in tests/matrix.
. tests/harness/script.inc
. tests/harness/stack.inc

test_begin
MOST_STACK=1024 # bytes of kpred_predict, the rule's apart, gcc -O2
MOST_CODE=12288 # bytes of kpred.h, gcc -Os, portable body
MOST_ALL=24576 # the same with all bodies of x86-64
ALL_MODELS=17100 # what all shipped models add, functions alone; gcc 12 -Os for x86-64, portable body
ALL_RULES=10720 # and all rules, as one who includes kpred_constraints.h by itself gets them

# ---- variants ----

# The letters say what a variant is for: n random networks, o what is in the object. Those of gcc are clang's, too.
# Without the registers that hold it, no floating point compiles.
variants() {
    cat <<'END'
o   gcc -std=c99 -O0 -DKPRED_SIMD=0
no  gcc -std=c99 -O2 -DKPRED_SIMD=100
n   gcc -std=c99 -O0 -DKPRED_SIMD=100
n   gcc -std=c17 -O2 -DKPRED_SIMD=0
n   gcc -std=c2x -O2 -DKPRED_SIMD=1
o   gcc -std=c99 -m32 -msse2 -O3 -ffast-math -funsigned-char -DKPRED_SIMD=0
n   gcc -std=c99 -O3 -march=native -ffast-math -funsigned-char -DKPRED_SIMD=1
o   gcc -std=c99 -Os -mgeneral-regs-only -DKPRED_SIMD=0
n   gcc -std=c99 -m32 -O2 -funsigned-char -DKPRED_SIMD=0
n   gcc -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=all -DKPRED_SIMD=100
END
}

# unavailable COMMAND...: why the variant cannot be built and run here; fails if it can
unavailable() {
    echo 'int main(void) { return 0; }' >"$tmp/probe.c"
    if ! has "$1"; then
        echo "it is not installed"
    elif ! "$@" "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null || ! $(runner "$@") "$tmp/probe"; then
        echo "it cannot build that here"
    else
        case $* in *KPRED_SIMD=1*) ! is_x86_64 && echo "it is for x86-64" ;; *) false ;; esac
    fi
}

is_x86_64() {
    [ "$(uname -m)" = x86_64 ]
}

# each_variant LETTER FUNCTION: a check of FUNCTION COMMAND... for every variant with the letter, or a skip
each_variant() {
    { variants; variants | sed 's/ gcc / clang /'; } | grep "^[a-z]*$1" >"$tmp/variants"
    while read -r _ command; do
        if why=$(unavailable $command); then skipped "$command" "$why"; else check "$command" $2 $command; fi
    done <"$tmp/variants"
}

# ---- random networks ----

# Builds, runs, and compares the hash of all results with the first one
same_signature() {
    "$@" -D_POSIX_C_SOURCE=200809L -I. -Itests tests/runtime/test_network.c -o "$tmp/network" -lm || return 1
    $(runner "$@") "$tmp/network" >"$tmp/all" || { grep FAIL "$tmp/all"; return 1; }
    sed -n 's/^body .* signature //p' "$tmp/all" | sort -u >"$tmp/signature"
    sed -n 's/^body \(.*\) signature .*/\1/p' "$tmp/all" >>"$tmp/bodies"
    [ -e "$tmp/first" ] || cp "$tmp/signature" "$tmp/first"
    [ -s "$tmp/first" ] && diff "$tmp/first" "$tmp/signature"
}

if [ "${1-}" = network ]; then
    each_variant n same_signature
    for body in portable sse2 avx2 avx_vnni avx512_vnni; do
        grep -qx $body "$tmp/bodies" || skipped "$body" "the machine or its compilers lack it"
    done
    test_end
    exit
fi

# ---- objects ----

printf '#define KPRED_IMPLEMENTATION\n#include "kpred.h"\n' >"$tmp/kpred.c"
printf '#define KPRED_IMPLEMENTATION\n#include "kpred_constraints.h"\n' >"$tmp/both.c" # it includes kpred.h

# ---- sizes ----

# bytes FILE.c [OPTION]: $code and $constants, the bytes of functions and of constants in its object
bytes() {
    gcc -std=c99 -Os -fno-asynchronous-unwind-tables -I. ${2--DKPRED_SIMD=0} -c "$1" -o "$tmp/sizes.o" || return 1
    code=$(nm -t d -S "$tmp/sizes.o" | awk '$3 ~ /^[tT]$/ { sum += $2 } END { print sum + 0 }')
    constants=$(size "$tmp/sizes.o" | awk -v code="$code" 'NR == 2 { print $1 + $2 + $3 - code }')
}

# added HEADER...: what these headers add to the runtime, which is left out unless they call what it defines for them
added() {
    apart='-DKPRI_IMPLEMENTED -DKPRI_ALIGNED=__attribute__((aligned(64)))'
    ! grep -qE 'kpri_(listed|named)\(' "$@" || apart=-DKPRED_SIMD=0
    { echo "#define KPRED_IMPLEMENTATION"; printf '#include "%s"\n' "$@"; } >"$tmp/sizes.c"
    bytes "$tmp/sizes.c" "$apart" || return 1
    [ "$apart" != -DKPRED_SIMD=0 ] || { code=$((code - runtime)) constants=$((constants - runtime_constants)); }
}

# at_most BYTES COMMAND...: which leaves $code
at_most() {
    most=$1; shift
    "$@" && echo "$code bytes, at most $most" && [ "$code" -gt 1000 ] && [ "$code" -le "$most" ]
}

# What docs/embedding.md says of the runtime and of the smallest and the largest model
documented() {
    for header in weights/*.h; do added "$header" && echo "$code $constants"; done >"$tmp/rows"
    LC_ALL=C awk -v code="$runtime" -v constants="$runtime_constants" '
        NR == 1 { low = high = $1; few = many = $2 }
        { low = $1 < low ? $1 : low; high = $1 > high ? $1 : high
          few = $2 < few ? $2 : few; many = $2 > many ? $2 : many }
        END { printf "%.1f KB of code and %.1f KB of constants.*%.1f to %.1f KB of code.*%.0f to %.0f KB",
                  code / 1000, constants / 1000, low / 1000, high / 1000, few / 1000, many / 1000 }' "$tmp/rows" >"$tmp/said"
    cat "$tmp/said"
    tr '\n' ' ' <docs/embedding.md | grep -qf "$tmp/said"
}

# Others write other code, and the bounds are narrow.
is_gcc_12() {
    has nm && has size && [ "$(gcc -dumpversion | cut -d. -f1)-$(gcc -dumpmachine | cut -d- -f1)" = 12-x86_64 ]
}

# The runtime's, which the others are compared with
of_runtime() {
    bytes "$tmp/kpred.c" && runtime=$code runtime_constants=$constants
}

if [ "${1-}" = sizes ]; then
    if is_gcc_12 && has_weights; then
        of_runtime
        check "sizes in embedding.md" documented
        check "code-of-all-models" at_most $ALL_MODELS added weights/*.h
    else
        skipped "sizes in embedding.md" "they are those of gcc 12 for x86-64, and of the weights"
    fi
    test_end
    exit
fi

# Instructions that convert, compute or compare floating point; fmov, of Arm, moves bits.
FLOATS='v?(u?comis|cvt|(add|sub|mul|div|sqrt|rsqrt|rcp|min|max|cmp|round|dp|hadd|hsub)[a-z0-9]*[ps][sd]$)|[su]cvtf|v?f(m[^o]|[^m])'

# No symbol from elsewhere, compilers' helpers (as for wide divisions) included; none exported
# without the public prefix; nothing to write to; no floating point.
pure() {
    nm "$1" >"$tmp/symbols" || return 1
    undefined=$(awk 'NF == 2 { print $2 }' "$tmp/symbols")
    [ -z "$undefined" ] || { echo "undefined:" $undefined; return 1; }
    private=$(awk 'NF == 3 && $2 ~ /^[A-Ziuvw]$/ && $3 !~ /^kpred_/' "$tmp/symbols")
    [ -z "$private" ] || { echo "exported:" $private; return 1; }
    data=$(awk '$2 ~ /^[bBdDcCsSgG]$/' "$tmp/symbols")
    [ -z "$data" ] || { echo "not constant:" $data; return 1; }
    floats=$(objdump -d --no-show-raw-insn "$1" | awk -F'\t' '{ sub(/ .*/, "", $2); print $2 }' | grep -E "^($FLOATS)")
    [ -z "$floats" ] || { echo "floating point:" $floats; return 1; }
}

# object NAME SOURCE COMMAND...: position-dependent, so that a table of addresses is as constant in the object as it is
# in the source
object() {
    name=$1 source=$2; shift 2
    "$@" -ffreestanding -fno-pic -I. -c "$tmp/$source.c" -o "$tmp/$name.o"
}

# symbols COMMAND...: of all that the headers define; kept as $tmp/COMPILER-LEVEL.o, with what gcc knows of calls
symbols() {
    case $1 in gcc) set -- "$@" -fcallgraph-info=su ;; esac
    object $1$3 both "$@" && pure "$tmp/$1$3.o"
}

graphs=yes
! unavailable gcc -fcallgraph-info=su >/dev/null || graphs=
each_variant o symbols

# ---- the text ----

without_comments() {
    gcc -fpreprocessed -dD -E -P -w "$1" 2>/dev/null || cc -fpreprocessed -E -P -w "$1"
}

# has_none PATTERN HEADER
has_none() {
    words=$(without_comments "$2" | grep -nwE "$1")
    [ -z "$words" ] || { echo "$words"; return 1; }
}

for header in kpred.h kpred_constraints.h; do
    check "no-float-in-$header" has_none 'float|double|_Float[0-9]+|[0-9]+\.[0-9]*[fF]?' $header
done
check "no-loop-in-kpred_constraints" has_none 'for|while|do|goto' kpred_constraints.h # its helpers and rules

# ---- stack, and no recursion ----

stack_is_small() {
    bytes=$(deepest "$1" kpred_predict)
    echo "$bytes bytes, at most $MOST_STACK"
    [ "$bytes" -gt 100 ] && [ "$bytes" -le $MOST_STACK ]
}

# Of kpred.h, which needs nothing of the other header
stack_of() {
    object alone kpred gcc -std=c99 -O2 -fcallgraph-info=su "$1" && pure "$tmp/alone.o" &&
        stack_is_small "$tmp/alone.ci"
}

# What the compiler has not made a loop of: -O0
no_recursion() {
    bytes=$(deepest "$tmp/gcc-O0.ci" kpred_rule_conv_mlir_igemm_wrw)
    echo "$bytes bytes from a rule that asks another"
    [ "$bytes" != recursion ] && [ "$bytes" -gt 100 ]
}

if [ "$graphs" ]; then
    check "no-recursion-in-kpred_constraints" no_recursion
    check "stack-portable" stack_of -DKPRED_SIMD=0
    if is_x86_64; then
        check "stack-sse2" stack_of -DKPRED_SIMD=1
        check "stack, all bodies" stack_is_small "$tmp/gcc-O2.ci"
    else
        skipped "stack of other bodies" "this is no x86-64"
    fi
else
    skipped "stack" "no gcc with -fcallgraph-info"
fi

# ---- code size ----

# With its constants, of the portable body or of all
portable_runtime() {
    code=$((runtime + runtime_constants))
}
default_runtime() {
    bytes "$tmp/kpred.c" -std=c99 && code=$((code + constants))
}

runtime=0 runtime_constants=0
if has gcc && has nm && has size; then
    of_runtime
    check "code-size" at_most $MOST_CODE portable_runtime
    check "code-size, by default" at_most $MOST_ALL default_runtime
else
    skipped "code-size" "there is no gcc, or no nm and size"
fi
if is_gcc_12; then
    check "code-of-all-rules" at_most $ALL_RULES added kpred_constraints.h
else
    skipped "code of all rules" "the bound is that of gcc 12 for x86-64"
fi

# ---- which body is taken ----

# What KPRED_SIMD is where the user says nothing
default_of() {
    $CC -std=c99 -I. $CFLAGS "$@" -dM -E "$tmp/kpred.c" | sed -n 's/^#define KPRED_SIMD //p'
}

defaults() {
    all=1
    ! is_x86_64 || all=KPRED_SIMD_X86
    [ "$(default_of)" = $all ] && [ "$(default_of -ffreestanding)" = 0 ] && [ "$(default_of -U__x86_64__)" = 1 ] &&
        [ "$(default_of -U__SSE2__)" = 0 ] && [ "$(default_of -DKPRED_SIMD=0)" = 0 ]
}

# A forced body is a status there, not a signal, and the usual build, which make has compiled, takes SSE2.
lacks_avx2() {
    cat >"$tmp/body.c" <<'END'
#if KPRED_SIMD == 2
#define KPRED_IMPLEMENTATION
#endif
#include "weights/conv_asm_1x1u.h"
#include <stdio.h>
int main(void)
{
    static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(1)];
    kpred_ctx ctx;
    const kpred_status status = kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, 1, arena,
                                           sizeof arena / sizeof *arena);
    printf("%d %s %d\n", (int)status, kpred_body_name((kpred_body)ctx.body),
           status ? (int)ctx.detail.value : (int)kpred_set_body(&ctx, KPRED_BODY_AVX2));
    return 0;
}
END
    $CC -std=c99 -O0 -I. -DKPRED_SIMD=2 "$tmp/body.c" -o "$tmp/forced" &&
        $CC -std=c99 -O0 -I. "$tmp/body.c" "$archive" -o "$tmp/usual" &&
        [ "$(qemu-x86_64 -cpu core2duo "$tmp/forced")" = "-17 unknown 2" ] &&
        [ "$(qemu-x86_64 -cpu core2duo "$tmp/usual")" = "0 sse2 -17" ]
}

if echo | $CC $CFLAGS -E -dM -xc - 2>/dev/null | grep -q __SSE2__; then
    check "default of KPRED_SIMD" defaults
    check_with qemu-x86_64 "a machine without AVX2" lacks_avx2
else
    skipped "SSE2" "$CC does not announce it"
fi
test_end
