/* spec.c - parser of the .spec text
   SPDX-License-Identifier: MIT */
#include "spec.h"
#include "base/names.h"
#include "header.h"
#include "triton_spec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const spec_formats[SPEC_N_FORMATS] = {"miopen", "csv",   "find-db", "tensile",
                                                  "timed",  "aiter", "triton"};

/* ---- what a parser in progress knows ---- */

/* The keys with one text each; the others are fields and parameters. */
#define SLOTS(X)                                  \
    X(NAME, "kernel", "name")                     \
    X(TITLE, "kernel", "title")                   \
    X(SOURCE, "kernel", "source")                 \
    X(RULE, "kernel", "rule")                     \
    X(LISTED_BY, "kernel", "listed_by")           \
    X(HEADER, "kernel", "header")                 \
    X(LICENCE, "kernel", "licence")               \
    X(RUNS_ON, "kernel", "runs_on")               \
    X(FORMAT, "data", "format")                   \
    X(METRIC, "data", "metric")                   \
    X(SUCCESS, "data", "success")                 \
    X(SOLVER, "data", "solver")                   \
    X(FILTER, "data", "filter")                   \
    X(PAD, "data", "pad")                         \
    X(RETIRED, "data", "retired")                 \
    X(FAILED, "data", "failed")                   \
    X(FILES, "data", "files")                     \
    X(BESIDE, "data", "beside")                   \
    X(OLDER, "data", "older")                     \
    X(FAMILY, "data", "family")                   \
    X(UNSEARCHED, "data", "unsearched")           \
    X(COUNTED, "data", "counted")                 \
    X(IGNORED, "data", "ignored")                 \
    X(WITHOUT, "data", "without")                 \
    X(CONFIG, "split", "config")                  \
    X(SHAPE, "split", "shape")                    \
    X(BALANCE, "split", "balance")                \
    X(SHIPPED, "split", "shipped")                \
    X(CALIBRATED_CONFIG, "calibration", "config") \
    X(CALIBRATED_SHAPE, "calibration", "shape")   \
    X(CALIBRATED_NONE, "calibration", "none")     \
    X(WITNESSES, "labels", "witnesses")           \
    X(CAPPED, "labels", "capped")                 \
    X(BLIND, "labels", "blind")
#define SLOT(slot, section, key) slot,
enum slot { SLOTS(SLOT) N_SLOTS };
#define SLOT_NAME(slot, section, key) {section, key},
static const struct {
    const char *section, *key;
} slot_names[N_SLOTS] = {SLOTS(SLOT_NAME)};

struct reader;

struct section {
    const char *name;
    int (*add)(struct reader *r, char *key, char *value); /* NULL: lines are kept as they are, */
    size_t raw; /* in this struct spec_lines of the spec */
};

struct reader {
    struct spec *spec;
    const char *path;
    long line;   /* the one being read; the text's last one at the end */
    long column; /* where it begins, from 1 */
    const struct section *section;
    long opened[14]; /* line of each section's heading, in the order of sections[] */
    char *text[N_SLOTS];
    long at[N_SLOTS];
};

/* ---- text ---- */

static const char blanks[] = " \t\r";

/* Cuts the next word off *s, NULL at the end. */
static char *next_word(char **s)
{
    char *word = *s + strspn(*s, blanks);
    size_t n = strcspn(word, blanks);
    if (n == 0)
        return NULL;
    *s = word + n + (word[n] != '\0');
    word[n] = '\0';
    return word;
}

/* A token or a named value: letters first, and nothing that needs quoting in CSV, in a shell, or in
   field=value. */
int spec_is_name(const char *s)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.:+-";
    size_t n = strspn(s, letters);
    return n >= 1 && n <= 63 && s[n] == '\0' && strchr("0123456789.:+-", *s) == NULL;
}

/* As the names of composable kernels are; but it goes into a string of C, and "??" could begin a
   trigraph there. */
int spec_is_quotable(const char *s)
{
    const char *p = s;
    while (*p >= ' ' && *p <= '~' && *p != '\\')
        p++;
    return p > s && p - s <= 255 && *p == '\0' && strstr(s, "??") == NULL;
}

static int is_number_like(const char *s)
{
    return strchr("0123456789+-.", *s) != NULL;
}

static int bad(const struct reader *r, const char *key, const char *value, const char *what)
{
    return fail("%s:%ld: %s: value \"%s\": %s", r->path, r->line, key, value, what);
}

/* ---- fields and parameters ---- */

static int check_new_name(const struct reader *r, const char *key)
{
    if (!is_identifier(key))
        return fail("%s:%ld: [%s]: name \"%s\": is not an identifier of at most 63 characters",
                    r->path, r->line, r->section->name, key);
    if (spec_field_index(r->spec, key) >= 0)
        return fail("%s:%ld: %s: there is already a field of that name", r->path, r->line, key);
    if (spec_param_index(r->spec, key) >= 0)
        return fail("%s:%ld: %s: there is already a parameter of that name", r->path, r->line, key);
    return 0;
}

static int parse_size(struct reader *r, struct spec_field *f, char *rest)
{
    int32_t *bound[2] = {&f->least, &f->most};
    char *word;
    f->least = 1;
    f->most = KPRED_MAX_SIZE;
    for (size_t i = 0; (word = next_word(&rest)) != NULL; i++) {
        int64_t v;
        if (i == 2)
            return bad(r, f->name, word, "is too much: a size has a least and a most value");
        if (parse_int(word, 0, KPRED_MAX_SIZE, &v) != 0)
            return bad(r, f->name, word, "is not an integer from 0 to 2^24");
        *bound[i] = (int32_t)v;
    }
    if (f->least > f->most)
        return fail("%s:%ld: %s: least %ld is above most %ld", r->path, r->line, f->name,
                    (long)f->least, (long)f->most);
    return 0;
}

static int is_among(const char *const *names, size_t n, const char *word)
{
    while (n > 0 && strcmp(names[n - 1], word) != 0)
        n--;
    return n > 0;
}

