/* kernel_list.c - the kernels that AITER has, and a spec with these in the place of its own
   SPDX-License-Identifier: MIT */
#include "kernel_list.h"

#include "aiter.h"
#include "data/formats.h"

#include "base/names.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static struct kernel *new_kernel(struct kernel_list *list, const char *name, const char *library)
{
    list->v = xgrow(list->v, list->n, &list->cap, sizeof *list->v);
    struct kernel *k = &list->v[list->n++];
    memset(k, 0, sizeof *k);
    k->name = xstrdup(name);
    k->library = xstrdup(library);
    return k;
}

/* Adds the architecture that the text begins with, unless it is there. */
static int add_place(struct kernel *k, const char *text, int32_t id)
{
    struct kernel_place *p = k->place;
    char arch[sizeof p->arch];
    snprintf(arch, sizeof arch, "%.*s", (int)(3 + strspn(text + 3, "0123456789abcdef")), text);
    for (; p < k->place + k->n_places; p++)
        if (strcmp(p->arch, arch) == 0)
            return 0;
    if (k->n_places == KERNEL_PLACES)
        return fail("%s: is there for more than %d architectures", k->name, KERNEL_PLACES);
    snprintf(p->arch, sizeof p->arch, "%s", arch);
    p->id = id;
    k->n_places++;
    return 0;
}

static char *word_of(char *line)
{
    static char none[1];
    char *word = strtok(line, " \t");
    return word != NULL ? word : none;
}

/* "LIBRARY M N K VARIANT = NAME ARCH:ID..." */
static int read_line(struct kernel_list *list, const struct spec_line *line)
{
    char *text = xstrdup(line->text), *library = word_of(text);
    int64_t v[KERNEL_NUMBERS] = {0};
    int bad = 0;
    for (size_t i = 0; i < KERNEL_NUMBERS; i++)
        bad |= parse_int(word_of(NULL), 0, INT32_MAX, &v[i]) != 0;
    bad |= strcmp(word_of(NULL), "=") != 0;
    const char *name = word_of(NULL);
    if (bad || *name == '\0') {
        free(text);
        return fail("%s:%ld: [kernels]: \"%s\": is not LIBRARY TILE_M TILE_N TILE_K VARIANT = NAME "
                    "GPU:ID...",
                    list->spec->path, line->line, line->text);
    }
    struct kernel *k = new_kernel(list, name, library);
    for (size_t i = 0; i < KERNEL_NUMBERS; i++)
        k->number[i] = (int32_t)v[i];
    k->is_old = 1;
    for (char *place = word_of(NULL); *place != '\0' && !bad; place = word_of(NULL))
        bad = add_place(k, place, strchr(place, ':') ? atoi(strchr(place, ':') + 1) : 0);
    free(text);
    return bad ? -1 : 0;
}

int kernel_list_open(struct kernel_list *list, const struct spec *spec)
{
    *list = (struct kernel_list){.spec = spec};
    if (spec->format != SPEC_AITER)
        return fail("%s: format: it is not aiter", spec->path);
    for (size_t i = 1; i < spec->kernels.n; i++)
        if (read_line(list, &spec->kernels.v[i]) != 0)
            return -1;
    return 0;
}

/* The tile in a kernel's name: 256x16x128x256 (threads first), t16x128x256, or 32x128E (no k). */
static void kernel_tile_of(const char *name, int32_t tile[KERNEL_TILES])
{
    enum { LEAST_THREADS = 64 };
    const int is_mangled = strncmp(name, "_ZN", 3) == 0;
    const size_t n = is_mangled ? 2 : KERNEL_TILES;
    int32_t v[16];
    memset(tile, 0, KERNEL_TILES * sizeof *tile);
    if (!is_mangled && kernel_group(name, KERNEL_TILES + 1, 0, LEAST_THREADS, v))
        memcpy(tile, v + 1, KERNEL_TILES * sizeof *tile);
    else if (kernel_group(name, n, is_mangled, 0, v))
        memcpy(tile, v, n * sizeof *tile);
}

/* ---- the list: files ---- */

/* The number is a list's own, or what a table calls a solution. Its kernelId is often old. */
struct source {
    struct kernel_list *list;
    struct csv_records *r;
    int takes_lists; /* lists alone, or tables alone? */
    int name, library, gfx, family, id, fields, tile[KERNEL_TILES]; /* columns; -1: none */
};

static const char *cell(const struct source *s, int column)
{
    return column < 0 ? "" : s->r->cell[column];
}

static int find_columns(struct source *s)
{
    static const char *const tiles[] = {"tile_m", "tile_n", "tile_k"};
    s->name = csv_records_find(s->r, "kernelName");
    s->library = csv_records_find(s->r, "libtype");
    s->gfx = csv_records_find(s->r, "gfx");
    s->family = csv_records_find(s->r, "family");
    s->fields = csv_records_find(s->r, "fields");
    s->id = csv_records_find(s->r, s->fields >= 0 ? "kernelId" : "solidx");
    for (size_t i = 0; i < KERNEL_TILES; i++)
        s->tile[i] = csv_records_find(s->r, tiles[i]);
    if (s->name < 0 || s->gfx < 0)
        return fail("%s:%ld: there is no column \"%s\"", s->r->path, s->r->at,
                    s->name < 0 ? "kernelName" : "gfx");
    s->list->has_list |= s->fields >= 0;
    return 0;
}

