#!/bin/sh
# cli.sh - kpred and kpred-train as users run them: what they print, and what they refuse
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

kernels="conv_asm_1x1u conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3 conv_ocl_direct_fwd_1x1"
models=$(for header in weights/*.h; do basename "$header" .h; done)
n_models=$(echo "$models" | wc -w)
fields="gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1"

# conv2d GPU DIR: fields of a kernel that has them for all
conv2d() {
    echo "gpu=$1 dir=$2 dtype=FP32 layout=NCHW n=16 c=64 h=56 w=56 k=256 y=3 x=3 pad_h=1 pad_w=1" \
        "stride_h=1 stride_w=1 dil_h=1 dil_w=1 groups=1"
}

# problem_of MODEL: one that its kernel applies to
problem_of() {
    case $1 in
    conv_asm_bwd_wrw_3x3) echo "$(with dir=W) groups=1" ;;
    conv_asm_bwd_wrw_1x1) with dir=W ;;
    gemm_mi100_*) echo "m=1024 n=512 batch=1 k=256" ;;
    gemm_*) echo "gpu=gfx950_256 m=16 n=2112 k=7168" ;;
    conv_igemm_gtc_fwd*) conv2d gfx942130 F ;;
    conv_igemm_gtc_bwd*) conv2d gfx942130 B ;;
    conv_igemm_gtc_wrw*) conv2d gfx942130 W ;;
    conv_hip_igemm_*) conv2d gfx906_60 W ;;
    conv_bin_*) conv2d gfx906_60 F ;;
    *) echo "$fields" ;;
    esac
}

# with FIELD=VALUE...: the problem above with these in place of its own
with() {
    changed=" $fields"
    for pair in "$@"; do
        changed=$(echo "$changed" | sed "s/ ${pair%%=*}=[^ ]*/ $pair/")
    done
    echo "$changed"
}

predict() { "$kpred" predict "$@"; }

# ---- help, version, the command line ----

helps() {
    "$@" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && grep -q '^usage: ' "$tmp/out" &&
        [ -z "$(awk 'length > 100' "$tmp/out")" ]
}

# same_output LINE LINE: both succeed, as commands of the shell, and print the same, which is not nothing
same_output() {
    eval "$1" >"$tmp/one" 2>&1 && eval "$2" >"$tmp/other" 2>&1 && [ -s "$tmp/one" ] &&
        cmp "$tmp/one" "$tmp/other"
}

# command_line PROGRAM COMMAND...: what both programs have in common
command_line() {
    program=$1 short=$(basename "$1"); shift
    check "$short --help" helps "$program" --help
    check "$short -h" helps "$program" -h
    check "$short --version" prints \
        "$short $(sed -n 's/^\/\* kpred.h - v\([0-9.]*\) .*/\1/p' kpred.h)" "$program" --version
    check "$short -v" prints "$("$program" --version)" "$program" -v
    check "$short help" same_output '"$program" --help' '"$program" help'
    check "$short help help" same_output '"$program" --help' '"$program" help help'
    refuse "$short help, unknown command" 2 '"no" is no command' "$program" help no
    refuse "$short help, one word too many" 2 'unexpected argument "more"' "$program" help bench more
    refuse "$short, a command mistyped" 2 'lists them; did you mean bench?' "$program" bnech
    refuse "$short, an option mistyped" 2 'unknown option "--bema=3"; see ' \
        "$program" bench --bema=3
    check "$short, an option mistyped: a near one" grep -q 'did you mean --beam?$' "$tmp/err"
    refuse "$short, unknown command" 2 '"no" is no command' "$program" no
    refuse "$short, empty command" 2 '"" is no command' "$program" ""
    for command in "$@"; do
        check "$short $command --help" helps "$program" "$command" --help
        check "$short $command -h" helps "$program" "$command" more -h
        check "$short help $command" same_output '"$program" "$command" --help' \
            '"$program" help "$command"'
        refuse "$short $command, unknown option" 2 'unknown option "--no"' \
            "$program" "$command" --no
    done
}

without_command() {
    "$1" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q '^usage: ' "$tmp/err"
}

command_line "$kpred" models predict bench
check "kpred without a command" without_command "$kpred"
if [ -x "$trainer" ]; then
    command_line "$trainer" ingest train eval relayout bench
    check "kpred-train without a command" without_command "$trainer"
else
    skipped "kpred-train" "it is not built"
fi

# ---- what needs no weights ----

refuse "unknown model" 1 '"no_model" is neither a built-in model' predict no_model n=1
refuse "model mistyped" 1 '(FILE.h); did you mean conv_asm_1x1u?' predict conv_asm_lx1u n=1
refuse "part of a model's name" 1 'or conv_bin_winograd_rxs_f3x2?' "$kpred" models winograd
refuse "kernel of another name mistyped" 1 'did you mean conv_hip_igemm_v4r1_wrw?' \
    "$kpred" models ConvHipImplicitGemmV4R1WrV
refuse "kernel mistyped" 1 'did you mean conv_asm_1x1u?' "$kpred" bench ConvAsm1x1
refuse "no model" 2 "MODEL|FILE.h is missing" predict
refuse "header that is not there" 1 "no.h: cannot open: No such file" predict "$tmp/no.h" n=1
mkdir "$tmp/directory.h"
: >"$tmp/empty.h"
printf 'a\0b' >"$tmp/nul.h"
refuse "directory for a header" 1 "directory.h: is a directory" predict "$tmp/directory.h" n=1
refuse "empty header" 1 "empty.h: is empty" predict "$tmp/empty.h" n=1
refuse "header with a NUL byte" 1 "nul.h: " predict "$tmp/nul.h" n=1
refuse "header that kpred-train did not write" 1 \
    "kpred.h: not a header that kpred-train wrote" predict kpred.h n=1
refuse "unknown model to time" 1 '"no_model" is neither' "$kpred" bench no_model
refuse "models describes one" 2 'unexpected argument "y"' "$kpred" models x y
refuse "no model to describe" 1 '"x" is neither' "$kpred" models x
refuse "no header to describe" 1 "no.h: cannot open: No such file" "$kpred" models "$tmp/no.h"
refuse "a description as CSV" 2 "models: --csv: one model is more than a table" \
    "$kpred" models conv_asm_1x1u --csv

# Without a standard error, messages must not end up in the file that is opened next.
no_stderr() {
    echo MIOpenDriver pool -n 1 >"$tmp/pool.log"
    "$kpred" miopen --gpu gfx906 -o "$tmp/pool.txt" "$tmp/pool.log" 2>&-
    [ ! -s "$tmp/pool.txt" ]
}
check "standard error closed" no_stderr
refuse "standard input closed" 1 "standard input: cannot read: Bad file descriptor" \
    sh -c '"$0" miopen --gpu gfx906 <&-' "$kpred"

if [ "$(id -u)" -eq 0 ]; then
    skipped "no permission to read a header" "root may read all"
else
    echo text >"$tmp/closed.h" && chmod 0 "$tmp/closed.h"
    refuse "no permission to read a header" 1 "Permission denied" predict "$tmp/closed.h" n=1
