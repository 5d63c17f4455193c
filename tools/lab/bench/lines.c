/* lines.c - which lines of the cache a prediction touches, by what lies in them
   SPDX-License-Identifier: MIT

   lines run MODEL BEAM MAP     predicts for the first problems of `kpred bench`, and writes into
                                MAP where code and data lie. valgrind's lackey traces it.
   lines count MODEL BEAM MAP   reads that trace, and prints a row of a table: the mean number of
                                lines that a prediction touches, which are its misses when nothing
                                is in a cache, of each kind. */
#include "base/util.h"
#include "cli/bench.h"
#include "cli/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PROBLEMS = 8, MOST_RANGES = 256, MOST_LINES = 1 << 16 };

enum kind { CODE, WEIGHTS, MODEL, TABLES, ARENA, CALLER, STACK, KINDS };
static const char *const kind_names[] = {"code",  "weights", "structs", "tables",
                                         "arena", "caller",  "stack"};

/* Written before and behind each prediction, so that its part of the trace can be told */
static volatile int mark;

/* ---- run ---- */

static void put_range(FILE *f, enum kind kind, const void *p, size_t bytes)
{
    if (p)
        fprintf(f, "%d %" PRIxPTR " %zu\n", (int)kind, (uintptr_t)p, bytes);
}

static void put_model(FILE *f, const kpred_model *m)
{
    const kpred_additive *net = m->net;
    put_range(f, MODEL, m, sizeof *m);
    put_range(f, MODEL, m->fields, m->n_fields * sizeof *m->fields);
    put_range(f, MODEL, m->params, m->n_params * sizeof *m->params);
    put_range(f, MODEL, net, sizeof *net);
    put_range(f, MODEL, net->heads, m->n_params * sizeof *net->heads);
    put_range(f, MODEL, net->program, net->n_instr * sizeof *net->program);
    for (size_t i = 0; i < 3; i++) {
        const kpred_layer *l = net->layer + i;
        put_range(f, WEIGHTS, l->weight, (size_t)l->rows * l->cols);
        put_range(f, WEIGHTS, l->bias, l->rows * sizeof *l->bias);
    }
    for (size_t t = 0; t < m->n_params; t++) {
        const kpred_head *h = net->heads + t;
        put_range(f, MODEL, m->params[t].values,
                  (size_t)m->params[t].n_values * sizeof *m->params[t].values);
        put_range(f, WEIGHTS, h->weight, model_head_rows(m, t) * net->hidden);
        put_range(f, WEIGHTS, h->bias, model_head_rows(m, t) * sizeof *h->bias);
        put_range(f, WEIGHTS, h->embedding, model_embedding_rows(m, t) * net->hidden);
    }
}

static int predict(kpred_ctx *ctx, const int32_t *problems, size_t n, kpred_tuple *tuples)
{
    size_t n_out;
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        mark = 1;
        bad |= kpred_predict(ctx, problems + i * ctx->model->n_fields, ctx->model->n_fields, tuples,
                             ctx->beam, &n_out)
               != KPRED_OK;
        mark = 0;
    }
    return bad;
}

static int lines_run(const kpred_model *m, size_t beam, const char *path)
{
    const size_t words = kpred_arena_words(m, beam), fields = m->n_fields;
    int32_t *arena = xcalloc(words, sizeof *arena), *problems = xcalloc(BENCH_PROBLEMS, 4 * fields);
    kpred_tuple *tuples = xcalloc(beam, sizeof *tuples);
    FILE *f = fopen(path, "w");
    kpred_ctx ctx;
    int bad = !f || kpred_init(&ctx, KPRED_VERSION, m, 1, arena, words) != KPRED_OK
              || bench_problems(&ctx, problems, tuples) < PROBLEMS
              || kpred_init(&ctx, KPRED_VERSION, m, beam, arena, words) != KPRED_OK;
    if (!bad) {
        fprintf(f, "%" PRIxPTR "\n", (uintptr_t)&mark);
        put_model(f, m);
        put_range(f, ARENA, arena, words * sizeof *arena);
        put_range(f, CALLER, tuples, beam * sizeof *tuples);
        put_range(f, CALLER, problems, BENCH_PROBLEMS * 4 * fields);
        bad = predict(&ctx, problems, PROBLEMS, tuples);
    }
    if (f)
        bad |= fclose(f) != 0;
    free(tuples);
    free(problems);
    free(arena);
    return bad ? fail("%s: no map in %s", m->name, path) : 0;
}

