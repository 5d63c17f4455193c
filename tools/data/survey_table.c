/* survey_table.c - plain tables, of all that was timed or of the best tuples, for a survey
   SPDX-License-Identifier: MIT

   A table is read twice: what a column is shows only when all its cells have been seen. */
#include "survey.h"

#include "formats.h"
#include "table_forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the header ---- */

/* Words that what was found in the tables has in common: no value is a success here and a failure
   there. */
static int keep_success(struct survey_plain *t, const struct table_status *status)
{
    const struct interned *from[] = {&status->success, &status->failures};
    struct interned *to[] = {&t->s->success, &t->s->failures};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < from[k]->n; i++) {
            const char *word = from[k]->v[i].s;
            if (intern_find_text(to[!k], word) != INTERN_NONE)
                return fail(
                    "%s: %s is %s here, but not in another table: --success says what it is",
                    t->path, word, k == 0 ? "a success" : "a failure");
            (void)intern_text(to[k], word);
        }
    return 0;
}

/* Every word of --success has to be of a column. */
static int check_success(const struct survey_plain *t)
{
    const struct opt_texts *words = &t->asked->success;
    for (size_t i = 0; i < words->n; i++) {
        size_t k = 0;
        while (k < t->n && table_success_test(words->v[i], t->v[k].name) == NULL)
            k++;
        if (k == t->n)
            return fail(
                "%s:%ld: --success \"%s\": is not COLUMN=VALUE of a column of the table, nor "
                "COLUMN<=NUMBER or COLUMN>=NUMBER",
                t->path, t->header, words->v[i]);
    }
    return 0;
}

static int open_columns(struct survey_plain *t, const struct table_forms *forms)
{
    const struct csv_records *r = forms->r;
    t->header = r->at;
    t->v = xcalloc(r->n, sizeof *t->v);
    for (; t->n < r->n; t->n++) {
        struct survey_cells *c = &t->v[t->n];
        c->name = xstrdup(r->cell[t->n]);
        c->is_field = strcmp(c->name, "gpu") == 0
                      || intern_find_text(&t->asked->fields, c->name) != INTERN_NONE;
        c->counts = 1;
        c->is_status = table_status_tells(forms, c->name);
    }
    if (keep_success(t, &forms->status) != 0)
        return -1;
    t->time = forms->time;
    t->has_time = t->time >= 0;
    if (!t->has_time)
        return 0;
    if (intern_find_text(&t->asked->fields, r->cell[t->time]) != INTERN_NONE)
        return fail("%s:%ld: --fields: column \"%s\" is the time, no field of the problem", t->path,
                    t->header, r->cell[t->time]);
    return survey_metric(t->s, forms->metric, forms->is_rate);
}

static struct survey_cells *find_column(const struct survey_plain *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].name, name) == 0)
            return &t->v[i];
    return NULL;
}

/* Every column that the user names has to be there. */
static int check_named(const struct survey_plain *t, const char *option,
                       const struct interned *names)
{
    for (size_t i = 0; i < names->n; i++) {
        struct names_near near = {.text = names->v[i].s};
        struct buf question = {0};
        if (find_column(t, names->v[i].s) != NULL)
            continue;
        for (size_t k = 0; k < t->n; k++)
            names_offer(&near, t->v[k].name, t->v[k].name);
        fail("%s:%ld: %s: there is no column \"%s\"%s", t->path, t->header, option, names->v[i].s,
             names_question(&near, &question));
        buf_free(&question);
        return -1;
    }
    return 0;
}

/* ---- the first reading: what the columns hold ---- */

static int check_ragged(const struct csv_records *r)
{
    struct buf what = {0};
    if (r->n == r->n_header)
        return 0;
    fail("%s:%ld: the row %s", r->path, r->at, csv_records_ragged(r, &what));
    buf_free(&what);
    return -1;
}

/* A whole number as a spec writes it: without a sign, zeros in front or a point */
static const char *plain_cell(const char *cell, char number[NUMBER_TEXT])
{
    int64_t v;
    const int is_word = strpbrk(cell, "0123456789") == NULL;
    return !is_word && parse_whole(cell, INT64_MIN, INT64_MAX, &v) == 0 ? number_text(cell, number)
                                                                        : cell;
}

static int see_rows(struct survey_plain *t, struct table_forms *forms)
{
    char text[NUMBER_TEXT];
    int rc;
    if (open_columns(t, forms) != 0)
        return -1;
    uint32_t *number = xcalloc(t->n, sizeof *number);
    for (; (rc = table_forms_next(forms)) > 0; t->n_rows++) {
        const struct csv_records *r = forms->r;
        if (check_ragged(r) != 0) {
            rc = -1;
            break;
        }
        for (size_t i = 0; i < t->n; i++)
            number[i] = survey_see_cell(&t->v[i], plain_cell(r->cell[i], text), t->n_rows);
        survey_see_problem(t, number);
    }
    free(number);
    return rc < 0 || t->n_rows > 0 ? rc : fail("%s: there is no row below the header", t->path);
}

