/* ml_export.c - `kpred-evolve ml-export`: points of a front as a library, so that a launch path can
   choose by a bound on error
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "ml_session.h"

#include "evolve/tensor/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-evolve ml-export RUN.log -o FOLDER [-k K] [--name NAME] [--jobs N]\n"
    "                           [--force]\n"
    "\n"
    "Chooses points of the front of a search of kpred-evolve ml by time and validation error, and\n"
    "writes\n"
    "  NAME.o     functions NAME_v0, NAME_v1, ...; the first one is the module as it is. The code\n"
    "             is for the processor of this machine\n"
    "  NAME.h     how they are called, the table of them, their times and errors\n"
    "  NAME.spec  for kpred-train: the field `bound`, the most wrong labels of 1000, the "
    "parameter\n"
    "             `variant`, and as a rule which variants keep to which bound\n"
    "  NAME.csv   the time of each variant for bounds that it keeps to\n"
    "so that `kpred-train train NAME.spec --data NAME.csv -o MODEL.h` makes a model that names "
    "the\n"
    "fastest variant for a bound. No bound is broken, as far as the validation part of the images\n"
    "tells; if no variant keeps to it, the model names the module as it is.\n"
    "\n"
    "  RUN.log      the log\n"
    "  -o FOLDER    made if it is not there\n"
    "  -k K         the most variants, the module included (default 4)\n"
    "  --name NAME  a C identifier (default: the function)\n"
    "  --jobs N     candidates at a time (default: one for each processor)\n"
    "  --force      replace files of FOLDER that are there\n";

/* ---- choosing ---- */

static void drop(struct ml_variants *v, size_t i)
{
    edits_free(&v->v[i].list);
    memmove(&v->v[i], &v->v[i + 1], (v->n - i - 1) * sizeof v->v[i]);
    memset(&v->v[--v->n].list, 0, sizeof v->v[0].list);
}

/* Drops what is dominated, or else what has the nearest neighbours, until k are left. The module
   stays. */
static void thin_out(struct ml_variants *v, size_t k)
{
    struct point p[MAX_VARIANTS];
    for (;;) {
        size_t worst = 1;
        for (size_t i = 0; i < v->n; i++)
            p[i] = (struct point){.time = v->v[i].time,
                                  .error = v->v[i].error[EXAM_VALIDATE],
                                  .size = v->v[i].list.n};
        pareto_rank(p, v->n);
        pareto_crowd(p, v->n);
        for (size_t i = 1; i < v->n; i++)
            worst = point_precedes(&p[i], &p[worst]) ? worst : i;
        if (v->n < 2 || (p[worst].rank == 0 && v->n <= k))
            return;
        drop(v, worst);
    }
}

static void take_module(const struct ml_session *s, struct ml_variants *v)
{
    memset(v, 0, sizeof *v);
    v->n = 1;
    v->v[0].time = 1;
    memcpy(v->v[0].error, s->error, sizeof s->error);
}

/* The module, and of the front what is valid on the validation part. -1 after a message */
static int take_front(struct ml_session *s, const struct archive *a, size_t k,
                      struct ml_variants *v)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    int rc = 0;
    take_module(s, v);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const double error = ml_error(s, EXAM_VALIDATE, &front[i]->list);
        struct ml_variant *next = &v->v[v->n];
        rc = error < 0 ? -1 : 0;
        if (rc != 0 || !isfinite(error) || front[i]->list.n == 0)
            continue;
        next->time = front[i]->result.time;
        next->error[EXAM_VALIDATE] = error;
        edits_copy(&next->list, &front[i]->list);
        v->n++;
        if (v->n == MAX_VARIANTS)
            thin_out(v, MAX_VARIANTS - 1);
    }
    free(front);
    if (rc == 0)
        thin_out(v, k);
    return rc;
}

/* Is another one as right, and no slower? One percent of the module's time is no difference. */
static int is_needless(const struct ml_variants *v, size_t i)
{
    const double slack = 0.01 * v->v[0].us;
    for (size_t k = 0; k < v->n; k++)
        if (k != i && v->v[k].error[EXAM_VALIDATE] <= v->v[i].error[EXAM_VALIDATE]
            && v->v[k].us < v->v[i].us + slack)
            return 1;
    return 0;
}

/* Drops one that is not needed, as they ship. Returns whether there was one. */
static int prune(struct ml_variants *v)
{
    for (size_t i = 1; i < v->n; i++)
        if (is_needless(v, i)) {
            drop(v, i);
            return 1;
        }
    return 0;
}

