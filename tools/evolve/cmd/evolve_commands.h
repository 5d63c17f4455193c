/* evolve_commands.h - the commands of kpred-evolve; each takes its own name as argv[0] and returns
   the status to exit with: 0, 1 for trouble with what it was given, 2 for a wrong command line
   SPDX-License-Identifier: MIT */
#pragma once

int cmd_check_kernel(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_minimise(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_network(int argc, char **argv);
int cmd_ml(int argc, char **argv);
int cmd_ml_report(int argc, char **argv);
int cmd_ml_export(int argc, char **argv);
