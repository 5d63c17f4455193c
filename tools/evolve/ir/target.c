/* target.c - the machines that code is made for
   SPDX-License-Identifier: MIT

   module.h declares it. */
#include "base/util.h"
#include "module.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* Of the process; they stay. */
static char *host_triple, *host_cpu, *host_features;

/* Innermost loops begin at a multiple of 64 bytes, in baselines and candidates alike: else an edit
   that does nothing could win by the luck of where it leaves a loop. LLVM has this for x86-64. */
static void align_loops(void)
{
    static const char *const words[] = {"kpred-evolve",
                                        "-x86-experimental-pref-innermost-loop-alignment=6"};
    LLVMParseCommandLineOptions(2, words, NULL);
}

static void find_host(void)
{
    if (host_triple != NULL)
        return;
    align_loops();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    host_triple = LLVMGetDefaultTargetTriple();
    host_cpu = LLVMGetHostCPUName();
    host_features = LLVMGetHostCPUFeatures();
}

const char *target_host(void)
{
    find_host();
    return host_triple;
}

/* The ones that kernels are made for; a libLLVM may lack others. */
static void find_gpus(void)
{
    static int is_done;
    if (is_done++)
        return;
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

static LLVMCodeGenOptLevel effort_of(int level)
{
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive};
    return levels[level < 0 || level > 3 ? 3 : level];
}

int target_make(struct ir *ir, const struct ir_source *source)
{
    LLVMTargetRef target;
    char *error = NULL;
    const char *triple = source->target == NULL ? target_host() : source->target;
    const char *cpu = source->cpu != NULL ? source->cpu : "", *features = "";
    if (source->target != NULL)
        find_gpus();
    else if (ir->passes.is_native)
        cpu = host_cpu, features = host_features;
    if (LLVMGetTargetFromTriple(triple, &target, &error)) {
        fail("target %s: %s", triple, error);
        LLVMDisposeMessage(error);
        return -1;
    }
    ir->machine =
        LLVMCreateTargetMachine(target, triple, cpu, features, effort_of(ir->passes.level),
                                LLVMRelocPIC, LLVMCodeModelDefault);
    ir->quick = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelNone,
                                        LLVMRelocPIC, LLVMCodeModelDefault);
    return ir->machine != NULL ? 0 : fail("target %s: there is no code generator", triple);
}

static void mark(LLVMValueRef function, const char *key, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value)));
}

void target_mark_native(LLVMModuleRef module)
{
    static const char key[] = "target-cpu";
    find_host();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)
            || LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key,
                                             sizeof key - 1))
            continue;
        mark(f, key, host_cpu);
        mark(f, "target-features", host_features);
    }
}
