/* inputs.c - reads AITER's logs and untuned lists, which their content tells apart
   SPDX-License-Identifier: MIT */
#include "aiter.h"

#include "base/csv_records.h"
#include "base/names.h"
#include "base/unpack.h"

#include <stdlib.h>
#include <string.h>

/* ---- a line of a log ---- */

static const char shape[] = "shape ", fused[] = "[fused_moe] using ";
enum { MOST_FILE_NAME = 4096 };

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

static const char gemm_columns[] = "M N K B q_dtype_w bias dtype outdtype scaleAB bpreshuffle";
static const char fused_columns[] =
    "token model_dim inter_dim expert topk act_type dtype q_dtype_a "
    "q_dtype_w q_type use_g1u1 doweight_stage1";

/* Of lists of other families than tuned_fmoe, which are counted */
static const char other_columns[] = "gfx cu_num gate_mode max_m shared_expert_id hidden_pad "
                                    "intermediate_pad";

struct input {
    struct asked *to;
    struct log_line line;
    struct csv_records list;  /* from its header on */
    int is_fused;             /* fused MoE, which has no M, N and K */
    int at[3 + MOST_DETAILS]; /* its columns: the sizes and details of the family */
    struct buf row;           /* the one at hand */
};

static int has_column(const struct input *in, const char *name)
{
    return csv_records_find(&in->list, name) >= 0;
}

/* ---- a list: headers ---- */

/* A log's first line may have commas, too, but not with single words between them, one of these. */
static int is_header(const struct log_line *line)
{
    char *copy = xstrdup(line->text), *at = copy;
    int n = 0, n_words = 0, found = 0;
    for (char *next; at != NULL; at = next, n++) {
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = '\0';
        at = trim_blanks(at);
        n_words += is_identifier(at);
        found |= names_has_word("M N K m n k token", at);
    }
    free(copy);
    return packing_find(line->path, ".csv") != NULL || (n > 1 && n_words == n && found);
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
    const struct csv_records *c = &in->list;
    const char *known = in->is_fused ? fused_columns : gemm_columns;
    const char *others = in->is_fused && family != FAMILY_FMOE ? other_columns : known;
    if (has_column(in, "kernelName") || has_column(in, "us"))
        return fail("%s:%ld: column \"%s\": the table is tuned already: it is one for --installed",
                    c->path, c->at, has_column(in, "us") ? "us" : "kernelName");
    for (size_t i = 0; i < c->n; i++)
        if (!names_has_word(known, c->cell[i]) && !names_has_word(others, c->cell[i]))
            return fail("%s:%ld: column \"%.60s\": is not a column of an untuned list", c->path,
                        c->at, c->cell[i]);
    for (int i = 0; i < 3 && !in->is_fused; i++)
        if (!has_column(in, families[FAMILY_BS].sizes[i]))
            return fail("%s:%ld: there is no column %s; an untuned list has M,N,K", c->path, c->at,
                        families[FAMILY_BS].sizes[i]);
    return csv_records_check_header(c);
}

/* Those of the family's key; of one that is not wanted all may be missing, of one that is not
   answered the sizes. */
static int find_columns(struct input *in, enum family_id family)
{
    const struct family *f = &families[family];
    const int is_wanted = in->to->from.only == FAMILY_NONE || in->to->from.only == family;
    for (int i = 0; i < 3 || f->details[i - 3] != NULL; i++) {
        const char *name = i < 3 ? f->sizes[i] : f->details[i - 3];
        in->at[i] = csv_records_find(&in->list, name);
        if (in->at[i] < 0 && is_wanted && (i >= 3 || family_is_answered(family)))
            return fail("%s:%ld: there is no column %s, which a list of %s has", in->list.path,
                        in->list.at, name, f->name);
    }
    return 0;
}

/* "": there is no such column */
static const char *cell_of(const struct input *in, int i)
{
    return in->at[i] >= 0 ? in->list.cell[in->at[i]] : "";
}

static int read_row(struct input *in, enum family_id family)
{
    struct csv_records *c = &in->list;
    struct asked_text text = {.whole = NULL};
    if (c->n == 1 && *trim_blanks(c->cell[0]) == '\0')
        return 0;
    if (csv_records_check_row(c) != 0)
        return -1;
    in->row.n = 0;
    for (size_t i = 0; i < c->n; i++)
        c->cell[i] = trim_blanks(c->cell[i]);
    csv_records_print(c, c->n, &in->row);
    text.whole = in->row.s;
    for (int i = 0; i < 3; i++)
        text.mnk[i] = cell_of(in, i);
    for (int i = 0; families[family].details[i] != NULL; i++)
        text.detail[i] = cell_of(in, 3 + i);
    in->to->at = (struct place){c->path, (size_t)c->at};
    return asked_row(in->to, family, &text);
}

static int read_rows(struct input *in)
{
    struct csv_records *c = &in->list;
    int rc = csv_records_next(c) > 0 ? 0 : -1;
    for (size_t i = 0; i < c->n && rc == 0; i++)
        c->cell[i] = trim_blanks(c->cell[i]);
    in->is_fused = has_column(in, "token");
    const enum family_id family = family_of_list(in);
    if (rc == 0)
        rc = check_columns(in, family);
    if (rc == 0 && family == FAMILY_NONE)
        rc = fail("%s: its name does not tell a family of AITER's: give it with --family", c->path);
    if (rc == 0)
        rc = find_columns(in, family);
    while (rc == 0 && (rc = csv_records_next(c)) > 0)
        rc = read_row(in, family);
    return rc;
}

/* The line at hand is its header. */
static int read_list(struct input *in)
{
    struct buf text = {NULL, 0, 0};
    const long header = (long)in->line.number;
    int rc;
    do
        buf_printf(&text, "%s%s", in->line.text, in->line.at_end ? "\n" : "\r");
    while ((rc = log_line_read(&in->line)) > 0);
    if (rc == 0)
        rc = csv_records_open(&in->list, in->line.path, &text);
    in->list.line = header;
    if (rc == 0)
        rc = read_rows(in);
    csv_records_close(&in->list);
    buf_free(&text);
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

/* From the first line that is not empty on. Is that the header of a list? */
static int read_lines(struct input *in)
{
    int rc;
    while ((rc = log_line_read(&in->line)) > 0
           && in->line.text[strspn(in->line.text, " \t")] == '\0')
        ;
    if (rc <= 0)
        return rc;
    if (is_header(&in->line))
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
