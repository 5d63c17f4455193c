#!/bin/sh
# simd.sh - each body of kpred.h gives the trainer's integers; which ones there are by default, and which one is taken
# SPDX-License-Identifier: MIT
#
# With the shipped models: tests/matrix
. tests/harness/script.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# What KPRED_SIMD is where the user says nothing
default_of() {
    printf '#define KPRED_IMPLEMENTATION\n#include "kpred.h"\n' >"$tmp/default.c"
    # shellcheck disable=SC2086
    $CC -std=c99 -I. $CFLAGS "$@" -dM -E "$tmp/default.c" | sed -n 's/^#define KPRED_SIMD //p'
}

defaults() {
    all=1
    [ "$(uname -m)" != x86_64 ] || all=KPRED_SIMD_X86
    [ "$(default_of)" = $all ] && [ "$(default_of -ffreestanding)" = 0 ] && [ "$(default_of -U__x86_64__)" = 1 ] &&
        [ "$(default_of -U__SSE2__)" = 0 ] && [ "$(default_of -DKPRED_SIMD=0)" = 0 ]
}

# Each body against the trainer's integers, on random networks
same_as_trainer() {
    test_program test_integer "$tmp/integer" "-DKPRED_SIMD=$1" && "$tmp/integer"
}

# with_feature FEATURE COMMAND...
with_feature() {
    feature=$1; shift
    if grep -qw "$feature" /proc/cpuinfo; then
        check "random networks, $feature" "$@"
    else
        skipped "random networks, $feature" "the machine has no $feature"
    fi
}

# A forced body is a status there, not a signal, and the usual build takes SSE2.
lacks_avx2() {
    cat >"$tmp/body.c" <<'END'
#define KPRED_IMPLEMENTATION
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
    # shellcheck disable=SC2086
    $CC -std=c99 -O1 -I. -DKPRED_SIMD=2 "$tmp/body.c" -o "$tmp/forced" && $CC -std=c99 -O1 -I. "$tmp/body.c" -o "$tmp/usual" &&
        [ "$(qemu-x86_64 -cpu core2duo "$tmp/forced")" = "-17 unknown 2" ] &&
        [ "$(qemu-x86_64 -cpu core2duo "$tmp/usual")" = "0 sse2 -17" ]
}

# shellcheck disable=SC2086
if ! echo | $CC $CFLAGS -E -dM -xc - 2>/dev/null | grep -q __SSE2__; then
    skipped "SSE2" "$CC does not announce it"
    test_end
    exit
fi
check "default of KPRED_SIMD" defaults
check "random networks, portable" same_as_trainer 0
check "random networks, SSE2" same_as_trainer 1
with_feature avx2 same_as_trainer 2
with_feature avx_vnni same_as_trainer 3
with_feature avx512_vnni same_as_trainer 4
if has qemu-x86_64; then
    check "a machine without AVX2" lacks_avx2
else
    skipped "a machine without AVX2" "there is no qemu-x86_64"
fi
test_end
