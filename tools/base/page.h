/* page.h - a page of HTML in one file: its style and script are in it, and it asks no network
   SPDX-License-Identifier: MIT

   Texts that are given come from other people's files: they are escaped (html_text). */
#pragma once

#include "plot.h"
#include "table.h"

/* The head, and the heading of the whole; its parts stand side by side where there is room. */
void page_begin(struct buf *page, const char *title);
void page_part(struct buf *page, const char *title); /* the part before it ends */
void page_end(struct buf *page);

void page_element(struct buf *page, const char *tag, const char *text);  /* "h3": a heading */
void page_say(struct buf *page, const char *fmt, ...) PRINTF_LIKE(2, 3); /* a paragraph */
void page_lines(struct buf *page, char *lines); /* the same of each line, which it cuts; or NULL */
/* One that a reader sorts */
void page_table(struct buf *page, const char *caption, const struct table *t);

/* What stands in a table that page_table cannot write; of those in <div data-choose="LABEL"> a
   reader chooses one by its caption, and without the page's script all are shown. */
void page_table_begin(struct buf *page, const char *caption, const char *class);
void page_table_end(struct buf *page);
