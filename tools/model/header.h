/* header.h - a model as a C header: written by kpred-train, read back by both programs
   SPDX-License-Identifier: MIT */
#pragma once

#include "model.h"

#include <stdio.h>

/* Writes `model` (whose net is a kpred_additive) as NAME.h. `story` goes into the opening comment:
   lines of text on where the weights come from. */
void header_write(FILE *f, const struct model *model, const char *story);

/* The part behind the opening comment alone. */
void header_write_code(FILE *f, const struct model *model);

/* Reads a header that header_write wrote; 0, or -1 with a message. The model's id is checked. */
int header_read(const char *path, struct model *out);
