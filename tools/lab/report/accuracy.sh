#!/bin/sh
# accuracy.sh BUILD DB... - measures every shipped model, and models of the shape split (in BUILD/shape), and writes
# weights/README.md (integer networks, all GPUs) and weights/accuracy.csv (also each GPU and type, and float networks).
# The kernels that the paper judges take the DBs; others, and timed data, take files of MIOPEN_DB, GEMM takes tables of
# TENSILE_CSV, AITER's kernels take those of AITER_CSV, Triton's those of TRITON_CONFIGS. `make accuracy` runs it.
# KERNELS in the environment: only these models (gemm: all of GEMM) are measured, and those of the others stay as both
# files have them; empty: none is measured. A section of weights/README.md without lines in weights/accuracy.csv is
# taken apart as if it were measured.
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

# As markdown, from eval's table of timed data, NET being int8 or float: a line for each group
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

# dimensions PLACE HEADER FILE...: a line for each file; the layout is item PLACE of a problem's key
dimensions() {
    place=$1 header=$2
    shift 2
    for file in "$@"; do
        "$train" eval "$header" --data "$file" -k 1 --by all --hits "$out.hits" >/dev/null 2>&1
        awk -F'"' -v place="$place" -v gpu="$(basename "$file" .HIP.fdb.txt.bz2)" '
            NR == 1 { next }
            { split($2, key, ","); split($3, cell, ","); d = key[place] == "NCDHW" ? 3 : 2
              n[d]++; exact[d] += cell[6] == 1; sum[d] += log(cell[6]) }
            END { printf "| %s |", gpu
                  for (d = 2; d <= 3; d++)
                      if (n[d]) printf " %d | %.2f | %.5f |", n[d], 100 * exact[d] / n[d], exp(sum[d] / n[d])
                      else printf " 0 | | |"
                  printf "\n" }' "$out.hits" >>"$out"
    done
}

# layout_of SPEC: which item of the key of `config` is the layout; nothing: none
layout_of() {
    spec_line "$1" split config | tr ',' '\n' | grep -nx layout | cut -d: -f1
}

timed() { # NAME FILE...
    name=$1
    shift
    say "" "## $name" "" \
        "This model learns from times. It is judged by the time of the best of its first k options beside the" \
        "time of the fastest measured one:" "" \
        "- share: the geometric mean of the speed that is reached; p1 and p5: what 1 % and 5 % of the problems" \
        "  do not exceed;" \
        "- exact: the percentage of problems whose fastest option is the first one;" \
        "- unlisted: the percentage of problems whose first option was not measured for them. Such an option is" \
        "  passed over, and the next one counts." "" \
        "The files are" \
        "$(basename -a "$@" | paste -sd, - | sed 's/,/, /g; s/$/./' | fold -s -w 112 | sed 's/ *$//')" "" \
        "| split | GPU | net | problems | groups | exact | share@1 | p1 | p5 | unlisted | share@2 | @4 |" \
        "|---|---|---|---|---|---|---|---|---|---|---|---|"
    for split in config shape; do
        prepare "$name" $split "$@"
        for net in int8 float; do
            shares $net "$build/$split/$name.h" all "$@"
            shares $net "$build/$split/$name.h" gpu "$@"
        done
    done
    place=$(layout_of "weights/$name.spec")
    [ -n "$place" ] || return 0
    say "" "These lines pool 2-D and 3-D problems. Apart, for \`config\`, int8, k = 1:" "" \
        "| GPU | 2-D problems | exact | share | 3-D problems | exact | share |" "|---|---|---|---|---|---|---|"
    dimensions "$place" "$build/config/$name.h" "$@"
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
    say "" "## $gemm_models" "" \
        "Tensile's tables have the time of every kernel on each of a few shapes, and the shipped models have" \
        "learnt all of them. So these figures are not theirs. For each shape a model was trained like them, but" \
        "without that shape, and judged by it (\`make gemm\`). The table shows int8: the geometric mean of the" \
        "share over shapes with its standard error; least is the lowest share of one shape." "" \
        "| layout | shapes | exact | share@1 | least@1 | share@2 | share@4 | share@8 | least@8 |" \
        "|---|---|---|---|---|---|---|---|---|"
    METHODS='' sh tools/lab/report/folds.sh "$build" "$TENSILE_CSV" >/dev/null
    for layout in $(layouts_of_gemm); do
        gemm "$(echo $layout | tr '[:lower:]' '[:upper:]')" "$build/gemm/$layout"-[0-9]*.csv
    done
    gemm all "$build"/gemm/??-[0-9]*.csv
}

