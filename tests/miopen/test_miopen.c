/* test_miopen.c - kpred miopen: what it reads of logs, and the entries that it prints
   SPDX-License-Identifier: MIT

   usage: test_miopen                    its tests
          test_miopen miopen ARGUMENT... is `kpred miopen` with the four kernels that the paper
                                         judges: what is read of a log does not depend on what else
                                         ships, and of these miopen_oracle.py knows the rules */
#define builtins shipped
#include "model/registry.c"
#undef builtins

#include "cli/commands.h"
#include "data/sample.h" /* SQLite, which the command needs */
#include "logs.h"

#define run_cases(kind) each_row_of("tests/miopen/calls.cases", kind, see_case)

extern const struct builtin builtins[];
const struct builtin builtins[] = {BUILTIN(conv_asm_1x1u) BUILTIN(conv_asm_bwd_wrw_1x1) BUILTIN(
    conv_asm_bwd_wrw_3x3) BUILTIN(conv_ocl_direct_fwd_1x1){NULL, NULL, NULL}};

static char four[2048]; /* this program, by a path that every folder knows */
static char *wanted;    /* what it prints of the calls in `both` */

/* Runs it for one GPU, with arguments made as by printf. */
#define miopen(...) RAN("%s miopen --gpu gfx906_60 %s", four, say(__VA_ARGS__))

/* The text without what stands between each `from` and the next of these characters */
static const char *without(const char *text, const char *from, const char *until)
{
    struct buf *b = new_text();
    for (const char *next; (next = strstr(text, from)) != NULL; text = next + strcspn(next, until))
        buf_add(b, text, (size_t)(next - text));
    buf_puts(b, text);
    return b->s;
}

/* The lines of a perf-db without the values: KEY=SOLVER;SOLVER */
static const char *bare(const char *text)
{
    return without(text, ":", ";\n");
}

/* It prints these keys and solvers for the file `log`. */
static int gives(const char *keys)
{
    return miopen("log") == 0 && strcmp(bare(program.out.s), keys) == 0;
}

static int prints_wanted(const char *arguments)
{
    return miopen("%s", arguments) == 0 && strcmp(program.out.s, wanted) == 0;
}

/* Its standard error is these lines alone, behind counts that agree with its output. */
static int tells(size_t lines, size_t calls, size_t covered, const char *reasons)
{
    char counts[256];
    const size_t problems = count_lines(program.out.s), entries = count_of(program.out.s, ":");
    const size_t n = (size_t)snprintf(
        counts, sizeof counts,
        "kpred: %zu line%s, %zu driver line%s: %zu covered, %zu not; %zu "
        "problem%s, %zu %s\n",
        lines, lines == 1 ? "" : "s", calls, calls == 1 ? "" : "s", covered, calls - covered,
        problems, problems == 1 ? "" : "s", entries, entries == 1 ? "entry" : "entries");
    return strncmp(program.err.s, counts, n) == 0 && strcmp(program.err.s + n, reasons) == 0;
}

#define F KEY_F "=ConvAsm1x1U;ConvOclDirectFwd1x1\n"
static struct buf calls, reasons; /* of rows of calls that are left out */
static size_t n_calls;

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "left") == 0 || strcmp(kind, "broken") == 0) {
        const size_t n = count_lines(c[1]) + 1;
        buf_printf(&calls, "%s\n", c[1]);
        buf_printf(&reasons, "kpred:   %zu line%s: %s; first log:%zu\n", n, n == 1 ? "" : "s", c[0],
                   n_calls + 1);
        n_calls += n;
    } else if (strcmp(kind, "call") == 0) {
        put_text("log", DRIVER "%s\n", c[1]);
        RAN_CASE(gives(c[2]), c[0]);
    } else if (strcmp(kind, "system") == 0) { /* what MIOpen's own database has stays out */
        put_text("log", DRIVER "conv -n 16 -c 64 -H 56 -W 56 -k 256 -y 1 -x 1 -F 1\n");
        put_text("system.txt", "%s\n", c[1]);
        RAN_CASE(miopen("--system system.txt log") == 0 && strcmp(bare(program.out.s), c[2]) == 0
                     && has(program.err.s, c[3]),
                 c[0]);
    } else if (strcmp(kind, "log") == 0) {
        REFUSES(c[0], 1, c[1], "%s miopen --gpu gfx906_60 %s", four, c[2]);
    } else {
        REFUSES(c[0], atoi(c[1]), c[2], "%s miopen %s", four, c[3]);
    }
}

static const char *const networks[] = {"bert",      "densenet121", "googlenet",
                                       "mobilenet", "resnet50",    "vgg16"};

