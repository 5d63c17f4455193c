#!/bin/sh
# tune_bad.sh - tune: commands that fail in every way, files that do not fit, kills; what was measured stays
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "tune with bad input"
. "$root/tests/tune/tune.inc"

# ---- commands ----

# fails PATTERN WORD SECONDS LINE: for one tuple the command is the line; it alone has WORD in place of a time, a
# message has the tuple and the pattern, and the other tuples have their times
fails() {
    pattern=$1 word=$2 seconds=$3
    { echo 'if [ "$a$b$mode" = 21fast ]; then'; echo "$4"; echo 'else echo $time; fi'; } | executable bad.sh
    rm -f bad.csv
    "$trainer" tune hill.spec --problems few.csv -o bad.csv --run ./bad.sh --timeout "$seconds" >out 2>told &&
        expected '' plain,8 | awk -F, -v OFS=, -v word="$word" '$3 $4 $5 == "21fast" { $6 = word } { print }' |
            sort >want &&
        rows bad.csv | diff want - && grep -qE "^kpred-train: n=8 kind=plain a=2 b=1 mode=fast: $pattern" told &&
        return
    cat told
    return 1
}
check "no number" fails 'it printed "hello", which is no time' invalid 9 'echo hello'
check "nothing" fails 'it printed no time' invalid 9 ':'
check "the word failed" fails 'it printed "failed"' failed 9 'echo failed'
check "a number with a unit" fails 'it printed "5 us", which is no time' invalid 9 'echo 5 us'
check "a number that is not in the last line" fails 'it printed "done", which' invalid 9 'echo 5; echo done'
check "a negative time" fails 'it printed "-3", a negative time' invalid 9 'echo -3'
check "NaN" fails 'it printed "nan", which is no time' invalid 9 'echo nan'
check "infinity" fails 'it printed "inf", which is no time' invalid 9 'echo inf'
check "a time of nothing" fails 'it printed "0": a time lies in' invalid 9 'echo 0'
check "an absurd time" fails 'it printed "1e300": a time lies in' invalid 9 'echo 1e300'
check "a long number" fails 'the last line that it printed is too long' invalid 9 \
    'awk "BEGIN { while (n++ < 2000) printf 0; print 1 }"'
check "another status" fails 'it ended with status 3' failed 9 'echo 5; exit 3'
check "a signal" fails 'it ended with .*signal 11' failed 9 'echo 5; kill -SEGV $$'
check "it hangs" fails 'it took longer than 1 s' timeout 1 'exec sleep 100'
check "it ignores signals and hangs" fails 'it took longer than 1 s' timeout 1000ms \
    'trap "" TERM INT HUP; while :; do sleep 1; done'

# Each of these leaves a process that sleeps for a time of its own; none may be left.
leaves_none() {
    fails "$@" && none_left
}
left_processes() {
    for pid in /proc/[0-9]*; do
        tr '\0' ' ' <"$pid/cmdline" 2>/dev/null | grep -F "sleep $seconds_of_sleep" && return 0
    done
    return 1
}
none_left() {
    for _ in $(seq 100); do
        left_processes >left || return 0
        sleep 0.1
    done
    cat left
    return 1
}
seconds_of_sleep=98765$$
if [ -r /proc/self/cmdline ]; then
    check "it forks and hangs" leaves_none 'it took longer than 1 s' timeout 1 \
        "sleep $seconds_of_sleep & sleep $seconds_of_sleep"
    check "it forks, and ends well" leaves_none 'it printed "no", which' invalid 9 \
        "sleep $seconds_of_sleep & sleep $seconds_of_sleep & echo no"
    check_with setsid "it forks into a session of its own, and hangs" leaves_none 'it took longer than 1 s' \
        timeout 1 "setsid sleep $seconds_of_sleep & sleep $seconds_of_sleep"
    check_with setsid "it leaves a session of its own behind" leaves_none 'it printed "no", which' invalid 9 \
        "(setsid sleep $seconds_of_sleep &); sleep 0.1; echo no"
else
    skipped "processes that are left" "there is no /proc"
fi

