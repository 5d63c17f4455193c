/* inputs.c - reads AITER's logs and untuned lists, which their content tells apart
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/unpack.h"

#include <string.h>

/* ---- a line of a log ---- */

static const char shape[] = "shape ", fused[] = "[fused_moe] using ";
enum { MOST_FILE_NAME = 4096 };

/* ---- a line of a log: texts and numbers ---- */

/* Steps over a text, where a blank stands for any number of them, also for none. */
static int skip(const char **at, const char *text)
{
    const char *p = *at;
    for (; *text != '\0'; text++) {
        if (*text == ' ')
            p += strspn(p, " ");
        else if (*p++ != *text)
            return 0;
    }
    *at = p;
    return 1;
}

/* More digits than any limit has give a number that is too large for all of them. */
static int number(const char **at, struct call_number *x)
{
    const char *p = *at + (**at == '-');
    const size_t n = strspn(p, "0123456789");
    x->text = *at;
    x->n = (size_t)(p - *at) + n;
    x->value = 0;
    for (size_t i = 0; i < n && x->value < INT64_MAX / 100; i++)
        x->value = 10 * x->value + (p[i] - '0');
    x->value = **at == '-' ? -x->value : x->value;
    *at = p + n;
    return n != 0;
}

static int holds(const char *text, size_t n, const char *part)
{
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(text + i, part, length) == 0)
            return 1;
    return 0;
}

/* `KEY:` and a size, of which any other word becomes 0 */
static int size(const char **at, const char *key, struct call_number *x)
{
    if (!skip(at, key) || !skip(at, " "))
        return 0;
    x->text = *at;
    x->n = strcspn(*at, ", ");
    *at += x->n;
    const char *p = x->text;
    if (!number(&p, x) || p != *at) {
        x->value = 0;
        x->n = (size_t)(*at - x->text);
    }
    return (x->n != 0 || **at == ',') && !holds(x->text, x->n, "shape")
           && !holds(x->text, x->n, "[");
}

/* `KEY:` and a number */
static int member(const char **at, const char *key, struct call_number *x)
{
    return skip(at, key) && skip(at, " ") && number(at, x);
}

/* ---- a line of a log: GEMM ---- */

/* Where `end` stands, not too far away */
static const char *find_end(const char *p, const char *end)
{
    const size_t n = strlen(end);
    for (size_t i = 0; i < MOST_FILE_NAME && p[i] != '\0'; i++)
        if (p[i] == *end && strncmp(p + i, end, n) == 0)
            return p + i;
    return NULL;
}

/* The name of a file up to `end`. Where the beginning of another message is in it, or a blank in
   its last component, two messages ran into each other. */
static int file_name(const char *p, const char *end, struct call *call)
{
    const char *stop = find_end(p, end), *base = p;
    if (stop == NULL)
        return 0;
    call->text = p;
    call->n_text = (size_t)(stop - p);
    while (call->n_text > 0 && call->text[call->n_text - 1] == ' ')
        call->n_text--;
    for (size_t i = 0; i < call->n_text; i++)
        base = call->text[i] == '/' ? call->text + i + 1 : base;
    const size_t n_base = (size_t)(call->text + call->n_text - base);
    return n_base != 0 && memchr(base, ' ', n_base) == NULL
           && !holds(call->text, call->n_text, shape) && !holds(call->text, call->n_text, fused);
}

static int is_same(const struct call_number *a, const struct call_number *b)
{
    return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static enum call_kind end_hit(const char *p, struct call *call)
{
    struct call_number n, k;
    return member(&p, "", &call->padded) && member(&p, ", N:", &n) && member(&p, ", K:", &k)
                   && is_same(&n, &call->n) && is_same(&k, &call->k)
                   && member(&p, " is tuned on cu_num =", &call->cu) && skip(&p, " in ")
                   && file_name(p, ", kernel name is", call)
               ? CALL_HIT
               : CALL_CUT;
}

static enum call_kind end_miss(const char *p, struct call *call)
{
    static const char batched[] = "CKGEMM";
    if (call->b.n != 0 && strncmp(p, batched, sizeof batched - 1) == 0) {
        call->text = p;
        call->n_text = sizeof batched - 1;
        return p[call->n_text] == ',' ? CALL_MISS : CALL_CUT;
    }
    return file_name(p, ", will use default config", call) ? CALL_MISS : CALL_CUT;
}

/* What a family says of a shape besides M, N and K: q_dtype_w:torch.X, dtype='torch.bf16' */
static int is_detail(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c != '\0' && strchr("_.:=', ", c) != NULL);
}

