/* list.c - see list.h
   SPDX-License-Identifier: MIT */
#include "list.h"

#include <inttypes.h>
#include <string.h>

/* Where a name has a `*` for a piece, or NULL; *piece: which one. */
static const char *find_gap(const char *name, size_t *piece)
{
    const char *p = name;
    for (*piece = 0; p != NULL; ++*piece) {
        if (*p == '*' && (p[1] == ',' || p[1] == '\0'))
            return p;
        p = strchr(p, ',');
        p += p != NULL;
    }
    return NULL;
}

/* Cuts at the commas: how many pieces there are, of which the first `most` are kept. */
static size_t cut(char *text, const char **pieces, size_t most)
{
    size_t n = 0;
    for (char *p = text; p != NULL; n++) {
        if (n < most)
            pieces[n] = p;
        p = strchr(p, ',');
        if (p != NULL)
            *p++ = '\0';
    }
    return n;
}

/* The list without the piece and what stands in brackets behind it, and then that piece. */
static int cut_gap(const char *list, size_t piece, struct buf *b, const char **params,
                   char why[96])
{
    const char *p = list, *tail = strchr(list, '[');
    for (size_t i = 0; i < piece && p != NULL; i++) {
        p = strchr(p, ',');
        p += p != NULL;
    }
    const size_t length = p != NULL ? strcspn(p, ",[") : 0;
    if (length == 0) {
        snprintf(why, 96, "is a list without a piece %zu", piece + 1);
        return -1;
    }
    if (tail != NULL
        && (strlen(tail) != length + 2 || strncmp(tail + 1, p, length) != 0
            || tail[length + 1] != ']')) {
        snprintf(why, 96, "ends with %.20s, and its piece %zu is %.*s", tail, piece + 1,
                 (int)(length < 20 ? length : 20), p);
        return -1;
    }
    buf_add(b, list, (size_t)(p - list));
    buf_puts(b, "*");
    buf_add(b, p + length, tail != NULL ? (size_t)(tail - p) - length : strlen(p + length));
    const size_t first = b->n + 1;
    buf_add(b, "", 1);
    buf_add(b, p, length);
    params[0] = b->s;
    params[1] = b->s + first;
    return 0;
}

int list_cut(const struct spec *s, const char *list, struct buf *b, const char **params,
             char why[96])
{
    size_t piece;
    b->n = 0;
    if (s->n_params == 2 && s->params[0].names[0] != NULL
        && find_gap(s->params[0].names[0], &piece) != NULL)
        return cut_gap(list, piece, b, params, why);
    buf_puts(b, list);
    params[0] = b->s;
    const size_t n = s->n_params == 1 ? 1 : cut(b->s, params, s->n_params);
    if (n == s->n_params)
        return 0;
    snprintf(why, 96, "is a list of %zu, not %zu", n, s->n_params);
    return -1;
}

static void add_value(const kpred_param *p, int32_t value, struct buf *b)
{
    if (p->names != NULL)
        buf_puts(b, p->names[value]);
    else
        buf_printf(b, "%" PRId32, value);
}

void list_add(const kpred_model *m, const int32_t *value, struct buf *b)
{
    const char *name = m->params[0].names != NULL ? m->params[0].names[value[0]] : "", *gap;
    size_t piece;
    gap = m->n_params == 2 ? find_gap(name, &piece) : NULL;
    if (gap == NULL) {
        for (uint32_t i = 0; i < m->n_params; i++) {
            buf_puts(b, i != 0 ? "," : "");
            add_value(&m->params[i], value[i], b);
        }
        return;
    }
    buf_add(b, name, (size_t)(gap - name));
    add_value(&m->params[1], value[1], b);
    buf_puts(b, gap + 1);
    if (value[1] != 0)
        buf_printf(b, "[%" PRId32 "]", value[1]);
}
