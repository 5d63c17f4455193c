#!/bin/sh
# tune.sh - tune: what it measures, resumes, repeats, shares out and merges
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "tune"
. "$root/tests/tune/tune.inc"

# ---- all of it ----

every_tuple() {
    tune all.csv --run ./time.sh && expected '' plain,64 other,8 >want && rows all.csv | diff want -
}
check "every legal tuple once, with its time" every_tuple

heading() {
    printf '%s\n' '# kpred-train tune: hill' '# ./time.sh' n,kind,a,b,mode,time_us >want
    head -n 3 all.csv | diff want -
}
check "the heading" heading

read_back() {
    "$trainer" ingest hill.spec --data all.csv 2>told | sed 1d | sort | diff - want2 && [ ! -s told ]
}
rows all.csv >want2
check "ingest reads it" read_back

# Arguments are the same as the environment with its prefix, whatever that held before.
executable arguments.sh <<'END'
[ "$*" = "n=$n kind=$kind a=$a b=$b mode=$mode" ] && echo 1
END
arguments() {
    KPRED_a=7 KPRED_mode=none tune arguments.csv --run ./arguments.sh && ! grep -v '^#' arguments.csv | sed 1d | grep -v ',1$'
}
check "arguments and environment" arguments

# A spec of somebody else chooses no library, program or shell: nothing else of it reaches the environment.
hostile() {
    printf '%s\n' '[kernel]' 'name = hostile' '[data]' 'format = timed' '[fields]' 'n = size' '[params]' \
        'LD_PRELOAD = "/x/evil.so" "y"' 'PATH = "/x"' 'IFS = "x"' 'BASH_ENV = "/x"' 'ENV = "/x"' >hostile.spec
    problems one.in x,1
    env -i PATH="$PATH" LC_ALL=C "$trainer" tune hostile.spec --problems one.in -o hostile.csv --budget 1 \
        --run 'env >seen; echo 1; :' 2>told &&
        env -i PATH="$PATH" LC_ALL=C /bin/sh -c 'env; :' | sort >want && grep -v '^KPRED_' seen | sort | diff want - &&
        [ "$(grep '^KPRED_' seen | cut -d= -f1 | sort | tr '\n' ' ')" = \
            "KPRED_BASH_ENV KPRED_ENV KPRED_IFS KPRED_LD_PRELOAD KPRED_PATH KPRED_n " ]
}
check "names of a spec stay out of the environment" hostile

quiet() {
    "$trainer" tune hill.spec --problems few.csv -o quiet.csv --run ./time.sh >out 2>err &&
        [ ! -s out ] && [ "$(wc -l <err)" = 1 ]
}
check "a pipe gets one line at the end" quiet

# On a terminal one line is written again and again.
terminal() {
    script -qec "'$trainer' tune hill.spec --problems few.csv -o seen.csv --run 'sleep 0.1; ./time.sh' \
        --budget 4" /dev/null </dev/null | tr '\r' '\n' >seen &&
        grep -qE 'problem 1 of 1, launch [2-4] of 4, 0:0[01] left, best [0-9]+ us: a=[1-4] b=' seen
}
check_with script "a terminal shows the best and the time left" terminal

# Values with blanks, commas and quotes
quoted() {
    printf '%s\n' '[kernel]' 'name = quoted' '[data]' 'format = timed' '[fields]' 'n = size' '[params]' \
        "k = \"a, b\" \"c'd\" plain" >quoted.spec
    problems one.in x,1
    printf '%s\n' 1,'"a, b"',4 "1,c'd,3" 1,plain,5 >want
    "$trainer" tune quoted.spec --problems one.in -o quoted.csv --run 'echo ${#KPRED_k}; :' 2>told &&
        rows quoted.csv | diff want - &&
        "$trainer" tune quoted.spec --problems one.in -o quoted.csv --run false 2>told &&
        "$trainer" tune quoted.spec --problems one.in -o lines.csv 2>told \
            --server 'while IFS= read -r line; do eval "set -- $line"; echo $((${#2} - 2)); done' &&
        rows lines.csv | diff want - && "$trainer" ingest quoted.spec --data lines.csv | sed 1d | sort | diff want -
}
check "values with blanks and quotes" quoted

# ---- resuming ----

resume() {
    cp all.csv again.csv && tune again.csv --run 'echo 1; false' && cmp all.csv again.csv
}
check "what is there is not measured again" resume

# A file that was cut at any place becomes whole again, and no row stands there twice.
cuts() {
    size=$(wc -c <all.csv) && [ "$size" -gt 500 ] || return 1
    for n in $(seq 0 4 80) $(seq 83 41 "$size"); do
        head -c "$n" all.csv >cut.csv
        tune cut.csv --run ./time.sh && rows cut.csv >now && cmp now want2 && head -n 3 cut.csv >now &&
            cmp now want3 && continue
        echo "cut at byte $n"
        return 1
    done
}
head -n 3 all.csv >want3
check "a file cut at any byte" cuts

