/* library.h - variants as one object, which is loaded and timed as it ships, with what says how to
   use it
   SPDX-License-Identifier: MIT */
#pragma once

#include "evolve/harness.h"

#include "base/opts.h"
#include "base/util.h"

enum { MAX_VARIANTS = 64 };

struct library {                   /* to be freed */
    struct buf object;             /* the bytes of NAME.o: functions NAME_v0, NAME_v1, ... */
    ev_kernel *code[MAX_VARIANTS]; /* of the object, loaded */
    void *handle;
};

struct library_parts { /* the objects that are linked to one */
    void *user;
    /* Writes the part i into a file that is not there; -1 after a message */
    int (*write)(void *user, size_t i, const char *path);
    size_t n, n_variants;
    const char *name;
};

/* -1 after a message */
int library_make(const struct library_parts *parts, struct library *out);
void library_free(struct library *l);

/* What the commands that write one are asked for */
struct export_options {
    const char *log, *folder, *name;
    long k, jobs;
    int force;
};
enum { EXPORT_OPTIONS = 7 };

/* Their lines of a table for opts_parse, its end included, with the defaults put into *o; `most`:
   the most that k may be */
void export_options(struct opt table[EXPORT_OPTIONS], struct export_options *o, long most);

/* May `folder` take NAME.o, NAME.h, NAME.spec and NAME.csv? -1 after a message if it is no folder,
   if the name is no identifier, if one of them is there without --force, or if one is `data`, which
   the log names (NULL: none) */
int library_check(const char *folder, const char *name, int force, const char *data);

/* The declarations of the variants, and the table of them */
void library_put_table(struct buf *header, const char *name, size_t n_variants);

struct library_files {
    struct buf object, header, spec, csv; /* to be freed */
};

/* Writes NAME.o, NAME.h, NAME.spec and NAME.csv: all before the first one takes its place. The
   folder is made. -1 after a message */
int library_write(const char *folder, const char *name, const struct library_files *files);
void library_free_files(struct library_files *files);
