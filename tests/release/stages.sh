#!/bin/sh
# stages.sh - what passed: `make check` says it of suites, `make release-check` of stages, each run once for a commit
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin

# ---- make check ----

tree=$tmp/tree
mkdir -p "$tree/tests/harness" "$tree/tests/some" "$tree/build"
cp tests/harness/run.sh tests/harness/script.inc tests/harness/test.h "$tree/tests/harness"
cp "$archive" "$tree/build"
: >"$tree/tests/harness/suites"

# counts TOTALS TEXT FILE LINE...: a suite of these lines counts so, which the status tells, too; the text is said
counts() {
    totals=$1 text=$2 file=$3; shift 3
    printf '%s\n' "$@" >"$tree/tests/some/$file"
    (cd "$tree" && BUILD=build sh tests/harness/run.sh "${file%.*}") >"$tmp/out" 2>&1
    got=$?
    case $totals in *' 0 failed'*) expected=0 ;; *) expected=1 ;; esac
    [ $got -eq $expected ] && [ "$(tail -n 1 "$tmp/out")" = "$totals" ] && grep -qF "$text" "$tmp/out" && return
    cat "$tmp/out"
    return 1
}

include='. tests/harness/script.inc' failure='0 passed, 1 failed, 0 skipped'
check "a suite that ran nothing" counts "$failure" "ran nothing" one.sh "echo 0 passed, 0 failed, 0 skipped"
check "a script without a check" counts "$failure" "no check ran" one.sh "$include" test_end
check "a program without a test" counts "$failure" "no test ran" test_one.c '#include "harness/test.h"' \
    'int main(void) { return test_end(); }'
check "a part without a check" counts "1 passed, 1 failed, 0 skipped" "FAIL part: status 0" one.sh "$include" \
    test_begin "passed other" "checks_of part echo 0 passed, 0 failed, 0 skipped" test_end
check "a suite without totals" counts "$failure" "without totals" one.sh "echo 3 passed"
check "a status that no totals tell" counts "3 passed, 1 failed, 0 skipped" "counted no failure" one.sh \
    "echo 3 passed, 0 failed, 0 skipped; exit 3"
check "a suite that is skipped for a reason" counts "0 passed, 0 failed, 1 skipped" "one: all: no data" one.sh \
    "$include" "end_without all 'no data'"

hangs() {
    LIMIT=1 counts "$failure" "longer than its limit of 1 s" one.sh "echo so far; sleep 60" &&
        grep -qF 'one, again by `make check SUITES=one`' "$tmp/out" && grep -qxF "    so far" "$tmp/out"
}
check "a suite that hangs" hangs
again() {
    (cd "$tree" && BUILD=build sh tests/harness/run.sh "$@") >"$tmp/out" 2>&1
}
failed_ones() {
    printf '%s\n' "$include" 'check one true' test_end >"$tree/tests/some/two.sh"
    printf '%s\n' "$include" 'check one test -e mended' test_end >"$tree/tests/some/one.sh"
    ! again one two && : >"$tree/mended" && again --failed && ! grep -q '^two ' "$tmp/out" && grep -q '^one ' "$tmp/out" &&
        ! again --failed && grep -qF "no suite failed" "$tmp/out"
}
check "those that failed the last time" failed_ones
twice() { # a program that a header is changed of is built again
    printf '%s\n' '#include "harness/test.h"' '#include "some/n.h"' 'int main(void) { CASE(N == 1, "n"); return test_end(); }' \
        >"$tree/tests/some/test_two.c"
    echo "#define N 0" >"$tree/tests/some/n.h" && ! again test_two && echo "#define N 1" >"$tree/tests/some/n.h" && again test_two &&
        echo nonsense >>"$tree/tests/some/test_two.c" && ! again test_two && grep -q 'error' "$tmp/out"
}
check "a program is as new as its sources" twice

# ---- make release-check ----

need git "release-check"
unset GIT_DIR GIT_WORK_TREE
repository=$tmp/repository
mkdir -p "$repository/tools/release"
cp tools/release/check.sh "$repository/tools/release"
cd "$repository" || exit 1
git init -q . && git config user.name test && git config user.email test@example.com || exit 1
echo /build/ >.gitignore

export JOBS=2

# stages LINE...: these, committed; `NAME: ` is one minute beside others, and has no parts
stages() {
    printf '%s\n' "# stages" "$@" | sed 's/^\([a-z]*\): /\1 1 beside 1: /' >tools/release/stages
    git add -A && git commit -qm stages
}

# ends STATUS LINE [STAGE...]: the check ends so, with that line
ends() {
    expected=$1 line=$2; shift 2
    BUILD=build sh tools/release/check.sh "$@" >"$tmp/out" 2>&1
    got=$?
    [ $got -eq "$expected" ] && [ "$(tail -n 1 "$tmp/out")" = "$line" ] && return
    cat "$tmp/out"
    return 1
}

