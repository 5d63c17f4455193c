/* ml_export.c - `kpred-evolve ml-export`: points of a front as a library, so that a launch path can
   choose by a bound on error
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "ml_session.h"

#include "evolve/tensor/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- choosing ---- */

/* Drops what is dominated, or else what has the nearest neighbours, until k are left. The module
   stays. */
static void thin_out(struct variants *v, size_t k)
{
    struct point p[MAX_VARIANTS];
    for (;;) {
        size_t worst = 1;
        for (size_t i = 0; i < v->n; i++)
            p[i] = (struct point){.time = v->v[i].result.time,
                                  .error = v->v[i].error[EXAM_VALIDATE],
                                  .size = v->v[i].list.n};
        pareto_rank(p, v->n);
        pareto_crowd(p, v->n);
        for (size_t i = 1; i < v->n; i++)
            worst = point_precedes(&p[i], &p[worst]) ? worst : i;
        if (v->n < 2 || (p[worst].rank == 0 && v->n <= k))
            return;
        variants_drop(v, worst);
    }
}

static void take_module(const struct session *s, struct variants *v)
{
    static const struct edits none;
    const struct result module = {.outcome = OUTCOME_VALID, .time = 1};
    memcpy(variants_add(v, &none, &module)->error, s->module->error, sizeof s->module->error);
}

/* The module, and of the front what is valid on the validation part. -1 after a message */
static int take_front(const struct session *s, const struct archive *a, size_t k,
                      struct variants *v)
{
    const struct entry **front;
    const size_t n = archive_front(a, &front);
    double error = 0;
    take_module(s, v);
    for (size_t i = 0; error >= 0 && i < n; i++) {
        error = ml_error(s, EXAM_VALIDATE, &front[i]->list);
        if (error < 0 || !isfinite(error) || front[i]->list.n == 0)
            continue;
        variants_add(v, &front[i]->list, &front[i]->result)->error[EXAM_VALIDATE] = error;
        if (v->n == MAX_VARIANTS)
            thin_out(v, MAX_VARIANTS - 1);
    }
    free(front);
    if (error < 0)
        return -1;
    thin_out(v, k);
    return 0;
}

/* Is another one as right, and no slower? One percent of the module's time is no difference. */
static int is_needless(const struct variants *v, size_t i)
{
    const double slack = 0.01 * v->v[0].us;
    for (size_t k = 0; k < v->n; k++)
        if (k != i && v->v[k].error[EXAM_VALIDATE] <= v->v[i].error[EXAM_VALIDATE]
            && v->v[k].us < v->v[i].us + slack)
            return 1;
    return 0;
}

/* Drops one that is not needed, as they ship. Returns whether there was one. */
static int prune(struct variants *v)
{
    for (size_t i = 1; i < v->n; i++)
        if (is_needless(v, i)) {
            variants_drop(v, i);
            return 1;
        }
    return 0;
}

static int by_error(const void *a, const void *b)
{
    const struct variant *p = a, *q = b;
    const double x = p->error[EXAM_VALIDATE], y = q->error[EXAM_VALIDATE];
    return (x > y) - (x < y);
}

static int link_best(struct session *s, struct variants *v, const char *name, struct library *l)
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
static long bound_of(const struct variant *v)
{
    const long bound = (long)ceil(1000 * v->error[EXAM_VALIDATE] - 1e-9);
    return bound > 1 ? bound : 1;
}

static long least_bound(const struct variants *v)
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

static void put_spec(struct buf *out, const struct session *s, const struct variants *v,
                     const char *name)
{
    library_put_spec(out, name, s, "keeps to a bound on error", "bound = size\n", v->n);
    buf_puts(out, "\n\n[restrict]\n");
    if (bound_of(&v->v[0]) > least_bound(v))
        buf_printf(out, "variant != 0 or bound >= %ld or bound < %ld\n", bound_of(&v->v[0]),
                   least_bound(v));
    for (size_t i = 1; i < v->n; i++)
        buf_printf(out, "variant != %zu or bound >= %ld\n", i, bound_of(&v->v[i]));
    buf_puts(out, learning);
}

