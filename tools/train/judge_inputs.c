/* judge_inputs.c - the numbers by which judges know a problem and a tuple, see judges.h
   SPDX-License-Identifier: MIT */
#include "judges.h"

#include "base/numbers.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_NUMBERS = 4000, /* registers */
    MOST_NODES = 1000,   /* of these from conditions; those behind the last that fit are left out */
    KEPT = 150,          /* columns in the end, */
    KEPT_OF_WHOLE = 72,  /* of a whole database */
    MATTERING = 14,      /* of which products and quotients are made */
    ROUNDS = 3,
    SCREENED = 12000, /* rows that the choice is made by */
    AT_ONCE = 600     /* columns: with more of them at once, memory would be the greatest of all */
};

enum op { GIVEN, IS, POWER, PRODUCT, QUOTIENT, ROUNDED_UP, FULL, REMAINDER, SUM };

/* ---- what a tuple did in problems nearby ---- */

enum { MOST_NEAR = 1024 }; /* rows of a tuple that are looked at */
#define OTHER_NAME 4.0f    /* octaves */
#define FAR        64.0

static void place(const struct judge_near *near, const int32_t *problem, float *to)
{
    const struct model *m = near->model;
    for (size_t f = 0; f < m->m.n_fields; f++)
        to[f] = m->fields[f].tokens ? (float)problem[f] : (float)num_log2(problem[f] + 1.0);
}

static float judge_inputs_distance(const struct model *m, const float *a, const float *b)
{
    float far = 0;
    for (size_t f = 0; f < m->m.n_fields; f++) {
        const float d = a[f] < b[f] ? b[f] - a[f] : a[f] - b[f];
        far += !m->fields[f].tokens ? d : d > 0 ? OTHER_NAME : 0;
    }
    return far;
}

static size_t sort_params;

static int by_tuple(const void *pa, const void *pb)
{
    const struct judge_row *a = pa, *b = pb;
    const int order = memcmp(a->target, b->target, sort_params);
    return order ? order : ORDER(a->group, b->group);
}

void judge_near_open(struct judge_near *near, const struct model *model,
                     const struct judge_rows *rows)
{
    const size_t n_fields = model->m.n_fields;
    near->model = model;
    near->n = rows->n;
    near->row = xcalloc(rows->n + 1, sizeof *near->row);
    near->place = xcalloc(rows->n * n_fields + 1, sizeof *near->place);
    memcpy(near->row, rows->row, rows->n * sizeof *rows->row);
    sort_params = model->m.n_params;
    qsort(near->row, near->n, sizeof *near->row, by_tuple);
    for (size_t i = 0; i < rows->n; i++)
        place(near, near->row[i].problem, near->place + i * n_fields);
}

void judge_near_close(struct judge_near *near)
{
    free(near->row);
    free(near->place);
}

