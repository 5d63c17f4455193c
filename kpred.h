/* kpred.h - v0.4.0 - the best tuning parameters of a GPU kernel, predicted in microseconds
   SPDX-License-Identifier: MIT (text at the end of the file)

In ONE C or C++ file:                      Everywhere else:
    #define KPRED_IMPLEMENTATION               #include "kpred.h"
    #include "weights/conv_asm_1x1u.h"         #include "weights/conv_asm_1x1u.h"

WHAT IT DOES   kpred gets a problem (sizes and tokens) and returns the k most promising legal tuples
               of tuning parameters, best first, each with its log2-probability. A small integer
               network scores one parameter after the other. A beam search keeps the best prefixes
               that the kernel's rule allows. The weights are generated C arrays: docs/training.md
               says how to make them.

EXAMPLE        static int32_t arena[KPRED_CONV_ASM_1X1U_ARENA(8)];
               const int32_t problem[] = { KPRED_GPU_GFX906_60, KPRED_DIR_F, KPRED_DTYPE_FP32,
                                           16, 64, 56, 56, 256, 1 };   // n c h w k stride
               kpred_ctx ctx; kpred_tuple best[8]; size_t n;
               if (kpred_init(&ctx, KPRED_VERSION, &kpred_model_conv_asm_1x1u, 8, arena,
                              sizeof arena / sizeof *arena) == KPRED_OK
                   && kpred_predict(&ctx, problem, 9, best, 8, &n) == KPRED_OK)
                   launch(best[0].value);

GUARANTEES
  G1  The same model and input give the same bytes on every C99 target that has 8-bit bytes, an int
      of at least 32 bits and the exact-width types; with every compiler, optimisation level, word
      size and byte order, with -ffast-math, with SIMD or without.          [tests/matrix/matrix.sh]
  G2  The code has no floating point, libc symbol, allocation, recursion, mutable global, division
      wider than 32 bits, or copy of a struct of more than 16 bytes. [tests/runtime/freestanding.sh]
  G3  All memory is the caller's arena of int32_t words, which holds 32-bit integers and unsigned
      chars alone. Its size is a constant (NAME_ARENA(beam)) and a query (kpred_arena_words);
      kpred_init checks it. A context serves one thread at a time, a model any number of threads.
                                                                        [tests/runtime/test_arena.c]
  G4  Every returned tuple satisfies the model's rule, and no tuple comes twice. Where a legal tuple
      exists, at least one is returned, or the status is KPRED_ERR_BUDGET.
                                                                       [tests/runtime/test_search.c]
  G5  On an error the outputs stay as they were. The status says what is wrong, and ctx.detail says
      in which field or argument.                                      [tests/runtime/test_status.c]
  G8  A size outside the trained range is accepted and flagged in ctx.extrapolated. An unknown token
      is an error. Sizes reach 2^24; products of sizes saturate, or are sums of logarithms.
                                                                       [tests/runtime/test_status.c]
  (G6 and G7, reproducible weights and proved bounds, are guarantees of the tools: see
  docs/how-it-works.md.)

NON-GOALS      training, files, threads inside a call, hostile models (to this header weights are
               code, and it trusts them)

CONFIGURATION  no setting changes a result
  KPRED_IMPLEMENTATION  emit the definitions of this header and of every included model
  KPRED_STATIC          the same with internal linkage, in each file that wants its own copy
  KPRED_SIMD            which bodies of the network there are: the number of one, see kpred_body, or
                        KPRED_SIMD_X86, all of x86-64, of which kpred_init takes the fastest that
                        the machine has. Default: KPRED_SIMD_X86 in a hosted build of gcc or clang
                        for x86-64; in other hosted builds SSE2, NEON or its dot product where the
                        compiler announces it; else 0, portable C

ARITHMETIC     this text is normative; >>math, >>features and >>network are the same in C
  activation  integer q in 0..127, real value q * 2^-6
  layer       acc = bias + sum(w * q), int8 w in -127..127, exact in int32 (the exporter proves it)
              q' = min(127, max(0, floor((acc + 2^(s-1)) / 2^s))), s >= 1: one rounding, one shift
  context     two layers, then raw accumulators base[t][i] for every parameter t, hidden unit i
  parameter   acc = base[t][i] + 2^e * sum over earlier u of E[t][u][y_u][i]; hidden q' as above;
              logit_v = (bias_v + sum(w_v * q')) * 2^r, log2 units in Q16, |logit| < 2^29
  softmax     log2p_v = max(-2^26, x_v - m - (log2(sum_j exp2(x_j - m)) - 24 * 2^16)), m = max x;
              exp2 in Q24 and log2 in Q16 by their tables T below, j < 64:
              exp2(-(2^16 * i + 2^10 * j + f)), f < 2^10, is 0 from i = 25 on, and else
                  floor((T[j] - floor((T[j] - T[j+1]) * f / 2^10)) / 2^i)
              log2(2^i * (1 + j / 2^6 + f / 2^22)), f < 2^16 rounded down, is
                  2^16 * i + T[j] + floor((T[j+1] - T[j]) * f / 2^16)
  sum         of the log2p of a tuple's values, Q16, never positive
  order       the higher sum comes first. With equal sums, the lexicographically smaller sequence of
              value indexes comes first. After each parameter the first `beam` legal extensions in
              this order survive.
  score       If the model's scale is KPRED_SCALE_ONE, the score is the sum. Else it is
              sum * scale / 2^16, rounded towards 0, less a norm, and at most 0. The norm adds up
              log2(sum_v p_v^scale) over the parameters that the beam search reached, where p_v are
              the probabilities after the first prefix in the order. (A power is floor(T[j] / 2^i),
              by the i and j of floor(-log2p_v * scale / 2^16). If the first tuple's prefix is the
              first each time, a scale of 1 / t has the effect of dividing all logits by a
              temperature t. The order of the tuples does not change.)
  rescue      Where no extension survives, a search goes depth first from the empty prefix. It takes
              the values in the same order and calls the rule at most KPRED_RESCUE_CALLS times. Its
              answer is the first complete tuple.

CONTENTS       >>limits >>status >>types >>api | >>portability >>math >>features >>network >>search
               >>rescue >>api-impl >>license */
#ifndef KPRED_H
#define KPRED_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#if CHAR_BIT != 8 || INT_MAX < 2147483647
#error "kpred needs 8-bit bytes and an int of at least 32 bits"
#endif

#ifdef KPRED_STATIC
#ifndef KPRED_IMPLEMENTATION
#define KPRED_IMPLEMENTATION
#endif
#if defined(__GNUC__)
#define KPRED_API  static __attribute__((unused))
#define KPRED_DATA KPRED_API
#else /* no compiler warns of an inline function that nothing calls */
#define KPRED_API  static inline
#define KPRED_DATA static
#endif
#else
#define KPRED_API extern
#define KPRED_DATA
#endif

#if defined(__GNUC__)
#define KPRED_MUST_CHECK __attribute__((warn_unused_result))
#else
#define KPRED_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>limits ------------------------------------------------------------------------------- */

#define KPRED_VERSION       400 /* 0.4.0: what the caller was compiled against */
#define KPRED_FORMAT        3   /* of kpred_model; changes with its layout, arithmetic or id */
#define KPRED_MAX_FIELDS    24  /* fields of a problem */
#define KPRED_MAX_PARAMS    16  /* parameters of more than one value */
#define KPRED_MAX_TUPLE     32  /* all parameters, those of a single value included */
#define KPRED_MAX_VALUES    128 /* legal values of one parameter */
#define KPRED_MAX_WIDTH     192 /* activations of a dense layer, features included */
#define KPRED_MAX_HIDDEN    128 /* hidden units of a parameter */
#define KPRED_MAX_REGISTERS 128 /* of a feature program */
#define KPRED_MAX_BEAM      1024
#define KPRED_MAX_SIZE      (1 << 24) /* largest value of a size field */
#define KPRED_RESCUE_CALLS  65536     /* rule calls of one rescue, at most */
#define KPRED_SCALE_ONE     65536     /* of scores: as the network has them */
#define KPRED_MAX_SCALE     122880    /* 1.875: a scaled sum fits 32 bits */
#define KPRED_SIMD_X86      100       /* of KPRED_SIMD */

/* The words of arena for a model of these dimensions. work and state are the scorer's words; params
   is the number of parameters. slots is the number of extensions that wait at the same time: the
   largest of KPRED_SLOTS of each parameter, and of half the sum of all lanes, rounded up (for the
   rescue). A parameter's lane is the number of its values, rounded up to a power of two, at least
   4. Its prefixes are the product of the numbers of values of the parameters before it, at most
   KPRED_MAX_BEAM. A generated header gives the words as NAME_ARENA(beam). These macros are integer
   constant expressions if their arguments are. */
#define KPRED_ARENA_WORDS(work, state, params, slots, beam)                               \
    ((work) + KPRI_RECORDS(params, beam) * KPRI_RECORD_WORDS(params, state) + 2 * (slots) \
     + KPRI_BUCKET_WORDS)
#define KPRED_SLOTS(prefixes, lane, beam) (((prefixes) < (beam) ? (prefixes) : (beam)) * (lane))
#define KPRED_LARGER(a, b)                ((a) > (b) ? (a) : (b))
#define KPRI_RECORDS(params, beam)        KPRED_LARGER(2 * (beam), (params) + 1)
#define KPRI_RECORD_WORDS(params, state)  (KPRI_PREFIX_WORDS(params) + (state))
#define KPRI_PREFIX_WORDS(params)         ((1 + (params) + ((params) + 3) / 4 + 3) / 4 * 4)
#define KPRI_BUCKET_WORDS                 384 /* a bit for each bucket, then the buckets */

/* Upper bounds of what one kpred_predict costs. A generated header gives them as
   NAME_RULE_CALLS(beam) and NAME_MULTIPLY_ADDS(beam). values is the number of values of all
   parameters together; start is the multiply-adds of encoder and context; step is the multiply-adds
   of one extension of a prefix, added up over all parameters. A rescue adds at most
   KPRED_RESCUE_CALLS rule calls and start + KPRED_RESCUE_CALLS * step multiply-adds. Models whose
   rule looks ahead hardly ever need one. */
#define KPRED_RULE_CALLS(values, beam)         (1 + (values) * (beam))
#define KPRED_MULTIPLY_ADDS(start, step, beam) ((start) + (step) * (beam))

/* ---- >>status ------------------------------------------------------------------------------- */

/* The brackets say what ctx.detail holds as {index, value, limit}; "-" stands for nothing, -1. */
#define KPRED_STATUS_LIST(X) X(KPRED_OK, 0, "ok") KPRED_ERROR_LIST(X)
#define KPRED_ERROR_LIST(X)                                                                        \
    X(KPRED_ERR_NULL, -1, "null pointer") /* [argument, counted from 0] */                         \
    X(KPRED_ERR_VERSION, -2, "caller compiled against another kpred.h") /* [-, given, expected] */ \
    X(KPRED_ERR_FORMAT, -3, "model of another format") /* [-, its format, expected] */             \
    X(KPRED_ERR_MODEL, -4, "model outside the limits of this build") /* [-, value, limit] */       \
    X(KPRED_ERR_ID, -5, "model content does not match its id")                                     \
    X(KPRED_ERR_BEAM, -6, "beam is 0 or beyond KPRED_MAX_BEAM") /* [-, beam, limit] */             \
    X(KPRED_ERR_ALIGN, -7, "arena not aligned for int32_t")                                        \
    X(KPRED_ERR_ARENA, -8, "arena too small") /* [-, words given, words needed] */                 \
    X(KPRED_ERR_CONTEXT, -9, "context not initialised")                                            \
    X(KPRED_ERR_FIELDS, -10, "wrong number of problem fields") /* [-, given, expected] */          \
    X(KPRED_ERR_SIZE, -11, "size out of range")           /* [field, value, limit it violates] */  \
    X(KPRED_ERR_TOKEN, -12, "unknown token")              /* [field, value, number of tokens] */   \
    X(KPRED_ERR_K, -13, "k is 0 or larger than the beam") /* [-, k, beam] */                       \
    X(KPRED_ERR_NOT_APPLICABLE, -14, "the kernel does not apply to this problem")                  \
    X(KPRED_ERR_INFEASIBLE, -15, "no legal tuple exists") /* [-, rule calls of the rescue, -] */   \
    X(KPRED_ERR_BUDGET, -16, "no legal tuple within KPRED_RESCUE_CALLS") /* [-, calls, calls] */   \
    X(KPRED_ERR_BODY, -17, "body not in this build or not for this machine") /* [-, body, -] */

#define KPRI_ENUM(name, code, text) , name = code
typedef enum kpred_status { KPRED_OK = 0 KPRED_ERROR_LIST(KPRI_ENUM) } kpred_status;
#undef KPRI_ENUM

/* ---- >>types -------------------------------------------------------------------------------- */

/* Can `values[0..n_decided-1]` still become a legal tuple? The same arguments give the same answer.
   problem    the fields (sizes or token numbers), in the model's order
   values     the values of the parameters (not their indexes), in the model's order
   n_decided  0: does the kernel apply to the problem at all?
              n: is the prefix of n values legal? The caller has found the prefix of n-1 values
              legal, so a rule need check only what the n-th value decides
   Returns 1 or 0. */
typedef int (*kpred_rule)(const int32_t *problem, const int32_t *values, size_t n_decided);
#define KPRED_UNCONSTRAINED NULL /* the rule of a model without one */

typedef struct kpred_field {
    const char *name;
    const char *const *tokens; /* NULL: a size */
    int32_t n_tokens;
    int32_t least, most;              /* accepted sizes, 0..2^24; for tokens 0 and n_tokens - 1 */
    int32_t trained_min, trained_max; /* sizes seen in training */
} kpred_field;

typedef struct kpred_param {
    const char *name;
    const int32_t *values;    /* ascending; for names 0, 1, ... */
    const char *const *names; /* NULL: the values are integers */
    int32_t n_values;
} kpred_param;

struct kpred_model;

/* A scorer scores the values of the next parameter. You can use a network of your own here. `work`
   is scratch memory for one prediction; each prefix has its own `state`; both lie in the arena. For
   v < n_values, logits[v] is any log2-weight in Q16, |logit| < 2^29. `logits` has room for the
   parameter's lane (see KPRED_ARENA_WORDS), and the scorer may use all of it. */
typedef struct kpred_scorer {
    void (*start)(const struct kpred_model *model, const int32_t *problem, int32_t *work,
                  int32_t *state);
    void (*logits)(const struct kpred_model *model, int32_t *work, const int32_t *state,
                   const unsigned char *prefix, size_t n_decided, int32_t *logits);
    void (*extend)(const struct kpred_model *model, int32_t *work, const int32_t *state,
                   size_t n_decided, int32_t value_index, int32_t *next); /* NULL: state empty */
} kpred_scorer;

/* A library's own names for kernels: one for each legal choice of n_params parameters that follow
   each other. A kernel is a place in this table. */
typedef struct kpred_names {
    const char *const *names; /* [n], no two the same */
    const int32_t *values;    /* [n][n_params]: of the parameters from number `first` on; sorted */
    const int32_t *ids;       /* [n][n_ids]: the library's own numbers; -1: it is not there */
    uint32_t n, first, n_params;
    uint32_t id_field, n_ids; /* the numbers differ by the tokens of this field; n_ids 1: by none */
} kpred_names;

/* A model: generated, const, shared by all threads. */
typedef struct kpred_model {
    uint32_t format;    /* KPRED_FORMAT */
    uint64_t id;        /* hash of the content, see kpred_model_id */
    const char *name;   /* "conv_asm_1x1u", as in kpred_model_conv_asm_1x1u */
    const char *kernel; /* the kernel's own name, "ConvAsm1x1U" */
    const char *split;  /* what was kept out of training: "config", "shape", "none" */
    const kpred_field *fields;
    const kpred_param *params;
    uint32_t n_fields, n_params;
    uint32_t work_words, state_words;
    uint32_t scale;             /* of scores, Q16, 1..KPRED_MAX_SCALE */
    const char *const *runs_on; /* full names of architectures, "gfx906", then NULL; NULL: any */
    const kpred_names *names;   /* of kernels, or NULL */
    kpred_rule rule;            /* or KPRED_UNCONSTRAINED */
    const char *rule_name;      /* "" without a rule */
    const kpred_scorer *scorer;
    const void *net;        /* the scorer's; kpred_additive for kpred_additive_scorer */
    const void *extensions; /* per-extension features: none in format 3, NULL */
} kpred_model;

/* The feature program: first instructions that append a register, then instructions that append
   activations. Registers 0..n_fields-1 hold the problem. a and b are registers, n is a number of
   activations, k is a constant. Values saturate at the ends of int32_t. Logarithms are Q16; log2 of
   a number below 1 counts as 0. What a division by 2^b or k leaves over is dropped. */
typedef enum kpred_opcode {
    KPRED_OP_LOG2,     /* log2(r[a])                                                           */
    KPRED_OP_ADD,      /* r[a] + r[b]                                                          */
    KPRED_OP_SUB,      /* r[a] - r[b]                                                          */
    KPRED_OP_MUL,      /* r[a] * r[b]                                                          */
    KPRED_OP_CEIL_DIV, /* ceil(r[a] / r[b]); 0 unless r[a] >= 0 and r[b] > 0                   */
    KPRED_OP_MOD,      /* r[a] mod r[b]; 0 unless r[a] >= 0 and r[b] > 0                       */
    KPRED_OP_MIN,      /* min(r[a], r[b])                                                      */
    KPRED_OP_MAX,      /* max(r[a], r[b])                                                      */
    KPRED_OP_CONST,    /* k                                                                    */
    KPRED_OP_EQUALS,   /* n activations: 127 where r[a] == k + i, else 0                       */
    KPRED_OP_RAMP,     /* 1: (r[a] - k) * 127 / 2^b, clamped to 0..127                         */
    KPRED_OP_HATS,     /* n: 127 - |r[a] - c_i| * 127 / 2^b, at least 0, c_i = k + i * 2^b;
                          below the first centre and above the last 127                        */
    KPRED_OP_DIVIDES,  /* n: 127 where k * 2^i divides r[a], else 0                            */
    KPRED_OP_FRACTION  /* 1: (r[a] mod k) * 127 / k, k > 0; 0 for negative r[a]                */
} kpred_opcode;

typedef struct kpred_instr {
    uint8_t op, a, b, n;
    int32_t k;
} kpred_instr;

/* rows x cols weights, row by row; both multiples of 16 (padding: 0) */
typedef struct kpred_layer {
    const int8_t *weight;
    const int32_t *bias;
    uint16_t rows, cols;
    uint8_t shift; /* s above; unused in the context layer */
} kpred_layer;

