#!/bin/sh
# hip.sh - kpred_hip.h compiles everywhere and needs what it says, and its example works with HIP and with CUDA under
# HIP's names, each where it is there; with the stand-in for both: test_select.steps; with OpenCL: opencl.sh
# SPDX-License-Identifier: MIT
#
# usage: hip.sh [devices]. The part compiles for a device in the ways that take seconds each.
# shellcheck disable=SC2089,SC2090 # the compiler is to see the quotes
. tests/harness/script.inc

test_begin
all_weights=yes
[ -e weights/conv_asm_1x1u.h ] || all_weights=''

# ---- the runtimes: flags for the compiler, libraries for the linker ----

# links HEADER FLAGS...
links() {
    header=$1; shift
    echo 'int main(void) { return 0; }' |
        $CC -include "$header" -xc - -o "$tmp/links" "$@" 2>/dev/null
}

rocm=${ROCM_PATH:-/opt/rocm}
hip_flags="-D__HIP_PLATFORM_AMD__ -isystem $rocm/include"
hip_libs="-L$rocm/lib -Wl,-rpath,$rocm/lib -lamdhip64"
links hip/hip_runtime_api.h $hip_flags $hip_libs || hip_flags=''

nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
cuda_map='-Iexamples -DKPRED_HIP_API_HEADER="cuda_as_hip.h"'
cuda_flags=''
for cuda in "${CUDA_HOME:-}" /usr/local/cuda "${nvcc%/bin/nvcc}"; do
    cuda_libs="-L$cuda/lib64 -lcudart_static -ldl -lrt -lpthread"
    if [ "$cuda" ] && links cuda_runtime_api.h -isystem "$cuda/include" $cuda_libs; then
        cuda_flags="-isystem $cuda/include $cuda_map"
        break
    fi
done

# runtime NAME: its flags and libraries into $flags and $libs; fails where it is not there
runtime() {
    case $1 in
    hip) flags=$hip_flags libs=$hip_libs ;;
    cuda) flags=$cuda_flags libs=$cuda_libs ;;
    standin) flags='-Itests -DKPRED_HIP_API_HEADER="hip/hip_standin.h"' libs='' ;;
    esac
    [ "$flags" ]
}

# ---- it compiles ----

# Its declarations, its definitions, and a copy of its own: three files of one program
sources() {
    printf '#include "kpred_hip.h"\n%s\n#include "kpred_hip.h"\n#include "kpred_hip.h"\n' \
        '#define KPRED_HIP_IMPLEMENTATION' >"$tmp/definitions.c"
    cat >"$tmp/static.c" <<'END'
#define KPRED_HIP_STATIC
#include "kpred_hip.h"
const char *other(void);
const char *other(void) { return kpred_hip_status_string(KPRED_HIP_ERR_DEVICE); }
END
    cat >"$tmp/use.c" <<'END'
#include "kpred_hip.h"
const char *other(void);
int main(void) { return other()[0] != kpred_hip_status_string(KPRED_HIP_ERR_DEVICE)[0]; }
END
}

# compiles COMMAND...: with the runtime of $flags and $libs, and what they make runs
compiles() {
    "$@" $flags -I. "$tmp/definitions.c" "$tmp/static.c" "$tmp/use.c" -o "$tmp/program" $libs && "$tmp/program"
}

# in_language COMPILER OLDER_STANDARD NEWER FLAG...
in_language() {
    compiler=$1 older=$2 newer=$3; shift 3
    has $compiler || { skipped "$compiler" "it is not installed"; return; }
    for api in hip cuda standin; do
        if runtime $api; then
            check "$compiler -std=$older, $api" compiles $compiler -std=$older -O0 "$@"
        else
            skipped "$compiler -std=$older, $api" "$api is not installed"
        fi
    done
    check "$compiler -std=$newer" $compiler -std=$newer "$@" $flags -I. -fsyntax-only \
        "$tmp/definitions.c" "$tmp/static.c" "$tmp/use.c"
}

# ---- it compiles for a device ----