/* The first row, by tuples, of this one or a later one */
static size_t first_of(const struct judge_near *near, const unsigned char *target)
{
    size_t low = 0, high = near->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (memcmp(near->row[mid].target, target, near->model->m.n_params) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void judge_near_ask(const struct judge_near *near, const struct judge_row *row, double *out)
{
    const struct model *m = near->model;
    const size_t first = first_of(near, row->target), n_fields = m->m.n_fields;
    float own[KPRED_MAX_FIELDS];
    double nearest = FAR, mark = -1, sum = 0, all = 0;
    place(near, row->problem, own);
    for (size_t i = first; i < near->n && i < first + MOST_NEAR; i++) {
        const struct judge_row *other = &near->row[i];
        if (memcmp(other->target, row->target, m->m.n_params))
            break;
        if (!memcmp(other->problem, row->problem, n_fields * sizeof *row->problem))
            continue;
        const float far = judge_inputs_distance(m, own, near->place + i * n_fields);
        const double weight = (double)num_exp2(-2 * far);
        if ((double)far < nearest) {
            nearest = (double)far;
            mark = (double)other->mark;
        }
        sum += weight * (double)other->mark;
        all += weight;
    }
    out[0] = mark;
    out[1] = all > 0 ? sum / all : -1;
    out[2] = nearest;
}

/* ---- registers ---- */

static uint16_t judge_inputs_add(struct judge_inputs *in, enum op op, size_t a, size_t b)
{
    if (in->n == MOST_NUMBERS)
        return (uint16_t)(MOST_NUMBERS - 1);
    in->number = xgrow(in->number, in->n, &in->cap, sizeof *in->number);
    in->number[in->n] = (struct judge_number){(unsigned char)op, (uint16_t)a, (uint16_t)b};
    return (uint16_t)in->n++;
}

/* What follows the last underscore of a GPU's name, as in gfx906_60; 0: no number */
static double units_of(const char *token)
{
    const char *at = strrchr(token, '_');
    int64_t n;
    return at && !parse_int(at + 1, 1, 4096, &n) ? (double)n : 0;
}

static double power_of_two(double a)
{
    int64_t n = (int64_t)a, power = 1;
    while (power < 8192 && n % (2 * power) == 0)
        power *= 2;
    return (double)power;
}

static double whole(double a)
{
    return (double)(int64_t)a;
}

static double rounded_up(double a)
{
    return whole(a) + (a > whole(a));
}

static double operate(enum op op, double a, double b, uint16_t second)
{
    const double by = b > 0 ? b : 1, part = a / by > 1e15 ? 1e15 : a / by;
    switch (op) {
    case IS: return a == (double)second;
    case POWER: return power_of_two(a);
    case PRODUCT: return a * b;
    case QUOTIENT: return a / by;
    case ROUNDED_UP: return rounded_up(part);
    case FULL: return part > 0 ? part / rounded_up(part) : 1;
    case REMAINDER: return a - whole(part) * by;
    default: return a + b;
    }
}

static void give(const struct judge_inputs *in, const struct judge_row *row, double *r)
{
    const struct model *m = in->model;
    int32_t values[KPRED_MAX_FIELDS + KPRED_MAX_TUPLE + 1];
    size_t n = 0;
    for (size_t f = 0; f < m->m.n_fields; f++)
        r[n] = values[n] = row->problem[f], n++;
    for (size_t p = 0; p < m->m.n_params; p++)
        r[n] = values[n] = m->params[p].values[row->target[p]], n++;
    r[n] = values[n] = (int32_t)row->table;
    r[n + 1] = 0;
    for (size_t f = 0; f < m->m.n_fields; f++)
        if (!strcmp(m->fields[f].name, "gpu") && m->fields[f].tokens)
            r[n + 1] = units_of(m->fields[f].tokens[row->problem[f]]);
    size_t at = n + 2;
    for (size_t i = 0; i < m->clauses.n_formulas; i++)
        r[at++] = clause_number(&m->clauses.formula[i].of, row->problem, values + m->m.n_fields);
    for (size_t c = 0; c < in->n_clauses; at += m->clauses.v[c++].n)
        clause_numbers(&m->clauses.v[c], row->problem, values + m->m.n_fields, r + at);
    if (in->judge.n_features) {
        uint8_t x[KPRED_MAX_WIDTH];
        program_run(&in->judge, values, n + 1, x);
        for (size_t i = 0; i < in->judge.n_features; i++)
            r[at++] = x[i];
    }
    if (in->near.n)
        judge_near_ask(&in->near, row, r + at);
}

static size_t units(const struct judge_inputs *in)
{
    return in->model->m.n_fields + in->model->m.n_params + 1;
}

static void compute(const struct judge_inputs *in, const struct judge_row *row, double *r)
{
    give(in, row, r);
    for (size_t i = in->n_given; i < in->n; i++) {
        const struct judge_number *x = &in->number[i];
        r[i] = operate((enum op)x->op, r[x->a], r[x->b], x->b);
    }
}

void judge_inputs_of(const struct judge_inputs *in, const struct judge_row *row, double *room,
                     float *x)
{
    compute(in, row, room);
    for (size_t i = 0; i < in->n_asked; i++) {
        const double v = room[in->asked[i]];
        x[i] = (float)(v > 1e30 ? 1e30 : v < -1e30 ? -1e30 : v);
    }
}

/* ---- the first ones ---- */

/* Flags as well: the product of a size and a flag is that size where the flag is set. */
static int is_size(const struct model *m, size_t field)
{
    const struct spec_field *f = &m->spec->fields[field];
    return !m->fields[field].tokens && f->most > f->least;
}

static int is_number(const struct model *m, size_t param)
{
    return !m->spec->params[param].names[0] && m->params[param].n_values > 1;
}

static void add_names(struct judge_inputs *in, size_t at, size_t n_names)
{
    for (size_t i = 0; n_names > 2 && i < n_names; i++)
        judge_inputs_add(in, IS, at, i);
}

static void add_pairs_of_params(struct judge_inputs *in)
{
    const struct model *m = in->model;
    for (size_t p = 0; p < m->m.n_params; p++)
        for (size_t q = p + 1; q < m->m.n_params; q++)
            if (is_number(m, p) && is_number(m, q)) {
                judge_inputs_add(in, PRODUCT, m->m.n_fields + p, m->m.n_fields + q);
                judge_inputs_add(in, QUOTIENT, m->m.n_fields + p, m->m.n_fields + q);
                judge_inputs_add(in, SUM, m->m.n_fields + p, m->m.n_fields + q);
            }
}

static void add_pairs_of_sizes(struct judge_inputs *in)
{
    const struct model *m = in->model;
    for (size_t f = 0; f < m->m.n_fields; f++)
        for (size_t g = f + 1; g < m->m.n_fields; g++)
            if (is_size(m, f) && is_size(m, g)) {
                judge_inputs_add(in, PRODUCT, f, g);
                judge_inputs_add(in, QUOTIENT, f, g);
            }
}

/* What a size leaves over by a divisor tells nothing of other sizes where an octave has one size
   alone, as in a table of powers of two: there it is the size under another name, by which trees
   would know it. Have most rows other sizes of their octave beside them? */
static int is_varied(const struct judge_rows *rows, size_t field)
{
    enum { OCTAVES = 32 };
    int32_t first[OCTAVES] = {0};
    size_t n[OCTAVES] = {0}, varied = 0;
    unsigned char is_mixed[OCTAVES] = {0};
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t size = rows->row[i].problem[field];
        const size_t octave = size > 1 ? (size_t)num_log2(size) : 0;
        is_mixed[octave] |= n[octave]++ > 0 && size != first[octave];
        first[octave] = size;
    }
    for (size_t o = 0; o < OCTAVES; o++)
        varied += is_mixed[o] ? n[o] : 0;
    return rows->is_whole || 2 * varied > rows->n;
}

static void add_sizes_by_params(struct judge_inputs *in, size_t field, int varied)
{
    const struct model *m = in->model;
    for (size_t p = 0; p < m->m.n_params; p++)
        for (enum op op = QUOTIENT; is_number(m, p) && op <= (varied ? REMAINDER : FULL); op++)
            judge_inputs_add(in, op, field, m->m.n_fields + p);
}

/* Names to choose among, not two: of these one number tells all. */
static int has_names(const struct model *m)
{
    for (size_t p = 0; p < m->m.n_params; p++)
        if (m->spec->params[p].names[0] && m->params[p].n_values > 2)
            return 1;
    return 0;
}

static void add_first(struct judge_inputs *in, const struct judge_rows *rows)
{
    const struct model *m = in->model;
    size_t given = m->m.n_fields + m->m.n_params + 2 + in->judge.n_features;
    for (size_t nodes = 0; in->n_clauses < m->clauses.n; in->n_clauses++) {
        nodes += m->clauses.v[in->n_clauses].n;
        if (nodes > MOST_NODES)
            break;
        given += m->clauses.v[in->n_clauses].n;
    }
    given += m->clauses.n_formulas + (in->near.n ? JUDGE_NEAR : 0);
    while (in->n < given)
        judge_inputs_add(in, GIVEN, 0, 0);
    in->n_given = given;
    for (size_t f = 0; f < m->m.n_fields; f++)
        if (m->fields[f].tokens) {
            add_names(in, f, (size_t)m->fields[f].n_tokens);
        } else if (is_size(m, f)) {
            const int varied = is_varied(rows, f);
            if (varied)
                judge_inputs_add(in, POWER, f, f);
            add_sizes_by_params(in, f, varied);
        }
    for (size_t p = 0; p < m->m.n_params; p++)
        if (m->spec->params[p].names[0])
            add_names(in, m->m.n_fields + p, (size_t)m->params[p].n_values);
    add_pairs_of_params(in);
    add_pairs_of_sizes(in);
}

/* ---- which of them matter ---- */

struct screen {
    struct judge_inputs *in;
    const struct judge_rows *rows;
    size_t *row, n; /* those that the choice is made by */
    double *gain;   /* of each register */
    size_t kept;    /* columns in the end */
    uint64_t seed;
    size_t n_threads;
};

/* Of rows in groups whole ones, or the differences within them were lost */
static void draw_rows(struct screen *s)
{
    const struct judge_rows *r = s->rows;
    const double share = r->n > SCREENED ? (double)SCREENED / (double)r->n : 1;
    uint64_t seed = num_mix(s->seed, 31, 0);
    s->row = xcalloc(r->n + 1, sizeof *s->row);
    for (size_t i = 0, end; i < r->n; i = end) {
        for (end = i + 1; end < r->n && r->in_groups && r->row[end].group == r->row[i].group; end++)
            ;
        const int is_drawn = (double)num_unit(&seed) < share;
        for (size_t j = i; is_drawn && j < end; j++)
            s->row[s->n++] = j;
    }
}

struct boost *judge_inputs_fit(const struct judge_inputs *in, const struct judge_rows *rows,
                               const size_t *pick, size_t n, const struct boost_config *config)
{
    float *x = xcalloc(n * in->n_asked + 1, sizeof *x), *mark = xcalloc(n + 1, sizeof *mark);
    uint32_t *group = xcalloc(n + 1, sizeof *group);
    double *room = xcalloc(in->n, sizeof *room);
    for (size_t i = 0; i < n; i++) {
        const struct judge_row *row = &rows->row[pick ? pick[i] : i];
        judge_inputs_of(in, row, room, x + i * in->n_asked);
        mark[i] = row->mark;
        group[i] = row->group;
    }
    const struct boost_rows learnt = {n, in->n_asked, x, mark, rows->in_groups ? group : NULL};
    struct boost *b = boost_fit(&learnt, config);
    free(x);
    free(mark);
    free(group);
    free(room);
    return b;
}

/* The gain of each column that is asked */
static void find_gains(struct screen *s)
{
    const struct boost_config config = {2, 40, 6, 5, 0.15f, 0.7f, 0.4f, s->seed, s->n_threads};
    const struct judge_inputs *in = s->in;
    double *gain = xcalloc(in->n_asked, sizeof *gain);
    struct boost *b = judge_inputs_fit(in, s->rows, s->row, s->n, &config);
    boost_gains(b, gain);
    memset(s->gain, 0, MOST_NUMBERS * sizeof *s->gain);
    for (size_t i = 0; i < in->n_asked; i++)
        s->gain[in->asked[i]] = gain[i];
    boost_free(b);
    free(gain);
}

static const double *sort_gain;

static int by_gain(const void *a, const void *b)
{
    const uint16_t p = *(const uint16_t *)a, q = *(const uint16_t *)b;
    const int order = ORDER(sort_gain[q], sort_gain[p]);
    return order != 0 ? order : ORDER(p, q);
}

/* Keeps the `most` that matter, the greatest gain first. */
static void judge_inputs_keep(struct screen *s, size_t most)
{
    struct judge_inputs *in = s->in;
    sort_gain = s->gain;
    qsort(in->asked, in->n_asked, sizeof *in->asked, by_gain);
    if (in->n_asked > most)
        in->n_asked = most;
    while (in->n_asked > 1 && !(s->gain[in->asked[in->n_asked - 1]] > 0))
        in->n_asked--;
}

static void judge_inputs_ask(struct judge_inputs *in, uint16_t number)
{
    for (size_t i = 0; i < in->n_asked; i++)
        if (in->asked[i] == number)
            return;
    if (in->n_asked < MOST_NUMBERS)
        in->asked[in->n_asked++] = number;
}

/* What the spec's author calls decisive stays. Of a table parameters stay in any case: what they
   tell of tuples goes for other sizes, too. A cut of a size tells little of others. */
static void ask_always(struct judge_inputs *in, const struct judge_rows *rows)
{
    const size_t n = in->model->clauses.n_formulas;
    if (n == 0 && rows->is_whole)
        return;
    for (size_t i = in->model->m.n_fields; i < units(in) + 1 + n; i++)
        judge_inputs_ask(in, (uint16_t)i);
}

static int is_known(const struct judge_inputs *in, enum op op, size_t a, size_t b)
{
    for (size_t i = in->n_given; i < in->n; i++)
        if (in->number[i].op == op && in->number[i].a == a && in->number[i].b == b)
            return 1;
    return 0;
}

static void combine(struct judge_inputs *in, enum op op, size_t a, size_t b)
{
    if (!is_known(in, op, a, b) && in->n < MOST_NUMBERS - 1)
        judge_inputs_ask(in, judge_inputs_add(in, op, a, b));
}

static int is_of_params(const struct judge_inputs *in, size_t at)
{
    const struct model *m = in->model;
    const struct judge_number *x = &in->number[at];
    if (at < in->n_given)
        return at >= m->m.n_fields && at < m->m.n_fields + m->m.n_params
               && is_number(m, at - m->m.n_fields);
    return x->op >= PRODUCT && is_of_params(in, x->a) && is_of_params(in, x->b);
}

/* How many pieces a size makes whose length is computed of parameters, and how full the last is */
static void combine_with_sizes(struct judge_inputs *in, uint16_t length)
{
    for (size_t f = 0; f < in->model->m.n_fields; f++)
        if (is_size(in->model, f)) {
            combine(in, ROUNDED_UP, f, length);
            combine(in, FULL, f, length);
        }
}

/* Products and quotients of those that matter most, and of each the waves on the GPU's units */
static void combine_best(struct judge_inputs *in)
{
    uint16_t best[MATTERING];
    const size_t n = in->n_asked < MATTERING ? in->n_asked : MATTERING;
    memcpy(best, in->asked, n * sizeof *best);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            combine(in, PRODUCT, best[i], best[j]);
            combine(in, QUOTIENT, best[i], best[j]);
        }
        if (is_of_params(in, best[i]))
            combine_with_sizes(in, best[i]);
        combine(in, ROUNDED_UP, best[i], units(in));
        combine(in, REMAINDER, best[i], units(in));
    }
}

