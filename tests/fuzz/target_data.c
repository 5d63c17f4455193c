/* target_data.c - fuzz targets of files of tuning data, with and without a spec, and of a tuning
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "aiter/kernel_list.h"
#include "survey/init.h"
#include "tune/full_table.h"
#include "tune/loop.h"

/* ---- data files: by a spec of that name, from a file of that name ---- */

#define ROWS_TARGET(target, spec, file)        \
    FUZZ_TARGET(target)                        \
    {                                          \
        if (fuzz_load(spec, file, data, size)) \
            FUZZ_REACHED(target, "rows");      \
    }
ROWS_TARGET(csv, "best", "best.csv")
ROWS_TARGET(timed, "timed", "timed.csv")
ROWS_TARGET(tensile, "tensile", "table.csv")
ROWS_TARGET(tuner, "timed", "gfx906_60.json") /* of other tuners */
ROWS_TARGET(aiter_rows, "aiter", "a8w8_blockscale_tuned_gemm.csv")
ROWS_TARGET(triton, "triton", "E=8,N=64,device_name=NVIDIA_H100,block_shape=[64,64].json")
ROWS_TARGET(triton_table, "triton", "configs.csv")
ROWS_TARGET(find_db, "find_db", "gfx906_60.HIP.fdb.txt")
ROWS_TARGET(sqlite, "miopen", "gfx906_60.db")

FUZZ_TARGET(perf_db)
{
    cut_channels = 1;
    if (fuzz_load("miopen", "gfx906_60.cd.pdb.txt", data, size))
        FUZZ_REACHED(perf_db, "rows");
    cut_channels = 0;
}

/* The first byte says which program packed it. */
FUZZ_TARGET(packed)
{
    const int by_gzip = fuzz_kind(&data, &size) % 2;
    const int rows = fuzz_load("best", by_gzip ? "best.csv.gz" : "best.csv.bz2", data, size);
    if (rows && by_gzip)
        FUZZ_REACHED(packed, "rows by gzip");
    else if (rows)
        FUZZ_REACHED(packed, "rows by bzip2");
}

/* ---- kpred-train init: what it writes is a spec that loads ---- */

/* Which columns of a table are fields, or which GPU a tuner's file is of */
static void say_more(struct survey_asked *asked, int is_csv)
{
    if (!is_csv) {
        asked->gpu = "gfx906_60";
        return;
    }
    intern_text(&asked->fields, "m");
    intern_text(&asked->fields, "n");
}

/* The first byte says how the file's name ends, and whether the command line says what files often
   lack. */
FUZZ_TARGET(init)
{
    struct init in = {.asked = {.output = "own.spec", .gpu = NULL}};
    struct init_spec made;
    struct spec spec;
    const int kind = fuzz_kind(&data, &size), is_csv = kind % 2;
    const char *path = fuzz_file(is_csv ? "own.csv" : "own.json", data, size);
    const struct opt_texts files = {1, &path};
    in.asked.files = &files;
    if (kind / 2 % 2)
        say_more(&in.asked, is_csv);
    if (init_make(&in, &made) == 0) {
        FUZZ_CHECK(spec_parse(&spec, made.text.s, "own.spec") == 0);
        if (is_csv)
            FUZZ_REACHED(init, "a spec for CSV");
        else
            FUZZ_REACHED(init, "a spec for JSON");
        spec_free(&spec);
    }
    init_free(&made);
    intern_free(&in.asked.fields);
}

/* ---- kpred-train kernels: lists and tables of AITER's kernels ---- */

static void write_and_parse(const struct kernel_list *list)
{
    struct spec spec;
    FILE *f = fuzz_open();
    kernel_list_write(list, f);
    struct buf text = fuzz_close(f);
    if (spec_parse(&spec, text.s, "new.spec") == 0) {
        FUZZ_REACHED(kernel_list, "a spec");
        spec_free(&spec);
    }
    buf_free(&text);
}

FUZZ_TARGET(kernel_list)
{
    const char *path = fuzz_file("a8w8_blockscale_tuned_gemm.csv", data, size);
    struct kernel_list list;
    if (kernel_list_open(&list, fuzz_spec("aiter")) == 0 && kernel_list_read(&list, &path, 1) == 0
        && kernel_list_finish(&list) == 0)
        write_and_parse(&list);
    kernel_list_free(&list);
}

/* ---- the files of a tuning: its problems, its results, and full tables to replay ---- */

static void read_problems(const struct spec *spec, const char *path)
{
    struct problems p;
    if (problems_read(path, spec, 1, &p) == 0) {
        FUZZ_REACHED(tuning, "problems");
        problems_free(&p);
    }
}

static void read_results(const struct spec *spec, const char *path)
{
    struct results *r;
    struct result one;
    const int32_t problem[] = {0, 0, 16, 64};
    const uint16_t value[] = {0, 1};
    const struct answer a = {.outcome = OUTCOME_TIME, .us = 3};
    size_t at = 0;
    if (results_open(&r, path, spec, "tune", 0) != 0)
        return;
    while (results_next(r, problem, &at, &one)) {
        FUZZ_REACHED(tuning, "a result");
        FUZZ_CHECK(one.time > 0 && one.value[0] < 3 && one.value[1] < 3);
    }
    const size_t n = results_count(r);
    const int added = results_append(r, problem, value, &a) == 0;
    results_close(r, 0);
    FUZZ_CHECK(results_open(&r, path, spec, "tune", 0) == 0);
    FUZZ_CHECK(results_count(r) >= n && results_count(r) <= n + (size_t)added);
    results_close(r, 0);
}

static void read_full(const struct spec *spec, const char *path)
{
    struct full_table t;
    const int is_read = full_table_read(&t, path, spec, NULL) == 0;
    if (is_read && ends_with(path, ".json"))
        FUZZ_REACHED(tuning, "a full table in JSON");
    else if (is_read)
        FUZZ_REACHED(tuning, "a full table in CSV");
    full_table_free(&t);
}

/* The first byte says what the file is. */
FUZZ_TARGET(tuning)
{
    const int kind = fuzz_kind(&data, &size);
    const char *path = fuzz_file(kind == 'j' ? "table.json" : "table.csv", data, size);
    switch (kind) {
    case 'p': read_problems(fuzz_spec("timed"), path); break;
    case 'r': read_results(fuzz_spec("timed"), path); break;
    default: read_full(fuzz_spec("timed"), path);
    }
}
