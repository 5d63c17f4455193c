/* files.c - configuration files with their paths: written, and how a server finds them
   SPDX-License-Identifier: MIT */
#include "triton.h"

#include "base/csv_records.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the text of a file ---- */

/* Does the server's tuner write it? Of the public tuners only vLLM's for MoE of 16 bits tries other
   values of matrix_instr_nonkdim and kpack than the compiler's own, 0 and 1; AMD's files have them
   together elsewhere, too. */
static int is_written(const struct triton_name *name, const struct triton_config *c, int is_amd,
                      enum triton_member i)
{
    const int is_gemm = name->kernel == TRITON_BLOCK_GEMM;
    if (i <= TRITON_NUM_STAGES)
        return 1;
    if (i == TRITON_WAVES_PER_EU)
        return is_amd && (c->v[i] != 0 || !is_gemm || name->server == TRITON_SGLANG);
    if (i == TRITON_NONKDIM)
        return c->v[i] != 0;
    return c->v[i] != 1 || c->v[TRITON_NONKDIM] != 0;
}

void triton_text_row(struct buf *b, const struct triton_name *name, const struct choice *c)
{
    struct triton_gpu gpu;
    triton_gpu_find(&gpu, name->device);
    buf_printf(b, "    \"%" PRId32 "\": {", c->m);
    for (int i = 0; i < TRITON_N_MEMBERS; i++)
        if (is_written(name, &c->config, gpu.is_amd, (enum triton_member)i))
            buf_printf(b, "%s\n        \"%s\": %" PRId32, i != 0 ? "," : "", triton_members[i],
                       c->config.v[i]);
    buf_puts(b, "\n    }");
}

void triton_text_begin(struct buf *b, const struct triton_name *name, const char *version)
{
    buf_puts(b, "{\n");
    if (version != NULL && name->server == TRITON_VLLM && name->kernel == TRITON_MOE)
        buf_printf(b, "    \"triton_version\": \"%s\",\n", version);
}

void triton_text(struct buf *b, const struct triton_name *name, const struct choices *c,
                 const char *version)
{
    triton_text_begin(b, name, version);
    for (size_t i = 0; i < c->n; i++) {
        triton_text_row(b, name, &c->v[i]);
        buf_puts(b, i + 1 < c->n ? ",\n" : "\n");
    }
    buf_puts(b, "}\n");
}

/* ---- a table of tuples ---- */

const char triton_table_heading[] =
    "server,file,E,N,K,dtype,block_n,block_k,per_channel,M,rank,probability,BLOCK_SIZE_M,"
    "BLOCK_SIZE_N,BLOCK_SIZE_K,GROUP_SIZE_M,num_warps,num_stages,waves_per_eu,"
    "matrix_instr_nonkdim,kpack\n";

/* A size that the name does not have is an empty cell. */
static void add_size(struct buf *b, int has, int32_t size)
{
    if (has)
        buf_printf(b, ",%" PRId32, size);
    else
        buf_puts(b, ",");
}

static void add_name_cells(struct buf *b, const struct triton_name *name)
{
    struct buf file = {NULL, 0, 0};
    triton_name_write(name, &file);
    buf_printf(b, "%s,", triton_servers[name->server]);
    csv_add_cell(b, file.s);
    add_size(b, name->e != 0, name->e);
    add_size(b, 1, name->n);
    add_size(b, name->e == 0, name->k);
    buf_puts(b, ",");
    csv_add_cell(b, name->dtype);
    add_size(b, name->has_block, name->block[0]);
    add_size(b, name->has_block, name->block[1]);
    buf_printf(b, ",%d", name->per_channel);
    buf_free(&file);
}

void triton_table_rows(struct buf *b, const struct triton_name *name, const struct ranking *r)
{
    struct triton_gpu gpu;
    struct buf cells = {NULL, 0, 0};
    triton_gpu_find(&gpu, name->device);
    add_name_cells(&cells, name);
    for (size_t i = 0; i < r->n; i++) {
        const struct ranked *v = &r->v[i];
        const int share = (int)(((int64_t)v->tuple * 10000 + (1 << 23)) >> 24);
        buf_printf(b, "%s,%" PRId32 ",%" PRId32 ",%d.%04d", cells.s, v->m, v->rank, share / 10000,
                   share % 10000);
        for (int j = 0; j < TRITON_N_MEMBERS; j++)
            add_size(b, is_written(name, &v->config, gpu.is_amd, (enum triton_member)j),
                     v->config.v[j]);
        buf_puts(b, "\n");
    }
    buf_free(&cells);
}

/* ---- paths ---- */

int triton_has_folder(const struct triton_name *name)
{
    return name->server == TRITON_SGLANG && name->kernel != TRITON_BLOCK_GEMM;
}

char *triton_path(const char *output, const struct triton_name *name, const char *version)
{
    struct buf b = {NULL, 0, 0};
    const int has_folder = triton_has_folder(name);
    if (has_folder && *version == '\0')
        return NULL;
    buf_add_path(&b, output, "");
    if (has_folder)
        buf_printf(&b, "configs/triton_%s/", version);
    triton_name_write(name, &b);
    return b.s;
}

