/* cases.h - what tests of programs share: texts, changed files, rows of cases, what there is
   SPDX-License-Identifier: MIT */
#pragma once

#include "harness/program.h"

#include <ctype.h>
#include <regex.h>

/* ---- texts ---- */

/* How often a text is part of another one */
static inline size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

/* The lines that this extended regular expression matches; they stay until the program ends. */
static inline const char *lines_of(const char *text, const char *pattern)
{
    struct buf *found = new_text();
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        program_stop(pattern);
    for (char *at = new_copy(text), *line; (line = next_line(&at)) != NULL;)
        if (regexec(&compiled, line, 0, NULL, 0) == 0)
            buf_printf(found, "%s\n", line);
    regfree(&compiled);
    return found->s;
}

static inline size_t lines_like(const char *text, const char *pattern)
{
    return count_lines(lines_of(text, pattern));
}

/* Is the whole text like this extended regular expression? */
static inline int is_like(const char *text, const char *pattern)
{
    struct buf whole = {0};
    regex_t compiled;
    buf_printf(&whole, "^(%s)$", pattern);
    if (regcomp(&compiled, whole.s, REG_EXTENDED | REG_NOSUB) != 0)
        program_stop(pattern);
    const int is = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    buf_free(&whole);
    return is;
}

/* A text made as by printf, which stays until the 64th call after */
PRINTF_LIKE(1, 2) static inline const char *say(const char *format, ...)
{
    static char texts[64][2048];
    static size_t at;
    char *to = texts[at++ % 64];
    va_list args;
    va_start(args, format);
    vsnprintf(to, sizeof texts[0], format, args);
    va_end(args);
    return to;
}

static inline int begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The text with the first `from`, which is in it, as `to`; it stays until the program ends. */
static inline const char *replaced(const char *text, const char *from, const char *to)
{
    struct buf *b = new_text();
    const char *p = strstr(text, from);
    if (p == NULL)
        program_stop(from);
    buf_printf(b, "%.*s%s%s", (int)(p - text), text, to, p + strlen(from));
    return b->s;
}

static inline int program_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The text with its lines sorted by bytes; it stays until the program ends. */
static inline const char *sorted(const char *text)
{
    const size_t n = count_lines(text);
    char *next = new_copy(text), **lines = new_memory(n + 1, sizeof *lines);
    struct buf *b = new_text();
    for (size_t i = 0; i < n; i++)
        lines[i] = next_line(&next);
    qsort(lines, n, sizeof *lines, program_by_text);
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "%s\n", lines[i]);
    return b->s;
}

/* ---- what two runs print ---- */

static inline int is_kept(const struct buf *kept)
{
    return program.status == 0 && kept->n > 0 && strcmp(program.out.s, kept->s) == 0;
}
/* A run that succeeds and prints what is kept there, which is something */
#define same_as(kept, ...) (RAN(__VA_ARGS__), is_kept(kept))

static inline void keep_output(struct buf *b)
{
    b->n = 0;
    buf_puts(b, program.out.s);
}

/* Two runs that succeed and print the same */
static inline int same_output(const char *one, const char *other)
{
    static struct buf kept;
    const int ran = RAN("%s", one) == 0;
    keep_output(&kept);
    return ran && same_as(&kept, "%s", other);
}

/* ---- files with a change, and rows of cases ---- */

/* A copy of a file that sed changed; 0 if it changed nothing. */
static inline int edited(const char *from, const char *to, const char *script)
{
    return RAN("/usr/bin/env sed '%s' %s > %s", script, from, to) == 0
           && strcmp(text_of(from), text_of(to)) != 0;
}

/* Each line that begins with what follows a `^`, every place of a single character, or the first
   place of a longer text, becomes the other text, in which `&` is what was there: was it there? */
static inline int program_change(struct buf *b, const char *text, const char *from, const char *to)
{
    const int is_line = *from == '^', is_each = is_line || from[1] == '\0';
    const size_t length = strlen(from += is_line);
    int found = 0;
    for (const char *p = text; *p != '\0';) {
        if (strncmp(p, from, length) != 0 || (found && !is_each)
            || (is_line && p != text && p[-1] != '\n')) {
            buf_add(b, p++, 1);
            continue;
        }
        const size_t n = is_line ? strcspn(p, "\n") : length;
        for (const char *t = to; *t != '\0'; t++)
            buf_add(b, *t == '&' ? p : t, *t == '&' ? n : 1);
        p += n + (is_line && *to == '\0');
        found = 1;
    }
    return found;
}

