/* ref.h - texts as MLIR's C interface takes and gives them
   SPDX-License-Identifier: MIT */
#pragma once

#include <mlir-c/IR.h>

MlirStringRef ref_of(const char *s);
/* For calls that give a text in parts: adds one to the struct buf that `user` is */
void ref_add(MlirStringRef text, void *user);
int ref_names(MlirOperation op, const char *name); /* is the operation such a one: "func.func"? */
