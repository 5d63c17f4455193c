/* float_file.c - see float_file.h
   SPDX-License-Identifier: MIT */
#include "float_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the directories above a path, as far as they are missing. */
static int make_directories(const char *path)
{
    char *copy = xstrdup(path), *p;
    int bad = 0;
    for (p = strchr(copy + 1, '/'); p && !bad; p = strchr(p + 1, '/')) {
        *p = 0;
        if (mkdir(copy, 0777) && errno != EEXIST)
            bad = fail("%s: %s", copy, strerror(errno));
        *p = '/';
    }
    free(copy);
    return bad;
}

static void add_own_path(const struct model *model, struct buf *path)
{
    buf_printf(path, "build/float/%016" PRIx64 ".f32", model->m.id);
}

int float_file_write(const struct model *model, const struct recipe_nets *nets, const char *path)
{
    struct buf own = {NULL, 0, 0};
    if (!path)
        add_own_path(model, &own);
    path = path ? path : own.s;
    int bad = make_directories(path) || net_save(nets->net, nets->n, path) ? -1 : 0;
    buf_free(&own);
    return bad;
}

int float_file_read(const struct model *model, struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    int bad;
    add_own_path(model, &path);
    bad =
        access(path.s, R_OK)
            ? fail("%s: no such file: `kpred-train train %s.spec --split %s ... -o FILE.h` writes "
                   "it; for the shipped models `make weights`",
                   path.s, model->m.name, model->m.split)
            : net_load(nets->net, RECIPE_MAX_NETS, path.s, &nets->n);
    buf_free(&path);
    return bad;
}
