/* test_select.c - examples/hip_select.c on the stand-in for HIP, which does what the kernel does
   SPDX-License-Identifier: MIT

   With arguments it is the example, on the device of the script that the first one names; a launch
   takes a time that is a formula of it. */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
int hip_select_main(int argc, char **argv);
#define main    hip_select_main
#define text_of text_of_tuple
#include "examples/hip_select.c"
#undef main
#undef text_of
#include "weights/conv_asm_1x1u.h" /* of which the runner is to know */

#include "harness/cases.h"

#include <math.h>

/* ---- the example ---- */

static const char *script = "";

static int is(const char *name)
{
    return strcmp(script, name) == 0;
}

/* The first two launches of a cold device load code. */
static double time_of(unsigned each, unsigned threads)
{
    const int is_cold = is("cold") && standin.calls[STANDIN_launch] <= 2;
    return 100 + 6.0 * each + threads / 16 + (is_cold ? 90e3 : 0);
}

/* A wrong one does nothing where a group has 64 threads. */
static double kernel(unsigned groups, unsigned threads, void **arguments)
{
    const float *const *first_array = (const float *const *)arguments[0];
    const float *const *second_array = (const float *const *)arguments[1];
    float *const *sum = (float *const *)arguments[2];
    const unsigned n = *(const unsigned *)arguments[3], each = *(const unsigned *)arguments[4];
    const int is_wrong = is("wrong") && threads == 64;
    for (unsigned i = 0; i < n && i < groups * threads * each && !is_wrong; i++)
        (*sum)[i] = (*first_array)[i] + (*second_array)[i];
    return time_of(each, threads);
}

/* The third launch is the first one of the candidate that is ranked second. */
static int be_the_example(int argc, char **argv)
{
    script = argv[0];
    standin = standin_fresh;
    standin.heap = 1;
    standin.kernel = is("kernel") ? NULL : kernel;
    standin.devices = !is("device");
    standin.fail_at[STANDIN_launch] = is("failed") || is("sticky") ? 3 : 0;
    standin.fail_code[STANDIN_launch] =
        is("sticky") ? hipErrorIllegalAddress : hipErrorInvalidConfiguration;
    const int status = hip_select_main(argc, argv);
    printf("%d events, %d launches, %d left, %d misused\n", standin.calls[STANDIN_hipEventCreate],
           standin.calls[STANDIN_launch], standin.live_events + standin.live_buffers,
           standin.misuse);
    return status;
}

/* ---- what it prints ---- */

#define RANK "^ *[1-8] +[0-9]+[.][0-9]{2}  [0-9]+(,[0-9]+){7}" /* of a line of the table */

static const char *self;

/* Two problems were timed, with eight pairs of events and one each; the third request is the first
   one again. */
static int is_timed(void)
{
    char winner[64] = "";
    const char *line = strstr(program.out.s, "\nwinner: rank ");
    return program.status == 0 && program.err.n == 0
           && lines_like(program.out.s, RANK " .* winner$") == 2 && line != NULL
           && sscanf(line, " winner: rank %*d, %63[0-9,];", winner) == 1
           && has_line(program.out.s, say("cached: %s", winner))
           && lines_like(program.out.s, "^34 events, [0-9]+ launches, 0 left, 0 misused$") == 1;
}

/* The rankings alone, and three times the reason */
static int is_untimed(const char *reason)
{
    return program.status == 0 && program.err.n == 0 && lines_like(program.out.s, RANK "$") == 24
           && count_of(program.out.s, say("no timings: %s\n", reason)) == 3
           && has_line(program.out.s, "0 events, 0 launches, 0 left, 0 misused");
}

/* Is the line of the table by the formula? The tuple, and what it takes */
static int is_right(const char *line, char *tuple, double *us)
{
    double least, mad;
    int v[8], launches;
    if (sscanf(line, "%*d %*f %63[0-9,] %lf %lf %lf %d", tuple, us, &least, &mad, &launches) != 5
        || sscanf(tuple, "%d,%d,%d,%d,%d,%d,%d,%d", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
                  &v[7])
               != 8)
        return 0;
    const unsigned wanted = 64 * (unsigned)(v[6] * v[7]);
    const double is =
        time_of((unsigned)(v[0] * v[4]), wanted < MOST_THREADS ? wanted : MOST_THREADS);
    return fabs(*us - is) < 0.01 && fabs(least - is) < 0.01 && mad < 0.01 && launches >= 2;
}

/* The times are those of the formula, and the winner is the first of the fastest. */
static void formula(void)
{
    char tuple[64], best[64] = "";
    double least = 0, us = 0;
    int tables = 0;
    for (char *at = new_copy(program.out.s), *line; (line = next_line(&at)) != NULL;)
        if (lines_like(line, RANK) == 1) {
            CHECK_RAN(is_right(line, tuple, &us), line);
            if (least <= 0 || us < least)
                least = us, strcpy(best, tuple);
        } else if (begins(line, "winner: ")) {
            CHECK_RAN(has(line, say(", %s; ", best)), line);
            least = 0;
            tables++;
        }
    RAN_CHECK(tables == 2);
    /* The slowest are dropped after two launches, others race on. */
    RAN_CHECK(lines_like(program.out.s, RANK " .* 2  slower$") > 0);
    RAN_CHECK(lines_like(program.out.s, RANK " .* [3-9]  slower$") > 0);
}

