/* writers.c - the networks that write word after word: the encoder-decoder and the attention
   SPDX-License-Identifier: MIT */
#include "net.h"

#include "base/numbers.h"

#include <string.h>

/* ---- what both have ------------------------------------------------------------------------ */

int paper_has_feedback(enum paper_kind kind)
{
    return kind == PAPER_ENCDEC || kind == PAPER_ATTN;
}

static const uint16_t *fed_at(const struct paper_tape *tape, const struct paper_batch *batch,
                              size_t t)
{
    return t ? batch->out + (t - 1) * batch->n : tape->before;
}

/* A one-hot vector's dropout: a word is dropped from a row as often as it comes, or never. */
static void drop_words(const struct paper_net *net, struct paper_tape *tape,
                       const struct paper_batch *batch)
{
    const uint64_t limit = (uint64_t)(batch->drop * 65536.0f);
    for (size_t t = 0; t < net->dims.n_out; t++)
        for (size_t i = 0; i < batch->n; i++) {
            const uint16_t word = fed_at(tape, batch, t)[i];
            const uint64_t bits = num_mix(batch->seed, 100 + i, word) & 0xffff;
            tape->keep_word[t * batch->n + i] = bits < limit ? 0.0f : 1.0f / (1.0f - batch->drop);
        }
}

/* What the words fed at step t are multiplied by, or null */
static const float *keep_of(const struct paper_tape *tape, const struct lstm_run *r, size_t t)
{
    return r->keep ? tape->keep_word + t * r->rows : NULL;
}

static void read_words(const struct paper_net *net, const struct arrays *a,
                       const struct paper_batch *batch, int way, const struct lstm_run *run)
{
    const size_t rows = net->dims.n_in * batch->n;
    dense_begin(&net->in[way], a, rows, run->gates);
    token_forward(a, net->in[way].w, rows, batch->in, NULL, run->gates);
}

static void read_words_back(const struct paper_net *net, const struct arrays *a,
                            const struct paper_batch *batch, int way, const struct lstm_run *run)
{
    dense_token_gradient(&net->in[way], a, batch->in, NULL, run->gates, net->dims.n_in * batch->n);
}

/* Of what an attention looks at there is a context, which the writer is fed. */
static size_t context_size(const struct paper_net *net, size_t rows)
{
    return rows * 2 * net->dims.cells;
}

static void draw_dropout(const struct paper_net *net, struct paper_tape *tape,
                         const struct paper_batch *batch)
{
    struct lstm_run *r = &tape->writer;
    r->keep = keep_draw(batch->seed, 2, batch->drop, r->rows * r->n, tape->keep_state[0][0]);
    if (net->dims.kind != PAPER_ENCDEC)
        keep_draw(batch->seed, 3, batch->drop, context_size(net, r->rows), tape->keep_fed[0]);
    if (r->keep && paper_has_feedback(net->dims.kind))
        drop_words(net, tape, batch);
}

static void writers_forward(const struct paper_net *net, struct paper_tape *tape,
                            const struct arrays *a, const struct paper_batch *batch)
{
    const struct paper_ops *ops = net->dims.kind == PAPER_ENCDEC ? &paper_encdec : &paper_attn;
    const struct lstm_run *r = &tape->writer;
    const int feeds = paper_has_feedback(net->dims.kind);
    draw_dropout(net, tape, batch);
    ops->read(net, tape, a, batch);
    for (size_t t = 0; t < r->steps; t++)
        ops->write(net, tape, a, t, feeds ? fed_at(tape, batch, t) : NULL);
    memcpy(tape->top, lstm_outputs(r), r->steps * r->rows * r->n * sizeof(float));
}

/* Behind its last step there is nothing. */
static void clear_back(const struct lstm_run *r)
{
    memset(r->d_h, 0, r->rows * r->n * sizeof(float));
    memset(r->d_c, 0, r->rows * r->n * sizeof(float));
}

