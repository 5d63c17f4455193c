/* answers.c - what a file that a server looks for should hold, and what has no answer
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "model/gpus.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const answer_names[N_ANSWERS] = {"measured",      "predicted",        "nearest device",
                                             "nearest shape", "server's default", "refused",
                                             "no look-up",    "would switch",     "not answered"};
const char *const origin_names[N_ORIGINS] = {"predicted", "cautious", "default", "measured",
                                             "nearest shape"};

/* ---- the text of a file, row by row ---- */

static void begin_row(struct answer *a, const struct answers_how *how, int32_t m, int origin)
{
    struct buf *ms = &a->rows[origin];
    if (a->text.n == 0)
        triton_text_begin(&a->text, &a->of->name, how->version);
    else
        buf_puts(&a->text, ",\n");
    buf_printf(ms, "%s%" PRId32, ms->n != 0 ? ", " : "", m);
}

static void add_choices(struct answer *a, const struct answers_how *how, const struct choices *c,
                        int64_t first, int64_t last)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].m > first && c->v[i].m < last) {
            begin_row(a, how, c->v[i].m, (int)c->v[i].kind);
            triton_text_row(&a->text, &a->of->name, &c->v[i]);
        }
}

/* ---- predictions ---- */

/* The second product takes what the first one has. */
static struct lookup first_product(const struct lookup *l)
{
    struct lookup up = *l;
    if (up.name.kernel == TRITON_MOE_DOWN)
        up.name.kernel = TRITON_MOE;
    return up;
}

/* What the server takes, where kpred cannot predict */
static void choose_defaults(struct choices *c, const struct triton_name *name)
{
    struct triton_gpu gpu;
    if (triton_gpu_find(&gpu, name->device) != 0)
        return;
    for (size_t i = 0; i < triton_tuned.n; i++) {
        struct choice choice = {.m = (int32_t)triton_tuned.v[i], .kind = CHOICE_DEFAULT};
        if (default_config(&choice.config, name, &gpu, choice.m))
            c->v[c->n++] = choice;
    }
    c->of[CHOICE_DEFAULT] = c->n;
}

static int answers_choose(struct answer *a, struct choices *c, const struct answers_how *how)
{
    const struct choices_options o = {
        .ms = triton_tuned, .version = how->version, .nearest = how->nearest, .is_quiet = 1};
    const struct lookup up = first_product(a->of);
    struct buf why = {NULL, 0, 0};
    const int rc = choices_make(c, how->predictors, &up.name, &o, &why);
    const int is_predicted = rc == 0 && c->n != c->of[CHOICE_DEFAULT];
    const int is_doubted = rc == 0 && choices_doubt(c, how->nearest, &why);
    const int is_left = is_doubted || (!how->nearest && c->is_nearest);
    if (rc == 0 && c->n != 0 && !is_left) {
        struct buf outside = {NULL, 0, 0};
        a->kind = !is_predicted   ? ANSWER_DEFAULT
                  : c->is_nearest ? ANSWER_NEAREST
                                  : ANSWER_PREDICTED;
        a->tuple = choices_percent(c, c->tuple);
        a->tile = choices_percent(c, c->tile);
        a->model = c->model;
        if (c->outside != 0)
            model_outside(c->model, c->outside_of, c->outside,
                          as_counted(c->outside, "M lies", "M lie"), &outside);
        a->why = outside.s;
    } else if (rc >= 0) {
        memset(c, 0, sizeof *c);
        if (!is_left)
            choose_defaults(c, &up.name);
        a->kind = c->n != 0 ? ANSWER_DEFAULT : ANSWER_LEFT;
        a->why = xstrdup(why.n != 0 ? why.s : "no tuple is legal for any M");
    }
    buf_free(&why);
    return rc < 0 ? -1 : 0;
}

/* ---- what was measured ---- */

static void add_rows(struct answer *a, const struct answers_how *how, const struct folder_file *f)
{
    const int is_up = f->name.kernel != a->of->name.kernel;
    for (size_t i = 0; i < f->rows.n; i++) {
        begin_row(a, how, f->rows.v[i].m, ORIGIN_MEASURED);
        known_row_add(&a->text, &f->rows.v[i], is_up);
    }
}

/* Predictions stand outside of the range of what was measured alone: within it the server takes
   the nearest measured M. f: NULL, nothing was measured */
