/* shape.c - how a tensor of one shape becomes one of another
   SPDX-License-Identifier: MIT

   shape.h declares it. The value at hand is %vN, the next one %v(N + 1). */
#include "shape.h"

#include <string.h>

int shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->size, b->size, (size_t)a->rank * sizeof *a->size) == 0;
}

int64_t shape_count(const struct shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->size[i];
    return n;
}

void shape_type(const struct shape *s, struct buf *out)
{
    buf_puts(out, "tensor<");
    for (int i = 0; i < s->rank; i++)
        buf_printf(out, "%lldx", (long long)s->size[i]);
    buf_puts(out, "f32>");
}

void shape_words(const struct shape *s, struct buf *out)
{
    if (s->rank == 0)
        buf_puts(out, "a number");
    for (int i = 0; i < s->rank; i++)
        buf_printf(out, "%s%lld", i > 0 ? " x " : "", (long long)s->size[i]);
}

/* ---- one operation ---- */

struct change {
    struct buf *text, *words;
    struct shape at; /* what %vN has */
    int n;
};

static void put_list(struct buf *out, const int64_t *v, int n)
{
    buf_puts(out, "[");
    for (int i = 0; i < n; i++)
        buf_printf(out, "%s%lld", i > 0 ? ", " : "", (long long)v[i]);
    buf_puts(out, "]");
}

/* All dimensions are one, or one is all. */
static void put_group(struct buf *out, int rank)
{
    const int64_t all[SHAPE_RANK] = {0, 1, 2, 3, 4, 5};
    buf_puts(out, "[");
    if (rank > 0)
        put_list(out, all, rank);
    buf_puts(out, "]");
}

static void begin(const struct change *c, const char *operation)
{
    buf_printf(c->text, "  %%v%d = %s ", c->n + 1, operation);
}

/* " : TYPE to TYPE"; the result is at hand now. */
static void end(struct change *c, const char *to, const struct shape *result, const char *what)
{
    buf_puts(c->text, " : ");
    shape_type(&c->at, c->text);
    buf_puts(c->text, to);
    shape_type(result, c->text);
    buf_puts(c->text, "\n");
    c->at = *result;
    c->n++;
    if (c->words != NULL) {
        buf_printf(c->words, ", %s to ", what);
        shape_words(result, c->words);
    }
}

static void slice(struct change *c, const struct shape *to)
{
    const int64_t zeros[SHAPE_RANK] = {0}, ones[SHAPE_RANK] = {1, 1, 1, 1, 1, 1};
    begin(c, "tensor.extract_slice");
    buf_printf(c->text, "%%v%d", c->n);
    put_list(c->text, zeros, to->rank);
    put_list(c->text, to->size, to->rank);
    put_list(c->text, ones, to->rank);
    end(c, " to ", to, "sliced");
}

static void pad(struct change *c, const struct shape *to)
{
    int64_t zeros[SHAPE_RANK] = {0}, more[SHAPE_RANK] = {0};
    for (int i = 0; i < to->rank; i++)
        more[i] = to->size[i] - c->at.size[i];
    buf_printf(c->text, "  %%z%d = arith.constant 0.0 : f32\n", c->n);
    begin(c, "tensor.pad");
    buf_printf(c->text, "%%v%d low", c->n);
    put_list(c->text, zeros, to->rank);
    buf_puts(c->text, " high");
    put_list(c->text, more, to->rank);
    buf_puts(c->text, " {\n  ^bb0(");
    for (int i = 0; i < to->rank; i++)
        buf_printf(c->text, "%s%%i%d: index", i > 0 ? ", " : "", i);
    buf_printf(c->text, "):\n    tensor.yield %%z%d : f32\n  }", c->n);
    end(c, " to ", to, "padded");
}

/* To or from one dimension, or to and from none */
static void regroup(struct change *c, const struct shape *to, const char *what)
{
    const int collapses = c->at.rank > to->rank;
    begin(c, collapses ? "tensor.collapse_shape" : "tensor.expand_shape");
    buf_printf(c->text, "%%v%d ", c->n);
    put_group(c->text, c->at.rank == 0 || to->rank == 0 ? 0 : collapses ? c->at.rank : to->rank);
    end(c, " into ", to, what);
}

