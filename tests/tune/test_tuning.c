/* test_tuning.c - kpred-train tune and merge: times, order, and what commands, files and kills do
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"

#include <signal.h>
#include <time.h>

#define run_cases(kind) each_row_of("tests/tune/tune.cases", kind, see_case)

#define TUNE  "kpred-train tune hill.spec --problems "
#define FEW   TUNE "few.csv "
#define BOTH  TUNE "both.csv "
#define SIXTY TUNE "sixty.csv "
#define INTO  FEW "--run ./time.sh -o "
#define MERGE "kpred-train merge "
/* A program under limits of a shell */
#define WITH(limits, line) "/bin/sh -c '" limits "; exec %s/" line "'", program.build
#define SHARE              TUNE "ten.csv --run ./time.sh --budget 6 "

/* The rule of hill.spec leaves 22 tuples of n = 8, 54 of both.csv, and none of n = 0. */
#define TIME  "echo $((a * 100 + b * 10 + n + ${#mode}))"
#define TABLE "n,kind,a,b,mode,time_us\n"
#define HEAD  "# kpred-train tune: hill\n# ./time.sh\n" TABLE
#define ROW   "8,plain,1,1,fast,122\n"

enum { GOOD = -1, COMMAND, SERVER };

/* The rows `bad` of tune.cases */
static struct bad {
    int kind;
    char *tuple, *line, *word, *why;
} bad[32];
static size_t n_bad;

static const char *rows_in(const char *text)
{
    const char *table = strstr(text, TABLE);
    return table != NULL ? table + strlen(TABLE) : "";
}

static const char *rows(const char *path)
{
    return rows_in(text_of(path));
}

/* The rows of a whole run with such a bad command; they stay until the program
   ends. */
static const char *wanted(const char *problems, int kind)
{
    struct buf *out = new_text();
    char tuple[32], problem[16], time[16];
    for (int n, end; sscanf(problems, " %15s%n", problem, &end) == 1; problems += end)
        for (int i = 0; i < 32 && sscanf(problem, "%d", &n) == 1; i++) {
            const int a = i / 8 + 1, b = 1 << i / 2 % 4, is_fast = i % 2 == 0;
            const char *cell = time;
            snprintf(tuple, sizeof tuple, "%d,%d,%s", a, b, is_fast ? "fast" : "slower");
            snprintf(time, sizeof time, "%d", a * 100 + b * 10 + n + (is_fast ? 4 : 6));
            for (size_t k = 0; k < n_bad; k++)
                if (bad[k].kind == kind && strcmp(bad[k].tuple, tuple) == 0)
                    cell = bad[k].word;
            if (a * b <= n)
                buf_printf(out, "%s,%s,%s\n", problem, tuple, cell);
        }
    return out->s;
}

/* Do they have the same lines, in any order? */
static int same(const char *text, const char *want)
{
    return text != NULL && strcmp(sorted(text), sorted(want)) == 0;
}

static int is_whole(const char *rows)
{
    return same(rows, wanted("64,plain 8,other", GOOD));
}

