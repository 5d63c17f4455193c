/* commands.c - see commands.h
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/names.h"
#include "kpred.h"

#include <string.h>

const char *commands_path = "";

static void usage_fill(FILE *f, const char *text, size_t at)
{
    const size_t width = terminal_width(fileno(f));
    text_fill(f, text, strlen(text),
              (struct fill){at, at, width > 0 && width < 80 ? width : 80, ""});
    fputc('\n', f);
}

static int usage(FILE *f, const char *program, const struct command *table)
{
    struct buf b = {0};
    fprintf(f, "usage: %s COMMAND [ARGUMENTS]\n\n", program);
    for (; table->name; table++)
        if (table->summary)
            usage_fill(f, table->summary, (size_t)fprintf(f, "  %-8s ", table->name));
    buf_printf(&b,
               "`%s help COMMAND` or `%s COMMAND --help` says more, `%s --version` or -v which "
               "version this is. Exit status: 0, 1 for trouble with what a command was given, 2 "
               "for a wrong command line.",
               program, program, program);
    fputc('\n', f);
    usage_fill(f, b.s, 0);
    buf_free(&b);
    return f == stdout && flush_stdout() ? 1 : 0;
}

static int version(const char *program)
{
    printf("%s %d.%d.%d\n", program, KPRED_VERSION / 10000, KPRED_VERSION / 100 % 100,
           KPRED_VERSION % 100);
    return flush_stdout() ? 1 : 0;
}

/* ---- what to type next ---- */

void next_word(struct next *c, const char *word)
{
    struct buf quoted = {0};
    quote(&quoted, word, c->is_story ? '?' : '*');
    if (c->is_story && c->column + quoted.n > 90) {
        buf_puts(&c->text, " \\\n          ");
        c->column = 10;
    }
    buf_printf(&c->text, "%s%s", c->text.n > 0 ? " " : "", quoted.s);
    c->column += quoted.n + 1;
    buf_free(&quoted);
}

void next_option(struct next *c, const char *option, const char *value)
{
    if (value) {
        next_word(c, option);
        next_word(c, value);
    }
}

void next_files(struct next *c, const char *option, const struct opt_texts *files)
{
    for (size_t i = 0; i < files->n; i++) {
        if (i == 0)
            next_word(c, option);
        next_word(c, c->is_story ? base_name(files->v[i]) : files->v[i]);
    }
}

void next_sets(struct next *c, const struct opt_texts *set)
{
    for (size_t i = 0; i < set->n; i++)
        next_option(c, "--set", set->v[i]);
}

void next_how(struct next *c, const struct data_options *how)
{
    next_option(c, "--gpu", how->gpu);
    next_sets(c, &how->set);
    next_option(c, "--unit", how->unit);
    if (how->nearest)
        next_word(c, "--nearest");
    if (how->lenient)
        next_word(c, "--lenient");
}

/* ---- the commands ---- */

static int is_one_of(const char *arg, const char *a, const char *b)
{
    return !strcmp(arg, a) || !strcmp(arg, b);
}

/* NULL with a message that asks for a near one */
static const struct command *commands_find(const char *program, const struct command *table,
                                           const char *name)
{
    struct names_near near = {.text = name};
    struct buf question = {NULL, 0, 0};
    for (const struct command *c = table; c->name; c++) {
        if (!strcmp(c->name, name))
            return c;
        if (c->summary)
            names_offer(&near, c->name, c->name);
    }
    names_offer(&near, "help", "help");
    fail("\"%s\" is not a command; `%s --help` lists them%s", name, program,
         names_question(&near, &question));
    buf_free(&question);
    return NULL;
}

/* help [COMMAND] */
static int help(const char *program, const struct command *table, int argc, char **argv)
{
    char option[] = "--help";
    if (argc < 3 || is_one_of(argv[2], "--help", "-h") || !strcmp(argv[2], "help"))
        return usage(stdout, program, table);
    if (argc > 3) {
        fail("help: unexpected argument \"%s\"; see %s --help", argv[3], program);
        return 2;
    }
    const struct command *c = commands_find(program, table, argv[2]);
    char *args[] = {argv[2], option, NULL};
    return c ? c->run(2, args) : 2;
}

int commands_run(const char *program, const struct command *table, int argc, char **argv)
{
    program_name = program;
    commands_path = argv[0] ? argv[0] : program;
    streams_ready();
    if (argc < 2) {
        usage(stderr, program, table);
        return 2;
    }
    if (is_one_of(argv[1], "--help", "-h"))
        return usage(stdout, program, table);
    if (is_one_of(argv[1], "--version", "-v"))
        return version(program);
    if (!strcmp(argv[1], "help"))
        return help(program, table, argc, argv);
    const struct command *c = commands_find(program, table, argv[1]);
    return c ? c->run(argc - 1, argv + 1) : 2;
}
