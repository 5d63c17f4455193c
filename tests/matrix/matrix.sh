#!/bin/sh
# matrix.sh - one signature in every cell: compilers, levels, flags, bodies, processors and C libraries
# SPDX-License-Identifier: MIT
#
# usage: matrix.sh gcc|clang|emulated|make|table, cells of the gate, what `make signature` says, or whether the table of
#        cells has all that it should
#        [JOBS=N] matrix.sh all, every cell; a second run goes on where this one ended
#
# tests/matrix/cells has a line for each cell, and tests/signature what each has to print. It changes with
# the weights and with the arithmetic; a commit that changes it says so. `all` leaves a table and a CSV of
# it in BUILD/release, and the results in BUILD/release/matrix: a cell that passed is run again only if
# the headers, the weights, the test or the compiler have changed.
# shellcheck disable=SC2046
. tests/harness/script.inc

part=${1-all} all_cells=${all_cells-}
[ "$part" != --build ] || { where=$2 number=$3 part=build; }
test_begin

# What has no part in a cell's line and decides its result
sources() {
    cat kpred.h kpred_constraints.h weights/*.h tests/model/shipped.h tests/signature* tests/matrix/matrix.sh
}

# ---- how a cell is built, and by what it runs ----
#
# A cell is a line of tests/matrix/cells. $where is the folder of its results, $tmp one that goes away.

MUSL=/usr/lib/x86_64-linux-musl
SANITIZERS="-g -fno-omit-frame-pointer -fno-sanitize-recover=all"

# take_cell GATE TARGET COMPILER...: the words of a line as variables. Programs of Windows run by $WINDOWS; else they
# are built alone, which the emulator `true` stands for.
take_cell() {
    target=$2 compiler=$3 std=$4 level=$5 flags=$6 libc=$7 checks=$8
    shift 8
    bodies=$1 body=$2
    exe='' build=$target-$compiler-$std$level$flags-$libc-$checks-$bodies # a name of a file
    [ "$bodies" = all ] || build=$build-$body
    case $target in
    armhf) triple=arm-linux-gnueabihf emulator=qemu-arm ;;
    x86-64) triple='' emulator='' ;;
    windows) triple=x86_64-w64-mingw32 exe=.exe emulator=${WINDOWS:-true} ;;
    i386) triple='' emulator=$(runner gcc -m32) ;;
    *) triple=$target-linux-gnu emulator=qemu-$target ;;
    esac
    case $all_cells$target-$compiler$checks$level in
    yes* | x86-64-gcc--O[1-3s] | x86-64-clang--O[1-3s]) tests=tests ;;
    *) tests=$where/few$(sixth) ;;
    esac
}

# Which of the models are enough, in the gate, for a cell that takes long
sixth() {
    case $target-$compiler$checks in
    i386-clang-) echo 1 ;; aarch64-clang-) echo 2 ;; s390x-clang-) echo 3 ;;
    i386-gcc-) echo 4 ;; aarch64-gcc-) echo 5 ;;
    *-tcc-) echo 1 ;; windows-*) echo 2 ;; *-gcc-) echo 3 ;; *-gcc*) echo 4 ;; *) echo 0 ;;
    esac
}

# few_models N: each sixth one, from the one with that number on, in $where/fewN with what they give
few_models() {
    few=$where/few$1
    mkdir -p "$few/model" && cp tests/signature.[ch] "$few" &&
        awk -v n="$1" '/^#include "weights/ && included++ % 6 != n || /^    X[(]/ && listed++ % 6 != n { next }
            { print } END { print "" }' tests/model/shipped.h >"$few/model/shipped.h" &&
        awk -v n="$1" '(NR - 1) % 6 == n' tests/signature >"$few/signature"
}

# The compiler's program, and what it needs for the target
command_of_target() {
    case $target-$compiler in
    x86-64-*) echo $compiler ;;
    i386-*) echo $compiler -m32 -msse2 ;;
    *-gcc) echo $triple-gcc -static ;;
    *) echo $compiler --target=$triple -static ;;
    esac
}

# What there is besides to compile with that C library
with_libc() {
    case $libc-$compiler in
    musl-gcc*) echo -specs $MUSL/musl-gcc.specs -static ;;
    mingw-*) echo -include windows.h ;;
    musl-*) echo -nostdlibinc -isystem ${MUSL%/lib/*}/include/${MUSL##*/} -nostdlib -static ;;
    esac
}

