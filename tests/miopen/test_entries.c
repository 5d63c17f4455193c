/* test_entries.c - kpred miopen with all models that ship: the entries, read back, and its reasons
   SPDX-License-Identifier: MIT */
#include "logs.h"
#include "model/registry.h"

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
    for (const struct builtin *b = builtins; b->model != NULL && n_models < LENGTH(models); b++) {
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
    struct buf fields = {0};
    for (size_t i = 0; i < m->model.m.n_fields; i++) {
        const size_t n = strcspn(row, ",");
        buf_printf(&fields, "%s=%.*s ", m->model.m.fields[i].name, (int)n, row);
        row += n + (row[n] == ',');
    }
    RAN("kpred predict %s %s --csv --beam %d", m->name, fields.s, beam);
    buf_free(&fields);
    const char *line = strchr(program.out.s, '\n');
    for (int i = 0; i < 2 && line != NULL; i++)
        line = strchr(line + 1, ',');
    return program.status == 0 && line != NULL && strlen(line + 1) == strlen(row) + 1
           && strncmp(line + 1, row, strlen(row)) == 0;
}

/* Read back, each entry of its solver is a row, and the first eight are what predict says. */
static int answers(const struct perf_model *m, const char *path, const char *gpu, int beam)
{
    char entry[96];
    snprintf(entry, sizeof entry, "%s:", m->solver);
    const size_t n = count_of(text_of(path), entry);
    char *text = xstrdup(ingested(m->name, path, gpu)), *at = text, *row;
    int same = n > 0 && count_lines(text) == n;
    for (int i = 0; i < 8 && same && (row = next_line(&at)) != NULL; i++)
        same = is_as_predicted(m, row, beam);
    free(text);
    return same;
}

/* No entry of its solver is written, and predict refuses. */
static int is_silent(const struct perf_model *m, const char *path, const char *gpu)
{
    char entry[96], why[96];
    snprintf(entry, sizeof entry, "%s:", m->solver);
    snprintf(why, sizeof why, "gpu: value \"%s\": ", gpu);
    return !has(text_of(path), entry) && RAN("kpred predict %s gpu=%s", m->name, gpu) != 0
           && has(program.err.s, why) && has(program.err.s, " runs on ");
}

