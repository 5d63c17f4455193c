/* session.c - a kernel with its harness ready to be searched, and made again from a log
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

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

void session_options(struct opt table[SESSION_OPTIONS], struct session_options *o)
{
    const struct opt lines[SESSION_OPTIONS] = {
        {.name = "--jobs", .kind = OPT_COUNT, .to = &o->jobs, .least = 1, .most = 256},
        {.name = "--timeout",
         .kind = OPT_MILLISECONDS,
         .to = &o->timeout_ms,
         .least = 1,
         .most = 600000},
        {.name = "--memory", .kind = OPT_COUNT, .to = &o->memory_mb, .least = 1, .most = 1 << 20},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o->seed, .least = 0, .most = INT32_MAX},
    };
    o->memory_mb = 1024;
    o->seed = 1;
    memcpy(table, lines, sizeof lines);
}

/* An evaluator without a given one has limits of its own. */
static long timeout_ms(const struct session_options *o)
{
    return o->timeout_ms > 0 ? o->timeout_ms : 10000;
}

static struct trial_plan plan_of(const struct session_options *o)
{
    return (struct trial_plan){.jobs = (int)worker_count(o->jobs),
                               .seed = (uint64_t)o->seed,
                               .limits = {(double)timeout_ms(o) / 1000,
                                          (unsigned)(timeout_ms(o) / 1000 + 1),
                                          (size_t)o->memory_mb << 20}};
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

static int open_kernel(struct session *s)
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
    s->task.applies = ir_applies;
    s->task.steps = ir_steps;
    if (rc == 0)
        snprintf(s->baseline, sizeof s->baseline, "%s%s", s->passes->name,
                 s->has_source ? "+source" : "");
    return rc;
}

static void close_kernel(struct session *s)
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
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->way = way;
    s->plan = plan_of(options);
    s->task.names = edit_operators;
    s->task.simpler = edit_simpler;
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
    if (archive_add(a, list, EFFORT_JUDGE, out) != 0)
        return -1;
    return out->outcome == OUTCOME_VALID;
}

/* ---- what a log says of its search ---- */

static const char *or_else(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

static void tell_kernel(struct story *story, const struct session *s)
{
    const struct session_options *o = &s->options;
    char hex[65];
    story_put(story, "kernel", o->program);
    story_put(story, "function", o->function);
    if (o->evaluate != NULL)
        evaluated_story(story, s);
    else {
        story_put(story, "harness", o->cases);
        story_put(story, "oracle", or_else(o->oracle, "exact"));
        story_put_hash_of_file(story, "harness_sha256", o->cases);
    }
    story_put(story, "cflags", or_else(o->cflags, ""));
    story_put(story, "baseline", s->baseline);
    ir_hash(s->ir, hex);
    story_put(story, "module", hex);
}

static int recall_kernel(const struct archive *log, const char *path, struct session_options *o)
{
    const struct story_text texts[] = {{"kernel", &o->program},
                                       {"function", &o->function},
                                       {"cflags", &o->cflags},
                                       {"baseline", &o->baseline},
                                       {NULL, NULL}};
    const struct story_text of_harness[] = {
        {"harness", &o->cases}, {"oracle", &o->oracle}, {NULL, NULL}};
    if (story_texts(log, path, texts) != 0)
        return -1;
    return archive_value(log, "evaluate") != NULL ? evaluated_options(log, path, o)
                                                  : story_texts(log, path, of_harness);
}

const struct session_way of_kernel = {
    "export",    "kernel",     "harness",   "the log's kernel", "the log's harness",
    open_kernel, close_kernel, tell_kernel, recall_kernel};

void story_of(struct story *story, const struct session *s, const struct search_plan *plan)
{
    const struct session_options *o = &s->options;
    memset(story, 0, sizeof *story);
    s->way->tell(story, s);
    story_put_number(story, "timeout_ms",
                     o->evaluate != NULL ? (double)o->timeout_ms : (double)timeout_ms(o));
    story_put_number(story, "memory_mb", (double)o->memory_mb);
    story_put_plan(story, plan);
}

/* ---- a session made again from a log ---- */

/* The options that the log tells; its files are beside it where they are not in this folder. */
static int recall(struct logged *run, const char *path, const struct session_way *way,
                  struct session_options *o)
{
    if (way->recall(run->log, path, o) != 0
        || story_number(run->log, path, "timeout_ms", &o->timeout_ms) != 0
        || story_number(run->log, path, "memory_mb", &o->memory_mb) != 0
        || story_number(run->log, path, "seed", &o->seed) != 0
        || story_find(path, way->key, &o->program, &run->found[0]) != 0)
        return -1;
    return o->cases == NULL ? 0 : story_find(path, way->key_of_cases, &o->cases, &run->found[1]);
}

int logged_open(struct logged *run, const char *path, const struct session_way *way, long jobs,
                const struct output *to, size_t n_to)
{
    struct session_options o = {.jobs = jobs};
    struct story story;
    memset(run, 0, sizeof *run);
    if (archive_read(&run->log, path, edit_operators) == 0 && recall(run, path, way, &o) == 0
        && outputs_check_input(to, n_to, way->input, o.program) == 0
        && outputs_check_input(to, n_to, way->input_of_cases, o.cases) == 0
        && session_open(&run->session, &o, way) == 0) {
        story_of(&story, &run->session, &search_defaults);
        if (story_go_on(&story, run->log, path, &run->archive) == 0)
            return 0;
    }
    logged_close(run);
    return -1;
}

void logged_close(struct logged *run)
{
    archive_close(run->archive);
    if (run->session.way != NULL)
        session_close(&run->session);
    archive_close(run->log);
    free(run->found[0]);
    free(run->found[1]);
    memset(run, 0, sizeof *run);
}
