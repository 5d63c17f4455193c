/* tuner_forms.c - see tuner_forms.h
   SPDX-License-Identifier: MIT */
#ifdef HAVE_JANSSON

#include "tuner_forms.h"
#include "table_forms.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- members of the outermost object ---- */

const struct tuner_member *tuner_find_in(const struct tuner_members *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(json_string_value(list->v[i].name), name))
            return &list->v[i];
    return NULL;
}

const struct tuner_member *tuner_find(const struct tuner_file *f, const char *name)
{
    const struct tuner_member *m = tuner_find_in(&f->before, name);
    return m ? m : tuner_find_in(&f->later, name);
}

/* A member that is a string: it, "" where there is none, or NULL with a message */
static const char *text_member(const struct tuner_file *f, const char *name)
{
    const struct tuner_member *m = tuner_find(f, name);
    if (!m || json_is_string(m->value))
        return m ? json_string_value(m->value) : "";
    json_text_fail(&m->place, "%s: is not a string", name);
    return NULL;
}

static int check_version(const struct tuner_file *f)
{
    const struct tuner_member *m = tuner_find(f, "schema_version");
    const char *version = m ? json_string_value(m->value) : "1.";
    if (version && !strncmp(version, "1.", 2))
        return 0;
    return json_text_fail(&m->place, "schema_version: \"%s\" is unknown here, which reads 1.0.0",
                          version ? version : "");
}

/* ---- times ---- */

static int is_unit(const char *name)
{
    return metric_of_unit(name).kind == METRIC_TIME;
}

/* What stands for a failure: 1; 2 if a condition or a limit forbids the tuple; 0: no such word */
static int failure_of(const char *word)
{
    static const char *const words[] = {
        "InvalidConfig",
        "constraints",
        "DeviceLimitsExceeded",
        "CompilationFailedConfig",
        "RuntimeFailedConfig",
        "compile",
        "runtime",
        "correctness",
        "timeout",
    };
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i]))
            return i < 3 ? 2 : 1;
    return 0;
}

static void set_failed(struct tuner_measurement *m, int failure)
{
    m->time_us = 0;
    m->is_rejected = failure == 2;
}

/* ---- objectives ---- */

/* A name or a list of names: the i-th; NULL behind the last one */
static const char *objective_at(const json_t *objective, size_t i)
{
    return json_string_value(json_is_string(objective) && i == 0 ? objective
                                                                 : json_array_get(objective, i));
}

static int has_objective(const json_t *objective, const char *name)
{
    const char *is;
    for (size_t i = 0; (is = objective_at(objective, i)) != NULL; i++)
        if (!strcmp(is, name))
            return 1;
    return 0;
}

/* There is nothing to learn from here. */
static int no_time(const struct tuner_file *f, const char *what, const json_t *objective)
{
    struct buf names = {NULL, 0, 0};
    const char *name;
    for (size_t i = 0; (name = objective_at(objective, i)) != NULL; i++)
        buf_printf(&names, "%s%s", i ? " or " : "", name);
    if (!names.n || has_objective(objective, "time"))
        json_text_fail(&f->place, "there is no %s in this %s", what, f->form->what);
    else
        json_text_fail(&f->place,
                       "there is no %s in this %s, and of the objective %s kpred cannot learn",
                       what, f->form->what, names.s);
    buf_free(&names);
    return -1;
}

/* A number, or in its place a word or null, which says that there is none */
static int read_time(const struct tuner_file *f, const char *name, const json_t *v,
                     struct metric unit, struct tuner_measurement *m)
{
    struct buf b = {NULL, 0, 0};
    const double time = json_number_value(v);
    const int failure = json_is_string(v) ? failure_of(json_string_value(v)) : time + 1 == 0;
    if (json_is_null(v) || (json_is_number(v) && time >= 0)) {
        m->time_us = time < FAILED_TIME ? metric_us(unit, time) : 0;
        return 0;
    }
    set_failed(m, failure);
    if (failure)
        return 0;
    json_text_fail(&f->place, "%s: %s is neither a time nor a failure that is known here", name,
                   json_scalar(v, &b) ? b.s : "this");
    buf_free(&b);
    return -1;
}

int tuner_read_ms(const struct tuner_file *f, const char *name, const json_t *v,
                  struct tuner_measurement *m)
{
    return read_time(f, name, v, metric_of_unit("ms"), m);
}

int tuner_read_untold(const struct tuner_file *f, const char *name, const json_t *v,
                      struct tuner_measurement *m)
{
    m->has_no_unit = 1;
    return read_time(f, name, v, metric_of_unit(f->told->unit ? f->told->unit : "ms"), m);
}

