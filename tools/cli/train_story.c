/* train_story.c - what `train` says of a model: its making, how good it is, what to type next
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "train_run.h"

#include "eval/eval.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

static void write_files(struct buf *b, const char *what, const struct dataset *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        buf_printf(b, "   %s %s, %zu rows, sha256\n        %s\n", what, d->files[i].name,
                   d->files[i].rows, d->files[i].sha256);
}

/* The spec as it was named, unless that is a path of this machine */
static const char *spec_name(const struct train_options *o)
{
    return *o->spec == '/' || strstr(o->spec, "..") ? base_name(o->spec) : o->spec;
}

/* A number, unless it is the usual one */
static void next_count(struct next *c, const char *option, long value, long usual)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", value);
    next_option(c, option, value == usual ? NULL : digits);
}

/* What makes the header again; the files are named without their folders, the header after its
   model, so that the same data and options give the same bytes. */
static void write_command(struct buf *b, const struct train_options *o, const struct model *model)
{
    struct next c = {.is_story = 1, .column = 6};
    struct buf header = {NULL, 0, 0};
    const int is_usual = !strcmp(o->split, "config") && !strcmp(model->spec->shipped, "config");
    buf_printf(&header, "%s.h", model->m.name);
    next_word(&c, "kpred-train");
    next_word(&c, "train");
    next_word(&c, spec_name(o));
    next_files(&c, "--data", &o->data);
    next_files(&c, "--judge", &o->judge);
    next_files(&c, "--beside", &o->beside);
    next_option(&c, "--split", is_usual ? NULL : o->split);
    next_option(&c, "--net", o->net ? paper_names[o->net - 1] : NULL);
    next_count(&c, "--epochs", o->epochs, 0);
    next_count(&c, "--seed", o->seed, 1);
    next_how(&c, &o->how);
    next_option(&c, "--include-dir", o->include_dir);
    next_option(&c, "-o", header.s);
    buf_puts(b, "   from ");
    quote(b, spec_name(o), '?');
    buf_printf(b, " by\n      %s\n", c.text.s);
    buf_free(&header);
    buf_free(&c.text);
}

/* Lines for the header's opening comment. */
void train_story(struct buf *b, const struct train_options *o, const struct model *model,
                 const struct training_data *d, const struct training_rows *rows,
                 const struct recipe *r)
{
    write_command(b, o, model);
    buf_printf(b,
               "   net %s, split %s, epochs %.0f, seed %ld; %zu rows to train, %zu kept for "
               "testing\n",
               o->net ? paper_names[o->net - 1] : "additive", o->split,
               o->net ? r->paper_epochs : r->epochs, o->seed, rows->train.n, rows->held_out.n);
    write_files(b, "data", &d->own);
    for (size_t i = 0; i < d->n_beside; i++)
        write_files(b, "beside", &d->beside[i]);
}

/* ---- how good it is, beside simpler ways ---- */

/* Rows of names for unseen GPUs were made of the others. */
static int drop_unseen(struct eval *e)
{
    struct unseen u;
    size_t kept = 0;
    if (unseen_read(&u, e->model->spec))
        return -1;
    for (size_t i = 0; i < e->n; i++) {
        const int32_t *problem = e->data.problem + e->row[i].index * e->data.n_fields;
        if (!u.n || unseen_index(&u, problem[u.field]) < 0)
            e->row[kept++] = e->row[i];
    }
    e->n = kept;
    return 0;
}

static void print_figures(const struct eval *e, int has_judges,
                          struct peer_figure f[N_PEERS][PEER_PLACES])
{
    note("%s: %zu %s kept from training: the share of the fastest %stuple's speed at k = 1, 4, 10",
         e->model->m.name, e->n, as_counted(e->n, "problem", "problems"),
         e->is_sample ? "timed " : "");
    for (int way = 0; way < N_PEERS; way++)
        if (way != PEER_JUDGES || has_judges)
            note("  %-17s %.3f +- %.3f  %.3f +- %.3f  %.3f +- %.3f", peer_names[way],
                 f[way][0].share, f[way][0].se, f[way][1].share, f[way][1].se, f[way][2].share,
                 f[way][2].se);
}

