/* readers.h - the list of all readers of data files: a new one has a line here
   SPDX-License-Identifier: MIT */
#pragma once

#include "formats.h"

/* Every reader: the ending of its files, the format of the specs that have such data or
   SPEC_N_FORMATS for any, what such a file is, and two functions. The first one is told the
   unpacked bytes: are they such a file? data_other takes what no other reader of the ending and
   format takes, and there is one such row at most. The second one gets the bytes, which are its to
   change, calls load_add or load_add_timed for each row, and passes every verdict on; 0, or -1 with
   a message. */
#define DATA_READERS(X)                                                                \
    X(".db", SPEC_MIOPEN, "perf-db", data_other, perfdb_read)                          \
    X(".txt", SPEC_MIOPEN, "perf-db", data_other, textdb_read)                         \
    X(".txt", SPEC_FIND_DB, "find-db", data_other, finddb_read)                        \
    X(".csv", SPEC_AITER, "table of AITER", aiter_is, aiter_read)                      \
    X(".csv", SPEC_N_FORMATS, "CSV file or a table of Tensile", data_other, csv_read)  \
    X(".json", SPEC_TIMED, TUNER_FILE, data_other, tuner_rows_read)                    \
    X(".json", SPEC_TRITON, "Triton configuration file of vLLM or SGLang", data_other, \
      triton_json_read)

#define DATA_READER(ending, format, what, is, read) \
    int is(const struct buf *bytes);                \
    int read(struct loader *l, struct buf *bytes);
DATA_READERS(DATA_READER)
