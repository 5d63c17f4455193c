#!/bin/sh
# aiter.sh - kpred aiter: from logs of AITER and untuned lists to tuned tables
# SPDX-License-Identifier: MIT
#
# Runs aiter_oracle.py, too. AITER_CSV: the folder of AITER's tables, packed.
. tests/harness/script.inc

test_begin
AITER_CSV=${AITER_CSV:-../shared/aiter}
bs=a8w8_blockscale bsp=a8w8_blockscale_bpreshuffle a4=a4w4_blockscale
for family in $bs $bsp $a4; do
    [ -e "weights/gemm_$family.h" ] || end_without "kpred aiter" "there is no model gemm_$family"
done
out=$tmp/dir # of the tables
export LC_ALL=C

# ---- what is read ----

# miss FAMILY M N K: a line of the log
miss() {
    echo "(Worker_TP1 pid=7) [aiter] shape is M:$2, N:$3, K:$4, not found tuned config in \
/tmp/aiter_configs/$1_tuned_gemm.csv, will use default config!"
}
# hit FAMILY M PADDED CU: for N 1536, K 7168
hit() {
    echo "[aiter] shape is M:$2, N:1536, K:7168, found padded_M: $3, N:1536, K:7168 is tuned on cu_num = $4 in \
/tmp/aiter_configs/$1_tuned_gemm.csv , kernel name is x!"
}

# log LINE...: as $tmp/log
log() {
    printf '%s\n' "$@" >"$tmp/log"
}

# list COLUMNS ROW...: an untuned list of the first family
list() {
    printf '%s\n' "$@" >"$tmp/${bs}_untuned_gemm.csv"
}
list=$tmp/${bs}_untuned_gemm.csv

# aiter ARGUMENT...: for $gpu; what it says to $tmp/err
aiter() {
    rm -rf "$out"
    "$kpred" aiter --gpu "$gpu" "$@" >"$tmp/out" 2>"$tmp/err"
}
gpu=gfx950_256 # of all families
# on GPU COMMAND...
on() {
    gpu=$1
    shift
    "$@"
    set -- $?
    gpu=gfx950_256
    return "$1"
}

# show STATUS: what the last run said; fails
show() {
    echo "status $1"
    cat "$tmp/err"
    return 1
}

# keys FILE: M,N,K of its rows, in one line
keys() {
    sed 1d "$1" | cut -d, -f3-5 | tr '\n' ' ' | sed 's/ $//'
}

# gives KEYS ARGUMENT...: of the first family just these keys are written
gives() {
    wanted=$1
    shift
    aiter -o "$out" "$@" || { show $?; return; }
    got=$(keys "$out/${bs}_tuned_gemm.csv" 2>/dev/null)
    [ "$got" = "$wanted" ] && return
    echo "keys $got"
    show 0
}

# says TEXT ARGUMENT...: with status 0, on standard error
says() {
    text=$1
    shift
    aiter "$@" || { show $?; return; }
    grep -qF -e "$text" "$tmp/err" || show 0
}

# refused_into OUTPUT PATTERN ARGUMENT...: status 1, the pattern in the complaint, and no folder $out
refused_into() {
    output=$1 pattern=$2
    shift 2
    aiter -o "$output" "$@"
    status=$?
    if [ $status -ne 1 ] || ! grep -qE -e "^kpred: $pattern" "$tmp/err" || [ -e "$out" ] || [ -s "$tmp/out" ]; then
        show $status
    fi
}
refused() {
    refused_into "$out" "$@"
}

