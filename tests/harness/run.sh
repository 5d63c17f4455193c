#!/bin/sh
# run.sh - runs the test suites side by side, prints a line for each and the true totals at the end
# SPDX-License-Identifier: MIT
#
# usage: [JOBS=N] [BUILD=build] [CC=cc] [CFLAGS=-O2] [MIOPEN_DB=DIR] [TENSILE_CSV=DIR] [AITER_CSV=DIR]
#        [TRITON_CONFIGS=DIR] [ORACLE=rules.py] tests/harness/run.sh [--list]
#        [--smoke | --bare | --all | --deep | --failed | --room ROOM | NAME...]
#
# Run it from the repository's root, after `make`; `make check` does both. Suites are every tests/*/test_*.c, every
# tests/*/test_*.steps, which steps.c runs, every tests/*/test_NAME.py (as NAME), and every tests/*/*.sh but this one and
# what suites call; so are those in tools/*/tests, of outbuildings. The tables `suites`, of tests/harness and of
# tools/*/tests, say which run only on demand. NAME: only these (test_math, json, ...), of whatever kind.
# --failed: those that failed the last time. --bare: those of `make check` that may do otherwise on a bare machine.
# --room ROOM: those of tools/ROOM/tests. --list: their names alone. The output of a suite ends with `N passed, N
# failed, N skipped`; one that does not get that far, counts nothing at all, or takes longer than its limit
# (LIMIT seconds, or some times what the table says) is a failed one. It is kept in $BUILD/check/NAME.log.
set -u
. tests/harness/script.inc
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}
TRITON_CONFIGS=${TRITON_CONFIGS:-../shared/triton}
AITER_CSV=${AITER_CSV:-../shared/aiter}
ORACLE=${ORACLE:-../shared/miopen/rules.py}
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
KPRED_IMPORTERS=${PYTHON_CHOSEN:+${KPRED_IMPORTERS-}} # by the run that has chosen
KPRED_IMPORTERS=$(absolute "${KPRED_IMPORTERS:-tools/python/kpred}") # for programs that are built elsewhere
export BUILD CC CFLAGS MIOPEN_DB TENSILE_CSV AITER_CSV TRITON_CONFIGS ORACLE KPRED_IMPORTERS
unset MAKEFLAGS MFLAGS MAKELEVEL # the suites that call make choose for themselves
out=$BUILD/check
mkdir -p "$out" || exit 1

# ---- which suites there are ----

# The lines of the table, and of the files that it does not name
each_suite() {
    suite_table | tee "$out/table"
    { test_files 'test_*.c'; test_files 'test_*.steps'; test_files 'test_*.py'; test_files '*.sh'; } | awk -v table="$out/table" '
        BEGIN { while ((getline <table) > 0) { sub(/-.*/, "", $3); named[$3] } }
        { sub(/.*\//, "") }
        /[.]py$/ { sub(/^test_/, "") }
        { sub(/[.][a-z]+$/, ""); if (!($0 in named) && $0 != "run") print "2 check " $0 }' | sort -u
}

# SECONDS KIND NAME of every suite, longest first; the seconds are those of the last run, if there was one
every_suite() {
    each_suite | awk -v seconds="$out/seconds" '
        BEGIN { while ((getline line <seconds) > 0) { split(line, word); measured[word[2]] = word[1] } }
        { if ($3 in measured) $1 = measured[$3]; print }' | sort -rn
}

# may_differ NAME: on a bare machine? It is no program of C; or it asks what is there, runs a program besides the
# compiler and these, or names a file that a library reads.
may_differ() {
    file=$(test_files "$1.c")
    [ "$file" ] || return 0
    cases=$(grep -oE '(tests/[a-z]+|tools/[a-z]+/tests)/[a-z_]*[.]cases' "$file" | sort -u)
    grep -qE 'has_command|has_library|is_had|NEEDS|/bin/sh|popen|^(sh|c|needs) |[.](json|db|bz2|gz)\>' "$file" $cases ||
        grep -ohE '/usr/bin/env [a-z][a-z0-9]*' "$file" $cases | grep -qvxE '/usr/bin/env (cat|cmp|cut|ls|sed|sort)'
}

# chosen ARGUMENT...: of these lines those that are to run
chosen() {
    case ${1-} in
    --all) every_suite | grep -vE ' (short|deep) ' ;;
    --deep) every_suite | grep ' deep ' ;;
    --smoke) every_suite | grep ' smoke ' ;;
    --bare) chosen | while read -r line; do ! may_differ "${line##* }" || echo "$line"; done ;;
    --room) chosen --all | while read -r line; do
        [ "$(outbuilding "$(suite_file "${line##* }")")" != "$2" ] || echo "$line"
    done ;;
    '') every_suite | grep -vE ' (wide|deep) ' ;;
    *)
        every_suite >"$out/every"
        for name in "$@"; do
            grep " $name\$" "$out/every" || grep " $name-" "$out/every" || echo "unknown $name"
        done
        ;;
    esac
}

