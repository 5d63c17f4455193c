/* attn.c - attention: before each word the writer looks again at all that was read
   SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <string.h>

static void build(struct paper_net *net)
{
    const struct paper_dims *d = &net->dims;
    struct blocks *b = &net->blocks;
    for (int way = 0; way < 2; way++)
        onehot_new_biased(&net->in[way], b, d->in_words, 4 * d->cells, BLOCK_GATES);
    bilstm_new(&net->reader, b, d->cells);
    attention_new(&net->look, b, d->post, 2 * d->cells, d->nodes);
    dense_new(&net->picked, b, 2 * d->cells, 4 * d->post, BLOCK_GATES);
    if (paper_has_feedback(d->kind))
        onehot_new(&net->fed, b, d->out_words + 1, 4 * d->post);
    lstm_new(&net->writer, b, d->post);
}

static size_t width(const struct paper_net *net)
{
    return net->dims.post;
}

static void rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows)
{
    const struct paper_dims *d = &net->dims;
    const size_t fed = rows * 2 * d->cells;
    bilstm_run_new(&tape->reader, room, d->cells, d->n_in, rows);
    attention_run_new(&net->look, &tape->look, room, d->n_in, d->n_out, rows);
    lstm_run_new(&tape->writer, room, d->post, d->n_out, rows, 0);
    tape->keep_state[0][0] = room_take(room, rows * d->post);
    tape->keep_fed[0] = room_take(room, fed);
    tape->seq = room_take(room, d->n_in * fed);
    tape->d_seq = room_take(room, d->n_in * fed);
    tape->picked = room_take(room, d->n_out * fed);
    tape->d_picked = room_take(room, fed);
}

static void read_problem(const struct paper_net *net, struct paper_tape *tape,
                         const struct arrays *a, const struct paper_batch *batch)
{
    for (int way = 0; way < 2; way++)
        paper_read_words(net, a, batch, way, &tape->reader.way[way]);
    bilstm_forward(&net->reader, a, &tape->reader);
    bilstm_outputs(&tape->reader, tape->seq);
    attention_begin(&net->look, a, &tape->look, tape->seq);
    lstm_clear(&tape->writer);
}

static size_t fed_width(const struct paper_net *net, const struct paper_tape *tape)
{
    return tape->writer.rows * 2 * net->dims.cells;
}

/* The context, after dropout, and the word before are what the writer is fed. */
static void write_word(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                       size_t t, const uint16_t *fed)
{
    struct lstm_run *r = &tape->writer;
    const size_t n = fed_width(net, tape);
    float *picked = tape->picked + t * n, *gates = r->gates + t * r->rows * 4 * r->n;
    attention_step(&net->look, a, &tape->look, t, tape->seq, r->h + lstm_before(r, t), picked);
    if (r->keep)
        multiply(picked, tape->keep_fed[0], n, picked);
    dense_forward(&net->picked, a, picked, r->rows, gates);
    if (paper_has_feedback(net->dims.kind))
        onehot_add(&net->fed, a, fed, r->keep ? tape->keep_word + t * r->rows : NULL, r->rows,
                   gates);
    lstm_step(&net->writer, a, r, t);
}

static void drop(const struct paper_net *net, struct paper_tape *tape,
                 const struct paper_batch *batch)
{
    struct lstm_run *r = &tape->writer;
    r->keep = paper_keep(batch, 2, r->rows * r->n, tape->keep_state[0][0]);
    paper_keep(batch, 3, fed_width(net, tape), tape->keep_fed[0]);
    if (r->keep && paper_has_feedback(net->dims.kind))
        paper_drop_words(net, tape, batch);
}

static void forward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch)
{
    const int feeds = paper_has_feedback(net->dims.kind);
    struct lstm_run *r = &tape->writer;
    drop(net, tape, batch);
    read_problem(net, tape, a, batch);
    for (size_t t = 0; t < r->steps; t++)
        write_word(net, tape, a, t, feeds ? paper_fed(tape, batch, t) : NULL);
    memcpy(tape->top, lstm_outputs(r), r->steps * r->rows * r->n * sizeof(float));
}

/* Step t back: through the writer into its state before, and through the attention. */
static void write_back(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                       size_t t)
{
    struct lstm_run *r = &tape->writer;
    const size_t n = fed_width(net, tape), state = r->rows * r->n;
    lstm_step_back(&net->writer, a, r, t, tape->d_top + t * state);
    dense_back_in(&net->picked, a, r->gates + t * state * 4, r->rows, tape->d_picked, 0);
    if (r->keep)
        multiply(tape->d_picked, tape->keep_fed[0], n, tape->d_picked);
    attention_step_back(&net->look, a, &tape->look, t, tape->seq, r->h + lstm_before(r, t),
                        tape->d_picked, tape->d_seq, r->d_h);
}

static void writer_back(const struct paper_net *net, struct paper_tape *tape,
                        const struct arrays *a, const struct paper_batch *batch)
{
    struct lstm_run *r = &tape->writer;
    const size_t state = r->rows * r->n;
    memset(tape->d_seq, 0, net->dims.n_in * fed_width(net, tape) * sizeof(float));
    memset(r->d_h, 0, state * sizeof(float));
    memset(r->d_c, 0, state * sizeof(float));
    attention_back_begin(&net->look, &tape->look);
    for (size_t t = r->steps; t-- > 0;)
        write_back(net, tape, a, t);
    lstm_finish(&net->writer, a, r);
    dense_back_weights(&net->picked, a, tape->picked, r->gates, r->steps * r->rows);
    for (size_t t = 0; t < r->steps && paper_has_feedback(net->dims.kind); t++)
        onehot_backward(&net->fed, a, paper_fed(tape, batch, t),
                        r->keep ? tape->keep_word + t * r->rows : NULL, r->gates + t * state * 4,
                        r->rows);
}

static void backward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch)
{
    writer_back(net, tape, a, batch);
    attention_finish(&net->look, a, &tape->look, tape->seq, tape->d_seq);
    bilstm_backward(&net->reader, a, &tape->reader, tape->d_seq);
    for (int way = 0; way < 2; way++)
        paper_read_words_back(net, a, batch, way, &tape->reader.way[way]);
}

static size_t memory(const struct paper_net *net, const struct paper_tape *tape, float *piece[2],
                     size_t length[2])
{
    piece[0] = tape->seq;
    length[0] = net->dims.n_in * 2 * net->dims.cells;
    piece[1] = tape->look.looked;
    length[1] = net->dims.n_in * net->look.pad;
    return length[0] + length[1];
}

const struct paper_ops paper_attn = {
    build, rooms, forward, backward, width, read_problem, write_word, memory,
};
