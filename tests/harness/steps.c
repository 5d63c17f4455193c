/* steps.c - runs a file of steps: command lines, and what they print, refuse, write and leave
   SPDX-License-Identifier: MIT

   usage: steps FILE, from the repository's root; run.sh does it for each test_NAME.steps

   Each line is a step, and a check of that name; a failure says FILE:LINE. They run in the order of
   the file, in a new folder, where `root` is the repository. The programs that make built are on
   the path. `#` begins a comment, `[...]` a section.

   Commands
     run LINE              it succeeds; no shell reads it, but '...' is one word, and `< F`, `> F`
                           and `2> F` are known
     sh SCRIPT             a script of the shell succeeds
     1 TEXT | LINE         refused: that status, no output, one line of complaint with the text, and
                           all files are as they were; likewise 2; 1+: among several lines
     1~ PATTERN | LINE     that status, and all complaints are like that; no output, but for 0~
     ends N | LINE         that status, whatever it prints
     both LINE | LINE      the two succeed and print the same, which is something
     tests LINE            a test with lines `ok NAME` and counts at the end, which become ours
     c F                   it compiles as C99 and C++98, without a warning; a main is run
   What the last one printed; a LINE behind it runs first, and succeeds
     out PATTERN [| LINE]  its output is wholly like that extended regular expression
     err TEXT, quiet TEXT  its complaints have the text, or have it not
     told START | TEXT ... its complaints that begin so go on with these texts, one after the other
   Files; @out and @err are the last output and complaints
     has F | TEXT          the file has it; not F | TEXT, line F | LINE: a whole line of it
     like F | N | PATTERN  so many of its lines are like that, or N-M; +: some are
     same F | G            two files that are there
     alike F | G | PATTERN the lines like that, if there is one, are the same, in any order
     ls FOLDER | NAMES     all that is in it, each name with a blank behind it
     sed F | G | SCRIPT    makes G from F; it is a failure if nothing changes
     change F | G | FROM | TO ...
                           the same by pairs of texts: FROM is the first place of it, with ^ each
                           line that begins so, of one character each place; in TO & is what
                           was there; bytes are written as for put
     edit F | SCRIPT | TEXT | LINE
                           F with a change is edited.h or edited.spec, and refused with 1; without a
                           line by that of the last edit. %s is FILE:LINE: of the change
   What is no check
     NAME = TEXT           $NAME, or ${NAME}, is that text from here on
     file F                the lines behind it that begin with two blanks are the file
     put F | TEXT          the file has that text; \n, \t, \\ and \OOO, octal, are one byte
     to VERB               such lines are steps, in which $1 ... $9 ${10} ... stand for cells; from
                           here on a line `VERB CELL | CELL` is one check, which does them all
     program F             compiles tests/F.c with what make built of the tools, as ./NAME
     needs NEED            without it, which cases.h describes, the steps up to the next section are
                           skipped

   A line with <a;b> is a step for each, in which <> is the same one; but not of sh and edit. \n is
   the end of a line in a text or pattern. $ROOT is the repository, $HERE the folder, $CC the
   compiler; $AITER, $MIOPEN and $TUNER are folders of data. */
#define _XOPEN_SOURCE 700
#include "harness/cases.h"

#include <ftw.h>

#define WARNINGS                                                                            \
    "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef " \
    "-Werror "

enum { MOST_CELLS = 14, MOST_VERBS = 32 };

static struct {
    const char *path; /* of the file of steps */
    int line, in_verb;
    struct buf names, block;
    const char *cell[MOST_CELLS]; /* of the step, those that it lacks empty */
    char opens[256];              /* the `file` or `to` whose lines are read, or empty */
    char lacks[256];              /* why the section is skipped, or empty */
    struct {
        char *name, *body;
    } verb[MOST_VERBS];
    size_t n_verbs;
} steps;

/* ---- names and lists in a line ---- */

/* A pattern in which \n is the end of a line */
static const char *with_newlines(const char *text)
{
    struct buf *b = new_text();
    for (const char *at; (at = strstr(text, "\\n")) != NULL; text = at + 2)
        buf_printf(b, "%.*s\n", (int)(at - text), text);
    buf_puts(b, text);
    return b->s;
}