static enum call_kind read_gemm(const char *p, struct call *call)
{
    call->b.n = 0;
    if (strncmp(p, "B:", 2) == 0 && !(size(&p, "B:", &call->b) && skip(&p, ", ")))
        return CALL_CUT;
    if (!size(&p, "M:", &call->m) || !size(&p, ", N:", &call->n) || !size(&p, ", K:", &call->k)
        || *p == '\0')
        return CALL_CUT;
    for (call->details = p; is_detail(*p) && strncmp(p, shape, sizeof shape - 1) != 0; p++) {
        const char *q = p;
        call->n_details = (size_t)(p - call->details);
        if (skip(&q, "not found tuned config in "))
            return end_miss(q, call);
        if (skip(&q, "found padded_M:"))
            return end_hit(q, call);
    }
    return CALL_CUT;
}

/* `shape is M:` and the like; other messages speak of shapes, too. */
static int is_call(const char *p)
{
    skip(&p, "is ");
    return strncmp(p, "M:", 2) == 0 || strncmp(p, "B:", 2) == 0;
}

/* ---- a line of a log: fused MoE ---- */

static enum call_kind read_fused(const char *p, struct call *call)
{
    const size_t digits = strspn(p, "0123456789");
    p += digits;
    if (digits == 0 || !skip(&p, "stage default for ("))
        return CALL_NONE;
    const char *end = strpbrk(p, ")[");
    if (end == NULL || *end != ')' || holds(p, (size_t)(end - p), shape))
        return CALL_CUT;
    call->text = p;
    call->n_text = (size_t)(end - p);
    return CALL_FMOE;
}

/* ---- a line of a log: lines ---- */

/* What begins here, if it is a call. *at moves behind its first words: what cannot be read may hide
   another call that begins within, and what can be read holds none. */
static enum call_kind call_at(const char **at, struct call *call)
{
    const char *p = *at;
    if (strncmp(p, fused, sizeof fused - 1) == 0)
        return read_fused(*at += sizeof fused - 1, call);
    if (strncmp(p, shape, sizeof shape - 1) != 0 || !is_call(p + sizeof shape - 1))
        return CALL_NONE;
    *at = p += sizeof shape - 1;
    skip(&p, "is ");
    return read_gemm(p, call);
}

enum call_kind call_next(const char **at, struct call *call)
{
    static const char first[] = "s["; /* of these two */
    for (const char *p = *at; (p = strpbrk(p, first)) != NULL; p++) {
        *at = p;
        const enum call_kind kind = call_at(at, call);
        if (kind != CALL_NONE)
            return kind;
    }
    return CALL_NONE;
}

/* ---- a list ---- */

/* A header line, M,N,K or with more columns, and a line a shape; blanks around a cell do not count.
   What columns there are tells some families; of the others the file's name does. */

static const char *const gemm_columns[] = {
    "M", "N", "K", "B", "q_dtype_w", "bias", "dtype", "outdtype", "scaleAB", "bpreshuffle", NULL};
static const char *const fused_columns[] = {
    "token",    "model_dim",       "inter_dim", "expert",    "topk",
    "act_type", "dtype",           "q_dtype_a", "q_dtype_w", "q_type",
    "use_g1u1", "doweight_stage1", NULL};

/* Of lists of other families than tuned_fmoe, which are counted */
static const char *const other_columns[] = {
    "gfx",        "cu_num",           "gate_mode", "max_m", "shared_expert_id",
    "hidden_pad", "intermediate_pad", NULL};

enum {
    UNTUNED_COLUMNS = 32,
    GEMM_COLUMNS = sizeof gemm_columns / sizeof *gemm_columns - 1,
    FUSED_COLUMNS = sizeof fused_columns / sizeof *fused_columns - 1
};

