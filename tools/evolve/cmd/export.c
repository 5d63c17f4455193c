/* export.c - `kpred-evolve export`: the best variants as a library; `emit`: any kernel edited
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A brief timing may be lucky: the best few of each case are timed again, and chosen from. */
enum { OF_EACH_CASE = 8, MOST_JUDGED = 256 };

/* ---- variants: the shortlist ---- */

static void add_listed(struct variants *l, const struct entry *e)
{
    if (l->n < MOST_JUDGED && !variants_have(l, &e->list))
        variants_add(l, &e->list, &e->result);
}

/* The valid entry with the least ratio in that case, of those that are not listed; NULL: none */
static const struct entry *best_of_case(const struct archive *a, const struct variants *l,
                                        int which)
{
    const struct entry *best = NULL;
    for (size_t i = 0; i < archive_size(a); i++) {
        const struct entry *e = archive_entry(a, i);
        if (e->result.outcome != OUTCOME_VALID || which >= e->result.n_cases
            || e->result.ratio[which] >= 1)
            continue;
        if ((best == NULL || e->result.ratio[which] < best->result.ratio[which])
            && !variants_have(l, &e->list))
            best = e;
    }
    return best;
}

static void make_shortlist(const struct archive *a, struct variants *l)
{
    const struct entry **front, *e;
    const size_t n = archive_front(a, &front);
    for (size_t i = 0; i < n && i < OF_EACH_CASE; i++)
        add_listed(l, front[i]);
    free(front);
    for (int which = 0; which < TASK_CASES; which++)
        for (int i = 0; i < OF_EACH_CASE && (e = best_of_case(a, l, which)) != NULL; i++)
            add_listed(l, e);
}

/* Judges them all; those that are not valid on all cases go, which is said: a harness that leaves
   code out lets a search break it. */
static int judge_shortlist(struct logged *run, struct variants *l)
{
    const size_t n = l->n;
    for (size_t i = 0; i < l->n;) {
        struct variant *v = &l->v[i];
        const int rc = judge_list(&run->session, run->archive, &v->list, &v->result);
        if (rc < 0)
            return -1;
        if (rc > 0)
            i++;
        else
            variants_drop(l, i);
    }
    if (l->n < n)
        note("%zu of %zu variants that looked fast are not valid on all cases, held-out ones "
             "included",
             n - l->n, n);
    return 0;
}

/* ---- variants: the choice ---- */

/* The sum over the cases of the least ratio, if `r` (NULL: nobody) joined those that are chosen */
static double sum_with(const struct variants *v, const struct result *r, int n_cases)
{
    double sum = 0;
    for (int c = 0; c < n_cases; c++) {
        double least = 1; /* the baseline's */
        for (size_t i = 1; i < v->n; i++)
            least = fmin(least, v->v[i].result.ratio[c]);
        sum += r != NULL ? fmin(least, r->ratio[c]) : least;
    }
    return sum;
}

static size_t best_to_join(const struct variants *v, const struct variants *l, int n_cases)
{
    size_t best = 0;
    for (size_t i = 1; i < l->n; i++)
        if (sum_with(v, &l->v[i].result, n_cases) < sum_with(v, &l->v[best].result, n_cases))
            best = i;
    return best;
}

/* What gains less is no use in a launch path, and near what two equal codes differ by */
static const double least_gain = 0.01;

static void export_choose(struct variants *v, const struct variants *l, size_t k)
{
    while (v->n < k && l->n > 0) {
        const int n_cases = l->v[0].result.n_cases;
        const size_t best = best_to_join(v, l, n_cases);
        const struct result *r = &l->v[best].result;
        if (sum_with(v, NULL, n_cases) - sum_with(v, r, n_cases) < least_gain * n_cases)
            return;
        variants_add(v, &l->v[best].list, r);
    }
}

/* At most k of them, the baseline included: each next one lowers the sum over the cases of the best
   time the most, and is valid on the held-out cases. It stops where the next one would lower the
   mean by less than one percent of the baseline's time. -1 after a message. */