static void nap(long us)
{
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static int comes(const char *path)
{
    for (int i = 0; i < 3000 && !is_there(path); i++)
        nap(10000);
    return is_there(path);
}

static void put_command(const char *path, const char *text)
{
    put_text(path,
             "#!/bin/sh\nn=$KPRED_n kind=$KPRED_kind a=$KPRED_a b=$KPRED_b mode=$KPRED_mode\n%s\n",
             text);
    if (chmod(path, 0755) != 0)
        program_stop(path);
}

/* Begins a run of sixty.csv whose command gives bad answers for some tuples. */
static pid_t begin_bad(int kind, int *held)
{
    struct buf *body = new_text();
    buf_puts(body, "own=$(command -v setsid)\n");
    buf_puts(body, kind == SERVER ? "echo >>starts; while read -r line; do eval \"$line\"\n" : "");
    buf_puts(body, "case $a,$b,$mode in\n");
    for (size_t i = 0; i < n_bad; i++)
        if (bad[i].kind == kind)
            buf_printf(body, "%s) %s ;;\n", bad[i].tuple, bad[i].line);
    buf_printf(body, "*) " TIME " ;;\nesac\n%s", kind == SERVER ? "done" : "");
    put_command(kind == SERVER ? "bad--server" : "bad--run", body->s);
    return kind == SERVER ? start_held(held, SIXTY "-o b1.csv --server ./bad--server --timeout 1s")
                          : start_held(held, SIXTY "-o b0.csv --run ./bad--run --timeout 1000ms");
}

static int is_told(const struct bad *b)
{
    char start[128], line[512] = "";
    snprintf(start, sizeof start, "kpred-train: n=64 kind=plain a=%c b=%c mode=%s: ", b->tuple[0],
             b->tuple[2], b->tuple + 4);
    const char *found = strstr(program.err.s, start);
    return found != NULL && sscanf(found, "%511[^\n]", line) == 1 && has(line, b->why);
}

/* What failed is neither measured again nor taken for a time. */
static void end_bad(int kind, pid_t child, int held)
{
    const char *const path = kind == SERVER ? "b1.csv" : "b0.csv";
    int n = 0;
    RAN_CASE(FINISH(child) == 0 && same(rows(path), wanted("64,plain", kind)), path);
    CASE(none_is_left(held), "%s: no process is left", path);
    for (size_t i = 0; i < n_bad; i++)
        if (bad[i].kind == kind && ++n > 0)
            RAN_CASE(is_told(bad + i), bad[i].line);
    put_text("again.csv", "%s", text_of(path));
    RAN_CASE(RAN(SIXTY "-o again.csv --force --run 'echo 1'") == 0
                 && strcmp(text_of(path), text_of("again.csv")) == 0,
             "what failed is not measured again");
    RAN("kpred-train ingest hill.spec --data %s", path);
    RAN_CASE(count_lines(program.out.s) == (size_t)(1 + 32 - n)
                 && has(program.err.s,
                        kind == SERVER ? "dropped 5 rows: a failed" : "dropped 17 rows: a failed"),
             "what failed is not a time");
}

/* A server that writes more than its answers: no time is another tuple's. */
static void stray_case(char *const *c)
{
    size_t n = 0;
    put_command("stray.sh", say("t() { eval \"$l\"; " TIME "; }\n%s", c[5]));
    remove("stray.csv");
    RAN(FEW "-o stray.csv --timeout 2s --server ./stray.sh %s", c[4]);
    char *all = new_copy(rows("stray.csv")), *at = all, *line;
    while ((line = next_line(&at)) != NULL)
        n += has_line(wanted("8,plain", GOOD), line);
    RAN_CASE(program.status == atoi(c[0]) && count_lines(rows("stray.csv")) == (size_t)atoi(c[1])
                 && n == (size_t)(atoi(c[1]) - atoi(c[2])) && has(program.err.s, c[3]),
             c[-1]);
}

static void servers_and_outputs(void)
{
    RAN(FEW "-o mute.csv --server 'read -r line; exit 4'");
    RAN_CASE(program.status == 1 && count_lines(rows("mute.csv")) <= 5
                 && has(program.err.s, "it was started 6 times in a row and gave no answer, ")
                 && has(program.err.s, " ended with status 4"),
             "a server that never answers");
    RAN(FEW "-o none.csv --run 'exit 3;'");
    RAN_CASE(program.status == 1 && count_of(rows("none.csv"), ",failed\n") == 22
                 && has(program.err.s, "all failed: 22 measurements")
                 && count_of(program.err.s, ": it ended with status 3") == 11
                 && has(program.err.s, ": all 22 launches failed: it ended with status 3\n")
                 && has(program.err.s, "more failures of this kind are not told"),
             "all fail: the first ten are told");
    RAN_CASE(RAN(FEW "-o none.csv --run 'exit 3;'") == 1
                 && has(program.err.s, "0 tuples measured, 22 were there\n")
                 && has(program.err.s, "none.csv: all failed: 22 measurements\n"),
             "the same again");
    put_text("rowless.csv", "# kpred-train tune: hill\n# ./tymer\n%s", "n,kind,a\n");
    RAN_CASE(RAN(INTO "rowless.csv --budget 1") == 0 && begins(text_of("rowless.csv"), HEAD "8,"),
             "a file without a row is of the new command");
    /* Nothing of an output is kept: 64 MB of memory are enough to read it. */
    RAN_CASE(RAN(WITH("ulimit -v 65536", FEW "-o big.csv --run ./big.sh --budget 1")) == 0
                 && count_lines(rows("big.csv")) == 1
                 && has(wanted("8,plain", GOOD), rows("big.csv")),
             "300 MB, and then a time");
    RAN_CASE(RAN(WITH("ulimit -v 65536",
                      FEW "-o endless.csv --run ./endless.sh --budget 1 --timeout 300ms"))
                     == 1
                 && has(rows("endless.csv"), ",timeout\n")
                 && has(program.err.s, "all failed: 1 measurement"),
             "output without an end");
    RAN_CASE(RAN(BOTH "-o server.csv --server ./server.sh") == 0 && is_whole(rows("server.csv"))
                 && has_line(text_of("lines"), "n=64 kind=plain a=1 b=2 mode=slower"),
             "a server");
    RAN(BOTH "-o left.csv --server 'for i in 1 2 3; do read -r line || exit 0; echo 7; done'");
    RAN_CASE(program.status == 0 && count_of(rows("left.csv"), ",7\n") == 54,
             "a server that leaves after each third answer");
}

static void every_tuple(void)
{
    const mode_t mask = umask(022);
    struct stat st;
    RAN_CASE(RAN(BOTH "-o all.csv --run ./time.sh") == 0 && is_whole(rows("all.csv")),
             "every legal tuple once, with its time");
    RAN_CASE(count_lines(program.out.s) == 3 && count_lines(program.err.s) == 1,
             "a pipe gets the table and one line");
    RAN_CASE(has(program.out.s, "n=64 kind=plain           178  all 32 legal tuples  "
                                "a=1 b=1 mode=fast\n"),
             "the best tuple of a problem, and how many were measured");
    CASE(strncmp(text_of("all.csv"), HEAD, strlen(HEAD)) == 0, "the heading");
    CASE(stat("all.csv", &st) == 0 && (st.st_mode & 07777) == 0644, "who may read and write");
    umask(mask);
    RAN_CASE(RAN("kpred-train ingest hill.spec --data all.csv") == 0 && program.err.n == 0
                 && is_whole(rows_in(program.out.s)),
             "ingest reads it");
    RAN("/usr/bin/env KPRED_a=7 KPRED_mode=none %s/" BOTH "-o env.csv --run ./arguments.sh",
        program.build);
    RAN_CASE(is_whole(rows("env.csv")), "arguments and environment, whatever that held before");
}

#define BARE "/usr/bin/env -i 'PATH=%s' LC_ALL=C "

/* A spec of somebody else chooses no library, program or shell. */
static void names_of_a_spec_stay_out_of_the_environment(void)
{
    char want[8192];
    RAN_CHECK(RAN(BARE "/bin/sh -c 'env; :'", getenv("PATH")) == 0);
    snprintf(want, sizeof want, "%s%s", program.out.s,
             "KPRED_BASH_ENV=/x\nKPRED_ENV=/x\nKPRED_IFS=x\nKPRED_LD_PRELOAD=/x/evil.so\n"
             "KPRED_PATH=/x\nKPRED_n=1\n");
    RAN_CHECK(RAN(BARE "%s/kpred-train tune hostile.spec --problems one.in -o hostile.csv "
                       "--budget 1 --run 'env | grep -v KEEPER >seen; echo 1; :'",
                  getenv("PATH"), program.build)
              == 0);
    CHECK_OF(same(text_of("seen"), want), text_of("seen"));
}

/* On a terminal one line is written again and again. */
static void a_terminal(void)
{
    int launch, seconds, best, a, b, is_shown = 0;
    NEEDS("terminal");
    RAN_CHECK(RAN("/usr/bin/env script -qec '%s/" FEW "-o seen.csv --run \"sleep 0.1; ./time.sh\" "
                  "--budget 4' /dev/null",
                  program.build)
              == 0);
    for (const char *p = program.out.s; (p = strstr(p, "problem 1 of 1, ")) != NULL; p++)
        is_shown |= sscanf(p, "problem 1 of 1, launch %d of 4, 0:0%d left, best %d us: a=%d b=%d",
                           &launch, &seconds, &best, &a, &b)
                        == 5
                    && launch >= 2 && seconds <= 1 && a <= 4;
    RAN_CHECK(is_shown);
    CHECK(has(program.out.s, "4 of 22 legal tuples"));
}

/* No line of a terminal is longer than it, and a message does not stand behind the progress. */
static void a_narrow_terminal(void)
{
    size_t widest = 0;
    NEEDS("terminal");
    RAN_CHECK(RAN("/usr/bin/env script -qec 'stty cols 60; %s/" FEW
                  "-o narrow.csv --run \"sleep 0.1; "
                  "./time.sh; [ \\$KPRED_a = 1 ] #\"' /dev/null",
                  program.build)
              == 0);
    CHECK(has(program.out.s, "\r\033[Kkpred-train: n=8 kind=plain"));
    for (const char *p = program.out.s; (p = strstr(p, "\033[Kproblem ")) != NULL; p++) {
        const size_t n = strcspn(p + 3, "\r");
        widest = n > widest ? n : widest;
    }
    CHECK_EQ(widest, 59u);
}

/* What a command says on standard error does not stand behind the progress, and is all there. */
static void a_talkative_command(void)
{
    NEEDS("terminal");
    put_text("talk.sh", "printf 'one\\ntwo' >&2\nsleep 0.1\necho ' words' >&2\n./time.sh\n"
                        "printf last >&2\n");
    RAN_CHECK(RAN("/usr/bin/env script -qec '%s/" FEW
                  "-o talk.csv --run \"sh talk.sh\" --budget 3' "
                  "/dev/null",
                  program.build)
              == 0);
    CHECK_EQ(count_of(program.out.s, "one\r\n"), 3);
    CHECK_EQ(count_of(program.out.s, "\ntwo words\r\nlast\r\n"), 3);
    CHECK(count_of(program.out.s, "\r\033[Kone\r\n") >= 2);
    RAN_CHECK(RAN(FEW "-o quiet.csv --run 'sh talk.sh' --budget 3") == 0
              && count_of(program.err.s, "one\ntwo words\nlast") == 3);
}

/* What the table says of problems that failed, and of two kernels */
static void the_table_at_the_end(void)
{
    RAN(FEW "-o table.csv --run false --budget 1");
    RAN_CHECK(has(program.out.s, "1 of 22 legal tuples  each failed\n")
              && has(program.err.s, "1 tuple measured, of which 1 failed; 1 launch, "));
    RAN(FEW "-o table.csv --run false --budget 3");
    RAN_CHECK(has(program.out.s, "3 of 22 legal tuples  each failed\n"));
    RAN(FEW "-o table.csv --force --run ./time.sh --budget 5");
    RAN_CHECK(has(program.out.s, "5 of 22 legal tuples  a="));
    RAN("kpred-train tune --all hill.spec dale.spec --problems few.csv one.in --run ./time.sh "
        "-o table1.out table2.out --budget 30");
    RAN_CHECK(lines_like(program.out.s, "^kernel  problem ") == 1
              && lines_like(program.out.s, "^(hill|dale)  .* of (22|96) legal tuples  a=") == 2);
    RAN(FEW "-o table.csv --force --run ./time.sh --shard 2/2");
    RAN_CHECK(program.status == 0 && program.out.n == 0);
}

#define QUOTED "kpred-train tune quoted.spec --problems one.in "

static void values_with_blanks_and_quotes(void)
{
    static const char want[] = "1,\"a, b\",4\n1,c'd,3\n1,plain,5\n";
    RAN_CHECK(RAN(QUOTED "-o quoted.csv --run 'echo ${#KPRED_k}; :'") == 0);
    CHECK(same(strstr(text_of("quoted.csv"), "1,"), want));
    RAN_CHECK(RAN(QUOTED "-o quoted.csv --force --run false") == 0);
    RAN_CHECK(RAN(QUOTED "-o lines.csv --server 'while IFS= read -r line; do "
                         "eval \"set -- $line\"; echo $((${#2} - 2)); done'")
              == 0);
    CHECK(same(strstr(text_of("lines.csv"), "1,"), want));
    RAN_CHECK(RAN("kpred-train ingest quoted.spec --data lines.csv") == 0);
    CHECK(same(strstr(program.out.s, "1,"), want));
}

/* A file that was cut at any place becomes whole again, and no row stands there twice. */
static void a_file_cut_at_any_byte(void)
{
    char *whole = new_copy(text_of("server.csv"));
    const size_t head = (size_t)(rows_in(whole) - whole), size = strlen(whole);
    CHECK(size > 500);
    for (size_t n = 0; n < size; n += n < 80 ? 7 : 67) {
        put_text("part.csv", "%.*s", (int)n, whole);
        RAN_CHECK(RAN(BOTH "-o part.csv --server ./server.sh") == 0);
        RAN_CHECK(is_whole(rows("part.csv")) && strncmp(text_of("part.csv"), whole, head) == 0);
    }
}

/* What failed for another problem comes late, after what nothing is known of. */
static void failures_of_data(void)
{
    put_text("failed.csv", TABLE "%s%s",
             "64,plain,1,1,fast,101\n64,plain,1,1,slower,101\n64,plain,1,2,fast,102\n"
             "64,plain,1,2,slower,102\n64,plain,1,4,fast,104\n64,plain,1,4,slower,104\n"
             "64,plain,1,8,fast,108\n64,plain,1,8,slower,108\n",
             "64,plain,3,1,fast,failed\n64,plain,3,1,slower,failed\n"
             "64,plain,3,2,fast,failed\n64,plain,3,2,slower,failed\n");
    size_t early = 0, launches = 0;
    for (int seed = 1; seed <= 4; seed++) {
        remove("late.csv");
        RAN(FEW "--data failed.csv --run 'echo 5 #' -o late.csv --budget 10 --seed %d", seed);
        launches += count_lines(rows("late.csv"));
        early += count_of(rows("late.csv"), "plain,3,");
    }
    RAN_CASE(launches == 40 && early == 0, "--data: what failed there comes late");
}

static void budgets_and_order(void)
{
    static const struct {
        int budget, repeat;
        size_t launches, rows; /* of each problem */
    } v[] = {{1, 1, 1, 1}, {13, 1, 13, 13}, {13, 3, 13, 5}, {12, 4, 12, 3}, {5, 1, 5, 5}};
    char tuple[32], best[32];
    for (size_t i = 0; i < COUNT(v); i++) {
        remove("launches");
        remove("budget.csv");
        RAN(BOTH "-o budget.csv --run ./log.sh --budget %d --repeat %d", v[i].budget, v[i].repeat);
        CASE(program.status == 0 && count_of(text_of("launches"), "64,plain,") == v[i].launches
                 && count_of(text_of("launches"), "8,other,") == v[i].launches
                 && count_lines(rows("budget.csv")) == 2 * v[i].rows,
             "a budget of %d launches, each tuple %d times", v[i].budget, v[i].repeat);
    }
    RAN_CASE(RAN(BOTH "-o budget.csv --run ./log.sh --budget 9") == 0
                 && count_lines(text_of("launches")) == 18
                 && same(rows("budget.csv"), text_of("launches")),
             "a budget counts what earlier runs have launched");
    RAN(FEW "-o median.csv --run ./median.sh --repeat 3 --budget 6");
    RAN_CASE(program.status == 0 && count_lines(rows("median.csv")) == 2
                 && count_of(rows("median.csv"), ",4\n") == 2,
             "the median of repeats: of 1, 9, 4");
    RAN_CASE(RAN(BOTH "-o s1.csv --run ./time.sh --seed 7") == 0
                 && RAN(BOTH "-o s2.csv --run ./time.sh --seed 7") == 0
                 && RAN(BOTH "-o s3.csv --run ./time.sh --seed 8") == 0
                 && strcmp(text_of("s1.csv"), text_of("s2.csv")) == 0
                 && strcmp(text_of("s1.csv"), text_of("s3.csv")) != 0,
             "the same seed, the same order");
    /* With times of another problem the fastest of these comes first. */
    put_text("other.csv", TABLE "%s", wanted("64,plain", GOOD));
    RAN_CASE(RAN(FEW "--data other.csv --run ./time.sh -o data.csv --budget 1") == 0
                 && strcmp(text_of("data.csv"), HEAD ROW) == 0,
             "--data: a table of another problem");
    failures_of_data();
    RAN("kpred-train train hill.spec --data other.csv --split none --epochs 1 -o hill.h");
    RAN_CASE(RAN(FEW "--model hill.h --run ./time.sh -o model.csv --budget 1") == 0
                 && sscanf(rows("model.csv"), "8,plain,%31s", tuple) == 1
                 && RAN("kpred predict hill.h n=8 kind=plain -k 1 --beam 32 --csv") == 0
                 && sscanf(strchr(program.out.s, '\n'), " 1,0.%*[0-9],%31s", best) == 1
                 && strncmp(tuple, best, strlen(best)) == 0,
             "--model: its first tuple comes first");
}

static void four_shards_at_a_time(void)
{
    pid_t child[4];
    RAN_CHECK(RAN(SHARE "-o whole.csv") == 0);
    for (int i = 0; i < 4; i++)
        child[i] = START(SHARE "--shard %d/4 -o part.%d.csv", i + 1, i + 1);
    for (int i = 0; i < 4; i++)
        RAN_CHECK(FINISH(child[i]) == 0);
    RAN_CHECK(RAN(MERGE "part.1.csv part.2.csv part.3.csv part.4.csv -o joined.csv") == 0);
    CHECK(same(rows("joined.csv"), rows("whole.csv")));
    for (int n = 1; n <= 10; n++) {
        CHECK_EQ(has(text_of("part.2.csv"), say("\n%d,plain,", n)), n % 4 == 2);
    }
}

#define ENOUGH BOTH "--run ./time.sh --stop-at 2% "

/* A problem that has ended stays ended, and a run that goes on ends where a whole one does. */
static void stops_at_a_gain(void)
{
    RAN_CHECK(RAN("%s", ENOUGH "-o enough.csv") == 0);
    char *whole = new_copy(text_of("enough.csv"));
    RAN_CHECK(lines_like(program.err.s, "=(64 kind=plain|8 kind=other): stops after 2[0-9] "
                                        "launches: less than 2 % to gain, as expected$")
              == 2);
    CHECK(count_lines(rows("enough.csv")) >= 40 && count_lines(rows("enough.csv")) < 54);
    RAN_CHECK(RAN("%s", ENOUGH "-o enough.csv") == 0);
    RAN_CHECK(count_of(program.err.s, ": stops after 2") == 2);
    CHECK(strcmp(text_of("enough.csv"), whole) == 0);
    for (size_t n = strlen(whole) / 4; n < strlen(whole); n += strlen(whole) / 4) {
        put_text("rest.csv", "%.*s", (int)n, whole);
        RAN_CHECK(RAN("%s", ENOUGH "-o rest.csv") == 0);
        CHECK(strcmp(text_of("rest.csv"), whole) == 0);
    }
    for (int i = 1; i <= 2; i++)
        RAN_CHECK(RAN("%s", say("%s--shard %d/2 -o enough.%d.csv", ENOUGH, i, i)) == 0);
    RAN_CHECK(RAN(MERGE "enough.1.csv enough.2.csv -o enough_joined.csv") == 0);
    CHECK(same(rows("enough_joined.csv"), rows_in(whole)));
    RAN_CHECK(RAN("%s", ENOUGH "-o few_launches.csv --budget 13") == 0);
    RAN_CHECK(RAN(BOTH "-o plain_launches.csv --run ./time.sh --budget 13") == 0);
    CHECK(strcmp(text_of("few_launches.csv"), text_of("plain_launches.csv")) == 0);
}

#define ALL \
    "kpred-train tune --all hill.spec dale.spec --problems counted.in one.in --run ./rough.sh "

static size_t n_rows(const char *path)
{
    return lines_like(text_of(path), "^[0-9]");
}

/* One budget for two kernels; what was measured is not measured again, and the same command finds
   the same. */
static void a_library(void)
{
    RAN_CHECK(RAN("%s", ALL "-o hill.out dale.out --budget 30") == 0);
    RAN_CHECK(has(program.err.s, "the counts are summed up")
              && has(program.err.s, "one.in:1: there is no column \"count\""));
    char *first = new_copy(text_of("hill.out"));
    /* Each has its first four; nearly all else goes to the one that runs 1200 times. */
    CHECK(lines_like(first, "^64,plain") >= 14);
    CHECK(lines_like(first, "^8,other") == 4 && lines_like(first, "^16,plain") == 4);
    CHECK(n_rows("dale.out") >= 4);
    RAN_CHECK(RAN("%s", ALL "-o again.out dale2.out --budget 30") == 0);
    CHECK(strcmp(text_of("again.out"), first) == 0);
    RAN_CHECK(RAN("%s", ALL "-o hill.out dale.out --budget 55") == 0);
    CHECK_EQ(n_rows("hill.out") + n_rows("dale.out"), 55u);
    CHECK(begins(text_of("hill.out"), first));
    RAN_CHECK(RAN("%s", ALL "-o hill.out dale.out") == 0);
    CHECK_EQ(n_rows("hill.out"), 32u + 22u + 28u);
    CHECK_EQ(n_rows("dale.out"), 96u);
    RAN_CHECK(RAN("%s", ALL "-o shard.out dale3.out --budget 9 --shard 2/3") == 0);
    CHECK(n_rows("shard.out") == 9 && lines_like(text_of("shard.out"), "^8,other") == 9);
}

/* The problem whose share of the time is large ends, and the others get what it leaves. */
static void a_library_stops(void)
{
    RAN_CHECK(RAN("kpred-train tune --all hill.spec --problems counted.in --run ./time.sh "
                  "-o stopped.out --stop-at 2%%")
              == 0);
    CHECK(count_of(program.err.s, ": stops after 2") >= 2);
    CHECK(n_rows("stopped.out") >= 60 && n_rows("stopped.out") < 82);
}

static void merges(void)
{
    put_text("again.csv", "%s", "# kpred-train tune: hill\n# ./old.sh\n" TABLE ROW);
    RAN_CASE(RAN(MERGE "good.csv again.csv -o old.csv") == 0
                 && has(program.err.s, "again.csv: was measured by another command than good.csv: "
                                       "by `./old.sh`, and that by `./time.sh`\n")
                 && RAN(INTO "old.csv --budget 1") == 0,
             "merge: another command is told, and each of both goes on");
    test_put_edited("edited.csv", text_of("part.1.csv"));
    RAN_CASE(RAN(MERGE "edited.csv joined.csv joined.csv -o twice.csv") == 0
                 && same(text_of("twice.csv"), text_of("joined.csv"))
                 && strncmp(text_of("twice.csv"), HEAD, strlen(HEAD)) == 0,
             "merge: identical rows once, one file with CRLF and a byte order mark");
    RAN_CASE(RAN(MERGE "cut.csv -o whole.csv --force") == 0
                 && strcmp(text_of("whole.csv"), HEAD ROW) == 0
                 && has(program.err.s, "cut.csv: its last line has no end"),
             "merge: a line without an end");
    RAN_CASE(RAN(MERGE "good.csv contrary.csv -o no.csv") == 1 && program.out.n == 0
                 && has(program.err.s, "contrary.csv:4: the tuple has the time 77 here, and"),
             "merge: rows that contradict");
    REFUSES("merge: onto a file that is there", 1,
            "joined.csv: is there already; --force replaces it", MERGE "good.csv -o joined.csv");
    RAN_CASE(same(text_of("joined.csv"), text_of("twice.csv"))
                 && RAN(MERGE "good.csv -o joined.csv --force") == 0
                 && strcmp(text_of("joined.csv"), text_of("good.csv")) == 0,
             "merge: --force");
}

/* What races wrote: repeats, and the environment of each file */
#define RACED(device) "# kpred-train tune: hill\n# device: " device "\n# driver: 1\n" TABLE
#define MERGED(rest)  "merge: of races: " rest

static void merges_races(void)
{
    put_text("raced.csv", RACED("one") ROW);
    put_text("again.csv", RACED("one") "8,plain,1,1,fast,130\n");
    put_text("other.csv", RACED("two") "8,plain,1,1,fast,9\n");
    RAN_CASE(RAN(MERGE "raced.csv again.csv -o no.csv") == 1, MERGED("repeats are told"));
    RAN_CASE(RAN(MERGE "raced.csv again.csv other.csv -o raced_all.csv --repeats") == 0
                 && strcmp(text_of("raced_all.csv"), RACED("one") ROW "8,plain,1,1,fast,130\n") == 0
                 && has(program.err.s, "other.csv: left out: \"# device: two\" is not the "
                                       "\"# device: one\" of raced.csv"),
             MERGED("repeats stay, another device is told and left out"));
    RAN_CASE(RAN("kpred-train ingest hill.spec --data raced.csv again.csv other.csv") == 0
                 && same(program.out.s, TABLE ROW "8,plain,1,1,fast,130\n")
                 && has(program.err.s, "other.csv: left out: "),
             "ingest: the same");
}

/* What tune says of a list of problems, or of a file that it is to add to, and what merge says of
   that behind another one */
static void refused_text(const char *row, const char *says, const char *merge_says)
{
    static int n;
    const int is_list = begins(row, "kind,") || begins(row, "n\n");
    const char *text = begins(row, "{}") ? say(HEAD ROW "%s", row + 2) : row;
    const char *name = say("%s.%d", is_list ? "list" : "table", n++);
    put_text(name, "%s", text);
    REFUSES(says, 1, say("kpred-train: %s%s", name, says), TUNE "%s --run ./time.sh -o %s",
            is_list ? name : "few.csv", is_list ? "no.csv" : name);
    if (*merge_says != '\0')
        REFUSES(merge_says, 1, say("kpred-train: %s%s", name, merge_says),
                MERGE "good.csv %s -o no.csv", name);
    CASE(strcmp(text_of(name), text) == 0, "%s is as it was", name);
}

static void put_row(const char *path, const char *text)
{
    if (ends_with(path, ".sh"))
        put_command(path, text);
    else
        put_text(path, "%s", text);
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "bad") == 0)
        bad[n_bad++] = (struct bad){*c[0] == 's' ? SERVER : COMMAND, xstrdup(c[1]), xstrdup(c[2]),
                                    xstrdup(c[3]), xstrdup(c[4])};
    else if (strcmp(kind, "stray") == 0)
        stray_case(c + 1);
    else if (strcmp(kind, "file") != 0 && strcmp(kind, "text") != 0)
        REFUSES(c[0], atoi(c[1]), c[2], "%s%s", begins(c[3], "kpred-train ") ? "" : TUNE, c[3]);
    else if (strcmp(kind, "text") == 0)
        refused_text(c[0], c[1], c[2]);
    else if (!is_there(c[0]))
        put_row(c[0], c[1]);
    else if (!ends_with(c[0], ".sh"))
        CASE(strcmp(text_of(c[0]), c[1]) == 0, "%s is as it was", c[0]);
}

