/* recipe.h - how the default network is trained
   SPDX-License-Identifier: MIT

   A small network learns more from the opinion of an ensemble than from one noisy label a problem:
   1. teachers  several networks are trained on the rows, with dropout, from different seeds;
   2. rows      each training row's target becomes a mix of its label and the teachers' mean; it
                comes again with prefixes drawn from the teachers; and problems crossed from two
                training problems, to which the kernel applies, join in the same way;
   3. student   the network that ships is trained on all of these.
   The spec's [network] section may set any of the numbers below as `name = number`, and judge_gpus.
   */
#pragma once

#include "additive_train.h"
#include "model/model.h"

/* X(name, default, least, most, step): a multiple of the step; 0: any number */
#define RECIPE_NUMBERS(X)                                                                         \
    X(encoder1, 128, 16, 192, 16)    /* width of the first dense layer */                         \
    X(encoder2, 128, 16, 192, 16)    /* of the second */                                          \
    X(hidden, 64, 16, 128, 16)       /* of each parameter's head */                               \
    X(first_weights, 1, 0.01, 10, 0) /* of the student, times this before it learns */            \
    X(epochs, 30, 1, 10000, 1)       /* over the student's rows */                                \
    X(batch, 256, 4, 65536, 1)                                                                    \
    X(rate, 0.004, 0, 1, 0)           /* Adam's step size */                                      \
    X(decay, 0, 0, 1, 0)              /* weight decay */                                          \
    X(average, 0.999, 0, 1, 0)        /* running average of the weights */                        \
    X(rounded_epochs, 0, 0, 10000, 1) /* last epochs trained with rounded weights */              \
    X(drop_input, 0, 0, 0.9, 0)       /* dropout: features, */                                    \
    X(drop_encoder, 0, 0, 0.9, 0)     /* dense layers, */                                         \
    X(drop_hidden, 0, 0, 0.9, 0)      /* heads */                                                 \
    X(teachers, 5, 0, 32, 1)          /* at most RECIPE_MAX_NETS - 1; 0: learn from the labels */ \
    X(teacher_encoder1, 128, 16, 1024, 16)                                                        \
    X(teacher_encoder2, 128, 16, 1024, 16)                                                        \
    X(teacher_hidden, 64, 16, 512, 16)                                                            \
    X(teacher_epochs, 60, 1, 10000, 1)                                                            \
    X(teacher_batch, 256, 4, 65536, 1)                                                            \
    X(teacher_rate, 0.004, 0, 1, 0)                                                               \
    X(teacher_decay, 0.01, 0, 1, 0)                                                               \
    X(teacher_drop_input, 0, 0, 0.9, 0)                                                           \
    X(teacher_drop_encoder, 0.2, 0, 0.9, 0)                                                       \
    X(teacher_drop_hidden, 0.2, 0, 0.9, 0)                                                        \
    X(temperature, 1, 0.1, 10, 0)     /* what the student's logits are divided by */              \
    X(trees, 0, 0, 10000, 1)          /* of a random forest that teaches as well (trees.h) */     \
    X(tree_share, 0.5, 0, 1, 0)       /* of its opinion among that of the teachers */             \
    X(boosted_rounds, 0, 0, 10000, 1) /* of boosted trees that teach as well (trees.h) */         \
    X(boosted_share, 0.5, 0, 1, 0)    /* of their opinion, on crossed problems */                 \
    X(label_share, 0.5, 0, 1, 0)      /* of a label in the mix with the teachers' mean */         \
    X(sharpness, 8, 0, 1000, 0)       /* of odds, for timed data (timed.h) */                     \
    X(perplexity, 0, 0, 1000000, 0)   /* most of odds: sharpness doubles up to thrice; 0: any */  \
    X(regret, 0, 0, 1000, 0)          /* for timed data: weight in the loss of times lost */      \
    X(draws, 64, 1, 100000, 1)        /* rows a problem of timed data with several parameters */  \
    X(balance, 0, 0, 1, 0)            /* how much the size of a group counts (timed.h) */         \
    X(thinned, 1, 0.01, 1, 0)         /* part of the rows that balance leaves */                  \
    X(as_searched, 0, 0, 1, 0)        /* share of narrow rows (data.h) that count as others do */ \
    X(judged, 300, 0, 100000, 1)      /* problems made up for judges (timed.h) */                 \
    X(judge_trees, 0, 0, 1, 1)        /* 1: trees judge, see timed.h */                           \
    X(judge_share, 0, 0, 1, 0) /* of trees' opinion beside the networks', see recipe_rows */      \
    X(judge_rows, 2500, 1, 1000000, 1)  /* options of a problem that its networks learn from */   \
    X(judge_sharpness, 3, 0.1, 100, 0)  /* of the marks that they learn */                        \
    X(judge_range, 0, 0, 100, 0)        /* octaves over which times correct them; 0: none */      \
    X(redrawn, 1, 0, 100, 1)            /* times each row comes again with drawn prefixes */      \
    X(crossed, 4, 0, 100, 1)            /* crossed problems for each row */                       \
    X(paper_cells, 256, 16, 1024, 16)   /* the paper's networks: cells of an LSTM */              \
    X(paper_post, 512, 16, 2048, 16)    /* of the one behind an attention*/                       \
    X(paper_nodes, 2, 1, 64, 1)         /* of the attention's dense layer */                      \
    X(paper_filters, 128, 16, 1024, 16) /* of a convolution*/                                     \
    X(paper_taps, 3, 1, 8, 1)           /* size of its kernels */                                 \
    X(paper_stride, 1, 1, 8, 1)                                                                   \
    X(paper_epochs, 60, 1, 10000, 1)                                                              \
    X(paper_batch, 64, 4, 65536, 1)                                                               \
    X(paper_rate, 0.001, 0, 1, 0)                                                                 \
    X(paper_drop, 0.2, 0, 0.9, 0) /* both dropouts of the LSTMs that write */                     \
    X(paper_average, 0.999, 0, 1, 0)

