#!/bin/sh
# fuzz.sh - the fuzz targets: on the inputs that are kept, or with libFuzzer on those that it makes up
# SPDX-License-Identifier: MIT
#
# usage: tests/fuzz/fuzz.sh [--seconds N [--only NAME,NAME...] [--jobs N]]
#
# Without arguments it is the suite `fuzz`: every target runs on its seeds, which have to come to all its checks, and
# on what was found by it. The log says by how many seeds each is reached. With --seconds each target runs for so long,
# two at a time unless --jobs says otherwise. Inputs that lead to new code stay in $BUILD/fuzz/corpus for the next run,
# and those at which a target fails in $BUILD/fuzz/crashes.
. tests/harness/script.inc
FUZZ=tests/fuzz

seconds='' only='' jobs=2 one=''
while [ $# -gt 1 ]; do
    case $1 in
    --seconds) seconds=$2 ;;
    --only) only=$(echo "$2" | tr , ' ') ;;
    --jobs) jobs=$2 ;;
    --one) one=$2 ;; # of those targets, with the program that is there: what this script calls for each
    *) break ;;
    esac
    shift 2
done
[ $# -eq 0 ] || { echo "usage: fuzz.sh [--seconds N [--only NAME,NAME...] [--jobs N]]" >&2; exit 2; }

fuzz_targets() {
    sed -n 's/^[A-Z]*_TARGET(\([a-z0-9_]*\).*/\1/p' $FUZZ/target_*.c | sort
}

# compile PROGRAM COMPILER...: all targets, with what wraps.c takes the place of
compile() {
    program=$1; shift
    # shellcheck disable=SC2046
    "$@" -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -Itests $FUZZ/*.c "$archive" $(libraries) -lm -pthread \
        $(sed -n -E 's/^(WRAPPED\([^,]*, |JAILED[A-Z_]*\()([a-z0-9_]*).*/-Wl,--wrap=\2/p' $FUZZ/wraps.c) -o "$program"
}

# ---- the inputs that are kept ----

# replay TARGET: on all its inputs. What it says of those that it refuses is not news.
replay() {
    FUZZ_FOLDER=$tmp "$tmp/replay" "$1" ${lacks:+unjudged} </dev/null >/dev/null 2>"$tmp/$1.err" ||
        { tail -n 5 "$tmp/$1.err"; return 1; }
}

if [ -z "$seconds" ]; then
    test_begin
    check "the targets compile" compile "$tmp/replay" $CC $CFLAGS -O0
    lacks='' # a library without which readers refuse what seeds are
    for library in SQLITE BZIP2 ZLIB; do
        grep -q HAVE_$library "$BUILD/libraries" || lacks="$lacks $library"
    done
    for name in $(fuzz_targets); do check "$name" replay "$name"; done
    [ ! "$lacks" ] || skipped "what the seeds reach" "this build is without$lacks"
    sed -n '/^reached: /p' "$tmp"/*.err
    test_end
    exit
fi

# ---- those that libFuzzer makes up ----

# count_faults: inputs at which the target fails; slow ones are none
count_faults() {
    find "$crashes" -name 'crash-*' -o -name 'leak-*' -o -name 'timeout-*' -o -name 'oom-*' | wc -l
}

# fuzz_one TARGET: it leaves a log in $home/logs, whose last line has the status, the seconds and the faults.
fuzz_one() {
    log=$home/logs/$1.log crashes=$home/crashes/$1
    export FUZZ_TARGET="$1" FUZZ_SEEDS="$tmp/seeds" FUZZ_FOLDER="$tmp"
    mkdir -p "$home/corpus/$1" "$tmp/seeds" "$crashes"
    awk -v target="$1" '/^==== / { inside = $2 == target; next } inside' $FUZZ/dict >"$tmp/dict"
    set -- "$home/corpus/$1" "$tmp/seeds"
    [ ! -s "$tmp/dict" ] || set -- -dict="$tmp/dict" "$@"
    before=$(count_faults) start=$(date +%s)
    "$home/fuzzer" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -close_fd_mask=3 -reload=0 \
        -print_final_stats=1 -artifact_prefix="$crashes/" "$@" </dev/null >"$log" 2>&1
    echo "ended $? $(($(date +%s) - start)) $(($(count_faults) - before))" >>"$log"
}

# row TARGET: of the CSV file. The edges that were reached, and since when none was new: idle_for
row() {
    awk -v name="$1" '
        /^stat::number_of_executed_units/ { runs = $2 }
        /^stat::new_units_added/ { new = $2 }
        /^#[0-9]+.* cov: / { sub(/[ \t].* cov: /, " "); if ($2 > edges) { edges = $2; at = substr($1, 2) } }
        /^ended / { took = $3 > 0 ? $3 : 1; faults = ($2 || !runs) && !$4 ? 1 : $4 }
        END { printf "%s,%d,%d,%d,%d,%d,%d,%d\n", name, runs, runs / took, edges, new,
                  (runs > at ? took * (runs - at) / runs : 0), took, faults }' "$home/logs/$1.log"
}

[ ! "$one" ] || [ ! -d /dev/shm ] || export TMPDIR=/dev/shm # the files that a target makes are in memory
test_begin
clang=${FUZZ_CLANG:-clang} home=$BUILD/fuzz
[ ! "$one" ] || { fuzz_one "$one"; exit; }
flags='-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all'
sanitizers=address,undefined,float-cast-overflow
unset MAKEFLAGS MFLAGS MAKELEVEL
[ -n "${only# }" ] || only=$(fuzz_targets | tr '\n' ' ')
for name in $only; do
    fuzz_targets | grep -qx "$name" || { echo "fuzz.sh: \"$name\" is not a target" >&2; exit 2; }
done
printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
    'int LLVMFuzzerTestOneInput(const uint8_t *s, size_t n) { return n > 9 && *s ? 0 : 0; }' >"$tmp/probe.c"
"$clang" $flags -fsanitize=fuzzer,$sanitizers "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null ||
    end_without "fuzz" "there is no clang with libFuzzer"

# The tools, with what the fuzzer needs to see of them, and a program of all targets
build() {
    "${MAKE:-make}" -s -j"$jobs" BUILD="$home" CC="$clang" EXACT='-ffp-contract=off -pthread' \
        CFLAGS="$flags -fsanitize=fuzzer-no-link,$sanitizers" "$home/libkpred-tools.a" || return 1
    BUILD=$home archive=$home/libkpred-tools.a
    compile "$home/fuzzer" "$clang" $flags -fsanitize=fuzzer,$sanitizers -DWITH_LIBFUZZER
}

# verdict TARGET: in its log stands what a fault was, and where its input lies
verdict() {
    grep -q "^$1,.*,0\$" "$home/fuzz.csv" && return
    grep -hE 'does not hold|runtime error|^SUMMARY|Test unit written' "$home/logs/$1.log"
    return 1
}

mkdir -p "$home/logs"
check "the targets compile" build
[ "$n_failed" -eq 0 ] || { test_end; exit; }
printf '%s\n' $only | BUILD=${home%/fuzz} xargs -P "$jobs" -n 1 sh "$0" --seconds "$seconds" --one
{
    echo "target,executions,per_second,edges,new,idle_for,seconds,faults"
    for name in $only; do row "$name"; done
} >"$home/fuzz.csv"
awk -F, '{ printf "%-12s %12s %10s %7s %7s %10s %8s %7s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$home/fuzz.csv"
echo "the same as CSV: $home/fuzz.csv"
for name in $only; do check "$name" verdict "$name"; done
test_end
