#!/bin/sh
# tuner.sh - files of other tuners as timed data: Kernel Tuner's caches, T4 and KTT's results
# SPDX-License-Identifier: MIT
#
# usage: tuner.sh [all]
#
# all: every table of $TUNER, where some are read otherwise. They are compared with an independent
# reader; the small files here are.
. tests/harness/script.inc
. tests/data/ingest.inc

test_begin
TUNER=$(absolute "${TUNER:-../shared/tuner}")
need_trainer "files of other tuners"

# ---- the tables of Kernel Tuner's hub, beside Python ----

gpu_of() {
    case $1 in
    *A100*) echo A100-PCIE-40GB ;;
    *3090*) echo RTX_3090 ;;
    *MI250X*) echo gfx90a6e ;;
    *W6600*) echo gfx1032_14 ;;
    *) echo "$1" | sed 's/.*[.]\(A[46]000\).*/RTX_\1/' ;;
    esac
}

same_rows() {
    python3 tests/data/tuner.py "$1" "$(gpu_of "$1")" "$tmp/hub.spec" "$tmp/hub.rows" &&
        ingest "$tmp/hub.spec" --data "$1" -o "$tmp/hub.csv" --force &&
        { sed 1q "$tmp/hub.csv"; sed 1d "$tmp/hub.csv" | LC_ALL=C sort; } | cmp - "$tmp/hub.rows" &&
        [ "$(wc -l <"$tmp/hub.rows")" -gt 900 ]
}

t4_as_cache() {
    python3 tests/data/tuner.py "$1.json.gz" A100-PCIE-40GB "$tmp/hub.spec" "$tmp/hub.rows" &&
        ingest "$tmp/hub.spec" --data "$1.json.gz" -o "$tmp/cache.csv" --force &&
        ingest "$tmp/hub.spec" --data "$1_T4.json.bz2" -o "$tmp/t4.csv" --force \
            --set problem_size_x=4096 problem_size_y=4096 && cmp "$tmp/cache.csv" "$tmp/t4.csv"
}

same_as() {
    for name; do
        check_with "$TUNER/$name" "$name" same_rows "$TUNER/$name"
    done
}

has_all() {
    for library in JANSSON BZIP2 ZLIB; do
        grep -q HAVE_$library "$BUILD/libraries" || return 1
    done
    has python3
}

if [ "${1-}" = all ]; then
    has_all || end_without "all tables of other tuners" "needs jansson, bzip2, zlib and python3"
    for file in "$TUNER"/*.json.[bg]z*; do
        [ ! -e "$file" ] || same_as "${file##*/}"
    done
    check_with "$TUNER/convolution_milo.A100_T4.json.bz2" "T4 and cache give the same rows" \
        t4_as_cache "$TUNER/convolution_milo.A100"
    [ -d "$TUNER" ] || skipped "all tables of other tuners" "there is no $TUNER"
    test_end
    exit
fi
if has_all; then
    same_as convolution_milo.A100.json.gz dedispersion_milo.A100_T4.first1000.json.bz2 \
        ktt.KTPnpolyOutput_3090.json.gz
else
    skipped "tables of other tuners" "needs jansson, bzip2, zlib and python3"
fi

# ---- a build without Jansson ----

# cuts PROGRAM FLAG...: tests/data/cuts.c, with what the flags name before what is in the archive
cuts() {
    program=$1; shift
    # shellcheck disable=SC2046
    $CC -std=c99 -D_POSIX_C_SOURCE=200809L $CFLAGS -I. -Itools tests/data/cuts.c "$@" "$archive" \
        $(libraries | grep -oe '-l[a-z0-9]*') -lm -o "$program"
}
echo '{' >"$tmp/brace.json"
without() {
    cuts "$tmp/without" tools/data/tuner_read.c && "$tmp/without" "$tmp/brace.json" | grep -q \
        'FILE: .*jansson.*libjansson-dev'
}
check "without Jansson a file says what is missing" without
grep -q HAVE_JANSSON "$BUILD/libraries" ||
    end_without "files of other tuners" "kpred-train was built without jansson"

# ---- small files of the three forms ----

check "the program that cuts" cuts "$tmp/cuts"
cd "$tmp" || exit 1
spec=small.spec
printf '%s\n' "[kernel]" "name = small" "[data]" "format = timed" "[fields]" "gpu = RTX_A4000 RTX_3090 gfx90a6e" \
    "problem_size_x = size" "problem_size_y = size" "[params]" "bx = 1 2" "mode = a b" >$spec
