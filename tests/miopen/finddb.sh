#!/bin/sh
# finddb.sh - MIOpen's find-dbs as timed data: what ingest makes of them, and of its own CSV
# SPDX-License-Identifier: MIT
#
# usage: finddb.sh [all]
#
# A find-db of $MIOPEN_DB, `all` three of them, is read in full and compared with an independent reader; all
# else needs only what is here.
. tests/harness/script.inc
. tests/data/ingest.inc

test_begin
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
spec=weights/conv_solver.spec

need_trainer "find-dbs"

# ---- good lines ----

# The same measurements as newer and as older files have them. Keys of B and W begin with what the
# forward convolution writes; the time of 0 failed.
f=miopenConvolutionFwdAlgo b=miopenConvolutionBwdDataAlgo w=miopenConvolutionBwdWeightsAlgo
backward=128-28-29-3x5-64-56-58-16-1x2-2x2-1x1-0-NCHW
cat >"$tmp/gfx906_60.new.txt" <<END
64-56-58-3x5-128-28-29-16-1x2-2x2-1x1-0-NCHW-FP32-F=\
GemmFwdRest:0.25,4096,${f}GEMM;ConvOclDirectFwd:0.12116,0,${f}Direct;fft:0,0,${f}FFT
$backward-FP16-B_g2=ConvMlirIgemmBwd:1e-05,0,${b}ImplicitGEMM
$backward-BF16-W=ConvOclBwdWrW2<16>:3,7,${w}Direct
END
cat >"$tmp/gfx906_60.old.txt" <<END
64-56-58-3x5-128-28-29-16-1x2-2x2-1x1-0-NCHW-FP32-F=\
${f}GEMM:GemmFwdRest,0.25,4096,${f}GEMM,<unused>;\
${f}Direct:ConvOclDirectFwd,0.12116,0,${f}Direct,not used;${f}FFT:fft,0,0,${f}FFT,not used
$backward-FP16-B_g2=${b}ImplicitGEMM:ConvMlirIgemmBwd,1e-05,0,${b}ImplicitGEMM,<unused>
$backward-BF16-W=${w}Direct:ConvOclBwdWrW2<16>,3,7,${w}Direct,not used;
END
heading=gpu,dir,dtype,layout,n,c,d,h,w,k,z,y,x,pad_d,pad_h,pad_w,stride_d,stride_h,stride_w
heading=$heading,dil_d,dil_h,dil_w,groups,solver,time_us
sizes=NCHW,16,64,1,56,58,128,1,3,5,0,1,2,1,2,2,1,1,1
cat >"$tmp/rows.csv" <<END
$heading
gfx906_60,F,FP32,$sizes,1,ConvOclDirectFwd,121.16
gfx906_60,F,FP32,$sizes,1,GemmFwdRest,250
gfx906_60,B,FP16,$sizes,2,ConvMlirIgemmBwd,0.01
gfx906_60,W,BF16,$sizes,1,ConvOclBwdWrW2<16>,3000
END

failed_once="dropped 1 row: a failed measurement (no time or speed, or one of 0)"
check "newer layout" gives "$tmp/gfx906_60.new.txt" "$tmp/rows.csv" "$failed_once"
check "older layout" gives "$tmp/gfx906_60.old.txt" "$tmp/rows.csv" "$failed_once"

# The fixture is made up in the form of another release: `rocBlas` stands where the algorithm was.
cat >"$tmp/rocblas.csv" <<END
$heading
gfx906_60,F,FP32,NCHW,16,64,1,28,28,128,1,1,1,0,0,0,1,1,1,1,1,1,1,ConvAsm1x1U,39.2
gfx906_60,F,FP32,NCHW,16,64,1,28,28,128,1,1,1,0,0,0,1,1,1,1,1,1,1,gemm,50.4
gfx906_60,B,FP32,NCHW,16,128,1,28,28,64,1,1,1,0,0,0,1,1,1,1,1,1,1,gemm,56
gfx906_60,B,FP16,NCHW,16,64,1,28,28,128,1,3,3,0,1,1,1,1,1,1,1,1,1,ConvBinWinogradRxS,90
gfx906_60,B,FP16,NCHW,16,64,1,28,28,128,1,3,3,0,1,1,1,1,1,1,1,1,1,GemmBwdRest,700
gfx906_60,W,FP32,NCHW,16,64,1,28,28,128,1,3,3,0,1,1,1,1,1,1,1,1,1,GemmWrwUniversal,1250
END
spec="$spec --nearest"
check "rocBlas in place of the algorithm" gives tests/fixtures/gfx906_64.HIP.fdb.txt "$tmp/rocblas.csv" \
    "2 rows name an option that the spec does not know: kept, never predicted"
