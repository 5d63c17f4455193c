/* formats.c - data files of any format into one sorted dataset
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include "base/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 1 << 16 };
static const size_t max_bytes = (size_t)1 << 30; /* of one file, unpacked */

/* ---- what a file holds ---- */

int data_has_ending(const char *path, const char *ending)
{
    return packing_find(base_name(path), ending) != NULL;
}

int data_read(const char *path, struct buf *out)
{
    return read_unpacked(path, max_bytes, out);
}

/* What a file of an ending may be, "perf-db or find-db" */
static const char *data_what(const struct data_format *formats, const char *ending, struct buf *b)
{
    b->n = 0;
    for (const struct data_format *f = formats; f->ending != NULL; f++)
        if (strcmp(f->ending, ending) == 0)
            buf_printf(b, "%s%s", b->n != 0 ? " or " : "", f->what);
    return b->s;
}

int data_other(const struct buf *bytes)
{
    (void)bytes;
    return 0;
}

static void unknown_ending(const struct data_format *f, const char *path)
{
    struct buf endings = {0};
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        fail("%s: is a folder: name the files in it", path);
        return;
    }
    for (; f->ending != NULL; f++)
        if (endings.n == 0 || !ends_with(endings.s, f->ending))
            buf_printf(&endings, " %s", f->ending);
    fail("%s: its name ends in none of%s, nor in these with .bz2 or .gz", path, endings.s);
    buf_free(&endings);
}

/* The format of a file that the spec's data may have, by what it holds if its bytes are given: one
   that knows it, or that of all others. NULL with a message */
static const struct data_format *find_format(const struct data_format *formats,
                                             const struct spec *s, const char *path,
                                             const struct buf *bytes)
{
    const struct data_format *other = NULL, *found[2] = {NULL, NULL}; /* knowing: 1 */
    struct buf what = {0};
    for (const struct data_format *f = formats; f->ending != NULL; f++) {
        const int knows = f->is != data_other;
        if (packing_find(base_name(path), f->ending) == NULL)
            continue;
        other = f;
        if ((f->format != SPEC_N_FORMATS && f->format != s->format)
            || (knows && bytes != NULL && !f->is(bytes)))
            continue;
        if (bytes != NULL && found[knows] != NULL) {
            fail("%s: is both a %s and a %s (DATA_READERS)", path, found[knows]->what, f->what);
            return NULL;
        }
        found[knows] = f;
    }
    if (other == NULL)
        unknown_ending(formats, path);
    else if (found[0] == NULL && found[1] == NULL)
        fail("%s: the spec's data have format = %s, this is %s %s", path, spec_formats[s->format],
             bytes == NULL ? "a" : "no", data_what(formats, other->ending, &what));
    buf_free(&what);
    return found[found[1] != NULL];
}

/* ---- files ---- */

/* What a Triton configuration file says is in its name, too, and servers ship copies of it under
   several names. */
static int same_file_before(const struct spec *spec, const struct dataset *d, const char *path)
{
    if (spec->format == SPEC_TRITON && data_has_ending(path, ".json"))
        return 0;
    for (size_t i = 0; i + 1 < d->n_files; i++)
        if (strcmp(d->files[i].sha256, d->files[d->n_files - 1].sha256) == 0)
            return fail("%s: the same data as %s: given twice", path, d->files[i].name);
    return 0;
}

