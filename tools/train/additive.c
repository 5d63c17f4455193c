#include "additive.h"

#include "adam.h"
#include "base/numbers.h"
#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float ACT_STEP = 1.0f / NET_ONE, ACT_TOP = (float)NET_TOP / NET_ONE;

static size_t pad16(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* ---- layout ------------------------------------------------------------------------------ */

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

static size_t count_values(const struct net_dims *d, struct net_layout *at)
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
    return at->first_row[d->n_params] = rows;
}

static void lay_out(const struct net_dims *d, struct net_layout *at)
{
    memset(at, 0, sizeof *at);
    count_values(d, at);
    size_t contexts = at->n_active * d->hidden;
    add_block(at, d->n_features, d->enc1, NET_MATRIX, NET_K1);
    add_block(at, 1, d->enc1, NET_BIAS, NET_K1);
    add_block(at, d->enc1, d->enc2, NET_MATRIX, NET_K2);
    add_block(at, 1, d->enc2, NET_BIAS, NET_K2);
    add_block(at, d->enc2, contexts, NET_MATRIX, NET_KC);
    add_block(at, 1, contexts, NET_BIAS, NET_KC);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1) {
            size_t k = NET_KE + 2 * t, v = pad16(d->n_values[t]);
            at->emb[t] = add_block(at, at->first_row[t], d->hidden, NET_MATRIX, k);
            at->out[t] = add_block(at, d->hidden, v, NET_MATRIX, k + 1);
            at->bias[t] = add_block(at, 1, v, NET_BIAS, k + 1);
        }
    at->n_exponents = NET_KE + 2 * d->n_params;
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

int net_new(struct net *net, const struct net_dims *dims)
{
    net->w = NULL;
    if (!dims_possible(dims))
        return 0;
    net->dims = *dims;
    lay_out(dims, &net->at);
    net->w = calloc(net->at.n_weights, sizeof *net->w);
    return net->w != NULL;
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

static float *block_at(const struct net *net, size_t block)
{
    return net->w + net->at.block[block].at;
}

/* ---- numbers ----------------------------------------------------------------------------- */

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

/* ---- one shard: forward and backward ------------------------------------------------------ */

/* The buffers of the rows that one task works on. */
struct shard {
    const struct net *net;
    const float *w2_t, *wc_t, *out_t[NET_MAX_PARAMS]; /* transposed copies of the matrices */
    size_t n, capacity;
    float *x, *a1, *a2, *a, *h, *logits; /* activations; a: all a_t, h: all relu(a_t) */
    float *d_logits, *d_a, *d_c, *d_1;   /* derivatives */
    const uint8_t *y;
    size_t y_step;
    float *gradient;
    double loss;
    void *memory;
};

struct pass {
    int rounded;
    uint64_t seed; /* of the drops; used where a drop is not 0 */
    float drop_encoder, drop_hidden, temperature, regret;
};

static int shard_new(struct shard *s, const struct net_dims *d, size_t capacity)
{
    struct net_layout at;
    lay_out(d, &at);
    size_t contexts = at.n_active * d->hidden;
    size_t row = d->n_features + 2 * d->enc1 + 2 * d->enc2 + 3 * contexts + 2 * NET_MAX_VALUES;
    memset(s, 0, sizeof *s);
    s->capacity = capacity;
    s->memory = malloc(capacity * row * sizeof(float) + 16);
    if (!s->memory)
        return 0;
    s->x = s->memory;
    s->a1 = s->x + capacity * d->n_features;
    s->d_1 = s->a1 + capacity * d->enc1;
    s->a2 = s->d_1 + capacity * d->enc1;
    s->d_c = s->a2 + capacity * d->enc2;
    s->a = s->d_c + capacity * d->enc2;
    s->h = s->a + capacity * contexts;
    s->d_a = s->h + capacity * contexts;
    s->logits = s->d_a + capacity * contexts;
    s->d_logits = s->logits + capacity * NET_MAX_VALUES;
    return 1;
}

static void fill_bias(const float *bias, size_t n, size_t cols, float *out)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * cols, bias, cols * sizeof *out);
}

static struct matrix by_rows(const float *at, size_t cols)
{
    struct matrix m = {at, cols, 1};
    return m;
}

static struct matrix by_cols(const float *at, size_t cols)
{
    struct matrix m = {at, 1, cols};
    return m;
}

static void relu(const float *in, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) {
        float v = in[i] > 0.0f ? in[i] : 0.0f;
        out[i] = v < ACT_TOP ? v : ACT_TOP;
    }
}

/* The integer network's rounding: floor(q + 1/2), q of 0..127 exact in float. */
static void relu_rounded(const float *in, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) {
        float v = in[i] > 0.0f ? in[i] : 0.0f;
        v = v < ACT_TOP ? v : ACT_TOP;
        out[i] = (float)(int32_t)(v * NET_ONE + 0.5f) * ACT_STEP;
    }
}

static void activate(const float *in, size_t n, int rounded, float *out)
{
    if (rounded)
        relu_rounded(in, n, out);
    else
        relu(in, n, out);
}

/* Sets a share of the values to zero and scales the others up, so that the mean sum stays. */
static void drop(float *v, size_t n, float share, uint64_t seed)
{
    if (share <= 0.0f)
        return;
    uint32_t limit = (uint32_t)(share * 65536.0f);
    float scale = 1.0f / (1.0f - share);
    for (size_t i = 0; i < n; i += 4) {
        uint64_t bits = num_draw(&seed);
        for (size_t j = i; j < n && j < i + 4; j++, bits >>= 16)
            v[j] = (bits & 0xffff) < limit ? 0.0f : v[j] * scale;
    }
}

