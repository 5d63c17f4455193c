#!/bin/sh
# opencl.sh - kpred_hip.h, its examples and tune on an OpenCL device: what fails on it, is cut short, or is remembered
# SPDX-License-Identifier: MIT
#
# Of a processor that is PoCL; KPRED_NEEDS=opencl makes a failure of its absence. What PoCL cannot fail on demand:
# tests/hip/opencl.c says where that is tested.
#
# shellcheck disable=SC2089,SC2090 # the compiler is to see the quotes
. tests/harness/script.inc

test_begin
export POCL_CACHE_DIR="$tmp/pocl"
flags='-std=c99 -I. -Iexamples -DKPRED_HIP_API_HEADER="opencl_as_hip.h"'
code=$tmp/opencl/opencl

# compiled SOURCE PROGRAM [FLAG...]
compiled() {
    source=$1 program=$2; shift 2
    $CC $C_WARNINGS -O0 $flags "$@" "$source" -o "$program" -lOpenCL
}

# ---- kpred_hip.h ----

races() {
    compiled tests/hip/opencl.c "$tmp/races" && "$tmp/races" >"$tmp/said" && return
    cat "$tmp/said"
    return 1
}

# timer: that of examples/gemm_gpu, which make built for tune
timer() {
    "$tmp/opencl/timer" --about >"$tmp/out" && grep -q '^# device: .*multiprocessors' "$tmp/out" &&
        grep -qE '^# driver: API [1-9][0-9]{5,}, runtime [1-9][0-9]{3}$' "$tmp/out"
}

# ---- examples/hip_select.c and its cache ----

# selects RACES CACHED: of its three requests
selects() {
    "$tmp/hip_select" examples/hip_select_kernel.hip "$tmp/cache" >"$tmp/out" &&
        [ "$(grep -c '^winner: ' "$tmp/out") $(grep -c '^cached: ' "$tmp/out")" = "$1 $2" ]
}

# A second run launches what the first one found; of another driver, device or version nothing is used. PoCL compiles at
# the first launch: with a small budget the winner may beat nobody, and is not kept.
remembers() {
    compiled examples/hip_select.c "$tmp/hip_select" -DKPRED_SIMD=0 -DBUDGET_US=2e6 && selects 2 1 &&
        cp "$tmp/cache" "$tmp/first" && selects 0 3 && cmp "$tmp/cache" "$tmp/first" &&
        [ "$(sed -n 's/^cached: //p' "$tmp/out" | head -n 2)" = "$(sed 1d "$tmp/first" | cut -d' ' -f10- | tr ' ' ,)" ]
}

# not_used EDIT: of the cache's first line
not_used() {
    sed "1$1" "$tmp/first" >"$tmp/cache" && ! cmp -s "$tmp/first" "$tmp/cache" && selects 2 1 &&
        grep -q '^not used, .*cache' "$tmp/out" && [ "$(sed -n 1p "$tmp/cache")" = "$(sed -n 1p "$tmp/first")" ]
}

# A table of times that may not grow: a message, and no success.
no_room() {
    set -- "$tmp/hip_select" examples/hip_select_kernel.hip - "$tmp/grown.csv"
    "$@" >"$tmp/out" && seq -f '# %030.f' 200000 >>"$tmp/grown.csv" && cp "$tmp/grown.csv" "$tmp/before.csv" || return 1
    (trap '' XFSZ; ulimit -f 8000; ! "$@") >"$tmp/out" 2>"$tmp/err" && cmp "$tmp/grown.csv" "$tmp/before.csv" &&
        grep -q '^race_rows: .*/grown.csv: not all rows could be written$' "$tmp/err"
}

# ---- examples/gemm_gpu: a race ----

# Of 64 threads each: two that are right, and those to be broken
RIGHT="16_32_8_2_4_1_1_1_2_4 32_32_8_4_4_1_2_0_1_1"
IS_WRONG=32_32_8_4_4_1_1_0 IS_NO_PROGRAM=32_32_8_4_4_1_1_1 IS_LARGE=32_32_8_4_4_1_2_1
IS_REFUSED=16_32_8_2_4_1_1_0 IS_SLOW=32_32_8_2_8_1_1_1

