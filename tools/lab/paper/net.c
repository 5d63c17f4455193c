/* net.c - what the five networks have in common, see net.h
   SPDX-License-Identifier: MIT */
#include "net.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

const char *const paper_names[PAPER_KINDS] = {"encdec", "attn", "attn2", "hybrid", "hybrid2"};

static const struct paper_ops *const ops[PAPER_KINDS] = {
    &paper_encdec, &paper_attn, &paper_attn, &paper_hybrid, &paper_hybrid,
};

static const struct paper_ops *ops_of(const struct paper_net *net)
{
    return ops[net->dims.kind];
}

/* ---- dimensions and weights ---------------------------------------------------------------- */

static int dims_possible(const struct paper_dims *d)
{
#define WITHIN(name, most) d->name >= 1 && d->name <= (most) &&
    return PAPER_DIMS(WITHIN) d->cells % 16 == 0 && d->post % 16 == 0 && d->filters % 16 == 0;
#undef WITHIN
}

int paper_new(struct paper_net *net, const struct paper_dims *dims, const char *name)
{
    memset(net, 0, sizeof *net);
    if (!dims_possible(dims))
        return fail("%s: the network's dimensions are impossible (paper_cells, paper_post and "
                    "paper_filters are multiples of 16)",
                    name);
    net->dims = *dims;
    const size_t width = ops_of(net)->build(net);
    dense_new(&net->out, &net->blocks, BLOCK_MATRIX, width, dims->out_words, BLOCK_BIAS);
    net->w = xcalloc(net->blocks.n_weights, sizeof *net->w);
    return 0;
}

void paper_free(struct paper_net *net)
{
    free(net->w);
    net->w = NULL;
}

/* ---- tapes --------------------------------------------------------------------------------- */

/* Lays the tape out for so many rows; gives the floats that takes. */
static size_t lay_out(const struct paper_net *net, struct paper_tape *tape, float *memory,
                      size_t rows)
{
    const struct paper_dims *d = &net->dims;
    const size_t n = d->n_out * rows;
    struct room room = {memory, 0};
    ops_of(net)->rooms(net, tape, &room, rows);
    tape->keep_word = room_take(&room, n);
    tape->top = room_take(&room, n * net->out.w.n_in);
    tape->d_top = room_take(&room, n * net->out.w.n_in);
    tape->logits = room_take(&room, n * net->out.w.n_out);
    return room.used;
}

void paper_tape_new(struct paper_tape *tape, const struct paper_net *net, size_t most)
{
    *tape = (struct paper_tape){.most = most};
    tape->memory = xmalloc(lay_out(net, tape, NULL, most) * sizeof(float));
    tape->before = xmalloc(most * sizeof *tape->before);
    for (size_t i = 0; i < most; i++)
        tape->before[i] = (uint16_t)net->dims.out_words;
}

void paper_tape_free(struct paper_tape *tape)
{
    free(tape->memory);
    free(tape->before);
}

/* ---- rows ---------------------------------------------------------------------------------- */

double paper_run(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                 const struct paper_batch *batch, float scale)
{
    const size_t rows = net->dims.n_out * batch->n;
    lay_out(net, tape, tape->memory, batch->n);
    ops_of(net)->forward(net, tape, a, batch);
    dense_forward(&net->out, a, tape->top, rows, tape->logits);
    const double loss = softmax_loss(tape->logits, rows, net->dims.out_words, net->out.w.n_out,
                                     batch->out, scale, a->g ? tape->logits : NULL);
    if (!a->g)
        return loss;
    dense_gradient(&net->out, a, tape->top, tape->logits, rows);
    weight_back(a, net->out.w, rows, tape->logits, tape->d_top, 0);
    ops_of(net)->backward(net, tape, a, batch);
    return loss;
}

/* ---- one problem --------------------------------------------------------------------------- */

size_t paper_state(const struct paper_net *net)
{
    return paper_has_feedback(net->dims.kind) ? 2 * net->writer.n : 0;
}

size_t paper_memory(const struct paper_net *net)
{
    struct paper_tape tape = {0};
    if (!paper_has_feedback(net->dims.kind))
        return net->dims.n_out * net->out.w.n_out;
    lay_out(net, &tape, NULL, 1);
    return tape.n_shared;
}

/* The writer's state after step 0, its cells and its output. */
static void take_state(const struct lstm_run *r, void *state)
{
    const size_t bytes = r->n * sizeof(float);
    memcpy(state, r->c + lstm_after(r, 0), bytes);
    memcpy((char *)state + bytes, r->h + lstm_after(r, 0), bytes);
}

static void put_state(const struct lstm_run *r, const void *state)
{
    const size_t bytes = r->n * sizeof(float);
    memcpy(r->c + lstm_before(r, 0), state, bytes);
    memcpy(r->h + lstm_before(r, 0), (const char *)state + bytes, bytes);
}

void paper_start(const struct paper_net *net, struct paper_tape *tape, const uint16_t *in,
                 void *memory, void *state)
{
    const struct arrays a = {net->w, NULL, NULL, NULL};
    const struct paper_batch batch = {1, in, NULL, 0, 0};
    lay_out(net, tape, tape->memory, 1);
    if (paper_has_feedback(net->dims.kind)) {
        ops_of(net)->read(net, tape, &a, &batch);
        memcpy(memory, tape->shared, tape->n_shared * sizeof(float));
        ops_of(net)->write(net, tape, &a, 0, tape->before);
        take_state(&tape->writer, state);
    } else {
        ops_of(net)->forward(net, tape, &a, &batch);
        dense_forward(&net->out, &a, tape->top, net->dims.n_out, tape->logits);
        memcpy(memory, tape->logits, paper_memory(net) * sizeof(float));
    }
}

void paper_extend(const struct paper_net *net, struct paper_tape *tape, const void *memory,
                  const void *state, uint16_t word, void *next)
{
    const struct arrays a = {net->w, NULL, NULL, NULL};
    if (!paper_has_feedback(net->dims.kind))
        return;
    lay_out(net, tape, tape->memory, 1);
    tape->writer.keep = NULL;
    memcpy(tape->shared, memory, tape->n_shared * sizeof(float));
    put_state(&tape->writer, state);
    ops_of(net)->write(net, tape, &a, 0, &word);
    take_state(&tape->writer, next);
}

const float *paper_logits(const struct paper_net *net, struct paper_tape *tape, const void *memory,
                          const void *state, size_t t)
{
    const struct arrays a = {net->w, NULL, NULL, NULL};
    const size_t bytes = net->out.w.n_out * sizeof(float), n = net->writer.n * sizeof(float);
    if (paper_has_feedback(net->dims.kind)) {
        memcpy(tape->top, (const char *)state + n, n);
        dense_forward(&net->out, &a, tape->top, 1, tape->logits);
    } else {
        memcpy(tape->logits, (const char *)memory + t * bytes, bytes);
    }
    return tape->logits;
}
