#!/bin/sh
# miopen.sh - kpred miopen: from logs of MIOpen to user perf-dbs
# SPDX-License-Identifier: MIT
#
# Runs miopen_oracle.py, too, where it has the oracle: ORACLE, MIOPEN_DB as for run.sh.
. tests/harness/script.inc

test_begin
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
ORACLE=${ORACLE:-../shared/miopen/rules.py}
networks="bert densenet121 googlenet mobilenet resnet50 vgg16"
export LC_ALL=C

need_weights "kpred miopen"

# ---- programs ----

# What is read from a log and written does not depend on what else ships: most tests are of programs
# with the four kernels that the paper judges. "all models" below is about the others, too.
judged=$(sed 1d tools/report/published.csv | cut -d, -f1 | uniq)
four=$tmp/four
kpred=$four/kpred
trainer=$four/kpred-train

check "programs with four kernels" sh tests/miopen/four.sh "$BUILD" "$four"

# ---- what is said of a run ----

# miopen ARGUMENT...: output to $tmp/out, messages to $tmp/err
miopen() {
    "$kpred" miopen --gpu gfx906_60 "$@" >"$tmp/out" 2>"$tmp/err"
}

# show STATUS: what the last run said; fails
show() {
    echo "status $1"
    cat "$tmp/err" "$tmp/out"
    return 1
}

# log LINE...: as $tmp/log
log() {
    printf '%s\n' "$@" >"$tmp/log"
}

# drv OPERATION-AND-OPTIONS: a driver line
drv() {
    echo "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver $1"
}

# gives KEY=SOLVER;SOLVER...: the log does, with status 0
gives() {
    miopen "$tmp/log" || { show $?; return 1; }
    printf '%s\n' "$@" | sed '/^$/d' >"$tmp/expected"
    sed 's/:[^;]*//g' "$tmp/out" | cmp - "$tmp/expected" && return
    show 0
}

# summary LINES DRIVER COVERED: the counts of $tmp/err and $tmp/out
summary() {
    lines="$1 lines"
    [ "$1" -ne 1 ] || lines="1 line"
    calls="$lines, $2 driver lines?: $3 covered, $(($2 - $3)) not"
    head -n 1 "$tmp/err" | grep -qE "^kpred: $calls; $(wc -l <"$tmp/out") problems?, \
$(tr -cd : <"$tmp/out" | wc -c) entr(y|ies)$" && return
    show 0
}

# refused STATUS PATTERN ARGUMENT...: nothing is printed, and of the complaint the pattern is part
refused() {
    wanted=$1 pattern=$2; shift 2
    miopen "$@"
    got=$?
    [ $got -eq "$wanted" ] && [ ! -s "$tmp/out" ] && grep -qE -e "$pattern" "$tmp/err" && return
    show $got
}

# ---- networks ----

network() {
    miopen "tests/fixtures/$1.log" || { show $?; return 1; }
    sed 's/:[^;]*//g' "$tmp/out" | cmp - "tests/fixtures/$1.keys"
}
for network in $networks; do
    cat "tests/fixtures/$network.log" >>"$tmp/all"
    check "$network" network "$network"
done

# ---- keys ----

strided="-n 16 -c 64 -H 55 -W 28 -k 256 -y 1 -x 1 -u 2 -v 2"
log "$(drv "conv $strided -F 1")"
F="64-55-28-1x1-256-28-14-16-0x0-2x2-1x1-0-NCHW-FP32-F=ConvAsm1x1U;ConvOclDirectFwd1x1"
check "forward" gives "$F"
log "$(drv "conv $strided -F 2")"
B="256-28-14-1x1-64-55-28-16-0x0-2x2-1x1-0-NCHW-FP32-B=ConvAsm1x1U;ConvOclDirectFwd1x1"
check "backward data" gives "$B"
log "$(drv "conv $strided -F 4")"
W="256-28-14-1x1-64-55-28-16-0x0-2x2-1x1-0-NCHW-FP32-W=ConvAsmBwdWrW1x1"
check "backward weights" gives "$W"
for mask in 0 7; do
    log "$(drv "conv $strided -F $mask")"
    check "-F $mask" gives "$B" "$W" "$F"
done
log "$(drv "conv $strided -F 3")"
check "-F 3" gives "$B" "$F"
log "$(drv "conv $strided -F 6")"
check "-F 6" gives "$B" "$W"
log "$(drv "conv -y 1 -x 1 -F 1")"
check "all defaults" gives \
    "3-32-32-1x1-32-32-32-100-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U;ConvOclDirectFwd1x1"
log "MIOpenDriver conv"
check "no option" gives
check "no option: nothing covered is no error" summary 1 1 0
log "$(drv "convfp16 -n 32 -c 128 -H 28 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -g 32 -F 4")"
check "3x3, groups, FP16" gives \
    "64-28-56-3x3-128-28-56-32-1x1-1x1-1x1-0-NCHW-FP16-W_g32=ConvAsmBwdWrW3x3"
log "$(drv "convbfp16 -n 32 -c 128 -H 28 -W 56 -k 64 -y 1 -x 1 -F 0")"
check "BF16" gives \
    "128-28-56-1x1-64-28-56-32-0x0-1x1-1x1-0-NCHW-BF16-F=ConvOclDirectFwd1x1" \
    "64-28-56-1x1-128-28-56-32-0x0-1x1-1x1-0-NCHW-BF16-B=ConvOclDirectFwd1x1" \
    "64-28-56-1x1-128-28-56-32-0x0-1x1-1x1-0-NCHW-BF16-W=ConvAsmBwdWrW1x1"
same="64-28-28-3x3-64-28-28-8-1x1-1x1-1x1-0-NCHW-FP32-W=ConvAsmBwdWrW3x3"
log "$(drv "conv -n 8 -c 64 -k 64 -H 28 -W 28 -F 4 -z same")"
check "--pad_mode same" gives "$same"
log "$(drv "conv -n 8 -c 64 -k 64 -H 28 -W 28 -y 1 -x 1 -F 4 -p 3 -q 2 --pad_mode valid")"
check "--pad_mode valid" gives \
    "64-28-28-1x1-64-28-28-8-0x0-1x1-1x1-0-NCHW-FP32-W=ConvAsmBwdWrW1x1"
log "$(drv "conv -n 8 -c 64 -k 64 -H 28 -W 28 -p 1 -q 1 -l 2 -j 2 -F 4 -z valid")"
check "--pad_mode valid, dilated: the pads stay" gives
log "$(drv "conv -n 8 -c 64 -k 64 -H 28 -W 28 -y 1 -x 1 -F 4 -! 1 -@ 3")"
check "the third dimension does not matter to two" gives \
    "64-28-28-1x1-64-28-28-8-0x0-1x1-1x1-0-NCHW-FP32-W=ConvAsmBwdWrW1x1"

# ---- spellings ----

log "$(drv "conv $strided -F 1")"
miopen "$tmp/log" && cp "$tmp/out" "$tmp/wanted"
gives_the_same() {
    printf '%b\n' "$1" >"$tmp/log"
    miopen "$tmp/log" && cmp "$tmp/out" "$tmp/wanted" && return
    show 1
}
long="--batchsize 16 --in_channels 64 --in_h 55 --in_w 28 --out_channels 256 --fil_h 1 --fil_w 1"
long="$long --conv_stride_h 2 --conv_stride_w 2 --forw 1"
check "long options" gives_the_same "MIOpenDriver conv $long"
check "--option=value" gives_the_same "MIOpenDriver conv $(echo "$long" |
    sed 's/\(--[a-z_]*\) /\1=/g')"
