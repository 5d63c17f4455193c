#!/bin/sh
# evolve_kernels.sh - what tools/evolve/examples has: kernels and harnesses, planted wastes, kernels of GPUs, its make targets
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] evolve_kernels.sh [show|check|device|layer|run|bound|digits]
#
# With a part, that target alone. A search depends on times: so where it finds nothing, the machine may have been too busy.
. tests/harness/script.inc

EVOLVE_CLANG=${EVOLVE_CLANG:-clang-16}
test_begin
folder=tools/evolve/examples

# ---- make targets ----

# example TARGET: the last line of what it printed is in $tmp/last
example() {
    make -s -C $folder "$1" BUILD="$BUILD" OUT="$tmp/out" >"$tmp/all" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    tail -n 1 "$tmp/all" | tee "$tmp/last"
}

# removes TARGET PATTERN: what was planted
removes() {
    example $1 && grep -qE "^$2 removed, gain [0-9.]+ %" "$tmp/last"
}
# On a device the first seed finds it within the budget, in one way or another.
gains() {
    example device && grep -qE '^gain ([1-9]|[0-9]{2})' "$tmp/all" && grep -q '^outputs are right on all 5 cases' "$tmp/all"
}
need_device() {
    has llvm-as-15 || end_without "make device" "there is no llvm-as-15"
    evaluator opencl >"$tmp/err" 2>&1 || end_without "make device" "there is no OpenCL"
    echo cases | "$tmp/evaluate_opencl" $folder/gpu/planted.ini >"$tmp/all" 2>&1 || end_without "make device" "there is no device"
}

# Vectors take half of a compiler's time.
portable="-std=c99 $C_WARNINGS -DKPRED_SIMD=0"

# evaluator API: gpu/evaluate.c for it, as $tmp/evaluate_API
evaluator() {
    case $1 in
    hip) set -- hip -D__HIP_PLATFORM_AMD__ -lamdhip64 ;;
    cuda) set -- cuda -DKPRED_HIP_API_HEADER='"cuda_as_hip.h"' -isystem "$CUDA/include" -L"$CUDA/lib64" -lcudart ;;
    opencl) set -- opencl -DKPRED_HIP_API_HEADER='"opencl_as_hip.h"' -lOpenCL ;;
    esac
    api=$1; shift
    $CC $portable -O0 -I. -Iexamples -Itools $folder/gpu/evaluate.c tools/base/util.c tools/base/platform.c tools/base/number_text.c "$@" \
        -lm -pthread -o "$tmp/evaluate_$api"
}
CUDA=${CUDA:-/usr/local/cuda}
export POCL_CACHE_DIR="$tmp/pocl" POCL_KERNEL_CACHE=0

# Few zeros want the variant without the stop, many the one with it.
shows() {
    example show && awk '$1 == 1 { print $3 }' "$tmp/all" | tr '\n' ' ' | grep -qx '0 1 '
}
launches() {
    example run && [ "$(grep -c ' variant [0-9]' "$tmp/all")" -eq 6 ]
}
# A small bound names the module as it is, a great one a faster variant.
keeps_bounds() {
    example ml-run && awk '$1 == 10 { first = $2 } $1 == 110 { last = $2 } END { exit !(first == 0 && last > 0) }' "$tmp/all"
}
# learns NETWORK: 95 % of the digits of all five tests together
learns() {
    for split in 1 2 3 4 5; do
        "$BUILD/kpred-evolve" network "$1" -o "$tmp/$1.mlir" --data "$tmp/digits.csv" --split $split || return 1
    done | awk '/^test/ { n += $2; right += $2 * $4 } END { print right / n; exit !(n == 1797 && right / n >= 95) }'
}

need_sklearn() {
    for PYTHON in python3 /usr/bin/python3; do
        if $PYTHON tools/evolve/ml/digits.py >"$tmp/digits.csv" 2>"$tmp/err"; then
            export PYTHON
            return
        fi
    done
    end_without "$1" "there is no scikit-learn"
}
need_mlir() {
    ! "$BUILD/kpred-evolve" ml 2>&1 | grep -q 'built without' || end_without "$1" "there is no MLIR in the build"
    need_sklearn "$1"
}

if [ $# -gt 0 ]; then
    need_trainer "make $1"
    [ $1 = show ] || [ -x "$BUILD/kpred-evolve" ] || end_without "make $1" "kpred-evolve is not built"
    case $1 in
    show) check "make show" shows ;;
    check) check "make check" removes check "evolve: planted store" ;;
    device) need_device && check "make device" gains ;;
    run) check "make run" launches ;;
    bound) need_mlir "make ml-run" && check "make ml-run" keeps_bounds ;;
    layer) need_mlir "make ml-check" && check "make ml-check" removes ml-check "evolve ml: planted layer" ;;
    digits) need_sklearn digits && for network in dense mobile; do check "digits: $network" learns $network; done ;;
    esac
    test_end
    exit
