/* test_conditions.c - the conditions that explain failures: true ones are found, no others
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"
#include "survey/conditions.h"

enum { ROWS = 1500, COLUMNS = 8, TYPE = 1, LDS = 7 };

static const char *const types[] = {"f16", "f32", "i8"}, *const truths[] = {"False", "True"};
static int32_t values[COLUMNS][ROWS];
static unsigned char is_failed[ROWS];
static struct condition_table table = {
    .n = ROWS,
    .n_columns = COLUMNS,
    .column = {{.name = "n", .v = values[0], .is_field = 1, .most = 1 << 24},
               {.name = "type", .v = values[TYPE], .names = types, .n_names = 3, .is_field = 1},
               {.name = "BM", .v = values[2]},
               {.name = "BN", .v = values[3]},
               {.name = "BK", .v = values[4]},
               {.name = "vec", .v = values[5]},
               {.name = "unroll", .v = values[6]},
               {.name = "lds", .v = values[LDS], .names = truths, .n_names = 2}},
    .is_failed = is_failed};

/* Tuples drawn for some forty problems */
static void draw(uint64_t seed)
{
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t problem = (uint64_t)test_between(&seed, 1, 40);
        values[0][i] = 8 * test_between(&problem, 1, 60);
        values[TYPE][i] = test_between(&problem, 0, 2);
        for (size_t c = 2; c < 5; c++)
            values[c][i] = 8 << test_between(&seed, c < 4, 4);
        values[5][i] = 1 << test_between(&seed, 0, 3);
        values[6][i] = test_between(&seed, 1, 6);
        values[LDS][i] = test_between(&seed, 0, 1);
    }
}

enum rule { NOTHING, SHARED, PAIR, DIVIDES, TYPED, FLAGGED, SOFT, LOOSE, TWO };

static int is_legal(enum rule rule, size_t i, uint64_t *seed)
{
    const int32_t n = values[0][i], bm = values[2][i], bn = values[3][i], bk = values[4][i];
    const int is_shared = bm * bk + bk * bn <= 8192;
    switch (rule) {
    case SHARED: return is_shared;
    case PAIR: return bm * bn <= 4096;
    case DIVIDES: return n % bk == 0;
    case TYPED: return values[TYPE][i] != 1 || values[5][i] <= 4;
    case FLAGGED: return !values[LDS][i] || bm * bn <= 2048;
    case SOFT: return is_shared || test_between(seed, 1, 100) > 95;
    case LOOSE: return values[6][i] != 4 || test_between(seed, 1, 100) > 80;
    case TWO: return bm * bn <= 4096 && values[6][i] <= values[5][i];
    default: return 1;
    }
}

/* The conditions, in lines, for tuples that break the rule and for some percent of others */
static const char *find(enum rule rule, int percent)
{
    static struct buf text;
    struct conditions found;
    uint64_t seed = 5;
    for (size_t i = 0; i < ROWS; i++)
        is_failed[i] = !is_legal(rule, i, &seed) || test_between(&seed, 0, 99) < percent;
    conditions_find(&table, &found);
    buf_free(&text);
    buf_puts(&text, "");
    for (size_t i = 0; i < found.n; i++)
        buf_printf(&text, "%s\n", found.v[i].text);
    conditions_free(&found);
    return text.s;
}

/* Just the rows that are asked for, whose column 2 is held against 32 or column 3 */
static void violations(void)
{
    static const enum term_test tests[] = {TERM_AT_MOST, TERM_AT_LEAST, TERM_LESS, TERM_OTHER};
    struct term_rows rows = {.n = ROWS};
    struct term t = {.n_a = 1, .c = {2, 3}, .guard = TERM_NO_GUARD, .k = 32};
    unsigned char out[9];
    draw(1);
    for (size_t c = 0; c < COLUMNS; c++)
        rows.v[c] = values[c];
    for (size_t i = 0; i < 4; i++) {
        t.test = (unsigned char)tests[i];
        t.n_b = i > 1;
        for (size_t row = 0; row + 8 < ROWS; row += 8) {
            out[8] = 7;
            term_violations(&t, &rows, row, 8, out);
            for (size_t k = 0; k < 8; k++) {
                const int32_t a = values[2][row + k], b = values[3][row + k];
                CHECK_EQ(out[k], ((int[]){a > 32, a < 32, a >= b, a == b}[i]));
            }
            CHECK_EQ(out[8], 7);
        }
    }
}

