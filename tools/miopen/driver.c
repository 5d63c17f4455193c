/* driver.c - the calls of MIOpenDriver that stand in a log
   SPDX-License-Identifier: MIT */
#include "base/names.h"
#include "conv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { DRIVER_FORWARD = 1, DRIVER_BACKWARD = 2, DRIVER_WEIGHTS = 4 };

/* ---- options: MIOpenDriver's letters, names and defaults ---- */

#define SIZE_OPTIONS(X)                                         \
    X(BATCHSIZE, 'n', "batchsize", 100, 1, KPRED_MAX_SIZE)      \
    X(IN_CHANNELS, 'c', "in_channels", 3, 1, KPRED_MAX_SIZE)    \
    X(OUT_CHANNELS, 'k', "out_channels", 32, 1, KPRED_MAX_SIZE) \
    X(IN_D, '!', "in_d", 32, 1, KPRED_MAX_SIZE)                 \
    X(IN_H, 'H', "in_h", 32, 1, KPRED_MAX_SIZE)                 \
    X(IN_W, 'W', "in_w", 32, 1, KPRED_MAX_SIZE)                 \
    X(FIL_D, '@', "fil_d", 3, 1, KPRED_MAX_SIZE)                \
    X(FIL_H, 'y', "fil_h", 3, 1, KPRED_MAX_SIZE)                \
    X(FIL_W, 'x', "fil_w", 3, 1, KPRED_MAX_SIZE)                \
    X(PAD_D, '$', "pad_d", 0, 0, KPRED_MAX_SIZE)                \
    X(PAD_H, 'p', "pad_h", 0, 0, KPRED_MAX_SIZE)                \
    X(PAD_W, 'q', "pad_w", 0, 0, KPRED_MAX_SIZE)                \
    X(STRIDE_D, '#', "conv_stride_d", 1, 1, KPRED_MAX_SIZE)     \
    X(STRIDE_H, 'u', "conv_stride_h", 1, 1, KPRED_MAX_SIZE)     \
    X(STRIDE_W, 'v', "conv_stride_w", 1, 1, KPRED_MAX_SIZE)     \
    X(DILATION_D, '^', "dilation_d", 1, 1, KPRED_MAX_SIZE)      \
    X(DILATION_H, 'l', "dilation_h", 1, 1, KPRED_MAX_SIZE)      \
    X(DILATION_W, 'j', "dilation_w", 1, 1, KPRED_MAX_SIZE)      \
    X(GROUPS, 'g', "group_count", 1, 1, KPRED_MAX_SIZE)         \
    X(FORW, 'F', "forw", 0, 0, 7)                               \
    X(BIAS, 'b', "bias", 0, 0, 1)                               \
    X(SPATIAL_DIM, '_', "spatial_dim", 2, 2, 3)

#define WORD_OPTIONS(X)                                \
    X(MODE, 'm', "mode", "conv trans")                 \
    X(PAD_MODE, 'z', "pad_mode", "default same valid") \
    X(IN_LAYOUT, 'I', "in_layout", LAYOUTS)            \
    X(FIL_LAYOUT, 'f', "fil_layout", LAYOUTS)          \
    X(OUT_LAYOUT, 'O', "out_layout", LAYOUTS)
#define LAYOUTS "NCHW NHWC CHWN NCHWc4 NCHWc8 CHWNc4 CHWNc8 NCDHW NDHWC"

/* They say how to run a convolution, not which. */
/* clang-format off */
#define OTHER_OPTIONS(X)                                                                      \
    X('t', "time") X('i', "iter") X('V', "verify") X('w', "wall") X('s', "search")            \
    X('P', "printconv") X('o', "dump_output") X('d', "in_data") X('e', "weights")             \
    X('a', "in_bias") X('D', "dout_data") X('S', "solution") X('G', "gpualloc")               \
    X('C', "verification_cache") X('Z', "tensor_vect") X('L', "vector_length")                \
    X('r', "pad_val") X('%', "trans_output_pad_d") X('Y', "trans_output_pad_h")               \
    X('X', "trans_output_pad_w") X('U', "in_cast_type") X('T', "out_cast_type")               \
    X('R', "wei_cast_type")
/* clang-format on */

