/* test_evaluator.c - kpred-evolve with a program that evaluates candidates, which may crash or hang
   SPDX-License-Identifier: MIT

   It is tests/evolve/fixtures/evaluator.c: its times are numbers of instructions, so that all
   searches come to the same. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <signal.h>

#define ON "scale.c --function scale --baseline O2 --method climb"

static const char kernel[] = "void scale(int n, const float *x, float unit, float *y)\n{\n"
                             "#pragma clang loop vectorize(disable) unroll(disable)\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        y[i] = 3 * x[i] / unit;\n}\n";

/* ---- what works ---- */

static void checks(void)
{
    RAN_CASE(RAN("kpred-evolve check scale.c --function scale --evaluate ./evaluator") == 0
                 && lines_like(program.out.s, "^O[23][a-z-]* +[0-9]+ +n=8,m=1 +no +[0-9]+[.]000$")
                        == 1
                 && lines_like(program.out.s, "^O[23][a-z-]* +[0-9]+ +n=32,m=2 +yes ") == 1
                 && has(program.out.s, "4 cases"),
             "check: the cases that the evaluator names");
}

/* The division counts as twenty of some thirty instructions. */
static void finds(void)
{
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate ./evaluator --evaluations 300 -o a.log")
                     == 0
                 && lines_like(program.out.s, "^a.log ") > 0,
             "search");
    put_copy("whole.log", "a.log");
    RAN_CASE(RAN("kpred-evolve minimise a.log") == 0 && has(program.out.s, "fdiv")
                 && has(program.out.s, "outputs are right on all 4 cases")
                 && has(text_of("a.log"), "\nwrong judge "),
             "minimise: what held-out cases refuse is left out");
    RAN_CASE(RAN("kpred-evolve export a.log -o library --name tiny -k 2") == 0
                 && lines_like(text_of("library/tiny.csv"), "^(8|16|32),[12],[01],[0-9.]+$") == 6
                 && has(text_of("library/tiny.spec"), "m = size") && !is_there("library/tiny.o"),
             "export: modules, a spec, times");
    put_text("count.c", "#include \"library/tiny.h\"\n#include <string.h>\n"
                        "int main(void)\n{\n    return tiny_variants != 2\n"
                        "        || memchr(tiny_table[0].bytes, ';', tiny_table[0].n) == 0;\n}\n");
    RUNS("/usr/bin/env %s -std=c99 -Wall -Wextra -Werror -I. count.c -o count", own_cc());
    RUNS("./count");
}

/* The program is started again within an export: the baseline's times are still known. */
static void stumbles(void)
{
    put_text("stumble", "%s", "");
    RAN_CASE(RAN("kpred-evolve export a.log -o again --name tiny -k 2") == 0 && !is_there("stumble")
                 && lines_like(text_of("again/tiny.csv"), "^(8|16|32),[12],[01],[0-9.]+$") == 6,
             "export: an evaluator that dies once");
}

/* A kill at any time: the search goes on to the end that it would have come to. */
static void killed(void)
{
    const char *line = "kpred-evolve search " ON " --evaluate ./evaluator --evaluations 300";
    const pid_t child = START("%s -o killed.log", line);
    for (int i = 0; i < 500 && count_lines(text_of("killed.log")) < 60; i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    kill(child, SIGKILL);
    FINISH(child);
    RAN_CASE(count_lines(text_of("killed.log")) < count_lines(text_of("whole.log"))
                 && RAN("%s -o killed.log --resume", line) == 0
                 && strcmp(text_of("killed.log"), text_of("whole.log")) == 0,
             "search: goes on after a kill to the same end");
    RUNS("/bin/sh -c 'rm -rf temporary/kpred-evolve-*'");
}

/* ---- evaluators that do not work ---- */

/* So many evaluations come to that outcome, and the search to its end. */
static void survives(const char *how, const char *outcome)
{
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate './evaluator %s' --evaluations 40 "
                 "--timeout 300ms -o %s.log",
                 how,
                 how) == 0
                 && lines_like(text_of(say("%s.log", how)), say("^%s search ", outcome)) > 0
                 && lines_like(text_of(say("%s.log", how)), "^valid search ") > 10,
             how);
}

/* What ended before the end is not lost. */
static void dies(void)
{
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate './evaluator dies' -o dies.log") == 1
                 && has(program.err.s,
                        "./evaluator dies: gave no answer for 20 candidates in a "
                        "row; the last time it ended with status 3, and said: no luck")
                 && lines_like(text_of("dies.log"), "^crashed search ") >= 20,
             "an evaluator that dies of each candidate");
}

static void see(const char *kind, char *const *cell)
{
    (void)kind;
    leaves_files(cell[2], 0, cell[0][0] - '0', cell[1], say("kpred-evolve %s", cell[2]));
}

int main(void)
{
    commands_begin();
    put_text("scale.c", "%s", kernel);
    RUNS("/usr/bin/env %s -std=c99 -D_POSIX_C_SOURCE=200809L %s -Iroot "
         "root/tests/evolve/fixtures/evaluator.c -o evaluator",
         own_cc(), "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror");
    checks();
    finds();
    stumbles();
    killed();
    survives("failed", "crashed");
    survives("crash", "crashed");
    survives("lost", "crashed");
    survives("hang", "timed-out");
    survives("nonsense", "garbled");
    dies();
    each_row("tests/evolve/evaluator.cases", see);
    return commands_end();
}
