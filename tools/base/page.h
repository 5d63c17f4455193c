/* page.h - a page of HTML in one file: its style and script are in it, and it asks no network
   SPDX-License-Identifier: MIT

   Texts that are given come from other people's files: they are escaped (html.h). */
#pragma once

#include "plot.h"
#include "table.h"

/* The head, and the heading of the whole; its parts stand side by side where there is room. */
void page_begin(struct buf *page, const char *title);
void page_part(struct buf *page, const char *title); /* the part before it ends */
void page_end(struct buf *page);

void page_heading(struct buf *page, const char *text);
void page_say(struct buf *page, const char *fmt, ...) PRINTF_LIKE(2, 3); /* a paragraph */
/* One that a reader sorts */
void page_table(struct buf *page, const char *caption, const struct table *t);
void page_plot(struct buf *page, struct plot *plot, const char *title, const char *x,
               const char *y);

/* Tables of which a reader chooses one, by their names; all stand below each other without the
   page's script. */
void page_choice(struct buf *page, const char *label);
void page_choice_end(struct buf *page);

/* A cell for each value of two parameters: 0..1 of the best speed, below 0: nothing is known */
struct heat {
    const char *name[2];
    size_t n[2];
    const char *(*value)(void *user, size_t which, size_t at, char text[32]);
    void *user;
    const double *measured, *judged; /* n[0] x n[1] */
};
void page_heat(struct buf *page, const struct heat *h);
