/* room.c - how much memory a module takes for its tensors
   SPDX-License-Identifier: MIT

   room.h declares it. */
#include "room.h"

#include "memory.h"
#include "ref.h"

#include <mlir-c/BuiltinTypes.h>

/* Of a number of f64, index, f32 or of n bits; no other ones come here. */
static uint64_t bytes_of_one(MlirType type)
{
    if (mlirTypeIsAInteger(type))
        return (mlirIntegerTypeGetWidth(type) + 7) / 8;
    return mlirTypeIsAF64(type) || mlirTypeIsAIndex(type) ? 8 : 4;
}

static uint64_t bytes_of(MlirType type)
{
    uint64_t bytes = bytes_of_one(mlirShapedTypeGetElementType(type));
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
        bytes *= (uint64_t)mlirShapedTypeGetDimSize(type, i);
    return memory_rounded(bytes);
}

static uint64_t of_block(MlirBlock block)
{
    uint64_t sum = 0;
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (ref_names(op, "memref.alloc"))
            sum += bytes_of(mlirValueGetType(mlirOperationGetResult(op, 0)));
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
            for (; !mlirBlockIsNull(inner); inner = mlirBlockGetNextInRegion(inner))
                sum += of_block(inner);
        }
    }
    return sum;
}

uint64_t room_of(MlirModule module)
{
    return of_block(mlirModuleGetBody(module));
}
