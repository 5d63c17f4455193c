/* repeats.c - options that were timed several times: what counts, the noise, contradictions
   SPDX-License-Identifier: MIT */
#include "load.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int load_compare_options(const struct load_row *a, const struct load_row *b)
{
    for (size_t i = 0; i < KPRED_MAX_FIELDS; i++)
        if (a->problem[i] != b->problem[i])
            return a->problem[i] < b->problem[i] ? -1 : 1;
    int c = memcmp(a->target, b->target, sizeof a->target);
    return c != 0 ? c : (a->unknown > b->unknown) - (a->unknown < b->unknown);
}

static int by_option_and_time(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    const int c = load_compare_options(a, b);
    if (c != 0)
        return c;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Repeats differ by some ten where much goes wrong, and units by a thousand. */
int load_other_unit(double us, double other)
{
    return us > 300 * other || other > 300 * us;
}

/* Verdict on a row of an option beside the fastest one, of this file or an earlier one */
static int check_unit(struct loader *l, const struct load_row *least, const struct load_row *r)
{
    char time[32];
    if (!load_other_unit(r->time, least->time))
        return 0;
    snprintf(time, sizeof time, "%.15g", r->time);
    l->path = l->paths[r->file];
    return load_bad(l, r->row, DROP_TWICE, "time_us", time,
                    "the same option of the same problem took %.15g in %s:%lld: " LOAD_OTHER_UNIT,
                    least->time, l->paths[least->file], (long long)least->row);
}

/* Verdict on a row that follows one of the same option: equal times are one measurement. */
static int check_twice(struct loader *l, const struct load_row *first, const struct load_row *r)
{
    char time[32];
    if (!(r->time > first->time))
        return 1;
    snprintf(time, sizeof time, "%.15g", r->time);
    return load_bad(l, r->row, DROP_TWICE, "time_us", time,
                    "the same option of the same problem took %.15g in line %lld", first->time,
                    (long long)first->row);
}

/* Rows start..end-1 have one option and rising times: the one in the middle, with the median. */
static struct load_row median_row(const struct load_row *r, size_t start, size_t end)
{
    struct load_row middle = r[start + (end - start) / 2];
    if ((end - start) % 2 == 0)
        middle.time = (r[start + (end - start) / 2 - 1].time + middle.time) / 2;
    middle.time = data_round_time(middle.time);
    return middle;
}

/* Of two runs of a user's table that are far apart the longer was disturbed. */
static struct load_row row_that_counts(const struct loader *l, size_t start, size_t end)
{
    const struct load_row *r = l->rows;
    const int is_disturbed =
        l->spec->format == SPEC_TIMED && end - start == 2 && r[start + 1].time > 2 * r[start].time;
    return is_disturbed ? r[start] : median_row(r, start, end);
}

/* ---- noise ---- */

enum { PAIRS = 8 }; /* of one option's runs, at most */

/* What the median of n runs leaves of the square of one run's noise */
static double left_of_noise(size_t n)
{
    return n < 3 ? 1.0 / (double)n : 1.4 / (double)n;
}

static void add_pair(struct load_repeats *t, double us, double other)
{
    t->apart = xgrow(t->apart, t->n_apart, &t->cap, sizeof *t->apart);
    t->apart[t->n_apart++] = (float)fabs(num_log2(us / other));
}

/* Two runs of n, n > 1, drawn without their order */
static void draw_pair(uint64_t *seed, size_t n, size_t pair[2])
{
    pair[0] = num_draw(seed) % n;
    pair[1] = num_draw(seed) % (n - 1);
    pair[1] += pair[1] >= pair[0];
}

void load_runs(struct loader *l, const double *times, size_t n)
{
    uint64_t seed = num_mix(19, l->repeats.n, n);
    size_t pair[2];
    for (size_t i = 0; i < n / 2 && i < PAIRS; i++) {
        draw_pair(&seed, n, pair);
        add_pair(&l->repeats, times[pair[0]], times[pair[1]]);
    }
    l->repeats.n++;
    l->repeats.gone += 1 - left_of_noise(n);
}

/* The runs that are furthest apart are told, and how many are too far. */
static void see_range(struct load_repeats *t, const struct load_row *least,
                      const struct load_row *most)
{
    const float octaves = (float)num_log2(most->time / least->time);
    t->range = xgrow(t->range, t->n_range, &t->range_cap, sizeof *t->range);
    t->range[t->n_range++] = octaves;
    if (t->n_range == 1 || octaves > t->widest) {
        t->widest = octaves;
        t->least = *least;
        t->most = *most;
    }
}

/* Rows start..end-1 have one option and rising times. Of a user's table they tell of noise. */
static void see_repeats(struct loader *l, size_t start, size_t end)
{
    const struct load_row *r = l->rows + start;
    const size_t n = end - start;
    if (n < 2 || l->spec->format != SPEC_TIMED)
        return;
    double *times = xmalloc(n * sizeof *times);
    for (size_t i = 0; i < n; i++)
        times[i] = r[i].time;
    load_runs(l, times, n);
    free(times);
    see_range(&l->repeats, r, r + n - 1);
}

static int by_size(const void *pa, const void *pb)
{
    const float *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

enum { ENOUGH = 8 }; /* options, which tell of noise */

/* In octaves, of one run; 0: not known. Of two runs the middle difference is so much of it. */
static double noise_of_run(struct load_repeats *t)
{
    const double of_pair = 0.9539;
    if (t->n < ENOUGH)
        return 0;
    qsort(t->apart, t->n_apart, sizeof *t->apart, by_size);
    return (double)t->apart[t->n_apart / 2] / of_pair;
}

static double percent(double octaves)
{
    return 100 * ((double)num_exp2((float)octaves) - 1);
}

/* Further apart than the noise explains, and a fifth at least; where it is not known, by half */
static void note_wide(struct loader *l, double noise)
{
    const struct load_repeats *t = &l->repeats;
    const double by_noise = 11 * noise, least = noise > 0 ? 0.26 : 1;
    const double most = by_noise > least ? by_noise : least;
    size_t n = 0;
    for (size_t i = 0; i < t->n_range; i++)
        n += (double)t->range[i] > most;
    if (n > 0)
        note(
            "%s%s%lld: time_us: value \"%.15g\": the same option of the same problem took %.15g in "
            "%s:%lld; so far apart, beyond noise, %s %zu of %zu that were timed again",
            l->paths[t->most.file], l->row_prefix, (long long)t->most.row, t->most.time,
            t->least.time, l->paths[t->least.file], (long long)t->least.row, n == 1 ? "is" : "are",
            n, t->n_range);
}

double load_noise(struct loader *l)
{
    struct load_repeats *t = &l->repeats;
    const double of_run = noise_of_run(t);
    const double left = 1 - t->gone / (double)(l->n > 0 ? l->n : 1);
    const double of_time = of_run * sqrt(left > 0 ? left : 0);
    note_wide(l, of_run);
    if (of_run > 0)
        note("noise: %zu options were timed several times; one run of them scatters by %.2g %%, "
             "what counts of all options by %.2g %%",
             t->n, percent(of_run), percent(of_time));
    if (of_run > 0.25)
        note("warning: repeats are far apart: is a field missing that tells them apart?");
    return of_time;
}

struct repeats {
    size_t n;      /* rows of an option that another row has already, */
    int64_t first; /* and the least of them */
};

/* Of rows start..end-1, all but the one that stands first in the file are repeats. */
static void count_repeats(const struct load_row *r, size_t start, size_t end, struct repeats *c)
{
    size_t first = start;
    for (size_t i = start + 1; i < end; i++)
        if (r[i].row < r[first].row)
            first = i;
    for (size_t i = start; i < end; i++)
        if (i != first && (c->n++ == 0 || r[i].row < c->first))
            c->first = r[i].row;
}

/* The median is to be near the least of rows start..*end-1, or the longest ones are looked at. */
static int check_median(struct loader *l, size_t start, size_t *end)
{
    const struct load_row *r = l->rows;
    for (; load_other_unit(median_row(r, start, *end).time, r[start].time); --*end)
        if (check_unit(l, &r[start], &r[*end - 1]) < 0)
            return -1;
    return 0;
}

/* An option that was timed several times has the median of its times. */
static int merge_repeats(struct loader *l, size_t start)
{
    struct load_row *r = l->rows;
    struct repeats repeats = {0, 0};
    size_t kept = start, end;
    for (size_t i = start; i < l->n; i = end) {
        for (end = i + 1; end < l->n && load_compare_options(&r[i], &r[end]) == 0; end++)
            ;
        size_t kept_end = end;
        if (check_median(l, i, &kept_end) != 0)
            return -1;
        count_repeats(r, i, kept_end, &repeats);
        see_repeats(l, i, kept_end);
        r[kept++] = row_that_counts(l, i, kept_end);
    }
    l->n = kept;
    if (repeats.n > 0 && l->spec->format == SPEC_TIMED)
        note("%s%s%lld: %zu row%s a tuple of a problem again, this one first: the median of its "
             "times counts",
             l->path, l->row_prefix, (long long)repeats.first, repeats.n,
             repeats.n == 1 ? " times" : "s time");
    return 0;
}

/* The first row of the file being read, or l->n. Not where it was added: rows before may have left
   since (row_limit.h). */
static size_t first_of_file(const struct loader *l)
{
    size_t first = l->n;
    while (first > 0 && l->rows[first - 1].file == l->file)
        first--;
    return first;
}

int load_drop_twice(struct loader *l)
{
    struct load_row *r = l->rows;
    const size_t start = first_of_file(l);
    size_t kept = start;
    if (!spec_is_timed(l->spec) || l->n == start)
        return 0;
    qsort(r + start, l->n - start, sizeof *r, by_option_and_time);
    if (l->spec->format == SPEC_TIMED || l->spec->format == SPEC_AITER)
        return merge_repeats(l, start);
    for (size_t i = start; i < l->n; i++) {
        const int is_same = kept > start && load_compare_options(&r[kept - 1], &r[i]) == 0;
        const int rc = is_same ? check_twice(l, &r[kept - 1], &r[i]) : 0;
        if (rc < 0)
            return -1;
        if (rc == 0)
            r[kept++] = r[i];
    }
    l->n = kept;
    return 0;
}

/* Runs of one option in several files tell of noise, too. */
static void see_files(struct loader *l)
{
    const double gone = l->repeats.gone; /* each of them counts by itself */
    size_t end;
    for (size_t i = 0; i < l->n; i = end) {
        for (end = i + 1; end < l->n && load_compare_options(&l->rows[i], &l->rows[end]) == 0;)
            end++;
        see_repeats(l, i, end);
    }
    l->repeats.gone = gone;
}

int load_check_units(struct loader *l)
{
    struct load_row *r = l->rows;
    size_t kept = 0, least = 0;
    if (!spec_is_timed(l->spec) || l->n == 0)
        return 0;
    qsort(r, l->n, sizeof *r, by_option_and_time);
    for (size_t i = 0; i < l->n; i++) {
        if (load_compare_options(&r[least], &r[i]) != 0)
            least = kept;
        r[kept] = r[i];
        const int rc = check_unit(l, &r[least], &r[kept]);
        if (rc < 0)
            return -1;
        kept += rc == 0;
    }
    l->n = kept;
    see_files(l);
    return 0;
}
