#!/bin/sh
# fuzz.sh - the fuzz targets: on the inputs that are kept, or with libFuzzer on those that it makes up
# SPDX-License-Identifier: MIT
#
# usage: tests/fuzz/fuzz.sh [--seconds N [--only NAME,NAME...] [--jobs N]]
#
# Without arguments it is the suite `fuzz`: every target runs on its seeds and on what was found by it.
# With --seconds, each target runs for so long, two at a time unless --jobs says otherwise. The inputs that
# lead to new code stay in $BUILD/fuzz/corpus, and a later run begins with them; those at which a target
# fails stay in $BUILD/fuzz/crashes. Then come a table, a CSV file and the totals.
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

listed() {
    tr ' ' '\n' <$FUZZ/targets.h | sed -n 's/^X(\([a-z_0-9]*\))$/\1/p' | sort >"$tmp/listed"
    fuzz_targets | sort | diff "$tmp/listed" -
}

build_replay() {
    {
        for name in $FUZZ_COMMON replay; do echo "$name x"; done
        for name in $(fuzz_targets); do echo "fuzz_$name -DLLVMFuzzerTestOneInput=target_$name"; done
    } >"$tmp/files"
    export FUZZ BUILD tmp
    xargs -P 2 -n 2 sh -c '. tests/harness/script.inc; . tests/fuzz/fuzz.inc
        [ "$2" != x ] || set -- "$1" -DREPLAY
        fuzz_compile "$1" "$tmp/$1.o" $CC $CFLAGS "$2"' sh <"$tmp/files" &&
        $CC $CFLAGS $(fuzz_wraps) "$tmp"/*.o "$archive" -o "$tmp/replay" $(libraries) -lm -pthread
}

# replay TARGET: on all its inputs; the messages of what it refuses are no news
replay() {
    # shellcheck disable=SC2046
    set -- "$1" $(fuzz_inputs "$1")
    [ $# -gt 1 ] || { echo "there is no seed"; return 1; }
    FUZZ_FOLDER=$tmp "$tmp/replay" "$@" </dev/null >/dev/null 2>"$tmp/err" || { tail -n 5 "$tmp/err"; return 1; }
}

if [ -z "$seconds" ]; then
    check "the list of targets" listed
    check "the targets compile" build_replay
    for name in $(fuzz_targets); do check "$name" replay "$name"; done
    test_end
    exit
fi

# ---- those that libFuzzer makes up ----

clang=${FUZZ_CLANG:-clang}
flags='-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all'
sanitizers=address,undefined,float-cast-overflow
home=$BUILD/fuzz
echo 'int LLVMFuzzerTestOneInput(const char *s, unsigned long n); int LLVMFuzzerTestOneInput(const char *s,
    unsigned long n) { return n > 0 && *s == 1 ? 0 : 0; }' >"$tmp/probe.c"
"$clang" $flags -fsanitize=fuzzer,$sanitizers "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null ||
    end_without "fuzz" "there is no clang with libFuzzer"
mkdir -p "$home/crashes" "$home/objects" "$home/logs"

build() {
    $MAKE -s -j"$jobs" BUILD="$home" CC="$clang" EXACT='-ffp-contract=off -pthread' \
        CFLAGS="$flags -fsanitize=fuzzer-no-link,$sanitizers" "$home/libkpred-tools.a" || return 1
    for name in $FUZZ_COMMON $(for name in $only; do echo "fuzz_$name"; done); do
        (BUILD=$home && fuzz_compile "$name" "$home/objects/$name.o" "$clang" $flags \
            -fsanitize=fuzzer-no-link,$sanitizers) || return 1
    done
    for name in $only; do
        set -- "$home/objects/fuzz_$name.o"
        for file in $FUZZ_COMMON; do set -- "$@" "$home/objects/$file.o"; done
        "$clang" $flags -fsanitize=fuzzer,$sanitizers $(fuzz_wraps) "$@" "$home/libkpred-tools.a" \
            -o "$home/fuzz_$name" $(cat "$home/libraries") -lm -pthread || return 1
    done
}

MAKE=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKELEVEL
[ -n "$only" ] || only=$(fuzz_targets | tr '\n' ' ')
for name in $only; do
    [ -e "$FUZZ/fuzz_$name.c" ] || { echo "\"$name\" is no target" >&2; exit 2; }
done
check "the targets compile" build
[ "$n_failed" -eq 0 ] || { test_end; exit; }
export seconds home FUZZ
printf '%s\n' $only | xargs -P "$jobs" -n 1 sh tests/fuzz/fuzz_one.sh
for name in $only; do cat "$home/logs/$name.row"; done >"$tmp/rows"
{
    echo "target,executions,per_second,edges,new_inputs,seconds_since_last,seconds,faults"
    cat "$tmp/rows"
} >"$home/fuzz.csv"
sed 's/_/ /g; s/^/ /' "$home/fuzz.csv" >/dev/null
awk -F, 'NR == 1 { printf "%-12s %12s %10s %8s %8s %10s %8s %7s\n", "target", "executions", "per second",
             "edges", "new", "idle for", "seconds", "faults"; next }
         { printf "%-12s %12d %10d %8d %8d %10d %8d %7d\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$home/fuzz.csv"
echo "$home/fuzz.csv"
while IFS=, read -r name _ _ _ _ _ _ faults; do
    if [ "$faults" -eq 0 ]; then
        passed "$name"
    else
        failed "$name" "$(grep -m 3 -hE 'ERROR|SUMMARY|does not hold|runtime error' "$home/logs/$name.log")"
    fi
done <"$tmp/rows"
test_end
