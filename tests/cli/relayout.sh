#!/bin/sh
# relayout.sh - kpred-train relayout: headers of format 2, edited specs, and what it refuses
# SPDX-License-Identifier: MIT
#
# tests/fixtures/second_format.h.txt was written by the kpred-train of commit 713a1f7, by
#   kpred-train train tiny.spec --data tests/fixtures/tiny.csv --split none -o tiny.h
# where tiny.spec is the text in its opening comment.
. tests/harness/script.inc

test_begin
need_trainer "relayout"
second=$root/tests/fixtures/second_format.h.txt
if has_weights; then with_weights=yes; else with_weights=; fi
cd "$tmp" || exit 1

relayout() { "$trainer" relayout "$@"; }
spec_of() { sed -n '/^spec:$/,/^end of spec/p' "$1" | sed '1d;$d'; }
tiny="gpu=gfx906 kind=plain n=16 h=64 stride=1"
# says HEADER: what it predicts
says() {
    # shellcheck disable=SC2086
    "$kpred" predict "$1" $tiny -k 6 --csv
}

cp "$second" second.h
spec_of second.h >tiny.spec
relayout second.h -o now.h && says now.h >now.csv || exit 1

# ---- format 2 ----

as_trained() {
    cp "$root/tests/fixtures/tiny.csv" . &&
        "$trainer" train tiny.spec --data tiny.csv --split none -o tiny.h &&
        says tiny.h | cmp - now.csv && cmp tiny.h now.h
}
idempotent() {
    relayout now.h -o again.h && cmp now.h again.h
}
in_place() {
    cp second.h same.h && relayout same.h -o same.h --force && cmp same.h now.h
}
# The code is written again, whatever an earlier kpred-train wrote around the numbers.
other_code() {
    sed 's/^    KPRED_TINY_FIELD_N,$/    KPRED_TINY_FIELD_M,/;/^#pragma/d' now.h >other.h &&
        refuses 1 "its code is not what its spec and weights give" "$kpred" predict other.h n=1 &&
        relayout other.h -o again.h && cmp again.h now.h
}
every_shipped_one() {
    for header in "$root"/weights/*.h; do
        relayout "$header" -o shipped.h && cmp shipped.h "$header" || return 1
        relayout "$header" --spec "${header%.h}.spec" -o shipped.h && cmp shipped.h "$header" || return 1
    done
}
check "a header of format 2 is as one trained now" as_trained
check "a header of today stays" idempotent
check "into the same file" in_place
check "other code around the same numbers" other_code
if [ "$with_weights" ]; then
    check "the shipped headers stay, with their specs" every_shipped_one
else
    skipped "the shipped headers" "they are not there (make weights)"
fi

# ---- another spec ----

# edited SED: tiny.spec with a change, as edited.spec
edited() {
    sed "$1" tiny.spec >edited.spec
    ! cmp -s edited.spec tiny.spec || { echo "the test changes nothing"; return 1; }
}
id_of() { sed -n 's/^   id \([0-9a-f]*\), .*/\1/p' "$1"; }
# takes SED PATTERN: relayout with that spec; the header has the pattern, its spec and its predictions
takes() {
    edited "$1" && relayout second.h --spec edited.spec -o edited.h && grep -q -e "$2" edited.h &&
        spec_of edited.h | cmp - edited.spec && says edited.h | cmp - now.csv
}
another_title() {
    takes 's/^title .*/title = something else/' '^/\* tiny.h - something else$' &&
        [ "$(id_of edited.h)" = "$(id_of now.h)" ]
}
a_licence() {
    ! grep -q SPDX now.h && takes 's/^title .*/&\nlicence = Apache-2.0/' \
        '^   SPDX-License-Identifier: Apache-2.0$'
}
runs_on() {
    takes 's/^title .*/&\nruns_on = gfx906 gfx90a/' \
        '^static const char \*const kpri_tiny_runs_on\[\] = { "gfx906", "gfx90a", NULL };$' &&
        [ "$(id_of edited.h)" != "$(id_of now.h)" ]
}
other_numbers_of_training() {
    takes 's/^epochs .*/epochs = 99/' '^epochs = 99$' && [ "$(id_of edited.h)" = "$(id_of now.h)" ]
}
# The split is none: of the temperatures, that of another split changes nothing but the spec.
calibration() {
    edited '$a [calibration]\nconfig = 3' && relayout second.h --spec edited.spec -o edited.h &&
        [ "$(id_of edited.h)" = "$(id_of now.h)" ] && says edited.h | cmp - now.csv || return 1
    edited '$a [calibration]\nnone = 2.5' && relayout second.h --spec edited.spec -o edited.h &&
        grep -q '^    kpri_tiny_fields, kpri_tiny_params, 5, 2, 32, 0, 26214,$' edited.h &&
        [ "$(id_of edited.h)" != "$(id_of now.h)" ] && says edited.h >edited.csv || return 1
    cut -d, -f1,3- edited.csv >edited.txt && cut -d, -f1,3- now.csv | cmp - edited.txt &&
        ! cmp -s edited.csv now.csv
}
include_dir() {
    grep -qx '#include "kpred.h"' now.h && relayout now.h --include-dir ../up/ -o up.h &&
        grep -qx '#include "../up/kpred.h"' up.h && relayout up.h -o again.h && cmp up.h again.h &&
        relayout up.h --include-dir ./ -o again.h && cmp now.h again.h
}
check "--spec with another title" another_title
check "--spec with a licence" a_licence
check "--spec with runs_on" runs_on
check "--spec with other numbers of training" other_numbers_of_training
check "--spec with a calibration" calibration
check "--include-dir" include_dir

# ---- a spec without [features] ----

# The header has the features that it was trained with. Another kpred-train may have made them
# otherwise: here a register has another name.
by_default() {
    sed '/^\[derived\]/,/^\[network\]/{/^\[network\]/!d;}; s/= tiny/= plain/' tiny.spec >plain.spec
    ! grep -q 'features' plain.spec &&
        "$trainer" train plain.spec --data "$root/tests/fixtures/tiny.csv" --split none --epochs 1 \
            --threads 1 -o plain.h 2>note && grep -q '^log2_n = log2 n$' plain.h &&
        ! grep 'nothing is learnt from it' note && relayout plain.h -o again.h && cmp plain.h again.h &&
        relayout plain.h --spec plain.spec -o again.h && cmp plain.h again.h
}
made_otherwise() {
    sed 's/log2_n/n_in_octaves/' plain.h >older.h && ! cmp -s plain.h older.h &&
        relayout older.h -o again.h && cmp older.h again.h &&
        relayout older.h --spec plain.spec -o again.h && cmp older.h again.h &&
        "$kpred" predict older.h $tiny >/dev/null
}
check "features by default" by_default
check "features that another kpred-train made by default" made_otherwise

# ---- what is refused ----

old="GENERATED by kpred-train: old content"
mkdir kept && echo "$old" >kept/out.h
# no NAME STATUS PATTERN ARGUMENT...
no() {
    what=$1; shift
    check "$what" refuses_and_keeps "$@"
}
refuses_and_keeps() {
    refuses_status=$1 refuses_pattern=$2; shift 2
    refuses "$refuses_status" "$refuses_pattern" "$trainer" relayout "$@" -o kept/out.h &&
        [ "$(cat kept/out.h)" = "$old" ] && [ "$(find kept | wc -l)" -eq 2 ]
}
# no_spec NAME SED: a spec that the header was not trained for
no_spec() {
    if edited "$2"; then
        no "spec: $1" 1 \
            "edited.spec: its fields, parameters or features are not those that tiny was trained with" \
            second.h --spec edited.spec
    else
        failed "spec: $1" "the test changes nothing"
    fi
}
no_spec "another feature" 's/^hats ln 0 1 9/hats ln 0 1 8/'
no_spec "a register more" 's/^ln = log2 n/&\nlh = log2 h/'
no_spec "another field" 's/^h      = size 4/height = size 4/;s/,h,/,height,/;s/(n,h)/(n,height)/g'
no_spec "another limit" 's/^h      = size 4/h      = size 3/'
no_spec "tokens the other way round" 's/plain other/other plain/'
no_spec "another token" 's/plain other/plain odd/'
no_spec "another parameter" 's/^tile /tiles /'
no_spec "another value" 's/1 2 4/1 2 5/'
no_spec "a value more" 's/1 2 4/1 2 4 8/'
no_spec "value names the other way round" 's/fast small/small fast/'
edited 's/^name .*/name = tinier/'
no "spec of another model" 1 "edited.spec: name \"tinier\": the header's model is tiny" \
    second.h --spec edited.spec
no "spec that is not there" 1 "no.spec: cannot open" second.h --spec no.spec
printf '[kernel]\n' >broken.spec
no "broken spec" 1 "broken.spec:" second.h --spec broken.spec

# no_header NAME PATTERN SED: of format 2, and of today's
no_header() {
    for header in second now; do
        sed "$3" $header.h >broken.h
        cmp -s broken.h $header.h && failed "$1, $header" "the test changes nothing"
        no "$1, $header" 1 "$2" broken.h
    done
}
no_header "a weight changed" "broken.h: the content does not match the id" \
    '/kpri_tiny_weight1\[/{n;s/^-*[0-9]*,/101,/;}'
no_header "another id" "broken.h: the content does not match the id 0123456789abcdef" \
    's/, UINT64_C(0x[0-9a-f]*)/, UINT64_C(0x0123456789abcdef)/'
no_header "no id" "broken.h: not a header that kpred-train wrote: no id" 's/, UINT64_C(0x/, (0x/'
no_header "no spec" "broken.h: not a header that kpred-train wrote: no spec" '/^spec:$/d'
sed 's/^    3, UINT64_C/    4, UINT64_C/' now.h >broken.h
no "a later format" 1 "broken.h: of format 4, which a later kpred-train wrote: this one is for 3" broken.h
"$trainer" train tiny.spec --data "$root/tests/fixtures/tiny.csv" --split none --net attn -o float.h
no "a network of the paper" 1 "float.h: a network of the paper, in floats" float.h
no "no header" 1 "no.h: cannot open" no.h
no "a built-in model" 1 "conv_solver: cannot open" conv_solver
for dir in up ../up '"/' '*/' "$(printf '%070d/' 0)"; do
    no "--include-dir $(echo "$dir" | cut -c 1-8)" 1 "is no path of at most" second.h --include-dir "$dir"
done
refuse "no output" 2 "-o is missing" "$trainer" relayout second.h
refuse "no header at all" 2 "OLD.h is missing" "$trainer" relayout -o x.h
refuse "output in no folder" 1 "cannot create" "$trainer" relayout second.h -o none/x.h
refuse "output that is a folder" 1 "kept: is a directory" "$trainer" relayout second.h -o kept
full_disk() { refuses 1 "/dev/full: cannot write" relayout second.h -o /dev/full; }
check_with /dev/full "output on a full disk" full_disk

# ---- what others say of a header of format 2 ----

for program in kpred trainer; do
    eval "program_path=\$$program"
    # shellcheck disable=SC2154
    refuse "$program predict or eval names relayout" 1 \
        "second.h: of format 2, this is for 3: \`kpred-train relayout\` brings it" \
        "$program_path" bench second.h
done
refuse "predict" 1 "kpred-train relayout" "$kpred" predict second.h
refuse "eval" 1 "kpred-train relayout" "$trainer" eval second.h --data "$root/tests/fixtures/tiny.csv"
compiles_not() {
    printf '#include "now.h"\n' >use.c && "$CC" -I"$root" -fsyntax-only use.c || return 1
    sed 's/\(#define KPRED_FORMAT *\)3 /\14 /' "$root/kpred.h" >kpred.h
    ! "$CC" -I. -fsyntax-only use.c 2>err && rm kpred.h &&
        grep -q 'tiny.h and kpred.h are of different formats: see kpred-train relayout' err
}
check "kpred.h of another format: the compiler says so" compiles_not
test_end
