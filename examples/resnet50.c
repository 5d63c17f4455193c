/* resnet50.c - every convolution of ResNet-50 (batch 32) in all three directions, on two GPUs:
   which of MIOpen's solvers is the fastest, and of each kernel that ships and applies the best
   legal tuple, with its probability. It prints one line for each kernel and GPU; with the argument
   `all` it prints everything, and lines as long as they are. `make demo` runs it, and
   `make demo ALL=1`. */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_1x1u.h"
#include "weights/conv_asm_bwd_wrw_1x1.h"
#include "weights/conv_asm_bwd_wrw_3x3.h"
#include "weights/conv_bin_winograd_rxs_f2x3.h"
#include "weights/conv_bin_winograd_rxs_f3x2.h"
#include "weights/conv_hip_igemm_v4r1_wrw.h"
#include "weights/conv_igemm_gtc_bwd_nhwc.h"
#include "weights/conv_igemm_gtc_fwd_nhwc.h"
#include "weights/conv_igemm_gtc_wrw_nhwc.h"
#include "weights/conv_ocl_direct_fwd_1x1.h"
#include "weights/conv_solver.h"

#include <stdio.h>
#include <string.h>

/* Distinct layers: channels in, image side, filters, filter side, stride */
static const struct layer {
    int32_t c, hw, k, filter, stride;
} layers[] = {
    {3, 224, 64, 7, 2},    {64, 56, 64, 1, 1},    {64, 56, 64, 3, 1},     {64, 56, 256, 1, 1},
    {256, 56, 64, 1, 1},   {256, 56, 128, 1, 1},  {128, 28, 128, 3, 1},   {128, 28, 512, 1, 1},
    {256, 56, 512, 1, 2},  {512, 28, 128, 1, 1},  {512, 28, 256, 1, 1},   {256, 14, 256, 3, 1},
    {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2}, {1024, 14, 256, 1, 1},  {1024, 14, 512, 1, 1},
    {512, 7, 512, 3, 1},   {512, 7, 2048, 1, 1},  {1024, 14, 2048, 1, 2}, {2048, 7, 512, 1, 1},
};

static const struct target {
    const char *product, *gpu, *dtype;
} targets[] = {{"MI50", "gfx906_60", "FP32"}, {"MI300X", "gfx942130", "FP16"}};

/* A side of 0: the filter is a field of its problems. `shown` is how many tuples a line has. */
static const struct kernel {
    const kpred_model *model;
    int32_t filter;
    size_t shown;
} kernels[] = {
    {&kpred_model_conv_solver, 0, 3},
    {&kpred_model_conv_asm_1x1u, 1, 1},
    {&kpred_model_conv_ocl_direct_fwd_1x1, 1, 1},
    {&kpred_model_conv_asm_bwd_wrw_1x1, 1, 1},
    {&kpred_model_conv_asm_bwd_wrw_3x3, 3, 1},
    {&kpred_model_conv_bin_winograd_rxs_f2x3, 0, 1},
    {&kpred_model_conv_bin_winograd_rxs_f3x2, 0, 1},
    {&kpred_model_conv_hip_igemm_v4r1_wrw, 0, 1},
    {&kpred_model_conv_igemm_gtc_fwd_nhwc, 0, 1},
    {&kpred_model_conv_igemm_gtc_bwd_nhwc, 0, 1},
    {&kpred_model_conv_igemm_gtc_wrw_nhwc, 0, 1},
};

enum { BEAM = 10, BATCH = 32, FIRST = 2 }; /* FIRST: of the layers, where not all are printed */
static int32_t arena[8192];

/* A problem's token or size; what the table leaves out is 1, and 0 of padding in depth. */
static int32_t field_of(const kpred_model *m, uint32_t f, const struct target *t,
                        const struct layer *l, const char *dir)
{
    const struct {
        const char *name, *token;
    } tokens[] = {
        {"gpu", t->gpu},
        {"dir", dir},
        {"dtype", t->dtype},
        {"layout", "NCHW"},
    };
    const struct {
        const char *name;
        int32_t size;
    } sizes[] = {
        {"n", BATCH},
        {"c", l->c},
        {"h", l->hw},
        {"w", l->hw},
        {"k", l->k},
        {"y", l->filter},
        {"x", l->filter},
        {"pad_d", 0},
        {"pad_h", l->filter / 2},
        {"pad_w", l->filter / 2},
        {"stride", l->stride},
        {"stride_h", l->stride},
        {"stride_w", l->stride},
    };
    const kpred_field *field = m->fields + f;
    size_t i;
    for (i = 0; field->tokens && i < sizeof tokens / sizeof *tokens; i++)
        if (!strcmp(field->name, tokens[i].name))
            return kpred_token(m, f, tokens[i].token);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(field->name, sizes[i].name))
            return sizes[i].size;
    return 1;
}

