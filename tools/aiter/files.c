/* files.c - see files.h
   SPDX-License-Identifier: MIT */
#include "files.h"

#include "base/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_file(const char *output)
{
    return ends_with(output, ".csv");
}

/* ---- paths ---- */

static char *path_in(const struct files_options *o, enum family_id family)
{
    struct buf b = {NULL, 0, 0};
    if (is_file(o->output))
        return xstrdup(o->output);
    buf_printf(&b, "%s%s", o->output, ends_with(o->output, "/") ? "" : "/");
    if (o->schema == SCHEMA_CANDIDATES)
        buf_printf(&b, "candidates_%s.csv", families[family].name);
    else
        buf_printf(&b, "%s.csv", families[family].merge_name);
    return b.s;
}

static int several(const struct files_options *o, const struct rows *r)
{
    struct buf names = {NULL, 0, 0};
    for (int i = 0; i < N_FAMILIES; i++)
        if (r->of[i].n != 0)
            buf_printf(&names, "%s%s", names.n != 0 ? ", " : "", families[i].name);
    fail("%s: one file is for one family, and there are %s: --family takes one, -o DIR all",
         o->output != NULL ? o->output : "standard output", names.s);
    buf_free(&names);
    return -1;
}

static int check_path(const struct files_options *o, enum family_id family, const char *path)
{
    const struct output output = {"-o", path};
    for (size_t i = 0; i < o->n_inputs; i++)
        if (strcmp(o->inputs[i], "-") != 0
            && outputs_check_input(&output, 1, "an input", o->inputs[i]) != 0)
            return -1;
    return o->force ? 0 : write_check_old(path, family, o->schema);
}

/* Before anything is made */
static int set_paths(const struct rows *r, const struct files_options *o, char *path[N_FAMILIES])
{
    size_t n = 0;
    for (int i = 0; i < N_FAMILIES; i++)
        n += r->of[i].n != 0;
    if (n > 1 && (o->output == NULL || is_file(o->output)))
        return several(o, r);
    for (int i = 0; i < N_FAMILIES && o->output != NULL; i++) {
        if (r->of[i].n == 0)
            continue;
        path[i] = path_in(o, (enum family_id)i);
        if (check_path(o, (enum family_id)i, path[i]) != 0)
            return -1;
    }
    return 0;
}

/* ---- writing ---- */

/* 1: it was made, 0: it is there, -1 with a message */
static int make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 1;
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return fail("%s: cannot make the folder: %s (only a name that ends in .csv is a file)", path,
                strerror(errno));
}

/* Opens and writes all; none is in its place yet. */
static int write_all(const struct rows *r, const struct target *t, const struct files_options *o,
                     char *const path[N_FAMILIES], struct outfile out[N_FAMILIES])
{
    for (int i = 0; i < N_FAMILIES; i++) {
        if (r->of[i].n == 0)
            continue;
        if (out_open(&out[i], path[i]) != 0)
            return -1;
        write_rows(out[i].f, &r->of[i], (enum family_id)i, t, o->schema);
    }
    return 0;
}

static int commit_all(struct outfile out[N_FAMILIES], int rc)
{
    for (int i = 0; i < N_FAMILIES; i++) {
        if (out[i].f == NULL)
            continue;
        if (rc == 0)
            rc = out_commit(&out[i]);
        else
            out_abandon(&out[i]);
    }
    return rc;
}

int files_write(const struct rows *r, const struct target *t, const struct files_options *o,
                char *path[N_FAMILIES])
{
    struct outfile out[N_FAMILIES];
    int made = 0, any = 0;
    memset(out, 0, sizeof out);
    if (set_paths(r, o, path) != 0)
        return -1;
    for (int i = 0; i < N_FAMILIES; i++)
        any |= r->of[i].n != 0;
    if (any && o->output != NULL && !is_file(o->output))
        made = make_folder(o->output);
    if (made < 0)
        return -1;
    const int rc = commit_all(out, write_all(r, t, o, path, out));
    if (rc != 0 && made)
        rmdir(o->output);
    return rc;
}
