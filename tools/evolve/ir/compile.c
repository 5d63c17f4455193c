/* compile.c - what becomes of a list of edits: its module, machine code of this process, text,
   assembly, object
   SPDX-License-Identifier: MIT

   ir.h and module.h declare it. */
#include "evolve/process.h"
#include "module.h"

#include "base/util.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the machines that code is made for ---- */

/* Of the process; they stay. */
static char *host_triple, *host_cpu, *host_features;

/* Innermost loops begin at a multiple of 64 bytes, in baselines and candidates alike: else an edit
   that does nothing could win by the luck of where it leaves a loop. LLVM has this for x86-64. */
static void find_host(void)
{
    static const char *const words[] = {"kpred-evolve",
                                        "-x86-experimental-pref-innermost-loop-alignment=6"};
    if (host_triple != NULL)
        return;
    LLVMParseCommandLineOptions(2, words, NULL);
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

/* Of a processor that it does not know LLVM tells on standard error, and goes on with another one.
   -1 after a message in its place */
static int check_cpu(LLVMTargetRef target, const char *triple, const char *cpu)
{
    struct stat said = {0};
    FILE *hidden = tmpfile();
    const int own = dup(STDERR_FILENO);
    if (hidden != NULL && own >= 0 && dup2(fileno(hidden), STDERR_FILENO) >= 0) {
        LLVMDisposeTargetMachine(LLVMCreateTargetMachine(
            target, triple, cpu, "", LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault));
        dup2(own, STDERR_FILENO);
        fstat(fileno(hidden), &said);
    }
    if (own >= 0)
        close(own);
    if (hidden != NULL)
        fclose(hidden);
    return said.st_size == 0
               ? 0
               : fail("target %s: LLVM %d has no processor %s", triple, LLVM_VERSION_MAJOR, cpu);
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
        const int has_ir = strncmp(triple, "spir", 4) == 0;
        if (!has_ir)
            fail("target %s: LLVM %d makes no code for it here: there are amdgcn, nvptx64 and this "
                 "machine, and spir64 as IR",
                 triple, LLVM_VERSION_MAJOR);
        LLVMDisposeMessage(error);
        return has_ir ? 0 : -1;
    }
    if (source->cpu != NULL && check_cpu(target, triple, cpu) != 0)
        return -1;
    ir->machine = LLVMCreateTargetMachine(target, triple, cpu, features,
                                          (LLVMCodeGenOptLevel)ir->passes.level, LLVMRelocPIC,
                                          LLVMCodeModelDefault);
    ir->quick = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelNone,
                                        LLVMRelocPIC, LLVMCodeModelDefault);
    return ir->machine != NULL ? 0 : fail("target %s: there is no code generator", triple);
}

static void mark_function(LLVMValueRef function, const char *key, const char *value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, OF_FUNCTION,
                            LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                                      (unsigned)strlen(value)));
}

void target_mark_native(LLVMModuleRef module)
{
    static const char key[] = "target-cpu";
    find_host();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)
            || LLVMGetStringAttributeAtIndex(f, OF_FUNCTION, key, sizeof key - 1))
            continue;
        mark_function(f, key, host_cpu);
        mark_function(f, "target-features", host_features);
    }
}

/* ---- LLVM's passes as clang runs them ---- */

const struct ir_passes ir_baselines[IR_BASELINES] = {
    {"O2", 2, 0, 1},        {"O2-scalar", 2, 0, 0}, {"O3", 3, 0, 1},
    {"O3-scalar", 3, 0, 0}, {"O3-native", 3, 1, 1}, {"O3-native-scalar", 3, 1, 0},
};
const struct ir_passes ir_unoptimised = {"O0", 0, 0, 0};

const struct ir_passes *ir_baseline_of(const char *name)
{
    for (size_t i = 0; i < IR_BASELINES; i++)
        if (strcmp(ir_baselines[i].name, name) == 0)
            return &ir_baselines[i];
    return NULL;
}

/* ---- passes without vectors ---- */

/* The builder's options do not reach "default<O3>", which sets them anew. But no vectoriser touches
   a function with this attribute; it is there for the passes alone, since code generation heeds it,
   too. Functions that had it before keep it. */
