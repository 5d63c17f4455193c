#!/bin/sh
# textdb.sh - MIOpen's text perf-dbs as data: what ingest, train and eval make of them
# SPDX-License-Identifier: MIT
#
# The old databases of $MIOPEN_DB are read in full and compared with an independent reader; all else
# needs only what is here.
. tests/harness/script.inc

test_begin
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}
kernels="conv_asm_1x1u conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3 conv_ocl_direct_fwd_1x1"

need_trainer "text perf-dbs"

# ---- whole databases ----

# The one old database whose backward keys have c and k exchanged. ingest finds it by the kernels'
# rules; here its name says so, and below the database of SQLite confirms it.
swapped=gfx900_56-2019-12-06

# same_rows SPEC FILE: ingest gives the rows that the reader gives, and drops as many of each kind
same_rows() {
    python3 tests/miopen/textdb.py "$1" "$2" gfx906_60 $swapped >"$tmp/expected" 2>"$tmp/left_out" ||
        return 1
    "$trainer" ingest "$1" --lenient --data "$2" --gpu gfx906_60 >"$tmp/rows" 2>"$tmp/err" ||
        return 1
    { sed -n 1p "$tmp/rows"; sed 1d "$tmp/rows" | LC_ALL=C sort; } | cmp - "$tmp/expected" &&
        [ "$(wc -l <"$tmp/rows")" -gt 1 ] && told_if_exchanged "$2" && same_drops
}
# told_if_exchanged FILE: of the database with c and k exchanged, and of no other, one line says so;
# the others are left in $tmp/drops
told_if_exchanged() {
    grep -v ' are exchanged: ' "$tmp/err" >"$tmp/drops"
    case $1 in
    *$swapped*) [ "$(grep -c "$1: c and k .* are exchanged: " "$tmp/err")" -eq 1 ] ;;
    *) cmp "$tmp/err" "$tmp/drops" ;;
    esac
}
same_drops() {
    [ "$(wc -l <"$tmp/left_out")" -eq "$(wc -l <"$tmp/drops")" ] || return 1
    while read -r count kind; do
        grep "dropped $count rows*: " "$tmp/drops" | grep -q "$kind" || return 1
    done <"$tmp/left_out"
}

# Without --lenient a row that the spec does not allow stops it, and is named.
strict_or_same() {
    "$trainer" ingest "$1" --data "$2" --gpu gfx906_60 >"$tmp/strict" 2>"$tmp/err"
    status=$?
    told_if_exchanged "$2" || return 1
    if grep -q parameters "$tmp/left_out"; then
        [ $status -eq 1 ] && [ ! -s "$tmp/strict" ] && [ "$(wc -l <"$tmp/drops")" -eq 1 ] &&
            grep -qE "^kpred-train: $2:[0-9]+: " "$tmp/drops"
    else
        [ $status -eq 0 ] && cmp "$tmp/strict" "$tmp/rows"
    fi
}

# as_in_database DATABASE FILE: far more of the file's problems are in the database of SQLite as
# ingest reads them than with c and k exchanged. The kernel is one whose rule cannot tell.
as_in_database() {
    "$trainer" ingest $witness --lenient --data "$1" --gpu gfx906_60 >"$tmp/known" 2>/dev/null &&
        "$trainer" ingest $witness --lenient --data "$2" --gpu gfx906_60 >"$tmp/rows" \
            2>/dev/null && awk -F, 'NR == FNR { known[$3, $4, $5, $6, $7, $8, $9]; next }
            $5 != $8 && $9 == 1 { same += ($3, $4, $5, $6, $7, $8, $9) in known
                                  other += ($3, $4, $8, $6, $7, $5, $9) in known }
            END { print same, other; exit same < 1000 || same < 2 * other }' \
            "$tmp/known" "$tmp/rows"
}
witness=weights/conv_asm_bwd_wrw_1x1.spec

