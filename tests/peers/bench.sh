#!/bin/sh
# bench.sh - the side-by-side tools of tools/peers: on a few rows they run, count right, and refuse
# what is wrong
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
ORACLE=${ORACLE:-../shared/miopen/rules.py}
export CC OMP_NUM_THREADS=1

need python3 "tools/peers"
need_trainer "tools/peers"

# ---- label_noise.py ----

# layer FILE N ASM-F ASM-B OCL WRW: the lines of one layer with the labels given, the last key with
# c and k as MIOpen has them; of exchanged.* the other way round
layer() {
    case $1 in *exchanged*) back=64-14-14-1x1-128-14-14 ;; *) back=128-14-14-1x1-64-14-14 ;; esac
    rest=$2-0x0-1x1-1x1-0-NCHW-FP32
    cat >>"$1" <<END
64-14-14-1x1-128-14-14-$rest-F=ConvAsm1x1U:$3;ConvOclDirectFwd1x1:$5
$back-$rest-B=ConvAsm1x1U:$4
$back-$rest-W=ConvAsmBwdWrW1x1:$6
END
}

# Eight layers, six of them copies; of the others one label is the same, and one runs the same code.
asm=1,16,1,64,1,1,1,1 other_asm=2,16,2,64,1,1,1,1
ocl=1,64,1,1,1,1,32,128,0 other_ocl=1,64,1,1,1,1,16,128,0 same_code=1,64,1,1,1,1,32,2048,0
wrw=4,4,2,1,2,1,1,4,0,2 other_wrw=4,4,2,1,2,1,1,4,0,1
new=$tmp/gfx900_56-new.cd.pdb.txt
old=$tmp/gfx900_56-old.cd.pdb.txt
exchanged=$tmp/gfx900_56-exchanged.cd.pdb.txt
for n in 1 2 3 4 5 6 7 9; do layer "$new" $n $asm $asm $ocl $wrw; done
for file in "$old" "$exchanged"; do
    for n in 1 2 3 4 5 6; do layer "$file" $n $asm $asm $ocl $wrw; done
    layer "$file" 7 $other_asm $other_asm $other_ocl $other_wrw
    layer "$file" 9 $other_asm $asm $same_code $other_wrw
done
# the one row that tells: of 64 written channels 16 are a divisor, of 72 not
echo "64-14-14-1x1-72-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-B=ConvAsm1x1U:$asm" >>"$exchanged"
layer "$tmp/gfx900_56-far.cd.pdb.txt" 99 $asm $asm $ocl $wrw

one_by_one="weights/conv_asm_1x1u.spec weights/conv_asm_bwd_wrw_1x1.spec"
one_by_one="$one_by_one weights/conv_ocl_direct_fwd_1x1.spec"

noise() {
    python3 tools/peers/label_noise.py --trainer "$trainer" $one_by_one "$@"
}

