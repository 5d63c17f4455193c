/* gtc_words.c - see gtc_words.h
   SPDX-License-Identifier: MIT */
#include "gtc_words.h"

#include <stdlib.h>
#include <string.h>

/* Pieces of a name, which commas part */
enum { DIR, TYPE = 2, ANY_FILTER = 4, K_BLOCK = 7, MERGED = 18, A = 20, B = 28, PIECES = 36 };
enum { MOST_POWER = 7 };

static uint32_t log2_of(uint32_t x)
{
    uint32_t bits = 0;
    while (x >>= 1)
        bits++;
    return bits;
}

static int is_piece(const char *piece, const char *what)
{
    const size_t n = strlen(what);
    return !strncmp(piece, what, n) && piece[n] == ',';
}

/* Where each piece begins, and what it is as a number; 0: there are fewer. */
static int cut(const char *name, const char *text[PIECES], uint32_t number[PIECES])
{
    size_t i;
    for (i = 0; i < PIECES && name; i++) {
        text[i] = name;
        number[i] = (uint32_t)strtoul(name, NULL, 10);
        name = strchr(name, ',');
        name = name != NULL ? name + 1 : NULL;
    }
    return i == PIECES;
}

/* Observed: forward and backward data, the longest vector that a thread reads divides c; backward
   data, it divides k as well, and so does gemm_k_per_block, if y, x and k are not merged. */
int gtc_word(const char *name, int32_t dir, uint16_t *word)
{
    static const char *const dirs[] = {"fwd", "bwd", "wrw"};
    const char *text[PIECES];
    uint32_t n[PIECES], vector, c, k;
    if (!cut(name, text, n) || !is_piece(text[DIR], dirs[dir])
        || !(is_piece(text[TYPE], "fp32") || is_piece(text[TYPE], "fp16")))
        return 0;
    vector = n[A + 1] | n[A + 3] | n[B + 1] | n[B + 3];
    c = dir == KPRED_DIR_W ? 0 : log2_of(vector);
    k = dir == KPRED_DIR_B ? log2_of(vector | (n[MERGED] ? 0 : n[K_BLOCK])) : 0;
    *word = (uint16_t)((uint32_t)is_piece(text[TYPE], "fp16") | (uint32_t)(n[ANY_FILTER] != 0) << 1
                       | c << 4 | k << 8);
    return c <= MOST_POWER && k <= MOST_POWER;
}

/* Is the kernel for problems of the kind `i` whose k has the power `k`? */
static int is_for(uint32_t word, uint32_t i, uint32_t k)
{
    return (word & 1) == (i & 1) && (word & 2 || i & 2) && (word >> 8 & 15) <= k;
}

void gtc_set_least(kpred_gtc_kernels *kernels)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k <= MOST_POWER; k++) {
            uint8_t least = MOST_POWER + 1;
            for (int32_t v = 0; v < kernels->n; v++) {
                const uint32_t word = kernels->words[v], c = word >> 4 & 15;
                if (is_for(word, i, k) && c < least)
                    least = (uint8_t)c;
            }
            kernels->least[i][k] = least;
        }
}
