/* fuzz.h - what the fuzz targets have in common: bytes as numbers, files in memory, models that run
   SPDX-License-Identifier: MIT

   Each fuzz_NAME.c defines LLVMFuzzerTestOneInput. libFuzzer calls it with inputs that it makes up
   (fuzz.sh); the suite `fuzz` calls it with those that are kept (replay.c). A target that finds a
   fault ends the program, by a sanitizer or by FUZZ_CHECK. */
#pragma once

#include "data/formats.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The program promises it, whatever the input is. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))
void fuzz_failed(const char *file, int line, const char *what);

/* ---- what seeds reach ---- */

/* Stands where a target has come past its readers to what it checks. replay.c fails where no seed
   of the target comes to such a place, and where a target has none. */
#define FUZZ_REACHED(what)                                                                         \
    do {                                                                                           \
        static struct fuzz_place place = {__FILE__, what, 0, 0};                                   \
        static struct fuzz_place *const at __attribute__((section("fuzz_places"), used)) = &place; \
        place.is_reached = 1;                                                                      \
    } while (0)

struct fuzz_place {
    const char *file, *what;
    int is_reached, seeds; /* by this input; by how many */
};

/* ---- bytes as numbers ---- */

struct fuzz_bytes { /* at the end come zeros */
    const uint8_t *at;
    size_t n;
};

uint32_t fuzz_u32(struct fuzz_bytes *in);
/* least..most, both included, from as few bytes as that takes */
int32_t fuzz_between(struct fuzz_bytes *in, int32_t least, int32_t most);

/* ---- texts and files ---- */

/* A copy that ends with a NUL, to be freed by buf_free */
struct buf fuzz_text(const uint8_t *data, size_t size);

/* Cuts the text at the first line that is `---`: what is behind it; "" if there is none. */
char *fuzz_second_part(struct buf *text);

/* The path of a file with that name in $FUZZ_FOLDER, which holds these bytes until the name is used
   again */
const char *fuzz_file(const char *name, const void *bytes, size_t n);

/* ---- what readers and models do with their input ---- */

/* Reads a data file of that name by a spec's text, and writes the rows as CSV, which has to give
   the same rows once more. 1: there were rows */
int fuzz_load(const char *spec, const char *name, const void *bytes, size_t n);

/* Predicts for a problem of these bytes, into an arena of exactly the size that is asked for. No
   tuple may come twice, and with a rule that keeps its promise every tuple has to be legal, and
   every body of the network has to say the same. 1: there was a tuple */
int fuzz_predict(const kpred_model *m, struct fuzz_bytes *in, int rule_lies);
