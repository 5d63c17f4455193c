/* readers.h - the table of all file formats
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_READERS_H
#define KPRED_TOOLS_READERS_H

#include "data/formats.h"

extern const struct data_format readers[];

#endif
