#!/bin/sh
# files.sh - the files of kpred: what git has, or the packed release; what else lies in the folder is its user's
# SPDX-License-Identifier: MIT
#
# usage: sh tools/release/files.sh, in the top folder. Where neither tells, it is all in kpred's folders but what was
# built.
set -eu
if [ -e .git ] && git ls-files --error-unmatch kpred.h >/dev/null 2>&1; then
    git -c core.quotePath=false ls-files
elif [ -e MANIFEST ]; then
    cat MANIFEST
else
    ls .clang-format .editorconfig .gitignore CHANGELOG.md CMakeLists.txt CONTRIBUTING.md LICENSE Makefile README.md \
        SECURITY.md kpred.h kpred_constraints.h kpred_hip.h
    find .ci docs examples packaging tests tools weights -name build -prune -o -type f \
        ! -name '.*' ! -name '*~' ! -name '*.o' ! -path '*/__pycache__/*' -print
fi | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file" # a file that was deleted is still in git
done
