/* tensor.h - an MLIR module as a program that a search edits: read, edited, compiled, told
   SPDX-License-Identifier: MIT

   Searches start from the module behind MLIR's own simplifications (canonicalize, cse), so that no
   gain is what these do already; candidates go through them again. The operations of the entry
   function then have the ids 1, 2, ... in their order. */
#pragma once

#include "engine.h"
#include "evolve/task.h"

struct tensor_program;

struct tensor_type { /* of the entry function; `at` of the tensors is NULL */
    size_t n_in;
    struct engine_tensor in[ENGINE_INPUTS], out;
};

/* Reads, verifies and simplifies. The function (NULL: the only one there is) is of one block, of
   one to ENGINE_INPUTS tensors to one, all of f32 and known sizes, and has operations of arith,
   linalg, math, tensor and TOSA alone. -1 after a message that names the file, and the line. */
int tensor_open(struct tensor_program **p, struct engine *e, const char *path,
                const char *function);
void tensor_close(struct tensor_program *p);
const char *tensor_function(const struct tensor_program *p);
struct tensor_type tensor_type(const struct tensor_program *p);
size_t tensor_size(const struct tensor_program *p);             /* operations */
void tensor_hash(const struct tensor_program *p, char hex[65]); /* of what searches start from */
void tensor_text(const struct tensor_program *p, struct buf *text); /* the same, to be read */

/* ---- editing: as in struct task, with a program as the first argument ---- */

int tensor_propose(void *p, const struct edits *list, uint64_t *random, struct edit *out);
int tensor_applies(void *p, const struct edits *list);
int tensor_simpler(void *p, const struct edit *e, struct edit *out);

/* What each edit of a list did, a line without an end, to be freed by the caller; -1 if the list
   does not apply. */
int tensor_steps(struct tensor_program *p, const struct edits *list, char **steps);
/* The edited module as text, simplified; -1 if the list does not apply, or does not verify */
int tensor_emit(struct tensor_program *p, const struct edits *list, struct buf *text);

/* The same as far as engine_lower brings it, its function with that name; *room is what a call
   takes of an arena. -1 after a message. */
int tensor_lower(struct tensor_program *p, const struct edits *list, const char *name,
                 struct buf *text, uint64_t *room);

/* ---- compiling ---- */

/* Code for engine_run, as long as the program; NULL with an outcome, without a message */
ev_kernel *tensor_compile(void *p, const struct edits *list, enum outcome *why);
void tensor_forget(void *p); /* of what was compiled last: it is freed when another is forgotten */
