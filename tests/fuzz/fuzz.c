/* fuzz.c - see fuzz.h; reads the seeds, and runs a target on them or on what libFuzzer makes up
   SPDX-License-Identifier: MIT

   usage: replay TARGET [unjudged]
   usage: FUZZ_TARGET=TARGET FUZZ_SEEDS=FOLDER fuzzer OPTION...

   With -DWITH_LIBFUZZER it is a fuzzer, which first puts the seeds into that folder; without, it
   says on standard error how many seeds came to each FUZZ_REACHED of the target. None is a failure.
   Then it runs on some hundred damaged copies of the seeds, which are the same every time.
   `unjudged`, for tools without a library that seeds need: on the seeds, and no more. */
#include "fuzz.h"

#include "cli/commands.h"
#include "data/sample.h"

void fuzz_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    abort();
}

/* ---- bytes as numbers ---- */

static uint8_t take(struct fuzz_bytes *in)
{
    if (in->n == 0)
        return 0;
    in->n--;
    return *in->at++;
}

uint32_t fuzz_u32(struct fuzz_bytes *in)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x = x << 8 | take(in);
    return x;
}

int32_t fuzz_between(struct fuzz_bytes *in, int32_t least, int32_t most)
{
    const uint64_t n = (uint64_t)((int64_t)most - least) + 1;
    uint64_t x = 0;
    for (uint64_t rest = n - 1; rest > 0; rest >>= 8)
        x = x << 8 | take(in);
    return (int32_t)((int64_t)(x % n) + least);
}

int fuzz_kind(const uint8_t **data, size_t *size)
{
    struct fuzz_bytes in = {*data, *size};
    const int kind = take(&in);
    *data = in.at;
    *size = in.n;
    return kind;
}

/* ---- texts and files ---- */

struct buf fuzz_text(const void *data, size_t size)
{
    struct buf text = {0};
    buf_add(&text, data, size);
    return text;
}

char *fuzz_file(const char *name, const void *bytes, size_t n)
{
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    const char *folder = getenv("FUZZ_FOLDER");
    snprintf(p, sizeof *path, "%s/%s", folder != NULL ? folder : ".", name);
    remove(p); /* to make a new file is faster than to cut one */
    FILE *f = fopen(p, "wb");
    FUZZ_CHECK(f != NULL && fwrite(bytes, 1, n, f) == n);
    FUZZ_CHECK(fclose(f) == 0);
    return p;
}

static char *memory;
static size_t n_memory;

FILE *fuzz_open(void)
{
    FILE *f = open_memstream(&memory, &n_memory);
    FUZZ_CHECK(f != NULL);
    return f;
}

struct buf fuzz_close(FILE *f)
{
    FUZZ_CHECK(fclose(f) == 0);
    const struct buf bytes = fuzz_text(memory, n_memory);
    free(memory);
    return bytes;
}

/* ---- seeds ---- */

struct seed {
    char name[32];
    int is_found; /* the target once failed at it */
    const char *text, *end;
};

/* The next seed of that target, and of {0} the first; 0: there is none */
static int next_seed(const char *target, struct seed *s)
{
    static const char mark[] = "\n==== ";
    static struct buf text;
    if (text.s == NULL)
        FUZZ_CHECK(read_file("tests/fuzz/seeds", 1 << 20, &text) == 0);
    const char *at = strstr(s->end != NULL ? s->end - 1 : text.s, mark);
    while (at != NULL) {
        char of[16], found[8] = "";
        FUZZ_CHECK(sscanf(at + strlen(mark), "%15s %31s%7[ found]", of, s->name, found) >= 2);
        s->is_found = strcmp(found, " found") == 0;
        s->text = strchr(at + 1, '\n') + 1;
        at = strstr(s->text - 1, mark);
        s->end = at != NULL ? at + 1 : s->text + strlen(s->text);
        if (strcmp(of, target) == 0)
            return 1;
    }
    return 0;
}

/* Without SQLite it has no bytes. */
static void add_database(const char *path, struct buf *out)
{
    const char *made = fuzz_file("seed.db", "", 0);
    if (make_db(made, path, swap_keys, 4) == 0)
        FUZZ_CHECK(read_file(made, 1 << 20, out) == 0);
}

static void add_newer(const char *path, struct buf *out)
{
    struct model m;
    char *story;
    FUZZ_CHECK(header_read_older(path, NULL, &m, &story) == 0);
    FILE *f = fuzz_open();
    header_write(f, &m, story);
    struct buf text = fuzz_close(f);
    buf_add(out, text.s, text.n);
    buf_free(&text);
    model_free(&m);
    free(story);
}

