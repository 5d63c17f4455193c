/* export.c - `kpred-evolve export`: the best variants as a library, with a spec and timings
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "variants.h"

#include "base/opts.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-evolve export RUN.log -o FOLDER [-k K] [--name NAME] [--jobs N]\n"
    "                        [--force]\n"
    "\n"
    "Chooses variants of the kernel, so that together they are the fastest over the harness's\n"
    "cases, and writes\n"
    "  NAME.o     the variants as functions NAME_v0, NAME_v1, ...; the first one is the baseline\n"
    "  NAME.h     the table of them\n"
    "  NAME.spec  for kpred-train: the sizes of a case as fields, and the parameter `variant`\n"
    "  NAME.csv   the time of each variant for each timed case whose sizes are from 1 to 2^24\n"
    "so that `kpred-train train NAME.spec --data NAME.csv -o MODEL.h` learns which one a problem\n"
    "wants. Every variant is right on all cases, those held out included.\n"
    "\n"
    "  RUN.log      the log of a search; what is evaluated is appended to it\n"
    "  -o FOLDER    made if it is not there\n"
    "  -k K         the most variants, the baseline included (default 4); one that lowers the "
    "mean\n"
    "               by less than 1 % of the baseline's time is left out\n"
    "  --name NAME  a C identifier (default: the function)\n"
    "  --jobs N     candidates at a time (default: one for each processor)\n"
    "  --force      replace files of FOLDER that are there\n";

struct export_options {
    const char *log, *folder, *name;
    long k, jobs;
    int force;
};

struct sizes { /* the names that a harness gives them */
    char *text;
    const char *name[EV_MAX_SIZES];
    size_t n;
};

/* ---- the texts ---- */

/* host_open has checked that they are identifiers, and not too many. */
static void split_sizes(const struct ev_harness *h, struct sizes *out)
{
    memset(out, 0, sizeof *out);
    out->text = xstrdup(h->sizes);
    for (char *w = strtok(out->text, " "); w != NULL; w = strtok(NULL, " "))
        out->name[out->n++] = w;
}

/* Are the sizes of the case what a spec takes: integers from 1 to 2^24? */
static int has_fields(const struct ev_shape *shape, const struct sizes *sizes)
{
    for (size_t k = 0; k < sizes->n; k++)
        if (shape->size[k] < 1 || shape->size[k] > 1 << 24)
            return 0;
    return 1;
}

static void write_spec(struct buf *out, const struct logged *run, const char *name, size_t n,
                       const struct sizes *sizes)
{
    const struct session_options *o = &run->session.options;
    buf_printf(
        out,
        "# %s.spec - which variant of %s a problem wants; kpred-evolve export wrote it\n"
        "[kernel]\nname = %s\ntitle = variants of %s in %s\n\n[data]\nformat = timed\n\n[fields]\n",
        name, o->function, name, o->function, base_name(o->kernel));
    for (size_t i = 0; i < sizes->n; i++)
        buf_printf(out, "%s = size\n", sizes->name[i]);
    buf_puts(out, "\n[params]\nvariant =");
    for (size_t i = 0; i < n; i++)
        buf_printf(out, " %zu", i);
    buf_puts(out, "\n\n[split]\nconfig = ");
    for (size_t i = 0; i < sizes->n; i++)
        buf_printf(out, "%s%s", i > 0 ? "," : "", sizes->name[i]);
    buf_puts(out, "\nshipped = none\n");
}

static void write_csv(struct buf *out, const struct ev_harness *h, const struct sizes *sizes,
                      const double *us, size_t n)
{
    for (size_t i = 0; i < sizes->n; i++)
        buf_printf(out, "%s,", sizes->name[i]);
    buf_puts(out, "variant,time_us\n");
    for (size_t c = 0; c < h->n_shapes; c++)
        for (size_t v = 0; v < n && us[c] > 0 && has_fields(&h->shapes[c], sizes); v++) {
            for (size_t i = 0; i < sizes->n; i++)
                buf_printf(out, "%lld,", (long long)h->shapes[c].size[i]);
            buf_printf(out, "%zu,%.6g\n", v, us[v * h->n_shapes + c]);
        }
}

