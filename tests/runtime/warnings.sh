#!/bin/sh
# warnings.sh - not one warning: headers, weights as C99 and C++17, tools, tests, examples
# SPDX-License-Identifier: MIT
#
# usage: warnings.sh [gcc|clang|sources]: sources are the tools, tests and examples, which take longest; of these, clang's
# part has the tools
#
# matrix.sh compiles the definitions of all models with these warnings at every level.
. tests/harness/script.inc

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# gcc looks at what it would compile only when it does; clang sees all without.
c_of() {
    case $1 in
    gcc) echo "gcc -std=c99 $C_WARNINGS -O1 -c -o $tmp/object" ;;
    *) echo "$1 -std=c99 $C_WARNINGS -fsyntax-only" ;;
    esac
}

cxx_of() {
    case $1 in
    g++) echo "g++ -std=c++17 $CXX_WARNINGS -Wuseless-cast -Wmissing-declarations -O1 -c -o $tmp/object -xc++" ;;
    *) echo "$1 -std=c++17 $CXX_WARNINGS -Wmissing-prototypes -fsyntax-only -xc++" ;;
    esac
}

# alone COMMAND: without the work for an object, which is the same for each of the weights
alone() {
    echo "$1" | sed 's/-O1 -c -o [^ ]*/-fsyntax-only/'
}

# including HEADER...: a file that includes them, $tmp/including.c
including() {
    for header in "$@"; do echo "#include \"$header\""; done >"$tmp/including.c"
}

# For declarations alone, and with definitions
includes() {
    command=$1; shift
    including "$@"
    $command -I. "$tmp/including.c" && $command -I. -DKPRED_IMPLEMENTATION "$tmp/including.c"
}

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

# includes_static COMMAND HEADER...: with static definitions
includes_static() {
    command=$1; shift
    including "$@"
    $command -I. -DKPRED_STATIC "$tmp/including.c"
}

# What the sources of tools, tests and examples are compiled with
all_clean() {
    command=$1; shift
    for file in "$@"; do
        # shellcheck disable=SC2046
        $command $(libraries | grep -oe '-D[A-Z0-9_]*') $evolve_flags -D_POSIX_C_SOURCE=200809L -DMODELS_APART \
            -I. -Itools -Itests -Itests/release/embed -I"$BUILD" "$file" || return 1
    done
}

# language NAME COMMAND [each]: both bodies of the network are in the headers; with the word, each of the weights alone
language() {
    for header in kpred.h kpred_constraints.h; do
        check "$1: $header" includes "$2" $header
        check "$1: $header, static" includes_static "$2 -DKPRED_SIMD=0" $header
    done
    for header in ${3:+$weights}; do
        check "$1: $header" includes "$(alone "$2")" "$header"
    done
    # shellcheck disable=SC2086
    [ -z "$weights" ] || check "$1: all models, static" includes_static "$2" $weights
}

# A program with that model; printed, as it depends on the machine.
compile_time() {
    including "$1"
    echo 'int main(void) { return 0; }' >>"$tmp/including.c"
    start=$(date +%s%N)
    $CC -std=c99 -O2 -I. -DKPRED_IMPLEMENTATION "$tmp/including.c" -o "$tmp/one" || return 1
    end=$(date +%s%N)
    echo "$1: a program with it compiles in $(((end - start) / 1000000)) ms"
}

