/* hostile.c - see hostile.h
   SPDX-License-Identifier: MIT */
#include "hostile.h"

#include "runtime/net.h"

/* ---- rules ---- */

static struct {
    int32_t kind;
    uint64_t seed;
    const kpred_model *model;
} law;

enum { LAW_HASH, LAW_NEVER, LAW_LIES, LAW_ELSEWHERE, N_LAWS };

static uint64_t hash_of(const int32_t *values, size_t n)
{
    uint64_t h = law.seed + n;
    for (size_t i = 0; i < n; i++) {
        h ^= (uint32_t)values[i];
        h = test_random64(&h);
    }
    return h;
}

/* Whatever it answers, it is asked about values of the parameter. */
static int asked_well(const int32_t *values, size_t n)
{
    const kpred_param *p = &law.model->params[n - 1];
    for (int32_t v = 0; v < p->n_values; v++)
        if (p->values[v] == values[n - 1])
            return 1;
    return 0;
}

static int rule(const int32_t *problem, const int32_t *values, size_t n)
{
    (void)problem;
    FUZZ_CHECK(n <= law.model->n_params);
    if (n == 0)
        return law.kind != LAW_NEVER || law.seed % 2;
    FUZZ_CHECK(asked_well(values, n));
    switch (law.kind) {
    case LAW_HASH: return hash_of(values, n) % 4 != 0;
    case LAW_LIES: return test_random64(&law.seed) % 4 != 0; /* each time another answer */
    case LAW_ELSEWHERE: return values[n - 1] < 0;            /* wants what is no value */
    default: return 0;
    }
}

static void make_law(struct fuzz_bytes *in, kpred_model *m)
{
    law.kind = fuzz_between(in, 0, N_LAWS);
    law.seed = fuzz_u32(in);
    law.model = m;
    m->rule = law.kind == N_LAWS ? KPRED_UNCONSTRAINED : rule;
    m->rule_name = m->rule != NULL ? "rule" : "";
}

static int seal_and_predict(kpred_model *m, struct fuzz_bytes *in)
{
    make_law(in, m);
    m->scale = (uint32_t)fuzz_between(in, 1, KPRED_MAX_SCALE);
    if (fuzz_between(in, 0, 1))
        m->scale = KPRED_SCALE_ONE;
    m->id = kpred_model_id(m);
    return fuzz_predict(m, in, law.kind == LAW_LIES);
}

static void draw_shape(struct fuzz_bytes *in, struct net_shape *shape)
{
    uint64_t seed = fuzz_u32(in);
    net_random_shape(&seed, shape);
    if (fuzz_between(in, 0, 1))
        shape->n_params = (uint32_t)fuzz_between(in, 1, (int32_t)shape->n_params);
}

/* ---- the built-in network ---- */

enum { MOST_INSTR = 200, MOST_ACTIVATIONS = NET_COLS };

struct code {
    kpred_instr instr[MOST_INSTR];
    uint16_t n;
    int32_t registers, activations;
};

static void add_register(struct code *c, struct fuzz_bytes *in)
{
    c->instr[c->n++] =
        (kpred_instr){(uint8_t)fuzz_between(in, KPRED_OP_LOG2, KPRED_OP_CONST),
                      (uint8_t)fuzz_between(in, 0, c->registers - 1),
                      (uint8_t)fuzz_between(in, 0, c->registers - 1), 0, (int32_t)fuzz_u32(in)};
    c->registers++;
}

/* As >>features of kpred.h has them: k * 2^i below 2^31, k of a fraction from 1 to 2^24. */
static void add_activation(struct code *c, struct fuzz_bytes *in)
{
    const int32_t op = fuzz_between(in, KPRED_OP_EQUALS, KPRED_OP_FRACTION);
    const int is_one = op == KPRED_OP_RAMP || op == KPRED_OP_FRACTION;
    const int32_t room = MOST_ACTIVATIONS - c->activations;
    const int32_t n =
        is_one ? 1 : fuzz_between(in, 1, op == KPRED_OP_DIVIDES && room > 30 ? 30 : room);
    const int32_t a = fuzz_between(in, 0, c->registers - 1);
    int32_t k = (int32_t)fuzz_u32(in);
    if (op == KPRED_OP_DIVIDES)
        k = 1 + (int32_t)((uint32_t)k % ((UINT32_C(1) << (31 - n)) - 1 + (n == 31)));
    if (op == KPRED_OP_FRACTION)
        k = 1 + (int32_t)((uint32_t)k % (1 << 24));
    c->instr[c->n++] =
        (kpred_instr){(uint8_t)op, (uint8_t)a, (uint8_t)fuzz_between(in, 0, 31), (uint8_t)n, k};
    c->activations += n;
}