/* ---- count ---- */

struct range {
    uint64_t from, end;
    enum kind kind;
};

struct map {
    uint64_t mark;
    struct range range[MOST_RANGES];
    size_t n;
};

static int map_read(struct map *map, const char *path)
{
    FILE *f = fopen(path, "r");
    uint64_t from;
    size_t bytes;
    int kind;
    if (!f || fscanf(f, "%" SCNx64, &map->mark) != 1) {
        if (f)
            fclose(f);
        return fail("%s: is no map", path);
    }
    while (map->n < MOST_RANGES && fscanf(f, "%d %" SCNx64 " %zu", &kind, &from, &bytes) == 3)
        map->range[map->n++] = (struct range){from, from + bytes, (enum kind)kind};
    fclose(f);
    return 0;
}

/* What is not in the map is the stack, far above all else, or a constant that no pointer of the
   model shows. */
static enum kind kind_of(const struct map *map, char access, uint64_t at)
{
    if (access == 'I')
        return CODE;
    for (size_t i = 0; i < map->n; i++)
        if (at >= map->range[i].from && at < map->range[i].end)
            return map->range[i].kind;
    return at >= UINT64_C(0x1ff0000000) ? STACK : TABLES;
}

/* Lines that a prediction has touched, open addressing; a line of two kinds counts as the first. */
struct seen {
    uint64_t line[MOST_LINES];
    size_t n;
};

static int seen_add(struct seen *s, uint64_t line)
{
    size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    while (s->line[at] && s->line[at] != line)
        at = (at + 1) % MOST_LINES;
    if (s->line[at])
        return 0;
    s->line[at] = line;
    return ++s->n < MOST_LINES;
}

struct counts {
    double lines[KINDS], instructions;
    int predictions;
};

static void count_access(struct counts *c, struct seen *s, const struct map *map, char access,
                         uint64_t at, unsigned bytes)
{
    c->instructions += access == 'I';
    for (uint64_t line = at / LINE; line <= (at + bytes - 1) / LINE; line++)
        if (seen_add(s, line))
            c->lines[kind_of(map, access, line == at / LINE ? at : line * LINE)]++;
}

static void count_trace(struct counts *c, const struct map *map, FILE *trace)
{
    static struct seen seen;
    char text[256], access;
    uint64_t at;
    unsigned bytes;
    int is_inside = 0;
    while (fgets(text, sizeof text, trace)) {
        if (sscanf(text, " %c %" SCNx64 ",%u", &access, &at, &bytes) != 3)
            continue;
        if (access == 'S' && at == map->mark) {
            is_inside = !is_inside;
            c->predictions += is_inside;
            memset(&seen, 0, sizeof seen);
        } else if (is_inside) {
            count_access(c, &seen, map, access, at, bytes);
        }
    }
}

static int lines_count(const char *name, const char *beam, const char *path)
{
    static struct map map;
    struct counts c = {.predictions = 0};
    double all = 0;
    if (map_read(&map, path))
        return -1;
    count_trace(&c, &map, stdin);
    if (c.predictions != PROBLEMS)
        return fail("%s: the trace has %d predictions, expected %d", path, c.predictions, PROBLEMS);
    printf("%s,%s", name, beam);
    for (int k = 0; k < KINDS; k++) {
        printf(",%.0f", c.lines[k] / PROBLEMS);
        all += c.lines[k];
    }
    printf(",%.0f,%.0f\n", all / PROBLEMS, c.instructions / PROBLEMS);
    return 0;
}

static int heading(void)
{
    printf("model,beam");
    for (int k = 0; k < KINDS; k++)
        printf(",%s", kind_names[k]);
    printf(",lines,instructions\n");
    return 0;
}

int main(int argc, char **argv)
{
    const long beam = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
    const struct builtin *b = builtins;
    if (argc == 2 && strcmp(argv[1], "heading") == 0)
        return heading();
    if (argc != 5 || beam < 1 || beam > KPRED_MAX_BEAM)
        return fail("usage: lines heading | lines run|count MODEL BEAM MAP") ? 2 : 0;
    if (strcmp(argv[1], "count") == 0)
        return lines_count(argv[2], argv[3], argv[4]) ? 1 : 0;
    while (b->model && strcmp(b->model->name, argv[2]) != 0)
        b++;
    if (!b->model)
        return fail("%s: no built-in model has this name", argv[2]) ? 1 : 0;
    return lines_run(b->model, (size_t)beam, argv[4]) ? 1 : 0;
}
