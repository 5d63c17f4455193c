/* without_mlir.c - the commands that need MLIR, where it is not there
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "base/util.h"

static int refuse(void)
{
    fail_without("a module", "MLIR", "libmlir-16-dev");
    return 1;
}

int cmd_ml(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse();
}

int cmd_ml_export(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse();
}

int cmd_ml_report(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse();
}
