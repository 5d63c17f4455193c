/* opts.c - see opts.h
   SPDX-License-Identifier: MIT */
#include "opts.h"

#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_OPTIONS = 32, USAGE = 2 };

struct parser {
    const struct opt *table;
    const char *command;
    int argc, at; /* `at`: the argument in question */
    char **argv;
    unsigned char seen[MAX_OPTIONS];
};

static int is_option(const char *arg)
{
    return arg[0] == '-' && arg[1] != '\0';
}

/* ---- values ---- */

static int bad_value(const struct parser *p, const struct opt *o, const char *value)
{
    if (o->kind == OPT_CHOICE)
        fail("%s: %s: value \"%s\": is not one of %s", p->command, o->name, value, o->choices);
    else
        fail("%s: %s: value \"%s\": is not an integer from %ld to %ld", p->command, o->name, value,
             o->least, o->most);
    return USAGE;
}

/* One integer that `n` characters spell; 0 or -1. */
static int read_count(const struct opt *o, const char *s, size_t n, long *out)
{
    char digits[24];
    int64_t v;
    if (n >= sizeof digits)
        return -1;
    memcpy(digits, s, n);
    digits[n] = '\0';
    if (parse_int(digits, o->least, o->most, &v) != 0)
        return -1;
    *out = (long)v;
    return 0;
}

static int read_counts(const struct opt *o, const char *s, struct opt_counts *out)
{
    struct opt_counts list = {.n = 0};
    for (;; s++) {
        size_t n = strcspn(s, ",");
        if (list.n == OPTS_MAX_COUNTS || read_count(o, s, n, &list.v[list.n++]) != 0)
            return -1;
        s += n;
        if (*s == '\0')
            break;
    }
    *out = list;
    return 0;
}

/* The index of `s` among "a|b|c", -1 if it is none of them. */
static int find_choice(const char *choices, const char *s)
{
    for (int i = 0;; i++) {
        size_t n = strcspn(choices, "|");
        if (strlen(s) == n && memcmp(s, choices, n) == 0)
            return i;
        if (choices[n] == '\0')
            return -1;
        choices += n + 1;
    }
}

/* ---- durations ---- */

/* What a unit is in seconds; 0: it is none. */
static double unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].seconds;
    return 0;
}

int duration_read(const char *option, const char *text, double *seconds)
{
    char *end;
    const size_t digits = strspn(text, "0123456789.");
    const double number = strtod(text, &end), unit = unit_seconds(text + digits);
    *seconds = number * unit;
    if (digits == 0 || end != text + digits || !(*seconds > 0) || *seconds > 1e8) /* three years */
        return fail("%s: value \"%s\": is not a duration such as 1.5, 90s, 500ms, 30m, 2h or 1d",
                    option, text);
    return 0;
}

/* 0, or the status to exit with */
static int read_milliseconds(const struct opt *o, const char *value, long *out)
{
    double seconds;
    if (duration_read(o->name, value, &seconds))
        return USAGE;
    if (seconds * 1000 < (double)o->least || seconds * 1000 > (double)o->most) {
        fail("%s: value \"%s\": is not a time from %ldms to %lds", o->name, value, o->least,
             o->most / 1000);
        return USAGE;
    }
    *out = (long)(seconds * 1000 + 0.5);
    return 0;
}

static void add_text(struct opt_texts *list, const char *s)
{
    list->v = xrealloc(list->v, list->n + 1, sizeof *list->v);
    list->v[list->n++] = s;
}

/* 0, or the status to exit with. */
static int set_value(const struct parser *p, const struct opt *o, const char *value)
{
    int choice;
    const int is_stdout = strcmp(o->name, "-o") == 0 && strcmp(value, "-") == 0;
    if (is_stdout && (o->is_required || o->kind != OPT_TEXT)) {
        fail("%s: -o: value \"-\": is not the name of a file", p->command);
        return USAGE;
    }
    switch (o->kind) {
    case OPT_FLAG: *(int *)o->to = 1; return 0;
    case OPT_TEXT: *(const char **)o->to = is_stdout ? NULL : value; return 0;
    case OPT_COUNT:
        return read_count(o, value, strlen(value), o->to) == 0 ? 0 : bad_value(p, o, value);
    case OPT_COUNTS: return read_counts(o, value, o->to) == 0 ? 0 : bad_value(p, o, value);
    case OPT_CHOICE:
        choice = find_choice(o->choices, value);
        if (choice < 0)
            return bad_value(p, o, value);
        *(int *)o->to = choice;
        return 0;
    case OPT_TEXTS: add_text(o->to, value); return 0;
    case OPT_MILLISECONDS: return read_milliseconds(o, value, o->to);
    }
    return USAGE;
}

/* ---- options ---- */

/* The table's row that the argument names; *value: what is attached to the name, or NULL. */
static const struct opt *find_option(const struct parser *p, const char *arg, const char **value)
{
    for (const struct opt *o = p->table; o->name != NULL; o++) {
        size_t n = strlen(o->name);
        if (o->name[0] != '-' || strncmp(arg, o->name, n) != 0)
            continue;
        *value = n == 2 ? arg + n : arg + n + 1;
        if (arg[n] == '\0')
            *value = NULL;
        if (arg[n] == '\0' || n == 2 || arg[n] == '=')
            return o;
    }
    return NULL;
}

static int unknown_option(const struct parser *p, const char *arg)
{
    char name[NAMES_FOLDED]; /* without the value that may be attached */
    struct names_near near = {.text = name};
    struct buf question = {NULL, 0, 0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arg, "="), arg);
    for (const struct opt *o = p->table; o->name != NULL; o++)
        if (o->name[0] == '-')
            names_offer(&near, o->name, o->name);
    fail("%s: unknown option \"%s\"; see %s %s --help%s", p->command, arg, program_name, p->command,
         names_question(&near, &question));
    buf_free(&question);
    return USAGE;
}

