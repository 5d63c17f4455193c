/* test_default_features.c - default features fit any spec and tell its problems apart
   SPDX-License-Identifier: MIT */
#include "model/clause.h"
#include "model/program.h"

#include "harness/specs.h"
#include "survey/init.h"

/* ---- specs made up ---- */

/* Field f, of so many tokens, or of 0 as the text says */
static void add_field(struct buf *b, int f, int n_tokens, const char *size)
{
    buf_printf(b, "f%d = %s", f, size);
    for (int i = 0; i < n_tokens; i++)
        buf_printf(b, " t%d", i);
    buf_puts(b, "\n");
}

static void begin(struct buf *b)
{
    b->n = 0;
    buf_puts(b, "[kernel]\nname = made\n[data]\nformat = csv\n[fields]\n");
}

/* The rest of a spec, with so many lines of its own [derived] */
static void end(struct buf *b, const char *params, int n_derived, const char *of)
{
    buf_printf(b, "[params]\n%s", params);
    if (n_derived)
        buf_puts(b, "[derived]\n");
    for (int i = 0; i < n_derived; i++)
        if (i % 2)
            buf_printf(b, "r%d = log2 r%d\n", i, i - 1);
        else
            buf_printf(b, "r%d = mul %s %s\n", i, of, of);
}

static const char tiles[] = "tile_a = 8 16 32 48 64\nb = 1 2 4 128\nmode = fast small\n";

/* ---- what holds for each ---- */

static int same_program(const struct program *p, const struct program *q)
{
    return p->n_instr == q->n_instr && p->n_features == q->n_features
           && !memcmp(p->instr, q->instr, p->n_instr * sizeof *p->instr);
}

/* The features of a problem with x in field f, of others the least value */
static void look(const struct spec *s, const struct program *p, size_t f, int32_t x, uint8_t *out)
{
    int32_t problem[KPRED_MAX_FIELDS];
    for (size_t i = 0; i < s->n_fields; i++)
        problem[i] = s->fields[i].least;
    problem[f] = x;
    program_run(p, problem, s->n_fields, out);
}

/* Every token is another; of sizes the ends of their range are. */
static int tells_apart(const struct spec *s, const struct program *p, size_t f)
{
    static uint8_t seen[KPRED_MAX_VALUES][KPRED_MAX_WIDTH];
    const struct spec_field *of = &s->fields[f];
    const size_t n = of->least == of->most ? 1 : of->n_tokens ? of->n_tokens : 2;
    for (size_t i = 0; i < n; i++) {
        look(s, p, f, of->n_tokens ? (int32_t)i : i ? of->most : of->least, seen[i]);
        for (size_t k = 0; k < i; k++)
            if (!memcmp(seen[i], seen[k], p->n_features))
                return 0;
    }
    return 1;
}

/* `what` names the spec. */
static void check_made(const char *what, const char *text)
{
    struct spec *s = spec_of(text), *once = spec_of(text);
    struct program p, q;
    CHECK_OF(!default_features_give(s, NULL) && !default_features_give(once, NULL), what);
    CHECK_OF(!program_compile(s, &p), what);
    CHECK_OF(p.n_features >= 1 && p.n_features <= KPRED_MAX_WIDTH, what);
    CHECK_OF(p.n_registers <= KPRED_MAX_REGISTERS && p.n_instr <= PROGRAM_MAX_INSTR, what);
    CHECK_OF(!strcmp(s->text, once->text), what); /* each time the same */
    CHECK_OF(!strncmp(s->text, text, strlen(text)), what);
    CHECK_OF(default_features_line(s) > 0 && default_features_line(s) < s->features.line, what);
    for (size_t f = 0; f < s->n_fields; f++)
        CHECK_OF(tells_apart(s, &p, f), what);
    struct spec *again = spec_of(s->text);
    CHECK_OF(!program_compile(again, &q), what);
    CHECK_OF(same_program(&p, &q), what);
    CHECK_OF(!default_features_give(again, NULL) && !strcmp(again->text, s->text), what);
}

