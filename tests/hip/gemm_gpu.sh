#!/bin/sh
# gemm_gpu.sh - examples/gemm_gpu: its variants compile offline, and its programs run on the stand-in for HIP;
# hip.sh compiles its timer with HIP and CUDA
# SPDX-License-Identifier: MIT
#
# usage: [GEMM_CLANG=clang-16] gemm_gpu.sh
. tests/harness/script.inc

test_begin
need_trainer "gemm_gpu"
GEMM_CLANG=${GEMM_CLANG:-clang-16}
CXX=${CXX:-c++}
folder=examples/gemm_gpu
out=$tmp/out

# in_example ARGUMENT...: make there
in_example() {
    make -s -C "$root/$folder" BUILD="$BUILD" OUT="$out" CC="$CC" CLANG="$GEMM_CLANG" "$@"
}

# ---- variants ----

# What gemm.spec says of them, said again
expected_variants() {
    awk 'BEGIN {
        for (m = 16; m <= 128; m *= 2) for (n = 32; n <= 128; n *= 2) for (k = 8; k <= 16; k *= 2)
        for (i = 2; i <= 8; i *= 2) for (j = 4; j <= 8; j *= 2) for (v = 1; v <= 4; v *= 4) {
            threads = (m / i) * (n / j)
            if (threads < 64 || threads > 256) continue
            if ((m * k) % (threads * v) || (n * k) % (threads * v)) continue
            if (i * j + i + j + int((m + n) * k / threads) > 112) continue
            for (b = 1; b <= 2; b++) for (s = 0; s <= 1; s++)
                print m "_" n "_" k "_" i "_" j "_" v "_" b "_" s
        } }' | sort
}

listed() {
    in_example "$out/variants" && expected_variants | diff "$out/variants" - && [ "$(wc -l <"$out/variants")" -eq 524 ]
}
check "gemm.spec: 524 variants" listed

# Of each count of buffers, and with loads of one float and of four; a block of 64 needs no barrier on gfx90a
SAMPLE="64_64_16_8_4_4_2_0 32_32_8_2_4_1_1_0 128_128_8_8_8_4_1_1 128_128_16_8_8_4_2_1 32_64_16_4_4_1_2_1"

# compiled ARCHITECTURE VARIANT OPTION...: without a word
compiled() {
    file=$out/$1/gemm_$2.code arch=$1; shift 2
    said=$(in_example ARCH=$arch "$file" "$@" 2>&1) && [ -s "$file" ] && [ ! "$said" ] && return
    echo "$said"
    return 1
}

# shaped VARIANT BARRIER LOAD: the kernel in $tmp/all has a barrier before the loop, and in it one or, with a single
# buffer, two; and loads of four floats just where that is asked for
shaped() {
    awk '/<gemm>:|entry gemm/ { on = 1 } /<add_slices>:|entry add_slices/ { on = 0 } on' "$tmp/all" >"$tmp/s"
    wide=$(grep -cE "$3" "$tmp/s")
    [ "$(grep -cE "$2" "$tmp/s")" -eq $((4 - $(echo $1 | cut -d_ -f7))) ] &&
        [ $((wide > 0)) -eq $(($(echo $1 | cut -d_ -f6) == 4)) ]
}

amd() {
    compiled gfx90a $1 && llvm-objdump-16 -d "$out/gfx90a/gemm_$1.code" >"$tmp/all" &&
        shaped $1 s_barrier global_load_dwordx4 && ! grep -q scratch_ "$tmp/s"
}

nvidia() {
    compiled sm_75 $1 PTXAS= && cp "$out/sm_75/gemm_$1.code" "$tmp/all" && shaped $1 'bar[.]sync' 'ld[.]global[.]v4'
}

machine_code() {
    ptxas -v -arch=sm_75 "$out/sm_75/gemm_$1.code" -o "$tmp/cubin" 2>"$tmp/err" &&
        ! grep -E ' [1-9][0-9]* bytes spill' "$tmp/err"
}

for variant in $SAMPLE; do
    if has "$GEMM_CLANG"; then
        check_with llvm-objdump-16 "$variant for gfx90a" amd $variant
        check "$variant for sm_75" nvidia $variant
        check_with ptxas "$variant: what ptxas says" machine_code $variant
    else
        skipped "$variant for gfx90a and sm_75" "there is no $GEMM_CLANG"
    fi
done
check_with nvcc "nvcc in place of clang" compiled sm_80 32_64_16_4_4_1_2_1 CLANG=none
check_with hipcc "hipcc in place of clang" compiled gfx906 32_64_16_4_4_1_2_1 CLANG=none

# With more than one thread PoCL has two speeds.
one_thread() {
    in_example ARCH=opencl --eval 'say: ; @echo $$POCL_MAX_PTHREAD_COUNT' say | grep -qx 1 &&
        POCL_MAX_PTHREAD_COUNT=3 in_example ARCH=opencl --eval 'say: ; @echo $$POCL_MAX_PTHREAD_COUNT' say | grep -qx 3
}
check "PoCL has one thread" one_thread

# ---- the programs ----