static int variants_choose(struct logged *run, size_t k, struct variants *out)
{
    const struct result baseline = {.outcome = OUTCOME_VALID, .time = 1};
    struct variants l = {0};
    variants_add(out, &edits_none, &baseline);
    make_shortlist(run->archive, &l);
    const int rc = judge_shortlist(run, &l);
    if (rc == 0)
        export_choose(out, &l, k);
    variants_free(&l);
    return rc;
}

/* How much the mean over the cases of the best time, by the baseline's, rises without variant i */
static double loss_without(const struct variants *v, size_t i)
{
    const double *base = v->v[0].us;
    double loss = 0;
    size_t n = 0;
    for (size_t c = 0; c < TASK_CASES; c++) {
        double others = 1;
        if (base[c] <= 0)
            continue;
        for (size_t k = 1; k < v->n; k++)
            if (k != i)
                others = fmin(others, v->v[k].us[c] / base[c]);
        loss += others - fmin(others, v->v[i].us[c] / base[c]);
        n++;
    }
    return n > 0 ? loss / (double)n : 0;
}

/* Drops the one whose loss costs least, if it costs less than that: code that is linked otherwise
   lies elsewhere. */
static int variants_prune(struct variants *v)
{
    size_t worst = 1;
    for (size_t i = 1; i < v->n; i++)
        if (loss_without(v, i) < loss_without(v, worst))
            worst = i;
    if (v->n < 2 || loss_without(v, worst) >= least_gain)
        return 0;
    variants_drop(v, worst);
    return 1;
}

/* ---- the texts ---- */

/* Are the sizes of the case what a spec takes: integers from 1 to 2^24? */
static int has_fields(const int64_t *size, char *const *names)
{
    for (size_t k = 0; names[k] != NULL; k++)
        if (size[k] < 1 || size[k] > 1 << 24)
            return 0;
    return 1;
}

static void write_spec(struct buf *out, const struct session *s, const char *name, size_t n,
                       char *const *names)
{
    struct buf fields = {0};
    buf_puts(&fields, "");
    for (size_t i = 0; names[i] != NULL; i++)
        buf_printf(&fields, "%s = size\n", names[i]);
    library_put_spec(out, name, s, "a problem wants", fields.s, n);
    buf_free(&fields);
    buf_puts(out, "\n\n[split]\nconfig = ");
    for (size_t i = 0; names[i] != NULL; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", names[i]);
    buf_puts(out, "\nshipped = none\n");
}

static void write_csv(struct buf *out, const struct session *s, char *const *names,
                      const struct variants *v)
{
    for (size_t i = 0; names[i] != NULL; i++)
        buf_printf(out, "%s,", names[i]);
    buf_puts(out, "variant,time_us\n");
    for (size_t c = 0; c < s->cases->n; c++) {
        const int64_t *size = s->cases->v[c].size;
        for (size_t k = 0; k < v->n && v->v[0].us[c] > 0 && has_fields(size, names); k++) {
            for (size_t i = 0; names[i] != NULL; i++)
                buf_printf(out, "%lld,", (long long)size[i]);
            buf_printf(out, "%zu,%.6g\n", k, v->v[k].us[c]);
        }
    }
}

/* The bytes of a variant as an evaluator gets them */
static int write_bytes(struct buf *out, const struct session *s, const struct edits *list,
                       const char *name, size_t i)
{
    struct buf bytes = {NULL, 0, 0};
    const int rc = ir_emit(s->ir, list, (enum ir_form)s->options.form, NULL, &bytes);
    buf_printf(out, "static const unsigned char %s_v%zu[] = {", name, i);
    for (size_t k = 0; k < bytes.n; k++)
        buf_printf(out, "%s%u,", k % 24 == 0 ? "\n    " : "", (unsigned char)bytes.s[k]);
    buf_puts(out, "\n};\n");
    buf_free(&bytes);
    return rc;
}

/* For what loads modules from memory */
static int write_modules(struct buf *out, const struct session *s, const char *name,
                         const struct variants *v)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < v->n; i++)
        rc = write_bytes(out, s, &v->v[i].list, name, i);
    buf_printf(out,
               "\nstatic const struct %s_module {\n    const unsigned char *bytes;\n"
               "    unsigned long n;\n} %s_table[%s_variants] = {\n",
               name, name, name);
    for (size_t i = 0; i < v->n; i++)
        buf_printf(out, "    {%s_v%zu, sizeof %s_v%zu},\n", name, i, name, i);
    buf_puts(out, "};\n");
    return rc;
}

