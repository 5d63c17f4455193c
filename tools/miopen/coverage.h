/* coverage.h - the convolutions that a log calls for, and the best tuples of the kernels for them
   SPDX-License-Identifier: MIT */
#pragma once

#include "driver.h"

/* Why no model covers a call, from the general to the particular: the last reason met is told. */
#define CALL_GAPS(X)                                                         \
    X(CALL_DTYPE, "a data type that no model covers")                        \
    X(CALL_SIZE, "a size that no model covers")                              \
    X(CALL_ARCH, "no kernel of the filter runs on the GPU")                  \
    X(CALL_GPU, "no model of the filter covers the GPU")                     \
    X(CALL_DIRECTION, "a direction in which no kernel of the filter runs")   \
    X(CALL_RULE, "outside the limits of the kernels: sizes, strides, types") \
    X(CALL_INFEASIBLE, "no legal tuple")                                     \
    X(CALL_OTHER, "another operation than a convolution")                    \
    X(CALL_TRANSPOSED, "a transposed convolution")                           \
    X(CALL_BROKEN, "broken")

#define CALL_GAP_NAME(name, text) name,
enum call_gap { CALL_FIRST = CONV_N_GAPS - 1, CALL_GAPS(CALL_GAP_NAME) CALL_N_GAPS };
#undef CALL_GAP_NAME

/* A distinct problem: a convolution in one direction. */
struct problem {
    char *key;
    char *entries; /* of a perf-db, "Solver:1,2;Solver:3"; NULL: no model covers it, see gap */
    int gap;
};

struct coverage {
    size_t n_models;
    struct coverage_model **models; /* in the order of their solvers' names */
    size_t n, cap;
    struct problem *problems;
    size_t n_slots, *slots; /* hash table of indices into problems, + 1; 0: free */
    struct buf key, entries;
    size_t lines, calls, covered, n_entries, extrapolated;
    size_t gaps[CALL_N_GAPS]; /* calls that are not covered */
};

/* Opens the built-in models for a GPU. 0, or -1 with a message; coverage_close in both cases. */
int coverage_open(struct coverage *c, const char *gpu, int nearest, size_t beam);
/* One call: its problems are looked up or predicted. 0, or -1 with a message. */
int coverage_add(struct coverage *c, enum driver_kind kind, const struct driver_call *call);
/* Takes from the problem with that key, if there is one, the entries of solvers that stand in
   `entries` too; returns how many. */
size_t coverage_leave_out(struct coverage *c, const char *key, const char *entries);
void coverage_close(struct coverage *c);

/* Lines on standard error: what was covered, and how many calls were not, by reason. */
void coverage_note(const struct coverage *c);
