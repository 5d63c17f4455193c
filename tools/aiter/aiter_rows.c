/* aiter_rows.c - reads AITER's tables of tuned kernels, and tables of retunes
   SPDX-License-Identifier: MIT

   A row names the fastest kernel of a problem: gfx, cu_num, M, N, K, libtype, splitK, us,
   kernelName and others that say nothing here. Older tables lack some columns: without gfx, it
   follows from cu_num; without libtype, all kernels are CK's but those with a mangled name. A table
   has a problem once. One with a column `family` is of all families, and tells for each tuning run
   (`commit`) what was the fastest then: problems come again, and kernels that are gone. */
#include "data/readers.h"
#include "kernel_list.h"

#include "base/names.h"
#include "model/rules.h"

#include <stdlib.h>
#include <string.h>

/* X(member, column's name, does every table have it?) */
#define COLUMNS(X)             \
    X(GFX, "gfx", 0)           \
    X(UNITS, "cu_num", 1)      \
    X(M, "M", 1)               \
    X(N, "N", 1)               \
    X(K, "K", 1)               \
    X(LIBRARY, "libtype", 0)   \
    X(SPLIT, "splitK", 1)      \
    X(TIME, "us", 1)           \
    X(KERNEL, "kernelName", 1) \
    X(FAMILY, "family", 0)     \
    X(RUN, "commit", 0)        \
    X(TYPE, "q_dtype_w", 0)    \
    X(EXTRA, "extra", 0)

#define MEMBER(member, name, needed) member,
enum column { COLUMNS(MEMBER) N_COLUMNS };
#undef MEMBER

struct aiter {
    struct loader *l;
    struct csv_records *r;
    int at[N_COLUMNS];            /* the columns; -1: the table lacks it */
    int column[KPRED_MAX_FIELDS]; /* of further fields; -1: the table lacks it */
    size_t field[4];              /* of the spec: gpu, m, n, k */
    size_t split_at, library_at;  /* parameters */
    struct kernels kernels;       /* of the spec */
    uint64_t unsearched;          /* bit i: value i of split; 0: the spec does not say */
    size_t first;                 /* row of the loader */
    size_t n_runs, runs_cap;
    struct run *runs;
};

/* Rows that were tuned together */
struct run {
    char *name;
    int is_searched; /* did it try to split k? */
};

static const char *cell(const struct aiter *a, enum column c)
{
    return a->at[c] < 0 ? NULL : a->r->cell[a->at[c]];
}

/* ---- the spec ---- */

static const char *const common_fields[] = {"gpu", "m", "n", "k"};

static int is_common(const char *field)
{
    return text_find(common_fields, 4, field) >= 0;
}

static int find_names(struct aiter *a)
{
    const struct spec *s = a->l->spec;
    for (size_t i = 0; i < 4; i++) {
        const int f = spec_field_index(s, common_fields[i]);
        if (f < 0 || (s->fields[f].n_tokens == 0) == (i == 0))
            return fail("%s: format = aiter: field %s: is not a %s of the spec", s->path,
                        common_fields[i], i == 0 ? "token" : "size");
        a->field[i] = (size_t)f;
    }
    const int split = spec_param_index(s, "split"), library = spec_param_index(s, "library");
    if (split < 0 || library < 0)
        return fail("%s: format = aiter: it needs among the parameters split and library", s->path);
    a->split_at = (size_t)split;
    a->library_at = (size_t)library;
    /* A further field is named after a column, whose texts are its tokens. */
    for (size_t i = 0; i < s->n_fields; i++)
        if (!is_common(s->fields[i].name) && s->fields[i].n_tokens == 0)
            return fail("%s: format = aiter: field %s: has no tokens, as those beside gpu, m, n "
                        "and k have",
                        s->path, s->fields[i].name);
    return 0;
}

