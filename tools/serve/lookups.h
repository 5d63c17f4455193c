/* lookups.h - the files of Triton configurations and the rows of AITER's tables that a server will
   look for, by a model's config
   SPDX-License-Identifier: MIT

   Facts of vLLM 0.33.0 and SGLang 0.5.23. Both servers look for E=..,N=.. of the routed experts, as
   each GPU has them, and for N=..,K=.. of each other layer in FP8 blocks, but not where another
   kernel than Triton's runs. What they ask AITER for is in aiter.c. */
#pragma once

#include "aiter/aiter.h"
#include "aiter/hf_model.h"
#include "triton/names.h"

/* ---- which of AITER's tables and files a server reads on a GPU, and which rows of them ---- */

/* The versions whose look-ups are known: of the servers, and AITER's commit */
extern const char *const reads_versions[TRITON_N_SERVERS];
extern const char reads_aiter[];

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
    struct triton_name name;
    int has_name;          /* 0: it is AITER's, or `why` says why there is none: */
    enum answer_kind none; /* one of the last four */
    char *layer;           /* several: with ", " between them */
    char *why;             /* or NULL */
    char version[32];      /* of Triton, with `_` for points */
    const char *key; /* NULL: it is none of AITER's; else the shape is set, and has_name is not */
    struct asked_shape shape;      /* of a Triton file of AITER's N and K alone */
    const struct reading *reading; /* NULL: a log tells it */
    int is_json;                   /* is it a Triton file, in place of the table or besides? */
    const char *file;              /* another one of vLLM's, by its name; NULL: it is none */
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
};

/* A look-up, once for each name; another layer of it is added to its layers. */
void lookups_add(struct lookups *l, const struct triton_name *name, const char *version,
                 const char *layer);
/* The same of AITER; of the shape M does not matter; FAMILY_NONE: of the reading's Triton files */
void lookups_add_shape(struct lookups *l, const struct asked_shape *s,
                       const struct reading *reading, const char *layer);
void lookups_add_file(struct lookups *l, const char *name, const char *layer);
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
    char *refused; /* why the server refuses them, to be freed; NULL: it does not */
};
void experts_split(struct experts_part *out, const struct lookups_how *how,
                   const struct quantization *q);
/* How the weights of a layer, or of "experts", are in the layers of the model: the number of ways,
   0 where the server refuses it, which is added to the look-ups */
int weights_of(struct quantization out[2], const struct lookups_how *how, const char *layer);
/* The layers besides the experts; none, and a look-up that says so, where kpred does not know
   them. 0, or -1 with a message */
int lookups_layers(struct hf_layers *out, const struct lookups_how *how);
/* Why the server refuses the layer, to be freed; NULL: it does not */
char *lookups_refused(const struct hf_layer *l, const struct quantization *q);
/* Does a server that can run the shared expert as one of the others do so for the model? */
int experts_may_fuse(const struct lookups_how *how);

/* ---- AITER ---- */

/* Adds what the model asks AITER for, to both. 0, or -1 with a message. */
int aiter_of_config(const struct lookups_how *how, struct answering *to);
/* Those that `from` already asks for, of the layer */
void aiter_of_asked(struct lookups *l, struct answering *from, const char *layer);
/* Where the installed tables are read: what the server does not read is asked for no more, nor,
   unless it may switch, what would make it run another kernel. */
void aiter_decide(struct lookups *l, struct answering *to, int may_switch);
void lookups_free(struct lookups *l);
