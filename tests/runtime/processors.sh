#!/bin/sh
# processors.sh - other processors, emulated, predict and train the same bytes
# SPDX-License-Identifier: MIT
#
# usage: processors.sh [aarch64|s390x]
. tests/harness/script.inc

test_begin
need_weights "other processors"

# signature OPTION...: of a program with these
signature() {
    $cc -std=c99 -O2 "$@" -static -I. tests/signature.c -o "$tmp/signature" &&
        $qemu "$tmp/signature" >"$tmp/all" &&
        [ "$(sed -n 's/^total //p' "$tmp/all")" = "$(cat tests/signature)" ]
}

for target in ${1:-aarch64 s390x}; do
    cc=$target-linux-gnu-gcc qemu=qemu-$target
    if ! has $cc || ! has $qemu; then
        skipped "signature on $target" "needs $cc and $qemu"
        [ $target = s390x ] || skipped "training on $target" "needs $cc and $qemu"
        continue
    fi
    check "signature on $target" signature
    if [ $target = aarch64 ]; then
        check "signature on $target, portable" signature -DKPRED_SIMD=0
        check "signature on $target, dot product" signature -march=armv8.2-a+dotprod
    fi
    [ $target = s390x ] || check "training on $target" sh tests/train/cross.sh $cc $qemu
done
test_end
