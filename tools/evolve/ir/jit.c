/* jit.c - turns an object into code of this process
   SPDX-License-Identifier: MIT

   jit.h declares it. A linker is made in advance, which each child finds ready: half a millisecond
   less for each. */
#include "jit.h"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <stdio.h>
#include <string.h>

static LLVMOrcLLJITRef spare;
static char first_error[200]; /* since the last call of jit_link */

/* The first error is the one that says most. */
static int failed(LLVMErrorRef error)
{
    if (error == NULL)
        return 0;
    char *message = LLVMGetErrorMessage(error);
    if (*first_error == '\0')
        snprintf(first_error, sizeof first_error, "%s", message);
    LLVMDisposeErrorMessage(message);
    return 1;
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

static void keep_error(void *user, LLVMErrorRef error)
{
    (void)user;
    failed(error);
}

static LLVMOrcLLJITRef make(void)
{
    LLVMOrcLLJITRef jit;
    if (failed(LLVMOrcCreateLLJIT(&jit, NULL)))
        return NULL;
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit), keep_error, NULL);
    if (offer_process(jit) == 0)
        return jit;
    failed(LLVMOrcDisposeLLJIT(jit));
    return NULL;
}

ev_kernel *jit_link(LLVMMemoryBufferRef object, const char *function)
{
    LLVMOrcExecutorAddress at;
    ev_kernel *kernel = NULL;
    LLVMOrcLLJITRef jit = spare != NULL ? spare : make();
    spare = NULL;
    *first_error = '\0';
    if (jit == NULL
        || failed(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), object))
        || failed(LLVMOrcLLJITLookup(jit, &at, function)))
        return NULL;
    const uintptr_t bits = (uintptr_t)at;
    memcpy(&kernel, &bits, sizeof kernel);
    return kernel;
}

const char *jit_error(void)
{
    return first_error;
}

void jit_prepare(void)
{
    if (spare == NULL)
        spare = make();
}
