/* test_cli.c - kpred and kpred-train as users run them: what they print, and what they refuse
   SPDX-License-Identifier: MIT

   Most cases are lines of tests/cli/cli.cases, which says what they mean. */
#include "cli/lines.h"
#include "data/sample.h"

#include <time.h>

#define PREDICT "kpred predict " MODEL " "
#define SPEC    "root/weights/" MODEL ".spec"
#define HEADER  "root/weights/" MODEL ".h"
#define DB9     " --data gfx900_56.db "
#define BOTH    " --data gfx900_56.db gfx906_60.db "
#define TO_KEPT DB9 "-o kept/out.h"
#define TRAIN   "kpred-train train --epochs 1 --threads 1 " SPEC
#define INGEST  "kpred-train ingest " SPEC
#define EVAL    "kpred-train eval " MODEL

static struct buf other;

/* A line of CSV from a column on, and the number there; the first line is 0. */
static const char *rest_of(const char *csv, size_t line, size_t column)
{
    for (; line > 0; line--)
        csv += strcspn(csv, "\n") + (csv[strcspn(csv, "\n")] != '\0');
    for (; column > 0; column--)
        csv += strcspn(csv, ",\n") + (csv[strcspn(csv, ",\n")] == ',');
    return say("%.*s", (int)strcspn(csv, "\n"), csv);
}

static double number(size_t line, size_t column)
{
    return strtod(rest_of(program.out.s, line, column), NULL);
}

/* ---- help, version, the command line ---- */

static void both(const char *name)
{
    char version[16] = "";
    program_now = name;
    sscanf(text_of("root/kpred.h"), "/* kpred.h - v%15[0-9.]", version);
    PRINTS(say("%s --version", name), say("%s %s\n", name, version), "%s --version", name);
    PRINTS(say("%s -v", name), say("%s %s\n", name, version), "%s -v", name);
    run_cases("both");
}

/* ---- what needs no weights ---- */

static void without_permission(const char *path, mode_t mode, const char *line)
{
    if (geteuid() == 0) {
        skip_case(say("no permission: %s", line), "root may do all");
        return;
    }
    chmod(path, mode);
    RAN_CASE(program_refuses(1, "Permission denied", "%s", line) && untouched(), line);
    chmod(path, 0755);
}

static void without_weights(void)
{
    mkdir("directory.h", 0755);
    put_text("empty.h", "%s", "");
    put_text("nul.h", "a%cb", 0);
    put_text("closed.h", "text\n");
    put_text("pool.log", "MIOpenDriver pool -n 1\n");
    run_cases("without weights");
    without_permission("closed.h", 0, "kpred predict closed.h n=1");
    /* Without a standard error, messages must not end up in the file that is opened next. */
    program.in_child = spoil_stream;
    stream = NO_ERROR;
    RAN("kpred miopen --gpu gfx906 -o pool.txt pool.log");
    RAN_CASE(text_of("pool.txt")[0] == '\0', "standard error closed");
    stream = NO_INPUT;
    REFUSES("standard input closed", 1, "standard input: cannot read: Bad file descriptor",
            "kpred miopen --gpu gfx906");
    program.in_child = NULL;
}

/* ---- predict ---- */

static int resource;
static rlim_t most; /* of it for a child */
static void limit_resource(void)
{
    const struct rlimit limit = {most, most};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(resource, &limit);
}

/* With memory to load the program, but not enough, it says that it was too little. */
static void out_of_memory(void)
{
    const rlim_t step = 50 << 10, enough = 40000 << 10;
    int told = 0;
    program.in_child = limit_resource;
    resource = RLIMIT_AS;
    for (most = 2000 << 10; RAN("kpred --version") != 0 && most < enough;)
        most += step;
    while (most < enough && RAN("kpred predict " HEADER " " FIELDS) == 1
           && has(program.err.s, "out of memory"))
        most += step, told++;
    program.in_child = NULL;
    if (most >= enough && told == 0)
        test_skip("it needs much memory from the start"); /* of the sanitizers */
    else
        RAN_CHECK(program.status == 0 && told > 3);
}

/* No two lines of what was printed are the same from a column on. */
static int all_differ(size_t column)
{
    const size_t n = count_lines(program.out.s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(rest_of(program.out.s, i, column), rest_of(program.out.s, j, column)) == 0)
                return 0;
    return n > 0;
}

/* This kernel has a few dozen legal tuples a problem. */
static void fewer_than_asked_for(void)
{
    RAN("kpred predict conv_ocl_direct_fwd_1x1 " FIELDS " -k 1000 --csv");
    const size_t n = count_lines(program.out.s) - 1;
    RAN_CASE(program.status == 0 && n >= 5 && n < 1000 && all_differ(2),
             "fewer tuples than asked for are no error");
}

