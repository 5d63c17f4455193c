#!/bin/sh
# help.sh - man pages and what bash completes have the commands and options that --help has, and no other
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
export LC_ALL=C
need python3 "man pages and completion"
checks_of "man pages and completion" python3 tests/cli/help.py "$BUILD" "$tmp/files"
test_end
