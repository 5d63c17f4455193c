/* calls.h - what AITER logs of the shapes that it looks up in its tables
   SPDX-License-Identifier: MIT

   The text is looked for anywhere in a line, whatever stands before and behind it:

     shape is M:16, N:1536, K:7168, not found tuned config in FILE, will use default config!
     shape is M:16, N:1536, K:7168, found padded_M: 32, N:1536, K:7168 is tuned on cu_num = 304
         in FILE , kernel name is NAME!                     (one line; of one family `shape M:`)
     shape is B:4, M:16, N:1536, K:7168, not found tuned config in CKGEMM, ...
     [fused_moe] using 2stage default for ('gfx950', 256, ...)

   Some families say more between K and the comma: q_dtype_w, or dtype=... and what follows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum call_kind {
    CALL_NONE,
    CALL_MISS,
    CALL_HIT,
    CALL_FMOE, /* a miss of fused MoE; of its members `text` alone is set */
    CALL_CUT   /* it begins like one and does not go on */
};

struct call_number {
    const char *text; /* a minus and digits, or digits, in the line */
    size_t n;
    int64_t value;
};

struct call {
    struct call_number b, m, n, k; /* b: n is 0 where there is none */
    struct call_number padded, cu; /* of a hit: M of the row that was found, and its GPU */
    const char *text;              /* FILE, or of fused MoE the key; in the line */
    size_t n_text;
};

/* The next one in a line, behind which *at then is */
enum call_kind call_next(const char **at, struct call *call);
