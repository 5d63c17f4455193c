#!/bin/sh
# docs.sh - what the documents name exists, and what they compute comes out
# SPDX-License-Identifier: MIT
#
# Held true: relative links and their headings; files; names with kpred's prefixes; internals that the
# two design documents name; make targets; commands and their options; figures that repeat others
# (facts.inc, too); the hashes of protocol.md; the pictures; widths of lines.
. tests/harness/script.inc

test_begin
DOCS="README.md CONTRIBUTING.md SECURITY.md tools/README.md $(echo docs/*.md)"
DESIGN="docs/how-it-works.md docs/protocol.md" # name functions and variables without a prefix
WIDTH=120

# silent COMMAND...: says nothing; its output are complaints
silent() {
    ! "$@" | grep .
}

# ---- what a document holds ----

# code FILE: its code, a line each: fenced and indented blocks, and spans between backticks
code() {
    awk '/^```/ { fenced = !fenced; next }
         fenced { print; next }
         /^    / && (blank || block) { print substr($0, 5); block = 1; next }
         { block = 0; blank = /^ *$/
           n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' "$1"
}

# words FILE PATTERN: its words of that form, once each; NAME in them stands for any name
words() {
    tr -c 'A-Za-z0-9_./*-' '\n' <"$1" | sed 's/[.-]*$//' | grep -xE "$2" | sort -u
}

# ---- links ----

# headings FILE: of each heading what a link calls it
headings() {
    awk '/^```/ { fenced = !fenced } !fenced && /^#+ / {
             sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-"); print }' "$1"
}

links() {
    for doc in $DOCS; do
        grep -oE '\]\([^) ]+\)' "$doc" | sed 's/^](//;s/)$//' | grep -vE '^(https?|mailto):' |
            while read -r link; do
                file=${link%%#*} heading=
                case $link in *'#'*) heading=${link#*#} ;; esac
                path=$doc
                [ -z "$file" ] || path=$(dirname "$doc")/$file
                if [ ! -e "$path" ]; then
                    echo "$doc: $link: no such file"
                elif [ -n "$heading" ] && ! headings "$path" | grep -qxF -e "$heading"; then
                    echo "$doc: $link: no such heading"
                fi
            done
    done
}
check "links" silent links

# ---- names ----

files() {
    for doc in $DOCS; do
        words "$doc" '(\.ci|docs|examples|tests|tools|weights)/.*|kpred[a-z_]*\.h' | while read -r word; do
            # shellcheck disable=SC2046
            set -- $(echo "$word" | sed 's/NAME/*/g; s|^kpred_evolve.h$|tools/evolve/harness.h|')
            [ -e "$1" ] || echo "$doc: $word: no such file"
        done
    done
}
check "files" silent files

# tools/README.md has a table for each room, which names every file of it and no other.
tables_of_rooms() {
    awk '/^##/ { room = $2; gsub(/[`:]/, "", room) }
         room ~ /^tools\// && /^[|] `/ { split($0, cell, "|"); n = split(cell[2], part, "`")
             for (i = 2; i <= n; i += 2) print room part[i] }' tools/README.md | sort >"$tmp/said"
    (git ls-files tools 2>/dev/null || find tools -type f) | grep '/.*/' | grep -v pycache |
        sed 's/\.[ch]$//' | sort -u | diff "$tmp/said" -
}
check "tables of the rooms" tables_of_rooms

# Everything that may be named, a word a line; header guards and the like do no harm.
# shellcheck disable=SC2046
cat kpred*.h weights/*.spec $(git ls-files tools tests 2>/dev/null || find tools tests -type f) $(find examples -type f) Makefile |
    tr -c 'A-Za-z0-9_' '\n' | sort -u >"$tmp/words"
grep -hoE 'KPRED_[A-Z0-9_]+|kpred_model_[a-z0-9_]+' weights/*.h | sort -u >>"$tmp/words"

# The kernels that the documents make up have generated names too.
own=$(sed -n -e 's/^name  *= *\([a-z0-9_]*\)$/-e \1/p' -e 's/.* init .* -o \([a-z0-9_]*\)[.]spec$/-e \1/p' docs/*.md |
    tr '\n' ' ')

# The prefix alone, and names with a placeholder in them, say nothing. A small letter behind KPRED_ is of a
# variable that tune sets, as the made-up kernel has its fields.
prefixed() {
    for doc in $DOCS; do
        words "$doc" '(kpred|KPRED|kpri|KPRI)_[A-Za-z0-9_]*[A-Za-z0-9]' | grep -v -e NAME -e 'KPRED_[a-z]' | grep -vi ${own:--e /} |
            grep -vxFf "$tmp/words" | sed "s|^|$doc: |; s|\$|: no such name|"
    done
}
check "names with a prefix" silent prefixed

internals() {
    for doc in $DESIGN; do
        code "$doc" | grep -xE '[a-z][a-z0-9]*(_[a-z0-9]+)+' | sort -u | grep -vxFf "$tmp/words" |
            sed "s|^|$doc: |; s|\$|: no such name|"
    done
}
check "internals" silent internals

# ---- commands ----

# With -C the targets are those of that folder.
targets() {
    for doc in $DOCS; do
        code "$doc" | sed -n 's/ *#.*//; s/^make //p' | sort -u | while read -r words; do
            folder=$(echo "$words" | sed -n 's/^-C *\([^ ]*\).*/\1/p')
            [ -e "$folder/Makefile" ] || folder=.
            echo "$words" | sed 's/-C *[^ ]*//' | tr ' ' '\n' | grep -xE '[a-z][a-z-]*' | while read -r target; do
                grep -qE "^$target:" "$folder/Makefile" || echo "$doc: make $target: no such target"
            done
        done
    done
}
check "make targets" silent targets

