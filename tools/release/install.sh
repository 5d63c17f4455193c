#!/bin/sh
# install.sh - `make install` and `make uninstall`: one list of files serves both
# SPDX-License-Identifier: MIT
#
# usage: BUILD= DESTDIR= PREFIX= BINDIR= INCLUDEDIR= DATADIR= MANDIR= DOCDIR= INSTALL=
#        sh tools/release/install.sh install|uninstall       (all from the Makefile)
#        sh tools/release/install.sh version <kpred.h        prints its version: 0.3.0
#
# Below INCLUDEDIR, DATADIR and DOCDIR the folders that are kpred's own go with their last file.
set -eu
umask 022
generated= # the folder of what pkg-config and CMake's find_package read

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

# each FUNCTION: calls FUNCTION MODE SOURCE DESTINATION for every file
each() {
    programs "$1" kpred
    if [ "$1" = remove ] || [ -x "$BUILD/kpred-train" ]; then programs "$1" kpred-train; fi
    if [ "$1" = remove ] || [ -x "$BUILD/kpred-evolve" ]; then programs "$1" kpred-evolve; fi
    for header in kpred*.h weights/*.h; do
        "$1" 644 "$header" "$INCLUDEDIR/kpred/$header"
    done
    for spec in weights/*.spec weights/recipes/*.spec; do
        "$1" 644 "$spec" "$DATADIR/kpred/${spec#weights/}"
    done
    "$1" 644 tools/serve/kpred_tune.py "$DATADIR/kpred/kpred_tune.py"
    "$1" 644 "$generated/kpred.pc" "$DATADIR/pkgconfig/kpred.pc"
    for file in kpredConfig.cmake kpredConfigVersion.cmake; do
        "$1" 644 "$generated/$file" "$DATADIR/cmake/kpred/$file"
    done
    while IFS= read -r document; do
        "$1" 644 "$document" "$DOCDIR/$document"
    done <<END
$documents
END
}

# programs FUNCTION NAME: a program with its man page and its completion
programs() {
    "$1" 755 "$BUILD/$2" "$BINDIR/$2"
    "$1" 644 "docs/$2.1" "$MANDIR/man1/$2.1"
    "$1" 644 tools/release/kpred.bash "$DATADIR/bash-completion/completions/$2"
}

list_documents() {
    ls README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE weights/README.md weights/accuracy.csv tools/README.md
    find docs -type f \( -name '*.md' -o -name '*.svg' -o -name '*.png' -o -name '*.csv' \) ! -name '.*'
    find examples -type f ! -name '.*' ! -name '*~' ! -name '*.o'
}

# ---- what is done with each file ----

# install(1) would put a file into a folder of its name and be content.
put() {
    destination=$DESTDIR$3
    [ ! -d "$destination" ] || die "$destination: is a folder"
    [ -d "${destination%/*}" ] || $INSTALL -d "${destination%/*}"
    $INSTALL -m "$1" "$2" "$destination"
}

remove() {
    rm -f "$DESTDIR$3"
    tidy "${3%/*}"
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
}

documents=$(list_documents)
case $1 in
version) version ;;
install)
    generate
    each put
    ;;
uninstall) each remove ;;
*) die "\"$1\": is neither install nor uninstall" ;;
esac
