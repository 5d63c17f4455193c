/* choices.c - what is written for each number of tokens: the model's tuple, or the server's own
   choice
   SPDX-License-Identifier: MIT */
#include "doubtful.h"
#include "triton.h"

#include "model/gpus.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct opt_counts triton_tuned = {
    18, {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096}};

/* ---- configurations ---- */

/* Members behind num_stages as they are without a word */
static struct triton_config config_of(int32_t bm, int32_t bn, int32_t bk, int32_t group,
                                      int32_t warps, int32_t stages)
{
    return (struct triton_config){{bm, bn, bk, group, warps, stages, 0, 0, 1}};
}

static int same_tile(const struct triton_config *a, const struct triton_config *b)
{
    static const enum triton_member tile[] = {TRITON_BLOCK_SIZE_M, TRITON_BLOCK_SIZE_N,
                                              TRITON_BLOCK_SIZE_K, TRITON_NUM_WARPS};
    for (size_t i = 0; i < sizeof tile / sizeof *tile; i++)
        if (a->v[tile[i]] != b->v[tile[i]])
            return 0;
    return 1;
}

/* A block may have 163 KiB of shared memory on sm_80, and 227 KiB on sm_90 and on the Blackwells of
   servers; on the others it has 99 KiB or less (CUDA C++ Programming Guide, "Compute
   Capabilities"). */
static int has_little_memory(const struct chip *chip)
{
    return chip != NULL && (chip->arch < 90 ? chip->arch != 80 : chip->arch >= 120);
}

int triton_gpu_find(struct triton_gpu *gpu, const char *device)
{
    const char *vendor = gpu_vendor(device);
    gpu->is_amd = vendor != NULL && strcmp(vendor, "amd") == 0;
    gpu->has_little_memory = !gpu->is_amd && has_little_memory(chip_of_device(device));
    return gpu->is_amd || (vendor != NULL && strcmp(vendor, "nvidia") == 0) ? 0 : -1;
}

/* ---- what a server takes without a file ---- */

/* get_default_config of each server's MoE, and w8a8_triton_block_scaled_mm of vLLM and
   w8a8_block_fp8_matmul_triton of SGLang, in the releases that triton.h names. */

static int is_fp8(const struct triton_name *name)
{
    return strcmp(name->dtype, "fp8_w8a8") == 0;
}

static struct triton_config vllm_block_moe(const struct triton_name *name,
                                           const struct triton_gpu *gpu, int32_t m)
{
    int32_t bn = name->block[0], stages = gpu->is_amd ? 2 : 3;
    if (!gpu->is_amd && m <= 8 && bn % 64 == 0) {
        bn = 64;
        stages = m <= 4 ? 4 : 3;
    }
    return config_of(m <= 64 ? 16 : 64, bn, name->block[1], m <= 16 ? 1 : 32, 4, stages);
}

static struct triton_config vllm_moe(const struct triton_name *name, const struct triton_gpu *gpu,
                                     int32_t m)
{
    const int32_t bm = m <= 32 ? 16 : m <= 96 ? 32 : m <= 512 ? 64 : 128;
    const int32_t bk = is_fp8(name) || m <= 64 ? 128 : 64;
    const int32_t group = m / name->e > 128 ? 16 : 1;
    const int32_t stages = gpu->is_amd ? 2 : m <= 32 ? 4 : 3;
    return config_of(bm, m <= 64 ? 64 : 128, bk, group, m <= 128 ? 4 : 8, stages);
}

static struct triton_config sglang_fp8_moe(const struct triton_name *name,
                                           const struct triton_gpu *gpu, int32_t m)
{
    const int is_few = m <= name->e;
    if (name->has_block)
        return config_of(64, name->block[0], name->block[1], 32, 4, gpu->is_amd ? 2 : 3);
    if (gpu->has_little_memory)
        return is_few ? config_of(32, 64, 256, 1, 4, 4) : config_of(64, 128, 256, 64, 4, 2);
    return is_few ? config_of(64, 128, 128, 1, 4, gpu->is_amd ? 2 : 4)
                  : config_of(128, 256, 128, 32, 8, gpu->is_amd ? 2 : 4);
}

/* Says nothing of warps and stages: Triton's own are 4 and 3, and on AMD's GPUs 4 and 2. */
static struct triton_config sglang_moe(const struct triton_name *name, const struct triton_gpu *gpu,
                                       int32_t m)
{
    const int32_t stages = gpu->is_amd ? 2 : 3;
    return m <= name->e ? config_of(16, 32, 64, 1, 4, stages) : config_of(64, 64, 32, 8, 4, stages);
}

