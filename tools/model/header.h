/* header.h - a model as a C header: written by kpred-train, read back by both programs
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"
#include "kpred.h"

struct model; /* model.h */

/* ---- the names that it defines, and whether any of them is taken ---- */

/* C99 promises to tell names apart by 63 characters. The longest that a header makes of the model's
   name alone is KPRED_NAME_MULTIPLY_ADDS. */
enum { NAMES_MOST = 63, NAMES_MOST_MODEL = 43 };

/* A model's name in capitals, of at most NAMES_MOST_MODEL characters */
void names_upper(const char *name, char upper[NAMES_MOST_MODEL + 1]);

/* Adds the enumerators as C: of fields, of each field's tokens, of parameters, and of the values of
   those whose values are words. */
void names_add_enums(const kpred_model *m, struct buf *out);

/* A name that the model's header would define and the headers of kpred have in their code; "" if
   there is none. Needs fields and parameters, and no network. */
void names_find_clash(const kpred_model *m, char clash[NAMES_MOST + 1]);

/* ---- arrays of numbers in its text ---- */

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

/* Skips to the next number, over names, offsets (`+ 16`) and quoted text; NULL at the initialiser's
   end. */
const char *header_number(const char *p);

/* The array's numbers into out: exactly n, each of least..most. */
int header_numbers(const struct header_text *h, const char *what, int32_t least, int32_t most,
                   int32_t *out, size_t n);

/* ---- the arrays of the network ---- */

/* Where in the header's weights and biases those of each layer and head begin: in the order in
   which a prediction reads them, as a cache fetches ahead what lies behind. Rows of embeddings, of
   which it reads some, come last. No load of 16 weights passes the end of a cache's line. */
struct net_places {
    size_t layer[3], head[KPRED_MAX_TUPLE], embedding[KPRED_MAX_TUPLE], n_weights;
    size_t layer_bias[3], head_bias[KPRED_MAX_TUPLE], n_biases;
};

void net_places(const kpred_model *m, struct net_places *out);

/* ---- the whole ---- */

/* Writes `model` (whose net is a kpred_additive) as NAME.h. `story` goes into the opening comment:
   lines of text on where the weights come from, and what makes them again. */
void header_write(FILE *f, const struct model *model, const char *story);

/* What stands before kpred.h in its #include: a path that ends with a slash; nothing for "./", as
   the compiler looks beside the header first. 0, or -1 with a message. */
int header_set_include_dir(struct model *model, const char *dir);

/* The part behind the opening comment alone. */
void header_write_code(FILE *f, const struct model *model);

/* May a header go there? A generated one or none is there, or `force` is set; else -1 with a
   message, as a file that is written by hand is lost only with --force. */
int header_check_kept(const char *path, int force);

/* Reads a header that header_write wrote; 0, or -1 with a message. The model's id is checked. */
int header_read(const char *path, struct model *out);

/* The same of a header of this format or of the one before it, whose spec may be taken from a file
   (NULL: its own). The id is checked as of then, what is no part of it is not; the model is sealed
   anew. *story is that of header_write, to be freed. */
int header_read_older(const char *path, const char *spec_path, struct model *out, char **story);
