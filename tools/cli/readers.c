/* readers.c - see readers.h
   SPDX-License-Identifier: MIT */
#include "readers.h"

#include "data/formats.h"
#include "miopen/miopen_rows.h"

const struct data_format readers[] = {
    {".db", SPEC_MIOPEN, "perf-db", perfdb_read},
    {".txt", SPEC_MIOPEN, "perf-db or find-db", textdb_read},
    {".txt", SPEC_FIND_DB, "perf-db or find-db", finddb_read},
    {".csv", SPEC_N_FORMATS, NULL, csv_read},
    {".json", SPEC_TIMED, "file of Kernel Tuner or KTT", tuner_rows_read},
    {NULL, SPEC_N_FORMATS, NULL, NULL},
};
