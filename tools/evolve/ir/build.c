/* build.c - the module of a list of edits, and its machine code
   SPDX-License-Identifier: MIT

   module.h and ir.h declare it. */
#include "body.h"
#include "evolve/ir/ir.h"
#include "module.h"
#include "operators.h"

#include <llvm-c/Analysis.h>
#include <stdlib.h>

/* 0, or why not */
static enum outcome edit_and_optimise(struct ir *ir, LLVMModuleRef module, const struct edits *list,
                                      const struct ir_passes *passes)
{
    struct body body;
    if (list != NULL && list->n > 0) {
        body_make(&body, LLVMGetNamedFunction(module, ir->function), &ir->flow);
        const int applies = operators_do_all(&body, list, ir->edit_barriers);
        body_free(&body);
        if (!applies)
            return OUTCOME_INAPPLICABLE;
        if (LLVMVerifyModule(module, LLVMReturnStatusAction, NULL))
            return OUTCOME_REJECTED;
    }
    return passes_run(module, ir->machine, passes) == 0 ? OUTCOME_VALID : OUTCOME_UNCOMPILED;
}

LLVMModuleRef build_module(struct ir *ir, const struct edits *list, const struct ir_passes *passes,
                           enum outcome *why)
{
    LLVMModuleRef module = LLVMCloneModule(ir->module);
    *why = edit_and_optimise(ir, module, list, passes);
    if (*why == OUTCOME_VALID)
        return module;
    LLVMDisposeModule(module);
    return NULL;
}