/* ---- the tests ---- */

static void extremes(void)
{
    struct buf *b = new_text();
    static const struct {
        const char *what;
        int tokens; /* of each field; 0: sizes */
        const char *size;
        int n_derived;
    } all[] = {
        {"24 fields of 128 tokens", 128, "", 0},
        {"24 fields of 9 tokens", 9, "", 0},
        {"24 fields of 8 tokens", 8, "", 0},
        {"24 fields of one token", 1, "", 0},
        {"24 sizes", 0, "size", 0},
        {"24 sizes of 8 values", 0, "size 0 7", 0},
        {"24 sizes of 9 values", 0, "size 0 8", 0},
        {"24 sizes of one value", 0, "size 5 5", 0},
        {"24 sizes and 100 registers", 0, "size 1 1000", 100},
        {"24 fields of 128 tokens and 104 registers", 128, "", 104},
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        begin(b);
        for (int f = 0; f < KPRED_MAX_FIELDS; f++)
            add_field(b, f, all[i].tokens, all[i].size);
        end(b, tiles, all[i].n_derived, "f0");
        check_made(all[i].what, b->s);
    }
}

/* Names as long as they may be, of which registers are made, and one that is taken */
static void names(void)
{
    struct buf *b = new_text();
    begin(b);
    for (char c = 'a'; c < 'f'; c++) {
        char name[KPRED_MAX_VALUES] = {0};
        memset(name, 'x', 62);
        buf_printf(b, "%s%c = size\n", name, c);
    }
    buf_puts(b, "n = size\nlog2_n = size\nlog2_product = size\n");
    end(b, tiles, 4, "n");
    check_made("long names", b->s);
}

static void at_random(void)
{
    struct buf *b = new_text();
    uint64_t seed = 19;
    char name[32];
    for (int i = 0; i < 100; i++) {
        const int n = 1 + (int)(test_random64(&seed) % KPRED_MAX_FIELDS);
        begin(b);
        for (int f = 0; f < n; f++) {
            const uint64_t x = test_random64(&seed);
            const int n_tokens = x % 3 == 0 ? 1 + (int)(x / 3 % (x % 2 ? 128 : 9)) : 0;
            snprintf(name, sizeof name, "size %d %d", (int)(x / 3 % 5),
                     4 + (int)(x / 15 % (1 << (x / 1000 % 20))));
            add_field(b, f, n_tokens, x % 3 == 0 ? "" : x % 3 == 1 ? "size" : name);
        }
        end(b, tiles, (int)(test_random64(&seed) % 3 * 8), "f0");
        snprintf(name, sizeof name, "random %d", i);
        check_made(name, b->s);
    }
}

/* What a user sees: tiles by name, and hats over the spec's own registers, each size once */
static void what_they_are(void)
{
    static const char text[] =
        "[kernel]\nname = made\n[data]\nformat = csv\n[fields]\ngpu = a b\n"
        "a = size\nb = size\nk = size 4 4096\npad = size 0 3\n[params]\n"
        "tile_a = 8 48\nBK = 16 32\nother = 64\nmore = 1 100\n[derived]\nmine = log2 k\n"
        "step = sub b 1\narea = mul step k\n"
        "mean = ceil_div area k\nlog_area = log2 area\n";
    struct spec *s = spec_of(text);
    REQUIRE(!default_features_give(s, NULL));
    CHECK(has_line(s->text, "onehot gpu"));
    CHECK(has_line(s->text, "equals pad 0 4"));
    CHECK(has_line(s->text, "fraction a 48") && has_line(s->text, "fraction a 8"));
    CHECK(!has_line(s->text, "fraction a 32"));
    CHECK(has_line(s->text, "ramp log2_b 0 32"));
    CHECK(!has_line(s->text, "divides b 2 3"));
    CHECK(has_line(s->text, "fraction k 32"));
    CHECK(!has_line(s->text, "fraction k 48"));
    CHECK(has_line(s->text, "fraction area 64") && has_line(s->text, "fraction area 100"));
    CHECK(has_line(s->text, "hats mine 2 1 11"));
    CHECK(!strstr(s->text, "log2_k"));
    CHECK(strstr(s->text, "log2_mean = log2 mean") != NULL);
    CHECK(!strstr(s->text, "log2_area") && !strstr(s->text, "log2_step"));
    CHECK(!has_line(s->text, "divides step 2 3") && has_line(s->text, "divides area 2 3"));
}

