#!/bin/sh
# paper.sh - the paper's networks through kpred-train: train, eval, the header, what is refused
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
nets="encdec attn attn2 hybrid hybrid2"

need_trainer "all"

# ---- a small kernel: answers that follow from the problem, one parameter of one value, names ----

cat >"$tmp/toy.spec" <<'END'
[kernel]
name = toy
rule = unconstrained
[data]
format = csv
[fields]
gpu  = gfx900_56 gfx906_60
kind = plain other never
n    = size
h    = size
[params]
tile = 1 2 4 8
lone = 3
mode = fast small
wave = 1 2 3
[split]
config = kind,n,h
[features]
onehot kind
[network]
paper_cells   = 16
paper_post    = 32
paper_filters = 16
paper_batch   = 16
paper_rate    = 0.01
END

# rows FIRST-H: problems with sizes from there on
rows() {
    awk -v first="$1" 'BEGIN {
        print "gpu,kind,n,h,tile,lone,mode,wave"
        for (i = 0; i < 240; i++) {
            n = 2 ^ (i % 5); h = first + int(i / 5) % 12; other = int(i / 60) % 2
            print (i % 2 ? "gfx900_56" : "gfx906_60") "," (other ? "other" : "plain") "," n "," h \
                "," 2 ^ (i % 4) ",3," (h % 2 ? "fast" : "small") "," 1 + (n + other) % 3
        } }'
}
rows 4 >"$tmp/toy.csv"
rows 100 >"$tmp/unseen.csv"

# train NET OUTPUT ARGUMENT...
train() {
    net=$1 output=$2; shift 2
    "$trainer" train "$tmp/toy.spec" --net "$net" --data "$tmp/toy.csv" -o "$output" "$@"
}

# evaluate HEADER DATA ARGUMENT...: as CSV
evaluate() {
    header=$1 data=$2; shift 2
    "$trainer" eval "$header" --data "$data" --by all --csv "$@"
}

# ---- each network ----

# other_run NET ARGUMENT...: the same bytes
other_run() {
    net=$1; shift
    train "$net" "$tmp/other.h" --epochs 1 "$@" && cmp "$tmp/other.h" "$tmp/$net.h"
}

another() {
    net=$1; shift
    train "$net" "$tmp/other.h" --epochs 1 "$@" && other_weights "$tmp/other.h" "$tmp/$net.h"
}

# All test rows, every tuple legal, more hits for a larger k
evaluates() {
    evaluate "$tmp/$1.h" "$tmp/toy.csv" -k 1,5,24 >"$tmp/out.csv" || return 1
    [ "$(wc -l <"$tmp/out.csv")" -eq 4 ] &&
        awk -F, 'NR > 1 { if ($1 != "toy" || $2 != "config" || $6 < 10 || $9 != "100.00") exit 1
                          if ($7 < last) exit 1; last = $7 }
                 END { if (last != "100.00") exit 1 }' "$tmp/out.csv"
}

# Sizes that training never saw are the unknown word.
unseen() {
    evaluate "$tmp/$1.h" "$tmp/unseen.csv" -k 24 --rows all >"$tmp/out.csv" &&
        awk -F, 'NR == 2 && $6 == 240 && $7 == "100.00" { ok = 1 } END { exit !ok }' "$tmp/out.csv"
}

# pft HEADER: of the rows it was trained on and the others together, the first answer
pft() { evaluate "$1" "$tmp/toy.csv" -k 1 --rows all | sed 1d | cut -d, -f7; }

# One epoch teaches less than thirty.
learns() {
    train "$1" "$tmp/long.h" --epochs 30 || return 1
    echo "$(pft "$tmp/$1.h") $(pft "$tmp/long.h")" | tee "$tmp/pft" |
        awk '$2 < $1 + 10 { exit 1 }' || { cat "$tmp/pft"; return 1; }
}

# compiles COMPILER HEADER: an array of floats in C99, without a warning
compiles() {
    printf '#include "%s"\n' "$2" >"$tmp/header.c"
    # shellcheck disable=SC2086
    $1 -std=c99 $C_WARNINGS -fsyntax-only "$tmp/header.c"
}

