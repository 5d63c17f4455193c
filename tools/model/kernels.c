/* kernels.c - kernels that a library has compiled one by one: [kernels], and the rule `listed`
   SPDX-License-Identifier: MIT */
#include "rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct spec *spec;
    const struct spec_line *line; /* the one being read */
    struct kernels *out;
};

static int kernels_wrong(const struct reader *r, const char *what, const char *value,
                         const char *why)
{
    return fail("%s:%ld: [kernels]: %s \"%s\": %s", r->spec->path, r->line->line, what, value, why);
}

/* The next word of the line that strtok takes apart, or "" behind the last. */
static char *next(char *line)
{
    static char none[1];
    char *word = strtok(line, " \t");
    return word ? word : none;
}

/* ---- the first line ---- */

/* Parameters that follow each other, up to `=` */
static int read_params(struct reader *r, char *line)
{
    kpred_names *names = &r->out->names;
    const char *word = next(line);
    for (; *word && strcmp(word, "="); word = next(NULL)) {
        const int i = spec_param_index(r->spec, word);
        if (i < 0)
            return kernels_wrong(r, "word", word, "is not a parameter");
        if (names->n_params == 0)
            names->first = (uint32_t)i;
        if ((uint32_t)i != names->first + names->n_params++)
            return kernels_wrong(r, "parameter", word,
                                 "does not follow the one before it in [params]");
    }
    if (!names->n_params || !*word)
        return kernels_wrong(r, "line", r->line->text, "is not PARAMETER... = kernel [FIELD]");
    return names->first <= 1 && names->first + names->n_params == r->spec->n_params
               ? 0
               : kernels_wrong(
                   r, "line", r->line->text,
                   "lacks a parameter: a kernel decides all of them, or all but the first");
}

static int read_heading(struct reader *r, char *line)
{
    kpred_names *names = &r->out->names;
    if (read_params(r, line))
        return -1;
    const char *name = next(NULL), *field = next(NULL);
    const int i = *field ? spec_field_index(r->spec, field) : 0;
    if (!*name || *next(NULL))
        return kernels_wrong(r, "line", r->line->text, "is not PARAMETER... = kernel [FIELD]");
    if (*field && (i < 0 || !r->spec->fields[i].n_tokens))
        return kernels_wrong(r, "word", field, "is not a field of tokens");
    names->id_field = (uint32_t)i;
    names->n_ids = *field ? (uint32_t)r->spec->fields[i].n_tokens : 1;
    return 0;
}

/* ---- a kernel's line ---- */

static int read_values(struct reader *r, char *line, int32_t *values)
{
    const kpred_names *names = &r->out->names;
    const char *word = next(line);
    for (uint32_t p = 0; p < names->n_params; p++, word = next(NULL)) {
        const struct spec_param *of = r->spec->params + names->first + p;
        const int i = spec_value_index(of, word);
        if (i < 0)
            return kernels_wrong(r, of->name, word, "is not one of its values in [params]");
        values[p] = of->values[i];
    }
    return strcmp(word, "=") ? kernels_wrong(r, "word", word, "stands where `=` should") : 0;
}

/* The numbers of the tokens that the word means: one, or those that it begins. */
static int read_token(struct reader *r, char *word, int32_t *ids)
{
    const struct spec_field *field = r->spec->fields + r->out->names.id_field;
    const size_t n = strcspn(word, ":");
    int64_t id = 0;
    if (word[n] && parse_int(word + n + 1, 0, INT32_MAX, &id))
        return kernels_wrong(r, "word", word, "has no number of at least 0 behind the colon");
    for (size_t t = 0; t < field->n_tokens; t++) {
        const char *token = field->tokens[t];
        if (strncmp(token, word, n) || (token[n] && token[n] != '_'))
            continue;
        if (ids[t] >= 0)
            return kernels_wrong(r, "word", word, "means the same token as another one");
        ids[t] = (int32_t)id;
    }
    return 0;
}

static int read_ids(struct reader *r, int32_t *ids)
{
    const uint32_t n = r->out->names.n_ids;
    char *word = next(NULL);
    for (uint32_t t = 0; t < n; t++)
        ids[t] = n > 1 || r->spec->fields[r->out->names.id_field].n_tokens ? -1 : 0;
    if (!*word && ids[0] < 0)
        return kernels_wrong(r, "line", r->line->text, "does not say where the kernel exists");
    for (; *word; word = next(NULL))
        if (read_token(r, word, ids))
            return -1;
    return 0;
}

