/* test_data.c - the tools' data layer, function by function; its command line: test_ingest.steps;
   damaged files: tests/fuzz
   SPDX-License-Identifier: MIT */
#include "kpred.h"

#include "kpred_constraints.h"

#include "cli/commands.h"
#include "data/readers.h"
#include "data/sample.h" /* and so the libraries of the readers */
#include "data/split.h"
#include "harness/cases.h"
#include "harness/specs.h"

#include <signal.h>

static uint32_t random_below(uint32_t n)
{
    static uint64_t seed = 1;
    return (uint32_t)(test_random64(&seed) % n);
}

/* ---- util ---- */

static void sha256_vectors(void)
{
    static char million[1000001];
    memset(million, 'a', 1000000);
    static const char *const v[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}};
    for (size_t i = 0; i < 4; i++) {
        char hex[65];
        sha256_hex(v[i][0], strlen(v[i][0]), hex);
        CHECK_TEXT(hex, v[i][1]);
    }
}

static void sha256_chunks(void)
{
    unsigned char text[200], whole[32], parts[32];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(7 * i);
    for (size_t n = 0; n <= sizeof text; n++)
        for (size_t cut = 0; cut <= n; cut += 13) {
            struct sha256 a, b;
            sha256_init(&a);
            sha256_add(&a, text, n);
            sha256_end(&a, whole);
            sha256_init(&b);
            sha256_add(&b, text, cut);
            sha256_add(&b, text + cut, n - cut);
            sha256_end(&b, parts);
            CHECK(memcmp(whole, parts, 32) == 0);
        }
}

static void integers(void)
{
    static const char *const wrong[] = {"",    "-",   "+1",  " 1",  "1 ",
                                        "1x",  "0x1", "1.0", "--1", "99999999999999999999",
                                        "101", "-101"};
    int64_t v = 5;
    for (size_t i = 0; i < COUNT(wrong); i++)
        CHECK(parse_int(wrong[i], -100, 100, &v) == -1 && v == 5);
    CHECK(parse_int("100", -100, 100, &v) == 0 && v == 100);
    CHECK(parse_int("-100", -100, 100, &v) == 0 && v == -100);
    CHECK(parse_int("007", -100, 100, &v) == 0 && v == 7);
}

static void texts(void)
{
    struct buf *b = new_text();
    for (int i = 0; i < 1000; i++)
        buf_printf(b, "%d,", i % 10);
    CHECK(b->n == 2000 && strlen(b->s) == 2000 && b->s[1998] == '9');
    struct buf none = {0};
    buf_add(&none, "", 0);
    CHECK(none.s != NULL && none.s[0] == '\0');
    buf_free(&none);
    CHECK(strcmp(base_name("a/b/c.db"), "c.db") == 0 && strcmp(base_name("c"), "c") == 0);
    CHECK(ends_with("x.db.bz2", ".db.bz2") && !ends_with("db", ".db") && ends_with("x", ""));
    CHECK(is_identifier("_a9") && !is_identifier("9a"));
    CHECK(!is_identifier("") && !is_identifier("a-"));
}

static void read_whole_file(void)
{
    struct buf *b = new_text();
    const char *path = "some";
    put_bytes(path, "0123456789", 10);
    CHECK(read_file(path, 10, b) == 0 && b->n == 10 && strcmp(b->s, "0123456789") == 0);
    CHECK(read_file(path, 10, b) == 0 && b->n == 20); /* adds */
    CHECK(read_file(path, 9, b) != 0);
    CHECK(read_file(".", 9, b) != 0 && read_file("none", 9, b) != 0);
    put_bytes(path, "", 0);
    CHECK(read_file(path, 9, b) != 0);
}

/* An output with this text becomes the file. */
static int becomes(struct outfile *o, const char *text, const char *path)
{
    return fputs(text, o->f) >= 0 && out_commit(o) == 0 && strcmp(text_of(path), text) == 0;
}

