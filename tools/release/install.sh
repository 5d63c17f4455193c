#!/bin/sh
# install.sh - `make install` and `make uninstall`: one list of files serves both
# SPDX-License-Identifier: MIT
#
# usage: BUILD= DESTDIR= PREFIX= BINDIR= INCLUDEDIR= DATADIR= MANDIR= DOCDIR= INSTALL=
#        sh tools/release/install.sh install|uninstall       (all from the Makefile)
#        sh tools/release/install.sh version <kpred.h        prints its version: 0.4.0
#
# Below INCLUDEDIR, DATADIR and DOCDIR the folders that are kpred's own go with their last file.
set -eu
umask 022
generated= # the folder of completions, and of what pkg-config and CMake's find_package read

die() {
    echo "install.sh: $1" >&2
    exit 1
}

# The version of the kpred.h on standard input
version() {
    awk '$1 == "#define" && $2 == "KPRED_VERSION" {
             printf "%d.%d.%d\n", $3 / 10000, $3 / 100 % 100, $3 % 100
             found = 1
         }
         END { if (!found) print "install.sh: no KPRED_VERSION" > "/dev/stderr"; exit !found }'
}

# ---- the list ----

# each FUNCTION: calls FUNCTION MODE FOLDER FILE... for all files, which keep their names
each() {
    programs "$1" docs/kpred.1
    if [ "$1" = remove ] || [ -x "$BUILD/kpred-train" ]; then programs "$1" docs/kpred-train.1; fi
    if [ "$1" = remove ] || [ -x "$BUILD/kpred-evolve" ]; then programs "$1" tools/evolve/kpred-evolve.1; fi
    "$1" 644 "$INCLUDEDIR/kpred" kpred*.h
    "$1" 644 "$INCLUDEDIR/kpred/weights" weights/*.h
    "$1" 644 "$DATADIR/kpred" weights/*.spec tools/serve/kpred_tune.py
    # shellcheck disable=SC2046
    "$1" 644 "$DATADIR/kpred/convert" $(sh tools/release/files.sh | grep '^tools/python/kpred/convert/')
    "$1" 644 "$DATADIR/kpred/recipes" weights/recipes/*.spec
    "$1" 644 "$DATADIR/pkgconfig" "$generated/kpred.pc"
    "$1" 644 "$DATADIR/cmake/kpred" "$generated/kpredConfig.cmake" "$generated/kpredConfigVersion.cmake"
    "$1" 644 "$DOCDIR" README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE
    documents=$(list_documents)
    for folder in $(echo "$documents" | sed 's|[^/]*$||' | sort -u); do
        # shellcheck disable=SC2046
        "$1" 644 "$DOCDIR/${folder%/}" $(echo "$documents" | grep "^${folder}[^/]*\$")
    done
}

# programs FUNCTION PAGE: a program, its man page and its completion
programs() {
    program=$(basename "$2" .1)
    "$1" 755 "$BINDIR" "$BUILD/$program"
    "$1" 644 "$MANDIR/man1" "$2"
    "$1" 644 "$DATADIR/bash-completion/completions" "$generated/$program"
}

# Those in folders
list_documents() {
    ls weights/README.md weights/accuracy.csv tools/README.md
    sh tools/release/files.sh | grep -E '^(tools/[a-z]+/)?examples/|^(tools/[a-z]+/)?docs/[^/]*[.](md|svg|png|csv)$|^tools/[a-z]+/[^/]*[.](md|svg)$'
}

# ---- what is done with each file ----

# install(1) would put a file into a folder of its name and be content.
put() {
    mode=$1 to=$DESTDIR$2
    shift 2
    for file; do [ ! -d "$to/${file##*/}" ] || die "$to/${file##*/}: is a folder"; done
    [ -d "$to" ] || $INSTALL -d "$to"
    $INSTALL -m "$mode" "$@" "$to"
}

remove() {
    from=$2
    shift 2
    for file; do
        shift
        set -- "$@" "$DESTDIR$from/${file##*/}"
    done
    rm -f "$@"
    tidy "$from"
}

# Removes a folder of ours that is empty, and so upwards.
tidy() {
    case $1/ in
    "$INCLUDEDIR"/kpred/* | "$DATADIR"/kpred/* | "$DATADIR"/cmake/kpred/* | "$DOCDIR"/*) ;;
    *) return 0 ;;
    esac
    if rmdir "$DESTDIR$1" 2>/dev/null; then tidy "${1%/*}"; fi
}

# ---- kpred.pc, kpredConfig.cmake, kpredConfigVersion.cmake: install.cmake writes them, too ----

# below_prefix NAME FOLDER: the folder in terms of ${NAME} where it lies below the prefix, so that the
# whole can be moved
below_prefix() {
    case $2 in
    "$PREFIX"/*) printf '%s\n' "\${$1}${2#"$PREFIX"}" ;;
    *) printf '%s\n' "$2" ;;
    esac
}

# The way from kpredConfig.cmake to the prefix; absolute where it does not lie below it
up_to_prefix() {
    case $DATADIR in
    "$PREFIX"/*) printf '%s\n' "${DATADIR#"$PREFIX"/}/cmake/kpred" | sed 's|[^/][^/]*|..|g' ;;
    *) printf '%s\n' "$PREFIX" ;;
    esac
}

# fill_in FILE NAME VALUE...: of its template with the values in the places of @NAME@
fill_in() {
    file=$1 script=
    shift
    while [ $# -gt 0 ]; do
        script="$script;s|@$1@|$(printf '%s\n' "$2" | sed 's/[&|\]/\\&/g')|g"
        shift 2
    done
    sed "$script" "tools/release/$file.in" >"$generated/$file"
}

generate() {
    generated=$(mktemp -d)
    trap 'rm -rf "$generated"' EXIT
    version=$(version <kpred.h)
    fill_in kpred.pc PREFIX "$PREFIX" INCLUDE "$(below_prefix prefix "$INCLUDEDIR")" VERSION "$version"
    fill_in kpredConfig.cmake UP "$(up_to_prefix)" \
        INCLUDE "$(below_prefix kpred_prefix "$INCLUDEDIR")"
    fill_in kpredConfigVersion.cmake VERSION "$version"
    for program in kpred kpred-train kpred-evolve; do cp tools/release/kpred.bash "$generated/$program"; done
}

case $1 in
version) version ;;
install)
    generate
    each put
    ;;
uninstall) each remove ;;
*) die "\"$1\": is neither install nor uninstall" ;;
esac
