/* default_features.c - features for a spec that has no section [features]
   SPDX-License-Identifier: MIT */
#include "clause.h"
#include "program.h"

#include "base/numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_SIZE = 64 }; /* of a register, with its NUL */

enum kind { TOKENS, SIZE, LOGARITHM, CONSTANT };

struct reg {
    char name[NAME_SIZE];
    enum kind kind;
};

/* What hats go over */
struct source {
    int size, log;       /* registers; -1: there is none, as yet */
    int32_t least, most; /* of the size */
    int is_step;         /* to registers of the spec's own: it has a ramp alone */
};

struct plan {
    const struct spec *spec;
    struct buf *derived, *features;
    size_t registers, instr, width; /* what there is left of each */
    size_t spare;                   /* of the width: promised to nothing */
    size_t most_tokens;             /* of a field with a one-hot */
    size_t n_regs, n_sources, n_steps;
    size_t n_sizes; /* the first sources, which are fields */
    struct reg reg[2 * KPRED_MAX_REGISTERS];
    struct source source[KPRED_MAX_REGISTERS];
};

enum {
    MOST_WORDS = 6, /* of a line of [derived] */
    SMALL = 8,      /* a size of so many values has a feature for each */
    SURE = 5,       /* features that a size has in any case: hats of step 8, and a ramp */
    OCTAVES = 32,   /* of registers of the spec's own */
    HATS = 112,     /* features for hats that are enough */
    PAIRED = 3,     /* so many sizes have hats over each two of them */
    DIVISORS = 3,   /* powers of two in a line: 2, 4, 8 */
    MOST_TILES = 8  /* of a size */
};

/* ---- registers ---- */

/* A register by its name; -1: there is none. */
static int find_register(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->n_regs; i++)
        if (!strcmp(p->reg[i].name, name))
            return (int)i;
    return -1;
}

/* The number of a register that the spec has, or a line of it. */
static int name_register(struct plan *p, const char *name, enum kind kind)
{
    struct reg *r = &p->reg[p->n_regs];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->kind = kind;
    return (int)p->n_regs++;
}

/* Adds a line NAME = OP A [B], with the name or, if that is taken, a number behind it: its
   register; -1: no room. */
static int make_register(struct plan *p, const char *name, const char *op, int a, int b)
{
    char full[NAME_SIZE];
    if (!p->registers || !p->instr)
        return -1;
    snprintf(full, sizeof full, "%.40s", name);
    for (size_t i = 2; find_register(p, full) >= 0; i++)
        snprintf(full, sizeof full, "%.40s_%zu", name, i);
    buf_printf(p->derived, "%s = %s %s%s%s\n", full, op, p->reg[a].name, b < 0 ? "" : " ",
               b < 0 ? "" : p->reg[b].name);
    p->registers--;
    p->instr--;
    return name_register(p, full, LOGARITHM);
}

/* Takes room for a line of so many features; 0: there is none. */
static int take_room(struct plan *p, size_t width)
{
    if (!p->instr || p->width < width)
        return 0;
    p->instr--;
    p->width -= width;
    return 1;
}

/* The logarithm of a size */
static int make_log(struct plan *p, int size)
{
    char name[2 * NAME_SIZE];
    snprintf(name, sizeof name, "log2_%s", p->reg[size].name);
    return make_register(p, name, "log2", size, -1);
}

/* That of a product, of two logarithms */
static int make_sum(struct plan *p, int a, int b)
{
    return a < 0 || b < 0 ? -1 : make_register(p, "log2_product", "add", a, b);
}

/* ---- features ---- */

static void add_hats(struct plan *p, int log, int first, int step, int last)
{
    const int n = (last - first + step - 1) / step + 1;
    if (log >= 0 && n >= 2 && take_room(p, (size_t)n))
        buf_printf(p->features, "hats %s %d %d %d\n", p->reg[log].name, first, step, n);
}

static void add_ramp(struct plan *p, int log, int first, int last)
{
    int width = 1;
    while (width < last - first)
        width *= 2;
    if (log >= 0 && take_room(p, 1))
        buf_printf(p->features, "ramp %s %d %d\n", p->reg[log].name, first, width);
}

/* ---- lines of the spec's own [derived] ---- */

struct words {
    char text[512]; /* of a longer line the rest is left out: program.c refuses it */
    size_t n;
    const char *v[MOST_WORDS];
};