/* ---- parameters ---- */

static void new_params(struct tuner_file *f, size_t n)
{
    f->head.n_params = n;
    f->params = xcalloc(n, sizeof *f->params);
    f->domain = xcalloc(n, sizeof *f->domain);
    f->start = xcalloc(n, sizeof *f->start);
    f->value = xcalloc(n, sizeof *f->value);
    f->head.param = f->params;
}

void tuner_forms_free(struct tuner_file *f)
{
    for (size_t i = 0; i < f->head.n_params; i++) {
        buf_free(&f->domain[i]);
        free(f->params[i].values);
    }
    free(f->params);
    free(f->domain);
    free(f->start);
    free(f->value);
    free(f->kernel);
    buf_free(&f->text);
    json_decref(f->config);
    json_decref(f->key);
}

/* The values of a measurement, by the names of the head */
static int take_values(struct tuner_file *f, const json_t *config, struct tuner_measurement *m)
{
    f->text.n = 0;
    for (size_t i = 0; i < f->head.n_params; i++) {
        const char *name = f->params[i].name;
        const json_t *v = json_object_get(config, name);
        f->start[i] = f->text.n;
        if (!v)
            return json_text_fail(&f->place, "parameter %s is missing in this %s", name,
                                  f->form->what);
        if (!json_scalar(v, &f->text))
            return json_text_fail(&f->place, "parameter %s: is neither a number nor a string",
                                  name);
        buf_add(&f->text, "", 1);
    }
    for (size_t i = 0; i < f->head.n_params; i++)
        f->value[i] = f->text.s + f->start[i];
    m->value = f->value;
    return 0;
}

/* The same of an object that holds nothing else */
int tuner_take_config(struct tuner_file *f, json_t *config, struct tuner_measurement *m)
{
    if (take_values(f, config, m))
        return -1;
    for (void *i = json_object_iter(config); i; i = json_object_iter_next(config, i))
        if (!json_object_get(f->config, json_object_iter_key(i)))
            return json_text_fail(&f->place, "parameter %s is missing in the first %s",
                                  json_object_iter_key(i), f->form->what);
    return 0;
}

/* The head's parameters are those of the first measurement. */
int tuner_names_of_config(struct tuner_file *f, const json_t *config)
{
    size_t n = 0;
    if (!json_object_size(config))
        return json_text_fail(&f->place, "this %s has no parameter", f->form->what);
    new_params(f, json_object_size(config));
    f->config = json_deep_copy(config);
    for (void *i = json_object_iter(f->config); i; i = json_object_iter_next(f->config, i))
        f->params[n++].name = json_object_iter_key(i);
    return 0;
}

/* ---- a cache file of Kernel Tuner ---- */

/* Where a list has no string, or one twice: its length if nowhere */
static size_t first_bad_name(const json_t *list)
{
    size_t n = json_array_size(list), bad = n;
    json_t *seen = json_object();
    for (size_t i = 0; i < n && bad == n; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || json_object_get(seen, name))
            bad = i;
        else
            json_object_set_new(seen, name, json_true());
    }
    json_decref(seen);
    return bad;
}

static int cache_names(struct tuner_file *f)
{
    const struct tuner_member *m = tuner_find(f, "tune_params_keys");
    if (!m)
        return json_text_fail(&f->place, "there is no member tune_params_keys before this entry");
    const size_t n = json_array_size(m->value), bad = first_bad_name(m->value);
    if (!n)
        return json_text_fail(&m->place, "tune_params_keys: is not a list of names");
    if (bad < n)
        return json_text_fail(&m->place,
                              "tune_params_keys: its item %zu is not a name, or an earlier "
                              "one",
                              bad + 1);
    new_params(f, n);
    for (size_t i = 0; i < n; i++)
        f->params[i].name = json_string_value(json_array_get(m->value, i));
    return 0;
}

/* The texts of a list's values, each with a NUL behind it; 0 if one of them is not a scalar */
static int domain_text(const json_t *list, struct buf *b)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_scalar(json_array_get(list, i), b))
            return 0;
        buf_add(b, "", 1);
    }
    return b->n != 0;
}

int tuner_declare(struct tuner_file *f, size_t param, const json_t *list)
{
    struct tuner_param *p = &f->params[param];
    struct buf *b = &f->domain[param];
    if (!domain_text(list, b))
        return -1;
    p->values = xcalloc(json_array_size(list), sizeof *p->values);
    for (size_t at = 0; at < b->n; at += strlen(b->s + at) + 1)
        p->values[p->n_values++] = b->s + at;
    return 0;
}

