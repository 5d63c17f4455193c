/* session.c - a kernel with its harness, or with an evaluator, ready to be searched
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the options say ---- */

static int session_number(const char *text, char **end, double *out)
{
    *out = strtod(text, end);
    return *end != text && *out >= 0 && *out < 1e300 ? 0 : -1;
}

int oracle_parse(const char *text, struct oracle *out)
{
    static const char own[] = "harness,";
    const int is_own = text != NULL && strncmp(text, own, sizeof own - 1) == 0;
    const char *at = is_own ? text + sizeof own - 1 : text;
    char *end;
    memset(out, 0, sizeof *out);
    if (text == NULL || strcmp(text, "exact") == 0)
        return 0;
    out->kind = is_own ? ORACLE_HARNESS : ORACLE_RELATIVE;
    if (session_number(at, &end, &out->most) == 0) {
        if (is_own && *end == '\0')
            return 0;
        if (!is_own && *end == ',' && session_number(end + 1, &end, &out->floor) == 0
            && *end == '\0' && out->floor > 0)
            return 0;
    }
    return fail("--oracle \"%s\": is neither \"exact\" nor \"REL,FLOOR\" nor \"harness,MOST\"",
                text);
}

char **words_of(const char *text)
{
    const size_t n = text != NULL ? strlen(text) : 0;
    char **words = xmalloc((n / 2 + 2) * sizeof *words + n + 1);
    char *at = (char *)(words + n / 2 + 2);
    size_t count = 0;
    memcpy(at, n > 0 ? text : "", n + 1);
    for (char *word = strtok(at, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return words;
}

/* An evaluator without a given one has limits of its own. */
long session_timeout_ms(const struct session_options *o)
{
    return o->timeout_ms > 0 ? o->timeout_ms : 10000;
}

static struct trial_plan plan_of(const struct session_options *o)
{
    return (struct trial_plan){.jobs = (int)worker_count(o->jobs),
                               .seed = (uint64_t)o->seed,
                               .limits = {(double)session_timeout_ms(o) / 1000,
                                          (unsigned)(session_timeout_ms(o) / 1000 + 1),
                                          (size_t)o->memory_mb << 20}};
}

/* ---- baselines ---- */

/* Opens the kernel behind these passes; *code is its machine code. */
static int open_passes(const struct session *s, const struct ir_passes *passes, struct ir **ir,
                       ev_kernel **code)
{
    enum outcome why;
    if (ir_open(ir, &s->source, passes) != 0)
        return -1;
    *code = ir_compile(*ir, &edits_none, &why);
    if (*code != NULL)
        return 0;
    fail("%s: %s: the compiler makes no code of it with %s: %s%s%s", s->options.program,
         s->options.function, passes->name, outcome_names[why], *ir_why(*ir) == '\0' ? "" : ": ",
         ir_why(*ir));
    ir_close(*ir);
    return -1;
}

/* The mean time of a baseline over the search's cases, each as a part of the first baseline's */
static double mean_time(const struct session *s, size_t baseline)
{
    const struct ev_harness *h = s->host->harness;
    double sum = 0;
    for (size_t i = 0; i < h->n_shapes; i++)
        if (!h->shapes[i].held_out && s->us[0][i] > 0)
            sum += s->us[baseline][i] / s->us[0][i];
    return sum;
}

static size_t fastest(const struct session *s)
{
    size_t best = 0;
    for (size_t i = 1; i < IR_BASELINES; i++)
        if (mean_time(s, i) < mean_time(s, best))
            best = i;
    return best;
}

/* Times all baselines; what is left of them is the fastest. */
static int choose_baseline(struct session *s)
{
    struct ir *ir[IR_BASELINES];
    ev_kernel *code[IR_BASELINES];
    size_t n = 0;
    int rc = 0;
    for (; rc == 0 && n < IR_BASELINES; n += rc == 0)
        rc = open_passes(s, &ir_baselines[n], &ir[n], &code[n]);
    if (rc == 0)
        rc = trial_compare(s->host, code, n, &s->plan, s->us);
    for (size_t i = 0; rc == 0 && i < n; i++)
        s->sizes[i] = ir_size(ir[i]);
    const size_t best = rc == 0 ? fastest(s) : n;
    for (size_t i = 0; i < n; i++)
        if (i != best)
            ir_close(ir[i]);
    if (rc != 0)
        return -1;
    s->ir = ir[best];
    s->code.baseline = code[best];
    s->passes = &ir_baselines[best];
    return 0;
}

static int named_baseline(struct session *s)
{
    s->passes = ir_baseline_of(s->options.baseline);
    if (s->passes == NULL)
        return fail("--baseline \"%s\": is not one of those that check prints",
                    s->options.baseline);
    return open_passes(s, s->passes, &s->ir, &s->code.baseline);
}

/* What outputs are compared with: the kernel as its author has it, without any passes */
static int open_reference(struct session *s)
{
    struct ir *ir;
    if (open_passes(s, &ir_unoptimised, &ir, &s->code.reference) != 0)
        return -1;
    ir_close(ir);
    return 0;
}

/* ---- with an evaluator in place of a harness: options ---- */

static int check_alone(const struct session_options *o)
{
    const struct {
        const char *name;
        int is_set;
    } needs[] = {{"--target", o->target != NULL},
                 {"--cpu", o->cpu != NULL},
                 {"--form", o->form != 0},
                 {"--barriers", o->barriers}};
    if (o->cases == NULL)
        return fail("HARNESS.c is missing, or --evaluate COMMAND in its place");
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].is_set)
            return fail("%s: needs --evaluate: a harness runs on this machine", needs[i].name);
    return 0;
}

