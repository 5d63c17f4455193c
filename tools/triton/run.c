/* run.c - from names of missing files to files of predicted configurations, for the command triton
   SPDX-License-Identifier: MIT */
#include "triton.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the text of a file ---- */

/* Does the server's tuner write it? Of the public tuners only vLLM's for MoE of 16 bits tries other
   values of matrix_instr_nonkdim and kpack than the compiler's own, 0 and 1; AMD's files have them
   together elsewhere, too. */
static int is_written(const struct triton_name *name, const struct triton_config *c, int is_amd,
                      enum triton_member i)
{
    const int is_gemm = name->kernel == TRITON_BLOCK_GEMM;
    if (i <= TRITON_NUM_STAGES)
        return 1;
    if (i == TRITON_WAVES_PER_EU)
        return is_amd && (c->v[i] != 0 || !is_gemm || name->server == TRITON_SGLANG);
    if (i == TRITON_NONKDIM)
        return c->v[i] != 0;
    return c->v[i] != 1 || c->v[TRITON_NONKDIM] != 0;
}

static void add_config(struct buf *b, const struct triton_name *name, const struct choice *c,
                       int is_amd)
{
    buf_printf(b, "    \"%" PRId32 "\": {", c->m);
    for (int i = 0; i < TRITON_N_MEMBERS; i++)
        if (is_written(name, &c->config, is_amd, (enum triton_member)i))
            buf_printf(b, "%s\n        \"%s\": %" PRId32, i != 0 ? "," : "", triton_members[i],
                       c->config.v[i]);
    buf_puts(b, "\n    }");
}

void triton_text(struct buf *b, const struct triton_name *name, const struct choices *c,
                 const char *version)
{
    struct triton_gpu gpu;
    triton_gpu_find(&gpu, name->device);
    buf_puts(b, "{\n");
    if (version != NULL && name->server == TRITON_VLLM && name->kernel == TRITON_MOE)
        buf_printf(b, "    \"triton_version\": \"%s\",\n", version);
    for (size_t i = 0; i < c->n; i++) {
        add_config(b, name, &c->v[i], gpu.is_amd);
        buf_puts(b, i + 1 < c->n ? ",\n" : "\n");
    }
    buf_puts(b, "}\n");
}

/* ---- a run ---- */

struct run {
    const struct triton_options *o;
    struct missed missed;
    struct predictors predictors;
    struct tally left_out;
    size_t n, cap;
    struct file {
        const struct missed_name *of;
        char *path; /* NULL: standard output */
        struct buf text;
    } * v;
    int has[TRITON_N_SERVERS][TRITON_N_KERNELS]; /* files of them */
};

/* ---- a run: the story ---- */

static int percent(int64_t sum, size_t n)
{
    return (int)((sum * 100 + ((int64_t)n << 23)) / ((int64_t)n << 24));
}

static void add_count(struct buf *b, size_t n, const char *one, const char *several)
{
    if (n != 0)
        buf_printf(b, "%s %zu %s", b->n != 0 ? "," : "", n, n == 1 ? one : several);
}

static void tell_choices(const char *name, const struct choices *c)
{
    struct buf b = {NULL, 0, 0};
    add_count(&b, c->of[CHOICE_MODEL], "predicted", "predicted");
    add_count(&b, c->of[CHOICE_CAUTIOUS], "cautious", "cautious");
    add_count(&b, c->of[CHOICE_DEFAULT], "default", "defaults");
    if (c->of[CHOICE_DEFAULT] > c->illegal)
        buf_puts(&b, " (nearly as probable)");
    if (c->illegal != 0)
        buf_printf(&b, "; %zu without a legal tuple", c->illegal);
    note("%s: %zu M:%s; a tuning should agree in %d %% of tuples, and in %d %% of tiles", name,
         c->n, b.s, percent(c->tuple, c->n), percent(c->tile, c->n));
    buf_free(&b);
}

/* The folders of the packages */
static const char *const packages[TRITON_N_SERVERS] = {
    "vllm/model_executor/layers/quantization/utils/configs",
    "sglang/kernels/ops/gemm/configs",
};
static const char *const called[TRITON_N_SERVERS] = {"vLLM", "SGLang"};

/* What to do with the files in the folder */
static void tell_use(const struct run *r)
{
    if (r->has[TRITON_VLLM][TRITON_MOE]) {
        note("vLLM looks there before it looks into its own folder:");
        print_export("VLLM_TUNED_CONFIG_FOLDER", r->o->output);
    }
    if (r->has[TRITON_SGLANG][TRITON_MOE]) {
        note("SGLang looks there in place of its own folder, so copy what is needed of that:");
        print_export("SGLANG_MOE_CONFIG_DIR", r->o->output);
    }
    for (int i = 0; i < TRITON_N_SERVERS; i++)
        if (r->has[i][TRITON_BLOCK_GEMM])
            note("%s has no variable for files of the block GEMM (N=..,K=..): copy them into %s of "
                 "its package",
                 called[i], packages[i]);
}

/* ---- a run: making ---- */

/* A name that cannot be used: of a log it is counted, an operand is the user's to mend. */
static int refuse(struct run *r, const struct missed_name *m, const char *name, const char *why)
{
    if (m->at.line == 0)
        return fail("%s: %s", name, why);
    tally_add(&r->left_out, m->at, why);
    return 0;
}

