/* tuple_text.c - see tuple_text.h
   SPDX-License-Identifier: MIT */
#include "tuple_text.h"

#include <inttypes.h>
#include <string.h>

/* What follows the next comma; NULL if there is none. */
static const char *behind_comma(const char *p)
{
    p = strchr(p, ',');
    return p != NULL ? p + 1 : NULL;
}

/* Where a name has a `*` for a piece, or NULL; *piece: which one. */
static const char *find_gap(const char *name, size_t *piece)
{
    const char *p = name;
    for (*piece = 0; p != NULL; ++*piece) {
        if (*p == '*' && (p[1] == ',' || p[1] == '\0'))
            return p;
        p = behind_comma(p);
    }
    return NULL;
}

/* Cuts at the commas: how many pieces there are, of which the first `most` are kept. */
static size_t cut_pieces(char *text, const char **pieces, size_t most)
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

/* Is the one parameter added to the one before it? */
static int is_rest(const char *name, const char *before)
{
    const size_t n = strlen(before);
    return strncmp(name, before, n) == 0 && strcmp(name + n, "_plus") == 0;
}

static int is_sum(const struct spec *s, size_t i)
{
    return i + 1 < s->n_params && s->params[i].names[0] == NULL && s->params[i + 1].names[0] == NULL
           && is_rest(s->params[i + 1].name, s->params[i].name);
}

/* Two values of the two parameters that add up to the number: their texts. */
static int cut_sum(const struct spec_param *p, const char *text, char room[2][12],
                   const char **params, char why[96])
{
    int64_t sum;
    const int is_number = parse_int(text, INT32_MIN, INT32_MAX, &sum) == 0;
    for (size_t i = p->n_values; i-- > 0 && is_number;) {
        const int64_t rest = sum - p->values[i];
        if (rest < -SPEC_MAX_VALUE || rest > SPEC_MAX_VALUE)
            continue;
        snprintf(room[1], 12, "%" PRId32, (int32_t)rest);
        if (spec_value_index(&p[1], room[1]) < 0)
            continue;
        snprintf(room[0], 12, "%" PRId32, p->values[i]);
        params[0] = room[0];
        params[1] = room[1];
        return 0;
    }
    snprintf(why, 96, "has \"%.12s\", which is not %.20s + %.20s", text, p->name, p[1].name);
    return -1;
}

/* The texts of all parameters; `room` is for those of sums. */
static int cut_sums(const struct spec *s, const char *const *piece, char room[][12],
                    const char **params, char why[96])
{
    for (size_t i = 0; i < s->n_params; i++, piece++) {
        params[i] = *piece;
        if (!is_sum(s, i))
            continue;
        if (cut_sum(&s->params[i], *piece, &room[i], &params[i], why) != 0)
            return -1;
        i++;
    }
    return 0;
}

/* The list without the piece and what stands in brackets behind it, and then that piece. */
static int cut_gap(const char *list, size_t piece, struct buf *b, const char **params, char why[96])
{
    const char *p = list, *tail = strchr(list, '[');
    for (size_t i = 0; i < piece && p != NULL; i++)
        p = behind_comma(p);
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

int tuple_text_cut(const struct spec *s, const char *list, struct buf *b, const char **params,
                   char why[96])
{
    static const char blank[KPRED_MAX_TUPLE][12];
    const char *pieces[KPRED_MAX_TUPLE];
    size_t piece, want = s->n_params;
    for (size_t i = 0; i < s->n_params; i++)
        if (is_sum(s, i)) {
            want--;
            i++;
        }
    b->n = 0;
    if (s->n_params == 2 && s->params[0].names[0] != NULL
        && find_gap(s->params[0].names[0], &piece) != NULL)
        return cut_gap(list, piece, b, params, why);
    buf_add(b, blank[0], sizeof blank); /* for sums */
    buf_puts(b, list);
    pieces[0] = b->s + sizeof blank;
    const size_t n = want == 1 ? 1 : cut_pieces(b->s + sizeof blank, pieces, want);
    if (n == want)
        return cut_sums(s, pieces, (char(*)[12])b->s, params, why);
    snprintf(why, 96, "is a list of %zu, not %zu", n, want);
    return -1;
}

static void add_value(const kpred_param *p, int32_t value, struct buf *b)
{
    if (p->names != NULL)
        buf_puts(b, p->names[value]);
    else
        buf_printf(b, "%" PRId32, value);
}

void tuple_text_add(const kpred_model *m, const int32_t *value, struct buf *b)
{
    const kpred_param *p = m->params;
    const char *name = p[0].names != NULL ? p[0].names[value[0]] : "";
    size_t piece;
    const char *gap = m->n_params == 2 ? find_gap(name, &piece) : NULL;
    if (gap != NULL) {
        buf_add(b, name, (size_t)(gap - name));
        add_value(&p[1], value[1], b);
        buf_puts(b, gap + 1);
        if (value[1] != 0)
            buf_printf(b, "[%" PRId32 "]", value[1]);
        return;
    }
    for (uint32_t i = 0; i < m->n_params; i++) {
        buf_puts(b, i != 0 ? "," : "");
        if (i + 1 == m->n_params || p[i].names != NULL || p[i + 1].names != NULL
            || !is_rest(p[i + 1].name, p[i].name)) {
            add_value(&p[i], value[i], b);
            continue;
        }
        buf_printf(b, "%" PRId32, value[i] + value[i + 1]); /* two that are one number */
        i++;
    }
}
