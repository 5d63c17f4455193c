#!/bin/sh
# reliability.sh - `kpred-train eval --reliability` against the same figures computed from what
# `kpred predict` prints
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
tiny=$root/tests/fixtures/tiny.spec

need_trainer "all"

# 120 problems, each on two GPUs, of which four rows share a key: the stride is no part of it, and no
# feature. Labels only partly follow from the problem. The spec has six tuples and no rule.
awk 'BEGIN {
    print "gpu,kind,n,h,stride,tile,mode"
    for (i = 0; i < 240; i++) {
        x = (x + 1) * 16807 % 2147483647; noise = int(x / 65536) % 4
        n = 2 ^ (int(i / 4) % 5); h = 4 + int(i / 4) % 12
        print (i % 2 ? "gfx900_56" : "gfx906_60") "," (i % 8 < 4 ? "plain" : "other") "," n "," h \
            "," 1 + int(i / 2) % 2 "," 2 ^ (noise ? n % 3 : noise % 3) "," (noise > 1 || h % 3 ? "fast" : "small")
    } }' >"$tmp/data.csv"
cd "$tmp" || exit 1
sed 's/^config .*/config = kind,n,h/' "$tiny" >tiny.spec
cat >>tiny.spec <<'END'
[derived]
ln = log2 n
[features]
onehot kind
hats ln 0 1 5
equals h 4 12
[network]
encoder1       = 16
encoder2       = 16
hidden         = 16
rounded_epochs = 1
teachers       = 1
teacher_epochs = 120
paper_cells    = 16
END
for net in additive encdec; do
    "$trainer" train tiny.spec --net $net --data data.csv --epochs 120 --threads 1 -o $net.h \
        >log 2>&1 || { failed "train $net" "$(head -3 log)"; test_end; exit; }
done

# evaluate HEADER ARGUMENT...: CSV of the probabilities; what it notes is in `note`
evaluate() {
    header=$1; shift
    "$trainer" eval "$header" --data data.csv --rows all --reliability "$@" 2>note
}

# as_csv HEADER ARGUMENT...: into figures.csv
as_csv() {
    evaluate "$@" --csv >figures.csv || { cat note; return 1; }
}

# recomputed K BY: the same again in Python
recomputed() {
    as_csv additive.h -k "$1" --by "$2" &&
        python3 "$root/tests/eval/reliability.py" figures "$kpred" figures.csv note "$1" "$2"
}

# ---- beside the usual table, for every kind of network ----

# as_pft HEADER ARGUMENT...: what is observed of all problems is Pft
as_pft() {
    as_csv "$@" -k 2,4 --by gpu || return 1
    "$trainer" eval "$@" --data data.csv --rows all --csv -k 2,4 --by gpu 2>/dev/null |
        sed 1d | cut -d, -f3,5,6,7 >pft
    awk -F, '$6 == "all" { print $3 "," $5 "," $7 "," $9 }' figures.csv | cmp - pft
}

# What the note tells: temperature, log-loss with it, temperature of the scores, log-loss with that
told() {
    sed -n 's/.*temperature \([0-9.]*\): .* \([0-9.]*\) bits .* by \([0-9.]*\), .* \([0-9.]*\) (.*/\1 \2 \3 \4/p' note
}

# HEADER ARGUMENT...: bins add up, their ece is what the line tells, and a temperature is told.
consistent() {
    as_csv "$@" -k 3 --by all || return 1
    awk -F, 'NR == 1 { if ($0 != "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece") exit 1 }
        NR > 1 && NF != 11 { exit 1 }
        NR > 1 && $6 != "all" { n += $7; gap = $9 - $8; gap = gap < 0 ? -gap : gap; sum += $7 * gap
            if ((gap - $11) ^ 2 > 2e-4) exit 1 }
        $6 == "all" { if (n != $7 || n != 240 || (sum / n - $11) ^ 2 > 2e-4) exit 1
            ends++; n = sum = 0 }
        END { if (ends != 1) exit 1 }' figures.csv || { cat figures.csv; return 1; }
    told | awk '$1 < 0.55 || $1 > 8 || $2 > $4 || $4 > 3 { exit 1 } END { exit NR != 1 }' ||
        { cat note; return 1; }
}

# loss_is_probability HEADER ARGUMENT...: of one problem, with each label in turn; where it is the
# first tuple, its log-loss is what its probability gives.
loss_is_probability() {
    header=$1 found=0; shift
    for problem in gfx900_56,plain,1,4,1 gfx906_60,other,8,9,1 gfx906_60,plain,4,6,1; do
        for label in 1,fast 1,small 2,fast 2,small 4,fast 4,small; do
            printf 'gpu,kind,n,h,stride,tile,mode\n%s,%s\n' $problem $label >one.csv
            "$trainer" eval "$header" "$@" --data one.csv --rows all --reliability --beam 6 --csv \
                >one 2>note || return 1
            percent=$(awk -F, '$6 == "all" && $9 == "100.00" { print $8 }' one)
            [ -n "$percent" ] || continue
            found=$((found + 1))
            echo "$(told) $percent" | awk '{
                off = $4 + log($5 / 100) / log(2); if (off ^ 2 > 4e-6) { print; exit 1 } }' ||
                return 1
        done
    done
    [ $found -eq 3 ]
}

# Rounding changes little.
float_is_near() {
    for option in "" --float; do
        as_csv additive.h $option && told | cut -d' ' -f4 || return 1
    done | paste -sd' ' - | awk '($1 - $2) ^ 2 > 1e-3 || $1 == $2 || NF != 2 { print; exit 1 }'
}