/* The head of a parameter with more than one value. Other parameters have weight == NULL. */
typedef struct kpred_head {
    const int8_t *embedding; /* [sum of n_values over earlier heads][hidden] */
    const int8_t *weight;    /* [n_values rounded up to 4][hidden] */
    const int32_t *bias;
    uint8_t embedding_shift, hidden_shift, logit_shift; /* e, s, r above */
} kpred_head;

typedef struct kpred_additive {
    const kpred_instr *program;
    uint16_t n_instr, n_features, hidden;
    kpred_layer layer[3];    /* dense, dense, context (rows: heads x hidden) */
    const kpred_head *heads; /* one for each parameter */
} kpred_additive;

typedef struct kpred_tuple {
    int32_t score;                  /* log2-probability, Q16, <= 0 */
    int32_t value[KPRED_MAX_TUPLE]; /* the first n_params are set */
} kpred_tuple;

typedef struct kpred_detail {
    int32_t index, value, limit;
} kpred_detail;

/* The bodies of the built-in network: the same bits by other instructions. In the order of their
   speed, of those that a machine may have. */
typedef enum kpred_body {
    KPRED_BODY_PORTABLE = 0,
    KPRED_BODY_SSE2 = 1,
    KPRED_BODY_AVX2 = 2,
    KPRED_BODY_AVX_VNNI = 3,
    KPRED_BODY_AVX512_VNNI = 4,
    KPRED_BODY_NEON = 5,
    KPRED_BODY_NEON_DOT = 6,
    KPRED_BODIES = 7
} kpred_body;

/* The struct is visible so that the compiler knows its size. Read `extrapolated` and `detail`, and
   leave the rest alone. It holds no resource, so there is nothing to release. Contexts of one
   thread may share an arena, because an arena keeps nothing from one prediction to the next. */
typedef struct kpred_ctx {
    const kpred_model *model; /* NULL: not initialised */
    int32_t *arena;
    uint32_t beam, n_slots;
    uint32_t body;         /* a kpred_body: what this machine has. So a context that is copied to
                              another machine has to be initialised again. */
    uint32_t extrapolated; /* by the last prediction that succeeded: bit f is set if field f
                              lies outside the range that the model was trained on */
    kpred_detail detail;   /* after an error, see >>status */
} kpred_ctx;

/* ---- >>api ---------------------------------------------------------------------------------- */

#ifndef KPRED_STATIC
/* The built-in scorer, for models whose `net` is a kpred_additive. */
extern const kpred_scorer kpred_additive_scorer;
#endif

/* The words of arena that `model` needs with `beam`. 0: model is null, or beam is out of range. */
KPRED_API size_t kpred_arena_words(const kpred_model *model, size_t beam);

/* Binds a context to a model and an arena (int32_t words, contents irrelevant) and checks both.
   beam 1..KPRED_MAX_BEAM; version: KPRED_VERSION. Reads the whole model once to check its id, so
   keep it out of the launch path. On an error *ctx is left not initialised, with detail set.
   Takes the fastest body of the build that the machine has; where the compiler's flags promise it,
   without a question to the machine.
   Errors: NULL, VERSION, FORMAT, MODEL, ID, BEAM, ALIGN, ARENA, BODY (the build has one body alone,
   and the machine lacks it). */
KPRED_API KPRED_MUST_CHECK kpred_status kpred_init(kpred_ctx *ctx, uint32_t version,
                                                   const kpred_model *model, size_t beam,
                                                   int32_t *arena, size_t words);

/* The same for the model of `known`, a context that kpred_init has bound in this process: with its
   body, and without a look at the model, which is what takes microseconds. Not checked again: the
   version, the format and the id of the model. `known` may be ctx itself.
   Errors: NULL, CONTEXT (of `known`), BEAM, ALIGN, ARENA. */
KPRED_API KPRED_MUST_CHECK kpred_status kpred_init_again(kpred_ctx *ctx, const kpred_ctx *known,
                                                         size_t beam, int32_t *arena, size_t words);

/* For a caller who has a moment before the launch path: reads what a prediction reads, so that the
   next one finds model, arena and code in the caches. It changes nothing, and does nothing with a
   context that is null or not initialised. */
KPRED_API void kpred_touch(const kpred_ctx *ctx);

/* Takes another body, for tests and benchmarks. Errors: NULL, CONTEXT, BODY; the context then stays
   as it was. */
KPRED_API KPRED_MUST_CHECK kpred_status kpred_set_body(kpred_ctx *ctx, kpred_body body);

/* "avx2"; never NULL */
KPRED_API const char *kpred_body_name(kpred_body body);

/* The best k legal tuples, 1 <= k <= beam, into out[0..*n_out-1], best first; *n_out may be less
   than k (never 0 on KPRED_OK). problem[0..n_fields-1]: sizes and token numbers in model order.
   No two of *ctx, the arena, problem, out[0..k-1] and *n_out may overlap.
   Errors: NULL, CONTEXT, K, FIELDS, SIZE, TOKEN, NOT_APPLICABLE, INFEASIBLE, BUDGET. */
KPRED_API KPRED_MUST_CHECK kpred_status kpred_predict(kpred_ctx *ctx, const int32_t *problem,
                                                      size_t n_fields, kpred_tuple *out, size_t k,
                                                      size_t *n_out);

/* 1 if the kernel applies to the problem and its rule accepts all n_params values, else 0.
   pre: each problem[f] lies in the field's least..most, which kpred_predict checks and this does
   not */
KPRED_API int kpred_legal(const kpred_model *model, const int32_t *problem, const int32_t *values);

/* The index of the field with this name; -1: there is none. */
KPRED_API int32_t kpred_field_index(const kpred_model *model, const char *name);

/* The number of the token with this name; -1: the token is unknown, or the field has no tokens. */
KPRED_API int32_t kpred_token(const kpred_model *model, size_t field, const char *name);

/* Does the kernel run on GPUs of this architecture, "gfx908"? The rest of a longer name, as in
   "gfx906_60", does not count. Returns 1 or 0, and 1 if the model does not say. */
KPRED_API int kpred_runs_on(const kpred_model *model, const char *arch);

/* The token of the trained GPU that is nearest to `arch` ("gfx908") with so many `units`, as HIP
   counts them (0: unknown). The same arch is nearer than any other; then the nearest arch number
   decides; then the nearest number of units. Where several are equally near, or units is 0, the GPU
   with the most units is taken, and the first of equals. With units 0, the name may give the units
   ("gfx906_60"). *exact (may be NULL) is 1 if this GPU itself was trained, or this arch where no
   units are given; else 0. Returns -1 if the model has no field "gpu", if arch is no gfx name, or
   if the kernel does not run there. */
KPRED_API int32_t kpred_gpu_token(const kpred_model *model, const char *arch, int32_t units,
                                  int *exact);

/* The kernel that a tuple means, by model->names; -1: the model has no names, or none for it. The
   three functions below take what this one and kpred_kernel_named return. */
KPRED_API int32_t kpred_kernel_of(const kpred_model *model, const int32_t *values);

/* The kernel with this name; -1: there is none. */
KPRED_API int32_t kpred_kernel_named(const kpred_model *model, const char *name);

/* The name of a kernel; NULL: there is no such kernel. */
KPRED_API const char *kpred_kernel_name(const kpred_model *model, int32_t kernel);

/* The library's own number of a kernel, for the problem's GPU; -1: there is no such kernel, or
   that GPU lacks it. */
KPRED_API int32_t kpred_kernel_id(const kpred_model *model, int32_t kernel, const int32_t *problem);

/* Sets in values[0..n_params-1], of the model, those that the kernel's name stands for, and leaves
   the others alone. Returns 1, or 0: there is no such kernel. */
KPRED_API int kpred_kernel_values(const kpred_model *model, int32_t kernel, int32_t *values);

/* The probability of a score, Q24: 2^24 is certainty. It is the probability among all tuples of the
   vocabulary, and these include the illegal ones. pre: score <= 0 */
KPRED_API int32_t kpred_probability(int32_t score);

/* How many of the n tuples, in the given order, together have this share of the probability? share
   is Q24, 1..2^24, as for kpred_probability. 0: all n together do not reach it. A caller who can
   time candidates need not time more than this number. pre: no tuple comes twice */
KPRED_API size_t kpred_tuples_needed(const kpred_tuple *tuples, size_t n, int32_t share);

/* A hash of all that the runtime reads of a model: name, fields, parameters, program and weights.
   It leaves out addresses, the names of kernels, and a net that is not a kpred_additive. */
KPRED_API uint64_t kpred_model_id(const kpred_model *model);

/* What the status means, in English; never NULL. */
KPRED_API const char *kpred_status_string(kpred_status status);

/* For definitions here and in kpred_constraints.h, bounds that always hold. Frama-C sees no further
   than them (tests/proof): what is read back from the arena could be anything to it. With
   KPRED_PROOF_ABORT a program ends where one does not hold, which is for tests. */
#ifdef KPRED_PROOF_ABORT
#define KPRI_HOLDS(condition) ((condition) || (__builtin_trap(), 0))
#else
#define KPRI_HOLDS(condition) (condition)
#endif

#ifdef __cplusplus
}
#endif
#endif /* KPRED_H */

/* ============================================================================================= */
#if defined(KPRED_IMPLEMENTATION) && !defined(KPRI_IMPLEMENTED)
#define KPRI_IMPLEMENTED

/* ---- >>portability -------------------------------------------------------------------------- */

#ifndef KPRED_SIMD
#if !defined(__STDC_HOSTED__) || !__STDC_HOSTED__
#define KPRED_SIMD 0
#elif defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#define KPRED_SIMD KPRED_SIMD_X86
#elif defined(__SSE2__)
#define KPRED_SIMD 1
#elif defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
#define KPRED_SIMD 6
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define KPRED_SIMD 5
#else
#define KPRED_SIMD 0
#endif
#endif

/* Is the body with that number in this build? VNNI needs gcc 11 or clang 12. */
#if KPRED_SIMD == KPRED_SIMD_X86 && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define KPRI_HAS(body) ((body) <= 4)
#elif KPRED_SIMD == KPRED_SIMD_X86
#define KPRI_HAS(body) ((body) <= 2)
#else
#define KPRI_HAS(body) ((body) == KPRED_SIMD)
#endif

#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)
#include <cpuid.h>
#include <immintrin.h>
#elif KPRI_HAS(1)
#include <emmintrin.h>
#elif KPRI_HAS(5) || KPRI_HAS(6)
#include <arm_neon.h>
#endif

#ifdef __cplusplus
#if defined(__GNUC__) /* this file is also C, and casts and initialises as C does */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif
extern "C" {
#endif

/* Compilers turn loops that copy or clear into calls of memcpy and memset, which a freestanding
   program may lack. A loop whose counter is hidden from the compiler stays a loop. */
#if defined(__GNUC__)
#define KPRI_KEEP_LOOP(i)     __asm__ volatile("" : "+r"(i))
#define KPRI_IN_PLACE(x)      __asm__("" : "+x"(x))
#define KPRI_MAYBE_UNUSED     __attribute__((unused))
#define KPRI_NOINLINE         __attribute__((noinline))
#define KPRI_ALIGNED          __attribute__((aligned(64)))
#define KPRI_INLINE           inline __attribute__((always_inline))
#define KPRI_TARGET(features) __attribute__((target(features)))
#else
#define KPRI_KEEP_LOOP(i) ((void)(i))
#define KPRI_MAYBE_UNUSED inline
#define KPRI_NOINLINE
#define KPRI_ALIGNED
#define KPRI_INLINE
#endif

/* IN_PLACE: a vector that a loop adds to stays in its register; gcc would copy it to another one
   and back. HOT: called from two places, and worth a copy at each where the code need not be small.
   LOOP: where gcc inlines these loops, it no longer knows that pointers do not alias; and they take
   a fifth longer or not by where in a line of the cache they begin. */
#ifdef __OPTIMIZE_SIZE__
#define KPRI_HOT
#define KPRI_LOOP
#else
#define KPRI_HOT  KPRI_INLINE
#define KPRI_LOOP KPRI_NOINLINE KPRI_ALIGNED
#endif

/*@ requires end > 0;
    assigns \nothing;
    ensures \result < end && (x < end ==> \result == x); */
static KPRI_INLINE uint32_t kpri_below(uint32_t x, uint32_t end)
{
    return KPRI_HOLDS(x < end) ? x : 0;
}

/*@ assigns \nothing;
    ensures \result <= most && (x <= most ==> \result == x); */
static KPRI_INLINE size_t kpri_at_most(size_t x, size_t most)
{
    return KPRI_HOLDS(x <= most) ? x : most;
}

/*@ requires \valid(to + (0 .. n - 1)) && \valid_read(from + (0 .. n - 1));
    requires \separated(to + (0 .. n - 1), from + (0 .. n - 1));
    assigns to[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> to[i] == from[i]; */
static KPRI_INLINE void kpri_copy(int32_t *to, const int32_t *from, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        KPRI_KEEP_LOOP(i);
        to[i] = from[i];
    }
}

/* For generated rules that list their legal tuples. There is a bit for each prefix of values; it is
   1 if a legal tuple begins with the prefix. The empty prefix comes first, then the prefixes of one
   value, of two, and so on; prefixes of one length stand in the order of their values' indexes.
   pre: there are fewer than 2^32 bits; the first n - 1 values are values of their parameters */
static KPRI_MAYBE_UNUSED int kpri_listed(const kpred_param *params, const uint8_t *bits,
                                         const int32_t *values, size_t n)
{
    uint32_t first = 0, size = 1, at = 0;
    size_t t;
    for (t = 0; t < n; t++) {
        const int32_t count = params[t].n_values;
        int32_t v = 0;
        while (v < count && params[t].values[v] != values[t])
            v++;
        if (v == count)
            return 0;
        first += size;
        size *= (uint32_t)count;
        at = at * (uint32_t)count + (uint32_t)v;
    }
    at += first;
    return bits[at / 8] >> (at % 8) & 1;
}

/* How the first n of a kernel's values compare with others: -1, 0 or 1 */
/*@ requires \valid_read(kernel + (0 .. n - 1)) && \valid_read(values + (0 .. n - 1));
    assigns \nothing;
    ensures -1 <= \result <= 1;
    ensures \result == 0 <==> (\forall integer i; 0 <= i < n ==> kernel[i] == values[i]);
    ensures \result < 0 ==> \exists integer i; 0 <= i < n && kernel[i] < values[i]
        && \forall integer j; 0 <= j < i ==> kernel[j] == values[j];
    ensures \result > 0 ==> \exists integer i; 0 <= i < n && kernel[i] > values[i]
        && \forall integer j; 0 <= j < i ==> kernel[j] == values[j]; */
static int kpri_compare_values(const int32_t *kernel, const int32_t *values, size_t n)
{
    size_t p;
    for (p = 0; p < n; p++)
        if (kernel[p] != values[p])
            return kernel[p] < values[p] ? -1 : 1;
    return 0;
}

/* The first kernel whose first n values are not less than these. */
/*@ requires \valid_read(k) && k->n < 2147483648 && n <= k->n_params;
    requires \valid_read(k->values + (0 .. k->n * k->n_params - 1));
    requires \valid_read(values + (0 .. n - 1));
    assigns \nothing;
    ensures \result <= k->n; */
