/* test_user_db.c - kpred miopen -o and --sqlite: what a user's perf-db holds stays
   SPDX-License-Identifier: MIT */
#include "data/sample.h"
#include "logs.h"

#include <signal.h>

#define run_cases(kind) each_row_of("tests/miopen/calls.cases", kind, see_case)

#define KPRED   "kpred miopen --gpu gfx906_60 "
#define USER    "dir/user.txt"
#define O       KPRED "-o " USER " "
#define DB      "dir/gfx906_60.db"
#define S       KPRED "--sqlite " DB " "
#define INGEST  "kpred-train ingest %s/weights/conv_%s.spec --data " DB
#define FOREIGN "1-1-1-3x3-2-3-3-128-0x0-1x1-1x1-0-NCHW-FP32-B=ConvX:1,2\n"
#define NHWC    "1-9-9-1x1-6-9-9-8-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F=ConvX:1;ConvY:k<1, 2>\n"
#define NONE    "@" /* of a step: the output is not there before */

/* A run with an output. Before: its text; @FILE: that of a file; $SQL: what it does to the last
   one, or +SQL to a new one; NULL: the last one. After: its text; *TEXT: it has this part; =FILE:
   it is worth that perf-db; $SQL|ROWS: these are in it; NULL: as before, byte for byte. */
struct step {
    const char *name, *before, *line;
    int status;
    const char *told, *after; /* told: part of what it complains of, or !TEXT: no part */
};

static char *wanted; /* what it prints of `both` */

/* {K}={ENTRY};{REST} is the line there of a problem with entries of several solvers, the first one
   of ConvAsm1x1U; {BEFORE} and {BEHIND} are the others. */
static void let_key(void)
{
    char key[128], entry[128], rest[512];
    const char *line = wanted;
    for (int n = 0; line != NULL; line = strchr(line, '\n'), line += line != NULL)
        if (sscanf(line, "%127[^=]=%127[^;\n];%511[^\n]", key, entry, rest) == 3
            && strncmp(entry, "ConvAsm1x1U:", 12) == 0 && ++n == 3)
            break;
    if (line == NULL)
        program_stop("a problem with entries of several solvers");
    let("K", key);
    let("ENTRY", entry);
    let("REST", rest);
    put_part("before", "wanted.txt", 0, (size_t)(line - wanted), "");
    let("BEFORE", text_of("before"));
    let("BEHIND", strchr(line, '\n') + 1);
}

static const char *printed(const char *arguments)
{
    return RAN(KPRED "%s", arguments) == 0 ? program.out.s : "";
}

static void new_folder(void)
{
    remove_tree("dir");
    if (mkdir("dir", 0777) != 0)
        program_stop("dir");
}

/* Is nothing else in the folder? */
static int is_alone(const char *name)
{
    size_t n = 0, others = 0;
    DIR *d = opendir("dir");
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; n++)
        others += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0
                  && strcmp(e->d_name, base_name(name)) != 0;
    return d != NULL && closedir(d) == 0 && n > 0 && others == 0;
}

#ifdef HAVE_SQLITE
static int add_row(void *rows, int n, char **cells, char **names)
{
    (void)names;
    for (int i = 0; i < n; i++)
        buf_printf(rows, "%s%c", cells[i] != NULL ? cells[i] : "NULL", i + 1 < n ? '|' : '\n');
    return 0;
}

/* The rows of statements, with bars between their cells */
static const char *sql(const char *statements)
{
    struct buf *rows = new_text();
    sqlite3 *db = NULL;
    char *message = NULL;
    if (sqlite3_open(DB, &db) != SQLITE_OK
        || sqlite3_exec(db, statements, add_row, rows, &message) != SQLITE_OK)
        buf_printf(rows, "%s: %s\n", statements, message != NULL ? message : DB);
    sqlite3_free(message);
    sqlite3_close(db);
    return rows->s;
}

/* The rows of a key=solver:values;... as {LINES} has them, without the sizes of the output, the
   sixth and seventh number; where two keys are one row, the first of them has it. */
