/* fuzz_predict.c - shipped models, hostile models and rules that lie, for any problem and beam
   SPDX-License-Identifier: MIT

   The first byte says which model. A hostile one is well-formed: it has what kpred_init admits, its
   accumulators stay within the bounds that kpred-train proves, and its arrays are no longer than
   they must be. */
#include "hostile.h"

#include "model/registry.h"

static void shipped(struct fuzz_bytes *in)
{
    size_t n = 0;
    while (builtins[n].model != NULL)
        n++;
    if (fuzz_predict(builtins[fuzz_between(in, 0, (int32_t)n - 1)].model, in, 0))
        FUZZ_REACHED("a prediction by a shipped model");
}

/* What kpred_init refuses, and what it says of it */
static void refused(struct fuzz_bytes *in)
{
    const kpred_model *m = builtins[0].model;
    const size_t beam = fuzz_u32(in) % 2048, words = kpred_arena_words(m, beam);
    const size_t given = words - (words > 0 && fuzz_between(in, 0, 1));
    const size_t shift = (size_t)fuzz_between(in, 0, 4);
    char *arena = xmalloc(given * sizeof(int32_t) + shift);
    kpred_ctx ctx;
    const kpred_status s = kpred_init(&ctx, fuzz_between(in, 0, 3) ? KPRED_VERSION : fuzz_u32(in),
                                      m, beam, (int32_t *)(void *)(arena + shift), given);
    if (s != KPRED_OK)
        FUZZ_REACHED("a refusal");
    FUZZ_CHECK(s != KPRED_OK || (words > 0 && given == words && shift % 4 == 0));
    FUZZ_CHECK(kpred_status_string(s) != NULL);
    free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes in = {data, size};
    switch (fuzz_between(&in, 0, 7)) {
    case 0: refused(&in); break;
    case 1:
    case 2: shipped(&in); break;
    case 3:
    case 4:
        if (hostile_scorer(&in))
            FUZZ_REACHED("a prediction by a hostile scorer");
        break;
    default:
        if (hostile_network(&in))
            FUZZ_REACHED("a prediction by a hostile network");
    }
    return 0;
}
