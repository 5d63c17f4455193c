/* model.c - see model.h
   SPDX-License-Identifier: MIT */
#include "model.h"

#include "gpus.h"
#include "header.h"
#include "runtime.h"

#include "base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static const kpred_additive *net_of(const kpred_model *m)
{
    return (const kpred_additive *)m->net;
}

void model_value_cell(const char *const *names, int32_t value, struct table *t)
{
    if (names)
        table_text(t, names[value]);
    else
        table_number(t, "%" PRId32, value);
}

void model_problem_cells(const kpred_model *m, const int32_t *problem, struct table *t)
{
    for (uint32_t f = 0; f < m->n_fields; f++)
        model_value_cell(m->fields[f].tokens, problem[f], t);
}

void *model_array(struct model *model, size_t n, size_t size)
{
    void *p = xcalloc(n ? n : 1, size);
    model->arrays[model->n_arrays++] = p;
    return p;
}

void model_free(struct model *model)
{
    rule_slots_release(model);
    clauses_free(&model->clauses);
    kernels_free(&model->named);
    while (model->n_arrays)
        free(model->arrays[--model->n_arrays]);
    if (model->own_spec)
        spec_free(model->own_spec);
    free(model->own_spec);
    model->own_spec = NULL;
}

static void set_fields(struct model *model, const struct spec *spec)
{
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct spec_field *from = spec->fields + i;
        kpred_field *to = model->fields + i;
        to->name = from->name;
        to->tokens = from->n_tokens ? from->tokens : NULL;
        to->n_tokens = (int32_t)from->n_tokens;
        to->least = to->trained_min = from->least;
        to->most = to->trained_max = from->most;
    }
    model->m.fields = model->fields;
    model->m.n_fields = (uint32_t)spec->n_fields;
}

static void set_params(struct model *model, const struct spec *spec)
{
    for (size_t t = 0; t < spec->n_params; t++) {
        const struct spec_param *from = spec->params + t;
        kpred_param *to = model->params + t;
        to->name = from->name;
        to->values = from->values;
        to->names = from->names[0] ? from->names : NULL;
        to->n_values = (int32_t)from->n_values;
    }
    model->m.params = model->params;
    model->m.n_params = (uint32_t)spec->n_params;
}

/* ---- rules with a table ---- */

/* Has the model's rule ask the model. */
static int take_rule(struct model *model, rule_ask ask)
{
    model->m.rule = rule_slots_take(ask, model);
    return model->m.rule ? 0
                         : fail("%s: rule %s: at most %d models with a table at a time",
                                model->spec->path, model->spec->rule, RULE_SLOTS);
}

static int ask_kernels(const void *model, const int32_t *problem, const int32_t *values, size_t n)
{
    const struct model *of = (const struct model *)model;
    return kpred_rule_of_gtc_kernels(&of->kernels, problem, values, n);
}

static int open_kernels(struct model *model, const struct spec_rule *rule)
{
    uint16_t *words = model_array(model, (size_t)model->params->n_values, sizeof *words);
    model->kernels.dir = rule->dir;
    model->kernels.n = model->params->n_values;
    model->kernels.words = words;
    if (rules_words(model->spec, rule, words))
        return -1;
    gtc_set_least(&model->kernels);
    return take_rule(model, ask_kernels);
}

static int ask_solvers(const void *model, const int32_t *problem, const int32_t *values, size_t n)
{
    const struct model *of = (const struct model *)model;
    return kpred_rule_of_solvers(of->solvers, of->params->n_values, problem, values, n);
}

static int open_solvers(struct model *model, const struct spec_rule *rule)
{
    uint64_t *words = model_array(model, (size_t)model->params->n_values, sizeof *words);
    model->solvers = words;
    return rules_words(model->spec, rule, words) ? -1 : take_rule(model, ask_solvers);
}

int model_has_table(const struct model *model)
{
    return model->lists.set || model->kernels.words || model->solvers || model->clauses.n
           || model->clauses.kernels;
}

