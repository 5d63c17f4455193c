#!/bin/sh
# network.sh - the same bytes from every body of the network, compiler and option
# SPDX-License-Identifier: MIT
#
# usage: network.sh [all|gcc]
. tests/harness/script.inc
. tests/harness/variants.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Builds, runs, and compares the hash of all results with the first one
same_signature() {
    "$@" -D_POSIX_C_SOURCE=200809L -I. -Itests tests/runtime/test_network.c -o "$tmp/network" -lm ||
        return 1
    $(runner "$@") "$tmp/network" >"$tmp/all" || { grep FAIL "$tmp/all"; return 1; }
    sed -n 's/^body .* signature //p' "$tmp/all" | sort -u >"$tmp/signature"
    sed -n 's/^body \(.*\) signature .*/\1/p' "$tmp/all" >>"$tmp/bodies"
    [ -e "$tmp/first" ] || cp "$tmp/signature" "$tmp/first"
    [ -s "$tmp/first" ] && diff "$tmp/first" "$tmp/signature"
}

variant() {
    check "$*" same_signature "$@"
}

case ${1-all} in
all) each_variant n variant ;;
*) each_variant n variant "$1" ;;
esac
for body in portable sse2 avx2 avx_vnni avx512_vnni; do
    if grep -qx $body "$tmp/bodies"; then
        check "$body" test -s "$tmp/first"
    else
        skipped "$body" "the machine or its compilers lack it"
    fi
done
test_end
