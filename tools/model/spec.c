/* spec.c - parser of the .spec text
   SPDX-License-Identifier: MIT */
#include "spec.h"
#include "base/names.h"
#include "header.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const spec_formats[SPEC_N_FORMATS] = {"miopen", "csv",   "find-db", "tensile",
                                                  "timed",  "aiter", "triton"};

/* ---- what a parser in progress knows ---- */

struct reader;

/* The keys with one text each; the others are fields and parameters. Where the spec keeps a text as
   it is (0: nowhere), and what looks at it when all is read (NULL: nothing), in this order. */
#define SLOTS(X)                                                        \
    X(NAME, "kernel", "name", TO(name), check_name)                     \
    X(TITLE, "kernel", "title", TO(title), NULL)                        \
    X(SOURCE, "kernel", "source", TO(source), NULL)                     \
    X(RULE, "kernel", "rule", TO(rule), check_rule)                     \
    X(LISTED_BY, "kernel", "listed_by", TO(listed_by), check_listed_by) \
    X(HEADER, "kernel", "header", TO(header), check_header)             \
    X(LICENCE, "kernel", "licence", TO(licence), NULL)                  \
    X(FORMAT, "data", "format", 0, check_format)                        \
    X(METRIC, "data", "metric", TO(metric), check_metric)               \
    X(SUCCESS, "data", "success", 0, parse_success)                     \
    X(SOLVER, "data", "solver", 0, NULL)                                \
    X(FILTER, "data", "filter", 0, parse_filter)                        \
    X(PAD, "data", "pad", 0, parse_pad)                                 \
    X(RETIRED, "data", "retired", TO(retired), parse_retired)           \
    X(FAILED, "data", "failed", 0, parse_failed)                        \
    X(FILES, "data", "files", 0, check_files)                           \
    X(BESIDE, "data", "beside", 0, check_files)                         \
    X(OLDER, "data", "older", 0, check_files)                           \
    X(FAMILY, "data", "family", TO(family), NULL)                       \
    X(UNSEARCHED, "data", "unsearched", TO(unsearched), NULL)           \
    X(COUNTED, "data", "counted", TO(counted), NULL)                    \
    X(IGNORED, "data", "ignored", TO(ignored), NULL)                    \
    X(WITHOUT, "data", "without", TO(without), NULL)                    \
    X(WITNESSES, "labels", "witnesses", 0, NULL)                        \
    X(CAPPED, "labels", "capped", 0, check_params)                      \
    X(BLIND, "labels", "blind", 0, check_params)                        \
    X(SHIPPED, "split", "shipped", TO(shipped), check_shipped)          \
    X(RUNS_ON, "kernel", "runs_on", 0, parse_runs_on)                   \
    X(CALIBRATED_CONFIG, "calibration", "config", 0, parse_temperature) \
    X(CALIBRATED_SHAPE, "calibration", "shape", 0, parse_temperature)   \
    X(CALIBRATED_NONE, "calibration", "none", 0, parse_temperature)     \
    X(CONFIG, "split", "config", 0, parse_split)                        \
    X(SHAPE, "split", "shape", 0, parse_split)                          \
    X(BALANCE, "split", "balance", 0, parse_split)
#define SLOT(slot, section, key, to, check) slot,
#define TO(member)                          offsetof(struct spec, member)
enum slot { SLOTS(SLOT) N_SLOTS };
static const struct slot_of_spec {
    const char *section, *key;
    size_t to;
    int (*check)(struct reader *r, char *text);
} slots[N_SLOTS];

/* Lines of a section go to `add`, or are kept as they are (NULL) in this struct spec_lines. */
#define SECTIONS(X)                              \
    X(KERNEL, "kernel", set_slot, 0)             \
    X(DATA, "data", set_slot, 0)                 \
    X(FIELDS, "fields", add_field, 0)            \
    X(PARAMS, "params", add_param, 0)            \
    X(SPLIT, "split", set_slot, 0)               \
    X(DERIVED, "derived", NULL, TO(derived))     \
    X(FEATURES, "features", NULL, TO(features))  \
    X(NETWORK, "network", NULL, TO(network))     \
    X(JUDGE, "judge", NULL, TO(judge))           \
    X(LABELS, "labels", set_slot, 0)             \
    X(CALIBRATION, "calibration", set_slot, 0)   \
    X(RESTRICT, "restrict", NULL, TO(restricts)) \
    X(FORMULAS, "formulas", NULL, TO(formulas))  \
    X(UNSEEN, "unseen", NULL, TO(unseen))        \
    X(KERNELS, "kernels", NULL, TO(kernels))