static int by_error(const void *a, const void *b)
{
    const struct ml_variant *p = a, *q = b;
    const double x = p->error[EXAM_VALIDATE], y = q->error[EXAM_VALIDATE];
    return (x > y) - (x < y);
}

static int link_best(struct ml_session *s, struct ml_variants *v, const char *name,
                     struct library *l)
{
    qsort(&v->v[1], v->n - 1, sizeof v->v[1], by_error);
    for (;;) {
        if (ml_library_make(s, v, name, l) != 0)
            return -1;
        if (!prune(v))
            return 0;
        library_free(l);
    }
}

/* ---- the texts ---- */

/* The least bound that it keeps to: wrong labels of 1000, at least 1 */
static long bound_of(const struct ml_variant *v)
{
    const long bound = (long)ceil(1000 * v->error[EXAM_VALIDATE] - 1e-9);
    return bound > 1 ? bound : 1;
}

static long least_bound(const struct ml_variants *v)
{
    long least = 1000;
    for (size_t i = 0; i < v->n; i++)
        least = bound_of(&v->v[i]) < least ? bound_of(&v->v[i]) : least;
    return least;
}

/* The fastest variant of a bound is all that is to be learnt, and changes at a few bounds: a small
   network that sees the bound's size alone is sure of it. */
static const char learning[] =
    "\n[derived]\nlog2_bound = log2 bound\n"
    "\n[features]\nhats log2_bound 0 0.5 21\n"
    "\n[split]\nconfig = bound\nshipped = none\n"
    "\n[network]\nsharpness = 200\nteachers = 0\nencoder1 = 32\n"
    "encoder2 = 16\nhidden = 16\nepochs = 300\nbatch = 32\naverage = 0.9\n";

static void put_spec(struct buf *out, const struct ml_session *s, const struct ml_variants *v,
                     const char *name)
{
    const char *function = tensor_function(s->program);
    buf_printf(out,
               "# %s.spec - which variant of %s keeps to a bound on error; kpred-evolve ml-export "
               "wrote it\n[kernel]\nname = %s\ntitle = variants of %s in %s\n\n[data]\nformat = "
               "timed\n\n[fields]\nbound = size\n\n[params]\nvariant =",
               name, function, name, function, base_name(s->options.module));
    for (size_t i = 0; i < v->n; i++)
        buf_printf(out, " %zu", i);
    buf_puts(out, "\n\n[restrict]\n");
    if (bound_of(&v->v[0]) > least_bound(v))
        buf_printf(out, "variant != 0 or bound >= %ld or bound < %ld\n", bound_of(&v->v[0]),
                   least_bound(v));
    for (size_t i = 1; i < v->n; i++)
        buf_printf(out, "variant != %zu or bound >= %ld\n", i, bound_of(&v->v[i]));
    buf_puts(out, learning);
}

static int keeps_to(const struct ml_variants *v, size_t i, long bound)
{
    return bound >= bound_of(&v->v[i]) || (i == 0 && bound < least_bound(v));
}

static void put_times(struct buf *out, const struct ml_variants *v, long bound)
{
    for (size_t i = 0; i < v->n; i++)
        if (keeps_to(v, i, bound))
            buf_printf(out, "%ld,%zu,%.6g\n", bound, i, v->v[i].us);
}

/* Each variant for each bound that it keeps to: what a model asks for lies between these. */
static void put_csv(struct buf *out, const struct ml_variants *v)
{
    buf_puts(out, "bound,variant,time_us\n");
    for (long bound = 1; bound < 1000; bound += 1 + bound / 16)
        put_times(out, v, bound);
    put_times(out, v, 1000);
}

static void put_sizes(struct buf *out, const struct engine_tensor *t, const char *name)
{
    buf_printf(out, "%s[", name);
    for (int i = 0; i < t->rank; i++)
        buf_printf(out, "%s%ld", i > 0 ? " * " : "", t->size[i]);
    buf_puts(out, "]");
}

static void put_edits(struct buf *out, const struct ml_variants *v)
{
    for (size_t i = 0; i < v->n; i++) {
        buf_printf(out, "   %zu: ", i);
        edits_print(&v->v[i].list, edit_operators, out);
        buf_puts(out, "\n");
    }
}

