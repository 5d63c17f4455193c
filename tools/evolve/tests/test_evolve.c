/* test_evolve.c - the commands of kpred-evolve with a small kernel, and what they say of bad input
   SPDX-License-Identifier: MIT

   What is refused, and what emit writes, are lines of tools/evolve/tests/evolve.cases. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <signal.h>
#include <sys/resource.h>

#define ON "scale.c harness.c --function scale --baseline O3"

/* It has one waste: it divides by 1, which the compiler cannot know. */
static const char kernel[] = "#ifndef FIRST\n#define FIRST\n#endif\n"
                             "#ifndef LAST\n#define LAST\n#endif\n"
                             "void scale(int n, const float *x, float unit, float *y)\n"
                             "{\n    FIRST;\n"
                             "#pragma clang loop vectorize(disable) unroll(disable)\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        y[i] = 3 * x[i] / unit;\n"
                             "    LAST;\n}\n";

static const char harness[] =
    "#include <kpred_evolve.h>\n#ifndef ROLE\n#define ROLE EV_OUT\n#endif\n"
    "typedef void scale(int n, const float *x, float unit, float *y);\n"
    "static void set_up(struct ev_case *c)\n{\n"
    "    const size_t n = (size_t)c->size[0];\n"
    "    ev_fill(c, ev_buffer(c, \"x\", EV_IN, EV_F32, n));\n"
    "    ev_buffer(c, \"y\", ROLE, EV_F32, n);\n}\n"
    "static void call(const struct ev_case *c, ev_kernel *kernel)\n{\n"
    "    ((scale *)kernel)((int)c->size[0], c->at[0], 1, c->at[1]);\n}\n"
    "static const struct ev_shape shapes[] = {{.size = {512}, .seed = 1}, {.size = {1009}},\n"
    "    {.size = {3}, .seed = 3, .untimed = 1}, {.size = {257}, .seed = 4, .held_out = 1}};\n"
    "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\", EV_SHAPES(shapes));\n";

static const char caller[] = "#include \"library/tiny.h\"\n"
                             "typedef void scale(int n, const float *x, float unit, float *y);\n"
                             "int main(void)\n{\n"
                             "    for (int v = 0; v < tiny_variants; v++)\n"
                             "        for (int i = 0; i < 40; i++) {\n"
                             "            float x[40] = {0}, y[40] = {0};\n"
                             "            x[i] = (float)i / 7;\n"
                             "            ((scale *)tiny_table[v])(40, x, 1, y);\n"
                             "            for (int k = 0; k < 40; k++)\n"
                             "                if (y[k] < 3 * x[k] || y[k] > 3 * x[k])\n"
                             "                    return v + 1;\n"
                             "        }\n    return 0;\n}\n";

/* ---- logs ---- */

/* The evaluations of a log alone */
static const char *body_of(const char *log)
{
    const char *end = strstr(text_of(log), "\n# end ");
    return end == NULL ? "" : below_heading(end + 1);
}

/* Is no list evaluated twice with the same effort? */
static int each_once(const char *log)
{
    char *text = new_copy(body_of(log)), *at = text, *line;
    const char *last = "";
    struct buf *keys = new_text();
    int once = count_lines(text) > 20;
    while ((line = next_line(&at)) != NULL) {
        const char *effort = strchr(line, ' ') + 1, *list = strstr(line, " | ");
        *strrchr(line, '#') = '\0';
        buf_printf(keys, "%.*s%s\n", (int)strcspn(effort, " "), effort, list);
    }
    at = new_copy(sorted(keys->s));
    for (; (line = next_line(&at)) != NULL; last = line)
        once = once && strcmp(last, line) != 0;
    return once;
}

#define NUMBER "(inf|[-+.0-9e]+)"
#define EDIT   "[a-z]+ [0-9]+ [0-9]+ [0-9]+ [0-9a-f]{8}"
static int has_form(const char *log)
{
    static const char line[] = "^[a-z-]+ (search|confirm|judge) " NUMBER " " NUMBER " " NUMBER
                               " [0-9]+( " NUMBER ")* \\| (-|" EDIT "(; " EDIT ")*) #[0-9a-f]{8}$";
    return begins(text_of(log), "# kpred-evolve log 1\n")
           && lines_like(text_of(log), "^# end [0-9a-f]{8}$") == 1
           && lines_like(body_of(log), line) == count_lines(body_of(log)) && each_once(log);
}

