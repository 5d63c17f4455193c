/* init.c - makes a spec of files that say what was tuned, for the command init
   SPDX-License-Identifier: MIT */
#include "init.h"

#include "data/formats.h"
#include "data/tables.h"

#include "model/model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text ---- */

enum { FEW_PROBLEMS = 20 }; /* of which a tenth tells nothing */

/* Plain text for a comment or a title: without what a comment of C begins or ends with */
static void add_plain(struct buf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        const int is_mark = strncmp(text, "/*", 2) == 0 || strncmp(text, "*/", 2) == 0;
        const char c = *text >= ' ' && *text <= '~' && !is_mark ? *text : '_';
        buf_add(b, &c, 1);
    }
}

/* ---- the text: [kernel] ---- */

static int is_taken(const char *name)
{
    const kpred_model m = {.name = name};
    char clash[NAMES_MOST + 1];
    names_find_clash(&m, clash);
    return *clash != '\0';
}

/* An identifier that is like the text, up to `end` */
static void make_name(const char *text, size_t end, char out[NAMES_MOST_MODEL + 1])
{
    struct buf b = {0};
    if (end == 0 || isdigit((unsigned char)*text))
        buf_puts(&b, "kernel_");
    buf_add(&b, text, end);
    for (size_t i = 0; i < b.n; i++)
        b.s[i] = isalnum((unsigned char)b.s[i]) ? b.s[i] : '_';
    snprintf(out, NAMES_MOST_MODEL + 1, "%s", b.s);
    if (is_taken(out))
        snprintf(out, NAMES_MOST_MODEL + 1, "my_%.40s", b.s);
    buf_free(&b);
}

static int choose_name(struct draft *d)
{
    const struct survey *s = d->survey;
    const char *asked = s->asked->name, *file = base_name(s->first);
    if (asked != NULL && (!is_identifier(asked) || strlen(asked) > NAMES_MOST_MODEL))
        return fail("--name: value \"%s\": is not an identifier of at most %d characters", asked,
                    NAMES_MOST_MODEL);
    if (asked != NULL && is_taken(asked))
        return fail("--name: value \"%s\": the headers of kpred use such a name", asked);
    if (asked != NULL)
        snprintf(d->name, sizeof d->name, "%s", asked);
    else if (s->kernel != NULL)
        make_name(s->kernel, strlen(s->kernel), d->name);
    else
        make_name(file, strcspn(file, "."), d->name);
    return 0;
}

/* What to train with: "config", or "none" where the problems are too few to keep any for testing */
static const char *new_spec_split(const struct survey *s)
{
    return survey_n_problems(s) < FEW_PROBLEMS ? "none" : "config";
}

/* What marks the end of a comment cannot stand there; then each table's column is found again. */
static int has_metric(const struct survey *s)
{
    return s->metric.name != NULL && !s->metric.is_mixed && !has_comment_mark(s->metric.name);
}

/* What ends a quoted word or a comment cannot stand there. */
static int is_writable(const char *word)
{
    const char *p = word;
    while ((unsigned char)*p >= ' ' && *p != '"')
        p++;
    return *p == '\0' && !has_comment_mark(word);
}

static int is_column_of(const struct survey_columns *c, const char *word)
{
    for (size_t i = 0; i < c->n; i++)
        if (table_success_test(word, c->v[i].name) != NULL)
            return 1;
    return 0;
}

static void add_success_word(const struct survey *s, const char *word, struct buf *b, size_t *left)
{
    const char *mark = strpbrk(word, " \t") != NULL || *word == '\0' ? "\"" : "";
    if (is_column_of(&s->fields, word) || is_column_of(&s->params, word))
        return;
    *left = is_writable(word) && *left > 0 ? *left - 1 : 0;
    buf_printf(b, " %s%s%s", mark, word, mark);
}

