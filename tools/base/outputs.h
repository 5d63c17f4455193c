/* outputs.h - a command's outputs are none of the files that it reads, and no two of them are one
   SPDX-License-Identifier: MIT

   Files are the same by device and inode, whatever their paths; of outputs that are not there yet,
   the folder and the name tell. Devices and pipes may stand anywhere. */
#pragma once

#include "opts.h"

/* An output: what the command line calls it, such as "-o", and its path; NULL: not asked for */
struct output {
    const char *option, *path;
};

/* The option --force, of a command without an output that it could replace: 0, or -1 with a message
   on the command line. */
int outputs_check_force(int force, const char *path);

/* Of n outputs: 0, or -1 with a message that names the two. */
int outputs_check_apart(const struct output *outputs, size_t n);

/* Are both regular files that are there, and one file? */
int outputs_same(const char *a, const char *b);

/* `path` (NULL: none) is what the command reads as `role`, such as "SPEC" or "--data". */
int outputs_check_input(const struct output *outputs, size_t n, const char *role, const char *path);
int outputs_check_inputs(const struct output *outputs, size_t n, const char *role,
                         const struct opt_texts *paths);
