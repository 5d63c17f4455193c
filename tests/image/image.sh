#!/bin/sh
# image.sh - images without a system or a C library print the signatures of their models, and how much they took
# SPDX-License-Identifier: MIT
#
# usage: image.sh [table], the rows of docs/embedding.md as they are measured here
#
# A Cortex-M3 in an emulator (the board mps2-an385, semihosting), and a PC that a loader starts by PVH: portable C
# without a register for floating point, and SSE2. An image holds the runtime and two models. Code and constants
# are bytes of their object; the stack is a bound that gcc computes for kpred_predict, and what a run left
# of its paint, with the frames of the test.
. tests/harness/script.inc
. tests/harness/stack.inc

COMMON="-std=c99 -Os -ffreestanding -nostdlib $C_WARNINGS -I. -Itests"
PC="-static -no-pie -fno-pic -mno-red-zone -fno-stack-protector -fno-asynchronous-unwind-tables"
RULES='^kpred_rule_|_rule$'

test_begin
need_weights "images"

# object OPTION...: the runtime and the models, with what gcc knows of their frames
object() {
    $prefix"gcc" $COMMON "$@" -fcallgraph-info=su -c tests/image/models.c -o "$tmp/models.o"
}

link() {
    $prefix"gcc" $COMMON "$@" -T tests/image/$board.ld -Wl,--build-id=none,--no-warn-rwx-segments "$tmp/models.o" \
        tests/image/image.c tests/image/$board.[cS] -o "$tmp/image"
}

# The emulator's status for success is the board's.
run_image() {
    case $board in
    cortex_m)
        timeout 300 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none -chardev stdio,id=host \
            -semihosting-config enable=on,target=native,chardev=host -kernel "$tmp/image" ;;
    x86_64)
        timeout 300 qemu-system-x86_64 -accel tcg -display none -monitor none -serial stdio -no-reboot \
            -device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$tmp/image"
        [ $? -eq 33 ] ;;
    esac >"$tmp/printed" </dev/null
}

# prints_signatures OPTION...: an image with these prints what tests/signature says of two models
prints_signatures() {
    object "$@" && link "$@" && run_image || return 1
    cat "$tmp/printed"
    grep -v '^stack ' "$tmp/printed" >"$tmp/lines"
    [ "$(wc -l <"$tmp/lines")" -eq 2 ] && ! grep -vxFf tests/signature "$tmp/lines"
}

# bytes SECTION: of the object, all that begin so
bytes() {
    $prefix"size" -A "$tmp/models.o" | awk -v section="$1" 'index($1, section) == 1 { sum += $2 } END { print sum + 0 }'
}

row() {
    echo "| $1 | $(bytes .text) | $(bytes .rodata) | $(deepest "$tmp/models.ci" kpred_predict "$RULES") |" \
        "$(sed -n 's/^stack //p' "$tmp/printed") |"
}

# image WHAT PREFIX BOARD EMULATOR OPTION...
image() {
    what=$1 prefix=$2 board=$3 emulator=$4
    shift 4
    for program in ${prefix}gcc $emulator; do
        has $program || { skipped "$what" "there is no $program"; return; }
    done
    rm -f "$tmp/printed"
    check "$what" prints_signatures "$@"
    [ ! -e "$tmp/printed" ] || row "$what" >>"$tmp/rows"
    gcc_versions=$gcc_versions$(${prefix}gcc -dumpversion | cut -d. -f1),
}

# The rows that were measured here are in the table. Other compilers write other code.
documented() {
    [ -s "$tmp/rows" ] && ! grep -vxFf docs/embedding.md "$tmp/rows"
}

gcc_versions=
: >"$tmp/rows"
image "Cortex-M3" arm-none-eabi- cortex_m qemu-system-arm -mcpu=cortex-m3 -mthumb
if [ "$(uname -m)" = x86_64 ]; then
    image "x86-64, portable C" "" x86_64 qemu-system-x86_64 $PC -mgeneral-regs-only
    image "x86-64, SSE2" "" x86_64 qemu-system-x86_64 $PC -DKPRED_SIMD=1
else
    skipped "x86-64" "this is no x86-64"
fi
if [ "${1-}" = table ]; then
    cat "$tmp/rows"
else
    case $gcc_versions in
    12, | 12,12, | 12,12,12,) check "the table of docs/embedding.md" documented ;;
    *) skipped "the table of docs/embedding.md" "its figures are those of gcc 12" ;;
    esac
fi
test_end
