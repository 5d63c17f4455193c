/* readers.h - the table of all file formats
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/formats.h"

extern const struct data_format readers[];
