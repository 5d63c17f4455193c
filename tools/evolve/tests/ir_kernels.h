/* ir_kernels.h - kernels of fixtures/, as IR, and their text
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/ir/module.h"
#include "told.h"

#define FIXTURE(name) in_root("tools/evolve/tests/fixtures/" name)

/* The program ends where a kernel cannot be had. */
static inline struct ir *kernel_of(const char *path, const char *function,
                                   const struct ir_passes *passes)
{
    struct ir *ir = NULL;
    const struct ir_source source = {.path = path, .function = function};
    if (ir_open(&ir, &source, passes) != 0)
        program_stop(path);
    return ir;
}

/* What ir_emit gives, or "" if it fails; it stays until the program ends. */
static inline const char *emitted_list(struct ir *ir, const struct edits *list, enum ir_form form,
                                       const char *name)
{
    struct buf *b = new_text();
    return ir_applies(ir, list) && ir_emit(ir, list, form, name, b) == 0 ? b->s : "";
}

static inline const char *emitted(struct ir *ir, const char *edits, enum ir_form form,
                                  const char *name)
{
    return emitted_list(ir, list_of(edits), form, name);
}

/* The module with these edits, or "" if they do not apply */
static inline const char *text_with(struct ir *ir, const char *edits)
{
    return emitted(ir, edits, IR_TEXT, NULL);
}

/* What deleting that instruction would be said to be, or "" */
static inline const char *instruction(struct ir *ir, uint32_t id, int *line)
{
    struct edit_step step;
    const char *what = "";
    if (ir_steps(ir, list_of(say("delete %u 0 0 0", (unsigned)id)), &step) == 0) {
        what = say("%s", step.what);
        *line = step.line;
        edit_steps_free(&step, 1);
    }
    return what;
}
