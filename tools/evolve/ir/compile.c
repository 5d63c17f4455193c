/* compile.c - machine code of a list of edits, in this process
   SPDX-License-Identifier: MIT

   ir.h declares it. The object is made by the target machine as for a file, and linked at once:
   nothing is left to be resolved, or to be allocated, when the code runs. */
#include "base/util.h"
#include "jit.h"
#include "module.h"

/* NULL with an outcome */
static LLVMMemoryBufferRef object_of(struct ir *ir, const struct edits *list,
                                     const struct ir_passes *passes, LLVMTargetMachineRef machine,
                                     enum outcome *why)
{
    LLVMMemoryBufferRef object = NULL;
    char *error = NULL;
    const int n_errors = ir->n_errors;
    LLVMModuleRef module = build_module(ir, list, passes, why);
    if (module == NULL)
        return NULL;
    const int is_wrong =
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object)
        || ir->n_errors != n_errors;
    LLVMDisposeMessage(error);
    LLVMDisposeModule(module);
    *why = is_wrong ? OUTCOME_UNCOMPILED : OUTCOME_VALID;
    return is_wrong ? NULL : object;
}

static ev_kernel *compile(struct ir *ir, const struct edits *list, const struct ir_passes *passes,
                          LLVMTargetMachineRef machine, enum outcome *why)
{
    *why = OUTCOME_UNCOMPILED;
    jit_keep(); /* if nothing comes of this list, there is nothing to forget */
    if (!ir->is_host)
        return NULL;
    LLVMMemoryBufferRef object = object_of(ir, list, passes, machine, why);
    ev_kernel *kernel = object == NULL ? NULL : jit_link(object, ir->function);
    if (kernel == NULL && *why == OUTCOME_VALID)
        *why = OUTCOME_UNCOMPILED;
    return kernel;
}

ev_kernel *ir_compile(void *self, const struct edits *list, enum outcome *why)
{
    struct ir *ir = self;
    return compile(ir, list, &ir->passes, ir->machine, why);
}

ev_kernel *ir_compile_soon(void *self, const struct edits *list, enum outcome *why)
{
    struct ir *ir = self;
    return compile(ir, list, &ir_unoptimised, ir->quick, why);
}

void ir_forget(void *self)
{
    (void)self;
    jit_forget();
}

const char *ir_why(const struct ir *ir)
{
    return *jit_error() != '\0' ? jit_error() : ir->error != NULL ? ir->error : "";
}
