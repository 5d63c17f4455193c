/* conv.c - a convolution, its key in MIOpen's databases, and what specs and models make of it
   SPDX-License-Identifier: MIT */
#include "conv.h"

#include <inttypes.h>
#include <string.h>

void conv_init(struct conv *c)
{
    *c = (struct conv){.dims = 2, .dir = 'F'};
    memcpy(c->dtype, "FP32", 5);
    c->n = c->c = c->k = c->groups = 1;
    for (size_t i = 0; i < 3; i++) {
        memcpy(c->layout[i], "NCHW", 5);
        c->in[i] = c->out[i] = c->filter[i] = c->stride[i] = c->dilation[i] = 1;
    }
}

/* ---- sizes ---- */

int64_t conv_out_size(int64_t in, int64_t filter, int64_t pad, int64_t stride, int64_t dilation)
{
    const int64_t room = in + 2 * pad - (dilation * (filter - 1) + 1);
    return room < 0 ? 0 : room / stride + 1;
}

int64_t conv_in_size(int64_t out, int64_t filter, int64_t pad, int64_t stride, int64_t dilation)
{
    return stride * (out - 1) + dilation * (filter - 1) + 1 - 2 * pad + stride - 1;
}

/* ---- keys ---- */

enum { MAX_PARTS = 19, MAX_KEY = 512 };

struct key {
    char *part[MAX_PARTS + 1];
    size_t n, at; /* at: the next part to read */
    char *why;
};

/* The first one counts. */
static void bad_part(struct key *k, const char *what, const char *value)
{
    if (*k->why == '\0')
        snprintf(k->why, 96, "its %s is \"%.40s\"", what, value);
}

static void read_number(struct key *k, const char *what, int64_t least, int64_t *out)
{
    const char *text = k->part[k->at++];
    if (parse_int(text, least, KPRED_MAX_SIZE, out) != 0)
        bad_part(k, what, text);
}

/* "3x3" or "1x3x3": heights and widths, of 3-D keys depths before them. */
static void read_sides(struct key *k, const char *what, int dims, int64_t least, int64_t out[3])
{
    const char *text = k->part[k->at++], *side = text;
    for (int i = 3 - dims; i < 3; i++) {
        const size_t n = strcspn(side, "x");
        char digits[CONV_TEXT];
        snprintf(digits, sizeof digits, "%.*s", (int)n, side);
        if ((side[n] == 'x') != (i < 2) || n >= sizeof digits
            || parse_int(digits, least, KPRED_MAX_SIZE, &out[i]) != 0) {
            bad_part(k, what, text);
            return;
        }
        side += n + 1;
    }
}

static void read_image(struct key *k, const char *what, int dims, int64_t *channels,
                       int64_t size[3])
{
    read_number(k, what, 1, channels);
    for (int i = 3 - dims; i < 3; i++)
        read_number(k, what, 1, &size[i]);
}

static void read_word(struct key *k, const char *what, char out[CONV_TEXT])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *text = k->part[k->at++];
    const size_t n = strlen(text);
    if (n == 0 || n >= CONV_TEXT || text[strspn(text, letters)] != '\0')
        bad_part(k, what, text);
    else
        memcpy(out, text, n + 1);
}