static int cache_domain(struct tuner_file *f, const struct tuner_member *m, size_t param)
{
    const char *name = f->params[param].name;
    return tuner_declare(f, param, json_object_get(m->value, name)) == 0
               ? 0
               : json_text_fail(&m->place, "tune_params: %s: is not a list of numbers or strings",
                                name);
}

static int add_size(const struct tuner_member *m, struct tuner_head *head, const json_t *v)
{
    if (head->n_sizes == TUNER_MAX_SIZES)
        return json_text_fail(&m->place, "problem_size: has more than %d sizes", TUNER_MAX_SIZES);
    if (!json_whole(v, &head->size[head->n_sizes]) || head->size[head->n_sizes] < 0)
        return json_text_fail(&m->place, "problem_size: is not an integer, and no list of them");
    head->n_sizes++;
    return 0;
}

/* A string is the name of a function, or a number. */
static int cache_sizes(struct tuner_file *f)
{
    const struct tuner_member *m = tuner_find(f, "problem_size");
    int bad = 0;
    if (m && json_is_string(m->value)) {
        const char *text = json_string_value(m->value);
        f->head.n_sizes = parse_int(text, 0, INT64_MAX, &f->head.size[0]) == 0;
        return 0;
    }
    for (size_t i = 0; m && i < json_array_size(m->value) && !bad; i++)
        bad = add_size(m, &f->head, json_array_get(m->value, i));
    return m && !json_is_array(m->value) ? add_size(m, &f->head, m->value) : bad;
}

static int cache_objective(struct tuner_file *f)
{
    const struct tuner_member *m = tuner_find(f, "objective");
    f->objective = m ? m->value : NULL;
    const size_t n = json_array_size(f->objective);
    if (!m || json_is_string(m->value) || (n && first_bad_name(m->value) == n))
        return 0;
    return json_text_fail(&m->place, "objective: is neither a name nor a list of names");
}

static int cache_head(struct tuner_file *f, const json_t *first)
{
    const struct tuner_member *m = tuner_find(f, "tune_params");
    (void)first;
    f->head.device = text_member(f, "device_name");
    f->head.kernel = text_member(f, "kernel_name");
    if (!f->head.device || !f->head.kernel || cache_objective(f) || check_version(f)
        || cache_sizes(f) || cache_names(f))
        return -1;
    for (size_t i = 0; m && i < f->head.n_params; i++)
        if (cache_domain(f, m, i))
            return -1;
    return 0;
}

/* Python's str() of a value, beside what the entry says: numbers by what they are, as 1 and 1.0
   are the same; truth values by their words */
static int is_key_part(const char *part, size_t n, const json_t *v, const char *text)
{
    char *end, copy[64];
    if (json_is_boolean(v))
        return n == strlen(json_is_true(v) ? "True" : "False")
               && !strncmp(part, json_is_true(v) ? "True" : "False", n);
    if (json_is_string(v) || n >= sizeof copy)
        return n == strlen(text) && !strncmp(part, text, n);
    snprintf(copy, sizeof copy, "%.*s", (int)n, part);
    const double number = strtod(copy, &end);
    return n && !*end && !(number < json_number_value(v)) && !(number > json_number_value(v));
}

/* Only a string may have commas. */
static int check_key(const struct tuner_file *f, const char *key, const json_t *entry)
{
    const char *part = key;
    for (size_t i = 0; i < f->head.n_params; i++) {
        const char *name = f->params[i].name, *text = f->value[i];
        const json_t *v = json_object_get(entry, name);
        const size_t least = json_is_string(v) ? strlen(text) : 0;
        const size_t n = strnlen(part, least) + strcspn(part + strnlen(part, least), ",");
        const int is_last = i + 1 == f->head.n_params;
        if (!is_key_part(part, n, v, text) || part[n] != ",\0"[is_last])
            return json_text_fail(&f->place, "the key \"%s\" and the entry's %s = %s disagree", key,
                                  name, text);
        part += n + 1;
    }
    return 0;
}

/* The failure that stands in the place of an objective; 0: none does */
static int cache_failure(const struct tuner_file *f, const json_t *v)
{
    const char *name;
    int failure = 0;
    for (size_t i = 0; !failure && (name = objective_at(f->objective, i)) != NULL; i++)
        failure = failure_of(json_string_value(json_object_get(v, name)));
    return failure;
}

/* The first run is a cold one. */
static void take_runs(const json_t *times, struct tuner_measurement *m)
{
    for (size_t i = 1; i < json_array_size(times) && m->n_runs < TUNER_MAX_RUNS; i++) {
        const double ms = json_number_value(json_array_get(times, i));
        if (ms > 0)
            m->run[m->n_runs++] = ms;
    }
}