static const char *library_of(const struct source *s)
{
    return s->library >= 0                            ? cell(s, s->library)
           : strncmp(cell(s, s->name), "_ZN", 3) == 0 ? "asm"
                                                      : "ck";
}

/* A list has a family's defaults, with numbers below 0, and kernels for weights that are not
   shuffled, which no tuner tries. */
static int is_ours(const struct source *s)
{
    return (s->family < 0 || strcmp(cell(s, s->family), s->list->spec->family) == 0)
           && !names_has_word(s->list->spec->without, library_of(s))
           && (s->fields < 0 || *cell(s, s->id) != '-')
           && strstr(cell(s, s->fields), "bpreshuffle=0") == NULL;
}

/* The kernel that a row names, which may be a new one */
static struct kernel *kernel_of(const struct source *s)
{
    const char *name = cell(s, s->name);
    int64_t v;
    for (struct kernel *k = s->list->v; k < s->list->v + s->list->n; k++)
        if (strcmp(k->name, name) == 0) {
            if (k->is_old && s->fields >= 0)
                k->n_places = 0; /* the list knows better */
            return k;
        }
    struct kernel *k = new_kernel(s->list, name, library_of(s));
    kernel_tile_of(name, k->number);
    for (size_t i = 0; i < KERNEL_TILES; i++)
        if (parse_int(cell(s, s->tile[i]), 0, INT32_MAX, &v) == 0)
            k->number[i] = (int32_t)v;
    return k;
}

/* One with words that are no architecture is for other calls of the library. */
static int add_row(const struct source *s)
{
    int64_t id = 0;
    char *gfx = xstrdup(cell(s, s->gfx));
    int bad = 0;
    if (parse_int(cell(s, s->id), 0, INT32_MAX, &id) != 0)
        id = 0;
    for (char *word = strtok(gfx, " "); word != NULL && !bad; word = strtok(NULL, " ")) {
        if (strncmp(word, "gfx", 3) != 0)
            continue;
        struct kernel *k = kernel_of(s);
        k->is_old = 0;
        if (s->fields >= 0 && k->rank == 0)
            k->rank = (size_t)s->r->at;
        bad = add_place(k, word, (int32_t)id);
    }
    free(gfx);
    return bad ? -1 : 0;
}

static int read_rows(struct source *s)
{
    int rc = csv_records_next(s->r);
    if (rc <= 0)
        return rc < 0 ? -1 : fail("%s: has no header", s->r->path);
    if (csv_records_check_header(s->r) != 0 || find_columns(s) != 0)
        return -1;
    while ((s->fields >= 0) == s->takes_lists && (rc = csv_records_next(s->r)) > 0)
        if (csv_records_check_row(s->r) != 0 || (is_ours(s) && add_row(s) != 0))
            return -1;
    return rc < 0 ? -1 : 0;
}

int kernel_list_read(struct kernel_list *list, const char *const *paths, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < 2 * n && rc == 0; i++) {
        struct buf text = {0};
        struct csv_records r = {0};
        struct source s = {.list = list, .r = &r, .takes_lists = i < n};
        rc = data_read(paths[i % n], &text);
        if (rc == 0)
            rc = csv_records_open(&r, paths[i % n], &text);
        if (rc == 0)
            rc = read_rows(&s);
        csv_records_close(&r);
        buf_free(&text);
    }
    return rc;
}

/* ---- the list: numbers and order ---- */

/* Where the library's name stands in the spec's list of them; behind all: it does not. */
static size_t library_rank(const struct spec *spec, const char *library)
{
    const int p = spec_param_index(spec, "library");
    const int i = p >= 0 ? spec_value_index(&spec->params[p], library) : -1;
    return i >= 0 ? (size_t)i : SIZE_MAX;
}

static const struct spec *sorted_for; /* qsort has no room for it */

static int kernel_list_compare(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    const size_t x = library_rank(sorted_for, a->library), y = library_rank(sorted_for, b->library);
    int c = x != y ? (x < y ? -1 : 1) : strcmp(a->library, b->library);
    for (size_t i = 0; i < KERNEL_NUMBERS && c == 0; i++)
        c = num_rising_int(&a->number[i], &b->number[i]);
    return c;
}

/* New kernels get numbers as in the list, then by name, whatever the order of files. */
static int compare_ranks(const void *pa, const void *pb)
{
    const struct kernel *a = pa, *b = pb;
    if (!a->rank != !b->rank)
        return a->rank ? -1 : 1;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : strcmp(a->name, b->name);
}

/* Has another kernel of the library all of these numbers? */
static int is_taken(const struct kernel_list *list, const struct kernel *k,
                    const int32_t number[KERNEL_NUMBERS])
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->v[i].library, k->library) == 0
            && memcmp(list->v[i].number, number, sizeof k->number) == 0)
            return 1;
    return 0;
}

