/* plot.c - see plot.h
   SPDX-License-Identifier: MIT */
#include "plot.h"

#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- gnuplot as a child ---- */

/* What gnuplot prints; script: where it reads from, -1: nowhere. */
static int run_gnuplot(int script, const char *argument, FILE *out)
{
    const char *const words[] = {"gnuplot", argument, NULL};
    struct process p = {.words = words, .in = script};
    struct buf text = {0};
    int status = 0;
    const int why = process_read(&p, &text, &status);
    if (why == 0 && out != NULL)
        fwrite(text.s, 1, text.n, out);
    buf_free(&text);
    if (why == ENOENT)
        return fail("there is no gnuplot, which draws plots (Debian: apt-get install gnuplot-nox)");
    if (why != 0)
        return why < 0 ? -1 : fail("gnuplot: %s", strerror(why));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail("gnuplot failed");
}

int plot_check(void)
{
    return run_gnuplot(-1, "--version", NULL);
}

/* ---- the curves ---- */

void plot_point(struct plot *p, size_t index, const char *name, double x, double y)
{
    if (index == p->n) {
        p->curves = xrealloc(p->curves, ++p->n, sizeof *p->curves);
        p->curves[index].name = xstrdup(name);
        memset(&p->curves[index].points, 0, sizeof p->curves[index].points);
    }
    p->least = p->most > 0 && p->least < x ? p->least : x;
    p->most = p->most > x ? p->most : x;
    const int is_first = index == 0 && p->curves[0].points.n == 0;
    p->least_y = !is_first && p->least_y < y ? p->least_y : y;
    p->most_y = !is_first && p->most_y > y ? p->most_y : y;
    buf_printf(&p->curves[index].points, "%.9g %.9g\n", x, y);
}

void plot_free(struct plot *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->curves[i].name);
        buf_free(&p->curves[i].points);
    }
    free(p->curves);
}

/* ---- the script ---- */

/* In single quotes, where only they mean something. A line break would end the command, and what
   stands behind it would be the next one. */
static void put_quoted(FILE *f, const char *s)
{
    putc('\'', f);
    for (; *s != '\0'; s++)
        fputs(*s == '\'' ? "''" : (const char[]){(unsigned char)*s < 0x20 ? '?' : *s, '\0'}, f);
    putc('\'', f);
}

static void put_text(FILE *f, const char *what, const char *text)
{
    fprintf(f, "set %s ", what);
    put_quoted(f, text);
    fputs(" noenhanced\n", f);
}

static void put_curves(const struct plot *p, FILE *f)
{
    for (size_t i = 0; i < p->n; i++)
        fprintf(f, "$curve%zu << END\n%sEND\n", i, p->curves[i].points.s);
    for (size_t i = 0; i < p->n; i++) {
        fprintf(f, "%s $curve%zu using 1:2 %s title ", i == 0 ? "plot" : ",", i,
                p->is_steps ? "with steps linewidth 1.5"
                            : "smooth unique with linespoints pointtype 7 pointsize 0.5");
        put_quoted(f, p->curves[i].name);
    }
    if (p->diagonal)
        fputs(", x with lines dashtype 2 linecolor rgb 'gray40' title 'y = x'", f);
    putc('\n', f);
}

/* Between the least and the greatest value, with a margin that stays within 0 and 100 percent */
static void put_y_range(const struct plot *p, FILE *f)
{
    const double span = p->most_y - p->least_y, margin = span > 0 ? 0.05 * span : 1;
    const double least = p->least_y - margin, most = p->most_y + margin;
    if (p->diagonal)
        fputs("set yrange [0:100]\n", f);
    else
        fprintf(f, "set yrange [%.9g:%.9g]\n", least < 0 && p->least_y >= 0 ? 0 : least,
                most > 100 && p->most_y <= 100 ? 100 : most);
}

static void put_x_range(const struct plot *p, FILE *f)
{
    const int is_log = p->most >= 10 * p->least;
    if (p->diagonal)
        fputs("set xrange [0:100]\n", f);
    else if (is_log)
        fputs("set logscale x\n", f);
    if (p->is_whole && !is_log && p->most - p->least <= 10)
        fputs("set xtics 1\n", f);
    if (p->is_whole && p->most == p->least)
        fprintf(f, "set xrange [%.9g:%.9g]\n", p->least - 1, p->most + 1);
}

static void put_script(const struct plot *p, const char *title, const char *x, const char *y,
                       FILE *f)
{
    fputs("set terminal svg size 720,480 background rgb 'white'\n"
          "set grid\n",
          f);
    fprintf(f, "set key %s right noenhanced\n", p->is_falling ? "top" : "bottom");
    put_text(f, "title", title);
    put_text(f, "xlabel", x);
    put_text(f, "ylabel", y);
    put_x_range(p, f);
    put_y_range(p, f);
    put_curves(p, f);
}

int plot_write(const struct plot *p, const char *title, const char *x, const char *y,
               const char *path)
{
    FILE *script = tmpfile();
    struct outfile out;
    if (script == NULL)
        return fail("%s: no temporary file: %s", path, strerror(errno));
    put_script(p, title, x, y, script);
    int bad = fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0
                  ? fail("%s: temporary file: %s", path, strerror(errno))
                  : out_open(&out, path);
    if (bad == 0 && run_gnuplot(fileno(script), NULL, out.f) == 0)
        bad = out_commit(&out);
    else if (bad == 0) {
        out_abandon(&out);
        bad = -1;
    }
    fclose(script);
    return bad;
}