/* What stands between \{ and } */
static const char *add_made(const char *at, struct buf *out)
{
    char what[16], words[200], target[16], name[32], *text;
    FUZZ_CHECK(sscanf(at, "\\{%15s %199[^}]}", what, words) == 2);
    switch (what[0]) {
    case 'f': FUZZ_CHECK(read_file(words, 1 << 20, out) == 0); break;
    case 's':
        FUZZ_CHECK(sscanf(words, "%15s %31s", target, name) == 2);
        FUZZ_CHECK(fuzz_seed(target, name, out) == 0);
        break;
    case 'r':
        for (long n = strtol(words, &text, 10); n > 0; n--)
            buf_puts(out, text + 1);
        break;
    case 'd': add_database(words, out); break;
    case 'n': add_newer(words, out); break;
    default: fuzz_failed(__FILE__, __LINE__, "such a thing is made");
    }
    return strchr(at, '}') + 1;
}

/* What a backslash begins; what is behind it */
static const char *add_escaped(const char *at, struct buf *out)
{
    unsigned byte;
    switch (at[1]) {
    case '{': return add_made(at, out);
    case '\n': return at + 2;
    case 'x':
        FUZZ_CHECK(sscanf(at + 2, "%2x", &byte) == 1);
        buf_add(out, (char[]){(char)byte}, 1);
        return at + 4;
    default: buf_puts(out, at[1] == 'r' ? "\r" : "\\"); return at + 2;
    }
}

static struct buf seed_bytes(const struct seed *s)
{
    struct buf out = {0};
    buf_puts(&out, "");
    for (const char *at = s->text; at < s->end;)
        if (*at == '\\')
            at = add_escaped(at, &out);
        else
            buf_add(&out, at++, 1);
    return out;
}

int fuzz_seed(const char *target, const char *name, struct buf *out)
{
    struct seed s = {0};
    while (next_seed(target, &s))
        if (strcmp(s.name, name) == 0) {
            struct buf bytes = seed_bytes(&s);
            buf_add(out, bytes.s, bytes.n);
            buf_free(&bytes);
            return 0;
        }
    return -1;
}

/* ---- data files ---- */

const struct spec *fuzz_spec(const char *name)
{
    static struct spec spec;
    if (spec.text == NULL) {
        struct buf text = {0};
        FUZZ_CHECK(fuzz_seed("spec", name, &text) == 0 && spec_parse(&spec, text.s, name) == 0);
        buf_free(&text);
    }
    return &spec;
}

static int only_other_tuples(const struct dataset *d)
{
    size_t all = 0;
    for (int why = 0; why < DATA_N_DROPS; why++)
        all += d->dropped[why];
    return all > 0 && all == d->dropped[DROP_OTHER_TUPLE];
}

/* The rows as CSV: 0, 1 if some were left out for the one reason that their problem has another
   tuple, or -1 if the file was refused. *n: their number */
static int read_rows(const struct spec *spec, const char *path, int lenient, struct buf *rows,
                     size_t *n_rows)
{
    const struct data_options how = {.lenient = lenient};
    struct dataset d;
    if (data_load(readers, spec, &path, 1, &how, &d) != 0)
        return -1;
    FILE *f = fuzz_open();
    data_write(spec, &d, (struct table_form){.csv = 1}, f);
    buf_free(rows);
    *rows = fuzz_close(f);
    data_note_drops(&d);
    const int others = only_other_tuples(&d);
    *n_rows = d.n;
    data_free(&d);
    return others;
}

/* Two names of one GPU may have a tuple each for a problem. The rows tell them apart no longer, so
   that they are refused, and the first tuple stays of each problem. */
static void read_back(const struct spec *spec, const struct buf *rows)
{
    struct buf again = {0};
    size_t n;
    const char *path = fuzz_file("rows.csv", rows->s, rows->n);
    if (read_rows(spec, path, 0, &again, &n) != 0) {
        FUZZ_CHECK(read_rows(spec, path, 1, &again, &n) == 1);
        read_back(spec, &again);
    } else {
        FUZZ_CHECK(strcmp(rows->s, again.s) == 0);
    }
    buf_free(&again);
}

int fuzz_load(const char *spec, const char *name, const void *bytes, size_t n)
{
    const char *path = fuzz_file(name, bytes, n);
    int are_rows = 0;
    for (int lenient = 0; lenient < 2; lenient++) {
        struct buf rows = {0};
        if (read_rows(fuzz_spec(spec), path, lenient, &rows, &n) >= 0) {
            are_rows |= n > 0;
            read_back(fuzz_spec(spec), &rows);
        }
        buf_free(&rows);
    }
    return are_rows;
}