static void split(const char *line, struct words *w)
{
    snprintf(w->text, sizeof w->text, "%s", line);
    w->n = 0;
    for (char *p = strtok(w->text, " \t"); p && w->n < MOST_WORDS; p = strtok(NULL, " \t"))
        w->v[w->n++] = p;
}

static int is_number(const char *word)
{
    return isdigit((unsigned char)*word) != 0;
}

/* Is a size only there to compute others from it, in the lines from `first`? One whose logarithm is
   taken is not. */
static int is_step(const struct spec_lines *own, size_t first, const char *name)
{
    int is_used = 0;
    for (size_t i = first; i < own->n; i++) {
        struct words w;
        split(own->v[i].text, &w);
        for (size_t k = 3; k < w.n; k++) {
            if (strcmp(w.v[k], name) != 0)
                continue;
            if (!strcmp(w.v[2], "log2"))
                return 0;
            is_used = 1;
        }
    }
    return is_used;
}

/* ---- fields ---- */

static size_t values_of(const struct spec_field *f)
{
    return (size_t)f->most - (size_t)f->least + 1;
}

/* Do its values have a feature each? Of tokens, without such a choice. */
static int is_small(const struct spec_field *f)
{
    return f->n_tokens ? f->n_tokens <= SMALL : values_of(f) <= SMALL;
}

/* Binary digits of the numbers of tokens */
static size_t digits_of(const struct spec_field *f)
{
    size_t n = 1;
    while ((size_t)1 << n < f->n_tokens)
        n++;
    return n;
}

/* The features that it has in any case. KPRED_MAX_FIELDS times the largest fit. */
static size_t sure_width(const struct plan *p, const struct spec_field *f)
{
    return values_of(f) == 1                        ? 0
           : is_small(f)                            ? values_of(f)
           : f->n_tokens                            ? digits_of(f)
           : is_step(&p->spec->derived, 0, f->name) ? 1
                                                    : SURE;
}

/* The number of tokens up to which fields have a one-hot, so that there is room for all else */
static size_t find_most_tokens(struct plan *p)
{
    size_t most = SMALL;
    for (size_t n = SMALL + 1; n <= SPEC_MAX_TOKENS; n++) {
        size_t more = 0;
        for (size_t i = 0; i < p->spec->n_fields; i++)
            if (p->spec->fields[i].n_tokens == n)
                more += n - digits_of(&p->spec->fields[i]);
        if (more > p->spare)
            break;
        p->spare -= more;
        most = n;
    }
    return most;
}

static void add_digit(struct plan *p, const struct spec_field *f, size_t i)
{
    if (take_room(p, 1))
        buf_printf(p->features, "fraction %s %d\n", f->name, 1 << i);
}

/* The last binary digit and the number as a whole tell all tokens apart. */
static void add_tokens(struct plan *p, const struct spec_field *f)
{
    if (f->n_tokens > p->most_tokens) {
        add_digit(p, f, 1);
        add_digit(p, f, digits_of(f));
    } else if (take_room(p, f->n_tokens)) {
        buf_printf(p->features, "onehot %s\n", f->name);
    }
}

/* The digits between these */
static void add_digits(struct plan *p)
{
    for (size_t i = 0; i < p->spec->n_fields; i++)
        for (size_t k = 2; k < digits_of(&p->spec->fields[i]); k++)
            if (p->spec->fields[i].n_tokens > p->most_tokens)
                add_digit(p, &p->spec->fields[i], k);
}

static struct source *add_source(struct plan *p, int size, int log)
{
    struct source *s = &p->source[p->n_sources++];
    *s = (struct source){size, log, 0, KPRED_MAX_SIZE, 0};
    return s;
}

/* A feature for each value, or a source */
static void take_size(struct plan *p, const struct spec_field *f)
{
    const int r = name_register(p, f->name, SIZE);
    if (is_small(f)) {
        if (take_room(p, values_of(f)))
            buf_printf(p->features, "equals %s %d %zu\n", f->name, (int)f->least, values_of(f));
        return;
    }
    struct source *s = add_source(p, r, -1);
    s->least = f->least;
    s->most = f->most;
    s->is_step = is_step(&p->spec->derived, 0, f->name);
    p->n_steps += (size_t)s->is_step;
}

