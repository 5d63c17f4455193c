/* additive_net.c - the additive network: layout, one problem, files of floats, rounding to integers
   SPDX-License-Identifier: MIT */
#include "additive_net.h"

#include "base/numbers.h"
#include "base/util.h"
#include "matrix.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- layout ---- */

static size_t add_block(struct net_layout *at, size_t rows, size_t cols, enum net_kind kind,
                        size_t exponent)
{
    struct net_block *b = &at->block[at->n_blocks];
    b->at = at->n_weights;
    b->rows = rows;
    b->cols = cols;
    b->kind = kind;
    b->exponent = exponent;
    at->n_weights += rows * cols;
    return at->n_blocks++;
}

static size_t add_dense(struct net_layout *at, size_t n_in, size_t n_out, size_t exponent)
{
    const size_t matrix = add_block(at, n_in, n_out, NET_MATRIX, exponent);
    add_block(at, 1, n_out, NET_BIAS, exponent);
    return matrix;
}

static void count_values(const struct net_dims *d, struct net_layout *at)
{
    size_t rows = 0;
    for (size_t t = 0; t < d->n_params; t++) {
        at->first_row[t] = rows;
        at->slot[t] = at->n_active;
        if (d->n_values[t] > 1) {
            rows += d->n_values[t];
            at->n_active++;
        }
    }
    at->first_row[d->n_params] = rows;
}

static void lay_out(const struct net_dims *d, struct net_layout *at)
{
    memset(at, 0, sizeof *at);
    count_values(d, at);
    add_dense(at, d->n_features, d->enc1, NET_K1);
    add_dense(at, d->enc1, d->enc2, NET_K2);
    add_dense(at, d->enc2, at->n_active * d->hidden, NET_KC);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1) {
            const size_t k = NET_KE + 2 * t;
            at->emb[t] = add_block(at, at->first_row[t], d->hidden, NET_MATRIX, k);
            at->out[t] = add_dense(at, d->hidden, pad16(d->n_values[t]), k + 1);
        }
}

static int dims_possible(const struct net_dims *d)
{
    if (!d->n_features || !d->enc1 || !d->enc2 || !d->hidden || !d->n_params)
        return 0;
    if ((d->n_features | d->enc1 | d->enc2 | d->hidden) % 16 || d->n_params > NET_MAX_PARAMS)
        return 0;
    if (d->n_features > 4096 || d->enc1 > 4096 || d->enc2 > 4096 || d->hidden > 4096)
        return 0;
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] < 1 || d->n_values[t] > NET_MAX_VALUES)
            return 0;
    return 1;
}

int net_new(struct net *net, const struct net_dims *dims, const char *name)
{
    net->w = NULL;
    if (!dims_possible(dims))
        return fail("%s: the network's dimensions are impossible", name);
    net->dims = *dims;
    lay_out(dims, &net->at);
    net->w = xcalloc(net->at.n_weights, sizeof *net->w);
    return 0;
}

void net_free(struct net *net)
{
    free(net->w);
    net->w = NULL;
}

size_t net_target_width(const struct net_dims *d)
{
    size_t width = 0;
    for (size_t t = 0; t < d->n_params; t++)
        width += d->n_values[t];
    return width;
}

/* Uniform: rows of embeddings +-1/4, else by the number of inputs, wider before a relu. */
void net_init(struct net *net, uint64_t seed)
{
    uint64_t state = num_mix(seed, 1, 0);
    const struct net_layout *at = &net->at;
    memset(net->w, 0, at->n_weights * sizeof *net->w);
    for (size_t i = 0; i < at->n_blocks; i++) {
        const struct net_block *b = &at->block[i];
        if (b->kind == NET_BIAS)
            continue;
        int embeds = b->exponent >= NET_KE && b->exponent % 2 == NET_KE % 2;
        float range = embeds ? 0.25f : sqrtf((i <= NET_WC ? 4.0f : 1.0f) / (float)b->rows);
        for (size_t j = 0; j < b->rows * b->cols; j++)
            net->w[b->at + j] = range * num_signed(&state);
    }
    for (size_t t = 0; t < net->dims.n_params; t++) {
        size_t values = net->dims.n_values[t];
        const struct net_block *b = &at->block[at->out[t]];
        for (size_t j = 0; values > 1 && j < b->rows; j++)
            memset(net->w + b->at + j * b->cols + values, 0, (b->cols - values) * sizeof(float));
    }
}