/* ---- a guess which columns are fields, for an advice ---- */

/* May it be a field or a parameter, as far as its name tells? */
static int may_count(const struct survey_cells *c)
{
    return *c->name != '\0' && strcmp(c->name, "gpu") != 0 && !column_is_measurement(c->name)
           && !c->has_fraction && !c->has_empty;
}

/* The columns left of the first that is named like a tuning parameter; if none is, left of the
   first in which the first two rows differ. At least one. */
static const char *guess_fields(const struct survey_plain *t, struct buf *b)
{
    size_t end = t->n;
    for (size_t i = t->n; i-- > 0;)
        if (may_count(&t->v[i]) && column_is_tuning(t->v[i].name))
            end = i;
    for (size_t i = t->n; end == t->n && i-- > 0;)
        if (may_count(&t->v[i]) && t->v[i].changes)
            end = i;
    for (size_t i = 0; i < t->n && (i < end || b->n == 0); i++)
        if (may_count(&t->v[i]))
            buf_printf(b, "%s%s", b->n > 0 ? "," : "", t->v[i].name);
    return b->n > 0 ? b->s : t->v[0].name;
}

static void add_option(struct buf *b, const char *option, const char *value)
{
    buf_printf(b, " %s ", option);
    quote(b, value, '*');
}

static int advise_fields(const struct survey_plain *t)
{
    struct buf guess = {0}, command = {0};
    const struct opt_texts *files = t->asked->files;
    buf_puts(&command, "kpred-train init");
    for (size_t i = 0; i < files->n; i++) {
        buf_puts(&command, " ");
        quote(&command, files->v[i], '*');
    }
    add_option(&command, "--fields", guess_fields(t, &guess));
    if (t->asked->metric != NULL)
        add_option(&command, "--metric", t->asked->metric);
    add_option(&command, "-o", t->asked->output);
    fail(
        "%s:%ld: which columns describe the problem, and which are parameters? --fields says it; a "
        "guess: %s",
        t->path, t->header, command.s);
    buf_free(&guess);
    buf_free(&command);
    return -1;
}

/* ---- which column is what ---- */

/* By its name; but a few words, or words alone, are those of a parameter. */
static int is_measurement(const struct survey_cells *c)
{
    return column_is_measurement(c->name)
           && (!c->has_text || c->has_fraction || c->values.n > KPRED_MAX_VALUES);
}

enum { MOST_FRACTIONS = 32 }; /* more of them are measured, and not chosen */

/* What is not a parameter is passed over with a note, or refused: it may be a forgotten field. */
static int check_param(const struct survey_plain *t, struct survey_cells *c)
{
    char what[160];
    if (is_measurement(c) && !t->has_time)
        return survey_wrong(
            t, c,
            "is a measurement, but not of the kernel's time or speed: --metric takes it "
            "for that, --ignore leaves it out");
    if (is_measurement(c))
        return survey_pass_over(t, c, "is a measurement, by its name");
    const int rc = survey_check_rows(t, c);
    if (rc <= 0)
        return rc;
    if (!is_identifier(c->name))
        return survey_wrong(
            t, c,
            "is not a name for a parameter, which has letters, digits and _ and does "
            "not begin with a digit: call it otherwise, or --ignore leaves it out");
    if (c->has_fraction && t->n_rows > 2
        && (2 * c->values.n > t->n_rows || c->values.n > MOST_FRACTIONS))
        return survey_wrong(t, c,
                            "has too many fractions for a parameter: --ignore leaves it out, and "
                            "--metric takes it if it is the time or the speed");
    snprintf(what, sizeof what,
             "has %zu values, a parameter has at most %d: --fields takes it if it describes the "
             "problem, --ignore leaves it out",
             c->values.n, KPRED_MAX_VALUES);
    return c->values.n <= KPRED_MAX_VALUES ? 0 : survey_wrong(t, c, what);
}

/* pandas writes the number of a row into a column without a name. */
static int choose_role(const struct survey_plain *t, struct survey_cells *c)
{
    const struct survey_asked *asked = t->asked;
    c->role = SURVEY_PARAM;
    if (*c->name == '\0' || c->is_status
        || intern_find_text(&asked->ignored, c->name) != INTERN_NONE)
        c->role = SURVEY_PASSED_OVER;
    else if (t->has_time && c == &t->v[t->time])
        c->role = SURVEY_TIME;
    else if (c->is_field)
        c->role = SURVEY_FIELD;
    return c->role == SURVEY_PARAM ? check_param(t, c) : 0;
}