static const char scalar[] = "noimplicitfloat", mark[] = "kpred-scalar";

static unsigned kind_of_scalar(void)
{
    return LLVMGetEnumAttributeKindForName(scalar, sizeof scalar - 1);
}

static void forbid_vectors(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned kind = kind_of_scalar();
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetEnumAttributeAtIndex(f, OF_FUNCTION, kind))
            continue;
        LLVMAddAttributeAtIndex(f, OF_FUNCTION, LLVMCreateEnumAttribute(context, kind, 0));
        LLVMAddAttributeAtIndex(f, OF_FUNCTION,
                                LLVMCreateStringAttribute(context, mark, sizeof mark - 1, "", 0));
    }
}

static void forget_ban(LLVMModuleRef module)
{
    const unsigned kind = kind_of_scalar(), n = sizeof mark - 1;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (LLVMGetStringAttributeAtIndex(f, OF_FUNCTION, mark, n) != NULL) {
            LLVMRemoveEnumAttributeAtIndex(f, OF_FUNCTION, kind);
            LLVMRemoveStringAttributeAtIndex(f, OF_FUNCTION, mark, n);
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

/* ---- the module of a list of edits ---- */

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
        LLVMDisposeMessage(ir->error);
        ir->error = NULL;
        if (LLVMVerifyModule(module, LLVMReturnStatusAction, &ir->error))
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

/* ---- an object becomes code of this process ---- */

/* A linker takes half a millisecond to make: one that has nothing to hold any more is used
   again. */

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

static LLVMOrcLLJITRef make_linker(void)
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

/* What is there cannot be forgotten any more. The linker stays with its code; the next object gets
   a new one, as both may have the same names. */
static void jit_keep(void)
{
    *first_error = '\0';
    if (held == NULL)
        return;
    LLVMOrcReleaseResourceTracker(held);
    held = NULL;
    linker = NULL;
}

/* Links the object at once, with what this process has, and gives the address of a function of it;
   NULL if there is none. Takes the object; the code stays until it is forgotten. */
static ev_kernel *jit_link(LLVMMemoryBufferRef object, const char *function)
{
    LLVMOrcExecutorAddress at;
    ev_kernel *kernel = NULL;
    jit_keep();
    if (linker == NULL)
        linker = make_linker();
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

/* ---- machine code of a list of edits ---- */

/* The object is made by the target machine as for a file, and linked at once: nothing is left to
   be resolved, or to be allocated, when the code runs. */

/* NULL if LLVM makes none: *error, to be disposed of, is what it said then, or NULL: ir->error */
static LLVMMemoryBufferRef make_code(struct ir *ir, LLVMModuleRef module,
                                     LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                                     char **error)
{
    LLVMMemoryBufferRef code = NULL;
    const int n_errors = ir->n_errors;
    *error = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, error, &code)
        && ir->n_errors == n_errors)
        return code;
    if (code != NULL)
        LLVMDisposeMemoryBuffer(code);
    return NULL;
}

/* Of a module, which it takes; NULL: of none */
static ev_kernel *code_of(struct ir *ir, LLVMModuleRef module, LLVMTargetMachineRef machine,
                          enum outcome *why)
{
    char *error;
    if (module == NULL)
        return NULL;
    LLVMMemoryBufferRef object = make_code(ir, module, machine, LLVMObjectFile, &error);
    LLVMDisposeMessage(error);
    LLVMDisposeModule(module);
    ev_kernel *kernel = object == NULL ? NULL : jit_link(object, ir->function);
    *why = kernel == NULL ? OUTCOME_UNCOMPILED : OUTCOME_VALID;
    return kernel;
}

static ev_kernel *compile_list(struct ir *ir, const struct edits *list,
                               const struct ir_passes *passes, LLVMTargetMachineRef machine,
                               enum outcome *why)
{
    *why = OUTCOME_UNCOMPILED;
    jit_keep(); /* if nothing comes of this list, there is nothing to forget */
    return ir->is_host ? code_of(ir, build_module(ir, list, passes, why), machine, why) : NULL;
}

ev_kernel *ir_compile(void *self, const struct edits *list, enum outcome *why)
{
    struct ir *ir = self;
    return compile_list(ir, list, &ir->passes, ir->machine, why);
}

ev_kernel *ir_compile_soon(void *self, const struct edits *list, enum outcome *why)
{
    struct ir *ir = self;
    return compile_list(ir, list, &ir_unoptimised, ir->quick, why);
}

ev_kernel *ir_compile_marked(struct ir *ir, unsigned char *entered, enum outcome *why)
{
    LLVMModuleRef module = build_module(ir, NULL, &ir_unoptimised, why);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(ir->context);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(LLVMGetNamedFunction(module, ir->function));
    for (; block != NULL; block = LLVMGetNextBasicBlock(block), entered++) {
        LLVMValueRef behind_phis = LLVMGetFirstInstruction(block);
        while (LLVMGetInstructionOpcode(behind_phis) == LLVMPHI)
            behind_phis = LLVMGetNextInstruction(behind_phis);
        LLVMPositionBuilderBefore(builder, behind_phis);
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(ir->context), (uintptr_t)entered, 0);
        LLVMBuildStore(builder, LLVMConstInt(LLVMInt8TypeInContext(ir->context), 1, 0),
                       LLVMConstIntToPtr(at, LLVMPointerTypeInContext(ir->context, 0)));
    }
    LLVMDisposeBuilder(builder);
    return code_of(ir, module, ir->quick, why);
}