/* It goes into a string of C, into CSV and onto command lines. */
static int is_kernel_name(const char *s)
{
    const size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789.-");
    return n > 0 && n <= 255 && !s[n] && *s != '-';
}

static int read_kernel(struct reader *r, char *line)
{
    struct kernels *k = r->out;
    kpred_names *names = &k->names;
    if (read_values(r, line, k->values + names->n * names->n_params))
        return -1;
    const char *name = next(NULL);
    if (!is_kernel_name(name))
        return kernels_wrong(r, "name", name, "is not a word of letters, digits and _.-");
    k->name[names->n] = name;
    return read_ids(r, k->ids + names->n++ * names->n_ids);
}

/* ---- the whole ---- */

struct entry {
    const struct kernels *k;
    uint32_t i;
};

static int compare_values(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    const uint32_t n = a->k->names.n_params;
    for (uint32_t p = 0; p < n; p++) {
        const int32_t x = a->k->values[a->i * n + p], y = b->k->values[b->i * n + p];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_names(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    return strcmp(a->k->name[a->i], b->k->name[b->i]);
}

/* Sorts the entries; equal ones, which follow each other then, are an error. */
static int sort(const struct spec *spec, struct entry *e,
                int (*compare)(const void *, const void *))
{
    const struct kernels *k = e->k;
    qsort(e, k->names.n, sizeof *e, compare);
    for (uint32_t i = 1; i < k->names.n; i++)
        if (compare(e + i - 1, e + i) == 0)
            return fail("%s: [kernels]: \"%s\" and \"%s\" have one %s", spec->path,
                        k->name[e[i - 1].i], k->name[e[i].i],
                        compare == compare_names ? "name" : "tuple of values");
    return 0;
}

static void put_in_order(struct kernels *k, const struct entry *e)
{
    const uint32_t n = k->names.n, n_params = k->names.n_params, n_ids = k->names.n_ids;
    const char **name = xcalloc(n, sizeof *name);
    int32_t *values = xcalloc(n * n_params, sizeof *values), *ids = xcalloc(n * n_ids, sizeof *ids);
    for (uint32_t i = 0; i < n; i++) {
        name[i] = k->name[e[i].i];
        memcpy(values + i * n_params, k->values + e[i].i * n_params, n_params * sizeof *values);
        memcpy(ids + i * n_ids, k->ids + e[i].i * n_ids, n_ids * sizeof *ids);
    }
    free(k->name);
    free(k->values);
    free(k->ids);
    k->name = name;
    k->values = values;
    k->ids = ids;
}

static int sort_all(const struct spec *spec, struct kernels *k)
{
    struct entry *e = xcalloc(k->names.n, sizeof *e);
    for (uint32_t i = 0; i < k->names.n; i++)
        e[i] = (struct entry){k, i};
    const int bad = sort(spec, e, compare_names) || sort(spec, e, compare_values);
    if (!bad)
        put_in_order(k, e);
    free(e);
    return bad ? -1 : 0;
}

static int read_lines(struct reader *r)
{
    const struct spec_lines *lines = &r->spec->kernels;
    char *text = r->out->text;
    for (size_t i = 0; i < lines->n; i++) {
        const size_t n = strlen(lines->v[i].text) + 1;
        r->line = lines->v + i;
        memcpy(text, r->line->text, n);
        if (i == 0 ? read_heading(r, text) : read_kernel(r, text))
            return -1;
        if (i == 0) {
            r->out->values = xcalloc(lines->n * r->out->names.n_params, sizeof(int32_t));
            r->out->ids = xcalloc(lines->n * r->out->names.n_ids, sizeof(int32_t));
        }
        text += n;
    }
    return 0;
}

int kernels_read(const struct spec *spec, struct kernels *out)
{
    const struct spec_lines *lines = &spec->kernels;
    struct reader r = {spec, NULL, out};
    size_t bytes = 0;
    memset(out, 0, sizeof *out);
    if (lines->n < 2 || lines->n - 1 > KERNELS_MAX)
        return fail("%s:%ld: [kernels]: has %s", spec->path, lines->line,
                    lines->n < 2 ? "no kernel" : "too many kernels");
    for (size_t i = 0; i < lines->n; i++)
        bytes += strlen(lines->v[i].text) + 1;
    out->text = xmalloc(bytes);
    out->name = xcalloc(lines->n, sizeof *out->name);
    if (read_lines(&r) || sort_all(spec, out)) {
        kernels_free(out);
        return -1;
    }
    out->names.names = out->name;
    out->names.values = out->values;
    out->names.ids = out->ids;
    return 0;
}

void kernels_free(struct kernels *k)
{
    free(k->name);
    free(k->values);
    free(k->ids);
    free(k->text);
    memset(k, 0, sizeof *k);
}

size_t kernels_bytes(const kpred_names *names)
{
    size_t bytes = sizeof *names;
    for (uint32_t i = 0; i < names->n; i++)
        bytes += strlen(names->names[i]) + 1;
    return bytes + names->n * (sizeof *names->names + 4 * (names->n_params + names->n_ids));
}

/* ---- listed: combinations ---- */

static int add_field(const struct spec *spec, const char *name, struct listed_by *by)
{
    const int i = spec_field_index(spec, name);
    const char *what = NULL;
    if (i < 0 || !spec->fields[i].n_tokens)
        what = "is not a field of tokens";
    for (size_t k = 0; k < by->n_fields && !what; k++)
        what = by->field[k] == (uint32_t)i ? "is given twice" : NULL;
    if (what)
        return fail("%s:%ld: listed_by: value \"%s\": %s", spec->path, spec->listed_by_line, name,
                    what);
    by->field[by->n_fields] = (uint32_t)i;
    by->n_tokens[by->n_fields++] = (int32_t)spec->fields[i].n_tokens;
    by->n *= spec->fields[i].n_tokens;
    return by->n <= LISTED_MAX_COMBINATIONS
               ? 0
               : fail("%s:%ld: listed_by: value \"%s\": with it there are %zu combinations of "
                      "tokens: at most %d",
                      spec->path, spec->listed_by_line, name, by->n, LISTED_MAX_COMBINATIONS);
}

int listed_by_read(const struct spec *spec, struct listed_by *by)
{
    char *text = xstrdup(spec->listed_by ? spec->listed_by : "");
    int bad = 0;
    memset(by, 0, sizeof *by);
    by->n = 1;
    for (char *name = strtok(text, " \t"); name && !bad; name = strtok(NULL, " \t"))
        bad = add_field(spec, name, by);
    free(text);
    return bad;
}

size_t listed_combination(const struct listed_by *by, const int32_t *problem)
{
    size_t at = 0;
    for (size_t i = 0; i < by->n_fields; i++)
        at = at * (size_t)by->n_tokens[i] + (size_t)problem[by->field[i]];
    return at;
}

/* ---- listed: bits ---- */

static size_t bits_of(const kpred_param *params, size_t n_params)
{
    size_t size = 1, all = 1;
    for (size_t t = 0; t < n_params && all <= LISTED_MAX_BITS; t++) {
        size *= (size_t)params[t].n_values;
        all += size;
    }
    return all;
}

size_t listed_bytes(const kpred_param *params, size_t n_params)
{
    const size_t bits = bits_of(params, n_params);
    return bits <= LISTED_MAX_BITS ? (bits + 7) / 8 : 0;
}

/* Sets the bits of every prefix of a tuple, given by the indexes of its values. */
static void listed_add(const kpred_param *params, size_t n_params, unsigned char *bits,
                       const unsigned char *target)
{
    size_t first = 0, size = 1, at = 0;
    for (size_t t = 0;; t++) {
        unsigned char *byte = &bits[(first + at) / 8];
        *byte = (unsigned char)(*byte | 1 << (first + at) % 8);
        if (t == n_params)
            return;
        first += size;
        size *= (size_t)params[t].n_values;
        at = at * (size_t)params[t].n_values + target[t];
    }
}

/* ---- listed: sets ---- */

static int is_tuple(const kpred_model *m, const unsigned char *target)
{
    size_t t;
    for (t = 0; t < m->n_params && target[t] < m->params[t].n_values; t++)
        ;
    return t == m->n_params;
}

static int by_values(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct listed_tuple));
}