static void refusals_leave_all_as_it_was(void)
{
    static const char *const missing[] = {"--run no_such_command", "--run ./hill.spec",
                                          "--server no_such_command"};
    run_cases("tune");
    run_cases("text");
    for (size_t i = 0; i < COUNT(missing); i++) /* of which the shell tells, too */
        RAN_CASE(RAN(FEW "-o stops.csv --force %s", missing[i]) == 1 && program.out.n == 0
                     && has(program.err.s, strrchr(missing[i], ' ') + 1)
                     && has(program.err.s, ": is not found, or is not a program"),
                 missing[i]);
    if (is_there(in_root("weights/conv_asm_1x1u.h")))
        REFUSES("a model of another kernel", 1, "is a model of another kernel: of conv_asm_1x1u",
                INTO "no.csv --model %s", in_root("weights/conv_asm_1x1u.h"));
    else
        test_now.skipped++, puts("skip a model of another kernel: the weights are not there");
    run_cases("file");
    CASE(!is_there("no.csv") && !is_there("stops.csv"), "nothing was made");
}

/* What was written of a row is taken back. */
static void a_full_disk(void)
{
    RAN_CHECK(RAN(WITH("trap \"\" XFSZ; ulimit -f 1", BOTH "-o room.csv --run ./time.sh")) == 1);
    RAN_CHECK(has(program.err.s, "room.csv: cannot write: "));
    char *some = new_copy(rows("room.csv")), *at = some, *line;
    CHECK(count_lines(some) > 5 && ends_with(some, "\n"));
    while ((line = next_line(&at)) != NULL)
        CHECK_OF(has_line(wanted("64,plain 8,other", GOOD), line), line);
    RAN_CHECK(RAN(BOTH "-o room.csv --run ./time.sh") == 0);
    RAN_CHECK(is_whole(rows("room.csv")));
}

