/* test_golden.c - golden predictions: problems and what the shipped models answered to them
   SPDX-License-Identifier: MIT

       test_golden [FILE]           compares with the file (default: tests/fixtures/golden.csv)
       test_golden --print [FILE]   prints the file's problems with what the models answer now

   `make renew` writes the file again after the weights changed, and draws problems for a model of
   which it has none.

   A line holds a model, a problem (fields separated by blanks, tokens by name), and of the best
   tuple that beam 10 finds the score and the values.

   Without a FILE it is also shown that the shipped rules look ahead: their answers for these
   problems are compared with enumeration. A rule of kpred_constraints.h judges only the newest
   value, so what it accepts is walked to the end: each prefix has to lead to a tuple. (What it
   rejects is held to a second statement by tests/rules/test_rules.c.) Rules by lists and names
   judge all values together, so there every prefix of every tuple is asked, accepted or not. */
#ifndef MODELS_APART /* else the tools have the definitions */
#define KPRED_IMPLEMENTATION
#endif
#include "model/shipped.h"

#include "harness/test.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BEAM = 10, ARENA_WORDS = 1 << 13, MOST_LINE = 512, LEAST_LINES = 24 };

static const char *path = "tests/fixtures/golden.csv";
static int looks_ahead;

#define MODEL(name, NAME) &kpred_model_##name,
static const kpred_model *const golden_models[] = {SHIPPED(MODEL)};
#undef MODEL

/* The model that a line begins with, or NULL */
static inline const kpred_model *golden_model(const char *line)
{
    const size_t n = strcspn(line, ",");
    for (size_t i = 0; i < COUNT(golden_models); i++)
        if (strlen(golden_models[i]->name) == n && !strncmp(golden_models[i]->name, line, n))
            return golden_models[i];
    return NULL;
}

/* Fields from text that ends with a comma; 0 if it is not as the model wants it. */
static inline int golden_problem(const kpred_model *m, const char *text, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const size_t n = strcspn(text, " ,");
        char word[64];
        if (n == 0 || n >= sizeof word || (text[n] == ',') != (f + 1 == m->n_fields))
            return 0;
        memcpy(word, text, n);
        word[n] = 0;
        problem[f] = m->fields[f].tokens ? kpred_token(m, f, word) : (int32_t)atol(word);
        text += n + 1;
    }
    return 1;
}

/* The best tuple for a problem, as a line has it: SCORE,VALUE VALUE ... */
static void write_answer(const kpred_model *m, const int32_t *problem, char *out, size_t size)
{
    static int32_t arena[ARENA_WORDS];
    kpred_tuple best;
    kpred_ctx ctx;
    size_t n;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, BEAM, arena, ARENA_WORDS);
    kpred_touch(&ctx);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, m->n_fields, &best, 1, &n);
    if (status != KPRED_OK) {
        snprintf(out, size, "%s", kpred_status_string(status));
        return;
    }
    size_t at = (size_t)snprintf(out, size, "%" PRId32 ",", best.score);
    for (uint32_t t = 0; t < m->n_params && at < size; t++)
        at += (size_t)snprintf(out + at, size - at, "%s%" PRId32, t ? " " : "", best.value[t]);
}

/* Where the answer of a line begins, its end cut off; `now` gets what it is today. NULL: no line of
   the file's form. */
static char *read_line(char *line, char *now, size_t size)
{
    const kpred_model *m = golden_model(line);
    char *problem = strchr(line, ','), *answer = problem ? strchr(problem + 1, ',') : NULL;
    int32_t fields[KPRED_MAX_FIELDS];
    line[strcspn(line, "\n")] = 0;
    if (!m || !answer || !golden_problem(m, problem + 1, fields))
        return NULL;
    write_answer(m, fields, now, size);
    return answer + 1;
}

static FILE *open_file(char *heading)
{
    FILE *f = fopen(path, "r");
    if (f && fgets(heading, MOST_LINE, f))
        return f;
    fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
}

/* A problem within the ranges trained on; sizes are mostly a power of two times 1, 3, 5 or 7 */
static void draw_problem(const kpred_model *m, uint64_t *seed, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = m->fields + f;
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t x = (uint32_t)(*seed >> 33);
        const int32_t span = field->trained_max - field->trained_min + 1;
        const int32_t size = (int32_t)((1 + 2 * (x & 3)) << (x >> 2 & 15));
        problem[f] = field->tokens ? (int32_t)(x % (uint32_t)field->n_tokens)
                     : size < field->trained_min || size > field->trained_max
                         ? field->trained_min + (int32_t)(x % (uint32_t)span)
                         : size;
    }
}