static int answers_fill(struct answer *a, const struct answers_how *how,
                        const struct folder_file *f)
{
    const int64_t first = f != NULL ? f->rows.v[0].m : INT64_MAX;
    const int64_t last = f != NULL ? f->rows.v[f->rows.n - 1].m : INT64_MAX;
    struct choices c = {0};
    if ((f == NULL || triton_tuned.v[0] < first || triton_tuned.v[triton_tuned.n - 1] > last)
        && answers_choose(a, &c, how) != 0)
        return -1;
    if (f != NULL && a->kind == ANSWER_LEFT)
        c.n = 0;
    add_choices(a, how, &c, 0, first);
    if (f != NULL) {
        add_rows(a, how, f);
        a->kind = ANSWER_MEASURED;
    }
    add_choices(a, how, &c, last, INT64_MAX);
    buf_puts(&a->text, a->text.n != 0 ? "\n}\n" : "");
    return 0;
}

/* fills: are predictions added? */
static int take_rows(struct answer *a, const struct answers_how *how, const struct folder_file *f,
                     int fills)
{
    int rc = 0;
    a->from = xstrdup(f->path);
    a->kind = ANSWER_MEASURED;
    if (fills)
        rc = answers_fill(a, how, f);
    else {
        add_rows(a, how, f);
        buf_puts(&a->text, a->text.n != 0 ? "\n}\n" : "");
    }
    if (f->name.kernel != a->of->name.kernel && rc == 0) {
        free(a->why);
        a->why = xstrdup("as the first product");
    }
    return rc;
}

/* ---- the answer ---- */

static int answer_name(struct answer *a, const struct answers_how *how)
{
    const struct lookup up = first_product(a->of);
    const struct folder_file *known = folder_find(how->known, a->of),
                             *installed = folder_find(how->installed, a->of);
    if (known != NULL)
        return take_rows(a, how, known, 1);
    if (installed != NULL) {
        a->kind = ANSWER_MEASURED;
        a->from = xstrdup(installed->path);
        /* vLLM looks into its own folder as well; SGLang does not: it goes into the new one. */
        return triton_has_folder(&a->of->name)
                   ? read_file(installed->path, FOLDER_FILE_BYTES, &a->text)
                   : 0;
    }
    known = folder_find(how->known, &up);
    if (known != NULL)
        return take_rows(a, how, known, 1);
    installed = folder_find(how->installed, &up);
    if (installed != NULL)
        return take_rows(a, how, installed, 0);
    const int rc = answers_fill(a, how, NULL);
    if (rc == 0 && a->of->name.kernel == TRITON_MOE_DOWN && a->why == NULL)
        a->why = xstrdup("as the first product");
    return rc;
}

int answer_make(struct answer *a, const struct answers_how *how)
{
    if (a->of->of == LOOKUP_TRITON)
        return answer_name(a, how);
    a->kind = a->of->none;
    a->why = xstrdup(a->of->why);
    return 0;
}

/* ---- tuples to measure ---- */

int answers_rank(struct buf *b, const struct lookups *l, const struct answers_how *how, size_t most)
{
    int rc = 0;
    buf_puts(b, triton_table_heading);
    for (size_t i = 0; i < l->n && rc >= 0; i++) {
        struct ranking ranking = {.most = most};
        const struct choices_options o = {.ms = triton_tuned,
                                          .version = how->version,
                                          .nearest = 1,
                                          .is_quiet = 1,
                                          .ranking = &ranking};
        const struct triton_name *of = &l->v[i].name;
        struct choices c;
        struct buf why = {NULL, 0, 0}, name = {NULL, 0, 0};
        if (l->v[i].of != LOOKUP_TRITON || of->kernel == TRITON_MOE_DOWN)
            continue;
        rc = choices_make(&c, how->predictors, of, &o, &why);
        triton_name_write(of, &name);
        if (rc > 0)
            note("%s: no candidates: %s", name.s, why.s);
        else if (rc == 0)
            triton_table_rows(b, of, &ranking);
        buf_free(&why);
        buf_free(&name);
        free(ranking.v);
    }
    if (rc >= 0 && b->n == strlen(triton_table_heading))
        buf_free(b);
    return rc < 0 ? -1 : 0;
}

void answer_free(struct answer *a)
{
    free(a->why);
    free(a->from);
    free(a->name);
    buf_free(&a->text);
    for (int i = 0; i < N_ORIGINS; i++)
        buf_free(&a->rows[i]);
}

/* ---- families without an answer ---- */

