/* header_text.h - finding arrays of numbers in the text of a generated header
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"

struct header_text {
    const char *path, *text;
    const char *name; /* of the model, as in its arrays' kpri_NAME_ */
};

enum { HEADER_MAX_BYTES = 1 << 27 };

/* The code behind the opening comment, from the end of its last line on. What looks like code in
   the comment is the spec's text, and never a part of the code. Without such a comment: "". */
const char *header_code(const char *text);

/* What the guard of a header begins with that holds floats, for kpred-train alone. */
#define HEADER_FLOAT_GUARD "KPRED_FLOAT_MODEL_"
int header_is_float(const char *text);

/* The message "not a header that kpred-train wrote"; -1. */
int header_foreign(const struct header_text *h, const char *what);

/* The text between two marks, as a copy to be freed; NULL if it is not there. */
char *header_between(const char *text, const char *from, const char *to);

/* Where the initialiser of kpri_NAME_what begins; NULL with a message. */
const char *header_array(const struct header_text *h, const char *what);

/* Skips to the next number, over names and quoted text; NULL at the initialiser's end. */
const char *header_number(const char *p);

/* The array's numbers into out: exactly n, each of least..most. */
int header_numbers(const struct header_text *h, const char *what, int32_t least, int32_t most,
                   int32_t *out, size_t n);