spec=${spec% *}

sed 's/$/\r/' "$tmp/gfx906_60.new.txt" >"$tmp/gfx906_60.crlf.txt"
check "lines that end with CRLF" gives "$tmp/gfx906_60.crlf.txt" "$tmp/rows.csv" "$failed_once"
check_with bzip2 "packed" packed "$tmp/gfx906_60.old.txt" "$tmp/rows.csv" "$failed_once"
cp "$tmp/rows.csv" "$tmp/back.csv"
check "ingest's CSV" gives "$tmp/back.csv" "$tmp/rows.csv"

gpu_by_option() {
    cp "$tmp/gfx906_60.new.txt" "$tmp/mine.txt"
    ingest $spec --gpu gfx942130 --data "$tmp/mine.txt" 2>/dev/null | cut -d, -f1 | sort -u |
        tr '\n' ' ' | grep -qx 'gfx942130 gpu '
}
check "--gpu" gpu_by_option

json_has_numbers() {
    ingest $spec --json --data "$tmp/gfx906_60.new.txt" 2>/dev/null | sed -n 2p |
        grep -qF '"solver": "ConvOclDirectFwd", "time_us": 121.16}'
}
check "JSON" json_has_numbers

# ---- 2-D and 3-D ----

# All have 17 parts but the last, which is the 2-D convolution of the one before it.
cat >"$tmp/gfx90878.txt" <<END
32-7-8-3x3-64-7-8-4-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-W=GemmWrwUniversal:1,0,${w}GEMM
64-5-7-8-3x3x3-32-2-3-5-4-0x1x2-2x3x2-1x1x1-0-NCDHW-FP16-F=GemmFwdRest:2,0,${f}GEMM
64-1-7-8-1x1x1-32-1-7-8-4-0x0x0-1x1x1-1x1x1-0-NCDHW-FP16-F=GemmFwdRest:3,0,${f}GEMM
64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0-NCHW-FP16-F=GemmFwdRest:4,0,${f}GEMM
END
cat >"$tmp/dims.csv" <<END
$heading
gfx90878,F,FP16,NCHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1,GemmFwdRest,4000
gfx90878,F,FP16,NCDHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1,GemmFwdRest,3000
gfx90878,F,FP16,NCDHW,4,64,5,7,8,32,3,3,3,0,1,2,2,3,2,1,1,1,1,GemmFwdRest,2000
gfx90878,W,FP16,NHWC,4,64,1,7,8,32,1,3,3,0,1,1,1,1,1,1,1,1,1,GemmWrwUniversal,1000
END
check "2-D NHWC and 3-D NCDHW" gives "$tmp/gfx90878.txt" "$tmp/dims.csv"

# ---- rows that are always left out, and options that the spec does not know ----

key=64-7-8-1x1-32-7-8-4-0x0-1x1-1x1-0
gemm=${f}GEMM
good="$key-NCHW-FP16-F=GemmFwdRest:4,0,$gemm"
cat >"$tmp/good.csv" <<END
$heading
gfx906_60,F,FP16,NCHW,4,64,1,7,8,32,1,1,1,0,0,0,1,1,1,1,1,1,1,GemmFwdRest,4000
END

# beside_good LINE...: a file with that good line and these
beside_good() { printf '%s\n' "$good" "$@" >"$tmp/gfx906_60.txt"; }

# left_out NOTE LINE...: the lines add nothing but the note
left_out() {
    text=$1
    shift
    beside_good "$@"
    gives "$tmp/gfx906_60.txt" "$tmp/good.csv" "$text"
}
two="GemmFwdRest:4,0,$gemm;fft:5,0,${f}FFT"
unnamed="a data type, layout or depth that the spec does not name"
check "a data type that the spec does not name" \
    left_out "dropped 2 rows: $unnamed" "$key-NCHW-INT8-F=$two"