cat >cache.json <<'FILE'
{
"device_name": "NVIDIA RTX A4000",
"kernel_name": "k",
"problem_size": [64, 2],
"tune_params_keys": ["bx", "mode", "one"],
"tune_params": {"bx": [1, 2], "mode": ["a", "b"], "one": [1.0]},
"objective": "time",
"cache": {
"1,a,1.0": {"bx": 1, "mode": "a", "one": 1.0, "time": 1.5e0, "times": [1, [2.25]], "x": {"y": null}},
"2,a,1.0": {"bx": 2, "mode": "a", "one": 1.0, "time": "InvalidConfig"},
"1,b,1.0": {"bx": 1, "mode": "b", "one": 1.0, "time": 1e20},
"2,b,1.0": {"bx": 2, "mode": "b", "one": 1.0, "time": 0.1, "timestamp": "a } \" \\ \u00e9 ü"}}
}
FILE
cat >t4.json <<'FILE'
{"results": [
{"configuration": {"bx": 1, "mode": "a"}, "invalidity": "correct", "objectives": ["time"],
 "measurements": [{"name": "GB/s", "value": 7, "unit": ""}, {"name": "time", "value": 1.5, "unit": ""}]},
{"configuration": {"mode": "b", "bx": 2}, "invalidity": "correct", "objectives": ["GB/s"],
 "measurements": [{"name": "GB/s", "value": 9, "unit": "GB/s"}, {"name": "time", "value": 100, "unit": "us"}]},
{"configuration": {"bx": 2, "mode": "a"}, "invalidity": "constraints"}],
"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"}}
FILE
cat >ktt.json <<'FILE'
{"Metadata": {"Device": "NVIDIA GeForce RTX 3090", "TimeUnit": "Microseconds"}, "Results": [
{"Configuration": [{"Name": "bx", "Value": 1}, {"Name": "mode", "Value": "a"}, {"Name": "problem_size_x",
 "Value": 64}], "Status": "Ok", "TotalDuration": 1500.0},
{"Configuration": [{"Name": "bx", "Value": 2}, {"Name": "mode", "Value": "b"}, {"Name": "problem_size_x",
 "Value": 65}], "Status": "Ok", "TotalDuration": 100}, {"Configuration": [{"Name": "bx", "Value": 2}, {"Name":
 "mode", "Value": "a"}, {"Name": "problem_size_x", "Value": 65}], "Status": "ComputationFailed"}]}
FILE
printf '%s\n' gpu,problem_size_x,problem_size_y,bx,mode,time_us RTX_A4000,64,2,1,a,1500 \
    RTX_A4000,64,2,2,b,100 >rows.csv
failed="a failed measurement (no time or speed, or one of 0)"
ignored="the spec does not name one, which is always 1: ignored"
check "a cache file" gives cache.json rows.csv "cache.json: $ignored" "dropped 2 rows: $failed"

# rows_are FILE ARGUMENT...: these are the rows of a file, whatever is noted
rows_are() {
    expected=$1; shift
    ingest $spec --data "$@" 2>err | cmp - "$expected" && return
    cat err; return 1
}
check "T4, with what --set and --gpu say" rows_are rows.csv t4.json --gpu "NVIDIA RTX A4000" \
    --set problem_size_x=64 --set problem_size_y=2
cp t4.json small.A4000_T4.json
check "T4, with a GPU by the file's name" rows_are rows.csv small.A4000_T4.json \
    --set problem_size_x=64 problem_size_y=2
sed 's/A4000,64,2,2/A4000,65,2,2/; s/A4000/3090/' rows.csv >ktt.csv
check "KTT, with a field among the parameters" rows_are ktt.csv ktt.json --set problem_size_y=2
sed 's/NVIDIA RTX A4000//' cache.json >MI250X.json
{ cat rows.csv; sed 1d ktt.csv; sed '1d; s/RTX_A4000/gfx90a6e/' rows.csv; } >all.csv
check "several files" rows_are all.csv MI250X.json ktt.json cache.json --set problem_size_y=2
mv MI250X.json unnamed.json
check "--gpu where a file names none" rows_are all.csv unnamed.json ktt.json cache.json \
    --set problem_size_y=2 --gpu MI250X
check "one line" sh -c "tr -d '\n' <cache.json >line.json"
check "a file of one line" rows_are rows.csv line.json

