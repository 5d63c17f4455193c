#!/bin/sh
# folds.sh BUILD TABLES - how good the GEMM models are: every shape of Tensile's tables (in the
# folder TABLES) left out once, pooled, and beside other methods; what is measured stays in BUILD/gemm, and
# only what is not there or is older than what it depends on is measured again
# SPDX-License-Identifier: MIT
#
# LAYOUTS (nn nt tn) and METHODS (of tools/bench/gemm.py) in the environment: only these. THREADS:
# how many may be used.
set -eu

build=$1 tables=$2
train=$build/kpred-train
out=$build/gemm
lists=1,4,8
threads=${THREADS:-$(getconf _NPROCESSORS_ONLN)}
python=python3 # or the system's, which has Debian's packages
python3 -c "import numpy" 2>/dev/null || [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
mkdir -p "$out"

table() { # LAYOUT: the path of its table
    case $1 in nn) operands=Ailk_Bljk ;; nt) operands=Ailk_Bjlk ;; tn) operands=Alik_Bljk ;; esac
    echo "$tables/mi100-sgemm-Cijk_${operands}_SB_00.csv.bz2"
}

# choose LAYOUT: $own, its table, and $others, those of the other two (paths without blanks)
choose() {
    own=$(table $1) others=
    for other in nn nt tn; do [ $other = "$1" ] || others="$others $(table $other)"; done
}

# is_new FILE DEPENDENCY...: is it there, and younger than these?
is_new() {
    file=$1; shift
    [ -e "$file" ] || return 1
    for than; do [ -z "$(find "$than" -newer "$file")" ] || return 1; done
}

say() { # on a terminal, a line that the next one overwrites
    [ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2
}

# fold LAYOUT I N
fold() {
    spec=tests/data/gemm_mi100_$1.spec model=$out/$1-$2.h hits=$out/$1-$2.csv
    is_new "$hits" "$spec" "$own" "$train" && return
    say "$1: shape $(($2 + 1)) of $3"
    "$train" train "$spec" --data "$own" --beside $others --split "fold:$2/$3" \
        --threads "$threads" --float-out "$out/$1-$2.f32" -o "$model"
    "$train" eval "$model" --data "$own" -k $lists --hits "$hits" >"$out/$1-$2.txt"
}

# classics LAYOUT: the other methods, on the same shapes, as far as their packages are there
classics() {
    spec=tests/data/gemm_mi100_$1.spec hits=$out/$1-classics.csv
    is_new "$hits" "$spec" "$own" tools/bench/gemm.py && return
    say "$1: other methods"
    $python tools/bench/gemm.py "$spec" --data "$own" --beside $others -k $lists \
        --methods "${METHODS:-nearest,portfolio,boosted}" --trainer "$train" --threads "$threads" \
        --hits "$hits.new" >"$out/$1-classics.txt"
    [ ! -e "$hits.new" ] || mv "$hits.new" "$hits"
}

for layout in ${LAYOUTS:-nn nt tn}; do
    choose $layout
    [ -r "$own" ] || { echo "folds.sh: there is no $own" >&2; exit 1; }
    # a line a shape, behind a heading
    shapes=$(($(bzip2 -dc "$own" | wc -l) - 1))
    i=0
    while [ $i -lt $shapes ]; do
        fold $layout $i $shapes
        i=$((i + 1))
    done
    classics $layout
done
say ''
files=
for layout in ${LAYOUTS:-nn nt tn}; do files="$files $(echo "$out/$layout"-*.csv)"; done
exec $python tools/bench/shares.py $files
