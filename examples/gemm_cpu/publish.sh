#!/bin/sh
# publish.sh - puts what was measured into this folder: times.csv, and of full.csv the best tuples
# SPDX-License-Identifier: MIT
#
# usage: CC=cc CFLAGS=-O3 sh publish.sh FOLDER, where `make tune full` has left times.csv and full.csv
KEPT=30 # tuples of a problem

# about FILE: comments on the machine, the compiler and the date
about() {
    echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), one core of $(nproc)"
    echo "# $($CC --version | head -n 1), $CFLAGS"
    date -u -r "$1" '+# %Y-%m-%d'
}

# best FILE: the rows of the fastest tuples of each problem, which come in the order of unseen.csv
best() {
    grep -v '^#' "$1" | head -n 1
    grep '^[0-9]' unseen.csv | while read -r problem; do
        grep "^$problem,.*[0-9]\$" "$1" | sort -t , -k 13,13g | head -n "$KEPT"
    done
}

if ! [ -e "$1/times.csv" ] || ! [ -e "$1/full.csv" ]; then
    echo "publish.sh: there are no times: make tune full" >&2
    exit 1
fi
{
    echo '# kpred-train tune: gemm_cpu'
    about "$1/times.csv"
    grep -v '^#' "$1/times.csv"
} >times.csv
{
    echo "# kpred-train tune: gemm_cpu; the best $KEPT tuples of each problem, of $(grep -c '^[0-9]' "$1/full.csv") times"
    about "$1/full.csv"
    best "$1/full.csv"
} >best.csv