check "every option" gives_the_same "MIOpenDriver conv $long --in_d 1 --fil_d 1 --pad_d 0 \
--pad_h 0 --pad_w 0 --conv_stride_d 1 --dilation_d 1 --dilation_h 1 --dilation_w 1 --group_count 1 \
--mode conv --pad_mode default --spatial_dim 2 --in_layout NCHW --fil_layout NCHW --out_layout \
NCHW --bias 0 --time 1 --iter 10 --verify 0 --wall 2 --search 1 --printconv 0 --dump_output 0 \
--in_data a.bin --weights b.bin --in_bias c.bin --dout_data d.bin --solution 5 --gpualloc 0 \
--verification_cache dir/ --tensor_vect 0 --vector_length 1 --pad_val 0 --trans_output_pad_d 0 \
--trans_output_pad_h 0 --trans_output_pad_w 0 --in_cast_type -1 --out_cast_type -1 \
--wei_cast_type -1"
check "every letter" gives_the_same "MIOpenDriver conv $strided -F 1 -! 32 -@ 3 -\$ 0 -p 0 -q 0 \
-# 1 -^ 1 -l 1 -j 1 -g 1 -m conv -z default -_ 2 -I NCHW -f NCHW -O NCHW -b 0 -t 1 -i 10 -V 0 -w \
2 -s 1 -P 0 -o 0 -d a.bin -e b.bin -a c.bin -D d.bin -S 5 -G 0 -C dir/ -Z 0 -L 1 -r 0 \
-% 0 -Y 0 -X 0"
check "tabs" gives_the_same "\tMIOpenDriver\tconv\t$(echo "$strided" | tr ' ' '\t')\t-F\t1\t"
check "quotes" gives_the_same "\"/opt/x/MIOpenDriver\" 'conv' $strided '-F' \"1\""
check "the same option twice, the same value" gives_the_same \
    "MIOpenDriver conv $strided -F 1 --in_h=55 -n 16"
for suffix in '| tee x' '|tee' '> x -n 0' '>x' '< y' '<y' '2>&1' '2> err' '2>err' '& wait' \
    '&& false' '; MIOpenDriver pool' ';' '# -n 0' '#2' ')' ') 2>x'; do
    check "the call ends before: $suffix" gives_the_same "(MIOpenDriver conv $strided -F 1 $suffix"
done
for prefix in ./bin/ /opt/rocm-5.7.0/bin/ 'MIOpen(HIP): Command [LogCmdFindConvolution] ./' \
    '2024-05-01 [0] "x" ' 'MIOPEN_LOG_LEVEL=6 ' 'time -p ../'; do
    check "prefix: $prefix" gives_the_same "${prefix}MIOpenDriver conv $strided -F 1"
done
for word in MIOpenDrivers xMIOpenDriver MIOpenDriver/ /opt/MIOpenDriver.sh miopendriver; do
    log "$word conv $strided -F 1 -n 0" "$(drv pool)"
    check "no driver line: $word" gives
done

# ---- logs ----

cat tests/fixtures/resnet50.log tests/fixtures/mobilenet.log >"$tmp/both"
miopen "$tmp/both" && cp "$tmp/out" "$tmp/wanted"
same() {
    "$@" >"$tmp/out" 2>"$tmp/err" && cmp "$tmp/out" "$tmp/wanted" && return
    show 1
}
gpu="miopen --gpu gfx906_60"
stdin() { "$kpred" $gpu <"$tmp/both"; }
check "standard input" same stdin
dash() { "$kpred" $gpu - <"$tmp/both"; }
check "-" same dash
check "several logs" same "$kpred" $gpu tests/fixtures/resnet50.log tests/fixtures/mobilenet.log
check "in another order, again and again" same "$kpred" $gpu tests/fixtures/mobilenet.log \
    tests/fixtures/resnet50.log tests/fixtures/mobilenet.log
dash_between() { "$kpred" $gpu tests/fixtures/mobilenet.log - <tests/fixtures/resnet50.log; }
check "a log and -" same dash_between
sed '1!G;h;$!d' "$tmp/both" >"$tmp/log"
check "lines in another order" same "$kpred" $gpu "$tmp/log"
sed 's/$/\r/' "$tmp/both" >"$tmp/log"
check "CRLF" same "$kpred" $gpu "$tmp/log"
printf '%s' "$(cat "$tmp/both")" >"$tmp/log"
check "no newline at the end" same "$kpred" $gpu "$tmp/log"
sed 's/^/[rank 0] \x1b[1mINFO\x1b[0m /;i\
step 12: loss 0.5 (MIOpen)\
\
MIOpen(HIP): Info [FindSolutionImpl] ConvAsm1x1U' "$tmp/both" >"$tmp/log"
check "other lines between, and text before" same "$kpred" $gpu "$tmp/log"
paste -d ';' "$tmp/both" "$tmp/both" | sed 's/;/ ; /g' >"$tmp/log"
check "several calls in a line" same "$kpred" $gpu "$tmp/log"
check "sorted" sort -c "$tmp/wanted"
check "no key twice" sh -c 'test -z "$(cut -d= -f1 "$1" | sort | uniq -d)"' sh "$tmp/wanted"
both_groups() { # of lines with _g2 and _g20, by bytes, the = counts
    log "$(drv "conv -n 8 -c 320 -k 320 -H 28 -W 28 -p 1 -q 1 -F 4 -g 2")" \
        "$(drv "conv -n 8 -c 320 -k 320 -H 28 -W 28 -p 1 -q 1 -F 4 -g 20")"
    miopen "$tmp/log" && [ "$(wc -l <"$tmp/out")" -eq 2 ] && sort -c "$tmp/out"
}
check "lines are sorted by bytes, the = too" both_groups
long_line() { # none of it may get lost without a word
    { printf '%70000s' x; drv "conv $strided -F 1"; } >"$tmp/log"
    miopen "$tmp/log" || return 0
    [ -s "$tmp/out" ] && return
    show 0
}
check "a call behind 70,000 characters" long_line
long_call() {
    { printf 'MIOpenDriver conv -F 1 -y 1 -x 1'; printf '%70000s' ' '; echo "-n 7"; } >"$tmp/log"
    miopen "$tmp/log" || return 0
    grep -q '^3-32-32-1x1-32-32-32-7-' "$tmp/out" && return
    show 0
}
check "a call that is 70,000 characters long" long_call
crash() {
    miopen "$@"
    status=$?
    [ $status -le 1 ] || show $status
}
check "a program for a log" crash "$kpred"
head -c 100000 /dev/urandom >"$tmp/noise"
check "noise for a log" crash "$tmp/noise"
check "a log that is not there" refused 1 "^kpred: $tmp/no.log: .*No such file" "$tmp/no.log"
check "a log that is not there, after one that is" refused 1 "^kpred: $tmp/no.log: " "$tmp/both" \
    "$tmp/no.log"
check "a directory for a log" refused 1 "^kpred: $tmp: .*directory" "$tmp"

# ---- what is not covered ----

# uncovered NAME LINE [PATTERN]: counted, with a reason
uncovered() {
    log "$2" "$(drv "conv $strided -F 1")"
    gives "$F" && summary 2 2 1 && [ "$(grep -cE '^kpred: +1 line: ' "$tmp/err")" -eq 1 ] &&
        grep -qiE -e "^kpred: +1 line: .*$3" "$tmp/err" && return
    show 0
}
uncovered_as() { check "not covered: $1" uncovered "$@"; }
uncovered_as "bias" "$(drv "conv $strided -b 1")" "bias"
uncovered_as "transposed" "$(drv "conv $strided -m trans")" "trans"
uncovered_as "three dimensions" "$(drv "conv -_ 3 -! 8 -@ 1 $strided")" "spatial_dim = 3 .it must be 2)"
uncovered_as "layout" "$(drv "conv $strided -I NHWC -f NHWC -O NHWC")" "layout"
uncovered_as "one layout of three" "$(drv "conv $strided --out_layout=NHWC")" "layout"
uncovered_as "INT8" "$(drv "convint8 $strided")" "dtype = INT8"
uncovered_as "filter" "$(drv "conv -y 5 -x 5 -p 2 -q 2")" "fil_h = 5"
uncovered_as "a filter that is not square" "$(drv "conv -y 1 -x 3 -q 1")" "fil_. = [13]"
uncovered_as "dilation" "$(drv "conv -p 1 -q 1 -H 64 -W 64 -l 2 -j 2 -F 4")" "dilation_h = 2"
uncovered_as "pads" "$(drv "conv -y 1 -x 1 -p 1 -q 1")" "pad"
uncovered_as "strides" "$(drv "conv -y 1 -x 1 -u 1 -v 2")" "stride"
uncovered_as "groups" "$(drv "conv -y 1 -x 1 -c 64 -k 64 -g 2")" "group"
uncovered_as "direction" "$(drv "conv -c 64 -k 64 -p 1 -q 1 -F 1")" "fil_h = 3"
uncovered_as "stride of a direction" "$(drv "conv -p 1 -q 1 -u 2 -v 2 -F 4")" \
    "ConvAsmBwdWrW3x3: stride = 2 .it must be 1)"
