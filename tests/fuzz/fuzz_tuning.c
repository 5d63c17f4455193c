/* fuzz_tuning.c - the files of a tuning: its problems, its results, and full tables to replay
   SPDX-License-Identifier: MIT

   The first byte says what the file is. */
#include "fuzz.h"
#include "specs.h"

#include "tune/full_rows.h"
#include "tune/join.h"
#include "tune/problems.h"
#include "tune/results.h"

static void read_problems(const struct spec *spec, const char *path)
{
    struct problems p;
    if (problems_read(path, spec, &p) == 0) {
        FUZZ_REACHED("problems");
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
    if (results_open(&r, path, spec, "tune") != 0)
        return;
    while (results_next(r, problem, &at, &one)) {
        FUZZ_REACHED("a result");
        FUZZ_CHECK(one.time > 0 && one.value[0] < 3 && one.value[1] < 3);
    }
    const size_t n = results_count(r);
    const int added = results_append(r, problem, value, &a) == 0;
    results_close(r);
    FUZZ_CHECK(results_open(&r, path, spec, "tune") == 0);
    FUZZ_CHECK(results_count(r) >= n && results_count(r) <= n + (size_t)added);
    results_close(r);
}

static void read_full(const struct spec *spec, const char *path)
{
    struct full_table t;
    const int is_read = full_table_read(&t, path, spec, NULL) == 0;
    if (is_read && ends_with(path, ".json"))
        FUZZ_REACHED("a full table in JSON");
    else if (is_read)
        FUZZ_REACHED("a full table in CSV");
    full_table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct spec spec;
    if (size == 0)
        return 0;
    FUZZ_CHECK(spec_parse(&spec, SPEC_TIMED, "fuzz.spec") == 0);
    const char *path = fuzz_file(*data == 'j' ? "table.json" : "table.csv", data + 1, size - 1);
    switch (*data) {
    case 'p': read_problems(&spec, path); break;
    case 'r': read_results(&spec, path); break;
    default: read_full(&spec, path);
    }
    spec_free(&spec);
    return 0;
}
