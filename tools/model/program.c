/* program.c - see program.h
   SPDX-License-Identifier: MIT */
#include "program.h"
#include "clause.h"
#include "runtime.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 6, NONE = -2 };

struct compiler {
    const struct spec *spec;
    struct program *out;
    struct clauses read;                 /* for its formulas */
    int made[CLAUSE_MAX_NODES];          /* of a formula's nodes their registers and 1, or 0 */
    char names[KPRED_MAX_REGISTERS][64]; /* of registers; "" for a constant written in place */
    long line;                           /* being compiled */
    int is_judge;                        /* do registers hold parameters as well? */
};

struct words {
    size_t n;
    char *v[MAX_WORDS];
};

static const struct op {
    const char *name;
    uint8_t code;
    size_t n_words; /* operands of a register op, arguments of a feature */
} ops[] = {
    {"log2", KPRED_OP_LOG2, 1},         {"add", KPRED_OP_ADD, 2},
    {"sub", KPRED_OP_SUB, 2},           {"mul", KPRED_OP_MUL, 2},
    {"ceil_div", KPRED_OP_CEIL_DIV, 2}, {"mod", KPRED_OP_MOD, 2},
    {"min", KPRED_OP_MIN, 2},           {"max", KPRED_OP_MAX, 2},
    {"onehot", KPRED_OP_EQUALS, 1},     {"equals", KPRED_OP_EQUALS, 3},
    {"hats", KPRED_OP_HATS, 4},         {"ramp", KPRED_OP_RAMP, 3},
    {"divides", KPRED_OP_DIVIDES, 3},   {"fraction", KPRED_OP_FRACTION, 2},
};

PRINTF_LIKE(3, 4)
static int program_wrong(const struct compiler *c, const char *word, const char *what, ...)
{
    char text[256];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    return fail("%s:%ld: \"%s\": %s", c->spec->path, c->line, word, text);
}

/* Splits a copy of a line, which the caller frees, at blanks. */
static int split_words(const struct compiler *c, char *text, struct words *w)
{
    char *p = strtok(text, " \t");
    for (w->n = 0; p; p = strtok(NULL, " \t")) {
        if (w->n == MAX_WORDS)
            return program_wrong(c, p, "is one word too many: a line has at most %d", MAX_WORDS);
        w->v[w->n++] = p;
    }
    return 0;
}

static const struct op *find_op(const struct compiler *c, const char *name, size_t n_words,
                                int feature)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].name, name) && (ops[i].code > KPRED_OP_CONST) == feature) {
            if (ops[i].n_words == n_words)
                return &ops[i];
            program_wrong(c, name, "has %zu %s, and needs %zu", n_words,
                          as_counted(n_words, "argument", "arguments"), ops[i].n_words);
            return NULL;
        }
    struct buf known = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if ((ops[i].code > KPRED_OP_CONST) == feature)
            buf_printf(&known, "%s%s", known.n ? ", " : "", ops[i].name);
    program_wrong(c, name, "no such %s; known are %s", feature ? "feature" : "operation", known.s);
    buf_free(&known);
    return NULL;
}

static int add_instr(struct compiler *c, kpred_instr in, const char *name)
{
    struct program *p = c->out;
    if (p->n_instr == PROGRAM_MAX_INSTR)
        return program_wrong(c, name, "is one operation or feature too many: %d are the most",
                             PROGRAM_MAX_INSTR);
    if (in.op > KPRED_OP_CONST)
        p->n_features += in.n;
    else if (p->n_registers == KPRED_MAX_REGISTERS)
        return program_wrong(c, name,
                             "is one number too many: %d fields, names and constants are the most",
                             KPRED_MAX_REGISTERS);
    else
        snprintf(c->names[p->n_registers++], sizeof c->names[0], "%s", name);
    if (p->n_features > KPRED_MAX_WIDTH)
        return program_wrong(c, name, "with its %d there are %zu features: %d are the most", in.n,
                             p->n_features, KPRED_MAX_WIDTH);
    p->instr[p->n_instr++] = in;
    return 0;
}

static int find_register(const struct compiler *c, const char *name)
{
    for (size_t i = 0; i < c->out->n_registers; i++)
        if (!strcmp(c->names[i], name))
            return (int)i;
    return -1;
}

/* ---- formulas ---- */