/* The entry's time in milliseconds. With other objectives a failure stands in their place; whether
   more of one is better or worse, the file does not say. */
static int cache_measure(struct tuner_file *f, const char *key, const json_t *v,
                         struct tuner_measurement *m)
{
    const json_t *time = json_object_get(v, "time");
    const int failure = cache_failure(f, v);
    if (take_values(f, v, m) || check_key(f, key, v))
        return -1;
    take_runs(json_object_get(v, "times"), m);
    if (time)
        return tuner_read_ms(f, "time", time, m);
    set_failed(m, failure);
    return failure ? 0 : no_time(f, "time", f->objective);
}

/* ---- results in the T4 form ---- */

static int t4_head(struct tuner_file *f, const json_t *first)
{
    const struct tuner_member *m = tuner_find(f, "metadata");
    const json_t *unit = m ? json_object_get(m->value, "timeunit") : NULL;
    f->head.device = f->head.kernel = "";
    f->unit = json_is_string(unit) ? json_string_value(unit) : "";
    if (check_version(f))
        return -1;
    if (*f->unit && !is_unit(f->unit))
        return json_text_fail(&m->place, "metadata: timeunit: \"%s\" is not a unit of time",
                              f->unit);
    return tuner_names_of_config(f, json_object_get(first, "configuration"));
}

static const json_t *find_measurement(const json_t *result, const char *name)
{
    const json_t *list = json_object_get(result, "measurements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *is = json_string_value(json_object_get(one, "name"));
        if (is && !strcmp(is, name))
            return one;
    }
    return NULL;
}

static const char *unit_of(const json_t *measurement)
{
    const char *unit = json_string_value(json_object_get(measurement, "unit"));
    return unit ? unit : "";
}

/* The name of the objective that is a time: `time`, or else the one whose unit says so; `time` as
   well if none is. NULL with a message: there are two. */
static const char *t4_objective(const struct tuner_file *f, const json_t *v)
{
    const json_t *objectives = json_object_get(v, "objectives");
    const char *name, *found = NULL;
    if (has_objective(objectives, "time"))
        return "time";
    for (size_t i = 0; (name = objective_at(objectives, i)) != NULL; i++) {
        const char *unit = unit_of(find_measurement(v, name));
        if (!is_unit(unit))
            continue;
        if (found) {
            json_text_fail(&f->place,
                           "objectives: %s and %s are both times: which one counts? Leave that one",
                           found, name);
            return NULL;
        }
        found = name;
    }
    return found ? found : "time";
}

static int t4_time(const struct tuner_file *f, const json_t *v, struct tuner_measurement *m)
{
    const char *name = t4_objective(f, v);
    const json_t *time = name ? find_measurement(v, name) : NULL;
    if (!name)
        return -1;
    if (!time)
        return no_time(f, "measurement time", json_object_get(v, "objectives"));
    const json_t *value = json_object_get(time, "value");
    const char *unit = *unit_of(time) ? unit_of(time) : f->unit;
    if (!*unit)
        return tuner_read_untold(f, name, value, m);
    if (!is_unit(unit))
        return json_text_fail(&f->place, "time: \"%s\" is not a unit of time", unit);
    return read_time(f, name, value, metric_of_unit(unit), m);
}

static int t4_measure(struct tuner_file *f, const char *key, const json_t *v,
                      struct tuner_measurement *m)
{
    const char *invalidity = json_string_value(json_object_get(v, "invalidity"));
    const int failure = failure_of(invalidity);
    (void)key;
    if (tuner_take_config(f, json_object_get(v, "configuration"), m))
        return -1;
    set_failed(m, failure);
    if (failure)
        return 0;
    if (invalidity && !strcmp(invalidity, "correct"))
        return t4_time(f, v, m);
    return json_text_fail(&f->place,
                          "invalidity: \"%s\" is neither \"correct\" nor a failure that is known "
                          "here",
                          invalidity ? invalidity : "");
}

/* ---- what the tuners of CLBlast write: tuples that failed are not in it ---- */

/* arg_m = "64" is the size m. What is not an integer, as arg_alpha = "2.00", is none. */
static int clblast_sizes(struct tuner_file *f)
{
    static const char prefix[] = "arg_";
    for (size_t i = 0; i < f->before.n; i++) {
        const struct tuner_member *m = &f->before.v[i];
        const char *name = json_string_value(m->name), *text = json_string_value(m->value);
        int64_t size;
        if (strncmp(name, prefix, strlen(prefix)) != 0 || !text
            || parse_int(text, 0, INT64_MAX, &size) != 0)
            continue;
        if (f->head.n_sizes == TUNER_MAX_SIZES)
            return json_text_fail(&m->place, "%s: is one size too many, at most %d are known here",
                                  name, TUNER_MAX_SIZES);
        f->head.size_name[f->head.n_sizes] = name + strlen(prefix);
        f->head.size[f->head.n_sizes++] = size;
    }
    return 0;
}

