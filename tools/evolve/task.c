/* task.c - lists of edits, and the names of what becomes of them
   SPDX-License-Identifier: MIT

   task.h declares it. */
#include "task.h"

#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const operator_names[OP_ALL] = {"delete", "copy",    "move",    "replace",
                                                   "swap",   "operand", "constant"};
const struct edit_names edit_operators = {operator_names, OP_ALL};

/* ---- lists ---- */

const struct edits edits_none;

void edits_add(struct edits *list, const struct edit *e)
{
    const struct edit copy = *e; /* it may lie in the list itself */
    list->v = xgrow(list->v, list->n, &list->cap, sizeof *list->v);
    list->v[list->n++] = copy;
}

void edits_drop(struct edits *list, size_t i)
{
    if (i >= list->n)
        return;
    list->n--;
    memmove(list->v + i, list->v + i + 1, (list->n - i) * sizeof *list->v);
}

/* A copy takes no more room than it needs: an archive has many of them. */
void edits_copy(struct edits *to, const struct edits *from)
{
    if (to == from)
        return;
    if (to->cap < from->n) {
        to->v = xrealloc(to->v, from->n, sizeof *to->v);
        to->cap = from->n;
    }
    if (from->n != 0)
        memcpy(to->v, from->v, from->n * sizeof *to->v);
    to->n = from->n;
}

void edits_free(struct edits *list)
{
    free(list->v);
    list->v = NULL;
    list->n = list->cap = 0;
}

int edit_equal(const struct edit *a, const struct edit *b)
{
    return a->op == b->op && a->index == b->index && a->what == b->what && a->where == b->where
           && a->seed == b->seed;
}

int edits_equal(const struct edits *a, const struct edits *b)
{
    if (a->n != b->n)
        return 0;
    for (size_t i = 0; i < a->n; i++)
        if (!edit_equal(&a->v[i], &b->v[i]))
            return 0;
    return 1;
}

int edits_are_among(const struct edits *list, const struct edits *lists, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (edits_equal(&lists[i], list))
            return 1;
    return 0;
}

int edits_hold(const struct edits *list, const struct edit *e)
{
    for (size_t i = 0; i < list->n; i++)
        if (edit_equal(&list->v[i], e))
            return 1;
    return 0;
}

uint64_t edits_hash(const struct edits *list)
{
    uint64_t h = list->n;
    for (size_t i = 0; i < list->n; i++) {
        const struct edit *e = &list->v[i];
        h = num_mix(h, (uint64_t)e->op << 48 | (uint64_t)e->index << 32 | e->what,
                    (uint64_t)e->where << 32 | e->seed);
    }
    return h;
}

void edits_pack(const struct edits *list, struct buf *out)
{
    if (list->n > 0)
        buf_add(out, (const char *)list->v, list->n * sizeof *list->v);
}

struct edits edits_unpack(const void *bytes, size_t n)
{
    struct edits list = {xmalloc((n + 1) * sizeof *list.v), n, n + 1};
    memcpy(list.v, bytes, n * sizeof *list.v);
    return list;
}

uint32_t edit_copy_id(const struct edit *e)
{
    const uint64_t first = num_mix(e->seed, e->what, e->where);
    return (uint32_t)num_mix(first, e->op, e->index) | UINT32_C(0x80000000);
}

int edit_simpler(void *program, const struct edit *e, struct edit *out)
{
    (void)program;
    if (e->op != OP_MOVE && e->op != OP_REPLACE && e->op != OP_SWAP && e->op != OP_OPERAND)
        return -1;
    *out = (struct edit){OP_DELETE, 0, e->what, 0, e->seed};
    return 0;
}

/* ---- as text ---- */

void edits_print(const struct edits *list, struct edit_names names, struct buf *out)
{
    if (list->n == 0)
        buf_puts(out, "-");
    for (size_t i = 0; i < list->n; i++) {
        const struct edit *e = &list->v[i];
        buf_printf(out, "%s%s %" PRIu32 " %" PRIu32 " %u %08" PRIx32, i != 0 ? "; " : "",
                   e->op < names.n ? names.v[e->op] : "?", e->what, e->where, (unsigned)e->index,
                   e->seed);
    }
}

