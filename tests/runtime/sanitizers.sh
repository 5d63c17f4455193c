#!/bin/sh
# sanitizers.sh - the runtime's tests find nothing under the sanitizers
# SPDX-License-Identifier: MIT
#
# usage: sanitizers.sh [gcc|clang]
. tests/harness/script.inc

test_begin
flags='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'

# passes NAME: a test that is its own file, as nothing of the tools is built so
passes() {
    $cc -std=c99 $flags -D_GNU_SOURCE -I. -Itools -Itests "$(test_files "$1.c")" -lm -o "$tmp/test" &&
        "$tmp/test"
}

for cc in ${1:-gcc clang}; do
    if ! echo 'int main(void){return 0;}' | $cc $flags -xc - -o "$tmp/probe" 2>/dev/null; then
        skipped "sanitizers, $cc" "no $cc with its sanitizers"
        continue
    fi
    for name in math network search status arena hip hip_plan hip_errors; do
        check "test_$name under sanitizers, $cc" passes test_$name
    done
done
test_end
