/* opts.c - see opts.h
   SPDX-License-Identifier: MIT */
#include "opts.h"

#include "names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ROWS = 64, NAME_ROOM = 24, USAGE = 2, WIDTH = 80, EXAMPLE = 6 };

struct parser {
    const struct opt *table;
    const char *command;
    int argc, at; /* `at`: the argument in question */
    char **argv;
    unsigned char seen[MAX_ROWS];
    char name[MAX_ROWS][NAME_ROOM]; /* "--data"; of an operand its word */
};

static int is_option(const char *arg)
{
    return arg[0] == '-' && arg[1] != '\0';
}

/* ---- rows ---- */

/* A row's usage without brackets and bars: "--data FILE..." */
static const char *row_says(const struct opt *o, int *n)
{
    const char *s = o->usage + strspn(o->usage, "[|");
    *n = (int)strlen(s);
    while (*n > 0 && s[*n - 1] == ']')
        --*n;
    return s;
}

/* How much of it is the name */
static int row_name_length(const char *says, int n)
{
    if (is_option(says))
        return (int)strcspn(says, " =]");
    return n > 3 && memcmp(says + n - 3, "...", 3) == 0 ? n - 3 : n;
}

/* The words of a choice, "config|shape|none" */
static const char *row_choices(const struct opt *o, int *n)
{
    const char *s = row_says(o, n);
    const int name = row_name_length(s, *n) + 1;
    *n -= name;
    return s + name;
}

/* One of them, from 0, of n bytes; NULL: there is none */
static const char *row_choice(const struct opt *o, int i, int *n)
{
    const char *s = row_choices(o, n), *const end = s + *n;
    for (; i > 0 && s < end; i--)
        s += strcspn(s, "|]") + 1;
    if (i != 0 || s >= end)
        return NULL;
    *n = (int)strcspn(s, "|]");
    return s;
}

static int row_is_needed(const struct opt *o)
{
    return strchr("[|", o->usage[0]) == NULL && (o[1].usage == NULL || o[1].usage[0] != '|');
}

static const char *name_of(const struct parser *p, const struct opt *o)
{
    return p->name[o - p->table];
}

static void name_rows(struct parser *p)
{
    int n;
    for (const struct opt *o = p->table; o->usage != NULL; o++) {
        const char *says = row_says(o, &n);
        if (o->kind != OPT_SAID)
            snprintf(p->name[o - p->table], NAME_ROOM, "%.*s", row_name_length(says, n), says);
    }
}

/* ---- values ---- */

static int refuse(const struct parser *p, const struct opt *o, const char *why)
{
    fail("%s: %s: %s", p->command, name_of(p, o), why);
    return USAGE;
}

