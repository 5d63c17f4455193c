/* plot.c - see plot.h
   SPDX-License-Identifier: MIT */
#include "plot.h"

#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_plot_css
#include "page_texts.h"

enum { WIDTH = 520, LEFT = 56, RIGHT = 12, TOP = 30, BOTTOM = 300, ROW = 18, COLORS = 7 };

/* ---- the curves ---- */

void plot_point(struct plot *p, size_t index, const char *name, double x, double y)
{
    if (index == p->n) {
        p->curves = xrealloc(p->curves, ++p->n, sizeof *p->curves);
        p->curves[index] = (struct plot_curve){.name = xstrdup(name)};
    }
    struct plot_curve *c = &p->curves[index];
    c->at = xgrow(c->at, c->n, &c->cap, sizeof *c->at);
    size_t to = c->n++; /* by x; points of one x stay as they came, which mostly is in order */
    for (; to > 0 && c->at[to - 1][0] > x; to--)
        memcpy(c->at[to], c->at[to - 1], sizeof *c->at);
    c->at[to][0] = x;
    c->at[to][1] = y;
}

void plot_free(struct plot *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->curves[i].name);
        free(p->curves[i].at);
    }
    free(p->curves);
}

/* ---- axes ---- */

struct axis {
    double least, most;   /* of what it shows */
    double step;          /* between two numbers of it; of a logarithmic one unused */
    int is_log, from, to; /* on the picture */
};

static void see_numbers(const struct plot *p, int which, struct axis *a)
{
    a->least = HUGE_VAL;
    a->most = -HUGE_VAL;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->curves[i].n; k++) {
            a->least = fmin(a->least, p->curves[i].at[k][which]);
            a->most = fmax(a->most, p->curves[i].at[k][which]);
        }
    if (p->diagonal || a->least > a->most) {
        a->least = 0;
        a->most = 100;
    }
}

/* Is there too little between the numbers for an axis to tell them apart? */
static int axis_is_flat(const struct axis *a)
{
    return !(a->most - a->least > 1e-6 * fabs(a->most));
}