miss $bs 17 1536 7168 >"$tmp/log"
check "a log" gives "17,1536,7168" --exact "$tmp/log"
from_stdin() { gives "$@" <"$tmp/log"; }
check "standard input" from_stdin "17,1536,7168" --exact
check "-" from_stdin "17,1536,7168" --exact -
log "$(miss $bs 17 1536 7168)" "$(hit $bs 300 512 256)" "$(hit $bs 32 32 256)" "$(hit $bs 64 128 304)"
check "a hit on a padded row" gives "17,1536,7168 300,1536,7168" --exact "$tmp/log"
check "a hit on a row of its own" says "a table has a row of just this M (first: $tmp/log:3)" "$tmp/log"
check "a hit on another GPU" says "the log is of a GPU of 304 compute units, not 256 (first: $tmp/log:4)" "$tmp/log"
list "M,N,K" "16, 1536, 7168" "16,1536,7168" "" "32 ,512,7168"
check "an untuned list" gives "32,512,7168 16,1536,7168" --exact "$list"
list "K,M,N" "7168,16,1536"
check "its columns in another order" gives "16,1536,7168" --exact "$list"
printf 'M,N,K\r\n16,1536,7168' >"$list"
check "its lines end with CRLF, the last with nothing" gives "16,1536,7168" --exact "$list"
cp "$list" "$tmp/shapes.csv"
check "a list whose name tells no family" gives "16,1536,7168" --exact --family bs "$tmp/shapes.csv"
miss $bs 17 1536 7168 >"$tmp/log"
check "a log and a list" gives "16,1536,7168 17,1536,7168" --exact "$list" "$tmp/log"
log "$(miss my 5 512 512)" "$(miss $bsp 6 512 512)"
check "--family: a table of another name" gives "5,512,512" --exact --family $bs "$tmp/log"
check "--family: the rest is left out" says "--family leaves out $bsp (first: $tmp/log:2)" --family bs "$tmp/log"
log "$(miss bf16 5 512 512)" "$(miss a8w8_bpreshuffle 6 512 512)" "$(miss bf16 5 512 512)" "$(hit $bs 32 32 256)"
check "families without a model" says "1 shape is left out: kpred has no model of the family bf16" "$tmp/log"
no_row() { aiter -o "$out" "$tmp/log" && [ ! -e "$out" ]; }
check "no row, no file" no_row
fused="token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1"
for header in "B,M,N,K:batched" "M,N,K,q_dtype_w:a8w8_bpreshuffle" "$fused:fmoe" \
    "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle:bf16"; do
    list "${header%:*}" "$(echo "${header%:*}" | sed 's/[A-Za-z_0-9]*/7/g')"
    check "a list of ${header#*:}" refused "$list: there is nothing .*kpred has no model of the family ${header#*:}" \
        "$list"
done

# ---- what is written ----

miss $bs 17 1536 7168 >"$tmp/log"
serving() {
    aiter -o "$out" "$tmp/log" || { show $?; return; }
    cut -d, -f3 "$out/${bs}_tuned_gemm.csv" | sed 1d >"$tmp/m"
    { printf '1\n2\n4\n8\n'; seq 16 16 256; seq 288 32 1024; seq 1088 64 4096; printf '8192\n16384\n32768\n'; } |
        cmp - "$tmp/m"
}
check "the M that serve every M" serving
log "$(miss $bs 70000 1536 7168)" "$(miss $bs 70000 8192 512)"
beyond() {
    aiter -o "$out" "$tmp/log" || { show $?; return; }
    cut -d, -f3-4 "$out/${bs}_tuned_gemm.csv" >"$tmp/m"
    [ "$(grep -cx 131072,1536 "$tmp/m") $(wc -l <"$tmp/m")" = "1 192" ]
}
check "an M beyond them" beyond
log "$(miss $bs 17 1536 7168)" "$(miss $bsp 18 512 7168)" "$(miss $a4 19 1024 4096)"
three() {
    aiter --exact -o "$out" "$tmp/log" || { show $?; return; }
    for family in $bs $bsp $a4; do
        if [ "$(wc -l <"$out/${family}_tuned_gemm.csv")" -ne 2 ] ||
            ! grep -q "=aiter/configs/${family}_tuned_gemm.csv:.*:$out/${family}_tuned_gemm.csv\$" "$tmp/err"; then
            show 0
            return
        fi
    done
}
check "a folder for all families" three
aiter --exact -o "$tmp/one.csv" --family a4w4 "$tmp/log"
check "a file for one" test "$(keys "$tmp/one.csv")" = 19,1024,4096
aiter --exact --family bsp "$tmp/log"
check "standard output for one" test "$(keys "$tmp/out")" = 18,512,7168
check "one file for several" refused_into "$tmp/x.csv" "$tmp/x.csv: one file is for one family.*-o DIR" \
    --exact "$tmp/log"
columns() {
    aiter --exact --schema "$1" -o "$out" "$tmp/log" || { show $?; return; }
    set -- "$2" "$(head -n 1 "$out/${bs}_tuned_gemm.csv")" "$(sed -n 2p "$out/${bs}_tuned_gemm.csv")"
    echo "$2"
    [ "$1" = "$2" ] && [ "$(echo "$2" | tr -cd ,)" = "$(echo "$3" | tr -cd ,)" ]
}
for pair in current=gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    no-gfx=cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    no-libtype=cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    no-tflops=cu_num,M,N,K,kernelId,splitK,us,kernelName; do
    check "--schema ${pair%%=*}" columns "${pair%%=*}" "${pair#*=}"
