/* report.c - which look-ups are answered, by what, and what the files are from
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the table ---- */

/* Whose look-up it is */
static const char *server_of(const struct lookup *l)
{
    return l->of == LOOKUP_NONE    ? ""
           : l->of == LOOKUP_AITER ? "aiter"
                                   : triton_servers[l->name.server];
}

static void add_percent(struct table *t, int percent)
{
    if (percent >= 0)
        table_number(t, "%d", percent);
    else
        table_text(t, "");
}

/* For people, who know the types of Python from their names */
static void shorten(struct buf *key)
{
    static const char *const modules[] = {"torch.", "ActivationType.", "QuantType."};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        for (char *at; (at = strstr(key->s, modules[i])) != NULL; key->n -= strlen(modules[i]))
            memmove(at, at + strlen(modules[i]), strlen(at + strlen(modules[i])) + 1);
}

static void add_answer(struct table *t, const struct answer *a, int is_aligned)
{
    struct buf key = {NULL, 0, 0};
    lookup_write(a->of, &key);
    if (is_aligned)
        shorten(&key);
    table_text(t, a->of->layer);
    table_text(t, server_of(a->of));
    table_text(t, key.s);
    table_text(t, answer_names[a->kind]);
    add_percent(t, a->tuple);
    add_percent(t, a->tile);
    table_text(t, a->why != NULL ? a->why : a->from != NULL ? a->from : "");
    buf_free(&key);
}

int report_print(const struct answer *v, size_t n, struct table_form form)
{
    struct table t = {.minor = "server,about", .units = "tuple %,tile %"};
    struct buf b = {NULL, 0, 0};
    size_t of[N_ANSWERS] = {0};
    table_heading(&t, "layer,server,key,answered_by,tuple,tile,about");
    for (size_t i = 0; i < n; i++)
        add_answer(&t, &v[i], !form.csv && !form.json);
    table_print(&t, stdout, form);
    table_free(&t);
    if (flush_stdout() != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        of[v[i].kind]++;
    for (int i = 0; i < N_ANSWERS; i++)
        if (of[i] != 0)
            buf_printf(&b, "%s%zu %s", b.n != 0 ? ", " : "", of[i], answer_names[i]);
    note("%zu look-up%s: %s", n, n == 1 ? "" : "s", b.s);
    buf_free(&b);
    return 0;
}

/* ---- kpred.json ---- */

static const char list[] = "\"files\": [", entry[] = "\n    {\"file\": ", tail[] = "\n  ]\n}\n";

static void add_text(struct buf *b, const char *s)
{
    table_json_text(b, s, strlen(s));
}

static void add_member(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, "%s\"%s\": ", ends_with(b->s, "{") ? "" : ", ", name);
    add_text(b, text);
}

static void add_file(struct buf *b, const struct answer *a)
{
    struct buf name = {NULL, 0, 0};
    if (a->name != NULL)
        buf_puts(&name, a->name);
    else if (a->of->of == LOOKUP_AITER)
        buf_printf(&name, "%s.csv", families[a->of->shape.family].merge_name);
    else
        lookup_write(a->of, &name);
    buf_puts(b, "    {");
    add_member(b, "file", name.s);
    add_member(b, "server", server_of(a->of));
    if (a->of->of == LOOKUP_AITER && a->name == NULL)
        add_member(b, "key", a->of->called);
    add_member(b, "layer", a->of->layer);
    add_member(b, "answered_by", answer_names[a->kind]);
    if (a->model != NULL) {
        add_member(b, "model", a->model->name);
        buf_printf(b, ", \"model_id\": \"%016" PRIx64 "\"", a->model->id);
    }
    if (a->from != NULL)
        add_member(b, "from", a->from);
    buf_puts(b, ", \"rows\": {");
    for (int i = 0; i < N_ORIGINS; i++)
        if (a->rows[i].n != 0)
            buf_printf(b, "%s\"%s\": [%s]", ends_with(b->s, "{") ? "" : ", ", origin_names[i],
                       a->rows[i].s);
    buf_puts(b, "}}");
    buf_free(&name);
}

void report_write(struct buf *b, const struct answer *v, size_t n, const char *device,
                  const char *version)
{
    const char *before = "\n";
    buf_printf(b, "{\n  \"kpred\": \"%d.%d.%d\",\n  \"device\": ", KPRED_VERSION / 10000,
               KPRED_VERSION / 100 % 100, KPRED_VERSION % 100);
    add_text(b, device);
    buf_puts(b, ",\n  \"triton\": ");
    add_text(b, version);
    buf_puts(b, ",\n  \"versions\": {");
    for (int i = 0; i < TRITON_N_SERVERS; i++)
        add_member(b, triton_servers[i], reads_versions[i]);
    add_member(b, "aiter", AITER_COMMIT);
    buf_printf(b, "},\n  %s", list);
    for (size_t i = 0; i < n; i++) {
        size_t written = v[i].text.n;
        for (int j = 0; j < N_ORIGINS; j++)
            written += v[i].rows[j].n;
        if (written == 0)
            continue;
        buf_puts(b, before);
        add_file(b, &v[i]);
        before = ",\n";
    }
    buf_puts(b, tail);
}

