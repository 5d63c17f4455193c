/* model.h - a model in the tools' memory: what it runs, its name, its tokens, its tuples
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/intern.h"
#include "clause.h"
#include "program.h"

enum { MODEL_MAX_ARRAYS = 12 + 3 * KPRED_MAX_TUPLE };

struct model {
    kpred_model m;           /* points into the rest: a struct model must not be copied */
    const struct spec *spec; /* the caller's, to outlive the model */
    struct spec *own_spec;   /* or the model's own; else NULL */
    struct program program;
    kpred_field fields[KPRED_MAX_FIELDS];
    kpred_param params[KPRED_MAX_TUPLE];
    kpred_additive net;
    kpred_head heads[KPRED_MAX_TUPLE];
    char split[SPEC_SPLIT_NAME];
    char include_dir[64];   /* what stands before "kpred.h" in the header's includes: "../" or "" */
    const char *family;     /* of the rule in kpred_constraints.h; NULL: it is not there */
    struct listed_by lists; /* of the rule `listed` (rules.h), else without sets */
    size_t n_sets;
    unsigned char *listed; /* its sets of bits: n_listed bytes; NULL: there are tuples */
    size_t n_listed;
    kpred_names *sets;      /* of tuples, each without names; all their values follow each other */
    struct clauses clauses; /* of [restrict], and of [kernels] */
    struct kernels named;   /* of [kernels] */
    char rule_name[48];     /* of either */
    kpred_gtc_kernels kernels; /* of a rule for these, else without words */
    const uint64_t *solvers;   /* of one for solvers, else NULL: a word for each value */
    void *arrays[MODEL_MAX_ARRAYS];
    size_t n_arrays;
};

/* All but net and id: fields, parameters, rule, program. The spec must agree with the vocabulary of
   its rule. 0, or -1 with a message. */
int model_from_spec(struct model *model, const struct spec *spec, const char *split);
/* A model that is compiled in, and its spec: what the trainer looked at is not looked at again. */
int model_from_builtin(struct model *model, const struct spec *spec, const kpred_model *m);
void model_free(struct model *model);

/* Zeroed memory that lives as long as the model. */
void *model_array(struct model *model, size_t n, size_t size);

/* Was this line of [derived] or [features] made by default (program.h)? */
int model_made_line(const struct model *model, const struct spec_line *line);

/* Does the rule accept the values with these indexes, as a dataset's row has them? */
int model_allows(const struct model *model, const int32_t *problem, const unsigned char *target);

/* Gives the rule `listed` to a model: the tuples of the n rows are legal, for problems of the same
   tokens in the fields of listed_by, and no others. They are indexes of values; a tuple with an
   index beyond a parameter's values is passed over. Rows that a split keeps from training count as
   well, since a library knows its kernels whatever the problem. 0, or -1 with a message: there are
   none, or too many. */
int model_list(struct model *model, const int32_t *problems, const unsigned char *targets,
               size_t n);
/* Room for so many sets of bits, all 0. */
void model_take_sets(struct model *model, size_t n_sets);
/* Room for the values of so many sets, of which the first ones have so many tuples each. Returns
   the values. */
int32_t *model_take_tuples(struct model *model, size_t n_sets, const size_t *n_tuples);
/* Names that rule after its sets, however they came; so the model's id has a hash of them. */
void model_name_list(struct model *model);
/* Does the header have a table and a rule of its own that asks it? */
int model_has_table(const struct model *model);

/* The range of each size field over n problems. */
void model_train_ranges(struct model *model, const int32_t *problems, size_t n);
/* "3 rows lie outside the range trained on (E 8..256, N 128..16384)" into `b`, of so many that are
   called so, and fields whose bits are set as in kpred_ctx.extrapolated. Returns the text. */
const char *model_outside(const kpred_model *m, uint32_t fields, size_t n, const char *called,
                          struct buf *b);

/* Layer dimensions: sets rows and cols of the three layers and the words of arena. */
void model_set_widths(struct model *model, size_t enc1, size_t enc2, size_t hidden);

/* Proves that every shift is in range and no accumulator can overflow: 0, or -1 with a message. */
int model_prove(const struct model *model);
/* The same, then sets the id. */
int model_seal(struct model *model);

/* A parameter's lane, see KPRED_ARENA_WORDS */
size_t model_lane(const kpred_param *p);

/* Rows of parameter t's output and embedding arrays. */
size_t model_head_rows(const kpred_model *m, size_t t);
size_t model_embedding_rows(const kpred_model *m, size_t t);

struct table; /* base/table.h */

