#!/bin/sh
# gemm_dispatch.sh - examples/gemm_dispatch.c: it decides as kpred predicts, and falls back where it should
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_weights "gemm_dispatch"
NEAT="-std=c99 -pedantic-errors -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wswitch-enum -Werror"
bs=gemm_a8w8_blockscale bsp=gemm_a8w8_blockscale_bpreshuffle a4w4=gemm_a4w4_blockscale

# AITER's default kernels, which it has in the place of a row
default_bs=a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_intrawave_v1
default_bsp=a8w8_blockscale_bpreshuffle_1x128x128_256x64x64x128_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1

dispatch() { "$tmp/gemm_dispatch" "$@" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && [ "$(wc -l <"$tmp/out")" -eq 3 ]; }

# says MODEL PATTERN GPU M N K: its line is that, whole
says() {
    model=$1 pattern=$2
    shift 2
    dispatch "$@" && grep -qxE "$model: $pattern" "$tmp/out" && return
    cat "$tmp/out" "$tmp/err"
    return 1
}

# as_predicted MODEL GPU M N K: kernel and split are those that kpred predicts, beam 1
as_predicted() {
    model=$1
    shift
    "$kpred" predict $model gpu=$1 m=$2 n=$3 k=$4 -k 1 --beam 1 --json >"$tmp/json" 2>"$tmp/err" || return 1
    field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\)[\",}].*/\1/p" "$tmp/json"; }
    [ "$(field kernel)" ] && says $model \
        "predicted; libtype $(field library), kernelId [0-9]+, splitK $(field splitK), kernelName $(field kernel)" "$@"
}

for cc in gcc clang; do
    if has $cc; then
        # shellcheck disable=SC2086
        check "$cc" $cc $NEAT -I. examples/gemm_dispatch.c -o "$tmp/gemm_dispatch"
        # shellcheck disable=SC2086
        check "$cc asks for the case of a new status" asks_for_case gemm_dispatch.c $cc $NEAT -fsyntax-only
    else
        skipped "$cc" "it is not installed"
    fi
done
[ -x "$tmp/gemm_dispatch" ] || end_without "gemm_dispatch" "there is no compiler"

for shape in "1 2112 7168" "16 7168 2048" "300 4608 7168" "8192 512 7168" "32768 9216 4096"; do
    for of in "$bs gfx942_304" "$bs gfx950_256" "$bsp gfx950_256" "$bsp gfx942_80" "$bsp gfx1250_256" "$a4w4 gfx950_256"; do
        # shellcheck disable=SC2086
        check "$of $shape" as_predicted $of $shape
    done
done

# AITER's tables split k for each of these: splitK is not always 0.
n_split=0
for shape in "1 128 7168" "1 7168 4096" "1 9216 7168" "4 128 7168" "4 7168 4096"; do
    # shellcheck disable=SC2086
    check "$bs gfx950_256 $shape" as_predicted $bs gfx950_256 $shape
    ! grep -q '"splitK": [1-9]' "$tmp/json" || n_split=$((n_split + 1))
done
[ $n_split -gt 0 ] || skipped "a k that is split" "this model splits none of those"

# What takes the place of a prediction: MODEL|WHY|LIBTYPE|NAME|GPU M N K
while IFS='|' read -r model why library kernel problem; do
    # shellcheck disable=SC2086
    check "$model on $problem" says $model "$why; libtype $library, kernelId 0, splitK 0, kernelName $kernel" $problem
done <<END
$bs|nothing was tuned on this GPU|ck|$default_bs|gfx942_80 16 7168 2048
$bsp|nothing was tuned on this GPU|ck|$default_bsp|gfx942_304 16 7168 2048
$a4w4|nothing was tuned on this GPU|asm|[(]AITER's choice[)]|gfx950_32 16 7168 2048
$bsp|nothing was tuned on this GPU|triton|triton|gfx1250_96 16 7168 2048
$bs|no kernel of the model's takes this problem|ck|$default_bs|gfx950_256 16 128 64
$bs|outside the model's range|ck|$default_bs|gfx950_256 16777217 128 128
END
for model in $bs $bsp $a4w4; do
    check "$model on MI200" says $model "no kernel known on this architecture" gfx90a_104 16 7168 2048
done
check "without arguments" says $bs "predicted; .*"
is_kernel() { grep -q " = $2 gfx942:" "weights/$1.spec"; }
check "the default of $bs is one of its kernels" is_kernel $bs $default_bs
check "the default of $bsp is one of its kernels" is_kernel $bsp $default_bsp

for bad in "gfx950" "MI300X" "gfx950_0" "gfx950_x" "gfx950_256x" "gfx950_256 16" "gfx950_256 16 16" "gfx950_256 0 16 16" \
    "gfx950_256 16 -1 16" "gfx950_256 16 16 1x" "gfx950_256 2147483648 16 16" "gfx950_256 1 1 1 1" \
    "gfx9500000000000000_256"; do
    # shellcheck disable=SC2086
    refuse "arguments $bad" 2 "usage: gemm_dispatch" "$tmp/gemm_dispatch" $bad
done
test_end
