#!/bin/sh
# gemm_cpu.sh - examples/gemm_cpu: its kernel computes what it should, its data are what they say, show shows
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "examples/gemm_cpu"
example=$root/examples/gemm_cpu
kernel="product.o gemm.o tiles.o"

# A model that has learnt little in little time, with the rule of the example
trains() {
    sed 's/^judged .*/judged = 4/; s/^teachers .*/teachers = 1/; s/^epochs .*/epochs = 4/; s/^draws .*/draws = 4/' \
        "$example/gemm.spec" >"$tmp/quick.spec"
    make -s -C "$example" train BUILD="$BUILD" OUT="$tmp/out" SPEC="$tmp/quick.spec" 2>"$tmp/err" ||
        { cat "$tmp/err"; return 1; }
    grep -q '(500 problems)' "$tmp/err"
}

# A table and CSV: a row for each problem and way, and a mean for each way. No speed is judged.
shows() {
    make -s -C "$example" show BUILD="$BUILD" OUT="$tmp/out" SHOW_OPTIONS="$*" CFLAGS="-O1 -march=native" >"$tmp/shown" 2>"$tmp/err" ||
        { cat "$tmp/err"; return 1; }
}
table() {
    shows --problems 2 --rounds 2 && [ "$(grep -cE '^( *[0-9]+){3}( +[0-9]+[.][0-9]){7}$' "$tmp/shown")" -eq 2 ] &&
        [ "$(grep -cE '^[a-z].* [0-9.]+ +[0-9.]+ to +[0-9.]+$' "$tmp/shown")" -eq 6 ]
}
csv() {
    shows --problems 3 --rounds 1 --csv && [ "$(wc -l <"$tmp/shown")" -eq $((1 + 4 * 6)) ] &&
        awk -F, 'NR > 1 && (NF != 8 || !($6 > 0 && $6 <= 1) || ($1 == "" && !($7 <= $6 && $6 <= $8))) { exit 1 }' \
            "$tmp/shown"
}

# The rule, a second time: a tuner without a budget measures each legal tuple once
legal() {
    awk 'BEGIN {
        split("1 2 4 6 8 12", r, " "); split("64 192 512", k, " "); split("24 96 384", m, " "); split("64 192 576", n, " ")
        for (a = 1; a <= 6; a++) for (nr = 16; nr <= 64; nr += 16) for (u = 1; u <= 4; u += 3) for (f = 0; f < 8; f++)
            for (x = 1; x <= 3; x++) for (y = 1; y <= 3; y++) for (z = 1; z <= 3; z++)
                if (r[a] * nr >= 32 && r[a] * nr <= 384 && (u == 1 || r[a] * nr <= 128) && m[y] % r[a] == 0 &&
                    n[z] % nr == 0 && (m[y] + n[z]) * k[x] * 4 <= 1048576)
                    print "mr=" r[a], "nr=" nr, "unroll=" u, "pack_a=" f % 2, "pack_b=" int(f / 2) % 2, "order=" int(f / 4), \
                        "kc=" k[x], "mc=" m[y], "nc=" n[z]
    }' | sort >"$tmp/legal"
    echo 'm,n,k
100,100,100' >"$tmp/one.csv"
    "$trainer" tune "$example/gemm.spec" --problems "$tmp/one.csv" -o "$tmp/all.csv" \
        --server "while read -r line; do echo \"\${line#* * * }\" >>$tmp/all; echo 1; done" 2>"$tmp/err" &&
        sort "$tmp/all" | cmp - "$tmp/legal" && total=$(wc -l <"$tmp/legal") &&
        grep -q "^# $total of 10368 combinations" "$example/gemm.spec"
}

