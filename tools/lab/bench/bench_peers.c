/* bench_peers.c - times ways to predict tuples on the same problems, for `make bench-peers`
   SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sched_setaffinity */
#include "bench.h"

#include "base/opts.h"
#include "base/table.h"
#include "model/model.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32, MOST_K = 100 };

enum { MAX_LINES = 64, LINE_NAME = 32 };

struct entry { /* a line of the table, also while it is measured */
    struct line line;
    char name[LINE_NAME];
    struct loaded loaded;
    struct open_peer open; /* without a state: it is not there */
    double *ns;            /* of each round */
    size_t allocations, predictions, hits[2];
};

struct options {
    const char *folder, *only, *instructions, *tuples;
    long rounds, k;
    int count;
    struct table_form form;
};

struct bench {
    struct options o;
    size_t n;
    struct entry entry[MAX_LINES];
    struct rows rows;
    size_t rounds;
    kpred_tuple tuples[MOST_K];
    struct outfile file; /* of --tuples */
    struct buf counts;   /* of --instructions */
};

/* ---- the lines of the table: peers, bodies, beams ---- */

enum { BEAMS = 3 };

static const size_t beams[BEAMS] = {1, 10, 100};

static const struct kind {
    const char *name, *object, *variant, *package;
    size_t n_beams;
} kinds[] = {
    {"hybrid2", "paper", "hybrid2", NULL, 2},
    {"encdec", "paper", "encdec", NULL, 2},
    {"xgboost", "xgboost", "", "libxgboost-dev", 2},
    {"compiled", "compiled", "", "the trees of bench_models.py", 2},
    {"forest", "forest", "", NULL, 2},
    {"nearest-db", "sqlite", "", "libsqlite3-dev", 2},
    {"nearest", "nearest", "", NULL, 2},
    {"torch", "torch", "", "libtorch-dev", 2},
};

/* Is one of two names in the list? */
static int is_asked_for(const char *only, const char *kind, const char *name)
{
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        if ((strlen(kind) == n && strncmp(at, kind, n) == 0)
            || (strlen(name) == n && strncmp(at, name, n) == 0))
            return 1;
    }
    return !only;
}

/* Those of its lines that --k does not exclude */
static void bench_peers_add(struct bench *b, const struct peer_task *task, const struct kind *kind,
                            const char *name)
{
    for (size_t i = 0; i < kind->n_beams && b->n < MAX_LINES; i++) {
        struct entry *e = &b->entry[b->n];
        if (b->o.k && (size_t)b->o.k != beams[i])
            continue;
        snprintf(e->name, sizeof e->name, "%s", name);
        e->line = (struct line){e->name, kind->object, kind->package, *task};
        e->line.task.variant = kind->variant;
        e->line.task.k = beams[i];
        b->n++;
    }
}

static void add_bodies(struct bench *b, const struct peer_task *task)
{
    for (int body = 0; body < KPRED_BODIES; body++) {
        const char *variant = kpred_body_name((kpred_body)body);
        const struct kind kind = {"kpred", "kpred", variant, NULL, BEAMS};
        char name[LINE_NAME];
        snprintf(name, sizeof name, "kpred-%s", variant);
        if (is_asked_for(b->o.only, "kpred", name))
            bench_peers_add(b, task, &kind, name);
    }
}

/* What --only names, a peer's own name or a line's. 0, or -1 with a message if there is nothing. */
static int lines_make(struct bench *b, const struct peer_task *task)
{
    add_bodies(b, task);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_asked_for(b->o.only, kinds[i].name, kinds[i].name))
            bench_peers_add(b, task, &kinds[i], kinds[i].name);
    return b->n ? 0
                : fail("--only \"%s\": names no peer with such a k", b->o.only ? b->o.only : "");
}

/* ---- one entry in one round ---- */

static int is_optimum(const struct bench *b, const kpred_model *m, const kpred_tuple *t, size_t row)
{
    for (size_t p = 0; p < m->n_params; p++)
        if (t->value[p] != m->params[p].values[b->rows.index[row * m->n_params + p]])
            return 0;
    return 1;
}

static void write_tuples(struct bench *b, const struct entry *e, size_t row, size_t n)
{
    const struct line *line = &e->line;
    for (size_t i = 0; i < n && b->file.f; i++) {
        fprintf(b->file.f, "%s,%zu,%zu,%zu", line->name, line->task.k, row + 1, i + 1);
        for (size_t p = 0; p < line->task.model->n_params; p++)
            fprintf(b->file.f, ",%ld", (long)b->tuples[i].value[p]);
        fputc('\n', b->file.f);
    }
}

