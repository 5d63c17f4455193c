/* training_data.h - the files that a network learns from
   SPDX-License-Identifier: MIT */
#pragma once

#include "data/formats.h"
#include "model/model.h"

/* Files of the model's own data and, for [judge], others beside them, each a table of its own. */
struct training_files {
    const struct data_format *formats;
    const char *const *own, *const *beside;
    size_t n_own, n_beside;
};

struct training_data {
    struct dataset own, *beside;
    size_t n_beside;
};

/* Loads them, with notes of what was dropped; the model's own get the rows of [unseen]
   (data.h). 0, or -1 with a message and nothing to close. */
int training_data_open(const struct model *model, const struct training_files *files,
                       const struct data_options *how, struct training_data *out);
void training_data_close(struct training_data *d);
