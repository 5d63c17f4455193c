/* cells.c - prints a table of cells given as arguments: what no result of the programs holds
   SPDX-License-Identifier: MIT

   cells table[WIDTH]|csv|json|row[WIDTH]|members NAME,... [CELL...]
       WIDTH: where lines are broken; row, members: what the functions of these names print; a
       cell: its kind, which is t, n, w, i or m, and then what is in it */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static void add(struct table *t, const char *cell)
{
    switch (*cell) {
    case 'n': table_number(t, "%s", cell + 1); break;
    case 'w': table_words(t, cell + 1); break;
    case 'i': table_items(t, cell + 1); break;
    case 'm': table_numbers(t, cell + 1); break;
    default: table_text(t, cell + 1);
    }
}

static void print(const struct table *t, const char *form)
{
    const size_t width = strtoul(form + strcspn(form, "0123456789"), NULL, 10);
    if (strncmp(form, "row", 3) == 0)
        table_print_row(t, stdout, width);
    else if (strcmp(form, "members") == 0)
        table_print_members(t, stdout);
    else if (width > 0)
        table_print_within(t, stdout, width);
    else
        table_print(t, stdout,
                    (struct table_form){strcmp(form, "csv") == 0, strcmp(form, "json") == 0});
}

int main(int argc, char **argv)
{
    struct table t = {0};
    if (argc < 3)
        return 2;
    table_heading(&t, argv[2]);
    for (int i = 3; i < argc; i++)
        add(&t, argv[i]);
    print(&t, argv[1]);
    table_free(&t);
    return flush_stdout() == 0 ? 0 : 1;
}
