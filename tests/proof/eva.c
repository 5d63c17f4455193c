/* eva.c - the primitives of kpred.h with all inputs that their comments allow, for Frama-C's Eva
   SPDX-License-Identifier: MIT

   exp2, log2 and kpri_share are taken by their contracts, which eva_contracts.c is about. Of the
   places in long rows of alike ones each EVERY-th is looked at: 1 is a proof, and takes minutes. */
#include "any.h"

#include "runtime/instruction.h"

#ifndef EVERY
#define EVERY 16
#endif

/* ---- math ---- */

static void saturate(void)
{
    const int32_t x = kpri_saturate(any(INT64_MIN, INT64_MAX));
    holds(x >= INT32_MIN && x <= INT32_MAX);
}

static void scores_of_logits(void)
{
    int32_t x[KPRED_MAX_VALUES];
    fill(x, KPRED_MAX_VALUES, -(1 << 29) + 1, (1 << 29) - 1);
    (void)kpri_norm(x, (size_t)any(1, KPRED_MAX_VALUES));
    kpri_scores1(x, KPRED_MAX_VALUES, any32(-(1 << 30) + (1 << 26), 0));
    /*@ loop unroll 128; */
    for (size_t v = 0; v < KPRED_MAX_VALUES; v++)
        holds(x[v] >= -(1 << 30) && x[v] <= 0);
    holds(kpri_powers(x, KPRED_MAX_VALUES, any32(INT32_MIN, INT32_MAX),
                      (uint32_t)any(1, KPRED_MAX_SCALE))
          <= (uint32_t)1 << 31);
}

/* ---- features ---- */

/* b apart from the others where a quotient of 2^31 - 1 leaves no remainder */
static void registers(void)
{
    /*@ loop unroll 20; */
    for (int op = KPRED_OP_LOG2; op <= KPRED_OP_CONST; op++) {
        const kpred_instr in = instruction(op, 1, 0, any32(INT32_MIN, INT32_MAX));
        int32_t r[2] = {0, 1};
        r[0] = any32(INT32_MIN, INT32_MAX);
        (void)kpri_register(&in, r);
        r[1] = any32(INT32_MIN, 0);
        (void)kpri_register(&in, r);
        r[1] = any32(2, INT32_MAX);
        (void)kpri_register(&in, r);
    }
}

static void are_activations(const int16_t *x, int32_t n)
{
    /*@ loop unroll 300; */
    for (int32_t i = 0; i < n; i++)
        holds(x[i] >= 0 && x[i] <= 127);
}

/* The array has room for n activations and no more. */
static void activations(const kpred_instr *in, int32_t n, int32_t a)
{
    int16_t x[255], *own = x + 255 - n;
    /*@ loop unroll 300; */
    for (int32_t i = 0; i < n; i++)
        own[i] = 0;
    kpri_activate(in, a, own);
    are_activations(own, n);
}

static void equals_and_ramps(void)
{
    kpred_instr in = instruction(KPRED_OP_EQUALS, 0, 255, any32(INT32_MIN, INT32_MAX));
    activations(&in, 255, any32(INT32_MIN, INT32_MAX));
    /*@ loop unroll 40; */
    for (int b = 0; b < 32; b++) {
        in = instruction(KPRED_OP_RAMP, b, 1, any32(INT32_MIN, INT32_MAX));
        activations(&in, 1, any32(INT32_MIN, INT32_MAX));
    }
}

/* A difference of two int32_t, beyond one end of n centres, or between two of them */
static void hats_of(unsigned shift)
{
    const int64_t width = INT64_C(1) << shift;
    int16_t x[255];
    fill16(x, 255);
    kpri_hats(any(-INT64_C(4294967295), -1), shift, any32(1, 255), x);
    /*@ loop unroll 300; */
    for (int32_t n = 1; n <= 255; n += EVERY)
        kpri_hats(any((n - 1) * width, INT64_C(1) << 40), shift, n, x + 255 - n);
    /*@ loop unroll 300; */
    for (int32_t i = 0; i < 254; i += EVERY)
        kpri_hats(any(i * width, (i + 1) * width - 1), shift, any32(i + 2, 255), x);
    are_activations(x, 255);
}