static void true_ones(void)
{
    draw(1);
    CHECK_TEXT(find(SHARED, 15), "BM * BK + BK * BN <= 8192\n");
    CHECK_TEXT(find(DIVIDES, 15), "n % BK == 0\n");
    CHECK_TEXT(find(TYPED, 15), "type != \"f32\" or vec <= 4\n");
    CHECK_TEXT(find(FLAGGED, 15), "not lds or BM * BN <= 2048\n");
    CHECK_TEXT(find(TWO, 0), "unroll <= vec\nBM * BN <= 4096\n");
}

static void no_others(void)
{
    draw(4);
    CHECK_TEXT(find(NOTHING, 0), "");
    CHECK_TEXT(find(NOTHING, 30), "");
    CHECK_TEXT(find(NOTHING, 100), "");
    CHECK_TEXT(find(SOFT, 0), "");
    CHECK_TEXT(find(SOFT, 15), "");
    CHECK_TEXT(find(LOOSE, 0), "");
}

/* Of 187 tuples some fail, whatever the two columns are that make no difference. */
static void clusters(void)
{
    struct conditions found;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t seed = i / 8;
        const size_t digits[COLUMNS] = {0,           0,     i / 8 % 4, i / 32 % 4,
                                        i / 128 % 4, i % 4, i / 512,   i / 4 % 2};
        for (size_t c = 0; c < COLUMNS; c++)
            values[c][i] = c > 1 && c < LDS ? 8 << digits[c] : (int32_t)digits[c];
        is_failed[i] = test_between(&seed, 1, 100) <= 15;
    }
    conditions_find(&table, &found);
    CHECK_EQ(found.n, 0);
    conditions_free(&found);
}

static int is_same(size_t i, size_t j)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (values[c][i] != values[c][j])
            return 0;
    return 1;
}

static int worked_elsewhere(size_t i)
{
    for (size_t j = 0; j < ROWS; j++)
        if (!is_failed[j] && is_same(i, j))
            return 1;
    return 0;
}

