/* smooth.h - from the probabilities of the classes that a method knows to those of all values
   SPDX-License-Identifier: MIT

   As tools/peers/classics.py does it: a thousandth of the training frequencies is mixed in. Classes
   are the values that training names, in their order. */
#pragma once

#include "peer.h"

struct smooth {
    size_t n_params;
    size_t n_classes[KPRED_MAX_TUPLE];
    double frequency[KPRED_MAX_TUPLE][KPRED_MAX_VALUES];
};

/* Reads FOLDER/frequencies.csv: 0, or -1 with the reason in `why` */
int smooth_read(struct smooth *s, const struct peer_task *task, char why[PEER_WHY]);

/* log2 of the probabilities of all values of parameter t; those of the classes are given. */
void smooth_logs(const struct smooth *s, size_t t, const float *probability, double *logs);
