/* engine.c - machine code of an MLIR module
   SPDX-License-Identifier: MIT

   engine.h declares it. */
#include "engine.h"

#include "base/util.h"

#ifndef HAVE_MLIR

static int without_mlir(void)
{
    return fail_without("a module", "MLIR", "libmlir-16-dev");
}

int engine_open(struct engine **e)
{
    *e = NULL;
    return without_mlir();
}

void engine_close(struct engine *e)
{
    (void)e;
}

int engine_compile(struct engine *e, const char *path, const char *text, size_t n,
                   const char *function, struct engine_code **code)
{
    (void)e, (void)path, (void)text, (void)n, (void)function, (void)code;
    return without_mlir();
}

int engine_call(const struct engine_code *code, const struct engine_tensor *in,
                const struct engine_tensor *out)
{
    (void)code, (void)in, (void)out;
    return without_mlir();
}

void engine_free(struct engine_code *code)
{
    (void)code;
}

#else

#include <mlir-c/Diagnostics.h>
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* MLIR's descriptor of a tensor in memory: sizes, then strides, both of its rank */
struct descriptor {
    float *base, *at;
    int64_t offset, more[2 * ENGINE_MOST_RANK];
};

typedef void entry(struct descriptor *in, struct descriptor *out);

struct engine {
    MlirContext context;
    const char *path; /* of the module at hand */
};

struct engine_code {
    MlirExecutionEngine engine;
    entry *call;
};

/* ---- what compiled code calls ---- */

static unsigned char *arena;
static size_t taken;
static jmp_buf without_room; /* compiled code has nothing to clean up */

static void *take(uint64_t bytes)
{
    unsigned char *at = arena + taken;
    if (bytes > ENGINE_ARENA - taken)
        longjmp(without_room, 1);
    taken += (bytes + 63) / 64 * 64;
    return at;
}

static void leave(void *at)
{
    (void)at;
}

struct unranked {
    int64_t rank;
    struct descriptor *to;
};

/* All elements of `from`, whose strides may be any, to `to`: dimension d and those behind it */
static void copy_from(const struct unranked *from, const struct unranked *to, int64_t d,
                      int64_t at_from, int64_t at_to, int64_t bytes)
{
    const struct descriptor *f = from->to, *t = to->to;
    if (d == from->rank) {
        memcpy((char *)t->at + at_to * bytes, (char *)f->at + at_from * bytes, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < f->more[d]; i++)
        copy_from(from, to, d + 1, at_from + i * f->more[from->rank + d],
                  at_to + i * t->more[to->rank + d], bytes);
}

static void copy(int64_t bytes, struct unranked *from, struct unranked *to)
{
    copy_from(from, to, 0, from->to->offset, to->to->offset, bytes);
}

static MlirStringRef words(const char *s)
{
    return mlirStringRefCreateFromCString(s);
}

static void offer(MlirExecutionEngine engine)
{
    void *(*const take_it)(uint64_t) = take;
    void (*const leave_it)(void *) = leave;
    void (*const copy_it)(int64_t, struct unranked *, struct unranked *) = copy;
    void *at;
    memcpy(&at, &take_it, sizeof at);
    mlirExecutionEngineRegisterSymbol(engine, words("malloc"), at);
    memcpy(&at, &leave_it, sizeof at);
    mlirExecutionEngineRegisterSymbol(engine, words("free"), at);
    memcpy(&at, &copy_it, sizeof at);
    mlirExecutionEngineRegisterSymbol(engine, words("memrefCopy"), at);
}

/* ---- messages ---- */

static void add_text(MlirStringRef text, void *user)
{
    buf_add(user, text.data, text.length);
}

/* "-":12:3 in MLIR's place becomes FILE:12:3 in ours. */
static MlirLogicalResult tell(MlirDiagnostic diagnostic, void *user)
{
    const struct engine *e = user;
    struct buf where = {0}, what = {0};
    if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
        return mlirLogicalResultSuccess();
    mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), add_text, &where);
    mlirDiagnosticPrint(diagnostic, add_text, &what);
    const char *line = where.s != NULL ? strchr(where.s, ':') : NULL;
    const size_t n = line != NULL ? strcspn(line, ")") : 0;
    fail("%s%.*s: %s", e->path, (int)n, line != NULL ? line : "", what.s);
    buf_free(&where);
    buf_free(&what);
    return mlirLogicalResultSuccess();
}

