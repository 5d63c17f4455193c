/* ml_library.c - lists of a module's edits as the functions of a library
   SPDX-License-Identifier: MIT

   ml_session.h declares it. MLIR's own engine could write objects, too; but their code has to lie
   where it was compiled for. */
#include "ml_session.h"

#include "evolve/process.h"
#include "evolve/tensor/memory.h"
#include "evolve/tensor/tensor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const memory_text[] = {
#include "memory_text.h" /* the lines of memory.h; evolve.mk makes it */
};

struct parts { /* for write_part: the variants, then what they share */
    struct session *session;
    struct variants *variants;
    const char *name;
    uint64_t arena; /* bytes that the one that takes most needs */
};

/* ---- programs ---- */

/* Runs a program, NULL at the end of its words, that reads the text. Its status, -1 after a
   message */
static int pipe_through(const char *const *words, const struct buf *text, struct buf *out)
{
    struct process_words w = {0};
    FILE *f = tmpfile();
    if (f == NULL || fwrite(text->s, 1, text->n, f) != text->n || fflush(f) != 0) {
        if (f != NULL)
            fclose(f);
        return fail("cannot write a temporary file: %s", strerror(errno));
    }
    rewind(f);
    process_add_all(&w, words);
    const int rc = process_run(&w, f, out);
    process_free(&w);
    fclose(f);
    return rc;
}

static int ml_library_compile(const char *language, const struct buf *text, const char *path)
{
    const char *const words[] = {EVOLVE_CLANG, "-x",          language,
                                 "-",          "-O3",         "-march=native",
                                 "-fPIC",      "-c",          "-ffp-contract=off",
                                 "-mllvm",     ENGINE_UNROLL, "-o",
                                 path,         "-w",          NULL};
    struct buf said = {0};
    const int rc = pipe_through(words, text, &said);
    buf_free(&said);
    return rc <= 0 ? rc : fail(EVOLVE_CLANG " refused what MLIR made, with status %d", rc);
}

static int translate(const struct buf *module, struct buf *ir)
{
    static const char *const words[] = {EVOLVE_TRANSLATE, "--mlir-to-llvmir", NULL};
    if (access(EVOLVE_TRANSLATE, X_OK) != 0)
        return fail("a library needs " EVOLVE_TRANSLATE ": it is in the package mlir-16-tools");
    const int rc = pipe_through(words, module, ir);
    return rc <= 0 ? rc : fail(EVOLVE_TRANSLATE " refused what MLIR made, with status %d", rc);
}

/* ---- a variant ---- */

static void replace_all(struct buf *text, const char *what, const char *with)
{
    struct buf out = {0};
    const char *from = text->s, *at;
    for (; (at = strstr(from, what)) != NULL; from = at + strlen(what)) {
        buf_add(&out, from, (size_t)(at - from));
        buf_puts(&out, with);
    }
    buf_puts(&out, from);
    buf_free(text);
    *text = out;
}

/* What a library calls has names of its own, so that a program may have several libraries. */
static void rename_calls(struct buf *ir, const char *name)
{
    struct buf declared = {0}, take = {0}, copy = {0};
    buf_printf(&declared, "declare noalias ptr @%s_take(", name);
    buf_printf(&take, "@%s_take(", name);
    buf_printf(&copy, "@%s_copy(", name);
    replace_all(ir, "declare ptr @" ENGINE_TAKE "(", declared.s);
    replace_all(ir, "@" ENGINE_TAKE "(", take.s);
    replace_all(ir, "@" ENGINE_COPY "(", copy.s);
    buf_free(&declared);
    buf_free(&take);
    buf_free(&copy);
}

static int write_variant(struct parts *p, size_t i, const char *path)
{
    struct buf code = {0}, module = {0}, ir = {0};
    uint64_t room = 0;
    buf_printf(&code, "%s_code%zu", p->name, i);
    int rc =
        tensor_lower(p->session->module->program, &p->variants->v[i].list, code.s, &module, &room);
    if (rc == 0)
        rc = translate(&module, &ir);
    if (rc == 0) {
        rename_calls(&ir, p->name);
        rc = ml_library_compile("ir", &ir, path);
    }
    p->arena = room > p->arena ? room : p->arena;
    buf_free(&code);
    buf_free(&module);
    buf_free(&ir);
    return rc;
}

/* ---- what they share ---- */

void ml_library_put_type(struct buf *out, const struct session *s)
{
    for (size_t i = 0; i < s->module->exam.type.n_in; i++)
        buf_printf(out, "const float *in%zu, ", i);
    buf_puts(out, "float *out, void *arena");
}