/* Where a word cannot be written, there is no line: then each table decides again. */
static void add_success(const struct draft *d)
{
    const struct survey *s = d->survey;
    const struct opt_texts *asked = &s->asked->success;
    size_t left = SPEC_MAX_SUCCESS + 1;
    struct buf b = {0};
    for (size_t i = 0; i < asked->n; i++)
        add_success_word(s, asked->v[i], &b, &left);
    for (size_t i = 0; i < s->success.n; i++)
        add_success_word(s, s->success.v[i].s, &b, &left);
    if (b.n > 0 && left > 0)
        buf_printf(d->out,
                   "# What the rows that worked have; with others in these columns a row failed.\n"
                   "success =%s\n",
                   b.s);
    buf_free(&b);
}

static void add_kernel(const struct draft *d)
{
    const struct survey *s = d->survey;
    struct buf *out = d->out;
    buf_puts(out, "# ");
    add_plain(out, base_name(s->asked->output));
    buf_printf(
        out,
        " - what kpred-train has to know of %s to learn from its measurements\n"
        "#\n"
        "# Lines that begin with # are comments. `man kpred-train`, section SPEC FILES, says\n"
        "# all that a spec can have. With the files that this one was made of, train by\n"
        "#     kpred-train train ",
        d->name);
    add_plain(out, base_name(s->asked->output));
    buf_printf(out, " --data FILE... --split %s -o %s.h\n\n[kernel]\n", new_spec_split(s), d->name);
    buf_printf(out, "# The header defines kpred_model_%s.\nname = %s\ntitle = ", d->name, d->name);
    add_plain(out, s->kernel != NULL && *s->kernel != '\0' ? s->kernel : d->name);
    buf_puts(out, "\n\n[data]\n");
    buf_puts(out, s->best != NULL ? "# Each row of the data is the best tuple of its problem.\n"
                                    "format = csv\n"
                                  : "# The data have all that was timed, not the best alone.\n"
                                    "format = timed\n");
    if (has_metric(s))
        buf_printf(out, "# The column of their %s\nmetric = %s\n",
                   s->metric.is_rate ? "speeds" : "times", s->metric.name);
    add_success(d);
}

/* ---- the text: [restrict] ---- */

/* The names of two parameters of integers, for an example */
static size_t two_numbers(const struct draft *d, const char *names[2])
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_params && n < 2; i++)
        if (d->param[i].values->n > 1
            && values_are_integers(d->param[i].values, -KPRED_MAX_SIZE, KPRED_MAX_SIZE))
            names[n++] = d->param[i].column->name;
    return n;
}

static void add_no_conditions(const struct draft *d)
{
    const char *names[2] = {"x", "y"};
    const size_t n = two_numbers(d, names);
    buf_printf(d->out,
               "\n# Every combination of these values is legal. If the kernel cannot run some of "
               "them,\n# write the conditions at the end of this file, as Python would have them:\n"
               "#     [restrict]\n#     %s%s%s <= 1024\n",
               names[0], n == 1 ? "" : " * ", n == 1 ? "" : names[1]);
}

/* A condition is one line of the spec. */
static void add_condition(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++)
        buf_printf(out, "%c", strchr("\t\r\n", *text) != NULL ? ' ' : *text);
    buf_puts(out, "\n");
}

static void add_t1_conditions(const struct draft *d, const struct t1 *t1)
{
    buf_puts(d->out, "\n[restrict]\n# A combination is legal if all of these hold. They are the "
                     "conditions of ");
    add_plain(d->out, base_name(t1->path));
    buf_puts(d->out, ".\n");
    for (size_t i = 0; i < t1->conditions.n; i++)
        add_condition(d->out, t1->conditions.v[i].text);
}

/* What explains the failures, ready to be uncommented */
static void add_found(const struct draft *d, int has_section)
{
    const struct failed_rows *f = d->failed;
    buf_printf(d->out,
               "\n# %zu of %zu %s failed%s.\n# These conditions were found in the rows: none that "
               "worked violates one. Remove \"#\"\n# before those that are the kernel's own%s:\n",
               f->failed, f->n, as_counted(f->n, "row", "rows"),
               has_section ? ", some although the rule allows them" : "",
               has_section ? "" : ", and before the section's name");
    buf_puts(d->out, has_section ? "" : "#     [restrict]\n");
    for (size_t i = 0; i < f->found.n; i++) {
        buf_puts(d->out, "#     # ");
        failed_rows_count_text(f, i, d->out);
        buf_printf(d->out, "\n#     %s\n", f->found.v[i].text);
    }
}