# And to link, behind the objects
libc_objects() {
    case $libc-$compiler in musl-clang*) echo $MUSL/crt1.o $MUSL/crti.o $MUSL/libc.a $MUSL/crtn.o ;; esac
}

# The number of a body, as KPRED_SIMD has it
simd() {
    [ $bodies != all ] || { echo 100; return; }
    case $body in
    portable) echo 0 ;; sse2) echo 1 ;; avx2) echo 2 ;; avx_vnni) echo 3 ;; avx512_vnni) echo 4 ;;
    neon) echo 5 ;; neon_dot) echo "6 -march=armv8.2-a+dotprod" ;;
    esac
}

options() {
    echo -std=$std $level -DKPRED_SIMD="$(simd)"
    [ "$flags" = - ] || echo $flags
    [ "$checks" = - ] || echo -fsanitize=$checks $SANITIZERS
}

# Warnings that are an error, too; of loops that clang does not vectorize when it checks each step, none
strict() {
    case $compiler in
    tcc) ;;
    *++) echo $WARNINGS ;;
    *) echo $C_WARNINGS -Wno-pass-failed ;;
    esac
}

# "12.2.0"
version() {
    case $compiler in tcc) tcc -v ;; *) $(command_of_target) --version ;; esac 2>/dev/null |
        grep -oE '[0-9]+\.[0-9]+[0-9.]*' | head -n 1
}

# A build that is checked, or of another language or kind of compiler or system, reads the weights itself.
is_together() {
    case $compiler-$target in *++-* | tcc-* | *-windows) true ;; *) [ "$checks" != - ] ;; esac
}

# shared NAME WORD...: an object that a compiler makes once for each target, C library and choice of models
shared() {
    object=$where/$1-${tests##*/}-$target-$compiler-$libc.o
    shift
    [ -e "$object" ] || { $(command_of_target) -std=c99 $C_WARNINGS $(with_libc) -I. -I"$tests" "$@" -o "$object.tmp" &&
        mv "$object.tmp" "$object"; }
}

# models FILE: an object with the definitions of the headers, too, which give way to those of the build. The weights are
# the same bytes for every option, so a compiler reads them once; for the gate and this processor, make has done so.
models() {
    case $all_cells$target-$libc in
    x86-64-glibc) ar p "$archive" runtime.o >"$1.made" && set -- "$1" "$1.made" ;;
    *)
        printf '#define KPRED_IMPLEMENTATION\n#include "model/shipped.h"\n' >"$tmp/models.c"
        shared models -O1 -DKPRED_SIMD=0 -c "$tmp/models.c" && set -- "$1" "$object"
        ;;
    esac && ${triple:+$triple-}objcopy --weaken "$2" "$1"
}

# build FILE: the program of the cell. The test's own code is not what a cell is about.
build() {
    program=$1
    set -- $(options) $(strict) $(with_libc) -I.
    case $compiler in *++) set -- -xc++ "$@" ;; esac
    if is_together; then
        $(command_of_target) "$@" "$tests/signature.c" -o "$program"
        return
    fi
    printf '#define KPRED_IMPLEMENTATION\n#include "kpred_constraints.h"\n#include "kpred.h"\n' >"$tmp/headers.c"
    models "$tmp/models.o" && shared signature -O2 -DMODELS_APART -c "$tests/signature.c" &&
        $(command_of_target) "$@" "$tmp/headers.c" "$object" "$tmp/models.o" $(libc_objects) -o "$program"
}

# Why the machine cannot run that body; fails if it can
lacks_body() {
    case $emulator-$body in
    -avx* | wine-avx*) ! grep -qw $body /proc/cpuinfo && echo "the machine has no $body" ;;
    qemu*-avx*vnni) echo "${emulator%% *} has no $body" ;;
    *) false ;;
    esac
}

# Why the build cannot be made and run here, or nothing
unavailable() {
    # shellcheck disable=SC2046
    set -- $(command_of_target)
    for program in "$1" ${emulator%% *}; do
        has "$program" || { echo "there is no $program"; return; }
    done
    [ $libc != musl ] || [ -e $MUSL/libc.a ] || { echo "there is no musl"; return; }
    [ -n "$triple" ] || [ "$(uname -m)" = x86_64 ] || { echo "this is no x86-64"; return; }
    printf '#include <stdio.h>\nint main(void) { return printf("1") != 1; }\n' >"$tmp/probe.c"
    case $compiler in *++) set -- "$@" -xc++ ;; esac
    [ $libc = mingw ] || set -- "$@" $(with_libc)
    if ! "$@" $(options) "$tmp/probe.c" $(libc_objects) -o "$tmp/probe$exe" ||
        ! $emulator "$tmp/probe$exe"; then
        echo "$1 cannot build that here"
    fi >"$tmp/probe.log" 2>&1
    grep 'cannot build that here' "$tmp/probe.log"
}

