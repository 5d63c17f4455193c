#!/bin/sh
# day.sh - asks a GPU for some minutes: is kpred right on it, what does a race lose, what is a prediction worth
# SPDX-License-Identifier: MIT
#
# usage: sh day.sh [MINUTES]
# The folder is what `make gpu-day` makes. It needs the GPU's driver, and no compiler. Stages come in the order of their
# worth, each with a part of the time that is left. Their results lie in results/ as CSV files, which grow row by row.
# A second call goes on. results.tar.gz has all of them. See docs/gpu.md
minutes=${1:-8}
case $minutes in '' | *[!0-9.]* | *.*.* | .) echo "day.sh: $minutes is no number of minutes" >&2; exit 2 ;; esac
cd "$(dirname "$0")" && mkdir -p results bin work || exit 1
LD_LIBRARY_PATH=$PWD/lib:${LD_LIBRARY_PATH-}:/usr/local/cuda/lib64:/opt/rocm/lib PATH=$PATH:/opt/rocm/llvm/bin
export LD_LIBRARY_PATH PATH
arch=$(cat arch) || exit 1
fields=m,n,k
timer_us=1000 race_us=50000 # of the device: a measurement, and a race of predicted tuples
if [ "$arch" = opencl ]; then
    export POCL_MAX_PTHREAD_COUNT="${POCL_MAX_PTHREAD_COUNT:-1}" POCL_CACHE_DIR="$PWD/work/pocl"
    mkdir -p work/pocl
    timer_us=5000
fi
server="bin/timer --budget $timer_us code"
end=$(awk -v now="$(date +%s)" -v minutes="$minutes" 'BEGIN { printf "%d", now + 60 * minutes }')

# ---- time ----

say() {
    echo "day.sh: $*" >&2
}

left() {
    echo $((${stage_end:-$end} - $(date +%s)))
}

# within COMMAND...: until the stage's end; its complaints go to the log
within() {
    seconds=$(left)
    [ "$seconds" -gt 0 ] && timeout --foreground -k 5 "$seconds" "$@" 2>>results/log
}

# stage NAME SHARE SHARES: NAME gets SHARE of the SHARES of what is left of the time
stage() {
    stage_end=''
    seconds=$(($(left) * $2 / $3))
    [ "$seconds" -gt 0 ] || { say "$1: no time is left"; return; }
    stage_end=$(($(date +%s) + seconds))
    say "$1: at most $seconds s"
    if "$1"; then say "$1: done"; else say "$1: not all of it is done"; fi
}

# ---- tables ----

# heading FILE COLUMNS: begins the table, or cuts off a line without an end
heading() {
    if [ -s "$1" ]; then
        [ -z "$(tail -c 1 "$1")" ] || sed -i '$d' "$1"
    else
        echo "$2" >"$1"
    fi
}

# missing PROBLEMS TABLE [WORD]: the problems for which the table has no row, or none with the word
missing() {
    awk -F, -v word="${3-}" 'NR == FNR { if (word == "" || index($0, word)) there[$1 "," $2 "," $3] = 1; next }
        FNR == 1 || !($1 "," $2 "," $3 in there)' "$2" "$1" >work/missing.csv
    [ "$(wc -l <work/missing.csv)" -gt 1 ]
}

# ---- stages ----

# row NAME STATUS: of sound.csv; fails where the time was up, and then there is no row
row() {
    case $2 in
    0) echo "$1,ok,status 0" ;;
    1[23][0-9]) return 1 ;;
    *) echo "$1,failed,status $2" ;;
    esac >>results/sound.csv
}

# judged NAME COMMAND...: once
judged() {
    name=$1
    shift
    grep -q "^$name," results/sound.csv && return
    within "$@" >>results/log
    row "$name" $?
}

# The stand-in for a person: stops a tuning of the unseen problems after its first row, before it ends by itself
stopped() {
    "$@" >>results/log 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(sed -n "/^[0-9]/p" work/few.csv 2>/dev/null | wc -l)" -lt 1 ] && [ "$(left)" -gt 0 ]; do
        sleep 0.02 2>/dev/null || sleep 1
    done
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 143 ] && ! grep -vE '^(#|[a-z]|[0-9].*,([0-9.]+|failed)$)' work/few.csv
}

