/* aiter.h - AITER's logs and tables: from shapes without a tuned kernel to rows for them
   SPDX-License-Identifier: MIT */
#pragma once

#include "hf_model.h"

#include "base/opts.h"
#include "kpred.h"
#include "model/gpus.h"

#include <stddef.h>
#include <stdint.h>

/* ---- families ---- */

/* Facts of github.com/ROCm/aiter at this commit, aiter/jit/core.py and aiter/configs. */
#define AITER_COMMIT "e4048607"

enum family_id {
    FAMILY_BS,
    FAMILY_BSP,
    FAMILY_A4W4,
    FAMILY_BP,
    FAMILY_A8W8,
    FAMILY_BF16,
    FAMILY_BATCHED,
    FAMILY_FMOE,
    FAMILY_A8W8_BATCHED, /* FAMILY_BATCHED: nothing tells which of these two */
    FAMILY_BF16_BATCHED,
    FAMILY_MXSCALE,
    FAMILY_GROUPED,
    FAMILY_FHMOE,
    N_FAMILIES,
    FAMILY_NONE = -1
};

enum { MOST_DETAILS = 9, MOST_COPIED = 5, MOST_SIZES = 2 };

/* Which M get rows, if not just those that are asked for: see "the M of rows" */
enum ladder { LADDER_FINE, LADDER_TOKENS, LADDER_ASKED };

struct answering;

struct family {
    const char *name, *short_name; /* as people write it, "a8w8_blockscale", "bs" */
    const char *merge_name;        /* the stem of its files; that of untuned lists has `untuned` */
    const char *variable;          /* of the environment, which lists the files */
    const char *model;  /* the built-in model's name; NULL: kpred has none for the family */
    const char *kernel; /* that every build of AITER has, or NULL */
    int has_nearest;    /* shapes that no model answers get the kernels of the nearest measured */
    const char *details[MOST_DETAILS + 1]; /* columns of the key besides M, N and K; then NULL */
    const char *modelled[MOST_DETAILS];    /* values that a model answers of one which is no field
                                              of it; NULL: any */
    const char *columns;   /* of tables behind gfx and cu_num; without libtype all are of ck */
    const char *id_column; /* of the kernel's number, or NULL */
    const char *sizes[4];  /* the columns that are M, N and K here; then NULL */
    int n_sizes;           /* so many of the details are sizes: near shapes have near ones */
    const char *kernel_column, *split_column;
    const char *copied[MOST_COPIED + 1]; /* more columns that come with the kernel; then NULL */
    enum ladder ladder;
    const char *remark;   /* that the summary has of rows, or NULL */
    const char *built_in; /* libraries whose rows AITER compiles in: they act after a rebuild */
    const char *never;    /* one no row of which is written: its numbers hold for one version */
};

extern const struct family families[N_FAMILIES];

/* Is it one of a NULL-terminated list of names? Its place there, or -1. */
int family_place_of(const char *const *names, const char *name);
/* Is there a model, or has it nearest shapes? */
int family_is_answered(enum family_id family);
/* Adds the value of detail i, as keys have it: torch.int8, False; of fused MoE ActivationType.Silu
   also for <ActivationType.Silu: 0>, and 1 for True. -1: it is none; nothing is added. */
int family_add_detail(struct buf *b, enum family_id family, size_t i, const char *text);
/* Makes the details of a shape those for which AITER looks then: of weights in blocks of 128 x 128
   the rows with a scale for each 1 x 128. */
void family_look_up(struct buf *detail);
/* The sizes that a shape's details begin with, the rest being 1; what is behind them */
const char *family_split_detail(enum family_id family, const char *detail,
                                int32_t size[MOST_SIZES]);
/* Of texts with `end` between them or behind them, the one with this number, to be freed */
char *family_part(const char *text, char end, int i);
/* Does the family's model answer shapes with these details (commas between)? Then those that are
   fields of the model are set in `problem`. */
int family_is_modelled(enum family_id family, const kpred_model *m, const char *detail,
                       int32_t problem[KPRED_MAX_FIELDS]);