/* One-hots, and a source for each size that is not small */
static void add_fields(struct plan *p)
{
    for (size_t i = 0; i < p->spec->n_fields; i++)
        p->spare -= sure_width(p, &p->spec->fields[i]);
    p->most_tokens = find_most_tokens(p);
    for (size_t i = 0; i < p->spec->n_fields; i++) {
        const struct spec_field *f = &p->spec->fields[i];
        if (!f->n_tokens && values_of(f) > 1)
            take_size(p, f);
        else
            name_register(p, f->name, f->n_tokens ? TOKENS : SIZE);
        if (f->n_tokens && values_of(f) > 1)
            add_tokens(p, f);
    }
    p->n_sizes = p->n_sources;
}

/* ---- formulas of fields alone ---- */

/* Instructions, and so registers at most, that a formula takes; 0: it is none for the network, or
   wrong, which is told when the model is made of the spec. */
static size_t formula_cost(const struct spec *spec, const char *name)
{
    char text[NAME_SIZE + 16];
    struct spec_line line = {text, 1, 1};
    struct spec one = *spec;
    struct program made;
    snprintf(text, sizeof text, "equals %s 0 1", name);
    one.derived.n = 0;
    one.features = (struct spec_lines){1, 1, &line};
    return program_compile(&one, &made) ? 0 : made.n_instr;
}

/* It is a size. */
static void take_formula(struct plan *p, const struct formula *f)
{
    struct spec_field as = {.name = f->name};
    const size_t cost = clause_has_fields(&f->of) ? formula_cost(p->spec, f->name) : 0;
    int64_t least, most;
    clause_range(&f->of, p->spec, f->of.n - 1, &least, &most);
    if (!cost || cost > p->registers || cost > p->instr || p->spare < SURE || most <= least)
        return;
    as.least = (int32_t)(least < 0 ? 0 : least < INT32_MAX ? least : INT32_MAX);
    as.most = (int32_t)(most < INT32_MAX ? most : INT32_MAX);
    p->registers -= cost;
    p->instr -= cost;
    p->spare -= SURE;
    take_size(p, &as);
}

static void add_formulas(struct plan *p)
{
    struct clauses c;
    struct spared trouble = {0, ""};
    spare_begin(&trouble);
    if (p->spec->formulas.n && !clauses_read(&c, p->spec)) {
        for (size_t i = 0; i < c.n_formulas; i++)
            take_formula(p, &c.formula[i]);
        clauses_free(&c);
    }
    spare_end();
}

/* ---- registers of the spec's own ---- */

static enum kind kind_of(const struct plan *p, const struct words *w)
{
    enum kind kind = !strcmp(w->v[2], "log2") ? LOGARITHM : is_number(w->v[2]) ? CONSTANT : SIZE;
    for (size_t i = 3; i < w->n; i++) {
        const int r = find_register(p, w->v[i]);
        if (r >= 0 && p->reg[r].kind == LOGARITHM)
            kind = LOGARITHM;
    }
    return kind;
}

/* The source of which a line is the logarithm, if that has none yet */
static struct source *find_source(struct plan *p, const struct words *w)
{
    const int r = w->n == 4 && !strcmp(w->v[2], "log2") ? find_register(p, w->v[3]) : -1;
    for (size_t i = 0; i < p->n_sources; i++)
        if (r >= 0 && p->source[i].size == r && p->source[i].log < 0)
            return &p->source[i];
    return NULL;
}

/* A register is what its features are of, where there is room for them. */
static void take_own(struct plan *p, size_t line, const struct words *w)
{
    const enum kind kind = kind_of(p, w);
    struct source *of = find_source(p, w);
    const int r = name_register(p, w->v[0], kind);
    if (of) {
        of->log = r;
    } else if (kind != CONSTANT && p->spare >= SURE
               && (kind == LOGARITHM || !is_step(&p->spec->derived, line + 1, w->v[0]))) {
        p->spare -= SURE;
        add_source(p, kind == SIZE ? r : -1, kind == SIZE ? -1 : r);
    }
}

/* A number among the operands takes a register, as the line itself does. Lines that program.c
   refuses do no harm here. */
static void count_own(struct plan *p)
{
    for (size_t i = 0; i < p->spec->derived.n; i++) {
        struct words w;
        size_t n = 1;
        split(p->spec->derived.v[i].text, &w);
        for (size_t k = 3; k < w.n; k++)
            n += (size_t)is_number(w.v[k]);
        p->registers -= n < p->registers ? n : p->registers;
        p->instr -= n < p->instr ? n : p->instr;
    }
}

static void read_own(struct plan *p)
{
    for (size_t i = 0; i < p->spec->derived.n && p->n_regs < KPRED_MAX_REGISTERS; i++) {
        struct words w;
        split(p->spec->derived.v[i].text, &w);
        if (w.n >= 3)
            take_own(p, i, &w);
    }
}