/* The operations of a clause in those of registers, behind their operands: a b, 0 1 */
static const char *const steps[CLAUSE_OPS] = {
    [CLAUSE_NEG] = "0a-",      [CLAUSE_ABS] = "a0a-^",         [CLAUSE_NOT] = "1a-",
    [CLAUSE_ADD] = "ab+",      [CLAUSE_SUB] = "ab-",           [CLAUSE_MUL] = "ab*",
    [CLAUSE_MOD] = "ab%",      [CLAUSE_FLOOR_DIV] = "aab%-b/", [CLAUSE_CEIL_DIV] = "ab/",
    [CLAUSE_MIN] = "ab_",      [CLAUSE_MAX_OF] = "ab^",        [CLAUSE_EQ] = "1ab-ba-^1_-",
    [CLAUSE_NE] = "ab-ba-^1_", [CLAUSE_LT] = "ba-0^1_",        [CLAUSE_LE] = "1ab-0^1_-",
    [CLAUSE_ANY] = "ab^",      [CLAUSE_AND] = "ab*",           [CLAUSE_OR] = "a1a-b*+"};
static const char signs[] = "+-*/%_^";
static const unsigned char sign_ops[] = {KPRED_OP_ADD,      KPRED_OP_SUB, KPRED_OP_MUL,
                                         KPRED_OP_CEIL_DIV, KPRED_OP_MOD, KPRED_OP_MIN,
                                         KPRED_OP_MAX};

/* A register of this, which may be there; -1 with a message. */
static int formula_register(struct compiler *c, int op, int a, int b, int64_t k)
{
    const kpred_instr in = {(uint8_t)op, (uint8_t)a, (uint8_t)b, 0, (int32_t)k};
    size_t given = c->out->n_registers;
    for (size_t i = 0; i < c->out->n_instr; i++)
        given -= c->out->instr[i].op <= KPRED_OP_CONST;
    for (size_t i = 0; i < c->out->n_instr; i++) {
        const kpred_instr *x = c->out->instr + i;
        if (x->op == in.op && x->a == in.a && x->b == in.b && x->k == in.k && x->n == 0)
            return (int)given;
        given += x->op <= KPRED_OP_CONST;
    }
    return add_instr(c, in, "") ? -1 : (int)c->out->n_registers - 1;
}

/* A node by an operation of `steps` and its operands. -(-a // b) is a rounded up. */
struct step {
    enum clause_op op;
    size_t a, b;
};

static struct step step_of(const struct clause *f, const struct clause_node *x)
{
    const struct clause_node *a = f->nodes + x->a;
    return x->op == CLAUSE_NEG && a->op == CLAUSE_FLOOR_DIV && f->nodes[a->a].op == CLAUSE_NEG
               ? (struct step){CLAUSE_CEIL_DIV, f->nodes[a->a].a, a->b}
               : (struct step){x->op, x->a, x->b};
}

/* What keeps a node of a formula from being a register; NULL: nothing does. */
static const char *formula_trouble(const struct compiler *c, const struct clause *f,
                                   const struct clause_node *x)
{
    const struct step s = step_of(f, x);
    int64_t least[2], most;
    clause_range(f, c->spec, s.a, &least[0], &most);
    clause_range(f, c->spec, s.b, &least[1], &most);
    if (s.op == CLAUSE_PARAM && !c->is_judge)
        return "the formula has a parameter, which the network does not see";
    if (s.op == CLAUSE_CONST && (x->k > INT32_MAX || x->k < -INT32_MAX))
        return "the formula has a number above 2^31";
    if (x->type == CLAUSE_QUOTIENT)
        return "the formula has a quotient, and the network whole numbers: write // in place of /";
    if ((s.op == CLAUSE_NOT || s.op >= CLAUSE_AND) && f->nodes[s.a].type != CLAUSE_TRUTH)
        return "the formula takes a number for a truth: compare it";
    if (s.op >= CLAUSE_FLOOR_DIV && s.op <= CLAUSE_CEIL_DIV && (least[0] < 0 || least[1] < 0))
        return "the formula divides what may be negative, which the network cannot";
    return NULL;
}

static int compile_steps(struct compiler *c, const char *text, int a, int b)
{
    int stack[8] = {0}, n = 0; /* the longest of `steps` need four */
    for (; *text; text++) {
        const char *sign = strchr(signs, *text);
        n -= sign ? 2 : 0;
        stack[n] = sign ? formula_register(c, sign_ops[sign - signs], stack[n], stack[n + 1], 0)
                   : *text == 'a' ? a
                   : *text == 'b' ? b
                                  : formula_register(c, KPRED_OP_CONST, 0, 0, *text - '0');
        if (stack[n++] < 0)
            return -1;
    }
    return stack[0];
}

static int compile_node(struct compiler *c, const struct formula *f, size_t i)
{
    const struct clause_node *x = f->of.nodes + i;
    const struct step s = step_of(&f->of, x);
    const char *trouble = formula_trouble(c, &f->of, x);
    if (trouble)
        return program_wrong(c, f->name, "%s", trouble);
    if (c->made[i])
        return c->made[i] - 1;
    if (s.op == CLAUSE_CONST)
        return formula_register(c, KPRED_OP_CONST, 0, 0, x->k);
    if (s.op <= CLAUSE_PARAM)
        return (int)(x->k + (s.op == CLAUSE_PARAM ? (int64_t)c->spec->n_fields : 0));
    const int a = compile_node(c, f, s.a);
    const int b = a < 0 || s.b == s.a ? a : compile_node(c, f, s.b);
    return b < 0 ? -1 : (c->made[i] = compile_steps(c, steps[s.op], a, b) + 1) - 1;
}