/* "_g32", "_ciFP8" and so on, one after the other. */
static void read_suffix(struct key *k, const char *text, struct conv *c)
{
    static const char type[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *p = text;
    char digits[CONV_TEXT];
    while (*p != '\0') {
        size_t n;
        p += *p == '_';
        if (*p == 'g') {
            n = strspn(p + 1, "0123456789");
            snprintf(digits, sizeof digits, "%.*s", (int)(n < 20 ? n : 20), p + 1);
            if (parse_int(digits, 1, KPRED_MAX_SIZE, &c->groups) != 0)
                break;
            p += 1 + n;
            continue;
        }
        n = *p == 'c' && p[1] != '\0' && strchr("iwo", p[1]) != NULL ? strspn(p + 2, type) : 0;
        const size_t used = strlen(c->casts);
        if (n == 0 || used + n + 4 > sizeof c->casts)
            break;
        snprintf(c->casts + used, sizeof c->casts - used, "_%.*s", (int)(n + 2), p);
        p += 2 + n;
    }
    if (*p != '\0')
        bad_part(k, "suffix", text);
}

static void read_direction(struct key *k, struct conv *c)
{
    const char *text = k->part[k->at++];
    if (*text == '\0' || strchr("FBW", *text) == NULL || (text[1] != '\0' && text[1] != '_')) {
        bad_part(k, "direction", text);
        return;
    }
    c->dir = *text;
    read_suffix(k, text + 1, c);
}

/* The image and channels that a key puts first are, for backward directions, the output's. */
static void exchange(struct conv *c)
{
    const struct conv was = *c;
    c->c = was.k;
    c->k = was.c;
    memcpy(c->in, was.out, sizeof c->in);
    memcpy(c->out, was.in, sizeof c->out);
}

static int read_parts(struct key *k, struct conv *c)
{
    const int dims = strchr(k->part[3], 'x') != NULL ? 2 : 3;
    const size_t n_layouts = k->n - (dims == 2 ? 14 : 16);
    c->dims = dims;
    if (n_layouts != 1 && n_layouts != 3) {
        snprintf(k->why, 96, "it has %zu parts, and a %d-D key %d or %d", k->n, dims,
                 dims == 2 ? 15 : 17, dims == 2 ? 17 : 19);
        return -1;
    }
    read_image(k, "first image", dims, &c->c, c->in);
    read_sides(k, "filter", dims, 1, c->filter);
    read_image(k, "second image", dims, &c->k, c->out);
    read_number(k, "batch size", 1, &c->n);
    read_sides(k, "pad", dims, 0, c->pad);
    read_sides(k, "stride", dims, 1, c->stride);
    read_sides(k, "dilation", dims, 1, c->dilation);
    read_number(k, "bias", 0, &c->bias);
    for (size_t i = 0; i < 3; i++)
        if (i < n_layouts)
            read_word(k, "layout", c->layout[i]);
        else
            memcpy(c->layout[i], c->layout[0], CONV_TEXT);
    read_word(k, "data type", c->dtype);
    read_direction(k, c);
    if (*k->why != '\0')
        return -1;
    if (c->dir != 'F')
        exchange(c);
    for (int i = 0; i < 3; i++)
        if (conv_out_size(c->in[i], c->filter[i], c->pad[i], c->stride[i], c->dilation[i])
            != c->out[i]) {
            snprintf(k->why, 96,
                     "no convolution with this filter makes size %" PRId64 " out of %" PRId64,
                     c->out[i], c->in[i]);
            return 1;
        }
    return 0;
}

int conv_parse_key(const char *key, size_t n, struct conv *c, char why[96])
{
    struct key k = {.n = 0, .why = why};
    char copy[MAX_KEY], *p = copy;
    conv_init(c);
    *why = '\0';
    if (n >= sizeof copy) {
        snprintf(why, 96, "it has %zu characters", n);
        return -1;
    }
    memcpy(copy, key, n);
    copy[n] = '\0';
    for (; p != NULL && k.n <= MAX_PARTS; k.n++) {
        k.part[k.n] = p;
        p = strchr(p, '-');
        if (p != NULL)
            *p++ = '\0';
    }
    if (k.n < 15 || k.n > MAX_PARTS) {
        snprintf(why, 96, "it has %s15 parts", k.n < 15 ? "fewer than " : "far more than ");
        return -1;
    }
    return read_parts(&k, c);
}

static void add_image(struct buf *b, int dims, int64_t channels, const int64_t size[3])
{
    buf_printf(b, "%" PRId64, channels);
    for (int i = 3 - dims; i < 3; i++)
        buf_printf(b, "-%" PRId64, size[i]);
}

static void add_sides(struct buf *b, int dims, const int64_t side[3])
{
    for (int i = 3 - dims; i < 3; i++)
        buf_printf(b, "%c%" PRId64, i == 3 - dims ? '-' : 'x', side[i]);
}

static const char *usual_layout(const struct conv *c)
{
    return c->dims == 2 ? "NCHW" : "NCDHW";
}

/* The first layout that is not the usual one, or NULL. */
static const char *unusual_layout(const struct conv *c)
{
    for (size_t i = 0; i < 3; i++)
        if (strcmp(c->layout[i], usual_layout(c)) != 0)
            return c->layout[i];
    return NULL;
}

void conv_add_key(const struct conv *c, struct buf *b)
{
    struct conv key = *c;
    if (c->dir != 'F')
        exchange(&key);
    add_image(b, c->dims, key.c, key.in);
    add_sides(b, c->dims, c->filter);
    buf_puts(b, "-");
    add_image(b, c->dims, key.k, key.out);
    buf_printf(b, "-%" PRId64, c->n);
    add_sides(b, c->dims, c->pad);
    add_sides(b, c->dims, c->stride);
    add_sides(b, c->dims, c->dilation);
    buf_printf(b, "-%" PRId64, c->bias);
    for (size_t i = 0; i < (unusual_layout(c) == NULL ? 1 : 3); i++)
        buf_printf(b, "-%s", c->layout[i]);
    buf_printf(b, "-%s-%c", c->dtype, c->dir);
    if (c->groups != 1)
        buf_printf(b, "_g%" PRId64, c->groups);
    buf_puts(b, c->casts);
}

/* ---- as a problem of a spec ---- */

#define SOURCE(which, name, is_token, is_optional, member) \
    {name, is_token, is_optional, offsetof(struct conv, member)},
const struct conv_source_info conv_sources[CONV_N_SOURCES] = {CONV_SOURCES(SOURCE)};
#undef SOURCE

/* Fields that make no sense without the one that stands behind them. */
static int check_company(const struct spec *s, const char *path, const int field[CONV_N_SOURCES])
{
    static const enum conv_source pairs[] = {
        CONV_D,        CONV_Z,        CONV_Z,        CONV_D,        CONV_Z,        CONV_Y,
        CONV_Y,        CONV_X,        CONV_X,        CONV_Y,        CONV_PAD_H,    CONV_PAD_W,
        CONV_PAD_W,    CONV_PAD_H,    CONV_PAD_D,    CONV_D,        CONV_PAD_D,    CONV_PAD_H,
        CONV_STRIDE_H, CONV_STRIDE_W, CONV_STRIDE_W, CONV_STRIDE_H, CONV_STRIDE_D, CONV_D,
        CONV_DIL_H,    CONV_DIL_W,    CONV_DIL_W,    CONV_DIL_H,    CONV_DIL_D,    CONV_D};
    for (const enum conv_source *p = pairs; p < pairs + sizeof pairs / sizeof *pairs; p += 2)
        if (field[p[0]] >= 0 && field[p[1]] < 0)
            return fail("%s: %s has a field \"%s\", which needs one \"%s\"", path, s->path,
                        conv_sources[p[0]].name, conv_sources[p[1]].name);
    if (field[CONV_STRIDE] >= 0 && field[CONV_STRIDE_H] >= 0)
        return fail("%s: %s has a field \"stride\" beside \"stride_h\"", path, s->path);
    return 0;
}

int conv_map_fields(const struct spec *s, const char *path, int field[CONV_N_SOURCES])
{
    for (const struct spec_field *f = s->fields; f < s->fields + s->n_fields; f++) {
        size_t k = 0;
        while (k < CONV_N_SOURCES && strcmp(f->name, conv_sources[k].name) != 0)
            k++;
        if (k == CONV_N_SOURCES)
            return fail("%s: field \"%s\" of %s: is not in a perf-db", path, f->name, s->path);
        if (conv_sources[k].is_token != (f->n_tokens != 0))
            return fail("%s: field \"%s\" of %s: has to be a %s to be read from a perf-db", path,
                        f->name, s->path, conv_sources[k].is_token ? "list of names" : "size");
    }
    for (size_t k = 0; k < CONV_N_SOURCES; k++) {
        field[k] = spec_field_index(s, conv_sources[k].name);
        if (field[k] < 0 && !conv_sources[k].is_optional)
            return fail("%s: %s lacks a field \"%s\", without which perf-dbs cannot be read", path,
                        s->path, conv_sources[k].name);
    }
    return check_company(s, path, field);
}

const char *conv_layout(const struct conv *c)
{
    return strcmp(c->layout[0], c->layout[1]) == 0 && strcmp(c->layout[0], c->layout[2]) == 0
               ? c->layout[0]
               : NULL;
}

static enum reason_kind found_number(struct reason *gap, enum reason_kind kind, const char *column,
                                     int64_t value, const char *covered)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return reason_set(gap, kind, column, text, covered);
}

