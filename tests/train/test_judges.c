/* test_judges.c - what judges are made of: trees, what they see, what they learn from, and figures
   SPDX-License-Identifier: MIT

   What a whole sample of timings teaches: test_samples.py. */
#include "harness/specs.h"

#include "base/numbers.h"
#include "data/split.h"
#include "eval/eval.h"
#include "train/timed.h"

#include <math.h>

/* ---- trees ---- */

enum { ROWS = 4000, COLUMNS = 4 };

/* Two columns matter together, one a little, one not. */
static void make_rows(float *x, float *target, uint32_t *group)
{
    uint64_t seed = 3;
    for (size_t i = 0; i < ROWS; i++) {
        float *row = x + i * COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            row[c] = (float)(num_draw(&seed) % 64);
        group[i] = (uint32_t)(i / 20);
        target[i] = (row[0] > 31 && row[1] > 15 ? 2.0f : 0.0f) + row[2] / 64;
    }
}

/* The greatest error of differences between rows of a group */
static float error_of(const struct boost *b, const float *x, const float *target)
{
    static float said[ROWS];
    float most = 0;
    boost_ask(b, x, ROWS, said);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t first = i / 20 * 20;
        const float e = said[i] - said[first] - (target[i] - target[first]);
        most = e > most ? e : -e > most ? -e : most;
    }
    return most;
}

static void trees_learn(void)
{
    static float x[ROWS * COLUMNS], target[ROWS], shifted[ROWS];
    static uint32_t group[ROWS];
    const struct boost_config config = {2, 60, 5, 5, 0.15f, 0.8f, 0.9f, 7, 1};
    double gain[COLUMNS] = {0};
    make_rows(x, target, group);
    const struct boost_rows rows = {ROWS, COLUMNS, x, target, group};
    struct boost *one = boost_fit(&rows, &config);
    CHECK(error_of(one, x, target) < 0.3f);
    boost_gains(one, gain);
    CHECK(gain[0] > gain[2] && gain[1] > gain[2] && gain[2] > 20 * gain[3]);
    for (size_t i = 0; i < ROWS; i++) /* what all of a group have in common says nothing */
        shifted[i] = target[i] + (float)(group[i] % 7 * 8);
    const struct boost_rows moved = {ROWS, COLUMNS, x, shifted, group};
    struct boost *same = boost_fit(&moved, &config);
    CHECK(error_of(same, x, target) < 0.3f);
    boost_free(same);
    boost_free(one);
}

/* ---- cuts, searched for once more ---- */

enum { FEW = 30, MANY = 600, LEAST = 3, DEPTH = 4 };

/* Rows, the node of a tree that each has come to, and what is told of it */
struct cut_rows {
    size_t n;
    float x[MANY][2], target[MANY], said[MANY];
    int node[MANY];
};

/* Of some rows their targets' sum, and how many */
struct side {
    double sum, n;
};

static double worth(struct side s)
{
    return s.sum * s.sum / (s.n + 1);
}

/* A node's rows on one side of a cut */
static struct side side_of(const struct cut_rows *r, int node, size_t column, int at, int is_right)
{
    struct side s = {0, 0};
    for (size_t i = 0; i < r->n; i++)
        if (r->node[i] == node && (r->x[i][column] > (float)at) == is_right) {
            s.sum += (double)r->target[i];
            s.n++;
        }
    return s;
}

/* Of all cuts between values of a column the one that explains most, and so on in its parts */
static void cut_node(struct cut_rows *r, int node, int depth)
{
    const struct side all = side_of(r, node, 0, -1, 1);
    double most = 0;
    int at = 0;
    size_t column = 0;
    for (int cut = 0; cut < 16 && depth < DEPTH; cut++) {
        const struct side left = side_of(r, node, (size_t)cut / 8, cut % 8, 0),
                          right = side_of(r, node, (size_t)cut / 8, cut % 8, 1);
        const double gain = worth(left) + worth(right) - worth(all);
        if (left.n >= LEAST && right.n >= LEAST && gain > most)
            most = gain, at = cut % 8, column = (size_t)cut / 8;
    }
    for (size_t i = 0; i < r->n; i++)
        if (r->node[i] == node) {
            r->said[i] = (float)(all.sum / (all.n + 1));
            r->node[i] = most > 0 ? 2 * node + (r->x[i][column] > (float)at) : node;
        }
    for (int side = 0; most > 0 && side < 2; side++)
        cut_node(r, 2 * node + side, depth + 1);
}

