/* gtc_words.h - what each kernel of ConvAsmImplicitGemmGTCDynamic asks for, as its rule takes it
   SPDX-License-Identifier: MIT */
#pragma once

#include "kpred_constraints.h"

/* The word of a kernel (kpred_gtc_kernels) by its name, whose first piece must be the direction's:
   1, or 0 if that is not the name of such a kernel. */
int gtc_word(const char *name, int32_t dir, uint16_t *word);

/* Sets `least` from the words. */
void gtc_set_least(kpred_gtc_kernels *kernels);
