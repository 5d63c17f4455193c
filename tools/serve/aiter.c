/* aiter.c - what a model asks AITER for, and what its tables then answer
   SPDX-License-Identifier: MIT

   AITER's tables of its commit e4048607 show which family a server asks for on which GPU, with
   which experts and types. */
#include "serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TABLE_BYTES = 1 << 28 };

/* ---- look-ups ---- */

void aiter_of_asked(struct lookups *l, struct answering *from, const char *layer)
{
    for (size_t i = 0; i < from->asked.n; i++)
        lookups_add_shape(l, &from->asked.v[i], NULL, layer);
}

/* What a config is asked for */
struct asking {
    struct lookups *l;
    struct answering *to;
    struct hf_config *c;
    const struct lookups_how *how;
    struct quantization q; /* of the experts at hand */
    const char *type;      /* of the model */
    int is_bad;            /* something was refused with a message: nothing more is asked */
};

/* AITER's row serves each M, so one is asked for. */
static void aiter_ask(struct asking *a, enum family_id family, const struct reading *reading,
                      int64_t n, int64_t k, const char *const *details, const char *layer)
{
    struct asked *to = &a->to->asked;
    char size[2][24];
    snprintf(size[0], sizeof size[0], "%" PRId64, n);
    snprintf(size[1], sizeof size[1], "%" PRId64, k);
    struct asked_text row = {.mnk = {"1", size[0], size[1]}, .whole = layer};
    for (int i = 0; families[family].details[i] != NULL; i++)
        row.detail[i] = details[i];
    a->is_bad = a->is_bad || asked_row(to, family, &row) != 0;
    if (a->is_bad)
        return;
    const struct asked_shape s = {.family = family,
                                  .n = (int32_t)n,
                                  .k = (int32_t)k,
                                  .detail =
                                      to->details.v[intern_text(&to->details, to->detail.s)].s,
                                  .at = to->at};
    lookups_add_shape(a->l, &s, reading, layer);
}

static const char *fp8_of(const struct asking *a)
{
    return strcmp(a->to->target.gfx, "gfx942") == 0 ? "torch.float8_e4m3fnuz"
                                                    : "torch.float8_e4m3fn";
}

/* ---- look-ups: products ---- */

static const char bf16[] = "torch.bfloat16";

/* Weights of that kind; without a table the Triton file, or no look-up at all */
static void ask_reading(struct asking *a, const struct reading *r, const struct hf_layer *l,
                        int has_bias)
{
    const char *const of_bf16[] = {has_bias ? "True" : "False", bf16, bf16, "False", "False"};
    const char *const type[] = {r->kind == QUANTIZED_INT8 ? "torch.int8" : fp8_of(a)};
    const struct asked_shape file = {
        .family = FAMILY_NONE, .n = (int32_t)l->n, .k = (int32_t)l->k, .at = a->to->asked.at};
    if (r->family != FAMILY_NONE)
        aiter_ask(a, r->family, r, l->n, l->k, r->kind == QUANTIZED_NOT ? of_bf16 : type, l->name);
    else if (r->json != NULL)
        lookups_add_shape(a->l, &file, r, l->name);
    else
        lookups_add_none(a->l, l->name, r->about, LOOKUP_NONE);
}

static void ask_kind(struct asking *a, enum quantization_kind kind, const struct hf_layer *l,
                     int has_bias)
{
    const enum triton_server server = a->how->server;
    const char *gfx = a->to->target.gfx;
    char why[96];
    const struct reading *r = reading_next(NULL, server, gfx, kind);
    snprintf(why, sizeof why, "kpred does not know which tables %s reads on %s",
             triton_servers[server], gfx);
    if (r == NULL)
        lookups_add_none(a->l, l->name, why, LOOKUP_UNKNOWN);
    for (; r != NULL; r = reading_next(r, server, gfx, kind))
        ask_reading(a, r, l, has_bias);
}

static void ask_layer(struct asking *a, enum quantization_kind kind, const struct hf_layer *l)
{
    if (kind != QUANTIZED_NOT || l->bias != HF_BIAS)
        ask_kind(a, kind, l, 0);
    if (kind == QUANTIZED_NOT && l->bias != HF_NO_BIAS)
        ask_kind(a, kind, l, 1);
}