static int add_token(struct reader *r, struct spec_field *f, const char *word)
{
    if (!spec_is_name(word))
        return bad(r, f->name, word, "is neither `size` nor a name");
    if (is_among(f->tokens, f->n_tokens, word))
        return bad(r, f->name, word, "is given twice");
    if (f->n_tokens == SPEC_MAX_TOKENS)
        return fail("%s:%ld: %s: more than %d names", r->path, r->line, f->name, SPEC_MAX_TOKENS);
    f->most = (int32_t)f->n_tokens;
    f->tokens[f->n_tokens++] = word;
    return 0;
}

static int add_field(struct reader *r, char *key, char *value)
{
    struct spec *s = r->spec;
    if (check_new_name(r, key) != 0)
        return -1;
    if (s->n_fields == KPRED_MAX_FIELDS)
        return fail("%s:%ld: %s: more than %d fields", r->path, r->line, key, KPRED_MAX_FIELDS);
    struct spec_field *f = &s->fields[s->n_fields];
    char *word = next_word(&value);
    f->name = key;
    if (strcmp(word, "size") == 0) {
        if (parse_size(r, f, value) != 0)
            return -1;
    } else {
        for (; word != NULL; word = next_word(&value))
            if (add_token(r, f, word) != 0)
                return -1;
    }
    s->n_fields++;
    return 0;
}

static int add_number(struct reader *r, struct spec_param *p, const char *word)
{
    int64_t v;
    size_t n = p->n_values;
    if (p->names[0] != NULL)
        return bad(r, p->name, word, "is a number among names");
    if (parse_int(word, -SPEC_MAX_VALUE, SPEC_MAX_VALUE, &v) != 0)
        return bad(r, p->name, word, "is not an integer of at most 2^24");
    if (n > 0 && v == p->values[n - 1])
        return bad(r, p->name, word, "is given twice");
    if (n > 0 && v < p->values[n - 1])
        return bad(r, p->name, word, "is not in ascending order");
    p->values[n] = (int32_t)v;
    return 0;
}

static int add_name(struct reader *r, struct spec_param *p, const char *word, int is_quoted)
{
    if (p->n_values > 0 && p->names[0] == NULL)
        return bad(r, p->name, word, "is not an integer, as the values before it are");
    if (is_quoted ? !spec_is_quotable(word) : !spec_is_name(word))
        return bad(r, p->name, word,
                   is_quoted ? "cannot stand in quotes: it is empty, long, or "
                               "has a backslash or `\?\?` in it"
                             : "is neither an integer nor a name");
    if (is_among(p->names, p->n_values, word))
        return bad(r, p->name, word, "is given twice");
    p->names[p->n_values] = word;
    p->values[p->n_values] = (int32_t)p->n_values;
    return 0;
}

/* Cuts the next value off *s: 1, or 0 at the end, or -1 with a message. */
static int next_value(struct reader *r, const char *key, char **s, char **word, int *is_quoted)
{
    char *start = *s + strspn(*s, blanks);
    *is_quoted = *start == '"';
    if (!*is_quoted)
        return (*word = next_word(s)) != NULL;
    char *end = strchr(start + 1, '"');
    if (end == NULL || (end[1] != '\0' && strchr(blanks, end[1]) == NULL))
        return bad(r, key, start, "a quoted value ends with a quote and a blank");
    *end = '\0';
    *word = start + 1;
    *s = end + 1;
    return 1;
}

/* Parameters of a single value are not counted. */
static int check_free(const struct reader *r, const char *key)
{
    size_t n = 0;
    for (size_t i = 0; i < r->spec->n_params; i++)
        n += r->spec->params[i].n_values > 1;
    return n <= KPRED_MAX_PARAMS ? 0
                                 : fail("%s:%ld: %s: more than %d parameters of several values",
                                        r->path, r->line, key, KPRED_MAX_PARAMS);
}

static int add_param(struct reader *r, char *key, char *value)
{
    struct spec *s = r->spec;
    if (check_new_name(r, key) != 0)
        return -1;
    if (s->n_params == KPRED_MAX_TUPLE)
        return fail("%s:%ld: %s: more than %d parameters", r->path, r->line, key, KPRED_MAX_TUPLE);
    struct spec_param *p = &s->params[s->n_params];
    char *word = NULL;
    int rc, is_quoted;
    p->name = key;
    for (; (rc = next_value(r, key, &value, &word, &is_quoted)) > 0; p->n_values++) {
        if (p->n_values == KPRED_MAX_VALUES)
            return fail("%s:%ld: %s: more than %d values", r->path, r->line, key, KPRED_MAX_VALUES);
        if ((!is_quoted && is_number_like(word) ? add_number(r, p, word)
                                                : add_name(r, p, word, is_quoted))
            != 0)
            return -1;
    }
    s->n_params++;
    return rc != 0 ? rc : check_free(r, key);
}

/* ---- sections and lines ---- */

/* fail() for a name that is none of those that were offered, with what may have been meant */
static int fail_near(const struct reader *r, const char *what, const struct names_near *near)
{
    struct buf question = {NULL, 0, 0};
    fail("%s:%ld: %s \"%s\"%s", r->path, r->line, what, near->text,
         names_question(near, &question));
    buf_free(&question);
    return -1;
}

static int fail_key(const struct reader *r, const char *key)
{
    struct names_near near = {.text = key};
    char what[64];
    for (size_t i = 0; i < N_SLOTS; i++)
        if (strcmp(slot_names[i].section, r->section->name) == 0)
            names_offer(&near, slot_names[i].key, slot_names[i].key);
    snprintf(what, sizeof what, "[%s]: unknown key", r->section->name);
    return fail_near(r, what, &near);
}

static int set_slot(struct reader *r, char *key, char *value)
{
    size_t i = 0;
    while (i < N_SLOTS
           && (strcmp(slot_names[i].section, r->section->name) != 0
               || strcmp(slot_names[i].key, key) != 0))
        i++;
    if (i == N_SLOTS)
        return fail_key(r, key);
    if (r->text[i] != NULL)
        return fail("%s:%ld: %s: is already given in line %ld", r->path, r->line, key, r->at[i]);
    r->text[i] = value;
    r->at[i] = r->line;
    return 0;
}

