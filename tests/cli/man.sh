#!/bin/sh
# man.sh - the man pages have the commands and options that --help has, no other, and no mistake
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

export LC_ALL=C # one order for sort and comm
test_begin

# ---- what --help says ----

help_commands() {
    "$BUILD/$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p' | sort
}

# options: those in a text; a hyphen within a word begins none
options() {
    grep -oE '(^|[^[:alnum:]-])--?[a-z][a-z-]*' | sed 's/^[^-]*//' | sort -u
}

usage_options() { "$BUILD/$1" "$2" --help | sed '/^$/q' | options; }
listed_options() { "$BUILD/$1" "$2" --help | grep -oE '^  --?[a-z][a-z-]*' | options; }

# ---- what the page says ----

page_commands() {
    sed -n '/^\.Sh COMMANDS/,/^\.Sh SPEC/s/^\.Ss //p' "docs/$1.1" | sort
}

# The lines of the list of options in a command's section
page_items() {
    awk -v command="$2" '/^\.S[hs]/ { inside = $1 == ".Ss" && $2 == command }
        inside && /^\.It Fl / { print $3 }' "docs/$1.1" | flags
}

# The options in a command's synopsis
page_synopsis() {
    awk -v command="$2" '/^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
        /^\.Nm/ { inside = 0 }
        $1 == ".Cm" { inside = synopsis && $2 == command }
        inside { for (i = 1; i < NF; i++) if ($i == "Fl" || $i == ".Fl") print $(i + 1) }' \
        "docs/$1.1" | flags
}

# flags: in mdoc the macro writes the first hyphen
flags() { sed 's/^/-/' | sort -u; }

# ---- one against the other ----

# same NAME LIST NAME LIST: says what is only in one of two sorted lists
same() {
    echo "$2" >"$tmp/a"
    echo "$4" >"$tmp/b"
    cmp -s "$tmp/a" "$tmp/b" && return
    comm -23 "$tmp/a" "$tmp/b" | sed "s|^|only in $1: |"
    comm -13 "$tmp/a" "$tmp/b" | sed "s|^|only in $3: |"
    return 1
}

check_program() {
    if [ ! -x "$BUILD/$1" ]; then
        skipped "$1" "it was not built"
        return
    fi
    check "$1: commands" same --help "$(help_commands $1)" "docs/$1.1" "$(page_commands $1)"
    for command in $(help_commands $1); do
        if "$BUILD/$1" "$command" --help 2>&1 | grep -q 'built without'; then
            skipped "$1 $command" "it was built without what it needs"
            continue
        fi
        listed=$(listed_options $1 $command)
        check "$1 $command: usage and list of --help" same usage "$(usage_options $1 $command)" \
            list "$listed"
        check "$1 $command: options" same --help "$listed" "docs/$1.1" \
            "$(page_items $1 $command)"
        check "$1 $command: synopsis" same --help "$listed" "docs/$1.1" \
            "$(page_synopsis $1 $command)"
    done
}

# groff speaks of mistakes and still ends well.
groff_silent() {
    groff -ww -mdoc -Tascii "$1" 2>"$tmp/err" >"$tmp/out"
    cat "$tmp/err"
    [ -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
}

check_page() {
    check_with mandoc "$1: mandoc" mandoc -T lint -W warning "$1"
    check_with groff "$1: groff" groff_silent "$1"
}

for program in kpred kpred-train kpred-evolve; do
    check_program $program
    check_page docs/$program.1
done
test_end
