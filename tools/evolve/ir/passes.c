/* passes.c - LLVM's passes as clang runs them
   SPDX-License-Identifier: MIT

   module.h declares it. */
#include "base/util.h"
#include "module.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

const struct ir_passes ir_baselines[IR_BASELINES] = {
    {"O2", 2, 0, 1},        {"O2-scalar", 2, 0, 0}, {"O3", 3, 0, 1},
    {"O3-scalar", 3, 0, 0}, {"O3-native", 3, 1, 1}, {"O3-native-scalar", 3, 1, 0},
};
const struct ir_passes ir_unoptimised = {"O0", 0, 0, 0};

int passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct ir_passes *passes)
{
    if (passes->level == 0)
        return 0;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, passes->vectorises);
    LLVMPassBuilderOptionsSetLoopVectorization(options, passes->vectorises);
    LLVMPassBuilderOptionsSetSLPVectorization(options, passes->vectorises);
    const char *text = passes->level == 2 ? "default<O2>" : "default<O3>";
    LLVMErrorRef error = LLVMRunPasses(module, text, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return 0;
    char *message = LLVMGetErrorMessage(error);
    fail("LLVM's passes %s: %s", text, message);
    LLVMDisposeErrorMessage(message);
    return -1;
}
