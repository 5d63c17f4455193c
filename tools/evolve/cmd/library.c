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
    const char *const first[] = {EVOLVE_CLANG, how, NULL};
    const char *const last[] = {"-o", to, strcmp(how, "-r") == 0 ? "-nostdlib" : "-lm", NULL};
    process_add_all(&words, first);
    for (size_t i = 0; i < n; i++) {
        char *part = part_path(folder, i);
        process_add(&words, part);
        free(part);
    }
    process_add_all(&words, last);
    const int rc = process_run(&words, NULL, &said);
    process_free(&words);
    buf_free(&said);
    return rc == 0 ? 0 : rc < 0 ? -1 : fail("%s %s failed", EVOLVE_CLANG, how);
}

static int library_load(struct library *l, const char *path, const char *name, size_t n)
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
    const int is_made = link_parts("-r", folder, parts->n, object) == 0
                        && read_file(object, (size_t)1 << 28, &l->object) == 0
                        && link_parts("-shared", folder, parts->n, shared) == 0
                        && library_load(l, shared, parts->name, parts->n_variants) == 0;
    free(object);
    free(shared);
    return is_made ? 0 : -1;
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

int library_time(const struct library *l, const struct host *host, const struct trial_plan *plan,
                 struct variants *v)
{
    double us[MAX_VARIANTS][TASK_CASES];
    const int rc = trial_compare(host, l->code, v->n, plan, us);
    for (size_t i = 0; rc == 0 && i < v->n; i++)
        memcpy(v->v[i].us, us[i], sizeof us[i]);
    return rc;
}

/* ---- variants ---- */

struct variant *variants_add(struct variants *v, const struct edits *list,
                             const struct result *result)
{
    v->v = xgrow(v->v, v->n, &v->cap, sizeof *v->v);
    struct variant *added = &v->v[v->n++];
    *added = (struct variant){.result = *result};
    edits_copy(&added->list, list);
    return added;
}

void variants_drop(struct variants *v, size_t i)
{
    edits_free(&v->v[i].list);
    memmove(&v->v[i], &v->v[i + 1], (--v->n - i) * sizeof v->v[i]);
}

int variants_have(const struct variants *v, const struct edits *list)
{
    for (size_t i = 0; i < v->n; i++)
        if (edits_equal(&v->v[i].list, list))
            return 1;
    return 0;
}

void variants_free(struct variants *v)
{
    while (v->n > 0)
        variants_drop(v, v->n - 1);
    free(v->v);
    memset(v, 0, sizeof *v);
}

/* ---- the texts ---- */

void library_put_title(struct buf *header, const char *name, const struct session *s)
{
    const struct session_options *o = &s->options;
    buf_printf(header, "/* %s.h - variants of %s in %s; kpred-evolve %s wrote it\n\n   ", name,
               o->function, base_name(o->program), s->way->command);
}

void library_put_edits(struct buf *header, const struct variants *v)
{
    for (size_t i = 0; i < v->n; i++) {
        buf_printf(header, "   %zu: ", i);
        edits_print(&v->v[i].list, edit_operators, header);
        buf_puts(header, "\n");
    }
}

void library_put_spec(struct buf *spec, const char *name, const struct session *s,
                      const char *purpose, const char *fields, size_t n_variants)
{
    const struct session_options *o = &s->options;
    buf_printf(spec,
               "# %s.spec - which variant of %s %s; kpred-evolve %s wrote it\n[kernel]\nname = %s\n"
               "title = variants of %s in %s\n\n[data]\nformat = timed\n\n[fields]\n%s\n"
               "[params]\nvariant =",
               name, o->function, purpose, s->way->command, name, o->function,
               base_name(o->program), fields);
    for (size_t i = 0; i < n_variants; i++)
        buf_printf(spec, " %zu", i);
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

/* ---- the files ---- */

enum { N_FILES = 4 };
static const char *const endings[N_FILES] = {".o", ".h", ".spec", ".csv"};

static char *file_path(const struct export_options *o, int i)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s%s", o->folder, o->name, endings[i]);
    return path.s;
}

/* May the folder take NAME.o, NAME.h, NAME.spec and NAME.csv? -1 after a message if it is no
   folder, if the name is no identifier, if one of them is there without --force, or if one is
   `data`, which the log names (NULL: none) */
static int library_check(const struct export_options *o, const char *data)
{
    struct stat st;
    int rc = is_identifier(o->name) ? 0 : fail("--name \"%s\": is not a C identifier", o->name);
    if (rc == 0 && stat(o->folder, &st) == 0 && !S_ISDIR(st.st_mode))
        rc = fail("%s: is not a folder", o->folder);
    for (int i = 0; i < N_FILES && rc == 0; i++) {
        char *path = file_path(o, i);
        const struct output to = {"-o", path};
        rc = outputs_check_input(&to, 1, "the log's data", data);
        if (rc == 0)
            rc = out_check_kept(path, o->force);
        free(path);
    }
    return rc;
}

/* NAME.o, if the object is not empty, and the others: all before the first one takes its place. The
   folder is made. */
static int library_write(const struct export_options *o, const struct buf *object,
                         const struct library_files *files)
{
    const struct buf *bytes[] = {object, &files->header, &files->spec, &files->csv};
    struct outfile out[N_FILES];
    const int first = object->n == 0; /* without one, there is no such file */
    int n = first, rc = out_folder(o->folder, "") < 0 ? -1 : 0;
    for (; rc == 0 && n < N_FILES; n += rc == 0) {
        char *path = file_path(o, n);
        rc = out_open(&out[n], path);
        free(path);
        if (rc == 0)
            fwrite(bytes[n]->s, 1, bytes[n]->n, out[n].f);
    }
    for (int i = first; i < n; i++)
        rc = out_end(&out[i], rc != 0);
    return rc;
}

/* ---- the commands ---- */

/* What ships decides: it is made and timed again without each that gains nothing so. */
static int link_best(const struct export_way *way, const struct export_options *o,
                     struct session *s, struct variants *v, struct library *l)
{
    while (way->make(s, v, o->name, l) == 0) {
        if (!way->prune(v))
            return 0;
        library_free(l);
    }
    return -1;
}

static int export_chosen(const struct export_way *way, const struct export_options *o,
                         struct session *s, struct variants *v)
{
    struct library l = {.handle = NULL};
    struct library_files files = {.header = {0}};
    if (link_best(way, o, s, v, &l) != 0)
        return -1;
    const int rc =
        way->put(o, s, v, &l, &files) != 0 || library_write(o, &l.object, &files) != 0 ? -1 : 0;
    library_free(&l);
    buf_free(&files.header);
    buf_free(&files.spec);
    buf_free(&files.csv);
    if (rc != 0)
        return -1;
    printf("%s: %zu %s, the %s included\n", o->folder, v->n,
           as_counted(v->n, "variant", "variants"), s->module != NULL ? "module" : "baseline");
    if (way->say != NULL)
        way->say(v);
    return flush_stdout();
}

int export_run(const struct export_way *way, struct export_options *o)
{
    struct logged run;
    struct variants v = {0};
    if (logged_open(&run, o->log, way->of, o->jobs, NULL, 0) != 0)
        return 1;
    struct session *s = &run.session;
    if (o->name == NULL)
        o->name = s->options.function;
    const int is_done = library_check(o, s->module != NULL ? s->options.cases : NULL) == 0
                        && way->choose(&run, (size_t)o->k, &v) == 0
                        && export_chosen(way, o, s, &v) == 0;
    variants_free(&v);
    logged_close(&run);
    return !is_done;
}