static uint32_t kpri_first_kernel(const kpred_names *k, const int32_t *values, size_t n)
{
    uint32_t low = 0, high = k->n;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (kpri_compare_values(k->values + (size_t)mid * k->n_params, values, n) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What a generated rule says of all values, beside what its names say */
typedef int (*kpri_condition)(const int32_t *problem, const int32_t *values);

/* Is there a kernel for the problem that begins with the `have` values behind values[first-1], and
   with which the condition is true? It writes the kernel's values behind them. */
static int kpri_any_kernel(const kpred_names *k, kpri_condition condition, const int32_t *problem,
                           int32_t *values, size_t have)
{
    const size_t n_params = k->n_params, n_ids = k->n_ids;
    const int32_t *ids = k->ids + (n_ids > 1 ? (uint32_t)problem[k->id_field] : 0);
    const uint32_t n = k->n;
    int32_t *own = values + k->first;
    uint32_t i;
    for (i = kpri_first_kernel(k, own, have); i < n; i++) {
        const int32_t *kernel = k->values + i * n_params;
        size_t p;
        if (kpri_compare_values(kernel, own, have) != 0)
            return 0;
        if (ids[i * n_ids] < 0)
            continue;
        /*@ loop unroll 32; */
        for (p = have; p < n_params; p++)
            own[p] = kernel[p];
        if (!condition || condition(problem, values))
            return 1;
    }
    return 0;
}

/* For generated rules by names: may the first n values become a legal tuple? It looks ahead to the
   end. pre: the kernel decides all parameters, or all but the first one */
static KPRI_MAYBE_UNUSED int kpri_named(const kpred_names *k, const kpred_param *params,
                                        kpri_condition condition, const int32_t *problem,
                                        const int32_t *values, size_t n)
{
    int32_t v[KPRED_MAX_TUPLE], i;
    size_t t;
    /*@ loop unroll 32; */
    for (t = 0; t < n; t++)
        v[t] = values[t];
    if (n >= k->first)
        return kpri_any_kernel(k, condition, problem, v, n - k->first);
    for (i = 0; i < params[0].n_values; i++) {
        v[0] = params[0].values[i];
        if (kpri_any_kernel(k, condition, problem, v, 0))
            return 1;
    }
    return 0;
}

static KPRI_INLINE int kpri_same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* ---- >>math --------------------------------------------------------------------------------- */

/* round(2^24 * 2^(-i/64)) */
static const int32_t kpri_exp2_table[65] = {
    16777216, 16596492, 16417715, 16240863, 16065917, 15892855, 15721658, 15552304, 15384775,
    15219050, 15055111, 14892937, 14732511, 14573813, 14416824, 14261526, 14107901, 13955931,
    13805598, 13656884, 13509772, 13364245, 13220286, 13077877, 12937002, 12797645, 12659789,
    12523418, 12388516, 12255067, 12123055, 11992466, 11863283, 11735492, 11609078, 11484025,
    11360319, 11237946, 11116891, 10997140, 10878679, 10761494, 10645571, 10530897, 10417458,
    10305242, 10194234, 10084422, 9975792,  9868333,  9762032,  9656875,  9552851,  9449948,
    9348154,  9247455,  9147842,  9049301,  8951823,  8855394,  8760003,  8665641,  8572295,
    8479954,  8388608};

/* round(2^16 * log2(1 + i/64)) */
static const int32_t kpri_log2_table[65] = {
    0,     1466,  2909,  4331,  5732,  7112,  8473,  9814,  11136, 12440, 13727, 14996, 16248,
    17484, 18704, 19909, 21098, 22272, 23433, 24579, 25711, 26830, 27936, 29029, 30109, 31178,
    32234, 33279, 34312, 35334, 36346, 37346, 38336, 39316, 40286, 41246, 42196, 43137, 44068,
    44990, 45904, 46809, 47705, 48593, 49472, 50344, 51207, 52063, 52911, 53751, 54584, 55410,
    56229, 57040, 57845, 58643, 59434, 60219, 60997, 61769, 62534, 63294, 64047, 64794, 65536};

/*@ assigns \nothing;
    ensures \result == \max(INT32_MIN, \min(INT32_MAX, x)); */
static int32_t kpri_saturate(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* 2^-x in Q24, x in Q16. post: 0..2^24, falling in x.
   A table step is at most 180724 and the fraction below 2^10, so the product fits 31 bits. */
/*@ assigns \nothing;
    ensures 0 <= \result <= 16777216 && (x == 0 ==> \result == 16777216); */
static int32_t kpri_exp2_neg(uint32_t x)
{
    const int32_t *t = kpri_exp2_table + ((x >> 10) & 63);
    if (x >= 25 << 16)
        return 0;
    return (t[0] - (((t[0] - t[1]) * (int32_t)(x & 1023)) >> 10)) >> (x >> 16);
}

/* How many bits of x are 0 above its highest 1, or above its last bit */
/*@ assigns \nothing;
    ensures 0 <= \result <= 31; */
static int32_t kpri_leading_zeros(uint32_t x)
{
#if defined(__GNUC__)
    return __builtin_clz(x | 1);
#else
    int32_t n = 0, step;
    for (step = 16; step > 0; step >>= 1)
        if (!(x >> (32 - step))) {
            x <<= step;
            n += step;
        }
    return n;
#endif
}

/* log2(x) in Q16, and 0 for 0. post: rising in x.
   A table step is at most 1466 and the fraction below 2^16, so the product fits 31 bits. */
/*@ assigns \nothing;
    ensures 0 <= \result <= 32 * 65536 && (x <= 2147483648 ==> \result <= 31 * 65536);
    ensures x >= 16777216 ==> \result >= 24 * 65536; */
static int32_t kpri_log2(uint32_t x)
{
    const int32_t zeros = kpri_leading_zeros(x);
    const uint32_t m = x << zeros;
    const int32_t *t = kpri_log2_table + ((m >> 25) & 63);
    return (31 - zeros) * 65536 + t[0] + (((t[1] - t[0]) * (int32_t)((m >> 9) & 65535)) >> 16);
}

/* log2(sum_v 2^x_v) in Q16, which makes log2-probabilities of logits. The largest term is taken
   out, and is 2^24, so that the sum of the others with it lies in 2^24..2^31. */
/*@ requires 1 <= n <= 128 && \valid_read(x + (0 .. n - 1));
    requires \forall integer i; 0 <= i < n ==> -536870912 < x[i] < 536870912;
    assigns \nothing;
    ensures \forall integer i; 0 <= i < n ==> x[i] <= (int32_t)\result;
    ensures -536870912 < (int32_t)\result < 536870912 + 7 * 65536; */
static uint32_t kpri_norm(const int32_t *x, size_t n)
{
    int32_t most = x[0];
    uint32_t sum = 0;
    size_t v;
    for (v = 1; v < n; v++)
        most = x[v] > most ? x[v] : most;
    for (v = 0; v < n; v++)
        sum += (uint32_t)kpri_exp2_neg((uint32_t)most - (uint32_t)x[v]);
    sum = (uint32_t)kpri_log2(sum) - 24 * 65536;
    return (uint32_t)most + sum;
}

/* n logits to `start` plus their log2-probabilities, each of which is -2^26..0 */
/*@ requires 1 <= n <= 128 && \valid(x + (0 .. n - 1)) && -1073741824 <= start <= 0;
    requires \forall integer i; 0 <= i < n ==> -536870912 < x[i] < 536870912;
    assigns x[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> start - 67108864 <= x[i] <= start; */
static void kpri_scores1(int32_t *x, size_t n, int32_t start)
{
    const uint32_t norm = kpri_norm(x, n);
    size_t v;
    start = KPRI_HOLDS(start >= -(1 << 30)) ? start : -(1 << 30);
    for (v = 0; v < n; v++) {
        const uint32_t down = norm - (uint32_t)x[v];
        x[v] = start - (int32_t)(down < 1 << 26 ? down : 1 << 26);
    }
}

/* ---- >>features ----------------------------------------------------------------------------- */

/* The value that a register instruction appends. */
/*@ requires \valid_read(in) && \valid_read(r + in->a) && \valid_read(r + in->b);
    assigns \nothing; */
static int32_t kpri_register(const kpred_instr *in, const int32_t *r)
{
    const int32_t a = r[in->a], b = r[in->b];
    switch (in->op) {
    case KPRED_OP_LOG2: return a > 1 ? kpri_log2((uint32_t)a) : 0;
    case KPRED_OP_ADD: return kpri_saturate((int64_t)a + b);
    case KPRED_OP_SUB: return kpri_saturate((int64_t)a - b);
    case KPRED_OP_MUL: return kpri_saturate((int64_t)a * b);
    case KPRED_OP_CEIL_DIV: return a < 1 || b < 1 ? 0 : (a - 1) / b + 1;
    case KPRED_OP_MOD: return a < 0 || b <= 0 ? 0 : a % b;
    case KPRED_OP_MIN: return a < b ? a : b;
    case KPRED_OP_MAX: return a > b ? a : b;
    default: return in->k;
    }
}

/* min(127, d * 127 / 2^shift). pre: 0 <= d < 2^56 */
/*@ requires shift < 32;
    assigns \nothing;
    ensures 0 <= \result <= 127; */
static int32_t kpri_share(int64_t d, unsigned shift)
{
    const uint64_t q = ((uint64_t)d * 127) >> shift;
    return q > 127 ? 127 : (int32_t)q;
}

/* HATS: d lies between two centres, or beyond the first or the last of them. All others stay 0. */
/*@ requires 1 <= n <= 255 && shift < 32 && -4294967296 < d < 4294967296;
    requires \valid(x + (0 .. n - 1)) && \forall integer i; 0 <= i < n ==> x[i] == 0;
    assigns x[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> 0 <= x[i] <= 127; */
static void kpri_hats(int64_t d, unsigned shift, int32_t n, int16_t *x)
{
    const int64_t centre = (d < 0 ? 0 : d) >> shift;
    const int32_t i = centre < n - 1 ? (int32_t)centre : n - 1;
    const int64_t off = d - ((int64_t)i << shift);
    if (d < 0 || i == n - 1) {
        x[i] = 127;
        return;
    }
    x[i] = (int16_t)(127 - kpri_share(off, shift));
    x[i + 1] = (int16_t)(127 - kpri_share(((int64_t)1 << shift) - off, shift));
}

/* The n activations of an instruction, 0..127, into x, which is 0.
   pre: DIVIDES: 1 <= k * 2^i < 2^31; FRACTION: 1 <= k <= 2^24 */
static void kpri_activate(const kpred_instr *in, int32_t a, int16_t *x)
{
    const int64_t d = (int64_t)a - in->k; /* EQUALS, RAMP, HATS: beyond the first value or centre */
    int32_t i;
    switch (in->op) {
    case KPRED_OP_EQUALS:
        if (d >= 0 && d < in->n)
            x[d] = 127;
        break;
    case KPRED_OP_RAMP: x[0] = (int16_t)(d < 0 ? 0 : kpri_share(d, in->b)); break;
    case KPRED_OP_HATS: kpri_hats(d, in->b, in->n, x); break;
    case KPRED_OP_DIVIDES:
        for (i = 0; i < in->n; i++)
            x[i] = a % (in->k << i) == 0 ? 127 : 0;
        break;
    default: x[0] = (int16_t)(a < 0 ? 0 : a % in->k * 127 / in->k);
    }
}

/* Runs the program. The first registers r hold the problem. It writes the activations to x, and
   sets the rest of x[0..width-1] to 0, eight at a time: x ends behind a multiple of eight. */
static void kpri_features(const kpred_additive *net, size_t n_fields, size_t width, int32_t *r,
                          int16_t *x)
{
    const kpred_instr *in = net->program, *end = in + net->n_instr;
    int32_t *next = r + n_fields;
    size_t n;
    for (n = 0; n < width; n += 8) {
        KPRI_KEEP_LOOP(n);
        x[n] = x[n + 1] = x[n + 2] = x[n + 3] = 0;
        x[n + 4] = x[n + 5] = x[n + 6] = x[n + 7] = 0;
    }
    for (; in < end; in++)
        if (in->op <= KPRED_OP_CONST) {
            *next++ = kpri_register(in, r);
        } else {
            kpri_activate(in, r[in->a], x);
            x += in->n;
        }
}

/* ---- >>network ------------------------------------------------------------------------------ */

/* No accumulator below overflows int32: the exporter proves it for each row from the weights and
   activations of 0..127. tests/model/test_models.c proves it again for the shipped arrays. */

/* Records, and a lane of numbers for each: where the first ones are, how far the next ones lie
   behind them, and how many there are. A record begins with its score, and has the indexes of its
   prefix. */
typedef struct kpri_lanes {
    int32_t *x;
    const int32_t *record;
    const unsigned char *prefix;
    size_t lane, record_words, n;
} kpri_lanes;

/* Where the rows of an embedding begin: those for the values of the i-th parameter that has a head
   at first[i]. That is parameter param[i]; before[t] of them come before parameter t. */
typedef struct kpri_rows {
    uint16_t first[KPRED_MAX_PARAMS];
    unsigned char param[KPRED_MAX_PARAMS], before[KPRED_MAX_TUPLE];
} kpri_rows;

/* A head with what it needs of the prediction: a prefix adds n_rows rows. */
typedef struct kpri_parameter {
    const kpred_head *head;
    const int32_t *base;
    const kpri_rows *rows;
    uint32_t n_rows, hidden, values;
} kpri_parameter;

/* Each body has the same functions with the same results:
     matvec      y = bias + w x. pre: rows a multiple of 4, cols of 16, x of 0..127. x is lost.
     requantise  y = min(127, max(0, floor((acc + 2^(s-1)) / 2^s))).
                 pre: 1 <= s <= 24, acc + 2^(s-1) < 2^31; n a multiple of 16
     head        the logits of a parameter: `values` in each lane, a multiple of 4. The hidden units
                 of a record are base + 2^e * (sum of the embedding's rows that its prefix adds: 15
                 at most, so that it fits int16), requantised; e is embedding_shift, at most 15.
     scores      the n logits of each lane to the scores of its record, extended by each value. It
                 may read and write up to a multiple of 4 numbers of a lane.
     powers      the sum of 2^(scale * x) in Q24, x being n scores less `from`: -2^26..0. It may
                 read up to a multiple of 4.
   pre: no pointer aliases another, but that y of requantise may be the input that the accumulators
   came from. */
typedef struct kpri_arith {
    void (*matvec)(const int8_t *w, const int32_t *bias, size_t rows, size_t cols, int16_t *x,
                   int32_t *y);
    void (*requantise)(const int32_t *acc, unsigned s, size_t n, int16_t *y);
    void (*head)(const kpri_parameter *p, const kpri_lanes *l);
    void (*scores)(const kpri_lanes *l, size_t n);
    uint32_t (*powers)(const int32_t *score, size_t n, int32_t from, uint32_t scale);
} kpri_arith;

/* The place of the i-th row that a prefix adds */
static uint32_t kpri_prefix_row(const kpri_parameter *p, const unsigned char *prefix, size_t i)
{
    return ((uint32_t)p->rows->first[i] + prefix[p->rows->param[i]]) * p->hidden;
}

static KPRI_MAYBE_UNUSED void kpri_prefix_rows(const kpri_parameter *p, const unsigned char *prefix,
                                               uint32_t *row)
{
    size_t i;
    for (i = 0; i < p->n_rows; i++)
        row[i] = kpri_prefix_row(p, prefix, i);
}

/*@ requires scale <= KPRED_MAX_SCALE;
    assigns \nothing;
    ensures x <= 1073741824 ==> \result == x * scale / 65536 <= 2147483648 - 134217728; */
static uint32_t kpri_scaled(uint32_t x, uint32_t scale)
{
    return (uint32_t)(((uint64_t)x * scale) >> 16);
}

/* The steps of the table are fine enough: one is about a hundredth. */
static uint32_t kpri_powers(const int32_t *score, size_t n, int32_t from, uint32_t scale)
{
    uint32_t sum = 0;
    size_t v;
    for (v = 0; v < n; v++) {
        const uint32_t bits = kpri_scaled((uint32_t)from - (uint32_t)score[v], scale);
        const uint32_t down = bits >> 16;
        sum += (uint32_t)kpri_exp2_table[(bits >> 10) & 63] >> (down < 31 ? down : 31);
    }
    return sum;
}

static void kpri_scores(const kpri_lanes *l, size_t n)
{
    size_t i;
    /*@ loop unroll 4; */
    for (i = 0; i < l->n; i++)
        kpri_scores1(l->x + i * l->lane, n, l->record[i * l->record_words]);
}

/* head by a function for the hidden units of a record and one for the product */
#define KPRI_HEAD(name, hidden_units, matvec)                                      \
    static void name(const kpri_parameter *p, const kpri_lanes *l)                 \
    {                                                                              \
        const kpred_head *head = p->head;                                          \
        const size_t n = l->n, values = p->values;                                 \
        int16_t h[KPRED_MAX_HIDDEN];                                               \
        size_t i, v;                                                               \
        /*@ loop unroll 4; */                                                      \
        for (i = 0; i < n; i++) {                                                  \
            int32_t *logits = l->x + i * l->lane;                                  \
            hidden_units(p, l->prefix + i * l->record_words * sizeof(int32_t), h); \
            matvec(head->weight, head->bias, values, p->hidden, h, logits);        \
            /*@ loop unroll 128; */                                                \
            for (v = 0; v < values; v++)                                           \
                logits[v] *= 1 << head->logit_shift;                               \
        }                                                                          \
    }

/* ---- SSE2 ---- */

#if KPRI_HAS(1) || KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

static __m128i kpri_load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static void kpri_store(void *p, __m128i x)
{
    _mm_storeu_si128((__m128i *)p, x);
}

#endif

#if KPRI_HAS(1)

/* Adds the four lanes of each of four vectors: {sum a, sum b, sum c, sum d} */
static __m128i kpri_sum4(__m128i a, __m128i b, __m128i c, __m128i d)
{
    const __m128i ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    const __m128i cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    return _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
}

/* The lower and the upper eight of 16 bytes, widened */
static __m128i kpri_widen_lo(__m128i q)
{
    return _mm_srai_epi16(_mm_unpacklo_epi8(q, q), 8);
}

static __m128i kpri_widen_hi(__m128i q)
{
    return _mm_srai_epi16(_mm_unpackhi_epi8(q, q), 8);
}

/* acc + 256 times the products of 16 weights with 16 activations, in four lanes: a weight in the
   upper half of its lane needs no widening. 256 * 192 * 127 * 127 < 2^31. */
static __m128i kpri_madd16(__m128i acc, const int8_t *w, __m128i x0, __m128i x1)
{
    const __m128i q = kpri_load(w), zero = _mm_setzero_si128();
    acc = _mm_add_epi32(acc, _mm_madd_epi16(_mm_unpacklo_epi8(zero, q), x0));
    return _mm_add_epi32(acc, _mm_madd_epi16(_mm_unpackhi_epi8(zero, q), x1));
}

static void kpri_matvec_sse2(const int8_t *w, const int32_t *bias, size_t rows, size_t cols,
                             int16_t *x, int32_t *y)
{
    size_t r, i;
    for (r = 0; r < rows; r += 4, w += 4 * cols) {
        __m128i a = _mm_setzero_si128(), b = a, c = a, d = a;
        for (i = 0; i < cols; i += 16) {
            const __m128i x0 = kpri_load(x + i), x1 = kpri_load(x + i + 8);
            a = kpri_madd16(a, w + i, x0, x1);
            b = kpri_madd16(b, w + i + cols, x0, x1);
            c = kpri_madd16(c, w + i + 2 * cols, x0, x1);
            d = kpri_madd16(d, w + i + 3 * cols, x0, x1);
        }
        kpri_store(y + r,
                   _mm_add_epi32(_mm_srai_epi32(kpri_sum4(a, b, c, d), 8), kpri_load(bias + r)));
    }
}

/* Eight accumulators, to which 2^(s-1) has been added, to activations */
static __m128i kpri_requantise8(__m128i lo, __m128i hi, __m128i s)
{
    const __m128i q = _mm_packs_epi32(_mm_sra_epi32(lo, s), _mm_sra_epi32(hi, s));
    return _mm_max_epi16(_mm_min_epi16(q, _mm_set1_epi16(127)), _mm_setzero_si128());
}

static void kpri_requantise_sse2(const int32_t *acc, unsigned s, size_t n, int16_t *y)
{
    const __m128i half = _mm_set1_epi32(1 << (s - 1)), shift = _mm_cvtsi32_si128((int)s);
    size_t i;
    for (i = 0; i < n; i += 8)
        kpri_store(y + i, kpri_requantise8(_mm_add_epi32(kpri_load(acc + i), half),
                                           _mm_add_epi32(kpri_load(acc + i + 4), half), shift));
}

/* base + half + 2^e * sums, where the sums are the upper halves of the lanes and down is 16 - e */
static __m128i kpri_shifted(const int32_t *base, __m128i half, __m128i sums, __m128i down)
{
    return _mm_add_epi32(_mm_add_epi32(kpri_load(base), half), _mm_sra_epi32(sums, down));
}

static void kpri_hidden_sse2(const kpri_parameter *p, const unsigned char *prefix, int16_t *h)
{
    const kpred_head *head = p->head;
    const __m128i half = _mm_set1_epi32(1 << (head->hidden_shift - 1)), zero = _mm_setzero_si128();
    const __m128i by = _mm_cvtsi32_si128(head->hidden_shift);
    const __m128i down = _mm_cvtsi32_si128(16 - head->embedding_shift);
    uint32_t row[KPRED_MAX_PARAMS];
    size_t i, r;
    kpri_prefix_rows(p, prefix, row);
    for (i = 0; i < p->hidden; i += 16) {
        const int32_t *base = p->base + i;
        __m128i a = zero, b = zero;
        for (r = 0; r < p->n_rows; r++) {
            const __m128i q = kpri_load(head->embedding + row[r] + i);
            a = _mm_add_epi16(a, kpri_widen_lo(q));
            b = _mm_add_epi16(b, kpri_widen_hi(q));
        }
        kpri_store(h + i, kpri_requantise8(
                              kpri_shifted(base, half, _mm_unpacklo_epi16(zero, a), down),
                              kpri_shifted(base + 4, half, _mm_unpackhi_epi16(zero, a), down), by));
        kpri_store(
            h + i + 8,
            kpri_requantise8(kpri_shifted(base + 8, half, _mm_unpacklo_epi16(zero, b), down),
                             kpri_shifted(base + 12, half, _mm_unpackhi_epi16(zero, b), down), by));
    }
}

KPRI_HEAD(kpri_head_sse2, kpri_hidden_sse2, kpri_matvec_sse2)
static const kpri_arith kpri_sse2 = {kpri_matvec_sse2, kpri_requantise_sse2, kpri_head_sse2,
                                     kpri_scores, kpri_powers};

#endif

/* ---- AVX2 and VNNI ---- */

#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

/* Activations as bytes in their own place; these bodies multiply them with weights as they are. */
KPRI_TARGET("avx2") static const unsigned char *kpri_pack(int16_t *x, size_t n)
{
    unsigned char *q = (unsigned char *)x;
    size_t i;
    for (i = 0; i < n; i += 16)
        kpri_store(q + i, _mm_packus_epi16(kpri_load(x + i), kpri_load(x + i + 8)));
    return q;
}

KPRI_TARGET("avx2") static __m256i kpri_load256(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

KPRI_TARGET("avx2") static void kpri_store256(void *p, __m256i x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}

/* 16 bytes, and 16 zeros behind them */
KPRI_TARGET("avx2") static __m256i kpri_load_half(const void *p)
{
    return _mm256_inserti128_si256(_mm256_setzero_si256(), kpri_load(p), 0);
}

/* Adds the eight lanes of each of four vectors: {sum a, sum b, sum c, sum d} */
KPRI_TARGET("avx2") static __m128i kpri_sum8(__m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
}

/* y = (bias + the sums of each of four vectors) * 2^up */
KPRI_TARGET("avx2")
static KPRI_INLINE void kpri_put4(__m256i a, __m256i b, __m256i c, __m256i d, const int32_t *bias,
                                  __m128i up, int32_t *y)
{
    kpri_store(y, _mm_sll_epi32(_mm_add_epi32(kpri_sum8(a, b, c, d), kpri_load(bias)), up));
}

/* 16 accumulators to activations */
KPRI_TARGET("avx2")
static void kpri_requantise_avx2(const int32_t *acc, unsigned s, size_t n, int16_t *y)
{
    const __m256i half = _mm256_set1_epi32(1 << (s - 1)), most = _mm256_set1_epi16(127);
    const __m128i by = _mm_cvtsi32_si128((int)s);
    size_t i;
    for (i = 0; i < n; i += 16) {
        const __m256i lo = _mm256_sra_epi32(_mm256_add_epi32(kpri_load256(acc + i), half), by);
        const __m256i hi = _mm256_sra_epi32(_mm256_add_epi32(kpri_load256(acc + i + 8), half), by);
        const __m256i q = _mm256_permute4x64_epi64(_mm256_packs_epi32(lo, hi), 0xd8);
        kpri_store256(y + i, _mm256_max_epi16(_mm256_min_epi16(q, most), _mm256_setzero_si256()));
    }
}

/* What the hidden units of a parameter are made of, but for the rows */
typedef struct kpri_units {
    const int32_t *base;
    const int8_t *from;
    size_t rows;
    __m256i half;
    __m128i up, by;
} kpri_units;

/* (base + half + 2^up * eight sums) / 2^by */
KPRI_TARGET("avx2")
static KPRI_INLINE __m256i kpri_units8(const kpri_units *u, size_t i, __m128i sums)
{
    const __m256i shifted = _mm256_sll_epi32(_mm256_cvtepi16_epi32(sums), u->up);
    return _mm256_sra_epi32(
        _mm256_add_epi32(_mm256_add_epi32(kpri_load256(u->base + i), u->half), shifted), u->by);
}

/* 16 units from unit i on, as int16, in the order that packing leaves */
KPRI_TARGET("avx2")
static KPRI_INLINE __m256i kpri_units16(const kpri_units *u, size_t i, __m256i sums)
{
    return _mm256_packs_epi32(kpri_units8(u, i, _mm256_castsi256_si128(sums)),
                              kpri_units8(u, i + 8, _mm256_extracti128_si256(sums, 1)));
}

/* 32 such units, or 16 and then zeros, as bytes in order */
KPRI_TARGET("avx2") static KPRI_INLINE __m256i kpri_units32(__m256i a, __m256i b)
{
    const __m256i bytes = _mm256_min_epu8(_mm256_packus_epi16(a, b), _mm256_set1_epi8(127));
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* The n hidden units as bytes, and zeros up to a multiple of 32 */
KPRI_TARGET("avx2")
static KPRI_INLINE void kpri_units_avx2(const kpri_units *u, const uint32_t *row, size_t n,
                                        unsigned char *q)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i a, b;
    size_t i, r;
    for (i = 0; i + 32 <= n; i += 32) {
        a = b = zero;
        for (r = 0; r < u->rows; r++) {
            const int8_t *from = u->from + row[r] + i;
            a = _mm256_add_epi16(a, _mm256_cvtepi8_epi16(kpri_load(from)));
            b = _mm256_add_epi16(b, _mm256_cvtepi8_epi16(kpri_load(from + 16)));
            KPRI_IN_PLACE(a);
            KPRI_IN_PLACE(b);
        }
        kpri_store256(q + i, kpri_units32(kpri_units16(u, i, a), kpri_units16(u, i + 16, b)));
    }
    if (i < n) {
        a = zero;
        for (r = 0; r < u->rows; r++) {
            a = _mm256_add_epi16(a, _mm256_cvtepi8_epi16(kpri_load(u->from + row[r] + i)));
            KPRI_IN_PLACE(a);
        }
        kpri_store256(q + i, kpri_units32(kpri_units16(u, i, a), zero));
    }
}

KPRI_TARGET("avx2") static KPRI_INLINE __m128i kpri_load_pair(const int32_t *table, int i)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)(table + i));
}

/* *t0 = table[i], *t1 = table[i + 1] for four i. A gather is slow on some machines, so two
   neighbours are loaded for each. */
KPRI_TARGET("avx2")
static KPRI_INLINE void kpri_look_up4(const int32_t *table, __m128i i, __m128i *t0, __m128i *t1)
{
    const __m128i a = _mm_unpacklo_epi32(kpri_load_pair(table, _mm_cvtsi128_si32(i)),
                                         kpri_load_pair(table, _mm_extract_epi32(i, 1)));
    const __m128i b = _mm_unpacklo_epi32(kpri_load_pair(table, _mm_extract_epi32(i, 2)),
                                         kpri_load_pair(table, _mm_extract_epi32(i, 3)));
    *t0 = _mm_unpacklo_epi64(a, b);
    *t1 = _mm_unpackhi_epi64(a, b);
}

/* table[i] for four i */
KPRI_TARGET("avx2") static KPRI_INLINE __m128i kpri_look_up(const int32_t *table, __m128i i)
{
    return _mm_setr_epi32(table[_mm_cvtsi128_si32(i)], table[_mm_extract_epi32(i, 1)],
                          table[_mm_extract_epi32(i, 2)], table[_mm_extract_epi32(i, 3)]);
}

/* kpri_exp2_neg of four numbers */
KPRI_TARGET("avx2") static KPRI_INLINE __m128i kpri_exp2_neg4(__m128i x)
{
    __m128i t0, t1, part;
    kpri_look_up4(kpri_exp2_table, _mm_and_si128(_mm_srli_epi32(x, 10), _mm_set1_epi32(63)), &t0,
                  &t1);
    part = _mm_mullo_epi32(_mm_sub_epi32(t0, t1), _mm_and_si128(x, _mm_set1_epi32(1023)));
    return _mm_srlv_epi32(_mm_sub_epi32(t0, _mm_srli_epi32(part, 10)), _mm_srli_epi32(x, 16));
}

/* kpri_log2 of four numbers, less that of 2^24. By the bits above bit 24 the table says how far
   above it the highest 1 is. pre: 2^24 <= x <= 2^28, as the sum of KPRI_TURNED terms is */
KPRI_TARGET("avx2") static KPRI_INLINE __m128i kpri_log2_4(__m128i x)
{
    const __m128i table = _mm_set_epi64x(4, INT64_C(0x0303030302020100));
    const __m128i places = _mm_shuffle_epi8(table, _mm_srli_epi32(x, 25));
    const __m128i m = _mm_sllv_epi32(x, _mm_sub_epi32(_mm_set1_epi32(7), places));
    __m128i t0, t1, part;
    kpri_look_up4(kpri_log2_table, _mm_and_si128(_mm_srli_epi32(m, 25), _mm_set1_epi32(63)), &t0,
                  &t1);
    part = _mm_mullo_epi32(_mm_sub_epi32(t1, t0),
                           _mm_and_si128(_mm_srli_epi32(m, 9), _mm_set1_epi32(65535)));
    return _mm_add_epi32(_mm_add_epi32(_mm_slli_epi32(places, 16), t0), _mm_srli_epi32(part, 16));
}

/* The score of a logit */
KPRI_TARGET("avx2")
static KPRI_INLINE __m128i kpri_score4(__m128i x, __m128i norm, __m128i start)
{
    const __m128i least = _mm_set1_epi32(-(1 << 26));
    return _mm_add_epi32(_mm_max_epi32(_mm_sub_epi32(x, norm), least), start);
}

/* Four numbers, of which those beyond the n-th are replaced by a copy of `filler`. The blend of
   bytes would do as well, but with -funsigned-char gcc 12 reads its mask as unsigned, and takes
   none. */
KPRI_TARGET("avx2")
static KPRI_INLINE __m128i kpri_load4(const int32_t *x, size_t n, __m128i filler)
{
    const __m128i lane = _mm_setr_epi32(0, 1, 2, 3);
    const __m128i mask = _mm_cmpgt_epi32(_mm_set1_epi32((int)n), lane);
    return _mm_or_si128(_mm_and_si128(mask, kpri_load(x)), _mm_andnot_si128(mask, filler));
}

/* kpri_scores1 */
KPRI_TARGET("avx2") static void kpri_scores1_avx2(int32_t *x, size_t n, int32_t start)
{
    const __m128i never = _mm_set1_epi32(-(1 << 30)); /* of it and any logit 2^-x is 0 */
    __m128i most = never, sum = _mm_setzero_si128(), norm;
    size_t v;
    for (v = 0; v < n; v += 4)
        most = _mm_max_epi32(most, kpri_load4(x + v, n - v, never));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4e));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xb1));
    for (v = 0; v < n; v += 4)
        sum = _mm_add_epi32(sum,
                            kpri_exp2_neg4(_mm_sub_epi32(most, kpri_load4(x + v, n - v, never))));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
    norm = _mm_set1_epi32(_mm_cvtsi128_si32(most) + kpri_log2((uint32_t)_mm_cvtsi128_si32(sum))
                          - 24 * 65536);
    for (v = 0; v < n; v += 4)
        kpri_store(x + v, kpri_score4(kpri_load(x + v), norm, _mm_set1_epi32(start)));
}