# With the temperature that was told in [calibration], by relayout: the scores have it, the tuples are the
# same in the same order, and the same temperature is told again.
calibrated() {
    as_csv additive.h -k 1 && told >before && temperature=$(cut -d' ' -f1 before) || return 1
    { cat tiny.spec; printf '[calibration]\nconfig = %s\n' "$temperature"; } >calibrated.spec
    "$trainer" relayout additive.h --spec calibrated.spec -o calibrated.h &&
        as_csv calibrated.h -k 1 && told >after || return 1
    paste -d' ' before after | awk '$1 != $5 || $2 != $6 || $7 != $1 || ($8 - $2) ^ 2 > 1e-6 { print; exit 1 }' ||
        return 1
    for header in additive calibrated; do
        "$kpred" predict $header.h gpu=gfx906_60 kind=other n=8 h=9 stride=1 -k 6 --csv >$header.csv ||
            return 1
    done
    cut -d, -f3- additive.csv >order && cut -d, -f3- calibrated.csv | cmp - order &&
        ! cmp -s additive.csv calibrated.csv
}

# ---- tools/train/calibrate.sh ----

# calibrate FOLDS OF: of tiny.spec, as it is called from the repository's root
calibrate() {
    mkdir -p build && ln -sf "$trainer" build/kpred-train && (cd "$root" &&
        sh tools/train/calibrate.sh "$tmp/build" config "$1" "$2" "$tmp/tiny.spec" "$tmp/data.csv")
}

# Each fold's network is what training on the others gives, its temperature what eval tells of it on that
# fold alone; the last line is their mean, each problem counting once.
calibrates() {
    calibrate 2 3 >lines 2>said || { cat said; return 1; }
    for fold in 0 1; do
        "$trainer" train tiny.spec --data data.csv --split config:$fold/3 -o fold.h 2>/dev/null &&
            cmp fold.h build/calibration/tiny.config.$fold-3.h &&
            "$trainer" eval fold.h --data data.csv -k 1 --beam 6 --reliability >table 2>note ||
            return 1
        echo "tiny config fold $fold/3: temperature $(told | cut -d' ' -f1)," \
            "$(sed -n 's/.*(\([0-9]*\) problems)$/\1/p' note) problems"
    done >want
    awk '{ print; power[NR] = $6 ^ $7; n += $7 }
         END { printf "config = %.2f  # the geometric mean, by problems\n",
                   (power[1] * power[2]) ^ (1 / n) }' want | diff - lines
}
# What is there is not trained again, but a fold of another number of folds has other problems.
calibrates_again() {
    calibrate 2 3 2>said | cmp - lines && ! grep . said && calibrate 1 2 2>/dev/null >halves &&
        grep -q "fold 0/2: temperature" halves &&
        [ "$(sed -n '1s/.*, //p' halves)" != "$(sed -n '1s/.*, //p' lines)" ]
}
# There is no fourth fold of three, and no mean of those before it.
calibrates_no_more() {
    calibrate 4 3 >lines 2>said && return 1
    [ "$(grep -c temperature lines)" -eq 3 ] && ! grep "mean" lines && grep -q 'config:3/3' said
}

# The same cells in every form
forms() {
    as_csv additive.h -k 3 --by all &&
        evaluate additive.h -k 3 --by all | tr -s ' ' ',' | cmp - figures.csv &&
        evaluate additive.h -k 3 --by all --json >figures.json || return 1
    python3 "$root/tests/eval/reliability.py" forms
}

# Where the kernel does not apply nothing is predicted: 0 percent, of which 0 came true, and no row
# to find a temperature with.
not_applicable() {
    {
        echo gpu,dir,dtype,n,c,h,w,k,stride,read_size,k_mult,chunks_per_wave,chunk_size,n_mult,\
c_mult,waves_c_in_group,waves_k_in_group
        echo gfx906,F,FP16,16,3,56,56,5,1,1,16,1,64,1,1,1,1
    } >never.csv
    "$trainer" eval conv_asm_1x1u --data never.csv --rows all --reliability --csv >figures.csv 2>note &&
        ! grep temperature note && [ "$(sed 1d figures.csv | cut -d, -f5-11 | paste -sd' ' -)" = \
            "1,0-10,1,0.00,0.00,0.00,0.00 1,all,1,0.00,0.00,0.00,0.00" ]
}

if has python3; then
    check "k = 1" recomputed 1 all
    check "k = 1 and 2" recomputed 1,2 all
    check "k = 2, by GPU" recomputed 2 gpu
    check "table, CSV and JSON" forms
else
    skipped "against kpred predict" "there is no python3"
fi
for model in additive.h "additive.h --float" encdec.h; do
    check "$model: observed is Pft" as_pft $model
    check "$model: sums" consistent $model
    check "$model: log-loss and probability" loss_is_probability $model
done
check "the float network is near" float_is_near
check "[calibration]" calibrated
check "calibrate.sh" calibrates
check "calibrate.sh keeps what it trained" calibrates_again
check "calibrate.sh with a fold that is none" calibrates_no_more
refuse "--hits as well" 2 "--hits and --reliability exclude each other" \
    "$trainer" eval encdec.h --data data.csv --reliability --hits x.csv
check_with "$root/weights/conv_asm_1x1u.h" "a kernel that does not apply" not_applicable
test_end
