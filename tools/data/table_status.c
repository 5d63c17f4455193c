/* table_status.c - which columns of a table tell which rows failed, and what they say of a row
   SPDX-License-Identifier: MIT

   Names and cells come first (failures.c). Where they leave it open, the rows decide: what nearly
   all rows have is success if the others have odd times. A parameter is told by tuples that differ
   in nothing else. What is still open is asked. */
#include "table_forms.h"

#include "split.h"

#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_VALUES = 64, TOLD_VALUES = 5, ENOUGH_ROWS = 20 };

/* What the rows still have to show */
enum open { OPEN_NOTHING, OPEN_CHECK, OPEN_MOST, OPEN_WORDS, OPEN_RARE, OPEN_ASKED };

struct status_value {
    size_t n;
    enum status_word word;
    int is_good;
};

struct status_column {
    int is_out; /* it does not tell */
    int is_given, is_ignored, is_weak, tells;
    enum status_kind kind;
    enum open open;
    const char *why; /* it is asked */
    struct interned values;
    struct status_value *value;
    size_t cap, n, rows[STATUS_N_WORDS], kinds[STATUS_N_WORDS];
};

#define BIT(word) (1u << STATUS_##word)

/* ---- words of `success` ---- */

const char *table_success_test(const char *word, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(word, name, n) != 0)
        return NULL;
    return word[n] == '='
                   || (word[n] != '\0' && strchr("<>", word[n]) != NULL && word[n + 1] == '=')
               ? word + n
               : NULL;
}

static int passes(const char *test, const char *cell)
{
    char *end, *end_of_cell;
    const char *value = test + (*test == '=' ? 1 : 2);
    const double limit = strtod(value, &end), x = strtod(cell, &end_of_cell);
    const int are_numbers =
        end != value && *end == '\0' && end_of_cell != cell && *end_of_cell == '\0';
    return *test == '=' ? strcasecmp(value, cell) == 0 || (are_numbers && !(x < limit || x > limit))
           : *test == '<' ? are_numbers && x <= limit
                          : are_numbers && x >= limit;
}

/* The next word of the spec's or the user's on a column: its test; NULL: there is none */
static const char *next_test(const struct table_asked *a, const char *name, size_t *at)
{
    const char *const *words = a->spec != NULL ? a->spec->success : a->success;
    const size_t n = a->spec != NULL ? a->spec->n_success : a->n_success;
    const char *test = NULL;
    while (test == NULL && *at < n)
        test = table_success_test(words[(*at)++], name);
    return test;
}

/* Does such a word say of this cell that the row worked? */
static int is_given_good(const struct table_asked *a, const char *name, const char *cell)
{
    const char *test;
    for (size_t at = 0; (test = next_test(a, name, &at)) != NULL;)
        if (passes(test, cell))
            return 1;
    return 0;
}

/* -1: no word is about the column, 0: it does not tell, 1: words say what is success */
static int is_given(const struct table_asked *a, const char *name)
{
    const char *test;
    int is = -1;
    for (size_t at = 0; (test = next_test(a, name, &at)) != NULL;)
        is = strcmp(test, "=*") != 0;
    return is;
}

/* ---- the first look: names and cells ---- */

static void open_column(const struct table_forms *t, struct status_column *c, const char *name)
{
    const enum table_role role = table_role(t, name);
    const int given = is_given(t->asked, name);
    const int is_time = column_is_time(name) || (t->wanted != NULL && strcmp(t->wanted, name) == 0);
    c->kind = status_name(name, &c->is_weak);
    c->is_given = given > 0;
    c->is_ignored = role == TABLE_IGNORED;
    c->is_out =
        *name == '\0' || given == 0 || is_time || role == TABLE_FIELD || role == TABLE_PARAM
        || (role == TABLE_IGNORED && t->asked->spec != NULL)
        || (!c->is_given && c->kind == STATUS_NAME_NONE
            && (column_is_counter(name) || column_is_measurement(name) || column_is_tuning(name)));
}

