/* clause.h - the clauses of [restrict]: conditions in Python's words that a legal tuple satisfies
   SPDX-License-Identifier: MIT

   A clause is an expression over fields, parameters and constants:

       or  and  not  == != < <= > >= (also chained)  in  not in  + - * / // %  **
       x if c else y  min(...)  max(...)  abs(x)  ceil_div(a, b)  all([...])  any([...])  ( )
       True  False  integers, also 0x400 and 1e3  names  p["NAME"]  "names"  # a comment

   A name is that of a field, a parameter, a constant of the section (NAME = NUMBER) or a limit of
   kpred_constraints.h (clause_limits), in this order. Otherwise it is a token of the field, or a
   value of the parameter, with which it is compared; in quotes it is always that.

   What it means is what Python means. Integers have 64 bits: the ranges of fields and the values of
   parameters prove, when a clause is read, that no term of it passes 2^63; else it is refused. `/`
   gives an exact quotient, whose numerator and denominator count as terms. // and % round down, as
   in Python; ceil_div rounds up. `and` and `or` do not look at their second operand if the first
   decides. A clause is false if it evaluates a division by 0. `**` takes a constant
   exponent, from 1 to 32 where the base is no constant. p["NAME"] is the field or parameter NAME,
   whatever p is called. A quotient is not an operand of `if`, `all` and `any`.

   Fields of tokens and parameters of names are compared with their names, and with each other by
   names. True and False are names there, too, or the names 1 and 0; a number is the name that is
   spelled so, and else an error. Where all names are True and False, the field or parameter is a
   truth, as in Python: `use_lds or vec < 4`. */
#pragma once

#include "rules.h"

enum {
    CLAUSE_MAX_DEPTH = 48,   /* of operations within operations */
    CLAUSE_MAX_NODES = 1024, /* of one clause */
    CLAUSE_MAX = 64          /* clauses of a spec */
};

enum clause_op {
    CLAUSE_CONST, /* k */
    CLAUSE_TEXT,  /* a name that no field, parameter or constant has; only while it is read */
    CLAUSE_FIELD, /* number k */
    CLAUSE_PARAM, /* number k */
    CLAUSE_NEG,   /* of a, as the next two */
    CLAUSE_ABS,
    CLAUSE_NOT,
    CLAUSE_ADD, /* of a and b, as all that follow */
    CLAUSE_SUB,
    CLAUSE_MUL,
    CLAUSE_DIV,
    CLAUSE_FLOOR_DIV,
    CLAUSE_MOD,
    CLAUSE_CEIL_DIV,
    CLAUSE_MIN,
    CLAUSE_MAX_OF,
    CLAUSE_EQ,
    CLAUSE_NE,
    CLAUSE_LT,
    CLAUSE_LE,
    CLAUSE_ANY, /* a or b, where both are evaluated: of in (...) */
    CLAUSE_AND,
    CLAUSE_OR
};

enum clause_type { CLAUSE_INTEGER, CLAUSE_TRUTH, CLAUSE_QUOTIENT, CLAUSE_NAME };

struct clause_node {
    enum clause_op op;
    enum clause_type type;
    size_t a, b; /* nodes before this one */
    int64_t k;
    const char *text;               /* of CLAUSE_TEXT, and of True and False */
    const char *at, *end;           /* where it stands in the clause's text */
    const struct spec_field *field; /* whose token, */
    const struct spec_param *param; /* or whose value, a CLAUSE_NAME is; else NULL */
    int depth;
};

struct clause {
    const char *text; /* as the spec has it */
    long line;
    struct clause_node *nodes; /* the last one is the whole */
    size_t n;
    uint32_t params; /* bit t: parameter t occurs */
    int quotients;   /* does it have a node of type CLAUSE_QUOTIENT? */
};

/* The section, read: constants have been put into the clauses. */
struct clauses {
    struct clause v[CLAUSE_MAX];
    size_t n;
    int is_plain;                  /* to be written as kpred 0.2.0 did, without variables */
    const struct kernels *kernels; /* of which a legal tuple names one; NULL: no names */
};

/* A token of an expression of Python's. A number is digits alone, or 0x and hexadecimal digits; a
   sign is any other character, or two that make one: == != <= >= // ** << >>. */
enum python_kind {
    PYTHON_END,
    PYTHON_NUMBER,
    PYTHON_WHOLE,      /* 1e3 */
    PYTHON_FRACTION,   /* a number with a point behind it at once, or with e-3, */
    PYTHON_ODD_NUMBER, /* and with a letter */
    PYTHON_WORD,
    PYTHON_QUOTED, /* with its quotes */
    PYTHON_SIGN
};

struct python_token {
    enum python_kind kind;
    const char *at, *end; /* NULL: no quote closes it */
};

/* The first token of a text, behind blanks */
struct python_token python_token(const char *text, const char *blanks);
/* The value of a PYTHON_NUMBER or PYTHON_WHOLE; 0: it is too large */
int python_integer(const struct python_token *t, int64_t *out);
/* Is it this sign or word? */
int python_is(const struct python_token *t, const char *text);

/* Reads the clauses of a spec's section. 0, or -1 with a message that names file, line and column;
   then nothing is kept. */
int clauses_read(struct clauses *c, const struct spec *spec);
void clauses_free(struct clauses *c);

/* May the first n values still become a legal tuple, if the first n - 1 may? Clauses whose last
   parameter is values[n-1] are decided; others are bounded, as far as values[n-1] occurs in them. A
   kpred_rule but for its first arguments. */
int clauses_allow(const struct clauses *c, const struct spec *spec, const int32_t *problem,
                  const int32_t *values, size_t n);

/* What the rule does with a clause when the first n values are there: values[n-1] is the newest. */
enum clause_part { CLAUSE_SILENT, CLAUSE_BOUNDED, CLAUSE_DECIDED };
enum clause_part clause_part(const struct clause *c, size_t n);

int clause_has_fields(const struct clause *c);

/* The value of a clause without fields and parameters; *undefined as below. */
int64_t clause_value(const struct clause *c, int *undefined);

/* The first term that passes 2^63 for some problem and tuple, as far as bounds tell; NULL: none. */
const struct clause_node *clause_too_large(const struct clause *c, const struct spec *spec);

/* Of a bounded clause: can the open parameters still make it true, as far as bounds tell? */
int clause_may_be_true(const struct clause *c, const struct spec *spec, const int32_t *problem,
                       const int32_t *values, size_t n);

/* Is this clause true for the problem and all values? *undefined (may be NULL) is set if it is
   false because of a division by 0. */
int clause_is_true(const struct clause *c, const int32_t *problem, const int32_t *values,
                   int *undefined);

/* What each node of the clause comes to for the problem and all values; 0 where it divides by 0. */
void clause_numbers(const struct clause *c, const int32_t *problem, const int32_t *values,
                    double *out);

/* Notes, a line each, what can only be a slip: a clause that is true or false for all tuples of all
   problems, a number in place of a condition, a comparison with what is no value. Returns how many
   clauses are false for all. */
size_t clauses_note_slips(const struct clauses *c, const struct spec *spec);

/* Writes the body of the C rule: a function for each clause, and NAME_rule, which calls them. With
   kernels, it looks ahead to each kernel that is left, and no bounds are needed. */
void clauses_write(const struct clauses *c, const struct spec *spec, FILE *f);

/* How many operations the plain text has, which may double with each level of a chain or an `or`;
   2^24 of a clause stands for more. */
size_t clauses_plain_size(const struct clauses *c);