fi

need_weights "all that needs models"

# ---- models ----

models_csv() {
    line='^[a-z0-9_]+,Conv[A-Za-z0-9]+,gpu dir dtype n c h w k stride( groups)?,'
    line="$line"'gfx900_56 gfx906_60,[0-9]+,[0-9a-f]{16}$'
    "$kpred" models --csv >"$tmp/models.csv" &&
        [ "$(head -n 1 "$tmp/models.csv")" = "model,kernel,fields,gpus,bytes,id" ] &&
        [ "$(sed 1d "$tmp/models.csv" | cut -d, -f1)" = "$(echo "$models" | tr ' ' '\n')" ] &&
        [ "$(grep -cE "$line" "$tmp/models.csv")" -eq 4 ]
}
models_table() {
    "$kpred" models >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq $((1 + n_models)) ] || return 1
    sed 1d "$tmp/models.csv" | while IFS=, read -r model _ _ _ bytes id; do
        grep -qE "^$model .* $bytes +$id\$" "$tmp/out" || exit 1
    done
}
ids_are_those_of_the_headers() {
    sed 1d "$tmp/models.csv" | while IFS=, read -r model _ _ _ bytes id; do
        grep -q "^   id $id, $bytes bytes; " "weights/$model.h" || exit 1
    done
}
check "models --csv" models_csv
check "models" models_table
check "models: id and bytes are those that the headers state" ids_are_those_of_the_headers

# What it says is held to the headers in json.sh.
for kernel in $models; do
    check "models $kernel: as a header" same_output '"$kpred" models $kernel' \
        '"$kpred" models weights/$kernel.h'
done
# A name in another case, or a kernel's, is the same model.
for written in CONV_ASM_1X1U Conv-Asm-1x1u ConvAsm1x1U convasm1x1u; do
    check "models $written" same_output '"$kpred" models conv_asm_1x1u --json' \
        '"$kpred" models $written --json'
done

# ---- predict ----

# The columns of a model: its parameters, in the order of its spec
columns_of() {
    sed -n '/^\[params\]/,/^$/s/ *=.*//p' "weights/$1.spec" | sed '1s/^/rank,probability,/' |
        paste -sd, -
}

# Rows ranked from 1, probabilities falling fractions, all other cells integers; the number of rows
well_formed() {
    awk -F, -v n="$2" 'NR == 1 { columns = NF; last = 1; next }
        NF != columns || $1 != NR - 1 || $2 > last || $2 < 0 || $2 !~ /^[01]\.[0-9]+$/ { bad = 1 }
        { last = $2; for (i = 3; i <= NF; i++) if ($i !~ /^[0-9]+$/) bad = 1 }
        END { exit bad || NR != n + 1 }' "$1"
}

predict_csv() {
    # shellcheck disable=SC2046
    predict "$1" $(problem_of "$1") -k 5 --csv >"$tmp/five.csv" 2>"$tmp/err" || return 1
    [ "$(head -n 1 "$tmp/five.csv")" = "$(columns_of "$1")" ] && well_formed "$tmp/five.csv" 5 &&
        [ ! -s "$tmp/err" ]
}
# The same cells, but for the probability, which is percent there
predict_table() {
    # shellcheck disable=SC2046
    predict "$1" $(problem_of "$1") -k 5 | tr -s ' ' ',' | sed 's/^,//' |
        awk -F, -v OFS=, -v csv="$tmp/five.csv" '
            { getline line <csv; split(line, cell) }
            NR == 1 && $2 == "percent" { $2 = cell[2] }
            NR > 1 && $2 ~ /^[0-9]+\.[0-9][0-9]$/ {
                off = $2 - 100 * cell[2]
                if (off < 0.0051 && off > -0.0051) $2 = cell[2]
            }
            { print }' | cmp - "$tmp/five.csv"
}
predict_header() {
    # shellcheck disable=SC2046
    predict "weights/$1.h" $(problem_of "$1") -k 5 --csv | cmp - "$tmp/five.csv"
}
for kernel in $kernels gemm_mi100_nt; do
    check "predict --csv, $kernel" predict_csv "$kernel"
    check "predict, $kernel" predict_table "$kernel"
    check "predict FILE.h, $kernel" predict_header "$kernel"
done

# within KB COMMAND...: with so much memory
within() {
    # shellcheck disable=SC3045
    (ulimit -v "$1" && shift && "$@") >"$tmp/out" 2>"$tmp/err"
}
# From the memory that loads the program to that which is enough: it says that it was too little.
out_of_memory() {
    kb=2000 told=0
    until within $kb "$kpred" --version || [ $kb -gt 40000 ]; do kb=$((kb + 50)); done 2>/dev/null
    # shellcheck disable=SC2086
    until within $kb predict weights/conv_asm_1x1u.h $fields; do
        if [ $? -ne 1 ] || ! grep -q "out of memory" "$tmp/err" || [ $kb -ge 40000 ]; then
            echo "$kb KB: $(cat "$tmp/err")"
            return 1
        fi
        kb=$((kb + 50)) told=$((told + 1))
    done
    [ $told -gt 3 ]
}
if within 100000 "$kpred" --version; then
    check "predict FILE.h, memory runs out" out_of_memory
else # of the sanitizers
    skipped "predict FILE.h, memory runs out" "it needs much memory from the start"
fi

model=conv_asm_1x1u
# shellcheck disable=SC2086
predict $model $fields -k 5 --csv >"$tmp/five.csv" || exit 1

# same_as_five ARGUMENT...: the prediction that stands in five.csv
same_as_five() { predict $model --csv "$@" | cmp - "$tmp/five.csv"; }

one_by_default() {
    # shellcheck disable=SC2086
    predict $model $fields --csv >"$tmp/one.csv" && well_formed "$tmp/one.csv" 1 &&
        predict $model $fields --beam 1 -k 1 --csv | cmp - "$tmp/one.csv"
}
wider_beam() {
    # shellcheck disable=SC2086
    predict $model $fields -k 5 --beam 200 --csv >"$tmp/wide.csv" && well_formed "$tmp/wide.csv" 5
}
# shellcheck disable=SC2046,SC2086
{
    check "-k is 1 by default" one_by_default
    check "the beam is k by default" same_as_five $fields -k 5 --beam 5
    check "a beam wider than k" wider_beam
    check "-k5, --beam=5" same_as_five $fields -k5 --beam=5
    check "fields in any order" same_as_five stride=1 k=256 -k 5 w=56 h=56 c=64 n=16 dtype=FP32 \
        dir=F gpu=gfx906_60
    check "fields behind --" same_as_five -k 5 -- $fields
    check "gfx906 is gfx906_60" same_as_five $(with gpu=gfx906) -k 5
    check "gfx906:sramecc+ is gfx906_60" same_as_five $(with gpu=gfx906:sramecc+) -k 5
    for gpu in GFX906_60 GFX906 MI50 mi50; do
        check "gpu=$gpu is gfx906_60" same_as_five $(with gpu=$gpu) -k 5
    done
    for type in fp32 float Float32 f32 fp-32; do
        check "dtype=$type is FP32" same_as_five $(with dtype=$type) -k 5
    done
    for dir in f forward fwd Fwd; do
        check "dir=$dir is F" same_as_five $(with dir=$dir) -k 5
    done
}
as_product() { # its name has blanks
    # shellcheck disable=SC2046
    predict $model $(echo "$fields" | sed 's/gpu=[^ ]*//') "gpu=$1" -k 5 --csv |
        cmp - "$tmp/five.csv"
}
for product in "Radeon VII" "AMD Radeon (TM) VII" "Radeon Pro VII" "Instinct MI50" "amd mi50"; do
    check "gpu=$product is gfx906_60" as_product "$product"