# As markdown, a line for each group of a split's test rows: tables name the fastest kernel alone
winners_of() { # SPLIT NET BY NAME K,... FILE...
    winners_split=$1 net=$2 by=$3 name=$4 lists=$5
    shift 5
    flag=
    [ "$net" = int8 ] || flag=--float
    # shellcheck disable=SC2086
    "$train" eval "$build/$winners_split/$name.h" --data "$@" -k "$lists" --by "$by" $flag 2>/dev/null | awk -v net="$net" '
        NR == 1 { next }
        { g = $2 " | " $3; if (!(g in n)) order[++groups] = g
          n[g] = $6 " | " $7; pft[g] = pft[g] " " $8 " ± " $9 " |"
          if (!(g in legal) || $11 < legal[g]) legal[g] = $11 }
        END { for (i = 1; i <= groups; i++) { g = order[i]
              printf "| %s | %s | %s |%s %s |\n", g, net, n[g], pft[g], legal[g] } }' >>"$out"
}

winners() { # NAME
    name=$1
    say "" "## $name" "" \
        "| split | GPU | net | problems | groups | Pft@1 | @3 | @8 | legal |" "|---|---|---|---|---|---|---|---|---|"
    for split in config shape; do
        # shellcheck disable=SC2046
        train_ours "$name" $split $(data_of "weights/$name.spec" .)
        for net in int8 float; do
            # shellcheck disable=SC2046
            winners_of $split $net all "$name" 1,3,8 $(aiter_tables "weights/$name.spec")
            # shellcheck disable=SC2046
            winners_of $split $net gpu "$name" 1,3,8 $(aiter_tables "weights/$name.spec")
        done
    done
}

configurations() { # NAME FILE...
    name=$1
    shift
    say "" "## $name" "" \
        "| split | GPU | net | rows | shapes | Pft@1 | @4 | @10 | legal |" "|---|---|---|---|---|---|---|---|---|"
    for split in config shape; do
        train_ours "$name" $split "$@"
        for net in int8 float; do
            winners_of $split $net all "$name" 1,4,10 "$@"
        done
    done
}

# ---- the first page, from the sections ----

# A line of the pooled int8 figures of each section that has them
first_lines() {
    awk -F' *[|] *' '
        /^## / { name = substr($0, 4) }
        $4 == "all" && $5 == "int8" && $3 == "all" {
            split($8, one, " "); split($9, ten, " "); figures[$2] = one[1] " | " ten[1]
            if ($2 == "config") problems = $6
            else printf "| `%s` | %s | %s | %s |\n", name, problems, figures["config"], figures["shape"] }' "$1"
}

# A sentence for each section of timed data
first_sentences() {
    awk -F' *[|] *' '
        /^## / { name = substr($0, 4) }
        $2 == "split" { has_rows = $5 == "rows" }
        $2 == "config" && $3 == "all" && $4 == "int8" && NF == 14 {
            split($8, share, " ")
            printf "`%s` names the fastest solver first for %.1f %% of %d problems, 2-D and 3-D ones; its first " \
                "choice reaches %.3f of the fastest solver\047s speed (geometric mean). ", name, $7, $5, share[1] }
        $2 == "config" && $3 == "all" && $4 == "int8" && NF == 11 {
            split($7, one, " "); split($8, three, " ")
            if (has_rows)
                printf "`%s` names the tuned configuration of vLLM or SGLang first for %.1f %%, among four for %.1f %% of " \
                    "%d rows. ", name, one[1], three[1], $5
            else
                printf "`%s` names AITER\047s kernel first for %.1f %%, among three for %.1f %% of %d problems. ", \
                name, one[1], three[1], $5 }
        /^## gemm_mi100/ { gemm = 1 }
        gemm && $2 == "all" { split($5, share, " ")
            printf "The GEMM models of MI100 reach %.3f of the fastest kernel\047s speed on shapes that training has not " \
                "seen; there are only %d shapes.\n", share[1], $3 }' "$1" | fold -s -w 112 | sed 's/ *$//'
}

