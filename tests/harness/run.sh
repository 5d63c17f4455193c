#!/bin/sh
# run.sh - runs the test suites side by side, prints a line for each and the true totals at the end
# SPDX-License-Identifier: MIT
#
# usage: [JOBS=N] [BUILD=build] [CC=cc] [CFLAGS=-O2] [MIOPEN_DB=DIR] [TENSILE_CSV=DIR] [AITER_CSV=DIR]
#        [ORACLE=rules.py] tests/harness/run.sh [--smoke | --all | --deep | NAME...]
#
# Run it from the repository's root, after `make`; `make check` does both. Every tests/*/test_*.c is a
# suite, and every tests/*/*.sh but this one and what suites call. tests/harness/suites says which of
# them run only on demand. NAME: only these (test_math, cli, signature-gcc, ...), of whatever kind. The
# output of a suite ends with `N passed, N failed, N skipped`; one that does not get that far, or counts
# nothing at all, is a failed one. It is kept in $BUILD/check/NAME.log.
set -u
. tests/harness/script.inc
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}
AITER_CSV=${AITER_CSV:-../shared/aiter}
ORACLE=${ORACLE:-../shared/miopen/rules.py}
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
export BUILD CC CFLAGS MIOPEN_DB TENSILE_CSV AITER_CSV ORACLE
unset MAKEFLAGS MFLAGS MAKELEVEL # the suites that call make choose for themselves
out=$BUILD/check
mkdir -p "$out" || exit 1

# ---- one suite: --one NAME ----

program() {
    if grep -q '^#include "\(weights/\|.*shipped.h\)' tests/*/"$1.c" && ! has_weights; then
        skipped all "the weights are not there (make weights)"
        test_end
    elif [ -e tests/evolve/"$1.c" ] && [ ! -e "$BUILD/libkpred-evolve.a" ]; then
        skipped all "there is no LLVM 16: kpred-evolve is not built"
        test_end
    else
        test_program "$1" "$out/$1" && "$out/$1"
    fi
}

# suite NAME: behind the script's name may stand -PART
suite() {
    script=$(echo tests/*/"${1%%-*}.sh")
    case $1 in
    *-*) sh "$script" "${1#*-}" ;;
    *) if [ -e "$script" ]; then sh "$script"; else program "$1"; fi ;;
    esac
}

# The last line of a log, if that is what a suite ends with that ran anything; else a failure, said in the log
totals() {
    case $(tail -n 1 "$1" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped') in
    '') echo "it ended with status $2 and without totals" >>"$1" ;;
    '0 passed, 0 failed, 0 skipped') echo "it ended with status $2 and ran nothing" >>"$1" ;;
    *) tail -n 1 "$1"; return ;;
    esac
    echo "0 passed, 1 failed, 0 skipped"
}

# one NAME: runs it; its line, its counts in NAME.totals, and its processor time in NAME.times
one() {
    name=$1 log=$out/$1.log
    start=$(date +%s)
    suite "$name" >"$log" 2>&1 </dev/null
    status=$? seconds=$(($(date +%s) - start))
    # shellcheck disable=SC2046
    set -- $(totals "$log" $status | tr -cd '0-9 ')
    if [ $status -ne 0 ] && [ "$2" -eq 0 ]; then
        echo "it ended with status $status and counted no failure" >>"$log"
        set -- "$1" 1 "$3"
    fi
    printf '%-18s %4s passed, %s failed, %s skipped, %s s\n' "$name" "$@" $seconds
    echo "$@" >"$out/$name.totals"
    times >"$out/$name.times"
}

if [ "${1-}" = --one ]; then
    one "$2"
    exit 0 # a failure is in the totals; another status may stop the others
fi

# ---- which suites there are ----

table() {
    grep -v '^#' tests/harness/suites
}

# SECONDS KIND NAME of every suite, longest first: those of the table, then the files it does not name
every_suite() {
    table | sort -rn
    for file in tests/*/test_*.c tests/*/*.sh; do
        name=$(basename "${file%.*}")
        case $name in run | cross | four | fuzz_one | compile_replay) continue ;; esac
        table | grep -qE " $name(-.*)?\$" || echo "2 check $name"
    done | sort -u
}

# chosen ARGUMENT...: of these lines those that are to run
chosen() {
    case ${1-} in
    --all) every_suite | grep -v ' deep ' ;;
    --deep) every_suite | grep ' deep ' ;;
    --smoke) every_suite | grep ' smoke ' ;;
    '') every_suite | grep -vE ' (wide|deep) ' ;;
    *)
        every_suite >"$out/every"
        for name in "$@"; do
            grep " $name\$" "$out/every" || grep " $name-" "$out/every" || echo "unknown $name"
        done
        ;;
    esac
}

chosen "$@" >"$out/chosen"
if grep '^unknown' "$out/chosen"; then exit 2; fi
[ -s "$out/chosen" ] || { echo "run.sh: there is no suite to run" >&2; exit 2; }
names=$(cut -d' ' -f3 "$out/chosen")
for name in $names; do rm -f "$out/$name.totals"; done

# ---- all of them ----

awk -v jobs="$JOBS" '{ s += $1; if ($1 > most) most = $1 }
    END { s /= jobs; if (s < most) s = most
          printf "%d suites, %d at a time: about %.1f minutes\n", NR, jobs, s / 60 }' "$out/chosen"
printf '%s\n' $names | xargs -P "$JOBS" -n 1 sh tests/harness/run.sh --one

# A suite that was ended from outside has left no totals.
for name in $names; do
    if [ ! -s "$out/$name.totals" ]; then
        echo "it did not come to its end" >>"$out/$name.log"
        echo "0 1 0" >"$out/$name.totals"
    fi
    read -r _ failures _ <"$out/$name.totals"
    [ "$failures" -eq 0 ] || { echo "$name:"; sed 's/^/    /' "$out/$name.log"; }
done
for name in $names; do
    sed -n "s/^skip /    $name: /p" "$out/$name.log"
done >"$out/skips"
[ ! -s "$out/skips" ] || { echo "skipped:"; cat "$out/skips"; }
# shellcheck disable=SC2046
awk '{ p += $1; f += $2; s += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' \
    $(printf "$out/%s.totals " $names)
