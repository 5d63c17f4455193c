/* ml_export.c - `kpred-evolve ml-export`: points of a front as a library, so that a launch path can
   choose by a bound on error
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "ml_session.h"

#include "evolve/process.h"
#include "evolve/tensor/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the object: programs ---- */

/* Function i is NAME_vI(const float *in0, ..., float *out, void *arena). MLIR's own engine could
   write objects, too; but their code has to lie where it was compiled for. */

static const char *const memory_text[] = {
#include "memory_text.h" /* the lines of memory.h; evolve.mk makes it */
};

struct parts { /* for write_part: the variants, then what they share */
    struct session *session;
    struct variants *variants;
    const char *name;
    uint64_t arena; /* bytes that the one that takes most needs */
};

/* Runs a program, NULL at the end of its words, that reads the text. Its status, -1 after a
   message */
static int pipe_through(const char *const *words, const struct buf *text, struct buf *out)
{
    struct process_words w = {0};
    FILE *f = tmpfile();
    if (f == NULL || fwrite(text->s, 1, text->n, f) != text->n || fflush(f) != 0) {
        if (f != NULL)
            fclose(f);
        return fail("cannot write a temporary file: %s", strerror(errno));
    }
    rewind(f);
    process_add_all(&w, words);
    const int rc = process_run(&w, f, out);
    process_free(&w);
    fclose(f);
    return rc;
}

static int ml_export_compile(const char *language, const struct buf *text, const char *path)
{
    const char *const words[] = {EVOLVE_CLANG, "-x",          language,
                                 "-",          "-O3",         "-march=native",
                                 "-fPIC",      "-c",          "-ffp-contract=off",
                                 "-mllvm",     ENGINE_UNROLL, "-o",
                                 path,         "-w",          NULL};
    struct buf said = {0};
    const int rc = pipe_through(words, text, &said);
    buf_free(&said);
    return rc <= 0 ? rc : fail(EVOLVE_CLANG " refused what MLIR made, with status %d", rc);
}

static int translate(const struct buf *module, struct buf *ir)
{
    static const char *const words[] = {EVOLVE_TRANSLATE, "--mlir-to-llvmir", NULL};
    if (access(EVOLVE_TRANSLATE, X_OK) != 0)
        return fail("a library needs " EVOLVE_TRANSLATE ": it is in the package mlir-16-tools");
    const int rc = pipe_through(words, module, ir);
    return rc <= 0 ? rc : fail(EVOLVE_TRANSLATE " refused what MLIR made, with status %d", rc);
}

/* ---- the object: a variant ---- */

static void replace_all(struct buf *text, const char *what, const char *with)
{
    struct buf out = {0};
    const char *from = text->s, *at;
    for (; (at = strstr(from, what)) != NULL; from = at + strlen(what)) {
        buf_add(&out, from, (size_t)(at - from));
        buf_puts(&out, with);
    }
    buf_puts(&out, from);
    buf_free(text);
    *text = out;
}

/* What a library calls has names of its own, so that a program may have several libraries. */
static void rename_calls(struct buf *ir, const char *name)
{
    struct buf declared = {0}, take = {0}, copy = {0};
    buf_printf(&declared, "declare noalias ptr @%s_take(", name);
    buf_printf(&take, "@%s_take(", name);
    buf_printf(&copy, "@%s_copy(", name);
    replace_all(ir, "declare ptr @" ENGINE_TAKE "(", declared.s);
    replace_all(ir, "@" ENGINE_TAKE "(", take.s);
    replace_all(ir, "@" ENGINE_COPY "(", copy.s);
    buf_free(&declared);
    buf_free(&take);
    buf_free(&copy);
}

static int write_variant(struct parts *p, size_t i, const char *path)
{
    struct buf code = {0}, module = {0}, ir = {0};
    uint64_t room = 0;
    buf_printf(&code, "%s_code%zu", p->name, i);
    int rc =
        tensor_lower(p->session->module->program, &p->variants->v[i].list, code.s, &module, &room);
    if (rc == 0)
        rc = translate(&module, &ir);
    if (rc == 0) {
        rename_calls(&ir, p->name);
        rc = ml_export_compile("ir", &ir, path);
    }
    p->arena = room > p->arena ? room : p->arena;
    buf_free(&code);
    buf_free(&module);
    buf_free(&ir);
    return rc;
}

/* ---- the object: what they share ---- */

