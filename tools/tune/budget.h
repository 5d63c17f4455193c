/* budget.h - how much may be measured: launches, or time
   SPDX-License-Identifier: MIT */
#pragma once

struct budget {     /* all zero: no bound */
    long launches;  /* of each problem, those of earlier runs included; 0: no bound */
    double seconds; /* of the whole run; 0: no bound */
};

/* A number of launches, or a duration. NULL: no bound. 0, or -1 with a message. */
int budget_read(const char *text, struct budget *out);

/* "2%": a share of what there is to gain, 0.001 to 0.5. NULL: 0. 0, or -1 with a message. */
int stop_at_read(const char *text, double *share);

/* "1.5", "90s", "500ms", "30m", "2h", "1d"; without a unit seconds. 0, or -1 with a message that
   names the option. */
int duration_read(const char *option, const char *text, double *seconds);

/* "1:05:09" or "5:09", of a duration. In `text`. */
const char *duration_text(double seconds, char text[32]);
