/* headers.c - the names in generated headers, for test_headers.steps, in whose folder it runs
   SPDX-License-Identifier: MIT

   There are odd.spec, odd.h of it, and long.h, whose names are as long as can be. */
#include "harness/cases.h"
#include "harness/specs.h"
#include "model/header.h"

/* ---- enumerators ---- */

/* The lists of enumerators in a header, a line for each */
static const char *enums_of(const char *header)
{
    struct buf *b = new_text();
    for (const char *at = text_of(header); (at = strstr(at, "\nenum {")) != NULL; at++) {
        for (const char *p = at + 7; *p != '}'; p++)
            if (!isspace((unsigned char)*p))
                buf_add(b, *p == ',' ? " " : p, 1);
        buf_puts(b, "\n");
    }
    return b->s;
}

enum { MOST_OF_NAME = 63 }; /* characters by which C99 tells names apart; the others go */

static void add_enum(struct buf *b, const char *what, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t from = b->n;
        buf_printf(b, "%s_%s", what, names[i]);
        for (char *p = b->s + from; *p != '\0'; p++)
            *p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
        if (b->n > from + MOST_OF_NAME)
            b->s[b->n = from + MOST_OF_NAME] = '\0';
        buf_puts(b, i + 1 < n ? " " : "\n");
    }
}

static int are_words(const struct spec_param *p)
{
    size_t n = 0;
    while (n < p->n_values && p->names[n] != NULL && is_like(p->names[n], "[A-Za-z_][A-Za-z0-9_]*"))
        n++;
    return n == p->n_values;
}

/* The lists that a spec gives whose names are different in capitals */
static const char *enums_for(const struct spec *s)
{
    static struct buf b;
    const char *names[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE];
    b.n = 0;
    for (size_t i = 0; i < s->n_fields; i++)
        names[i] = s->fields[i].name;
    add_enum(&b, say("kpred_%s_field", s->name), names, s->n_fields);
    for (size_t i = 0; i < s->n_fields; i++)
        add_enum(&b, say("kpred_%s_%s", s->name, s->fields[i].name), s->fields[i].tokens,
                 s->fields[i].n_tokens);
    for (size_t i = 0; i < s->n_params; i++)
        names[i] = s->params[i].name;
    add_enum(&b, say("kpred_%s_param", s->name), names, s->n_params);
    for (size_t i = 0; i < s->n_params; i++)
        if (are_words(&s->params[i]))
            add_enum(&b, say("kpred_%s_%s", s->name, s->params[i].name), s->params[i].names,
                     s->params[i].n_values);
    return b.s;
}

static void shipped_names(void)
{
    for (const struct builtin *m = builtins; m->model != NULL; m++) {
        const char *path = say("root/weights/%s", m->model->name);
        struct spec s;
        REQUIRE(spec_load(&s, say("%s.spec", path)) == 0);
        CHECK_TEXT(enums_of(say("%s.h", path)), enums_for(&s));
        spec_free(&s);
    }
}

/* ---- names that are taken, or long ---- */

enum { MOST_NAMES = 8192 };

struct names {
    size_t n;
    char *name[MOST_NAMES];
};

static int is_in(const struct names *of, const char *name)
{
    for (size_t i = 0; i < of->n; i++)
        if (strcmp(of->name[i], name) == 0)
            return 1;
    return 0;
}

/* The names in C code, strings and comments left out; how long is the longest? */
static size_t names_in(const char *header, struct names *out)
{
    size_t longest = 0, n;
    for (const char *p = text_of(header); *p != '\0'; p += n) {
        n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        if (n > 0 && !isdigit((unsigned char)*p)) {
            longest = n > longest ? n : longest;
            const char *name = say("%.*s", (int)n, p);
            if (out != NULL && has(name, "_") && !is_in(out, name) && out->n < MOST_NAMES)
                out->name[out->n++] = xstrdup(name);
        } else if (begins(p, "/*")) {
            n = (size_t)(strstr(p, "*/") + 2 - p);
        } else if (*p == '"') {
            for (n = 1; p[n] != '"'; n++)
                n += p[n] == '\\';
            n++;
        } else if (begins(p, "//")) {
            n = strcspn(p, "\n");
        } else if (n == 0) {
            n = 1;
        }
    }
    return longest;
}

/* A name in odd.h as the header of a model of that name has it; "" if it has no part of it */
static const char *renamed(const char *own, const char *model)
{
    const int is_upper = has(own, "_ODD");
    char upper[NAMES_MOST_MODEL + 1];
    names_upper(model, upper);
    return has(own, is_upper ? "_ODD" : "_odd")
               ? replaced(own, is_upper ? "ODD" : "odd", is_upper ? upper : model)
               : "";
}

static int is_clash(const struct names *taken, const struct names *own, const char *model)
{
    for (size_t i = 0; i < own->n; i++)
        if (is_in(taken, renamed(own->name[i], model)))
            return 1;
    return 0;
}

static struct names taken, own, tried;

/* A model of that name is refused if the names in odd.h would be names in kpred's headers. */
static int try_start(struct model *model, const char *start)
{
    char clash[NAMES_MOST + 1];
    if (strlen(start) > NAMES_MOST_MODEL || is_in(&tried, start) || tried.n == MOST_NAMES)
        return 0;
    model->m.name = tried.name[tried.n++] = xstrdup(start);
    if (!is_clash(&taken, &own, start))
        return 0;
    names_find_clash(&model->m, clash);
    CHECK_OF(*clash != '\0', start);
    return 1;
}

/* All names that begin as one in kpred's headers does */
static void taken_names(void)
{
    static const char *const headers[] = {"root/kpred.h", "root/kpred_constraints.h",
                                          "root/kpred_hip.h"};
    struct model *model = model_of(text_of("odd.spec"), "none");
    int found = 0;
    for (size_t i = 0; i < 3; i++)
        names_in(headers[i], &taken);
    names_in("odd.h", &own);
    for (size_t i = 0; i < taken.n; i++)
        for (char *p = strchr(taken.name[i], '_') + 1, *q = p; (q = strchr(q, '_')) != NULL; q++) {
            char start[NAMES_MOST + 1] = "";
            for (size_t n = 0; p + n < q && n < NAMES_MOST; n++)
                start[n] = (char)tolower((unsigned char)p[n]);
            found += try_start(model, start);
        }
    CHECK(own.n > 40 && found > 2 && is_clash(&taken, &own, "max")
          && is_clash(&taken, &own, "err"));
}

static void longest_names(void)
{
    CHECK_EQ(names_in("long.h", NULL), NAMES_MOST);
    for (const struct builtin *m = builtins; m->model != NULL; m++)
        CHECK(names_in(say("root/weights/%s.h", m->model->name), NULL) <= NAMES_MOST);
}

int main(void)
{
    test_run("enumerators of shipped models", shipped_names);
    test_run("names that are taken", taken_names);
    test_run("no name is longer than 63", longest_names);
    return test_end();
}