/* d *= the slope of activate and drop at the output a */
static void slope(const float *a, size_t n, float share, float *d)
{
    float scale = 1.0f / (1.0f - share), top = ACT_TOP * scale;
    for (size_t i = 0; i < n; i++)
        d[i] = a[i] > 0.0f && a[i] < top ? d[i] * scale : 0.0f;
}

static void dense(const float *in, size_t n, size_t n_in, const float *w, const float *bias,
                  size_t n_out, float *out)
{
    fill_bias(bias, n, n_out, out);
    matrix_mul(n, n_out, n_in, by_rows(in, n_in), w, n_out, out, n_out, 1);
}

static void encode(struct shard *s, const struct pass *p)
{
    const struct net *net = s->net;
    const struct net_dims *d = &net->dims;
    dense(s->x, s->n, d->n_features, block_at(net, NET_W1), block_at(net, NET_B1), d->enc1, s->a1);
    activate(s->a1, s->n * d->enc1, p->rounded, s->a1);
    drop(s->a1, s->n * d->enc1, p->drop_encoder, num_mix(p->seed, 2, 0));
    dense(s->a1, s->n, d->enc1, block_at(net, NET_W2), block_at(net, NET_B2), d->enc2, s->a2);
    activate(s->a2, s->n * d->enc2, p->rounded, s->a2);
    drop(s->a2, s->n * d->enc2, p->drop_encoder, num_mix(p->seed, 3, 0));
    dense(s->a2, s->n, d->enc2, block_at(net, NET_WC), block_at(net, NET_BC),
          net->at.n_active * d->hidden, s->a);
}

/* a += the embeddings of the values before t */
static void add_prefix(const struct net *net, size_t t, const uint8_t *y, float *a)
{
    const float *emb = block_at(net, net->at.emb[t]);
    size_t hidden = net->dims.hidden;
    for (size_t u = 0; u < t; u++)
        if (net->dims.n_values[u] > 1) {
            const float *row = emb + (net->at.first_row[u] + y[u]) * hidden;
            for (size_t j = 0; j < hidden; j++)
                a[j] += row[j];
        }
}

/* h_t of all rows, [n][hidden], at s->h + slot * capacity * hidden */
static float *hidden_of(const struct shard *s, size_t t)
{
    return s->h + s->net->at.slot[t] * s->capacity * s->net->dims.hidden;
}

static void forward_param(struct shard *s, size_t t, const struct pass *p)
{
    const struct net *net = s->net;
    size_t hidden = net->dims.hidden, all = net->at.n_active * hidden;
    size_t cols = pad16(net->dims.n_values[t]);
    float *h = hidden_of(s, t);
    for (size_t i = 0; i < s->n; i++) {
        float *a = s->a + i * all + net->at.slot[t] * hidden;
        add_prefix(net, t, s->y + i * s->y_step, a);
        activate(a, hidden, p->rounded, h + i * hidden);
    }
    drop(h, s->n * hidden, p->drop_hidden, num_mix(p->seed, 4, t));
    dense(h, s->n, hidden, block_at(net, net->at.out[t]), block_at(net, net->at.bias[t]), cols,
          s->logits);
}

/* What to learn for one choice: a target's row, or y. */
static void fill_target(const struct net_rows *rows, size_t i, size_t t, const struct net_dims *d,
                        size_t at, float *target)
{
    size_t values = d->n_values[t];
    if (rows->target) {
        memcpy(target, rows->target + i * net_target_width(d) + at, values * sizeof *target);
    } else {
        memset(target, 0, values * sizeof *target);
        target[rows->y[i * d->n_params + t]] = 1.0f;
    }
}

/* p[v] = the softmax, padding included with 0; the result is log2 of the sum of 2^logit. */
static double softmax2(const float *logits, size_t values, float *p)
{
    float top = -1e30f, sum = 0;
    for (size_t v = 0; v < values; v++)
        if (logits[v] > top)
            top = logits[v];
    for (size_t v = 0; v < pad16(values); v++)
        p[v] = num_exp2(logits[v] < top ? logits[v] - top : 0.0f);
    for (size_t v = values; v < pad16(values); v++)
        p[v] = 0.0f;
    for (size_t v = 0; v < values; v++)
        sum += p[v];
    float scale = 1.0f / sum;
    for (size_t v = 0; v < values; v++)
        p[v] *= scale;
    return top + num_log2((double)sum);
}

/* cost[v] = how many octaves the share of v is below the greatest, q[v] = p among the values that
 * have a share, both 0 for the others; the result is the mean of cost by q. */
static float mean_cost(const float *share, const float *p, size_t values, float *q, float *cost)
{
    float best = 0, sum = 0, mean = 0;
    for (size_t v = 0; v < values; v++) {
        best = share[v] > best ? share[v] : best;
        q[v] = share[v] > 0.0f ? p[v] + 1e-12f : 0.0f; /* not all of them 0 */
        sum += q[v];
    }
    for (size_t v = 0; v < values; v++) {
        q[v] /= sum;
        cost[v] = share[v] > 0.0f ? (float)-num_log2((double)(share[v] / best)) : 0.0f;
        mean += q[v] * cost[v];
    }
    return mean;
}

static const float LN2 = 0.693147180559945f;

/* Adds the regret's part of the loss to the result, and its derivatives by the logits to g. */
static double add_regret(const float *share, const float *p, size_t values, float regret, float *g)
{
    float q[NET_MAX_VALUES], cost[NET_MAX_VALUES], mean = mean_cost(share, p, values, q, cost);
    for (size_t v = 0; v < values; v++)
        g[v] += regret * LN2 * q[v] * (cost[v] - mean);
    return (double)(regret * mean);
}