/* Where weights alone have 4 or 8 bits, with a block, vLLM takes BLOCK_SIZE_N and _K of sizes that
   no name has. */
int default_config(struct triton_config *out, const struct triton_name *name,
                   const struct triton_gpu *gpu, int32_t m)
{
    const int is_sglang = name->server == TRITON_SGLANG,
              is_gemm = name->kernel == TRITON_BLOCK_GEMM;
    if (is_gemm ? !name->has_block : !is_sglang && name->has_block && ends_with(name->dtype, "a16"))
        return 0;
    *out = is_gemm ? config_of(64, name->block[0], name->block[1], 32, 4, is_sglang ? 3 : 2)
           : is_sglang && is_fp8(name)       ? sglang_fp8_moe(name, gpu, m)
           : is_sglang                       ? sglang_moe(name, gpu, m)
           : name->has_block && is_fp8(name) ? vllm_block_moe(name, gpu, m)
                                             : vllm_moe(name, gpu, m);
    return 1;
}

/* ---- predictors ---- */

enum { PREDICTED = 32 }; /* tuples of a problem, and the beam */

struct predictor {
    struct model model;
    int32_t *arena;
    kpred_ctx ctx;
    int param[TRITON_N_MEMBERS]; /* -1: the model has none */
    struct interned words;       /* FIELD=TEXT that a token was looked for */
    size_t cap;
    int32_t *token; /* by the numbers of words; -1: there is none, which was told */
    char device[sizeof((struct triton_name *)NULL)->device]; /* the last one */
    int knows_device;
    int32_t gpu; /* its token, or what comes closest */
};

static const char *const model_names[TRITON_N_KERNELS][2] = {
    [TRITON_MOE] = {"fused_moe_nvidia", "fused_moe_amd"},
    [TRITON_BLOCK_GEMM] = {"block_gemm_nvidia", "block_gemm_amd"},
};

static void close_predictor(struct predictor *p)
{
    model_free(&p->model);
    intern_free(&p->words);
    free(p->token);
    free(p->arena);
    free(p);
}

static struct predictor *open_predictor(const char *name)
{
    struct predictor *p = xcalloc(1, sizeof *p);
    if (model_open(name, &p->model) != 0) {
        free(p);
        return NULL;
    }
    const size_t words = kpred_arena_words(&p->model.m, PREDICTED);
    p->arena = xcalloc(words, sizeof *p->arena);
    const kpred_status status =
        kpred_init(&p->ctx, KPRED_VERSION, &p->model.m, PREDICTED, p->arena, words);
    for (int i = 0; i < TRITON_N_MEMBERS; i++)
        p->param[i] = spec_param_index(p->model.spec, triton_members[i]);
    if (status == KPRED_OK)
        return p;
    fail("%s: %s", name, kpred_status_string(status));
    close_predictor(p);
    return NULL;
}

void predictors_close(struct predictors *p)
{
    for (int i = 0; i < TRITON_N_KERNELS; i++)
        for (int j = 0; j < 2; j++)
            if (p->of[i][j] != NULL)
                close_predictor(p->of[i][j]);
    memset(p, 0, sizeof *p);
}

/* ---- predictors: problems ---- */

/* What is told of a text is told once. A GPU is looked for in any case by all of its names. */
static int32_t token_of(struct predictor *p, size_t field, const char *text,
                        const struct choices_options *o)
{
    struct buf key = {NULL, 0, 0};
    const size_t before = p->words.n;
    const char *name = p->model.m.fields[field].name;
    buf_printf(&key, "%s=%s", name, text);
    const size_t i = intern_text(&p->words, key.s);
    buf_free(&key);
    if (p->words.n != before) {
        p->token = xgrow(p->token, i, &p->cap, sizeof *p->token);
        p->token[i] = o->is_quiet && strcmp(name, "gpu") != 0
                          ? kpred_token(&p->model.m, field, text)
                          : model_token(&p->model, field, text, o->nearest);
    }
    return p->token[i];
}

/* Is the device a GPU of the model, not only near one? All files of a server have the same. */
static int knows_device(struct predictor *p, const char *device)
{
    if (strcmp(p->device, device) != 0) {
        const int field = kpred_field_index(&p->model.m, "gpu");
        p->gpu = model_gpu(&p->model, (size_t)field, device, 1, &p->knows_device);
        strcpy(p->device, device);
    }
    return p->knows_device;
}