/* Sorts the tuples, and leaves each once: how many there are then. */
static size_t sort_tuples(struct listed_tuple *tuple, size_t n)
{
    size_t kept = 0;
    qsort(tuple, n, sizeof *tuple, by_values);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_values(&tuple[i], &tuple[kept - 1]) != 0)
            tuple[kept++] = tuple[i];
    return kept;
}

static size_t start_of(const struct listed_sets *sets, size_t i)
{
    return i > 0 ? sets->end[i - 1] : 0;
}

size_t listed_count(const struct listed_sets *sets)
{
    return start_of(sets, sets->n);
}

/* The number of a set, from 1; it is added if it is new. */
static size_t number_of(struct listed_sets *sets, const struct listed_tuple *set, size_t n)
{
    const size_t all = listed_count(sets);
    for (size_t i = 0; i < sets->n; i++)
        if (sets->end[i] - start_of(sets, i) == n
            && memcmp(sets->tuple + start_of(sets, i), set, n * sizeof *set) == 0)
            return i + 1;
    for (size_t i = 0; i < n; i++) {
        sets->tuple = xgrow(sets->tuple, all + i, &sets->cap, sizeof *sets->tuple);
        sets->tuple[all + i] = set[i];
    }
    sets->end[sets->n++] = all + n;
    return sets->n;
}