for operation in pool bnorm CBAInfer gemm softmax convfp64 conv2; do
    uncovered_as "$operation" "$(drv "$operation -n 0 --what")" "operation"
done
several_reasons() {
    log "$(drv pool)" "$(drv pool)" "$(drv "conv $strided -b 1")" "$(drv "conv $strided -F 0")" "x"
    gives "$B" "$W" "$F" && summary 5 4 1 && sed 1d "$tmp/err" >"$tmp/reasons" || return 1
    printf 'kpred:   %s\n' "1 line: bias = 1 (it must be 0); first $tmp/log:3" \
        "2 lines: another operation than a convolution; first $tmp/log:1" | diff - "$tmp/reasons" &&
        sed '1!G;h;$!d' "$tmp/log" >"$tmp/other" && miopen "$tmp/other" &&
        sed '1d;s/; first .*//' "$tmp/err" >"$tmp/reversed" &&
        sed 's/; first .*//' "$tmp/reasons" | diff - "$tmp/reversed"
}
check "reasons are counted, in a fixed order" several_reasons

# ---- broken lines ----

# A broken line is left out and counted, by what is wrong: test_driver.c has each form.
broken_lines() {
    { printf 'MIOpenDriver conv -n 0\nMIOpenDriver conv -n 0 -c 3\nMIOpenDriver conv -n x\r\n'
      drv "conv $strided -F 1"; drv "conv -n"; drv "conv -c 16777217"; drv "conv really"; drv "conv -B 3"
      drv "conv -c 3 -k 32 -g 2"; drv "conv -c 32 -k 3 -g 2"; echo "MIOpenDriver conv -n 1 -y"; } >"$tmp/log"
    gives "$F" && sed 1d "$tmp/err" >"$tmp/reasons" || return 1
    printf 'kpred:   %s\n' "1 line: broken: \"really\": is no option; first $tmp/log:7" \
        "1 line: broken: \"-B\": is no option of MIOpenDriver; first $tmp/log:8" \
        "1 line: broken: -c: value \"16777217\": is no integer from 1 to 16777216; first $tmp/log:6" \
        "2 lines: broken: -g: value \"2\": does not divide the channels, 3 and 32; first $tmp/log:9" \
        "1 line: broken: -n: needs a value; first $tmp/log:5" \
        "3 lines: broken: -n: value \"0\": is no integer from 1 to 16777216; first $tmp/log:1" \
        "1 line: broken: -y: needs a value; first $tmp/log:11" | diff - "$tmp/reasons"
}
check "broken lines are left out and counted by reason" broken_lines
check "--lenient, which changes nothing" miopen --lenient "$tmp/log"
drv "conv -n 0" >"$tmp/log"
check "broken lines alone" refused 1 "^kpred: $tmp/log:1: -n: value \"0\": .*nothing to predict for" "$tmp/log"

# ---- logs without a driver line ----

no_calls() {
    refused 1 "^kpred: $1: no line calls MIOpenDriver.*MIOPEN_ENABLE_LOGGING_CMD=1" "$2" &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ]
}
echo noise >"$tmp/noise"
check "a log without a driver line" no_calls "$tmp/noise" "$tmp/noise"
check "an empty log" no_calls "standard input" - </dev/null
one_of_two() {
    miopen "$tmp/noise" "$tmp/both" && cmp "$tmp/out" "$tmp/wanted" &&
        grep -qx "kpred: $tmp/noise: no line calls MIOpenDriver" "$tmp/err"
}

# ---- entries ----

# same_as_predict SOLVER MODEL KEY BEAM FIELD=VALUE...: the tuple is the first that predict gives
same_as_predict() {
    solver=$1 model=$2 key=$3 beam=$4; shift 4
    tuple=$("$kpred" predict "$model" gpu=gfx906_60 "$@" --beam "$beam" --csv |
        sed -n '2s/^[^,]*,[^,]*,//p')
    miopen --beam "$beam" "$tmp/log" && [ "$tuple" ] &&
        grep -F "$key=" "$tmp/out" | tr '=' ';' | grep -qF ";$solver:$tuple" && return
    show 0
}
log "$(drv "conv $strided -F 0")" \
    "$(drv "convfp16 -n 32 -c 128 -H 28 -W 56 -k 64 -p 1 -q 1 -g 32 -F 4")"
fields="n=16 c=64 h=55 w=28 k=256 stride=2"
for beam in 1 10; do
    for dir in F B; do
        key=$F
        [ $dir = F ] || key=$B
        for model in conv_asm_1x1u:ConvAsm1x1U conv_ocl_direct_fwd_1x1:ConvOclDirectFwd1x1; do
            check "entry, ${model%:*}, $dir, beam $beam" same_as_predict "${model#*:}" \
                "${model%:*}" "${key%%=*}" $beam dir=$dir dtype=FP32 $fields
        done
    done
    check "entry, conv_asm_bwd_wrw_1x1, beam $beam" same_as_predict ConvAsmBwdWrW1x1 \
        conv_asm_bwd_wrw_1x1 "${W%%=*}" $beam dir=W dtype=FP32 $fields
    check "entry, conv_asm_bwd_wrw_3x3, beam $beam" same_as_predict ConvAsmBwdWrW3x3 \
        conv_asm_bwd_wrw_3x3 64-28-56-3x3-128-28-56-32-1x1-1x1-1x1-0-NCHW-FP16-W_g32 $beam dir=W \
        dtype=FP16 n=32 c=128 h=28 w=56 k=64 stride=1 groups=32
done
default_beam() {
    miopen "$tmp/both" && cmp "$tmp/out" "$tmp/wanted" && miopen --beam 1 "$tmp/both" &&
        cmp "$tmp/out" "$tmp/wanted" && miopen --beam 100 "$tmp/both" &&
        ! cmp -s "$tmp/out" "$tmp/wanted" && sed 's/:[^;]*//g' "$tmp/out" >"$tmp/hundred" &&
        sed 's/:[^;]*//g' "$tmp/wanted" | cmp - "$tmp/hundred"
}
check "--beam" default_beam

# ---- GPUs ----

gpus() { "$kpred" miopen --gpu "$@" tests/fixtures/resnet50.log >"$tmp/out" 2>"$tmp/err"; }
bare_gpu() {
    gpus gfx906_60 && cp "$tmp/out" "$tmp/exact" && gpus gfx906 && cmp "$tmp/out" "$tmp/exact" &&
        gpus gfx900 && ! cmp -s "$tmp/out" "$tmp/exact"
}
check "a GPU without its units" bare_gpu
# other_gpu GPU TEXT
other_gpu() {
    gpus "$1"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && grep -qE -e "$2" "$tmp/err" && return
    show 1
}
for other in gfx908_120 gfx906_64; do
    check "a GPU that no model knows: $other" other_gpu $other "gfx900_56 gfx906_60,.* --nearest"
done
check "a GPU on which no kernel runs" other_gpu gfx1030 \
    "gfx1030.*no kernel.* runs there.* gfx900 gfx906 gfx908 gfx90a\$"
nowhere() {
    gpus gfx1100 --nearest
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && grep -q "no kernel.* runs there" "$tmp/err" && return
    show 1
}
check "--nearest on which no kernel runs" nowhere
nearest() {
    gpus gfx906_64 --nearest && cmp "$tmp/out" "$tmp/exact" && grep -q gfx906_60 "$tmp/err"
}
check "--nearest" nearest
nearest_of_its_own() {
    gpus gfx906_60 && sed 's/x/x/' "$tmp/err" >"$tmp/said" && gpus gfx906_60 --nearest &&
        cmp "$tmp/out" "$tmp/exact" && cmp "$tmp/err" "$tmp/said"
}
check "--nearest with a GPU that is known" nearest_of_its_own
no_gpu() {
    gpus "$1"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && return
    show 1
}
for other in sm_80 gfx; do
    check "no GPU: \"$other\"" no_gpu "$other"
