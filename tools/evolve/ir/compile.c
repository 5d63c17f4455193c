/* compile.c - machine code of a list of edits, in this process
   SPDX-License-Identifier: MIT

   ir.h declares it. The object is made by the target machine as for a file, and linked at once:
   nothing is left to be resolved, or to be allocated, when the code runs. */
#include "base/util.h"
#include "module.h"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <string.h>

/* ---- a place for code ---- */

static int failed(LLVMErrorRef error)
{
    if (error != NULL)
        LLVMConsumeError(error);
    return error != NULL;
}

/* What the code calls is searched in this process. */
static int offer_process(LLVMOrcLLJITRef jit)
{
    LLVMOrcDefinitionGeneratorRef generator;
    if (failed(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            &generator, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL)))
        return -1;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), generator);
    return 0;
}

static void ignore_error(void *user, LLVMErrorRef error)
{
    (void)user;
    LLVMConsumeError(error);
}

static LLVMOrcLLJITRef make_jit(void)
{
    LLVMOrcLLJITRef jit;
    if (failed(LLVMOrcCreateLLJIT(&jit, NULL)))
        return NULL;
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit), ignore_error,
                                            NULL);
    if (offer_process(jit) == 0)
        return jit;
    failed(LLVMOrcDisposeLLJIT(jit));
    return NULL;
}

static ev_kernel *address(LLVMOrcLLJITRef jit, LLVMMemoryBufferRef object, const char *name)
{
    LLVMOrcExecutorAddress at;
    ev_kernel *kernel = NULL;
    if (failed(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), object))
        || failed(LLVMOrcLLJITLookup(jit, &at, name)))
        return NULL;
    const uintptr_t bits = (uintptr_t)at;
    memcpy(&kernel, &bits, sizeof kernel);
    return kernel;
}

/* ---- code ---- */

static LLVMMemoryBufferRef object_of(struct ir *ir, const struct edits *list, enum outcome *why)
{
    LLVMMemoryBufferRef object = NULL;
    char *error = NULL;
    const int n_errors = ir->n_errors;
    LLVMModuleRef module = build_module(ir, list, why);
    if (module == NULL)
        return NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(ir->machine, module, LLVMObjectFile, &error, &object)) {
        LLVMDisposeMessage(error);
        object = NULL;
    }
    LLVMDisposeModule(module);
    if (object == NULL || ir->n_errors == n_errors)
        return object;
    LLVMDisposeMemoryBuffer(object);
    return NULL;
}

ev_kernel *ir_compile(void *self, const struct edits *list, enum outcome *why)
{
    struct ir *ir = self;
    *why = OUTCOME_UNCOMPILED;
    if (!ir->is_host)
        return NULL;
    LLVMMemoryBufferRef object = object_of(ir, list, why);
    if (object == NULL) {
        *why = *why == OUTCOME_VALID ? OUTCOME_UNCOMPILED : *why;
        return NULL;
    }
    LLVMOrcLLJITRef jit = make_jit();
    ev_kernel *kernel = jit == NULL ? NULL : address(jit, object, ir->function);
    *why = kernel == NULL ? OUTCOME_UNCOMPILED : OUTCOME_VALID;
    return kernel;
}
