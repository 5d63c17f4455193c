/* ref.c - texts as MLIR's C interface takes and gives them
   SPDX-License-Identifier: MIT

   ref.h declares it. */
#include "ref.h"

#include "base/util.h"

MlirStringRef ref_of(const char *s)
{
    return mlirStringRefCreateFromCString(s);
}

void ref_add(MlirStringRef text, void *user)
{
    buf_add(user, text.data, text.length);
}

int ref_names(MlirOperation op, const char *name)
{
    return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), ref_of(name));
}
