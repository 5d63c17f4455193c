/* test_unseen.c - [unseen]: what is learnt for GPUs on which nothing was measured
   SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/sample.h"
#include "harness/cases.h"
#include "harness/specs.h"

enum { GPUS = 4, NAMES = 3, OPTIONS = 24, PROBLEMS = 4 };

static const char *const gpus[GPUS + NAMES] = {
    "gfx90a6e", "gfx1032_14", "gfx1100_30", "A100-PCIE-40GB", "amd", "nvidia", "rdna"};
static const char spec_text[] =
    "[kernel]\nname = k_unseen\n[data]\nformat = timed\n[fields]\nn = size\n"
    "gpu = gfx90a6e gfx1032_14 gfx1100_30 A100-PCIE-40GB amd nvidia rdna\nm = size\n[unseen]\n"
    "amd = gfx1032_14 gfx1100_30 gfx90a6e\nnvidia = A100-PCIE-40GB\nrdna = gfx1032_14 gfx1100_30\n"
    "[params]\ntile = 8 16 32 64\nunroll = 1 2 4\npad = 0 1\n[split]\nconfig = n,m\n"
    "[features]\nonehot gpu\nhats n 1 1 4\n";
/* Which GPUs each name is for, and how much each one counts for it: fully, half as a GPU of a wider
   name that has all of this one's, and hardly */
static const double weights[NAMES][GPUS] = {{1, 1, 1, .05}, {.05, .05, .05, 1}, {.5, 1, 1, .05}};

/* Times by problem, GPU and option; 0: there is none */
static double measured[PROBLEMS][GPUS + NAMES][OPTIONS];

/* Some GPUs lack a problem or an option. */
static void put_table(uint64_t seed)
{
    struct buf *b = new_text();
    buf_puts(b, "n,gpu,m,tile,unroll,pad,time_us\n");
    memset(measured, 0, sizeof measured);
    for (int p = 0; p < PROBLEMS; p++)
        for (int g = 0; g < GPUS; g++) {
            if (g > 0 && test_between(&seed, 0, 9) < 3)
                continue;
            for (int o = 0; o < OPTIONS; o++)
                if (test_between(&seed, 0, 99) < 85) {
                    measured[p][g][o] = test_between(&seed, 16, 144) / 16.0;
                    buf_printf(b, "%d,%s,%d,%d,%d,%d,%.4f\n", p < 2 ? 3 : 70, gpus[g],
                               p % 2 ? 9 : 5, 8 << o / 6, 1 << o / 2 % 3, o % 2, measured[p][g][o]);
                }
        }
    put_bytes("table.csv", b->s, b->n);
}

/* In how many parameters do they differ? */
static int distance(int a, int b)
{
    return (a / 6 != b / 6) + (a / 2 % 3 != b / 2 % 3) + (a % 2 != b % 2);
}

/* One after the other the best option is taken, which makes its neighbours worse. */
static void spread(double *speed)
{
    static const double losses[] = {1, .1, .03, .009};
    double loss[OPTIONS] = {0};
    int taken[OPTIONS] = {0};
    for (int i = 0; i < OPTIONS; i++) {
        int best = -1;
        for (int o = 0; o < OPTIONS; o++)
            if (!taken[o] && speed[o] > 0
                && (best < 0 || speed[o] * (1 - loss[o]) > speed[best] * (1 - loss[best])))
                best = o;
        if (best < 0)
            break;
        taken[best] = 1;
        for (int o = 0; o < OPTIONS; o++)
            if (!taken[o] && loss[o] < losses[distance(o, best)])
                loss[o] = losses[distance(o, best)];
    }
    for (int o = 0; o < OPTIONS; o++)
        speed[o] *= 1 - loss[o];
}

/* The times of a name, from those of the GPUs */
static void learn(int p, int name)
{
    double speed[OPTIONS] = {0}, whole = 0;
    int is_asked = 0;
    for (int g = 0; g < GPUS; g++) {
        double best = 0;
        for (int o = 0; o < OPTIONS; o++)
            if (measured[p][g][o] > 0 && (best == 0 || measured[p][g][o] < best))
                best = measured[p][g][o];
        whole += best > 0 ? weights[name][g] : 0;
        is_asked |= best > 0 && weights[name][g] == 1;
        for (int o = 0; o < OPTIONS; o++)
            speed[o] +=
                best > 0 && measured[p][g][o] > 0 ? weights[name][g] * best / measured[p][g][o] : 0;
    }
    spread(speed);
    for (int o = 0; o < OPTIONS; o++)
        if (is_asked && speed[o] > 0)
            measured[p][GPUS + name][o] = whole / speed[o];
}

