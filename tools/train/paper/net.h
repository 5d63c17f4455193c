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

#include "kinds.h"

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
   are floats that may be copied. Logits (paper_width() of them) are those of the word after it. */
size_t paper_width(const struct paper_net *net);
size_t paper_memory(const struct paper_net *net);
size_t paper_state(const struct paper_net *net);
void paper_start(const struct paper_net *net, struct paper_tape *tape, const uint16_t *in,
                 float *memory, float *state);
void paper_extend(const struct paper_net *net, struct paper_tape *tape, const float *memory,
                  const float *state, uint16_t word, float *next);
void paper_logits(const struct paper_net *net, const float *memory, const float *state, size_t t,
                  float *logits);
