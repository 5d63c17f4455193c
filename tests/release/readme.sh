#!/bin/sh
# readme.sh - every command of README.md is run as it stands there, in a copy of the tree
# SPDX-License-Identifier: MIT
#
# usage: [README=README.md] [MIOPEN_DB=DIR] tests/release/readme.sh [train]
#
# Commands are the blocks indented by four blanks, and those between ```sh and ```; other fenced
# blocks are not. What is not run has to be in the list of not_run, with a reason. Paths that stand
# for the reader's own (/path/to/...) become MIOPEN_DB, /usr/local becomes a folder of the copy. The
# files that the commands name are made first: example.c is the C block, the others are below.
# The part `train` alone trains shipped models again, those of the smallest spec, which takes minutes.
. tests/harness/script.inc

README=${README:-README.md}
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
MIOPEN_DB=$(absolute "$MIOPEN_DB")
smallest=conv_asm_bwd_wrw_3x3
part=${1-}
root=$PWD
built=$(absolute "$BUILD")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# as in a shell of the reader's
unset BUILD CC CFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR

need_weights "commands of $README"

# ---- the commands ----

# commands FILE: one a line, without comments at their end; what is continued is joined
commands() {
    awk '/^```/ { fenced = fenced == "" ? substr($0, 4) " " : ""; block = 0; next }
         fenced == "sh " { print; next }
         fenced != "" { next }
         /^    / && (blank || block) { print substr($0, 5); block = 1; next }
         { blank = /^[ \t]*$/; if (!blank) block = 0 }' "$1" |
        sed -e :a -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' |
        sed -e 's/^\$ //' -e 's/ [ ]*#[^"]*$//' -e '/^[ \t]*$/d' -e '/^#/d'
}

# ---- a copy of the tree ----

# copy FOLDER: what is kept in git, or all but what was built
copy() {
    mkdir "$1" || return 1
    if git ls-files --error-unmatch "$README" >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard | while read -r file; do
            [ ! -e "$file" ] || echo "$file"
        done | tar -cf - -T - | tar -xf - -C "$1"
    else
        tar -cf - --exclude=./build . | tar -xf - -C "$1"
    fi
}

# The files that the commands read
provide() {
    sed -n '/^```c$/,/^```$/p' "$README" | sed '/^```$/,$d;1d' >example.c
    cp "$root/tests/fixtures/rowsum.spec" my.spec
    awk 'BEGIN { print "gpu,rows,cols,threads,unroll"
        for (gpu = 0; gpu < 2; gpu++) for (r = 1; r <= 4096; r *= 4)
            for (c = 16; c <= 4096; c *= 2)
                print (gpu ? "gfx906_60" : "gfx900_56") "," r "," c "," \
                    (c < 100 ? 64 : c < 1000 ? 128 : 256) "," (r % 16 ? 1 : 4) }' >results.csv
    # a training run that logs its convolutions
    printf 'import sys\nwith open("%s") as log:\n    sys.stderr.write(log.read())\n' \
        "$root/tests/fixtures/resnet50.log" >train.py
}

# ---- one command ----

# not_run COMMAND: why it is not
not_run() {
    case $1 in
    "make check" | "make check "* | "make smoke") echo "it runs this test" ;;
    "make report"*) echo "it takes many hours" ;;
    "make gemm"*) echo "it takes half an hour" ;;
    *) return 1 ;;
    esac
}

# lacks COMMAND: what it needs that is not here
lacks() {
    case $1 in
    *python3*) has python3 || echo "python3" ;;
    *pkg-config*) has pkg-config || echo "pkg-config" ;;
    esac
    case $1 in
    "make weights"* | "make accuracy"* | *kpred-train*)
        [ "$trainer" ] || echo "SQLite and bzip2" ;;
    esac
    case $1 in
    *MIOPEN_DB=* | *"/path/to"* | "make weights"* | "make accuracy"*)
        [ -r "$MIOPEN_DB/gfx900_56.db.bz2" ] || echo "$MIOPEN_DB" ;;
    esac
}

