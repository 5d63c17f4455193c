/* driver.h - convolutions as users write them: calls of MIOpenDriver, in a log too, and FIELD=VALUE
   SPDX-License-Identifier: MIT */
#pragma once

#include "conv.h"

#include "base/opts.h"
#include "model/reasons.h"

/* ---- calls of MIOpenDriver ---- */

/* MIOPEN_ENABLE_LOGGING_CMD=1 makes MIOpen print one for each convolution, after a prefix:
       MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 32 -c 64 -H 56 ... -F 1
   Scripts hold the same calls. The grammar is MIOpenDriver's: after the operation come options,
   short or long, each with a value; what is left out has a default. Quotes around a word are taken
   off; a call ends with its line or at what ends a command in a shell. */

enum driver_kind {
    DRIVER_NONE,  /* no call is left in the line */
    DRIVER_OTHER, /* one of another operation: pool, bnorm, ... */
    DRIVER_CONV,
    DRIVER_BROKEN /* a convolution that cannot be read; see why */
};

struct driver_call {
    struct conv conv;  /* its direction is not set */
    int directions;    /* a sum of the above */
    int is_transposed; /* the sizes of the output are not set then */
    /* of a broken call: "-n: value "0": is no integer from 1 to 16777216", the option in it ("":
       none), and the form of its words, which is the same for all calls that are broken so */
    char why[192], option[32];
    const char *form;
};

/* The next call at or after *at, which moves behind it; the text is cut to pieces. */
enum driver_kind driver_next(char **at, struct driver_call *call);

/* Makes it the broken call of a line that has more bytes than `most`. */
void driver_cut(struct driver_call *call, int most);

/* The convolution of a line without any option, in 2 or 3 dimensions. */
void driver_defaults(struct conv *c, int dims);
/* The one convolution that a text calls for; MIOpenDriver may be left out of it. 0, or -1 with a
   message that begins with `what`. */
int driver_parse(const char *text, const char *what, struct driver_call *call);

/* ---- FIELD=VALUE ---- */

struct given {
    struct opt_texts fields; /* FIELD=VALUE */
    const char *gpu;         /* in place of gpu=GPU; or NULL */
    const char *driver;      /* all but gpu and, if it names several, dir; or NULL */
    int nearest;             /* for the GPU */
};

/* The problem in the model's order. What is not given of a convolution is as MIOpenDriver has it,
   with a note on standard error, but for its direction, type and sizes. 0, or -1 with a message, or
   1 if the model has no field or value for the line, with *why. */
int given_problem(const struct given *g, const struct model *model, int32_t *problem,
                  struct reason *why);
