/* tuner_read.c - reads a file of another tuner; declared in tuner.h
   SPDX-License-Identifier: MIT

   The outermost object is read member by member, and the one that holds the measurements, which may
   be a hundred megabytes, element by element. Members behind it are looked at before it, if the
   text is whole, since the head may need them. */
#include "tuner.h"

#ifdef HAVE_JANSSON

#include "tuner_forms.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 64 }; /* of the outermost object: those of known schemas are ten at most */

/* ---- members ---- */

static int add_member(struct tuner_members *list, struct json_text *t, json_t *name,
                      const struct json_text *place)
{
    json_t *value = json_text_value(t, NULL);
    if (!value)
        return -1;
    list->v = xgrow(list->v, list->n, &list->cap, sizeof *list->v);
    list->v[list->n++] = (struct tuner_member){json_incref(name), value, *place};
    return 0;
}

static void free_members(struct tuner_members *list)
{
    for (size_t i = 0; i < list->n; i++) {
        json_decref(list->v[i].name);
        json_decref(list->v[i].value);
    }
    free(list->v);
}

/* The members behind the one whose value is here, if all that is left is sound */
static void look_ahead(struct tuner_file *f, const struct json_text *from)
{
    struct json_text t = *from, place;
    int bad = !json_text_skip(&t);
    t.is_quiet = 1;
    while (!bad && f->later.n < MOST_MEMBERS && json_text_take(&t, ',')) {
        json_text_peek(&t);
        place = t;
        place.is_quiet = 0;
        json_t *name = json_text_name(&t, NULL);
        bad = !name || add_member(&f->later, &t, name, &place);
        json_decref(name);
    }
}

/* ---- measurements ---- */

/* A brace that is missing makes an entry a member of the one before, of which `v` is NULL if the
   text ends within it. */
static int check_inner(const struct tuner_file *f, const struct json_text *value, json_t *v)
{
    struct json_text t = *value;
    void *i = json_object_iter(v);
    while (i && !json_is_object(json_object_iter_value(i)))
        i = json_object_iter_next(v, i);
    if ((v && !i) || !f->head.n_params || !json_text_find_inner(&t, f->head.param[0].name))
        return 0;
    return json_text_fail(&t, "another entry begins within the one of line %ld: a brace is missing",
                          value->line);
}

static int make_head(struct tuner_file *f, const json_t *first, const struct tuner_visitor *visitor)
{
    f->head.path = f->place.path;
    f->head.kind = f->form->kind;
    return f->form->head(f, first) || visitor->head(visitor->to, &f->head) ? -1 : 0;
}

static int measure(struct tuner_file *f, const char *key, const json_t *v,
                   const struct tuner_visitor *visitor)
{
    struct tuner_measurement m = {.line = f->place.line, .column = f->place.column};
    if (!json_is_object(v))
        return json_text_fail(&f->place, "this %s is no object", f->form->what);
    return f->form->measure(f, key, v, &m) || visitor->measurement(visitor->to, &f->head, &m) ? -1
                                                                                              : 0;
}

/* The next one, at the place; `is_cut` if the text ends within it, which is no error in a cache */
static int read_one(struct tuner_file *f, struct json_text *t, int *is_cut,
                    const struct tuner_visitor *visitor)
{
    const int is_cache = f->form->kind == TUNER_CACHE;
    json_text_peek(t);
    f->place = *t;
    json_t *key = is_cache ? json_text_name(t, is_cut) : NULL;
    if (is_cache && !key)
        return *is_cut ? 0 : -1;
    json_text_peek(t);
    const struct json_text value = *t;
    json_t *v = json_text_value(t, is_cache ? is_cut : NULL);
    int bad = !v && !*is_cut;
    if (v && !f->head.n_params)
        bad = make_head(f, v, visitor);
    if (!bad && is_cache)
        bad = check_inner(f, &value, v);
    if (!bad && v)
        bad = measure(f, json_string_value(key), v, visitor);
    json_decref(key);
    json_decref(v);
    return bad;
}

/* The text has ended: 1 if this may be so, behind an entry of a cache or within one */
static int at_end(const struct tuner_file *f, const struct json_text *t, size_t n, int is_cut)
{
    if (f->form->kind != TUNER_CACHE || !n)
        return json_text_fail(t, "the file ends here, before %s of `%s`",
                              n ? "the end" : "a measurement", f->form->list);
    if (is_cut)
        note("%s:%ld: the file ends within this entry, which is left out", t->path, f->place.line);
    return 1;
}

