/* host.c - a user's harness: compiled, loaded and looked at
   SPDX-License-Identifier: MIT

   trial.h declares it. */
#include "process.h"
#include "trial.h"

#include "base/temporary.h"
#include "base/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const harness_text[] = {
#include "harness_text.h" /* the lines of harness.h; the Makefile makes it */
};

struct host {
    char *path;
    void *library;
    const struct ev_harness *harness;
};

/* ---- a temporary folder, and what goes into it ---- */

struct folder {
    char *path, *header, *library;
};

static char *path_in(const char *folder, const char *name)
{
    struct buf b = {0};
    buf_printf(&b, "%s/%s", folder, name);
    return b.s;
}

static void remove_folder(struct folder *f)
{
    unlink(f->header);
    unlink(f->library);
    rmdir(f->path);
    free(f->header);
    free(f->library);
    free(f->path);
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

static int make_folder(struct folder *f)
{
    f->path = process_folder();
    if (f->path == NULL)
        return -1;
    f->header = path_in(f->path, "kpred_evolve.h");
    f->library = path_in(f->path, "harness.so");
    return 0;
}

/* ---- the compiler ---- */

static void add_all(struct process_words *words, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++)
        process_add(words, *list);
}

static int compile(const char *path, const char *compiler, const char *const *flags,
                   const struct folder *f)
{
    struct process_words words = {0};
    struct buf own = {0}, said = {0};
    buf_add(&own, path, (size_t)(base_name(path) - path));
    const char *const first[] = {
        compiler, "-shared", "-fPIC", "-O2", "-I", f->path, "-I", own.n == 0 ? "." : own.s, NULL};
    const char *const last[] = {path, "-o", f->library, "-lm", NULL};
    add_all(&words, first);
    add_all(&words, flags);
    add_all(&words, last);
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
    struct folder f = {0};
    if (make_folder(&f) != 0)
        return -1;
    int rc = write_header(f.header);
    if (rc == 0)
        rc = compile(h->path, compiler, flags, &f);
    if (rc == 0 && (h->library = dlopen(f.library, RTLD_NOW | RTLD_LOCAL)) == NULL)
        rc = fail("%s: cannot be loaded: %s", h->path, dlerror());
    remove_folder(&f);
    return rc;
}

/* Signals that end the program wait until the folder is gone. */
static int load(struct host *h, const char *compiler, const char *const *flags)
{
    signals_hold();
    const int rc = compile_and_load(h, compiler, flags);
    signals_release();
    return rc;
}

/* ---- what a harness has to have ---- */

static size_t count_names(const char *sizes)
{
    size_t n = 0;
    while (*sizes != '\0') {
        char name[64] = "";
        const size_t blanks = strspn(sizes, " "), length = strcspn(sizes + blanks, " ");
        if (length == 0)
            break;
        if (length >= sizeof name)
            return 0;
        memcpy(name, sizes + blanks, length);
        if (!is_identifier(name))
            return 0;
        sizes += blanks + length;
        n++;
    }
    return n;
}

static int has_timed_case(const struct ev_harness *e)
{
    for (size_t i = 0; i < e->n_shapes; i++)
        if (!e->shapes[i].held_out && !e->shapes[i].untimed)
            return 1;
    return 0;
}

static int check(const char *path, const struct ev_harness *e)
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
    int rc = load(h, compiler, flags);
    if (rc == 0) {
        h->harness = dlsym(h->library, "ev_harness");
        rc = check(path, h->harness);
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
    if (check(path, harness) == 0)
        return 0;
    host_close(h);
    *out = NULL;
    return -1;
}

const struct ev_harness *host_harness(const struct host *h)
{
    return h->harness;
}

const char *host_path(const struct host *h)
{
    return h->path;
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
