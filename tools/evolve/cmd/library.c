/* library.c - the variants of a kernel as one object
   SPDX-License-Identifier: MIT

   library.h declares it. */
#include "library.h"

#include "evolve/process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a temporary folder ---- */

static char *text_of(const char *fmt, const char *a, const char *b, size_t i)
{
    struct buf text = {NULL, 0, 0};
    buf_printf(&text, fmt, a, b, i);
    return text.s;
}

static char *part_path(const char *folder, size_t i)
{
    return text_of("%s/%s%zu.o", folder, "v", i);
}

static void remove_path(char *path)
{
    remove(path);
    free(path);
}

static void remove_folder(char *folder, size_t n_parts)
{
    for (size_t i = 0; i < n_parts; i++)
        remove_path(part_path(folder, i));
    remove_path(text_of("%s/%s", folder, "all.o", 0));
    remove_path(text_of("%s/%s", folder, "all.so", 0));
    rmdir(folder);
    free(folder);
}

/* ---- the object ---- */

static int write_part(struct session *s, const struct edits *list, const char *name, size_t i,
                      const char *folder)
{
    struct buf object = {NULL, 0, 0};
    char *path = part_path(folder, i), *function = text_of("%s%s%zu", name, "_v", i);
    int rc = ir_emit(s->ir, list, IR_OBJECT, function, &object);
    if (rc == 0)
        rc = out_whole(path, &object);
    buf_free(&object);
    free(function);
    free(path);
    return rc;
}

/* Links the parts: "-r" to one object, or "-shared" to what dlopen takes */
static int link_parts(const char *how, const char *folder, size_t n, const char *to)
{
    struct process_words words = {0};
    struct buf said = {NULL, 0, 0};
    process_add(&words, EVOLVE_CLANG);
    process_add(&words, how);
    for (size_t i = 0; i < n; i++) {
        char *part = part_path(folder, i);
        process_add(&words, part);
        free(part);
    }
    process_add(&words, "-o");
    process_add(&words, to);
    process_add(&words, strcmp(how, "-r") == 0 ? "-nostdlib" : "-lm");
    const int rc = process_run(&words, NULL, &said);
    process_free(&words);
    buf_free(&said);
    return rc == 0 ? 0 : rc < 0 ? -1 : fail("%s %s failed", EVOLVE_CLANG, how);
}

static int load(struct library *l, const char *path, const char *name, size_t n)
{
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (l->handle == NULL)
        return fail("the library cannot be loaded: %s", dlerror());
    for (size_t i = 0; i < n; i++) {
        char *function = text_of("%s%s%zu", name, "_v", i);
        void *at = dlsym(l->handle, function);
        memcpy(&l->code[i], &at, sizeof at);
        free(function);
        if (at == NULL)
            return fail("the library lacks %s_v%zu", name, i);
    }
    return 0;
}

static int link_all(struct library *l, const char *folder, const char *name, size_t n)
{
    char *object = text_of("%s/%s", folder, "all.o", 0);
    char *shared = text_of("%s/%s", folder, "all.so", 0);
    int rc = link_parts("-r", folder, n, object);
    if (rc == 0)
        rc = read_file(object, (size_t)1 << 28, &l->object);
    if (rc == 0)
        rc = link_parts("-shared", folder, n, shared);
    if (rc == 0)
        rc = load(l, shared, name, n);
    free(object);
    free(shared);
    return rc;
}

int library_make(struct session *s, const struct variants *v, const char *name, struct library *out)
{
    char *folder = process_folder();
    int rc = folder != NULL ? 0 : -1;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; rc == 0 && i < v->n; i++)
        rc = write_part(s, &v->list[i], name, i, folder);
    if (rc == 0)
        rc = link_all(out, folder, name, v->n);
    if (folder != NULL)
        remove_folder(folder, v->n);
    if (rc != 0)
        library_free(out);
    return rc;
}

void library_free(struct library *l)
{
    if (l->handle != NULL)
        dlclose(l->handle);
    buf_free(&l->object);
    memset(l, 0, sizeof *l);
}