static void write_header(struct buf *out, const struct logged *run, const char *name,
                         const struct variants *v)
{
    const struct session_options *o = &run->session.options;
    buf_printf(out,
               "/* %s.h - variants of %s in %s; kpred-evolve export wrote it\n\n"
               "   They are in %s.o. Cast an entry to the type of %s. Edits, as `kpred-evolve emit "
               "--edits`\n   takes them:\n",
               name, o->function, base_name(o->kernel), name, o->function);
    for (size_t i = 0; i < v->n; i++) {
        buf_printf(out, "   %zu: ", i);
        edits_print(&v->list[i], edit_operators, out);
        buf_puts(out, "\n");
    }
    buf_printf(out, "*/\n#pragma once\n\nenum { %s_variants = %zu };\n\n", name, v->n);
    buf_printf(out, "typedef void %s_variant(void);\n", name);
    for (size_t i = 0; i < v->n; i++)
        buf_printf(out, "extern %s_variant %s_v%zu;\n", name, name, i);
    buf_printf(out, "\nstatic %s_variant *const %s_table[%s_variants] = {\n", name, name, name);
    for (size_t i = 0; i < v->n; i++)
        buf_printf(out, "    %s_v%zu,\n", name, i);
    buf_puts(out, "};\n");
}

/* ---- the files ---- */

static const char *name_of(const struct export_options *o, const struct logged *run)
{
    return o->name != NULL ? o->name : run->session.options.function;
}

static int write_all(const struct export_options *o, const struct logged *run,
                     const struct variants *v, const struct library *l, const struct sizes *sizes,
                     const double *us)
{
    struct library_files files = {.object = {NULL, 0, 0}};
    buf_add(&files.object, l->object.s, l->object.n);
    write_header(&files.header, run, name_of(o, run), v);
    write_spec(&files.spec, run, name_of(o, run), v->n, sizes);
    write_csv(&files.csv, host_harness(run->session.host), sizes, us, v->n);
    const int rc = library_write(o->folder, name_of(o, run), &files);
    library_free_files(&files);
    return rc;
}

struct parts { /* for write_part */
    struct session *session;
    const struct variants *variants;
    const char *name;
};

static int write_part(void *user, size_t i, const char *path)
{
    const struct parts *p = user;
    struct buf object = {NULL, 0, 0}, function = {NULL, 0, 0};
    buf_printf(&function, "%s_v%zu", p->name, i);
    int rc = ir_emit(p->session->ir, &p->variants->list[i], IR_OBJECT, function.s, &object);
    if (rc == 0)
        rc = out_whole(path, &object);
    buf_free(&object);
    buf_free(&function);
    return rc;
}

/* Links and times them, again without each that gains nothing so. */
static int link_best(const char *name, struct session *s, struct variants *v, struct library *l,
                     double *us)
{
    const size_t n_cases = host_harness(s->host)->n_shapes;
    struct parts user = {s, v, name};
    for (;;) {
        const struct library_parts parts = {&user, write_part, v->n, v->n, name};
        if (library_make(&parts, l) != 0)
            return -1;
        const int rc = trial_compare(s->host, l->code, v->n, &s->plan, us);
        if (rc == 0 && variants_prune(v, us, n_cases) == 0)
            return 0;
        library_free(l);
        if (rc != 0)
            return -1;
    }
}

static int make(const struct export_options *o, struct logged *run, const struct sizes *sizes)
{
    struct variants v;
    struct library l;
    if (library_check(o->folder, name_of(o, run), o->force, NULL) != 0
        || variants_choose(run, (size_t)o->k, &v) != 0)
        return -1;
    double *us = xcalloc(v.n * host_harness(run->session.host)->n_shapes, sizeof *us);
    int rc = link_best(name_of(o, run), &run->session, &v, &l, us);
    if (rc == 0) {
        rc = write_all(o, run, &v, &l, sizes, us);
        library_free(&l);
    }
    if (rc == 0)
        printf("%s: %zu variants, the baseline included\n", o->folder, v.n);
    variants_free(&v);
    free(us);
    return rc != 0 ? -1 : flush_stdout();
}

int cmd_export(int argc, char **argv)
{
    struct export_options o;
    struct sizes sizes;
    struct logged run;
    const struct opt table[] = {
        {.name = "RUN.log", .kind = OPT_TEXT, .to = &o.log, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.folder, .is_required = 1},
        {.name = "-k", .kind = OPT_COUNT, .to = &o.k, .least = 1, .most = MAX_VARIANTS},
        {.name = "--name", .kind = OPT_TEXT, .to = &o.name},
        {.name = "--force", .kind = OPT_FLAG, .to = &o.force},
        {.name = "--jobs", .kind = OPT_COUNT, .to = &o.jobs, .least = 1, .most = 256},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.k = 4;
    const int status = opts_parse(table, help, argc, argv);
    if (status >= 0)
        return status;
    if (logged_open(&run, o.log, o.jobs) != 0)
        return 1;
    split_sizes(host_harness(run.session.host), &sizes);
    const int rc = make(&o, &run, &sizes);
    free(sizes.text);
    logged_close(&run);
    return rc != 0;
}
