#!/bin/sh
# clauses.sh - a rule as conditions: [restrict] reads as Python does, in the tools and in the header
# SPDX-License-Identifier: MIT
#
# CLAUSES=N: so many random clauses; 100000 take a minute.
. tests/harness/script.inc

test_begin
need_trainer "rules as conditions"
CLAUSES=${CLAUSES:-4800}

# ---- what a clause means: beside Python ----

flags="-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror"
check "the program" test_program clauses "$tmp/clauses"
check_with python3 "random clauses, beside Python" python3 tests/model/clauses.py "$tmp/clauses" \
    --clauses "$CLAUSES" --seed 1 --no-completions
check_with python3 "bounds, beside all completions" python3 tests/model/clauses.py "$tmp/clauses" \
    --clauses 288 --seed 2
check_with python3 "random clauses, as C" python3 tests/model/clauses.py "$tmp/clauses" \
    --clauses 96 --problems 40 --seed 3 --no-completions \
    --compile "$CC -std=c99 -O1 $flags -D_POSIX_C_SOURCE=200809L -I. -Itools tests/model/clauses.c" \
    --compile-after "$archive -lm -pthread"

TUNER=$(absolute "${TUNER:-../shared/tuner}")
check_with "$TUNER/gemm_milo.T1.json" "the kernels of Kernel Tuner's hub" \
    python3 tests/model/hub.py "$tmp/clauses" "$TUNER"

# ---- what is refused ----

# spec CLAUSE...: rowsum's, with these
spec() {
    sed 's/^rule .*//' "$root/tests/fixtures/rowsum.spec"
    printf '[restrict]\n'
    printf '%s\n' "$@"
}

cd "$tmp" || exit 1
rows() {
    awk 'BEGIN { print "gpu,rows,cols,threads,unroll"
        for (gpu = 0; gpu < 2; gpu++) for (r = 1; r <= 4096; r *= 4) for (c = 16; c <= 4096; c *= 2)
            print (gpu ? "gfx906_60" : "gfx900_56") "," r "," c "," (c < 100 ? 64 : 128) "," \
                (gpu && r > 9 ? 4 : 2) }'
}
rows >own.csv
line=$(spec x | grep -n '^x$' | cut -d: -f1)