/* The next free number; of assembly kernels that cut k and clear the output first, from 2 on.
   FlyDSL's say what a kernel's legality depends on: in how many parts it takes k (split_k), and 32
   more for each before it; or how many buffers it has (nb) and its parts (sk): nb + 16 log2(sk),
   and 4 more for each before it. */
static void number_variant(const struct kernel_list *list, struct kernel *k)
{
    const int buffers = kernel_number(k->name, "_nb", 0), parts = kernel_number(k->name, "_sk", 1);
    const int pieces = kernel_number(k->name, "_split_k", 0);
    int32_t step = 1, number[KERNEL_NUMBERS], *variant = &number[KERNEL_VARIANT];
    memcpy(number, k->number, sizeof number);
    *variant = strstr(k->name, "_splitk_clean") != NULL ? 2 : 1;
    if (pieces >= 1 && pieces < 32) {
        step = 32;
        *variant = pieces;
    }
    if (buffers >= 2 && buffers <= 4) {
        step = 4;
        *variant = buffers;
        for (int p = parts; p > 1; p /= 2)
            *variant += 16;
    }
    while (is_taken(list, k, number))
        *variant += step;
    k->number[KERNEL_VARIANT] = *variant;
}

int kernel_list_finish(struct kernel_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].is_old && list->has_list) {
            free(list->v[i].name);
            free(list->v[i].library);
        } else
            list->v[kept++] = list->v[i];
    list->n = kept;
    if (list->n == 0)
        return fail("%s: no file names a kernel of family %s", list->spec->path,
                    list->spec->family);
    qsort(list->v, list->n, sizeof *list->v, compare_ranks);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].number[KERNEL_VARIANT] == 0)
            number_variant(list, &list->v[i]);
    sorted_for = list->spec;
    qsort(list->v, list->n, sizeof *list->v, kernel_list_compare);
    return 0;
}

void kernel_list_free(struct kernel_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->v[i].name);
        free(list->v[i].library);
    }
    free(list->v);
}

/* ---- the spec ---- */

static int compare_places(const void *pa, const void *pb)
{
    const struct kernel_place *a = pa, *b = pb;
    const size_t x = strlen(a->arch), y = strlen(b->arch);
    return x != y ? (x < y ? -1 : 1) : strcmp(a->arch, b->arch);
}

static void write_kernel(const struct kernel *k, FILE *f)
{
    struct kernel_place place[KERNEL_PLACES];
    memcpy(place, k->place, sizeof place);
    qsort(place, k->n_places, sizeof *place, compare_places);
    fputs(k->library, f);
    for (size_t i = 0; i < KERNEL_NUMBERS; i++)
        fprintf(f, " %d", (int)k->number[i]);
    fprintf(f, " = %s", k->name);
    for (size_t i = 0; i < k->n_places; i++)
        fprintf(f, " %s:%d", place[i].arch, (int)place[i].id);
    fputc('\n', f);
}

/* The different numbers of a column, ascending */
static void write_numbers(const struct kernel_list *list, size_t column, FILE *f)
{
    int32_t *v = xcalloc(list->n, sizeof *v);
    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[i].number[column];
    const size_t n = num_unique(v, list->n);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s%d", i ? " " : "", (int)v[i]);
    free(v);
}

/* A line of [params] whose values the kernels decide: did it write one? */
static int write_param(const struct kernel_list *list, const char *line, FILE *f)
{
    static const char *const names[] = {"tile_m", "tile_n", "tile_k", "variant", "library"};
    const char *equals = strchr(line, '=');
    const size_t n = strcspn(line, " \t=");
    for (size_t i = 0; i <= KERNEL_NUMBERS && equals != NULL; i++) {
        if (strlen(names[i]) != n || strncmp(names[i], line, n) != 0)
            continue;
        fprintf(f, "%.*s= ", (int)(equals - line), line);
        if (i < KERNEL_NUMBERS)
            write_numbers(list, i, f);
        for (size_t j = 0; j < list->n && i == KERNEL_NUMBERS; j++) /* in their order */
            if (j == 0 || strcmp(list->v[j].library, list->v[j - 1].library) != 0)
                fprintf(f, "%s%s", j ? " " : "", list->v[j].library);
        fputc('\n', f);
        return 1;
    }
    return 0;
}

void kernel_list_write(const struct kernel_list *list, FILE *f)
{
    char *text = xstrdup(list->spec->text), *at = text, section[32] = "";
    for (char *line; (line = next_line(&at)) != NULL;) {
        const int was_kernels = strcmp(section, "[kernels]") == 0;
        if (*line == '[')
            snprintf(section, sizeof section, "%.*s", (int)(strcspn(line, "]") + 1), line);
        const int is_kernels = strcmp(section, "[kernels]") == 0;
        if (is_kernels && was_kernels && *line != '#')
            continue;
        if (strcmp(section, "[params]") != 0 || !write_param(list, line, f))
            fprintf(f, "%s\n", line);
        if (!is_kernels || was_kernels)
            continue;
        fprintf(f, "%s\n", list->spec->kernels.v[0].text);
        for (size_t i = 0; i < list->n; i++)
            write_kernel(&list->v[i], f);
    }
    free(text);
}