static void output_whole_or_not(void)
{
    struct outfile o;
    struct stat st;
    const char *path = "out", *other = "link";
    put_bytes(path, "old", 3);
    CHECK(chmod(path, 0640) == 0 && symlink("out", other) == 0);
    CHECK(out_open(&o, path) == 0);
    fputs("new", o.f);
    fflush(o.f);
    CHECK(strcmp(text_of(path), "old") == 0);
    char *temporary = new_copy(o.temporary);
    out_abandon(&o);
    CHECK(strcmp(text_of(path), "old") == 0 && access(temporary, F_OK) != 0);
    CHECK(out_open(&o, other) == 0 && becomes(&o, "new", path));
    CHECK(lstat(other, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK(out_open(&o, ".") != 0 && out_open(&o, "") != 0);
    CHECK(out_open(&o, "no/such/place") != 0);
    CHECK(out_open(&o, "/dev/null") == 0 && o.temporary == NULL);
    CHECK(out_commit(&o) == 0);
    unlink(other);
}

/* A link to what is not there: it is made, by way of another link too. */
static void output_through_links(void)
{
    struct outfile o;
    struct stat st;
    const char *path = "made", *one = "link", *two = "link2";
    CHECK(symlink("made", one) == 0 && symlink("link", two) == 0);
    CHECK(out_open(&o, two) == 0 && becomes(&o, "new", path));
    CHECK(lstat(one, &st) == 0 && S_ISLNK(st.st_mode) && lstat(two, &st) == 0
          && S_ISLNK(st.st_mode));
    CHECK(unlink(path) == 0 && unlink(one) == 0 && symlink("link2", one) == 0);
    CHECK(out_open(&o, two) != 0); /* they go round */
    CHECK(unlink(one) == 0 && unlink(two) == 0);
}

/* A child that ends by the signal with an output open: its status, and what is left */
static int end_by(int by, int is_ignored, char *left, size_t n)
{
    struct outfile o;
    int ends[2], status = -1;
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(by, is_ignored ? SIG_IGN : SIG_DFL);
        if (out_open(&o, "ended") != 0 || write(ends[1], o.temporary, strlen(o.temporary) + 1) < 0)
            _exit(9);
        raise(by);
        out_abandon(&o);
        _exit(7);
    }
    close(ends[1]);
    CHECK(read(ends[0], left, n) > 0 && waitpid(child, &status, 0) == child);
    close(ends[0]);
    return status;
}

static void signals_leave_nothing(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ};
    char left[512];
    for (size_t i = 0; i < COUNT(signals); i++) {
        const int status = end_by(signals[i], 0, left, sizeof left);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        CHECK(strstr(left, ".kpred-") != NULL && !is_there(left));
    }
    const int status = end_by(SIGINT, 1, left, sizeof left);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7 && !is_there(left));
}

/* What two changes of a file, one begun within the other, make of it, by a link that stays one */
static void changes_meet(void)
{
    struct outfile o, p;
    struct stat st;
    struct buf *old = new_text();
    const char *path = "changed";
    CHECK(symlink("behind", path) == 0);
    CHECK(out_open_change(&o, path, 99, old) == 0 && old->n == 0);
    CHECK(out_open_new(&p, path) == 0 && becomes(&p, "first", path));
    CHECK(out_commit(&o) == 1 && strcmp(text_of(path), "first") == 0);
    CHECK(out_open_change(&o, path, 99, old) == 0);
    CHECK_TEXT(old->s, "first");
    put_text(path, "other"); /* by a program that knows of no lock, of the same length */
    CHECK(out_commit(&o) == 1 && strcmp(text_of(path), "other") == 0);
    CHECK(out_open_change(&o, path, 99, old) == 0 && becomes(&o, "second", path));
    CHECK(out_open_change(&o, path, 5, old) != 0); /* too long */
    CHECK(out_open_change(&o, ".", 99, old) != 0);
    CHECK(out_open_new(&o, path) == 0 && out_commit(&o) == 1
          && strcmp(text_of(path), "second") == 0);
    CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && unlink(path) == 0);
    CHECK(chmod("behind", 0640) == 0 && out_open_change(&o, "behind", 99, old) == 0
          && out_commit(&o) == 0);
    CHECK(stat("behind", &st) == 0 && (st.st_mode & 0777) == 0640);
}

/* The message of a failed write gives the system's reason, also where libc has forgotten it: a long
   text goes out at once, and nothing is left to be written at the end. */
