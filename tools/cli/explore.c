/* explore.c - see explore.h
   SPDX-License-Identifier: MIT */
#include "explore.h"

#include "commands.h"

#include "base/html.h"
#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEEDS_explore_js
#define NEEDS_explore_c_txt
#include "page_texts.h"

/* ---- what the script knows of a model ---- */

/* No text in it ends the script. */
static void json_text(struct buf *b, const char *text)
{
    struct buf json = {0};
    table_json_text(&json, text, strlen(text));
    for (const char *s = json.s; *s != '\0'; s++)
        if (*s == '<')
            buf_puts(b, "\\u003c");
        else
            buf_add(b, s, 1);
    buf_free(&json);
}

static void json_names(struct buf *b, const char *member, const char *const *names, int32_t n)
{
    buf_printf(b, ",\"%s\":", member);
    for (int32_t i = 0; names != NULL && i < n; i++) {
        buf_puts(b, i ? "," : "[");
        json_text(b, names[i]);
    }
    buf_puts(b, names != NULL ? "]" : "null");
}

static void json_field(struct buf *b, const kpred_field *f)
{
    buf_puts(b, "{\"name\":");
    json_text(b, f->name);
    json_names(b, "tokens", f->tokens, f->n_tokens);
    buf_printf(b, ",\"least\":%ld,\"most\":%ld,\"from\":%ld,\"to\":%ld}", (long)f->least,
               (long)f->most, (long)f->trained_min, (long)f->trained_max);
}

static void json_param(struct buf *b, const kpred_param *p)
{
    buf_puts(b, "{\"name\":");
    json_text(b, p->name);
    json_names(b, "names", p->names, p->n_values);
    buf_puts(b, ",\"values\":[");
    for (int32_t i = 0; i < p->n_values; i++)
        buf_printf(b, "%s%ld", i ? "," : "", (long)p->values[i]);
    buf_puts(b, "]}");
}

/* Clauses that the header has as functions are numbered over all models. */
static void json_model(struct buf *b, const struct model *model, int has_clauses, size_t *clause)
{
    buf_puts(b, "{\"name\":");
    json_text(b, model->m.name);
    buf_puts(b, ",\"rule\":");
    json_text(b, model->m.rule_name);
    for (uint32_t f = 0; f < model->m.n_fields; f++) {
        buf_puts(b, f ? "," : ",\"fields\":[");
        json_field(b, &model->m.fields[f]);
    }
    for (uint32_t t = 0; t < model->m.n_params; t++) {
        buf_puts(b, t ? "," : "],\"params\":[");
        json_param(b, &model->m.params[t]);
    }
    buf_puts(b, "],\"clauses\":[");
    for (size_t i = 0; i < model->clauses.n; i++) {
        const struct clause *c = &model->clauses.v[i];
        buf_puts(b, i ? ",{\"text\":" : "{\"text\":");
        json_text(b, c->text);
        buf_printf(b, ",\"params\":%lu,\"at\":%ld}", (unsigned long)c->params,
                   has_clauses ? (long)(*clause)++ : -1L);
    }
    buf_puts(b, "]}\n");
}

/* ---- WebAssembly ---- */

enum { MOST_HEADER = 1 << 26, MOST_WASM = 1 << 26 };

/* Has the header a function for each clause? 1, 0, or -1 with a message */
static int has_clauses(const char *path, const struct model *model)
{
    struct buf text = {0}, name = {0};
    int found = 1;
    if (read_text(path, MOST_HEADER, &text) != 0)
        return -1;
    for (size_t i = 0; i < model->clauses.n && found; i++) {
        name.n = 0;
        buf_printf(&name, "int kpri_%s_clause_%zu(", model->m.name, i);
        found = strstr(text.s, name.s) != NULL;
    }
    buf_free(&text);
    buf_free(&name);
    return found;
}

static void put_source(struct buf *source, const struct model *const *models, const int *clauses,
                       size_t n)
{
    buf_puts(source, "#define MODELS(X)");
    for (size_t i = 0; i < n; i++)
        buf_printf(source, " X(%s)", models[i]->m.name);
    buf_puts(source, "\n#define CLAUSES(X)");
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; clauses[i] > 0 && c < models[i]->clauses.n; c++)
            buf_printf(source, " X(kpri_%s_clause_%zu)", models[i]->m.name, c);
    buf_puts(source, "\n");
    html_pieces(source, explore_c_txt);
}

/* Where kpred.h may be, beside where the header says: here, and by where this program is */
static const char *const include_tails[] = {"/..", "/../include"};

