/* json.h - JSON text read value by value, with the place of each
   SPDX-License-Identifier: MIT

   Jansson reads the values, strictly: it refuses what the standard does not have, a member that
   stands twice in an object, numbers out of range, and nesting beyond 2048. Only NaN, Infinity and
   -Infinity, which Python writes as values, are read: as null. What lies around them is read here,
   byte by byte, so that a long list needs no more memory than its text and one element. Only files
   that are compiled with HAVE_JANSSON may include this. */
#pragma once

#include "util.h"

#include <jansson.h>

/* A place in a text; line and column from 1, a column is a character. */
struct json_text {
    const char *path, *s;
    size_t n, at; /* bytes */
    long line, column;
    int is_quiet;  /* errors give no message */
    int has_marks; /* of words that are read as null */
};

/* At the beginning of bytes that it may change */
struct json_text json_text_open(const char *path, struct buf *bytes);

/* Passes over blanks; the byte there, or EOF. */
int json_text_peek(struct json_text *t);
/* If that byte is there, moves behind it and returns 1. */
int json_text_take(struct json_text *t, char byte);
/* Moves behind the value here, as far as quotes and brackets tell; 0: the text ends within it. */
int json_text_skip(struct json_text *t);
/* Has an inner object or list of the value here such a member? Then moves before it. */
int json_text_find_inner(struct json_text *t, const char *name);

/* "PATH:LINE:COLUMN: ..."; -1 */
int json_text_fail(const struct json_text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The value here, which the caller owns; NULL with a message. With `is_cut`, a text that ends
   within it is not an error: NULL without a message, *is_cut is 1. */
json_t *json_text_value(struct json_text *t, int *is_cut);
/* A member's name and the colon; otherwise as json_text_value. */
json_t *json_text_name(struct json_text *t, int *is_cut);

/* An integer, maybe written as 1000.0 or 1e3? */
int json_whole(const json_t *v, int64_t *out);
/* A number or a truth value as number_text has it, or a string, added to `b`; 0: it is none of
   these. */
int json_scalar(const json_t *v, struct buf *b);