/* A fraction is no status, and nor is one of many texts, unless the name says that it is. */
static void see_cell(struct status_column *c, const char *cell)
{
    const size_t n = c->values.n, at = intern_text(&c->values, cell);
    if (c->values.n > n) {
        c->value = xgrow(c->value, n, &c->cap, sizeof *c->value);
        c->value[at] = (struct status_value){0, status_word(cell), 0};
        c->kinds[c->value[at].word]++;
    }
    c->value[at].n++;
    c->rows[c->value[at].word]++;
    c->n++;
    const int is_fraction = c->rows[STATUS_FRACTION] > 0;
    c->is_out |= !c->is_given
                 && ((c->kind == STATUS_NAME_NONE && (is_fraction || c->values.n > MOST_VALUES))
                     || (is_fraction && (c->kind == STATUS_NAME_EITHER || c->is_weak)));
}

int table_status_see(struct table_forms *t)
{
    struct table_status *s = &t->status;
    struct csv_records r;
    struct buf copy = {0};
    size_t n = 0;
    int rc;
    s->n = t->raw->n_header;
    s->v = xcalloc(s->n + 1, sizeof *s->v);
    for (size_t i = 0; i < s->n; i++) {
        open_column(t, &s->v[i], table_name(t, i));
        n += !s->v[i].is_out;
    }
    if (n == 0)
        return s->n = 0, 0;
    csv_records_again(t->raw, &copy, &r);
    while ((rc = table_next_copy(t, &r)) > 0)
        for (size_t i = 0; i < s->n; i++)
            if (!s->v[i].is_out)
                see_cell(&s->v[i], r.cell[i]);
    csv_records_close(&r);
    buf_free(&copy);
    return rc;
}

/* ---- what names and cells decide ---- */

static size_t rows_of(const struct status_column *c, unsigned words)
{
    size_t n = 0;
    for (unsigned w = 0; w < STATUS_N_WORDS; w++)
        n += words >> w & 1 ? c->rows[w] : 0;
    return n;
}

static size_t kinds_of(const struct status_column *c, unsigned words)
{
    size_t n = 0;
    for (unsigned w = 0; w < STATUS_N_WORDS; w++)
        n += words >> w & 1 ? c->kinds[w] : 0;
    return n;
}

static void take(struct status_column *c, unsigned words, enum open open)
{
    for (size_t i = 0; i < c->values.n; i++)
        c->value[i].is_good = words >> c->value[i].word & 1;
    c->open = open;
}

static void ask(struct status_column *c, const char *why)
{
    c->open = OPEN_ASKED;
    c->why = why;
}

#define WORDS   (BIT(GOOD) | BIT(BAD) | BIT(OTHER))
#define NUMBERS (BIT(ZERO) | BIT(ONE) | BIT(NUMBER))

/* exit_code, errors, crashed: nothing, no and 0 are a success. */
static void decide_bad(struct status_column *c)
{
    const unsigned good = BIT(NOTHING) | BIT(NO) | BIT(GOOD) | BIT(ZERO);
    take(c, good, rows_of(c, WORDS) > 0 && rows_of(c, good) > 0 ? OPEN_NOTHING : OPEN_CHECK);
}

/* status, result */
static void decide_either(struct status_column *c)
{
    const unsigned fine = ~(BIT(BAD) | BIT(NO));
    if (rows_of(c, BIT(GOOD)) > 0)
        take(c, BIT(GOOD) | BIT(YES), OPEN_NOTHING);
    else if (rows_of(c, BIT(YES)) > 0)
        take(c, BIT(YES), OPEN_CHECK);
    else if (rows_of(c, BIT(BAD)) > 0 && kinds_of(c, fine) <= 1)
        take(c, fine, OPEN_NOTHING);
    else if (c->is_weak && c->values.n == 1 && rows_of(c, BIT(OTHER)) > 0)
        c->is_out = 1; /* the name of a code */
    else if (rows_of(c, BIT(NO)) == 0 && c->values.n == 1)
        take(c, fine, OPEN_NOTHING);
    else if (rows_of(c, BIT(ZERO)) > 0 && rows_of(c, BIT(NUMBER)) > 0)
        take(c, BIT(ZERO), OPEN_CHECK);
    else
        c->open = OPEN_MOST;
    c->is_out |= c->open == OPEN_MOST && c->values.n > MOST_VALUES;
}