/* The same file as of the exact name, behind a line that says which GPU a product has */
static void same_perf_db(const char *gpu, const char *exact)
{
    const char *line = say("kpred: %s is %s\n", gpu, exact);
    const int ran = RAN("kpred miopen --gpu %s one.log", exact) == 0;
    const char *told = say("%s", program.err.s);
    keep_output(&other);
    const int same = ran && same_as(&other, "kpred miopen --gpu '%s' one.log", gpu);
    const char *more =
        program.err.s + (strstr(program.err.s, line) == program.err.s ? strlen(line) : 0);
    RAN_CASE(same && strcmp(more, told) == 0, say("miopen --gpu %s", gpu));
}

/* ---- kpred-train ---- */

/* A model of one's own: no rule, names among the values, sizes with limits, data in CSV */
static void own_model(void)
{
    put_tiny_spec();
    RAN_CASE(RAN("kpred-train train --epochs 1 --threads 1 tiny.spec --data "
                 "root/tests/fixtures/tiny.csv --split none -o tiny.h")
                     == 0
                 && RAN("kpred predict tiny.h gpu=gfx900 kind=other n=8 h=7 stride=2 -k 10 --csv")
                        == 0
                 && is_like(program.out.s, "rank,[^\n]*\n([^\n]*,[124],(fast|small)\n){6}")
                 && all_differ(2),
             "model without a rule, names for values");
}

/* The rows of a GPU as NAME.db, and whatever this statement makes of them */
static void put_database(const char *name, const char *gpu, const char *statement)
{
    put_text("rows.sql", "%s\n%s;\n", text_of(say("root/tests/fixtures/%s.sql", gpu)), statement);
    if (make_db(say("%s.db", name), "rows.sql", NULL, 0) != 0)
        program_stop(name);
}

static void put_databases(void)
{
    static const char *const rows = "gfx900_56.db";
    put_database("gfx900_56", "gfx900_56", "");
    put_database("gfx906_60", "gfx906_60", "");
    put_database("gfx900_56-closed", "gfx900_56", "");
    put_database("gfx900_56-schema", "gfx900_56", "ALTER TABLE config RENAME COLUMN in_h TO gone");
    put_database("gfx900_56-none", "gfx900_56", "DELETE FROM perf_db");
    put_database("gfx900_56-value", "gfx900_56",
                 "UPDATE perf_db SET params = '1,17,1,64,1,1,1,1' WHERE solver = 'ConvAsm1x1U'");
    put_text("gfx900_56-empty.db", "%s", "");
    mkdir("gfx900_56-directory.db", 0755);
    if (make_bz2("gfx900_56-cut.db.bz2", &rows, 1) != 0
        || truncate("gfx900_56-cut.db.bz2", 3000) != 0)
        program_stop("gfx900_56-cut.db.bz2");
}

static const char *leftover = ""; /* the file of a training that was killed */
static int ending;                /* the signal that ends a training */

/* The name of a file in kept that was not there before, or NULL */
static const char *temporary_file(void)
{
    const char *found = NULL;
    glob_t all;
    if (glob("kept/.[!.]*", 0, NULL, &all) == 0)
        for (size_t i = 0; i < all.gl_pathc; i++)
            found = strcmp(all.gl_pathv[i], leftover) != 0 ? say("%s", all.gl_pathv[i]) : found;
    globfree(&all);
    return found;
}

/* A child of its own sends the signal, a moment after the training has begun its file. */
static void end_in_training(void)
{
    const struct timespec moment = {0, 100000000};
    const pid_t training = getpid();
    if (fork() != 0)
        return;
    for (int i = 0; i < 300 && temporary_file() == NULL; i++)
        nanosleep(&moment, NULL);
    nanosleep(&moment, NULL);
    if (getppid() == training)
        kill(training, ending);
    _exit(0);
}

/* A training that would take hours */
static int ends_in_training(int by)
{
    ending = by;
    program.in_child = end_in_training;
    RAN("kpred-train train " SPEC BOTH "--epochs 10000 --threads 1 -o kept/out.h");
    program.in_child = NULL;
    return program.status == 128 + by && strcmp(text_of("kept/out.h"), OLD) == 0;
}

static void ended_trainings(void)
{
    program.in_child = limit_resource;
    resource = RLIMIT_FSIZE;
    most = 40 * 512; /* bytes; the header is longer */
    RAN_CASE(RAN(TRAIN TO_KEPT) == 1 && has(program.err.s, "cannot ") && untouched(),
             "train: output beyond the limit");
    RAN_CASE(ends_in_training(SIGKILL), "train: killed, the old output stays whole");
    leftover = temporary_file(); /* It is removed as well. */
    RAN_CASE(leftover != NULL && ends_in_training(SIGINT) && untouched(),
             "train: interrupted, nothing is left behind");
}

/* ---- eval ---- */

/* For every k a line for every row, in their order whatever the groups; and they add up to the
   figures. */