/* The stages of a kernel have other parameters or values, and a precision has other times. */
static int clblast_kernel(struct tuner_file *f)
{
    const char *family = text_member(f, "kernel_family"), *precision = text_member(f, "precision");
    struct buf b = {NULL, 0, 0};
    if (!family || !precision)
        return -1;
    buf_printf(&b, "%s%s%s", family, *precision ? "_" : "", precision);
    f->head.kernel = f->kernel = b.s;
    return 0;
}

static int clblast_head(struct tuner_file *f, const json_t *first)
{
    f->head.device = text_member(f, "clblast_device_name");
    if (f->head.device && !*f->head.device)
        f->head.device = text_member(f, "device");
    if (!f->head.device || clblast_kernel(f) || clblast_sizes(f))
        return -1;
    return tuner_names_of_config(f, json_object_get(first, "parameters"));
}

static int clblast_measure(struct tuner_file *f, const char *key, const json_t *v,
                           struct tuner_measurement *m)
{
    const json_t *time = json_object_get(v, "time");
    (void)key;
    if (tuner_take_config(f, json_object_get(v, "parameters"), m))
        return -1;
    return time ? tuner_read_ms(f, "time", time, m) : no_time(f, "time", NULL);
}

/* ---- KTT's own results ---- */

/* An object of the list's names and values; NULL with a message */
static json_t *ktt_config(const struct tuner_file *f, const json_t *result)
{
    const json_t *list = json_object_get(result, "Configuration");
    json_t *config = json_object();
    for (size_t i = 0; i < json_array_size(list) && config; i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "Name"));
        json_t *value = json_object_get(one, "Value");
        if (name && value && !json_object_get(config, name)) {
            json_object_set(config, name, value);
            continue;
        }
        json_text_fail(&f->place,
                       "Configuration: item %zu has no name or value, or an earlier "
                       "name",
                       i + 1);
        json_decref(config);
        config = NULL;
    }
    return config;
}

static int ktt_head(struct tuner_file *f, const json_t *first)
{
    const struct tuner_member *m = tuner_find(f, "Metadata");
    const char *device = m ? json_string_value(json_object_get(m->value, "Device")) : NULL;
    const char *unit = m ? json_string_value(json_object_get(m->value, "TimeUnit")) : NULL;
    const char *kernel = json_string_value(json_object_get(first, "KernelName"));
    f->head.device = device ? device : "";
    f->head.kernel = f->kernel = xstrdup(kernel ? kernel : "");
    f->unit = unit ? unit : "";
    if (!m || !unit)
        return json_text_fail(&f->place, "there is no member TimeUnit in Metadata");
    if (!is_unit(unit))
        return json_text_fail(&m->place, "Metadata: TimeUnit: \"%s\" is not a unit of time", unit);
    json_t *config = ktt_config(f, first);
    const int bad = config ? tuner_names_of_config(f, config) : -1;
    json_decref(config);
    return bad;
}

/* Every status but Ok is a failure, of which KTT has more than are known here. */
static int ktt_measure(struct tuner_file *f, const char *key, const json_t *v,
                       struct tuner_measurement *m)
{
    const char *status = json_string_value(json_object_get(v, "Status"));
    json_t *config = ktt_config(f, v);
    int bad = config ? tuner_take_config(f, config, m) : -1;
    (void)key;
    json_decref(config);
    if (bad)
        return -1;
    if (!status)
        return json_text_fail(&f->place, "there is no Status in this result");
    set_failed(m, failure_of(status));
    return strcmp(status, "Ok") ? 0
                                : read_time(f, "TotalDuration", json_object_get(v, "TotalDuration"),
                                            metric_of_unit(f->unit), m);
}

const struct tuner_form tuner_cache = {TUNER_CACHE, "cache",    "entry",
                                       NULL,        cache_head, cache_measure},
                        tuner_clblast = {TUNER_CLBLAST,   "results",    "result",
                                         "kernel_family", clblast_head, clblast_measure},
                        tuner_t4 = {TUNER_T4, "results", "result", NULL, t4_head, t4_measure},
                        tuner_ktt = {TUNER_KTT, "Results", "result", NULL, ktt_head, ktt_measure};

#else

typedef int tuner_forms_are_not_compiled; /* a file of C has to have something */

#endif