/* How many characters of a text are $1, $NAME or ${NAME}, of which name is the name; else 0 */
static size_t name_at(const char *text, const char **name, size_t *length)
{
    const int is_braced = text[0] == '$' && text[1] == '{';
    *name = text + 1 + is_braced;
    *length = strspn(*name, is_braced ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                      : "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!is_braced && isdigit((unsigned char)**name))
        *length = 1;
    if (*text != '$' || *length == 0 || (is_braced && (*name)[*length] != '}'))
        return 0;
    return *length + 1 + 2 * (size_t)is_braced;
}

/* The text with each of them as the last line NAME = ... of these has it; it stays until the
   program ends. */
static const char *expanded(const char *text, const char *names)
{
    struct buf *b = new_text();
    for (size_t n, length; *text != '\0'; text += n > 0 ? n : 1) {
        const char *is = NULL, *name;
        n = name_at(text, &name, &length);
        const char *key = n > 0 ? say("\n%.*s = ", (int)length, name) : "";
        for (const char *p = names; n > 0 && (p = strstr(p, key)) != NULL; p++)
            is = p + strlen(key);
        if (is != NULL)
            buf_add(b, is, strcspn(is, "\n"));
        else
            buf_add(b, text, n > 0 ? n : 1);
    }
    return b->s;
}

/* Where a list <a;b> begins in a line, or NULL */
static const char *items_in(const char *text)
{
    while ((text = strchr(text, '<')) != NULL
           && (strchr(text, '>') == NULL || text[strcspn(text, ";>")] != ';'))
        text++;
    return text;
}

/* The line with n bytes in place of the list that begins there, and of each <> up to the next list;
   it stays until the program ends. */
static char *with_item(const char *line, const char *list, const char *item, size_t n)
{
    struct buf *b = new_text();
    const char *behind = strchr(list, '>') + 1, *next = items_in(behind), *p = line, *same;
    while ((same = strchr(p, '<')) != NULL && (next == NULL || same < next)) {
        const int is_one = same == list || same[1] == '>';
        buf_add(b, p, (size_t)(same - p) + !is_one);
        buf_add(b, item, is_one ? n : 0);
        p = same == list ? behind : same + 1 + is_one;
    }
    buf_puts(b, p);
    return b->s;
}

/* ---- texts and files ---- */

static int same_files(const char *a, const char *b)
{
    return *text_of(a) != '\0' && strcmp(text_of(a), text_of(b)) == 0;
}

static const char *text_named(const char *name)
{
    return strcmp(name, "@out") == 0   ? program.out.s
           : strcmp(name, "@err") == 0 ? program.err.s
                                       : text_of(name);
}

static int file_says(const char *kind, const char *file, const char *text)
{
    const char *is = text_named(file);
    return *is != '\0' && (*kind == 'l' ? has_line(is, text) : has(is, text) == (*kind == 'h'));
}

/* What is in a folder, hidden files too, each with a blank behind it */
static const char *files_in(const char *folder)
{
    RAN("/usr/bin/env LC_ALL=C ls -A '%s'", folder);
    char *names = new_copy(program.out.s);
    for (char *p = names; *p != '\0'; p++)
        *p = *p == '\n' ? ' ' : *p;
    return names;
}

/* What a cell stands for, byte by byte */
static const struct buf *bytes_of(const char *text)
{
    char byte;
    struct buf *b = new_text();
    for (; *text != '\0'; buf_add(b, &byte, 1))
        text += byte_of(text, &byte);
    return b;
}

static void put_cell(const char *path, const char *text)
{
    const struct buf *b = bytes_of(text);
    put_bytes(path, b->s, b->n);
}

/* Makes the second file from the first one by pairs of cells: was the first of each pair there? */
static int file_changes(const char *const *cell)
{
    struct buf *text = new_text();
    int found = 1;
    buf_puts(text, text_of(cell[0]));
    for (size_t i = 2; found && i < MOST_CELLS && *cell[i] != '\0'; i += 2) {
        struct buf *to = new_text();
        found = program_change(to, text->s, bytes_of(cell[i])->s, bytes_of(cell[i + 1])->s);
        text = to;
    }
    put_bytes(cell[1], text->s, text->n);
    return found;
}

static int as_many(const char *wanted, long n)
{
    char *end;
    const long least = strtol(wanted, &end, 10);
    return *wanted == '+' ? n > 0 : n >= least && n <= (*end == '-' ? atol(end + 1) : least);
}

/* Two files that are there have the same lines like that, in any order. */
static int same_lines(const char *a, const char *b, const char *pattern)
{
    const char *lines = sorted(lines_of(text_named(a), pattern));
    return *lines != '\0' && strcmp(lines, sorted(lines_of(text_named(b), pattern))) == 0;
}

/* The cells behind the first one are what stands behind it in lines of complaint, in that order. */
static int told_just(const char *const *cell)
{
    struct buf *found = new_text(), *want = new_text();
    for (size_t i = 1; i < MOST_CELLS && *cell[i] != '\0'; i++)
        buf_printf(want, "%s\n", cell[i]);
    for (char *at = new_copy(program.err.s), *line; (line = next_line(&at)) != NULL;)
        if (begins(line, cell[0]))
            buf_printf(found, "%s\n", line + strlen(cell[0]));
    return strcmp(found->s, want->s) == 0;
}

/* ---- commands ---- */

static int succeeds(const char *line)
{
    return RAN("%s", line) == 0;
}

static int script_succeeds(const char *script)
{
    put_text("step.sh", "%s\n", script);
    return succeeds("/bin/sh step.sh");
}

/* A line for each file below the folder, which is another one where it is written again */
static struct buf *files;
static int add_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)at;
    buf_printf(files, "%s", path);
    if (type == FTW_F)
        buf_printf(files, " %lld %lld.%09ld", (long long)st->st_size, (long long)st->st_mtim.tv_sec,
                   st->st_mtim.tv_nsec);
    buf_puts(files, "\n");
    return 0;
}

