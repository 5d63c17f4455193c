/* tuner_forms.h - what the members of other tuners' files mean, for tuner_read.c
   SPDX-License-Identifier: MIT

   Only files that are compiled with HAVE_JANSSON may include this. The forms are in tuner_forms.c,
   tuner_pyatf.c and tuner_autotune.c. */
#pragma once

#include "base/json.h"
#include "tuner.h"

/* Of the outermost object, but not the long one that holds the measurements */
struct tuner_member {
    json_t *name, *value;
    struct json_text place;
};

struct tuner_members {
    size_t n, cap;
    struct tuner_member *v;
};

struct tuner_file {
    const struct tuner_form *form; /* NULL: not yet known */
    const struct tuner_told *told;
    struct tuner_members before, later; /* the latter as seen by looking ahead */
    struct tuner_head head;
    struct tuner_param *params; /* what the head shows, */
    struct buf *domain;         /* and the texts of the values that each has */
    json_t *config;          /* of the first measurement: it keeps their names; NULL in a cache */
    json_t *key;             /* of Triton, with the names that are told */
    const json_t *objective; /* of a cache: a name or a list of names; NULL: it has none */
    const char *unit;
    char *kernel;           /* of KTT, by its first result; of CLBlast, by two members; of Triton,
                               by the file's name */
    struct json_text place; /* of the present measurement */
    struct buf text;        /* its values, */
    size_t *start;          /* where in there each begins, */
    const char **value;     /* and each */
};

/* Both return 0, or -1 with a message. */
struct tuner_form {
    enum tuner_kind kind;
    const char *list; /* the member that holds the measurements: an object of entries by their keys
                         in a cache, which may be open; otherwise a list */
    const char *what; /* each is called */
    const char *sign; /* a member before the list, without which the file is of a later form of the
                         same list; NULL: none is needed */
    int (*head)(struct tuner_file *f, const json_t *first);
    int (*measure)(struct tuner_file *f, const char *key, const json_t *v,
                   struct tuner_measurement *m);
};

extern const struct tuner_form tuner_cache, tuner_clblast, tuner_t4, tuner_ktt, tuner_pyatf,
    tuner_triton;

/* NULL: there is no such member. */
const struct tuner_member *tuner_find_in(const struct tuner_members *list, const char *name);
/* Before the list or, in a text that is whole, behind it */
const struct tuner_member *tuner_find(const struct tuner_file *f, const char *name);

/* The head's parameters are those of the first measurement: 0, or -1 with a message. */
int tuner_names_of_config(struct tuner_file *f, const json_t *config);
/* The parameter declares the values of a list: 0, or -1 if one of them is not a scalar. */
int tuner_declare(struct tuner_file *f, size_t param, const json_t *list);
/* The values of a measurement, from an object that holds nothing else: 0, or -1 with a message */
int tuner_take_config(struct tuner_file *f, json_t *config, struct tuner_measurement *m);
/* A time in milliseconds or, in a file that says no unit, in what is told: 0, or -1 with a message.
   A word or null says that there is none. */
int tuner_read_ms(const struct tuner_file *f, const char *name, const json_t *v,
                  struct tuner_measurement *m);
int tuner_read_untold(const struct tuner_file *f, const char *name, const json_t *v,
                      struct tuner_measurement *m);

void tuner_forms_free(struct tuner_file *f);
