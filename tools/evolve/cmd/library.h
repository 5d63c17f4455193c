/* library.h - the variants of a kernel as one object, which is loaded and timed as it ships
   SPDX-License-Identifier: MIT */
#pragma once

#include "variants.h"

struct library {                   /* to be freed */
    struct buf object;             /* the bytes of NAME.o: functions NAME_v0, NAME_v1, ... */
    ev_kernel *code[MAX_VARIANTS]; /* of the object, loaded */
    void *handle;
};

/* -1 after a message */
int library_make(struct session *s, const struct variants *v, const char *name,
                 struct library *out);
void library_free(struct library *l);