# ---- programs in C ----

# Why a program of this name cannot be built, or nothing
lacks() {
    file=$(test_files "$1.c")
    if grep -q '^#include "\(weights/\|.*shipped.h\)' "$file" && ! has_weights; then
        echo "the weights are not there (make weights)"
    elif [ ! -e "$(archive_of "$file")" ]; then
        echo "$(archive_of "$file") is not built"
    fi
}

# A makefile of those that can be built. To optimise takes longer than most run, but some compute much themselves. What
# the tools have of kpred.h is compiled already. One that does not compile is not there, and its suite says why.
programs() {
    given=$CFLAGS fast=$(echo "$CFLAGS" | sed 's/-O[23]/-O1/') plain=$(echo "$CFLAGS" | sed 's/-O[23]/-O0/')
    for file in tests/harness/steps.c $(test_files 'test_*.c'); do
        name=${file##*/} name=${name%.c} program=$out/$name
        case ${name#test_} in
        domains | integer | math | models | network | rules | search | select | simd) CFLAGS=$fast ;;
        *) CFLAGS=$plain ;;
        esac
        [ "$(lacks "$name")" ] || printf '%s: %s\n\trm -f $@; %s\n-include %s.d\n' "$program" \
            "$file $(archive_of "$file") $out/programs.mk" \
            "$(test_command "$file" "$program" -DMODELS_APART -MMD -MP -MF "$program.d" -MT "$program")" "$program"
    done
    CFLAGS=$given
}

# build_programs NAME...: those of them that are programs, in one pass
build_programs() {
    programs >"$out/programs.new"
    cmp -s "$out/programs.new" "$out/programs.mk" || cp "$out/programs.new" "$out/programs.mk"
    sed -n 's/^\([^ ]*\): .*/\1/p' "$out/programs.mk" >"$out/programs"
    goals=$(printf "$out/%s\n" steps "$@" | grep -xFf "$out/programs")
    [ ! "$goals" ] || "${MAKE:-make}" -s -k -j"$JOBS" -f "$out/programs.mk" $goals >"$out/programs.log" 2>&1
}

# ---- one suite ----

# program NAME [ARGUMENT...]
program() {
    name=$1; shift
    why=$(lacks "$name")
    if [ "$why" ]; then
        skipped all "$why"
        test_end
    else
        { [ -x "$out/$name" ] || test_program "$name" "$out/$name"; } && "$out/$name" "$@"
    fi
}

# Of several python3 the one that has numpy is that of all suites. Where python3 is a script that looks for the right one,
# as a version manager's is, a link spares each start that search. An environment has to be started by its own name.
choose_python() {
    PYTHON_CHOSEN=1
    export PYTHON_CHOSEN
    find_numpy || python=python3
    python=$("$python" -c 'import sys; print(sys.executable if sys.prefix == sys.base_prefix else "")' 2>/dev/null)
    [ "$python" ] || return
    mkdir -p "$out/bin" && ln -sf "$python" "$out/bin/python3" && PATH=$(absolute "$out/bin"):$PATH
    compile_importers
}

# Some suites start importers hundreds of times, and each start would compile them, as it writes nothing beside them.
compile_importers() {
    rm -rf "$out/compiled" && mkdir "$out/compiled" && cp -R tools/python/kpred/convert "$out/compiled" &&
        python3 -m compileall -q "$out/compiled" && KPRED_IMPORTERS=$(absolute "$out/compiled")
}

# in_python FILE [PART]
in_python() {
    has python3 || end_without all "there is no python3"
    PYTHONPATH=$PWD/tests/harness PYTHONDONTWRITEBYTECODE=1 python3 "$@"
}

# suite NAME: behind its name may stand -PART
suite() {
    file=$(suite_file "$1") part=
    case $1 in *-*) part=${1#*-} ;; esac
    case $file in
    *.sh) sh "$file" $part ;;
    *.py) in_python "$file" $part ;;
    *.steps) program steps "$file" ;;
    *) program "$1" ;;
    esac
}

# limit NAME: the seconds that it may take, with much room for a slow machine that does other work
limit() {
    suite_table | awk -v name="$1" '$3 == name { s = $1 } END { print 300 + 20 * s }'
}

# within SECONDS COMMAND...: ended with status 124 after so long, with all that it began
within() {
    if has timeout; then timeout -k 10 "$@"; else shift; "$@"; fi
}