# race VARIANT_1_1...: its table in $tmp/out; outcome, tuple and error in $tmp/became
race() {
    make -s -C examples/gemm_gpu race ARCH=opencl BUILD="$BUILD" OUT="$tmp/opencl" CC="$CC" \
        CFLAGS="-O0 -DKPRED_SIMD=0 $C_WARNINGS" RACE="50 40 300 $*" >"$tmp/out" 2>"$tmp/err"
    status=$?
    awk '{ print $2, $5 ($6 != "" ? " " $6 : "") }' "$tmp/out" >"$tmp/became"
    return $status
}

# broken VARIANT STATEMENT [ATTRIBUTE]: a kernel in its place, which PoCL compiles sooner than gemm.cl
broken() {
    mkdir -p "$code" && printf '%s\n' "__kernel $3 void gemm(__global float *a, __global float *b, __global float *c," \
        "int m, int n, int k, int slices, int group) { $2 }" \
        '__kernel void add_slices(__global float *parts, __global float *c, int size, int slices) { }' \
        >"$code/gemm_$1.code"
}

# One is wrong and fast, one is not a program, one wants too much memory of a group, one cannot be launched, and one is
# right and takes more than 10 times as long as others.
break_them() {
    broken $IS_WRONG 'c[get_global_id(0) % (m * n)] = 1;' && broken $IS_NO_PROGRAM 'undeclared = 1;' &&
        broken $IS_LARGE '__local float x[1 << 26]; x[get_local_id(0)] = 0; c[0] = x[1];' &&
        broken $IS_REFUSED '' '__attribute__((reqd_work_group_size(1, 1, 1)))' &&
        broken $IS_SLOW 'for (volatile int i = 0; i < 1 << 16; i++) ;
            for (int i = get_global_id(0); i < m * n; i += get_global_size(0)) {
                float sum = 0;
                for (int d = 0; d < k; d++) sum += a[i / n * k + d] * b[d * n + i % n];
                c[i] = sum;
            }'
}

far_faster() {
    awk '$2 == "winner" { us = $3 } NR == 5 { slow = $3 } END { exit !(us > 0 && slow > 10 * us) }' "$tmp/out"
}

# Of the two that are right one wins, and it is far faster than the slow one, which has not used up the budget; so in the
# calmest of three races, as other programs may slow the winner down.
left_out() {
    all="${IS_WRONG}_1_1 ${IS_NO_PROGRAM}_1_1 ${IS_LARGE}_1_1 ${IS_REFUSED}_1_1 ${IS_SLOW}_1_1 $RIGHT"
    break_them && race $all &&
        printf '%s\n' "wrong ${IS_WRONG}_1_1" "failed ${IS_NO_PROGRAM}_1_1 CL_BUILD_PROGRAM_FAILURE" \
            "failed ${IS_LARGE}_1_1 CL_OUT_OF_RESOURCES" "failed ${IS_REFUSED}_1_1 CL_INVALID_WORK_GROUP_SIZE" \
            "slower ${IS_SLOW}_1_1" >"$tmp/wanted" && head -n 5 "$tmp/became" | diff "$tmp/wanted" - &&
        sed -n 6,7p "$tmp/became" >"$tmp/right" && grep -q "gemm_$IS_NO_PROGRAM.code: .*undeclared" "$tmp/err" &&
        [ "$(grep -cE '^(winner|slower|level) [0-9_]+$' "$tmp/right") $(grep -c '^winner' "$tmp/right")" = "2 1" ] &&
        for _ in 1 2; do far_faster || race $all; done && far_faster && return
    cat "$tmp/out" "$tmp/err"
    return 1
}

none_works() {
    ! race ${IS_WRONG}_1_1 ${IS_NO_PROGRAM}_1_1 ${IS_LARGE}_1_1 ${IS_REFUSED}_1_1 && grep -q '^no candidate works' "$tmp/out"
}

# ---- tune, with the variants that are broken ----

# Four tuples for a problem: one is right, two do not work, and one ends the process.
KILLS=16_32_8_2_4_1_2_1
small_spec() {
    sed -e 's/^tile_m = .*/tile_m = 16 32/' -e 's/^thread_m = .*/thread_m = 2 4/' -e 's/^buffers = .*/buffers = 1 2/' \
        -e 's/^\(tile_n\) = .*/\1 = 32/' -e 's/^\(tile_k\) = .*/\1 = 8/' -e 's/^\(thread_n\) = .*/\1 = 4/' \
        -e 's/^\(vec\|spread\|split\|group\) = .*/\1 = 1/' examples/gemm_gpu/gemm.spec >"$tmp/small.spec" &&
        echo 'tile_m == 8 * thread_m' >>"$tmp/small.spec" &&
        printf 'm,n,k\n40,40,40\n44,40,30\n48,40,300\n' >"$tmp/few.csv" &&
        make -s -C examples/gemm_gpu ARCH=opencl BUILD="$BUILD" OUT="$tmp/opencl" CC="$CC" CFLAGS="-O0 -DKPRED_SIMD=0 $C_WARNINGS" \
            SPEC="$tmp/small.spec" "$tmp/opencl/timer" variants 2>"$tmp/err" &&
        broken $KILLS '*(__global float *)8 = 0;'
}