/* passed, correct: yes and 1 are a success. */
static void decide_good(struct status_column *c)
{
    const unsigned good = BIT(GOOD) | BIT(YES) | BIT(ONE);
    if (rows_of(c, WORDS) > 0 && rows_of(c, good) == 0)
        decide_either(c);
    else if (rows_of(c, BIT(NUMBER)) > 0)
        c->is_weak ? (void)(c->is_out = 1) : ask(c, "its numbers are not 0 and 1 alone");
    else
        take(c, good, rows_of(c, BIT(GOOD) | BIT(BAD)) > 0 ? OPEN_NOTHING : OPEN_CHECK);
}

static int is_amount(const struct status_column *c)
{
    return c->kind == STATUS_NAME_AMOUNT || c->rows[STATUS_FRACTION] > 0;
}

/* No value of a parameter is empty. */
static int has_empty(const struct status_column *c)
{
    return intern_find_text(&c->values, "") != INTERN_NONE;
}

/* Are there words for success, or nothing, and for failures, and no others but these? */
static int has_words(const struct status_column *c)
{
    return rows_of(c, BIT(BAD)) > 0 && (rows_of(c, BIT(GOOD)) > 0 || has_empty(c))
           && rows_of(c, NUMBERS | BIT(YES) | BIT(NO) | BIT(OTHER)) == 0;
}

static void decide_by_words(struct status_column *c)
{
    if (is_amount(c) && rows_of(c, BIT(ZERO) | BIT(NO)) == c->n)
        take(c, BIT(ZERO) | BIT(NO), OPEN_NOTHING);
    else if (c->kind == STATUS_NAME_NONE)
        take(c, BIT(GOOD) | (has_empty(c) ? BIT(NOTHING) : 0),
             has_words(c) ? OPEN_WORDS : OPEN_RARE);
    else if (is_amount(c))
        ask(c, "nothing says how wrong a result may be");
    else if (c->kind == STATUS_NAME_BAD)
        decide_bad(c);
    else if (c->kind == STATUS_NAME_GOOD)
        decide_good(c);
    else
        decide_either(c);
    if (c->open == OPEN_NOTHING && 2 * c->rows[STATUS_OTHER] > c->n && c->rows[STATUS_GOOD] > 0)
        ask(c, "most rows have words that kpred does not know");
}

/* ---- what the rows show ---- */

struct status_row {
    uint32_t problem;
    double us; /* 0: it has no time */
    uint64_t
        rest; /* the sum of the hashes of all cells that may be the tuple's and the problem's */
};

struct status_rows {
    size_t n, cap, cap_value, n_problems, n_columns;
    struct status_row *v;
    uint32_t *value; /* of each row, for each column */
};

/* Is the column a part of the tuple, as far as its name and cells tell? */
static int may_be_param(const struct table_forms *t, size_t at)
{
    const struct status_column *c = &t->status.v[at];
    const char *name = table_name(t, at);
    const enum table_role role = table_role(t, name);
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].at == at)
            return 0;
    return role == TABLE_PARAM
           || (role == TABLE_OTHER && !column_is_counter(name) && !column_is_measurement(name)
               && (c->is_out || c->open == OPEN_RARE));
}

static uint64_t hash_of_cell(size_t at, const char *cell)
{
    return num_mix(split_hash(cell, strlen(cell)), at, 1);
}