static void hats(void)
{
    /*@ loop unroll 40; */
    for (unsigned shift = 0; shift < 32; shift++)
        hats_of(shift);
}

/* k 2^i fits int32_t for each of n activations. */
static void divides(void)
{
    /*@ loop unroll 40; */
    for (int32_t n = 1; n <= 31; n++) {
        const kpred_instr in = instruction(KPRED_OP_DIVIDES, 0, n, any32(1, INT32_MAX >> (n - 1)));
        activations(&in, n, any32(INT32_MIN, INT32_MAX));
    }
}

/* a mod k < k, so the fraction is below 127; Eva sees it where k hardly varies. */
static void fractions_from(int32_t first, int32_t last)
{
    int32_t most;
    /*@ loop unroll 300; */
    for (int32_t least = first; least <= last; least = most + 1) {
        most = least + least / 128 < last ? least + least / 128 : last;
        const kpred_instr in = instruction(KPRED_OP_FRACTION, 0, 1, any32(least, most));
        activations(&in, 1, any32(INT32_MIN, INT32_MAX));
    }
}

static void fractions(void)
{
    /*@ loop unroll 30; */
    for (int32_t k = 1; k < KPRED_MAX_SIZE; k *= 2)
        fractions_from(k, 2 * k - 1);
    fractions_from(KPRED_MAX_SIZE, KPRED_MAX_SIZE);
}

/* ---- network ---- */

enum { COLS = KPRED_MAX_WIDTH, HIDDEN = KPRED_MAX_HIDDEN, ROWS = KPRED_MAX_PARAMS - 1 };

/* The widest row; the bias leaves room for the sum. */
static void matvec(void)
{
    const int64_t most = INT32_MAX - COLS * 127 * 127;
    int8_t w[4 * COLS];
    int16_t x[COLS];
    int32_t bias[4], y[4];
    fill8(w, 4 * COLS);
    fill16(x, COLS);
    fill(bias, 4, -most, most);
    kpri_matvec_portable(w, bias, 4, COLS, x, y);
}

static void requantise(void)
{
    int32_t acc[16];
    int16_t y[16];
    /*@ loop unroll 30; */
    for (unsigned s = 1; s <= 24; s++) {
        fill(acc, 16, INT32_MIN, INT32_MAX - (1 << (s - 1)));
        kpri_requantise_portable(acc, s, 16, y);
        /*@ loop unroll 16; */
        for (size_t i = 0; i < 16; i++)
            holds(y[i] >= 0 && y[i] <= 127);
    }
}

/* The accumulators fit with any rows; so do the logits, which a head multiplies by 2^7 here. */
static void head_of(uint32_t rows, uint8_t e, uint8_t s)
{
    const int64_t far = ROWS * 127 * (INT64_C(1) << e), half = INT64_C(1) << (s - 1);
    const int64_t most = ((INT64_C(1) << 29) >> 7) - 16 * 127 * 127 - 1;
    int8_t from[ROWS * 16], w[4 * 16];
    int16_t h[16];
    int32_t base[16], bias[4], logits[4];
    unsigned char prefix[ROWS];
    const kpred_head head = {from, w, bias, e, s, 7};
    const kpri_lanes lanes = {logits, bias, prefix, 4, 0, 1};
    kpri_rows where;
    const kpri_parameter p = {&head, base, &where, rows, 16, 4};
    fill8(from, sizeof from);
    fill8(w, sizeof w);
    fill(base, 16, INT32_MIN + far, INT32_MAX - far - half);
    fill(bias, 4, -most, most);
    /*@ loop unroll 16; */
    for (size_t r = 0; r < ROWS; r++) {
        where.first[r] = (uint16_t)r;
        where.param[r] = (unsigned char)r;
        prefix[r] = 0;
    }
    kpri_hidden_portable(&p, prefix, h);
    are_activations(h, 16);
    kpri_head_portable(&p, &lanes);
    /*@ loop unroll 4; */
    for (size_t v = 0; v < 4; v++)
        holds(logits[v] > -(1 << 29) && logits[v] < 1 << 29);
}

static void heads(void)
{
    head_of(0, 3, 9);
    head_of(1, 3, 9);
    /*@ loop unroll 20; */
    for (uint8_t e = 0; e <= 15; e++)
        /*@ loop unroll 30; */
        for (uint8_t s = 1; s <= 24; s = (uint8_t)(s + EVERY))
            head_of(ROWS, e, s);
}

