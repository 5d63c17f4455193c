/* tuner_read.c - reads other tuners' files, measurement by measurement, and makes rows of them
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include "readers.h"
#include "table_forms.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

const char *const tuner_sizes[TUNER_MAX_SIZES] = {
    "problem_size_x", "problem_size_y", "problem_size_z", "problem_size_3",
    "problem_size_4", "problem_size_5", "problem_size_6", "problem_size_7"};

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
    if (*gpu_name(device, b) != '\0')
        return b->s;
    return asked != NULL ? gpu_name(asked, b) : gpu_of_name(path, b);
}

int tuner_check_unit(const char *unit)
{
    return unit == NULL || metric_of_unit(unit).kind == METRIC_TIME
               ? 0
               : fail("--unit: value \"%s\": is none of s, ms, us, ns", unit);
}

/* ---- a file ---- */

/* The outermost object is read member by member, and the one that holds the measurements, which may
   be a hundred megabytes, element by element. Members behind it are looked at before it, if the
   text is whole, since the head may need them. */

#ifdef HAVE_JANSSON

#include "tuner_forms.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 64 }; /* of the outermost object: those of known schemas are ten at most */

/* ---- a file: members ---- */

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

/* ---- a file: measurements ---- */

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
    memcpy(f->head.size_name, tuner_sizes, sizeof f->head.size_name);
    return f->form->head(f, first) || visitor->head(visitor->to, &f->head) ? -1 : 0;
}

static int measure(struct tuner_file *f, const char *key, const json_t *v,
                   const struct tuner_visitor *visitor)
{
    struct tuner_measurement m = {.line = f->place.line, .column = f->place.column};
    if (!json_is_object(v) && f->form->kind != TUNER_TRITON)
        return json_text_fail(&f->place, "this %s is not an object", f->form->what);
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
        return json_text_fail(t, "%s: expected %c", f->form->list, brackets[0]);
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
        return json_text_fail(t, "after this %s: expected a comma or %c", f->form->what,
                              brackets[1]);
    return f->form->kind == TUNER_CACHE && json_text_peek(t) == EOF;
}

/* ---- a file: the outermost object ---- */

static const struct tuner_form *const tuner_forms[] = {
    &tuner_cache, &tuner_clblast, &tuner_t4, &tuner_ktt, &tuner_pyatf, &tuner_triton, NULL};

static const struct tuner_form *form_of(const struct tuner_file *f, const char *list)
{
    const struct tuner_form *const *form = tuner_forms;
    while (*form
           && (strcmp((*form)->list, list) != 0
               || ((*form)->sign && !tuner_find_in(&f->before, (*form)->sign))))
        form++;
    return *form;
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
            return json_text_fail(place, "member %s is given twice", name);
    if (f->form && !strcmp(f->form->list, name))
        return json_text_fail(place, "member %s is given twice", name);
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
    const struct tuner_form *form = rc || f->form ? NULL : form_of(f, json_string_value(name));
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
        return json_text_fail(t, "expected {, as a " TUNER_FILE " begins");
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
                                         : "expected a comma or }");
    }
    if (json_text_peek(t) != EOF)
        return json_text_fail(t, "unexpected text after the last brace");
    if (f->form)
        return 0;
    return json_text_fail(&start, "this is JSON of a schema that is unknown here: it has none of "
                                  "the members cache (of Kernel Tuner), results (T4, CLBlast), "
                                  "Results (KTT), tuning_parameters before history (pyATF) and "
                                  "configs_timings (Triton)");
}