# standin SOURCE PROGRAM [OPTION...]
standin() {
    source=$1 program=$2; shift 2
    $CC -std=c99 $C_WARNINGS -O1 -I. -Itests "-DPROGRAM=\"$folder/$source\"" "$@" tests/hip/gemm_gpu.c \
        -rdynamic -ldl -lm -o "$program"
}

check "timer compiles" standin timer.c "$tmp/timer"

# ---- answers ----

# host SOURCE [FILE...]: compiles variants for the CPU, by the Makefile
host() {
    source=$1; shift
    in_example ARCH=host "$@" COMPILE="$CXX -x c++ -std=c++14 -O1 -w -shared -fPIC \
        -DGEMM_PLACES='\"$root/tests/hip/gemm_places.h\"' \$(DEFINES) $source -o \$@.new"
}

code=$out/host
SERVED="64_64_16_8_4_4_2_0 64_64_16_4_4_1_2_0 16_32_8_2_4_1_1_1"
of_host() {
    for variant in $SERVED; do
        host gemm.hip "$code/gemm_$variant.code" || return 1
    done
}
has $CXX || end_without "all that runs" "there is no $CXX"
check "variants for the CPU" of_host

# tuple m n k split group VARIANT: the words of a request
tuple() {
    echo "$*" | tr _ ' ' | while read -r m n k split group tm tn tk am an v b s; do
        echo "m=$m n=$n k=$k tile_m=$tm tile_n=$tn tile_k=$tk thread_m=$am thread_n=$an vec=$v buffers=$b" \
            "spread=$s split=$split group=$group"
    done
}
good=$(tuple 100 72 260 2 4 64_64_16_8_4_4_2_0)

# answers SCRIPT WANTED TUPLE...: the status, and `us` or `failed` of each line; the stand-in has nothing left
answers() {
    script=$1 wanted=$2; shift 2
    printf '%s\n' "$@" | SCRIPT=$script "$tmp/timer" "$code" >"$tmp/out.txt" 2>"$tmp/err"
    got="$? $(sed 's/^answer: [0-9]*[.][0-9]*$/us/; s/^answer: f/f/' "$tmp/out.txt" | tr '\n' ' ')"
    [ "$got" = "$wanted " ] && grep -qx '0 left, 0 misused' "$tmp/err" && return
    echo "$got"
    cat "$tmp/err"
    return 1
}

# Sizes of one, edges of every kind, and more slices than tiles
check "right results" answers '' "0 us us us us us" "$good" "$(tuple 1 1 1 8 16 16_32_8_2_4_1_1_1)" \
    "$(tuple 131 67 129 1 4 64_64_16_4_4_1_2_0)" "$(tuple 33 65 1030 8 1 16_32_8_2_4_1_1_1)" "$good"

# 4 blocks of 128 threads, and for the sum of the slices 29 of 256
time_is() {
    answers '' "0 us" "$good" && [ "$(cat "$tmp/out.txt")" = "answer: $((5000 + 800 + 128 + 5000 + 2900 + 256)).000" ]
}
check "the time" time_is

check "no tuple" answers '' "0 failed failed failed failed failed us" "" "nonsense" "$good other=1" "m=4 n=4" \
    "$(echo "$good" | sed 's/m=100/m=100x/')" "$good"
check "a variant that is not there" answers '' "0 failed us" "$(tuple 8 8 8 1 1 16_16_8_2_4_1_1_1)" "$good"
check "a load beyond the edge" answers '' "0 failed: n % vec us" "$(tuple 8 6 8 1 1 64_64_16_8_4_4_2_0)" "$good"
check "a wrong result" answers wrong "0 failed failed" "$good" "$good"
check "a launch that fails" answers failed "0 failed us" "$good" "$good"
check "no memory" answers memory "0 failed us" "$good" "$good"
check "a lost context" answers lost "1" "$good" "$good"

no_device() {
    echo "$good" | SCRIPT=device "$tmp/timer" "$code" >"$tmp/out.txt" 2>"$tmp/err"
    [ $? -eq 77 ] && [ ! -s "$tmp/out.txt" ] && grep -q 'there is no device here' "$tmp/err"
}
check "no device" no_device

one() {
    # shellcheck disable=SC2086
    "$tmp/timer" "$code" $good >"$tmp/out.txt" 2>"$tmp/err" && grep -qxE '[0-9]+[.][0-9]{3}' "$tmp/out.txt" &&
        ! "$tmp/timer" "$code" nonsense 2>"$tmp/err" && grep -q 'nonsense is not a word' "$tmp/err"
}
check "one tuple as arguments" one

# ---- kernels that are broken ----

