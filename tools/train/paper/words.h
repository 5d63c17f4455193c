/* words.h - the two vocabularies: from problems to words, from words to parameters
   SPDX-License-Identifier: MIT

   A problem is a sentence of one word a field, in the spec's order. A number is the same word in
   every field; a name (gpu, dtype, ...) belongs to its field. Words are those that training saw;
   word 0 is "unknown", which stands for every other.

   An answer is a sentence of one word a parameter that has more than one value. The same number (or
   the same name) is the same word for every parameter. */
#pragma once

#include "model/model.h"

struct words {
    size_t n; /* of problems, "unknown" included */
    size_t n_names, n_sizes;
    int32_t *name; /* of the spec's token fields, one after the other: the word, or 0 */
    int32_t *size; /* ascending; the words after those of names */
    size_t n_answers, n_steps;
    size_t step[KPRED_MAX_TUPLE]; /* of a parameter, among those with more than one value */
    uint16_t answer[KPRED_MAX_TUPLE][KPRED_MAX_VALUES];
};

/* 0, or -1 with a message. To be freed on success. */
int words_new(struct words *w, const struct spec *spec, const int32_t *problems, size_t n);
void words_free(struct words *w);

/* The number of names in all token fields of a spec. */
size_t words_n_names(const struct spec *spec);
/* The answers' part, which the spec alone gives. */
void words_set_answers(struct words *w, const struct spec *spec);
/* n, from the other members; -1: they contradict each other */
int words_count(struct words *w);

void words_of_problem(const struct words *w, const struct spec *spec, const int32_t *problem,
                      uint16_t *out);
/* target: indexes of values, as in a dataset */
void words_of_answer(const struct words *w, const struct spec *spec, const unsigned char *target,
                     uint16_t *out);