void ir_forget(void *self)
{
    (void)self;
    if (held == NULL || failed(LLVMOrcResourceTrackerRemove(held)))
        return;
    LLVMOrcReleaseResourceTracker(held);
    held = NULL;
}

const char *ir_why(const struct ir *ir)
{
    return *first_error != '\0' ? first_error : ir->error != NULL ? ir->error : "";
}

/* ---- writing: the function's name ---- */

/* Nothing but the function is seen from outside: variants of one kernel are linked together. */
static void hide(LLVMValueRef global, LLVMValueRef except)
{
    size_t n;
    if (global == except || LLVMIsDeclaration(global)
        || strncmp(LLVMGetValueName2(global, &n), "llvm.", 5) == 0)
        return;
    LLVMSetVisibility(global, LLVMDefaultVisibility);
    LLVMSetLinkage(global, LLVMInternalLinkage);
}

static void hide_others(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMValueRef v = LLVMGetFirstFunction(module);
    for (; v != NULL; v = LLVMGetNextFunction(v))
        hide(v, function);
    for (v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        hide(v, function);
}

static void drop_unused(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "globaldce", machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error != NULL)
        LLVMConsumeError(error); /* what is not used is only too much */
}

static int rename_function(struct ir *ir, LLVMModuleRef module, const char *name)
{
    size_t n;
    LLVMValueRef f = LLVMGetNamedFunction(module, ir->function);
    LLVMSetValueName2(f, name, strlen(name));
    if (strcmp(LLVMGetValueName2(f, &n), name) != 0)
        return fail("%s: there is a %s already", ir->path, name);
    if (ir->is_host) {
        hide_others(module, f);
        drop_unused(module, ir->machine);
    }
    return 0;
}

/* ---- writing: forms ---- */

static int print_text(LLVMModuleRef module, struct buf *out)
{
    char *text = LLVMPrintModuleToString(module);
    buf_puts(out, text);
    LLVMDisposeMessage(text);
    return 0;
}