static int ask_list(const void *model, const int32_t *problem, const int32_t *values, size_t n)
{
    const struct model *of = (const struct model *)model;
    const size_t set = of->lists.set[listed_combination(&of->lists, problem)];
    const size_t bytes = of->listed ? of->n_listed / of->n_sets : 0;
    return set != 0
           && (of->listed
                   ? runtime_listed(of->params, of->listed + (set - 1) * bytes, values, n)
                   : runtime_named(of->sets + set - 1, of->params, NULL, problem, values, n));
}

void model_take_sets(struct model *model, size_t n_sets)
{
    model->n_sets = n_sets;
    model->n_listed = n_sets * listed_bytes(model->params, model->m.n_params);
    model->listed = model_array(model, model->n_listed, 1);
}

int32_t *model_take_tuples(struct model *model, size_t n_sets, const size_t *n_tuples)
{
    static const int32_t there[1]; /* every tuple's number: n_ids is 0 */
    size_t n = 0;
    for (size_t i = 0; i < n_sets; i++)
        n += n_tuples[i];
    int32_t *values = model_array(model, n * model->m.n_params, sizeof *values);
    model->n_sets = n_sets;
    model->sets = model_array(model, n_sets, sizeof *model->sets);
    n = 0;
    for (size_t i = 0; i < n_sets; i++) {
        model->sets[i] = (kpred_names){.values = values + n * model->m.n_params,
                                       .ids = there,
                                       .n = (uint32_t)n_tuples[i],
                                       .n_params = model->m.n_params};
        n += n_tuples[i];
    }
    return values;
}

/* A rule that asks sets, which are still to come */
static int open_list(struct model *model)
{
    struct listed_by *lists = &model->lists;
    if (listed_by_read(model->spec, lists))
        return -1;
    lists->set = model_array(model, lists->n, sizeof *lists->set);
    return take_rule(model, ask_list);
}

static void take_as_tuples(struct model *model, const struct interned *sets)
{
    const struct listed_tuple *tuple;
    size_t *n = xcalloc(sets->n, sizeof *n);
    for (size_t i = 0; i < sets->n; i++)
        n[i] = listed_tuples(sets, i, &tuple);
    int32_t *values = model_take_tuples(model, sets->n, n);
    for (size_t i = 0; i < sets->n; i++)
        for (listed_tuples(sets, i, &tuple); n[i] > 0; n[i]--, tuple++)
            for (size_t t = 0; t < model->m.n_params; t++)
                *values++ = model->params[t].values[tuple->v[t]];
    free(n);
}

/* As bits, or where these take more room as tuples. 0, or -1 with a message. */
static int take_sets(struct model *model, const struct interned *sets)
{
    const size_t n_params = model->m.n_params, values = listed_count(sets) * n_params;
    const size_t bytes = sets->n * listed_bytes(model->params, n_params);
    if (bytes > 0 && bytes <= LISTED_MAX_BITS / 8 && bytes <= values * sizeof(int32_t)) {
        model_take_sets(model, sets->n);
        listed_write_bits(model->params, n_params, sets, model->listed);
    } else if (values <= LISTED_MAX_VALUES) {
        take_as_tuples(model, sets);
    } else {
        return fail("%s: rule listed: the data have %zu different tuples in %zu %s: these are %zu "
                    "values, and %d are the most",
                    model->m.name, listed_count(sets), sets->n,
                    as_counted(sets->n, "list", "different lists"), values, LISTED_MAX_VALUES);
    }
    model_name_list(model);
    return 0;
}

int model_list(struct model *model, const int32_t *problems, const unsigned char *targets, size_t n)
{
    struct interned sets;
    listed_collect(&model->m, &model->lists, problems, targets, n, &sets);
    const int bad =
        sets.n > 0 ? take_sets(model, &sets)
                   : fail("%s: rule listed: the data have no tuple of the spec", model->m.name);
    intern_free(&sets);
    return bad;
}