# The method that --hits names is the kind of network.
named_in_hits() {
    evaluate "$tmp/$1.h" "$tmp/toy.csv" --hits "$tmp/$1.hits" >"$tmp/out" &&
        [ "$(sed 1d "$tmp/$1.hits" | cut -d, -f1,2,3 | sort -u)" = "$1,toy,config" ]
}

for net in $nets; do
    check "$net: train" train $net "$tmp/$net.h" --epochs 1 --threads 1
    check "$net: three threads" other_run $net --threads 3
    check "$net: another seed gives other weights" another $net --seed 2
    check "$net: another split gives other weights" another $net --split none
    check "$net: eval" evaluates $net
    check "$net: eval --hits" named_in_hits $net
    check "$net: sizes never seen" unseen $net
    check "$net: learns" learns $net
    for cc in gcc clang; do
        check_with $cc "$net: the header compiles, $cc" compiles $cc "$tmp/$net.h"
    done
done

# ---- bench ----

# bench_is HEADER NAME BYTES: two lines with the bytes as said, of which the wider beam takes more arena
bench_is() {
    "$trainer" bench "$1" --beam 1,24 --csv >"$tmp/bench.csv" || return 1
    awk -F, -v name="$2" -v bytes="$3" '
        NR == 1 { if ($0 != "model,beam,ns,ns_min,ns_p95,bytes,arena_words") exit 1; next }
        $1 != name || $6 != bytes || $4 <= 0 || $4 > $3 || $3 > $5 || $7 <= last { exit 1 }
        { last = $7 }
        END { if (NR != 3) exit 1 }' "$tmp/bench.csv" || { cat "$tmp/bench.csv"; return 1; }
}

# 4 bytes for each number of the array
paper_bench() {
    weights=$(sed -n '/_weights\[/,/;/p' "$tmp/$1.h" | grep -o '0x[0-9a-f]*p' | wc -l)
    [ "$weights" -gt 1000 ] && bench_is "$tmp/$1.h" "toy $1" $((4 * weights))
}

# The default network is timed as kpred times it: but for the times the same line, in the order
# given.
side_by_side() {
    train additive "$tmp/additive.h" --epochs 1 --float-out "$tmp/f32" &&
        "$BUILD/kpred" bench "$tmp/additive.h" --beam 1 --csv >"$tmp/kpred.csv" &&
        "$trainer" bench "$tmp/attn.h" "$tmp/additive.h" "$tmp/hybrid2.h" --beam 1 --csv \
            >"$tmp/bench.csv" || return 1
    [ "$(sed 1d "$tmp/bench.csv" | cut -d, -f1 | paste -sd, -)" = "toy attn,toy,toy hybrid2" ] &&
        [ "$(sed -n 3p "$tmp/bench.csv" | cut -d, -f1,2,6,7)" = \
            "$(sed -n 2p "$tmp/kpred.csv" | cut -d, -f1,2,6,7)" ]
}

# Nothing is printed for the first one if the second one cannot be opened.
bench_refuses() {
    sed 's/^\(static const char kpri_toy_net.* \)[0-9a-f]*"/\1123"/' "$tmp/attn.h" >"$tmp/broken.h"
    refuses 1 "broken.h: the content does not match the id" \
        "$trainer" bench "$tmp/encdec.h" "$tmp/broken.h" --beam 1
}

for net in encdec hybrid2; do check "bench: $net" paper_bench $net; done
check "bench: side by side" side_by_side
check "bench: a header that was tampered with" bench_refuses
refuse "bench --limit" 1 "toy attn: --limit knows kpred's own network alone" "$trainer" bench "$tmp/attn.h" --limit
refuse "bench: no such header" 1 "none.h: cannot open" "$trainer" bench "$tmp/none.h"
refuse "bench: --beam 0" 2 "--beam: " "$trainer" bench "$tmp/attn.h" --beam 0

# ---- what is refused ----

# changed NAME SED-PROGRAM PATTERN: a header that was tampered with
changed() {
    sed "$2" "$tmp/encdec.h" >"$tmp/changed.h"
    if cmp -s "$tmp/encdec.h" "$tmp/changed.h"; then
        failed "$1" "the test changes nothing"
    else
        refuse "$1" 1 "$3" evaluate "$tmp/changed.h" "$tmp/toy.csv"
    fi
}

