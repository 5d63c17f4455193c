/* files.c - writes rows as AITER's tuned tables or as candidates: all files of a run, or none
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"
#include "base/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- tables: headers ---- */

/* Was it there then? Those of fused MoE are the same by each schema. */
static int has_column(enum family_id family, enum write_schema schema, const char *name)
{
    if (strcmp(name, "gfx") == 0)
        return schema < SCHEMA_NO_GFX || schema == SCHEMA_CANDIDATES;
    if (schema == SCHEMA_CANDIDATES) /* the key */
        return family_place_of(families[family].sizes, name) >= 0
               || family_place_of(families[family].details, name) >= 0
               || strcmp(name, "cu_num") == 0;
    if (strcmp(name, "libtype") == 0)
        return schema < SCHEMA_NO_LIBTYPE;
    return schema < SCHEMA_NO_TFLOPS || family == FAMILY_FMOE
           || !names_has_word("tflops bw errRatio err_ratio", name);
}

static void add_header(struct buf *b, enum family_id family, enum write_schema schema)
{
    const struct family *f = &families[family];
    struct buf all = {NULL, 0, 0};
    buf_printf(&all, "gfx cu_num %s", f->columns);
    for (char *name = strtok(all.s, " "); name != NULL; name = strtok(NULL, " "))
        if (has_column(family, schema, name))
            buf_printf(b, "%s%s", b->n != 0 ? "," : "", name);
    buf_free(&all);
    if (schema != SCHEMA_CANDIDATES)
        return;
    buf_puts(b, ",rank,");
    if (f->id_column != NULL)
        buf_printf(b, "libtype,%s,", f->id_column);
    buf_printf(b, "%s,%s,", f->split_column, f->kernel_column);
    for (size_t i = 0; f->copied[i] != NULL; i++)
        buf_printf(b, "%s,", f->copied[i]);
    buf_puts(b, "probability");
}

/* ---- tables: rows ---- */

static void add_part(struct buf *b, const char *text, char end, int i)
{
    char *part = family_part(text, end, i);
    csv_add_cell(b, part);
    free(part);
}

/* Times are those of predictions, so that a measured row always wins; other figures 0. */
static void add_constant(struct buf *b, const char *name)
{
    if (strcmp(name, "_tag") != 0)
        buf_puts(b, names_has_word("us us1 us2", name)  ? "999999.0"
                    : names_has_word("err1 err2", name) ? "0.0%"
                                                        : "0.0");
}

/* kernelId is not read again but for opus; a kernel that has no number in the GPU's list gets 0.
   Nobody knows the probability of a kernel that was measured for another shape. */
static void add_cell(struct buf *b, const struct row *row, const struct target *t, const char *name)
{
    const struct asked_shape *s = &row->shape;
    const struct family *f = &families[s->family];
    const struct prediction *p = &row->best;
    const int32_t sizes[3] = {s->m, s->n, s->k};
    const int detail = family_place_of(f->details, name), copied = family_place_of(f->copied, name);
    const int size = family_place_of(f->sizes, name);
    if (size >= 0)
        buf_printf(b, "%" PRId32, sizes[size]);
    else if (strcmp(name, "gfx") == 0)
        buf_puts(b, t->gfx);
    else if (strcmp(name, "cu_num") == 0)
        buf_printf(b, "%d", t->cu_num);
    else if (detail >= 0)
        add_part(b, s->detail, ',', detail);
    else if (strcmp(name, f->kernel_column) == 0)
        csv_add_cell(b, p->kernel);
    else if (strcmp(name, f->split_column) == 0)
        buf_printf(b, "%" PRId32, p->split);
    else if (f->id_column != NULL && strcmp(name, f->id_column) == 0)
        buf_printf(b, "%" PRId32, p->id >= 0 ? p->id : 0);
    else if (strcmp(name, "libtype") == 0)
        buf_puts(b, p->library);
    else if (copied >= 0)
        add_part(b, p->more, COPIED_END, copied);
    else if (strcmp(name, "rank") == 0)
        buf_printf(b, "%zu", row->rank);
    else if (strcmp(name, "probability") != 0)
        add_constant(b, name);
    else if (!p->is_copied)
        buf_printf(b, "%.6f", kpred_probability(p->score) / 16777216.0);
}

static void add_rows(struct buf *b, const struct rows_family *rows, enum family_id family,
                     const struct target *t, enum write_schema schema)
{
    struct buf header = {NULL, 0, 0};
    add_header(&header, family, schema);
    buf_printf(b, "%s\n", header.s);
    for (const struct row *row = rows->v; row < rows->v + rows->n; row++) {
        if (row->rank != 1 && schema != SCHEMA_CANDIDATES)
            continue;
        char *names = xstrdup(header.s);
        for (char *name = strtok(names, ","), *next; name != NULL; name = next) {
            add_cell(b, row, t, name);
            next = strtok(NULL, ",");
            buf_puts(b, next != NULL ? "," : "\n");
        }
        free(names);
    }
    buf_free(&header);
}