static int load_file(struct loader *l, const struct data_format *formats, struct dataset *d,
                     const char *path)
{
    struct data_file *file = &d->files[d->n_files];
    struct buf raw = {0}, unpacked = {0};
    const struct data_format *f = find_format(formats, l->spec, path, NULL);
    if (f == NULL)
        return -1;
    const struct packing *packing = packing_find(base_name(path), f->ending);
    if (read_file(path, max_bytes, &raw) != 0) {
        buf_free(&raw);
        return -1;
    }
    l->path = path;
    l->file = (uint32_t)d->n_files++;
    file->name = xstrdup(base_name(path));
    sha256_hex(raw.s, raw.n, file->sha256);
    int rc = same_file_before(l->spec, d, path);
    struct buf *bytes = packing->unpack != NULL ? &unpacked : &raw;
    if (rc == 0 && packing->unpack != NULL)
        rc = packing->unpack(path, &raw, max_bytes, &unpacked);
    if (rc == 0) {
        plain_text(bytes);
        f = find_format(formats, l->spec, path, bytes);
        rc = f != NULL ? f->read(l, bytes) : -1;
    }
    if (rc == 0)
        rc = load_drop_twice(l);
    buf_free(&raw);
    buf_free(&unpacked);
    return rc;
}

/* ---- one order, whatever the order on the command line ---- */

static int compare_files(const void *pa, const void *pb)
{
    const struct data_file *a = pa, *b = pb;
    const int c = strcmp(a->name, b->name);
    return c != 0 ? c : strcmp(a->sha256, b->sha256);
}

/* While they are sorted, `rows` is the number that a file has so far. */
static void sort_files(struct dataset *d, struct loader *l)
{
    uint32_t *rank = xcalloc(d->n_files, sizeof *rank);
    for (size_t i = 0; i < d->n_files; i++)
        d->files[i].rows = i;
    qsort(d->files, d->n_files, sizeof *d->files, compare_files);
    for (size_t i = 0; i < d->n_files; i++) {
        rank[d->files[i].rows] = (uint32_t)i;
        d->files[i].rows = 0;
    }
    for (size_t i = 0; i < l->n; i++) {
        l->rows[i].file = rank[l->rows[i].file];
        d->files[l->rows[i].file].rows++;
    }
    free(rank);
}

/* Problem and target first, then time; file and row only make the order total. */
static int compare_rows(const void *pa, const void *pb)
{
    const struct load_row *a = pa, *b = pb;
    int order = load_compare_options(a, b);
    order = order != 0 ? order : ORDER(a->time, b->time);
    order = order != 0 ? order : ORDER(a->file, b->file);
    return order != 0 ? order : ORDER(a->row, b->row);
}

/* The unknown options in the order of their texts, whatever the order in which they came. */
static void take_unknown(struct dataset *d, struct loader *l)
{
    const size_t n = l->unknown.n;
    const char **texts = xcalloc(n + 1, sizeof *texts);
    uint32_t *rank = xcalloc(n + 1, sizeof *rank);
    for (size_t i = 0; i < n; i++)
        texts[i] = l->unknown.v[i].s;
    qsort(texts, n, sizeof *texts, compare_texts);
    d->n_unknown = n;
    d->unknown_text = xcalloc(n * d->n_params + 1, sizeof *d->unknown_text);
    for (size_t i = 0; i < n; i++) {
        const size_t number = intern_find_text(&l->unknown, texts[i]);
        char *text = l->unknown.v[number].s;
        rank[number + 1] = (uint32_t)i + 1;
        for (size_t p = 0; p < d->n_params; p++) {
            char *end = strchr(text, LOAD_SEPARATOR);
            if (end != NULL)
                *end = '\0';
            d->unknown_text[i * d->n_params + p] = xstrdup(text);
            text = end != NULL ? end + 1 : text;
        }
    }
    for (size_t i = 0; i < l->n; i++)
        l->rows[i].unknown = rank[l->rows[i].unknown];
    free(texts);
    free(rank);
}

static int compare_failures(const void *pa, const void *pb)
{
    return load_compare_options(pa, pb);
}

