#!/bin/sh
# replay.sh - `kpred-train tune --replay` on a table so small that its rows are known by heart
# SPDX-License-Identifier: MIT
. tests/harness/script.inc
test_begin
cd "$tmp" || exit 1

cat >four.spec <<END
[kernel]
name  = four
title = four tuples
rule  = unconstrained
[data]
format = timed
[fields]
gpu  = X_1 Y_1
rows = size
[params]
a = 1 2
b = 1 2
[split]
config = rows
END
cat >four.csv <<END
gpu,rows,a,b,time_us
X,8,1,1,100
X,8,1,2,104
X,8,2,1,failed
X,8,2,2,200
Y,8,1,1,50
END
{
    echo '{"device_name": "NVIDIA A100", "kernel_name": "four", "problem_size": 8, "tune_params_keys": ["a", "b"],'
    echo '"tune_params": {"a": [1, 2], "b": [1, 2]}, "objective": "time", "cache": {'
    echo '"1,1": {"a": 1, "b": 1, "time": 0.1}, "1,2": {"a": 1, "b": 2, "time": 0.104},'
    echo '"2,1": {"a": 2, "b": 1, "time": "RuntimeFailedConfig"}, "2,2": {"a": 2, "b": 2, "time": 0.2}}}'
} >four.json
grep -v 'X,8,1\|X,8,2,2' four.csv >failed.csv
echo 'gpu,rows,a,b,time_us' >none.csv

replay() {
    "$trainer" tune four.spec --replay four.csv --gpu X "$@"
}

# What can happen: with one launch, the share of the tuple that came first; with two, the better of two
one() {
    replay --budget 1 --seeds 40 --csv >one.csv && [ "$(wc -l <one.csv)" -eq 41 ] \
        && [ "$(head -n 1 one.csv)" = table,strategy,start,seed,evals_5,evals_1,share ] \
        && sed 1d one.csv | cut -d, -f1-3,5- | sort -u >seen && cat >possible <<END && cmp seen possible
four.csv,kpred,cold,1,1,0.00000
four.csv,kpred,cold,1,1,0.50000
four.csv,kpred,cold,1,1,0.96154
four.csv,kpred,cold,1,1,1.00000
END
}
all_four() {
    replay --budget 4 --seeds 40 --csv | awk -F, 'NR > 1 { n++
        if ($5 > $6 || $6 > 4 || $7 != "1.00000") wrong = 1; least += $5 < $6; last += $6 == 4 }
        END { exit wrong || n != 40 || least == 0 || last == 0 }'
}
same_from_json() {
    replay --budget 3 --csv | cut -d, -f2- >csv
    "$trainer" tune --replay four.json --budget 3 --csv | cut -d, -f2- >json
    cmp csv json
}
# Known beforehand is the same order: the best tuple comes first; the table itself tells nothing.
warm() {
    cp four.json other.json
    "$trainer" tune --replay four.json --data other.json --seeds 5 --csv >warm
    [ "$(grep -c ',kpred,data,[1-5],1,1,1.00000$' warm)" -eq 5 ]
}
# That of another vendor says the contrary, and counts for less.
another_vendor() {
    sed 's/NVIDIA A100/AMD Radeon PRO W6600/; s/0\.2}/0.01}/' four.json >amd.json
    "$trainer" tune --replay four.json --data amd.json other.json --seeds 5 --csv >warm
    [ "$(grep -c ',kpred,data,[1-5],1,1,1.00000$' warm)" -eq 5 ]
}
itself() {
    "$trainer" tune --replay four.json --data four.json --csv | sed 1d | grep -c ,cold, | grep -qx 30
}

