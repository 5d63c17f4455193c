/* test_user_db.c - kpred miopen -o and --sqlite: what a user's perf-db holds stays
   SPDX-License-Identifier: MIT */
#include "logs.h"

#include <signal.h>
#include <sys/resource.h>

#define KPRED        "kpred miopen --gpu gfx906_60 "
#define TRAINER      "kpred-train miopen --gpu gfx906_60 "
#define USER         "dir/user.txt"
#define O            KPRED "-o " USER " "
#define DB           "dir/gfx906_60.db"
#define S            TRAINER "--sqlite " DB " "
#define PYTHON       "/usr/bin/env python3 %s/tests/miopen/"
#define INGEST       "kpred-train ingest %s/weights/conv_%s.spec --data " DB
#define NO_DB        USER ": is no perf-db"
#define FOREIGN_KEY  "1-1-1-3x3-2-3-3-128-0x0-1x1-1x1-0-NCHW-FP32-B"
#define FOREIGN_LINE FOREIGN_KEY "=ConvX:1,2"
#define FOREIGN      FOREIGN_LINE "\n"
#define NHWC_LINE    "1-9-9-1x1-6-9-9-8-0x0-1x1-1x1-0-NHWC-NHWC-NHWC-FP32-F=ConvX:1;ConvY:k<1, 2>"
#define NHWC         NHWC_LINE "\n"
#define MINE         "ConvAsm1x1U:1,1,1,1,1,1,1,1"
#define NINES        "9,9,9,9,9,9,9,9"
#define KEPT         ": the entry is kept as it is\n"
#define LINE_KEPT    ": the line is kept as it is\n"
#define NONE         "@" /* of a step: the output is not there before */

/* A run with an output. Before: its text; @FILE: that of a file; $SQL: what it does to the last
   one, or +SQL to a new one; NULL: the last one. After: its text; *TEXT: it has this part; =FILE:
   it is worth that perf-db; $SQL|ROWS: these are in it; NULL: as before, byte for byte. */
struct step {
    const char *name, *before, *line;
    int status;
    const char *told, *after; /* told: part of what it complains of, or !TEXT: no part */
};

static char *wanted; /* what it prints of `both` */
/* The line there of a problem with entries of several solvers: key, ConvAsm1x1U's, the others */
static char key[128], asm_entry[128], rest[512];

static void find_key(void)
{
    const char *line = wanted;
    for (int n = 0; line != NULL; line = strchr(line, '\n'), line += line != NULL)
        if (sscanf(line, "%127[^=]=%127[^;\n];%511[^\n]", key, asm_entry, rest) == 3
            && strncmp(asm_entry, "ConvAsm1x1U:", 12) == 0 && ++n == 3)
            return;
    program_stop("a problem with entries of several solvers");
}

/* The output with that problem's line as this one */
static char *with_line(const char *format, const char *first)
{
    struct buf b = {0};
    const char *line = strstr(wanted, key);
    buf_printf(&b, "%.*s%s=", (int)(line - wanted), wanted, key);
    buf_printf(&b, format, first, rest);
    buf_puts(&b, strchr(line, '\n'));
    return b.s;
}

static char *printed(const char *arguments)
{
    return xstrdup(RAN(KPRED "%s", arguments) == 0 ? program.out.s : "");
}

/* ---- steps ---- */

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

static void take_file(struct buf *b, const char *path)
{
    struct stat st;
    buf_puts(b, "");
    if (stat(path, &st) == 0 && st.st_size > 0)
        read_file(path, 1 << 26, b);
}

/* The rows of statements, up to a `|`, each with a newline */
static const char *sql(const char *statements)
{
    put_text("statements", "%.*s", (int)strcspn(statements, "|"), statements);
    RAN(PYTHON "sql.py run " DB " < statements", program.root);
    return program.out.s;
}

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