/* Ends with that status and, at the end of what it complains of, this */
static void fails(const char *name, const char *arguments, int status, const char *text)
{
    RAN("%s %s", self, arguments);
    RAN_CASE(program.status == status && is_like(program.err.s, say("%s.*", text)), name);
}

/* A line without a tuple, with a tuple that is not legal there, and with a word */
static void refused_caches(void)
{
    static const char *const lines[] = {"1 0 0 16", "1 0 0 16 64 28 28 128 1 0 0 0 0 0 0 0 0",
                                        "1 0 0 16 64 28 28 128 1 x"};
    char head[512];
    RAN("%s none any.co cache", self);
    RAN_CASE(is_timed(), "a cache is written");
    snprintf(head, sizeof head, "%.*s", (int)strcspn(text_of("cache"), "\n"), text_of("cache"));
    RAN("%s none any.co cache", self);
    RAN_CASE(program.status == 0 && count_of(program.out.s, "cached: ") == 3
                 && has_line(program.out.s, "0 events, 3 launches, 0 left, 0 misused"),
             "a cache is used");
    for (int i = 0; i < 3; i++) {
        put_text("bad", "%s\n%s\n", head, lines[i]);
        fails(lines[i], "none any.co bad", 1, say("hip_select: bad:2: .*: %s", lines[i]));
    }
    put_text("bad", "%s\n1 0", head);
    fails("a line that was cut", "none any.co bad", 1, "hip_select: bad:2: ");
    fails("no folder", "none any.co no/cache", 1, "hip_select: no/cache: ");
}

/* The first problem's winner beat nobody, so it races again, and only then is it kept. */
static void a_cold_device(void)
{
    RAN("%s cold any.co warm cold.csv", self);
    RAN_CASE(program.status == 0 && count_of(program.out.s, "winner: ") == 3
                 && count_of(program.out.s, "cached: ") == 0
                 && lines_like(text_of("warm"), "^[0-9]") == 2,
             "a winner that beat nobody is not remembered");
    RAN_CASE(lines_like(text_of("cold.csv"), "^gfx906_60,.*,[0-9]{3,4}[.][0-9]+$") == 16,
             "the time of a warm-up is no row");
}

/* The second time the table is as before, and 16 rows more; another device's is left alone. */
static void tables(void)
{
    RAN("%s wrong any.co - times.csv", self);
    char *first = new_copy(text_of("times.csv"));
    RAN_CASE(is_timed() && begins(first, "# kpred-train tune: conv_asm_1x1u\n# device: ")
                 && lines_like(first, "^gfx906_60,.*,[0-9.]+$") + lines_like(first, ",failed$")
                        == 16
                 && lines_like(first, ",failed$") > 0,
             "a table of the times");
    RAN("%s none any.co - times.csv", self);
    RAN_CASE(is_timed() && begins(text_of("times.csv"), first)
                 && lines_like(text_of("times.csv"), "^gfx906_60,") == 32,
             "the table goes on");
    put_text("other.csv", "# kpred-train tune: conv_asm_1x1u\n# device: other\n");
    fails("a table of another device", "none any.co - other.csv", 1,
          "race_rows: other.csv: begins with another kernel, device, driver or library");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return be_the_example(argc - 1, argv + 1);
    program_begin();
    self = *argv[0] == '/' ? argv[0] : in_root(argv[0]);
    put_text("any.co", "any\n");
    put_text("empty.co", "%s", "");
    RAN("%s none any.co", self);
    RAN_CASE(is_timed(), "timed, then cached");
    RUN(formula);
    RAN("%s none", self);
    RAN_CASE(is_untimed("no code object was given"), "no code object");
    RAN("%s device any.co", self);
    RAN_CASE(is_untimed("hipErrorNoDevice"), "no device");
    RAN("%s wrong any.co", self);
    RAN_CASE(is_timed() && lines_like(program.out.s, RANK " +- +- +- +1  wrong$") > 0,
             "a wrong candidate");
    RAN("%s failed any.co", self);
    RAN_CASE(
        is_timed()
            && lines_like(program.out.s, RANK " +- +- +- +1  failed: hipErrorInvalidConfiguration$")
                   > 0,
        "a candidate that fails");
    fails("a lost context", "sticky any.co", 1, "hip_select: the context is lost .*: hip");
    fails("no such file", "none none.co", 1, "hip_select: none.co: hipErrorFileNotFound");
    fails("no code object in it", "none empty.co", 1, "hip_select: empty.co: hipErrorInvalidImage");
    fails("no kernel in it", "kernel any.co", 1, "hip_select: kernel \"add\": hipErrorNotFound");
    fails("usage", "none any.co any.co any.co any.co", 2, "usage: ");
    refused_caches();
    RUN(a_cold_device);
    RUN(tables);
    return program_end();
}