struct untuned {
    const char *path;
    size_t number;        /* of the header's line */
    int n;                /* columns */
    int at[GEMM_COLUMNS]; /* where those of gemm_columns are; -1: there is none */
    int fused_at[FUSED_COLUMNS];
    int is_fused;          /* fused MoE, which has no M, N and K */
    enum family_id family; /* FAMILY_NONE: the columns do not tell */
};

struct untuned_row {
    char *cell[UNTUNED_COLUMNS]; /* in the line */
    int n;
};

static const char blanks[] = " \t\r\n";

/* ---- a list: lines ---- */

/* The cells of a line: their number, also of those that have no place in the row */
static int cut(char *line, struct untuned_row *row)
{
    int n = 0;
    for (char *cell = line, *next; cell != NULL; cell = next) {
        next = strchr(cell, ',');
        if (next != NULL)
            *next++ = '\0';
        if (n < UNTUNED_COLUMNS)
            row->cell[n] = trim_blanks(cell);
        n++;
    }
    row->n = n < UNTUNED_COLUMNS ? n : UNTUNED_COLUMNS;
    return n;
}

/* ---- a list: headers ---- */

static int is_one_of(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int inputs_find(const struct untuned_row *row, const char *name)
{
    for (int i = 0; i < row->n; i++)
        if (strcmp(row->cell[i], name) == 0)
            return i;
    return -1;
}

/* A log's first line may have commas, too, but not with single words between them, one of these. */
static int is_header(const struct untuned_row *row, const char *path)
{
    static const char *const words[] = {"M", "N", "K", "m", "n", "k", "token", NULL};
    int n_words = 0, found = 0;
    if (packing_find(path, ".csv") != NULL)
        return 1;
    for (int i = 0; i < row->n; i++) {
        n_words += is_identifier(row->cell[i]);
        found |= is_one_of(words, row->cell[i]);
    }
    return row->n > 1 && n_words == row->n && found;
}

static int check_columns(const struct untuned *u, const struct untuned_row *row, size_t number)
{
    const char *const *known = u->is_fused ? fused_columns : gemm_columns;
    if (inputs_find(row, "kernelName") >= 0 || inputs_find(row, "us") >= 0)
        return fail("%s:%zu: column \"%s\": the table is tuned already: it is one for --installed",
                    u->path, number, inputs_find(row, "us") >= 0 ? "us" : "kernelName");
    for (int i = 0; i < row->n; i++) {
        if (!is_one_of(known, row->cell[i])
            && !(u->is_fused && u->family != FAMILY_FMOE && is_one_of(other_columns, row->cell[i])))
            return fail("%s:%zu: column \"%.60s\": is not a column of an untuned list", u->path,
                        number, row->cell[i]);
        if (inputs_find(row, row->cell[i]) != i)
            return fail("%s:%zu: column \"%s\" is given twice", u->path, number, row->cell[i]);
    }
    for (int i = 0; i < 3 && !u->is_fused; i++)
        if (inputs_find(row, gemm_columns[i]) < 0)
            return fail("%s:%zu: there is no column %s; an untuned list has M,N,K", u->path, number,
                        gemm_columns[i]);
    return 0;
}

static enum family_id family_of_columns(const struct untuned *u, const struct untuned_row *row)
{
    const enum family_id named = family_of_file(u->path);
    if (u->is_fused)
        return inputs_find(row, "shared_expert_id") >= 0                       ? FAMILY_FHMOE
               : inputs_find(row, "gate_mode") >= 0 || named == FAMILY_GROUPED ? FAMILY_GROUPED
                                                                               : FAMILY_FMOE;
    if (inputs_find(row, "B") >= 0)
        return family_of_batched(named);
    if (inputs_find(row, "bias") >= 0 || inputs_find(row, "outdtype") >= 0)
        return FAMILY_BF16;
    if (inputs_find(row, "q_dtype_w") >= 0)
        return named == FAMILY_A8W8 ? FAMILY_A8W8 : FAMILY_BP;
    return FAMILY_NONE;
}

/* Is the first line of a file the header of such a list? 1 if it is, 0 if it is that of something
   else, -1 with a message if it is one with wrong columns. Changes the line. */
static int untuned_header(struct untuned *u, const char *path, size_t number, char *line)
{
    struct untuned_row row;
    struct buf copy = {NULL, 0, 0};
    int rc = 0;
    memset(u, 0, sizeof *u);
    u->path = path;
    buf_puts(&copy, line);
    const int n = cut(copy.s, &row);
    if (is_header(&row, path)) {
        u->is_fused = inputs_find(&row, "token") >= 0;
        u->family = family_of_columns(u, &row);
        rc = n > UNTUNED_COLUMNS ? fail("%s:%zu: has %d columns", path, number, n)
                                 : check_columns(u, &row, number);
        rc = rc == 0 ? 1 : rc;
        u->n = n;
        u->number = number;
        for (int i = 0; i < GEMM_COLUMNS; i++)
            u->at[i] = inputs_find(&row, gemm_columns[i]);
        for (int i = 0; i < FUSED_COLUMNS; i++)
            u->fused_at[i] = inputs_find(&row, fused_columns[i]);
    }
    buf_free(&copy);
    return rc;
}

/* The cells of another line; 1, 0 if it is empty, -1 with a message. Changes the line. */
static int untuned_row(const struct untuned *u, size_t number, char *line, struct untuned_row *row)
{
    if (line[strspn(line, blanks)] == '\0')
        return 0;
    const int n = cut(line, row);
    if (n != u->n)
        return fail("%s:%zu: has %d cell%s, the header has %d", u->path, number, n,
                    n == 1 ? "" : "s", u->n);
    return 1;
}

/* ---- inputs ---- */

struct input {
    struct asked *to;
    const struct asked_from *from;
    struct log_line line;
    struct buf row; /* the one at hand, of a list */
};

static struct place place_of(const struct input *in)
{
    return (struct place){in->line.path, in->line.number};
}

/* ---- inputs: logs ---- */

static int read_line(struct input *in)
{
    struct call call;
    enum call_kind kind;
    int rc = 0;
    const char *at = in->line.text;
    gpu_told_line(&in->to->told, in->from->token, at, place_of(in));
    if (in->line.is_cut)
        tally_add(&in->to->cut, place_of(in), "longer than this program reads");
    while (rc == 0 && (kind = call_next(&at, &call)) != CALL_NONE) {
        if (kind == CALL_CUT)
            tally_add(&in->to->cut, place_of(in), "begins like one of AITER's and is cut off");
        else
            rc = asked_call(in->to, in->from, place_of(in), (int)kind, &call);
    }
    return rc;
}

/* ---- inputs: untuned lists ---- */

static enum family_id family_of_list(const struct input *in, const struct untuned *u)
{
    enum family_id family = u->family;
    if (family == FAMILY_NONE)
        family = family_of_file(in->line.path);
    if (family == FAMILY_BATCHED)
        family = family_of_batched(in->from->only);
    return family != FAMILY_NONE ? family : in->from->only;
}

/* Where a column is; -1: there is none */
static int column_of(const struct untuned *u, const char *name)
{
    const int i = family_place_of(u->is_fused ? fused_columns : gemm_columns, name);
    return i < 0 ? -1 : u->is_fused ? u->fused_at[i] : u->at[i];
}

/* "": there is no such column */
static const char *cell_of(const struct untuned *u, const struct untuned_row *row, const char *name)
{
    const int i = column_of(u, name);
    return i >= 0 ? row->cell[i] : "";
}

static void set_text(struct input *in, const struct untuned *u, enum family_id family,
                     const struct untuned_row *row, struct asked_text *text)
{
    memset(text, 0, sizeof *text);
    in->row.n = 0;
    for (int i = 0; i < row->n; i++)
        buf_printf(&in->row, "%s,", row->cell[i]);
    text->whole = in->row.s;
    for (int i = 0; i < 3; i++)
        text->mnk[i] = cell_of(u, row, family_size(family, i));
    for (int i = 0; families[family].details[i] != NULL; i++)
        text->detail[i] = cell_of(u, row, families[family].details[i]);
}

static int read_row(struct input *in, const struct untuned *u, enum family_id family)
{
    struct untuned_row row;
    struct asked_text text;
    const int rc = untuned_row(u, in->line.number, in->line.text, &row);
    if (rc <= 0)
        return rc;
    set_text(in, u, family, &row, &text);
    return asked_row(in->to, in->from, place_of(in), family, &text);
}

static int check_column(const struct untuned *u, enum family_id family, const char *name)
{
    if (column_of(u, name) >= 0)
        return 0;
    return fail("%s:%zu: there is no column %s, which a list of %s has", u->path, u->number, name,
                families[family].name);
}

/* Has the list the columns of the family's key? */
static int check_details(const struct untuned *u, enum family_id family)
{
    for (int i = 0; i < 3 && family_is_answered(family); i++)
        if (check_column(u, family, family_size(family, i)) != 0)
            return -1;
    for (int i = 0; families[family].details[i] != NULL; i++)
        if (check_column(u, family, families[family].details[i]) != 0)
            return -1;
    return 0;
}

static int read_list(struct input *in, const struct untuned *u)
{
    const enum family_id family = family_of_list(in, u);
    int rc = 0;
    if (family == FAMILY_NONE)
        return fail("%s: its name does not tell a family of AITER's: give it with --family",
                    in->line.path);
    if (in->from->only == FAMILY_NONE || in->from->only == family)
        rc = check_details(u, family);
    if (rc != 0)
        return rc;
    while ((rc = log_line_read(&in->line)) > 0 && (rc = read_row(in, u, family)) == 0)
        ;
    return rc;
}

/* ---- inputs: files ---- */

/* From the first line that is not empty on */
static int read_lines(struct input *in)
{
    struct untuned u;
    int rc;
    while ((rc = log_line_read(&in->line)) > 0
           && in->line.text[strspn(in->line.text, " \t")] == '\0')
        ;
    if (rc <= 0)
        return rc;
    rc = untuned_header(&u, in->line.path, in->line.number, in->line.text);
    if (rc != 0)
        return rc < 0 ? rc : read_list(in, &u);
    do
        rc = read_line(in);
    while (rc == 0 && (rc = log_line_read(&in->line)) > 0);
    return rc;
}

/* Of a packed list, which is unpacked in memory */
static const size_t most_bytes = (size_t)1 << 30;

static int read_input(struct asked *a, const struct asked_from *from, const char *path)
{
    struct input in = {.to = a, .from = from};
    struct buf text = {0};
    const struct packing *packing = packing_find(path, ".csv");
    int rc;
    if (packing == NULL || packing->unpack == NULL)
        rc = log_line_open(&in.line, path);
    else if ((rc = read_unpacked(path, most_bytes, &text)) == 0)
        rc = log_line_begin(&in.line, fmemopen(text.s, text.n, "rb"), path);
    if (rc == 0)
        rc = log_line_end(&in.line, read_lines(&in), &a->lines);
    buf_free(&in.row);
    buf_free(&text);
    return rc;
}

/* Is there a shape to predict for, or one that a table has? */
static int check_calls(const struct asked *a, const char *name)
{
    struct buf why = {NULL, 0, 0};
    if (a->calls == 0 && a->cut.words.n == 0)
        return fail("%s: no line holds \"shape is M:\" as AITER logs it, and no list has a row: "
                    "there is nothing to predict for",
                    name);
    if (a->usable != 0)
        return 0;
    tally_words(&a->left_out, &why);
    tally_words(&a->cut, &why);
    fail("%s: there is nothing to predict for: %s", name, why.s);
    buf_free(&why);
    return -1;
}

int inputs_read(struct asked *a, const struct asked_from *from, const char *const *paths, size_t n)
{
    if (n == 0 && read_input(a, from, "-") != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const size_t calls = a->calls, cut = a->cut.words.n;
        if (read_input(a, from, paths[i]) != 0)
            return -1;
        if (n > 1 && !from->may_lack && a->calls == calls && a->cut.words.n == cut)
            note("%s: no line is one of AITER's", log_line_called(&paths[i], 1));
    }
    asked_sort(a);
    if (!from->may_lack && check_calls(a, log_line_called(paths, n)) != 0)
        return -1;
    return gpu_told_check(&a->told, from->token, from->force);
}
