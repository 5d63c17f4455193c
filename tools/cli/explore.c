/* explore.c - see commands.h
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/page.h"
#include "base/process.h"
#include "model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_explore_js
#define NEEDS_explore_c_txt
#define NEEDS_explore_rules
#include "page_texts.h"

/* ---- WebAssembly ---- */

/* A text of JSON is one of C. */
static void put_clauses(struct buf *b, const struct model *model, size_t number)
{
    for (size_t i = 0; i < model->clauses.n; i++) {
        const struct clause *c = &model->clauses.v[i];
        buf_printf(b, " X(kpri_%s_clause_%zu, ", model->m.name, i);
        table_json_text(b, c->text, strlen(c->text));
        buf_printf(b, ", %lu, %zu)", (unsigned long)c->params, number);
    }
}

static void write_source(FILE *f, const struct model *const *models, size_t n)
{
    struct buf b = {0};
    buf_puts(&b, "#define MODELS(X)");
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, " X(%s)", models[i]->m.name);
    buf_puts(&b, "\n#define CLAUSES(X)");
    for (size_t i = 0; i < n; i++)
        put_clauses(&b, models[i], i);
    buf_puts(&b, "\n");
    html_pieces(&b, explore_c_txt);
    fwrite(b.s, 1, b.n, f);
    rewind(f);
    buf_free(&b);
}

/* kpred.h may be where the header says, here, or by where this program is. What clang reads and
   writes has no name: nothing is left behind. 0, or else it cannot be compiled */
static int compile(const char *const *paths, size_t n, FILE *source, struct buf *wasm)
{
    static const char script[] =
        "command -v clang >/dev/null || exit 1; at=${1%/*}; shift; "
        "for path; do set -- \"$@\" -include \"$path\"; shift; done; "
        "exec clang --target=wasm32 -std=c99 -O2 -mbulk-memory -nostdlib -fvisibility=hidden -w "
        "-Wl,--no-entry -Wl,--export-dynamic -Wl,--strip-all -DKPRED_IMPLEMENTATION -I. "
        "-I\"$at/..\" -I\"$at/../include\" \"$@\" -x c - -o -";
    const char *const shell[] = {"/bin/sh", "-c", script, "sh", commands_path};
    const char **words = xcalloc(n + 6, sizeof *words);
    int status = 0;
    memcpy(words, shell, sizeof shell);
    memcpy(words + 5, paths, n * sizeof *words);
    const int bad = process_read(words, fileno(source), wasm, &status);
    free(words);
    return bad || status != 0;
}

static void put_base64(struct buf *page, const struct buf *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = (const unsigned char *)bytes->s;
    for (size_t i = 0; i < bytes->n; i += 3) {
        unsigned b = 0;
        for (size_t k = i; k < i + 3; k++)
            b = b << 8 | (k < bytes->n ? s[k] : 0);
        for (size_t k = 0; k < 4; k++)
            buf_add(page, i + k <= bytes->n ? &digits[b >> (18 - 6 * k) & 63] : "=", 1);
    }
}

/* ---- the part of the page ---- */

/* A line for each parameter: rule, number, condition. A rule of a single direction is another's. */
static void put_rules(struct buf *page, const struct model *const *models, size_t n)
{
    for (const char *const *line = explore_rules; *line != NULL; line++) {
        const size_t length = strcspn(*line, " ");
        for (size_t i = 0; i < n; i++)
            if (length > 0 && strncmp(models[i]->m.rule_name, *line, length) == 0) {
                buf_puts(page, *line);
                break;
            }
    }
}

static void put_form(struct buf *page, const struct buf *wasm, const struct model *const *models,
                     size_t n)
{
    page_say(page,
             "The models themselves run in this page: the answers are those of kpred predict.");
    buf_puts(page, "<noscript><p>This needs a browser's script.</p></noscript>\n"
                   "<form class=\"ask\" id=\"ask\"><output aria-live=\"polite\"></output></form>\n"
                   "<script type=\"text/plain\" id=\"wasm\">");
    put_base64(page, wasm);
    buf_puts(page, "</script>\n<script type=\"text/plain\" id=\"rules\">\n");
    put_rules(page, models, n);
    buf_puts(page, "</script>\n<script>\n");
    html_pieces(page, explore_js);
    buf_puts(page, "</script>\n");
}

int explore_add(struct buf *page, const char *const *paths, const struct model *const *models,
                size_t n)
{
    struct buf wasm = {0};
    FILE *source = tmpfile();
    if (source == NULL)
        return fail("no temporary file: %s", strerror(errno));
    write_source(source, models, n);
    page_part(page, n > 1 ? "Ask the models" : "Ask the model");
    if (compile(paths, n, source, &wasm) == 0)
        put_form(page, &wasm, models, n);
    else {
        note("the page cannot be asked: clang and lld did not compile the models (Debian: apt-get "
             "install clang lld)");
        page_say(page, "Where this page was made, clang and lld could not compile its models to "
                       "WebAssembly, so they cannot be asked here.");
    }
    fclose(source);
    buf_free(&wasm);
    return 0;
}