static void put_type(struct buf *out, const struct session *s)
{
    for (size_t i = 0; i < s->module->exam.type.n_in; i++)
        buf_printf(out, "const float *in%zu, ", i);
    buf_puts(out, "float *out, void *arena");
}

/* MLIR's descriptor of a tensor: `struct tensor2 in0 = {...};` */
static void put_descriptor(struct buf *out, const struct engine_tensor *t, const char *name)
{
    long stride = 1;
    buf_printf(out, "    struct tensor%d %s_ = {(float *)%s, (float *)%s, 0, {", t->rank, name,
               name, name);
    for (int i = 0; i < t->rank; i++) {
        buf_printf(out, "%s%ld", i > 0 ? ", " : "", t->size[i]);
        stride *= t->size[i];
    }
    buf_puts(out, "}, {");
    for (int i = 0; i < t->rank; i++) {
        stride /= t->size[i];
        buf_printf(out, "%s%ld", i > 0 ? ", " : "", stride);
    }
    buf_puts(out, "}};\n");
}

static void put_function(struct buf *out, const struct parts *p, size_t i)
{
    const struct tensor_type *type = &p->session->module->exam.type;
    struct buf code = {0};
    buf_printf(&code, "_mlir_ciface_%s_code%zu(", p->name, i);
    buf_printf(out, "\nvoid %s", code.s);
    for (size_t k = 0; k < type->n_in; k++)
        buf_printf(out, "struct tensor%d *, ", type->in[k].rank);
    buf_printf(out, "struct tensor%d *);\nvoid %s_v%zu(", type->out.rank, p->name, i);
    put_type(out, p->session);
    buf_puts(out, ")\n{\n");
    for (size_t k = 0; k < type->n_in; k++) {
        const char in[] = {'i', 'n', (char)('0' + k), 0};
        put_descriptor(out, &type->in[k], in);
    }
    put_descriptor(out, &type->out, "out");
    buf_printf(out, "    memory = (struct memory){arena, %llu, 0};\n    %s",
               (unsigned long long)p->arena, code.s);
    for (size_t k = 0; k < type->n_in; k++)
        buf_printf(out, "&in%zu_, ", k);
    buf_puts(out, "&out_);\n}\n");
    buf_free(&code);
}

static int write_shared(const struct parts *p, const char *path)
{
    struct buf text = {0};
    for (size_t i = 0; i < sizeof memory_text / sizeof *memory_text; i++)
        buf_puts(&text, memory_text[i]);
    buf_printf(&text,
               "static __thread struct memory memory;\n"
               "void *%s_take(uint64_t alignment, uint64_t bytes)\n{\n"
               "    (void)alignment;\n    return memory_take(&memory, bytes);\n}\n"
               "void %s_copy(int64_t bytes, struct memory_ref *from, struct memory_ref *to)\n{\n"
               "    memory_copy(bytes, from, to);\n}\n",
               p->name, p->name);
    for (int rank = 1; rank <= ENGINE_RANK; rank++)
        buf_printf(&text,
                   "struct tensor%d { float *base, *at; int64_t offset, size[%d], stride[%d]; };\n",
                   rank, rank, rank);
    for (size_t i = 0; i < p->variants->n; i++)
        put_function(&text, p, i);
    const int rc = ml_export_compile("c", &text, path);
    buf_free(&text);
    return rc;
}

static int write_part(void *user, size_t i, const char *path)
{
    struct parts *p = user;
    return i < p->variants->n ? write_variant(p, i, path) : write_shared(p, path);
}

/* ---- the object: as it ships ---- */

static void *shipped_arena; /* of call_shipped */

typedef void of_one(const float *a, float *out, void *arena);
typedef void of_two(const float *a, const float *b, float *out, void *arena);
typedef void of_three(const float *a, const float *b, const float *c, float *out, void *arena);

static int call_shipped(ev_kernel *entry, const struct engine_tensor *in, size_t n_in,
                        const struct engine_tensor *out)
{
    switch (n_in) {
    case 1: ((of_one *)entry)(in[0].at, out->at, shipped_arena); break;
    case 2: ((of_two *)entry)(in[0].at, in[1].at, out->at, shipped_arena); break;
    default: ((of_three *)entry)(in[0].at, in[1].at, in[2].at, out->at, shipped_arena); break;
    }
    return 0;
}

