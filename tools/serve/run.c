/* run.c - from a model's config or a server's log to files of tuned configurations
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "base/names.h"
#include "model/gpus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where nothing tells the version: that of SGLang's newest folder in 0.5.23 */
static const char newest[] = "3_8_0";

struct run {
    const struct serve_options *o;
    int server; /* an enum triton_server; TRITON_N_SERVERS: the log tells */
    char device[DEVICE_SIZE];
    char version[TRITON_VERSION_SIZE]; /* of SGLang's folder */
    struct folder installed, known;
    struct missed missed;
    struct lookups lookups;
    struct answering aiter;
    struct tables tables; /* AITER's, of both folders */
    size_t n_own;         /* of these, in the installed one */
    struct predictors predictors;
    struct answer *v;
    size_t n;
    struct triton_files files;
    struct buf output; /* the folder, absolute */
    struct buf tuples; /* the table of --top */
    struct buf hint;   /* options with which less is refused; empty: none */
    unsigned of;       /* what a config's run is of, see left_tell */
    size_t n_second;   /* files by a second name of the GPU */
};

/* ---- look-ups ---- */

static int read_missed(struct run *r)
{
    r->missed.from = (struct missed_from){.asked = r->device,
                                          .version = r->o->version,
                                          .server = r->server,
                                          .tp = r->o->tp,
                                          .may_lack = r->o->has_aiter,
                                          .force = r->o->force};
    if (missed_read(&r->missed, &r->o->inputs) != 0)
        return -1;
    for (size_t i = 0; i < r->missed.n; i++) {
        struct missed_name *m = &r->missed.v[i];
        /* A device that is the GPU by another name stays: the server asks for just that. */
        if (!gpu_is_device(m->name.device, r->device)
            && triton_device_set(&m->name, r->device) != 0)
            return -1;
        lookups_add(&r->lookups, &m->name, *m->version != '\0' ? m->version : r->version, "log");
    }
    tally_note(&r->missed.cut, "line", "lines");
    if (r->missed.of_aiter != 0 && !r->o->has_aiter)
        note("%zu line%s of AITER's tables %s left out: --aiter answers them", r->missed.of_aiter,
             as_counted(r->missed.of_aiter, "", "s"), as_counted(r->missed.of_aiter, "is", "are"));
    return 0;
}