/* Loss of one choice, g = its derivatives by the logits. share: null, or for the regret. */
static double loss_choice(const float *target, const float *share, const float *logits,
                          size_t values, float regret, float *g)
{
    float p[NET_MAX_VALUES];
    double lse = softmax2(logits, values, p), loss = 0;
    for (size_t v = 0; v < values; v++) {
        if (target[v] > 0.0f)
            loss += (double)target[v] * (lse - (double)logits[v]);
        g[v] = p[v] - target[v];
    }
    for (size_t v = values; v < pad16(values); v++)
        g[v] = 0.0f;
    return share ? loss + add_regret(share, p, values, regret, g) : loss;
}

/* Loss of the choice t of every row of the shard, derivatives into d_logits. pick: the rows. */
static void loss_param(struct shard *s, size_t t, const struct net_rows *rows, const size_t *pick,
                       const struct pass *p, float scale)
{
    const struct net_dims *d = &s->net->dims;
    size_t values = d->n_values[t], cols = pad16(values), width = net_target_width(d), at = 0;
    for (size_t u = 0; u < t; u++)
        at += d->n_values[u];
    for (size_t i = 0; i < s->n; i++) {
        float target[NET_MAX_VALUES], *g = s->d_logits + i * cols, *l = s->logits + i * cols;
        float weight = rows->weight ? rows->weight[pick[i]] : 1.0f;
        const float *share =
            p->regret > 0.0f && pick[i] < rows->n_timed ? rows->timed + pick[i] * width + at : NULL;
        fill_target(rows, pick[i], t, d, at, target);
        for (size_t v = 0; v < cols; v++)
            l[v] *= p->temperature;
        s->loss += (double)weight * loss_choice(target, share, l, values, p->regret, g);
        for (size_t v = 0; v < values; v++)
            g[v] *= weight * scale * p->temperature;
    }
}

static void add_columns(const float *m, size_t rows, size_t cols, float *sum)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            sum[j] += m[i * cols + j];
}

/* From d_logits back to d_a[.., t, ..] and the gradients of U_t, o_t and E_t. */
static void backward_param(struct shard *s, size_t t, const struct pass *p)
{
    const struct net *net = s->net;
    const struct net_layout *at = &net->at;
    size_t hidden = net->dims.hidden, all = at->n_active * hidden;
    size_t cols = pad16(net->dims.n_values[t]);
    float *h = hidden_of(s, t), *d_a = s->d_a + at->slot[t] * hidden;
    float *g_emb = s->gradient + at->block[at->emb[t]].at;
    matrix_mul(hidden, cols, s->n, by_cols(h, hidden), s->d_logits, cols,
               s->gradient + at->block[at->out[t]].at, cols, 1);
    add_columns(s->d_logits, s->n, cols, s->gradient + at->block[at->bias[t]].at);
    matrix_mul(s->n, hidden, cols, by_rows(s->d_logits, cols), s->out_t[t], hidden, d_a, all, 0);
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t *y = s->y + i * s->y_step;
        slope(h + i * hidden, hidden, p->drop_hidden, d_a + i * all);
        for (size_t u = 0; u < t; u++)
            if (net->dims.n_values[u] > 1) {
                float *row = g_emb + (at->first_row[u] + y[u]) * hidden;
                for (size_t j = 0; j < hidden; j++)
                    row[j] += d_a[i * all + j];
            }
    }
}

/* Gradient of one dense layer: of its matrix and bias, from its input and the output's d. */
static void backward_dense(struct shard *s, size_t block, const float *in, const float *d)
{
    const struct net_block *b = &s->net->at.block[block];
    matrix_mul(b->rows, b->cols, s->n, by_cols(in, b->rows), d, b->cols, s->gradient + b->at,
               b->cols, 1);
    add_columns(d, s->n, b->cols, s->gradient + s->net->at.block[block + 1].at);
}

static void backward_encoder(struct shard *s, const struct pass *p)
{
    const struct net_dims *d = &s->net->dims;
    size_t all = s->net->at.n_active * d->hidden;
    backward_dense(s, NET_WC, s->a2, s->d_a);
    matrix_mul(s->n, d->enc2, all, by_rows(s->d_a, all), s->wc_t, d->enc2, s->d_c, d->enc2, 0);
    slope(s->a2, s->n * d->enc2, p->drop_encoder, s->d_c);
    backward_dense(s, NET_W2, s->a1, s->d_c);
    matrix_mul(s->n, d->enc1, d->enc2, by_rows(s->d_c, d->enc2), s->w2_t, d->enc1, s->d_1, d->enc1,
               0);
    slope(s->a1, s->n * d->enc1, p->drop_encoder, s->d_1);
    backward_dense(s, NET_W1, s->x, s->d_1);
}

static void load_inputs(struct shard *s, const uint8_t *x)
{
    for (size_t j = 0; j < s->n * s->net->dims.n_features; j++)
        s->x[j] = (float)x[j] * ACT_STEP;
}

/* Copies the picked rows' inputs and prefixes; y is room for the latter. */
static void load_rows(struct shard *s, const struct net_rows *rows, const size_t *pick, uint8_t *y)
{
    const struct net_dims *d = &s->net->dims;
    float *in = s->x;
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t *x = rows->x + pick[i] * d->n_features;
        for (size_t j = 0; j < d->n_features; j++)
            *in++ = (float)x[j] * ACT_STEP;
        memcpy(y + i * d->n_params, rows->y + pick[i] * d->n_params, d->n_params);
    }
    s->y = y;
    s->y_step = d->n_params;
}

