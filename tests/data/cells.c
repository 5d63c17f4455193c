/* cells.c - prints a table of cells given as arguments: what no result of the programs holds
   SPDX-License-Identifier: MIT

   cells table|csv|json NAME,... [CELL...]   a cell: t, n or w (its kind) and then what is in it */
#include "base/table.h"

#include <string.h>

static void add(struct table *t, const char *cell)
{
    if (*cell == 'n')
        table_number(t, "%s", cell + 1);
    else if (*cell == 'w')
        table_words(t, cell + 1);
    else
        table_text(t, cell + 1);
}

int main(int argc, char **argv)
{
    struct table t = {0};
    if (argc < 3)
        return 2;
    const struct table_form form = {strcmp(argv[1], "csv") == 0, strcmp(argv[1], "json") == 0};
    table_heading(&t, argv[2]);
    for (int i = 3; i < argc; i++)
        add(&t, argv[i]);
    table_print(&t, stdout, form);
    table_free(&t);
    return flush_stdout() == 0 ? 0 : 1;
}