#define SIZE_INDEX(id, letter, name, value, least, most) id,
#define WORD_INDEX(id, letter, name, choices)            id,
enum { SIZE_OPTIONS(SIZE_INDEX) N_SIZES };
enum { WORD_FIRST = N_SIZES - 1, WORD_OPTIONS(WORD_INDEX) N_KNOWN };

struct option {
    char letter;
    const char *name;
    int64_t value, least, most; /* of a size */
    const char *choices;        /* of a word; NULL for a size */
};

#define SIZE_ROW(id, letter, name, value, least, most) {letter, name, value, least, most, NULL},
#define WORD_ROW(id, letter, name, choices)            {letter, name, 0, 0, 0, choices},
#define OTHER_ROW(letter, name)                        {letter, name, 0, 0, 0, NULL},
static const struct option options[] = {SIZE_OPTIONS(SIZE_ROW) WORD_OPTIONS(WORD_ROW)
                                            OTHER_OPTIONS(OTHER_ROW)};
enum { N_OPTIONS = sizeof options / sizeof *options };

/* ---- words ---- */

struct words {
    char *at;
    int has_ended; /* the call has */
};

static const char blanks[] = " \t\r\n";
static const char ends[] = "|&;<>()`"; /* a command, for a shell */

/* Cuts the next word off; NULL if the call ends before one. */
static char *next_word(struct words *w)
{
    char *word = w->at + strspn(w->at, blanks), *end;
    if (w->has_ended || *word == '\0' || *word == '#' || strchr(ends, *word) != NULL
        || word[strspn(word, "0123456789")] == '>') {
        w->has_ended = 1;
        return NULL;
    }
    if (*word == '"' || *word == '\'') {
        end = strchr(word + 1, *word);
        if (end != NULL) {
            *end = '\0';
            w->at = end + 1;
            return word + 1;
        }
    }
    end = word + strcspn(word, " \t\r\n|&;<>()`\"'");
    w->has_ended = *end != '\0' && strchr(blanks, *end) == NULL;
    w->at = end + (*end != '\0');
    *end = '\0';
    return word;
}

/* ---- reading ---- */

struct reading {
    struct driver_call *call;
    int64_t size[N_SIZES];
    const char *given[N_OPTIONS]; /* values, or NULL */
};

