/* files.c - writes rows as AITER's tuned tables or as candidates: all files of a run, or none
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tables ---- */

/* ---- tables: headers ---- */

static int has_libtype(enum family_id family, enum write_schema schema)
{
    return families[family].has_libtype && schema < SCHEMA_NO_LIBTYPE;
}

static void add_key_names(struct buf *b, const struct family *f)
{
    buf_puts(b, "cu_num,M,N,K,");
    for (size_t i = 0; f->details[i] != NULL; i++)
        buf_printf(b, "%s,", f->details[i]);
}

static void add_header(struct buf *b, enum family_id family, enum write_schema schema)
{
    const struct family *f = &families[family];
    buf_puts(b, schema < SCHEMA_NO_GFX || schema == SCHEMA_CANDIDATES ? "gfx," : "");
    add_key_names(b, f);
    if (schema == SCHEMA_CANDIDATES) {
        buf_printf(b, "rank,libtype,%s,splitK,kernelName,probability", f->id_column);
        return;
    }
    buf_printf(b, "%s%s,splitK,us,kernelName", has_libtype(family, schema) ? "libtype," : "",
               f->id_column);
    if (schema < SCHEMA_NO_TFLOPS)
        buf_printf(b, ",%s", f->tail);
}

/* ---- tables: rows ---- */

/* kernelId is not read again but for opus; a kernel that has no number in the GPU's list gets 0. */
static int32_t id_of(const struct row *r)
{
    return r->best.id >= 0 ? r->best.id : 0;
}

static void add_key(struct buf *b, const struct row *r, const struct target *t)
{
    buf_printf(b, "%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",%s%s", t->cu_num, r->m, r->n, r->k,
               r->detail, *r->detail != '\0' ? "," : "");
}

static void add_row(struct buf *b, const struct row *r, enum family_id family,
                    const struct target *t, enum write_schema schema)
{
    if (schema < SCHEMA_NO_GFX)
        buf_printf(b, "%s,", t->gfx);
    add_key(b, r, t);
    if (has_libtype(family, schema))
        buf_printf(b, "%s,", r->best.library);
    buf_printf(b, "%" PRId32 ",%" PRId32 ",999999.0,", id_of(r), r->best.split);
    csv_add_cell(b, r->best.kernel);
    buf_puts(b, schema < SCHEMA_NO_TFLOPS ? ",0.0,0.0,0.0" : "");
}

/* Nobody knows the probability of a kernel that was measured for another shape. */
static void add_candidate(struct buf *b, const struct row *r, const struct target *t)
{
    buf_printf(b, "%s,", t->gfx);
    add_key(b, r, t);
    buf_printf(b, "%zu,%s,%" PRId32 ",%" PRId32 ",", r->rank, r->best.library, id_of(r),
               r->best.split);
    csv_add_cell(b, r->best.kernel);
    buf_puts(b, ",");
    if (!r->best.is_copied)
        buf_printf(b, "%.6f", kpred_probability(r->best.score) / 16777216.0);
}

static void write_rows(FILE *f, const struct rows_family *rows, enum family_id family,
                       const struct target *t, enum write_schema schema)
{
    struct buf line = {NULL, 0, 0};
    add_header(&line, family, schema);
    fprintf(f, "%s\n", line.s);
    for (size_t i = 0; i < rows->n; i++) {
        line.n = 0;
        if (schema == SCHEMA_CANDIDATES)
            add_candidate(&line, &rows->v[i], t);
        else
            add_row(&line, &rows->v[i], family, t, schema);
        fprintf(f, "%s\n", line.s);
    }
    buf_free(&line);
}

/* ---- tables: what is there ---- */

static int check_row(void *to, const struct tuned_row *row)
{
    (void)to;
    if (tuned_is_predicted(row->us))
        return 0;
    return fail("%s:%ld: us: value \"%s\": the file holds measured rows; --force replaces it, and "
                "they are lost",
                row->path, row->line, row->us);
}

static int check_candidates(const char *path, enum family_id family)
{
    char line[512];
    struct buf wanted = {NULL, 0, 0};
    if (first_line(path, line, sizeof line) != 0)
        return -1;
    add_header(&wanted, family, SCHEMA_CANDIDATES);
    const int is_same = strcmp(line, wanted.s) == 0;
    buf_free(&wanted);
    if (is_same)
        return 0;
    return fail("%s:1: \"%.60s\": the file is no list of candidates; --force replaces it", path,
                line);
}