/* ---- tables: what is there ---- */

static int check_row(void *to, const struct tuned_row *row)
{
    (void)to;
    if (tuned_is_predicted(row->us))
        return 0;
    return fail("%s:%zu: us: value \"%s\": the file holds measured rows; --force replaces it, and "
                "they are lost",
                row->shape.at.path, row->shape.at.line, row->us);
}

/* May a file that is there be replaced? It holds nothing but predictions then. 0, or -1 with a
   message. A path at which there is nothing, or no regular file, may be written to. */
static int write_check_old(const char *path, enum family_id family, enum write_schema schema)
{
    char line[1024];
    struct stat st;
    struct buf wanted = {NULL, 0, 0};
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    if (schema != SCHEMA_CANDIDATES)
        return tuned_read(path, family, NULL, check_row, NULL) == 0 ? 0 : -1;
    if (first_line(path, line, sizeof line) != 0)
        return -1;
    add_header(&wanted, family, SCHEMA_CANDIDATES);
    const int is_same = strcmp(line, wanted.s) == 0;
    buf_free(&wanted);
    return is_same ? 0
                   : fail("%s:1: \"%.60s\": the file is not a list of candidates; --force replaces "
                          "it",
                          path, line);
}

/* ---- files ---- */

static char *path_in(const struct files_options *o, enum family_id family)
{
    struct buf b = {NULL, 0, 0};
    if (ends_with(o->output, ".csv"))
        return xstrdup(o->output);
    buf_add_path(&b, o->output, "");
    if (o->schema == SCHEMA_CANDIDATES)
        buf_printf(&b, "candidates_%s.csv", families[family].name);
    else
        buf_printf(&b, "%s.csv", families[family].merge_name);
    return b.s;
}

static int files_several(const struct table_files *f, const struct files_options *o)
{
    struct buf names = {NULL, 0, 0};
    for (size_t i = 0; i < f->n; i++)
        buf_printf(&names, "%s%s", i != 0 ? ", " : "", families[f->v[i].family].name);
    fail("%s: one file is for one family, but there are %s: choose one with --family, or write all "
         "with -o DIR",
         o->output != NULL ? o->output : "standard output", names.s);
    buf_free(&names);
    return -1;
}

int files_make(struct table_files *f, const struct answering *a, const struct files_options *o)
{
    const struct rows *r = &a->rows;
    for (int i = 0; i < N_FAMILIES; i++)
        if (r->of[i].n != 0)
            f->v[f->n++] = (struct table_file){
                .family = (enum family_id)i,
                .path = o->output != NULL ? path_in(o, (enum family_id)i) : NULL};
    if (f->n > 1 && (o->output == NULL || ends_with(o->output, ".csv")))
        return files_several(f, o);
    for (size_t i = 0; i < f->n && o->output != NULL; i++) {
        const struct output output = {"-o", f->v[i].path};
        if (outputs_check_inputs(&output, 1, "an input", &o->inputs[0]) != 0
            || outputs_check_inputs(&output, 1, "an input", &o->inputs[1]) != 0
            || outputs_check_input(&output, 1, "an input", o->compiled) != 0
            || (!o->force && write_check_old(output.path, f->v[i].family, o->schema) != 0))
            return -1;
    }
    for (size_t i = 0; i < f->n; i++)
        add_rows(&f->v[i].text, &r->of[f->v[i].family], f->v[i].family, &a->target, o->schema);
    return 0;
}

/* Opens and writes all, to the disk, before the first is in its place. */
static int write_files(const struct table_files *f)
{
    struct outfile out[N_FAMILIES];
    int rc = 0;
    memset(out, 0, sizeof out);
    for (size_t i = 0; i < f->n && rc == 0; i++) {
        rc = out_open(&out[i], f->v[i].path);
        if (rc == 0) {
            fwrite(f->v[i].text.s, 1, f->v[i].text.n, out[i].f);
            rc = out_flush(&out[i]);
        }
    }
    for (size_t i = 0; i < f->n && out[i].f != NULL; i++)
        rc = out_end(&out[i], rc != 0);
    return rc;
}

int files_write(struct answering *a, const struct files_options *o)
{
    struct locked_folder folder;
    size_t any = 0;
    for (int i = 0; i < N_FAMILIES; i++)
        any += a->rows.of[i].n;
    const int has_folder = any != 0 && o->output != NULL && !ends_with(o->output, ".csv");
    if (has_folder
        && folder_lock(&folder, o->output, " (only a name that ends in .csv is a file)") != 0)
        return -1;
    const int rc = files_make(&a->files, a, o) == 0 ? write_files(&a->files) : -1;
    if (has_folder)
        folder_release(&folder, rc != 0);
    return rc;
}

void files_free(struct table_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].path);
        buf_free(&f->v[i].text);
    }
}