/* 305 of 3.5.1 or 3_5_1; 0: it is none. */
static int32_t version_number(const char *version)
{
    int major, minor;
    return version && sscanf(version, "%1d%*1[._]%2d", &major, &minor) == 2 ? 100 * major + minor
                                                                            : 0;
}

/* The newest one that the model learnt of stands for one that is newer, or not known. */
static int32_t known_version(const kpred_field *f, const char *version)
{
    const int32_t v = version_number(version);
    return v == 0 || v > f->trained_max ? f->trained_max : v;
}

static int32_t size_of(const struct triton_name *name, enum triton_field field)
{
    switch (field) {
    case TRITON_E: return name->e;
    case TRITON_N: return name->n;
    case TRITON_K: return name->k;
    case TRITON_BLOCK: return name->block[1];
    case TRITON_PER_CHANNEL: return name->per_channel;
    default: return 1; /* M, which is set later */
    }
}

/* What a token is looked for; NULL: the field is a size. A name without dtype is one of 16 bits. */
static const char *text_of(const struct triton_name *name, enum triton_field field)
{
    switch (field) {
    case TRITON_SERVER: return triton_servers[name->server];
    case TRITON_GPU: return name->device;
    case TRITON_DTYPE: return *name->dtype != '\0' ? name->dtype : "bf16";
    default: return NULL;
    }
}

/* A size of blocks is like a word: the model knows squares of those that it learned from, which are
   the ends of their range, and says nothing of how a tuple runs with others. 0, or 1 with a reason
   in `why` */
static int set_problem(struct predictor *p, const struct triton_name *name,
                       const struct choices_options *o, int32_t problem[KPRED_MAX_FIELDS],
                       struct buf *why)
{
    const kpred_model *m = &p->model.m;
    const char *device = name->device; /* of one that means another, something is told */
    const char *known = p->knows_device && gpu_server_name(device) == device ? device : NULL;
    for (uint32_t i = 0; i < m->n_fields; i++) {
        const enum triton_field field =
            (enum triton_field)text_find(triton_fields, TRITON_N_FIELDS, m->fields[i].name);
        const char *text = text_of(name, field);
        const kpred_field *f = &m->fields[i];
        const int32_t *block = name->block;
        const int knows_block =
            block[0] == block[1] && (block[1] == f->trained_min || block[1] == f->trained_max);
        problem[i] = field == TRITON_VERSION ? known_version(f, o->version)
                     : text == NULL          ? size_of(name, field)
                     : text == known         ? p->gpu
                                             : token_of(p, i, text, o);
        if (problem[i] >= 0 && (field != TRITON_BLOCK || knows_block))
            continue;
        buf_printf(why, "the model %s does not know %s ", m->name, m->fields[i].name);
        if (text != NULL)
            buf_puts(why, text);
        else
            buf_printf(why, "%" PRId32 " x %" PRId32, block[0], block[1]);
        return 1;
    }
    return 0;
}

/* ---- the choice for an M ---- */

/* In percent: so much of the best tile's probability that of the default has to have, and so much
   of the first tuple's tile that of another tile */
enum { DEFAULT_WORTH = 90, CAUTION_WORTH = 125 };

/* The rule. The server's own choice is the one that nobody loses by: it stays where its tile is
   nearly as probable as the best one. Where it has the best tile itself, only GROUP_SIZE_M and
   num_stages are left to choose, and of these the model knows more. Both numbers are those by which
   configurations that were kept from training agreed most (docs/triton.md). */
enum choice_kind choices_rule(const struct weighed *w)
{
    if (w->has_default && !w->default_is_best
        && (int64_t)w->default_tile * 100 >= (int64_t)w->best_tile * DEFAULT_WORTH)
        return CHOICE_DEFAULT;
    return (int64_t)w->best_tile * 100 < (int64_t)w->top_tile * CAUTION_WORTH ? CHOICE_MODEL
                                                                              : CHOICE_CAUTIOUS;
}

/* The tuples of an M */
struct candidates {
    size_t n;
    kpred_tuple tuple[PREDICTED];
    struct triton_config config[PREDICTED];
    int32_t probability[PREDICTED]; /* Q24 */
};

static int32_t tile_sum(const struct candidates *c, const struct triton_config *tile)
{
    int32_t sum = 0;
    for (size_t i = 0; i < c->n; i++)
        if (same_tile(&c->config[i], tile))
            sum += c->probability[i];
    return sum;
}