static void reason_is_told(void)
{
    struct outfile o;
    struct buf *said = new_text();
    const char *path = "said";
    char *text = new_memory(1, 1 << 16);
    NEEDS("/dev/full");
    const int err = dup(2);
    CHECK(freopen(path, "w", stderr) != NULL && out_open(&o, "/dev/full") == 0);
    CHECK(fwrite(text, 1, 1 << 16, o.f) < 1 << 16 && out_commit(&o) != 0);
    fflush(stderr);
    CHECK(dup2(err, 2) == 2);
    CHECK(read_file(path, 999, said) == 0 && strstr(said->s, strerror(ENOSPC)) != NULL);
    close(err);
}

static void texts_of_editors(void)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"a\r\nb\r\n", "a\nb\n"},
        {"\xef\xbb\xbf"
         "a\r\n\r\nb",
         "a\n\nb"},
        {"\xef\xbb\xbf\r\n", "\n"},
        {"a\rb\r\r\n\r", "a\rb\r\n\r"},
        {"\xef\xbb\xbfspec", "spec"},
        {"\xef\xbb\xbf", ""},
        {"spec", "spec"},
        {"\xef\xbbspec", "\xef\xbbspec"},
        {"\xefx", "\xefx"},
        {"\xef", "\xef"},
        {"\xef\xbb\xbf\xef\xbb\xbfx", "\xef\xbb\xbfx"},
    };
    const char *path = "marked";
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf *b = new_text();
        char line[16], want[16] = "";
        put_bytes(path, cases[i].bytes, strlen(cases[i].bytes));
        CHECK(read_text(path, 99, b) == 0 && b->n == strlen(b->s));
        CHECK_TEXT(b->s, cases[i].text);
        CHECK_EQ(first_line(path, line, sizeof line), 0);
        memcpy(want, cases[i].text, strcspn(cases[i].text, "\r\n"));
        CHECK_TEXT(line, want);
    }
}

/* A database that happens to hold these bytes */
static void no_text(void)
{
    static const char bytes[] = "\xef\xbb\xbf\0\r\n";
    struct buf *b = new_text();
    put_bytes("database", bytes, sizeof bytes);
    CHECK(read_text("database", 99, b) == 0 && b->n == sizeof bytes);
    CHECK(memcmp(b->s, bytes, sizeof bytes) == 0);
}

/* ---- specs ---- */

static const char tiny[] = "# a comment\r\n"
                           "[kernel]\n name = toy \n\n; another\nrule = unconstrained\n"
                           "[data]\nformat = csv\n"
                           "[derived]\n  a = b = c  \n# no\n[features]\none\n two\n"
                           "[fields]\nkind = x y\nn = size 2 9\n"
                           "[params]\ntile = -4 0 8\nmode = fast 1-slow\n";

static void spec_texts(void)
{
    struct spec s;
    struct buf *b = new_text();
    char number[12];
    CHECK(spec_parse(&s, tiny, "toy") != 0); /* 1-slow is not a name */
    char *good = new_copy(tiny);
    memcpy(strstr(good, "1-slow"), "s-slow", 6);
    REQUIRE(spec_parse(&s, good, "toy.spec") == 0);
    CHECK(strcmp(s.text, good) == 0 && strcmp(s.path, "toy.spec") == 0);
    CHECK(s.derived.line == 9 && s.derived.n == 1 && s.derived.v[0].line == 10);
    CHECK_TEXT(s.derived.v[0].text, "a = b = c");
    CHECK(s.features.n == 2 && s.features.v[1].line == 14 && s.network.line == 0);
    CHECK(s.title[0] == '\0' && s.header == NULL && s.solver == NULL && s.pad == -1);
    CHECK(s.fields[1].least == 2 && s.fields[1].most == 9 && s.fields[0].most == 1);
    CHECK(spec_value_index(&s.params[0], "-4") == 0 && spec_value_index(&s.params[0], "4") < 0);
    CHECK(spec_value_index(&s.params[1], "s-slow") == 1 && s.params[1].values[1] == 1);
    CHECK_TEXT(spec_value_text(&s.params[0], 0, number), "-4");
    CHECK_TEXT(spec_values_text(&s.params[1], b), "fast s-slow");
    spec_free(&s);
}

