/* tuner.c - other tuners' files: their importer's table, the names of their GPUs, and T1 inputs
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

/* T4 says what the file is, and would be a GPU's name. */
static int is_gpu(const char *piece)
{
    return strcasecmp(piece, "T4") != 0 && gpu_is_in_name(piece);
}

static const char *gpu_of_name(const char *path, struct buf *b)
{
    struct buf piece = {0};
    const char *at = base_name(path), *found = NULL;
    while (*at != '\0' && found == NULL) {
        const size_t n = gpu_piece(at);
        piece.n = 0;
        buf_add(&piece, at, n);
        if (piece.n > 3 && ends_with(piece.s, "_T4"))
            piece.s[piece.n - 3] = '\0';
        if (is_gpu(piece.s))
            found = gpu_name(piece.s, b);
        at += n + (at[n] != '\0');
    }
    buf_free(&piece);
    return found;
}

const char *tuner_gpu(const char *device, const char *asked, const char *path, struct buf *b)
{
    if (device != NULL && *gpu_name(device, b) != '\0')
        return b->s;
    return asked != NULL ? gpu_name(asked, b) : gpu_of_name(path, b);
}

int tuner_check_unit(const char *unit)
{
    char word[NAMES_FOLDED];
    names_fold(unit != NULL ? unit : "", word);
    return unit == NULL || names_has_word(TABLE_UNITS "s ", word)
               ? 0
               : fail("--unit: value \"%s\": is none of s, ms, us, ns", unit);
}

int tuner_lacks_unit(const struct imported *from, const char *unit, int *is_used)
{
    const int is_untold = imported_next(from, NULL, "untold") != NULL;
    const int is_first = is_untold && unit == NULL && !*is_used;
    *is_used |= is_untold;
    return is_first;
}

/* ---- a file ---- */

int tuner_import(const char *path, const char *unit, const char *names, struct imported *out)
{
    struct interned options = {0};
    import_option(&options, "--unit", unit);
    import_option(&options, "--names", names);
    const int rc =
        importer_run(&path, 1, path, &options, &out->text) != 0 || imported_take(out) != 0 ? -1 : 0;
    if (rc == 0)
        imported_note(out);
    intern_free(&options);
    return rc;
}

/* Two files of other types are two problems. */
static int check_types(const struct imported *from, const char *path, struct tuner_types *seen)
{
    const struct import_line *line = imported_next(from, NULL, "types");
    if (line == NULL)
        return 0;
    const char *types = imported_text(from, line, 0), *row = imported_text(from, line, 1),
               *column = imported_text(from, line, 2);
    if (seen == NULL)
        return fail("%s:%s:%s: key: its values have no names: `kpred-train ingest` makes a table "
                    "of it",
                    path, row, column);
    if (seen->path == NULL) {
        snprintf(seen->text, sizeof seen->text, "%s", types);
        seen->path = path;
    }
    return strncmp(seen->text, types, sizeof seen->text - 1) == 0
               ? 0
               : fail("%s:%s:%s: key: the tensors are %s here and %s in %s: a field `types` tells "
                      "them apart",
                      path, row, column, types, seen->text, seen->path);
}

int tuner_take(struct table_rows *t, const char *path, struct tuner_types *types)
{
    if (t1_is(&t->from))
        return fail("%s: is a T1 input, which has no measurements: `kpred-train init` takes it",
                    path);
    return check_types(&t->from, path, types) != 0 ? -1 : table_take(t, path);
}

/* ---- T1 inputs, as their importer gives them ---- */

int t1_is(const struct imported *from)
{
    const char *kind = imported_said(from, "kind");
    return kind != NULL && strcmp(kind, "T1 input") == 0;
}

static void add_param(struct t1 *t, const struct import_line *line)
{
    const size_t n = t->params.n;
    (void)intern_text(&t->params, imported_text(&t->from, line, 0));
    if (t->params.n == n)
        return;
    t->values = xrealloc(t->values, n + 1, sizeof *t->values);
    memset(&t->values[n], 0, sizeof *t->values);
    for (size_t i = 1; i < line->n; i++)
        (void)intern_text(&t->values[n], imported_text(&t->from, line, i));
}

static void add_condition(struct t1 *t, const struct import_line *line)
{
    struct spec_lines *c = &t->conditions;
    c->v = xrealloc(c->v, c->n + 1, sizeof *c->v);
    c->v[c->n++] = (struct spec_line){.text = imported_text(&t->from, line, 2),
                                      .line = strtol(imported_text(&t->from, line, 0), NULL, 10),
                                      .column = strtol(imported_text(&t->from, line, 1), NULL, 10)};
}

void t1_take(struct t1 *t, const char *path, struct imported *from)
{
    *t = (struct t1){.path = path, .from = *from, .conditions = {.line = 1}};
    memset(from, 0, sizeof *from);
    t->kernel = imported_said(&t->from, "kernel");
    t->kernel = t->kernel != NULL ? t->kernel : "";
    for (size_t i = 0; i < t->from.n; i++) {
        const struct import_line *line = &t->from.line[i];
        if (strcmp(line->word, "values") == 0)
            add_param(t, line);
        else if (strcmp(line->word, "condition") == 0)
            add_condition(t, line);
    }
}

void t1_free(struct t1 *t)
{
    for (size_t i = 0; i < t->params.n; i++)
        intern_free(&t->values[i]);
    intern_free(&t->params);
    free(t->values);
    free(t->conditions.v);
    imported_free(&t->from);
}