# The last line of a log, if that is what a suite ends with that ran anything; else a failure, said in the log
totals() {
    case $2,$(tail -n 1 "$1" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped') in
    124,*) echo "it was ended, as it took longer than its limit of $3 s" >>"$1" ;;
    *,) echo "it ended with status $2 and without totals" >>"$1" ;;
    *,'0 passed, 0 failed, 0 skipped') echo "it ended with status $2 and ran nothing" >>"$1" ;;
    *) tail -n 1 "$1"; return ;;
    esac
    echo "0 passed, 1 failed, 0 skipped"
}

# What is left to run, in minutes, by what the suites that have ended took. Twenty seconds as the table has them count
# too: a first suite, which is short, says little of the others.
left() {
    cat "$out"/*.ended 2>/dev/null | awk -v jobs="$JOBS" '
        NR == FNR { took[$2] = $1; next }
        { all += $1; if ($3 in took) { done += $1; passed += took[$3] } }
        END { left = (20 + passed) / (20 + done) * (all - done) / jobs / 60
              if (done > 0 && done < all) printf ", %.1f min left", left }' - "$out/chosen"
}

# one NAME: runs it; its line, its counts in NAME.totals, and its processor time in NAME.times
one() {
    name=$1 log=$out/$1.log limit=${LIMIT:-$(limit "$1")}
    start=$(date +%s)
    within "$limit" sh tests/harness/run.sh --suite "$name" >"$log" 2>&1 </dev/null
    status=$? seconds=$(($(date +%s) - start))
    # shellcheck disable=SC2046
    set -- $(totals "$log" $status "$limit" | tr -cd '0-9 ')
    if [ $status -ne 0 ] && [ "$2" -eq 0 ]; then
        echo "it ended with status $status and counted no failure" >>"$log"
        set -- "$1" 1 "$3"
    fi
    echo "$seconds $name" >"$out/$name.ended"
    printf '%-18s %4s passed, %s failed, %s skipped, %s s%s\n' "$name" "$@" $seconds "$(left)"
    echo "$@" >"$out/$name.totals"
    times >"$out/$name.times"
}

[ "${PYTHON_CHOSEN-}" ] || choose_python
case ${1-} in
--suite) suite "$2"; exit ;;
--one)
    one "$2"
    exit 0 # a failure is in the totals; another status may stop the others
    ;;
--list)
    shift
    chosen "$@" | cut -d' ' -f3
    exit
    ;;
--failed)
    [ -s "$out/failed" ] || { echo "run.sh: no suite failed the last time"; exit 2; }
    # shellcheck disable=SC2046
    set -- $(cat "$out/failed")
    ;;
esac

# ---- all of them ----

chosen "$@" >"$out/chosen"
if grep '^unknown' "$out/chosen"; then exit 2; fi
[ -s "$out/chosen" ] || { echo "run.sh: there is no suite to run" >&2; exit 2; }
names=$(cut -d' ' -f3 "$out/chosen")
rm -f "$out"/*.ended
for name in $names; do rm -f "$out/$name.totals"; done

awk -v jobs="$JOBS" '{ s += $1; if ($1 > most) most = $1 }
    END { s /= jobs; if (s < most) s = most
          printf "%d suites, %d at a time: about %.1f minutes\n", NR, jobs, s / 60 }' "$out/chosen"
# shellcheck disable=SC2046,SC2086
build_programs $names $(case " $names " in *bare*) chosen --bare | cut -d' ' -f3 ;; esac) \
    $(case $names in *rules_oracle*) echo test_rules ;; esac)
printf '%s\n' $names | xargs -P "$JOBS" -n 1 sh tests/harness/run.sh --one

# A suite that was ended from outside has left no totals.
: >"$out/failed"
for name in $names; do
    if [ ! -s "$out/$name.totals" ]; then
        echo "it did not come to its end" >>"$out/$name.log"
        echo "0 1 0" >"$out/$name.totals"
    fi
    read -r _ failures _ <"$out/$name.totals"
    [ "$failures" -eq 0 ] || echo "$name" >>"$out/failed"
done
# shellcheck disable=SC2013
for name in $(cat "$out/failed"); do
    echo "$name, again by \`make check SUITES=$name\`; what is not ok of $out/$name.log:"
    sed -n '/^ok /!s/^/    /p' "$out/$name.log"
done
cat "$out"/*.ended >>"$out/seconds" # the last line of a name counts
for name in $names; do
    sed -n "s/^skip /    $name: /p" "$out/$name.log"
done >"$out/skips"
[ ! -s "$out/skips" ] || { echo "skipped:"; cat "$out/skips"; }
# shellcheck disable=SC2046
awk '{ p += $1; f += $2; s += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' \
    $(printf "$out/%s.totals " $names)
