#!/bin/sh
# evolve_gpu.sh - the GPU side of examples/evolve: the kernel compiles offline, its runner compares
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] evolve_gpu.sh
. tests/harness/script.inc

EVOLVE_CLANG=${EVOLVE_CLANG:-clang-16}
test_begin
folder=examples/evolve/gpu
kernel=$folder/reduce.cl

# ---- the kernel ----

target() {
    case $1 in
    amd) echo "-target amdgcn-amd-amdhsa -mcpu=gfx90a" ;;
    nvidia) echo "-target nvptx64-nvidia-cuda -march=sm_75 -Wno-unknown-cuda-version" ;;
    esac
}

# compiles VENDOR OPTION...: and says nothing
compiles() {
    vendor=$1; shift
    # shellcheck disable=SC2046
    said=$($EVOLVE_CLANG $(target $vendor) -nogpulib -Wall -Wextra "$@" $kernel -o "$tmp/out" 2>&1) &&
        [ -s "$tmp/out" ] && [ ! "$said" ] && return
    echo "$said"
    return 1
}

# barriers VENDOR PATTERN: the passes leave the superfluous one, too
barriers() {
    compiles $1 -O3 -S && [ "$(grep -c "$2" "$tmp/out")" -eq 3 ]
}


if has "$EVOLVE_CLANG"; then
    check "reduce: three barriers for AMD" barriers amd s_barrier
    check "reduce: three barriers for NVIDIA" barriers nvidia bar.sync
    check_with ptxas "reduce: what ptxas says" ptxas -arch=sm_75 "$tmp/out" -o "$tmp/cubin"
else
    skipped "reduce" "there is no $EVOLVE_CLANG"
fi

# ---- the runner ----

cp $kernel "$tmp/a.co"
cp $kernel "$tmp/b.co"
echo 'int main(void) { return 0; }' >"$tmp/empty.c"

runs() {
    SCRIPT=$1 status=$2 pattern=$3
    export SCRIPT
    shift 3
    "$tmp/runner" "$@" >"$tmp/out" 2>&1
    [ $? -eq $status ] && grep -q "$pattern" "$tmp/out" && grep -qx '0 left, 0 misused' "$tmp/out" && return
    cat "$tmp/out"
    return 1
}

with_standin() {
    $CC -std=c99 -D_POSIX_C_SOURCE=200809L $C_WARNINGS -O1 -I. -Itests tests/evolve/gpu_run.c -o "$tmp/runner"
}

with_hip() {
    $CC -std=c99 $C_WARNINGS -D__HIP_PLATFORM_AMD__ -I. $folder/gpu_run.c -lamdhip64 -o "$tmp/real"
}

# Where there is a device, the code object is one that it cannot load.
without_device() {
    "$tmp/real" "$tmp/a.co" "$tmp/b.co" >"$tmp/out" 2>&1
    case $? in 2 | 77) grep -q '^gpu_run: ' "$tmp/out" ;; *) return 1 ;; esac
}

check "gpu_run compiles" with_standin
check "gpu_run: equal outputs" runs '' 0 'b[.]co *equal  median 5000[.]00 us, MAD 0[.]00, 1[.]000' "$tmp/a.co" "$tmp/b.co"
check "gpu_run: a code object that writes nothing" runs wrong 1 'b[.]co *NOT EQUAL' "$tmp/a.co" "$tmp/b.co"
check "gpu_run: no device" runs device 77 'there is no device here' "$tmp/a.co" "$tmp/b.co"
if $CC -include hip/hip_runtime_api.h -D__HIP_PLATFORM_AMD__ "$tmp/empty.c" -lamdhip64 -o "$tmp/empty" 2>/dev/null; then
    check "gpu_run compiles with HIP" with_hip
    check "gpu_run with HIP, as it is here" without_device
else
    skipped "gpu_run with HIP" "there is no HIP"
fi
test_end