/* ---- one problem ---- */

void net_dense(const struct net *net, size_t block, const float *in, size_t n, float *out)
{
    const struct net_block *b = &net->at.block[block], *bias = b + 1;
    fill_rows(net->w + bias->at, n, b->cols, out);
    const struct matrix_product p = {
        n, b->cols, b->rows, by_rows(in, b->rows), net->w + b->at, b->cols, out, b->cols, 1};
    matrix_mul(&p);
}

static float clipped(float v)
{
    v = v > 0.0f ? v : 0.0f;
    return v < net_activation(NET_TOP) ? v : net_activation(NET_TOP);
}

/* The integer network's rounding is floor(q + 1/2), q of 0..127 exact in float. */
WIDE_VECTORS
static void clip(const float *in, size_t n, int rounded, float *out)
{
    if (!rounded)
        for (size_t i = 0; i < n; i++)
            out[i] = clipped(in[i]);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = net_activation((int32_t)(clipped(in[i]) * NET_ONE + 0.5f));
}

void net_activate(const float *in, size_t n, int rounded, float *out)
{
    clip(in, n, rounded, out);
}

void net_add_prefix(const struct net *net, size_t t, const uint8_t *prefix, float *a)
{
    const float *emb = net->w + net->at.block[net->at.emb[t]].at;
    const size_t hidden = net->dims.hidden;
    for (size_t u = 0; u < t; u++)
        if (net->dims.n_values[u] > 1)
            add_to(emb + (net->at.first_row[u] + prefix[u]) * hidden, hidden, a);
}

void net_context(const struct net *net, int rounded, const uint8_t *x, float *base)
{
    enum { WIDEST = 4096 };
    float in[WIDEST], out[WIDEST];
    const struct net_dims *d = &net->dims;
    for (size_t j = 0; j < d->n_features; j++)
        in[j] = net_activation(x[j]);
    net_dense(net, NET_W1, in, 1, out);
    net_activate(out, d->enc1, rounded, in);
    net_dense(net, NET_W2, in, 1, out);
    net_activate(out, d->enc2, rounded, in);
    net_dense(net, NET_WC, in, 1, base);
}

void net_logits(const struct net *net, int rounded, const float *base, size_t t,
                const uint8_t *prefix, float *logits)
{
    float a[4096], out[NET_MAX_VALUES];
    size_t hidden = net->dims.hidden, values = net->dims.n_values[t];
    if (values == 1) {
        logits[0] = 0;
        return;
    }
    memcpy(a, base + net->at.slot[t] * hidden, hidden * sizeof *a);
    net_add_prefix(net, t, prefix, a);
    net_activate(a, hidden, rounded, a);
    net_dense(net, net->at.out[t], a, 1, out);
    memcpy(logits, out, values * sizeof *out);
}

/* ---- files ---- */

static const char FILE_HEAD[] = "kpred additive 2";

static void save_one(const struct net *net, FILE *f)
{
    const struct net_dims *d = &net->dims;
    fprintf(f, "%zu %zu %zu %zu %zu\n", d->n_features, d->enc1, d->enc2, d->hidden, d->n_params);
    for (size_t t = 0; t < d->n_params; t++)
        fprintf(f, "%zu%c", d->n_values[t], t + 1 < d->n_params ? ' ' : '\n');
    for (size_t i = 0; i < net->at.n_weights; i++) {
        uint32_t bits;
        memcpy(&bits, net->w + i, sizeof bits);
        for (int byte = 0; byte < 4; byte++)
            putc((int)(bits >> (8 * byte) & 0xff), f);
    }
}

void net_save(const struct net *nets, size_t n, uint64_t id, FILE *f)
{
    fprintf(f, "%s\n%016" PRIx64 "\n", FILE_HEAD, id);
    for (size_t i = 0; i < n; i++)
        save_one(&nets[i], f);
}

