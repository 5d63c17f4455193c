/* any_model.c - see any_model.h
   SPDX-License-Identifier: MIT */
#include "predictor.h"

#include "model/registry.h"

int any_open(const char *name, struct any_model *out)
{
    const int found = paper_read(name, &out->model, &out->paper);
    out->is_paper = found == 0;
    if (found < 0 || (found > 0 && model_open(name, &out->model)))
        return -1;
    if (out->is_paper) {
        out->net = paper_names[out->paper.net.dims.kind];
        paper_attach(&out->model, &out->paper, &out->run);
    } else {
        out->net = "additive";
        out->run = out->model.m;
    }
    return 0;
}

void any_close(struct any_model *m)
{
    if (m->is_paper)
        paper_close(&m->paper);
    model_free(&m->model);
}

size_t any_bytes(const struct any_model *m)
{
    return m->is_paper ? sizeof *m->paper.net.w * m->paper.net.blocks.n_weights
                       : model_cost(&m->model.m).bytes;
}
