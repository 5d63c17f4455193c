#!/bin/sh
# matrix.sh - one signature in every cell: compilers, levels, flags, bodies, processors and C libraries
# SPDX-License-Identifier: MIT
#
# usage: matrix.sh gcc|clang|emulated|make, cells of the gate, or what `make signature` says
#        [JOBS=N] matrix.sh all, every cell; a second run goes on where this one ended
#
# tests/matrix/cells has a line for each cell, and tests/signature what each has to print. It changes with
# the weights and with the arithmetic; a commit that changes it says so. `all` leaves a table and a CSV of
# it in BUILD/release, and the results in BUILD/release/matrix: a cell that passed is run again only if
# the headers, the weights, the test or the compiler have changed.
. tests/harness/script.inc
. tests/matrix/cell.inc

part=${1-all}
[ "$part" != --build ] || { where=$2 number=$3 part=build; }
test_begin

# What has no part in a cell's line and decides its result
sources() {
    cat kpred.h kpred_constraints.h weights/*.h tests/model/shipped.h tests/signature* tests/matrix/cell.inc
}

# ---- one build and its cells ----

# The names of the models that differ
differing() {
    diff tests/signature "$tmp/all" | sed -n 's/^[<>] \([a-z0-9_]*\) .*/\1/p' | grep -vx total | sort -u | tr '\n' ' ' |
        sed 's/ $//'
}

# result STATUS TEXT: of this cell, behind the key it is for
result() {
    printf '%s\n' "$key" "$version" "$1" "$2" >"$where/$cell"
}

run_cell() {
    if [ -n "$why" ]; then
        result skip "$why"
    elif why_not=$(lacks_body); then
        result skip "$why_not"
    elif [ ! -x "$tmp/program$exe" ] && ! build "$tmp/program$exe" >"$tmp/err" 2>&1; then
        result FAIL "it does not compile: $(grep -m 1 -E 'error|warning' "$tmp/err")"
    elif [ "$emulator" = true ]; then
        result ok "it compiles, and was not run"
    elif ! timeout 900 $emulator "$tmp/program$exe" $body >"$tmp/out" 2>"$tmp/err"; then
        result FAIL "it does not run to its end: $(grep -m 1 . "$tmp/err")"
    elif tr -d '\r' <"$tmp/out" >"$tmp/all" && ! cmp -s tests/signature "$tmp/all"; then
        result FAIL "$(differing)"
    else
        result ok ""
    fi
}

# What has passed already is left as it is.
run_build() {
    line=$(sed -n "${number}p" "$where/builds")
    take_cell - $line
    version=$(version) why=$(unavailable)
    key="$sources $version"
    for body in $(echo $body | tr , ' '); do
        cell=$build-$body
        [ "$(sed -n '1p;3p' "$where/$cell" 2>/dev/null | tr '\n' ' ')" = "$key ok " ] || run_cell
    done
}

if [ $part = build ]; then
    run_build
    exit
fi

# ---- which cells ----

cells() {
    grep -v '^#' tests/matrix/cells | tr -s ' ' | case $part in
    all) cat ;;
    emulated) grep -E '^gate (aarch64|s390x)' ;;
    gcc) grep -E '^gate (x86-64|windows|i386) (gcc|g[+]+|tcc) ' ;;
    clang) grep -E '^gate (x86-64|i386) clang' ;;
    esac
}

# A line for each build of these cells: their line, with all bodies that run in it
builds() {
    cut -d' ' -f2- | awk '{ body = $9; $9 = ""; build = $8 == "one" ? $0 body : $0
        if (!(build in bodies)) { order[++n] = build; line[build] = $0; bodies[build] = body }
        else bodies[build] = bodies[build] "," body }
        END { for (i = 1; i <= n; i++) print line[order[i]] bodies[order[i]] }'
}

make_target() {
    make -s signature CC="$CC" CFLAGS="-O1" BUILD="$tmp/build" | diff tests/signature -
}

need_weights "signature"
if [ "$part" = make ]; then
    check "make signature" make_target
    test_end
    exit
fi

# ---- all of these ----

where=$tmp/matrix
[ "$part" != all ] || { where=$BUILD/release/matrix; export WINDOWS=wine WINEPREFIX="$where/wine" WINEDEBUG=-all; }
mkdir -p "$where" || exit 1
sources=$(sources | sha256sum | cut -c1-16) && export sources
[ "$(cat "$where/sources" 2>/dev/null)" = "$sources" ] || rm -f "$where"/models-*.o
echo "$sources" >"$where/sources"
cells >"$tmp/cells"
builds <"$tmp/cells" >"$where/builds"
# The weights are compiled by the first build of each compiler, so these go before the others.
firsts=$(awk '!seen[$1 $2]++ { print NR }' "$where/builds")
others=$(awk 'seen[$1 $2]++ { print NR }' "$where/builds")
for numbers in "$firsts" "$others"; do
    printf '%s\n' $numbers | xargs -P "${JOBS:-1}" -n 1 sh tests/matrix/matrix.sh --build "$where"
done

# Each line: the words of the cell with the version behind the compiler, status and text
while read -r line; do
    take_cell $line
    { read -r _; read -r version; read -r status; read -r text; } <"$where/$build-$body" || status=FAIL text="no result"
    line=${line#* }
    case $status in
    ok) passed "$line${text:+: $text}" ;;
    skip) skipped "$line" "$text" ;;
    *) failed "$line" "$text" ;;
    esac
    echo "$target $compiler ${version:--} $std $level $flags $libc $checks $bodies $body $status $text" >>"$tmp/rows"
done <"$tmp/cells"

# The first eleven columns, and the rest of a line as one
csv() {
    echo target,compiler,version,standard,level,flags,libc,checks,bodies,body,status,models_that_differ_or_why
    awk -v OFS=, '{ line = $1; text = ""; for (i = 2; i <= 11; i++) line = line "," ($i ~ /,/ ? "\"" $i "\"" : $i)
        for (i = 12; i <= NF; i++) text = text (i > 12 ? " " : "") $i
        gsub(/"/, "\"\"", text); print line, "\"" text "\"" }' "$tmp/rows"
}

table() {
    echo "target compiler version standard level flags libc checks bodies body status models that differ, or why" |
        cat - "$tmp/rows" | awk '{ for (i = 1; i <= 11; i++) if (length($i) > width[i]) width[i] = length($i)
            line[NR] = $0 }
        END { for (n = 1; n <= NR; n++) { $0 = line[n]
            for (i = 1; i <= NF; i++) printf "%-*s ", width[i], $i
            print "" } }' | sed 's/ *$//'
}

if [ "$part" = all ]; then
    csv >"$BUILD/release/matrix.csv" && table >"$BUILD/release/matrix.txt" && cat "$BUILD/release/matrix.txt"
fi
test_end
