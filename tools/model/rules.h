/* rules.h - the rules of models: those by name and their tables, those of kernels in a library
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/intern.h"
#include "spec.h"

#include "kpred_constraints.h"

/* ---- the rules of kpred_constraints.h by name, and the vocabulary each expects ---- */

/* What a model's rule asks besides the problem and the values */
enum rule_table { RULE_NO_TABLE, RULE_GTC, RULE_SOLVERS };

struct spec_rule {
    kpred_rule rule;    /* NULL if it has a table: it is to be made of that */
    const char *name;   /* "" if it has none */
    const char *family; /* KPRED_RULES_... of kpred_constraints.h; NULL: it is not there */
    enum rule_table table;
    int32_t dir; /* of the kernels in a table, as a token */
};

/* The rule that the spec names, after checking that the spec's fields, tokens and parameters are
   those it was written for. Unconstrained, listed: no rule, name "". 0, or -1 with a message. */
int rules_find(const struct spec *spec, struct spec_rule *rule);

/* What stands in the table of such a rule, by the names of the parameter's n values, into words:
   uint16_t of RULE_GTC, uint64_t of RULE_SOLVERS. 0, or -1 with a message: there is an unknown
   name. */
int rules_words(const struct spec *spec, const struct spec_rule *rule, void *words);
/* Bytes of a name's word in the table of a rule with this name; 0: it has none. */
size_t rules_word_bytes(const char *name);

/* ---- what stands in their tables ---- */

/* The word of a kernel (kpred_gtc_kernels) by its name, whose first piece must be the direction's:
   1, or 0 if that is not the name of such a kernel. */
int gtc_word(const char *name, int32_t dir, uint16_t *word);

/* Sets `least` from the words. */
void gtc_set_least(kpred_gtc_kernels *kernels);

/* The solvers that MIOpen's find-dbs name, from 0; NULL: there are no more. */
const char *solver_name(size_t i);

/* The word of a solver (KPRED_SOLVER_WORD): 1, or 0 if it is not among them. */
int solver_word(const char *name, uint64_t *word);

/* ---- rules for models that keep a table of what is legal ---- */

/* The runtime calls a rule with no word of the model, so each such model in memory needs a function
   of its own, and only a few can be there at a time. */
enum { RULE_SLOTS = 32 };

/* What such a rule asks, as a kpred_rule does but for its first argument */
typedef int (*rule_ask)(const void *model, const int32_t *problem, const int32_t *values, size_t n);

/* A rule that asks this model; NULL: there are too many. rule_slots_release ends it, and does
   nothing where there is none. */
kpred_rule rule_slots_take(rule_ask ask, const void *model);
void rule_slots_release(const void *model);

/* ---- kernels that a library has compiled one by one ---- */

/* What the kernels of a library are called: a spec's section [kernels].

   A library that has compiled its kernels one by one knows each by a name, and may have other
   kernels, or other numbers for them, on each GPU:

       library tile_m tile_n tile_k variant = kernel gpu
       ck 128 64 128 1 = a8w8_blockscale_256x128x64x128_v3 gfx942:1 gfx950:1

   The first line says which parameters a kernel decides: all, or all but the first one. Behind `=`
   stands a word for the name and, if the kernels of all GPUs are not the same, a field of tokens. A
   kernel's line has the values of these parameters, its name, and the tokens for which it exists,
   each maybe with `:` and the kernel's number there, from 0 (without: 0). A token's beginning up to
   a `_` stands for all that begin so: gfx942 for gfx942_304 and gfx942_80.

   This is a rule as well: a tuple is legal only if the problem's GPU has its kernel. The clauses of
   [restrict] may ask for more. */

enum { KERNELS_MAX = 4096 };

/* Sorted by their values */
struct kernels {
    kpred_names names; /* which points into the arrays below */
    const char **name;
    int32_t *values, *ids;
    char *text; /* of the section's lines, in which the names stand */
};

/* Reads the section of a spec that has one. 0, or -1 with a message that names file and line; then
   nothing is kept. */
int kernels_read(const struct spec *spec, struct kernels *out);
void kernels_free(struct kernels *k);

/* The bytes that they add to an object. */
size_t kernels_bytes(const kpred_names *names);

/* The bits of the rule `listed`, which is for such kernels too. All of them have been measured, so
   the data name all legal tuples. The model has a bit for each prefix of them: see kpri_listed in
   kpred.h, which both the generated header and the tools ask. Where there are few tuples of many
   values, the tuples themselves take less room. Then it has these, sorted, and kpri_named looks
   them up.

   A library may have other kernels for another GPU or type. Then the spec names fields of tokens
   (listed_by), and each combination of their tokens has a list of its own: such a set of bits, or
   of tuples. Equal sets are kept once, in the order in which combinations first have them. For a
   combination without a row nothing is legal: the kernel does not apply. */

#define LISTED_PREFIX "listed_" /* of the rule's name; behind it a hash of the sets */

enum {
    LISTED_MAX_BITS = 1 << 21,   /* as bits, of all sets together */
    LISTED_MAX_VALUES = 1 << 18, /* as tuples, of all sets together */
    LISTED_MAX_COMBINATIONS = 4096
};

/* By which fields the lists differ; of none there is one combination, the empty one. */
struct listed_by {
    size_t n_fields;
    uint32_t field[KPRED_MAX_FIELDS];
    int32_t n_tokens[KPRED_MAX_FIELDS]; /* of these fields */
    size_t n;                           /* combinations */
    uint16_t *set;                      /* of each, counted from 1; 0: it has no tuple */
};

/* All of it but `set`, from the spec. 0, or -1 with a message. */
int listed_by_read(const struct spec *spec, struct listed_by *by);
/* The number of a problem's combination. pre: its tokens are tokens of their fields */
size_t listed_combination(const struct listed_by *by, const int32_t *problem);

/* Bytes of a bit for each prefix, of any length; 0: there are too many. */
size_t listed_bytes(const kpred_param *params, size_t n_params);
/* The same of all sets of a model whose rule has this name, and of what tells them apart; 0: it is
   another rule. */
size_t listed_bytes_of(const kpred_model *m);

/* A tuple by the indexes of its values; the rest is 0. */
struct listed_tuple {
    unsigned char v[KPRED_MAX_TUPLE];
};

/* Collects the sets of n rows, with the interface of the model: of each set its tuples, sorted, and
   no two the same; and sets by->set. A tuple with an index beyond a parameter's values is passed
   over. */
void listed_collect(const kpred_model *m, struct listed_by *by, const int32_t *problems,
                    const unsigned char *targets, size_t n, struct interned *out);
/* How many tuples a set has, and where they begin; and how many all sets have */
size_t listed_tuples(const struct interned *sets, size_t i, const struct listed_tuple **tuples);
size_t listed_count(const struct interned *sets);
/* Writes all sets as bits; there is room, which is 0. */
void listed_write_bits(const kpred_param *params, size_t n_params, const struct interned *sets,
                       unsigned char *bits);

/* What tells the sets of two models apart: the bits, or the values of so many tuples. */
struct listed_content {
    const unsigned char *bits; /* NULL: tuples */
    const int32_t *values;
    size_t n, n_sets, n_tuples; /* bytes, or values */
};

/* The rule's name, after its sets and what tells them apart, however they came. */
void listed_name(const struct listed_by *by, const struct listed_content *all, char name[48]);
