/* smooth.c - from the probabilities of the classes that a method knows to those of all values
   SPDX-License-Identifier: MIT */
#include "smooth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMOOTHING 1e-3
#define LEAST     1e-9

static int read_line(struct smooth *s, const struct peer_task *task, FILE *f, size_t t, size_t v)
{
    unsigned of_param, of_value;
    double frequency;
    if (fscanf(f, "%u,%u,%lf ", &of_param, &of_value, &frequency) != 3 || of_param != t
        || of_value != v)
        return -1;
    s->frequency[t][v] = frequency;
    s->n_classes[t] += frequency > 0;
    s->n_params = task->model->n_params;
    return 0;
}

int smooth_read(struct smooth *s, const struct peer_task *task, char why[PEER_WHY])
{
    char path[1024];
    int bad = 0;
    long line = 1;
    memset(s, 0, sizeof *s);
    snprintf(path, sizeof path, "%s/frequencies.csv", task->folder);
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(why, PEER_WHY, "there is no %.80s: bench_models.py writes it", path);
        return -1;
    }
    bad = fscanf(f, "%*[^\n] ");
    for (size_t t = 0; t < task->model->n_params && !bad; t++)
        for (size_t v = 0; v < (size_t)task->model->params[t].n_values && !bad; v++, line++)
            bad = read_line(s, task, f, t, v);
    fclose(f);
    if (bad)
        snprintf(why, PEER_WHY, "%.80s:%ld: expected parameter,value,frequency", path, line);
    return bad ? -1 : 0;
}

void smooth_logs(const struct smooth *s, size_t t, const float *probability, double *logs)
{
    size_t class = 0;
    for (size_t v = 0; v < KPRED_MAX_VALUES && class < s->n_classes[t]; v++) {
        const double frequency = s->frequency[t][v];
        const double known = frequency > 0 ? (double)probability[class ++] : 0;
        const double p = (1 - SMOOTHING) * known + SMOOTHING * frequency;
        logs[v] = log2(p > LEAST ? p : LEAST);
    }
}