/* A GPU at the start of the file's name, as a training takes it from there; NULL: there is none */
static const char *gpu_of_name(struct survey_plain *t)
{
    const char *name = base_name(t->path);
    buf_add(&t->gpu, name, gpu_piece(name));
    return gpu_is_in_name(t->gpu.s) ? t->gpu.s : NULL;
}

static int choose_gpu(struct survey_plain *t)
{
    const char *asked = t->asked->gpu;
    const char *gpu = asked != NULL ? gpu_name(asked, &t->gpu) : gpu_of_name(t);
    const int has_column = find_column(t, "gpu") != NULL;
    if (asked != NULL && has_column)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu is not allowed", t->path,
                    t->header);
    return gpu != NULL && !has_column ? survey_say(t->s, &t->said, "gpu", gpu) : 0;
}

static int choose_roles(struct survey_plain *t)
{
    size_t n_params = 0;
    struct survey *s = t->s;
    for (size_t i = 0; i < t->n; i++) {
        struct survey_cells *c = &t->v[i];
        if (choose_role(t, c) != 0)
            return -1;
        n_params += c->role == SURVEY_PARAM;
        if (c->role == SURVEY_FIELD || c->role == SURVEY_PARAM)
            c->at = survey_column(s, c->role == SURVEY_FIELD ? &s->fields : &s->params, c->name);
        if (c->at < 0)
            return -1;
    }
    survey_note_given(t);
    if (n_params == 0)
        return fail("%s:%ld: no column is left to be a parameter", t->path, t->header);
    return choose_gpu(t) != 0 ? -1 : survey_say_set(s, &t->said, t->asked);
}

/* ---- the second reading: rows ---- */

static int check_cell(const struct csv_records *r, const struct survey_cells *c, const char *cell)
{
    int64_t v;
    double time;
    if (c->role == SURVEY_TIME)
        return load_table_time(cell, &time) >= 0
                   ? 0
                   : fail("%s:%ld: %s: value \"%s\": " LOAD_NO_TIME, r->path, r->at, c->name, cell);
    if (*cell == '\0')
        return fail("%s:%ld: %s: the cell is empty", r->path, r->at, c->name);
    if (c->role == SURVEY_FIELD && !c->has_text && !c->has_failure
        && (parse_whole(cell, INT64_MIN, INT64_MAX, &v) != 0 || v < 0 || v > KPRED_MAX_SIZE))
        return fail("%s:%ld: %s: value \"%s\": a size is an integer from 0 to 2^24", r->path, r->at,
                    c->name, cell);
    return 0;
}

/* A table without times has a row for each problem. */
static int check_best(const struct survey_plain *t, const struct csv_records *r,
                      struct interned *seen, size_t problem)
{
    const size_t n = seen->n;
    if (t->has_time)
        return 0;
    (void)intern(seen, &problem, sizeof problem);
    return seen->n > n
               ? 0
               : fail(
                   "%s:%ld: there is no column of times or speeds, such as \"time_us\": --metric "
                   "names it; without one each row is the best tuple of its problem, but line "
                   "%ld is a second row of one problem",
                   r->path, t->header, r->at);
}

static enum survey_result result_of(const char *cell)
{
    double time;
    return strcasecmp(cell, "InvalidConfig") == 0 ? SURVEY_REJECTED
           : load_table_time(cell, &time) == 0    ? SURVEY_FAILED
                                                  : SURVEY_WORKED;
}

static int add_row(struct survey_plain *t, const struct table_forms *forms, struct interned *seen)
{
    const struct csv_records *r = forms->r;
    const char *fields[KPRED_MAX_TUPLE], *params[KPRED_MAX_TUPLE] = {0};
    char number[2 * KPRED_MAX_TUPLE][NUMBER_TEXT];
    enum survey_result result = SURVEY_WORKED;
    if (!t->has_time && *forms->status.failure != '\0')
        return 0;
    memcpy(fields, t->said.fields, sizeof fields);
    for (size_t i = 0, n = 0; i < t->n; i++) {
        const struct survey_cells *c = &t->v[i];
        if (c->role == SURVEY_TIME)
            result = result_of(r->cell[i]);
        if (c->role != SURVEY_PASSED_OVER && check_cell(r, c, r->cell[i]) != 0)
            return -1;
        if (c->role != SURVEY_FIELD && c->role != SURVEY_PARAM)
            continue;
        (c->role == SURVEY_FIELD ? fields : params)[c->at] = plain_cell(r->cell[i], number[n++]);
    }
    return check_best(t, r, seen, survey_row(t->s, fields, params, result, r->at));
}

