/* runner.c - see runner.h
   SPDX-License-Identifier: MIT */
#include "runner.h"

void runner_measure(struct runner *r, const struct assign *a, struct answer *out)
{
    if (r->is_server)
        server_measure(r, a, out);
    else
        launch_measure(r, a, out);
}

void runner_end(struct runner *r)
{
    if (r->is_server)
        server_end(r);
}