# build COMPILER: the timer and show without a warning; each file is compiled once
build() {
    mkdir "$tmp/$1" && for file in "$example"/*.c; do
        $1 -std=c99 -O1 -march=native -ffp-contract=fast $C_WARNINGS -I"$root" -I"$tmp/out" -c "$file" \
            -o "$tmp/$1/$(basename "$file" .c).o" || return 1
    done
    (
        cd "$tmp/$1" && $1 timer.o $kernel -o timer && $1 show.o contest.o table.o $kernel -lm -o show
    )
}

# lines: some legal tuples for some problems, whose sizes fill blocks, do not, and are 1
lines() {
    for sizes in "1 1 1" "1 70 5" "13 1 17" "7 33 1" "48 64 64" "65 97 193" "25 579 3" "386 20 70" "3 5 1030"; do
        awk -v sizes="$sizes" -v skip="$(echo "$sizes" | tr -d ' ')" '
            BEGIN { split(sizes, s, " ") }
            (NR * 31 + skip) % 211 == 0 { print "m=" s[1], "n=" s[2], "k=" s[3], $0 }' "$tmp/legal"
    done
}

# answers TIMER: as many times as lines, and no failure
answers() {
    lines >"$tmp/lines" && "$1" <"$tmp/lines" >"$tmp/answers" && [ "$(wc -l <"$tmp/lines")" -gt 150 ] &&
        [ "$(grep -cE '^answer: [0-9]+[.][0-9]+$' "$tmp/answers")" -eq "$(wc -l <"$tmp/lines")" ]
}

# A timer of a kernel that is altered by sed tells failures.
notices() {
    cp -R "$tmp/$CC" "$tmp/altered" && sed "$1" "$example/gemm.c" >"$tmp/altered/gemm.c" &&
        ! cmp -s "$example/gemm.c" "$tmp/altered/gemm.c" && (
        cd "$tmp/altered" && $CC -std=c99 -O1 -I"$example" -c gemm.c && $CC timer.o $kernel -o timer
    ) && ! answers "$tmp/altered/timer" && grep -qx 'answer: failed' "$tmp/answers"
    status=$?
    rm -rf "$tmp/altered"
    return $status
}

# What is not a tuple or no problem has failed, and the next one is timed.
others_fail() {
    good="m=9 n=9 k=9 mr=4 nr=16 unroll=1 pack_a=0 pack_b=0 order=0 kc=64 mc=24 nc=64"
    printf '%s\n' "$good" "$good mr=5" "mr=4" "$good m=0" "$good" "$good mc=26" "$good mc=24x" "$good tile=3" "$good" |
        "$tmp/$CC/timer" >"$tmp/answers" &&
        [ "$(sed 's/^answer: [0-9.]*$/time/; s/^answer: f/f/' "$tmp/answers" | tr '\n' ' ')" = "time failed failed failed time failed failed failed time " ] &&
        ! "$tmp/$CC/timer" tile=3 && "$tmp/$CC/timer" $good >"$tmp/answers"
}

# The problems that are shown are not those that were learnt from, and have their best tuples.
data() {
    (
        cd "$example" || exit 1
        grep '^[0-9]' unseen.csv | sort >"$tmp/unseen" && [ "$(wc -l <"$tmp/unseen")" -ge 20 ] &&
            grep -h '^[0-9]' problems.csv times.csv | cut -d , -f 1-3 | sort -u >"$tmp/learnt" &&
            [ -z "$(comm -12 "$tmp/unseen" "$tmp/learnt")" ] &&
            grep '^[0-9]' best.csv | cut -d , -f 1-3 | sort -u | cmp - "$tmp/unseen" &&
            [ "$(wc -c <times.csv)" -lt 1000000 ]
    )
}

check "make train" trains
check "show: a table" table
check "show: CSV" csv
check "the rule" legal
for cc in gcc clang; do
    check_with $cc "without a warning, $cc" build $cc
    check_with "$tmp/$cc/timer" "the products are right, $cc" answers "$tmp/$cc/timer"
done
if [ -x "$tmp/gcc/timer" ]; then CC=gcc; else CC=clang; fi
check "what is not a tuple fails" others_fail
check "a kernel that forgets to add" notices 's/w->from > 0)/0)/'
check "a kernel that packs too little" notices 's/memcpy(to, from, has/memcpy(to, from, (has - 1)/'
check "a kernel that loses a row" notices 's/i < rows;/i + 1 < rows;/'
check "the data" data
test_end