static void keep_row(const struct table_forms *t, const struct csv_records *r,
                     struct interned *problems, struct status_rows *rows)
{
    struct buf problem = {0};
    rows->v = xgrow(rows->v, rows->n, &rows->cap, sizeof *rows->v);
    if (rows->n * rows->n_columns >= rows->cap_value) {
        rows->cap_value = 2 * rows->cap_value + 64 * rows->n_columns;
        rows->value = xrealloc(rows->value, rows->cap_value, sizeof *rows->value);
    }
    struct status_row *row = &rows->v[rows->n];
    *row = (struct status_row){0, table_row_us(t, r->cell), 0};
    buf_puts(&problem, "");
    for (size_t i = 0; i < r->n; i++) {
        const int is_field = table_role(t, table_name(t, i)) == TABLE_FIELD;
        if (is_field)
            buf_printf(&problem, "%s\x1f", r->cell[i]);
        if (is_field || may_be_param(t, i))
            row->rest += hash_of_cell(i, r->cell[i]);
        rows->value[rows->n * rows->n_columns + i] =
            t->status.v[i].is_out ? 0
                                  : (uint32_t)intern_find_text(&t->status.v[i].values, r->cell[i]);
    }
    row->problem = (uint32_t)intern(problems, problem.s, problem.n);
    rows->n++;
    buf_free(&problem);
}

static int read_rows(const struct table_forms *t, struct status_rows *rows)
{
    struct interned problems = {0};
    struct csv_records r;
    struct buf copy = {0};
    int rc;
    rows->n_columns = t->status.n;
    csv_records_again(t->raw, &copy, &r);
    while ((rc = table_next_copy(t, &r)) > 0)
        keep_row(t, &r, &problems, rows);
    rows->n_problems = problems.n;
    csv_records_close(&r);
    buf_free(&copy);
    intern_free(&problems);
    return rc;
}

struct hashed {
    uint64_t hash;
    uint32_t value;
};

static int by_hash(const void *pa, const void *pb)
{
    const struct hashed *a = pa, *b = pb;
    return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1)
                              : (a->value > b->value) - (a->value < b->value);
}

/* Which part of the rows has a twin that differs in this column alone, as those of a parameter
   do */
static double part_of_twins(const struct table_forms *t, size_t at, const struct status_rows *rows)
{
    const struct interned *values = &t->status.v[at].values;
    struct hashed *h = xcalloc(rows->n + 1, sizeof *h);
    const int is_in = may_be_param(t, at);
    size_t n = 0, end;
    for (size_t i = 0; i < rows->n; i++) {
        h[i].value = rows->value[i * rows->n_columns + at];
        h[i].hash = rows->v[i].rest - (is_in ? hash_of_cell(at, values->v[h[i].value].s) : 0);
    }
    qsort(h, rows->n, sizeof *h, by_hash);
    for (size_t i = 0; i < rows->n; i = end) {
        for (end = i + 1; end < rows->n && h[end].hash == h[i].hash; end++)
            ;
        n += h[i].value != h[end - 1].value ? end - i : 0;
    }
    free(h);
    return rows->n > 0 ? (double)n / (double)rows->n : 0;
}

/* The rows that would be failures, and the others: how many there are, how many have no time, how
   many have the time of the first of them, and of those whose problem has some in the other group,
   how many are faster than all of these */
struct group {
    size_t n, none, same, compared, fast;
    double first;
};

struct range {
    size_t n;
    double least;
};

static void see_row(struct group *g, double us, const struct range *other, size_t enough)
{
    g->n++;
    g->none += us <= 0;
    if (us <= 0)
        return;
    g->first = g->first > 0 ? g->first : us;
    g->same += !(us < g->first || us > g->first);
    g->compared += other->n >= enough;
    g->fast += other->n >= enough && us < 0.75 * other->least;
}

