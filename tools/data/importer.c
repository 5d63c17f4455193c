/* importer.c - starts an importer, and reads what it writes
   SPDX-License-Identifier: MIT */
#include "importer.h"

#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PYTHON  "python3"
#define PROGRAM "convert/__main__.py"

/* ---- where the importers are ---- */

static int is_there(const char *folder, size_t n, const char *below, struct buf *b)
{
    struct stat st;
    b->n = 0;
    buf_printf(b, "%.*s%s/" PROGRAM, (int)n, folder, below);
    return stat(b->s, &st) == 0;
}

/* Above this program: in share, where it is installed, or in the tree where it was built */
static int is_above(const char *program, struct buf *b)
{
    const char *end = strrchr(program, '/');
    for (int up = 0; up < 4 && end != NULL; up++) {
        const size_t n = (size_t)(end - program);
        if (is_there(program, n, "/share/kpred", b)
            || is_there(program, n, "/tools/python/kpred", b))
            return 1;
        while (end > program && *--end != '/')
            ;
        end = *end == '/' && end > program ? end : NULL;
    }
    return 0;
}

/* The importers' program; NULL: it is nowhere. KPRED_IMPORTERS names their folder's parent. */
static const char *find_program(struct buf *b)
{
    static const char *const usual[] = {"/usr/local/share/kpred", "/usr/share/kpred"};
    const char *asked = getenv("KPRED_IMPORTERS");
    char self[4096];
    if (asked != NULL)
        return is_there(asked, strlen(asked), "", b) ? b->s : NULL;
    program_path(self, sizeof self);
    if (is_above(self, b))
        return b->s;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_there(usual[i], strlen(usual[i]), "", b))
            return b->s;
    return NULL;
}

/* ---- what one is told ---- */

void import_option(struct interned *options, const char *option, const char *value)
{
    struct buf b = {0};
    if (value == NULL || *value == '\0')
        return;
    buf_printf(&b, "%s=%s", option, value);
    (void)intern_text(options, b.s);
    buf_free(&b);
}

void import_name(struct buf *names, const char *name)
{
    buf_printf(names, "%s%s", names->n > 0 ? "," : "", name);
}

/* ---- starting one ---- */

static int run_python(const char *program, const char *const *paths, size_t n_paths,
                      const struct interned *options, struct buf *text, int *status)
{
    static const char *const first[] = {PYTHON, "-I", "-S", "-B", NULL, "--stream"};
    const size_t n_first = sizeof first / sizeof *first;
    const char **words = xcalloc(n_first + options->n + n_paths + 2, sizeof *words);
    size_t n = 0;
    for (; n < n_first; n++)
        words[n] = first[n] != NULL ? first[n] : program;
    for (size_t i = 0; i < options->n; i++)
        words[n++] = options->v[i].s;
    words[n++] = "--";
    for (size_t i = 0; i < n_paths; i++)
        words[n++] = paths[i];
    const int why = process_read(words, -1, text, status);
    free(words);
    return why;
}

/* The options that users may give an importer, too */
static void add_told(struct buf *words, const struct interned *options)
{
    static const char *const told[] = {
        "--fields=", "--ignore=", "--metric=", "--success=", "--names=", "--unit="};
    for (size_t i = 0; i < options->n; i++)
        for (size_t j = 0; j < sizeof told / sizeof *told; j++)
            if (strncmp(options->v[i].s, told[j], strlen(told[j])) == 0) {
                quote(words, options->v[i].s, '*');
                buf_puts(words, " ");
            }
}

/* What is missing, and what to do elsewhere */
static int is_missing(const char *place, const char *path, const struct interned *options,
                      const char *what)
{
    struct buf words = {0};
    add_told(&words, options);
    quote(&words, path, '*');
    fail("%s: an importer in Python reads such files, and %s: `" PYTHON " -m kpred.convert %s -o "
         "table.csv` makes a table of it elsewhere",
         place, what, words.s);
    buf_free(&words);
    return -1;
}

int importer_run(const char *const *paths, size_t n, const char *place,
                 const struct interned *options, struct buf *text)
{
    const char *path = paths[0];
    struct buf program = {0};
    int status = 0, rc = -1;
    if (find_program(&program) == NULL)
        rc = is_missing(
            place, path, options,
            "it is not installed beside this program (KPRED_IMPORTERS names its folder)");
    else
        rc = run_python(program.s, paths, n, options, text, &status);
    if (rc > 0)
        rc = is_missing(place, path, options, rc == ENOENT ? PYTHON " is not found" : strerror(rc));
    else if (rc == 0 && (text->n == 0 || *text->s != '#'))
        rc = fail("%s: its importer (" PYTHON " %s) ended with status %d", path, program.s, status);
    else if (rc == 0 && status != 0 && strncmp(text->s, "#error\t", 7) != 0)
        rc = fail("%s: its importer (" PYTHON " %s) did not end", path, program.s);
    buf_free(&program);
    return rc;
}

/* ---- what it wrote ---- */

/* Undoes the escapes of a text, in place. */
static void unescape(char *s)
{
    char *to = s;
    for (; *s != '\0'; s++) {
        if (*s == '\\' && s[1] != '\0')
            s++, *to++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s;
        else
            *to++ = *s;
    }
    *to = '\0';
}

/* A line without its # */
static void take_line(struct imported *t, char *s)
{
    t->line = xgrow(t->line, t->n, &t->cap, sizeof *t->line);
    struct import_line *line = &t->line[t->n++];
    *line = (struct import_line){s, 0, t->n_texts};
    while ((s = strchr(s, '\t')) != NULL) {
        *s++ = '\0';
        t->texts = xgrow(t->texts, t->n_texts, &t->texts_cap, sizeof *t->texts);
        t->texts[t->n_texts++] = s;
        line->n++;
    }
    for (size_t i = 0; i < line->n; i++)
        unescape(t->texts[line->text + i]);
}

int imported_take(struct imported *t)
{
    char *s = t->text.s, *end;
    while (*s == '#' && (end = strchr(s, '\n')) != NULL) {
        *end = '\0';
        take_line(t, s + 1);
        s = end + 1;
    }
    t->csv.s = s;
    t->csv.n = t->text.n - (size_t)(s - t->text.s);
    const char *error = imported_said(t, "error");
    return error == NULL ? 0 : fail("%s", error);
}

void imported_free(struct imported *t)
{
    buf_free(&t->text);
    free(t->line);
    free(t->texts);
}

const struct import_line *imported_next(const struct imported *t, const struct import_line *from,
                                        const char *word)
{
    for (size_t i = from != NULL ? (size_t)(from - t->line) + 1 : 0; i < t->n; i++)
        if (strcmp(t->line[i].word, word) == 0)
            return &t->line[i];
    return NULL;
}

const char *imported_text(const struct imported *t, const struct import_line *line, size_t i)
{
    return i < line->n ? t->texts[line->text + i] : "";
}

const char *imported_said(const struct imported *t, const char *word)
{
    const struct import_line *line = imported_next(t, NULL, word);
    return line != NULL && line->n > 0 ? imported_text(t, line, 0) : NULL;
}

void imported_note(const struct imported *t)
{
    const struct import_line *line = NULL;
    while ((line = imported_next(t, line, "note")) != NULL)
        note("%s", imported_text(t, line, 0));
}
