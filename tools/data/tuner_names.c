/* tuner_names.c - names of what a file of another tuner does not name; declared in tuner.h
   SPDX-License-Identifier: MIT */
#include "tuner.h"

#include "model/products.h"

#include <string.h>

const char *const tuner_sizes[TUNER_MAX_SIZES] = {
    "problem_size_x", "problem_size_y", "problem_size_z", "problem_size_3",
    "problem_size_4", "problem_size_5", "problem_size_6", "problem_size_7"};

/* T4 says what the file is, and would be a GPU's name. */
static int is_gpu(const char *piece)
{
    return strcmp(piece, "T4") != 0 && gpu_is_in_name(piece);
}

static const char *gpu_of_name(const char *path, struct buf *b)
{
    struct buf piece = {0};
    const char *at = base_name(path), *found = NULL;
    while (*at != '\0' && found == NULL) {
        const size_t n = gpu_piece(at);
        piece.n = 0;
        buf_add(&piece, at, n);
        if (piece.n > 3 && ends_with(piece.s, "_T4"))
            piece.s[piece.n - 3] = '\0';
        if (is_gpu(piece.s))
            found = gpu_name(piece.s, b);
        at += n + (at[n] != '\0');
    }
    buf_free(&piece);
    return found;
}

const char *tuner_gpu(const char *device, const char *asked, const char *path, struct buf *b)
{
    if (*gpu_name(device, b) != '\0')
        return b->s;
    return asked != NULL ? gpu_name(asked, b) : gpu_of_name(path, b);
}
