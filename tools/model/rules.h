/* rules.h - the rules of kpred_constraints.h by name, and the vocabulary each expects
   SPDX-License-Identifier: MIT */
#pragma once

#include "spec.h"

/* What a model's rule asks besides the problem and the values */
enum rule_table { RULE_NO_TABLE, RULE_GTC, RULE_SOLVERS };

struct rule {
    kpred_rule rule;    /* NULL if it has a table: it is to be made of that */
    const char *name;   /* "" if it has none */
    const char *family; /* KPRED_RULES_... of kpred_constraints.h; NULL: it is not there */
    enum rule_table table;
    int32_t dir; /* of the kernels in a table, as a token */
};

/* The rule that the spec names, after checking that the spec's fields, tokens and parameters are
   those it was written for. Unconstrained, listed: no rule, name "". 0, or -1 with a message. */
int rules_find(const struct spec *spec, struct rule *rule);

/* What stands in the table of a rule with this name, by the names of the parameter's n values, into
   words. 0, or -1 with a message: there is an unknown one. */
int rules_gtc_words(const struct spec *spec, const struct rule *rule, uint16_t *words);
int rules_solver_words(const struct spec *spec, uint64_t *words);
/* Bytes of a name's word in the table of a rule with this name; 0: it has none. */
size_t rules_word_bytes(const char *name);