/* A number below 0 is a value, if always a wrong one, and no option. */
static int is_negative(const char *arg)
{
    return arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9';
}

/* The arguments up to the next option go into the list. */
static int take_texts(struct parser *p, const struct opt *o, const char *value)
{
    size_t n = value != NULL;
    if (value != NULL)
        set_value(p, o, value);
    for (; p->at + 1 < p->argc && !is_option(p->argv[p->at + 1]); n++)
        set_value(p, o, p->argv[++p->at]);
    if (n == 0) {
        fail("%s: %s: needs a value", p->command, o->name);
        return USAGE;
    }
    return 0;
}

static int read_option(struct parser *p)
{
    const char *arg = p->argv[p->at], *value = NULL;
    const struct opt *o = find_option(p, arg, &value);
    if (o == NULL)
        return unknown_option(p, arg);
    if (o->kind != OPT_TEXTS && p->seen[o - p->table]) {
        fail("%s: %s: is given twice", p->command, o->name);
        return USAGE;
    }
    p->seen[o - p->table] = 1;
    if (o->kind == OPT_TEXTS)
        return take_texts(p, o, value);
    if (o->kind == OPT_FLAG && value != NULL) {
        fail("%s: %s: takes no value", p->command, o->name);
        return USAGE;
    }
    if (o->kind != OPT_FLAG && value == NULL && p->at + 1 < p->argc
        && (!is_option(p->argv[p->at + 1]) || is_negative(p->argv[p->at + 1])))
        value = p->argv[++p->at];
    if (o->kind != OPT_FLAG && (value == NULL || *value == '\0')) {
        fail("%s: %s: needs a value", p->command, o->name);
        return USAGE;
    }
    return set_value(p, o, value);
}

/* ---- operands ---- */

static int read_operand(struct parser *p)
{
    const char *arg = p->argv[p->at];
    for (const struct opt *o = p->table; o->name != NULL; o++) {
        if (o->name[0] == '-' || (p->seen[o - p->table] && o->kind != OPT_TEXTS))
            continue;
        p->seen[o - p->table] = 1;
        return set_value(p, o, arg);
    }
    fail("%s: unexpected argument \"%s\"; see %s %s --help", p->command, arg, program_name,
         p->command);
    return USAGE;
}

static int check_required(const struct parser *p)
{
    for (const struct opt *o = p->table; o->name != NULL; o++)
        if (o->is_required && !p->seen[o - p->table]) {
            fail("%s: %s is missing; see %s %s --help", p->command, o->name, program_name,
                 p->command);
            return USAGE;
        }
    return -1;
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

int opts_parse(const struct opt *table, const char *help, int argc, char **argv)
{
    struct parser p = {.table = table, .command = argv[0], .argc = argc, .argv = argv};
    int rc = 0, only_operands = 0;
    if (asks_for_help(argc, argv)) {
        fputs(help, stdout);
        return flush_stdout() == 0 ? 0 : EXIT_FAILURE;
    }
    for (p.at = 1; p.at < argc && rc == 0; p.at++) {
        if (!only_operands && strcmp(argv[p.at], "--") == 0)
            only_operands = 1;
        else
            rc = !only_operands && is_option(argv[p.at]) ? read_option(&p) : read_operand(&p);
    }
    return rc != 0 ? rc : check_required(&p);
}

/* ---- outputs ---- */

/* The folder of a path that is not there. */
static int stat_folder(const char *path, struct stat *st)
{
    struct buf folder = {0};
    buf_puts(&folder, "./");
    if (*path == '/')
        folder.n = 0;
    buf_add(&folder, path, (size_t)(base_name(path) - path));
    const int bad = stat(folder.s, st);
    buf_free(&folder);
    return bad;
}

static int is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int outputs_same(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && S_ISREG(sa.st_mode) && is_same_inode(&sa, &sb);
}

/* Two files that are not there yet. */
static int will_be_same(const char *a, const char *b)
{
    struct stat sa, sb;
    if (stat(a, &sa) == 0 || stat(b, &sb) == 0 || strcmp(base_name(a), base_name(b)) != 0)
        return 0;
    return stat_folder(a, &sa) == 0 && stat_folder(b, &sb) == 0 && is_same_inode(&sa, &sb);
}

static int are_one(const struct output *a, const struct output *b)
{
    return a->path != NULL && b->path != NULL
           && (outputs_same(a->path, b->path) || will_be_same(a->path, b->path));
}

int outputs_check_force(int force, const char *path)
{
    return force && path == NULL ? fail("--force: there is no file that it could replace: -o") : 0;
}

int outputs_check_apart(const struct output *outputs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (are_one(&outputs[i], &outputs[j]))
                return fail("%s and %s: both %s", outputs[i].option, outputs[j].option,
                            outputs[j].path);
    return 0;
}

int outputs_check_input(const struct output *outputs, size_t n, const char *role, const char *path)
{
    for (size_t i = 0; i < n && path != NULL; i++)
        if (outputs[i].path != NULL && outputs_same(outputs[i].path, path))
            return fail("%s %s: would overwrite %s %s, which is read", outputs[i].option,
                        outputs[i].path, role, path);
    return 0;
}

int outputs_check_inputs(const struct output *outputs, size_t n, const char *role,
                         const struct opt_texts *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (outputs_check_input(outputs, n, role, paths->v[i]) != 0)
            return -1;
    return 0;
}