/* ---- formulas ---- */

static const char formulas[] =
    "[kernel]\nname = made\n[data]\nformat = timed\n[fields]\ngpu = a b\nm = size\n"
    "n = size 0 4000\n[params]\nt = 8 16\n[formulas]\none = 3 * 4\narea = m * n\n"
    "tail = n % 8\nup = -(-n // one)\nunits = 60 if gpu == a else 104\n"
    "waves = ceil_div(up, units)\nwide = n > 4 * m and not tail == 0 or gpu != a\n"
    "off = abs(n - m) + min(m, 7, n) - max(n, 9) // one\nodd = m in (64, 77, n) and m <= n\n"
    "part = m * t\nratio = n / m\nless = (n - 9) // 2\ntruth = m and n\n";

/* One that the network may have is the same number for it as for judges. */
static int is_exact(const struct formula *f, const int32_t *problem)
{
    static const int32_t values[] = {8};
    const double exact = clause_number(&f->of, problem, values);
    char text[80];
    struct spec_line line = {text, 1, 1};
    struct spec one = *spec_of(formulas);
    struct program p;
    uint8_t x = 0;
    snprintf(text, sizeof text, "equals %s %.0f 1", f->name, exact < 0 ? 0 : exact);
    one.features = (struct spec_lines){1, 1, &line};
    if (program_compile(&one, &p))
        return 0;
    program_run(&p, problem, one.n_fields, &x);
    return (x == 127) == (exact >= 0);
}

static void formulas_are_numbers(void)
{
    static const int32_t problem[][3] = {{0, 64, 4000}, {1, 77, 16}, {0, 1, 0},  {1, 1000, 999},
                                         {0, 9, 9},     {1, 8, 64},  {0, 77, 77}};
    static struct clauses c;
    REQUIRE(!clauses_read(&c, spec_of(formulas)) && c.n_formulas == 13);
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < COUNT(problem); k++)
            CASE(is_exact(&c.formula[i], problem[k]), "%s of problem %zu", c.formula[i].name, k);
    for (size_t i = 9; i < c.n_formulas; i++)
        CASE(!is_exact(&c.formula[i], problem[0]), "%s is none for the network", c.formula[i].name);
    clauses_free(&c);
}

/* Those of fields alone are sizes; products are of fields. */
static void formulas_have_features(void)
{
    struct spec *s = spec_of(formulas);
    REQUIRE(!default_features_give(s, NULL));
    CHECK(has_line(s->text, "log2_area = log2 area") && has_line(s->text, "ramp log2_area 0 32"));
    CHECK(has_line(s->text, "equals tail 0 8") && has_line(s->text, "equals wide 0 2"));
    CHECK(has_line(s->text, "divides waves 2 3")
          && has_line(s->text, "log2_product = add log2_m log2_n"));
    static const char *const none[] = {" one ", " part ", " ratio ", " less ", " truth "};
    for (size_t i = 0; i < COUNT(none); i++)
        CHECK_OF(!strstr(strstr(s->text, "[derived]"), none[i]), none[i]);
    check_made("formulas", formulas);
}

