#!/bin/sh
# processors.sh - another processor, emulated, trains the same bytes
# SPDX-License-Identifier: MIT
#
# The trainer of a cross compiler is built without the readers that need libraries, and trains small models of all kinds
# from CSV. That others predict the same: tests/matrix
. tests/harness/script.inc

test_begin
need_weights "other processors"
cc=aarch64-linux-gnu-gcc qemu=qemu-aarch64
{
    cat tests/fixtures/tiny.spec
    printf '\n[derived]\nln = log2 n\n[features]\nonehot gpu\nonehot kind\nhats ln 0 1 9\ndivides h 2 4\n'
    printf '[network]\nteachers = 2\npaper_cells = 16\npaper_post = 32\npaper_filters = 16\n'
} >"$tmp/tiny.spec"

# built CC OUTPUT [FLAG]
built() {
    sh tools/release/models.sh >"$tmp/models.h" # with none
    sources=
    for file in tools/*/*.c tools/lab/paper/*.c; do
        [ $file = tools/cli/kpred.c ] || [ -e "${file%/*}/tests" ] || sources="$sources $file"
    done
    $1 -std=c99 -D_POSIX_C_SOURCE=200809L -O2 -fno-fast-math -ffp-contract=off -I. -Itools -I"$tmp" -I"$BUILD" ${3-} $sources \
        -o "$2" -lm -pthread
}

# trains NET OUTPUT COMMAND...
trains() {
    net=$1 output=$2; shift 2
    "$@" train "$tmp/tiny.spec" --data tests/fixtures/tiny.csv --split none --epochs 2 --threads 2 --net "$net" \
        -o "$output"
}

same_bytes() {
    built $cc "$tmp/there" -static && built "${HOSTCC:-cc}" "$tmp/here" || return 1
    for net in additive encdec attn attn2 hybrid hybrid2; do
        trains $net "$tmp/there.h" $qemu "$tmp/there" && trains $net "$tmp/here.h" "$tmp/here" &&
            cmp "$tmp/there.h" "$tmp/here.h" || return 1
    done
}

if has $cc && has $qemu; then
    check "training on aarch64" same_bytes
else
    skipped "training on aarch64" "needs $cc and $qemu"
fi
test_end