void model_name_list(struct model *model)
{
    struct listed_content all = {.bits = model->listed, .n_sets = model->n_sets};
    for (size_t i = 0; i < model->n_sets && !model->listed; i++)
        all.n_tuples += model->sets[i].n;
    all.values = model->listed ? NULL : model->sets->values;
    all.n = model->listed ? model->n_listed : all.n_tuples * model->m.n_params;
    listed_name(&model->lists, &all, model->rule_name);
    model->m.rule_name = model->rule_name;
}

/* ---- clauses ---- */

static int ask_clauses(const void *model, const int32_t *problem, const int32_t *values, size_t n)
{
    const struct model *of = (const struct model *)model;
    return clauses_allow(&of->clauses, of->spec, problem, values, n);
}

/* The rule's name has a hash of the sections, so the model's id depends on them. */
static int name_clauses(struct model *model)
{
    const struct spec_lines *lines[] = {&model->spec->restricts, &model->spec->kernels,
                                        &model->spec->formulas};
    struct buf all = {NULL, 0, 0};
    char hex[65];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t k = 0; k < lines[i]->n; k++)
            buf_printf(&all, "%s\n", lines[i]->v[k].text);
    sha256_hex(all.s, all.n, hex);
    buf_free(&all);
    snprintf(model->rule_name, sizeof model->rule_name, "%s_%.16s",
             model->clauses.kernels ? "kernels" : "restrict", hex);
    model->m.rule_name = model->rule_name;
    return take_rule(model, ask_clauses);
}

static int open_clauses(struct model *model)
{
    if (model->clauses.n == 0 && model->spec->restricts.line)
        return fail("%s:%ld: [restrict]: there is no condition in it", model->spec->path,
                    model->spec->restricts.line);
    if (model->spec->kernels.line) {
        if (kernels_read(model->spec, &model->named))
            return -1;
        model->clauses.kernels = &model->named;
        model->m.names = &model->named.names;
    }
    return name_clauses(model);
}

/* ---- from a spec ---- */

static int open_rule(struct model *model)
{
    struct spec_rule rule;
    if (rules_find(model->spec, &rule))
        return -1;
    model->m.rule = rule.rule;
    model->m.rule_name = rule.name;
    model->family = rule.family;
    if (spec_is_listed(model->spec))
        return open_list(model);
    if (model->spec->restricts.line || model->spec->kernels.line)
        return open_clauses(model);
    return rule.table == RULE_GTC       ? open_kernels(model, &rule)
           : rule.table == RULE_SOLVERS ? open_solvers(model, &rule)
                                        : 0;
}

/* A user's program includes the model's header and those of kpred. */
static int check_names(const struct model *model)
{
    char clash[NAMES_MOST + 1];
    names_find_clash(&model->m, clash);
    return *clash
               ? fail("%s:%ld: name: value \"%s\": the model's header would define %s, which the "
                      "headers of kpred use",
                      model->spec->path, model->spec->name_line, model->m.name, clash)
               : 0;
}

static void set_model(struct model *model, const struct spec *spec, const char *split)
{
    *model = (struct model){.spec = spec,
                            .m.format = KPRED_FORMAT,
                            .m.name = spec->name,
                            .m.kernel = spec->solver ? spec->solver : spec->name};
    snprintf(model->split, sizeof model->split, "%s", split);
    model->m.split = model->split;
    model->m.scale = spec_scale(spec, split);
    model->m.runs_on = spec->runs_on[0] ? spec->runs_on : NULL;
    set_fields(model, spec);
    set_params(model, spec);
    model->m.scorer = &kpred_additive_scorer;
    model->m.net = &model->net;
    model->net.heads = model->heads;
}