int tuner_read(const char *path, struct buf *bytes, const struct tuner_visitor *visitor)
{
    struct tuner_file f = {.told = &visitor->told};
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

/* ---- making rows ---- */

enum { FIXED = -1 };

struct rows {
    struct loader *l;
    int field[KPRED_MAX_FIELDS]; /* the file's parameter that it is, or FIXED: */
    int64_t fixed[KPRED_MAX_FIELDS];
    int param[KPRED_MAX_TUPLE]; /* FIXED: it has one value in the spec: */
    char text[KPRED_MAX_TUPLE][12];
    size_t n; /* the file's parameters: is each used? Else its name and its only value so far */
    unsigned char *is_used;
    char **name, **only;
    long line; /* of the first measurement */
    int has_no_unit;
};

/* ---- making rows: what is what ---- */

static int find_param(const struct tuner_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_params; i++)
        if (strcmp(head->param[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The size of the file's problem that has this name; NULL: none */
static const int64_t *find_size(const struct tuner_head *head, const char *name)
{
    for (size_t i = 0; i < head->n_sizes; i++)
        if (strcmp(head->size_name[i], name) == 0)
            return &head->size[i];
    return NULL;
}

static int map_gpu(struct rows *r, const struct tuner_head *head, size_t field)
{
    struct loader *l = r->l;
    struct buf b = {0}, from = {0};
    const char *name = tuner_gpu(head->device, l->options->gpu, head->path, &b);
    const int is_named = *head->device != '\0';
    int rc;
    l->gpu_is_named |= is_named;
    l->gpu_is_used |= !is_named;
    if (is_named)
        buf_printf(&from, "the file's device is \"%s\"", head->device);
    else
        buf_puts(&from, l->options->gpu != NULL ? "from --gpu" : "from the file's name");
    if (name == NULL)
        rc = fail("%s: gpu: neither the file nor its name has it: give it with --gpu", head->path);
    else
        rc = load_named_gpu(l, field, name, from.s, &r->fixed[field]);
    buf_free(&b);
    buf_free(&from);
    return rc;
}

static int map_field(struct rows *r, const struct tuner_head *head, size_t i)
{
    const struct spec_field *f = &r->l->spec->fields[i];
    const int64_t *size = find_size(head, f->name);
    r->field[i] = FIXED;
    if (f->n_tokens != 0 && strcmp(f->name, "gpu") == 0)
        return map_gpu(r, head, i);
    r->field[i] = find_param(head, f->name);
    if (r->field[i] >= 0) {
        r->is_used[r->field[i]] = 1;
        return 0;
    }
    if (size != NULL && f->n_tokens == 0) {
        r->fixed[i] = *size;
        return 0;
    }
    if (load_given(r->l, i, &r->fixed[i]))
        return 0;
    return fail("%s: field %s: the file does not have it: give it with --set %s=VALUE", head->path,
                f->name, f->name);
}

static int map_param(struct rows *r, const struct tuner_head *head, size_t i)
{
    const struct spec_param *p = &r->l->spec->params[i];
    r->param[i] = find_param(head, p->name);
    if (r->param[i] >= 0)
        r->is_used[r->param[i]] = 1;
    else if (p->n_values > 1)
        return fail("%s: the file has no parameter %s, which has %zu values in the spec: is this a "
                    "file of %s?",
                    head->path, p->name, p->n_values, r->l->spec->name);
    return 0;
}

/* Rows of another stage or precision of CLBlast are rarely meant, but may be one kernel's. */
static void note_kernel(struct loader *l, const struct tuner_head *head)
{
    if (head->kind != TUNER_CLBLAST)
        return;
    if (l->kernel[0] == '\0') {
        snprintf(l->kernel, sizeof l->kernel, "%s", head->kernel);
        l->kernel_path = head->path;
    } else if (strncmp(l->kernel, head->kernel, sizeof l->kernel - 1) != 0) {
        note("%s: is of %s, but %s of %s: another stage or precision has times of its own",
             head->path, head->kernel, l->kernel_path, l->kernel);
    }
}

static int see_head(void *to, const struct tuner_head *head)
{
    struct rows *r = to;
    int rc = 0;
    note_kernel(r->l, head);
    r->n = head->n_params;
    r->is_used = xcalloc(r->n, 1);
    r->name = xcalloc(r->n, sizeof *r->name);
    r->only = xcalloc(r->n, sizeof *r->only);
    for (size_t i = 0; i < r->l->spec->n_params && rc == 0; i++)
        rc = map_param(r, head, i); /* what another kernel lacks is told before any value */
    for (size_t i = 0; i < r->l->spec->n_fields && rc == 0; i++)
        rc = map_field(r, head, i);
    return rc;
}

/* ---- making rows: rows ---- */

/* What the spec does not name must not make a difference. */
static int check_unused(struct rows *r, const struct tuner_head *head,
                        const struct tuner_measurement *m)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->is_used[i])
            continue;
        if (r->only[i] == NULL) {
            r->name[i] = xstrdup(head->param[i].name);
            r->only[i] = xstrdup(m->value[i]);
        } else if (strcmp(r->only[i], m->value[i]) != 0) {
            return fail("%s:%ld:%ld: the spec has no parameter %s, which is %s here and %s in line "
                        "%ld",
                        head->path, m->line, m->column, r->name[i], m->value[i], r->only[i],
                        r->line);
        }
    }
    return 0;
}

static void close_unused(struct rows *r, int rc)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->only[i] != NULL && rc == 0)
            note("%s: the spec does not name %s, which is always %s: ignored", r->l->path,
                 r->name[i], r->only[i]);
        free(r->name[i]);
        free(r->only[i]);
    }
    free(r->name);
    free(r->only);
    free(r->is_used);
}