/* Has the text a line that begins with these bytes? It has other lines before it. */
static int has_line(const struct buf *b, const char *begin, size_t n)
{
    struct buf line = {NULL, 0, 0};
    buf_puts(&line, "\n");
    buf_add(&line, begin, n);
    const int has = strstr(b->s, line.s) != NULL;
    buf_free(&line);
    return has;
}

/* The first line of the old text that is not as report_write has it; 0: all are. */
static long strange_line(const char *old)
{
    static const char *const head[] = {"{\n",
                                       "  \"kpred\": \"",
                                       "  \"device\": \"",
                                       "  \"triton\": \"",
                                       "  \"versions\": {",
                                       "  \"files\": [\n"};
    const size_t n_head = sizeof head / sizeof *head;
    size_t line = 0;
    for (size_t n; line < n_head || strcmp(old, tail + 1) != 0; line++, old += n + 1) {
        const char *begin = line < n_head ? head[line] : entry + 1;
        n = strcspn(old, "\n");
        const size_t end = n > 2 ? n - 2 - (old[n - 1] == ',') : 0; /* "}}" or "}}," */
        if (strncmp(old, begin, strlen(begin)) != 0 || old[n] == '\0'
            || (line >= n_head && strncmp(old + end, "}}", 2) != 0))
            return (long)line + 1;
    }
    return 0;
}

/* Adds the entries of other files, which name, server and AITER's key tell apart. */
static int join_entries(struct buf *b, const char *path, const char *old)
{
    struct buf others = {NULL, 0, 0};
    const size_t head = (size_t)(strstr(b->s, list) - b->s) + strlen(list);
    const long line = strange_line(old);
    const int is_ours = strncmp(old, b->s, head) == 0;
    if (line != 0)
        return fail("%s:%ld: cannot be read: the line is not as kpred writes it; --force replaces "
                    "the file",
                    path, line);
    old += is_ours ? head : 0;
    for (size_t n; strncmp(old, entry, strlen(entry)) == 0; old += n) {
        const char *key = strstr(old, ", \"layer\": ");
        n = 1 + strcspn(old + 1, "\n");
        if (!has_line(b, old + 1, key != NULL ? (size_t)(key - old) - 1 : strlen(old + 1))) {
            buf_puts(&others, ",");
            buf_add(&others, old, n - (old[n - 1] == ','));
        }
    }
    if (others.n != 0) {
        b->n -= strlen(tail);
        buf_printf(b, "%s%s", others.s, tail);
    }
    buf_free(&others);
    return is_ours;
}

enum { TABLE_BYTES = 1 << 26 };

/* A row begins with SERVER,"FILE". */
static int join_table(struct buf *b, const char *old)
{
    const size_t head = strlen(triton_table_heading);
    struct buf others = {NULL, 0, 0};
    int is_within = 1;
    if (strncmp(old, triton_table_heading, head) != 0)
        return 0;
    for (const char *p = old + head; *p != '\0';) {
        const size_t n = strcspn(p, "\n");
        const char *file = memchr(p, '"', n);
        const char *end = file != NULL ? memchr(file + 1, '"', n - (size_t)(file + 1 - p)) : NULL;
        if (end != NULL && !has_line(b, p, (size_t)(end + 1 - p)))
            buf_printf(&others, "%.*s\n", (int)n, p);
        else if (!has_line(b, p, n))
            is_within = 0;
        p += n + (p[n] == '\n');
    }
    if (others.n != 0)
        buf_add(b, others.s, others.n);
    buf_free(&others);
    return is_within;
}

/* ---- what is there ---- */

int report_join(struct buf *b, const char *path, int force)
{
    const int is_table = ends_with(path, ".csv");
    struct buf old = {NULL, 0, 0};
    struct spared spared = {.n = 0};
    struct stat st;
    int rc = -1;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 1)
        return 0;
    if (force)
        spare_begin(&spared);
    if (read_file(path, is_table ? TABLE_BYTES : FOLDER_FILE_BYTES, &old) == 0)
        rc = is_table ? join_table(b, old.s) : join_entries(b, path, old.s);
    spare_end();
    buf_free(&old);
    return rc < 0 && force ? 0 : rc;
}
