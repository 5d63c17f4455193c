/* twin.h - arithmetic and network of kpred.h stated a second time: 64 bits, division, libm's tables
   SPDX-License-Identifier: MIT

   Include it after kpred.h. */
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int64_t twin_exp2_table[65], twin_log2_table[65];

static inline void twin_make_tables(void)
{
    for (int i = 0; i <= 64; i++) {
        twin_exp2_table[i] = llroundl(ldexpl(exp2l(-(long double)i / 64), 24));
        twin_log2_table[i] = llroundl(ldexpl(log2l(1 + (long double)i / 64), 16));
    }
}

/* floor(a / b), b > 0 */
static inline int64_t twin_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t twin_clamp(int64_t x, int64_t least, int64_t most)
{
    return x < least ? least : x > most ? most : x;
}

static inline int64_t twin_exp2_neg(int64_t x)
{
    const int64_t whole = x / 65536, step = x % 65536 / 1024, rest = x % 1024;
    const int64_t a = twin_exp2_table[step], b = twin_exp2_table[step + 1];
    return whole > 24 ? 0 : (a - (a - b) * rest / 1024) / ((int64_t)1 << whole);
}

/* The 16 bits of the fraction below the 6 of the step are what a 32-bit mantissa leaves. */
static inline int64_t twin_log2(int64_t x)
{
    int64_t e = 0;
    while ((int64_t)2 << e <= x)
        e++;
    int64_t step = (x - ((int64_t)1 << e)) * 64 / ((int64_t)1 << e);
    int64_t rest = ((x - ((int64_t)1 << e)) * 64 * 65536 / ((int64_t)1 << e)) % 65536;
    return e * 65536 + twin_log2_table[step]
           + (twin_log2_table[step + 1] - twin_log2_table[step]) * rest / 65536;
}

static inline void twin_log_softmax(int64_t *x, size_t n)
{
    int64_t most = x[0], sum = 0;
    for (size_t v = 0; v < n; v++)
        most = x[v] > most ? x[v] : most;
    for (size_t v = 0; v < n; v++)
        sum += twin_exp2_neg(most - x[v]);
    for (size_t v = 0; v < n; v++)
        x[v] = twin_clamp(x[v] - most - (twin_log2(sum) - 24 * 65536), -67108864, 0);
}

static inline int64_t twin_requantise(int64_t acc, int64_t s)
{
    return twin_clamp(twin_floor_div(acc + ((int64_t)1 << (s - 1)), (int64_t)1 << s), 0, 127);
}

static inline const kpred_additive *twin_net(const kpred_model *m)
{
    return (const kpred_additive *)m->net;
}

/* ---- features ---- */

static inline int64_t twin_register(const kpred_instr *in, const int64_t *r)
{
    const int64_t a = r[in->a], b = r[in->b], whole = a >= 0 && b > 0;
    int64_t x = in->k;
    switch (in->op) {
    case KPRED_OP_LOG2: x = a < 1 ? 0 : twin_log2(a); break;
    case KPRED_OP_ADD: x = a + b; break;
    case KPRED_OP_SUB: x = a - b; break;
    case KPRED_OP_MUL: x = a * b; break;
    case KPRED_OP_CEIL_DIV: x = whole ? (a + b - 1) / b : 0; break;
    case KPRED_OP_MOD: x = whole ? a % b : 0; break;
    case KPRED_OP_MIN: x = a < b ? a : b; break;
    case KPRED_OP_MAX: x = a > b ? a : b; break;
    default: break;
    }
    return twin_clamp(x, INT32_MIN, INT32_MAX);
}

static inline int64_t twin_activation(const kpred_instr *in, int64_t a, int64_t i)
{
    const int64_t width = (int64_t)1 << in->b, centre = in->k + i * width;
    const int64_t far = a < centre ? centre - a : a - centre;
    switch (in->op) {
    case KPRED_OP_EQUALS: return a == in->k + i ? 127 : 0;
    case KPRED_OP_RAMP: return twin_clamp(twin_floor_div((a - in->k) * 127, width), 0, 127);
    case KPRED_OP_HATS:
        if ((a < centre && i == 0) || (a > centre && i == in->n - 1))
            return 127;
        return twin_clamp(127 - far * 127 / width, 0, 127);
    case KPRED_OP_DIVIDES: return a % (in->k * ((int64_t)1 << i)) == 0 ? 127 : 0;
    default: return a < 0 ? 0 : a % in->k * 127 / in->k;
    }
}