static int add_keyed(struct reader *r, char *line)
{
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return fail("%s:%ld: \"%s\": is not of the form key = value", r->path, r->line, line);
    *equals = '\0';
    char *key = trim_blanks(line), *value = trim_blanks(equals + 1);
    if (*key == '\0')
        return fail("%s:%ld: there is no key before the `=`", r->path, r->line);
    if (*value == '\0')
        return fail("%s:%ld: %s: has no value", r->path, r->line, key);
    return r->section->add(r, key, value);
}

static struct spec_lines *lines_of(const struct reader *r, const struct section *section)
{
    return (struct spec_lines *)(void *)((char *)r->spec + section->raw);
}

static int add_raw(struct reader *r, char *line)
{
    struct spec_lines *lines = lines_of(r, r->section);
    lines->v = xrealloc(lines->v, lines->n + 1, sizeof *lines->v);
    lines->v[lines->n].text = line;
    lines->v[lines->n].column = r->column;
    lines->v[lines->n++].line = r->line;
    return 0;
}

#define RAW(lines) NULL, offsetof(struct spec, lines)
static const struct section sections[] = {
    {"kernel", set_slot, 0},     {"data", set_slot, 0},        {"fields", add_field, 0},
    {"params", add_param, 0},    {"split", set_slot, 0},       {"derived", RAW(derived)},
    {"features", RAW(features)}, {"network", RAW(network)},    {"judge", RAW(judge)},
    {"labels", set_slot, 0},     {"calibration", set_slot, 0}, {"restrict", RAW(restricts)},
    {"unseen", RAW(unseen)},     {"kernels", RAW(kernels)},
};
enum {
    KERNEL,
    DATA,
    FIELDS,
    PARAMS,
    SPLIT,
    DERIVED,
    FEATURES,
    NETWORK,
    JUDGE,
    LABELS,
    CALIBRATION,
    RESTRICT,
    UNSEEN,
    KERNELS,
    N_SECTIONS
};

static int fail_section(const struct reader *r, const char *name)
{
    struct names_near near = {.text = name};
    for (size_t i = 0; i < N_SECTIONS; i++)
        names_offer(&near, sections[i].name, sections[i].name);
    return fail_near(r, "unknown section", &near);
}

static int open_section(struct reader *r, char *line)
{
    size_t i = 0, n = strlen(line);
    if (line[n - 1] != ']')
        return fail("%s:%ld: \"%s\": a section's heading ends with `]`", r->path, r->line, line);
    line[n - 1] = '\0';
    line = trim_blanks(line + 1);
    while (i < N_SECTIONS && strcmp(sections[i].name, line) != 0)
        i++;
    if (i == N_SECTIONS)
        return fail_section(r, line);
    if (r->opened[i] != 0 && i != DERIVED) /* default_features_give adds to that */
        return fail("%s:%ld: section \"%s\": is already in line %ld", r->path, r->line, line,
                    r->opened[i]);
    r->opened[i] = r->line;
    r->section = &sections[i];
    return 0;
}

/* C joins such a line with the next one: "*" at the end of one and "/" in front of the other would
   be a mark. A compiler may pass over blanks behind the backslash. */
static int is_joined(const char *line)
{
    size_t n = strlen(line);
    while (n > 0 && strchr(blanks, line[n - 1]) != NULL)
        n--;
    return n > 0 && (line[n - 1] == '\\' || (n > 2 && memcmp(line + n - 3, "?\?/", 3) == 0));
}

/* The text goes into a C comment of the generated header, so it must not end or open one. */
static int check_text(const struct reader *r, const char *line)
{
    for (const char *p = line; *p != '\0'; p++)
        if (((unsigned char)*p < 0x20 && strchr(blanks, *p) == NULL) || *p == 0x7f)
            return fail("%s:%ld: byte 0x%02x: is not allowed in a text file", r->path, r->line,
                        (unsigned char)*p);
    if (strstr(line, "*/") != NULL || strstr(line, "/*") != NULL)
        return fail("%s:%ld: a comment mark of C cannot stand in a spec%s", r->path, r->line,
                    ends_with(r->path, ".h") ? ": is it a header?" : "");
    if (is_joined(line))
        return fail("%s:%ld: a line of a spec cannot end in a backslash, or in ?\?/, which is one",
                    r->path, r->line);
    return 0;
}

static int read_line(struct reader *r, char *line)
{
    if (check_text(r, line) != 0)
        return -1;
    const char *start = line;
    line = trim_blanks(line);
    r->column = line - start + 1;
    if (*line == '\0' || *line == '#' || *line == ';')
        return 0;
    if (*line == '[')
        return open_section(r, line);
    if (r->section == NULL)
        return fail("%s:%ld: \"%s\": stands before the first [section]: is it a spec? `kpred-train "
                    "init` makes one of a table",
                    r->path, r->line, line);
    return r->section->add != NULL ? add_keyed(r, line) : add_raw(r, line);
}

static int read_lines(struct reader *r, char *text)
{
    for (char *line; (line = next_line(&text)) != NULL;) {
        r->line++;
        if (read_line(r, line) != 0)
            return -1;
    }
    return 0;
}

/* ---- split keys ---- */

static int find_field(const struct reader *r, const char *name, size_t *out)
{
    int i = spec_field_index(r->spec, name);
    if (i < 0)
        return fail("%s:%ld: split key: \"%s\": is not a field", r->path, r->line, name);
    if (strcmp(name, "gpu") == 0)
        return fail("%s:%ld: split key: \"gpu\": a key is the same on every GPU", r->path, r->line);
    *out = (size_t)i;
    return 0;
}

static int find_size(const struct reader *r, const char *name, size_t *out)
{
    if (find_field(r, name, out) != 0)
        return -1;
    if (r->spec->fields[*out].n_tokens != 0)
        return fail("%s:%ld: split key: \"%s\": is not a size", r->path, r->line, name);
    return 0;
}

