/* shares.c - what the predictions of a group are worth where options were timed
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

/* The least share that at least `percent` percent of the problems do not exceed */
static double percentile(const double *sorted, size_t n, size_t percent)
{
    const size_t rank = (n * percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

double eval_error(const struct eval *e, const double *value, double mean, size_t first, size_t end)
{
    double square = 0;
    for (size_t i = first, j; i < end; i = j) {
        double off = 0;
        for (j = i; j < end && e->row[j].unit == e->row[i].unit; j++)
            off += value[j - first] - mean;
        square += off * off;
    }
    return sqrt(square) / (double)(end - first);
}

/* The geometric mean of what the judges were asked for */
static double judged(const struct outcome *out, size_t n)
{
    double sum = 0;
    size_t asked = 0;
    for (size_t i = 0; i < n; i++)
        if (out[i].judged > 0) {
            sum += log(out[i].judged);
            asked++;
        }
    return asked ? exp(sum / (double)asked) : -1;
}

struct eval_shares eval_shares_of(const struct eval *e, const struct outcome *out, size_t first,
                                  size_t end)
{
    const size_t n = end - first;
    double *sorted = xcalloc(n, sizeof *sorted), *logs = xcalloc(n, sizeof *logs), sum = 0;
    struct eval_shares s = {0};
    for (size_t i = 0; i < n; i++) {
        sorted[i] = out[first + i].share;
        logs[i] = log(sorted[i]);
        sum += logs[i];
        s.exact += out[first + i].exact;
        s.unlisted += out[first + i].unlisted;
        s.answers += out[first + i].answers;
        s.timed += out[first + i].timed;
    }
    qsort(sorted, n, sizeof *sorted, num_rising);
    s.share = exp(sum / (double)n);
    s.se = s.share * eval_error(e, logs, sum / (double)n, first, end);
    s.judged = judged(out + first, n);
    s.p1 = percentile(sorted, n, 1);
    s.p5 = percentile(sorted, n, 5);
    free(sorted);
    free(logs);
    return s;
}
