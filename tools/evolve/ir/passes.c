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

/* ---- without vectors ---- */

/* The builder's options do not reach "default<O3>", which sets them anew. But no vectoriser touches
   a function with this attribute; it is there for the passes alone, since code generation heeds it,
   too. Functions that had it before keep it. */
static const char scalar[] = "noimplicitfloat", mark[] = "kpred-scalar";
enum { OF_FUNCTION = (int)LLVMAttributeFunctionIndex };

static unsigned kind_of_scalar(void)
{
    return LLVMGetEnumAttributeKindForName(scalar, sizeof scalar - 1);
}

static void forbid_vectors(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned kind = kind_of_scalar();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetEnumAttributeAtIndex(f, (unsigned)OF_FUNCTION, kind))
            continue;
        LLVMAddAttributeAtIndex(f, (unsigned)OF_FUNCTION,
                                LLVMCreateEnumAttribute(context, kind, 0));
        LLVMAddAttributeAtIndex(f, (unsigned)OF_FUNCTION,
                                LLVMCreateStringAttribute(context, mark, sizeof mark - 1, "", 0));
    }
}

static void forget_ban(LLVMModuleRef module)
{
    const unsigned kind = kind_of_scalar(), n = sizeof mark - 1;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (LLVMGetStringAttributeAtIndex(f, (unsigned)OF_FUNCTION, mark, n) != NULL) {
            LLVMRemoveEnumAttributeAtIndex(f, (unsigned)OF_FUNCTION, kind);
            LLVMRemoveStringAttributeAtIndex(f, (unsigned)OF_FUNCTION, mark, n);
        }
}

int passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct ir_passes *passes)
{
    if (passes->level == 0)
        return 0;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    const char *text = passes->level == 2 ? "default<O2>" : "default<O3>";
    if (!passes->vectorises)
        forbid_vectors(module);
    LLVMErrorRef error = LLVMRunPasses(module, text, machine, options);
    LLVMDisposePassBuilderOptions(options);
    forget_ban(module);
    if (error == NULL)
        return 0;
    char *message = LLVMGetErrorMessage(error);
    fail("LLVM's passes %s: %s", text, message);
    LLVMDisposeErrorMessage(message);
    return -1;
}