static const char *all_files(void)
{
    files = new_text();
    if (nftw(".", add_file, 8, FTW_PHYS) != 0)
        program_stop("the folder");
    return files->s;
}

/* kind: the status, and maybe a `+` */
static int refused(const char *kind, const char *text, const char *line)
{
    const char *before = all_files();
    return RAN("%s", line) == *kind - '0' && program.out.n == 0 && has(program.err.s, text)
           && (kind[1] == '+' || count_lines(program.err.s) == 1)
           && strcmp(all_files(), before) == 0;
}

static int complains(int status, const char *pattern, const char *line)
{
    return RAN("%s", line) == status && (status == 0 || program.out.n == 0)
           && is_like(program.err.s, pattern);
}

/* `FILE:LINE: ` of the first place where the two differ */
static const char *place_of_change(const char *before, const char *after)
{
    const char *old = text_of(before), *now = text_of(after);
    int line = 1;
    for (; *old != '\0' && *old == *now; old++, now++)
        line += *old == '\n';
    return say("%s:%d: ", after, line);
}

static int edit_refused(const char *file, const char *script, const char *text, const char *line)
{
    static const char *last = "";
    const char *to = say("edited%s", strrchr(file, '.'));
    if (*line != '\0')
        last = line;
    if (!edited(file, to, script))
        return 0;
    return refused("1", has(text, "%s") ? replaced(text, "%s", place_of_change(file, to)) : text,
                   last);
}

/* Its lines are ours, and so are its counts, if it has them and ends as they say. */
static int take_tests(const char *line)
{
    int passed = 0, failed = 0, skipped = 0, status = RAN("%s", line);
    for (char *at = program.out.s, *text; (text = next_line(&at)) != NULL;)
        if (sscanf(text, "%d passed, %d failed, %d skipped", &passed, &failed, &skipped) != 3)
            printf("%s\n", text);
    test_now.passed += passed;
    test_now.failed += failed;
    test_now.skipped += skipped;
    return passed + failed + skipped > 0 && (status != 0) == (failed > 0);
}

