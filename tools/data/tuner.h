/* tuner.h - files of other tuners: what they measured, and what they were told of a kernel
   SPDX-License-Identifier: MIT

   Kernel Tuner, T4, KTT, CLBlast, pyATF and Triton's autotuner write JSON, of which an importer
   makes a table (docs/tables.md). All its columns but the time are parameters, whose values are
   texts as a spec writes them; the importer's other lines say what the file has beside its rows. */
#pragma once

#include "importer.h"
#include "tables.h"

#include "base/intern.h"
#include "model/gpus.h"

#define TUNER_FILE "file of Kernel Tuner, KTT, CLBlast, pyATF or Triton's autotuner"

#define TUNER_UNIT_UNUSED "--unit %s is not used: all files say the unit of their times"
#define TUNER_NO_UNIT                                                                         \
    "its times have no unit: they are taken as ms, and only ratios within one problem count " \
    "(--unit gives another)"

/* Is what --unit gives, if it is not NULL, a unit? 0, or -1 with a message. */
int tuner_check_unit(const char *unit);

/* Has TUNER_NO_UNIT to be told? So of the first file whose times have no unit, if nothing says it.
   `unit` is what --unit gives, or NULL, and *is_used whether a file so far had need of it. */
int tuner_lacks_unit(const struct imported *from, const char *unit, int *is_used);

/* Has a file's importer read it, and tells its notes; the file may be a T1 input. `unit` is that of
   times without one (tuner_check_unit), NULL: they are in ms; `names` has what the values in the
   keys of Triton are, "M,N,K" or NULL, and names of parameters among them are passed over. 0, or -1
   with a message. */
int tuner_import(const char *path, const char *unit, const char *names, struct imported *out);

/* The types of the tensors in Triton's keys, which are the same in all files unless a field `types`
   has them. Texts live as long as the reading of all files. */
struct tuner_types {
    char text[128];
    const char *path; /* the file that has them; NULL: none as yet */
};

/* Then opens the table, as table_take. `types` are those of the files before; NULL: names are not
   known, and a file that needs them is refused. */
int tuner_take(struct table_rows *t, const char *path, struct tuner_types *types);

/* The name of the GPU of a file, as gpu_name writes it (model/gpus.h): by its device; else
   by --gpu, if that is not NULL; else by a piece of the file's name, as gpu_piece cuts it off and
   maybe with _T4 behind, that is a GPU (gpu_is_in_name). `device` may be NULL, too. NULL: there is
   none. */
const char *tuner_gpu(const char *device, const char *asked, const char *path, struct buf *b);

/* ---- T1 inputs: what a tuner is told of a kernel, its parameters and their conditions ---- */

struct t1 {                    /* texts live as long as `from` */
    const char *path, *kernel; /* "": it does not say */
    struct interned params;
    struct interned *values;      /* of each parameter */
    struct spec_lines conditions; /* with their places in the file */
    struct imported from;
};

int t1_is(const struct imported *from);
/* Takes what an importer has read, which is its own then; to be freed. */
void t1_take(struct t1 *t, const char *path, struct imported *from);
void t1_free(struct t1 *t);