/* ---- sizes ---- */

static int floor_log2(int32_t x)
{
    int n = 0;
    while (x > 1) {
        x /= 2;
        n++;
    }
    return n;
}

static int first_octave(const struct source *s)
{
    return floor_log2(s->least);
}

static int last_octave(const struct source *s)
{
    return s->size < 0 ? OCTAVES : floor_log2(s->most - 1) + 1;
}

/* Hats in octaves: how far, and how near to each other. Those at the ends take all beyond them. */
struct grid {
    int span, step;
};

static int grid_end(const struct source *s, struct grid g)
{
    const int last = last_octave(s), end = first_octave(s) + g.span;
    return last < end ? last : end;
}

static size_t grid_width(const struct plan *p, struct grid g)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_sources; i++) {
        const int span = grid_end(&p->source[i], g) - first_octave(&p->source[i]);
        n += p->source[i].is_step ? 1 : (size_t)((span + g.step - 1) / g.step) + 2;
    }
    return n;
}

/* The finest that there is room for */
static struct grid find_grid(const struct plan *p)
{
    static const struct grid grids[] = {{24, 1}, {16, 1}, {16, 2}, {24, 4}, {16, 4}};
    const size_t most = p->spare + SURE * (p->n_sources - p->n_steps) + p->n_steps;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const size_t n = grid_width(p, grids[i]);
        if (n <= most && n <= HATS)
            return grids[i];
    }
    return (struct grid){24, 8};
}

static void add_sizes(struct plan *p)
{
    const struct grid g = find_grid(p);
    for (size_t i = 0; i < p->n_sources; i++) {
        struct source *s = &p->source[i];
        if (s->log < 0)
            s->log = make_log(p, s->size);
    }
    for (size_t i = 0; i < p->n_sources; i++) {
        const struct source *s = &p->source[i];
        if (!s->is_step)
            add_hats(p, s->log, first_octave(s), g.step, grid_end(s, g));
        add_ramp(p, s->log, first_octave(s), last_octave(s));
    }
}

/* ---- products of sizes ---- */

/* Of all sizes, and of each two if they are few; the first two have theirs on the way to all. */
static void add_products(struct plan *p)
{
    const size_t n = p->n_sizes;
    int all = n ? p->source[0].log : -1, first_two = -1;
    for (size_t i = 1; i < n; i++) {
        all = make_sum(p, all, p->source[i].log);
        if (i == 1)
            first_two = all;
        if (i == n - 1)
            add_hats(p, all, 4, 2, OCTAVES - 4);
    }
    for (size_t i = 0; i < n && n > 2 && n <= PAIRED; i++)
        add_hats(p, i ? make_sum(p, p->source[i].log, p->source[(i + 1) % n].log) : first_two, 4, 2,
                 OCTAVES - 4);
}

/* ---- tiles of a size ---- */

/* By its size, if it may be cut; else NULL. */
static const char *cut_name(const struct plan *p, size_t i)
{
    const struct source *s = &p->source[i];
    return s->size < 0 || s->is_step ? NULL : p->reg[s->size].name;
}

static void add_divisors(struct plan *p, int first)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i) && take_room(p, DIVISORS))
            buf_printf(p->features, "divides %s %d %d\n", cut_name(p, i), first, DIVISORS);
}

/* Is the size's name a piece of the parameter's, or the last of two letters? */
static int names(const char *param, const char *size)
{
    const size_t n = strlen(size), all = strlen(param);
    size_t i = 0;
    if (n == 1 && all == 2 && strcasecmp(param + 1, size) == 0)
        return 1;
    while (i < all) {
        const size_t piece = strcspn(param + i, "_");
        if (piece == n && strncasecmp(param + i, size, n) == 0)
            return 1;
        i += piece + (param[i + piece] == '_');
    }
    return 0;
}

static int names_any(const struct plan *p, const char *param)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i) && names(param, cut_name(p, i)))
            return 1;
    return 0;
}

struct tiles {
    size_t n;
    int32_t k[KPRED_MAX_TUPLE * KPRED_MAX_VALUES];
};

static void add_values(struct tiles *t, const struct spec_param *param, int32_t most)
{
    for (size_t v = 0; v < param->n_values && !param->names[0]; v++)
        if (param->values[v] > 2 && param->values[v] <= most)
            t->k[t->n++] = param->values[v];
}

