/* aiter_answers.c - what AITER's tables and Triton files answer
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TABLE_BYTES = 1 << 28 };

/* ---- what is read ---- */

/* Is it asked for still? */
static int decide(struct lookup *l, enum reading_verdict verdict, int may_switch)
{
    const struct reading *r = l->reading;
    struct buf why = {NULL, 0, 0};
    const int is_near = verdict == VERDICT_NEAR;
    l->is_json = verdict == VERDICT_JSON || (is_near && may_switch);
    l->none = is_near || verdict == VERDICT_SWITCH ? ANSWER_SWITCH : ANSWER_NONE;
    if (verdict == VERDICT_READ
        || (is_near ? !may_switch : verdict == VERDICT_SWITCH && may_switch))
        return 1;
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

void aiter_decide(struct lookups *l, struct answering *to, int may_switch)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        struct lookup *x = &l->v[i];
        const struct reading *r = x->reading;
        const enum reading_verdict verdict =
            r == NULL ? VERDICT_READ : reading_of(r, to, &x->shape);
        if (r != NULL && !decide(x, verdict, may_switch) && x->shape.family != FAMILY_NONE)
            drop_shape(&to->asked, &x->shape);
        if (verdict != VERDICT_NOTHING || r->rule == READS_NONE || r->rule == READS_MULTIPLE)
            l->v[n++] = *x;
        else {
            free(x->layer);
            free(x->why);
        }
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
static void answer_json(struct answer *a, const struct answering *from)
{
    const struct reading *r = a->of->reading;
    const struct asked_shape *s = &a->of->shape;
    const struct gemm_json *f =
        gemm_json_near(from->jsons, from->target.gfx, r->json, s->n, s->k, GEMM_JSON_SAME);
    const int is_sure = (r->rule == READS_WITHOUT_JSON || r->rule == READS_UNLISTED)
                        && a->of->none != ANSWER_SWITCH;
    if (f != NULL || is_sure)
        a->kind = ANSWER_MEASURED;
    a->from = f != NULL ? xstrdup(f->path) : NULL;
    if (f == NULL)
        a->why = xstrdup(r->rule == READS_NONE ? r->about : "AITER's Triton file");
}

void aiter_answer(struct answer *a, const struct answering *from)
{
    const struct lookup *l = a->of;
    const struct rows_layer *layer = layer_of(&from->rows, &l->shape);
    const int is_row = l->reading == NULL || l->reading->rule != READS_WITHOUT_JSON;
    struct buf why = {NULL, 0, 0};
    if (l->is_json)
        answer_json(a, from);
    else if (l->why != NULL) {
        a->kind = l->none;
        a->why = xstrdup(l->why);
    }
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
    if (l->none == ANSWER_SWITCH)
        buf_printf(&why, "%s%s %s%s", why.n != 0 ? "; " : "",
                   is_row ? "it switches" : "a Triton file switches it", l->reading->about,
                   is_row ? "" : ": --switch");
    a->why = why.s;
}

/* ---- AITER's Triton files ---- */

int aiter_near_json(struct answer *a, const struct answering *from)
{
    const struct asked_shape *s = &a->of->shape;
    const struct reading *r = a->of->reading;
    const struct gemm_json *f =
        gemm_json_near(from->jsons, from->target.gfx, r->json, s->n, s->k, GEMM_JSON_NEAR);
    struct buf name = {NULL, 0, 0};
    if (a->kind != ANSWER_LEFT || r->kind != QUANTIZED_FP8_BLOCK || f == NULL
        || (r->rule != READS_NONE && a->of->none != ANSWER_SWITCH))
        return 0;
    const char *base = base_name(f->path);
    buf_add(&name, base, (size_t)(strstr(base, "-N=") - base));
    buf_printf(&name, "-N=%" PRId32 "-K=%" PRId32 ".json", s->n, s->k);
    a->kind = ANSWER_SHAPE;
    a->name = name.s;
    a->from = xstrdup(f->path);
    free(a->why);
    a->why = NULL;
    if (a->of->none == ANSWER_SWITCH) {
        struct buf why = {NULL, 0, 0};
        buf_printf(&why, "it switches %s", r->about);
        a->why = why.s;
    }
    return read_file(f->path, FOLDER_FILE_BYTES, &a->text);
}

int answer_is_ranked(const struct answer *a)
{
    return a->of->is_json && a->kind != ANSWER_MEASURED;
}

static void rank_kernel(struct triton_files *to, const char *output, const struct answer *v,
                        size_t n, const struct answering *from, size_t most)
{
    const char *kernel = v->of->reading->json, *gfx = from->target.gfx;
    struct buf csv = {NULL, 0, 0}, path = {NULL, 0, 0};
    for (size_t i = 0; i < n; i++) {
        const struct lookup *l = v[i].of;
        if (answer_is_ranked(&v[i]) && strcmp(l->reading->json, kernel) == 0)
            gemm_json_rank(from->jsons, gfx, kernel, l->shape.n, l->shape.k, most, &csv);
    }
    buf_add_path(&path, output, "");
    buf_printf(&path, "candidates_GEMM-%s.csv", kernel);
    if (csv.n != 0) {
        triton_files_add(to, NULL, path.s, &csv);
        to->v[to->n - 1].replaces = 1;
        return;
    }
    note("GEMM-%s: no candidates: --installed has none of its files for %s", kernel, gfx);
    buf_free(&path);
}

void aiter_rank_json(struct triton_files *to, const char *output, const struct answer *v, size_t n,
                     const struct answering *from, size_t most)
{
    struct interned seen = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        const size_t before = seen.n;
        if (answer_is_ranked(&v[i]))
            intern_text(&seen, v[i].of->reading->json);
        if (seen.n != before)
            rank_kernel(to, output, v + i, n - i, from, most);
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
        && !(is_ours && installed_has(e->by, &row->shape)))
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
    int rc = files_make(made, a, o);
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
    struct files_options o = {.output = folder.s, .force = force, .inputs = {inputs->of}};
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
