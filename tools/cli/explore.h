/* explore.h - the part of a page that holds models as WebAssembly, and asks them
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/page.h"
#include "model/model.h"

/* Of headers that kpred-train wrote, by their paths, and the models in them: clang and lld compile
   them. Where these are missing the page says so. 0, or -1 with a message. */
int explore_add(struct buf *page, const char *const *paths, const struct model *const *models,
                size_t n);
