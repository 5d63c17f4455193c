/* commands.h - what tests of kpred-evolve as a program share
   SPDX-License-Identifier: MIT */
#pragma once

#include "harness/cases.h"

#include <glob.h>
#include <math.h>
#include <time.h>

/* A folder with `root`, that of the repository, and with one for temporary files */
static inline void commands_begin(void)
{
    program_begin();
    if (symlink(program.root, "root") != 0 || mkdir("temporary", 0700) != 0)
        program_stop("root, temporary");
    setenv("TMPDIR", say("%s/temporary", program.scratch), 1);
}

static inline int commands_end(void)
{
    CASE(rmdir("temporary") == 0, "no temporary file is left");
    return program_end();
}

/* Has each of the objects, of which there is one or more, these names in their order? */
static inline int names_in(const char *names, const char *json)
{
    const size_t n = count_of(json, "\n{");
    for (size_t i = 0; i < n; i++)
        for (const char *name = names; *name != '\0'; name += *name == ',') {
            const int length = (int)strcspn(name, ",");
            json = strstr(json, say("\"%.*s\": ", length, name));
            if (json == NULL)
                return 0;
            name += length;
        }
    return n > 0;
}

/* Its CSV and its JSON have the same names, and as many rows. */
static inline int same_as_json(const char *line)
{
    char names[1000] = "";
    const int ran =
        RAN("kpred-evolve %s --csv", line) == 0 && sscanf(program.out.s, "%999[^\n]", names) == 1;
    const size_t rows = count_lines(program.out.s) - 1;
    return ran && RAN("kpred-evolve %s --json", line) == 0 && names_in(names, program.out.s)
           && count_of(program.out.s, "\n{") == rows;
}

/* The number in a cell of a line of CSV, from 0 on */
static inline double number_of(const char *line, int cell)
{
    for (; cell > 0 && *line != '\0'; line++)
        cell -= *line == ',';
    return strtod(line, NULL);
}

/* The files of the working folder and of the folders in it: names, sizes and times */
static inline void see_files(struct buf *b)
{
    static const char *const where[] = {"*", "library/*", "temporary/*"};
    b->n = 0;
    for (size_t i = 0; i < COUNT(where); i++) {
        glob_t all;
        if (glob(where[i], 0, NULL, &all) != 0)
            continue;
        for (size_t k = 0; k < all.gl_pathc; k++) {
            struct stat st;
            if (stat(all.gl_pathv[k], &st) == 0 && !S_ISDIR(st.st_mode))
                buf_printf(b, "%s %lld %lld.%ld\n", all.gl_pathv[k], (long long)st.st_size,
                           (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
        }
        globfree(&all);
    }
}

/* A case: the line is refused with that status and text, and no file comes, goes or changes. A
   compiler may have its say before the last line. */
static inline void leaves_files(const char *name, int has_compiler, int status, const char *text,
                                const char *line)
{
    static struct buf before, after;
    see_files(&before);
    int is = program_refuses(status, text, "%s", line);
    if (has_compiler) {
        char *last = program.err.n > 1 ? new_copy(program.err.s) : new_copy("\n");
        last[strlen(last) - 1] = '\0';
        const char *at = strrchr(last, '\n');
        is = program.status == status && program.out.n == 0 && at != NULL && has(at, text)
             && lines_like(last, "^kpred-evolve: ") == 1;
    }
    see_files(&after);
    RAN_CASE(is && before.n > 0 && strcmp(before.s, after.s) == 0, name);
}
