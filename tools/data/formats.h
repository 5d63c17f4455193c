/* formats.h - data files of any format into one sorted dataset: the loader, and its readers
   SPDX-License-Identifier: MIT */
#pragma once

#include "data.h"
#include "tuner.h"

#include "base/csv_records.h"
#include "base/intern.h"
#include "base/opts.h"

/* ---- rows while they are read ---- */

/* A row beyond the most that may be kept makes room: half of the problems leave, with all of their
   rows, and those that come later as well. Where problems have many rows, half of their tuples
   leave instead. Hashes decide, so that the order of the rows does not. */

/* What `train` and `eval` keep; judges learn from a part even of these (judge_trees.c). */
enum { ROW_LIMIT = 1000000 };

struct load_row {
    int32_t problem[KPRED_MAX_FIELDS]; /* those that the spec lacks: 0 */
    unsigned char target[KPRED_MAX_TUPLE];
    double time; /* microseconds; 0: not timed */
    uint32_t unknown, file;
    int64_t row;
    uint32_t run;         /* of format = aiter: what was tuned together, while its file is read */
    unsigned char narrow; /* see data.h */
};

struct row_limit {
    size_t most; /* 0: any number */
    unsigned halvings;
    int by_tuple;
    size_t left; /* rows that are gone */
};

/* Tells how many of them are left, if any have gone. */
void row_limit_note(const struct row_limit *t, size_t kept);

/* ---- fields that --set gives ---- */

/* Is each a field of the spec, none twice, with a value that it can have? 0, or -1 with a message.
   A field `gpu` of names is --gpu's. */
int set_fields_check(const struct spec *s, const struct opt_texts *set);
/* Is the field given? Then its value, a token's number or a size; `set` has passed the check. */
int set_fields_value(const struct spec *s, const struct opt_texts *set, size_t field, int64_t *out);

/* ---- environment.c: what times depend on beside kernel, problem and tuple ---- */

/* A table may say it in the comments that it begins with, `# device: ...` and so on, as programs do
   that raced (examples/race_rows.h). Times of two environments do not compare. A table with a
   column gpu has it there instead. */

enum { ENVIRONMENT_LINES = 3 }; /* device, driver, library */

struct environment {
    char *line[ENVIRONMENT_LINES]; /* of the first table that has such a line; NULL: none yet */
    char *path[ENVIRONMENT_LINES]; /* that table */
};

/* Is this text of another environment than the tables before? Then it is told, and is to be left
   out; else its lines count from now on. */
int environment_is_other(struct environment *e, const char *path, const char *text);
/* Is the line of a table such a comment? */
int environment_names(const char *line);
void environment_free(struct environment *e);

/* ---- the loader ---- */

/* Functions that say "verdict" return 0 to go on, 1 if the row is dropped and counted, and -1 if
   the load has failed with a message. */

/* How to take what the files hold. */
struct data_options {
    const char *gpu;      /* if not NULL, stands for the GPU that a file's name gives */
    int nearest;          /* take the nearest GPU of the spec for one that it lacks */
    int lenient;          /* drop and count rows that would be an error */
    size_t most;          /* rows, of more a sample, as above; 0: any number */
    struct opt_texts set; /* fields of files that do not say them */
    const char *unit;     /* of times in files of tuners that do not say it; NULL: ms */
};

enum { LOAD_SEPARATOR = '\x1f' }; /* between the values of an option that the spec does not know */

/* Texts that were taken as failures in the place of times, and how many rows have each; of more
   texts than that, only how many rows have one. */
enum { LOAD_MOST_FAILURES = 1000 };
struct load_failures {
    struct interned texts;
    size_t rows[LOAD_MOST_FAILURES], n_rows;
};

/* Options that were timed several times */
struct load_repeats {
    size_t n, n_apart, cap;
    float *apart; /* octaves between two runs of an option */
    double gone;  /* of the squares of the noise of n options, since several runs count as one */
    size_t n_range, range_cap;
    float *range, widest;        /* octaves between the longest and the shortest run */
    struct load_row least, most; /* of the widest */
};

struct loader {
    const struct spec *spec;
    const struct data_options *options;
    const char *const *paths; /* of all files, by their numbers */
    size_t n_paths;
    const char *path;       /* of the file being read */
    const char *row_prefix; /* a row is shown as PATH row_prefix ROW: ":" or ": perf_db row " */
    long column;            /* in its line, where the row at hand begins; 0: it is not told */
    uint32_t file;
    struct load_row *rows;
    size_t n, cap;
    struct load_row *failed;
    size_t n_failed, failed_cap;
    struct row_limit limit;
    struct load_failures failures;
    struct load_repeats repeats;
    struct interned unknown; /* options that the spec does not know; in rows 1 + the number */
    unsigned char is_used[KPRED_MAX_FIELDS]; /* what is given of them */
    int is_guessed;   /* of format = triton: the server of a file, which was told; and */
    struct buf ahead; /* what the importer wrote of all its files, and how much of it was read */
    size_t ahead_at;
    int gpu_is_used, gpu_is_named; /* by files for which --gpu stands, and that need it not */
    int unit_is_used;
    struct tuner_types types;
    char kernel[64]; /* of the first of CLBlast's files, which is kernel_path */
    const char *kernel_path;
    struct environment environment; /* of tables of times of one device */
    size_t at_once;                 /* how many rows the present verdict keeps or drops */
    size_t dropped[DATA_N_DROPS];
};

/* The verdict on rows of a kind that is always left out. */
int load_drop(struct loader *l, enum data_drop why);

