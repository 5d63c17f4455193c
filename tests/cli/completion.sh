#!/bin/sh
# completion.sh - what tools/release/kpred.bash offers: all that --help names, and only what fits
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

export LC_ALL=C # one order for sort
test_begin
completion=$PWD/tools/release/kpred.bash
package=/usr/share/bash-completion/bash_completion

# ---- one line completed ----

# run COMPLETION LINE SETUP, for bash: sets what bash sets, words cut at `=`, and prints the answers
cat >"$tmp/run" <<'END'
. "$1"
eval "$3"
COMP_LINE=$2 COMP_POINT=${#2}
cut=${2//=/ = }
read -ra COMP_WORDS <<<"$cut"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_kpred "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
END

# answers LINE: sorted, with ? for a blank; complaints count as answers
answers() {
    (cd "$tmp/folder" && bash --norc "$tmp/run" "$completion" "$1" "$setup" 2>&1) | tr ' ' '?' |
        sort
}

expect() {
    got=$(answers "$1")
    [ "$got" = "$(echo "$2" | tr ' ' '\n' | sort)" ] && return
    echo "at \"$1\": offered" $got
    return 1
}

# offers NAME LINE WORDS: at the end of the line exactly these words
offers() {
    check "$1" expect "$2" "$3"
}

# ---- what --help says ----

commands() {
    "$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

options() {
    "$1" "$2" --help | grep -oE '^  --?[a-z][a-z-]*' | tr -d ' '
}

# choices OPTION: those that some usage gives as OPTION A|B
choices() {
    "$trainer" "$2" --help | sed '/^$/q' | sed -n "s/.*\\[$1 \\([a-z0-9|]*\\)[]|].*/\\1/p" | tr '|' ' '
}

# ---- the tests ----

held_to_help() {
    program=${1##*/}
    offers "$program: commands" "$1 " "$(commands "$1") help --help --version"
    offers "$program: what help is for" "$1 help " "$(commands "$1")"
    offers "$program: one command of help" "$1 help bench " ""
    for command in $(commands "$1"); do
        offers "$program $command: options" "$1 $command -" "$(options "$1" $command) --help"
    done
}

models=$("$kpred" models --csv | sed 1d | cut -d, -f1)
convolutions=$(echo "$models" | grep '^conv_')
gpus=$("$kpred" models --csv | sed 1d | cut -d, -f4 | tr ' ' '\n' | sed '/^$/d' | sort -u)
fields="gpu= dir= dtype= n= c= h= w= k= stride="

predict() {
    line="$kpred predict conv_asm_1x1u"
    offers "predict: a model" "$kpred predict conv_" "$convolutions"
    offers "predict: a model or a header" "$kpred predict " "$models a.h folder"
    offers "predict: fields" "$line " "$fields"
    offers "predict: fields, the model by its kernel" "$kpred predict ConvAsm1x1U " "$fields"
    offers "models: a model or a header" "$kpred models " "$models a.h folder"
    offers "models: one model" "$kpred models conv_asm_1x1u " ""
    offers "predict: fields of a GEMM" "$kpred predict gemm_mi100_nt " "m= n= batch= k="
    offers "predict: fields of another model" "$kpred predict conv_asm_bwd_wrw_3x3 -k 3 g" \
        "gpu= groups="
    offers "predict: fields not given yet" "$line n=1 gpu=gfx906 h=4 --nearest k=2 " \
        "dir= dtype= c= w= stride="
    offers "predict: a GPU" "$line gpu=" "gfx900_56 gfx906_60"
    offers "predict: a direction" "$line n=1 dir=" "F B W"
    offers "predict: a type" "$line dtype=F" "FP32 FP16"
    offers "predict: a type of another model" "$kpred predict conv_solver dtype=F" "FP32 FP16"
    offers "predict: a layout" "$kpred predict conv_solver layout=N" "NCHW NHWC NCDHW"
    offers "predict: a direction of another model" "$kpred predict conv_igemm_gtc_fwd_nhwc dir=" "F"
    offers "predict: a size" "$line n=" ""
    offers "predict: behind --" "$line -- s" "stride="
    offers "predict: a number" "$line -k " ""
    offers "predict: fields of a header" "$kpred predict a.h " "gpu= alpha= beta="
    offers "predict: tokens of a header" "$kpred predict a.h alpha=" "one two"
}

files() {
    offers "bench: headers" "$kpred bench conv_asm_1x1u a" "a.h"
    offers "kpred-train bench: headers" "$trainer bench conv_asm_1x1u a" "a.h"
    offers "train: a spec" "$trainer train " "b.spec folder"
    offers "train: data" "$trainer train b.spec --data " \
        "c.db c.db.bz2 d.csv d.csv.bz2 e.txt e.txt.bz2 folder"
    offers "train: more data" "$trainer train b.spec --data c.db d.csv e" "e.txt e.txt.bz2"
    offers "train: data, attached" "$trainer train b.spec --data=c" "c.db c.db.bz2"
    offers "train: the end of data" "$trainer train --data c.db --split none b" "b.spec"
    offers "train: output" "$trainer train b.spec -o " "a.h folder"
    offers "relayout: a header" "$trainer relayout " "a.h folder"
    offers "relayout: one header" "$trainer relayout a.h " ""
    offers "relayout: a spec" "$trainer relayout a.h --spec " "b.spec folder"
    offers "relayout: output" "$trainer relayout a.h -o " "a.h folder"
    offers "relayout: a folder" "$trainer relayout a.h --include-dir " "folder"
    offers "train: a folder" "$trainer train b.spec --include-dir f" "folder"
    offers "ingest: fields" "$trainer ingest b.spec --set " "alpha= beta="
    offers "ingest: tokens" "$trainer ingest b.spec --set beta=1 alpha=" "one two"
    offers "ingest: the end of fields" "$trainer ingest b.spec --set beta=1 --csv d" ""
    offers "ingest: output" "$trainer ingest b.spec -o d" "d.csv"
    offers "miopen: a log" "$kpred miopen --gpu gfx906 -o f.png --lenient e" "e.txt e.txt.bz2"
    offers "miopen: a GPU" "$trainer miopen --gpu " "$gpus"
    offers "miopen: a database" "$trainer miopen --sqlite c" "c.db c.db.bz2"
    offers "aiter: a log" "$kpred aiter --gpu MI300X --installed d.csv -o x.csv e" "e.txt e.txt.bz2"
    offers "aiter: tables" "$kpred aiter --installed d.csv " "d.csv folder"
    offers "aiter: an output" "$kpred aiter -o d" "d.csv"
    offers "aiter: a schema" "$kpred aiter --schema no-l" "no-libtype"
    offers "aiter: a family" "$kpred aiter --family a4" "a4w4_blockscale"
    offers "a name with a blank" "$kpred bench folder/x\\ " "folder/x?y.h"
    offers "a name in quotes" "$kpred bench \"folder/x" "folder/x?y.h"
    offers "hidden files" "$kpred bench ." ".hidden.h"
}

values() {
    for pair in train:--split train:--net eval:--rows; do
        command=${pair%%:*} option=${pair#*:}
        offers "$command: $option" "$trainer $command $option " "$(choices $option $command)"
    done
    offers "train: --split=" "$trainer train b.spec --split=" "config shape none"
    offers "eval: --by" "$trainer eval conv_asm_1x1u --by " "gpu,dtype gpu dtype all"
    offers "eval: --gpu" "$trainer eval conv_asm_1x1u --gpu " "$gpus"
    offers "eval: a model" "$trainer eval --rows all conv_" "$convolutions"
    offers "eval: behind the model" "$trainer eval conv_asm_1x1u " ""
}

evolve() {
    line="$evolve search k.c k.c"
    offers "kpred-evolve: a kernel" "$evolve check " "k.c k.ll folder"
    offers "kpred-evolve: a harness" "$evolve search k.ll " "k.c folder"
    offers "kpred-evolve: one kernel and one harness" "$line " ""
    offers "kpred-evolve: a method" "$line --method " "nsga2 climb random"
    offers "kpred-evolve: a baseline" "$line --baseline O2" "O2 O2-scalar"
    offers "kpred-evolve: a log that is written" "$line -o " "run.log folder"
    offers "kpred-evolve: a number" "$line --evaluations " ""
    offers "kpred-evolve: behind a flag" "$line --resume --function f --method c" "climb"
    offers "kpred-evolve: forms" "$evolve emit k.ll --form " "ir asm object code-object"
    offers "kpred-evolve: passes" "$evolve emit k.ll --passes=n" "none"
    offers "kpred-evolve: networks" "$evolve network " "dense mobile"
    offers "kpred-evolve: splits" "$evolve network dense --split " "1 2 3 4 5"
    offers "kpred-evolve: one kernel" "$evolve emit k.ll " ""
    offers "kpred-evolve: logs" "$evolve report run.log " "run.log folder"
    offers "kpred-evolve: one log" "$evolve minimise run.log " ""
    offers "kpred-evolve: a folder" "$evolve export run.log -o " "folder"
}

# Where `=` cuts no words, whole words are offered.
uncut() {
    setup='COMP_WORDBREAKS=${COMP_WORDBREAKS//=}'
    offers "no break at =: a type" "$kpred predict conv_asm_1x1u dtype=F" "dtype=FP32 dtype=FP16"
    offers "no break at =: a size" "$kpred predict conv_asm_1x1u n=" ""
    setup=
}

# bash-completion finds the file by the program's name.
with_package() {
    mkdir -p "$tmp/completions" && cp "$completion" "$tmp/completions/kpred" || return 1
    bash --norc -c 'BASH_COMPLETION_USER_DIR=$1; . "$2"
        { _completion_loader kpred || _comp_load kpred; } 2>/dev/null; complete -p kpred' \
        bash "$tmp" $package | grep -x 'complete -F _kpred kpred'
}

beside_package() {
    setup=". $package"
    offers "with bash-completion: a type" "$kpred predict conv_asm_1x1u dtype=F" "FP32 FP16"
    offers "with bash-completion: data" "$kpred predict a" "a.h"
    setup=
}

prepare() {
    mkdir -p "$tmp/folder/folder" && cd "$tmp/folder" || return 1
    for file in b.spec c.db c.db.bz2 d.csv d.csv.bz2 e.txt e.txt.bz2 f.png .hidden.h "folder/x y.h" \
        k.c k.ll run.log
    do
        : >"$file"
    done
    printf '/*\n[fields]\ngpu = x y\nalpha = one two $(touch${IFS}x) `touch` a;b\nbeta  = size 1 9\n\n[params]\np = 1 2\n*/\n' \
        >a.h
    sed '1d; $d' a.h >b.spec
}

need bash "all"
setup=
(prepare) || exit 1
held_to_help "$kpred"
predict
uncut
offers "a program that is not there" "no-such-folder/kpred pre" ""
if [ -x "$trainer" ]; then
    held_to_help "$trainer"
    files
    values
else
    skipped "kpred-train" "it was not built"
fi
evolve=$BUILD/kpred-evolve
if [ -x "$evolve" ]; then
    held_to_help "$evolve"
    evolve
else
    skipped "kpred-evolve" "it was not built"
fi
if [ -r $package ]; then
    check "bash-completion loads it" with_package
    beside_package
else
    skipped "bash-completion" "it is not installed"
fi
test_end
