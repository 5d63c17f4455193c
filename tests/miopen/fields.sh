#!/bin/sh
# fields.sh - kpred predict: a problem by fields or by a line of MIOpenDriver, and why a kernel refuses
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_weights "kpred predict"
export LC_ALL=C

predict() { "$kpred" predict "$@"; }

# ---- a line of MIOpenDriver says what fields say ----

shape="-n 16 -c 64 -H 28 -W 28 -k 128"
sizes="n=16 c=64 h=28 w=28 k=128"

# same_as_line MODEL OPERATION OPTIONS FIELD=VALUE...: the line, with the sizes above, is worth the fields
same_as_line() {
    model=$1 line="$2 $shape $3"; shift 3
    # shellcheck disable=SC2086
    predict "$model" $sizes "$@" -k 3 --csv >"$tmp/fields" 2>"$tmp/err" &&
        predict "$model" --gpu "$gpu" --driver "$line" -k 3 --csv >"$tmp/line" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/line")" -gt 1 ] && cmp "$tmp/fields" "$tmp/line" && return
    cat "$tmp/err"
    return 1
}
same() { check "$1: $2 $3" same_as_line "$@"; }

whole() { # FIELDS: those of a kernel that has a field for all, with these
    echo "gpu=$gpu layout=NCHW y=3 x=3 pad_h=1 pad_w=1 stride_h=1 stride_w=1 dil_h=1 dil_w=1 groups=1 $1"
}
# shellcheck disable=SC2046
{
    gpu=gfx906_60
    same conv_asm_1x1u conv "-y 1 -x 1 -F 1" gpu=$gpu dir=F dtype=FP32 stride=1
    same conv_asm_1x1u convfp16 "-y 1 -x 1 -u 2 -v 2 -F 2" gpu=$gpu dir=B dtype=FP16 stride=2
    same conv_ocl_direct_fwd_1x1 convbfp16 "-y 1 -x 1 -F 1" gpu=$gpu dir=F dtype=BF16 stride=1
    same conv_asm_bwd_wrw_1x1 conv "-y 1 -x 1 -F 4" gpu=$gpu dir=W dtype=FP32 stride=1
    same conv_asm_bwd_wrw_3x3 conv "-p 1 -q 1 -g 2 -F 4" gpu=$gpu dir=W dtype=FP32 stride=1 groups=2
    same conv_bin_winograd_rxs_f2x3 conv "-p 1 -q 1 -F 1" $(whole "dir=F dtype=FP32")
    same conv_bin_winograd_rxs_f3x2 convfp16 "-p 1 -q 1 -F 2" $(whole "dir=B dtype=FP16")
    same conv_hip_igemm_v4r1_wrw conv "-p 1 -q 1 -F 4" $(whole "dir=W dtype=FP32")
    gpu=gfx942130
    for way in fwd:F:1 bwd:B:2 wrw:W:4; do
        letter=${way#*:}
        same conv_igemm_gtc_${way%%:*}_nhwc conv \
            "-p 1 -q 1 -I NHWC -f NHWC -O NHWC -F ${way##*:}" \
            $(whole "dir=${letter%:*} dtype=FP32" | sed s/NCHW/NHWC/)
    done
    flat="d=1 z=1 pad_d=0 stride_d=1 dil_d=1" deep="d=8 z=3 pad_d=1 stride_d=2 dil_d=1"
    same conv_solver conv "-p 1 -q 1 -F 1" $(whole "dir=F dtype=FP32 $flat")
    same conv_solver conv "-_ 3 -! 8 -\$ 1 -p 1 -q 1 -# 2 -F 1" \
        $(whole "dir=F dtype=FP32 $deep" | sed s/NCHW/NCDHW/)
}

gpu=gfx906_60
log="MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv $shape"
long="--batchsize 16 --in_channels=64 --in_h 28 --in_w=28 --out_channels 128"
line_is() { # as LINE FIELD=VALUE... is the first line of a log above
    predict conv_asm_1x1u --gpu $gpu --driver "conv $shape -y 1 -x 1 -F 1" --csv >"$tmp/line" &&
        predict conv_asm_1x1u --gpu $gpu --csv --driver "$@" 2>"$tmp/err" | cmp - "$tmp/line"
}
check "a line as it stands in a log" line_is "$log -y 1 -x 1 -F 1 | tee x"
check "long options" line_is "conv $long --fil_h 1 --fil_w=1 --forw=1"
check "several directions, one of them given" line_is "conv $shape -y 1 -x 1" dir=F
check "the direction given twice, the same" line_is "conv $shape -y 1 -x 1 -F 1" dir=F

# bad_line NAME PATTERN LINE [FIELD=VALUE...]
bad_line() {
    what=$1 pattern=$2; shift 2
    refuse "line: $what" 1 "$pattern" predict conv_asm_1x1u --gpu $gpu --driver "$@"
}
bad_line "unknown option" '--driver: "--no": is no option of MIOpenDriver' "conv --no 3"
bad_line "no number" '--driver: -n: value "x": is no integer from 1 to 16777216' "conv -n x"
bad_line "no value" '--driver: -n: needs a value' "conv -n"
bad_line "stray word" '--driver: "3": is no option' "conv 3"
bad_line "no convolution" '--driver: "pool -n 1": calls no convolution' "pool -n 1"
bad_line "no operation" '--driver: "n 1": calls no convolution' "n 1"
bad_line "transposed" '--driver: -m: value "trans"' "conv -m trans"
bad_line "two calls" 'holds several calls' "MIOpenDriver conv -F 1; MIOpenDriver conv -F 1"
bad_line "several directions" '--driver: -F asks for several directions' "conv -y 1 -x 1"
bad_line "another direction" '--driver: -F 2 is not dir=F' "conv -y 1 -x 1 -F 2" dir=F
bad_line "a size said twice" 'field n is given beside --driver' "conv -y 1 -x 1 -F 1" n=100
bad_line "the GPU said twice" 'field gpu is given twice' "conv -y 1 -x 1 -F 1" gpu=$gpu
bad_line "another filter" 'conv_asm_1x1u does not apply: fil_h = 3 (it must be 1)' "conv -F 1"
bad_line "a bias" 'does not apply: bias = 1 (it must be 0)' "conv -y 1 -x 1 -F 1 -b 1"
bad_line "a type" 'does not apply: dtype = INT8 (it must be FP32, FP16 or BF16)' \
    "convint8 -y 1 -x 1 -F 1"
bad_line "a layout" 'does not apply: layout = NHWC (it must be NCHW)' \
    "conv -y 1 -x 1 -F 1 -I NHWC -f NHWC -O NHWC"
bad_line "a direction" 'does not apply: dir = W (it must be F or B)' "conv -y 1 -x 1 -F 4"
refuse "line: without a GPU" 1 "field gpu is missing" predict conv_asm_1x1u \
    --driver "conv -y 1 -x 1 -F 1"
refuse "line: of no convolution's model" 1 "fields are not those of a convolution" \
    predict gemm_mi100_nn --driver "conv -F 1"
refuse "--gpu for a model without" 1 "gemm_mi100_nn: --gpu: the model has no field" \
    predict gemm_mi100_nn --gpu gfx908 m=1 n=1 batch=1 k=1

# ---- what is left out ----

defaults() { # NOTE FIELD=VALUE...: the note, and the answer of all fields
    note=$1; shift
    # shellcheck disable=SC2086
    predict conv_solver gpu=gfx90a6e dir=F dtype=FP32 $sizes "$@" --csv >"$tmp/few" 2>"$tmp/err" &&
        [ "$(cat "$tmp/err")" = "kpred: not given, so as MIOpenDriver has it: $note" ] &&
        predict conv_solver gpu=gfx90a6e dir=F dtype=FP32 $sizes $note "$@" --csv 2>"$tmp/err" |
        cmp - "$tmp/few" && [ ! -s "$tmp/err" ] && return
    cat "$tmp/err"
    return 1
}
rest="pad_h=0 pad_w=0 stride_d=1 stride_h=1 stride_w=1 dil_d=1 dil_h=1 dil_w=1 groups=1"
check "defaults of conv_solver" defaults "layout=NCHW d=1 z=1 y=3 x=3 pad_d=0 $rest"
check "defaults of conv_solver, a filter of 1x1" defaults "layout=NCHW d=1 z=1 pad_d=0 $rest" y=1 x=1
check "defaults of conv_solver, 3-D" defaults "layout=NCDHW z=3 y=3 x=3 pad_d=0 $rest" d=8
check "defaults of conv_solver, a pad of depth" defaults "layout=NCDHW z=3 y=3 x=3 $rest" d=8 pad_d=1
check "defaults of conv_solver, 2-D by fields of depth" defaults \
    "layout=NCHW y=3 x=3 pad_d=0 $rest" d=1 z=1
as_driver() { # they are those of the line that leaves the same out
    # shellcheck disable=SC2086
    predict conv_solver gpu=gfx90a6e dir=F dtype=FP32 $sizes -k 3 --csv 2>"$tmp/err" >"$tmp/few" &&
        predict conv_solver gpu=gfx90a6e --driver "conv $shape -F 1" -k 3 --csv | cmp - "$tmp/few"
}
check "defaults are those of a line" as_driver

required="gpu, dir, dtype, n, c, h, w, k"
refuse "all that is missing, of conv_solver" 1 "conv_solver: fields $required are missing" \
    predict conv_solver
refuse "all that is missing, 3-D" 1 "conv_solver: fields gpu, dir, dtype, n, c, d, h, w, k are" \
    predict conv_solver layout=NCDHW
refuse "all that is missing, of a GEMM" 1 "gemm_mi100_nn: fields m, n, k are missing" \
    predict gemm_mi100_nn batch=1

# ---- which solvers ----

# winograd NUMBER FIELD=VALUE...: so many of the four solvers of this name are among those predicted
winograd() {
    wanted=$1; shift
    # shellcheck disable=SC2086
    predict conv_solver gpu=gfx906_60 dir=F dtype=FP32 $sizes "$@" -k 81 --csv >"$tmp/out" 2>"$tmp/err"
    [ "$(grep -c ConvBinWinogradRxS "$tmp/out")" -eq "$wanted" ]
}
check "solvers: Winograd with a stride" winograd 4 stride_h=2 stride_w=2
check "solvers: no Winograd with two strides" winograd 0 stride_h=1 stride_w=2
check "solvers: no Winograd with a stride of 3" winograd 0 stride_h=3 stride_w=3
check "solvers: no Winograd with 65536 images" winograd 0 n=65536

# ---- why a kernel does not apply ----

# reasons MODEL DIR GPU WORDS FIELD=VALUE...: the problem above, with these, is refused with the words
reasons() {
    model=$1 words=$4 given="gpu=$3 dir=$2 dtype=FP32 $sizes"; shift 4
    for pair in "$@"; do
        case " $given" in
        *" ${pair%%=*}="*) given=$(echo " $given" | sed "s/ ${pair%%=*}=[^ ]*/ $pair/") ;;
        *) given="$given $pair" ;;
        esac
    done
    # shellcheck disable=SC2086
    "$kpred" predict "$model" $given >"$tmp/out" 2>"$tmp/err"
    status=$?
    [ $status -eq 1 ] && [ ! -s "$tmp/out" ] &&
        grep -v 'as MIOpenDriver has it' "$tmp/err" >"$tmp/said" &&
        [ "$(cat "$tmp/said")" = "kpred: $model does not apply: $words" ] && return
    cat "$tmp/err"
    return 1
}
reason() { check "$1: $4" reasons "$@"; }
reason conv_asm_1x1u W gfx906 "dir = W (it must be F or B)"
reason conv_asm_1x1u F gfx906 "dtype = BF16 (it must be FP32 or FP16)" dtype=BF16
reason conv_asm_1x1u F gfx906 "stride = 3 (it must be at most 2)" stride=3
reason conv_asm_1x1u F gfx906 "c = 63 (it must be a multiple of 2)" dtype=FP16 c=63
reason conv_asm_1x1u B gfx906 "c = 66 (it must be a multiple of 4)" dtype=FP16 c=66
reason conv_asm_1x1u F gfx906 "n = 65536 (it must be less than 65536)" n=65536
reason conv_ocl_direct_fwd_1x1 W gfx906 "dir = W (it must be F or B)"
reason conv_asm_bwd_wrw_1x1 W gfx906 "stride = 3 (it must be at most 2)" stride=3
reason conv_asm_bwd_wrw_3x3 W gfx906 "stride = 2 (it must be 1)" stride=2
reason conv_asm_bwd_wrw_3x3 W gfx906 "w = 513 (it must be at most 512)" w=513
reason conv_asm_bwd_wrw_3x3 W gfx906 \
    "c / groups = 31 (it must be a multiple of 4, or k / groups = 65 must)" c=62 k=130 groups=2
