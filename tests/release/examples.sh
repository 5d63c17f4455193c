#!/bin/sh
# examples.sh - every example compiles alone and does what it says; but for hip_select.c, which hip.sh has, and
# gemm_dispatch.c, which has a suite
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_weights "examples"

# Nothing but -I. is needed. The bodies with vector instructions take half of a compiler's time.
compile() { $CC -std=c99 -DKPRED_SIMD=0 -pedantic-errors -Wall -Werror -I. "$@"; }

minimal() {
    compile examples/minimal.c -o "$tmp/minimal" && "$tmp/minimal" >"$tmp/out" || return 1
    [ "$(grep -cE '^[a-z_]+=[0-9]+$' "$tmp/out")" -eq 8 ] && [ "$(wc -l <"$tmp/out")" -eq 8 ] &&
        head -n 1 "$tmp/out" | grep -q '^read_size='
}

freestanding() {
    "$@" -std=c99 -Wall -Werror -I. -ffreestanding -nostdlib -static examples/freestanding.c \
        -o "$tmp/freestanding" && "$tmp/freestanding"
}

# A hit is faster than a miss by far; test_cache.c tests what it answers.
cache() {
    compile -O1 examples/cache.c -o "$tmp/cache" && "$tmp/cache" >"$tmp/out" || return 1
    sed -n 's/^hit \([0-9]*\) ns, miss \([0-9]*\) ns; [0-9]* entries of [0-9]* bytes hold 6[0-4] of 64 problems$/\1 \2/p' \
        "$tmp/out" | awk '{ n++; if ($1 * 5 > $2) exit 1 } END { if (n != 1) exit 1 }'
}

# demo [ALL=1]: what `make demo` prints; dist.sh looks whether it builds the programs
demo() {
    make -s demo PROGRAMS= BUILD="$tmp/demo" "$@" >"$tmp/out"
}

# parameters SPEC: their names, with commas between
parameters() {
    sed -n '/^\[params\]/,/^\[[^p]/s/^\([a-z][a-z0-9_]*\) *=.*/\1/p' "$1" | paste -sd, -
}

# headings [COLUMNS]: each model has a heading with the names of its parameters, and below it a tuple for one GPU at least;
# longer lines are cut.
headings() {
    sed -n 's|^#include "weights/\(.*\)[.]h"|\1|p' examples/resnet50.c >"$tmp/models"
    while read -r model; do
        names=$(parameters weights/$model.spec)
        heading=$(echo "$model: $names" | awk -v n="${1:-999}" 'length > n { $0 = substr($0, 1, n - 3) "..." } 1')
        grep -A 1 -xF "$heading" "$tmp/out" | tail -n 1 |
            grep -qE '^  MI[0-9]+X? +FP(16|32) [FBW] .*, [0-9]x[0-9]/[12]  [^ ]+ +[0-9.]+ %$' ||
            { echo "$model has no tuple below its names, $names"; return 1; }
    done <"$tmp/models"
}

# Short enough for a screen, and the end says what the tuples are for.
short_demo() {
    mkdir "$tmp/demo" && compile examples/resnet50.c -o "$tmp/demo/resnet50" && demo &&
        headings 80 && [ "$(wc -l <"$tmp/out")" -le 40 ] && ! grep -E '.{81}' "$tmp/out" &&
        tail -n 4 "$tmp/out" | grep -q '^What to do with one: launch .*' &&
        [ "$(grep -c '^  MI' "$tmp/out")" -ge 11 ]
}

# Solvers for each convolution, and of every kernel a tuple for some, with a probability
whole_demo() {
    demo ALL=1 && headings || return 1
    [ "$(sed -n '/^conv_solver: /,/^conv_asm/p' "$tmp/out" | grep -cE '[1-9]  [A-Z].* [0-9.]+ %$')" -eq 120 ]
}

# The program of the tools gives the same tuple, beam 10.
demo_as_kpred() {
    said=$(sed -n '/^conv_asm_1x1u: /,/^conv_ocl/s/.* F   64 x  56x56  ->  256, 1x1.1  \([^ ]*\) .*/\1/p' "$tmp/out")
    "$BUILD/kpred" predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=32 c=64 h=56 w=56 k=256 \
        stride=1 --beam 10 -k 1 --csv | sed 1d | cut -d, -f3- | grep -qx "$said"
}

