/* program.c - an MLIR module that becomes a program, and what becomes of that by a list of edits
   SPDX-License-Identifier: MIT

   tensor.h and parts.h declare it. */
#include "parts.h"

#include "base/util.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding the function ---- */

static MlirStringRef name_of(MlirOperation function)
{
    return mlirStringAttrGetValue(mlirOperationGetAttributeByName(function, ref_of("sym_name")));
}

/* The function of that name, null if there is none; NULL: the first one. *n: how many there are */
static MlirOperation parts_function(MlirModule module, const char *name, int *n)
{
    MlirOperation found = {NULL}, op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    *n = 0;
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (ref_names(op, "func.func")
            && (name == NULL || mlirStringRefEqual(name_of(op), ref_of(name)))) {
            found = *n == 0 ? op : found;
            ++*n;
        }
    return found;
}

/* The block of a function that is there */
static MlirBlock parts_block(MlirModule module, const char *function)
{
    int n;
    MlirOperation f = parts_function(module, function, &n);
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(f, 0));
}

/* ---- clones ---- */

/* MLIR's own simplifications; -1 if they fail */
static int parts_simplify(const struct tensor_program *p, MlirModule module)
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

static void parts_free_code(struct parts_code *c)
{
    engine_free(c->code);
    edits_free(&c->list);
    *c = (struct parts_code){NULL, {NULL, 0, 0}};
}

static const char to_linalg[] =
    "builtin.module(func.func(tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg,"
    "tosa-to-arith,tosa-to-tensor,convert-elementwise-to-linalg))";

/* ---- reading: what it has to be ---- */

/* "FILE:LINE" of an operation, or the file alone */
static void add_place(const struct tensor_program *p, MlirOperation op, struct buf *out)
{
    struct buf text = {0};
    mlirLocationPrint(mlirOperationGetLocation(op), ref_add, &text);
    const char *line = text.s != NULL ? strchr(text.s, ':') : NULL;
    buf_puts(out, p->path);
    if (line != NULL)
        buf_printf(out, "%.*s", (int)strcspn(line + 1, ":)") + 1, line);
    buf_free(&text);
}

static int program_refuse(const struct tensor_program *p, MlirOperation op, const char *what)
{
    struct buf place = {0};
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    add_place(p, op, &place);
    fail("%s: \"%.*s\" %s", place.s, (int)name.length, name.data, what);
    buf_free(&place);
    return -1;
}

static int is_supported(MlirOperation op)
{
    static const char *const dialects[] = {"arith.", "linalg.", "math.", "tensor.", "tosa."};
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const size_t n = strlen(dialects[i]);
        if (name.length > n && memcmp(name.data, dialects[i], n) == 0)
            return 1;
    }
    return ref_names(op, "func.return");
}

static int check_operations(const struct tensor_program *p, MlirBlock block)
{
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (!is_supported(op))
            return program_refuse(p, op, "is not one of arith, linalg, math, tensor and tosa");
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
            if (!mlirBlockIsNull(inner) && check_operations(p, inner) != 0)
                return -1;
        }
    }
    return 0;
}

/* -1 unless it is a tensor of f32 of known sizes, of no more dimensions than code takes */
static int take_type(MlirType type, struct engine_tensor *t)
{
    struct shape s;
    if (graph_shape(type, &s) != 0 || s.rank > ENGINE_RANK)
        return -1;
    t->rank = s.rank;
    for (int i = 0; i < s.rank; i++)
        t->size[i] = (long)s.size[i];
    return 0;
}

static int take_types(struct tensor_program *p, MlirOperation function, MlirBlock block)
{
    MlirOperation end = mlirBlockGetTerminator(block);
    const intptr_t n = mlirBlockGetNumArguments(block);
    int rc = n < 1 || n > ENGINE_INPUTS || mlirOperationGetNumOperands(end) != 1;
    for (intptr_t i = 0; rc == 0 && i < n; i++)
        rc = take_type(mlirValueGetType(mlirBlockGetArgument(block, i)), &p->type.in[i]);
    if (rc == 0)
        rc = take_type(mlirValueGetType(mlirOperationGetOperand(end, 0)), &p->type.out);
    p->type.n_in = (size_t)n;
    return rc == 0 ? 0
                   : program_refuse(p, function,
                                    "is not of one to three tensors of f32 to one, of up to four "
                                    "dimensions whose sizes are known");
}

static int check_function(struct tensor_program *p, const char *name)
{
    int n;
    MlirOperation function = parts_function(p->module, name, &n);
    if (n == 0)
        return name == NULL ? fail("%s: has no function", p->path)
                            : fail("%s: has no function \"%s\"", p->path, name);
    if (name == NULL && n > 1)
        return fail("%s: has %d functions: --function names one", p->path, n);
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    if (mlirBlockIsNull(block))
        return program_refuse(p, function, "has no body");
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return program_refuse(p, function, "has more than one block");
    const MlirStringRef its = name_of(function);
    p->function = xcalloc(its.length + 1, 1);
    memcpy(p->function, its.data, its.length);
    return take_types(p, function, block) != 0 ? -1 : check_operations(p, block);
}

/* ---- reading: preparing ---- */