static int read_unsearched(struct aiter *a)
{
    const struct spec *s = a->l->spec;
    char *text = xstrdup(s->unsearched ? s->unsearched : "");
    int bad = 0;
    for (char *word = strtok(text, " \t"); word && !bad; word = strtok(NULL, " \t")) {
        const int i = spec_value_index(&s->params[a->split_at], word);
        if (i < 0)
            bad = fail("%s: unsearched: value \"%s\": is not a value of split", s->path, word);
        else
            a->unsearched |= UINT64_C(1) << i;
    }
    free(text);
    return bad;
}

/* ---- the header ---- */

enum { HEADER_IS_WITHIN = 1 << 16 };

int aiter_is(const struct buf *bytes)
{
    struct csv_records r;
    struct buf head = {0};
    buf_add(&head, bytes->s, bytes->n < HEADER_IS_WITHIN ? bytes->n : HEADER_IS_WITHIN);
    const int is = csv_records_open(&r, "", &head) == 0 && csv_records_next(&r) > 0
                   && csv_records_find(&r, "kernelName") >= 0 && csv_records_find(&r, "M") >= 0;
    csv_records_close(&r);
    buf_free(&head);
    return is;
}

static int map_columns(struct aiter *a)
{
#define COLUMN(member, name, needed) {name, needed},
    static const struct {
        const char *name;
        int is_needed;
    } columns[] = {COLUMNS(COLUMN)};
#undef COLUMN
    if (csv_records_check_header(a->r) != 0)
        return -1;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        a->at[i] = csv_records_find(a->r, columns[i].name);
        if (a->at[i] < 0 && columns[i].is_needed)
            return fail("%s:%ld: there is no column \"%s\"", a->r->path, a->r->at, columns[i].name);
    }
    for (size_t i = 0; i < a->l->spec->n_fields; i++)
        a->column[i] = csv_records_find(a->r, a->l->spec->fields[i].name);
    return 0;
}

/* ---- a row ---- */

/* Verdict on the GPU: its token is ARCH_UNITS. */
static int read_gpu(struct aiter *a, int64_t *out)
{
    const struct spec_field *f = &a->l->spec->fields[a->field[0]];
    const char *units = cell(a, UNITS), *gfx = cell(a, GFX);
    struct buf b = {0};
    char token[64];
    const struct product *p = product_of_units(strtol(units, NULL, 10));
    if (gfx == NULL)
        gfx = p != NULL ? p->arch : "gfx942";
    snprintf(token, sizeof token, "%s_%s", gpu_name(gfx, &b), units);
    buf_free(&b);
    *out = field_token(f, token);
    if (*out >= 0)
        return 0;
    return cell(a, FAMILY) != NULL ? load_drop(a->l, DROP_OTHER)
                                   : load_token(a->l, a->r->at, a->field[0], token, out);
}

/* Verdict; the place of the row's kernel among the spec's. */
static int read_kernel(struct aiter *a, uint32_t *out)
{
    const kpred_names *names = &a->kernels.names;
    const char *name = cell(a, KERNEL);
    *out = 0;
    while (*out < names->n && strcmp(names->names[*out], name) != 0)
        ++*out;
    if (*out < names->n)
        return 0;
    return cell(a, FAMILY) != NULL
               ? load_drop(a->l, DROP_OTHER)
               : load_bad(a->l, a->r->at, DROP_PARAMS, "kernelName", name,
                          "is not a kernel of the spec: `kpred-train kernels` reads a new list");
}

/* Verdict on splitK, which may be written "0.0", as one number for all that runs the same code. */
static int read_split(struct aiter *a, const char *library, char out[24])
{
    const struct spec *s = a->l->spec;
    const char *text = cell(a, SPLIT);
    int64_t v = 0;
    if (parse_whole(text, 0, INT32_MAX, &v) != 0)
        return load_bad(a->l, a->r->at, DROP_BROKEN, "splitK", text,
                        "is not an integer of at least 0");
    if (names_has_word(s->ignored, library))
        v = 0;
    if (names_has_word(s->counted, library) && v == 0)
        v = 1;
    snprintf(out, 24, "%lld", (long long)v);
    return 0;
}