/* Of few rows a part has no histogram, of many it has one. */
static void cuts_are_the_best(void)
{
    const struct boost_config config = {1, 1, DEPTH, LEAST, 1, 1, 1, 1, 1};
    static struct cut_rows r;
    static float between[MANY][2], said[MANY];
    uint64_t seed = 5;
    for (int round = 0; round < 40; round++) {
        r.n = round % 2 ? MANY : FEW;
        for (size_t i = 0; i < r.n; i++) {
            r.x[i][0] = (float)(num_draw(&seed) % 8);
            r.x[i][1] = (float)(num_draw(&seed) % 4 * 2);
            between[i][0] = r.x[i][0] + 0.4f;
            between[i][1] = r.x[i][1] + 0.9f;
            r.target[i] = (float)(num_draw(&seed) % 64) / 16 - (r.x[i][1] > 3 ? 1 : 0);
            r.node[i] = 1;
        }
        const struct boost_rows rows = {r.n, 2, r.x[0], r.target, NULL};
        struct boost *b = boost_fit(&rows, &config);
        cut_node(&r, 1, 0);
        boost_ask(b, between[0], r.n, said); /* nearer to their own value than to the next */
        for (size_t i = 0; i < r.n; i++)
            CHECK(said[i] - r.said[i] < 1e-4f && r.said[i] - said[i] < 1e-4f);
        boost_free(b);
    }
}

/* Nothing to cut: the same targets, and columns of one value */
static void trees_of_nothing(void)
{
    float x[40] = {0}, target[20], said[20];
    const struct boost_config config = {1, 5, 4, 2, 0.5f, 1, 1, 1, 1};
    for (size_t i = 0; i < 20; i++)
        target[i] = 1;
    const struct boost_rows rows = {20, 2, x, target, NULL};
    struct boost *b = boost_fit(&rows, &config);
    boost_ask(b, x, 20, said);
    CHECK(said[0] > 0.8f && said[0] <= 1 && memcmp(said, said + 1, 19 * sizeof *said) == 0);
    boost_free(b);
}

/* ---- judges by themselves ---- */

enum { TOYS = 20, OF_TOY = 6, TOY_TUPLES = 20, ASKED = 300, TOY_TILES = 4, TOY_FAILS = 4 };

static const char toy_text[] =
    "[kernel]\nname = toy\nrule = unconstrained\n[data]\nformat = timed\n"
    "[fields]\nm = size\n[params]\nTILE = 8 16 32 64\n"
    "PART = 1 2 4 8 16\n[split]\nconfig = m\n[features]\nequals m 64 1\n";

struct toys {
    int32_t problem[TOYS * OF_TOY], failed_problem[TOYS];
    unsigned char target[TOYS * OF_TOY * 2], failed_target[TOYS * 2], part[TOYS * OF_TOY];
    double time[TOYS * OF_TOY];
    struct dataset d;
};

/* The tile of the problem's number, of 0 to 19, by 5 is the best, and the last PART fails. `kept`
   changes what is known of the problems that are kept, and of all if `other`. */
static void make_toys(struct toys *t, int kept, int other)
{
    memset(t, 0, sizeof *t);
    for (int p = 0; p < TOYS; p++) {
        const int is_kept = p % 4 == 1, is_turned = other || (is_kept && kept);
        for (int k = 0, i = p * OF_TOY; k < OF_TOY; k++, i++) {
            const int tile = (p + k) % TOY_TILES, off = abs(tile - p / 5);
            t->problem[i] = 64 + p;
            t->part[i] = is_kept ? HELD_OUT_TEST : 0;
            t->target[2 * i] = (unsigned char)tile;
            t->target[2 * i + 1] = (unsigned char)(k % TOY_FAILS);
            t->time[i] = is_turned ? 40 - 10 * off : 10 + 10 * off;
        }
        t->failed_problem[p] = 64 + p;
        t->failed_target[2 * p] = (unsigned char)(p % TOY_TILES);
        t->failed_target[2 * p + 1] = is_turned ? 0 : TOY_FAILS;
    }
    t->d = (struct dataset){.n = TOYS * OF_TOY,
                            .n_fields = 1,
                            .n_params = 2,
                            .problem = t->problem,
                            .target = t->target,
                            .time_us = t->time,
                            .failed = {TOYS, t->failed_problem, t->failed_target}};
}

