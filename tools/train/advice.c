/* advice.c - what training tells on standard error: rows, losses, and what is wrong with them
   SPDX-License-Identifier: MIT */
#include "train.h"

#include "base/numbers.h"

#include "model/gpus.h"

#include <math.h>
#include <stdlib.h>

/* ---- rows ---- */

static void add_count(struct buf *b, size_t n, const char *what)
{
    buf_printf(b, "%zu %s%s", n, what, as_counted(n, "", "s"));
}

/* Of times, tuples are drawn, so that there are more rows or fewer than in the files. */
static void add_part(struct buf *b, const struct recipe_rows *rows,
                     const struct training_part *part)
{
    add_count(b, rows->n, rows->soft && rows->n > part->problems ? "drawn row" : "row");
    buf_puts(b, " (");
    add_count(b, part->problems, "problem");
    if (part->groups) {
        buf_puts(b, " in ");
        add_count(b, part->groups, "group");
    }
    buf_puts(b, ")");
}

/* Values to choose between, besides the first of each parameter: as many logits can be learnt. */
static size_t count_choices(const struct model *model)
{
    return recipe_width(model) - model->m.n_params;
}

static void warn_of_few(const struct model *model, const char *split,
                        const struct training_rows *rows)
{
    const size_t need = 10 * count_choices(model), kept = rows->held_out_part.problems;
    if (rows->train.n < need)
        note("warning: %s: %zu %s few for the %zu values of its parameters: with fewer than "
             "some %zu, predictions are little better than the most frequent tuple",
             model->m.name, rows->train.n, as_counted(rows->train.n, "row is", "rows are"),
             recipe_width(model), need);
    if (strcmp(split, "none") && !rows->held_out.n)
        note("warning: %s: no row is kept for testing: eval cannot tell how good it is",
             model->m.name);
    else if (strcmp(split, "none") && kept < 30)
        note("warning: %s: %zu problem%s kept for testing: eval can tell little from so few",
             model->m.name, kept, as_counted(kept, " is", "s are"));
}

/* Runs of a tuner give a problem a few best tuples; a file for each tuple gives it all of them. */
static void warn_of_many(const struct model *model, const struct training_rows *rows)
{
    const size_t n = rows->train.n, problems = rows->train_part.problems;
    if (!rows->train.soft && n >= 3 * problems)
        note("warning: %s: the files give %zu different best %s for %zu problem%s: a table of "
             "all that was timed needs `format = timed` and a column \"time_us\"",
             model->m.name, n, as_counted(n, "tuple", "tuples"), problems,
             as_counted(problems, "", "s"));
}

void advice_rows(const struct model *model, const char *split, const struct training_rows *rows)
{
    struct buf b = {NULL, 0, 0};
    add_part(&b, &rows->train, &rows->train_part);
    if (rows->made_up)
        buf_printf(&b, ", %zu more made up", rows->made_up);
    buf_puts(&b, " to train on, ");
    if (rows->held_out.n)
        add_part(&b, &rows->held_out, &rows->held_out_part);
    else
        buf_puts(&b, "none");
    note("%s: split %s: %s kept for testing", model->m.name, split, b.s);
    buf_free(&b);
    warn_of_few(model, split, rows);
    warn_of_many(model, rows);
}

/* ---- features ---- */

/* Of each input, the least and the greatest activation among the rows. */
static void find_bounds(const struct model *model, const struct recipe_rows *rows, uint8_t *least,
                        uint8_t *most)
{
    const size_t n = model->program.n_features;
    uint8_t *x = xcalloc(n, 1);
    memset(least, 255, n);
    memset(most, 0, n);
    for (size_t i = 0; i < rows->n; i++) {
        program_run(&model->program, rows->problem + i * model->m.n_fields, model->m.n_fields, x);
        for (size_t f = 0; f < n; f++) {
            least[f] = x[f] < least[f] ? x[f] : least[f];
            most[f] = x[f] > most[f] ? x[f] : most[f];
        }
    }
    free(x);
}

/* Of each register, does it come of a logarithm? Sums and differences of such are in octaves. */
static void find_logarithms(const struct model *model, unsigned char *is_log)
{
    const struct program *p = &model->program;
    size_t to = model->m.n_fields;
    memset(is_log, 0, KPRED_MAX_REGISTERS);
    for (size_t i = 0; i < p->n_instr; i++) {
        const kpred_instr *in = &p->instr[i];
        if (in->op <= KPRED_OP_CONST)
            is_log[to++] = in->op == KPRED_OP_LOG2
                           || (in->op != KPRED_OP_CONST && (is_log[in->a] || is_log[in->b]));
    }
}

/* The inputs that one line makes */
struct inputs {
    const struct spec *spec;
    const struct spec_line *line;
    const uint8_t *least, *most;
    size_t n;
    int is_default; /* the line is not the user's */
};

/* In octaves, 2^16 of which a size is far below. */
static void warn_of_size(const struct inputs *in, size_t varying, int spread)
{
    const char *op = in->line->text, *size = op + strcspn(op, " \t");
    size += strspn(size, " \t");
    const int n = (int)strcspn(size, " \t");
    note("warning: %s:%ld: \"%s\": %.*s is not a logarithm: of %zu input%s %zu var%s among the "
         "training "
         "rows, by %d of 127; with \"l = log2 %.*s\" in [derived], write \"%.*s l%s\"",
         in->spec->path, in->line->line, op, n, size, in->n, as_counted(in->n, "", "s"), varying,
         as_counted(varying, "ies", "y"), spread, n, size, (int)strcspn(op, " \t"), op, size + n);
}

