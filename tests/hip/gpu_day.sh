#!/bin/sh
# gpu_day.sh - make gpu-day: its code compiles for GPUs without one, and with OpenCL it runs, is cut, and goes on
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "gpu-day"
need timeout "gpu-day"

# kit ARCH ARGUMENT...: with two variants and few problems, without kpred-evolve
kit() {
    arch=$1; shift
    make -s -C examples/gemm_gpu kit ARCH=$arch BUILD="$BUILD" DAY="$tmp/$arch" CC="$CC" EVOLVE= \
        DAY_PROBLEMS="printf 'm,n,k\n24,64,96\n40,32,64\n17,96,40\n64,64,128\n'" \
        DAY_UNSEEN="printf 'm,n,k\n32,64,80\n48,48,48\n'" "$@"
}

# ---- GPUs ----

one_variant() {
    sed -e 's/^tile_m = .*/tile_m = 64/' -e 's/^tile_n = .*/tile_n = 32/' -e 's/^tile_k = .*/tile_k = 8/' \
        -e 's/^thread_m = .*/thread_m = 4/' -e 's/^thread_n = .*/thread_n = 4/' -e 's/^buffers = .*/buffers = 2/' \
        -e 's/^spread = .*/spread = 1/' examples/gemm_gpu/gemm.spec >"$tmp/one.spec"
}

# of_gpu ARCH CLANG: code of the machine, programs that need neither CUDA's library nor HIP's, and no device here
of_gpu() {
    kit $1 CLANG=$2 DAY_SPEC="cat $tmp/one.spec" CFLAGS="-O1 -Wall -Wextra -Werror" || return 1
    for file in "$tmp/$1"/code/*.code; do
        [ "$(od -An -N4 -c "$file" | tr -d ' ')" = '177ELF' ] || return 1
    done
    for program in timer race day device evaluate; do
        [ -x "$tmp/$1/bin/$program" ] && ! ldd "$tmp/$1/bin/$program" | grep -E 'cuda|hip' || return 1
    done
    (cd / && sh "$tmp/$1/day.sh" 1) >"$tmp/out" 2>"$tmp/err"
    case $? in 77) grep -q 'there is no device here' "$tmp/err" ;; *) return 1 ;; esac
}

one_variant
for arch in sm_80 sm_90; do
    check_with ${CUDA:-/usr/local/cuda}/bin/ptxas "compiled for $arch" of_gpu $arch clang-16
done
check_with "$(has clang-16 && echo ld.lld-16 || echo clang-16)" "compiled for gfx90a" of_gpu gfx90a clang-16
check_with "$(has clang-19 && echo ld.lld-19 || echo clang-19)" "compiled for gfx942" of_gpu gfx942 clang-19

# ---- OpenCL ----

bad_minutes() {
    sh examples/gemm_gpu/day.sh 8m 2>"$tmp/err"
    [ $? -eq 2 ] && grep -qx 'day.sh: 8m is no number of minutes' "$tmp/err"
}
check "MINUTES" bad_minutes

results=$tmp/opencl/results
for_opencl() {
    kit opencl CFLAGS=-O1 DAY_SPEC="sed -e 's/^tile_m = .*/tile_m = 8/' -e 's/^tile_n = .*/tile_n = 32/' -e 's/^thread_m = .*/thread_m = 4/' \
        -e 's/^split = .*/split = 1/' processor.spec"
}

day() {
    sh "$tmp/opencl/day.sh" "$1" 2>"$tmp/err"
}

