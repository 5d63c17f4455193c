/* inputs.c - see inputs.h
   SPDX-License-Identifier: MIT */
#include "inputs.h"

#include "base/log_line.h"
#include "calls.h"
#include "untuned.h"

#include <errno.h>
#include <string.h>

struct input {
    struct asked *to;
    const struct asked_from *from;
    const char *path;
    FILE *f;
    struct log_line line;
    struct buf row; /* the one at hand, of a list */
};

static struct place place_of(const struct input *in)
{
    return (struct place){in->path, in->line.number};
}

/* ---- logs ---- */

static int read_line(struct input *in)
{
    struct call call;
    enum call_kind kind;
    int rc = 0;
    const char *at = in->line.text;
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

/* ---- untuned lists ---- */

static enum family_id family_of_list(const struct input *in, const struct untuned *u)
{
    enum family_id family = u->family;
    if (family == FAMILY_NONE)
        family = family_of_file(in->path);
    return family != FAMILY_NONE ? family : in->from->only;
}

static int read_row(struct input *in, const struct untuned *u, enum family_id family)
{
    struct untuned_row row;
    const int rc = untuned_row(u, in->line.number, in->line.text, &row);
    if (rc <= 0)
        return rc;
    const char *mnk[3] = {"", "", ""};
    if (!u->is_fused) {
        mnk[0] = row.cell[u->m];
        mnk[1] = row.cell[u->n_at];
        mnk[2] = row.cell[u->k];
    }
    in->row.n = 0;
    for (int i = 0; i < row.n; i++)
        buf_printf(&in->row, "%s,", row.cell[i]);
    return asked_row(in->to, in->from, place_of(in), family, mnk, in->row.s);
}

static int read_list(struct input *in, const struct untuned *u)
{
    const enum family_id family = family_of_list(in, u);
    int rc = 0;
    if (family == FAMILY_NONE)
        return fail("%s: its name tells no family of AITER's; --family says which it is of",
                    in->path);
    while (rc == 0 && log_line_read(&in->line, in->f))
        rc = read_row(in, u, family);
    return rc;
}

/* ---- files ---- */

static const char *packed_by(const char *text)
{
    return strncmp(text, "BZh", 3) == 0        ? "bunzip2"
           : strncmp(text, "\x1f\x8b", 2) == 0 ? "gunzip"
                                               : NULL;
}

/* From the first line that is not empty on */
static int read_lines(struct input *in)
{
    struct untuned u;
    int more;
    while ((more = log_line_read(&in->line, in->f)) != 0
           && in->line.text[strspn(in->line.text, " \t")] == '\0')
        ;
    if (!more)
        return 0;
    if (packed_by(in->line.text) != NULL)
        return fail("%s: is packed; `%s -c` unpacks it into a pipe", in->path,
                    packed_by(in->line.text));
    int rc = untuned_header(&u, in->path, in->line.number, in->line.text);
    if (rc != 0)
        return rc < 0 ? rc : read_list(in, &u);
    do
        rc = read_line(in);
    while (rc == 0 && log_line_read(&in->line, in->f));
    return rc;
}

static int read_stream_of(struct input *in)
{
    log_line_begin(&in->line, in->f);
    const int rc = read_lines(in);
    in->to->lines += in->line.number;
    log_line_end(&in->line);
    buf_free(&in->row);
    return rc == 0 && ferror(in->f) ? fail("%s: cannot read: %s", in->path, strerror(errno)) : rc;
}

static int read_input(struct asked *a, const struct asked_from *from, const char *path)
{
    struct input in = {.to = a, .from = from, .path = path};
    if (strcmp(path, "-") == 0) {
        in.path = "standard input";
        in.f = stdin;
        return read_stream_of(&in);
    }
    in.f = open_input(path);
    if (in.f == NULL)
        return -1;
    const int rc = read_stream_of(&in);
    fclose(in.f);
    return rc;
}

/* Is there a shape to predict for, or one that a table has? */
static int check_calls(const struct asked *a, const char *name)
{
    struct buf why = {NULL, 0, 0};
    if (a->calls == 0)
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
        if (n > 1 && a->calls == calls && a->cut.words.n == cut)
            note("%s: no line is one of AITER's", log_line_called(&paths[i], 1));
    }
    asked_sort(a);
    return check_calls(a, log_line_called(paths, n));
}