/* The list that is here: 0, or 1 where the text may end with it. */
static int read_list(struct tuner_file *f, struct json_text *t, const struct tuner_visitor *visitor)
{
    const char *brackets = f->form->kind == TUNER_CACHE ? "{}" : "[]";
    size_t n = 0;
    int is_cut = 0;
    look_ahead(f, t);
    if (!json_text_take(t, brackets[0]))
        return json_text_fail(t, "%s: here should be %c", f->form->list, brackets[0]);
    if (json_text_take(t, brackets[1]))
        return json_text_fail(t, "%s: there is no measurement in it", f->form->list);
    do {
        if (json_text_peek(t) == EOF)
            return at_end(f, t, n, 0);
        if (read_one(f, t, &is_cut, visitor))
            return -1;
        if (is_cut)
            return at_end(f, t, n, 1);
        n++;
    } while (json_text_take(t, ','));
    if (json_text_peek(t) == EOF)
        return at_end(f, t, n, 0);
    if (!json_text_take(t, brackets[1]))
        return json_text_fail(t, "behind this %s should be a comma or %c", f->form->what,
                              brackets[1]);
    return f->form->kind == TUNER_CACHE && json_text_peek(t) == EOF;
}

/* ---- the outermost object ---- */

static const struct tuner_form *form_of(const char *list)
{
    const struct tuner_form *form = tuner_forms;
    while (form->list && strcmp(form->list, list) != 0)
        form++;
    return form->list ? form : NULL;
}

/* A brace too many ends the cache too soon. */
static int check_outside(const struct tuner_file *f)
{
    const struct tuner_member *m = &f->before.v[f->before.n - 1];
    if (!f->form || f->form->kind != TUNER_CACHE
        || !json_object_get(m->value, f->head.param[0].name))
        return 0;
    return json_text_fail(&m->place, "this entry is outside of `cache`: there is a brace too many");
}

static int check_name(const struct tuner_file *f, const char *name, const struct json_text *place)
{
    for (size_t i = 0; i < f->before.n; i++)
        if (!strcmp(json_string_value(f->before.v[i].name), name))
            return json_text_fail(place, "member %s stands there twice", name);
    if (f->form && !strcmp(f->form->list, name))
        return json_text_fail(place, "member %s stands there twice", name);
    if (!strcmp(name, "ConfigurationSpace"))
        return json_text_fail(place, "ConfigurationSpace: this is a T1 file, which has no "
                                     "measurements: `kpred-train init` takes it");
    if (f->before.n == MOST_MEMBERS)
        return json_text_fail(place,
                              "this is JSON of a schema that is unknown here: it has more "
                              "than %d members",
                              MOST_MEMBERS);
    return 0;
}

/* One member: 0, or 1 where the text may end with it. */
static int read_member(struct tuner_file *f, struct json_text *t,
                       const struct tuner_visitor *visitor)
{
    json_text_peek(t);
    const struct json_text place = *t;
    json_t *name = json_text_name(t, NULL);
    int rc = name ? check_name(f, json_string_value(name), &place) : -1;
    const struct tuner_form *form = rc || f->form ? NULL : form_of(json_string_value(name));
    if (form) {
        f->form = form;
        rc = read_list(f, t, visitor);
    } else if (!rc) {
        rc = add_member(&f->before, t, name, &place) || check_outside(f) ? -1 : 0;
    }
    json_decref(name);
    return rc;
}

static int read_all(struct tuner_file *f, struct json_text *t, const struct tuner_visitor *visitor)
{
    int rc = 0;
    if (!json_text_take(t, '{'))
        return json_text_fail(t, "here should be {, as a file of Kernel Tuner or KTT begins");
    const struct json_text start = *t;
    if (!json_text_take(t, '}')) {
        do
            rc = read_member(f, t, visitor);
        while (!rc && json_text_take(t, ','));
        if (rc)
            return rc < 0 ? -1 : 0;
        if (!json_text_take(t, '}'))
            return json_text_fail(t, json_text_peek(t) == EOF
                                         ? "the file ends here, before its last brace"
                                         : "here should be a comma or }");
    }
    if (json_text_peek(t) != EOF)
        return json_text_fail(t, "something follows behind the last brace");
    if (f->form)
        return 0;
    return json_text_fail(&start, "this is JSON of a schema that is unknown here: it has none of "
                                  "the members cache (of Kernel Tuner), results (T4) and Results "
                                  "(KTT)");
}

int tuner_read(const char *path, struct buf *bytes, const struct tuner_visitor *visitor)
{
    struct tuner_file f = {.form = NULL};
    struct json_text t = json_text_open(path, bytes);
    const int rc = read_all(&f, &t, visitor);
    tuner_forms_free(&f);
    free_members(&f.before);
    free_members(&f.later);
    return rc;
}

#else

int tuner_read(const char *path, struct buf *bytes, const struct tuner_visitor *visitor)
{
    (void)bytes;
    (void)visitor;
    return fail_without(path, "jansson", "libjansson-dev");
}

#endif
