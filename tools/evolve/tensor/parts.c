/* parts.c - what the files of tensor/ share of a program
   SPDX-License-Identifier: MIT

   parts.h declares it. */
#include "parts.h"

#include "ref.h"

#include <mlir-c/BuiltinAttributes.h>

/* ---- finding the function ---- */

static int has_name(MlirOperation function, const char *name)
{
    const MlirAttribute a = mlirOperationGetAttributeByName(function, ref_of("sym_name"));
    return name == NULL || mlirStringRefEqual(mlirStringAttrGetValue(a), ref_of(name));
}

MlirOperation parts_function(MlirModule module, const char *name, int *n)
{
    MlirOperation found = {NULL}, op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    *n = 0;
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (ref_names(op, "func.func") && has_name(op, name)) {
            found = *n == 0 ? op : found;
            ++*n;
        }
    return found;
}

MlirBlock parts_block(MlirModule module, const char *function)
{
    int n;
    MlirOperation f = parts_function(module, function, &n);
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(f, 0));
}

/* ---- clones ---- */

int parts_simplify(const struct tensor_program *p, MlirModule module)
{
    return engine_passes(p->engine, module, "builtin.module(canonicalize,cse)");
}

void draft_begin(struct draft *t, const struct tensor_program *p)
{
    t->module = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(p->module)));
    graph_make(&t->graph, parts_block(t->module, p->function));
}

void draft_end(struct draft *t)
{
    graph_free(&t->graph);
    mlirModuleDestroy(t->module);
}

/* ---- code ---- */

void parts_free_code(struct parts_code *c)
{
    engine_free(c->code);
    edits_free(&c->list);
    *c = (struct parts_code){NULL, {NULL, 0, 0}};
}
