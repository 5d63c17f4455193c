/* cases.c - a harness's cases: their buffers, and what is in these before and after a call
   SPDX-License-Identifier: MIT

   attempt.h and trial.h declare it. */
#include "attempt.h"

#include "base/numbers.h"
#include "base/util.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* ---- how far outputs are from what they have to be ---- */

static double element(enum ev_type type, const unsigned char *at, size_t i)
{
    union {
        float f32;
        double f64;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } x;
    const size_t size = ev_size_of(type);
    memcpy(&x, at + i * size, size);
    switch (type) {
    case EV_F32: return (double)x.f32;
    case EV_F64: return x.f64;
    case EV_I8: return x.i8;
    case EV_I16: return x.i16;
    case EV_I32: return x.i32;
    default: return (double)x.i64;
    }
}

static int same_bits(enum ev_type type, const unsigned char *a, const unsigned char *b, size_t i)
{
    const size_t size = ev_size_of(type);
    return memcmp(a + i * size, b + i * size, size) == 0;
}

/* As bits, or both NaN */
static int same(enum ev_type type, const unsigned char *a, const unsigned char *b, size_t i)
{
    return same_bits(type, a, b, i)
           || (type <= EV_F64 && isnan(element(type, a, i)) && isnan(element(type, b, i)));
}

static int is_untouched(const struct oracle_region *r, size_t i)
{
    return r->role == EV_OUT && same_bits(r->type, r->want[0], r->before[0], i)
           && same_bits(r->type, r->want[1], r->before[1], i);
}

/* Of two numbers whose bits differ, at most one of them NaN */
static double relative(double want, double got, double floor)
{
    if (!isfinite(want) || !isfinite(got))
        return HUGE_VAL;
    const double difference = fabs(got - want);
    const double scale = fmax(fabs(want), floor);
    return difference <= 0 ? DBL_MIN : fmax(difference / scale, DBL_MIN);
}

static double error_at(const struct oracle *o, const struct oracle_region *r, size_t i)
{
    const unsigned char *want = r->want[r->poison];
    if (is_untouched(r, i))
        return same_bits(r->type, want, r->got, i) ? 0 : HUGE_VAL;
    if (o->kind == ORACLE_HARNESS || same(r->type, want, r->got, i))
        return 0;
    if (o->kind == ORACLE_EXACT)
        return HUGE_VAL;
    return relative(element(r->type, want, i), element(r->type, r->got, i), o->floor);
}

double oracle_error(const struct oracle *o, const struct oracle_region *r)
{
    double most = 0;
    if (r->role == EV_IN || r->role == EV_SCRATCH
        || memcmp(r->got, r->want[r->poison], r->n * ev_size_of(r->type)) == 0)
        return 0;
    for (size_t i = 0; i < r->n && most < HUGE_VAL; i++)
        most = fmax(most, error_at(o, r, i));
    return most;
}

int oracle_accepts(const struct oracle *o, double error)
{
    return error <= (o->kind == ORACLE_EXACT ? 0 : o->most) && error < HUGE_VAL;
}

size_t oracle_differs(enum ev_type type, size_t n, const void *a, const void *b)
{
    if (memcmp(a, b, n * ev_size_of(type)) != 0)
        for (size_t i = 0; i < n; i++)
            if (!same(type, a, b, i))
                return i;
    return SIZE_MAX;
}

size_t oracle_depends(const struct oracle_region *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!is_untouched(r, i) && !same(r->type, r->want[0], r->want[1], i))
            return i;
    return SIZE_MAX;
}

/* ---- labels ---- */

static void put_label(const struct ev_harness *e, const struct ev_shape *s, struct buf *out)
{
    const char *at = e->sizes;
    for (size_t k = 0; k < EV_MAX_SIZES; k++) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, " ");
        if (length == 0)
            break;
        buf_printf(out, "%s%.*s=%lld", k == 0 ? "" : " ", (int)length, at, (long long)s->size[k]);
        at += length;
    }
    buf_puts(out, s->special ? " special" : "");
    buf_puts(out, s->alias ? " alias" : "");
}

