/* hybrid.c - two convolutions read, two bi-LSTMs write all words at once
   SPDX-License-Identifier: MIT */
#include "net.h"

#include <string.h>

/* hybrid2: the second layer sees of the first one only its last states. */
static int is_layered(const struct paper_net *net)
{
    return net->dims.kind == PAPER_HYBRID2;
}

/* Does a layer get the same input in every step? Else it has one for each. */
static int is_fed_once(const struct paper_net *net, int layer)
{
    return layer == 0 || is_layered(net);
}

static size_t build(struct paper_net *net)
{
    const struct paper_dims *d = &net->dims;
    struct blocks *b = &net->blocks;
    for (int i = 0; i < 2; i++)
        net->conv[i] = (struct conv1d){.taps = d->taps, .stride = d->stride};
    net->conv[0].length = d->n_in;
    conv1d_new(&net->conv[0], b, BLOCK_TABLE, d->in_words, d->filters);
    net->conv[1].length = net->conv[0].out_length;
    conv1d_new(&net->conv[1], b, BLOCK_MATRIX, d->filters, d->filters);
    for (int layer = 0; layer < 2; layer++) {
        const size_t fed = layer ? 2 * d->cells : net->conv[1].out_length * d->filters;
        for (int way = 0; way < 2; way++)
            dense_new(&net->to[layer][way], b, BLOCK_MATRIX, fed, 4 * d->cells, BLOCK_GATES);
        bilstm_new(&net->layer[layer], b, d->cells);
    }
    return 2 * d->cells;
}

static void rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows)
{
    const struct paper_dims *d = &net->dims;
    for (int i = 0; i < 2; i++) {
        const size_t map = net->conv[i].out_length * rows * d->filters;
        const size_t fed = rows * net->to[i][0].w.n_in;
        const size_t all = is_fed_once(net, i) ? fed : d->n_out * fed;
        tape->map[i] = room_take(room, map);
        tape->d_map[i] = room_take(room, map);
        bilstm_run_new(&tape->layer[i], room, d->cells, d->n_out, rows);
        tape->keep_fed[i] = room_take(room, fed);
        for (int way = 0; way < 2; way++)
            tape->keep_state[i][way] = room_take(room, rows * d->cells);
        tape->fed[i] = room_take(room, all);
        tape->d_fed[i] = room_take(room, all);
    }
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* [length][rows][n] to [rows][length][n], or back */
static void swap_axes(const float *in, size_t length, size_t rows, size_t n, float *out)
{
    for (size_t o = 0; o < length; o++)
        for (size_t i = 0; i < rows; i++)
            memcpy(out + (i * length + o) * n, in + (o * rows + i) * n, n * sizeof *out);
}

/* The input's part of the gates of one way, from what a layer is fed */
static void feed(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                 int layer, int way)
{
    const struct dense *to = &net->to[layer][way];
    const struct lstm_run *run = &tape->layer[layer].way[way];
    const size_t n = run->rows * to->w.n_out, inputs = is_fed_once(net, layer) ? 1 : run->steps;
    dense_forward(to, a, tape->fed[layer], inputs * run->rows, run->gates);
    for (size_t t = inputs; t < run->steps; t++)
        memcpy(run->gates + t * n, run->gates, n * sizeof(float));
}

/* Back: the derivatives of steps that have one input are added up in the first one's. */
static void feed_back(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                      int layer, int way)
{
    const struct dense *to = &net->to[layer][way];
    const struct lstm_run *run = &tape->layer[layer].way[way];
    const size_t n = run->rows * to->w.n_out, inputs = is_fed_once(net, layer) ? 1 : run->steps;
    for (size_t t = inputs; t < run->steps; t++)
        add_to(run->gates + t * n, n, run->gates);
    dense_gradient(to, a, tape->fed[layer], run->gates, inputs * run->rows);
    weight_back(a, to->w, inputs * run->rows, run->gates, tape->d_fed[layer], way);
}

/* Dropout of what a layer is fed: the same factors in every one of its steps. */
static void drop_fed(const struct paper_net *net, const struct paper_tape *tape,
                     const struct paper_batch *batch, int layer, float *v)
{
    const size_t n = batch->n * net->to[layer][0].w.n_in;
    const size_t inputs = is_fed_once(net, layer) ? 1 : net->dims.n_out;
    for (size_t t = 0; t < inputs && batch->drop > 0.0f; t++)
        multiply(v + t * n, tape->keep_fed[layer], n, v + t * n);
}

static void hybrid_drop(const struct paper_net *net, struct paper_tape *tape,
                        const struct paper_batch *batch)
{
    for (int i = 0; i < 2; i++) {
        const uint64_t which = 2 + 3 * (uint64_t)i;
        keep_draw(batch->seed, which, batch->drop, batch->n * net->to[i][0].w.n_in,
                  tape->keep_fed[i]);
        for (int way = 0; way < 2; way++)
            tape->layer[i].way[way].keep =
                keep_draw(batch->seed, which + 1 + (uint64_t)way, batch->drop,
                          batch->n * net->dims.cells, tape->keep_state[i][way]);
    }
}

/* ---- forward and backward ------------------------------------------------------------------ */

static void forward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch)
{
    hybrid_drop(net, tape, batch);
    conv1d_forward(&net->conv[0], a, NULL, batch->in, batch->n, tape->map[0]);
    conv1d_forward(&net->conv[1], a, tape->map[0], NULL, batch->n, tape->map[1]);
    swap_axes(tape->map[1], net->conv[1].out_length, batch->n, net->dims.filters, tape->fed[0]);
    for (int i = 0; i < 2; i++) {
        drop_fed(net, tape, batch, i, tape->fed[i]);
        for (int way = 0; way < 2; way++)
            feed(net, tape, a, i, way);
        bilstm_forward(&net->layer[i], a, &tape->layer[i]);
        bilstm_outputs(&tape->layer[i], i == 0 && is_layered(net), i ? tape->top : tape->fed[1]);
    }
}

static void backward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch)
{
    for (int i = 1; i >= 0; i--) {
        bilstm_backward(&net->layer[i], a, &tape->layer[i], i == 0 && is_layered(net),
                        i ? tape->d_top : tape->d_fed[1]);
        for (int way = 0; way < 2; way++)
            feed_back(net, tape, a, i, way);
        drop_fed(net, tape, batch, i, tape->d_fed[i]);
    }
    swap_axes(tape->d_fed[0], batch->n, net->conv[1].out_length, net->dims.filters, tape->d_map[1]);
    conv1d_backward(&net->conv[1], a, tape->map[0], NULL, tape->map[1], batch->n, tape->d_map[1],
                    tape->d_map[0]);
    conv1d_backward(&net->conv[0], a, NULL, batch->in, tape->map[0], batch->n, tape->d_map[0],
                    NULL);
}

const struct paper_ops paper_hybrid = {
    build, rooms, forward, backward, NULL, NULL,
};
