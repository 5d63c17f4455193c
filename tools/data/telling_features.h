/* telling_features.h - keeps of a new spec's features those that tell its problems apart
   SPDX-License-Identifier: MIT

   Features that are made of fields and parameters alone do not know which values the fields have.
   What is the same for all problems of the data teaches nothing, and of two features that are the
   same one teaches as much as both. Hats over a logarithm lie in a row, so not each of them can be
   left out. At the ends those are left out that no problem reaches. For one within, hats farther
   from each other take the place of all, if they tell as much and each of them tells something.
   Else there is a line for each run of hats that are reached. The ends of a line take all beyond
   them, so that a problem between two runs looks like the nearest of each. */
#pragma once

#include "model/spec.h"

/* Problems as a program reads them: n times the fields of the spec */
struct telling_problems {
    size_t n;
    const int32_t *v;
};

/* The lines of [features] of a spec, which are as default_features.h makes them, without what does
   not tell. 0, or -1 with a message. */
int telling_features(const struct spec *spec, const struct telling_problems *problems,
                     struct buf *out);
