/* solver_words.h - what rules out each of MIOpen's solvers, for kpred_rule_of_solvers
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The solvers that MIOpen's find-dbs name, from 0; NULL: there are no more. */
const char *solver_name(size_t i);

/* The word of a solver (KPRED_SOLVER_WORD): 1, or 0 if it is not among them. */
int solver_word(const char *name, uint64_t *word);
