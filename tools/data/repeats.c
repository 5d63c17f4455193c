/* repeats.c - several times of one thing: what counts, the noise, and which times cannot be right
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- repeats ---- */

int load_compare_options(const struct load_row *a, const struct load_row *b)
{
    for (size_t i = 0; i < KPRED_MAX_FIELDS; i++)
        if (a->problem[i] != b->problem[i])
            return a->problem[i] < b->problem[i] ? -1 : 1;
    int c = memcmp(a->target, b->target, sizeof a->target);
    return c != 0 ? c : ORDER(a->unknown, b->unknown);
}

static int by_option_and_time(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    const int option = load_compare_options(a, b);
    const int order = option != 0 ? option : ORDER(a->time, b->time);
    return order != 0 ? order : ORDER(a->row, b->row);
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

/* ---- repeats: noise ---- */

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
            t->least.time, l->paths[t->least.file], (long long)t->least.row,
            as_counted(n, "is", "are"), n, t->n_range);
}

double load_noise(struct loader *l)
{
    struct load_repeats *t = &l->repeats;
    const double of_run = noise_of_run(t);
    const double left = 1 - t->gone / (double)(l->n > 0 ? l->n : 1);
    const double of_time = of_run * sqrt(left > 0 ? left : 0);
    note_wide(l, of_run);
    if (of_run > 0)
        note("noise: %zu %s timed several times; one run of them scatters by %.2g %%, "
             "what counts of all options by %.2g %%",
             t->n, as_counted(t->n, "option was", "options were"), percent(of_run),
             percent(of_time));
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

/* Where the rows end that have the option of row i */
static size_t option_end(const struct loader *l, size_t i)
{
    size_t end = i + 1;
    while (end < l->n && load_compare_options(&l->rows[i], &l->rows[end]) == 0)
        end++;
    return end;
}

/* What counts of rows start..end-1, which have one option and rising times: of tables of times the
   median, else the least. 0, or -1 with a message. */
static int merge_repeats(struct loader *l, size_t start, size_t end, struct repeats *repeats,
                         struct load_row *out)
{
    const struct load_row *r = l->rows;
    if (l->spec->format == SPEC_TIMED || l->spec->format == SPEC_AITER) {
        if (check_median(l, start, &end) != 0)
            return -1;
        count_repeats(r, start, end, repeats);
        see_repeats(l, start, end);
        *out = row_that_counts(l, start, end);
        return 0;
    }
    for (size_t i = start + 1; i < end; i++)
        if (check_twice(l, &r[start], &r[i]) < 0)
            return -1;
    *out = r[start];
    return 0;
}

/* The first row of the file being read, or l->n. Not where it was added: rows before may have left
   since (formats.h). */
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
    struct repeats repeats = {0, 0};
    const size_t start = first_of_file(l);
    size_t kept = start;
    if (!spec_is_timed(l->spec) || l->n == start)
        return 0;
    qsort(r + start, l->n - start, sizeof *r, by_option_and_time);
    for (size_t i = start, end; i < l->n; i = end) {
        end = option_end(l, i);
        if (merge_repeats(l, i, end, &repeats, &r[kept++]) != 0)
            return -1;
    }
    l->n = kept;
    if (repeats.n > 0 && l->spec->format == SPEC_TIMED)
        note("%s%s%lld: %zu row%s a tuple of a problem again, this one first: the median of its "
             "times counts",
             l->path, l->row_prefix, (long long)repeats.first, repeats.n,
             as_counted(repeats.n, " times", "s time"));
    return 0;
}

/* Runs of one option in several files tell of noise, too, and each of them counts by itself. */
int load_check_units(struct loader *l)
{
    struct load_row *r = l->rows;
    const double gone = l->repeats.gone;
    size_t kept = 0;
    if (!spec_is_timed(l->spec) || l->n == 0)
        return 0;
    qsort(r, l->n, sizeof *r, by_option_and_time);
    for (size_t i = 0, end; i < l->n; i = end) {
        const size_t least = kept;
        end = option_end(l, i);
        for (size_t k = i; k < end; k++) {
            r[kept] = r[k];
            const int rc = check_unit(l, &r[least], &r[kept]);
            if (rc < 0)
                return -1;
            kept += rc == 0;
        }
        see_repeats(l, least, kept);
    }
    l->n = kept;
    l->repeats.gone = gone;
    return 0;
}

