#!/bin/sh
# peers.sh BUILD DB... - kpred beside other ways to predict tuples, timed in one run: `make bench-peers`
# SPDX-License-Identifier: MIT
#
# In the environment: ONLY (names of peers, such as kpred,nearest; default: all), ROUNDS (default: as many
# as it takes until each problem has had its turn), COUNT=0 (no instructions), THREADS (of training, 1),
# INTO (performance.md: the table goes there between its marks, and the CSV and the plot beside it)
#
# What is trained stays, in BUILD/peers. There are peers.csv, peers.txt (the table with machine, compiler
# and command), skipped.txt and, where there is gnuplot, peers.svg. Times decide, so the machine has to be quiet.
set -eu
build=$1
shift
train=$build/kpred-train out=$build/peers
. tools/train/trained.inc
kernel=conv_asm_1x1u
find_python
mkdir -p "$out"

# The peers' models, unless they are there and newer than the spec and what makes them
models() {
    is_newer "$out/models" weights/$kernel.spec tools/lab/peers/bench_models.py tools/lab/peers/classics.py && return
    $python tools/lab/peers/bench_models.py "$out" --data "$@" --trainer "$train" --threads "${THREADS:-1}"
    touch "$out/models"
}

# The paper's networks: those of `make paper`, else ones of a single epoch, which are good for times alone
networks() {
    for net in encdec hybrid2; do
        is_newer "$build/paper/config/$kernel-$net.h" weights/$kernel.spec && continue
        is_newer "$out/$net.h" weights/$kernel.spec && continue
        train_model weights/$kernel.spec "$out/$net.h" "--net $net --split config --epochs 1" "$@"
    done
}

# The instructions of a prediction, of each line of a first table; of bodies that valgrind does not know none
instructions() {
    echo peer,k,instructions
    command -v valgrind >/dev/null || { echo "skip instructions: there is no valgrind" >&2; return; }
    sed 1d "$1" | while IFS=, read -r peer k _; do
        valgrind --tool=callgrind --toggle-collect=measured_predictions --callgrind-out-file="$out/callgrind" \
            "$out/bench_peers" "$out" --only "$peer" --k "$k" --count </dev/null >/dev/null 2>&1 || continue
        awk -v line="$peer,$k" '/^summary:|^totals:/ { n = $2 } END { if (n) printf "%s,%.0f\n", line, n / 32 }' \
            "$out/callgrind"
    done
}

# The machine, the compiler and the command, a line each
story() {
    sed -n 's/^model name[^:]*: */- machine: /p' /proc/cpuinfo 2>/dev/null | head -n 1
    echo "- system: $(uname -srm)"
    echo "- compiler: $(${CC:-cc} --version | head -n 1), ${CFLAGS:--O2}"
    echo "- command: make bench-peers${ONLY:+ ONLY=$ONLY}${ROUNDS:+ ROUNDS=$ROUNDS}"
}

# bench OPTION...
bench() {
    "$out/bench_peers" "$out" ${ONLY:+--only "$ONLY"} "$@"
}

# into DOCUMENT: the table, its CSV and the plot
into() {
    awk -v table="$out/table.md" '/^<!-- end -->$/ { inside = 0 }
        !inside
        /^<!-- peers -->$/ { inside = 1; while ((getline line <table) > 0) print line }' "$1" >"$1.tmp"
    mv "$1.tmp" "$1"
    cp "$out/peers.csv" "${1%.md}-peers.csv"
    [ ! -e "$out/peers.svg" ] || cp "$out/peers.svg" "${1%.md}-peers.svg"
}

models "$@"
networks "$@"
make -s -f tools/lab/bench/Makefile BUILD="$build" CC="${CC:-cc}" CFLAGS="${CFLAGS:--O2}" >&2
counted=
if [ "${COUNT-}" != 0 ]; then
    bench --rounds 1 --csv >"$out/lines.csv" 2>/dev/null
    instructions "$out/lines.csv" >"$out/instructions.csv"
    counted="--instructions $out/instructions.csv"
fi
bench ${ROUNDS:+--rounds "$ROUNDS"} $counted --csv \
    >"$out/peers.tmp" 2>"$out/skipped.txt" || { cat "$out/skipped.txt" >&2; exit 1; }
mv "$out/peers.tmp" "$out/peers.csv"
{ story; echo; $python tools/lab/report/peers.py "$out/peers.csv" --plot "$out/peers.svg"; } >"$out/table.md"
cat "$out/table.md" "$out/skipped.txt" | tee "$out/peers.txt"
[ ! "${INTO-}" ] || into "$INTO"