# wrong CLAUSE COLUMN TEXT: the message names the place
wrong() {
    spec "$1" >my.spec
    refuse "$1" 1 "my.spec:$line:$2: [restrict]: $3" "$trainer" train my.spec --data own.csv --split none -o my.h
}
wrong 'treads > 1' 1 '"treads" is no field, parameter, constant or limit; did you mean threads?'
wrong 'threads * unroll <= lds_byte' 21 '"lds_byte" is no field, parameter, constant or limit; did you mean lds_bytes?'
wrong 'threads < wings' 11 '"wings" is no field, parameter, constant or limit: threads < wings'
wrong '  rows > colls' 10 '"colls" is no field'
wrong 'rows > (cols' 13 'here should be ")"'
wrong 'rows > cols)' 12 'something follows'
wrong 'rows >' 7 'the clause ends where an operand should be'
wrong 'rows = 3 + cols' 1 'a field or a parameter has this name'
wrong '3 = rows' 3 '= gives no truth'
wrong 'rows & 3 == 0' 6 'this sign is not read'
wrong 'rows > 1.5' 8 'decimal fractions'
wrong 'rows > 16x16' 8 'a name that begins with a digit'
wrong 'rows > 9223372036854775808' 8 'a number above 9223372036854775807'
wrong 'rows ** 2 > 4' 6 '** takes constants'
wrong 'rows > 2 ** 63' 10 'a power that passes 2^63'
wrong 'threads > 2 or (rows + cols) * cols * rows < 3' 16 '"(rows + cols) * cols * rows" may pass 2^63: give its fields'
wrong 'threads > 2 ** 61 * 4' 11 '"2 ** 61 * 4" may pass 2^63: threads'
wrong 'rows / cols < cols / threads / rows * cols' 1 '"rows / cols < cols / threads / rows * cols" may pass 2^63'
wrong 'gpu > gfx900_56' 5 'names have no order'
wrong 'gpu == gfx90a' 8 '"gfx90a" is no token of gpu'
wrong 'gpu == rows' 5 'rows is a number, and gpu is one of the names gfx900_56 gfx906_60: gpu == rows'
wrong '1 == gpu' 3 '1 is a number, and gpu is one of the names gfx900_56 gfx906_60'
wrong 'gpu in (0, 1)' 5 '0 is a number, and gpu is one of'
wrong 'gpu != unroll * 2' 5 'unroll * 2 is a number, and gpu is one of'
wrong 'gpu == True' 8 '"True" is no token of gpu'
wrong 'gfx900_56 == gpu == 0' 18 '0 is a number, and gpu is one of'
wrong 'threads == "64"' 12 '"64" is a name, and what it is compared with is not'
wrong 'not gpu' 1 'gpu is a name: it can only be compared'
wrong 'max(gpu, 1) > 0' 1 'gpu is a name: it can only be compared'
wrong 'gpu + 1 == 2' 5 'gpu is a name'
wrong 'rows / 2' 1 'a quotient is neither true nor false'
wrong 'gpu == "gfx' 8 'there is no closing quote'
wrong 'sqrt(rows) > 2' 1 'there is no such function'
wrong 'abs(rows, cols) > 2' 9 'here should be ")"'
wrong 'min(rows) > 2' 1 'too few arguments'
wrong 'rows > 1 && cols > 1' 10 '&& is not read, write and'
wrong 'rows > 1 || cols > 1' 10 '|| is not read, write or'
wrong 'rows > 1 # many' 10 'a comment stands on a line of its own'
wrong 'rows in [1, 2' 14 'here should be "]"'
wrong 'rows in [1, 2)' 14 'here should be "]"'
wrong 'rows in (1, 2]' 14 'here should be ")"'
wrong 'rows > [1]' 8 'an operand is missing'
wrong 'rows in 3' 9 'here should be "("'
wrong 'rows not 3' 10 'here should be "in"'
wrong 'limit = rows' 1 'a constant depends on no field'
wrong 'limit = 3 // 0' 1 'the constant has no value'
deep=$(printf '%050d' 0 | tr 0 '(')
wrong "${deep}rows" 49 'operations are nested too deep'
spec 'limit = 3' 'limit = 4' >my.spec
refuse "a constant twice" 1 "my.spec:$((line + 1)):1: [restrict]: this constant is there already" \
    "$trainer" train my.spec --data own.csv --split none -o my.h
for none in '' 'limit = 3'; do
    spec "$none" >my.spec
    refuse "no condition: $none" 1 'my.spec:41: [restrict]: there is no condition in it' \
        "$trainer" train my.spec --data own.csv --split none -o my.h
done
{ sed 's/^rule .*/rule = listed/' "$root/tests/fixtures/rowsum.spec"; echo '[restrict]'; echo 'rows > 0'; } >my.spec
refuse "another rule beside it" 1 'stands beside a section [restrict]' "$trainer" train my.spec --data own.csv --split none -o my.h

# ---- truths, in whichever order a table has them ----

cat >truths.c <<'END'
#define KPRED_IMPLEMENTATION
#include "truths.h"
#include <stdio.h>
int main(void)
{
    const kpred_model *m = &kpred_model_truths;
    for (int32_t i = 0; i < 8; i++) {
        const int32_t p[] = { 1, i & 1 }, v[] = { i >> 1 & 1, i & 4 ? 4 : 2 };
        if (kpred_legal(m, p, v))
            printf("%s,%s,%d\n", m->fields[1].tokens[p[1]], m->params[0].names[v[0]], (int)v[1]);
    }
    return 0;
}
END