/* ---- predictions ---- */

enum { MOST_K = 16 };

struct answer {
    kpred_status status;
    size_t n;
    kpred_tuple tuple[MOST_K];
};

static void draw_problem(const kpred_model *m, struct fuzz_bytes *in, int32_t *problem)
{
    for (uint32_t f = 0; f < m->n_fields; f++) {
        const kpred_field *field = &m->fields[f];
        const int kind = fuzz_between(in, 0, 15);
        problem[f] = kind == 0   ? (int32_t)fuzz_u32(in)
                     : kind == 1 ? field->most
                     : kind == 2 ? field->least
                                 : fuzz_between(in, field->least, field->most);
    }
}

static int same_tuple(const kpred_model *m, const kpred_tuple *a, const kpred_tuple *b)
{
    return memcmp(a->value, b->value, m->n_params * sizeof *a->value) == 0;
}

static void check_answer(const kpred_model *m, const int32_t *problem, size_t k,
                         const struct answer *a, int rule_lies)
{
    FUZZ_CHECK(a->n >= 1 && a->n <= k);
    for (size_t i = 0; i < a->n; i++) {
        FUZZ_CHECK(a->tuple[i].score <= 0 && kpred_probability(a->tuple[i].score) >= 0);
        FUZZ_CHECK(i == 0 || a->tuple[i].score <= a->tuple[i - 1].score);
        FUZZ_CHECK(rule_lies || kpred_legal(m, problem, a->tuple[i].value));
        for (size_t j = 0; j < i; j++)
            FUZZ_CHECK(!same_tuple(m, &a->tuple[i], &a->tuple[j]));
    }
    FUZZ_CHECK(kpred_tuples_needed(a->tuple, a->n, 1 << 24) <= a->n);
}

static void same_answers(const kpred_model *m, const struct answer *a, const struct answer *b)
{
    FUZZ_CHECK(a->status == b->status && a->n == b->n);
    for (size_t i = 0; a->status == KPRED_OK && i < a->n; i++)
        FUZZ_CHECK(a->tuple[i].score == b->tuple[i].score
                   && same_tuple(m, &a->tuple[i], &b->tuple[i]));
}

static void predict_once(kpred_ctx *ctx, const int32_t *problem, size_t k, int rule_lies,
                         struct answer *a)
{
    a->n = 0;
    a->status = kpred_predict(ctx, problem, ctx->model->n_fields, a->tuple, k, &a->n);
    if (a->status == KPRED_OK)
        check_answer(ctx->model, problem, k, a, rule_lies);
    else
        FUZZ_CHECK(a->n == 0);
}

static int predict_by_all(kpred_ctx *ctx, const int32_t *problem, size_t k, int rule_lies)
{
    struct answer first, other;
    predict_once(ctx, problem, k, rule_lies, &first);
    for (int body = 0; body < KPRED_BODIES && ctx->model->scorer == &kpred_additive_scorer; body++)
        if (kpred_set_body(ctx, (kpred_body)body) == KPRED_OK) {
            predict_once(ctx, problem, k, rule_lies, &other);
            if (!rule_lies)
                same_answers(ctx->model, &first, &other);
        }
    return first.status == KPRED_OK;
}

int fuzz_predict(const kpred_model *m, struct fuzz_bytes *in, int rule_lies)
{
    const size_t beam = (size_t)fuzz_between(in, 1, fuzz_between(in, 0, 7) ? 12 : KPRED_MAX_BEAM);
    const size_t k = (size_t)fuzz_between(in, 1, beam < MOST_K ? (int32_t)beam : MOST_K);
    const size_t words = kpred_arena_words(m, beam);
    int32_t problem[KPRED_MAX_FIELDS], *arena = xmalloc(words * sizeof *arena);
    kpred_ctx ctx;
    FUZZ_CHECK(kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words - 1) == KPRED_ERR_ARENA);
    FUZZ_CHECK(kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) == KPRED_OK);
    draw_problem(m, in, problem);
    const int answered = predict_by_all(&ctx, problem, k, rule_lies);
    free(arena);
    return answered;
}

/* ---- one target on its inputs ---- */

/* The linker's names for the ends of what FUZZ_TARGET and FUZZ_REACHED leave */
extern const struct fuzz_target *const __start_fuzz_targets[], *const __stop_fuzz_targets[];
extern struct fuzz_place *const __start_fuzz_places[], *const __stop_fuzz_places[];