done
no_such_gpu() { gpus sm_80 --nearest && return 1; [ $? -eq 1 ]; }
check "--nearest of no GPU" no_such_gpu

# ---- the command line ----

check "--beam 0" refused 2 '--beam' --beam 0 "$tmp/both"
check "--beam 1025" refused 2 '--beam' --beam 1025 "$tmp/both"
check "--beam x" refused 2 '--beam' --beam x "$tmp/both"
check "--force without -o" refused 2 '--force' --force "$tmp/both"
check "unknown option" refused 2 'unknown option "--no"' --no "$tmp/both"
check "kpred has no --sqlite" refused 2 'unknown option "--sqlite"' --sqlite x "$tmp/both"
check "-o without a file" refused 2 '-o' "$tmp/both" -o
without_gpu() {
    "$kpred" miopen "$tmp/both" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q -e '--gpu' "$tmp/err"
}
check "no --gpu" without_gpu
helps() {
    "$1" miopen --help >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] || return 1
    for option in --gpu --nearest --beam --lenient --force -o LOG; do
        grep -q -e "$option" "$tmp/out" || return 1
    done
    [ -z "$(awk 'length > 100' "$tmp/out")" ]
}
check "--help" helps "$kpred"

# ---- an output file ----

mkdir "$tmp/dir"
user=$tmp/dir/user.txt

# merge CONTENT [OPTION...]: the file before, and a run over both logs with its name
merge() {
    printf '%b' "$1" >"$user"; shift
    miopen -o "$user" "$@" "$tmp/both" && [ ! -s "$tmp/out" ] &&
        [ "$(ls "$tmp/dir")" = user.txt ] && return
    show $?
}

# becomes NAME EXPECTED CONTENT [OPTION...]
becomes() {
    wanted=$1; shift
    merge "$@" && cmp "$user" "$wanted"
}

new_file() {
    miopen -o "$user" "$tmp/both" && [ ! -s "$tmp/out" ] && cmp "$user" "$tmp/wanted" &&
        summary_only && return
    show $?
}
summary_only() { ! grep -q ' kept' "$tmp/err"; }
check "-o, a new file" new_file
again() {
    miopen -o "$user" "$tmp/both" && cmp "$user" "$tmp/wanted" &&
        grep -qE "^kpred: $user: 0 entries added, 0 replaced, [1-9][0-9]* kept" "$tmp/err"
}
check "-o, again" again
check "-o, again with --force" sh -c '"$1" miopen --gpu gfx906_60 -o "$2" --force "$3" 2>"$4" &&
    cmp "$2" "$5"' sh "$kpred" "$user" "$tmp/both" "$tmp/err" "$tmp/wanted"
check "-o, an empty file" becomes "$tmp/wanted" ""

key=$(sed -n '/=ConvAsm1x1U:[^;]*;/s/=.*//p' "$tmp/wanted" | sed -n 3p) # it has two solvers
asm=$(sed -n "s/^$key=\(ConvAsm1x1U:[^;]*\);.*/\1/p" "$tmp/wanted")
ocl=$(sed -n "s/^$key=.*;\(ConvOcl[^;]*\)/\1/p" "$tmp/wanted")
mine=ConvAsm1x1U:1,1,1,1,1,1,1,1
# with_entries SOLVER...: the output with these entries of the key
with_entries() { sed "s/^$key=.*/$key=$1/" "$tmp/wanted" >"$tmp/merged"; }
with_entries "$mine;$ocl"
check "-o keeps an entry of the user" becomes "$tmp/merged" "$key=$mine\n"
check "-o reports it" grep -qE "^kpred: $user: [0-9]+ entries added, 0 replaced, 1 kept" "$tmp/err"
check "-o --force replaces it" becomes "$tmp/wanted" "$key=$mine\n" --force
check "-o --force reports it" grep -qE "added, 1 replaced, 0 kept" "$tmp/err"
check "-o --force, CRLF" becomes "$tmp/wanted" "$key=$mine\r\n" --force

# the other solvers' entries stay, whatever the order of all
others_stay() {
    merge "$key=ConvBinWinogradRxSf2x3:7;$mine;Zed<1>:a b,\n" "$@" || return 1
    sed -n "s/^$key=//p" "$user" | tr ';' '\n' | sort >"$tmp/entries"
    printf '%s\n' ConvBinWinogradRxSf2x3:7 'Zed<1>:a b,' "$expected_asm" "$ocl" | sort |
        cmp - "$tmp/entries"
}
expected_asm=$mine
check "-o keeps entries of other solvers" others_stay
expected_asm=$asm
check "-o --force keeps entries of other solvers" others_stay --force

foreign="1-1-1-3x3-2-3-3-128-0x0-1x1-1x1-0-NCHW-FP32-B=ConvX:1,2\n"
nhwc="1-9-9-1x1-6-9-9-8-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F=ConvX:1;ConvY:kernel<1, 2>\n"
{ cat "$tmp/wanted"; printf '%b' "$foreign$nhwc"; } | sort >"$tmp/merged"
check "-o keeps foreign keys" becomes "$tmp/merged" "$nhwc$foreign"
check "-o --force keeps foreign keys" becomes "$tmp/merged" "$nhwc$foreign" --force
check "-o, no newline at the end" becomes "$tmp/merged" "$nhwc${foreign%??}"
check "-o, CRLF" becomes "$tmp/merged" "${nhwc%??}\r\n${foreign%??}\r\n"
check "-o, empty lines" becomes "$tmp/merged" "\n$nhwc\n\r\n$foreign\n"

{ cat "$tmp/wanted"; echo "1-1-1-3x3-2-3-3-128-0x0-1x1-1x1-0-NCHW-FP32-B=ConvX:1,2;ConvY:3"; } |
    sort >"$tmp/merged"
check "-o joins lines with the same key, the first entry counts" becomes "$tmp/merged" \
    "$foreign${foreign%%=*}=ConvY:3;ConvX:9\n"

good=$foreign
{ { cat "$tmp/wanted"; printf '%b' "$good"; } | sort; printf '%s\n' "no equals" "=NoKey:1" \
    "1-2-3=no colon"; } >"$tmp/merged"
check "-o keeps broken lines, at the end" becomes "$tmp/merged" \
    "no equals\n$good=NoKey:1\n1-2-3=no colon\n"
broken_are_named() {
    for line in 1 3 4; do
        grep -q "^kpred: $user:$line: " "$tmp/err" || show 0 || return 1
    done
    [ "$(grep -c "^kpred: $user:[0-9]" "$tmp/err")" -eq 3 ]
}
check "-o names broken lines" broken_are_named
many_broken_kept() {
    i=0
    { printf '%b' "$good"; while [ $i -lt 14 ]; do echo "broken $i"; i=$((i + 1)); done; } >"$user"
    miopen -o "$user" "$tmp/both" && [ "$(grep -c "^kpred: $user:[0-9]" "$tmp/err")" -eq 10 ] &&
        grep -q '4 more' "$tmp/err" && [ "$(tail -n 14 "$user" | grep -c '^broken')" -eq 14 ]
}
check "-o names ten broken lines, and counts the others" many_broken_kept
twice() {
    merge "no equals\n$good" && cp "$user" "$tmp/once" && miopen -o "$user" "$tmp/both" &&
        cmp "$user" "$tmp/once"
}
check "-o twice is as good as once" twice
in_steps() {
    rm -f "$user"
    miopen -o "$user" tests/fixtures/resnet50.log && miopen -o "$user" tests/fixtures/mobilenet.log &&
        cmp "$user" "$tmp/wanted"
}
check "-o, log after log" in_steps
nothing_new() {
    drv pool >"$tmp/log"
    printf '%b' "$foreign" >"$user" && miopen -o "$user" "$tmp/log" &&
        [ "$(cat "$user")" = "${foreign%??}" ]
}
check "-o, nothing to add" nothing_new

# ---- a file that others write, too ----

# one_log N: a driver line of its own
one_log() { drv "conv -n $1 -c 64 -H 28 -W 28 -k 64 -y 1 -x 1 -F 1"; }