/* A log on standard input is read twice: what is not a file becomes one. */
static int keep_stdin(const struct opt_texts *inputs)
{
    int is_read = inputs->n == 0;
    for (size_t i = 0; i < inputs->n; i++)
        is_read |= strcmp(inputs->v[i], "-") == 0;
    if (!is_read || lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return 0;
    FILE *f = tmpfile();
    char part[1 << 14];
    int is_kept = f != NULL;
    for (size_t n; is_kept && (n = fread(part, 1, sizeof part, stdin)) != 0;)
        is_kept = fwrite(part, 1, n, f) == n;
    is_kept = is_kept && !ferror(stdin) && fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0
              && dup2(fileno(f), STDIN_FILENO) >= 0;
    if (f != NULL)
        fclose(f);
    return is_kept ? 0 : fail("standard input: cannot be kept in a file");
}

/* AITER's lines */
static int read_calls(struct run *r)
{
    r->aiter.asked.from = (struct asked_from){
        .only = FAMILY_NONE, .target = &r->aiter.target, .may_lack = 1, .force = r->o->force};
    rewind(stdin);
    const int rc = inputs_read(&r->aiter.asked, r->o->inputs.v, r->o->inputs.n);
    tally_note(&r->aiter.asked.left_out, "shape is left out", "shapes are left out");
    tally_note(&r->aiter.asked.cut, "line", "lines");
    for (size_t i = 0; i < r->aiter.asked.n; i++)
        lookups_add_shape(&r->lookups, &r->aiter.asked.v[i], NULL, "log");
    return rc;
}

static int read_log(struct run *r)
{
    const struct opt_texts *inputs = &r->o->inputs;
    if (!r->o->has_aiter)
        return read_missed(r);
    if (keep_stdin(inputs) != 0 || (rewind(stdin), read_missed(r) != 0) || read_calls(r) != 0)
        return -1;
    return r->lookups.n != 0 || r->aiter.asked.found != 0
               ? 0
               : fail("%s: no line tells of a missing file or of a missing row that kpred answers",
                      log_line_called(inputs->v, inputs->n));
}

/* ---- a hint where layers are refused ---- */

/* How many layers the server refuses on so many GPUs; INT_MAX: the whole model */
static int count_refused(const struct lookups_how *of, const struct target *target, long tp,
                         long ep)
{
    struct lookups to = {.n = 0};
    struct answering aiter = {.target = *target};
    struct lookups_how how = *of;
    struct hf_layers layers;
    struct spared spared = {.n = 0};
    const int is_other = tp != of->tp || ep != of->ep; /* it has to divide heads, too */
    int n = 0;
    how.to = &to;
    how.tp = tp;
    how.ep = ep;
    how.is_trial = 1;
    how.config->is_bad = 0;
    spare_begin(&spared);
    if (lookups_of_config(&how) != 0 || (how.has_aiter && aiter_of_config(&how, &aiter) != 0)
        || (is_other && lookups_layers(&layers, &how) != 0))
        n = INT_MAX;
    spare_end();
    for (size_t i = 0; i < to.n && n != INT_MAX; i++)
        n += to.v[i].none == ANSWER_REFUSED;
    lookups_free(&to);
    answering_free(&aiter);
    return n;
}

/* Which options help most: the experts shared, else the most GPUs below those that were asked for.
   What one GPU refuses no option mends. */
static void hint_find(struct run *r, const struct lookups_how *how)
{
    const struct target *t = &r->aiter.target;
    const int shares_all = r->o->has_ep && r->o->ep_size == 0;
    const int now = count_refused(how, t, how->tp, how->ep), least = count_refused(how, t, 1, 1);
    if (least >= now)
        return;
    const int with_ep = how->ep == 1 && count_refused(how, t, how->tp, how->tp) == least;
    long tp = how->tp;
    while (--tp != 0 && count_refused(how, t, tp, shares_all ? tp : how->ep) != least)
        continue;
    if (with_ep)
        buf_puts(&r->hint, " --ep");
    if (tp != 0)
        buf_printf(&r->hint, "%s --tp %ld", with_ep ? ", or with" : "", tp);
    if (r->hint.n != 0)
        buf_printf(&r->hint, ": the server refuses %s", least == 0 ? "no layer" : "fewer layers");
}

static void hint_tell(const struct run *r)
{
    if (r->hint.n != 0)
        note("with%s", r->hint.s);
}

static int ask_config(struct run *r, struct lookups_how *how)
{
    if (quantization_read(how->config, (enum quantization_kind)r->o->quantization, &how->q) != 0
        || ignored_read(&how->ignored, how->config, r->server == TRITON_SGLANG) != 0
        || hf_experts_read(how->config, &how->experts) < 0)
        return -1;
    r->of = left_of_config(how);
    mamba_of_config(how);
    if (how->config->is_bad)
        return -1;
    const int rc = lookups_of_config(how) != 0 ? -1
                   : r->o->has_aiter           ? aiter_of_config(how, &r->aiter)
                                               : 0;
    hint_find(r, how);
    return rc;
}

static int read_config(struct run *r)
{
    const struct serve_options *o = r->o;
    const long tp = o->tp != 0 ? o->tp : 1;
    struct hf_config config;
    struct lookups_how how = {.to = &r->lookups,
                              .config = &config,
                              .device = r->device,
                              .server = (enum triton_server)r->server,
                              .tp = tp,
                              .ep = o->ep_size != 0 ? o->ep_size
                                    : o->has_ep     ? tp
                                                    : 1,
                              .version = r->version,
                              .has_aiter = o->has_aiter};
    const int rc = hf_config_read(o->config, &config) == 0 ? ask_config(r, &how) : -1;
    flat_json_free(&config.json);
    ignored_free(&how.ignored);
    return rc;
}

/* ---- what is there ---- */

/* The version of Triton that SGLang's folder is named after */
static void find_version(struct run *r)
{
    const char *there = folder_newest(&r->installed);
    triton_version_of(r->version, r->o->version, "");
    if (*r->version != '\0')
        return;
    snprintf(r->version, sizeof r->version, "%s", *there != '\0' ? there : newest);
    if (r->server == TRITON_SGLANG && r->o->config != NULL)
        note("no --triton says the version of Triton: the folder is triton_%s; SGLang takes one "
             "of another version too, with a warning",
             r->version);
}

static int read_folders(struct run *r)
{
    const struct serve_options *o = r->o;
    if (o->installed != NULL && folder_read(&r->installed, &r->tables, o->installed) != 0)
        return -1;
    if (o->installed != NULL && r->installed.n + r->tables.of.n + r->tables.jsons.n == 0
        && r->tables.states.n == 0)
        note("%s: there is no file of configurations in it", o->installed);
    r->n_own = r->tables.of.n;
    return o->known != NULL ? folder_read(&r->known, &r->tables, o->known) : 0;
}

/* ---- answers ---- */

/* Does a server look for the row? A log has only what it looks for. */
static int reads_row(const void *with, const struct asked_shape *s)
{
    const struct run *r = with;
    for (size_t i = 0; i < r->lookups.n; i++) {
        const struct lookup *l = &r->lookups.v[i];
        if (l->reading != NULL && l->shape.family == s->family && asked_is_pair(&l->shape, s))
            return reading_has_m(l->reading, s);
    }
    return 1;
}

static int answer_one(struct run *r, struct answer *a, const struct answers_how *how)
{
    if (a->of->of == LOOKUP_STATE)
        return mamba_answer(a, &r->tables.states);
    if (a->of->of != LOOKUP_AITER)
        return answer_make(a, how);
    aiter_answer(a, &r->aiter);
    return a->of->is_json && (r->o->has_json || a->of->none == ANSWER_SWITCH)
               ? aiter_near_json(a, &r->aiter)
               : 0;
}

static int answer_all(struct run *r)
{
    const struct answers_how how = {.predictors = &r->predictors,
                                    .installed = &r->installed,
                                    .known = &r->known,
                                    .version = r->o->version,
                                    .nearest = r->o->nearest};
    const size_t top = r->o->top != 0 ? (size_t)r->o->top : 1;
    const struct rows_options rows = {
        .top = top, .beam = top > 8 ? top : 8, .reads = reads_row, .with = r};
    if (r->o->has_aiter && installed_read(&r->aiter, r->tables.of.v, r->tables.of.n, r->n_own) != 0)
        return -1;
    aiter_decide(&r->lookups, &r->aiter, r->o->may_switch);
    if (rows_make(&r->aiter, &rows) != 0)
        return -1;
    r->n = r->lookups.n;
    r->v = xcalloc(r->n + 1, sizeof *r->v);
    for (size_t i = 0; i < r->n; i++) {
        r->v[i] =
            (struct answer){.of = &r->lookups.v[i], .kind = ANSWER_LEFT, .tuple = -1, .tile = -1};
        if (answer_one(r, &r->v[i], &how) != 0)
            return -1;
    }
    return r->o->top == 0 ? 0 : answers_rank(&r->tuples, &r->lookups, &how, top);
}

/* ---- files ---- */

/* SGLang with the variable no longer reads its own folder: what that has for the device goes along,
   each file into the folder of its version. */
static void copy_installed(struct run *r)
{
    for (size_t i = 0; i < r->installed.n; i++) {
        struct spared spared = {.n = 0};
        const struct folder_file *f = &r->installed.v[i];
        struct triton_name name = f->name;
        struct buf text = {NULL, 0, 0};
        if (strcmp(name.device, r->device) != 0 || name.kernel == TRITON_BLOCK_GEMM
            || *f->version == '\0')
            continue;
        name.server = TRITON_SGLANG;
        char *path = triton_path(r->output.s, &name, f->version);
        size_t same = 0;
        while (same < r->files.n && strcmp(r->files.v[same].path, path) != 0)
            same++;
        spare_begin(&spared);
        if (same == r->files.n && read_file(f->path, FOLDER_FILE_BYTES, &text) == 0)
            triton_files_add(&r->files, &name, path, &text);
        else
            free(path);
        spare_note(&spared);
        buf_free(&text);
    }
}

/* A file that is made of the new text and of what earlier runs wrote there. 0, or -1 with a
   message. */
static int add_joined(struct run *r, const char *name, struct buf *text)
{
    struct buf path = {NULL, 0, 0};
    buf_add_path(&path, r->output.s, name);
    const int joined = report_join(text, path.s, r->o->force);
    triton_files_add(&r->files, NULL, path.s, text);
    r->files.v[r->files.n - 1].replaces = joined == 1;
    return joined < 0 ? -1 : 0;
}

/* vLLM takes the name of an MI350X or MI355X from its driver, which has two for it: the same file
   for the other one, unless the server has a file of it */
static void add_second(struct run *r, const struct answer *a)
{
    struct lookup other = *a->of;
    struct buf text = {NULL, 0, 0};
    if (r->o->config == NULL || other.name.server != TRITON_VLLM
        || !names_has_word("AMD_Instinct_MI350X AMD_Instinct_MI355X", r->device))
        return;
    snprintf(other.name.device + strlen(r->device) - 1, 5, "_OAM");
    if (folder_find(&r->installed, &other) == NULL) {
        buf_add(&text, a->text.s, a->text.n);
        triton_files_add(&r->files, &other.name, triton_path(r->output.s, &other.name, ""), &text);
        r->n_second++;
    }
}

static void add_file(struct run *r, struct answer *a)
{
    struct buf path = {NULL, 0, 0};
    if (a->text.n == 0)
        return;
    if (a->of->of == LOOKUP_STATE || a->name != NULL) {
        buf_add_path(&path, r->output.s, a->name != NULL ? a->name : a->of->called);
        triton_files_add(&r->files, NULL, path.s, &a->text);
        r->files.has[TRITON_VLLM][TRITON_MOE] |= a->name == NULL; /* it has the same variable */
        return;
    }
    add_second(r, a);
    triton_files_add(&r->files, &a->of->name,
                     triton_path(r->output.s, &a->of->name, a->of->version), &a->text);
}

static int make_files(struct run *r)
{
    struct buf text = {NULL, 0, 0};
    report_write(&text, r->v, r->n, r->device, r->o->version != NULL ? r->o->version : "");
    for (size_t i = 0; i < r->n; i++)
        add_file(r, &r->v[i]);
    if (r->files.has[TRITON_SGLANG][TRITON_MOE])
        copy_installed(r);
    const int rc =
        aiter_files(&r->aiter, &r->files, r->output.s, r->o->force, r->o->top != 0, &r->tables);
    const int is_bad = add_joined(r, "kpred.json", &text) != 0;
    r->files.v[r->files.n - 1].other = "and is of another GPU or of other versions";
    return is_bad ? -1 : rc;
}

/* AITER's package has its Triton files in one folder for each kernel or for all. */
static void tell_json(const struct run *r)
{
    struct buf line = {NULL, 0, 0}, name = {NULL, 0, 0}, folder = {NULL, 0, 0};
    size_t i = 0;
    while (i < r->n && r->v[i].name == NULL)
        i++;
    if (i == r->n)
        return;
    const char *from = r->v[i].from;
    buf_puts(&line, "  cp -n ");
    quote(&line, r->output.s, '*');
    buf_puts(&line, "/*GEMM-*-N=*.json ");
    buf_add(&name, from, (size_t)(base_name(from) - from));
    buf_add_absolute(&folder, name.n != 0 ? name.s : ".");
    quote(&line, folder.s, '*');
    note("AITER has no variable for its Triton files: copy them into its package");
    fprintf(stderr, "%s\n", line.s);
    buf_free(&line);
    buf_free(&name);
    buf_free(&folder);
}

static void tell_files(const struct run *r)
{
    static const char candidates[] = "candidates_", json[] = "candidates_GEMM-";
    if (r->n_second != 0)
        note("vLLM may call the GPU %.*s_OAM: %zu file%s there by that name, too",
             (int)strlen(r->device) - 1, r->device, r->n_second,
             as_counted(r->n_second, " is", "s are"));
    triton_files_tell(&r->files, r->output.s);
    tell_json(r);
    aiter_tell(&r->aiter);
    for (size_t i = 0; i < r->files.n && r->o->top != 0; i++) {
        const char *path = r->files.v[i].path;
        if (strncmp(base_name(path), json, strlen(json)) == 0)
            note("%s has tuples that a tuning may time; AITER's scripts were not tried with it",
                 path);
        else if (strncmp(base_name(path), candidates, strlen(candidates)) == 0)
            note("kpred_tune.py runs a server's tuner with the candidates of %s alone", path);
    }
}

static int write_files(struct run *r)
{
    const int has_tuples = r->tuples.n != 0;
    struct locked_folder folder;
    size_t made = 0, ranked = 0;
    for (size_t i = 0; i < r->n; i++) {
        made += r->v[i].text.n != 0;
        ranked += r->o->top != 0 && answer_is_ranked(&r->v[i]);
    }
    for (int i = 0; i < N_FAMILIES; i++)
        made += r->aiter.rows.of[i].n;
    if (made == 0)
        note("there is nothing to write%s", has_tuples || ranked != 0 ? " but the candidates" : "");
    if (made == 0 && !has_tuples && ranked == 0)
        return 0;
    if (buf_add_absolute(&r->output, r->o->output) != 0)
        return fail("the working folder has no path");
    if (triton_folder_lock(&folder, r->output.s) != 0)
        return -1;
    if (ranked != 0)
        aiter_rank_json(&r->files, r->output.s, r->v, r->n, &r->aiter, (size_t)r->o->top);
    const int failed = (made != 0 && make_files(r) != 0)
                       || (has_tuples && add_joined(r, "candidates_triton.csv", &r->tuples) != 0)
                       || triton_files_write(&r->files, r->o->force) != 0;
    folder_release(&folder, failed);
    if (!failed)
        tell_files(r);
    return failed ? -1 : 0;
}

/* ---- a run ---- */

static int run_serve(struct run *r)
{
    const struct serve_options *o = r->o;
    if (device_find(o->gpu, r->device) != 0 || triton_version_check(o->version) != 0
        || read_folders(r) != 0)
        return -1;
    note("for the servers the GPU is %s", r->device);
    const char *vendor = gpu_vendor(r->device);
    if (o->has_aiter && (vendor == NULL || strcmp(vendor, "amd") != 0))
        return fail("--aiter: AITER is for AMD's GPUs, and %s is none", r->device);
    if (o->has_aiter && target_find(&r->aiter.target, r->device) != 0)
        return -1;
    if (o->compiled != NULL && compiled_read(&r->aiter, o->compiled) != 0)
        return -1;
    find_version(r);
    if ((o->config != NULL ? read_config(r) : read_log(r)) != 0) {
        hint_tell(r);
        return -1;
    }
    if (answer_all(r) != 0 || report_print(r->v, r->n, o->form) != 0)
        return -1;
    hint_tell(r);
    const int rc = o->is_dry ? 0 : write_files(r);
    if (rc == 0 && r->of != 0)
        left_tell(r->of);
    return rc;
}

static int check_options(const struct serve_options *o)
{
    if (o->config != NULL && o->inputs.n != 0)
        return fail("--config and INPUT: a model's config or logs, not both");
    if (o->config != NULL && o->server == NULL)
        return fail("--server: which one is it, vllm or sglang? --config needs it");
    const char *of_config = o->quantization != QUANTIZATIONS ? "--quant"
                            : o->has_ep                      ? "--ep"
                            : o->ep_size != 0                ? "--ep-size"
                            : o->may_switch                  ? "--switch"
                            : o->has_json                    ? "--write-triton-json"
                                                             : NULL;
    if (o->config == NULL && of_config != NULL)
        return fail("%s: it is for --config alone: a log says what the server looks for",
                    of_config);
    if (o->compiled != NULL && !o->has_aiter)
        return fail("--compiled: it names AITER's kernels, and --aiter is not given");
    if (o->has_json && !o->has_aiter)
        return fail("--write-triton-json: they are AITER's, and --aiter is not given");
    if (!o->is_dry && o->output == NULL)
        return fail("-o DIR: it is needed, or --dry-run");
    return 0;
}

int serve_run(const struct serve_options *o)
{
    struct run r = {.o = o};
    r.aiter.jsons = &r.tables.jsons;
    r.server = o->server != NULL ? reads_server(o->server) : TRITON_N_SERVERS;
    if (r.server < 0 || check_options(o) != 0)
        return 2;
    const int bad = run_serve(&r) != 0;
    for (size_t i = 0; i < r.n; i++)
        answer_free(&r.v[i]);
    free(r.v);
    triton_files_free(&r.files);
    lookups_free(&r.lookups);
    missed_free(&r.missed);
    predictors_close(&r.predictors);
    answering_free(&r.aiter);
    tables_free(&r.tables);
    folder_free(&r.installed);
    folder_free(&r.known);
    buf_free(&r.output);
    buf_free(&r.tuples);
    buf_free(&r.hint);
    return bad;
}
