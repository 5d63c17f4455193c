/* source.c - a kernel from its source to the module that a search starts from
   SPDX-License-Identifier: MIT

   ir.h declares it. */
#include "evolve/process.h"
#include "module.h"

#include "base/util.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm/Config/llvm-config.h>
#include <signal.h>
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

/* ---- reading: by clang ---- */

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
    static const char *const opencl[] = {/* its functions, which the device's compiler defines */
                                         "-Xclang", "-finclude-default-header", "-Xclang",
                                         "-fdeclare-opencl-builtins", NULL};
    if (s->target == NULL) {
        if (ir->passes.is_native)
            process_add(w, "-march=native");
        return;
    }
    process_add(w, "-target");
    process_add(w, s->target);
    if (strncmp(s->target, "spir", 4) == 0 && ends_with(s->path, ".cl"))
        process_add_all(w, opencl);
    else
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
                                         "-ffp-contract=off",
                                         NULL};
    process_add_all(w, always);
    add_target(w, ir, s);
    process_add_all(w, s->flags);
    process_add(w, "-o");
    process_add(w, "-");
    process_add(w, s->path);
}

/* What clang has to say goes to standard error as it is. The words are freed. */
static int run_clang(struct process_words *words, const struct ir_source *s, struct buf *out)
{
    const int status = process_run(words, NULL, out);
    process_free(words);
    if (status > 0)
        fail("%s: " EVOLVE_CLANG " refused it, with status %d", s->path, status);
    else if (status == 0 && out->n == 0)
        return fail("%s: " EVOLVE_CLANG " made nothing of it", s->path);
    return status == 0 ? 0 : -1;
}

static int compile_once(struct ir_kept *kept, struct process_words *words,
                        const struct ir_source *s, struct buf *bitcode)
{
    struct buf line = {0};
    for (size_t i = 0; i < words->n; i++)
        buf_add(&line, words->v[i], strlen(words->v[i]) + 1);
    if (kept->made.n > 0 && kept->by.n == line.n && memcmp(kept->by.s, line.s, line.n) == 0) {
        buf_free(&line);
        process_free(words);
    } else {
        ir_forget_kept(kept);
        kept->by = line;
        if (run_clang(words, s, &kept->made) != 0)
            return -1;
    }
    buf_add(bitcode, kept->made.s, kept->made.n);
    return 0;
}

void ir_forget_kept(struct ir_kept *kept)
{
    buf_free(&kept->by);
    buf_free(&kept->made);
}

static int source_compile(const struct ir *ir, const struct ir_source *s, struct buf *bitcode)
{
    struct process_words words = {0};
    add_options(&words, ir, s);
    return s->kept != NULL ? compile_once(s->kept, &words, s, bitcode)
                           : run_clang(&words, s, bitcode);
}

int ir_preprocess(const struct ir_source *s, struct buf *out)
{
    const char *const first[] = {EVOLVE_CLANG, "-E", "-P", "-target", s->target, NULL};
    struct process_words words = {0};
    process_add_all(&words, first);
    process_add_all(&words, s->flags);
    process_add(&words, s->path);
    return run_clang(&words, s, out);
}

/* ---- reading: by LLVM ---- */

static int source_parse(struct ir *ir, const char *path, const struct buf *text)
{
    char *message = NULL, what[64] = "";
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(text->s, text->n, path);
    if (!LLVMParseIRInContext(ir->context, memory, &ir->module, &message)) {
        LLVMDisposeMessage(message);
        return 0;
    }
    /* A bitcode's producer is in the message where it cannot be read: 19 of "LLVM19.1.7". */
    const char *at = strstr(message, "(Producer: 'LLVM");
    const int version = at == NULL ? 0 : atoi(strstr(at, "LLVM") + strlen("LLVM"));
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
    if (pid > 0 && process_wait(pid, &status) == 0 && WIFSIGNALED(status))
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
                         : source_compile(ir, s, &text);
    if (status == 0 && is_ir)
        status = try_to_parse(ir, s->path, &text);
    if (status == 0)
        status = source_parse(ir, s->path, &text);
    buf_free(&text);
    return status;
}

