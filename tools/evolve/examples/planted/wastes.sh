#!/bin/sh
# wastes.sh - which of the planted wastes a function still has
# SPDX-License-Identifier: MIT
#
# usage: wastes.sh FUNCTION.ll
#
# Prints the name of each, as in planted.c. The file has the text of one function, with the names of its values.
set -eu

has_waste() {
    case $1 in
    # What is loaded in a loop stands behind a phi.
    INVARIANT_LOAD) awk '/:/ { in_loop = 0 } / = phi / { in_loop = 1 }
        in_loop && /load float, ptr %width/ { found = 1 } END { exit !found }' "$2" ;;
    DIVISION) grep -q 'fdiv float %.*, %unit' "$2" ;;
    SCRATCH_ARRAY) grep -qE 'getelementptr .*ptr %(trace|spare),' "$2" ;;
    # Without its division, or behind the loop, a dead store costs nothing.
    DEAD_STORE) awk '/:/ { in_loop = 0 } / = phi / { in_loop = 1 } in_loop && /store float .*, ptr %last/' "$2" |
        sed -n 's/.*store float \(%[a-z0-9.]*\), .*/ \1 = fdiv/p' | grep -qFf - "$2" ;;
    BUFFER) sed -n 's/.*store float .*, ptr \(%array[a-z0-9]*\),.*/load float, ptr \1,/p' "$2" |
        grep -qFf - "$2" ;;
    esac
}

for waste in INVARIANT_LOAD DIVISION SCRATCH_ARRAY DEAD_STORE BUFFER; do
    if has_waste $waste "$1"; then echo $waste; fi
done