/* The counts are those of all rows, but for failures that worked in another row. */
static void counts(void)
{
    struct conditions found;
    size_t failed = 0, all = 0;
    draw(5);
    (void)find(PAIR, 10);
    for (size_t i = 1; i < 9; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            values[c][i] = values[c][0];
    for (size_t i = 0; i < ROWS; i++) {
        all += values[2][i] * values[3][i] > 4096;
        is_failed[i] = i < 9 ? i != 4 : is_failed[i];
        failed += is_failed[i] && !worked_elsewhere(i);
    }
    REQUIRE(values[2][0] * values[3][0] <= 4096);
    conditions_find(&table, &found);
    REQUIRE(found.n == 1);
    CHECK_EQ(found.failed, failed);
    CHECK_EQ(found.v[0].more, all);
    CHECK_EQ(found.v[0].all, all);
    conditions_free(&found);
}

/* A single success among very many rows takes a condition away. */
static void no_exception(void)
{
    enum { MANY = 40000 };
    static int32_t a[MANY], b[MANY];
    static unsigned char is[MANY];
    struct condition_table many = {.n = MANY,
                                   .n_columns = 2,
                                   .column = {{.name = "a", .v = a}, {.name = "b", .v = b}},
                                   .is_failed = is};
    struct conditions found;
    uint64_t seed = 9;
    for (size_t i = 0; i < MANY; i++) {
        a[i] = test_between(&seed, 1, 200);
        b[i] = test_between(&seed, 1, 200);
        is[i] = a[i] * b[i] > 10000;
    }
    conditions_find(&many, &found);
    REQUIRE(found.n == 1);
    CHECK_TEXT(found.v[0].text, "a * b <= 10000");
    conditions_free(&found);
    a[7] = b[7] = 199;
    is[7] = 0;
    conditions_find(&many, &found);
    for (size_t i = 0; i < found.n; i++)
        CHECK(strcmp(found.v[i].text, "a * b <= 10000") != 0);
    conditions_free(&found);
}

static void any_order(void)
{
    draw(6);
    const char *first = new_copy(find(TWO, 10));
    struct conditions found;
    for (size_t i = 0; i < ROWS / 2; i++) {
        const size_t j = ROWS - 1 - i;
        const unsigned char is = is_failed[i];
        for (size_t c = 0; c < COLUMNS; c++) {
            const int32_t v = values[c][i];
            values[c][i] = values[c][j];
            values[c][j] = v;
        }
        is_failed[i] = is_failed[j];
        is_failed[j] = is;
    }
    conditions_find(&table, &found);
    CHECK_EQ(found.n, 2);
    for (size_t i = 0; i < found.n; i++)
        CHECK(has(first, found.v[i].text));
    conditions_free(&found);
}

/* ---- the command lines ---- */

static void put_table(enum rule rule)
{
    struct buf *b = new_text();
    uint64_t seed = 7;
    buf_puts(b, "type,BM,BN,unroll,lds,time_us\n");
    draw(8);
    for (size_t i = 0; i < ROWS / 3; i++) {
        static const char *const failures[] = {"failed", "InvalidConfig", "OOM"};
        buf_printf(b, "%s,%d,%d,%d,%s,", types[values[TYPE][i]], (int)values[2][i],
                   (int)values[3][i], (int)values[6][i], truths[values[LDS][i]]);
        if (is_legal(rule, i, &seed))
            buf_printf(b, "%d\n", test_between(&seed, 10, 20));
        else
            buf_printf(b, "%s\n", failures[i % 3]);
    }
    put_bytes("table.csv", b->s, b->n);
}

static int init(const char *options)
{
    return RAN("kpred-train init table.csv --fields type --name k --force -o k.spec %s", options);
}

static void spec_lines(void)
{
    static const char told[] = "\nkpred-train: not lds or BM * BN <= 2048 explains ";
    put_table(FLAGGED);
    RAN_CASE(init("") == 0 && has(program.err.s, told)
                 && has(program.err.s, " and forbids no success\n")
                 && !has(text_of("k.spec"), "not lds"),
             "init tells a condition, and does not write it");
    RAN_CASE(init("--conditions") == 0 && has(text_of("k.spec"), "\n#     not lds or BM * BN <= "),
             "--conditions writes it as a comment");
    RAN_CASE(WORKS("kpred-train train k.spec --data table.csv --split none --epochs 1 -o k.h")
                 && has(program.err.s, "k: not lds or BM * BN <= 2048 explains "),
             "train tells it as well");
    CASE(edited("k.spec", "with.spec", "/#     .restrict/,$s/^#     //"), "the comment is taken");
    RAN_CASE(WORKS("kpred-train train with.spec --data table.csv --split none --epochs 1 -o k.h")
                 && has(program.err.s, " rows failed, all of them tuples that the rule forbids\n")
                 && !has(program.err.s, "with.spec:"),
             "as a rule it forbids all failures and no success");
    put_table(NOTHING);
    RAN_CASE(init("--conditions") == 0 && !has(program.err.s, "failed")
                 && has(text_of("k.spec"), "# Every combination of these values is legal."),
             "without failures nothing is told");
}

int main(void)
{
    program_begin();
    program_name = "test_conditions";
    RUN_ALL(violations, true_ones, no_others, clusters, counts, no_exception, any_order);
    spec_lines();
    return program_end();
}
