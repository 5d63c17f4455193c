/* tuner_autotune.c - the autotune cache of Triton, NAME.autotune.json, as a form of tuners' files
   SPDX-License-Identifier: MIT

   The file has the values of the arguments that `key=` names and then a type for each tensor, but
   no names; so who reads it gives these. An argument that a call leaves at its default is not among
   the values, which are counted for that reason. Values and types become parameters of the same
   value throughout. */
#ifdef HAVE_JANSSON

#include "tuner_forms.h"

#include <string.h>

/* ---- configurations ---- */

static int is_of_code(const char *name)
{
    return !strcmp(name, "kwargs") || !strcmp(name, "pre_hook");
}

/* What is null in each configuration, as maxnreg mostly is, is no parameter. Where it is a number
   in another one, null is 0: no limit. only: these members, or NULL for all */
static void add_members(json_t *to, json_t *config, int with_nulls, const json_t *only)
{
    for (void *i = json_object_iter(config); i; i = json_object_iter_next(config, i)) {
        const char *name = json_object_iter_key(i);
        json_t *v = json_object_iter_value(i);
        if (is_of_code(name) || (json_is_null(v) && !with_nulls)
            || (only && !json_object_get(only, name)))
            continue;
        if (!json_is_null(v))
            json_object_set(to, name, v);
        else if (!json_is_string(json_object_get(only, name)))
            json_object_set_new(to, name, json_integer(0));
    }
}

/* What a configuration lacks, or has as null, is `none`. */
static void fill(json_t *to, json_t *names)
{
    for (void *i = json_object_iter(names); i; i = json_object_iter_next(names, i))
        if (json_is_null(json_object_get(to, json_object_iter_key(i)))
            || !json_object_get(to, json_object_iter_key(i)))
            json_object_set_new(to, json_object_iter_key(i), json_string("none"));
}

/* The keywords of a configuration; NULL with a message */
static json_t *keywords_of(const struct tuner_file *f, const json_t *v)
{
    json_t *kwargs = json_object_get(json_array_get(v, 0), "kwargs");
    if (json_is_object(kwargs))
        return kwargs;
    json_text_fail(&f->place, "this configuration has no object `kwargs`");
    return NULL;
}

/* The key with its names, and the tuple; NULL with a message */
static json_t *flat_config(const struct tuner_file *f, const json_t *v)
{
    json_t *kwargs = keywords_of(f, v);
    if (!kwargs)
        return NULL;
    json_t *flat = json_copy(f->key);
    json_object_update(flat, kwargs);
    add_members(flat, json_array_get(v, 0), 1, f->config);
    fill(flat, f->config);
    return flat;
}

static void tell_fewer(const struct tuner_file *f, const size_t *n_of, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < most; i++)
        n += n_of[i];
    if (n > 0)
        note("%s: %zu configuration%s a keyword that others have: there it is none", f->head.path,
             n, as_counted(n, " lacks", "s lack"));
}

/* All keywords, and all members that are not null in each configuration */
static json_t *all_names(const struct tuner_file *f, const json_t *first)
{
    struct json_text t = f->place;
    size_t n_of[KPRED_MAX_TUPLE + 1] = {0};
    if (!keywords_of(f, first))
        return NULL;
    json_t *flat = json_object(), *members = json_object(), *v;
    t.is_quiet = 1;
    do {
        v = json_text_value(&t, NULL);
        json_t *config = json_array_get(v, 0), *kwargs = json_object_get(config, "kwargs");
        const size_t n = json_object_size(kwargs);
        n_of[n < KPRED_MAX_TUPLE ? n : KPRED_MAX_TUPLE]++;
        json_object_update_missing(flat, kwargs);
        add_members(members, config, 0, NULL);
        json_decref(v);
    } while (v && json_text_take(&t, ','));
    tell_fewer(f, n_of, json_object_size(flat) < KPRED_MAX_TUPLE ? json_object_size(flat) : 0);
    fill(flat, flat);
    json_object_update_missing(flat, members);
    json_decref(members);
    return flat;
}

/* ---- the key ---- */

static int is_type(const json_t *v)
{
    return json_is_string(v) && !strncmp(json_string_value(v), "torch.", strlen("torch."));
}

/* The types, without torch., and one alone where all are the same; how many values stand before */
static size_t read_types(const json_t *key, struct buf *types)
{
    size_t n = json_array_size(key), i;
    const char *first = "none";
    int is_one = 1;
    while (n > 0 && is_type(json_array_get(key, n - 1)))
        n--;
    for (i = n; i < json_array_size(key); i++) {
        const char *is = strchr(json_string_value(json_array_get(key, i)), '.') + 1;
        first = i == n ? is : first;
        is_one &= !strcmp(first, is);
        buf_printf(types, "%s%s", i == n ? "" : "_", is);
    }
    if (is_one) {
        types->n = 0;
        buf_puts(types, first);
    }
    return n;
}