/* May a file that is there be replaced? It holds nothing but predictions then. 0, or -1 with a
   message. A path at which there is nothing, or no regular file, may be written to. */
static int write_check_old(const char *path, enum family_id family, enum write_schema schema)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    if (schema == SCHEMA_CANDIDATES)
        return check_candidates(path, family);
    if (tuned_read(path, family, check_row, NULL) == 0)
        return 0;
    return -1;
}

/* ---- files ---- */

static int is_file(const char *output)
{
    return ends_with(output, ".csv");
}

/* ---- files: paths ---- */

static char *path_in(const struct files_options *o, enum family_id family)
{
    struct buf b = {NULL, 0, 0};
    if (is_file(o->output))
        return xstrdup(o->output);
    buf_printf(&b, "%s%s", o->output, ends_with(o->output, "/") ? "" : "/");
    if (o->schema == SCHEMA_CANDIDATES)
        buf_printf(&b, "candidates_%s.csv", families[family].name);
    else
        buf_printf(&b, "%s.csv", families[family].merge_name);
    return b.s;
}

static int several(const struct files_options *o, const struct rows *r)
{
    struct buf names = {NULL, 0, 0};
    for (int i = 0; i < N_FAMILIES; i++)
        if (r->of[i].n != 0)
            buf_printf(&names, "%s%s", names.n != 0 ? ", " : "", families[i].name);
    fail("%s: one file is for one family, and there are %s: --family takes one, -o DIR all",
         o->output != NULL ? o->output : "standard output", names.s);
    buf_free(&names);
    return -1;
}

static int check_path(const struct files_options *o, enum family_id family, const char *path)
{
    const struct output output = {"-o", path};
    for (size_t i = 0; i < o->n_inputs; i++)
        if (strcmp(o->inputs[i], "-") != 0
            && outputs_check_input(&output, 1, "an input", o->inputs[i]) != 0)
            return -1;
    return o->force ? 0 : write_check_old(path, family, o->schema);
}

/* Before anything is made */
static int set_paths(const struct rows *r, const struct files_options *o, char *path[N_FAMILIES])
{
    size_t n = 0;
    for (int i = 0; i < N_FAMILIES; i++)
        n += r->of[i].n != 0;
    if (n > 1 && (o->output == NULL || is_file(o->output)))
        return several(o, r);
    for (int i = 0; i < N_FAMILIES && o->output != NULL; i++) {
        if (r->of[i].n == 0)
            continue;
        path[i] = path_in(o, (enum family_id)i);
        if (check_path(o, (enum family_id)i, path[i]) != 0)
            return -1;
    }
    return 0;
}

/* ---- files: writing ---- */

/* 1: it was made, 0: it is there, -1 with a message */
static int make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 1;
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return fail("%s: cannot make the folder: %s (only a name that ends in .csv is a file)", path,
                strerror(errno));
}

/* Opens and writes all; none is in its place yet. */
static int write_all(const struct rows *r, const struct target *t, const struct files_options *o,
                     char *const path[N_FAMILIES], struct outfile out[N_FAMILIES])
{
    for (int i = 0; i < N_FAMILIES; i++) {
        if (r->of[i].n == 0)
            continue;
        if (out_open(&out[i], path[i]) != 0)
            return -1;
        write_rows(out[i].f, &r->of[i], (enum family_id)i, t, o->schema);
    }
    return 0;
}

static int commit_all(struct outfile out[N_FAMILIES], int rc)
{
    for (int i = 0; i < N_FAMILIES; i++) {
        if (out[i].f == NULL)
            continue;
        if (rc == 0)
            rc = out_commit(&out[i]);
        else
            out_abandon(&out[i]);
    }
    return rc;
}

int files_write(const struct rows *r, const struct target *t, const struct files_options *o,
                char *path[N_FAMILIES])
{
    struct outfile out[N_FAMILIES];
    int made = 0, any = 0;
    memset(out, 0, sizeof out);
    if (set_paths(r, o, path) != 0)
        return -1;
    for (int i = 0; i < N_FAMILIES; i++)
        any |= r->of[i].n != 0;
    if (any && o->output != NULL && !is_file(o->output))
        made = make_folder(o->output);
    if (made < 0)
        return -1;
    const int rc = commit_all(out, write_all(r, t, o, path, out));
    if (rc != 0 && made)
        rmdir(o->output);
    return rc;
}