/* The marks of the tuples, again and again, for m = 64 + 12, whose best tile is the third */
static void judge_toys(const struct dataset *d, const unsigned char *part,
                       const struct dataset *beside, float *marks)
{
    static const int32_t problem = 64 + 12;
    unsigned char targets[ASKED * 2];
    struct judge_trees trees;
    const struct judge_task task = {.model = model_of(toy_text, "config"),
                                    .data = d,
                                    .part = part,
                                    .beside = beside,
                                    .n_beside = beside != NULL,
                                    .seed = 1,
                                    .n_threads = 2};
    REQUIRE(judge_trees_fit(&trees, &task) == 0);
    for (int i = 0; i < ASKED; i++) {
        targets[2 * i] = (unsigned char)(i % TOY_TILES);
        targets[2 * i + 1] = (unsigned char)(i % TOY_TUPLES / TOY_TILES);
    }
    judge_trees_ask(&trees, &problem, targets, ASKED, marks);
    judge_trees_free(&trees);
}

static void judges_judge(void)
{
    static struct toys toys, beside;
    static float marks[ASKED], same[ASKED];
    make_toys(&toys, 0, 0);
    judge_toys(&toys.d, toys.part, NULL, marks);
    for (int i = 0; i < ASKED; i++)
        CHECK(memcmp(&marks[i], &marks[i % TOY_TUPLES], sizeof *marks) == 0);
    for (int i = 0; i < TOY_TUPLES - TOY_TILES; i++) {
        CHECK(marks[i] >= marks[i / TOY_TILES * TOY_TILES + 2]);
        CHECK(marks[i] + 1 < marks[TOY_TUPLES - TOY_TILES + i % TOY_TILES]);
    }
    make_toys(&toys, 1, 0); /* what is kept teaches nothing */
    judge_toys(&toys.d, toys.part, NULL, same);
    CHECK(memcmp(marks, same, sizeof marks) == 0);
    make_toys(&beside, 0, 1); /* another kernel, and they know which is which */
    judge_toys(&toys.d, toys.part, &beside.d, marks);
    CHECK(memcmp(marks, same, sizeof marks) != 0);
    for (int i = 0; i < TOY_TILES; i++)
        CHECK(i == 2 || marks[i] > marks[2] + 0.4f);
}

/* ---- a judge's table ---- */

/* More than lessons take of a table that was timed, without those that are watched; between them
   others could be made up. */
enum { TAUGHT = 1300, TAUGHT_TUPLES = 3, FIRST = 64, STEP = 3 };

static void count_rows(const struct recipe_rows *rows, size_t *n)
{
    for (size_t i = 0; i < rows->n; i++)
        n[(rows->problem[i] - FIRST) / STEP] += (rows->problem[i] - FIRST) % STEP == 0;
}

static void free_taught(struct recipe_rows *rows)
{
    free(rows->problem);
    free(rows->target);
    free(rows->soft);
    free(rows->octaves);
}