# The pipe opens when the program has looked at the file and begins to read the log.
written_meanwhile() {
    printf '%b' "$good" >"$user" && rm -f "$tmp/fifo" && mkfifo "$tmp/fifo" || return 1
    miopen -o "$user" "$tmp/fifo" &
    { printf '%b' "$nhwc" >>"$user"; one_log 1; } >"$tmp/fifo"
    wait $! && grep -q "ConvX:1,2" "$user" && grep -q "ConvY:kernel" "$user" &&
        grep -q ConvAsm1x1U "$user" && return
    show $?
}
check "-o, what is written during the run" written_meanwhile

# hundred CONTENT: runs at a time, each with a problem of its own; all are there afterwards
hundred() {
    rm -f "$user"
    [ -z "$1" ] || printf '%b' "$1" >"$user"
    seq 100 | while read -r n; do
        one_log "$n" | "$kpred" $gpu -o "$user" 2>"$tmp/err" || echo "status $?" &
    done | cat # which waits for all
    sed -n 's/^64-28-28-1x1-64-28-28-\([0-9]*\)-.*ConvAsm1x1U.*/\1/p' "$user" | sort -n >"$tmp/got"
    seq 100 | cmp - "$tmp/got" && [ "$(ls -A "$tmp/dir")" = user.txt ] || return 1
    [ -z "$1" ] || grep -q ConvX:1,2 "$user"
}
check "-o, a hundred at a time, a new file" hundred ""
check "-o, a hundred at a time" hundred "$good"
keeps_link() {
    printf '%b' "$good" >"$tmp/target.txt" && rm -f "$user" && ln -s ../target.txt "$user" &&
        miopen -o "$user" "$tmp/both" && [ -L "$user" ] && grep -q ConvX "$tmp/target.txt" &&
        grep -q ConvAsm1x1U "$tmp/target.txt" && rm -f "$tmp/target.txt" &&
        miopen -o "$user" "$tmp/both" && [ -L "$user" ] && cmp "$tmp/target.txt" "$tmp/wanted" &&
        rm -f "$user" && return
    show $?
}
check "-o, a link to a file that is there, and to one that is not" keeps_link
{ cat "$tmp/wanted"; printf '%b' "$foreign$nhwc"; } | sort >"$tmp/merged"
check "-o, a byte order mark" becomes "$tmp/merged" "\\0357\\0273\\0277$nhwc$foreign"
bom_log() {
    { printf '\357\273\277'; sed 's/.*MIOpenDriver/MIOpenDriver/' "$tmp/both"; } >"$tmp/log" &&
        miopen "$tmp/log" && cmp "$tmp/out" "$tmp/wanted" && miopen - <"$tmp/log" &&
        cmp "$tmp/out" "$tmp/wanted"
}
check "a log with a byte order mark" bom_log
check "a log without a driver line, beside others" one_of_two

# ---- entries that the rules call illegal ----

# 9 is no value; c_mult = 4 is too much with k_mult = 16; the kernel has no stride 2, whatever its values
illegal() {
    rm -f "$user" && log "$(drv "conv $strided -F 1")"
    miopen --beam 1 "$tmp/log" && entry=$(sed 's/.*\(ConvAsm1x1U:[^;]*\).*/\1/' "$tmp/out") &&
        wide=$(sed 's/=.*//; s/-16-0x0/-17-0x0/' "$tmp/out") || return 1
    printf '%s\n' "${F%%=*}=ConvAsm1x1U:9,9,9,9,9,9,9,9" "$wide=Other:9,9;$entry" \
        "64-28-28-1x1-60-28-28-1-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1,16,1,16,1,4,1,1;ConvAsm1x1U:1,2" \
        "64-14-14-3x3-64-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-W=ConvAsmBwdWrW3x3:0,0,8,4,1,1" >"$user"
    cp "$user" "$tmp/old" && miopen -o "$user" "$tmp/log" && grep "^kpred: $user:[0-9]" "$tmp/err" >"$tmp/told"
    end=": the entry is kept as it is"
    printf "kpred: $user:%s$end\n" "1: ConvAsm1x1U:9,9,9,9,9,9,9,9: read_size = 9 is none of 1 2 3 4" \
        "3: ConvAsm1x1U:1,16,1,16,1,4,1,1: c_mult = 4 is not legal with the values before it" \
        "4: ConvAsmBwdWrW3x3:0,0,8,4,1,1: the kernel does not apply: stride = 2 (it must be 1)" |
        diff - "$tmp/told" && grep -q "ConvAsm1x1U:9,9,9,9,9,9,9,9;" "$user" || return 1
    cp "$tmp/old" "$user" && miopen --force -o "$user" "$tmp/log" && grep -c "^kpred: $user:[0-9]" "$tmp/err" | grep -qx 2
}
check "-o names entries that are not legal, but for those that --force replaces" illegal

# ---- --system: what MIOpen's own database has stays out ----

# system_leaves SYSTEM-LINE OUTPUT N: of one problem's two entries, with N left out
system_key=64-56-56-1x1-256-56-56-16-0x0-1x1-1x1-0-NCHW-FP32-F
system_leaves() {
    log "$(drv 'conv -n 16 -c 64 -H 56 -W 56 -k 256 -y 1 -x 1 -F 1')"
    printf '%s\n' "$1" >"$tmp/system.txt"
    miopen --system "$tmp/system.txt" "$tmp/log" || { show $?; return 1; }
    [ "$(sed 's/:[^;]*//g' "$tmp/out")" = "$2" ] && grep -qF "has $3 of the entries" "$tmp/err" &&
        return
    show 0
}
check "--system, one solver" system_leaves "$system_key=ConvOclDirectFwd1x1:1;Other:2" \
    "$system_key=ConvAsm1x1U" 1
check "--system, both solvers" system_leaves \
    "$system_key=ConvAsm1x1U:4,16,4,16,2,1,1,1;ConvOclDirectFwd1x1:1" "" 2
check "--system, another problem" system_leaves \
    "$(echo "$system_key" | sed 's/-16-0x0/-17-0x0/')=ConvAsm1x1U:1;ConvOclDirectFwd1x1:1" \
    "$system_key=ConvAsm1x1U;ConvOclDirectFwd1x1" 0
system_missing() {
    miopen --system "$tmp/none.txt" "$tmp/log"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && grep -q 'none.txt: cannot open' "$tmp/err"
}
check "--system, no such file" system_missing

# ---- files that stay as they are ----