/* The first one waits until a file is there. */
static void two_tuners_one_file(void)
{
    const pid_t first = START(FEW "--run ./wait.sh --budget 1 -o one.csv");
    REQUIRE(comes("begun"));
    RAN_CHECK(program_refuses(
        1, "one.csv: another tuner writes it now: give each shard a file of its own",
        FEW "--run ./time.sh --shard 1/1 -o one.csv"));
    put_text("go", "%s", "");
    RAN_CHECK(FINISH(first) == 0);
    CHECK_EQ(count_lines(rows("one.csv")), 1);
}

/* A signal that ends the tuner ends the command as well, which sleeps. */
static void signals(void)
{
    static const int numbers[] = {SIGTERM, SIGHUP, SIGKILL};
    int held;
    signal(SIGHUP, SIG_DFL); /* nohup ignores it, for all that it starts */
    for (size_t i = 0; i < COUNT(numbers); i++) {
        remove("begun");
        remove("ended.csv");
        const pid_t child = start_held(&held, FEW "--run ./long.sh -o ended.csv");
        const int has_begun = comes("begun") && kill(child, numbers[i]) == 0;
        RAN_CASE(has_begun && FINISH(child) == 128 + numbers[i] && *rows("ended.csv") == '\0'
                     && none_is_left(held)
                     && (numbers[i] == SIGKILL
                         || has(program.err.s, ": interrupted: this goes on: " FEW
                                               "--run ./long.sh -o ended.csv\n")),
                 say("signal %d", numbers[i]));
    }
}