done
# other_words FIELD WORD...: they all say the same, which is not what the first problem says
other_words() {
    field=$1 first=$2; shift 2
    # shellcheck disable=SC2046
    predict $model $(with "$field=$first") -k 5 --csv >"$tmp/first.csv" || return 1
    for word in "$@"; do
        # shellcheck disable=SC2046
        predict $model $(with "$field=$word") -k 5 --csv | cmp - "$tmp/first.csv" || return 1
    done
    ! cmp -s "$tmp/first.csv" "$tmp/five.csv"
}
check "FP16 in other words" other_words dtype FP16 fp16 half Half float16
check "B in other words" other_words dir B b bwd backward backward-data
w_in_other_words() {
    for word in W w wrw WrW backward-weights; do
        # shellcheck disable=SC2046
        predict conv_asm_bwd_wrw_1x1 $(with dir=$word) -k 5 --csv >"$tmp/w-$word.csv" || return 1
        cmp "$tmp/w-W.csv" "$tmp/w-$word.csv" || return 1
    done
}
check "W in other words" w_in_other_words
layouts() {
    # shellcheck disable=SC2046
    predict conv_bin_winograd_rxs_f2x3 $(conv2d gfx906_60 F) --csv >"$tmp/nchw.csv" &&
        predict Conv_Bin_Winograd_RxS_f2x3 $(conv2d mi50 fwd | sed s/NCHW/nchw/) --csv |
        cmp - "$tmp/nchw.csv"
}
check "a layout in small letters" layouts
bench_by_name() {
    "$kpred" bench ConvAsm1x1U CONV_ASM_1X1U --beam 1 --csv | cut -d, -f1 | paste -sd' ' - |
        grep -x "model conv_asm_1x1u conv_asm_1x1u"
}
check "bench by other names" bench_by_name

another_gpu() {
    # shellcheck disable=SC2046
    predict $model $(with gpu=gfx900) -k 5 --csv >"$tmp/900.csv" &&
        predict $model $(with gpu=gfx900_56) -k 5 --csv | cmp - "$tmp/900.csv" &&
        ! cmp -s "$tmp/900.csv" "$tmp/five.csv"
}
nearest() {
    # shellcheck disable=SC2046
    predict $model $(with "gpu=$1") -k 5 --csv --nearest 2>"$tmp/err" | cmp - "$tmp/five.csv" &&
        grep -q "no model for $1, taking the nearest trained GPU, gfx906_60" "$tmp/err"
}
check "gfx900 is gfx900_56" another_gpu
for gpu in gfx90a gfx908_120 gfx90878 gfx906_64; do
    # shellcheck disable=SC2046
    refuse "$gpu offers the nearest" 1 \
        "unknown token \"$gpu\" (known: gfx900_56 gfx906_60); --nearest would take gfx906_60" \
        predict $model $(with gpu=$gpu)
    check "$gpu --nearest" nearest $gpu
done

# A GPU that the kernel does not run on has no nearest one.
nowhere_near() {
    # shellcheck disable=SC2046
    refuses 1 'value "gfx1030": ConvAsm1x1U runs on gfx900 gfx906 gfx908 gfx90a alone' predict $model $(with gpu=gfx1030) "$@" &&
        ! grep -e '--nearest\|nearest trained' "$tmp/err"
}
check "gfx1030, on which it does not run" nowhere_near
check "gfx1030 --nearest, on which it does not run" nowhere_near --nearest

fewer_than_asked() { # this kernel has a few dozen legal tuples a problem
    # shellcheck disable=SC2086
    predict conv_ocl_direct_fwd_1x1 $fields -k 1000 --csv >"$tmp/all.csv" || return 1
    n=$(($(wc -l <"$tmp/all.csv") - 1))
    [ $n -ge 5 ] && [ $n -lt 1000 ] && well_formed "$tmp/all.csv" $n &&
        [ "$(cut -d, -f3- "$tmp/all.csv" | sort -u | wc -l)" -eq $((n + 1)) ]
}
extrapolates() {
    # shellcheck disable=SC2046
    predict $model $(with n=60000 h=1 w=1) >"$tmp/out" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -eq 2 ] &&
        grep -qE 'n=60000 lies outside the range trained on, [0-9]+\.\.[0-9]+' "$tmp/err"
}
check "fewer tuples than asked for are no error" fewer_than_asked
check "a size outside the range trained on is told" extrapolates

# ---- miopen --gpu, eval --gpu: GPUs as people call them ----

miopen() { "$kpred" miopen --gpu "$@" "$tmp/one.log"; }
# perf_db NAME GPU: the same file, and a line that says which GPU a product has
perf_db() {
    miopen "$2" >"$tmp/exact" 2>"$tmp/exact.err" && miopen "$1" >"$tmp/out" 2>"$tmp/err" &&
        [ -s "$tmp/exact" ] && cmp "$tmp/exact" "$tmp/out" &&
        sed "/: $1 is $2\$/d" "$tmp/err" | cmp - "$tmp/exact.err"
}
no_product() {
    miopen "$1" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && grep -q "$2" "$tmp/err"
}
echo MIOpenDriver conv -n 16 -c 64 -H 56 -W 56 -k 256 -y 1 -x 1 -F 1 >"$tmp/one.log"
check "miopen --gpu MI300X" perf_db MI300X gfx942130
check "miopen --gpu GFX906" perf_db GFX906 gfx906_60
check "miopen --gpu \"radeon vii\"" perf_db "radeon vii" gfx906_60
check "miopen: a product on which no kernel runs" no_product "RX 7900 XTX" 'runs there; they run on'
check "miopen: it is told which GPU that is" grep -q ': RX 7900 XTX is gfx1100_48$' "$tmp/err"
check "miopen: a product mistyped" no_product MI3OOX 'is no name of a GPU'
check "miopen: a product nearly right" no_product "7800xtx" 'did you mean RX 7900 XTX'

# ---- bad problems ----

# bad NAME PATTERN FIELD=VALUE...: the problem with these in place of its own
bad() {
    what=$1 pattern=$2; shift 2
    # shellcheck disable=SC2046
    refuse "$what" 1 "$pattern" predict $model $(with "$@") --csv
}

