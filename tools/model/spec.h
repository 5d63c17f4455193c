/* spec.h - the .spec text: what a kernel is, its fields and parameters, how its data is split
   SPDX-License-Identifier: MIT

   INI text; `#` or `;` begins a comment line; keys keep their order:

       [kernel]  name (of at most 43 characters; the model's header makes names of it, and none of
                 them may be one in the headers of kpred), rule (a predicate's name,
                 `unconstrained`, as without it, or `listed`: legal are the tuples of the data
                 alone, see rules.h), listed_by (fields of tokens by which they
                 differ), header (where the predicate lives), title and source (free
                 text, optional), licence (its SPDX name: the header then has a line for it),
                 runs_on (the architectures of GPUs that run the kernel, such as gfx906; without
                 it all do)
       [data]    format: miopen (perf-dbs), csv (the best tuple of each problem), timed (CSV of all
                 that was timed, or what other tuners write), find-db, tensile, aiter or triton;
                 for timed also metric, the column of times or speeds, * for the number of a
                 repeat; for timed and csv success, words that say which rows of a table worked:
                 COLUMN=VALUE, one of a column's values each, or COLUMN<=NUMBER or COLUMN>=NUMBER,
                 and COLUMN=* of a column that does not tell it. A word with blanks stands in
                 double quotes. Where several columns have words, each has to say so; of other
                 columns its importer decides. For miopen also solver. From MIOpen's files it
                 takes the convolutions with `filter` (1x1), unless y and x are fields, and `pad`
                 (0), unless pad_h and pad_w are: conv.h has the list of fields. Two kinds of rows
                 without times are left out: those with a field at a value (retired = stride 2:
                 MIOpen no longer runs the kernel there), and those with
                 the tuple that a failed search leaves (failed = its values). Scripts (trained.inc)
                 look up the plain names of data files: `files` to train on (without it the files
                 of the GPUs), files `beside` them for judges (--beside), and files of `older`
                 tuning runs, whose labels are learnt as well. For aiter: `family`, the stem of its
                 tables; and of the parameter `split`, the values that a file has which was tuned
                 without a search for it (`unsearched`), the libraries where it is `counted`
                 from 1, and those where the column is `ignored` and means 0; and what the rows
                 have that it is not about: types, libraries, COLUMN=VALUE (`without`). Further
                 fields are named after columns. For triton: `family`, moe, moe_down or
                 block_gemm, which has the fields and parameters of triton_fields
                 and triton_members below
       [fields]  NAME = size | size LEAST | size LEAST MOST | TOKEN TOKEN ...
       [params]  NAME = the legal values: strictly ascending integers, or names; a name that is no
                 word of letters, digits and _.:+- stands in double quotes. For find-db one, the
                 names of the solvers; for tensile integers, named after pieces of kernels' names
                 Two that are one number in perf-dbs, their sum: NAME, NAME_plus, see tuple_text.h
       [kernels] what the kernels of a library are called, and the rule: see rules.h
       [unseen]  names for GPUs on which nothing was measured: see gpus.h
       [restrict] the rule as conditions, a line each, and constants of theirs: see clause.h
       [formulas] NAME = EXPRESSION, numbers that time may depend on: see clause.h
       [split]   config (without it: all fields but gpu), shape: comma-joined items, see
                 split.h: a field, min(a,b), max(a,b),
                 canonical(h|w), or a literal that begins with a digit. canonical(h) needs filter
                 and pad of [data] and a field `stride`, or fields y, pad_h, stride_h and dil_h;
                 canonical(w) likewise, or x, pad_w, stride_w and dil_w. octave(size): the
                 floor of its log2. balance: a key of this kind, for train/timed.h.
                 shipped: the split that `train` takes without --split, config (as without it),
                 shape or none
       [calibration]  config, shape, none: the temperature, 0.55 to 8, by which the logits of a
                 model of that split would have to be divided for its probabilities to come true,
                 as calibrate.sh finds it; without it 1
       [labels]  for label_noise.py alone: witnesses, solvers as SOLVER:PARAMETERS; capped, blind,
                 names of parameters
       [derived] [features] [network] [judge]   raw lines, kept for the trainer; the last for
                 train/timed.h. [derived] may come several times; without [features] the
                 trainer makes them, see program.h

   Every error names file, line and culprit. Needs only libc. */
