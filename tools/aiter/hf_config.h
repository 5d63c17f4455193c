/* hf_config.h - the config.json of a model on Hugging Face, key by key, with the place of each
   SPDX-License-Identifier: MIT

   The members of an inner object have names such as "quantization_config.quant_method"; deeper ones
   are left out. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { HF_MOST = 1 << 24 }; /* the largest size that a model takes */

enum hf_kind { HF_NULL, HF_INTEGER, HF_STRING, HF_LIST, HF_OTHER };

struct hf_value {
    char *name, *text; /* the value as JSON; a string without its quotes */
    enum hf_kind kind;
    int64_t number; /* of an integer */
    long line, column;
};

struct hf_config {
    const char *path;
    const char *inner; /* before each name that is asked for, "text_config.", or "" */
    struct hf_value *v;
    size_t n;
};

/* To be freed, on failure too. */
int hf_config_read(const char *path, struct hf_config *c);
void hf_config_free(struct hf_config *c);

/* NULL: it is not there, or null. */
const struct hf_value *hf_find(const struct hf_config *c, const char *name);

/* "PATH:LINE:COLUMN: NAME: value "TEXT": WHAT"; -1 */
int hf_refuse(const struct hf_config *c, const char *name, const char *what);

/* An integer from `least` to HF_MOST; -1 with a message that names the key. */
int hf_number(const struct hf_config *c, const char *name, int64_t least, int64_t *out);
/* The same, and `fallback` if it is not there. */
int hf_number_or(const struct hf_config *c, const char *name, int64_t least, int64_t fallback,
                 int64_t *out);
/* A string; NULL with a message. */
const char *hf_string(const struct hf_config *c, const char *name);
