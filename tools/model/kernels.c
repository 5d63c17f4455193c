/* kernels.c - kernels that a library has compiled one by one: [kernels], and the rule `listed`
   SPDX-License-Identifier: MIT */
#include "rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
    const char *name;
    int32_t values[KPRED_MAX_TUPLE];
    uint32_t n_values;
    int32_t *ids;
};

struct reader {
    const struct spec *spec;
    const struct spec_line *line; /* the one being read */
    struct kernels *out;
    struct kernel *v;               /* out->names.n of them */
    const struct spec_field *field; /* by whose tokens they differ, or NULL */
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
    r->field = *field ? r->spec->fields + i : NULL;
    names->n_ids = r->field ? (uint32_t)r->field->n_tokens : 1;
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
    const size_t n = strcspn(word, ":");
    int64_t id = 0;
    if (word[n] && parse_int(word + n + 1, 0, INT32_MAX, &id))
        return kernels_wrong(r, "word", word, "has no number of at least 0 behind the colon");
    for (size_t t = 0; t < r->field->n_tokens; t++) {
        const char *token = r->field->tokens[t];
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
    char *word = next(NULL);
    for (uint32_t t = 0; t < r->out->names.n_ids; t++)
        ids[t] = r->field ? -1 : 0;
    if (!*word != !r->field)
        return kernels_wrong(r, "line", r->line->text,
                             *word ? "has an extra word" : "does not say where the kernel exists");
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
    kpred_names *names = &r->out->names;
    struct kernel *k = r->v + names->n;
    k->n_values = names->n_params;
    if (read_values(r, line, k->values))
        return -1;
    k->name = next(NULL);
    if (!is_kernel_name(k->name))
        return kernels_wrong(r, "name", k->name, "is not a word of letters, digits and _.-");
    k->ids = xcalloc(names->n_ids, sizeof *k->ids);
    names->n++;
    return read_ids(r, k->ids);
}

/* ---- the whole ---- */

static int compare_values(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    int order = 0;
    for (uint32_t p = 0; p < a->n_values && order == 0; p++)
        order = ORDER(a->values[p], b->values[p]);
    return order;
}

static int compare_names(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    return strcmp(a->name, b->name);
}

/* Sorts the kernels; equal ones, which follow each other then, are an error. */
static int sort(const struct reader *r, int (*compare)(const void *, const void *),
                const char *what)
{
    const uint32_t n = r->out->names.n;
    qsort(r->v, n, sizeof *r->v, compare);
    for (uint32_t i = 1; i < n; i++)
        if (compare(r->v + i - 1, r->v + i) == 0)
            return fail("%s: [kernels]: \"%s\" and \"%s\" have one %s", r->spec->path,
                        r->v[i - 1].name, r->v[i].name, what);
    return 0;
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
        text += n;
    }
    return sort(r, compare_names, "name") || sort(r, compare_values, "tuple of values");
}

/* The kernels as the runtime has them */
static void put_out(struct reader *r)
{
    struct kernels *out = r->out;
    const uint32_t n = out->names.n, n_params = out->names.n_params, n_ids = out->names.n_ids;
    out->names.names = out->name = xcalloc(n, sizeof *out->name);
    out->names.values = out->values = xcalloc(n * n_params, sizeof *out->values);
    out->names.ids = out->ids = xcalloc(n * n_ids, sizeof *out->ids);
    for (uint32_t i = 0; i < n; i++) {
        out->name[i] = r->v[i].name;
        memcpy(out->values + i * n_params, r->v[i].values, n_params * sizeof *out->values);
        memcpy(out->ids + i * n_ids, r->v[i].ids, n_ids * sizeof *out->ids);
    }
}

int kernels_read(const struct spec *spec, struct kernels *out)
{
    const struct spec_lines *lines = &spec->kernels;
    struct reader r = {spec, NULL, out, NULL, NULL};
    size_t bytes = 0;
    memset(out, 0, sizeof *out);
    if (lines->n < 2 || lines->n - 1 > KERNELS_MAX)
        return fail("%s:%ld: [kernels]: has %s", spec->path, lines->line,
                    lines->n < 2 ? "no kernel" : "too many kernels");
    for (size_t i = 0; i < lines->n; i++)
        bytes += strlen(lines->v[i].text) + 1;
    out->text = xmalloc(bytes);
    r.v = xcalloc(lines->n, sizeof *r.v);
    const int bad = read_lines(&r);
    if (!bad)
        put_out(&r);
    for (uint32_t i = 0; i < out->names.n; i++)
        free(r.v[i].ids);
    free(r.v);
    if (bad)
        kernels_free(out);
    return bad ? -1 : 0;
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
    *by = (struct listed_by){.n = 1};
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

size_t listed_tuples(const struct interned *sets, size_t i, const struct listed_tuple **tuples)
{
    *tuples = (const void *)sets->v[i].s;
    return sets->v[i].n / sizeof **tuples;
}

size_t listed_count(const struct interned *sets)
{
    size_t n = 0;
    for (size_t i = 0; i < sets->n; i++)
        n += sets->v[i].n;
    return n / sizeof(struct listed_tuple);
}

void listed_collect(const kpred_model *m, struct listed_by *by, const int32_t *problems,
                    const unsigned char *targets, size_t n, struct interned *out)
{
    size_t *last = xcalloc(by->n, sizeof *last), *before = xcalloc(n + 1, sizeof *before);
    struct listed_tuple *set = xcalloc(n + 1, sizeof *set);
    memset(out, 0, sizeof *out);
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
        by->set[c] = (uint16_t)(n_own > 0 ? 1 + intern(out, set, n_own * sizeof *set) : 0);
    }
    free(set);
    free(before);
    free(last);
}

void listed_write_bits(const kpred_param *params, size_t n_params, const struct interned *sets,
                       unsigned char *bits)
{
    const size_t bytes = listed_bytes(params, n_params);
    const struct listed_tuple *tuple;
    for (size_t i = 0; i < sets->n; i++, bits += bytes)
        for (size_t n = listed_tuples(sets, i, &tuple); n > 0; n--)
            listed_add(params, n_params, bits, tuple++->v);
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