/* ---- compiling ---- */

static const char passes[] =
    "builtin.module(func.func(empty-tensor-to-alloc-tensor),"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs=1 "
    "create-deallocs=0},buffer-results-to-out-params,func.func(convert-linalg-to-loops),"
    "convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-memref-to-llvm,"
    "convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)";

int engine_open(struct engine **out)
{
    struct engine *e = xcalloc(1, sizeof *e);
    MlirDialectRegistry all = mlirDialectRegistryCreate();
    mlirRegisterAllDialects(all);
    e->context = mlirContextCreate();
    mlirContextEnableMultithreading(e->context, false);
    mlirContextAppendDialectRegistry(e->context, all);
    mlirDialectRegistryDestroy(all);
    mlirContextLoadAllAvailableDialects(e->context);
    mlirRegisterAllLLVMTranslations(e->context);
    mlirRegisterAllPasses();
    mlirContextAttachDiagnosticHandler(e->context, tell, e, NULL);
    arena = arena != NULL ? arena : xmalloc(ENGINE_ARENA);
    *out = e;
    return 0;
}

void engine_close(struct engine *e)
{
    if (e == NULL)
        return;
    mlirContextDestroy(e->context);
    free(e);
}

static int lower(const struct engine *e, MlirModule module)
{
    MlirPassManager manager = mlirPassManagerCreate(e->context);
    MlirOpPassManager of_all = mlirPassManagerGetAsOpPassManager(manager);
    const int rc =
        mlirLogicalResultIsSuccess(mlirParsePassPipeline(of_all, words(passes), NULL, NULL))
                && mlirLogicalResultIsSuccess(mlirPassManagerRun(manager, module))
            ? 0
            : -1;
    mlirPassManagerDestroy(manager);
    return rc;
}

/* The engine has the module's code; the module itself is not needed any more. */
static int link_code(MlirModule module, const char *path, const char *function,
                     struct engine_code *code)
{
    struct buf name = {0};
    code->engine = mlirExecutionEngineCreate(module, 3, 0, NULL, false);
    if (mlirExecutionEngineIsNull(code->engine))
        return fail("%s: LLVM makes no code of it", path);
    offer(code->engine);
    buf_printf(&name, "_mlir_ciface_%s", function);
    void *at = mlirExecutionEngineLookup(code->engine, words(name.s));
    buf_free(&name);
    memcpy(&code->call, &at, sizeof at);
    if (at != NULL)
        return 0;
    mlirExecutionEngineDestroy(code->engine);
    return fail("%s: there is no function \"%s\" with llvm.emit_c_interface", path, function);
}

int engine_compile(struct engine *e, const char *path, const char *text, size_t n,
                   const char *function, struct engine_code **out)
{
    e->path = path;
    MlirModule module = mlirModuleCreateParse(e->context, mlirStringRefCreate(text, n));
    if (mlirModuleIsNull(module))
        return -1;
    struct engine_code *code = xcalloc(1, sizeof *code);
    int rc = lower(e, module);
    if (rc == 0)
        rc = link_code(module, path, function, code);
    mlirModuleDestroy(module);
    *out = rc == 0 ? code : NULL;
    if (rc != 0)
        free(code);
    return rc;
}

void engine_free(struct engine_code *code)
{
    if (code == NULL)
        return;
    mlirExecutionEngineDestroy(code->engine);
    free(code);
}

/* ---- calling ---- */

static struct descriptor describe(const struct engine_tensor *t)
{
    struct descriptor d = {.base = t->at, .at = t->at};
    int64_t stride = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        d.more[i] = t->size[i];
        d.more[t->rank + i] = stride;
        stride *= t->size[i];
    }
    return d;
}

int engine_call(const struct engine_code *code, const struct engine_tensor *in,
                const struct engine_tensor *out)
{
    struct descriptor from = describe(in), to = describe(out);
    taken = 0;
    if (setjmp(without_room) != 0)
        return fail("the module needs more than %d MB for its tensors: a smaller batch takes less",
                    ENGINE_ARENA >> 20);
    code->call(&from, &to);
    return 0;
}

#endif