enum { KPRI_TURNED = 16 }; /* values that kpri_scores4_avx2 takes at most */

/* x[i][j] to x[j][i] */
KPRI_TARGET("avx2") static KPRI_INLINE void kpri_transpose4(__m128i *x)
{
    const __m128i a = _mm_unpacklo_epi32(x[0], x[1]), b = _mm_unpackhi_epi32(x[0], x[1]);
    const __m128i c = _mm_unpacklo_epi32(x[2], x[3]), d = _mm_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm_unpacklo_epi64(a, c);
    x[1] = _mm_unpackhi_epi64(a, c);
    x[2] = _mm_unpacklo_epi64(b, d);
    x[3] = _mm_unpackhi_epi64(b, d);
}

/* Two to four lanes at a time: x[v] has value v of each. In the place of one that is missing is the
   last one once more. pre: 1 <= n <= KPRI_TURNED */
KPRI_TARGET("avx2") static void kpri_scores4_avx2(const kpri_lanes *l, size_t n)
{
    __m128i x[KPRI_TURNED], most, sum = _mm_setzero_si128(), norm, start;
    const size_t i2 = l->n > 2 ? 2 : 1, i3 = l->n - 1;
    int32_t *const x0 = l->x, *const x1 = x0 + l->lane;
    int32_t *const x2 = x0 + i2 * l->lane, *const x3 = x0 + i3 * l->lane;
    size_t v;
    v = 0;
    do {
        x[v] = kpri_load(x0 + v);
        x[v + 1] = kpri_load(x1 + v);
        x[v + 2] = kpri_load(x2 + v);
        x[v + 3] = kpri_load(x3 + v);
        kpri_transpose4(x + v);
        v += 4;
    } while (v < n);
    most = x[0];
    for (v = 1; v < n; v++)
        most = _mm_max_epi32(most, x[v]);
    for (v = 0; v < n; v++)
        sum = _mm_add_epi32(sum, kpri_exp2_neg4(_mm_sub_epi32(most, x[v])));
    norm = _mm_add_epi32(most, kpri_log2_4(sum));
    start = _mm_setr_epi32(l->record[0], l->record[l->record_words],
                           l->record[i2 * l->record_words], l->record[i3 * l->record_words]);
    for (v = 0; v < n; v++)
        x[v] = kpri_score4(x[v], norm, start);
    for (v = 0; v < n; v += 4) {
        kpri_transpose4(x + v);
        kpri_store(x0 + v, x[v]);
        kpri_store(x1 + v, x[v + 1]);
        kpri_store(x2 + v, x[v + 2]);
        kpri_store(x3 + v, x[v + 3]);
    }
}

KPRI_TARGET("avx2") static void kpri_scores_avx2(const kpri_lanes *l, size_t n)
{
    size_t i;
    if (l->n > 1 && l->n <= 4 && n <= KPRI_TURNED) {
        kpri_scores4_avx2(l, n);
        return;
    }
    for (i = 0; i < l->n; i++)
        kpri_scores1_avx2(l->x + i * l->lane, n, l->record[i * l->record_words]);
}

/* kpri_scaled of four numbers */
KPRI_TARGET("avx2") static KPRI_INLINE __m128i kpri_scaled4(__m128i x, __m128i by)
{
    const __m128i even = _mm_srli_epi64(_mm_mul_epu32(x, by), 16);
    const __m128i odd = _mm_slli_epi64(_mm_mul_epu32(_mm_srli_epi64(x, 32), by), 16);
    return _mm_blend_epi16(even, odd, 0xcc);
}

/* kpri_powers */
KPRI_TARGET("avx2")
static uint32_t kpri_powers_avx2(const int32_t *score, size_t n, int32_t from, uint32_t scale)
{
    const __m128i by = _mm_set1_epi32((int)scale), lane = _mm_setr_epi32(0, 1, 2, 3);
    __m128i sum = _mm_setzero_si128();
    size_t v;
    for (v = 0; v < n; v += 4) {
        const __m128i x = _mm_sub_epi32(_mm_set1_epi32(from), kpri_load(score + v));
        const __m128i bits = kpri_scaled4(x, by);
        const __m128i i = _mm_and_si128(_mm_srli_epi32(bits, 10), _mm_set1_epi32(63));
        const __m128i power =
            _mm_srlv_epi32(kpri_look_up(kpri_exp2_table, i), _mm_srli_epi32(bits, 16));
        const __m128i is_value = _mm_cmpgt_epi32(_mm_set1_epi32((int)(n - v)), lane);
        sum = _mm_add_epi32(sum, _mm_and_si128(power, is_value));
    }
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

/* matvec and head by `dot`, which adds 32 products to eight lanes. Both end as y = 2^up * (bias +
   w q). */
#define KPRI_BODY256(name, features, dot)                                                          \
    KPRI_TARGET(features)                                                                          \
    static KPRI_INLINE void kpri_256_product_##name(                                               \
        const int8_t *w, const int32_t *bias, size_t rows, size_t cols, const unsigned char *q,    \
        unsigned up, int32_t *y)                                                                   \
    {                                                                                              \
        const __m128i shift = _mm_cvtsi32_si128((int)up);                                          \
        const size_t whole = cols & ~(size_t)31;                                                   \
        size_t r, i;                                                                               \
        for (r = 0; r < rows; r += 4, w += 4 * cols) {                                             \
            __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;                               \
            if (whole < cols) {                                                                    \
                const __m256i xi = kpri_load_half(q + whole);                                      \
                a = dot(a, xi, kpri_load_half(w + whole));                                         \
                b = dot(b, xi, kpri_load_half(w + whole + cols));                                  \
                c = dot(c, xi, kpri_load_half(w + whole + 2 * cols));                              \
                d = dot(d, xi, kpri_load_half(w + whole + 3 * cols));                              \
            }                                                                                      \
            for (i = 0; i < whole; i += 32) {                                                      \
                const __m256i xi = kpri_load256(q + i);                                            \
                a = dot(a, xi, kpri_load256(w + i));                                               \
                b = dot(b, xi, kpri_load256(w + i + cols));                                        \
                c = dot(c, xi, kpri_load256(w + i + 2 * cols));                                    \
                d = dot(d, xi, kpri_load256(w + i + 3 * cols));                                    \
            }                                                                                      \
            kpri_put4(a, b, c, d, bias + r, shift, y + r);                                         \
        }                                                                                          \
    }                                                                                              \
    KPRI_TARGET(features)                                                                          \
    static void kpri_256_matvec_##name(const int8_t *w, const int32_t *bias, size_t rows,          \
                                       size_t cols, int16_t *x, int32_t *y)                        \
    {                                                                                              \
        kpri_256_product_##name(w, bias, rows, cols, kpri_pack(x, cols), 0, y);                    \
    }                                                                                              \
    KPRI_TARGET(features)                                                                          \
    static void kpri_256_head_##name(const kpri_parameter *p, const kpri_lanes *l)                 \
    {                                                                                              \
        const kpred_head *head = p->head;                                                          \
        const kpri_units u = {p->base,                                                             \
                              head->embedding,                                                     \
                              p->n_rows,                                                           \
                              _mm256_set1_epi32(1 << (head->hidden_shift - 1)),                    \
                              _mm_cvtsi32_si128(head->embedding_shift),                            \
                              _mm_cvtsi32_si128(head->hidden_shift)};                              \
        const unsigned char *prefix = l->prefix;                                                   \
        int32_t *x = l->x;                                                                         \
        unsigned char q[KPRED_MAX_HIDDEN];                                                         \
        uint32_t row[KPRED_MAX_PARAMS];                                                            \
        size_t i;                                                                                  \
        for (i = 0; i < l->n; i++) {                                                               \
            kpri_prefix_rows(p, prefix, row);                                                      \
            kpri_units_avx2(&u, row, p->hidden, q);                                                \
            kpri_256_product_##name(head->weight, head->bias, p->values, p->hidden, q,             \
                                    head->logit_shift, x);                                         \
            x += l->lane;                                                                          \
            prefix += l->record_words * sizeof(int32_t);                                           \
        }                                                                                          \
    }                                                                                              \
    static const kpri_arith kpri_256_arith_##name = {kpri_256_matvec_##name, kpri_requantise_avx2, \
                                                     kpri_256_head_##name, kpri_scores_avx2,       \
                                                     kpri_powers_avx2};

