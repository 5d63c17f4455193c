#!/bin/sh
# cells.sh - the table of the matrix is what cells.py makes, and a second count finds nothing missing in it
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need python3 "the table of the matrix"
table=tests/matrix/cells

made() {
    python3 tests/matrix/cells.py | diff $table -
}

# finds TEXT COMMAND...: in what the command makes of the table something is wrong, and this is said
finds() {
    text=$1; shift
    "$@" $table >"$tmp/cells" && ! python3 tests/matrix/pairs.py "$tmp/cells" >"$tmp/found" && grep -qe "$text" "$tmp/found"
}

# The compiler's programs do not start, as those for i386 on a kernel without it.
emulated() {
    printf '#!/bin/sh\nprintf "exit 126" >"$5" && chmod +x "$5"\n' >"$tmp/cc" && chmod +x "$tmp/cc" &&
        [ "$(runner "$tmp/cc" -m32)" = "qemu-i386 -cpu max" ] && [ -z "$(runner "$tmp/cc" -O2)" ]
}

check "an emulator for i386 where the kernel lacks it" emulated
check "cells.py makes the table" made
check "every pair, and the full product on x86-64" python3 tests/matrix/pairs.py $table
check "a pair that is missing is found" finds "level -O3 and body neon_dot" sed '/-O3.*neon_dot/d'
check "a cell of the product that is missing is found" finds "gcc-11 -Os avx_vnni" sed '/ gcc-11 .* -Os .* all *avx_vnni/d'
check "a cell that is there twice is found" finds "twice" sed '/ tcc /p'
check "a cell that cannot be is found" finds "impossible" sed 's/ s390x \(.*\)portable/ s390x \1sse2/'
test_end
