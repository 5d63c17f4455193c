/* test_user_db.c - kpred miopen -o and --sqlite: what a user's perf-db holds stays
   SPDX-License-Identifier: MIT */
#include "data/sample.h"
#include "logs.h"

#include <signal.h>
#include <sys/resource.h>

#define KPRED        "kpred miopen --gpu gfx906_60 "
#define TRAINER      "kpred-train miopen --gpu gfx906_60 "
#define USER         "dir/user.txt"
#define O            KPRED "-o " USER " "
#define DB           "dir/gfx906_60.db"
#define S            TRAINER "--sqlite " DB " "
#define INGEST       "kpred-train ingest %s/weights/conv_%s.spec --data " DB
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

/* ---- databases ---- */

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
    static struct buf rows;
    sqlite3 *db = NULL;
    char *message = NULL;
    rows.n = 0;
    buf_puts(&rows, "");
    if (sqlite3_open(DB, &db) != SQLITE_OK
        || sqlite3_exec(db, statements, add_row, &rows, &message) != SQLITE_OK)
        buf_printf(&rows, "%s: %s\n", statements, message != NULL ? message : DB);
    sqlite3_free(message);
    sqlite3_close(db);
    return rows.s;
}

/* MIOpen's columns of a key, in the order of its index */
#define TEXTS "layout,data_type,direction"
#define COLUMNS                                                                               \
    TEXTS ",spatial_dim,in_channels,in_h,in_w,in_d,fil_h,fil_w,fil_d,out_channels,"           \
          "batchsize,pad_h,pad_w,pad_d,conv_stride_h,conv_stride_w,conv_stride_d,dilation_h," \
          "dilation_w,dilation_d,bias,group_count"
/* The columns of a table that are of these types and never NULL, and those of its unique index */
#define NAMES_OF(table, types)                                       \
    "select group_concat(name) from pragma_table_info('" table "') " \
    "where \"notnull\" and not pk and type in (" types ");"
#define INDEX_OF(table)                                                   \
    "select group_concat(i.name) from pragma_index_list('" table "') l, " \
    "pragma_index_info(l.name) i where l.\"unique\" group by l.name;"
#define LINES                                                                                   \
    "select printf('%d-%d-%d-%dx%d-%d-%d-%dx%d-%dx%d-%dx%d-%d-%s-%s-%s', in_channels, in_h, "   \
    "in_w, fil_h, fil_w, out_channels, batchsize, pad_h, pad_w, conv_stride_h, conv_stride_w, " \
    "dilation_h, dilation_w, bias, layout, data_type, direction) || case group_count when 1 "   \
    "then '' else '_g' || group_count end, solver, params from perf_db p "                      \
    "join config c on p.config = c.id"

/* What is asked of a database whatever its rows are */
static const struct {
    const char *statements, *rows;
} schema[] = {
    {"pragma integrity_check", "ok\n"},
    {NAMES_OF("config", "'TEXT'") NAMES_OF("config", "'TEXT', 'INT'"), TEXTS "\n" COLUMNS "\n"},
    {NAMES_OF("perf_db", "'INTEGER'") NAMES_OF("perf_db", "'TEXT'"), "config\nsolver,params\n"},
    {INDEX_OF("config") INDEX_OF("perf_db"), COLUMNS "\nsolver,config\n"},
    {"select m.name, t.name, t.type from sqlite_master m, pragma_table_info(m.name) t where pk",
     "config|id|INTEGER\nperf_db|id|INTEGER\n"},
    {"select count(*) from config where id not in (select config from perf_db) or "
     "(spatial_dim, in_d, fil_d, pad_d, conv_stride_d, dilation_d) <> (2, 1, 1, 0, 0, 0)",
     "0\n"},
    {"select count(*) from perf_db where config not in (select id from config)", "0\n"},
};

/* The rows of a key=solver:values;... as LINES has them, without the sizes of the output, the sixth
   and seventh number; where two keys are one row, the first of them has it. */
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

/* Is the database worth the perf-db of text? */
static int same_rows(const char *path)
{
    struct buf rows = {0};
    char *text = xstrdup(text_of(path)), *at = text, *line;
    int same = 1;
    buf_puts(&rows, "");
    while ((line = next_line(&at)) != NULL)
        add_rows(&rows, line);
    for (size_t i = 0; i < LENGTH(schema); i++)
        same = same && strcmp(sql(schema[i].statements), schema[i].rows) == 0;
    same = same && strcmp(sorted("%s", sql(LINES)), sorted("%s\n", rows.s + 1)) == 0;
    buf_free(&rows);
    free(text);
    return same;
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

/* ---- steps that are met ---- */

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
    buf_puts(b, "");
    if (is_there(path) && *text_of(path) != '\0')
        read_file(path, 1 << 26, b);
}