reason conv_bin_winograd_rxs_f2x3 F gfx906 "dil_w = 2 (it must be 1)" dil_w=2
reason conv_bin_winograd_rxs_f2x3 F gfx906 "c = 64 (it must be a multiple of groups = 3)" groups=3
reason conv_bin_winograd_rxs_f2x3 B gfx906 "dil_h * (y - 1) + 1 = 31 (it must be at most 28)" y=31
reason conv_bin_winograd_rxs_f2x3 F gfx900 "dtype = FP16 (it must be FP32)" dtype=FP16
reason conv_bin_winograd_rxs_f2x3 F gfx906 "stride_h = 3 (it must be at most 2)" stride_h=3 stride_w=3
reason conv_bin_winograd_rxs_f2x3 F gfx906 "stride_w = 2 (it must be stride_h = 1)" stride_w=2
reason conv_bin_winograd_rxs_f2x3 F gfx906 "n = 65536 (it must be less than 65536)" n=65536
reason conv_bin_winograd_rxs_f3x2 F gfx1030 "stride_h = 2 (it must be at most 1)" stride_h=2 stride_w=2
reason conv_hip_igemm_v4r1_wrw W gfx906 "k / groups = 8 (it must be a multiple of 16)" k=8
reason conv_igemm_gtc_bwd_nhwc F gfx942 "dir = F (it must be B)"

json_reason() {
    # shellcheck disable=SC2086
    "$kpred" predict conv_asm_1x1u gpu=gfx906 $sizes dir=F dtype=FP32 "$1" --json >"$tmp/out" \
        2>"$tmp/err"
    [ $? -eq 1 ] && grep -q "does not apply" "$tmp/err" && [ "$(cat "$tmp/out")" = "[
{\"error\": \"the kernel does not apply to this problem\", $2}
]" ]
}
check "JSON: a number" json_reason stride=3 '"field": "stride", "value": 3, "must_be": "at most 2"'
silent() {
    # shellcheck disable=SC2086
    refuses 1 "dtype = BF16" predict conv_asm_1x1u gpu=gfx906 $sizes dir=F dtype=BF16 stride=1 --csv
}
check "CSV: nothing" silent
test_end
