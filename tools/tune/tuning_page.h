/* tuning_page.h - a part of a page: what a table of timings shows of a tuning
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/page.h"
#include "data/data.h"
#include "model/model.h"

/* notes: what was told when the data were read, a line each. 0, or -1 with a message. */
int tuning_page(struct buf *page, const struct model *model, const struct dataset *data,
                const char *notes);