int model_from_spec(struct model *model, const struct spec *spec, const char *split)
{
    struct unseen unseen;
    set_model(model, spec, split);
    if (check_names(model) || clauses_read(&model->clauses, spec) || open_rule(model)
        || program_compile(spec, &model->program) || unseen_read(&unseen, spec))
        return -1;
    model->net.program = model->program.instr;
    model->net.n_instr = (uint16_t)model->program.n_instr;
    model->net.n_features = (uint16_t)model->program.n_features;
    return 0;
}

int model_from_builtin(struct model *model, const struct spec *spec, const kpred_model *m)
{
    set_model(model, spec, m->split);
    if (clauses_read(&model->clauses, spec) || open_rule(model))
        return -1;
    rule_slots_release(model); /* its rule is compiled in: what is read may have the slot */
    program_of_net(&model->program, net_of(m), m->n_fields);
    model->m = *m;
    return 0;
}

int model_made_line(const struct model *model, const struct spec_line *line)
{
    const long from = default_features_line(model->spec);
    return from != 0 && line->line > from;
}

int model_allows(const struct model *model, const int32_t *problem, const unsigned char *target)
{
    int32_t values[KPRED_MAX_TUPLE];
    for (size_t t = 0; t < model->m.n_params; t++)
        values[t] = model->m.params[t].values[target[t]];
    return kpred_legal(&model->m, problem, values);
}

void model_train_ranges(struct model *model, const int32_t *problems, size_t n)
{
    const size_t n_fields = model->m.n_fields;
    for (size_t f = 0; f < n_fields; f++) {
        kpred_field *field = model->fields + f;
        for (size_t i = 0; i < n && !field->tokens; i++) {
            const int32_t x = problems[i * n_fields + f];
            field->trained_min = i == 0 || x < field->trained_min ? x : field->trained_min;
            field->trained_max = i == 0 || x > field->trained_max ? x : field->trained_max;
        }
    }
}

const char *model_outside(const kpred_model *m, uint32_t fields, size_t n, const char *called,
                          struct buf *b)
{
    const char *before = "(";
    buf_printf(b, "%zu %s outside the range trained on ", n, called);
    for (uint32_t f = 0; f < m->n_fields; f++)
        if (fields >> f & 1) {
            buf_printf(b, "%s%s %" PRId32 "..%" PRId32, before, m->fields[f].name,
                       m->fields[f].trained_min, m->fields[f].trained_max);
            before = ", ";
        }
    buf_puts(b, ")");
    return b->s;
}

void model_set_widths(struct model *model, size_t enc1, size_t enc2, size_t hidden)
{
    kpred_layer *l = model->net.layer;
    size_t heads = 0, words = model->program.n_registers;
    for (size_t t = 0; t < model->m.n_params; t++)
        heads += model->params[t].n_values > 1;
    l[0].cols = (uint16_t)round_up(model->program.n_features, 16);
    l[0].rows = l[1].cols = (uint16_t)enc1;
    l[1].rows = l[2].cols = (uint16_t)enc2;
    l[2].rows = (uint16_t)(heads * hidden);
    model->net.hidden = (uint16_t)hidden;
    for (size_t i = 0; i < 3; i++)
        words = l[i].rows > words ? l[i].rows : words;
    model->m.work_words = (uint32_t)words;
}

size_t model_lane(const kpred_param *p)
{
    size_t lane = 4;
    while (lane < (size_t)p->n_values)
        lane *= 2;
    return lane;
}

size_t model_head_rows(const kpred_model *m, size_t t)
{
    return round_up((size_t)m->params[t].n_values, 4);
}

size_t model_embedding_rows(const kpred_model *m, size_t t)
{
    size_t rows = 0;
    for (size_t u = 0; u < t; u++)
        rows += m->params[u].n_values > 1 ? (size_t)m->params[u].n_values : 0;
    return rows;
}

/* ---- bounds ---- */

/* |bias| + 127 * sum |w| of one row */
static int64_t row_bound(const int8_t *w, int32_t bias, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += w[i] < 0 ? -w[i] : w[i];
    return 127 * sum + (bias < 0 ? -(int64_t)bias : bias);
}