static int is_after(const struct step *s, const char *path, const struct buf *before)
{
    struct buf now = {0};
    take_bytes(&now, path);
    int is = now.n == before->n && memcmp(now.s, before->s, now.n) == 0;
    if (s->after != NULL)
        is = *s->after == '*' ? has(now.s, s->after + 1) : strcmp(now.s, s->after) == 0;
    if (s->after != NULL && *s->after == '=')
        is = same_rows(s->after + 1);
    if (s->after != NULL && *s->after == '$')
        is = strcmp(sql(say("%.*s", (int)strcspn(s->after + 1, "|"), s->after + 1)),
                    strchr(s->after, '|') + 1)
             == 0;
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
    take_bytes(&before, path);
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

static char all_kept[64], all_replaced[64]; /* what is said where each entry is kept, or replaced */
static const char *kind_now;

static void see_case(const char *kind, char *const *c)
{
    const char *told = strcmp(c[4], "KEPT") == 0       ? all_kept
                       : strcmp(c[4], "REPLACED") == 0 ? all_replaced
                                                       : c[4];
    const struct step step = {c[0], *c[1] != '\0' ? c[1] : NULL, c[2], atoi(c[3]),
                              told, *c[5] != '\0' ? c[5] : NULL};
    if (strcmp(kind, kind_now) == 0)
        meet_each(&step, 1, *kind == 's' ? DB : USER);
}

static void run_cases(const char *kind)
{
    kind_now = kind;
    each_row("tests/miopen/calls.cases", see_case);
}

/* ---- text ---- */

static void merging(void)
{
    const char *mine = say("%s=" MINE "\n", key), *crlf = say("%s=" MINE "\r\n", key);
    const char *others = say("%s=ConvOther:7;" MINE ";Zed<1>:a b,\n", key);
    char *kept = with_line("%s;%s", MINE), *resnet = printed("resnet50.log"),
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
        {"-o, a log", NONE, O "resnet50.log", 0, "", resnet},
        {"-o, log after log", NULL, O "mobilenet.log", 0, "", wanted},
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
    uint64_t seed = 5;
    FILE *f = fopen("noise", "wb");
    for (int i = 0; f != NULL && i < 5000; i++)
        putc((int)(test_random64(&seed) & 255), f);
    CASE(f != NULL && fclose(f) == 0, "noise is written");
    put_text("zero", DRIVER "conv -n 0\n");
    put_text("nul", FOREIGN "%c" FOREIGN, 0);
    RAN("/usr/bin/env cp %s/kpred program", program.build);
    run_cases("output");
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

/* ---- SQLite ---- */

#ifdef HAVE_SQLITE
static void steps_of_sqlite(void)
{
    put_text("images", DRIVER "conv -n 16 -c 64 -H 55 -W 55 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n" DRIVER
                              "conv -n 16 -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -u 2 -v 2 -F 6\n");
    char *images =
        printed("images"); /* of which two lines share a row: SQLite has no place for theirs */
    CASE(count_lines(images) == 4, "SQLite, four problems");
    put_text("images.txt", "%s", images);
    RAN(TRAINER "--sqlite cut.db resnet50.log");
    CASE(truncate("cut.db", 9000) == 0, "SQLite, a database is cut off");
    run_cases("sqlite");
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
static pid_t begin_locked(sqlite3 **writer)
{
    RAN(TRAINER "--sqlite locked.db mobilenet.log");
    RAN("/usr/bin/env cp locked.db same.db");
    if (sqlite3_open("locked.db", writer) != SQLITE_OK
        || sqlite3_exec(*writer, "begin exclusive", NULL, NULL, NULL) != SQLITE_OK)
        program_stop("locked.db");
    return START(TRAINER "--sqlite locked.db both");
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
    find_key();
    snprintf(all_kept, sizeof all_kept, ": 0 entries added, 0 replaced, %zu kept\n",
             count_of(wanted, ":"));
    snprintf(all_replaced, sizeof all_replaced, ": 0 entries added, %zu replaced, 0 kept\n",
             count_of(wanted, ":"));
    put_text("wanted.txt", "%s", wanted);
    put_text("foreign", FOREIGN);
    PRINTS("kpred-train miopen", wanted, TRAINER "both 2> err");
    merging();
    illegal_entries();
    RUN(links_and_modes);
    RUN(what_is_written_meanwhile);
    RAN_CASE(are_forty(NONE, 0), "-o, forty at a time, a new file");
    RAN_CASE(are_forty(FOREIGN, 1), "-o, forty at a time");
    refused_outputs();
    RUN(full_disks);
    RUN(a_disk_that_runs_full);
    RUN(no_permission);
    databases();
    free(wanted);
    return program_end();
}