# gpu_is TOKENS EXPECTED FILE...: of these tokens of the spec, the file's GPU is that one
gpu_is() {
    sed "s/^gpu .*/gpu = $1/" $spec >gpu.spec
    got=$(ingest gpu.spec --data $3 --set problem_size_x=64 problem_size_y=2 2>err | sed -n '2s/,.*//p')
    if [ "$got" = "$2" ] && { [ "$2" ] || grep -q "is no GPU of the spec" err; }; then return; fi
    echo "$got"; cat err; return 1
}
check "a token with fewer words" gpu_is "A4000 RTX_3090" A4000 cache.json
check "a token with more words" gpu_is "NVIDIA_RTX_A4000 RTX_A6000" NVIDIA_RTX_A4000 cache.json
check "one with the same words counts first" gpu_is "A4000 RTX_A4000" RTX_A4000 cache.json
check "two that have the words" gpu_is "A4000_8GB A4000_16GB" "" "t4.json --gpu A4000"
check "another product" gpu_is "RTX_3090_Ti" "" ktt.json
check "a part of a word" gpu_is "A40 RTX_A40000" "" cache.json
{ cat $spec; echo 'two = 2'; } >two.spec
two() {
    ingest two.spec --data cache.json 2>err | sed 's/,2,\([0-9.]*\)$/,\1/; s/,two//' | cmp - rows.csv
}
check "a parameter that the file lacks, with one value" two

sed 's/,2,/,/; s/,problem_size_y//' rows.csv >narrow.csv
check "a table without a column" rows_are rows.csv narrow.csv --set problem_size_y=2
unused() {
    ingest $spec --data cache.json --set problem_size_y=7 --gpu RTX_3090 2>&1 >out | sed 's/^kpred-train: //' >err
    cmp out rows.csv && grep -qx -- '--set problem_size_y=... is not used: all files say what it is' err &&
        grep -qx -- '--gpu RTX_3090 is not used: all files name their GPU' err
}
check "what the files say counts, and it is told" unused
trains() {
    { cat $spec; printf '[features]\nonehot gpu\n'; } >own.spec
    "$trainer" train own.spec --data t4.json --gpu A4000 --set problem_size_x=64 problem_size_y=2 \
        --split none --epochs 1 -o own.h 2>err || { cat err; return 1; }
    sed 8q own.h | tr -cs '[:graph:]' ' ' | tr -d '\134' | tr -s ' ' | grep -qF -e '--set problem_size_x=64 --set problem_size_y=2' &&
        $(sed -n 's/.* was trained on: //p' err) --csv >out 2>err2 && grep -q '^small,all,RTX_A4000,' out
}
check "train, and the commands that it tells" trains

# unit FACTOR NAME: a time in that unit
unit() {
    sed "s/\"value\": 1.5, \"unit\": \"\"/\"value\": 1.5, \"unit\": \"$2\"/" t4.json >unit.json
    awk -F, -v OFS=, -v f="$1" 'NR == 2 { $6 = sprintf("%.15g", 1.5 * f) } { print }' rows.csv >unit.csv
    rows_are unit.csv unit.json --gpu A4000 --set problem_size_x=64 problem_size_y=2
}
for pair in 1e6:s 1e6:seconds 1e3:ms 1e3:Milliseconds 1:us 1:µs 1e-3:ns 1e-3:nanoseconds; do
    check "a time in ${pair#*:}" unit "${pair%:*}" "${pair#*:}"
done

# Another objective's failures stand in the place of a time.
sed 's/"objective": "time"/"objective": "GB\/s"/; s/"time": "InvalidConfig"/"GB\/s": "InvalidConfig"/' \
    cache.json >other.json
check "another objective, but times" rows_are rows.csv other.json
sed '8q' cache.json >twice.json
for time in 1.25 9 1.5; do
    echo '"1,a,1.0": {"bx": 1, "mode": "a", "one": 1, "time": '$time'},' >>twice.json
done
grep '^"2,b' cache.json >>twice.json
check "an entry's key several times: the median" rows_are rows.csv twice.json

# ---- what Python writes, and several objectives ----

sed 's/1\.5e0/& /; s/"objective": .*/"objective": ["GB\/s", "time"],/; s/\[64, 2\]/[64.0, 2e0]/; s/{"y": null}/[NaN, -Infinity,NaN]/
    s/"InvalidConfig"/-Infinity/; s/1e20/NaN/' cache.json >python.json
check "NaN and the infinities are no figures, 64.0 is an integer" gives python.json rows.csv "python.json: $ignored" \
    "dropped 2 rows: $failed"