/* The family whose name, of several the longest, is part of that of a file, or FAMILY_NONE */
enum family_id family_of_file(const char *path);
/* Of a batched product: which one --family says; else FAMILY_BATCHED */
enum family_id family_of_batched(enum family_id only);
/* The family that an option names, by any of its names; FAMILY_NONE with a message. */
enum family_id family_asked(const char *option, const char *text);

/* ---- the GPU ---- */

enum { TARGET_NAME = 32 };

struct target {
    char gfx[TARGET_NAME]; /* as the tables' columns have it, with cu_num */
    int cu_num;
    char token[TARGET_NAME];              /* gfx942_304, as the models have it */
    const kpred_model *model[N_FAMILIES]; /* NULL: there is none, or it does not know the GPU */
};

/* The GPU that --gpu names: a model's token, a product, or an architecture; of an architecture
   alone the one that AITER builds for. 0, or -1 with a message. */
int target_find(struct target *t, const char *gpu);

/* Does any model know it? 0, or -1 with a message that names the GPUs of the models. */
int target_check(const struct target *t, const char *gpu);
/* The GPUs that a family's model knows, separated by blanks; "": there is no model. In `b`. */
const char *target_known(enum family_id family, struct buf *b);

/* ---- a line of a log ---- */

/* The text is looked for anywhere in a line, whatever stands before and behind it:

     shape is M:16, N:1536, K:7168, not found tuned config in FILE, will use default config!
     shape is M:16, N:1536, K:7168, found padded_M: 32, N:1536, K:7168 is tuned on cu_num = 304
         in FILE , kernel name is NAME!                     (one line; of one family `shape M:`)
     shape is B:4, M:16, N:1536, K:7168, not found tuned config in CKGEMM, ...
     [fused_moe] using 2stage default for ('gfx950', 256, ...)

   Some families say more between K and the comma, their details: q_dtype_w, or dtype=... and what
   follows. */

enum call_kind {
    CALL_NONE,
    CALL_MISS,
    CALL_HIT,
    CALL_FMOE, /* a miss of fused MoE; of its members `text` alone is set */
    CALL_CUT   /* it begins like one and does not go on */
};

struct call_number {
    const char *text; /* a minus and digits, or digits, in the line */
    size_t n;
    int64_t value;
};

struct call {
    struct call_number b, m, n, k; /* b: n is 0 where there is none */
    struct call_number padded, cu; /* of a hit: M of the row that was found, and its GPU */
    const char *text;              /* FILE, or of fused MoE the key; in the line */
    size_t n_text;
    const char *details; /* what stands behind K; in the line */
    size_t n_details;
};

/* The next one in a line; *at is behind its first words then */
enum call_kind call_next(const char **at, struct call *call);

/* ---- asked ---- */

struct asked_shape {
    enum family_id family; /* one that is answered */
    int32_t m, n, k;
    const char *detail; /* values of the family's details, commas between; "": it has none */
    struct place at;    /* where it was met first */
};

struct asked_from {
    enum family_id only; /* that is wanted, and that of calls whose family nothing tells, or NONE */
    const struct target *target; /* that rows are for; hits on another one are left out */
    int may_lack; /* inputs may hold nothing of AITER's; names of .json are not read */
    int force;    /* go on where a log names another GPU */
};

struct asked { /* all zero but `from`: nothing was asked for; to be freed */
    struct asked_from from;
    struct interned seen, details;
    size_t n, cap;
    struct asked_shape *v; /* those to predict for */
    size_t lines, calls;   /* that were read: calls are lines of AITER's, and rows of lists */
    size_t usable;         /* calls that are whole, of a family that is answered and wanted */
    size_t found;          /* of these, those whose very row a table has */
    size_t n_found;        /* distinct shapes of those */
    struct tally left_out; /* distinct shapes */
    struct tally cut;      /* lines that cannot be used */
    struct gpu_told told;
    struct place at; /* of the call at hand; the caller sets it */
    const char *words;
    size_t n_words;
    struct buf key, detail;
};