/* The first tuple, which is the most probable one, of the most probable tile; *sum is that of the
   tile. */
static size_t best_tile(const struct candidates *c, int32_t *sum)
{
    size_t best = 0;
    *sum = -1;
    for (size_t i = 0; i < c->n; i++) {
        const int32_t s = tile_sum(c, &c->config[i]);
        if (s > *sum) {
            *sum = s;
            best = i;
        }
    }
    return best;
}

static int32_t probability_of(const struct candidates *c, const struct triton_config *config)
{
    for (size_t i = 0; i < c->n; i++)
        if (memcmp(&c->config[i], config, sizeof *config) == 0)
            return c->probability[i];
    return 0;
}

/* own: the server's, or NULL */
static struct choice choose_one(const struct candidates *c, const struct triton_config *own)
{
    struct choice choice;
    struct weighed w = {.has_default = own != NULL};
    const size_t best = best_tile(c, &w.best_tile);
    w.top_tile = tile_sum(c, &c->config[0]);
    if (own != NULL) {
        w.default_is_best = same_tile(own, &c->config[best]);
        w.default_tile = tile_sum(c, own);
    }
    choice.kind = choices_rule(&w);
    choice.config = choice.kind == CHOICE_DEFAULT ? *own
                    : choice.kind == CHOICE_MODEL ? c->config[0]
                                                  : c->config[best];
    choice.tile = tile_sum(c, &choice.config);
    choice.tuple = probability_of(c, &choice.config);
    return choice;
}

/* ---- the tuples to measure ---- */

/* One of a config that is among those of this M already, the last `n` of them, is left out. */
static void choices_rank(struct ranking *r, const struct candidates *c,
                         const struct triton_config *config, int32_t m)
{
    int32_t n = 0;
    for (size_t i = r->n; i > 0 && r->v[i - 1].m == m; i--, n++)
        if (memcmp(&r->v[i - 1].config, config, sizeof *config) == 0)
            return;
    if ((size_t)n >= r->most)
        return;
    r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
    r->v[r->n++] = (struct ranked){m, n + 1, probability_of(c, config), *config};
}

/* ---- choices ---- */

/* All of one name */
struct work {
    struct predictor *p;
    const struct triton_name *name;
    const struct choices_options *o;
    struct triton_gpu gpu;
    int32_t problem[KPRED_MAX_FIELDS];
};

/* Does the kernel run a tuple with its own BLOCK_SIZE_K, and load one scale for each block? Two
   blocks in one step have a wrong result, or are cut down to one. SGLang's block GEMM takes a whole
   block, except on NVIDIA's GPUs. */
static int runs_as_written(const struct work *w, int32_t block_k)
{
    const struct triton_name *name = w->name;
    const int is_whole =
        name->kernel == TRITON_BLOCK_GEMM && name->server == TRITON_SGLANG && w->gpu.is_amd;
    return !name->has_block || block_k == name->block[1]
           || (!is_whole && name->block[1] % block_k == 0);
}

/* 0, or -1 with a message. No tuples: none is legal. */
static int find_candidates(struct work *w, int32_t m, struct candidates *c)
{
    size_t n = 0;
    const kpred_model *model = &w->p->model.m;
    const int32_t field = kpred_field_index(model, "M");
    w->problem[field] = m;
    c->n = 0;
    const kpred_status status =
        kpred_predict(&w->p->ctx, w->problem, model->n_fields, c->tuple, PREDICTED, &n);
    for (size_t i = 0; i < n; i++) {
        struct triton_config *config = &c->config[c->n];
        *config = config_of(64, 64, 64, 1, 4, w->gpu.is_amd ? 2 : 3);
        for (int j = 0; j < TRITON_N_MEMBERS; j++)
            if (w->p->param[j] >= 0)
                config->v[j] = c->tuple[i].value[w->p->param[j]];
        c->probability[c->n] = kpred_probability(c->tuple[i].score);
        c->n += (size_t)runs_as_written(w, config->v[TRITON_BLOCK_SIZE_K]);
    }
    if (status == KPRED_OK || status == KPRED_ERR_NOT_APPLICABLE || status == KPRED_ERR_INFEASIBLE)
        return 0;
    return fail("%s: %s", model->name, kpred_status_string(status));
}

