/* emit.c - the module of a list of edits as text, assembly, object or code object
   SPDX-License-Identifier: MIT

   ir.h declares it. */
#include "base/util.h"
#include "evolve/process.h"
#include "module.h"

#include <errno.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#ifndef EVOLVE_LLD
#define EVOLVE_LLD "ld.lld-16"
#endif

/* ---- the function's name ---- */

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

/* ---- forms ---- */

static int print_text(LLVMModuleRef module, struct buf *out)
{
    char *text = LLVMPrintModuleToString(module);
    buf_puts(out, text);
    LLVMDisposeMessage(text);
    return 0;
}

static int generate(struct ir *ir, LLVMModuleRef module, enum ir_form form, struct buf *out)
{
    char *error = NULL;
    LLVMMemoryBufferRef code;
    const int n_errors = ir->n_errors;
    const LLVMCodeGenFileType type = form == IR_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(ir->machine, module, type, &error, &code)) {
        fail("%s: %s", ir->path, error);
        LLVMDisposeMessage(error);
        return -1;
    }
    buf_add(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    if (ir->n_errors == n_errors)
        return 0;
    return fail("%s: LLVM's code generator refuses it: %s", ir->path, ir->error);
}

static int run_linker(FILE *object, struct buf *out)
{
    static const char *const words[] = {EVOLVE_LLD, "-shared", "/dev/stdin", "-o", "-"};
    struct process_words w = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        process_add(&w, words[i]);
    const int status = process_run(&w, object, out);
    process_free(&w);
    if (status < 0)
        return fail("a code object needs " EVOLVE_LLD " (Debian: apt-get install lld-16)");
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
    if (form == IR_CODE_OBJECT)
        return emit_code_object(ir, module, out);
    if (form == IR_OBJECT && strncmp(LLVMGetTarget(module), "nvptx", 5) == 0)
        return fail("%s: %s has no objects, its assembly is PTX", ir->path, LLVMGetTarget(module));
    return generate(ir, module, form, out);
}

int ir_emit(struct ir *ir, const struct edits *list, enum ir_form form, const char *name,
            struct buf *out)
{
    enum outcome why;
    LLVMModuleRef module = build_module(ir, list, &ir->passes, &why);
    if (module == NULL)
        return fail("%s: the edits %s", ir->path,
                    why == OUTCOME_INAPPLICABLE ? "do not apply"
                    : why == OUTCOME_REJECTED   ? "make IR that LLVM's verifier refuses"
                                                : "make IR that the passes refuse");
    int status = name == NULL ? 0 : rename_function(ir, module, name);
    if (status == 0)
        status = emit(ir, module, form, out);
    LLVMDisposeModule(module);
    return status;
}
