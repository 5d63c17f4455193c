/* jail.c - see jail.h
   SPDX-License-Identifier: MIT */
#include "jail.h"

#include "cli/bench_time.h"
#include "train/train.h"
#include "tune/child.h"
#include "tune/replay.h"
#include "tune/results.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

int jail_is_shut, jail_refused;

static int refuse(void)
{
    jail_refused = 1;
    return fail("not in the jail");
}

/* ---- files: what is written goes nowhere ---- */

static const char *nowhere(const char *path)
{
    return jail_is_shut && path != NULL ? "/dev/null" : path;
}

#define JAILED_OUTPUT(function, parameters, ...)                \
    int __real_##function parameters;                           \
    int __wrap_##function parameters;                           \
    int __wrap_##function parameters                            \
    {                                                           \
        return __real_##function(o, nowhere(path) __VA_ARGS__); \
    }
JAILED_OUTPUT(out_open, (struct outfile * o, const char *path), )
JAILED_OUTPUT(out_open_new, (struct outfile * o, const char *path), )
JAILED_OUTPUT(out_open_kept, (struct outfile * o, const char *path, int force), , force)
JAILED_OUTPUT(out_open_change, (struct outfile * o, const char *path, size_t most, struct buf *old),
              , most, old)

/* ---- all else is refused ---- */

#define JAILED(function, parameters, arguments)                       \
    int __real_##function parameters;                                 \
    int __wrap_##function parameters;                                 \
    int __wrap_##function parameters                                  \
    {                                                                 \
        return jail_is_shut ? refuse() : __real_##function arguments; \
    }
JAILED(out_whole, (const char *path, const struct buf *bytes), (path, bytes))
JAILED(mkdir, (const char *path, mode_t mode), (path, mode))
JAILED(fork, (void), ())
JAILED(child_ready, (void), ())
JAILED(child_begin, (struct child * c, const char *line, const struct assign *a), (c, line, a))
JAILED(results_open,
       (struct results * *r, const char *path, const struct spec *spec, const char *command),
       (r, path, spec, command))
JAILED(replay_print, (const struct replay_asked *asked), (asked))
JAILED(bench_time,
       (const struct bench_tools *tools, kpred_ctx *ctx, const int32_t *problems, size_t n_problems,
        kpred_tuple *tuples, struct bench_times *times),
       (tools, ctx, problems, n_problems, tuples, times))

int __real_training_rows_make(const struct training_task *task, struct model *model,
                              const struct training_data *data, struct training_rows *rows);
int __wrap_training_rows_make(const struct training_task *task, struct model *model,
                              const struct training_data *data, struct training_rows *rows);
/* Its caller frees the rows in any case. */
int __wrap_training_rows_make(const struct training_task *task, struct model *model,
                              const struct training_data *data, struct training_rows *rows)
{
    if (!jail_is_shut)
        return __real_training_rows_make(task, model, data, rows);
    memset(rows, 0, sizeof *rows);
    return refuse();
}