/* canonical() of a spec that has fields for filters and their pads, strides and dilations */
static int parse_canonical_of_fields(const struct reader *r, struct split_item *it,
                                     const char *name)
{
    const int is_h = *name == 'h';
    return find_size(r, name, &it->a) != 0 || find_size(r, is_h ? "y" : "x", &it->filter_at) != 0
                   || find_size(r, is_h ? "pad_h" : "pad_w", &it->pad_at) != 0
                   || find_size(r, is_h ? "stride_h" : "stride_w", &it->b) != 0
                   || find_size(r, is_h ? "dil_h" : "dil_w", &it->dilation_at) != 0
               ? -1
               : 0;
}

static int parse_canonical(const struct reader *r, struct split_item *it, const char *name)
{
    const struct spec *s = r->spec;
    if (strcmp(name, "h") != 0 && strcmp(name, "w") != 0)
        return fail("%s:%ld: split key: canonical(%s): only h and w have a canonical size", r->path,
                    r->line, name);
    it->kind = SPLIT_CANONICAL;
    if (spec_field_index(s, *name == 'h' ? "y" : "x") >= 0)
        return parse_canonical_of_fields(r, it, name);
    if (s->filter_h == 0 || s->pad < 0)
        return fail("%s:%ld: split key: canonical(%s): needs filter and pad in [data]", r->path,
                    r->line, name);
    it->filter = *name == 'h' ? s->filter_h : s->filter_w;
    it->pad = s->pad;
    return find_size(r, name, &it->a) != 0 || find_size(r, "stride", &it->b) != 0 ? -1 : 0;
}

/* min(a,b), max(a,b) or canonical(a); `open` is where the parenthesis opens. */
static int parse_call(const struct reader *r, struct split_item *it, char *word, char *open)
{
    size_t n = strlen(open);
    char *comma = strchr(open, ',');
    if (open[n - 1] != ')')
        return fail("%s:%ld: split key: \"%s\": lacks a `)`", r->path, r->line, word);
    open[n - 1] = '\0';
    *open = '\0';
    if (strcmp(word, "canonical") == 0)
        return parse_canonical(r, it, trim_blanks(open + 1));
    if (strcmp(word, "octave") == 0) {
        it->kind = SPLIT_OCTAVE;
        return find_size(r, trim_blanks(open + 1), &it->a);
    }
    it->kind = strcmp(word, "max") == 0 ? SPLIT_MAX : SPLIT_MIN;
    if (strcmp(word, "min") != 0 && strcmp(word, "max") != 0)
        return fail("%s:%ld: split key: \"%s\": is not one of min, max, canonical, octave", r->path,
                    r->line, word);
    if (comma == NULL)
        return fail("%s:%ld: split key: %s: takes two fields", r->path, r->line, word);
    *comma = '\0';
    return find_size(r, trim_blanks(open + 1), &it->a) != 0
                   || find_size(r, trim_blanks(comma + 1), &it->b) != 0
               ? -1
               : 0;
}

static int parse_item(const struct reader *r, struct split_item *it, char *word)
{
    char *open = strchr(word, '(');
    if (*word == '\0')
        return fail("%s:%ld: split key: has an empty item", r->path, r->line);
    if (*word >= '0' && *word <= '9') {
        it->kind = SPLIT_LITERAL;
        it->literal = word;
        return 0;
    }
    if (open != NULL)
        return parse_call(r, it, word, open);
    it->kind = SPLIT_FIELD;
    return find_field(r, word, &it->a);
}

/* The end of the item that begins at `s`: a comma outside of parentheses, or the end. */
static char *item_end(char *s)
{
    int depth = 0;
    for (; *s != '\0' && (*s != ',' || depth > 0); s++)
        depth += (*s == '(') - (*s == ')');
    return s;
}

static int parse_split(struct reader *r, enum slot slot, struct split_key *key)
{
    char *s = r->text[slot];
    int more = s != NULL;
    r->line = r->at[slot];
    while (more) {
        char *end = item_end(s);
        more = *end == ',';
        *end = '\0';
        if (key->n == SPEC_MAX_ITEMS)
            return fail("%s:%ld: split key: more than %d items", r->path, r->line, SPEC_MAX_ITEMS);
        if (parse_item(r, &key->items[key->n++], trim_blanks(s)) != 0)
            return -1;
        s = end + 1;
    }
    return 0;
}

/* The key config of a spec that has none: all fields but the GPU */
static void default_config(struct spec *s)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, "gpu") != 0)
            s->config.items[s->config.n++] =
                (struct split_item){.kind = SPLIT_FIELD, .a = i, .b = i};
}

/* ---- what can only be said of the whole ---- */

static int check_sections(const struct reader *r)
{
    static const int needed[] = {KERNEL, DATA, FIELDS, PARAMS};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (r->opened[needed[i]] == 0)
            return fail("%s:%ld: there is no section [%s]", r->path, r->line,
                        sections[needed[i]].name);
    if (r->spec->n_fields == 0)
        return fail("%s:%ld: [fields]: is empty", r->path, r->opened[FIELDS]);
    if (r->spec->n_params == 0)
        return fail("%s:%ld: [params]: is empty", r->path, r->opened[PARAMS]);
    return 0;
}

/* The slot's text, with r->line at its line; NULL after a message if the spec lacks it. */
static const char *required(struct reader *r, enum slot slot)
{
    const char *section = slot_names[slot].section;
    r->line = r->at[slot];
    if (r->text[slot] == NULL)
        fail("%s:%ld: [%s]: key \"%s\" is missing", r->path,
             r->opened[strcmp(section, "kernel") == 0 ? KERNEL : DATA], section,
             slot_names[slot].key);
    return r->text[slot];
}

/* The generated header includes it, so it lies where --include-dir says, and nowhere else. */
static int is_header_name(const char *s)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./-";
    return s[strspn(s, letters)] == '\0' && ends_with(s, ".h") && *s != '/'
           && strstr(s, "..") == NULL;
}

