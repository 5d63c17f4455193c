#!/bin/sh
# accuracy.sh BUILD DB... - measures every shipped model, and models trained on the shape split (into
# BUILD/shape), integer and float, and writes weights/README.md. The DBs are those of the kernels that
# the paper judges; those of others, and timed data, come from MIOPEN_DB, and from TENSILE_CSV for GEMM.
# `make accuracy` runs it.
# SPDX-License-Identifier: MIT
set -eu
build=$1
shift
train=$build/kpred-train
k=1,10,30,50,100
out=$(mktemp "$build/accuracy.XXXXXX")
trap 'rm -f "$out" "$out".*' EXIT
. tools/train/trained.inc

say() { printf '%s\n' "$@" >>"$out"; }

# id_of HEADER: of its model; the commands in the headers differ by where kpred.h lies
id_of() { sed -n 's/^   id \([0-9a-f]*\), .*/\1/p' "$1"; }

# Trains NAME for SPLIT into BUILD/SPLIT unless that very model is there with its float network.
prepare() { # NAME SPLIT DB...
    header=$build/$2/$1.h
    [ -r "${header%.h}.f32" ] || rm -f "$header"
    train_ours "$@"
    if [ "$2" = config ] && [ "$(id_of "$header")" != "$(id_of "weights/$1.h")" ]; then
        echo "note: weights/$1.h is not what these data files give" >&2
    fi
}

# One line a group: net split gpu dtype n groups, then "pft se" for each k, avg for each k, legal
measure() { # NET HEADER BY DB...
    net=$1 header=$2 by=$3
    shift 3
    flag=
    [ "$net" = int8 ] || flag=--float
    "$train" eval "$header" --data "$@" -k $k --by "$by" $flag 2>/dev/null | awk -v net="$net" '
        NR == 1 { next }
        { g = $2 " " $3 " " $4; if (!(g in n)) order[++groups] = g
          n[g] = $6; units[g] = $7; pft[g] = pft[g] " " $8 " " $9
          avg[g] = avg[g] " " $10
          if (!(g in legal) || $11 < legal[g]) legal[g] = $11 }
        END { for (i = 1; i <= groups; i++) { g = order[i]
              print net, g, n[g], units[g] pft[g] avg[g], legal[g] } }'
}

rows() { # as markdown, from measure
    awk '{ printf "| %s | %s | %s | %s | %d | %d |", $2, $3, $4, $1, $5, $6
           for (i = 7; i < 17; i += 2) printf " %.1f ± %.1f |", $i, $(i + 1)
           for (i = 17; i < 22; i++) printf " %.1f |", $i
           printf " %s |\n", $22 }'
}

rounding() { # what rounding to int8 changes, pooled, from $out.pooled
    awk '$3 == "all" && $4 == "all" { for (i = 7; i < 17; i += 2) pft[$2, $1, i] = $i }
         END { split("config shape", splits)
               for (s = 1; s <= 2; s++) {
                   printf "| %s |", splits[s]
                   for (i = 7; i < 17; i += 2)
                       printf " %+.2f |", pft[splits[s], "int8", i] - pft[splits[s], "float", i]
                   printf "\n" } }' "$out.pooled" >>"$out"
}

compare() { # NAME: pooled over the GPUs beside the paper, from $out.pooled
    for dtype in FP32 FP16; do
        for split in config shape; do
            awk -v d=$dtype -v s=$split '$1 == "int8" && $2 == s && $4 == d {
                printf "| %s | %s | ours | %.1f | %.1f | %.1f | %.1f |\n", d, s, $9, $11, $13, $15
            }' "$out.pooled" >>"$out"
        done
        # shellcheck disable=SC2046
        say "$(printf '| %s | its own | paper | %s | %s | %s | %s |' $dtype \
            $(published "$1" $dtype beam))"
    done
}

kernel() { # NAME DB...
    name=$1
    shift
    prepare "$name" config "$@"
    prepare "$name" shape "$@"
    : >"$out.rows"
    : >"$out.pooled"
    for split in config shape; do
        for net in int8 float; do
            measure $net "$build/$split/$name.h" gpu,dtype "$@" >>"$out.rows"
            measure $net "$build/$split/$name.h" dtype "$@" >>"$out.pooled"
            measure $net "$build/$split/$name.h" all "$@" >>"$out.pooled"
        done
    done
    say "" "## $name" "" \
        "| split | GPU | type | net | problems | groups | Pft@1 | @10 | @30 | @50 | @100 | Avg@1 | @10 | @30 | @50 | @100 | legal |" \
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    rows <"$out.pooled" >>"$out"
    rows <"$out.rows" >>"$out"
    say "" "Change by rounding to int8, all rows of a split, points of Pft:" "" \
        "| split | @1 | @10 | @30 | @50 | @100 |" "|---|---|---|---|---|---|"
    rounding
    all_kernels | grep -qx "$name" || return 0
    say "" "Beside the paper, pooled over the GPUs, Pft:" "" \
        "| type | split | | @10 | @30 | @50 | @100 |" "|---|---|---|---|---|---|---|"
    compare "$name"
}