/* group[1]: those of success */
static void compare(const struct status_column *c, size_t at, const struct status_rows *rows,
                    size_t enough, struct group group[2])
{
    struct range *ranges = xcalloc(2 * rows->n_problems + 2, sizeof *ranges);
    memset(group, 0, 2 * sizeof *group);
    for (int is_second = 0; is_second < 2; is_second++)
        for (size_t i = 0; i < rows->n; i++) {
            const struct status_row *r = &rows->v[i];
            const int is_good = c->value[rows->value[i * rows->n_columns + at]].is_good;
            struct range *own = &ranges[2 * r->problem + (size_t)is_good];
            if (is_second) {
                see_row(&group[is_good], r->us, &ranges[2 * r->problem + !is_good], enough);
            } else if (r->us > 0) {
                own->least = own->n++ > 0 && own->least < r->us ? own->least : r->us;
            }
        }
    free(ranges);
}

static int are_most(size_t part, size_t all, size_t least)
{
    return all >= least && 10 * part >= 9 * all;
}

/* What crashed is faster than all that ran. */
static int are_fast(const struct group *g)
{
    return are_most(g->fast, g->compared, 2);
}

/* A limit of time, or a number in the place of a time */
static int are_same(const struct group *g)
{
    return g->none < g->n && are_most(g->same, g->n - g->none, 3);
}

/* Do the rows say the contrary of the names? */
static int is_contrary(const struct group group[2])
{
    const struct group *bad = &group[0], *good = &group[1];
    return bad->n > 0 && 10 * bad->none <= 2 * bad->n
           && (10 * good->none >= 8 * good->n
               || (2 * good->n <= bad->n && are_fast(good) && !are_same(bad)));
}

/* What most rows have is success, if the others are odd, or are a few. */
static void take_most(struct status_column *c)
{
    size_t most = 0;
    for (size_t i = 1; i < c->values.n; i++)
        most = c->value[i].n > c->value[most].n ? i : most;
    for (size_t i = 0; i < c->values.n; i++)
        c->value[i].is_good = i == most;
}

static int are_told_by_most(const struct group group[2])
{
    const struct group *bad = &group[0], *good = &group[1];
    const int are_odd = are_most(bad->none + bad->fast, bad->none + bad->compared, 2)
                        || (are_same(bad) && !are_same(good));
    const int are_few = good->n + bad->n >= ENOUGH_ROWS && good->n >= 9 * bad->n;
    return good->n >= bad->n && (are_odd || are_few) && (are_same(bad) || !are_fast(good))
           && !are_same(good);
}

/* Nobody sets before the launch what goes with times that are faster than all others of a problem;
   but it may be chance. */
static void decide_rare(struct status_column *c, const struct group group[2], double twins)
{
    const int is_odd = twins < 0.02 && c->n >= ENOUGH_ROWS
                       && (are_most(group[0].fast, group[0].compared, 3)
                           || are_most(group[1].fast, group[1].compared, 3));
    c->open = OPEN_NOTHING;
    c->is_out = !is_odd;
    if (is_odd)
        ask(c, "in each problem one value goes with times that no other row has");
}

static void decide_by_rows(struct table_forms *t, size_t at, const struct status_rows *rows)
{
    struct status_column *c = &t->status.v[at];
    const enum open open = c->open;
    const double twins = part_of_twins(t, at, rows);
    const int has_text = rows_of(c, WORDS) > 0;
    struct group group[2];
    if (open == OPEN_MOST || open == OPEN_RARE)
        take_most(c);
    compare(c, at, rows, open == OPEN_RARE ? 3 : 1, group);
    if (open == OPEN_RARE)
        decide_rare(c, group, twins);
    else if ((c->is_weak && twins > 0.25 && !has_text) || (open == OPEN_WORDS && twins > 0.02))
        c->is_out = 1;
    else if (open == OPEN_CHECK && group[1].n == 0 && rows_of(c, ~BIT(BAD)) > 0)
        ask(c, "by its name and cells all rows failed");
    else if (open == OPEN_CHECK && is_contrary(group))
        ask(c, "its name says the contrary of what the times say");
    else if (open == OPEN_MOST && ((c->is_weak && !has_text) || !are_told_by_most(group)))
        ask(c, "neither its name nor the times say which value is success");
}

/* ---- the decision ---- */

