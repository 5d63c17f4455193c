/* fuzz_driver.c - the calls of MIOpenDriver in a log, and kpred predict --driver
   SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "miopen/driver.h"
#include "miopen/fields.h"
#include "model/registry.h"

#include <string.h>

/* A key that can be read is written as it was. */
static void through_key(const struct conv *conv)
{
    struct buf key = {0}, again = {0};
    struct conv back;
    char why[96];
    conv_add_key(conv, &key);
    if (conv_parse_key(key.s, key.n, &back, why) == 0) {
        FUZZ_REACHED("a key");
        conv_add_key(&back, &again);
        FUZZ_CHECK(strcmp(key.s, again.s) == 0);
    }
    buf_free(&key);
    buf_free(&again);
}

static void all_calls(struct buf *text)
{
    static const char directions[] = "FBW";
    struct driver_call call;
    enum driver_kind kind;
    char *at = text->s;
    while ((kind = driver_next(&at, &call)) != DRIVER_NONE)
        for (int i = 0; i < 3 && kind == DRIVER_CONV && !call.is_transposed; i++) {
            call.conv.dir = directions[i];
            through_key(&call.conv);
        }
}

/* As kpred predict --driver */
static void one_problem(const char *line)
{
    static struct model m;
    const struct given g = {.gpu = "gfx906", .driver = line, .nearest = 1};
    int32_t problem[KPRED_MAX_FIELDS];
    struct reason why;
    if (m.spec == NULL)
        FUZZ_CHECK(model_open("conv_solver", &m) == 0);
    if (given_problem(&g, &m, problem, &why) != 0)
        return;
    FUZZ_REACHED("a problem");
    for (uint32_t f = 0; f < m.m.n_fields; f++)
        FUZZ_CHECK(problem[f] >= m.fields[f].least && problem[f] <= m.fields[f].most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf text = fuzz_text(data, size);
    one_problem(text.s);
    all_calls(&text);
    buf_free(&text);
    return 0;
}
