/* commands.c - see commands.h
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/util.h"
#include "kpred.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *commands_path = "";

static int usage(FILE *f, const char *program, const struct command *table)
{
    fprintf(f, "usage: %s COMMAND [ARGUMENTS]\n\n", program);
    for (; table->name; table++)
        fprintf(f, "  %-8s %s\n", table->name, table->summary);
    fprintf(f,
            "\n`%s COMMAND --help` says more. Exit status: 0, 1 for trouble with what a command\n"
            "was given, 2 for a wrong command line.\n",
            program);
    return f == stdout && flush_stdout() ? 1 : 0;
}

static int version(const char *program)
{
    printf("%s %d.%d.%d\n", program, KPRED_VERSION / 10000, KPRED_VERSION / 100 % 100,
           KPRED_VERSION % 100);
    return flush_stdout() ? 1 : 0;
}

/* A program may be started with one of its three streams closed. The next file it opened would then
   get that number, and messages would end up in it: so the number is taken, by what can be neither
   read nor written that way. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0
            && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int commands_run(const char *program, const struct command *table, int argc, char **argv)
{
    program_name = program;
    commands_path = argv[0] ? argv[0] : program;
    hold_streams();
    if (argc < 2) {
        usage(stderr, program, table);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return usage(stdout, program, table);
    if (!strcmp(argv[1], "--version"))
        return version(program);
    for (const struct command *c = table; c->name; c++)
        if (!strcmp(c->name, argv[1]))
            return c->run(argc - 1, argv + 1);
    fail("\"%s\" is no command; `%s --help` lists them", argv[1], program);
    return 2;
}