static void take_failures(struct dataset *d, struct loader *l)
{
    const size_t f = d->n_fields, p = d->n_params;
    struct data_failures *to = &d->failed;
    if (l->n_failed != 0)
        qsort(l->failed, l->n_failed, sizeof *l->failed, compare_failures);
    to->problem = xcalloc(l->n_failed * f + 1, sizeof *to->problem);
    to->target = xcalloc(l->n_failed + 1, p);
    for (size_t i = 0; i < l->n_failed; i++) {
        if (i > 0 && load_compare_options(&l->failed[i - 1], &l->failed[i]) == 0)
            continue;
        memcpy(to->problem + to->n * f, l->failed[i].problem, f * sizeof *to->problem);
        memcpy(to->target + to->n++ * p, l->failed[i].target, p);
    }
}

static void take_rows(struct dataset *d, struct loader *l)
{
    const size_t f = d->n_fields, p = d->n_params;
    take_unknown(d, l);
    qsort(l->rows, l->n, sizeof *l->rows, compare_rows);
    data_open_rows(d, l->n, spec_is_timed(l->spec), l->spec->unsearched != NULL);
    for (size_t i = 0; i < d->n; i++) {
        const struct load_row *r = &l->rows[i];
        memcpy(d->problem + i * f, r->problem, f * sizeof *d->problem);
        memcpy(d->target + i * p, r->target, p);
        d->file[i] = r->file;
        d->row[i] = r->row;
        if (d->time_us != NULL) {
            d->time_us[i] = r->time;
            d->unknown[i] = r->unknown;
        }
        if (d->narrow != NULL)
            d->narrow[i] = r->narrow;
    }
    take_failures(d, l);
    memcpy(d->dropped, l->dropped, sizeof d->dropped);
}

/* ---- all files ---- */

static int load_all(struct loader *l, const struct data_format *formats, struct dataset *d,
                    const char *const *paths, size_t n)
{
    if (n == 0 || n > MAX_FILES)
        return fail("%s", n == 0 ? "no data file given" : "too many data files");
    d->files = xcalloc(n, sizeof *d->files);
    for (size_t i = 0; i < n; i++)
        if (load_file(l, formats, d, paths[i]) != 0)
            return -1;
    if (n > 1 && load_check_units(l) != 0)
        return -1;
    if (l->n != 0)
        return 0;
    memcpy(d->dropped, l->dropped, sizeof d->dropped);
    d->failures = load_failures_text(l);
    data_note_drops(d);
    return fail("%s%s: no row of %s is left to use", paths[0], n > 1 ? " and the other files" : "",
                l->spec->solver != NULL ? l->spec->solver : l->spec->name);
}

/* Of a table of times, do they fit each other? */
static int check_times(const struct loader *l, const struct dataset *d)
{
    if (l->spec->format != SPEC_TIMED)
        return 0;
    load_note_copies(l->spec, d);
    return load_check_scales(l, d);
}

int data_load(const struct data_format *formats, const struct spec *spec, const char *const *paths,
              size_t n, const struct data_options *options, struct dataset *out)
{
    struct loader l = {
        .spec = spec, .options = options, .paths = paths, .n_paths = n, .at_once = 1};
    l.limit.most = spec->format == SPEC_TIMED ? options->most : 0;
    *out = (struct dataset){
        .retired = spec->retired, .n_fields = spec->n_fields, .n_params = spec->n_params};
    int rc = set_fields_check(spec, &options->set);
    if (rc == 0)
        rc = tuner_check_unit(options->unit);
    if (rc == 0)
        rc = load_all(&l, formats, out, paths, n);
    if (rc == 0) {
        load_note_unused(&l);
        load_note_chips(&l);
        out->failures = load_failures_text(&l);
        row_limit_note(&l.limit, l.n + l.n_failed);
        if (spec->format == SPEC_TIMED)
            out->noise = load_noise(&l);
        sort_files(out, &l);
        take_rows(out, &l);
        rc = check_times(&l, out);
    }
    if (rc != 0)
        data_free(out);
    intern_free(&l.unknown);
    intern_free(&l.failures.texts);
    buf_free(&l.ahead);
    environment_free(&l.environment);
    free(l.repeats.apart);
    free(l.repeats.range);
    free(l.failed);
    free(l.rows);
    return rc;
}
