/* archive.c - every list that was evaluated, with its result: the cache of a search
   SPDX-License-Identifier: MIT

   task.h declares it. The file behind it is log.c's. */
#include "task.h"

#include "base/intern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- an evaluation as a line of the log ---- */

/* Behind the list: why there is no time, for people */
static void why_print(const char *why, struct buf *out)
{
    buf_puts(out, " | ");
    for (; *why != '\0'; why++)
        buf_printf(out, "%c", (unsigned char)*why < 0x20 || *why == 0x7f ? ' ' : *why);
}

/* `valid search 0.9312 0.0021 0 2 0.93 0.94 | move 12 30 0 9f31c2aa`: outcome, effort, time,
   spread, error, the number of cases, their ratios, and the list. Reading brings the same bits
   back. */
static void result_print(const struct edits *list, enum effort effort, const struct result *result,
                         struct edit_names names, struct buf *out)
{
    buf_printf(out, "%s %s %.17g %.17g %.17g %d", outcome_names[result->outcome],
               effort_names[effort], result->time, result->spread, result->error, result->n_cases);
    for (int i = 0; i < result->n_cases; i++)
        buf_printf(out, " %.17g", result->ratio[i]);
    buf_puts(out, " | ");
    edits_print(list, names, out);
    if (result->why != NULL)
        why_print(result->why, out);
}

/* Cuts the next word off; NULL if there is none. */
static char *next_word(char **at)
{
    char *word = *at;
    const size_t n = strcspn(word, " ");
    if (n == 0)
        return NULL;
    *at += n;
    if (**at == ' ')
        *(*at)++ = '\0';
    return word;
}

/* The number of the next word among n names, or -1 */
static int next_name(char **at, const char *const *names, size_t n)
{
    const char *word = next_word(at);
    return word != NULL ? text_find(names, n, word) : -1;
}

static int next_double(char **at, double *out)
{
    const char *word = next_word(at);
    char *end;
    if (word == NULL)
        return -1;
    *out = strtod(word, &end);
    return *end == '\0' ? 0 : -1;
}

static int next_cases(char **at, struct result *r)
{
    int64_t n;
    const char *word = next_word(at);
    if (word == NULL || parse_int(word, 0, TASK_CASES, &n) != 0)
        return -1;
    r->n_cases = (int)n;
    for (int i = 0; i < r->n_cases; i++)
        if (next_double(at, &r->ratio[i]) != 0)
            return -1;
    return 0;
}

/* Of a whole line, which it changes, into an empty list: 0, or -1 without a message. */
static int result_parse(char *line, struct edit_names names, struct edits *list,
                        enum effort *effort, struct result *result)
{
    memset(result, 0, sizeof *result);
    const int outcome = next_name(&line, outcome_names, N_OUTCOMES);
    const int e = next_name(&line, effort_names, N_EFFORTS);
    if (outcome < 0 || e < 0 || next_double(&line, &result->time) != 0
        || next_double(&line, &result->spread) != 0 || next_double(&line, &result->error) != 0
        || next_cases(&line, result) != 0)
        return -1;
    const char *bar = next_word(&line);
    if (bar == NULL || strcmp(bar, "|") != 0)
        return -1;
    char *behind = strstr(line, " | ");
    if (behind != NULL)
        *behind = '\0';
    result->outcome = (enum outcome)outcome;
    *effort = (enum effort)e;
    return edits_parse(line, names, list);
}

struct cell {           /* one allocation each: pointers to entries stay good */
    struct entry entry; /* its list is that of `lists` */
    unsigned char has[N_EFFORTS];
    struct result of[N_EFFORTS];
};

struct archive {
    struct edit_names names;
    struct log *log;       /* NULL: there is none */
    struct interned lists; /* their edits, as bytes */
    struct heap heap;      /* the cells */
    struct cell **cell;    /* of each */
    size_t cap;
    size_t counts[N_OUTCOMES];
};

/* ---- the table ---- */

static const void *bytes_of(const struct edits *list)
{
    return list->n > 0 ? (const void *)list->v : "";
}

static struct cell *find_cell(const struct archive *a, const struct edits *list)
{
    const size_t at = intern_find(&a->lists, bytes_of(list), list->n * sizeof *list->v);
    return at != INTERN_NONE ? a->cell[at] : NULL;
}

static struct cell *new_cell(struct archive *a, const struct edits *list)
{
    struct cell *c = heap_new(&a->heap, 1, sizeof *c);
    const size_t i = intern(&a->lists, bytes_of(list), list->n * sizeof *list->v);
    c->entry.list = (struct edits){(void *)a->lists.v[i].s, list->n, list->n};
    a->cell = xgrow(a->cell, i, &a->cap, sizeof *a->cell);
    return a->cell[i] = c;
}

/* Only the first result of an effort stays: what was decided by it has to be decided again. */
static void archive_keep(struct archive *a, const struct edits *list, enum effort effort,
                         const struct result *result)
{
    struct cell *c = find_cell(a, list);
    if (c == NULL)
        c = new_cell(a, list);
    else if (c->has[effort])
        return;
    const int is_latest =
        !c->has[EFFORT_SEARCH] && !c->has[EFFORT_CONFIRM] && !c->has[EFFORT_JUDGE];
    c->has[effort] = 1;
    c->of[effort] = *result;
    c->of[effort].why = NULL;
    a->counts[result->outcome]++;
    if (is_latest || effort > c->entry.effort) {
        c->entry.effort = effort;
        c->entry.result = c->of[effort];
    }
}

