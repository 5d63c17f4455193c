/* import_rows.c - starts importers of tables in forms of their own, and of Triton configurations
   SPDX-License-Identifier: MIT */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the importer is told ---- */

/* The spec's names, and what the command line says */
static void add_names(const struct spec *s, struct interned *o)
{
    const int server = spec_field_index(s, "server");
    struct buf fields = {0}, params = {0}, servers = {0};
    for (size_t i = 0; i < s->n_fields; i++)
        import_name(&fields, s->fields[i].name);
    for (size_t i = 0; i < s->n_params; i++)
        import_name(&params, s->params[i].name);
    for (size_t i = 0; server >= 0 && i < s->fields[server].n_tokens; i++)
        import_name(&servers, s->fields[server].tokens[i]);
    import_option(o, "--fields", fields.s);
    import_option(o, "--params", params.s);
    import_option(o, "--servers", servers.s);
    buf_free(&fields);
    buf_free(&params);
    buf_free(&servers);
}

static void add_options(const struct loader *l, const char *importer, struct interned *o)
{
    const struct opt_texts *set = &l->options->set;
    import_option(o, "--importer", importer);
    (void)intern_text(o, "--spec");
    if (l->options->lenient)
        (void)intern_text(o, "--lenient");
    add_names(l->spec, o);
    import_option(o, "--kernel", l->spec->family);
    for (size_t i = 0; i < set->n; i++)
        if (strncmp(set->v[i], "server=", 7) == 0)
            import_option(o, "--server", set->v[i] + 7);
}

static int import_rows_run(const struct loader *l, const char *importer, const char *const *paths,
                           size_t n, struct buf *text)
{
    struct interned o = {0};
    add_options(l, importer, &o);
    const int rc = importer_run(paths, n, *paths, &o, text);
    intern_free(&o);
    return rc;
}

/* ---- what it says ---- */

static void take_notes(struct loader *l, const struct imported *t)
{
    const char *given = imported_said(t, "given"), *guess = imported_said(t, "guess");
    const int field = given != NULL ? spec_field_index(l->spec, given) : -1;
    if (field >= 0)
        l->is_used[field] = 1;
    if (guess != NULL && !l->is_guessed)
        note("%s: %s", l->path, guess);
    l->is_guessed |= guess != NULL;
}

int import_drop(struct loader *l, int64_t row, char *cell)
{
#define DROP_WORD(name, text) #name,
    static const char *const words[] = {DATA_DROPS(DROP_WORD)};
#undef DROP_WORD
    char *text[4] = {cell, NULL, NULL, NULL}, *tab;
    size_t n = 1, why = 0;
    for (; n < 4 && (tab = strchr(text[n - 1], '\t')) != NULL; n++) {
        *tab = '\0';
        text[n] = tab + 1;
    }
    while (why + 1 < DATA_N_DROPS && strcmp(words[why] + strlen("DROP_"), cell) != 0)
        why++;
    return n < 4 ? load_drop(l, (enum data_drop)why)
                 : load_bad(l, row, (enum data_drop)why, text[1], text[2], "%s", text[3]);
}

/* ---- tables ---- */

static int has_column(const struct csv_records *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *cell = r->cell[i] + strspn(r->cell[i], " \t");
        const size_t n = strlen(name);
        if (strncmp(cell, name, n) == 0 && cell[n + strspn(cell + n, " \t")] == '\0')
            return 1;
    }
    return 0;
}

const char *import_table_of(const struct spec *s, const struct csv_records *r)
{
    if (s->format == SPEC_TENSILE && has_column(r, "TotalFlops"))
        return "tensile";
    if (s->format == SPEC_TIMED && has_column(r, "shape_features") && has_column(r, "timing_ms"))
        return "helion";
    return s->format == SPEC_TRITON && has_column(r, "file") && has_column(r, "block_m")
               ? "triton_tables"
               : NULL;
}

/* Of a table of Tensile a kernel's parameters are numbers. */
static int check_numbers(const struct loader *l)
{
    const struct spec *s = l->spec;
    for (size_t i = 0; s->format != SPEC_TIMED && i < s->n_params; i++)
        if (s->params[i].names[0] != NULL)
            return fail("%s: parameter \"%s\" of %s: has to be integers to be read from a Tensile "
                        "table",
                        l->path, s->params[i].name, s->path);
    return 0;
}

static int import_rows_take(struct loader *l, struct imported *t)
{
    if (imported_take(t) != 0)
        return -1;
    take_notes(l, t);
    return 0;
}

int import_table(struct loader *l, const char *importer, struct imported *out)
{
    return check_numbers(l) != 0 || import_rows_run(l, importer, &l->path, 1, &out->text) != 0
               ? -1
               : import_rows_take(l, out);
}

/* ---- configurations ---- */

/* All such files from this one on, as there may be hundreds, and each start takes its time */
static int read_ahead(struct loader *l)
{
    const char **paths = xcalloc(l->n_paths, sizeof *paths);
    size_t n = 0;
    for (size_t i = l->file; i < l->n_paths; i++)
        if (data_has_ending(l->paths[i], ".json"))
            paths[n++] = l->paths[i];
    const int rc = import_rows_run(l, "triton_configs", paths, n, &l->ahead);
    free(paths);
    return rc;
}

int import_config(struct loader *l, struct imported *out)
{
    if (l->ahead.n == 0 && read_ahead(l) != 0)
        return -1;
    const char *text = l->ahead.s + l->ahead_at;
    l->ahead_at += l->ahead_at < l->ahead.n ? strlen(text) + 1 : 0;
    buf_puts(&out->text, text);
    return import_rows_take(l, out);
}