static void eval_hits(void)
{
    int k, row, hit, agree, n = 0, hits[2] = {0}, agreed[2] = {0};
    int all = RAN(EVAL BOTH "--csv --rows all -k 1,10 --by all --hits all.hits") == 0
              && strcmp(text_of("one.hits"), text_of("all.hits")) == 0;
    const char *at = text_of("one.hits");
    all = all
          && is_like(at, "method,model,split,key,row,k,hit,agree\n(additive," MODEL
                         ",all,\"[^\"]*\"(,[0-9]+){4}\n){96}");
    while (all && n < 96 && (at = strstr(at, "\",")) != NULL) {
        all = sscanf(at, "\",%d,%d,%d,%d\n", &row, &k, &hit, &agree) == 4 && row == n % 48 + 1
              && k == (n < 48 ? 1 : 10) && agree <= 8 && hit == (agree == 8);
        hits[n / 48] += hit, agreed[n / 48] += agree, n++, at++;
    }
    RAN_CASE(all && n == 96, "eval --hits");
    for (size_t i = 0; i < 2; i++)
        RAN_CASE(has(program.out.s, say(",%d,48,%.2f,%.2f,", i == 0 ? 1 : 10, 100.0 * hits[i] / 48,
                                        100.0 * agreed[i] / 8 / 48)),
                 say("eval --hits: sums of -k %d", i == 0 ? 1 : 10));
}

static void check_eval(void)
{
    RAN_CASE(RAN(INGEST BOTH "-o rows.csv") == 0, "ingest -o");
    const char *rows = text_of("rows.csv");
    put_text("trained.csv", "%.*s\ngfx906_60,F,FP32,16,64,56,56,256,1,1,16,1,64,1,1,1,1\n",
             (int)strcspn(rows, "\n"), rows);
    put_text("kept.hits", "old\n");
    mkdir("weights", 0755);
    rename("trained.f32", "weights/" MODEL ".f32");
    run_cases("eval");
    RAN_CASE(number(1, 6) <= number(2, 6) && number(2, 6) <= number(3, 6)
                 && number(1, 7) <= number(2, 7) && number(2, 7) <= number(3, 7),
             "eval: more tuples, more hits");
    eval_hits();
    /* What fails, be it late, leaves the file as it was, and makes no folder. */
    CASE(strcmp(text_of("kept.hits"), "old\n") == 0 && !is_there("none"), "eval --hits: refused");
}

static void full_disks(void)
{
    struct stat st;
    if (access("/dev/full", W_OK) != 0) {
        skip_case("a full disk", "there is no /dev/full");
        return;
    }
    run_cases("full disk");
    RAN_CASE(RAN(EVAL DB9 "--hits kept.hits > /dev/full") != 0
                 && strcmp(text_of("kept.hits"), "old\n") == 0 && count_files(".kpred*") == 0,
             "eval --hits: whole or not at all");
    CASE(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode), "a device stays one");
}

static void with_weights(void)
{
    RAN(PREDICT FIELDS " -k 5 --csv");
    RAN_CASE(count_lines(program.out.s) == 6 && program.err.n == 0, "predict --csv");
    keep_output(&five);
    RUN(out_of_memory);
    put_text("one.log", "MIOpenDriver conv -n 16 -c 64 -H 56 -W 56 -k 256 -y 1 -x 1 -F 1\n");
    run_cases("predict");
    fewer_than_asked_for();
    same_perf_db("MI300X", "gfx942130");
    same_perf_db("GFX906", "gfx906_60");
    same_perf_db("radeon vii", "gfx906_60");
    run_cases("broken headers");
    run_cases("bench");
    RAN_CASE(all_differ(7), "bench --body all: each is another");
    run_cases("output of kpred");
}

static void with_databases(void)
{
    put_databases();
    put_text("conv_asm_1x1u.h", "%s", text_of(HEADER)); /* beside it the float networks appear */
    RAN_CASE(RAN(TRAIN BOTH "-o trained.h") == 0, "train");
    RAN_CASE(RAN(TRAIN DB9 "--split none -o all.h") == 0, "train --split none");
    own_model();
    put_text("file", "%s", "");
    put_text("many.csv", "kind,h,n,stride\nother,7,8,2\nother,9,8,1\n");
    put_text("bad.csv", "%sother,7,x,2\n", text_of("many.csv"));
    CASE(make_bz2("many.csv.bz2", (const char *const[]){"many.csv"}, 1) == 0, "many.csv.bz2");
    run_cases("train");
    without_permission("kept", 0555, TRAIN TO_KEPT);
    without_permission("gfx900_56-closed.db", 0, TRAIN " --data gfx900_56-closed.db -o kept/out.h");
    ended_trainings();
    check_eval();
    full_disks();
    put_text("gfx900.csv", "%s8\n", text_of("root/tests/fixtures/tiny.csv")); /* a row cut short */
    run_cases("output of trainer");
}

int main(void)
{
    cases_begin();
    const int has_trainer = is_there(say("%s/kpred-train", program.build));
    both("kpred");
    run_cases("kpred");
    if (has_trainer) {
        both("kpred-train");
        run_cases("trainer");
    } else
        skip_case("kpred-train", "it is not built");
    without_weights();
    if (has_weights())
        with_weights();
    else
        skip_case("all that needs models", "the weights are not there (make weights)");
    if (has_weights() && has_trainer && HAS_SAMPLES)
        with_databases();
    else if (has_weights() && has_trainer)
        skip_case("kpred-train with databases", "it was built without SQLite or bzip2");
    return program_end();
}
