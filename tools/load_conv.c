/* load_conv.c - rows of MIOpen's databases: a convolution and a list of parameters
   SPDX-License-Identifier: MIT */
#include "list.h"
#include "load.h"

#include <string.h>

int load_conv_open(struct loader *l, struct load_conv *c)
{
    memset(c, 0, sizeof *c);
    if (conv_map_fields(l->spec, l->path, c->field) != 0)
        return -1;
    return c->field[CONV_GPU] < 0 ? 0 : load_file_gpu(l, (size_t)c->field[CONV_GPU], &c->gpu);
}

/* Verdict on the key, and its problem in the spec's order. */
static int read_problem(struct loader *l, const struct load_conv *c, int64_t row,
                        const struct conv *conv, int64_t *problem)
{
    struct conv_gap gap;
    const char dir[] = {conv->dir, '\0'};
    const size_t dir_field = (size_t)c->field[CONV_DIR], dtype_field = (size_t)c->field[CONV_DTYPE];
    if (conv_find_gap(l->spec, c->field, conv, &gap) != GAP_NONE)
        return load_bad(l, row, DROP_OUTSIDE, gap.column, gap.value, "the spec covers %s",
                        gap.covered);
    int rc = load_token(l, row, dir_field, dir, &problem[dir_field]);
    if (rc == 0)
        rc = load_token(l, row, dtype_field, conv->dtype, &problem[dtype_field]);
    if (c->field[CONV_GPU] >= 0)
        problem[c->field[CONV_GPU]] = c->gpu;
    conv_put_sizes(c->field, conv, problem);
    return rc;
}

int load_conv_add(struct loader *l, struct load_conv *c, int64_t row, const struct conv *conv,
                  const char *list)
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    const char *params[KPRED_MAX_PARAMS];
    char why[96];
    int rc = read_problem(l, c, row, conv, problem);
    if (rc == 0 && list_cut(l->spec, list, &c->params, params, why) != 0)
        rc = load_bad(l, row, DROP_PARAMS, "params", list, "%s", why);
    return rc == 0 ? load_add(l, row, problem, params) : rc;
}