done
only_ck() {
    aiter --exact --schema no-libtype -o "$out" "$tmp/log" && ! grep -E 'cktile|_ZN' "$out/${bsp}_tuned_gemm.csv"
}
check "--schema no-libtype: ck alone" only_ck
top() {
    aiter --exact --top 5 -o "$out" "$tmp/log" || { show $?; return; }
    sed -i 's/$/\r/' "$out"/candidates_*.csv
    "$kpred" aiter --gpu "$gpu" --exact --top 5 -o "$out" "$tmp/log" 2>"$tmp/err" || { show $?; return; }
    for family in $bs $bsp $a4; do
        [ "$(sed 1d "$out/candidates_$family.csv" | cut -d, -f6 | tr '\n' ' ')" = "1 2 3 4 5 " ] &&
            [ "$(sed 1d "$out/candidates_$family.csv" | cut -d, -f9,10 | sort -u | wc -l)" -eq 5 ] || return
    done
    [ "$(find "$out" -type f | wc -l)" -eq 3 ] && ! grep -q AITER_CONFIG "$tmp/err"
}
check "--top, over what an editor has written" top

# ---- what is there already ----

log "$(miss $bs 17 1536 7168)"
# replaces FILE-BEFORE [OPTION]: the output is written over it
replaces() {
    aiter --exact -o "$out" "$tmp/log" && mv "$out/${bs}_tuned_gemm.csv" "$tmp/wanted" && mkdir -p "$out" || return
    cp "$1" "$out/${bs}_tuned_gemm.csv"
    shift
    "$kpred" aiter --gpu gfx950_256 --exact "$@" -o "$out" "$tmp/log" 2>"$tmp/err" || { show $?; return; }
    cmp "$tmp/wanted" "$out/${bs}_tuned_gemm.csv"
}
# keeps FILE-BEFORE PATTERN: it is an error, and the file stays
keeps() {
    rm -rf "$out" && mkdir "$out" && cp "$1" "$out/${bs}_tuned_gemm.csv"
    "$kpred" aiter --gpu gfx950_256 --exact -o "$out" "$tmp/log" 2>"$tmp/err" && { show 0; return; }
    cat "$tmp/err"
    cmp "$1" "$out/${bs}_tuned_gemm.csv" && grep -qF -e "$2" "$tmp/err"
}
head=gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio
# table NAME ROW...: in the folder $tmp; a row is M,N,K,US,KERNEL
table() {
    name=$tmp/$1
    shift
    echo $head >"$name"
    for row; do
        echo "$row" | awk -F, '{ print "gfx950,256," $1 "," $2 "," $3 ",ck,0,0," $4 "," $5 ",1,1,0" }' >>"$name"
    done
}
usual=a8w8_blockscale_1x128x128_256x16x128x256_16x16_16x16_1x2_16x16x1_16x16x1_1x16x1x16_8_1x2_intrawave_v1
small=a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1
table old.csv "1,2,3,999999.0,$usual" "1,2,4,999999,$usual"
check "predictions are replaced" replaces "$tmp/old.csv"
: >"$tmp/empty.csv"
check "an empty file is replaced" replaces "$tmp/empty.csv"
table old.csv "1,2,3,999999.0,$usual" "1,2,4,5.1234,$usual"
check "measured rows are not" keeps "$tmp/old.csv" "${bs}_tuned_gemm.csv:3: us: value \"5.1234\""
check "but with --force" replaces "$tmp/old.csv" --force
echo "some text" >"$tmp/old.csv"
check "nor is another file" keeps "$tmp/old.csv" "column \"some text\""

# ---- installed tables ----