# shellcheck disable=SC2086
{
    refuse "unknown field" 1 'no field "depth"' predict $model $fields depth=1
    refuse "field of another model" 1 'no field "groups"' predict $model $fields groups=1
    refuse "field in capitals" 1 'no field "N"' predict $model $fields N=1
    refuse "field without a name" 1 'no field ""' predict $model $fields =1
    refuse "missing field" 1 "field k is missing" predict $model ${fields% k=*} stride=1
    refuse "no field at all" 1 "fields gpu, dir, dtype, n, c, h, w, k are missing" predict $model
    refuse "field given twice" 1 "field n is given twice" predict $model $fields n=16
    refuse "field without =" 1 '"more": expected FIELD=VALUE' predict $model $fields more
    refuse "empty size" 1 'field n: value "" is no integer' predict $model n=
    refuse "blank before a size" 1 'field n: value " 16" is no integer' predict $model "n= 16"
    refuse "blank behind a size" 1 'field n: value "16 " is no integer' predict $model "n=16 "
}
bad "unknown token" 'field dtype: unknown token "INT8" (known: FP32 FP16 BF16)' dtype=INT8
bad "token mistyped" '(known: FP32 FP16 BF16); did you mean BF16?' dtype=BF15
bad "another word for what it lacks" 'unknown token "forwards" (known: F B W)' dir=forwards
bad "empty token" 'field dir: unknown token ""' dir=
bad "number for a token" 'field dir: unknown token "0"' dir=0
bad "no GPU's name" 'field gpu: unknown token "vega20" (known: gfx900_56 gfx906_60)' gpu=vega20
bad "a product that the kernel does not run on" 'value "MI300X", which is gfx942130: ConvAsm1x1U runs on gfx900 gfx906 gfx908 gfx90a alone; '\
'the model knows gfx900_56 gfx906_60' gpu=MI300X
bad "a product with RDNA" 'value "rx7900xtx", which is gfx1100_48: ' gpu=rx7900xtx
bad "a product that was not trained" 'unknown token "MI60", which is gfx906_64 (known: gfx900_56 '\
'gfx906_60); --nearest would take gfx906_60' gpu=MI60
bad "a product mistyped" '(known: gfx900_56 gfx906_60); did you mean MI350X, MI308X or MI300X?' \
    gpu=MI30X
for value in 0 -1 16777217 99999999999999999999 -99999999999999999999 16x x16 1e3 0x10 1.5 ten \
    1,2; do
    bad "size $value" "field c: value \"$value\" is no integer from 1 to 16777216" c=$value
done
bad "kernel that does not apply" "$model does not apply: dir = W (it must be F or B)" dir=W
bad "largest size" "does not apply: c * h * w = 52613349376 (it must be less than 4194304)" c=16777216

# shellcheck disable=SC2086
for value in 0 -1 1025 99999999999999999999 5x x "" 1,2; do
    refuse "-k '$value'" 2 "-k: " predict $model $fields -k "$value"
    refuse "--beam '$value'" 2 "--beam: " predict $model $fields --beam "$value"
done
# shellcheck disable=SC2086
{
    check "-k 1024" predict $model $fields -k 1024
    refuse "k beyond the beam" 2 "-k 6 is more than --beam 5" predict $model $fields -k 6 --beam 5
    refuse "-k given twice" 2 "-k: is given twice" predict $model $fields -k 5 -k 5
    refuse "-k without a value" 2 "-k: needs a value" predict $model $fields -k
    refuse "--csv with a value" 2 "--csv: takes no value" predict $model $fields --csv=1
}

# ---- broken headers ----

# broken NAME PATTERN SED: the shipped header with a change
broken() {
    sed "$3" weights/$model.h >"$tmp/broken.h"
    cmp -s "$tmp/broken.h" weights/$model.h && failed "header: $1" "the test changes nothing"
    # shellcheck disable=SC2086
    refuse "header: $1" 1 "$2" predict "$tmp/broken.h" $fields
}

# The first line of numbers of an array
numbers="/kpri_${model}_weight1\[/{n;"
broken "a weight changed" "the content does not match the id" "${numbers}s/^-*[0-9]*,/101,/;}"
broken "two weights exchanged" "the content does not match the id" \
    "${numbers}s/^\(-*[0-9]*\),\(-*[0-9]*\),/\2,\1,/;}"
broken "a weight taken out" "array weight1 has " "${numbers}s/^-*[0-9]*,//;}"
broken "a weight too many" "array weight1 has more than " "${numbers}s/^/0,/;}"
broken "a weight of -128" "array weight1, number 0: out of range" "${numbers}s/^-*[0-9]*,/-128,/;}"
broken "a weight that is no number" "array weight1" "${numbers}s/^-*[0-9]*,/x,/;}"
broken "a line of weights taken out" "array weight1 has " "${numbers}d;}"
broken "an array taken out" "_weight1[] is missing" "/kpri_${model}_weight1\[/d"
broken "a bias changed" "the content does not match the id" \
    "/kpri_${model}_bias0\[/{n;s/^-*[0-9]*,/123456789,/;}"
broken "a range changed" "the content does not match the id" \
    '/{ "stride", NULL, /s/, \([0-9]*\) }/, 9\1 }/'
broken "the id changed" "the content does not match the id 0123456789abcdef" \
    's/^    3, UINT64_C(0x[0-9a-f]*)/    3, UINT64_C(0x0123456789abcdef)/'
broken "no id" "not a header that kpred-train wrote" 's/^    3, UINT64_C(0x/    0x/'
broken "the format before" "of format 2, this is for 3: \`kpred-train relayout\` brings it" \
    's/^    3, UINT64_C(0x/    2, UINT64_C(0x/'
broken "a later format" "of format 4, which a later kpred-train wrote" \
    's/^    3, UINT64_C(0x/    4, UINT64_C(0x/'
broken "an enumerator changed" "its code is not what its spec and weights give" \
    's/^    KPRED_CONV_ASM_1X1U_FIELD_N,$/    KPRED_CONV_ASM_1X1U_FIELD_M,/'
broken "where it runs changed" "its code is not what its spec and weights give" \
    '/_runs_on\[\]/s/gfx906/gfx908/'
broken "the scale changed" "its code is not what its spec and weights give" \
    '/^    kpri_conv_asm_1x1u_fields,/s/\([0-9]\),$/\19,/'
broken "no dimensions" "not a header that kpred-train wrote" "s/kpri_${model}_net = {/net = {/"
broken "no spec" "not a header that kpred-train wrote" '/^spec:$/d'
broken "no model" "not a header that kpred-train wrote" "s/\"$model\", \"Conv/\"other\", \"Conv/"
broken "the spec's name changed" "not a header that kpred-train wrote" \
    "s/^name  *= .*/name = other/"
broken "the spec's values changed" "" 's/^read_size  *= .*/read_size = 1 2 3 5/'
broken "the spec's rule changed" "rule " 's/^rule  *= .*/rule = kpred_rule_other/'
broken "the request for its rule's family taken out" "its code is not what its spec" \
    '/^#define KPRED_RULES_/d'
broken "the spec's features changed" "" 's/^onehot gpu/equals stride 1 2/'
broken "half of it" "" '/kpri_.*_bias1\[/,$d'