# stays STATUS PATTERN OPTION...: $user does, byte for byte, and nothing else is in its folder
stays() {
    cp "$user" "$tmp/before" && files=$(ls -A "$tmp/dir")
    refused "$@" && cmp "$user" "$tmp/before" && [ "$(ls -A "$tmp/dir")" = "$files" ] && return
    show $?
}
printf '%b' "$foreign" >"$user"
drv "conv -n 0" >"$tmp/log"
check "a broken log leaves the file alone" stays 1 "$tmp/log:1: " -o "$user" "$tmp/log"
check "so does a log that is not there" stays 1 "$tmp/no" -o "$user" "$tmp/both" "$tmp/no"
unknown_gpu() {
    cp "$user" "$tmp/before"
    gpus gfx1030 -o "$user"
    [ $? -eq 1 ] && cmp "$user" "$tmp/before" && [ "$(ls -A "$tmp/dir")" = user.txt ]
}
check "so does an unknown GPU" unknown_gpu
check "so does a wrong command line" stays 2 beam --beam 0 -o "$user" "$tmp/both"
printf '%b\0%b' "$foreign" "$foreign" >"$user"
check "a file with a NUL byte" stays 1 "$user: .*NUL" -o "$user" "$tmp/both"
check "a file with a NUL byte, --force" stays 1 "$user: .*NUL" -o "$user" --force "$tmp/both"
printf 'some text\nand more\n' >"$user"
check "a file of other text" stays 1 "$user" -o "$user" "$tmp/both"
cp "$kpred" "$user"
check "a program" stays 1 "$user" -o "$user" "$tmp/both"
head -c 5000 /dev/urandom >"$user"
check "noise" stays 1 "$user" -o "$user" --force "$tmp/both"
cp tests/fixtures/tiny.csv "$user"
check "a CSV file" stays 1 "$user" -o "$user" "$tmp/both"
mkdir "$tmp/dir/folder"
check "a directory" stays 1 "$tmp/dir/folder" -o "$tmp/dir/folder" "$tmp/both"
check "a folder that is not there" stays 1 "$tmp/dir/no/x.txt" -o "$tmp/dir/no/x.txt" "$tmp/both"
check "an empty name" stays 2 "-o" -o "" "$tmp/both"
if [ -w /dev/full ]; then
    full() {
        "$kpred" $gpu "$tmp/both" >/dev/full 2>"$tmp/err"
        [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err" && return
        show $?
    }
    check "standard output on a full disk" full
    check "-o on a full disk" refused 1 "/dev/full: cannot write" -o /dev/full "$tmp/both"
    check "-o leaves a device a device" test -c /dev/full
else
    skipped "full disk" "there is no /dev/full"
fi
printf '%b' "$foreign" >"$user"
small_disk() {
    cp "$user" "$tmp/before"
    (trap '' XFSZ; ulimit -f 1; "$kpred" $gpu -o "$user" "$tmp/both") >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && cmp "$user" "$tmp/before" && [ -z "$(find "$tmp/dir" -name '.*' -type f)" ]
}
check "a disk that runs full" small_disk
if [ "$(id -u)" -eq 0 ]; then
    skipped "a folder that is read-only" "root may write all"
    skipped "a file that may not be read" "root may read all"
else
    read_only() {
        chmod a-w "$tmp/dir"
        stays 1 "$user" -o "$user" "$tmp/both"
        status=$?
        chmod u+w "$tmp/dir"
        return $status
    }
    check "a folder that is read-only" read_only
    secret() {
        chmod 0 "$user"
        refused 1 "$user: .*denied" -o "$user" "$tmp/both"
        status=$?
        chmod 644 "$user"
        return $status
    }
    check "a file that may not be read" secret
fi
keeps_mode() {
    printf '%b' "$foreign" >"$user" && chmod 640 "$user" && miopen -o "$user" "$tmp/both" &&
        [ "$(find "$user" -perm 640)" ]
}
check "-o keeps the permissions" keeps_mode
reads_and_writes() { # the log is the output: what it holds is no perf-db
    cp "$tmp/both" "$user"
    stays 1 "$user" -o "$user" "$user"
}
check "the log for the output" reads_and_writes

# ---- kpred-train: the same, and read back ----

if [ ! -x "$trainer" ]; then
    skipped "kpred-train miopen" "it is not built"
    skipped "the output as data" "kpred-train is not built"
else
    check "kpred-train miopen" same "$trainer" $gpu "$tmp/both"
    check "kpred-train miopen --help" helps "$trainer"
    check "kpred-train miopen --help has --sqlite" sh -c \
        '"$1" miopen --help | grep -q -e --sqlite' sh "$trainer"
fi

# Problems and tuples of the output, as ingest reads them back and as they stand in it: a spec's
# rows are its solver's entries, the key turned to the user's view.
read_back() {
    miopen "$tmp/all" && cp "$tmp/out" "$tmp/all.txt" || show $? || return 1
    solver=$(sed -n 's/^solver *= *//p' "weights/$1.spec")
    groups=$(grep -c '^groups' "weights/$1.spec")
    tr '=' ';' <"$tmp/all.txt" | awk -F';' -v solver="$solver" '{ for (i = 2; i <= NF; i++) {
        split($i, e, ":"); if (e[1] == solver) print $1 ";" e[2] } }' |
        sed 's/x\([0-9]\)/-\1/g;s/_g/-/' | tr ';' '-' | awk -F- -v groups="$groups" '{
        f = $19 == "F"; g = NF > 20 ? $20 : 1
        print "gfx906_60," $19 "," $18 "," $9 "," (f ? $1 : $6) "," (f ? $2 : $7) "," \
            (f ? $3 : $8) "," (f ? $6 : $1) "," $12 (groups ? "," g : "") "," $NF }' |
        sort >"$tmp/expected"
    "$trainer" ingest "weights/$1.spec" --data "$tmp/all.txt" --gpu gfx906_60 >"$tmp/rows" ||
        return 1
    sed 1d "$tmp/rows" | sort | cmp - "$tmp/expected" && [ "$(wc -l <"$tmp/rows")" -gt 3 ]
}
if [ -x "$trainer" ]; then
    for kernel in $judged; do
        check "the output as data, $kernel" read_back "$kernel"
    done
fi

# ---- all models ----

# of SPEC NAME: the values of a line of the spec
of() {
    sed -n "s/^$2 *= *//p" "$1"
}

# count_fields SPEC
count_fields() {
    awk '/^\[/ { inside = $0 == "[fields]" } inside && /=/ { n++ } END { print n }' "$1"
}

# runs_on SPEC GPU: by the spec's list of architectures
runs_on() {
    for arch in $(of "$1" runs_on); do
        case $2 in "$arch"*) return 0 ;; esac
    done
    return 1
}

# silent SPEC GPU: no entry of its solver is written, and predict refuses
silent() {
    "$BUILD/kpred" miopen --gpu "$2" tests/fixtures/resnet50.log "$tmp/log" >"$tmp/all.txt" \
        2>"$tmp/err" && ! grep -q "$(of "$1" solver):" "$tmp/all.txt" &&
        ! "$BUILD/kpred" predict "$(basename "$1" .spec)" gpu="$2" 2>"$tmp/err" &&
        grep -q "gpu: value \"$2\": .* runs on " "$tmp/err"
}

# fields_of N HEADING ROW: FIELD=VALUE of the first N columns
fields_of() {
    echo "$2" | awk -F, -v n="$1" -v row="$3" '{ split(row, v, ",")
        for (i = 1; i <= n; i++) printf "%s=%s ", $i, v[i] }'
}

# answers SPEC GPU: every entry of its solver, read back, is what predict says of that problem
answers() {
    model=$(basename "$1" .spec) n_fields=$(count_fields "$1")
    "$BUILD/kpred" miopen --gpu "$2" tests/fixtures/resnet50.log "$tmp/log" >"$tmp/all.txt" \
        2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    "$BUILD/kpred-train" ingest "$1" --data "$tmp/all.txt" --gpu "$2" >"$tmp/rows" || return 1
    heading=$(sed 1q "$tmp/rows")
    sed 1d "$tmp/rows" | head -n 8 >"$tmp/some"
    [ -s "$tmp/some" ] || { echo "no entry of $(of "$1" solver)"; return 1; }
    while IFS= read -r row; do
        fields=$(fields_of "$n_fields" "$heading" "$row")
        # shellcheck disable=SC2086
        tuple=$("$BUILD/kpred" predict "$model" $fields --csv | sed -n '2s/^[^,]*,[^,]*,//p')
        [ "$(echo "$row" | cut -d, -f$((n_fields + 1))-)" = "$tuple" ] ||
            { echo "$fields: $row: predict says $tuple"; return 1; }
    done <"$tmp/some"
}
log "$(drv "conv -n 16 -c 64 -H 28 -W 28 -k 128 -y 3 -x 3 -p 1 -q 1 -F 0")" \
    "$(drv "conv -n 16 -c 64 -H 28 -W 28 -k 128 -y 1 -x 1 -F 0")" \
    "$(drv "convfp16 -n 16 -c 64 -H 28 -W 28 -k 128 -y 1 -x 1 -F 0")"
if [ -x "$BUILD/kpred-train" ]; then
    for spec in $(perf_specs); do
        for device in $(of "$spec" gpu); do
            name="all models, $(basename "$spec" .spec), $device"
            if runs_on "$spec" "$device"; then
                check "$name" answers "$spec" "$device"
            else
                check "$name, where it does not run" silent "$spec" "$device"
            fi
        done
    done
fi

