/* fuzz.h - what the fuzz targets have in common: seeds, bytes as numbers, files, models that run
   SPDX-License-Identifier: MIT

   libFuzzer calls a target with inputs that it makes up (fuzz.sh); the suite `fuzz` calls it with
   those that are kept (seeds). A target that finds a fault ends the program, by a sanitizer or by
   FUZZ_CHECK. */
#pragma once

#include "data/formats.h"
#include "model/header.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- targets ---- */

struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
};

/* FUZZ_TARGET(name) { what it does with size bytes of data }. fuzz.sh finds it at the start of a
   line, and fuzz.c by the section. */
#define FUZZ_TARGET(name)                                                   \
    static void target_##name(const uint8_t *data, size_t size);            \
    static const struct fuzz_target name##_target = {#name, target_##name}; \
    static const struct fuzz_target *const name##_at                        \
        __attribute__((section("fuzz_targets"), used)) = &name##_target;    \
    static void target_##name(const uint8_t *data, size_t size)

/* The program promises it, whatever the input is. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))
void fuzz_failed(const char *file, int line, const char *what);

/* Stands where a target has come past its readers to what it checks. fuzz.c fails where no seed of
   the target comes to such a place, and where a target has none. */
#define FUZZ_REACHED(target, what)                                                           \
    do {                                                                                     \
        static struct fuzz_place place = {#target, what, 0, 0};                              \
        static struct fuzz_place *const here __attribute__((section("fuzz_places"), used)) = \
            &place;                                                                          \
        place.is_reached = 1;                                                                \
    } while (0)

struct fuzz_place {
    const char *target, *what;
    int is_reached, n_seeds; /* by this input; by how many */
};

/* Adds the bytes of a seed; 0, or -1: there is none */
int fuzz_seed(const char *target, const char *name, struct buf *out);

/* ---- bytes as numbers ---- */

struct fuzz_bytes { /* at the end come zeros */
    const uint8_t *at;
    size_t n;
};

uint32_t fuzz_u32(struct fuzz_bytes *in);
/* least..most, both included, from as few bytes as that takes */
int32_t fuzz_between(struct fuzz_bytes *in, int32_t least, int32_t most);
/* Takes the first byte, which says of some inputs what they are; 0: there is none */
int fuzz_kind(const uint8_t **data, size_t *size);

/* ---- texts and files ---- */

/* A copy that ends with a NUL, to be freed by buf_free */
struct buf fuzz_text(const void *data, size_t size);

/* The path of a file with that name in $FUZZ_FOLDER, which holds these bytes until the name is used
   again */
char *fuzz_file(const char *name, const void *bytes, size_t n);

/* A file in memory, one at a time, and its bytes */
FILE *fuzz_open(void);
struct buf fuzz_close(FILE *f);

/* ---- what readers and models do with their input ---- */

/* That seed of `spec`, parsed; a target has one. */
const struct spec *fuzz_spec(const char *name);

/* Reads a data file of that name by a spec, and writes the rows as CSV, which has to give the same
   rows once more. 1: there were rows */
int fuzz_load(const char *spec, const char *name, const void *bytes, size_t n);

/* Predicts for a problem of these bytes, into an arena of exactly the size that is asked for. No
   tuple may come twice, and with a rule that keeps its promise every tuple has to be legal, and
   every body of the network has to say the same. 1: there was a tuple */
int fuzz_predict(const kpred_model *m, struct fuzz_bytes *in, int rule_lies);

/* ---- what wraps.c cuts out of the tools ---- */

/* While it is set, a model's id is what its header says, and its code is this text: a fuzzer cannot
   make up a header whose id and code are right. */
extern const char *cut_code;

/* While it is set, few perf-dbs are looked at for exchanged channels: that takes as long as a
   hundred small files. */
extern int cut_channels;

extern int jail_is_shut; /* no command writes files, begins processes, or works long */
extern int jail_refused; /* it has kept a command from something */