/* Verdict on one field's value. */
static int read_field(struct rows *r, const struct tuner_measurement *m, size_t i, int64_t *out)
{
    const struct spec_field *f = &r->l->spec->fields[i];
    *out = r->fixed[i];
    if (r->field[i] == FIXED)
        return 0;
    const char *text = m->value[r->field[i]];
    if (f->n_tokens != 0)
        return load_token(r->l, m->column, i, text, out);
    if (parse_whole(text, INT64_MIN, INT64_MAX, out) != 0)
        return load_bad(r->l, m->column, DROP_BROKEN, f->name, text, "is not an integer");
    return 0;
}

/* Verdict on a measurement. */
static int add_row(struct rows *r, const struct tuner_measurement *m)
{
    struct loader *l = r->l;
    const struct spec *s = l->spec;
    int64_t problem[KPRED_MAX_FIELDS];
    const char *params[KPRED_MAX_TUPLE];
    int rc = 0;
    for (size_t i = 0; i < s->n_fields && rc == 0; i++)
        rc = read_field(r, m, i, &problem[i]);
    for (size_t i = 0; i < s->n_params; i++)
        params[i] = r->param[i] >= 0 ? m->value[r->param[i]]
                                     : spec_value_text(&s->params[i], 0, r->text[i]);
    if (rc == 0)
        rc = load_add_timed(l, m->column, problem, params, m->time_us > 0 ? m->time_us : 0);
    if (rc == 0 && m->n_runs > 1)
        load_runs(l, m->run, m->n_runs);
    return rc;
}

/* The loader shows a row as PATH row_prefix ROW, which is PATH:LINE:COLUMN here; but it keeps the
   line alone. */
static int see_measurement(void *to, const struct tuner_head *head,
                           const struct tuner_measurement *m)
{
    struct rows *r = to;
    struct loader *l = r->l;
    const size_t before = l->n;
    char prefix[32];
    if (r->line == 0)
        r->line = m->line;
    r->has_no_unit |= m->has_no_unit;
    if (check_unused(r, head, m) != 0)
        return -1;
    snprintf(prefix, sizeof prefix, ":%ld:", m->line);
    l->row_prefix = prefix;
    const int rc = add_row(r, m);
    l->row_prefix = ":";
    if (l->n > before)
        l->rows[before].row = m->line;
    return rc < 0 ? -1 : 0;
}

/* Of the first file whose times have no unit, if nothing says it */
static void tell_unit(struct loader *l)
{
    if (l->options->unit == NULL && !l->unit_is_used)
        note("%s: " TUNER_NO_UNIT, l->path);
    l->unit_is_used = 1;
}

/* The fields that a key of Triton may have: what --set gives is not in it. */
static size_t name_key(const struct loader *l, const char *name[KPRED_MAX_FIELDS])
{
    const struct spec *s = l->spec;
    size_t n = 0;
    for (size_t i = 0; i < s->n_fields; i++) {
        const int is_gpu = s->fields[i].n_tokens != 0 && strcmp(s->fields[i].name, "gpu") == 0;
        if (!is_gpu && !set_fields_has(&l->options->set, s->fields[i].name))
            name[n++] = s->fields[i].name;
    }
    return n;
}

/* Parameters are those of the file by name. A field is, of these, the first that there is: of names
   and called gpu, the file's GPU (tuner_gpu); one of the file's parameters; problem_size_x, _y, _z,
   problem_size_3 and so on, a size of the file's problem; what --set gives. A parameter of the file
   that the spec does not name has one value throughout. */
int tuner_rows_read(struct loader *l, struct buf *bytes)
{
    struct rows r;
    const char *names[KPRED_MAX_FIELDS];
    const struct tuner_told told = {l->options->unit, name_key(l, names), names, &l->types};
    const struct tuner_visitor visitor = {&r, see_head, see_measurement, told};
    memset(&r, 0, sizeof r);
    r.l = l;
    l->row_prefix = ":";
    const int rc = tuner_read(l->path, bytes, &visitor);
    if (rc == 0 && r.has_no_unit)
        tell_unit(l);
    close_unused(&r, rc);
    return rc;
}