int aiter_runs(enum quantization_kind kind, const int32_t block[2])
{
    const int is_weights = kind == QUANTIZED_INT8_WEIGHTS || kind == QUANTIZED_INT4_WEIGHTS;
    return kind == QUANTIZED_FP8_BLOCK ? block[0] == 128 && block[1] == 128
                                       : !is_weights && kind != QUANTIZED_INT8;
}

/* Why AITER has no table for such products; NULL: it has */
static const char *no_table(const struct quantization *q)
{
    switch (q->kind) {
    case QUANTIZED_FP8: return "AITER has no table of FP8 with a scale for each tensor";
    case QUANTIZED_INT8_WEIGHTS:
    case QUANTIZED_INT4_WEIGHTS: return "AITER has no table of products with weights alone in INT";
    case QUANTIZED_FP8_BLOCK:
        return aiter_runs(q->kind, q->block) ? NULL
                                             : "AITER's tables are of FP8 in blocks of 128 x 128";
    default: return NULL;
    }
}

static int is_gpt_oss(const struct asking *a)
{
    return strcmp(a->type, "gpt_oss") == 0;
}

static void ask_product_so(struct asking *a, const struct hf_layer *l, const struct quantization *q)
{
    char *refused = lookups_refused(l, q);
    const char *none = no_table(q);
    const int is_plain =
        q->is_of_experts || (is_gpt_oss(a) && q->kind == QUANTIZED_MXFP4); /* --quant said so */
    if (refused != NULL && !l->is_half)
        lookups_add_none(a->l, l->name, refused, LOOKUP_REFUSED);
    else if (refused == NULL && none != NULL)
        lookups_add_none(a->l, l->name, none, LOOKUP_NONE);
    else if (refused == NULL)
        ask_layer(a, is_plain ? QUANTIZED_NOT : q->kind, l);
    free(refused);
}

static void ask_product(struct asking *a, const struct hf_layer *l)
{
    struct quantization ways[2];
    const int n = weights_of(ways, a->l, a->c, a->how, l->name);
    for (int i = 0; i < n; i++)
        ask_product_so(a, l, &ways[i]);
}

static void ask_layers(struct asking *a)
{
    const struct hf_config top = {.inner = "", .json = a->c->json};
    const char *unknown = hf_layers_unknown(&top);
    struct hf_layers layers;
    if (unknown != NULL) {
        lookups_add_none(a->l, "other layers", unknown, LOOKUP_UNKNOWN);
        return;
    }
    if (hf_layers(&top, a->how->tp, &layers) != 0) {
        a->is_bad = fail("%s: so the server refuses the model, or kpred does not know its layers",
                         a->c->json.path);
        return;
    }
    for (size_t i = 0; i < layers.n; i++)
        ask_product(a, &layers.v[i]);
    if (layers.plain.n != 0)
        ask_layer(a, QUANTIZED_NOT, &layers.plain);
}

/* ---- look-ups: routed experts ---- */

/* The types of inputs and weights that AITER runs, and how these are quantised */
struct expert_types {
    const char *inputs, *weights, *how;
};

static struct expert_types types_of(const struct asking *a)
{
    static const char fp4[] = "torch.float4_e2m1fn_x2";
    const char *fp8 = fp8_of(a);
    switch (a->q.kind) {
    case QUANTIZED_NOT: return (struct expert_types){bf16, bf16, "QuantType.No"};
    case QUANTIZED_FP8: return (struct expert_types){fp8, fp8, "QuantType.per_Tensor"};
    case QUANTIZED_FP8_BLOCK: return (struct expert_types){fp8, fp8, "QuantType.per_1x128"};
    case QUANTIZED_FP8_CHANNEL: return (struct expert_types){fp8, fp8, "QuantType.per_Token"};
    default: return (struct expert_types){fp4, fp4, "QuantType.per_1x32"};
    }
}