static int is_after(const struct step *s, const char *path, const struct buf *before)
{
    struct buf now = {0};
    take_file(&now, path);
    int is = now.n == before->n && memcmp(now.s, before->s, now.n) == 0;
    if (s->after != NULL)
        is = *s->after == '*' ? has(now.s, s->after + 1) : strcmp(now.s, s->after) == 0;
    if (s->after != NULL && *s->after == '=')
        is = RAN(PYTHON "same_rows.py " DB " %s", program.root, s->after + 1) == 0;
    if (s->after != NULL && *s->after == '$')
        is = strcmp(sql(s->after + 1), strchr(s->after, '|') + 1) == 0;
    buf_free(&now);
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
    struct buf before = {0};
    put_before(path, s->before);
    take_file(&before, path);
    const int there = is_there(path);
    int met = FINISH(start_within(bytes, s->line)) == s->status && program.out.n == 0
              && is_alone(path)
              && (*s->told == '!' ? !has(program.err.s, s->told + 1) : has(program.err.s, s->told))
              && is_there(path) == (s->status == 0 || there);
    met = met && is_after(s, path, &before);
    buf_free(&before);
    return met;
}

static void meet_each(const struct step *steps, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        RAN_CASE(is_met(&steps[i], path, 0), steps[i].name);
}

/* ---- text ---- */

static char all_kept[64], all_replaced[64]; /* what is said where each entry is kept, or replaced */

static void merging(void)
{
    char mine[256], crlf[256], others[512];
    snprintf(mine, sizeof mine, "%s=" MINE "\n", key);
    snprintf(crlf, sizeof crlf, "%s=" MINE "\r\n", key);
    snprintf(others, sizeof others, "%s=ConvOther:7;" MINE ";Zed<1>:a b,\n", key);
    char *kept = with_line("%s;%s", MINE), *resnet = printed("fixtures/resnet50.log"),
         *both = xstrdup(sorted("%s" FOREIGN NHWC, wanted)),
         *one = xstrdup(sorted("%s" FOREIGN, wanted)),
         *joined = xstrdup(sorted("%s" FOREIGN_LINE ";ConvY:3\n", wanted)),
         *stay = with_line("ConvOther:7;%s;Zed<1>:a b,;%s", MINE),
         *stay_forced = with_line("ConvOther:7;%s;Zed<1>:a b,;%s", asm_entry);
    struct buf broken = {0}, many = {0}, many_after = {0};
    buf_printf(&broken, "%sno equals\n=NoKey:1\n1-2-3=no colon\n", one);
    buf_puts(&many, FOREIGN);
    buf_puts(&many_after, one);
    for (int i = 0; i < 14; i++) {
        buf_printf(&many, "broken %d\n", i);
        buf_printf(&many_after, "broken %d\n", i);
    }
    put_text("pool", DRIVER "pool\n");
    const struct step steps[] = {
        {"-o, a new file", NONE, O "both", 0, "! kept", wanted},
        {"-o, again", NULL, O "both", 0, all_kept, NULL},
        {"-o, again with --force", NULL, O "--force both", 0, all_replaced, NULL},
        {"-o, an empty file", "", O "both", 0, "", wanted},
        {"-o keeps an entry of the user", mine, O "both", 0, " added, 0 replaced, 1 kept\n", kept},
        {"-o --force replaces it", mine, O "--force both", 0, " 1 replaced, 0 kept\n", wanted},
        {"-o --force, CRLF", crlf, O "--force both", 0, "", wanted},
        {"-o keeps entries of other solvers", others, O "both", 0, "", stay},
        {"-o --force keeps these", others, O "--force both", 0, "", stay_forced},
        {"-o keeps foreign keys", NHWC FOREIGN, O "both", 0, "", both},
        {"-o --force keeps foreign keys", NHWC FOREIGN, O "--force both", 0, "", both},
        {"-o, no newline at the end", NHWC FOREIGN_LINE, O "both", 0, "", both},
        {"-o, CRLF", NHWC_LINE "\r\n" FOREIGN_LINE "\r\n", O "both", 0, "", both},
        {"-o, empty lines", "\n" NHWC "\n\r\n" FOREIGN "\n", O "both", 0, "", both},
        {"-o, a byte order mark", "\xef\xbb\xbf" NHWC FOREIGN, O "both", 0, "", both},
        {"-o joins lines with the same key, the first entry counts",
         FOREIGN FOREIGN_KEY "=ConvY:3;ConvX:9\n", O "both", 0, "", joined},
        {"-o keeps broken lines at the end, and names them",
         "no equals\n" FOREIGN "=NoKey:1\n1-2-3=no colon\n", O "both", 0,
         "kpred: " USER ":1: \"no equals\": there is no `=`" LINE_KEPT "kpred: " USER
         ":3: \"=NoKey:1\": there is no key before the `=`" LINE_KEPT "kpred: " USER
         ":4: \"1-2-3=no colon\": an entry is not of the form solver:values" LINE_KEPT
         "kpred: 128 ",
         broken.s},
        {"-o twice is as good as once", NULL, O "both", 0, "", NULL},
        {"-o names ten broken lines, and counts the others", many.s, O "both", 0,
         "kpred: " USER ":11: \"broken 9\": there is no `=`" LINE_KEPT "kpred: " USER
         ": 4 more broken lines are kept as they are\n",
         many_after.s},
        {"-o, a log", NONE, O "fixtures/resnet50.log", 0, "", resnet},
        {"-o, log after log", NULL, O "fixtures/mobilenet.log", 0, "", wanted},
        {"-o, nothing to add", FOREIGN, O "pool", 0, "", NULL},
    };
    meet_each(steps, LENGTH(steps), USER);
    free(kept), free(resnet), free(both), free(one), free(joined), free(stay), free(stay_forced);
    buf_free(&broken), buf_free(&many), buf_free(&many_after);
}