static int choose_m(struct work *w, struct choices *c, int32_t m)
{
    struct candidates candidates;
    struct triton_config own;
    const int has_own = !w->o->always_predict && default_config(&own, w->name, &w->gpu, m);
    if (find_candidates(w, m, &candidates) != 0)
        return -1;
    c->illegal += candidates.n == 0;
    if (candidates.n == 0 && !has_own)
        return 0;
    struct choice choice = candidates.n != 0
                               ? choose_one(&candidates, has_own ? &own : NULL)
                               : (struct choice){.kind = CHOICE_DEFAULT, .config = own};
    const uint32_t outside = candidates.n != 0 ? w->p->ctx.extrapolated : 0;
    choice.m = m;
    c->v[c->n++] = choice;
    c->of[choice.kind]++;
    c->outside += outside != 0;
    c->outside_of |= outside;
    c->tuple += outside == 0 ? choice.tuple : 0;
    c->tile += outside == 0 ? choice.tile : 0;
    if (w->o->ranking == NULL)
        return 0;
    choices_rank(w->o->ranking, &candidates, &choice.config, m);
    if (has_own)
        choices_rank(w->o->ranking, &candidates, &own, m);
    for (size_t i = 0; i < candidates.n; i++)
        choices_rank(w->o->ranking, &candidates, &candidates.config[i], m);
    return 0;
}

/* Why kpred has no model for a name, in `why`; 0: it may have one. */
static int has_no_model(const struct triton_name *name, struct triton_gpu *gpu, struct buf *why)
{
    const char *vendor = gpu_vendor(name->device);
    if (name->kernel == TRITON_MOE_DOWN)
        buf_puts(why, "kpred has no model of the second product alone, _down: SGLang takes the "
                      "file without _down");
    else if (name->kernel == TRITON_BLOCK_GEMM && !name->has_block)
        buf_puts(why, "without the file SGLang runs a kernel of CUTLASS, which may be faster than "
                      "any tuple");
    else if (triton_gpu_find(gpu, name->device) == 0)
        return 0;
    else if (vendor != NULL && strcmp(vendor, "intel") == 0)
        buf_puts(why, "kpred has no model of Intel's GPUs");
    else
        buf_printf(why, "%s is not a GPU of AMD or NVIDIA that kpred knows", name->device);
    return 1;
}

/* Were predictions for the GPU no better than the server's default? */
static int is_doubtful(const struct predictor *p)
{
#define DOUBTFUL(model, gpu) {model, gpu},
    static const char *const known[][2] = {TRITON_DOUBTFUL(DOUBTFUL){NULL, NULL}};
    const struct spec *spec = p->model.spec;
    const char *gpu = spec->fields[spec_field_index(spec, "gpu")].tokens[p->gpu];
    size_t i = 0;
    while (known[i][0]
           && (strcmp(known[i][0], p->model.m.name) != 0 || strcmp(known[i][1], gpu) != 0))
        i++;
    return known[i][0] != NULL;
}

int choices_doubt(const struct choices *c, int nearest, struct buf *why)
{
    const int is_doubted = c->is_doubtful && !nearest && c->n != c->of[CHOICE_DEFAULT];
    if (is_doubted)
        buf_printf(
            why, "%s's predictions for this GPU are no better than the server's default: --nearest",
            c->model->name);
    return is_doubted;
}

int choices_percent(const struct choices *c, int64_t sum)
{
    const int64_t n = (int64_t)(c->n - c->outside);
    return n == 0 ? -1 : (int)((sum * 100 + (n << 23)) / (n << 24));
}

int choices_make(struct choices *c, struct predictors *p, const struct triton_name *name,
                 const struct choices_options *o, struct buf *why)
{
    struct work w = {.name = name, .o = o};
    memset(c, 0, sizeof *c);
    if (has_no_model(name, &w.gpu, why))
        return 1;
    struct predictor **at = &p->of[name->kernel][w.gpu.is_amd];
    if (*at == NULL)
        *at = open_predictor(model_names[name->kernel][w.gpu.is_amd]);
    if (*at == NULL)
        return -1;
    w.p = *at;
    c->is_nearest = !knows_device(w.p, name->device);
    c->is_doubtful = w.p->gpu >= 0 && is_doubtful(w.p);
    c->model = &w.p->model.m;
    if (c->is_nearest && o->is_quiet && !o->nearest) {
        buf_printf(why, "%s does not know the GPU: --nearest", c->model->name);
        return 1;
    }
    int rc = set_problem(w.p, name, o, w.problem, why);
    for (size_t i = 0; i < o->ms.n && rc == 0; i++)
        rc = choose_m(&w, c, (int32_t)o->ms.v[i]);
    return rc;
}