/* MLIR's descriptor of a tensor: `struct tensor2 in0 = {...};` */
static void put_descriptor(struct buf *out, const struct engine_tensor *t, const char *name)
{
    long stride = 1;
    buf_printf(out, "    struct tensor%d %s_ = {(float *)%s, (float *)%s, 0, {", t->rank, name,
               name, name);
    for (int i = 0; i < t->rank; i++) {
        buf_printf(out, "%s%ld", i > 0 ? ", " : "", t->size[i]);
        stride *= t->size[i];
    }
    buf_puts(out, "}, {");
    for (int i = 0; i < t->rank; i++) {
        stride /= t->size[i];
        buf_printf(out, "%s%ld", i > 0 ? ", " : "", stride);
    }
    buf_puts(out, "}};\n");
}

static void put_function(struct buf *out, const struct parts *p, size_t i)
{
    const struct tensor_type *type = &p->session->module->exam.type;
    struct buf code = {0};
    buf_printf(&code, "_mlir_ciface_%s_code%zu(", p->name, i);
    buf_printf(out, "\nvoid %s", code.s);
    for (size_t k = 0; k < type->n_in; k++)
        buf_printf(out, "struct tensor%d *, ", type->in[k].rank);
    buf_printf(out, "struct tensor%d *);\nvoid %s_v%zu(", type->out.rank, p->name, i);
    ml_library_put_type(out, p->session);
    buf_puts(out, ")\n{\n");
    for (size_t k = 0; k < type->n_in; k++) {
        const char in[] = {'i', 'n', (char)('0' + k), 0};
        put_descriptor(out, &type->in[k], in);
    }
    put_descriptor(out, &type->out, "out");
    buf_printf(out, "    memory = (struct memory){arena, %llu, 0};\n    %s",
               (unsigned long long)p->arena, code.s);
    for (size_t k = 0; k < type->n_in; k++)
        buf_printf(out, "&in%zu_, ", k);
    buf_puts(out, "&out_);\n}\n");
    buf_free(&code);
}

static int write_shared(const struct parts *p, const char *path)
{
    struct buf text = {0};
    for (size_t i = 0; i < sizeof memory_text / sizeof *memory_text; i++)
        buf_puts(&text, memory_text[i]);
    buf_printf(&text,
               "static __thread struct memory memory;\n"
               "void *%s_take(uint64_t alignment, uint64_t bytes)\n{\n"
               "    (void)alignment;\n    return memory_take(&memory, bytes);\n}\n"
               "void %s_copy(int64_t bytes, struct memory_ref *from, struct memory_ref *to)\n{\n"
               "    memory_copy(bytes, from, to);\n}\n",
               p->name, p->name);
    for (int rank = 1; rank <= ENGINE_RANK; rank++)
        buf_printf(&text,
                   "struct tensor%d { float *base, *at; int64_t offset, size[%d], stride[%d]; };\n",
                   rank, rank, rank);
    for (size_t i = 0; i < p->variants->n; i++)
        put_function(&text, p, i);
    const int rc = ml_library_compile("c", &text, path);
    buf_free(&text);
    return rc;
}

static int write_part(void *user, size_t i, const char *path)
{
    struct parts *p = user;
    return i < p->variants->n ? write_variant(p, i, path) : write_shared(p, path);
}

/* ---- as it ships ---- */

static void *arena; /* of call_shipped */

typedef void of_one(const float *a, float *out, void *arena);
typedef void of_two(const float *a, const float *b, float *out, void *arena);
typedef void of_three(const float *a, const float *b, const float *c, float *out, void *arena);

static int call_shipped(ev_kernel *entry, const struct engine_tensor *in, size_t n_in,
                        const struct engine_tensor *out)
{
    switch (n_in) {
    case 1: ((of_one *)entry)(in[0].at, out->at, arena); break;
    case 2: ((of_two *)entry)(in[0].at, in[1].at, out->at, arena); break;
    default: ((of_three *)entry)(in[0].at, in[1].at, in[2].at, out->at, arena); break;
    }
    return 0;
}

static int measure_errors(const struct session *s, struct variants *v, const struct library *l)
{
    int rc = 0;
    for (size_t i = 0; i < v->n; i++)
        for (int part = 0; part < EXAM_PARTS; part++) {
            v->v[i].error[part] = exam_error(&s->module->exam, l->code[i], (enum exam_part)part);
            rc |= v->v[i].error[part] < 0;
        }
    return rc == 0 ? 0 : -1;
}

int ml_library_make(struct session *s, struct variants *v, const char *name, struct library *out)
{
    struct parts user = {s, v, name, MEMORY_ALIGNED};
    const struct library_parts parts = {&user, write_part, v->n + 1, v->n, name};
    int rc = library_make(&parts, out);
    if (rc != 0)
        return -1;
    out->arena = user.arena;
    if (posix_memalign(&arena, MEMORY_ALIGNED, (size_t)user.arena) != 0)
        return fail("out of memory");
    engine_call_by(call_shipped);
    rc = library_time(out, s->module->host[EXAM_SEARCH], &s->plan, v);
    if (rc == 0)
        rc = measure_errors(s, v, out);
    engine_call_by(NULL);
    free(arena);
    if (rc != 0)
        library_free(out);
    return rc;
}