/* Adds the loss of the rows to s->loss and, where s->gradient is set, their derivatives to it. */
static void run_rows(struct shard *s, const struct net_rows *rows, const size_t *pick, size_t n,
                     const struct pass *p, float drop_input, float scale, uint8_t *y)
{
    const struct net_dims *d = &s->net->dims;
    s->n = n;
    load_rows(s, rows, pick, y);
    drop(s->x, n * d->n_features, drop_input, num_mix(p->seed, 1, 0));
    encode(s, p);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1) {
            forward_param(s, t, p);
            loss_param(s, t, rows, pick, p, scale);
            if (s->gradient)
                backward_param(s, t, p);
        }
    if (s->gradient)
        backward_encoder(s, p);
}

/* ---- rounding ---------------------------------------------------------------------------- */

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

/* ---- loss of a set ------------------------------------------------------------------------ */

/* Transposed copies for the way back, in the order w2, wc, out_t. */
struct transposed {
    float *w2, *wc, *out[NET_MAX_PARAMS];
    float *memory;
};

static int transposed_new(struct transposed *tr, const struct net *net)
{
    tr->memory = malloc(net->at.n_weights * sizeof(float));
    if (!tr->memory)
        return 0;
    tr->w2 = tr->memory + net->at.block[NET_W2].at;
    tr->wc = tr->memory + net->at.block[NET_WC].at;
    for (size_t t = 0; t < net->dims.n_params; t++)
        tr->out[t] = tr->memory + net->at.block[net->at.out[t]].at;
    return 1;
}

static void transpose_block(const struct net *net, size_t block, float *out)
{
    const struct net_block *b = &net->at.block[block];
    matrix_transpose(b->rows, b->cols, net->w + b->at, out);
}

static void transpose_net(const struct net *net, struct transposed *tr)
{
    transpose_block(net, NET_W2, tr->w2);
    transpose_block(net, NET_WC, tr->wc);
    for (size_t t = 0; t < net->dims.n_params; t++)
        if (net->dims.n_values[t] > 1)
            transpose_block(net, net->at.out[t], tr->out[t]);
}

static void shard_use(struct shard *s, const struct net *net, const struct transposed *tr)
{
    s->net = net;
    s->w2_t = tr->w2;
    s->wc_t = tr->wc;
    for (size_t t = 0; t < net->dims.n_params; t++)
        s->out_t[t] = tr->out[t];
}

enum { CHUNK = 64 };

static double loss_of_chunks(struct shard *s, const struct net_rows *rows, const struct pass *p)
{
    uint8_t y[CHUNK * NET_MAX_PARAMS];
    size_t pick[CHUNK];
    double loss = 0;
    for (size_t i = 0; i < rows->n; i += CHUNK) {
        size_t n = rows->n - i < CHUNK ? rows->n - i : CHUNK;
        for (size_t j = 0; j < n; j++)
            pick[j] = i + j;
        s->loss = 0;
        run_rows(s, rows, pick, n, p, 0, 1.0f, y);
        loss += s->loss;
    }
    return loss;
}

int net_loss(const struct net *net, const struct net_rows *rows, float temperature, float regret,
             int rounded, float *gradient, double *loss)
{
    struct shard s;
    struct transposed tr;
    struct pass p = {rounded, 0, 0, 0, temperature, regret};
    if (!transposed_new(&tr, net))
        return 0;
    if (!shard_new(&s, &net->dims, CHUNK)) {
        free(tr.memory);
        return 0;
    }
    transpose_net(net, &tr);
    shard_use(&s, net, &tr);
    s.gradient = gradient;
    if (gradient)
        memset(gradient, 0, net->at.n_weights * sizeof *gradient);
    *loss = loss_of_chunks(&s, rows, &p);
    free(s.memory);
    free(tr.memory);
    return 1;
}

/* ---- training ---------------------------------------------------------------------------- */

struct trainer {
    struct net *net; /* the weights that Adam moves */
    struct net seen; /* what a step's forward pass sees: these weights, or rounded ones */
    struct net mean; /* the running average, Adam's */
    struct adam adam;
    struct adam_schedule schedule;
    struct adam_step move;
    const struct net_rows *rows;
    const struct net_train_config *config;
    struct net_exponents k;
    struct transposed tr;
    struct shard shard[NET_SHARDS];
    uint8_t *y; /* room for the shards' prefixes */
    size_t *order;
    size_t first, n; /* the minibatch: order[first .. first + n) */
    size_t shard_rows;
    struct pool *pool;
    struct pass pass;
};

static void trainer_free(struct trainer *tr)
{
    pool_free(tr->pool);
    for (size_t i = 0; i < NET_SHARDS; i++)
        free(tr->shard[i].memory);
    free(tr->tr.memory);
    free(tr->y);
    free(tr->order);
    net_free(&tr->seen);
    adam_free(&tr->adam);
}

static int trainer_buffers(struct trainer *tr)
{
    tr->y = malloc(NET_SHARDS * tr->shard_rows * NET_MAX_PARAMS);
    tr->order = malloc(tr->rows->n * sizeof *tr->order);
    if (!adam_new(&tr->adam, tr->net->w, tr->net->at.n_weights, NET_SHARDS) || !tr->y || !tr->order)
        return 0;
    tr->mean = *tr->net;
    tr->mean.w = tr->adam.mean;
    for (size_t i = 0; i < tr->rows->n; i++)
        tr->order[i] = i;
    return 1;
}

static struct adam_schedule schedule_of(const struct net_train_config *c, size_t n_rows)
{
    struct adam_schedule s = {c->rate, c->rate_end, c->warm_up, c->average, 0};
    s.n_steps = c->epochs * ((n_rows + c->batch - 1) / c->batch);
    return s;
}