struct recipe {
#define RECIPE_MEMBER(name, normal, least, most, step) double name;
    RECIPE_NUMBERS(RECIPE_MEMBER)
#undef RECIPE_MEMBER
    /* `judge_gpus = TOKEN...`: where trees teach beside the networks, token by token of the field
       gpu; all 0: everywhere */
    unsigned char judge_gpu[SPEC_MAX_TOKENS];
};

/* Of format = timed, other defaults hold for some (recipe.c), and draws may be 0: then timed.h
   says how many where trees judge. Elsewhere all problems together are to have about so many rows,
   or fewer, at least a quarter, if these are four for each option. */
enum { RECIPE_DRAWN = 16384 };

/* The defaults with what the spec sets. 0, or -1 with a message that names file and line. */
int recipe_from_spec(const struct spec *spec, struct recipe *out);

enum { RECIPE_MAX_NETS = 33 };

/* Of a trained network, as it is written: bits per row, 0 without any. */
struct recipe_losses {
    double train, held_out;
    double behind;               /* its teachers, in bits a crossed problem; 0 without any */
    struct watch_result watched; /* of 0 problems: none */
};

/* What training makes: the student, then its teachers. */
struct recipe_nets {
    struct net net[RECIPE_MAX_NETS];
    size_t n;
    struct recipe_losses losses; /* of recipe_train: the student's */
};

void recipe_nets_free(struct recipe_nets *nets);

struct recipe_rows {
    size_t n;
    int32_t *problem;      /* n x n_fields */
    unsigned char *target; /* n x n_params, indexes of values */
    float *soft;           /* n x recipe_width(), of each parameter the distribution to learn, given
                              the target's values before it; null: the target itself */
    float *octaves;        /* n, or null: of timed tuples of problems that only tell when to stop,
                              above the fastest of the problem, whose rows stand together */
    int is_exact;          /* are these what a model says, and not measured? */
    /* Of a model of one parameter, who teaches beside the networks, or null: moves what they say of
       the values for a problem */
    void (*mix)(const void *mixer, const int32_t *problem, float *target);
    const void *mixer;
};

/* The values of all parameters together. */
size_t recipe_width(const struct model *model);

/* A line of news: what is being trained ("teacher 2 of 5"), and losses in bits per row; held_out is
   that of `held_out` rows, in octaves if these are (additive_train.h), or 0 without any. */
typedef void recipe_progress(const char *what, size_t epoch, size_t epochs, double loss,
                             double held_out);

struct recipe_task {
    const struct recipe *recipe;
    const struct model *model;
    uint64_t seed;
    size_t n_threads;
    recipe_progress *progress;
};

/* Trains *out, which the caller frees with recipe_nets_free. The result depends on all arguments
   but n_threads and progress. 0, or -1 with a message. */
int recipe_train(const struct recipe_task *task, const struct recipe_rows *rows,
                 const struct recipe_rows *held_out, struct recipe_nets *out);

/* Only the teachers, as networks of n_features activations, a multiple of 16, and one parameter of
   two values. To be freed as above. */
int recipe_train_teachers(const struct recipe_task *task, size_t n_features,
                          const struct net_rows *rows, struct recipe_nets *out);

/* ---- where the float networks of a header are kept, for `eval --float` ---- */

/* The file beside a header, FILE.f32 for FILE.h. `path` is to be freed. */
void float_file_beside(const char *header, struct buf *path);

/* Writes them, with a hash of the integer network that they round to; errors are left to ferror(f).
 */
void float_file_write(const struct model *model, const struct recipe_nets *nets, FILE *f);

/* Reads those beside a header, named as in predictor_open: those of a built-in model lie in
   weights/. 0, or -1 with a message: they are not there, or are those of another network. To be
   freed. */
int float_file_read(const char *header, const struct model *model, struct recipe_nets *nets);
