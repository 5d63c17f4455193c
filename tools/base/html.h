/* html.h - texts in HTML and SVG
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Adds a text as an element or an attribute in quotes has it. What is not UTF-8 becomes U+FFFD, and
   a control character a blank. */
void html_text(struct buf *to, const char *text);
/* Adds the pieces of a text that is built in (tools/release/texts.sh). */
void html_pieces(struct buf *to, const char *const *pieces);
