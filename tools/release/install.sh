#!/bin/sh
# install.sh - `make install` and `make uninstall`: one list of files serves both
# SPDX-License-Identifier: MIT
#
# usage: BUILD= DESTDIR= PREFIX= BINDIR= INCLUDEDIR= DATADIR= MANDIR= DOCDIR= INSTALL=
#        sh tools/release/install.sh install|uninstall       (all from the Makefile)
#
# Below INCLUDEDIR, DATADIR and DOCDIR the folders that are kpred's own go with their last file.
set -eu
umask 022
pc=$BUILD/kpred.pc

die() {
    echo "install.sh: $1" >&2
    exit 1
}

# ---- the list ----

# each FUNCTION: calls FUNCTION MODE SOURCE DESTINATION for every file
each() {
    programs "$1" kpred
    if [ "$1" = remove ] || [ -x "$BUILD/kpred-train" ]; then programs "$1" kpred-train; fi
    for header in kpred*.h weights/*.h; do
        "$1" 644 "$header" "$INCLUDEDIR/kpred/$header"
    done
    for spec in weights/*.spec; do
        "$1" 644 "$spec" "$DATADIR/kpred/${spec##*/}"
    done
    "$1" 644 "$pc" "$DATADIR/pkgconfig/kpred.pc"
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
    ls README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE weights/README.md tools/README.md
    find docs -type f \( -name '*.md' -o -name '*.svg' -o -name '*.png' \) ! -name '.*'
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
    "$INCLUDEDIR"/kpred/* | "$DATADIR"/kpred/* | "$DOCDIR"/*) ;;
    *) return 0 ;;
    esac
    if rmdir "$DESTDIR$1" 2>/dev/null; then tidy "${1%/*}"; fi
}

# ---- kpred.pc ----

# The folder in terms of the prefix where it lies below, so that pkg-config can move the whole.
write_pc() {
    case $INCLUDEDIR in
    "$PREFIX"/*) include="\${prefix}${INCLUDEDIR#"$PREFIX"}" ;;
    *) include=$INCLUDEDIR ;;
    esac
    version=$(sh tools/release/version.sh <kpred.h)
    cat <<END
prefix=$PREFIX
includedir=$include

Name: kpred
Description: Predicts the best tuning parameters of GPU kernels; headers only
Version: $version
Cflags: -I"\${includedir}/kpred"
END
}

documents=$(list_documents)
case $1 in
install)
    write_pc >"$pc"
    each put
    ;;
uninstall) each remove ;;
*) die "\"$1\": is neither install nor uninstall" ;;
esac