/* Predicts a problem and counts whether the optimum is among the tuples */
static void bench_peers_judge(struct bench *b, struct entry *e, size_t row)
{
    const kpred_model *m = e->line.task.model;
    const int32_t *problem = b->rows.problem + row * m->n_fields;
    const size_t n = e->open.peer->predict(e->open.state, problem, b->tuples);
    size_t at = 0;
    while (at < n && !is_optimum(b, m, &b->tuples[at], row))
        at++;
    e->hits[0] += at == 0 && n;
    e->hits[1] += at < n && at < 10;
    e->predictions++;
    write_tuples(b, e, row, n);
}

static size_t block_end(const struct bench *b, size_t first)
{
    return first + BLOCK < b->rows.n ? first + BLOCK : b->rows.n;
}

static void run_block(struct bench *b, struct entry *e, size_t round)
{
    const size_t first = round * BLOCK, end = block_end(b, first);
    for (size_t row = first; row < end; row++)
        bench_peers_judge(b, e, row);
    const size_t before = allocations();
    const double start = measure_now();
    measured_predictions(&e->open, b->rows.problem + first * b->rows.n_fields, b->rows.n_fields,
                         end - first, b->tuples);
    e->ns[round] = (measure_now() - start) / (double)(end - first);
    e->allocations += allocations() - before;
}

/* ---- the table ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The instructions of a line, as the text has them; else an empty cell */
static void add_instructions(struct table *t, const struct line *line, const char *counts)
{
    char key[64];
    snprintf(key, sizeof key, "%s,%zu,", line->name, line->task.k);
    for (const char *at = counts; at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, key, strlen(key)) == 0) {
            table_number(t, "%ld", atol(at + strlen(key)));
            return;
        }
    table_text(t, "");
}

/* One tuple says nothing of ten. */
static void add_shares(struct table *t, const struct entry *e)
{
    for (int i = 0; i < 2; i++)
        if (e->open.state->is_brief || (i == 1 && e->line.task.k < 10))
            table_text(t, "");
        else
            table_number(t, "%.2f", 100.0 * (double)e->hits[i] / (double)e->predictions);
}

static void add_entry(struct table *t, struct entry *e, size_t rounds, const char *counts)
{
    qsort(e->ns, rounds, sizeof *e->ns, by_value);
    table_text(t, e->name);
    table_number(t, "%zu", e->line.task.k);
    table_number(t, "%.0f", e->ns[rounds / 2]);
    table_number(t, "%.0f", e->ns[rounds * 5 / 100]);
    table_number(t, "%.0f", e->ns[rounds * 95 / 100]);
    add_instructions(t, &e->line, counts);
    table_number(t, "%.1f", (double)e->allocations / (double)e->predictions);
    table_number(t, "%ld", e->loaded.resident / 1024);
    table_number(t, "%.2f", e->loaded.ms);
    table_number(t, "%zu", e->loaded.model);
    table_number(t, "%zu", e->loaded.code);
    table_number(t, "%zu", e->predictions);
    add_shares(t, e);
}

/* Sorts the nanoseconds. */
static void results_print(struct bench *b)
{
    struct table t = {0};
    table_heading(&t, "peer,k,ns,ns_p5,ns_p95,instructions,allocations,resident,load_ms,model,code,"
                      "n,pft1,pft10");
    for (size_t i = 0; i < b->n; i++)
        if (b->entry[i].open.state)
            add_entry(&t, &b->entry[i], b->rounds, b->counts.s);
    table_print(&t, stdout, b->o.form);
    table_free(&t);
}

/* ---- all of them ---- */

/* Stays on the core where it is now, where the system lets it */
static void pin(void)
{
    cpu_set_t set;
    const int cpu = sched_getcpu();
    CPU_ZERO(&set);
    if (cpu < 0)
        return;
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        note("this process may move from core to core");
}

/* Names what cannot run, once for all its k. */
static void tell_skipped(const struct entry *e, int is_first)
{
    if (is_first || strcmp(e[-1].name, e->name) != 0
        || strcmp(e[-1].loaded.why, e->loaded.why) != 0)
        fprintf(stderr, "skip %s: %s\n", e->name, e->loaded.why);
}

/* Costs first, of all: what one peer has loaded would not count for the next. */
static void open_all(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        measure_load(&b->entry[i].line, b->rows.problem, &b->entry[i].loaded);
    for (size_t i = 0; i < b->n; i++) {
        struct entry *e = &b->entry[i];
        if (!e->loaded.is_there || peer_open(&e->line, &e->open, e->loaded.why))
            tell_skipped(e, i == 0);
        else
            e->ns = xcalloc(b->rounds, sizeof *e->ns);
    }
}