static char *label_of(const struct ev_harness *e, size_t i)
{
    struct buf own = {0}, other = {0};
    int is_single = 1;
    put_label(e, &e->shapes[i], &own);
    for (size_t k = 0; k < e->n_shapes; k++, other.n = 0) {
        put_label(e, &e->shapes[k], &other);
        is_single = is_single && (k == i || strcmp(own.s, other.s) != 0);
    }
    buf_free(&other);
    if (!is_single)
        buf_printf(&own, " seed=%llu", (unsigned long long)e->shapes[i].seed);
    return own.s;
}

/* ---- set_up ---- */

struct builder {
    struct ev_case c; /* first, so that `allocate` finds the rest */
    struct guarded memory[EV_MAX_BUFFERS];
    const char *problem;
    size_t at; /* the buffer that has it */
};

static void *cases_refuse(struct builder *b, size_t i, const char *problem)
{
    if (b->problem == NULL) {
        b->problem = problem;
        b->at = i;
    }
    return NULL;
}

static void *allocate(struct ev_case *c, size_t i)
{
    struct builder *b = (struct builder *)(void *)c;
    const struct ev_buffer *x = &c->buffer[i];
    const size_t size = (unsigned)x->type < EV_N_TYPES ? ev_size_of(x->type) : 0;
    if (size == 0 || (unsigned)x->role > EV_SCRATCH)
        return cases_refuse(b, i, "has an unknown role or type");
    if (x->same_as < 0) {
        if (x->n > SIZE_MAX / 64)
            return cases_refuse(b, i, "is too large");
        const size_t bytes = x->n * size;
        if (guarded_make(&b->memory[i], &bytes, 1, GUARDED_BEHIND) != 0)
            return cases_refuse(b, i, "gets no memory");
        return b->memory[i].area[0].at;
    }
    const struct ev_buffer *in = &c->buffer[x->same_as];
    if (x->from > in->n || x->n > in->n - x->from)
        return cases_refuse(b, i, "goes beyond the buffer it lies in");
    return c->at[x->same_as] == NULL ? NULL : (char *)c->at[x->same_as] + x->from * size;
}

static void check_buffers(struct builder *b)
{
    int is_written = 0;
    for (size_t i = 0; i < b->c.n_buffers && i < EV_MAX_BUFFERS; i++) {
        const struct ev_buffer *x = &b->c.buffer[i];
        if (b->c.at[i] == NULL)
            cases_refuse(b, i, "lies in a buffer that is not there");
        if (x->name == NULL)
            cases_refuse(b, i, "has no name");
        if (x->same_as >= 0 && x->role != b->c.buffer[x->same_as].role)
            cases_refuse(b, i, "has another role than the buffer it lies in");
        is_written = is_written || ((x->role == EV_OUT || x->role == EV_INOUT) && x->n > 0);
    }
    if (b->c.n_buffers > EV_MAX_BUFFERS)
        cases_refuse(b, b->c.n_buffers, "is one too many: 16 are possible");
    if (!is_written && b->problem == NULL)
        b->problem = "none is written: there has to be an EV_OUT or EV_INOUT that is not empty";
}

static void call_set_up(struct builder *b, const struct ev_harness *e, size_t i, const char *label)
{
    const struct ev_shape *s = &e->shapes[i];
    *b = (struct builder){.c = {.label = label,
                                .special = s->special,
                                .alias = s->alias,
                                .random = s->seed,
                                .allocate = allocate}};
    memcpy(b->c.size, s->size, sizeof b->c.size);
    e->set_up(&b->c);
}

static int build(struct builder *b, const struct cases *cases, size_t i)
{
    const char *label = cases->v[i].label;
    call_set_up(b, cases->harness, i, label);
    check_buffers(b);
    if (b->problem == NULL)
        return 0;
    if (b->at == 0 && b->c.n_buffers == 0)
        return fail("%s: case %s: there are no buffers", cases->path, label);
    const char *name = b->at < EV_MAX_BUFFERS ? b->c.buffer[b->at].name : NULL;
    return fail("%s: case %s: buffer %zu (%s): %s", cases->path, label, b->at,
                name == NULL ? "?" : name, b->problem);
}

static void builders_free(struct builder *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < EV_MAX_BUFFERS; k++)
            guarded_free(&b[i].memory[k]);
    free(b);
}