/* A source file with kpred's headers, without a warning; a program with a main is run. */
static int compiles(const char *compiler, const char *file)
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
static void compiled_by_each(const char *what, const char *file)
{
    static const char *const compilers[] = {"gcc", "clang", "g++", "clang++"};
    for (size_t i = 0; i < COUNT(compilers); i++)
        if (has_command(compilers[i]))
            program_case(say("%s, %s", what, compilers[i]), compiles(compilers[i], file),
                         steps.path, steps.line);
        else
            skip_case(say("%s, %s", what, compilers[i]), "it is not installed");
}

static int program_builds(const char *file)
{
    return WORKS("/bin/sh -c 'cd root && . tests/harness/script.inc && eval \"$(test_command "
                 "tests/%s %s/%.*s -O0 -DMODELS_APART)\"'",
                 file, program.scratch, (int)strcspn(base_name(file), "."), base_name(file));
}

/* ---- steps ---- */

static void take_each(const char *line);

/* Does the step do as it says? -1: there is none of that kind. */
static int step_holds(const char *kind)
{
    const char *const *a = steps.cell;
    const char *text = with_newlines(a[0]);
#define IS(name) (strcmp(kind, name) == 0)
    const int looks = IS("out") || IS("err") || IS("quiet");
    const int ran = !looks || *a[1] == '\0' || succeeds(a[1]);
    return IS("run")                              ? succeeds(a[0])
           : IS("sh")                             ? script_succeeds(a[0])
           : IS("1") || IS("2") || IS("1+")       ? refused(kind, a[0], a[1])
           : IS("0~") || IS("1~") || IS("2~")     ? complains(*kind - '0', text, a[1])
           : IS("ends")                           ? RAN("%s", a[1]) == atoi(a[0])
           : IS("both")                           ? same_output(a[0], a[1])
           : IS("tests")                          ? take_tests(a[0])
           : IS("out")                            ? ran && is_like(program.out.s, text)
           : IS("err")                            ? ran && has(program.err.s, text)
           : IS("quiet")                          ? ran && !has(program.err.s, text)
           : IS("told")                           ? told_just(a)
           : IS("has") || IS("not") || IS("line") ? file_says(kind, a[0], with_newlines(a[1]))
           : IS("like")   ? as_many(a[1], (long)lines_like(text_named(a[0]), a[2]))
           : IS("same")   ? same_files(a[0], a[1])
           : IS("alike")  ? same_lines(a[0], a[1], a[2])
           : IS("ls")     ? strcmp(files_in(a[0]), a[1]) == 0
           : IS("sed")    ? edited(a[0], a[1], a[2])
           : IS("change") ? file_changes(a)
           : IS("edit")   ? edit_refused(a[0], a[1], a[2], a[3])
                          : -1;
#undef IS
}

/* A check of its own, or within that of a verb; `tests` has its own already. */
static void judge(int holds, const char *kind, const char *name)
{
    if (holds && strcmp(kind, "tests") == 0)
        return;
    if (!steps.in_verb)
        program_case(name, holds, steps.path, steps.line);
    else if (!holds)
        program_fail(steps.path, steps.line, name);
}

static void need(const char *what)
{
    if (*steps.lacks == '\0' && !is_had(what))
        snprintf(steps.lacks, sizeof steps.lacks, "there is no %s", what);
}

/* Of the last verb of that name */
static const char *body_of(const char *verb)
{
    for (size_t i = steps.n_verbs; i > 0; i--)
        if (strcmp(steps.verb[i - 1].name, verb) == 0)
            return steps.verb[i - 1].body;
    return NULL;
}

/* Up to the first step that fails */
static void take_verb(const char *body, const char *name)
{
    const size_t n = steps.names.n;
    for (int i = 0; i < MOST_CELLS; i++)
        buf_printf(&steps.names, "\n%d = %s", i + 1, steps.cell[i]);
    if (steps.in_verb++ == 0)
        test_start(name);
    for (char *at = new_copy(body), *line; (line = next_line(&at)) != NULL && !test_now.failures;)
        take_each(expanded(line, steps.names.s));
    if (--steps.in_verb == 0)
        test_stop();
    steps.names.s[steps.names.n = n] = '\0';
}