static int64_t layer_bound(const kpred_layer *l)
{
    int64_t most = 0;
    for (size_t r = 0; r < l->rows; r++) {
        const int64_t b =
            row_bound(l->weight + r * l->cols, l->bias[r], l->cols) + ((int64_t)1 << l->shift);
        most = b > most ? b : most;
    }
    return most;
}

/* The largest that embeddings add to hidden unit i of head t: of each earlier parameter the largest
   magnitude among its values. */
static int64_t embedding_bound(const kpred_model *m, size_t t, size_t i)
{
    const size_t hidden = net_of(m)->hidden;
    const int8_t *e = net_of(m)->heads[t].embedding;
    int64_t sum = 0;
    for (size_t u = 0; u < t; u++) {
        int64_t most = 0;
        int32_t v;
        for (v = 0; v < m->params[u].n_values && net_of(m)->heads[u].weight; v++, e += hidden)
            most = (e[i] < 0 ? -e[i] : e[i]) > most ? (e[i] < 0 ? -e[i] : e[i]) : most;
        sum += most;
    }
    return sum * ((int64_t)1 << net_of(m)->heads[t].embedding_shift);
}

/* Hidden units of head t, whose rows begin at `row` of the context layer. */
static int64_t hidden_bound(const kpred_model *m, size_t t, size_t row)
{
    const kpred_layer *l = net_of(m)->layer + 2;
    const kpred_head *head = net_of(m)->heads + t;
    int64_t most = 0;
    for (size_t i = 0; i < net_of(m)->hidden; i++, row++) {
        const int64_t b = row_bound(l->weight + row * l->cols, l->bias[row], l->cols)
                          + embedding_bound(m, t, i) + ((int64_t)1 << head->hidden_shift);
        most = b > most ? b : most;
    }
    return most;
}

/* Logits after their scaling; they must stay below 2^29. */
static int64_t logit_bound(const kpred_model *m, size_t t)
{
    const kpred_head *head = net_of(m)->heads + t;
    const size_t hidden = net_of(m)->hidden;
    int64_t most = 0;
    for (size_t r = 0; r < model_head_rows(m, t); r++) {
        const int64_t b = row_bound(head->weight + r * hidden, head->bias[r], hidden)
                          * ((int64_t)1 << head->logit_shift);
        most = b > most ? b : most;
    }
    return most;
}

/* The largest accumulator that any problem can reach; *logit: the largest scaled logit. */
static int64_t accumulator_bound(const kpred_model *m, int64_t *logit)
{
    const kpred_additive *net = net_of(m);
    int64_t most = 0;
    size_t row = 0;
    *logit = 0;
    for (size_t i = 0; i < 2; i++) {
        const int64_t b = layer_bound(net->layer + i);
        most = b > most ? b : most;
    }
    for (size_t t = 0; t < m->n_params; t++) {
        int64_t b;
        if (!net->heads[t].weight)
            continue;
        b = hidden_bound(m, t, row);
        most = b > most ? b : most;
        b = logit_bound(m, t);
        *logit = b > *logit ? b : *logit;
        row += net->hidden;
    }
    return most;
}

static int check_shift(const kpred_model *m, const char *what, size_t i, int least, int shift,
                       int most)
{
    return shift >= least && shift <= most ? 0
                                           : fail("%s: %s %zu: a shift of %d, not %d to %d",
                                                  m->name, what, i, shift, least, most);
}

/* Those that the runtime's words have room for. */
static int check_shifts(const kpred_model *m)
{
    const kpred_head *head = net_of(m)->heads;
    int bad = 0;
    for (size_t i = 0; i < 3 && !bad; i++)
        bad = check_shift(m, "layer", i, 1, net_of(m)->layer[i].shift, 24);
    for (size_t i = 0; i < m->n_params && !bad; i++)
        if (head[i].weight)
            bad = check_shift(m, "hidden units of parameter", i, 1, head[i].hidden_shift, 24)
                  || check_shift(m, "embeddings of parameter", i, 0, head[i].embedding_shift, 15)
                  || check_shift(m, "logits of parameter", i, 0, head[i].logit_shift, 10);
    return bad ? -1 : 0;
}

