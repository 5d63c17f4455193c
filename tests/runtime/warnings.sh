#!/bin/sh
# warnings.sh - not one warning: headers, weights as C99 and C++17, tools, tests, examples
# SPDX-License-Identifier: MIT
#
# usage: warnings.sh [gcc|clang|sources]: sources are the tools, tests and examples, which take longest; .ci/run builds
# the tools with gcc's warnings
#
# A unit is a file that includes headers in one of the ways in which a user does. clang-tidy gives the warnings of clang
# for many files in one process, which takes a third of the time of a clang for each; its part has the weights without
# most of their numbers, which take nearly all the time. gcc's part has the weights one by one, in both languages. The
# Makefile and matrix.sh compile the definitions of all models with these warnings.
# shellcheck disable=SC2046
. tests/harness/script.inc

test_begin
weights=$(for spec in $(model_specs); do ls "${spec%.spec}.h" 2>/dev/null; done)
has_weights || skipped "some or all weights" "they are not there (make weights)"
own_flags='' not_built='^$'
for tests in tools/*/tests; do
    room=$(outbuilding "$tests/")
    if [ ! "$(own_archive "$tests/")" ]; then
        continue # it is compiled as the house is
    elif [ -e "$BUILD/$room.flags" ]; then
        own_flags="$own_flags $(sed 's/"/\\"/g' "$BUILD/$room.flags")"
    else
        skipped "tools/$room" "it is not built"
        not_built="$not_built|^tools/$room/"
    fi
done
case $(libraries) in
*SQLITE*BZIP2*) ;;
*) skipped "code that needs SQLite or bzip2" "they are not installed" ;;
esac

# Names that a user's other headers make macros, as a header; those with () may stand where no call is. The C library
# declares some of them, so it comes before.
platforms() {
    echo "#include <stdlib.h>"
    while read -r _ names; do
        for name in $names; do echo "#define $name @"; done
    done <<'END'
Windows near far huge small hyper interface pascal cdecl min max NEAR FAR IN OUT OPTIONAL CONST VOID CDECL PASCAL
Windows TRUE FALSE ERROR NOERROR DELETE IGNORE STRICT OPAQUE PURE THIS environ grp1 grp2 rad1 rad2 lst1 scr1 stc1
gnu99 linux unix i386 mips arm sun vax sgi
POSIX I complex assert isset() setbit() clrbit() major() minor() makedev() MIN MAX howmany() roundup() B0 NBBY
newlib _B _C _L _N _P _S _U _X
curses lines columns tab move() clear() erase() timeout()
tgmath round() sqrt() log2() exp2() fabs()
X11 Bool Status None Success Always True False
Qt slots signals emit foreach() forever
macOS check() verify() require()
Linux current swap() clamp() min_t() likely() unlikely()
Arduino F() abs() bit() word() sei() cli() sq() _BV() HIGH LOW INPUT OUTPUT DEFAULT EXTERNAL BIN OCT DEC HEX PI
END
}

# unit FILE MACRO[=VALUE],... HEADER...: the headers behind these macros
unit() {
    file=$1 macros=$2; shift 2
    { echo $macros | tr , '\n' | sed '/^-*$/d; s/=/ /; s/^/#define /'; printf '#include "%s"\n' "$@"; } >"$file"
}

# units FOLDER EXTENSION: both bodies of the network are in the headers
units() {
    to=$tmp/$1 of=$2
    each $1 $2 kpred.h kpred_constraints.h
    unit "$to/declared.$of" - kpred.h kpred_constraints.h $weights
    unit "$to/static.$of" KPRED_STATIC,KPRED_SIMD=0 kpred.h
    unit "$to/static_constraints.$of" KPRED_STATIC,KPRED_SIMD=0 kpred_constraints.h
    [ -z "$weights" ] || unit "$to/static_models.$of" KPRED_STATIC $weights
}

# each FOLDER EXTENSION HEADER...: the definitions of each by itself
each() {
    folder=$tmp/$1 extension=$2
    shift 2
    mkdir -p "$folder"
    for header in "$@"; do unit "$folder/$(basename "$header" .h).$extension" KPRED_IMPLEMENTATION "$header"; done
}

# What the sources of tools, tests and examples are compiled with
source_flags="$(libraries | grep -oe '-D[A-Z0-9_]*' | tr '\n' ' ') $own_flags -D_POSIX_C_SOURCE=200809L"
source_flags="$source_flags -DMODELS_APART -Itools -Itests -Itests/release/embed -I$BUILD"

# gcc_clean FLAGS FILE...: gcc looks at what it would compile only when it does.
gcc_clean() {
    flags=$1; shift
    for file in "$@"; do
        case $file in *.cpp) cc=g++ ;; *) cc=gcc ;; esac
        eval "$cc $flags -I. -O1 -c -o $tmp/object \$file" || return 1
    done
}

# clang_clean FLAGS FILE...
clang_clean() {
    flags=$1; shift
    if has clang-tidy; then
        eval "clang-tidy -quiet '-checks=-*,clang-diagnostic-*,misc-static-assert' \"\$@\" -- $flags -I." \
            2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    else
        eval "clang $flags -I. -fsyntax-only \"\$@\""
    fi
}

C="-std=c99 $C_WARNINGS"
CXX="-std=c++17 $CXX_WARNINGS"

of_gcc() {
    units gcc c
    units g++ cpp
    each gcc_weights c $weights
    each weights cpp $weights
    check_with gcc "gcc: headers" gcc_clean "$C" "$tmp"/gcc/*.c
    check_with gcc "gcc: each of the weights" gcc -std=c99 $C_WARNINGS -I. -fsyntax-only "$tmp"/gcc_weights/*.c
    check_with g++ "g++: headers" gcc_clean "$CXX -Wuseless-cast -Wmissing-declarations" "$tmp"/g++/*.cpp
    check_with clang++ "clang++: each of the weights" clang_clean "$CXX -Wmissing-prototypes" "$tmp"/weights/*.cpp
}

# The C of a user whose other headers define macros, and Microsoft's C, where __GNUC__ is not defined
of_platforms() {
    platforms >"$tmp/platforms.h"
    units clang c
    unit "$tmp/clang/hip_declared.c" 'KPRED_HIP_API_HEADER="hip/hip_standin.h"' kpred_hip.h
    unit "$tmp/clang/hip.c" 'KPRED_HIP_API_HEADER="hip/hip_standin.h",KPRED_HIP_IMPLEMENTATION' kpred_hip.h
    for file in "$tmp"/clang/*.c; do
        case $file in */hip*) early='#include "tests/hip/hip_standin.h"\n' ;; *) early= ;; esac
        { printf "$early#include \"%s/platforms.h\"\n" "$tmp"; cat "$file"; } >"$tmp/unit" && mv "$tmp/unit" "$file"
    done
    check "clang: headers" clang_clean "-I$tmp/tree $C -Itests" "$tmp"/clang/*.c
    unit "$tmp/cl.c" KPRED_IMPLEMENTATION kpred_constraints.h weights/conv_asm_1x1u.h
    unit "$tmp/cl_static.c" KPRED_STATIC kpred_constraints.h weights/conv_asm_1x1u.h
    unit "$tmp/cl_declared.c" - kpred_constraints.h weights/conv_asm_1x1u.h
    check_with weights/conv_asm_1x1u.h "clang-cl" clang --driver-mode=cl --target=x86_64-pc-windows-msvc /W4 /WX \
        /clang:-ffreestanding /Zs -I. "$tmp/cl.c" "$tmp/cl_static.c" "$tmp/cl_declared.c"
}

of_clang() {
    sh tools/release/analyze.sh tree "$tmp/tree" || { failed "weights without their numbers" "analyze.sh tree"; return; }
    if has clang; then of_platforms; else skipped clang "it is not installed"; fi
    units clang++ cpp
    check_with clang++ "clang++: headers" clang_clean "-I$tmp/tree $CXX -Wmissing-prototypes" "$tmp"/clang++/*.cpp
    check_with clang "clang: a sanitizer" quiet -O1 -fsanitize=undefined
    check_with clang "clang: coverage" quiet -O1 --coverage
}

# quiet OPTION...: in a program with a model and the portable code, as a user looks for faults or measures coverage
quiet() {
    unit "$tmp/quiet.c" KPRED_IMPLEMENTATION,KPRED_SIMD=0 weights/conv_asm_bwd_wrw_3x3.h
    clang -std=c99 "$@" -Wall -Wextra -Werror -I. -c "$tmp/quiet.c" -o "$tmp/object.o"
}

# ---- sources ----

# Those of the files whose headers are there, and that no script compiles in a way of its own
compiled() {
    for file in "$@"; do
        case $file in
        tests/release/embed/use.c | tools/lab/peers/native.c | tools/python/kpred/kpred_python.c) ;; # of one model each
        tests/hip/device.c | tests/hip/opencl.c | examples/hip_select.c) ;; # hip.sh and opencl.sh do so
        tests/proof/whole.c | tests/proof/network.c) ;; # for Frama-C
        */xgboost_peer.c) [ ! -e /usr/include/xgboost/c_api.h ] || echo $file ;;
        */sqlite_peer.c) case $(libraries) in *SQLITE*) echo $file ;; esac ;;
        *) if has_weights || ! grep -q '"weights/' "$file"; then echo $file; fi ;;
        esac
    done
}

# with_all CC
with_all() {
    if ! has $1; then skipped $1 "it is not installed"; return; fi
    check "$1: tools" $1_clean "$C $source_flags" $(compiled $(sh tools/release/files.sh |
        grep -E '^tools/[a-z]+/([a-z]+/)?[a-z0-9_]+[.]c$' | grep -vE "/examples/|$not_built"))
    check "$1: tests" $1_clean "$C $source_flags" $(compiled tests/*.c tests/*/*.c tests/release/embed/*.c)
    check "$1: examples" $1_clean "$C $source_flags" $(compiled examples/*.c)
}

case ${1-all} in
gcc) of_gcc ;;
clang) of_clang ;;
sources) with_all gcc; with_all clang ;;
*) of_gcc; of_clang; with_all gcc; with_all clang ;;
esac
test_end
