/* cut.h - what is cut out of readers for their fuzz targets: checks of headers, and long work
   SPDX-License-Identifier: MIT

   A fuzzer cannot make up a header whose id and code are right, so that it would never get behind
   the checks of them. The linker puts the functions of cut.c in the place of those that they call
   (FUZZ_WRAPS in fuzz.inc). */
#pragma once

#include "model/header.h"

/* While it is set, a model's id is what its header says, and its code is this text. */
extern const char *cut_code;

/* The id that kpred_init wants */
uint64_t __real_kpred_model_id(const kpred_model *m);

/* While it is set, few perf-dbs are looked at for exchanged channels: that takes as long as a
   hundred small files. */
extern int cut_channels;