check "a layout that the spec does not name" \
    left_out "dropped 2 rows: $unnamed" "$key-CHWN-CHWN-CHWN-FP16-F=$two"
check "layouts that differ" \
    left_out "dropped 2 rows: $unnamed" "$key-NHWC-NCHW-NHWC-FP16-F=$two"
check "cast tensors" left_out "dropped 2 rows: cast tensors" "$key-NCHW-FP16-F_ciFP8=$two"
check "sizes that contradict each other" \
    left_out "dropped 2 rows: a key whose image sizes no convolution with its filter has" \
    "4-2-2-3x3-3-1-1-128-0x0-1x1-1x1-0-NCHW-FP16-F=$two"
check "a whole line of failed measurements" \
    left_out "dropped 2 rows: a failed measurement (no time or speed, or one of 0)" \
    "${key%-0}-0-NCHW-FP32-F=GemmFwdRest:0,0,$gemm;fft:0.000,0,${f}FFT"
once() {
    beside_good "$good" "$good;GemmFwdRest:4.0,0,$gemm"
    gives "$tmp/gfx906_60.txt" "$tmp/good.csv"
}
check "equal times of one option are one row" once

unknown_stay() {
    beside_good "$key-NCHW-FP16-F=Zeta:1,0,$gemm;Al \"pha:2,0,$gemm"
    row=$(sed -n 's/GemmFwdRest,4000//p' "$tmp/good.csv")
    { cat "$tmp/good.csv"; echo "$row\"Al \"\"pha\",2000"; echo "${row}Zeta,1000"; } \
        >"$tmp/unknown.csv"
    kept="2 rows name an option that the spec does not know: kept, never predicted"
    gives "$tmp/gfx906_60.txt" "$tmp/unknown.csv" "$kept" &&
        cp "$tmp/unknown.csv" "$tmp/unknown_back.csv" &&
        gives "$tmp/unknown_back.csv" "$tmp/unknown.csv" "$kept"
}
check "solvers that the spec does not know stay" unknown_stay

# ---- several files ----

several_files() {
    echo "$key-NCHW-FP16-F=GemmFwdRest:6,0,$gemm;Beta:6,0,$gemm" >"$tmp/gfx906_60.1.txt"
    echo "$key-NCHW-FP16-F=Alpha:1,0,$gemm;GemmFwdRest:4,0,$gemm" >"$tmp/gfx906_60.2.txt"
    ingest $spec --data "$tmp/gfx906_60.1.txt" "$tmp/gfx906_60.2.txt" >"$tmp/12" 2>"$tmp/err" &&
        ingest $spec --data "$tmp/gfx906_60.2.txt" "$tmp/gfx906_60.1.txt" 2>/dev/null |
        cmp - "$tmp/12" && sed 1d "$tmp/12" | cut -d, -f24,25 | paste -sd' ' - |
        grep -qx 'GemmFwdRest,4000 GemmFwdRest,6000 Alpha,1000 Beta,6000'
}
check "several files: all stay, sorted by time, in one order" several_files

# ---- errors ----

# bad NAME WHERE:WHAT DROPPED LINE...: with the lines in the file, ingest stops and says where and
# what; with --lenient it drops and counts them
bad() {
    name=$1 what=$2 dropped=$3
    shift 3
    beside_good "$@"
    check "$name" bad_line
}
bad_line() {
    refuses 1 "$tmp/gfx906_60.txt:$what" ingest $spec --data "$tmp/gfx906_60.txt" || return 1
    ingest $spec --lenient --data "$tmp/gfx906_60.txt" >"$tmp/out" 2>"$tmp/err" &&
        cmp "$tmp/out" "$tmp/good.csv" && tells "dropped $dropped"
}
cell="a cell that cannot be read"
one=$key-NCHW-FP32-F
bad "no equals sign" '2: line: value "abc": is not of the form' "1 row: $cell" abc
bad "no entry" "2: line: value \"$one=\": is not of the form" "1 row: $cell" "$one="
bad "no key" '2: line: value "=x": is not of the form' "1 row: $cell" "=x"
bad "an entry without a colon" '2: entry: value "fft": is not of the form' "1 row: $cell" "$one=fft"
bad "no solver" '2: solver: value "": is no name' "1 row: $cell" "$one=:1,0,$gemm"
bad "a missing figure" '2: entry: value "fft": has 2 figures, not 3' "1 row: $cell" "$one=fft:1,0"
bad "a figure too many" '2: entry: value "fft": has 4 figures, not 3' "1 row: $cell" \
    "$one=fft:1,0,$gemm,1"
