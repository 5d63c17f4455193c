/* kernel_spec.c - writes a spec with a list of kernels in the place of its own
   SPDX-License-Identifier: MIT */
#include "kernel_list.h"

#include <stdlib.h>
#include <string.h>

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
    fprintf(f, "%s %d %d %d %d = %s", k->library, (int)k->tile[0], (int)k->tile[1], (int)k->tile[2],
            (int)k->variant, k->name);
    for (size_t i = 0; i < k->n_places; i++)
        fprintf(f, " %s:%d", place[i].arch, (int)place[i].id);
    fputc('\n', f);
}

static int compare_numbers(const void *pa, const void *pb)
{
    const int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;
    return (a > b) - (a < b);
}

static int32_t number_of(const struct kernel *k, size_t column)
{
    return column < KERNEL_TILES ? k->tile[column] : k->variant;
}

/* The different numbers of a column, ascending */
static void write_numbers(const struct kernel_list *list, size_t column, FILE *f)
{
    int32_t *v = xcalloc(list->n, sizeof *v);
    for (size_t i = 0; i < list->n; i++)
        v[i] = number_of(&list->v[i], column);
    qsort(v, list->n, sizeof *v, compare_numbers);
    for (size_t i = 0; i < list->n; i++)
        if (i == 0 || v[i] != v[i - 1])
            fprintf(f, "%s%d", i ? " " : "", (int)v[i]);
    free(v);
}

/* The libraries in the order of the kernels */
static void write_libraries(const struct kernel_list *list, FILE *f)
{
    for (size_t i = 0; i < list->n; i++)
        if (i == 0 || strcmp(list->v[i].library, list->v[i - 1].library) != 0)
            fprintf(f, "%s%s", i ? " " : "", list->v[i].library);
}

/* A line of [params] whose values the kernels decide: did it write one? */
static int write_param(const struct kernel_list *list, const char *line, FILE *f)
{
    static const char *const names[] = {"tile_m", "tile_n", "tile_k", "variant", "library"};
    const char *equals = strchr(line, '=');
    const size_t n = strcspn(line, " \t=");
    size_t i = 0;
    while (i < 5 && (strlen(names[i]) != n || strncmp(names[i], line, n) != 0))
        i++;
    if (i == 5 || equals == NULL)
        return 0;
    fprintf(f, "%.*s= ", (int)(equals - line), line);
    if (i < 4)
        write_numbers(list, i, f);
    else
        write_libraries(list, f);
    fputc('\n', f);
    return 1;
}

static void write_kernels(const struct kernel_list *list, FILE *f)
{
    fprintf(f, "%s\n", list->spec->kernels.v[0].text);
    for (size_t i = 0; i < list->n; i++)
        write_kernel(&list->v[i], f);
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
        if (is_kernels && !was_kernels)
            write_kernels(list, f);
    }
    free(text);
}
