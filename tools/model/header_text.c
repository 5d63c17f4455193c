/* header_text.c - the names and the arrays of numbers in a generated header
   SPDX-License-Identifier: MIT */
#include "header.h"

#include "base/intern.h"
#include "runtime.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct names {
    const kpred_model *m;
    char upper[NAMES_MOST_MODEL + 1];
    struct buf *out;
    struct interned taken; /* the enumerators so far */
};

void names_upper(const char *name, char upper[NAMES_MOST_MODEL + 1])
{
    size_t i = 0;
    for (; i < NAMES_MOST_MODEL && name[i]; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    upper[i] = '\0';
}

/* ---- enumerators ---- */

/* The whole in capitals, other signs as '_': "gfx906_60" to KPRED_MODEL_GPU_GFX906_60 */
static void add_capitals(const struct names *n, const char *prefix, const char *name, struct buf *b)
{
    buf_printf(b, "KPRED_%s_%s_%s", n->upper, prefix, name);
    for (char *p = b->s; *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
}

/* Cut where it is too long; behind a name that is taken a number. */
static void add_enumerator(struct names *n, const char *prefix, const char *name)
{
    struct buf whole = {NULL, 0, 0};
    char tail[16] = "", one[NAMES_MOST + 1];
    add_capitals(n, prefix, name, &whole);
    for (int i = 2;; i++) {
        const int room = (int)(NAMES_MOST - strlen(tail));
        snprintf(one, sizeof one, "%.*s%s", room, whole.s, tail);
        if (intern_find_text(&n->taken, one) == INTERN_NONE)
            break;
        snprintf(tail, sizeof tail, "_%d", i);
    }
    intern_text(&n->taken, one);
    buf_puts(n->out, one);
    buf_free(&whole);
}

/* Enumerators for names in their order, from 0 */
static void add_enum(struct names *n, const char *prefix, const char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++) {
        buf_puts(n->out, i ? ",\n    " : "enum {\n    ");
        add_enumerator(n, prefix, names[i]);
    }
    buf_puts(n->out, "\n};\n");
}

/* Are they all words, so that they can be told apart as identifiers? */
static int are_words(const kpred_param *p)
{
    int all = p->names != NULL;
    for (int32_t v = 0; all && v < p->n_values; v++)
        all = is_identifier(p->names[v]);
    return all;
}

static void add_enums(struct names *n)
{
    const kpred_model *m = n->m;
    const char *names[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE];
    for (uint32_t i = 0; i < m->n_fields; i++)
        names[i] = m->fields[i].name;
    add_enum(n, "FIELD", names, m->n_fields);
    for (uint32_t i = 0; i < m->n_fields; i++)
        if (m->fields[i].tokens)
            add_enum(n, m->fields[i].name, m->fields[i].tokens, (size_t)m->fields[i].n_tokens);
    for (uint32_t i = 0; i < m->n_params; i++)
        names[i] = m->params[i].name;
    add_enum(n, "PARAM", names, m->n_params);
    for (uint32_t i = 0; i < m->n_params; i++)
        if (are_words(m->params + i))
            add_enum(n, m->params[i].name, m->params[i].names, (size_t)m->params[i].n_values);
}

static struct names make_names(const kpred_model *m, struct buf *out)
{
    struct names n = {.m = m, .out = out};
    names_upper(m->name, n.upper);
    return n;
}

void names_add_enums(const kpred_model *m, struct buf *out)
{
    struct names n = make_names(m, out);
    add_enums(&n);
    intern_free(&n.taken);
}

/* ---- names that are taken ---- */

/* What else the header defines: macros, the model, and what it consists of */
static void add_others(struct names *n)
{
    static const char *const macros[][2] = {{"KPRED_", "_FIELDS"},        {"KPRED_", "_PARAMS"},
                                            {"KPRED_", "_ARENA"},         {"KPRED_", "_RULE_CALLS"},
                                            {"KPRED_", "_MULTIPLY_ADDS"}, {"KPRED_MODEL_", "_H"},
                                            {"KPRI_MODEL_", ""}};
    char name[2 * NAMES_MOST];
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++) {
        snprintf(name, sizeof name, "%s%s%s", macros[i][0], n->upper, macros[i][1]);
        intern_text(&n->taken, name);
    }
    snprintf(name, sizeof name, "kpred_model_%s", n->m->name);
    intern_text(&n->taken, name);
}

void names_find_clash(const kpred_model *m, char clash[NAMES_MOST + 1])
{
    struct buf enums = {NULL, 0, 0};
    struct names n = make_names(m, &enums);
    char start[NAMES_MOST + 1];
    *clash = '\0';
    add_enums(&n);
    add_others(&n);
    for (size_t i = 0; i < n.taken.n && !*clash; i++)
        if (runtime_header_name(n.taken.v[i].s, 0))
            snprintf(clash, NAMES_MOST + 1, "%s", n.taken.v[i].s);
    snprintf(start, sizeof start, "kpri_%s_", m->name); /* of its arrays */
    if (!*clash && runtime_header_name(start, 1))
        snprintf(clash, NAMES_MOST + 1, "%s", runtime_header_name(start, 1));
    intern_free(&n.taken);
    buf_free(&enums);
}

/* ---- arrays in its text ---- */

const char *header_code(const char *text)
{
    static const char end[] = "end of spec */";
    const char *p = strstr(text, end);
    return p ? p + strlen(end) : text + strlen(text);
}

int header_is_float(const char *text)
{
    return strstr(header_code(text), "\n#ifndef " HEADER_FLOAT_GUARD) != NULL;
}

int header_foreign(const struct header_text *h, const char *what)
{
    return fail("%s: not a header that kpred-train wrote: %s", h->path, what);
}

char *header_between(const char *text, const char *from, const char *to)
{
    const char *a = strstr(text, from), *b = a ? strstr(a + strlen(from), to) : NULL;
    struct buf copy = {NULL, 0, 0};
    if (!b)
        return NULL;
    a += strlen(from);
    buf_add(&copy, a, (size_t)(b - a));
    return copy.s;
}

const char *header_array(const struct header_text *h, const char *what)
{
    struct buf name = {NULL, 0, 0};
    buf_printf(&name, " kpri_%s_%s[", h->name, what);
    const char *p = strstr(header_code(h->text), name.s);
    p = p ? strchr(p, '{') : NULL;
    if (!p)
        fail("%s: not a header that kpred-train wrote: array%s] is missing", h->path, name.s);
    buf_free(&name);
    return p;
}

const char *header_number(const char *p)
{
    while (*p && *p != ';') {
        if (*p == '"') {
            for (p++; *p && *p != '"'; p++)
                ;
            p += *p == '"';
        } else if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_') {
            p += strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        } else if (*p == '+') {
            p += 1 + strspn(p + 1, " 0123456789");
        } else if ((*p >= '0' && *p <= '9') || *p == '-') {
            return p;
        } else {
            p++;
        }
    }
    return NULL;
}

int header_numbers(const struct header_text *h, const char *what, int32_t least, int32_t most,
                   int32_t *out, size_t n)
{
    const char *p = header_array(h, what);
    if (!p)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char *end;
        long long x;
        p = header_number(p);
        if (!p)
            return fail("%s: array %s has %zu numbers, expected %zu", h->path, what, i, n);
        x = strtoll(p, &end, 10);
        if (end == p || x < least || x > most)
            return fail("%s: array %s, number %zu: out of range", h->path, what, i);
        out[i] = (int32_t)x;
        p = end;
    }
    return header_number(p) ? fail("%s: array %s has more than %zu numbers", h->path, what, n) : 0;
}