/* 9 is no value; c_mult = 4 is too much with k_mult = 16; the kernel has no stride 2, whatever its
   values: such entries are told, but for those that --force replaces. */
static void illegal_entries(void)
{
    char before[1024];
    put_text("log", DRIVER "conv " STRIDED " -F 1\n");
    char *legal = printed("log"), *entry = strstr(legal, "ConvAsm1x1U:");
    snprintf(before, sizeof before,
             KEY_F
             "=ConvAsm1x1U:" NINES "\n64-55-28-1x1-256-28-14-17-0x0-2x2-1x1-0-NCHW-FP32-F=Other:"
             "9,9;%.*s\n64-28-28-1x1-60-28-28-1-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:1,16,1,16,1,"
             "4,1,1;ConvAsm1x1U:1,2\n64-14-14-3x3-64-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-W="
             "ConvAsmBwdWrW3x3:0,0,8,4,1,1\n",
             entry != NULL ? (int)strcspn(entry, ";\n") : 0, entry != NULL ? entry : "");
#define TOLD                                                                                      \
    "kpred: " USER ":3: ConvAsm1x1U:1,16,1,16,1,4,1,1: c_mult = 4 is not legal with the values "  \
    "before it" KEPT "kpred: " USER                                                               \
    ":4: ConvAsmBwdWrW3x3:0,0,8,4,1,1: the kernel does not apply: stride = 2 (it must be 1)" KEPT \
    "kpred: " USER ": "
    const struct step steps[] = {
        {"-o names entries that are not legal", before, O "log", 0,
         "s\nkpred: " USER ":1: ConvAsm1x1U:" NINES ": read_size = 9 is none of 1 2 3 4" KEPT TOLD,
         "*ConvAsm1x1U:" NINES ";"},
        {"-o --force, but for those that it replaces", before, O "--force log", 0, "s\n" TOLD, "*"},
    };
    meet_each(steps, LENGTH(steps), USER);
    free(legal);
}