# ---- one build and its cells ----

# The names of the models that differ
differing() {
    diff "$tests/signature" "$tmp/all" | sed -n 's/^[<>] \([a-z0-9_]*\) .*/\1/p' | sort -u | tr '\n' ' ' |
        sed 's/ $//'
}

# result STATUS TEXT: of this cell, behind the key it is for
result() {
    printf '%s\n' "$key" "$version" "$1" "$2" >"$where/$cell"
}

run_cell() {
    if [ -n "$why" ]; then
        result skip "$why"
    elif why_not=$(lacks_body); then
        result skip "$why_not"
    elif [ ! -x "$tmp/program$exe" ] && ! build "$tmp/program$exe" >"$tmp/err" 2>&1; then
        result FAIL "it does not compile: $(grep -m 1 -E 'error|warning' "$tmp/err")"
    elif [ "$emulator" = true ]; then
        result ok "it compiles, and was not run"
    elif ! timeout 900 $emulator "$tmp/program$exe" $body >"$tmp/out" 2>"$tmp/err"; then
        result FAIL "it does not run to its end: $(grep -m 1 . "$tmp/err")"
    elif tr -d '\r' <"$tmp/out" >"$tmp/all" && ! cmp -s "$tests/signature" "$tmp/all"; then
        result FAIL "$(differing)"
    else
        result ok ""
    fi
}

# What has passed already is left as it is.
run_build() {
    line=$(sed -n "${number}p" "$where/builds")
    take_cell - $line
    version=$(version) why=$(unavailable)
    key="$sources $version"
    for body in $(echo $body | tr , ' '); do
        cell=$build-$body
        [ "$(sed -n '1p;3p' "$where/$cell" 2>/dev/null | tr '\n' ' ')" = "$key ok " ] || run_cell
    done
}

if [ $part = build ]; then
    run_build
    exit
fi

# ---- which cells ----

cells() {
    grep -v '^#' tests/matrix/cells | tr -s ' ' | case $part in
    all) cat ;;
    emulated) grep -E '^gate (aarch64|s390x)' ;;
    gcc) grep -E '^gate (x86-64|windows|i386) (gcc|g[+]+|tcc) ' ;;
    clang) grep -E '^gate (x86-64|i386) clang' ;;
    esac
}

# A line for each build of these cells: their line, with all bodies that run in it
builds() {
    cut -d' ' -f2- | awk '{ body = $9; $9 = ""; build = $8 == "one" ? $0 body : $0
        if (!(build in bodies)) { order[++n] = build; line[build] = $0; bodies[build] = body }
        else bodies[build] = bodies[build] "," body }
        END { for (i = 1; i <= n; i++) print line[order[i]] bodies[order[i]] }'
}

# With the models that make has compiled; whole programs are cells.
make_target() {
    ar p "$archive" runtime.o >"$tmp/models.o" &&
        make -s signature CC="$CC" CFLAGS="-O1 -DMODELS_APART $tmp/models.o" BUILD="$tmp/build" | diff tests/signature -
}

# The compiler's programs do not start, as those for i386 on a kernel without it.
emulates() {
    printf '#!/bin/sh\nprintf "exit 126" >"$5" && chmod +x "$5"\n' >"$tmp/cc" && chmod +x "$tmp/cc" &&
        [ "$(runner "$tmp/cc" -m32)" = "qemu-i386 -cpu max" ] && [ -z "$(runner "$tmp/cc" -O2)" ]
}

if [ "$part" = table ]; then
    check_with python3 "every pair, and the full product on x86-64" python3 tests/matrix/pairs.py tests/matrix/cells
    check "an emulator for i386 where the kernel lacks it" emulates
    test_end
    exit
fi

need_weights "signature"
if [ "$part" = make ]; then
    check "make signature" make_target
    test_end
    exit
fi

# ---- all of these ----