/* ---- search ---- */

static void scores(void)
{
    kpred_model model = {0};
    kpri_search s = {0};
    model.scale = (uint32_t)any(1, KPRED_MAX_SCALE);
    s.model = &model;
    s.norm = any32(-16 * 24 * 65536, 16 * 7 * 65536);
    holds(kpri_scaled((uint32_t)any(0, 1 << 30), model.scale) <= INT32_MAX);
    holds(kpri_calibrated(&s, any32(INT32_MIN, INT32_MAX)) <= 0);
    holds(kpred_probability(any32(INT32_MIN, 0)) >= 0);
}

static void buckets(void)
{
    static uint32_t used[KPRI_USED_WORDS];
    kpri_search s = {0};
    int32_t b;
    s.top = any32(INT32_MIN, INT32_MAX);
    b = kpri_bucket_of(&s, any32(INT32_MIN, INT32_MAX));
    holds(b >= 0 && b < KPRI_BUCKETS);
    s.used = used;
    /*@ loop unroll 12; */
    for (size_t i = 0; i < KPRI_USED_WORDS; i++)
        used[i] = (uint32_t)any(0, UINT32_MAX);
    holds(kpri_is_used(&s, b) <= 1);
    /*@ loop unroll 400; */
    for (int32_t end = 0; end <= KPRI_BUCKETS; end++) {
        b = kpri_next_used(&s, any32(0, end), end);
        holds(b >= 0 && b <= end);
    }
}

static void lanes(void)
{
    const unsigned bits = kpri_lane_bits(any32(1, KPRED_MAX_VALUES));
    holds(bits >= 2 && bits <= 7);
    holds(kpri_lowest_bit((uint32_t)any(1, UINT32_MAX)) < 32);
    holds(kpri_clip((size_t)any(0, INT64_MAX)) >= 0);
}

static void copies(void)
{
    int32_t from[128], to[128];
    unsigned char a[KPRED_MAX_TUPLE], b[KPRED_MAX_TUPLE];
    fill(from, 128, INT32_MIN, INT32_MAX);
    kpri_copy(to, from, (size_t)any(0, 128));
    kpri_copy4(to, from, 128);
    /*@ loop unroll 32; */
    for (size_t i = 0; i < KPRED_MAX_TUPLE; i++) {
        a[i] = (unsigned char)any(0, 255);
        b[i] = (unsigned char)any(0, 255);
    }
    (void)kpri_compare_text(a, b, (size_t)any(0, KPRED_MAX_TUPLE));
    (void)kpri_compare_values(from, to, (size_t)any(0, 128));
}

/* ---- texts and hashes ---- */

/* At most 15 characters of any kind */
static void texts(void)
{
    char text[16], same[16];
    int32_t arch, units;
    /*@ loop unroll 16; */
    for (size_t i = 0; i < 15; i++) {
        text[i] = (char)any(-128, 127);
        same[i] = (char)any(-128, 127);
    }
    text[15] = same[15] = 0;
    holds(kpri_parse_gpu(text, &arch, &units) <= 1);
    holds(kpri_same_text(text, same) <= 1);
}

static void hashes(void)
{
    uint64_t h = 0;
    int8_t bytes[67];
    char text[16];
    fill8(bytes, 67);
    /*@ loop unroll 16; */
    for (size_t i = 0; i < 15; i++)
        text[i] = (char)any(1, 127);
    text[15] = 0;
    /*@ loop unroll 68; */
    for (size_t n = 0; n <= 67; n++)
        kpri_hash_bytes(&h, bytes, n);
    kpri_hash_text(&h, text);
    kpri_hash_int(&h, any32(INT32_MIN, INT32_MAX));
}

int main(void)
{
    RUN(saturate);
    RUN(scores_of_logits);
    RUN(registers);
    RUN(equals_and_ramps);
    RUN(hats);
    RUN(divides);
    RUN(fractions);
    RUN(matvec);
    RUN(requantise);
    RUN(heads);
    RUN(scores);
    RUN(buckets);
    RUN(lanes);
    RUN(copies);
    RUN(texts);
    RUN(hashes);
    return test_end();
}