static int trainer_new(struct trainer *tr, struct net *net, const struct net_rows *rows,
                       const struct net_train_config *config)
{
    memset(tr, 0, sizeof *tr);
    tr->net = net;
    tr->rows = rows;
    tr->config = config;
    tr->shard_rows = (config->batch + NET_SHARDS - 1) / NET_SHARDS;
    tr->schedule = schedule_of(config, rows->n);
    if (!net_new(&tr->seen, &net->dims))
        return 0;
    if (!transposed_new(&tr->tr, &tr->seen) || !trainer_buffers(tr))
        return 0;
    for (size_t i = 0; i < NET_SHARDS; i++) {
        if (!shard_new(&tr->shard[i], &net->dims, tr->shard_rows))
            return 0;
        shard_use(&tr->shard[i], &tr->seen, &tr->tr);
        tr->shard[i].gradient = tr->adam.gradients + i * net->at.n_weights;
    }
    tr->pool = pool_new(config->n_threads);
    return 1;
}

static void task_gradient(void *user, size_t index)
{
    struct trainer *tr = user;
    struct shard *s = &tr->shard[index];
    size_t from = tr->n * index / NET_SHARDS, to = tr->n * (index + 1) / NET_SHARDS;
    struct pass p = tr->pass;
    p.seed = num_mix(tr->config->seed, 16 + tr->adam.step, index);
    memset(s->gradient, 0, tr->net->at.n_weights * sizeof(float));
    s->loss = 0;
    if (to > from)
        run_rows(s, tr->rows, tr->order + tr->first + from, to - from, &p, tr->config->drop_input,
                 1.0f / (float)tr->n, tr->y + index * tr->shard_rows * NET_MAX_PARAMS);
}

static void task_update(void *user, size_t index)
{
    struct trainer *tr = user;
    const struct net_layout *at = &tr->net->at;
    for (size_t i = 0; i < at->n_blocks; i++) {
        const struct net_block *b = &at->block[i];
        size_t n = b->rows * b->cols;
        adam_move(&tr->adam, &tr->move, b->kind == NET_MATRIX ? tr->config->weight_decay : 0.0f,
                  b->at + n * index / NET_SHARDS, b->at + n * (index + 1) / NET_SHARDS);
    }
}

static void train_step(struct trainer *tr)
{
    if (tr->pass.rounded)
        net_round(tr->net, &tr->k, &tr->seen);
    else
        memcpy(tr->seen.w, tr->net->w, tr->net->at.n_weights * sizeof(float));
    transpose_net(&tr->seen, &tr->tr);
    pool_run(tr->pool, task_gradient, tr, NET_SHARDS);
    tr->move = adam_next(&tr->adam, &tr->schedule);
    pool_run(tr->pool, task_update, tr, NET_SHARDS);
}

static double train_epoch(struct trainer *tr, size_t epoch)
{
    const struct net_train_config *c = tr->config;
    double loss = 0;
    if (!tr->pass.rounded && epoch + c->rounded_epochs >= c->epochs) {
        net_choose_exponents(&tr->mean, &tr->k);
        tr->pass.rounded = 1;
    }
    num_shuffle(tr->order, tr->rows->n, num_mix(c->seed, 5, epoch));
    for (tr->first = 0; tr->first < tr->rows->n; tr->first += tr->n) {
        tr->n = tr->rows->n - tr->first < c->batch ? tr->rows->n - tr->first : c->batch;
        train_step(tr);
        for (size_t i = 0; i < NET_SHARDS; i++)
            loss += tr->shard[i].loss;
    }
    return loss / (double)tr->rows->n;
}

static int report(struct trainer *tr, const struct net_rows *validation, size_t epoch, double loss,
                  net_progress *progress, void *user)
{
    double sum = 0;
    if (!progress)
        return 1;
    if (validation && validation->n) {
        const struct net *net = &tr->mean;
        if (tr->pass.rounded) {
            net_round(&tr->mean, &tr->k, &tr->seen);
            net = &tr->seen;
        }
        if (!net_loss(net, validation, 1, 0, tr->pass.rounded, NULL, &sum))
            return 0;
        sum /= (double)validation->n;
    }
    progress(user, epoch, loss, sum);
    return 1;
}

int net_train(struct net *net, const struct net_rows *rows, const struct net_rows *validation,
              const struct net_train_config *config, net_progress *progress, void *user)
{
    struct trainer tr;
    if (config->batch == 0 || rows->n == 0)
        return 0;
    int ok = trainer_new(&tr, net, rows, config);
    tr.pass.drop_encoder = config->drop_encoder;
    tr.pass.drop_hidden = config->drop_hidden;
    tr.pass.regret = config->regret;
    tr.pass.temperature = config->temperature;
    for (size_t epoch = 0; ok && epoch < config->epochs; epoch++) {
        double loss = train_epoch(&tr, epoch);
        ok = report(&tr, validation, epoch, loss, progress, user);
    }
    if (ok)
        memcpy(net->w, tr.mean.w, net->at.n_weights * sizeof(float));
    trainer_free(&tr);
    return ok;
}

/* ---- ensembles --------------------------------------------------------------------------- */

struct ensemble {
    const struct net *nets;
    size_t n_nets, width;
    const struct net_rows *rows;
    uint8_t *y;
    const uint64_t *draws;
    float *targets;
    struct shard *shards; /* n_nets for each of the NET_SHARDS tasks */
};

/* The first value at which the running sum of p passes u of 0..1. */
static uint8_t draw_value(const float *p, size_t values, uint64_t seed)
{
    float u = (float)(num_draw(&seed) >> 40) / (float)(1 << 24), sum = 0;
    for (size_t v = 0; v + 1 < values; v++) {
        sum += p[v];
        if (u < sum)
            return (uint8_t)v;
    }
    return (uint8_t)(values - 1);
}