#pragma once

#include "base/util.h"
#include "kpred.h"

#define SPEC_MAX_TOKENS  KPRED_MAX_VALUES
#define SPEC_SPLIT_NAME  96             /* room for the name of a split */
#define SPEC_MAX_ITEMS   24             /* of a split key */
#define SPEC_MAX_VALUE   KPRED_MAX_SIZE /* a parameter's value lies in -this..this */
#define SPEC_MAX_ARCHS   32
#define SPEC_MAX_SUCCESS 64 /* words of `success` */
#define SPEC_MAX_BYTES   ((size_t)1 << 20)

enum spec_format {
    SPEC_MIOPEN,
    SPEC_CSV,
    SPEC_FIND_DB,
    SPEC_TENSILE,
    SPEC_TIMED,
    SPEC_AITER,
    SPEC_TRITON,
    SPEC_N_FORMATS
};
extern const char *const spec_formats[SPEC_N_FORMATS]; /* as in [data] */

enum spec_calibrated { SPEC_CONFIG, SPEC_SHAPE, SPEC_NONE, SPEC_N_CALIBRATED };

struct spec_field {
    const char *name;
    size_t n_tokens; /* 0: a size, least..most */
    const char *tokens[SPEC_MAX_TOKENS];
    int32_t least, most; /* of a token field: 0 and n_tokens - 1 */
};

struct spec_param {
    const char *name;
    size_t n_values;
    const char *names[KPRED_MAX_VALUES]; /* NULL for integers */
    int32_t values[KPRED_MAX_VALUES];    /* of a name: its index */
};

enum split_kind { SPLIT_FIELD, SPLIT_MIN, SPLIT_MAX, SPLIT_CANONICAL, SPLIT_OCTAVE, SPLIT_LITERAL };

struct split_item {
    enum split_kind kind;
    size_t a, b;         /* fields; of canonical: the image size and the stride */
    int32_t filter, pad; /* of canonical, undilated, if filter is not 0; otherwise these fields: */
    size_t filter_at, pad_at, dilation_at;
    const char *literal;
};

struct split_key { /* n == 0: the spec has none */
    size_t n;
    struct split_item items[SPEC_MAX_ITEMS];
};

struct spec_line {
    const char *text; /* trimmed, never empty, no comment */
    long line;        /* from 1 */
    long column;      /* of its first character, from 1 */
};

struct spec_lines {
    long line; /* of the section's heading; 0: the spec has no such section */
    size_t n;
    struct spec_line *v;
};

struct spec {
    const char *path;
    const char *text; /* as read */
    const char *name, *rule;
    long name_line;
    const char *listed_by; /* names of fields, for rules.h; NULL if absent */
    long listed_by_line;
    const char *title, *source, *header, *licence; /* if absent: "", "", NULL, NULL */
    const char *runs_on[SPEC_MAX_ARCHS + 1];       /* NULL behind the last */
    uint32_t scale[SPEC_N_CALIBRATED];             /* of scores, see kpred.h: by [calibration] */
    enum spec_format format;
    const char *metric; /* of format = timed: see data/tables.h; NULL: it is to be found */
    size_t n_success;   /* of format = timed and csv: see data/tables.h */
    const char *success[SPEC_MAX_SUCCESS];
    const char *solver; /* these four: as in [data]; NULL, 0, 0, -1 if absent */
    int32_t filter_h, filter_w, pad;
    const char *retired; /* text, field and value; NULL, 0, 0 if absent */
    size_t retired_field;
    int64_t retired_value;
    const char *failed[KPRED_MAX_TUPLE]; /* a text a parameter; all NULL if absent */
    size_t n_fields, n_params;
    struct spec_field fields[KPRED_MAX_FIELDS];
    struct spec_param params[KPRED_MAX_TUPLE];
    struct split_key config, shape, balance;
    const char *family; /* of format = aiter and triton; else NULL */
    const char *unsearched, *counted, *ignored, *without; /* of format = aiter; may be NULL */
    const char *shipped; /* the split that `train` takes unless it is told another */
    struct spec_lines derived, restricts, features, network, judge, unseen, kernels, formulas;
    char *owned[3]; /* path, text, and the copy of it that all other strings point into */
};

