/* clause.h - the clauses of [restrict]: conditions in Python's words that a legal tuple satisfies
   SPDX-License-Identifier: MIT

   A clause is an expression over fields, parameters and constants:

       or  and  not  == != < <= > >= (also chained)  in  not in  + - * / // %  **
       x if c else y  min(...)  max(...)  abs(x)  ceil_div(a, b)  all([...])  any([...])  ( )
       True  False  integers, also 0x400 and 1e3  names  p["NAME"]  "names"  # a comment

   A name is that of a field, a parameter, a formula, a constant of the section (NAME = NUMBER) or a
   limit of kpred_constraints.h (clause_limits), in this order. Otherwise it is a token of the
   field, or a value of the parameter, with which it is compared; in quotes it is always that.

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
   truth, as in Python: `use_lds or vec < 4`.

   The section [formulas] has lines NAME = EXPRESSION, each an expression of the same kind: a number
   on which time may depend. It may have the formulas above it, and clauses may have all of them.
   The judges get each as an exact number (train/judges.h), up to 2^63, and 0 where it divides by 0.
   The network gets those of fields alone as program.h says. */
#pragma once

#include "rules.h"

enum {
    CLAUSE_MAX_DEPTH = 48,   /* of operations within operations */
    CLAUSE_MAX_NODES = 1024, /* of one clause */
    CLAUSE_MAX = 64,         /* clauses of a spec */
    FORMULAS_MAX = 32
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
    CLAUSE_OR,
    CLAUSE_OPS /* how many there are */
};

/* What each operation is in C, with the arithmetic of kpred_constraints.h, >>expressions:
   clause_eval.c compiles it, and clause_write.c writes it into headers. A letter stands for the
   first or the second operand: a b as integers, p q as truths, x y as quotients (u v, where they
   are divided), s t as spans, f g as what truths may be. */
#define CLAUSE_INTEGERS(OP)                     \
    OP(NEG, kpri_x_sub(0, a))                   \
    OP(ABS, kpri_x_abs(a))                      \
    OP(ADD, kpri_x_add(a, b))                   \
    OP(SUB, kpri_x_sub(a, b))                   \
    OP(MUL, kpri_x_mul(a, b))                   \
    OP(FLOOR_DIV, kpri_x_floor_div(a, b, &bad)) \
    OP(MOD, kpri_x_mod(a, b, &bad))             \
    OP(CEIL_DIV, kpri_x_ceil_div(a, b, &bad))   \
    OP(MIN, kpri_x_min(a, b))                   \
    OP(MAX_OF, kpri_x_max(a, b))                \
    OP(AND, (a ? b : 0))                        \
    OP(OR, (a ? a : b))
#define CLAUSE_TRUTHS(OP) \
    OP(NOT, !p)           \
    OP(EQ, (a == b))      \
    OP(NE, (a != b))      \
    OP(LT, (a < b))       \
    OP(LE, (a <= b))      \
    OP(ANY, p | q)
#define CLAUSE_QUOTIENTS(OP)                   \
    OP(NEG, kpri_q_sub(kpri_q_of(0), x, &bad)) \
    OP(ABS, kpri_q_abs(x, &bad))               \
    OP(ADD, kpri_q_add(x, y, &bad))            \
    OP(SUB, kpri_q_sub(x, y, &bad))            \
    OP(MUL, kpri_q_mul(x, y, &bad))            \
    OP(DIV, kpri_q_div(u, v, &bad))            \
    OP(MOD, kpri_q_mod(u, v, &bad))            \
    OP(MIN, kpri_q_min(x, y))                  \
    OP(MAX_OF, kpri_q_max(x, y))