/* From the writer's gates, whose derivatives are known, to the words that it was fed */
static void fed_words_back(const struct paper_net *net, const struct paper_tape *tape,
                           const struct arrays *a, const struct paper_batch *batch)
{
    const struct lstm_run *r = &tape->writer;
    for (size_t t = 0; t < r->steps && paper_has_feedback(net->dims.kind); t++)
        dense_token_gradient(&net->fed, a, fed_at(tape, batch, t), keep_of(tape, r, t),
                             r->gates + t * r->rows * 4 * r->n, r->rows);
}

/* ---- encoder-decoder ----------------------------------------------------------------------- */

static size_t encdec_build(struct paper_net *net)
{
    const struct paper_dims *d = &net->dims;
    struct blocks *b = &net->blocks;
    dense_new(&net->in[0], b, BLOCK_TABLE, d->in_words, 4 * d->cells, BLOCK_GATES);
    lstm_new(&net->reader.way[0], b, d->cells);
    dense_new(&net->fed, b, BLOCK_TABLE, d->out_words + 1, 4 * d->cells, BLOCK_GATES);
    lstm_new(&net->writer, b, d->cells);
    return d->cells;
}

static void encdec_rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                         size_t rows)
{
    const struct paper_dims *d = &net->dims;
    lstm_run_new(&tape->reader.way[0], room, d->cells, d->n_in, rows, 0);
    lstm_run_new(&tape->writer, room, d->cells, d->n_out, rows, 0);
    tape->shared = room_take(room, 0); /* a prefix's state is all that its next word needs */
    tape->keep_state[0][0] = room_take(room, rows * d->cells);
}

/* The reader's last state is the writer's first. */
static void encdec_read_problem(const struct paper_net *net, struct paper_tape *tape,
                                const struct arrays *a, const struct paper_batch *batch)
{
    struct lstm_run *reader = &tape->reader.way[0], *writer = &tape->writer;
    const size_t from = lstm_after(reader, reader->steps - 1), to = lstm_before(writer, 0);
    const size_t bytes = reader->rows * reader->n * sizeof(float);
    read_words(net, a, batch, 0, reader);
    lstm_clear(reader);
    lstm_forward(&net->reader.way[0], a, reader);
    memcpy(writer->c + to, reader->c + from, bytes);
    memcpy(writer->h + to, reader->h + from, bytes);
}

static void encdec_write_word(const struct paper_net *net, struct paper_tape *tape,
                              const struct arrays *a, size_t t, const uint16_t *fed)
{
    struct lstm_run *r = &tape->writer;
    float *gates = r->gates + t * r->rows * 4 * r->n;
    dense_begin(&net->fed, a, r->rows, gates);
    token_forward(a, net->fed.w, r->rows, fed, keep_of(tape, r, t), gates);
    lstm_step(&net->writer, a, r, t);
}

/* The writer's first state, whose derivatives it leaves, is the reader's last. */
static void encdec_backward(const struct paper_net *net, struct paper_tape *tape,
                            const struct arrays *a, const struct paper_batch *batch)
{
    const struct lstm_run *reader = &tape->reader.way[0], *writer = &tape->writer;
    const size_t bytes = reader->rows * reader->n * sizeof(float);
    clear_back(writer);
    lstm_backward(&net->writer, a, writer, tape->d_top);
    fed_words_back(net, tape, a, batch);
    memcpy(reader->d_h, writer->d_h, bytes);
    memcpy(reader->d_c, writer->d_c, bytes);
    lstm_backward(&net->reader.way[0], a, reader, NULL);
    read_words_back(net, a, batch, 0, reader);
}

const struct paper_ops paper_encdec = {
    encdec_build,    encdec_rooms,        writers_forward,
    encdec_backward, encdec_read_problem, encdec_write_word,
};

/* ---- attention ----------------------------------------------------------------------------- */

static size_t attn_build(struct paper_net *net)
{
    const struct paper_dims *d = &net->dims;
    struct blocks *b = &net->blocks;
    for (int way = 0; way < 2; way++)
        dense_new(&net->in[way], b, BLOCK_TABLE, d->in_words, 4 * d->cells, BLOCK_GATES);
    bilstm_new(&net->reader, b, d->cells);
    attention_new(&net->look, b, d->post, 2 * d->cells, d->nodes);
    dense_new(&net->picked, b, BLOCK_MATRIX, 2 * d->cells, 4 * d->post, BLOCK_GATES);
    if (paper_has_feedback(d->kind))
        dense_new(&net->fed, b, BLOCK_TABLE, d->out_words + 1, 4 * d->post, BLOCK_NONE);
    lstm_new(&net->writer, b, d->post);
    return d->post;
}