void cases_try(const struct ev_harness *harness, size_t i)
{
    struct builder *b = xcalloc(1, sizeof *b);
    call_set_up(b, harness, i, "");
    builders_free(b, 1);
}

/* ---- which buffer is where ---- */

struct sizes { /* of areas, in bytes */
    size_t *v, n, cap;
};

static size_t add_size(struct sizes *s, size_t bytes)
{
    s->v = xgrow(s->v, s->n, &s->cap, sizeof *s->v);
    s->v[s->n] = bytes;
    return s->n++;
}

static void place_root(struct cases *c, size_t i, size_t k, struct sizes *inputs)
{
    struct one_case *one = &c->v[i];
    const struct ev_buffer *b = &one->c.buffer[k];
    const size_t bytes = b->n * ev_size_of(b->type);
    one->place[k].root = k;
    if (b->role == EV_IN) {
        one->place[k].area = add_size(inputs, bytes);
        return;
    }
    one->place[k].area = c->n_written++;
    c->written = xrealloc(c->written, c->n_written, sizeof *c->written);
    c->written[c->n_written - 1] = (struct written){i, k, bytes, 0};
}

static void place_all(struct cases *c, struct sizes *inputs)
{
    for (size_t i = 0; i < c->n; i++) {
        struct one_case *one = &c->v[i];
        for (size_t k = 0; k < one->c.n_buffers; k++) {
            const struct ev_buffer *b = &one->c.buffer[k];
            if (b->same_as < 0) {
                place_root(c, i, k, inputs);
                continue;
            }
            one->place[k] = one->place[b->same_as];
            one->place[k].offset += b->from * ev_size_of(b->type);
        }
    }
}

/* ---- contents ---- */

static void poison_bytes(unsigned char *at, size_t bytes, uint64_t state)
{
    for (size_t i = 0; i < bytes; i += sizeof state) {
        const uint64_t word = num_draw(&state);
        memcpy(at + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
    }
}

static int fill_inputs(struct cases *c, const struct builder *b, const struct sizes *sizes)
{
    for (int side = 0; side < SIDES; side++) {
        int (*make)(struct guarded *, const size_t *, size_t, enum guarded_side) =
            side == GUARDED_BEHIND ? guarded_make_low : guarded_make;
        if (make(&c->inputs[side], sizes->v, sizes->n, (enum guarded_side)side) != 0)
            return -1;
        for (size_t i = 0; i < c->n; i++)
            for (size_t k = 0; k < c->v[i].c.n_buffers; k++) {
                const struct ev_buffer *x = &c->v[i].c.buffer[k];
                if (x->role == EV_IN && x->same_as < 0)
                    memcpy(c->inputs[side].area[c->v[i].place[k].area].at, b[i].c.at[k],
                           x->n * ev_size_of(x->type));
            }
        if (guarded_seal(&c->inputs[side]) != 0)
            return -1;
    }
    return 0;
}

static int fill_images(struct cases *c, const struct builder *b, uint64_t seed)
{
    size_t bytes = 0;
    for (size_t w = 0; w < c->n_written; w++) {
        c->written[w].at = bytes;
        bytes += (c->written[w].bytes + 63) / 64 * 64;
    }
    for (int p = 0; p < POISONS; p++) {
        if (guarded_make(&c->image[p], &bytes, 1, GUARDED_BEFORE) != 0
            || guarded_make(&c->want[p], &bytes, 1, GUARDED_BEFORE) != 0)
            return -1;
        for (size_t w = 0; w < c->n_written; w++) {
            const struct written *x = &c->written[w];
            unsigned char *at = c->image[p].area[0].at + x->at;
            if (c->v[x->of].c.buffer[x->buffer].role == EV_INOUT)
                memcpy(at, b[x->of].c.at[x->buffer], x->bytes);
            else
                poison_bytes(at, x->bytes, num_mix(seed, (uint64_t)p, w));
        }
        if (guarded_seal(&c->image[p]) != 0)
            return -1;
    }
    return 0;
}

/* ---- opening ---- */

static int set_up(struct cases *c, struct builder *b)
{
    for (size_t i = 0; i < c->n; i++) {
        if (build(&b[i], c, i) != 0)
            return -1;
        c->v[i].c = b[i].c;
        c->v[i].c.allocate = NULL;
        memset(c->v[i].c.at, 0, sizeof c->v[i].c.at);
    }
    return 0;
}

int cases_open(struct cases **out, const struct ev_harness *harness, const char *path,
               uint64_t seed)
{
    struct cases *c = xcalloc(1, sizeof *c);
    struct builder *b = xcalloc(harness->n_shapes, sizeof *b);
    struct sizes inputs = {0};
    c->harness = harness;
    c->path = path;
    c->n = harness->n_shapes;
    c->v = xcalloc(c->n, sizeof *c->v);
    for (size_t i = 0; i < c->n; i++) {
        c->v[i].shape = &harness->shapes[i];
        c->v[i].label = label_of(harness, i);
    }
    int rc = set_up(c, b);
    if (rc == 0) {
        place_all(c, &inputs);
        rc = fill_inputs(c, b, &inputs) == 0 ? fill_images(c, b, seed) : -1;
    }
    free(inputs.v);
    builders_free(b, c->n);
    *out = rc == 0 ? c : NULL;
    if (rc != 0)
        cases_close(c);
    return rc;
}

void cases_close(struct cases *c)
{
    if (c == NULL)
        return;
    for (int k = 0; k < 2; k++) {
        guarded_free(&c->inputs[k]);
        guarded_free(&c->image[k]);
        guarded_free(&c->want[k]);
    }
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].label);
    free(c->written);
    free(c->v);
    free(c);
}

