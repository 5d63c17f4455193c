/* steps.h - runs the steps in a .cases file: command lines, and what they print, write and refuse
   SPDX-License-Identifier: MIT

   Each step is a test of its own, named by its line; `#` begins a comment.
     NAME = TEXT             $NAME is that text from here on
     file F                  the lines behind it that begin with two blanks are the file
     run LINE                a command that succeeds; of a line with <a;b> each is a step,
                             in which <> is the same one
     1 TEXT | LINE           refused: that status, no output, one line of complaint with the text;
                             likewise 2, and none.h is not there afterwards
     out PATTERN             the last output is wholly like that extended regular expression
     err TEXT, quiet TEXT    the last complaints have the text, or have it not
     warned TEXT | ...       the last complaints have these warnings and no others
     next WHAT               runs what the last command, but for such ones, told to type for it
     has F | TEXT            the file has it; not F | TEXT, line F | LINE: a whole line of it
     like F | N | PATTERN    so many of its lines are like that
     same F | G              two files; weights F | G: headers, each with another network
     ls FOLDER | NAMES       all that is in it, each name with a blank behind it
     sed F | G | SCRIPT      makes G from F; it is a failure if nothing changes
     edit F | SCRIPT | TEXT | LINE   F with a change is edited.h or edited.spec, and is refused;
                             without a line by that of the last edit
     sh SCRIPT               a script of the shell that succeeds
     c FILE                  it compiles as C99 and C++98, without a warning; a main is run
     needs NEED              without it, which cases.h describes, the steps up to the next [section]
                             are skipped
     call NAME               a function of the test */
#pragma once

#include "harness/cases.h"

#define WARNINGS                                                                            \
    "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef " \
    "-Werror "

/* ---- files ---- */

/* What is in a folder, hidden files too, each with a blank behind it */
static inline const char *files_in(const char *folder)
{
    RAN("/usr/bin/env LC_ALL=C ls -A '%s'", folder);
    char *names = new_copy(program.out.s);
    for (char *p = names; *p != '\0'; p++)
        *p = *p == '\n' ? ' ' : *p;
    return names;
}

/* The lines of a text that have this, without it where they begin with it */
static inline const char *lines_with(const char *text, const char *part)
{
    struct buf *found = new_text();
    for (char *at = new_copy(text), *line; (line = next_line(&at)) != NULL;)
        if (has(line, part))
            buf_printf(found, "%s\n", begins(line, part) ? line + strlen(part) : line);
    return found->s;
}

/* The text between two others, "" if it is not there; it stays until the 64th call of say after. */
static inline const char *between(const char *text, const char *from, const char *to)
{
    const char *start = strstr(text, from), *end;
    if (start == NULL || (end = strstr(start + strlen(from), to)) == NULL)
        return "";
    return say("%.*s", (int)(end - start - (long)strlen(from)), start + strlen(from));
}

/* ---- headers ---- */

/* The numbers of its network alone: its comment and its id tell the options of a training also
   where these changed nothing. */
static inline const char *weights_of(const char *header)
{
    struct buf *b = new_text();
    int inside = 0;
    for (char *at = new_copy(text_of(header)), *line; (line = next_line(&at)) != NULL;)
        if (inside && *line != '}')
            buf_printf(b, "%s\n", line);
        else
            inside = is_like(line, "static const .*_(weights?|bias|embedding|out|offset)[0-9]*_?"
                                   "\\[[0-9]+\\] = \\{");
    return b->s;
}

/* Both have a network, and not the same one. */
static inline int other_weights(const char *header, const char *other)
{
    const char *a = weights_of(header), *b = weights_of(other);
    return *a != '\0' && *b != '\0' && strcmp(a, b) != 0;
}

/* ---- compilers ---- */

/* A source file with kpred's headers, without a warning; a program with a main is run. */
static inline int compiles(const char *compiler, const char *file)
{
    const int is_cxx = has(compiler, "++"), runs = has(text_of(file), "int main(");
    return WORKS("/usr/bin/env %s %s -DKPRED_SIMD=0 -pedantic-errors " WARNINGS
                 "-I%s -I. %s -o ./compiled",
                 compiler,
                 is_cxx ? "-xc++ -std=c++98 -Wno-long-long"
                        : "-std=c99 -Wstrict-prototypes -Wmissing-prototypes",
                 program.root, runs ? file : say("-c %s", file))
           && (!runs || WORKS("./compiled"));
}