table ${bs}_tuned_gemm.csv "17,1536,7168,5.5,$small" "48,1536,7168,5.5,$small"
base=$tmp/${bs}_tuned_gemm.csv
log "$(miss $bs 17 1536 7168)" "$(miss $bs 18 1536 7168)"
check "keys of --installed are left out" gives "18,1536,7168" --exact --installed "$base" -- "$tmp/log"
sed 's/gfx950/ GFX950:xnack-/' "$base" >"$tmp/spelled_$bs.csv"
check "keys of a GPU in another spelling" gives "18,1536,7168" --exact --installed "$tmp/spelled_$bs.csv" -- "$tmp/log"
check "and counted" says "1 row; 1 left out that --installed has" --exact --installed "$base" -- "$tmp/log"
# In these, 17 and 18 are not among the M that serve; 32 is, and no row of theirs.
kept_out() {
    aiter --installed "$base" -o "$out" -- "$tmp/log" || { show $?; return; }
    [ "$(wc -l <"$out/${bs}_tuned_gemm.csv")" -eq 95 ] && ! grep -q ,256,48, "$out/${bs}_tuned_gemm.csv"
}
check "also of those that serve" kept_out
table ${bs}_tuned_gemm.csv "16,1536,7168,5.5,$small"
check "what a fine step finds is not hidden" says "90 rows; 1 left out that --installed has; 4 left out within a fine" \
    --installed "$base" -- "$tmp/log"
names() {
    aiter "$@" -o "$out" -- "$tmp/log" || { show $?; return; }
    sed 1d "$out/${bs}_tuned_gemm.csv" | cut -d, -f10 | sort -u >"$tmp/names"
}
# only NAME... -- ARGUMENT...: no other kernel is written
only() {
    : >"$tmp/allowed"
    while [ "$1" != -- ]; do echo "$1" >>"$tmp/allowed"; shift; done
    shift
    names "$@" && [ -s "$tmp/names" ] && ! grep -vxF -f "$tmp/allowed" "$tmp/names"
}
check "--installed: its kernels and the default" only "$usual" "$small" -- --installed "$base"
{ echo "GLIBC_2.17"; echo "  $small  "; } >"$tmp/compiled"
check "--compiled" only "$small" -- --compiled "$tmp/compiled"
check "--compiled before --installed" only "$small" -- --compiled "$tmp/compiled" --installed "$base"
check "neither: a warning" says "neither --compiled nor a table of --installed" "$tmp/log"
log "$(miss $bs 17 1536 7168)" "$(miss $bsp 17 512 7168)"
nothing_left() {
    says "no kernel that is legal there is compiled in" --exact --family $bs --compiled "$tmp/compiled" "$tmp/thin" ||
        return
    [ ! -s "$tmp/out" ]
}
miss $bs 17 512 128 >"$tmp/thin" # of K less than the tile
check "--compiled: nothing is left" nothing_left
log "$(miss $bs 17 1536 7168)"
table ${bs}_tuned_gemm_mine.csv "1,1536,7168,5.5,$small"
lists_all() {
    aiter --exact --installed "$tmp/${bs}_tuned_gemm_mine.csv" "$base" -o "$out" -- "$tmp/log" || { show $?; return; }
    grep -qF "export AITER_CONFIG_GEMM_A8W8_BLOCKSCALE=$base:$tmp/${bs}_tuned_gemm_mine.csv:$out/${bs}_tuned" "$tmp/err"
}
check "the variable lists all files, the base file first" lists_all

# ---- GPUs ----

for product in MI355X mi350x gfx950 "AMD Instinct MI355X"; do
    check "--gpu $product" on "$product" gives "17,1536,7168" --exact "$tmp/log"
done
is_of() {
    aiter --exact -o "$out" "$tmp/log" && [ "$(sed -n 2p "$out/${bs}_tuned_gemm.csv" | cut -d, -f1,2)" = "$1" ]
}
check "--gpu gfx942" on gfx942 is_of gfx942,304
check "--gpu MI300X" on MI300X is_of gfx942,304
log "$(miss $bs 17 1536 7168)" "$(miss $bsp 17 512 7168)"
other_gpu() {
    aiter --exact -o "$out" "$tmp/log" || { show $?; return; }
    cat "$tmp/err"
    grep -qF "the model of $bs does not know gfx942_80 (known: gfx942_304 gfx950_256) (first: $tmp/log:1)" "$tmp/err" &&
        [ "$(ls "$out")" = ${bsp}_tuned_gemm.csv ]
}
check "a GPU that one model knows" on MI308X other_gpu
check "the same in another spelling" on AMD_Instinct_MI308X_OAM other_gpu

# ---- bad input ----

log "$(miss $bs 17 1536 7168)"
check "an unknown GPU" on gfx906_60 refused "--gpu: value \"gfx906_60\": no model .*$bs: gfx942_304 gfx950_256" \
    "$tmp/log"