/* NULL: SGLang's folder has no name */
static char *path_of(const struct run *r, const struct missed_name *m, const char *name)
{
    struct buf b = {NULL, 0, 0};
    const char *output = r->o->output;
    const int has_folder = m->name.server == TRITON_SGLANG && m->name.kernel == TRITON_MOE;
    if (has_folder && *m->version == '\0')
        return NULL;
    buf_printf(&b, "%s%s", output, ends_with(output, "/") ? "" : "/");
    if (has_folder)
        buf_printf(&b, "configs/triton_%s/", m->version);
    buf_puts(&b, name);
    return b.s;
}

static int add_file(struct run *r, const struct missed_name *m, const char *name,
                    const struct choices *c)
{
    struct file file = {.of = m};
    if (r->o->output != NULL && (file.path = path_of(r, m, name)) == NULL)
        return refuse(r, m, name,
                      "no folder tells the version of Triton, which SGLang's folders "
                      "are named after: --triton");
    tell_choices(name, c);
    triton_text(&file.text, &m->name, c, r->o->from.version);
    r->v = xgrow(r->v, r->n, &r->cap, sizeof *r->v);
    r->v[r->n++] = file;
    r->has[m->name.server][m->name.kernel] = 1;
    return 0;
}

static int make_named(struct run *r, const struct missed_name *m, const char *name)
{
    struct choices c;
    struct buf why = {NULL, 0, 0};
    int rc = choices_make(&c, &r->predictors, &m->name, &r->o->choices, &why);
    if (rc > 0)
        rc = refuse(r, m, name, why.s);
    else if (rc == 0 && c.n == 0)
        rc = refuse(r, m, name, "no tuple is legal for any M");
    else if (rc == 0 && c.of[CHOICE_DEFAULT] == c.n)
        note("%s: no file: for all %zu M the server's own choice is the best guess", name, c.n);
    else if (rc == 0)
        rc = add_file(r, m, name, &c);
    buf_free(&why);
    return rc;
}

static int make(struct run *r, const struct missed_name *m)
{
    struct buf name = {NULL, 0, 0};
    triton_name_write(&m->name, &name);
    const int rc = make_named(r, m, name.s);
    buf_free(&name);
    return rc;
}

/* Every name was left out. */
static int nothing_left(const struct run *r)
{
    struct buf why = {NULL, 0, 0};
    tally_words(&r->left_out, &why);
    tally_words(&r->missed.cut, &why);
    fail("%s: there is nothing to write: %s", log_line_called(r->o->inputs.v, r->o->inputs.n),
         why.s);
    buf_free(&why);
    return -1;
}

static int make_all(struct run *r)
{
    const struct missed *m = &r->missed;
    if (m->n > 1 && r->o->output == NULL)
        return fail("standard output: it takes one file, and there are %zu: -o DIR takes all",
                    m->n);
    if (m->lines != 0)
        note("%zu line%s, %zu name%s of a missing file: %zu distinct", m->lines,
             m->lines == 1 ? "" : "s", m->calls, m->calls == 1 ? "" : "s", m->n);
    for (size_t i = 0; i < m->n; i++)
        if (make(r, &m->v[i]) != 0)
            return -1;
    if (r->n == 0 && r->left_out.words.n != 0)
        return nothing_left(r);
    tally_note(&r->left_out, "file is left out", "files are left out");
    tally_note(&m->cut, "line", "lines");
    return 0;
}

/* ---- a run: writing ---- */

/* May the file be written? What is there may hold what somebody has measured. */
static int check_old(const struct file *f, int force)
{
    struct stat st;
    struct buf old = {NULL, 0, 0};
    if (force || f->path == NULL || stat(f->path, &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size == 0)
        return 0;
    int is_same = (size_t)st.st_size == f->text.n;
    if (is_same && read_file(f->path, f->text.n, &old) != 0)
        return -1;
    is_same = is_same && memcmp(old.s, f->text.s, old.n) == 0;
    buf_free(&old);
    return is_same ? 0
                   : fail("%s: is there already with other tuples; --force replaces it", f->path);
}

static int make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    return fail("%s: cannot make the folder: %s", path, strerror(errno));
}

static int make_folders(const char *path)
{
    char *copy = xstrdup(path);
    int rc = 0;
    for (char *p = copy + 1; *p != '\0' && rc == 0; p++)
        if (*p == '/') {
            *p = '\0';
            rc = make_folder(copy);
            *p = '/';
        }
    free(copy);
    return rc;
}

static int write_file(const struct file *f)
{
    if (f->path != NULL && make_folders(f->path) != 0)
        return -1;
    return out_whole(f->path, &f->text);
}

static int write_all(struct run *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (check_old(&r->v[i], r->o->force) != 0)
            return -1;
    for (size_t i = 0; i < r->n; i++)
        if (write_file(&r->v[i]) != 0)
            return -1;
    if (r->o->output != NULL)
        tell_use(r);
    return 0;
}

static void close_run(struct run *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->v[i].path);
        buf_free(&r->v[i].text);
    }
    free(r->v);
    tally_free(&r->left_out);
    predictors_close(&r->predictors);
    missed_free(&r->missed);
}

int triton_run(const struct triton_options *o)
{
    struct run r;
    memset(&r, 0, sizeof r);
    r.o = o;
    if (outputs_check_force(o->force, o->output) != 0)
        return 2;
    const int bad = missed_read(&r.missed, &o->from, &o->inputs) != 0 || make_all(&r) != 0
                    || write_all(&r) != 0;
    close_run(&r);
    return bad;
}