# A tuning that is stopped keeps whole rows, and goes on.
cancelled() {
    ! grep -q '^a tuning is stopped' results/sound.csv || return 0
    echo $fields >work/few && sed -n 2,5p unseen.csv >>work/few && rm -f work/few.csv || return
    set -- bin/kpred-train tune gemm.spec --problems work/few -o work/few.csv --server "$server" --budget 3
    stopped "$@" && kept=$(grep -c '^[0-9]' work/few.csv) && within "$@" >>results/log
    status=$?
    [ "$(left)" -gt 0 ] || return
    [ $status -ne 0 ] || [ "$(grep '^[0-9]' work/few.csv | sort -u | wc -l)" -gt "$kept" ] || status=1
    row "a tuning is stopped and goes on" $status
}

# What day.c says, row by row; if it was cut, it begins again
day_sound() {
    ! grep -q '^a race is cancelled' results/sound.csv || return 0
    within bin/day sound code >work/sound || return
    cat work/sound >>results/sound.csv
}

# A lost context, in a process of its own; on some systems the process ends with it
lost() {
    ! grep -q '^a lost context' results/sound.csv || return 0
    if [ "$arch" = opencl ]; then
        echo "a lost context is said,not here,memory of OpenCL has no bad address" >>results/sound.csv
        return
    fi
    within bin/day lost code >work/lost
    status=$?
    [ $status -ne 124 ] || return
    [ -s work/lost ] || echo "a lost context is said,not here,the runtime ends the process: status $status" >work/lost
    cat work/lost >>results/sound.csv
}

# compute-sanitizer does not run everywhere; 9 says that it has found something.
sanitized() {
    ! grep -q '^compute-sanitizer' results/sound.csv && command -v compute-sanitizer >>results/log || return 0
    within compute-sanitizer --error-exitcode 9 bin/day cold code with >>results/log
    status=$?
    case $status in
    [1-8]) echo "compute-sanitizer finds nothing,not here,it does not run: status $status" >>results/sound.csv ;;
    *) row "compute-sanitizer finds nothing" $status ;;
    esac
}

# Other programs may disturb the memsets, which are short.
sound() {
    heading results/sound.csv check,result,figures
    judged "the shortest of three memsets wins" sh -c 'bin/device || bin/device || bin/device' && day_sound && lost &&
        judged "the next process has the device again" bin/timer --about || return
    sanitized && cancelled
}

loss() {
    heading results/race.csv $fields,kind,budget_us,table,candidate,time_us,launches,device_us
    ! missing unseen.csv results/race.csv time,,2 ||
        { within bin/day loss code work/missing.csv 1000 5000 20000 100000 >>results/race.csv && ! missing unseen.csv results/race.csv; }
}

tune() {
    within bin/kpred-train tune gemm.spec --server "$server" --problems "$@" >>results/log
}

# Of races of the first 4 and 8 tuples that the model names, the winner and its time
raced() {
    IFS=, read -r m n k <<END
$1
END
    tuples=$(bin/kpred predict results/gemm_model.h "m=$m" "n=$n" "k=$k" -k 8 --csv 2>>results/log | sed '1d; s/^[^,]*,[^,]*,//; s/,/_/g')
    : >work/won
    for of in 4 8; do
        # shellcheck disable=SC2046
        within bin/race --budget $race_us code "$m" "$n" "$k" $(echo "$tuples" | head -n $of) >work/raced || return
        awk -v problem="$1" -v way="race $of" '$2 == "winner" { print problem "," way "," $5 "," $3 }' work/raced >>work/won
    done
    cat work/won >>results/raced.csv
}

# All tuples of a problem, three times, and races of the first of them
measured() {
    { echo $fields && echo "$1"; } >work/one.csv
    grep -qs "^$1,race 8," results/raced.csv || raced "$1" || [ "$(left)" -gt 0 ] || return
    for table in 1 2 3; do
        tune work/one.csv -o results/full_$table.csv || return
    done
}