check "a GPU without a name" on foo refused '--gpu "foo": is no name of a GPU' "$tmp/log"
check "a GPU that the family lacks" on gfx942_80 refused \
    '--gpu: value "gfx942_80": the model of .*known: gfx942_304 gfx950_256' --family bs "$tmp/log"
check "a GPU that the log's family lacks" on gfx942_80 refused \
    '--gpu: value "gfx942_80": no model of the families' "$tmp/log"
check "an unknown --family" refused '--family: value "fp8": is no family' --family fp8 "$tmp/log"
# leaves_out WHY LINE: of a log the line alone, which is counted
leaves_out() {
    log noise "$2" "$2" "$(miss $bs 17 1536 7168)"
    gives "17,1536,7168" --exact "$tmp/log" && grep -qxF "kpred: 2 lines: $1 (first: $tmp/log:2)" "$tmp/err" ||
        show 0 || return 1
    log noise "$2"
    refused "$tmp/log: there is nothing to predict for: $1$" "$tmp/log"
}
check "an unknown family in a log" leaves_out \
    "the name of the table tells no family of AITER's; --family says which it is of" "$(miss mine 17 1536 7168)"
# bad_size M N K WHICH VALUE: of a log and of a list
bad_size() {
    check "a log with $4 of $5" leaves_out "$4 is no integer from 1 to 16777216" "$(miss $bs "$1" "$2" "$3")"
    list M,N,K 16,1536,7168 "$1,$2,$3"
    check "a list with $4 of $5" refused "$list:3: $4: value \"$5\"" "$list"
}
bad_size 0 1536 7168 M 0
bad_size 1 16777217 7168 N 16777217
bad_size 1 1536 0 K 0
bad_size -1 1536 7168 M -1
log noise "shape is round"
log "$(miss bf16 1 2 3)" "[fused_moe] using 2stage default for ('gfx950', 256, 16)"
check "families without a model alone" refused "$tmp/log: there is nothing to predict for: \
kpred has no model of the family bf16; kpred has no model of the family fmoe$" "$tmp/log"
log "$(miss $bsp 1 2 3)"
check "other families than --family alone" refused "$tmp/log: there is nothing .*: --family leaves out $bsp$" \
    --family bs "$tmp/log"
log noise "shape is round"
check "a log without such a line" refused "$tmp/log: no line holds" "$tmp/log"
: >"$tmp/log"
check "an empty log" refused "$tmp/log: no line holds" "$tmp/log"
check "a log that is not there" refused "$tmp/none: cannot open" "$tmp/none"
printf 'BZh91AY' >"$tmp/log"
check "a packed log" refused "$tmp/log: is packed; .bunzip2 -c. unpacks" "$tmp/log"
for bad in 'M,N|:1: there is no column K' 'M,N,K,L|:1: column "L"' 'M,N,K,M|:1: column "M" stands there twice' \
    'a;b;c|:1: column "a;b;c"' "$head|:1: column \"us\": the table is tuned already" 'm,n,k|:1: column "m"'; do
    list "${bad%%|*}"
    check "a list with the columns ${bad%%|*}" refused "$list${bad#*|}" "$list"
done
list M,N,K 1,2,3 1,2
check "a list with a short row" refused "$list:3: has 2 cells, the header has 3" "$list"
list M,N,K 1,2,x
check "a list with a word" refused "$list:2: K: value \"x\"" "$list"
printf 'M,N,K\n1,2,3\n' >"$tmp/shapes.csv"
check "a list without a family" refused "$tmp/shapes.csv: its name tells no family" "$tmp/shapes.csv"