/* 1, 2 or 5 times a power of ten, for some five numbers of an axis */
static double round_step(double span)
{
    const double about = span / 5, ten = pow(10, floor(log10(about))), times = about / ten;
    return ten * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* x begins and ends with the numbers, y beyond them but within 0 and 100 percent; what hardly
   differs gets a margin. */
static struct axis axis_open(const struct plot *p, int which)
{
    struct axis a = {.from = which ? BOTTOM : LEFT, .to = which ? TOP : WIDTH - RIGHT};
    see_numbers(p, which, &a);
    a.is_log = !which && !p->diagonal && a.least > 0 && a.most >= 10 * a.least;
    const double margin = axis_is_flat(&a) ? fmax(1, 0.01 * fabs(a.most))
                          : which          ? 0.05 * (a.most - a.least)
                                           : 0;
    if (!p->diagonal && margin > 0) {
        a.least = which && a.least >= 0 && a.least < margin ? 0 : a.least - margin;
        a.most = which && a.most <= 100 && a.most > 100 - margin ? 100 : a.most + margin;
    }
    a.step = round_step(a.most - a.least);
    a.step = !which && p->is_whole && a.step < 1 ? 1 : a.step;
    return a;
}

static double axis_at(const struct axis *a, double v)
{
    const double share = a->is_log ? log(v / a->least) / log(a->most / a->least)
                                   : (v - a->least) / (a->most - a->least);
    return a->from + share * (a->to - a->from);
}

/* The first number that an axis shows, and the one behind v; beyond `most` there is none. */
static double axis_first(const struct axis *a)
{
    return a->is_log ? pow(10, ceil(log10(a->least) - 1e-9))
                     : a->step * ceil(a->least / a->step - 1e-9);
}

/* Of less than three decades, 2 and 5 have a number, too. */
static double axis_next(const struct axis *a, double v)
{
    const double ten = pow(10, floor(log10(v) + 1e-9));
    if (!a->is_log)
        return a->step * round(v / a->step + 1);
    if (a->most / a->least > 1000)
        return 10 * ten;
    return v / ten < 1.5 ? 2 * ten : v / ten < 3 ? 5 * ten : 10 * ten;
}

static void put_axes(const struct axis *x, const struct axis *y, struct buf *to)
{
    for (double v = axis_first(y); v <= y->most + 1e-6 * fabs(y->most); v = axis_next(y, v))
        buf_printf(to,
                   "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                   "class=\"end\">%.6g</text>\n",
                   x->from, axis_at(y, v), x->to, LEFT - 6, axis_at(y, v) + 4, v + 0.0);
    for (double v = axis_first(x); v <= x->most + 1e-6 * fabs(x->most); v = axis_next(x, v))
        buf_printf(to,
                   "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                   "class=\"mid\">%.6g</text>\n",
                   axis_at(x, v), y->from, y->to, axis_at(x, v), BOTTOM + 16, v + 0.0);
}

/* ---- lines ---- */

static void put_label(const char *class, double x, double y, const char *text, struct buf *to)
{
    buf_printf(to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    html_text(to, text);
    buf_puts(to, "</text>\n");
}

/* A row for each curve, below the picture; behind the last one, that of the diagonal */
static void put_key(const struct plot *p, size_t i, struct buf *to)
{
    const int y = BOTTOM + 58 + ROW * (int)i;
    if (i < p->n)
        buf_printf(to, "<path class=\"curve c%zu d%zu", i % COLORS, i / COLORS % 3);
    buf_printf(to, "%s\" d=\"M%d %dh26\"/>\n", i < p->n ? "" : "<path class=\"even", LEFT, y - 4);
    put_label("key", LEFT + 34, y, i < p->n ? p->curves[i].name : "y = x", to);
}

static void put_line(const struct plot *p, size_t index, const struct axis *x, const struct axis *y,
                     struct buf *to)
{
    enum { MARKED = 40 };
    const struct plot_curve *c = &p->curves[index];
    buf_printf(to, "<path class=\"curve c%zu d%zu\" d=\"", index % COLORS, index / COLORS % 3);
    for (size_t i = 0; i < c->n; i++) {
        const double at_x = axis_at(x, c->at[i][0]), at_y = axis_at(y, c->at[i][1]);
        if (p->is_steps && i > 0)
            buf_printf(to, "H%.1f", at_x);
        buf_printf(to, "%c%.1f %.1f", i ? 'L' : 'M', at_x, at_y);
    }
    buf_puts(to, "\"/>\n");
    for (size_t i = 0; i < c->n && !p->is_steps && c->n <= MARKED; i++)
        buf_printf(to, "<circle class=\"c%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n",
                   index % COLORS, axis_at(x, c->at[i][0]), axis_at(y, c->at[i][1]));
}

/* The numbers, for who cannot see them; of a long curve its ends and some between */
static void put_words(const struct plot *p, const char *x, const char *y, struct buf *to)
{
    enum { TOLD = 12 };
    html_text(to, y);
    buf_puts(to, " against ");
    html_text(to, x);
    for (size_t i = 0; i < p->n; i++) {
        const struct plot_curve *c = &p->curves[i];
        const size_t last = c->n > TOLD ? TOLD - 1 : c->n - 1;
        buf_puts(to, ". ");
        html_text(to, c->name);
        for (size_t k = 0; k <= last; k++) {
            const double *at = c->at[last ? k * (c->n - 1) / last : 0];
            buf_printf(to, "%s %.4g at %.6g", k ? "," : ":", at[1], at[0]);
        }
    }
    buf_puts(to, ".");
}

static void put_head(const struct plot *p, const char *title, const char *x, const char *y,
                     int is_alone, struct buf *to)
{
    const int height = BOTTOM + 50 + ROW * (int)(p->n + (p->diagonal != 0));
    buf_puts(to, is_alone ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "<figure>\n");
    buf_printf(to,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" class=\"plot\" "
               "role=\"img\">\n<title>",
               WIDTH, height);
    html_text(to, title);
    buf_puts(to, "</title>\n<desc>");
    put_words(p, x, y, to);
    buf_puts(to, "</desc>\n");
    if (is_alone) {
        buf_puts(to, "<style>\n");
        html_pieces(to, plot_css);
        buf_printf(to, "</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n", WIDTH,
                   height);
    }
}

void plot_svg(struct plot *p, const char *title, const char *x, const char *y, int is_alone,
              struct buf *to)
{
    const struct axis ax = axis_open(p, 0), ay = axis_open(p, 1);
    put_head(p, title, x, y, is_alone, to);
    put_label("head", LEFT, 18, title, to);
    put_axes(&ax, &ay, to);
    put_label("mid", (LEFT + WIDTH - RIGHT) / 2.0, BOTTOM + 34, x, to);
    buf_printf(to, "<g transform=\"translate(14 %d) rotate(-90)\">", (TOP + BOTTOM) / 2);
    put_label("mid", 0, 0, y, to);
    buf_puts(to, "</g>\n");
    if (p->diagonal)
        buf_printf(to, "<path class=\"even\" d=\"M%d %dL%d %d\"/>\n", LEFT, BOTTOM, WIDTH - RIGHT,
                   TOP);
    for (size_t i = 0; i < p->n; i++)
        put_line(p, i, &ax, &ay, to);
    for (size_t i = 0; i < p->n + (p->diagonal != 0); i++)
        put_key(p, i, to);
    buf_puts(to, is_alone ? "</svg>\n" : "</svg>\n</figure>\n");
}

int plot_write(struct plot *p, const char *title, const char *x, const char *y, const char *path)
{
    struct buf svg = {0};
    plot_svg(p, title, x, y, 1, &svg);
    const int bad = out_whole(path, &svg);
    buf_free(&svg);
    return bad;
}
