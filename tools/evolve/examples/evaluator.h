/* evaluator.h - takes candidates and answers times: what `kpred-evolve search --evaluate` asks
   SPDX-License-Identifier: MIT

   A program has cases, loads two files, the candidate and the baseline, and runs either on a case;
   main returns evaluator_serve(&it). kpred-evolve writes lines, the program answers with lines:

     cases
         case n=4096,m=3 [held-out] [untimed]    each case by its sizes, which have the same names
         ready
     try PAIRS search|all CANDIDATE BASELINE     two paths; search: without the held-out cases
         time n=4096,m=3 11.5/12.5 11.4/12.4     each timed case, in their order: microseconds of
                                                 candidate/baseline by turns, PAIRS or fewer of them
         right [ERROR] | wrong | failed: WHY     the end; the largest error, without it 0

   A path always names the same bytes. A kernel of OpenCL C for spir64 comes as its source, too, in
   a file that ends with .cl, as another baseline: "failed" says that it cannot be compiled. Nothing
   is written behind an answer. A program that crashes, hangs or answers anything else is killed,
   started again and tried with the baseline. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATOR_CANDIDATE, EVALUATOR_BASELINE };
/* What `load` and `run` return: it failed; or it failed, and this process cannot run any other, as
   after the loss of a device's context */
enum { EVALUATOR_FAILED = -1, EVALUATOR_LOST = -2 };
enum { EVALUATOR_LINE = 8192 };

/* Why, as `load` and `run` may say. NULL: nothing is said. */
static const char *evaluator_why;

struct evaluator_case {
    const char *sizes; /* "n=4096,m=3"; NULL behind the last case */
    int is_held_out, is_untimed;
};

struct evaluator {
    const struct evaluator_case *cases;
    /* The file becomes the candidate or the baseline, in place of what was: 0, or a failure */
    int (*load)(int which, const char *path);
    /* One launch on the case with that number, inputs and outputs being as new: microseconds, or a
       failure */
    double (*run)(int which, int number);
    /* Of the outputs of the last launch, on that case: the largest error, or -1 if it is wrong */
    double (*error)(int number);
    char path[2][EVALUATOR_LINE]; /* what is loaded */
};

/* ---- a candidate ---- */

enum evaluator_end { EVALUATOR_RIGHT, EVALUATOR_WRONG, EVALUATOR_BROKEN, EVALUATOR_GONE };

static enum evaluator_end evaluator_failure(double code)
{
    return code <= EVALUATOR_LOST ? EVALUATOR_GONE : EVALUATOR_BROKEN;
}

static enum evaluator_end evaluator_load(struct evaluator *e, int which, const char *path)
{
    if (strcmp(e->path[which], path) == 0)
        return EVALUATOR_RIGHT;
    e->path[which][0] = '\0';
    const int status = e->load(which, path);
    if (status != 0)
        return evaluator_failure(status);
    snprintf(e->path[which], sizeof e->path[which], "%s", path);
    return EVALUATOR_RIGHT;
}

/* Launches it, and looks at its outputs; *error grows to the largest. */
static enum evaluator_end evaluator_check(const struct evaluator *e, int number, double *error)
{
    const double time = e->run(EVALUATOR_CANDIDATE, number);
    if (time < 0)
        return evaluator_failure(time);
    const double its = e->error(number);
    *error = its > *error ? its : *error;
    return its >= 0 ? EVALUATOR_RIGHT : EVALUATOR_WRONG;
}

/* By turns; the baseline's first launch may be slow, and is left out. One that is slower by far is
   not worth more than two pairs. */
static enum evaluator_end evaluator_time(const struct evaluator *e, int number, int pairs)
{
    int slow = 0;
    const double first = e->run(EVALUATOR_BASELINE, number);
    if (first < 0)
        return evaluator_failure(first);
    printf("time %s", e->cases[number].sizes);
    for (int i = 0; i < pairs && slow < 2; i++) {
        double us[2];
        for (int turn = 0; turn < 2; turn++) {
            const int which = (i + turn) % 2;
            us[which] = e->run(which, number);
            if (us[which] < 0)
                return printf("\n"), evaluator_failure(us[which]);
        }
        printf(" %.4f/%.4f", us[EVALUATOR_CANDIDATE], us[EVALUATOR_BASELINE]);
        slow += us[EVALUATOR_CANDIDATE] > 4 * us[EVALUATOR_BASELINE];
    }
    printf("\n");
    return EVALUATOR_RIGHT;
}

/* A case is looked at before it is timed, and once more afterwards. */
static enum evaluator_end evaluator_case(const struct evaluator *e, int number, int pairs,
                                         double *error)
{
    enum evaluator_end end = evaluator_check(e, number, error);
    if (end == EVALUATOR_RIGHT && !e->cases[number].is_untimed) {
        end = evaluator_time(e, number, pairs);
        if (end == EVALUATOR_RIGHT)
            end = evaluator_check(e, number, error);
    }
    return end;
}

static enum evaluator_end evaluator_try(struct evaluator *e, int pairs, int all, char **path,
                                        double *error)
{
    enum evaluator_end end = EVALUATOR_RIGHT;
    for (int which = 0; which < 2 && end == EVALUATOR_RIGHT; which++)
        end = evaluator_load(e, which, path[which]);
    for (int i = 0; e->cases[i].sizes != NULL && end == EVALUATOR_RIGHT; i++)
        if (all || !e->cases[i].is_held_out)
            end = evaluator_case(e, i, pairs, error);
    return end;
}

/* ---- lines ---- */

static void evaluator_tell_cases(const struct evaluator *e)
{
    for (int i = 0; e->cases[i].sizes != NULL; i++)
        printf("case %s%s%s\n", e->cases[i].sizes, e->cases[i].is_held_out ? " held-out" : "",
               e->cases[i].is_untimed ? " untimed" : "");
    printf("ready\n");
}

/* -1 if this process can go on no more: then nothing is answered */
static int evaluator_answer(struct evaluator *e, char **word, int n)
{
    double error = 0;
    evaluator_why = NULL;
    if (n == 1 && strcmp(word[0], "cases") == 0)
        evaluator_tell_cases(e);
    else if (n == 5 && strcmp(word[0], "try") == 0)
        switch (evaluator_try(e, atoi(word[1]), strcmp(word[2], "all") == 0, word + 3, &error)) {
        case EVALUATOR_RIGHT: printf("right %.3g\n", error); break;
        case EVALUATOR_WRONG: printf("wrong\n"); break;
        case EVALUATOR_BROKEN:
            printf("failed: %s\n", evaluator_why != NULL ? evaluator_why : "no reason is known");
            break;
        case EVALUATOR_GONE: return -1;
        }
    else
        printf("failed: this is not a question\n");
    fflush(stdout);
    return 0;
}

/* The exit status */
static int evaluator_serve(struct evaluator *e)
{
    static char line[2 * EVALUATOR_LINE];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *word[6];
        int n = 0;
        for (char *w = strtok(line, " \n"); w != NULL && n < 6; w = strtok(NULL, " \n"))
            word[n++] = w;
        if (evaluator_answer(e, word, n) != 0)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
