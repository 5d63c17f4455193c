/* ir.h - a kernel as LLVM IR: how it is read, edited, compiled and told
   SPDX-License-Identifier: MIT

   Searches start from the module behind a baseline's passes. Its instructions have the ids 1, 2,
   ... in their order; a copy's id follows from the edit that made it. Only ir/ knows LLVM. */
#pragma once

#include "evolve/harness.h"
#include "evolve/task.h"

/* ---- where the module comes from ---- */

/* What clang made last, and its command line: several baselines begin with the same module. */
struct ir_kept {
    struct buf by, made;
};
void ir_forget_kept(struct ir_kept *kept);

struct ir_source {
    const char *path;         /* C (.c), OpenCL C (.cl), IR (.ll) or bitcode (.bc) */
    const char *function;     /* to be edited; defined there */
    const char *target;       /* NULL: this machine; else a triple such as amdgcn-amd-amdhsa, or
                                 spir64, of which LLVM has the IR alone */
    const char *cpu;          /* of a target, such as gfx90a; else NULL */
    const char *const *flags; /* more options for clang, NULL ends them; NULL: none */
    int edit_barriers;        /* whether barriers, a class of their own, may be edited */
    struct ir_kept *kept;     /* NULL: each time clang reads the source again */
};

struct ir_passes {
    const char *name; /* "O3-native-scalar": -O3 -march=native, without vectorising */
    int level;        /* 0: none, 2, 3 */
    int is_native, vectorises;
};
enum { IR_BASELINES = 6 };
extern const struct ir_passes ir_baselines[IR_BASELINES];
extern const struct ir_passes ir_unoptimised;             /* the reference */
const struct ir_passes *ir_baseline_of(const char *name); /* NULL: none has that name */

struct ir;

/* Reads, verifies and optimises; -1 after a message that names the file, and LLVM's where it is of
   another major version. */
int ir_open(struct ir **ir, const struct ir_source *source, const struct ir_passes *passes);
void ir_close(struct ir *ir);
/* The text of a source of OpenCL C with what it includes, for a compiler of the device's own */
int ir_preprocess(const struct ir_source *source, struct buf *out);
size_t ir_size(const struct ir *ir); /* instructions of the function, those of debugging aside */
size_t ir_blocks(const struct ir *ir);
/* "for.end (line 7)", "number 3 (lines 7 to 9)": a block, counted from 0 on; added to `out` */
void ir_tell_block(const struct ir *ir, size_t block, struct buf *out);
void ir_hash(const struct ir *ir, char hex[65]); /* of the module that searches start from */

/* ---- editing ---- */

/* As in struct task, with an ir as the first argument */
int ir_propose(void *ir, const struct edits *list, uint64_t *random, struct edit *out);
size_t ir_ordered(void *ir, struct edit **out);
int ir_applies(void *ir, const struct edits *list);
/* The number of the first edit that does not apply, from 1 on, and why; 0: all do */
size_t ir_refusal(struct ir *ir, const struct edits *list, const char **why);

int ir_steps(void *ir, const struct edits *list, struct edit_step *steps);

/* ---- compiling ---- */

/* Machine code of this machine, behind the passes; it stays until it is forgotten. NULL with an
   outcome. LLVM may end the process: lists are compiled in one that is forked for it. */
ev_kernel *ir_compile(void *ir, const struct edits *list, enum outcome *why);
/* The same without passes: it is there soon, and slow. */
ev_kernel *ir_compile_soon(void *ir, const struct edits *list, enum outcome *why);
/* The same of the unedited function, which sets entered[i] when it comes to block i. `entered`
   stays where it is. */
ev_kernel *ir_compile_marked(struct ir *ir, unsigned char *entered, enum outcome *why);
void ir_forget(void *ir);                /* frees the code that was compiled last */
const char *ir_why(const struct ir *ir); /* what LLVM said when there was none; "" */

enum ir_form { IR_TEXT, IR_BITCODE, IR_ASSEMBLY, IR_OBJECT, IR_CODE_OBJECT };
#define IR_FORM_NAMES "ir|bitcode|asm|object|code-object" /* as options choose from them */
/* The whole module, edited and behind the passes, appended to `out`. If `name` is not NULL, the
   function is renamed, and of a host's module nothing else is seen from outside, so that variants
   can be linked together. IR_CODE_OBJECT: AMDGPU's, linked by lld-16; NVPTX's assembly is PTX. */
int ir_emit(struct ir *ir, const struct edits *list, enum ir_form form, const char *name,
            struct buf *out);
/* The same as a file, whole: VALID, or why there is none, after a message */
enum outcome ir_write(struct ir *ir, const struct edits *list, enum ir_form form, const char *path);