#define MANY                                                                           \
    "32,plain\n32,other\n36,plain\n36,other\n40,plain\n40,other\n44,plain\n44,other\n" \
    "48,plain\n48,other\n52,plain\n52,other\n"

/* Each kill loses the measurement in flight at most, which is a launch without its row. In the end
   the file has no row twice and all that a run without kills has. A command that a killed tuner
   leaves may count its launch a moment later. */
static void sixty_kills(void)
{
    static const char line[] = TUNE "many.csv --run 'echo >>counted; ./time.sh' -o killed.csv";
    uint64_t seed = 12;
    size_t lost = 0, now, n_rows;
    int end;
    put_text("many.csv", "n,kind\n%s", MANY);
    for (size_t n = 1; n <= 60; n++, lost = now) {
        const pid_t child = start_held(&end, line);
        nap(test_between(&seed, 0, 20000));
        REQUIRE(kill(child, SIGKILL) == 0 && FINISH(child) == 128 + SIGKILL && none_is_left(end));
        n_rows = count_lines(rows("killed.csv"));
        now = count_lines(text_of("counted")) - n_rows;
        REQUIRE(now <= lost + 2 && now <= n);
        if (n_rows > 200) { /* so that it never ends by itself */
            remove("killed.csv");
            remove("counted");
            now = 0;
        }
    }
    RAN_CHECK(RAN("%s", line) == 0);
    CHECK(same(rows("killed.csv"), wanted(MANY, GOOD)));
}