static void add_rows(struct buf *rows, char *line)
{
    int from = 0, to = 0;
    char *key_end = strchr(line, '='), *entry = key_end + 1, *values;
    sscanf(line, "%*d-%*d-%*d-%*dx%*d-%*d%n-%*d-%*d%n", &from, &to);
    for (; (entry = strtok(entry, ";")) != NULL; entry = NULL) {
        values = strchr(entry, ':');
        *values++ = '\0';
        const char *row =
            say("\n%.*s%.*s|%s|", from, line, (int)(key_end - line) - to, line + to, entry);
        if (!has(rows->s, row))
            buf_printf(rows, "%s%s", row, values);
    }
}

/* What is asked of a database whatever its rows are */
static int has_schema;
static void see_schema(const char *kind, char *const *c)
{
    (void)kind;
    has_schema = has_schema && strcmp(sql(c[0]), c[1]) == 0;
}

/* Is the database worth the perf-db of text? */
static int same_rows(const char *path)
{
    struct buf *rows = new_text();
    char *text = new_copy(text_of(path)), *at = text, *line;
    while ((line = next_line(&at)) != NULL)
        add_rows(rows, line);
    buf_puts(rows, "\n");
    has_schema = 1;
    each_row_of("tests/miopen/calls.cases", "schema", see_schema);
    return has_schema && strcmp(sorted(sql(filled("{LINES}"))), sorted(rows->s + 1)) == 0;
}
#else
static const char *sql(const char *statements)
{
    return statements;
}

static int same_rows(const char *path)
{
    return path == NULL;
}
#endif

static void put_before(const char *path, const char *before)
{
    if (before == NULL)
        return;
    if (*before != '$')
        new_folder();
    if (*before == '$' || *before == '+')
        sql(before + 1);
    else if (*before == '@' && before[1] != '\0')
        RAN("/usr/bin/env cp %s %s", before + 1, path);
    else if (*before != '@')
        put_text(path, "%s", before);
}

/* Also those of a NUL byte and behind it */
static void take_bytes(struct buf *b, const char *path)
{
    if (is_there(path) && *text_of(path) != '\0')
        read_file(path, 1 << 26, b);
}

static int is_after(const struct step *s, const char *path, const struct buf *before)
{
    struct buf *now = new_text();
    take_bytes(now, path);
    int is = now->n == before->n && memcmp(now->s, before->s, now->n) == 0;
    if (s->after != NULL)
        is = *s->after == '*' ? has(now->s, s->after + 1) : strcmp(now->s, s->after) == 0;
    if (s->after != NULL && *s->after == '=')
        is = same_rows(s->after + 1);
    if (s->after != NULL && *s->after == '$')
        is = strcmp(sql(say("%.*s", (int)strcspn(s->after + 1, "|"), s->after + 1)),
                    strchr(s->after, '|') + 1)
             == 0;
    return is;
}

/* Begins a run that may write so many bytes into a file; 0: any number. */
static pid_t start_within(rlim_t bytes, const char *line)
{
    struct rlimit all, few;
    if (bytes == 0)
        return START("%s", line);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    few = all;
    few.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &few);
    const pid_t child = START("%s", line);
    setrlimit(RLIMIT_FSIZE, &all);
    return child;
}

static int is_met(const struct step *s, const char *path, rlim_t bytes)
{
    struct buf *before = new_text();
    put_before(path, s->before);
    take_bytes(before, path);
    const int there = is_there(path);
    return FINISH(start_within(bytes, s->line)) == s->status && program.out.n == 0 && is_alone(path)
           && (*s->told == '!' ? !has(program.err.s, s->told + 1) : has(program.err.s, s->told))
           && is_there(path) == (s->status == 0 || there) && is_after(s, path, before);
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "name") == 0) {
        let(c[0], c[1]);
        return;
    }
    const struct step step = {c[0],         *c[1] != '\0' ? filled(c[1]) : NULL,
                              filled(c[2]), atoi(c[3]),
                              filled(c[4]), *c[5] != '\0' ? filled(c[5]) : NULL};
    RAN_CASE(is_met(&step, *kind == 's' ? DB : USER, 0), step.name);
}

