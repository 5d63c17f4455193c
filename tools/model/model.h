/* model.h - a model in the tools' memory: what the runtime runs, with its spec
   SPDX-License-Identifier: MIT */
#pragma once

#include "clause.h"
#include "listed.h"
#include "program.h"

#include "kpred_constraints.h"

enum { MODEL_MAX_ARRAYS = 10 + 3 * KPRED_MAX_TUPLE };

struct model {
    kpred_model m;           /* points into the rest: a struct model must not be copied */
    const struct spec *spec; /* the caller's, to outlive the model */
    struct spec *own_spec;   /* or the model's own; else NULL */
    struct program program;
    kpred_field fields[KPRED_MAX_FIELDS];
    kpred_param params[KPRED_MAX_TUPLE];
    kpred_additive net;
    kpred_head heads[KPRED_MAX_TUPLE];
    char split[16];
    char include_dir[64];   /* what stands before "kpred.h" in the header's includes: "../" or "" */
    const char *family;     /* of the rule in kpred_constraints.h; NULL: it is not there */
    struct listed_by lists; /* of the rule `listed` (listed.h), else without sets */
    unsigned char *listed;  /* its sets of bits: n_listed bytes */
    size_t n_listed;
    struct clauses clauses;    /* of [restrict], and of [kernels] */
    struct kernels named;      /* of [kernels] */
    char rule_name[48];        /* of either */
    kpred_gtc_kernels kernels; /* of a rule for these, else without words */
    const uint64_t *solvers;   /* of one for solvers, else NULL: a word for each value */
    void *arrays[MODEL_MAX_ARRAYS];
    size_t n_arrays;
};

/* All but net and id: fields, parameters, rule, program. The spec must agree with the vocabulary of
   its rule. 0, or -1 with a message. */
int model_from_spec(struct model *model, const struct spec *spec, const char *split);
void model_free(struct model *model);

/* Zeroed memory that lives as long as the model. */
void *model_array(struct model *model, size_t n, size_t size);

/* Was this line of [derived] or [features] made by default (default_features.h)? */
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
/* Room for so many sets, all 0. */
void model_take_sets(struct model *model, size_t n_sets);
/* Names that rule after its sets, however they came; so the model's id has a hash of them. */
void model_name_list(struct model *model);
/* Does the header have a table and a rule of its own that asks it? */
int model_has_table(const struct model *model);

/* The range of each size field over n problems. */
void model_train_ranges(struct model *model, const int32_t *problems, size_t n);

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

struct model_cost {
    size_t bytes;       /* all that the header adds to an object, pointers of this machine */
    size_t values;      /* of all parameters together */
    size_t start, step; /* multiply-adds, see KPRED_MULTIPLY_ADDS */
    int64_t largest_accumulator;
};

struct model_cost model_cost(const kpred_model *m);
