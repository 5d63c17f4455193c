#!/bin/sh
# check.sh - `make release-check`: runs the stages of tools/release/stages, some side by side, and closes with a table
# SPDX-License-Identifier: MIT
#
# usage: [BUILD=build] [JOBS=N] sh tools/release/check.sh [--whole] [STAGE...], from the repository's root
#
# Each stage leaves its output in BUILD/release/NAME.log, and a line in BUILD/release/record: NAME COMMIT PART VERDICT
# SECONDS DATE LAST-LINE. One that passed is not run again for the same commit, so that a second call goes on where the
# first one failed or was ended. That holds only where all is committed: of a tree with changes nothing is remembered.
# --whole: all of the proofs, enumerations and faults of which a stage else takes a part, drawn by the commit.
# BUILD/release/soundness.md is docs/soundness.md with the figures of what has passed for the commit.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL # JOBS is that of the stage
BUILD=${BUILD:-build} JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN)} whole=${whole-}
stages=tools/release/stages
out=$BUILD/release
record=$out/record
export BUILD JOBS whole
mkdir -p "$out" && touch "$record" || exit 1

# The commit that a stage is remembered for, or nothing
commit() {
    [ -e .git ] && [ -z "$(git status --porcelain)" ] && git rev-parse HEAD
}

# field STAGE N: 1 its minutes, 2 alone or beside, 3 its parts, 4 its command; without a stage, all names
field() {
    sed -n "s/^\\(${1:-[a-z][a-z-]*}\\) \\([0-9]*\\) \\([a-z]*\\) \\([0-9]*\\): \\(.*\\)/\\$((${2:-0} + 1))/p" $stages
}

# chosen STAGE...: the names of these, or of all
chosen() {
    field >"$out/names"
    [ $# -gt 0 ] || { cat "$out/names"; return; }
    for stage in "$@"; do
        grep -x "$stage" "$out/names" || { echo "check.sh: $stages has no stage $stage" >&2; return 1; }
    done
}

# part STAGE: K/N, or `all`
part() {
    parts=$(field "$1" 3)
    if [ "$whole" ] || [ "$parts" -eq 1 ]; then echo all; return; fi
    echo $((0x$(echo "${commit:-0}" | cut -c1-7) % parts))/"$parts"
}

# passed STAGE: did it pass for this commit, with this part or all?
passed() {
    awk -v name="$1" -v commit="${commit:-none}" -v part="$(part "$1")" '
        $1 == name && $2 == commit && $4 == "passed" && ($3 == part || $3 == "all") { found = 1 }
        END { exit !found }' "$record"
}

# verdict STATUS LOG: passed, failed or skipped, of a stage that ended so; one that ran or said nothing has failed
verdict() {
    counts=$(tail -n 1 "$2" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped')
    case $1,$counts in
    0,) [ -s "$2" ] && echo passed || echo failed ;;
    0,'0 passed, 0 failed, 0 skipped') echo failed ;;
    0,*' passed, 0 failed, 0 skipped') echo passed ;;
    0,'0 passed, 0 failed, '*) echo skipped ;;
    0,*', 0 failed, '*) echo passed ;;
    *) echo failed ;;
    esac
}

# row STAGE VERDICT SECONDS TEXT: of the table
row() {
    printf '%-12s %-8s %6s  %s\n' "$@" >>"$out/table"
}

# run STAGE: its line of the record, and its row of the table
run() {
    log=$out/$1.log part=$(part "$1") start=$(date +%s)
    echo "$1: $log"
    [ "$part" = all ] || export PART="$part"
    sh -c "$(field "$1" 4)" >"$log" 2>&1 </dev/null
    result=$(verdict $? "$log") seconds=$(($(date +%s) - start)) last=$(tail -n 1 "$log")
    [ "$(commit)" = "$commit" ] || commit=
    echo "$1 ${commit:--} $part $result $seconds $(date +%Y-%m-%d) $last" >>"$record"
    row "$1" "$result" "$seconds s" "$last"
    echo "$1: $result in $seconds s"
}