static void network_logs(void)
{
    struct buf *all = new_text();
    for (size_t i = 0; i < COUNT(networks); i++) {
        put_network(networks[i]);
        RAN_CASE(miopen("%s.log", networks[i]) == 0
                     && strcmp(bare(program.out.s), text_of(say("%s.keys", networks[i]))) == 0,
                 networks[i]);
        buf_puts(all, text_of(say("%s.log", networks[i])));
    }
    put_text("all", "%s", all->s);
}

/* The lines of a log, each with this before and behind it; between: it stands there twice. */
static void put_lines(const char *path, const char *before, const char *between, const char *behind,
                      int is_reversed)
{
    char *text = new_copy(text_of(path)), *at = text, *lines[512];
    struct buf *log = new_text();
    size_t n = 0;
    while (n < COUNT(lines) && (lines[n] = next_line(&at)) != NULL)
        n++;
    for (size_t i = 0; i < n; i++) {
        const char *line = lines[is_reversed ? n - 1 - i : i];
        buf_printf(log, "%s%s%s%s%s", before, line, between, *between != '\0' ? line : "", behind);
    }
    put_text("log", "%s", log->s);
}

/* Every one of these is worth the two logs. */
static void ways_to_write_a_log(void)
{
    static const struct {
        const char *name, *arguments;
    } ways[] = {
        {"standard input", "< both"},
        {"-", "- < both"},
        {"several logs", "resnet50.log mobilenet.log"},
        {"in another order, again and again", "mobilenet.log resnet50.log mobilenet.log"},
        {"a log and -", "mobilenet.log - < resnet50.log"},
    };
    static const struct {
        const char *name, *before, *between, *behind;
        int is_reversed;
    } lines[] = {
        {"CRLF", "", "", "\r\n", 0},
        {"several calls in a line", "", " ; ", "\n", 0},
        {"lines in another order", "", "", "\n", 1},
        {"other lines between, and text before",
         "step 12: loss 0.5 (MIOpen)\n\nMIOpen(HIP): Info [FindSolutionImpl] ConvAsm1x1U\n"
         "[rank 0] \x1b[1mINFO\x1b[0m ",
         "", "\n", 0},
        {"broken calls between", "MIOpenDriver conv -n 0\nx/MIOpenDriver convfp16 -F 1 --no 3\n",
         "", "\nMIOpenDriver conv -y 1 -n\n", 0},
    };
    for (size_t i = 0; i < COUNT(ways); i++)
        RAN_CASE(prints_wanted(ways[i].arguments), ways[i].name);
    for (size_t i = 0; i < COUNT(lines); i++) {
        put_lines("both", lines[i].before, lines[i].between, lines[i].behind, lines[i].is_reversed);
        RAN_CASE(prints_wanted("log")
                     && has(program.err.s, "broken") == (strstr(lines[i].name, "broken") != NULL),
                 lines[i].name);
    }
    put_text("log", "%.*s", (int)strlen(text_of("both")) - 1, text_of("both"));
    RAN_CASE(prints_wanted("log"), "no newline at the end");
    put_text("log", "\xef\xbb\xbfMIOpenDriver conv " STRIDED " -F 1\r\n");
    RAN_CASE(gives(F) && miopen("- < log") == 0 && strcmp(bare(program.out.s), F) == 0,
             "a log with a byte order mark");
}

static void order(void)
{
    char *text = new_copy(wanted), *at = text, *line;
    const char *last = "";
    CHECK(strcmp(sorted(wanted), wanted) == 0);
    for (; (line = next_line(&at)) != NULL; last = line) {
        *strchr(line, '=') = '\0';
        CHECK(strcmp(last, line) != 0); /* the same keys would stand side by side */
    }
}

/* None of a long line is lost without a word: it is read, or refused. */
static void long_lines(void)
{
    put_text("log", "%70000s" DRIVER "conv " STRIDED " -F 1\n", "x");
    RAN_CASE(miopen("log") != 0 || program.out.n != 0, "a call behind 70,000 characters");
    put_text("log", "MIOpenDriver conv -F 1 -y 1 -x 1%70000s-n 7\n", " ");
    RAN_CASE(miopen("log") != 0 || strncmp(program.out.s, "3-32-32-1x1-32-32-32-7-", 23) == 0,
             "a call that is 70,000 characters long");
}

static void no_logs(void)
{
    put_text("noise", "noise\n");
    put_text("packed", "\x1f\x8b\x08");
    put_text("zero", DRIVER "conv -n 0\n");
    run_cases("log");
    RAN_CASE(prints_wanted("noise both")
                 && has_line(program.err.s, "kpred: noise: no line calls MIOpenDriver"),
             "a log without a driver line, beside others");
    RAN_CASE(miopen("%s", four) <= 1, "a program for a log");
    put_noise("noise");
    RAN_CASE(miopen("noise") <= 1, "noise for a log");
}