static int broken(struct driver_call *call, const char *option, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* The option is part of the words where it is not "". */
static int broken(struct driver_call *call, const char *option, const char *fmt, ...)
{
    va_list args;
    const char *colon = *option != '\0' ? ": " : "";
    const int n = snprintf(call->why, sizeof call->why, "%.60s%s", option, colon);
    va_start(args, fmt);
    vsnprintf(call->why + n, sizeof call->why - (size_t)n, fmt, args);
    va_end(args);
    snprintf(call->option, sizeof call->option, "%s", option);
    call->form = fmt;
    return -1;
}

static size_t find_option(const char *word, size_t n)
{
    const int is_short = n == 2 && word[1] != '-', is_long = n > 2 && word[1] == '-';
    for (size_t i = 0; i < N_OPTIONS; i++)
        if ((is_short && options[i].letter == word[1])
            || (is_long && strlen(options[i].name) == n - 2
                && memcmp(options[i].name, word + 2, n - 2) == 0))
            return i;
    return N_OPTIONS;
}

static int set_option(struct reading *r, size_t i, const char *name, const char *value)
{
    const struct option *o = &options[i];
    if (r->given[i] != NULL && strcmp(r->given[i], value) != 0)
        return broken(r->call, name, "value \"%.40s\": another one is given before, \"%.40s\"",
                      value, r->given[i]);
    r->given[i] = value;
    if (i < N_SIZES) {
        if (parse_int(value, o->least, o->most, &r->size[i]) != 0)
            return broken(r->call, name,
                          "value \"%.40s\": is not an integer from %" PRId64 " to %" PRId64, value,
                          o->least, o->most);
    } else if (i < N_KNOWN && (!names_has_word(o->choices, value) || strchr(value, ' ') != NULL))
        return broken(r->call, name, "value \"%.40s\": is not one of %s", value, o->choices);
    return 0;
}

/* One option and its value: "-n 4", "--batchsize 4" or "--batchsize=4". */
static int read_option(struct reading *r, struct words *w, const char *word)
{
    const size_t n = word[0] == '-' && word[1] == '-' ? strcspn(word, "=") : strlen(word);
    const char *value = word[n] == '=' ? word + n + 1 : NULL;
    char name[32];
    if (*word != '-')
        return broken(r->call, "", "\"%.60s\": is not an option", word);
    const size_t i = find_option(word, n);
    if (i == N_OPTIONS)
        return broken(r->call, "", "\"%.60s\": is not an option of MIOpenDriver", word);
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    if (value == NULL)
        value = next_word(w);
    if (value == NULL || *value == '\0')
        return broken(r->call, name, "needs a value");
    return set_option(r, i, name, value);
}

/* ---- from options to a convolution ---- */

static int is_3d(const char *layout)
{
    return strchr(layout, 'D') != NULL;
}

/* Layouts say how many dimensions there are, unless --spatial_dim does; then they have to agree. */
static int set_layouts(struct reading *r, struct conv *c)
{
    c->dims = (int)r->size[SPATIAL_DIM];
    for (size_t i = 0; i < 3; i++)
        if (r->given[IN_LAYOUT + i] != NULL && r->given[SPATIAL_DIM] == NULL
            && is_3d(r->given[IN_LAYOUT + i]))
            c->dims = 3;
    for (size_t i = 0; i < 3; i++) {
        const char *layout = r->given[IN_LAYOUT + i];
        if (layout == NULL)
            layout = c->dims == 2 ? "NCHW" : "NCDHW";
        if (is_3d(layout) != (c->dims == 3)) {
            char name[32];
            snprintf(name, sizeof name, "--%s", options[IN_LAYOUT + i].name);
            return broken(r->call, name, "value \"%s\": is not a layout of %d-D images", layout,
                          c->dims);
        }
        snprintf(c->layout[i], sizeof c->layout[i], "%s", layout);
    }
    return 0;
}

/* --pad_mode has a say only where all dilations or all sides of the filter are 1. */
static void set_pads(const struct reading *r, struct conv *c)
{
    const char *mode = r->given[PAD_MODE];
    int all_dense = 1, all_single = 1;
    if (mode == NULL || strcmp(mode, "default") == 0)
        return;
    for (size_t i = 0; i < 3; i++) {
        all_dense &= c->dilation[i] == 1;
        all_single &= c->filter[i] == 1;
    }
    for (int i = 3 - c->dims; i < 3 && (all_dense || all_single); i++) {
        const int64_t left = c->in[i] % c->stride[i];
        const int64_t rest = c->filter[i] - (left == 0 ? c->stride[i] : left);
        c->pad[i] = strcmp(mode, "valid") == 0 || rest < 0 ? 0 : rest / 2;
    }
}

static int set_outputs(struct reading *r, struct conv *c)
{
    for (int i = 3 - c->dims; i < 3; i++) {
        c->out[i] = conv_out_size(c->in[i], c->filter[i], c->pad[i], c->stride[i], c->dilation[i]);
        const char name[] = {'-', options[FIL_D + i].letter, '\0'};
        if (c->out[i] == 0)
            return broken(r->call, name,
                          "value \"%" PRId64 "\": the filter is larger than the image, %" PRId64
                          " with its pads",
                          c->filter[i], c->in[i] + 2 * c->pad[i]);
    }
    if (c->c % c->groups != 0 || c->k % c->groups != 0)
        return broken(r->call, "-g",
                      "value \"%" PRId64 "\": does not divide the channels, %" PRId64
                      " and %" PRId64,
                      c->groups, c->c, c->k);
    return 0;
}

static int set_conv(struct reading *r)
{
    struct conv *c = &r->call->conv;
    r->call->directions = r->size[FORW] == 0 ? 7 : (int)r->size[FORW];
    r->call->is_transposed = r->given[MODE] != NULL && strcmp(r->given[MODE], "trans") == 0;
    if (set_layouts(r, c) != 0)
        return -1;
    c->n = r->size[BATCHSIZE];
    c->c = r->size[IN_CHANNELS];
    c->k = r->size[OUT_CHANNELS];
    c->groups = r->size[GROUPS];
    c->bias = r->size[BIAS];
    for (int i = 3 - c->dims; i < 3; i++) {
        c->in[i] = r->size[IN_D + i];
        c->filter[i] = r->size[FIL_D + i];
        c->pad[i] = r->size[PAD_D + i];
        c->stride[i] = r->size[STRIDE_D + i];
        c->dilation[i] = r->size[DILATION_D + i];
    }
    if (r->call->is_transposed)
        return 0;
    set_pads(r, c);
    return set_outputs(r, c);
}

static struct reading begin_reading(struct driver_call *call)
{
    struct reading r = {.call = call};
    for (size_t i = 0; i < N_SIZES; i++)
        r.size[i] = options[i].value;
    return r;
}

void driver_defaults(struct conv *c, int dims)
{
    struct driver_call call = {.directions = 0};
    struct reading r = begin_reading(&call);
    conv_init(&call.conv);
    r.size[SPATIAL_DIM] = dims;
    set_conv(&r);
    *c = call.conv;
}

static enum driver_kind read_conv(struct words *w, const char *type, struct driver_call *call)
{
    memset(call, 0, sizeof *call);
    conv_init(&call->conv);
    strcpy(call->conv.dtype, type);
    struct reading r = begin_reading(call);
    for (char *word; (word = next_word(w)) != NULL;)
        if (read_option(&r, w, word) != 0)
            return DRIVER_BROKEN;
    return set_conv(&r) == 0 ? DRIVER_CONV : DRIVER_BROKEN;
}

/* ---- calls ---- */

/* Operations that are convolutions, and their data types */
static const char *const types[][2] = {
    {"conv", "FP32"},     {"convfp16", "FP16"}, {"convbfp16", "BF16"},
    {"convint8", "INT8"}, {"convfp8", "FP8"},   {"convbfp8", "BFP8"},
};

/* What follows the next word MIOpenDriver, be it with a path; NULL if there is none. */
static char *find_driver(char *line)
{
    static const char name[] = "MIOpenDriver";
    for (char *p = line; (p = strstr(p, name)) != NULL; p += sizeof name - 1) {
        const char *end = p + sizeof name - 1;
        if ((p == line || strchr(" \t/\"'`([;&|=", p[-1]) != NULL)
            && (*end == ' ' || *end == '\t' || *end == '"' || *end == '\''))
            return p + sizeof name - 1 + (*end == '"' || *end == '\'');
    }
    return NULL;
}

enum driver_kind driver_next(char **at, struct driver_call *call)
{
    struct words w = {.at = find_driver(*at)};
    enum driver_kind kind = DRIVER_OTHER;
    if (w.at == NULL)
        return DRIVER_NONE;
    const char *operation = next_word(&w);
    for (size_t i = 0; i < sizeof types / sizeof *types && operation != NULL; i++)
        if (strcmp(types[i][0], operation) == 0) {
            kind = read_conv(&w, types[i][1], call);
            break;
        }
    *at = w.at;
    return kind;
}

void driver_cut(struct driver_call *call, int most)
{
    (void)broken(call, "", "the line is longer than %d bytes", most);
}

/* ---- a text that is one call ---- */

int driver_parse(const char *text, const char *what, struct driver_call *call)
{
    struct driver_call more;
    struct buf line = {NULL, 0, 0};
    buf_puts(&line, text);
    if (find_driver(line.s) == NULL) {
        line.n = 0;
        buf_printf(&line, "MIOpenDriver %s", text);
    }
    char *at = line.s;
    int rc = 0;
    const enum driver_kind kind = driver_next(&at, call);
    if (kind == DRIVER_BROKEN)
        rc = fail("%s: %s", what, call->why);
    else if (kind != DRIVER_CONV)
        rc = fail("%s: \"%.60s\": calls no convolution; expected \"conv -n 32 -c 64 ...\", or "
                  "convfp16, convbfp16",
                  what, text);
    else if (call->is_transposed)
        rc = fail("%s: -m: value \"trans\": is not covered", what);
    else if (driver_next(&at, &more) != DRIVER_NONE)
        rc = fail("%s: \"%.60s\": holds several calls", what, text);
    buf_free(&line);
    return rc;
}