static inline void twin_features(const kpred_model *m, const int32_t *problem, int64_t *x)
{
    const kpred_additive *net = twin_net(m);
    int64_t r[KPRED_MAX_REGISTERS];
    size_t n_registers = m->n_fields, n = 0;
    for (size_t i = 0; i < n_registers; i++)
        r[i] = problem[i];
    for (size_t i = 0; i < net->n_instr; i++) {
        const kpred_instr *in = net->program + i;
        if (in->op <= KPRED_OP_CONST)
            r[n_registers++] = twin_register(in, r);
        for (int j = 0; in->op > KPRED_OP_CONST && j < in->n; j++)
            x[n++] = twin_activation(in, r[in->a], j);
    }
    while (n < net->layer[0].cols)
        x[n++] = 0;
}

/* ---- network ---- */

static inline int64_t twin_dot(const int8_t *w, int64_t bias, const int64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bias += w[i] * x[i];
    return bias;
}

/* One layer with ReLU, in place. */
static inline void twin_dense(const kpred_layer *l, int64_t *x)
{
    int64_t y[KPRED_MAX_WIDTH];
    for (size_t r = 0; r < l->rows; r++)
        y[r] = twin_requantise(twin_dot(l->weight + r * l->cols, l->bias[r], x, l->cols), l->shift);
    memcpy(x, y, l->rows * sizeof *x);
}

/* What the values chosen so far, by their indexes, add to hidden unit i of parameter t */
static inline int64_t twin_prefix(const kpred_model *m, uint32_t t, const unsigned char *index,
                                  size_t i)
{
    const size_t hidden = twin_net(m)->hidden;
    int64_t sum = 0;
    size_t row = 0;
    for (uint32_t u = 0; u < t; u++)
        if (twin_net(m)->heads[u].weight) {
            sum += twin_net(m)->heads[t].embedding[(row + index[u]) * hidden + i];
            row += (size_t)m->params[u].n_values;
        }
    return sum * ((int64_t)1 << twin_net(m)->heads[t].embedding_shift);
}

/* The context: for each parameter of several values, one after the other, its hidden units' sums */
static inline void twin_start(const kpred_model *m, const int32_t *problem, int64_t *base)
{
    const kpred_layer *l = twin_net(m)->layer;
    int64_t x[KPRED_MAX_WIDTH] = {0};
    twin_features(m, problem, x);
    twin_dense(&l[0], x);
    twin_dense(&l[1], x);
    for (size_t r = 0; r < l[2].rows; r++)
        base[r] = twin_dot(l[2].weight + r * l[2].cols, l[2].bias[r], x, l[2].cols);
}

/* Logits of the values of parameter t after the values before it, by their indexes */
static inline void twin_logits(const kpred_model *m, const int64_t *base,
                               const unsigned char *index, uint32_t t, int64_t *x)
{
    const kpred_head *head = twin_net(m)->heads + t;
    const size_t hidden = twin_net(m)->hidden, n = (size_t)m->params[t].n_values;
    int64_t h[KPRED_MAX_HIDDEN] = {0};
    x[0] = 0;
    if (!head->weight)
        return;
    for (uint32_t u = 0; u < t; u++)
        base += twin_net(m)->heads[u].weight ? hidden : 0;
    for (size_t i = 0; i < hidden; i++)
        h[i] = twin_requantise(base[i] + twin_prefix(m, t, index, i), head->hidden_shift);
    for (size_t v = 0; v < n; v++)
        x[v] = twin_dot(head->weight + v * hidden, head->bias[v], h, hidden)
               * ((int64_t)1 << head->logit_shift);
}

static inline void twin_log2p(const kpred_model *m, const int64_t *base, const unsigned char *index,
                              uint32_t t, int64_t *x)
{
    twin_logits(m, base, index, t, x);
    twin_log_softmax(x, (size_t)m->params[t].n_values);
}