/* Of scores: what a model of this split is told, whatever its fold; 2^16 / T, rounded */
static void spec_scales(void)
{
    static const char *const splits[] = {"config",    "config:3/5", "shape",
                                         "shape:0/2", "none",       "fold:0/3"};
    static const struct {
        const char *section;
        uint32_t scale[6];
    } cases[] = {
        {"", {65536, 65536, 65536, 65536, 65536, 65536}},
        {"[calibration]\nconfig = 2\n", {32768, 32768, 65536, 65536, 65536, 65536}},
        {"[calibration]\nshape = 0.55\nnone = 8\n", {65536, 65536, 119156, 119156, 8192, 8192}},
        {"[calibration]\nnone = 1.5\nshape = 3\nconfig = 1.0000\n",
         {65536, 65536, 21845, 21845, 43691, 43691}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct spec *s =
            spec_of(say("[kernel]\nname = toy\nrule = unconstrained\nruns_on = gfx906 gfx1030\n"
                        "[data]\nformat = csv\n[fields]\ngpu = gfx906_60\n[params]\nt = 1 2\n%s",
                        cases[i].section));
        for (size_t j = 0; j < 6; j++)
            CHECK_EQ(spec_scale(s, splits[j]), cases[i].scale[j]);
        CHECK_TEXT(s->runs_on[0], "gfx906");
        CHECK_TEXT(s->runs_on[1], "gfx1030");
        CHECK(s->runs_on[2] == NULL && s->licence == NULL);
    }
}

/* ---- splits ---- */

static void split_facts(void)
{
    static const int32_t problem[9] = {1, 0, 0, 16, 64, 56, 56, 256, 1};
    static const int32_t strided[10] = {0, 2, 1, 4, 256, 14, 13, 64, 2, 32};
    const struct spec *s = spec_of(text_of(in_root("weights/conv_asm_1x1u.spec")));
    struct buf *key = new_text();
    split_key_text(s, &s->config, problem, key);
    CHECK_TEXT(key->s, "F,FP32,16,64,56,56,256,1,1");
    CHECK(split_hash(key->s, key->n) == UINT64_C(0xeeae04836b31d84a));
    CHECK(split_row_hash(s, &s->shape, problem, key) == UINT64_C(0x8a4925e9e37eb743));
    CHECK_TEXT(key->s, "64,256,56,56,1x1");
    CHECK(!split_is_test(UINT64_C(0xeeae04836b31d84a)));
    CHECK(!split_is_test(UINT64_C(0x8a4925e9e37eb743)) && split_is_test(20));
    s = spec_of(text_of(in_root("weights/conv_asm_bwd_wrw_3x3.spec")));
    split_key_text(s, &s->config, strided, key);
    CHECK_TEXT(key->s, "W,FP16,4,256,14,14,64,2,32");
    split_key_text(s, &s->shape, strided, key);
    CHECK_TEXT(key->s, "64,256,14,14,3x3");
}

static void split_names(void)
{
    static const char good[] =
        "config\0shape\0none\0config:0/1\0config:4/5\0shape:0/10\0file:ds_v3\0file:a.csv\0"
        "fold:0/1\0fold:12/345\0shape:99/100\0";
    static const char bad[] =
        "Config\0config:\0config:5/5\0config:1\0config:0/0\0shape:-1/5\0shape:+1/5\0shape:01/5\0"
        "shape:1/5 \0shape: 1/5\0none:0/5\0fold\0fold:\0fold:5/5\0configs\0config:0/5x\0other:0/5\0"
        "nonesuch\0shape:1/05\0:0/5\0fold:0/123456\0file:\0file:a/b\0file:a b\0file\0files:a\0";
    for (const char *name = good; *name != '\0'; name += strlen(name) + 1)
        CHECK_OF(held_out_is_split(name), name);
    for (const char *name = bad; *name != '\0'; name += strlen(name) + 1)
        CHECK_OF(!held_out_is_split(name), name);
    CHECK(!held_out_is_split(""));
}

/* ---- folds ---- */

enum { FOLD_ROWS = 4000, FOLD_FIELDS = 4, FOLDS = 10 };

/* Rows of a spec with two GPUs, two directions and two sizes; most keys come several times. */
static void make_fold_rows(struct dataset *d)
{
    memset(d, 0, sizeof *d);
    d->n = FOLD_ROWS;
    d->n_fields = FOLD_FIELDS;
    d->problem = new_memory(FOLD_ROWS * FOLD_FIELDS, sizeof *d->problem);
    for (size_t i = 0; i < FOLD_ROWS; i++) {
        int32_t *p = d->problem + i * FOLD_FIELDS;
        p[0] = (int32_t)random_below(2);
        p[1] = (int32_t)random_below(2);
        p[2] = (int32_t)random_below(30) + 1;
        p[3] = (int32_t)random_below(30) + 1;
    }
}

static int same_config(const int32_t *p, const int32_t *q)
{
    return p[1] == q[1] && p[2] == q[2] && p[3] == q[3];
}

static int same_shape(const int32_t *p, const int32_t *q)
{
    return (p[2] == q[2] && p[3] == q[3]) || (p[2] == q[3] && p[3] == q[2]);
}

/* Test rows are in none of the folds; of every other row one fold tests and the others train. */
static void check_folds(const struct held_out *whole, const struct held_out *fold)
{
    size_t n_tested = 0, in_fold[FOLDS] = {0};
    for (size_t i = 0; i < FOLD_ROWS; i++) {
        int tests = 0, asides = 0;
        for (size_t f = 0; f < FOLDS; f++) {
            CHECK(fold[f].unit[i] == whole->unit[i]);
            tests += fold[f].part[i] == HELD_OUT_TEST;
            asides += fold[f].part[i] == HELD_OUT_ASIDE;
            in_fold[f] += fold[f].part[i] == HELD_OUT_TEST;
        }
        CHECK(whole->part[i] != HELD_OUT_ASIDE);
        CHECK_EQ(asides, whole->part[i] == HELD_OUT_TEST ? FOLDS : 0);
        CHECK_EQ(tests, whole->part[i] == HELD_OUT_TEST ? 0 : 1);
        n_tested += whole->part[i] == HELD_OUT_TEST;
    }
    CHECK(n_tested > FOLD_ROWS / 20 && n_tested < FOLD_ROWS / 5);
    for (size_t f = 0; f < FOLDS; f++)
        CHECK(in_fold[f] > FOLD_ROWS / FOLDS / 2 && in_fold[f] < 2 * FOLD_ROWS / FOLDS);
}

/* Rows with one key have one unit, and are in one part; rows with others have others. */
static void check_whole(const struct dataset *d, const struct held_out *h,
                        int (*same)(const int32_t *, const int32_t *))
{
    for (size_t i = 0; i < FOLD_ROWS; i++)
        for (size_t j = i % 50; j < i; j += 50) {
            const int one = same(d->problem + i * FOLD_FIELDS, d->problem + j * FOLD_FIELDS);
            CHECK_EQ(h->unit[i] == h->unit[j], one);
            CHECK(!one || h->part[i] == h->part[j]);
        }
}

static const char fold_spec[] = "[kernel]\nname = toy\nrule = unconstrained\n"
                                "[data]\nformat = csv\n"
                                "[fields]\ngpu = gfx900 gfx906\ndir = F B\nm = size\nn = size\n"
                                "[params]\nt = 1 2\n"
                                "[split]\nconfig = dir,m,n\n";

static void folds_of(const char *kind, int (*same)(const int32_t *, const int32_t *))
{
    struct held_out whole, fold[FOLDS];
    struct dataset d;
    const struct spec *s = spec_of(say("%sshape = min(m,n),max(m,n)\n", fold_spec));
    make_fold_rows(&d);
    CHECK(held_out_find(s, kind, &d, &whole) == 0);
    for (int f = 0; f < FOLDS; f++) {
        const char *name = say("%s:%d/%d", kind, f, FOLDS);
        CHECK(held_out_find(s, name, &d, &fold[f]) == 0);
        CHECK(held_out_key(s, name) == held_out_key(s, kind) && held_out_key(s, name) != NULL);
        check_whole(&d, &fold[f], same);
    }
    check_folds(&whole, fold);
    for (size_t f = 0; f < FOLDS; f++)
        held_out_free(&fold[f]);
    held_out_free(&whole);
}

static void folds(void)
{
    folds_of("config", same_config);
    folds_of("shape", same_shape);
}

/* Of a model that ships with all rows learnt, each row is tested by one fold. */
static void folds_of_all(void)
{
    struct held_out fold;
    struct dataset d;
    size_t tested = 0;
    const struct spec *s = spec_of(say("%sshipped = none\n", fold_spec));
    make_fold_rows(&d);
    for (int f = 0; f < FOLDS; f++) {
        CHECK(held_out_find(s, say("config:%d/%d", f, FOLDS), &d, &fold) == 0);
        for (size_t i = 0; i < FOLD_ROWS; i++) {
            CHECK(fold.part[i] != HELD_OUT_ASIDE);
            tested += fold.part[i] == HELD_OUT_TEST;
        }
        held_out_free(&fold);
    }
    CHECK_EQ(tested, FOLD_ROWS);
}

/* ---- files ---- */

/* Sorted rows of three files: problems 1..20 of three shapes (n of 1..3), of which the second file
   has those of n = 2 with m below 10, and one problem that the third has as well. */
static void make_file_rows(struct dataset *d, struct data_file *files)
{
    static char a[] = "a.csv.bz2", b[] = "b.csv", more[] = "b_more.csv";
    char *const names[] = {a, b, more};
    memset(d, 0, sizeof *d);
    d->n_fields = FOLD_FIELDS;
    d->problem = new_memory(61 * FOLD_FIELDS, sizeof *d->problem);
    d->file = new_memory(61, sizeof *d->file);
    d->files = files;
    d->n_files = 3;
    for (size_t i = 0; i < 3; i++)
        files[i].name = names[i];
    for (int32_t m = 1; m <= 20; m++)
        for (int32_t n = 1; n <= 3; n++)
            for (int twice = 0; twice <= (m == 5 && n == 2); twice++) {
                int32_t *p = d->problem + d->n * FOLD_FIELDS;
                p[2] = m + 100;
                p[3] = n;
                d->file[d->n++] = twice ? 2 : n == 2 && m < 10 ? 1 : 0;
            }
}

static void check_file_part(const struct dataset *d, const struct held_out *h, size_t i)
{
    const int32_t *p = d->problem + i * FOLD_FIELDS;
    const int tests = p[3] == 2 && p[2] < 110;
    CHECK_EQ(h->part[i], tests ? HELD_OUT_TEST : p[3] == 2 ? HELD_OUT_ASIDE : HELD_OUT_TRAIN);
}

/* A file's problems test, others of its shapes are put aside, and the rest trains. */
static void files_left_out(void)
{
    static const char *const good[] = {"file:b", "file:b.csv"};
    static const char *const wrong[] = {"file:c", "file:b_", "file:.csv"};
    struct data_file files[3];
    struct held_out h;
    struct dataset d;
    const struct spec *s = spec_of(say("%sshape = n\n", fold_spec));
    make_file_rows(&d, files);
    for (size_t k = 0; k < 2; k++) {
        CHECK(held_out_is_split(good[k]) && held_out_key(s, good[k]) == &s->shape);
        REQUIRE(held_out_find(s, good[k], &d, &h) == 0);
        for (size_t i = 0; i < d.n; i++)
            check_file_part(&d, &h, i);
        held_out_free(&h);
    }
    for (size_t k = 0; k < 3; k++) {
        CHECK(held_out_find(s, wrong[k], &d, &h) != 0);
        held_out_free(&h);
    }
}

/* What the spec has no key for is refused, the folds of it too. */
static void folds_without_a_key(void)
{
    static const char *const names[] = {"shape", "shape:0/7", "file:toy"};
    struct held_out h;
    struct dataset d;
    const struct spec *s = spec_of(fold_spec);
    make_fold_rows(&d);
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK(held_out_find(s, names[i], &d, &h) != 0);
        held_out_free(&h);
    }
}