static int finish_kernel(struct reader *r)
{
    struct spec *s = r->spec;
    s->name = required(r, NAME);
    if (s->name == NULL)
        return -1;
    s->name_line = r->line;
    if (!is_identifier(s->name) || strlen(s->name) > NAMES_MOST_MODEL)
        return bad(r, "name", s->name, "is not an identifier of at most 43 characters");
    s->rule = r->text[RULE] != NULL ? r->text[RULE] : "unconstrained";
    r->line = r->text[RULE] != NULL ? r->at[RULE] : r->line;
    if (!is_identifier(s->rule))
        return bad(r, "rule", s->rule,
                   "is neither a function's name nor `unconstrained` nor `listed`");
    if (r->opened[KERNELS] && !spec_is_unconstrained(s))
        return bad(r, "rule", s->rule, "stands beside a section [kernels], which is the rule");
    if (r->opened[RESTRICT] && !spec_is_unconstrained(s))
        return bad(r, "rule", s->rule, "stands beside a section [restrict]: only one of them may");
    s->listed_by = r->text[LISTED_BY];
    s->listed_by_line = r->line = r->at[LISTED_BY];
    if (s->listed_by != NULL && !spec_is_listed(s))
        return bad(r, "listed_by", s->listed_by, "is only for `rule = listed`");
    s->title = r->text[TITLE] != NULL ? r->text[TITLE] : "";
    s->source = r->text[SOURCE] != NULL ? r->text[SOURCE] : "";
    s->licence = r->text[LICENCE];
    s->header = r->text[HEADER];
    if (s->header == NULL)
        return spec_is_unconstrained(s) || spec_is_listed(s) || required(r, HEADER) != NULL ? 0
                                                                                            : -1;
    r->line = r->at[HEADER];
    return is_header_name(s->header) ? 0 : bad(r, "header", s->header, "is not a header's name");
}

/* ---- where the kernel runs, and its calibration ---- */

/* "gfx" and three hexadecimal digits, or four of which the first is 1: what kpred_runs_on takes */
static int is_arch(const char *s)
{
    const size_t n = strncmp(s, "gfx", 3) == 0 ? strspn(s + 3, "0123456789abcdef") : 0;
    return n > 0 && n == (s[3] == '1' ? 4 : 3) && s[3 + n] == '\0';
}

static int runs_on(const struct spec *s, const char *gpu)
{
    const char *const *arch = s->runs_on;
    while (*arch != NULL && strncmp(gpu, *arch, strlen(*arch)) != 0)
        arch++;
    return *arch != NULL;
}

/* At least one GPU of the spec is among them. (A rule may name GPUs that no kernel runs on.) */
static int check_runs_on(const struct reader *r)
{
    const int i = spec_field_index(r->spec, "gpu");
    const struct spec_field *gpu = &r->spec->fields[i < 0 ? 0 : i];
    size_t t = 0;
    while (t < gpu->n_tokens && !runs_on(r->spec, gpu->tokens[t]))
        t++;
    return i < 0 || t < gpu->n_tokens
               ? 0
               : bad(r, "runs_on", r->spec->runs_on[0], "none of the spec's GPUs is of this list");
}

static int parse_runs_on(struct reader *r, char *rest)
{
    char *word;
    size_t n = 0;
    r->line = r->at[RUNS_ON];
    while (rest != NULL && (word = next_word(&rest)) != NULL) {
        if (n == SPEC_MAX_ARCHS)
            return fail("%s:%ld: runs_on: more than %d architectures", r->path, r->line,
                        SPEC_MAX_ARCHS);
        if (!is_arch(word))
            return bad(r, "runs_on", word, "is not an architecture such as gfx906");
        r->spec->runs_on[n++] = word;
    }
    return n == 0 ? 0 : check_runs_on(r);
}

/* A decimal number of at most four places, in units of the last: 0, or -1 without a message. */
static int parse_decimal(const char *text, int64_t *out)
{
    const char *point = strchr(text, '.');
    char digits[16];
    const size_t whole = point != NULL ? (size_t)(point - text) : strlen(text);
    const size_t places = point != NULL ? strlen(point + 1) : 0;
    if (whole < 1 || whole > 4 || places > 4 || (point != NULL && places == 0))
        return -1;
    snprintf(digits, sizeof digits, "%.*s%.*s%.*s", (int)whole, text, (int)places,
             point != NULL ? point + 1 : "", (int)(4 - places), "0000");
    return parse_int(digits, 0, 99999999, out);
}

static int parse_calibration(struct reader *r)
{
    enum { UNIT = 10000 };
    for (int i = 0; i < SPEC_N_CALIBRATED; i++) {
        const enum slot slot = (enum slot)(CALIBRATED_CONFIG + i);
        int64_t t = UNIT;
        r->line = r->at[slot];
        if (r->text[slot] != NULL
            && (parse_decimal(r->text[slot], &t) != 0 || t < UNIT * 55 / 100 || t > 8 * UNIT))
            return bad(r, slot_names[slot].key, r->text[slot],
                       "is not a temperature from 0.55 to 8 of at most four places");
        r->spec->scale[i] = (uint32_t)(((int64_t)KPRED_SCALE_ONE * UNIT + t / 2) / t);
    }
    return 0;
}

static int parse_filter(struct reader *r, char *text)
{
    int64_t h, w;
    char *x = strchr(text, 'x');
    r->line = r->at[FILTER];
    if (x != NULL)
        *x = '\0';
    int rc =
        x == NULL || parse_int(text, 1, 1 << 12, &h) != 0 || parse_int(x + 1, 1, 1 << 12, &w) != 0;
    if (x != NULL)
        *x = 'x';
    if (rc)
        return bad(r, "filter", text, "is not a filter size such as 3x3");
    r->spec->filter_h = (int32_t)h;
    r->spec->filter_w = (int32_t)w;
    return 0;
}