# The two files of the headers' first lines, of which the second has a kernel. The program prints what is predicted.
device_sources() {
    cat >"$tmp/lib.c" <<'END'
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"
#include "kpred_constraints.h"
#include "weights/gemm_a4w4_blockscale.h"
END
    cat >"$tmp/main.c" <<'END'
#include "kpred_hip.h"
#include "kpred_constraints.h"
#include "weights/gemm_a4w4_blockscale.h"
#include <stdio.h>
#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif
#if defined(__HIP__) || defined(__CUDACC__)
static __global__ void kernel(int *x) { *x = 1; }
#define LAUNCH(threads, stream, x) kernel<<<1, threads, 0, stream>>>(x)
#else
#define LAUNCH(threads, stream, x) (void)(x)
#endif
static hipError_t launch(void *user, const kpred_tuple *t, hipStream_t stream)
{
    (void)stream;
    LAUNCH((unsigned)t->value[0], stream, (int *)user);
    return hipSuccess;
}
int main(void)
{
    static int32_t arena[KPRED_GEMM_A4W4_BLOCKSCALE_ARENA(8)];
    static const int32_t problem[] = {KPRED_GEMM_A4W4_BLOCKSCALE_GPU_GFX950_256, 16, 1536, 7168};
    static kpred_hip_plan plan;
    static kpred_hip_timing timings[8];
    kpred_hip_result result;
    kpred_ctx ctx;
    kpred_tuple best[8];
    size_t i, n = 0;
    if (kpred_init(&ctx, KPRED_VERSION, &kpred_model_gemm_a4w4_blockscale, 8, arena, sizeof arena / sizeof *arena)
        || kpred_predict(&ctx, problem, 4, best, 8, &n))
        return 1;
    plan.launch = launch;
    for (i = 0; i < 6 * n; i++)
        printf("%d ", (int)best[i / 6].value[i % 6]);
    return kpred_hip_select(&plan, best, n, timings, &result) > KPRED_HIP_RANKED;
}
END
    for ending in cpp hip cu; do cp "$tmp/lib.c" "$tmp/lib.$ending"; cp "$tmp/main.c" "$tmp/main.$ending"; done
    runtime standin
    check "for a device: by the host's compiler" predicted $CC $flags -I. "$tmp/lib.c" "$tmp/main.c"
    mv "$tmp/said" "$tmp/predicted"
}

# predicted COMMAND...: compiles and links a program, which runs
predicted() {
    "$@" -I. -o "$tmp/program" && "$tmp/program" >"$tmp/said"
}

# for_device COMMAND...: it predicts what the compiler of the host made predict
for_device() {
    predicted "$@" && diff "$tmp/predicted" "$tmp/said"
}

# clang's part for a device of NVIDIA's; CUDA's libraries and clang are not of one age.
by_clang() {
    clang -x cuda --cuda-path="$cuda" -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_75 -O0 \
        -Wno-unknown-cuda-version $flags -I. -c "$tmp/lib.cu" -o "$tmp/object.o"
}

# Ways to compile the two files. Each compiler in one that is quick, with a kernel that calls code of another file:
device_compilers() {
    [ -z "$all_weights" ] && { skipped "for a device" "the weights are not there (make weights)"; return; }
    device_sources
    hipcc="hipcc --offload-arch=gfx906 -Wall -Wextra -Werror"
    check_with hipcc "hipcc lib.c" $hipcc -O0 -D__HIP_PLATFORM_AMD__ -I. -c "$tmp/lib.c" -o "$tmp/lib.o"
    check_with hipcc "hipcc lib.o" for_device $hipcc -O0 "$tmp/lib.o" "$tmp/main.hip"
    runtime cuda
    nvcc_all="$nvcc -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow,-Werror $cuda_map"
    check_with "${nvcc:-nvcc}" "nvcc -rdc lib.cpp" for_device $nvcc_all -O0 -rdc=true "$tmp/lib.cpp" "$tmp/main.cu"
    check_with "${nvcc:-nvcc}" "clang -x cuda" by_clang
}

