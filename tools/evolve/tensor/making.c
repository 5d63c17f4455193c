/* making.c - what becomes of a program by a list of edits: a module, its text, its machine code
   SPDX-License-Identifier: MIT

   tensor.h and parts.h declare it. */
#include "parts.h"
#include "ref.h"
#include "rewrites.h"

#include "base/util.h"

#include <mlir-c/BuiltinAttributes.h>

/* ---- a clone that is edited ---- */

int tensor_applies(void *self, const struct edits *list)
{
    struct draft t;
    draft_begin(&t, self);
    const int applies = rewrites_do_all(&t.graph, list) == 0;
    draft_end(&t);
    return applies;
}

/* Verified, with the list; the graph is gone. Null with why not */
static MlirModule edited(struct tensor_program *p, const struct edits *list, enum outcome *why)
{
    struct draft t;
    draft_begin(&t, p);
    *why = rewrites_do_all(&t.graph, list) == 0 ? OUTCOME_VALID : OUTCOME_INAPPLICABLE;
    engine_hush(p->engine, 1);
    if (*why == OUTCOME_VALID && !mlirOperationVerify(mlirModuleGetOperation(t.module)))
        *why = OUTCOME_REJECTED;
    engine_hush(p->engine, 0);
    graph_free(&t.graph);
    if (*why == OUTCOME_VALID)
        return t.module;
    mlirModuleDestroy(t.module);
    return (MlirModule){NULL};
}

int tensor_emit(struct tensor_program *p, const struct edits *list, struct buf *text)
{
    enum outcome why;
    MlirModule module = edited(p, list, &why);
    if (mlirModuleIsNull(module))
        return -1;
    parts_simplify(p, module);
    mlirOperationPrint(mlirModuleGetOperation(module), ref_add, text);
    mlirModuleDestroy(module);
    return 0;
}

static void rename_function(struct tensor_program *p, MlirModule module, const char *name)
{
    int n;
    MlirOperation function = parts_function(module, p->function, &n);
    mlirOperationSetAttributeByName(function, ref_of("sym_name"),
                                    mlirStringAttrGet(engine_context(p->engine), ref_of(name)));
}

int tensor_lower(struct tensor_program *p, const struct edits *list, const char *name,
                 struct buf *text, uint64_t *room)
{
    enum outcome why;
    MlirModule module = edited(p, list, &why);
    if (mlirModuleIsNull(module))
        return fail("%s: a list of edits is %s", p->path, outcome_names[why]);
    int rc = parts_simplify(p, module);
    rename_function(p, module, name);
    if (rc == 0)
        rc = engine_lower(p->engine, p->path, module, room);
    if (rc == 0)
        mlirOperationPrint(mlirModuleGetOperation(module), ref_add, text);
    mlirModuleDestroy(module);
    return rc;
}

static struct engine_code *compile(struct tensor_program *p, const struct edits *list,
                                   enum outcome *why)
{
    struct engine_code *code = NULL;
    MlirModule module = edited(p, list, why);
    if (mlirModuleIsNull(module))
        return NULL;
    engine_hush(p->engine, 1);
    if (parts_simplify(p, module) != 0
        || engine_build(p->engine, p->path, module, p->function, &code) != 0)
        *why = OUTCOME_UNCOMPILED;
    engine_hush(p->engine, 0);
    mlirModuleDestroy(module);
    return code;
}

/* What looks best is asked for many times in a row: MLIR takes longer for it than a run does. */
ev_kernel *tensor_compile(void *self, const struct edits *list, enum outcome *why)
{
    struct tensor_program *p = self;
    struct parts_code c = p->idle;
    if (c.code != NULL && edits_equal(&c.list, list)) {
        p->idle = (struct parts_code){NULL, {NULL, 0, 0}};
    } else {
        c = (struct parts_code){compile(p, list, why), {NULL, 0, 0}};
        if (c.code == NULL)
            return NULL;
        edits_copy(&c.list, list);
    }
    *why = OUTCOME_VALID;
    p->code = xgrow(p->code, p->n_codes, &p->cap_codes, sizeof *p->code);
    p->code[p->n_codes++] = c;
    return engine_entry(c.code);
}

void tensor_forget(void *self)
{
    struct tensor_program *p = self;
    if (p->n_codes == 0)
        return;
    parts_free_code(&p->idle);
    p->idle = p->code[--p->n_codes];
}