/* Without a key config, the fields but the GPU are it. */
static void key_without_split(void)
{
    static const char text[] = "[kernel]\nname = toy\n[data]\nformat = timed\n[fields]\nm = size\n"
                               "gpu = gfx900 gfx906\nn = size\n[params]\ntile = 1 2\n";
    const int32_t problem[] = {5, 1, 7};
    struct buf *key = new_text();
    const struct spec *s = spec_of(text);
    const struct split_key *config = held_out_key(s, "config");
    REQUIRE(config != NULL);
    split_key_text(s, config, problem, key);
    CHECK_TEXT(key->s, "5,7");
}

/* The canonical size is the largest one with the same output. */
static void canonical_is_largest(void)
{
    for (int32_t f = 1; f <= 5; f++)
        for (int32_t pad = 0; pad <= 2; pad++)
            for (int32_t stride = 1; stride <= 4; stride++)
                for (int32_t h = 1; h <= 40; h++) {
                    int32_t c = split_canonical(h, f, pad, stride), x = h;
                    if (h + 2 * pad < f) {
                        CHECK(c == h);
                        continue;
                    }
                    while ((x + 1 + 2 * pad - f) / stride == (h + 2 * pad - f) / stride)
                        x++;
                    CHECK(c == x);
                    CHECK(split_canonical(c, f, pad, stride) == c);
                }
    CHECK(split_canonical(1 << 24, 1, 0, 1 << 24) == 1 << 24);
}