static int measure_errors(const struct session *s, struct variants *v, const struct library *l)
{
    int rc = 0;
    for (size_t i = 0; i < v->n; i++)
        for (int part = 0; part < EXAM_PARTS; part++) {
            v->v[i].error[part] = exam_error(&s->module->exam, l->code[i], (enum exam_part)part);
            rc |= v->v[i].error[part] < 0;
        }
    return rc == 0 ? 0 : -1;
}

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

/* The module, and of the front what is valid on the validation part. -1 after a message */
static int take_front(struct logged *run, size_t k, struct variants *v)
{
    const struct session *s = &run->session;
    const struct entry **front;
    const size_t n = archive_front(run->archive, &front);
    const struct result module = {.outcome = OUTCOME_VALID, .time = 1};
    double error = 0;
    memcpy(variants_add(v, &edits_none, &module)->error, s->module->error, sizeof s->module->error);
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

/* The first case is the timed one. */
static double us_of(const struct variant *v)
{
    return v->us[0];
}

/* Is another one as right, and no slower? One percent of the module's time is no difference. */
static int is_needless(const struct variants *v, size_t i)
{
    const double slack = 0.01 * us_of(&v->v[0]);
    for (size_t k = 0; k < v->n; k++)
        if (k != i && v->v[k].error[EXAM_VALIDATE] <= v->v[i].error[EXAM_VALIDATE]
            && us_of(&v->v[k]) < us_of(&v->v[i]) + slack)
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
    return ORDER(p->error[EXAM_VALIDATE], q->error[EXAM_VALIDATE]);
}

/* Each variant's times and errors are those as it ships. */
static int ml_export_make(struct session *s, struct variants *v, const char *name,
                          struct library *out)
{
    qsort(&v->v[1], v->n - 1, sizeof v->v[1], by_error);
    struct parts user = {s, v, name, MEMORY_ALIGNED};
    const struct library_parts parts = {&user, write_part, v->n + 1, v->n, name};
    int rc = library_make(&parts, out);
    if (rc != 0)
        return -1;
    out->arena = user.arena;
    if (posix_memalign(&shipped_arena, MEMORY_ALIGNED, (size_t)user.arena) != 0)
        return fail("out of memory");
    engine_call_by(call_shipped);
    rc = library_time(out, s->module->host[EXAM_SEARCH], &s->plan, v);
    if (rc == 0)
        rc = measure_errors(s, v, out);
    engine_call_by(NULL);
    free(shipped_arena);
    if (rc != 0)
        library_free(out);
    return rc;
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

static void put_times(struct buf *out, const struct variants *v, long bound)
{
    for (size_t i = 0; i < v->n; i++)
        if (bound >= bound_of(&v->v[i]) || (i == 0 && bound < least_bound(v)))
            buf_printf(out, "%ld,%zu,%.6g\n", bound, i, us_of(&v->v[i]));
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
        buf_printf(out, "    {%.6g, %.4f, %.4f, %.4f},\n", us_of(&v->v[i]),
                   v->v[i].error[EXAM_SEARCH], v->v[i].error[EXAM_VALIDATE],
                   v->v[i].error[EXAM_TEST]);
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
    put_type(out, s);
    buf_puts(out, ");\n");
    put_table(out, v, name);
}

/* ---- all of it ---- */

static int ml_export_put(const struct export_options *o, const struct session *s,
                         const struct variants *v, const struct library *l,
                         struct library_files *out)
{
    if (v->n < 2)
        return fail("%s: no point of the front is better than the module", o->log);
    put_header(&out->header, s, v, l->arena, o->name);
    put_spec(&out->spec, s, v, o->name);
    put_csv(&out->csv, v);
    return 0;
}

static void ml_export_say(const struct variants *v)
{
    printf("variant  bound        us  validate   test\n");
    for (size_t i = 0; i < v->n; i++)
        printf("%7zu  %5ld  %8.2f  %8.2f  %5.2f\n", i, bound_of(&v->v[i]), us_of(&v->v[i]),
               100 * v->v[i].error[EXAM_VALIDATE], 100 * v->v[i].error[EXAM_TEST]);
}

int cmd_ml_export(int argc, char **argv)
{
    static const struct export_way way = {&of_module, take_front,    ml_export_make,
                                          prune,      ml_export_put, ml_export_say};
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
    return status < 0 ? export_run(&way, &o) : status;
}
