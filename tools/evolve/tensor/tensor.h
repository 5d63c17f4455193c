/* tensor.h - an MLIR module as a program that a search edits, compiles and examines
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/harness.h"
#include "evolve/ml/net.h"
#include "evolve/task.h"

#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/IR.h>

/* ---- machine code of an MLIR module ---- */

/* Modules have linalg on tensors. MLIR's own passes make loops of it, then LLVM's IR; its engine
   compiles that. What the code needs for its tensors comes from an arena, which is empty again
   before each call. */

enum { ENGINE_RANK = 4, ENGINE_INPUTS = 3, ENGINE_ARENA = 64 << 20 };

struct engine_tensor { /* dense, of floats, the last index the fastest */
    float *at;
    int rank;
    long size[ENGINE_RANK];
};

/* An option of LLVM: it unrolls an innermost loop whole before it looks for vectors, and then makes
   them of the next loop, whose steps are rows. So longer loops stay. */
#define ENGINE_UNROLL "-unroll-full-max-count=8"

struct engine { /* what all modules share */
    MlirContext context;
    const char *path; /* of the module at hand */
    int is_quiet;     /* no messages of MLIR */
};

struct engine_code {
    MlirExecutionEngine engine;
    ev_kernel *entry; /* to be called by engine_run alone */
};

int engine_open(struct engine **e); /* -1 after a message */
void engine_close(struct engine *e);

/* Reads and verifies a text; `path` is for messages, which have the line. Null after one. */
MlirModule engine_parse(struct engine *e, const char *path, const char *text, size_t n);
/* Runs passes, named as for mlir-opt; -1 after a message */
int engine_passes(struct engine *e, MlirModule module, const char *passes);
/* Brings a module to the LLVM dialect, by the passes that engine_build takes, too; -1 after a
   message. What it calls then is ENGINE_TAKE and ENGINE_COPY, as in memory.h, and libm;
   *room is what it takes of an arena. */
#define ENGINE_TAKE "aligned_alloc" /* LLVM knows that what this gives overlaps with nothing */
#define ENGINE_COPY "memrefCopy"
int engine_lower(struct engine *e, const char *path, MlirModule module, uint64_t *room);
/* Code of a function of up to ENGINE_INPUTS tensors to a tensor; the module is changed. -1 after a
   message. */
int engine_build(struct engine *e, const char *path, MlirModule module, const char *function,
                 struct engine_code **code);
void engine_free(struct engine_code *code);

/* -1 if the arena is too small for it */
int engine_run(ev_kernel *entry, const struct engine_tensor *in, size_t n_in,
               const struct engine_tensor *out);
/* From now on all runs are calls of that (NULL: the usual ones), for code that is called in another
   way than MLIR's */
typedef int engine_caller(ev_kernel *entry, const struct engine_tensor *in, size_t n_in,
                          const struct engine_tensor *out);
void engine_call_by(engine_caller *by);
/* What there is to be said if it is too small; returns -1 */
int engine_tell_full(const char *path);

/* ---- programs ---- */

/* Searches start from the module behind MLIR's own simplifications (canonicalize, cse), so that
   no gain is what these do already; candidates go through them again. The operations of the
   entry function then have the ids 1, 2, ... in their order. */

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
void tensor_hash(const struct tensor_program *p, char hex[65]); /* of what searches start from */

/* ---- editing: as in struct task, with a program as the first argument ---- */

int tensor_propose(void *p, const struct edits *list, uint64_t *random, struct edit *out);
int tensor_applies(void *p, const struct edits *list);
int tensor_steps(void *p, const struct edits *list, struct edit_step *steps);

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

/* ---- a step of training: what it learns from, and the network that it trains ---- */

struct lesson {              /* to be closed */
    struct net net;          /* `dense`, with the values that training begins with */
    struct tensor_type type; /* values, a batch of images, their labels; and values again */
    long steps;
    float *pixel, *label; /* of all steps, batch by batch; of a label 1 for its own, else 0 */
};

/* Is the program of the form of a step? Its inputs are three then. */
int lesson_is_one(const struct tensor_type *type);
/* The batches are drawn from the images, each once before any comes again. -1 after a message: the
   values are not those of `dense`, or images and labels are not as many. */
int lesson_open(struct lesson *l, const struct tensor_type *type, const char *path,
                const struct images *images, struct net_shape shape, int n_labels, long steps,
                uint64_t seed);
void lesson_close(struct lesson *l);

/* So many steps, from the values that training begins with to `values`; `other` has room for as
   many. -1 if the code needs too much memory. */
int lesson_run(const struct lesson *l, ev_kernel *entry, const float *start, const float *pixel,
               const float *label, long steps, float *values, float *other);
/* The share of the images that the network gets wrong with these values; what is not finite is
   wrong */
double lesson_error(const struct lesson *l, const float *values, const struct images *images);

/* ---- labelled images as the harness of a program ---- */

/* Its errors are wrong labels, its time is that of one batch. A program of one input is a
   network: it makes numbers of images. One of three is a step of training: its errors are those
   of the network that it trains. Harnesses have no data of their own: there is one exam at a
   time. */

enum exam_part { EXAM_SEARCH, EXAM_VALIDATE, EXAM_TEST, EXAM_PARTS };

struct exam {
    const char *path; /* of the program, for messages */
    struct tensor_type type;
    int n_labels;
    struct images part[EXAM_PARTS];
    struct lesson lesson; /* of a step of training; else it has no steps */
};

struct exam_plan {
    const char *path, *data; /* of the program and of the images, for messages */
    int split;               /* from 0 on */
    long steps;              /* of training */
    uint64_t seed;           /* of what training begins with, and of the order of images */
};

/* Takes the parts of a split, to be freed by exam_close. -1 after a message: the program is not one
   of such images and labels. */
int exam_open(struct exam *x, const struct tensor_program *p, const struct images *all,
              const struct exam_plan *plan);
void exam_close(struct exam *x);

/* Of that part, until the exam is closed: a timed case of one batch, or of a few steps, whose
   outputs do not count; and an untimed one of all images, or of all steps, whose error is the share
   of wrong labels */
const struct ev_harness *exam_harness(enum exam_part part);
/* The same error of code that can be trusted, called here: 0..1, or -1 after a message */
double exam_error(const struct exam *x, ev_kernel *entry, enum exam_part part);
/* The share of the most frequent label's images, which any constant answer gets right */
double exam_chance(const struct exam *x, enum exam_part part);

/* ---- the module of a network, and the network in C ---- */

/* Compiles the text of a module, whose path is for messages, and prints how far its numbers are
   from the network's; -1 after a message, which is one too if an image gets another label. */
int twin_check(const struct net *net, const struct images *images, size_t batch, const char *path,
               const struct buf *text);