/* Verdict on the time. One of 0 was never measured: AITER's makers chose the kernel. No measured
   row of its problem may lose to it. */
static int read_time(struct aiter *a, double *out)
{
    static const double untimed_us = 1e9;
    const char *text = cell(a, TIME);
    const int rc = load_figure(a->l, a->r->at, "us", text, out);
    if (rc == 0 && *text != '\0' && text[strspn(text, "0.")] == '\0')
        *out = untimed_us;
    return rc;
}

/* Verdict: keeps the row. */
static int aiter_rows_add(struct aiter *a, const int64_t *problem, uint32_t kernel,
                          const char *library)
{
    const struct spec *s = a->l->spec;
    const kpred_names *names = &a->kernels.names;
    char text[KPRED_MAX_TUPLE][24];
    const char *params[KPRED_MAX_TUPLE];
    double time;
    for (size_t p = 0; p < s->n_params; p++) {
        const size_t at = p - names->first;
        params[p] = text[p];
        if (p >= names->first && at < names->n_params)
            snprintf(text[p], sizeof text[p], "%ld",
                     (long)names->values[kernel * names->n_params + at]);
    }
    params[a->library_at] = library;
    int rc = read_split(a, library, text[a->split_at]);
    if (rc == 0)
        rc = read_time(a, &time);
    if (rc == 0)
        rc = load_add_timed(a->l, a->r->at, problem, params, time);
    if (rc != 0 || a->unsearched == 0)
        return rc;
    const char *name = cell(a, RUN) != NULL ? cell(a, RUN) : "";
    size_t run = 0;
    while (run < a->n_runs && strcmp(a->runs[run].name, name) != 0)
        run++;
    if (run == a->n_runs) {
        a->runs = xgrow(a->runs, a->n_runs, &a->runs_cap, sizeof *a->runs);
        a->runs[a->n_runs++] = (struct run){xstrdup(name), 0};
    }
    struct load_row *row = &a->l->rows[a->l->n - 1];
    row->run = (uint32_t)run;
    a->runs[run].is_searched |= !(a->unsearched >> row->target[a->split_at] & 1);
    return 0;
}

/* Has a column a value that `without` names as COLUMN=VALUE? */
static int has_left_value(const struct aiter *a)
{
    const char *without = a->l->spec->without;
    const size_t n = without != NULL && strchr(without, '=') != NULL ? a->r->n_header : 0;
    struct buf b = {0};
    int found = 0;
    for (size_t i = 0; i < n && !found; i++) {
        b.n = 0;
        buf_printf(&b, "%s=%s", a->r->header[i], a->r->cell[i]);
        found = names_has_word(without, b.s);
    }
    buf_free(&b);
    return found;
}

/* Is the row of the spec's family, and has it nothing that the spec is not about: a type, a
   library, a value of a column? */
static int is_ours(const struct aiter *a)
{
    const struct spec *s = a->l->spec;
    const char *family = cell(a, FAMILY), *type = cell(a, TYPE), *library = cell(a, LIBRARY);
    if (type == NULL && family != NULL)
        type = cell(a, EXTRA);
    return (family == NULL || strcmp(family, s->family) == 0)
           && (type == NULL || !names_has_word(s->without, type))
           && (library == NULL || !names_has_word(s->without, library)) && !has_left_value(a);
}

