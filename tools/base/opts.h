/* opts.h - command lines, and the files that they name
   SPDX-License-Identifier: MIT

   A command's arguments are described by a table, from which --help is made. A row begins as the
   usage has it:

     "SPEC", "[INPUT...]"      operands, in their order: one that is needed, any number
     "--gpu GPU"               an option that is needed, with a value; "[-k N]": it may be left out
     "[--force]"               without a value
     "[--net additive|attn]"   of an OPT_CHOICE, the words to choose from
     "[--csv", "|--json]"      at most one of two, which is checked if both have no value; without
                               brackets one is needed, which is for the command to check
     "[-o FILE", "[--force]]"  the second one only beside the first

   Long options take "--name value" or "--name=value", short ones "-k value" or "-kvalue". "--" ends
   the options; what follows are operands. */
#pragma once

#include <stddef.h>

#define OPTS_MAX_COUNTS 64

enum opt_kind {
    OPT_FLAG,         /* int *: set to 1 */
    OPT_TEXT,         /* const char ** */
    OPT_COUNT,        /* long *: an integer from least to most */
    OPT_COUNTS,       /* struct opt_counts *: one or several of them, separated by commas */
    OPT_CHOICE,       /* int *: the index of one of the words */
    OPT_TEXTS,        /* struct opt_texts *: all arguments up to the next option; may be repeated.
                         As an operand: all that are left. To be freed by opts_free, on failure
                         too. */
    OPT_MILLISECONDS, /* long *: a duration from least to most milliseconds, see duration_read */
    OPT_SAID          /* no option: what --help says there, of a file or a column that the row is
                         named after, or as paragraphs if its usage is ""; see OPT_SAYS */
};

struct opt_counts {
    size_t n;
    long v[OPTS_MAX_COUNTS];
};

struct opt_texts {
    size_t n;
    const char **v;
};

struct opt {
    const char *usage; /* NULL: behind the last row */
    enum opt_kind kind;
    void *to;         /* where the value goes; untouched if the option is not given. What is there
                          before is told as the default, if it is a choice or a number in range. */
    const char *text; /* "": not explained; NULL: not told at all */
    long least, most; /* of numbers, which --help tells as well */
    const struct opt *next; /* behind the last row: another form of the command, told as well */
};

/* Rows of a table */
#define OPT(type, says, where, about)                                       \
    {                                                                       \
        .usage = (says), .kind = OPT_##type, .to = (where), .text = (about) \
    }
#define OPT_RANGE(type, says, where, from, up_to, about)                                      \
    {                                                                                         \
        .usage = (says), .kind = OPT_##type, .to = (where), .text = (about), .least = (from), \
        .most = (up_to)                                                                       \
    }
/* Paragraphs, separated by LF. A line that begins with a blank stays as it is. */
#define OPT_SAYS(about) OPT(SAID, "", NULL, about)
/* argv[0] is the command's name; --help and -h print the help. Returns -1 to go on, else the
   status to exit with: 0 after help (1 if it could not be written), 2 after a message. */
int opts_parse(const struct opt *table, int argc, char **argv);
/* Frees the lists of a table, and forgets its texts; returns the status. */
int opts_free(const struct opt *table, int status);

/* "1.5", "90s", "500ms", "30m", "2h" or "1d", a bare number being seconds, into seconds:
   0, or -1 with a message that begins with the option. */
int duration_read(const char *option, const char *text, double *seconds);

/* ---- a command's outputs are none of the files that it reads, and no two of them are one ---- */

/* Files are the same by device and inode, whatever their paths; of outputs that are not there yet,
   the folder and the name tell. Devices and pipes may stand anywhere. */

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
