/* predictor.c - see predictor.h
   SPDX-License-Identifier: MIT */
#include "predictor.h"

#include "model/registry.h"

#include <inttypes.h>
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

/* Loads the float networks of the model's id, or says which command makes them. */
static int load_float(const struct model *model, struct recipe_nets *nets)
{
    struct buf path = {NULL, 0, 0};
    FILE *f;
    int bad = 0;
    buf_printf(&path, "build/float/%016" PRIx64 ".f32", model->m.id);
    f = fopen(path.s, "rb");
    if (f)
        fclose(f);
    else
        bad = fail("%s: no such file: `kpred-train train %s.spec --split %s ... -o FILE.h` writes "
                   "it; for the shipped models `make weights`",
                   path.s, model->m.name, model->m.split);
    if (!bad && !net_load(nets->net, RECIPE_MAX_NETS, path.s, &nets->n))
        bad = fail("%s: not a float network", path.s);
    buf_free(&path);
    return bad;
}

static int take_float(struct predictor *p, size_t teachers)
{
    if (load_float(&p->model, &p->nets))
        return -1;
    if (teachers >= p->nets.n)
        return fail("--teachers: value \"%zu\": the model has %zu", teachers, p->nets.n - 1);
    p->net = teachers ? "additive teachers" : "additive float";
    return float_scorer_attach(&p->model, p->nets.net + (teachers ? 1 : 0), teachers ? teachers : 1,
                               &p->scorer, &p->run);
}

int predictor_open_float(const char *name, size_t teachers, struct predictor *out)
{
    int bad;
    if (predictor_open(name, out))
        return -1;
    bad = out->is_paper ? fail("%s: --float, --teachers: it is a float network of its own", name)
                        : take_float(out, teachers);
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
