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

/* *at moves behind the first words of a call: what cannot be read may hide another one that begins
   within, and what can be read holds none. Other messages speak of shapes, too. */
enum call_kind call_next(const char **at, struct call *call)
{
    static const char first[] = "s["; /* of these two */
    for (const char *p = *at; (p = strpbrk(p, first)) != NULL; p++) {
        enum call_kind kind = CALL_NONE;
        *at = p;
        if (strncmp(p, fused, sizeof fused - 1) == 0)
            kind = read_fused(*at += sizeof fused - 1, call);
        else if (strncmp(p, shape, sizeof shape - 1) == 0) {
            const char *q = p + sizeof shape - 1;
            skip(&q, "is ");
            if (strncmp(q, "M:", 2) == 0 || strncmp(q, "B:", 2) == 0) {
                *at += sizeof shape - 1;
                kind = read_gemm(q, call);
            }
        }
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

enum { MOST_COLUMNS = 32 };

struct cells {
    char *at[MOST_COLUMNS]; /* in a line */
    int n, n_all;           /* n_all: also those that have no place */
};

struct input {
    struct asked *to;
    struct log_line line;
    /* of a list: */
    size_t header;    /* its line */
    struct buf names; /* that line, in which the columns are */
    struct cells columns;
    int is_fused;   /* fused MoE, which has no M, N and K */
    struct buf row; /* the one at hand */
};

static const char blanks[] = " \t\r\n";

/* Cuts the line. */
static struct cells cells_of(char *line)
{
    struct cells c = {.n = 0};
    for (char *next; line != NULL; line = next) {
        next = strchr(line, ',');
        if (next != NULL)
            *next++ = '\0';
        if (c.n < MOST_COLUMNS)
            c.at[c.n++] = trim_blanks(line);
        c.n_all++;
    }
    return c;
}

/* Where a column is; -1: there is none */
static int column_of(const struct input *in, const char *name)
{
    for (int i = 0; i < in->columns.n; i++)
        if (strcmp(in->columns.at[i], name) == 0)
            return i;
    return -1;
}

static int has_column(const struct input *in, const char *name)
{
    return column_of(in, name) >= 0;
}

/* ---- a list: headers ---- */

/* A log's first line may have commas, too, but not with single words between them, one of these. */
static int is_header(const struct input *in)
{
    static const char *const words[] = {"M", "N", "K", "m", "n", "k", "token", NULL};
    const struct cells *c = &in->columns;
    int n_words = 0, found = 0;
    if (packing_find(in->line.path, ".csv") != NULL)
        return 1;
    for (int i = 0; i < c->n; i++) {
        n_words += is_identifier(c->at[i]);
        found |= family_place_of(words, c->at[i]) >= 0;
    }
    return c->n > 1 && n_words == c->n && found;
}

static enum family_id family_of_list(const struct input *in)
{
    const enum family_id named = family_of_file(in->line.path), only = in->to->from.only;
    if (in->is_fused)
        return has_column(in, "shared_expert_id")                       ? FAMILY_FHMOE
               : has_column(in, "gate_mode") || named == FAMILY_GROUPED ? FAMILY_GROUPED
                                                                        : FAMILY_FMOE;
    if (has_column(in, "B"))
        return named == FAMILY_A8W8_BATCHED || named == FAMILY_BF16_BATCHED
                   ? named
                   : family_of_batched(only);
    if (has_column(in, "bias") || has_column(in, "outdtype"))
        return FAMILY_BF16;
    if (has_column(in, "q_dtype_w"))
        return named == FAMILY_A8W8 ? FAMILY_A8W8 : FAMILY_BP;
    return named == FAMILY_BATCHED ? family_of_batched(only) : named != FAMILY_NONE ? named : only;
}

static int check_columns(const struct input *in, enum family_id family)
{
    const struct cells *c = &in->columns;
    const char *path = in->line.path;
    const char *const *known = in->is_fused ? fused_columns : gemm_columns;
    const int has_others = in->is_fused && family != FAMILY_FMOE;
    if (c->n_all > MOST_COLUMNS)
        return fail("%s:%zu: has %d columns", path, in->header, c->n_all);
    if (has_column(in, "kernelName") || has_column(in, "us"))
        return fail("%s:%zu: column \"%s\": the table is tuned already: it is one for --installed",
                    path, in->header, has_column(in, "us") ? "us" : "kernelName");
    for (int i = 0; i < c->n; i++) {
        if (family_place_of(known, c->at[i]) < 0
            && !(has_others && family_place_of(other_columns, c->at[i]) >= 0))
            return fail("%s:%zu: column \"%.60s\": is not a column of an untuned list", path,
                        in->header, c->at[i]);
        if (column_of(in, c->at[i]) != i)
            return fail("%s:%zu: column \"%s\" is given twice", path, in->header, c->at[i]);
    }
    for (int i = 0; i < 3 && !in->is_fused; i++)
        if (!has_column(in, gemm_columns[i]))
            return fail("%s:%zu: there is no column %s; an untuned list has M,N,K", path,
                        in->header, gemm_columns[i]);
    return 0;
}

/* Has the list the columns of the family's key? */
static int check_details(const struct input *in, enum family_id family)
{
    const char *const *details = families[family].details;
    for (int i = family_is_answered(family) ? 0 : 3; i < 3 || details[i - 3] != NULL; i++) {
        const char *name = i < 3 ? families[family].sizes[i] : details[i - 3];
        if (!has_column(in, name))
            return fail("%s:%zu: there is no column %s, which a list of %s has", in->line.path,
                        in->header, name, families[family].name);
    }
    return 0;
}

/* ---- a list: rows ---- */

/* "": there is no such column */
static const char *cell_of(const struct input *in, const struct cells *row, const char *name)
{
    const int i = column_of(in, name);
    return i >= 0 ? row->at[i] : "";
}

static int read_row(struct input *in, enum family_id family)
{
    struct asked_text text = {.whole = NULL};
    if (in->line.text[strspn(in->line.text, blanks)] == '\0')
        return 0;
    const struct cells row = cells_of(in->line.text);
    if (row.n_all != in->columns.n_all)
        return fail("%s:%zu: has %d cell%s, the header has %d", in->line.path, in->line.number,
                    row.n_all, row.n_all == 1 ? "" : "s", in->columns.n_all);
    in->row.n = 0;
    for (int i = 0; i < row.n; i++)
        buf_printf(&in->row, "%s,", row.at[i]);
    text.whole = in->row.s;
    for (int i = 0; i < 3; i++)
        text.mnk[i] = cell_of(in, &row, families[family].sizes[i]);
    for (int i = 0; families[family].details[i] != NULL; i++)
        text.detail[i] = cell_of(in, &row, families[family].details[i]);
    in->to->at = (struct place){in->line.path, in->line.number};
    return asked_row(in->to, family, &text);
}

static int read_list(struct input *in)
{
    const enum family_id family = family_of_list(in), only = in->to->from.only;
    int rc = check_columns(in, family);
    if (rc == 0 && family == FAMILY_NONE)
        rc = fail("%s: its name does not tell a family of AITER's: give it with --family",
                  in->line.path);
    if (rc == 0 && (only == FAMILY_NONE || only == family))
        rc = check_details(in, family);
    while (rc == 0 && (rc = log_line_read(&in->line)) > 0)
        rc = read_row(in, family);
    return rc;
}

/* ---- inputs: logs ---- */

static int read_line(struct input *in)
{
    struct call call;
    enum call_kind kind;
    struct asked *a = in->to;
    int rc = 0;
    const char *at = in->line.text;
    a->at = (struct place){in->line.path, in->line.number};
    gpu_told_line(&a->told, a->from.target->token, at, a->at);
    if (in->line.is_cut)
        tally_add(&a->cut, a->at, "longer than this program reads");
    while (rc == 0 && (kind = call_next(&at, &call)) != CALL_NONE) {
        if (kind == CALL_CUT)
            tally_add(&a->cut, a->at, "begins like one of AITER's and is cut off");
        else
            rc = asked_call(a, (int)kind, &call);
    }
    return rc;
}

/* ---- inputs: files ---- */

/* From the first line that is not empty on. Is that the header of a list? */
static int read_lines(struct input *in)
{
    int rc;
    while ((rc = log_line_read(&in->line)) > 0
           && in->line.text[strspn(in->line.text, " \t")] == '\0')
        ;
    if (rc <= 0)
        return rc;
    buf_puts(&in->names, in->line.text);
    in->columns = cells_of(in->names.s);
    in->header = in->line.number;
    in->is_fused = has_column(in, "token");
    if (is_header(in))
        return read_list(in);
    do
        rc = read_line(in);
    while (rc == 0 && (rc = log_line_read(&in->line)) > 0);
    return rc;
}

/* Of a packed list, which is unpacked in memory */
static const size_t most_bytes = (size_t)1 << 30;

static int read_input(struct asked *a, const char *path)
{
    struct input in = {.to = a};
    struct buf text = {0};
    const struct packing *packing = packing_find(path, ".csv");
    int rc;
    if (packing == NULL || packing->unpack == NULL)
        rc = log_line_open(&in.line, path);
    else if ((rc = read_unpacked(path, most_bytes, &text)) == 0)
        rc = log_line_begin(&in.line, fmemopen(text.s, text.n, "rb"), path);
    if (rc == 0)
        rc = log_line_end(&in.line, read_lines(&in), &a->lines);
    buf_free(&in.names);
    buf_free(&in.row);
    buf_free(&text);
    return rc;
}

int inputs_read(struct asked *a, const char *const *paths, size_t n)
{
    if (n == 0 && read_input(a, "-") != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const size_t calls = a->calls, cut = a->cut.words.n;
        if (a->from.may_lack && ends_with(paths[i], ".json"))
            continue;
        if (read_input(a, paths[i]) != 0)
            return -1;
        if (n > 1 && !a->from.may_lack && a->calls == calls && a->cut.words.n == cut)
            note("%s: no line is one of AITER's", log_line_called(&paths[i], 1));
    }
    asked_sort(a);
    if (!a->from.may_lack && a->calls == 0 && a->cut.words.n == 0)
        return fail("%s: no line holds \"shape is M:\" as AITER logs it, and no list has a row: "
                    "there is nothing to predict for",
                    log_line_called(paths, n));
    if (!a->from.may_lack && a->usable == 0)
        return tally_fail(log_line_called(paths, n), "predict for", &a->left_out, &a->cut);
    return gpu_told_check(&a->told, a->from.target->token, a->from.force);
}
