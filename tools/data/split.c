/* split.c - split keys and their hash
   SPDX-License-Identifier: MIT */
#include "split.h"

int32_t split_canonical(int32_t h, int64_t filter, int32_t pad, int32_t stride)
{
    int64_t room = (int64_t)h + 2 * (int64_t)pad - filter;
    if (room < 0)
        return h;
    return (int32_t)(h + stride - 1 - room % stride);
}

static int32_t canonical(const struct split_item *it, const int32_t *problem)
{
    int64_t filter = it->filter;
    int32_t pad = it->pad;
    if (filter == 0) {
        filter = (int64_t)problem[it->dilation_at] * (problem[it->filter_at] - 1) + 1;
        pad = problem[it->pad_at];
    }
    return split_canonical(problem[it->a], filter, pad, problem[it->b]);
}

static void add_number(struct buf *b, int32_t v)
{
    buf_printf(b, "%ld", (long)v);
}

/* floor(log2(x)) of a size; 0 of 0 */
static int32_t octave(int32_t x)
{
    int32_t n = 0;
    while (x >> (n + 1) > 0)
        n++;
    return n;
}

static void add_item(const struct spec *s, const struct split_item *it, const int32_t *problem,
                     struct buf *b)
{
    int32_t x = problem[it->a], y = problem[it->b];
    switch (it->kind) {
    case SPLIT_LITERAL: buf_puts(b, it->literal); break;
    case SPLIT_MIN: add_number(b, x < y ? x : y); break;
    case SPLIT_MAX: add_number(b, x > y ? x : y); break;
    case SPLIT_OCTAVE: add_number(b, octave(x)); break;
    case SPLIT_CANONICAL: add_number(b, canonical(it, problem)); break;
    case SPLIT_FIELD:
        if (s->fields[it->a].n_tokens != 0)
            buf_puts(b, s->fields[it->a].tokens[x]);
        else
            add_number(b, x);
        break;
    }
}

void split_key_text(const struct spec *s, const struct split_key *k, const int32_t *problem,
                    struct buf *key)
{
    key->n = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (i != 0)
            buf_puts(key, ",");
        add_item(s, &k->items[i], problem, key);
    }
}

uint64_t split_hash(const char *key, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)key[i]) * UINT64_C(0x100000001b3);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

uint64_t split_row_hash(const struct spec *s, const struct split_key *k, const int32_t *problem,
                        struct buf *scratch)
{
    split_key_text(s, k, problem, scratch);
    return split_hash(scratch->s, scratch->n);
}

int split_is_test(uint64_t hash)
{
    return hash % 10 == 0;
}

size_t split_fold(uint64_t hash, size_t n)
{
    return hash / 10 % n;
}