where=$tmp/matrix
[ "$part" != all ] || {
    where=$BUILD/release/matrix
    export all_cells=yes WINDOWS=wine WINEPREFIX="$where/wine" WINEDEBUG=-all
}
mkdir -p "$where" || exit 1
for number in 0 1 2 3 4 5; do few_models $number || exit 1; done
sources=$(sources | sha256sum | cut -c1-16) && export sources
[ "$(cat "$where/sources" 2>/dev/null)" = "$sources" ] || rm -f "$where"/*.o
echo "$sources" >"$where/sources"
cells >"$tmp/cells"
builds <"$tmp/cells" >"$where/builds"
# The first build of each compiler makes the objects that the others share, so it goes before them.
firsts=$(awk '!seen[$1 $2 $6]++ { print NR }' "$where/builds")
others=$(awk 'seen[$1 $2 $6]++ { print NR }' "$where/builds")
for numbers in "$firsts" "$others"; do
    printf '%s\n' $numbers | xargs -P "${JOBS:-1}" -n 1 sh tests/matrix/matrix.sh --build "$where"
done

# Each line: the words of the cell with the version behind the compiler, status and text
while read -r line; do
    take_cell $line
    { read -r _; read -r version; read -r status; read -r text; } <"$where/$build-$body" || status=FAIL text="no result"
    line=${line#* }
    case $status in
    ok) passed "$line${text:+: $text}" ;;
    skip) skipped "$line" "$text" ;;
    *) failed "$line" "$text" ;;
    esac
    echo "$target $compiler ${version:--} $std $level $flags $libc $checks $bodies $body $status $text" >>"$tmp/rows"
done <"$tmp/cells"

# The first eleven columns, and the rest of a line as one
csv() {
    echo target,compiler,version,standard,level,flags,libc,checks,bodies,body,status,models_that_differ_or_why
    awk -v OFS=, '{ line = $1; text = ""; for (i = 2; i <= 11; i++) line = line "," ($i ~ /,/ ? "\"" $i "\"" : $i)
        for (i = 12; i <= NF; i++) text = text (i > 12 ? " " : "") $i
        gsub(/"/, "\"\"", text); print line, "\"" text "\"" }' "$tmp/rows"
}

table() {
    echo "target compiler version standard level flags libc checks bodies body status models that differ, or why" |
        cat - "$tmp/rows" | awk '{ for (i = 1; i <= 11; i++) if (length($i) > width[i]) width[i] = length($i)
            line[NR] = $0 }
        END { for (n = 1; n <= NR; n++) { $0 = line[n]
            for (i = 1; i <= NF; i++) printf "%-*s ", width[i], $i
            print "" } }' | sed 's/ *$//'
}

# kpred for Windows: it is built without a warning and, where $WINDOWS runs it, says and writes what it does here.
windows_build() {
    make -s "$where/windows/kpred.exe" BUILD="$where/windows" CC=x86_64-w64-mingw32-gcc \
        CFLAGS="-O1 -Wall -Wextra -Werror"
}

# say FOLDER PROGRAM: in that folder, to all lines
say() (
    mkdir "$tmp/$1" && cd "$tmp/$1" || exit
    while read -r line; do "$2" $line; echo "status $?"; done <../lines >said 2>&1
)

windows_runs() {
    cp weights/conv_asm_1x1u.h tests/fixtures/networks.log "$tmp" && head -n 40 "$tmp/networks.log" >"$tmp/some.log"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$WINDOWS" "$where/windows/kpred.exe" >"$tmp/windows"
    chmod +x "$tmp/windows"
    cat >"$tmp/lines" <<'END'
models
predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1
predict ../conv_asm_1x1u.h gpu=gfx906_60 dir=F dtype=FP32 n=1 c=64 h=56 w=56 k=64 stride=1 --json
predict ../some.log
miopen --gpu gfx906_60 -o user.db ../some.log
miopen --gpu gfx906_60 -o user.db ../networks.log
END
    say here "$kpred" && say there "$tmp/windows" && diff "$tmp/here" "$tmp/there" && [ -s "$tmp/here/user.db" ] &&
        refuses 1 "serve: is a command of the programs for Linux" "$tmp/windows" serve
}

case $part in gcc | all)
    check_with x86_64-w64-mingw32-gcc "kpred for Windows" windows_build
    [ ! "${WINDOWS-}" ] || check "kpred for Windows, run" windows_runs ;;
esac
if [ "$part" = all ]; then
    csv >"$BUILD/release/matrix.csv" && table >"$BUILD/release/matrix.txt" && cat "$BUILD/release/matrix.txt"
fi
test_end