/* ---- contradictions: one problem on two scales ---- */

enum { FEW = 3 }; /* rows, of which the middle one says nothing */

struct timed_row {
    double us;
    size_t row;
};

static int by_time(const void *pa, const void *pb)
{
    const struct timed_row *a = pa, *b = pb;
    const int order = ORDER(a->us, b->us);
    return order != 0 ? order : ORDER(a->row, b->row);
}

static double octaves_between(const struct timed_row *fast, const struct timed_row *slow)
{
    return num_log2(slow->us / fast->us);
}

/* Where the widest gap ends, among n rows that rise */
static size_t widest_gap(const struct timed_row *v, size_t n)
{
    size_t at = 1;
    for (size_t i = 2; i < n; i++)
        if (octaves_between(&v[i - 1], &v[i]) > octaves_between(&v[at - 1], &v[at]))
            at = i;
    return at;
}

/* Of n rows, those that stand first and last */
static void find_ends(const struct dataset *d, const struct timed_row *v, size_t n, size_t ends[2])
{
    ends[0] = ends[1] = v->row;
    for (size_t i = 1; i < n; i++) {
        ends[0] = data_stands_before(d, v[i].row, ends[0]) ? v[i].row : ends[0];
        ends[1] = data_stands_before(d, ends[1], v[i].row) ? v[i].row : ends[1];
    }
}

/* Two parts of a problem's rows, of which one stands before the other, and is about a thousand
   times as fast or as slow, with a gap between: where they begin, the fast one first */
static int is_on_two_scales(const struct dataset *d, const struct timed_row *v, size_t n,
                            size_t begin[2])
{
    size_t fast[2], slow[2];
    const size_t at = n < 2 * FEW ? 0 : widest_gap(v, n);
    if (at < FEW || n - at < FEW || octaves_between(&v[at - 1], &v[at]) < 2)
        return 0;
    const double apart = octaves_between(&v[at / 2], &v[at + (n - at) / 2]);
    find_ends(d, v, at, fast);
    find_ends(d, v + at, n - at, slow);
    begin[0] = fast[0];
    begin[1] = slow[0];
    return apart > 8.5 && apart < 11.5 /* 1000 is 10 octaves */
           && (data_stands_before(d, fast[1], slow[0]) || data_stands_before(d, slow[1], fast[0]));
}

/* In two files no reading is right; in one, slow tuples may stand together. */
static int tell_scales(const struct loader *l, const struct dataset *d, const size_t at[2])
{
    struct buf b = {0};
    const char *const fast = d->files[d->file[at[0]]].name;
    const char *const slow = d->files[d->file[at[1]]].name;
    const int is_bad = d->file[at[0]] != d->file[at[1]] && !l->options->lenient;
    buf_printf(&b,
               "%s:%lld: time_us: value \"%.15g\": from here on the times of a problem are about "
               "1000 times as long as those from %s:%lld on, \"%.15g\": " LOAD_OTHER_UNIT,
               slow, (long long)d->row[at[1]], d->time_us[at[1]], fast, (long long)d->row[at[0]],
               d->time_us[at[0]]);
    is_bad ? (void)fail("%s", b.s) : note("%s", b.s);
    buf_free(&b);
    return is_bad ? -1 : 0;
}

int load_check_scales(const struct loader *l, const struct dataset *d)
{
    struct timed_row *v = xcalloc(d->n + 1, sizeof *v);
    size_t begin[2];
    int found = 0;
    for (size_t i = 0, end; i < d->n && !found; i = end) {
        end = data_problem_end(d, i);
        for (size_t k = i; k < end; k++)
            v[k - i] = (struct timed_row){d->time_us[k], k};
        qsort(v, end - i, sizeof *v, by_time);
        found = is_on_two_scales(d, v, end - i, begin);
    }
    free(v);
    return found ? tell_scales(l, d, begin) : 0;
}