# three: c.csv has tr, lds and vec of what is legal
three() {
    printf 'False,True,2\nFalse,True,4\nTrue,False,2\n' >three.csv
    sort c.csv | diff - three.csv
}

# truths FIRST OTHER: of a table that begins with the first, by init, train, predict, tune and as C
truths() {
    awk -v first="$1" -v other="$2" 'BEGIN { print "n,tr,lds,vec,time_us"
        for (n = 1; n < 5; n++) for (t = 0; t < 2; t++) for (l = 0; l < 2; l++) for (vec = 2; vec < 8; vec *= 2)
            print n "," (t ? other : first) "," (l ? other : first) "," vec "," 9 + vec - l }' >truths.csv
    "$trainer" init truths.csv --fields n,tr --name truths --force -o truths.spec || return 1
    printf '%s\n' '[restrict]' 'lds or vec < 4' 'tr != lds' 'tr != True or not lds' '(lds == True) + tr == 1' \
        'lds in [True,] or vec < 4' >>truths.spec
    sed "s/^tr = .*/tr = $1 $2/" truths.spec >turned.spec
    grep -qx "lds = $1 $2" turned.spec &&
        "$trainer" train turned.spec --data truths.csv --split none --epochs 2 -o truths.h &&
        as_program "$CC" "-std=c99 $C_WARNINGS" truths >c.csv && three || return 1
    for tr in True False; do
        "$kpred" predict truths.h n=1 tr=$tr -k 9 --csv | sed "1d; s/^[^,]*,[^,]*,/$tr,/" | cut -d, -f1-3
    done >c.csv
    three || return 1
    rm -f tuned.csv
    printf 'n,tr\n1,True\n1,False\n' >problems.csv
    "$trainer" tune turned.spec --problems problems.csv --run 'echo 5 #' -o tuned.csv || return 1
    sed -n 's/^1,\(.*\),5$/\1/p' tuned.csv >c.csv
    three
}
as_program() {
    # shellcheck disable=SC2086
    "$1" $2 -I"$root" -I. "$3.c" -o "$3" && "./$3"
}
check "True first: init, train, predict, tune, C" truths True False
check "False first" truths False True

# ---- a model: from a table to a prediction ----

# Threads times what is unrolled has a limit that depends on the GPU, and long rows are unrolled.
spec 'most = 512' 'threads * unroll <= most' 'gpu == gfx906_60 or threads * unroll < 512' \
    'rows < 64 or unroll > 1 or cols % 3 == 0' >own.spec
legal() {
    awk -F, -v gpu="$1" -v rows="$2" -v cols="$3" '
        NR > 1 { threads = $2; unroll = $3; n++
            if (threads * unroll > 512 || gpu != "gfx906_60" && threads * unroll >= 512 ||
                rows >= 64 && unroll <= 1 && cols % 3) { print "illegal: " $0; bad = 1 } }
        END { exit bad || !n }' "$tmp/predicted"
}

check "a model with [restrict] trains" "$trainer" train own.spec --data own.csv --split none -o own.h

all_legal() {
    for gpu in gfx900_56 gfx906_60; do
        for rows in 1 63 64 500; do
            for cols in 16 99; do
                "$kpred" predict own.h gpu=$gpu rows=$rows cols=$cols -k 9 --csv |
                    sed 's/^[^,]*,//' >predicted || return 1
                legal $gpu $rows $cols || { echo "$gpu $rows $cols"; return 1; }
            done
        done
    done
}
check "every tuple of predict is legal" all_legal

cat >own.c <<'END'
#define KPRED_IMPLEMENTATION
#include "own.h"
int main(void)
{
    const int32_t problem[] = { 0, 64, 16 }, good[] = { 64, 2 }, bad[] = { 64, 1 }, large[] = { 256, 2 };
    return !(kpred_legal(&kpred_model_rowsum, problem, good) && !kpred_legal(&kpred_model_rowsum, problem, bad)
             && !kpred_legal(&kpred_model_rowsum, problem, large));
}
END
check "its rule in C" as_program "$CC" "-std=c99 $C_WARNINGS" own
check_with g++ "its rule in C++" as_program g++ "-x c++ -std=c++11 $CXX_WARNINGS" own