# broken EDIT VARIANT: its result is seen to be wrong
broken() {
    sed "$1" $folder/gemm.hip >"$tmp/broken.hip" && ! cmp -s "$tmp/broken.hip" $folder/gemm.hip || return 1
    rm -rf "$tmp/broken"
    (code=$tmp/broken && host "$tmp/broken.hip -I$root/$folder" CODE="$code" "$code/gemm_$2.code" &&
        answers '' "0 failed" "$(tuple 100 72 260 2 4 $2)") && grep -q 'the result is wrong' "$tmp/err"
}
check "no barrier before the loop" broken '/put(kept\[0\]/,/PLACE_BARRIER/s/PLACE_BARRIER//' 16_32_8_2_4_1_1_1
check "no barrier after the product" broken '/BUFFERS == 1/{n;s/PLACE_BARRIER//;}' 16_32_8_2_4_1_1_1
check "no barrier at the loop's end" broken '/put(kept\[now\]/,/PLACE_BARRIER/s/PLACE_BARRIER//' 64_64_16_8_4_4_2_0
check "the last tile forgotten" broken 's/(k + TILE_K - 1)/k/' 16_32_8_2_4_1_1_1
check "a slice too long" broken 's/(slice + 1) . slices/(slice + 2) \/ slices/' 64_64_16_8_4_4_2_0
check "a row forgotten" broken 's/first + block % in_group % rows/first/' 64_64_16_8_4_4_2_0

# ---- gemm.cl ----

# cl EDIT VARIANT WANTED: its answer, edited
cl() {
    sed "$1" $folder/gemm.cl >"$tmp/edited.cl" && rm -rf "$tmp/cl" && ! { [ "$1" ] && cmp -s "$tmp/edited.cl" $folder/gemm.cl; } &&
        (code=$tmp/cl && in_example ARCH=host CODE="$code" "$code/gemm_$2.code" COMPILE="$GEMM_CLANG -x c -std=gnu99 -O1 -w \
            -shared -fPIC -include '$root/tests/hip/gemm_places.h' \$(DEFINES) $tmp/edited.cl -o \$@.new" &&
            answers '' "0 $3" "$(tuple 100 72 260 2 4 $2)")
}
if has "$GEMM_CLANG"; then
    for variant in $SERVED; do check "gemm.cl: $variant" cl '' $variant us; done
    check "gemm.cl: no barrier before the loop" cl 's/^    BARRIER;//' 16_32_8_2_4_1_1_1 failed
    check "gemm.cl: no barrier after the product" cl '/BUFFERS == 1/{n;s/BARRIER//;}' 16_32_8_2_4_1_1_1 failed
    check "gemm.cl: no barrier at the loop's end" cl 's/^        BARRIER;//' 64_64_16_8_4_4_2_0 failed
    check "gemm.cl: a slice too long" cl 's/(slice + 1) . slices/(slice + 2) \/ slices/' 64_64_16_8_4_4_2_0 failed
else
    skipped "gemm.cl" "there is no $GEMM_CLANG"
fi

# ---- tune and train ----

# Four variants and the default tuple's
small_spec() {
    sed -e 's/^tile_m = .*/tile_m = 16 32/' -e 's/^tile_n = .*/tile_n = 32/' -e 's/^tile_k = .*/tile_k = 8/' \
        -e 's/^thread_m = .*/thread_m = 2 4/' -e 's/^thread_n = .*/thread_n = 4/' -e 's/^vec = .*/vec = 1/' \
        -e 's/^spread = .*/spread = 1/' $folder/gemm.spec >"$tmp/small.spec"
}
printf 'm,n,k\n40,40,40\n64,20,300\n90,90,8\n' >"$tmp/few.csv"

# chain TARGET...: make with these
chain() {
    out=$tmp/chain host gemm.hip SPEC="$tmp/small.spec" PROBLEMS="$tmp/few.csv" "$@"
}

tunes() {
    small_spec && mkdir -p "$tmp/chain" && cp "$tmp/timer" "$tmp/chain/timer" && chain tune BUDGET=4 2>"$tmp/err" &&
        [ "$(grep -c ',[0-9.]*$' "$tmp/chain/times.csv")" -eq 12 ] && [ "$(wc -l <"$tmp/chain/variants")" -eq 6 ] &&
        sed -n '/^[^#]/q; s/:.*//p' "$tmp/chain/times.csv" | head -n 9 | tr '\n' ' ' |
        grep -q '^# kpred-train tune # device # driver # library # gpu # highest clocks # a block # date $' && grep -qx '# gpu: stand_in' "$tmp/chain/times.csv"
}
check "make tune: the table" tunes

goes_on() {
    chain tune BUDGET=6 2>"$tmp/err" && [ "$(grep -v '^#' "$tmp/chain/times.csv" | sort -u | wc -l)" -eq 19 ]
}
check "make tune goes on" goes_on

sitting() {
    chain -n sitting MINUTES=3 >"$tmp/out.txt" 2>"$tmp/err" && grep -q -e '--budget 3m' "$tmp/out.txt"
}
check "make sitting" sitting

tune_without() {
    (export SCRIPT=device; ! chain tune 2>"$tmp/err") && grep -q 'there is no device here' "$tmp/err" && grep -q 'Error 77' "$tmp/err"
}
check "make tune without a device" tune_without

learns() {
    chain train OPTIONS='--epochs 2' 2>"$tmp/err" && "$BUILD/kpred" predict "$tmp/chain/gemm_model.h" m=50 n=30 k=20 >"$tmp/out.txt"
}
check "make train" learns
test_end
