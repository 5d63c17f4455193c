/* rule_slots.c - see rule_slots.h
   SPDX-License-Identifier: MIT */
#include "rule_slots.h"

#define SLOTS(X)    EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3)
#define EIGHT(X, i) X(i##0) X(i##1) X(i##2) X(i##3) X(i##4) X(i##5) X(i##6) X(i##7)

static struct slot {
    rule_ask ask; /* NULL: it is free */
    const void *model;
} slots[RULE_SLOTS];

/* The names of slots are octal numbers. */
#define RULE(i)                                                                 \
    static int rule##i(const int32_t *problem, const int32_t *values, size_t n) \
    {                                                                           \
        return slots[0##i].ask(slots[0##i].model, problem, values, n);          \
    }
SLOTS(RULE)

#define RULE_NAME(i) rule##i,
static const kpred_rule rules[RULE_SLOTS] = {SLOTS(RULE_NAME)};

kpred_rule rule_slots_take(rule_ask ask, const void *model)
{
    for (size_t i = 0; i < RULE_SLOTS; i++)
        if (!slots[i].ask) {
            slots[i] = (struct slot){ask, model};
            return rules[i];
        }
    return NULL;
}

void rule_slots_release(const void *model)
{
    for (size_t i = 0; i < RULE_SLOTS; i++)
        if (slots[i].model == model)
            slots[i] = (struct slot){NULL, NULL};
}
