/* library.c - variants as one object, and the files of a library
   SPDX-License-Identifier: MIT

   evolve_commands.h declares it. */
#include "evolve_commands.h"

#include "evolve/process.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- the object ---- */

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

static int link_all(struct library *l, const char *folder, const struct library_parts *parts)
{
    char *object = text_of("%s/%s", folder, "all.o", 0);
    char *shared = text_of("%s/%s", folder, "all.so", 0);
    int rc = link_parts("-r", folder, parts->n, object);
    if (rc == 0)
        rc = read_file(object, (size_t)1 << 28, &l->object);
    if (rc == 0)
        rc = link_parts("-shared", folder, parts->n, shared);
    if (rc == 0)
        rc = load(l, shared, parts->name, parts->n_variants);
    free(object);
    free(shared);
    return rc;
}

int library_make(const struct library_parts *parts, struct library *out)
{
    const char *folder = process_folder();
    int rc = folder != NULL ? 0 : -1;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; rc == 0 && i < parts->n; i++) {
        char *path = part_path(folder, i);
        rc = parts->write(parts->user, i, path);
        free(path);
    }
    if (rc == 0)
        rc = link_all(out, folder, parts);
    process_drop_folder(folder);
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

/* ---- options ---- */

void export_options(struct opt table[EXPORT_OPTIONS], struct export_options *o, long most)
{
    const struct opt lines[EXPORT_OPTIONS] = {
        {.name = "RUN.log", .kind = OPT_TEXT, .to = &o->log, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o->folder, .is_required = 1},
        {.name = "-k", .kind = OPT_COUNT, .to = &o->k, .least = 1, .most = most},
        {.name = "--name", .kind = OPT_TEXT, .to = &o->name},
        {.name = "--force", .kind = OPT_FLAG, .to = &o->force},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &o->jobs, .least = 1, .most = 256},
        {.name = NULL},
    };
    memset(o, 0, sizeof *o);
    o->k = 4;
    memcpy(table, lines, sizeof lines);
}

/* ---- the files ---- */

enum { N_FILES = 4 };
static const char *const endings[N_FILES] = {".o", ".h", ".spec", ".csv"};

static char *file_path(const char *folder, const char *name, int i)
{
    struct buf path = {NULL, 0, 0};
    buf_printf(&path, "%s/%s%s", folder, name, endings[i]);
    return path.s;
}

int library_check(const char *folder, const char *name, int force, const char *data)
{
    struct stat st;
    int rc = is_identifier(name) ? 0 : fail("--name \"%s\": is not a C identifier", name);
    if (rc == 0 && stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        rc = fail("%s: is not a folder", folder);
    for (int i = 0; i < N_FILES && rc == 0; i++) {
        char *path = file_path(folder, name, i);
        const struct output to = {"-o", path};
        rc = outputs_check_input(&to, 1, "the log's data", data);
        if (rc == 0)
            rc = out_check_kept(path, force);
        free(path);
    }
    return rc;
}

void library_put_table(struct buf *header, const char *name, size_t n_variants)
{
    for (size_t i = 0; i < n_variants; i++)
        buf_printf(header, "extern %s_variant %s_v%zu;\n", name, name, i);
    buf_printf(header, "\nstatic %s_variant *const %s_table[%s_variants] = {\n", name, name, name);
    for (size_t i = 0; i < n_variants; i++)
        buf_printf(header, "    %s_v%zu,\n", name, i);
    buf_puts(header, "};\n");
}

int library_write(const char *folder, const char *name, const struct library_files *files)
{
    const struct buf *bytes[] = {&files->object, &files->header, &files->spec, &files->csv};
    struct outfile out[N_FILES];
    const int first = files->object.n == 0; /* without one, there is no such file */
    int n = first, rc = 0;
    if (out_folder(folder, "") < 0)
        return -1;
    for (; rc == 0 && n < N_FILES; n += rc == 0) {
        char *path = file_path(folder, name, n);
        rc = out_open(&out[n], path);
        free(path);
        if (rc == 0)
            fwrite(bytes[n]->s, 1, bytes[n]->n, out[n].f);
    }
    for (int i = first; i < n; i++)
        if (rc == 0)
            rc = out_commit(&out[i]);
        else
            out_abandon(&out[i]);
    return rc;
}

void library_free_files(struct library_files *files)
{
    buf_free(&files->object);
    buf_free(&files->header);
    buf_free(&files->spec);
    buf_free(&files->csv);
}