# The solvers with an entry for a GPU are those whose spec says that they run there, and each GPU that
# is taken for it is named with them.
nearest_of_all() {
    "$BUILD/kpred" miopen --gpu "$1" --nearest tests/fixtures/resnet50.log "$tmp/log" >"$tmp/all.txt" \
        2>"$tmp/err" || return 1
    sed 's/^[^=]*=//' "$tmp/all.txt" | tr ';' '\n' | sed 's/:.*//' | sort -u >"$tmp/solvers"
    for spec in $(perf_specs); do
        ! runs_on "$spec" "$1" || of "$spec" solver
    done | sort -u >"$tmp/run_there"
    sed -n 's/.*nearest trained GPU, [^,]*, for //p' "$tmp/err" | sed 's/, /\n/g' | sort >"$tmp/told"
    [ -s "$tmp/solvers" ] && [ "$(comm -23 "$tmp/solvers" "$tmp/run_there")" = "" ] &&
        diff "$tmp/run_there" "$tmp/told"
}
for device in gfx908 gfx90a gfx1030_72; do
    check "--nearest of all models, $device" nearest_of_all $device
done
all_gpus() {
    "$BUILD/kpred" miopen --gpu "$1" "$tmp/log" 2>"$tmp/err" && return 1
    for device in $(for spec in $(perf_specs); do of "$spec" gpu; done); do
        grep -q " $device" "$tmp/err" || return 1
    done
}
for device in gfx90a gfx1030_72; do
    check "a GPU that no model knows: the GPUs of all, $device" all_gpus $device
done

# The kernels without a model for the GPU hide no reason of those that have one.
true_reasons() {
    wide="-n 16 -c 64 -H 56 -W 56 -k 256"
    nhwc="-I NHWC -f NHWC -O NHWC"
    log "$(drv "conv $wide -F 1")" "$(drv "conv $wide $nhwc -F 1")" "$(drv "convbfp16 $wide -F 1")" \
        "$(drv "convbfp16 $wide -F 2")" "$(drv "conv $wide -l 2 -F 1")" \
        "$(drv "conv -c 64 -k 255 -l 2 -F 4")" "$(drv "conv -c 64 -k 257 -l 2 -F 4")" \
        "$(drv "conv -n 1 -c 16 -k 16 -y 1 -x 1 -H 16777216 -W 1 -p 1 -F 4")"
    "$BUILD/kpred" miopen --gpu "$1" "$tmp/log" 2>"$tmp/err" >"$tmp/out" || return 1
    shift
    printf 'kpred:   %s\n' "$@" >"$tmp/expected"
    sed "1d;/ trained on$/d;s|$tmp/||" "$tmp/err" | diff "$tmp/expected" -
}
f2x3=ConvBinWinogradRxSf2x3
check "true reasons, gfx906" true_reasons gfx906 \
    "1 line: $f2x3: dil_h = 2 (it must be 1); first log:5" \
    "1 line: layout = NHWC (it must be NCHW); first log:2" \
    "2 lines: dtype = BF16 (it must be FP32 or FP16); first log:3" \
    "2 lines: ConvHipImplicitGemmV4R1WrW: k / groups = 255 (it must be a multiple of 16); first log:6" \
    "1 line: $f2x3: out_h = 16777218 (it must be 1 to 16777216); first log:8"
check "true reasons, gfx942" true_reasons gfx942 \
    "2 lines: dtype = BF16 (it must be FP32 or FP16); first log:3" \
    "1 line: ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC: out_h = 16777218 (it must be 1 to 16777216); first log:8"

# winograd SOLVERS OPTIONS: of the Winograd kernels the entry has these
winograd() {
    drv "conv -c 64 -H 56 -W 56 -k 64 -p 1 -q 1 $2" >"$tmp/log"
    "$BUILD/kpred" miopen --gpu gfx942 "$tmp/log" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(grep -o 'WinogradRxSf[^:]*' "$tmp/out" | tr '\n' ' ')" = "$1" ] && return
    show 0
}
both="WinogradRxSf2x3 WinogradRxSf3x2 "
check "Winograd: stride 2" winograd "$both" "-n 16 -u 2 -v 2 -F 1"
check "Winograd: not stride 3" winograd "" "-n 16 -u 3 -v 3 -F 1"
check "Winograd: not two strides" winograd "" "-n 16 -u 1 -v 2 -F 2"
check "Winograd: not stride 2, backward weights" winograd "" "-n 16 -u 2 -v 2 -F 4"
check "Winograd: 65535 images" winograd "$both" "-n 65535 -F 1"
check "Winograd: not 65536 images" winograd "" "-n 65536 -F 1"

# An image of more than 2^24, which a pad may make, has no key that can be read again.
# large H COVERED OPTION: of `--pad 1` around an image of that height, backward weights
large() {
    rm -f "$tmp/large"
    drv "conv -n 1 -c 32 -k 32 -y 1 -x 1 -H $1 -W 1 -p 1 -F 4" >"$tmp/log"
    "$BUILD/kpred-train" miopen --gpu gfx906_60 "$3" "$tmp/large" "$tmp/log" >"$tmp/out" 2>"$tmp/err" &&
        grep -qF ": $2 covered, $((1 - $2)) not; $2 problem" "$tmp/err" || return 1
    [ "$2" = 1 ] || grep -qF "out_h = 16777218 (it must be 1 to 16777216)" "$tmp/err"
}
large_as_data() {
    large "$@" && mv "$tmp/large" "$tmp/large.txt" &&
        "$BUILD/kpred-train" ingest weights/conv_hip_igemm_v4r1_wrw.spec --gpu gfx906_60 \
            --data "$tmp/large.txt" | grep -q "^gfx906_60,W,FP32,NCHW,1,32,$1,1,32,"
}
if [ -x "$BUILD/kpred-train" ]; then
    check "the largest image" large_as_data 16777214 1 -o
    check "the largest image, --sqlite" large 16777214 1 --sqlite
    check "an image beyond the largest" large 16777216 0 -o
    check "an image beyond the largest, --sqlite" large 16777216 0 --sqlite
fi

# ---- SQLite ----

sql() { python3 tests/miopen/sql.py run "$@"; }
same_rows() { python3 tests/miopen/same_rows.py "$@"; }

