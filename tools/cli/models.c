/* models.c - `kpred models`
   SPDX-License-Identifier: MIT */
#include "base/opts.h"
#include "base/table.h"
#include "commands.h"
#include "describe.h"
#include "model/model.h"

#include <inttypes.h>

static const char help[] =
    "usage: kpred models [MODEL|FILE.h] [--csv|--json]\n"
    "\n"
    "Lists the built-in models, one a line, or describes one model wholly: its fields with their\n"
    "tokens or the sizes trained on, its GPUs with the products that have them, its parameters "
    "with\n"
    "their values, its rule, the architectures it runs on, what it learnt from, and its sizes.\n"
    "\n"
    "  MODEL|FILE.h   a built-in model, or a header that kpred-train wrote\n"
    "  --csv          the list as CSV, columns model,kernel,fields,gpus,bytes,id\n"
    "  --json         the list as JSON, an array of objects with the same names (fields and gpus\n"
    "                 are arrays), or the description as one object\n"
    "\n"
    "A model may be called by its kernel's name, and in any case: ConvAsm1x1U, CONV_ASM_1X1U.\n"
    "\n"
    "fields: in the order that a problem has; gpus: those trained on; bytes: what the generated\n"
    "header adds to a program; id: changes with anything in the model. In a description, units "
    "are\n"
    "those that HIP counts, on gfx10 and later pairs of compute units; multiply_adds_of_beam: "
    "more\n"
    "for each unit of beam; temperature: logits are divided by it.\n"
    "\n"
    "Example: kpred models conv_asm_1x1u\n";

static const char *fields_text(const struct model *model, struct buf *b)
{
    for (uint32_t i = 0; i < model->m.n_fields; i++)
        buf_printf(b, "%s%s", i ? " " : "", model->m.fields[i].name);
    return b->s;
}

static int list(struct table *t, const char *name)
{
    struct model model;
    struct buf fields = {NULL, 0, 0}, gpus = {NULL, 0, 0};
    char id[17];
    if (model_open(name, &model))
        return -1;
    int gpu = spec_field_index(model.spec, "gpu");
    snprintf(id, sizeof id, "%016" PRIx64, model.m.id);
    table_text(t, model.m.name);
    table_text(t, model.m.kernel);
    table_words(t, fields_text(&model, &fields));
    table_words(t, gpu < 0 ? "" : spec_tokens_text(model.spec->fields + gpu, &gpus));
    table_number(t, "%zu", model_cost(&model.m).bytes);
    table_text(t, id);
    buf_free(&fields);
    buf_free(&gpus);
    model_free(&model);
    return 0;
}

static int run(struct table_form form)
{
    struct table table = {0, {NULL, 0, 0}};
    int bad = 0;
    table_heading(&table, "model,kernel,fields,gpus,bytes,id");
    for (const struct builtin *b = builtins; b->model && !bad; b++)
        bad = list(&table, b->model->name);
    if (!bad) {
        table_print(&table, stdout, form);
        bad = flush_stdout();
    }
    table_free(&table);
    return bad ? 1 : 0;
}

int cmd_models(int argc, char **argv)
{
    struct table_form form = {0, 0};
    const char *name = NULL;
    const struct opt options[] = {
        {.name = "MODEL|FILE.h", .kind = OPT_TEXT, .to = &name},
        {.name = "--csv", .kind = OPT_FLAG, .to = &form.csv},
        {.name = "--json", .kind = OPT_FLAG, .to = &form.json},
        {.name = NULL},
    };
    const int status = opts_parse(options, help, argc, argv);
    if (status >= 0)
        return status;
    if (table_form_check(&form))
        return 2;
    if (name && form.csv) {
        fail("models: --csv: one model is more than a table; --json describes it");
        return 2;
    }
    return name ? describe(name, form.json) != 0 : run(form);
}