/* Integers and truths of quotients. A division up is minus one down of minus. */
#define CLAUSE_OF_QUOTIENTS(OP)                                                               \
    OP(FLOOR_DIV, kpri_q_floor_div(u, v, &bad))                                               \
    OP(CEIL_DIV, kpri_x_sub(0, kpri_q_floor_div(kpri_q_sub(kpri_q_of(0), x, &bad), y, &bad))) \
    OP(EQ, kpri_q_equal(x, y))                                                                \
    OP(NE, !kpri_q_equal(x, y))                                                               \
    OP(LT, kpri_q_less(x, y))                                                                 \
    OP(LE, !kpri_q_less(y, x))
#define CLAUSE_SPANS(OP)                  \
    OP(NEG, kpri_s_sub(kpri_s_of(0), s))  \
    OP(ABS, kpri_s_abs(s))                \
    OP(ADD, kpri_s_add(s, t))             \
    OP(SUB, kpri_s_sub(s, t))             \
    OP(MUL, kpri_s_mul(s, t))             \
    OP(FLOOR_DIV, kpri_s_floor_div(s, t)) \
    OP(MOD, kpri_s_mod(s, t))             \
    OP(CEIL_DIV, kpri_s_ceil_div(s, t))   \
    OP(MIN, kpri_s_min(s, t))             \
    OP(MAX_OF, kpri_s_max(s, t))          \
    OP(AND, kpri_s_hull(s, t))            \
    OP(OR, kpri_s_hull(s, t))
#define CLAUSE_BOUNDS(OP)                  \
    OP(NOT, kpri_t_not(f))                 \
    OP(EQ, kpri_t_equal(s, t))             \
    OP(NE, kpri_t_not(kpri_t_equal(s, t))) \
    OP(LT, kpri_t_less(s, t))              \
    OP(LE, kpri_t_not(kpri_t_less(t, s)))  \
    OP(ANY, kpri_t_any(f, g))              \
    OP(AND, kpri_t_and(f, g))              \
    OP(OR, kpri_t_or(f, g))

/* A CLAUSE_NAME is a token of the field, or a value of the parameter. */
enum clause_type { CLAUSE_INTEGER, CLAUSE_TRUTH, CLAUSE_QUOTIENT, CLAUSE_NAME };

struct clause_node {
    enum clause_op op;
    enum clause_type type;
    size_t a, b; /* nodes before this one */
    int64_t k;
    const char *text;     /* of CLAUSE_TEXT, and of True and False */
    const char *at, *end; /* where it stands in the clause's text */
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

struct formula {
    char name[64];
    struct clause of;
};

/* Both sections, read: constants and formulas have been put into the clauses. */
struct clauses {
    struct formula formula[FORMULAS_MAX];
    size_t n_formulas;
    struct clause v[CLAUSE_MAX];
    size_t n;
    size_t plain; /* 0, or to be written as kpred 0.2.0 did, without variables. Its text may double
                     with each level of a chain or an `or`: behind so many bytes it is cut. */
    const struct kernels *kernels; /* of which a legal tuple names one; NULL: no names */
};

/* Reads the clauses and formulas of a spec. 0, or -1 with a message that names file, line and
   column; then nothing is kept. */
int clauses_read(struct clauses *c, const struct spec *spec);
void clauses_free(struct clauses *c);
const struct formula *formula_find(const struct clauses *c, const char *name); /* NULL: none */

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

/* Between which a node lies, for all problems and tuples; of a quotient, its numerator */
void clause_range(const struct clause *c, const struct spec *spec, size_t node, int64_t *least,
                  int64_t *most);

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
/* The same of the last node, which is the whole */
double clause_number(const struct clause *c, const int32_t *problem, const int32_t *values);

/* Notes, a line each, what can only be a slip: a clause that is true or false for all tuples of all
   problems, a number in place of a condition, a comparison with what is no value. Returns how many
   clauses are false for all. */
size_t clauses_note_slips(const struct clauses *c, const struct spec *spec);

/* Writes the body of the C rule: a function for each clause, and NAME_rule, which calls them. With
   kernels, it looks ahead to each kernel that is left, and no bounds are needed. */
void clauses_write(const struct clauses *c, const struct spec *spec, FILE *f);