static void ask_fused(struct asking *a, const struct expert_types *t, int64_t experts,
                      int64_t top_k, int64_t size, int64_t hidden, const char *layer)
{
    char count[2][24];
    const char *const details[] = {
        count[0], count[1],  is_gpt_oss(a) ? "ActivationType.Swiglu" : "ActivationType.Silu",
        bf16,     t->inputs, t->weights,
        t->how,   "1",       strcmp(a->type, "llama4") == 0 ? "1" : "0"};
    snprintf(count[0], sizeof count[0], "%" PRId64, experts);
    snprintf(count[1], sizeof count[1], "%" PRId64, top_k);
    aiter_ask(a, FAMILY_FMOE, NULL, size, hidden, details, layer);
}

static int64_t padded(int64_t size, int64_t to)
{
    return (size + to - 1) / to * to;
}

/* A kernel of MXFP4 that takes inputs of more bits has padded sizes, and the number of tokens tells
   which inputs. */
static void ask_gpt_oss(struct asking *a, const struct hf_experts *e, const struct experts_part *p)
{
    const char *const inputs[] = {bf16, fp8_of(a)};
    struct expert_types t = types_of(a);
    for (int i = 0; i < 2; i++) {
        t.inputs = inputs[i];
        ask_fused(a, &t, p->experts, e->top_k, padded(p->size, 256), padded(e->hidden, 256),
                  "experts");
    }
}

/* With a shared expert among them, too, where the server can do so: vLLM with expert parallelism
   then has one more for the tokens of other GPUs, and SGLang does not do it. */
static void ask_split(struct asking *a, const struct hf_experts *e, const struct experts_part *p)
{
    const struct expert_types t = types_of(a);
    const int has_ep = a->how->ep != 1, is_vllm = a->how->server == TRITON_VLLM;
    if (e->top_k == 0)
        lookups_add_none(a->l, "experts", "the config does not say how many experts a token has",
                         LOOKUP_UNKNOWN);
    else if (is_gpt_oss(a) && a->q.kind == QUANTIZED_MXFP4)
        ask_gpt_oss(a, e, p);
    else {
        ask_fused(a, &t, p->experts, e->top_k, p->size, e->hidden, "experts");
        if (experts_may_fuse(e, a->c, a->how) && (!has_ep || is_vllm))
            ask_fused(a, &t, p->experts + 1, e->top_k + 1 + has_ep, p->size, e->hidden,
                      "experts, the shared one among them");
    }
}

/* Types whose router is in FP32, or is no product of AITER's */
static const char *const other_routers[TRITON_N_SERVERS] = {
    "ernie4_5_moe glm4_moe glm4_moe_lite minimax_m2",
    "bailing_moe bailing_moe_v2 ernie4_5_moe glm4_moe glm4_moe_lite minimax_m2"};

static void ask_router(struct asking *a, const struct hf_experts *e)
{
    const struct hf_layer router = {.name = "router",
                                    .n = e->routed,
                                    .k = e->hidden,
                                    .bias = is_gpt_oss(a) ? HF_BIAS : HF_NO_BIAS};
    if (!names_has_word(other_routers[a->how->server], a->type))
        ask_layer(a, QUANTIZED_NOT, &router);
}

static void ask_experts_so(struct asking *a, const struct hf_experts *e)
{
    struct experts_part p;
    experts_split(&p, e, a->how, &a->q);
    if (p.refused != NULL)
        lookups_add_none(a->l, "experts", p.refused, LOOKUP_REFUSED);
    else if (aiter_runs(a->q.kind, p.block))
        ask_split(a, e, &p);
    free(p.refused);
}

static void ask_experts(struct asking *a, const struct hf_experts *e)
{
    struct quantization ways[2];
    const int n = weights_of(ways, a->l, a->c, a->how, "experts");
    for (int i = 0; i < n; i++) {
        a->q = ways[i];
        ask_experts_so(a, e);
    }
    ask_router(a, e);
}

/* Servers fill the words of the output layer up to a multiple of 64. SGLang runs it by torch. */
static void ask_output(struct asking *a)
{
    const int64_t words = padded(hf_number_or(a->c, "vocab_size", 1, 0), 64);
    const struct hf_layer layer = {.name = "output layer",
                                   .n = words / a->how->tp,
                                   .k = hf_number_or(a->c, "hidden_size", 1, 0)};
    if (!a->c->is_bad && words != 0 && layer.k != 0 && words % a->how->tp == 0
        && a->how->server == TRITON_VLLM)
        ask_layer(a, QUANTIZED_NOT, &layer);
}

