/* survey_json.h - what other tuners wrote, for a survey
   SPDX-License-Identifier: MIT

   Fields are `gpu`, the sizes problem_size_x, _y, _z, _3 and so on, what --set gives to files that
   do not say it, and those of the parameters that --fields names. */
#pragma once

#include "survey.h"
#include "t1.h"

/* Adds a cache file, T4 results or KTT's, unpacked. 0, or -1 with a message. */
int survey_tuner(struct survey *s, const struct survey_asked *asked, const char *path,
                 struct buf *bytes);

/* Behind all files of data: a T1 input gives what they did not say, or all if there are none. Both
   have to have the same parameters, but for those of one value; values that T1 does not have are
   told. 0, or -1 with a message. */
int survey_t1(struct survey *s, const struct survey_asked *asked, const struct t1 *t1);
