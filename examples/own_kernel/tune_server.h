/* tune_server.h - takes tuples and answers times: what `kpred-train tune` asks of a program
   SPDX-License-Identifier: MIT

   A program has the names of fields and parameters, and a function that measures one tuple; main
   returns tune_server(names, measure, argv + 1, argc - 1). With NAME=VALUE words as arguments it
   measures one tuple, which is what tune --run wants. Without, it reads such words line by line and
   answers each line, which is what tune --server wants. */
#pragma once

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `measure` returns instead of microseconds: the tuple failed; or it failed, and this process
   cannot measure any other, as after the loss of a device's context */
enum { TUNE_FAILED = -1, TUNE_LOST = -2 };

enum { TUNE_NAMES = 64, TUNE_LINE = 8192 };

/* Why, as `measure` may say: it goes behind `failed`, and tune tells it. NULL: nothing is said. */
static const char *tune_why;

/* Values from 0 to INT_MAX, in the order of the names */
typedef double tune_measure(const int *value);

/* Takes NAME=VALUE: 1, or 0 for any other word. */
static int tune_take(const char *const *names, const char *word, int *value)
{
    for (int i = 0; names[i] != NULL; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n) != 0 || word[n] != '=')
            continue;
        char *end;
        const long number = strtol(word + n + 1, &end, 10);
        if (end == word + n + 1 || *end != '\0' || number < 0 || number > INT_MAX)
            return 0;
        value[i] = (int)number;
        return 1;
    }
    fprintf(stderr, "timer: %s is not a word of a tuple\n", word);
    return 0;
}

/* Each answer goes out at once: tune waits for it. With the tag "answer: " it is told from what
   libraries print. A process that is lost leaves its tuple without one, and tune starts another.
   Returns what `measure` did. */
static double tune_one(const char *const *names, tune_measure *measure, char **words, int n,
                       const char *tag)
{
    int value[TUNE_NAMES], is_told = 1;
    for (int i = 0; names[i] != NULL; i++)
        value[i] = -1;
    for (int i = 0; i < n; i++)
        is_told &= tune_take(names, words[i], value);
    for (int i = 0; names[i] != NULL; i++)
        is_told &= value[i] >= 0;
    tune_why = NULL;
    const double time = is_told ? measure(value) : TUNE_FAILED;
    if (time >= 0)
        printf("%s%.3f\n", tag, time);
    else if (time > TUNE_LOST)
        printf(tune_why != NULL ? "%sfailed: %s\n" : "%sfailed\n", tag, tune_why);
    fflush(stdout);
    return time;
}

/* The exit status. There are at most TUNE_NAMES - 1 names, and NULL behind them. */
static int tune_server(const char *const *names, tune_measure *measure, char **words, int n)
{
    char line[TUNE_LINE], *word[TUNE_NAMES];
    if (n > 0)
        return tune_one(names, measure, words, n, "") >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    while (fgets(line, sizeof line, stdin) != NULL) {
        n = 0;
        for (char *w = strtok(line, " \n"); w != NULL && n < TUNE_NAMES; w = strtok(NULL, " \n"))
            word[n++] = w;
        if (tune_one(names, measure, word, n, "answer: ") <= TUNE_LOST)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
