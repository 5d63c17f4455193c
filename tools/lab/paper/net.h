/* net.h - the five networks of the paper: problem tokens in, parameter tokens out
   SPDX-License-Identifier: MIT

   "Optimal Kernel Tuning Parameter Prediction using Deep Sequence Models" (Mahmood, Khan, Afzal;
   2024), section IV. All of them end in a dense layer and a softmax over the words of the output,
   the same layer for every parameter:

       encdec    an LSTM reads the problem; from its last state another one writes the parameters,
                 fed with the word it wrote before
       attn      a bi-LSTM reads; an LSTM writes, fed with what an attention picks from the reader's
                 outputs, and with the word it wrote before
       attn2     the same without that word
       hybrid    two convolutions read; a bi-LSTM gets their flattened output in every step, and a
                 second bi-LSTM gets its outputs
       hybrid2   as hybrid, but the second bi-LSTM gets the first one's last states in every step

   The writing (bi-)LSTMs have dropout for their input and recurrent dropout for their own state,
   with the same factors in every step. */
#pragma once

#include "layers.h"

enum paper_kind { PAPER_ENCDEC, PAPER_ATTN, PAPER_ATTN2, PAPER_HYBRID, PAPER_HYBRID2, PAPER_KINDS };

/* Words of the output are 0..out_words-1; that many is the one that stands before the first. */
#define PAPER_DIMS(X)                                                  \
    X(n_in, 16)        /* words of a problem */                        \
    X(in_words, 65536) /* in the vocabulary of problems */             \
    X(n_out, 16)       /* words of an answer */                        \
    X(out_words, 1024) /* in the vocabulary of answers */              \
    X(cells, 1024)     /* of an LSTM, a multiple of 16 */              \
    X(post, 2048)      /* of the LSTM behind an attention, the same */ \
    X(nodes, 64)       /* of the attention's dense layer */            \
    X(filters, 1024)   /* of a convolution, a multiple of 16 */        \
    X(taps, 8)         /* of its kernels */                            \
    X(stride, 8)

struct paper_dims {
    enum paper_kind kind;
#define PAPER_DIM(name, most) size_t name;
    PAPER_DIMS(PAPER_DIM)
#undef PAPER_DIM
};

struct paper_net {
    struct paper_dims dims;
    struct blocks blocks;
    float *w;
    struct dense in[2];   /* problem words to the gates of the reading LSTM or bi-LSTM */
    struct bilstm reader; /* encdec uses one way of it */
    struct conv1d conv[2];
    struct attention look;
    struct dense picked; /* from the attention to the writer's gates */
    struct dense fed;    /* from the word written before to the writer's gates */
    struct lstm writer;
    struct dense to[2][2]; /* hybrid: to the gates of layer i, way j */
    struct bilstm layer[2];
    struct dense out;
};

/* Rows to run together: words [step][row], the right answers included. */
struct paper_batch {
    size_t n;
    const uint16_t *in, *out;
    float drop; /* both dropouts; 0: none */
    uint64_t seed;
};

/* What a pass computes, of at most `most` rows. */
struct paper_tape {
    size_t most;
    void *memory;
    uint16_t *before;        /* the word before the first, for every row */
    float *keep_word;        /* [n_out][rows]: dropout of the word that is fed */
    float *keep_fed[2];      /* dropout of the vectors that layers are fed, */
    float *keep_state[2][2]; /* and of their states, by layer and way */
    struct bilstm_run reader, layer[2];
    struct lstm_run writer;
    struct attention_run look;
    float *shared; /* what all prefixes of a search share, so many floats */
    size_t n_shared;
    float *picked,
        *d_picked; /* contexts of the attention, [n_out][rows][2 cells], and the d of one */
    float *map[2], *d_map[2]; /* of the convolutions */
    float *fed[2], *d_fed[2]; /* what the layers are fed: once, or [n_out][rows][..] */
    float *top, *d_top;       /* what the dense layer is fed, [n_out][rows][..] */
    float *logits;            /* [n_out][rows][out.w.n_out], later their derivatives */
};

/* What each kind defines */
struct paper_ops {
    /* its layers, but for the last, `out`, of which it returns the number of inputs */
    size_t (*build)(struct paper_net *net);
    void (*rooms)(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows);
    /* from words to what `out` is fed, tape->top; from tape->d_top to the weights' derivatives */
    void (*forward)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch);
    void (*backward)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch);
    /* Kinds with feedback: what precedes the first word, of which all words need tape->shared, and
       the writing of word t, fed with the given words */
    void (*read)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                 const struct paper_batch *batch);
    void (*write)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                  size_t t, const uint16_t *fed);
};

extern const struct paper_ops paper_encdec, paper_attn, paper_hybrid;

int paper_has_feedback(enum paper_kind kind); /* do logits depend on the words before? */

extern const char *const paper_names[PAPER_KINDS];

/* Weights all 0. 0, or -1 with a message that begins with the name: no such dimensions. */
int paper_new(struct paper_net *net, const struct paper_dims *dims, const char *name);
void paper_free(struct paper_net *net);

void paper_tape_new(struct paper_tape *tape, const struct paper_net *net, size_t most);
void paper_tape_free(struct paper_tape *tape);

/* The loss in bits of all rows and words together; with a->g its derivatives times scale are added
   there. */
double paper_run(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                 const struct paper_batch *batch, float scale);

/* One problem, for a search. `memory` is what all prefixes share, `state` that of a prefix; both
   are bytes of so many floats, which may be copied. Logits are those of the word after it; they
   stay until the tape is used again. */
size_t paper_memory(const struct paper_net *net);
size_t paper_state(const struct paper_net *net);
void paper_start(const struct paper_net *net, struct paper_tape *tape, const uint16_t *in,
                 void *memory, void *state);
void paper_extend(const struct paper_net *net, struct paper_tape *tape, const void *memory,
                  const void *state, uint16_t word, void *next);
const float *paper_logits(const struct paper_net *net, struct paper_tape *tape, const void *memory,
                          const void *state, size_t t);
