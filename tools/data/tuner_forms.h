/* tuner_forms.h - what the members of other tuners' files mean, for tuner_read.c
   SPDX-License-Identifier: MIT

   Only files that are compiled with HAVE_JANSSON may include this. */
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
    const struct tuner_form *form;      /* NULL: not yet known */
    struct tuner_members before, later; /* the latter as seen by looking ahead */
    struct tuner_head head;
    struct tuner_param *params; /* what the head shows, */
    struct buf *domain;         /* and the texts of the values that each has */
    json_t *config;          /* of the first measurement: it keeps their names; NULL in a cache */
    const json_t *objective; /* of a cache: a name or a list of names; NULL: it has none */
    const char *unit;
    char *kernel;           /* of KTT, by its first result; of CLBlast, by two members */
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

extern const struct tuner_form tuner_forms[]; /* ends with a list NULL */

/* NULL: there is no such member. */
const struct tuner_member *tuner_find_in(const struct tuner_members *list, const char *name);

void tuner_forms_free(struct tuner_file *f);