/* Writes a text with such changes, pairs up to NULL or an empty text. */
static inline void put_changes(const char *path, const char *text, const char *const *pairs)
{
    struct buf b = {0};
    buf_puts(&b, text);
    for (; *pairs != NULL && **pairs != '\0'; pairs += 2) {
        struct buf old = b;
        memset(&b, 0, sizeof b);
        if (!program_change(&b, old.s, pairs[0], pairs[1]))
            CASE(0, "%s has \"%s\"", path, pairs[0]);
        buf_free(&old);
    }
    put_text(path, "%s", b.n > 0 ? b.s : "");
    buf_free(&b);
}
#define CHANGED(path, text, ...) put_changes(path, text, (const char *const[]){__VA_ARGS__, NULL})

/* The bytes from..to of a file, and a text behind them */
static inline void put_part(const char *path, const char *of, size_t from, size_t to,
                            const char *more)
{
    struct buf b = {0}, part = {0};
    if (read_file(of, 1 << 24, &b) != 0)
        program_stop(of);
    buf_add(&part, b.s + from, (to < b.n ? to : b.n) - from);
    buf_puts(&part, more);
    if (out_whole(path, &part) != 0)
        program_stop(path);
    buf_free(&b);
    buf_free(&part);
}

static inline void put_copy(const char *path, const char *of)
{
    put_part(path, of, 0, SIZE_MAX, "");
}

/* The first byte of a cell, in which \n, \t, \\ and three octal digits behind a \ are one; how many
   characters stand for it */
static inline size_t byte_of(const char *text, char *byte)
{
    *byte = *text;
    if (*text != '\\' || text[1] == '\0')
        return 1;
    if (text[1] >= '0' && text[1] <= '3') {
        *byte = (char)strtol((char[]){text[1], text[2], text[3], '\0'}, NULL, 8);
        return 4;
    }
    *byte = text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1];
    return 2;
}

/* Calls for each line of a file of the repository, cut at `|` into 16 cells, the last ones empty;
   \n, \t, \\ and three octal digits behind a \ are one byte. A line `[kind]` begins those of a
   kind, `#` a comment. */
static inline void each_row(const char *path, void (*see)(const char *kind, char *const *cell))
{
    char *text = new_copy(text_of(in_root(path))), *line, kind[32] = "";
    if (*text == '\0')
        program_stop(path);
    while ((line = next_line(&text)) != NULL) {
        char *cell[16] = {line}, *to = line;
        size_t n = 1;
        if (*line == '#' || sscanf(line, "[%31[a-z]]", kind) == 1)
            continue;
        for (const char *p = line; *p != '\0';)
            if (*p == '|' && n < COUNT(cell)) {
                p++;
                *to++ = '\0';
                cell[n++] = to;
            } else {
                p += byte_of(p, to++);
            }
        *to = '\0';
        while (n < COUNT(cell))
            cell[n++] = to;
        see(kind, cell);
    }
}

/* ---- what there is ---- */

/* Is there such a command on the path? */
static inline int has_command(const char *name)
{
    return RAN("/usr/bin/env %s --version", name) != 127;
}

static inline const char *own_cc(void)
{
    return getenv("CC") != NULL ? getenv("CC") : "cc";
}

static inline const char *in_build(const char *name)
{
    return say("%s/%s", program.build, name);
}

static inline int is_built(const char *name)
{
    return access(in_build(name), X_OK) == 0;
}

/* Did make find the library: SQLITE, BZIP2, ZLIB? */
static inline int has_library(const char *name)
{
    return has(text_of(in_build("libraries")), say("-DHAVE_%s", name));
}

/* Is it here: a command, a file if there is a slash in it, a library that make found, in capitals,
   an option with which the compiler finds the C library, a `terminal`, a `user but root`? */
static inline int is_had(const char *need)
{
    if (*need == '-')
        return RAN("/bin/sh -c 'echo \"#include <string.h>\" | %s %s -xc -c - -o had.o'", own_cc(),
                   need)
               == 0;
    if (strcmp(need, "terminal") == 0)
        return RAN("/usr/bin/env script -qec true /dev/null") == 0;
    if (strcmp(need, "user but root") == 0)
        return geteuid() != 0;
    return strchr(need, '/') != NULL       ? is_there(need)
           : isupper((unsigned char)*need) ? has_library(need)
                                           : has_command(need);
}

/* A test is skipped without it. */
#define NEEDS(need)                         \
    do {                                    \
        if (!is_had(need)) {                \
            test_skip("there is no " need); \
            return;                         \
        }                                   \
    } while (0)

/* What the variable says, as it is called from every folder, or that path in the repository; it
   stays until the fourth call of in_root after. */
static inline const char *folder_of(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);
    return value == NULL ? in_root(otherwise) : *value == '/' ? value : in_root(value);
}

/* A test that cannot run here */
static inline void skip_case(const char *name, const char *reason)
{
    test_start(name);
    test_skip(reason);
    test_stop();
}
