/* host.c - a user's harness: compiled, loaded, looked at, and proved to work
   SPDX-License-Identifier: MIT

   trial.h and attempt.h declare it. */
#include "attempt.h"
#include "process.h"

#include "base/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const harness_text[] = {
#include "harness_text.h" /* the lines of harness.h; evolve.mk makes it */
};

/* ---- a temporary folder, and what goes into it ---- */

static char *path_in(const char *folder, const char *name)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s", folder, name);
    return b.s;
}

static int write_header(const char *path)
{
    FILE *f = fopen(path, "w");
    int ok = f != NULL;
    for (size_t i = 0; ok && i < sizeof harness_text / sizeof *harness_text; i++)
        ok = fputs(harness_text[i], f) >= 0;
    if (f != NULL && fclose(f) != 0)
        ok = 0;
    return ok ? 0 : fail("%s: cannot write: %s", path, strerror(errno));
}

/* ---- the compiler ---- */

static int host_compile(const char *path, const char *compiler, const char *const *flags,
                        const char *folder, const char *library)
{
    struct process_words words = {0};
    struct buf own = {0}, said = {0};
    buf_add(&own, path, (size_t)(base_name(path) - path));
    const char *const first[] = {
        compiler, "-shared", "-fPIC", "-O2", "-I", folder, "-I", own.n == 0 ? "." : own.s, NULL};
    const char *const last[] = {path, "-o", library, "-lm", NULL};
    process_add_all(&words, first);
    process_add_all(&words, flags);
    process_add_all(&words, last);
    const int status = process_run(&words, NULL, &said);
    process_free(&words);
    buf_free(&own);
    buf_free(&said);
    if (status <= 0)
        return status;
    return fail("%s: %s does not compile it; its messages are above", path, compiler);
}

/* The library stays loaded when its file is gone: so the folder does not outlive this. */
static int compile_and_load(struct host *h, const char *compiler, const char *const *flags)
{
    const char *folder = process_folder();
    if (folder == NULL)
        return -1;
    char *header = path_in(folder, "kpred_evolve.h"), *library = path_in(folder, "harness.so");
    int rc = write_header(header);
    if (rc == 0)
        rc = host_compile(h->path, compiler, flags, folder, library);
    if (rc == 0 && (h->library = dlopen(library, RTLD_NOW | RTLD_LOCAL)) == NULL)
        rc = fail("%s: cannot be loaded: %s", h->path, dlerror());
    process_drop_folder(folder);
    free(header);
    free(library);
    return rc;
}

/* ---- what a harness has to have ---- */

/* 0 if one is no name */
static size_t count_names(const char *sizes)
{
    char *copy = xstrdup(sizes);
    size_t n = 0, bad = 0;
    for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " "), n++)
        bad += !is_identifier(name);
    free(copy);
    return bad > 0 ? 0 : n;
}

static int has_timed_case(const struct ev_harness *e)
{
    for (size_t i = 0; i < e->n_shapes; i++)
        if (!e->shapes[i].held_out && !e->shapes[i].untimed)
            return 1;
    return 0;
}

static int host_check(const char *path, const struct ev_harness *e)
{
    if (e == NULL)
        return fail("%s: has no EV_HARNESS(...)", path);
    if (e->version != EV_VERSION)
        return fail("%s: is a harness of version %d, not %d", path, e->version, EV_VERSION);
    if (e->set_up == NULL || e->call == NULL)
        return fail("%s: EV_HARNESS has no .%s", path, e->set_up == NULL ? "set_up" : "call");
    if (e->shapes == NULL || e->n_shapes == 0)
        return fail("%s: EV_HARNESS has no shapes", path);
    if (e->n_shapes > EV_MAX_SHAPES)
        return fail("%s: has %zu shapes, more than %d", path, e->n_shapes, EV_MAX_SHAPES);
    const size_t names = e->sizes == NULL ? 0 : count_names(e->sizes);
    if (names == 0 || names > EV_MAX_SIZES)
        return fail("%s: .sizes \"%s\": is not 1 to %d names", path,
                    e->sizes == NULL ? "" : e->sizes, EV_MAX_SIZES);
    if (!has_timed_case(e))
        return fail("%s: has no shape that is timed and not held out", path);
    return 0;
}