/* Lines of [features] that say the same of all rows */
struct same_lines {
    const struct spec_line *first;
    size_t n;
};

static void check_line(const struct inputs *in, int is_octaves, int is_log, struct same_lines *same)
{
    size_t varying = 0;
    int spread = 0;
    for (size_t i = 0; i < in->n; i++) {
        const int s = in->most[i] - in->least[i];
        varying += s > 0;
        spread = s > spread ? s : spread;
    }
    if (is_octaves && !is_log)
        warn_of_size(in, varying, spread);
    else if (!varying && !in->is_default && same->n++ == 0)
        same->first = in->line;
}

/* One warning: a table of few problems has many such lines, and they do no harm. */
static void warn_of_same(const struct spec *spec, const struct same_lines *same)
{
    struct buf more = {NULL, 0, 0};
    if (same->n == 0)
        return;
    if (same->n > 1) {
        buf_puts(&more, " and ");
        add_count(&more, same->n - 1, "other line");
        buf_puts(&more, " of [features]");
    }
    note("warning: %s:%ld: \"%s\"%s: %s the same for all training rows: nothing is learnt from %s",
         spec->path, same->first->line, same->first->text, more.n ? more.s : "",
         as_counted(same->n, "is", "are"), as_counted(same->n, "it", "them"));
    buf_free(&more);
}

void advice_features(const struct model *model, const struct recipe_rows *rows)
{
    const struct program *p = &model->program;
    unsigned char is_log[KPRED_MAX_REGISTERS];
    uint8_t *least = xcalloc(p->n_features, 1), *most = xcalloc(p->n_features, 1);
    struct same_lines same = {NULL, 0};
    size_t line = 0, at = 0;
    find_logarithms(model, is_log);
    find_bounds(model, rows, least, most);
    for (size_t i = 0; i < p->n_instr; i++) {
        const kpred_instr *in = &p->instr[i];
        if (in->op <= KPRED_OP_CONST)
            continue;
        const struct spec_line *text = &model->spec->features.v[line++];
        const struct inputs inputs = {model->spec, text,  least + at,
                                      most + at,   in->n, model_made_line(model, text)};
        check_line(&inputs, in->op == KPRED_OP_HATS || in->op == KPRED_OP_RAMP, is_log[in->a],
                   &same);
        at += in->n;
    }
    warn_of_same(model->spec, &same);
    free(least);
    free(most);
}

/* ---- losses ---- */

/* Of saying that all values of each parameter are as likely */
static double guessing(const struct model *model)
{
    double bits = 0;
    for (size_t p = 0; p < model->m.n_params; p++)
        bits += log2((double)model->params[p].n_values);
    return bits;
}

static void note_watched(const struct model *model, const struct watch_result *w)
{
    if (w->problems)
        note(
            "%s: the network of epoch %zu of %zu is written: on %zu %s not trained on, the best of "
            "its first 1, 4 and 10 timed tuples takes %.1f %% longer than the fastest",
            model->m.name, w->epoch, w->epochs, w->problems,
            as_counted(w->problems, "problem that it was", "problems that it was"),
            100 * (double)(num_exp2((float)w->lost) - 1));
}

void advice_losses(const struct model *model, const struct recipe_losses *losses)
{
    struct buf b = {NULL, 0, 0};
    if (losses->held_out > 0)
        buf_printf(&b, ", %.3f per row kept for testing", losses->held_out);
    note("%s: loss: %.3f bits per row of training%s; guessing costs %.3f", model->m.name,
         losses->train, b.s ? b.s : "", guessing(model));
    buf_free(&b);
    if (losses->behind > 0)
        note("%s: on made-up problems its loss is %.3f bits above that of its teachers",
             model->m.name, losses->behind);
    note_watched(model, &losses->watched);
}

static void note_clause(const struct model *model, const struct clause *c, size_t broken,
                        size_t undefined)
{
    note("%s: %s:%ld: %s: false for %zu row%s", model->m.name, model->spec->path, c->line, c->text,
         broken, as_counted(broken, "", "s"));
    if (undefined)
        note("%s: of these, %zu divide by 0", model->m.name, undefined);
}

void advice_clauses(const struct model *model, const struct dataset *d)
{
    size_t broken[CLAUSE_MAX] = {0}, undefined[CLAUSE_MAX] = {0};
    struct unseen unseen;
    (void)clauses_note_slips(&model->clauses, model->spec);
    if (unseen_read(&unseen, model->spec))
        return;
    for (size_t i = 0; i < d->n; i++) {
        const unsigned char *target = d->target + i * d->n_params;
        const int is_made = unseen_index(&unseen, d->problem[i * d->n_fields + unseen.field]) >= 0;
        int32_t values[KPRED_MAX_TUPLE];
        if (is_made || !data_is_known(d, i))
            continue;
        for (size_t t = 0; t < d->n_params; t++)
            values[t] = model->params[t].values[target[t]];
        for (size_t k = 0; k < model->clauses.n; k++) {
            int is_undefined;
            broken[k] += !clause_is_true(model->clauses.v + k, d->problem + i * d->n_fields, values,
                                         &is_undefined);
            undefined[k] += is_undefined != 0;
        }
    }
    for (size_t k = 0; k < model->clauses.n; k++)
        if (broken[k])
            note_clause(model, model->clauses.v + k, broken[k], undefined[k]);
}