static void merging(void)
{
    struct buf *many = new_text();
    for (int i = 0; i < 14; i++)
        buf_printf(many, "broken %d\n", i);
    let("MANY", many->s);
    let("RESNET", printed("resnet50.log"));
    let("BOTH", sorted(filled("{WANTED}" FOREIGN NHWC)));
    let("ONE", sorted(filled("{WANTED}" FOREIGN)));
    let("JOINED", sorted(filled(say("{WANTED}%.*s;ConvY:3\n", (int)strlen(FOREIGN) - 1, FOREIGN))));
    put_text("empty", "%s", "");
    put_text("pool", DRIVER "pool\n");
    put_text("log", DRIVER "conv " STRIDED " -F 1\n");
    const char *entry = strstr(printed("log"), "ConvAsm1x1U:");
    let("LEGAL", entry != NULL ? say("%.*s", (int)strcspn(entry, ";\n"), entry) : "");
    run_cases("merge");
}

static void refused_outputs(void)
{
    put_noise("noise");
    put_text("zero", DRIVER "conv -n 0\n");
    put_text("nul", FOREIGN "%c" FOREIGN, 0);
    RAN("/usr/bin/env cp %s/kpred program", program.build);
    run_cases("output");
}

static void a_disk_that_runs_full(void)
{
    put_before(USER, FOREIGN);
    RAN_CHECK(FINISH(start_within(512, O "both")) == 1 && strcmp(text_of(USER), FOREIGN) == 0
              && is_alone(USER));
}

static void no_permission(void)
{
    static const struct step read_only = {"", NULL, O "both", 1, USER, NULL};
    if (geteuid() == 0) {
        test_skip("root may read and write all");
        return;
    }
    put_before(USER, FOREIGN);
    CHECK(chmod("dir", 0500) == 0);
    RAN_CHECK(is_met(&read_only, USER, 0));
    CHECK(chmod("dir", 0700) == 0 && chmod(USER, 0) == 0);
    RAN_CHECK(RAN(O "both") == 1 && program.out.n == 0 && has(program.err.s, USER ": "));
    RAN_CHECK(has(program.err.s, "denied"));
}

/* A log of a problem with n images */
static const char *problem(int n)
{
    const char *path = say("log%d", n);
    put_text(path, DRIVER "conv -n %d -c 64 -H 28 -W 28 -k 64 -y 1 -x 1 -F 1\n", n);
    return path;
}

/* A pipe opens when the program has looked at its output and begins to read the log. */
static void what_is_written_meanwhile(void)
{
    put_before(USER, FOREIGN);
    REQUIRE(mkfifo("pipe", 0666) == 0);
    const pid_t child = START(O "pipe");
    alarm(PROGRAM_SECONDS);
    FILE *pipe = fopen("pipe", "w"), *user = fopen(USER, "a");
    REQUIRE(pipe != NULL && user != NULL);
    CHECK(fputs(NHWC, user) >= 0 && fclose(user) == 0);
    CHECK(fputs(text_of(problem(1)), pipe) >= 0 && fclose(pipe) == 0);
    RAN_CHECK(FINISH(child) == 0);
    alarm(0);
    RAN_CHECK(has(text_of(USER), FOREIGN) && has(text_of(USER), NHWC));
    RAN_CHECK(has(text_of(USER), "=ConvAsm1x1U:"));
}

/* Programs at a time, each with a problem of its own: do all end well? */
static int run_at_a_time(int n, const char *output, const char *before)
{
    pid_t children[40];
    int good = 1;
    put_before(USER, before);
    for (int i = 0; i < n; i++)
        children[i] = START("%s %s", output, problem(i + 1));
    for (int i = 0; i < n; i++)
        good = FINISH(children[i]) == 0 && good;
    return good;
}

static int are_forty(const char *before, size_t n_before)
{
    int all = run_at_a_time(40, O, before) && is_alone(USER);
    for (int i = 1; i <= 40; i++) {
        const char *line = say("64-28-28-1x1-64-28-28-%d-0x0-1x1-1x1-0-NCHW-FP32-F=", i);
        all = all && has(text_of(USER), say("%sConvAsm1x1U:", line));
    }
    return all && count_lines(text_of(USER)) == 40 + n_before
           && (n_before == 0 || has(text_of(USER), before));
}

