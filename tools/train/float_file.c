/* float_file.c - see float_file.h
   SPDX-License-Identifier: MIT */
#include "float_file.h"

#include "model/runtime.h"

#include <string.h>
#include <unistd.h>

void float_file_beside(const char *header, struct buf *path)
{
    const int n = (int)strlen(header) - (ends_with(header, ".h") ? 2 : 0);
    buf_printf(path, "%.*s.f32", n, header);
}

/* The header of a built-in model, which may be called by other names, lies in weights/. */
static void find_beside(const char *header, const struct model *model, struct buf *path)
{
    struct buf in_weights = {NULL, 0, 0};
    buf_printf(&in_weights, "weights/%s", model->m.name);
    float_file_beside(strchr(header, '/') || strchr(header, '.') ? header : in_weights.s, path);
    buf_free(&in_weights);
}

void float_file_write(const struct model *model, const struct recipe_nets *nets, FILE *f)
{
    net_save(nets->net, nets->n, runtime_net_id(&model->m), f);
}

int float_file_read(const char *header, const struct model *model, struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    uint64_t id = 0;
    find_beside(header, model, &path);
    int bad =
        access(path.s, R_OK)
            ? fail("%s: no such file: `kpred-train train %s.spec --split %s ... -o FILE.h` writes "
                   "it; for the shipped models `make weights`",
                   path.s, model->m.name, model->m.split)
            : net_load(nets->net, RECIPE_MAX_NETS, path.s, &nets->n, &id);
    if (!bad && id != runtime_net_id(&model->m)) {
        recipe_nets_free(nets);
        bad = fail("%s: the floats of another network than that of %s", path.s, header);
    }
    buf_free(&path);
    return bad;
}