# The others: endings, levels, a copy of its own
more_for_devices() {
    static='-DKPRED_STATIC -DKPRED_HIP_STATIC'
    llvm=/usr/lib/llvm-$(hipcc --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')/bin
    check_with hipcc "hipcc -O0 lib.hip" for_device $hipcc -O0 "$tmp/lib.hip" "$tmp/main.hip"
    check_with hipcc "hipcc -fgpu-rdc lib.cpp" for_device $hipcc -B"$llvm" -O0 -fgpu-rdc "$tmp/lib.cpp" "$tmp/main.cpp"
    check_with hipcc "hipcc -O2, static" for_device $hipcc -O2 $static "$tmp/main.hip"
    check_with "${nvcc:-nvcc}" "nvcc -G lib.cu" for_device $nvcc_all -O0 -G "$tmp/lib.cu" "$tmp/main.cu"
    check_with "${nvcc:-nvcc}" "nvcc -O2, static" for_device $nvcc_all -O2 $static "$tmp/main.cu"
}

# ---- docs/hip.md ----

# NAME MEANING of every status, in the header's order
documented_statuses() {
    sed -n 's/^| `\(KPRED_HIP_[A-Z_]*\)` | \([^|]*\) | .*/\1 \2/p' docs/hip.md >"$tmp/said"
    grep -oE 'X\(KPRED_HIP_[A-Z_]+, -?[0-9]+, "[^"]*"\)' kpred_hip.h |
        sed 's/X(\([A-Z_]*\), [-0-9]*, "\(.*\)")/\1 \2/' >"$tmp/statuses"
    [ "$(wc -l <"$tmp/statuses")" -ge 11 ] && diff "$tmp/statuses" "$tmp/said"
}

# ---- what it needs and gives ----

# The calls that the header says it makes
documented() {
    sed -n '/^NEEDS/,/^$/p' kpred_hip.h | grep -oE 'hip[A-Z][A-Za-z]+' | sed "s/^hip/$1/" | sort
}

# object COMMAND...: no warning; it needs those calls of $api and no other (clang -O0 has memcpy and memset for structs),
# and exports the functions that it declares. Besides, there is nothing without the private prefix but what the compiler
# makes, whose names have a dot, and nothing to write to.
object() {
    "$@" $C_WARNINGS $flags -I. -fno-pic -fno-stack-protector -c "$tmp/definitions.c" -o "$tmp/object.o" || return 1
    documented $api >"$tmp/documented"
    [ "$(wc -l <"$tmp/documented")" -eq 12 ] || return 1
    case $* in *-O0) builtin='mem(cpy|set)' ;; *) builtin=none ;; esac
    nm "$tmp/object.o" >"$tmp/symbols" || return 1
    awk 'NF == 2 { print $2 }' "$tmp/symbols" | grep -vxE "$builtin" | sort | diff "$tmp/documented" - || return 1
    exported=$(awk 'NF == 3 && $2 ~ /^[A-Ziuvw]$/ { print $3 }' "$tmp/symbols" | sort | tr '\n' ' ')
    [ "$exported" = "kpred_hip_select kpred_hip_status_string kpred_hip_time " ] ||
        { echo "exported: $exported"; return 1; }
    local=$(awk 'NF == 3 && ($2 ~ /[a-z]/ && $3 !~ /^kpri_hip_|\./ || $2 ~ /[bBdDcCsSgG]/)' "$tmp/symbols")
    [ -z "$local" ] || { echo "local: $local"; return 1; }
}

# Of macros, types and tags
prefixes() {
    grep -oE '^#define [A-Za-z_0-9]+' kpred_hip.h | cut -d' ' -f2 >"$tmp/names"
    grep -E '^(typedef )?(struct|enum|union) |^} ' kpred_hip.h |
        grep -oE '[a-z_0-9]+( \{|;)$' | tr -d ' {;' >>"$tmp/names"
    [ "$(wc -l <"$tmp/names")" -gt 30 ] || return 1
    ! grep -vE '^(KPRED_HIP_|KPRI_HIP_|kpred_hip_|kpri_hip_)' "$tmp/names"
}

# The names of CUDA are macros, so one object is enough there.
objects() {
    for api in hip cuda; do
        for cc in gcc clang; do
            if ! runtime $api || ! has $cc || ! has nm; then
                skipped "object, $api, $cc" "$api, $cc or nm is not installed"
                continue
            fi
            case $api,$cc in hip,*) levels='0 3' ;; cuda,gcc) levels=2 ;; *) levels= ;; esac
            for level in $levels; do check "object, $api, $cc -O$level" object $cc -std=c99 -O$level; done
        done
    done
}

# ---- code objects ----

# hip_code ARCHITECTURE, cuda_code ARCHITECTURE: $tmp/ARCHITECTURE.co; "": of the device here
hip_code() {
    hipcc --genco ${1:+--offload-arch=$1} -O3 -Wall -Wextra -Werror \
        examples/hip_select_kernel.hip -o "$tmp/$1.co" && [ -s "$tmp/$1.co" ]
}

cuda_code() {
    "$nvcc" -x cu -cubin "-arch=${1:-native}" -Werror all-warnings \
        examples/hip_select_kernel.hip -o "$tmp/$1.co" && [ -s "$tmp/$1.co" ]
}

code_objects() {
    for arch in gfx906 gfx90a; do check_with hipcc "code object, $arch" hip_code $arch; done
    check_with "${nvcc:-nvcc}" "code object, sm_90" cuda_code sm_90
}

