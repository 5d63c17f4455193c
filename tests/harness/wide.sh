#!/bin/sh
# wide.sh - checks that take longer or need more than `make check`: the oracle on a million tuples, all
# tests under the sanitizers, valgrind, static analysis, the weights made again, other processors.
# Missing tools and data are counted and named as skips. Closes with the totals.
set -u
BUILD=${BUILD:-build}
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
TENSILE_CSV=${TENSILE_CSV:-../shared/tensile}
ORACLE=${ORACLE:-../shared/miopen/rules.py}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok $1"; }
bad() { failed=$((failed + 1)); echo "FAIL $1"; [ ! -r "$tmp/log" ] || tail -n 40 "$tmp/log"; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }
have() { command -v "$1" >/dev/null 2>&1; }
check() { # NAME COMMAND...: one test
    name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then ok "$name"; else bad "$name"; fi
}

oracle() {
    if ! have python3 || [ ! -r "$ORACLE" ] || [ ! -r "$MIOPEN_DB/gfx900_56.db.bz2" ]; then
        skip "oracle, a million tuples" "needs python3, $ORACLE and $MIOPEN_DB"
        return
    fi
    cc -std=c99 -O2 -I. -Itests tests/rules/test_rules.c -o "$tmp/test_rules" || { bad "oracle: build"; return; }
    check "oracle, a million tuples" python3 tests/rules/rules_oracle.py --oracle "$ORACLE" \
        --db "gfx900_56=$MIOPEN_DB/gfx900_56.db.bz2" --db "gfx906_60=$MIOPEN_DB/gfx906_60.db.bz2" \
        --db "gfx1030_36=$MIOPEN_DB/gfx1030_36.db.bz2" \
        --db "gfx942130=$MIOPEN_DB/gfx942130.db.bz2" --exe "$tmp/test_rules" --random 1000000
}

# Every tuple that the shipped models return for the problems of the databases passes the oracle.
returned() {
    if ! have python3 || [ ! -r "$ORACLE" ] || [ ! -x "$BUILD/kpred-train" ] \
        || [ ! -r "$MIOPEN_DB/gfx900_56.db.bz2" ]; then
        skip "returned tuples pass the oracle" "needs python3, $ORACLE, $MIOPEN_DB and kpred-train"
        return
    fi
    check "returned tuples pass the oracle" sh tests/rules/returned.sh "$BUILD" "$ORACLE" "$MIOPEN_DB"
}

# Every key of the text databases as a driver line, and as many random problems and broken lines.
miopen() {
    if ! have python3 || [ ! -r "$ORACLE" ] || [ ! -x "$BUILD/kpred" ] \
        || [ ! -r "$MIOPEN_DB/gfx906_60.HIP.fdb.txt.bz2" ]; then
        skip "kpred miopen, every key" "needs python3, $ORACLE, $MIOPEN_DB and kpred"
        return
    fi
    check "programs with four kernels" sh tests/miopen/four.sh "$BUILD" "$tmp/four"
    check "kpred miopen, every key" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" \
        --data "$MIOPEN_DB" --keys 0 --random 20000 --broken 2000 --seed 7 \
        --key-printer "$BUILD/check/test_driver" "$tmp/four/kpred"
    check "kpred miopen, beam 10" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" \
        --data "$MIOPEN_DB" --seed 8 "$tmp/four/kpred" --beam 10
}

# The README's commands that train
readme() {
    if [ ! -x "$BUILD/kpred-train" ] || [ ! -r "$MIOPEN_DB/gfx900_56.db.bz2" ]; then
        skip "README, with training" "needs kpred-train and $MIOPEN_DB"
        return
    fi
    check "README, with training" env README_ALL=1 MIOPEN_DB="$MIOPEN_DB" sh tests/release/readme.sh
}

