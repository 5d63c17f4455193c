/* program.h - runs the programs as their users do: a child for each command line, and no shell
   SPDX-License-Identifier: MIT

       program_begin();                             the working folder is one that is new
       REFUSES("unknown command", 2, "\"no\" is no command", "kpred %s", "no");
       RAN_CASE(RAN("kpred models --csv > m.csv") == 0 && count_lines(text_of("m.csv")) == 18,
                "models");
       return program_end();                        the folder goes; the counts

   A line is made as by printf and cut at blanks; '...' is one word. A first word without a slash is
   a program that make built. `< FILE` gives it input, which is empty without; `> FILE` takes its
   output, `2> FILE` what it complains of.
   A check that fails prints what the last program said, and the line that repeats it. */
#pragma once

#include "harness/test.h"

#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROGRAM_WORDS = 256,
    PROGRAM_SECONDS = 120 /* of a child; then it is ended, which is status 128 + SIGALRM */
};

static struct {
    char root[1024], build[2048], scratch[64];
    char line[8192];        /* of the last one that ran */
    int status;             /* its exit status, or 128 and its signal */
    struct buf out, err;    /* what it printed */
    void (*in_child)(void); /* what a child does before it becomes the program, or NULL */
} program;

#define RAN(...)   FINISH(START(__VA_ARGS__))
#define WORKS(...) (RAN(__VA_ARGS__) == 0)
/* A test of its own, too: the command succeeds, after whose line it is named. */
#define RUNS(...) program_case(program.line, WORKS(__VA_ARGS__), __FILE__, __LINE__)
/* Begins one beside the test, a child of that number; FINISH waits for it, and is as RAN then. */
#define START(...)                         program_start(__VA_ARGS__)
#define FINISH(child)                      program_finish(child)
#define program_refuses(status, text, ...) (RAN(__VA_ARGS__), program_refused(status, text))
/* A test with a name: a program's status, no output, and one line of complaint with this text */
#define REFUSES(name, status, text, ...) \
    program_case(name, program_refuses(status, text, __VA_ARGS__), __FILE__, __LINE__)
/* A check within a test, or a test of its own, of what the last program did */
#define RAN_CHECK(condition)       CHECK_RAN(condition, #condition)
#define CHECK_RAN(condition, what) ((condition) ? (void)0 : program_fail(__FILE__, __LINE__, what))
#define RAN_CASE(condition, name)  program_case(name, (condition) != 0, __FILE__, __LINE__)

/* ---- memory that stays until the program ends, of which the last piece knows the others ---- */

static inline void *new_memory(size_t n, size_t size)
{
    static void **last;
    void **now = xcalloc(1, 2 * sizeof *now + n * size);
    *now = last;
    last = now;
    return now + 2;
}

/* An empty one */
static inline struct buf *new_text(void)
{
    struct buf *b = new_memory(1, sizeof *b);
    buf_puts(b, "");
    return b;
}

static inline char *new_copy(const char *text)
{
    return strcpy(new_memory(strlen(text) + 1, 1), text);
}

/* ---- files ---- */

static inline void remove_tree(const char *path);

/* What a test needs is not to be had: the folder goes, and this is a failure. */
static inline void program_stop(const char *what)
{
    printf("FAIL %s: %s\n0 passed, 1 failed, 0 skipped\n", what, strerror(errno));
    if (chdir("/") == 0)
        remove_tree(program.scratch);
    exit(1);
}

PRINTF_LIKE(2, 3) static inline void put_text(const char *path, const char *format, ...)
{
    va_list args;
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        program_stop(path);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    if (fclose(f) != 0)
        program_stop(path);
}

static inline void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        program_stop(path);
}

static inline void program_read(const char *path, struct buf *b)
{
    struct stat st;
    b->n = 0;
    buf_puts(b, "");
    if (stat(path, &st) == 0 && st.st_size > 0)
        read_file(path, 1 << 26, b);
}

/* The text of a file, "" if it is not there; it stays until the fourth call after. */
static inline const char *text_of(const char *path)
{
    static struct buf texts[4];
    static size_t at;
    struct buf *b = &texts[at++ % 4];
    program_read(path, b);
    return b->s;
}

static inline int is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* A path in the repository, which stays until the fourth call after */
static inline const char *in_root(const char *path)
{
    static char paths[4][2048];
    static size_t at;
    char *to = paths[at++ % 4];
    snprintf(to, sizeof paths[0], "%s/%s", program.root, path);
    return to;
}

static inline void remove_tree(const char *path)
{
    char inner[1024];
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        DIR *d = chmod(path, 0700) == 0 ? opendir(path) : NULL;
        for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0
                && snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) < (int)sizeof inner)
                remove_tree(inner);
        if (d != NULL)
            closedir(d);
    }
    remove(path);
}

/* ---- texts ---- */