void listed_collect(const kpred_model *m, struct listed_by *by, const int32_t *problems,
                    const unsigned char *targets, size_t n, struct listed_sets *out)
{
    size_t *last = xcalloc(by->n, sizeof *last), *before = xcalloc(n + 1, sizeof *before);
    struct listed_tuple *set = xcalloc(n + 1, sizeof *set);
    *out = (struct listed_sets){.end = xcalloc(by->n, sizeof *out->end)};
    /* 1 + the last row of each combination, and before each row: a combination's rows alone are
       looked at */
    for (size_t i = 0; i < n; i++) {
        const size_t c = listed_combination(by, problems + i * m->n_fields);
        before[i] = last[c];
        last[c] = i + 1;
    }
    for (size_t c = 0; c < by->n; c++) {
        size_t n_own = 0;
        for (size_t i = last[c]; i != 0; i = before[i - 1])
            if (is_tuple(m, targets + (i - 1) * m->n_params))
                memcpy(set[n_own++].v, targets + (i - 1) * m->n_params, m->n_params);
        n_own = sort_tuples(set, n_own);
        by->set[c] = (uint16_t)(n_own > 0 ? number_of(out, set, n_own) : 0);
    }
    free(set);
    free(before);
    free(last);
}

void listed_free(struct listed_sets *sets)
{
    free(sets->tuple);
    free(sets->end);
}

void listed_write_bits(const kpred_param *params, size_t n_params, const struct listed_sets *sets,
                       unsigned char *bits)
{
    const size_t bytes = listed_bytes(params, n_params);
    for (size_t i = 0; i < sets->n; i++)
        for (size_t k = start_of(sets, i); k < sets->end[i]; k++)
            listed_add(params, n_params, bits + i * bytes, sets->tuple[k].v);
}

/* ---- listed: the rule's name ---- */

void listed_name(const struct listed_by *by, const struct listed_content *all, char name[48])
{
    struct buf text = {NULL, 0, 0};
    char hex[65];
    if (all->bits)
        buf_add(&text, (const char *)all->bits, all->n);
    for (size_t i = 0; !all->bits && i < all->n; i++)
        buf_printf(&text, "%" PRId32 " ", all->values[i]);
    for (size_t c = 0; by->n_fields && c < by->n; c++)
        buf_printf(&text, "%d ", by->set[c]);
    sha256_hex(text.s, text.n, hex);
    buf_free(&text);
    int n = snprintf(name, 48, LISTED_PREFIX "%.16s", hex);
    if (by->n_fields)
        n += snprintf(name + n, 48 - (size_t)n, "_%zuof%zu", all->n_sets, by->n);
    if (!all->bits)
        snprintf(name + n, 48 - (size_t)n, "_t%zu", all->n_tuples);
}

size_t listed_bytes_of(const kpred_model *m)
{
    size_t n_sets = 1, n = 0, n_tuples = 0;
    if (strncmp(m->rule_name, LISTED_PREFIX, strlen(LISTED_PREFIX)) != 0)
        return 0;
    const char *more = strchr(m->rule_name + strlen(LISTED_PREFIX), '_');
    const char *tuples = more ? strstr(more, "_t") : NULL;
    if (more && more != tuples && sscanf(more, "_%4zuof%4zu", &n_sets, &n) != 2)
        return 0;
    if (tuples && sscanf(tuples, "_t%7zu", &n_tuples) == 1)
        return n_tuples * m->n_params * sizeof(int32_t) + n_sets * sizeof(kpred_names)
               + n * sizeof(uint16_t);
    return n_sets * listed_bytes(m->params, m->n_params) + n * sizeof(uint16_t);
}