static int bad_value(const struct parser *p, const struct opt *o, const char *value)
{
    int n;
    const char *choices = row_choices(o, &n);
    if (o->kind == OPT_CHOICE)
        fail("%s: %s: value \"%s\": is not one of %.*s", p->command, name_of(p, o), value, n,
             choices);
    else
        fail("%s: %s: value \"%s\": is not an integer from %ld to %ld", p->command, name_of(p, o),
             value, o->least, o->most);
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

/* The index of `s` among the words, -1 if it is none of them. */
static int find_choice(const struct opt *o, const char *s)
{
    const char *word;
    int n;
    for (int i = 0; (word = row_choice(o, i, &n)) != NULL; i++)
        if (strlen(s) == (size_t)n && memcmp(s, word, (size_t)n) == 0)
            return i;
    return -1;
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
static int read_milliseconds(const struct parser *p, const struct opt *o, const char *value,
                             long *out)
{
    double seconds;
    if (duration_read(name_of(p, o), value, &seconds))
        return USAGE;
    if (seconds * 1000 < (double)o->least || seconds * 1000 > (double)o->most) {
        fail("%s: value \"%s\": is not a time from %ldms to %lds", name_of(p, o), value, o->least,
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
    const int is_stdout = strcmp(name_of(p, o), "-o") == 0 && strcmp(value, "-") == 0;
    if (is_stdout && (row_is_needed(o) || o->kind != OPT_TEXT)) {
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
        choice = find_choice(o, value);
        if (choice < 0)
            return bad_value(p, o, value);
        *(int *)o->to = choice;
        return 0;
    case OPT_TEXTS: add_text(o->to, value); return 0;
    case OPT_MILLISECONDS: return read_milliseconds(p, o, value, o->to);
    case OPT_SAID: break;
    }
    return USAGE;
}

/* ---- options ---- */

/* The table's row that the argument names; *value: what is attached to the name, or NULL. */
static const struct opt *find_option(const struct parser *p, const char *arg, const char **value)
{
    for (const struct opt *o = p->table; o->usage != NULL; o++) {
        const char *name = name_of(p, o);
        const size_t n = strlen(name);
        if (name[0] != '-' || strncmp(arg, name, n) != 0)
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
    for (const struct opt *o = p->table; o->usage != NULL; o++)
        if (name_of(p, o)[0] == '-')
            names_offer(&near, name_of(p, o), name_of(p, o));
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
    return n == 0 ? refuse(p, o, "needs a value") : 0;
}

static int read_option(struct parser *p)
{
    const char *arg = p->argv[p->at], *value = NULL;
    const struct opt *o = find_option(p, arg, &value);
    if (o == NULL)
        return unknown_option(p, arg);
    if (o->kind != OPT_TEXTS && p->seen[o - p->table])
        return refuse(p, o, "is given twice");
    p->seen[o - p->table] = 1;
    if (o->kind == OPT_TEXTS)
        return take_texts(p, o, value);
    if (o->kind == OPT_FLAG && value != NULL)
        return refuse(p, o, "takes no value");
    if (o->kind != OPT_FLAG && value == NULL && p->at + 1 < p->argc
        && (!is_option(p->argv[p->at + 1]) || is_negative(p->argv[p->at + 1])))
        value = p->argv[++p->at];
    if (o->kind != OPT_FLAG && (value == NULL || *value == '\0'))
        return refuse(p, o, "needs a value");
    return set_value(p, o, value);
}

/* ---- operands ---- */

static int read_operand(struct parser *p)
{
    const char *arg = p->argv[p->at];
    for (const struct opt *o = p->table; o->usage != NULL; o++) {
        if (name_of(p, o)[0] == '-' || name_of(p, o)[0] == '\0'
            || (p->seen[o - p->table] && o->kind != OPT_TEXTS))
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
    for (const struct opt *o = p->table; o->usage != NULL; o++)
        if (o->kind != OPT_SAID && row_is_needed(o) && !p->seen[o - p->table]) {
            fail("%s: %s is missing; see %s %s --help", p->command, name_of(p, o), program_name,
                 p->command);
            return USAGE;
        }
    return -1;
}

/* Of two flags that a bar stands between, one may be given. */
static int check_apart(const struct parser *p)
{
    for (const struct opt *o = p->table; o->usage != NULL; o++)
        if (o->usage[0] == '|' && o->kind == OPT_FLAG && o[-1].kind == OPT_FLAG
            && p->seen[o - p->table] && p->seen[o - 1 - p->table]) {
            fail("%s and %s cannot be used together", name_of(p, o - 1), name_of(p, o));
            return USAGE;
        }
    return -1;
}

/* ---- help ---- */

static size_t help_width(void)
{
    const size_t width = terminal_width(STDOUT_FILENO);
    return width > 0 && width < WIDTH ? width : WIDTH;
}

/* The text up to its first LF, from column `at` on; other lines begin at `indent`. */
static void help_fill(const char *s, size_t at, size_t indent)
{
    const size_t n = strcspn(s, "\n");
    text_fill(stdout, s, n, (struct fill){at, indent, help_width(), ""});
    fputs(n > 0 ? "\n" : "", stdout);
}

/* Of one form of the command; `start` is "usage:", or blanks */
static void help_usage(const struct opt *table, const char *start, const char *command)
{
    struct buf b = {0};
    const char *own = strchr(command, '/') == NULL ? command : ""; /* of a program without any */
    const size_t indent = (size_t)printf("%s %s%s%s ", start, program_name, *own ? " " : "", own);
    for (const struct opt *o = table; o->usage != NULL; o++) {
        if (o->kind == OPT_SAID || o->text == NULL)
            continue;
        buf_puts(&b, b.n > 0 && o->usage[0] != '|' ? " " : "");
        for (const char *c = o->usage; *c != '\0'; c++)
            buf_puts(&b, *c == ' ' ? FILL_GLUE : (char[]){*c, '\0'});
    }
    buf_puts(&b, "");
    help_fill(b.s, indent, indent);
    buf_free(&b);
}

static void help_paragraphs(const char *s)
{
    for (size_t n; *s != '\0'; s += n + (s[n] == '\n')) {
        n = strcspn(s, "\n");
        if (*s == ' ') {
            text_fill(stdout, s, n, (struct fill){0, EXAMPLE, help_width(), " \\"});
            putchar('\n');
        } else
            help_fill(s, (size_t)printf("\n") - 1, 0);
    }
}

/* " (1 to 1024; default 1)" */
static void help_add_range(struct buf *b, const struct opt *o)
{
    const struct opt_counts *list = o->kind == OPT_COUNTS ? o->to : NULL;
    const char *unit = o->kind == OPT_MILLISECONDS ? "ms" : "";
    const long *v = list != NULL ? list->v : o->to;
    const size_t n = list != NULL ? list->n : 1;
    buf_printf(b, " (%ld%s to %ld%s", o->least, unit, o->most, unit);
    for (size_t i = 0; i < n && v[i] >= o->least && v[i] <= o->most; i++)
        buf_printf(b, i == 0 ? "; default %ld" : ",%ld", v[i]);
    buf_puts(b, ")");
}

static void help_row(const struct opt *o)
{
    enum { COLUMN = 20 }; /* where texts begin */
    struct buf b = {0};
    int n;
    const char *usual = o->kind == OPT_CHOICE ? row_choice(o, *(const int *)o->to, &n) : NULL;
    buf_puts(&b, o->text);
    if (usual != NULL)
        buf_printf(&b, " (default: %.*s)", n, usual);
    if (o->most != 0)
        help_add_range(&b, o);
    const char *says = row_says(o, &n);
    fputs("  ", stdout);
    text_fill(stdout, says, (size_t)n, (struct fill){2, 4, help_width(), ""});
    printf(n + 4 > COLUMN ? "\n%*s" : "%*s", n + 4 > COLUMN ? COLUMN : COLUMN - 2 - n, "");
    help_fill(b.s, COLUMN, COLUMN);
    buf_free(&b);
}

static void help_rows(const struct opt *table)
{
    int is_in_list = 0;
    for (const struct opt *o = table; o->usage != NULL; o++) {
        if (o->text == NULL || *o->text == '\0')
            continue;
        if (*o->usage == '\0')
            help_paragraphs(o->text);
        else {
            fputs(is_in_list ? "" : "\n", stdout);
            help_row(o);
        }
        is_in_list = *o->usage != '\0';
    }
}

static const struct opt *next_form(const struct opt *table)
{
    while (table->usage != NULL)
        table++;
    return table->next;
}

static int help_print(const struct opt *table, const char *command)
{
    for (const struct opt *form = table; form != NULL; form = next_form(form))
        help_usage(form, form == table ? "usage:" : "      ", command);
    for (const struct opt *form = table; form != NULL; form = next_form(form))
        help_rows(form);
    return flush_stdout() == 0 ? 0 : EXIT_FAILURE;
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

int opts_parse(const struct opt *table, int argc, char **argv)
{
    struct parser p = {.table = table, .command = argv[0], .argc = argc, .argv = argv};
    int rc = 0, only_operands = 0;
    if (asks_for_help(argc, argv))
        return help_print(table, argv[0]);
    name_rows(&p);
    for (p.at = 1; p.at < argc && rc == 0; p.at++) {
        if (!only_operands && strcmp(argv[p.at], "--") == 0)
            only_operands = 1;
        else
            rc = !only_operands && is_option(argv[p.at]) ? read_option(&p) : read_operand(&p);
    }
    if (rc == 0)
        rc = check_required(&p);
    return rc < 0 ? check_apart(&p) : rc;
}

int opts_free(const struct opt *table, int status)
{
    for (const struct opt *o = table; o->usage != NULL; o++)
        if (o->kind == OPT_TEXTS) {
            free(((struct opt_texts *)o->to)->v);
            *(struct opt_texts *)o->to = (struct opt_texts){0};
        } else if (o->kind == OPT_TEXT)
            *(const char **)o->to = NULL;
    return status;
}

/* ---- outputs ---- */

/* The folder of a path that is not there. */
static int stat_folder(const char *path, struct stat *st)
{
    struct buf folder = {0};
    buf_puts(&folder, *path == '/' ? "" : "./");
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
