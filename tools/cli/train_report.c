/* train_report.c - how good a network is that was just trained, beside simpler ways
   SPDX-License-Identifier: MIT */
#include "train_run.h"

#include "eval/peers.h"
#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

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
    note("%s: %zu problems that taught nothing: the share of the fastest %stuple's speed at k = 1, "
         "4, "
         "10",
         e->model->m.name, e->n, e->is_sample ? "timed " : "");
    for (int way = 0; way < N_PEERS; way++)
        if (way != PEER_JUDGES || has_judges)
            note("  %-8s %.3f +- %.3f  %.3f +- %.3f  %.3f +- %.3f", peer_names[way],
                 f[way][0].share, f[way][0].se, f[way][1].share, f[way][1].se, f[way][2].share,
                 f[way][2].se);
}

/* Is the network behind by more than the error of the difference? */
static void warn_if_behind(const struct eval *e, struct peer_figure f[N_PEERS][PEER_PLACES])
{
    for (int way = PEER_NETWORK + 1; way < N_PEERS; way++)
        for (size_t k = 0; k < PEER_PLACES; k++)
            if (f[way][k].behind > f[way][k].behind_se && f[way][k].behind > 0.01) {
                note("warning: %s: the network is behind `%s` at k = %ld: by %.1f %% +- %.1f %% of "
                     "the time",
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
        }
    }
    held_out_free(&held);
    free(e.row);
    free(e.is_out);
    return bad;
}