/* ---- what is asked ---- */

const struct entry *archive_find(const struct archive *a, const struct edits *list,
                                 enum effort effort)
{
    const struct cell *c = find_cell(a, list);
    return c != NULL && c->entry.effort >= effort ? &c->entry : NULL;
}

const struct result *archive_exact(const struct archive *a, const struct edits *list,
                                   enum effort effort)
{
    const struct cell *c = find_cell(a, list);
    return c != NULL && c->has[effort] ? &c->of[effort] : NULL;
}

int archive_add(struct archive *a, const struct edits *list, enum effort effort,
                const struct result *result)
{
    if (a->log != NULL && archive_exact(a, list, effort) == NULL) {
        struct buf line = {0};
        result_print(list, effort, result, a->names, &line);
        const int rc = log_append(a->log, line.s);
        buf_free(&line);
        if (rc != 0)
            return -1;
    }
    archive_keep(a, list, effort, result);
    return 0;
}

size_t archive_size(const struct archive *a)
{
    return a->lists.n;
}

const struct entry *archive_entry(const struct archive *a, size_t i)
{
    return &a->cell[i]->entry;
}

void archive_counts(const struct archive *a, size_t counts[N_OUTCOMES])
{
    memcpy(counts, a->counts, sizeof a->counts);
}

/* ---- the front ---- */

static int in_order(const void *x, const void *y)
{
    const struct entry *const *a = x, *const *b = y;
    const struct result *p = &(*a)->result, *q = &(*b)->result;
    int order = ORDER(p->time, q->time);
    order = order != 0 ? order : ORDER(p->error, q->error);
    return order != 0 ? order : ORDER((*a)->list.n, (*b)->list.n);
}

static enum effort effort_of_front(const struct archive *a)
{
    for (size_t i = 0; i < a->lists.n; i++)
        if (a->cell[i]->entry.result.outcome == OUTCOME_VALID
            && a->cell[i]->entry.effort >= EFFORT_CONFIRM)
            return EFFORT_CONFIRM;
    return EFFORT_SEARCH;
}

size_t archive_front(const struct archive *a, const struct entry ***front)
{
    const enum effort least = effort_of_front(a);
    const struct entry **all = xmalloc(a->lists.n * sizeof *all);
    size_t n = 0, n_front = 0;
    for (size_t i = 0; i < a->lists.n; i++) {
        const struct entry *e = &a->cell[i]->entry;
        if (e->result.outcome == OUTCOME_VALID && e->effort >= least)
            all[n++] = e;
    }
    qsort(all, n, sizeof *all, in_order);
    for (size_t i = 0; i < n; i++) /* each that is slower has to be more exact */
        if (n_front == 0 || all[i]->result.error < all[n_front - 1]->result.error)
            all[n_front++] = all[i];
    *front = all;
    return n_front;
}

/* ---- opening ---- */

static int take_line(void *user, char *text)
{
    struct archive *a = user;
    struct edits list = {0};
    enum effort effort;
    struct result result;
    if (result_parse(text, a->names, &list, &effort, &result) != 0)
        return -1;
    archive_keep(a, &list, effort, &result);
    edits_free(&list);
    return 0;
}

static void print_names(struct edit_names names, struct buf *out)
{
    buf_puts(out, "");
    for (size_t i = 0; i < names.n; i++)
        buf_printf(out, "%s%s", i != 0 ? " " : "", names.v[i]);
}

/* The heading of the log: the story, with the operators before it */
static struct log_pair *heading_of(const struct log_pair *story, const char *operators)
{
    size_t n = 0;
    while (story[n].key != NULL)
        n++;
    struct log_pair *all = xcalloc(n + 2, sizeof *all);
    all[0] = (struct log_pair){"operators", operators};
    memcpy(all + 1, story, n * sizeof *all);
    return all;
}

static int open_log(struct archive *a, const char *path, enum log_mode mode,
                    const struct log_pair *story)
{
    const struct log_lines lines = {take_line, a};
    struct buf operators = {0};
    print_names(a->names, &operators);
    struct log_pair *heading = heading_of(story, operators.s);
    const int rc = log_open(&a->log, path, mode, heading, &lines);
    free(heading);
    buf_free(&operators);
    return rc;
}

static int open_archive(struct archive **out, const char *path, enum log_mode mode,
                        const struct log_pair *story, struct edit_names names)
{
    struct archive *a = xcalloc(1, sizeof *a);
    a->names = names;
    *out = a;
    if (path == NULL || open_log(a, path, mode, story) == 0)
        return 0;
    archive_close(a);
    *out = NULL;
    return -1;
}

int archive_open(struct archive **a, const char *path, int resume, const struct log_pair *story,
                 struct edit_names names)
{
    return open_archive(a, path, resume ? LOG_RESUME : LOG_NEW, story, names);
}

int archive_read(struct archive **a, const char *path, struct edit_names names)
{
    static const struct log_pair none = {NULL, NULL};
    return open_archive(a, path, LOG_READ, &none, names);
}

const char *archive_value(const struct archive *a, const char *key)
{
    return a->log != NULL ? log_value(a->log, key) : NULL;
}

void archive_close(struct archive *a)
{
    if (a == NULL)
        return;
    heap_free(&a->heap);
    free(a->cell);
    intern_free(&a->lists);
    log_close(a->log);
    free(a);
}
