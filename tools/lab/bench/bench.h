/* bench.h - what a way to predict tuples offers to be timed beside kpred, and what the ways share
   SPDX-License-Identifier: MIT

   Each peer is a shared object with a `struct peer` of the name `the_peer`: so what it brings
   along, its libraries too, can be weighed, and one that cannot be built is just not there. */
#pragma once

#include "kpred.h"

enum { PEER_WHY = 160, PEER_PATH = 1024 };

struct peer_task {
    const kpred_model *model; /* fields, parameters and rule; its network is kpred's own */
    size_t model_bytes;       /* of that network */
    const char *folder;       /* of the models that bench_models.py made */
    const char *variant;      /* of the peer, such as a body of kpred's */
    size_t k;                 /* tuples a prediction, and the width of a beam */
};

/* What the state of every peer begins with */
struct peer_state {
    struct peer_task task;
    size_t model_bytes;
    int is_brief; /* its training was cut short, so how often it is right means nothing */
};

struct peer {
    size_t state_size;
    /* Makes a state of zeros, but for its task, ready to predict. 0, or -1 with the reason in
       `why`, where "no memory" stands already. */
    int (*open)(void *state, char why[PEER_WHY]);
    /* At most k legal tuples, best first, and how many there are. Scores need not be set. */
    size_t (*predict)(void *state, const int32_t *problem, kpred_tuple *out);
    void (*close)(void *state); /* frees what open has made, also one that failed */
    int holds_model;            /* the model is part of the shared object */
};

#ifdef __cplusplus
extern "C" {
#endif

extern const struct peer the_peer;

/* ---- measure.c: what opening a peer costs, and what predictions cost ---------------------- */

struct line {                  /* of the table: a peer, maybe one of its variants, and a k */
    const char *name, *object; /* "kpred-avx2", of kpred.so */
    const char *package;       /* what the object needs to be built; NULL: nothing */
    struct peer_task task;
};

struct loaded { /* what it costs to open a peer, first prediction included */
    int is_there;
    char why[PEER_WHY]; /* if it is not */
    double ms;
    long resident; /* bytes */
    size_t model, code;
};

struct open_peer {
    void *object;
    struct peer_state *state;
    const struct peer *peer;
};

/* The path and the bytes of a file that bench_models.py wrote; -1 with the reason in `why` */
long peer_file(const struct peer_task *task, const char *name, char path[PEER_PATH],
               char why[PEER_WHY]);

/* Opens the peer of a line; -1 with the reason in `why` */
int peer_open(const struct line *line, struct open_peer *p, char why[PEER_WHY]);
void peer_close(struct open_peer *p);

/* The same in a process of its own, which nothing else has made larger. */
void measure_load(const struct line *line, const int32_t *problem, struct loaded *out);

/* Nanoseconds of the processor that this process has had */
double measure_now(void);

/* Predictions for n problems, one after the other. Tools count this function's instructions. */
void measured_predictions(const struct open_peer *p, const int32_t *problems, size_t n_fields,
                          size_t n, kpred_tuple *tuples);

/* Blocks of memory that this process has asked for */
size_t allocations(void);

/* ---- known.c: problems whose best tuples are known ---------------------------------------- */

struct rows {
    size_t n, n_fields, n_params;
    int32_t *problem;     /* [n][n_fields] */
    unsigned char *index; /* [n][n_params]: of the values of the optimum */
};

/* Reads the task's file NAME, CSV of a model's fields and of indexes of its parameters' values. 0,
   or -1 with the file and the line in `why`; rows_free afterwards. */
int rows_read(const struct peer_task *task, const char *name, struct rows *rows,
              char why[PEER_WHY]);
void rows_free(struct rows *rows);

/* Tuples of known problems, the nearest first: those that are new and legal. */
struct distinct {
    const kpred_model *model;
    const int32_t *problem;
    kpred_tuple *out;
    size_t n, k;
};

/* Takes the tuple with these indexes of values unless it is there or the rule rejects it. Whether
   there are k now. */
int distinct_add(struct distinct *d, const unsigned char *index);

/* ---- beam.c: a beam search, for peers that score one parameter after the other ------------ */

struct beam_prefix {
    double score;
    unsigned char index[KPRED_MAX_TUPLE]; /* of the values so far */
    int32_t value[KPRED_MAX_TUPLE];
};

/* For each of n prefixes of t values, log2 of the probabilities of the next one's:
   logs[prefix * KPRED_MAX_VALUES + value] */
typedef void beam_logs(void *state, size_t t, const struct beam_prefix *prefix, size_t n,
                       double *logs);

struct beam {
    const kpred_model *model;
    size_t k;
    struct beam_prefix *now, *next; /* k each */
    double *logs;
};

/* 0, or -1: no memory. beam_free in either case. */
int beam_make(struct beam *b, const kpred_model *model, size_t k);
void beam_free(struct beam *b);

/* The k legal tuples that the search finds, best first, and how many there are. As in
   tools/lab/peers/classics.py, of equal ones those of the better prefix come first. */
size_t beam_search(struct beam *b, const int32_t *problem, beam_logs *logs, void *state,
                   kpred_tuple *out);

/* ---- trees.c: what peers of trees share --------------------------------------------------- */

enum { TREE_FEATURES = 59 };

/* The fields, sizes of the output, products and remainders, as tree_features of
   tools/lab/peers/classics.py has them.
   problem: gpu dir dtype n c h w k stride */
void tree_features(const int32_t *problem, float *x);

/* From the probabilities of the classes that a method knows to those of all values: as
   tools/lab/peers/classics.py does it, a thousandth of the training frequencies is mixed in.
   Classes are the values that training names, in their order. */
struct smooth {
    size_t n_params;
    size_t n_classes[KPRED_MAX_TUPLE];
    double frequency[KPRED_MAX_TUPLE][KPRED_MAX_VALUES];
};

/* Reads frequencies.csv: 0, or -1 with the reason in `why` */
int smooth_read(struct smooth *s, const struct peer_task *task, char why[PEER_WHY]);

/* log2 of the probabilities of all values of parameter t; those of the classes are given. */
void smooth_logs(const struct smooth *s, size_t t, const float *probability, double *logs);

/* The chain of boosted trees, whoever computes them: features, beam, smoothing. A peer's state
   begins with it. These are the classes' probabilities of parameter t for n states, row by row:
   the features, and the t values before, by index. They stay until the next call. */
struct chain;
typedef const float *chain_trees_of(struct chain *c, size_t t, const float *state, size_t n);

struct chain {
    struct peer_state head;
    struct beam beam;
    struct smooth smooth;
    chain_trees_of *trees_of;
    float x[TREE_FEATURES]; /* of the problem */
    float *state;           /* k rows */
};

/* Three pieces of a struct peer, which close and open call, and that is predict */
int chain_make(struct chain *c, chain_trees_of *trees_of, char why[PEER_WHY]);
void chain_free(struct chain *c);
size_t chain_predict(void *chain, const int32_t *problem, kpred_tuple *out);

#ifdef __cplusplus
}
#endif
