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

# ---- lists that differ by tokens ----

# Of 3 GPUs and 2 types in the spec, three combinations have rows: two of them the same tuples, one
# others. A row without a time is no tuple of its combination.
sed 's/^rule = .*/&\nlisted_by = dtype gpu/; s/^format = .*/format = timed/; s/^name = .*/name = two/
    s/^m = size/gpu = gfx90878 gfx942130 gfx950100\nm = size\ndtype = FP16 FP32/
    s/^hats/onehot gpu\n&/' small.spec >two.spec
some="8,1,1 8,5,2 16,3,1 32,7,1" others="8,1,2 16,3,1 16,7,2 32,5,2 32,5,1"
{
    echo gpu,m,dtype,n,tile,depth,part,time_us
    for m in 5 50 7; do
        for t in $some; do
            echo "gfx90878,$m,FP16,9,$t,$((m + ${#t} + ${t%%,*}))"
            echo "gfx942130,$m,FP32,9,$t,$((m + ${t%%,*}))"
        done
        echo "gfx90878,$m,FP16,9,32,3,2,failed"
        for t in $others; do echo "gfx942130,$m,FP16,9,$t,$((m + ${t%%,*}))"; done
    done
} >two.csv
trains_two() { train two.spec --data two.csv --split none --epochs 3 -o two.h 2>note; }
check "training, lists by two fields" trains_two

# all_of GPU TYPE TUPLES: at a wide beam these are predicted, and no others
all_of() {
    "$kpred" predict two.h gpu=$1 m=6 dtype=$2 n=9 -k 24 --csv | sed '1d; s/^[^,]*,[^,]*,//' | sort >got
    printf '%s\n' $3 | sort | diff - got
}
check "one GPU's tuples" all_of gfx90878 FP16 "$some"
check "another GPU's tuples" all_of gfx942130 FP16 "$others"
check "another type's tuples" all_of gfx942130 FP32 "$some"
nearest() {
    "$kpred" predict two.h gpu=gfx90a6e m=6 dtype=FP16 n=9 -k 24 --csv --nearest 2>note |
        sed '1d; s/^[^,]*,[^,]*,//' | sort >got && printf '%s\n' $some | sort | diff - got
}
check "the nearest GPU's tuples" nearest
not_listed() {
    refuses 1 "two does not apply: dtype, gpu = FP32, gfx90878 (it must be a combination with listed tuples)" \
        "$kpred" predict two.h gpu=gfx90878 m=6 dtype=FP32 n=9
}
check "a combination without a tuple" not_listed
as_json() {
    "$kpred" predict two.h gpu=gfx950100 m=6 dtype=FP16 n=9 --json 2>note >got
    [ $? -eq 1 ] && grep -q '"field": "dtype, gpu", "value": "FP16, gfx950100"' got
}
check "the same as JSON" as_json
one_field() {
    sed 's/^listed_by.*/listed_by = gpu/; s/ = two/ = one/' two.spec >one.spec
    train one.spec --data two.csv --split none --epochs 1 -o one.h 2>note &&
        refuses 1 "one does not apply: gpu = gfx950100 (it must be one with listed tuples)" \
            "$kpred" predict one.h gpu=gfx950100 m=6 dtype=FP16 n=9
}
check "a GPU without a tuple" one_field
all_legal() {
    "$trainer" eval two.h --data two.csv --rows all -k 1,5 --csv | cut -d, -f9 | sort -u >got
    printf '100.00\nvalid\n' | diff - got
}
check "eval calls them valid" all_legal

# 33 bits are 5 bytes; two lists, and an index of six combinations
stored() {
    grep -q 'kpri_two_listed\[10\]' two.h && grep -q '"listed_[0-9a-f]*_2of6"' two.h &&
        grep -A1 'kpri_two_lists\[6\]' two.h | grep -qx '1,2,0,0,1,0,' &&
        "$kpred" models two.h --json | grep -q '"rule": "listed by dtype gpu"'
}
check "equal lists are kept once" stored
relaid() { "$trainer" relayout two.h -o again.h && cmp two.h again.h; }
check "relayout leaves it" relaid