static void attn_rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                       size_t rows)
{
    const struct paper_dims *d = &net->dims;
    const size_t fed = context_size(net, rows);
    bilstm_run_new(&tape->reader, room, d->cells, d->n_in, rows);
    attention_run_new(&net->look, &tape->look, room, d->n_in, d->n_out, rows);
    tape->shared = tape->look.seq;
    tape->n_shared = d->n_in * rows * (net->look.n_a + net->look.pad);
    lstm_run_new(&tape->writer, room, d->post, d->n_out, rows, 0);
    tape->keep_state[0][0] = room_take(room, rows * d->post);
    tape->keep_fed[0] = room_take(room, fed);
    tape->picked = room_take(room, d->n_out * fed);
    tape->d_picked = room_take(room, fed);
}

static void attn_read_problem(const struct paper_net *net, struct paper_tape *tape,
                              const struct arrays *a, const struct paper_batch *batch)
{
    for (int way = 0; way < 2; way++)
        read_words(net, a, batch, way, &tape->reader.way[way]);
    bilstm_forward(&net->reader, a, &tape->reader);
    bilstm_outputs(&tape->reader, 0, tape->look.seq);
    dense_forward(&net->look.look, a, tape->look.seq, tape->look.length * tape->look.rows,
                  tape->look.looked);
    lstm_clear(&tape->writer);
}

/* The context, after dropout, and the word before are what the writer is fed. */
static void attn_write_word(const struct paper_net *net, struct paper_tape *tape,
                            const struct arrays *a, size_t t, const uint16_t *fed)
{
    struct lstm_run *r = &tape->writer;
    const size_t n = context_size(net, r->rows);
    float *picked = tape->picked + t * n, *gates = r->gates + t * r->rows * 4 * r->n;
    attention_step(&net->look, a, &tape->look, t, r->h + lstm_before(r, t), picked);
    if (r->keep)
        multiply(picked, tape->keep_fed[0], n, picked);
    dense_forward(&net->picked, a, picked, r->rows, gates);
    if (paper_has_feedback(net->dims.kind))
        token_forward(a, net->fed.w, r->rows, fed, keep_of(tape, r, t), gates);
    lstm_step(&net->writer, a, r, t);
}

/* Step t back: through the writer into its state before, and through the attention. */
static void write_back(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                       size_t t)
{
    struct lstm_run *r = &tape->writer;
    const size_t n = context_size(net, r->rows), state = r->rows * r->n;
    lstm_step_back(&net->writer, a, r, t, tape->d_top + t * state);
    weight_back(a, net->picked.w, r->rows, r->gates + t * state * 4, tape->d_picked, 0);
    if (r->keep)
        multiply(tape->d_picked, tape->keep_fed[0], n, tape->d_picked);
    attention_step_back(&net->look, a, &tape->look, t, r->h + lstm_before(r, t), tape->d_picked,
                        r->d_h);
}

static void attn_backward(const struct paper_net *net, struct paper_tape *tape,
                          const struct arrays *a, const struct paper_batch *batch)
{
    const struct lstm_run *r = &tape->writer;
    clear_back(r);
    for (size_t t = r->steps; t-- > 0;)
        write_back(net, tape, a, t);
    lstm_finish(&net->writer, a, r);
    dense_gradient(&net->picked, a, tape->picked, r->gates, r->steps * r->rows);
    fed_words_back(net, tape, a, batch);
    bilstm_backward(&net->reader, a, &tape->reader, 0, tape->look.d_seq);
    for (int way = 0; way < 2; way++)
        read_words_back(net, a, batch, way, &tape->reader.way[way]);
}

const struct paper_ops paper_attn = {
    attn_build, attn_rooms, writers_forward, attn_backward, attn_read_problem, attn_write_word,
};