static void add_restrict(const struct draft *d)
{
    const struct t1 *t1 = &d->survey->t1;
    const int has_section = t1->conditions.n > 0;
    if (!has_section && d->failed == NULL)
        add_no_conditions(d);
    if (has_section)
        add_t1_conditions(d, t1);
    if (d->failed != NULL)
        add_found(d, has_section);
}
/* ---- the text: [split] ---- */

static void add_split(const struct draft *d)
{
    const struct survey *s = d->survey;
    const size_t n = survey_n_problems(s);
    struct buf key = {0};
    for (size_t i = 0; i < s->fields.n; i++)
        if (!field_is_gpu(&s->fields.v[i]) && !field_is_beyond(&s->fields.v[i]))
            buf_printf(&key, "%s%s", key.n > 0 ? "," : "", s->fields.v[i].name);
    buf_puts(d->out, "\n[split]\n");
    if (key.n > 0)
        buf_printf(d->out,
                   "# What makes a problem, whatever the GPU: --split config keeps a tenth of the "
                   "problems\n# from training, to judge the model by.\nconfig = %s\n",
                   key.s);
    if (!survey_has_data(s))
        buf_printf(
            d->out,
            "# There are no data as yet. With %d problems or more, write `shipped = config`.\n",
            FEW_PROBLEMS);
    else if (n < FEW_PROBLEMS)
        buf_printf(d->out,
                   "# There %s %zu problem%s: a tenth of so few tells nothing, so train with "
                   "--split none.\n",
                   as_counted(n, "is", "are"), n, as_counted(n, "", "s"));
    buf_printf(d->out, "shipped = %s\n", new_spec_split(s));
    buf_free(&key);
}

/* ---- the text: the whole ---- */

/* Writes the text: 0, or -1 with a message. */
static int new_spec_text(struct draft *d)
{
    buf_free(d->out);
    d->n_params = 0;
    if (choose_name(d) != 0 || draft_list_params(d) != 0)
        return -1;
    add_kernel(d);
    if (draft_fields(d) != 0)
        return -1;
    draft_unseen(d);
    buf_puts(d->out, "\n# What is tuned, with all values that may be chosen\n");
    if (draft_params(d, d->out) != 0)
        return -1;
    add_restrict(d);
    add_split(d);
    return draft_features(d);
}

/* ---- the command: files ---- */

/* A training refuses a file that is given twice. The n-th file is the n-th digest. */
static int check_twice(const struct opt_texts *files, struct interned *seen, const char *path,
                       const struct buf *bytes)
{
    char digest[65];
    const size_t n = seen->n;
    if (files->n == 1)
        return 0;
    sha256_hex(bytes->s, bytes->n, digest);
    const size_t i = intern_text(seen, digest);
    return seen->n > n ? 0 : fail("%s: the same data as %s: given twice", path, files->v[i]);
}

static int read_one(struct survey *s, const char *path, struct interned *seen,
                    struct init_spec *out)
{
    struct buf bytes = {0};
    const int is_json = data_has_ending(path, ".json");
    if (!is_json && !data_has_ending(path, ".csv"))
        return fail("%s: its name ends in neither .csv nor .json, nor in these with .bz2 or .gz",
                    path);
    int rc = data_read(path, &bytes);
    if (rc == 0)
        rc = check_twice(s->asked->files, seen, path, &bytes);
    if (rc == 0)
        rc = is_json ? survey_tuner(s, path) : survey_table(s, path, &bytes);
    if (rc == 0 && path != s->t1.path) {
        out->data.v = xrealloc(out->data.v, out->data.n + 1, sizeof *out->data.v);
        out->data.v[out->data.n++] = path;
    }
    buf_free(&bytes);
    return rc;
}