db=$tmp/dir/gfx906_60.db
sqlite() { "$trainer" $gpu --sqlite "$db" "$@" >"$tmp/out" 2>"$tmp/err"; }
new_db() {
    rm -f "$db"
    sqlite "$tmp/both" && [ ! -s "$tmp/out" ] && same_rows "$db" "$tmp/wanted" && return
    show $?
}
again_db() {
    cp "$db" "$tmp/before" && sqlite "$tmp/both" && same_rows "$db" "$tmp/wanted" &&
        grep -qE "0 entries added, 0 replaced, [1-9][0-9]* kept" "$tmp/err" && return
    show $?
}
# change COLUMN-TEXT: of ConvAsm1x1U's first row
change_first() {
    sql "$db" "update perf_db set params = '$1' where id = (select min(id) from perf_db
        where solver = 'ConvAsm1x1U')"
}
keeps_entry() {
    change_first 9,9,9 && sqlite "$tmp/both" &&
        [ "$(sql "$db" "select count(*) from perf_db where params = '9,9,9'")" = 1 ]
}
replaces_entry() {
    sqlite --force "$tmp/both" && same_rows "$db" "$tmp/wanted" &&
        grep -qE "[1-9][0-9]* replaced, 0 kept" "$tmp/err"
}
keeps_others() { # a solver and a key of the user's
    sql "$db" "insert into perf_db(solver, config, params) values ('ConvX', 1, 'a,b')" \
        "create table notes (x)" "insert into notes values (7)" && sqlite --force "$tmp/both" &&
        [ "$(sql "$db" "select params from perf_db where solver = 'ConvX'")" = a,b ] &&
        [ "$(sql "$db" 'select x from notes')" = 7 ]
}
in_steps_db() {
    rm -f "$db"
    sqlite tests/fixtures/mobilenet.log && sqlite tests/fixtures/resnet50.log &&
        same_rows "$db" "$tmp/wanted"
}
# What is no perf-db of SQLite stays, byte for byte.
stays_db() {
    cp "$db" "$tmp/before" && files=$(ls -A "$tmp/dir")
    sqlite "$@"
    [ $? -eq 1 ] && [ ! -s "$tmp/out" ] && cmp "$db" "$tmp/before" &&
        [ "$(ls -A "$tmp/dir")" = "$files" ] && grep -q '^kpred' "$tmp/err" && return
    show $?
}
no_database() { echo "no database" >"$db" && stays_db "$tmp/both"; }
text_db() { cp "$tmp/wanted" "$db" && stays_db "$tmp/both"; }
other_tables() {
    rm -f "$db" && sql "$db" "create table t (a, b)" "insert into t values (1, 2)" &&
        stays_db "$tmp/both"
}
other_columns() {
    rm -f "$db" && sql "$db" "create table config (id integer primary key, layout text)" \
        "create table perf_db (id integer primary key, solver text)" && stays_db "$tmp/both"
}
cut_db() {
    rm -f "$db" && sqlite tests/fixtures/resnet50.log && head -c 9000 "$db" >"$tmp/cut" &&
        cp "$tmp/cut" "$db" && stays_db "$tmp/both"
}
illegal_db() { # an entry that the rule calls illegal stays, and is told with its row
    rm -f "$db" && sqlite tests/fixtures/resnet50.log &&
        sql "$db" "update perf_db set params = '9,9,9,9,9,9,9,9' where id in
            (select min(id) from perf_db where solver = 'ConvAsm1x1U')" &&
        row=$(sql "$db" "select id from perf_db where params = '9,9,9,9,9,9,9,9'") &&
        sqlite tests/fixtures/resnet50.log && grep -q "^kpred-train: $db: perf_db row $row: \
ConvAsm1x1U:9,9,9,9,9,9,9,9: read_size = 9 is none of 1 2 3 4: the entry is kept as it is$" "$tmp/err" &&
        [ "$(grep -c "perf_db row" "$tmp/err")" -eq 1 ] && sqlite --force tests/fixtures/resnet50.log &&
        ! grep "perf_db row" "$tmp/err"
}
locked_db() { # another process writes: the error says so, and does not take for ever
    rm -f "$db" && sqlite tests/fixtures/mobilenet.log && cp "$db" "$tmp/before" || return 1
    python3 tests/miopen/sql.py locked "$db" "$trainer" $gpu --sqlite "$db" "$tmp/both" \
        >"$tmp/out" 2>"$tmp/err" && cmp "$db" "$tmp/before" && grep -q locked "$tmp/err" && return
    show $?
}
both_outputs() {
    "$trainer" $gpu --sqlite "$tmp/x.db" -o "$tmp/x.txt" "$tmp/both" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -e "$tmp/x.db" ] && [ ! -e "$tmp/x.txt" ]
}
no_folder_db() {
    "$trainer" $gpu --sqlite "$tmp/no/x.db" "$tmp/both" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q "$tmp/no/x.db" "$tmp/err"
}
stays_new() { # a database that would be new is not made if the log is broken
    rm -f "$db"
    drv "conv -n 0" >"$tmp/log"
    sqlite "$tmp/log"
    [ $? -eq 1 ] && [ ! -e "$db" ]
}
# fails_db: a run that has no room for a database of all problems
fails_db() {
    (trap '' XFSZ; ulimit -f 16; "$trainer" $gpu --sqlite "$db" "$tmp/both") >"$tmp/fails.out" \
        2>"$tmp/fails"
    [ $? -eq 1 ] && grep -q "$db: SQLite: " "$tmp/fails"
}
full_new() { # what it made is removed
    rm -f "$db" && fails_db && [ -z "$(ls -A "$tmp/dir")" ]
}
full_old() { # what was there is as it was
    rm -f "$db" && one_log 1 | sqlite && cp "$db" "$tmp/before" && fails_db &&
        cmp "$db" "$tmp/before" && [ "$(ls -A "$tmp/dir")" = gfx906_60.db ]
}
beside_one_that_fails() { # what one run makes is not removed by another
    for n in 1 2 3 4 5 6 7 8 9 10; do
        rm -f "$db" "$tmp/failed"
        { fails_db && : >"$tmp/failed"; } &
        one_log $n | sqlite || show $? || return 1
        wait
        if [ ! -e "$tmp/failed" ] || [ "$(sql "$db" 'select batchsize from config')" != $n ]; then
            echo "run $n: $(cat "$tmp/fails")"
            return 1
        fi
    done
}
thirty_db() { # at a time
    rm -f "$db"
    seq 30 | while read -r n; do one_log "$n" | sqlite & done | cat
    [ "$(sql "$db" 'select count(distinct batchsize) from config')" = 30 ] &&
        [ "$(ls -A "$tmp/dir")" = gfx906_60.db ]
}
# Backward problems whose other image differs share a row; SQLite has no place for it.
shared_rows() {
    rm -f "$db"
    log "$(drv "conv -n 16 -c 64 -H 55 -W 55 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6")" \
        "$(drv "conv -n 16 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6")"
    miopen "$tmp/log" && cp "$tmp/out" "$tmp/shared" && [ "$(wc -l <"$tmp/shared")" -eq 4 ] &&
        sqlite "$tmp/log" && same_rows "$db" "$tmp/shared" && return
    show $?
}
ingest_db() {
    rm -f "$db"
    sqlite "$tmp/both" || return 1
    for kernel in $judged; do
        "$trainer" ingest "weights/$kernel.spec" --data "$db" >"$tmp/rows" || return 1
        [ "$(wc -l <"$tmp/rows")" -gt 1 ] || return 1
    done
}
sqlite_name() { echo "SQLite, $1"; }
if [ ! -x "$trainer" ]; then
    skipped "SQLite" "kpred-train is not built"
elif ! has python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
    skipped "SQLite" "there is no python3 with sqlite3"
else
    rm -rf "$tmp/dir" && mkdir "$tmp/dir"
    for test in new_db again_db keeps_entry replaces_entry keeps_others in_steps_db shared_rows \
        ingest_db no_database text_db other_tables other_columns cut_db illegal_db locked_db \
        both_outputs no_folder_db stays_new full_new full_old beside_one_that_fails thirty_db; do
        check "SQLite, $test" $test
    done
    check "SQLite, --force without an output" sh -c \
        '"$1" miopen --gpu gfx906 --force "$2" 2>/dev/null; test $? -eq 2' sh "$trainer" \
        "$tmp/both"
fi

# ---- speed and memory ----

# Long logs from the short ones: each driver line again and again, other lines between.
repeated() {
    awk -v n="$1" '{ line[NR] = $0 }
        END { for (i = 0; i < n; i++)
            print i % 3 == 2 ? "step " i ": loss 0.5, 12 ms" : line[i % NR + 1] }' "$tmp/all"
}
repeated 1000 >"$tmp/short.log"
repeated 100000 >"$tmp/long.log"

# measure NAME: seconds and KB into $tmp/NAME.took; the output has to be that of the short log
measure() {
    python3 tests/miopen/measure.py "$tmp/$1.log" "$tmp/$1.out" "$kpred" miopen --gpu gfx906 \
        >"$tmp/$1.took" && cmp "$tmp/$1.out" "$tmp/short.out"
}
longest() {
    repeated 1000000 >"$tmp/longest.log" && measure longest
    status=$?
    rm -f "$tmp/longest.log"
    return $status
}
# differ FIELD LIMIT A B: that of B's measures is less than LIMIT above A's
differ() {
    cat "$tmp/$3.took" "$tmp/$4.took" | awk -v f="$1" -v limit="$2" '{ v[NR] = $f }
        END { exit v[2] - v[1] >= limit }'
}
if has python3 && grep -q '^VmHWM' /proc/self/status 2>/dev/null; then
    check "1,000 lines" measure short
    check "100,000 lines give the same" measure long
    check "1,000,000 lines give the same" longest
    echo "    seconds, KB: $(cat "$tmp/short.took"); $(cat "$tmp/long.took"); $(cat \
        "$tmp/longest.took")"
    check "100,000 lines take less than 20 s" differ 1 20 short long
    check "1,000,000 lines take no more memory" differ 2 2048 long longest
else
    skipped "speed and memory" "needs python3 and /proc"
fi

# ---- the oracle ----

need python3 "the oracle"
if [ ! -r "$ORACLE" ]; then
    skipped "the oracle" "needs $ORACLE"
else
    test_program test_driver "$tmp/test_driver"
    # shellcheck disable=SC2046
    checks_of "the oracle" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$MIOPEN_DB" \
        $(for n in $networks; do echo "--log tests/fixtures/$n.log=tests/fixtures/$n.keys"; done) \
        --keys 2000 --key-printer "$tmp/test_driver" "$kpred"
fi

test_end
