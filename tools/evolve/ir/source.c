/* source.c - reads a kernel: C by clang, IR and bitcode by LLVM
   SPDX-License-Identifier: MIT

   module.h declares it. */
#include "base/util.h"
#include "evolve/process.h"
#include "module.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fails with LLVM's message, whose lines become one. */
static int fail_with(const char *path, const char *what, char *message)
{
    for (char *s = message; *s != '\0'; s++)
        if (*s == '\n')
            *s = s[1] == '\0' ? '\0' : ';';
    const size_t named = strncmp(message, path, strlen(path)) == 0 ? strlen(path) : 0;
    const char *rest = message + named; /* ":3:1: error: ..." */
    if (*what != '\0' && named > 0)
        rest += strspn(rest, ": ");
    fail("%s%s%s%.400s", path, *what == '\0' && named > 0 ? "" : ": ", what, rest);
    LLVMDisposeMessage(message);
    return -1;
}

/* ---- by clang ---- */

static void add_cpu(struct process_words *w, const struct ir_source *s)
{
    struct buf option = {0};
    const int is_nvidia = strncmp(s->target, "nvptx", 5) == 0;
    buf_printf(&option, "-m%s=%s", is_nvidia ? "arch" : "cpu", s->cpu);
    process_add(w, option.s);
    buf_free(&option);
    if (is_nvidia)
        process_add(w, "-Wno-unknown-cuda-version"); /* clang looks for a CUDA that it never uses */
}

static void add_target(struct process_words *w, const struct ir *ir, const struct ir_source *s)
{
    if (s->target == NULL) {
        if (ir->passes.is_native)
            process_add(w, "-march=native");
        return;
    }
    process_add(w, "-target");
    process_add(w, s->target);
    process_add(w, "-nogpulib");
    if (s->cpu != NULL)
        add_cpu(w, s);
}

/* -ffp-contract=off: so that each baseline gives the same bits. A user's own one comes behind. */
static void add_options(struct process_words *w, const struct ir *ir, const struct ir_source *s)
{
    static const char *const always[] = {EVOLVE_CLANG,
                                         "-emit-llvm",
                                         "-c",
                                         "-g",
                                         "-O3",
                                         "-Xclang",
                                         "-disable-llvm-passes",
                                         "-fno-discard-value-names",
                                         "-ffp-contract=off"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        process_add(w, always[i]);
    add_target(w, ir, s);
    for (const char *const *flag = s->flags; flag != NULL && *flag != NULL; flag++)
        process_add(w, *flag);
    process_add(w, "-o");
    process_add(w, "-");
    process_add(w, s->path);
}

/* What clang has to say goes to standard error as it is. */
static int compile(struct ir *ir, const struct ir_source *s, struct buf *bitcode)
{
    struct process_words words = {0};
    add_options(&words, ir, s);
    const int status = process_run(&words, NULL, bitcode);
    process_free(&words);
    if (status > 0)
        fail("%s: " EVOLVE_CLANG " refused it, with status %d", s->path, status);
    else if (status == 0 && bitcode->n == 0)
        return fail("%s: " EVOLVE_CLANG " made nothing of it", s->path);
    return status == 0 ? 0 : -1;
}

/* ---- by LLVM ---- */

/* A bitcode's producer is in LLVM's message where it cannot be read: 19 of "LLVM19.1.7". 0: none */
static int producer_of(const char *message)
{
    static const char before[] = "(Producer: 'LLVM";
    const char *at = strstr(message, before);
    return at == NULL ? 0 : atoi(at + sizeof before - 1);
}

static int parse(struct ir *ir, const char *path, const struct buf *text)
{
    char *message = NULL, what[64] = "";
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(text->s, text->n, path);
    if (!LLVMParseIRInContext(ir->context, memory, &ir->module, &message)) {
        LLVMDisposeMessage(message);
        return 0;
    }
    const int version = producer_of(message);
    if (version != 0 && version != LLVM_VERSION_MAJOR)
        snprintf(what, sizeof what, "it is of LLVM %d, and this is LLVM %d: ", version,
                 LLVM_VERSION_MAJOR);
    return fail_with(path, what, message);
}

/* LLVM dies of some files that are damaged: a child is the first to read what a user brings. */
static int try_to_parse(struct ir *ir, const char *path, const struct buf *text)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        char *message = NULL;
        const FILE *quiet = freopen("/dev/null", "w", stderr); /* the parent will tell it */
        LLVMMemoryBufferRef memory =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(text->s, text->n, path);
        if (quiet != NULL && !LLVMParseIRInContext(ir->context, memory, &ir->module, &message))
            LLVMVerifyModule(ir->module, LLVMReturnStatusAction, &message);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFSIGNALED(status))
        return fail("%s: it is damaged: LLVM dies of it, by signal %d", path, WTERMSIG(status));
    return 0;
}