#define SECTION(section, name, add, raw) section,
enum { SECTIONS(SECTION) N_SECTIONS };
static const struct section {
    const char *name;
    int (*add)(struct reader *r, char *key, char *value);
    size_t raw;
} sections[N_SECTIONS];

struct reader {
    struct spec *spec;
    const char *path;
    long line;      /* the one being read, or of the key being looked at */
    long column;    /* where it begins, from 1 */
    enum slot slot; /* being looked at */
    const struct section *section;
    long opened[N_SECTIONS]; /* line of each section's heading */
    char *text[N_SLOTS];
    long at[N_SLOTS];
};

/* fail() with the place */
PRINTF_LIKE(2, 3)
static int spec_wrong(const struct reader *r, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fail("%s:%ld: %s", r->path, r->line, text);
}

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

static int bad(const struct reader *r, const char *key, const char *value, const char *what)
{
    return spec_wrong(r, "%s: value \"%s\": %s", key, value, what);
}

/* The same of a word in the text of the key being looked at */
static int bad_word(const struct reader *r, const char *word, const char *what)
{
    return bad(r, slots[r->slot].key, word, what);
}

static void spec_look_at(struct reader *r, enum slot slot)
{
    r->slot = slot;
    r->line = r->at[slot];
}

/* ---- fields and parameters ---- */

static int check_new_name(const struct reader *r, const char *key)
{
    if (!is_identifier(key))
        return spec_wrong(r, "[%s]: name \"%s\": is not an identifier of at most 63 characters",
                          r->section->name, key);
    if (spec_field_index(r->spec, key) >= 0)
        return spec_wrong(r, "%s: there is already a field of that name", key);
    if (spec_param_index(r->spec, key) >= 0)
        return spec_wrong(r, "%s: there is already a parameter of that name", key);
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
        return spec_wrong(r, "%s: least %ld is above most %ld", f->name, (long)f->least,
                          (long)f->most);
    return 0;
}

static int add_token(struct reader *r, struct spec_field *f, const char *word)
{
    if (!spec_is_name(word))
        return bad(r, f->name, word, "is neither `size` nor a name");
    if (text_find(f->tokens, f->n_tokens, word) >= 0)
        return bad(r, f->name, word, "is given twice");
    if (f->n_tokens == SPEC_MAX_TOKENS)
        return spec_wrong(r, "%s: more than %d names", f->name, SPEC_MAX_TOKENS);
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
        return spec_wrong(r, "%s: more than %d fields", key, KPRED_MAX_FIELDS);
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
    if (text_find(p->names, p->n_values, word) >= 0)
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
                                 : spec_wrong(r, "%s: more than %d parameters of several values",
                                              key, KPRED_MAX_PARAMS);
}