void triton_files_add(struct triton_files *files, const struct triton_name *name, char *path,
                      struct buf *text)
{
    files->v = xgrow(files->v, files->n, &files->cap, sizeof *files->v);
    files->v[files->n++] = (struct triton_file){.path = path, .text = *text};
    if (name != NULL)
        files->has[name->server][name->kernel] = 1;
    *text = (struct buf){NULL, 0, 0};
}

void triton_files_free(struct triton_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->v[i].path);
        buf_free(&files->v[i].text);
    }
    free(files->v);
    memset(files, 0, sizeof *files);
}

/* ---- writing ---- */

/* Is the file there, byte by byte? */
static int is_in_place(const struct triton_file *f)
{
    struct stat st;
    struct buf old = {NULL, 0, 0};
    struct spared spared = {.n = 0};
    if (f->path == NULL || stat(f->path, &st) != 0 || !S_ISREG(st.st_mode)
        || (size_t)st.st_size != f->text.n)
        return 0;
    spare_begin(&spared);
    const int is_same =
        read_file(f->path, f->text.n, &old) == 0 && memcmp(old.s, f->text.s, old.n) == 0;
    spare_end();
    buf_free(&old);
    return is_same;
}

/* May the file be written? What is there may hold what somebody has measured. */
static int check_old(const struct triton_file *f, int force)
{
    struct stat st;
    if (force || f->replaces || f->path == NULL || stat(f->path, &st) != 0 || !S_ISREG(st.st_mode)
        || st.st_size == 0 || is_in_place(f))
        return 0;
    return fail("%s: is there already %s; --force replaces it", f->path,
                f->other != NULL ? f->other : "with other tuples");
}

static int make_folders(const char *path)
{
    char *copy = xstrdup(path);
    int rc = 0;
    for (char *p = copy + 1; *p != '\0' && rc == 0; p++)
        if (*p == '/') {
            *p = '\0';
            rc = out_folder(copy, "") < 0 ? -1 : 0;
            *p = '/';
        }
    free(copy);
    return rc;
}

/* After a failure: what is in its place, maybe by an earlier run, and what is not */
static void tell_left_out(const struct triton_files *files)
{
    struct buf b = {NULL, 0, 0};
    size_t n = 0;
    if (files->n == 1)
        return;
    for (size_t i = 0; i < files->n; i++)
        if (is_in_place(&files->v[i]))
            n++;
        else
            buf_printf(&b, "%s%s", b.n != 0 ? ", " : "", base_name(files->v[i].path));
    note("%zu of %zu files %s written; left out: %s", n, files->n, as_counted(n, "is", "are"), b.s);
    buf_free(&b);
}

int triton_files_write(const struct triton_files *files, int force)
{
    for (size_t i = 0; i < files->n; i++)
        if (check_old(&files->v[i], force) != 0)
            return -1;
    for (size_t i = 0; i < files->n; i++) {
        const struct triton_file *f = &files->v[i];
        if (is_in_place(f)
            || ((f->path == NULL || make_folders(f->path) == 0)
                && out_whole(f->path, &f->text) == 0))
            continue;
        tell_left_out(files);
        return -1;
    }
    return 0;
}

int triton_folder_lock(struct locked_folder *l, const char *path)
{
    return make_folders(path) == 0 ? folder_lock(l, path, "") : -1;
}

/* ---- how a server finds them ---- */

static const char *const packages[TRITON_N_SERVERS] = {
    "vllm/model_executor/layers/quantization/utils/configs",
    "sglang/kernels/ops/gemm/configs",
};
static const char *const called[TRITON_N_SERVERS] = {"vLLM", "SGLang"};

/* The server may be started in another folder. */
static void print_folder(const char *variable, const char *output)
{
    struct buf path = {NULL, 0, 0};
    buf_add_absolute(&path, output);
    print_export(variable, path.s);
    buf_free(&path);
}

/* A file that was measured may be there already. */
static void tell_copy(int server, const char *output)
{
    struct buf path = {NULL, 0, 0}, line = {NULL, 0, 0};
    buf_add_absolute(&path, output);
    quote(&line, path.s, '*');
    note("%s has no variable for files of the block GEMM (N=..,K=..): copy them into %s of its "
         "package",
         called[server], packages[server]);
    fprintf(stderr,
            "  cp -n %s/N=*.json \"$(python3 -c 'import sysconfig; "
            "print(sysconfig.get_path(\"purelib\"))')/%s/\"\n",
            line.s, packages[server]);
    buf_free(&path);
    buf_free(&line);
}

void triton_files_tell(const struct triton_files *files, const char *output)
{
    if (files->has[TRITON_VLLM][TRITON_MOE]) {
        note("vLLM looks there before it looks into its own folder:");
        print_folder("VLLM_TUNED_CONFIG_FOLDER", output);
    }
    if (files->has[TRITON_SGLANG][TRITON_MOE]) {
        note("SGLang looks there in place of its own folder, so copy what is needed of that:");
        print_folder("SGLANG_MOE_CONFIG_DIR", output);
    }
    for (int i = 0; i < TRITON_N_SERVERS; i++)
        if (files->has[i][TRITON_BLOCK_GEMM])
            tell_copy(i, output);
}
