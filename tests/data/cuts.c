/* cuts.c - reads every beginning of a file of another tuner, as if its writer was killed there
   SPDX-License-Identifier: MIT

   usage: cuts FILE. Prints for each length what came of it, as `tuner.py cuts` does: how many
   measurements, with `cut` if a note names a line, or `error` if a message names line and column.
   What is said otherwise is printed as it is. */
#include "data/tuner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int see_head(void *to, const struct tuner_head *head)
{
    (void)to;
    return head->n_params ? 0 : -1;
}

/* Touches all that it is given, which a sanitizer watches. */
static int see_measurement(void *to, const struct tuner_head *head,
                           const struct tuner_measurement *m)
{
    size_t n = 0;
    for (size_t i = 0; i < head->n_params; i++)
        n += strlen(head->param[i].name) + strlen(m->value[i]);
    ++*(long *)to;
    return n && m->time_us >= 0 ? 0 : -1;
}

/* The word for the lines that were said on standard error, which is a file */
static const char *word_of(int rc)
{
    static char said[2048];
    int line = 0, column = 0, n = 0;
    const ssize_t got = pread(STDERR_FILENO, said, sizeof said - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    if (!*said && !rc)
        return "";
    if (rc && sscanf(said, "cuts: FILE:%d:%d: %*[^\n]\n%n", &line, &column, &n) == 2 && !said[n])
        return " error";
    if (!rc && sscanf(said, "cuts: FILE:%d: the file ends%*[^\n]\n%n", &line, &n) == 1 && !said[n])
        return " cut";
    return said;
}

/* In memory that has no byte more */
static void try_length(const struct buf *text, size_t n)
{
    struct buf cut = {xmalloc(n), n, n};
    long measurements = 0;
    const struct tuner_visitor visitor = {&measurements, see_head, see_measurement};
    memcpy(cut.s, text->s, n);
    if (ftruncate(STDERR_FILENO, 0) || lseek(STDERR_FILENO, 0, SEEK_SET))
        exit(2);
    const int rc = tuner_read("FILE", &cut, &visitor);
    if (rc)
        printf("%zu:%s\n", n, word_of(rc));
    else
        printf("%zu: %ld%s\n", n, measurements, word_of(rc));
    buf_free(&cut);
}

int main(int argc, char **argv)
{
    struct buf text = {NULL, 0, 0};
    program_name = "cuts";
    if (argc != 2 || read_file(argv[1], 1 << 20, &text) || !freopen("/dev/null", "r", stdin))
        return 2;
    FILE *said = tmpfile();
    if (!said || dup2(fileno(said), STDERR_FILENO) < 0)
        return 2;
    for (size_t n = 1; n <= text.n; n++)
        try_length(&text, n);
    buf_free(&text);
    return 0;
}