# ---- dispatch.c ----

DISPATCH_WARNINGS="-DKPRED_SIMD=0 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"

# dispatch COMMAND...: what it decides into $tmp/decisions, one line a problem, and what it logs
dispatch() {
    "$@" -std=c99 examples/dispatch.c -pthread -o "$tmp/dispatch" &&
        "$tmp/dispatch" >"$tmp/decisions" 2>"$tmp/log" || return 1
    [ "$(tail -n 1 "$tmp/decisions")" = "0 wrong" ]
}

# decided GPU PATTERN: a line for that GPU ends so
decided() {
    grep -qE "^$1 .* \| $2\$" "$tmp/decisions" || { echo "no line for $1 ends with: $2"; return 1; }
}

tuple='[0-9]+(,[0-9]+){5,8}'

every_kind() {
    decided gfx906:60 "conv_asm_1x1u $tuple \| predicted" &&
        decided gfx906:60 "conv_asm_bwd_wrw_3x3 $tuple \| predicted" &&
        decided gfx906:60 "conv_ocl_direct_fwd_1x1 $tuple \| predicted" &&
        decided gfx906:60 "conv_asm_1x1u $tuple \| extrapolated, tune later" &&
        decided gfx906:64 "conv_asm_1x1u $tuple \| nearest GPU, tune later" &&
        decided gfx908:120 "conv_asm_1x1u $tuple \| default, tune later" &&
        decided gfx1100:96 "- \| no kernel" &&
        decided gfx906:60 "- \| no kernel" && [ "$(wc -l <"$tmp/decisions")" -eq 10 ]
}

# One line from each of the two threads, though both 1x1 kernels were asked about 0 channels
logs_once() {
    grep -c '^conv_asm_1x1u: size out of range (index 4, value 0, limit 1)$' "$tmp/log" |
        grep -qx 2 && [ "$(wc -l <"$tmp/log")" -eq 2 ]
}

# The program of the tools finds the same tuples, beam 10.
same_as_kpred() {
    sed -n -e '/| predicted$/b found' -e '/| extrapolated/!d' -e ':found' \
        -e 's/^\(gfx[0-9]*\):60 [13]x[13] \(.*\) | \(.*\) \(.*\) | .*/\1 \2 \3 \4/p' \
        "$tmp/decisions" >"$tmp/predicted"
    [ "$(wc -l <"$tmp/predicted")" -eq 4 ] || return 1
    while read -r gpu dir dtype n c h w k stride groups model values; do
        case $model in *3x3) groups="groups=$groups" ;; *) groups= ;; esac
        "$BUILD/kpred" predict "$model" gpu=$gpu dir=$dir dtype=$dtype n=$n c=$c h=$h w=$w k=$k \
            stride=$stride $groups --beam 10 --csv 2>/dev/null | sed 1d | cut -d, -f3- |
            grep -qx "$values" || { echo "$model: other than $values"; return 1; }
    done <"$tmp/predicted"
}

# builds COMMAND...: it can link what uses threads, and the result runs
builds() {
    cat >"$tmp/probe.c" <<'END'
#include <pthread.h>
static void *run(void *x) { return x; }
int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0) || pthread_join(t, 0); }
END
    "$@" "$tmp/probe.c" -pthread -o "$tmp/probe" 2>/dev/null && "$tmp/probe" 2>/dev/null
}

# dispatch_with COMPILER: everything about dispatch.c that depends on it; -Wswitch-enum asks for every status
dispatch_with() {
    check "dispatch, $1" dispatch $1 $DISPATCH_WARNINGS -Wswitch-enum -I.
    check "dispatch, $1: every kind of decision" every_kind
    check "dispatch, $1: a log line a thread" logs_once
    check "dispatch, $1 -Wswitch-enum asks for the case of a new status" asks_for_case dispatch.c $1 -std=c99 \
        $DISPATCH_WARNINGS -Wswitch-enum -fsyntax-only
    if builds $1 -fsanitize=thread; then
        check "dispatch, $1 -fsanitize=thread" dispatch $1 -g -fsanitize=thread -DKPRED_SIMD=0 -I.
        check "dispatch, $1 -fsanitize=thread: a log line a thread" logs_once
    else
        skipped "dispatch, $1 -fsanitize=thread" "it cannot link that here, or not run it"
    fi
}

# ---- cpp.cpp ----