/* ---- timed data ---- */

#define KERNEL    "[kernel]\nname = x\nrule = unconstrained\n[data]\n"
#define ALGORITHM "miopenConvolutionFwdAlgo"

static const char find_db_spec[] =
    KERNEL "format = find-db\nfilter = 1x1\npad = 0\n"
           "[fields]\ndir = F B\ndtype = FP32\nn = size\nc = size\nh = size\nw = size\nk = size\n"
           "[params]\nsolver = \"A<1>\" B\n";
static const char find_db[] =
    "9-5-6-1x1-8-5-6-4-0x0-1x1-1x1-0-NCHW-FP32-F=" ALGORITHM "GEMM:Y,0.25,0," ALGORITHM
    "GEMM,-;" ALGORITHM "Direct:B,0.75,0," ALGORITHM "Direct,-;" ALGORITHM "FFT:X,0.5,0," ALGORITHM
    "FFT,-\n"
    "7-5-6-1x1-8-5-6-4-0x0-1x1-1x1-0-NCHW-FP32-F=B:3,0," ALGORITHM "GEMM;A<1>:4,0," ALGORITHM
    "Direct;C:0,0," ALGORITHM "FFT\n";

static void timed_find_db(void)
{
    static const unsigned char target[] = {0, 1, 1, DATA_UNKNOWN, DATA_UNKNOWN};
    static const uint32_t unknown[] = {0, 0, 0, 1, 2};
    static const double time[] = {4000, 3000, 750, 500, 250};
    struct dataset d;
    const struct data_options how = {0};
    const char *path = "timed.txt";
    put_text(path, "%s", find_db);
    REQUIRE(data_load(readers, spec_of(find_db_spec), &path, 1, &how, &d) == 0);
    CHECK(d.n == 5 && d.n_unknown == 2 && d.dropped[DROP_FAILED_TIME] == 1);
    for (size_t i = 0; i < d.n && i < 5; i++) {
        CHECK(d.target[i] == target[i] && d.unknown[i] == unknown[i] && d.time_us[i] == time[i]);
        CHECK(d.problem[i * d.n_fields + 3] == (i < 2 ? 7 : 9));
        CHECK(d.row[i] == (i < 2 ? 2 : 1));
    }
    CHECK(strcmp(d.unknown_text[0], "X") == 0 && strcmp(d.unknown_text[1], "Y") == 0);
    CHECK(data_problem_end(&d, 0) == 2 && data_problem_end(&d, 1) == 2);
    CHECK(data_problem_end(&d, 2) == 5);
    data_free(&d);
}

