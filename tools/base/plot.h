/* plot.h - curves as an SVG, light or dark as the reader has it, with all numbers as its text
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

struct plot_curve {
    char *name;
    double (*at)[2]; /* x, y */
    size_t n, cap;
};

struct plot { /* all zero is the empty plot; to be freed */
    struct plot_curve *curves;
    size_t n;
    int is_steps; /* a value holds until the next point, as the best so far does */
    int is_whole; /* x counts: its axis has whole numbers */
    int diagonal; /* x is percent as well: both axes 0 to 100, and the line y = x */
};

/* The next point of a curve; the first one's name counts. index: at most the number of curves.
   x, y: finite; numbers of a ratio of ten or more stand on a logarithmic axis of x */
void plot_point(struct plot *p, size_t index, const char *name, double x, double y);

/* Adds the picture; where `is_alone`, as a file of its own, else as a part of a page (page.h),
   which has its style. */
void plot_svg(struct plot *p, const char *title, const char *x, const char *y, int is_alone,
              struct buf *to);
/* -1 with a message; the file then is as it was. */
int plot_write(struct plot *p, const char *title, const char *x, const char *y, const char *path);
void plot_free(struct plot *p);
