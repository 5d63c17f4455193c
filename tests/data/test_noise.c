/* test_noise.c - what a table of times says of itself: the noise of repeats, times that cannot all
   be right, and the share that noise leaves
   SPDX-License-Identifier: MIT */
#include "harness/program.h"

#include <math.h>

enum { PROBLEMS = 24, TUPLES = 64 };
#define SPEC                                                                            \
    "[kernel]\nname = noisy\n[data]\nformat = timed\n[fields]\ngpu = g1 g2\nn = size\n" \
    "[params]\na = 0 1 2 3 4 5 6 7\nb = 0 1 2 3 4 5 6 7\n[split]\nconfig = n\nshipped = config\n"
#define INGEST "kpred-train ingest noisy.spec --data "

/* ---- tables ---- */

static uint64_t seed;

/* Nearly normal, variance 1 */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(test_random64(&seed) >> 11) / (double)(UINT64_C(1) << 53);
    return sum;
}

/* In octaves, without noise */
static double truth(int problem, int tuple)
{
    const int at = problem * 5 % 29 + 7;
    return 0.004 * fabs((double)(tuple - at));
}

static void add_row(struct buf *b, const char *gpu, int problem, int tuple, double us)
{
    buf_printf(b, "%s,%d,%d,%d,%.9g\n", gpu, 100 + problem, tuple / 8, tuple % 8, us);
}

/* A file of tuples first..end-1 of all problems, with so many runs of each */
static void put_table(const char *path, int first, int end, int runs, double octaves, double times)
{
    struct buf *b = new_text();
    buf_puts(b, "gpu,n,a,b,time_us\n");
    for (int p = 0; p < PROBLEMS; p++)
        for (int t = first; t < end; t++)
            for (int i = 0; i < runs; i++)
                add_row(b, "g1", p, t, times * exp2(truth(p, t) + octaves * noise()));
    put_text(path, "%s", b->s);
}

static int says(const char *text)
{
    return has(program.err.s, text);
}

/* ---- noise ---- */

/* The percent behind these words, or -1 */
static double told_after(const char *words)
{
    const char *at = program.err.s != NULL ? strstr(program.err.s, words) : NULL;
    return at != NULL ? strtod(at + strlen(words), NULL) : -1;
}

static void repeats_tell_noise(void)
{
    put_table("runs.csv", 0, TUPLES, 3, 0.05, 1);
    CHECK(WORKS(INGEST "runs.csv -o out.csv --force"));
    const double run = told_after("scatters by "),
                 left = told_after("what counts of all options by ");
    CHECK(run > 3.2 && run < 3.9);   /* 2^0.05 is 3.5 % more */
    CHECK(left > 2.0 && left < 2.7); /* the median of three: by a third less */
    put_table("once.csv", 0, TUPLES, 1, 0.05, 1);
    CHECK(WORKS(INGEST "once.csv -o out.csv --force") && !says("noise"));
}

static void missing_fields_are_asked_for(void)
{
    put_table("far.csv", 0, TUPLES, 2, 0.5, 1);
    CHECK(WORKS(INGEST "far.csv -o out.csv --force") && says("is a field missing"));
}

/* Of two runs far apart the faster counts, and both lines are told. */
static void far_repeats_are_told(void)
{
    put_text("two.csv", "gpu,n,a,b,time_us\ng1,100,0,0,5\ng1,100,0,1,7\ng1,100,0,0,50\n");
    CHECK(WORKS(INGEST "two.csv --csv"));
    CHECK(says("two.csv:4: time_us: value \"50\"") && says("took 5 in two.csv:2"));
    CHECK(says("is 1 of 1 that were timed again"));
    CHECK(strstr(program.out.s, "g1,100,0,0,5\n") != NULL);
}

/* ---- contradictions ---- */

