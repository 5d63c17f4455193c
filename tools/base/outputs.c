/* outputs.c - see outputs.h
   SPDX-License-Identifier: MIT */
#include "outputs.h"

#include "util.h"

#include <string.h>
#include <sys/stat.h>

/* The folder of a path that is not there. */
static int stat_folder(const char *path, struct stat *st)
{
    struct buf folder = {0};
    buf_puts(&folder, "./");
    if (*path == '/')
        folder.n = 0;
    buf_add(&folder, path, (size_t)(base_name(path) - path));
    const int bad = stat(folder.s, st);
    buf_free(&folder);
    return bad;
}

static int is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int outputs_same(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && S_ISREG(sa.st_mode) && is_same_inode(&sa, &sb);
}

/* Two files that are not there yet. */
static int will_be_same(const char *a, const char *b)
{
    struct stat sa, sb;
    if (stat(a, &sa) == 0 || stat(b, &sb) == 0 || strcmp(base_name(a), base_name(b)) != 0)
        return 0;
    return stat_folder(a, &sa) == 0 && stat_folder(b, &sb) == 0 && is_same_inode(&sa, &sb);
}

static int are_one(const struct output *a, const struct output *b)
{
    return a->path != NULL && b->path != NULL
           && (outputs_same(a->path, b->path) || will_be_same(a->path, b->path));
}

int outputs_check_force(int force, const char *path)
{
    return force && path == NULL ? fail("--force: there is no file that it could replace: -o") : 0;
}

int outputs_check_apart(const struct output *outputs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (are_one(&outputs[i], &outputs[j]))
                return fail("%s and %s: both %s", outputs[i].option, outputs[j].option,
                            outputs[j].path);
    return 0;
}

int outputs_check_input(const struct output *outputs, size_t n, const char *role, const char *path)
{
    for (size_t i = 0; i < n && path != NULL; i++)
        if (outputs[i].path != NULL && outputs_same(outputs[i].path, path))
            return fail("%s %s: would overwrite %s %s, which is read", outputs[i].option,
                        outputs[i].path, role, path);
    return 0;
}

int outputs_check_inputs(const struct output *outputs, size_t n, const char *role,
                         const struct opt_texts *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (outputs_check_input(outputs, n, role, paths->v[i]) != 0)
            return -1;
    return 0;
}