int host_open(struct host **out, const char *path, const char *compiler, const char *const *flags)
{
    *out = NULL;
    FILE *f = open_input(path);
    if (f == NULL)
        return -1;
    fclose(f);
    struct host *h = xcalloc(1, sizeof *h);
    h->path = xstrdup(path);
    signals_hold(); /* those that end the program wait until the folder is gone */
    int rc = compile_and_load(h, compiler, flags);
    signals_release();
    if (rc == 0) {
        h->harness = dlsym(h->library, "ev_harness");
        rc = host_check(path, h->harness);
    }
    if (rc != 0)
        host_close(h);
    else
        *out = h;
    return rc;
}

int host_own(struct host **out, const struct ev_harness *harness, const char *path)
{
    struct host *h = xcalloc(1, sizeof *h);
    h->path = xstrdup(path);
    h->harness = harness;
    *out = h;
    if (host_check(path, harness) == 0)
        return 0;
    host_close(h);
    *out = NULL;
    return -1;
}

void host_close(struct host *h)
{
    if (h == NULL)
        return;
    if (h->library != NULL)
        dlclose(h->library);
    free(h->path);
    free(h);
}

/* ---- does it work with the unmodified kernel, and with the baseline? ---- */

/* Says why a child of the check did not come to its end. */
static int tell_end(const struct trial *t, size_t i, const char *what, enum sandbox_end end,
                    int code)
{
    const char *label = t->cases == NULL ? NULL : t->cases->v[i].label;
    char number[32];
    snprintf(number, sizeof number, "shape %zu", i + 1);
    label = label == NULL ? number : label;
    if (end == SANDBOX_TIMED_OUT)
        return fail("%s: case %s: %s takes longer than %g s", t->path, label, what,
                    t->plan.limits.seconds);
    if (code == SIGSYS)
        return fail("%s: case %s: %s makes a system call, which it may not", t->path, label, what);
    if (code < SANDBOX_EXITED)
        return fail("%s: case %s: %s crashes: %s", t->path, label, what, strsignal(code));
    return fail("%s: case %s: %s ends the process with status %d", t->path, label, what,
                code - SANDBOX_EXITED);
}

struct trying {
    const struct ev_harness *harness;
    size_t i;
};

static int try_set_up(void *user)
{
    const struct trying *x = user;
    cases_try(x->harness, x->i);
    return 0;
}

static void nothing(void *user)
{
    (void)user;
}

int proof_set_up(struct trial *t)
{
    for (size_t i = 0; i < t->harness->n_shapes; i++) {
        struct trying x = {t->harness, i};
        const struct sandbox_job job = {try_set_up, nothing, &x, 0};
        enum sandbox_end end = SANDBOX_DONE;
        int code = 0;
        if (sandbox_run(t->sandbox, &job, &end, &code) != 0)
            return -1;
        if (end != SANDBOX_DONE)
            return tell_end(t, i, "set_up", end, code);
    }
    return 0;
}

/* Calls the reference for case i: on the side BEFORE with this poison, BEHIND with the other. */
static int call_reference(struct trial *t, size_t i, int poison)
{
    enum sandbox_end end = SANDBOX_DONE;
    int code = 0;
    attempt_clear_task(t);
    t->task.kernel = t->code.reference;
    t->task.poison = poison;
    t->task.chosen = 1u << i;
    if (attempt_run(t, 0, &end, &code) != 0)
        return -1;
    if (!attempt_margins_hold(t))
        return fail("%s: case %s: the unmodified kernel writes beside its buffers", t->path,
                    t->cases->v[i].label);
    if (end != SANDBOX_DONE)
        return tell_end(t, i, "the unmodified kernel", end, code);
    return 0;
}

/* One message for an element that is not what it has to be */
static int tell_element(const struct trial *t, size_t w, size_t element, const char *what)
{
    const struct written *x = &t->cases->written[w];
    const struct one_case *one = &t->cases->v[x->of];
    return fail("%s: case %s: element %zu of buffer %s %s", t->path, one->label, element,
                one->c.buffer[x->buffer].name, what);
}

static int is_output(const struct trial *t, size_t w, size_t i)
{
    const struct written *x = &t->cases->written[w];
    return x->of == i && t->cases->v[i].c.buffer[x->buffer].role != EV_SCRATCH;
}

/* What the reference left on a side becomes what is wanted of that poison; or is compared with it.
 */