/* Until a log has so many lines, ten seconds at most */
static void wait_for(const char *log, size_t lines)
{
    for (int i = 0; i < 500 && count_lines(text_of(log)) < lines; i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* ---- check, search, report ---- */

static void checks(void)
{
    static const char *const names[] = {"O2",        "O2-scalar", "O3",
                                        "O3-scalar", "O3-native", "O3-native-scalar"};
    RAN("kpred-evolve check scale.c harness.c --function scale");
    int all = program.status == 0;
    for (size_t i = 0; i < COUNT(names); i++)
        all = all && lines_like(program.out.s, say("^%s ", names[i])) == 4;
    RAN_CASE(all
                 && lines_like(program.out.s, "^baseline: O[23][a-z-]*, [0-9]+ instructions; 4 "
                                              "cases, as they are twice$")
                 && !has(program.out.s, "no case enters"),
             "check: a table of the six baselines");
    RAN_CASE(RAN("kpred-evolve check " ON) == 0 && lines_like(program.out.s, "^O3 ") == 4
                 && lines_like(program.out.s, "^O2") == 0,
             "check: one baseline");
    RAN_CASE(same_as_json("check " ON), "check: CSV and JSON");
}

/* A search that is over goes on to the same end: its log stays as it is. */
static void searches(const char *method, const char *options)
{
    static struct buf first;
    char line[300], log[20];
    snprintf(log, sizeof log, "%s.log", method);
    snprintf(line, sizeof line, "kpred-evolve search " ON " -o %s --method %s %s", log, method,
             options);
    const int ran = RAN("%s", line) == 0 && has_form(log);
    keep_output(&first);
    char *before = new_copy(text_of(log));
    RAN_CASE(ran && same_as(&first, "%s --resume", line) && strcmp(text_of(log), before) == 0,
             line);
}

/* A kill may leave a part of a line. */
static void killed(void)
{
    const char *line = "kpred-evolve search " ON " -o killed.log --population 40";
    const pid_t child = START("%s --time 60", line);
    wait_for("killed.log", 40);
    kill(child, SIGKILL);
    FINISH(child);
    char *whole = new_copy(text_of("killed.log"));
    whole[strlen(whole) - strlen(strrchr(whole, '\n')) + 1] = '\0';
    put_text("killed.log", "%svalid search 0.5", whole);
    RAN_CASE(RAN("%s --evaluations %zu --resume", line, count_lines(whole) + 10) == 0
                 && begins(text_of("killed.log"), whole) && has_form("killed.log")
                 && strlen(text_of("killed.log")) > strlen(whole) + 20,
             "search: goes on after a kill");
}

/* Its log is whole, and it ends as one that was not finished. */
static void stopped(void)
{
    const pid_t child = START("kpred-evolve search " ON " -o stopped.log --time 60");
    wait_for("stopped.log", 40);
    kill(child, SIGINT);
    RAN_CASE(FINISH(child) == 1 && has_form("stopped.log")
                 && has(program.err.s, "stopped; --resume goes on from stopped.log"),
             "search: SIGINT");
}

static void reports(void)
{
    RAN_CASE(RAN("kpred-evolve report climb.log random.log") == 0
                 && lines_like(program.out.s, "^climb.log +climb ") > 0
                 && lines_like(program.out.s, "^random.log +random ") > 0,
             "report: a table");
    RAN_CASE(same_as_json("report climb.log nsga2.log"), "report: CSV and JSON");
    if (!has_command("gnuplot")) {
        skip_case("report: a plot", "there is no gnuplot");
        return;
    }
    /* The name of a log is a text of the plot, and no command of gnuplot. */
    put_text(
        "plot.sh",
        "odd=$(printf 'odd\\047\"\\nsystem(\"touch made\")\\n.log')\n"
        "cp climb.log \"$odd\" && \"$1\" report climb.log \"$odd\" --plot plot.svg && "
        "mkdir -p gp && printf '#!/bin/sh\\ncat >plot.gp\\n' >gp/gnuplot && chmod +x gp/gnuplot "
        "&& PATH=$PWD/gp:$PATH \"$1\" report climb.log --plot none.svg\n");
    RAN_CASE(RAN("/bin/sh plot.sh %s", in_build("kpred-evolve")) == 0
                 && has(text_of("plot.svg"), "</svg>") && !is_there("made")
                 && has(text_of("plot.gp"), " with steps ") && !has(text_of("plot.gp"), "[0:100]"),
             "report: a plot, also of a log whose name has lines");
}

/* No case is so large. */
static void unentered(void)
{
    static const char in[] = " --cflags=-DLAST=if(n>5000)y[4999]=0 ",
                      line[] = "no case enters these blocks of the kernel, so edits of them are "
                               "not tested: if[.]then [(]line 13[)]$";
    RAN_CASE(RAN("kpred-evolve check " ON "%s", in) == 0
                 && lines_like(program.out.s, say("^%s", line)) == 1
                 && RAN("kpred-evolve search " ON "%s --method climb --evaluations 120 "
                        "--seed 3 -o blocks.log",
                        in)
                        == 0
                 && RAN("kpred-evolve report blocks.log climb.log") == 0
                 && lines_like(program.out.s, say("^blocks.log: %s", line)) == 1
                 && !has(program.out.s, "climb.log: no")
                 && RAN("kpred-evolve minimise blocks.log") == 0
                 && lines_like(program.out.s, say("^%s", line)) == 1
                 && RAN("kpred-evolve search " ON "%s --method climb --evaluations 120 "
                        "--seed 3 -o blocks.log --resume",
                        in)
                        == 0,
             "blocks of the kernel that no case enters");
}

/* ---- minimise, export, emit ---- */

static char waste[200]; /* an edit that is left, the one about the division in scale.c */

/* The edit of the division's line; what else is left may be a matter of noise. */
static int find_waste(const char *json)
{
    int line = 0;
    while (line != 12 && (json = strstr(json, "{\"edit\": \"")) != NULL) {
        sscanf(json, "{\"edit\": \"%199[^\"]\", \"line\": %d", waste, &line);
        json++;
    }
    return line == 12;
}

static void minimises(void)
{
    put_copy("minimised.log", "climb.log");
    RAN_CASE(RAN("kpred-evolve minimise minimised.log") == 0 && has(program.out.s, "fdiv")
                 && lines_like(program.out.s, "^1[.] ") > 0
                 && has(program.out.s, "bit for bit on all 4 cases") && each_once("minimised.log"),
             "minimise: the planted waste alone");
    put_text("away.sh", "mkdir -p away && cp climb.log away && cd away && case $2 in\n"
                        "near) \"$1\" minimise ../minimised.log --json ;;\n"
                        "far) \"$1\" minimise climb.log ;; esac\n");
    RAN("/bin/sh away.sh %s near", in_build("kpred-evolve"));
    double time = 0, low = 0, high = 0;
    const char *at = strstr(program.out.s, "\"time\": ");
    RAN_CASE(names_in("edit,line,what,share,alone,before,after,time,low,high,error", program.out.s)
                 && find_waste(program.out.s)
                 && sscanf(at, "\"time\": %lf, \"low\": %lf, \"high\": %lf", &time, &low, &high)
                        == 3
                 && low < high && fabs(low + high - 200 * (1 - time)) < 0.03,
             "minimise: JSON, the kernel is beside the log");
    RAN_CASE(RAN("/bin/sh away.sh %s far", in_build("kpred-evolve")) == 1
                 && has(program.err.s, "climb.log: kernel \"scale.c\": is neither in this folder "
                                       "nor beside the log"),
             "minimise: it is nowhere");
}

static int exports(const char *option)
{
    glob_t all;
    const int ran = RAN("kpred-evolve export climb.log -o library --name tiny -k 2 %s", option) == 0
                    && glob("library/*", 0, NULL, &all) == 0;
    const int is = ran && all.gl_pathc == 4 && strcmp(all.gl_pathv[0], "library/tiny.csv") == 0
                   && strcmp(all.gl_pathv[1], "library/tiny.h") == 0
                   && strcmp(all.gl_pathv[2], "library/tiny.o") == 0;
    if (ran)
        globfree(&all);
    return is && !has(text_of("library/tiny.spec"), "edited") && is_there("library/tiny.spec");
}

static void library(void)
{
    RAN_CASE(exports("") && has_line(program.out.s, "library: 2 variants, the baseline included"),
             "export: four files");
    RUNS("/usr/bin/env %s -std=c99 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion "
         "-Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wstrict-prototypes -Wmissing-prototypes "
         "-Werror -I. caller.c library/tiny.o -o caller",
         own_cc());
    RUNS("./caller");
    if (is_built("kpred-train"))
        RAN_CASE(WORKS("kpred-train train library/tiny.spec --data library/tiny.csv --epochs 2 -o "
                       "tiny_model.h")
                     && WORKS("kpred predict tiny_model.h n=512")
                     && lines_like(program.out.s, "variant$") == 1,
                 "export: the spec and the CSV train a model");
    /* A spec that was edited stays without --force. */
    put_text("library/tiny.spec", "# edited\n");
    unlink("library/tiny.o");
    REFUSES("export: onto files that are there", 1,
            "library/tiny.h: is there already; --force replaces it",
            "kpred-evolve export climb.log -o library --name tiny");
    RAN_CASE(strcmp(text_of("library/tiny.spec"), "# edited\n") == 0 && !is_there("library/tiny.o")
                 && exports("--force"),
             "export: --force");
}

/* Lists that were drawn give the same again in another process, and the one that minimise prints a
   division fewer. */
static void lists(void)
{
#define EMIT "kpred-evolve emit scale.c --function scale --form ir -o emitted"
    char list[1000] = "";
    const char *said = "kpred-evolve: edits: ";
    for (int seed = 1; seed <= 6; seed++) {
        RAN(EMIT " --random 8 --seed %d", seed);
        const char *at = strstr(program.err.s, said);
        if (at != NULL)
            sscanf(at + strlen(said), "%999[^\n]", list);
        put_copy("first", "emitted");
        RAN_CASE(RAN(EMIT " --edits '%s'", list) == 0 && has(text_of("emitted"), "define ")
                     && strcmp(text_of("emitted"), text_of("first")) == 0,
                 say("emit: a list that is drawn, seed %d", seed));
    }
    RAN_CASE(RAN(EMIT) == 0 && has(text_of("emitted"), "fdiv")
                 && RAN(EMIT " --edits '%s'", waste) == 0 && has(text_of("emitted"), "define ")
                 && !has(text_of("emitted"), "fdiv"),
             "emit: the list that minimise prints");
}

static void see(const char *kind, char *const *cell)
{
    const int emits = *kind == 'e' || *kind == 'l', has_clang = strcmp(kind, "clang") == 0;
    const char *line = cell[emits ? 1 : 2];
    if (has(line, " ON"))
        line = replaced(line, " ON", " " ON);
    if (has(line, "IN/"))
        line = replaced(line, "IN/", "root/tools/evolve/tests/fixtures/");
    if (*kind == 'l' && !has_command("ld.lld-16"))
        skip_case(line, "there is no ld.lld-16");
    else if (emits) {
        unlink("emitted");
        RAN_CASE(RAN("kpred-evolve emit %s -o emitted", line) == 0
                     && lines_like(text_of("emitted"), cell[0]) > 0,
                 line);
    } else {
        put_text("scale.c", "%s", *kind == 'k' ? replaced(kernel, "3 *", "5 *") : kernel);
        put_text("harness.c", "%s%s", harness, *kind == 'h' ? "/* longer */\n" : "");
        leaves_files(line, has_clang, cell[0][0] - '0', cell[1], say("kpred-evolve %s", line));
    }
}

/* Without memory for a line, a log is not read as one that ends there. */
static void little_memory(void)
{
    const struct rlimit limit = {400000000, 400000000};
    setrlimit(RLIMIT_AS, &limit);
}

static void no_path(void)
{
    setenv("PATH", getenv("TMPDIR"), 1);
}

static void bad_input(void)
{
    put_text("wrong.ll", "define i32 @f(i1 %%c) {\n  br i1 %%c, label %%a, label %%b\na:\n"
                         "  %%x = add i32 1, 2\n  ret i32 0\nb:\n  ret i32 %%x\n}\n");
    put_text("calls.c", "void other(void); void f(void) { other(); }\n");
    put_part("cut.log", "climb.log", 0, 150, "");
    put_part("empty.log", "climb.log", 0, 0, "");
    put_text("text.log", "another text\n");
    edited("climb.log", "damaged.log", "30s/^\\([a-z-]*\\) /\\1x /;40q");
    each_row("tools/evolve/tests/evolve.cases", see);
    put_copy("long.log", "climb.log");
    if (truncate("long.log", 300 << 20) != 0)
        program_stop("long.log");
    program.in_child = little_memory;
    leaves_files("no memory for a line", 0, 1,
                 "long.log: cannot read: ", "kpred-evolve report long.log");
    program.in_child = no_path;
    leaves_files("check: no clang", 0, 1, "cannot be started: No such file",
                 "kpred-evolve check " ON);
    leaves_files("emit: no clang", 0, 1, "cannot be started: No such file",
                 "kpred-evolve emit scale.c --function scale -o bad.out");
    program.in_child = NULL;
    /* A kill may come between the making of a log and its first line. */
    RAN_CASE(RAN("kpred-evolve search " ON " -o empty.log --resume --evaluations 25") == 0
                 && has_form("empty.log"),
             "search: goes on from an empty log");
}

int main(void)
{
    commands_begin();
    put_text("scale.c", "%s", kernel);
    put_text("harness.c", "%s", harness);
    put_text("caller.c", "%s", caller);
    checks();
    searches("nsga2", "--population 40 --evaluations 50");
    searches("climb", "--evaluations 80");
    searches("random", "--evaluations 30");
    killed();
    stopped();
    reports();
    minimises();
    unentered();
    library();
    lists();
    bad_input();
    return commands_end();
}