# says PATTERN: what the check said, or a line of its table
says() {
    grep -qE "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }
}

each_kind() {
    stages "good: echo run >>build/good; echo '3 passed, 0 failed, 1 skipped'" "bad: echo no; exit 3" \
        "worse: echo '3 passed, 1 failed, 0 skipped'" "none: echo '0 passed, 0 failed, 2 skipped'" "plain: echo well" \
        "nothing: echo '0 passed, 0 failed, 0 skipped'" "silent: true" &&
        ends 1 "2 passed, 4 failed, 1 skipped" && says '^good +passed +[0-9]+ s  3 passed' && says '^bad +failed' &&
        says '^worse +failed' && says '^none +skipped' && says '^plain +passed +[0-9]+ s  well' &&
        says '^nothing +failed' && says '^silent +failed' &&
        [ "$(cat build/release/bad.log)" = no ]
}

# What failed or was skipped runs again, what passed does not.
goes_on() {
    ends 1 "2 passed, 4 failed, 1 skipped" && says '^good +passed +- +it passed before' && says '^bad: ' &&
        [ "$(wc -l <build/good)" -eq 1 ]
}

another_commit() {
    stages "good: echo run | tee -a build/good" && ends 0 "1 passed, 0 failed, 0 skipped" && [ "$(wc -l <build/good)" -eq 2 ]
}

with_changes() {
    echo change >new && ends 0 "1 passed, 0 failed, 0 skipped" && says 'not remembered' &&
        [ "$(wc -l <build/good)" -eq 3 ] && rm new && ends 0 "1 passed, 0 failed, 0 skipped" && ! says 'good: ' >/dev/null
}

# A stage that changes the tree has not tested the commit alone.
changes_while_it_runs() {
    stages "dirty: echo run | tee -a build/dirty; echo x >new" && ends 0 "1 passed, 0 failed, 0 skipped" && rm new &&
        ends 0 "1 passed, 0 failed, 0 skipped" && [ "$(wc -l <build/dirty)" -eq 2 ] && rm new
}

# Of a stage that was killed, and of those behind it
gone() {
    stages "gone 1 alone 1: kill -9 \$PPID" "other: echo x" && ends 1 "1 passed, 1 failed, 0 skipped" &&
        says '^gone +failed +-  it did not come'
}

# One writes when another reads.
side_by_side() {
    mkfifo build/pipe
    stages "one: timeout 60 sh -c 'echo met >build/pipe'; echo x" "two: timeout 60 cat build/pipe" &&
        ends 0 "2 passed, 0 failed, 0 skipped" && says '^two +passed +[0-9]+ s  met' &&
        stages "one 1 alone 1: timeout 1 sh -c 'echo met >build/pipe'" "two 1 alone 1: timeout 1 cat build/pipe" &&
        ends 1 "0 passed, 2 failed, 0 skipped"
}

# by what the commit says
part_of() {
    echo "$((0x$(git rev-parse HEAD | cut -c1-7) % $1))/$1"
}

# The last run tells the minutes of the next one; all of the parts count as each.
parts() {
    all="4 passed, 0 failed, 0 skipped"
    stages "a 7 alone 1: echo \$JOBS" "b 30 beside 1: echo \$JOBS" "c 20 beside 4: echo \${PART-all}" \
        "d 9 beside 1: echo x" && ends 0 "$all" && says '^about 37 min: b c d a$' && says '^a .* 2$' &&
        says '^b .* 1$' && says "^c .* $(part_of 4)\$" && ends 0 "$all" --whole && says '^about 80 min: c$' &&
        says '^c .* all$' && ends 0 "$all" && ! says ' min: ' >/dev/null && git commit -q --allow-empty -m again &&
        ends 0 "1 passed, 0 failed, 0 skipped" b && says '^about 0 min: b$'
}

# The table has what passed for this commit.
figures() {
    mkdir docs && printf '%s\n' 'The last run: -' '| G1, x | y | `good` 1; `bad` 7; `c` |' >docs/soundness.md
    stages "good: echo '3 passed, 0 failed, 1 skipped'" "bad: exit 1" "c 1 beside 4: echo well" &&
        ends 1 "2 passed, 1 failed, 0 skipped" &&
        printf '%s\n' "The last run: $(date +%Y-%m-%d), of commit $(git rev-parse HEAD | cut -c1-12)." \
            "| G1, x | y | \`good\` 3, 1 skipped; \`bad\`; \`c\` well ($(part_of 4)) |" |
        diff - build/release/soundness.md
}

check "a stage of each kind" each_kind
check "a second call goes on" goes_on
check "another commit begins anew" another_commit
check "a tree with changes is not remembered" with_changes
check "nor a stage that changes it" changes_while_it_runs
check "a stage that is killed" gone
check "stages side by side" side_by_side
check "parts, and how long it takes" parts
check "the table of guarantees" figures
check "a stage that is not there" ends 2 "check.sh: tools/release/stages has no stage other" other
test_end
