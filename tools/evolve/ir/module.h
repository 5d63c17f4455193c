/* module.h - what the files of ir/ know of a kernel
   SPDX-License-Identifier: MIT */
#pragma once

#include "dominance.h"
#include "evolve/ir/ir.h"

#include <llvm-c/TargetMachine.h>

struct ir {
    char *path, *function;
    struct ir_passes passes;
    int edit_barriers, is_host;
    LLVMContextRef context;
    LLVMModuleRef module; /* behind the passes, without debug information; it is only cloned */
    LLVMModuleRef sketch; /* the same without metadata: to see what applies */
    LLVMTargetMachineRef machine, quick; /* quick: its code is made soon, and slow */
    struct flow flow;
    size_t n;     /* instructions */
    int *line;    /* of each instruction, in the source; 0 */
    int n_errors; /* that LLVM has told so far */
    char *error;  /* the last of them, LLVM's, or NULL */
};

/* ---- target.c ---- */

/* The target machines of a triple; -1 with a message */
int target_make(struct ir *ir, const struct ir_source *source);
/* Sets processor and features of this machine for those functions that have none. */
void target_mark_native(LLVMModuleRef module);
const char *target_host(void); /* its triple */

/* ---- source.c ---- */

/* Reads the module and verifies it: ir->module, or -1 with a message */
int source_read(struct ir *ir, const struct ir_source *source);

/* ---- passes.c ---- */

/* -1 with a message */
int passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct ir_passes *passes);

/* ---- build.c ---- */

/* A clone of the module with a list of edits, verified and behind passes; NULL with why not */
LLVMModuleRef build_module(struct ir *ir, const struct edits *list, const struct ir_passes *passes,
                           enum outcome *why);
