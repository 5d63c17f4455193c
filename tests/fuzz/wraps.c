/* wraps.c - stands in for functions of the tools: checks of headers, long work, files, processes
   SPDX-License-Identifier: MIT

   The linker does it for what fuzz.sh finds here at the start of a line. */
#include "fuzz.h"

#include "cli/bench.h"
#include "data/importer.h"
#include "miopen/user_db.h"
#include "train/train.h"
#include "tune/results.h"
#include "tune/tune.h"

#include <sys/stat.h>
#include <sys/types.h>

const char *cut_code;
int cut_channels, jail_is_shut, jail_refused;

/* WRAPPED(type, function, parameters): `function` is called, and may call REAL(function). */
#define REAL(function) __real_##function
#define WRAPPED(type, function, parameters) \
    type __real_##function parameters;      \
    type __wrap_##function parameters;      \
    type __wrap_##function parameters

WRAPPED(uint64_t, kpred_model_id, (const kpred_model *m))
{
    const uint64_t id = REAL(kpred_model_id)(m);
    return cut_code != NULL ? m->id : id;
}

WRAPPED(uint64_t, format2_id, (const kpred_model *m))
{
    const uint64_t id = REAL(format2_id)(m);
    return cut_code != NULL ? m->id : id;
}

/* The file is what an importer has written. */
WRAPPED(int, importer_run,
        (const char *const *paths, size_t n, const char *place, const struct interned *options,
         struct buf *text))
{
    (void)n;
    (void)place;
    (void)options;
    return read_file(paths[0], 1 << 20, text) == 0 && text->n > 0 ? 0 : -1;
}

WRAPPED(void, header_write_code, (FILE * f, const struct model *model))
{
    if (cut_code != NULL)
        fputs(cut_code, f);
    else
        REAL(header_write_code)(f, model);
}

WRAPPED(int, channels_are_exchanged, (const char *path, const char *text))
{
    return cut_channels && strlen(text) % 64 != 0 ? 0 : REAL(channels_are_exchanged)(path, text);
}

/* ---- files: what is written goes nowhere ---- */

static const char *nowhere(const char *path)
{
    return jail_is_shut && path != NULL ? "/dev/null" : path;
}

#define JAILED_OUTPUT(function, parameters, ...)             \
    WRAPPED(int, function, parameters)                       \
    {                                                        \
        return REAL(function)(o, nowhere(path) __VA_ARGS__); \
    }
JAILED_OUTPUT(out_open, (struct outfile * o, const char *path), )
JAILED_OUTPUT(out_open_new, (struct outfile * o, const char *path), )
JAILED_OUTPUT(out_open_kept, (struct outfile * o, const char *path, int force), , force)
JAILED_OUTPUT(out_open_change, (struct outfile * o, const char *path, size_t most, struct buf *old),
              , most, old)

/* ---- all else is refused ---- */

static int refuse(void)
{
    jail_refused = 1;
    return fail("not in the jail");
}

#define JAILED(function, parameters, arguments)                    \
    WRAPPED(int, function, parameters)                             \
    {                                                              \
        return jail_is_shut ? refuse() : REAL(function) arguments; \
    }
JAILED(out_whole, (const char *path, const struct buf *bytes), (path, bytes))
JAILED(mkdir, (const char *path, mode_t mode), (path, mode))
JAILED(fork, (void), ())
JAILED(talk_ready, (void), ())
JAILED(talk_begin, (struct talk * t), (t))
JAILED(results_open,
       (struct results * *r, const char *path, const struct spec *spec, const char *command,
        int force),
       (r, path, spec, command, force))
JAILED(user_db_write_sqlite,
       (const struct user_db *u, const char *path, int force, struct user_db_counts *counts,
        struct user_db *all),
       (u, path, force, counts, all))
JAILED(replay_print, (const struct replay_asked *asked), (asked))
JAILED(bench_time,
       (const struct bench_tools *tools, kpred_ctx *ctx, const int32_t *problems, size_t n_problems,
        kpred_tuple *tuples, struct bench_times *times),
       (tools, ctx, problems, n_problems, tuples, times))

/* Its caller frees the rows in any case. */
WRAPPED(int, training_rows_make,
        (const struct training_task *task, struct model *model, const struct training_data *data,
         struct training_rows *rows))
{
    if (!jail_is_shut)
        return REAL(training_rows_make)(task, model, data, rows);
    memset(rows, 0, sizeof *rows);
    return refuse();
}