log "$(miss $bs 17 1536 7168)"
# installed PATTERN FILE...
installed() {
    pattern=$1
    shift
    refused "$pattern" --installed "$@" -- "$tmp/log"
}
table ${bs}_tuned_gemm.csv "1,2,3,5.5,$small" "1,2,4,5.5,$small" "1,2,3,6.5,$usual"
check "a table with a key twice" installed "$base:4: key gfx950 256 M 1 N 2 K 3: $base:2 has it too" "$base"
table ${bs}_tuned_gemm.csv "1,2,3,5.5,$small"
table ${bs}_tuned_gemm_mine.csv "7,2,3,5.5,$small" "1,2,3,5.5,$small"
mine=$tmp/${bs}_tuned_gemm_mine.csv
check "tables that clash" installed "$mine:3: key .*: $base:2 has it too" "$base" "$mine"
{ echo "${head#gfx,}"; echo "256,1,2,3,ck,0,0,5,$small,1,1,0"; } >"$mine"
check "tables that clash, one without gfx" installed "$mine:2: key gfx950 256 M 1 N 2 K 3" "$base" "$mine"
echo "M,N,K,foo" >"$mine"
check "a table of another schema" installed "$mine:1: column \"foo\"" "$mine"
echo "gfx,cu_num,M,N,K,us" >"$mine"
check "a table without kernels" installed "$mine:1: there is no column kernelName" "$mine"
echo "version https://git-lfs.github.com/spec/v1" >"$mine"
check "a stub in place of a table" installed "$mine:1: column \"version https" "$mine"
table ${bs}_tuned_gemm_mine.csv "0,2,3,5.5,$small"
check "a table with M 0" installed "$mine:2: M: value \"0\"" "$mine"
table ${bs}_tuned_gemm_mine.csv "1,2,3,soon,$small"
check "a table with a word for us" installed "$mine:2: us: value \"soon\"" "$mine"
table other.csv "1,2,3,5.5,$small"
check "a table without a family" installed "--installed: $tmp/other.csv: its name tells no family" "$tmp/other.csv"
printf 'nothing\nhere\n' >"$tmp/compiled"
check "--compiled without a usable name" refused "$tmp/compiled:1: \"nothing\": no line names a kernel" \
    --compiled "$tmp/compiled" "$tmp/log"
: >"$tmp/compiled"
check "--compiled, empty" refused "$tmp/compiled: is empty" --compiled "$tmp/compiled" "$tmp/log"
list M,N,K 1,512,512
cp "$list" "$tmp/copy"
check "an output that is an input" refused_into "$list" ".*an input" --exact "$list"
check "which stays" cmp "$list" "$tmp/copy"
check "a folder that cannot be made" refused_into "$tmp/log/x" "$tmp/log/x: cannot make the folder" "$tmp/log"
# wrong PATTERN ARGUMENT...: a wrong command line
wrong() { pattern=$1; shift; refuses 2 "$pattern" "$kpred" aiter "$@"; }
check "--top without a folder" wrong "--top: candidates" --gpu gfx950 --top 3 "$tmp/log"
check "--top and --schema" wrong "not with --top" --gpu gfx950 --top 3 --schema no-gfx -o "$out" "$tmp/log"
check "--force without an output" wrong "--force: there is no file" --gpu gfx950 --force "$tmp/log"
check "no --gpu" wrong "--gpu" "$tmp/log"
check "an unknown --schema" wrong "--schema" --gpu gfx950 --schema old "$tmp/log"

# ---- speed and memory ----

repeated() {
    { miss $bs 17 1536 7168; echo "INFO 11-22 10:11:12 Avg throughput: 0.5"; hit $bsp 17 32 256
        printf 'Loading:  50%%\rLoading: 60%%\r'; miss bf16 3 512 512; } >"$tmp/some"
    awk -v n="$1" '{ line[NR] = $0 } END { for (i = 0; i < n; i++) print line[i % NR + 1] }' "$tmp/some"
}
measure() {
    python3 tests/miopen/measure.py "$tmp/$1.log" "$tmp/$1.out" "$kpred" aiter --gpu gfx950_256 --exact --family bs \
        >"$tmp/$1.took" && cmp "$tmp/$1.out" "$tmp/short.out"
}
if has python3 && grep -q '^VmHWM' /proc/self/status 2>/dev/null; then
    repeated 1000 >"$tmp/short.log"
    repeated 1000000 >"$tmp/long.log"
    check "1,000 lines" measure short
    check "1,000,000 lines give the same" measure long
    rm -f "$tmp/long.log"
    echo "    seconds, KB: $(cat "$tmp/short.took"); $(cat "$tmp/long.took")"
    in_time() { awk '{ exit $1 >= 20 }' "$tmp/long.took"; }
    check "in less than 20 s" in_time
    no_more() { cat "$tmp/short.took" "$tmp/long.took" | awk '{ kb[NR] = $2 } END { exit kb[2] - kb[1] >= 2048 }'; }
    check "with no more memory" no_more
else
    skipped "speed and memory" "needs python3 and /proc"
fi

need python3 "the oracle"
mkdir "$tmp/oracle"
checks_of "the oracle" python3 tests/aiter/aiter_oracle.py "$kpred" "$tmp/oracle" "$AITER_CSV"
test_end