sed 's/"time": -Infinity/"GB\/s": "InvalidConfig"/' python.json >failed.json
check "a failure in the place of the first objective" rows_are rows.csv failed.json
no_figures() {
    sed 's/"value": 100/"value": Infinity/' t4.json >nan4.json && sed 's/: 100}/: null}/; s/: 100,/: NaN,/' ktt.json >nank.json
    sed '$d' rows.csv >first.csv && rows_are first.csv nan4.json --gpu A4000 --set problem_size_x=64 problem_size_y=2 &&
        sed '$d' ktt.csv >first.csv && rows_are first.csv nank.json --set problem_size_y=2
}
check "T4 and KTT: no figures" no_figures

# objectives LIST UNIT: of these in T4, and with that unit of GB/s, the measurement time counts, or else the other
objectives() {
    sed "s|\[\"time\"\]|$1|; s|\[\"GB/s\"\]|$1|; s|7, \"unit\": \"|1.5, \"unit\": \"$2|; s|9, .*GB/s\"}|100, \"unit\": \"$2\"}|
        s|\"unit\": \"GB/s\"|\"unit\": \"$2\"|" t4.json >objectives.json
    rows_are "${3:-rows.csv}" objectives.json --gpu A4000 --set problem_size_x=64 problem_size_y=2
}
awk -F, -v OFS=, 'NR == 2 { $6 = "1.5" } 1' rows.csv >us.csv
check "T4: time among the objectives" objectives '["GB/s", "time"]' us
check "T4: one objective of two is a time" objectives '["watts", "GB/s"]' us us.csv
check "T4: no objective is a time" objectives '["watts", "GB/s"]' J

# ---- one cut short ----

every_cut() {
    ./cuts "$1" >got && python3 "$root/tests/data/tuner.py" cuts "$1" | cmp - got
}
check_with python3 "a cache cut behind each of its bytes" every_cut cache.json
check_with python3 "the same, in one line" every_cut line.json
check_with python3 "the same, with NaN and infinities" every_cut python.json
cut_is_error() {
    ./cuts "$1" >got || return 1
    ! sed '$d' got | grep -vx '[0-9]*: error' && tail -n 1 got | grep -qx '[0-9]*: 3'
}
for file in t4 ktt; do
    printf %s "$(cat $file.json)" >open.json
    check "$file.json cut" cut_is_error open.json
done
{ sed 11q cache.json; printf '"2,b'; } >open.json
cut_is_told() {
    ingest $spec --data open.json 2>&1 >rows |
        grep -qx 'kpred-train: open.json:12: the file ends within this entry, which is left out'
}
check "the note of a cut" cut_is_told

# ---- what is refused ----

# wrong NAME SED LINE[:COLUMN] TEXT [FILE]: a file with that change
wrong() {
    sed "$2" "${5:-cache.json}" >wrong.json
    "$trainer" ingest $spec --data wrong.json --gpu A4000 --set problem_size_x=64 problem_size_y=2 \
        -o out.csv >out 2>err
    status=$?
    case $3 in *:*) place=$3 ;; *) place="$3:[0-9][0-9]*" ;; esac
    if [ $status -eq 1 ] && [ ! -s out ] && [ ! -e out.csv ] && [ "$(wc -l <err)" -eq 1 ] &&
        grep -q "^kpred-train: wrong.json:$place: " err && grep -qF -e "$4" err; then
        passed "$1"
    else
        failed "$1" "status $status: $(cat out err)"
        rm -f out.csv
    fi
}
wrong "a member twice" '9s/"mode"/"bx"/' 9 'duplicate object key'
wrong "a number beyond doubles" '9s/1.5e0/1e999/' 9 'real number overflow'
wrong "an integer beyond 64 bits" '9s/\[1,/[18446744073709551616,/' 9 'too big'
wrong "a NUL in a string" '12s/\\u00e9/\\u0000/' 12 '\u0000 is not allowed'
wrong "half a surrogate" '12s/\\u00e9/\\ud800/' 12 'invalid Unicode'
wrong "bytes that are no UTF-8" '12s/\\u00e9/\xff/' 12 'unable to decode byte'
wrong "a control character" '12s/\\u00e9/\x01/' 12 'control character'
for word in nan -NaN +Infinity NaNs "NaN: 1" inf; do
    wrong "$word" "9s/1.5e0/$word/" 9 'invalid token'
