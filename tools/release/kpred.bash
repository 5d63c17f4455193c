# kpred.bash - completion for kpred, kpred-train and kpred-evolve
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Source it, or have it installed where bash-completion looks, once under each program's name; it
# uses nothing of that package. Commands, options and the words for their values are those that the
# program's own --help names, models and fields those that `kpred models` prints. What a word stands
# for is said here.

# ---- what the programs say ----

# _kpred_commands PROGRAM
_kpred_commands() {
    "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# _kpred_said PROGRAM COMMAND: what its --help lists: options, maybe with the word for a value, and
# operands, which are in the first list, that an empty line ends
_kpred_said() {
    "$1" "$2" --help 2>/dev/null | sed -n '/^$/p; s/^  \([^ ][^ ]*\( [^ ][^ ]*\)\{0,1\}\).*/\1/p'
}

# _kpred_word_of OPTION: the word for its value, of $said; nothing: it takes none
_kpred_word_of() {
    local line
    while IFS= read -r line; do
        [[ $line == "$1"[=\ ]* ]] && echo "${line#"$1"?}" && return
    done <<<"$said"
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
        sed -n 's/^  \(\.[a-z]*\) .*/\1 \1.bz2 \1.gz/p' | sort -u)
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

# _kpred_word NAME WORD: what a value or an operand may be; NAME is COMMAND:OPTION, or COMMAND
_kpred_word() {
    local names word=${2%...} ending endings=()
    case $1:$word in
    *:--family:*) _kpred_reply a8w8_blockscale a8w8_blockscale_bpreshuffle a4w4_blockscale a8w8_bpreshuffle ;;
    *:--oracle:*) _kpred_reply exact ;;
    *:--baseline:*) _kpred_baselines ;;
    *:--passes:*) _kpred_baselines none ;;
    *:--target:*) _kpred_reply amdgcn-amd-amdhsa nvptx64-nvidia-cuda ;;
    network:NAME) _kpred_reply dense mobile ;;
    *:--data:FILE | *:--beside:* | *:--replay:*) _kpred_data_files ;;
    init:FILE) _kpred_files .json .json.bz2 .json.gz .csv .csv.bz2 .csv.gz ;;
    merge:FILE) _kpred_files .csv .csv.bz2 .csv.gz ;;
    predict:FIELD=VALUE) _kpred_field ;;
    *:FIELD=VALUE) _kpred_given ;;
    tune:--model:* | *:MODEL"|"FILE.h) _kpred_model_or_header ;;
    *:KERNEL) _kpred_files .c .cl .ll .bc ;;
    *:SPEC) _kpred_files .spec ;;
    *:GPU)
        names=$(_kpred_models "$kpred" | cut -d, -f4 | tr ' ' '\n' | sort -u)
        # shellcheck disable=SC2086
        _kpred_reply $names
        ;;
    *:DIR | *:FOLDER) _kpred_files / ;; # folders alone
    *:FILE | *:COMMAND | *:LOG | *:INPUT) _kpred_files ;;
    *.[a-z]*) # FILE.csv, which may be packed where it is read, or one of several
        for ending in ${word//[|]/ }; do
            [[ $ending != *.* ]] || endings+=(".${ending##*.}")
            [[ $ending != *.csv || $1 == *:-o || $1 == *:--hits ]] || endings+=(.csv.bz2 .csv.gz)
        done
        _kpred_files "${endings[@]}"
        ;;
    *"|"*) # shellcheck disable=SC2046
        _kpred_reply $(tr '|' '\n' <<<"$word" | grep -v '[A-Z]')
        ;;
    esac
}

# _kpred_value COMMAND OPTION: the value of an option; 1 if it takes none
_kpred_value() {
    local word
    word=$(_kpred_word_of "$2")
    [[ $word ]] && _kpred_word "$1:$2" "$word"
}

# _kpred_operand COMMAND: the next one; the last one may be repeated
_kpred_operand() {
    local all words word
    if [[ $1 == help ]]; then # shellcheck disable=SC2046
        [[ ${#operands[@]} -gt 0 ]] || _kpred_reply $(_kpred_commands "$program")
        return
    fi
    all=$(sed -n '/^[^ ]/,/^$/{/^$/q;/^[A-Z]/p;}' <<<"$said")
    read -r -d '' -a words <<<"$all"
    word=${words[${#operands[@]}]-${all##*$'\n'}}
    [[ ${#operands[@]} -lt ${#words[@]} || $word == *... ]] || return 0
    _kpred_word "$1" "$word"
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
# waits for a value there. All that follows one with several values belongs to it.
_kpred_scan() {
    local word only_operands=
    option='' operands=()
    for word in "${words[@]:2:${#words[@]} - 3}"; do
        if [[ $only_operands || $word == - || $word != -* ]]; then
            if [[ $option ]]; then
                [[ $(_kpred_word_of "$option") == *[!,]... ]] || option=
            else
                operands+=("$word")
            fi
        elif [[ $word == -- ]]; then
            only_operands=yes option=
        else
            option=$word
            [[ $option != *=* && $(_kpred_word_of "$option") ]] || option=
        fi
    done
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
    local words cur option operands program kpred said
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
    said=$(_kpred_said "$program" "${words[1]}")
    _kpred_scan
    if [[ $option ]] && [[ $cur != -* || $(_kpred_word_of "$option") != *[!,]... ]]; then
        _kpred_value "${words[1]}" "$option"
    elif [[ $cur == --*=* ]]; then
        _kpred_attached_value
    elif [[ $cur == -* ]]; then
        # shellcheck disable=SC2046
        _kpred_reply $(grep -o '^-[^ =]*' <<<"$said" | sort -u) --help
    else
        _kpred_operand "${words[1]}"
    fi
    _kpred_cut_at_breaks
}

complete -F _kpred kpred kpred-train kpred-evolve
