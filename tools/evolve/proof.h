/* proof.h - does a harness work with the unmodified kernel, and with the baseline?
   SPDX-License-Identifier: MIT */
#pragma once

#include "attempt.h"

/* Does set_up come to its end, for each case? To be asked before the cases are opened; -1 after a
   message. */
int proof_set_up(struct trial *t);
/* Calls the reference for all outputs that are wanted, twice each and with other contents before,
   then the baseline, for how long it takes; -1 after a message that names the case. */
int proof_harness(struct trial *t);
