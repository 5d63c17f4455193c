/* methods.h - the methods of search, each until its run is over
   SPDX-License-Identifier: MIT

   Each returns RUN_OVER, or -1 after a message. */
#pragma once

#include "run.h"

int nsga2_run(struct run *r);
int climb_run(struct run *r);
int random_run(struct run *r);
