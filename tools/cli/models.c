/* models.c - `kpred models`: the list of the built-in models, or all there is to say of one
   SPDX-License-Identifier: MIT */
#include "base/table.h"
#include "commands.h"
#include "model/gpus.h"
#include "model/model.h"

#include <inttypes.h>
#include <string.h>

/* ---- the list ---- */

static const char *fields_text(const struct model *model, struct buf *b)
{
    for (uint32_t i = 0; i < model->m.n_fields; i++)
        buf_printf(b, "%s%s", i ? " " : "", model->m.fields[i].name);
    return b->s;
}

/* For people: no more than fit a line beside the longest name, and how many there are */
static const char *shortened(struct buf *gpus)
{
    enum { ROOM = 46, MOST = 36 };
    size_t n = 1, last = 0;
    for (size_t i = 0; i < gpus->n; i++)
        if (gpus->s[i] == ' ') {
            last = i < MOST ? i : last;
            n++;
        }
    if (gpus->n > ROOM) {
        gpus->n = last;
        buf_printf(gpus, " ... (%zu)", n);
    }
    return gpus->s;
}

/* The GPUs, or of a model without that field the architectures */
static void list_short(struct table *t, const struct model *model)
{
    struct buf gpus = {NULL, 0, 0};
    const int gpu = spec_field_index(model->spec, "gpu");
    buf_puts(&gpus, "");
    if (gpu >= 0)
        model_gpus(model, (size_t)gpu, &gpus);
    for (const char *const *arch = model->m.runs_on; gpu < 0 && arch && *arch; arch++)
        buf_printf(&gpus, "%s%s", gpus.n ? " " : "", *arch);
    table_text(t, model->m.name);
    table_words(t, shortened(&gpus));
    buf_free(&gpus);
}

static void list_whole(struct table *t, const struct model *model)
{
    struct buf fields = {NULL, 0, 0}, gpus = {NULL, 0, 0};
    const int gpu = spec_field_index(model->spec, "gpu");
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, model->m.id);
    table_text(t, model->m.name);
    table_text(t, model->m.kernel);
    table_words(t, fields_text(model, &fields));
    if (gpu >= 0)
        model_gpus(model, (size_t)gpu, &gpus);
    table_words(t, gpu < 0 ? "" : gpus.s);
    table_number(t, "%zu", model_cost(&model->m).bytes);
    table_text(t, id);
    buf_free(&fields);
    buf_free(&gpus);
}

static int models_run(struct table_form form)
{
    const int is_whole = form.csv || form.json;
    struct table table = {0, {NULL, 0, 0}};
    struct model model;
    int bad = 0;
    table_heading(&table, is_whole ? "model,kernel,fields,gpus,bytes,id" : "model,gpus");
    for (const struct builtin *b = builtins; b->model && !bad; b++) {
        bad = model_open(b->model->name, &model);
        if (bad)
            break;
        (is_whole ? list_whole : list_short)(&table, &model);
        model_free(&model);
    }
    if (!bad) {
        table_print(&table, stdout, form);
        bad = flush_stdout();
    }
    if (!bad && !is_whole)
        bad = puts("\n`kpred models NAME` says all about one.") < 0 || flush_stdout();
    table_free(&table);
    return bad ? 1 : 0;
}

/* ---- the description of one model ---- */

enum { WIDTH = 80 };

struct subject {
    const struct model *model;
    const char *story; /* see model_story */
    int json;
};

/* ---- what the header says of its weights ---- */

/* A piece of text on one line: blanks, ends of lines and the marks before them become one blank. */
static void add_on_one_line(struct buf *b, const char *s, const char *end)
{
    for (; s < end; s++) {
        const int is_blank = *s == ' ' || *s == '\n' || (*s == '\\' && s[1] == '\n');
        if (!is_blank)
            buf_add(b, s, 1);
        else if (b->n && b->s[b->n - 1] != ' ')
            buf_puts(b, " ");
    }
    buf_puts(b, "");
    while (b->n && b->s[b->n - 1] == ' ')
        b->s[--b->n] = '\0';
}

/* The story is: which command, then a line on the training, then the files. */
static void add_story(struct table *t, const char *story)
{
    static const char training[] = "\n   net ";
    struct buf command = {NULL, 0, 0}, line = {NULL, 0, 0};
    const char *net = strstr(story, training), *end = net ? strchr(net + 1, '\n') : NULL;
    add_on_one_line(&command, story, net ? net : story + strlen(story));
    add_on_one_line(&line, net ? net : "", end ? end : net ? net + strlen(net) : "");
    table_text(t, command.s);
    table_text(t, line.s);
    buf_free(&command);
    buf_free(&line);
}

