/* test_gtc.c - tests of kpred_rule_of_gtc_kernels and of the words it is asked with
   SPDX-License-Identifier: MIT

   The rule is held to a plain statement of what the words say, with loops and divisions, on random
   kernels and problems: for each kernel, and for whether there is one. */
#include "kpred_constraints.h"

#include "harness/test.h"
#include "model/rules.h"

enum { FIELDS = KPRED_CONV2D_FIELD_COUNT, MOST_KERNELS = 5, N_TABLES = 3000, N_PROBLEMS = 30 };

static uint64_t seed = 1;

/* 0..n - 1 */
static int32_t below(int32_t n)
{
    return test_between(&seed, 0, n - 1);
}

static void random_kernels(kpred_gtc_kernels *kernels, uint16_t *words)
{
    kernels->dir = below(KPRED_DIR_COUNT);
    kernels->n = 1 + below(MOST_KERNELS);
    kernels->words = words;
    for (int32_t i = 0; i < kernels->n; i++)
        words[i] = (uint16_t)(below(4) | below(8) << 4 | below(8) << 8);
    gtc_set_least(kernels);
}

/* A multiple of a power of two of up to 2^9 for each group */
static int32_t random_channels(int32_t groups)
{
    return groups * (1 + below(3)) << below(10);
}

static void random_problem(int32_t *p)
{
    const int32_t groups = 1 + below(3), point = below(3);
    for (int f = 0; f < FIELDS; f++)
        p[f] = 1;
    p[KPRED_CONV2D_DIR] = below(KPRED_DIR_COUNT);
    p[KPRED_CONV2D_DTYPE] = below(KPRED_CONV2D_DTYPE_COUNT);
    p[KPRED_CONV2D_H] = 9;
    p[KPRED_CONV2D_W] = 9;
    p[KPRED_CONV2D_PAD_H] = p[KPRED_CONV2D_PAD_W] = 0;
    p[KPRED_CONV2D_GROUPS] = groups;
    p[KPRED_CONV2D_C] = random_channels(groups) + !below(20);
    p[KPRED_CONV2D_K] = random_channels(groups);
    if (!point)
        p[KPRED_CONV2D_Y + below(KPRED_CONV2D_GROUPS - KPRED_CONV2D_Y)]++;
}

static int is_point(const int32_t *p)
{
    int f, point = 1;
    for (f = KPRED_CONV2D_Y; f < KPRED_CONV2D_GROUPS; f++)
        point &= p[f] == (f != KPRED_CONV2D_PAD_H && f != KPRED_CONV2D_PAD_W);
    return point;
}

/* As kpred_gtc_kernels describes a word */
static int takes(uint32_t word, const int32_t *p)
{
    const int32_t c = p[KPRED_CONV2D_C] / p[KPRED_CONV2D_GROUPS];
    const int32_t k = p[KPRED_CONV2D_K] / p[KPRED_CONV2D_GROUPS];
    return (p[KPRED_CONV2D_DTYPE] == KPRED_DTYPE_FP16) == (int)(word & 1)
           && (word & 2 || is_point(p)) && c % (1 << (word >> 4 & 7)) == 0
           && k % (1 << (word >> 8 & 7)) == 0;
}

/* How many kernels take the problem, where the rule says the same of each; else -1. */
static int count_taken(const kpred_gtc_kernels *kernels, const int32_t *p)
{
    int taken = 0, differ = 0;
    for (int32_t v = 0; v < kernels->n; v++) {
        const int takes_it = takes(kernels->words[v], p);
        taken += takes_it;
        differ += takes_it != kpred_rule_of_gtc_kernels(kernels, p, &v, 1);
    }
    return differ ? -1 : taken;
}

static void words_decide(void)
{
    kpred_gtc_kernels kernels;
    uint16_t words[MOST_KERNELS];
    int32_t p[FIELDS];
    int yes = 0, no = 0;
    for (int i = 0; i < N_TABLES; i++) {
        random_kernels(&kernels, words);
        for (int j = 0; j < N_PROBLEMS; j++) {
            random_problem(p);
            const int taken = count_taken(&kernels, p);
            const int possible = p[KPRED_CONV2D_C] % p[KPRED_CONV2D_GROUPS] == 0
                                 && p[KPRED_CONV2D_DTYPE] <= KPRED_DTYPE_FP16
                                 && p[KPRED_CONV2D_DIR] == kernels.dir;
            CHECK(taken >= 0);
            CHECK_EQ(kpred_rule_of_gtc_kernels(&kernels, p, NULL, 0), possible && taken > 0);
            yes += possible && taken > 0;
            no += possible && taken == 0;
        }
    }
    CHECK(yes > 1000 && no > 1000);
}

static void values_beyond(void)
{
    static const int32_t beyond[] = {-1, MOST_KERNELS + 1, INT32_MAX, INT32_MIN};
    kpred_gtc_kernels kernels;
    uint16_t words[MOST_KERNELS];
    int32_t p[FIELDS], v[3] = {0, 0, 0};
    random_kernels(&kernels, words);
    random_problem(p);
    for (size_t i = 0; i < COUNT(beyond); i++)
        CHECK(!kpred_rule_of_gtc_kernels(&kernels, p, &beyond[i], 1));
    for (v[1] = -1; v[1] < 13; v[1]++)
        CHECK_EQ(kpred_rule_of_gtc_kernels(&kernels, p, v, 2), v[1] >= 0 && v[1] <= 10);
    CHECK(!kpred_rule_of_gtc_kernels(&kernels, p, v, 3));
}

#define NAME(dir, type, any, block, merged, vector)                                              \
    dir ",nhwc," type ",0," any ",256,64," block ",32,32,2,1,1,2,2,0,0,*," merged ",0,1," vector \
        ",4,1,1,4,1,64,1,4,1,1,1,4,1,64,0"

static void names(void)
{
    static const struct {
        const char *name;
        int32_t dir;
        int word; /* -1: refused */
    } names[] = {
        {NAME("fwd", "fp32", "1", "16", "0", "4"), KPRED_DIR_F, 0x022},
        {NAME("fwd", "fp16", "0", "16", "0", "8"), KPRED_DIR_F, 0x031},
        {NAME("bwd", "fp16", "1", "32", "0", "4"), KPRED_DIR_B, 0x523},
        {NAME("bwd", "fp32", "0", "32", "1", "4"), KPRED_DIR_B, 0x220},
        {NAME("wrw", "fp32", "1", "16", "0", "4"), KPRED_DIR_W, 0x002},
        {NAME("fwd", "fp32", "0", "16", "0", "128"), KPRED_DIR_F, 0x070},
        {NAME("fwd", "fp32", "0", "16", "0", "256"), KPRED_DIR_F, -1},
        {NAME("bwd", "fp32", "0", "256", "0", "4"), KPRED_DIR_B, -1},
        {NAME("fwd", "bf16", "0", "16", "0", "4"), KPRED_DIR_F, -1},
        {NAME("fwd", "fp32", "0", "16", "0", "4"), KPRED_DIR_B, -1},
        {"fwd,nhwc,fp32,0,1,256,64,16", KPRED_DIR_F, -1},
        {"", KPRED_DIR_F, -1},
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        uint16_t word = 0;
        const int known = gtc_word(names[i].name, names[i].dir, &word);
        CHECK_EQ(known ? word : -1, names[i].word);
    }
}

int main(void)
{
    RUN_ALL(words_decide, values_beyond, names);
    return test_end();
}