/* How many tuples the model gives; 0 too where it is not one for the target, or does not apply. */
static size_t predict(const kpred_model *m, const struct target *t, const struct layer *l,
                      const char *dir, kpred_tuple *best)
{
    int32_t problem[KPRED_MAX_FIELDS];
    kpred_ctx ctx;
    kpred_status status;
    size_t n = 0;
    uint32_t f;
    for (f = 0; f < m->n_fields; f++)
        if ((problem[f] = field_of(m, f, t, l, dir)) < 0)
            return 0;
    status = kpred_init(&ctx, KPRED_VERSION, m, BEAM, arena, sizeof arena / sizeof *arena);
    if (status == KPRED_OK)
        status = kpred_predict(&ctx, problem, m->n_fields, best, BEAM, &n);
    if (status != KPRED_OK && status != KPRED_ERR_NOT_APPLICABLE)
        fprintf(stderr, "%s: %s\n", m->name, kpred_status_string(status));
    return n;
}

/* A line of at most 80 columns: a text, cut where it is longer, and what stands behind it */
static void print_line(const char *text, const char *behind, int all)
{
    const int most = 80 - (int)strlen(behind);
    if (all || (int)strlen(text) <= most)
        printf("%s%s\n", text, behind);
    else
        printf("%.*s...%s\n", most - 3, text, behind);
}

static void print_names(const kpred_model *m, int all)
{
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "%s: ", m->name);
    uint32_t i;
    for (i = 0; i < m->n_params && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "," : "", m->params[i].name);
    print_line(text, "", all);
}

/* A tuple behind `text`, which has n characters of 1024 */
static void print_tuple(const kpred_model *m, const kpred_tuple *t, char *text, size_t n, int all)
{
    char behind[16];
    uint32_t i;
    for (i = 0; i < m->n_params && n < 1024; i++)
        if (m->params[i].names)
            n += (size_t)snprintf(text + n, 1024 - n, "%s%s", i ? "," : "",
                                  m->params[i].names[t->value[i]]);
        else
            n += (size_t)snprintf(text + n, 1024 - n, "%s%d", i ? "," : "", (int)t->value[i]);
    snprintf(behind, sizeof behind, "  %.1f %%", 100.0 * kpred_probability(t->score) / (1 << 24));
    print_line(text, behind, all);
}

/* The best tuples of a kernel for one convolution, a line each */
static void print_tuples(const struct kernel *k, const struct target *t, const struct layer *l,
                         const char *dir, const kpred_tuple *best, size_t n, int all)
{
    size_t i;
    for (i = 0; i < n && i < k->shown; i++) {
        char text[1024];
        const int width =
            snprintf(text, sizeof text, "  %-6s %s %s %4d x %3dx%-3d -> %4d, %dx%d/%d  ",
                     t->product, t->dtype, dir, (int)l->c, (int)l->hw, (int)l->hw, (int)l->k,
                     (int)l->filter, (int)l->filter, (int)l->stride);
        if (i)
            memset(text, ' ', (size_t)width);
        print_tuple(k->model, best + i, text, (size_t)width, all);
    }
}

/* Does the kernel apply to one convolution? Its tuples are printed if they are asked for. */
static int one_convolution(const struct kernel *k, const struct target *t, const struct layer *l,
                           const char *dir, int wanted, int all)
{
    kpred_tuple best[BEAM];
    size_t n;
    if (k->filter && k->filter != l->filter)
        return 0;
    n = predict(k->model, t, l, dir, best);
    if (wanted)
        print_tuples(k, t, l, dir, best, n, all);
    return n > 0;
}

/* Of a kernel and a GPU: the convolutions to which the kernel applies, or one of them. Returns how
   many they are. */
static size_t one_target(const struct kernel *k, const struct target *t, int all)
{
    static const char *const dirs[] = {"F", "B", "W"};
    size_t i, d, applies = 0;
    int wanted = all;
    for (i = 0; i < sizeof layers / sizeof *layers; i++) {
        wanted |= i == FIRST;
        for (d = 0; d < sizeof dirs / sizeof *dirs; d++)
            if (one_convolution(k, t, &layers[i], dirs[d], wanted, all)) {
                applies++;
                wanted = all;
            }
    }
    return applies;
}

int main(int argc, char **argv)
{
    const int all = argc > 1 && !strcmp(argv[1], "all");
    size_t i, answers = 0;
    int bad = 0;
    if (argc > 1 + all) {
        fprintf(stderr, "usage: resnet50 [all]\n");
        return 2;
    }
    printf("The convolutions of ResNet-50, batch %d, on an MI50 (gfx906, 60 compute units)\n"
           "and an MI300X (gfx942, 304, which MIOpen writes gfx942130): GPU, type,\n"
           "direction, channels x image -> filters, filter/stride; the tuple most likely to\n"
           "be the fastest, and its probability; of conv_solver three solvers of MIOpen.\n\n",
           BATCH);
    for (i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        size_t t, n = 0;
        print_names(kernels[i].model, all);
        for (t = 0; t < sizeof targets / sizeof *targets; t++)
            n += one_target(&kernels[i], &targets[t], all);
        bad |= !n;
        answers += n;
    }
    printf("\nThese are %s of %d answers%s.\n"
           "What to do with one: launch the kernel with these values, or time the first ten\n"
           "of `kpred predict` on the GPU and keep the fastest (docs/hip.md). For programs\n"
           "with MIOpen, `kpred miopen` writes a file of tuples (docs/miopen.md).\n",
           all ? "all" : "some", (int)answers, all ? "" : ": `make demo ALL=1` prints all, whole");
    return bad;
}
