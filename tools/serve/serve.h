/* serve.h - every file of tuned configurations that a server will look for, for the command serve
   SPDX-License-Identifier: MIT */
#pragma once

#include "aiter/aiter.h"
#include "base/table.h"
#include "triton/triton.h"

/* ---- which of AITER's tables and files a server reads on a GPU, and which rows of them ---- */

/* The versions whose look-ups are known */
extern const char *const reads_versions[TRITON_N_SERVERS];

/* A server and its version, "vllm" or "vllm=0.33.0": its number, or -1 with a message. */
int reads_server(const char *text);
/* What a server does for a layer that is no expert */
struct reading {
    enum triton_server server;
    const char *gfx;             /* NULL: any of gfx942 and gfx950 */
    enum quantization_kind kind; /* of the weights */
    enum family_id family;       /* of the table; FAMILY_NONE: none is read */
    enum reading_rule {
        READS_ALL,
        READS_NONE,
        READS_WITHOUT_JSON, /* where AITER has no Triton file of N and K */
        READS_UNLISTED,     /* where N and K are not of SGLang's own list */
        READS_TUNED,        /* where the table has a row of N and K: one more makes the switch */
        READS_SECOND,       /* the same, where the table before it has none */
        READS_MULTIPLE,     /* where 64 divides N */
        READS_ASM,          /* M above 64, where AITER has a Triton file of N and K, and rows */
        READS_NOT_SKINNY,   /* the M that no kernel of few tokens takes */
        READS_MANY          /* M above 64 where K goes to 2048, above 512 where it goes to 512 */
    } rule;
    const char *json;  /* the kernel whose Triton files it reads in place of the table, or NULL */
    const char *about; /* or NULL */
};

/* Those of such a layer, from NULL on: the next one behind `after`. NULL: no more */
const struct reading *reading_next(const struct reading *after, enum triton_server server,
                                   const char *gfx, enum quantization_kind kind);
/* "read by SGLang on ROCm 7.2 and newer" */
void reading_tell(const struct reading *r, struct buf *b);
/* Does AITER run experts, or products in blocks, whose weights are so? */
int aiter_runs(enum quantization_kind kind, const int32_t block[2]);

enum reading_verdict {
    VERDICT_READ,
    VERDICT_SWITCH, /* it is not read, but would be if it had rows */
    VERDICT_JSON,   /* a Triton file is read */
    VERDICT_NEAR,   /* it is read, but a Triton file, of which there is a near one, would be */
    VERDICT_NOTHING
};
enum reading_verdict reading_of(const struct reading *r, const struct answering *by,
                                const struct asked_shape *s);
/* Does the server look for the M of the shape, or for one that AITER serves by its row? */
int reading_has_m(const struct reading *r, const struct asked_shape *s);

/* ---- look-ups ---- */

enum answer_kind { /* docs/serve.md says what they mean */
                   ANSWER_MEASURED,
                   ANSWER_PREDICTED,
                   ANSWER_NEAREST,
                   ANSWER_SHAPE,
                   ANSWER_DEFAULT,
                   ANSWER_REFUSED,
                   ANSWER_NONE,
                   ANSWER_SWITCH,
                   ANSWER_LEFT, /* kpred has no answer */
                   N_ANSWERS
};

struct lookup {
    enum lookup_of { LOOKUP_NONE, LOOKUP_TRITON, LOOKUP_AITER, LOOKUP_STATE } of;
    const char *called;      /* its file or key; but see lookup_write */
    char *layer;             /* several: with ", " between them */
    char *why;               /* of one that is none, or NULL */
    enum answer_kind none;   /* which one that is then: of the last four */
    struct triton_name name; /* of LOOKUP_TRITON, with its version, `_` for points */
    char version[32];
    struct asked_shape shape;      /* of LOOKUP_AITER; of a Triton file N and K alone */
    const struct reading *reading; /* likewise; NULL: a log tells it */
    int is_json;                   /* is it a Triton file, in place of the table or besides? */
};

struct lookups {          /* all zero: there are none; to be freed */
    struct interned seen; /* their keys, in their order */
    size_t n, cap;
    struct lookup *v;
};

/* What a model's config is asked for */
struct lookups_how {
    struct lookups *to;
    struct hf_config *config;
    struct hf_experts experts; /* routed 0: there are none */
    const char *device;        /* as torch has it */
    enum triton_server server;
    long tp, ep; /* GPUs that share a layer; those that share the experts, 1: no */
    struct quantization q;
    struct ignored ignored; /* what stays in 16 bits */
    const char *version;
    int has_aiter; /* AITER runs what it can, which reads no file of Triton's by these names */
    int is_trial;  /* nothing is told: what would be asked for is not */
};

/* A look-up, once for each name; another layer of it is added to its layers. */
void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer);
/* The same of AITER; of the shape M does not matter; FAMILY_NONE: of the reading's Triton files */
void lookups_add_shape(struct lookups *l, const struct asked_shape *s,
                       const struct reading *reading, const char *layer);