/* Adds one net's probabilities of parameter t to the chunk's targets, from its place `at`. */
static void add_member(const struct ensemble *e, struct shard *s, size_t t, float *targets)
{
    size_t values = s->net->dims.n_values[t], cols = pad16(values);
    float share = 1.0f / (float)e->n_nets, p[NET_MAX_VALUES];
    struct pass pass = {0, 0, 0, 0, 1, 0};
    forward_param(s, t, &pass);
    for (size_t i = 0; i < s->n; i++) {
        softmax2(s->logits + i * cols, values, p);
        for (size_t v = 0; v < values; v++)
            targets[i * e->width + v] += p[v] * share;
    }
}

static void ensemble_chunk(const struct ensemble *e, struct shard *s, size_t first, size_t n)
{
    const struct net_dims *d = &e->nets->dims;
    const struct pass pass = {0, 0, 0, 0, 1, 0};
    uint8_t *y = e->y + first * d->n_params;
    float *targets = e->targets + first * e->width;
    memset(targets, 0, n * e->width * sizeof *targets);
    for (size_t m = 0; m < e->n_nets; m++) {
        s[m].n = n;
        s[m].y = y;
        s[m].y_step = d->n_params;
        load_inputs(&s[m], e->rows->x + first * d->n_features);
        encode(&s[m], &pass);
    }
    for (size_t t = 0; t < d->n_params; targets += d->n_values[t++]) {
        for (size_t m = 0; m < e->n_nets && d->n_values[t] > 1; m++)
            add_member(e, &s[m], t, targets);
        for (size_t i = 0; i < n && e->draws; i++)
            y[i * d->n_params + t] = draw_value(targets + i * e->width, d->n_values[t],
                                                num_mix(e->draws[first + i], 6, t));
        for (size_t i = 0; i < n && d->n_values[t] == 1; i++)
            targets[i * e->width] = 1;
    }
}

static void task_ensemble(void *user, size_t index)
{
    const struct ensemble *e = user;
    size_t from = e->rows->n * index / NET_SHARDS, to = e->rows->n * (index + 1) / NET_SHARDS;
    for (size_t i = from; i < to; i += CHUNK)
        ensemble_chunk(e, e->shards + index * e->n_nets, i, to - i < CHUNK ? to - i : CHUNK);
}

int net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                 const uint64_t *draws, size_t n_threads, float *targets)
{
    size_t width = net_target_width(&nets->dims);
    struct ensemble e = {nets, n_nets, width, rows, y, draws, targets, NULL};
    size_t n_shards = n_nets * NET_SHARDS;
    int ok = 1;
    e.shards = calloc(n_shards, sizeof *e.shards);
    if (!e.shards)
        return 0;
    for (size_t i = 0; i < n_shards && ok; i++) {
        ok = shard_new(&e.shards[i], &nets[i % n_nets].dims, CHUNK);
        e.shards[i].net = &nets[i % n_nets];
    }
    struct pool *pool = pool_new(n_threads);
    if (ok)
        pool_run(pool, task_ensemble, &e, NET_SHARDS);
    pool_free(pool);
    for (size_t i = 0; i < n_shards; i++)
        free(e.shards[i].memory);
    free(e.shards);
    return ok;
}

/* ---- one problem ------------------------------------------------------------------------- */

static void dense_row(const float *in, size_t n_in, const float *w, const float *bias, size_t n_out,
                      float *out)
{
    memcpy(out, bias, n_out * sizeof *out);
    matrix_mul(1, n_out, n_in, by_rows(in, n_in), w, n_out, out, n_out, 1);
}

void net_context(const struct net *net, int rounded, const uint8_t *x, float *base)
{
    enum { WIDEST = 4096 };
    float in[WIDEST], out[WIDEST];
    const struct net_dims *d = &net->dims;
    for (size_t j = 0; j < d->n_features; j++)
        in[j] = (float)x[j] * ACT_STEP;
    dense_row(in, d->n_features, block_at(net, NET_W1), block_at(net, NET_B1), d->enc1, out);
    activate(out, d->enc1, rounded, in);
    dense_row(in, d->enc1, block_at(net, NET_W2), block_at(net, NET_B2), d->enc2, out);
    activate(out, d->enc2, rounded, in);
    dense_row(in, d->enc2, block_at(net, NET_WC), block_at(net, NET_BC),
              net->at.n_active * d->hidden, base);
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
    add_prefix(net, t, prefix, a);
    activate(a, hidden, rounded, a);
    dense_row(a, hidden, block_at(net, net->at.out[t]), block_at(net, net->at.bias[t]),
              pad16(values), out);
    memcpy(logits, out, values * sizeof *out);
}

/* ---- the integer network ------------------------------------------------------------------ */

static void take8(int8_t **at, char **memory, size_t n)
{
    *at = (int8_t *)(void *)*memory;
    *memory += n;
}

static void take32(int32_t **at, char **memory, size_t n)
{
    *at = (int32_t *)(void *)*memory;
    *memory += n * sizeof(int32_t);
}

/* Divides memory among the arrays, biases first for their alignment; gives the bytes it takes. */
static size_t divide(struct qnet *q, char *memory)
{
    const struct net_dims *d = &q->dims;
    size_t all = q->at.n_active * d->hidden;
    char *start = memory;
    take32(&q->b1, &memory, d->enc1);
    take32(&q->b2, &memory, d->enc2);
    take32(&q->bc, &memory, all);
    for (size_t t = 0; t < d->n_params; t++)
        take32(&q->bias[t], &memory, d->n_values[t] > 1 ? d->n_values[t] : 0);
    take8(&q->w1, &memory, d->enc1 * d->n_features);
    take8(&q->w2, &memory, d->enc2 * d->enc1);
    take8(&q->wc, &memory, all * d->enc2);
    for (size_t t = 0; t < d->n_params; t++) {
        size_t used = d->n_values[t] > 1;
        take8(&q->emb[t], &memory, used * q->at.first_row[t] * d->hidden);
        take8(&q->out[t], &memory, used * d->n_values[t] * d->hidden);
    }
    return (size_t)(memory - start);
}

