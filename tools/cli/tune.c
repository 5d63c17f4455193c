/* tune.c - `kpred-train tune`
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "tune_replay.h"

int cmd_tune(int argc, char **argv)
{
    return cmd_tune_replay(argc, argv);
}