static int parse_pad(struct reader *r, const char *text)
{
    int64_t v;
    r->line = r->at[PAD];
    if (parse_int(text, 0, 1 << 12, &v) != 0)
        return bad(r, "pad", text, "is not an integer from 0 to 4096");
    r->spec->pad = (int32_t)v;
    return 0;
}

/* A spec of convolutions has either the fields, of which this is one, or the key of [data]. */
static int check_key_or_field(struct reader *r, enum slot slot, const char *field, const char *both)
{
    const int has_field = spec_field_index(r->spec, field) >= 0;
    if (!has_field)
        return required(r, slot) != NULL ? 0 : -1;
    r->line = r->at[slot];
    return r->text[slot] == NULL ? 0 : bad(r, slot_names[slot].key, r->text[slot], both);
}

static int check_convolution(struct reader *r)
{
    return check_key_or_field(r, FILTER, "y", "the fields y and x say it") != 0
                   || check_key_or_field(r, PAD, "pad_h", "the fields pad_h and pad_w say it") != 0
               ? -1
               : 0;
}

/* The options of a find-db are its solvers: one parameter, whose values are their names. */
static int check_find_db(struct reader *r)
{
    const struct spec *s = r->spec;
    r->line = r->opened[PARAMS];
    if (s->n_params != 1 || s->params[0].names[0] == NULL)
        return fail("%s:%ld: [params]: for find-db it is one parameter, the names of the solvers",
                    r->path, r->line);
    r->line = r->at[SOLVER];
    return r->text[SOLVER] == NULL ? 0
                                   : bad(r, "solver", r->text[SOLVER],
                                         "a find-db has all solvers, [params] names them");
}

static int check_solver(struct reader *r)
{
    r->spec->solver = required(r, SOLVER);
    if (r->spec->solver == NULL)
        return -1;
    r->line = r->at[SOLVER];
    return spec_is_quotable(r->spec->solver) && strpbrk(r->spec->solver, "\"=;:") == NULL
               ? 0
               : bad(r, "solver", r->spec->solver, "cannot be the name of a solver");
}

/* What AITER's tables name are kernels. */
static int check_aiter(struct reader *r)
{
    struct spec *s = r->spec;
    s->family = required(r, FAMILY);
    if (s->family == NULL)
        return -1;
    s->unsearched = r->text[UNSEARCHED];
    s->counted = r->text[COUNTED];
    s->ignored = r->text[IGNORED];
    s->without = r->text[WITHOUT];
    s->family_line = r->at[FAMILY];
    return r->opened[KERNELS] != 0 ? 0
                                   : fail("%s:%ld: format = aiter: there is no section [kernels]",
                                          r->path, r->at[FORMAT]);
}

const char *const triton_families[TRITON_N_KERNELS] = {"moe", "moe_down", "block_gemm"};
const char *const triton_fields[TRITON_N_FIELDS] = {
    "server", "gpu", "dtype", "block", "per_channel", "E", "N", "K", "M"};
