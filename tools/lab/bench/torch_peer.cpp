/* torch_peer.cpp - kpred's network in libtorch: its weights as floats, one matrix product a layer
   SPDX-License-Identifier: MIT

   The features are kpred's own, computed by kpred.h, and so is the rule. What is not there is the
   rounding of activations, so some tuples differ. */
#define KPRED_STATIC
#include "kpred.h"

#include "bench.h"

#include <cmath>
#include <cstdio>
#include <torch/torch.h>
#include <vector>

namespace
{

constexpr float ACTIVATION = 1 / 64.0f; /* what a step of an activation is worth */
constexpr float MOST = 127 * ACTIVATION;
constexpr float LOGIT = 1 / 65536.0f; /* Q16 */

struct Head {
    torch::Tensor embedding, weight, bias;
};

struct State {
    size_t n_weights;
    const kpred_model *model;
    const kpred_additive *net;
    beam search;
    torch::Tensor weight[3], bias[3], context;
    std::vector<Head> heads;
};

struct Peer { // what the driver makes
    peer_state head;
    State *state;
};

/* Integer weights times a power of two, as floats */
template <typename T>
torch::Tensor tensor_of(State *s, const T *from, long rows, long cols, float scale)
{
    torch::Tensor out = torch::empty({rows, cols});
    float *to = out.data_ptr<float>();
    for (long i = 0; i < rows * cols; i++)
        to[i] = static_cast<float>(from[i]) * scale;
    s->n_weights += static_cast<size_t>(rows * cols);
    return out;
}

/* An accumulator of a dense layer is worth 2^-shift steps of an activation. */
void make_layers(State *s)
{
    for (int i = 0; i < 3; i++) {
        const kpred_layer *layer = &s->net->layer[i];
        const float scale = i < 2 ? std::ldexp(1.0f, -layer->shift) : 1;
        s->weight[i] = tensor_of(s, layer->weight, layer->rows, layer->cols, scale).t();
        s->bias[i] = tensor_of(s, layer->bias, 1, layer->rows, scale * ACTIVATION);
    }
}

/* The same for what a parameter's hidden units add up: all of it is worth 2^-hidden_shift steps. */
void make_heads(State *s)
{
    long values = 0;
    for (uint32_t t = 0; t < s->model->n_params; t++) {
        const kpred_head *head = &s->net->heads[t];
        const long n = s->model->params[t].n_values, hidden = s->net->hidden;
        Head out;
        if (head->weight) {
            const float logit = std::ldexp(LOGIT, head->logit_shift);
            out.embedding = tensor_of(s, head->embedding, values, hidden,
                                      std::ldexp(ACTIVATION, head->embedding_shift));
            out.weight = tensor_of(s, head->weight, n, hidden, logit / ACTIVATION).t();
            out.bias = tensor_of(s, head->bias, 1, n, logit);
            values += n;
        }
        s->heads.push_back(out);
    }
}

void start(State *s, const int32_t *problem)
{
    int32_t registers[KPRED_MAX_REGISTERS];
    int16_t feature[KPRED_MAX_WIDTH];
    const size_t width = s->net->layer[0].cols;
    for (uint32_t f = 0; f < s->model->n_fields; f++)
        registers[f] = problem[f];
    kpri_features(s->net, s->model->n_fields, width, registers, feature);
    torch::Tensor x = torch::empty({1, static_cast<long>(width)});
    for (size_t i = 0; i < width; i++)
        x.data_ptr<float>()[i] = feature[i] * ACTIVATION;
    for (int i = 0; i < 2; i++)
        x = torch::addmm(s->bias[i], x, s->weight[i]).clamp_(0, MOST);
    s->context = torch::addmm(s->bias[2], x, s->weight[2]);
}

/* For each prefix the rows of the embedding that its values stand for, one after the other */
torch::Tensor rows_of(const State *s, size_t t, const beam_prefix *prefix, size_t n, long decided)
{
    torch::Tensor rows = torch::empty({static_cast<long>(n), decided}, torch::kLong);
    int64_t *to = rows.data_ptr<int64_t>();
    for (size_t i = 0; i < n; i++) {
        int64_t first = 0;
        for (size_t u = 0; u < t; u++)
            if (s->net->heads[u].weight) {
                *to++ = first + prefix[i].index[u];
                first += s->model->params[u].n_values;
            }
    }
    return rows;
}

void logs_of(void *state, size_t t, const beam_prefix *prefix, size_t n, double *logs)
{
    State *s = static_cast<State *>(state);
    const Head &head = s->heads[t];
    long decided = 0;
    if (!s->net->heads[t].weight) {
        for (size_t i = 0; i < n; i++)
            logs[i * KPRED_MAX_VALUES] = 0;
        return;
    }
    for (size_t u = 0; u < t; u++)
        decided += s->net->heads[u].weight != nullptr;
    torch::Tensor x = s->context.narrow(1, decided * s->net->hidden, s->net->hidden);
    if (decided)
        x = head.embedding.index({rows_of(s, t, prefix, n, decided)}).sum(1) + x;
    x = (x * std::ldexp(1.0f, -s->net->heads[t].hidden_shift)).clamp_(0, MOST);
    x = torch::addmm(head.bias, x, head.weight) * static_cast<float>(std::log(2.0));
    x = torch::log_softmax(x, 1).contiguous();
    const float *from = x.data_ptr<float>();
    for (size_t i = 0; i < n; i++)
        for (int32_t v = 0; v < s->model->params[t].n_values; v++)
            logs[i * KPRED_MAX_VALUES + static_cast<size_t>(v)] = static_cast<double>(*from++);
}

int open_torch(void *peer, char[PEER_WHY])
{
    Peer *p = static_cast<Peer *>(peer);
    const peer_task &task = p->head.task;
    State *s = p->state = new State{};
    at::set_num_threads(1);
    s->model = task.model;
    s->net = static_cast<const kpred_additive *>(task.model->net);
    make_layers(s);
    make_heads(s);
    p->head.model_bytes = s->n_weights * sizeof(float);
    return beam_make(&s->search, task.model, task.k);
}

size_t predict(void *peer, const int32_t *problem, kpred_tuple *out)
{
    const c10::InferenceMode guard;
    State *s = static_cast<Peer *>(peer)->state;
    start(s, problem);
    return beam_search(&s->search, problem, logs_of, s, out);
}

void close_torch(void *peer)
{
    State *s = static_cast<Peer *>(peer)->state;
    beam_free(&s->search);
    delete s;
}

} // namespace

const struct peer the_peer = {sizeof(Peer), open_torch, predict, close_torch, 0};