/* A link to a file that is there, and to one that is not, stays one; a file keeps its mode. */
static void links_and_modes(void)
{
    struct stat st;
    new_folder();
    put_text("target.txt", FOREIGN);
    REQUIRE(symlink("../target.txt", USER) == 0);
    for (int is_old = 1; is_old >= 0; is_old--) {
        RAN_CHECK(RAN(O "both") == 0 && lstat(USER, &st) == 0 && S_ISLNK(st.st_mode));
        RAN_CHECK(strcmp(text_of("target.txt"), is_old ? sorted("%s" FOREIGN, wanted) : wanted)
                  == 0);
        unlink("target.txt");
    }
    new_folder();
    put_text(USER, FOREIGN);
    REQUIRE(chmod(USER, 0640) == 0);
    RAN_CHECK(RAN(O "both") == 0 && stat(USER, &st) == 0 && (st.st_mode & 07777) == 0640);
}

/* ---- outputs that stay as they are ---- */

static void refused_outputs(void)
{
    static const struct step steps[] = {
        {"a broken log leaves the file alone", FOREIGN, O "zero", 1, "kpred: zero:1: ", NULL},
        {"so does a log that is not there", FOREIGN, O "both no", 1, "kpred: no: ", NULL},
        {"so does an unknown GPU", FOREIGN, "kpred miopen --gpu gfx803 -o " USER " both", 1,
         "\"gfx803\": no kernel of the models runs there", NULL},
        {"so does a wrong command line", FOREIGN, O "--beam 0 both", 2, "--beam", NULL},
        {"a file with a NUL byte", "@nul", O "both", 1, USER ": is no perf-db: it holds a NUL",
         NULL},
        {"a file with a NUL byte, --force", "@nul", O "--force both", 1, "a NUL byte", NULL},
        {"a file of other text", "some text\nand more\n", O "both", 1, USER ": is no", NULL},
        {"a program", "@program", O "both", 1, NO_DB, NULL},
        {"noise", "@noise", O "--force both", 1, NO_DB, NULL},
        {"a CSV file", "@fixtures/tiny.csv", O "both", 1, NO_DB, NULL},
        {"the log for the output", "@both", O USER, 1, NO_DB, NULL},
        {"a directory", FOREIGN, KPRED "-o fixtures both", 1, "fixtures: is a directory", NULL},
        {"a folder that is not there", FOREIGN, KPRED "-o no/x.txt both", 1, "no/x.txt", NULL},
        {"an empty name", FOREIGN, KPRED "-o '' both", 2, "-o", NULL},
    };
    uint64_t seed = 5;
    FILE *f = fopen("noise", "wb");
    for (int i = 0; f != NULL && i < 5000; i++)
        putc((int)(test_random64(&seed) & 255), f);
    CASE(f != NULL && fclose(f) == 0, "noise is written");
    put_text("zero", DRIVER "conv -n 0\n");
    put_text("nul", FOREIGN "%c" FOREIGN, 0);
    RAN("/usr/bin/env cp %s/kpred program", program.build);
    meet_each(steps, LENGTH(steps), USER);
}