static void every_model(void)
{
    put_text("log", DRIVER "conv " SHAPE "-y 3 -x 3 -p 1 -q 1 -F 0\n" DRIVER "conv " SHAPE
                           "-y 1 -x 1 -F 0\n" DRIVER "convfp16 " SHAPE "-y 1 -x 1 -F 0\n");
    for (size_t i = 0; i < n_models; i++)
        for (int32_t t = 0; t < models[i].gpu->n_tokens; t++)
            for (int beam = 1; beam <= 10; beam += 9) {
                const char *gpu = models[i].gpu->tokens[t];
                char name[128], path[64];
                snprintf(name, sizeof name, "%s, %s, beam %d", models[i].name, gpu, beam);
                snprintf(path, sizeof path, "%s-%d.txt", gpu, beam);
                if (!is_there(path))
                    RAN("kpred miopen --gpu %s --beam %d fixtures/%s log > %s", gpu, beam,
                        "resnet50.log fixtures/mobilenet.log", path);
                RAN_CASE(runs_on(&models[i], gpu) ? answers(&models[i], path, gpu, beam)
                                                  : is_silent(&models[i], path, gpu),
                         name);
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
    struct buf told = {0}, entry = {0};
    size_t n_run = 0, n_printed = 0;
    int agree = RAN("kpred miopen --gpu %s --nearest fixtures/resnet50.log log", gpu) == 0;
    add_told(&told);
    for (size_t i = 0; i < n_models; i++) {
        const int runs = runs_on(&models[i], gpu);
        entry.n = 0;
        buf_printf(&entry, ",%s,", models[i].solver);
        agree = agree && has(told.s, entry.s) == runs;
        entry.n = 0;
        buf_printf(&entry, "%s:", models[i].solver);
        const int printed = has(program.out.s, entry.s);
        agree = agree && printed <= runs;
        n_run += (size_t)runs;
        n_printed += (size_t)printed;
    }
    agree = agree && n_printed > 0 && count_of(told.s, ",") == n_run + 1;
    buf_free(&told);
    buf_free(&entry);
    return agree;
}

static int names_all_gpus(const char *gpu)
{
    char name[80];
    int all = RAN("kpred miopen --gpu %s log", gpu) != 0;
    for (size_t i = 0; i < n_models; i++)
        for (int32_t t = 0; t < models[i].gpu->n_tokens; t++) {
            snprintf(name, sizeof name, " %s", models[i].gpu->tokens[t]);
            all = all && has(program.err.s, name);
        }
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

/* ---- reasons ---- */

#define WIDE "-n 16 -c 64 -H 56 -W 56 -k 256 "
#define NEED "dtype = BF16 (it must be FP32 or FP16); first log:3\n"
#define BIG  "out_h = 16777218 (it must be 1 to 16777216); first log:8\n"

/* Its reasons are these lines alone, behind that of the counts; that of the sizes apart. */
static int is_told(const char *gpu, const char *reasons)
{
    struct buf told = {0};
    RAN("kpred miopen --gpu %s log", gpu);
    char *at = program.err.s, *line = next_line(&at);
    while ((line = next_line(&at)) != NULL)
        if (!ends_with(line, " trained on"))
            buf_printf(&told, "%s\n", line);
    const int same = program.status == 0 && told.n != 0 && strcmp(told.s, reasons) == 0;
    buf_free(&told);
    return same;
}

/* The kernels without a model for the GPU hide no reason of those that have one. */
static void true_reasons(void)
{
    put_text("log",
             DRIVER "conv " WIDE "-F 1\n" DRIVER "conv " WIDE
                    "-I NHWC -f NHWC -O NHWC -F 1\n" DRIVER "convbfp16 " WIDE "-F 1\n" DRIVER
                    "convbfp16 " WIDE "-F 2\n" DRIVER "conv " WIDE "-l 2 -F 1\n" DRIVER
                    "conv -c 64 -k 255 -l 2 -F 4\n" DRIVER "conv -c 64 -k 257 -l 2 -F 4\n" DRIVER
                    "conv -n 1 -c 16 -k 16 -y 1 -x 1 -H 16777216 -W 1 -p 1 -F 4\n");
    RAN_CASE(
        is_told("gfx906",
                "kpred:   1 line: ConvBinWinogradRxSf2x3: dil_h = 2 (it must be 1); first log:5\n"
                "kpred:   1 line: layout = NHWC (it must be NCHW); first log:2\n"
                "kpred:   2 lines: " NEED
                "kpred:   2 lines: ConvHipImplicitGemmV4R1WrW: k / groups = 255 (it must be a "
                "multiple of 16); first log:6\n"
                "kpred:   1 line: ConvBinWinogradRxSf2x3: " BIG),
        "true reasons, gfx906");
    RAN_CASE(is_told("gfx942", "kpred:   2 lines: " NEED
                               "kpred:   1 line: ConvAsmImplicitGemmGTCDynamicWrwXdlopsNHWC: " BIG),
             "true reasons, gfx942");
}

static void winograd(void)
{
    static const struct {
        const char *name, *options;
        int runs; /* both kernels, or none */
    } rows[] = {
        {"Winograd: stride 2", "-n 16 -u 2 -v 2 -F 1", 1},
        {"Winograd: not stride 3", "-n 16 -u 3 -v 3 -F 1", 0},
        {"Winograd: not two strides", "-n 16 -u 1 -v 2 -F 2", 0},
        {"Winograd: not stride 2, backward weights", "-n 16 -u 2 -v 2 -F 4", 0},
        {"Winograd: 65535 images", "-n 65535 -F 1", 1},
        {"Winograd: not 65536 images", "-n 65536 -F 1", 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        put_text("log", DRIVER "conv -c 64 -H 56 -W 56 -k 64 -p 1 -q 1 %s\n", rows[i].options);
        RAN("kpred miopen --gpu gfx942 log");
        const char *first = strstr(program.out.s, "WinogradRxSf2x3:");
        const char *second = strstr(program.out.s, "WinogradRxSf3x2:");
        RAN_CASE(program.status == 0
                     && (rows[i].runs ? first != NULL && first < second
                                      : !has(program.out.s, "WinogradRxSf")),
                 rows[i].name);
    }
}

/* An image of more than 2^24, which a pad may make, has no key that can be read again. */
static int is_image(long h, int covered, const char *option, const char *path)
{
    char counts[64];
    snprintf(counts, sizeof counts, ": %d covered, %d not; %d problem", covered, 1 - covered,
             covered);
    put_text("log", DRIVER "conv -n 1 -c 32 -k 32 -y 1 -x 1 -H %ld -W 1 -p 1 -F 4\n", h);
    return RAN("kpred-train miopen --gpu gfx906_60 %s %s log", option, path) == 0
           && has(program.err.s, counts)
           && (covered || has(program.err.s, "out_h = 16777218 (it must be 1 to 16777216)"));
}

static int is_row(long h, const char *path)
{
    char row[96];
    snprintf(row, sizeof row, "gfx906_60,W,FP32,NCHW,1,32,%ld,1,32,", h);
    return strncmp(ingested("conv_hip_igemm_v4r1_wrw", path, "gfx906_60"), row, strlen(row)) == 0;
}

static void large_images(void)
{
    RAN_CHECK(is_image(16777214, 1, "-o", "large.txt") && is_row(16777214, "large.txt"));
    RAN_CHECK(is_image(16777216, 0, "-o", "larger.txt"));
}

static void large_images_in_sqlite(void)
{
    if (!has_library("SQLITE")) {
        test_skip("kpred-train is built without SQLite");
        return;
    }
    RAN_CHECK(is_image(16777214, 1, "--sqlite", "large.db") && is_row(16777214, "large.db"));
    RAN_CHECK(is_image(16777216, 0, "--sqlite", "larger.db"));
}

int main(void)
{
    program_begin();
    free(put_both());
    open_models();
    every_model();
    gpus();
    true_reasons();
    winograd();
    RUN(large_images);
    RUN(large_images_in_sqlite);
    while (n_models > 0)
        model_free(&models[--n_models].model);
    return program_end();
}
