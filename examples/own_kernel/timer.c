/* timer.c - times one tuple of kernel.h, for `kpred-train tune`
   SPDX-License-Identifier: MIT

   cc -O2 timer.c -o timer
   ./timer rows=700 cols=300 tile_rows=16 tile_cols=16 walk=0 edge=1

   It prints microseconds. Without arguments it reads such words line by line, and answers each
   line: that is what tune --server wants. */
#define _POSIX_C_SOURCE 200809L
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"rows", "cols", "tile_rows", "tile_cols", "walk", "edge"};
enum { N = sizeof names / sizeof *names };

/* Takes NAME=VALUE: 1, or 0 for a name that is not there. */
static int take(const char *word, int value[N])
{
    for (int i = 0; i < N; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n) == 0 && word[n] == '=') {
            value[i] = atoi(word + n + 1);
            return 1;
        }
    }
    return 0;
}

static int is_right(const float *in, const float *out, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows * cols; i++)
        if (out[i % cols * rows + i / cols] != in[i])
            return 0;
    return 1;
}

/* The time of a tuple that computes what it should; otherwise -1. */
static double measure(const int value[N])
{
    const size_t rows = (size_t)value[0], cols = (size_t)value[1];
    const struct tile t = {value[2], value[3], value[4], value[5]};
    float *in = malloc(rows * cols * sizeof *in), *out = calloc(rows * cols, sizeof *out);
    double time = -1;
    for (size_t i = 0; in != NULL && i < rows * cols; i++)
        in[i] = (float)i;
    if (in != NULL && out != NULL)
        time = time_us(in, out, rows, cols, t);
    if (time >= 0 && !is_right(in, out, rows, cols))
        time = -1;
    free(in);
    free(out);
    return time;
}

/* Each answer goes out at once: tune waits for it. */
static int answer(const int value[N])
{
    const double time =
        value[0] > 0 && value[1] > 0 && value[2] > 0 && value[3] > 0 ? measure(value) : -1;
    if (time >= 0)
        printf("%.2f\n", time);
    else
        puts("failed");
    fflush(stdout);
    return time >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char line[1000];
    int value[N] = {0};
    for (int i = 1; i < argc; i++)
        if (!take(argv[i], value))
            return EXIT_FAILURE;
    if (argc > 1)
        return answer(value);
    while (fgets(line, sizeof line, stdin) != NULL) {
        for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
            (void)take(word, value);
        (void)answer(value);
    }
    return EXIT_SUCCESS;
}
