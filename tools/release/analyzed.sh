#!/bin/sh
# analyzed.sh FOLDER - lays out there what make analyze and make misra look at
# SPDX-License-Identifier: MIT
#
# The headers as they are; the generated headers, whose networks' arrays have their types and sizes, but a
# single 0 in place of their numbers, on which tools would spend their time; the examples, which get
# declarations alone; and files that include all: FOLDER/headers.c defines what the three headers do,
# FOLDER/all.c what the generated ones do besides. Stand-ins of tests are system headers there: nobody
# looks for faults in them. Left out are examples/evolve, whose kernels have faults for kpred-evolve to
# find, and what needs a header that its reader trains: main.c of examples/own_kernel, and show.c of
# gemm_cpu and gemm_gpu.
set -eu
to=$1

elided() {
    awk '/^static const int(8|32)_t kpri_.*_(weight|bias|embedding|out|offset)[0-9]+_?\[[0-9]+\] = \{$/ {
             print; print "    0"; inside = 1; next }
         /^\}/ { inside = 0 }
         !inside' "$1"
}

mkdir -p "$to/weights" "$to/system"
cp kpred.h kpred_constraints.h kpred_hip.h "$to"
cp -R examples "$to"
cp -R tests/hip "$to/system"
for header in weights/*.h; do elided "$header" >"$to/$header"; done
find "$to/examples" -name '*.[ch]*' | while read -r file; do
    sed 's/^#define KPRED_\(IMPLEMENTATION\|STATIC\|HIP_IMPLEMENTATION\).*//' "$file" >"$to/declared"
    mv "$to/declared" "$file"
done
rm -rf "$to/examples/evolve" "$to/examples/own_kernel/main.c" "$to/examples/gemm_cpu/show.c" \
    "$to/examples/gemm_gpu/show.c"
printf '%s\n' '#define KPRED_IMPLEMENTATION' '#define KPRED_HIP_IMPLEMENTATION' \
    '#include "kpred_constraints.h"' '#include "kpred_hip.h"' >"$to/headers.c"
cp "$to/headers.c" "$to/all.c"
for header in weights/*.h; do echo "#include \"$header\""; done >>"$to/all.c"