/* ---- more rows than may be kept ---- */

enum { MANY = 1500, OF_EACH = 4, MOST = 1000 };

static const char limited_spec[] = KERNEL "format = timed\n[fields]\nn = size\n"
                                          "[params]\na = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
                                          "b = 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n";

/* Rows of problem n, the last of them a failure; `back`: the last row first */
static void put_many(const char *path, int first, int end, int of_each, int back)
{
    struct buf *b = new_text();
    buf_puts(b, "n,a,b,time_us\n");
    for (int i = 0, n = (end - first) * of_each; i < n; i++) {
        const int at = back ? n - 1 - i : i, option = at % of_each;
        buf_printf(b, "%d,%d,%d,%s\n", first + at / of_each, option / 16, option % 16,
                   option + 1 < of_each ? "5" : "failed");
    }
    put_bytes(path, b->s, b->n);
}

static struct dataset load_most(const struct spec *s, const char *first, const char *second)
{
    const struct data_options how = {.most = MOST};
    const char *paths[] = {first, second};
    struct dataset d;
    memset(&d, 0, sizeof d);
    CHECK(data_load(readers, s, paths, 2, &how, &d) == 0);
    return d;
}

/* Of many problems some stay with all of their rows, the same in any order; of few, all stay. */
static void a_sample_of_many_rows(void)
{
    const struct spec *s = spec_of(limited_spec);
    put_many("more.csv", 2 * MANY, 3 * MANY, OF_EACH, 0);
    put_many("many.csv", 1, MANY, OF_EACH, 0);
    put_many("back.csv", 1, MANY, OF_EACH, 1);
    struct dataset d = load_most(s, "many.csv", "more.csv"),
                   back = load_most(s, "more.csv", "back.csv");
    CHECK(d.n + d.failed.n <= MOST && d.n + d.failed.n > MOST / 4 && d.failed.n * 3 == d.n);
    for (size_t i = 0; i < d.n; i += OF_EACH - 1)
        CHECK(data_problem_end(&d, i) == i + OF_EACH - 1);
    CHECK(d.n == back.n && memcmp(d.problem, back.problem, d.n * sizeof *d.problem) == 0);
    CHECK(d.files[0].rows + d.files[1].rows == d.n && d.files[0].rows > 0 && d.files[1].rows > 0);
    data_free(&d);
    data_free(&back);
    put_many("many.csv", 1, 9, 256, 0);
    put_many("more.csv", 9, 11, 256, 0);
    d = load_most(s, "many.csv", "more.csv");
    CHECK(d.n + d.failed.n <= MOST && d.n > MOST / 4 && data_count_problems(&d) == 10);
    data_free(&d);
}

