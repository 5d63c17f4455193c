#!/bin/sh
# install.sh - `make install` puts there all that it should and that works alone; uninstall removes it
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

export LC_ALL=C # one order for sort
unset PREFIX BINDIR INCLUDEDIR DATADIR MANDIR DOCDIR INSTALL MAKEFLAGS
test_begin
dest="$tmp/with a blank"
prefix=$dest/usr/local

need_weights "all"

# target TARGET VARIABLE...: of the Makefile
target() {
    make -s BUILD="$BUILD" "$@"
}

# fails COMMAND...: with a status and a message
fails() {
    ! "$@" >"$tmp/log" 2>&1 && [ -s "$tmp/log" ]
}

files_below() {
    (cd "$1" && find . -type f -o -type l) | sed 's|^\./||' | sort
}

# ---- what is installed ----

program_files() {
    echo "bin/$1"
    echo "share/man/man1/$1.1"
    echo "share/bash-completion/completions/$1"
}

wanted_files() {
    program_files kpred
    [ ! -x "$BUILD/kpred-train" ] || program_files kpred-train
    [ ! -x "$BUILD/kpred-evolve" ] || program_files kpred-evolve
    echo share/pkgconfig/kpred.pc
    echo share/kpred/kpred_tune.py
    sh tools/release/files.sh | sed -n 's|^tools/python/kpred/convert|share/kpred/convert|p'
    printf 'include/kpred/%s\n' kpred*.h weights/*.h
    printf 'share/cmake/kpred/%s\n' kpredConfig.cmake kpredConfigVersion.cmake
    printf '%s\n' weights/*.spec weights/recipes/*.spec | sed 's|^weights|share/kpred|'
    for document in README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE weights/README.md weights/accuracy.csv \
        tools/README.md $(sh tools/release/files.sh | grep -E '^(tools/evolve/)?examples/|^(docs|tools/evolve|tools/lab(/docs)?)/[^/]*[.](md|svg|png|csv)$'); do
        echo "share/doc/kpred/$document"
    done
}

right_files() {
    wanted_files | sort >"$tmp/wanted"
    files_below "$prefix" >"$tmp/got"
    diff "$tmp/wanted" "$tmp/got"
}

# Documents link to each other and to the web, and to nothing that is not installed.
right_links() {
    ! (cd "$prefix/share/doc/kpred" && find . -name '*.md' | while read -r doc; do
        grep -oE '\]\([^) #]+' "$doc" | sed 's/^](//' | grep -v '^https\{0,1\}:' | while read -r link; do
            [ -e "${doc%/*}/$link" ] || echo "$doc: $link: is not installed"
        done
    done) | grep .
}

# Readable by all, whatever the umask of who installs
right_modes() {
    wrong=$(find "$dest" -type d ! -perm 755 -o -type f -path '*/bin/*' ! -perm 755 \
        -o -type f ! -path '*/bin/*' ! -perm 644)
    [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

with_umask() {
    (umask 077 && target install DESTDIR="$dest")
}

overwrites() {
    echo changed >"$prefix/include/kpred/kpred.h"
    target install DESTDIR="$dest" && cmp kpred.h "$prefix/include/kpred/kpred.h" && right_files
}

# The same bytes as here, so that what other tests say of the headers holds for the installed ones.
same_headers() {
    for header in kpred*.h weights/*.h; do
        cmp "$header" "$prefix/include/kpred/$header" || return 1
    done
}

# ---- pkg-config ----

pkg_config() {
    PKG_CONFIG_PATH="$prefix/share/pkgconfig" pkg-config "$@" kpred
}

# The place of the installation in place of the prefix, as the file was not moved there
cflags() {
    if has pkg-config; then
        pkg_config --define-variable=prefix="$prefix" --cflags
    else
        sed -n 's/^Cflags: //p' "$prefix/share/pkgconfig/kpred.pc" |
            sed "s|\${includedir}|$prefix/include|g"
    fi
}

version() {
    [ "kpred $(pkg_config --modversion)" = "$("$prefix/bin/kpred" --version)" ]
}

cflags_without_move() {
    [ "$(pkg_config --cflags | sed 's/ *$//')" = "-I/usr/local/include -I/usr/local/include/kpred" ]
}

# ---- programs that see nothing but what is installed ----

# In an empty folder, with what pkg-config says; what all models predict, other tests say of the same bytes.
compiled() {
    flags=$(cflags)
    (cd "$tmp/empty" && eval "$CC -std=c99 -O0 -DKPRED_SIMD=0 $C_WARNINGS $flags" '"$tmp/readme.c" -o "$tmp/program"') &&
        "$tmp/program" | grep -q .
}

# outside NAME FLAGS: one model from outside the installation, by the names that a program may give it
outside() {
    printf '#define KPRED_IMPLEMENTATION\n#include %s\nint main(void) { return 0; }\n' "$1" >"$tmp/outside.c"
    (cd "$tmp/empty" && eval "$CC -std=c99 -DKPRED_SIMD=0 $C_WARNINGS $2" '"$tmp/outside.c" -o "$tmp/program"') &&
        "$tmp/program"
}

all_compile() {
    mkdir "$tmp/empty"
    check "#include <kpred/weights/...>" outside '<kpred/weights/conv_solver.h>' "$(cflags)"
    check "#include \"kpred/weights/...\"" outside '"kpred/weights/conv_solver.h"' '-I"$prefix/include"'
    check "#include \"weights/...\"" outside '"weights/conv_solver.h"' "$(cflags)"
    check "#include \"conv_solver.h\"" outside '"conv_solver.h"' '-I"$prefix/include/kpred/weights"'
    sed -n '/^```c$/,/^```$/p' "$prefix/share/doc/kpred/README.md" | sed '/^```$/,$d;1d' >"$tmp/readme.c"
    check "the README's program" compiled
}

# ---- the installed programs ----

# as_built HEADER: the installed program, alone in an empty folder, says of it what the built one says of its model.
as_built() {
    set -- "$1" gpu=gfx906 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1 -k 4 --csv
    got=$(cd "$tmp/empty" && "$prefix/bin/kpred" predict "$@") && shift && [ -n "$got" ] &&
        [ "$got" = "$("$BUILD/kpred" predict conv_asm_1x1u "$@")" ]
}

# ---- other places ----

elsewhere() {
    other=$tmp/other
    set -- DESTDIR="$other" PREFIX=/opt/kpred INCLUDEDIR=/opt/headers MANDIR=/opt/man \
        BINDIR=/opt/commands DATADIR=/opt/data DOCDIR=/opt/words
    target install "$@" && [ -x "$other/opt/commands/kpred" ] &&
        [ -e "$other/opt/headers/kpred/kpred.h" ] && [ -e "$other/opt/man/man1/kpred.1" ] &&
        [ -e "$other/opt/words/README.md" ] &&
        grep -qx 'includedir=/opt/headers' "$other/opt/data/pkgconfig/kpred.pc" &&
        [ ! -e "$other/usr" ] && [ ! -e "$other/opt/kpred" ] &&
        target uninstall "$@" && [ -z "$(files_below "$other")" ]
}

# ---- what goes wrong ----

file_in_the_way() {
    : >"$tmp/file"
    fails target install DESTDIR="$tmp/file"
}

folder_in_the_way() {
    mkdir -p "$tmp/blocked/usr/local/share/pkgconfig/kpred.pc"
    fails target install DESTDIR="$tmp/blocked"
}

no_permission() {
    mkdir "$tmp/closed" && chmod a-w "$tmp/closed" && fails target install DESTDIR="$tmp/closed"
}

# ---- uninstall ----

# No file is left, nor a folder of ours.
uninstalled() {
    target uninstall DESTDIR="$dest" && [ -z "$(files_below "$dest")" ] &&
        [ -z "$(find "$dest" -name 'kpred*')" ]
}

# A file of somebody else stays, in a folder of ours too.
spares_others() {
    target install DESTDIR="$dest" || return 1
    echo mine >"$prefix/include/kpred/weights/mine.h"
    echo mine >"$prefix/bin/mine"
    target uninstall DESTDIR="$dest" &&
        [ "$(files_below "$prefix" | tr '\n' ' ')" = "bin/mine include/kpred/weights/mine.h " ]
}

check "install" with_umask
check "the files" right_files
check "links of the documents" right_links
check "their modes" right_modes
check "a second install" overwrites
check "the headers' bytes" same_headers
check_with pkg-config "pkg-config: version" version
check_with pkg-config "pkg-config: flags" cflags_without_move
all_compile
check "kpred" as_built conv_asm_1x1u
check "kpred with an installed header" as_built "$prefix/include/kpred/weights/conv_asm_1x1u.h"
check "other folders" elsewhere
check "a file in the way" file_in_the_way
check "a folder in the way" folder_in_the_way
if [ "$(id -u)" = 0 ]; then skipped "no permission to write" "root may write all"; else
    check "no permission to write" no_permission
fi
check "uninstall" uninstalled
check "uninstall twice" uninstalled
check "uninstall spares others" spares_others
test_end