int aiter_of_config(struct lookups *l, struct answering *to, struct hf_config *c,
                    const struct lookups_how *how)
{
    struct asking a = {.l = l, .to = to, .c = c, .how = how};
    struct hf_experts e;
    const int rc = hf_experts_read(c, &e);
    to->asked.from = (struct asked_from){.only = FAMILY_NONE};
    to->asked.at = (struct place){c->json.path, 0};
    if (rc < 0)
        return -1;
    a.type = e.type;
    ask_layers(&a);
    if (rc == 0)
        ask_experts(&a, &e);
    if (!a.is_bad)
        ask_output(&a);
    asked_sort(&to->asked);
    return a.is_bad || c->is_bad ? -1 : 0;
}

/* ---- what is read ---- */

/* Is it asked for still? */
static int decide(struct lookup *l, enum reading_verdict verdict, int may_switch)
{
    const struct reading *r = l->reading;
    struct buf why = {NULL, 0, 0};
    if (verdict == VERDICT_READ || (verdict == VERDICT_SWITCH && may_switch))
        return 1;
    l->is_json = verdict == VERDICT_JSON;
    l->none = verdict == VERDICT_SWITCH    ? LOOKUP_SWITCH
              : verdict == VERDICT_NOTHING ? LOOKUP_NONE
                                           : LOOKUP_UNKNOWN;
    if (verdict == VERDICT_SWITCH)
        buf_printf(&why, "a row switches it %s: --switch", r->about);
    else if (verdict == VERDICT_NOTHING && r->about != NULL)
        buf_puts(&why, r->about);
    l->why = why.s;
    return 0;
}

static void drop_shape(struct asked *a, const struct asked_shape *s)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!asked_is_pair(&a->v[i], s))
            a->v[n++] = a->v[i];
    a->n = n;
}

void aiter_decide(struct lookups *l, struct answering *to, const struct gemm_jsons *jsons,
                  int may_switch)
{
    const struct reader by = {&to->target, &to->installed, jsons};
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct lookup *x = &l->v[i];
        const struct reading *r = x->reading;
        const enum reading_verdict verdict =
            r == NULL ? VERDICT_READ : reading_of(r, &by, &x->shape);
        if (!decide(x, verdict, may_switch) && x->shape.family != FAMILY_NONE)
            drop_shape(&to->asked, &x->shape);
        if (verdict != VERDICT_NOTHING || r->rule == READS_NONE || r->rule == READS_MULTIPLE)
            l->v[n++] = *x;
        else
            free(x->layer);
    }
    l->n = n;
}

/* ---- answers ---- */

static const struct rows_layer *layer_of(const struct rows *r, const struct asked_shape *s)
{
    for (size_t i = 0; i < r->n; i++)
        if (asked_is_pair(&r->v[i].shape, s))
            return &r->v[i];
    return NULL;
}

/* The M of each origin, and the mean probability of what is predicted for sizes that were learnt */
static size_t note_rows(struct answer *a, const struct row *v, size_t n)
{
    int64_t sum = 0;
    size_t predicted = 0, learnt = 0;
    for (size_t i = 0; i < n; i++) {
        if (v[i].rank != 1)
            continue;
        struct buf *ms = &a->rows[v[i].best.is_copied ? ORIGIN_SHAPE : CHOICE_MODEL];
        buf_printf(ms, "%s%" PRId32, ms->n != 0 ? ", " : "", v[i].shape.m);
        predicted += !v[i].best.is_copied;
        if (!v[i].best.is_copied && v[i].best.outside == 0) {
            learnt++;
            sum += kpred_probability(v[i].best.score);
        }
    }
    if (learnt != 0)
        a->tuple = (int)((sum * 100 / (int64_t)learnt + (1 << 23)) >> 24);
    return predicted;
}