static void add_word(struct interned *words, const char *name, const char *test)
{
    struct buf b = {0};
    buf_printf(&b, "%s%s", name, test);
    (void)intern_text(words, b.s);
    buf_free(&b);
}

enum { FAILURES, SUCCESSES, ALL };

/* "ok" (4 rows), as far as they are told, each with its first line */
static void add_values(const struct status_column *c, int which, struct buf *b)
{
    size_t n = 0;
    for (size_t i = 0; i < c->values.n; i++) {
        const char *text = c->values.v[i].s;
        const size_t line = strcspn(text, "\r\n"), most = line < 40 ? line : 40;
        if ((which == ALL || c->value[i].is_good == which) && n++ < TOLD_VALUES)
            buf_printf(b, "%s\"%.*s%s\" (%zu row%s)", n > 1 ? ", " : "", (int)most, text,
                       text[most] != '\0' ? "..." : "", c->value[i].n,
                       as_counted(c->value[i].n, "", "s"));
    }
    if (n > TOLD_VALUES)
        buf_printf(b, ", and %zu other%s", n - TOLD_VALUES, as_counted(n - TOLD_VALUES, "", "s"));
    if (n == 0)
        buf_puts(b, "nothing");
}

/* Asks, with what answers: an option, or a line of the spec. */
static int ask_user(const struct table_forms *t, size_t at)
{
    const struct status_column *c = &t->status.v[at];
    const char *name = table_name(t, at), *test = !is_amount(c)                 ? "=VALUE"
                                                  : c->kind == STATUS_NAME_GOOD ? ">=LIMIT"
                                                                                : "<=LIMIT";
    const int has_spec = t->asked->spec != NULL;
    const char *option = has_spec ? "`success = " : "--success ";
    const char *mark = !has_spec || strchr(name, ' ') != NULL ? "\"" : "",
               *end = has_spec ? "`" : "";
    struct buf values = {0};
    add_values(c, ALL, &values);
    table_fail(t,
               "column \"%s\" has %s: may it tell which rows failed? %s: %s%s%s%s%s%s says what "
               "worked, %s%s%s=*%s%s that %s",
               name, values.s, c->why, option, mark, name, test, mark, end, option, mark, name,
               mark, end,
               has_spec ? "it does not tell; the line stands in [data] of the spec"
                        : "it is a parameter, --ignore leaves it out");
    buf_free(&values);
    return -1;
}

static void tell(struct table_forms *t, size_t at)
{
    const struct status_column *c = &t->status.v[at];
    struct buf b = {0};
    add_values(c, FAILURES, &b);
    buf_puts(&b, " failed, ");
    add_values(c, SUCCESSES, &b);
    table_tell(t, t->raw->at,
               "column \"%s\": tells which rows failed: %s worked; %s says otherwise",
               table_name(t, at), b.s,
               t->asked->spec != NULL ? "a line `success` in [data] of the spec" : "--success");
    buf_free(&b);
}

/* What a spec has to say, and what other tables may not contradict */
static void keep_words(struct table_forms *t, size_t at)
{
    struct table_status *s = &t->status;
    const struct status_column *c = &s->v[at];
    struct buf b = {0};
    for (size_t i = 0; i < c->values.n && !c->is_given; i++) {
        b.n = 0;
        buf_printf(&b, "=%s", c->values.v[i].s);
        add_word(c->value[i].is_good ? &s->success : &s->failures, table_name(t, at), b.s);
    }
    buf_free(&b);
}

/* Words that name no row of a table without a spec are a slip. */
static int check_given(const struct table_forms *t, size_t at)
{
    const struct status_column *c = &t->status.v[at];
    struct buf b = {0};
    int rc = 0, n = 0;
    for (size_t i = 0; i < c->values.n; i++)
        n += c->value[i].is_good;
    add_values(c, FAILURES, &b);
    if (n == 0 && t->asked->is_only)
        rc = table_fail(t, "--success: column \"%s\": no row has worked: it has %s",
                        table_name(t, at), b.s);
    buf_free(&b);
    return rc;
}

