/* test_entries.c - kpred miopen of all models: entries, which are what predict says; long logs
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"
#include "model/model.h"

#include <sys/resource.h>

/* How MIOpen logs a call: behind this stand the operation and its options. */
#define DRIVER "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver "

/* A model of perf-dbs, with its GPUs in `gpu` */
struct perf_model {
    struct model model;
    const char *name, *solver;
    const kpred_field *gpu;
};

static struct perf_model models[32];
static size_t n_models;

static void open_models(void)
{
    for (const struct builtin *b = builtins; b->model != NULL && n_models < COUNT(models); b++) {
        struct perf_model *m = &models[n_models];
        if (model_open(b->model->name, &m->model) != 0)
            program_stop(b->model->name);
        m->name = b->model->name;
        m->solver = m->model.spec->solver;
        for (size_t i = 0; i < m->model.m.n_fields; i++)
            if (strcmp(m->model.m.fields[i].name, "gpu") == 0)
                m->gpu = &m->model.m.fields[i];
        if (m->model.spec->format == SPEC_MIOPEN && m->gpu != NULL)
            n_models++;
        else
            model_free(&m->model);
    }
}

/* By its spec's list of architectures */
static int runs_on(const struct perf_model *m, const char *gpu)
{
    const char *const *arch = m->model.m.runs_on;
    while (*arch != NULL && strncmp(gpu, *arch, strlen(*arch)) != 0)
        arch++;
    return *arch != NULL;
}

/* What ingest says of a file of entries, without the heading; "" where it fails */
static const char *ingested(const char *model, const char *path, const char *gpu)
{
    const char *rows = "";
    if (RAN("kpred-train ingest %s/weights/%s.spec --data %s --gpu %s", program.root, model, path,
            gpu)
        == 0)
        rows = strchr(program.out.s, '\n');
    return rows != NULL && *rows != '\0' ? rows + 1 : "";
}

#define SHAPE "-n 16 -c 64 -H 28 -W 28 -k 128 "

/* Is what predict says of a row's problem what stands behind its fields? */
static int is_as_predicted(const struct perf_model *m, char *row, int beam)
{
    struct buf *fields = new_text();
    for (size_t i = 0; i < m->model.m.n_fields; i++) {
        const size_t n = strcspn(row, ",");
        buf_printf(fields, "%s=%.*s ", m->model.m.fields[i].name, (int)n, row);
        row += n + (row[n] == ',');
    }
    RAN("kpred predict %s %s --csv --beam %d", m->name, fields->s, beam);
    const char *line = strchr(program.out.s, '\n');
    for (int i = 0; i < 2 && line != NULL; i++)
        line = strchr(line + 1, ',');
    return program.status == 0 && line != NULL && strlen(line + 1) == strlen(row) + 1
           && strncmp(line + 1, row, strlen(row)) == 0;
}

/* Read back, each entry of its solver is a row, and the first eight are what predict says. */
static int answers(const struct perf_model *m, const char *path, const char *gpu, int beam)
{
    const size_t n = count_of(text_of(path), say("%s:", m->solver));
    char *text = new_copy(ingested(m->name, path, gpu)), *at = text, *row;
    int same = n > 0 && count_lines(text) == n;
    for (int i = 0; i < 8 && same && (row = next_line(&at)) != NULL; i++)
        same = is_as_predicted(m, row, beam);
    return same;
}

/* No entry of its solver is written, and predict refuses. */
static int is_silent(const struct perf_model *m, const char *path, const char *gpu)
{
    return !has(text_of(path), say("%s:", m->solver))
           && RAN("kpred predict %s gpu=%s", m->name, gpu) != 0
           && has(program.err.s, say("gpu: value \"%s\": ", gpu))
           && has(program.err.s, " runs only on ")
           && !has(strstr(program.err.s, " runs only on "), gpu);
}

static void every_model(void)
{
    put_text("log", DRIVER "conv " SHAPE "-y 3 -x 3 -p 1 -q 1 -F 0\n" DRIVER "conv " SHAPE
                           "-y 1 -x 1 -F 0\n" DRIVER "convfp16 " SHAPE "-y 1 -x 1 -F 0\n");
    for (size_t i = 0; i < n_models; i++)
        for (int32_t t = 0; t < models[i].gpu->n_tokens; t++)
            for (int beam = 1; beam <= 10; beam += 9) {
                const char *gpu = models[i].gpu->tokens[t];
                const char *path = say("%s-%d.txt", gpu, beam);
                if (!is_there(path))
                    RAN("kpred miopen --gpu %s --beam %d resnet50.log mobilenet.log log > %s", gpu,
                        beam, path);
                RAN_CASE(runs_on(&models[i], gpu) ? answers(&models[i], path, gpu, beam)
                                                  : is_silent(&models[i], path, gpu),
                         say("%s, %s, beam %d", models[i].name, gpu, beam));
            }
}

/* The solvers that the messages name for the nearest GPU, each between commas */
static void add_told(struct buf *told)
{
    char *at = program.err.s, *line;
    told->n = 0;
    buf_puts(told, ",");
    while ((line = next_line(&at)) != NULL)
        if ((line = strstr(line, "nearest trained GPU, ")) != NULL
            && (line = strstr(line, ", for ")) != NULL)
            for (char *name = strtok(line + 6, ", "); name != NULL; name = strtok(NULL, ", "))
                buf_printf(told, "%s,", name);
}

