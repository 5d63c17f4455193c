/* engine.c - machine code of an MLIR module
   SPDX-License-Identifier: MIT

   tensor.h and parts.h declare it. */
#include "memory.h"
#include "parts.h"

#include "base/util.h"

#include <fcntl.h>
#include <llvm-c/Support.h>
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/Pass.h>
#include <mlir-c/RegisterEverything.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- texts ---- */

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

/* ---- how much memory a module takes for its tensors ---- */

/* Of numbers of f64, index, f32 or of n bits; no other ones come here. */
static uint64_t bytes_of(MlirType type)
{
    MlirType one = mlirShapedTypeGetElementType(type);
    uint64_t bytes = mlirTypeIsAInteger(one) ? (mlirIntegerTypeGetWidth(one) + 7) / 8
                     : mlirTypeIsAF64(one) || mlirTypeIsAIndex(one) ? 8
                                                                    : 4;
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
        bytes *= (uint64_t)mlirShapedTypeGetDimSize(type, i);
    return memory_rounded(bytes);
}

/* Bytes of a memory.h arena for one call: the sum of what memref.alloc asks for, of known sizes,
   each as often as it stands there */
static uint64_t room_of(MlirBlock block)
{
    uint64_t sum = 0;
    MlirOperation op = mlirBlockGetFirstOperation(block);
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (ref_names(op, "memref.alloc"))
            sum += bytes_of(mlirValueGetType(mlirOperationGetResult(op, 0)));
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
            for (; !mlirBlockIsNull(inner); inner = mlirBlockGetNextInRegion(inner))
                sum += room_of(inner);
        }
    }
    return sum;
}

/* ---- the order in which loops run ---- */

enum { LOOPS = 16, TENSORS = 16 };

struct nest { /* of an operation: what its attributes say */
    MlirContext context;
    intptr_t n, n_maps;
    MlirAttribute kind[LOOPS], map[TENSORS];
};

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
    MlirAttribute parallel =
        mlirAttributeParseGet(n->context, ref_of("#linalg.iterator_type<parallel>"));
    while (loop >= 0 && !mlirAttributeEqual(n->kind[loop], parallel))
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
        MlirBlock inner = ref_names(op, "func.func")
                              ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))
                              : (MlirBlock){NULL};
        if (!mlirBlockIsNull(inner))
            order_block(inner);
    }
}

void loops_order(MlirModule module)
{
    order_block(mlirModuleGetBody(module));
}

/* ---- the engine ---- */

/* MLIR's descriptor of a tensor in memory: sizes, then strides, both of its rank */
struct descriptor {
    float *base, *at;
    int64_t offset, more[2 * ENGINE_RANK];
};

/* ---- what compiled code calls ---- */

static struct memory arena;
static jmp_buf without_room; /* compiled code has nothing to clean up */

static void *engine_take(uint64_t alignment, uint64_t bytes)
{
    void *at = memory_take(&arena, bytes);
    (void)alignment;
    if (at == NULL)
        longjmp(without_room, 1);
    return at;
}

static void offer(MlirExecutionEngine engine)
{
    void *(*const take_it)(uint64_t, uint64_t) = engine_take;
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
static MlirLogicalResult engine_tell(MlirDiagnostic diagnostic, void *user)
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
    mlirContextAttachDiagnosticHandler(e->context, engine_tell, e, NULL);
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

static int engine_say(const struct engine *e, const char *path, const char *what)
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
        return engine_say(e, path, "LLVM makes no code of it");
    offer(code->engine);
    buf_printf(&name, "_mlir_ciface_%s", function);
    void *at = mlirExecutionEngineLookup(code->engine, ref_of(name.s));
    buf_free(&name);
    memcpy(&code->entry, &at, sizeof at);
    if (at != NULL)
        return 0;
    mlirExecutionEngineDestroy(code->engine);
    return engine_say(e, path, "there is no such function with llvm.emit_c_interface");
}

int engine_lower(struct engine *e, const char *path, MlirModule module, uint64_t *room)
{
    e->path = path;
    if (engine_passes(e, module, to_buffers) != 0)
        return -1;
    loops_order(module);
    *room = room_of(mlirModuleGetBody(module));
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