static int add_memory(LLVMMemoryBufferRef memory, struct buf *out)
{
    buf_add(out, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    LLVMDisposeMemoryBuffer(memory);
    return 0;
}

static int generate(struct ir *ir, LLVMModuleRef module, enum ir_form form, struct buf *out)
{
    char *error;
    if (ir->machine == NULL)
        return fail("%s: LLVM makes no code for %s, only IR", ir->path, LLVMGetTarget(module));
    LLVMMemoryBufferRef code = make_code(
        ir, module, ir->machine, form == IR_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile, &error);
    if (code != NULL)
        return add_memory(code, out);
    fail(error != NULL ? "%s: %s" : "%s: LLVM's code generator refuses it: %s", ir->path,
         error != NULL ? error : ir->error);
    LLVMDisposeMessage(error);
    return -1;
}

static int run_linker(FILE *object, struct buf *out)
{
    static const char *const words[] = {EVOLVE_LLD, "-shared", "/dev/stdin", "-o", "-", NULL};
    struct process_words w = {0};
    process_add_all(&w, words);
    const int status = process_run(&w, object, out);
    process_free(&w);
    if (status < 0)
        return fail("a code object needs " EVOLVE_LLD " (Debian: apt-get install lld-%d)",
                    LLVM_VERSION_MAJOR);
    return status == 0 ? 0 : fail(EVOLVE_LLD " ended with status %d", status);
}

static int link_object(const struct buf *object, struct buf *out)
{
    FILE *f = tmpfile();
    int status = 0;
    if (f == NULL)
        return fail("a temporary file: %s", strerror(errno));
    if (fwrite(object->s, 1, object->n, f) != object->n || fflush(f) != 0
        || fseek(f, 0, SEEK_SET) != 0)
        status = fail("a temporary file: %s", strerror(errno));
    if (status == 0)
        status = run_linker(f, out);
    fclose(f);
    return status;
}

static int emit_code_object(struct ir *ir, LLVMModuleRef module, struct buf *out)
{
    struct buf object = {0};
    if (strncmp(LLVMGetTarget(module), "amdgcn", 6) != 0)
        return fail("%s: there are code objects of amdgcn alone, not of %s", ir->path,
                    LLVMGetTarget(module));
    if (ir->has_no_cpu)
        return fail("%s: a code object needs --cpu, such as gfx90a", ir->path);
    int status = generate(ir, module, IR_OBJECT, &object);
    if (status == 0)
        status = link_object(&object, out);
    buf_free(&object);
    return status;
}

/* NVPTX has no objects. */
static int emit(struct ir *ir, LLVMModuleRef module, enum ir_form form, struct buf *out)
{
    if (form == IR_TEXT)
        return print_text(module, out);
    if (form == IR_BITCODE)
        return add_memory(LLVMWriteBitcodeToMemoryBuffer(module), out);
    if (form == IR_CODE_OBJECT)
        return emit_code_object(ir, module, out);
    if (form == IR_OBJECT && strncmp(LLVMGetTarget(module), "nvptx", 5) == 0)
        return fail("%s: %s has no objects, its assembly is PTX", ir->path, LLVMGetTarget(module));
    return generate(ir, module, form, out);
}

/* VALID, or why not, after a message */
static enum outcome emit_list(struct ir *ir, const struct edits *list, enum ir_form form,
                              const char *name, struct buf *out)
{
    enum outcome why;
    LLVMModuleRef module = build_module(ir, list, &ir->passes, &why);
    if (module == NULL) {
        fail("%s: the edits %s%s", ir->path,
             why == OUTCOME_INAPPLICABLE ? "do not apply"
             : why == OUTCOME_REJECTED   ? "make IR that LLVM's verifier refuses: "
                                         : "make IR that the passes refuse",
             why == OUTCOME_REJECTED && ir->error != NULL ? ir->error : "");
        return why;
    }
    int status = name == NULL ? 0 : rename_function(ir, module, name);
    if (status == 0)
        status = emit(ir, module, form, out);
    LLVMDisposeModule(module);
    return status == 0 ? OUTCOME_VALID : OUTCOME_UNCOMPILED;
}

int ir_emit(struct ir *ir, const struct edits *list, enum ir_form form, const char *name,
            struct buf *out)
{
    return emit_list(ir, list, form, name, out) == OUTCOME_VALID ? 0 : -1;
}

enum outcome ir_write(struct ir *ir, const struct edits *list, enum ir_form form, const char *path)
{
    struct buf bytes = {0};
    enum outcome outcome = emit_list(ir, list, form, NULL, &bytes);
    if (outcome == OUTCOME_VALID && out_whole(path, &bytes) != 0)
        outcome = OUTCOME_UNCOMPILED;
    buf_free(&bytes);
    return outcome;
}