static void close_all(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++) {
        peer_close(&b->entry[i].open);
        free(b->entry[i].ns);
    }
    rows_free(&b->rows);
    buf_free(&b->counts);
}

static int time_all(struct bench *b)
{
    if (b->o.tuples && out_open(&b->file, b->o.tuples))
        return -1;
    for (size_t round = 0; round < b->rounds; round++)
        for (size_t i = 0; i < b->n; i++)
            if (b->entry[i].open.state)
                run_block(b, &b->entry[i], round);
    if (b->file.f && out_commit(&b->file))
        return -1;
    results_print(b);
    return flush_stdout();
}

/* The first one warms up what is not yet counted. */
static int count_one(struct bench *b)
{
    struct open_peer p;
    char why[PEER_WHY];
    const struct line *line = &b->entry[0].line;
    if (b->n != 1)
        return fail("--count: expected --only and --k to name one line, not %zu", b->n);
    if (peer_open(line, &p, why))
        return fail("%s: %s", line->name, why);
    const size_t n = block_end(b, 0);
    for (size_t row = 0; row < n; row++)
        p.peer->predict(p.state, b->rows.problem + row * b->rows.n_fields, b->tuples);
    measured_predictions(&p, b->rows.problem, b->rows.n_fields, n, b->tuples);
    peer_close(&p);
    return 0;
}

static int bench_peers_run(struct bench *b)
{
    char why[PEER_WHY];
    const struct builtin *builtin = builtin_find("conv_asm_1x1u");
    if (!builtin)
        return -1;
    const struct peer_task task = {builtin->model, model_cost(builtin->model).bytes, b->o.folder,
                                   "", 0};
    if (lines_make(b, &task))
        return -1;
    if (rows_read(&task, "test.csv", &b->rows, why))
        return fail("%s", why);
    if (b->o.instructions && read_text(b->o.instructions, 1 << 20, &b->counts))
        return -1;
    b->rounds = (b->rows.n + BLOCK - 1) / BLOCK;
    if (b->o.rounds && (size_t)b->o.rounds < b->rounds)
        b->rounds = (size_t)b->o.rounds;
    pin();
    if (b->o.count)
        return count_one(b);
    open_all(b);
    return time_all(b);
}

int main(int argc, char **argv)
{
    static struct bench b;
    struct options *o = &b.o;
    const struct opt table[] = {
        OPT_SAYS(
            "Times ways to predict tuples, on one core, on the problems of FOLDER/test.csv: round "
            "by round, each predicts the same 32 problems, twice. The second time counts."),
        OPT(TEXT, "FOLDER", &o->folder,
            "what bench_models.py has made, and an object for each peer"),
        OPT(TEXT, "[--only NAME,...]", &o->only,
            "peers, such as kpred, kpred-avx2, nearest (default: all)"),
        OPT_RANGE(COUNT, "[--k K]", &o->k, 1, MOST_K, "of them those with this k alone"),
        OPT_RANGE(COUNT, "[--rounds N]", &o->rounds, 1, 1000000,
                  "so many rounds, by default until each problem has had its turn"),
        OPT(TEXT, "[--instructions FILE]", &o->instructions,
            "CSV of peer,k,instructions, for that column"),
        OPT(TEXT, "[--tuples FILE]", &o->tuples,
            "writes each tuple that was predicted: peer,k,row,rank and its values"),
        OPT(FLAG, "[--count]", &o->count,
            "predicts 32 problems of one line, which --only and --k name, twice and prints "
            "nothing, for tools that count instructions in measured_predictions"),
        FORM_OPTIONS(o->form, ", in place of an aligned table"),
        OPT_SAYS("Columns: ns is the median over the rounds of a prediction's processor time, "
                 "ns_p5 and ns_p95 are percentiles. allocations: of memory, by a prediction. "
                 "load_ms: until the first prediction is made. resident: KiB of memory that this "
                 "took. model, code: bytes of the model, and of the objects that the peer loads, "
                 "with all libraries. pft1, pft10: of the first tuple, and of ten, the percent of "
                 "problems for which the optimum is among them; none for a network whose training "
                 "was cut short. What cannot run is named on standard error."),
        {.usage = NULL},
    };
    program_name = "bench_peers";
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = bench_peers_run(&b) ? 1 : 0;
    close_all(&b);
    return status;
}