/* Each call is counted with its reason, in a fixed order; the call at the end is covered.
   test_driver.c has each form of a broken line. */
static void left_out(const char *kind)
{
    calls.n = reasons.n = n_calls = 0;
    run_cases(kind);
    put_text("calls", "%sconv " STRIDED " -F 1\n", calls.s);
    put_lines("calls", DRIVER, "", "\n", 0);
    RAN_CASE(gives(F) && tells(n_calls + 1, n_calls + 1, 1, reasons.s), kind);
    RAN_CASE(miopen("--lenient log") == 0 && strcmp(bare(program.out.s), F) == 0, "--lenient");
    if (*kind == 'b') /* a reason names what the first line has */
        return;
    put_lines("calls", DRIVER, "", "\n", 1);
    char *same = new_copy(without(reasons.s, "; first ", "\n"));
    RAN_CASE(gives(F)
                 && strcmp(strchr(without(program.err.s, "; first ", "\n"), '\n') + 1, same) == 0,
             "lines in another order: the same reasons");
}

static void nothing_is_covered(void)
{
    put_text("log", DRIVER "conv -c 64 -k 64 -p 1 -q 1 -F 1\n");
    RAN_CHECK(
        gives("")
        && tells(1, 1, 0, "kpred:   1 line: ConvAsm1x1U: fil_h = 3 (it must be 1); first log:1\n"));
}

static void beams(void)
{
    char *keys_alone = new_copy(bare(wanted));
    RAN_CHECK(prints_wanted("--beam 1 both"));
    RAN_CHECK(miopen("--beam 100 both") == 0 && strcmp(program.out.s, wanted) != 0);
    RAN_CHECK(strcmp(bare(program.out.s), keys_alone) == 0);
}

static int on(const char *gpu)
{
    return RAN("%s miopen --gpu %s resnet50.log", four, gpu);
}

static void gpus(void)
{
    REQUIRE(on("gfx906_60") == 0);
    char *exact = new_copy(program.out.s), *said = new_copy(program.err.s);
    RAN_CHECK(on("gfx906") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(on("gfx900") == 0 && strcmp(program.out.s, exact) != 0);
    RAN_CHECK(on("gfx906_64 --nearest") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(has(program.err.s, "gfx906_60"));
    RAN_CHECK(on("gfx906_60 --nearest") == 0 && strcmp(program.out.s, exact) == 0);
    RAN_CHECK(strcmp(program.err.s, said) == 0);
}

/* Reads the calls of all networks again and again. */
static void read_long(int n)
{
    const char *all = text_of("all");
    FILE *f = fopen("long", "wb");
    for (int i = 0; f != NULL && i < n; i++)
        fprintf(f, "%sstep %d: loss 0.5, 12 ms\n", all, i);
    CHECK(f != NULL && fclose(f) == 0);
    RAN_CHECK(miopen("long") == 0);
}

/* A log of 1,000 lines and one of 300,000 give the same; how long it is costs no memory. */
static void long_logs(void)
{
    long few, many;
    read_long(3);
    char *output = new_copy(program.out.s);
    const double from = programs_took(&few);
    read_long(910);
    RAN_CHECK(strcmp(program.out.s, output) == 0);
    RAN_CHECK(programs_took(&many) - from < 20 && many - few < 2048); /* KB */
}

int main(int argc, char **argv)
{
    static const struct command table[] = {{"miopen", "", cmd_miopen}, {NULL, NULL, NULL}};
    if (argc > 1)
        return commands_run("kpred", table, argc, argv);
    program_begin();
    snprintf(four, sizeof four, "%s", *argv[0] == '/' ? argv[0] : in_root(argv[0]));
    put_both();
    wanted = new_copy(miopen("both") == 0 ? program.out.s : "");
    run_cases("call");
    network_logs();
    ways_to_write_a_log();
    RUN(order);
    long_lines();
    no_logs();
    left_out("left");
    left_out("broken");
    RUN_ALL(nothing_is_covered, beams, gpus);
    put_text("two", "Missing gfx90a68.HIP.fdb\n%s", text_of("both"));
    run_cases("refused");
    run_cases("system");
    RAN_CASE(miopen("--system none.txt log") == 1 && program.out.n == 0
                 && has(program.err.s, "none.txt: cannot open"),
             "--system, no such file");
    RUN(long_logs);
    return program_end();
}