/* All numbers that a key says and the fields do not, in the order of their kinds. */
static enum reason_kind find_number(const struct spec *s, const int *field, const struct conv *c,
                                    struct reason *gap)
{
    const int none = -1, is_square = field[CONV_STRIDE] >= 0;
    const struct {
        const char *column;
        enum reason_kind kind;
        int source; /* a spec with that field covers every value */
        int64_t value, covered;
    } pins[] = {
        {"spatial_dim", REASON_DIMS, CONV_D, c->dims, 2},
        {"fil_h", REASON_FILTER, CONV_Y, c->filter[1], s->filter_h},
        {"fil_w", REASON_FILTER, CONV_X, c->filter[2], s->filter_w},
        {"pad_d", REASON_PAD, CONV_PAD_D, c->pad[0], 0},
        {"pad_h", REASON_PAD, CONV_PAD_H, c->pad[1], s->pad},
        {"pad_w", REASON_PAD, CONV_PAD_W, c->pad[2], s->pad},
        {"dilation_d", REASON_DILATION, CONV_DIL_D, c->dilation[0], 1},
        {"dilation_h", REASON_DILATION, CONV_DIL_H, c->dilation[1], 1},
        {"dilation_w", REASON_DILATION, CONV_DIL_W, c->dilation[2], 1},
        {"bias", REASON_BIAS, none, c->bias, 0},
        {"group_count", REASON_GROUPS, CONV_GROUPS, c->groups, 1},
        {"conv_stride_d", REASON_STRIDE, CONV_STRIDE_D, c->stride[0], 1},
        {"conv_stride_h", REASON_STRIDE, CONV_STRIDE_H, c->stride[1], is_square ? c->stride[1] : 1},
    };
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++)
        if (pins[i].value != pins[i].covered
            && (pins[i].source == none || field[pins[i].source] < 0)) {
            char covered[32];
            snprintf(covered, sizeof covered, "%" PRId64, pins[i].covered);
            return found_number(gap, pins[i].kind, pins[i].column, pins[i].value, covered);
        }
    return REASON_NONE;
}