/* A test for each of four compilers, of C and of C++ */
static inline void compiled_by_each(const char *what, const char *file)
{
    static const char *const compilers[] = {"gcc", "clang", "g++", "clang++"};
    for (size_t i = 0; i < 4; i++)
        if (has_command(compilers[i]))
            RAN_CASE(compiles(compilers[i], file), say("%s, %s", what, compilers[i]));
        else
            skip_case(say("%s, %s", what, compilers[i]), "it is not installed");
}

/* ---- steps ---- */

struct step_call {
    const char *name;
    void (*call)(void);
};

static struct {
    const struct step_call *calls;
    char *arg[4]; /* of the step, those that it lacks empty */
    struct buf names, file, told;
    char path[128];  /* of the file whose lines are read, or empty */
    char lacks[256]; /* why the section is skipped, or empty */
} steps;

static inline int file_says(const char *kind, const char *file, const char *text)
{
    const char *is = text_of(file);
    return *is != '\0' && (*kind == 'l' ? has_line(is, text) : has(is, text) == (*kind == 'h'));
}

static inline int refused(int status, const char *text, const char *line)
{
    return program_refuses(status, text, "%s", line) && !is_there("none.h");
}

static inline int run_line(const char *line)
{
    const int succeeds = RAN("%s", line) == 0;
    steps.told.n = 0;
    buf_puts(&steps.told, program.err.s);
    return succeeds;
}

static inline int run_script(const char *script)
{
    put_text("step.sh", "%s\n", script);
    return run_line("/bin/sh step.sh");
}

/* What the last `run` or `sh` told to type for that */
static inline int run_next(const char *what)
{
    const char *was = new_copy(steps.told.s);
    const int succeeds = run_script(between(was, say("kpred-train: %s: ", what), "\n"));
    steps.told.n = 0;
    buf_puts(&steps.told, was);
    return succeeds && program.out.n > 0;
}

static inline int warned(char *const *texts)
{
    struct buf *want = new_text();
    for (size_t i = 0; i < 4 && *texts[i] != '\0'; i++)
        buf_printf(want, "%s\n", texts[i]);
    return strcmp(lines_with(program.err.s, "kpred-train: warning: "), want->s) == 0;
}

static inline int edit_refused(const char *file, const char *script, const char *text,
                               const char *line)
{
    static char last[512];
    if (*line != '\0')
        snprintf(last, sizeof last, "%s", line);
    return edited(file, say("edited%s", strrchr(file, '.')), script) && refused(1, text, last);
}

/* Does the step do as it says? -1: there is none of that kind. */
static inline int step_holds(const char *kind)
{
    char *const *a = steps.arg;
#define IS(name) strcmp(kind, name) == 0
    return IS("run")                              ? run_line(a[0])
           : IS("1") || IS("2")                   ? refused(*kind - '0', a[0], a[1])
           : IS("out")                            ? is_like(program.out.s, with_newlines(a[0]))
           : IS("err")                            ? has(program.err.s, with_newlines(a[0]))
           : IS("quiet")                          ? !has(program.err.s, with_newlines(a[0]))
           : IS("has") || IS("not") || IS("line") ? file_says(kind, a[0], with_newlines(a[1]))
           : IS("like")    ? lines_like(text_of(a[0]), a[2]) == (size_t)strtol(a[1], NULL, 10)
           : IS("same")    ? same_files(a[0], a[1])
           : IS("weights") ? other_weights(a[0], a[1])
           : IS("ls")      ? strcmp(files_in(a[0]), a[1]) == 0
           : IS("sed")     ? edited(a[0], a[1], a[2])
           : IS("sh")      ? run_script(a[0])
           : IS("edit")    ? edit_refused(a[0], a[1], a[2], a[3])
           : IS("warned")  ? warned(a)
           : IS("next")    ? run_next(a[0])
                           : -1;
#undef IS
}

