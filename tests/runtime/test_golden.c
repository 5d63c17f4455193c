/* test_golden.c - golden predictions: problems and what the shipped models answered to them
   SPDX-License-Identifier: MIT

       test_golden [FILE]           compares with the file (default: tests/fixtures/golden.csv)
       test_golden --print [FILE]   prints the file's problems with what the models answer now

   To renew the file after the weights changed:

       cc -std=c99 -I. -Itests tests/runtime/test_golden.c -o build/test_golden
       build/test_golden --print >golden.new && mv golden.new tests/fixtures/golden.csv

   A line holds a model, a problem (fields separated by blanks, tokens by name), and of the best
   tuple that beam 10 finds the score and the values. */
#define KPRED_IMPLEMENTATION
#include "golden.h"
#include "model/shipped.h"

#include "harness/test.h"

#include <inttypes.h>
#include <string.h>

enum { BEAM = 10, ARENA_WORDS = 1 << 13, MOST_LINE = GOLDEN_LINE };

static const char *path = GOLDEN;

/* The best tuple for a problem, as a line has it: SCORE,VALUE VALUE ... */
static void write_answer(const kpred_model *m, const int32_t *problem, char *out, size_t size)
{
    static int32_t arena[ARENA_WORDS];
    kpred_tuple best;
    kpred_ctx ctx;
    size_t n;
    kpred_status status = kpred_init(&ctx, KPRED_VERSION, m, BEAM, arena, ARENA_WORDS);
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

static int print(void)
{
    char line[MOST_LINE], now[MOST_LINE];
    FILE *f = open_file(line);
    fputs(line, stdout);
    while (fgets(line, sizeof line, f)) {
        char *answer = read_line(line, now, sizeof now);
        if (!answer) {
            fprintf(stderr, "%s: %s: no line of its form\n", path, line);
            return 1;
        }
        printf("%.*s%s\n", (int)(answer - line), line, now);
    }
    fclose(f);
    return fflush(stdout) || ferror(stdout);
}

/* The lines of one model, of which there are a few dozen */
static void check_model(const kpred_model *m)
{
    char line[MOST_LINE], now[MOST_LINE];
    FILE *f = open_file(line);
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        if (golden_model(line) == m) {
            char *answer = read_line(line, now, sizeof now);
            n++;
            CHECK(answer);
            if (answer && strcmp(answer, now))
                test_fail(path, n, line), printf("  now %s\n", now);
        }
    }
    fclose(f);
    CHECK(n >= 24);
}

SHIPPED(GOLDEN_TEST)

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
    if (argc > 1 + prints)
        path = argv[1 + prints];
    if (prints)
        return print();
    SHIPPED(GOLDEN_RUN)
    RUN(no_other_lines);
    return test_end();
}
