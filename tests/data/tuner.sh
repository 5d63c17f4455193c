#!/bin/sh
# tuner.sh - files of other tuners as timed data: Kernel Tuner's caches, T4 and KTT's results
# SPDX-License-Identifier: MIT
#
# usage: tuner.sh [all]
#
# all: every table of $TUNER, where some are read otherwise. They are compared with an independent
# reader, and so are files that are cut short. test_tuner.c has small files.
. tests/harness/script.inc

test_begin
TUNER=$(absolute "${TUNER:-../shared/tuner}")
need_trainer "files of other tuners"

# ---- the tables of Kernel Tuner's hub, beside Python ----

gpu_of() {
    case $1 in
    *A100*) echo A100-PCIE-40GB ;;
    *3090*) echo RTX_3090 ;;
    *MI250X*) echo gfx90a6e ;;
    *W6600*) echo gfx1032_14 ;;
    *) echo "$1" | sed 's/.*[.]\(A[46]000\).*/RTX_\1/' ;;
    esac
}

same_rows() {
    python3 tests/data/tuner.py "$1" "$(gpu_of "$1")" "$tmp/hub.spec" "$tmp/hub.rows" &&
        "$trainer" ingest "$tmp/hub.spec" --data "$1" -o "$tmp/hub.csv" --force &&
        { sed 1q "$tmp/hub.csv"; sed 1d "$tmp/hub.csv" | LC_ALL=C sort; } | cmp - "$tmp/hub.rows" &&
        [ "$(wc -l <"$tmp/hub.rows")" -gt 900 ]
}

t4_as_cache() {
    python3 tests/data/tuner.py "$1.json.gz" A100-PCIE-40GB "$tmp/hub.spec" "$tmp/hub.rows" &&
        "$trainer" ingest "$tmp/hub.spec" --data "$1.json.gz" -o "$tmp/cache.csv" --force &&
        "$trainer" ingest "$tmp/hub.spec" --data "$1_T4.json.bz2" -o "$tmp/t4.csv" --force \
            --set problem_size_x=4096 problem_size_y=4096 && cmp "$tmp/cache.csv" "$tmp/t4.csv"
}

same_as() {
    for name; do
        check_with "$TUNER/$name" "$name" same_rows "$TUNER/$name"
    done
}

has_all() {
    for library in JANSSON BZIP2 ZLIB; do
        grep -q HAVE_$library "$BUILD/libraries" || return 1
    done
    has python3
}

if [ "${1-}" = all ]; then
    has_all || end_without "all tables of other tuners" "needs jansson, bzip2, zlib and python3"
    for file in "$TUNER"/*.json.[bg]z*; do
        [ ! -e "$file" ] || same_as "${file##*/}"
    done
    check_with "$TUNER/convolution_milo.A100_T4.json.bz2" "T4 and cache give the same rows" \
        t4_as_cache "$TUNER/convolution_milo.A100"
    [ -d "$TUNER" ] || skipped "all tables of other tuners" "there is no $TUNER"
    test_end
    exit
fi
if has_all; then
    same_as convolution_milo.A100.json.gz dedispersion_milo.A100_T4.first1000.json.bz2 \
        ktt.KTPnpolyOutput_3090.json.gz
else
    skipped "tables of other tuners" "needs jansson, bzip2, zlib and python3"
fi

# ---- a build without Jansson ----

# cuts PROGRAM FLAG...: tests/data/cuts.c, with what the flags name before what is in the archive
cuts() {
    program=$1; shift
    # shellcheck disable=SC2046
    $CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I. -Itools tests/data/cuts.c "$@" "$archive" \
        $(libraries | grep -oe '-l[a-z0-9]*') -lm -o "$program"
}
echo '{' >"$tmp/brace.json"
without() {
    cuts "$tmp/without" tools/data/tuner_read.c && "$tmp/without" "$tmp/brace.json" | grep -q \
        'FILE: .*jansson.*libjansson-dev'
}
check "without Jansson a file says what is missing" without
grep -q HAVE_JANSSON "$BUILD/libraries" ||
    end_without "files of other tuners" "kpred-train was built without jansson"

# ---- one cut short ----

check "the program that cuts" cuts "$tmp/cuts"
cd "$tmp" || exit 1
cp "$root"/tests/fixtures/cache.json "$root"/tests/fixtures/t4.json "$root"/tests/fixtures/ktt.json .
tr -d '\n' <cache.json >line.json
sed 's/1\.5e0/& /; s/{"y": null}/[NaN, -Infinity,NaN]/; s/"InvalidConfig"/-Infinity/; s/1e20/NaN/
    s/"objective": .*/"objective": ["GB\/s", "time"],/; s/\[64, 2\]/[64.0, 2e0]/' cache.json >python.json
every_cut() {
    ./cuts "$1" >got && python3 "$root/tests/data/tuner.py" cuts "$1" | cmp - got
}
for file in cache line python; do
    check_with python3 "$file.json cut behind each of its bytes" every_cut $file.json
done
cut_is_error() {
    ./cuts "$1" >got || return 1
    ! sed '$d' got | grep -vx '[0-9]*: error' && tail -n 1 got | grep -qx '[0-9]*: 3'
}
for file in t4 ktt; do
    printf %s "$(cat $file.json)" >open.json
    check "$file.json cut" cut_is_error open.json
done
test_end
