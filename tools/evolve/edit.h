/* edit.h - lists of edits: what an individual of the search is
   SPDX-License-Identifier: MIT

   An edit names its operator, the instruction it acts on and its place by ids that stay the same
   whatever the other edits do, and carries a seed. All that has to be chosen where it is applied,
   such as a value for an operand that its new place does not see, follows from this seed: a list
   means one program. The search knows no more of edits than this; what they do is the task's. */
#pragma once

#include "base/util.h"

enum edit_op {
    OP_DELETE,
    OP_COPY,
    OP_MOVE,
    OP_REPLACE,
    OP_SWAP,
    OP_OPERAND,
    OP_CONSTANT, /* of tensors alone: another number */
    OP_ALL
};

struct edit {
    uint16_t op;          /* the number of an operator; the task has the names */
    uint16_t index;       /* of an operand, or 0 */
    uint32_t what, where; /* ids */
    uint32_t seed;        /* of what is chosen when it is applied */
};

struct edits { /* all zero is the empty list, which is the program as it was; to be freed */
    struct edit *v;
    size_t n, cap;
};

struct edit_names { /* of a task's operators */
    const char *const *v;
    size_t n;
};
extern const struct edit_names edit_operators; /* "delete", ...: all of edit_op */

void edits_add(struct edits *list, const struct edit *e);
void edits_drop(struct edits *list, size_t i); /* the order of the others stays */
void edits_copy(struct edits *to, const struct edits *from);
void edits_free(struct edits *list);
int edit_equal(const struct edit *a, const struct edit *b);
int edits_equal(const struct edits *a, const struct edits *b);
int edits_hold(const struct edits *list, const struct edit *e);
uint64_t edits_hash(const struct edits *list);

/* `move 12 30 0 9f31c2aa; delete 7 0 0 00000000`: operator, what, where, index, seed in
   hexadecimal; `-` for the empty list. */
void edits_print(const struct edits *list, struct edit_names names, struct buf *out);
/* Of a text without a line's end, into an empty list: 0, or -1 without a message. */
int edits_parse(const char *text, struct edit_names names, struct edits *out);
