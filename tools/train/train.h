/* train.h - all that the command `train` needs of this room: data, networks, what ships of them
   SPDX-License-Identifier: MIT */
#pragma once

#include "advice.h"
#include "float_file.h"
#include "quantise.h"
#include "training_rows.h"
