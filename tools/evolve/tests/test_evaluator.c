/* test_evaluator.c - kpred-evolve with a program that evaluates candidates, which may crash or hang
   SPDX-License-Identifier: MIT

   It is tools/evolve/tests/fixtures/evaluator.c: its times are numbers of instructions, so that all
   searches come to the same. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <signal.h>

#define ON "scale.c --function scale --baseline O2 --method climb"

static const char kernel[] = "void scale(int n, const float *x, float unit, float *y)\n{\n"
                             "#pragma clang loop vectorize(disable) unroll(disable)\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        y[i] = 3 * x[i] / unit;\n}\n";

/* AMD's, with an intrinsic of NVIDIA's */
static const char foreign[] = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                              "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
                              "  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                              "  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n";

/* ---- what works ---- */

static void checks(void)
{
    RAN_CASE(RAN("kpred-evolve check scale.c --function scale --evaluate ./evaluator") == 0
                 && lines_like(program.out.s, "^O[23][a-z-]* +[0-9]+ +n=8,m=1 +no +[0-9]+[.]000$")
                        == 6
                 && lines_like(program.out.s, "^O[23][a-z-]* +[0-9]+ +n=32,m=2 +yes ") == 6
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

/* What is fast in one case is slow in another: each has its variant. */
static void trades(void)
{
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate './evaluator trade' --evaluations 100 "
                 "-o trade.log")
                     == 0
                 && RAN("kpred-evolve export trade.log -o trade --name tiny -k 3") == 0
                 && has_line(program.out.s, "trade: 3 variants, the baseline included"),
             "export: a variant for each case");
}

/* The program is started again within an export: the baseline's times are still known. */
static void stumbles(void)
{
    put_text("stumble", "%s", "");
    RAN_CASE(RAN("kpred-evolve export a.log -o again --name tiny -k 2") == 0 && !is_there("stumble")
                 && lines_like(text_of("again/tiny.csv"), "^(8|16|32),[12],[01],[0-9.]+$") == 6,
             "export: an evaluator that dies once");
}

/* Where the baseline is slow for a moment, candidates are timed once more. */
static void disturbed(void)
{
    put_text("disturb", "%s", "");
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate ./evaluator --evaluations 40 -o quiet.log")
                     == 0
                 && !is_there("disturb") && begins(text_of("whole.log"), text_of("quiet.log")),
             "search: a machine that is busy for a moment");
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

/* The device's own compiler is a baseline, too, where the evaluator has one. */
static void compiles(void)
{
    const char *line = "kpred-evolve search triple.cl --function triple --target spir64 --method "
                       "climb --evaluations 6 --evaluate";
    put_text("triple.cl", "%s",
             "#define N 3\n__kernel void triple(__global float *x)\n{\n"
             "    x[get_global_id(0)] *= N;\n}\n");
    RAN_CASE(RAN("%s ./evaluator -o ir.log", line) == 0
                 && has(program.err.s, "the baseline source is left out: it stores nothing")
                 && lines_like(text_of("ir.log"), "^# baseline O[23][a-z-]*$") == 1,
             "an evaluator without a compiler of its own");
    RAN_CASE(RAN("%s './evaluator source' -o source.log", line) == 0
                 && lines_like(text_of("source.log"), "^# baseline O[23][a-z-]*[+]source$") == 1
                 && lines_like(text_of("source.log"), "^valid confirm [2-9][.0-9]* .*[|] - #") == 1
                 && RAN("%s './evaluator source' -o source.log --resume", line) == 0,
             "an evaluator with a compiler of its own");
}

/* So many evaluations come to that outcome, for that reason, and the search to its end. */
static void survives(const char *how, const char *outcome, const char *why)
{
    remove(say("%s.log", how));
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate './evaluator %s' --evaluations 40 "
                 "%s -o %s.log",
                 how, begins(why, "it did not answer within 0.3") ? "--timeout 300ms" : "",
                 how) == 0
                 && lines_like(text_of(say("%s.log", how)),
                               say("^%s search .* [|] [a-z].* [|] %s.* #", outcome, why))
                        > 0
                 && lines_like(text_of(say("%s.log", how)), "^valid search ") > 10,
             how);
}

/* What a shell started ends with a search that is killed, though it leads a session of its own. */
static void ends_with_a_killed_search(void)
{
    int held;
    remove("hung");
    const pid_t child = start_held(
        &held, "kpred-evolve search " ON " --evaluations 40 --timeout 600s -o hung.log --evaluate "
               "'own=$(command -v setsid); ${own:+$own -w} ./evaluator hang; true'");
    for (int i = 0; i < 1000 && !is_there("hung"); i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    kill(child, SIGKILL);
    RAN_CASE(is_there("hung") && FINISH(child) == 128 + SIGKILL && none_is_left(held),
             "a search that is killed while its evaluator hangs");
    RUNS("/bin/sh -c 'rm -rf temporary/kpred-evolve-*'");
}

/* After three questions it is gone: no candidate is blamed for that. */
static void leaves(void)
{
    RAN_CASE(RAN("kpred-evolve search " ON " --evaluate 'sed -u 3q | ./evaluator' --evaluations 20 "
                 "-o leaves.log")
                     == 0
                 && lines_like(text_of("leaves.log"), "^(valid|wrong|crashed) search ") >= 15
                 && !has(text_of("leaves.log"), "it ended with"),
             "an evaluator that leaves");
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
    put_text("foreign.ll", "%s", foreign);
    RUNS("/usr/bin/env %s -std=c99 -D_POSIX_C_SOURCE=200809L %s -Iroot "
         "root/tools/evolve/tests/fixtures/evaluator.c -o evaluator",
         own_cc(), "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror");
    checks();
    finds();
    trades();
    stumbles();
    disturbed();
    killed();
    compiles();
    survives("failed", "crashed", "it stores nothing");
    survives("crash", "crashed", "it ended with signal 6, and said: no store");
    survives("lost", "crashed", "it ended with status 1");
    survives("hang", "timed-out", "it did not answer within 0.3 s");
    survives("hang", "timed-out", "it did not answer within 1([.][0-9]*)? s");
    survives("nonsense", "garbled", "it answered \"bananas\"");
    survives("echo", "garbled", "it wrote something behind an answer");
    ends_with_a_killed_search();
    leaves();
    dies();
    each_row("tools/evolve/tests/evaluator.cases", see);
    return commands_end();
}