#endif

#if KPRI_HAS(2)

/* Two products of a byte of 0..127 and one of -127..127 fit int16 together. */
KPRI_TARGET("avx2") static __m256i kpri_dot_avx2(__m256i acc, __m256i x, __m256i w)
{
    return _mm256_add_epi32(acc,
                            _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1)));
}

KPRI_BODY256(avx2, "avx2", kpri_dot_avx2)

#endif

#if KPRI_HAS(3)

KPRI_TARGET("avx2,avxvnni") static __m256i kpri_dot_avx_vnni(__m256i acc, __m256i x, __m256i w)
{
    acc = _mm256_dpbusd_avx_epi32(acc, x, w);
    KPRI_IN_PLACE(acc);
    return acc;
}

KPRI_BODY256(avx_vnni, "avx2,avxvnni", kpri_dot_avx_vnni)

#endif

#if KPRI_HAS(4)

KPRI_TARGET("avx2,avx512vl,avx512vnni")
static __m256i kpri_dot_avx512_vnni(__m256i acc, __m256i x, __m256i w)
{
    acc = _mm256_dpbusd_epi32(acc, x, w);
    KPRI_IN_PLACE(acc);
    return acc;
}

/* 256 bits here, too: with 512 the weights come from the second cache no faster, and the sums take
   longer. */
KPRI_BODY256(avx512_vnni, "avx2,avx512vl,avx512vnni", kpri_dot_avx512_vnni)

#endif

/* ---- NEON ---- */

#if KPRI_HAS(5) || KPRI_HAS(6)

static void kpri_requantise_neon(const int32_t *acc, unsigned s, size_t n, int16_t *y)
{
    const int32x4_t by = vdupq_n_s32(-(int32_t)s); /* a left shift of less than 0 rounds as asked */
    size_t i;
    for (i = 0; i < n; i += 8) {
        const int16x8_t q = vcombine_s16(vqmovn_s32(vrshlq_s32(vld1q_s32(acc + i), by)),
                                         vqmovn_s32(vrshlq_s32(vld1q_s32(acc + i + 4), by)));
        vst1q_s16(y + i, vmaxq_s16(vminq_s16(q, vdupq_n_s16(127)), vdupq_n_s16(0)));
    }
}

/* base + 2^e * four sums */
static int32x4_t kpri_shifted4(const int32_t *base, int16x4_t sums, int32x4_t e)
{
    return vaddq_s32(vld1q_s32(base), vshlq_s32(vmovl_s16(sums), e));
}

static void kpri_hidden_neon(const kpri_parameter *p, const unsigned char *prefix, int16_t *h)
{
    const int32x4_t up = vdupq_n_s32((int32_t)p->head->embedding_shift);
    uint32_t row[KPRED_MAX_PARAMS];
    size_t i, r;
    kpri_prefix_rows(p, prefix, row);
    for (i = 0; i < p->hidden; i += 8) {
        int16x8_t sums = vdupq_n_s16(0);
        int32_t acc[8];
        for (r = 0; r < p->n_rows; r++)
            sums = vaddw_s8(sums, vld1_s8(p->head->embedding + row[r] + i));
        vst1q_s32(acc, kpri_shifted4(p->base + i, vget_low_s16(sums), up));
        vst1q_s32(acc + 4, kpri_shifted4(p->base + i + 4, vget_high_s16(sums), up));
        kpri_requantise_neon(acc, p->head->hidden_shift, 8, h + i);
    }
}

/* matvec by `dot`, which adds 16 products to four lanes */
#define KPRI_MATVEC_NEON(name, dot)                                                              \
    static void name(const int8_t *w, const int32_t *bias, size_t rows, size_t cols, int16_t *x, \
                     int32_t *y)                                                                 \
    {                                                                                            \
        int8_t *q = (int8_t *)x;                                                                 \
        size_t r, i;                                                                             \
        for (i = 0; i < cols; i += 8)                                                            \
            vst1_s8(q + i, vmovn_s16(vld1q_s16(x + i)));                                         \
        for (r = 0; r < rows; r += 4, w += 4 * cols) {                                           \
            int32x4_t a = vdupq_n_s32(0), b = a, c = a, d = a;                                   \
            for (i = 0; i < cols; i += 16) {                                                     \
                const int8x16_t xi = vld1q_s8(q + i);                                            \
                a = dot(a, xi, vld1q_s8(w + i));                                                 \
                b = dot(b, xi, vld1q_s8(w + i + cols));                                          \
                c = dot(c, xi, vld1q_s8(w + i + 2 * cols));                                      \
                d = dot(d, xi, vld1q_s8(w + i + 3 * cols));                                      \
            }                                                                                    \
            vst1q_s32(y + r, vaddq_s32(vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d)),           \
                                       vld1q_s32(bias + r)));                                    \
        }                                                                                        \
    }

#endif

#if KPRI_HAS(5)

/* Two products of bytes of -127..127 fit int16 together. */
static int32x4_t kpri_dot_neon(int32x4_t acc, int8x16_t x, int8x16_t w)
{
    return vpadalq_s16(
        acc, vmlal_s8(vmull_s8(vget_low_s8(x), vget_low_s8(w)), vget_high_s8(x), vget_high_s8(w)));
}

KPRI_MATVEC_NEON(kpri_matvec_neon, kpri_dot_neon)
KPRI_HEAD(kpri_head_neon, kpri_hidden_neon, kpri_matvec_neon)
static const kpri_arith kpri_neon = {kpri_matvec_neon, kpri_requantise_neon, kpri_head_neon,
                                     kpri_scores, kpri_powers};

#endif

#if KPRI_HAS(6)

KPRI_MATVEC_NEON(kpri_matvec_neon_dot, vdotq_s32)
KPRI_HEAD(kpri_head_neon_dot, kpri_hidden_neon, kpri_matvec_neon_dot)
static const kpri_arith kpri_neon_dot = {kpri_matvec_neon_dot, kpri_requantise_neon,
                                         kpri_head_neon_dot, kpri_scores, kpri_powers};

#endif

/* ---- portable C ---- */

#if KPRI_HAS(0)

/* At -O2 compilers vectorise a loop only where they see that no iterations are left over and that
   nothing aliases. The masks show the first, the qualifier shows the second. */
#if defined(__GNUC__)
#define KPRI_RESTRICT __restrict
#else
#define KPRI_RESTRICT
#endif

/* Without this, clang widens the products below so far that they take three times as long. Under a
   sanitizer it cannot widen them at all, which is no reason to warn. */
#if defined(__clang__) && defined(__SSE2__)
#define KPRI_DOT_PRODUCT _Pragma("clang loop vectorize_width(8) interleave_count(1)")
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define KPRI_DOT_PRODUCT
#endif

static KPRI_LOOP void kpri_matvec_portable(const int8_t *w, const int32_t *bias, size_t rows,
                                           size_t cols, int16_t *x, int32_t *y)
{
    const size_t n = cols & ~(size_t)15;
    size_t r, i;
    /*@ loop unroll 2048; */
    for (r = 0; r < rows; r++, w += n) {
        int32_t acc = bias[r];
        KPRI_DOT_PRODUCT
        /*@ loop unroll 192; */
        for (i = 0; i < n; i++)
            acc += (int16_t)w[i] * x[i];
        y[r] = acc;
    }
}

#if defined(__clang__) && defined(__SSE2__)
#pragma clang diagnostic pop
#endif

/*@ requires s < 32;
    assigns \nothing;
    ensures 0 <= \result <= 127; */
static int16_t kpri_clamp(int32_t x, unsigned s)
{
    x = (x < 0 ? 0 : x) >> s;
    return (int16_t)(x > 127 ? 127 : x);
}

static void kpri_requantise_portable(const int32_t *KPRI_RESTRICT acc, unsigned s, size_t n,
                                     int16_t *KPRI_RESTRICT y)
{
    const int32_t half = 1 << (s - 1);
    size_t i;
    for (i = 0, n &= ~(size_t)15; i < n; i++)
        y[i] = kpri_clamp(acc[i] + half, s);
}

/* Not inlined: gcc loses the information about aliasing where it inlines. */
static KPRI_LOOP void kpri_take_row(int16_t *KPRI_RESTRICT h, const int8_t *KPRI_RESTRICT row,
                                    size_t n)
{
    size_t i;
    for (i = 0, n &= ~(size_t)15; i < n; i++)
        h[i] = (int16_t)row[i];
}

static KPRI_LOOP void kpri_add_row(int16_t *KPRI_RESTRICT h, const int8_t *KPRI_RESTRICT row,
                                   size_t n)
{
    size_t i;
    for (i = 0, n &= ~(size_t)15; i < n; i++)
        h[i] = (int16_t)(h[i] + row[i]);
}

static KPRI_LOOP void kpri_finish_hidden(const int32_t *KPRI_RESTRICT base, int32_t scale,
                                         unsigned s, size_t n, int16_t *KPRI_RESTRICT h)
{
    const int32_t half = 1 << (s - 1);
    size_t i;
    for (i = 0, n &= ~(size_t)15; i < n; i++)
        h[i] = kpri_clamp(base[i] + h[i] * scale + half, s);
}

static KPRI_LOOP void kpri_hidden_portable(const kpri_parameter *p, const unsigned char *prefix,
                                           int16_t *h)
{
    const kpred_head *head = p->head;
    const size_t n = p->hidden, rows = p->n_rows;
    size_t r;
    if (rows == 0) {
        kpri_requantise_portable(p->base, head->hidden_shift, n, h);
        return;
    }
    kpri_take_row(h, head->embedding + kpri_prefix_row(p, prefix, 0), n);
    for (r = 1; r < rows; r++)
        kpri_add_row(h, head->embedding + kpri_prefix_row(p, prefix, r), n);
    kpri_finish_hidden(p->base, 1 << head->embedding_shift, head->hidden_shift, n, h);
}

KPRI_HEAD(kpri_head_portable, kpri_hidden_portable, kpri_matvec_portable)
static const kpri_arith kpri_portable = {kpri_matvec_portable, kpri_requantise_portable,
                                         kpri_head_portable, kpri_scores, kpri_powers};

#endif

/* ---- which body ---- */

/* What every machine of this build has */
#if KPRED_SIMD == KPRED_SIMD_X86 || KPRED_SIMD == 1
#define KPRI_PLAIN kpri_sse2
#elif KPRED_SIMD == 0
#define KPRI_PLAIN kpri_portable
#elif KPRED_SIMD == 2
#define KPRI_PLAIN kpri_256_arith_avx2
#elif KPRED_SIMD == 3
#define KPRI_PLAIN kpri_256_arith_avx_vnni
#elif KPRED_SIMD == 4
#define KPRI_PLAIN kpri_256_arith_avx512_vnni
#elif KPRED_SIMD == 5
#define KPRI_PLAIN kpri_neon
#else
#define KPRI_PLAIN kpri_neon_dot
#endif

/* Where a build has several bodies, a search knows which; else the compiler calls the only one. */
#if KPRED_SIMD == KPRED_SIMD_X86
static const kpri_arith *kpri_arith_of(uint32_t body)
{
    switch (body) {
    case KPRED_BODY_PORTABLE: return &kpri_portable;
    case KPRED_BODY_AVX2: return &kpri_256_arith_avx2;
#if KPRI_HAS(4)
    case KPRED_BODY_AVX_VNNI: return &kpri_256_arith_avx_vnni;
    case KPRED_BODY_AVX512_VNNI: return &kpri_256_arith_avx512_vnni;
#endif
    default: return &KPRI_PLAIN;
    }
}
#define KPRI_ARITH_OF(body) kpri_arith_of(body)
#define KPRI_BY(s)          ((s)->by)
#else
#define KPRI_ARITH_OF(body) (&KPRI_PLAIN)
#define KPRI_BY(s)          (&KPRI_PLAIN)
#endif

/* Bodies as bits: those of this build that the machine has */
#if KPRI_HAS(2) || KPRI_HAS(3) || KPRI_HAS(4)

/* The registers that the system saves: XMM and YMM are bits 1 and 2, those of AVX-512 5 to 7 */
static uint32_t kpri_saved_registers(void)
{
    uint32_t low;
    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low) : "c"(0) : "edx"); /* xgetbv */
    return low;
}

/* A hypervisor takes microseconds for each cpuid, so it asks for little: what saves AVX's registers
   has leaf 7; and what else a machine with AVX-512 VNNI has is left out unless `all` is wanted. */
static uint32_t kpri_bodies(int all)
{
    uint32_t r[4], saved = 0, bodies = 3, has = 0; /* r: EAX to EDX; nvcc warns of a lone EDX */
    size_t i;
    __cpuid(1, r[0], r[1], r[2], r[3]);
    if (r[2] >> 27 & 1) /* OSXSAVE */
        saved = kpri_saved_registers();
    if ((saved & 6) == 6) {
        __cpuid_count(7, 0, r[0], r[1], r[2], r[3]);
        bodies |= (r[1] >> 5 & 1) << KPRED_BODY_AVX2;
        if ((saved & 0xe6) == 0xe6) /* F, VL, VNNI */
            bodies |= (r[1] >> 16 & r[1] >> 31 & r[2] >> 11 & 1) << KPRED_BODY_AVX512_VNNI;
        if (r[0] >= 1 && (all || !KPRI_HAS(4) || !(bodies >> KPRED_BODY_AVX512_VNNI))) {
            __cpuid_count(7, 1, r[0], r[1], r[2], r[3]);
            bodies |= (r[0] >> 4 & 1) << KPRED_BODY_AVX_VNNI;
        }
    }
    for (i = 0; i < KPRED_BODIES; i++)
        has |= (uint32_t)KPRI_HAS((int)i) << i;
    return bodies & has;
}

#else

static uint32_t kpri_bodies(int all)
{
    (void)all;
    return (uint32_t)1 << KPRED_SIMD;
}

#endif

/* KPRED_BODIES: the machine has none of this build. Code that was compiled for the instructions of
   the fastest body runs nowhere else, so there nothing is left to ask. */
static uint32_t kpri_fastest_body(void)
{
#if KPRI_HAS(4) && defined(__AVX512VNNI__) && defined(__AVX512VL__)
    return KPRED_BODY_AVX512_VNNI;
#elif KPRED_SIMD == 2 && defined(__AVX2__)
    return KPRED_BODY_AVX2;
#else
    const uint32_t bodies = kpri_bodies(0);
    uint32_t body = KPRED_BODIES, i;
    for (i = 0; i < KPRED_BODIES; i++)
        if (bodies >> i & 1)
            body = i;
    return body;
#endif
}

/* One dense layer with ReLU, in place. acc[rows] holds the accumulators. */
static void kpri_dense(const kpri_arith *by, const kpred_layer *layer, int16_t *x, int32_t *acc)
{
    by->matvec(layer->weight, layer->bias, layer->rows, layer->cols, x, acc);
    by->requantise(acc, layer->shift, layer->rows, x);
}

/* Leaves the context accumulators base[heads][hidden] in work. Before that, work holds the
   registers and then the accumulators of the dense layers. */
static KPRI_LOOP void kpri_start_by(const kpri_arith *by, const kpred_model *model,
                                    const int32_t *problem, int32_t *work)
{
    const kpred_additive *net = (const kpred_additive *)model->net;
    const kpred_layer *layer = net->layer;
    int16_t x[KPRED_MAX_WIDTH];
    kpri_copy(work, problem, model->n_fields);
    kpri_features(net, model->n_fields, layer[0].cols, work, x);
    kpri_dense(by, &layer[0], x, work);
    kpri_dense(by, &layer[1], x, work);
    by->matvec(layer[2].weight, layer[2].bias, layer[2].rows, layer[2].cols, x, work);
}

static void kpri_find_rows(const kpred_model *model, kpri_rows *rows)
{
    const kpred_additive *net = (const kpred_additive *)model->net;
    uint32_t first = 0, t;
    unsigned char n = 0;
    for (t = 0; t < model->n_params; t++) {
        rows->before[t] = n;
        if (net->heads[t].weight) {
            rows->param[n] = (unsigned char)t;
            rows->first[n++] = (uint16_t)first;
            first += (uint32_t)model->params[t].n_values;
        }
    }
}

/* The next parameter's logits, after kpri_start_by */
static KPRI_HOT void kpri_logits_by(const kpri_arith *by, const kpred_model *model,
                                    const kpri_rows *rows, const int32_t *work, size_t n_decided,
                                    const kpri_lanes *l)
{
    const kpred_additive *net = (const kpred_additive *)model->net;
    kpri_parameter p;
    size_t i;
    p.head = net->heads + n_decided;
    p.rows = rows;
    p.n_rows = rows->before[n_decided];
    p.hidden = net->hidden;
    p.base = work + (size_t)p.n_rows * p.hidden;
    p.values = ((uint32_t)model->params[n_decided].n_values + 3) & ~(uint32_t)3;
    if (p.head->weight)
        by->head(&p, l);
    else
        /*@ loop unroll 4; */
        for (i = 0; i < l->n; i++)
            l->x[i * l->lane] = 0;
}

/* scorer.start and scorer.logits, for callers of their own: by the body that every machine of this
   build has. For the device, clang would emit the scorer without these functions. */
#if defined(KPRED_STATIC) || !(defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__))
static void kpri_additive_start(const kpred_model *model, const int32_t *problem, int32_t *work,
                                int32_t *state)
{
    (void)state;
    kpri_start_by(&KPRI_PLAIN, model, problem, work);
}

static void kpri_additive_logits(const kpred_model *model, int32_t *work, const int32_t *state,
                                 const unsigned char *prefix, size_t n_decided, int32_t *logits)
{
    const kpri_lanes l = {logits, state, prefix, 0, 0, 1};
    kpri_rows rows;
    kpri_find_rows(model, &rows);
    kpri_logits_by(&KPRI_PLAIN, model, &rows, work, n_decided, &l);
}

KPRED_DATA const kpred_scorer kpred_additive_scorer = {kpri_additive_start, kpri_additive_logits,
                                                       0};
#endif

/* ---- >>search ------------------------------------------------------------------------------- */

/* A record is a prefix: its score, its values, their indexes (bytes), the scorer's state. A slot is
   an extension: slot (i << lane_bits) + v extends record i by value index v. Slots wait in buckets
   by score; `next` links them to lists (slot + 1; 0 ends a list). No extension scores above its
   record, so the search expands a record only when it has come down to the record's own score. */