/* Columns that say the same of all rows say nothing. */
static void ask_all(struct judge_inputs *in)
{
    for (size_t i = 0; i < in->n; i++)
        in->asked[in->n_asked++] = (uint16_t)i;
}

/* Of more columns than fit at once, keeps those that matter among as many. */
static void keep_of_blocks(struct screen *s)
{
    struct judge_inputs *in = s->in;
    const size_t n = in->n_asked;
    uint16_t *all = xcalloc(n, sizeof *all);
    size_t kept = 0;
    memcpy(all, in->asked, n * sizeof *all);
    for (size_t i = 0; i < n; i += AT_ONCE) {
        in->n_asked = n - i < AT_ONCE ? n - i : AT_ONCE;
        memcpy(in->asked, all + i, in->n_asked * sizeof *all);
        find_gains(s);
        judge_inputs_keep(s, s->kept);
        memcpy(all + kept, in->asked, in->n_asked * sizeof *all);
        kept += in->n_asked;
    }
    memcpy(in->asked, all, kept * sizeof *all);
    in->n_asked = kept;
    free(all);
}

/* Leaves out the registers that no column needs. */
static void drop_unused(struct judge_inputs *in)
{
    unsigned char *is_needed = xcalloc(in->n, 1);
    uint16_t *at = xcalloc(in->n, sizeof *at);
    size_t n = in->n_given;
    for (size_t i = 0; i < in->n_asked; i++)
        is_needed[in->asked[i]] = 1;
    for (size_t i = in->n; i-- > in->n_given;)
        if (is_needed[i]) {
            is_needed[in->number[i].a] = 1;
            if (in->number[i].op != IS)
                is_needed[in->number[i].b] = 1;
        }
    for (size_t i = 0; i < in->n; i++) {
        at[i] = (uint16_t)(i < in->n_given ? i : n);
        if (i < in->n_given || !is_needed[i])
            continue;
        struct judge_number x = in->number[i];
        x.a = at[x.a];
        x.b = x.op == IS ? x.b : at[x.b];
        in->number[n++] = x;
    }
    in->n = n;
    for (size_t i = 0; i < in->n_asked; i++)
        in->asked[i] = at[in->asked[i]];
    free(is_needed);
    free(at);
}