/* A call that is not a CALL_CUT. 0, or -1 with a message. */
int asked_call(struct asked *a, int kind, const struct call *call);

/* A row of an untuned list: texts of numbers, the values of details, and the whole row */
struct asked_text {
    const char *mnk[3], *detail[MOST_DETAILS], *whole;
};
int asked_row(struct asked *a, enum family_id family, const struct asked_text *row);
/* A size of a row, or -1 with a message */
int asked_size(const struct place *at, const char *name, const char *text, int32_t *out);

/* By family, N, K, details and M */
void asked_sort(struct asked *a);
/* Are they of one family, N, K and details? */
int asked_is_pair(const struct asked_shape *a, const struct asked_shape *b);
void asked_free(struct asked *a);

/* ---- inputs ---- */

/* "-", or no path, is standard input. 0, or -1 with a message: also if nothing is of AITER's. */
int inputs_read(struct asked *a, const char *const *paths, size_t n);

/* ---- tuned tables ---- */

/* Columns are found by their names. Without gfx, the number of compute units tells it; what else an
   older table lacks nobody needs here. */

struct tuned_row {
    struct asked_shape shape;
    char gfx[GPU_NAME];
    const char *kernel, *us, *libtype; /* libtype "ck": the table has no such column */
    const char *split, *id;            /* "": likewise */
    const char *more;                  /* the family's copied cells, COPIED_END behind each */
    const char *tag;                   /* "": none */
    int64_t cu_num;                    /* 0: the table does not say */
    int is_broken; /* of what is no part of the key, the kernel alone is known, "": not even that */
};

#define COPIED_END '\x1f'

/* Calls `row` for each; what that returns, if it is not 0, ends the reading. Else 0, or -1 with a
   message. Rows with a message are counted in `spared`, and taken if their key can be read; NULL:
   they are errors. */
int tuned_read(const char *path, enum family_id family, struct spared *spared,
               int (*row)(void *to, const struct tuned_row *row), void *to);

/* The number of a cell, from 0. 0, or -1 with a message. */
int tuned_number(const struct tuned_row *row, const char *name, const char *text, int32_t *out);
/* Is the time one that stands for a prediction? */
int tuned_is_predicted(const char *us);

/* ---- installed tables ---- */

struct installed { /* all zero: nothing is installed; to be freed */
    struct installed_family {
        struct interned keys; /* of all GPUs */
        size_t cap;
        struct installed_key {
            struct place at;
            const char *tag;
            int is_broken; /* nothing else of the row could be read */
            double us;
            const char *kernel;  /* of the target's row, or NULL */
            size_t measured;     /* 1 + its place in `row`; 0: it has none */
        } * at;                  /* by the numbers of keys */
        struct interned kernels; /* of the target's rows */
        struct interned paths, texts;
        int has_own;               /* is one of the paths AITER's own? */
        size_t n, rows_cap, never; /* rows; those of the library that is never written */
        struct measured {          /* of a family with nearest shapes, for the target */
            int32_t m, n, k, id, split;
            const char *kernel, *library, *detail, *more;
        } * row;
    } of[N_FAMILIES];
    struct interned files; /* that were read */
};

/* Reads tables: of families with nearest shapes only those that are asked for, of untuned lists
   only the names. What cannot be read is left out and told. The first n_own are AITER's. 0, or -1
   with a message. */
int installed_read(struct answering *a, const char *const *paths, size_t n, size_t n_own);
/* Has the target's table of the family a row with this key? */
int installed_has(const struct answering *a, const struct asked_shape *s);
void installed_free(struct installed *in);

/* ---- kernels that can run ---- */

/* The lines of --compiled FILE, without blanks around them. 0, or -1 with a message: also if none
   names a kernel of a model of the target. */
int compiled_read(struct answering *a, const char *path);
/* A flag for each kernel of the family's model, to be freed: by `compiled`, if there are any, else
   by what the family's installed tables name; without such tables all, which is told. only_ck: of
   other libraries none. *n is the number of kernels. */
