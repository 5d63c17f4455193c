#!/bin/sh
# report.sh - `make report`: figures of the document against sums of the test's own, what is missing
# is said, what is wrong is refused; and measure.sh on a few rows
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need python3 "tools/report"

# ---- measurements made up ----

# Two kernels, the second with two networks of the paper and the chain, and one that the paper does not
# judge; keys are DTYPE,N.
mkdir "$tmp/weights" "$tmp/full" "$tmp/full/frontier" "$tmp/full/retuned" "$tmp/full/timed" \
    "$tmp/empty" "$tmp/docs"
for kernel in conv_asm_1x1u:ConvAsm1x1U conv_asm_bwd_wrw_3x3:ConvAsmBwdWrW3x3 \
    conv_asm_3x3u:ConvAsm3x3U; do
    name=${kernel%:*}
    cat >"$tmp/weights/$name.spec" <<END
[kernel]
name = $name
rule = unconstrained
[data]
format = miopen
solver = ${kernel#*:}
filter = 1x1
pad = 0
[fields]
gpu = gfx900_56 gfx906_60
dtype = FP32 FP16
n = size
[params]
tile = 1 2 4
[split]
config = dtype,n
shape = n
[network]
hidden = 48
END
    echo "/* id 0123456789abcdef, 12345 bytes; */" >"$tmp/weights/$name.h"
done
for layout in nn nt tn; do
    printf '[data]\nformat = tensile\n' >"$tmp/weights/gemm_mi100_$layout.spec"
done

printf '%s\n' '[kernel]' 'name = conv_solver' 'rule = unconstrained' '[data]' 'format = find-db' \
    '[fields]' 'gpu = gfx90a6e' 'n = size' '[params]' 'solver = fft naive' '[split]' 'config = n' \
    'shape = n' >"$tmp/weights/conv_solver.spec"

python3 tests/report/made_up.py measurements "$tmp/full"
cat >"$tmp/weights/conv_solver.spec" <<'END'
[kernel]
name = conv_solver
[data]
format = find-db
[fields]
dir = F
layout = NCHW NCDHW
n = size
[params]
solver = A B
[split]
config = dir,layout,n
shape = n
END

# report FOLDER ARGUMENT...: the document of that folder's measurements; $path: where programs are
path=$PATH
report() {
    folder=$1
    shift
    env PATH="$path" python3 tools/report/report.py "$tmp/$folder" --weights "$tmp/weights" \
        -o "$tmp/docs/accuracy.md" "$@"
}

# has_line TEXT: the document has that line
has_line() {
    grep -qxF -e "$1" "$tmp/docs/accuracy.md" && return
    echo "not there: $1"
    return 1
}

# ---- figures ----

figures() {
    python3 tests/report/figures.py figures "$tmp"
}

# Ten of ours beside a hundred of the paper's: 40.91 and 87.27 for ConvAsm1x1U
ten_and_hundred() {
    sed 's/,10,0,/,10,1,/' "$tmp/full/conv_asm_1x1u.config.ours.hits.csv" |
        awk -F, '/,10,1,/ && /FP16/ { sub(/,10,1,/, ",10,0,") } { print }' >"$tmp/hits"
    mkdir "$tmp/ten" && cp "$tmp/full/"*.rows.csv "$tmp/ten" &&
        cp "$tmp/hits" "$tmp/ten/conv_asm_1x1u.config.ours.hits.csv" && report ten &&
        tr '\n' ' ' <"$tmp/docs/accuracy.md" |
        grep -qF "our Pft@10 is above the paper's Pft@100 in \
1 of 2 rows (ConvAsm1x1U FP32; not ConvAsm1x1U FP16)."
}

# All kernels whose networks are all there, together; groups of one are none of another.
pooled() {
    mkdir "$tmp/pooled" || return 1
    cp "$tmp/full/"*.rows.csv "$tmp/full/"*.ours.hits.csv "$tmp/pooled"
    for net in encdec attn attn2 hybrid hybrid2; do
        for kernel in conv_asm_1x1u conv_asm_bwd_wrw_3x3; do
            sed "s/^attn,[^,]*/$net,$kernel/" "$tmp/full/"*.attn.hits.csv \
                >"$tmp/pooled/$kernel.config.$net.hits.csv"
        done
    done
    report pooled && python3 tests/report/figures.py pooled "$tmp"
}

single_lines() {
    report full || return 1
    no='not measured' ends='From the least end of all brackets to the root of the greatest one'
    times=' | not measured | 246.0 (x 123) | not measured | not measured | not measured'
    has_line "| ConvAsm1x1U | FP32 | paper's own |  | 19.89 | 30.40 | 34.52 | 40.91 |" &&
        has_line "| ConvAsmBwdWrW3x3 | µs, beam 1 | 2.0$times | 3.0 (x 2) |" &&
        has_line "| ConvAsm1x1U | $no | 40 / 60; 1,235 | $no | $no | $no |" &&
        has_line "| ConvAsm1x1U | bytes | 12,345 | $no | 777,000 | $no | $no | $no | $no |" &&
        has_line "| ConvAsm1x1U | config | 1 | 30 | 12.3 | 15.7 ± 2.1 | 3.2 | 4.1 |" &&
        has_line "| conv_solver | config | 1 | 40 | 44.4 | 50.0 ± 5.5 | 5.6 | 6.3 |" &&
        has_line "| conv_solver | shape | $no | $no | $no | $no | $no | $no |" &&
        has_line "| ConvAsm1x1U | a | b | 4 (4) | 25.0 ± 21.7 | 50.0 ± 25.0 | 0.0 ± 0.0 |" &&
        has_line "| a and b | 9.0 to 25.0 (50; 70) | not measured |" &&
        has_line "$ends: ConvAsm1x1U 9 to 50 %." &&
        has_line "Copies: not measured." && has_line "Split \`shape\`: not measured."
}

# The same bytes again, whatever order the folder is in, with no trace of where or when
same_again() {
    mkdir "$tmp/again" "$tmp/first" && cp "$tmp/docs/"* "$tmp/first" &&
        cp -R "$tmp/full" "$tmp/again" &&
        for file in $(find "$tmp/again/full" -type f | sort -r); do
            cp "$file" "$tmp/one" && rm "$file" && mv "$tmp/one" "$file"
        done && rm "$tmp/docs/"* && report again/full && diff -r "$tmp/first" "$tmp/docs" &&
        ! grep -rqE "$(uname -n)|$(date +%Y)-|$tmp" "$tmp/docs"
}

# Nothing measured: no figure but the paper's own, and a picture of nothing is not drawn.
nothing_measured() {
    rm -f "$tmp/docs/"* && report empty && ! ls "$tmp/docs/"*.svg 2>/dev/null &&
        ! grep -v '^groups\|^shape' "$tmp/docs/accuracy.md" | grep -E '[0-9] ±' &&
        [ "$(grep -c '^(Plot: not measured.)$' "$tmp/docs/accuracy.md")" -eq 6 ] &&
        [ "$(grep -c '^(Not measured: `make gemm` does it' "$tmp/docs/accuracy.md")" -eq 2 ] &&
        has_line "(Shares, split \`shape\`: not measured.)" &&
        has_line "(2-D and 3-D apart, split \`config\`: not measured.)" &&
        has_line "$first not measured | not measured | not measured |" &&
        has_line "Split \`config\`: not measured." && has_line "The bracket: not measured." &&
        has_line "Our network at other widths: not measured." &&
        has_line "Float networks: not measured."
}

# The first page, from the tables below it: ConvAsm3x3U is the only one of the other kernels.
first="| the tuned tuple, the paper's four kernels, % |"
first_page() {
    gemm_folds "$tmp/folds" && report full --gemm "$tmp/folds" || return 1
    page() { sed -n '/^<!-- summary -->$/,/^<!-- end -->$/p' "$tmp/docs/accuracy.md"; }
    other=$(sed -n 's/^| ConvAsm3x3U | 30 (25) | \([0-9.]*\) ± [0-9.]* \/ \([0-9.]*\) ± .*/\1 \/ \2/p' \
        "$tmp/docs/accuracy.md")
    share=$(sed -n 's/^| gfx90a6e | kpred | 60 ([0-9]*) | [0-9.]* | \([0-9.]*\) ± .*/\1/p' \
        "$tmp/docs/accuracy.md")
    ours=$(sed -n 's/^| all | kpred | 5 | \([0-9.]*\) .*/\1/p' "$tmp/docs/accuracy.md")
    [ -n "$other" ] && [ -n "$share" ] && [ -n "$ours" ] &&
        page | grep -qF "| the tuned tuple, six other kernels, % | 30 | $other | not measured |" &&
        page | grep -qF "speed, k = 1 | 60 | $share | not measured |" &&
        page | grep -qF "kernel's speed, k = 1 | 5 | $ours | not measured |"
}

# What is measured in part stays as the document has it, tables and pictures; what is whole is new.
keeps() {
    report full && cp "$tmp/docs/accuracy.md" "$tmp/whole" && rm -rf "$tmp/part" &&
        cp -R "$tmp/full" "$tmp/part" && rm "$tmp/part/"*.attn.hits.csv "$tmp/part/noise.csv" || return 1
    report part && ! diff "$tmp/whole" "$tmp/docs/accuracy.md" >"$tmp/lost" || return 1
    cp "$tmp/whole" "$tmp/docs/accuracy.md" && echo '<svg>' >"$tmp/docs/accuracy-gemm.svg" &&
        sed -i 's/, 12345/, 54321/' "$tmp/weights/conv_asm_1x1u.h" && report part --keep &&
        sed -i 's/, 54321/, 12345/' "$tmp/weights/conv_asm_1x1u.h" || return 1
    grep -qx '<svg>' "$tmp/docs/accuracy-gemm.svg" && rm "$tmp/docs/accuracy-gemm.svg" &&
        diff "$tmp/whole" "$tmp/docs/accuracy.md" | grep '^>' | grep -v -e 54,321 -e gemm.svg >"$tmp/new"
    [ ! -s "$tmp/new" ] || { cat "$tmp/new"; return 1; }
    grep -qF '| ConvAsm1x1U | `0123456789abcdef` | 54,321 |' "$tmp/docs/accuracy.md"
}

# The shares of one GPU, of our network and another method, from the same files again
timed() {
    report full || return 1
    python3 tests/report/figures.py timed "$tmp"
}

# The shares of GEMM: three shapes of one layout and two of another, two methods, from figures by hand
gemm_folds() { # FOLDER
    rm -rf "$1" && mkdir "$1" || return 1
    heading=method,model,split,key,row,k,hit,agree,share,unlisted
    while read -r layout shape k ours near; do
        for line in "$layout-$shape additive fold:$shape/3 $ours" "$layout-nearest nearest one-out $near"; do
            set -- "$1" $line
            [ -e "$1/$2.csv" ] || echo $heading >"$1/$2.csv"
            echo "$3,gemm_mi100_$layout,$4,$shape,$shape,$k,0,0,$5,0" >>"$1/$2.csv"
        done
    done <<END
nn 0 1 0.5 0.64
nn 1 1 0.9 0.36
nn 2 1 1 0.9
nt 0 1 0.8 0.8
nt 1 1 0.995 0.95
nn 0 4 0.6 0.7
nn 1 4 0.9 0.4
nn 2 4 1 1
nt 0 4 0.9 0.81
nt 1 4 1 1
nn 0 8 0.7 0.7
nn 1 8 0.95 0.5
nn 2 8 1 1
nt 0 8 0.95 0.85
nt 1 8 1 1
END
}

# 2-D and 3-D problems apart, where the keys name the layout
dimensions() {
    report full || return 1
    python3 tests/report/figures.py dimensions "$tmp"
}

# The numbers of test problems, from outcomes or else from the rows
rows() {
    report full || return 1
    python3 tests/report/figures.py rows "$tmp"
}

gemm() {
    gemm_folds "$tmp/folds" && report full --gemm "$tmp/folds" || return 1
    python3 tests/report/figures.py gemm "$tmp"
}

# Three of the four panels of layouts have something to show, at three k each.
gemm_picture() {
    got="$(marks gemm gpPt6)"
    [ "$got" = 9 ] || { echo "marks: $got"; return 1; }
}

# A shape that one method lacks: the folds are not done
gemm_in_part() {
    gemm_folds "$tmp/part" && rm "$tmp/part/nt-1.csv" && echo old >"$tmp/docs/accuracy.md" &&
        refuses 2 "nearest and additive: not measured on the same shapes" \
            report full --gemm "$tmp/part" && has_line old
}

# ---- the documents of this repository ----

# What the template and the document's own tables give is the document: its words are the template's, and
# its first page has the figures of its tables.
own_accuracy() {
    mkdir -p "$tmp/own" "$tmp/nothing" && cp docs/accuracy* "$tmp/own" &&
        python3 tools/report/report.py "$tmp/nothing" --keep -o "$tmp/own/accuracy.md" 2>/dev/null &&
        diff docs/accuracy.md "$tmp/own/accuracy.md"
}

# The same for weights/README.md. It is written where it lies: in a copy.
own_figures() {
    mkdir -p "$tmp/copy/build" && cp -R weights "$tmp/copy" && ln -s "$PWD/tools" "$tmp/copy/tools" || return 1
    (cd "$tmp/copy" && KERNELS='' MIOPEN_DB=. TENSILE_CSV=. sh tools/report/accuracy.sh build \
        gfx900_56.db.bz2 gfx906_60.db.bz2) && diff weights/README.md "$tmp/copy/weights/README.md"
}
check "docs/accuracy.md is what its template and tables give" own_accuracy
check "weights/README.md is what its sections give" own_figures

# ---- plots ----

# marks FILE SYMBOL: how many, but for that of the key
marks() {
    echo $(($(grep -o "<use href='#$2'" "$tmp/docs/accuracy-$1.svg" | wc -l) - 1))
}

# Symbols: filled circle ours, filled triangle chain, filled square nets. Other symbols are made of
# the empty circle and triangle, so these three count right.
pictures() {
    report full || return 1
    got="$(marks config gpPt6) $(marks config gpPt8) $(marks config gpPt4)"
    got="$got $(marks calibration gpPt6) $(marks frontier gpPt6)"
    got="$got $(marks solvers gpPt6) $(marks solvers gpPt8)"
    [ "$got" = "24 12 12 3 4 18 0" ] || { echo "marks: $got"; return 1; }
    [ ! -e "$tmp/docs/accuracy-shape.svg" ] || return 1
    for svg in "$tmp/docs/"*.svg; do
        [ "$(wc -c <"$svg")" -lt 60000 ] && ! grep -E 'xlink|//[^w]' "$svg" &&
            python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$svg" ||
            return 1
    done
}

# A folder with python3 and nothing else
only() {
    rm -rf "$tmp/only" && mkdir "$tmp/only" &&
        printf '#!/bin/sh\nexec %s "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" \
            >"$tmp/only/python3" && chmod +x "$tmp/only/python3"
}

no_gnuplot() {
    only && rm -f "$tmp/docs/"* && (path=$tmp/only; report full) 2>"$tmp/err" || return 1
    grep -qF "there is no gnuplot" "$tmp/err" && ! ls "$tmp/docs/"*.svg 2>/dev/null &&
        has_line "(Plot: not drawn.)" && has_line "(Plot: not measured.)" && figures
}

bad_gnuplot() {
    only && printf '#!/bin/sh\necho oh no >&2\nexit 3\n' >"$tmp/only/gnuplot" &&
        chmod +x "$tmp/only/gnuplot" && echo old >"$tmp/docs/accuracy.md" || return 1
    (path=$tmp/only; report full) 2>"$tmp/err"
    [ $? = 1 ] && grep -q "gnuplot failed: oh no" "$tmp/err" && has_line old &&
        ! find "$tmp/docs" -name '.kpred*' | grep .
}

# ---- what is refused ----

# wrong NAME FILE SED-PROGRAM WORDS: status 2, the file and the line named, the document as it was
wrong() {
    rm -rf "$tmp/wrong" && cp -R "$tmp/full" "$tmp/wrong"
    sed "$3" "$tmp/full/$2" >"$tmp/wrong/$2"
    echo old >"$tmp/docs/accuracy.md"
    if cmp -s "$tmp/full/$2" "$tmp/wrong/$2"; then
        failed "$1" "the test changes nothing"
    else
        refuse "$1" 2 "$4" report wrong
        check "$1: the document is as it was" has_line old
    fi
}

report full >/dev/null 2>&1
check "figures" figures
check "figures of single lines" single_lines
check "figures of all kernels together" pooled
check "ten of ours, a hundred of the paper's" ten_and_hundred
check "shares of timed data" timed
check "2-D and 3-D apart" dimensions
check "test problems" rows
check "the first page" first_page
check "the chain of trees in words" python3 tests/report/figures.py ahead "$tmp"
check "measured in part" keeps
check "nothing measured" nothing_measured
check "shares of GEMM" gemm
check_with gnuplot "shares of GEMM: the picture" gemm_picture
check "shares of GEMM: in part" gemm_in_part
rm -f "$tmp/docs/"*
if has gnuplot; then
    check "pictures" pictures
    check "the same again" same_again
else
    skipped "pictures" "there is no gnuplot (gnuplot-nox)"
fi
check "no gnuplot" no_gnuplot
check "gnuplot fails" bad_gnuplot

ours=conv_asm_bwd_wrw_3x3.config.ours.hits.csv
wrong "hits: a cell missing" $ours '5s/,[^,]*$//' "$ours:5: "
wrong "hits: not 0 or 1" $ours '7s/,[01],3$/,2,3/' "$ours:7: "
wrong "hits: a row twice" $ours \
    '2{p;s/,0,3$/,1,3/;t;s/,1,3$/,0,3/}' "$ours:3: row 1 of method"
wrong "hits: a key that is not the row's" $ours \
    's/"FP32,0",1,/"FP32,9",1,/' 'row 1 with key "FP32,9"'
wrong "hits: fewer rows than ours" conv_asm_bwd_wrw_3x3.config.attn.hits.csv '2d' \
    "attn and additive: not measured on the same rows"
wrong "hits: a kernel without a spec" conv_asm_1x1u.config.ours.hits.csv 's/conv_asm_1x1u/other/' \
    'kernel "other": there is no spec'
wrong "rows: a cell missing" conv_asm_1x1u.rows.csv '9s/,1$//' "conv_asm_1x1u.rows.csv:9: 3 cells"
wrong "reliability: a column missing" conv_asm_1x1u.config.reliability.csv 's/observed/seen/' \
    "conv_asm_1x1u.config.reliability.csv:1: there is no column observed"
wrong "reliability: not a number" conv_asm_1x1u.config.reliability.csv '3s/12.34/much/' \
    'conv_asm_1x1u.config.reliability.csv:3: predicted "much"'
wrong "times: a cell too many" conv_asm_1x1u.time.csv '4s/$/,1/' "conv_asm_1x1u.time.csv:4: 9 cells"
wrong "training: not a number" conv_asm_1x1u.config.attn.training.csv '2s/40/long/' \
    'conv_asm_1x1u.config.attn.training.csv:2: epochs "long"'
timed=timed/conv_solver.config.gfx90a6e.ours.hits.csv
wrong "shares: more than all" $timed '4s/,[^,]*,\([01]\)$/,1.5,\1/' "$timed:4: "
wrong "shares: a problem missing" $timed '2d' "gfx90a6e: table and ours: not measured on the same"
wrong "retuned: another problem" retuned/conv_asm_1x1u.a+b.b.csv '3s/11/12/' \
    "retuned/conv_asm_1x1u.a+b.a.csv: there is no other file"
wrong "noise: not a number" noise.csv '2s/9.0/none/' 'noise.csv:2: percent "none"'
refuse "no such folder" 2 "none: there is no such folder" report none
echo "{{lottery}}" >"$tmp/template"
refuse "no such section" 2 "template:1: {{lottery}}" report full --template "$tmp/template"
refuse "a folder that is not there to write into" 1 "No such file" \
    report full -o "$tmp/nowhere/accuracy.md"

# ---- measure.sh ----

need_trainer "measure.sh"
sample_databases

# A tree of its own, in which a network of one epoch is the shipped one
kernel=conv_asm_1x1u
tree=$tmp/tree
mkdir -p "$tree/weights" "$tree/build" "$tree/docs"
for file in tools kpred.h kpred_constraints.h; do ln -s "$PWD/$file" "$tree/$file"; done
ln -s "$trainer" "$tree/build/kpred-train"
cat >"$tmp/short.awk" <<'END'
/^\[network\]/ { print; print "encoder1 = 16\nencoder2 = 16\nhidden = 16\nepochs = 1"
                 print "rounded_epochs = 1\nteachers = 0\npaper_cells = 16"; exit }
{ print }
END
awk -f "$tmp/short.awk" weights/$kernel.spec >"$tree/weights/$kernel.spec"

# Methods that it can run here
methods=
for python in python3 /usr/bin/python3; do
    if $python -c "import numpy" 2>/dev/null; then methods=nearest; fi
done
[ -n "$methods" ] || skipped "measure.sh: classics" "needs python3-numpy"

# measure VARIABLE=VALUE...: in the tree
measure() {
    (cd "$tree" && env NETS=encdec METHODS="$methods" WIDTHS=32-16-16 EPOCHS=1 "$@" \
        sh tools/report/measure.sh build "$tmp/gfx900_56.db" "$tmp/gfx906_60.db")
}

shipped() {
    cd "$tree" && "$trainer" train weights/$kernel.spec --data "$tmp/gfx900_56.db" \
        "$tmp/gfx906_60.db" -o weights/$kernel.h
}

measures() {
    if ! (shipped && measure SPLITS=config) 2>"$tmp/err"; then
        cat "$tmp/err"
        return 1
    fi
    grep -q "no text perf-dbs" "$tmp/err" || return 1
    for file in $kernel.rows $kernel.config.ours.hits $kernel.config.reliability \
        $kernel.config.encdec.hits $kernel.config.wide.hits \
        ${methods:+$kernel.config.nearest.hits $kernel.config.nearest.classics} \
        $kernel.config.encdec.training $kernel.time frontier/$kernel.32-16-16.hits frontier/$kernel.time; do
        [ -s "$tree/build/report/$file.csv" ] || { echo "$file is not there"; return 1; }
    done
    [ "$(cut -d, -f1,3 "$tree/build/report/$kernel.time.csv" | tr '\n' ' ')" = \
        "net,beam additive,1 additive,10 encdec,1 encdec,10 " ]
}

# The second time there is nothing to do; a newer header is measured again, and nothing else is.
only_what_is_new() {
    measure SPLITS=config 2>"$tmp/err" || return 1
    grep -v 'no text' "$tmp/err" && return 1
    sleep 1
    touch "$tree/build/paper/config/$kernel-encdec.h"
    measure SPLITS=config 2>"$tmp/err" || return 1
    grep -v 'no text' "$tmp/err" >"$tmp/said"
    printf 'report: %s\n' $kernel.config.encdec.hits $kernel.time | diff - "$tmp/said"
}

# The document is of the rows that `kpred-train eval` counts.
document() {
    (cd "$tree" && python3 tools/report/report.py build/report) || return 1
    n=$("$trainer" eval "$tree/weights/$kernel.h" --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" \
        --by all --csv 2>/dev/null | sed -n 2p | cut -d, -f6)
    grep -qE "^\| ConvAsm1x1U \| .[0-9a-f]{16}. \| [0-9,]+ \| $n \(" "$tree/docs/accuracy.md" &&
        grep -q "32 / 16 / 16" "$tree/docs/accuracy.md" &&
        grep -q "16 / 16 / 16, shipped" "$tree/docs/accuracy.md"
}

# Two text perf-dbs beside the others
text_databases() {
    python3 tests/report/made_up.py databases "$tmp" || return 1
    measure SPLITS=config NETS= METHODS= WIDTHS= && [ -s "$tree/build/report/noise.csv" ] &&
        (cd "$tree" && python3 tools/report/report.py build/report) &&
        grep "^| ConvAsm1x1U | gfx900_56-a | gfx900_56-b | 1 (1) | 100.0 ± 0.0 | " \
            "$tree/docs/accuracy.md"
}

# The other split: our network is trained for it first.
other_split() {
    measure SPLITS=shape NETS= METHODS= WIDTHS= && [ -s "$tree/build/shape/$kernel.h" ] &&
        [ -s "$tree/build/report/$kernel.shape.ours.hits.csv" ]
}

# A method that cannot run says so, leaves no file, and the rest goes on.
cannot_run() {
    measure SPLITS=config METHODS=default DEFAULTS=none.py 2>"$tmp/err" &&
        grep -q "skip default: needs --defaults" "$tmp/err" &&
        ! find "$tree/build/report" -name '*default*' | grep .
}

# What fails leaves no half of a file.
breaks() {
    rm -f "$tree/build/report/"* "$tree/build/kpred-train" 2>/dev/null
    printf '#!/bin/sh\necho half\nexit 1\n' >"$tree/build/kpred-train"
    chmod +x "$tree/build/kpred-train"
    measure SPLITS=config >/dev/null 2>&1 && return 1
    ! ls "$tree/build/report/"*.csv 2>/dev/null
}

check "measure.sh" measures
check "measure.sh: only what is new" only_what_is_new
check "the document of what it measured" document
if [ -n "$methods" ]; then check "measure.sh: a method that cannot run" cannot_run; fi
check "measure.sh: the other split" other_split
check "measure.sh: text perf-dbs" text_databases
check "measure.sh: a program that fails" breaks
test_end
