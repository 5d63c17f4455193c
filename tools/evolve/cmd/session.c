/* session.c - a kernel with its harness ready to be searched, and made again from a log
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the options say ---- */

static int number(const char *text, char **end, double *out)
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
    if (number(at, &end, &out->most) == 0) {
        if (is_own && *end == '\0')
            return 0;
        if (!is_own && *end == ',' && number(end + 1, &end, &out->floor) == 0 && *end == '\0'
            && out->floor > 0)
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

struct trial_plan session_plan(long jobs, long timeout_ms, long memory_mb, long seed)
{
    struct trial_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.jobs = (int)worker_count(jobs);
    plan.seed = (uint64_t)seed;
    timeout_ms = timeout_ms > 0 ? timeout_ms : SESSION_TIMEOUT_MS;
    plan.limits.seconds = (double)timeout_ms / 1000;
    plan.limits.cpu_seconds = (unsigned)(timeout_ms / 1000 + 1);
    plan.limits.memory_bytes = (size_t)memory_mb << 20;
    return plan;
}

/* ---- baselines ---- */

/* Opens the kernel behind these passes; *code is its machine code. */
static int open_passes(const struct session *s, const struct ir_passes *passes, struct ir **ir,
                       ev_kernel **code)
{
    static const struct edits none;
    enum outcome why;
    if (ir_open(ir, &s->source, passes) != 0)
        return -1;
    *code = ir_compile(*ir, &none, &why);
    if (*code != NULL)
        return 0;
    fail("%s: %s: the compiler makes no code of it with %s: %s%s%s", s->options.kernel,
         s->options.function, passes->name, outcome_names[why], *ir_why(*ir) == '\0' ? "" : ": ",
         ir_why(*ir));
    ir_close(*ir);
    return -1;
}

/* The mean time of a baseline over the search's cases, each as a part of the first baseline's */
static double mean_time(const struct session *s, size_t baseline)
{
    const struct ev_harness *h = host_harness(s->host);
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
    double us[IR_BASELINES * TASK_CASES];
    struct ir *ir[IR_BASELINES];
    ev_kernel *code[IR_BASELINES];
    const size_t n_cases = host_harness(s->host)->n_shapes;
    size_t n = 0;
    int rc = 0;
    for (; rc == 0 && n < IR_BASELINES; n += rc == 0)
        rc = open_passes(s, &ir_baselines[n], &ir[n], &code[n]);
    if (rc == 0)
        rc = trial_compare(s->host, code, n, &s->plan, us);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        memcpy(s->us[i], us + i * n_cases, n_cases * sizeof *us);
        s->sizes[i] = ir_size(ir[i]);
    }
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

/* ---- all of it ---- */

/* Kernel and harness, in children of this process */
static int open_harness(struct session *s)
{
    if (oracle_parse(s->options.oracle, &s->plan.oracle) != 0
        || host_open(&s->host, s->options.harness, EVOLVE_CLANG, (const char *const *)s->flags) != 0
        || open_reference(s) != 0
        || (s->options.baseline != NULL ? named_baseline(s) : choose_baseline(s)) != 0)
        return -1;
    s->code.self = s->ir;
    s->code.compile = ir_compile;
    s->code.compile_soon = ir_compile_soon;
    s->code.forget = ir_forget;
    const int rc = trial_open(&s->trial, s->host, &s->code, &s->plan);
    s->task.trial = s->trial;
    s->task.evaluate = repeat_evaluate;
    s->task.compare = repeat_compare;
    return rc;
}

int session_open(struct session *s, const struct session_options *options)
{
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->plan = session_plan(options->jobs, options->timeout_ms, options->memory_mb, options->seed);
    s->flags = words_of(options->cflags);
    s->source = (struct ir_source){.path = options->kernel,
                                   .function = options->function,
                                   .target = options->target,
                                   .cpu = options->cpu,
                                   .flags = (const char *const *)s->flags,
                                   .edit_barriers = options->barriers,
                                   .kept = &s->kept};
    const int rc = options->evaluate != NULL ? evaluated_open(s) : open_harness(s);
    s->task.names = edit_operators;
    s->task.program = s->ir;
    s->task.propose = ir_propose;
    s->task.applies = ir_applies;
    s->task.simpler = ir_simpler;
    if (rc != 0)
        session_close(s);
    else
        snprintf(s->baseline, sizeof s->baseline, "%s%s", s->passes->name,
                 s->has_source ? "+source" : "");
    return rc;
}

void session_close(struct session *s)
{
    trial_close(s->trial);
    evaluator_close(s->evaluator);
    ir_close(s->ir);
    host_close(s->host);
    ir_forget_kept(&s->kept);
    free(s->made);
    free(s->flags);
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
    const int rc = code == NULL
                       ? fail("%s: its blocks cannot be told: %s", s->options.kernel, ir_why(s->ir))
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

size_t session_cases(const struct session *s)
{
    return s->evaluator != NULL ? evaluator_cases(s->evaluator) : trial_cases(s->trial);
}

struct trial_case session_case(const struct session *s, size_t i)
{
    return s->evaluator != NULL ? evaluator_case(s->evaluator, i) : trial_case(s->trial, i);
}

const char *session_sizes(const struct session *s)
{
    return s->evaluator != NULL ? evaluator_sizes(s->evaluator) : host_harness(s->host)->sizes;
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
    if (archive_add(a, list, EFFORT_JUDGE, out) != 0)
        return -1;
    return out->outcome == OUTCOME_VALID;
}

/* ---- what a log says of its search ---- */

static const char *or_else(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

void story_of(struct story *story, const struct session *s, const struct search_plan *plan)
{
    const struct session_options *o = &s->options;
    char hex[65];
    memset(story, 0, sizeof *story);
    story_put(story, "kernel", o->kernel);
    story_put(story, "function", o->function);
    if (o->evaluate != NULL)
        evaluated_story(story, s);
    else {
        story_put(story, "harness", o->harness);
        story_put(story, "oracle", or_else(o->oracle, "exact"));
        story_put_hash_of_file(story, "harness_sha256", o->harness);
    }
    story_put(story, "cflags", or_else(o->cflags, ""));
    story_put(story, "baseline", s->baseline);
    ir_hash(s->ir, hex);
    story_put(story, "module", hex);
    story_put_number(story, "timeout_ms",
                     o->timeout_ms > 0 || o->evaluate != NULL ? (double)o->timeout_ms
                                                              : SESSION_TIMEOUT_MS);
    story_put_number(story, "memory_mb", (double)o->memory_mb);
    story_put_plan(story, plan);
}

static int story_options(const struct archive *log, const char *path, struct session_options *o)
{
    const struct story_text texts[] = {{"kernel", &o->kernel},
                                       {"function", &o->function},
                                       {"cflags", &o->cflags},
                                       {"baseline", &o->baseline},
                                       {NULL, NULL}};
    const struct story_text of_harness[] = {
        {"harness", &o->harness}, {"oracle", &o->oracle}, {NULL, NULL}};
    memset(o, 0, sizeof *o);
    if (story_texts(log, path, texts) != 0
        || (archive_value(log, "evaluate") != NULL ? evaluated_options(log, path, o)
                                                   : story_texts(log, path, of_harness))
               != 0
        || story_number(log, path, "timeout_ms", &o->timeout_ms) != 0
        || story_number(log, path, "memory_mb", &o->memory_mb) != 0)
        return -1;
    return story_number(log, path, "seed", &o->seed);
}

int logged_open(struct logged *run, const char *path, long jobs)
{
    struct session_options o;
    struct story story;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) != 0)
        return -1;
    int rc = story_options(run->log, path, &o);
    o.jobs = jobs;
    if (rc == 0)
        rc = story_find(path, "kernel", &o.kernel, &run->found[0]);
    if (rc == 0 && o.harness != NULL)
        rc = story_find(path, "harness", &o.harness, &run->found[1]);
    if (rc == 0)
        rc = session_open(&run->session, &o);
    if (rc == 0) {
        story_of(&story, &run->session, &search_defaults);
        rc = story_go_on(&story, run->log, path, &run->archive);
    }
    if (rc != 0)
        logged_close(run);
    return rc;
}

void logged_close(struct logged *run)
{
    archive_close(run->archive);
    session_close(&run->session);
    archive_close(run->log);
    free(run->found[0]);
    free(run->found[1]);
    memset(run, 0, sizeof *run);
}
