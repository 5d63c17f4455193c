/* header.h - a model as a C header: written by kpred-train, read back by both programs
   SPDX-License-Identifier: MIT */
#pragma once

#include "model.h"

#include <stdio.h>

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