/* ---- two readers of one ending ---- */

static int has_tab(const struct buf *bytes)
{
    return memchr(bytes->s, '\t', bytes->n) != NULL;
}

static int read_tabs(struct loader *l, struct buf *bytes)
{
    for (size_t i = 0; i < bytes->n; i++)
        bytes->s[i] = bytes->s[i] == '\t' ? ',' : bytes->s[i];
    return csv_read(l, bytes);
}

/* What a file holds decides, in whichever order they stand; two that take it are refused. */
static void two_readers(void)
{
    static const struct data_format csv = {".t", SPEC_N_FORMATS, "CSV", data_other, csv_read},
                                    tabs = {".t", SPEC_TIMED, "tabs", has_tab, read_tabs},
                                    end = {NULL, SPEC_N_FORMATS, NULL, NULL, NULL};
    const struct data_format tables[][3] = {
        {csv, tabs, end}, {tabs, csv, end}, {csv, csv, end}, {tabs, tabs, end}, {tabs, end, end}};
    static const int takes[][2] = {{1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 1}};
    const char *const path[] = {"comma.t", "tab.t"};
    const struct data_options how = {0};
    const struct spec *s = spec_of(limited_spec);
    struct dataset d;
    put_text(path[0], "n,a,b,time_us\n1,0,0,5\n");
    put_text(path[1], "n\ta\tb\ttime_us\n1\t0\t0\t5\n");
    for (size_t i = 0; i < 2 * COUNT(tables); i++) {
        CHECK_EQ(data_load(tables[i / 2], s, path + i % 2, 1, &how, &d) == 0, takes[i / 2][i % 2]);
        if (takes[i / 2][i % 2])
            data_free(&d);
    }
}

int main(void)
{
    program_begin();
    program_name = "test_data";
    if (freopen("messages", "w", stderr) == NULL)
        program_stop("messages");
    RUN_ALL(sha256_vectors, sha256_chunks, integers, texts, read_whole_file, output_whole_or_not,
            output_through_links, signals_leave_nothing, changes_meet, reason_is_told,
            texts_of_editors, no_text, spec_texts, spec_scales, split_facts, split_names, folds,
            folds_of_all, files_left_out, folds_without_a_key, key_without_split,
            canonical_is_largest, timed_find_db, two_readers, a_sample_of_many_rows);
    return program_end();
}
