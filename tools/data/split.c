/* split.c - the keys of a split and their hash, and which rows it keeps from training
   SPDX-License-Identifier: MIT */
#include "split.h"

#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

int32_t split_canonical(int32_t h, int64_t filter, int32_t pad, int32_t stride)
{
    int64_t room = (int64_t)h + 2 * (int64_t)pad - filter;
    return room < 0 ? h : (int32_t)(h + stride - 1 - room % stride);
}

static int32_t canonical(const struct split_item *it, const int32_t *problem)
{
    int64_t filter = it->filter;
    int32_t pad = it->pad;
    if (filter == 0) {
        filter = (int64_t)problem[it->dilation_at] * (problem[it->filter_at] - 1) + 1;
        pad = problem[it->pad_at];
    }
    return split_canonical(problem[it->a], filter, pad, problem[it->b]);
}

static void add_number(struct buf *b, int32_t v)
{
    buf_printf(b, "%ld", (long)v);
}

/* floor(log2(x)) of a size; 0 of 0 */
static int32_t octave(int32_t x)
{
    int32_t n = 0;
    while (x >> (n + 1) > 0)
        n++;
    return n;
}

static void add_item(const struct spec *s, const struct split_item *it, const int32_t *problem,
                     struct buf *b)
{
    int32_t x = problem[it->a], y = problem[it->b];
    switch (it->kind) {
    case SPLIT_LITERAL: buf_puts(b, it->literal); break;
    case SPLIT_MIN: add_number(b, x < y ? x : y); break;
    case SPLIT_MAX: add_number(b, x > y ? x : y); break;
    case SPLIT_OCTAVE: add_number(b, octave(x)); break;
    case SPLIT_CANONICAL: add_number(b, canonical(it, problem)); break;
    case SPLIT_FIELD:
        if (s->fields[it->a].n_tokens != 0)
            buf_puts(b, s->fields[it->a].tokens[x]);
        else
            add_number(b, x);
        break;
    }
}

void split_key_text(const struct spec *s, const struct split_key *k, const int32_t *problem,
                    struct buf *key)
{
    key->n = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (i != 0)
            buf_puts(key, ",");
        add_item(s, &k->items[i], problem, key);
    }
}

uint64_t split_hash(const char *key, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)key[i]) * UINT64_C(0x100000001b3);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

uint64_t split_row_hash(const struct spec *s, const struct split_key *k, const int32_t *problem,
                        struct buf *scratch)
{
    split_key_text(s, k, problem, scratch);
    return split_hash(scratch->s, scratch->n);
}

int split_is_test(uint64_t hash)
{
    return hash % 10 == 0;
}

/* ---- rows ---- */

enum { CONFIG, SHAPE, NONE, FOLD, FILE_OF, N_KINDS };
static const char *const kinds[N_KINDS] = {"config", "shape", "none", "fold", "file"};

struct split {
    size_t kind;
    size_t number, of; /* the fold; of == 0: none */
    const char *file;  /* its name */
};

/* ":I/N" with I < N; the numbers as they would be written. */
static int read_fold(const char *name, struct split *out)
{
    char again[64];
    if (sscanf(name, ":%5zu/%5zu", &out->number, &out->of) != 2 || out->number >= out->of)
        return 0;
    snprintf(again, sizeof again, ":%zu/%zu", out->number, out->of);
    return strcmp(again, name) == 0;
}

static int is_file_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return name[0] && !name[strspn(name, letters)];
}

/* Is it one? */
static int read_split(const char *name, struct split *out)
{
    const size_t n = strcspn(name, ":");
    *out = (struct split){.file = name + n + (name[n] != '\0')};
    while (out->kind < N_KINDS
           && (strncmp(name, kinds[out->kind], n) != 0 || kinds[out->kind][n] != '\0'))
        out->kind++;
    if (out->kind == FILE_OF)
        return is_file_name(out->file);
    if (name[n] && !read_fold(name + n, out))
        return 0;
    return out->kind <= SHAPE || out->kind == (out->of ? FOLD : NONE);
}

int held_out_is_split(const char *name)
{
    struct split split;
    return strlen(name) < SPEC_SPLIT_NAME && read_split(name, &split);
}

static const struct split_key *key_of(const struct spec *spec, const struct split *split)
{
    const struct split_key *key =
        split->kind == SHAPE || split->kind == FILE_OF ? &spec->shape : &spec->config;
    return key->n && split->kind != FOLD ? key : NULL;
}

const struct split_key *held_out_key(const struct spec *spec, const char *split)
{
    struct split read;
    (void)read_split(split, &read);
    return key_of(spec, &read);
}

/* ---- rows: folds ---- */

struct named {
    const struct dataset *d;
    size_t row;        /* of a problem's rows that which stands first in the files, */
    size_t first, end; /* and all of them */
};

