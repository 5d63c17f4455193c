/* tune_replay.c - see tune_replay.h
   SPDX-License-Identifier: MIT */
#include "tune_replay.h"

#include "base/opts.h"
#include "base/table.h"
#include "tune/replay.h"

#include "commands.h"

#include "model/spec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: kpred-train tune [SPEC] --replay TABLE [--data FILE...] [--gpu NAME] [--seeds N]\n"
    "                        [--budget N] [--csv|--json]\n"
    "\n"
    "Tunes on a table that holds the times of all tuples of a problem, as if they were measured,\n"
    "and prints for each seed how many measurements that takes.\n"
    "\n"
    "  SPEC            the kernel's .spec file, for a table of CSV\n"
    "  --replay TABLE  a file of Kernel Tuner or KTT (.json), or CSV (.csv) with time_us, and\n"
    "                  each of these with .bz2 or .gz; failures stay in it\n"
    "  --data FILE...  tables of other GPUs or problems, known beforehand; TABLE itself is\n"
    "                  passed over\n"
    "  --gpu NAME      the rows of this GPU, of a CSV with several\n"
    "  --seeds N       repeat it with the seeds 1 to N (default 30)\n"
    "  --budget N      the most measurements of a seed (default 300)\n"
    "  --csv           print CSV\n"
    "  --json          print JSON\n"
    "\n"
    "evals_5 and evals_1 count the measurements, failures included, until the best time is\n"
    "within 5 and 1 percent of the table's; a miss counts as the budget. share is the best\n"
    "speed at the budget over the table's. Exit status: 0, 1 for trouble with the tables,\n"
    "2 for a wrong command line.\n";

struct options {
    const char *spec, *table, *gpu;
    struct opt_texts data;
    long seeds, budget;
    struct table_form form;
};

int tune_replay_is_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--replay") == 0 || strncmp(argv[i], "--replay=", 9) == 0)
            return 1;
    return 0;
}

/* Are they one file? Its own times would tell the tuner the answer. */
static int is_same_file(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev
           && sa.st_ino == sb.st_ino;
}

static int read_warm(const struct options *o, const struct spec *spec, const struct full_table *t,
                     double **warm, size_t *n)
{
    for (size_t i = 0; i < o->data.n; i++) {
        struct full_table other;
        if (is_same_file(o->data.v[i], o->table))
            continue;
        int rc = full_table_read(&other, o->data.v[i], spec, NULL);
        if (rc == 0) {
            warm[*n] = xcalloc(t->n, sizeof **warm);
            rc = full_table_match(t, &other, warm[(*n)++]);
        }
        full_table_free(&other);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static void add_row(struct table *table, const struct options *o, size_t n_warm, long seed,
                    const struct replay_row *row)
{
    table_text(table, base_name(o->table));
    table_text(table, "kpred");
    table_text(table, n_warm > 0 ? "data" : "cold");
    table_number(table, "%ld", seed);
    table_number(table, "%zu", row->evals_5);
    table_number(table, "%zu", row->evals_1);
    table_number(table, "%.5f", row->share);
}

static int print_replays(const struct options *o, const struct full_table *t, double *const *warm,
                         size_t n_warm)
{
    struct table table = {0};
    struct space space;
    full_table_space(t, &space);
    table_heading(&table, "table,strategy,start,seed,evals_5,evals_1,share");
    for (long seed = 1; seed <= o->seeds; seed++) {
        struct replay_row row;
        replay_run(t, &space, warm, n_warm, (uint64_t)seed, (size_t)o->budget, &row);
        add_row(&table, o, n_warm, seed, &row);
    }
    table_print(&table, stdout, o->form);
    table_free(&table);
    free((void *)space.n_values);
    free((void *)space.rank);
    return flush_stdout();
}

static int run(const struct options *o, const struct spec *spec)
{
    struct full_table t;
    double **warm = xcalloc(o->data.n + 1, sizeof *warm);
    size_t n_warm = 0;
    int rc = full_table_read(&t, o->table, spec, o->gpu);
    if (rc == 0)
        rc = read_warm(o, spec, &t, warm, &n_warm);
    if (rc == 0)
        rc = print_replays(o, &t, warm, n_warm);
    for (size_t i = 0; i < n_warm; i++)
        free(warm[i]);
    free(warm);
    full_table_free(&t);
    return rc;
}

int cmd_tune_replay(int argc, char **argv)
{
    struct options o = {.seeds = 30, .budget = 300};
    struct spec spec;
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec},
        {.name = "--replay", .kind = OPT_TEXT, .to = &o.table, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data},
        {.name = "--gpu", .kind = OPT_TEXT, .to = &o.gpu},
        {.name = "--seeds", .kind = OPT_COUNT, .to = &o.seeds, .least = 1, .most = 1000000},
        {.name = "--budget", .kind = OPT_COUNT, .to = &o.budget, .least = 1, .most = 1000000},
        {.name = "--csv", .kind = OPT_FLAG, .to = &o.form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &o.form.json},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0 && table_form_check(&o.form) != 0)
        status = 2;
    if (status < 0) {
        const int has_spec = o.spec != NULL;
        status = EXIT_FAILURE;
        if (!has_spec || spec_load(&spec, o.spec) == 0) {
            status = run(&o, has_spec ? &spec : NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
            if (has_spec)
                spec_free(&spec);
        }
    }
    free(o.data.v);
    return status;
}