/* All of its problems teach, however many they are, and no others, and only tuples that it has. */
static void a_judged_table_teaches_all(void)
{
    static int32_t problem[TAUGHT * TAUGHT_TUPLES];
    static unsigned char target[TAUGHT * TAUGHT_TUPLES * 2], part[TAUGHT * TAUGHT_TUPLES];
    static double time[TAUGHT * TAUGHT_TUPLES];
    static uint64_t unit[TAUGHT * TAUGHT_TUPLES];
    static size_t rows[TAUGHT];
    const struct model *model = model_of(toy_text, "none");
    struct dataset d = {.n = TAUGHT * TAUGHT_TUPLES, .n_fields = 1, .n_params = 2};
    struct recipe recipe;
    struct recipe_rows train = {0}, watched = {0};
    struct lessons_made made = {&train, &watched, NULL, 0};
    size_t wrong = 0;
    d.problem = problem, d.target = target, d.time_us = time;
    for (size_t i = 0; i < d.n; i++) {
        problem[i] = FIRST + STEP * (int32_t)(i / TAUGHT_TUPLES);
        unit[i] = i / TAUGHT_TUPLES;
        target[2 * i] = (unsigned char)(i % TAUGHT_TUPLES);
        time[i] = 1 + (double)(i % TAUGHT_TUPLES);
    }
    REQUIRE(recipe_from_spec(model->spec, &recipe) == 0);
    const struct lessons_task task = {
        &recipe, {.model = model, .data = &d, .part = part, .seed = 1, .n_threads = 1}, unit, 1};
    const size_t most = lessons_most(&recipe, &d);
    train.problem = xcalloc(most, sizeof *train.problem);
    train.target = xcalloc(most, 2);
    train.soft = xcalloc(most, recipe_width(model) * sizeof *train.soft);
    REQUIRE(lessons_add(&task, &made) == 0 && made.made_up == 0);
    count_rows(&train, rows);
    count_rows(&watched, rows);
    for (size_t i = 0; i < TAUGHT; i++)
        wrong += rows[i] == 0;
    for (size_t i = 0; i < train.n; i++)
        wrong += train.target[2 * i] >= TAUGHT_TUPLES || train.target[2 * i + 1] != 0;
    CHECK_EQ(wrong, 0);
    free_taught(&train);
    free_taught(&watched);
}

/* ---- a solver of its own for each problem, as in a find-db ---- */

enum { SOLVED = 40, SOLVERS = 4, SOLVED_ROWS = 2 * SOLVED * SOLVERS };

static const char solver_text[] =
    "[kernel]\nname = solvers\nrule = unconstrained\n[data]\nformat = timed\n[fields]\n"
    "gpu = gfx906 gfx908\nm = size\n[params]\nsolver = a b c d\n[split]\nconfig = m\n"
    "[features]\nequals m 64 1\n";

/* On the first GPU b is the fastest, the others take twice as long, but d takes eight times as
   long; on the second, which the judges are not to look at, d is the fastest. */
static void make_solved(int32_t problem[][2], unsigned char *target, double *time)
{
    static const double times[2][SOLVERS] = {{20, 10, 20, 80}, {80, 80, 80, 10}};
    for (int i = 0; i < SOLVED_ROWS; i++) {
        problem[i][0] = i / (SOLVED * SOLVERS);
        problem[i][1] = 40 + 2 * (i / SOLVERS % SOLVED);
        target[i] = (unsigned char)(i % SOLVERS);
        time[i] = times[problem[i][0]][i % SOLVERS] * problem[i][1];
    }
}

static void judges_mix(void)
{
    static const int32_t asked[2][2] = {{0, 77}, {1, 77}};
    static int32_t problem[SOLVED_ROWS][2];
    static unsigned char target[SOLVED_ROWS];
    static double time[SOLVED_ROWS];
    struct judge_trees trees;
    make_solved(problem, target, time);
    const struct dataset d = {.n = SOLVED_ROWS,
                              .n_fields = 2,
                              .n_params = 1,
                              .problem = problem[0],
                              .target = target,
                              .time_us = time};
    const struct judge_mix half = {&trees, 0.5, 2, {1}};
    const struct judge_task task = {
        model_of(solver_text, "config"), &d, NULL, NULL, 0, 1, 2, half.gpu, 1};
    REQUIRE(judge_trees_fit(&trees, &task) == 0);
    float p[SOLVERS] = {0.5f, 0.25f, 0.0005f, 0.2495f}, same[SOLVERS];
    memcpy(same, p, sizeof p);
    judge_trees_mix(&half, asked[1], same);
    CHECK(memcmp(same, p, sizeof p) == 0);
    judge_trees_mix(&half, asked[0], p);
    /* roots of 1/2 * 1/4, 1/4 and about 1/4 * 1/64, which keep their sum */
    const double root[SOLVERS] = {sqrt(0.125), 0.5, 0, sqrt(0.2495 / 64)};
    const double sum = root[0] + root[1] + root[3];
    for (int i = 0; i < SOLVERS; i++)
        CHECK(fabs(p[i] - (i == 2 ? 0.0005 : 0.9995 * root[i] / sum)) < 0.02);
    CHECK(fabs(p[0] + p[1] + p[3] - 0.9995) < 1e-6 && fabs(p[2] - 0.0005) < 1e-9);
    judge_trees_free(&trees);
}