int evaluated_check(const struct session_options *o)
{
    if (o->evaluate == NULL)
        return check_alone(o);
    if (o->cases != NULL)
        return fail("--evaluate: takes the place of %s", o->cases);
    if (o->oracle != NULL)
        return fail("--oracle: with --evaluate, the evaluator says what is right");
    if (o->jobs > 1)
        return fail("--jobs %ld: an evaluator takes one candidate at a time", o->jobs);
    return 0;
}

/* ---- with an evaluator: baselines ---- */

static struct evaluator_code code_of(const struct session *s, struct ir *ir)
{
    return (struct evaluator_code){ir, &s->source, (enum ir_form)s->options.form};
}

/* In place of what the session had */
static int evaluated_take(struct session *s, const struct ir_passes *passes)
{
    struct ir *ir;
    if (ir_open(&ir, &s->source, passes) != 0)
        return -1;
    ir_close(s->ir);
    s->ir = ir;
    s->passes = passes;
    const struct evaluator_code code = code_of(s, ir);
    return evaluator_take(s->evaluator, &code);
}

struct race {
    size_t best;  /* so far */
    double least; /* its time by that of the first one */
};

/* Times one beside the first, which the evaluator has; NULL: the source. */
static int race(struct session *s, size_t i, struct ir *ir, struct race *r)
{
    const struct evaluator_code code = code_of(s, ir);
    const char *why;
    double ratio;
    if (evaluator_race(s->evaluator, &code, &ratio, s->us[i], &why) != 0)
        return -1;
    s->sizes[i] = !isfinite(ratio) ? 0 : ir != NULL ? ir_size(ir) : 1;
    if (!isfinite(ratio))
        note("%s: the baseline %s is left out: %s", s->options.evaluate,
             i < IR_BASELINES ? ir_baselines[i].name : "source", why);
    if (ratio < r->least)
        r->least = ratio, r->best = i;
    return 0;
}

static int race_passes(struct session *s, size_t i, struct race *r)
{
    struct ir *ir;
    if (ir_open(&ir, &s->source, &ir_baselines[i]) != 0)
        return -1;
    const int rc = race(s, i, ir, r);
    ir_close(ir);
    return rc;
}

/* OpenCL has a compiler of its own, which may make more of the source than of its IR. */
static int has_compiler(const struct session *s)
{
    return s->options.target != NULL && strncmp(s->options.target, "spir", 4) == 0
           && ends_with(s->options.program, ".cl");
}

static int take_source(struct session *s)
{
    const struct evaluator_code code = code_of(s, NULL);
    s->has_source = 1;
    return evaluator_take_baseline(s->evaluator, &code);
}

/* The fastest one; a GPU's are not native to this machine. */
static int evaluated_choose(struct session *s)
{
    struct race of_passes = {0, 1}, of_source = {0, 1};
    int rc = evaluated_take(s, &ir_baselines[0]);
    s->sizes[0] = rc == 0 ? ir_size(s->ir) : 0;
    for (const struct known_case *c = s->cases->v; rc == 0 && c < s->cases->v + s->cases->n; c++)
        s->us[0][c - s->cases->v] = c->held_out ? 0 : c->us;
    for (size_t i = 1; rc == 0 && i < IR_BASELINES; i++)
        if (s->options.target == NULL || !ir_baselines[i].is_native)
            rc = race_passes(s, i, &of_passes);
    if (rc == 0 && of_passes.best != 0)
        rc = evaluated_take(s, &ir_baselines[of_passes.best]);
    if (rc == 0 && has_compiler(s))
        rc = race(s, IR_BASELINES, NULL, &of_source);
    return rc == 0 && of_source.best != 0 ? take_source(s) : rc;
}

/* "O3", or "O3+source": candidates begin at O3, and are timed with the source */
static int choose_named(struct session *s)
{
    char name[32] = "";
    const char *text = s->options.baseline, *plus = strchr(text, '+');
    const size_t n = plus != NULL ? (size_t)(plus - text) : strlen(text);
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    const struct ir_passes *passes = ir_baseline_of(name);
    const int has_source = plus != NULL && strcmp(plus, "+source") == 0 && has_compiler(s);
    if (passes == NULL || (plus != NULL && !has_source))
        return fail("--baseline \"%s\": is none of O2, O3 and O3-native, each with or without "
                    "-scalar, nor with +source for OpenCL C of spir64",
                    text);
    const int rc = evaluated_take(s, passes);
    return rc == 0 && has_source ? take_source(s) : rc;
}