/* Verdict on a record */
static int read_row(struct aiter *a)
{
    int64_t problem[KPRED_MAX_FIELDS];
    uint32_t kernel = 0;
    if (a->r->n != a->r->n_header)
        return load_ragged(a->l, a->r);
    if (!is_ours(a))
        return load_drop(a->l, DROP_OTHER);
    int rc = read_gpu(a, &problem[a->field[0]]);
    for (int i = 1; i < 4 && rc == 0; i++)
        if (parse_whole(cell(a, (enum column)(M + i - 1)), INT64_MIN, INT64_MAX,
                        &problem[a->field[i]])
            != 0)
            rc = load_bad(a->l, a->r->at, DROP_BROKEN, common_fields[i],
                          cell(a, (enum column)(M + i - 1)), "is not an integer");
    /* The further fields: before AITER knew what a column says, it was "False". */
    for (size_t i = 0; i < a->l->spec->n_fields && rc == 0; i++)
        if (!is_common(a->l->spec->fields[i].name))
            rc = load_token(a->l, a->r->at, i,
                            a->column[i] < 0 ? "False" : a->r->cell[a->column[i]], &problem[i]);
    if (rc == 0)
        rc = read_kernel(a, &kernel);
    if (rc != 0)
        return rc;
    const kpred_names *names = &a->kernels.names;
    const size_t at = kernel * names->n_params + a->library_at - names->first;
    const char *library = a->l->spec->params[a->library_at].names[names->values[at]];
    const char *given = cell(a, LIBRARY);
    if (given != NULL && strcmp(given, library) != 0)
        return load_bad(a->l, a->r->at, DROP_BROKEN, "libtype", given,
                        "is not the library of the kernel %s, %s", cell(a, KERNEL), library);
    return aiter_rows_add(a, problem, kernel, library);
}

/* ---- the whole ---- */

static int compare_rows(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    const int problem = memcmp(a->problem, b->problem, sizeof a->problem);
    const int order = problem != 0 ? problem : ORDER(a->time, b->time);
    return order != 0 ? order : ORDER(a->row, b->row);
}

/* AITER takes the faster of two rows of a problem, but not before it has stopped with an error. */
static int drop_second_rows(struct aiter *a)
{
    const size_t n = a->l->n - a->first;
    if (n == 0) /* maybe there is no array of rows either */
        return 0;
    struct load_row *r = a->l->rows + a->first;
    size_t kept = 0;
    qsort(r, n, sizeof *r, compare_rows);
    for (size_t i = 0; i < n; i++) {
        int rc = 0;
        if (kept > 0 && memcmp(r[kept - 1].problem, r[i].problem, sizeof r->problem) == 0) {
            char size[24];
            snprintf(size, sizeof size, "%ld", (long)r[i].problem[a->field[1]]);
            rc = load_bad(a->l, r[i].row, DROP_TWICE, "M", size,
                          "line %lld has a row of the same problem", (long long)r[kept - 1].row);
        }
        if (rc < 0)
            return -1;
        if (rc == 0)
            r[kept++] = r[i];
    }
    a->l->n = a->first + kept;
    return 0;
}

static int read_rows(struct aiter *a)
{
    int rc;
    if (find_names(a) != 0 || read_unsearched(a) != 0 || map_columns(a) != 0)
        return -1;
    while ((rc = csv_records_next(a->r)) > 0)
        if (read_row(a) < 0)
            return -1;
    for (size_t i = a->first; i < a->l->n && a->unsearched != 0; i++)
        a->l->rows[i].narrow = !a->runs[a->l->rows[i].run].is_searched;
    return rc < 0 || (a->at[FAMILY] < 0 && drop_second_rows(a) != 0) ? -1 : 0;
}

int aiter_read(struct loader *l, struct buf *bytes)
{
    struct csv_records r;
    struct aiter a = {.l = l, .r = &r, .first = l->n};
    int rc = kernels_read(l->spec, &a.kernels);
    if (rc != 0)
        return -1;
    l->row_prefix = ":";
    rc = csv_records_open(&r, l->path, bytes) != 0 || csv_records_next(&r) < 0 ? -1 : read_rows(&a);
    for (size_t i = 0; i < a.n_runs; i++)
        free(a.runs[i].name);
    free(a.runs);
    csv_records_close(&r);
    kernels_free(&a.kernels);
    return rc;
}