/* Passes over `c`, which has to be there. */
static int task_take(const char **at, char c)
{
    if (**at != c)
        return -1;
    ++*at;
    return 0;
}

/* A number of digits alone, most at most */
static int take_number(const char **at, unsigned base, uint64_t most, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    const char *begin = *at, *digit;
    uint64_t value = 0;
    for (; **at != '\0' && (digit = memchr(digits, **at, base)) != NULL; ++*at) {
        value = value * base + (uint64_t)(digit - digits);
        if (value > most)
            return -1;
    }
    *out = value;
    return *at != begin ? 0 : -1;
}

static int take_name(const char **at, struct edit_names names, uint16_t *op)
{
    const size_t n = strcspn(*at, " ");
    for (size_t i = 0; i < names.n && i <= UINT16_MAX; i++)
        if (strlen(names.v[i]) == n && memcmp(names.v[i], *at, n) == 0) {
            *op = (uint16_t)i;
            *at += n;
            return 0;
        }
    return -1;
}

static int take_edit(const char **at, struct edit_names names, struct edit *e)
{
    static const struct {
        unsigned base;
        uint64_t most;
    } form[4] = {{10, UINT32_MAX}, {10, UINT32_MAX}, {10, UINT16_MAX}, {16, UINT32_MAX}};
    uint64_t number[4]; /* what, where, index, seed */
    if (take_name(at, names, &e->op) != 0)
        return -1;
    for (int i = 0; i < 4; i++)
        if (task_take(at, ' ') != 0 || take_number(at, form[i].base, form[i].most, &number[i]) != 0)
            return -1;
    e->what = (uint32_t)number[0];
    e->where = (uint32_t)number[1];
    e->index = (uint16_t)number[2];
    e->seed = (uint32_t)number[3];
    return 0;
}

int edits_parse(const char *text, struct edit_names names, struct edits *out)
{
    struct edit e;
    if (strcmp(text, "-") == 0)
        return 0;
    while (take_edit(&text, names, &e) == 0) {
        edits_add(out, &e);
        if (*text == '\0')
            return 0;
        if (task_take(&text, ';') != 0 || task_take(&text, ' ') != 0)
            break;
    }
    edits_free(out);
    return -1;
}

/* "move %x = load float, ptr %p before br label %b" */
void edit_describe(const struct edit *e, const char *by, edit_teller *tell, const void *of,
                   struct buf *out)
{
    const char *const joins[OP_ALL] = {
        [OP_COPY] = " before ", [OP_MOVE] = " before ", [OP_REPLACE] = by, [OP_SWAP] = " and "};
    buf_printf(out, "%s ", operator_names[e->op]);
    if (e->op == OP_OPERAND)
        buf_printf(out, "%d of ", e->index);
    tell(of, e->what, out);
    if (joins[e->op] == NULL)
        return;
    buf_puts(out, joins[e->op]);
    tell(of, e->where, out);
}

void edit_steps_free(struct edit_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(steps[i].what);
        free(steps[i].before);
        free(steps[i].after);
        steps[i] = (struct edit_step){0};
    }
}

/* ---- results ---- */

const char *const outcome_names[N_OUTCOMES] = {
    "valid", "inapplicable", "rejected", "uncompiled", "crashed", "timed-out", "wrong", "garbled",
};

const char *const effort_names[N_EFFORTS] = {"search", "confirm", "judge"};

int outcome_ran(enum outcome o)
{
    return o != OUTCOME_INAPPLICABLE && o != OUTCOME_REJECTED && o != OUTCOME_UNCOMPILED;
}

struct result result_without(enum outcome outcome)
{
    struct result r = {.outcome = outcome};
    r.time = r.error = HUGE_VAL;
    return r;
}

void result_keep(void *user, size_t i, const struct result *result)
{
    ((struct result *)user)[i] = *result;
}
