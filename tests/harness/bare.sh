#!/bin/sh
# bare.sh - the suites pass on a bare machine: a compiler, make and the utilities of POSIX; or without tuning data
# SPDX-License-Identifier: MIT
#
# usage: bare.sh [data]
#
# The programs are built without optional libraries, PATH has no other program, there is no tuning data, and the user is
# not root, if root can be another. Of the suites of `make check` those run that `run.sh --bare` names, as the others
# cannot do otherwise there. What a suite lacks it has to skip, and to name. The part `data`: the suites that read tuning
# data, of which there is none.
. tests/harness/script.inc

test_begin
bare=$tmp/bare none=$tmp/none
unset KPRED_NEEDS

# in_bare COMMAND...: with that environment and no other
in_bare() {
    $as env -i PATH="$path" HOME="$bare" TMPDIR="$bare" BUILD="$bare" CC="$CC" CFLAGS="$CFLAGS -O0" PYTHON_CHOSEN=1 \
        MIOPEN_DB="$none" TENSILE_CSV="$none" AITER_CSV="$none" TRITON_CONFIGS="$none" ORACLE="$none" TUNER="$none" "$@"
}

# passes NAME: the suite fails nowhere, and says of what it skips why
passes() {
    in_bare sh tests/harness/run.sh --suite "$1" >"$tmp/log" 2>&1 </dev/null &&
        tail -n 1 "$tmp/log" | grep -qxE '[0-9]+ passed, 0 failed, [0-9]+ skipped' &&
        ! grep '^skip ' "$tmp/log" | grep -vE ': .*[a-z]' && return
    grep -A 9 '^FAIL' "$tmp/log" || tail -n 20 "$tmp/log"
    return 1
}

copy_built "$bare" && mkdir "$bare/check" || exit 1
if [ "${1-}" = data ]; then
    as='' path=$PATH
    for name in test_race keys-all rules_oracle specs test_databases test_solver test_tensile tuners weights; do
        check "$name, without data" passes $name
    done
    test_end
    exit
fi

# Those of POSIX that Debian's essential packages have; mktemp, which POSIX lacks; the compiler, and what it calls
utilities() {
    path=$tmp/bin
    mkdir "$path"
    for utility in '[' ar awk basename cat chgrp chmod chown cksum cmp comm cp csplit cut date dd df diff dirname du echo \
        env expand expr false find fold getconf grep head id join kill ln ls mkdir mkfifo mv nice nl nm nohup od paste \
        pathchk pr printf ps pwd rm rmdir sed sh sleep sort split strings strip stty tail tee test touch tr true tsort \
        tty uname unexpand uniq unlink wc xargs mktemp make as ld "${CC%% *}"; do
        for folder in $(echo "$PATH" | tr : ' '); do
            [ -x "$folder/$utility" ] && ln -s "$folder/$utility" "$path" && break
        done
    done
}

# as_user: $as is what makes a command one of another user, who can read the tree
as_user() {
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    $as test -r "$PWD/Makefile" 2>"$tmp/err" && chmod 755 "$tmp" && chown -R 65534:65534 "$bare"
}

# What is there of the optional libraries and of LLVM is not found. There is a line for each file, or its command.
built() {
    rm -rf "$bare"/tools/evolve "$bare"/*evolve*
    printf '%s \n' 'the programs are built without SQLITE BZIP2 ZLIB, and refuse files that need them' \
        'kpred-evolve is not built: it needs LLVM 16' >"$tmp/told"
    in_bare make LIBRARIES= LLVM_LIB= >"$tmp/log" 2>&1 && ! grep . "$bare/libraries" &&
        grep -qx "  link $bare/kpred" "$tmp/log" && grep -v '^  ' "$tmp/log" | cut -d'(' -f1 | diff - "$tmp/told" &&
        in_bare make -n V=1 LIBRARIES= LLVM_LIB= -W tools/base/util.c | grep -q 'util[.]c -o '
}

# A program that uses no library does as it is; run.sh has built it.
programs() {
    for program in steps $names; do
        [ ! -f "$BUILD/check/$program" ] || grep -q '^#include "data/sample.h"' "$(test_files "$program.c")" ||
            cp "$BUILD/check/$program" "$bare/check" || return 1
    done
}

utilities
as=''
[ "$(id -u)" != 0 ] || as_user || { as='' && skipped "another user than root" "there is none that can read $PWD"; }
names=$(sh tests/harness/run.sh --list --bare)
check "it builds" built
check "programs that are built" programs
for name in $names; do check "$name" passes "$name"; done
test_end