static int add_rows(struct survey_plain *t, struct table_forms *forms)
{
    struct interned seen = {0};
    int rc;
    while ((rc = table_forms_next(forms)) > 0)
        if (add_row(t, forms, &seen) != 0) {
            rc = -1;
            break;
        }
    intern_free(&seen);
    return rc;
}

/* ---- the whole ---- */

static void keep_note(void *to, const char *text)
{
    survey_note(to, "%s", text);
}

static int read_forms(struct survey_plain *t, struct csv_records *r,
                      int (*read)(struct survey_plain *t, struct table_forms *forms))
{
    struct table_forms forms;
    const struct survey_asked *a = t->asked;
    const struct table_asked asked = {.fields = &a->fields,
                                      .ignored = &a->ignored,
                                      .has_fields = a->fields.n > 0 || a->n_set > 0,
                                      .is_only = a->files->n == 1,
                                      .metric = a->metric,
                                      .success = a->success.v,
                                      .n_success = a->success.n,
                                      .tell = keep_note,
                                      .to = t->s};
    int rc = csv_records_next(r);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", t->path);
    rc = table_forms_open(&forms, r, &asked);
    if (rc == 0)
        rc = read(t, &forms);
    table_forms_close(&forms);
    return rc;
}

/* One reading of the text, which the reader changes: so of a copy */
static int read_copy(struct survey_plain *t, const struct buf *text,
                     int (*read)(struct survey_plain *t, struct table_forms *forms))
{
    struct buf copy = {0};
    struct csv_records r;
    buf_add(&copy, text->s, text->n);
    int rc = csv_records_open(&r, t->path, &copy);
    if (rc == 0)
        rc = read_forms(t, &r, read);
    csv_records_close(&r);
    buf_free(&copy);
    return rc;
}

static int read_table(struct survey_plain *t, const struct buf *text)
{
    if (read_copy(t, text, see_rows) != 0 || check_named(t, "--fields", &t->asked->fields) != 0
        || check_named(t, "--ignore", &t->asked->ignored) != 0 || check_success(t) != 0)
        return -1;
    *(t->has_time ? &t->s->timed : &t->s->best) = t->path;
    if (t->asked->fields.n == 0 && t->asked->n_set == 0)
        return advise_fields(t);
    return choose_roles(t) != 0 ? -1 : read_copy(t, text, add_rows);
}

/* Of a table of Helion's the shapes are fields: those that vary, or those that the user names. */
static void take_shapes(const struct helion_table *h, const struct survey_asked *asked,
                        struct survey_asked *own)
{
    const struct interned *shapes[] = {&h->fields, &h->others};
    for (size_t i = 0; i < asked->ignored.n; i++)
        (void)intern_text(&own->ignored, asked->ignored.v[i].s);
    for (size_t i = 0; i < asked->fields.n; i++)
        (void)intern_text(&own->fields, asked->fields.v[i].s);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < shapes[k]->n; i++) {
            const char *name = shapes[k]->v[i].s;
            if (intern_find_text(&own->fields, name) != INTERN_NONE)
                continue;
            const int is_field = k == 0 && asked->fields.n == 0
                                 && intern_find_text(&own->ignored, name) == INTERN_NONE;
            (void)intern_text(is_field ? &own->fields : &own->ignored, name);
        }
}

static int read_flat(struct survey_plain *t, const struct survey_asked *asked, struct buf *text)
{
    struct survey_asked own = *asked;
    struct helion_table h = {0};
    int rc = helion_flatten(t->path, asked->gpu, text, &h);
    memset(&own.fields, 0, sizeof own.fields);
    memset(&own.ignored, 0, sizeof own.ignored);
    if (rc > 0) {
        take_shapes(&h, asked, &own);
        t->asked = &own;
        rc = survey_kernel(t->s, asked, h.kernel);
    }
    if (rc == 0)
        rc = read_table(t, text);
    intern_free(&own.fields);
    intern_free(&own.ignored);
    helion_free(&h);
    return rc;
}

int survey_table(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct buf *text)
{
    struct survey_plain t = {.s = s, .asked = asked, .path = path};
    survey_begin_file(s, path);
    const int rc = read_flat(&t, asked, text);
    survey_end_file(s);
    for (size_t i = 0; i < t.n; i++) {
        free(t.v[i].name);
        free(t.v[i].first);
        intern_free(&t.v[i].values);
    }
    free(t.v);
    free(t.first_cells);
    intern_free(&t.problems);
    buf_free(&t.gpu);
    return rc;
}