int model_prove(const struct model *model)
{
    int64_t logit;
    if (check_shifts(&model->m))
        return -1;
    const int64_t most = accumulator_bound(&model->m, &logit);
    return most <= INT32_MAX && logit < (int64_t)1 << 29
               ? 0
               : fail("%s: accumulators may reach %" PRId64 " (limit 2147483647), logits %" PRId64
                      " (limit 536870911)",
                      model->m.name, most, logit);
}

int model_seal(struct model *model)
{
    if (model_prove(model))
        return -1;
    model->m.id = kpred_model_id(&model->m);
    return 0;
}

/* ---- cost ---- */

static size_t text_bytes(const char *const *names, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; names && i < n; i++)
        bytes += strlen(names[i]) + 1 + sizeof *names;
    return bytes;
}

static size_t runs_on_bytes(const char *const *archs)
{
    size_t n = 0;
    while (archs && archs[n])
        n++;
    return archs ? text_bytes(archs, n) + sizeof *archs : 0;
}

static size_t interface_bytes(const kpred_model *m)
{
    size_t i, bytes = sizeof *m + 32 + m->n_fields * sizeof *m->fields
                      + m->n_params * sizeof *m->params + 32 * m->n_params;
    bytes += strlen(m->name) + strlen(m->kernel) + strlen(m->split) + strlen(m->rule_name) + 4;
    bytes += runs_on_bytes(m->runs_on);
    for (i = 0; i < m->n_fields; i++)
        bytes += strlen(m->fields[i].name) + 1
                 + text_bytes(m->fields[i].tokens, (size_t)m->fields[i].n_tokens);
    for (i = 0; i < m->n_params; i++)
        bytes += strlen(m->params[i].name) + 1 + 4 * (size_t)m->params[i].n_values
                 + text_bytes(m->params[i].names, (size_t)m->params[i].n_values);
    return bytes;
}

/* Compilers align large arrays to 32 bytes. */
static size_t aligned(size_t bytes)
{
    return round_up(bytes, 32);
}

/* The bytes of the rule's table or list */
static size_t table_bytes(const kpred_model *m)
{
    const size_t word = rules_word_bytes(m->rule_name);
    return (m->names ? aligned(kernels_bytes(m->names)) : 0) + aligned(listed_bytes_of(m))
           + aligned(word * (size_t)m->params->n_values)
           + (word == sizeof(uint16_t) ? aligned(sizeof(kpred_gtc_kernels)) : 0);
}

struct model_cost model_cost(const kpred_model *m)
{
    const kpred_additive *net = net_of(m);
    struct model_cost c = {interface_bytes(m) + table_bytes(m), 0, 0, 0, 0};
    int64_t logit;
    c.bytes += aligned(sizeof *net) + aligned(net->n_instr * sizeof *net->program);
    for (size_t i = 0; i < 3; i++) {
        const size_t n = (size_t)net->layer[i].rows * net->layer[i].cols;
        c.bytes += aligned(n) + aligned(4 * (size_t)net->layer[i].rows);
        c.start += n;
    }
    for (size_t i = 0; i < m->n_params; i++) {
        const size_t rows = model_head_rows(m, i), above = model_embedding_rows(m, i);
        c.bytes += sizeof *net->heads;
        c.values += (size_t)m->params[i].n_values;
        if (!net->heads[i].weight)
            continue;
        c.bytes += aligned(rows * net->hidden) + aligned(above * net->hidden) + aligned(4 * rows);
        c.step += (rows + i) * net->hidden;
    }
    c.largest_accumulator = accumulator_bound(m, &logit);
    return c;
}
