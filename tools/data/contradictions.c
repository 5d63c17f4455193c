/* contradictions.c - times of a table that cannot all be right: see load.h
   SPDX-License-Identifier: MIT */
#include "load.h"

#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- one problem on two scales ---- */

enum { FEW = 3 }; /* rows, of which the middle one says nothing */

static const struct dataset *sorted; /* what qsort compares has no argument for it */

static int by_time(const void *pa, const void *pb)
{
    const size_t *a = pa, *b = pb;
    const double x = sorted->time_us[*a], y = sorted->time_us[*b];
    return x < y ? -1 : x > y ? 1 : (*a > *b) - (*a < *b);
}

static double octaves_between(const struct dataset *d, size_t fast, size_t slow)
{
    return num_log2(d->time_us[slow] / d->time_us[fast]);
}

/* Where the widest gap ends, among n rows that rise */
static size_t widest_gap(const struct dataset *d, const size_t *row, size_t n)
{
    size_t at = 1;
    for (size_t i = 2; i < n; i++)
        if (octaves_between(d, row[i - 1], row[i]) > octaves_between(d, row[at - 1], row[at]))
            at = i;
    return at;
}

static int is_before(const struct dataset *d, size_t a, size_t b)
{
    return d->file[a] != d->file[b] ? d->file[a] < d->file[b] : d->row[a] < d->row[b];
}

/* Of n rows, those that stand first and last */
static void find_ends(const struct dataset *d, const size_t *row, size_t n, size_t ends[2])
{
    ends[0] = ends[1] = row[0];
    for (size_t i = 1; i < n; i++) {
        ends[0] = is_before(d, row[i], ends[0]) ? row[i] : ends[0];
        ends[1] = is_before(d, ends[1], row[i]) ? row[i] : ends[1];
    }
}

/* Two parts of a problem's rows, of which one stands before the other, and is about a thousand
   times as fast or as slow, with a gap between: where they begin, the fast one first */
static int is_on_two_scales(const struct dataset *d, const size_t *row, size_t n, size_t begin[2])
{
    size_t fast[2], slow[2];
    const size_t at = n < 2 * FEW ? 0 : widest_gap(d, row, n);
    if (at < FEW || n - at < FEW || octaves_between(d, row[at - 1], row[at]) < 2)
        return 0;
    const double apart = octaves_between(d, row[at / 2], row[at + (n - at) / 2]);
    find_ends(d, row, at, fast);
    find_ends(d, row + at, n - at, slow);
    begin[0] = fast[0];
    begin[1] = slow[0];
    return apart > 8.5 && apart < 11.5 /* 1000 is 10 octaves */
           && (is_before(d, fast[1], slow[0]) || is_before(d, slow[1], fast[0]));
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
    size_t *row = xmalloc((d->n + 1) * sizeof *row), begin[2];
    int found = 0;
    sorted = d;
    for (size_t i = 0, end; i < d->n && !found; i = end) {
        end = data_problem_end(d, i);
        for (size_t k = i; k < end; k++)
            row[k - i] = k;
        qsort(row, end - i, sizeof *row, by_time);
        found = is_on_two_scales(d, row, end - i, begin);
    }
    free(row);
    return found ? tell_scales(l, d, begin) : 0;
}

/* ---- a GPU that is another's copy ---- */

enum { COMMON = 16 }; /* rows at least, half of them of times that no other has */

/* A row without its GPU */
struct twin {
    uint64_t hash;
    size_t row;
};

static int by_hash(const void *pa, const void *pb)
{
    const struct twin *a = pa, *b = pb;
    return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1)
                              : (a->row > b->row) - (a->row < b->row);
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