static void make_code(struct code *c, struct fuzz_bytes *in)
{
    const int32_t n = fuzz_between(in, 0, KPRED_MAX_REGISTERS - NET_FIELDS);
    memset(c, 0, sizeof *c);
    c->registers = NET_FIELDS;
    for (int32_t i = 0; i < n; i++)
        add_register(c, in);
    while (c->activations < MOST_ACTIVATIONS && (c->activations == 0 || fuzz_between(in, 0, 7)))
        add_activation(c, in);
}

int hostile_network(struct fuzz_bytes *in)
{
    struct net net;
    struct net_shape shape;
    struct code code;
    const uint32_t seed = fuzz_u32(in);
    draw_shape(in, &shape);
    make_code(&code, in);
    net_make(&net, seed, &shape);
    net.net.program = code.instr;
    net.net.n_instr = code.n;
    net.net.n_features = (uint16_t)code.activations;
    if (net.model.work_words < (uint32_t)code.registers)
        net.model.work_words = (uint32_t)code.registers;
    const int answered = seal_and_predict(&net.model, in);
    net_free(&net);
    return answered;
}

/* ---- a scorer of its own ---- */

static struct {
    uint64_t seed;
    int32_t kind;
} score;

static void fill(int32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i] = (int32_t)test_random64(&score.seed);
}

static void start(const kpred_model *m, const int32_t *problem, int32_t *work, int32_t *state)
{
    (void)problem;
    fill(work, m->work_words);
    fill(state, m->state_words);
}

/* |logit| < 2^29, and anything in the lane behind them */
static void logits(const kpred_model *m, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *out)
{
    static const int32_t edges[] = {(1 << 29) - 1, -(1 << 29) + 1, 0, -1};
    const int32_t n = m->params[n_decided].n_values;
    int32_t lane = 4;
    uint64_t h = score.seed + n_decided;
    (void)state;
    for (size_t u = 0; u < n_decided; u++) {
        FUZZ_CHECK(prefix[u] < m->params[u].n_values);
        h = h * 31 + prefix[u];
    }
    for (; lane < n; lane *= 2)
        ;
    fill(work, m->work_words);
    fill(out, (size_t)lane);
    for (int32_t v = 0; v < n; v++) {
        const uint64_t x = test_random64(&h);
        out[v] = score.kind == 0   ? edges[x % 4]
                 : score.kind == 1 ? 0
                                   : (int32_t)(x % (1 << 30)) - (1 << 29) + (x % (1 << 30) == 0);
    }
}

static void extend(const kpred_model *m, int32_t *work, const int32_t *state, size_t n_decided,
                   int32_t v, int32_t *next)
{
    (void)state;
    FUZZ_CHECK(n_decided < m->n_params && v >= 0 && v < m->params[n_decided].n_values);
    fill(work, m->work_words);
    fill(next, m->state_words);
}

int hostile_scorer(struct fuzz_bytes *in)
{
    static const kpred_scorer with_state = {start, logits, extend};
    static const kpred_scorer without_state = {start, logits, NULL};
    struct net net;
    struct net_shape shape;
    kpred_model *m = &net.model;
    score.seed = fuzz_u32(in);
    score.kind = fuzz_between(in, 0, 2);
    draw_shape(in, &shape);
    memset(&net, 0, sizeof net);
    net.net.heads = net.heads;
    net_make_params(&net, &shape);
    net_make_model(&net, &shape, 0);
    m->work_words = (uint32_t)fuzz_between(in, 0, 300);
    m->state_words = (uint32_t)fuzz_between(in, 0, 40);
    m->scorer = m->state_words != 0 ? &with_state : &without_state;
    return seal_and_predict(m, in);
}