static void scales_are_refused(void)
{
    put_table("us.csv", 0, 32, 1, 0.05, 1000);
    put_table("ms.csv", 32, 64, 1, 0.05, 1);
    CHECK(RAN(INGEST "us.csv ms.csv -o out.csv --force") == 1);
    CHECK(says("us.csv:2: time_us: ") && says("from ms.csv:2 on") && says("in another unit?"));
    CHECK(WORKS(INGEST "us.csv ms.csv --lenient -o out.csv --force") && says("in another unit?"));
    put_table("ms.csv", 32, 64, 1, 0.05, 20);
    CHECK(WORKS(INGEST "us.csv ms.csv -o out.csv --force") && !says("in another unit?"));
}

/* In one file it may be so, and is told: rows 1..32 of the problem are in another unit. */
static void scales_are_told(void)
{
    struct buf *b = new_text();
    buf_puts(b, "gpu,n,a,b,time_us\n");
    for (int t = 0; t < TUPLES; t++)
        add_row(b, "g1", 0, t, (t < 32 ? 1 : 1000) * exp2(truth(0, t)));
    put_text("mixed.csv", "%s", b->s);
    CHECK(WORKS(INGEST "mixed.csv -o out.csv --force") && says("mixed.csv:34: time_us: "));
}

static void put_copy(int first_own)
{
    struct buf *b = new_text();
    buf_puts(b, "gpu,n,a,b,time_us\n");
    for (int g = 0; g < 2; g++)
        for (int t = 0; t < TUPLES; t++)
            add_row(b, g ? "g2" : "g1", 0, t, exp2(truth(0, t)) + (t < first_own ? 0 : 0.01 * g));
    put_text("gpus.csv", "%s", b->s);
}

static void copies_are_told(void)
{
    put_copy(TUPLES);
    CHECK(WORKS(INGEST "gpus.csv -o out.csv --force"));
    CHECK(says("gpu: value \"g2\": all 64 times are those of \"g1\""));
    put_copy(TUPLES - 1);
    CHECK(WORKS(INGEST "gpus.csv -o out.csv --force") && !says("is it a copy"));
}

/* ---- the ceiling ---- */

/* What who knew the truth would get of a table of so much noise, in the mean of many */
static double true_ceiling(double octaves)
{
    enum { DRAWS = 2000 };
    double sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        double best = 0, least = INFINITY, looks_least = INFINITY;
        for (int t = 0; t < TUPLES; t++) {
            const double is = truth(i % PROBLEMS, t), looks = is + octaves * noise();
            looks_least = looks < looks_least ? looks : looks_least;
            best = is < least ? looks : best;
            least = is < least ? is : least;
        }
        sum += looks_least - best;
    }
    return exp2(sum / DRAWS);
}

/* The cell of that column in a line of `eval --csv` */
static const char *ceiling_in(const char *line)
{
    for (int comma = 0; comma < 15; comma++)
        line = strchr(line, ',') + 1;
    return line;
}

static void the_ceiling_is_near_the_truth(void)
{
    const double octaves = 0.1 * sqrt(0.449); /* of the median of three */
    put_table("runs.csv", 0, TUPLES, 3, 0.1, 1);
    CHECK(WORKS("kpred-train train noisy.spec --data runs.csv --split none --epochs 1 -o noisy.h"));
    CHECK(WORKS("kpred-train eval noisy.h --data runs.csv --rows all --by all -k 1,4 --csv"));
    char *line = strchr(program.out.s, '\n') + 1, *end = strchr(line, '\n');
    CHECK(end[1] != '\0' && *ceiling_in(end + 1) == ','); /* none at k = 4 */
    const double told = strtod(ceiling_in(line), NULL), is = true_ceiling(octaves);
    CHECK(is < 0.95 && fabs(told - is) < 0.022);
}

int main(void)
{
    program_begin();
    put_text("noisy.spec", SPEC);
    RUN(repeats_tell_noise);
    RUN(missing_fields_are_asked_for);
    RUN(far_repeats_are_told);
    RUN(scales_are_refused);
    RUN(scales_are_told);
    RUN(copies_are_told);
    RUN(the_ceiling_is_near_the_truth);
    return program_end();
}