static inline void call_step(const char *name)
{
    const struct step_call *c = steps.calls;
    while (c->name != NULL && strcmp(c->name, name) != 0)
        c++;
    if (c->name == NULL)
        program_stop(name);
    test_run(c->name, c->call);
}

/* A step whose lists are resolved */
static inline void take_step(char *line)
{
    char *kind = line, *at = strchr(line, ' ');
    const char *name = say("%s", line);
    if (at == NULL)
        program_stop(line);
    *at++ = '\0';
    for (size_t i = 0; i < 4; i++) {
        char *bar = strcmp(kind, "sh") != 0 ? strstr(at, " | ") : NULL;
        steps.arg[i] = at;
        at = bar != NULL ? bar + 3 : at + strlen(at);
        if (bar != NULL)
            *bar = '\0';
    }
    if (strcmp(kind, "needs") == 0) {
        if (*steps.lacks == '\0' && !is_had(steps.arg[0]))
            snprintf(steps.lacks, sizeof steps.lacks, "there is no %s", steps.arg[0]);
    } else if (*steps.lacks != '\0')
        skip_case(name, steps.lacks);
    else if (strcmp(kind, "call") == 0)
        call_step(steps.arg[0]);
    else if (strcmp(kind, "c") == 0)
        compiled_by_each(name, steps.arg[0]);
    else {
        const int holds = step_holds(kind);
        if (holds < 0)
            program_stop(kind);
        RAN_CASE(holds, name);
    }
}

/* Of a line with <a;b> each, in which <> is the same one */
static inline void take_each(char *line)
{
    const char *list = begins(line, "sh ") || begins(line, "edit ") ? NULL : items_in(line);
    size_t n;
    if (list == NULL || list[1] == ' ') {
        take_step(line);
        return;
    }
    for (const char *item = list + 1; item[-1] != '>'; item += n + 1) {
        n = strcspn(item, ";>");
        take_each(with_item(line, list, item, n));
    }
}

static inline void end_file(void)
{
    if (*steps.path != '\0')
        put_text(steps.path, "%s", steps.file.s);
    *steps.path = '\0';
}

static inline void take_line(const char *line)
{
    if (begins(line, "  ")) {
        buf_printf(&steps.file, "%s\n", line + 2);
        return;
    }
    end_file();
    if (*line == '[')
        *steps.lacks = '\0';
    if (*line == '[' || *line == '#' || *line == '\0')
        return;
    const char *whole = expanded(line, steps.names.s);
    if (isupper((unsigned char)*line))
        buf_printf(&steps.names, "\n%s", whole);
    else if (begins(whole, "file ")) {
        snprintf(steps.path, sizeof steps.path, "%s", whole + 5);
        steps.file.n = 0;
    } else
        take_each(new_copy(whole));
}

/* All steps of a file of the repository, whose folder is `root` and $ROOT. $SELF is the test's
   program, which argv0 names; $AITER, $MIOPEN and $TUNER are folders of data. */
static inline int run_steps(const char *path, const char *argv0, const struct step_call *calls)
{
    static struct buf all;
    char self[4096];
    if (realpath(argv0, self) == NULL)
        return 1;
    program_begin();
    setenv("PATH", say("%s:%s", program.build, getenv("PATH")), 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    if (symlink(program.root, "root") != 0 || read_file(in_root(path), 1 << 20, &all) != 0)
        program_stop(path);
    steps.calls = calls;
    buf_printf(&steps.names, "\nROOT = %s\nSELF = %s\nCC = %s", program.root, self, own_cc());
    buf_printf(&steps.names, "\nAITER = %s\nMIOPEN = %s\nTUNER = %s",
               folder_of("AITER_CSV", "../shared/aiter"),
               folder_of("MIOPEN_DB", "../shared/miopen/data"),
               folder_of("TUNER", "../shared/tuner"));
    for (char *at = all.s, *line; (line = next_line(&at)) != NULL;)
        take_line(line);
    end_file();
    return program_end();
}
