/* tuner_pyatf.c - pyATF's log (`log_file`) as a form of the tuners' files
   SPDX-License-Identifier: MIT */
#ifdef HAVE_JANSSON

#include "tuner_forms.h"

#include <string.h>

/* The values of a range that lists them; what an interval has depends on code in Python, and the
   history has the values that its constraints leave. */
static int declare(struct tuner_file *f, const struct tuner_member *m, size_t param)
{
    const char *name = f->head.param[param].name;
    for (size_t i = 0; i < json_array_size(m->value); i++) {
        const json_t *one = json_array_get(m->value, i);
        const char *is = json_string_value(json_object_get(one, "name"));
        const json_t *values = json_object_get(json_object_get(one, "range"), "values");
        if (!is || strcmp(is, name) != 0 || !values)
            continue;
        return tuner_declare(f, param, values) == 0
                   ? 0
                   : json_text_fail(&m->place,
                                    "tuning_parameters: %s: its values are not numbers or strings",
                                    name);
    }
    return 0;
}

static int head(struct tuner_file *f, const json_t *first)
{
    const struct tuner_member *m = tuner_find(f, "tuning_parameters");
    f->head.device = f->head.kernel = "";
    if (tuner_names_of_config(f, json_object_get(first, "configuration")))
        return -1;
    for (size_t i = 0; i < f->head.n_params; i++)
        if (declare(f, m, i))
            return -1;
    return 0;
}

/* What is not valid has no cost. */
static int measure(struct tuner_file *f, const char *key, const json_t *v,
                   struct tuner_measurement *m)
{
    const json_t *valid = json_object_get(v, "valid"), *cost = json_object_get(v, "cost");
    (void)key;
    if (tuner_take_config(f, json_object_get(v, "configuration"), m))
        return -1;
    if (!json_is_boolean(valid))
        return json_text_fail(&f->place, "valid: is neither true nor false");
    if (json_is_false(valid))
        return 0;
    return json_is_number(cost) ? tuner_read_untold(f, "cost", cost, m)
                                : json_text_fail(&f->place, "cost: is not a number");
}

const struct tuner_form tuner_pyatf = {TUNER_PYATF,         "history", "entry",
                                       "tuning_parameters", head,      measure};

#else

typedef int tuner_pyatf_is_not_compiled; /* a file of C has to have something */

#endif
