/* models.c - `kpred models`
   SPDX-License-Identifier: MIT */
#include "commands.h"
#include "opts.h"
#include "registry.h"
#include "table.h"

#include <inttypes.h>

static const char help[] =
    "usage: kpred models [--csv]\n"
    "\n"
    "Lists the built-in models.\n"
    "\n"
    "  --csv   columns model,kernel,fields,gpus,bytes,id\n"
    "\n"
    "fields: in the order that a problem has, with the accepted tokens or the sizes trained on;\n"
    "bytes: what the generated header adds to a program.\n";

static const char *fields_text(const struct model *model, struct buf *b)
{
    uint32_t i;
    for (i = 0; i < model->m.n_fields; i++)
        buf_printf(b, "%s%s", i ? " " : "", model->m.fields[i].name);
    return b->s;
}

static int list(struct table *t, const char *name)
{
    struct model model;
    struct buf fields = { NULL, 0, 0 }, gpus = { NULL, 0, 0 };
    int gpu;
    if (model_open(name, &model))
        return -1;
    gpu = spec_field_index(model.spec, "gpu");
    table_add(t, "%s", model.m.name);
    table_add(t, "%s", model.m.kernel);
    table_add(t, "%s", fields_text(&model, &fields));
    table_add(t, "%s", gpu < 0 ? "" : spec_tokens_text(model.spec->fields + gpu, &gpus));
    table_add(t, "%zu", model_cost(&model.m).bytes);
    table_add(t, "%016" PRIx64, model.m.id);
    buf_free(&fields);
    buf_free(&gpus);
    model_free(&model);
    return 0;
}

int cmd_models(int argc, char **argv)
{
    int csv = 0, status;
    const struct opt options[] = {
        { .name = "--csv", .kind = OPT_FLAG, .to = &csv },
        { .name = NULL },
    };
    struct table table = { 0, 0, NULL };
    const struct builtin *b;
    status = opts_parse(options, help, argc, argv);
    if (status >= 0)
        return status;
    table_heading(&table, "model,kernel,fields,gpus,bytes,id");
    for (b = builtins; b->model; b++)
        if (list(&table, b->model->name))
            return 1;
    table_print(&table, stdout, csv);
    return flush_stdout() ? 1 : 0;
}