/* One file: "   data FILE, N rows, sha256", and the sum on the next line */
static int add_file(const struct subject *s, struct table *t, const char *line)
{
    char use[16], file[256], sum[65];
    size_t rows;
    struct buf both = {NULL, 0, 0};
    if (sscanf(line, " %15[a-z] %255[^,\n], %zu rows, sha256 %64[0-9a-f]", use, file, &rows, sum)
        != 4)
        return 0;
    if (s->json) {
        table_text(t, file);
        table_text(t, use);
        table_number(t, "%zu", rows);
        table_text(t, sum);
    } else {
        table_text(t, use);
        table_number(t, "%zu", rows);
        buf_printf(&both, "%s\n%s", file, sum);
        table_items(t, both.s);
    }
    buf_free(&both);
    return 1;
}

static size_t add_files(const struct subject *s, struct table *t)
{
    size_t n = 0;
    table_heading(t, s->json ? "file,use,rows,sha256" : "use,rows,file and its SHA-256");
    for (const char *line = s->story; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        n += (size_t)add_file(s, t, line);
    }
    return n;
}

/* ---- the model as a whole ---- */

/* The spec's line for the key of the split, "" if there is none; items for people */
static void add_split_key(const struct subject *s, struct table *t)
{
    const struct model *model = s->model;
    const char *section = strstr(model->spec->text, "\n[split]");
    const size_t n = strcspn(model->m.split, ":");
    struct buf key = {NULL, 0, 0}, line = {NULL, 0, 0};
    buf_printf(&key, "\n%.*s", (int)n, model->m.split);
    const char *p = section ? strstr(section, key.s) : NULL;
    const char *next = section ? strstr(section + 1, "\n[") : NULL;
    if (p && (!next || p < next) && (p = strchr(p, '=')) != NULL)
        add_on_one_line(&line, p + 1, p + strcspn(p, "\n"));
    buf_puts(&line, "");
    for (size_t i = 0; !s->json && i < line.n; i++)
        line.s[i] = line.s[i] == ',' ? ' ' : line.s[i];
    table_text(t, line.s);
    buf_free(&key);
    buf_free(&line);
}

static void add_archs(struct table *t, const kpred_model *m)
{
    struct buf archs = {NULL, 0, 0};
    buf_puts(&archs, "");
    for (const char *const *arch = m->runs_on; arch && *arch; arch++)
        buf_printf(&archs, "%s\n", *arch);
    table_items(t, archs.s);
    buf_free(&archs);
}

/* The spec's word for it, or that it has names for kernels, and the clauses of [restrict] */
static void add_rule(struct table *t, const struct model *model)
{
    struct buf rule = {NULL, 0, 0};
    if (model->m.names)
        buf_printf(&rule, "one of %" PRIu32 " %s", model->m.names->n,
                   as_counted(model->m.names->n, "kernel", "kernels"));
    for (size_t i = 0; i < model->clauses.n; i++)
        buf_printf(&rule, "%s%s", rule.n ? "; " : "", model->clauses.v[i].text);
    if (!rule.n)
        buf_puts(&rule, model->spec->rule);
    if (model->spec->listed_by)
        buf_printf(&rule, " by %s", model->spec->listed_by);
    table_text(t, rule.s);
    buf_free(&rule);
}

static size_t add_model(const struct subject *s, struct table *t)
{
    const struct model *model = s->model;
    const struct model_cost cost = model_cost(&model->m);
    const kpred_additive *net = model->m.net;
    char id[17];
    table_heading(t, "model,title,kernel,runs_on,rule,source,licence,format,split,split_key,"
                     "command,training,temperature,id,bytes,multiply_adds,multiply_adds_of_beam,"
                     "registers,features,widths");
    table_text(t, model->m.name);
    table_text(t, model->spec->title);
    table_text(t, model->m.kernel);
    add_archs(t, &model->m);
    add_rule(t, model);
    table_text(t, model->spec->source);
    table_text(t, model->spec->licence ? model->spec->licence : "");
    table_text(t, spec_formats[model->spec->format]);
    table_text(t, model->m.split);
    add_split_key(s, t);
    add_story(t, s->story);
    table_number(t, "%.2f", (double)KPRED_SCALE_ONE / model->m.scale);
    snprintf(id, sizeof id, "%016" PRIx64, model->m.id);
    table_text(t, id);
    table_number(t, "%zu", cost.bytes);
    table_number(t, "%zu", cost.start);
    table_number(t, "%zu", cost.step);
    table_number(t, "%zu", model->program.n_registers);
    table_number(t, "%zu", model->program.n_features);
    struct buf widths = {NULL, 0, 0};
    buf_printf(&widths, "%d %d %d", net->layer[0].rows, net->layer[1].rows, net->hidden);
    table_numbers(t, widths.s);
    buf_free(&widths);
    return 1;
}

