/* kernel_text.h - a kernel of one's own for evaluate.c, as a small text says it
   SPDX-License-Identifier: MIT

     [kernel]
     source = softmax.cl        beside this file: OpenCL C, or LLVM 16's IR or bitcode (.ll, .bc)
     function = softmax
     groups = n                 one to three numbers, with commas between them
     lanes = 64                 of a group, likewise

     [arguments]                in the kernel's order
     n = uint                   the size of that name; or `NAME = TYPE, VALUE`
     width = uint
     x = in float, n * width, -20, 140      how many; the least and the most of what is in it
     y = out float, n * width, 1e-5         how many; how far from the unedited kernel's is right

     [cases]
     n=20 width=640             sizes, with the same names in each case
     n=5 width=1 held-out untimed

   A role is in, out, inout (how many, least, most, how far) or scratch. A number is an expression
   of sizes with + - * / % and parentheses; // divides and rounds down. Reals are from -1 to 1
   unless it is said, integers from 0 to 99. How far: |got - want| is at most FAR * max(|want|,
   FAR); without it outputs are equal bit for bit. */
#pragma once

#include "base/util.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ARGUMENTS = 32, TEXT_CASES = 16, TEXT_SIZES = 8, TEXT_PARTS = 4 };
enum role { ROLE_VALUE, ROLE_IN, ROLE_OUT, ROLE_INOUT, ROLE_SCRATCH };

static const struct text_type {
    const char *name;
    size_t bytes;
    int is_real, is_signed;
} text_types[] = {{"float", 4, 1, 1}, {"double", 8, 1, 1}, {"int", 4, 0, 1},   {"uint", 4, 0, 0},
                  {"long", 8, 0, 1},  {"ulong", 8, 0, 0},  {"short", 2, 0, 1}, {"ushort", 2, 0, 0},
                  {"char", 1, 0, 1},  {"uchar", 1, 0, 0}};

/* Expressions between commas */
struct text_list {
    long line;
    size_t n;
    char *part[TEXT_PARTS];
};

struct text_argument {
    const char *name;
    enum role role;
    const struct text_type *type;
    struct text_list list;
};

struct kernel_text {
    const char *path;
    long line; /* that is being read */
    const char *section;
    struct buf text;
    char *source, *function;
    struct text_list groups, lanes;
    size_t n_arguments, n_sizes, n_cases;
    struct text_argument argument[TEXT_ARGUMENTS];
    const char *size_name[TEXT_SIZES];
    double size[TEXT_CASES][TEXT_SIZES];
    char label[TEXT_CASES][256];
    int is_held_out[TEXT_CASES], is_untimed[TEXT_CASES];
};

static int text_wrong(const struct kernel_text *k, const char *what, const char *value)
{
    return fail("%s:%ld: \"%s\": %s", k->path, k->line, value, what);
}

/* ---- expressions ---- */

struct expression {
    const struct kernel_text *k;
    const double *size; /* of the case */
    const char *at;
    const char *what; /* is wrong; NULL: nothing */
};

static double text_sum(struct expression *x);

static int text_sees(struct expression *x, const char *sign)
{
    x->at += strspn(x->at, " \t");
    if (strncmp(x->at, sign, strlen(sign)) != 0)
        return 0;
    x->at += strlen(sign);
    return 1;
}

static double text_name(struct expression *x)
{
    size_t n = 0;
    while (isalnum((unsigned char)x->at[n]) || x->at[n] == '_')
        n++;
    for (size_t i = 0; i < x->k->n_sizes; i++)
        if (strlen(x->k->size_name[i]) == n && memcmp(x->k->size_name[i], x->at, n) == 0) {
            x->at += n;
            return x->size[i];
        }
    x->what = n == 0 ? "a number or a size is missing" : "there is no size of that name";
    return 0;
}

static double text_atom(struct expression *x)
{
    if (text_sees(x, "-"))
        return -text_atom(x);
    if (text_sees(x, "(")) {
        const double value = text_sum(x);
        if (x->what == NULL && !text_sees(x, ")"))
            x->what = "a `)` is missing";
        return value;
    }
    char *end;
    const double value = isdigit((unsigned char)*x->at) ? strtod(x->at, &end) : 0;
    if (!isdigit((unsigned char)*x->at))
        return text_name(x);
    x->at = end;
    return value;
}