static int keeps_to(const struct variants *v, size_t i, long bound)
{
    return bound >= bound_of(&v->v[i]) || (i == 0 && bound < least_bound(v));
}

static void put_times(struct buf *out, const struct variants *v, long bound)
{
    for (size_t i = 0; i < v->n; i++)
        if (keeps_to(v, i, bound))
            buf_printf(out, "%ld,%zu,%.6g\n", bound, i, v->v[i].us);
}

/* Each variant for each bound that it keeps to: what a model asks for lies between these. */
static void put_csv(struct buf *out, const struct variants *v)
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

static void put_table(struct buf *out, const struct variants *v, const char *name)
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

static void put_header(struct buf *out, const struct session *s, const struct variants *v,
                       uint64_t arena, const char *name)
{
    const struct tensor_type *type = &s->module->exam.type;
    library_put_title(out, name, s);
    buf_printf(out,
               "They are in %s.o; what uses them is linked with -lm. Edits, as kpred-evolve writes "
               "them in its log:\n",
               name);
    library_put_edits(out, v);
    buf_printf(out, "*/\n#pragma once\n\nenum { %s_variants = %zu, %s_arena = %llu };\n\n/* ", name,
               v->n, name, (unsigned long long)arena);
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

static int write_all(const struct export_options *o, const struct session *s,
                     const struct variants *v, const struct library *l)
{
    struct library_files files = {.header = {0}};
    put_header(&files.header, s, v, l->arena, o->name);
    put_spec(&files.spec, s, v, o->name);
    put_csv(&files.csv, v);
    return library_write(o, &l->object, &files);
}

static int ml_export_say(const struct export_options *o, const struct variants *v)
{
    printf("%s: %zu %s, the module included\nvariant  bound        us  validate   test\n",
           o->folder, v->n, as_counted(v->n, "variant", "variants"));
    for (size_t i = 0; i < v->n; i++)
        printf("%7zu  %5ld  %8.2f  %8.2f  %5.2f\n", i, bound_of(&v->v[i]), v->v[i].us,
               100 * v->v[i].error[EXAM_VALIDATE], 100 * v->v[i].error[EXAM_TEST]);
    return flush_stdout();
}

static int ml_export_make(const struct export_options *o, struct logged *run)
{
    struct session *s = &run->session;
    struct variants v = {0};
    struct library l;
    int rc = library_check(o, s->options.cases);
    if (rc == 0)
        rc = take_front(s, run->archive, (size_t)o->k, &v);
    if (rc == 0 && (rc = link_best(s, &v, o->name, &l)) == 0) {
        rc = v.n > 1 ? write_all(o, s, &v, &l)
                     : fail("%s: no point of the front is better than the module", o->log);
        library_free(&l);
        if (rc == 0)
            rc = ml_export_say(o, &v);
    }
    variants_free(&v);
    return rc;
}

int cmd_ml_export(int argc, char **argv)
{
    struct export_options o = {.k = 4};
    const struct opt table[] = {
        OPT_SAYS("Chooses points of the front of a search of kpred-evolve ml by time and "
                 "validation error. `kpred-train train NAME.spec --data NAME.csv -o MODEL.h` makes "
                 "of what is written a model that names the fastest variant for a bound. No bound "
                 "is broken, as far as the validation part of the images tells; if no variant "
                 "keeps to it, the model names the module as it is."),
        OPT(SAID, "NAME.o", NULL,
            "functions NAME_v0, NAME_v1, ...; the first one is the module as it is. The code is "
            "for the processor of this machine"),
        OPT(SAID, "NAME.h", NULL, "how they are called, the table of them, their times and errors"),
        OPT(SAID, "NAME.spec", NULL,
            "for kpred-train: the field `bound`, the most wrong labels of 1000, the parameter "
            "`variant`, and as a rule which variants keep to which bound"),
        OPT(SAID, "NAME.csv", NULL, "the time of each variant for bounds that it keeps to"),
        OPT_SAYS("Arguments (needs mlir-translate of LLVM 16):"),
        EXPORT_ROWS(o, MAX_VARIANTS - 1, "module", ""),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return status < 0 ? export_run(&o, &of_module, ml_export_make) : status;
}