static void full_disks(void)
{
    struct stat st;
    if (access("/dev/full", W_OK) != 0) {
        test_skip("there is no /dev/full");
        return;
    }
    RAN_CHECK(RAN(KPRED "both > /dev/full") == 1);
    RAN_CHECK(has(program.err.s, "standard output: cannot write"));
    RAN_CHECK(RAN(KPRED "-o /dev/full both") == 1 && program.out.n == 0);
    RAN_CHECK(has(program.err.s, "/dev/full: cannot write"));
    RAN_CHECK(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
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

/* ---- others that write, too ---- */

/* A log of a problem with n images */
static const char *problem(int n)
{
    static char path[32];
    snprintf(path, sizeof path, "log%d", n);
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
    pid_t children[100];
    int good = 1;
    put_before(USER, before);
    for (int i = 0; i < n; i++)
        children[i] = START("%s %s", output, problem(i + 1));
    for (int i = 0; i < n; i++)
        good = FINISH(children[i]) == 0 && good;
    return good;
}

static int are_a_hundred(const char *before, size_t n_before)
{
    int all = run_at_a_time(100, O, before) && is_alone(USER);
    for (int i = 1; i <= 100; i++) {
        char line[96];
        snprintf(line, sizeof line,
                 "64-28-28-1x1-64-28-28-%d-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:", i);
        all = all && has(text_of(USER), line);
    }
    return all && count_lines(text_of(USER)) == 100 + n_before
           && (n_before == 0 || has(text_of(USER), before));
}

/* ---- SQLite ---- */

static void steps_of_sqlite(void)
{
    put_text("images", DRIVER "conv -n 16 -c 64 -H 55 -W 55 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n" DRIVER
                              "conv -n 16 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n");
    char *images =
        printed("images"); /* of which two lines share a row: SQLite has no place for theirs */
    CASE(count_lines(images) == 4, "SQLite, four problems");
    put_text("images.txt", "%s", images);
    put_text("wanted.txt", "%s", wanted);
    const struct step steps[] = {
        {"SQLite, a new database", NONE, S "both", 0, "", "=wanted.txt"},
        {"SQLite, again", NULL, S "both", 0, all_kept, "=wanted.txt"},
        {"SQLite keeps an entry of the user",
         "$update perf_db set params = '9,9,9' where id = (select min(id) from perf_db where "
         "solver = "
         "'ConvAsm1x1U')",
         S "both", 0, "", "$select count(*) from perf_db where params = '9,9,9'|1\n"},
        {"SQLite, --force replaces it", NULL, S "--force both", 0, all_replaced, "=wanted.txt"},
        {"SQLite keeps what is the user's",
         "$insert into perf_db(solver, config, params) values ('ConvX', 1, 'a,b');create table "
         "notes (x);"
         "insert into notes values (7)",
         S "--force both", 0, "",
         "$select params from perf_db where solver = 'ConvX';select x from notes|a,b\n7\n"},
        {"SQLite, a log", NONE, S "fixtures/mobilenet.log", 0, "", "*SQLite"},
        {"SQLite, log after log", NULL, S "fixtures/resnet50.log", 0, "", "=wanted.txt"},
        {"SQLite, shared rows", NONE, S "images", 0, "", "=images.txt"},
        {"SQLite, a database of one log", NONE, S "fixtures/resnet50.log", 0, "", "*SQLite"},
        {"SQLite, an illegal entry is told with its row",
         "$update perf_db set params = '" NINES "' where id = 1", S "fixtures/resnet50.log", 0,
         "\nkpred-train: " DB ": perf_db row 1: ConvAsm1x1U:" NINES
         ": read_size = 9 is none of 1 2 3 4" KEPT "kpred-train: " DB ": 0 ",
         "$select id from perf_db where params = '" NINES "'|1\n"},
        {"SQLite, --force tells none", NULL, S "--force fixtures/resnet50.log", 0, "!perf_db row",
         "$select id from perf_db where params = '" NINES "'|"},
        {"SQLite, no database", "no database\n", S "both", 1, "kpred-train: " DB, NULL},
        {"SQLite, a perf-db of text", wanted, S "both", 1, "kpred-train: " DB, NULL},
        {"SQLite, other tables", "+create table t (a, b);insert into t values (1, 2)", S "both", 1,
         "kpred-train: " DB, NULL},
        {"SQLite, other columns",
         "+create table config (id integer primary key, layout text);"
         "create table perf_db (id integer primary key, solver text)",
         S "both", 1, "kpred-train: " DB, NULL},
        {"SQLite, a database cut off", "@cut.db", S "both", 1, "kpred-train: " DB, NULL},
        {"SQLite, two outputs", NONE, S "-o x.txt both", 2, "one output", NULL},
        {"SQLite, a folder that is not there", NONE, TRAINER "--sqlite no/x.db both", 1, "no/x.db",
         NULL},
        {"SQLite, none for a broken log", NONE, S "zero", 1, "zero:1: ", NULL},
        {"SQLite, --force without an output", NONE, TRAINER "--force both", 2, "--force", NULL},
    };
    RAN(TRAINER "--sqlite cut.db fixtures/resnet50.log");
    CASE(truncate("cut.db", 9000) == 0, "SQLite, a database is cut off");
    meet_each(steps, LENGTH(steps), DB);
    CASE(!is_there("x.txt"), "SQLite, two outputs: neither is made");
    free(images);
}

static void databases_are_data(void)
{
    static const char *const kernels[] = {"asm_1x1u", "ocl_direct_fwd_1x1", "asm_bwd_wrw_1x1",
                                          "asm_bwd_wrw_3x3"};
    new_folder();
    RAN_CHECK(RAN(S "both") == 0);
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        RAN_CHECK(RAN(INGEST, program.root, kernels[i]) == 0);
        RAN_CHECK(count_lines(program.out.s) > 1);
    }
}

/* Another process writes: the error says so, and does not take for ever, though long enough for the
   other tests of databases to run meanwhile. */
static pid_t begin_locked(void)
{
    RAN(TRAINER "--sqlite locked.db fixtures/mobilenet.log");
    RAN("/usr/bin/env cp locked.db same.db");
    return START(PYTHON "sql.py locked locked.db %s/" TRAINER "--sqlite locked.db both",
                 program.root, program.build);
}

static int is_locked(pid_t child)
{
    return FINISH(child) == 0 && program.out.n == 0 && has(program.err.s, "locked")
           && RAN("/usr/bin/env cmp same.db locked.db") == 0;
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
        char row[64];
        snprintf(row, sizeof row, "\ngfx906_60,F,FP32,%d,64,28,28,64,1,", n);
        new_folder();
        const pid_t fails = start_within(8192, S "both");
        RAN_CHECK(RAN(S "%s", problem(n)) == 0);
        RAN_CHECK(FINISH(fails) == 1 && has(program.err.s, DB ": SQLite: "));
        RAN(INGEST, program.root, "asm_1x1u");
        RAN_CHECK(has(program.out.s, row) && count_lines(program.out.s) == 2);
    }
}