/* ---- its fields, GPUs and parameters ---- */

static void add_tokens(struct table *t, const kpred_field *f)
{
    struct buf tokens = {NULL, 0, 0};
    buf_puts(&tokens, "");
    for (int32_t i = 0; f->tokens && i < f->n_tokens; i++)
        buf_printf(&tokens, "%s\n", f->tokens[i]);
    table_items(t, tokens.s);
    buf_free(&tokens);
}

static void add_range(struct table *t, int32_t least, int32_t most)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId32 "..%" PRId32, least, most);
    table_text(t, text);
}

/* For people: tokens, or a range. In JSON tokens are numbered from 0, which the ranges are of. */
static void add_field(const struct subject *s, struct table *t, const kpred_field *f)
{
    table_text(t, f->name);
    if (s->json) {
        add_tokens(t, f);
        table_number(t, "%" PRId32, f->least);
        table_number(t, "%" PRId32, f->most);
        table_number(t, "%" PRId32, f->trained_min);
        table_number(t, "%" PRId32, f->trained_max);
    } else if (f->tokens) {
        table_text(t, "");
        add_tokens(t, f);
    } else {
        add_range(t, f->trained_min, f->trained_max);
        add_range(t, f->least, f->most);
    }
}

static size_t add_fields(const struct subject *s, struct table *t)
{
    const kpred_model *m = &s->model->m;
    table_heading(t, s->json ? "field,tokens,least,most,trained_min,trained_max"
                             : "field,trained on,tokens or sizes");
    for (uint32_t f = 0; f < m->n_fields; f++)
        add_field(s, t, m->fields + f);
    return m->n_fields;
}

static size_t add_gpus(const struct subject *s, struct table *t)
{
    const kpred_model *m = &s->model->m;
    const int32_t f = kpred_field_index(m, "gpu");
    size_t n = 0;
    table_heading(t, "gpu,arch,units,compute_units,products");
    for (int32_t i = 0; f >= 0 && i < m->fields[f].n_tokens; i++) {
        const char *gpu = m->fields[f].tokens[i];
        if (!model_learned_of(m, gpu))
            continue;
        n++;
        struct buf names = {NULL, 0, 0}, name = {NULL, 0, 0};
        const struct gpu parsed = gpu_parse(gpu_name(gpu, &name));
        table_text(t, gpu);
        table_text(t, parsed.arch);
        table_number(t, "%d", parsed.units);
        table_number(t, "%d", parsed.compute_units);
        table_items(t, gpu_products(name.s, &names));
        buf_free(&names);
        buf_free(&name);
    }
    return n;
}

static size_t add_params(const struct subject *s, struct table *t)
{
    const kpred_model *m = &s->model->m;
    table_heading(t, "param,values");
    for (uint32_t i = 0; i < m->n_params; i++) {
        const kpred_param *p = m->params + i;
        struct buf values = {NULL, 0, 0};
        table_text(t, p->name);
        for (int32_t v = 0; v < p->n_values; v++)
            if (p->names)
                buf_printf(&values, "%s\n", p->names[v]);
            else
                buf_printf(&values, "%s%" PRId32, v ? " " : "", p->values[v]);
        (p->names ? table_items : table_numbers)(t, values.s);
        buf_free(&values);
    }
    return m->n_params;
}

static void add_lines(const struct subject *s, struct table *t, const char *section,
                      const struct spec_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        table_text(t, section);
        table_text(t, model_made_line(s->model, &lines->v[i]) ? "default" : "spec");
        table_text(t, lines->v[i].text);
    }
}

static size_t add_program(const struct subject *s, struct table *t)
{
    const struct spec *spec = s->model->spec;
    table_heading(t, "section,from,line");
    add_lines(s, t, "derived", &spec->derived);
    add_lines(s, t, "features", &spec->features);
    return spec->derived.n + spec->features.n;
}