/* rows of inputs to rows of outputs; the padded outputs are left out */
static void quantise_matrix(const struct net *net, const struct net_exponents *k, size_t block,
                            size_t n_out, int8_t *out)
{
    const struct net_block *b = &net->at.block[block];
    for (size_t o = 0; o < n_out; o++)
        for (size_t i = 0; i < b->rows; i++)
            out[o * b->rows + i] =
                (int8_t)round_weight(net->w[b->at + i * b->cols + o], k->k[b->exponent]);
}

static void quantise_rows(const struct net *net, const struct net_exponents *k, size_t block,
                          int8_t *out)
{
    const struct net_block *b = &net->at.block[block];
    for (size_t i = 0; i < b->rows * b->cols; i++)
        out[i] = (int8_t)round_weight(net->w[b->at + i], k->k[b->exponent]);
}

static void quantise_bias(const struct net *net, const struct net_exponents *k, size_t block,
                          size_t n, int32_t *out)
{
    const struct net_block *b = &net->at.block[block];
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)round_bias(net->w[b->at + i], k->k[b->exponent]);
}

int net_quantise(const struct net *net, const struct net_exponents *k, struct qnet *q)
{
    const struct net_dims *d = &net->dims;
    const struct net_layout *at = &net->at;
    memset(q, 0, sizeof *q);
    q->dims = *d;
    q->at = *at;
    q->k = *k;
    q->memory = malloc(8 * at->n_weights);
    if (!q->memory)
        return 0;
    q->n_bytes = divide(q, q->memory);
    quantise_matrix(net, k, NET_W1, d->enc1, q->w1);
    quantise_bias(net, k, NET_B1, d->enc1, q->b1);
    quantise_matrix(net, k, NET_W2, d->enc2, q->w2);
    quantise_bias(net, k, NET_B2, d->enc2, q->b2);
    quantise_matrix(net, k, NET_WC, at->n_active * d->hidden, q->wc);
    quantise_bias(net, k, NET_BC, at->n_active * d->hidden, q->bc);
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1) {
            quantise_rows(net, k, at->emb[t], q->emb[t]);
            quantise_matrix(net, k, at->out[t], d->n_values[t], q->out[t]);
            quantise_bias(net, k, at->bias[t], d->n_values[t], q->bias[t]);
        }
    return 1;
}

void qnet_free(struct qnet *q)
{
    free(q->memory);
    q->memory = NULL;
}

static int32_t dot(const int8_t *w, const uint8_t *x, size_t n, int32_t bias)
{
    for (size_t i = 0; i < n; i++)
        bias += (int32_t)w[i] * (int32_t)x[i];
    return bias;
}

static uint8_t requantise(int32_t acc, int k)
{
    int32_t half = (int32_t)1 << (k - 1);
    if (acc <= 0)
        return 0;
    if (acc >= (int32_t)NET_TOP << k)
        return NET_TOP;
    return (uint8_t)((acc + half) >> k);
}

void qnet_context(const struct qnet *q, const uint8_t *x, int32_t *base)
{
    enum { WIDEST = 4096 };
    uint8_t c1[WIDEST], c2[WIDEST];
    const struct net_dims *d = &q->dims;
    for (size_t i = 0; i < d->enc1; i++)
        c1[i] =
            requantise(dot(q->w1 + i * d->n_features, x, d->n_features, q->b1[i]), q->k.k[NET_K1]);
    for (size_t i = 0; i < d->enc2; i++)
        c2[i] = requantise(dot(q->w2 + i * d->enc1, c1, d->enc1, q->b2[i]), q->k.k[NET_K2]);
    for (size_t i = 0; i < q->at.n_active * d->hidden; i++)
        base[i] = dot(q->wc + i * d->enc2, c2, d->enc2, q->bc[i]);
}

void qnet_logits(const struct qnet *q, const int32_t *base, size_t t, const uint8_t *prefix,
                 int32_t *logits)
{
    uint8_t h[4096];
    size_t hidden = q->dims.hidden;
    int kc = q->k.k[NET_KC], ke = q->k.k[NET_KE + 2 * t], ku = q->k.k[NET_KE + 2 * t + 1];
    if (q->dims.n_values[t] == 1) {
        logits[0] = 0;
        return;
    }
    for (size_t j = 0; j < hidden; j++) {
        int32_t sum = 0;
        for (size_t u = 0; u < t; u++)
            if (q->dims.n_values[u] > 1)
                sum += q->emb[t][(q->at.first_row[u] + prefix[u]) * hidden + j];
        sum *= (int32_t)1 << (6 + kc - ke);
        h[j] = requantise(base[q->at.slot[t] * hidden + j] + sum, kc);
    }
    for (size_t v = 0; v < q->dims.n_values[t]; v++) {
        int32_t acc = dot(q->out[t] + v * hidden, h, hidden, q->bias[t][v]);
        logits[v] = acc * ((int32_t)1 << (10 - ku));
    }
}

/* ---- bounds ------------------------------------------------------------------------------ */

static int64_t row_bound(const int8_t *w, size_t n, int32_t bias)
{
    int64_t sum = bias < 0 ? -(int64_t)bias : bias;
    for (size_t i = 0; i < n; i++)
        sum += (int64_t)NET_TOP * (w[i] < 0 ? -w[i] : w[i]);
    return sum;
}

static int rows_within(const int8_t *w, const int32_t *bias, size_t n_out, size_t n_in,
                       int64_t room, const char *what, char *text, size_t size)
{
    for (size_t i = 0; i < n_out; i++) {
        int64_t bound = row_bound(w + i * n_in, n_in, bias[i]);
        if (bound >= room) {
            snprintf(text, size, "%s, row %zu: bound %lld, limit %lld", what, i, (long long)bound,
                     (long long)room);
            return 0;
        }
    }
    return 1;
}

