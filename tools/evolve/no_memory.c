/* no_memory.c - see no_memory.h
   SPDX-License-Identifier: MIT

   C++ would call abort(). The functions that change this have names of C++, and are looked for
   when the program runs: a build of LLVM may lack them. */
#include "no_memory.h"

#include "base/util.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t first_process;

static void no_memory(void)
{
    static int is_ending;
    if (getpid() != first_process)
        raise(SIGKILL);
    if (is_ending) /* what exit calls needs memory, too */
        _exit(EXIT_FAILURE);
    is_ending = 1;
    fail("out of memory");
    exit(EXIT_FAILURE);
}

static void no_memory_of_llvm(void *user, const char *reason, int crash)
{
    (void)user;
    (void)reason;
    (void)crash;
    no_memory();
}

void no_memory_begin(void)
{
    void *all = dlopen(NULL, RTLD_LAZY);
    void (*of_new)(void (*)(void)) = NULL;
    void (*of_llvm)(void (*)(void *, const char *, int), void *) = NULL;
    first_process = getpid();
    if (all == NULL)
        return;
    *(void **)&of_new = dlsym(all, "_ZSt15set_new_handlerPFvvE");
    *(void **)&of_llvm = dlsym(all, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
    if (of_new != NULL)
        of_new(no_memory);
    if (of_llvm != NULL)
        of_llvm(no_memory_of_llvm, NULL);
}
