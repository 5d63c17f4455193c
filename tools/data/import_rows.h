/* import_rows.h - tables of Tensile, and files of vLLM and SGLang, by importers
   SPDX-License-Identifier: MIT

   An importer knows of such a row why it is left out, and says so in a column of its own. */
#pragma once

#include "formats.h"
#include "importer.h"

/* The importer of a table with that header, for such a spec; NULL: it needs none. */
const char *import_table_of(const struct spec *s, const struct csv_records *header);
/* Has it read the file: 0, or -1 with a message. */
int import_table(struct loader *l, const char *importer, struct imported *out);
/* The same of a Triton configuration file */
int import_config(struct loader *l, struct imported *out);

#define IMPORT_DROP "@drop" /* the column: "" of a row that counts */
/* Verdict on another one: the cell has a word, and if this is an error the column, the value and
   what is wrong. */
int import_drop(struct loader *l, int64_t row, char *cell);