/* An operation of linalg into an empty tensor */
static void into_empty(struct change *c, const char *operation, const struct shape *to,
                       const char *list, const int64_t *v, int n, const char *what)
{
    buf_printf(c->text, "  %%e%d = tensor.empty() : ", c->n);
    shape_type(to, c->text);
    buf_puts(c->text, "\n");
    begin(c, operation);
    buf_printf(c->text, "ins(%%v%d : ", c->n);
    shape_type(&c->at, c->text);
    buf_printf(c->text, ") outs(%%e%d : ", c->n);
    shape_type(to, c->text);
    buf_printf(c->text, ") %s = ", list);
    put_list(c->text, v, n);
    buf_puts(c->text, "\n");
    c->at = *to;
    c->n++;
    if (c->words != NULL) {
        buf_printf(c->words, ", %s to ", what);
        shape_words(to, c->words);
    }
}

/* ---- which ---- */

/* The dimensions of `to` that are new, if the others are those of `from` in their order, the last
   ones first; else -1 */
static int new_dimensions(const struct shape *from, const struct shape *to, int64_t *added)
{
    int n = 0, i = from->rank - 1;
    int64_t backwards[SHAPE_RANK];
    for (int j = to->rank - 1; j >= 0; j--)
        if (i >= 0 && to->size[j] == from->size[i])
            i--;
        else
            backwards[n++] = j;
    for (int k = 0; k < n; k++)
        added[k] = backwards[n - 1 - k];
    return i < 0 && n > 0 ? n : -1;
}

/* to->size[i] is from->size[order[i]]. Is there such an order? */
static int find_order(const struct shape *from, const struct shape *to, int64_t *order)
{
    unsigned taken = 0;
    for (int i = 0; i < to->rank; i++) {
        int j = 0;
        while (j < from->rank && (from->size[j] != to->size[i] || (taken >> j & 1)))
            j++;
        if (j == from->rank)
            return 0;
        taken |= 1u << j;
        order[i] = j;
    }
    return from->rank == to->rank;
}

static void row_of(int64_t n, struct shape *row)
{
    row->rank = 1;
    row->size[0] = n;
}

static void reshape(struct change *c, const struct shape *to)
{
    struct shape row;
    row_of(shape_count(to), &row);
    if (c->at.rank != 1)
        regroup(c, &row, "flattened");
    if (to->rank != 1)
        regroup(c, to, "reshaped");
}

/* From the beginning of each dimension, as far as both reach */
static void fit(struct change *c, const struct shape *to)
{
    struct shape both = *to;
    for (int i = 0; i < to->rank; i++)
        both.size[i] = c->at.size[i] < to->size[i] ? c->at.size[i] : to->size[i];
    if (!shape_equal(&both, &c->at))
        slice(c, &both);
    if (!shape_equal(&both, to))
        pad(c, to);
}

static void change(struct change *c, const struct shape *to)
{
    int64_t list[SHAPE_RANK];
    const int n_new = to->rank > c->at.rank ? new_dimensions(&c->at, to, list) : -1;
    struct shape row;
    if (n_new > 0) {
        into_empty(c, "linalg.broadcast", to, "dimensions", list, n_new, "broadcast");
    } else if (find_order(&c->at, to, list)) {
        into_empty(c, "linalg.transpose", to, "permutation", list, to->rank, "transposed");
    } else if (shape_count(&c->at) == shape_count(to)) {
        reshape(c, to);
    } else if (c->at.rank == to->rank) {
        fit(c, to);
    } else {
        row_of(shape_count(&c->at), &row);
        reshape(c, &row);
        row_of(shape_count(to), &row);
        fit(c, &row);
        reshape(c, to);
    }
}

void shape_change(const struct shape *from, const struct shape *to, struct buf *text,
                  struct buf *words)
{
    struct change c = {text, words, *from, 0};
    buf_puts(text, "func.func @change(%v0: ");
    shape_type(from, text);
    buf_puts(text, ") -> ");
    shape_type(to, text);
    buf_puts(text, " attributes {llvm.emit_c_interface} {\n");
    if (!shape_equal(from, to))
        change(&c, to);
    buf_printf(text, "  return %%v%d : ", c.n);
    shape_type(to, text);
    buf_puts(text, "\n}\n");
}
