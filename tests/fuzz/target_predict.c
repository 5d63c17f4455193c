/* target_predict.c - shipped models, hostile models and rules that lie, for any problem and beam
   SPDX-License-Identifier: MIT

   The first byte says which model. A hostile one is well-formed: it has what kpred_init admits, its
   accumulators stay within the bounds that kpred-train proves, and its arrays are no longer than
   they must be. */
#include "fuzz.h"

#include "model/model.h"
#include "runtime/net.h"
#include "runtime/toy.h"

/* ---- rules ---- */

enum { LAW_HASH, LAW_NEVER, LAW_LIES, LAW_ELSEWHERE, N_LAWS };
static int32_t law;

/* Whatever it answers, it is asked about values of the parameter. */
static int rule(const int32_t *problem, const int32_t *values, size_t n)
{
    (void)problem;
    FUZZ_CHECK(n <= toy_law.model->n_params);
    if (n == 0)
        return law != LAW_NEVER || toy_law.seed % 2;
    FUZZ_CHECK(toy_is_value(n - 1, values[n - 1]));
    switch (law) {
    case LAW_HASH: return toy_hash_values(values, n) % 4 != 0;
    case LAW_LIES: return test_random64(&toy_law.seed) % 4 != 0; /* each time another answer */
    case LAW_ELSEWHERE: return values[n - 1] < -50;              /* wants what is not a value */
    default: return 0;
    }
}

static int seal_and_predict(kpred_model *m, struct fuzz_bytes *in)
{
    law = fuzz_between(in, 0, N_LAWS);
    toy_law.seed = fuzz_u32(in);
    toy_law.model = m;
    m->rule = law == N_LAWS ? KPRED_UNCONSTRAINED : rule;
    m->rule_name = m->rule != NULL ? "rule" : "";
    m->scale = (uint32_t)fuzz_between(in, 1, KPRED_MAX_SCALE);
    if (fuzz_between(in, 0, 1))
        m->scale = KPRED_SCALE_ONE;
    m->id = kpred_model_id(m);
    return fuzz_predict(m, in, law == LAW_LIES);
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
    *c = (struct code){.registers = NET_FIELDS};
    for (; c->n < n; c->registers++)
        c->instr[c->n++] =
            (kpred_instr){(uint8_t)fuzz_between(in, KPRED_OP_LOG2, KPRED_OP_CONST),
                          (uint8_t)fuzz_between(in, 0, c->registers - 1),
                          (uint8_t)fuzz_between(in, 0, c->registers - 1), 0, (int32_t)fuzz_u32(in)};
    while (c->activations < MOST_ACTIVATIONS && (c->activations == 0 || fuzz_between(in, 0, 7)))
        add_activation(c, in);
}

static void hostile_network(struct fuzz_bytes *in)
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
    if (seal_and_predict(&net.model, in))
        FUZZ_REACHED(predict, "a prediction by a hostile network");
    net_free(&net);
}

/* A scorer of its own: its logits are all the same, the ends of what they may be, or any number. */
static void hostile_scorer(struct fuzz_bytes *in)
{
    static const int32_t levels[] = {0, 1, 3, 1 << 29};
    static struct toy toy;
    struct net_shape shape;
    const uint32_t seed = fuzz_u32(in);
    const int32_t kind = fuzz_between(in, 0, 3), spread = (1 << fuzz_between(in, 0, 29)) - 1;
    const int32_t state_words = fuzz_between(in, 1, 40);
    draw_shape(in, &shape);
    toy_make(&toy, seed, shape.n_params, shape.n_values, levels[kind], spread,
             state_words > 1 ? (uint32_t)state_words : 0);
    toy.model.work_words += (uint32_t)fuzz_between(in, 0, 300);
    if (seal_and_predict(&toy.model, in))
        FUZZ_REACHED(predict, "a prediction by a hostile scorer");
    FUZZ_CHECK(toy_record.faults == 0); /* it was given the states that it made */
}

/* ---- shipped models ---- */

static void shipped(struct fuzz_bytes *in)
{
    size_t n = 0;
    while (builtins[n].model != NULL)
        n++;
    if (fuzz_predict(builtins[fuzz_between(in, 0, (int32_t)n - 1)].model, in, 0))
        FUZZ_REACHED(predict, "a prediction by a shipped model");
}

/* What kpred_init refuses, and what it says of it */
static void refused(struct fuzz_bytes *in)
{
    const kpred_model *m = builtins[0].model;
    const size_t beam = fuzz_u32(in) % 2048, words = kpred_arena_words(m, beam);
    const size_t given = words - (words > 0 && fuzz_between(in, 0, 1));
    const size_t shift = (size_t)fuzz_between(in, 0, 4);
    char *arena = xmalloc(given * sizeof(int32_t) + shift);
    kpred_ctx ctx;
    const kpred_status s = kpred_init(&ctx, fuzz_between(in, 0, 3) ? KPRED_VERSION : fuzz_u32(in),
                                      m, beam, (int32_t *)(void *)(arena + shift), given);
    if (s != KPRED_OK)
        FUZZ_REACHED(predict, "a refusal");
    FUZZ_CHECK(s != KPRED_OK || (words > 0 && given == words && shift % 4 == 0));
    FUZZ_CHECK(kpred_status_string(s) != NULL);
    free(arena);
}

FUZZ_TARGET(predict)
{
    struct fuzz_bytes in = {data, size};
    switch (fuzz_between(&in, 0, 7)) {
    case 0: refused(&in); break;
    case 1:
    case 2: shipped(&in); break;
    case 3:
    case 4: hostile_scorer(&in); break;
    default: hostile_network(&in);
    }
}