done
wrong "NaN for a name" '9s/"x"/NaN/' 9 'string or'
wrong "NaN for a parameter" '12s/: 2/: NaN/' 12:1 'parameter bx: is neither a number nor a string'
wrong "Infinity for a size" '4s/64/Infinity/' 4:1 'problem_size: is no integer'
wrong "NaN for a device" '2s/"NVIDIA.*"/NaN/' 2:1 'device_name: is no string'
wrong "an objective that is no name" '7s/"time"/["time", 1]/' 7:1 'objective: is no name, and no list of names'
wrong "no objective" '7s/"time"/[]/' 7:1 'objective: is no name, and no list of names'
wrong "a zero in front" '9s/1.5e0/01/' 9 'invalid token'
wrong "no digit behind the point" '9s/1.5e0/1./' 9 'invalid token'
wrong "single quotes" "9s/\"a\"/'a'/" 9 'invalid token'
wrong "a comment" '9s/^/\/\/ \n/' 9:1 'here should be the name of a member'
wrong "a comma at the end of an object" '9s/}},/,}},/' 9 'string or'
wrong "a comma at the end of a list" '9s/2.25\]\]/2.25],]/' 9 'unexpected token'
wrong "two commas" '9s/,$/,,/' 9:102 'here should be the name of a member'
wrong "no comma" '9s/,$//' 10:1 'behind this entry should be a comma or }'
wrong "no colon" '10s/: {/ {/' 10:11 'behind a name should be a colon'
wrong "a brace too few" '9s/}},$/},/' 10:13 'another entry begins within the one of line 9'
wrong "a brace too many" '9s/,$/},/' 10:1 'this entry is outside of `cache`'
wrong "a quote too few, in one line" 's/"a", "one"/"a, "one"/' 1 '' line.json
wrong "a brace too few, in one line" 's/}, "2,a/, "2,a/; s/},"2,a/,"2,a/' 1 'another entry begins' line.json
wrong "a brace too few, of an entry cut" '10s/},$/,/; 12s/}}$//; 13d' 11:13 'another entry begins'
wrong "deep nesting" "9s/2.25/$(printf '%03000d' 0 | tr 0 '[')/" 9 'maximum parsing depth'
wrong "something behind the end" '$s/$/ x/' 13:3 'something follows'
wrong "a second object behind it" '$s/$/ {}/' 13:3 'something follows'
wrong "a list" '1s/^/[/' 1:1 'here should be {'
wrong "an empty object" '1s/.*/{}/; 2,$d' 1:2 'of a schema that is unknown here: it has none of the members cache'
wrong "another schema" 's/"cache"/"store"/' 1:2 'of a schema that is unknown here: it has none of the members cache'
many=$(awk 'BEGIN { for (i = 0; i < 70; i++) printf "\"m%d\": 0,", i }')
wrong "many members" "1s/{/{$many/" 1 'of a schema that is unknown here: it has more than 64 members'
wrong "a T1 file" 's/"kernel_name"/"ConfigurationSpace"/' 3:1 'this is a T1 file, which has no measurements: `kpred-train init`'
wrong "a later schema" 's/"kernel_name": "k"/"schema_version": "2.0.0"/' 3:1 'schema_version: "2.0.0"'
wrong "cache twice" '13s/.*/, "cache": {}}/' 13:3 'member cache stands there twice'
wrong "a member of the file twice" 's/kernel_name/device_name/' 3:1 'member device_name stands there twice'
wrong "no parameters' names" '5d' 8:1 'there is no member tune_params_keys'
wrong "a name of parameters twice" '5s/mode/bx/' 5:1 'tune_params_keys: its item 2'
wrong "a domain that is no list" '6s/\[1, 2\]/1/' 6:1 'tune_params: bx: is no list'
wrong "a size that is no integer" '4s/64/6.5/' 4:1 'problem_size: is no integer'
wrong "a device that is no name" '2s/"NVIDIA.*"/3/' 2:1 'device_name: is no string'
wrong "no entry" '9,11d; 12s/.*/}/' 9:2 'cache: there is no measurement in it'
wrong "an entry that is no object" '10s/{.*}/7/' 10:1 'this entry is no object'
wrong "a missing parameter" '10s/"mode": "a", //' 10:1 'parameter mode is missing in this entry'
wrong "a parameter that is a list" '10s/"a"/["a"]/' 10:1 'parameter mode: is neither a number nor a string'
wrong "an entry that is not its key's" '10s/"bx": 2/"bx": 1/' 10:1 'the key "2,a,1.0" and the entry'"'"'s bx = 1'
wrong "a key that is too long" '10s/2,a,1.0/2,a,1.0,7/' 10:1 'the key "2,a,1.0,7"'
wrong "no time" '10s/, "time": "InvalidConfig"//' 10:1 'there is no time in this entry'
wrong "no time but another objective" '7s/time"$/&/; 7s/: "time"/: "GB\/s"/; 9s/"time"/"GB\/s"/' 9:1 \
    'there is no time in this entry, and of the objective GB/s kpred cannot learn'