/* AITER has a Triton file of each of those that are told from tables by it. */
static void answer_json(struct answer *a, const struct answering *from,
                        const struct gemm_jsons *jsons)
{
    const struct reading *r = a->of->reading;
    const struct asked_shape *s = &a->of->shape;
    const struct gemm_json *f = gemm_json_find(jsons, from->target.gfx, r->json, s->n, s->k);
    const int is_sure = r->rule == READS_WITHOUT_JSON || r->rule == READS_UNLISTED;
    if (f != NULL || is_sure)
        a->kind = ANSWER_MEASURED;
    a->from = f != NULL ? xstrdup(f->path) : NULL;
    if (f == NULL)
        a->why = xstrdup(r->rule == READS_NONE ? r->about : "AITER's Triton file");
}

void aiter_answer(struct answer *a, const struct lookup *l, const struct answering *from,
                  const struct gemm_jsons *jsons)
{
    const struct rows_layer *layer = layer_of(&from->rows, &l->shape);
    struct buf why = {NULL, 0, 0};
    *a = (struct answer){.of = l, .kind = ANSWER_LEFT, .tuple = -1, .tile = -1};
    if (l->is_json)
        answer_json(a, from, jsons);
    else if (l->why != NULL)
        answer_none(a);
    if (l->is_json || l->why != NULL || layer == NULL)
        return;
    const struct row *v = from->rows.of[l->shape.family].v;
    v = v != NULL ? v + layer->first : NULL;
    const size_t predicted = note_rows(a, v, layer->rows);
    a->kind = predicted != 0         ? ANSWER_PREDICTED
              : layer->rows != 0     ? ANSWER_SHAPE
              : layer->measured != 0 ? ANSWER_MEASURED
                                     : ANSWER_LEFT;
    a->model = predicted != 0 ? from->target.model[l->shape.family] : NULL;
    rows_outside(v, layer->rows, 1, a->model, &why);
    if (layer->rows != 0 && layer->measured != 0)
        buf_printf(&why, "%s%zu M are measured", why.n != 0 ? "; " : "", layer->measured);
    if (layer->why != NULL)
        buf_printf(&why, "%s%s", why.n != 0 ? "; " : "", layer->why);
    if (l->reading != NULL && layer->rows != 0)
        reading_tell(l->reading, &why);
    a->why = why.s;
}

/* ---- AITER's Triton files ---- */

int aiter_near_json(struct answer *a, const char *gfx, const struct gemm_jsons *jsons)
{
    const struct asked_shape *s = &a->of->shape;
    const struct reading *r = a->of->reading;
    const struct gemm_json *f = gemm_json_near(jsons, gfx, r->json, s->n, s->k);
    struct buf name = {NULL, 0, 0};
    if (a->kind != ANSWER_LEFT || r->rule != READS_NONE || r->kind != QUANTIZED_FP8_BLOCK
        || f == NULL)
        return 0;
    const char *base = base_name(f->path);
    buf_add(&name, base, (size_t)(strstr(base, "-N=") - base));
    buf_printf(&name, "-N=%" PRId32 "-K=%" PRId32 ".json", s->n, s->k);
    a->kind = ANSWER_SHAPE;
    a->name = name.s;
    a->from = xstrdup(f->path);
    free(a->why);
    a->why = NULL;
    return read_file(f->path, FOLDER_FILE_BYTES, &a->text);
}

static void rank_kernel(struct triton_files *to, const char *output, const struct answer *v,
                        size_t n, const char *gfx, const struct gemm_jsons *jsons, size_t most)
{
    const char *kernel = v->of->reading->json;
    struct buf csv = {NULL, 0, 0}, name = {NULL, 0, 0}, path = {NULL, 0, 0};
    size_t rows = 0;
    buf_puts(&csv, gemm_json_heading);
    for (size_t i = 0; i < n; i++) {
        const struct lookup *l = v[i].of;
        if (l->is_json && v[i].kind != ANSWER_MEASURED && strcmp(l->reading->json, kernel) == 0)
            rows += gemm_json_rank(jsons, gfx, kernel, l->shape.n, l->shape.k, most, &csv);
    }
    buf_printf(&name, "candidates_GEMM-%s.csv", kernel);
    buf_add_path(&path, output, name.s);
    if (rows != 0) {
        triton_files_add(to, NULL, xstrdup(path.s), &csv);
        to->v[to->n - 1].replaces = 1;
    } else
        note("GEMM-%s: no candidates: --installed has none of its files for %s", kernel, gfx);
    buf_free(&csv);
    buf_free(&name);
    buf_free(&path);
}

