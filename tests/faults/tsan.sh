#!/bin/sh
# tsan.sh - the trainer and the tuner, built in build/tsan: no report of ThreadSanitizer, and the same bytes as without
# SPDX-License-Identifier: MIT
. tests/harness/script.inc
. tests/faults/inputs.inc

test_begin
need_trainer "ThreadSanitizer"
need make "ThreadSanitizer"
sanitize="-O1 -g -fsanitize=thread"
export TSAN_OPTIONS="log_path=$tmp/report exitcode=66"

# Two threads that write one variable
printf '%s\n' '#include <pthread.h>' 'static int shared;' \
    'static void *count(void *to) { for (int i = 0; i < 1000; i++) shared++; return to; }' \
    'int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); count(0); return pthread_join(t, 0); }' >"$tmp/race.c"
$CC -std=c99 $sanitize "$tmp/race.c" -o "$tmp/race" -pthread 2>/dev/null ||
    end_without "ThreadSanitizer" "$CC cannot link it here"
# A new kernel may spread addresses wider than the library takes.
run=
! has setarch || ! setarch -R true 2>/dev/null || run="setarch -R"
$run "$tmp/race"
if [ $? != 66 ] || ! grep -q "data race" "$tmp"/report.*; then
    end_without "ThreadSanitizer" "it does not run here: it misses a race"
fi
passed "it finds a race"
rm -f "$tmp"/report.*

make -s BUILD="$BUILD/tsan" CC="$CC" CFLAGS="$sanitize" LDFLAGS=-fsanitize=thread "$BUILD/tsan/kpred-train" \
    >"$tmp/log" 2>&1 || { failed "kpred-train builds" "$(tail -n 3 "$tmp/log")"; test_end; exit; }
sanitized=$BUILD/tsan/kpred-train
mkdir "$tmp/in" && cd "$tmp/in" || exit 1
for inputs in own tune; do check "inputs: $inputs" ${inputs}_inputs; done

# quiet ARGUMENT...: it succeeds without a report
quiet() {
    $run "$sanitized" "$@" >"$tmp/out" 2>"$tmp/err" && ! ls "$tmp"/report.* 2>/dev/null && return
    echo "status $?"
    head -n 20 "$tmp"/report.* "$tmp/err"
    return 1
}

# trains THREADS: the same header as without the sanitizer and with one thread
trains() {
    quiet train own.spec --data times.csv --epochs 1 --threads "$1" -o threads.h && mv threads.h first.h &&
        "$trainer" train own.spec --data times.csv --epochs 1 --threads 1 -o threads.h 2>"$tmp/err" &&
        cmp first.h threads.h
}
for threads in 2 7; do check "train, $threads threads" trains $threads; done
head -n 40 times.csv >few.csv
# Of what was timed alone, as it learns slowly
{ sed 's/^draws = .*/draws = 32/' own.spec; echo 'judge_trees = 0'; } >encdec.spec
check "train --net encdec" quiet train encdec.spec --data few.csv --epochs 1 --threads 3 --net encdec -o encdec.h
check "eval" quiet eval own.h --data times.csv -k 1,4 --rows all
check "eval --float" quiet eval own.h --data times.csv -k 1 --rows all --float
check "tune --run" quiet tune own.spec --problems problems.csv --run ./time.sh -o rows.csv
check "tune --server" quiet tune own.spec --problems problems.csv --server ./server.sh -o served.csv
check "tune --replay" quiet tune own.spec --replay table.csv --seeds 2 --budget 8
test_end