trains() {
    case $1 in
    "make weights"* | "make accuracy"*) return 0 ;;
    esac
    return 1
}

# as_here COMMAND: with the folders of this machine in the place of the reader's
as_here() {
    echo "$1" | sed -e "s|MIOPEN_DB=[^ ]*|MIOPEN_DB=$MIOPEN_DB|" \
        -e "s|/path/to/[^ ]*src/kernels|$MIOPEN_DB|g" -e "s|/path/to|$MIOPEN_DB|g" \
        -e "s|/usr/local|$tmp/usr|g"
}

run_in() {
    (cd "$1" && PKG_CONFIG_PATH="$tmp/usr/lib/pkgconfig:$tmp/usr/share/pkgconfig" \
        HOME="$tmp" sh -ec "$(as_here "$2")")
}

# What CI installs has to hold what the README says.
packages() {
    for package in $(echo "$1" | sed 's/.*install//' | tr ' ' '\n' | grep -v '^-'); do
        tr -c 'a-z0-9+.-' '\n' <"$root/.ci/run" | grep -qxF "$package" ||
            { echo "$package is not in .ci/run"; return 1; }
    done
}

# The training commands see one spec, and no header of the others.
small_copy() {
    [ ! -d "$tmp/small" ] || return 0
    copy "$tmp/small" || return 1
    for file in "$tmp"/small/weights/*.spec "$tmp"/small/weights/*.h; do
        case $file in */$smallest.*) ;; *) rm "$file" ;; esac
    done
}

# What `make weights` has trained, `make accuracy` finds where it would train it again. The trainer is
# built for this machine; its bytes are the same on all.
train_small() {
    small_copy && run_in "$tmp/small" "NATIVE=-march=native $1" && mkdir -p "$tmp/small/build/config" &&
        cp "$tmp/small/weights/$smallest.h" "$tmp/small/weights/$smallest.f32" "$tmp/small/build/config"
}

one_command() {
    short=$(echo "$1" | cut -c1-70)
    missing=$(lacks "$1" | head -n 1)
    if why=$(not_run "$1"); then
        echo "    not run: $1: $why"
    elif [ "$missing" ]; then
        skipped "$short" "there is no $missing"
    elif trains "$1"; then
        if [ "$part" = train ]; then
            check "$short" train_small "$1"
        else
            echo "    not run: $1: it takes minutes, and is in the part train"
        fi
    elif [ "$part" != train ]; then
        case $1 in
        apt-get* | "sudo apt-get"*) check "$short" packages "$1" ;;
        *) check "$short" run_in "$tmp/tree" "$1" ;;
        esac
    fi
}

# ---- all of them ----

commands "$README" >"$tmp/commands"
some_commands() { [ "$(wc -l <"$tmp/commands")" -ge 5 ]; }
check "commands are found" some_commands
check "a copy of the tree" copy "$tmp/tree"
(cd "$tmp/tree" && provide && BUILD=$built && copy_built build)
# In the place of `make check`, which builds before it tests
check "make" run_in "$tmp/tree" make
trainer=''
[ ! -x "$tmp/tree/build/kpred-train" ] || trainer=yes
while read -r command; do
    one_command "$command"
done <"$tmp/commands"

# The targets that were not run are there.
targets() {
    sed -n 's/^make \([a-z]*\).*/\1/p' "$tmp/commands" | sort -u >"$tmp/targets"
    while read -r target; do
        run_in "$tmp/tree" "make -n $target MIOPEN_DB='$MIOPEN_DB'" >/dev/null || return 1
    done <"$tmp/targets"
}
if [ -r "$MIOPEN_DB/gfx900_56.db.bz2" ]; then
    check "all targets that are named" targets
else
    skipped "all targets that are named" "there is no $MIOPEN_DB"
fi
if [ -d "$tmp/small" ]; then
    check "make weights gives the header that is shipped" cmp "weights/$smallest.h" \
        "$tmp/small/weights/$smallest.h"
fi

test_end