# ---- budgets ----

# launches BUDGET REPEAT COUNT ROWS: of each problem
launches() {
    rm -f launches budget.csv
    tune budget.csv --run ./log.sh --budget "$1" --repeat "$2" &&
        for problem in '64 plain' '8 other'; do
            got=$(grep -c "^$problem" launches)
            [ "$got" = "$3" ] || { echo "$got launches of $problem"; return 1; }
        done && [ "$(rows budget.csv | wc -l)" = $((2 * $4)) ]
}
check "a budget of 1 launch" launches 1 1 1 1
check "a budget of 13 launches" launches 13 1 13 13
check "a budget of 13 launches, each tuple three times" launches 13 3 13 5
check "a budget of 12 launches, each tuple four times" launches 12 4 12 3

more_budget() {
    launches 5 1 5 5 && tune budget.csv --run ./log.sh --budget 9 && [ "$(wc -l <launches)" = 18 ] &&
        [ "$(sort -u launches | wc -l)" = 18 ]
}
check "a budget counts what earlier runs have launched" more_budget

# Each launch takes three tenths of a second; the time is shared by the two problems.
executable slow.sh <<'END'
echo "$kind" >>"$tmp/launches"; sleep 0.3; echo 1
END
duration() {
    rm -f launches
    tune duration.csv --run ./slow.sh --budget 2s && [ "$(sort -u launches | wc -l)" = 2 ] &&
        [ "$(wc -l <launches)" -ge 2 ] && [ "$(wc -l <launches)" -le 8 ]
}
check "a budget of time" duration

# The times of a tuple are 1, 9, 4: the median.
executable median.sh <<'END'
echo x >>"$tmp/count.$a.$b.$mode"
case $(wc -l <"$tmp/count.$a.$b.$mode") in 1) echo 1 ;; 2) echo 9 ;; *) echo 4 ;; esac
END
median() {
    "$trainer" tune hill.spec --problems few.csv -o median.csv --run ./median.sh --repeat 3 --budget 6 2>told &&
        [ "$(rows median.csv | cut -d, -f6 | tr '\n' ' ')" = "4 4 " ]
}
check "the median of repeats" median

# ---- the order ----

same_seed() {
    tune s1.csv --run ./time.sh --seed 7 && tune s2.csv --run ./time.sh --seed 7 && cmp s1.csv s2.csv &&
        tune s3.csv --run ./time.sh --seed 8 && ! cmp -s s1.csv s3.csv
}
check "the same seed, the same order" same_seed

first_tuple() {
    grep -v '^#' "$1" | sed -n 2p | cut -d, -f3-5
}

# With times of another problem the fastest of these comes first: 1,1,fast.
data() {
    expected '' plain,64 | sed '1i n,kind,a,b,mode,time_us' >other.csv
    "$trainer" tune hill.spec --problems few.csv --data other.csv --run ./time.sh -o data.csv --budget 1 2>told &&
        [ "$(first_tuple data.csv)" = 1,1,fast ]
}
check "--data: a table of another problem" data

# The first tuple is the one that the model predicts.
model() {
    "$trainer" train hill.spec --data other.csv --split none --epochs 20 -o hill.h 2>told &&
        "$trainer" tune hill.spec --problems few.csv --model hill.h --run ./time.sh -o model.csv --budget 1 2>told &&
        "$kpred" predict hill.h n=8 kind=plain -k 1 --beam 32 --csv >predicted &&
        [ "$(first_tuple model.csv)" = "$(sed -n 2p predicted | cut -d, -f3-5)" ]
}
check "--model: its first tuple comes first" model

# ---- a server ----

executable server.sh <<'END'
while read -r line; do
    echo "$line" >>"$tmp/lines"
    eval "$line"
    echo $((a * 100 + b * 10 + n + ($(echo "$mode" | grep -c slow))))
done
END
server() {
    rm -f lines
    tune server.csv --server ./server.sh && rows server.csv | diff want2 - &&
        grep -qx 'n=64 kind=plain a=1 b=2 mode=slow' lines
}
check "a server" server

# It dies of a = 3, and is started again for the next tuple.
executable dying.sh <<'END'
echo start >>"$tmp/starts"
while read -r line; do
    eval "$line"
    [ "$a$b" != 31 ] || exit 5
    [ "$a$b" != 32 ] || kill -SEGV $$
    [ "$a$b" != 34 ] || echo "no"
    [ "$a$b" != 38 ] || sleep 100
    case $a$b in 34 | 38) ;; *) echo 1 ;; esac