/* Lines of a model that the file does not know */
static void print_drawn(const kpred_model *m)
{
    char now[MOST_LINE];
    int32_t problem[KPRED_MAX_FIELDS];
    uint64_t seed = 1;
    for (int n = 0; n < LEAST_LINES; n++) {
        int tries = 0;
        do
            draw_problem(m, &seed, problem);
        while (m->rule && !m->rule(problem, problem, 0) && ++tries < 1000000);
        write_answer(m, problem, now, sizeof now);
        printf("%s", m->name);
        for (uint32_t f = 0; f < m->n_fields; f++) {
            printf("%c", f ? ' ' : ',');
            if (m->fields[f].tokens)
                printf("%s", m->fields[f].tokens[problem[f]]);
            else
                printf("%" PRId32, problem[f]);
        }
        printf(",%s\n", now);
    }
}

static int print(void)
{
    char line[MOST_LINE], now[MOST_LINE];
    int known[COUNT(golden_models)] = {0};
    FILE *f = open_file(line);
    fputs(line, stdout);
    while (fgets(line, sizeof line, f)) {
        for (size_t i = 0; i < COUNT(golden_models); i++)
            known[i] |= golden_model(line) == golden_models[i];
        char *answer = read_line(line, now, sizeof now);
        if (!answer) {
            fprintf(stderr, "%s: %s: no line of its form\n", path, line);
            return 1;
        }
        printf("%.*s%s\n", (int)(answer - line), line, now);
    }
    fclose(f);
    for (size_t i = 0; i < COUNT(golden_models); i++)
        if (!known[i])
            print_drawn(golden_models[i]);
    return fflush(stdout) || ferror(stdout);
}

/* ---- look-ahead ---- */

static struct {
    const kpred_model *model;
    int32_t problem[KPRED_MAX_FIELDS], values[KPRED_MAX_TUPLE];
    long prefixes, tuples, dead, missed;
} at;

static int accepts(size_t n)
{
    return at.model->rule(at.problem, at.values, n);
}

/* How many legal tuples begin with the first n values, which are accepted */
static long walk(size_t n)
{
    const kpred_param *p = &at.model->params[n];
    long found = n == at.model->n_params;
    for (int32_t v = 0; n < at.model->n_params && v < p->n_values; v++) {
        at.values[n] = p->values[v];
        if (accepts(n + 1))
            found += walk(n + 1);
    }
    at.prefixes++;
    at.dead += found == 0;
    return found;
}

/* How many tuples that begin with the first n values are legal, as the rule says of whole tuples;
   what it says of the n values has to agree. */
static long enumerate(size_t n)
{
    const kpred_param *p = &at.model->params[n];
    const int accepted = accepts(n);
    long found = n == at.model->n_params && accepted;
    for (int32_t v = 0; n < at.model->n_params && v < p->n_values; v++) {
        at.values[n] = p->values[v];
        found += enumerate(n + 1);
    }
    at.prefixes++;
    at.dead += accepted && found == 0;
    at.missed += !accepted && found > 0;
    return found;
}

static int judges_all_together(const kpred_model *m)
{
    return m->names || !strncmp(m->rule_name, "listed", 6);
}

static void look_at(const char *line)
{
    CHECK(golden_problem(at.model, strchr(line, ',') + 1, at.problem));
    CHECK(accepts(0));
    at.tuples += judges_all_together(at.model) ? enumerate(0) : walk(0);
}

/* ---- tests ---- */

/* The lines of one model, of which there are a few dozen; without a rule nothing is a dead end. */
static void check_model(const kpred_model *m)
{
    char line[MOST_LINE], now[MOST_LINE];
    FILE *f = open_file(line);
    int n = 0;
    memset(&at, 0, sizeof at);
    at.model = m;
    while (fgets(line, sizeof line, f)) {
        if (golden_model(line) != m)
            continue;
        if (looks_ahead && m->rule)
            look_at(line);
        char *answer = read_line(line, now, sizeof now);
        n++;
        CHECK(answer);
        if (answer && strcmp(answer, now))
            test_fail(path, n, line), printf("  now %s\n", now);
    }
    fclose(f);
    CHECK(n >= LEAST_LINES && (!looks_ahead || !m->rule || at.tuples >= n));
    CHECK_EQ(at.dead, 0);
    CHECK_EQ(at.missed, 0);
    if (looks_ahead)
        printf("%s: %d problems, %ld tuples, %ld prefixes\n", m->name, n, at.tuples, at.prefixes);
}

#define TEST(name, NAME)                  \
    static void name(void)                \
    {                                     \
        check_model(&kpred_model_##name); \
    }
SHIPPED(TEST)
#undef TEST

static void no_other_lines(void)
{
    char line[MOST_LINE];
    FILE *f = open_file(line);
    CHECK(!strcmp(line, "model,problem,score,values\n"));
    while (fgets(line, sizeof line, f))
        CHECK(golden_model(line));
    fclose(f);
}

int main(int argc, char **argv)
{
    const int prints = argc > 1 && !strcmp(argv[1], "--print");
    looks_ahead = argc == 1;
    if (argc > 1 + prints)
        path = argv[1 + prints];
    if (prints)
        return print();
#define TEST(name, NAME) RUN(name);
    SHIPPED(TEST)
    RUN(no_other_lines);
    return test_end();
}
