/* model_page.h - a part of a page: what a model is, and how good it is on a table
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/page.h"
#include "eval.h"

/* What the model is: fields, parameters, sizes */
void model_page_facts(struct buf *page, const struct model *model);
/* How good it is on e->data: problems that its split kept from training or, where it kept none, all
   of them. Sets rows of e, the caller's to free. 0, or -1 with a message. */
int model_page_figures(struct buf *page, struct eval *e);