# command_lines PROGRAM: DOCUMENT COMMAND ARGUMENTS...
command_lines() {
    for doc in $DOCS; do
        code "$doc" | sed -n 's/  *#.*//; s/^\(\$ \)\{0,1\}\(build\/\)\{0,1\}'"$1"' \([a-z].*\)/\3/p' |
            sed "s|^|$doc |"
    done
}

commands() {
    for program in kpred kpred-train kpred-evolve; do
        main=$(find tools -name "$(echo $program | tr - _).c")
        command_lines $program | while read -r doc command arguments; do
            grep -q "\"$command\"" "$main" || echo "$doc: $program $command: no such command"
            for word in $arguments; do
                case $word in --[a-z]* | '[--'[a-z]*) ;; *) continue ;; esac
                option=$(echo "$word" | sed 's/^\[//; s/[]=].*//')
                grep -qF -e "\"$option\"" "${main%/*}"/*.c || echo "$doc: $program $command: no option $option"
            done
        done
    done
}
check "commands" silent commands

# ---- figures ----

. tests/release/facts.inc

# The example of docs/miopen.md, run: its log, its file, its summary
example() {
    sed -n '/^## A complete example/,/^## /p' docs/miopen.md | sed -n 's/^    //p' >"$tmp/example"
    grep -F MIOpenDriver "$tmp/example" >"$tmp/log.txt"
    grep -E '^[0-9-]+x[0-9]+-.*=Conv' "$tmp/example" >"$tmp/file"
    grep '^kpred: ' "$tmp/example" >"$tmp/summary"
    "$BUILD/kpred" miopen --gpu gfx906_60 "$tmp/log.txt" >"$tmp/out" 2>"$tmp/err"
    [ -s "$tmp/file" ] && diff "$tmp/file" "$tmp/out" && diff "$tmp/summary" "$tmp/err"
}
check "the example of miopen.md" example

# ---- hashes ----

# The rows of the table, key, hash, part; and what the document's own program makes of the keys
documented_hashes() {
    sed -n 's/^| `[a-z]*` | `\([^`]*\)` | `\(0x[0-9a-f]*\)` | \([a-z]*\) |$/\1 \2 \3/p' docs/protocol.md
}

hashes() {
    sed -n '/^```python$/,/^```$/p' docs/protocol.md | sed '1d;$d' >"$tmp/hash.py"
    documented_hashes >"$tmp/said"
    [ "$(wc -l <"$tmp/said")" -ge 2 ] || { echo "the table of keys is not there"; return 1; }
    # shellcheck disable=SC2046
    python3 "$tmp/hash.py" $(cut -d' ' -f1 "$tmp/said") | diff "$tmp/said" -
}

check_with python3 "hashes of protocol.md" hashes

# ---- pictures ----

well_formed() {
    python3 -c 'import sys, xml.etree.ElementTree as e
sys.exit(e.parse(sys.argv[1]).getroot().tag != "{http://www.w3.org/2000/svg}svg")' "$1"
}

# Nothing from elsewhere and nothing that runs
self_contained() {
    ! sed 's|xmlns="http://www.w3.org/2000/svg"||; s|xmlns:xlink="http://www.w3.org/1999/xlink"||' "$1" |
        grep -niE '<script|<image|<foreignObject|<!ENTITY|@import|//|[[:space:]]on[a-z]+=|href="[^#]|url\([^#]'
}

for svg in docs/*.svg; do
    check_with python3 "$svg is XML" well_formed "$svg"
    check "$svg stands alone" self_contained "$svg"
done
# The version of kpred.h is the one that stands in the headers' first lines and in the documents.
versions() {
    version=$(sh tools/release/version.sh <kpred.h)
    head -n 1 kpred.h | grep -qF " - v$version - " || echo "kpred.h:1: not v$version"
    head -n 1 kpred_constraints.h | grep -qF " - v$version - " || echo "kpred_constraints.h:1: not v$version"
    grep -m 1 '^## ' CHANGELOG.md | grep -qF "## $version (" || echo "CHANGELOG.md: the first heading is not $version"
    grep -qxF "find_package(kpred ${version%.*} REQUIRED)" docs/embedding.md ||
        echo "docs/embedding.md: find_package asks for another version"
    grep -qxE "\\| $version \\| (yes|in preparation) \\|" SECURITY.md || echo "SECURITY.md: nothing is said of $version"
}
check "one version everywhere" silent versions

check "size of docs/dataflow.svg" [ "$(wc -c <docs/dataflow.svg)" -lt 12288 ]

# ---- form ----

long_lines() {
    LC_ALL=C.UTF-8 grep -nE "^.{$((WIDTH + 1))}" $DOCS | grep -vE '^[^:]*:[0-9]*:(    |[|>])' | cut -c1-80
}
check "no line over $WIDTH columns but of code and tables" silent long_lines
test_end
