#!/bin/sh
# cross.sh - kpred-train of a cross compiler gives the same bytes as that of this machine
# SPDX-License-Identifier: MIT
#
# cross.sh CC RUN: it is built without the readers that need libraries, and trains small models of all
# kinds from CSV under the emulator RUN.
set -eu
cc=$1 run=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sh tools/release/models.sh >"$tmp/models.h" # with none
sources=
for file in tools/*/*.c tools/lab/paper/*.c; do
    [ $file = tools/cli/kpred.c ] || [ -e "${file%/*}/tests" ] || sources="$sources $file"
done
build() { # CC OUTPUT FLAGS
    $1 -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -fno-fast-math -ffp-contract=off -I. -Itools \
        -I"$tmp" $3 $sources -o "$2" -lm -pthread
}
{
    cat tests/fixtures/tiny.spec
    printf '\n[derived]\nln = log2 n\n[features]\nonehot gpu\nonehot kind\nhats ln 0 1 9\n'
    printf 'divides h 2 4\n[network]\nteachers = 2\n'
    printf 'paper_cells = 16\npaper_post = 32\npaper_filters = 16\n'
} >"$tmp/tiny.spec"
train() { # COMMAND OUTPUT NET ARGUMENT...
    command=$1 output=$2 net=$3
    shift 3
    $command train "$tmp/tiny.spec" --data tests/fixtures/tiny.csv --split none --epochs 2 --threads 2 \
        --net "$net" -o "$output" "$@"
}
same() { # NET ARGUMENT...
    train "$run $tmp/there" "$tmp/there.h" "$@"
    train "$tmp/here" "$tmp/here.h" "$@"
    cmp "$tmp/there.h" "$tmp/here.h"
}
build "$cc" "$tmp/there" -static
build "${HOSTCC:-cc}" "$tmp/here" ""
same additive --float-out "$tmp/f32"
for net in encdec attn attn2 hybrid hybrid2; do
    same $net
done
