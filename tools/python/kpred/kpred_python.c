/* kpred_python.c - the shared library of the Python module: kpred, models, and loops over both
   SPDX-License-Identifier: MIT

   MODELS is the name of a file, as #include takes it. It includes the headers of the models and
   lists them as KPRED_PYTHON_MODELS, separated by commas. */
#if defined(__x86_64__) /* a freestanding build would take portable C */
#define KPRED_SIMD KPRED_SIMD_X86
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define KPRED_SIMD 5
#endif
#define KPRED_IMPLEMENTATION
#include MODELS

/* Who answers n problems, and where; a call from Python is short with few arguments. */
typedef struct kpred_python_work {
    kpred_ctx *ctx;
    kpred_tuple *tuples; /* [k], scratch */
    int32_t *count;      /* [n]: of tuples, or a status */
    float *probability;  /* [n][k] */
    int32_t *values;     /* [n][k][n_params] */
    size_t n;
    int32_t is_lenient;
} kpred_python_work;

/* The model with this number; NULL: there are no more. */
extern const kpred_model *kpred_python_model(size_t i);
extern size_t kpred_python_predict(const kpred_python_work *w, const int32_t *problems, size_t k);
extern kpred_status kpred_python_scores(kpred_ctx *ctx, const int32_t *problem,
                                        const int32_t *indexes, size_t n, int32_t *scores);

const kpred_model *kpred_python_model(size_t i)
{
    static const kpred_model *const models[] = {KPRED_PYTHON_MODELS};
    return i < sizeof models / sizeof *models ? models[i] : NULL;
}

/* The n answers to problem i. A probability has 24 bits, as many as a float. */
static void write_answers(const kpred_python_work *w, size_t i, size_t n, size_t k)
{
    const size_t width = w->ctx->model->n_params;
    size_t j;
    for (j = 0; j < n; j++) {
        const kpred_tuple *tuple = w->tuples + j;
        w->probability[i * k + j] = (float)kpred_probability(tuple->score) / 16777216.0F;
        kpri_copy(w->values + (i * k + j) * width, tuple->value, width);
    }
}

/* k tuples for each problem. It ends behind the first problem with an error, unless it is lenient.
   Returns how many problems it took. */
size_t kpred_python_predict(const kpred_python_work *w, const int32_t *problems, size_t k)
{
    const size_t width = w->ctx->model->n_fields;
    size_t i, found;
    for (i = 0; i < w->n; i++) {
        const kpred_status status =
            kpred_predict(w->ctx, problems + i * width, width, w->tuples, k, &found);
        w->count[i] = status == KPRED_OK ? (int32_t)found : (int32_t)status;
        if (status == KPRED_OK)
            write_answers(w, i, found, k);
        else if (!w->is_lenient)
            return i + 1;
    }
    return w->n;
}

/* The sum of a tuple, given as the indexes of its values; INT32_MIN: it is not legal. */
static int32_t score_of(kpri_search *s, const int32_t *indexes)
{
    int32_t *from = s->records, *to = kpri_record(s, s->records, 1), *swap;
    size_t t;
    from[0] = 0;
    for (t = 0; t < s->model->n_params; t++) {
        const int32_t v = indexes[t];
        if (v < 0 || v >= s->model->params[t].n_values || !kpri_allowed(s, from, t, v))
            return INT32_MIN;
        s->lane_bits = kpri_lane_bits(s->model->params[t].n_values);
        (void)kpri_score(s, from, 1, t, s->score);
        kpri_extend(s, from, t, v, s->score[v], to);
        swap = from;
        from = to;
        to = swap;
    }
    return from[0];
}

/* How good n tuples are, which need not be among the best: higher is better. Errors: those of
   kpred_predict. */
kpred_status kpred_python_scores(kpred_ctx *ctx, const int32_t *problem, const int32_t *indexes,
                                 size_t n, int32_t *scores)
{
    const kpred_model *m = ctx->model;
    kpri_search s;
    uint32_t outside;
    size_t i;
    const kpred_status status = kpri_check_problem(ctx, problem, &outside);
    if (status != KPRED_OK)
        return status;
    if (m->rule && !m->rule(problem, problem, 0))
        return kpri_fail(ctx, KPRED_ERR_NOT_APPLICABLE, -1, -1, -1);
    kpri_open(&s, ctx, problem);
    for (i = 0; i < n; i++) {
        if (i == 0 || m->scorer->extend) /* a scorer with a state begins anew */
            kpri_start(&s, s.records);
        scores[i] = score_of(&s, indexes + i * m->n_params);
    }
    return KPRED_OK;
}