int judge_inputs_open(struct judge_inputs *in, const struct model *model,
                      const struct judge_rows *rows, uint64_t seed, size_t n_threads)
{
    struct screen s = {.in = in,
                       .rows = rows,
                       .kept = rows->is_whole ? KEPT_OF_WHOLE : KEPT,
                       .seed = seed,
                       .n_threads = n_threads};
    *in = (struct judge_inputs){.model = model};
    if (model->spec->judge.n && program_compile_judge(model->spec, &in->judge))
        return -1;
    in->asked = xcalloc(MOST_NUMBERS, sizeof *in->asked);
    s.gain = xcalloc(MOST_NUMBERS, sizeof *s.gain);
    if (has_names(model))
        judge_near_open(&in->near, model, rows);
    add_first(in, rows);
    ask_all(in);
    draw_rows(&s);
    if (in->n_asked > AT_ONCE)
        keep_of_blocks(&s);
    for (int round = 0; round < ROUNDS; round++) {
        find_gains(&s);
        judge_inputs_keep(&s, s.kept);
        combine_best(in);
        ask_always(in, rows);
    }
    find_gains(&s);
    judge_inputs_keep(&s, s.kept);
    ask_always(in, rows);
    drop_unused(in);
    free(s.row);
    free(s.gain);
    return 0;
}

void judge_inputs_close(struct judge_inputs *in)
{
    judge_near_close(&in->near);
    free(in->number);
    free(in->asked);
    memset(in, 0, sizeof *in);
}