fi

# ---- an evaluator on the stand-in for a device ----

gpu=$folder/gpu
cp $gpu/reduce.cl "$tmp/a.co"
cp $gpu/reduce.cl "$tmp/b.co"
# answers SCRIPT STATUS PATTERN
answers() {
    echo "try 1 all $tmp/b.co $tmp/a.co" | SCRIPT=$1 "$tmp/standin" $gpu/reduce.ini >"$tmp/out" 2>&1
    [ $? -eq $2 ] && grep -q "$3" "$tmp/out" && grep -qx '0 left, 0 misused' "$tmp/out" && return
    cat "$tmp/out"
    return 1
}
check "evaluate compiles with a stand-in" $CC $portable -O0 -I. -Itests -Itools "-DPROGRAM=\"$gpu/evaluate.c\"" \
    tests/hip/gemm_gpu.c tools/base/util.c tools/base/platform.c tools/base/number_text.c -rdynamic -ldl -lm -pthread -o "$tmp/standin"
check "evaluate: equal outputs" answers '' 0 '^right 0$'
check "evaluate: a candidate that writes nothing" answers wrong 0 '^wrong$'
check "evaluate: a device that is lost" answers lost 1 '^0 left'
check "evaluate: no device" answers device 77 'there is no device here'

# ---- evaluators on devices ----

# of CALL LIBRARY HEADER: is there that API?
there_is() {
    echo 'int main(void) { return 0; }' | $CC -include "$1" -D__HIP_PLATFORM_AMD__ -isystem "$CUDA/include" -xc - \
        -L"$CUDA/lib64" "$2" -o "$tmp/empty" 2>/dev/null
}
# emits KERNEL TARGET CPU FORM: $tmp/KERNEL.FORM
emits() {
    "$BUILD/kpred-evolve" emit $gpu/$1.cl --function $1 --target $2 --cpu $3 --form $4 -o "$tmp/$1.$4"
}
disassembles() {
    for cpu in gfx90a gfx940; do
        emits $1 amdgcn-amd-amdhsa $cpu code-object && llvm-objdump-16 -d "$tmp/$1.code-object" >"$tmp/all" &&
            grep -q s_endpgm "$tmp/all" || return 1
    done
}
assembles() {
    emits $1 nvptx64-nvidia-cuda sm_80 asm && ptxas -arch=sm_80 "$tmp/$1.asm" -o "$tmp/cubin"
}
# The baseline is right on a device, and so is the source; a module whose last store is of another value is wrong, one with
# another kernel fails.
judges() {
    for passes in O2 none; do
        "$BUILD/kpred-evolve" emit $gpu/planted.cl --function planted --target spir64 --passes $passes -o "$tmp/$passes.ll"
    done
    sed 's/fdiv float/fmul float/' "$tmp/O2.ll" >"$tmp/wrong.ll"
    sed 's/@planted/@other/' "$tmp/O2.ll" >"$tmp/other.ll"
    $CC -E -P -xc $gpu/planted.cl >"$tmp/planted.cl"
    for candidate in none.ll wrong.ll other.ll planted.cl; do
        echo "try 1 all $tmp/$candidate $tmp/O2.ll"
    done | "$tmp/evaluate_opencl" $folder/gpu/planted.ini >"$tmp/out" 2>"$tmp/err"
    [ "$(grep -v '^time ' "$tmp/out" | tr '\n' ';')" = "right 0;wrong;failed: CL_INVALID_KERNEL_NAME;right 0;" ] && return
    cat "$tmp/out" "$tmp/err"
    return 1
}