# seconds: of names in standard input, `SECONDS alone|beside NAME`, longest first, as the last time or as the table says
seconds() {
    awk -v whole="$whole" '
        FILENAME == ARGV[1] {
            all[$1] = whole != "" || $4 + 0 == 1; took[$1] = 60 * $2 * (whole ? $4 : 1); how[$1] = $3
            next
        }
        FILENAME == ARGV[2] { if ($4 == "passed" && ($3 == "all") == all[$1]) took[$1] = $5; next }
        { print took[$1], how[$1], $1 }' $stages "$record" - | sort -rn
}

# estimate: of such lines, how long they take
estimate() {
    awk -v lanes=$lanes '
        { names = names " " $3 }
        $2 == "alone" { alone += $1; next }
        lanes == 2 && two < one { two += $1; next }
        { one += $1 }
        END { if (NR) printf "about %.0f min:%s\n", (alone + (one > two ? one : two)) / 60, names }'
}

# in_lanes alone|beside N: those of them that run so, N at a time
in_lanes() {
    sed -n "s/.* $1 //p" "$out/todo" >"$out/names"
    [ ! -s "$out/names" ] || xargs -P "$2" -n 1 sh tools/release/check.sh --stage <"$out/names"
}

# figures: docs/soundness.md with what the stages passed, of that commit
figures() {
    awk -v commit="$commit" '
        FILENAME == ARGV[1] { if (/^[a-z]/) of[$1] = ""; next }
        FILENAME == ARGV[2] {
            if ($2 != commit || $4 != "passed") next
            date = $6; drawn = $3 == "all" ? "" : " (" $3 ")"; name = $1
            for (i = 1; i <= 6; i++) sub(/^[^ ]* /, "")
            if (/^[0-9]+ passed, 0 failed/) { sub(/ passed, 0 failed/, ""); sub(/, 0 skipped/, "") }
            of[name] = " " $0 drawn
            next
        }
        /^The last run: / { $0 = "The last run: " date ", of commit " substr(commit, 1, 12) "." }
        /^[|] G[0-9]/ {
            for (name in of)
                if (match($0, "`" name "`[^;|]*")) {
                    rest = substr($0, RSTART + RLENGTH)
                    $0 = substr($0, 1, RSTART - 1) "`" name "`" of[name] (rest ~ /^;/ ? "" : " ") rest
                }
        }
        { print }' $stages "$record" docs/soundness.md >"$out/soundness.md"
    echo "$out/soundness.md has the figures"
}

if [ "${1-}" = --stage ]; then
    [ "$(field "$2" 2)" = alone ] || JOBS=$(((JOBS + 1) / 2))
    run "$2"
    exit 0 # another status may stop the others
fi
[ "${1-}" != --whole ] || { whole=yes; shift; }
names=$(chosen "$@") || exit 2
commit=$(commit) || echo "The tree has changes that are not committed: what passes is not remembered."
lanes=$((JOBS > 1 ? 2 : 1))
export commit
: >"$out/table"
for stage in $names; do
    if passed "$stage" >/dev/null; then
        row "$stage" passed - "it passed before, for this commit"
    else
        echo "$stage"
    fi
done | seconds >"$out/todo"
estimate <"$out/todo"
in_lanes alone 1
in_lanes beside $lanes
for stage in $names; do
    grep -q "^$stage " "$out/table" || row "$stage" failed - "it did not come to its end"
    grep "^$stage " "$out/table"
done
[ -z "$commit" ] || [ ! -e docs/soundness.md ] || figures
awk '{ n[$2]++ } END { printf "%d passed, %d failed, %d skipped\n", n["passed"], n["failed"], n["skipped"]
    exit n["failed"] > 0 }' "$out/table"
