/* triton_json.c - reads the Triton configuration files of vLLM and SGLang
   SPDX-License-Identifier: MIT */
#include "readers.h"

#ifdef HAVE_JANSSON

#include "triton.h"

#include "base/json.h"

#include <string.h>

struct configs {
    struct triton_rows rows;
    struct json_text text;
    struct interned ms; /* those that were there already */
};

static const char version[] = "triton_version"; /* a member of vLLM's, beside the tuples */

/* ---- a tuple ---- */

/* Verdict on a member's value, a whole number or a truth value. */
static int read_value(const struct configs *c, int64_t row, const char *name, const json_t *v,
                      int64_t *out)
{
    struct buf text = {0};
    *out = json_is_true(v);
    if (json_is_boolean(v) || json_whole(v, out))
        return 0;
    if (!json_scalar(v, &text))
        buf_puts(&text, "");
    const int rc = load_bad(c->rows.l, row, DROP_BROKEN, name, text.s, "is not a whole number");
    buf_free(&text);
    return rc;
}

/* Verdict on a member that is no parameter. SPLIT_K and num_ctas are 1 wherever a tuner wrote them;
   with another value other code would run. USE_TMA says how SGLang's MoE loads a tile. Its tuner
   tries both, of both GEMMs, and keeps one row of an M: no spec has it, and the tile counts. The
   block GEMM has no such member. */
static int read_other(const struct configs *c, int64_t row, const char *name, int64_t v)
{
    char text[24];
    if (strcmp(name, "USE_TMA") == 0 && c->rows.name.kernel != TRITON_BLOCK_GEMM)
        return 0;
    snprintf(text, sizeof text, "%lld", (long long)v);
    if (strcmp(name, "SPLIT_K") == 0 || strcmp(name, "num_ctas") == 0)
        return v == 1 ? 0
                      : load_bad(c->rows.l, row, DROP_PARAMS, name, text,
                                 "is not 1, and the spec has no such parameter");
    return load_bad(c->rows.l, row, DROP_PARAMS, name, text, "is not a member of such a tuple");
}

/* Verdict */
static int read_member(const struct configs *c, int64_t row, const char *name, const json_t *v,
                       int64_t member[TRITON_N_MEMBERS])
{
    const size_t i = triton_index(name, triton_members, TRITON_N_MEMBERS);
    int64_t value;
    const int rc = read_value(c, row, name, v, &value);
    if (rc != 0 || i == TRITON_N_MEMBERS)
        return rc != 0 ? rc : read_other(c, row, name, value);
    member[i] = value;
    return 0;
}

/* Verdict on M, which stands once in a file. */
static int read_m(struct configs *c, int64_t row, const char *key, int64_t *m)
{
    if (parse_int(key, 1, KPRED_MAX_SIZE, m) != 0)
        return load_bad(c->rows.l, row, DROP_BROKEN, "M", key, "is not an integer from 1 to 2^24");
    const size_t n = c->ms.n;
    (void)intern(&c->ms, m, sizeof *m);
    return c->ms.n > n ? 0 : load_bad(c->rows.l, row, DROP_OTHER_TUPLE, "M", key, "is given twice");
}

/* Verdict on an M and its tuple. null is what SGLang's tuner writes where another kernel won. */
static int read_tuple(struct configs *c, int64_t row, const char *key, json_t *v)
{
    int64_t m, member[TRITON_N_MEMBERS];
    const char *name;
    json_t *value;
    int rc = triton_rows_check(&c->rows);
    for (size_t i = 0; i < TRITON_N_MEMBERS; i++)
        member[i] = TRITON_ABSENT;
    if (rc == 0)
        rc = read_m(c, row, key, &m);
    if (rc == 0 && json_is_null(v))
        rc = load_drop(c->rows.l, DROP_NULL);
    if (rc == 0 && !json_is_object(v))
        rc = load_bad(c->rows.l, row, DROP_BROKEN, "M", key, "has no object with a tuple");
    if (rc != 0)
        return rc;
    json_object_foreach(v, name, value)
    {
        if (rc == 0)
            rc = read_member(c, row, name, value, member);
    }
    return rc == 0 ? triton_rows_add(&c->rows, row, m, member) : rc;
}

/* ---- a file ---- */

/* The next member of the outermost object: a verdict. */
static int read_next(struct configs *c)
{
    struct json_text *t = &c->text;
    json_text_peek(t);
    const long row = t->line;
    json_t *key = json_text_name(t, NULL), *v = key ? json_text_value(t, NULL) : NULL;
    int rc = -1;
    if (v && json_is_string(v) && strcmp(json_string_value(key), version) == 0)
        rc = 0;
    else if (v)
        rc = read_tuple(c, row, json_string_value(key), v);
    json_decref(key);
    json_decref(v);
    return rc;
}

/* 0, or -1 with a message, unless the text is quiet. */
static int read_all(struct configs *c)
{
    struct json_text *t = &c->text;
    if (!json_text_take(t, '{'))
        return json_text_fail(t, "expected an object with a tuple for each M");
    do
        if (read_next(c) < 0)
            return -1;
    while (json_text_take(t, ','));
    if (!json_text_take(t, '}'))
        return json_text_fail(t, "after a tuple: expected a comma or the last brace");
    return json_text_peek(t) == EOF ? 0 : json_text_fail(t, "expected the end of the file");
}

/* The server where name and folders leave it open: vLLM alone writes a Triton version. */
static void find_server(struct triton_rows *t, const struct buf *bytes)
{
    int64_t given;
    const int field = t->field[TRITON_SERVER];
    if (field < 0 || t->name.server != TRITON_N_SERVERS)
        return;
    t->name.server = TRITON_VLLM;
    if (strstr(bytes->s, version) != NULL)
        return;
    if (load_given(t->l, (size_t)field, &given)) {
        if (strcmp(t->l->spec->fields[field].tokens[given], triton_servers[TRITON_SGLANG]) == 0)
            t->name.server = TRITON_SGLANG;
    } else if (!t->l->is_guessed) {
        t->l->is_guessed = 1;
        note(
            "%s: neither its name nor its folders tell the server: vllm is taken (--set server=... "
            "says another)",
            t->l->path);
    }
}

static int read_file_name(struct configs *c, const char *path)
{
    struct buf why = {0};
    const int rc = triton_name_parse(&c->rows.name, path, &why);
    if (rc != 0 && !c->text.is_quiet)
        fail("%s: %s", path, why.s);
    buf_free(&why);
    c->rows.gpu = c->rows.name.device;
    c->rows.l->gpu_is_named = 1;
    return rc;
}

int triton_json_read(struct loader *l, struct buf *bytes)
{
    struct configs c = {.text = json_text_open(l->path, bytes)};
    const size_t first = l->n;
    triton_rows_open(&c.rows, l);
    c.text.is_quiet = l->options->lenient;
    int rc = read_file_name(&c, l->path);
    if (rc == 0) {
        find_server(&c.rows, bytes);
        rc = read_all(&c);
    }
    intern_free(&c.ms);
    if (rc == 0 || !l->options->lenient)
        return rc;
    l->n = first;
    (void)load_drop(l, DROP_FILE);
    return 0;
}

#else

#include "base/util.h"

int triton_json_read(struct loader *l, struct buf *bytes)
{
    (void)bytes;
    return fail_without(l->path, "jansson", "libjansson-dev");
}

#endif
