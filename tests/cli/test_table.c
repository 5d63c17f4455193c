/* test_table.c - tables of cells as text, CSV and JSON: what no result of the programs holds
   SPDX-License-Identifier: MIT

   table.cases says what each kind of cell is. */
#include "base/table.h"
#include "harness/cases.h"

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

static FILE *opened(const char *path)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        program_stop(path);
    return f;
}

static void see_case(const char *kind, char *const *c)
{
    struct table t = {0};
    const size_t width = strtoul(c[1] + strcspn(c[1], "0123456789"), NULL, 10);
    FILE *f = opened("printed");
    (void)kind;
    table_heading(&t, c[2]);
    for (char *const *cell = c + 4; **cell != '\0'; cell++)
        add(&t, *cell);
    if (begins(c[1], "row"))
        table_print_row(&t, f, width);
    else if (begins(c[1], "members"))
        table_print_members(&t, f);
    else if (width > 0)
        table_print_within(&t, f, width);
    else
        table_print(&t, f,
                    (struct table_form){strcmp(c[1], "csv") == 0, strcmp(c[1], "json") == 0, 0});
    fclose(f);
    table_free(&t);
    CASE(strcmp(text_of("printed"), c[3]) == 0, "%s", c[0]);
}

/* Python has them, and reads what is made of them. */
static void hard_texts(void)
{
    static const char *const names[] = {"hard.csv", "hard.json"};
    const char *script = in_root("tests/cli/test_json.py");
    struct table t = {0};
    struct buf *b = new_text();
    if (RAN("/usr/bin/env python3 %s texts hard", script) != 0
        || read_file("hard", 1 << 20, b) != 0) {
        skip_case("texts that are hard to write", "there is no python3");
        return;
    }
    table_heading(&t, say("n,%s", b->s));
    int n = 0;
    for (const char *p = b->s + strlen(b->s) + 1; p < b->s + b->n; p += strlen(p) + 1) {
        table_number(&t, "%d", ++n);
        table_text(&t, p);
    }
    for (int i = 0; i < 2; i++) {
        FILE *f = opened(names[i]);
        table_print(&t, f, (struct table_form){i == 0, i == 1, 0});
        fclose(f);
    }
    RAN_CASE(WORKS("/usr/bin/env python3 %s texts hard hard.csv hard.json", script) && n > 3000,
             "texts that are hard to write");
    table_free(&t);
}

int main(void)
{
    program_begin();
    each_row("tests/cli/table.cases", see_case);
    hard_texts();
    return program_end();
}