sanitizers() {
    for cc in gcc clang; do
        if ! have $cc || ! echo 'int main(void){return 0;}' \
            | $cc -fsanitize=address,undefined -xc - -o "$tmp/probe" 2>/dev/null; then
            skip "runtime tests under sanitizers, $cc" "no $cc with its sanitizers"
            continue
        fi
        for t in math network search rescue status arena hip hip_plan hip_errors; do
            if $cc -std=c99 -g -O1 -D_GNU_SOURCE -fsanitize=address,undefined \
                -fno-sanitize-recover=all -I. -Itools -Itests tests/*/"test_$t.c" -o "$tmp/t" -lm \
                >"$tmp/log" 2>&1 && "$tmp/t" >"$tmp/log" 2>&1; then
                ok "test_$t under sanitizers, $cc"
            else
                bad "test_$t under sanitizers, $cc"
            fi
        done
    done
}

# Both programs under the sanitizers, as users run them
programs() {
    if ! echo 'int main(void){return 0;}' \
        | gcc -fsanitize=address,undefined -xc - -o "$tmp/probe" 2>/dev/null; then
        skip "programs under sanitizers" "no gcc with its sanitizers"
        return
    fi
    flags='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'
    make BUILD="$tmp/asan" CFLAGS="$flags" >"$tmp/log" 2>&1
    check "programs under sanitizers" env BUILD="$tmp/asan" CFLAGS="$flags" \
        sh tests/harness/run.sh cli json miopen textdb test_driver paper
}

memory() {
    if ! have valgrind; then skip "kpred under valgrind" "no valgrind"; return; fi
    check "kpred predict under valgrind" valgrind -q --error-exitcode=9 --leak-check=full \
        "$BUILD/kpred" predict conv_asm_bwd_wrw_3x3 gpu=gfx900 dir=W dtype=FP16 n=32 c=64 h=28 \
        w=28 k=64 stride=1 groups=1 -k 20
}

analysis() {
    cat >"$tmp/all.c" <<'END'
#define KPRED_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
#include "kpred.h"
#include "kpred_constraints.h"
#include "kpred_hip.h"
END
    if have cppcheck; then
        check "cppcheck of the headers" cppcheck -q --std=c99 --enable=warning,portability \
            --error-exitcode=1 --inline-suppr -DKPRED_SIMD=0 -DCHAR_BIT=8 \
            -DINT_MAX=2147483647 -I. -Itests "$tmp/all.c"
    else
        skip "cppcheck of the headers" "no cppcheck"
    fi
    if have clang-tidy; then
        check "clang-tidy of the headers" clang-tidy --quiet --warnings-as-errors='*' \
            --checks='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-macro-parentheses,-bugprone-reserved-identifier' \
            --header-filter='kpred.*' "$tmp/all.c" -- -std=c99 -I. -Itests
    else
        skip "clang-tidy of the headers" "no clang-tidy"
    fi
    check "gcc -fanalyzer of the headers" gcc -std=c99 -O1 -fanalyzer -Werror -I. -Itests \
        -c "$tmp/all.c" -o "$tmp/all.o"
    if have shellcheck; then
        check "shellcheck" shellcheck -x -e SC1091,SC2016,SC2086 tests/*/*.sh tools/*/*.sh \
            tools/release/kpred.bash .ci/run
    else
        skip "shellcheck" "no shellcheck"
    fi
}

# remade NAME DATA: the shipped header, made again, byte for byte, if the data are there
remade() {
    if [ ! -x "$BUILD/kpred-train" ] || [ ! -r "$2" ]; then
        skip "weights/$1.h made again" "needs kpred-train and $2"
        return
    fi
    MIOPEN_DB="$MIOPEN_DB" TENSILE_CSV="$TENSILE_CSV" sh tools/train/train_model.sh \
        "$BUILD/kpred-train" "weights/$1.spec" "$tmp/$1.h" "--float-out $tmp/f32" >"$tmp/log" 2>&1
    check "weights/$1.h made again" cmp "$tmp/$1.h" "weights/$1.h"
}

# The smallest shipped header of a convolution, and the GEMM models
weights() {
    remade conv_asm_bwd_wrw_3x3 "$MIOPEN_DB/gfx900_56.db.bz2"
    for layout in nn nt tn; do
        remade gemm_mi100_$layout "$TENSILE_CSV/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2"
    done
}

processors() {
    for target in aarch64 s390x; do
        cc=$target-linux-gnu-gcc qemu=qemu-$target
        if ! have $cc || ! have $qemu; then
            skip "signature on $target" "needs $cc and $qemu"
            [ $target = s390x ] || skip "training on $target" "needs $cc and $qemu"
            continue
        fi
        $cc -std=c99 -O2 -static -I. tests/signature.c -o "$tmp/signature" >"$tmp/log" 2>&1
        $qemu "$tmp/signature" 2>>"$tmp/log" | sed -n 's/^total //p' >"$tmp/total"
        check "signature on $target" cmp "$tmp/total" tests/signature
        [ $target = s390x ] || check "training on $target" sh tests/train/cross.sh $cc $qemu
    done
}

# What `make dist` packs passes all tests where there is nothing else: no git, and no data.
tarball() {
    if ! have git || [ ! -e .git ]; then
        skip "make check of the tarball" "needs git and .git"
        return
    fi
    if ! make -s dist BUILD="$tmp/dist" >"$tmp/log" 2>&1 \
        || ! gzip -dc "$tmp"/dist/kpred-*.tar.gz | (cd "$tmp/dist" && tar -xf -); then
        bad "make check of the tarball: it unpacks"
        return
    fi
    check "make check of the tarball" env BUILD=build MIOPEN_DB="$tmp/none" \
        TENSILE_CSV="$tmp/none" ORACLE="$tmp/none" make -C "$tmp"/dist/kpred-*/ check
}

oracle
returned
miopen
readme
sanitizers
programs
memory
analysis
weights
processors
tarball
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