/* Cuts at bars; a script of the shell has its own. */
static void cut_cells(const char *kind, const char *at)
{
    for (size_t i = 0; i < MOST_CELLS; i++) {
        const char *bar = strcmp(kind, "sh") != 0 ? strstr(at, " | ") : NULL;
        const size_t n = bar != NULL ? (size_t)(bar - at) : strlen(at);
        char *cell = new_copy(at);
        cell[n] = '\0';
        steps.cell[i] = cell;
        at += n + (bar != NULL ? 3 : 0);
    }
}

/* A step whose lists are resolved */
static void take_step(const char *line)
{
    const size_t n = strcspn(line, " ");
    const char *name = new_copy(line), *kind = say("%.*s", (int)n, line), *body = body_of(kind);
    cut_cells(kind, line + n + (line[n] == ' '));
    if (strcmp(kind, "needs") == 0)
        need(steps.cell[0]);
    else if (strcmp(kind, "put") == 0)
        put_cell(steps.cell[0], steps.cell[1]);
    else if (*steps.lacks != '\0') {
        if (strcmp(kind, "program") != 0)
            skip_case(name, steps.lacks);
    } else if (strcmp(kind, "program") == 0) {
        if (!program_builds(steps.cell[0]))
            judge(0, kind, name);
    } else if (strcmp(kind, "c") == 0)
        compiled_by_each(name, steps.cell[0]);
    else if (body != NULL)
        take_verb(body, name);
    else {
        const int holds = step_holds(kind);
        if (holds < 0)
            program_stop(say("%s:%d: %s", steps.path, steps.line, kind));
        judge(holds, kind, name);
    }
}

/* Of a line with <a;b> each, in which <> is the same one */
static void take_each(const char *line)
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

/* ---- lines ---- */

static void end_block(void)
{
    if (begins(steps.opens, "file "))
        put_text(steps.opens + 5, "%s", steps.block.s);
    else if (*steps.opens != '\0') {
        if (steps.n_verbs == MOST_VERBS)
            program_stop(steps.opens);
        steps.verb[steps.n_verbs].name = new_copy(steps.opens + 3);
        steps.verb[steps.n_verbs++].body = new_copy(steps.block.s);
    }
    *steps.opens = '\0';
}

static void take_line(const char *line)
{
    if (begins(line, "  ")) {
        buf_printf(&steps.block, "%s\n", line + 2);
        return;
    }
    end_block();
    if (*line == '[')
        *steps.lacks = '\0';
    if (*line == '[' || *line == '#' || *line == '\0')
        return;
    const char *whole = expanded(line, steps.names.s);
    if (isupper((unsigned char)*line))
        buf_printf(&steps.names, "\n%s", whole);
    else if (begins(whole, "file ") || begins(whole, "to ")) {
        snprintf(steps.opens, sizeof steps.opens, "%s", whole);
        steps.block.n = 0;
        buf_puts(&steps.block, "");
    } else
        take_each(whole);
}

static void name_places(void)
{
    buf_printf(&steps.names, "\nROOT = %s\nHERE = %s\nCC = %s", program.root, program.scratch,
               own_cc());
    buf_printf(&steps.names, "\nAITER = %s\nMIOPEN = %s\nTUNER = %s",
               folder_of("AITER_CSV", "../shared/aiter"),
               folder_of("MIOPEN_DB", "../shared/miopen/data"),
               folder_of("TUNER", "../shared/tuner"));
}

int main(int argc, char **argv)
{
    static struct buf all;
    if (argc != 2)
        return 2;
    steps.path = argv[1];
    program_begin();
    setenv("PATH", say("%s:%s", program.build, getenv("PATH")), 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    if (symlink(program.root, "root") != 0 || read_file(in_root(steps.path), 1 << 20, &all) != 0)
        program_stop(steps.path);
    name_places();
    for (char *at = all.s, *line; (line = next_line(&at)) != NULL;) {
        steps.line++;
        take_line(line);
    }
    end_block();
    return program_end();
}