static int read_all(const struct init *in, struct survey *s, struct init_spec *out)
{
    const struct opt_texts *files = in->asked.files;
    struct interned seen = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < files->n; i++) {
        if (in->progress != NULL)
            in->progress(files->v[i], i, files->n);
        rc = read_one(s, files->v[i], &seen, out);
    }
    intern_free(&seen);
    if (rc != 0)
        return -1;
    return s->t1.path != NULL && survey_t1(s) != 0 ? -1 : survey_check(s);
}

/* ---- the command: what a training would say of the spec ---- */

static void note_conditions(const struct clauses *clauses, const struct spec *of_t1,
                            const struct rule_count *count)
{
    const struct clause *c = clauses->v + count->culprit;
    if (clauses_note_slips(clauses, of_t1) == 0 && count->is_counted && count->legal == 0)
        note("%s:%ld: %s: no tuple is legal%s", of_t1->path, c->line, c->text,
             count->culprit > 0 ? ", with the conditions before it" : "");
}

static int count_tuples(const struct init *in, const struct survey *s, const struct spec *spec,
                        struct init_spec *out)
{
    struct model model;
    struct survey_view view;
    if (model_from_spec(&model, spec, "none") != 0)
        return -1;
    if (in->progress != NULL)
        in->progress(NULL, 0, 0);
    survey_view_open(&view, spec, s);
    rule_count(&view, &model.clauses, &out->count, &out->failed);
    survey_view_close(&view);
    out->has_rule = model.clauses.n > 0;
    out->split = new_spec_split(s);
    snprintf(out->name, sizeof out->name, "%s", spec->name);
    model_free(&model);
    return 0;
}

/* The conditions are those of T1, so that a message names their place there. */
static int check_spec(const struct init *in, const struct survey *s, struct init_spec *out)
{
    struct spec spec;
    struct clauses clauses;
    if (spec_parse(&spec, out->text.s, in->asked.output) != 0)
        return -1;
    struct spec of_t1 = spec;
    of_t1.path = s->t1.path;
    of_t1.restricts = s->t1.conditions;
    int rc = clauses_read(&clauses, &of_t1);
    if (rc == 0) {
        rc = count_tuples(in, s, &spec, out);
        if (rc == 0)
            note_conditions(&clauses, &of_t1, &out->count);
        clauses_free(&clauses);
    }
    spec_free(&spec);
    return rc;
}

/* ---- the command: the whole ---- */

/* Two spellings of one GPU that nothing makes one */
static void note_chips(struct survey *s)
{
    const int gpu = survey_find(&s->fields, "gpu");
    const struct interned *v = gpu >= 0 ? &s->fields.v[gpu].values : NULL;
    const char *names[KPRED_MAX_VALUES];
    struct buf b = {0};
    for (size_t i = 0; v != NULL && i < v->n; i++)
        names[i] = v->v[i].s;
    if (v != NULL && *gpu_chips(names, v->n, &b) != '\0')
        survey_note(s, "gpu: %s: " GPU_CHIPS_TOLD, b.s);
    buf_free(&b);
}

int init_make(const struct init *in, struct init_spec *out)
{
    struct survey *s = xmalloc(sizeof *s);
    memset(out, 0, sizeof *out);
    survey_open(s, &in->asked);
    int rc = tuner_check_unit(in->asked.unit) != 0 || read_all(in, s, out) != 0 ? -1 : 0;
    struct draft d = {.survey = s, .out = &out->text};
    if (rc == 0)
        rc = new_spec_text(&d);
    if (rc == 0)
        rc = check_spec(in, s, out);
    if (rc == 0 && in->conditions && out->failed.found.n > 0) {
        d.failed = &out->failed;
        rc = new_spec_text(&d);
    }
    if (rc == 0)
        note_chips(s);
    if (rc == 0 && in->asked.unit != NULL && !s->unit_is_used)
        survey_note(s, TUNER_UNIT_UNUSED, in->asked.unit);
    out->notes = s->notes;
    memset(&s->notes, 0, sizeof s->notes);
    survey_close(s);
    free(s);
    return rc;
}

void init_free(struct init_spec *spec)
{
    buf_free(&spec->text);
    failed_rows_free(&spec->failed);
    intern_free(&spec->notes);
    free(spec->data.v);
}
