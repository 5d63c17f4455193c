/* variants.c - which lists of an archive become the variants of a library
   SPDX-License-Identifier: MIT

   variants.h declares it. */
#include "variants.h"

#include "judge_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A brief timing may be lucky: the best few of each case are timed again, and chosen from. */
enum { OF_EACH_CASE = 8, MOST_JUDGED = 256 };

struct shortlist {
    struct edits list[MOST_JUDGED];
    struct result result[MOST_JUDGED];
    size_t n;
};

/* ---- the shortlist ---- */

static int is_listed(const struct shortlist *l, const struct edits *list)
{
    for (size_t i = 0; i < l->n; i++)
        if (edits_equal(&l->list[i], list))
            return 1;
    return 0;
}

static void add_listed(struct shortlist *l, const struct edits *list)
{
    if (l->n < MOST_JUDGED && !is_listed(l, list))
        edits_copy(&l->list[l->n++], list);
}

/* The valid entry with the least ratio in that case, of those that are not listed; NULL: none */
static const struct entry *best_of_case(const struct archive *a, const struct shortlist *l,
                                        int which)
{
    const struct entry *best = NULL;
    for (size_t i = 0; i < archive_size(a); i++) {
        const struct entry *e = archive_entry(a, i);
        if (e->result.outcome != OUTCOME_VALID || which >= e->result.n_cases
            || e->result.ratio[which] >= 1)
            continue;
        if ((best == NULL || e->result.ratio[which] < best->result.ratio[which])
            && !is_listed(l, &e->list))
            best = e;
    }
    return best;
}

static void make_shortlist(const struct archive *a, struct shortlist *l)
{
    const struct entry **front, *e;
    const size_t n = archive_front(a, &front);
    for (size_t i = 0; i < n && i < OF_EACH_CASE; i++)
        add_listed(l, &front[i]->list);
    free(front);
    for (int which = 0; which < TASK_CASES; which++)
        for (int i = 0; i < OF_EACH_CASE && (e = best_of_case(a, l, which)) != NULL; i++)
            add_listed(l, &e->list);
}

/* Judges them all; those that are not valid on all cases go. */
static int judge_shortlist(struct logged *run, struct shortlist *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        const int rc = judge_list(&run->session, run->archive, &l->list[i], &l->result[kept]);
        if (rc < 0)
            return -1;
        if (rc > 0 && i != kept) {
            const struct edits moved = l->list[kept];
            l->list[kept] = l->list[i];
            l->list[i] = moved;
        }
        kept += rc > 0;
    }
    for (size_t i = kept; i < l->n; i++)
        edits_free(&l->list[i]);
    l->n = kept;
    return 0;
}

/* ---- the choice ---- */

/* The sum over the cases of the least ratio, if `r` (NULL: nobody) joined those that are chosen */
static double sum_with(const struct variants *v, const struct result *r, int n_cases)
{
    double sum = 0;
    for (int c = 0; c < n_cases; c++) {
        double least = 1; /* the baseline's */
        for (size_t i = 1; i < v->n; i++)
            least = fmin(least, v->result[i].ratio[c]);
        sum += r != NULL ? fmin(least, r->ratio[c]) : least;
    }
    return sum;
}

static size_t best_to_join(const struct variants *v, const struct shortlist *l, int n_cases)
{
    size_t best = 0;
    for (size_t i = 1; i < l->n; i++)
        if (sum_with(v, &l->result[i], n_cases) < sum_with(v, &l->result[best], n_cases))
            best = i;
    return best;
}

/* What gains less is no use in a launch path, and near what two equal codes differ by */
static const double least_gain = 0.01;

static void choose(struct variants *v, const struct shortlist *l, size_t k)
{
    while (v->n < k && l->n > 0) {
        const int n_cases = l->result[0].n_cases;
        const size_t best = best_to_join(v, l, n_cases);
        const struct result *r = &l->result[best];
        if (sum_with(v, NULL, n_cases) - sum_with(v, r, n_cases) < least_gain * n_cases)
            return;
        edits_copy(&v->list[v->n], &l->list[best]);
        v->result[v->n++] = *r;
    }
}

int variants_choose(struct logged *run, size_t k, struct variants *out)
{
    struct shortlist *l = xcalloc(1, sizeof *l);
    memset(out, 0, sizeof *out);
    out->n = 1;
    out->result[0].time = 1;
    make_shortlist(run->archive, l);
    const int rc = judge_shortlist(run, l);
    if (rc == 0)
        choose(out, l, k);
    for (size_t i = 0; i < l->n; i++)
        edits_free(&l->list[i]);
    free(l);
    return rc;
}

/* How much the mean over the cases of the best time, by the baseline's, rises without variant i */
static double loss_without(const struct variants *v, const double *us, size_t n_cases, size_t i)
{
    double loss = 0;
    size_t n = 0;
    for (size_t c = 0; c < n_cases; c++) {
        double others = 1;
        if (us[c] <= 0)
            continue;
        for (size_t k = 1; k < v->n; k++)
            if (k != i)
                others = fmin(others, us[k * n_cases + c] / us[c]);
        loss += others - fmin(others, us[i * n_cases + c] / us[c]);
        n++;
    }
    return n > 0 ? loss / (double)n : 0;
}

size_t variants_prune(struct variants *v, const double *us, size_t n_cases)
{
    size_t worst = 1, pruned = 0;
    for (size_t i = 1; i < v->n; i++)
        if (loss_without(v, us, n_cases, i) < loss_without(v, us, n_cases, worst))
            worst = i;
    if (v->n > 1 && loss_without(v, us, n_cases, worst) < least_gain) {
        edits_free(&v->list[worst]);
        for (size_t i = worst; i + 1 < v->n; i++) {
            v->list[i] = v->list[i + 1];
            v->result[i] = v->result[i + 1];
        }
        memset(&v->list[--v->n], 0, sizeof v->list[0]);
        pruned = 1;
    }
    return pruned;
}

void variants_free(struct variants *v)
{
    for (size_t i = 0; i < v->n; i++)
        edits_free(&v->list[i]);
    memset(v, 0, sizeof *v);
}
