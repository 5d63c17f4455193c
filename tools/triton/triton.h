/* triton.h - configuration files of Triton kernels that vLLM or SGLang looks for, made of
   predictions
   SPDX-License-Identifier: MIT

   Facts of vLLM 0.33.0 (fused_moe/fused_moe.py, quantization/utils/fp8_utils.py,
   benchmarks/kernels) and SGLang 0.5.23 (moe_runner/triton_utils, kernels/ops/gemm,
   benchmark/kernels). */
#pragma once

#include "names.h"

#include "base/opts.h"
#include "model/gpus.h"

#include <stddef.h>
#include <stdint.h>

/* ---- the names of files that a server misses ---- */

enum { TRITON_VERSION_SIZE = 32 };

struct missed_name {
    struct triton_name name; /* its server is set */
    char version
        [TRITON_VERSION_SIZE]; /* of Triton, as SGLang's folders have it, "3_5_1"; "": unknown */
    struct place at;           /* line 0: it is an operand itself */
};

/* What the command line says of all names */
struct missed_from {
    const char *gpu;     /* the device in place of that of the names, or NULL */
    const char *asked;   /* the GPU of --gpu, or NULL: that is `gpu` */
    const char *version; /* of Triton, "3.5.1", or NULL */
    int server;          /* an enum triton_server; TRITON_N_SERVERS: the names tell */
    long tp;             /* GPUs that share a layer; 0: not said */
    int may_lack;        /* inputs may tell of no missing file */
    int force;           /* go on where a log says something else */
};

struct missed { /* all zero but `from`: there are none; to be freed */
    struct missed_from from;
    struct interned seen;
    size_t n, cap;
    struct missed_name *v;
    size_t lines, calls; /* that were read; calls are those that tell of a missing file */
    size_t guessed;      /* names that do not tell the server */
    size_t of_aiter;     /* lines that tell of a missing row of AITER's */
    struct tally cut;    /* lines that cannot be used */
    struct gpu_told told;
    struct missed_other { /* that a log says otherwise than the command line; line 0: none */
        struct place at;
        long value;
    } server, tp;
    int has_tp; /* did a log say how many GPUs share a layer? */
};

/* Reads inputs: names of files, which end with .json and need not be there, and logs, "-" being
   standard input, which is read too if there is none. A log is looked through for these:

     ... Config file not found at FOLDER/E=8,N=14336,device_name=NVIDIA_L4.json, FOLDER/E=...
     Down MoE config file not found at FOLDER/E=..._down.json; reusing ...

   Each name is kept once. 0, or -1 with a message: a name of an operand is wrong, or nothing is
   missing. */
int missed_read(struct missed *m, const struct opt_texts *inputs);
void missed_free(struct missed *m);

/* The device of a name, as torch.cuda.get_device_name() gives it, with `_` for blanks; for some
   names vLLM has another one. 0, or -1 with a message about --gpu. */
int triton_device_set(struct triton_name *name, const char *gpu);
/* X_Y_Z of a folder triton_X_Y_Z, the last one of the path, else of `version`, which is NULL or
   as 3.5.1; "" if none tells. */
void triton_version_of(char out[TRITON_VERSION_SIZE], const char *version, const char *path);
/* The message about --triton of a text that is not a version; 0 or -1 */
int triton_version_check(const char *version);

/* ---- configurations ---- */

/* Members of a tuple, in the order in which the servers' tuners write them: enum triton_member */
struct triton_config {
    int32_t v[TRITON_N_MEMBERS];
};

/* The GPU that a file is for, as far as a server's own choice depends on it */
struct triton_gpu {
    int is_amd;
    int has_little_memory; /* shared memory of a block is less than 128 KiB */
};

/* Whose GPU a device is; -1 without a message: neither AMD's nor NVIDIA's. */
int triton_gpu_find(struct triton_gpu *gpu, const char *device);

/* What the server takes for M tokens (1..KPRED_MAX_SIZE) if it finds no file. 0: the name does not
   tell, since it depends on sizes that are not in it, or another kernel runs then. */
int default_config(struct triton_config *out, const struct triton_name *name,
                   const struct triton_gpu *gpu, int32_t m);

/* ---- choices ---- */

enum choice_kind {
    CHOICE_MODEL,    /* the most probable tuple */
    CHOICE_CAUTIOUS, /* that of the most probable tile, which is far more probable than its own */
    CHOICE_DEFAULT,  /* what the server takes without a file */
    N_CHOICES
};

/* What speaks for each; probabilities are Q24. */
struct weighed {
    int has_default, default_is_best; /* is there one, and has it the best tile? */
    int32_t default_tile;             /* the probability of its tile, of the tuples at hand */
    int32_t best_tile, top_tile;      /* of the best tile, and of that of the first tuple */
};

/* Which of them is written */
enum choice_kind choices_rule(const struct weighed *w);

struct choice {
    int32_t m;
    enum choice_kind kind;
    struct triton_config config;
    int32_t tuple, tile; /* probabilities that a tuning finds the same, Q24 */
};