/* ---- more rows than judges can learn from ---- */

enum { BULK = 300000, SMALL = 60, OF_SMALL = 4, MOST_ROWS = 120000 };

/* Rows for all tiles of a problem */
static void add_toy_rows(struct dataset *d, int32_t problem, size_t n)
{
    for (size_t k = 0, i = d->n; k < n; k++, i++) {
        d->problem[i] = problem;
        d->target[2 * i] = (unsigned char)(k % TOY_TILES);
        d->target[2 * i + 1] = (unsigned char)(problem % TOY_FAILS);
        d->time_us[i] = 10 + problem % 7 + 10 * abs((int)(k % TOY_TILES) - 2);
    }
    d->n += n;
}

/* They learn from some problems, as if the table had no others. The first has most of the rows and
   is not drawn, so that few are left. */
static void judges_draw(void)
{
    static float marks[ASKED], same[ASKED];
    const size_t n = BULK + SMALL * OF_SMALL;
    const float share = (float)MOST_ROWS / (float)n;
    uint64_t seed = 1; /* that of judge_toys */
    struct dataset d[2];
    for (int k = 0; k < 2; k++)
        d[k] = (struct dataset){.n_fields = 1,
                                .n_params = 2,
                                .problem = new_memory(n, sizeof *d->problem),
                                .target = new_memory(n, 2),
                                .time_us = new_memory(n, sizeof *d->time_us)};
    REQUIRE(num_unit(&seed) >= share);
    add_toy_rows(&d[0], 1000, BULK);
    for (int p = 1; p <= SMALL; p++) {
        add_toy_rows(&d[0], p, OF_SMALL);
        if (num_unit(&seed) < share)
            add_toy_rows(&d[1], p, OF_SMALL);
    }
    judge_toys(&d[0], NULL, NULL, marks);
    judge_toys(&d[1], NULL, NULL, same);
    CHECK(memcmp(marks, same, sizeof marks) == 0 && marks[0] > marks[2]);
}

/* ---- what judges see ---- */

/* SCALE: the trees take marks up to 4096. */
enum { SEEN = 300, SEEN_PARAMS = 3, SEEN_FIELDS = 3, SCALE = 64 };

static const char seen_text[] =
    "[kernel]\nname = seen\n[data]\nformat = timed\n[fields]\ngpu = gfx900_56 gfx906_60\nm = size\n"
    "n = size\n[params]\nTILE = 16 32 48 64\nPART = 1 2 4\nKIND = a b c\n[restrict]\n"
    "m // PART + 3 * TILE <= 9999999\n[formulas]\nslow = m % 97 * n / (TILE - 16)\nnone = 0 * "
    "m\n[judge]\nlm = "
    "log2 m\nramp lm 0 16\n[split]\nconfig = m,n\n"
    "[features]\nequals m 64 1\n";

/* What a mark may depend on, of which one column tells all */
enum sight { TILES, FULL, REST, ALL_TILES, WAVES, POWER_OF_TWO, KIND_B, FORMULA, TERM, N_SIGHTS };

