/* models.c - `kpred models`: the list of the built-in models, or all there is to say of one
   SPDX-License-Identifier: MIT */
#include "base/table.h"
#include "commands.h"
#include "model/gpus.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* A cell of text */
PRINTF_LIKE(2, 3)
static void add_formatted(struct table *t, const char *fmt, ...)
{
    char text[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    table_text(t, text);
}

/* A cell of n names */
static void add_names(struct table *t, const char *const *names, size_t n)
{
    struct buf b = {NULL, 0, 0};
    buf_puts(&b, "");
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s\n", names[i]);
    table_items(t, b.s);
    buf_free(&b);
}

/* ---- the list ---- */

/* For people: no more than `room`, and how many there are */
static const char *shortened(struct buf *gpus, char between, size_t room)
{
    enum { OF_COUNT = 10 };
    size_t n = 1, last = 0;
    for (size_t i = 0; i < gpus->n; i++)
        if (gpus->s[i] == between) {
            last = i < room - OF_COUNT ? i : last;
            n++;
        }
    if (gpus->n > room) {
        gpus->n = last;
        buf_printf(gpus, "%c... (%zu)", between, n);
    }
    return gpus->s;
}

/* Beside the longest name a line of tokens, or on a terminal three lines of what people say */
static void list_gpus(struct table *t, struct buf *gpus)
{
    enum { LINE = 46 };
    struct buf called = {NULL, 0, 0};
    if (terminal_width(STDOUT_FILENO) == 0) {
        table_words(t, shortened(gpus, ' ', LINE));
        return;
    }
    buf_puts(&called, "");
    for (const char *gpu = strtok(gpus->s, " "); gpu != NULL; gpu = strtok(NULL, " ")) {
        buf_puts(&called, called.n != 0 ? "\n" : "");
        gpu_called(gpu, &called);
    }
    table_items(t, shortened(&called, '\n', 3 * LINE));
    buf_free(&called);
}

/* Of a model without a field gpu, people see the architectures. */
static void list_model(struct table *t, const struct model *model, int is_whole)
{
    struct buf fields = {NULL, 0, 0}, gpus = {NULL, 0, 0};
    const kpred_model *m = &model->m;
    const int gpu = spec_field_index(model->spec, "gpu");
    buf_puts(&gpus, "");
    if (gpu >= 0)
        model_gpus(model, (size_t)gpu, &gpus);
    for (const char *const *arch = m->runs_on; !is_whole && gpu < 0 && arch && *arch; arch++)
        buf_printf(&gpus, "%s%s", gpus.n ? " " : "", *arch);
    for (uint32_t i = 0; i < m->n_fields; i++)
        buf_printf(&fields, "%s%s", i ? " " : "", m->fields[i].name);
    table_text(t, m->name);
    if (is_whole) {
        table_text(t, m->kernel);
        table_words(t, fields.s);
        table_words(t, gpus.s);
        table_number(t, "%zu", model_cost(m).bytes);
        add_formatted(t, "%016" PRIx64, m->id);
    } else {
        list_gpus(t, &gpus);
    }
    buf_free(&fields);
    buf_free(&gpus);
}

static int models_run(struct table_form form)
{
    const int is_whole = form.csv || form.json;
    struct table table = {0};
    struct model model;
    int bad = 0;
    table_heading(&table, is_whole ? "model,kernel,fields,gpus,bytes,id" : "model,gpus");
    for (const struct builtin *b = builtins; b->model && !bad; b++) {
        bad = model_open(b->model->name, &model);
        if (bad)
            break;
        list_model(&table, &model, is_whole);
        model_free(&model);
    }
    if (!bad) {
        table_print(&table, stdout, form);
        bad = flush_stdout();
    }
    if (!bad && !is_whole)
        bad = puts("\n`kpred models NAME` says all about one, and names its GPUs.") < 0
              || flush_stdout();
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
    size_t n_archs = 0;
    while (model->m.runs_on && model->m.runs_on[n_archs])
        n_archs++;
    table_heading(t, "model,title,kernel,runs_on,rule,source,licence,format,split,split_key,"
                     "command,training,temperature,id,bytes,multiply_adds,multiply_adds_of_beam,"
                     "registers,features,widths");
    table_text(t, model->m.name);
    table_text(t, model->spec->title);
    table_text(t, model->m.kernel);
    add_names(t, model->m.runs_on, n_archs);
    add_rule(t, model);
    table_text(t, model->spec->source);
    table_text(t, model->spec->licence ? model->spec->licence : "");
    table_text(t, spec_formats[model->spec->format]);
    table_text(t, model->m.split);
    add_split_key(s, t);
    add_story(t, s->story);
    table_number(t, "%.2f", (double)KPRED_SCALE_ONE / model->m.scale);
    add_formatted(t, "%016" PRIx64, model->m.id);
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

/* For people: tokens, or a range. In JSON tokens are numbered from 0, which the ranges are of. */
static void add_field(const struct subject *s, struct table *t, const kpred_field *f)
{
    const size_t n_tokens = f->tokens ? (size_t)f->n_tokens : 0;
    table_text(t, f->name);
    if (s->json) {
        add_names(t, f->tokens, n_tokens);
        table_number(t, "%" PRId32, f->least);
        table_number(t, "%" PRId32, f->most);
        table_number(t, "%" PRId32, f->trained_min);
        table_number(t, "%" PRId32, f->trained_max);
    } else if (f->tokens) {
        table_text(t, "");
        add_names(t, f->tokens, n_tokens);
    } else {
        add_formatted(t, "%" PRId32 "..%" PRId32, f->trained_min, f->trained_max);
        add_formatted(t, "%" PRId32 "..%" PRId32, f->least, f->most);
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
        for (int32_t v = 0; v < p->n_values && !p->names; v++)
            buf_printf(&values, "%s%" PRId32, v ? " " : "", p->values[v]);
        if (p->names)
            add_names(t, p->names, (size_t)p->n_values);
        else
            table_numbers(t, values.s);
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
        table_print(&t, stdout, (struct table_form){.json = 1});
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
    struct table_form form = {0};
    const char *name = NULL;
    const struct opt table[] = {
        OPT_SAYS("Lists the built-in models, one a line with the GPUs trained on (without that "
                 "field, the architectures; on a terminal by the names of products), or describes "
                 "one model wholly: its kernel, its fields "
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
    if (name && form.csv) {
        fail("models: --csv: is for the list of models; --json describes one model");
        return 2;
    }
    return name ? describe(name, form.json) != 0 : models_run(form);
}
