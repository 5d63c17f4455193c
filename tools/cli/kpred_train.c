/* kpred_train.c - the program for those who make models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

/* A name of 0.2.0: the error tells that of today. */
static int old_name(int argc, char **argv)
{
    (void)argc;
    if (!strcmp(argv[0], "aiter"))
        fail("`kpred-train aiter --model` is `kpred-train shapes --config`");
    else
        fail("`kpred-train %s` is `kpred %s`", argv[0], argv[0]);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct command table[] = {
        {"init", "files of a tuner to a spec for a kernel of one's own", cmd_init},
        {"ingest", "tuning results of any format to CSV", cmd_ingest},
        {"train", "tuning results to a generated header", cmd_train},
        {"eval", "how good a model's predictions are", cmd_eval},
        {"tune", "a command that times a tuple to a table of times", cmd_tune},
        {"tuples", "the legal tuples of problems, for a judge", cmd_tuples},
        {"report", "a page that shows tunings and models", cmd_report_page},
        {"merge", "the tables of several tuners to one", cmd_merge},
        {"relayout", "a header in the format of today", cmd_relayout},
        {"kernels", "the kernels that AITER has now, into a spec", cmd_kernels},
        {"shapes", "a language model's config to AITER's list of shapes", cmd_shapes},
        {"miopen", NULL, old_name},
        {"bench", NULL, old_name},
        {"aiter", NULL, old_name},
        {NULL, NULL, NULL},
    };
    return commands_run("kpred-train", table, argc, argv);
}
