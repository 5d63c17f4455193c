#!/bin/sh
# specs.sh - the specs of kernels whose filter is a field read the databases of the GPUs that they name
# SPDX-License-Identifier: MIT
#
# Without --lenient, and as many rows as SQLite counts; needs the databases in $MIOPEN_DB.
. tests/harness/script.inc

test_begin
MIOPEN_DB=${MIOPEN_DB:-../shared/miopen/data}

need_trainer "specs on databases"

# of SPEC NAME: the values of a line of the spec
of() {
    sed -n "s/^$2 *= *//p" "$1"
}

# unpacked GPU: its database is $tmp/GPU.db; fails if there is none
unpacked() {
    [ ! -e "$tmp/$1.db" ] || return 0
    [ -r "$MIOPEN_DB/$1.db.bz2" ] && bzip2 -dc "$MIOPEN_DB/$1.db.bz2" >"$tmp/$1.db"
}

# quoted WORD...: as a list of SQL
quoted() {
    printf "'%s'," "$@" | sed 's/,$//'
}

# counts SOLVER CONDITION: rows of the solver in the databases: those that fit and hold to it, that fit and do not, that
# do not fit, and all
counts() {
    for gpu in $gpus; do
        sqlite3 "$tmp/$gpu.db" "SELECT sum(($2) AND ($fits)), sum(NOT ($2) AND ($fits)), sum(NOT ($fits)), count(*)
            FROM perf_db p JOIN config c ON c.id = p.config WHERE p.solver = '$1'"
    done | awk -F'|' '{ for (i = 1; i <= 4; i++) n[i] += $i } END { print n[1] + 0, n[2] + 0, n[3] + 0, n[4] + 0 }'
}

# left_out TEXT: how many rows ingest says it has left out for that reason
left_out() {
    sed -n "s/^kpred-train: dropped \([0-9]*\) rows*: $1\$/\1/p" "$tmp/err" | grep . || echo 0
}

# The far image of a backward row is the largest possible: only its near one can be none.
fits="in_h > 0 AND in_w > 0 AND (direction <> 'F'
    OR in_h + 2 * pad_h > dilation_h * (fil_h - 1) AND in_w + 2 * pad_w > dilation_w * (fil_w - 1))"

# same_counts SPEC: the rows that are taken and those that are left out, by reason, are SQLite's
same_counts() {
    solver=$(of "$1" solver)
    # shellcheck disable=SC2046
    named="spatial_dim = 2 AND data_type IN ($(quoted $(of "$1" dtype)))
        AND layout IN ($(quoted $(of "$1" layout)))"
    # shellcheck disable=SC2046
    "$trainer" ingest "$1" --data $(printf "$tmp/%s.db " $gpus) >"$tmp/rows" 2>"$tmp/err" ||
        { cat "$tmp/err"; return 1; }
    set -- $(($(wc -l <"$tmp/rows") - 1)) "$(left_out "a data type, layout or depth .*")" \
        "$(left_out "a key whose image sizes .*")"
    # shellcheck disable=SC2046
    set -- "$@" $(counts "$solver" "$named")
    echo "$solver: $1 rows, $2 and $3 left out; SQLite says $4, $5 and $6"
    [ "$1" -gt 0 ] && [ "$1 $2 $3 $(($1 + $2 + $3))" = "$4 $5 $6 $7" ]
}

# same_sums SPEC: two parameters that are one number in the database add up to it, in every row
same_sums() {
    awk -F, 'NR > 1 { print $(NF - 1) + $NF }' "$tmp/rows" | sort -n >"$tmp/sums"
    for gpu in $gpus; do
        sqlite3 "$tmp/$gpu.db" "SELECT p.params FROM perf_db p JOIN config c ON c.id = p.config
            WHERE p.solver = '$(of "$1" solver)' AND $fits"
    done | sort -n | cmp - "$tmp/sums" && [ -s "$tmp/sums" ]
}

# no_rejected SPEC: the rule, which is observed, takes every optimum
no_rejected() {
    # shellcheck disable=SC2046
    "$trainer" eval "${1%.spec}.h" --rows all -k 1 --data $(printf "$tmp/%s.db " $gpus) \
        >"$tmp/rows" 2>"$tmp/err" && ! grep "rule rejects" "$tmp/err"
}

# shellcheck disable=SC2046
grep -l '^y  *= size' $(perf_specs) weights/recipes/*.spec >"$tmp/specs"
while IFS= read -r spec; do
    name=$(basename "$spec" .spec) gpus=$(of "$spec" gpu) missing=
    for gpu in $gpus; do
        unpacked "$gpu" 2>/dev/null || missing="$missing $gpu"
    done
    if ! has sqlite3 || ! has bzip2; then
        skipped "$name, rows" "needs sqlite3 and bzip2"
    elif [ "$missing" ]; then
        skipped "$name, rows" "no database of$missing in $MIOPEN_DB"
    else
        check "$name, rows" same_counts "$spec"
        ! grep -q '^[a-z_]*_plus *=' "$spec" || check "$name, sums" same_sums "$spec"
        ! grep -q '_igemm_gtc_' "$spec" || check "$name, optima" no_rejected "$spec"
    fi
done <"$tmp/specs"
test_end