/* A register by name, which may be that of a formula; NONE: there is none, -1: with a message. */
static int named_register(struct compiler *c, const char *word)
{
    const struct formula *f = formula_find(&c->read, word);
    int r = find_register(c, word);
    if (r >= 0 || !f)
        return r >= 0 ? r : NONE;
    memset(c->made, 0, sizeof c->made);
    r = compile_node(c, f, f->of.n - 1);
    if (r >= 0 && !*c->names[r])
        snprintf(c->names[r], sizeof c->names[r], "%s", word);
    return r;
}

/* A register by name, or a new one for a number; -1 with a message. */
static int operand(struct compiler *c, const char *word)
{
    kpred_instr in = {KPRED_OP_CONST, 0, 0, 0, 0};
    int64_t k;
    const int r = named_register(c, word);
    if (r != NONE)
        return r;
    if (parse_int(word, 0, KPRED_MAX_SIZE, &k))
        return program_wrong(c, word, "is neither a field, a name above nor a number");
    in.k = (int32_t)k;
    return add_instr(c, in, "") ? -1 : (int)c->out->n_registers - 1;
}

/* ---- lines ---- */

/* NAME = OP A [B] | NAME = NUMBER */
static int compile_register(struct compiler *c, const struct words *w)
{
    kpred_instr in = {KPRED_OP_CONST, 0, 0, 0, 0};
    int64_t k;
    if (w->n < 3 || strcmp(w->v[1], "="))
        return program_wrong(c, w->v[0], "expected NAME = OP A [B]");
    if (!is_identifier(w->v[0]) || find_register(c, w->v[0]) >= 0
        || formula_find(&c->read, w->v[0]))
        return program_wrong(c, w->v[0], "is not a name, or one that is taken");
    if (w->n == 3 && !parse_int(w->v[2], 0, KPRED_MAX_SIZE, &k)) {
        in.k = (int32_t)k;
        return add_instr(c, in, w->v[0]);
    }
    const struct op *op = find_op(c, w->v[2], w->n - 3, 0);
    if (!op)
        return -1;
    int a = operand(c, w->v[3]);
    int b = a < 0 || op->n_words == 1 ? a : operand(c, w->v[4]);
    if (a < 0 || b < 0)
        return -1;
    in.op = op->code;
    in.a = (uint8_t)a;
    in.b = (uint8_t)(op->n_words == 1 ? 0 : b);
    return add_instr(c, in, w->v[0]);
}

static int integer(const struct compiler *c, const char *word, int64_t least, int64_t most,
                   int32_t *out)
{
    int64_t x;
    if (parse_int(word, least, most, &x))
        return program_wrong(c, word, "is not an integer from %lld to %lld", (long long)least,
                             (long long)most);
    *out = (int32_t)x;
    return 0;
}

/* Octaves with a binary fraction, to Q16. */
static int octaves(const struct compiler *c, const char *word, int32_t *out)
{
    char *end;
    const double x = strtod(word, &end);
    if (end == word || *end || !(x >= -64 && x <= 64) || x * 65536 != (double)(int32_t)(x * 65536))
        return program_wrong(c, word,
                             "is not a number of octaves, from -64 to 64 in steps of 1/65536");
    *out = (int32_t)(x * 65536);
    return 0;
}

/* A power of two of octaves, as the exponent of its Q16 value. */
static int octave_shift(const struct compiler *c, const char *word, uint8_t *out)
{
    int32_t x, near = 1;
    if (octaves(c, word, &x))
        return -1;
    for (*out = 0; near < x && near <= INT32_MAX / 2; near *= 2)
        ++*out;
    if (x <= 0)
        return program_wrong(c, word, "is not a power of two, such as 0.5, 1 or 2");
    return near == x ? 0
                     : program_wrong(c, word, "is not a power of two: %g and %g are the nearest",
                                     near / 131072.0, near / 65536.0);
}