# ---- what is told ----

# The second clause divides by what may be 0.
spec 'threads * unroll <= 255' 'threads > 64 or 4096 % (cols - 16) >= 0' >told.spec
told() {
    "$trainer" train told.spec --data own.csv --split none -o told.h 2>err &&
        grep -qx "kpred-train: rowsum: told.spec:$line: threads \* unroll <= 255: false for $1 rows" err &&
        grep -qx "kpred-train: rowsum: told.spec:$((line + 1)): threads > 64 or 4096 % (cols - 16) >= 0: false for $2 rows" err &&
        grep -qx "kpred-train: rowsum: of these, $2 divide by 0" err
}
check "training counts what a clause rejects" told \
    "$(awk -F, 'NR > 1 && $4 * $5 > 255' own.csv | wc -l)" "$(awk -F, '$3 == 16' own.csv | wc -l)"
# some_rows: the data without problems of more rows than 64
some_rows() { awk -F, 'NR == 1 || $2 <= 64' own.csv; }
some_rows >some.csv
spec 'rows <= 64' 'threads > rows * 2' >narrow.spec
"$trainer" train narrow.spec --data some.csv --split none -o narrow.h 2>err || cat err
refuse "a problem that a clause rejects" 1 'does not apply: rows <= 64 = False (it must be True)' \
    "$kpred" predict narrow.h gpu=gfx906_60 rows=65 cols=64
spec 'threads > rows * 2' >narrow.spec
"$trainer" train narrow.spec --data some.csv --split none -o narrow.h 2>err || cat err
refuse "a problem without a legal tuple" 1 \
    'does not apply: threads > rows * 2 = False for all tuples (it must be True)' \
    "$kpred" predict narrow.h gpu=gfx906_60 rows=500 cols=64
# Bounds allow each of these for a beginning; that there is no tuple, a search finds.
spec 'threads % 48 == rows % 48' 'unroll > 1' >sparse.spec
some_rows | awk -F, -v OFS=, 'NR == 1 || $2 == 16 { print }' >sparse.csv
"$trainer" train sparse.spec --data sparse.csv --split none -o sparse.h 2>err || cat err
check "a problem with legal tuples" "$kpred" predict sparse.h gpu=gfx906_60 rows=16 cols=64
refuse "a problem without one, beyond bounds" 1 \
    'does not apply: threads % 48 == rows % 48 = False for all tuples (it must be True)' \
    "$kpred" predict sparse.h gpu=gfx906_60 rows=17 cols=64

# ---- data of problems without a legal tuple ----

# dead PATTERN CLAUSE...: training and eval refuse own.csv by a message with all these patterns
dead() {
    pattern=$1; shift
    spec "$@" >dead.spec && rm -f dead.h &&
        refuses 1 "$pattern" "$trainer" train dead.spec --data own.csv --split none -o dead.h && [ ! -e dead.h ] || return 1
    dropped=$(sed -n 's/.*(it is so for \([0-9]*\) of \([0-9]*\) problems; --lenient leaves.*/\1/p' err)
    "$trainer" train dead.spec --lenient --data own.csv --split none -o dead.h 2>told &&
        grep -qx "kpred-train: dropped $dropped rows: a problem for which the rule leaves no tuple" told &&
        refuses 1 "${pattern%%dead.spec*}in the spec of dead.h, line " \
            "$trainer" eval dead.h --data own.csv --rows all &&
        "$trainer" eval dead.h --lenient --data own.csv --rows all --by all --csv 2>told >out &&
        [ "$(sed 1d out | cut -d, -f6)" -eq $((126 - dropped)) ]
}
check "a condition on the problem alone" dead "own.csv:38: gpu = gfx900_56, rows = 256, cols = 16: no tuple is legal \
for this problem: dead.spec:$line: rows <= 64: is false for all tuples (it is so for 54 of 126 problems; --lenient" \
    'rows <= 64' 'threads > 0'