refuse "unknown net" 2 "is none of additive|encdec|attn|attn2|hybrid|hybrid2" \
    train lstm "$tmp/none.h"
refuse "--float-out" 2 "--float-out is of --net additive alone" \
    train attn "$tmp/none.h" --float-out "$tmp/none.f32"
refuse "eval --float" 1 "it is a float network of its own" \
    evaluate "$tmp/attn.h" "$tmp/toy.csv" --float
refuse "kpred predict" 1 'only `kpred-train` runs it' \
    "$BUILD/kpred" predict "$tmp/attn.h" gpu=gfx906 kind=plain n=1 h=1
refuse "kpred bench" 1 'only `kpred-train` runs it' "$BUILD/kpred" bench "$tmp/attn.h"
changed "another weight" '/_weights\[/,$s/^0x[0-9a-f]*p/0x1p/' "does not match the id"
changed "another id" 's/^\(static const char kpri_toy_net.* \)[0-9a-f]*"/\1123"/' \
    "does not match the id 0000000000000123"
changed "another net" 's/"encdec /"attn /' "array weights"
changed "a net of no name" 's/"encdec /"lstm /' "an unknown net"
changed "another split" 's/"encdec config /"encdec shape /' "does not match the id"
changed "a weight that is none" '/_weights\[/,$s/^0x/nan,0x/' "array weights, number"
changed "weights missing" '/_weights\[/,$s/^.*0x.*$//' "array weights, number"
changed "more code" '$s/$/ \/\* more \*\//' "its code is not what its spec and weights give"
changed "another vocabulary" '/_sizes\[/,/}/s/^[0-9]*,/0,/' "does not match the id"
changed "a vocabulary out of order" '/_sizes\[/,/}/s/^[0-9]*,/9999,/' "contradict the spec"
changed "other dimensions" '/_shape\[/,/}/s/^4,/5,/' "contradict the spec"
changed "no spec" 's/^spec:$//' "no spec in its opening comment"

# ---- the paper's sizes, on the smallest kernel and one GPU: an epoch and an evaluation ----

data=${MIOPEN_DB:-../shared/miopen/data}/gfx906_60.db.bz2

# Of processor time, so that what else the machine does is not counted; two cores need less.
within_40_seconds() {
    ("$trainer" train weights/conv_asm_bwd_wrw_3x3.spec --net "$1" --data "$data" --epochs 1 \
        -o "$tmp/full.h" && "$trainer" eval "$tmp/full.h" --data "$data" -k 1 --csv &&
        times >"$tmp/times") || return 1
    tail -n 1 "$tmp/times" | tr 'ms' '  ' |
        awk '{ seconds = 60 * ($1 + $3) + $2 + $4; print seconds " s"; exit seconds > 40 }'
}

for net in attn hybrid2; do
    case ${CFLAGS:-} in
    *-fsanitize*) skipped "$net in the paper's size: within 40 seconds" "sanitizers are slow" ;;
    *) check_with "$data" "$net in the paper's size: within 40 seconds" within_40_seconds $net ;;
    esac
done

# ---- make paper ----

# A line for the shipped model and one for the network, of each type; the second time nothing is
# trained.
compares() {
    mkdir -p "$tmp/build" && ln -sf "$trainer" "$tmp/build/kpred-train" || return 1
    for time in first second; do
        EPOCHS=1 NETS=encdec KERNELS=conv_asm_bwd_wrw_3x3 K=1,2 \
            sh tools/report/compare.sh "$tmp/build" "$data" >"$tmp/$time" 2>"$tmp/$time.err" ||
            return 1
    done
    [ "$(grep -c '| additive | FP' "$tmp/first")" -eq 2 ] &&
        [ "$(grep -c '| encdec | FP' "$tmp/first")" -eq 2 ] &&
        cmp "$tmp/first" "$tmp/second" && grep -q trained "$tmp/first.err" &&
        ! grep -q trained "$tmp/second.err"
}

need_weights "make paper"
check_with "$data" "make paper" compares
test_end
