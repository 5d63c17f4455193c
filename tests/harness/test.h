/* test.h - named tests: `ok NAME` or `FAIL NAME: file:line what`, and the counts at the end
   SPDX-License-Identifier: MIT

       static void sums(void) { CHECK(1 + 1 == 2); CHECK_EQ(2 + 2, 4); CHECK_TEXT("a", "a"); }
       int main(void) { RUN(sums); CASE(3 > 2, "%d is more", 3); return test_end(); }

   RUN_ALL(sums, products) runs several. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Of an array's elements */
#define COUNT(a) (sizeof(a) / sizeof *(a))

#define RUN(test)        test_run(#test, test)
#define RUN_ALL(...)     test_run_all(#__VA_ARGS__, (void (*const[])(void)){__VA_ARGS__, 0})
#define CHECK(condition) CHECK_OF(condition, #condition)
/* with what to say in place of the condition */
#define CHECK_OF(condition, what) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, what))
/* A failure ends the test. */
#define REQUIRE(condition)                             \
    do {                                               \
        if (!(condition)) {                            \
            test_fail(__FILE__, __LINE__, #condition); \
            return;                                    \
        }                                              \
    } while (0)
#define CHECK_EQ(got, want) \
    test_equal((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_TEXT(got, want) test_same(got, want, __FILE__, __LINE__, #got)
/* A test that is one condition, with a name made as by printf: is the condition met? */
#define CASE(condition, ...) \
    test_case((condition) != 0, __FILE__, __LINE__, #condition, __VA_ARGS__)

static struct {
    const char *name, *reason; /* of the test that runs: why it was skipped, or NULL */
    int failures;              /* in it */
    int passed, failed, skipped;
} test_now;

/* A test within a test is one of its own: behind it the outer one goes on with what it had. */
static struct {
    const char *name, *reason;
    int failures;
} test_outer[4];
static size_t test_depth;

/* The first failure names the test; three more are shown, the rest only make it fail. */
static inline void test_fail(const char *file, int line, const char *what)
{
    test_now.failures++;
    test_now.failed += test_depth == 0; /* no test would count it */
    if (test_now.failures == 1)
        printf("FAIL %s: %s:%d %s\n", test_depth ? test_now.name : "main", file, line, what);
    else if (test_now.failures <= 4)
        printf("  %s:%d %s\n", file, line, what);
}

static inline void test_equal(long long got, long long want, const char *file, int line,
                              const char *what)
{
    char text[256];
    if (got == want)
        return;
    snprintf(text, sizeof text, "%s is %lld, not %lld", what, got, want);
    test_fail(file, line, text);
}

static inline void test_same(const char *got, const char *want, const char *file, int line,
                             const char *what)
{
    char text[256];
    if (strcmp(got, want) == 0)
        return;
    snprintf(text, sizeof text, "%s is \"%s\", not \"%s\"", what, got, want);
    test_fail(file, line, text);
}

/* Writes a text as some editors do: behind a byte order mark, with lines that end with CRLF. */
static inline void test_put_edited(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    CHECK_OF(f != NULL, path);
    if (f == NULL)
        return;
    fputs("\xef\xbb\xbf", f);
    for (; *text != '\0'; text++)
        fprintf(f, "%s%c", *text == '\n' ? "\r" : "", *text);
    CHECK_OF(fclose(f) == 0, path);
}

/* The test that calls it cannot run here; it returns at once. */
static inline void test_skip(const char *reason)
{
    test_now.reason = reason;
}

static inline void test_start(const char *name)
{
    test_outer[test_depth].name = test_now.name;
    test_outer[test_depth].reason = test_now.reason;
    test_outer[test_depth++].failures = test_now.failures;
    test_now.name = name;
    test_now.reason = 0;
    test_now.failures = 0;
}

static inline void test_stop(void)
{
    const char *name = test_now.name;
    if (test_now.failures)
        test_now.failed++;
    else if (test_now.reason)
        test_now.skipped++, printf("skip %s: %s\n", name, test_now.reason);
    else
        test_now.passed++, printf("ok %s\n", name);
    test_now.name = test_outer[--test_depth].name;
    test_now.reason = test_outer[test_depth].reason;
    test_now.failures = test_outer[test_depth].failures;
    fflush(stdout);
}

static inline void test_run(const char *name, void (*test)(void))
{
    test_start(name);
    test();
    test_stop();
}

/* names: with a comma and a blank behind each but the last one */
static inline void test_run_all(const char *names, void (*const *tests)(void))
{
    for (char name[128]; *tests; tests++) {
        const size_t n = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        test_run(name, *tests);
        names += n + strspn(names + n, ", ");
    }
}

static inline int test_case(int is_met, const char *file, int line, const char *what,
                            const char *format, ...)
{
    char name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    test_start(name);
    if (!is_met)
        test_fail(file, line, what);
    test_stop();
    return is_met;
}

/* The counts. To have tested nothing is a failure: a test that cannot run is skipped. */
static inline int test_end(void)
{
    if (test_now.passed + test_now.failed + test_now.skipped == 0)
        test_case(0, __FILE__, __LINE__, "no test ran", "all");
    printf("%d passed, %d failed, %d skipped\n", test_now.passed, test_now.failed,
           test_now.skipped);
    return test_now.failed != 0;
}

/* splitmix64: the same numbers everywhere, of any seed */
static inline uint64_t test_random64(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* FNV-1a of the bits, value by value */
static inline uint64_t test_hash_floats(const float *x, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, x + i, sizeof bits);
        h = (h ^ bits) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* least..most, both included */
static inline int32_t test_between(uint64_t *seed, int32_t least, int32_t most)
{
    const uint64_t n = (uint64_t)((int64_t)most - least + 1);
    return (int32_t)((int64_t)(test_random64(seed) % n) + least);
}
