#!/bin/sh
# image.sh - images without a system or a C library print the signatures of their models, and how much they took
# SPDX-License-Identifier: MIT
#
# A Cortex-M3 in an emulator (the board mps2-an385, semihosting), and a PC that a loader starts by PVH: portable C
# without a register for floating point, and SSE2. An image holds the runtime and two models. Code and constants
# are bytes of their object; the stack is a bound that gcc computes for kpred_predict, and what a run left
# of its paint, with the frames of the test.
. tests/harness/script.inc
. tests/harness/stack.inc

COMMON="-std=c99 -Os -ffreestanding -nostdlib $C_WARNINGS -I. -Itests"
PC="-static -no-pie -fno-pic -mno-red-zone -fno-stack-protector -fno-asynchronous-unwind-tables"
ON_PC="qemu-system-x86_64 -accel tcg -serial stdio -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4"
ON_ARM="qemu-system-arm -M mps2-an385 -serial none -chardev stdio,id=host
    -semihosting-config enable=on,target=native,chardev=host"

test_begin
need_weights "images"

# prints_signatures OPTION...: an image with these prints what tests/signature says of two models. The object of the
# runtime and the models has with it what gcc knows of their frames.
prints_signatures() {
    # shellcheck disable=SC2046
    $prefix"gcc" $COMMON "$@" -fcallgraph-info=su -DKPRED_IMPLEMENTATION -include weights/conv_asm_1x1u.h \
        -include weights/gemm_a8w8_blockscale.h -x c -c /dev/null -o "$tmp/models.o" &&
        $prefix"gcc" $COMMON "$@" -T tests/image/$board.ld -Wl,--build-id=none,--no-warn-rwx-segments \
            "$tmp/models.o" tests/image/image.c $(find tests/image -name $board.S) -o "$tmp/image" || return 1
    timeout 300 $emulator -display none -monitor none -kernel "$tmp/image" >"$tmp/printed" </dev/null
    [ $? -eq $success ] || return 1
    cat "$tmp/printed"
    grep -v '^stack ' "$tmp/printed" >"$tmp/lines"
    [ "$(wc -l <"$tmp/lines")" -eq 2 ] && ! grep -vxFf tests/signature "$tmp/lines"
}

# bytes SECTION: of the object, all that begin so
bytes() {
    $prefix"size" -A "$tmp/models.o" | awk -v section="$1" 'index($1, section) == 1 { sum += $2 } END { print sum + 0 }'
}

# image WHAT PREFIX BOARD STATUS EMULATOR OPTION...: success has that status, which is the board's
image() {
    what=$1 prefix=$2 board=$3 success=$4 emulator=$5
    shift 5
    for program in ${prefix}gcc ${emulator%% *}; do
        has $program || { skipped "$what" "there is no $program"; return; }
    done
    check "$what" prints_signatures "$@"
    echo "| $what | $(bytes .text) | $(bytes .rodata) |" \
        "$(deepest "$tmp/models.ci" kpred_predict '^kpred_rule_|_rule$') |" \
        "$(sed -n 's/^stack //p' "$tmp/printed") |" >>"$tmp/rows"
    gcc_versions=$gcc_versions$(${prefix}gcc -dumpversion | cut -d. -f1),
}

# The rows that were measured here are in the table. Other compilers write other code.
documented() {
    ! grep -vxFf docs/embedding.md "$tmp/rows"
}

gcc_versions=
image "Cortex-M3" arm-none-eabi- cortex_m 0 "$ON_ARM" -mcpu=cortex-m3 -mthumb
if [ "$(uname -m)" = x86_64 ]; then
    image "x86-64, portable C" "" x86_64 33 "$ON_PC" $PC -mgeneral-regs-only
    image "x86-64, SSE2" "" x86_64 33 "$ON_PC" $PC -DKPRED_SIMD=1
else
    skipped "x86-64" "this is not an x86-64"
fi
case $gcc_versions in
12, | 12,12, | 12,12,12,) check "the table of docs/embedding.md" documented ;;
*) skipped "the table of docs/embedding.md" "its figures are those of gcc 12" ;;
esac
test_end
