# kpred.bash - completion for kpred, kpred-train and kpred-evolve
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Source it, or have it installed where bash-completion looks, once under each program's name; it
# uses nothing of that package. Commands and options are those that the program's own --help names,
# models and fields those that `kpred models` prints. What a file may be is said here.

# ---- what the programs say ----

# _kpred_commands PROGRAM
_kpred_commands() {
    "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# _kpred_options PROGRAM COMMAND
_kpred_options() {
    "$1" "$2" --help 2>/dev/null | sed -n 's/^  \(-[a-zA-Z-]*\).*/\1/p'
    echo --help
}

# _kpred_models KPRED: lines MODEL,KERNEL,FIELDS,GPUS,...
_kpred_models() {
    "$1" models --csv 2>/dev/null | sed 1d
}

# _kpred_fields KPRED MODEL: lines FIELD, or FIELD=VALUE VALUE ... for tokens; of a header from the
# spec in its opening comment, which is there sooner, and of a spec likewise
_kpred_fields() {
    if [[ $2 == *.h || $2 == *.spec ]]; then
        sed -n '/^\[fields\]/,/^\[params\]/{
            s/^\([a-z_0-9A-Z]*\) *= *size.*/\1/p
            t
            s/^\([a-z_0-9A-Z]*\) *= */\1=/p
        }' "$2" 2>/dev/null
    else
        "$1" models "$2" --json 2>/dev/null | sed -n '/^"fields"/,/^]/{
            s/^{"field": "\([^"]*\)", "tokens": \[\([^]]*\)\].*/\1=\2/
            s/=$//
            s/[", ][", ]*/ /g
            s/= /=/
            s/^[a-z].*/&/p
        }'
    fi
}

# ---- what fits ----

# _kpred_reply WORD...: those that begin with $cur. What stands in somebody's file in the place of a
# token may mean something to a shell: no such word gets onto the line.
_kpred_reply() {
    local word
    for word in "$@"; do
        if [[ $word == "$cur"* && $word != *[!A-Za-z0-9_.,:+=-]* ]]; then COMPREPLY+=("$word"); fi
    done
}