static int add_param(struct reader *r, char *key, char *value)
{
    struct spec *s = r->spec;
    if (check_new_name(r, key) != 0)
        return -1;
    if (s->n_params == KPRED_MAX_TUPLE)
        return spec_wrong(r, "%s: more than %d parameters", key, KPRED_MAX_TUPLE);
    struct spec_param *p = &s->params[s->n_params];
    char *word = NULL;
    int rc, is_quoted;
    p->name = key;
    for (; (rc = next_value(r, key, &value, &word, &is_quoted)) > 0; p->n_values++) {
        if (p->n_values == KPRED_MAX_VALUES)
            return spec_wrong(r, "%s: more than %d values", key, KPRED_MAX_VALUES);
        if ((!is_quoted && strchr("0123456789+-.", *word) != NULL ? add_number(r, p, word)
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
    spec_wrong(r, "%s \"%s\"%s", what, near->text, names_question(near, &question));
    buf_free(&question);
    return -1;
}

static int fail_key(const struct reader *r, const char *key)
{
    struct names_near near = {.text = key};
    char what[64];
    for (size_t i = 0; i < N_SLOTS; i++)
        if (strcmp(slots[i].section, r->section->name) == 0)
            names_offer(&near, slots[i].key, slots[i].key);
    snprintf(what, sizeof what, "[%s]: unknown key", r->section->name);
    return fail_near(r, what, &near);
}

static int set_slot(struct reader *r, char *key, char *value)
{
    size_t i = 0;
    while (i < N_SLOTS
           && (strcmp(slots[i].section, r->section->name) != 0 || strcmp(slots[i].key, key) != 0))
        i++;
    if (i == N_SLOTS)
        return fail_key(r, key);
    if (r->text[i] != NULL)
        return spec_wrong(r, "%s: is already given in line %ld", key, r->at[i]);
    r->text[i] = value;
    r->at[i] = r->line;
    if (slots[i].to != 0)
        *(const char **)(void *)((char *)r->spec + slots[i].to) = value;
    return 0;
}

static int add_keyed(struct reader *r, char *line)
{
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return spec_wrong(r, "\"%s\": is not of the form key = value", line);
    *equals = '\0';
    char *key = trim_blanks(line), *value = trim_blanks(equals + 1);
    if (*key == '\0')
        return spec_wrong(r, "there is no key before the `=`");
    if (*value == '\0')
        return spec_wrong(r, "%s: has no value", key);
    return r->section->add(r, key, value);
}

static struct spec_lines *lines_of(struct spec *s, const struct section *section)
{
    return (struct spec_lines *)(void *)((char *)s + section->raw);
}

static int add_raw(struct reader *r, char *line)
{
    struct spec_lines *lines = lines_of(r->spec, r->section);
    lines->v = xrealloc(lines->v, lines->n + 1, sizeof *lines->v);
    lines->v[lines->n++] = (struct spec_line){.text = line, .column = r->column, .line = r->line};
    return 0;
}

#define SECTION_ROW(section, name, add, raw) {name, add, raw},
static const struct section sections[N_SECTIONS] = {SECTIONS(SECTION_ROW)};

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
        return spec_wrong(r, "\"%s\": a section's heading ends with `]`", line);
    line[n - 1] = '\0';
    line = trim_blanks(line + 1);
    while (i < N_SECTIONS && strcmp(sections[i].name, line) != 0)
        i++;
    if (i == N_SECTIONS)
        return fail_section(r, line);
    if (r->opened[i] != 0 && i != DERIVED) /* default_features_give adds to that */
        return spec_wrong(r, "section \"%s\": is already in line %ld", line, r->opened[i]);
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
            return spec_wrong(r, "byte 0x%02x: is not allowed in a text file", (unsigned char)*p);
    if (strstr(line, "*/") != NULL || strstr(line, "/*") != NULL)
        return spec_wrong(r, "a comment mark of C cannot stand in a spec%s",
                          ends_with(r->path, ".h") ? ": is it a header?" : "");
    if (is_joined(line))
        return spec_wrong(r,
                          "a line of a spec cannot end in a backslash, or in ?\?/, which is one");
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
        return spec_wrong(r,
                          "\"%s\": stands before the first [section]: is it a spec? `kpred-train "
                          "init` makes one of a table",
                          line);
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
        return spec_wrong(r, "split key: \"%s\": is not a field", name);
    if (strcmp(name, "gpu") == 0)
        return spec_wrong(r, "split key: \"gpu\": a key is the same on every GPU");
    *out = (size_t)i;
    return 0;
}

static int find_size(const struct reader *r, const char *name, size_t *out)
{
    if (find_field(r, name, out) != 0)
        return -1;
    if (r->spec->fields[*out].n_tokens != 0)
        return spec_wrong(r, "split key: \"%s\": is not a size", name);
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
        return spec_wrong(r, "split key: canonical(%s): only h and w have a canonical size", name);
    it->kind = SPLIT_CANONICAL;
    if (spec_field_index(s, *name == 'h' ? "y" : "x") >= 0)
        return parse_canonical_of_fields(r, it, name);
    if (s->filter_h == 0 || s->pad < 0)
        return spec_wrong(r, "split key: canonical(%s): needs filter and pad in [data]", name);
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
        return spec_wrong(r, "split key: \"%s\": lacks a `)`", word);
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
        return spec_wrong(r, "split key: \"%s\": is not one of min, max, canonical, octave", word);
    if (comma == NULL)
        return spec_wrong(r, "split key: %s: takes two fields", word);
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
        return spec_wrong(r, "split key: has an empty item");
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

static int parse_split(struct reader *r, char *s)
{
    struct spec *to = r->spec;
    struct split_key *key = r->slot == CONFIG  ? &to->config
                            : r->slot == SHAPE ? &to->shape
                                               : &to->balance;
    int more = 1;
    while (more) {
        char *end = item_end(s);
        more = *end == ',';
        *end = '\0';
        if (key->n == SPEC_MAX_ITEMS)
            return spec_wrong(r, "split key: more than %d items", SPEC_MAX_ITEMS);
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

static int check_sections(struct reader *r)
{
    static const int needed[] = {KERNEL, DATA, FIELDS, PARAMS};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (r->opened[needed[i]] == 0)
            return spec_wrong(r, "there is no section [%s]", sections[needed[i]].name);
    r->line = r->opened[FIELDS];
    if (r->spec->n_fields == 0)
        return spec_wrong(r, "[fields]: is empty");
    r->line = r->opened[PARAMS];
    return r->spec->n_params != 0 ? 0 : spec_wrong(r, "[params]: is empty");
}

/* Looks at the key: 0, or -1 with a message if the spec lacks it. */
static int require(struct reader *r, enum slot slot)
{
    const char *section = slots[slot].section;
    spec_look_at(r, slot);
    if (r->text[slot] != NULL)
        return 0;
    r->line = r->opened[strcmp(section, "kernel") == 0 ? KERNEL : DATA];
    return spec_wrong(r, "[%s]: key \"%s\" is missing", section, slots[slot].key);
}

/* ---- [kernel] ---- */

/* The generated header includes it, so it lies where --include-dir says, and nowhere else. */
static int is_header_name(const char *s)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./-";
    return s[strspn(s, letters)] == '\0' && ends_with(s, ".h") && *s != '/'
           && strstr(s, "..") == NULL;
}

static int check_name(struct reader *r, char *name)
{
    r->spec->name_line = r->line;
    return is_identifier(name) && strlen(name) <= NAMES_MOST_MODEL
               ? 0
               : bad_word(r, name, "is not an identifier of at most 43 characters");
}

static int check_rule(struct reader *r, char *rule)
{
    if (!is_identifier(rule))
        return bad_word(r, rule, "is neither a function's name nor `unconstrained` nor `listed`");
    if (r->opened[KERNELS] && !spec_is_unconstrained(r->spec))
        return bad_word(r, rule, "stands beside a section [kernels], which is the rule");
    if (r->opened[RESTRICT] && !spec_is_unconstrained(r->spec))
        return bad_word(r, rule, "stands beside a section [restrict]: only one of them may");
    return 0;
}

static int check_listed_by(struct reader *r, char *fields)
{
    r->spec->listed_by_line = r->line;
    return spec_is_listed(r->spec) ? 0 : bad_word(r, fields, "is only for `rule = listed`");
}

static int check_header(struct reader *r, char *header)
{
    return is_header_name(header) ? 0 : bad_word(r, header, "is not a header's name");
}

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
               : bad_word(r, r->spec->runs_on[0], "none of the spec's GPUs is of this list");
}

static int parse_runs_on(struct reader *r, char *rest)
{
    char *word;
    for (size_t n = 0; (word = next_word(&rest)) != NULL; n++) {
        if (n == SPEC_MAX_ARCHS)
            return spec_wrong(r, "runs_on: more than %d architectures", SPEC_MAX_ARCHS);
        if (!is_arch(word))
            return bad_word(r, word, "is not an architecture such as gfx906");
        r->spec->runs_on[n] = word;
    }
    return check_runs_on(r);
}

/* ---- [calibration] ---- */

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

enum { TEMPERATURE_ONE = 10000 };

static uint32_t scale_of(int64_t temperature)
{
    return (uint32_t)(((int64_t)KPRED_SCALE_ONE * TEMPERATURE_ONE + temperature / 2) / temperature);
}

static int parse_temperature(struct reader *r, char *text)
{
    int64_t t;
    if (parse_decimal(text, &t) != 0 || t < TEMPERATURE_ONE * 55 / 100 || t > 8 * TEMPERATURE_ONE)
        return bad_word(r, text, "is not a temperature from 0.55 to 8 of at most four places");
    r->spec->scale[r->slot - CALIBRATED_CONFIG] = scale_of(t);
    return 0;
}

/* ---- [data]: what goes with its format ---- */

static int parse_filter(struct reader *r, char *text)
{
    int64_t h, w;
    char *x = strchr(text, 'x');
    if (x != NULL)
        *x = '\0';
    const int is_size =
        x != NULL && parse_int(text, 1, 1 << 12, &h) == 0 && parse_int(x + 1, 1, 1 << 12, &w) == 0;
    if (x != NULL)
        *x = 'x';
    if (!is_size)
        return bad_word(r, text, "is not a filter size such as 3x3");
    r->spec->filter_h = (int32_t)h;
    r->spec->filter_w = (int32_t)w;
    return 0;
}

static int parse_pad(struct reader *r, char *text)
{
    int64_t v;
    if (parse_int(text, 0, 1 << 12, &v) != 0)
        return bad_word(r, text, "is not an integer from 0 to 4096");
    r->spec->pad = (int32_t)v;
    return 0;
}

/* A spec of convolutions has either the fields, of which this is one, or the key of [data]. */
static int check_key_or_field(struct reader *r, enum slot slot, const char *field, const char *both)
{
    if (spec_field_index(r->spec, field) < 0)
        return require(r, slot);
    spec_look_at(r, slot);
    return r->text[slot] == NULL ? 0 : bad_word(r, r->text[slot], both);
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
        return spec_wrong(r, "[params]: for find-db it is one parameter, the names of the solvers");
    spec_look_at(r, SOLVER);
    return r->text[SOLVER] == NULL
               ? 0
               : bad_word(r, r->text[SOLVER], "a find-db has all solvers, [params] names them");
}

static int check_solver(struct reader *r)
{
    const char *solver = r->text[SOLVER];
    if (require(r, SOLVER) != 0)
        return -1;
    r->spec->solver = solver;
    return spec_is_quotable(solver) && strpbrk(solver, "\"=;:") == NULL
               ? 0
               : bad_word(r, solver, "cannot be the name of a solver");
}

/* What AITER's tables name are kernels. */
static int check_aiter(struct reader *r)
{
    if (require(r, FAMILY) != 0)
        return -1;
    spec_look_at(r, FORMAT);
    return r->opened[KERNELS] != 0 ? 0
                                   : spec_wrong(r, "format = aiter: there is no section [kernels]");
}

const char *const triton_families[TRITON_N_KERNELS] = {"moe", "moe_down", "block_gemm"};
const char *const triton_fields[TRITON_N_FIELDS] = {
    "server", "gpu", "dtype", "block", "per_channel", "triton", "E", "N", "K", "M"};
const char *const triton_members[TRITON_N_MEMBERS] = {
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",         "GROUP_SIZE_M", "num_warps",
    "num_stages",   "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

/* What is wrong with a field of that name in a spec of that family, or with a parameter; NULL:
   nothing is. */
static const char *triton_field_trouble(enum triton_kernel family, const char *name, int has_tokens)
{
    const int i = text_find(triton_fields, TRITON_N_FIELDS, name);
    const int is_gemm = family == TRITON_BLOCK_GEMM, has_to = i <= TRITON_DTYPE;
    if (i < 0 || i == (is_gemm ? TRITON_E : TRITON_K))
        return is_gemm ? "is not one of server, gpu, dtype, block, per_channel, triton, N, K and M"
                       : "is not one of server, gpu, dtype, block, per_channel, triton, E, N and M";
    return has_to == has_tokens ? NULL : has_to ? "has to be tokens" : "has to be a size";
}

static const char *triton_param_trouble(const char *name, int has_names)
{
    if (text_find(triton_members, TRITON_N_MEMBERS, name) < 0)
        return "is not a member of a tuple in the files";
    return has_names ? "has to be integers" : NULL;
}

static int check_triton_names(const struct reader *r, enum triton_kernel family)
{
    const struct spec *s = r->spec;
    for (size_t i = 0; i < s->n_fields + s->n_params; i++) {
        const int is_field = i < s->n_fields;
        const struct spec_field *f = &s->fields[is_field ? i : 0];
        const struct spec_param *p = &s->params[is_field ? 0 : i - s->n_fields];
        const char *why = is_field ? triton_field_trouble(family, f->name, f->n_tokens != 0)
                                   : triton_param_trouble(p->name, p->names[0] != NULL);
        if (why != NULL)
            return fail("%s: format = triton: %s %s: %s", r->path, is_field ? "field" : "parameter",
                        is_field ? f->name : p->name, why);
    }
    return 0;
}

/* Its fields and parameters have names of their own, and of these the tile has to be there: no
   value of it goes without saying. */
static int check_triton(struct reader *r)
{
    const char *name = r->spec->family;
    if (require(r, FAMILY) != 0)
        return -1;
    const int family = text_find(triton_families, TRITON_N_KERNELS, name);
    if (family < 0)
        return bad_word(r, name, "is not one of moe, moe_down and block_gemm");
    if (check_triton_names(r, (enum triton_kernel)family) != 0)
        return -1;
    for (int i = TRITON_BLOCK_SIZE_M; i <= TRITON_BLOCK_SIZE_K; i++)
        if (spec_param_index(r->spec, triton_members[i]) < 0)
            return fail("%s: format = triton: there is no parameter %s", r->path,
                        triton_members[i]);
    return 0;
}

/* Timed rows have a column of times beside the columns of fields and parameters. */
static int check_times(const struct reader *r)
{
    static const char *const columns[] = {"time_us", "time_ms"};
    const struct spec *s = r->spec;
    for (size_t i = 0; i < 2 && spec_is_timed(s); i++)
        if (spec_field_index(s, columns[i]) >= 0 || spec_param_index(s, columns[i]) >= 0)
            return fail("%s: %s: is the time of each row, not a field or parameter", r->path,
                        columns[i]);
    return 0;
}

/* The keys of [data] that go with the format */
static int check_keys_of_format(struct reader *r)
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

static int check_format(struct reader *r, char *format)
{
    const int i = text_find(spec_formats, SPEC_N_FORMATS, format);
    if (i < 0)
        return bad_word(r, format,
                        "is neither miopen nor csv, timed, find-db, tensile, aiter or triton");
    r->spec->format = (enum spec_format)i;
    return check_keys_of_format(r) != 0 ? -1 : check_times(r);
}

static int check_metric(struct reader *r, char *metric)
{
    const struct spec *s = r->spec;
    if (s->format != SPEC_TIMED)
        return bad_word(r, metric, "only data of format = timed have a column that it names");
    return spec_field_index(s, metric) < 0 && spec_param_index(s, metric) < 0
               ? 0
               : bad_word(r, metric, "is a field or a parameter");
}

static int check_success(struct reader *r, char *word)
{
    char *end = word + strcspn(word, "=<>"), cut = *end;
    if (strchr(word, '=') == NULL || *word == '=')
        return bad_word(r, word, "is not of the form COLUMN=VALUE");
    *end = '\0';
    const int is_field = spec_field_index(r->spec, word) >= 0;
    const int is_param = spec_param_index(r->spec, word) >= 0;
    *end = cut;
    return is_field   ? bad_word(r, word, "is of a field")
           : is_param ? bad_word(r, word, "is of a parameter")
                      : 0;
}

static int parse_success(struct reader *r, char *text)
{
    struct spec *s = r->spec;
    char *word = NULL;
    int rc, is_quoted;
    if (s->format != SPEC_TIMED && s->format != SPEC_CSV)
        return bad_word(r, text, "only data of format = timed or csv have such columns");
    while ((rc = next_value(r, "success", &text, &word, &is_quoted)) > 0) {
        if (s->n_success == SPEC_MAX_SUCCESS)
            return bad_word(r, word, "is one word too many");
        if (check_success(r, word) != 0)
            return -1;
        s->success[s->n_success++] = word;
    }
    return rc;
}

/* ---- what of the data is left out, and where they are ---- */

/* Timed data have the times of all options, and no row of them is a mistake. */
static int check_untimed(struct reader *r, const char *text)
{
    return spec_is_timed(r->spec)
               ? bad_word(r, text, "no row of data with times is left out for that")
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
    if (check_untimed(r, text) != 0)
        return -1;
    *end = '\0';
    const int i = spec_field_index(s, text);
    *end = cut;
    if (i < 0 || parse_field_value(&s->fields[i], value, &s->retired_value) != 0)
        return bad_word(r, text, "is not a field with one of its values");
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
    if (check_untimed(r, text) != 0)
        return -1;
    for (; (rc = next_value(r, "failed", &text, &word, &is_quoted)) > 0; n++) {
        if (n == s->n_params)
            return bad_word(r, word, "is one too many: there is one value a parameter");
        if (s->params[n].names[0] == NULL && parse_int(word, INT32_MIN, INT32_MAX, &v) != 0)
            return bad_word(r, word, "is not an integer");
        s->failed[n] = word;
    }
    if (rc == 0 && n < s->n_params)
        return spec_wrong(r, "failed: has no value for parameter %s", s->params[n].name);
    return rc;
}

/* Scripts look files up in a folder of theirs, and take the text apart at its blanks. */
static int check_files(struct reader *r, char *p)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    while (*p != '\0') {
        const size_t n = strcspn(p, blanks);
        if (strspn(p, letters) < n || strchr(".-+", *p) != NULL)
            return spec_wrong(r, "%s: value \"%.*s\": is not a plain name of a file",
                              slots[r->slot].key, (int)n, p);
        p += n + strspn(p + n, blanks);
    }
    return 0;
}

static int check_params(struct reader *r, char *rest)
{
    char *word;
    while ((word = next_word(&rest)) != NULL)
        if (spec_param_index(r->spec, word) < 0)
            return bad_word(r, word, "is not a parameter");
    return 0;
}

static int check_shipped(struct reader *r, char *split)
{
    static const char *const splits[] = {"config", "shape", "none"};
    return text_find(splits, 3, split) >= 0
               ? 0
               : bad_word(r, split, "is not one of config, shape, none");
}

/* ---- the whole ---- */

#define SLOT_ROW(slot, section, key, to, check) {section, key, to, check},
static const struct slot_of_spec slots[N_SLOTS] = {SLOTS(SLOT_ROW)};

static int is_required(const struct spec *s, enum slot slot)
{
    return slot == NAME || slot == FORMAT
           || (slot == HEADER && !spec_is_unconstrained(s) && !spec_is_listed(s));
}

static int finish(struct reader *r)
{
    struct spec *s = r->spec;
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].add == NULL)
            lines_of(s, &sections[i])->line = r->opened[i];
    if (check_sections(r) != 0)
        return -1;
    for (enum slot slot = NAME; slot < N_SLOTS; slot++) {
        if (is_required(s, slot) && require(r, slot) != 0)
            return -1;
        spec_look_at(r, slot);
        if (r->text[slot] != NULL && slots[slot].check != NULL
            && slots[slot].check(r, r->text[slot]) != 0)
            return -1;
    }
    if (s->config.n == 0)
        default_config(s);
    return 0;
}

/* ---- interface ---- */

int spec_parse(struct spec *s, const char *text, const char *path)
{
    struct reader r = {.spec = s};
    *s = (struct spec){
        .rule = "unconstrained", .title = "", .source = "", .shipped = "config", .pad = -1};
    for (size_t i = 0; i < SPEC_N_CALIBRATED; i++)
        s->scale[i] = scale_of(TEMPERATURE_ONE);
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
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (sections[i].add == NULL)
            free(lines_of(s, &sections[i])->v);
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
