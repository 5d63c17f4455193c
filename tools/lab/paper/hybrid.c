/* hybrid.c - two convolutions read, two bi-LSTMs write all words at once
   SPDX-License-Identifier: MIT */
#include "net.h"

#include <string.h>

/* hybrid2: the second layer sees of the first one only its last states. */
static int is_layered(const struct paper_net *net)
{
    return net->dims.kind == PAPER_HYBRID2;
}

static void build(struct paper_net *net)
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
}

static size_t width(const struct paper_net *net)
{
    return 2 * net->dims.cells;
}

static void rooms(const struct paper_net *net, struct paper_tape *tape, struct room *room,
                  size_t rows)
{
    const struct paper_dims *d = &net->dims;
    const size_t mid = (is_layered(net) ? 1 : d->n_out) * rows * 2 * d->cells;
    for (int i = 0; i < 2; i++) {
        const size_t map = net->conv[i].out_length * rows * d->filters;
        tape->map[i] = room_take(room, map);
        tape->d_map[i] = room_take(room, map);
        bilstm_run_new(&tape->layer[i], room, d->cells, d->n_out, rows);
        tape->keep_fed[i] = room_take(room, rows * net->to[i][0].w.n_in);
        for (int way = 0; way < 2; way++)
            tape->keep_state[i][way] = room_take(room, rows * d->cells);
    }
    tape->flat = room_take(room, rows * net->to[0][0].w.n_in);
    tape->d_flat = room_take(room, rows * net->to[0][0].w.n_in);
    tape->once = room_take(room, rows * 4 * d->cells);
    tape->mid = room_take(room, mid);
    tape->d_mid = room_take(room, mid);
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* [length][rows][n] to [rows][length][n], or back */
static void swap_axes(const float *in, size_t length, size_t rows, size_t n, float *out)
{
    for (size_t o = 0; o < length; o++)
        for (size_t i = 0; i < rows; i++)
            memcpy(out + (i * length + o) * n, in + (o * rows + i) * n, n * sizeof *out);
}

/* The same input in every step. */
static void feed_once(const struct dense *to, struct paper_tape *tape, const struct arrays *a,
                      const float *fed, const struct lstm_run *run)
{
    const size_t n = run->rows * to->w.n_out;
    dense_forward(to, a, fed, run->rows, tape->once);
    for (size_t t = 0; t < run->steps; t++)
        memcpy(run->gates + t * n, tape->once, n * sizeof(float));
}

static void feed_once_back(const struct dense *to, struct paper_tape *tape, const struct arrays *a,
                           const float *fed, const struct lstm_run *run, float *d_fed, int add)
{
    const size_t n = run->rows * to->w.n_out;
    memcpy(tape->once, run->gates, n * sizeof(float));
    for (size_t t = 1; t < run->steps; t++)
        add_to(run->gates + t * n, n, tape->once);
    dense_gradient(to, a, fed, tape->once, run->rows);
    weight_back(a, to->w, run->rows, tape->once, d_fed, add);
}

/* Dropout of what a layer is fed: the same factors in every one of its steps. */
static void drop_fed(const struct paper_batch *batch, const struct paper_tape *tape, int layer,
                     size_t steps, size_t n, float *v)
{
    if (batch->drop > 0.0f)
        for (size_t t = 0; t < steps; t++)
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

/* ---- forward ------------------------------------------------------------------------------- */

static size_t mid_steps(const struct paper_net *net)
{
    return is_layered(net) ? 1 : net->dims.n_out;
}

static void convolve(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch)
{
    conv1d_forward(&net->conv[0], a, NULL, batch->in, batch->n, tape->map[0]);
    conv1d_forward(&net->conv[1], a, tape->map[0], NULL, batch->n, tape->map[1]);
    swap_axes(tape->map[1], net->conv[1].out_length, batch->n, net->dims.filters, tape->flat);
}

static void first_layer(const struct paper_net *net, struct paper_tape *tape,
                        const struct arrays *a)
{
    for (int way = 0; way < 2; way++)
        feed_once(&net->to[0][way], tape, a, tape->flat, &tape->layer[0].way[way]);
    bilstm_forward(&net->layer[0], a, &tape->layer[0]);
    if (is_layered(net))
        bilstm_last(&tape->layer[0], tape->mid);
    else
        bilstm_outputs(&tape->layer[0], tape->mid);
}

static void second_layer(const struct paper_net *net, struct paper_tape *tape,
                         const struct arrays *a)
{
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &tape->layer[1].way[way];
        if (is_layered(net))
            feed_once(&net->to[1][way], tape, a, tape->mid, run);
        else
            dense_forward(&net->to[1][way], a, tape->mid, run->steps * run->rows, run->gates);
    }
    bilstm_forward(&net->layer[1], a, &tape->layer[1]);
    bilstm_outputs(&tape->layer[1], tape->top);
}

static void forward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                    const struct paper_batch *batch)
{
    hybrid_drop(net, tape, batch);
    convolve(net, tape, a, batch);
    drop_fed(batch, tape, 0, 1, batch->n * net->to[0][0].w.n_in, tape->flat);
    first_layer(net, tape, a);
    drop_fed(batch, tape, 1, mid_steps(net), batch->n * net->to[1][0].w.n_in, tape->mid);
    second_layer(net, tape, a);
}

