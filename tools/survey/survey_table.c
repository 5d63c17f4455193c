/* survey_table.c - plain tables, of all that was timed or of the best tuples, for a survey
   SPDX-License-Identifier: MIT

   A table is read twice: what a column is shows only when all its cells have been seen. */
#include "survey.h"

#include "data/formats.h"
#include "data/tables.h"

#include "base/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the header ---- */

/* Words that what was found in the tables has in common: no value is a success here and a failure
   there. */
static int keep_success(struct survey_plain *t, const struct imported *from)
{
    static const char *const said[] = {"success", "failures"};
    struct interned *to[] = {&t->s->success, &t->s->failures};
    for (size_t k = 0; k < 2; k++) {
        const struct import_line *line = imported_next(from, NULL, said[k]);
        for (size_t i = 0; line != NULL && i < line->n; i++) {
            const char *word = imported_text(from, line, i);
            if (intern_find_text(to[!k], word) != INTERN_NONE)
                return fail(
                    "%s: %s is %s here, but not in another table: --success says what it is",
                    t->path, word, k == 0 ? "a success" : "a failure");
            (void)intern_text(to[k], word);
        }
    }
    return 0;
}

/* What a spec has to say of the column of times, so that it is found again */
static int keep_metric(struct survey_plain *t, const struct imported *from)
{
    const struct import_line *line = imported_next(from, NULL, "metric");
    const char *name = line != NULL ? imported_text(from, line, 0) : t->s->asked->metric;
    return survey_metric(t->s, name != NULL && *name != '\0' ? name : NULL,
                         line != NULL && strcmp(imported_text(from, line, 1), "rate") == 0);
}

static int is_said(const struct imported *from, const char *word, const char *name)
{
    const struct import_line *line = imported_next(from, NULL, word);
    for (size_t i = 0; line != NULL && i < line->n; i++)
        if (strcmp(imported_text(from, line, i), name) == 0)
            return 1;
    return 0;
}

/* Every word of --success has to be of a column. */
static int check_success(const struct survey_plain *t)
{
    const struct opt_texts *words = &t->s->asked->success;
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

static int open_columns(struct survey_plain *t, const struct table_rows *table)
{
    const struct csv_records *r = table->r;
    t->header = r->at;
    t->v = xcalloc(r->n, sizeof *t->v);
    for (; t->n < r->n; t->n++) {
        struct survey_cells *c = &t->v[t->n];
        c->name = r->cell[t->n];
        c->is_field =
            strcmp(c->name, "gpu") == 0 || intern_find_text(&t->fields, c->name) != INTERN_NONE;
        c->counts = 1;
        c->is_out = is_said(&table->from, "ignored", c->name);
    }
    t->time = table->time;
    t->has_time = t->time >= 0;
    if (keep_success(t, &table->from) != 0)
        return -1;
    if (t->has_time && intern_find_text(&t->fields, r->cell[t->time]) != INTERN_NONE)
        return fail("%s:%ld: --fields: column \"%s\" is the time, no field of the problem", t->path,
                    t->header, r->cell[t->time]);
    return t->has_time ? keep_metric(t, &table->from) : 0;
}

struct survey_cells *survey_find_cells(const struct survey_plain *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].name, name) == 0)
            return &t->v[i];
    return NULL;
}

/* Is it a field that the whole file has? */
static int is_said_of_file(const struct survey_plain *t, const char *name)
{
    const int at = t->is_tuner ? survey_find(&t->s->fields, name) : -1;
    return at >= 0 && t->s->fields.v[at].is_said;
}

static int no_column(const struct survey_plain *t, const char *option, const char *name)
{
    struct names_near near = {.text = name};
    struct buf question = {0};
    for (size_t k = 0; k < t->n; k++)
        names_offer(&near, t->v[k].name, t->v[k].name);
    (void)names_question(&near, &question);
    if (t->is_tuner)
        fail("%s: %s: there is no parameter \"%s\"%s", t->path, option, name, question.s);
    else
        fail("%s:%ld: %s: there is no column \"%s\"%s", t->path, t->header, option, name,
             question.s);
    buf_free(&question);
    return -1;
}

int survey_check_named(const struct survey_plain *t, const char *option,
                       const struct interned *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (survey_find_cells(t, names->v[i].s) == NULL && !is_said_of_file(t, names->v[i].s))
            return no_column(t, option, names->v[i].s);
    return 0;
}

/* ---- the first reading: what the columns hold ---- */

