/* test_ingest.c - `kpred-train ingest`: command lines, perf-dbs, CSV, specs, and what it writes
   SPDX-License-Identifier: MIT

   ingest.cases beside it has most of the small files, and what is refused. */
#include "data/sample.h"
#include "harness/cases.h"

#define INGEST "kpred-train ingest "
#define U      INGEST "u.spec --data "
#define WRW3   INGEST "wrw3.spec --data "
#define MORE   INGEST "more.spec --data gfx900_56-part.db"
#define TINY   INGEST "tiny.spec --data "
#define ROWSUM INGEST "rowsum.spec --data rowsum.csv"
#define TIMED  INGEST "timed.spec --data rowsum.csv"
static const char in_order[] = "gpu,kind,n,h,stride,tile,mode\ngfx900_56,other,8,7,2,1,small\n"
                               "gfx900_56,other,8,7,2,2,fast\ngfx906_60,plain,16,64,1,4,fast\n";
/* Did it succeed and print this text, or so many lines, whatever it noted? */
#define GIVES(text, ...) (RAN(__VA_ARGS__) == 0 && strcmp(program.out.s, text) == 0)
#define LINES_OF(n, ...) (RAN(__VA_ARGS__) == 0 && count_lines(program.out.s) == (size_t)(n))

/* ---- perf-dbs that are read ---- */

/* The gfx900_56 sample with changes */
static void variant(const char *sql)
{
    if (make_db("gfx900_56-part.db", "gfx900_56.sql", &sql, 1) != 0)
        program_stop(sql);
}

static void add_reversed(struct buf *b, const char *lines)
{
    const size_t n = strcspn(lines, "\n") + 1;
    if (*lines == '\0')
        return;
    add_reversed(b, lines + n);
    buf_add(b, lines, n);
}

static void same_bytes(void)
{
    static const char *const specs[] = {"u.spec", "ocl.spec", "wrw1.spec", "wrw3.spec"};
    static const char *const same[] = {"gfx906_60.db.bz2 gfx900_56.db.bz2", "plain.csv",
                                       "reverse.csv", "reverse.csv.bz2", "crlf.csv"};
    for (size_t k = 0; k < COUNT(specs); k++) {
        RAN_CHECK(RAN(INGEST "%s --data gfx900_56.db gfx906_60.db -o plain.csv --force", specs[k])
                  == 0);
        char *rows = new_copy(text_of("plain.csv"));
        struct buf *b = new_text();
        REQUIRE(count_lines(rows) >= 37);
        buf_add(b, rows, strcspn(rows, "\n") + 1);
        add_reversed(b, below_heading(rows));
        put_bytes("reverse.csv", b->s, b->n);
        CHECK(make_bz2("reverse.csv.bz2", &same[2], 1) == 0);
        CHANGED("crlf.csv", rows, "\n", "\r\n");
        for (size_t i = 0; i < COUNT(same); i++)
            RAN_CHECK(GIVES(rows, INGEST "%s --data %s", specs[k], same[i]));
    }
}

static void bz2_streams(void)
{
    static const char *const parts[] = {"part1", "part2"};
    put_part("part1", "gfx900_56.db", 0, 20000, "");
    put_part("part2", "gfx900_56.db", 20000, SIZE_MAX, "");
    REQUIRE(make_bz2("gfx900_56-two.db.bz2", parts, 2) == 0);
    RAN_CHECK(RAN(U "gfx900_56.db > one.csv") == 0);
    RAN_CHECK(GIVES(text_of("one.csv"), U "gfx900_56-two.db.bz2"));
}

