#!/bin/sh
# hip.sh - kpred_hip.h compiles everywhere and needs what it says, and its example works: with HIP,
# with CUDA under HIP's names, and with the stand-in for both; each where it is there
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2089,SC2090 # the compiler is to see the quotes
. tests/harness/script.inc

test_begin

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

# Every way to include it, $tmp/NAME.c and .cpp
sources() {
    cat >"$tmp/declarations.c" <<'END'
#include "kpred_hip.h"
END
    cat >"$tmp/definitions.c" <<'END'
#include "kpred_hip.h"
#define KPRED_HIP_IMPLEMENTATION
#include "kpred_hip.h"
#include "kpred_hip.h"
END
    cat >"$tmp/use.c" <<'END'
#include "kpred_hip.h"
int main(void) { return kpred_hip_status_string(KPRED_HIP_OK)[0] != 't'; }
END
    cat >"$tmp/static.c" <<'END'
#define KPRED_HIP_STATIC
#include "kpred_hip.h"
const char *other(void);
const char *other(void) { return kpred_hip_status_string(KPRED_HIP_ERR_DEVICE); }
END
    cat >"$tmp/static_use.c" <<'END'
#define KPRED_HIP_STATIC
#include "kpred_hip.h"
const char *other(void);
int main(void) { return other()[0] != kpred_hip_status_string(KPRED_HIP_ERR_DEVICE)[0]; }
END
    for name in declarations definitions use static static_use; do
        cp "$tmp/$name.c" "$tmp/$name.cpp"
    done
}

# pair COMMAND EXTENSION FILE FILE: two files together, and what they make runs
pair() {
    $1 $flags -I. "$tmp/$3.$2" "$tmp/$4.$2" -o "$tmp/pair" $libs && "$tmp/pair"
}

# compiles COMMAND EXTENSION: with the runtime of $flags and $libs
compiles() {
    $1 $flags -I. -c "$tmp/declarations.$2" -o "$tmp/object.o" &&
        pair "$1" $2 definitions use && pair "$1" $2 static static_use
}

# in_language COMPILER EXTENSION "WARNINGS" OLDER_STANDARD NEWER: a real runtime with the older one
in_language() {
    compiler=$1 extension=$2 warnings=$3; shift 3
    if ! has $compiler; then
        skipped "$compiler" "it is not installed"
        return
    fi
    for standard in "$@"; do
        [ $standard = "$1" ] && apis='standin hip cuda' || apis=standin
        for api in $apis; do
            if runtime $api; then
                check "$compiler -std=$standard, $api" \
                    compiles "$compiler -std=$standard $warnings -O1" $extension
            else
                skipped "$compiler -std=$standard, $api" "$api is not installed"
            fi
        done
    done
}

with_nvcc() {
    for how in -UKPRED_HIP_STATIC -DKPRED_HIP_IMPLEMENTATION -DKPRED_HIP_STATIC; do
        "$nvcc" -x cu -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow,-Werror $cuda_map -I. \
            $how -c "$tmp/declarations.c" -o "$tmp/object.o" || return 1
    done
}

# ---- docs/hip.md ----

# Its program, as far as it is there: the kernel is the reader's
documented_program() {
    sed -n '/^```c$/,/^```$/p' docs/hip.md | sed '/^```$/,$d;1d' >"$tmp/tune.c"
    runtime standin && [ -s "$tmp/tune.c" ] &&
        $CC -std=c99 -Wall -Wextra -Werror $flags -I. -c "$tmp/tune.c" -o "$tmp/tune.o"
}

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

# needs PREFIX COMMAND...: those calls and no other. clang -O0 has memcpy and memset for structs.
needs() {
    prefix=$1; shift
    "$@" $flags -I. -fno-pic -fno-stack-protector -c "$tmp/definitions.c" -o "$tmp/object.o" ||
        return 1
    documented $prefix >"$tmp/documented"
    [ "$(wc -l <"$tmp/documented")" -eq 12 ] || return 1
    case $* in *-O0) builtin='mem(cpy|set)' ;; *) builtin=none ;; esac
    nm -u "$tmp/object.o" | awk '{ print $2 }' | grep -vxE "$builtin" | sort |
        diff "$tmp/documented" -
}