bad "a missing figure of an older entry" "2: entry: value \"$gemm\": has 4 figures, not 5" \
    "1 row: $cell" "$one=$gemm:fft,1,0,$gemm"
bad "far too many figures" "2: entry: value \"$gemm\": has at least 6 figures, not 5" \
    "1 row: $cell" "$one=$gemm:fft,1,0,$gemm,,,,,,"
for time in "" -1 inf nan 1e999 0x10 " 1" 1s; do
    bad "the time \"$time\"" "2: time: value \"$time\": is no finite number of at least 0" \
        "1 row: $cell" "$one=fft:$time,0,$gemm"
done
bad "a time beyond all" '2: time_us: value "inf": is no time' "1 row: $cell" \
    "$one=fft:1e306,0,$gemm"
bad "a workspace that is no size" '2: workspace: value "-1": is no size in bytes' "1 row: $cell" \
    "$one=fft:1,-1,$gemm"
bad "an unknown algorithm" '2: algorithm: value "Magic": is no algorithm of direction F' \
    "1 row: $cell" "$one=fft:1,0,Magic"
bad "an algorithm of another direction" \
    '2: algorithm: value "miopenConvolutionBwdDataAlgoGEMM": is no algorithm of direction F' \
    "1 row: $cell" "$one=fft:1,0,miopenConvolutionBwdDataAlgoGEMM"
bad "two algorithms" "2: algorithm: value \"${gemm%GEMM}FFT\": is not $gemm" "1 row: $cell" \
    "$one=$gemm:fft,1,0,${gemm%GEMM}FFT,<unused>"
bad "rocBlas of another algorithm than GEMM" "2: algorithm: value \"rocBlas\": is not ${f}FFT" \
    "1 row: $cell" "$one=${f}FFT:fft,1,0,rocBlas,<unused>"
bad "rocBlas in a newer entry" '2: algorithm: value "rocBlas": is no algorithm of direction F' \
    "1 row: $cell" "$one=fft:1,0,rocBlas"
bad "rocBlas of another direction" "2: algorithm: value \"${w}GEMM\": is no algorithm of direction F" \
    "1 row: $cell" "$one=${w}GEMM:gemm,1,0,rocBlas,<unused>"
bad "a key that is none" '2: key: value "1-2-3": is no key of a convolution' "2 rows: $cell" \
    "1-2-3=$two"
bad "a key with a bias" '2: bias: value "1": the spec covers 0 only' \
    "2 rows: a problem that the spec does not cover" "${key%-0}-1-NCHW-FP32-F=$two"
twice="1 row: a second, longer time of one problem and option"
for line in "$good;GemmFwdRest:5,0,$gemm" "${good%%=*}=GemmFwdRest:5,0,$gemm"; do
    bad "two times of one option" \
        '2: time_us: value "5000": the same option of the same problem took 4000 in line 1' \
        "$twice" "$line"
done

null_byte() {
    printf '%s\n\0\n' "$good" >"$tmp/gfx906_60.txt"
    refuses 1 "is no text: it holds a NUL byte" ingest $spec --data "$tmp/gfx906_60.txt"
}
check "a NUL byte" null_byte
gpu_unknown() {
    echo "$good" >"$tmp/gfx999.txt"
    refuses 1 'gfx999.txt: gpu: value "gfx999"' ingest $spec --data "$tmp/gfx999.txt"
}
check "an unknown GPU" gpu_unknown
no_row() {
    echo "$key-NCHW-INT8-F=$two" >"$tmp/gfx906_60.txt"
    ingest $spec --data "$tmp/gfx906_60.txt" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && tells "dropped 2 rows: $unnamed" \
        "$tmp/gfx906_60.txt: no row of conv_solver is left to use"
}
check "no row left" no_row
perf_db() {
    : >"$tmp/gfx906_60.db"
    refuses 1 "the spec's data have format = find-db, this is a perf-db" \
        ingest $spec --data "$tmp/gfx906_60.db"
}
check "a perf-db" perf_db