/* The rows are sorted, and those are all of them. */
static void check_rows(const struct dataset *d)
{
    size_t n = 0;
    int last = -1;
    for (int p = 0; p < PROBLEMS; p++)
        for (int g = 0; g < GPUS + NAMES; g++)
            for (int o = 0; o < OPTIONS; o++)
                n += measured[p][g][o] > 0;
    CHECK_EQ(d->n, n);
    for (size_t i = 0; i < d->n; i++) {
        const int32_t *row = d->problem + 3 * i;
        const unsigned char *t = d->target + 3 * i;
        const int has_70 = row[0] == 70, has_9 = row[2] == 9, o = t[0] * 6 + t[1] * 2 + t[2];
        const double off = d->time_us[i] / measured[2 * has_70 + has_9][row[1]][o] - 1;
        CHECK(off < 1e-9 && off > -1e-9);
        const int rank = ((has_70 * (GPUS + NAMES) + row[1]) * 2 + has_9) * OPTIONS + o;
        CHECK(rank > last);
        last = rank;
    }
}

static void rows_of_names(void)
{
    static const char *const path = "table.csv";
    const struct data_options how = {0};
    const struct spec *spec = spec_of(spec_text);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct dataset d;
        put_table(seed);
        REQUIRE(data_load(readers, spec, &path, 1, &how, &d) == 0);
        check_rows(&d);
        CHECK(unseen_rows_add(spec, &d) == 0);
        for (int p = 0; p < PROBLEMS; p++)
            for (int name = 0; name < NAMES; name++)
                learn(p, name);
        check_rows(&d);
        data_free(&d);
    }
}

/* ---- the command line ---- */

/* predict --nearest takes that token for a GPU that the model lacks. */
static void takes(const char *token, const char *gpu)
{
    RAN_CASE(RAN("kpred predict k.h n=5 m=5 'gpu=%s' --nearest", gpu) == 0
                 && lines_like(program.err.s, say(" %s( [(]the same .*)?$", token)) == 1,
             say("%s is %s", gpu, token));
}

static void command_lines(void)
{
    put_text("k.spec", "%s", spec_text);
    RUNS("kpred-train train k.spec --data table.csv --split none --epochs 2 -o k.h");
    takes("rdna", "RX 6800");
    takes("amd", "MI300X");
    takes("nvidia", "NVIDIA H100 PCIe");
    takes("nvidia", "NVIDIA A30");
    takes("amd", "AMD Radeon Graphics");
    takes("gfx90a6e", "gfx90a68");
    takes("A100-PCIE-40GB", "NVIDIA A100-SXM4-80GB");
    RAN_CASE(same_output("kpred predict k.h n=5 m=5 gpu=amd -k 9",
                         "kpred predict k.h n=5 m=5 gpu=MI300X --nearest -k 9"),
             "the name itself can be asked for");
    REFUSES("without --nearest it is offered", 1, "--nearest would take rdna",
            "kpred predict k.h n=5 m=5 'gpu=RX 6800'");
    edited("table.csv", "new.csv", "s/A100-PCIE-40GB/gfx1201_20/");
    RAN_CASE(RAN("kpred-train eval k.h --data new.csv --rows all --nearest --csv") == 0
                 && has(program.out.s, ",rdna,"),
             "eval --nearest");
}

static void bad_specs(void)
{
    static const char *const rows[][2] = {
        {"s/^amd =/amdd =/", "10:1: [unseen]: \"amdd\": is not a token of"},
        {"s/^amd = .*/amd = gfx1/", "10:7: [unseen]: \"gfx1\": is not a token of"},
        {"s/^rdna = /rdna = amd /",
         "12:1: [unseen]: \"amd\": is a name of this section, not a GPU"},
        {"s/^rdna = /amd = /", "12:1: [unseen]: \"amd\": is given twice"},
        {"s/^amd = .*/amd =/", "10:6: [unseen]: \"amd =\": names no GPU"},
        {"s/^amd = .*/amd gfx90a6e/", "10:5: [unseen]: \"amd gfx90a6e\": is not of the form"},
        {"s/= timed/= csv/", "9: [unseen]: is for data with times"},
        {"s/^gpu =/device =/; s/onehot gpu/onehot device/",
         "9: [unseen]: the spec has no field gpu"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CASE(edited("k.spec", "bad.spec", rows[i][0]), "a spec with %s", rows[i][0]);
        REFUSES(rows[i][1], 1, say("bad.spec:%s", rows[i][1]),
                "kpred-train train bad.spec --data table.csv --split none --epochs 1 -o bad.h");
    }
    CASE(!is_there("bad.h"), "nothing is written");
}

int main(void)
{
    program_begin();
    program_name = "test_unseen";
    test_run("what the names learn from three tables", rows_of_names);
    command_lines();
    bad_specs();
    return program_end();
}