static double see(enum sight which, const int32_t *problem, const unsigned char *target)
{
    const int tile = 16 * (target[0] + 1), part = 1 << target[1], m = problem[1], n = problem[2];
    const int all = (m + tile - 1) / tile * ((n + tile - 1) / tile);
    const int units = problem[0] ? 60 : 56;
    switch (which) {
    case TILES: return (m + tile - 1) / tile;
    case FULL: return (double)m / tile / ((m + tile - 1) / tile);
    case REST: return m % tile;
    case ALL_TILES: return all;
    case WAVES: return ((m + tile - 1) / tile + units - 1) / units;
    case POWER_OF_TWO: return n & -n;
    case KIND_B: return target[2] == 1;
    case FORMULA: return tile > 16 ? (double)(m % 97 * n) / (tile - 16) : 0;
    default: return m / part + 3 * tile;
    }
}

/* Has one of the columns the mark of each row, SCALE times? */
static int sees(const struct judge_inputs *in, const struct judge_row *row)
{
    double *room = new_memory(in->n, sizeof *room);
    float *x = new_memory(in->n_asked * SEEN, sizeof *x);
    int found = 0;
    for (size_t i = 0; i < SEEN; i++)
        judge_inputs_of(in, &row[i], room, x + i * in->n_asked);
    for (size_t c = 0; c < in->n_asked && !found; c++) {
        found = 1;
        for (size_t i = 0; i < SEEN; i++)
            found &= x[i * in->n_asked + c] - SCALE * row[i].mark == 0.0f;
    }
    return found;
}

/* Do they ask for the second formula, which tells nothing? Before both stand fields, parameters,
   the table and the units. */
static int asks_formula(const struct judge_inputs *in)
{
    size_t i = 0;
    while (i < in->n_asked && in->asked[i] != SEEN_FIELDS + SEEN_PARAMS + 3)
        i++;
    return i < in->n_asked;
}

/* Of sizes below 4000, or of powers of two alone: 1, 0, or -1 for a formula that is left out */
static int is_seen(enum sight which, int are_powers)
{
    static int32_t problem[SEEN][SEEN_FIELDS];
    static unsigned char target[SEEN][SEEN_PARAMS];
    static struct judge_row row[SEEN];
    const struct judge_rows rows = {.n = SEEN, .row = row};
    struct judge_inputs in;
    uint64_t seed = 9;
    for (size_t i = 0; i < SEEN; i++) {
        for (size_t f = 0; f < SEEN_FIELDS; f++)
            problem[i][f] = f == 0       ? (int32_t)(num_draw(&seed) % 2)
                            : are_powers ? 1 << num_draw(&seed) % 12
                                         : (int32_t)(num_draw(&seed) % 4000) + 1;
        for (size_t p = 0; p < SEEN_PARAMS; p++)
            target[i][p] = (unsigned char)(num_draw(&seed) % (p ? 3 : 4));
        row[i] = (struct judge_row){problem[i], target[i], 0, (uint32_t)i,
                                    (float)see(which, problem[i], target[i]) / SCALE};
    }
    const int rc = judge_inputs_open(&in, model_of(seen_text, "config"), &rows, 1, 2);
    const int found = rc == 0 && sees(&in, row);
    const int wrong = rc != 0 || !asks_formula(&in);
    judge_inputs_close(&in);
    return wrong ? -1 : found;
}

static void judges_see(void)
{
    static const char *const names[N_SIGHTS] = {"tiles of a size",
                                                "how full the last is",
                                                "what they leave over",
                                                "all tiles",
                                                "waves on the units",
                                                "powers of two",
                                                "a name",
                                                "formulas",
                                                "terms of a condition"};
    for (int which = 0; which < N_SIGHTS; which++)
        CASE(is_seen((enum sight)which, 0) == 1, "judges see %s", names[which]);
    CASE(is_seen(FULL, 1) == 1 && is_seen(REST, 1) == 0,
         "of powers of two no rest of a division tells");
}

/* Of made-up sizes: how many are odd, and how many lie outside a range */
static void made_up_sizes(enum made_up how, int32_t least, int32_t most, int *odd, int *out)
{
    const struct model *model = model_of(seen_text, "config");
    const int32_t known[SEEN_FIELDS] = {0, 1024, 96};
    int32_t made[SEEN_FIELDS];
    uint64_t seed = 3;
    *odd = *out = 0;
    for (int i = 0; i < 2000; i++) {
        make_up_problem(model->spec, how, known, 1, &seed, made);
        *odd += made[1] % 2;
        *out += made[1] < least || made[1] > most;
    }
}