/* What [data] says as fields instead, and a stride for each side: the same rows, longer ones */
static void more_fields(void)
{
    struct buf *want = new_text();
    char *spec = new_copy(text_of("wrw3.spec"));
    *strstr(spec, "[split]") = '\0';
    CHANGED("more.spec", spec, "^filter", "", "^pad ", "", "^rule", "rule = unconstrained",
            "^retired", "retired = stride_h 2", "^groups",
            "&\nlayout = NCHW NHWC\ndil_h = size\ndil_w = size", "^stride",
            "y = size\nx = size\npad_h = size 0\npad_w = size 0\nstride_h = size\nstride_w = size");
    RAN_CHECK(RAN(WRW3 "gfx900_56.db") == 0);
    for (char *at = strchr(program.out.s, '\n') + 1, *line; (line = next_line(&at)) != NULL;) {
        char *stride = line;
        int groups = 0, n = 0;
        for (int i = 0; i < 8; i++)
            stride = strchr(stride, ',') + 1;
        REQUIRE(sscanf(stride, "%*d,%d%n", &groups, &n) == 1);
        buf_printf(want, "%.*s3,3,1,1,%c,%c,%d,NCHW,1,1%s\n", (int)(stride - line), line, *stride,
                   *stride, groups, stride + n);
    }
    RAN_CHECK(RAN(INGEST "more.spec --data gfx900_56.db") == 0 && count_lines(want->s) > 9);
    CHECK_TEXT(strchr(program.out.s, '\n') + 1, want->s);
}

/* One row of this kernel gets a key of its own, with changes. */
static void one_row(const char *sets)
{
    variant(
        say("CREATE TEMP TABLE one AS SELECT * FROM config WHERE id = (SELECT config FROM perf_db "
            "WHERE solver = 'ConvAsmBwdWrW3x3' ORDER BY id LIMIT 1); UPDATE one SET id = 999998, "
            "conv_stride_h = 1, conv_stride_w = 1, %s; INSERT INTO config SELECT * FROM one; "
            "UPDATE perf_db SET config = 999998 WHERE id = (SELECT min(id) FROM perf_db WHERE "
            "solver = 'ConvAsmBwdWrW3x3')",
            sets));
}

static void no_gpu_column(void)
{
    RAN_CHECK(RAN(U "gfx900_56.db > 900.csv") == 0);
    const char *csv = text_of("900.csv");
    struct buf *my = new_text();
    for (const char *p = csv; *p != '\0'; p = strchr(p, '\n') + 1)
        buf_printf(my, "%.*s\n", (int)(strcspn(p, "\n") - strcspn(p, ",") - 1), strchr(p, ',') + 1);
    put_bytes("my.csv", my->s, my->n);
    put_copy("gfx900-my.csv", "my.csv");
    RAN_CHECK(GIVES(csv, U "gfx900-my.csv"));
    RAN_CHECK(GIVES(csv, U "my.csv --gpu gfx900_56"));
}

static void of_samples(void)
{
    test_run(".db = .db.bz2 = CSV = reversed CSV = CSV with CRLF, for four kernels", same_bytes);
    test_run("bzip2 streams in a row", bz2_streams);
    test_run("filter, pads, strides, layout and dilations as fields", more_fields);
    test_run("CSV without a gpu column: the file's name or --gpu", no_gpu_column);
}

/* ---- CSV that is read ---- */

/* gzip is a program of its own, and zlib reads what it makes. */
static void packed_by_gzip(void)
{
    NEEDS("ZLIB");
    NEEDS("gzip");
    put_copy("plain.csv.gz", "tiny.csv");
    put_part("head", "tiny.csv", 0, 70, "");
    put_part("tail", "tiny.csv", 70, SIZE_MAX, "");
    RAN_CHECK(RAN("/usr/bin/env gzip -c tiny.csv > gfx900.csv.gz") == 0);
    RAN_CHECK(RAN("/usr/bin/env gzip -c head tail > gfx900_two.csv.gz") == 0);
    put_part("short.csv.gz", "gfx900.csv.gz", 0, 60, "");
    put_part("more.csv.gz", "gfx900.csv.gz", 0, SIZE_MAX, "more\n");
    RAN_CHECK(GIVES(in_order, TINY "gfx900.csv.gz"));
    RAN_CHECK(GIVES(in_order, TINY "gfx900_two.csv.gz"));
    RAN_CHECK(program_refuses(1, "truncated gzip", TINY "short.csv.gz"));
    RAN_CHECK(program_refuses(1, "has something else behind it", TINY "more.csv.gz"));
    RAN_CHECK(program_refuses(1, "is not gzip data", TINY "plain.csv.gz"));
}

