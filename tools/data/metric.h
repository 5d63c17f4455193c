/* metric.h - figures as people write them: decimal commas, thousands, units, times and speeds
   SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* ---- times and speeds ---- */

enum metric_kind { METRIC_NONE, METRIC_TIME, METRIC_RATE };

/* What a name or a unit says of figures: of times whether the unit is said, and as the power of ten
   how many microseconds it has; of rates, where more is better, likewise how many billions. */
struct metric {
    enum metric_kind kind;
    int has_unit, power;
};

/* Of a unit: "ms", "µs", "[ns]", "GFLOPS", "GB/s"; of other texts METRIC_NONE */
struct metric metric_of_unit(const char *text);
/* Of a column's name: "latency (ms)", "t_ms", "Kernel time, µs", "throughput". Of "total flops" it
   is not known, that may be work; "time_std" and "compile_time" are no times of a kernel. */
struct metric metric_of_name(const char *name);
/* Does the name speak of a time or a speed, be it that of a compilation or an error, or of what is
   measured beside them, as energy? */
int metric_is_told(const char *name);
/* Is its first word one for a repeat: run, rep, trial? */
int metric_is_repeat(const char *name);

/* Microseconds of a figure; of a rate the time of as much work as makes a billion of its units in a
   millisecond, so that within one problem the ratios are those of times. More than 0. */
double metric_us(struct metric m, double figure);

/* ---- figures ---- */

/* A number at the beginning of a cell, with nothing or a unit behind it */
struct figure {
    size_t n;        /* how long it is, the unit excluded */
    int is_plain;    /* as C writes it, without a unit */
    int is_fraction; /* it has a decimal mark, or may have */
    char proves;     /* the decimal mark of its column, . or , */
    char either;     /* a mark that may be that or stand between thousands; 0: there is none */
    const char *unit;
};

/* 1: the cell is such a number. */
int figure_see(const char *cell, struct figure *f);
/* The number as C writes it, where `mark` is the decimal mark; `out` has room for f->n + 1, and may
   be the cell. */
void figure_write(const char *cell, const struct figure *f, char mark, char *out);

/* Might a table without quotes of this kind have figures that C does not write so, outside of the
   column of times? It is a quick look at the text: a digit, a mark of thousands, and a digit, or a
   comma between digits within quotes. */
int figure_may_be_odd(const char *text, const char *end);