unsigned char *compiled_flags(const struct answering *a, enum family_id family, int only_ck,
                              size_t *n);

/* ---- the M of rows ---- */

enum { SERVING_LAST_FINE = 4096, SERVING_LAST = 32768, SERVING_LAST_TIER = 131072 };

/* M rounded up to a multiple of its fine step, and the coarse M */
int32_t serving_fine(int32_t m);
int32_t serving_coarse(int32_t m, int32_t n);
/* Of fused MoE: the tokens for which AITER looks */
int32_t serving_tier(int32_t tokens);

/* ---- the best kernels of a shape ---- */

struct prediction {
    const char *kernel, *library;
    const char *more; /* as in the table, of a family with copied columns; else NULL */
    int32_t id, split;
    int32_t score;
    int is_copied;    /* of the nearest measured shape; then it has no score */
    uint32_t outside; /* bits of sizes that the model did not learn, as kpred_ctx.extrapolated */
};

/* The first group of so many numbers with x between them in a kernel's name, or the last, of those
   whose first number is not less than that */
int kernel_group(const char *name, size_t wanted, int is_last, int32_t least, int32_t out[16]);
/* The number from 1 behind a part of the name, or `otherwise` */
int32_t kernel_number(const char *name, const char *part, int32_t otherwise);
/* 2 to the power of |log2|, which has the same order */
double nearest_ratio(double a, double b);
/* AITER's own measured kernels for the shapes that are nearest to s, by the sum of the distances
   |log2| of M, N and K, and of sizes among the details, each of another kernel or split than the
   ones before; only kernels that are known to take s (kernels of ck alone, if only_ck). Into `out`:
   their number, at most `most`. */
size_t nearest_find(const struct installed_family *in, const struct asked_shape *s, int only_ck,
                    size_t most, struct prediction *out);

/* ---- rows ---- */

struct rows_options {
    int is_exact;                                                /* only the M asked for */
    int only_ck;                                                 /* of other libraries no kernel */
    size_t top, beam;                                            /* so many predictions a shape */
    int (*reads)(const void *with, const struct asked_shape *s); /* does anybody read the row? */
    const void *with;                                            /* NULL: all are read */
};

struct rows { /* all zero: there are none; to be freed */
    struct rows_family {
        size_t n, cap;
        struct row {
            struct asked_shape shape;
            size_t rank; /* from 1 */
            struct prediction best;
        } * v;
        size_t copied;        /* of the rows, those of nearest shapes */
        size_t shapes, pairs; /* asked for: of M, N and K, and of N and K */
        size_t kept, served;  /* M left out: --installed has them, or their fine step */
    } of[N_FAMILIES];
    size_t without_gpu;  /* shapes of families whose model does not know the GPU */
    size_t without_rows; /* those that no model answers, and of whose family no table has a row */
    /* Of the others: AITER finds a predicted row, one that is copied, or one of --installed */
    size_t predicted, copied, measured;
    struct tally left_out; /* M of the rest */
    size_t n, cap;
    struct rows_layer {           /* what is asked for with one N, K and details */
        struct asked_shape shape; /* the first */
        size_t first, rows;       /* of its family */
        size_t measured;          /* M that --installed has, or their fine step */
        char *why;                /* an M has no row; NULL: all have one */
    } * v;                        /* in the order of the shapes */
};

/* "3 rows lie outside the range trained on (n 64..36864)" of so many of the model, of the first
   `ranks` of each shape, into `b`; their number, of which 0 adds nothing */
size_t rows_outside(const struct row *v, size_t n, size_t ranks, const kpred_model *m,
                    struct buf *b);

/* 0, or -1 with a message. The shapes are sorted; those without a prediction are counted. */
int rows_make(struct answering *a, const struct rows_options *o);
void rows_free(struct rows *r);

/* ---- tables ---- */

/* The columns of a table, from today's to older ones, each without those of the one before, too:
   gfx (AITER has it since 2026-03), libtype (2026-01; all kernels were ck), and tflops, bw and
   errRatio (2025-09) */