# ---- bench ----

# bench_line MODEL BEAM: a line of bench.csv, its bytes those of `models`
bench_line() {
    bytes=$(sed -n "s/^$1,.*,\([0-9]*\),[0-9a-f]*\$/\1/p" "$tmp/models.csv")
    grep -E "^$1,$2,[0-9]+,[0-9]+,[0-9]+,$bytes,[0-9]+\$" "$tmp/bench.csv" |
        awk -F, '{ exit !($4 <= $3 && $3 <= $5 && $4 > 0 && $7 > 0) }'
}
bench_csv() {
    "$kpred" bench --beam 1,2 --csv >"$tmp/bench.csv" &&
        [ "$(head -n 1 "$tmp/bench.csv")" = "model,beam,ns,ns_min,ns_p95,bytes,arena_words" ] &&
        [ "$(wc -l <"$tmp/bench.csv")" -eq $((1 + 2 * n_models)) ] || return 1
    for kernel in $models; do
        bench_line "$kernel" 1 && bench_line "$kernel" 2 || return 1
    done
}
bench_default() {
    "$kpred" bench conv_asm_bwd_wrw_3x3 >"$tmp/out" &&
        [ "$(awk '{ printf "%s ", $2 }' "$tmp/out")" = "beam 1 10 100 " ]
}
bench_header() {
    "$kpred" bench weights/$model.h conv_asm_bwd_wrw_3x3 --beam 3 --csv >"$tmp/bench.csv" &&
        [ "$(wc -l <"$tmp/bench.csv")" -eq 3 ] && bench_line $model 3 &&
        bench_line conv_asm_bwd_wrw_3x3 3
}
# By each body that the machine has: the body is the last column, and portable C is always there.
bench_bodies() {
    "$kpred" bench $model --beam 1 --body all --csv >"$tmp/bench.csv" &&
        [ "$(head -n 1 "$tmp/bench.csv")" = "model,beam,ns,ns_min,ns_p95,bytes,arena_words,body" ] || return 1
    "$kpred" bench $model --beam 1 --body portable --csv >"$tmp/one.csv" && [ "$(wc -l <"$tmp/one.csv")" -eq 2 ] &&
        [ "$(sed -n '2s/.*,//p' "$tmp/bench.csv")" = "$(sed -n '2s/.*,//p' "$tmp/one.csv")" ] &&
        [ "$(sed 1d "$tmp/bench.csv" | cut -d, -f8 | sort | uniq -d)" = "" ]
}
# bench_columns COLUMN,... ARGUMENT...: such lines, of one model and beam; the last cell of numbers is above 0
bench_columns() {
    columns=$1; shift
    "$kpred" bench $model --beam 5 --rounds 1 --csv "$@" >"$tmp/bench.csv" &&
        [ "$(head -n 1 "$tmp/bench.csv")" = "model,beam,ns,ns_min,ns_p95,bytes,arena_words$columns" ] &&
        [ "$(wc -l <"$tmp/bench.csv")" -eq 2 ] && bench_numbers
}
bench_numbers() {
    sed 1d "$tmp/bench.csv" | tr , '\n' | sed '1d;/^[a-z]/d' | awk '!($1 > 0) { bad = 1 } END { exit bad }'
}
# ratio and distance are what the other columns say
bench_limit() {
    limit=,prefixes,values,kept,multiply_adds,weight_bytes,limit_ns,distance
    bench_columns ,ratio$limit,body --ratio --limit --body portable || return 1
    sed 1d "$tmp/bench.csv" | awk -F, '{ d = $3 / $14 - $15
        exit !($12 >= $13 && $9 > 1 && $10 > $9 && d < 0.01 && d > -0.01 && $16 == "portable") }'
}
# Cold predictions take longer than hot ones.
bench_cold() {
    bench_columns "" && hot=$(sed -n 2p "$tmp/bench.csv" | cut -d, -f3) && bench_columns ,ratio --cold --ratio &&
        [ "$(sed -n 2p "$tmp/bench.csv" | cut -d, -f3)" -gt "$hot" ]
}
check "bench --csv" bench_csv
check "bench --ratio" bench_columns ,ratio --ratio
check "bench --limit" bench_limit
check "bench --cold" bench_cold
refuse "bench --rounds 0" 2 "--rounds: " "$kpred" bench $model --rounds 0
check "bench --body" bench_bodies
refuse "bench --body fast" 2 '--body "fast": is none of' "$kpred" bench $model --body fast
check "bench, beams by default" bench_default
check "bench FILE.h MODEL" bench_header
for value in 0 1025 1,x "" "1," ,1 1,,2; do
    refuse "bench --beam '$value'" 2 "--beam: " "$kpred" bench $model --beam "$value"
done
refuse "bench of a broken header" 1 "broken.h: " "$kpred" bench "$tmp/broken.h" --beam 1

# ---- output that cannot be written ----

