/* jit.c - turns an object into code of this process
   SPDX-License-Identifier: MIT

   jit.h declares it. A linker is made in advance, which each child finds ready: half a millisecond
   less for each. */
#include "jit.h"

#include "base/util.h"

#include <fcntl.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- what a fork costs ---- */

/* Writes a byte of a mapping as it is. */
static void touch(int memory, unsigned long at)
{
    char byte;
    if (pread(memory, &byte, 1, (off_t)at) == 1 && pwrite(memory, &byte, 1, (off_t)at) != 1)
        note("children will start a little slower: /proc/self/mem cannot be written");
}

/* A fork leaves out the page tables of mappings that are still as the file is: each child would
   fault all of LLVM's code in again, a fifth of its time. One page that was written changes that.
   Where there is no /proc all stays as it is. */
static void keep_mapped(void)
{
    struct buf maps = {NULL, 0, 0};
    const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    FILE *f = fopen("/proc/self/maps", "r");
    if (memory >= 0 && f != NULL && read_stream(f, "/proc/self/maps", 1 << 22, &maps) == 0) {
        char *at = maps.s, *line;
        while (at != NULL && (line = next_line(&at)) != NULL)
            if (strstr(line, "libLLVM") != NULL)
                touch(memory, strtoul(line, NULL, 16));
    }
    if (f != NULL)
        fclose(f);
    if (memory >= 0)
        close(memory);
    buf_free(&maps);
}

void jit_prepare(void)
{
    static int is_mapped;
    if (!is_mapped++)
        keep_mapped();
    if (spare == NULL)
        spare = make();
}