# is FILE KERNEL WHAT N PERCENT: one line of the CSV says so
is() {
    got=$(awk -F, -v kernel="$2" -v what="$3" '{ label = $5; for (i = 6; i <= NF - 3; i++)
            label = label "," $i; gsub(/"/, "", label) }
        $2 == kernel && $3 == "all" && label == what { print $(NF - 2), $(NF - 1) }' "$1")
    [ "$got" = "$4 $5" ] && return
    echo "$2, $3: \"$got\", expected \"$4 $5\""
    return 1
}

bracket() {
    noise --csv --data "$new" "$1" >"$tmp/noise.csv" || return 1
    is "$tmp/noise.csv" conv_asm_1x1u identical 16 81.2 &&
        is "$tmp/noise.csv" conv_asm_1x1u retuned 4 25.0 &&
        is "$tmp/noise.csv" conv_asm_1x1u strict 3 33.3 &&
        is "$tmp/noise.csv" conv_ocl_direct_fwd_1x1 retuned 2 0.0 &&
        is "$tmp/noise.csv" conv_ocl_direct_fwd_1x1 "retuned, merged" 2 50.0 &&
        is "$tmp/noise.csv" conv_asm_bwd_wrw_1x1 "parameter data_prefetch" 2 0.0 &&
        is "$tmp/noise.csv" conv_asm_bwd_wrw_1x1 "parameter read_size" 2 100.0 &&
        is "$tmp/noise.csv" all "layers of 3 or more: none differ" 8 75.0
}

exchanged_keys() {
    bracket "$exchanged" 2>"$tmp/err" || return 1
    grep -q "old.*exchanged" "$tmp/err" && return 1
    grep -qF "$(basename "$exchanged"): c and k of backward keys are exchanged" "$tmp/err"
}

# kpred-train reads what --retuned writes, with two different labels for the one problem
retuned_rows() {
    noise --csv --data "$new" "$old" --retuned "$tmp" >"$tmp/again.csv" || return 1
    cmp "$tmp/again.csv" "$tmp/noise.csv" || return 1
    for side in new old; do
        "$trainer" ingest weights/conv_asm_bwd_wrw_1x1.spec --data \
            "$tmp/conv_asm_bwd_wrw_1x1.gfx900_56-new+gfx900_56-old.gfx900_56-$side.csv" \
            >"$tmp/$side.csv" && [ "$(wc -l <"$tmp/$side.csv")" -eq 3 ] || return 1
    done
    ! cmp -s "$tmp/new.csv" "$tmp/old.csv"
}

# Of the eight layers the split keeps n = 9 for testing, forward and backward data.
test_rows() {
    noise --csv --test config --data "$new" "$old" >"$tmp/test.csv" || return 1
    is "$tmp/test.csv" conv_asm_1x1u retuned 2 50.0 &&
        is "$tmp/test.csv" conv_ocl_direct_fwd_1x1 "retuned, merged" 1 100.0 &&
        ! grep -q conv_asm_bwd_wrw_1x1 "$tmp/test.csv"
}

a_table() {
    noise --data "$new" "$old" | grep -q "^gfx900_56-new gfx900_56-old  conv_asm_1x1u .* retuned "
}

check "label_noise.py: the bracket" bracket "$old"
check "label_noise.py: retuned rows for kpred-train" retuned_rows
check "label_noise.py: exchanged keys" exchanged_keys
check "label_noise.py: test rows only" test_rows
check "label_noise.py: a table" a_table
refuse "label_noise.py: no common problem" 2 "no two files of one GPU arch" \
    noise --data "$new" "$tmp/gfx900_56-far.cd.pdb.txt"
refuse "label_noise.py: no such file" 2 "$tmp/gfx900_56.none.db" \
    noise --data "$new" "$tmp/gfx900_56.none.db"
cp "$new" "$tmp/gfx1030_36.cd.pdb.txt"
refuse "label_noise.py: a GPU that the spec has not" 2 "gfx1030_36" \
    noise --data "$new" "$tmp/gfx1030_36.cd.pdb.txt"
refuse "label_noise.py: another format" 2 "tiny.spec: format \"csv\"" \
    python3 tools/peers/label_noise.py --trainer "$trainer" tests/fixtures/tiny.spec --data "$new"

# ---- paired.py ----

paired() {
    cat >"$tmp/hits.csv" <<'END'
method,model,split,key,row,k,hit,agree
a,m,config,"x,1",1,1,1,8
a,m,config,"x,1",2,1,1,8
a,m,config,"y,1",3,1,0,2
a,m,config,"z,1",4,1,1,8
b,m,config,"x,1",1,1,0,1
b,m,config,"x,1",2,1,0,1
b,m,config,"y,1",3,1,0,2
b,m,config,"z,1",4,1,1,8
END
    python3 tools/peers/paired.py --csv --against b "$tmp/hits.csv" >"$tmp/paired.csv" || return 1
    # sqrt((2 - 2 * 0.5)^2 + 0.5^2 + 0.5^2) / 4
    sed -n 2p "$tmp/paired.csv" | grep -xF "m,config,1,a,b,4,3,+50.00,30.62"
}

check "paired.py" paired
refuse "paired.py: no such method" 2 "no method \"network\"" \
    python3 tools/peers/paired.py "$tmp/hits.csv"
sed 4d "$tmp/hits.csv" >"$tmp/fewer.csv"
refuse "paired.py: other rows" 2 "not measured on the same rows" \
    python3 tools/peers/paired.py --against b "$tmp/fewer.csv"
refuse "paired.py: no hits" 2 "$tmp/paired.csv: columns" \
    python3 tools/peers/paired.py "$tmp/paired.csv"
refuse "paired.py: a file twice" 2 "hits.csv:2: row 1 of method \"a\" comes twice" \
    python3 tools/peers/paired.py --against b "$tmp/hits.csv" "$tmp/hits.csv"
sed '7s/y,1/y,2/' "$tmp/hits.csv" | sed 's/^b,m,config,"y,1"/b,m,config,"y,2"/' >"$tmp/other.csv"
refuse "paired.py: other data" 2 'row 3 is "y,1" and "y,2": not of the same data' \
    python3 tools/peers/paired.py --against b "$tmp/other.csv"

# ---- classics.py ----

need_numpy "classics.py"
need_weights "classics.py"

sample_databases
kernel=conv_asm_1x1u
spec=weights/$kernel.spec model=$kernel header=weights
dbs="$tmp/gfx900_56.db $tmp/gfx906_60.db"

# classics ARGUMENT...: on a few dozen rows
classics() {
    $python tools/peers/classics.py "$spec" --trainer "$trainer" --network "$header" --data $dbs \
        -k 1,10 --rounds 3 --svc-rows 30 "$@"
}

# plausible METHOD...: no error, lines of each with the rule and without, more hits for more tuples,
# the same again with two threads
plausible() {
    list=$(echo "$*" | tr ' ' ,)
    classics --csv --methods "$list" >"$tmp/one.csv" 2>"$tmp/err" || return 1
    classics --csv --methods "$list" --threads 2 >"$tmp/two.csv" 2>>"$tmp/err" || return 1
    grep -q '^skip' "$tmp/err" && cat "$tmp/err" && return 1
    for file in one two; do cut -d, -f1-10 "$tmp/$file.csv" >"$tmp/$file.cut"; done
    cmp "$tmp/one.cut" "$tmp/two.cut" || return 1
    awk -F, -v want=$((2 * $#)) '
        NR > 1 && NF != 13 { print "columns: " $0; bad = 1 }
        NR > 1 && ($9 < 0 || $9 > 100 || $10 < $9) { print "figures: " $0; bad = 1 }
        NR > 1 && $4 == "all" && $5 == "all" { at[$1, $6] = $9; name[$1] }
        END { for (m in name) { n++; if (at[m, 10] < at[m, 1]) { print "k: " m; bad = 1 } }
              if (n != want) { print n " methods"; bad = 1 }; exit bad }' "$tmp/one.csv"
}

# The figures of the network are those that kpred-train measures.
as_eval() {
    classics --csv --methods network >"$tmp/network.csv" || return 1
    "$trainer" eval "$model" --data $dbs -k 1,10 --csv | awk -F, 'NR > 1 { print $3, $4, $5, $6,
        $7, $8 }' | sort >"$tmp/a"
    awk -F, 'NR > 1 && $4 != "all" { print $4, $5, $6, $7, $9, $10 }' "$tmp/network.csv" |
        sort >"$tmp/b"
    [ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
}

# Older labels of the problems that are tested change nothing, those of others do, copies do not.
older() {
    classics --methods nearest --csv --hits "$tmp/plain.hits" >"$tmp/plain.csv" || return 1
    "$trainer" ingest "$spec" --data $dbs -o "$tmp/rows.csv" --force || return 1
    awk -F, -v OFS=, 'NR == FNR { if (FNR > 1) tested[$(NF - 3)]; next }
        FNR == 1 { print >tests; print >others; next }
        { $NF = $NF == 1 ? 2 : 1; print >(FNR - 1 in tested ? tests : others) }' \
        tests="$tmp/tests.csv" others="$tmp/others.csv" "$tmp/plain.hits" "$tmp/rows.csv"
    cut -d, -f1-10 "$tmp/plain.csv" >"$tmp/plain.cut"
    for file in tests others rows; do
        classics --methods nearest --csv --older "$tmp/$file.csv" >"$tmp/older.csv" || return 1
        cut -d, -f1-10 "$tmp/older.csv" | cmp -s - "$tmp/plain.cut" && same=yes || same=no
        [ $file,$same = others,no ] || [ $file,$same = tests,yes ] || [ $file,$same = rows,yes ] ||
            { echo "$file: $same"; return 1; }
    done
}

hits() {
    classics --csv --methods nearest --hits "$tmp/nearest.hits" >"$tmp/nearest.csv" || return 1
    $python tests/peers/bench.py hits "$tmp/nearest.hits" "$tmp/nearest.csv"
}

# What kpred-train eval writes of the same network is the same, but for the method's name, and
# paired.py joins the two.
eval_hits() {
    classics --csv --methods network --hits "$tmp/network.hits" >"$tmp/out" &&
        "$trainer" eval "$model" --data $dbs -k 1,10 --hits "$tmp/eval.hits" >"$tmp/out" || return 1
    sed 's/^network,/additive,/' "$tmp/network.hits" | cmp - "$tmp/eval.hits" || return 1
    python3 tools/peers/paired.py --csv "$tmp/network.hits" "$tmp/eval.hits" >"$tmp/joined.csv" &&
        [ "$(sed 1d "$tmp/joined.csv" | cut -d, -f3-5,8- | paste -sd' ' -)" = \
            "1,additive,network,+0.00,0.00 10,additive,network,+0.00,0.00" ]
}

# A package that cannot be imported: its method is skipped by name, the others run.
missing_package() {
    mkdir -p "$tmp/none"
    for module in xgboost sklearn; do
        echo "raise ImportError('no $module here')" >"$tmp/none/$module.py"
    done
    PYTHONPATH=$tmp/none classics --csv --methods nearest,tree,chain >"$tmp/out" 2>"$tmp/err" &&
        grep -q "^skip tree: needs python3-sklearn" "$tmp/err" &&
        grep -q "^skip chain: needs python3-xgboost" "$tmp/err" && grep -q "^nearest," "$tmp/out"
}

legal() {
    $python tests/peers/bench.py legal "$ORACLE" "$trainer" $dbs
}

# all_methods WHAT CLASSIFIER...: on the rows of $spec, the network as kpred-train measures it
all_methods() {
    what=$1
    shift
    check "classics.py: $what: nearest" plausible nearest
    check "classics.py: $what: the network as kpred-train measures it" as_eval
    check "paired.py: $what: classics.py and kpred-train eval" eval_hits
    check_module sklearn "classics.py: $what: classifiers" plausible "$@"
    check_module xgboost "classics.py: $what: chain" plausible chain
}

all_methods "one filter" tree bayes knn svc forest
check "classics.py: hits" hits
check "classics.py: a package is missing" missing_package
check_with "$ORACLE" "classics.py: legal tuples" legal

check "classics.py: older runs" older
# misused WORDS ARGUMENT...: status 2, and behind the usage the words
misused() {
    words=$1
    shift
    classics "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -qF -e "$words" "$tmp/err" && return
    cat "$tmp/err"
    return 1
}
check "classics.py: no such method" misused '"oracle" is none of' --methods oracle
check "classics.py: k of 0" misused '"0": expected a number of at least 1' -k 0
refuse "classics.py: no such header" 2 "$tmp/none.h" classics --network "$tmp/none.h"
refuse "classics.py: a header without a model" 2 "kpred.h: declares no kpred_model" \
    classics --network kpred.h
refuse "classics.py: no such data" 2 "$tmp/none.db" \
    $python tools/peers/classics.py "$spec" --trainer "$trainer" --data "$tmp/none.db"
refuse "classics.py: no such program" 2 "$tmp/none" classics --trainer "$tmp/none"
refuse "classics.py: no such spec" 2 "$tmp/none.spec" \
    $python tools/peers/classics.py "$tmp/none.spec" --network weights/$kernel.h --data $dbs

# ---- classics.py, of a kernel with filters ----

# convolutions: lines of a perf-db; filters, pads, strides (to 3: 2 would hide pads) and dilations
# differ by side; keys of B and W have the images exchanged. The tuple follows the problem.
convolutions() {
    awk 'function out(side, filter, pad, stride, dilation) {
            return int((side + 2 * pad - dilation * (filter - 1) - 1) / stride) + 1
        }
        BEGIN {
            split("1x1 3x3 1x7 7x1 5x3", filter); split("F B W", dir)
            for (i = 0; i < 180; i++) {
                split(filter[i % 5 + 1], f, "x")
                c = 16 * (i % 4 + 1); k = 24 * (i % 7 + 1); h = 14 + i % 9; w = 28 - i % 11
                n = i % 6 + 1; sh = i % 3 + 1; sw = int(i / 2) % 3 + 1; dh = int(i / 3) % 2 + 1
                ph = int(f[1] / 2) * (i % 4 > 0); pw = int(f[2] / 2)
                d = dir[int(i / 7) % 3 + 1]; near = c "-" h "-" w
                far = k "-" out(h, f[1], ph, sh, dh) "-" out(w, f[2], pw, sw, 1)
                if (d != "F") { swap = near; near = far; far = swap }
                part = n % 4; whole = part > 0 ? "[" part "]" : ""
                name = "narrow," part ",9" whole
                if (k % 48 == 0) name = "wide," part ",7" whole
                printf "%s-%s-%s-%d-%dx%d-%dx%d-", near, filter[i % 5 + 1], far, n, ph, pw, sh, sw
                printf "%dx1-0-NCHW-FP32-%s=ConvMix:%s\n", dh, d, name
            }
        }'
}

# A name with commas, a parameter that is a piece of it, sizes from 0.
mixed_spec() {
    cat <<'END'
[kernel]
name = conv_mix
rule = unconstrained
[data]
format = miopen
solver = ConvMix
[fields]
gpu = gfx906_60
dir = F B W
dtype = FP32
n = size
c = size
h = size
w = size
k = size
y = size
x = size
pad_h = size 0 16777216
pad_w = size 0 16777216
stride_h = size
stride_w = size
dil_h = size
dil_w = size
[params]
kernel = "wide,*,7" "narrow,*,9" "neither,*,9"
part = 0 1 2 3
[split]
config = dir, n,c,canonical(h),canonical(w),k,y,x,pad_h,pad_w,stride_h,stride_w,dil_h,dil_w
shape = min(c, k),max(c,k),canonical( h ),canonical(w),y,x
[derived]
ln = log2 n
[features]
hats ln 0 1 4
divides k 4 2
[network]
teachers = 0
epochs = 3
encoder1 = 16
encoder2 = 16
hidden = 16
END
}

model=$tmp/mix.h header=$tmp/mix.h spec=$tmp/mix.spec dbs=$tmp/gfx906_60-mix.cd.pdb.txt
convolutions >"$dbs"
mixed_spec >"$spec"
for split in config shape; do
    "$trainer" train "$spec" --data "$dbs" --split $split --threads 1 --float-out "$tmp/mix.f32" \
        -o "$tmp/$split.h" 2>"$tmp/err" || failed "classics.py: a header with filters" \
        "$(cat "$tmp/err")"
done
mv "$tmp/config.h" "$model"
all_methods "filters" tree knn

# Of the other split, whose keys are other texts, the same
other_split() {
    classics --csv --split shape --methods network --network "$tmp/shape.h" \
        --hits "$tmp/network.hits" >"$tmp/out" && "$trainer" eval "$tmp/shape.h" --data "$dbs" \
        -k 1,10 --hits "$tmp/eval.hits" >"$tmp/out" || return 1
    sed 's/^network,/additive,/' "$tmp/network.hits" | cmp - "$tmp/eval.hits"
}
check "classics.py: filters: the split by shape" other_split

sed 's/^solver.*/&\nfilter = 3/' "$spec" >"$tmp/half.spec"
refuse "classics.py: half a filter" 2 "half.spec: [data]: filter \"3\": expected" \
    $python tools/peers/classics.py "$tmp/half.spec" --trainer "$trainer" --data "$dbs"
refuse "label_noise.py: a kernel with filters" 2 "mix.spec: no filter in [data]" \
    python3 tools/peers/label_noise.py --trainer "$trainer" "$spec" --data "$dbs"

test_end
