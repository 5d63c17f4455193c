/* plot.h - curves, drawn by gnuplot into an SVG
   SPDX-License-Identifier: MIT */
#pragma once

#include "util.h"

struct plot_curve {
    char *name;
    struct buf points; /* a line each */
};

struct plot { /* all zero is the empty plot; to be freed */
    struct plot_curve *curves;
    size_t n;
    double least, most;     /* of all x */
    double least_y, most_y; /* the axis of y shows what lies between them */
    int is_falling;         /* the key stands where curves that fall leave room */
    int is_steps;           /* a value holds until the next point, as the best so far does */
    int is_whole;           /* x counts: its axis has whole numbers */
    int diagonal;           /* x is percent as well: both axes 0 to 100, and the line y = x */
};

/* -1 with a message if there is no gnuplot: before the long work, not after it. */
int plot_check(void);

/* The next point of a curve; the first one's name counts. index: at most the number of curves.
   x > 0 (with a diagonal, >= 0), y: percent */
void plot_point(struct plot *p, size_t index, const char *name, double x, double y);

/* -1 with a message; the file then is as it was. */
int plot_write(const struct plot *p, const char *title, const char *x, const char *y,
               const char *path);
void plot_free(struct plot *p);