static void put_small(void)
{
    static const char *const bom = "bom.csv";
    const char *csv = text_of("tiny.csv");
    put_text("bom.csv", "\357\273\277%s", csv);
    put_text("open.csv", "%.*s", (int)strlen(csv) - 1, csv); /* the last line lacks its end */
    put_text("blank.csv", "%s\n\n", csv);
    put_text("bom.spec", "\357\273\277%s", text_of("tiny.spec"));
    CHANGED("odd.csv", csv, ",4,", ",3,", "8,7,\"fast\"", "8,x,\"fast\"");
    CHANGED("retired.spec", text_of("tiny.spec"), "^format",
            "&\nretired = kind plain\nfailed = 2 fast");
    CHECK(!HAS_SAMPLES || make_bz2("packed.csv.bz2", &bom, 1) == 0);
}

/* ---- CSV that does not hold the best tuple of each problem ---- */

#define HEAD "gpu,rows,cols,threads,unroll"
#define A    "gfx906,4,20,64,1"
#define B    "gfx906,4,24,64,1"
#define A2   "gfx906,4,20,128,2"

/* Two runs of tuning, a file each; and train refuses what ingest does. */
static void two_runs(void)
{
    put_text("rowsum.csv", HEAD "\n" A2 "\n" B "\n");
    put_text("want.csv", HEAD "\n" A "\n" B "\n");
    RAN_CHECK(LINES_OF(5, ROWSUM " want.csv"));
    put_text("rowsum.csv", HEAD "\n" A "\n" B "\n" A2 "\n");
    RAN_CHECK(program_refuses(1, "rowsum.csv:4: row: ",
                              "kpred-train train rowsum.spec --data rowsum.csv -o no.h")
              && !is_there("no.h"));
    RAN_CHECK(RAN(INGEST "rowsum.spec --data want.csv > sorted.csv") == 0);
}

/* What the message says of two tuples: the same table is one of times. */
static void as_times(void)
{
    put_text("rowsum.csv", HEAD ",time_us\n" A ",1\n" A2 ",2\n" B ",3\ngfx906,4,24,64,4,4\n");
    RAN_CHECK(program_refuses(1, "rowsum.csv:1: column \"time_us\"", ROWSUM));
    RAN_CHECK(LINES_OF(5, TIMED));
    put_text("first.csv", HEAD ",time_us\ngfx906,8,20,64,1,1\n");
    RAN_CHECK(
        RAN("kpred-train train timed.spec --data rowsum.csv first.csv --split none --epochs 1 "
            "--threads 1 -o times.h")
        == 0);
    const char *first = strstr(text_of("times.h"), "first.csv, 1 rows");
    CHECK(first != NULL && has(first, "rowsum.csv, 4 rows")); /* sorted by their names */
    put_text("rowsum.csv", HEAD ",time_us\n" A ",9\ngfx906,4,20,65,1,2\n");
    RAN_CHECK(LINES_OF(2, TIMED " --lenient") && has(program.out.s, "\ngfx906_60,4,20,64,1,9\n")
              && has(program.err.s, "dropped 1 row: parameters that the spec does not allow"));
    CHANGED("field.spec", text_of("timed.spec"), "^rows", "time_ms = size", "= rows,", "= time_ms,",
            "log2 rows", "log2 time_ms");
    RAN_CHECK(program_refuses(1, "time_ms: is the time of each row",
                              INGEST "field.spec --data rowsum.csv"));
}

/* ---- what is refused ---- */

/* Files for the rows of ingest.cases that name one */
static void put_broken(void)
{
    static const char *const empty[] = {"gfx900_56-empty.db", "gfx900_56-empty.db.bz2", "empty.csv",
                                        "empty.spec"};
    for (size_t i = 0; i < COUNT(empty); i++)
        put_text(empty[i], "%s", "");
    put_text("nul.csv", "n,h%c,mode\n", '\0');
    put_text("nul.spec", "[kernel]\nname = x%cy\n", '\0');
    put_text("lines.csv", "\n\n");
    put_text("other.csv", "N2,layers,tile_x,time_us\n1,2,4,00:01\n");
    put_text("head.csv", "n,h,mode,note,tile,kind,gpu,stride\n");
    CHANGED("cr.csv", text_of("tiny.csv"), "\n", "\r");
    CHECK(mkdir("gfx900_56-directory.db", 0777) == 0);
}

