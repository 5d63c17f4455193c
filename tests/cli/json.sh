#!/bin/sh
# json.sh - the forms of every result: JSON says what CSV does, whatever is in the cells
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

cells=$tmp/cells
$CC -std=c99 $CFLAGS -I. -Itools tests/data/cells.c "$archive" -o "$cells" || exit 1

# ---- the forms, of cells made up ----

# A text that looks like a number is a text, and stands left; one column has cells of both kinds.
set -- id,n,both t0123456789012345 n5 n1 t12e4567890123456 n-10.50 tone
check "table" prints "id                     n  both
0123456789012345       5  1
12e4567890123456  -10.50  one" "$cells" table "$@"
check "CSV" prints "id,n,both
0123456789012345,5,1
12e4567890123456,-10.50,one" "$cells" csv "$@"
check "JSON" prints '[
{"id": "0123456789012345", "n": 5, "both": 1},
{"id": "12e4567890123456", "n": -10.50, "both": "one"}
]' "$cells" json "$@"
check "table without rows" prints "a  bc" "$cells" table a,bc
check "CSV without rows" prints "a,bc" "$cells" csv a,bc
check "JSON without rows" prints "[]" "$cells" json a,bc
check "words in JSON" prints '[
{"w": [], "x": ["a"], "y": ["a\"", "b", "\\c"]}
]' "$cells" json w,x,y w wa 'wa" b \c'
check "words in CSV" prints 'w,x,y
,a,"a"" b \c"' "$cells" csv w,x,y w wa 'wa" b \c'
check "a table with characters of several bytes" prints "a   b
é   1
µs  2" "$cells" table a,b té n1 tµs n2

# Items may hold blanks; numbers stay numbers. Only the last column is broken, where lines have a width.
check "lists in JSON" prints '[
{"a": [], "b": ["a b", "c"], "c": [1, -2]}
]' "$cells" json a,b,c i "ia b
c
" "m1 -2"
check "lists in CSV" prints 'a,b,c
a b,"a b, c",1 -2' "$cells" csv a,b,c "ia
b" "ia b
c" "m1 -2"
set -- k,list tone "ia b
c d
e" ttwo "m1 2 3 4 5 6" tthree wlonger-than-all-that
check "a table of some width" prints "k      list
one    a b,
       c d,
       e
two    1 2 3
       4 5 6
three  longer-than-all-that" "$cells" table12 "$@"
check "a table that is just wide enough" prints "k      list
one    a b, c d, e
two    1 2 3 4 5 6
three  longer-than-all-that" "$cells" table18 "$@"
check "blanks in a row stay" prints "a
  b  c" "$cells" table a "t  b  c"
check "a row" prints "a      x y
       z
long   7" "$cells" row10 a,empty,long "tx y z" t n7
check "the members of an object" prints '"a": "x",
"b": 7' "$cells" members a,b tx n7

need python3 "JSON beside CSV"
check "text that is hard to write" python3 tests/data/cells.py hostile "$cells"

# ---- commands ----

says_so() {
    "$@" --help >"$tmp/help" && grep -q '\[--csv|--json\]$' "$tmp/help" &&
        grep -qE '^  --csv  *(the list )?as CSV' "$tmp/help" &&
        grep -qE '^  --json  *(the list )?as JSON' "$tmp/help"
}
both() {
    "$@" --csv --json >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q -e '--csv and --json exclude each other' "$tmp/err"
}
compare() {
    texts=$1 words=$2 varying=$3; shift 3
    "$@" --csv >"$tmp/csv" && "$@" --json >"$tmp/json" &&
        python3 "$root/tests/data/cells.py" compare "$tmp/csv" "$tmp/json" "$texts" "$words" "$varying"
}
on_terminal() {
    for form in "" --csv --json; do
        # shellcheck disable=SC2086
        python3 "$root/tests/data/cells.py" terminal "$@" $form || return 1
    done
}