static void databases(void)
{
    if (!has_library("SQLITE") || RAN("/usr/bin/env python3 -c 'import sqlite3'") != 0) {
        test_start("SQLite");
        test_skip("needs SQLite, and python3 with sqlite3");
        test_stop();
        return;
    }
    const pid_t locked = begin_locked();
    steps_of_sqlite();
    RUN(databases_are_data);
    RUN(a_database_on_a_full_disk);
    RAN_CASE(run_at_a_time(30, S, NONE)
                 && strcmp(sql("select count(distinct batchsize) from config"), "30\n") == 0
                 && is_alone(DB),
             "SQLite, thirty at a time");
    RAN_CASE(is_locked(locked), "SQLite, a database that another process writes");
}

int main(void)
{
    program_begin();
    wanted = put_both();
    find_key();
    snprintf(all_kept, sizeof all_kept, ": 0 entries added, 0 replaced, %zu kept\n",
             count_of(wanted, ":"));
    snprintf(all_replaced, sizeof all_replaced, ": 0 entries added, %zu replaced, 0 kept\n",
             count_of(wanted, ":"));
    PRINTS("kpred-train miopen", wanted, TRAINER "both 2> err");
    merging();
    illegal_entries();
    RUN(links_and_modes);
    RUN(what_is_written_meanwhile);
    RAN_CASE(are_a_hundred(NONE, 0), "-o, a hundred at a time, a new file");
    RAN_CASE(are_a_hundred(FOREIGN, 1), "-o, a hundred at a time");
    refused_outputs();
    RUN(full_disks);
    RUN(a_disk_that_runs_full);
    RUN(no_permission);
    databases();
    free(wanted);
    return program_end();
}