# only CLAUSE...: the spec with these in [restrict]
only() {
    { cat four.spec; printf '%s\n' "[restrict]" "$@"; } | sed '/^rule/d' >only.spec
}
# The three that are legal are there after three launches; (1, 1), the fastest of all, does not count.
legal_alone() {
    only "a + b > 2"
    "$trainer" tune only.spec --replay four.csv --gpu X --budget 3 --csv >legal && sed 1d legal | cut -d, -f7 | sort -u |
        grep -qx 1.00000 && [ "$(wc -l <legal)" -eq 31 ] &&
        "$trainer" tune only.spec --replay four.json --budget 3 --csv | cut -d, -f2- >json && cut -d, -f2- legal | cmp - json
}
# A condition on what a table does not tell
passed_over() {
    only "rows > 100" "a + b > 2"
    "$trainer" tune only.spec --replay four.json --budget 3 --csv | cut -d, -f2- | cmp - json
}
# The model's first tuple comes first, whatever the seed. seen: how often which share came
with_model() {
    "$trainer" tune model.spec --replay four.csv --gpu X --model four.h --seeds 5 --budget 1 --csv "$@" |
        sed 1d | cut -d, -f3,7 | sort | uniq -c | sed 's/^ *//' >seen
}
model() {
    sed 's/X_1 Y_1/X Y/' four.spec >model.spec
    "$trainer" train model.spec --data four.csv --split none --epochs 20 -o four.h 2>told &&
        "$kpred" predict four.h gpu=X rows=8 -k 1 --beam 8 --csv >predicted || return 1
    time=$(grep "^X,8,$(sed -n 2p predicted | cut -d, -f3,4)," four.csv | cut -d, -f5)
    with_model && awk -v time="$time" 'BEGIN { printf "5 model,%.5f\n", (time > 0 ? 100 / time : 0) }' | cmp - seen &&
        with_model --data other.json && grep -qx '5 data+model,1.00000' seen
}
check "one launch" one
check "four launches" all_four
check "JSON and CSV are one table" same_from_json
check "what [restrict] forbids is no tuple" legal_alone
check "a condition on what the table does not tell" passed_over
check "another table is known" warm
check "a table of another vendor counts for less" another_vendor
check "its own times are not" itself
check "a model is known" model

refuse "no tuple that ran" 1 'each of its 1 tuples failed' "$trainer" tune four.spec --replay failed.csv --gpu X
refuse "no tuple" 1 'has no tuple' "$trainer" tune four.spec --replay none.csv
only "a > 2"
refuse "no legal tuple" 1 'four.csv: none of its 4 tuples is legal by only.spec' "$trainer" tune only.spec \
    --replay four.csv --gpu X
refuse "a GPU that the model does not know" 1 'four.h: does not know gpu=A100, of which four.json is' "$trainer" tune \
    --replay four.json --model four.h
sed 's/"a", "b"\]/"a", "b", "rows"]/; s/\[1, 2\]},/[1, 2], "rows": [8]},/; s/\([12]\),\([12]\)": {/\1,\2,8": {"rows": 8, /g
    s/A100/X/; s/"a": \[1, 2\]/"a": [1, 3]/; s/"2,/"3,/g; s/"a": 2/"a": 3/g' four.json >wide.json
refuse "a value that the model does not know" 1 'does not know a=3, which wide.json has' "$trainer" tune \
    --replay wide.json --model four.h
refuse "two GPUs" 1 'a replay takes one problem, and --gpu one GPU' "$trainer" tune four.spec --replay four.csv
refuse "an unknown GPU" 1 'has no row of --gpu Z, but of X and others' "$trainer" tune four.spec --replay four.csv --gpu Z
refuse "another GPU" 1 'not of --gpu MI250X' "$trainer" tune --replay four.json --gpu MI250X
{ cat four.csv; echo X,8,1,1,100000; } >units.csv
refuse "times of two units" 1 'units.csv:7: the tuple took 100000 microseconds, and 100 in line 2: is one of them in' \
    "$trainer" tune four.spec --replay units.csv --gpu X
refuse "no seeds" 2 'seeds' "$trainer" tune --replay four.json --seeds 0
refuse "CSV without a spec" 1 'name the SPEC' "$trainer" tune --replay four.csv
test_end