weights='' all_weights=yes
for spec in weights/*.spec; do
    if [ -e "${spec%.spec}.h" ]; then weights="$weights ${spec%.spec}.h"; else all_weights=; fi
done
[ "$all_weights" ] || skipped "some or all weights" "they are not there (make weights)"

# kpred-evolve is part of it where make built it.
evolve_flags=$(cat "$BUILD/evolve.flags" 2>/dev/null)
[ "$evolve_flags" ] || skipped "tools/evolve" "there is no LLVM 16"

tests=''
for file in tests/*.c tests/*/*.c tests/release/embed/*.c; do
    case $file in
    tests/release/embed/use.c | tests/release/embed/main.c) ;; # embed.sh compiles them, with a name each
    tests/evolve/*.c) [ ! "$evolve_flags" ] || tests="$tests $file" ;;
    tests/hip/device.c) ;; # hip.sh compiles it, for each runtime
    tests/fuzz/replay.c) ;; # fuzz.sh does so, with a list of the targets
    tests/image/cortex_m.c) ;; # image.sh does so, for its machine
    *) if [ "$all_weights" ] || ! grep -q '"weights/' "$file"; then tests="$tests $file"; fi ;;
    esac
done
examples=''
for file in examples/*.c; do
    [ "$file" != examples/hip_select.c ] || continue # hip.sh compiles it, for each runtime
    if [ "$all_weights" ] || ! grep -q '"weights/' "$file"; then examples="$examples $file"; fi
done
tools=''
for file in tools/*/*.c tools/train/paper/*.c tools/peers/bench/*.c ${evolve_flags:+tools/evolve/*/*.c}; do
    # the scripts that build the other ones name their model
    case $file in
    tools/peers/*native.c) continue ;;
    */xgboost_peer.c) [ -e /usr/include/xgboost/c_api.h ] || continue ;;
    */sqlite_peer.c) case $(libraries) in *SQLITE*) ;; *) continue ;; esac ;;
    tools/evolve/*) [ "$evolve_flags" ] || continue ;;
    esac
    tools="$tools $file"
done
case $(libraries) in
*SQLITE*BZIP2*) ;;
*) skipped "code that needs SQLite or bzip2" "they are not installed" ;;
esac

# with_tools CC
with_tools() {
    # shellcheck disable=SC2086
    check "$1: tools" all_clean "$(c_of $1)" $tools
}

# with_users CC: what uses and tests them
with_users() {
    # shellcheck disable=SC2086
    check "$1: tests" all_clean "$(c_of $1)" $tests
    # shellcheck disable=SC2086
    check "$1: examples" all_clean "$(c_of $1)" $examples
}

sources() {
    if has gcc; then with_tools gcc; with_users gcc; else skipped gcc "it is not installed"; fi
    if has clang; then with_users clang; else skipped clang "it is not installed"; fi
}

# Of each language another compiler has the weights one by one.
of_gcc() {
    if has gcc; then language gcc "$(c_of gcc)" each; else skipped gcc "it is not installed"; fi
    if has g++; then language g++ "$(cxx_of g++)"; else skipped g++ "it is not installed"; fi
    for header in $weights; do
        [ "$header" != weights/conv_solver.h ] || compile_time $header
    done
}

# The C of a user whose other headers define macros, and Microsoft's C, where __GNUC__ is not defined
of_platforms() {
    platforms >"$tmp/platforms.h"
    language clang "$(c_of clang) -include $tmp/platforms.h"
    hip='-Itests -DKPRED_HIP_API_HEADER="hip/hip_standin.h" -DKPRED_HIP_IMPLEMENTATION -include tests/hip/hip_standin.h'
    check "clang: kpred_hip.h" includes "$(c_of clang) $hip -include $tmp/platforms.h" kpred_hip.h
    cl="clang --driver-mode=cl --target=x86_64-pc-windows-msvc /W4 /WX /clang:-ffreestanding /Zs"
    check "clang-cl" includes "$cl" kpred_constraints.h weights/conv_asm_1x1u.h
    check "clang-cl, static" includes_static "$cl" kpred_constraints.h weights/conv_asm_1x1u.h
}

of_clang() {
    if has clang; then of_platforms; with_tools clang; else skipped clang "it is not installed"; fi
    if has clang++; then language clang++ "$(cxx_of clang++)" each; else skipped clang++ "it is not installed"; fi
    check_with clang "clang: a sanitizer" quiet -O1 -fsanitize=undefined
    check_with clang "clang: coverage" quiet -O1 --coverage
}

# quiet OPTION...: in a program with a model and the portable code, as a user looks for faults or
# measures coverage
quiet() {
    including weights/conv_asm_bwd_wrw_3x3.h
    clang -std=c99 "$@" -Wall -Wextra -Werror -DKPRED_IMPLEMENTATION -DKPRED_SIMD=0 -I. -c \
        "$tmp/including.c" -o "$tmp/object.o"
}

case ${1-all} in
gcc) of_gcc ;;
clang) of_clang ;;
sources) sources ;;
*) of_gcc; of_clang; sources ;;
esac
test_end