/* ---- rooms ---- */

static size_t *written_bytes(const struct cases *c)
{
    size_t *bytes = xcalloc(c->n_written, sizeof *bytes);
    for (size_t w = 0; w < c->n_written; w++)
        bytes[w] = c->written[w].bytes;
    return bytes;
}

int case_room_make(struct case_room *room, const struct cases *c)
{
    size_t *bytes = written_bytes(c);
    memset(room, 0, sizeof *room);
    int rc = guarded_make_low(&room->sides[GUARDED_BEFORE], bytes, c->n_written, GUARDED_BEFORE);
    if (rc == 0)
        rc = guarded_make(&room->sides[GUARDED_BEHIND], bytes, c->n_written, GUARDED_BEHIND);
    free(bytes);
    if (rc != 0)
        case_room_free(room);
    return rc;
}

int case_room_pack(struct case_room *room, const struct cases *c)
{
    size_t *bytes = written_bytes(c);
    memset(room, 0, sizeof *room);
    const int rc = guarded_pack(&room->sides[GUARDED_BEFORE], bytes, c->n_written);
    free(bytes);
    return rc;
}

void case_room_free(struct case_room *room)
{
    for (int side = 0; side < SIDES; side++)
        guarded_free(&room->sides[side]);
}

void cases_point(const struct cases *c, size_t i, const struct case_room *room,
                 enum guarded_side side, void *at[EV_MAX_BUFFERS])
{
    const struct one_case *one = &c->v[i];
    for (size_t k = 0; k < one->c.n_buffers; k++) {
        const struct case_buffer *p = &one->place[k];
        const struct guarded *g =
            one->c.buffer[p->root].role == EV_IN ? &c->inputs[side] : &room->sides[side];
        at[k] = g->area[p->area].at + p->offset;
    }
}

void cases_fill(const struct cases *c, size_t i, const struct case_room *room,
                enum guarded_side side, int poison)
{
    for (size_t w = 0; w < c->n_written; w++) {
        const struct written *x = &c->written[w];
        if (x->of == i)
            memcpy(room->sides[side].area[w].at, c->image[poison].area[0].at + x->at, x->bytes);
    }
}

struct oracle_region cases_region(const struct cases *c, size_t w, const struct case_room *room,
                                  enum guarded_side side, int poison)
{
    const struct written *x = &c->written[w];
    const struct ev_buffer *b = &c->v[x->of].c.buffer[x->buffer];
    const struct oracle_region r = {
        b->type,
        b->role,
        b->n,
        room->sides[side].area[w].at,
        {c->want[0].area[0].at + x->at, c->want[1].area[0].at + x->at},
        {c->image[0].area[0].at + x->at, c->image[1].area[0].at + x->at},
        poison};
    return r;
}
