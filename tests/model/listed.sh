#!/bin/sh
# listed.sh - the rule `listed`: legal are the tuples of the data, in the trainer, in the tools that
# read the header, and in a program that includes it
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

need_trainer "the rule listed"
cd "$tmp" || exit 1

# spec NAME RULE PARAMS
spec() {
    printf '%s\n' "[kernel]" "name = $1" "rule = $2" "[data]" "format = tensile" "[fields]" \
        "m = size" "n = size" "[params]" "$3" "[split]" "config = m,n" "[derived]" "lm = log2 m" \
        "[features]" "hats lm 0 1 7" "[network]" "encoder1 = 16" "encoder2 = 16" "hidden = 16" \
        "teachers = 0" "draws = 4" >"$1.spec"
}

# Of 24 tuples 9, at random; one of them, 32 5 2, was measured for the third problem alone.
params='tile = 8 16 32
depth = 1 3 5 7
part = 1 2'
tuples="8,1,1 8,1,2 8,5,2 16,3,1 16,3,2 16,7,2 32,1,1 32,7,1 32,5,2"
{
    echo m,n,tile,depth,part,time_us
    for m in 5 50 7; do
        for t in $tuples; do
            [ "$t" = 32,5,2 ] && [ $m != 7 ] || echo "$m,9,$t,$((m + ${#t} + ${t%%,*}))"
        done
    done
} >small.csv
spec small listed "$params"

train() { "$trainer" train "$@" --threads 1 --float-out float.f32; }
trains() { train small.spec --data small.csv --split fold:2/3 --epochs 3 -o small.h; }
check "training, the third problem held out" trains

# returns K NAME: what `kpred predict` returns are the tuples, every one of them where K is enough
returns() {
    "$kpred" predict small.h m=6 n=9 -k "$1" --csv | sed '1d; s/^[^,]*,[^,]*,//' | sort >got
    for t in $tuples; do echo "$t"; done | sort >want
    [ "$(wc -l <got)" -eq $(($1 < 9 ? $1 : 9)) ] && [ -z "$(comm -23 got want)" ] &&
        [ -z "$(uniq -d got)" ]
}
for k in 1 4 9 24; do check "the legal tuples alone, k = $k" returns $k; done

all_valid() {
    "$trainer" eval small.h --data small.csv --rows test -k 1,9 --csv | cut -d, -f6,9 >got
    printf 'n,valid\n1,100.00\n1,100.00\n' | diff - got
}
check "eval calls them valid" all_valid

# The rule of the header, compiled by itself, against the tuples: every prefix of each length
cat >rule.c <<'END'
#define KPRED_IMPLEMENTATION
#include "small.h"
#include <stdio.h>
static const int32_t legal[][3] = {
    { 8, 1, 1 }, { 8, 1, 2 }, { 8, 5, 2 }, { 16, 3, 1 }, { 16, 3, 2 }, { 16, 7, 2 }, { 32, 1, 1 },
    { 32, 7, 1 }, { 32, 5, 2 }
};
static int begins_one(const int32_t *v, size_t n)
{
    size_t i, k;
    for (i = 0; i < sizeof legal / sizeof *legal; i++) {
        for (k = 0; k < n && legal[i][k] == v[k]; k++)
            ;
        if (k == n)
            return 1;
    }
    return 0;
}
int main(void)
{
    const int32_t problem[] = { 5, 9 };
    int32_t v[3];
    int asked = 0, wrong = 0;
    size_t n;
    for (v[0] = 0; v[0] < 40; v[0]++)
        for (v[1] = 0; v[1] < 9; v[1]++)
            for (v[2] = 0; v[2] < 4; v[2]++)
                for (n = 0; n <= 3; n++, asked++)
                    if (n < 1 || begins_one(v, n - 1))
                        wrong += kpred_model_small.rule(problem, v, n) != begins_one(v, n);
    printf("%d asked, %d wrong\n", asked, wrong);
    return wrong != 0 || kpred_model_small.id != kpred_model_id(&kpred_model_small);
}
END
for cc in gcc clang; do
    compiled() { $cc -std=c99 -O2 $C_WARNINGS -I"$root" -I. rule.c -o rule && ./rule; }
    check_with $cc "the header's rule, every prefix, built by $cc" compiled
done
check_with g++ "the header in C++" g++ -std=c++11 $WARNINGS -x c++ -I"$root" -I. rule.c -o rule

# ---- the model's id and size ----

# The same network with other tuples has another id.
other_id() {
    sed 's/,32,7,1,/,32,7,2,/' small.csv >other.csv &&
        train small.spec --data other.csv --split fold:2/3 --epochs 3 -o other.h || return 1
    grep -o '"listed_[0-9a-f]*"' small.h >names && grep -o '"listed_[0-9a-f]*"' other.h >>names
    [ "$(sort -u names | wc -l)" -eq 2 ]
}
check "other tuples, another name of the rule" other_id

# 1 + 3 + 12 + 24 bits are 5 bytes.
in_size() {
    grep -q 'kpri_small_listed\[5\]' small.h && spec free unconstrained "$params" &&
        train free.spec --data small.csv --split fold:2/3 --epochs 3 -o free.h || return 1
    a=$(sed -n 's/.* id [0-9a-f]*, \([0-9]*\) bytes.*/\1/p' small.h)
    b=$(sed -n 's/.* id [0-9a-f]*, \([0-9]*\) bytes.*/\1/p' free.h)
    echo "$a and $b bytes"
    [ $((a - b)) -ge 32 ] && [ $((a - b)) -lt 96 ]
}
check "the list counts in the model's bytes" in_size

changed() { # EXPRESSION TEXT: the header so edited is refused with the text
    sed "$1" small.h >edited.h
    ! cmp -s small.h edited.h && refuses 1 "$2" "$kpred" predict edited.h m=6 n=9
}
first=$(grep -A1 'kpri_small_listed\[5\]' small.h | sed -n '2s/,.*//p')
check "a bit changed" changed "/kpri_small_listed\[5\]/{n;s/^$first,/$((first ^ 2)),/;}" \
    "the content does not match the id"
check "a byte too many" changed "/kpri_small_listed\[5\]/{n;s/^/0,/;}" "more than 5 numbers"
check "not a byte" changed "/kpri_small_listed\[5\]/{n;s/^$first,/256,/;}" "out of range"
check "another rule in the code" changed 's/kpri_listed(/kpri_other(/' \
    "its code is not what its spec and weights give"

# ---- refusals ----

# refused NAME TEXT DATA ARGUMENT...: and no header is left
refused() {
    refused_spec=$1 text=$2 data=$3; shift 3
    refuses 1 "$text" "$trainer" train $refused_spec.spec --data $data "$@" -o bad.h &&
        [ ! -e bad.h ]
}
values=$(awk 'BEGIN { for (i = 1; i < 128; i++) printf " %d", i }')
spec large listed "tile =$values
depth =$values
part =$values
more =$values"
check "too many tuples" refused large "large.spec: rule listed: the parameters have more than" \
    small.csv
check "a network of the paper" refused small "small.spec: rule listed: a header of --net hybrid" \
    small.csv --net hybrid
sed 's/,[0-9]*,1,\([0-9]*\)$/,9,1,\1/; s/,[0-9]*,2,\([0-9]*\)$/,9,2,\1/' small.csv >unknown.csv
none_known() {
    ! train small.spec --data unknown.csv -o bad.h 2>note && [ ! -e bad.h ] &&
        grep -q "small: rule listed: the data have no tuple of the spec" note
}
check "no tuple that the spec knows" none_known

test_end