/* The solvers with an entry for a GPU are among those whose spec says that they run there, and each
   GPU that is taken for it is named with them. */
static int is_nearest_of_all(const char *gpu)
{
    struct buf *told = new_text();
    size_t n_run = 0, n_printed = 0;
    int agree = RAN("kpred miopen --gpu %s --nearest resnet50.log log", gpu) == 0;
    add_told(told);
    for (size_t i = 0; i < n_models; i++) {
        const int runs = runs_on(&models[i], gpu);
        agree = agree && has(told->s, say(",%s,", models[i].solver)) == runs;
        const int printed = has(program.out.s, say("%s:", models[i].solver));
        agree = agree && printed <= runs;
        n_run += (size_t)runs;
        n_printed += (size_t)printed;
    }
    return agree && n_printed > 0 && count_of(told->s, ",") == n_run + 1;
}

static int names_all_gpus(const char *gpu)
{
    int all = RAN("kpred miopen --gpu %s log", gpu) != 0;
    for (size_t i = 0; i < n_models; i++)
        for (int32_t t = 0; t < models[i].gpu->n_tokens; t++)
            all = all && has(program.err.s, say(" %s", models[i].gpu->tokens[t]));
    return all;
}

static void gpus(void)
{
    RAN_CASE(is_nearest_of_all("gfx908"), "--nearest of all models, gfx908");
    RAN_CASE(is_nearest_of_all("gfx90a"), "--nearest of all models, gfx90a");
    RAN_CASE(is_nearest_of_all("gfx1030_72"), "--nearest of all models, gfx1030_72");
    RAN_CASE(names_all_gpus("gfx90a"), "a GPU that no model knows: the GPUs of all, gfx90a");
    RAN_CASE(names_all_gpus("gfx1030_72"),
             "a GPU that no model knows: the GPUs of all, gfx1030_72");
}

/* An image of more than 2^24, which a pad may make, has no key that can be read again. */
static int is_image(long h, int covered, const char *option, const char *path)
{
    const char *counts = say(": %d covered, %d not; %d problem", covered, 1 - covered, covered);
    put_text("log", DRIVER "conv -n 1 -c 32 -k 32 -y 1 -x 1 -H %ld -W 1 -p 1 -F 4\n", h);
    return RAN("kpred miopen --gpu gfx906_60 %s %s log", option, path) == 0
           && has(program.err.s, counts)
           && (covered || has(program.err.s, "out_h = 16777218 (it must be 1 to 16777216)"));
}

static int is_row(long h, const char *path)
{
    return begins(ingested("conv_hip_igemm_v4r1_wrw", path, "gfx906_60"),
                  say("gfx906_60,W,FP32,NCHW,1,32,%ld,1,32,", h));
}

static void large_images(void)
{
    RAN_CHECK(is_image(16777214, 1, "-o", "large.txt") && is_row(16777214, "large.txt"));
    RAN_CHECK(is_image(16777216, 0, "-o", "larger.txt"));
}

static void large_images_in_sqlite(void)
{
    NEEDS("SQLITE");
    RAN_CHECK(is_image(16777214, 1, "--sqlite", "large.db") && is_row(16777214, "large.db"));
    RAN_CHECK(is_image(16777216, 0, "--sqlite", "larger.db"));
}

/* Processor seconds that all programs took so far, and the KB that one of them took at most */
static double programs_took(long *kb)
{
    struct rusage r;
    if (getrusage(RUSAGE_CHILDREN, &r) != 0)
        program_stop("getrusage");
    *kb = r.ru_maxrss;
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec)
           + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* Reads the calls of all networks again and again. */
static void read_long(int n)
{
    const char *all = text_of(in_root("tests/fixtures/networks.log"));
    FILE *f = fopen("long", "wb");
    for (int i = 0; f != NULL && i < n; i++)
        fprintf(f, "%sstep %d: loss 0.5, 12 ms\n", all, i);
    CHECK(f != NULL && fclose(f) == 0);
    RAN_CHECK(RAN("kpred miopen --gpu gfx906_60 long") == 0);
}

/* A log of 1,000 lines and one of 300,000 give the same; how long it is costs no memory. */
static void long_logs(void)
{
    long few, many;
    read_long(2);
    char *output = new_copy(program.out.s);
    const double from = programs_took(&few);
    read_long(530);
    RAN_CHECK(strcmp(program.out.s, output) == 0);
    RAN_CHECK(programs_took(&many) - from < 20 && many - few < 2048); /* KB */
}

int main(void)
{
    if (builtins[0].model == NULL) {
        skip_case("all", "the weights are not there (make weights)");
        return test_end();
    }
    program_begin();
    RAN("/usr/bin/env awk '/^# / { name = $2; next } /^[^0-9]/ { print >(name \".log\") }' %s",
        in_root("tests/fixtures/networks.log"));
    RUN(long_logs); /* before any other program takes memory */
    open_models();
    every_model();
    gpus();
    RUN(large_images);
    RUN(large_images_in_sqlite);
    while (n_models > 0)
        model_free(&models[--n_models].model);
    return program_end();
}