static int take_side(struct trial *t, size_t i, enum guarded_side side, int poison, int compare)
{
    for (size_t w = 0; w < t->cases->n_written; w++) {
        if (!is_output(t, w, i))
            continue;
        const struct oracle_region r = cases_region(t->cases, w, &t->rooms[0], side, poison);
        unsigned char *want = t->cases->want[poison].area[0].at + t->cases->written[w].at;
        if (!compare) {
            memcpy(want, r.got, t->cases->written[w].bytes);
            continue;
        }
        const size_t element = oracle_differs(r.type, r.n, want, r.got);
        if (element != SIZE_MAX)
            return tell_element(t, w, element, "differs between two runs: it is not deterministic");
    }
    return 0;
}

static int make_reference(struct trial *t, size_t i)
{
    for (int poison = 0; poison < POISONS; poison++)
        if (call_reference(t, i, poison) != 0
            || take_side(t, i, GUARDED_BEFORE, poison, poison == 1) != 0
            || take_side(t, i, GUARDED_BEHIND, !poison, poison == 1) != 0)
            return -1;
    for (size_t w = 0; w < t->cases->n_written; w++) {
        if (!is_output(t, w, i))
            continue;
        const struct oracle_region r = cases_region(t->cases, w, &t->rooms[0], GUARDED_BEHIND, 0);
        const size_t element = oracle_depends(&r);
        if (element != SIZE_MAX)
            return tell_element(t, w, element,
                                "depends on what was there before: no EV_OUT or EV_SCRATCH may");
    }
    return 0;
}

static int tell_wrong(const struct trial *t, size_t i, const struct result *r)
{
    const char *label = t->cases->v[i].label;
    if (r->outcome == OUTCOME_WRONG)
        return fail("%s: case %s: the baseline's outputs are not those of the unoptimised kernel "
                    "(error %g): the oracle has to allow for it",
                    t->path, label, r->error);
    return fail("%s: case %s: the baseline cannot be timed (%s)", t->path, label,
                outcome_names[r->outcome]);
}

/* The baseline is tried as a candidate is; its times say how many calls a sample has. */
static int check_baseline(struct trial *t, size_t i)
{
    struct result r = {0};
    enum sandbox_end end = SANDBOX_DONE;
    const struct child_pairs few = {11, 11, 11};
    int code = 0, allowed = 1;
    double left;
    attempt_clear_task(t);
    t->task.kernel = t->code.baseline;
    t->task.chosen = 1u << i;
    if (!t->cases->v[i].shape->untimed)
        t->task.pairs[i] = few;
    if (attempt_run(t, 0, &end, &code) != 0)
        return -1;
    if (end != SANDBOX_DONE)
        return tell_end(t, i, "the baseline, called and timed,", end, code);
    left = t->whole_s[i] = clock_seconds() - t->started;
    r.outcome = !attempt_margins_hold(t)                                ? OUTCOME_WRONG
                : judge_take_report(t) && t->report->word == CHILD_DONE ? OUTCOME_VALID
                                                                        : OUTCOME_GARBLED;
    r.error = judge_case(t, i, &allowed);
    if (!allowed)
        r.outcome = OUTCOME_WRONG;
    if (r.outcome == OUTCOME_VALID && few.most == t->task.pairs[i].most) {
        t->calls[i] = t->report->calls[i];
        if (!judge_times_can_be(t, i, &left) || t->calls[i] == 0 || t->calls[i] > CHILD_CALLS)
            r.outcome = OUTCOME_GARBLED;
        else
            t->sample_ns[i] =
                timing_of((const uint64_t(*)[2])t->report->ns[i], t->report->n_pairs[i]).ns[1];
    }
    return r.outcome == OUTCOME_VALID ? 0 : tell_wrong(t, i, &r);
}

int proof_harness(struct trial *t)
{
    for (size_t i = 0; i < t->cases->n; i++)
        if (make_reference(t, i) != 0)
            return -1;
    for (int poison = 0; poison < POISONS; poison++)
        if (guarded_seal(&t->cases->want[poison]) != 0)
            return -1;
    for (size_t i = 0; i < t->cases->n; i++)
        if (check_baseline(t, i) != 0)
            return -1;
    return 0;
}

int trial_call(struct trial *t, ev_kernel *code)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->cases->n; i++) {
        enum sandbox_end end;
        int status;
        attempt_clear_task(t);
        t->task.kernel = code;
        t->task.chosen = 1u << i;
        rc = attempt_run(t, 0, &end, &status);
        (void)attempt_margins_hold(t);
    }
    return rc;
}