# to_full COMMAND...: standard output is a device that is full
to_full() {
    "$@" >/dev/full 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
}
to_nowhere() {
    "$@" >&- 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
}
# The reader is gone before anything is written.
without_reader() {
    rm -f "$tmp/fifo" && mkfifo "$tmp/fifo" || exit 2
    # shellcheck disable=SC2094
    (exec 4<>"$tmp/fifo" 3>"$tmp/fifo" 4<&-; "$@" >&3 2>"$tmp/err")
}
# SIGPIPE is ignored, as under many parents.
to_closed_pipe() {
    (trap '' PIPE; without_reader "$@")
    [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
}
# As the tests were started: by default the signal ends the program.
to_pipe() { ! without_reader "$@"; }
# shellcheck disable=SC2086
unwritable() {
    check "$1 --help" "$1" "$kpred" --help
    check "$1 --version" "$1" "$kpred" --version
    check "$1 predict --help" "$1" "$kpred" predict --help
    for form in "" --csv --json; do
        check "$1 predict${form:+ $form}" "$1" "$kpred" predict $model $fields $form
        check "$1 predict -k 1000${form:+ $form}" "$1" "$kpred" predict $model $fields -k 1000 $form
        check "$1 models${form:+ $form}" "$1" "$kpred" models $form
        check "$1 bench${form:+ $form}" "$1" "$kpred" bench conv_asm_bwd_wrw_3x3 --beam 1 $form
    done
}
# every_sink COMMAND: with each of the functions above
every_sink() {
    if [ -w /dev/full ]; then "$1" to_full; else skipped "$1 to_full" "there is no /dev/full"; fi
    for sink in to_nowhere to_closed_pipe to_pipe; do "$1" $sink; done
}
every_sink unwritable

# ---- kpred-train ----

if [ ! -x "$trainer" ]; then
    test_end
    exit
fi
sample_databases
db9=$tmp/gfx900_56.db db6=$tmp/gfx906_60.db
spec=$root/weights/$model.spec
mkdir "$tmp/work" && cd "$tmp/work" || exit 1 # there the float networks appear, beside the headers
cp "$root/weights/$model.h" .

# train ARGUMENT...: --epochs comes last, as options may stand anywhere
train() { "$trainer" train "$@" --epochs 1 --threads 1; }

check "train" train "$spec" --data "$db9" "$db6" -o trained.h
check "train --split none" train "$spec" --data "$db9" --split none -o all.h

# ---- a model of one's own: no rule, names among the values, sizes with limits, data in CSV ----

tiny_spec >tiny.spec
tiny="gpu=gfx900 kind=other n=8 h=7 stride=2"

tiny_model() {
    train tiny.spec --data "$root/tests/fixtures/tiny.csv" --split none -o tiny.h || return 1
    # shellcheck disable=SC2086
    predict tiny.h $tiny -k 10 --csv >"$tmp/tiny.csv" || return 1
    [ "$(sed 1d "$tmp/tiny.csv" | cut -d, -f3,4 | sort | paste -sd' ' -)" = \
        "1,fast 1,small 2,fast 2,small 4,fast 4,small" ]
}
check "model without a rule, names for values" tiny_model
# shellcheck disable=SC2046
for pair in h=3:"4 to 16777216" h=0:"4 to 16777216" stride=3:"1 to 2" stride=0:"1 to 2"; do
    field=${pair%%=*} limits=${pair#*:} value=${pair#*=} value=${value%%:*}
    refuse "$field=$value, limits of the spec" 1 \
        "field $field: value \"$value\" is no integer from $limits" \
        predict tiny.h $(echo "$tiny" | sed "s/$field=[0-9]*/$field=$value/")
done

# A file that must keep its content, in a folder in which nothing else may appear
old="GENERATED by kpred-train: old content"
mkdir kept && echo "$old" >kept/out.h
untouched() {
    [ "$(cat kept/out.h)" = "$old" ] && [ "$(find kept | wc -l)" -eq 2 ]
}
refuses_and_keeps() { refuses "$@" && untouched; }

# no_train NAME STATUS PATTERN ARGUMENT...
no_train() {
    what=$1 status=$2 pattern=$3; shift 3
    check "train: $what" refuses_and_keeps "$status" "$pattern" train "$@"
}
no_train "no spec" 2 "SPEC is missing" --data "$db9" -o kept/out.h
no_train "no data" 2 "--data is missing" "$spec" -o kept/out.h
no_train "no output" 2 "-o is missing" "$spec" --data "$db9"
no_train "unknown split" 2 '--split "some": expected config, shape, none, or config:I/N' "$spec" \
    --data "$db9" --split some -o kept/out.h
no_train "unknown net" 2 \
    '--net: value "tree": is none of additive|encdec|attn|attn2|hybrid|hybrid2' "$spec" \
    --data "$db9" --net tree -o kept/out.h
for value in 0 -1 1e9 x ""; do
    check "train: --epochs '$value'" refuses_and_keeps 2 "--epochs: " "$trainer" train "$spec" \
        --data "$db9" --epochs "$value" -o kept/out.h
    check "train: --threads '$value'" refuses_and_keeps 2 "--threads: " "$trainer" train "$spec" \
        --data "$db9" --threads "$value" -o kept/out.h
done
no_train "seed" 2 '--seed: value "-1"' "$spec" --data "$db9" --seed=-1 -o kept/out.h
no_train "spec that is not there" 1 "no.spec: cannot open" no.spec --data "$db9" -o kept/out.h
no_train "header for a spec" 1 "trained.h:" trained.h --data "$db9" -o kept/out.h
no_train "data that is not there" 1 "no.db: cannot open" "$spec" --data no.db -o kept/out.h

# Data that cannot be read, or not understood
"$tmp/mkdb" bz2 gfx900_56-whole.db.bz2 "$db9" || exit 1
head -c 3000 gfx900_56-whole.db.bz2 >gfx900_56-cut.db.bz2
: >gfx900_56-empty.db
mkdir gfx900_56-directory.db
"$tmp/mkdb" db gfx900_56-schema.db "$root/tests/fixtures/gfx900_56.sql" \
    "ALTER TABLE config RENAME COLUMN in_h TO gone" || exit 1
"$tmp/mkdb" db gfx900_56-none.db "$root/tests/fixtures/gfx900_56.sql" "DELETE FROM perf_db" || exit 1
"$tmp/mkdb" db gfx900_56-value.db "$root/tests/fixtures/gfx900_56.sql" \
    "UPDATE perf_db SET params = '1,17,1,64,1,1,1,1' WHERE solver = 'ConvAsm1x1U'" || exit 1
for program in train eval; do
    while read -r file pattern; do
        if [ $program = train ]; then
            no_train "$file" 1 "$pattern" "$spec" --data "$file" -o kept/out.h
        else
            refuse "eval: $file" 1 "$pattern" "$trainer" eval trained.h --data "$file"
        fi
    done <<'END'
gfx900_56-cut.db.bz2 gfx900_56-cut.db.bz2: truncated bzip2
gfx900_56-empty.db gfx900_56-empty.db: is empty
gfx900_56-directory.db gfx900_56-directory.db: is a directory
gfx900_56-schema.db gfx900_56-schema.db: table config has no column in_h
gfx900_56-none.db no row of ConvAsm1x1U is left
gfx900_56-value.db gfx900_56-value.db: perf_db row
gfx900_56.csv gfx900_56.csv: cannot open
END
done
ingest_product() {
    "$trainer" ingest "$spec" --data "$db6" --gpu gfx906_60 >exact.csv &&
        "$trainer" ingest "$spec" --data "$db6" --gpu "radeon vii" | cmp - exact.csv
}
check "ingest: --gpu as people call it" ingest_product
eval_by_kernel() { # it also finds the float network by the model's name
    mkdir -p weights && cp trained.f32 weights/$model.f32 || return 1
    for named in $model ConvAsm1x1U; do
        "$trainer" eval $named --data "$db9" --rows all --csv >"$named.csv" || return 1
        refuses 1 "the floats of another network" "$trainer" eval $named --data "$db9" --rows all \
            --float || return 1
    done
    [ -s $model.csv ] && cmp $model.csv ConvAsm1x1U.csv
}
check "eval: a model by its kernel's name" eval_by_kernel
no_train "the same file twice" 1 "given twice" "$spec" --data "$db9" "$db9" -o kept/out.h
no_train "GPU that the spec lacks" 1 "--gpu" "$spec" --data "$db9" --gpu gfx1030 -o kept/out.h

# train_spec NAME PATTERN SED: the spec with a change that must be an error
train_spec() {
    sed "$3" "$spec" >broken.spec
    cmp -s broken.spec "$spec" && failed "spec: $1" "the test changes nothing"
    no_train "spec: $1" 1 "$2" broken.spec --data "$db9" -o kept/out.h
}
line_of() { grep -n "$1" "$spec" | head -n 1 | cut -d: -f1; }
feature="broken.spec:$(line_of '^onehot gpu')"
register="broken.spec:$(line_of '^hw  *= ')"
train_spec "empty parameter" "read_size: has no value" 's/^read_size .*/read_size =/'
train_spec "parameter given twice" "there is already a parameter" 's/^read_size /k_mult /'
train_spec "unordered parameter" "is not in ascending order" 's/^\(read_size.*\) 1 2/\1 2 1/'
train_spec "unknown rule" 'rule "kpred_rule_other" is not in kpred_constraints.h' \
    's/^rule .*/rule = kpred_rule_other/'
train_spec "rule of another kernel" 'where rule kpred_rule_conv_asm_bwd_wrw_1x1 expects' \
    's/^rule .*/rule = kpred_rule_conv_asm_bwd_wrw_1x1/'
train_spec "field that the rule does not know" 'field "m" where rule' \
    's/^c .*= size/m = size/;s/,c,/,m,/;s/(c,k)/(m,k)/g'
train_spec "token that the rule does not know" 'token "FP64" where rule' 's/BF16/FP64/'
train_spec "tokens in another order" 'token "B" where rule' 's/F B W/B F W/'
train_spec "parameter that the rule does not know" 'parameter "size" where rule' \
    's/^read_size /size /'
train_spec "parameter too few" 'parameter "k_mult" where rule' '/^read_size /d'
train_spec "no split key" '[split] has no key "config"' '/^config /d'
train_spec "no features" "broken.spec:$(line_of '^\[features\]'): [features]: has no feature" \
    '/^\[features\]/,/^$/{/^\[features\]/!d;}'
train_spec "unknown feature" "$feature: \"onehut\": no such feature" 's/^onehot gpu/onehut gpu/'
train_spec "feature of nothing" "$feature: \"gpus\": neither a field nor a register" \
    's/^onehot gpu/onehot gpus/'
train_spec "feature with too much" "$feature: \"onehot\": wrong number of arguments" \
    's/^onehot gpu/onehot gpu dir/'
train_spec "onehot of a size" "$feature: \"n\": not a token field" 's/^onehot gpu/onehot n/'
train_spec "feature with far too much" "$feature: \"6\": one word too many" \
    's/^onehot gpu/equals n 1 2 4 5 6 7/'
train_spec "count of 0" "$feature: \"0\": not an integer in range" 's/^onehot gpu/equals n 1 0/'
train_spec "hats that are not a power of two apart" "$feature: \"3\": not a power of two" \
    's/^onehot gpu/hats n 0 3 4/'
train_spec "octaves that are no number" "$feature: \"x\": not a number of octaves" \
    's/^onehot gpu/ramp n x 4/'
train_spec "fraction of 1" "$feature: \"1\": not an integer in range" 's/^onehot gpu/fraction n 1/'
train_spec "more features than there is room for" "too many features" \
    's/^onehot gpu/equals n 1 99\nequals c 1 99/'
train_spec "unknown operation" "$register: \"div\": no such operation" 's/^hw  *= .*/hw = div h w/'
train_spec "register of nothing" "$register: \"zz\": neither a field" 's/^hw  *= .*/hw = mul h zz/'
train_spec "register that is taken" "\"n\": not a name, or one that is taken" \
    's/^hw  *= .*/n = mul h w/'
train_spec "register without =" "expected NAME = OP A [B]" 's/^hw  *= .*/hw mul h w/'
# network NAME PATTERN LINE: the spec with this in place of its section [network]
network() {
    { sed '/^\[network\]/,$d' "$spec"; printf '[network]\n%s\n' "$3"; } >broken.spec
    no_train "spec: $1" 1 "$2" broken.spec --data "$db9" -o kept/out.h
}
network "unknown number" '"layers": no such number of the network' 'layers = 3'
network "number without =" "hidden: expected NAME = NUMBER" 'hidden 64'
network "number out of range" 'hidden: " 4096" is no number from 16 to 128' 'hidden = 4096'
network "no number" 'epochs: " many" is no number' 'epochs = many'
network "width that is no multiple of 16" "must be multiples of 16" 'encoder1 = 100'

# Output that cannot be written; the old one stays
check "train: directory for output" refuses_and_keeps 1 "kept: is a directory" \
    train "$spec" --data "$db9" -o kept
no_train "output in no directory" 1 "cannot create" "$spec" --data "$db9" -o no/out.h
full_disk() {
    train "$spec" --data "$db9" -o /dev/full 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q '/dev/full: cannot write' "$tmp/err" && [ -c /dev/full ]
}
size_limit() { # the header is longer than the blocks that a file may have
    (trap '' XFSZ; ulimit -f 40; train "$spec" --data "$db9" -o kept/out.h) 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'cannot ' "$tmp/err" && untouched
}
float_in_no_directory() {
    : >file
    refuses 1 "file" train "$spec" --data "$db9" --float-out file/x.f32 -o kept/out.h && untouched
}
check_with /dev/full "train: output on a full disk" full_disk
check "train: output beyond the limit" size_limit
check "train: float network that cannot be written" float_in_no_directory
if [ "$(id -u)" -eq 0 ]; then
    skipped "train: no permission to write" "root may write all"
    skipped "train: no permission to read" "root may read all"
else
    chmod 555 kept
    no_train "no permission to write" 1 "Permission denied" "$spec" --data "$db9" -o kept/out.h
    chmod 755 kept
    cp "$db9" gfx900_56-closed.db && chmod 0 gfx900_56-closed.db
    no_train "no permission to read" 1 "Permission denied" "$spec" --data gfx900_56-closed.db \
        -o kept/out.h
fi

# Killed without warning in the middle of a training that would take hours
killed() {
    "$trainer" train "$spec" --data "$db9" "$db6" --epochs 10000 --threads 1 -o kept/out.h \
        >/dev/null 2>&1 &
    sleep 1
    kill -KILL $! || return 1
    wait $! 2>/dev/null
    [ "$(cat kept/out.h)" = "$old" ]
}
check "train: killed, the old output stays whole" killed
interrupted() { # as by Ctrl-C
    [ "$(ls -A kept)" != out.h ] || return 1 # what the one that was killed left is removed as well
    timeout -s INT 1 "$trainer" train "$spec" --data "$db9" "$db6" --epochs 10000 --threads 1 \
        -o kept/out.h >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 124 ] && [ "$(ls -A kept)" = out.h ] && [ "$(cat kept/out.h)" = "$old" ]
}
check_with timeout "train: interrupted, nothing is left behind" interrupted
rm -rf kept

# ---- eval ----

eval_csv() { "$trainer" eval "$@" --csv; }

# Heading, as many lines as said, and cells of their form
eval_is() {
    lines=$1; shift
    line="^$model,(config|all),[a-z0-9_]+,[A-Z0-9a-z]+,[0-9]+,[0-9]+(,[0-9]+[.][0-9]{2}){2},"
    eval_csv "$@" >eval.csv 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    [ "$(head -n 1 eval.csv)" = "model,split,gpu,dtype,k,n,pft,avg,valid" ] &&
        [ "$(wc -l <eval.csv)" -eq $((lines + 1)) ] &&
        [ "$(sed 1d eval.csv | grep -cE "${line}100.00\$")" -eq "$lines" ]
}
cells() { sed 1d eval.csv | cut -d, -f"$1" | sort -u | paste -sd' ' -; }

test_rows() {
    eval_is 3 $model --data "$db9" "$db6" && [ "$(cells 2)" = config ] && [ "$(cells 5)" = 1 ] &&
        [ "$(cells 3,4)" = "gfx900_56,FP16 gfx900_56,FP32 gfx906_60,FP16" ]
}
all_rows() {
    eval_is 8 $model --data "$db9" "$db6" --rows all -k 1,10 && [ "$(cells 2)" = all ] &&
        [ "$(awk -F, 'NR > 1 { n += $6 } END { print n / 2 }' eval.csv)" -eq 48 ]
}
grouped() {
    eval_is 2 $model --data "$db9" "$db6" --rows all --by dtype && [ "$(cells 3)" = all ] &&
        eval_is 2 $model --data "$db9" "$db6" --rows all --by gpu && [ "$(cells 4)" = all ] &&
        eval_is 1 $model --data "$db9" "$db6" --rows all --by all && [ "$(cells 3,4)" = all,all ] &&
        [ "$(cells 6)" = 48 ]
}
more_k_more_hits() {
    eval_is 3 $model --data "$db9" "$db6" --rows all --by all -k 1,10,100 --beam 100 &&
        awk -F, 'NR > 1 { if ($7 < pft || $8 < avg) exit 1; pft = $7; avg = $8 }' eval.csv
}
eval_header() {
    eval_csv $model --data "$db9" --rows all -k 1,10 >built-in.csv &&
        eval_csv $model.h --data "$db9" --rows all -k 1,10 | cmp - built-in.csv
}
eval_table() {
    "$trainer" eval $model --data "$db9" --rows all >"$tmp/out" &&
        head -n 1 "$tmp/out" | tr -s ' ' ',' |
        grep -qx 'model,split,gpu,dtype,k,n,groups,pft,se,avg,valid'
}
eval_from_csv() {
    "$trainer" ingest "$spec" --data "$db9" "$db6" -o rows.csv &&
        eval_csv $model --data "$db9" "$db6" --rows all >db.csv &&
        eval_csv $model --data rows.csv --rows all | cmp - db.csv
}
split_of_none() {
    eval_is 1 all.h --data "$db9" --rows all --by all &&
        refuses 1 "use --rows all" "$trainer" eval all.h --data "$db9"
}
# For every k a line for every row, in their order whatever the groups; what is printed is as usual.
eval_hits() {
    eval_csv $model --data "$db9" "$db6" --rows all -k 1,10 --hits one.hits >one.csv &&
        eval_csv $model --data "$db9" "$db6" --rows all -k 1,10 --by all --hits all.hits >all.csv &&
        cmp one.hits all.hits && eval_csv $model --data "$db9" "$db6" --rows all -k 1,10 |
        cmp - one.csv || return 1
    [ "$(head -n 1 one.hits)" = "method,model,split,key,row,k,hit,agree" ] &&
        [ "$(wc -l <one.hits)" -eq 97 ] &&
        sed 1d one.hits | awk -v model=$model -F, '{ row = (NR - 1) % 48 + 1
            if ($1 != "additive" || $2 != model || $3 != "all" || $(NF - 3) != row ||
                $(NF - 2) != (NR > 48 ? 10 : 1) || $NF > 8 || ($NF == 8) != $(NF - 1)) {
                print; exit 1 } }'
}
# They add up to the figures.
hits_sum() {
    sed 1d all.csv | cut -d, -f5-8 >sums.csv
    sed 1d one.hits | awk -F, '
        { k = $(NF - 2); n[k]++; hits[k] += $(NF - 1); agree[k] += $NF }
        END { for (k = 1; k <= 10; k += 9) printf "%d,%d,%.2f,%.2f\n", k, n[k],
            100 * hits[k] / n[k], 100 * agree[k] / (8 * n[k]) }' | cmp - sums.csv
}
hits_unwritable() {
    refuses 1 "$tmp/none/x.csv: cannot create" "$trainer" eval $model --data "$db9" \
        --hits "$tmp/none/x.csv" && [ ! -e "$tmp/none" ]
}
# What fails later leaves the file as it was.
hits_kept() {
    echo old >kept.hits
    refuses 1 "the data holds no row to test on" "$trainer" eval $model --data trained.csv \
        --hits kept.hits && [ "$(cat kept.hits)" = old ] &&
        ! "$trainer" eval $model --data "$db9" --hits kept.hits >/dev/full 2>"$tmp/err" &&
        [ "$(cat kept.hits)" = old ] && ! find . -name '.kpred*' | grep .
}
check "eval --hits" eval_hits
check "eval --hits: sums" hits_sum
check "eval --hits: no such folder" hits_unwritable
refuse "eval: --hits and --plot are one file" 2 "--hits and --plot: both x.csv" \
    "$trainer" eval $model --data "$db9" --hits x.csv --plot x.csv
