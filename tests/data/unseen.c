/* unseen.c - prints the rows of a table with those that [unseen] adds
   SPDX-License-Identifier: MIT

   unseen SPEC TABLE.csv */
#include "data/csv.h"
#include "data/formats.h"
#include "data/unseen_rows.h"

int main(int argc, char **argv)
{
    static const struct data_format csv[] = {{".csv", SPEC_N_FORMATS, NULL, csv_read},
                                             {NULL, SPEC_N_FORMATS, NULL, NULL}};
    const struct data_options options = {0};
    const char *const paths[] = {argc == 3 ? argv[2] : ""};
    struct spec spec;
    struct dataset d;
    if (argc != 3 || spec_load(&spec, argv[1]) != 0)
        return 2;
    int rc = data_load(csv, &spec, paths, 1, &options, &d);
    if (rc == 0) {
        rc = unseen_rows_add(&spec, &d);
        if (rc == 0)
            data_write(&spec, &d, (struct table_form){.csv = 1}, stdout);
        data_free(&d);
    }
    spec_free(&spec);
    return rc == 0 ? 0 : 1;
}