void aiter_rank_json(struct triton_files *to, const char *output, const struct answer *v, size_t n,
                     const char *gfx, const struct gemm_jsons *jsons, size_t most)
{
    struct interned seen;
    memset(&seen, 0, sizeof seen);
    for (size_t i = 0; i < n; i++) {
        const size_t before = seen.n;
        if (!v[i].of->is_json || v[i].kind == ANSWER_MEASURED)
            continue;
        intern_text(&seen, v[i].of->reading->json);
        if (seen.n != before)
            rank_kernel(to, output, v + i, n - i, gfx, jsons, most);
    }
    intern_free(&seen);
}

/* ---- files ---- */

/* A table of an earlier run, of whose lines some are kept */
struct earlier {
    const struct answering *by;
    struct buf *to;
    char *at; /* the line that is next */
    size_t line;
};

/* One is replaced if it is of a layer that this run answers, or if its key is in a table that AITER
   reads as well. */
static int keep_row(void *to, const struct tuned_row *row)
{
    struct earlier *e = to;
    const struct target *t = &e->by->target;
    const struct rows_layer *layer = layer_of(&e->by->rows, &row->shape);
    const int is_ours = row->cu_num == t->cu_num && strcmp(row->gfx, t->gfx) == 0;
    char *line = NULL;
    for (; e->line < row->shape.at.line; e->line++)
        line = next_line(&e->at);
    if (line != NULL && !(is_ours && layer != NULL && layer->rows + layer->measured != 0)
        && !(is_ours && installed_has(&e->by->installed, t, &row->shape)))
        buf_printf(e->to, "%s\n", line);
    return 0;
}

/* The rows of other layers and GPUs stay in the table, if it has the same columns. */
static int keep_rows(const struct answering *a, enum family_id family, const char *path,
                     struct buf *to)
{
    struct buf text = {NULL, 0, 0};
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    int rc = read_text(path, MOST_TABLE_BYTES, &text);
    const size_t head = rc == 0 ? strcspn(text.s, "\n") : 0;
    struct earlier e = {a, to, text.s, 0};
    if (rc == 0 && strncmp(text.s, to->s, head + 1) == 0)
        rc = tuned_read(path, family, NULL, keep_row, &e);
    buf_free(&text);
    return rc;
}

/* Tables of the rows, or of candidates, which keep nothing of an earlier run */
static int add_tables(struct triton_files *to, const struct answering *a, struct table_files *made,
                      const struct files_options *o)
{
    int rc = files_make(made, &a->rows, &a->target, o);
    for (struct table_file *f = made->v; f < made->v + made->n && rc == 0; f++) {
        if (made == &a->files)
            rc = keep_rows(a, f->family, f->path, &f->text);
        triton_files_add(to, NULL, xstrdup(f->path), &f->text);
        to->v[to->n - 1].replaces = 1;
    }
    return rc;
}

int aiter_files(struct answering *a, struct triton_files *to, const char *output, int force,
                int has_candidates, const struct tables *inputs)
{
    struct buf folder = {NULL, 0, 0};
    struct table_files candidates = {.n = 0};
    buf_add_path(&folder, output, "");
    struct files_options o = {.output = folder.s,
                              .force = force,
                              .inputs = (const char *const *)inputs->v,
                              .n_inputs = inputs->n};
    int rc = add_tables(to, a, &a->files, &o);
    o.schema = SCHEMA_CANDIDATES;
    if (rc == 0 && has_candidates)
        rc = add_tables(to, a, &candidates, &o);
    files_free(&candidates);
    buf_free(&folder);
    return rc;
}

void aiter_tell(const struct answering *a)
{
    size_t built_in = 0;
    answering_tell(a);
    for (int i = 0; i < N_FAMILIES; i++)
        built_in += answering_built_in(a, (enum family_id)i, 1);
    if (built_in == 0)
        return;
    note("AITER compiles some tables in: %zu row%s only after a rebuild:", built_in,
         as_counted(built_in, " acts", "s act"));
    print_export("AITER_REBUILD", "1");
}