/* Verdict on a row with a wrong cell. */
int load_bad(struct loader *l, int64_t row, enum data_drop why, const char *column,
             const char *value, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* Verdict on a record that has not as many cells as the header. */
int load_ragged(struct loader *l, const struct csv_records *r);

/* Verdict: the number of a token given as text; of a field called gpu also in
   another spelling, or as a bare arch. */
int load_token(struct loader *l, int64_t row, size_t field, const char *text, int64_t *out);

/* The GPU of the file being read, by --gpu or its name: 0 or -1 with a message. */
int load_file_gpu(struct loader *l, size_t field, int64_t *out);
/* The same of a GPU's name; `from` says where it is from. A unique token counts where one of the
   two names is whole words of the other (A100 and A100-PCIE-40GB, A6000 and RTX_A6000), unless a
   word behind them makes it another product (RTX_3090 and RTX_3090_Ti). */
int load_named_gpu(const struct loader *l, size_t field, const char *name, const char *from,
                   int64_t *out);

/* The value that --set gives, of a field that the file being read does not say; 0: none. */
int load_given(struct loader *l, size_t field, int64_t *out);
/* Tells which of what is given no file needed. */
void load_note_unused(const struct loader *l);

/* Tells which GPUs of the rows are of one chip: they may be one, spelled in two ways. */
void load_note_chips(const struct loader *l);

/* Verdict: checks a problem (in the spec's order) and the texts of its parameters, keeps them. */
int load_add(struct loader *l, int64_t row, const int64_t *problem, const char *const *params);
/* The same of timed data; a time of 0 is a failure: such a row is dropped, and with format = timed
   noted (data_failures) if the spec names all of it. */
int load_add_timed(struct loader *l, int64_t row, const int64_t *problem, const char *const *params,
                   double time_us);

#define FAILED_TIME \
    1e19 /* so long or longer is a failure: old versions of Kernel Tuner write 1e20 */
/* What counts as a failure says failures.c alone. A time as the files of kpred have it: 1; 0: a
   failure, which is a word that tuners write in the place of a time, 0, -1, or 1e19 and more;
   -1: it is none. */
int load_time_text(const char *text, double *out);
/* The same of MIOpen's times, where 0 alone is a failure, and of Tensile's speeds, where -1 is,
   too */
int load_figure_text(const char *text, int is_speed, double *out);
/* The same of a user's table, where any text that begins with a letter or has no digit is a
   failure. */
int load_table_time(const char *text, double *out);

/* Verdict on the figure of a measurement, a time or a speed: a finite number; 0 means that it
   failed, and *out is 0. With format = timed it is a time of a user's table. */
#define LOAD_NO_FIGURE "is not a finite number of at least 0"
#define LOAD_NO_TIME \
    LOAD_NO_FIGURE   \
    ", with a unit of time or without; a failure is a word, such as failed"
int load_figure(struct loader *l, int64_t row, const char *column, const char *text, double *out);

/* Verdict on a row that failed, as its table says beside the time */
int load_failed(struct loader *l, const char *text);
/* Which texts were failures, to be freed; NULL: none */
char *load_failures_text(struct loader *l);

/* Are two times of one tuple so far apart that one of them has to be in another unit? */
#define LOAD_OTHER_UNIT "is one of them in another unit?"
int load_other_unit(double us, double other);

/* Compares timed rows by problem, then by option. 0: the same option. */
int load_compare_options(const struct load_row *a, const struct load_row *b);

/* The n runs of one option, of which one time was made */
void load_runs(struct loader *l, const double *times, size_t n);
/* Tells the noise of the times, and runs of one option that are too far apart. The standard
   deviation of a time, in octaves; 0: not known */
double load_noise(struct loader *l);

/* Of the rows of the file being read: keeps one for each problem and option, of a table of times
   the median, else the fastest. 0, or -1 with a message. */
int load_drop_twice(struct loader *l);
/* Times that cannot all be right. A problem on two scales, a thousandfold apart:
   0, or -1 with a message where two files say so, unless lenient. */
int load_check_scales(const struct loader *l, const struct dataset *d);
/* Tells which GPU has the times of another. */
void load_note_copies(const struct spec *spec, const struct dataset *d);

/* Of all files' rows: an option's times have one unit. 0, or -1 with a message. */
int load_check_units(struct loader *l);

/* ---- import_rows.c: tables of Tensile, and files of vLLM and SGLang, by importers ---- */

/* The importer of a table with that header, for such a spec; NULL: it needs none. */
const char *import_table_of(const struct spec *s, const struct csv_records *header);
/* Has it read the file: 0, or -1 with a message. */
int import_table(struct loader *l, const char *importer, struct imported *out);
/* The same of a Triton configuration file */
int import_config(struct loader *l, struct imported *out);

#define IMPORT_DROP "@drop" /* the column in which it says why a row is left out; "": it is not */
/* Verdict on a row with such a cell, which has a word, and if this is an error the column, the
   value and what is wrong. */
int import_drop(struct loader *l, int64_t row, char *cell);

/* ---- files of any format ---- */

/* A reader, see readers.h; a table of them ends with one without an ending. */
struct data_format {
    const char *ending; /* of a file's name, maybe with .bz2 or .gz behind it */
    enum spec_format format;
    const char *what;
    int (*is)(const struct buf *bytes);
    int (*read)(struct loader *l, struct buf *bytes);
};

/* Of a reader that takes what no other one takes: 0 */
int data_other(const struct buf *bytes);

/* Reads the files in the spec's format, or as CSV with its columns. On failure nothing is kept. */
int data_load(const struct data_format *formats, const struct spec *spec, const char *const *paths,
              size_t n, const struct data_options *options, struct dataset *out);

/* Does a file's name end so, or so with the ending of a packed file behind? */
int data_has_ending(const char *path, const char *ending);
/* Reads a file of any format, unpacks it by its ending, and leaves it as plain_text does. 0, or -1
   with a message; to be freed in any case. */
int data_read(const char *path, struct buf *out);