# result NAME TEXTS WORDS VARYING COMMAND...: all that holds for a command; see cells.py
result() {
    what=$1 text_columns=$2 word_columns=$3 varying_columns=$4; shift 4
    check "$what: JSON = CSV" compare "$text_columns" "$word_columns" "$varying_columns" "$@"
    check "$what: --csv and --json" both "$@"
    if [ "$has_terminal" ]; then
        check "$what: nothing but text on a terminal" on_terminal "$@"
    else
        skipped "$what: nothing but text on a terminal" "there is no pseudo-terminal"
    fi
}
# described HEADER MODEL: the description of it, in both forms
described() {
    "$kpred" models "$2" --json >"$tmp/one.json" && "$kpred" models "$2" >"$tmp/one.txt" &&
        python3 "$root/tests/cli/described.py" "$1" "$tmp/one.json" "$tmp/one.txt"
}
has_terminal=$(python3 -c 'import pty; pty.openpty(); print("yes")' 2>/dev/null)

for command in models predict bench; do
    check "$command --help" says_so "$kpred" $command
done
model=conv_asm_1x1u
if [ -e weights/$model.h ]; then
    # shellcheck disable=SC2086
    {
        fields="gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1"
        result models model,kernel,id fields,gpus "" "$kpred" models
        result predict "" "" "" "$kpred" predict $model $fields -k 100
        result bench model "" ns,ns_min,ns_p95 "$kpred" bench $model --beam 1,2
    }
    for header in weights/*.h; do
        built_in=$(basename "$header" .h)
        check "models $built_in: what its header says" described "$header" "$built_in"
    done
else
    skipped "models, predict, bench" "the weights are not there (make weights)"
fi
need_trainer "ingest, eval"

# A model with names among its values, and data with quotes and line ends
for command in ingest eval; do
    check "$command --help" says_so "$trainer" $command
done
data=$root/tests/fixtures/tiny.csv
cd "$tmp" || exit 1 # there the float network appears
tiny_spec >tiny.spec
"$trainer" train tiny.spec --data "$data" --split none --epochs 1 --threads 1 \
    -o tiny.h >/dev/null 2>&1 || failed "model with names among its values" "cannot be trained"
check "models FILE.h: what it says" described tiny.h tiny.h
listed_by() {
    sed 's/^rule .*/rule = listed\nlisted_by = gpu kind/; s/= tiny/= lists/' tiny.spec >lists.spec &&
        "$trainer" train lists.spec --data "$data" --split none --epochs 1 --threads 1 \
            -o lists.h >/dev/null 2>&1 && described lists.h lists.h
}
check "models FILE.h: lists by tokens" listed_by
by_default() {
    sed '/^\[features\]/,/^\[network\]/{/^\[network\]/!d;}' tiny.spec >default.spec &&
        "$trainer" train default.spec --data "$data" --split none --epochs 1 --threads 1 \
            -o default.h >/dev/null 2>&1 && described default.h default.h &&
        grep -q '"section": "derived", "from": "spec", "line": "ln = log2 n"' "$tmp/one.json" &&
        grep -q '"section": "features", "from": "default", "line": "hats ln ' "$tmp/one.json"
}
check "models FILE.h: features by default" by_default
result "predict, names for values" mode "" "" \
    "$kpred" predict tiny.h gpu=gfx900 kind=other n=8 h=7 stride=2 -k 10
result ingest gpu,kind,mode "" "" "$trainer" ingest tiny.spec --data "$data"
result eval model,split,gpu,dtype "" "" \
    "$trainer" eval tiny.h --data "$data" --rows all -k 1,2,6
result "kpred-train bench" model "" ns,ns_min,ns_p95 "$trainer" bench tiny.h --beam 1,2
result "eval --reliability" model,split,gpu,dtype,bin "" "" \
    "$trainer" eval tiny.h --data "$data" --rows all -k 1,2 --reliability

ingest_default() {
    "$trainer" ingest tiny.spec --data "$data" >default &&
        "$trainer" ingest tiny.spec --data "$data" --csv | cmp - default
}
ingest_to_file() {
    "$trainer" ingest tiny.spec --data "$data" --json >whole &&
        "$trainer" ingest tiny.spec --data "$data" --json -o file && cmp file whole
}
check "ingest writes CSV by default" ingest_default
check "ingest --json -o" ingest_to_file
test_end
