#!/bin/sh
# install.sh - `make install` puts there all that it should and that works alone; uninstall removes it
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

export LC_ALL=C # one order for sort
unset PREFIX BINDIR INCLUDEDIR DATADIR MANDIR DOCDIR INSTALL MAKEFLAGS
BUILD=$(absolute "$BUILD")
tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
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
    printf 'include/kpred/%s\n' kpred*.h weights/*.h
    printf 'share/cmake/kpred/%s\n' kpredConfig.cmake kpredConfigVersion.cmake
    printf '%s\n' weights/*.spec weights/recipes/*.spec | sed 's|^weights|share/kpred|'
    for document in README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE weights/README.md \
        tools/README.md $(find examples -type f) \
        $(find docs -name '*.md' -o -name '*.svg' -o -name '*.png'); do
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
            sed "s|\${includedir}|$prefix/include|"
    fi
}

version() {
    [ "kpred $(pkg_config --modversion)" = "$("$prefix/bin/kpred" --version)" ]
}

cflags_without_move() {
    [ "$(pkg_config --cflags | sed 's/ *$//')" = -I/usr/local/include/kpred ]
}

# ---- programs that see nothing but what is installed ----

readme_program() {
    sed -n '/^```c$/,/^```$/p' "$prefix/share/doc/kpred/README.md" | sed '/^```$/,$d;1d'
}

# One prediction of every model, in the first direction that its kernel has
models_program() {
    echo '#define KPRED_IMPLEMENTATION'
    for model in $models; do echo "#include \"weights/$model.h\""; done
    cat <<'END'
#include <stdio.h>

static void show(const kpred_model *m, int32_t *arena, size_t words)
{
    int32_t tile[] = { KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32,
                       16, 64, 28, 28, 64, 1, 1 }; /* n c h w k stride groups */
    int32_t solver[] = { 0, KPRED_DIR_F, KPRED_DTYPE_FP32, 0, 16, 64, 1, 28, 28, 64, 1, 1, 1,
                         0, 0, 0, 1, 1, 1, 1, 1, 1, 1 }; /* layout n c d h w k, filter, ... groups */
    int32_t conv2d[] = { 0, KPRED_DIR_F, KPRED_DTYPE_FP32, 0, 16, 64, 28, 28, 64, 3, 3, 1, 1,
                         1, 1, 1, 1, 1 }; /* layout n c h w k, filter, pads, ... groups */
    int32_t gemm[] = { 1024, 512, 1, 256 }; /* m n batch k */
    int32_t named[] = { 0, 16, 2048, 7168 }; /* gpu m n k */
    int32_t *problem = m->names ? named : m->n_fields == sizeof solver / sizeof *solver ? solver
                       : m->n_fields == sizeof conv2d / sizeof *conv2d ? conv2d
                       : m->n_fields == sizeof gemm / sizeof *gemm ? gemm : tile;
    kpred_tuple out[4];
    kpred_ctx ctx;
    size_t i, p, n = 0;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, 4, arena, words);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, m->n_fields, out, 4, &n);
    while (status == KPRED_ERR_NOT_APPLICABLE && problem[1] < KPRED_DIR_W) {
        problem[1]++;
        status = kpred_predict(&ctx, problem, m->n_fields, out, 4, &n);
    }
    printf("%s: %s\n", m->name, kpred_status_string(status));
    for (i = 0; i < n; i++) {
        printf("%ld:", (long)out[i].score);
        for (p = 0; p < m->n_params; p++)
            printf(" %ld", (long)out[i].value[p]);
        printf("\n");
    }
}

int main(void)
{
END
    for model in $models; do
        upper=$(echo "$model" | tr '[:lower:]' '[:upper:]')
        printf '    static int32_t %s[KPRED_%s_ARENA(4)];\n' "$model" "$upper"
    done
    for model in $models; do
        printf '    show(&kpred_model_%s, %s, sizeof %s / sizeof *%s);\n' "$model" "$model" \
            "$model" "$model"
    done
    printf '    return 0;\n}\n'
}

# compiled NAME: the program, in an empty folder, with what pkg-config says; its output in NAME.out
compiled() {
    (cd "$tmp/empty" && eval "$CC -std=c99 -O0 $C_WARNINGS $flags" '"$tmp/$1.c" -o "$tmp/program"') &&
        "$tmp/program" >"$tmp/$1.out" && [ -s "$tmp/$1.out" ]
}

# One model from outside the installation, by the names that a program may give it
outside() {
    printf '#define KPRED_IMPLEMENTATION\n#include %s\nint main(void) { return 0; }\n' "$1" >"$tmp/outside.c"
    (cd "$tmp/empty" && $CC -std=c99 $C_WARNINGS -I"$prefix/$2" "$tmp/outside.c" -o "$tmp/program") &&
        "$tmp/program"
}

all_compile() {
    mkdir "$tmp/empty"
    check "#include <kpred/weights/...>" outside '<kpred/weights/conv_solver.h>' include
    check "#include \"kpred/weights/...\"" outside '"kpred/weights/conv_solver.h"' include
    check "#include \"weights/...\"" outside '"weights/conv_solver.h"' include/kpred
    check "#include \"conv_solver.h\"" outside '"conv_solver.h"' include/kpred/weights
    models=$(for header in weights/*.h; do basename "$header" .h; done)
    readme_program >"$tmp/readme.c"
    models_program >"$tmp/models.c"
    flags=$(cflags)
    check "readme, compiled" compiled readme
    check "models, compiled" compiled models
    for model in $models; do
        check "it predicts with $model" predicted "$model"
    done
}

predicted() {
    grep -A 1 "^$1: " "$tmp/models.out" | tail -n 1 | grep -E '^-[0-9]+:( [0-9]+)+$'
}

# ---- the installed programs ----

# The installed program, alone in an empty folder, says what the built one says here.
installed_kpred() {
    arguments="predict conv_asm_1x1u gpu=gfx906 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1"
    wanted=$("$BUILD/kpred" $arguments -k 4 --csv) &&
        got=$(cd "$tmp/empty" && "$prefix/bin/kpred" $arguments -k 4 --csv) &&
        [ -n "$got" ] && [ "$got" = "$wanted" ]
}

# It reads the installed headers as well.
installed_header() {
    (cd "$tmp/empty" && "$prefix/bin/kpred" predict \
        "$prefix/include/kpred/weights/conv_asm_1x1u.h" gpu=gfx906 dir=F dtype=FP32 n=16 c=64 \
        h=56 w=56 k=256 stride=1)
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
if has pkg-config; then
    check "pkg-config: version" version
    check "pkg-config: flags" cflags_without_move
else
    skipped "pkg-config" "it is not installed"
fi
all_compile
check "kpred" installed_kpred
check "kpred with an installed header" installed_header
check "other folders" elsewhere
check "a file in the way" file_in_the_way
check "a folder in the way" folder_in_the_way
if [ "$(id -u)" = 0 ]; then
    skipped "no permission to write" "root may write all"
else
    check "no permission to write" no_permission
fi
check "uninstall" uninstalled
check "uninstall twice" uninstalled
check "uninstall spares others" spares_others
test_end