/* Lines of another kpred-train are taken as they are; a spec's own stay. */
static void others(void)
{
    static const char text[] = "[kernel]\nname = made\n[data]\nformat = csv\n[fields]\na = size\n"
                               "[params]\nt = 1 2\n";
    struct spec *like = spec_of(text), *s = spec_of(text);
    REQUIRE(!default_features_give(like, NULL));
    char *edited = new_copy(like->text), *at = strstr(edited, "hats log2_a 0 ");
    REQUIRE(at != NULL);
    at[12] = '1';
    like = spec_of(edited);
    CHECK(!default_features_give(s, like) && !strcmp(s->text, edited));
    CHECK(default_features_line(s) == default_features_line(like) && default_features_line(s) > 8);
    struct buf *own = new_text();
    buf_printf(own, "%s[features]\nramp a 0 4\n", text);
    s = spec_of(own->s);
    CHECK(!default_features_give(s, like));
    CHECK(!strcmp(s->text, own->s) && default_features_line(s) == 0);
}

/* Is no feature of the problems always the same, nor the same as another one? */
static int all_tell(const struct spec *s, const struct telling_problems *of)
{
    static uint8_t x[KPRED_MAX_WIDTH][64];
    uint8_t now[KPRED_MAX_WIDTH];
    struct program p;
    if (program_compile(s, &p) != 0)
        return 0;
    for (size_t i = 0; i < of->n; i++) {
        program_run(&p, of->v + i * s->n_fields, s->n_fields, now);
        for (size_t c = 0; c < p.n_features; c++)
            x[c][i] = now[c];
    }
    for (size_t c = 0; c < p.n_features; c++) {
        if (!memcmp(x[c], x[c] + 1, of->n - 1))
            return 0;
        for (size_t k = 0; k < c; k++)
            if (!memcmp(x[c], x[k], of->n))
                return 0;
    }
    return 1;
}

/* A number of one of the first octaves */
static int32_t of_octaves(int octaves, uint64_t x)
{
    const int32_t power = 1 << (int)(x % (uint64_t)octaves);
    return power + (int32_t)(x / 64 % (uint64_t)power);
}

/* The lines of hats of a register */
static int count_hats(const char *text, const char *of)
{
    int n = 0;
    for (; (text = strstr(text, of)) != NULL; text++)
        n++;
    return n;
}

/* With problems whose sizes are those of many octaves, or powers of two with octaves between them
   that none has: hats lie there all the same, in one row */
static void tell_apart(void)
{
    static const char text[] = "[kernel]\nname = made\n[data]\nformat = csv\n[fields]\n"
                               "a = size\nb = size\nc = size\nflag = size 0 1\n[params]\n"
                               "tile_a = 8 16 48\nt = 1 2 4\n";
    uint64_t seed = 3;
    for (int i = 0; i < 40; i++) {
        int32_t v[64 * 4];
        const struct telling_problems of = {64, v};
        const int gap = i % 4;
        struct buf *all = new_text();
        struct spec *s = spec_of(text);
        for (size_t k = 0; k < 64 * 4; k++) {
            const uint64_t x = test_random64(&seed) >> 20;
            v[k] = k % 4 == 3              ? (int)(x % 2)
                   : k % 4 == 0 && gap > 0 ? 1 << (int)(x % 4) * (gap + 1)
                                           : of_octaves(5 + (int)(k % 4), x);
        }
        REQUIRE(!default_features_give(s, NULL));
        const char *features = strstr(s->text, "[features]\n");
        buf_printf(all, "%.*s[features]\n", (int)(features - s->text), s->text);
        CHECK(!telling_features(s, &of, all));
        CHECK_OF(gap > 0 || all_tell(spec_of(all->s), &of), strstr(all->s, "[features]"));
        CHECK_OF(count_hats(all->s, "hats log2_a ") == 1, strstr(all->s, "[features]"));
    }
}

int main(void)
{
    RUN_ALL(extremes, names, at_random, what_they_are, formulas_are_numbers, formulas_have_features,
            others, tell_apart);
    return test_end();
}