typedef struct kpri_search {
    const kpred_model *model;
    const kpri_arith *by; /* the body of the built-in scorer */
    int has_body;         /* 0: the model has another scorer */
    const int32_t *problem;
    int32_t *work, *records, *score, *next, *bucket;
    size_t record_words, beam;
    uint32_t n_slots;   /* for which the arena has room */
    uint32_t end_slot;  /* of the records that are extended */
    uint32_t *used;     /* bits: which buckets have slots; the others hold anything */
    unsigned lane_bits; /* of the parameter that is decided */
    int32_t top;        /* score at which bucket 0 begins */
    int32_t norm;       /* a score is sum * scale less this */
    kpri_rows rows;     /* of the built-in scorer */
} kpri_search;

/* log2 of the lane of a parameter */
/*@ requires 1 <= n_values <= 128;
    assigns \nothing;
    ensures 2 <= \result <= 7 && n_values <= 1 << \result; */
static unsigned kpri_lane_bits(int32_t n_values)
{
    unsigned bits = 2;
    while (1 << bits < n_values)
        bits++;
    return bits;
}

/*@ requires \valid_read(s) && \valid_read(s->model) && s->model->n_params <= KPRED_MAX_TUPLE;
    assigns \nothing;
    ensures \valid_read(\result + (0 .. s->model->n_params - 1)); */
static unsigned char *kpri_indexes(const kpri_search *s, int32_t *record)
{
    return (unsigned char *)(record + 1 + s->model->n_params);
}

static KPRI_INLINE int32_t *kpri_state(const kpri_search *s, int32_t *record)
{
    return record + KPRI_PREFIX_WORDS((size_t)s->model->n_params);
}

/*@ requires \valid_read(s) && i < 131072 && s->record_words < 2147483648;
    assigns \nothing;
    ensures \result == records + i * s->record_words; */
static int32_t *kpri_record(const kpri_search *s, int32_t *records, size_t i)
{
    return records + i * s->record_words;
}

/* The slot of a link that is not 0 */
/*@ requires \valid_read(s) && 0 < s->end_slot <= 131072;
    assigns \nothing;
    ensures 0 <= \result < s->end_slot && (1 <= link <= s->end_slot ==> \result == link - 1); */
static int32_t kpri_slot(const kpri_search *s, int32_t link)
{
    return (int32_t)kpri_below((uint32_t)link - 1, s->end_slot);
}

/* Adds log2(sum_v p_v^scale) to the norm, of a parameter whose values have these scores. The
   largest probability is at least 2^-7, so no term has to be taken out. */
static void kpri_add_norm(kpri_search *s, size_t n_decided, const int32_t *score, int32_t from)
{
    const size_t n = (size_t)s->model->params[n_decided].n_values;
    const uint32_t scale = s->model->scale;
    uint32_t sum;
    if (scale == KPRED_SCALE_ONE) /* the sum is 1, except for rounding */
        return;
    if (s->has_body)
        sum = KPRI_BY(s)->powers(score, n, from, scale);
    else
        sum = kpri_powers(score, n, from, scale);
    s->norm += kpri_log2(sum) - 24 * 65536;
}

#define KPRI_TRIED INT32_MIN

/* The best value that has not been tried, the first of equals; -1: all have been tried. */
/*@ requires 1 <= n && \valid_read(score + (0 .. n - 1));
    assigns \nothing;
    ensures -1 <= \result < n;
    ensures \result < 0 <==> (\forall integer v; 0 <= v < n ==> score[v] == KPRI_TRIED);
    ensures \result >= 0 ==> \forall integer v; 0 <= v < n ==> score[v] <= score[\result];
    ensures \forall integer v; 0 <= v < \result ==> score[v] < score[\result]; */
static KPRI_INLINE int32_t kpri_best_untried(const int32_t *score, int32_t n)
{
    int32_t v, best = 0, most = score[0];
    for (v = 1; v < n; v++) {
        best = score[v] > most ? v : best;
        most = score[v] > most ? score[v] : most;
    }
    return most == KPRI_TRIED ? -1 : best;
}

/* The scores of n records of n_decided values, extended by each value that may follow: a lane of
   `out` for each. Returns the best value of the first one, which waits for the logits alone. pre:
   one record, if the scorer is not the built-in one */
static KPRI_HOT int32_t kpri_score(const kpri_search *s, int32_t *record, size_t n,
                                   size_t n_decided, int32_t *out)
{
    const int32_t n_values = s->model->params[n_decided].n_values;
    kpri_lanes l;
    int32_t best;
    l.x = out;
    l.record = record;
    l.prefix = kpri_indexes(s, record);
    l.lane = (size_t)1 << s->lane_bits;
    l.record_words = s->record_words;
    l.n = n;
    if (s->has_body)
        kpri_logits_by(KPRI_BY(s), s->model, &s->rows, s->work, n_decided, &l);
    else
        s->model->scorer->logits(s->model, s->work, kpri_state(s, record), l.prefix, n_decided,
                                 out);
    best = kpri_best_untried(out, n_values);
    if (s->has_body)
        KPRI_BY(s)->scores(&l, (size_t)n_values);
    else
        kpri_scores(&l, (size_t)n_values);
    return best;
}

typedef struct kpri_words {
    int32_t word[4];
} kpri_words;

/* pre: n a multiple of 4; the two do not overlap */
static void kpri_copy4(int32_t *to, const int32_t *from, size_t n)
{
    size_t i;
    for (i = 0; i < n; i += 4) {
        KPRI_KEEP_LOOP(i);
        *(kpri_words *)(void *)(to + i) = *(const kpri_words *)(const void *)(from + i);
    }
}

/* to = from, extended by value index v. The value itself already stands at its place in from. */
static KPRI_HOT void kpri_extend(const kpri_search *s, int32_t *from, size_t n_decided, int32_t v,
                                 int32_t score, int32_t *to)
{
    kpri_copy4(to, from, KPRI_PREFIX_WORDS((size_t)s->model->n_params));
    to[0] = score;
    kpri_indexes(s, to)[n_decided] = (unsigned char)v;
    if (s->model->scorer->extend)
        s->model->scorer->extend(s->model, s->work, kpri_state(s, from), n_decided, v,
                                 kpri_state(s, to));
}

/* Does the rule let value index v follow a record of n_decided values? It leaves the value at its
   place in the record. */
static KPRI_HOT int kpri_allowed(const kpri_search *s, int32_t *record, size_t n_decided, int32_t v)
{
    record[1 + n_decided] = s->model->params[n_decided].values[v];
    return !s->model->rule || s->model->rule(s->problem, record + 1, n_decided + 1);
}

/* -1, 0, 1: the index sequence a sorts before b, is equal, or sorts after b */
/*@ requires \valid_read(a + (0 .. n - 1)) && \valid_read(b + (0 .. n - 1));
    assigns \nothing;
    ensures -1 <= \result <= 1;
    ensures \result == 0 <==> (\forall integer i; 0 <= i < n ==> a[i] == b[i]);
    ensures \result < 0 ==> \exists integer i; 0 <= i < n && a[i] < b[i]
        && \forall integer j; 0 <= j < i ==> a[j] == b[j];
    ensures \result > 0 ==> \exists integer i; 0 <= i < n && a[i] > b[i]
        && \forall integer j; 0 <= j < i ==> a[j] == b[j]; */
static int kpri_compare_text(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Does slot a come before slot b in the order of the header's text? */
/*@ requires \valid_read(s) && 0 <= a < 131072 && 0 <= b < 131072 && s->lane_bits <= 7;
    requires \valid_read(s->score + a) && \valid_read(s->score + b);
    requires \valid_read(s->model) && n_decided <= s->model->n_params <= KPRED_MAX_TUPLE;
    requires s->record_words < 2147483648;
    assigns \nothing;
    ensures 0 <= \result <= 1;
    ensures s->score[a] != s->score[b] ==> \result == (s->score[a] > s->score[b]); */
static int kpri_before(const kpri_search *s, int32_t *records, size_t n_decided, int32_t a,
                       int32_t b)
{
    int order;
    if (s->score[a] != s->score[b])
        return s->score[a] > s->score[b];
    order = kpri_compare_text(kpri_indexes(s, kpri_record(s, records, (size_t)(a >> s->lane_bits))),
                              kpri_indexes(s, kpri_record(s, records, (size_t)(b >> s->lane_bits))),
                              n_decided);
    return order ? order < 0 : a < b;
}

/*@ predicate kpri_can_sort(kpri_search *s, integer n_decided) =
      \valid_read(s) && \valid_read(s->model) && n_decided <= s->model->n_params <= KPRED_MAX_TUPLE
      && 0 < s->end_slot <= 131072 && s->lane_bits <= 7 && s->record_words < 2147483648
      && \valid(s->next + (0 .. s->end_slot - 1)) && \valid_read(s->score + (0 .. s->end_slot - 1))
      && \separated(s, s->next + (0 .. s->end_slot - 1), s->score + (0 .. s->end_slot - 1)); */

/* Merges two ordered lists. */
/*@ requires kpri_can_sort(s, n_decided);
    assigns s->next[0 .. s->end_slot - 1]; */
static int32_t kpri_merge(const kpri_search *s, int32_t *records, size_t n_decided, int32_t a,
                          int32_t b)
{
    int32_t list = 0, *tail = &list;
    while (a && b) {
        const int32_t i = kpri_slot(s, a), j = kpri_slot(s, b);
        int32_t *from = kpri_before(s, records, n_decided, i, j) ? &a : &b;
        *tail = *from;
        tail = &s->next[from == &a ? i : j];
        *from = *tail;
    }
    *tail = a ? a : b;
    return list;
}

/* Takes up to eight slots from *list and returns them in order. */
/*@ requires kpri_can_sort(s, n_decided) && \valid(list);
    requires \separated(list, s, s->next + (0 .. s->end_slot - 1));
    requires \separated(list, s->score + (0 .. s->end_slot - 1));
    assigns s->next[0 .. s->end_slot - 1], *list; */
static int32_t kpri_short_run(const kpri_search *s, int32_t *records, size_t n_decided,
                              int32_t *list)
{
    int32_t run = 0, n;
    for (n = 0; n < 8 && *list; n++) {
        const int32_t one = *list, slot = kpri_slot(s, one);
        int32_t *at = &run;
        *list = s->next[slot];
        while (*at && kpri_before(s, records, n_decided, kpri_slot(s, *at), slot))
            at = &s->next[kpri_slot(s, *at)];
        s->next[slot] = *at;
        *at = one;
    }
    return run;
}

/* Merge sort without recursion: run[i] holds 2^i short runs or nothing. pre: 1..2^17 slots. (It is
   not inlined: where heads are computed its runs would lie on the stack.) */
/*@ requires kpri_can_sort(s, n_decided);
    assigns s->next[0 .. s->end_slot - 1]; */
static KPRI_NOINLINE int32_t kpri_sort(const kpri_search *s, int32_t *records, size_t n_decided,
                                       int32_t list)
{
    int32_t run[15];
    int32_t more = kpri_short_run(s, records, n_decided, &list);
    uint32_t i;
    if (!list) /* nearly always so */
        return more;
    for (i = 0; i < 15; i++) {
        KPRI_KEEP_LOOP(i);
        run[i] = 0;
    }
    for (; more; more = kpri_short_run(s, records, n_decided, &list)) {
        for (i = 0; run[i]; i = kpri_below(i + 1, 15)) {
            more = kpri_merge(s, records, n_decided, run[i], more);
            run[i] = 0;
        }
        run[i] = more;
    }
    for (i = 0; i < 15; i++)
        more = kpri_merge(s, records, n_decided, more, run[i]);
    return more;
}

enum { KPRI_USED_WORDS = 12, KPRI_BUCKETS = KPRI_BUCKET_WORDS - KPRI_USED_WORDS };

/* A bucket is 1/16 bit wide, and 12 bits below the top and further down 1/4. The last one takes all
   that lies beyond. */
/*@ requires \valid_read(s);
    assigns \nothing;
    ensures 0 <= \result < KPRI_BUCKETS; */
static int32_t kpri_bucket_of(const kpri_search *s, int32_t score)
{
    const uint32_t down = ((uint32_t)s->top - (uint32_t)score) >> 12;
    const uint32_t b = down < 192 ? down : 144 + (down >> 2);
    return b < KPRI_BUCKETS ? (int32_t)b : KPRI_BUCKETS - 1;
}

/*@ requires \valid_read(s) && 0 <= b < KPRI_BUCKETS;
    requires \valid_read(s->used + (0 .. KPRI_USED_WORDS - 1));
    assigns \nothing;
    ensures 0 <= \result <= 1; */
static int kpri_is_used(const kpri_search *s, int32_t b)
{
    return s->used[b >> 5] >> (b & 31) & 1;
}

/* The place of the lowest bit. */
/*@ requires x > 0;
    assigns \nothing;
    ensures 0 <= \result < 32; */
static int32_t kpri_lowest_bit(uint32_t x)
{
#if defined(__GNUC__)
    return __builtin_ctz(x);
#else
    int32_t i = 0;
    for (; !(x & 1); x >>= 1)
        i++;
    return i;
#endif
}

/* The first bucket from b on that has slots, or `end` if there is none before it. */
/*@ requires \valid_read(s) && 0 <= b <= end <= KPRI_BUCKETS;
    requires \valid_read(s->used + (0 .. KPRI_USED_WORDS - 1));
    assigns \nothing;
    ensures 0 <= \result <= end; */
static int32_t kpri_next_used(const kpri_search *s, int32_t b, int32_t end)
{
    const int32_t words = (end + 31) >> 5;
    int32_t word = b >> 5;
    uint32_t bits = s->used[word] >> (b & 31) << (b & 31);
    while (!bits && ++word < words)
        bits = s->used[word];
    b = bits ? (word << 5) + kpri_lowest_bit(bits) : end;
    return b < end ? b : end;
}

/* Puts the extensions of record i into their buckets. */
static void kpri_expand(kpri_search *s, int32_t *records, size_t n_decided, size_t i)
{
    int32_t *record = kpri_record(s, records, i);
    const int32_t first = (int32_t)(i << s->lane_bits);
    const int32_t end = first + s->model->params[n_decided].n_values;
    int32_t slot;
    for (slot = first; slot < end; slot++) {
        const int32_t b = kpri_bucket_of(s, s->score[slot]);
        s->next[slot] = kpri_is_used(s, b) ? s->bucket[b] : 0;
        s->bucket[b] = slot + 1;
        s->used[b >> 5] |= (uint32_t)1 << (b & 31);
    }
    if (i == 0)
        kpri_add_norm(s, n_decided, s->score, record[0]);
}

/* Copies the legal slots of an ordered list into out[n..beam-1], and returns the new n. */
static size_t kpri_accept(const kpri_search *s, int32_t *in, size_t n_decided, int32_t list,
                          int32_t *out, size_t n)
{
    const uint32_t lane = (uint32_t)1 << s->lane_bits;
    const uint32_t n_values = (uint32_t)s->model->params[n_decided].n_values;
    int32_t slot;
    for (; list && n < s->beam; list = s->next[slot]) {
        int32_t v, *from;
        slot = kpri_slot(s, list);
        v = (int32_t)kpri_below((uint32_t)slot & (lane - 1), n_values);
        from = kpri_record(s, in, (size_t)(slot >> s->lane_bits));
        if (kpri_allowed(s, from, n_decided, v))
            kpri_extend(s, from, n_decided, v, s->score[slot], kpri_record(s, out, n++));
    }
    return n;
}

/* The bucket of the own score of record i. If there is no record i, a bucket beyond all others. */
/*@ requires \valid_read(s) && i < 131072 && s->record_words < 2147483648;
    requires i < n_in ==> \valid_read(in + i * s->record_words);
    assigns \nothing;
    ensures i < n_in ? 0 <= \result < KPRI_BUCKETS : \result == KPRI_BUCKETS; */
static int32_t kpri_turn(const kpri_search *s, int32_t *in, size_t n_in, size_t i)
{
    return i < n_in ? kpri_bucket_of(s, *kpri_record(s, in, i)) : KPRI_BUCKETS;
}

/* Finds the best `beam` legal extensions of in[0..n_in-1] by one value, in order, and returns how
   many there are. */
static size_t kpri_step(kpri_search *s, int32_t *in, size_t n_in, size_t n_decided, int32_t *out)
{
    /* With a record the next ones are scored, which will most likely be asked for: their sums do
       not wait for each other. */
    const size_t group = s->has_body ? 4 : 1;
    size_t n = 0, expanded = 0, scored = 0;
    int32_t b, turn = 0;
    for (b = 0; b < KPRI_USED_WORDS; b++) {
        KPRI_KEEP_LOOP(b);
        s->used[b] = 0;
    }
    s->lane_bits = kpri_lane_bits(s->model->params[n_decided].n_values);
    n_in = kpri_at_most(n_in, s->n_slots >> s->lane_bits);
    s->end_slot = (uint32_t)n_in << s->lane_bits;
    s->top = in[0];
    for (b = 0; n < s->beam; b++) {
        b = kpri_next_used(s, b, turn);
        if (b == KPRI_BUCKETS)
            break;
        //@ dynamic_split expanded;
        for (; turn == b && KPRI_HOLDS(expanded < n_in);
             turn = kpri_turn(s, in, n_in, ++expanded)) {
            if (expanded == scored) {
                const size_t more = n_in - expanded < group ? n_in - expanded : group;
                (void)kpri_score(s, kpri_record(s, in, expanded), more, n_decided,
                                 s->score + (expanded << s->lane_bits));
                scored = expanded + more;
            }
            kpri_expand(s, in, n_decided, expanded);
        }
        if (kpri_is_used(s, b)) {
            int32_t list = s->bucket[b];
            if (s->next[kpri_slot(s, list)]) /* mostly it has one slot */
                list = kpri_sort(s, in, n_decided, list);
            n = kpri_accept(s, in, n_decided, list, out, n);
        }
    }
    return kpri_at_most(n, s->beam);
}

/* All records begin with legal values: so no value comes out of the arena that is none. */
static void kpri_first_values(const kpri_search *s)
{
    int32_t *first = s->records;
    size_t i;
    /*@ loop unroll 32; */
    for (i = 0; i < s->model->n_params; i++) {
        first[1 + i] = s->model->params[i].values[0];
        kpri_indexes(s, first)[i] = 0;
    }
    /*@ loop unroll 2048; */
    for (i = 1; i < 2 * s->beam; i++)
        kpri_copy4(kpri_record(s, first, i), first, KPRI_PREFIX_WORDS((size_t)s->model->n_params));
}

/* Beam search from the empty prefix in records[0]. It returns the number of complete tuples, and
   where they are; 0 if the beam died out. (Like the rescue it is not inlined: their frames would
   add up.) */
static KPRI_NOINLINE size_t kpri_beam_search(kpri_search *s, int32_t **tuples)
{
    int32_t *in = s->records, *out = kpri_record(s, s->records, s->beam), *swap;
    size_t n = 1, t;
    kpri_first_values(s);
    /*@ loop unroll 33; */
    for (t = 0; t < s->model->n_params && n > 0; t++) {
        n = kpri_step(s, in, n, t, out);
        swap = in;
        in = out;
        out = swap;
    }
    *tuples = in;
    return n;
}

/* ---- >>rescue ------------------------------------------------------------------------------- */

/* How many words of scores the rescue keeps for parameter t. A scorer may use the whole lane: what
   follows belongs to longer prefixes, which are scored later. */
/*@ requires \valid_read(s) && \valid_read(s->model) && \valid_read(s->model->params + t);
    requires 1 <= s->model->params[t].n_values <= 128;
    assigns \nothing;
    ensures s->model->params[t].n_values <= \result <= 128; */
static int32_t kpri_room(const kpri_search *s, size_t t)
{
    return (s->model->params[t].n_values + 3) & ~3;
}

/* Adds the norms of the parameters from *n to t - 1, whose scores nobody has marked yet. They wait
   for all scores, and the search does not wait for them. */
static void kpri_add_norms(kpri_search *s, size_t *n, size_t t)
{
    const int32_t *score = s->score;
    size_t i;
    for (i = 0; i < t; score += kpri_room(s, i++))
        if (i >= *n)
            kpri_add_norm(s, i, score, kpri_record(s, s->records, i)[0]);
    *n = t;
}

/* A search depth first. records[t] is the prefix of length t; its scores lie behind those of the
   shorter prefixes. On KPRED_OK records[n_params] is a legal tuple. *calls counts the calls of the
   rule. Until it goes back for the first time it does what a beam of one does: `alone` says that it
   stands for that beam, too, and adds up its norm. */
static KPRI_NOINLINE kpred_status kpri_depth_first(kpri_search *s, int alone, int32_t *calls)
{
    int32_t *score = s->score;
    size_t t = 0, n_normed = 0;
    int is_new = 1; /* the last record, which has no scores yet */
    for (*calls = 0; t < s->model->n_params;) {
        //@ dynamic_split t;
        //@ dynamic_split n_normed;
        //@ dynamic_split alone;
        int32_t *from = kpri_record(s, s->records, t);
        const int32_t v = is_new ? kpri_score(s, from, 1, t, score)
                                 : kpri_best_untried(score, s->model->params[t].n_values);
        if (v < 0 && t == 0)
            return KPRED_ERR_INFEASIBLE;
        if (v < 0) {
            alone = is_new = 0;
            score -= kpri_room(s, --t);
            score[kpri_indexes(s, from)[t]] = KPRI_TRIED;
            continue;
        }
        if (*calls >= KPRED_RESCUE_CALLS)
            return KPRED_ERR_BUDGET;
        ++*calls;
        is_new = kpri_allowed(s, from, t, v);
        if (is_new) {
            kpri_extend(s, from, t, v, score[v], kpri_record(s, s->records, t + 1));
            score += kpri_room(s, t++);
        } else {
            if (alone)
                kpri_add_norms(s, &n_normed, t + 1);
            score[v] = KPRI_TRIED;
        }
    }
    if (alone)
        kpri_add_norms(s, &n_normed, t);
    return KPRED_OK;
}

/* ---- >>api-impl ----------------------------------------------------------------------------- */

/*@ requires \valid(ctx);
    assigns ctx->detail;
    ensures \result == status; */
static kpred_status kpri_fail(kpred_ctx *ctx, kpred_status status, int32_t index, int32_t value,
                              int32_t limit)
{
    ctx->detail.index = index;
    ctx->detail.value = value;
    ctx->detail.limit = limit;
    return status;
}

/*@ assigns \nothing;
    ensures \result == \min(n, INT32_MAX); */
static KPRI_NOINLINE int32_t kpri_clip(size_t n)
{
    return n > INT32_MAX ? INT32_MAX : (int32_t)n;
}

/* The slots of KPRED_ARENA_WORDS */
static size_t kpri_slots(const kpred_model *m, size_t beam)
{
    size_t most = 0, lanes = 0, prefixes = 1;
    uint32_t t;
    for (t = 0; t < m->n_params; t++) {
        const size_t lane = (size_t)1 << kpri_lane_bits(m->params[t].n_values);
        most = KPRED_LARGER(most, KPRED_SLOTS(prefixes, lane, beam));
        lanes += lane;
        prefixes *= (size_t)m->params[t].n_values;
        prefixes = prefixes < KPRED_MAX_BEAM ? prefixes : KPRED_MAX_BEAM;
    }
    return KPRED_LARGER(most, (lanes + 1) / 2);
}

KPRED_API size_t kpred_arena_words(const kpred_model *model, size_t beam)
{
    if (!model || beam < 1 || beam > KPRED_MAX_BEAM)
        return 0;
    return KPRED_ARENA_WORDS((size_t)model->work_words, (size_t)model->state_words,
                             (size_t)model->n_params, kpri_slots(model, beam), beam);
}

/* Do the widths fit the buffers of the built-in scorer? */
static kpred_status kpri_check_additive(kpred_ctx *ctx, const kpred_additive *net)
{
    int32_t width = net->layer[0].cols;
    width = KPRED_LARGER(width, KPRED_LARGER(net->layer[0].rows, net->layer[1].rows));
    if (width > KPRED_MAX_WIDTH)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, width, KPRED_MAX_WIDTH);
    if (net->hidden > KPRED_MAX_HIDDEN)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, net->hidden, KPRED_MAX_HIDDEN);
    return KPRED_OK;
}

