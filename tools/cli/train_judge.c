/* train_judge.c - `kpred-train train --judge`: data of a judge that another program has trained
   SPDX-License-Identifier: MIT */
#include "train_run.h"

#include "train/timed.h"
#include "tune/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- data ---- */

enum { MOST_PROBLEMS = 4096 }; /* from which the network learns, or by which it is judged */

/* Some, all over the file */
static void draw_problems(struct problems *p)
{
    const size_t n = p->n;
    for (size_t i = 0; i < MOST_PROBLEMS; i++) {
        const size_t from = i * n / MOST_PROBLEMS;
        memmove(p->v + i * p->n_fields, p->v + from * p->n_fields, p->n_fields * sizeof *p->v);
        p->line[i] = p->line[from];
    }
    p->n = MOST_PROBLEMS;
    note("%d of %zu problems are used, all over the file", MOST_PROBLEMS, n);
}

static int add_file(const char *path, size_t rows, struct dataset *d)
{
    struct buf bytes = {NULL, 0, 0};
    struct data_file *f = &d->files[d->n_files];
    const int bad = read_file(path, (size_t)1 << 30, &bytes);
    if (!bad) {
        f->name = xstrdup(base_name(path));
        sha256_hex(bytes.s, bytes.n, f->sha256);
        f->rows = rows;
        d->n_files++;
    }
    buf_free(&bytes);
    return bad;
}

static int make_data(const struct train_options *o, const struct model *model,
                     const struct problems *p, struct training_data *out)
{
    struct buf text = {NULL, 0, 0};
    const struct file_lessons task = {model,
                                      out->judge,
                                      p->v,
                                      p->line,
                                      o->problems,
                                      p->n,
                                      (uint64_t)o->seed,
                                      worker_count(o->threads)};
    if (lessons_of_file(&task, &out->own))
        return -1;
    note("%s: %s: %s: %zu problems, of each its %d first tuples and some others", model->m.name,
         o->judge, judge_file_text(out->judge.file, &text), p->n, LESSON_BEST);
    buf_free(&text);
    out->own.files = xcalloc(2, sizeof *out->own.files);
    return add_file(o->problems, out->own.n, &out->own) || add_file(o->judge, 0, &out->own) ? -1
                                                                                            : 0;
}

void train_judge_close(struct training_data *d)
{
    training_data_close(d);
    judge_file_close(d->judge.file);
}

int train_judge_open(const struct train_options *o, const struct model *model,
                     struct training_data *out)
{
    struct problems p;
    memset(out, 0, sizeof *out);
    if (problems_read(o->problems, model->spec, 0, &p))
        return -1;
    if (p.n > MOST_PROBLEMS)
        draw_problems(&p);
    out->judge = (struct judge_other){judge_file_open(model, o->judge), judge_file_ask};
    const int bad = out->judge.file ? make_data(o, model, &p, out) : -1;
    problems_free(&p);
    if (bad)
        train_judge_close(out);
    return bad;
}

/* ---- how much of the judge is in the network ---- */

enum { MOST_K = 8 };
static const size_t places[] = {1, 4, MOST_K};
enum { N_PLACES = sizeof places / sizeof *places };

struct found {
    size_t n;
    double hits[N_PLACES], share[N_PLACES]; /* sums: has the first tuple; how fast is the best */
};

/* The judge's first tuple: a row */
static size_t first_of(const struct dataset *d, size_t row)
{
    const size_t end = data_problem_end(d, row);
    size_t best = row;
    for (size_t i = row; i < end; i++)
        if (d->time_us[i] < d->time_us[best])
            best = i;
    return best;
}

static unsigned char index_of(const kpred_param *p, int32_t value)
{
    unsigned char i = 0;
    while (i + 1 < p->n_values && p->values[i] != value)
        i++;
    return i;
}

/* Of the n first tuples of the network: which is the judge's first, and their marks */
static void see_tuples(const struct training_data *d, const struct model *m, size_t row,
                       const kpred_tuple *tuples, size_t n, struct found *f)
{
    const size_t n_params = m->m.n_params;
    const int32_t *problem = d->own.problem + row * d->own.n_fields;
    unsigned char target[(MOST_K + 1) * KPRED_MAX_TUPLE];
    float mark[MOST_K + 1], best = INFINITY;
    size_t at = 0;
    memcpy(target, d->own.target + row * n_params, n_params);
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < n_params; p++)
            target[(i + 1) * n_params + p] = index_of(&m->params[p], tuples[i].value[p]);
    judge_file_ask(d->judge.file, problem, target, n + 1, mark);
    for (size_t k = 0, is_hit = 0; k < N_PLACES; k++) {
        for (; at < n && at < places[k]; at++) {
            is_hit |= !(mark[at + 1] > mark[0]);
            best = mark[at + 1] < best ? mark[at + 1] : best;
        }
        f->hits[k] += (double)is_hit;
        f->share[k] += at ? exp2((double)(mark[0] - best)) : 0;
    }
    f->n++;
}

static int see_problems(const struct model *model, const struct training_data *d,
                        const unsigned char *part, unsigned char wanted, struct found *f)
{
    const size_t words = kpred_arena_words(&model->m, MOST_K);
    int32_t *arena = xcalloc(words, sizeof *arena);
    kpred_tuple tuples[MOST_K];
    kpred_ctx ctx;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, &model->m, MOST_K, arena, words);
    for (size_t i = 0; i < d->own.n && status == KPRED_OK; i = data_problem_end(&d->own, i)) {
        size_t n = 0;
        if (part[i] != wanted)
            continue;
        const kpred_status one = kpred_predict(&ctx, d->own.problem + i * d->own.n_fields,
                                               d->own.n_fields, tuples, MOST_K, &n);
        if (one != KPRED_OK && one != KPRED_ERR_INFEASIBLE && one != KPRED_ERR_NOT_APPLICABLE)
            status = one;
        see_tuples(d, model, first_of(&d->own, i), tuples, n, f);
    }
    free(arena);
    return status == KPRED_OK ? 0 : fail("%s: %s", model->m.name, kpred_status_string(status));
}

int train_judge_report(const struct model *model, const struct training_data *d)
{
    struct found f = {0, {0}, {0}};
    struct held_out held;
    int bad = held_out_find(model->spec, model->m.split, &d->own, &held);
    const int has_kept = !bad && memchr(held.part, HELD_OUT_TEST, d->own.n) != NULL;
    if (!bad)
        bad = see_problems(model, d, held.part, has_kept ? HELD_OUT_TEST : HELD_OUT_TRAIN, &f);
    held_out_free(&held);
    if (bad || !f.n)
        return bad;
    const double n = (double)f.n / 100;
    note("%s: of %zu %s %s training, at k = 1, 4, 8: the judge's first tuple is found in %.1f, "
         "%.1f, %.1f %%, and the best one found has %.1f, %.1f, %.1f %% of its speed",
         model->m.name, f.n, as_counted(f.n, "problem", "problems"), has_kept ? "kept from" : "of",
         f.hits[0] / n, f.hits[1] / n, f.hits[2] / n, f.share[0] / n, f.share[1] / n,
         f.share[2] / n);
    return 0;
}