first_page() {
    say "# How good the shipped models are" "" "GENERATED by \`make accuracy\` - DO NOT EDIT." "" \
        "Each model was judged on a tenth of the problems of AMD's own tuning databases, which training did not" \
        "see. The table shows, in percent, how often the tuned optimum is the first tuple returned, and how often it" \
        "is among the first ten; the last two columns are for tensor shapes of which training has seen no problem." \
        "" "| model | problems | first | among ten | new shape: first | among ten |" "|---|---|---|---|---|---|"
    first_lines "$1" >>"$out"
    say ""
    first_sentences "$1" >>"$out"
    say "Every tuple returned obeys the model's rule." "" \
        "Nothing was timed on a GPU: a perf-db names one tuple a problem and no time, so how fast the other tuples" \
        "are is not known. Other ways to predict stand beside these in [docs/accuracy.md](../docs/accuracy.md);" \
        "[docs/protocol.md](../docs/protocol.md) says how the figures come about. A reader who wants no more than" \
        "this can stop here." "" "## How to read the tables" "" \
        "The data are MIOpen's tuning databases, tables of Tensile and of AITER (MIT licence), and the configurations" \
        "of vLLM and SGLang (Apache-2.0); each header names its files by sha256. The \`config\` split keeps" \
        "whole problems from training, the \`shape\` split keeps tensor shapes; a problem that is kept is unseen on" \
        "every GPU. The shipped headers of MIOpen's kernels are trained for \`config\`; the others have learnt all rows." \
        "So the figures of these others are those of models that were trained like them, without the rows of the split." "" \
        "The tables below show the integer networks on all GPUs and types. [accuracy.csv](accuracy.csv) has a line for each" \
        "GPU and type too, for the float networks, and Avg@k." "" \
        "AITER's tables name the fastest kernel of a problem. A file of vLLM or SGLang names the fastest configuration for" \
        "each M. [docs/accuracy.md](../docs/accuracy.md) and [docs/triton.md](../docs/triton.md) show these kernels beside" \
        "other ways to choose." "" "| column | meaning |" "|---|---|" \
        "| Pft@k | percent of problems whose tuned optimum is, whole, among the k tuples, with its standard error over the groups that the split keeps together |" \
        "| Avg@k | the percentage of parameters that agree, for the tuple of the k that agrees best |" \
        "| legal | the percentage of returned tuples that the rule accepts |" \
        "| net | int8: the network that ships; float: the one before rounding |" "" \
        "An optimum that the kernel's rule rejects counts as a miss. One line comes from" "" \
        "    kpred-train eval FILE.h --data $dbs_named-k $k --by BY [--float]" "" \
        "with weights/NAME.h, or for the shape split the header that" "" \
        "    sh tools/train/train_model.sh build/kpred-train weights/NAME.spec FILE.h '--split shape' DB..." "" \
        "writes." "" \
        "The lines \"paper\" come from \"Optimal Kernel Tuning Parameter Prediction using Deep Sequence Models\". It" \
        "used its own extract of MIOpen's database, its own random tenth, one GPU and constrained beam search" \
        "(ConvAsmBwdWrW3x3: without constraints)."
}

# ---- all ----

columns=model,split,gpu,type,net,n,groups
for count in 1 3 4 8 10 30 50 100; do columns=$columns,pft$count,pft${count}_error; done
columns=$columns,avg1,avg10,avg30,avg50,avg100,exact,share1,share1_error,share2,share4,p1,p5,unlisted,legal