old_databases() {
    found=''
    for file in "$MIOPEN_DB"/*.cd.pdb.txt.bz2; do
        [ -r "$file" ] || continue
        found=yes short=$(basename "$file" .cd.pdb.txt.bz2)
        for kernel in $kernels; do
            check "$short, $kernel" same_rows "weights/$kernel.spec" "$file"
            check "$short, $kernel, strictly" strict_or_same "weights/$kernel.spec" "$file"
        done
        for database in "$MIOPEN_DB/${short%%_*}"_*.db.bz2; do
            check_with "$database" "$short, c and k" as_in_database "$database" "$file"
        done
    done
    [ "$found" ] || skipped "old databases in full" "there is none in $MIOPEN_DB"
}
if has python3; then
    old_databases
else
    skipped "old databases in full" "there is no python3"
fi

# What a shipped model makes of labels that another tuning run found: printed, and held to a floor.
evaluates() {
    "$trainer" eval "$1" --data "$2" --lenient -k 1,10 --csv >"$tmp/eval.csv" || return 1
    awk -F, 'NR == 1 { next } { n++; if ($7 < 1 || $9 < 100) bad = 1 }
        END { exit bad || n < 2 }' "$tmp/eval.csv"
}
file=$MIOPEN_DB/gfx900_56-2019-12-06.cd.pdb.txt.bz2
for kernel in $kernels; do
    if [ -r "$file" ] && [ -e "weights/$kernel.h" ]; then
        check "eval on the old gfx900 database, $kernel" evaluates "$kernel" "$file"
        sed 's/^/    /' "$tmp/eval.csv"
    else
        skipped "eval on the old gfx900 database, $kernel" "needs $file and the model"
    fi
done

# ---- single lines ----

# key [SED]: a key of the 3x3 spec, changed; line [SED]: a line with it
key() {
    echo "64-28-14-3x3-32-28-14-16-1x1-1x1-1x1-0-NCHW-FP32-W" | sed "${1-}"
}
wrw=ConvAsmBwdWrW3x3
values=0,1,8,2,5,4
line() {
    echo "$(key "${1-}")=$wrw:$values"
}
spec=weights/conv_asm_bwd_wrw_3x3.spec
good="gfx906_60,W,FP32,16,32,28,14,64,1,1,$values"
file=$tmp/gfx906_60.txt

ingest() {
    "$trainer" ingest "$spec" --data "$file" "$@" >"$tmp/rows" 2>"$tmp/err"
}

# reads FILE-CONTENT [ROW...]: exactly these rows (without the heading), and no complaint
reads() {
    printf '%b' "$1" >"$file"; shift
    if ! ingest || [ -s "$tmp/err" ]; then
        cat "$tmp/err"
        return 1
    fi
    sed 1d "$tmp/rows" >"$tmp/got"
    printf '%s\n' "$@" | cmp - "$tmp/got"
}

# refuses WHERE PATTERN FILE-CONTENT: an error in that line of the file, in one line
refuses() {
    printf '%b' "$3" >"$file"
    ingest
    [ $? -eq 1 ] && [ ! -s "$tmp/rows" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -qF -e "kpred-train: $file$1: " "$tmp/err" && grep -qF -e "$2" "$tmp/err" && return
    cat "$tmp/err"
    return 1
}

# drops FILE-CONTENT: with --lenient one row is dropped and the good line that follows it is read
drops() {
    printf '%b' "$1\n$(line 's/-16-/-17-/')\n" >"$file"
    ingest --lenient && [ "$(sed 1d "$tmp/rows")" = "$(echo "$good" | sed 's/,16,/,17,/')" ] &&
        [ "$(grep -c 'dropped 1 row: ' "$tmp/err")" -eq 1 ] && return
    cat "$tmp/err"
    return 1
}

# refused NAME PATTERN LINE: as the second line of a file an error, with --lenient dropped
refused() {
    check "$1" refuses :2 "$2" "$(line)\n$3\n"
    check "$1, --lenient" drops "$3"
}

check "a line" reads "$(line)\n" "$good"
check "a byte order mark" reads "\0357\0273\0277$(line)\n" "$good"
check "CRLF" reads "$(line)\r\n" "$good"
check "no newline at the end" reads "$(line)" "$good"
check "CRLF, no newline at the end" reads "$(line)\r\n\r\n$(line)" "$good" "$good"
check "empty lines" reads "\n\n$(line)\n\r\n" "$good"
check "several solvers" reads "$(key)=ConvAsm3x3U:1,2,3;$wrw:$values;ConvX<16>:a\n" "$good"
check "the solver first" reads "$(key)=$wrw:$values;ConvAsm3x3U:1,2,3\n" "$good"
check "solver with the same beginning" reads \
    "$(key)=${wrw}V2:9;Conv$wrw:7\n$(key)=${wrw}V2:9;$wrw:$values\n" "$good"
check "groups" reads "$(line 's/$/_g2/')\n" "${good%,1,"$values"},2,$values"
check "keys of no convolution, other solvers" reads \
    "x=Other:1\n7x7-pool=Other:1,2\n-=Other:\n$(line)\n" "$good"

forward="64-28-14-1x1-32-14-7-16-0x0-2x2-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1,16,1,64,1,1,1,1"
backward="32-14-7-1x1-64-27-14-16-0x0-2x2-1x1-0-NCHW-FP16-B=ConvAsm1x1U:1,16,1,64,1,2,1,1"
spec=weights/conv_asm_1x1u.spec
check "stride 2, both views" reads "$backward\n$forward\n" \
    "gfx906_60,F,FP32,16,64,28,14,32,2,1,16,1,64,1,1,1,1" \
    "gfx906_60,B,FP16,16,64,27,14,32,2,1,16,1,64,1,2,1,1"
spec=weights/conv_asm_bwd_wrw_3x3.spec

refused "no =" "" "$(key)"
refused "no key" "" "=$wrw:$values"
refused "entry without a colon" "" "$(key)=$wrw"
refused "empty entry" "" "$(key)=;$wrw:$values"
refused "the solver twice" "" "$(key)=$wrw:$values;$wrw:$values"
refused "number with something behind it" "" "$(line 's/-16-/-16x-/')"
refused "empty number" "" "$(line 's/-16-/--/')"
refused "negative number" "" "$(line 's/-16-/--16-/')"
refused "number with a sign" "" "$(line 's/-16-/-+16-/')"
refused "number beyond 64 bits" "" "$(line 's/-16-/-99999999999999999999-/')"
refused "size of 0" "" "$(line 's/-16-/-0-/')"
refused "size beyond all sizes" "" "$(line 's/-16-/-16777217-/')"
refused "too few parts" "" "$(line 's/-0-NCHW/-NCHW/')"
refused "too many parts" "" "$(line 's/-0-NCHW/-0-0-NCHW/')"
refused "two images in one part" "" "$(line 's/-28-14/-28x14/')"
refused "filter of one side" "" "$(line 's/3x3/3/')"
refused "pad of three sides" "" "$(line 's/-1x1-/-1x1x1-/')"
refused "unknown direction" "" "$(line 's/W$/X/')"
refused "direction of two letters" "" "$(line 's/W$/WW/')"
refused "unknown data type" "" "$(line 's/FP32/INT8/')"
refused "unknown suffix" "" "$(line 's/$/_x2/')"
refused "suffix without a number" "" "$(line 's/$/_g/')"
refused "groups of 0" "" "$(line 's/$/_g0/')"
refused "groups with something behind" "" "$(line 's/$/_g2x/')"
for suffix in _ciFP8 _cwFP8 _coFP8 _ciFP8_cwBFP8_coFP16 _g2_ciFP16; do
    refused "cast types, $suffix" "" "$(line "s/\$/$suffix/")"
done
refused "NHWC" "" "$(line 's/NCHW/NHWC-NHWC-NHWC/')"
refused "layout once that is not NCHW" "" "$(line 's/NCHW/NHWC/')"
refused "three dimensions" "" \
    "64-2-28-14-1x3x3-32-2-28-14-16-0x1x1-1x1x1-1x1x1-0-NCDHW-FP32-W=$wrw:$values"
refused "three dimensions, groups" "" \
    "64-2-28-14-1x3x3-32-2-28-14-16-0x1x1-1x1x1-1x1x1-0-NCDHW-FP32-W_g2=$wrw:$values"
refused "filter" "" "$(line 's/3x3/3x1/')"
refused "bias" "" "$(line 's/-0-NCHW/-1-NCHW/')"
refused "dilation" "" "$(line 's/-1x1-0-/-2x2-0-/')"
refused "too few parameters" "is a list of 5, not 6" "$(key)=$wrw:0,1,8,2,5"
refused "too many parameters" "is a list of 7, not 6" "$(key)=$wrw:$values,1"
refused "no parameters" "" "$(key)=$wrw:"
refused "parameter that is no number" "" "$(key)=$wrw:0,1,8,two,5,4"
refused "parameter outside the spec" "" "$(key)=$wrw:0,1,8,3,5,4"
check "stride 2 is left out" drops "$(line 's/-1x1-1x1-0/-2x2-1x1-0/;s/64-28-14/64-14-7/')"

# A spec with fields for the filter takes of a solver's rows those that it is about.
sed -e '/^filter/d; /^pad /d; /^rule/s/=.*/= unconstrained/; /^\[split/,/^$/d' \
    -e 's/^groups.*/&\ny = size\nx = size\npad_h = size 0\npad_w = size 0/' \
    $spec >"$tmp/more.spec"
selective() {
    printf '%b' "$2=$wrw:$values\n$(line)\n" >"$file"
    "$trainer" ingest "$tmp/more.spec" --data "$file" >"$tmp/rows" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/rows")" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -qxF "kpred-train: dropped 1 row: $1" "$tmp/err" && return
    cat "$tmp/err"
    return 1
}
unnamed="a data type, layout or depth that the spec does not name"
sizes="a key whose image sizes no convolution with its filter has"
check "filter as fields, INT8" selective "$unnamed" "$(key 's/FP32/INT8/')"
check "filter as fields, NHWC" selective "$unnamed" "$(key 's/NCHW/NHWC-NHWC-NHWC/')"
check "filter as fields, 3-D" selective "$unnamed" \
    "64-2-28-14-1x3x3-32-2-28-14-16-0x1x1-1x1x1-1x1x1-0-NCDHW-FP32-W"
check "filter as fields, casts" selective "cast tensors" "$(key 's/$/_ciFP8/')"
check "filter as fields, sizes that contradict each other" selective "$sizes" \
    "$(key 's/-1x1-1x1-1x1/-0x0-1x1-1x1/')"
mv "$tmp/more.spec" "$tmp/wrw.spec"
spec=$tmp/wrw.spec
check "filter as fields, a negative number" refuses :2 "is no key of a convolution" \
    "$(line)\n$(line 's/-16-/--16-/')\n"
check "filter as fields, a bias" refuses :2 'bias: value "1"' \
    "$(line)\n$(line 's/-0-NCHW/-1-NCHW/')\n"
spec=weights/conv_asm_bwd_wrw_3x3.spec

# One number that is two parameters, their sum
spec=weights/conv_bin_winograd_rxs_f3x2.spec
sum_of() {
    echo "$(key)=ConvBinWinogradRxSf3x2:$1"
}
problem="gfx906_60,W,FP32,NCHW,16,32,28,14,64,3,3,1,1,1,1,1,1,1"
check "a sum" reads "$(sum_of 16)\n$(sum_of 17)\n$(sum_of 60)\n" \
    "$problem,0,16" "$problem,16,1" "$problem,48,12"
check "no sum" refuses :2 'params: value "305": has "305", which is no n_groups + n_groups_plus' \
    "$(sum_of 304)\n$(sum_of 305)\n"
sed -e '/^rule/s/=.*/= unconstrained/; /^header/d; /^n_groups /s/.*/tile = 1 2\n&/' \
    -e '/^n_groups_plus/s/.*/&\nmode = a b/' $spec >"$tmp/sum.spec"
spec=$tmp/sum.spec
check "a sum in a list" reads "$(sum_of 2,304,b)\n" "$problem,2,288,16,b"
check "a sum in a list that is too short" refuses :1 "is a list of 2, not 3" "$(sum_of 2,304)\n"
check "no sum in a list" refuses :1 'has "0", which is no n_groups + n_groups_plus' \
    "$(sum_of 2,0,b)\n"
spec=weights/conv_asm_bwd_wrw_3x3.spec

# A find-db has the same keys: told apart, and said so.
algorithm=miopenConvolutionBwdWeightsAlgo
find_db() {
    printf '%s=%s\n' "$(key)" "$1" >"$file"
    ingest
    [ $? -eq 1 ] && [ ! -s "$tmp/rows" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "^kpred-train: $file.*find-db" "$tmp/err" && return
    cat "$tmp/err"
    return 1
}
check "a find-db, newer form" find_db \
    "$wrw:0.0125,0,${algorithm}Direct;GemmWrw1x1:1.5,72,${algorithm}GEMM"
check "a find-db, older form" find_db \
    "${algorithm}Direct:$wrw,0.0125,0,${algorithm}Direct,<unused>"

# ---- files ----

printf '%s\n' "$(line)" >"$file"
ingest && cp "$tmp/rows" "$tmp/wanted"
if has bzip2; then
    packed() {
        bzip2 -c "$file" >"$file.bz2" &&
            "$trainer" ingest "$spec" --data "$file.bz2" | cmp - "$tmp/wanted"
    }
    check ".txt.bz2" packed
    corrupt() {
        head -c 40 "$file.bz2" >"$tmp/gfx906_60-cut.txt.bz2"
        "$trainer" ingest "$spec" --data "$tmp/gfx906_60-cut.txt.bz2" >"$tmp/rows" 2>"$tmp/err"
        [ $? -eq 1 ] && [ ! -s "$tmp/rows" ] && grep -q "gfx906_60-cut.txt.bz2: " "$tmp/err"
    }
    check ".txt.bz2 that is cut off" corrupt
    no_bzip2() {
        cp "$file" "$tmp/gfx906_60-no.txt.bz2"
        "$trainer" ingest "$spec" --data "$tmp/gfx906_60-no.txt.bz2" >"$tmp/rows" 2>"$tmp/err"
        [ $? -eq 1 ] && [ ! -s "$tmp/rows" ] && grep -q "gfx906_60-no.txt.bz2: " "$tmp/err"
    }
    check ".txt.bz2 that is no bzip2" no_bzip2
else
    skipped ".txt.bz2" "there is no bzip2"
fi
check "a NUL byte" refuses "" "NUL" "$(line)\n\0\n"
check "an empty file" refuses "" "" ""
check "no line of the solver" refuses "" "$wrw" "$(key)=ConvAsm3x3U:1,2,3\n"
with_csv() { # the rows of a text file and of a CSV file together
    printf '%s\n' "$(line)" >"$file"
    "$trainer" ingest "$spec" --data "$file" "$tmp/wanted.csv" >"$tmp/rows" &&
        [ "$(grep -c "$good" "$tmp/rows")" -eq 2 ]
}
cp "$tmp/wanted" "$tmp/wanted.csv"
check "beside a CSV file" with_csv
other_gpu() {
    printf '%s\n' "$(line)" >"$tmp/gfx900_56-2019-12-06.cd.pdb.txt"
    "$trainer" ingest "$spec" --data "$tmp/gfx900_56-2019-12-06.cd.pdb.txt" |
        grep -q '^gfx900_56,W' || return 1
    cp "$tmp/gfx900_56-2019-12-06.cd.pdb.txt" "$tmp/gfx906_64-2019.txt"
    "$trainer" ingest "$spec" --data "$tmp/gfx906_64-2019.txt" 2>"$tmp/err" && return 1
    grep -q 'gfx906_64.*nearest is gfx906_60' "$tmp/err" || return 1
    "$trainer" ingest "$spec" --gpu gfx906_60 --data "$tmp/gfx906_64-2019.txt" >"$tmp/named" &&
        grep -q '^gfx906_60,W' "$tmp/named" || return 1
    "$trainer" ingest "$spec" --nearest --data "$tmp/gfx906_64-2019.txt" | cmp - "$tmp/named" ||
        return 1
    cp "$tmp/gfx906_64-2019.txt" "$tmp/radeon.txt"
    "$trainer" ingest "$spec" --nearest --data "$tmp/radeon.txt" 2>"$tmp/err" && return 1
    grep -q 'radeon.*is no GPU of the spec' "$tmp/err"
}
check "the GPU is that of the file's name, that of --gpu, or the nearest" other_gpu

# spec_of SOLVER PARAMETER-LINE...: a spec without features, of 3x3 convolutions
spec_of() {
    spec=$tmp/names.spec
    {
        printf '[kernel]\nname = names\nrule = unconstrained\n\n[data]\nformat = miopen\n'
        printf 'solver = %s\nfilter = 3x3\npad = 1\n\n' "$1"; shift
        sed -n '/^\[fields\]/,/^$/p' weights/conv_asm_bwd_wrw_3x3.spec
        printf '[params]\n'
        printf '%s\n' "$@"
        printf '\n[split]\nconfig = dir,dtype,n,c,h,w,k,stride,groups\n'
        printf 'shape = min(c,k),max(c,k),h,w\n\n[features]\nonehot dtype\n\n'
        printf '[network]\nhidden = 16\nepochs = 2\nrounded_epochs = 1\nteachers = 1\n'
    } >"$spec"
}

# ---- which way round the channels are ----

# b_line N FIRST SECOND: backward data with these channels in its key. It is legal where 16 divides
# c, which MIOpen's order has as the second.
b_line() {
    echo "$2-14-14-1x1-$3-14-14-$1-0x0-1x1-1x1-0-NCHW-FP32-B=ConvAsm1x1U:1,16,1,64,1,1,1,1"
}
# b_row N C K: the row of such a line, in the user's view
b_row() {
    echo "gfx906_60,B,FP32,$1,$2,14,14,$3,1,1,16,1,64,1,1,1,1"
}
f_line="64-14-14-1x1-128-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1,16,1,64,1,1,1,1"
f_row="gfx906_60,F,FP32,1,64,14,14,128,1,1,16,1,64,1,1,1,1"
swapped_w=$(line 's/^64/32/;s/-32-28/-64-28/')

# exchanged COUNTS FILE-CONTENT ROW...: exactly these rows, and a line that says so, with the counts
exchanged() {
    counts=$1; shift
    printf '%b' "$1" >"$file"; shift
    if ! ingest || [ "$(wc -l <"$tmp/err")" -ne 1 ] ||
        ! grep -qF "$file: c and k of backward keys are exchanged: $counts as they" "$tmp/err"; then
        cat "$tmp/err"
        return 1
    fi
    sed 1d "$tmp/rows" >"$tmp/got"
    printf '%s\n' "$@" | cmp - "$tmp/got"
}
one="1 of its optima are legal only so, 0 only"
two="2 of its optima are legal only so, 1 only"

spec=weights/conv_asm_1x1u.spec
check "channels in MIOpen's order" reads "$f_line\n$(b_line 1 72 64)\n" "$f_row" \
    "$(b_row 1 64 72)"
check "channels exchanged" exchanged "$one" "$f_line\n$(b_line 1 64 72)\n" "$f_row" \
    "$(b_row 1 64 72)"
check "the majority decides" exchanged "$two" \
    "$(b_line 1 64 72)\n$(b_line 2 72 64)\n$(b_line 3 64 72)\n" \
    "$(b_row 1 64 72)" "$(b_row 2 72 64)" "$(b_row 3 64 72)"
check "a tie: as they stand" reads "$(b_line 1 64 72)\n$(b_line 2 72 64)\n" \
    "$(b_row 1 72 64)" "$(b_row 2 64 72)"
check "illegal both ways: as they stand" reads "$(b_line 1 72 24)\n" "$(b_row 1 24 72)"
check "as many channels as filters: no evidence" reads "$(b_line 1 64 64)\n" "$(b_row 1 64 64)"
check "forward rows are no evidence" reads "$(echo "$f_line" | sed 's/^64/66/;s/,1,1,1$/,4,1,1/')" \
    "gfx906_60,F,FP32,1,66,14,14,128,1,1,16,1,64,1,4,1,1" # where 4 divides c, it would be legal
check "a parameter list of another length is no evidence" refuses :1 "list of 9, not 8" \
    "$(b_line 1 64 72),1\n"
check "what cannot be read is no evidence" refuses :1 "key" "$(b_line 1x 64 72)\n"
names_line() { # the line that is wrong is still the one named
    printf '%s\n' "$(b_line 1 64 72)" "$f_line,1" >"$file"
    ingest
    [ $? -eq 1 ] && [ ! -s "$tmp/rows" ] && grep -qF "$file: c and k" "$tmp/err" &&
        grep -qF "$file:2: params: " "$tmp/err"
}
check "exchanged, and an error" names_line

spec=weights/conv_asm_bwd_wrw_3x3.spec
check "another kernel's optima decide" exchanged "$one" "$(b_line 1 64 72)\n$swapped_w\n" "$good"
check "another kernel's optima, in the same line" exchanged "$one" \
    "$swapped_w\n$(b_line 1 64 72 | sed 's/=/=ConvX:1;/;s/$/;ConvAsm1x1UV2:7;/')\n" "$good"
spec_of ConvX 'pa = 1 2'
while read -r problem entry; do # each legal with c before k, and not with k before c
    check "a kernel without a rule: ${entry%:*} decides" exchanged "$one" \
        "$problem=$entry\n$(key 's/^64/32/;s/-32-28/-64-28/')=ConvX:2\n" \
        "gfx906_60,W,FP32,16,32,28,14,64,1,1,2"
done <<END
64-14-14-1x1-72-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-B ConvAsm1x1U:1,16,1,64,1,1,1,1
20-14-14-1x1-64-14-14-1-0x0-1x1-1x1-0-NCHW-BF16-B ConvOclDirectFwd1x1:1,64,1,1,0,1,4,8,0
64-14-14-1x1-65-14-14-1-0x0-1x1-1x1-0-NCHW-FP16-W ConvAsmBwdWrW1x1:4,4,2,1,2,1,1,4,0,1
64-14-14-3x3-36-14-14-1-1x1-1x1-1x1-0-NCHW-FP32-W ConvAsmBwdWrW3x3:0,0,8,1,2,1
64-14-14-3x3-40-14-14-1-1x1-1x1-1x1-0-NCHW-FP32-W_g4 ConvAsmBwdWrW3x3:0,0,8,2,2,1
END
check "no rule: as they stand" reads "$(b_line 1 64 72 | sed s/1x1U/1x1UV2/)\n$(key)=ConvX:2\n" \
    "gfx906_60,W,FP32,16,32,28,14,64,1,1,2"

spec=weights/conv_asm_1x1u.spec
not_csv() { # what a text file would be exchanged for
    printf '%s\n' "$f_line" >"$file"
    ingest && { sed 1q "$tmp/rows"; b_row 1 72 64; } >"$tmp/rows.csv" &&
        "$trainer" ingest $spec --data "$tmp/rows.csv" 2>&1 | cmp - "$tmp/rows.csv"
}
check "CSV stays as it is" not_csv
not_sqlite() { # the rows of which a text file would be exchanged, in SQLite
    make_mkdb && "$tmp/mkdb" db "$tmp/gfx906_60.db" tests/fixtures/gfx900_56.sql \
        "DELETE FROM perf_db" "DELETE FROM config" \
        "INSERT INTO config VALUES (1,'NCHW','FP32','B',2,64,14,14,1,1,1,1,72,1,0,0,0,1,1,0,1,1,0,
            0,1)" \
        "INSERT INTO perf_db VALUES (1,'ConvAsm1x1U',1,'1,16,1,64,1,1,1,1')" &&
        "$trainer" ingest $spec --data "$tmp/gfx906_60.db" 2>&1 | sed 1d >"$tmp/got" &&
        b_row 1 72 64 | cmp - "$tmp/got"
}
check "SQLite stays as it is" not_sqlite

# ---- names as parameters ----

head="gfx906_60,W,FP32,16,32,28,14,64,1,1"
spec_of ConvHipImplicitGemmGroupWrwXdlops \
    'kernel_id = "DeviceConv2d<256, 128> Default" "A<1, 2>" other'
group=ConvHipImplicitGemmGroupWrwXdlops
check "a name with blanks and commas" reads \
    "$(key)=ConvX:1;$group:DeviceConv2d<256, 128> Default;ConvY:2\n" \
    "$head,\"DeviceConv2d<256, 128> Default\""
check "a name without" reads "$(key)=$group:other\n" "$head,other"
check "a name that the spec lacks" refuses :1 "kernel_id" "$(key)=$group:DeviceConv2d<256>\n"
check "half of a name" refuses :1 "kernel_id" "$(key)=$group:A<1\n"
again() { # what ingest writes, ingest reads
    reads "$(key)=$group:A<1, 2>\n$(key)=$group:other\n" "$head,\"A<1, 2>\"" "$head,other" &&
        cp "$tmp/rows" "$tmp/names.csv" &&
        "$trainer" ingest "$spec" --data "$tmp/names.csv" | cmp - "$tmp/rows"
}
check "names with commas, by way of CSV" again
train_names() {
    { for n in 1 2 3 4 5 6 7 8; do
        echo "$(key "s/-16-/-$n-/")=$group:A<1, 2>"
        echo "$(key "s/-16-/-$((n + 8))-/;s/32-W/16-W/")=$group:other"
    done; } >"$file"
    "$trainer" train "$spec" --data "$file" --split none --float-out "$tmp/names.f32" \
        -o "$tmp/names.h" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    "$BUILD/kpred" predict "$tmp/names.h" gpu=gfx906 dir=W dtype=FP32 n=3 c=32 h=28 w=14 k=64 \
        stride=1 groups=1 -k 3 --csv >"$tmp/rows" && grep -qF '"A<1, 2>"' "$tmp/rows" &&
        grep -qF '"DeviceConv2d<256, 128> Default"' "$tmp/rows" && "$trainer" eval \
        "$tmp/names.h" --data "$file" --rows all >"$tmp/rows"
}
check "names with commas, trained, predicted, evaluated" train_names

spec_of ConvMix 'dir2 = fwd bwd' 'layout = nchw nhwc' 'type = fp16 fp32' 'splits = 0 1 2'
check "names among integers" reads "$(key)=ConvMix:fwd,nhwc,fp16,0\n" "$head,fwd,nhwc,fp16,0"
check "a name in the place of an integer" refuses :1 splits "$(key)=ConvMix:fwd,nhwc,fp16,x\n"
check "an integer in the place of a name" refuses :1 layout "$(key)=ConvMix:fwd,0,fp16,0\n"
check "too few names" refuses :1 "list of 3, not 4" "$(key)=ConvMix:fwd,nhwc,fp16\n"

spec_of 'ConvOclBwdWrW2<16>' 'pa = 1 2' 'pb = 1 2 3 4' 'pc = 8 16'
check "a solver with a template argument" reads \
    "$(key)=ConvOclBwdWrW2<1>:2,4,8;ConvOclBwdWrW2<16>:1,3,16;ConvOclBwdWrW2<2>:1,1,8\n" \
    "$head,1,3,16"
check "another template argument is another solver" refuses "" "ConvOclBwdWrW2<16>" \
    "$(key)=ConvOclBwdWrW2<1>:2,4,8\n"

# ---- train, eval ----

# real rows of several kernels, as they stand in a published text perf-db
sample=tests/fixtures/gfx906_60.cd.pdb.txt
spec=weights/conv_asm_bwd_wrw_3x3.spec
if has python3; then
    for kernel in $kernels; do
        check "a few real lines, $kernel" same_rows "weights/$kernel.spec" "$sample"
    done
else
    skipped "a few real lines" "there is no python3"
fi
trains() {
    "$trainer" train $spec --data $sample --lenient --epochs 4 --split none --float-out "$tmp/f32" \
        -o "$tmp/small.h" && "$trainer" ingest $spec --lenient --data $sample \
        -o "$tmp/gfx906_60.csv" && "$trainer" train $spec --data "$tmp/gfx906_60.csv" --epochs 4 \
        --split none --float-out "$tmp/f32" -o "$tmp/same.h" || return 1
    # the same rows: only what is said of the file differs, and the command that names it
    for header in small same; do
        sed '/^   from /,/^   net /{/^   net /!d;}' "$tmp/$header.h" >"$tmp/$header.txt"
    done
    diff "$tmp/small.txt" "$tmp/same.txt" >"$tmp/differ"
    [ "$(grep -vcE '^[<>] +(data|[0-9a-f]{64}$)|^---|^[0-9,c]+$' "$tmp/differ")" -eq 0 ]
}
check "train on a text perf-db gives what its rows as CSV give" trains
evals() {
    "$trainer" eval "$tmp/small.h" --data $sample --lenient --rows all -k 10 --csv >"$tmp/eval" &&
        grep -q '^conv_asm_bwd_wrw_3x3,all,gfx906_60,' "$tmp/eval"
}
check "eval on a text perf-db" evals

test_end