static int load_dims(struct net_dims *d, FILE *f)
{
    memset(d, 0, sizeof *d);
    if (fscanf(f, "%zu %zu %zu %zu %zu", &d->n_features, &d->enc1, &d->enc2, &d->hidden,
               &d->n_params)
            != 5
        || d->n_params > NET_MAX_PARAMS)
        return -1;
    for (size_t t = 0; t < d->n_params; t++)
        if (fscanf(f, "%zu", &d->n_values[t]) != 1)
            return -1;
    return getc(f) == '\n' && dims_possible(d) ? 0 : -1;
}

static int load_weights(struct net *net, FILE *f)
{
    for (size_t i = 0; i < net->at.n_weights; i++) {
        uint32_t bits = 0;
        for (int byte = 0; byte < 4; byte++) {
            int c = getc(f);
            if (c == EOF)
                return -1;
            bits |= (uint32_t)c << (8 * byte);
        }
        memcpy(net->w + i, &bits, sizeof bits);
    }
    return 0;
}

static int load_one(struct net *net, const char *path, FILE *f)
{
    struct net_dims d;
    if (load_dims(&d, f) || net_new(net, &d, path))
        return -1;
    if (!load_weights(net, f))
        return 0;
    net_free(net);
    return -1;
}

static int at_end(FILE *f)
{
    int c = getc(f);
    ungetc(c, f);
    return c == EOF;
}

static int load_head(FILE *f, uint64_t *id)
{
    char line[sizeof FILE_HEAD + 1];
    return fgets(line, sizeof line, f) && !strncmp(line, FILE_HEAD, sizeof FILE_HEAD - 1)
                   && fscanf(f, "%16" SCNx64, id) == 1 && getc(f) == '\n'
               ? 0
               : -1;
}

int net_load(struct net *nets, size_t most, const char *path, size_t *n, uint64_t *id)
{
    FILE *f = open_input(path);
    *n = 0;
    if (!f)
        return -1;
    int bad = load_head(f, id);
    while (!bad && (*n == 0 || !at_end(f))) {
        bad = *n == most || load_one(&nets[*n], path, f);
        *n += !bad;
    }
    fclose(f);
    while (bad && *n > 0)
        net_free(&nets[--*n]);
    return bad ? fail("%s: not a float network", path) : 0;
}

/* ---- rounding ---- */

