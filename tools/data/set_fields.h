/* set_fields.h - fields whose values are given on the command line, as --set NAME=VALUE
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/opts.h"
#include "model/spec.h"

/* Is each a field of the spec, none twice, with a value that it can have? 0, or -1 with a message.
   A field `gpu` of names is --gpu's. */
int set_fields_check(const struct spec *s, const struct opt_texts *set);

/* Is the field given? Then its value, a token's number or a size; `set` has passed the check. */
int set_fields_value(const struct spec *s, const struct opt_texts *set, size_t field, int64_t *out);