done
END
dying() {
    rm -f starts
    tune dying.csv --server ./dying.sh --timeout 1s &&
        rows dying.csv | awk -F, '{ want = "1"
                if ($3 == 3) want = $4 <= 2 ? "failed" : $4 == 4 ? "invalid" : "timeout" }
            $6 != want { print; bad = 1 } END { exit bad }' &&
        grep -q 'a=3 b=1 mode=fast: the server ended with status 5$' told &&
        grep -q 'a=3 b=2 mode=slow: the server ended with .*signal 11)*$' told &&
        grep -q 'a=3 b=8 mode=fast: it took longer than 1 s$' told && [ "$(wc -l <starts)" -ge 8 ]
}
check "a server that dies and hangs" dying

# One that leaves after each third answer is no failure of a tuple.
leaving() {
    tune leaving.csv --server 'for i in 1 2 3; do read -r line || exit 0; echo 7; done' &&
        [ "$(rows leaving.csv | grep -c ',7$')" = "$(wc -l <want2)" ]
}
check "a server that leaves now and then" leaving

# ---- shards ----

shards() {
    seq 1 40 | sed 's/$/,plain/; 1i n,kind' >forty.csv
    "$trainer" tune hill.spec --problems forty.csv --run ./log.sh --budget 6 -o whole.csv 2>told || return 1
    for i in 1 2 3 4; do
        "$trainer" tune hill.spec --problems forty.csv --run ./log.sh --budget 6 --shard $i/4 -o part.$i.csv 2>told.$i &
    done
    wait
    "$trainer" merge part.1.csv part.2.csv part.3.csv part.4.csv -o joined.csv 2>told &&
        rows whole.csv >want && rows joined.csv | diff want - &&
        [ "$(rows part.2.csv | cut -d, -f1 | sort -un | head -n 2 | tr '\n' ' ')" = "2 6 " ]
}
check "four shards at a time, merged, are one run" shards

merge_again() {
    { printf '\357\273\277'; sed 's/$/\r/' part.1.csv; } >edited.csv
    "$trainer" merge edited.csv joined.csv joined.csv -o twice.csv 2>told && rows joined.csv >want &&
        rows twice.csv | diff want - && head -n 3 joined.csv >want && head -n 3 twice.csv | diff want -
}
check "merge: identical rows once, one file with CRLF and a byte order mark" merge_again

merge_cut() {
    head -c $(($(wc -c <part.1.csv) - 3)) part.1.csv >cut.csv && "$trainer" merge cut.csv -o out.csv 2>told &&
        sed '$d' part.1.csv | cmp - out.csv && grep -q 'cut.csv: its last line has no end' told
}
check "merge: a line without an end" merge_cut

sed '4s/[^,]*$/77/' part.1.csv >contrary.csv
refuses_merge() {
    pattern=$1 expected=$2; shift 2
    "$trainer" merge "$@" -o no.csv >out 2>err
    [ $? = "$expected" ] && [ ! -e no.csv ] && [ ! -s out ] && grep -qF -e "$pattern" err && return
    cat err
    return 1
}
check "merge: rows that contradict" refuses_merge 'contrary.csv:4: the tuple has the time 77 here, and' 1 \
    part.1.csv contrary.csv
sed '1s/hill/hull/' part.1.csv >hull.csv
check "merge: another kernel" refuses_merge 'hull.csv: is of another spec than part.1.csv' 1 part.1.csv hull.csv
sed '3s/kind/sort/' part.1.csv >sort.csv
check "merge: other columns" refuses_merge 'sort.csv: is of another spec than part.1.csv' 1 part.1.csv sort.csv
sed '5s/,[^,]*$//' part.1.csv >short.csv
check "merge: a short row" refuses_merge 'short.csv:5: has 5 cells' 1 part.1.csv short.csv
sed '5s/[^,]*$/soon/' part.1.csv >soon.csv
check "merge: no time" refuses_merge 'soon.csv:5: time_us: value "soon": is no time' 1 soon.csv
check "merge: no output of tune" refuses_merge 'few.csv:1: does not begin with' 1 few.csv
check "merge: onto an input" refuses 1 '-o' "$trainer" merge part.1.csv -o part.1.csv --force
merge_over() {
    cp part.2.csv over.csv &&
        refuses 1 'over.csv: is there already; --force replaces it' "$trainer" merge part.1.csv -o over.csv &&
        cmp part.2.csv over.csv && "$trainer" merge part.1.csv -o over.csv --force 2>told && cmp part.1.csv over.csv
}
check "merge: onto a file that is there" merge_over
test_end