static float power_of_two(int k)
{
    uint32_t bits = (uint32_t)(k + 127) << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* floor(v + 1/2) */
static double round_half_up(double v)
{
    int64_t n = (int64_t)v;
    n -= (double)n > v;
    return (double)(n + (v - (double)n >= 0.5));
}

static double round_weight(float w, int k)
{
    double q = round_half_up((double)w * (double)power_of_two(k));
    return q > 127 ? 127 : q < -127 ? -127 : q;
}

static double round_bias(float w, int k)
{
    double q = round_half_up((double)w * (double)power_of_two(k + 6));
    return q > 1e9 ? 1e9 : q < -1e9 ? -1e9 : q;
}

static double rounding_loss(const float *w, size_t n, int k)
{
    double sum = 0, step = (double)power_of_two(-k);
    for (size_t i = 0; i < n; i++) {
        double e = (double)w[i] - round_weight(w[i], k) * step;
        sum += e * e;
    }
    return sum;
}

/* The exponent of least squared error: a few weights may saturate. */
static int best_exponent(const float *w, size_t n, int least, int most)
{
    int best = least;
    double best_loss = rounding_loss(w, n, least);
    for (int k = least + 1; k <= most; k++) {
        double loss = rounding_loss(w, n, k);
        if (loss < best_loss) {
            best_loss = loss;
            best = k;
        }
    }
    return best;
}

void net_choose_exponents(const struct net *net, struct net_exponents *k)
{
    memset(k, 0, sizeof *k);
    for (size_t i = 0; i < net->at.n_blocks; i++) {
        const struct net_block *b = &net->at.block[i];
        int least = 1, most = 10;
        if (b->kind == NET_BIAS)
            continue;
        if (b->exponent >= NET_KE && b->exponent % 2 == NET_KE % 2) { /* embeddings */
            least = k->k[NET_KC] > 10 ? k->k[NET_KC] - 9 : 1;
            most = k->k[NET_KC] + 6;
        }
        k->k[b->exponent] = best_exponent(net->w + b->at, b->rows * b->cols, least, most);
    }
}

static void round_block(const struct net *net, const struct net_exponents *k, size_t index,
                        float *out)
{
    const struct net_block *b = &net->at.block[index];
    int e = k->k[b->exponent];
    int scale = b->kind == NET_BIAS ? e + 6 : e;
    float step = power_of_two(-scale);
    for (size_t j = b->at; j < b->at + b->rows * b->cols; j++) {
        double q = b->kind == NET_BIAS ? round_bias(net->w[j], e) : round_weight(net->w[j], e);
        out[j] = (float)q * step;
    }
}

void net_round(const struct net *net, const struct net_exponents *k, struct net *out)
{
    for (size_t i = 0; i < net->at.n_blocks; i++)
        round_block(net, k, i, out->w);
}

/* ---- the integer network ---- */

struct quantiser {
    const struct net *net;
    struct net_exponents k;
    struct model *model; /* whose arrays are written */
};

static int exponent_of(const struct quantiser *q, size_t block)
{
    return q->k.k[q->net->at.block[block].exponent];
}

/* Rows of inputs to rows of outputs: of n outputs, with room for more rows of zeros behind them. */
static const int8_t *turned_matrix(const struct quantiser *q, size_t block, size_t n, size_t room)
{
    const struct net_block *b = &q->net->at.block[block];
    int8_t *to = model_array(q->model, room * b->rows, sizeof *to);
    for (size_t o = 0; o < n; o++)
        for (size_t i = 0; i < b->rows; i++)
            to[o * b->rows + i] =
                (int8_t)round_weight(q->net->w[b->at + i * b->cols + o], exponent_of(q, block));
    return to;
}

static const int8_t *matrix(const struct quantiser *q, size_t block)
{
    const struct net_block *b = &q->net->at.block[block];
    int8_t *to = model_array(q->model, b->rows * b->cols, sizeof *to);
    for (size_t i = 0; i < b->rows * b->cols; i++)
        to[i] = (int8_t)round_weight(q->net->w[b->at + i], exponent_of(q, block));
    return to;
}

static const int32_t *bias(const struct quantiser *q, size_t block, size_t n, size_t room)
{
    const struct net_block *b = &q->net->at.block[block];
    int32_t *to = model_array(q->model, room, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = (int32_t)round_bias(q->net->w[b->at + i], exponent_of(q, block));
    return to;
}

static void set_layer(const struct quantiser *q, size_t block, kpred_layer *l)
{
    l->weight = turned_matrix(q, block, l->rows, l->rows);
    l->bias = bias(q, block + 1, l->rows, l->rows);
    l->shift = (uint8_t)exponent_of(q, block);
}

static void set_head(const struct quantiser *q, size_t t)
{
    const struct net_layout *at = &q->net->at;
    const size_t n = q->net->dims.n_values[t], rows = model_head_rows(&q->model->m, t);
    const int kc = exponent_of(q, NET_WC), is_fed = at->first_row[t] > 0;
    kpred_head *h = q->model->heads + t;
    h->weight = turned_matrix(q, at->out[t], n, rows);
    h->bias = bias(q, at->out[t] + 1, n, rows);
    h->embedding = is_fed ? matrix(q, at->emb[t]) : NULL;
    h->hidden_shift = (uint8_t)kc;
    h->embedding_shift = (uint8_t)(is_fed ? 6 + kc - exponent_of(q, at->emb[t]) : 0);
    h->logit_shift = (uint8_t)(10 - exponent_of(q, at->out[t]));
}

int net_quantise(const struct net *net, struct model *model)
{
    const struct net_dims *d = &net->dims;
    struct quantiser q = {net, {{0}}, model};
    net_choose_exponents(net, &q.k);
    model_set_widths(model, d->enc1, d->enc2, d->hidden);
    set_layer(&q, NET_W1, &model->net.layer[0]);
    set_layer(&q, NET_W2, &model->net.layer[1]);
    set_layer(&q, NET_WC, &model->net.layer[2]);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1)
            set_head(&q, t);
    return model_seal(model);
}
