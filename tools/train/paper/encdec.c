/* encdec.c - the encoder-decoder: what is read ends as one state, from which all words are written
   SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <string.h>

static void build(struct paper_net *net)
{
    const struct paper_dims *d = &net->dims;
    struct blocks *b = &net->blocks;
    onehot_new_biased(&net->in[0], b, d->in_words, 4 * d->cells, BLOCK_GATES);
    lstm_new(&net->reader.way[0], b, d->cells);
    onehot_new_biased(&net->fed, b, d->out_words + 1, 4 * d->cells, BLOCK_GATES);
    lstm_new(&net->writer, b, d->cells);
}

static size_t width(const struct paper_net *net)
{
    return net->dims.cells;
}

static void rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows)
{
    const struct paper_dims *d = &net->dims;
    lstm_run_new(&tape->reader.way[0], room, d->cells, d->n_in, rows, 0);
    lstm_run_new(&tape->writer, room, d->cells, d->n_out, rows, 0);
    tape->keep_state[0][0] = room_take(room, rows * d->cells);
}

/* The reader's last state is the writer's first. */
static void read_problem(const struct paper_net *net, struct paper_tape *tape,
                         const struct arrays *a, const struct paper_batch *batch)
{
    struct lstm_run *reader = &tape->reader.way[0], *writer = &tape->writer;
    const size_t from = lstm_after(reader, reader->steps - 1), to = lstm_before(writer, 0);
    const size_t bytes = reader->rows * reader->n * sizeof(float);
    paper_read_words(net, a, batch, 0, reader);
    lstm_clear(reader);
    lstm_forward(&net->reader.way[0], a, reader);
    memcpy(writer->c + to, reader->c + from, bytes);
    memcpy(writer->h + to, reader->h + from, bytes);
}

static const float *keep_of(const struct paper_tape *tape, const struct lstm_run *r, size_t t)
{
    return r->keep ? tape->keep_word + t * r->rows : NULL;
}

static void write_word(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                       size_t t, const uint16_t *fed)
{
    struct lstm_run *r = &tape->writer;
    float *gates = r->gates + t * r->rows * 4 * r->n;
    onehot_begin(&net->fed, a, r->rows, gates);
    onehot_add(&net->fed, a, fed, keep_of(tape, r, t), r->rows, gates);
    lstm_step(&net->writer, a, r, t);
}

static void forward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch)
{
    struct lstm_run *r = &tape->writer;
    r->keep = paper_keep(batch, 2, r->rows * r->n, tape->keep_state[0][0]);
    if (r->keep)
        paper_drop_words(net, tape, batch);
    read_problem(net, tape, a, batch);
    for (size_t t = 0; t < r->steps; t++)
        write_word(net, tape, a, t, paper_fed(tape, batch, t));
    memcpy(tape->top, lstm_outputs(r), r->steps * r->rows * r->n * sizeof(float));
}

static void reader_back(const struct paper_net *net, struct paper_tape *tape,
                        const struct arrays *a, const struct paper_batch *batch)
{
    struct lstm_run *reader = &tape->reader.way[0];
    const size_t bytes = reader->rows * reader->n * sizeof(float);
    memcpy(reader->d_h, tape->writer.d_h, bytes);
    memcpy(reader->d_c, tape->writer.d_c, bytes);
    for (size_t t = reader->steps; t-- > 0;)
        lstm_step_back(&net->reader.way[0], a, reader, t, NULL);
    lstm_finish(&net->reader.way[0], a, reader);
    paper_read_words_back(net, a, batch, 0, reader);
}

static void backward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch)
{
    const struct lstm_run *r = &tape->writer;
    lstm_backward(&net->writer, a, r, tape->d_top);
    for (size_t t = 0; t < r->steps; t++)
        onehot_backward(&net->fed, a, paper_fed(tape, batch, t), keep_of(tape, r, t),
                        r->gates + t * r->rows * 4 * r->n, r->rows);
    reader_back(net, tape, a, batch);
}

/* A prefix's state is all that its next word needs. */
static size_t memory(const struct paper_net *net, const struct paper_tape *tape, float *piece[2],
                     size_t length[2])
{
    (void)net;
    (void)tape;
    piece[0] = piece[1] = NULL;
    return length[0] = length[1] = 0;
}

const struct paper_ops paper_encdec = {
    build, rooms, forward, backward, width, read_problem, write_word, memory,
};
