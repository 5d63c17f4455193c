#!/bin/sh
# accuracy.sh BUILD DB... - `make accuracy`: measures every shipped model, and models of the shape split (BUILD/shape):
# weights/accuracy.csv (each GPU and type, integer and float networks), and from it weights/README.md (integer, all GPUs).
# The kernels that the paper judges take the DBs; others, and timed data, take files of MIOPEN_DB, GEMM takes tables of
# TENSILE_CSV, AITER's kernels take those of AITER_CSV, Triton's those of TRITON_CONFIGS.
# KERNELS in the environment: only these models (gemm: all of GEMM) are measured; empty: none. The others stay.
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

# What eval prints of the integer network, or of the one in floats
judge() { # NET HEADER OPTION...
    judged=$1
    shift
    [ "$judged" = int8 ] || set -- "$@" --float
    "$train" eval "$@" 2>/dev/null
}

# One line a group: net split gpu dtype n groups, then "pft se" for each k, avg for each k, legal
measure() { # NET HEADER BY DB...
    net=$1 header=$2 by=$3
    shift 3
    judge "$net" "$header" --data "$@" -k $k --by "$by" | awk -v net="$net" '
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

rounding() { # what rounding to int8 changes, a line for each split, from measure's lines of all rows
    awk '$3 == "all" && $4 == "all" { for (i = 7; i < 17; i += 2) pft[$2, $1, i] = $i; n[$2] = $5; groups[$2] = $6 }
         END { split("config shape", splits)
               for (s = 1; s <= 2; s++) {
                   printf "| %s | all | all | change | %d | %d |", splits[s], n[splits[s]], groups[splits[s]]
                   for (i = 7; i < 17; i += 2)
                       printf " %+.2f |", pft[splits[s], "int8", i] - pft[splits[s], "float", i]
                   print " | | | | | |" } }'
}

kernel() { # NAME DB...
    name=$1
    shift
    prepare "$name" config "$@"
    prepare "$name" shape "$@"
    : >"$out.rows"
    for parts in "dtype all" gpu,dtype; do
        for split in config shape; do
            for net in int8 float; do
                for by in $parts; do measure $net "$build/$split/$name.h" "$by" "$@" >>"$out.rows"; done
            done
        done
    done
    say "" "## $name" "" \
        "| split | GPU | type | net | problems | groups | Pft@1 | @10 | @30 | @50 | @100 | Avg@1 | @10 | @30 | @50 | @100 | legal |" \
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    rows <"$out.rows" >>"$out"
    rounding <"$out.rows" >>"$out"
}

# As markdown, from eval's table of timed data, NET being int8 or float: a line for each group
shares() { # NET HEADER BY FILE...
    net=$1 header=$2 by=$3
    shift 3
    judge "$net" "$header" --data "$@" -k 1,2,4 --by "$by" | awk -v net="$net" '
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
        "This model learns from times. The best of its first k options is compared with the fastest measured option:" "" \
        "- share: the time of the fastest option divided by that of the best of the k, as a geometric mean;" \
        "- p1 and p5: the shares that 1 % and 5 % of the problems do not exceed;" \
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
    METHODS='' sh tools/lab/report/gemm.sh tensile "$build" "$TENSILE_CSV" >/dev/null
    for layout in $(layouts_of_gemm); do
        gemm "$(echo $layout | tr '[:lower:]' '[:upper:]')" "$build/gemm/$layout"-[0-9]*.csv
    done
    gemm all "$build"/gemm/??-[0-9]*.csv
}

# As markdown, a line for each group of a split's test rows: tables name the fastest kernel alone
winners_of() { # SPLIT NET BY NAME K,... FILE...
    winners_split=$1 net=$2 by=$3 name=$4 lists=$5
    shift 5
    judge "$net" "$build/$winners_split/$name.h" --data "$@" -k "$lists" --by "$by" | awk -v net="$net" '
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

# ---- the page, from the CSV ----

# The integer network's figures on all GPUs and types, Pft at COUNTS, a line for each model and split
hits_of() { # SAYS COUNTS MODEL...
    hits_says=$1 counts=$2
    shift 2
    say "" "| model | split | $hits_says | $(echo "Pft@$counts" | sed 's/,/ | @/g') |" \
        "|---|---|---|---|$(echo $counts | sed 's/[0-9]*,*/---|/g')"
    awk -F, -v names="$*" -v counts=$counts '
        BEGIN { m = split(names, name, " "); c = split(counts, count, ",") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["gpu"] == "all" && $at["type"] ~ /^(all)?$/ && $at["net"] == "int8" {
            line = sprintf("| `%s` | %s | %d | %d |", $1, $2, $at["n"], $at["groups"])
            for (i = 1; i <= c; i++) line = line " " $at["pft" count[i]] " ± " $at["pft" count[i] "_error"] " |"
            lines[$1] = lines[$1] line "\n" }
        END { for (i = 1; i <= m; i++) printf "%s", lines[name[i]] }' "$out.csv" >>"$out"
}

names_of() { # FORMAT: of the specs that have it
    specs_of "$1" | sed 's|.*/||; s/\.spec$//'
}

first_page() {
    say "# How good the shipped models are" "" "GENERATED by \`make accuracy\` - DO NOT EDIT." "" \
        "Each model was judged on problems of the published tuning data that training did not see. The top-k hit rate" \
        "(Pft@k) is the percentage of problems whose tuned optimum is, whole, among the first k tuples. ± is one standard" \
        "error over the groups that the split keeps together. The split \`config\` holds out whole problems, and the split" \
        "\`shape\` holds out tensor shapes. Models that ship with all rows learnt were trained alike without these rows." \
        "[protocol.md](../tools/lab/docs/protocol.md) says how the figures come about." "" \
        "Every tuple returned obeys the model's rule. **Nothing was timed on a GPU:** a perf-db names one tuple a problem" \
        "and no time, so nobody knows how fast the other tuples are." "" \
        "The tables show the integer networks, all GPUs and types together. [accuracy.csv](accuracy.csv) has a line for each" \
        "GPU and type, the float networks, Avg@k (the percentage of parameters that agree, for the tuple of the k that agrees" \
        "best), the percentage of tuples that are legal, and what rounding changes at each k." \
        "[accuracy.md](../tools/lab/docs/accuracy.md) has the paper's figures and other ways to predict." "" \
        "## MIOpen's kernels"
    # shellcheck disable=SC2046
    hits_of "problems | groups" $k $(all_kernels) $(more_kernels)
    say "" "## AITER's kernels" "" "AITER's tables name the fastest kernel of a problem, and its split of K."
    # shellcheck disable=SC2046
    hits_of "problems | groups" 1,3,8 $(names_of aiter)
    say "" "## Triton's kernels" "" \
        "A file of vLLM or SGLang names the fastest configuration for each M. [docs/triton.md](../docs/triton.md) shows these" \
        "models beside other ways to choose."
    # shellcheck disable=SC2046
    hits_of "rows | shapes" 1,4,10 $(names_of triton)
}

last_page() {
    say "" "## Where the figures come from" "" \
        "[protocol.md](../tools/lab/docs/protocol.md#the-data) names the data, and each header its files. One line comes from" "" \
        "    kpred-train eval FILE.h --data $dbs_named-k $k --by BY [--float]" "" \
        "FILE.h is weights/NAME.h. For the split \`shape\` it is the header that this command writes:" "" \
        "    sh tools/train/train_model.sh build/kpred-train weights/NAME.spec FILE.h '--split shape' DB..."
}

# ---- all ----

columns=model,split,gpu,type,net,n,groups
for count in 1 3 4 8 10 30 50 100; do columns=$columns,pft$count,pft${count}_error; done
columns=$columns,avg1,avg10,avg30,avg50,avg100,exact,share1,share1_error,share2,share4,p1,p5,unlisted,legal

# apart NAME csv|page: of a section's Markdown, all rows of its main table as CSV, or the section with those of the
# integer network on all GPUs alone
apart() {
    awk -F' *[|] *' -v name="$1" -v to="$2" -v columns=$columns '
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
                if ($i == "shapes") is[i] = "groups" } }
        { main = head && NF == cells && /^[|]/ }
        main && NR > head + 1 && to == "csv" { figures() }
        to == "page" && (!main || NR <= head + 1 || $3 == "all" && $4 == "int8")' # of timed data
}

# section NAME HEADING FUNCTION ARGUMENT...: measured, or as it stands; the page has text of timed data and of GEMM alone
section() {
    section_name=$1 section_heading=$2 section_function=$3
    shift 3
    mv "$out" "$out.before"
    : >"$out"
    case " ${KERNELS-$section_name} " in
    *" $section_name "*)
        $section_function "$@"
        apart "$section_name" csv <"$out" >"$out.kept" ;;
    *)
        awk -v heading="## $section_heading" '/^## / { on = $0 == heading } on' weights/README.md >"$out.kept"
        say "" "$(cat "$out.kept")"
        grep "^$section_name," weights/accuracy.csv >"$out.kept" || [ "$section_name" = gemm ] ||
            { echo "accuracy.sh: weights/accuracy.csv has no line of $section_name" >&2; exit 1; } ;;
    esac
    cat "$out.kept" >>"$out.csv"
    case $section_function in timed | all_gemm) apart "$section_name" page <"$out" >>"$out.before" ;; esac
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
first_page
cat "$out.sections" >>"$out"
last_page
mv "$out.csv" weights/accuracy.csv
mv "$out" weights/README.md
chmod 644 weights/README.md weights/accuracy.csv