static int write_header(struct buf *out, const struct session *s, const char *name,
                        const struct variants *v)
{
    const struct session_options *o = &s->options;
    library_put_title(out, name, s);
    if (o->evaluate != NULL)
        buf_printf(out, "They are modules, each with %s.", o->function);
    else
        buf_printf(out, "They are in %s.o. Cast an entry to the type of %s.", name, o->function);
    buf_puts(out, " Edits, as `kpred-evolve emit --edits`\n   takes them:\n");
    library_put_edits(out, v);
    buf_printf(out, "*/\n#pragma once\n\nenum { %s_variants = %zu };\n\n", name, v->n);
    if (o->evaluate != NULL)
        return write_modules(out, s, name, v);
    buf_printf(out, "typedef void %s_variant(void);\n", name);
    library_put_table(out, name, v->n);
    return 0;
}

/* ---- the files ---- */

static int export_put(const struct export_options *o, const struct session *s,
                      const struct variants *v, const struct library *l, struct library_files *out)
{
    char **names = words_of(s->cases->sizes);
    (void)l;
    write_spec(&out->spec, s, o->name, v->n, names);
    write_csv(&out->csv, s, names, v);
    free(names);
    return write_header(&out->header, s, o->name, v);
}

struct parts { /* for write_part */
    struct session *session;
    const struct variants *variants;
    const char *name;
};

static int write_part(void *user, size_t i, const char *path)
{
    const struct parts *p = user;
    struct buf object = {NULL, 0, 0}, function = {NULL, 0, 0};
    buf_printf(&function, "%s_v%zu", p->name, i);
    int rc = ir_emit(p->session->ir, &p->variants->v[i].list, IR_OBJECT, function.s, &object);
    if (rc == 0)
        rc = out_whole(path, &object);
    buf_free(&object);
    buf_free(&function);
    return rc;
}

/* With an evaluator, the modules that are timed are those that ship. */
static int export_make(struct session *s, struct variants *v, const char *name, struct library *l)
{
    struct parts user = {s, v, name};
    const struct library_parts parts = {&user, write_part, v->n, v->n, name};
    int rc = s->evaluator != NULL ? 0 : library_make(&parts, l);
    if (rc == 0 && s->evaluator == NULL)
        rc = library_time(l, s->host, &s->plan, v);
    for (size_t i = 0; rc == 0 && s->evaluator != NULL && i < v->n; i++)
        rc = evaluator_times(s->evaluator, &v->v[i].list, v->v[i].us);
    if (rc != 0)
        library_free(l);
    return rc;
}