/* The parameters; some have a single value. */
/*@ requires \valid(ctx) && \valid_read(m) && \valid_read(m->params + (0 .. m->n_params - 1));
    requires \separated(ctx, m, m->params + (0 .. m->n_params - 1));
    assigns ctx->detail;
    ensures \result == KPRED_OK ==> 1 <= m->n_params <= KPRED_MAX_TUPLE
        && \forall integer t; 0 <= t < m->n_params
            ==> 1 <= m->params[t].n_values <= KPRED_MAX_VALUES; */
static kpred_status kpri_check_params(kpred_ctx *ctx, const kpred_model *m)
{
    uint32_t t, n = 0;
    if (m->n_params < 1 || m->n_params > KPRED_MAX_TUPLE)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, kpri_clip(m->n_params), KPRED_MAX_TUPLE);
    for (t = 0; t < m->n_params; t++) {
        const int32_t values = m->params[t].n_values;
        if (values < 1 || values > KPRED_MAX_VALUES)
            return kpri_fail(ctx, KPRED_ERR_MODEL, -1, values, KPRED_MAX_VALUES);
        n += values > 1;
    }
    if (n > KPRED_MAX_PARAMS)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, (int32_t)n, KPRED_MAX_PARAMS);
    return KPRED_OK;
}

/* The dimensions on which the code above relies. */
static kpred_status kpri_check_model(kpred_ctx *ctx, const kpred_model *m)
{
    kpred_status status;
    if (m->format != KPRED_FORMAT)
        return kpri_fail(ctx, KPRED_ERR_FORMAT, -1, kpri_clip(m->format), KPRED_FORMAT);
    if (m->n_fields < 1 || m->n_fields > KPRED_MAX_FIELDS)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, kpri_clip(m->n_fields), KPRED_MAX_FIELDS);
    status = kpri_check_params(ctx, m);
    if (status != KPRED_OK)
        return status;
    if (m->scale < 1 || m->scale > KPRED_MAX_SCALE)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, kpri_clip(m->scale), KPRED_MAX_SCALE);
    if (!m->scorer || m->extensions)
        return kpri_fail(ctx, KPRED_ERR_MODEL, -1, -1, -1);
    if (m->id != kpred_model_id(m))
        return kpri_fail(ctx, KPRED_ERR_ID, -1, -1, -1);
    return m->scorer == &kpred_additive_scorer
               ? kpri_check_additive(ctx, (const kpred_additive *)m->net)
               : KPRED_OK;
}

/* The rest of a context whose body is set. pre: the model has been checked */
static kpred_status kpri_bind(kpred_ctx *ctx, const kpred_model *model, size_t beam, int32_t *arena,
                              size_t words)
{
    size_t needed;
    if (beam < 1 || beam > KPRED_MAX_BEAM)
        return kpri_fail(ctx, KPRED_ERR_BEAM, -1, kpri_clip(beam), KPRED_MAX_BEAM);
    if ((uintptr_t)arena % sizeof *arena)
        return kpri_fail(ctx, KPRED_ERR_ALIGN, -1, -1, -1);
    needed = kpred_arena_words(model, beam);
    if (words < needed)
        return kpri_fail(ctx, KPRED_ERR_ARENA, -1, kpri_clip(words), kpri_clip(needed));
    if (ctx->body == KPRED_BODIES)
        return kpri_fail(ctx, KPRED_ERR_BODY, -1, KPRED_SIMD, -1);
    ctx->model = model;
    ctx->arena = arena;
    ctx->beam = (uint32_t)beam;
    ctx->n_slots = (uint32_t)kpri_slots(model, beam);
    ctx->extrapolated = 0;
    (void)kpri_fail(ctx, KPRED_OK, -1, -1, -1);
    return KPRED_OK;
}

KPRED_API kpred_status kpred_init(kpred_ctx *ctx, uint32_t version, const kpred_model *model,
                                  size_t beam, int32_t *arena, size_t words)
{
    kpred_status status;
    if (!ctx)
        return KPRED_ERR_NULL;
    ctx->model = 0;
    if (!model || !arena)
        return kpri_fail(ctx, KPRED_ERR_NULL, model ? 4 : 2, -1, -1);
    if (version != KPRED_VERSION)
        return kpri_fail(ctx, KPRED_ERR_VERSION, -1, kpri_clip(version), KPRED_VERSION);
    status = kpri_check_model(ctx, model);
    if (status != KPRED_OK)
        return status;
    ctx->body = kpri_fastest_body();
    return kpri_bind(ctx, model, beam, arena, words);
}

KPRED_API kpred_status kpred_init_again(kpred_ctx *ctx, const kpred_ctx *known, size_t beam,
                                        int32_t *arena, size_t words)
{
    const kpred_model *model = known ? known->model : 0;
    if (!ctx)
        return KPRED_ERR_NULL;
    ctx->model = 0;
    if (!known || !arena)
        return kpri_fail(ctx, KPRED_ERR_NULL, known ? 3 : 1, -1, -1);
    if (!model)
        return kpri_fail(ctx, KPRED_ERR_CONTEXT, -1, -1, -1);
    ctx->body = known->body;
    return kpri_bind(ctx, model, beam, arena, words);
}

KPRED_API kpred_status kpred_set_body(kpred_ctx *ctx, kpred_body body)
{
    if (!ctx)
        return KPRED_ERR_NULL;
    if (!ctx->model)
        return kpri_fail(ctx, KPRED_ERR_CONTEXT, -1, -1, -1);
    if ((uint32_t)body >= KPRED_BODIES || !(kpri_bodies(1) >> (uint32_t)body & 1))
        return kpri_fail(ctx, KPRED_ERR_BODY, -1, (int32_t)body, -1);
    ctx->body = (uint32_t)body;
    return KPRED_OK;
}

KPRED_API const char *kpred_body_name(kpred_body body)
{
    static const char *const names[] = {"portable",    "sse2", "avx2",     "avx_vnni",
                                        "avx512_vnni", "neon", "neon_dot", "unknown"};
    return names[(uint32_t)body < KPRED_BODIES ? (uint32_t)body : (uint32_t)KPRED_BODIES];
}

/* Checks the range of field f, which is x. *outside gets its bit outside the trained range. */
/*@ requires \valid(ctx) && \valid_read(ctx->model) && f < 32;
    requires \valid_read(ctx->model->fields + f) && \valid_read(x) && \valid(outside);
    requires \separated(ctx, outside, x, ctx->model, ctx->model->fields + f);
    assigns ctx->detail, *outside;
    ensures \result == KPRED_OK && ctx->model->fields[f].tokens
        ==> 0 <= *x < ctx->model->fields[f].n_tokens;
    ensures \result == KPRED_OK && !ctx->model->fields[f].tokens
        ==> ctx->model->fields[f].least <= *x <= ctx->model->fields[f].most; */
static kpred_status kpri_check_field(kpred_ctx *ctx, uint32_t f, const int32_t *x,
                                     uint32_t *outside)
{
    const kpred_field *field = ctx->model->fields + f;
    if (field->tokens)
        return *x < 0 || *x >= field->n_tokens
                   ? kpri_fail(ctx, KPRED_ERR_TOKEN, (int32_t)f, *x, field->n_tokens)
                   : KPRED_OK;
    if (*x < field->least || *x > field->most)
        return kpri_fail(ctx, KPRED_ERR_SIZE, (int32_t)f, *x,
                         *x < field->least ? field->least : field->most);
    if (*x < field->trained_min || *x > field->trained_max)
        *outside |= (uint32_t)1 << f;
    return KPRED_OK;
}

/* *outside gets a bit for each size outside the trained range. */
/*@ requires \valid(ctx) && \valid_read(ctx->model) && ctx->model->n_fields <= 32;
    requires \valid_read(ctx->model->fields + (0 .. ctx->model->n_fields - 1));
    requires \valid_read(problem + (0 .. ctx->model->n_fields - 1)) && \valid(outside);
    requires \separated(ctx, outside, problem + (0 .. ctx->model->n_fields - 1), ctx->model,
        ctx->model->fields + (0 .. ctx->model->n_fields - 1));
    assigns ctx->detail, *outside;
    ensures \result == KPRED_OK ==> \forall integer f; 0 <= f < ctx->model->n_fields ==>
        (ctx->model->fields[f].tokens != \null ? 0 <= problem[f] < ctx->model->fields[f].n_tokens
         : ctx->model->fields[f].least <= problem[f] <= ctx->model->fields[f].most); */
static kpred_status kpri_check_problem(kpred_ctx *ctx, const int32_t *problem, uint32_t *outside)
{
    uint32_t f;
    *outside = 0;
    for (f = 0; f < ctx->model->n_fields; f++) {
        const kpred_status status = kpri_check_field(ctx, f, problem + f, outside);
        if (status != KPRED_OK)
            return status;
    }
    return KPRED_OK;
}

/* Divides the arena; the layout is that of KPRED_ARENA_WORDS. */
static void kpri_open(kpri_search *s, const kpred_ctx *ctx, const int32_t *problem)
{
    const kpred_model *m = ctx->model;
    s->model = m;
    s->by = KPRI_ARITH_OF(ctx->body);
    s->has_body = m->scorer == &kpred_additive_scorer;
    s->problem = problem;
    s->beam = ctx->beam;
    s->record_words = KPRI_RECORD_WORDS((size_t)m->n_params, (size_t)m->state_words);
    s->n_slots = ctx->n_slots;
    s->norm = 0;
    s->lane_bits = 0;
    s->work = ctx->arena;
    s->records = s->work + m->work_words;
    s->score = s->records + KPRI_RECORDS((size_t)m->n_params, s->beam) * s->record_words;
    s->next = s->score + ctx->n_slots;
    s->used = (uint32_t *)(s->next + ctx->n_slots);
    s->bucket = s->next + ctx->n_slots + KPRI_USED_WORDS;
}

/* The root: the empty prefix. */
static void kpri_start(kpri_search *s, int32_t *state_of)
{
    if (s->has_body) {
        kpri_find_rows(s->model, &s->rows);
        kpri_start_by(KPRI_BY(s), s->model, s->problem, s->work);
    } else
        s->model->scorer->start(s->model, s->problem, s->work, kpri_state(s, state_of));
    state_of[0] = 0;
}

/* The score that belongs to a sum */
/*@ requires \valid_read(s) && \valid_read(s->model) && s->model->scale <= KPRED_MAX_SCALE;
    assigns \nothing;
    ensures \result <= 0; */
static int32_t kpri_calibrated(const kpri_search *s, int32_t sum)
{
    const int64_t down = kpri_scaled((uint32_t)0 - (uint32_t)sum, s->model->scale);
    const int64_t score = -down - s->norm;
    return score > 0 ? 0 : kpri_saturate(score);
}

/*@ requires \valid_read(s) && \valid_read(s->model) && s->model->n_params <= KPRED_MAX_TUPLE;
    requires s->model->scale <= KPRED_MAX_SCALE && \valid(out);
    requires \valid_read(record + (0 .. s->model->n_params));
    requires \separated(out, s, s->model, record + (0 .. s->model->n_params));
    assigns *out;
    ensures out->score <= 0;
    ensures \forall integer t; 0 <= t < s->model->n_params
        ==> out->value[t] == record[1 + t]; */
static void kpri_write(const kpri_search *s, const int32_t *record, kpred_tuple *out)
{
    out->score = kpri_calibrated(s, record[0]);
    kpri_copy(out->value, record + 1, s->model->n_params);
}

/* The search, then the rescue if it is needed. pre: the problem is in range, the kernel applies */
static kpred_status kpri_run(kpred_ctx *ctx, kpri_search *s, kpred_tuple *out, size_t k,
                             size_t *n_out)
{
    int32_t *tuples = 0, calls = 0;
    size_t n = 0, i;
    kpri_start(s, s->records);
    if (s->beam > 1) {
        n = kpri_beam_search(s, &tuples);
        if (n == 0)
            kpri_start(s, s->records);
    }
    if (n == 0) {
        const kpred_status status = kpri_depth_first(s, s->beam == 1, &calls);
        if (status != KPRED_OK)
            return kpri_fail(ctx, status, -1, calls,
                             status == KPRED_ERR_BUDGET ? KPRED_RESCUE_CALLS : -1);
        tuples = kpri_record(s, s->records, s->model->n_params);
        n = 1;
    }
    n = n < k ? n : k;
    for (i = 0; i < n; i++)
        kpri_write(s, kpri_record(s, tuples, i), out + i);
    *n_out = n;
    return KPRED_OK;
}

/* Not for analysers, which take numbers for pointers and functions for data amiss. */
#if defined(__GNUC__) && defined(__ELF__) && !defined(__OPTIMIZE_SIZE__)             \
    && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__clang_analyzer__) \
    && !defined(__FRAMAC__)
#define KPRI_ASKS
#define KPRI_APART        __attribute__((section(".text.unlikely")))
#define KPRI_ASK(address) __builtin_prefetch((const void *)(address), 0, 2)

/* Asks for lines of the cache that will be read, and goes on; it faults nowhere. So code and
   constants come while something else waits, of which a processor would find each when it is
   needed. A hot call takes 10 to 50 ns longer. Hence fours, with fewer turns of the loop, and a
   place apart, which leaves the code of a call where it was. */