const char *const triton_members[TRITON_N_MEMBERS] = {
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",         "GROUP_SIZE_M", "num_warps",
    "num_stages",   "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

size_t triton_index(const char *name, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* What is wrong with a field of that name in a spec of that family, or with a parameter; NULL:
   nothing is. */
static const char *triton_field_trouble(enum triton_kernel family, const char *name, int has_tokens)
{
    const size_t i = triton_index(name, triton_fields, TRITON_N_FIELDS);
    const int is_gemm = family == TRITON_BLOCK_GEMM, has_to = i <= TRITON_DTYPE;
    if (i == TRITON_N_FIELDS || i == (is_gemm ? TRITON_E : TRITON_K))
        return is_gemm ? "is not one of server, gpu, dtype, block, per_channel, N, K and M"
                       : "is not one of server, gpu, dtype, block, per_channel, E, N and M";
    return has_to == has_tokens ? NULL : has_to ? "has to be tokens" : "has to be a size";
}

static const char *triton_param_trouble(const char *name, int has_names)
{
    if (triton_index(name, triton_members, TRITON_N_MEMBERS) == TRITON_N_MEMBERS)
        return "is not a member of a tuple in the files";
    return has_names ? "has to be integers" : NULL;
}

static int check_triton_names(const struct reader *r, enum triton_kernel family)
{
    const struct spec *s = r->spec;
    for (size_t i = 0; i < s->n_fields; i++) {
        const char *name = s->fields[i].name,
                   *why = triton_field_trouble(family, name, s->fields[i].n_tokens != 0);
        if (why != NULL)
            return fail("%s: format = triton: field %s: %s", r->path, name, why);
    }
    for (size_t i = 0; i < s->n_params; i++) {
        const char *name = s->params[i].name,
                   *why = triton_param_trouble(name, s->params[i].names[0] != NULL);
        if (why != NULL)
            return fail("%s: format = triton: parameter %s: %s", r->path, name, why);
    }
    return 0;
}

/* Its fields and parameters have names of their own, and of these the tile has to be there: no
   value of it goes without saying. */
static int check_triton(struct reader *r)
{
    struct spec *s = r->spec;
    s->family = required(r, FAMILY);
    s->family_line = r->at[FAMILY];
    if (s->family == NULL)
        return -1;
    const size_t family = triton_index(s->family, triton_families, TRITON_N_KERNELS);
    if (family == TRITON_N_KERNELS)
        return bad(r, "family", s->family, "is not one of moe, moe_down and block_gemm");
    if (check_triton_names(r, (enum triton_kernel)family) != 0)
        return -1;
    for (int i = TRITON_BLOCK_SIZE_M; i <= TRITON_BLOCK_SIZE_K; i++)
        if (spec_param_index(s, triton_members[i]) < 0)
            return fail("%s: format = triton: there is no parameter %s", r->path,
                        triton_members[i]);
    return 0;
}

/* The keys of [data] that go with its format. */
static int check_format(struct reader *r)
{
    switch (r->spec->format) {
    case SPEC_MIOPEN: return check_solver(r) != 0 ? -1 : check_convolution(r);
    case SPEC_FIND_DB: return check_find_db(r) != 0 ? -1 : check_convolution(r);
    case SPEC_AITER: return check_aiter(r);
    case SPEC_TRITON: return check_triton(r);
    case SPEC_TENSILE:
    case SPEC_TIMED:
    case SPEC_CSV:
    case SPEC_N_FORMATS: break;
    }
    return r->text[SOLVER] != NULL ? check_solver(r) : 0;
}

/* Timed rows have a column of times beside the columns of fields and parameters. */
static int check_time(struct reader *r)
{
    static const char *const columns[] = {"time_us", "time_ms"};
    struct spec *s = r->spec;
    s->metric = r->text[METRIC];
    r->line = r->at[METRIC];
    if (s->metric != NULL && s->format != SPEC_TIMED)
        return bad(r, "metric", s->metric,
                   "only data of format = timed have a column that it names");
    if (s->metric != NULL
        && (spec_field_index(s, s->metric) >= 0 || spec_param_index(s, s->metric) >= 0))
        return bad(r, "metric", s->metric, "is a field or a parameter");
    for (size_t i = 0; i < 2 && spec_is_timed(s); i++)
        if (spec_field_index(s, columns[i]) >= 0 || spec_param_index(s, columns[i]) >= 0)
            return fail("%s: %s: is the time of each row, not a field or parameter", r->path,
                        columns[i]);
    return 0;
}

/* Is the word about that column? */
static int is_success_of(const char *word, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(word, name, n) == 0 && (word[n] == '=' || word[n] == '<' || word[n] == '>');
}

static int check_success(struct reader *r, const char *word)
{
    const struct spec *s = r->spec;
    if (strchr(word, '=') == NULL || *word == '=')
        return bad(r, "success", word, "is not of the form COLUMN=VALUE");
    for (size_t i = 0; i < s->n_fields; i++)
        if (is_success_of(word, s->fields[i].name))
            return bad(r, "success", word, "is of a field");
    for (size_t i = 0; i < s->n_params; i++)
        if (is_success_of(word, s->params[i].name))
            return bad(r, "success", word, "is of a parameter");
    return 0;
}

static int parse_success(struct reader *r, char *text)
{
    struct spec *s = r->spec;
    char *word = NULL;
    int rc = 0, is_quoted;
    r->line = r->at[SUCCESS];
    if (text != NULL && s->format != SPEC_TIMED && s->format != SPEC_CSV)
        return bad(r, "success", text, "only data of format = timed or csv have such columns");
    while (text != NULL && (rc = next_value(r, "success", &text, &word, &is_quoted)) > 0) {
        if (s->n_success == SPEC_MAX_SUCCESS)
            return bad(r, "success", word, "is one word too many");
        if (check_success(r, word) != 0)
            return -1;
        s->success[s->n_success++] = word;
    }
    return rc;
}

static int parse_format(struct reader *r)
{
    const char *format = required(r, FORMAT);
    size_t i = 0;
    if (format == NULL)
        return -1;
    while (i < SPEC_N_FORMATS && strcmp(format, spec_formats[i]) != 0)
        i++;
    if (i == SPEC_N_FORMATS)
        return bad(r, "format", format,
                   "is neither miopen nor csv, timed, find-db, tensile, aiter or triton");
    r->spec->format = (enum spec_format)i;
    return 0;
}

static int finish_data(struct reader *r)
{
    if (parse_format(r) != 0 || check_format(r) != 0 || check_time(r) != 0
        || parse_success(r, r->text[SUCCESS]) != 0)
        return -1;
    r->spec->pad = -1;
    if (r->text[FILTER] != NULL && parse_filter(r, r->text[FILTER]) != 0)
        return -1;
    return r->text[PAD] != NULL ? parse_pad(r, r->text[PAD]) : 0;
}

/* ---- what of the data is left out, and where they are ---- */

/* Timed data have the times of all options, and no row of them is a mistake. */
static int check_untimed(struct reader *r, enum slot slot)
{
    r->line = r->at[slot];
    return spec_is_timed(r->spec) ? bad(r, slot_names[slot].key, r->text[slot],
                                        "no row of data with times is left out for that")
                                  : 0;
}

/* A field's value given as text: 0, or -1 without a message. */
static int parse_field_value(const struct spec_field *f, const char *text, int64_t *out)
{
    if (f->n_tokens == 0)
        return parse_int(text, f->least, f->most, out);
    *out = spec_token(f, text);
    return *out < 0 ? -1 : 0;
}

static int parse_retired(struct reader *r, char *text)
{
    struct spec *s = r->spec;
    char *end = text + strcspn(text, blanks);
    const char *value = end + strspn(end, blanks), cut = *end;
    if (check_untimed(r, RETIRED) != 0)
        return -1;
    *end = '\0';
    const int i = spec_field_index(s, text);
    *end = cut;
    if (i < 0 || parse_field_value(&s->fields[i], value, &s->retired_value) != 0)
        return bad(r, "retired", text, "is not a field with one of its values");
    s->retired = text;
    s->retired_field = (size_t)i;
    return 0;
}

static int parse_failed(struct reader *r, char *text)
{
    struct spec *s = r->spec;
    size_t n = 0;
    char *word = NULL;
    int rc, is_quoted;
    int64_t v;
    if (check_untimed(r, FAILED) != 0)
        return -1;
    for (; (rc = next_value(r, "failed", &text, &word, &is_quoted)) > 0; n++) {
        if (n == s->n_params)
            return bad(r, "failed", word, "is one too many: there is one value a parameter");
        if (s->params[n].names[0] == NULL && parse_int(word, INT32_MIN, INT32_MAX, &v) != 0)
            return bad(r, "failed", word, "is not an integer");
        s->failed[n] = word;
    }
    if (rc == 0 && n < s->n_params)
        return fail("%s:%ld: failed: has no value for parameter %s", r->path, r->line,
                    s->params[n].name);
    return rc;
}

/* Scripts look files up in a folder of theirs, and take the text apart at its blanks. */
static int check_files(struct reader *r, enum slot slot)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    const char *p = r->text[slot];
    r->line = r->at[slot];
    while (p != NULL && *p != '\0') {
        const size_t n = strcspn(p, blanks);
        if (strspn(p, letters) < n || strchr(".-+", *p) != NULL)
            return fail("%s:%ld: %s: value \"%.*s\": is not a plain name of a file", r->path,
                        r->line, slot_names[slot].key, (int)n, p);
        p += n + strspn(p + n, blanks);
    }
    return 0;
}

static int check_params(struct reader *r, enum slot slot)
{
    char *word, *rest = r->text[slot];
    r->line = r->at[slot];
    while (rest != NULL && (word = next_word(&rest)) != NULL)
        if (spec_param_index(r->spec, word) < 0)
            return bad(r, slot_names[slot].key, word, "is not a parameter");
    return 0;
}

static int check_shipped(struct reader *r, const char *split)
{
    r->line = r->at[SHIPPED];
    return strcmp(split, "config") == 0 || strcmp(split, "shape") == 0 || strcmp(split, "none") == 0
               ? 0
               : bad(r, "shipped", split, "is not one of config, shape, none");
}

static int finish_rows(struct reader *r)
{
    if (r->text[RETIRED] != NULL && parse_retired(r, r->text[RETIRED]) != 0)
        return -1;
    if (r->text[FAILED] != NULL && parse_failed(r, r->text[FAILED]) != 0)
        return -1;
    for (int slot = FILES; slot <= OLDER; slot++)
        if (check_files(r, (enum slot)slot) != 0)
            return -1;
    if (check_params(r, CAPPED) != 0 || check_params(r, BLIND) != 0)
        return -1;
    r->spec->shipped = r->text[SHIPPED] != NULL ? r->text[SHIPPED] : "config";
    return r->text[SHIPPED] != NULL ? check_shipped(r, r->text[SHIPPED]) : 0;
}

/* ---- the whole ---- */

static int finish(struct reader *r)
{
    struct spec *s = r->spec;
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].add == NULL)
            lines_of(r, &sections[i])->line = r->opened[i];
    if (check_sections(r) != 0 || finish_kernel(r) != 0 || finish_data(r) != 0
        || finish_rows(r) != 0 || parse_runs_on(r, r->text[RUNS_ON]) != 0
        || parse_calibration(r) != 0)
        return -1;
    if (parse_split(r, CONFIG, &s->config) != 0)
        return -1;
    if (s->config.n == 0)
        default_config(s);
    if (parse_split(r, SHAPE, &s->shape) != 0)
        return -1;
    return parse_split(r, BALANCE, &s->balance);
}