for api in hip:-lamdhip64:hip/hip_runtime_api.h cuda:-lcudart:cuda_runtime_api.h opencl:-lOpenCL:CL/cl.h; do
    header=${api##*:} name=${api%%:*} library=${api#*:}
    if there_is "$header" "${library%%:*}"; then
        check "evaluate compiles with $name" evaluator $name
    else
        skipped "evaluate compiles with $name" "there is no $name"
    fi
done
for its in planted reduce softmax stencil; do
    [ -x "$BUILD/kpred-evolve" ] || break
    check_with llvm-objdump-16 "$its: code objects of gfx90a and gfx940" disassembles $its
    check_with ptxas "$its: what ptxas says" assembles $its
done
if [ -x "$tmp/evaluate_opencl" ] && [ -x "$BUILD/kpred-evolve" ] && has llvm-as-15 &&
    echo cases | "$tmp/evaluate_opencl" $folder/gpu/planted.ini >"$tmp/out" 2>&1; then
    check "evaluate: right, wrong and failed on an OpenCL device" judges
else
    skipped "evaluate on an OpenCL device" "there is none, or no llvm-as-15"
fi
for api in hip cuda; do
    if [ -x "$tmp/evaluate_$api" ] && echo cases | "$tmp/evaluate_$api" $gpu/planted.ini >"$tmp/out" 2>&1; then
        check "evaluate: a GPU's cases with $api" grep -qx ready "$tmp/out"
    else
        skipped "evaluate on a GPU with $api" "there is none"
    fi
done

# ---- kernels and their harnesses ----

need "$EVOLVE_CLANG" "kernels to be evolved"
cp tools/evolve/harness.h "$tmp/kpred_evolve.h"
$CC -std=c99 $C_WARNINGS -Itools $CFLAGS tools/evolve/examples/kernel_driver.c -o "$tmp/driver" -lm -ldl || exit 1

planted=$folder/planted
wastes='INVARIANT_LOAD DIVISION SCRATCH_ARRAY DEAD_STORE BUFFER'

# together FILE.c KERNEL.c...: one file of all, as the compiler starts slowly
together() {
    file=$1; shift
    for kernel; do echo "#include \"$root/$kernel\""; done >"$file"
}

name_of() {
    echo $1 | tr '[:upper:]' '[:lower:]'
}
with_one=$(for waste in $wastes; do echo "$planted/$(name_of $waste).c"; done)
harnesses="$(echo $folder/rodinia/*_harness.c) $folder/histogram_harness.c $planted/planted_harness.c"
# shellcheck disable=SC2046
together "$tmp/kernels.c" $(echo $harnesses | sed 's/_harness[.]c/.c/g') $folder/variants/kernel.c $with_one

# library NAME OPTION... SOURCE
library() {
    out=$tmp/$1; shift
    $EVOLVE_CLANG -std=c99 -ffp-contract=off -fPIC -c -I"$tmp" "$@" -o "$out.o" &&
        $CC -shared "$out.o" -lm -o "$out.so"
}

# equal FUNCTION CASES NAME...: the libraries give the same outputs
equal() {
    function=$1 cases=$2 libraries=''; shift 2
    for name; do libraries="$libraries $tmp/$name.so"; done
    "$tmp/driver" check "$tmp/$cases.so" $function $libraries
}

# No warnings that the harness's header promises not to give; what is undefined would end a program.
levels() {
    all=$tmp/kernels.c
    library 0 -O0 $WARNINGS "$all" && library 2 -O2 "$all" && library 3 -O3 "$all" &&
        library 4 -O3 -fno-vectorize -fno-slp-vectorize "$all" &&
        library s -O1 -fsanitize=undefined -fsanitize-trap=undefined "$all"
}
check "all kernels compile at each level" levels

# alike FUNCTION HARNESS.c: all levels of optimisation give the same
alike() {
    library $1_cases -O1 $C_WARNINGS "$2" && equal $1 $1_cases 0 2 3 4 s
}

for harness in $harnesses; do
    function=$(basename $harness _harness.c)
    check "$function.c: the same outputs at each level" alike $function $harness
done
check "variants: the same outputs at each level" alike product $folder/variants/harness.c

without_stop() {
    library 1 -O3 -DSTOP=0 $folder/variants/kernel.c && equal product product_cases 3 1
}
check "variants: with and without the stop the sums are the same" without_stop

# The blocks of C in the document are these files, in that order.
shown() {
    cat $folder/histogram.c $folder/histogram_harness.c >"$tmp/files"
    sed -n '/^```c$/,/^```$/p' tools/evolve/README.md | grep -v '^```' | diff - "$tmp/files"
}
check "tools/evolve/README.md shows histogram.c and its harness" shown

# ---- does the driver see what is wrong? ----

changed() {
    sed "$1" $folder/rodinia/needleman_wunsch.c >"$tmp/changed.c"
    library 1 -O1 "$tmp/changed.c"
}

# notices SED WHAT: of a changed kernel, that buffer
notices() {
    changed "$1" && ! equal needleman_wunsch needleman_wunsch_cases 0 1 >"$tmp/said" 2>&1 && grep -q "$2" "$tmp/said"
}
crashes() {
    changed 's/r <= rows/r <= rows + 1/'
    (equal needleman_wunsch needleman_wunsch_cases 1) >/dev/null 2>&1
    [ $? -gt 128 ]
}
check "the driver sees a wrong score" notices 's/a > b/a < b/' table
check "the driver sees a row too few" notices 's/r <= rows/r < rows/' table
check "the driver sees a changed input" notices 's/const int width = cols + 1;/&((int *)worth)[5] = 1;/' worth
check "a kernel that writes behind a buffer crashes" crashes

# ---- planted wastes ----

native=$(echo 'int x;' | $EVOLVE_CLANG -march=native -xc -c - -o /dev/null 2>/dev/null && echo -march=native)

# text FILE.c OPTION...: of its functions, as $tmp/text
text() {
    file=$1; shift
    $EVOLVE_CLANG "$@" -fno-discard-value-names -S -emit-llvm "$file" -o "$tmp/text"
}

# has_wastes "WASTE..." FUNCTION: these are what it has in that text, its own part of which stays in $tmp/ir
has_wastes() {
    wanted=$(printf '%s\n' $1)
    sed -n "/^define .*@$2(/,/^}/p" "$tmp/text" | grep -v '^ *$' >"$tmp/ir"
    found=$(sh $planted/wastes.sh "$tmp/ir")
    [ "$found" = "$wanted" ] || { echo "$2: $found"; return 1; }
}

# The buffer is an array that nobody else reads, and is found as such, too.
found_in() {
    case $1 in BUFFER) echo SCRATCH_ARRAY BUFFER ;; *) echo $1 ;; esac
}
# survives LEVEL...: all that a baseline's passes leave of planted.c, whose size is what the figures of kpred-evolve are
# given for, and in which no loop was copied; and of the kernels that have one waste each
survives() {
    text "$tmp/kernels.c" "$@" && has_wastes "$wastes" planted || return 1
    size=$(grep -cE '^  [^ ]' "$tmp/ir")
    case $size in 3[5-9] | [45]? | 6[0-5]) ;; *) echo "$size instructions"; return 1 ;; esac
    for count in "fdiv 4" "store 7" "load 5"; do
        [ "$(grep -c " ${count% *} " "$tmp/ir")" -eq ${count#* } ] || { echo "not $count"; return 1; }
    done
    for waste in $wastes; do
        has_wastes "$(found_in $waste)" "$(name_of $waste)" || return 1
    done
}
for level in -O2 -O3 "-O3 $native"; do
    for vectors in "" "-fno-vectorize -fno-slp-vectorize"; do
        check "all wastes survive $level $vectors" survives $level $vectors
    done
done

# Without a waste it is not there, and the outputs stay.
gone() {
    for waste in $wastes; do
        text $planted/planted.c -O3 -DWITHOUT_$waste &&
            has_wastes "$(printf '%s\n' $wastes | grep -vx $waste)" planted &&
            library $waste -O3 -DWITHOUT_$waste $planted/planted.c || return 1
    done
    all=$(printf -- '-DWITHOUT_%s ' $wastes)
    library none -O3 $all $planted/planted.c && equal planted planted_cases 3 $wastes none
}
gone_alone() {
    together "$tmp/with_one.c" $with_one
    library cases $planted/one_waste_harness.c && text "$tmp/with_one.c" -O3 -DWITHOUT_WASTE &&
        library none -O3 -DWITHOUT_WASTE "$tmp/with_one.c" || return 1
    for waste in $wastes; do
        has_wastes "" "$(name_of $waste)" && equal "$(name_of $waste)" cases 3 none || return 1
    done
}
check "without each waste, and without all, the outputs are the same" gone
check "without its only waste the outputs of a kernel are the same" gone_alone

# ---- a kernel of GPUs ----

# barriers PATTERN OPTION...: it compiles, without a word, and the passes leave the superfluous one, too
barriers() {
    pattern=$1; shift
    said=$($EVOLVE_CLANG "$@" -nogpulib -Wall -Wextra -O3 -S $gpu/reduce.cl -o "$tmp/reduce" 2>&1) && [ ! "$said" ] &&
        [ "$(grep -c "$pattern" "$tmp/reduce")" -eq 3 ] && return
    echo "$said"
    return 1
}
check "reduce: three barriers for AMD" barriers s_barrier -target amdgcn-amd-amdhsa -mcpu=gfx90a
check "reduce: three barriers for NVIDIA" barriers bar.sync -target nvptx64-nvidia-cuda -march=sm_75 \
    -Wno-unknown-cuda-version
check_with ptxas "reduce: what ptxas says" ptxas -arch=sm_75 "$tmp/reduce" -o "$tmp/cubin"
test_end
