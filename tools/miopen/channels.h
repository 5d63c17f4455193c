/* channels.h - which way round the channels stand in the backward keys of a text perf-db
   SPDX-License-Identifier: MIT */
#pragma once

/* Do the backward keys of a text perf-db have c and k the other way round than conv.h says? If they
   do, says so. 1 or 0, or -1 with a message. */
int channels_are_exchanged(const char *path, const char *text);
