/* predictor.c - see predictor.h
   SPDX-License-Identifier: MIT */
#include "predictor.h"

#include "model/registry.h"
#include "train/float_file.h"

#include <string.h>

int predictor_open(const char *name, struct predictor *out)
{
    const int found = paper_read(name, &out->model, &out->paper);
    memset(&out->nets, 0, sizeof out->nets);
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

static int take_float(struct predictor *p, const char *name, size_t teachers)
{
    if (float_file_read(name, &p->model, &p->nets))
        return -1;
    if (teachers >= p->nets.n)
        return fail("--teachers: value \"%zu\": the model has %zu", teachers, p->nets.n - 1);
    p->net = teachers ? "additive teachers" : "additive float";
    return float_scorer_attach(&p->model, p->nets.net + (teachers ? 1 : 0), teachers ? teachers : 1,
                               &p->scorer, &p->run);
}

int predictor_open_float(const char *name, size_t teachers, struct predictor *out)
{
    if (predictor_open(name, out))
        return -1;
    int bad = out->is_paper
                  ? fail("%s: --float, --teachers: it is a float network of its own", name)
                  : take_float(out, name, teachers);
    if (bad)
        predictor_close(out);
    return bad;
}

void predictor_close(struct predictor *p)
{
    recipe_nets_free(&p->nets);
    if (p->is_paper)
        paper_close(&p->paper);
    model_free(&p->model);
}

size_t predictor_bytes(const struct predictor *p)
{
    return p->is_paper ? sizeof *p->paper.net.w * p->paper.net.blocks.n_weights
                       : model_cost(&p->model.m).bytes;
}
