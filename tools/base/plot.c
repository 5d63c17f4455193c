/* plot.c - see plot.h
   SPDX-License-Identifier: MIT */
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- gnuplot as a child ---- */

enum { NOT_FOUND = 127 };

/* In the child: does not return. */
static void become_gnuplot(int script, int out, const char *argument)
{
    if ((script < 0 || dup2(script, 0) >= 0) && dup2(out, 1) >= 0)
        execlp("gnuplot", "gnuplot", argument, (char *)NULL);
    _exit(NOT_FOUND);
}

/* All that comes out of a pipe; to may be NULL. */
static int copy(int from, FILE *to)
{
    char block[4096];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && to != NULL)
            fwrite(block, 1, (size_t)n, to);
    return n == 0 ? 0 : fail("gnuplot: %s", strerror(errno));
}

/* `failed`: of what was read of it, which is told already */
static int check_status(pid_t child, int failed)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail("gnuplot: %s", strerror(errno));
    if (failed)
        return failed;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return fail("there is no gnuplot, which draws plots (Debian: apt-get install gnuplot-nox)");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail("gnuplot failed");
}

/* What gnuplot prints; script: where it reads from, -1: nowhere. */
static int run_gnuplot(int script, const char *argument, FILE *out)
{
    int ends[2];
    pid_t child;
    if (pipe(ends) != 0)
        return fail("gnuplot: %s", strerror(errno));
    child = fork();
    const int error = errno;
    if (child == 0)
        become_gnuplot(script, ends[1], argument);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fail("gnuplot: %s", strerror(error));
    }
    const int rc = copy(ends[0], out);
    close(ends[0]);
    return check_status(child, rc);
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
        fprintf(f,
                "%s $curve%zu using 1:2 smooth unique with linespoints pointtype 7 pointsize 0.5 "
                "title ",
                i == 0 ? "plot" : ",", i);
        put_quoted(f, p->curves[i].name);
    }
    if (p->diagonal)
        fputs(", x with lines dashtype 2 linecolor rgb 'gray40' title 'y = x'", f);
    putc('\n', f);
}

static void put_script(const struct plot *p, const char *title, const char *x, const char *y,
                       FILE *f)
{
    fputs("set terminal svg size 720,480 background rgb 'white'\n"
          "set grid\n",
          f);
    fputs(p->is_high ? "set key top right noenhanced\nset yrange [0:*]\n"
                     : "set key bottom right noenhanced\nset yrange [0:100]\n",
          f);
    put_text(f, "title", title);
    put_text(f, "xlabel", x);
    put_text(f, "ylabel", y);
    if (p->diagonal)
        fputs("set xrange [0:100]\n", f);
    else if (p->most >= 10 * p->least)
        fputs("set logscale x\n", f);
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