cat >rule_by.c <<'END'
#define KPRED_IMPLEMENTATION
#include "two.h"
#include <stdio.h>
static const int32_t some[][3] = { { 8, 1, 1 }, { 8, 5, 2 }, { 16, 3, 1 }, { 32, 7, 1 } };
static const int32_t others[][3] = {
    { 8, 1, 2 }, { 16, 3, 1 }, { 16, 7, 2 }, { 32, 5, 2 }, { 32, 5, 1 }
};
static int begins_one(const int32_t (*list)[3], size_t many, const int32_t *v, size_t n)
{
    size_t i, k;
    for (i = 0; i < many; i++) {
        for (k = 0; k < n && list[i][k] == v[k]; k++)
            ;
        if (k == n)
            return 1;
    }
    return 0;
}
static int expected(const int32_t *problem, const int32_t *v, size_t n)
{
    if (problem[0] == 1 && problem[2] == 0)
        return begins_one(others, 5, v, n);
    return (problem[0] == 1 || (problem[0] == 0 && problem[2] == 0)) && begins_one(some, 4, v, n);
}
int main(void)
{
    int32_t p[] = { 0, 5, 0, 9 }, v[3];
    int asked = 0, wrong = 0;
    size_t n;
    for (p[0] = 0; p[0] < 3; p[0]++)
        for (p[2] = 0; p[2] < 2; p[2]++)
            for (v[0] = 8; v[0] < 40; v[0] *= 2)
                for (v[1] = 1; v[1] < 9; v[1] += 2)
                    for (v[2] = 1; v[2] < 4; v[2]++)
                        for (n = 0; n <= 3; n++, asked++)
                            if (n < 1 || expected(p, v, n - 1))
                                wrong += kpred_model_two.rule(p, v, n) != expected(p, v, n);
    printf("%d asked, %d wrong\n", asked, wrong);
    return wrong != 0 || kpred_model_two.id != kpred_model_id(&kpred_model_two);
}
END
for cc in gcc clang; do
    compiled_by() { $cc -std=c99 -O2 $C_WARNINGS -I"$root" -I. rule_by.c -o rule && ./rule; }
    check_with $cc "the rule of lists, every prefix, built by $cc" compiled_by
done
by_cxx() {
    g++ -std=c++98 $WARNINGS -Wno-long-long -x c++ -I"$root" -I. rule_by.c -o rule && ./rule
}
check_with g++ "the rule of lists in C++98" by_cxx
freestanding() {
    printf '#define KPRED_IMPLEMENTATION\n#include "two.h"\n' >alone.c
    gcc -std=c99 -ffreestanding $C_WARNINGS -I"$root" -c alone.c -o alone.o &&
        ! nm -u alone.o | grep .
}
check_with gcc "the rule of lists without libc" freestanding

changed_two() { # EXPRESSION TEXT
    sed "$1" two.h >edited.h
    ! cmp -s two.h edited.h && refuses 1 "$2" "$kpred" predict edited.h gpu=gfx90878 m=6 dtype=FP16 n=9
}
lists='/kpri_two_lists\[6\]/{n;'
check "lists exchanged" changed_two "${lists}s/^1,2,/2,1,/;}" "the content does not match the id"
check "a list that is not there" changed_two "${lists}s/^1,2,/1,3,/;}" "array listed has 10 numbers, expected 15"
check "a list beyond all combinations" changed_two "${lists}s/^1,/7,/;}" "out of range"
check "another field asked" changed_two 's/problem\[2\]/problem[1]/' \
    "its code is not what its spec and weights give"

# by FIELDS TEXT: listed_by = FIELDS is refused
by() {
    sed "s/^listed_by.*/listed_by = $1/" two.spec >by.spec
    refuses 1 "$2" "$trainer" train by.spec --data two.csv --split none -o bad.h && [ ! -e bad.h ]
}
check "listed by what is no field" by "gpu arch" \
    'by.spec:4: listed_by: value "arch": is no field of tokens'
check "listed by a size" by "m" 'by.spec:4: listed_by: value "m": is no field of tokens'
check "listed by a field twice" by "gpu gpu" 'by.spec:4: listed_by: value "gpu": stands there twice'
not_a_list() {
    sed 's/^rule = .*/rule = unconstrained/' two.spec >by.spec
    refuses 1 'by.spec:4: listed_by: value "dtype gpu": is for `rule = listed` alone' \
        "$trainer" train by.spec --data two.csv --split none -o bad.h
}
check "listed_by beside another rule" not_a_list
combinations() {
    letters=$(awk 'BEGIN { for (i = 0; i < 65; i++) printf " t%d", i }')
    sed "s/^listed_by.*/listed_by = a b/; s/^n = size/a =$letters\nb =$letters\n&/" two.spec >by.spec
    refuses 1 'by.spec:4: listed_by: value "b": with it there are 4225 combinations of tokens: at most 4096' \
        "$trainer" train by.spec --data two.csv --split none -o bad.h
}
check "too many combinations" combinations
# 101 + 101 * 101 + ... bits a list: one fits, three do not
too_long() {
    values=$(awk 'BEGIN { for (i = 1; i <= 99; i++) printf " %d", i }')
    { sed '/^tile\|^depth\|^part/d; s/^listed_by.*/listed_by = gpu/' two.spec |
        sed "s/^\[params\]/&\na =$values\nb =$values\nc =$values\n/"; } >by.spec
    { echo gpu,m,dtype,n,a,b,c,time_us
        for a in 1 2 3; do echo "gfx90878,$a,FP16,9,$a,1,1,5"; done
        for a in 4 5; do echo "gfx942130,$a,FP16,9,$a,1,1,5"; done
        for a in 6 7; do echo "gfx950100,$a,FP16,9,$a,1,1,5"; done; } >long.csv
    ! train by.spec --data long.csv --split none --epochs 1 -o bad.h 2>note && [ ! -e bad.h ] &&
        grep -q "by.spec: rule listed: the different lists have more than 2097152 prefixes" note || return 1
    grep -v gfx950100 long.csv >short.csv && train by.spec --data short.csv --split none --epochs 1 -o good.h
}
check "too many tuples in all lists" too_long

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
