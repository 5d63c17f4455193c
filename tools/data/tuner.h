/* tuner.h - the files of other tuners: what they measured, and what they were told of a kernel
   SPDX-License-Identifier: MIT

   Kernel Tuner's cache files (closed, still open, or cut by a kill), results in the T4 form, KTT's
   own results, what the tuners of CLBlast write, pyATF's log, and the autotune cache of Triton,
   told apart by their members. A file is read
   one measurement after the other, so that memory holds its text and little else. Values are texts,
   as a spec writes them: integers in digits, true and false as 1 and 0, other numbers with the
   digits that bring them back, strings as they are.

   A cache may end behind an entry, with or without a comma: it is open. One that ends within an
   entry was cut: that entry is left out, and a note tells its line. Every other text that is no
   JSON is an error, and so are a member twice in an object, an entry within or outside of its
   place, an entry that disagrees with its own key, and a parameter that is missing or neither a
   number nor a string. Two entries of one key (of files put together) are two measurements.

   Times are the member `time` of a cache, in milliseconds, whatever the file's objectives are. Of
   T4 it is the objective `time`, or else the one whose unit is one of time, or else the measurement
   `time`, with its unit, else that of the metadata, else in milliseconds; two objectives that are
   times, none of them `time`, are an error. Of KTT it is TotalDuration in TimeUnit, of CLBlast
   `time`, in milliseconds, of pyATF `cost`, without a unit, and of Triton the median, in
   milliseconds. A time of 0 or
   of 1e19 and more is a failure, and so are null, NaN and the infinities, the words of Kernel Tuner
   in its place, each `invalidity` of T4 but correct, each Status of KTT but Ok, and what is not
   `valid` for pyATF. */
#pragma once

#include "importer.h"

#include "base/intern.h"
#include "model/gpus.h"

enum { TUNER_MAX_SIZES = 8 }; /* of a problem */

enum tuner_kind { TUNER_CLBLAST, TUNER_OTHER };

struct tuner_param {
    const char *name;
    size_t n_values; /* of the domain that the file declares; 0: it declares none */
    char *const *values;
};

/* What stands before the measurements, or follows from the first of them. It lives as long as
   tuner_read runs. */
struct tuner_head {
    const char *path;
    enum tuner_kind kind;
    const char *kernel, *device;            /* "": the file does not say */
    const char *size_name[TUNER_MAX_SIZES]; /* what each is called as a field */
    size_t n_sizes;                         /* 0: the file does not say */
    int64_t size[TUNER_MAX_SIZES];
    size_t n_params;
    const struct tuner_param *param;
};

enum { TUNER_MAX_RUNS = 64 };

struct tuner_measurement {
    const char *const *value; /* n_params of them */
    double time_us;           /* 0: it failed */
    size_t n_runs;            /* of which it is the mean, as far as they are told: the warm ones */
    double run[TUNER_MAX_RUNS];
    int is_rejected;   /* it failed since a condition or a limit forbids the tuple */
    int has_no_unit;   /* the file does not say that of its time */
    long line, column; /* where it begins */
};

/* The types of the tensors in Triton's keys, which are the same in all files unless they have a
   name as a field. Texts live as long as the reading of all files. */
#define TUNER_TYPES "types"
struct tuner_types {
    char text[128];
    const char *path; /* the file that has them; NULL: none as yet */
};

/* What files do not say */
struct tuner_told {
    const char *unit;  /* of times without one, which is one (tuner_check_unit); NULL: it is ms */
    size_t n_names;    /* of the values in the keys of Triton, in their order; it may have */
    const char **name; /* parameters of the tuples, which are passed over, and TUNER_TYPES */
};

#define TUNER_FILE "file of Kernel Tuner, KTT, CLBlast, pyATF or Triton's autotuner"

#define TUNER_UNIT_UNUSED "--unit %s is not used: all files say the unit of their times"
#define TUNER_NO_UNIT                                                                         \
    "its times have no unit: they are taken as ms, and only ratios within one problem count " \
    "(--unit gives another)"

/* Is what --unit gives, if it is not NULL, a unit? 0, or -1 with a message. */
int tuner_check_unit(const char *unit);

/* Both return 0 to go on, or -1 after a message. `head` comes first. */
struct tuner_visitor {
    void *to;
    int (*head)(void *to, const struct tuner_head *head);
    int (*measurement)(void *to, const struct tuner_head *head, const struct tuner_measurement *m);
    struct tuner_types *types; /* NULL: names are not known, and such files are refused */
};

/* Reads a file by its importer: 0, or -1 with a message; `out` is to be freed in any case. */
int tuner_import(const char *path, const struct tuner_told *told, struct imported *out);
/* Its measurements, one or more. 0, or -1 with a message. */
int tuner_read(const char *path, struct imported *from, const struct tuner_visitor *visitor);

/* What sizes without a name are called as fields: problem_size_x, _y, _z, problem_size_3, ... */
extern const char *const tuner_sizes[TUNER_MAX_SIZES];

/* The name of the GPU of a file, as gpu_name writes it (model/gpus.h): by its device; else
   by --gpu, if that is not NULL; else by a piece of the file's name, as gpu_piece cuts it off and
   maybe with _T4 behind, that is a GPU (gpu_is_in_name). NULL: there is none. */
const char *tuner_gpu(const char *device, const char *asked, const char *path, struct buf *b);

/* ---- T1 inputs: what a tuner is told of a kernel, its parameters and their conditions ---- */

struct t1_condition {
    const char *text;
    long line, column; /* in the file */
};

struct t1 {                    /* texts live as long as `from` */
    const char *path, *kernel; /* "": it does not say */
    size_t n_sizes;
    int64_t size[TUNER_MAX_SIZES];
    struct interned params;
    struct interned *values; /* of each parameter */
    size_t n_conditions;
    struct t1_condition *conditions;
    struct imported from;
};

int t1_is(const struct imported *from);
/* Takes what an importer has read, which is its own then; to be freed. */
void t1_take(struct t1 *t, const char *path, struct imported *from);
void t1_free(struct t1 *t);