/* ---- backward ------------------------------------------------------------------------------ */

static void second_layer_back(const struct paper_net *net, struct paper_tape *tape,
                              const struct arrays *a)
{
    bilstm_backward(&net->layer[1], a, &tape->layer[1], tape->d_top);
    for (int way = 0; way < 2; way++) {
        const struct lstm_run *run = &tape->layer[1].way[way];
        const struct dense *to = &net->to[1][way];
        if (is_layered(net)) {
            feed_once_back(to, tape, a, tape->mid, run, tape->d_mid, way);
        } else {
            dense_gradient(to, a, tape->mid, run->gates, run->steps * run->rows);
            weight_back(a, to->w, run->steps * run->rows, run->gates, tape->d_mid, way);
        }
    }
}

static void first_layer_back(const struct paper_net *net, struct paper_tape *tape,
                             const struct arrays *a)
{
    if (is_layered(net))
        bilstm_backward_last(&net->layer[0], a, &tape->layer[0], tape->d_mid);
    else
        bilstm_backward(&net->layer[0], a, &tape->layer[0], tape->d_mid);
    for (int way = 0; way < 2; way++)
        feed_once_back(&net->to[0][way], tape, a, tape->flat, &tape->layer[0].way[way],
                       tape->d_flat, way);
}

static void convolve_back(const struct paper_net *net, struct paper_tape *tape,
                          const struct arrays *a, const struct paper_batch *batch)
{
    const size_t length = net->conv[1].out_length;
    swap_axes(tape->d_flat, batch->n, length, net->dims.filters, tape->d_map[1]);
    conv1d_backward(&net->conv[1], a, tape->map[0], NULL, tape->map[1], batch->n, tape->d_map[1],
                    tape->d_map[0]);
    conv1d_backward(&net->conv[0], a, NULL, batch->in, tape->map[0], batch->n, tape->d_map[0],
                    NULL);
}

static void backward(const struct paper_net *net, struct paper_tape *tape, const struct arrays *a,
                     const struct paper_batch *batch)
{
    second_layer_back(net, tape, a);
    drop_fed(batch, tape, 1, mid_steps(net), batch->n * net->to[1][0].w.n_in, tape->d_mid);
    first_layer_back(net, tape, a);
    drop_fed(batch, tape, 0, 1, batch->n * net->to[0][0].w.n_in, tape->d_flat);
    convolve_back(net, tape, a, batch);
}

const struct paper_ops paper_hybrid = {
    build, rooms, forward, backward, width, NULL, NULL, NULL,
};