struct choices { /* all zero: there are none */
    size_t n;
    struct choice v[OPTS_MAX_COUNTS];
    size_t of[N_CHOICES];
    size_t illegal;      /* M without a legal tuple: defaults, or left out */
    size_t outside;      /* M of sizes that the model did not learn, which promise nothing */
    uint32_t outside_of; /* their fields */
    int64_t tuple, tile; /* sums of those of v, without these */
    int is_nearest;      /* the model lacks the GPU: `tuple` and `tile` are of another one */
    int is_doubtful;     /* on folds predictions for the GPU were no better than the server's own */
    const kpred_model *model;
};

/* The tuples of each M that a tuning should measure: the choice, the server's own one, and then the
   most probable ones */
struct ranking { /* but `most` all zero: there are none; to be freed */
    size_t most; /* of an M */
    size_t n, cap;
    struct ranked {
        int32_t m, rank; /* 1.. */
        int32_t tuple;   /* the probability, Q24 */
        struct triton_config config;
    } * v;
};

/* The built-in models that were needed; all zero: none yet; to be closed */
struct predictor;
struct predictors {
    struct predictor *of[TRITON_N_KERNELS][2]; /* of NVIDIA's GPUs, and of AMD's */
};

/* The M of both servers' tuners */
extern const struct opt_counts triton_tuned;

struct choices_options {
    struct opt_counts ms;    /* ascending */
    const char *version;     /* of Triton, 3.5.1 or 3_5_1; NULL or "": the newest */
    int nearest;             /* take the nearest GPU for one that the model lacks */
    int always_predict;      /* no defaults */
    int is_quiet;            /* `why` alone says which word the model does not know */
    struct ranking *ranking; /* takes the tuples of each M, or NULL */
};

/* Chooses for a name. 0; 1: kpred cannot predict for it, and `why` gets the reason, in words that
   fit many names, and c->is_nearest where it is the GPU; or -1 with a message. */
int choices_make(struct choices *c, struct predictors *p, const struct triton_name *name,
                 const struct choices_options *o, struct buf *why);

/* Are there predictions that folds found no better than the server's own choice, and that
   `nearest` does not ask for? `why` gets the reason. */
int choices_doubt(const struct choices *c, int nearest, struct buf *why);
void predictors_close(struct predictors *p);

/* One of the sums, as the mean of its M, in percent; -1: it has none */
int choices_percent(const struct choices *c, int64_t sum);

/* ---- files ---- */

/* The bytes of a file, as the tuner of its server writes them; version: of Triton, or NULL. Only
   vLLM's reader of MoE files takes it. */
void triton_text(struct buf *b, const struct triton_name *name, const struct choices *c,
                 const char *version);

/* Its beginning, up to the first row; and a row, "M": {..}, without a comma or an end of line */
void triton_text_begin(struct buf *b, const struct triton_name *name, const char *version);
void triton_text_row(struct buf *b, const struct triton_name *name, const struct choice *c);

/* A table of tuples to measure, in CSV: its heading, and the rows of a name. An empty cell of a
   tuple: the server's tuner does not write it. */
extern const char triton_table_heading[];
void triton_table_rows(struct buf *b, const struct triton_name *name, const struct ranking *r);

/* Does the server look for it in a folder of the version of Triton? */
int triton_has_folder(const struct triton_name *name);

/* Where it is in the folder DIR, to be freed: DIR/NAME, or of SGLang's experts
   DIR/configs/triton_VERSION/NAME. NULL: that has no version. */
char *triton_path(const char *output, const struct triton_name *name, const char *version);

struct triton_files { /* all zero: there are none; to be freed */
    size_t n, cap;
    struct triton_file {
        char *path; /* NULL: standard output */
        struct buf text;
        int replaces;      /* what is there holds nothing that is not in the text */
        const char *other; /* how another one differs that is there; NULL: in tuples */
    } * v;
    int has[TRITON_N_SERVERS][TRITON_N_KERNELS]; /* files of them */
};

/* Takes over the path and the text, which is then empty; name: NULL for another file. */
void triton_files_add(struct triton_files *files, const struct triton_name *name, char *path,
                      struct buf *text);
/* All of them, with their folders. 0, or -1 with a message; without `force`, a file that is there
   with other bytes is kept, and nothing is written then. Where writing fails, what is written and
   what is left out is told. */
int triton_files_write(const struct triton_files *files, int force);
/* The lock of the folder for files, which is made with those above it: 0, or -1 with a message */
int triton_folder_lock(struct locked_folder *l, const char *path);
/* What to do with those in the folder */
void triton_files_tell(const struct triton_files *files, const char *output);
void triton_files_free(struct triton_files *files);

/* ---- a run ---- */

struct triton_options {
    struct missed_from from;
    struct choices_options choices;
    const char *output;
    struct opt_texts inputs;
    int is_dry;
};

/* The status to exit with */
int triton_run(const struct triton_options *o);
