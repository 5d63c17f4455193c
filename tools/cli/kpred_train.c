/* kpred_train.c - the program for those who make models
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include <stddef.h>

/* ---- old names, which 0.4.0 has no longer ---- */

static void say_new_name(const char *old, const char *now)
{
    note("warning: use `%s`, as `%s` goes in 0.4.0", now, old);
}

static int old_miopen(int argc, char **argv)
{
    say_new_name("kpred-train miopen", "kpred miopen");
    return cmd_miopen(argc, argv);
}

static int old_bench(int argc, char **argv)
{
    say_new_name("kpred-train bench", "kpred bench");
    return cmd_bench(argc, argv);
}

static int old_aiter(int argc, char **argv)
{
    say_new_name("aiter --model", "kpred-train shapes --config");
    return cmd_shapes_as_aiter(argc, argv);
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
        {"miopen", NULL, old_miopen},
        {"bench", NULL, old_bench},
        {"aiter", NULL, old_aiter},
        {NULL, NULL, NULL},
    };
    return commands_run("kpred-train", table, argc, argv);
}