/* The values by which it may be cut, each once, from the largest */
static void find_tiles(const struct plan *p, const struct source *s, struct tiles *t)
{
    const char *size = p->reg[s->size].name;
    size_t n = 0;
    t->n = 0;
    for (size_t i = 0; i < p->spec->n_params; i++)
        if (names(p->spec->params[i].name, size))
            add_values(t, &p->spec->params[i], s->most);
    const int is_named = t->n != 0;
    for (size_t i = 0; i < p->spec->n_params && !is_named; i++)
        if (!names_any(p, p->spec->params[i].name))
            add_values(t, &p->spec->params[i], s->most);
    qsort(t->k, t->n, sizeof *t->k, num_falling_int);
    for (size_t i = 0; i < t->n; i++)
        if (!n || t->k[i] != t->k[n - 1])
            t->k[n++] = t->k[i];
    t->n = n;
}

/* In turns, so that each size has its largest tiles */
static void add_fractions(struct plan *p)
{
    struct tiles *t = xcalloc(p->n_sources + 1, sizeof *t);
    for (size_t i = 0; i < p->n_sources; i++)
        if (cut_name(p, i))
            find_tiles(p, &p->source[i], &t[i]);
    for (size_t turn = 0; turn < MOST_TILES; turn++)
        for (size_t i = 0; i < p->n_sources; i++)
            if (turn < t[i].n && take_room(p, 1))
                buf_printf(p->features, "fraction %s %d\n", cut_name(p, i), (int)t[i].k[turn]);
    free(t);
}

/* Lines for divisibility by powers of two, and for what is left of sizes behind whole tiles. */
static void add_tiles(struct plan *p)
{
    add_divisors(p, 2);
    add_fractions(p);
    add_divisors(p, 2 << DIVISORS);
}

/* ---- all lines ---- */

void default_features(const struct spec *spec, struct buf *derived, struct buf *features)
{
    struct plan *p = xcalloc(1, sizeof *p);
    *p = (struct plan){.spec = spec,
                       .derived = derived,
                       .features = features,
                       .registers = KPRED_MAX_REGISTERS - spec->n_fields,
                       .instr = PROGRAM_MAX_INSTR,
                       .width = KPRED_MAX_WIDTH,
                       .spare = KPRED_MAX_WIDTH};
    count_own(p);
    add_fields(p);
    add_formulas(p);
    read_own(p);
    add_sizes(p);
    add_digits(p);
    if (!spec->derived.n) /* else that says which products matter */
        add_products(p);
    add_tiles(p);
    if (p->width == KPRED_MAX_WIDTH) /* all problems are the same one */
        buf_printf(p->features, "equals %s %d 1\n", spec->fields->name, (int)spec->fields->least);
    free(p);
}

/* ---- as a part of the spec ---- */

static const char mark[] =
    "# By default, as the spec has no [features]: what follows was made of fields and parameters.";

/* Where the comment begins a line of a text; NULL: nowhere. */
static const char *find_mark(const char *text)
{
    const char *at = text;
    while ((at = strstr(at, mark)) != NULL && at > text && at[-1] != '\n')
        at++;
    return at;
}

long default_features_line(const struct spec *spec)
{
    const char *at = find_mark(spec->text);
    long line = at != NULL;
    for (const char *p = spec->text; at && p < at; p++)
        line += *p == '\n';
    return line;
}

static void add_sections(const struct spec *spec, struct buf *text)
{
    struct buf derived = {NULL, 0, 0}, features = {NULL, 0, 0};
    default_features(spec, &derived, &features);
    buf_printf(text, "%s\n", mark);
    if (derived.n)
        buf_printf(text, "[derived]\n%s\n", derived.s);
    buf_printf(text, "[features]\n%s", features.n ? features.s : "");
    buf_free(&derived);
    buf_free(&features);
}

int default_features_give(struct spec *spec, const struct spec *like)
{
    const char *theirs = like ? find_mark(like->text) : NULL;
    struct spec old = *spec;
    struct buf text = {NULL, 0, 0};
    if (spec->features.line)
        return 0;
    buf_printf(&text, "%s%s\n", old.text, ends_with(old.text, "\n") ? "" : "\n");
    if (theirs)
        buf_puts(&text, theirs);
    else
        add_sections(&old, &text);
    const int bad = spec_parse(spec, text.s, old.path);
    buf_free(&text);
    spec_free(&old);
    return bad;
}
