/* engine.c - machine code of an MLIR module
   SPDX-License-Identifier: MIT

   engine.h declares it. */
#include "engine.h"

#include "loops.h"
#include "memory.h"
#include "ref.h"
#include "room.h"

#include "base/util.h"

#include <fcntl.h>
#include <llvm-c/Support.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MLIR's descriptor of a tensor in memory: sizes, then strides, both of its rank */
struct descriptor {
    float *base, *at;
    int64_t offset, more[2 * ENGINE_RANK];
};

struct engine {
    MlirContext context;
    const char *path; /* of the module at hand */
    int is_quiet;
};

struct engine_code {
    MlirExecutionEngine engine;
    ev_kernel *entry;
};

/* ---- what compiled code calls ---- */

static struct memory arena;
static jmp_buf without_room; /* compiled code has nothing to clean up */

static void *take(uint64_t alignment, uint64_t bytes)
{
    void *at = memory_take(&arena, bytes);
    (void)alignment;
    if (at == NULL)
        longjmp(without_room, 1);
    return at;
}

static void offer(MlirExecutionEngine engine)
{
    void *(*const take_it)(uint64_t, uint64_t) = take;
    void (*const copy_it)(int64_t, const struct memory_ref *, const struct memory_ref *) =
        memory_copy;
    void *at;
    memcpy(&at, &take_it, sizeof at);
    mlirExecutionEngineRegisterSymbol(engine, ref_of(ENGINE_TAKE), at);
    memcpy(&at, &copy_it, sizeof at);
    mlirExecutionEngineRegisterSymbol(engine, ref_of(ENGINE_COPY), at);
}

/* ---- messages ---- */

/* "-":12:3 in MLIR's place becomes FILE:12:3 in ours. */
static MlirLogicalResult tell(MlirDiagnostic diagnostic, void *user)
{
    const struct engine *e = user;
    struct buf where = {0}, what = {0};
    if (e->is_quiet || mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
        return mlirLogicalResultSuccess();
    mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), ref_add, &where);
    mlirDiagnosticPrint(diagnostic, ref_add, &what);
    const char *line = where.s != NULL ? strchr(where.s, ':') : NULL;
    const size_t n = line != NULL ? strcspn(line, ")") : 0;
    fail("%s%.*s: %s", e->path, (int)n, line != NULL ? line : "", what.s);
    buf_free(&where);
    buf_free(&what);
    return mlirLogicalResultSuccess();
}

/* ---- compiling ---- */

static const char to_buffers[] =
    "builtin.module(func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops),"
    "canonicalize,cse,func.func(empty-tensor-to-alloc-tensor),"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs=1 "
    "create-deallocs=0},buffer-results-to-out-params)";

static const char to_code[] = "builtin.module(func.func(convert-linalg-to-loops),convert-scf-to-cf,"
                              "expand-strided-metadata,lower-affine,convert-math-to-llvm,"
                              "convert-math-to-libm,convert-memref-to-llvm{use-aligned-alloc=1},"
                              "convert-arith-to-llvm,convert-func-to-llvm,"
                              "convert-cf-to-llvm,reconcile-unrealized-casts)";

/* The first engine that MLIR makes opens a file for perf in the user's home, writes to its number
   what is compiled, and has no option against it. LLVM does without, and says so on standard error,
   where it cannot make the folder. */
static void make_first_engine(MlirContext context)
{
    const int errors = dup(2), null = open("/dev/null", O_WRONLY);
    const char *folder = getenv("JITDUMPDIR");
    char *before = folder != NULL ? xstrdup(folder) : NULL;
    MlirModule empty = mlirModuleCreateEmpty(mlirLocationUnknownGet(context));
    setenv("JITDUMPDIR", "/dev/null", 1);
    dup2(null, 2);
    mlirExecutionEngineDestroy(mlirExecutionEngineCreate(empty, 0, 0, NULL, false));
    dup2(errors, 2);
    if (before != NULL)
        setenv("JITDUMPDIR", before, 1);
    else
        unsetenv("JITDUMPDIR");
    mlirModuleDestroy(empty);
    close(errors);
    close(null);
    free(before);
}

