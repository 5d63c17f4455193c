#!/bin/sh
# processors.sh - another processor, emulated, trains the same bytes
# SPDX-License-Identifier: MIT
#
# That others predict the same: tests/matrix
. tests/harness/script.inc

test_begin
need_weights "other processors"
cc=aarch64-linux-gnu-gcc qemu=qemu-aarch64
if has $cc && has $qemu; then
    check "training on aarch64" sh tests/train/cross.sh $cc $qemu
else
    skipped "training on aarch64" "needs $cc and $qemu"
fi
test_end