# Nothing of a gigabyte is kept: 64 MB of memory are enough to read it.
small() {
    # shellcheck disable=SC3045 # where a shell lacks it, the memory is not bounded
    (ulimit -v 65536 2>/dev/null; exec "$@")
}
gigabyte() {
    { echo 'head -c 1000000000 /dev/zero'; echo 'echo; echo "$time"'; } | executable big.sh
    small "$trainer" tune hill.spec --problems few.csv -o big.csv --run ./big.sh --budget 1 2>told &&
        rows big.csv | grep -qE '^8,plain,.*,[0-9]+$' && return
    cat told
    return 1
}
check "a gigabyte, and then a time" gigabyte
endless() {
    echo 'exec cat /dev/zero' | executable endless.sh
    small "$trainer" tune hill.spec --problems few.csv -o endless.csv --run ./endless.sh --budget 1 \
        --timeout 300ms 2>told
    [ $? = 1 ] && rows endless.csv | grep -q ',timeout$' && grep -q 'all 1 measurements failed' told && return
    cat told
    return 1
}
check "output without an end" endless

# stops PATTERN ARGUMENT...: the tuning ends with status 1 and a message, and nothing is recorded
stops() {
    pattern=$1; shift
    rm -f stops.csv
    "$trainer" tune hill.spec --problems few.csv -o stops.csv "$@" >out 2>told
    [ $? = 1 ] && [ ! -s out ] && grep -qF -e "$pattern" told && [ -z "$(rows stops.csv)" ] && return
    cat told
    return 1
}
check "a command that is not there" stops 'no_such_command -x: is not found, or is no program' \
    --run 'no_such_command -x'
check "a command that is no program" stops './hill.spec: is not found, or is no program' --run ./hill.spec
check "a server that is not there" stops 'no_such_server: is not found' --server 'no_such_server'

mute() {
    rm -f mute.csv
    "$trainer" tune hill.spec --problems few.csv -o mute.csv --server 'read -r line; exit 4' 2>told
    [ $? = 1 ] && grep -q 'it was started 6 times in a row and gave no answer, .* ended with status 4' told &&
        [ "$(rows mute.csv | wc -l)" -le 5 ]
}
check "a server that never answers" mute
check "a server that says too much" stops 'it writes more than one line for a tuple' \
    --server 'while read -r line; do printf "1\n2\n"; done'

only_first() {
    [ "$(grep -c 'ended with status 3' "$1")" = 10 ] && grep -q 'more failures of this kind are not told' "$1"
}
all_fail() {
    rm -f none.csv
    "$trainer" tune hill.spec --problems few.csv -o none.csv --run 'exit 3;' 2>told
    [ $? = 1 ] && [ "$(rows none.csv | grep -c ',failed$')" = 22 ] &&
        grep -q 'all 22 measurements failed' told && only_first told
}
check "all fail: the first ten are told" all_fail

# Failures are neither measured again nor taken for times.
skips() {
    cp bad.csv skip.csv && "$trainer" tune hill.spec --problems few.csv -o skip.csv --run 'echo 1' 2>told &&
        cmp bad.csv skip.csv && "$trainer" ingest hill.spec --data skip.csv >out 2>told &&
        [ "$(sed 1d out | wc -l)" = 21 ] && grep -q 'dropped 1 row: a failed measurement' told
}
check "no number, once more" fails 'it printed "no", which is no time' invalid 9 'echo no'
check "failures in the file" skips

# ---- files ----

# refuses_file PATTERN FILE ARGUMENT...: one line, and the file is as it was
refuses_file() {
    pattern=$1 file=$2; shift 2
    cp "$file" before 2>/dev/null || : >before
    refuses 1 "$pattern" "$trainer" tune hill.spec --run ./time.sh "$@" || return 1
    [ ! -e "$file" ] || cmp "$file" before
}
problems big.csv.in plain,8 other,65
check "a field out of range" refuses_file 'big.csv.in:3: n: value "65": is no integer of 0..64' no.csv \
    --problems big.csv.in -o no.csv
problems odd.in strange,8
check "an unknown token" refuses_file 'odd.in:2: kind: value "strange": is none of plain other' no.csv \
    --problems odd.in -o no.csv
problems text.in plain,8.5
check "no integer" refuses_file 'text.in:2: n: value "8.5"' no.csv --problems text.in -o no.csv
problems zero.in plain,8 plain,0
check "no legal tuple" refuses_file \
    'zero.in:3: no tuple is legal for the problem n=0 kind=plain: always false is a * b <= n' no.csv \
    --problems zero.in -o no.csv
problems short.in plain
check "a short row" refuses_file 'short.in:2: has 1 cell' no.csv --problems short.in -o no.csv
problems empty.in
check "no problem" refuses_file 'empty.in: has no problem' no.csv --problems empty.in -o no.csv
echo n >column.in
check "no column" refuses_file 'column.in:1: there is no column "kind", a field of hill' no.csv \
    --problems column.in -o no.csv