enum reason_kind conv_find_gap(const struct spec *s, const int field[CONV_N_SOURCES],
                               const struct conv *c, struct reason *gap)
{
    const char *unusual = unusual_layout(c);
    const enum reason_kind kind = find_number(s, field, c, gap);
    if (kind != REASON_NONE && kind < REASON_LAYOUT)
        return kind;
    if (unusual != NULL && (field[CONV_LAYOUT] < 0 || conv_layout(c) == NULL))
        return reason_set(gap, REASON_LAYOUT, "layout", unusual,
                          field[CONV_LAYOUT] < 0 ? usual_layout(c) : "one layout of all tensors");
    if (kind != REASON_NONE)
        return kind;
    if (c->casts[0] != '\0')
        return reason_set(gap, REASON_CASTS, "cast", c->casts, "none");
    if (c->stride[1] == c->stride[2] || field[CONV_STRIDE_W] >= 0)
        return REASON_NONE;
    return found_number(gap, REASON_STRIDE, "conv_stride_w", c->stride[2],
                        "the same stride in h and w");
}

void conv_put_sizes(const int field[CONV_N_SOURCES], const struct conv *c, int64_t *problem)
{
    for (size_t k = 0; k < CONV_N_SOURCES; k++)
        if (field[k] >= 0 && !conv_sources[k].is_token)
            memcpy(&problem[field[k]], (const char *)c + conv_sources[k].at, sizeof *problem);
}

