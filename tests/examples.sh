#!/bin/sh
# examples.sh - every example, and the one in README.md, compiles alone and does what it says
# SPDX-License-Identifier: MIT
. tests/script.inc

CC=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Nothing but -I. is needed.
compile() { $CC -std=c99 -pedantic-errors -Wall -Werror -I. "$@"; }

minimal() {
    compile examples/minimal.c -o "$tmp/minimal" && "$tmp/minimal" >"$tmp/out" || return 1
    [ "$(grep -cE '^[a-z_]+=[0-9]+$' "$tmp/out")" -eq 8 ] && [ "$(wc -l <"$tmp/out")" -eq 8 ] &&
        head -n 1 "$tmp/out" | grep -q '^read_size='
}

freestanding() {
    "$@" -std=c99 -Wall -Werror -I. -ffreestanding -nostdlib -static examples/freestanding.c \
        -o "$tmp/freestanding" && "$tmp/freestanding"
}

# At least eight tuples, one a line, joined by commas, each with a probability
resnet50() {
    compile -O2 examples/resnet50.c -o "$tmp/resnet50" && "$tmp/resnet50" >"$tmp/out" || return 1
    [ "$(grep -cE '^ +[0-9]+(,[0-9]+){5,9} +[0-9.]+ %$' "$tmp/out")" -ge 8 ] || return 1
    for spec in weights/*.spec; do
        grep -q "^$(basename "$spec" .spec) " "$tmp/out" || return 1
    done
}

readme() {
    sed -n '/^```c$/,/^```$/p' README.md | sed '/^```$/,$d;1d' >"$tmp/readme.c"
    [ -s "$tmp/readme.c" ] && compile "$tmp/readme.c" -o "$tmp/readme" && "$tmp/readme"
}

for spec in weights/*.spec; do
    if [ ! -e "${spec%.spec}.h" ]; then
        skipped "examples" "the weights are not there (make weights)"
        test_end
        exit
    fi
done
check "minimal" minimal
for cc in gcc clang; do
    case $(uname -sm) in
    "Linux x86_64" | "Linux aarch64") ;;
    *) skipped "freestanding, $cc" "it knows Linux on x86-64 and aarch64 only"; continue ;;
    esac
    if has $cc; then
        check "freestanding, $cc" freestanding $cc -O0
        check "freestanding, $cc -O2" freestanding $cc -O2
    else
        skipped "freestanding, $cc" "it is not installed"
    fi
done
check "resnet50" resnet50
if [ -e README.md ]; then
    check "README.md" readme
else
    skipped "README.md" "it is not there"
fi
test_end
