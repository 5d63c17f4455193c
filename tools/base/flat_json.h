/* flat_json.h - a JSON object as a flat list of values, each with its place; needs no library
   SPDX-License-Identifier: MIT

   The members of an inner object have names such as "quantization_config.quant_method", however
   deep it is; an empty object has none. */
#pragma once

#include "intern.h"

enum flat_kind { FLAT_NULL, FLAT_INTEGER, FLAT_STRING, FLAT_LIST, FLAT_OBJECT, FLAT_OTHER };

struct flat_value {
    char *name, *text; /* the value as JSON without blanks; a string without quotes and escapes */
    enum flat_kind kind;
    int64_t number; /* of an integer */
    long line, column;
};

struct flat_json {
    const char *path;
    struct flat_value *v; /* in the order of the file */
    size_t n, cap;
    struct interned names; /* their numbers are the indices of v */
};

/* Reads a file of at most so many bytes, strictly but for NaN, Infinity and -Infinity, which Python
   writes, and which are null. A member that stands there twice is an error, and so is nesting
   beyond 64. `what` is what the outermost object is, "config.json of a model". 0, or -1 with a
   message; to be freed in both cases. */
int flat_json_read(struct flat_json *j, const char *path, size_t most, const char *what);
/* The same, but not flat: inner objects are values. All values are as JSON has them, strings in
   quotes and with their escapes. */
int flat_json_members(struct flat_json *j, const char *path, size_t most, const char *what);
/* Those of an object that is such a value */
int flat_json_inner(struct flat_json *j, const char *path, const struct flat_value *object);
void flat_json_free(struct flat_json *j);

/* NULL: it is not there. */
const struct flat_value *flat_json_find(const struct flat_json *j, const char *name);