/* Is the network behind by more than the error of the difference? */
static void warn_if_behind(const struct eval *e, struct peer_figure f[N_PEERS][PEER_PLACES])
{
    for (int way = PEER_NETWORK + 1; way < N_PEERS; way++)
        for (size_t k = 0; k < PEER_PLACES; k++)
            if (f[way][k].behind > f[way][k].behind_se && f[way][k].behind > 0.01) {
                note("warning: %s: the network is behind \"%s\" at k = %ld: by %.1f %% +- %.1f %% "
                     "of the time",
                     e->model->m.name, peer_names[way], watch_places[k],
                     100 * 0.6931 * f[way][k].behind, 100 * 0.6931 * f[way][k].behind_se);
                break;
            }
}

int train_report(const struct model *model, const struct dataset *d,
                 const struct judge_trees *judges)
{
    struct eval e = {.model = model, .run = &model->m, .rows = EVAL_TEST, .data = *d};
    struct peer_figure figures[N_PEERS][PEER_PLACES];
    struct held_out held;
    if (model->spec->format != SPEC_TIMED || !strcmp(model->m.split, "none"))
        return 0;
    int bad = held_out_find(model->spec, model->m.split, d, &held);
    if (!bad && memchr(held.part, HELD_OUT_TEST, d->n)) {
        bad = eval_select_rows(&e) || drop_unseen(&e);
        if (!bad && e.n > 1 && !(bad = peers_measure(&e, held.part, judges, figures))) {
            print_figures(&e, judges != NULL, figures);
            warn_if_behind(&e, figures);
            bad = judges && eval_sizes(&e, judges);
        }
    }
    held_out_free(&held);
    free(e.row);
    free(e.is_out);
    return bad;
}

/* ---- what to type next ---- */

enum { MAX_COMMAND = 1500 }; /* longer than that, it is not help */

static void eval_command(struct next *c, const struct train_options *o, int has_kept)
{
    next_word(c, commands_path);
    next_word(c, "eval");
    next_word(c, o->output);
    const size_t start = c->text.n;
    next_files(c, "--data", o->judge.n ? &o->judge : &o->data);
    if (c->text.n - start > MAX_COMMAND) {
        c->text.n = start;
        buf_puts(&c->text, " --data FILE...");
    }
    next_how(c, &o->how);
    buf_puts(&c->text, has_kept ? " -k 1,10" : " -k 1,10 --rows all");
}

/* kpred lies beside kpred-train. */
static void predict_command(struct next *c, const struct train_options *o, const struct spec *spec,
                            const int32_t *problem)
{
    struct buf word = {NULL, 0, 0};
    buf_add(&word, commands_path, (size_t)(base_name(commands_path) - commands_path));
    buf_puts(&word, "kpred");
    next_word(c, word.s);
    next_word(c, "predict");
    next_word(c, o->output);
    for (size_t i = 0; i < spec->n_fields; i++) {
        word.n = 0;
        if (spec->fields[i].n_tokens)
            buf_printf(&word, "%s=%s", spec->fields[i].name, spec->fields[i].tokens[problem[i]]);
        else
            buf_printf(&word, "%s=%ld", spec->fields[i].name, (long)problem[i]);
        next_word(c, word.s);
    }
    buf_puts(&c->text, " -k 3");
    buf_free(&word);
}

void train_tell_next(const struct train_options *o, const struct model *model,
                     const struct training_rows *rows)
{
    const struct recipe_rows *example = rows->held_out.n ? &rows->held_out : &rows->train;
    struct next eval = {.is_story = 0}, predict = {.is_story = 0};
    eval_command(&eval, o, rows->held_out.n > 0);
    note_command(rows->held_out.n > 0 ? "how good it is"
                                      : "how well it fits what it was trained on",
                 eval.text.s);
    if (!o->net) {
        predict_command(&predict, o, model->spec, example->problem);
        note_command("a prediction", predict.text.s);
    }
    buf_free(&eval.text);
    buf_free(&predict.text);
}