/* ---- as a problem of a model ---- */

static enum reason_kind set_token(const struct model *model, int f, const char *name,
                                  int32_t *problem, struct reason *why)
{
    if (f < 0)
        return REASON_NONE;
    problem[f] = kpred_token(&model->m, (size_t)f, name);
    return problem[f] < 0 ? reason_no_token(why, &model->m.fields[f], name) : REASON_NONE;
}

/* The direction is asked before all else, whatever the sizes. */
static enum reason_kind set_direction(const struct model *model, int f, char dir, int32_t *problem,
                                      struct reason *why)
{
    const char name[] = {dir, '\0'};
    for (size_t i = 0; i < model->m.n_fields; i++)
        problem[i] = model->m.fields[i].least;
    if (set_token(model, f, name, problem, why) != REASON_NONE)
        return REASON_DIR;
    return reason_find(model, problem, why) == REASON_DIR ? REASON_DIR : REASON_NONE;
}

static enum reason_kind wrong_size(struct reason *why, const char *name, int64_t value,
                                   int32_t least, int32_t most)
{
    char is[24], need[64];
    snprintf(is, sizeof is, "%" PRId64, value);
    snprintf(need, sizeof need, "%" PRId32 " to %" PRId32, least, most);
    return reason_set(why, reason_kind_of(name), name, is, need);
}

/* Pads may make an image that is larger than any key can say. */
static enum reason_kind set_sizes(const struct model *model, const int field[CONV_N_SOURCES],
                                  const struct conv *conv, int32_t *problem, struct reason *why)
{
    static const char *const outputs[] = {"out_d", "out_h", "out_w"};
    int64_t value[KPRED_MAX_FIELDS] = {0};
    conv_put_sizes(field, conv, value);
    for (size_t i = 0; i < model->m.n_fields; i++) {
        const kpred_field *f = &model->m.fields[i];
        if (f->tokens != NULL)
            continue;
        problem[i] = (int32_t)value[i];
        if (value[i] < f->least || value[i] > f->most)
            return wrong_size(why, f->name, value[i], f->least, f->most);
    }
    for (size_t i = 0; i < 3; i++)
        if (conv->out[i] > KPRED_MAX_SIZE)
            return wrong_size(why, outputs[i], conv->out[i], 1, KPRED_MAX_SIZE);
    return REASON_NONE;
}

enum reason_kind problem_of_conv(const struct model *model, const int field[CONV_N_SOURCES],
                                 const struct conv *conv, int32_t *problem, struct reason *why)
{
    enum reason_kind kind = set_direction(model, field[CONV_DIR], conv->dir, problem, why);
    if (kind == REASON_NONE)
        kind = conv_find_gap(model->spec, field, conv, why);
    if (kind == REASON_NONE)
        kind = set_token(model, field[CONV_LAYOUT], conv_layout(conv), problem, why);
    if (kind == REASON_NONE)
        kind = set_token(model, field[CONV_DTYPE], conv->dtype, problem, why);
    if (kind == REASON_NONE)
        kind = set_sizes(model, field, conv, problem, why);
    return kind;
}