/* A value or token as a cell of a row, by its name if it has one; and all fields of a problem */
void model_value_cell(const char *const *names, int32_t value, struct table *t);
void model_problem_cells(const kpred_model *m, const int32_t *problem, struct table *t);

struct model_cost {
    size_t bytes;       /* all that the header adds to an object, pointers of this machine */
    size_t values;      /* of all parameters together */
    size_t start, step; /* multiply-adds, see KPRED_MULTIPLY_ADDS */
    int64_t largest_accumulator;
};

struct model_cost model_cost(const kpred_model *m);

/* ---- models by name: those built in, and headers that kpred-train wrote ---- */

struct builtin {
    const kpred_model *model;
    const char *const *spec;  /* its spec, a line each, NULL at the end */
    const char *const *story; /* likewise; see model_story */
};

extern const struct builtin builtins[]; /* ends with a model NULL */

/* The built-in model that people call `name`: by its name or that of its kernel, whatever the case,
   underlines and blanks; one whose name is written just so comes first. NULL with a message, which
   lists the readings, or names that are near. */
const struct builtin *builtin_find(const char *name);

/* Such a model, or a generated header by path (which ends in .h). 0, or -1 with a message; *out is
   then empty. model_free afterwards. */
int model_open(const char *name, struct model *out);
/* A spec may have GPUs on which its kernel does not run: nothing was learnt of them. */
int model_learned_of(const kpred_model *model, const char *gpu);
/* The names of the others, in the field of GPUs. Returns the text. */
const char *model_gpus(const struct model *model, size_t field, struct buf *b);

/* How the weights of such a model came to be, as its header says in the opening comment; see
   header_write. 0, or -1 with a message. */
int model_story(const char *name, struct buf *out);

/* ---- tokens by name ---- */

/* The token of a GPU: by its name, whatever the case, by a product with it (gpus.h), by a bare
   arch of which the model knows one GPU, or with `nearest` what comes closest, which is then not
   exact; -1 without a message, also where the kernel does not run on the GPU. */
int32_t model_gpu(const struct model *model, size_t field, const char *text, int nearest,
                  int *exact);

/* The token of a field as people write it: a token that is written just so, else the only one with
   the same letters and digits, whatever their case, else one by another word for it ("half",
   "fwd"). A GPU as above; if the nearest is taken, that is told on standard error. -1 with a
   message. */
int32_t model_token(const struct model *model, size_t field, const char *text, int nearest);

/* ---- the legal tuples of a problem ---- */

enum tuples_kind {
    TUPLES_ALL,
    TUPLES_DRAWN, /* a sample, in which each legal tuple is as likely as any other */
    TUPLES_WALKED /* a sample that prefers some: so few combinations are legal that blind draws
                     find hardly any */
};

struct tuples {
    size_t n_params, n;
    uint16_t *value; /* n x n_params: numbers of values */
    enum tuples_kind kind;
    struct interned seen; /* the same, by their bytes */
    size_t cap;
};

/* More tuples than `listed` are not listed: so many as `drawn` are drawn. */
struct tuples_most {
    size_t listed, drawn;
};

/* The same arguments give the same tuples. There may be none. */
void tuples_open(struct tuples *l, const kpred_model *m, const int32_t *problem,
                 const struct tuples_most *most);
void tuples_close(struct tuples *l);

/* The same numbers as bytes, as data have targets; with room for one tuple more, to be freed */
unsigned char *tuples_targets(const struct tuples *l);

/* The tuple's number, which is a new one if it was not there */
size_t tuples_add(struct tuples *l, const uint16_t *value);

/* The tuple's number; SIZE_MAX: it is not there. */
size_t tuples_find(const struct tuples *l, const uint16_t *value);

/* Is any tuple legal? 1, 0, or -1 where a long search did not tell. */
int tuples_any(const kpred_model *m, const int32_t *problem);

/* ---- does [restrict] leave a problem any tuple? ---- */

/* The rule answers for a prefix, by bounds: it may allow one that no legal tuple begins with. So
   this is a search, whose steps are counted. */

/* 1: there is a legal tuple, 0: there is none, -1: *steps were not enough to know. Takes the steps
   that it needs from *steps.
   pre: each value of the problem lies in its field's least..most */
int any_tuple(const struct clauses *c, const struct spec *spec, const int32_t *problem,
              size_t *steps);

/* The first clause that is false for all tuples, whatever the others say. NULL: no such clause is
   known, it takes several of them. */
const struct clause *any_tuple_culprit(const struct clauses *c, const struct spec *spec,
                                       const int32_t *problem, size_t *steps);