/* What a run is of */
enum { VLLM = 1, SGLANG = 2, NVIDIA = 4, AMD = 8, AITER = 16, EXPERTS = 32, INT4 = 64 };
enum { MAMBA = 128, LINEAR = 256 };

static const struct {
    const char *name, *why;
    unsigned needs;
} families_left[] = {
    {"AITER's Triton JSON", "a row is right in 18 %: --top writes lists", AITER},
    {"FlyDSL's MoE (--moe-backend flydsl)", "two contents are public", VLLM | AMD | INT4},
    {"Mamba state update", "of AMD's GPUs one shape is public", VLLM | AMD | MAMBA},
    {"LoRA", "no data; VLLM_TUNED_CONFIG_FOLDER changes MoE with it", VLLM},
    {"LoRA", "20 files are public", SGLANG},
    {"Helion's kernels", "14 files are public", VLLM | NVIDIA},
    {"AITER's GDN", "its file has one number", AITER | LINEAR},
    {"AITER's grouped and mxscale MoE tables", "no model", AITER | EXPERTS},
};

static const char *const heads[] = {"mamba_head_dim", "mamba_d_head", "mamba_headdim", NULL};
static const char *const states[] = {"ssm_state_size", "mamba_d_state", NULL};

unsigned left_of_config(const struct lookups_how *how)
{
    struct hf_config *c = how->config;
    return (how->server == TRITON_VLLM ? VLLM : SGLANG)
           | (strncmp(how->device, "NVIDIA", 6) == 0 ? NVIDIA : AMD) | (how->has_aiter ? AITER : 0)
           | (how->experts.routed != 0 ? EXPERTS : 0)
           | (how->q.kind == QUANTIZED_INT4_WEIGHTS ? INT4 : 0)
           | (hf_number_any(c, heads) != 0 ? MAMBA : 0)
           | (hf_find(c, "linear_num_value_heads") != NULL ? LINEAR : 0);
}

void left_tell(unsigned of)
{
    for (size_t i = 0; i < sizeof families_left / sizeof *families_left; i++)
        if ((families_left[i].needs & ~of) == 0)
            note("not answered: %s: %s", families_left[i].name, families_left[i].why);
}

/* ---- Mamba's state update ---- */

/* Types of 16 bits share a file. */
void mamba_of_config(const struct lookups_how *how)
{
    static const char *const types[] = {"float16", "float32"};
    const int64_t head = hf_number_any(how->config, heads);
    const int64_t state = hf_number_any(how->config, states);
    for (int i = 0; i < 2 && head != 0 && state != 0 && how->server == TRITON_VLLM; i++) {
        struct buf name = {NULL, 0, 0};
        buf_printf(&name,
                   "headdim=%" PRId64 ",dstate=%" PRId64 ",device_name=%s,cache_dtype=%s.json",
                   head, state, how->device, types[i]);
        lookups_add_state(how->to, &name, "Mamba state update");
    }
}

/* How far another GPU of NVIDIA's is, by its architecture; 0: it is the same; -1: it is no such
   file or GPU */
static int sister_distance(const struct state_name *s, const char *path)
{
    struct state_name other;
    if (!state_name_read(&other, path) || other.head != s->head || other.state != s->state
        || strcmp(other.type, s->type) != 0)
        return -1;
    if (strcmp(other.device, s->device) == 0)
        return 0;
    const struct chip *a = chip_of_device(s->device), *b = chip_of_device(other.device);
    return a != NULL && b != NULL ? 1 + abs(a->arch - b->arch) : -1;
}

int mamba_answer(struct answer *a, const struct interned *files)
{
    struct state_name s;
    const char *best = NULL;
    int least = -1;
    (void)state_name_read(&s, a->of->called);
    for (size_t i = 0; i < files->n; i++) {
        const int d = sister_distance(&s, files->v[i].s);
        if (d >= 0
            && (best == NULL || d < least || (d == least && strcmp(best, files->v[i].s) >= 0))) {
            least = d;
            best = files->v[i].s;
        }
    }
    if (best == NULL) {
        a->why = xstrdup(strncmp(s.device, "NVIDIA", 6) == 0
                             ? "--installed has no file of NVIDIA's GPUs for it"
                             : "that of another GPU of AMD's is seldom right");
        return 0;
    }
    a->from = xstrdup(best);
    a->kind = least == 0 ? ANSWER_MEASURED : ANSWER_NEAREST;
    return least > 0 ? read_file(best, FOLDER_FILE_BYTES, &a->text) : 0;
}
