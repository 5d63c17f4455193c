/* loops.c - the order in which the loops of a linalg operation run
   SPDX-License-Identifier: MIT

   loops.h declares it. */
#include "loops.h"

#include "ref.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>

enum { LOOPS = 16, TENSORS = 16 };

struct nest { /* of an operation: what its attributes say */
    MlirContext context;
    intptr_t n, n_maps;
    MlirAttribute kind[LOOPS], map[TENSORS];
};

static int is_parallel(MlirAttribute kind)
{
    return mlirAttributeEqual(kind,
                              mlirAttributeParseGet(mlirAttributeGetContext(kind),
                                                    ref_of("#linalg.iterator_type<parallel>")));
}

/* -1 if it is none that can be ordered: what is inside may ask for the number of a loop. */
static int nest_read(MlirOperation op, struct nest *n)
{
    MlirOperation in =
        mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
    for (; !mlirOperationIsNull(in); in = mlirOperationGetNextInBlock(in))
        if (ref_names(in, "linalg.index"))
            return -1;
    MlirAttribute kinds = mlirOperationGetAttributeByName(op, ref_of("iterator_types"));
    MlirAttribute maps = mlirOperationGetAttributeByName(op, ref_of("indexing_maps"));
    n->context = mlirOperationGetContext(op);
    n->n = mlirArrayAttrGetNumElements(kinds);
    n->n_maps = mlirArrayAttrGetNumElements(maps);
    if (n->n > LOOPS || n->n_maps > TENSORS)
        return -1;
    for (intptr_t i = 0; i < n->n; i++)
        n->kind[i] = mlirArrayAttrGetElement(kinds, i);
    for (intptr_t i = 0; i < n->n_maps; i++)
        n->map[i] = mlirArrayAttrGetElement(maps, i);
    return 0;
}

/* Is the loop the last index, and part of no other one? */
static int is_fastest(MlirAffineMap map, intptr_t loop)
{
    const intptr_t n = mlirAffineMapGetNumResults(map);
    for (intptr_t i = 0; i < n; i++) {
        MlirAffineExpr e = mlirAffineMapGetResult(map, i);
        const int is_it = mlirAffineExprIsADim(e) && mlirAffineDimExprGetPosition(e) == loop;
        if (is_it ? i + 1 < n : mlirAffineExprIsFunctionOfDim(e, loop))
            return 0;
    }
    return 1;
}

/* The loop that has to be the innermost, or -1 if the order is good */
static intptr_t nest_vector(const struct nest *n)
{
    intptr_t loop = n->n - 1;
    while (loop >= 0 && !is_parallel(n->kind[loop]))
        loop--;
    if (loop == n->n - 1)
        return -1;
    for (intptr_t i = 0; i < n->n_maps; i++)
        if (!is_fastest(mlirAffineMapAttrGetValue(n->map[i]), loop))
            return -1;
    return loop;
}

/* The map with its loops as `place` numbers them */
static MlirAttribute renumbered(MlirAffineMap map, MlirAffineMap place)
{
    MlirAffineExpr e[LOOPS];
    const intptr_t n = mlirAffineMapGetNumResults(map);
    for (intptr_t i = 0; i < n; i++)
        e[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), place);
    return mlirAffineMapAttrGet(
        mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), 0, n, e));
}

static void make_innermost(MlirOperation op, struct nest *n, intptr_t loop)
{
    unsigned place[LOOPS];
    MlirAttribute kind = n->kind[loop];
    for (intptr_t i = 0; i < n->n; i++)
        place[i] = (unsigned)(i < loop ? i : i == loop ? n->n - 1 : i - 1);
    for (intptr_t i = loop; i + 1 < n->n; i++)
        n->kind[i] = n->kind[i + 1];
    n->kind[n->n - 1] = kind;
    MlirAffineMap places = mlirAffineMapPermutationGet(n->context, n->n, place);
    for (intptr_t i = 0; i < n->n_maps; i++)
        n->map[i] = renumbered(mlirAffineMapAttrGetValue(n->map[i]), places);
    mlirOperationSetAttributeByName(op, ref_of("iterator_types"),
                                    mlirArrayAttrGet(n->context, n->n, n->kind));
    mlirOperationSetAttributeByName(op, ref_of("indexing_maps"),
                                    mlirArrayAttrGet(n->context, n->n_maps, n->map));
}

static void order_block(MlirBlock block)
{
    struct nest n;
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        const intptr_t loop =
            ref_names(op, "linalg.generic") && nest_read(op, &n) == 0 ? nest_vector(&n) : -1;
        if (loop >= 0)
            make_innermost(op, &n, loop);
    }
}

void loops_order(MlirModule module)
{
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (!ref_names(op, "func.func"))
            continue;
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
        if (!mlirBlockIsNull(block))
            order_block(block);
    }
}
