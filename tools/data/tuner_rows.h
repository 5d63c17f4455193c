/* tuner_rows.h - rows from the files of other tuners
   SPDX-License-Identifier: MIT

   Parameters are those of the file by name. A field is, of these, the first that there is: of names
   and called gpu, the file's GPU (tuner_gpu); one of the file's parameters; problem_size_x, _y, _z,
   problem_size_3 and so on, a size of the file's problem; what --set gives. A parameter of the file
   that the spec does not name has one value throughout. */
#pragma once

#include "load.h"

int tuner_rows_read(struct loader *l, struct buf *bytes);
