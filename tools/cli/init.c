/* init.c - `kpred-train init`: a spec for a kernel of one's own, from the files of a tuner
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "model/gpus.h"
#include "survey/init.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TOLD = 10 }; /* lines about failures: 8 conditions, and what stands around them */

struct options {
    struct init in;
    const char *fields, *ignored;
    struct opt_texts files, set;
    int force;
};

/* ---- progress: one line, rewritten, on a terminal; nothing elsewhere ---- */

static void show_progress(const char *path, size_t i, size_t n)
{
    struct buf line = {NULL, 0, 0};
    if (path != NULL)
        buf_printf(&line, "reading %s, %zu of %zu", base_name(path), i + 1, n);
    else
        buf_puts(&line, "counting the tuples of the rule");
    line_show(line.s);
    buf_free(&line);
}

/* ---- options ---- */

/* Takes "a,b" apart. */
static int take_names(const char *option, const char *text, struct interned *out,
                      const struct interned *others)
{
    for (const char *at = text; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ","), before = out->n;
        if (n > 0 && (intern_find(others, at, n) != INTERN_NONE || intern(out, at, n) < before))
            return fail("%s: value \"%s\": %.*s is given twice", option, text, (int)n, at);
        at += n + (at[n] != '\0');
    }
    return 0;
}

/* A GPU may be of any maker, yet most names that nobody knows are wrong ones. */
static void check_gpu(const char *gpu)
{
    struct buf name = {0};
    const char *vendor = gpu != NULL ? gpu_vendor(gpu) : "";
    if (vendor == NULL || (strcmp(vendor, "amd") == 0 && !gpu_is_gfx(gpu_name(gpu, &name))))
        note("--gpu: value \"%s\": is not a GPU that kpred knows: the spec has this name", gpu);
    buf_free(&name);
}

/* Takes NAME=VALUE apart, in place: `copy` is owned by the caller. */
static int take_set(struct survey_asked *asked, char *copy)
{
    char *equals = strchr(copy, '=');
    if (equals == NULL || equals == copy || equals[1] == '\0')
        return fail(
            "--set: value \"%s\": is not of the form NAME=VALUE; files stand before options", copy);
    if (asked->n_set == KPRED_MAX_FIELDS)
        return fail("--set %s: is one too many, a spec has at most %d fields", copy,
                    KPRED_MAX_FIELDS);
    *equals = '\0';
    if (strcmp(copy, "gpu") == 0)
        return fail("--set gpu: --gpu says what the GPU is");
    if (text_find(asked->set_name, asked->n_set, copy) >= 0)
        return fail("--set %s: is given twice", copy);
    asked->set_name[asked->n_set] = copy;
    asked->set_value[asked->n_set++] = equals + 1;
    return 0;
}

/* ---- the command ---- */

/* What it means that the tuples of the rule are not those that were measured */
static void tell_difference(const struct init_spec *spec)
{
    const struct rule_count *c = &spec->count;
    if (c->illegal > 0)
        note("%llu measured tuple%s: the conditions are wrong, or of another version of the kernel",
             (unsigned long long)c->illegal,
             as_counted(c->illegal, " breaks a condition", "s break a condition"));
    if (c->unmeasured > 0 && c->measured > 0)
        note(spec->has_rule ? "legal tuples were not measured: the tuner took samples, or a "
                              "condition is missing"
                            : "legal tuples were not measured: the tuner took samples, or there "
                              "are conditions to write into a section [restrict]");
}

/* The command that makes a model of it, beside the spec */
static void tell_next(const struct options *o, const struct init_spec *spec)
{
    struct next c = {.is_story = 0};
    struct buf header = {0};
    if (spec->data.n == 0)
        return;
    next_word(&c, commands_path);
    next_word(&c, "train");
    next_word(&c, o->in.asked.output);
    next_files(&c, "--data", &spec->data);
    next_sets(&c, &o->set);
    next_option(&c, "--gpu", o->in.asked.gpu);
    next_option(&c, "--unit", o->in.asked.unit);
    next_option(&c, "--split", spec->split);
    buf_add(&header, o->in.asked.output,
            (size_t)(base_name(o->in.asked.output) - o->in.asked.output));
    buf_printf(&header, "%s.h", spec->name);
    next_option(&c, "-o", header.s);
    note_command("to train it", c.text.s);
    buf_free(&header);
    buf_free(&c.text);
}

static void count_text(const struct rule_count *c, struct buf *b)
{
    if (c->is_counted)
        buf_printf(b, "rule: %llu legal, %llu measured, %llu unmeasured, %llu illegal",
                   (unsigned long long)c->legal, (unsigned long long)c->measured,
                   (unsigned long long)c->unmeasured, (unsigned long long)c->illegal);
    else
        buf_printf(b, "rule: too many legal to count, %llu measured, %llu illegal",
                   (unsigned long long)c->measured, (unsigned long long)c->illegal);
}

