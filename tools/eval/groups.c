/* groups.c - the groups of rows that eval tells apart, and what they are called
   SPDX-License-Identifier: MIT */
#include "eval.h"

#include <string.h>

size_t eval_group_end(const struct eval *e, size_t first)
{
    size_t end = first;
    while (end < e->n && e->row[end].gpu == e->row[first].gpu
           && e->row[end].dtype == e->row[first].dtype)
        end++;
    return end;
}

static const char *token_name(const struct eval *e, const char *field, int32_t token)
{
    const int f = spec_field_index(e->model->spec, field);
    return f < 0 || token < 0 ? "all" : e->model->spec->fields[f].tokens[token];
}

const char *eval_split_name(const struct eval *e)
{
    return e->rows != EVAL_ALL ? e->model->m.split : "all";
}

void eval_group_cells(const struct eval *e, struct table *t, size_t first)
{
    table_text(t, e->model->m.name);
    table_text(t, eval_split_name(e));
    table_text(t, token_name(e, "gpu", e->row[first].gpu));
    table_text(t, token_name(e, "dtype", e->row[first].dtype));
}

/* "gfx906_60, FP16", or what there is of it */
void eval_group_name(const struct eval *e, struct buf *name, size_t first)
{
    const char *gpu = token_name(e, "gpu", e->row[first].gpu);
    const char *dtype = token_name(e, "dtype", e->row[first].dtype);
    const int both = strcmp(gpu, "all") && strcmp(dtype, "all");
    buf_printf(name, "%s%s%s", both || strcmp(gpu, "all") ? gpu : dtype, both ? ", " : "",
               both ? dtype : "");
}