static inline size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* Is this a whole line of it? */
static inline int has_line(const char *text, const char *line)
{
    const size_t n = strlen(line);
    for (const char *p = text; (p = strstr(p, line)) != NULL; p++)
        if ((p == text || p[-1] == '\n') && (p[n] == '\n' || p[n] == '\0'))
            return 1;
    return 0;
}

static inline int has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* ---- running ---- */

/* Cuts a line into words, in place. */
static inline size_t program_words(char *line, char **words)
{
    size_t n = 0;
    char *to = line;
    for (char *p = line; *(p += strspn(p, " ")) != '\0' && n < PROGRAM_WORDS - 1;) {
        words[n++] = to;
        for (int quoted = 0; *p != '\0' && (quoted || *p != ' '); p++)
            if (*p == '\'')
                quoted = !quoted;
            else
                *to++ = *p;
        p += *p != '\0';
        *to++ = '\0';
    }
    words[n] = NULL;
    return n;
}

static inline int program_open_as(const char *path, int flags, int as)
{
    const int fd = open(path, flags, 0666);
    return fd < 0 || (fd != as && (dup2(fd, as) < 0 || close(fd) != 0)) ? -1 : 0;
}

/* In the child: takes `< FILE`, `> FILE` and `2> FILE` out of the words. */
static inline int program_redirect(char **words)
{
    const int creates = O_WRONLY | O_CREAT | O_TRUNC;
    char err[128], out[128];
    const char *in = "/dev/null", *to = out, *says = err;
    size_t n = 0;
    snprintf(err, sizeof err, "%s.%ld.err", program.scratch, (long)getpid());
    snprintf(out, sizeof out, "%s.%ld.out", program.scratch, (long)getpid());
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], "<") == 0 && words[i + 1] != NULL)
            in = words[++i];
        else if (strcmp(words[i], ">") == 0 && words[i + 1] != NULL)
            to = words[++i];
        else if (strcmp(words[i], "2>") == 0 && words[i + 1] != NULL)
            says = words[++i];
        else
            words[n++] = words[i];
    words[n] = NULL;
    return program_open_as(in, O_RDONLY, 0) | program_open_as(to, creates, 1)
           | program_open_as(says, creates, 2);
}

static inline void program_child(char **words)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", program.build, words[0]);
    if (program_redirect(words) == 0) {
        if (program.in_child != NULL)
            program.in_child();
        alarm(PROGRAM_SECONDS);
        execv(strchr(words[0], '/') != NULL ? words[0] : path, words);
    }
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

static inline void program_take(struct buf *b, pid_t child, const char *ending)
{
    char path[128];
    snprintf(path, sizeof path, "%s.%ld%s", program.scratch, (long)child, ending);
    program_read(path, b);
    unlink(path);
}

PRINTF_LIKE(1, 2) static inline pid_t program_start(const char *format, ...)
{
    static char cut[sizeof program.line];
    char *words[PROGRAM_WORDS];
    va_list args;
    va_start(args, format);
    vsnprintf(program.line, sizeof program.line, format, args);
    va_end(args);
    memcpy(cut, program.line, sizeof cut);
    program_words(cut, words);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        program_child(words);
    if (child < 0)
        program_stop("a child");
    return child;
}

static inline int program_finish(pid_t child)
{
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        program_stop("a child");
    program_take(&program.out, child, ".out");
    program_take(&program.err, child, ".err");
    program.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return program.status;
}

/* ---- checks ---- */

static inline int program_refused(int status, const char *text)
{
    return program.status == status && program.out.n == 0 && count_lines(program.err.s) == 1
           && has(program.err.s, text);
}

/* A failure, with what the last program said and how to run it again */
static inline void program_fail(const char *file, int line, const char *what)
{
    test_fail(file, line, what);
    printf(
        "  status %d, standard error: %.400s\n  standard output: %.400s\n  again: in a folder with "
        "its files, %s\n",
        program.status, program.err.s, program.out.s, program.line);
}

static inline int program_case(const char *name, int passes, const char *file, int line)
{
    test_start(name);
    if (!passes)
        program_fail(file, line, "it does otherwise");
    test_stop();
    return passes;
}

/* ---- begin and end ---- */

static inline void program_begin(void)
{
    const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
    if (getcwd(program.root, sizeof program.root) == NULL)
        program_stop("the working folder");
    snprintf(program.build, sizeof program.build, "%s%s%s", *build == '/' ? "" : program.root,
             *build == '/' ? "" : "/", build);
    strcpy(program.scratch, "/tmp/kpred-test-XXXXXX");
    if (mkdtemp(program.scratch) == NULL || chdir(program.scratch) != 0)
        program_stop(program.scratch);
}

static inline int program_end(void)
{
    if (chdir(program.root) != 0)
        program_stop(program.root);
    remove_tree(program.scratch);
    buf_free(&program.out);
    buf_free(&program.err);
    return test_end();
}