# As markdown, of eval's table of timed data, NET being int8 or float: a line for each group
shares() { # NET HEADER BY FILE...
    net=$1 header=$2 by=$3
    shift 3
    flag=
    [ "$net" = int8 ] || flag=--float
    "$train" eval "$header" --data "$@" -k 1,2,4 --by "$by" $flag 2>/dev/null | awk -v net="$net" '
        NR == 1 { next }
        { g = $2 " | " $3; if (!(g in line)) order[++groups] = g }
        $5 == 1 { line[g] = sprintf("| %s | %s | %d | %d | %s | %s ± %s | %s | %s | %s |", g, net, $6, $7,
                      $12, $13, $14, $15, $16, $17); next }
        { line[g] = line[g] sprintf(" %s |", $13) }
        END { for (i = 1; i <= groups; i++) print line[order[i]] }' >>"$out"
}

timed() { # NAME FILE...
    name=$1
    shift
    say "" "## $name" "" \
        "| split | GPU | net | problems | groups | exact | share@1 | p1 | p5 | unlisted | share@2 | @4 |" \
        "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for split in config shape; do
        prepare "$name" $split "$@"
        for net in int8 float; do
            shares $net "$build/$split/$name.h" all "$@"
            shares $net "$build/$split/$name.h" gpu "$@"
        done
    done
}

# One line of the GEMM table: LAYOUT, as it is called, and the outcomes of its folds
gemm() { # NAME FILE...
    gemm_name=$1
    shift
    awk -F, -v name="$gemm_name" '
        FNR > 1 { k = $6; n[k]++; sum[k] += log($9); square[k] += log($9) ^ 2; exact[k] += $7
                  if (!(k in least) || $9 < least[k]) least[k] = $9 }
        END { for (k = 1; k <= 8; k *= 2) { mean = sum[k] / n[k]; share[k] = exp(mean)
                  se[k] = share[k] * sqrt((square[k] - n[k] * mean ^ 2)) / n[k] }
              printf "| %s | %d | %.2f | %.5f ± %.5f | %.5f | %.5f | %.5f ± %.5f | %.5f ± %.5f | %.5f |\n",
                  name, n[1], 100 * exact[1] / n[1], share[1], se[1], least[1], share[2], share[4],
                  se[4], share[8], se[8], least[8] }' "$@" >>"$out"
}

all_gemm() {
    say "" "## $(specs_of tensile | sed 's|.*/||; s/\.spec$//' | paste -sd, | sed 's/,/, /g')" "" \
        "Every kernel was timed on each of the few shapes of Tensile's tables, and what ships has learnt all" \
        "of them. So these are not its own figures but those of models that were trained as it is, each" \
        "without one shape, and judged by that shape (\`make gemm\`): int8, the share's geometric mean over" \
        "shapes with its standard error; least: the lowest of one shape." "" \
        "| layout | shapes | exact | share@1 | least@1 | share@2 | share@4 | share@8 | least@8 |" \
        "|---|---|---|---|---|---|---|---|---|"
    METHODS='' sh tools/report/folds.sh "$build" "$TENSILE_CSV" >/dev/null
    for layout in $(layouts_of_gemm); do
        gemm "$(echo $layout | tr '[:lower:]' '[:upper:]')" "$build/gemm/$layout"-[0-9]*.csv
    done
    gemm all "$build"/gemm/??-[0-9]*.csv
}

say "# How good the shipped models are" "" \
    "GENERATED by \`make accuracy\` - DO NOT EDIT." "" \
    "Data: MIOpen's tuning databases (MIT licence), as named with their sha256 in each header. A tenth of" \
    "the problems is kept from training: in the \`config\` split by whole problem, in \`shape\` by tensor" \
    "shape; a problem kept is unseen on every GPU. The shipped headers are those of \`config\`, but for GEMM." "" \
    "Pft@k: percent of these problems whose tuned optimum is, whole, among the k tuples returned, with" \
    "its standard error over the groups that the split keeps together. Avg@k: of the tuple that agrees" \
    "best, percent of parameters that agree. legal: percent of returned tuples that the rule accepts." \
    "int8 is the network that ships, float the one before rounding. Optima that the kernel's rule" \
    "rejects count as a miss. One line comes from" "" \
    "    kpred-train eval FILE.h --data $(basename -a "$@" | tr '\n' ' ')-k $k --by BY [--float]" "" \
    "with weights/NAME.h, or for the shape split the header that" "" \
    "    sh tools/train/train_model.sh build/kpred-train weights/NAME.spec FILE.h '--split shape' DB..." "" \
    "writes."
for name in $(all_kernels); do
    kernel "$name" "$@"
done
for name in $(more_kernels); do
    # shellcheck disable=SC2046
    kernel "$name" $(data_of "weights/$name.spec" "$MIOPEN_DB")
done
say "" "Models that learn from times are judged by the time of the best of their first k options beside" \
    "that of the fastest one measured: share, the geometric mean of the speed that is reached; p1 and" \
    "p5, what 1 % and 5 % of the problems do not exceed; exact, percent where it is the fastest. An" \
    "option that was not measured for the problem is passed over; unlisted: how often the first was one." \
    "Files:" "$(for spec in $(timed_specs); do data_of "$spec" .; done | sed 's/^..//' | paste -sd' ' -)"
for spec in $(timed_specs); do
    # shellcheck disable=SC2046
    timed "$(basename "$spec" .spec)" $(data_of "$spec" "$MIOPEN_DB")
done
[ -z "$(specs_of tensile)" ] || all_gemm
say "" \
    "The paper's figures are those of \"Optimal Kernel Tuning Parameter Prediction using Deep Sequence" \
    "Models\": its own extract of MIOpen's database and its own random tenth, one GPU, constrained beam" \
    "search (ConvAsmBwdWrW3x3: without constraints)."
mv "$out" weights/README.md
chmod 644 weights/README.md