/* On success *s owns copies of all it needs and is to be freed; on failure nothing is kept. */
int spec_parse(struct spec *s, const char *text, const char *path);
int spec_load(struct spec *s, const char *path);
void spec_free(struct spec *s);

int spec_is_unconstrained(const struct spec *s);
/* Are exactly the tuples of the data legal? */
int spec_is_listed(const struct spec *s);
/* Do its data say how long each option took? */
int spec_is_timed(const struct spec *s);
/* The scale of scores for a model of this split, such as "shape" or, for a fold, "shape:0/5". */
uint32_t spec_scale(const struct spec *s, const char *split);
/* An index, or -1. */
int spec_field_index(const struct spec *s, const char *name);
int spec_param_index(const struct spec *s, const char *name);
int spec_token(const struct spec_field *f, const char *name);
/* The index of a legal value given as text, a number or a name; -1: not legal. */
int spec_value_index(const struct spec_param *p, const char *text);

/* May it be a token, or a value without quotes? A word of letters, digits and _.:+- that does not
   begin with one of the latter, or with a digit. */
int spec_is_name(const char *s);
/* May it be a value in double quotes? Any text that is not too long, but for a few characters. */
int spec_is_quotable(const char *s);

/* The tokens or values, separated by blanks; `b` takes them and is to be freed. */
const char *spec_tokens_text(const struct spec_field *f, struct buf *b);
const char *spec_values_text(const struct spec_param *p, struct buf *b);
/* Value `i` of a parameter as text; `b` is overwritten if the value is a number. */
const char *spec_value_text(const struct spec_param *p, size_t i, char b[12]);

/* ---- what a spec of format = triton may have: its families, fields and parameters ---- */

/* Its data are the tuned configurations of Triton kernels that vLLM and SGLang bring along. The
   names of fields and members are those of their files, as of August 2026. */

/* The kernel that a file is about, `family` in [data]: the fused MoE (both GEMMs of it, or the
   first one), SGLang's second GEMM of it, and the GEMM whose scales are those of blocks. */
enum triton_kernel { TRITON_MOE, TRITON_MOE_DOWN, TRITON_BLOCK_GEMM, TRITON_N_KERNELS };
extern const char *const triton_families[TRITON_N_KERNELS];

enum triton_field {
    TRITON_SERVER, /* tokens: vllm, sglang */
    TRITON_GPU,
    TRITON_DTYPE,       /* tokens, as in the names of files; bf16 where the name has none */
    TRITON_BLOCK,       /* sizes: of a square block of weights that has one scale; 0: none */
    TRITON_PER_CHANNEL, /* 1: each channel has a scale; 0 */
    TRITON_VERSION,     /* of Triton: 305 is 3.5; 0: the file does not say it */
    TRITON_E,           /* experts on this GPU; not of the GEMM */
    TRITON_N,
    TRITON_K, /* of the GEMM alone */
    TRITON_M, /* tokens */
    TRITON_N_FIELDS
};
extern const char *const triton_fields[TRITON_N_FIELDS];

/* Of a tuple, in the order in which the servers' tuners write them */
enum triton_member {
    TRITON_BLOCK_SIZE_M,
    TRITON_BLOCK_SIZE_N,
    TRITON_BLOCK_SIZE_K,
    TRITON_GROUP_SIZE_M,
    TRITON_NUM_WARPS,
    TRITON_NUM_STAGES,
    TRITON_WAVES_PER_EU, /* these three: of AMD's GPUs */
    TRITON_NONKDIM,
    TRITON_KPACK,
    TRITON_N_MEMBERS
};
extern const char *const triton_members[TRITON_N_MEMBERS];