/* ---- contradictions: a GPU that is another's copy ---- */

enum { COMMON = 16 }; /* rows at least, half of them of times that no other has */

/* A row without its GPU */
struct twin {
    uint64_t hash;
    size_t row;
};

static int by_hash(const void *pa, const void *pb)
{
    const struct twin *a = pa, *b = pb;
    return a->hash != b->hash ? ORDER(a->hash, b->hash) : ORDER(a->row, b->row);
}

static uint64_t hash_without(const struct dataset *d, size_t gpu, size_t row)
{
    uint64_t h = 0;
    for (size_t f = 0; f < d->n_fields; f++)
        h = f == gpu ? h : num_mix(h, (uint64_t)d->problem[row * d->n_fields + f], f);
    for (size_t p = 0; p < d->n_params; p++)
        h = num_mix(h, d->target[row * d->n_params + p], p);
    return h;
}

/* Rows that two GPUs have in common, the first of which stands before the other in the data */
struct common {
    size_t n, equal, again; /* equal times, and those that were the last pair's as well */
    size_t row[2];          /* of the last pair */
};

struct copies {
    const struct dataset *d;
    size_t gpu, n_gpus;
    struct common *of; /* n_gpus x n_gpus */
};

static size_t gpu_of(const struct copies *c, size_t row)
{
    return (size_t)c->d->problem[row * c->d->n_fields + c->gpu];
}

static int is_equal(const struct dataset *d, size_t a, size_t b)
{
    return !(d->time_us[a] < d->time_us[b]) && !(d->time_us[a] > d->time_us[b]);
}

static void count_pair(struct copies *c, size_t a, size_t b)
{
    struct common *t = &c->of[gpu_of(c, a) * c->n_gpus + gpu_of(c, b)];
    if (gpu_of(c, a) == gpu_of(c, b))
        return;
    t->again += t->n > 0 && is_equal(c->d, a, t->row[0]);
    t->equal += (size_t)is_equal(c->d, a, b);
    t->n++;
    t->row[0] = a;
    t->row[1] = b;
}

static void count_twins(struct copies *c, const struct twin *v, size_t n)
{
    for (size_t i = 0, end; i < n; i = end)
        for (end = i + 1; end < n && v[end].hash == v[i].hash; end++)
            for (size_t k = i; k < end; k++)
                count_pair(c, v[k].row, v[end].row);
}

static void tell_copies(const struct copies *c, const struct spec_field *gpu)
{
    const struct dataset *d = c->d;
    for (size_t i = 0; i < c->n_gpus * c->n_gpus; i++) {
        const struct common *t = &c->of[i];
        const size_t a = t->row[0], b = t->row[1];
        if (t->n >= COMMON && t->equal == t->n && 2 * t->again < t->n)
            note("%s:%lld: gpu: value \"%s\": all %zu times are those of \"%s\" (the last in "
                 "%s:%lld): is it a copy?",
                 d->files[d->file[b]].name, (long long)d->row[b], gpu->tokens[gpu_of(c, b)], t->n,
                 gpu->tokens[gpu_of(c, a)], d->files[d->file[a]].name, (long long)d->row[a]);
    }
}

void load_note_copies(const struct spec *spec, const struct dataset *d)
{
    const int gpu = spec_field_index(spec, "gpu");
    if (gpu < 0 || spec->fields[gpu].n_tokens < 2)
        return;
    struct copies c = {.d = d, .gpu = (size_t)gpu, .n_gpus = spec->fields[gpu].n_tokens};
    struct twin *v = xcalloc(d->n + 1, sizeof *v);
    c.of = xcalloc(c.n_gpus * c.n_gpus, sizeof *c.of);
    for (size_t i = 0; i < d->n; i++)
        v[i] = (struct twin){hash_without(d, c.gpu, i), i};
    qsort(v, d->n, sizeof *v, by_hash);
    count_twins(&c, v, d->n);
    tell_copies(&c, &spec->fields[gpu]);
    free(c.of);
    free(v);
}