wrong "no time but two objectives" '7s/: "time"/: ["GB\/s", "J"]/; 9s/"time"/"GB\/s"/' 9:1 \
    'there is no time in this entry, and of the objective GB/s or J kpred cannot learn'
wrong "T4: two objectives are times" '2s/"objectives": .*/"objectives": ["a", "b"],/; 3s/"GB.s", "value": 7, "unit": "/"a", "value": 7, "unit": "s/
    3s/"time", "value": 1.5, "unit": "/"b", "value": 1.5, "unit": "us/' 2:1 'objectives: a and b are both times: which one counts?' t4.json
wrong "a word that is no failure" '10s/InvalidConfig/Broken/' 10:1 'time: Broken is neither a time nor a failure'
wrong "a time below 0" '12s/0.1/-0.1/' 12:1 'time: -0.1 is neither'
wrong "a time that is no time" '12s/0.1/true/' 12:1 'time: 1 is neither'
wrong "a parameter that the spec lacks" '12s/1[.]0/2.0/g' 12:1 'the spec has no parameter one, which is 2 here and 1'
wrong "a size beyond the spec's" '4s/64/-64/' 4:1 'problem_size: is no integer'
wrong "T4: an invalidity that is unknown" 's/constraints/weather/' 6:1 'invalidity: "weather" is neither' t4.json
wrong "T4: a parameter too many" '6s/"bx"/"by": 1, &/' 6:1 'parameter by is missing in the first result' t4.json
wrong "T4: a parameter missing" '6s/"bx": 2, //' 6:1 'parameter bx is missing in this result' t4.json
wrong "T4: a unit that is unknown" '3s/"unit": ""}\]/"unit": "fortnights"}]/' 2:1 \
    'time: "fortnights" is no unit of time' t4.json
wrong "T4: a unit of the file that is unknown" 's/miliseconds/fortnights/' 7:28 \
    'metadata: timeunit: "fortnights" is no unit of time' t4.json
wrong "T4: no time" '3s/"name": "time"/"name": "power"/' 2:1 'there is no measurement time in this result' t4.json
wrong "T4: results that are no list" '1s/\[/{/' 1:13 'results: here should be [' t4.json
wrong "KTT: a unit that is unknown" 's/Microseconds/Fortnights/' 1:2 'Metadata: TimeUnit: "Fortnights"' ktt.json
wrong "KTT: a name twice" '4s/"mode"/"bx"/' 4:1 'Configuration: item 2' ktt.json
wrong "KTT: no status" '3s/"Status": "Ok", //' 2:1 'there is no Status' ktt.json

refuse "no GPU" 1 'unnamed.json: gpu: neither the file nor its name say what it is' ingest $spec --data unnamed.json
refuse "a GPU of another spec" 1 'value "gfx1032_14" (from --gpu)' ingest $spec --data unnamed.json --gpu W6600
refuse "no size" 1 't4.json: field problem_size_x: the file does not say' ingest $spec --data t4.json --gpu A4000
refuse "--set without a value" 1 '--set "problem_size_x"' ingest $spec --data cache.json --set problem_size_x
refuse "--set of no field" 1 '--set "bx=1"' ingest $spec --data cache.json --set bx=1
refuse "--set of a GPU" 1 '--gpu says' ingest $spec --data cache.json --set gpu=RTX_3090
refuse "--set with a wrong value" 1 'an integer from 1 to 16777216' \
    ingest $spec --data cache.json --set problem_size_x=0
refuse "--set twice" 1 'problem_size_x is given twice' \
    ingest $spec --data cache.json --set problem_size_x=1 problem_size_x=2
sed 's/^bx.*/&\nby = 1 2/' $spec >more.spec
refuse "a parameter that the file lacks" 1 'cache.json: the file has no parameter by, which has 2 values in the spec' \
    ingest more.spec --data cache.json
sed 's/timed/csv/' $spec >csv.spec
refuse "another format" 1 "the spec's data have format = csv, this is a file of Kernel Tuner or KTT" \
    ingest csv.spec --data cache.json
test_end
