#!/bin/sh
# fuzz.sh - the fuzz targets: on the inputs that are kept, or with libFuzzer on those that it makes up
# SPDX-License-Identifier: MIT
#
# usage: tests/fuzz/fuzz.sh [--seconds N [--only NAME,NAME...] [--jobs N]]
#
# Without arguments it is the suite `fuzz`: every target runs on its seeds, which have to come to all its
# checks, and on what was found by it. The log says by how many seeds each is reached. With --seconds each
# target runs for so long, two at a time unless --jobs says otherwise. The inputs that lead to new code stay
# in $BUILD/fuzz/corpus, and the next run begins with them. Those at which a target fails stay in
# $BUILD/fuzz/crashes. Then come a table, the same as $BUILD/fuzz/fuzz.csv, and the totals.
. tests/harness/script.inc
. tests/fuzz/fuzz.inc

seconds='' only='' jobs=2
while [ $# -gt 1 ]; do
    case $1 in
    --seconds) seconds=$2 ;;
    --only) only=$(echo "$2" | tr , ' ') ;;
    --jobs) jobs=$2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -eq 0 ] || { echo "usage: fuzz.sh [--seconds N [--only NAME,NAME...] [--jobs N]]" >&2; exit 2; }
test_begin

# ---- the inputs that are kept ----

# A program of all targets, without a fuzzer
build_replay() {
    export CC CFLAGS
    fuzz_targets | sed 's/.*/TARGET(&)/' >"$tmp/targets.h"
    { echo "$FUZZ_COMMON" replay; fuzz_targets | sed 's/^/fuzz_/'; } | tr ' ' '\n' |
        xargs -P 2 -n 1 sh $FUZZ/compile_replay.sh "$tmp" || return 1
    # shellcheck disable=SC2046
    $CC $CFLAGS $(fuzz_wraps) "$tmp"/*.o "$archive" -o "$tmp/replay" $(libraries) -lm -pthread
}

# replay TARGET: on all its inputs. What it says of those that it refuses is no news.
replay() {
    seeds=$(fuzz_seeds "$1")
    [ "$seeds" ] || { echo "there is no seed"; return 1; }
    # shellcheck disable=SC2046
    if [ "$lacks" ]; then set -- "$1" -- $seeds $(fuzz_found "$1"); else set -- "$1" $seeds -- $(fuzz_found "$1"); fi
    FUZZ_FOLDER=$tmp "$tmp/replay" "$@" </dev/null >/dev/null 2>"$tmp/err" || { tail -n 5 "$tmp/err"; return 1; }
    sed -n '/^reached: /p' "$tmp/err" >>"$tmp/reached"
}

if [ -z "$seconds" ]; then
    check "the targets compile" build_replay
    lacks='' # a library without which readers refuse what seeds are
    for library in SQLITE BZIP2 ZLIB JANSSON; do
        grep -q HAVE_$library "$BUILD/libraries" || lacks="$lacks $library"
    done
    : >"$tmp/reached"
    for name in $(fuzz_targets); do check "$name" replay "$name"; done
    [ ! "$lacks" ] || skipped "what the seeds reach" "this build is without$lacks"
    cat "$tmp/reached"
    test_end
    exit
fi

# ---- those that libFuzzer makes up ----

clang=${FUZZ_CLANG:-clang} home=$BUILD/fuzz
flags='-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all'
sanitizers=address,undefined,float-cast-overflow
unset MAKEFLAGS MFLAGS MAKELEVEL
[ -n "${only# }" ] || only=$(fuzz_targets | tr '\n' ' ')
for name in $only; do
    [ -e "$FUZZ/fuzz_$name.c" ] || { echo "fuzz.sh: \"$name\" is no target" >&2; exit 2; }
done

has_fuzzer() {
    printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
        'int LLVMFuzzerTestOneInput(const uint8_t *s, size_t n) { return n > 9 && *s ? 0 : 0; }' >"$tmp/probe.c"
    "$clang" $flags -fsanitize=fuzzer,$sanitizers "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null
}

# The tools once, with what the fuzzer needs to see of them; then a program for each target
build() {
    "${MAKE:-make}" -s -j"$jobs" BUILD="$home" CC="$clang" EXACT='-ffp-contract=off -pthread' \
        CFLAGS="$flags -fsanitize=fuzzer-no-link,$sanitizers" "$home/libkpred-tools.a" || return 1
    for name in $FUZZ_COMMON $(printf 'fuzz_%s ' $only); do
        fuzz_compile "$name" "$home/objects/$name.o" "$clang" $flags -fsanitize=fuzzer-no-link,$sanitizers ||
            return 1
    done
    for name in $only; do
        # shellcheck disable=SC2046
        "$clang" $flags -fsanitize=fuzzer,$sanitizers $(fuzz_wraps) "$home/objects/fuzz_$name.o" \
            $(printf "$home/objects/%s.o " $FUZZ_COMMON) "$home/libkpred-tools.a" -o "$home/fuzz_$name" \
            $(cat "$home/libraries") -lm -pthread || return 1
    done
}

table() {
    awk -F, '{ printf "%-12s %12s %10s %7s %7s %10s %8s %7s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$home/fuzz.csv"
    echo "the same as CSV: $home/fuzz.csv"
}

# verdict TARGET FAULTS: in its log stands what a fault was, and where its input lies
verdict() {
    [ "$2" -eq 0 ] && return
    grep -hE 'does not hold|runtime error|^SUMMARY|Test unit written' "$home/logs/$1.log"
    return 1
}

has_fuzzer || end_without "fuzz" "there is no clang with libFuzzer"
mkdir -p "$home/objects" "$home/logs"
check "the targets compile" build
[ "$n_failed" -eq 0 ] || { test_end; exit; }
printf '%s\n' $only | xargs -P "$jobs" -n 1 sh $FUZZ/fuzz_one.sh "$home" "$seconds"
{
    echo "target,executions,per_second,edges,new,idle_for,seconds,faults"
    for name in $only; do cat "$home/logs/$name.row"; done
} >"$home/fuzz.csv"
table
for name in $only; do check "$name" verdict "$name" "$(sed 's/.*,//' "$home/logs/$name.row")"; done
test_end
