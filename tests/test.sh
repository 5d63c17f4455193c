# test.sh - for the test scripts: ok NAME, FAIL NAME: what, skip NAME: why, and the counts at the end
# SPDX-License-Identifier: MIT
# The scripts run from the repository's root; BUILD is where they put what they make.

BUILD=${BUILD:-build}
n_passed=0 n_failed=0 n_skipped=0

# Warnings that the headers promise not to give; the last ones are C's alone.
WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror"
C_WARNINGS="$WARNINGS -Wstrict-prototypes -Wmissing-prototypes"

passed() {
    echo "ok $1"
    n_passed=$((n_passed + 1))
}

failed() {
    echo "FAIL $1: $2"
    n_failed=$((n_failed + 1))
}

skipped() {
    echo "skip $1: $2"
    n_skipped=$((n_skipped + 1))
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# check NAME COMMAND...: passes if the command does; else shows where it stands and what it said.
check() {
    name=$1
    shift
    if output=$("$@" 2>&1); then
        passed "$name"
    else
        failed "$name" "$(echo "$output" | head -5)"
    fi
}

# Last line: the counts, alone. The exit status.
test_end() {
    echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
    [ "$n_failed" = 0 ]
}
