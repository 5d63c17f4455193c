/* kinds.c - what the kinds of network have in common, see kinds.h
   SPDX-License-Identifier: MIT */
#include "kinds.h"

#include "base/numbers.h"

int paper_has_feedback(enum paper_kind kind)
{
    return kind == PAPER_ENCDEC || kind == PAPER_ATTN;
}

const uint16_t *paper_fed(const struct paper_tape *tape, const struct paper_batch *batch, size_t t)
{
    return t ? batch->out + (t - 1) * batch->n : tape->before;
}

float *paper_keep(const struct paper_batch *batch, uint64_t which, size_t n, float *room)
{
    if (batch->drop <= 0.0f)
        return NULL;
    fill_keep(num_mix(batch->seed, which, 0), batch->drop, n, room);
    return room;
}

/* A one-hot vector's dropout: a word is dropped from a row as often as it comes, or never. */
void paper_drop_words(const struct paper_net *net, struct paper_tape *tape,
                      const struct paper_batch *batch)
{
    const uint64_t limit = (uint64_t)(batch->drop * 65536.0f);
    for (size_t t = 0; t < net->dims.n_out; t++)
        for (size_t i = 0; i < batch->n; i++) {
            const uint16_t word = paper_fed(tape, batch, t)[i];
            const uint64_t bits = num_mix(batch->seed, 100 + i, word) & 0xffff;
            tape->keep_word[t * batch->n + i] = bits < limit ? 0.0f : 1.0f / (1.0f - batch->drop);
        }
}

void paper_read_words(const struct paper_net *net, const struct arrays *a,
                      const struct paper_batch *batch, int way, const struct lstm_run *run)
{
    const size_t rows = net->dims.n_in * batch->n;
    onehot_begin(&net->in[way], a, rows, run->gates);
    onehot_add(&net->in[way], a, batch->in, NULL, rows, run->gates);
}

void paper_read_words_back(const struct paper_net *net, const struct arrays *a,
                           const struct paper_batch *batch, int way, const struct lstm_run *run)
{
    onehot_backward(&net->in[way], a, batch->in, NULL, run->gates, net->dims.n_in * batch->n);
}