/* ---- reading: is it what was asked for? ---- */

static int check_machine(struct ir *ir, const struct ir_source *s)
{
    const char *want = s->target == NULL ? target_host() : s->target;
    const char *is = LLVMGetTarget(ir->module);
    const size_t n = strcspn(want, "-");
    if (*is != '\0' && (strncmp(is, want, n) != 0 || (is[n] != '-' && is[n] != '\0')))
        return fail("%s: its target is %s, and not %s", s->path, is, want);
    if (*is == '\0')
        LLVMSetTarget(ir->module, want);
    if (ir->machine == NULL)
        return 0;
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
    LLVMRemoveEnumAttributeAtIndex(function, OF_FUNCTION,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* clang -O0 tells the passes to stay away, which no baseline can mean. */
static void allow_passes(LLVMModuleRef module)
{
    static const char name[] = "optnone";
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMGetEnumAttributeAtIndex(f, OF_FUNCTION, kind))
            continue;
        drop_attribute(f, name);
        drop_attribute(f, "noinline");
    }
}

/* Reads the module and verifies it: ir->module, or -1 with a message */
static int source_read(struct ir *ir, const struct ir_source *s)
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

/* ---- opening ---- */

/* That one, or what follows, without calls that are for debugging */
static LLVMValueRef next_of(LLVMValueRef v)
{
    size_t n;
    while (v != NULL && LLVMIsACallInst(v) && LLVMIsAFunction(LLVMGetCalledValue(v))
           && strncmp(LLVMGetValueName2(LLVMGetCalledValue(v), &n), "llvm.dbg.", 9) == 0)
        v = LLVMGetNextInstruction(v);
    return v;
}

/* A report shows instructions before and after an edit: numbers that are counted would change. */
static void name_it(LLVMValueRef v, size_t id)
{
    size_t n;
    char name[32];
    LLVMGetValueName2(v, &n);
    if (n > 0 || LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind)
        return;
    snprintf(name, sizeof name, "v%zu", id);
    LLVMSetValueName2(v, name, strlen(name));
}

static void source_number(struct ir *ir)
{
    size_t cap = 0;
    LLVMBasicBlockRef block =
        LLVMGetFirstBasicBlock(LLVMGetNamedFunction(ir->module, ir->function));
    for (; block != NULL; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef v = next_of(LLVMGetFirstInstruction(block));
        for (; v != NULL; v = next_of(LLVMGetNextInstruction(v))) {
            ir->line = xgrow(ir->line, ir->n, &cap, sizeof *ir->line);
            ir->line[ir->n++] = (int)LLVMGetDebugLocLine(v);
            name_it(v, ir->n);
        }
    }
}

/* Errors of candidates are only counted; without a handler LLVM would end the process. */
static void count_error(LLVMDiagnosticInfoRef info, void *user)
{
    struct ir *ir = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    LLVMDisposeMessage(ir->error);
    ir->error = LLVMGetDiagInfoDescription(info);
    ir->n_errors++;
}

static void drop_metadata(LLVMValueRef v)
{
    size_t n;
    LLVMValueMetadataEntry *all = LLVMInstructionGetAllMetadataOtherThanDebugLoc(v, &n);
    for (unsigned i = 0; i < n; i++)
        LLVMSetMetadata(v, LLVMValueMetadataEntriesGetKind(all, i), NULL);
    LLVMDisposeValueMetadataEntries(all);
}

/* A clone for questions, which are asked by the thousand: without the metadata of instructions, as
   what of these is cloned stays in memory until the end. */
