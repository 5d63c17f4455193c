/* test_networks.c - the paper's networks through kpred-train
   SPDX-License-Identifier: MIT

   All of it are the steps in tests/lab/networks.cases. */
#define _XOPEN_SOURCE 700
#include "train/steps.h"

int main(int argc, char **argv)
{
    static const struct step_call none[] = {{NULL, NULL}};
    return argc == 1 ? run_steps("tests/lab/networks.cases", argv[0], none) : 2;
}