static int evaluated_open(struct session *s)
{
    const struct evaluator_plan plan = {s->options.evaluate, s->plan.limits.seconds,
                                        s->options.timeout_ms > 0, s->plan.limits.memory_bytes};
    if (evaluator_open(&s->evaluator, &plan) != 0)
        return -1;
    s->cases = evaluator_cases(s->evaluator);
    s->task.trial = s->evaluator;
    s->task.evaluate = evaluator_evaluate;
    s->task.compare = evaluator_compare;
    s->task.batch = 8;
    s->task.gave_up = evaluator_gave_up(s->evaluator);
    return s->options.baseline != NULL ? choose_named(s) : evaluated_choose(s);
}

/* ---- all of it ---- */

/* Kernel and harness, in children of this process */
static int open_harness(struct session *s)
{
    if (oracle_parse(s->options.oracle, &s->plan.oracle) != 0
        || host_open(&s->host, s->options.cases, EVOLVE_CLANG, (const char *const *)s->flags) != 0
        || open_reference(s) != 0
        || (s->options.baseline != NULL ? named_baseline(s) : choose_baseline(s)) != 0)
        return -1;
    s->code.self = s->ir;
    s->code.compile = ir_compile;
    s->code.compile_soon = ir_compile_soon;
    s->code.forget = ir_forget;
    if (trial_open(&s->trial, s->host, &s->code, &s->plan) != 0)
        return -1;
    s->cases = trial_cases(s->trial);
    s->task.trial = s->trial;
    s->task.evaluate = repeat_evaluate;
    s->task.compare = repeat_compare;
    return 0;
}

int kernel_open(struct session *s)
{
    const struct session_options *o = &s->options;
    s->flags = words_of(o->cflags);
    s->source = (struct ir_source){.path = o->program,
                                   .function = o->function,
                                   .target = o->target,
                                   .cpu = o->cpu,
                                   .flags = (const char *const *)s->flags,
                                   .edit_barriers = o->barriers,
                                   .kept = &s->kept};
    const int rc = o->evaluate != NULL ? evaluated_open(s) : open_harness(s);
    s->task.program = s->ir;
    s->task.propose = ir_propose;
    s->task.ordered = ir_ordered;
    s->task.applies = ir_applies;
    s->task.steps = ir_steps;
    if (rc == 0)
        snprintf(s->baseline, sizeof s->baseline, "%s%s", s->passes->name,
                 s->has_source ? "+source" : "");
    return rc;
}

void kernel_close(struct session *s)
{
    trial_close(s->trial);
    evaluator_close(s->evaluator);
    ir_close(s->ir);
    host_close(s->host);
    ir_forget_kept(&s->kept);
    free(s->flags);
}

int session_open(struct session *s, const struct session_options *options,
                 const struct session_way *way)
{
    *s = (struct session){.options = *options,
                          .way = way,
                          .plan = plan_of(options),
                          .task.names = edit_operators,
                          .task.simpler = edit_simpler};
    if (way->open(s) == 0)
        return 0;
    session_close(s);
    return -1;
}

void session_close(struct session *s)
{
    s->way->close(s);
    memset(s, 0, sizeof *s);
}

int session_unentered(struct session *s, struct buf *out)
{
    const size_t n = s->trial != NULL ? ir_blocks(s->ir) : 0;
    struct guarded entered;
    enum outcome why;
    if (n == 0)
        return 0;
    if (guarded_make(&entered, &n, 1, GUARDED_BEHIND) != 0)
        return -1;
    const unsigned char *at = entered.area[0].at;
    ev_kernel *code = ir_compile_marked(s->ir, entered.area[0].at, &why);
    const int rc =
        code == NULL ? fail("%s: its blocks cannot be told: %s", s->options.program, ir_why(s->ir))
                     : trial_call(s->trial, code);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (!at[i]) {
            buf_puts(out, out->n > 0 ? ", " : "");
            ir_tell_block(s->ir, i, out);
        }
    ir_forget(s->ir);
    guarded_free(&entered);
    return rc;
}

const char unentered_key[] = LOG_TOLD "unentered";

void unentered_print(const char *log, const char *blocks)
{
    if (blocks != NULL && *blocks != '\0')
        printf(
            "%s%sno case enters these blocks of the kernel, so edits of them are not tested: %s\n",
            log != NULL ? log : "", log != NULL ? ": " : "", blocks);
}

/* ---- a list tried on all cases ---- */

int judge_list(struct session *s, struct archive *a, const struct edits *list, struct result *out)
{
    const struct entry *known = archive_find(a, list, EFFORT_JUDGE);
    if (known != NULL) {
        *out = known->result;
        return out->outcome == OUTCOME_VALID;
    }
    s->task.evaluate(s->task.trial, list, 1, EFFORT_JUDGE, result_keep, out);
    return archive_add(a, list, EFFORT_JUDGE, out) != 0 ? -1 : out->outcome == OUTCOME_VALID;
}