static void put_broken_samples(void)
{
    const char *bz2 = "gfx900_56.db.bz2", *db = "gfx900_56.db", *spec = text_of("u.spec");
    put_part("gfx900_56-short.db.bz2", bz2, 0, 3000, "");
    put_part("gfx900_56-more.db.bz2", bz2, 0, SIZE_MAX, "more\n");
    put_copy("gfx900_56-hurt.db.bz2", bz2);
    const int fd = open("gfx900_56-hurt.db.bz2", O_WRONLY);
    CHECK(pwrite(fd, "xxxxxxxx", 8, 2000) == 8 && close(fd) == 0);
    put_copy("gfx900_56-plain.db.bz2", db);
    put_copy("gfx900_56-text.db", "u.spec");
    put_part("gfx900_56-cut.db", db, 0, 6000, "");
    put_copy("gfx908_120.db", db);
    put_copy("own.db", db);
    one_row("direction = 'F', in_h = 2, in_w = 2, pad_h = 0, pad_w = 0");
    put_copy("gfx900_56-small.db", "gfx900_56-part.db");
    variant("DELETE FROM perf_db WHERE solver = 'ConvAsm1x1U'");
    put_copy("gfx900_56-none.db", "gfx900_56-part.db");
    CHANGED("gpus.spec", spec, "^gpu ", "gpu = gfx906_60 gfx906_64 gfx90878 gfx90a68 gfx90a6e");
    CHANGED("nostride.spec", spec, "^stride", "", ",stride,", ",", "canonical(h),canonical(w)",
            "h,w", "canonical(h),canonical(w)", "h,w");
    CHANGED("kk.spec", spec, "^k ", "kk = size", ",k,", ",kk,", "(c,k)", "(c,kk)", "(c,k)",
            "(c,kk)");
    CHANGED("size.spec", spec, "^dtype ", "dtype = size");
    CHANGED("nodtype.spec", spec, "^dtype ", "", "dir,dtype", "dir");
    RAN_CHECK(RAN(U "gfx900_56.db") == 0);
    CHANGED("times.csv", program.out.s, "\n", ",1.5\n", ",1.5\n", ",time_us\n");
}

/* A cell may hold line ends. Those behind it have the lines and columns that an editor shows. */
static const char cells[] = "n,h,mode,\"no\nte\",tile,kind,gpu,stride\n"
                            "16,64,fast,\"a\n\"\"b\"\",\nc\",4,plain,gfx906,1\n8,\"7\",small,"
                            "\"a note, with \"\"quotes\"\"\non two lines\",1,other,gfx900_56,2\n";

/* Makes the files of a row whose last cells are columns and rows, or a change, or SQL: which
   command line reads them, or NULL without a library */
static const char *line_of(const char *kind, char *const *cell)
{
    const int is_csv = strcmp(kind, "csv") == 0;
    if (strstr("usage file sorted drops", kind) != NULL)
        return cell[2];
    if (strcmp(kind, "spec") == 0) {
        CHANGED("x.spec", text_of("tiny.spec"), cell[2], cell[3]);
        return "x.spec --data tiny.csv";
    }
    if (is_csv || strcmp(kind, "cells") == 0) {
        CHANGED("gfx900.csv", is_csv ? text_of("tiny.csv") : cells, cell[2], cell[3]);
        return "tiny.spec --data gfx900.csv";
    }
    if (strstr("timed best measured tuples times", kind) != NULL) {
        put_text("rowsum.csv", HEAD "%s\n%s", cell[2], cell[3]);
        return *kind == 't' && kind[1] == 'i' ? "timed.spec --data rowsum.csv"
                                              : "rowsum.spec --data rowsum.csv";
    }
    if (!HAS_SAMPLES)
        return NULL;
    if (strstr("database packed gpu swapped dropped", kind) != NULL)
        return cell[2];
    if (strcmp(kind, "table") == 0 || strcmp(kind, "lost") == 0)
        variant(cell[2]);
    else if (strcmp(kind, "params") == 0)
        variant(say("UPDATE perf_db SET params = '%s' WHERE id = 264729", cell[2]));
    else if (strcmp(kind, "key") == 0) /* a new one, so that other rows stay as they are */
        variant(
            say("CREATE TEMP TABLE t AS SELECT * FROM config WHERE id = 18546; UPDATE t SET id = "
                "999999, %s; INSERT INTO config SELECT * FROM t; UPDATE perf_db SET config = "
                "999999 WHERE id = 264729",
                cell[2]));
    else
        one_row(cell[2]);
    return strcmp(kind, "strict") == 0  ? "more.spec --data gfx900_56-part.db"
           : strcmp(kind, "image") == 0 ? "wrw3.spec --data gfx900_56-part.db"
                                        : "u.spec --data gfx900_56-part.db";
}