/* What is MLIR's for as long as the process */
static void begin_process(MlirContext context)
{
    static const char *const options[] = {"kpred", ENGINE_UNROLL};
    if (arena.at != NULL)
        return;
    unsigned char *room = xmalloc(ENGINE_ARENA + MEMORY_ALIGNED);
    arena.at = room + (MEMORY_ALIGNED - (uintptr_t)room % MEMORY_ALIGNED);
    arena.size = ENGINE_ARENA;
    mlirRegisterAllPasses();
    LLVMParseCommandLineOptions(2, options, NULL);
    make_first_engine(context);
}

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
    begin_process(e->context);
    mlirContextAttachDiagnosticHandler(e->context, tell, e, NULL);
    e->path = "";
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

MlirContext engine_context(const struct engine *e)
{
    return e->context;
}

void engine_hush(struct engine *e, int is_quiet)
{
    e->is_quiet = is_quiet;
}

MlirModule engine_parse(struct engine *e, const char *path, const char *text, size_t n)
{
    e->path = path;
    return mlirModuleCreateParse(e->context, mlirStringRefCreate(text, n));
}

int engine_passes(struct engine *e, MlirModule module, const char *passes)
{
    MlirPassManager manager = mlirPassManagerCreate(e->context);
    MlirOpPassManager of_all = mlirPassManagerGetAsOpPassManager(manager);
    const int rc =
        mlirLogicalResultIsSuccess(mlirParsePassPipeline(of_all, ref_of(passes), NULL, NULL))
                && mlirLogicalResultIsSuccess(mlirPassManagerRun(manager, module))
            ? 0
            : -1;
    mlirPassManagerDestroy(manager);
    return rc;
}

static int say(const struct engine *e, const char *path, const char *what)
{
    return e->is_quiet ? -1 : fail("%s: %s", path, what);
}

/* The engine has the module's code; the module itself is not needed any more. */
static int link_code(const struct engine *e, const char *path, MlirModule module,
                     const char *function, struct engine_code *code)
{
    struct buf name = {0};
    code->engine = mlirExecutionEngineCreate(module, 3, 0, NULL, false);
    if (mlirExecutionEngineIsNull(code->engine))
        return say(e, path, "LLVM makes no code of it");
    offer(code->engine);
    buf_printf(&name, "_mlir_ciface_%s", function);
    void *at = mlirExecutionEngineLookup(code->engine, ref_of(name.s));
    buf_free(&name);
    memcpy(&code->entry, &at, sizeof at);
    if (at != NULL)
        return 0;
    mlirExecutionEngineDestroy(code->engine);
    return say(e, path, "there is no such function with llvm.emit_c_interface");
}

int engine_lower(struct engine *e, const char *path, MlirModule module, uint64_t *room)
{
    e->path = path;
    if (engine_passes(e, module, to_buffers) != 0)
        return -1;
    loops_order(module);
    *room = room_of(module);
    return engine_passes(e, module, to_code);
}

int engine_build(struct engine *e, const char *path, MlirModule module, const char *function,
                 struct engine_code **out)
{
    uint64_t room;
    *out = NULL;
    if (engine_lower(e, path, module, &room) != 0)
        return -1;
    struct engine_code *code = xcalloc(1, sizeof *code);
    if (link_code(e, path, module, function, code) != 0) {
        free(code);
        return -1;
    }
    *out = code;
    return 0;
}

ev_kernel *engine_entry(const struct engine_code *code)
{
    return code->entry;
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

typedef void of_one(struct descriptor *a, struct descriptor *out);
typedef void of_two(struct descriptor *a, struct descriptor *b, struct descriptor *out);
typedef void of_three(struct descriptor *a, struct descriptor *b, struct descriptor *c,
                      struct descriptor *out);

static engine_caller *caller;

void engine_call_by(engine_caller *by)
{
    caller = by;
}

int engine_run(ev_kernel *entry, const struct engine_tensor *in, size_t n_in,
               const struct engine_tensor *out)
{
    struct descriptor d[ENGINE_INPUTS], to = describe(out);
    for (size_t i = 0; i < n_in; i++)
        d[i] = describe(&in[i]);
    arena.taken = 0;
    if (caller != NULL)
        return caller(entry, in, n_in, out);
    if (setjmp(without_room) != 0)
        return -1;
    switch (n_in) {
    case 1: ((of_one *)entry)(&d[0], &to); break;
    case 2: ((of_two *)entry)(&d[0], &d[1], &to); break;
    default: ((of_three *)entry)(&d[0], &d[1], &d[2], &to); break;
    }
    return 0;
}

int engine_tell_full(const char *path)
{
    return fail("%s: needs more than %d MB for its tensors: a smaller batch takes less", path,
                ENGINE_ARENA >> 20);
}
