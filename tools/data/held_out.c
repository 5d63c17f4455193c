/* held_out.c - see held_out.h
   SPDX-License-Identifier: MIT */
#include "held_out.h"

#include "split.h"

#include <stdlib.h>
#include <string.h>

struct fold {
    size_t number, of;
};

/* "fold:I/N" with I < N; the numbers as they would be written. */
static int read_fold(const char *name, struct fold *out)
{
    char again[64];
    if (sscanf(name, "fold:%5zu/%5zu", &out->number, &out->of) != 2 || out->number >= out->of)
        return 0;
    snprintf(again, sizeof again, "fold:%zu/%zu", out->number, out->of);
    return strcmp(again, name) == 0;
}

static int is_keyed(const char *name)
{
    return !strcmp(name, "config") || !strcmp(name, "shape");
}

int held_out_is_split(const char *name)
{
    struct fold fold;
    return is_keyed(name) || !strcmp(name, "none") || read_fold(name, &fold);
}

const struct split_key *held_out_key(const struct spec *spec, const char *split)
{
    const struct split_key *key = strcmp(split, "shape") ? &spec->config : &spec->shape;
    struct fold fold;
    return key->n && !read_fold(split, &fold) ? key : NULL;
}

/* ---- folds ---- */

struct place {
    uint32_t file;
    int64_t row;
    size_t first; /* row of the dataset */
};

static int compare_places(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Where the problem of rows first..end-1 is named first. */
static struct place place_of(const struct dataset *d, size_t first, size_t end)
{
    struct place least = {d->file[first], d->row[first], first};
    for (size_t i = first + 1; i < end; i++) {
        const struct place other = {d->file[i], d->row[i], first};
        if (compare_places(&other, &least) < 0)
            least = other;
    }
    return least;
}

/* The number of every problem, as the unit of its rows. */
static void number_problems(const struct dataset *d, uint64_t *unit)
{
    struct place *place = xcalloc(d->n, sizeof *place);
    size_t n = 0, end;
    for (size_t i = 0; i < d->n; i = end) {
        end = data_problem_end(d, i);
        place[n++] = place_of(d, i, end);
    }
    qsort(place, n, sizeof *place, compare_places);
    for (size_t i = 0; i < n; i++) {
        end = data_problem_end(d, place[i].first);
        for (size_t row = place[i].first; row < end; row++)
            unit[row] = i;
    }
    free(place);
}

/* ---- interface ---- */

static void hash_keys(const struct spec *spec, const struct split_key *key, const struct dataset *d,
                      uint64_t *unit)
{
    struct buf scratch = {NULL, 0, 0};
    for (size_t i = 0; i < d->n; i++)
        unit[i] = split_row_hash(spec, key, d->problem + i * d->n_fields, &scratch);
    buf_free(&scratch);
}

int held_out_find(const struct spec *spec, const char *split, const struct dataset *d,
                  struct held_out *out)
{
    const struct split_key *key = held_out_key(spec, split);
    struct fold fold = {0, 0};
    out->unit = xcalloc(d->n, sizeof *out->unit);
    out->is_test = xcalloc(d->n, 1);
    if (is_keyed(split) && !key)
        return fail("%s: section [split] has no key \"%s\"", spec->path, split);
    if (read_fold(split, &fold))
        number_problems(d, out->unit);
    else if (key)
        hash_keys(spec, key, d, out->unit);
    for (size_t i = 0; i < d->n; i++) {
        if (!fold.of && !key)
            out->unit[i] = i;
        out->is_test[i] = (unsigned char)(fold.of ? out->unit[i] % fold.of == fold.number
                                                  : is_keyed(split) && split_is_test(out->unit[i]));
    }
    return 0;
}

void held_out_free(struct held_out *h)
{
    free(h->unit);
    free(h->is_test);
}