static int check_ragged(void *to, const struct csv_records *r)
{
    struct buf what = {0};
    (void)to;
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

static int see_rows(struct survey_plain *t, struct table_rows *table)
{
    char text[NUMBER_TEXT];
    struct csv_records r;
    struct buf copy = {0};
    int rc;
    uint32_t *number = xcalloc(t->n, sizeof *number);
    csv_records_again(table->r, &copy, &r);
    for (; (rc = table_next(table, &r)) > 0; t->n_rows++) {
        if (check_ragged(NULL, &r) != 0) {
            rc = -1;
            break;
        }
        for (size_t i = 0; i < t->n; i++)
            if ((int)i != t->time)
                number[i] = survey_see_cell(&t->v[i], plain_cell(r.cell[i], text), t->n_rows);
        survey_see_problem(t, number);
    }
    csv_records_close(&r);
    buf_free(&copy);
    free(number);
    return rc < 0 || t->n_rows > 0 ? rc : fail("%s: there is no row below the header", t->path);
}

/* ---- a guess which columns are fields, for an advice ---- */

/* Does the name look like that of a tuning parameter? */
static int is_tuning(const char *name)
{
    static const char *const parts[] = {"block", "tile",  "unroll", "thread",   "vec",
                                        "warp",  "wave",  "stage",  "group",    "use_",
                                        "shmem", "split", "lds",    "prefetch", "pad"};
    char low[64];
    size_t n = 0;
    for (; name[n] != '\0' && n < sizeof low - 1; n++)
        low[n] = (char)tolower((unsigned char)name[n]);
    low[n] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(low, parts[i]) != NULL)
            return 1;
    return names_has_word(" bm bn bk bx by bz tx ty tz ", low);
}

/* May it be a field or a parameter? */
static int may_count(const struct survey_plain *t, const struct survey_cells *c)
{
    return *c->name != '\0' && strcmp(c->name, "gpu") != 0 && !c->is_out && c != &t->v[t->time]
           && !c->has_fraction && !c->has_empty;
}

/* The columns left of the first that is named like a tuning parameter; if none is, left of the
   first in which the first two rows differ. At least one. */
static const char *guess_fields(const struct survey_plain *t, struct buf *b)
{
    size_t end = t->n;
    for (size_t i = t->n; i-- > 0;)
        if (may_count(t, &t->v[i]) && is_tuning(t->v[i].name))
            end = i;
    for (size_t i = t->n; end == t->n && i-- > 0;)
        if (may_count(t, &t->v[i]) && t->v[i].changes)
            end = i;
    for (size_t i = 0; i < t->n && (i < end || b->n == 0); i++)
        if (may_count(t, &t->v[i]))
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
    const struct opt_texts *files = t->s->asked->files;
    buf_puts(&command, "kpred-train init");
    for (size_t i = 0; i < files->n; i++) {
        buf_puts(&command, " ");
        quote(&command, files->v[i], '*');
    }
    add_option(&command, "--fields", guess_fields(t, &guess));
    if (t->s->asked->metric != NULL)
        add_option(&command, "--metric", t->s->asked->metric);
    add_option(&command, "-o", t->s->asked->output);
    fail(
        "%s:%ld: which columns describe the problem, and which are parameters? --fields says it; a "
        "guess: %s",
        t->path, t->header, command.s);
    buf_free(&guess);
    buf_free(&command);
    return -1;
}

/* ---- which column is what ---- */

enum { MOST_FRACTIONS = 32 }; /* more of them are measured, and not chosen */

