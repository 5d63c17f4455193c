/* training_data.c - see training_data.h
   SPDX-License-Identifier: MIT */
#include "training_data.h"

#include "data/data.h"
#include "data/rule_rows.h"

#include <stdlib.h>

void training_data_close(struct training_data *d)
{
    for (size_t i = 0; i < d->n_beside; i++)
        data_free(&d->beside[i]);
    free(d->beside);
    data_free(&d->own);
}

enum { MOST_TOLD = 5 }; /* lines */

/* How many rows failed, and what explains those that the rule allows */
static void note_failures(const struct model *model, const struct dataset *d)
{
    struct failed_rows failed;
    struct buf where = {0};
    if (d->failed.n == 0)
        return;
    buf_printf(&where, "%s: ", model->m.name);
    failed_rows_of_data(model, d, &failed);
    failed_rows_note(&failed, where.s, MOST_TOLD);
    failed_rows_free(&failed);
    buf_free(&where);
}

int training_data_open(const struct model *model, const struct training_files *files,
                       const struct data_options *how, struct training_data *out)
{
    const struct spec *spec = model->spec;
    memset(out, 0, sizeof *out);
    if (data_load(files->formats, spec, files->own, files->n_own, how, &out->own))
        return -1;
    if (no_tuple_check(model, &out->own, how->lenient)) {
        data_free(&out->own);
        return -1;
    }
    data_note_drops(&out->own);
    note_failures(model, &out->own);
    if (unseen_rows_add(spec, &out->own)) {
        data_free(&out->own);
        return -1;
    }
    out->beside = xcalloc(files->n_beside, sizeof *out->beside);
    for (size_t i = 0; i < files->n_beside; i++) {
        if (data_load(files->formats, spec, &files->beside[i], 1, how, &out->beside[i])) {
            training_data_close(out);
            return -1;
        }
        out->n_beside++;
        data_note_drops(&out->beside[i]);
    }
    return 0;
}