static LLVMModuleRef sketch_of(LLVMModuleRef module)
{
    LLVMModuleRef sketch = LLVMCloneModule(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(sketch); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                drop_metadata(v);
    return sketch;
}

/* Where LLVM gives up it ends the process. A child shall do this without a word. */
static pid_t first_process;
static struct buf kernel; /* the one that was opened last */

static void give_up(const char *reason)
{
    if (getpid() != first_process)
        raise(SIGKILL);
    fail("%s: LLVM gives up: %s", kernel.s, reason);
    exit(1);
}

static void begin_with(const struct ir_source *s)
{
    if (first_process == 0)
        LLVMInstallFatalErrorHandler(give_up);
    first_process = first_process != 0 ? first_process : getpid();
    kernel.n = 0;
    buf_printf(&kernel, "%s: %s%s%s%s%s", s->path, s->function, s->target != NULL ? " for " : "",
               s->target != NULL ? s->target : "", s->cpu != NULL ? " " : "",
               s->cpu != NULL ? s->cpu : "");
}

static int source_fill(struct ir *ir, const struct ir_source *source)
{
    const char *name = base_name(ir->path); /* the hash is the same in another folder */
    if (target_make(ir, source) != 0 || source_read(ir, source) != 0)
        return -1;
    if (passes_run(ir->module, ir->machine, &ir->passes) != 0 || ir->n_errors > 0)
        return fail("%s: the passes of %s failed", ir->path, ir->passes.name);
    source_number(ir);
    LLVMStripModuleDebugInfo(ir->module);
    LLVMSetModuleIdentifier(ir->module, name, strlen(name));
    LLVMSetSourceFileName(ir->module, name, strlen(name));
    ir->sketch = sketch_of(ir->module);
    flow_make(&ir->flow, LLVMGetNamedFunction(ir->module, ir->function));
    return 0;
}

int ir_open(struct ir **out, const struct ir_source *source, const struct ir_passes *passes)
{
    struct ir *ir = xcalloc(1, sizeof *ir);
    begin_with(source);
    ir->path = xstrdup(source->path);
    ir->function = xstrdup(source->function);
    ir->passes = *passes;
    ir->edit_barriers = source->edit_barriers;
    ir->is_host = source->target == NULL;
    ir->has_no_cpu = source->cpu == NULL;
    ir->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(ir->context, count_error, ir);
    if (source_fill(ir, source) == 0) {
        *out = ir;
        return 0;
    }
    ir_close(ir);
    return -1;
}

void ir_close(struct ir *ir)
{
    if (ir == NULL)
        return;
    if (ir->sketch != NULL)
        LLVMDisposeModule(ir->sketch);
    if (ir->module != NULL)
        LLVMDisposeModule(ir->module);
    if (ir->machine != NULL)
        LLVMDisposeTargetMachine(ir->machine);
    if (ir->quick != NULL)
        LLVMDisposeTargetMachine(ir->quick);
    LLVMContextDispose(ir->context);
    flow_free(&ir->flow);
    LLVMDisposeMessage(ir->error);
    free(ir->line);
    free(ir->path);
    free(ir->function);
    free(ir);
}

size_t ir_size(const struct ir *ir)
{
    return ir->n;
}

size_t ir_blocks(const struct ir *ir)
{
    return ir->flow.n_blocks;
}

void ir_tell_block(const struct ir *ir, size_t which, struct buf *out)
{
    LLVMBasicBlockRef block =
        LLVMGetFirstBasicBlock(LLVMGetNamedFunction(ir->module, ir->function));
    size_t at = 0;
    int first = 0, last = 0;
    for (size_t i = 0; i <= which; i++, block = i <= which ? LLVMGetNextBasicBlock(block) : block)
        for (LLVMValueRef v = LLVMGetFirstInstruction(block); v != NULL;
             v = LLVMGetNextInstruction(v), at++)
            if (i == which && ir->line[at] > 0) {
                first = first == 0 || ir->line[at] < first ? ir->line[at] : first;
                last = ir->line[at] > last ? ir->line[at] : last;
            }
    if (*LLVMGetBasicBlockName(block) != '\0')
        buf_puts(out, LLVMGetBasicBlockName(block));
    else
        buf_printf(out, "number %zu", which);
    if (first > 0 && first == last)
        buf_printf(out, " (line %d)", first);
    else if (first > 0)
        buf_printf(out, " (lines %d to %d)", first, last);
}

void ir_hash(const struct ir *ir, char hex[65])
{
    char *text = LLVMPrintModuleToString(ir->module);
    sha256_hex(text, strlen(text), hex);
    LLVMDisposeMessage(text);
}