/* What --lenient, or a spec with fields for all of the key, makes of what is refused */
static int is_lenient(const char *kind, char *const *cell, const char *line)
{
    if (strstr("params key lost", kind) != NULL)
        return LINES_OF(24, INGEST "%s --lenient", line) && has(program.err.s, ": dropped 1 row: ");
    if (strcmp(kind, "image") == 0)
        return LINES_OF(count_lines(text_of("all.csv")) - 1, MORE)
               && has_line(program.err.s, cell[1]);
    if (strcmp(kind, "measured") == 0)
        return has(program.err.s, "format = timed") && has(program.err.s, "\"time_us\"")
               && LINES_OF(count_lines(cell[3]) + 1, ROWSUM " --lenient")
               && has(program.err.s, "rowsum.csv:1: the spec does not name ")
               && has(program.err.s, cell[4]);
    return strcmp(kind, "tuples") != 0
           || (has(program.err.s, "format = timed")
               && GIVES(text_of("sorted.csv"), ROWSUM " --lenient")
               && has(program.err.s, "dropped 1 row: another tuple than an earlier row"));
}

/* Two files, or one: how many rows; --lenient leaves one out where they are refused. */
static int are_units(char *const *cell)
{
    const char *files = *cell[5] != '\0' ? "one.csv two.csv" : "one.csv";
    const size_t n = strtoul(cell[2], NULL, 10), n_lenient = strtoul(cell[3], NULL, 10);
    put_text("one.csv", "%s", cell[4]);
    put_text("two.csv", "%s", cell[5]);
    return (n > 0 ? LINES_OF(n + 1, INGEST "units.spec --data %s", files)
                  : program_refuses(1, cell[1], INGEST "units.spec --data %s", files))
           && LINES_OF(n_lenient + 1, INGEST "units.spec --data %s --lenient", files)
           && has(program.err.s, "dropped 1 row") == (n == 0);
}

static void see_case(const char *kind, char *const *cell)
{
    const int is_units = strcmp(kind, "units") == 0;
    const char *line = is_units ? "" : line_of(kind, cell), *text = cell[1];
    int is_good = 0;
    if (line == NULL)
        return;
    if (strcmp(kind, "best") == 0) { /* no more is said than which columns are ignored */
        is_good = LINES_OF(strtol(text, NULL, 10), INGEST "%s", line);
        for (char *at = program.err.s, *said; (said = next_line(&at)) != NULL;)
            is_good &= ends_with(said, ": ignored");
    } else if (is_units) {
        is_good = are_units(cell);
    } else if (strstr("sorted packed", kind) != NULL) {
        is_good = GIVES(in_order, INGEST "%s", line);
    } else if (strcmp(kind, "gpu") == 0) {
        is_good = LINES_OF(25, INGEST "%s", line) && count_of(program.out.s, text) == 24;
    } else if (strcmp(kind, "swapped") == 0) {
        is_good = RAN(INGEST "%s", line) == 0 && has_line(program.out.s, text);
    } else if (strncmp(kind, "drop", 4) == 0) {
        is_good = RAN(INGEST "%s", line) == 0 && has(program.err.s, text)
                  && (*cell[3] == '\0' || count_lines(program.out.s) == strtoul(cell[3], NULL, 10));
    } else if (strcmp(kind, "times") == 0) {
        is_good = RAN(INGEST "%s", line) == 0
                  && strcmp(strchr(program.out.s, '\n') + 1, cell[4]) == 0
                  && (*text != '\0' ? has(program.err.s, text) : program.err.n == 0);
    } else {
        text = strcmp(kind, "image") == 0 ? "gfx900_56-part.db: perf_db row " : text;
        is_good = program_refuses(strcmp(kind, "usage") == 0 ? 2 : 1, text, INGEST "%s", line)
                  && is_lenient(kind, cell, line);
    }
    if (has(program.err.s, "python3 is not found") && !is_had("python3"))
        skip_case(cell[0], "there is no python3");
    else
        RAN_CASE(is_good, cell[0]);
}

