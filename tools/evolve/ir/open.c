/* open.c - a kernel from its source to the module that a search starts from
   SPDX-License-Identifier: MIT

   ir.h declares it. */
#include "base/util.h"
#include "module.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_debugging(LLVMValueRef v)
{
    size_t n;
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v)))
        return 0;
    return strncmp(LLVMGetValueName2(LLVMGetCalledValue(v), &n), "llvm.dbg.", 9) == 0;
}

static LLVMValueRef next_of(LLVMValueRef v)
{
    while (v != NULL && is_debugging(v))
        v = LLVMGetNextInstruction(v);
    return v;
}

/* A report shows instructions before and after an edit: numbers that are counted would change. */
static void name_it(LLVMValueRef v, size_t id)
{
    size_t n;
    char name[32];
    LLVMGetValueName2(v, &n);
    if (n > 0 || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind)
        return;
    snprintf(name, sizeof name, "v%zu", id);
    LLVMSetValueName2(v, name, strlen(name));
}

static void number(struct ir *ir)
{
    size_t cap = 0;
    LLVMBasicBlockRef block =
        LLVMGetFirstBasicBlock(LLVMGetNamedFunction(ir->module, ir->function));
    for (; block != NULL; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef v = next_of(LLVMGetFirstInstruction(block));
        for (; v != NULL; v = next_of(LLVMGetNextInstruction(v))) {
            ir->line = xgrow(ir->line, ir->n, &cap, sizeof *ir->line);
            ir->line[ir->n++] = (int)LLVMGetDebugLocLine(v);
            name_it(v, ir->n);
        }
    }
}

/* Errors of candidates are only counted; without a handler LLVM would end the process. */
static void count_error(LLVMDiagnosticInfoRef info, void *user)
{
    struct ir *ir = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    LLVMDisposeMessage(ir->error);
    ir->error = LLVMGetDiagInfoDescription(info);
    ir->n_errors++;
}

static void drop_metadata(LLVMValueRef v)
{
    size_t n;
    LLVMValueMetadataEntry *all = LLVMInstructionGetAllMetadataOtherThanDebugLoc(v, &n);
    for (unsigned i = 0; i < n; i++)
        LLVMSetMetadata(v, LLVMValueMetadataEntriesGetKind(all, i), NULL);
    LLVMDisposeValueMetadataEntries(all);
}

/* A clone for questions, which are asked by the thousand: without the metadata of instructions, as
   what of these is cloned stays in memory until the end. */
static LLVMModuleRef sketch_of(LLVMModuleRef module)
{
    LLVMModuleRef sketch = LLVMCloneModule(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(sketch); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                drop_metadata(v);
    return sketch;
}

/* The same kernel has the same hash in another folder. */
static void forget_paths(struct ir *ir)
{
    const char *name = base_name(ir->path);
    LLVMSetModuleIdentifier(ir->module, name, strlen(name));
    LLVMSetSourceFileName(ir->module, name, strlen(name));
}

/* Where LLVM gives up it ends the process. A child shall do this without a word. */
static pid_t first_process;

static void give_up(const char *reason)
{
    if (getpid() != first_process)
        raise(SIGKILL);
    fail("LLVM gives up: %s", reason);
    exit(1);
}

static void begin_process(void)
{
    if (first_process != 0)
        return;
    first_process = getpid();
    LLVMInstallFatalErrorHandler(give_up);
}

static int fill(struct ir *ir, const struct ir_source *source)
{
    if (target_make(ir, source) != 0 || source_read(ir, source) != 0)
        return -1;
    if (passes_run(ir->module, ir->machine, &ir->passes) != 0 || ir->n_errors > 0)
        return fail("%s: the passes of %s failed", ir->path, ir->passes.name);
    number(ir);
    LLVMStripModuleDebugInfo(ir->module);
    forget_paths(ir);
    ir->sketch = sketch_of(ir->module);
    flow_make(&ir->flow, LLVMGetNamedFunction(ir->module, ir->function));
    return 0;
}

int ir_open(struct ir **out, const struct ir_source *source, const struct ir_passes *passes)
{
    struct ir *ir = xcalloc(1, sizeof *ir);
    begin_process();
    ir->path = xstrdup(source->path);
    ir->function = xstrdup(source->function);
    ir->passes = *passes;
    ir->edit_barriers = source->edit_barriers;
    ir->is_host = source->target == NULL;
    ir->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(ir->context, count_error, ir);
    if (fill(ir, source) == 0) {
        *out = ir;
        return 0;
    }
    ir_close(ir);
    return -1;
}

void ir_close(struct ir *ir)
{
    if (ir == NULL)
        return;
    if (ir->sketch != NULL)
        LLVMDisposeModule(ir->sketch);
    if (ir->module != NULL)
        LLVMDisposeModule(ir->module);
    if (ir->machine != NULL)
        LLVMDisposeTargetMachine(ir->machine);
    if (ir->quick != NULL)
        LLVMDisposeTargetMachine(ir->quick);
    LLVMContextDispose(ir->context);
    flow_free(&ir->flow);
    LLVMDisposeMessage(ir->error);
    free(ir->line);
    free(ir->path);
    free(ir->function);
    free(ir);
}

size_t ir_size(const struct ir *ir)
{
    return ir->n;
}

void ir_hash(const struct ir *ir, char hex[65])
{
    char *text = LLVMPrintModuleToString(ir->module);
    sha256_hex(text, strlen(text), hex);
    LLVMDisposeMessage(text);
}