cpp() {
    "$@" -DKPRED_SIMD=0 $CXX_WARNINGS -I. examples/cpp.cpp -o "$tmp/cpp" && "$tmp/cpp" >"$tmp/out" || return 1
    [ "$(grep -cE '^read_size=[0-9]+ ([a-z_]+=[0-9]+ ){7} +[0-9.]+ %$' "$tmp/out")" -eq 3 ] &&
        [ "$(wc -l <"$tmp/out")" -eq 3 ] || return 1
    # The same problem and beam as the first of dispatch.c, so the same tuple
    head -n 1 "$tmp/out" | sed 's/  .*//;s/[a-z_]*=//g;s/ /,/g' >"$tmp/cpp_tuple"
    head -n 1 "$tmp/decisions" | grep -qF "| conv_asm_1x1u $(cat "$tmp/cpp_tuple") |"
}

# ---- own_kernel/; test_commands.py goes the way of README.md and docs/training.md ----

# The spec is what init writes of the table, and the conditions.
own_spec() {
    mkdir "$tmp/own" && cp examples/own_kernel/* "$tmp/own" && (
        cd "$tmp/own" || exit 1
        "$BUILD/kpred-train" init times.csv --fields rows,cols --name transpose -o new.spec 2>"$tmp/log" >"$tmp/out" &&
            sed -n '/^\[restrict\]/,$p' transpose.spec >>new.spec &&
            sed 's/new[.]spec/transpose.spec/' new.spec | diff - transpose.spec
    )
}

own_program() {
    "$BUILD/kpred-train" train "$tmp/own/transpose.spec" --data "$tmp/own/times.csv" --epochs 1 \
        -o "$tmp/own/transpose.h" 2>"$tmp/log" &&
        compile "$tmp/own/main.c" -o "$tmp/own/transpose" || return 1
    for sizes in "700 300" "64 60" "1 1" "256 1024"; do
        # shellcheck disable=SC2086
        "$tmp/own/transpose" $sizes >"$tmp/out" && grep -q ': right$' "$tmp/out" || return 1
    done
    ! "$tmp/own/transpose" 0 5 2>"$tmp/log" && grep -q 'size out of range' "$tmp/log"
}

# One tuple as arguments, or one a line: microseconds; a tuple that is none has failed.
own_timer() {
    tuple="rows=70 cols=30 tile_rows=16 tile_cols=4 walk=1 edge=1"
    $CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -O2 \
        "$tmp/own/timer.c" -o "$tmp/own/timer" && "$tmp/own/timer" $tuple | grep -qE '^[0-9]+[.][0-9]+$' &&
        printf '%s\n' "$tuple" "rows=70" "$tuple rows=0" "$tuple edge=0" "$tuple" | "$tmp/own/timer" >"$tmp/out" &&
        [ "$(sed 's/^answer: [0-9.]*$/time/; s/^answer: f/f/' "$tmp/out" | tr '\n' ' ')" = "time failed failed failed time " ] &&
        ! "$tmp/own/timer" tile=3
}

# ---- all of them ----

check "minimal" minimal
check "cache" cache
for cc in gcc clang; do
    case $(uname -sm) in
    "Linux x86_64" | "Linux aarch64")
        check_with $cc "freestanding, $cc" freestanding $cc -O0
        check_with $cc "freestanding, $cc -O2" freestanding $cc -O2 ;;
    *) skipped "freestanding, $cc" "it knows Linux on x86-64 and aarch64 only" ;;
    esac
done
check "make demo" short_demo
check "make demo ALL=1" whole_demo
check "make demo, compared with kpred" demo_as_kpred
for cc in gcc clang; do
    if has $cc; then dispatch_with $cc; else skipped "dispatch, $cc" "it is not installed"; fi
done
check_with "$tmp/decisions" "dispatch, compared with kpred" same_as_kpred
for cxx in g++ clang++; do
    check_with $cxx "cpp, $cxx -std=c++11" cpp $cxx -std=c++11
    check_with $cxx "cpp, $cxx -std=c++20" cpp $cxx -std=c++20
done
need_trainer "own_kernel"
check "own_kernel: its spec" own_spec
check "own_kernel: the program" own_program
check "own_kernel: what measured the table" compile -c "$tmp/own/measure.c" -o "$tmp/own/measure.o"
check "own_kernel: what times a tuple for tune" own_timer
test_end