# _kpred_files SUFFIX...: files with one of them, and folders; with no suffix all files. Hidden ones
# only for who asks. Readline adds slashes and quotes.
_kpred_files() {
    local file suffix
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        [[ ${file##*/} == .* && ${cur##*/} != .* || ${file##*/} =~ ^\.\.?$ ]] && continue
        [[ $# -eq 0 || -d $file ]] && COMPREPLY+=("$file") && continue
        for suffix in "$@"; do
            [[ $file == *"$suffix" ]] && COMPREPLY+=("$file")
        done
    done < <(compgen -f -- "$cur")
}

# Of the endings that kpred-train lists
_kpred_data_files() {
    # shellcheck disable=SC2046
    _kpred_files $("$program" ingest --help 2>/dev/null |
        sed -n 's/^  \(\.[a-z]*\) .*/\1 \1.bz2 \1.gz/p')
}

# Built-in models and headers
_kpred_model_or_header() {
    local names
    names=$(_kpred_models "$kpred" | cut -d, -f1)
    # shellcheck disable=SC2086
    _kpred_reply $names
    _kpred_files .h
}

# FIELD= of those not given yet, and the tokens of the one that is being typed
_kpred_field() {
    local line name
    while IFS= read -r line; do
        name=${line%%=*}
        if [[ $cur == "$name="* ]]; then
            # shellcheck disable=SC2086,SC2046
            [[ $line == *=* ]] && _kpred_reply $(printf "$name=%s " ${line#*=})
        elif [[ " ${operands[*]} " != *" $name="* ]]; then
            _kpred_reply "$name="
        fi
    done < <(_kpred_fields "$kpred" "${operands[0]}")
    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

# The same of a spec's or a model's fields but the GPU, which is --gpu's
_kpred_given() {
    [[ ${#operands[@]} -gt 0 ]] || return 0
    local operands=("${operands[@]}" gpu=)
    _kpred_field
}

# The baselines of kpred-evolve, and more words
_kpred_baselines() {
    _kpred_reply O2 O2-scalar O3 O3-scalar O3-native O3-native-scalar "$@"
}

# _kpred_value COMMAND OPTION: the value of an option; 1 if it takes none
_kpred_value() {
    local names
    case $1:$2 in
    network:--data) _kpred_files .csv .csv.bz2 .csv.gz ;;
    *:--data | *:--beside | tune:--replay) _kpred_data_files ;;
    network:--split) _kpred_reply 1 2 3 4 5 ;;
    *:--split) _kpred_reply config shape none ;;
    *:--net) _kpred_reply additive encdec attn attn2 hybrid hybrid2 ;;
    *:--rows) _kpred_reply all test aside ;;
    *:--by) _kpred_reply gpu,dtype gpu dtype all ;;
    search:--method) _kpred_reply nsga2 climb random ;;
    check:--oracle | search:--oracle) _kpred_reply exact ;;
    check:--baseline | search:--baseline) _kpred_baselines ;;
    emit:--passes) _kpred_baselines none ;;
    emit:--form) _kpred_reply ir asm object code-object ;;
    emit:--target) _kpred_reply amdgcn-amd-amdhsa nvptx64-nvidia-cuda ;;
    search:-o) _kpred_files .log ;;
    network:-o) _kpred_files .mlir ;;
    export:-o) _kpred_files / ;;
    *:--function | *:--cflags | *:--cpu | emit:--edits | export:--name) ;; # names of one's own
    network:--batch) ;; # a number
    *:--evaluations | *:--time | *:--population | *:--elite | *:--first-edits | *:--crossover) ;;
    *:--mutation | *:--jobs | *:--timeout | *:--memory | *:--point | *:--random) ;; # numbers
    triton:--gpu | *:--triton) ;; # as torch writes it, a version
    *:--gpu)
        names=$(_kpred_models "$kpred" | cut -d, -f4 | tr ' ' '\n' | sort -u)
        # shellcheck disable=SC2086
        _kpred_reply $names
        ;;
    triton:--server | serve:--server) _kpred_reply vllm sglang ;;
    triton:-o | serve:-o | serve:--installed | serve:--known) _kpred_files / ;;
    serve:--config | shapes:--config) _kpred_files .json ;;
    serve:--quant) _kpred_reply none fp8 fp8_block fp8_channel int8_w8a8 int8_w8a16 int4_w4a16 mxfp4 ;;
    aiter:-o | shapes:-o) _kpred_files .csv ;;
    *:--tp | *:--ep-size | *:--m | *:-M | *:--made-up | *:--most) ;; # numbers
    ingest:-o) _kpred_files .csv .json ;;
    tune:-o | merge:-o | tuples:-o) _kpred_files .csv ;;
    *:--problems | train:--judge) _kpred_files .csv .csv.bz2 .csv.gz ;;
    tune:--run | tune:--server) _kpred_files ;;
    tune:--model) _kpred_model_or_header ;;
    tune:--budget | tune:--repeat | tune:--shard | tune:--seeds) ;; # numbers
    init:-o | kernels:-o) _kpred_files .spec ;;
    init:--fields | init:--ignore | init:--set | init:--name) ;; # names of one's own
    *:--set) _kpred_given ;;
    *:--unit) _kpred_reply s ms us ns ;;
    train:-o | relayout:-o) _kpred_files .h ;;
    *:--spec) _kpred_files .spec ;;
    *:--include-dir) _kpred_files / ;; # folders alone
    *:--system) _kpred_files .txt ;;
    aiter:--family) _kpred_reply a8w8_blockscale a8w8_blockscale_bpreshuffle a4w4_blockscale a8w8_bpreshuffle ;;
    aiter:--schema) _kpred_reply current no-gfx no-libtype no-tflops ;;
    aiter:--installed) _kpred_files .csv .csv.bz2 .csv.gz ;;
    aiter:--compiled) _kpred_files ;;
    *:-o | *:--sqlite | *:--float-out | *:--plot | *:--hits) _kpred_files ;;
    *:-k | *:--top | *:--beam | *:--epochs | *:--seed | *:--threads | *:--rounds) ;; # a number
    *:--driver) ;; # a line of MIOpenDriver
    *) return 1 ;;
    esac
}