/* A file of Mamba's state update, which vLLM has; the name is taken over. */
void lookups_add_state(struct lookups *l, struct buf *name, const char *layer);
/* One that is none, once: for all layers but where it is refused */
void lookups_add_none(struct lookups *l, const char *layer, const char *why, enum answer_kind none);
/* Its file or key, as people see it */
void lookup_write(const struct lookup *l, struct buf *b);
/* 0, or -1 with a message. What is left out is told on standard error. */
int lookups_of_config(const struct lookups_how *how);

/* What each GPU has of the routed experts */
struct experts_part {
    int64_t experts, size;
    int32_t block[2];
};
/* -1: the server refuses them, which is added to the look-ups */
int experts_split(struct experts_part *out, const struct lookups_how *how,
                  const struct quantization *q);
/* How the weights of a layer, or of "experts", are in the layers of the model: the number of ways,
   0 where the server refuses it, which is added to the look-ups */
int weights_of(struct quantization out[2], const struct lookups_how *how, const char *layer);
/* The layers besides the experts; none, and a look-up that says so, where kpred does not know
   them. 0, or -1 with a message */
int lookups_layers(struct hf_layers *out, const struct lookups_how *how);
/* Does the server refuse the layer? That is added likewise. */
int layer_refused(const struct lookups_how *how, const struct hf_layer *l,
                  const struct quantization *q);
/* Does a server that can run the shared expert as one of the others do so for the model? */
int experts_may_fuse(const struct lookups_how *how);

/* ---- AITER ---- */

/* Adds what the model asks AITER for, to both. 0, or -1 with a message. */
int aiter_of_config(const struct lookups_how *how, struct answering *to);
/* Where the installed tables are read: what the server does not read is asked for no more, nor,
   unless it may switch, what would make it run another kernel. */
void aiter_decide(struct lookups *l, struct answering *to, int may_switch);
void lookups_free(struct lookups *l);

/* ---- the device ---- */

enum { DEVICE_SIZE = 128 };
/* What torch.cuda.get_device_name() calls the GPU that an option names, with `_` for blanks:
   MI300X, gfx942_304, H100, "NVIDIA H200". A name that begins with that of the maker is taken as it
   is. 0, or -1 with a message. */
int device_find(const char *gpu, char out[DEVICE_SIZE]);

/* ---- files that are there ---- */

enum { FOLDER_FILE_BYTES = 1 << 20 }; /* the most that one is read of */

struct folder_file {
    char *path;
    struct triton_name name;
    char version[TRITON_VERSION_SIZE]; /* of the folder triton_X_Y_Z; "": there is none */
    int is_read;
    struct known_rows { /* that were measured, ascending; none of one that is read: nothing of it
                           can be used */
        size_t n, cap;
        struct known_row {
            int32_t m; /* first, by which they are sorted; and so is the path */
            struct flat_json tuple;
        } * v;
    } rows;
};

struct folder { /* all zero: none; to be freed */
    size_t n, cap;
    struct folder_file *v;
    struct interned seen;
};

struct tables {          /* AITER's; all zero: none; to be freed */
    struct opt_texts of; /* their paths, which `paths` keeps */
    size_t cap;
    struct interned paths;
    struct gemm_jsons jsons;
    struct interned states; /* vLLM's files of Mamba's state update */
};

/* What the name of one of vLLM's files of Mamba's state update says; 0: it is no such name */
struct state_name {
    int head, state;
    char device[DEVICE_SIZE], type[16];
};
int state_name_read(struct state_name *s, const char *path);

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
    struct predictors *predictors;
    struct folder *installed, *known;
    const char *version; /* of Triton, as the user gave it, or NULL */
    int nearest;         /* take the nearest GPU for one that the model lacks */
};

/* Each is of a look-up, and ANSWER_LEFT, before. 0, or -1 with a message */
int answer_make(struct answer *a, const struct answers_how *how);
void answer_free(struct answer *a);
/* The table of the tuples of each look-up that a tuning should measure, so many of each M, as CSV;
   nothing if there are none. Look-ups that kpred has no model of are told. 0, or -1 with a message.
   */
int answers_rank(struct buf *b, const struct lookups *l, const struct answers_how *how,
                 size_t most);

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

/* The table on standard output, and a sentence on standard error; kpred.json */
int report_print(const struct answer *v, size_t n, struct table_form form);
void report_write(struct buf *b, const struct answer *v, size_t n, const char *device,
                  const char *version);
/* Adds what kpred.json at the path has of files that are not in `b`. 1; 0: there is none, or it is
   of another GPU or version; or -1 with a message: it cannot be read, and is not to be replaced
   (force). Likewise of a table of tuples, .csv: its rows of other files; 0 also where a row of
   these files is not in `b`, or where it is another table. */
int report_join(struct buf *b, const char *path, int force);

/* The status to exit with */
int serve_run(const struct serve_options *o);