static int by_place(const void *pa, const void *pb)
{
    const struct named *a = pa, *b = pb;
    if (data_stands_before(a->d, a->row, b->row))
        return -1;
    return data_stands_before(a->d, b->row, a->row) || a->first > b->first;
}

/* The number of every problem, as the unit of its rows. */
static void number_problems(const struct dataset *d, uint64_t *unit)
{
    struct named *place = xcalloc(d->n, sizeof *place);
    size_t n = 0;
    for (size_t i = 0; i < d->n; i = place[n++].end) {
        place[n] = (struct named){d, i, i, data_problem_end(d, i)};
        for (size_t row = i + 1; row < place[n].end; row++)
            if (data_stands_before(d, row, place[n].row))
                place[n].row = row;
    }
    qsort(place, n, sizeof *place, by_place);
    for (size_t i = 0; i < n; i++)
        for (size_t row = place[i].first; row < place[i].end; row++)
            unit[row] = i;
    free(place);
}

/* ---- rows: files ---- */

/* The file of that name, or -1 with a message */
static long find_file(const struct dataset *d, const char *name)
{
    const size_t n = strlen(name);
    long found = -1;
    for (size_t i = 0; i < d->n_files; i++) {
        const char *other = d->files[i].name;
        if (strncmp(other, name, n) || (other[n] && other[n] != '.'))
            continue;
        if (found >= 0)
            return fail("split file:%s: both %s and %s may be it", name, d->files[found].name,
                        other);
        found = (long)i;
    }
    return found >= 0 ? found : fail("split file:%s: no file of the data has this name", name);
}

/* Does the file name the problem of rows first..end-1? */
static int is_named(const struct dataset *d, size_t first, size_t end, long file)
{
    for (size_t i = first; i < end; i++)
        if (d->file[i] == (uint32_t)file)
            return 1;
    return 0;
}

/* Sets the parts by the units: what is of a unit with the file's problems does not train. */
static int part_file(const struct dataset *d, const char *name, struct held_out *out)
{
    const long file = find_file(d, name);
    struct interned units = {0};
    for (size_t i = 0, end; i < d->n && file >= 0; i = end) {
        end = data_problem_end(d, i);
        if (is_named(d, i, end, file)) {
            memset(out->part + i, HELD_OUT_TEST, end - i);
            (void)intern(&units, &out->unit[i], sizeof out->unit[i]);
        }
    }
    for (size_t i = 0; i < d->n; i++)
        if (out->part[i] != HELD_OUT_TEST
            && intern_find(&units, &out->unit[i], sizeof out->unit[i]) != INTERN_NONE)
            out->part[i] = HELD_OUT_ASIDE;
    intern_free(&units);
    return file < 0 ? -1 : 0;
}

/* ---- rows: interface ---- */

static void hash_keys(const struct spec *spec, const struct split_key *key, const struct dataset *d,
                      uint64_t *unit)
{
    struct buf scratch = {NULL, 0, 0};
    for (size_t i = 0; i < d->n; i++)
        unit[i] = split_row_hash(spec, key, d->problem + i * d->n_fields, &scratch);
    buf_free(&scratch);
}

/* Which part a row is in whose key has this hash. The test rows are the same for every fold, but
   those of a model that ships with all rows learnt: its folds are of all. */
static enum held_out_part keyed_part(const struct spec *spec, uint64_t hash,
                                     const struct split *split)
{
    const int is_fold = split->of && hash / 10 % split->of == split->number;
    if (!split->of || strcmp(spec->shipped, "none") != 0) {
        if (split_is_test(hash))
            return split->of ? HELD_OUT_ASIDE : HELD_OUT_TEST;
    }
    return is_fold ? HELD_OUT_TEST : HELD_OUT_TRAIN;
}

int held_out_find(const struct spec *spec, const char *name, const struct dataset *d,
                  struct held_out *out)
{
    struct split split;
    (void)read_split(name, &split);
    const struct split_key *key = key_of(spec, &split);
    const int is_file = split.kind == FILE_OF, is_keyed = split.kind <= SHAPE;
    out->unit = xcalloc(d->n, sizeof *out->unit);
    out->part = xcalloc(d->n, 1);
    if ((is_keyed || is_file) && !key)
        return fail("%s: section [split] has no key \"%s\"", spec->path,
                    kinds[is_file ? SHAPE : split.kind]);
    if (split.kind == FOLD)
        number_problems(d, out->unit);
    else if (key)
        hash_keys(spec, key, d, out->unit);
    for (size_t i = 0; i < d->n; i++) {
        if (!key && !split.of)
            out->unit[i] = i;
        if (is_keyed)
            out->part[i] = (unsigned char)keyed_part(spec, out->unit[i], &split);
        else if (split.of && out->unit[i] % split.of == split.number)
            out->part[i] = HELD_OUT_TEST;
    }
    return is_file ? part_file(d, split.file, out) : 0;
}

void held_out_free(struct held_out *h)
{
    free(h->unit);
    free(h->part);
}