static int read_module(struct ir *ir, const struct ir_source *s)
{
    enum { MOST = 64 << 20 };
    struct buf text = {0};
    const int is_text = ends_with(s->path, ".ll"), is_ir = is_text || ends_with(s->path, ".bc");
    if (!is_ir && !ends_with(s->path, ".c") && !ends_with(s->path, ".cl"))
        return fail("%s: its name ends with none of .c, .cl, .ll, .bc", s->path);
    int status = is_text ? read_text(s->path, MOST, &text)
                 : is_ir ? read_file(s->path, MOST, &text)
                         : compile(ir, s, &text);
    if (status == 0 && is_ir)
        status = try_to_parse(ir, s->path, &text);
    if (status == 0)
        status = parse(ir, s->path, &text);
    buf_free(&text);
    return status;
}

/* ---- is it what was asked for? ---- */

static int check_machine(struct ir *ir, const struct ir_source *s)
{
    const char *want = s->target == NULL ? target_host() : s->target;
    const char *is = LLVMGetTarget(ir->module);
    const size_t n = strcspn(want, "-");
    if (*is != '\0' && (strncmp(is, want, n) != 0 || (is[n] != '-' && is[n] != '\0')))
        return fail("%s: its target is %s, and not %s", s->path, is, want);
    if (*is == '\0')
        LLVMSetTarget(ir->module, want);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(ir->machine);
    if (*LLVMGetDataLayoutStr(ir->module) == '\0')
        LLVMSetModuleDataLayout(ir->module, layout);
    LLVMDisposeTargetData(layout);
    return 0;
}

/* "a, b, c", ten of them at most */
static void list_functions(LLVMModuleRef module, struct buf *out)
{
    int n = 0;
    LLVMValueRef f = LLVMGetFirstFunction(module);
    for (; f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (LLVMIsDeclaration(f) || n++ >= 10)
            continue;
        buf_puts(out, n > 1 ? ", " : "");
        buf_puts(out, LLVMGetValueName2(f, &length));
    }
    buf_puts(out, n == 0 ? "none" : n > 10 ? ", ..." : "");
}

static int check_function(const struct ir *ir)
{
    LLVMValueRef f = LLVMGetNamedFunction(ir->module, ir->function);
    struct buf there = {0};
    if (f != NULL && !LLVMIsDeclaration(f))
        return 0;
    list_functions(ir->module, &there);
    if (f != NULL)
        fail("%s: %s is only declared there; defined are: %s", ir->path, ir->function, there.s);
    else
        fail("%s: there is no function %s; defined are: %s", ir->path, ir->function, there.s);
    buf_free(&there);
    return -1;
}

/* The function is seen from outside, so that no pass drops it or changes how it is called. */
static void keep_function(struct ir *ir)
{
    LLVMValueRef f = LLVMGetNamedFunction(ir->module, ir->function);
    const int is_amd = strncmp(LLVMGetTarget(ir->module), "amdgcn", 6) == 0;
    LLVMSetLinkage(f, LLVMExternalLinkage);
    LLVMSetVisibility(f, is_amd ? LLVMProtectedVisibility : LLVMDefaultVisibility);
}

static void drop_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* clang -O0 tells the passes to stay away, which no baseline can mean. */
static void allow_passes(LLVMModuleRef module)
{
    static const char name[] = "optnone";
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind))
            continue;
        drop_attribute(f, name);
        drop_attribute(f, "noinline");
    }
}

int source_read(struct ir *ir, const struct ir_source *s)
{
    char *message = NULL;
    if (read_module(ir, s) != 0)
        return -1;
    const int is_wrong = LLVMVerifyModule(ir->module, LLVMReturnStatusAction, &message) != 0;
    if (is_wrong)
        return fail_with(s->path, "LLVM's verifier refuses it: ", message);
    LLVMDisposeMessage(message);
    if (check_machine(ir, s) != 0 || check_function(ir) != 0)
        return -1;
    keep_function(ir);
    allow_passes(ir->module);
    if (s->target == NULL && ir->passes.is_native)
        target_mark_native(ir->module);
    return 0;
}