enum write_schema {
    SCHEMA_CURRENT,
    SCHEMA_NO_GFX,
    SCHEMA_NO_LIBTYPE,
    SCHEMA_NO_TFLOPS,
    SCHEMA_CANDIDATES /* ranked, without times: AITER does not read it */
};
#define WRITE_SCHEMAS "current|no-gfx|no-libtype|no-tflops"

/* ---- files ---- */

struct files_options {
    const char *output; /* FILE.csv, a folder, or NULL: standard output */
    int force;
    enum write_schema schema;
    struct opt_texts inputs[2]; /* of the command: none may be an output as well */
    const char *compiled;       /* likewise, or NULL */
};

struct table_files { /* all zero: there are none; to be freed */
    size_t n;
    struct table_file {
        enum family_id family;
        char *path; /* NULL: standard output */
        struct buf text;
    } v[N_FAMILIES];
};

/* A table for each family that has rows, of the first of each shape, or of candidates. 0, or -1
   with a message: there is a file that may not be replaced. */
int files_make(struct table_files *f, const struct answering *a, const struct files_options *o);
/* The same, and writes all or none, with the folder locked, which is made if need be. */
int files_write(struct answering *a, const struct files_options *o);
void files_free(struct table_files *f);

/* ---- AITER's files of tuned Triton kernels for matrix products ---- */

/* gfx950-GEMM-A8W8_BLOCKSCALE-N=512-K=7168.json, or below a folder gfx950 without that beginning;
   until 2025 the beginning was MI350X. The file without N and K is for all others. */

enum { GEMM_JSON_NAME = 40 };

struct gemm_jsons { /* all zero: there are none; to be freed */
    size_t n, cap;
    struct gemm_json {
        char *path;
        char gfx[16], name[GEMM_JSON_NAME]; /* "gfx950", "A8W8_BLOCKSCALE" */
        int32_t n, k;                       /* 0: it is for all others */
    } * v;
};

/* Adds a file with such a name; 1, or 0: it has none. */
int gemm_json_add(struct gemm_jsons *j, const char *path);
/* The one whose N and K are within a factor of these both, and nearest, by the sum of the distances
   |log2|; NULL: none is */
#define GEMM_JSON_NEAR 1.5
#define GEMM_JSON_SAME 1
const struct gemm_json *gemm_json_near(const struct gemm_jsons *j, const char *gfx,
                                       const char *name, int32_t n, int32_t k, double most);
/* Adds to a table for tuning, with its heading: for each M the `most` tuples of the nearest rows of
   the kernel's files for the GPU, by the same sum with M. What cannot be read is told. */
void gemm_json_rank(const struct gemm_jsons *j, const char *gfx, const char *name, int32_t n,
                    int32_t k, size_t most, struct buf *csv);
void gemm_jsons_free(struct gemm_jsons *j);

/* ---- from what is asked for to tables, for the commands aiter and serve ---- */

struct answering { /* all zero; to be freed */
    struct target target;
    struct asked asked; /* sorted */
    struct installed installed;
    struct interned compiled; /* names of kernels; empty: see compiled_flags */
    struct rows rows;
    struct table_files files;
    const struct gemm_jsons *jsons; /* AITER's Triton files, for serve alone */
};

/* Of a family's rows, the first `ranks` of each shape, those that act only after AITER is built
   again: it chooses some kernels by a table that it compiles in. */
size_t answering_built_in(const struct answering *a, enum family_id family, size_t ranks);
/* For each family with a file: the variable to set, with all files in it that AITER is to read */
void answering_tell(const struct answering *a);
void answering_free(struct answering *a);

/* ---- a run ---- */

struct aiter_options {
    const char *gpu, *family, *compiled, *output;
    struct opt_texts inputs, installed;
    long top, beam; /* top 0: one row a shape, for AITER */
    int is_exact, force, schema;
};

/* The status to exit with */
int aiter_run(const struct aiter_options *o);