# cut_after SECONDS: all of its processes at once
cut_after() {
    setsid sh "$tmp/opencl/day.sh" 2 2>"$tmp/err" &
    pid=$!
    sleep "$1"
    kill -KILL -$pid
    wait $pid 2>/dev/null
    for file in "$results"/*.csv; do
        [ -s "$file" ] && cp "$file" "$file.cut" || return 1
    done
}

# Rows that were there stay, but for one without an end.
kept() {
    for file in "$results"/*.csv.cut; do
        [ -z "$(tail -c 1 "$file")" ] || sed -i '$d' "$file"
        head -n "$(wc -l <"$file")" "${file%.cut}" | cmp -s - "$file" || { echo "$file"; return 1; }
    done
}

# once COLUMNS FILE ROWS: so many rows, no two of which begin with the same cells
once() {
    grep '^[0-9]' "$results/$2" | cut -d, -f1-$1 | sort >"$tmp/all"
    [ "$(wc -l <"$tmp/all")" -eq "$3" ] && [ "$(uniq "$tmp/all" | wc -l)" -eq "$3" ]
}

# 8 tuples of each problem whose sizes 4 divides
whole() {
    for _ in 1 2 3 4; do
        day 4 || return 1
        [ "$(grep -c ': done$' "$tmp/err")" -eq 5 ] && break
    done
    kept && once 13 times.csv "$(grep -c '^[0-9]' "$results/times.csv")" && once 7 race.csv 92 && once 4 raced.csv 4 &&
        [ "$(grep -c '^with' "$results/cold.csv")" -ge 480 ] && once 13 full_1.csv 16 && once 13 full_2.csv 16 && once 13 full_3.csv 16
}

goes_on() {
    cut_after 3 && cut_after 5 && cut_after 8 && printf '7,7,7,ti' >>"$results/race.csv" && whole
}

nothing_left() {
    cat "$results"/*.csv >"$tmp/before" && day 1 && cat "$results"/*.csv | cmp - "$tmp/before"
}

right() {
    ! grep -v -e ',ok,' -e ',not here,' -e '^check,' -e '^the winner is' -e '^a slow one' "$results/sound.csv" &&
        [ "$(wc -l <"$results/sound.csv")" -ge 13 ]
}

# ---- the page ----

# page RESULTS: its figures in $tmp/page.md, and README's sentence in $tmp/readme.md
page() {
    printf 'Words.\n\n<!-- figures -->\n\nold\n\n<!-- end of figures -->\n\nMore.\n' >"$tmp/page.md"
    printf 'A.\n\n**kpred timed nothing on a GPU**, only [kernels on processors](docs/gpu.md). All 1.5 of them\n' >"$tmp/readme.md"
    python3 tools/lab/report/gpu.py "$@" --page "$tmp/page.md" --readme "$tmp/readme.md"
}

# Ten candidates with times of 100 us, and more by 10 for each; races of which one in four took the third one
made_up() {
    mkdir -p "$tmp/made" && printf '# device: GPU 9, 4 multiprocessors\n# driver: 1\n# arch: sm_90\n' >"$tmp/made/about" &&
        awk 'BEGIN { print "m,n,k,kind,budget_us,table,candidate,time_us,launches,device_us"
            for (m = 1; m <= 4; m++) {
                for (t = 0; t < 3; t++) for (c = 0; c < 10; c++) print m ",8,8,time,," t "," c "," 100 + 10 * c ",,"
                for (r = 0; r < 4; r++) print m ",8,8,race,20000," r "," (r == 3 ? 2 : 0) ",,30,10000"
            }
            print "9,8,8,time,,0,0,1,,"
            print "9,8,8,race,20000,0,0,,30,10000" }' >"$tmp/made/race.csv" &&
        printf 'way,k,share,low,high,of,ahead,ahead_low,ahead_high\nkpred,1,0.900,0.8,0.95,0.99,-,-,-\n' >"$tmp/made/peers.csv" &&
        for i in 1 2 3; do printf 'm,n,k,tile,time_us\n1,8,8,1,%s\n1,8,8,2,90\n' $((20 + 20 * (i > 1) + 40 * (i > 2))) >"$tmp/made/full_$i.csv"; done &&
        printf 'm,n,k,time_us\n1,8,8,80\n' >"$tmp/made/vendor.csv"
}

# expm1(log(1.2) / 4) is 4.66 %; the best time is that of 20, 40 and 80 us
figures() {
    made_up && page "$tmp/made" && grep -q '^| 20 | 4.66 (.*) | 75 | 30 | 0.50 | 4 |$' "$tmp/page.md" &&
        grep -q '^This is a GPU, `sm_90`. Driver: 1' "$tmp/page.md" && grep -q 'library has 0.50 of the speed' "$tmp/page.md" &&
        [ "$(sed -n 3p "$tmp/readme.md")" = '**kpred was timed on one GPU, GPU 9** ([figures](docs/gpu.md)): a race of 20 ms loses 4.7 %, and the first predicted tuple has 0.900 of the best speed. All 1.5 of them' ] &&
        grep -qx 'Words.' "$tmp/page.md" && grep -qx 'More.' "$tmp/page.md" && ! grep -q old "$tmp/page.md"
}

marked() {
    page "$results" && grep -q '^This is \*\*a processor by OpenCL, and no GPU\*\*' "$tmp/page.md" &&
        [ "$(grep -cE '^\| (1|5|20|100) \|' "$tmp/page.md")" -eq 4 ] && grep -q '^\*\*kpred timed nothing on a GPU\*\*, only' "$tmp/readme.md"
}

no_results() {
    ! page "$tmp/none" 2>"$tmp/err" && grep -q 'none: are no results of gpu-day' "$tmp/err" && grep -q '^old$' "$tmp/page.md"
}

check_with python3 "figures of the page" figures
check_with python3 "no results" no_results
if for_opencl 2>"$tmp/err" && "$tmp/opencl/bin/timer" --about >"$tmp/out" 2>&1; then
    check "three cuts, and all of it" goes_on
    check "nothing is left to do" nothing_left
    check "what is right" right
    check_with python3 "a page of a processor" marked
else
    lacking opencl "all that runs" "there is no OpenCL device"
fi
test_end