/* What explains the failures; the spec has it at most as comments. */
static void tell_failures(const struct options *o, const struct init_spec *spec)
{
    const size_t n = spec->failed.found.n;
    failed_rows_note(&spec->failed, "", MOST_TOLD);
    if (n > 0)
        note(o->in.conditions
                 ? "the spec has the condition%s as comments: remove \"#\" before what the kernel "
                   "demands"
                 : "--conditions writes the condition%s into the spec, as comments",
             as_counted(n, "", "s"));
}

static int init_tell(const struct options *o, const struct init_spec *spec, const char *count)
{
    for (size_t i = 0; i < spec->notes.n; i++)
        note("%s", spec->notes.v[i].s);
    tell_next(o, spec);
    tell_difference(spec);
    tell_failures(o, spec);
    printf("%s\n", count);
    return flush_stdout();
}

/* The output is opened first: a path that cannot be written shows before the work is done. */
static int make_and_write(const struct options *o)
{
    struct init_spec spec;
    struct outfile out;
    struct buf count = {0};
    if (out_open_kept(&out, o->in.asked.output, o->force) != 0)
        return -1;
    int rc = init_make(&o->in, &spec);
    line_wipe();
    if (rc == 0) {
        count_text(&spec.count, &count);
        fprintf(out.f, "%s\n# When this file was made, the tuples were\n# %s\n", spec.text.s,
                count.s);
        rc = out_commit(&out);
        rc = rc == 0 ? init_tell(o, &spec, count.s) : rc;
    } else {
        out_abandon(&out);
    }
    buf_free(&count);
    init_free(&spec);
    return rc;
}

/* `set`: room for copies of --set, to be freed */
static int take_options(struct options *o, char **set)
{
    struct survey_asked *asked = &o->in.asked;
    const struct output to = {"-o", asked->output};
    int rc = outputs_check_inputs(&to, 1, "FILE", &o->files);
    for (size_t i = 0; i < o->set.n && rc == 0; i++)
        rc = take_set(asked, set[i] = xstrdup(o->set.v[i]));
    if (rc != 0)
        return -1;
    asked->files = &o->files;
    o->in.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    check_gpu(asked->gpu);
    return take_names("--fields", o->fields, &asked->fields, &asked->ignored) != 0
                   || take_names("--ignore", o->ignored, &asked->ignored, &asked->fields) != 0
               ? -1
               : 0;
}

static int init_run(struct options *o)
{
    char *set[KPRED_MAX_FIELDS + 1] = {NULL};
    const int rc = take_options(o, set) != 0 || make_and_write(o) != 0 ? -1 : 0;
    for (size_t i = 0; i <= KPRED_MAX_FIELDS; i++)
        free(set[i]);
    intern_free(&o->in.asked.fields);
    intern_free(&o->in.asked.ignored);
    return rc;
}

int cmd_init(int argc, char **argv)
{
    struct options o = {0};
    const struct opt table[] = {
        OPT_SAYS("Writes a spec for the kernel whose measurements are in the files, which may be "
                 "of several GPUs and problems: fields, parameters with their values, the rule, "
                 "features, and comments that explain them. It trains as it is."),
        OPT(TEXTS, "FILE...", &o.files,
            "files of Kernel Tuner, T4, KTT, CLBlast, pyATF and Triton's autotuner (.json), a T1 "
            "input, which has the conditions (.json), and tables (.csv); each of these also with "
            ".bz2 or .gz"),
        OPT(TEXT, "[--fields A,B,...]", &o.fields,
            "the columns or parameters that describe the problem; a table needs it, and so does "
            "Triton's cache, of which it names the values of keys. Without it, a message has a "
            "command with a guess"),
        OPT(TEXT, "[--ignore A,B,...]", &o.ignored,
            "columns of tables that are neither that nor parameters"),
        OPT(TEXT, "[--metric NAME]", &o.in.asked.metric,
            "the column of times or speeds, where tables have several; it becomes metric of the "
            "spec"),
        OPT(TEXTS, "[--success COLUMN=VALUE...]", &o.in.asked.success,
            "what rows that worked have in a column of tables that tells which failed, or "
            "COLUMN<=NUMBER; COLUMN=*: it does not tell, and is a parameter"),
        OPT(TEXT, "[--gpu GPU]", &o.in.asked.gpu, "the GPU of files that name none"),
        OPT(TEXTS, "[--set NAME=VALUE...]", &o.set, "fields of files that do not say them"),
        UNIT_OPTION(&o.in.asked.unit),
        OPT(TEXT, "[--name NAME]", &o.in.asked.name,
            "the model's name, an identifier; default: as the files call the kernel, else the name "
            "of the first file"),
        OPT(FLAG, "[--conditions]", &o.in.conditions,
            "writes the conditions that explain the failures into the spec, as comments in the "
            "place of [restrict], each with how many it explains, to be taken by hand"),
        OPT(TEXT, "-o MY.spec", &o.in.asked.output, "written whole or not at all"),
        OPT(FLAG, "[--force]", &o.force, "replace MY.spec if it is there"),
        OPT_SAYS("The last line, on standard output, counts distinct tuples: those that the rule "
                 "allows, those that were measured, failures included, those that it allows and "
                 "nobody measured, and those that were measured though it forbids them."),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return opts_free(table, status < 0 ? init_run(&o) != 0 : status);
}
