#!/bin/sh
# stages.sh - `make release-check` runs each stage once for a commit, and says which ones passed
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need git "release-check"
unset GIT_DIR GIT_WORK_TREE
repository=$tmp/repository
mkdir -p "$repository/tools/release"
cp tools/release/check.sh "$repository/tools/release"
cd "$repository" || exit 1
git init -q . && git config user.name test && git config user.email test@example.com || exit 1
echo /build/ >.gitignore

# stages LINE...: these, committed
stages() {
    printf '%s\n' "# stages" "$@" >tools/release/stages
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
        "worse: echo '3 passed, 1 failed, 0 skipped'" "none: echo '0 passed, 0 failed, 2 skipped'" "plain: echo well" &&
        ends 1 "2 passed, 2 failed, 1 skipped" && says '^good +passed +[0-9]+ s  3 passed' && says '^bad +failed' &&
        says '^worse +failed' && says '^none +skipped' && says '^plain +passed +[0-9]+ s  well' &&
        [ "$(cat build/release/bad.log)" = no ]
}

# What failed or was skipped runs again, what passed does not.
goes_on() {
    ends 1 "2 passed, 2 failed, 1 skipped" && says '^good +passed +- +it passed before' && says '^bad: ' &&
        [ "$(wc -l <build/good)" -eq 1 ]
}

another_commit() {
    stages "good: echo run >>build/good" && ends 0 "1 passed, 0 failed, 0 skipped" && [ "$(wc -l <build/good)" -eq 2 ]
}

with_changes() {
    echo change >new && ends 0 "1 passed, 0 failed, 0 skipped" && says 'not remembered' &&
        [ "$(wc -l <build/good)" -eq 3 ] && rm new && ends 0 "1 passed, 0 failed, 0 skipped" && ! says 'good: ' >/dev/null
}

# A stage that changes the tree has not tested the commit alone.
changes_while_it_runs() {
    stages "dirty: echo run >>build/dirty; echo x >new" && ends 0 "1 passed, 0 failed, 0 skipped" && rm new &&
        ends 0 "1 passed, 0 failed, 0 skipped" && [ "$(wc -l <build/dirty)" -eq 2 ] && rm new
}

check "a stage of each kind" each_kind
check "a second call goes on" goes_on
check "another commit begins anew" another_commit
check "a tree with changes is not remembered" with_changes
check "nor a stage that changes it" changes_while_it_runs
check "a stage that is not there" ends 2 "check.sh: tools/release/stages has no stage other" other
test_end
