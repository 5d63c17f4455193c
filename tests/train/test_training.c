/* test_training.c - what kpred-train train and eval tell, write, keep and refuse
   SPDX-License-Identifier: MIT

   The steps are in tests/train/training.cases; here is what needs more than a line. */
#define _XOPEN_SOURCE 700
#include "data/sample.h"
#include "steps.h"
#include "train/additive_net.h"
#include "train/recipe.h"

#include <math.h>

/* ---- files ---- */

/* The first time it looks; then the folder has the same files, and these are what they were. */
static void what_is_there(void)
{
    static struct buf seen;
    if (seen.n == 0)
        buf_puts(&seen, files_in("."));
    CHECK_TEXT(files_in("."), seen.s);
    CHECK(same_files("rowsum.spec", "spec.kept") && same_files("rowsum.csv", "csv.kept"));
    CHECK(same_files("m.h", "m.kept") && same_files("m.f32", "f32.kept"));
}

static void read_only_folder(void)
{
    if (geteuid() == 0)
        test_skip("root may write everywhere");
    else
        RAN_CHECK(refused(1, "locked/a.h",
                          "kpred-train train rowsum.spec --data none.csv -o locked/a.h"));
}

static void databases(void)
{
    if (!HAS_SAMPLES)
        no_samples();
    else
        CHECK(make_samples(in_root("tests/fixtures")) == 0);
}

/* ---- what training tells ---- */

/* The probability that kpred prints for one row of rowsum.csv, "gpu,rows,cols,threads,unroll" */
static double probability(const char *row)
{
    char gpu[32];
    int rows, cols, threads, unroll;
    double p = 0;
    if (sscanf(row, "%31[^,],%d,%d,%d,%d", gpu, &rows, &cols, &threads, &unroll) != 5
        || RAN("kpred predict m.h gpu=%s rows=%d cols=%d -k 9 --csv", gpu, rows, cols) != 0)
        return 0;
    const char *line = strstr(program.out.s, say(",%d,%d\n", threads, unroll));
    while (line != NULL && line > program.out.s && line[-1] != '\n')
        line--;
    return line != NULL && sscanf(line, "%*d,%lf", &p) == 1 ? p : 0;
}

/* The loss that training told of the rows that eval says were kept, in bits */
static void loss_of_kept_rows(void)
{
    static struct buf hits, rows;
    double bits = 0, told = -1;
    int n = 0, at;
    RAN_CHECK(RAN("kpred-train train rowsum.spec --data rowsum.csv --threads 1 -o m.h") == 0);
    sscanf(between(program.err.s, "trained on, ", " on those"), "%lf", &told);
    CHECK(has(program.err.s, " on those kept for testing; guessing costs 3.170\n"));
    RAN_CHECK(RAN("kpred-train eval m.h --data rowsum.csv --hits hits.csv") == 0);
    buf_puts(&hits, below_heading(text_of("hits.csv")));
    for (char *p = hits.s, *hit; (hit = next_line(&p)) != NULL; n++) {
        const char *behind_key = strrchr(hit, '"');
        rows.n = 0;
        buf_puts(&rows, text_of("rowsum.csv"));
        char *q = rows.s;
        const char *row = next_line(&q);
        if (behind_key != NULL && sscanf(behind_key, "\",%d,", &at) == 1)
            while (at-- > 0 && row != NULL)
                row = next_line(&q);
        bits -= log2(probability(row != NULL ? row : ""));
    }
    CHECK_EQ(n, 46);
    CHECK(fabs(bits / n - told) < 0.003);
}

/* How many rows a header says it was made of, kept ones too */
static long used(const char *header)
{
    long trained = 0, kept = 0;
    const char *at = strstr(text_of(header), "\n   net ");
    sscanf(at != NULL ? at : "", "%*[^;]; %ld rows to train, %ld kept", &trained, &kept);
    return trained + kept;
}

/* Rows with another tuple for a problem that is there count too. */
static void rows_used(void)
{
    static struct buf copies;
    long n_other = 0;
    buf_puts(&copies, text_of("copies.csv"));
    for (char *at = copies.s, *line; (line = next_line(&at)) != NULL;)
        n_other += !has_line(text_of("others.csv"), line);
    CHECK(n_other > 5
          && has(program.err.s, say(": dropped %ld rows: another says the same\n", 24 - n_other)));
    CHECK_EQ(used("other.h"), used("small.h") + n_other);
}

/* alone.f32 has the first teacher in the network's place, same.f32 the network and it twice. */
static void put_teachers(void)
{
    static struct net nets[RECIPE_MAX_NETS];
    size_t n = 0;
    uint64_t id = 0;
    REQUIRE(net_load(nets, RECIPE_MAX_NETS, "small.f32", &n, &id) == 0 && n > 2);
    const struct net same[] = {nets[0], nets[1], nets[1]};
    FILE *f = fopen("alone.f32", "wb"), *g = fopen("same.f32", "wb");
    REQUIRE(f != NULL && g != NULL);
    net_save(nets + 1, 1, id, f);
    net_save(same, 3, id, g);
    CHECK(fclose(f) == 0 && fclose(g) == 0);
    for (size_t i = 0; i < n; i++)
        net_free(&nets[i]);
}

int main(int argc, char **argv)
{
    static const struct step_call calls[] = {{"what is there", what_is_there},
                                             {"a folder that is read only", read_only_folder},
                                             {"databases", databases},
                                             {"the loss on the rows kept", loss_of_kept_rows},
                                             {"rows that are used", rows_used},
                                             {"teachers put in place", put_teachers},
                                             {NULL, NULL}};
    return argc == 1 ? run_steps("tests/train/training.cases", argv[0], calls) : 2;
}
