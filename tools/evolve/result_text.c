/* result_text.c - an evaluation as a line of a log
   SPDX-License-Identifier: MIT

   result_text.h declares it. */
#include "result_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_EFFORTS = EFFORT_JUDGE + 1 };
static const char *const effort_names[N_EFFORTS] = {"search", "confirm", "judge"};

void result_print(const struct edits *list, enum effort effort, const struct result *result,
                  struct edit_names names, struct buf *out)
{
    buf_printf(out, "%s %s %.17g %.17g %.17g %d", outcome_names[result->outcome],
               effort_names[effort], result->time, result->spread, result->error, result->n_cases);
    for (int i = 0; i < result->n_cases; i++)
        buf_printf(out, " %.17g", result->ratio[i]);
    buf_puts(out, " | ");
    edits_print(list, names, out);
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
static int next_name(char **at, const char *const *names, int n)
{
    const char *word = next_word(at);
    for (int i = 0; word != NULL && i < n; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
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

int result_parse(char *line, struct edit_names names, struct edits *list, enum effort *effort,
                 struct result *result)
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
    result->outcome = (enum outcome)outcome;
    *effort = (enum effort)e;
    return edits_parse(line, names, list);
}
