/* together.h - which problem to measure next, and which of its tuples, for a whole library
   SPDX-License-Identifier: MIT

   Problems take turns of a few launches. The next one is that of which the most time is expected to
   be saved: how often it runs, times its best time, times the share that a launch is likely to
   save. What was measured for the other problems of its kernel is told to its strategy.
   docs/tuning.md says how. The order follows from what was told alone. */
#pragma once

#include "legal.h"

#include "model/spec.h"

struct together;

struct together *together_new(uint64_t seed, double stop_at);
/* A problem, by the order in which they are added: those of a spec share what they learn. `legal`
   and the rest have to outlive it. `count`: how often it runs. */
void together_add(struct together *t, const struct spec *spec, const int32_t *problem,
                  const struct legal *legal, double count);
/* A result of an earlier run, before the first together_next */
void together_resume(struct together *t, size_t problem, size_t tuple, double time);

/* What to measure next: 1, and then together_tell is due; or 0: there is nothing left. */
int together_next(struct together *t, size_t *problem, size_t *tuple);
/* Of the tuple that was given last; HUGE_VAL: it failed. Returns 1 if the problem ends with it. */
int together_tell(struct together *t, double time);
/* Of a problem so far; HUGE_VAL: none */
double together_best(const struct together *t, size_t problem);
void together_free(struct together *t);