#ifdef HAVE_SQLITE
static void steps_of_sqlite(void)
{
    put_text("images", DRIVER "conv -n 16 -c 64 -H 55 -W 55 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n" DRIVER
                              "conv -n 16 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n");
    /* Two of its lines share a row: SQLite has no place for theirs. */
    put_text("images.txt", "%s", printed("images"));
    CASE(count_lines(program.out.s) == 4, "SQLite, four problems");
    RAN(KPRED "--sqlite cut.db resnet50.log");
    CASE(truncate("cut.db", 9000) == 0, "SQLite, a database is cut off");
    run_cases("sqlite");
    CASE(!is_there("x.txt"), "SQLite, two outputs: neither is made");
}

static void databases_are_data(void)
{
    static const char *const kernels[] = {"asm_1x1u", "ocl_direct_fwd_1x1", "asm_bwd_wrw_1x1",
                                          "asm_bwd_wrw_3x3"};
    new_folder();
    RAN_CHECK(RAN(S "both") == 0);
    for (size_t i = 0; i < COUNT(kernels); i++) {
        RAN_CHECK(RAN(INGEST, program.root, kernels[i]) == 0);
        RAN_CHECK(count_lines(program.out.s) > 1);
    }
}

/* Another process writes: the error says so, and does not take for ever, though long enough for the
   other tests of databases to run meanwhile. */
static pid_t begin_locked(sqlite3 **writer)
{
    RAN(KPRED "--sqlite locked.db mobilenet.log");
    RAN("/usr/bin/env cp locked.db same.db");
    if (sqlite3_open("locked.db", writer) != SQLITE_OK
        || sqlite3_exec(*writer, "begin exclusive", NULL, NULL, NULL) != SQLITE_OK)
        program_stop("locked.db");
    return START(KPRED "--sqlite locked.db both");
}

static int is_locked(pid_t child, sqlite3 *writer)
{
    const int refused = FINISH(child) == 1 && program.out.n == 0 && has(program.err.s, "locked");
    sqlite3_close(writer);
    return refused && RAN("/usr/bin/env cmp same.db locked.db") == 0;
}

/* Without room for a database of all problems, what a run made is removed, what was there stays,
   and what another run makes meanwhile is there. */
static void a_database_on_a_full_disk(void)
{
    static const struct step full = {"", NULL, S "both", 1, DB ": SQLite: ", NULL};
    new_folder();
    RAN_CHECK(is_met(&full, DB, 8192));
    RAN_CHECK(RAN(S "%s", problem(1)) == 0);
    RAN_CHECK(is_met(&full, DB, 8192));
    for (int n = 1; n <= 10; n++) {
        new_folder();
        const pid_t fails = start_within(8192, S "both");
        RAN_CHECK(RAN(S "%s", problem(n)) == 0);
        RAN_CHECK(FINISH(fails) == 1 && has(program.err.s, DB ": SQLite: "));
        RAN(INGEST, program.root, "asm_1x1u");
        RAN_CHECK(has(program.out.s, say("\ngfx906_60,F,FP32,%d,64,28,28,64,1,", n))
                  && count_lines(program.out.s) == 2);
    }
}

static void databases(void)
{
    sqlite3 *writer;
    const pid_t locked = begin_locked(&writer);
    steps_of_sqlite();
    RUN(databases_are_data);
    RUN(a_database_on_a_full_disk);
    RAN_CASE(run_at_a_time(30, S, NONE)
                 && strcmp(sql("select count(distinct batchsize) from config"), "30\n") == 0
                 && is_alone(DB),
             "SQLite, thirty at a time");
    RAN_CASE(is_locked(locked, writer), "SQLite, a database that another process writes");
}
#else
static void databases(void)
{
    skip_case("SQLite", "make found no SQLite");
}
#endif

int main(void)
{
    program_begin();
    wanted = put_both();
    put_text("wanted.txt", "%s", wanted);
    run_cases("name");
    let("WANTED", wanted);
    let("ALL", say("%zu", count_of(wanted, ":")));
    let_key();
    put_text("foreign", FOREIGN);
    merging();
    RUN(what_is_written_meanwhile);
    RAN_CASE(are_forty(NONE, 0), "-o, forty at a time, a new file");
    RAN_CASE(are_forty(FOREIGN, 1), "-o, forty at a time");
    refused_outputs();
    RUN(a_disk_that_runs_full);
    RUN(no_permission);
    databases();
    return program_end();
}