static double text_product(struct expression *x)
{
    double value = text_atom(x);
    while (x->what == NULL)
        if (text_sees(x, "*"))
            value *= text_atom(x);
        else if (text_sees(x, "//"))
            value = floor(value / text_atom(x));
        else if (text_sees(x, "/"))
            value /= text_atom(x);
        else if (text_sees(x, "%"))
            value = fmod(value, text_atom(x));
        else
            break;
    return value;
}

static double text_sum(struct expression *x)
{
    double value = text_product(x);
    while (x->what == NULL)
        if (text_sees(x, "+"))
            value += text_product(x);
        else if (text_sees(x, "-"))
            value -= text_product(x);
        else
            break;
    return value;
}

/* Part i of a list in a case; without it, `otherwise` */
static double text_number(const struct kernel_text *k, const struct text_list *list, size_t i,
                          size_t number, double otherwise)
{
    struct expression x = {k, k->size[number], i < list->n ? list->part[i] : "", NULL};
    return i < list->n ? text_sum(&x) : otherwise;
}

/* Each part is a number in each case, and from `least` on. */
static int text_check(struct kernel_text *k, const struct text_list *list, size_t n, double least)
{
    k->line = list->line;
    for (size_t i = 0; i < n && i < list->n; i++)
        for (size_t number = 0; number < k->n_cases; number++) {
            struct expression x = {k, k->size[number], list->part[i], NULL};
            const double value = text_sum(&x);
            if (x.what == NULL && text_sees(&x, "") && *x.at != '\0')
                x.what = "ends with what is no expression";
            if (x.what == NULL && !(fabs(value) < 1e18))
                x.what = "divides by nothing, or is too large";
            if (x.what == NULL && value < least)
                x.what = "is too small";
            if (x.what != NULL)
                return fail("%s:%ld: \"%s\": %s (%s)", k->path, k->line, list->part[i], x.what,
                            k->label[number]);
        }
    return 0;
}

/* ---- lines ---- */

/* Cuts a list; most parts at most */
static int text_cut(struct kernel_text *k, char *value, size_t most, struct text_list *list)
{
    *list = (struct text_list){.line = k->line};
    for (char *at = value; at != NULL; list->n++) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma = '\0';
        if (list->n == most)
            return text_wrong(k, "there are too many commas before it", trim_blanks(at));
        list->part[list->n] = trim_blanks(at);
        at = comma == NULL ? NULL : comma + 1;
    }
    return 0;
}

static int text_of_kernel(struct kernel_text *k, char *key, char *value)
{
    if (strcmp(key, "groups") == 0)
        return text_cut(k, value, 3, &k->groups);
    if (strcmp(key, "lanes") == 0)
        return text_cut(k, value, 3, &k->lanes);
    char **to = strcmp(key, "source") == 0     ? &k->source
                : strcmp(key, "function") == 0 ? &k->function
                                               : NULL;
    if (to == NULL)
        return text_wrong(k, "is not one of source, function, groups, lanes", key);
    *to = value;
    return 0;
}

/* "in float, n, 0, 9" */
static int text_of_argument(struct kernel_text *k, char *name, char *value)
{
    static const struct {
        const char *word;
        size_t most;
    } roles[] = {{"", 1}, {"in ", 3}, {"out ", 2}, {"inout ", 4}, {"scratch ", 1}};
    struct text_argument *a = &k->argument[k->n_arguments];
    char *list = value + strcspn(value, ",");
    if (k->n_arguments == TEXT_ARGUMENTS)
        return text_wrong(k, "is one argument too many", name);
    *a = (struct text_argument){.name = name, .list = {.line = k->line}};
    for (size_t i = ROLE_IN; i <= ROLE_SCRATCH; i++)
        if (strncmp(value, roles[i].word, strlen(roles[i].word)) == 0)
            a->role = (enum role)i;
    if (*list != '\0')
        *list++ = '\0';
    char *type = trim_blanks(value + strlen(roles[a->role].word));
    for (size_t i = 0; i < sizeof text_types / sizeof *text_types; i++)
        if (strcmp(type, text_types[i].name) == 0)
            a->type = &text_types[i];
    if (a->type == NULL)
        return text_wrong(k, "is not a type, such as float or uint, or a role with one", type);
    k->n_arguments++;
    if (*list == '\0' && a->role != ROLE_VALUE)
        return text_wrong(k, "how many elements it has is missing", name);
    return text_cut(k, *list == '\0' ? name : list, roles[a->role].most, &a->list);
}