static KPRI_INLINE void kpri_ask(const void *from, size_t bytes)
{
    const uintptr_t at = (uintptr_t)from;
    size_t i;
    for (i = 0; i < bytes; i += 256) {
        KPRI_KEEP_LOOP(i); /* else gcc finds that the function below has no effect */
        KPRI_ASK(at + i);
        KPRI_ASK(at + i + 64);
        KPRI_ASK(at + i + 128);
        KPRI_ASK(at + i + 192);
    }
}

#define KPRI_ASK_CODE(function, bytes) kpri_ask((const void *)(uintptr_t)(function), bytes)

/* The code and the constants of a search that bring most for each line asked for, in the order in
   which it comes to them. The bytes of functions are near those that gcc 12 makes of them at
   -O2. */
static KPRI_NOINLINE KPRI_APART void kpri_ask_all(const kpred_ctx *ctx)
{
    const kpri_arith *by = KPRI_ARITH_OF(ctx->body);
    const kpred_model *m = ctx->model;
    KPRI_ASK_CODE(kpri_start_by, 1024);
    if (ctx->beam == 1)
        KPRI_ASK_CODE(kpri_depth_first, 1280);
    else
        KPRI_ASK_CODE(kpri_beam_search, 2304);
    KPRI_ASK_CODE(m->rule, 512);
    kpri_ask(m->params, m->n_params * sizeof *m->params);
    KPRI_ASK_CODE(by->matvec, 512);
    KPRI_ASK_CODE(by->requantise, 256);
    KPRI_ASK_CODE(by->head, 1280);
    KPRI_ASK_CODE(by->scores, ctx->beam > 1 ? 1280 : 512);
    if (m->scorer == &kpred_additive_scorer) {
        const kpred_additive *net = (const kpred_additive *)m->net;
        kpri_ask(net->heads, m->n_params * sizeof *net->heads);
        kpri_ask(net->program, net->n_instr * sizeof *net->program);
    }
}

#endif

/* Reads a byte of each line of the cache. */
static void kpri_read(const void *from, size_t bytes)
{
    const volatile char *p = (const volatile char *)from;
    size_t i;
    char seen = 0;
    for (i = 0; i < bytes; i += 64)
        seen = (char)(seen | p[i]); /* for nvcc, a variable that is only set is not used */
    if (bytes > 0)
        seen = (char)(seen | p[bytes - 1]);
    (void)seen;
}

static void kpri_read_additive(const kpred_model *m)
{
    const kpred_additive *net = (const kpred_additive *)m->net;
    size_t t, embeddings = 0;
    for (t = 0; t < 3; t++) {
        const kpred_layer *l = net->layer + t;
        kpri_read(l->weight, (size_t)l->rows * l->cols);
        kpri_read(l->bias, l->rows * sizeof *l->bias);
    }
    for (t = 0; t < m->n_params; t++) {
        const kpred_head *head = net->heads + t;
        const size_t n = (size_t)m->params[t].n_values, rows = (n + 3) & ~(size_t)3;
        if (!head->weight)
            continue;
        kpri_read(head->weight, rows * net->hidden);
        kpri_read(head->bias, rows * sizeof *head->bias);
        kpri_read(head->embedding, embeddings * net->hidden);
        embeddings += n;
    }
    kpri_read(net->program, net->n_instr * sizeof *net->program);
}

KPRED_API void kpred_touch(const kpred_ctx *ctx)
{
    const kpred_model *m = ctx ? ctx->model : 0;
    uint32_t i;
    if (!m)
        return;
#ifdef KPRI_ASKS
    kpri_ask_all(ctx);
#endif
    kpri_read(ctx->arena, kpred_arena_words(m, ctx->beam) * sizeof *ctx->arena);
    kpri_read(m->fields, m->n_fields * sizeof *m->fields);
    for (i = 0; i < m->n_params; i++)
        kpri_read(m->params[i].values, (size_t)m->params[i].n_values * sizeof *m->params[i].values);
    if (m->names) {
        const kpred_names *k = m->names;
        kpri_read(k->values, (size_t)k->n * k->n_params * sizeof *k->values);
        kpri_read(k->ids, (size_t)k->n * k->n_ids * sizeof *k->ids);
    }
    if (m->scorer == &kpred_additive_scorer)
        kpri_read_additive(m);
    kpri_read(kpri_log2_table, sizeof kpri_log2_table);
    kpri_read(kpri_exp2_table, sizeof kpri_exp2_table);
}

KPRED_API kpred_status kpred_predict(kpred_ctx *ctx, const int32_t *problem, size_t n_fields,
                                     kpred_tuple *out, size_t k, size_t *n_out)
{
    kpri_search s;
    kpred_status status;
    uint32_t outside;
    if (!ctx)
        return KPRED_ERR_NULL;
    if (!ctx->model)
        return kpri_fail(ctx, KPRED_ERR_CONTEXT, -1, -1, -1);
    if (!problem || !out || !n_out)
        return kpri_fail(ctx, KPRED_ERR_NULL, !problem ? 1 : !out ? 3 : 5, -1, -1);
    if (k < 1 || k > ctx->beam)
        return kpri_fail(ctx, KPRED_ERR_K, -1, kpri_clip(k), (int32_t)ctx->beam);
    if (n_fields != ctx->model->n_fields)
        return kpri_fail(ctx, KPRED_ERR_FIELDS, -1, kpri_clip(n_fields),
                         (int32_t)ctx->model->n_fields);
    status = kpri_check_problem(ctx, problem, &outside);
    if (status != KPRED_OK)
        return status;
    if (ctx->model->rule && !ctx->model->rule(problem, problem, 0))
        return kpri_fail(ctx, KPRED_ERR_NOT_APPLICABLE, -1, -1, -1);
    kpri_open(&s, ctx, problem);
#ifdef KPRI_ASKS
    kpri_ask_all(ctx);
#endif
    status = kpri_run(ctx, &s, out, k, n_out);
    if (status == KPRED_OK)
        ctx->extrapolated = outside;
    return status;
}

KPRED_API int kpred_legal(const kpred_model *model, const int32_t *problem, const int32_t *values)
{
    size_t n;
    for (n = 0; model->rule && n <= model->n_params; n++)
        if (!model->rule(problem, values, n))
            return 0;
    return 1;
}

KPRED_API int32_t kpred_field_index(const kpred_model *model, const char *name)
{
    uint32_t f;
    for (f = 0; f < model->n_fields; f++)
        if (kpri_same_text(model->fields[f].name, name))
            return (int32_t)f;
    return -1;
}

KPRED_API int32_t kpred_token(const kpred_model *model, size_t field, const char *name)
{
    int32_t i;
    if (field >= model->n_fields || !model->fields[field].tokens)
        return -1;
    for (i = 0; i < model->fields[field].n_tokens; i++)
        if (kpri_same_text(model->fields[field].tokens[i], name))
            return i;
    return -1;
}

/*@ requires \valid_read(model) && (model->names == \null || \valid_read(model->names));
    assigns \nothing;
    ensures \result <==> model->names != \null && 0 <= kernel < model->names->n; */
static KPRI_INLINE int kpri_is_kernel(const kpred_model *model, int32_t kernel)
{
    return model->names && kernel >= 0 && (uint32_t)kernel < model->names->n;
}

KPRED_API int32_t kpred_kernel_of(const kpred_model *model, const int32_t *values)
{
    const kpred_names *k = model->names;
    const uint32_t i = k ? kpri_first_kernel(k, values + k->first, k->n_params) : 0;
    return k && i < k->n
                   && !kpri_compare_values(k->values + (size_t)i * k->n_params, values + k->first,
                                           k->n_params)
               ? (int32_t)i
               : -1;
}

KPRED_API int32_t kpred_kernel_named(const kpred_model *model, const char *name)
{
    uint32_t i;
    for (i = 0; model->names && i < model->names->n; i++)
        if (kpri_same_text(model->names->names[i], name))
            return (int32_t)i;
    return -1;
}

KPRED_API const char *kpred_kernel_name(const kpred_model *model, int32_t kernel)
{
    return kpri_is_kernel(model, kernel) ? model->names->names[kernel] : NULL;
}

KPRED_API int32_t kpred_kernel_id(const kpred_model *model, int32_t kernel, const int32_t *problem)
{
    const kpred_names *k = model->names;
    if (!kpri_is_kernel(model, kernel))
        return -1;
    return k->ids[(size_t)kernel * k->n_ids + (k->n_ids > 1 ? (uint32_t)problem[k->id_field] : 0)];
}

KPRED_API int kpred_kernel_values(const kpred_model *model, int32_t kernel, int32_t *values)
{
    const kpred_names *k = model->names;
    uint32_t p;
    if (!kpri_is_kernel(model, kernel))
        return 0;
    for (p = 0; p < k->n_params; p++)
        values[k->first + p] = k->values[(size_t)kernel * k->n_params + p];
    return 1;
}

/*@ assigns \nothing;
    ensures -1 <= \result <= 15; */
static int32_t kpri_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads "gfx906_60", "gfx90878" or "gfx90a:sramecc+": the arch has three hexadecimal digits, or
   four if it begins with 1. Units follow, decimal behind '_', else hexadecimal; they are 0 where
   none are given. Returns 1, or 0 for another kind of name. */
static int kpri_parse_gpu(const char *name, int32_t *arch, int32_t *units)
{
    int32_t n = 0, digits, base = 16;
    *arch = *units = 0;
    if (name[0] != 'g' || name[1] != 'f' || name[2] != 'x')
        return 0;
    digits = name[3] == '1' ? 4 : 3;
    for (name += 3; n < digits && kpri_hex_digit(*name) >= 0; n++, name++)
        *arch = *arch * 16 + kpri_hex_digit(*name);
    if (*name == '_') {
        base = 10;
        name++;
    }
    for (n = n < digits ? 9 : 0; n < 4 && kpri_hex_digit(*name) >= 0; n++, name++)
        *units = *units * base + kpri_hex_digit(*name);
    return n < 9;
}

KPRED_API int kpred_runs_on(const kpred_model *model, const char *arch)
{
    const char *const *on = model->runs_on;
    size_t i;
    for (; on && *on; on++) {
        for (i = 0; (*on)[i] && (*on)[i] == arch[i]; i++)
            ;
        if (!(*on)[i])
            return 1;
    }
    return !on;
}

/*@ requires 0 <= a && 0 <= b;
    assigns \nothing;
    ensures \result == \abs(a - b); */
static int32_t kpri_distance(int32_t a, int32_t b)
{
    return a > b ? a - b : b - a;
}

KPRED_API int32_t kpred_gpu_token(const kpred_model *model, const char *arch, int32_t units,
                                  int *exact)
{
    const int32_t field = kpred_field_index(model, "gpu");
    int32_t want, own, best = -1, best_far = 0, best_off = 0, best_units = 0, i;
    if (exact)
        *exact = 0;
    if (field < 0 || !model->fields[field].tokens || !kpri_parse_gpu(arch, &want, &own)
        || !kpred_runs_on(model, arch))
        return -1;
    units = units > 0 ? units : own;
    for (i = 0; i < model->fields[field].n_tokens; i++) {
        int32_t a, u, away, off;
        if (!kpri_parse_gpu(model->fields[field].tokens[i], &a, &u))
            continue;
        away = kpri_distance(a, want);
        off = units > 0 ? kpri_distance(u, units) : 0;
        if (best < 0 || away < best_far
            || (away == best_far && (off < best_off || (off == best_off && u > best_units)))) {
            best = i;
            best_far = away;
            best_off = off;
            best_units = u;
        }
    }
    if (exact)
        *exact = best >= 0 && best_far == 0 && best_off == 0;
    return best;
}

/*@ requires score <= 0;
    assigns \nothing;
    ensures 0 <= \result <= 16777216; */
KPRED_API int32_t kpred_probability(int32_t score)
{
    return kpri_exp2_neg((uint32_t)0 - (uint32_t)score);
}

/* Each probability rounds by less than 1, so left <= 2^24 stays far from the ends of int32_t. */
/*@ requires 1 <= share <= 16777216 && \valid_read(tuples + (0 .. n - 1));
    requires \forall integer i; 0 <= i < n ==> tuples[i].score <= 0;
    assigns \nothing;
    ensures \result <= n; */
KPRED_API size_t kpred_tuples_needed(const kpred_tuple *tuples, size_t n, int32_t share)
{
    int32_t left = share;
    size_t i;
    for (i = 0; i < n; i++) {
        left -= kpred_probability(tuples[i].score);
        if (left <= 0)
            return i + 1;
    }
    return 0;
}

/* A step of the hash: of two different words, or two different hashes before it, come two different
   ones behind it. So a change of a single word is always seen. */
static uint64_t kpri_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 by the golden ratio */
    return h ^ h >> 29; /* no multiple of 8: the sign of a weight comes to lie elsewhere */
}

/* Eight bytes, the least significant first on every machine. Compilers make one load of the shifts
   only where nothing else is near. */
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint64_t kpri_bytes8 __attribute__((may_alias, aligned(1)));

static uint64_t kpri_word(const int8_t *p)
{
    return *(const kpri_bytes8 *)p;
}
#else
static uint64_t kpri_word(const int8_t *p)
{
    uint64_t word = 0;
    int i;
    for (i = 7; i >= 0; i--)
        word = word << 8 | (uint8_t)p[i];
    return word;
}
#endif

/* Four hashes side by side, as a step waits for the one before it */
static void kpri_hash_bytes(uint64_t *h, const int8_t *p, size_t n)
{
    uint64_t a = *h, b = a + 1, c = a + 2, d = a + 3;
    for (; n >= 32; n -= 32, p += 32) {
        a = kpri_mix(a, kpri_word(p));
        b = kpri_mix(b, kpri_word(p + 8));
        c = kpri_mix(c, kpri_word(p + 16));
        d = kpri_mix(d, kpri_word(p + 24));
    }
    a = kpri_mix(kpri_mix(kpri_mix(a, b), c), d);
    for (; n > 0; n--)
        a = kpri_mix(a, (uint8_t)*p++);
    *h = a;
}

static void kpri_hash_ints(uint64_t *h, const int32_t *p, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        *h = kpri_mix(*h, (uint32_t)p[i]);
}

static void kpri_hash_int(uint64_t *h, int32_t x)
{
    kpri_hash_ints(h, &x, 1);
}

/* Seven characters a step; the 1 in front of them says how many the last step has. */
static void kpri_hash_text(uint64_t *h, const char *text)
{
    uint64_t word = 1;
    for (;; text++) {
        if (!*text || word >> 56) {
            *h = kpri_mix(*h, word);
            word = 1;
        }
        if (!*text)
            return;
        word = word << 8 | (uint8_t)*text;
    }
}

static void kpri_hash_names(uint64_t *h, const char *const *names, int32_t n)
{
    int32_t i;
    for (i = 0; names && i < n; i++)
        kpri_hash_text(h, names[i]);
}

static void kpri_hash_interface(uint64_t *h, const kpred_model *m)
{
    uint32_t i;
    for (i = 0; i < m->n_fields; i++) {
        const kpred_field *f = m->fields + i;
        kpri_hash_text(h, f->name);
        kpri_hash_int(h, f->n_tokens);
        kpri_hash_names(h, f->tokens, f->n_tokens);
        kpri_hash_int(h, f->least);
        kpri_hash_int(h, f->most);
        kpri_hash_int(h, f->trained_min);
        kpri_hash_int(h, f->trained_max);
    }
    for (i = 0; i < m->n_params; i++) {
        const kpred_param *p = m->params + i;
        kpri_hash_text(h, p->name);
        kpri_hash_int(h, p->n_values);
        kpri_hash_ints(h, p->values, (size_t)p->n_values);
        kpri_hash_names(h, p->names, p->n_values);
    }
}

static void kpri_hash_layer(uint64_t *h, const kpred_layer *l)
{
    kpri_hash_int(h, l->rows);
    kpri_hash_int(h, l->cols);
    kpri_hash_int(h, l->shift);
    kpri_hash_bytes(h, l->weight, (size_t)l->rows * l->cols);
    kpri_hash_ints(h, l->bias, l->rows);
}

static void kpri_hash_head(uint64_t *h, const kpred_head *head, size_t embeddings, size_t rows,
                           size_t hidden)
{
    kpri_hash_int(h, head->embedding_shift);
    kpri_hash_int(h, head->hidden_shift);
    kpri_hash_int(h, head->logit_shift);
    kpri_hash_bytes(h, head->embedding, embeddings * hidden);
    kpri_hash_bytes(h, head->weight, rows * hidden);
    kpri_hash_ints(h, head->bias, rows);
}

static void kpri_hash_additive(uint64_t *h, const kpred_model *m)
{
    const kpred_additive *net = (const kpred_additive *)m->net;
    size_t i, embeddings = 0;
    for (i = 0; i < net->n_instr; i++) {
        const kpred_instr *in = net->program + i;
        kpri_hash_int(h, in->op);
        kpri_hash_int(h, in->a);
        kpri_hash_int(h, in->b);
        kpri_hash_int(h, in->n);
        kpri_hash_int(h, in->k);
    }
    kpri_hash_int(h, net->hidden);
    for (i = 0; i < 3; i++)
        kpri_hash_layer(h, net->layer + i);
    for (i = 0; i < m->n_params; i++) {
        const size_t n = (size_t)m->params[i].n_values;
        if (!net->heads[i].weight)
            continue;
        kpri_hash_head(h, net->heads + i, embeddings, (n + 3) & ~(size_t)3, net->hidden);
        embeddings += n;
    }
}

KPRED_API uint64_t kpred_model_id(const kpred_model *model)
{
    const char *const *arch = model->runs_on;
    uint64_t h = 0;
    kpri_hash_int(&h, (int32_t)model->format);
    kpri_hash_text(&h, model->name);
    kpri_hash_text(&h, model->kernel);
    kpri_hash_text(&h, model->split);
    kpri_hash_text(&h, model->rule_name);
    kpri_hash_int(&h, (int32_t)model->work_words);
    kpri_hash_int(&h, (int32_t)model->state_words);
    kpri_hash_int(&h, (int32_t)model->scale);
    for (; arch && *arch; arch++)
        kpri_hash_text(&h, *arch);
    kpri_hash_interface(&h, model);
    if (model->scorer == &kpred_additive_scorer)
        kpri_hash_additive(&h, model);
    return h;
}

KPRED_API const char *kpred_status_string(kpred_status status)
{
#define KPRI_TEXT(name, code, text) text,
    static const char *const texts[] = {KPRED_STATUS_LIST(KPRI_TEXT)}; /* for 0, -1, -2, ... */
#undef KPRI_TEXT
    const size_t i = (size_t)0 - (size_t)status;
    return i < sizeof texts / sizeof *texts ? texts[i] : "unknown status";
}

#ifdef __cplusplus
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif /* KPRED_IMPLEMENTATION */

/* ---- >>license ---------------------------------------------------------------------------------
MIT License

Copyright (c) 2026 the kpred authors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