tune() {
    "$@" "$trainer" tune "$tmp/small.spec" --problems "$tmp/few.csv" -o "$tmp/times.csv" \
        --server "$tmp/opencl/timer $code" 2>"$tmp/err"
}

rows() {
    grep '^4[048],' "$tmp/times.csv" 2>/dev/null
}

# begun ROWS: after half a minute at most
begun() {
    for _ in $(seq 1500); do
        [ "$(rows | wc -l)" -ge "$1" ] && return
        sleep 0.02
    done
    return 1
}

# stopped SIGNAL ROWS STATUS: tune gets the signal when it has these rows. They stay, and no process does.
stopped() {
    tune exec env --default-signal=INT >/dev/null &
    pid=$!
    begun "$2" && kill -"$1" $pid
    wait $pid
    status=$?
    rows >"$tmp/kept"
    [ $status -eq "$3" ] && [ "$(wc -l <"$tmp/kept")" -ge "$2" ] && [ "$(wc -l <"$tmp/kept")" -lt 12 ] &&
        ! grep -vE '^([0-9]+,){13}([0-9.]+|failed)$' "$tmp/kept" &&
        is_over
}

# is_over: no process of the timer is left, after five seconds at most
is_over() {
    for _ in $(seq 250); do
        grep -q "$tmp/opencl/timer" /proc/[0-9]*/cmdline 2>/dev/null || return 0
        sleep 0.02
    done
    return 1
}

# What was kept comes first, no tuple comes twice, and those fail that have to.
goes_on() {
    tune >/dev/null && rows >"$tmp/all" && head -n "$(wc -l <"$tmp/kept")" "$tmp/all" | cmp - "$tmp/kept" &&
        [ "$(cut -d, -f1-13 "$tmp/all" | sort -u | wc -l)" -eq 12 ] && [ "$(wc -l <"$tmp/all")" -eq 12 ] &&
        sed -n 's/,failed$//p' "$tmp/all" | cut -d, -f4-11 | tr , _ | sort | uniq -c | awk '{ print $1, $2 }' >"$tmp/bad" &&
        printf '3 %s\n' $KILLS $IS_NO_PROGRAM $IS_LARGE | sort -k 2 | diff - "$tmp/bad"
}

# ---- all of it ----

# A skip counts as a failure where the variable says so.
needs() {
    (KPRED_NEEDS="hip opencl" n_failed=0 && lacking opencl a race "" >"$tmp/out" && [ $n_failed -eq 1 ] &&
        lacking cuda a race "" >"$tmp/out" && [ $n_failed -eq 1 ])
}
check "what is needed is not skipped" needs

# here: there is OpenCL to link, and a device
here() {
    printf '#define KPRED_HIP_IMPLEMENTATION\n#include "kpred_hip.h"\n%s\n' \
        'int main(void) { int n; return hipGetDeviceCount(&n) != hipSuccess; }' >"$tmp/here.c"
    $CC $flags "$tmp/here.c" -o "$tmp/here" -lOpenCL 2>"$tmp/err" && "$tmp/here"
}
if ! here; then
    lacking opencl "all that runs" "there is no OpenCL device"
    test_end
    exit
fi
check "faults, queues, and the choice of a device" races
if [ -e weights/conv_asm_1x1u.h ]; then
    check "a cache" remembers
    check "the cache of another driver" not_used 's/driver /driver 9/'
    check "the cache of another device" not_used 's/, [^,]*, driver/, another, driver/'
    check "a table that may not grow" no_room
else
    lacking opencl "a cache" "its weights are not there (make weights)"
fi
check "a race: what fails, is wrong or slow is left out" left_out
check "a race: none works" none_works
if [ -x "$trainer" ]; then
    check "tune: variants" small_spec
    check "tune: SIGTERM" stopped TERM 1 143
    check "tune: SIGINT" stopped INT 4 130
    check "tune goes on" goes_on
    check "the timer's device" timer
else
    lacking opencl "tune" "$trainer is not built"
fi
test_end