/* Its code can be called from C, and leaves its inputs as they are. */
static void mark_function(const struct tensor_program *p)
{
    int n;
    struct buf text = {0};
    MlirContext context = p->engine->context;
    MlirOperation function = parts_function(p->module, p->function, &n);
    mlirOperationSetAttributeByName(function, ref_of("llvm.emit_c_interface"),
                                    mlirUnitAttrGet(context));
    buf_puts(&text, "[");
    for (size_t i = 0; i < p->type.n_in; i++)
        buf_printf(&text, "%s{bufferization.writable = false}", i > 0 ? ", " : "");
    buf_puts(&text, "]");
    mlirOperationSetAttributeByName(function, ref_of("arg_attrs"),
                                    mlirAttributeParseGet(context, ref_of(text.s)));
    buf_free(&text);
}

static size_t program_count(MlirBlock block)
{
    struct graph g;
    graph_make(&g, block);
    const size_t n = g.n_nodes;
    graph_free(&g);
    return n;
}

static int program_prepare(struct tensor_program *p, const char *function)
{
    struct buf text = {0};
    if (read_text(p->path, (size_t)1 << 28, &text) != 0)
        return -1;
    p->module = engine_parse(p->engine, p->path, text.s, text.n);
    buf_free(&text);
    if (mlirModuleIsNull(p->module) || check_function(p, function) != 0)
        return -1;
    mark_function(p);
    if (engine_passes(p->engine, p->module, to_linalg) != 0 || parts_simplify(p, p->module) != 0)
        return fail("%s: cannot be simplified", p->path);
    p->n = program_count(parts_block(p->module, p->function));
    return p->n > 0 ? 0 : fail("%s: %s has no operation to be edited", p->path, p->function);
}

int tensor_open(struct tensor_program **out, struct engine *e, const char *path,
                const char *function)
{
    struct tensor_program *p = xcalloc(1, sizeof *p);
    p->path = xstrdup(path);
    p->engine = e;
    *out = NULL;
    if (program_prepare(p, function) != 0) {
        tensor_close(p);
        return -1;
    }
    *out = p;
    return 0;
}

void tensor_close(struct tensor_program *p)
{
    if (p == NULL)
        return;
    while (p->n_codes > 0)
        tensor_forget(p);
    parts_free_code(&p->idle);
    free(p->code);
    if (!mlirModuleIsNull(p->module))
        mlirModuleDestroy(p->module);
    free(p->function);
    free(p->path);
    free(p);
}

const char *tensor_function(const struct tensor_program *p)
{
    return p->function;
}

void tensor_hash(const struct tensor_program *p, char hex[65])
{
    struct buf text = {0};
    mlirOperationPrint(mlirModuleGetOperation(p->module), ref_add, &text);
    sha256_hex(text.s, text.n, hex);
    buf_free(&text);
}

/* ---- making: a clone that is edited ---- */

int tensor_applies(void *self, const struct edits *list)
{
    struct draft t;
    draft_begin(&t, self);
    const int applies = rewrites_do_all(&t.graph, list) == 0;
    draft_end(&t);
    return applies;
}

/* Verified and simplified, with the list; the graph is gone. Null with why not */
static MlirModule edited(struct tensor_program *p, const struct edits *list, enum outcome *why)
{
    struct draft t;
    draft_begin(&t, p);
    *why = rewrites_do_all(&t.graph, list) == 0 ? OUTCOME_VALID : OUTCOME_INAPPLICABLE;
    p->engine->is_quiet = 1;
    if (*why == OUTCOME_VALID && !mlirOperationVerify(mlirModuleGetOperation(t.module)))
        *why = OUTCOME_REJECTED;
    if (*why == OUTCOME_VALID && parts_simplify(p, t.module) != 0)
        *why = OUTCOME_UNCOMPILED;
    p->engine->is_quiet = 0;
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
    mlirOperationPrint(mlirModuleGetOperation(module), ref_add, text);
    mlirModuleDestroy(module);
    return 0;
}

int tensor_lower(struct tensor_program *p, const struct edits *list, const char *name,
                 struct buf *text, uint64_t *room)
{
    enum outcome why;
    int n;
    MlirModule module = edited(p, list, &why);
    if (mlirModuleIsNull(module))
        return fail("%s: a list of edits is %s", p->path, outcome_names[why]);
    mlirOperationSetAttributeByName(parts_function(module, p->function, &n), ref_of("sym_name"),
                                    mlirStringAttrGet(p->engine->context, ref_of(name)));
    const int rc = engine_lower(p->engine, p->path, module, room);
    if (rc == 0)
        mlirOperationPrint(mlirModuleGetOperation(module), ref_add, text);
    mlirModuleDestroy(module);
    return rc;
}

static struct engine_code *compile_edited(struct tensor_program *p, const struct edits *list,
                                          enum outcome *why)
{
    struct engine_code *code = NULL;
    MlirModule module = edited(p, list, why);
    if (mlirModuleIsNull(module))
        return NULL;
    p->engine->is_quiet = 1;
    if (engine_build(p->engine, p->path, module, p->function, &code) != 0)
        *why = OUTCOME_UNCOMPILED;
    p->engine->is_quiet = 0;
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
        c = (struct parts_code){compile_edited(p, list, why), {NULL, 0, 0}};
        if (c.code == NULL)
            return NULL;
        edits_copy(&c.list, list);
    }
    *why = OUTCOME_VALID;
    p->code = xgrow(p->code, p->n_codes, &p->cap_codes, sizeof *p->code);
    p->code[p->n_codes++] = c;
    return c.code->entry;
}

void tensor_forget(void *self)
{
    struct tensor_program *p = self;
    if (p->n_codes == 0)
        return;
    parts_free_code(&p->idle);
    p->idle = p->code[--p->n_codes];
}