static int feature_arguments(struct compiler *c, const struct words *w, kpred_instr *in)
{
    int32_t n = 1;
    switch (in->op) {
    case KPRED_OP_EQUALS:
        if (w->n == 2) /* onehot */
            n = (int32_t)(in->a < c->spec->n_fields ? c->spec->fields[in->a].n_tokens : 0);
        else if (integer(c, w->v[2], 0, KPRED_MAX_SIZE, &in->k) || integer(c, w->v[3], 1, 99, &n))
            return -1;
        if (n == 0)
            return program_wrong(c, w->v[1], "is not a field of names, as onehot needs");
        break;
    case KPRED_OP_HATS:
        if (octaves(c, w->v[2], &in->k) || octave_shift(c, w->v[3], &in->b)
            || integer(c, w->v[4], 2, 99, &n))
            return -1;
        break;
    case KPRED_OP_RAMP:
        if (octaves(c, w->v[2], &in->k) || octave_shift(c, w->v[3], &in->b))
            return -1;
        break;
    case KPRED_OP_DIVIDES:
        if (integer(c, w->v[2], 1, 65536, &in->k) || integer(c, w->v[3], 1, 14, &n))
            return -1;
        break;
    default:
        if (integer(c, w->v[2], 2, KPRED_MAX_SIZE, &in->k))
            return -1;
    }
    in->n = (uint8_t)n;
    return 0;
}

static int compile_feature(struct compiler *c, const struct words *w)
{
    kpred_instr in = {0, 0, 0, 0, 0};
    const struct op *op = find_op(c, w->v[0], w->n - 1, 1);
    if (!op)
        return -1;
    const int a = named_register(c, w->v[1]);
    if (a == NONE)
        return program_wrong(c, w->v[1], "is neither a field nor a name above");
    if (a < 0)
        return -1;
    in.op = op->code;
    in.a = (uint8_t)a;
    return feature_arguments(c, w, &in) ? -1 : add_instr(c, in, w->v[0]);
}

static int compile_section(struct compiler *c, const struct spec_lines *lines,
                           int (*compile)(struct compiler *, const struct words *))
{
    for (size_t i = 0; i < lines->n; i++) {
        char *text = xstrdup(lines->v[i].text);
        struct words w;
        int bad;
        c->line = lines->v[i].line;
        bad = split_words(c, text, &w) || compile(c, &w);
        free(text);
        if (bad)
            return -1;
    }
    return 0;
}

static void name_register(struct compiler *c, const char *name)
{
    snprintf(c->names[c->out->n_registers++], sizeof c->names[0], "%s", name);
}

/* A line of [judge]: a register or, without `=`, a feature */
static int compile_either(struct compiler *c, const struct words *w)
{
    return w->n > 1 && !strcmp(w->v[1], "=") ? compile_register(c, w) : compile_feature(c, w);
}

static int compile_all(struct compiler *c)
{
    const struct spec *spec = c->spec;
    const struct spec_lines *last = c->is_judge ? &spec->judge : &spec->features;
    for (size_t i = 0; i < spec->n_fields; i++)
        name_register(c, spec->fields[i].name);
    for (size_t i = 0; c->is_judge && i < spec->n_params; i++)
        name_register(c, spec->params[i].name);
    if (c->is_judge)
        name_register(c, "table");
    else if (compile_section(c, &spec->derived, compile_register))
        return -1;
    if (compile_section(c, last, c->is_judge ? compile_either : compile_feature))
        return -1;
    return c->out->n_features ? 0
           : !last->line      ? fail("%s: section [features] is missing", spec->path)
                              : fail("%s:%ld: [%s]: has no feature", spec->path, last->line,
                                c->is_judge ? "judge" : "features");
}

static int compile(const struct spec *spec, struct program *out, int is_judge)
{
    static struct compiler c;
    memset(&c, 0, sizeof c);
    memset(out, 0, sizeof *out);
    c.spec = spec;
    c.out = out;
    c.is_judge = is_judge;
    const int bad = (spec->formulas.n && clauses_read(&c.read, spec)) || compile_all(&c);
    clauses_free(&c.read);
    return bad ? -1 : 0;
}

int program_compile_judge(const struct spec *spec, struct program *out)
{
    return compile(spec, out, 1);
}

int program_compile(const struct spec *spec, struct program *out)
{
    return compile(spec, out, 0);
}

void program_of_net(struct program *out, const kpred_additive *net, size_t n_fields)
{
    out->n_instr = net->n_instr;
    out->n_registers = n_fields;
    out->n_features = net->n_features;
    for (size_t i = 0; i < net->n_instr; i++) {
        out->instr[i] = net->program[i];
        out->n_registers += net->program[i].op <= KPRED_OP_CONST;
    }
}

void program_run(const struct program *program, const int32_t *problem, size_t n_fields,
                 uint8_t *features)
{
    int32_t registers[KPRED_MAX_REGISTERS];
    program_run_whole(program, problem, n_fields, features, registers);
}

void program_run_whole(const struct program *program, const int32_t *problem, size_t n_fields,
                       uint8_t *features, int32_t *registers)
{
    runtime_features(program->instr, program->n_instr, problem, n_fields, features,
                     program->n_features, registers);
}