check "one of two conditions" dead "own.csv:38: gpu = gfx900_56, rows = 256, cols = 16: no tuple is legal \
for this problem: dead.spec:$((line + 1)): threads > rows: is false for all tuples (it is so for 54 of 126" \
    'unroll > 1' 'threads > rows'
check "two conditions that exclude each other" dead "own.csv:20: gpu = gfx900_56, rows = 16, cols = 16: no tuple is \
legal for this problem: dead.spec:$((line - 1)): the conditions of [restrict] exclude each other (it is so for 18 of 126" \
    'rows != 16 or threads == 128' 'rows != 16 or threads * unroll == 64'
check "a division by 0" dead "own.csv:2: gpu = gfx900_56, rows = 1, cols = 16: no tuple is legal for this problem: \
dead.spec:$line: 4096 % (cols - 16) >= 0: is false for all tuples (it is so for 14 of 126" '4096 % (cols - 16) >= 0'
spec 'rows > 5000' >dead.spec
all_dead() {
    refuses 1 "(it is so for 126 of 126 problems;" "$trainer" train dead.spec --data own.csv --split none -o none.h &&
        ! "$trainer" train dead.spec --lenient --data own.csv --split none -o none.h 2>told &&
        grep -q 'own.csv: no row of rowsum is left to use' told && [ ! -e none.h ]
}
check "no problem has a legal tuple" all_dead
check "ingest asks no rule" "$trainer" ingest dead.spec --data own.csv -o ingested.csv

spec >none.spec && sed -i '/^\[restrict\]/,$d' none.spec
"$trainer" train none.spec --data own.csv --split none -o none.h 2>err || cat err
later() { # a rule for a model that has none, without training
    "$trainer" relayout none.h --spec own.spec -o own.h && all_legal
}
check "[restrict] for a model that is trained" later
# The first clause has a variable for the middle of its chain.
plain() {
    "$trainer" relayout none.h --spec chain.spec -o chain.h && grep -q 'int64_t x' chain.h || return 1
    "$tmp/clauses" chain.h --plain >plain.h && ! grep -q 'int64_t x' plain.h &&
        "$trainer" relayout plain.h -o again.h && sed '/^#/,$!d' chain.h >a && sed '/^#/,$!d' again.h | cmp - a
}
spec '64 <= threads * unroll < 512' 'cols / threads % 4 + 1 > rows % 3 or (rows % 2 or 3) + 1 in (2, 4)' >chain.spec
check "a header of 0.2.0, without variables" plain
describes() {
    "$kpred" models own.h --json | grep -qF \
        '"rule": "threads * unroll <= most; gpu == gfx906_60 or threads * unroll < 512; rows < 64 or'
}
check "kpred models tells the conditions" describes

needs_nothing() {
    "$CC" -std=c99 -ffreestanding -fno-stack-protector -DKPRED_SIMD=0 "$@" -I"$root" -I. -Dmain=entry -c own.c \
        -o own.o && ! nm -u own.o | grep -v _GLOBAL_OFFSET_TABLE_
}
check_with nm "it needs no library" needs_nothing -O2
if "$CC" -m32 -xc -c /dev/null -o empty.o 2>/dev/null; then
    check_with nm "it needs no library of 32 bits" needs_nothing -O0 -m32 -fno-pic
else
    skipped "it needs no library of 32 bits" "$CC has no -m32"
fi
no_loop() {
    sed -n '/_clause_0/,/_rule(/p' own.h | grep -c '^static' && ! sed -n '/_clause_0/,/_model_/p' own.h |
        grep -nE '\<(for|while|do|goto)\>'
}
check "its rule has no loop" no_loop
test_end