static int run_clang(const char *const *paths, size_t n, const char *source, const char *wasm)
{
    static const char *const fixed[] = {"--target=wasm32",
                                        "-std=c99",
                                        "-O2",
                                        "-nostdlib",
                                        "-Wl,--no-entry",
                                        "-Wl,--export-dynamic",
                                        "-Wl,--strip-all",
                                        "-fvisibility=hidden",
                                        "-w",
                                        "-DKPRED_IMPLEMENTATION",
                                        "-I.",
                                        "-x",
                                        "c"};
    enum { FIXED = sizeof fixed / sizeof *fixed, TAILS = 2 };
    struct buf include[TAILS] = {{0}}, printed = {0};
    const char **words = xcalloc(FIXED + 2 * n + TAILS + 5, sizeof *words);
    const char *const slash = strrchr(commands_path, '/');
    size_t at = 0;
    int status = 0;
    words[at++] = "clang";
    for (size_t i = 0; i < FIXED; i++)
        words[at++] = fixed[i];
    for (size_t i = 0; i < TAILS && slash != NULL; i++) {
        buf_printf(&include[i], "-I%.*s%s", (int)(slash - commands_path), commands_path,
                   include_tails[i]);
        words[at++] = include[i].s;
    }
    for (size_t i = 0; i < n; i++) {
        words[at++] = "-include";
        words[at++] = paths[i];
    }
    words[at++] = source;
    words[at++] = "-o";
    words[at++] = wasm;
    struct process p = {.words = words, .in = -1};
    const int why = process_read(&p, &printed, &status);
    for (size_t i = 0; i < TAILS; i++)
        buf_free(&include[i]);
    buf_free(&printed);
    free(words);
    return why == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : why ? why : -1;
}

/* In a folder of its own, which goes: 0, 1 where it cannot be compiled, or -1 with a message */
static int compile(const char *const *paths, size_t n, const struct buf *source, struct buf *wasm)
{
    const char *const base = getenv("TMPDIR");
    struct buf folder = {0}, c = {0}, out = {0};
    buf_printf(&folder, "%s/kpred-page-XXXXXX", base != NULL && *base ? base : "/tmp");
    if (mkdtemp(folder.s) == NULL) {
        fail("%s: no folder: %s", folder.s, strerror(errno));
        buf_free(&folder);
        return -1;
    }
    buf_add_path(&c, folder.s, "ask.c");
    buf_add_path(&out, folder.s, "ask.wasm");
    int rc = out_whole(c.s, source);
    if (rc == 0)
        rc = run_clang(paths, n, c.s, out.s) != 0;
    if (rc == 0)
        rc = read_file(out.s, MOST_WASM, wasm);
    (void)unlink(c.s);
    (void)unlink(out.s);
    (void)rmdir(folder.s);
    buf_free(&folder);
    buf_free(&c);
    buf_free(&out);
    return rc;
}

static void put_base64(struct buf *page, const struct buf *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = (const unsigned char *)bytes->s;
    for (size_t i = 0; i < bytes->n; i += 3) {
        const size_t left = bytes->n - i;
        const unsigned b = (unsigned)s[i] << 16 | (left > 1 ? (unsigned)s[i + 1] << 8 : 0)
                           | (left > 2 ? s[i + 2] : 0);
        const char text[4] = {digits[b >> 18], digits[b >> 12 & 63],
                              left > 1 ? digits[b >> 6 & 63] : '=',
                              left > 2 ? digits[b & 63] : '='};
        buf_add(page, text, 4);
    }
}

/* ---- the part of the page ---- */

static void put_form(struct buf *page, const struct model *const *models, const int *clauses,
                     size_t n, const struct buf *wasm)
{
    size_t clause = 0;
    page_part(page, n > 1 ? "Ask the models" : "Ask the model");
    page_say(page,
             "The models themselves run in this page: the answers are those of kpred predict.");
    buf_puts(page, "<noscript><p>This needs a browser's script.</p></noscript>\n"
                   "<form class=\"ask\" id=\"ask\"><output aria-live=\"polite\"></output></form>\n"
                   "<script type=\"application/json\" id=\"models\">[\n");
    for (size_t i = 0; i < n; i++) {
        buf_puts(page, i ? "," : "");
        json_model(page, models[i], clauses[i], &clause);
    }
    buf_puts(page, "]</script>\n<script type=\"text/plain\" id=\"wasm\">");
    put_base64(page, wasm);
    buf_puts(page, "</script>\n<script>\n");
    html_pieces(page, explore_js);
    buf_puts(page, "</script>\n");
}

int explore_add(struct buf *page, const char *const *paths, const struct model *const *models,
                size_t n)
{
    struct buf source = {0}, wasm = {0};
    int *clauses = xcalloc(n, sizeof *clauses), bad = 0;
    for (size_t i = 0; i < n && !bad; i++)
        bad = (clauses[i] = has_clauses(paths[i], models[i])) < 0;
    if (!bad) {
        put_source(&source, models, clauses, n);
        bad = compile(paths, n, &source, &wasm);
    }
    if (bad == 0)
        put_form(page, models, clauses, n, &wasm);
    if (bad > 0) {
        note("the page cannot be asked: clang and lld did not compile the models (Debian: apt-get "
             "install clang lld)");
        page_part(page, "Ask the models");
        page_say(page, "Where this page was made, clang and lld could not compile its models to "
                       "WebAssembly, so they cannot be asked here.");
    }
    buf_free(&source);
    buf_free(&wasm);
    free(clauses);
    return bad < 0 ? -1 : 0;
}
