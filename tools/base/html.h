/* html.h - texts in HTML and SVG
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

/* Bytes of the character that begins at s; 0 if it is none: a byte out of place, one cut short, one
   longer than need be, a surrogate, or beyond U+10FFFF. */
size_t utf8_length(const char *s);

/* Adds a text as an element or an attribute in quotes has it. What is not UTF-8 becomes U+FFFD, and
   a control character a blank. */
void html_text(struct buf *to, const char *text);
/* Adds the pieces of a text that is built in (tools/release/texts.sh). */
void html_pieces(struct buf *to, const char *const *pieces);