check "eval --csv, test rows" test_rows
check "eval --rows all -k 1,10" all_rows
check "eval --by" grouped
check "eval: more tuples, more hits" more_k_more_hits
check "eval FILE.h" eval_header
check "eval table" eval_table
check "eval of CSV" eval_from_csv
check "eval of a model that kept no rows" split_of_none
refuse "eval: no data" 2 "--data is missing" "$trainer" eval $model
refuse "eval: unknown model" 1 '"no_model" is neither' "$trainer" eval no_model --data "$db9"
refuse "eval: broken header" 1 "broken.h: " "$trainer" eval "$tmp/broken.h" --data "$db9"
refuse "eval: unknown rows" 2 '--rows: value "some"' \
    "$trainer" eval $model --data "$db9" --rows some
refuse "eval: unknown group" 2 '--by "size"' "$trainer" eval $model --data "$db9" --by size
refuse "eval: k beyond the beam" 2 "-k 10 is more than --beam 5" \
    "$trainer" eval $model --data "$db9" -k 1,10 --beam 5
for value in 0 1025 x "" 1,,2; do
    refuse "eval: -k '$value'" 2 "-k: " "$trainer" eval $model --data "$db9" -k "$value"
    refuse "eval: --beam '$value'" 2 "--beam: " "$trainer" eval $model --data "$db9" --beam "$value"
done
{ head -n 1 rows.csv; echo gfx906_60,F,FP32,16,64,56,56,256,1,1,16,1,64,1,1,1,1; } >trained.csv
refuse "eval: no row to test on" 1 "the data holds no row to test on" \
    "$trainer" eval $model --data trained.csv
check_with /dev/full "eval --hits: whole or not at all" hits_kept
# shellcheck disable=SC2086
trainer_unwritable() {
    check "$1 kpred-train --version" "$1" "$trainer" --version
    for form in "" --csv --json; do
        check "$1 eval${form:+ $form}" "$1" "$trainer" eval $model --data "$db9" $form
        check "$1 ingest${form:+ $form}" "$1" "$trainer" ingest "$spec" --data "$db9" $form
    done
}
every_sink trainer_unwritable
test_end
