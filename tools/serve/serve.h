/* serve.h - every file of tuned configurations that a server will look for, for the command serve
   SPDX-License-Identifier: MIT */
#pragma once

#include "lookups.h"

#include "base/table.h"
#include "triton/triton.h"

/* ---- the device ---- */

enum { DEVICE_SIZE = 128 };

/* What torch.cuda.get_device_name() calls the GPU that an option names, with `_` for blanks:
   MI300X, gfx942_304, H100, "NVIDIA H200". A name that begins with that of the maker is taken as it
   is. 0, or -1 with a message. */
int device_find(const char *gpu, char out[DEVICE_SIZE]);

/* ---- files that are there ---- */

enum { FOLDER_FILE_BYTES = 1 << 20 }; /* the most that one is read of */

/* A row that was measured */
struct known_row {
    int32_t m;
    struct flat_json tuple;
};

struct known_rows { /* all zero: none; to be freed */
    size_t n, cap;
    struct known_row *v;
};

struct folder_file {
    char *path;
    struct triton_name name;
    char version[TRITON_VERSION_SIZE]; /* of the folder triton_X_Y_Z; "": there is none */
    int is_read;
    struct known_rows rows; /* ascending; none of one that is read: nothing of it can be used */
};

struct folder { /* all zero: none; to be freed */
    size_t n, cap;
    struct folder_file *v;
    struct interned seen;
};

struct tables { /* the paths of AITER's; all zero: none; to be freed */
    size_t n, cap;
    char **v;
    struct gemm_jsons jsons;
    struct interned states; /* vLLM's files of Mamba's state update */
};

/* Adds all files with such names, in inner folders as well, of folders with : between them. What
   cannot be read in them is told. 0, or -1 with a message. */
int folder_read(struct folder *f, struct tables *tables, const char *path);
void tables_free(struct tables *t);
/* Adds the row as a file has it; without the member of TMA, which the second product does not take
   from the file of the first (is_second). */
void known_row_add(struct buf *b, const struct known_row *row, int is_second);
void folder_free(struct folder *f);
/* The file of a look-up that the server would take, with its rows: of its version of Triton, else
   of the newest one. What cannot be read of it is left out and told. NULL: none */
const struct folder_file *folder_find(struct folder *f, const struct lookup *l);
/* The newest version; "": no file has one */
const char *folder_newest(const struct folder *f);

/* ---- answers ---- */

extern const char *const answer_names[N_ANSWERS];

/* What a row of a file is from: the kinds of choices, and these */
enum { ORIGIN_MEASURED = N_CHOICES, ORIGIN_SHAPE, N_ORIGINS };
extern const char *const origin_names[N_ORIGINS];

struct answer {
    const struct lookup *of;
    enum answer_kind kind;
    char *why;                  /* more about it, or NULL */
    char *from;                 /* the measured file, or NULL */
    char *name;                 /* of AITER's Triton file to write, or NULL */
    struct buf text;            /* of the file to write; empty: none */
    struct buf rows[N_ORIGINS]; /* the M of each origin, "1, 2, 4" */
    int tuple, tile; /* percent of the M that a tuning should agree in; -1: nothing tells */
    const kpred_model *model; /* that predicted; NULL: none did */
};

struct answers_how {
    struct folder *installed, *known;
    const char *version; /* of Triton, as the user gave it, or NULL */
    struct opt_counts ms;
    int nearest; /* take the nearest GPU for one that the model lacks */
};

/* Each is of a look-up, and ANSWER_LEFT, before. 0, or -1 with a message */
int answer_make(struct answer *a, struct predictors *p, const struct answers_how *how);
void answer_free(struct answer *a);
/* The table of the tuples of each look-up that a tuning should measure, so many of each M, as CSV;
   nothing if there are none. Look-ups that kpred has no model of are told. 0, or -1 with a message.
   */
int answers_rank(struct buf *b, struct predictors *p, const struct lookups *l,
                 const struct answers_how *how, size_t most);

/* ---- AITER's answers ---- */

void aiter_answer(struct answer *a, const struct answering *from);
/* Of a Triton file that is asked for: that of the nearest N and K, if they are near. 0, or -1 with
   a message */
int aiter_near_json(struct answer *a, const struct answering *from);
/* Tables of tuples for AITER's Triton files that are not there, one for each kernel */
void aiter_rank_json(struct triton_files *to, const char *output, const struct answer *v, size_t n,
                     const struct answering *from, size_t most);
int answer_is_ranked(const struct answer *a);
/* Adds its tables, and those of candidates if there are any, below the folder, to the files. 0, or
   -1 with a message: one that is there may not be replaced, or is one of the inputs. */
int aiter_files(struct answering *a, struct triton_files *to, const char *output, int force,
                int has_candidates, const struct tables *inputs);
/* What to set so that AITER takes them */
void aiter_tell(const struct answering *a);

/* ---- what has no model ---- */

/* The families of which kpred has no answer are told by what a run is of, in bits. */
unsigned left_of_config(const struct lookups_how *how);
void left_tell(unsigned of);

/* vLLM's files of Mamba's state update: another one of NVIDIA's GPUs has it in place of the GPU */
int mamba_is_file(const char *path);
void mamba_of_config(const struct lookups_how *how);
int mamba_answer(struct answer *a, const struct interned *files);

/* ---- a run ---- */

struct serve_options {
    const char *gpu, *config, *installed, *known, *output, *version, *compiled, *server;
    long tp, ep_size, top; /* 0: not given */
    int has_ep, quantization, is_dry, force, has_aiter, may_switch, nearest, has_json;
    struct table_form form;
    struct opt_texts inputs;
};

/* The table on standard output, and a sentence on standard error */
int report_print(const struct answer *v, size_t n, struct table_form form);
/* kpred.json */
void report_write(struct buf *b, const struct answer *v, size_t n, const char *device,
                  const char *version);
/* Adds what is in the file at the path, kpred.json, of files that are not in `b`: those of earlier
   runs into the folder. 1; 0: there is none, or it is of another GPU or version; or -1 with a
   message: it cannot be read, and is not to be replaced (force). Likewise of a table of tuples,
   .csv: its rows of other files are added; 0 also where a row of these files is not in `b`, or
   where it is another table. */
int report_join(struct buf *b, const char *path, int force);

/* The status to exit with */
int serve_run(const struct serve_options *o);