check "no file" refuses_file 'nowhere.in: cannot open' no.csv --problems nowhere.in -o no.csv

tune good.csv --run ./time.sh --budget 5
sed '1s/hill/hull/' good.csv >hull.csv
check "the output of another kernel" refuses_file \
    'hull.csv:1: is the output of another spec: it is of the kernel hull, hill.spec of hill' \
    hull.csv --problems few.csv -o hull.csv
sed '3s/mode/mood/' good.csv >mood.csv
check "other columns" refuses_file \
    'mood.csv:3: is the output of another spec: its columns are n,kind,a,b,mood,time_us, those of' \
    mood.csv --problems few.csv -o mood.csv
sed '5s/fast\|slow/brisk/' good.csv >brisk.csv
check "a value of another spec" refuses_file 'brisk.csv:5: mode: value "brisk": is none of the spec' brisk.csv \
    --problems few.csv -o brisk.csv
sed '6s/,[^,]*$/,soon/' good.csv >soon.csv
check "no time" refuses_file 'soon.csv:6: time_us: value "soon"' soon.csv --problems few.csv -o soon.csv
sed '6s/,[^,]*$//' good.csv >ragged.csv
check "a row that was cut, with others behind" refuses_file 'ragged.csv:6: has 5 cells' ragged.csv \
    --problems few.csv -o ragged.csv
expected '' plain,8 >table.csv
check "a table of another origin" refuses_file 'table.csv:1: does not begin with' table.csv \
    --problems few.csv -o table.csv
check "no folder" refuses_file 'no/where.csv: cannot open' no.csv --problems few.csv -o no/where.csv
check "a device" refuses_file '/dev/null: is no file' no.csv --problems few.csv -o /dev/null
check "the problems as output" refuses_file '-o' few.csv --problems few.csv -o few.csv
check "the data as output" refuses_file '-o' table.csv --problems few.csv --data table.csv -o table.csv

sed 's/format = timed/format = csv/' hill.spec >csv.spec
check "a spec without times" refuses 1 'csv.spec: format = csv: tune writes times' \
    "$trainer" tune csv.spec --problems few.csv --run ./time.sh -o no.csv

if (cd "$root" && has_weights); then
    check "a model of another kernel" refuses_file 'is a model of another kernel: of conv_asm_1x1u' no.csv \
        --problems few.csv --model "$root/weights/conv_asm_1x1u.h" -o no.csv
else
    skipped "a model of another kernel" "the weights are not there"
fi
expected '' plain,64 | sed '1i n,kind,a,b,mode,time_us' >table.in.csv
"$trainer" train hill.spec --data table.in.csv --split none --epochs 1 -o hill.h 2>told
sed 's/^b = 1 2 4 8/b = 1 2 4 16/' hill.spec >wide.spec
check "a model of other values" refuses 1 \
    'hill.h: is a model of another kernel: of hill, wide.spec is about hill: parameter b is not the same' \
    "$trainer" tune wide.spec --problems few.csv --model hill.h --run ./time.sh -o no.csv
check "data of another kernel" refuses 1 'wide.csv:2: b: value "16"' sh -c \
    'sed "2s/,1,fast/,16,fast/" table.in.csv >wide.csv; exec "$@"' sh "$trainer" tune hill.spec --problems few.csv \
    --data wide.csv --run ./time.sh -o no.csv
check "nothing was made" [ ! -e no.csv ]

# Where there is no room, what was written of a row is taken back.
no_room() {
    (trap '' XFSZ; ulimit -f 1; tune room.csv --run ./time.sh)
    [ $? = 1 ] && grep -q 'room.csv: cannot write: ' told && [ -z "$(tail -c 1 room.csv)" ] &&
        expected '' plain,64 other,8 >want && [ "$(rows room.csv | wc -l)" -gt 5 ] &&
        ! rows room.csv | comm -23 - want | grep . && tune room.csv --run ./time.sh && rows room.csv | diff want -
}
check "a full disk" no_room

# ---- options ----

