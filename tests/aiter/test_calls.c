/* test_calls.c - what tools/aiter/inputs.c finds in lines: all forms, cut and run into each other
   SPDX-License-Identifier: MIT */
#include "aiter/aiter.h"
#include "data/sample.h" /* the libraries that unpack */
#include "harness/cases.h"

static struct form {
    char *text, *file;
    enum call_kind kind;
    int64_t m, n, k;
} forms[32]; /* the rows of calls.cases, the first one a miss and a hit among them */
static size_t n_forms;

static int is_form(const struct form *f, enum call_kind kind, const struct call *c)
{
    if (kind != f->kind)
        return 0;
    if (kind == CALL_NONE || kind == CALL_CUT)
        return 1;
    if (kind != CALL_FMOE && (c->b.n != 0) != has(f->text, "B:"))
        return 0;
    if (kind != CALL_FMOE && (c->m.value != f->m || c->n.value != f->n || c->k.value != f->k))
        return 0;
    return c->n_text == strlen(f->file) && memcmp(c->text, f->file, c->n_text) == 0;
}

/* Behind other text, and before it */
static void all_forms(void)
{
    static const char *const before[] = {"", "[aiter] ", "(Worker_TP4 pid=8) [aiter] ",
                                         "[2026-11-22 10:00:00 TP4] "};
    char line[2048];
    for (size_t i = 0; i < n_forms; i++)
        for (size_t j = 0; j < 4; j++) {
            struct call c;
            const char *at = line;
            snprintf(line, sizeof line, "%s%s (more)", before[j], forms[i].text);
            CHECK_OF(is_form(&forms[i], call_next(&at, &c), &c), forms[i].text);
            CHECK_OF(call_next(&at, &c) == CALL_NONE, forms[i].text);
        }
}

/* Up to where a message has to be whole: what is behind it tells nothing. */
static size_t needed(const struct form *f)
{
    static const char *const ends[] = {", will use default config", ", kernel name is", "CKGEMM,"};
    for (size_t i = 0; i < 3; i++)
        if ((f->kind == CALL_MISS || f->kind == CALL_HIT) && has(f->text, ends[i]))
            return (size_t)(strstr(f->text, ends[i]) - f->text) + strlen(ends[i]);
    return SIZE_MAX;
}

/* A line that ends anywhere tells what the whole one does, or before that place perhaps nothing. */
static void cut_anywhere(void)
{
    char line[2048];
    for (size_t i = 0; i < n_forms; i++)
        for (size_t n = 0; n < strlen(forms[i].text); n++) {
            struct call c;
            const char *at = line;
            snprintf(line, sizeof line, "%.*s", (int)n, forms[i].text);
            const enum call_kind kind = call_next(&at, &c);
            CHECK_OF(is_form(&forms[i], kind, &c)
                         || (n < needed(&forms[i]) && (kind == CALL_NONE || kind == CALL_CUT)),
                     line);
        }
}

/* Two workers: the whole message of one comes in the middle of the other's. */
static void runs_into_all(const struct form *inner)
{
    char line[4096];
    for (size_t i = 0; i < n_forms; i++)
        for (size_t n = 0; &forms[i] != inner && n <= strlen(forms[i].text); n++) {
            struct call c;
            const char *at = line;
            enum call_kind kind;
            int found = 0, around = 0;
            snprintf(line, sizeof line, "%.*s%s%s", (int)n, forms[i].text, inner->text,
                     forms[i].text + n);
            while ((kind = call_next(&at, &c)) != CALL_NONE) {
                found += is_form(inner, kind, &c);
                around += is_form(&forms[i], kind, &c);
                CHECK_OF(kind == CALL_CUT || is_form(inner, kind, &c)
                             || is_form(&forms[i], kind, &c),
                         line);
            }
            CHECK_OF(found == 1, line);
            CHECK_OF(around == 1 || n < needed(&forms[i]), line);
        }
}

static void run_into_each_other(void)
{
    const struct form *fused = forms;
    while (fused->kind != CALL_FMOE)
        fused++;
    runs_into_all(&forms[0]);
    runs_into_all(fused);
}

/* A name has fewer bytes than this, up to the blanks behind it. */
static void long_names(void)
{
    enum { LIMIT = 4096 };
    static const char begin[] = "shape is M:1, N:2, K:3, not found tuned config in ",
                      end[] = ", will use default config";
    static char line[LIMIT + 100];
    for (int n = LIMIT - 2; n <= LIMIT + 1; n++) {
        struct call c;
        const char *at = line;
        snprintf(line, sizeof line, "%s%0*d%s", begin, n, 7, end);
        CHECK_EQ(call_next(&at, &c), n < LIMIT ? CALL_MISS : CALL_CUT);
        CHECK(n >= LIMIT || c.n_text == (size_t)n);
    }
}

static void numbers(void)
{
    struct call c;
    const char *at =
        "shape is M:99999999999999999999999, N:16777217, K:007, not found tuned config "
        "in e.csv, will use default config!";
    CHECK_EQ(call_next(&at, &c), CALL_MISS);
    CHECK(c.m.value > 1 << 24);
    CHECK_EQ(c.m.n, 23);
    CHECK_EQ(c.n.value, 16777217);
    CHECK_EQ(c.k.value, 7);
    at = "shape M:5, N:6, K:7 found padded_M: 16, N:6, K:7 is tuned on cu_num = 80 in c.csv , "
         "kernel "
         "name is x!";
    CHECK_EQ(call_next(&at, &c), CALL_HIT);
    CHECK_EQ(c.padded.value, 16);
    CHECK_EQ(c.cu.value, 80);
    at = "shape is M:5, N:6, K:7, dtype='x', not found tuned config in e.csv, will use default "
         "config!";
    CHECK_EQ(call_next(&at, &c), CALL_MISS);
    CHECK_EQ(c.n_details, strlen(", dtype='x', "));
    CHECK(memcmp(c.details, ", dtype='x', ", c.n_details) == 0);
}

/* Many in one line, and all of them read once */
static void many_in_a_line(void)
{
    static char line[1 << 20];
    size_t n = 0, wanted = 0, found = 0;
    struct call c;
    const char *at = line;
    for (; n + 200 < sizeof line; wanted++)
        n += (size_t)sprintf(line + n, "%s ", forms[wanted % 2].text);
    while (call_next(&at, &c) == CALL_MISS)
        found++;
    CHECK_EQ(found, wanted);
}

static void see_case(const char *kind, char *const *c)
{
    static const char *const kinds[] = {"none", "miss", "hit", "fmoe", "cut"};
    if (strcmp(kind, "family") == 0 || strcmp(kind, "asked") == 0) {
        const enum family_id id =
            *kind == 'f' ? family_of_file(c[0]) : family_asked("--family", c[0]);
        CASE(strcmp(id == FAMILY_NONE ? "" : families[id].name, c[1]) == 0, "family of %s", c[0]);
        return;
    }
    struct form *f = &forms[n_forms++];
    *f = (struct form){xstrdup(c[4]), xstrdup(c[0]), CALL_NONE, atol(c[1]), atol(c[2]), atol(c[3])};
    while (strcmp(kinds[f->kind], kind) != 0)
        f->kind++;
}

int main(void)
{
    program_begin();
    each_row("tests/aiter/calls.cases", see_case);
    RUN_ALL(all_forms, cut_anywhere, run_into_each_other, long_names, numbers, many_in_a_line);
    for (size_t i = 0; i < n_forms; i++) {
        free(forms[i].text);
        free(forms[i].file);
    }
    return program_end();
}