# Exported: the functions that it declares. Else: nothing without the private prefix but what the
# compiler makes, whose names have a dot; nothing to write to.
gives() {
    exported=$(nm -g --defined-only "$tmp/object.o" | awk '{ print $3 }' | sort | tr '\n' ' ')
    [ "$exported" = "kpred_hip_select kpred_hip_status_string kpred_hip_time " ] ||
        { echo "exported: $exported"; return 1; }
    local=$(nm --defined-only "$tmp/object.o" |
        awk '$2 ~ /[a-z]/ && $3 !~ /^kpri_hip_|\./ || $2 ~ /[bBdDcCsSgG]/')
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

objects() {
    for api in hip cuda; do
        for cc in gcc clang; do
            if ! runtime $api || ! has $cc || ! has nm; then
                skipped "object, $api, $cc" "$api, $cc or nm is not installed"
                continue
            fi
            for level in 0 2 3; do
                check "object, $api, $cc -O$level: needs" needs $api $cc -std=c99 -O$level
                check "object, $api, $cc -O$level: gives" gives
            done
        done
    done
}

# ---- a real runtime, with a device or without ----

# device NAME: what tests/hip/device.c says to it, into $tmp/NAME.device
device() {
    $CC -std=c99 $C_WARNINGS -O1 $flags -I. tests/hip/device.c -o "$tmp/device" $libs || return 1
    "$tmp/device" >"$tmp/$1.device"
    status=$?
    cat "$tmp/$1.device"
    return $status
}

has_device() {
    head -n 1 "$tmp/$1.device" | grep -qx device
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
    for arch in gfx906 gfx90a; do
        if has hipcc; then
            check "code object, $arch" hip_code $arch
        else
            skipped "code object, $arch" "hipcc is not installed"
        fi
    done
    if [ "$nvcc" ]; then
        check "code object, sm_90" cuda_code sm_90
    else
        skipped "code object, sm_90" "nvcc is not installed"
    fi
}

# ---- the example, with real runtimes ----

RANK='^ *[1-8] +[0-9]+\.[0-9]{2}  [0-9]+(,[0-9]+){7}' # of a line of the table

example() {
    for cc in gcc clang; do
        ! has $cc || $cc -std=c99 $C_WARNINGS -O0 $flags -I. examples/hip_select.c \
            -o "$tmp/example" $libs || return 1
    done
}

# untimed REASON ARGUMENT...: the rankings alone, three times the reason, success
untimed() {
    reason=$1; shift
    "$tmp/example" "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    [ "$(grep -cE "$RANK\$" "$tmp/out")" -eq 24 ] && [ ! -s "$tmp/err" ] &&
        [ "$(grep -cxE "no timings: $reason" "$tmp/out")" -eq 3 ]
}

# timed CODE_OBJECT: two problems timed, the third request is the first one again.
timed() {
    "$tmp/example" "$1" >"$tmp/out" && [ "$(grep -cE "$RANK .* winner\$" "$tmp/out")" -eq 2 ] &&
        winner=$(sed -n 's/^winner: rank [1-8], \([0-9,]*\);.*/\1/p' "$tmp/out" | head -n 1) &&
        [ "$winner" ] && grep -qx "cached: $winner" "$tmp/out"
}

# on_device NAME: with a code object for the device that is here
on_device() {
    $1_code '' && timed "$tmp/.co"
}

real_example() {
    check "example, $1: compiles" example
    if has_device $1; then
        check "example, $1: no code object" untimed "no code object was given"
        check "example, $1: on the device" on_device $1
    else
        check "example, $1: no device" untimed '(hip|cuda)Error[A-Za-z]+'
        check "example, $1: no device, a code object" \
            untimed '(hip|cuda)Error[A-Za-z]+' "$tmp/any.co"
        skipped "example, $1: on the device" "there is no device"
    fi
}

real() {
    for api in hip cuda; do
        if runtime $api; then
            check "device, $api" device $api
            [ ! "$all_weights" ] || real_example $api
        else
            skipped "device and example, $api" "$api is not installed"
        fi
    done
}

# ---- the example, with the stand-in ----

standin_example() {
    for cc in gcc clang; do
        ! has $cc || $cc -std=c99 -D_POSIX_C_SOURCE=200809L $C_WARNINGS -O1 -I. -Itests \
            tests/hip/select.c -o "$tmp/example" || return 1
    done
}

# ended LAUNCHES_PATTERN EVENTS: how the stand-in was left
ended() {
    grep -qxE "$2 events, $1 launches, 0 left, 0 misused" "$tmp/out" ||
        { tail -n 1 "$tmp/out"; return 1; }
}

# Events of two selections only, each of eight pairs and one
standin_timed() {
    timed "$tmp/any.co" && ended '[0-9]+' 34
}

# The times are those of the formula in select.c, and the winner is the first of the fastest.
formula() {
    awk '
        $1 ~ /^[1-8]$/ && NF == 8 {
            split($3, v, ",")
            threads = 64 * v[7] * v[8]
            if (threads > 1024) threads = 1024
            us = 100 + 6 * v[1] * v[5] + threads / 16
            if ($4 != us || $5 != us || $6 != 0 || $7 < 2) { print "not " us ": " $0; bad++ }
            if (!n++ || us < least) { least = us; best = $3 }
            if ($8 == "winner") winner = $3
        }
        /^winner: / {
            if (winner != best || !index($0, ", " best ";")) { print "not " best ": " $0; bad++ }
            blocks++; n = 0
        }
        END { exit bad || blocks != 2 }' "$tmp/out"
}

# The slowest are dropped after two launches, others race on.
raced() {
    grep -qE "$RANK .* 2  slower\$" "$tmp/out" && grep -qE "$RANK .* [3-9]  slower\$" "$tmp/out"
}

# with SCRIPT PATTERN: as timed, and a line of the table
with() {
    SCRIPT=$1 && export SCRIPT && standin_timed && grep -E "$RANK $2" "$tmp/out"
}

# fails SCRIPT STATUS PATTERN ARGUMENT...: with that status, and that on stderr
fails() {
    SCRIPT=$1 status=$2 pattern=$3; shift 3
    export SCRIPT
    "$tmp/example" "$@" >"$tmp/out" 2>"$tmp/err"
    set -- $?
    cat "$tmp/err"
    [ "$1" -eq "$status" ] && grep -qE "^$pattern" "$tmp/err"
}

no_standin_device() {
    (export SCRIPT=device && untimed hipErrorNoDevice "$@") && ended 0 0
}

standin() {
    : >"$tmp/empty.co"
    check "example, standin: compiles" standin_example
    check "example, standin: timed, then cached" standin_timed
    check "example, standin: times and winners" formula
    check "example, standin: a race" raced
    check "example, standin: no code object" untimed "no code object was given"
    check "example, standin: no device" no_standin_device "$tmp/any.co"
    check "example, standin: a wrong candidate" with wrong ' +- +- +- +1  wrong$'
    check "example, standin: a candidate that fails" \
        with failed ' +- +- +- +1  failed: hipErrorInvalidConfiguration$'
    check "example, standin: a lost context" \
        fails sticky 1 'hip_select: the context is lost .*: hip' "$tmp/any.co"
    check "example, standin: no such file" \
        fails '' 1 'hip_select: .*/none.co: hipErrorFileNotFound' "$tmp/none.co"
    check "example, standin: no code object in it" \
        fails '' 1 'hip_select: .*/empty.co: hipErrorInvalidImage' "$tmp/empty.co"
    check "example, standin: no kernel in it" \
        fails kernel 1 'hip_select: kernel "add": hipErrorNotFound' "$tmp/any.co"
    check "example, standin: usage" fails '' 2 'usage: ' "$tmp/any.co" "$tmp/any.co"
}

# ---- make hip_select ----

no_hip() {
    ! make -s BUILD="$tmp/none" CC="$CC" HIP_CFLAGS=-nostdinc hip_select 2>"$tmp/err" &&
        grep -q '^hip_select needs HIP' "$tmp/err"
}

make_example() {
    make -s BUILD="$tmp/build" CC="$CC" CFLAGS=-O0 HIP_CFLAGS="$flags" HIP_LIBS="$libs" hip_select &&
        "$tmp/build/hip_select"
}

make_targets() {
    if runtime hip; then
        check "make hip_select" make_example
    else
        skipped "make hip_select" "hip is not installed"
    fi
    check "make hip_select without HIP" no_hip
}

# ---- all of it ----

sources
echo any >"$tmp/any.co"
in_language gcc c "$C_WARNINGS" c99 c11
in_language clang c "$C_WARNINGS" c99 c11
in_language g++ cpp "$CXX_WARNINGS -Wmissing-declarations" c++11 c++17
in_language clang++ cpp "$CXX_WARNINGS -Wmissing-prototypes" c++11 c++17
if [ "$nvcc" ]; then
    check "nvcc -x cu" with_nvcc
else
    skipped "nvcc -x cu" "nvcc is not installed"
fi
objects
check "prefixes" prefixes
check "statuses as in docs/hip.md" documented_statuses
code_objects
all_weights=yes
[ -e weights/conv_asm_1x1u.h ] || all_weights=''
real
if [ "$all_weights" ]; then
    check "the program of docs/hip.md" documented_program
    standin
    make_targets
else
    skipped "example" "its weights are not there (make weights)"
fi
test_end