# wrong PATTERN ARGUMENT...: status 2
wrong() {
    pattern=$1; shift
    refuses 2 "$pattern" "$trainer" tune hill.spec --problems few.csv -o no.csv "$@"
}
check "no command" wrong 'give one of --run and --server'
check "two commands" wrong 'give one of --run and --server' --run a --server b
check "an empty command" wrong '--run: the command is empty' --run ' '
check "a budget of nothing" wrong '--budget: value "0"' --run a --budget 0
check "a budget of words" wrong '--budget: value "much"' --run a --budget much
check "a budget of time without a number" wrong '--budget: value "h"' --run a --budget h
check "a timeout of nothing" wrong '--timeout: value "0s"' --run a --timeout 0s
check "a shard 0" wrong '--shard: value "0/3"' --run a --shard 0/3
check "a shard that is too many" wrong '--shard: value "4/3"' --run a --shard 4/3
check "a shard without a slash" wrong '--shard: value "3"' --run a --shard 3

# ---- two writers, kills ----

# The first one waits until a file is there.
executable wait.sh <<'END'
touch "$tmp/begun"; while [ ! -e "$tmp/go" ]; do sleep 0.02; done; echo 1
END
two_writers() {
    rm -f begun go
    "$trainer" tune hill.spec --problems few.csv --run ./wait.sh --budget 1 -o one.csv 2>told.1 &
    first=$!
    while [ ! -e begun ]; do sleep 0.02; done
    refuses 1 'one.csv: another tuner writes it now: give each shard a file of its own' \
        "$trainer" tune hill.spec --problems few.csv --run ./time.sh --shard 1/1 -o one.csv
    rc=$?
    touch go
    wait $first && [ "$rc" = 0 ] && [ "$(rows one.csv | wc -l)" = 1 ]
}
check "two tuners, one file" two_writers

# A signal that asks the tuner to end ends the command as well.
term() {
    rm -f begun
    echo "touch '$tmp/begun'; sleep $seconds_of_sleep" | executable long.sh
    "$trainer" tune hill.spec --problems few.csv --run ./long.sh -o term.csv 2>told &
    pid=$!
    while [ ! -e begun ]; do sleep 0.02; done
    kill -"$1" $pid
    wait $pid
    [ $? = "$2" ] && [ -z "$(rows term.csv)" ] && none_left
}
check "SIGTERM" term TERM 143
# nohup ignores that signal for all that it starts.
if [ "$(sh -c 'kill -HUP $$; echo ignored' 2>/dev/null)" = ignored ]; then
    skipped "SIGHUP" "it is ignored here, as by nohup"
else
    check "SIGHUP" term HUP 129
fi
if [ -r /proc/self/cmdline ]; then
    check "SIGKILL leaves no command behind" term KILL 137
fi

# Each of 200 kills loses the measurement in flight at most: a launch without its row. The file has whole lines
# but for the last one, no row twice, and in the end all that a run without kills has. A command that a killed
# tuner leaves may count its launch a moment later, so the test looks when nobody holds the pipe `alive` any more.
one_kill() {
    grep -c "" killed.csv >lines 2>/dev/null || echo 0 >lines # a line without an end counts
    whole=$(wc -l 2>/dev/null <killed.csv || echo 0)
    [ $(($(cat lines) - whole)) -le 1 ] || { echo "lines that are cut"; return 1; }
    now=$(($(wc -l <launches) - (whole > 3 ? whole - 3 : 0)))
    if [ $((now - lost)) -gt 2 ] || [ $now -gt $n ]; then
        echo "kill $n: of $now launches the result is lost"; return 1
    fi
    lost=$now
}
all_kinds=$(for n in 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64; do echo plain,$n other,$n; done)
kills() {
    problems many.csv $all_kinds
    mkfifo alive
    lost=0 n=0
    : >launches
    delays=$(awk 'BEGIN { srand(12); for (i = 0; i < 200; i++) printf "%.4f\n", rand() * 0.02 }')
    for delay in $delays; do
        cat alive &
        reader=$!
        exec 4>alive
        "$trainer" tune hill.spec --problems many.csv --run ./log.sh -o killed.csv 2>told &
        exec 4>&-
        sleep "$delay"
        kill -KILL $! && n=$((n + 1))
        wait $! $reader
        one_kill || return 1
        [ "$whole" -lt 500 ] || { rm killed.csv; lost=0; : >launches; } # so that it never ends by itself
    done 2>/dev/null
    [ "$n" = 200 ] || { echo "only $n kills"; return 1; }
    echo "$n kills, $(wc -l <killed.csv) lines, $lost lost"
    "$trainer" tune hill.spec --problems many.csv --run ./log.sh -o killed.csv 2>told &&
        expected .5 $all_kinds >want && rows killed.csv | diff want -
}
check "200 kills" kills
test_end