/* What is not a parameter is passed over with a note, or refused: it may be a forgotten field. */
static int check_param(const struct survey_plain *t, struct survey_cells *c)
{
    char what[160];
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
    c->role = SURVEY_PARAM;
    if (*c->name == '\0' || c->is_out || intern_find_text(&t->ignored, c->name) != INTERN_NONE)
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
    const char *asked = t->s->asked->gpu;
    const char *gpu = asked != NULL       ? gpu_name(asked, &t->gpu)
                      : t->device != NULL ? gpu_name(t->device, &t->gpu)
                                          : gpu_of_name(t);
    const int has_column = survey_find_cells(t, "gpu") != NULL;
    if (asked != NULL && has_column)
        return fail("%s:%ld: there is a column \"gpu\", so --gpu is not allowed", t->path,
                    t->header);
    return gpu != NULL && !has_column ? survey_say(t, "gpu", gpu) : 0;
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
    return choose_gpu(t) != 0 ? -1 : survey_say_set(t);
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
    if (c->role == SURVEY_FIELD && !c->has_word
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

static enum survey_result result_of(const struct survey_plain *t, const char *cell)
{
    double time;
    const char *rejected = t->is_tuner ? IMPORT_REJECTED : "InvalidConfig";
    const int ran = t->is_tuner ? strtod(cell, NULL) > 0 : load_table_time(cell, &time) != 0;
    return strcasecmp(cell, rejected) == 0 ? SURVEY_REJECTED : ran ? SURVEY_WORKED : SURVEY_FAILED;
}

/* The values of a tuner's file are written as a spec has them. */
static int add_row(struct survey_plain *t, const struct table_rows *table, struct interned *seen)
{
    const struct csv_records *r = table->r;
    const char *fields[KPRED_MAX_TUPLE], *params[KPRED_MAX_TUPLE] = {0};
    char number[2 * KPRED_MAX_TUPLE][NUMBER_TEXT];
    enum survey_result result = t->is_tuner ? result_of(t, r->cell[t->time]) : SURVEY_WORKED;
    if (*table->failure != '\0')
        return 0;
    memcpy(fields, t->said, sizeof fields);
    for (size_t i = 0, n = 0; i < t->n; i++) {
        const struct survey_cells *c = &t->v[i];
        const char *cell = r->cell[i];
        if (!t->is_tuner && c->role != SURVEY_PASSED_OVER && check_cell(r, c, cell) != 0)
            return -1;
        if (c->role == SURVEY_TIME)
            result = result_of(t, cell);
        if (c->role == SURVEY_FIELD || c->role == SURVEY_PARAM)
            (c->role == SURVEY_FIELD ? fields : params)[c->at] =
                t->is_tuner ? cell : plain_cell(cell, number[n++]);
    }
    return check_best(t, r, seen, survey_row(t->s, fields, params, result, r->at));
}

int survey_add_rows(struct survey_plain *t, struct table_rows *table)
{
    struct interned seen = {0};
    int rc;
    while ((rc = table_next(table, table->r)) > 0)
        if (add_row(t, table, &seen) != 0) {
            rc = -1;
            break;
        }
    intern_free(&seen);
    return rc;
}

/* ---- the whole ---- */

static void keep_notes(struct survey_plain *t, const struct imported *from)
{
    const struct import_line *line = NULL;
    while ((line = imported_next(from, line, "note")) != NULL)
        survey_note(t->s, "%s", imported_text(from, line, 0));
}

/* The names of a line of the importer's that the user does not say anything of */
static void add_names(const struct imported *from, const char *word,
                      const struct survey_asked *asked, struct interned *out)
{
    const struct import_line *line = imported_next(from, NULL, word);
    for (size_t i = 0; line != NULL && i < line->n; i++) {
        const char *name = imported_text(from, line, i);
        if (intern_find_text(&asked->fields, name) == INTERN_NONE
            && intern_find_text(&asked->ignored, name) == INTERN_NONE)
            (void)intern_text(out, name);
    }
}

static void copy_names(const struct interned *from, struct interned *to)
{
    for (size_t i = 0; i < from->n; i++)
        (void)intern_text(to, from->v[i].s);
}

/* Some files tell what their fields are: these count, or those that the user names. */
static void take_fields(struct survey_plain *t, const struct imported *from)
{
    const struct survey_asked *asked = t->s->asked;
    copy_names(&asked->fields, &t->fields);
    copy_names(&asked->ignored, &t->ignored);
    add_names(from, "fields", asked, asked->fields.n == 0 ? &t->fields : &t->ignored);
    add_names(from, "ignored", asked, &t->ignored);
}

static int read_rows(struct survey_plain *t, struct table_rows *table)
{
    take_fields(t, &table->from);
    if (survey_kernel(t->s, imported_said(&table->from, "kernel")) != 0)
        return -1;
    t->device = imported_said(&table->from, "device");
    keep_notes(t, &table->from);
    if (open_columns(t, table) != 0 || see_rows(t, table) != 0
        || survey_check_named(t, "--fields", &t->fields) != 0
        || survey_check_named(t, "--ignore", &t->ignored) != 0 || check_success(t) != 0)
        return -1;
    *(t->has_time ? &t->s->timed : &t->s->best) = t->path;
    if (t->fields.n == 0 && t->s->asked->n_set == 0)
        return advise_fields(t);
    return choose_roles(t) != 0 ? -1 : survey_add_rows(t, table);
}

static int read_table(struct survey_plain *t, struct buf *text)
{
    const struct survey_asked *a = t->s->asked;
    const struct table_asked asked = {.fields = &a->fields,
                                      .ignored = &a->ignored,
                                      .set = a->set_name,
                                      .n_set = a->n_set,
                                      .is_only = a->files->n == 1,
                                      .metric = a->metric,
                                      .success = a->success.v,
                                      .n_success = a->success.n};
    struct csv_records r;
    struct table_rows table = {.failure = ""};
    int rc = csv_records_open(&r, t->path, text);
    if (rc == 0 && (rc = csv_records_next(&r)) == 0)
        rc = fail("%s: has no header", t->path);
    if (rc > 0)
        rc = table_header(&table, &r, &asked) != 0
                     || table_open(&table, &asked, check_ragged, NULL) != 0
                 ? -1
                 : read_rows(t, &table);
    table_close(&table);
    csv_records_close(&r);
    return rc < 0 ? -1 : 0;
}

void survey_close_plain(struct survey_plain *t)
{
    survey_end_file(t->s);
    for (size_t i = 0; i < t->n; i++)
        intern_free(&t->v[i].values);
    free(t->v);
    free(t->first_cells);
    intern_free(&t->problems);
    intern_free(&t->fields);
    intern_free(&t->ignored);
    buf_free(&t->gpu);
}

int survey_table(struct survey *s, const char *path, struct buf *text)
{
    struct survey_plain t = {.s = s, .path = path};
    s->path = path;
    const int rc = read_table(&t, text);
    survey_close_plain(&t);
    return rc;
}
