/* kinds.h - what each kind of network defines; for net.c
   SPDX-License-Identifier: MIT */
#ifndef KPRED_PAPER_KINDS_H
#define KPRED_PAPER_KINDS_H

#include "net.h"

struct paper_ops {
    void (*build)(struct paper_net *net); /* its layers, but for the last, `out` */
    void (*rooms)(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows);
    /* from words to what `out` is fed, tape->top; and from tape->d_top to the weights' derivatives */
    void (*forward)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch);
    void (*backward)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch);
    size_t (*width)(const struct paper_net *net); /* of one row of tape->top */
    /* Kinds with feedback: what precedes the first word, and the writing of word t, fed with the
       given words. What all words need is `memory`; its pieces and their lengths. */
    void (*read)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                 const struct paper_batch *batch);
    void (*write)(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                  size_t t, const uint16_t *fed);
    size_t (*memory)(const struct paper_net *net, const struct paper_tape *tape, float *piece[2],
                     size_t length[2]);
};

extern const struct paper_ops paper_encdec, paper_attn, paper_hybrid;

/* The words fed to step t: those written before. */
const uint16_t *paper_fed(const struct paper_tape *tape, const struct paper_batch *batch, size_t t);
/* Dropout of them, and of the writer's state. */
void paper_drop_words(const struct paper_net *net, struct paper_tape *tape,
                      const struct paper_batch *batch);
/* n factors, from the batch's seed and a number of their own; null without dropout. */
float *paper_keep(const struct paper_batch *batch, uint64_t which, size_t n, float *room);

/* The reading of problem words by one or two LSTMs. */
void paper_read_words(const struct paper_net *net, const struct arrays *a,
                      const struct paper_batch *batch, int way, const struct lstm_run *run);
void paper_read_words_back(const struct paper_net *net, const struct arrays *a,
                           const struct paper_batch *batch, int way, const struct lstm_run *run);

#endif