static const struct fuzz_target *find(const char *name)
{
    for (const struct fuzz_target *const *t = __start_fuzz_targets; t < __stop_fuzz_targets; t++)
        if (name != NULL && strcmp((*t)->name, name) == 0)
            return *t;
    fail("\"%s\" is not a target", name != NULL ? name : "");
    exit(2);
}

#ifdef WITH_LIBFUZZER

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("FUZZ_SEEDS");
    (void)argc, (void)argv;
    target = find(getenv("FUZZ_TARGET"));
    for (struct seed s = {0}; folder != NULL && next_seed(target->name, &s);) {
        struct buf path = {0}, bytes = seed_bytes(&s);
        buf_printf(&path, "%s/%s", folder, s.name);
        FUZZ_CHECK(out_whole(path.s, &bytes) == 0);
        buf_free(&path);
        buf_free(&bytes);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}

#else

enum { COPIES = 300 }; /* of the seeds of a target together */

/* A copy with a few bytes and numbers changed, dropped or doubled; one in eight ends early */
static struct buf damaged(const struct buf *seed)
{
    static const char *const words[] = {
        "=", "[", "]", "(",  ")",  ",",   "\"",  "\r\n",     " ",          "#",
        "x", "-", "0", "-1", "64", "127", "128", "16777216", "2147483647", "-2147483648"};
    static uint64_t random = 1;
    struct buf out = {0};
    const int32_t most = 6 + 6 * (int32_t)(seed->n >> test_between(&random, 0, 7));
    for (size_t i = 0, n; i < seed->n; i += n) {
        const char *at = seed->s + i, other = (char)test_random64(&random);
        const int32_t how = test_between(&random, 0, most);
        n = strspn(at, "0123456789");
        n += n == 0;
        if (how == 0)
            buf_puts(&out, words[test_between(&random, 0, COUNT(words) - 1)]);
        else if (how == 1)
            buf_add(&out, &other, 1);
        for (int times = how < 3 ? 0 : how == 3 ? 2 : 1; times > 0; times--)
            buf_add(&out, at, n);
    }
    if (test_between(&random, 0, 7) == 0)
        out.n = (size_t)test_between(&random, 0, (int32_t)out.n);
    buf_puts(&out, "");
    return out;
}

static void run_seed(const struct fuzz_target *t, const struct seed *s)
{
    struct buf bytes = seed_bytes(s);
    t->run((const uint8_t *)bytes.s, bytes.n);
    buf_free(&bytes);
    for (struct fuzz_place *const *p = __start_fuzz_places; p < __stop_fuzz_places; p++) {
        (*p)->n_seeds += (*p)->is_reached && !s->is_found;
        (*p)->is_reached = 0;
    }
}

static void run_copies(const struct fuzz_target *t, const struct seed *s, int n)
{
    struct buf bytes = seed_bytes(s);
    for (int i = 0; i < n; i++) {
        struct buf copy = damaged(&bytes);
        fprintf(stderr, "copy %d of %s\n", i, s->name); /* the last one is what it fails at */
        t->run((const uint8_t *)copy.s, copy.n);
        buf_free(&copy);
    }
    buf_free(&bytes);
}

static int judge(const char *name, int n_seeds)
{
    int n = 0, rc = 0;
    for (struct fuzz_place *const *p = __start_fuzz_places; p < __stop_fuzz_places; p++)
        if (strcmp((*p)->target, name) == 0) {
            n++;
            fprintf(stderr, "reached: %s, %s: by %d of %d seeds\n", name, (*p)->what, (*p)->n_seeds,
                    n_seeds);
            if ((*p)->n_seeds == 0)
                rc = fail("no seed of \"%s\" comes to \"%s\"", name, (*p)->what);
        }
    return n == 0 ? fail("\"%s\" has no FUZZ_REACHED", name) : rc;
}

int main(int argc, char **argv)
{
    const struct fuzz_target *t = find(argv[1]);
    int n = 0, rc = 0;
    for (struct seed s = {0}; next_seed(t->name, &s); n += !s.is_found)
        run_seed(t, &s);
    if (n == 0)
        return fail("\"%s\" has no seed", t->name) != 0;
    rc = argc < 3 && judge(t->name, n) != 0;
    for (struct seed s = {0}; argc < 3 && next_seed(t->name, &s);)
        run_copies(t, &s, COPIES / n);
    return rc;
}

#endif