/* What waits for the clock does so beside the rest. */
int main(void)
{
    program_begin();
    run_cases("file");
    run_cases("bad");
    if (RAN("/bin/sh -c 'command -v setsid'") != 0)
        test_now.skipped++, puts("skip sessions of their own: there is no setsid");
    int held[2];
    const pid_t command = begin_bad(COMMAND, held), server = begin_bad(SERVER, held + 1);
    const pid_t timed = START(BOTH "-o duration.csv --run ./slow.sh --budget 2s");
    every_tuple();
    RUN_ALL(names_of_a_spec_stay_out_of_the_environment, a_terminal, a_narrow_terminal,
            a_talkative_command, the_table_at_the_end, values_with_blanks_and_quotes);
    servers_and_outputs();
    run_cases("stray");
    RUN(a_file_cut_at_any_byte);
    budgets_and_order();
    RUN_ALL(four_shards_at_a_time, stops_at_a_gain, a_library, a_library_stops);
    merges();
    merges_races();
    refusals_leave_all_as_it_was();
    RUN(a_full_disk);
    /* Each launch takes 0.3 s; the time is shared by the two problems. */
    RAN_CASE(FINISH(timed) == 0 && has(text_of("slow"), "plain") && has(text_of("slow"), "other")
                 && count_lines(text_of("slow")) <= 8,
             "a budget of time");
    end_bad(COMMAND, command, held[0]);
    end_bad(SERVER, server, held[1]);
    RAN_CASE(count_lines(text_of("starts")) >= 4, "a server that died is started again");
    RUN(two_tuners_one_file);
    signals();
    RUN(sixty_kills);
    return program_end();
}
