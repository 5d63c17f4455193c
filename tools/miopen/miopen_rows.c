/* miopen_rows.c - rows of MIOpen's databases: a convolution and a list of parameters
   SPDX-License-Identifier: MIT */
#include "miopen_rows.h"

#include "tuple_text.h"

#include <string.h>

int miopen_rows_open(struct loader *l, struct miopen_rows *c)
{
    memset(c, 0, sizeof *c);
    if (conv_map_fields(l->spec, l->path, c->field) != 0)
        return -1;
    c->is_selective = l->spec->format == SPEC_FIND_DB || c->field[CONV_Y] >= 0;
    return c->field[CONV_GPU] < 0 ? 0 : load_file_gpu(l, (size_t)c->field[CONV_GPU], &c->gpu);
}

int miopen_rows_key(struct loader *l, const struct miopen_rows *c, int64_t row, const char *key,
                    struct conv *conv)
{
    char why[96];
    const int rc = conv_parse_key(key, strlen(key), conv, why);
    if (rc > 0 && c->is_selective)
        return load_drop(l, DROP_SIZES);
    return rc == 0
               ? 0
               : load_bad(l, row, DROP_BROKEN, "key", key, "is no key of a convolution: %s", why);
}

/* Is it of a kind that a selective spec is not about? */
static int is_left_out(const struct loader *l, const struct miopen_rows *c, const struct conv *conv,
                       enum reason_kind gap, enum data_drop *why)
{
    const struct spec_field *f = l->spec->fields;
    const int layout = c->field[CONV_LAYOUT];
    if (!c->is_selective)
        return 0;
    *why = conv->casts[0] != '\0' ? DROP_CASTS : DROP_UNNAMED;
    return conv->casts[0] != '\0' || gap == REASON_LAYOUT || gap == REASON_DIMS
           || spec_token(&f[c->field[CONV_DTYPE]], conv->dtype) < 0
           || (layout >= 0 && spec_token(&f[layout], conv_layout(conv)) < 0);
}

int miopen_rows_problem(struct loader *l, const struct miopen_rows *c, int64_t row,
                        const struct conv *conv, int64_t *problem)
{
    struct reason gap;
    enum data_drop why;
    const char dir[] = {conv->dir, '\0'};
    const size_t dir_field = (size_t)c->field[CONV_DIR], dtype_field = (size_t)c->field[CONV_DTYPE];
    const int layout = c->field[CONV_LAYOUT];
    const enum reason_kind kind = conv_find_gap(l->spec, c->field, conv, &gap);
    if (is_left_out(l, c, conv, kind, &why))
        return load_drop(l, why);
    if (kind != REASON_NONE)
        return load_bad(l, row, DROP_OUTSIDE, gap.what, gap.value, "the spec covers %s only",
                        gap.need);
    int rc = load_token(l, row, dir_field, dir, &problem[dir_field]);
    if (rc == 0)
        rc = load_token(l, row, dtype_field, conv->dtype, &problem[dtype_field]);
    if (rc == 0 && layout >= 0)
        rc = load_token(l, row, (size_t)layout, conv_layout(conv), &problem[layout]);
    if (c->field[CONV_GPU] >= 0)
        problem[c->field[CONV_GPU]] = c->gpu;
    conv_put_sizes(c->field, conv, problem);
    return rc;
}

int miopen_rows_add(struct loader *l, struct miopen_rows *c, int64_t row, const struct conv *conv,
                    const char *list)
{
    int64_t problem[KPRED_MAX_FIELDS] = {0};
    const char *params[KPRED_MAX_TUPLE];
    char why[96];
    int rc = miopen_rows_problem(l, c, row, conv, problem);
    if (rc == 0 && tuple_text_cut(l->spec, list, &c->params, params, why) != 0)
        rc = load_bad(l, row, DROP_PARAMS, "params", list, "%s", why);
    return rc == 0 ? load_add(l, row, problem, params) : rc;
}