/* Where one column tells which rows failed, an amount need not. */
static int is_spared(const struct table_forms *t, const struct status_column *amount)
{
    int is = 0;
    for (size_t i = 0; i < t->status.n; i++)
        is |= t->status.v[i].tells && &t->status.v[i] != amount;
    return is && is_amount(amount);
}

static int finish_column(struct table_forms *t, size_t at)
{
    struct status_column *c = &t->status.v[at];
    if (c->is_out)
        return 0;
    if (c->is_ignored || (c->open == OPEN_ASKED && is_spared(t, c))) {
        take(c, ~0U, OPEN_NOTHING);
        c->tells = !c->is_ignored;
        add_word(&t->status.success, table_name(t, at), "=*");
        return 0;
    }
    if (c->open == OPEN_ASKED)
        return ask_user(t, at);
    if (c->is_given && check_given(t, at) != 0)
        return -1;
    c->tells = 1;
    keep_words(t, at);
    if (!c->is_given)
        tell(t, at);
    return 0;
}

static void decide_given(struct table_forms *t, size_t at)
{
    struct status_column *c = &t->status.v[at];
    for (size_t i = 0; i < c->values.n; i++)
        c->value[i].is_good = is_given_good(t->asked, table_name(t, at), c->values.v[i].s);
}

static void decide_column(struct table_forms *t, size_t at)
{
    struct status_column *c = &t->status.v[at];
    if (!c->is_out && c->is_given)
        decide_given(t, at);
    else if (!c->is_out)
        decide_by_words(c);
    c->is_out |= c->n == 0 || (c->open == OPEN_RARE && (t->n_slots == 0 || t->is_wide));
}

int table_status_decide(struct table_forms *t)
{
    struct table_status *s = &t->status;
    struct status_rows rows = {0};
    int is_open = 0, rc = 0;
    for (size_t i = 0; i < s->n; i++) {
        decide_column(t, i);
        is_open |= !s->v[i].is_out && s->v[i].open != OPEN_NOTHING && s->v[i].open != OPEN_ASKED;
    }
    if (is_open)
        rc = read_rows(t, &rows);
    for (size_t i = 0; i < s->n && rc == 0; i++)
        if (!s->v[i].is_out && s->v[i].open != OPEN_NOTHING && s->v[i].open != OPEN_ASKED)
            decide_by_rows(t, i, &rows);
    for (int is_asked = 0; is_asked < 2 && rc == 0; is_asked++)
        for (size_t i = 0; i < s->n && rc == 0; i++)
            if ((s->v[i].open == OPEN_ASKED) == is_asked)
                rc = finish_column(t, i);
    free(rows.v);
    free(rows.value);
    return rc;
}

/* ---- rows ---- */

int table_status_may(const struct table_status *s, size_t at)
{
    const struct status_column *c = &s->v[at];
    return at < s->n && !c->is_out && (c->is_given || c->kind != STATUS_NAME_NONE || has_words(c));
}

int table_status_tells(const struct table_forms *t, const char *name)
{
    for (size_t i = 0; i < t->status.n; i++)
        if (t->status.v[i].tells && strcmp(table_name(t, i), name) == 0)
            return 1;
    return 0;
}

void table_status_read(struct table_forms *t)
{
    struct table_status *s = &t->status;
    *s->failure = '\0';
    for (size_t i = 0; i < s->n && *s->failure == '\0'; i++) {
        const char *cell = t->raw->cell[i];
        const size_t value = s->v[i].tells ? intern_find_text(&s->v[i].values, cell) : INTERN_NONE;
        if (value != INTERN_NONE && !s->v[i].value[value].is_good)
            snprintf(s->failure, sizeof s->failure, "failed: %.40s=%.60s", table_name(t, i), cell);
    }
}

void table_status_close(struct table_status *s)
{
    for (size_t i = 0; i < s->n; i++) {
        intern_free(&s->v[i].values);
        free(s->v[i].value);
    }
    free(s->v);
    intern_free(&s->success);
    intern_free(&s->failures);
}
