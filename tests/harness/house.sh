#!/bin/sh
# house.sh - the rules of the house: format, first lines, languages, the table of suites
# SPDX-License-Identifier: MIT
#
# usage: house.sh [form|shell]
. tests/harness/script.inc

test_begin
sh tools/release/files.sh | LC_ALL=C sort >"$tmp/files"

# sources ENDING: all of ours that is written by hand and ends so, an extended regular expression
sources() {
    grep -E "^(tools|tests|examples)/.*[.]($1)\$" "$tmp/files"
}

# clang-format of another version writes other lines.
formatter() {
    for name in clang-format-14 clang-format; do
        $name --version 2>/dev/null | grep -q 'version 14\.' && echo $name && return
    done
    echo clang-format-14
}

formatted() {
    # shellcheck disable=SC2046
    set -- kpred*.h $(sources '[ch]|cpp')
    $format --dry-run -Werror "$@" && # which leaves comments alone
        ! awk 'length > 100 { print FILENAME ":" FNR ": over 100 columns" }' "$@" | grep .
}

# To a script, what it sources is here no more than the variables there, which takes a third of the time. That itself is
# read once.
shells() {
    scripts="$(sources 'sh') tools/release/kpred.bash .ci/run" sourced=$(sources 'inc')
    tar -cf - $scripts $sourced | tar -xf - -C "$tmp" && for file in $sourced; do
        grep -oE '[A-Za-z_]+=|[$][{]?[A-Za-z_]+' "$file" | tr -d '${=' | sort -u | sed 's/.*/&=; : "$&"/' >"$tmp/$file"
    done && (cd "$tmp" && shellcheck -x -e SC1091,SC2016,SC2086 $scripts) &&
        shellcheck -s sh -e SC1007,SC1091,SC2015,SC2016,SC2034,SC2046,SC2086,SC2154,SC2231 $sourced
}

pythons() {
    # shellcheck disable=SC2046
    pyflakes3 $(sources 'py')
}

# Each says at its top what it is, maybe with its arguments, and then its licence.
first_lines() {
    sources '[ch]|sh|py|inc|bash|mk|steps' | grep -vE '(^|/)examples/' |
        xargs awk 'function judge() { if (file && !(named && licensed)) print file }
            FNR == 1 { judge(); file = name = FILENAME; named = licensed = 0
                sub(".*/", "", name); gsub("[.]", "[.]", name) }
            FNR <= 3 && $0 ~ "^(/[*] |# |\"\"\")" name "( .*)? - [^ ]" { named = 1 }
            FNR <= 12 && /SPDX-License-Identifier/ { licensed = 1 }
            END { judge() }' >"$tmp/bad"
    [ ! -s "$tmp/bad" ] || { tr '\n' ' ' <"$tmp/bad"; return 1; }
}

# A script of Python is a file, which pyflakes3 reads and an editor knows.
no_python_inside() {
    # shellcheck disable=SC2046
    ! grep -nE 'python3? (- )?.*<<|cat >.*\.py"? *<<' $(sources 'sh') $(sources 'inc') .ci/run
}

budget() {
    python3 tests/harness/budget.py <"$tmp/files"
}

# What the tables of suites name is there.
table() {
    suite_table | while read -r _ kind name; do
        case $kind in smoke | short | check | wide | deep) ;; *) echo "$name: $kind" ;; esac
        [ "$(suite_file "$name")" ] || echo "no $name"
    done >"$tmp/bad"
    [ ! -s "$tmp/bad" ] || { cat "$tmp/bad"; return 1; }
}

# It takes longer than all else here, so it is a part of its own.
if [ "${1-}" = shell ]; then
    check_with shellcheck "shellcheck" shells
    test_end
    exit
fi

format=$(formatter)
check_with "$format" "clang-format" formatted
check_with pyflakes3 "pyflakes3" pythons
check "name, purpose and licence" first_lines
check "no Python in a shell script" no_python_inside
check "the table of suites" table
check_with python3 "the rooms of tools/" python3 tests/harness/rooms.py "$BUILD"
check_with python3 "the budget of lines, files and words" budget
test_end
