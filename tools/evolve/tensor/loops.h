/* loops.h - the order in which the loops of a linalg operation run
   SPDX-License-Identifier: MIT */
#pragma once

#include <mlir-c/IR.h>

/* Where an operation sums, and its last parallel index is the fastest one of all that it reads and
   writes, that index becomes the innermost loop: LLVM makes vectors of it, which it may not make of
   a sum of floats. Each sum keeps its order, so no result changes. All linalg.generic are ordered
   so, other operations stay. */
void loops_order(MlirModule module);