/* Two files of other types are two problems. */
static int check_types(const struct tuner_file *f, const struct json_text *at, const char *types)
{
    struct tuner_types *seen = f->told->types;
    if (!seen->path) {
        snprintf(seen->text, sizeof seen->text, "%s", types);
        seen->path = f->head.path;
    }
    return !strncmp(seen->text, types, sizeof seen->text - 1)
               ? 0
               : json_text_fail(at,
                                "key: the tensors are %s here and %s in %s: a field `" TUNER_TYPES
                                "` tells them apart",
                                types, seen->text, seen->path);
}

static int wrong_count(const struct tuner_file *f, const struct json_text *at, size_t n,
                       const json_t *config)
{
    struct buf names = {NULL, 0, 0};
    size_t n_names = 0;
    for (size_t i = 0; i < f->told->n_names; i++)
        if (strcmp(f->told->name[i], TUNER_TYPES) != 0
            && !json_object_get(config, f->told->name[i]))
            buf_printf(&names, "%s%s", n_names++ ? ", " : "", f->told->name[i]);
    if (!n_names)
        json_text_fail(at,
                       "key: has %zu value%s without names: --fields A,B,... names them, in the "
                       "order of the kernel's `key=`",
                       n, as_counted(n, "", "s"));
    else
        json_text_fail(at,
                       "key: has %zu value%s before the tensors' types, but there are %zu names "
                       "(%s): an argument that a call leaves at its default has no value in a key",
                       n, as_counted(n, "", "s"), n_names, names.s);
    buf_free(&names);
    return -1;
}

/* A value of a key as a field has it: what is no integer is a name. */
static json_t *field_value(json_t *v)
{
    struct buf b = {NULL, 0, 0}, name = {NULL, 0, 0};
    const double x = json_is_real(v) ? json_real_value(v) : 0.5;
    json_t *made = NULL;
    if (json_is_null(v))
        made = json_string("none");
    else if (json_is_real(v) && x >= -1e15 && x <= 1e15 && x - (double)(int64_t)x == 0)
        made = json_integer((int64_t)x);
    else if (json_is_real(v) && json_scalar(v, &b)) {
        buf_printf(&name, "_%s", b.s);
        made = json_string(name.s);
    }
    buf_free(&b);
    buf_free(&name);
    return made ? made : json_incref(v);
}

/* Sets f->key: 0, or -1 with a message. */
static int name_values(struct tuner_file *f, const struct tuner_member *m, const json_t *config)
{
    struct buf types = {NULL, 0, 0};
    const size_t n = read_types(m->value, &types);
    size_t at = 0;
    int has_types = 0, bad = 0;
    f->key = json_object();
    for (size_t i = 0; i < f->told->n_names && !bad; i++) {
        const char *name = f->told->name[i];
        if (json_object_get(config, name))
            continue;
        has_types |= !strcmp(name, TUNER_TYPES);
        if (!strcmp(name, TUNER_TYPES))
            json_object_set_new(f->key, name, json_string(types.s));
        else if (at++ < n)
            json_object_set_new(f->key, name, field_value(json_array_get(m->value, at - 1)));
    }
    if (at != n)
        bad = wrong_count(f, &m->place, n, config);
    if (!bad && !has_types)
        bad = check_types(f, &m->place, types.s);
    buf_free(&types);
    return bad;
}

/* ---- the form ---- */

/* The function is the name of the file. */
static char *function_of(const char *path)
{
    const char *name = base_name(path), *end = strstr(name, ".autotune.json");
    struct buf b = {NULL, 0, 0};
    buf_add(&b, name, end ? (size_t)(end - name) : 0);
    return b.s;
}

static int head(struct tuner_file *f, const json_t *first)
{
    const struct tuner_member *m = tuner_find(f, "key");
    f->head.device = "";
    f->head.kernel = f->kernel = function_of(f->head.path);
    if (!m || !json_is_array(m->value))
        return json_text_fail(&f->place, "there is no list `key` before this configuration");
    if (!f->told->types)
        return json_text_fail(&m->place,
                              "key: its values have no names: `kpred-train ingest` makes "
                              "a table of it");
    json_t *config = all_names(f, first);
    int bad = config ? name_values(f, m, config) : -1;
    if (!bad) {
        json_t *all = json_copy(f->key);
        json_object_update(all, config);
        bad = tuner_names_of_config(f, all);
        json_decref(all);
    }
    json_decref(config);
    return bad;
}

/* The median of a list, or what a benchmark of the user's own gave alone */
static int measure(struct tuner_file *f, const char *key, const json_t *v,
                   struct tuner_measurement *m)
{
    const json_t *time = json_array_get(v, 1);
    (void)key;
    if (json_array_size(v) != 2)
        return json_text_fail(&f->place, "this configuration is not a pair with its times");
    json_t *config = flat_config(f, v);
    const int bad = config ? tuner_take_config(f, config, m) : -1;
    json_decref(config);
    if (bad)
        return -1;
    if (json_is_array(time))
        time = json_array_get(time, 0);
    return time ? tuner_read_ms(f, "time", time, m)
                : json_text_fail(&f->place, "there is no time in this configuration");
}

const struct tuner_form tuner_triton = {
    TUNER_TRITON, "configs_timings", "configuration", NULL, head, measure};

#else

typedef int tuner_autotune_is_not_compiled; /* a file of C has to have something */

#endif