# _kpred_operand COMMAND
_kpred_operand() {
    case $1 in
    help) # shellcheck disable=SC2046
        [[ ${#operands[@]} -gt 0 ]] || _kpred_reply $(_kpred_commands "$program")
        ;;
    models) [[ ${#operands[@]} -gt 0 ]] || _kpred_model_or_header ;;
    predict) if [[ ${#operands[@]} -eq 0 ]]; then _kpred_model_or_header; else _kpred_field; fi ;;
    bench) _kpred_model_or_header ;;
    init) _kpred_files .json .json.bz2 .json.gz .csv .csv.bz2 .csv.gz ;;
    eval) [[ ${#operands[@]} -gt 0 ]] || _kpred_model_or_header ;;
    relayout) [[ ${#operands[@]} -gt 0 ]] || _kpred_files .h ;;
    merge) _kpred_files .csv .csv.bz2 .csv.gz ;;
    ingest | train | kernels | tune | tuples) [[ ${#operands[@]} -gt 0 ]] || _kpred_files .spec ;;
    miopen | aiter | triton | serve) _kpred_files ;;
    check | search) # a kernel and its harness
        case ${#operands[@]} in
        0) _kpred_files .c .ll .bc ;;
        1) _kpred_files .c ;;
        esac
        ;;
    emit) [[ ${#operands[@]} -gt 0 ]] || _kpred_files .c .cl .ll .bc ;;
    network) [[ ${#operands[@]} -gt 0 ]] || _kpred_reply dense mobile ;;
    report) _kpred_files .log ;;
    minimise | export) [[ ${#operands[@]} -gt 0 ]] || _kpred_files .log ;;
    esac
}

# ---- where the cursor is ----

# Splits the line at blanks into `words`, the last one that of the cursor. The words that bash makes
# are cut at `=`.
_kpred_split_line() {
    local text=${COMP_LINE:0:COMP_POINT}
    # shellcheck disable=SC2162 # a blank behind a backslash is part of its word
    read -a words <<<"$text"
    [[ $text == *[[:blank:]] && $text != *\\[[:blank:]] ]] && words+=('')
    cur=${words[${#words[@]} - 1]}
    # Within quotes only bash knows where the word began.
    [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]] && cur=${COMP_WORDS[COMP_CWORD]:1}
}

# Goes through the words of a command up to the cursor's: `operands`, and in `option` the one that
# waits for a value there. All that follows --data, --set or --installed belongs to it.
_kpred_scan() {
    local word only_operands=
    option='' operands=()
    for word in "${words[@]:2:${#words[@]} - 3}"; do
        if [[ $only_operands || $word == - || $word != -* ]]; then
            if [[ $option ]]; then
                [[ $option == --data || $option == --set || $option == --installed ]] || option=
            else
                operands+=("$word")
            fi
        elif [[ $word == -- ]]; then
            only_operands=yes option=
        else
            option=$word
            _kpred_takes_value "$option" || option=
        fi
    done
}

# An option with a value that is not attached to it: --name, or -k
_kpred_takes_value() {
    local COMPREPLY=() cur=/dev/null/none
    [[ $1 != *=* ]] && _kpred_value "${words[1]}" "$1"
}

# Bash replaces what stands behind the last of its own word breaks.
_kpred_cut_at_breaks() {
    local i head
    [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]] || return 0
    head=${cur%"${cur##*=}"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$head"}
    done
}

# --name=VALUE
_kpred_attached_value() {
    local whole=$cur i
    cur=${whole#*=}
    _kpred_value "${words[1]}" "${whole%%=*}"
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${whole%%=*}=${COMPREPLY[i]}
    done
    cur=$whole
}

_kpred() {
    local words cur option operands program kpred
    COMPREPLY=()
    _kpred_split_line
    program=${words[0]/#\~/$HOME}
    kpred=${program/%kpred-train/kpred}
    type -P "$program" >/dev/null || return 0
    if [[ ${#words[@]} -eq 2 ]]; then
        # shellcheck disable=SC2046
        _kpred_reply $(_kpred_commands "$program") help --help --version
        return 0
    fi
    _kpred_scan
    if [[ $option ]] && [[ $option != --data && $option != --set || $cur != -* ]]; then
        _kpred_value "${words[1]}" "$option"
    elif [[ $cur == --*=* ]]; then
        _kpred_attached_value
    elif [[ $cur == -* ]]; then
        # shellcheck disable=SC2046
        _kpred_reply $(_kpred_options "$program" "${words[1]}")
    else
        _kpred_operand "${words[1]}"
    fi
    _kpred_cut_at_breaks
}

complete -F _kpred kpred kpred-train kpred-evolve