# ---- CSV ----

# csv PATTERN SED: ingest of the changed CSV fails with the pattern
csv() {
    sed "$2" "$tmp/rows.csv" >"$tmp/changed.csv"
    refuses 1 "$1" ingest $spec --data "$tmp/changed.csv"
}
check "CSV without times" csv 'changed.csv:1: there is no column "time_us"' '1s/time_us/time/'
check "CSV with a time below 0" csv 'changed.csv:3: time_us: value "-250": is no finite number' \
    's/,250$/,-250/'
check "CSV without a solver" csv 'changed.csv:3: solver: value "": is none of' 's/GemmFwdRest//'
check "CSV with an option twice" csv 'changed.csv:3: time_us: value "250": the same option' \
    's/GemmFwdRest/ConvOclDirectFwd/'
csv_zero() {
    sed 's/,250$/,0/' "$tmp/rows.csv" >"$tmp/zero.csv"
    sed '/,250$/d' "$tmp/rows.csv" >"$tmp/fewer.csv"
    gives "$tmp/zero.csv" "$tmp/fewer.csv" "$failed_once"
}
check "CSV with a time of 0" csv_zero
digits() {
    sed 's/,250$/,0.1234567890123456789/; s/,3000$/,1.5e-7/' "$tmp/rows.csv" >"$tmp/digits.csv"
    ingest $spec --data "$tmp/digits.csv" >"$tmp/once.csv" &&
        ingest $spec --data "$tmp/once.csv" | cmp - "$tmp/once.csv" &&
        grep -q ',0.123456789012346$' "$tmp/once.csv" && grep -q ',1.5e-07$' "$tmp/once.csv"
}
check "times keep 15 digits" digits

# ---- specs ----

# spec_says PATTERN SED: ingest with the changed spec fails with the pattern
spec_says() {
    sed "$2" $spec >"$tmp/changed.spec"
    refuses 1 "$1" ingest "$tmp/changed.spec" --data "$tmp/gfx906_60.new.txt"
}
check "two parameters" spec_says '[params]: for find-db it is one parameter' \
    's/^solver.*/solver = a b\nother = 1 2/'
check "a parameter of numbers" spec_says '[params]: for find-db it is one parameter' \
    's/^solver.*/solver = 1 2/'
check "[data] with a solver" spec_says 'solver: value "x": a find-db has all solvers' \
    's/^format.*/&\nsolver = x/'
check "filter beside y" spec_says 'filter: value "1x1": the fields y and x say it' \
    's/^format.*/&\nfilter = 1x1/'
check "pad beside pad_h" spec_says 'pad: value "0": the fields pad_h and pad_w say it' \
    's/^format.*/&\npad = 0/'
check "neither y nor filter" spec_says '[data]: key "filter" is missing' '/^[yx] /d; /^\[split/,$d'
check "neither pad_h nor pad" spec_says '[data]: key "pad" is missing' \
    '/^pad_/d; /^\[split/,$d'
check "y without x" spec_says 'has a field "y", which needs one "x"' '/^x /d; /^\[split/,$d'
check "d without z" spec_says 'has a field "d", which needs one "z"' '/^z /d; /^\[split/,$d'
check "pad_d without d" spec_says 'has a field "pad_d", which needs one "d"' \
    '/^[dz] /d; /^\[split/,$d'
check "stride beside stride_h" spec_says 'has a field "stride" beside "stride_h"' \
    's/^stride_d.*/stride = size/; /^\[split/,$d'
check "a field called time_us" spec_says 'time_us: is the time of each row' \
    's/^pad_d.*/time_us = size/; /^\[split/,$d'
check "a field that keys lack" spec_says 'field "color" of' \
    's/^pad_d.*/color = size/; /^\[split/,$d'