/* One more than there may be; they are numbered from 10 */
static void too_many(void)
{
    static const struct {
        const char *text, *from, *to, *before, *behind;
        int n;
    } cases[] = {
        {"f29: more than 24 fields", "^stride", "&", "\nf", " = size", 20},
        {"p24: more than 16 parameters of several values", "^mode", "&", "\np", " = 1 2", 15},
        {"p40: more than 32 parameters", "^mode", "&", "\np", " = 1", 31},
        {"tile: more than 128 values", "^tile", "tile =", " ", "", 129},
        {"kind: more than 128 names", "^kind", "kind =", " t", "", 129},
        {"x.spec:5: runs_on: more than 32 architectures", "^rule", "&\nruns_on =", " gfx9", "", 33},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf *to = new_text();
        buf_puts(to, cases[i].to);
        for (int k = 10; k < 10 + cases[i].n; k++)
            buf_printf(to, "%s%d%s", cases[i].before, k, cases[i].behind);
        CHANGED("x.spec", text_of("tiny.spec"), cases[i].from, to->s);
        REFUSES(cases[i].text, 1, cases[i].text, INGEST "x.spec --data tiny.csv");
    }
}

/* 16 of a single value, and 16 with a choice, the last one among them */
static void params_32(void)
{
    struct buf *spec = new_text(), *head = new_text(), *row = new_text();
    size_t commas = 0;
    for (int i = 0; i < 30; i++) {
        buf_printf(spec, "\np%d = 1%s", i, i < 16 ? "" : " 2");
        buf_printf(head, ",p%d", i);
        buf_puts(row, i < 16 ? ",1" : ",2");
    }
    put_text("x.csv", "n,h,mode,tile,kind,gpu,stride%s\n16,64,fast,4,plain,gfx906,1%s\n", head->s,
             row->s);
    CHANGED("x.spec", text_of("tiny.spec"), "fast small", "&@", "@", spec->s);
    RAN_CHECK(LINES_OF(2, INGEST "x.spec --data x.csv"));
    for (const char *p = strchr(program.out.s, '\n'); *p != '\0'; p++)
        commas += *p == ',';
    CHECK_EQ(commas, 36);
}

int main(void)
{
    static const char *const links[][2] = {{"weights/conv_asm_1x1u.spec", "u.spec"},
                                           {"weights/conv_ocl_direct_fwd_1x1.spec", "ocl.spec"},
                                           {"weights/conv_asm_bwd_wrw_1x1.spec", "wrw1.spec"},
                                           {"weights/conv_asm_bwd_wrw_3x3.spec", "wrw3.spec"},
                                           {"tests/fixtures/tiny.spec", "tiny.spec"},
                                           {"tests/fixtures/tiny.csv", "tiny.csv"},
                                           {"tests/fixtures/rowsum.spec", "rowsum.spec"},
                                           {"tests/fixtures/gfx900_56.sql", "gfx900_56.sql"}};
    program_begin();
    for (size_t i = 0; i < COUNT(links); i++)
        if (symlink(in_root(links[i][0]), links[i][1]) != 0)
            program_stop(links[i][1]);
    CHANGED("timed.spec", text_of("rowsum.spec"), "= csv", "= timed");
    put_text("units.spec", "[kernel]\nname = t\n[data]\nformat = timed\n[fields]\nn = size\n"
                           "[params]\na = 1 2 3\n");
    put_small();
    put_broken();
    if (!HAS_SAMPLES) {
        test_run("perf-dbs", no_samples);
    } else if (make_samples(in_root("tests/fixtures")) == 0) {
        of_samples();
        put_broken_samples();
        one_row("in_h = 7, in_w = 7");
        RAN(MORE " > all.csv");
    } else {
        program_stop("the sample databases");
    }
    test_run("gzip: one member and two, and files that are broken", packed_by_gzip);
    test_run("CSV: two runs, and train", two_runs);
    test_run("CSV: the advice works, a table of times", as_times);
    each_row("tests/data/ingest.cases", see_case);
    too_many();
    test_run("32 parameters, of 16 a single value", params_32);
    return program_end();
}
