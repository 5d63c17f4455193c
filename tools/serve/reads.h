/* reads.h - which of AITER's tables and files a server reads on a GPU, and which rows of them
   SPDX-License-Identifier: MIT */
#pragma once

#include "aiter/aiter.h"
#include "aiter/hf_model.h"
#include "triton/names.h"

struct gemm_jsons;

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

/* What decides whether a table is read */
struct reader {
    const struct target *target;
    const struct installed *in;
    const struct gemm_jsons *jsons;
};
enum reading_verdict {
    VERDICT_READ,
    VERDICT_SWITCH, /* it is not read, but would be if it had rows */
    VERDICT_JSON,   /* a Triton file is read */
    VERDICT_NOTHING
};
enum reading_verdict reading_of(const struct reading *r, const struct reader *by,
                                const struct asked_shape *s);
/* Does the server look for the M of the shape, or for one that AITER serves by its row? */
int reading_has_m(const struct reading *r, const struct asked_shape *s);
