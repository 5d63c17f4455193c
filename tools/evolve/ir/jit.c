/* jit.c - turns an object into code of this process
   SPDX-License-Identifier: MIT

   jit.h declares it. A linker takes half a millisecond to make: one that has nothing to hold any
   more is used again. */
#include "jit.h"

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <stdio.h>
#include <string.h>

static LLVMOrcLLJITRef linker;
static LLVMOrcResourceTrackerRef held; /* the code that it has, or NULL */
static char first_error[200];          /* since the last call of jit_link */

/* LLVM names the frames of each object to libgcc, which takes memory for them and does not look
   whether it got any. Nothing unwinds the code of a kernel, so these stand in for libgcc's: the
   dynamic linker finds the program's own functions first. */
void __register_frame(void *frames);
void __deregister_frame(void *frames);

void __register_frame(void *frames)
{
    (void)frames;
}

void __deregister_frame(void *frames)
{
    (void)frames;
}

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

/* The linker stays with its code; the next object gets a new one, as both may have the same names.
 */
void jit_keep(void)
{
    *first_error = '\0';
    if (held == NULL)
        return;
    LLVMOrcReleaseResourceTracker(held);
    held = NULL;
    linker = NULL;
}

ev_kernel *jit_link(LLVMMemoryBufferRef object, const char *function)
{
    LLVMOrcExecutorAddress at;
    ev_kernel *kernel = NULL;
    jit_keep();
    if (linker == NULL)
        linker = make();
    if (linker == NULL)
        return NULL;
    held = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(linker));
    if (failed(LLVMOrcLLJITAddObjectFileWithRT(linker, held, object))
        || failed(LLVMOrcLLJITLookup(linker, &at, function)))
        return NULL;
    const uintptr_t bits = (uintptr_t)at;
    memcpy(&kernel, &bits, sizeof kernel);
    return kernel;
}

const char *jit_error(void)
{
    return first_error;
}

void jit_forget(void)
{
    if (held == NULL)
        return;
    if (failed(LLVMOrcResourceTrackerRemove(held)))
        return;
    LLVMOrcReleaseResourceTracker(held);
    held = NULL;
}