/* ---- interface ---- */

int spec_parse(struct spec *s, const char *text, const char *path)
{
    struct reader r = {.spec = s};
    memset(s, 0, sizeof *s);
    s->path = r.path = s->owned[0] = xstrdup(path);
    s->text = s->owned[1] = xstrdup(text);
    s->owned[2] = xstrdup(text);
    if (read_lines(&r, s->owned[2]) == 0 && finish(&r) == 0)
        return 0;
    spec_free(s);
    return -1;
}

int spec_load(struct spec *s, const char *path)
{
    struct buf text = {0};
    int rc = read_text(path, SPEC_MAX_BYTES, &text);
    if (rc == 0 && strlen(text.s) != text.n)
        rc = fail("%s: is not a text file: it holds a NUL byte", path);
    if (rc == 0)
        rc = spec_parse(s, text.s, path);
    buf_free(&text);
    return rc;
}

void spec_free(struct spec *s)
{
    for (size_t i = 0; i < 3; i++)
        free(s->owned[i]);
    free(s->derived.v);
    free(s->features.v);
    free(s->network.v);
    free(s->judge.v);
    free(s->restricts.v);
    free(s->unseen.v);
    free(s->kernels.v);
    memset(s, 0, sizeof *s);
}

int spec_is_unconstrained(const struct spec *s)
{
    return strcmp(s->rule, "unconstrained") == 0;
}

int spec_is_listed(const struct spec *s)
{
    return strcmp(s->rule, "listed") == 0;
}

int spec_is_timed(const struct spec *s)
{
    return s->format == SPEC_FIND_DB || s->format == SPEC_TENSILE || s->format == SPEC_TIMED
           || s->format == SPEC_AITER;
}

uint32_t spec_scale(const struct spec *s, const char *split)
{
    return s->scale[strncmp(split, "config", 6) == 0  ? SPEC_CONFIG
                    : strncmp(split, "shape", 5) == 0 ? SPEC_SHAPE
                                                      : SPEC_NONE];
}

int spec_field_index(const struct spec *s, const char *name)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

int spec_param_index(const struct spec *s, const char *name)
{
    for (size_t i = 0; i < s->n_params; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

int spec_token(const struct spec_field *f, const char *name)
{
    return number_find(f->tokens, f->n_tokens, name);
}

int spec_value_index(const struct spec_param *p, const char *text)
{
    int64_t v = 0;
    if (p->names[0] != NULL)
        return number_find(p->names, p->n_values, text);
    if (parse_whole(text, INT32_MIN, INT32_MAX, &v) != 0)
        return -1;
    for (size_t i = 0; i < p->n_values; i++)
        if (p->values[i] == v)
            return (int)i;
    return -1;
}

const char *spec_tokens_text(const struct spec_field *f, struct buf *b)
{
    for (size_t i = 0; i < f->n_tokens; i++)
        buf_printf(b, "%s%s", i != 0 ? " " : "", f->tokens[i]);
    return b->s;
}

const char *spec_value_text(const struct spec_param *p, size_t i, char b[12])
{
    if (p->names[0] != NULL)
        return p->names[i];
    snprintf(b, 12, "%ld", (long)p->values[i]);
    return b;
}

const char *spec_values_text(const struct spec_param *p, struct buf *b)
{
    char number[12];
    for (size_t i = 0; i < p->n_values; i++)
        buf_printf(b, "%s%s", i != 0 ? " " : "", spec_value_text(p, i, number));
    return b->s;
}