# 40 problems are tuned, and learned from; 20 others are predicted, and measured
loop() {
    tune problems.csv -o results/times.csv --budget 24 || return
    [ -e results/gemm_model.h ] || within bin/kpred-train train gemm.spec --data results/times.csv -o results/gemm_model.h >>results/log || return
    heading results/vendor.csv $fields,time_us
    ! missing unseen.csv results/vendor.csv || within bin/day vendor code work/missing.csv >>results/vendor.csv
    heading results/raced.csv $fields,way,tuple,time_us
    sed 1d unseen.csv >work/unseen
    while read -r problem; do
        measured "$problem" </dev/null || return
    done <work/unseen
}

# In processes by turns, as the first call of a process costs more
cold() {
    heading results/cold.csv way,call,predict_us,load_us,rest_us
    while [ "$(grep -c '^without,24,' results/cold.csv)" -lt 10 ]; do
        within bin/day cold code with >>results/cold.csv && within bin/day cold code without >>results/cold.csv || return
    done
}

# evolved KERNEL SOURCE SHARE OPTION...: a search, and what is left of its edits
evolved() {
    kernel=$1 source=$2 seconds=$(($(left) * 2 / 3 / $3)) log=results/$1.log text=$1
    [ ! -e "$1.ini" ] || text=$1.ini
    shift 3
    grep -q "^$kernel," results/evolve.csv && return
    [ ! -e "$log" ] || set -- "$@" --resume
    [ $seconds -gt 0 ] && within bin/kpred-evolve search "$source" --function "$kernel" "$@" --evaluate "bin/evaluate $text" \
        --method climb --jobs 1 --time $seconds --seed 2 -o "$log" >>results/log || return
    within bin/kpred-evolve minimise "$log" >work/minimised # fails where there is no gain
    [ $? -lt 124 ] && [ "$(left)" -gt 0 ] || return
    cat work/minimised >>results/log
    awk -v kernel="$kernel" -v n="$(grep -c ' search ' "$log")" '/^gain [0-9.-]+ %/ { gsub("[()]", ""); g = $2 "," $7 "," $9 }
        END { print kernel "," n "," (g == "" ? "0,," : g) }' work/minimised >>results/evolve.csv
}

evolve() {
    [ ! -e bin/kpred-evolve.gz ] || { gzip -dc bin/kpred-evolve.gz >bin/kpred-evolve && chmod +x bin/kpred-evolve; } || return
    [ -x bin/kpred-evolve ] || { say "evolve: there is no kpred-evolve here"; return; }
    heading results/evolve.csv kernel,evaluations,gain,low,high
    case $arch in
    opencl) set -- cl --target spir64 ;;
    gfx*) set -- bc --target amdgcn-amd-amdhsa --cpu "$arch" --form code-object ;;
    *) set -- bc --target nvptx64-nvidia-cuda --cpu "$arch" --form asm ;;
    esac
    ending=$1
    shift
    evolved planted planted.$ending 2 "$@" && evolved softmax softmax.$ending 1 "$@"
}

# ---- all of it ----

bin/timer --about >work/about 2>results/log.new || { cat results/log.new >&2; exit 77; }
{
    echo "# arch: $arch"
    echo "# load: $(cut -d' ' -f1 /proc/loadavg)"
    nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.mem,clocks.max.sm --format=csv,noheader |
        sed 's/^/# driver, clocks of multiprocessors and memory, highest: /'
    rocm-smi --showdriverversion --showclocks |
        sed -n -e 's/.*\(Driver version: .*\)/# \1/p' -e 's/.*\([sm]clk clock level: .*\)/# \1/p'
} >>work/about 2>>results/log.new
cat results/log.new >>results/log && rm results/log.new
[ -e results/about ] || cp work/about results/about
[ "$(head -n 2 work/about)" = "$(head -n 2 results/about)" ] || { say "results/ is of another device or driver"; exit 1; }
stage sound 8 100
stage loss 14 92
stage loop 44 78
stage cold 5 34
stage evolve 1 1
(cd results && tar cf - .) | gzip >results.tar.gz.new && mv results.tar.gz.new results.tar.gz
say "the results are in $PWD/results and results.tar.gz"