# ---- a real runtime, with a device or without ----

# device: what tests/hip/device.c says to it
device() {
    $CC -std=c99 $C_WARNINGS -O0 -DKPRED_SIMD=0 $flags -I. tests/hip/device.c -o "$tmp/device" $libs || return 1
    "$tmp/device" >"$tmp/said"
    status=$?
    cat "$tmp/said"
    return $status
}

RANK='^ *[1-8] +[0-9]+\.[0-9]{2}  [0-9]+(,[0-9]+){7}' # of a line of the table

# example: with HIP by make
example() {
    if [ $api = hip ]; then
        make -s BUILD="$tmp" CC="$CC" CFLAGS="-O0 -DKPRED_SIMD=0 $C_WARNINGS" HIP_CFLAGS="$flags" HIP_LIBS="$libs" hip_select
    else
        $compiler -std=c99 $C_WARNINGS -O0 -DKPRED_SIMD=0 $flags -I. examples/hip_select.c -o "$tmp/hip_select" $libs
    fi
}

# timer: that of examples/gemm_gpu compiles; where there is no device, it ends with status 77
timer() {
    $compiler -std=c99 $C_WARNINGS -O0 -DKPRED_SIMD=0 $flags -I. examples/gemm_gpu/timer.c -o "$tmp/timer" $libs || return 1
    "$tmp/timer" --about >"$tmp/out" 2>"$tmp/err"
    case $? in
    0) grep -q '^# device: .*multiprocessors' "$tmp/out" ;;
    77) [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'there is no device here' "$tmp/err" ;;
    *) return 1 ;;
    esac
}

# untimed REASON ARGUMENT...: the rankings alone, three times the reason, success
untimed() {
    reason=$1; shift
    "$tmp/hip_select" "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    [ "$(grep -cE "$RANK\$" "$tmp/out")" -eq 24 ] && [ ! -s "$tmp/err" ] &&
        [ "$(grep -cxE "no timings: $reason" "$tmp/out")" -eq 3 ]
}

# timed: with a code object for the device that is here two problems are timed, the third request is the first one again.
timed() {
    ${api}_code '' && "$tmp/hip_select" "$tmp/.co" >"$tmp/out" && [ "$(grep -cE "$RANK .* winner\$" "$tmp/out")" -eq 2 ] &&
        winner=$(sed -n 's/^winner: rank [1-8], \([0-9,]*\);.*/\1/p' "$tmp/out" | head -n 1) &&
        [ "$winner" ] && grep -qx "cached: $winner" "$tmp/out"
}

real_example() {
    check "example, $api: compiles" example
    if grep -qx device "$tmp/said"; then
        check "example, $api: no code object" untimed "no code object was given"
        check "example, $api: on the device" timed
    else
        check "example, $api: no device" untimed '(hip|cuda)Error[A-Za-z]+'
        check "example, $api: no device, a code object" untimed '(hip|cuda)Error[A-Za-z]+' "$tmp/any.co"
        skipped "example, $api: on the device" "there is no device"
    fi
}

real() {
    has clang && compiler=clang || compiler=$CC
    for api in hip cuda; do
        if runtime $api; then
            check "device, $api" device
            check "timer, $api" timer
            if [ "$all_weights" ]; then real_example; fi
        else
            skipped "device and example, $api" "$api is not installed"
        fi
    done
}

# ---- make hip_select ----

no_hip() {
    ! make -s BUILD="$tmp/none" CC="$CC" HIP_CFLAGS=-nostdinc hip_select 2>"$tmp/err" &&
        grep -q '^hip_select needs HIP' "$tmp/err"
}

# ---- all of it ----

device_compilers
if [ "${1-}" = devices ]; then
    need_weights "more for a device"
    more_for_devices
    test_end
    exit
fi
sources
echo any >"$tmp/any.co"
for cc in gcc clang; do in_language $cc c99 c11 $C_WARNINGS; done
in_language g++ c++11 c++17 -xc++ $CXX_WARNINGS -Wmissing-declarations
in_language clang++ c++11 c++17 -xc++ $CXX_WARNINGS -Wmissing-prototypes
objects
check "prefixes" prefixes
check "statuses as in docs/hip.md" documented_statuses
code_objects
real
if [ "$all_weights" ]; then
    check "make hip_select without HIP" no_hip
else
    skipped "example" "its weights are not there (make weights)"
fi
test_end