/* The most that the prefix can add to hidden unit j of parameter t, before the shift. */
static int64_t prefix_bound(const struct qnet *q, size_t t, size_t j)
{
    int64_t sum = 0;
    for (size_t u = 0; u < t; u++) {
        int most = 0;
        for (size_t v = 0; q->dims.n_values[u] > 1 && v < q->dims.n_values[u]; v++) {
            int w = q->emb[t][(q->at.first_row[u] + v) * q->dims.hidden + j];
            w = w < 0 ? -w : w;
            most = w > most ? w : most;
        }
        sum += most;
    }
    return sum;
}

static int param_within(const struct qnet *q, size_t t, char *text, size_t size)
{
    size_t hidden = q->dims.hidden, first = q->at.slot[t] * hidden, inputs = q->dims.enc2;
    int shift = 6 + q->k.k[NET_KC] - q->k.k[NET_KE + 2 * t], ku = q->k.k[NET_KE + 2 * t + 1];
    if (shift < 0 || shift > 15 || ku < 0 || ku > 10) {
        snprintf(text, size, "parameter %zu: embedding shift %d, logit exponent %d", t, shift, ku);
        return 0;
    }
    for (size_t j = first; j < first + hidden; j++) {
        int64_t bound = row_bound(q->wc + j * inputs, inputs, q->bc[j]);
        bound += prefix_bound(q, t, j - first) * ((int64_t)1 << shift);
        if (bound >= (int64_t)1 << 31) {
            snprintf(text, size, "parameter %zu, hidden %zu: bound %lld", t, j - first,
                     (long long)bound);
            return 0;
        }
    }
    return rows_within(q->out[t], q->bias[t], q->dims.n_values[t], hidden,
                       (int64_t)1 << (29 - (10 - ku)), "logits", text, size);
}

int qnet_check_bounds(const struct qnet *q, char *text, size_t size)
{
    const struct net_dims *d = &q->dims;
    for (size_t i = NET_K1; i <= NET_KC; i++)
        if (q->k.k[i] < 1 || q->k.k[i] > 24) {
            snprintf(text, size, "exponent %zu: %d", i, q->k.k[i]);
            return 0;
        }
    if (!rows_within(q->w1, q->b1, d->enc1, d->n_features, (int64_t)1 << 31, "w1", text, size)
        || !rows_within(q->w2, q->b2, d->enc2, d->enc1, (int64_t)1 << 31, "w2", text, size))
        return 0;
    for (size_t t = 0; t < d->n_params; t++)
        if (d->n_values[t] > 1 && !param_within(q, t, text, size))
            return 0;
    return 1;
}

/* ---- files ------------------------------------------------------------------------------- */

static const char FILE_HEAD[] = "kpred additive 1";

static void save_one(const struct net *net, FILE *f)
{
    const struct net_dims *d = &net->dims;
    fprintf(f, "%s\n%zu %zu %zu %zu %zu\n", FILE_HEAD, d->n_features, d->enc1, d->enc2, d->hidden,
            d->n_params);
    for (size_t t = 0; t < d->n_params; t++)
        fprintf(f, "%zu%c", d->n_values[t], t + 1 < d->n_params ? ' ' : '\n');
    for (size_t i = 0; i < net->at.n_weights; i++) {
        uint32_t bits;
        memcpy(&bits, net->w + i, sizeof bits);
        for (int byte = 0; byte < 4; byte++)
            putc((int)(bits >> (8 * byte) & 0xff), f);
    }
}

int net_save(const struct net *nets, size_t n, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return 0;
    for (size_t i = 0; i < n; i++)
        save_one(&nets[i], f);
    int bad = ferror(f);
    return fclose(f) == 0 && !bad;
}

static int load_dims(struct net_dims *d, FILE *f)
{
    char line[64];
    if (!fgets(line, sizeof line, f) || strncmp(line, FILE_HEAD, sizeof FILE_HEAD - 1) != 0)
        return 0;
    if (fscanf(f, "%zu %zu %zu %zu %zu", &d->n_features, &d->enc1, &d->enc2, &d->hidden,
               &d->n_params)
            != 5
        || d->n_params > NET_MAX_PARAMS)
        return 0;
    for (size_t t = 0; t < d->n_params; t++)
        if (fscanf(f, "%zu", &d->n_values[t]) != 1)
            return 0;
    return getc(f) == '\n';
}

static int load_weights(struct net *net, FILE *f)
{
    for (size_t i = 0; i < net->at.n_weights; i++) {
        uint32_t bits = 0;
        for (int byte = 0; byte < 4; byte++) {
            int c = getc(f);
            if (c == EOF)
                return 0;
            bits |= (uint32_t)c << (8 * byte);
        }
        memcpy(net->w + i, &bits, sizeof bits);
    }
    return 1;
}

static int load_one(struct net *net, FILE *f)
{
    struct net_dims d;
    memset(&d, 0, sizeof d);
    net->w = NULL;
    if (load_dims(&d, f) && net_new(net, &d) && load_weights(net, f))
        return 1;
    net_free(net);
    return 0;
}

static int at_end(FILE *f)
{
    int c = getc(f);
    ungetc(c, f);
    return c == EOF;
}

int net_load(struct net *nets, size_t most, const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    size_t i = 0;
    int ok;
    if (!f)
        return 0;
    do {
        ok = i < most && load_one(&nets[i], f);
        i += (size_t)ok;
    } while (ok && !at_end(f));
    fclose(f);
    *n = i;
    while (!ok && i > 0)
        net_free(&nets[--i]);
    return ok;
}