/* What a prediction needs */
static size_t add_beams(const struct subject *s, struct table *t)
{
    static const size_t beams[] = {1, 10, 100};
    const size_t n = sizeof beams / sizeof *beams;
    const struct model_cost cost = model_cost(&s->model->m);
    table_heading(t, "beam,arena_words,arena_bytes,rule_calls,multiply_adds");
    for (size_t i = 0; i < n; i++) {
        const size_t words = kpred_arena_words(&s->model->m, beams[i]);
        table_number(t, "%zu", beams[i]);
        table_number(t, "%zu", words);
        table_number(t, "%zu", words * sizeof(int32_t));
        table_number(t, "%zu", (size_t)KPRED_RULE_CALLS(cost.values, beams[i]));
        table_number(t, "%zu", (size_t)KPRED_MULTIPLY_ADDS(cost.start, cost.step, beams[i]));
    }
    return n;
}

/* ---- output ---- */

static const struct section {
    const char *name, *title;
    size_t (*add)(const struct subject *, struct table *); /* returns its rows */
} sections[] = {
    {"fields", "Fields of a problem, in their order", add_fields},
    {"gpus", "GPUs trained on", add_gpus},
    {"params", "Parameters of a tuple, in their order", add_params},
    {"program", "What the network sees: lines of the spec, or made by default", add_program},
    {"data", "Data", add_files},
    {"beams", "What a prediction takes at most", add_beams},
};

static void print_section(const struct subject *s, const struct section *section)
{
    struct table t = {0};
    const size_t rows = section->add(s, &t);
    if (s->json) {
        printf(",\n\"%s\": ", section->name);
        table_print(&t, stdout, (struct table_form){0, 1});
    } else if (rows) {
        printf("\n%s\n", section->title);
        table_print_within(&t, stdout, WIDTH);
    }
    table_free(&t);
}

static void print(const struct subject *s)
{
    struct table t = {0};
    add_model(s, &t);
    fputs(s->json ? "{\n" : "", stdout);
    if (s->json)
        table_print_members(&t, stdout);
    else
        table_print_row(&t, stdout, WIDTH);
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !ferror(stdout); i++)
        print_section(s, &sections[i]);
    fputs(s->json ? "}\n" : "", stdout);
    table_free(&t);
}

/* All there is to say of a built-in model or a header, as sections of tables, or as one object of
   JSON. 0, or -1 with a message. */
static int describe(const char *name, int json)
{
    struct model model;
    struct buf story = {NULL, 0, 0};
    if (model_open(name, &model))
        return -1;
    int bad = model_story(name, &story);
    if (!bad) {
        const struct subject s = {&model, story.s ? story.s : "", json};
        print(&s);
        bad = flush_stdout();
    }
    buf_free(&story);
    model_free(&model);
    return bad;
}

/* ---- the command ---- */

int cmd_models(int argc, char **argv)
{
    struct table_form form = {0, 0};
    const char *name = NULL;
    const struct opt table[] = {
        OPT_SAYS("Lists the built-in models, one a line with the GPUs trained on (without that "
                 "field, the architectures), or describes one model wholly: its kernel, its fields "
                 "with their tokens or the sizes trained on, its GPUs with the products that have "
                 "them, its parameters with their values, its rule, the architectures it runs on, "
                 "what it learnt from, and its sizes."),
        OPT(TEXT, "[MODEL|FILE.h]", &name, MODEL_OPERAND),
        FORM_OPTIONS(form, ", of the list alone: columns model,kernel,fields,gpus,bytes,id"),
        OPT_SAYS(
            "In JSON of the list fields and gpus are arrays; a description is one object, whose "
            "members fields, gpus, params, program, data and beams are arrays of objects.\nA model "
            "may be called by its kernel's name, and in any case: ConvAsm1x1U, "
            "CONV_ASM_1X1U.\nfields: in the order that a problem has; gpus: those trained on; "
            "bytes: what the generated header adds to a program; id: changes with anything in the "
            "model. In a description, units are those that HIP counts, on gfx10 and later pairs of "
            "compute units; multiply_adds_of_beam: more for each unit of beam; temperature: logits "
            "are divided by it. What the network sees are lines of [derived] and [features] of the "
            "spec; `default` are those that were made for a spec without [features].\nExample:\n  "
            "kpred models conv_asm_1x1u"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    if (status >= 0)
        return status;
    if (table_form_check(&form))
        return 2;
    if (name && form.csv) {
        fail("models: --csv: is for the list of models; --json describes one model");
        return 2;
    }
    return name ? describe(name, form.json) != 0 : models_run(form);
}