/* A size of a case, "n=20": its names are those of the first case. */
static int text_of_size(struct kernel_text *k, char *word, size_t i)
{
    char *equals = strchr(word, '=');
    int64_t value;
    if (equals == NULL || i == TEXT_SIZES)
        return text_wrong(k, "is not a size such as n=20, held-out or untimed", word);
    *equals = '\0';
    if (!is_identifier(word) || parse_int(equals + 1, 0, INT32_MAX, &value) != 0)
        return text_wrong(k, "is not the integer of a name", equals + 1);
    if (k->n_cases == 0)
        k->size_name[k->n_sizes++] = word;
    else if (i >= k->n_sizes || strcmp(word, k->size_name[i]) != 0)
        return text_wrong(k, "is not what the first case has there", word);
    k->size[k->n_cases][i] = (double)value;
    char *label = k->label[k->n_cases];
    const size_t n = strlen(label);
    snprintf(label + n, sizeof *k->label - n, "%s%s=%ld", i != 0 ? "," : "", word, (long)value);
    return 0;
}

static int text_of_case(struct kernel_text *k, char *line)
{
    size_t n = 0;
    if (k->n_cases == TEXT_CASES)
        return text_wrong(k, "is one case too many", line);
    for (char *word = strtok(line, " \t"); word != NULL; word = strtok(NULL, " \t"))
        if (strcmp(word, "held-out") == 0)
            k->is_held_out[k->n_cases] = 1;
        else if (strcmp(word, "untimed") == 0)
            k->is_untimed[k->n_cases] = 1;
        else if (text_of_size(k, word, n++) != 0)
            return -1;
    if (n == 0 || n < k->n_sizes)
        return text_wrong(k, "has not all sizes", line);
    k->n_cases++;
    return 0;
}

static int text_of_line(struct kernel_text *k, char *line)
{
    char *value = strchr(line, '=');
    if (*line == '[') {
        k->section = line;
        return strcmp(line, "[kernel]") == 0 || strcmp(line, "[arguments]") == 0
                       || strcmp(line, "[cases]") == 0
                   ? 0
                   : text_wrong(k, "is not one of [kernel], [arguments], [cases]", line);
    }
    if (strcmp(k->section, "[cases]") == 0)
        return text_of_case(k, line);
    if (*k->section == '\0' || value == NULL)
        return text_wrong(k, "is not KEY = VALUE in a section such as [kernel]", line);
    *value = '\0';
    line = trim_blanks(line);
    value = trim_blanks(value + 1);
    if (!is_identifier(line) || *value == '\0')
        return text_wrong(k, "is not a name, or has no value", line);
    return (strcmp(k->section, "[kernel]") == 0 ? text_of_kernel : text_of_argument)(k, line,
                                                                                     value);
}

/* ---- all ---- */

static int text_is_whole(struct kernel_text *k)
{
    const char *missing = k->source == NULL     ? "source"
                          : k->function == NULL ? "function"
                          : k->groups.n == 0    ? "groups"
                          : k->lanes.n == 0     ? "lanes"
                          : k->n_arguments == 0 ? "[arguments]"
                          : k->n_cases == 0     ? "[cases]"
                                                : NULL;
    if (missing != NULL)
        return fail("%s: %s is missing", k->path, missing);
    if (text_check(k, &k->groups, 3, 1) != 0 || text_check(k, &k->lanes, 3, 1) != 0)
        return -1;
    for (size_t i = 0; i < k->n_arguments; i++) {
        const struct text_argument *a = &k->argument[i];
        if (text_check(k, &a->list, 1, a->role == ROLE_VALUE ? -HUGE_VAL : 0) != 0
            || text_check(k, &a->list, TEXT_PARTS, -HUGE_VAL) != 0)
            return -1;
    }
    return 0;
}

/* The text at k->path: 0, or -1 after a message with its line */
static int text_read(struct kernel_text *k)
{
    if (read_text(k->path, 1 << 20, &k->text) != 0)
        return -1;
    k->section = "";
    char *at = k->text.s;
    for (char *line; (line = next_line(&at)) != NULL;) {
        k->line++;
        line[strcspn(line, "#")] = '\0';
        line = trim_blanks(line);
        if (*line != '\0' && text_of_line(k, line) != 0)
            return -1;
    }
    return text_is_whole(k);
}