# With few fields: 2-D, 3x3 with pad 1, one stride, NCHW
cat >"$tmp/few.spec" <<'END'
[kernel]
name = few
rule = unconstrained
[data]
format = find-db
filter = 3x3
pad = 1
[fields]
dir = F
dtype = FP32
n = size
c = size
h = size
w = size
k = size
stride = size
[params]
solver = GemmFwdRest
END
few=64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NCHW-FP32-F
few() {
    entry="=GemmFwdRest:1,0,$gemm"
    echo "$few$entry" >"$tmp/few.txt"
    printf '%s\n' dir,dtype,n,c,h,w,k,stride,solver,time_us F,FP32,1,64,8,8,32,2,GemmFwdRest,1000 \
        >"$tmp/few.csv"
    ingest "$tmp/few.spec" --data "$tmp/few.txt" | cmp - "$tmp/few.csv" || return 1
    while read -r column value other; do
        printf '%s\n' "$few$entry" "$other$entry" >"$tmp/few.txt"
        refuses 1 "few.txt:2: $column: value \"$value\": the spec covers" \
            ingest "$tmp/few.spec" --data "$tmp/few.txt" || return 1
        ingest "$tmp/few.spec" --lenient --data "$tmp/few.txt" 2>"$tmp/err" |
            cmp - "$tmp/few.csv" &&
            tells "dropped 1 row: a problem that the spec does not cover" || return 1
    done <<END
fil_h 1 64-8-8-1x3-32-5-4-1-1x1-2x2-1x1-0-NCHW-FP32-F
fil_w 5 64-8-8-3x5-32-4-3-1-1x1-2x2-1x1-0-NCHW-FP32-F
pad_h 0 64-8-8-3x3-32-3-4-1-0x1-2x2-1x1-0-NCHW-FP32-F
pad_w 2 64-8-8-3x3-32-4-5-1-1x2-2x2-1x1-0-NCHW-FP32-F
dilation_h 2 64-8-8-3x3-32-3-4-1-1x1-2x2-2x1-0-NCHW-FP32-F
dilation_w 2 64-8-8-3x3-32-4-3-1-1x1-2x2-1x2-0-NCHW-FP32-F
conv_stride_w 1 64-8-8-3x3-32-4-8-1-1x1-2x1-1x1-0-NCHW-FP32-F
group_count 2 ${few}_g2
END
    printf '%s\n' "$few$entry" "64-8-8-3x3-32-4-4-1-1x1-2x2-1x1-0-NHWC-NHWC-NHWC-FP32-F$entry" \
        "64-1-8-8-1x3x3-32-1-4-4-1-0x1x1-1x2x2-1x1x1-0-NCDHW-FP32-F$entry" >"$tmp/few.txt"
    ingest "$tmp/few.spec" --data "$tmp/few.txt" 2>"$tmp/err" | cmp - "$tmp/few.csv" &&
        tells "dropped 2 rows: $unnamed"
}
check "what a spec with few fields covers" few

# ---- whole find-dbs ----


# same_rows GPU: ingest gives the rows that the reader gives, and drops as many of each kind; all of
# those are read again
same_rows() {
    file=$MIOPEN_DB/$1.HIP.fdb.txt.bz2
    python3 tests/miopen/finddb.py "$file" "$1" 2>"$tmp/left_out" | LC_ALL=C sort >"$tmp/expected" &&
        ingest $spec --data "$file" -o "$tmp/whole.csv" --force 2>"$tmp/err" || return 1
    sed 1d "$tmp/whole.csv" | LC_ALL=C sort | cmp - "$tmp/expected" &&
        [ "$(wc -l <"$tmp/whole.csv")" -gt 30000 ] || return 1
    [ "$(wc -l <"$tmp/left_out")" -eq "$(grep -c ' dropped ' "$tmp/err")" ] || return 1
    while read -r count kind; do
        grep -qE ": dropped $count rows?: $kind" "$tmp/err" || return 1
    done <"$tmp/left_out"
    ingest $spec --data "$tmp/whole.csv" 2>/dev/null | cmp - "$tmp/whole.csv"
}
[ "${1-}" = all ] && more="gfx1030_36 gfx90878" || more=
for gpu in gfx942130 $more; do
    if [ ! -r "$MIOPEN_DB/$gpu.HIP.fdb.txt.bz2" ]; then
        skipped "$gpu in full" "there is no $MIOPEN_DB/$gpu.HIP.fdb.txt.bz2"
    elif ! has python3; then
        skipped "$gpu in full" "there is no python3"
    else
        check "$gpu in full" same_rows $gpu
    fi
done

test_end