static void put_table(struct buf *out, const struct ml_variants *v, const char *name)
{
    library_put_table(out, name, v->n);
    buf_printf(
        out,
        "\n/* Microseconds of a call, and the parts of the labels that are wrong: of the "
        "images that the search\n   saw, of those that bounds are about, and of a test. */\n"
        "static const struct {\n    double us, search, validate, test;\n} %s_points[%s_variants]"
        " = {\n",
        name, name);
    for (size_t i = 0; i < v->n; i++)
        buf_printf(out, "    {%.6g, %.4f, %.4f, %.4f},\n", v->v[i].us, v->v[i].error[EXAM_SEARCH],
                   v->v[i].error[EXAM_VALIDATE], v->v[i].error[EXAM_TEST]);
    buf_puts(out, "};\n");
}

static void put_header(struct buf *out, const struct ml_session *s, const struct ml_variants *v,
                       const char *name)
{
    const struct tensor_type *type = &s->exam.type;
    buf_printf(out,
               "/* %s.h - variants of %s in %s; kpred-evolve ml-export wrote it\n\n"
               "   They are in %s.o; what uses them is linked with -lm. Edits, as "
               "kpred-evolve writes them in its log:\n",
               name, tensor_function(s->program), base_name(s->options.module), name);
    put_edits(out, v);
    buf_printf(out, "*/\n#pragma once\n\nenum { %s_variants = %zu, %s_arena = %llu };\n\n/* ", name,
               v->n, name, (unsigned long long)v->arena);
    for (size_t i = 0; i < type->n_in; i++) {
        const char in[] = {'i', 'n', (char)('0' + i), 0};
        put_sizes(out, &type->in[i], in);
        buf_puts(out, ", ");
    }
    put_sizes(out, &type->out, "out");
    buf_printf(
        out,
        "; the arena has %s_arena bytes, at a multiple of %d.\n   Calls with arenas of their "
        "own may run at a time. */\ntypedef void %s_variant(",
        name, MEMORY_ALIGNED, name);
    ml_library_put_type(out, s);
    buf_puts(out, ");\n");
    put_table(out, v, name);
}

/* ---- all of it ---- */

static int write_all(const struct export_options *o, const struct ml_session *s,
                     const struct ml_variants *v, const struct library *l, const char *name)
{
    struct library_files files = {.object = {NULL, 0, 0}};
    buf_add(&files.object, l->object.s, l->object.n);
    put_header(&files.header, s, v, name);
    put_spec(&files.spec, s, v, name);
    put_csv(&files.csv, v);
    const int rc = library_write(o->folder, name, &files);
    library_free_files(&files);
    return rc;
}

static int say(const struct export_options *o, const struct ml_variants *v)
{
    printf("%s: %zu %s, the module included\nvariant  bound        us  validate   test\n",
           o->folder, v->n, as_counted(v->n, "variant", "variants"));
    for (size_t i = 0; i < v->n; i++)
        printf("%7zu  %5ld  %8.2f  %8.2f  %5.2f\n", i, bound_of(&v->v[i]), v->v[i].us,
               100 * v->v[i].error[EXAM_VALIDATE], 100 * v->v[i].error[EXAM_TEST]);
    return flush_stdout();
}

static int export(const struct export_options *o, struct ml_session *s, const struct archive *a)
{
    const char *name = o->name != NULL ? o->name : tensor_function(s->program);
    struct ml_variants *v = xcalloc(1, sizeof *v);
    struct library l;
    int rc = library_check(o->folder, name, o->force, s->options.data);
    if (rc == 0)
        rc = take_front(s, a, (size_t)o->k, v);
    if (rc == 0 && (rc = link_best(s, v, name, &l)) == 0) {
        rc = v->n > 1 ? write_all(o, s, v, &l, name)
                      : fail("%s: no point of the front is better than the module", o->log);
        library_free(&l);
        if (rc == 0)
            rc = say(o, v);
    }
    while (v->n > 0)
        drop(v, v->n - 1);
    free(v);
    return rc;
}

int cmd_ml_export(int argc, char **argv)
{
    struct export_options o;
    struct ml_logged run;
    struct opt table[EXPORT_OPTIONS];
    export_options(table, &o, MAX_VARIANTS - 1);
    const int status = opts_parse(table, help, argc, argv);
    if (status >= 0)
        return status;
    if (ml_logged_open(&run, o.log, o.jobs, NULL, 0) != 0)
        return 1;
    const int rc = export(&o, &run.session, run.archive);
    ml_logged_close(&run);
    return rc != 0;
}
