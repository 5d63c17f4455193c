/* csv.h - the reader of CSV, which hands Tensile's tables on
   SPDX-License-Identifier: MIT */
#pragma once

#include "load.h"

int csv_read(struct loader *l, struct buf *bytes); /* see struct data_format */