# apart NAME csv|page: of a section's Markdown, all rows of its main table as CSV, or the section with those of the
# integer network on all GPUs and types alone and without Avg
apart() {
    awk -F' *[|] *' -v name="$1" -v to="$2" -v columns=$columns '
        function show(i, line) { # without the cells of Avg
            line = "|"
            for (i = 2; i < NF; i++) if (is[i] !~ /^avg/) line = line (head == NR - 1 ? "---|" : " " $i " |")
            print line }
        function figures(i, part, of, line) {
            split("", of)
            of["model"] = name
            for (i = 2; i < NF; i++) { split($i, part, " ± "); of[is[i]] = part[1]
                if ($i ~ / ± /) of[is[i] "_error"] = part[2] }
            for (i = 1; i <= count; i++) line = line (i > 1 ? "," : "") of[column[i]]
            print line }
        BEGIN { count = split(columns, column, ",") }
        $2 == "split" && $3 == "GPU" { head = NR; cells = NF
            for (i = 2; i < NF; i++) { is[i] = tolower($i); at = index($i, "@")
                if (at > 1) kind = tolower(substr($i, 1, at - 1))
                if (at) is[i] = kind substr($i, at + 1)
                if ($i == "problems" || $i == "rows") is[i] = "n"
                if ($i == "shapes") is[i] = "groups"
                if ($i == "net") net = i }
            type = is[4] == "type" ? 4 : 3 }
        { main = head && NF == cells && /^[|]/ }
        main && NR > head + 1 && to == "csv" { figures() }
        main && to == "page" && (NR <= head + 1 || $3 == "all" && $type == "all" && $net == "int8") { show() }
        !main && to == "page"'
}

# section NAME HEADING FUNCTION ARGUMENT...: measured, or as it stands
section() {
    section_name=$1 section_heading=$2
    shift 2
    mv "$out" "$out.before"
    : >"$out"
    : >"$out.kept"
    case " ${KERNELS-$section_name} " in
    *" $section_name "*) "$@" ;;
    *)
        awk -v heading="## $section_heading" '/^## / { on = $0 == heading } on' weights/README.md >"$out.kept"
        [ -s "$out.kept" ] || { echo "accuracy.sh: weights/README.md has no section $section_name" >&2; exit 1; }
        say "" "$(cat "$out.kept")"
        [ ! -r weights/accuracy.csv ] || grep "^$section_name," weights/accuracy.csv >"$out.kept" || : >"$out.kept"
        [ -r weights/accuracy.csv ] || : >"$out.kept" ;;
    esac
    [ -s "$out.kept" ] || apart "$section_name" csv <"$out" >"$out.kept"
    cat "$out.kept" >>"$out.csv"
    apart "$section_name" page <"$out" >>"$out.before"
    mv "$out.before" "$out"
}

gemm_models=$(specs_of tensile | sed 's|.*/||; s/\.spec$//' | paste -sd, | sed 's/,/, /g')
dbs_named=$(basename -a "$@" | tr '\n' ' ')
echo $columns >"$out.csv"
for name in $(all_kernels); do
    section "$name" "$name" kernel "$name" "$@"
done
for name in $(more_kernels); do
    # shellcheck disable=SC2046
    section "$name" "$name" kernel "$name" $(data_of "weights/$name.spec" "$MIOPEN_DB")
done
for spec in $(timed_specs); do
    name=$(basename "$spec" .spec)
    # shellcheck disable=SC2046
    section "$name" "$name" timed "$name" $(data_of "$spec" "$MIOPEN_DB")
done
for spec in $(specs_of aiter); do
    name=$(basename "$spec" .spec)
    section "$name" "$name" winners "$name"
done
for spec in $(specs_of triton); do
    name=$(basename "$spec" .spec)
    # shellcheck disable=SC2046
    section "$name" "$name" configurations "$name" $(data_of "$spec" .)
done
[ -z "$(specs_of tensile)" ] || section gemm "$gemm_models" all_gemm
mv "$out" "$out.sections"
first_page "$out.sections"
cat "$out.sections" >>"$out"
mv "$out.csv" weights/accuracy.csv
mv "$out" weights/README.md
chmod 644 weights/README.md weights/accuracy.csv