/* Half of 2,000 are changed: one in eight by up to two octaves to the greater, of which half lie
   beyond one, and one in eight of the others by up to two to either side: 62 and 55. */
static void problems_are_made_up(void)
{
    int odd, out;
    made_up_sizes(MADE_UP_NEAR, 704, 1472, &odd, &out); /* half an octave, to the nearest 64 */
    CHECK(odd == 0 && out == 0);
    made_up_sizes(MADE_UP_ANY, 256, 4096, &odd, &out);
    CHECK(odd > 30 && odd < 200 && out == 0);
    made_up_sizes(MADE_UP_ANY, 512, 2048, &odd, &out);
    CHECK(out > 92 && out < 142); /* 117, and two and a half deviations */
}

/* Marks of the same tuple in other problems: the nearest one's, their mean by how near they are,
   and how far the nearest is. Another GPU is 4 octaves away; a weight is 2 to the -2 of octaves. */
static void near_problems_tell(void)
{
    static const int32_t problem[][SEEN_FIELDS] = {{0, 63, 1}, {0, 127, 1}, {1, 63, 1}, {0, 63, 3}};
    static const unsigned char target[][SEEN_PARAMS] = {{0, 0, 0}, {0, 0, 2}, {3, 0, 0}};
    const struct judge_row row[] = {{problem[0], target[0], 0, 0, 9},
                                    {problem[2], target[0], 0, 2, 3},
                                    {problem[1], target[0], 0, 1, 1},
                                    {problem[3], target[1], 0, 3, 7}};
    const struct judge_rows rows = {4, row, 1, 0};
    struct judge_near near;
    double told[JUDGE_NEAR];
    judge_near_open(&near, model_of(seen_text, "config"), &rows);
    judge_near_ask(&near, &row[0], told); /* what it did itself does not count */
    CHECK(told[0] == 1.0 && told[2] == 1.0);
    CHECK(fabs(told[1] - (1.0 / 4 + 3.0 / 256) / (1.0 / 4 + 1.0 / 256)) < 1e-6);
    const struct judge_row other = {problem[0], target[1], 0, 0, 0};
    judge_near_ask(&near, &other, told);
    CHECK(told[0] == 7.0 && told[1] == 7.0 && told[2] == 1.0);
    const struct judge_row unknown = {problem[0], target[2], 0, 0, 0};
    judge_near_ask(&near, &unknown, told);
    CHECK(told[0] == -1.0 && told[1] == -1.0 && told[2] > 32);
    judge_near_close(&near);
}

/* As many octaves as it is slower, and less and less of them */
static void marks_end(void)
{
    CHECK(judge_mark(0) == 0.0 && fabs(judge_mark(0.01) - 0.01) < 1e-4);
    CHECK(fabs(judge_mark(2) - 1 / log(2)) < 1e-4 && fabs(judge_mark(40) - 2 / log(2)) < 1e-4);
}

/* ---- what a formula of the author's is worth ---- */

enum { LINES = 24, OF_LINE = 30, ASKED_LINES = 80, LINE_TUPLES = 5 * 4 * 4 };

static const char line_text[] =
    "[kernel]\nname = lines\n[data]\nformat = timed\n[fields]\ncols = size\n[params]\n"
    "block = 96 160 224 352 416\nrows = 1 2 4 8\nvec = 1 3 5 7\n[split]\nconfig = cols\n"
    "[features]\nequals cols 64 1\n";

static void line_tuple(size_t i, unsigned char *target)
{
    target[0] = (unsigned char)(i / 16 % 5);
    target[1] = (unsigned char)(i / 4 % 4);
    target[2] = (unsigned char)(i % 4);
}

/* Threads read a line in turns; those that read nothing in the last one are idle. No product or
   remainder of two numbers tells how many. */
static double line_time(int32_t cols, const unsigned char *target)
{
    static const int block[] = {96, 160, 224, 352, 416}, vec[] = {1, 3, 5, 7};
    const int turn = (block[target[0]] >> target[1]) * vec[target[2]] + 5;
    return 10 + 20.0 * ((turn - cols % turn) % turn) / turn;
}