int cmd_export(int argc, char **argv)
{
    static const struct export_way way = {&of_kernel,     variants_choose, export_make,
                                          variants_prune, export_put,      NULL};
    struct export_options o = {.k = 4};
    const struct opt table[] = {
        OPT_SAYS("Chooses variants of the kernel, so that together they are the fastest over the "
                 "harness's cases. Every variant is right on all cases, those held out included. "
                 "`kpred-train train NAME.spec --data NAME.csv -o MODEL.h` learns from what is "
                 "written which one a problem wants:"),
        OPT(SAID, "NAME.o", NULL,
            "the variants as functions NAME_v0, NAME_v1, ...; the first one is the baseline"),
        OPT(SAID, "NAME.h", NULL,
            "the table of them; after a search with --evaluate, with their bytes, and there is no "
            "NAME.o"),
        OPT(SAID, "NAME.spec", NULL,
            "for kpred-train: the sizes of a case as fields, and the parameter `variant`"),
        OPT(SAID, "NAME.csv", NULL,
            "the time of each variant for each timed case whose sizes are from 1 to 2^24"),
        OPT_SAYS("Arguments:"),
        EXPORT_ROWS(
            o, MAX_VARIANTS, "baseline",
            "; one that lowers the mean by less than 1 % of the baseline's time is left out"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return status < 0 ? export_run(&way, &o) : status;
}

/* ---- kpred-evolve emit: the edited kernel as IR, assembly or object ---- */

struct emit_options {
    struct ir_source source;
    const char *output, *edits, *passes, *cflags;
    int form, barriers;
    long random, seed;
};

static const struct ir_passes *find_passes(const char *name)
{
    const struct ir_passes *passes =
        strcmp(name, "none") == 0 ? &ir_unoptimised : ir_baseline_of(name);
    if (passes == NULL)
        fail("--passes \"%s\": is not one of a baseline's, which check prints", name);
    return passes;
}

static int add_random(struct ir *ir, long n, long seed, struct edits *list)
{
    uint64_t random = (uint64_t)seed;
    struct edit e;
    struct buf text = {NULL, 0, 0};
    for (long i = 0; i < n; i++) {
        if (ir_propose(ir, list, &random, &e) != 0)
            return fail("--random %ld: there is no edit %ld", n, i + 1);
        edits_add(list, &e);
    }
    if (n > 0) {
        edits_print(list, edit_operators, &text);
        note("edits: %s", text.s);
        buf_free(&text);
    }
    return 0;
}

static int check_edits(const struct emit_options *o, struct ir *ir, const struct edits *list)
{
    const char *why;
    const size_t n = ir_refusal(ir, list, &why);
    return n == 0 ? 0
                  : fail("--edits \"%s\": does not apply to %s in %s: edit %zu: %s", o->edits,
                         o->source.function, o->source.path, n, why);
}

static int emit(const struct emit_options *o, struct ir *ir)
{
    struct edits list = {NULL, 0, 0};
    struct buf bytes = {NULL, 0, 0};
    int rc = 0;
    if (o->edits != NULL && edits_parse(o->edits, edit_operators, &list) != 0)
        rc = fail("--edits \"%s\": is not a list of edits, as report prints them", o->edits);
    else if (add_random(ir, o->random, o->seed, &list) != 0 || check_edits(o, ir, &list) != 0
             || ir_emit(ir, &list, (enum ir_form)o->form, NULL, &bytes) != 0
             || out_whole(o->output, &bytes) != 0)
        rc = -1;
    edits_free(&list);
    buf_free(&bytes);
    return rc;
}

static int run(struct emit_options *o)
{
    const struct output to = {"-o", o->output};
    const struct ir_passes *passes = find_passes(o->passes);
    struct ir *ir;
    if (passes == NULL || outputs_check_input(&to, 1, "KERNEL", o->source.path) != 0)
        return -1;
    char **flags = words_of(o->cflags);
    o->source.flags = (const char *const *)flags;
    o->source.edit_barriers = o->barriers;
    int rc = ir_open(&ir, &o->source, passes);
    if (rc == 0) {
        rc = emit(o, ir);
        ir_close(ir);
    }
    free(flags);
    return rc;
}

int cmd_emit(int argc, char **argv)
{
    struct emit_options o = {.passes = "O3", .seed = 1};
    const struct opt table[] = {
        OPT_SAYS("Optimises a kernel, applies edits to it, optimises it again and writes what "
                 "comes out, for this machine or for a GPU that need not be there."),
        KERNEL_ROW(&o.source.path),
        FUNCTION_ROW(&o.source.function),
        OPT(TEXT, "-o FILE", &o.output, "what is written, whole or not at all"),
        OPT(TEXT, "[--edits LIST]", &o.edits, "as report prints it (default: none)"),
        OPT_RANGE(COUNT, "[--random N]", &o.random, 1, 1000,
                  "N more edits, drawn at random; the list goes to standard error"),
        OPT(CHOICE, "[--form " IR_FORM_NAMES "]", &o.form, "what is written" FORMS),
        OPT(TEXT, "[--passes NAME]", &o.passes,
            "those of a baseline, such as O3 (the default), or none"),
        TARGET_ROWS(&o.source.target, &o.source.cpu, &o.barriers, &o.cflags),
        OPT_RANGE(COUNT, "[--seed N]", &o.seed, 0, INT32_MAX, "of what is drawn"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return status < 0 ? run(&o) != 0 : status;
}
