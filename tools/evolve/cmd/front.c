/* front.c - the fronts of archives, and how a search went
   SPDX-License-Identifier: MIT

   front.h declares it. */
#include "front.h"

#include <stdlib.h>

/* Candidates that ran */
static size_t count_run(const struct archive *a)
{
    size_t counts[N_OUTCOMES], n = 0;
    archive_counts(a, counts);
    for (size_t i = 0; i < N_OUTCOMES; i++)
        if (i != OUTCOME_INAPPLICABLE && i != OUTCOME_REJECTED && i != OUTCOME_UNCOMPILED)
            n += counts[i];
    return n;
}

void front_heading(struct table *t)
{
    table_heading(t,
                  "log,method,seed,evaluations,point,time,gain,low,high,error,edits,effort,list");
}

static void add_search(struct table *t, const char *log, const struct archive *a)
{
    const char *method = archive_value(a, "method");
    const char *seed = archive_value(a, "seed");
    table_text(t, log);
    table_text(t, method != NULL ? method : "");
    table_number(t, "%s", seed != NULL ? seed : "0");
    table_number(t, "%zu", count_run(a));
}

static void add_point(struct table *t, size_t i, const struct entry *e)
{
    struct buf list = {NULL, 0, 0};
    const struct result *r = &e->result;
    edits_print(&e->list, edit_operators, &list);
    table_number(t, "%zu", i + 1);
    table_number(t, "%.4f", r->time);
    table_number(t, "%.2f", 100 * (1 - r->time));
    table_number(t, "%.2f", 100 * (1 - r->time - 1.96 * r->spread));
    table_number(t, "%.2f", 100 * (1 - r->time + 1.96 * r->spread));
    table_number(t, "%.3g", r->error);
    table_number(t, "%zu", e->list.n);
    table_text(t, effort_names[e->effort]);
    table_text(t, list.s);
    buf_free(&list);
}

void front_rows(struct table *t, const char *log, const struct archive *a)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    for (size_t i = 0; i < n; i++) {
        add_search(t, log, a);
        add_point(t, i, front[i]);
    }
    free(front);
}

int front_print(struct table *t, struct table_form form)
{
    if (form.csv || form.json)
        table_print(t, stdout, form);
    else
        table_print_within(t, stdout, 140);
    table_free(t);
    return flush_stdout();
}

void outcomes_print(const size_t counts[N_OUTCOMES], FILE *f)
{
    size_t all = 0;
    for (size_t i = 0; i < N_OUTCOMES; i++)
        all += counts[i];
    fprintf(f, "%zu evaluations:", all);
    for (size_t i = 0, said = 0; i < N_OUTCOMES; i++)
        if (counts[i] > 0)
            fprintf(f, "%s %zu %s", said++ > 0 ? "," : "", counts[i], outcome_names[i]);
    fputc('\n', f);
}