static void make_lines(struct dataset *d)
{
    const size_t n = LINES * OF_LINE;
    uint64_t seed = 4;
    *d = (struct dataset){.n = n,
                          .n_fields = 1,
                          .n_params = 3,
                          .problem = new_memory(n, sizeof *d->problem),
                          .target = new_memory(n, 3),
                          .time_us = new_memory(n, sizeof *d->time_us)};
    for (size_t i = 0; i < n; i++) {
        const int32_t drawn = 200 + (int32_t)(num_draw(&seed) % 8000);
        d->problem[i] = i % OF_LINE ? d->problem[i - 1] : drawn;
        line_tuple(7 * i + i / OF_LINE, d->target + 3 * i);
        d->time_us[i] = line_time(d->problem[i], d->target + 3 * i);
    }
}

/* The share that the judges' first of all tuples reaches */
static double line_share(const struct judge_trees *trees, int32_t cols)
{
    unsigned char target[LINE_TUPLES][3];
    float marks[LINE_TUPLES];
    double best = HUGE_VAL;
    int first = 0;
    for (size_t t = 0; t < LINE_TUPLES; t++) {
        line_tuple(t, target[t]);
        best = fmin(best, line_time(cols, target[t]));
    }
    judge_trees_ask(trees, &cols, target[0], LINE_TUPLES, marks);
    for (int t = 0; t < LINE_TUPLES; t++)
        first = marks[t] < marks[first] ? t : first;
    return best / line_time(cols, target[first]);
}

/* Its mean for sizes that the table has not */
static double share_of_lines(const char *text, const struct dataset *d)
{
    struct judge_trees trees;
    double sum = 0;
    const struct judge_task task = {
        .model = model_of(text, "config"), .data = d, .seed = 1, .n_threads = 2};
    if (judge_trees_fit(&trees, &task))
        return 0;
    for (int32_t i = 0; i < ASKED_LINES; i++)
        sum += line_share(&trees, 211 + 97 * i) / ASKED_LINES;
    judge_trees_free(&trees);
    return sum;
}

static void formulas_teach(void)
{
    struct buf *with = new_text();
    struct dataset d;
    make_lines(&d);
    buf_printf(with, "%s[formulas]\nturn = block / rows * vec + 5\nidle = -cols %% turn / turn\n",
               line_text);
    const double without = share_of_lines(line_text, &d), share = share_of_lines(with->s, &d);
    CHECK(share > 0.98 && share > without + 0.05);
}

/* ---- figures of shares ---- */

enum { UNITS = 61, OF_EACH = 2 };

/* What the split keeps together says the same: only units count for the error. */
static void shares_have_figures(void)
{
    struct eval_row row[UNITS * OF_EACH];
    struct outcome out[UNITS * OF_EACH];
    const struct eval e = {.row = row};
    memset(out, 0, sizeof out);
    for (size_t i = 0; i < UNITS * OF_EACH; i++) {
        row[i].unit = i / OF_EACH;
        out[i].share = exp2(-(double)(i / OF_EACH * 7 % UNITS) / 64);
    }
    const struct eval_shares s = eval_shares_of(&e, out, 0, UNITS * OF_EACH);
    const double squares = (UNITS * UNITS - 1) * UNITS / 12.0; /* of 0, 1, ... from their mean */
    CHECK(fabs(s.share - exp2(-(UNITS - 1) / 128.0)) < 1e-9);
    CHECK(fabs(s.se - s.share * log(2) / 64 * sqrt(squares) / UNITS) < 1e-9);
    CHECK(fabs(s.p1 - exp2(-60 / 64.0)) < 1e-9 && fabs(s.p5 - exp2(-57 / 64.0)) < 1e-9);
}

int main(void)
{
    RUN_ALL(trees_learn, trees_of_nothing, cuts_are_the_best, judges_judge, judges_mix, judges_draw,
            a_judged_table_teaches_all);
    judges_see();
    RUN_ALL(problems_are_made_up, formulas_teach, near_problems_tell, marks_end,
            shares_have_figures);
    return test_end();
}
