/* kpred_evolve.c - the program for those who let a kernel evolve
   SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <stddef.h>

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {NULL, NULL, NULL},
    };
    return commands_run("kpred-evolve", table, argc, argv);
}
