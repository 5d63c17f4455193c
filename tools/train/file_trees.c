/* file_trees.c - boosted trees of LightGBM and XGBoost: their files read, and what they say
   SPDX-License-Identifier: MIT */
#include "trees.h"

#include "base/unpack.h"
#include "base/util.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FEATURES = 4096,
    MOST_TREES = 1 << 20,
    MOST_LEAVES = 1 << 20, /* of a tree */
    MOST_WORDS = 1 << 20
};

static const size_t most_bytes = (size_t)1 << 30;

/* ---- what they say ---- */

enum { MISSING_NONE, MISSING_ZERO = 4, MISSING_NAN = 8 }; /* as LightGBM writes it */

static int is_in_set(const struct file_trees *t, const struct file_node *node, double x)
{
    const uint32_t category = (uint32_t)x, word = category / 32;
    return word < node->n_words && (t->words[node->word + word] >> category % 32 & 1);
}

/* Categories beyond the set, and what is none, are not in it. */
static int lightgbm_goes_left(const struct file_trees *t, const struct file_node *node, double x)
{
    const double zero = 1.0000000180025095e-35; /* the float 1e-35 */
    if (node->is_set)
        return x > -1 && x < INT_MAX && is_in_set(t, node, x < 0 ? 0 : x);
    if (isnan(x) && node->missing != MISSING_NAN)
        x = 0;
    if (node->missing == MISSING_NAN ? isnan(x) : node->missing == MISSING_ZERO && fabs(x) <= zero)
        return node->is_left;
    return x <= node->threshold;
}

static int xgboost_goes_left(const struct file_trees *t, const struct file_node *node, double x)
{
    const float v = (float)x;
    if (isnan(v))
        return node->is_left;
    if (node->is_set)
        return v < 0 || v >= 1 << 24 || !is_in_set(t, node, v);
    return v < (float)node->threshold;
}

static size_t find_leaf(const struct file_trees *t, const struct file_tree *tree, const double *x)
{
    int32_t at = tree->n_leaves > 1 ? 0 : ~0;
    while (at >= 0) {
        const struct file_node *node = &t->node[tree->node + (size_t)at];
        const double v = x[node->feature];
        const int is_left =
            t->is_float ? xgboost_goes_left(t, node, v) : lightgbm_goes_left(t, node, v);
        at = is_left ? node->left : node->right;
    }
    return (size_t)~at;
}

/* Of a linear tree; where a feature is missing, the leaf has a value of its own. */
static double leaf_value(const struct file_trees *t, const struct file_tree *tree, size_t leaf,
                         const double *x)
{
    if (!tree->is_linear)
        return t->leaf[tree->leaf + leaf];
    double sum = t->constant[tree->leaf + leaf];
    for (size_t i = t->first_term[tree->leaf + leaf]; i < t->first_term[tree->leaf + leaf + 1];
         i++) {
        if (isnan(x[t->term[i]]))
            return t->leaf[tree->leaf + leaf];
        sum += t->factor[i] * x[t->term[i]];
    }
    return sum;
}

double file_trees_ask(const struct file_trees *t, const double *x)
{
    double sum = 0;
    float margin = t->base;
    for (size_t i = 0; i < t->n; i++) {
        const double v = leaf_value(t, &t->tree[i], find_leaf(t, &t->tree[i], x), x);
        sum += v;
        margin += t->tree[i].weight * (float)v;
    }
    return t->is_float ? margin : sum;
}

/* ---- while a file is read ---- */

struct room {
    size_t nodes, leaves, trees, words, terms, factors;
};

struct reading {
    struct file_trees *t;
    const char *path;
    struct room room;
};

static struct file_tree *new_tree(struct reading *r, size_t n_leaves)
{
    struct file_trees *t = r->t;
    t->tree = xgrow(t->tree, t->n, &r->room.trees, sizeof *t->tree);
    t->tree[t->n] = (struct file_tree){t->n_nodes, t->n_leaves, n_leaves, 0, 1};
    return &t->tree[t->n++];
}

static struct file_node *new_node(struct reading *r)
{
    struct file_trees *t = r->t;
    t->node = xgrow(t->node, t->n_nodes, &r->room.nodes, sizeof *t->node);
    memset(&t->node[t->n_nodes], 0, sizeof *t->node);
    return &t->node[t->n_nodes++];
}

static void new_leaf(struct reading *r, double value)
{
    struct file_trees *t = r->t;
    t->leaf = xgrow(t->leaf, t->n_leaves, &r->room.leaves, sizeof *t->leaf);
    t->leaf[t->n_leaves++] = value;
}

static void new_word(struct reading *r, uint32_t word)
{
    struct file_trees *t = r->t;
    t->words = xgrow(t->words, t->n_words, &r->room.words, sizeof *t->words);
    t->words[t->n_words++] = word;
}

/* From the root each node has to be reached once. */
static int is_tree(const struct file_trees *t, const struct file_tree *tree)
{
    const size_t n = t->n_nodes - tree->node;
    unsigned char *seen = xcalloc(n + 1, 1);
    int good = 1;
    for (size_t i = 0; i < n && good; i++) {
        const int32_t children[2] = {t->node[tree->node + i].left, t->node[tree->node + i].right};
        for (size_t k = 0; k < 2; k++) {
            good &= children[k] >= 0 ? children[k] > 0 && (size_t)children[k] < n
                                     : (size_t)~children[k] < tree->n_leaves;
            if (good && children[k] >= 0)
                good &= !seen[children[k]]++;
        }
    }
    free(seen);
    return good;
}

static void set_features(struct file_trees *t, size_t n)
{
    t->n_features = n;
    t->name = xcalloc(n + 1, sizeof *t->name);
    t->is_set = xcalloc(n + 1, 1);
    t->labels = xcalloc(n + 1, sizeof *t->labels);
}

void file_trees_free(struct file_trees *t)
{
    for (size_t i = 0; i < t->n_features; i++) {
        free(t->name[i]);
        intern_free(&t->labels[i]);
    }
    free(t->name);
    free(t->is_set);
    free(t->labels);
    free(t->tree);
    free(t->node);
    free(t->leaf);
    free(t->words);
    free(t->constant);
    free(t->first_term);
    free(t->factor);
    free(t->term);
}

/* ---- LightGBM's text ---- */

enum key {
    KEY_num_leaves,
    KEY_num_cat,
    KEY_split_feature,
    KEY_threshold,
    KEY_decision_type,
    KEY_left_child,
    KEY_right_child,
    KEY_leaf_value,
    KEY_cat_boundaries,
    KEY_cat_threshold,
    KEY_is_linear,
    KEY_leaf_const,
    KEY_num_features,
    KEY_leaf_features,
    KEY_leaf_coeff,
    KEY_version,
    KEY_num_class,
    KEY_num_tree_per_iteration,
    KEY_max_feature_idx,
    KEY_feature_names,
    KEY_feature_infos,
    KEY_tree_sizes,
    N_KEYS
};

static const char *const keys[N_KEYS] = {
    [KEY_num_leaves] = "num_leaves",
    [KEY_num_cat] = "num_cat",
    [KEY_split_feature] = "split_feature",
    [KEY_threshold] = "threshold",
    [KEY_decision_type] = "decision_type",
    [KEY_left_child] = "left_child",
    [KEY_right_child] = "right_child",
    [KEY_leaf_value] = "leaf_value",
    [KEY_cat_boundaries] = "cat_boundaries",
    [KEY_cat_threshold] = "cat_threshold",
    [KEY_is_linear] = "is_linear",
    [KEY_leaf_const] = "leaf_const",
    [KEY_num_features] = "num_features",
    [KEY_leaf_features] = "leaf_features",
    [KEY_leaf_coeff] = "leaf_coeff",
    [KEY_version] = "version",
    [KEY_num_class] = "num_class",
    [KEY_num_tree_per_iteration] = "num_tree_per_iteration",
    [KEY_max_feature_idx] = "max_feature_idx",
    [KEY_feature_names] = "feature_names",
    [KEY_feature_infos] = "feature_infos",
    [KEY_tree_sizes] = "tree_sizes",
};

/* A block of lines KEY=VALUE up to an empty one */
struct block {
    long line; /* of its first line */
    char *value[N_KEYS];
    long at[N_KEYS];
};

struct text {
    struct reading *r;
    char *next;
    long line;
    struct block block;
};

PRINTF_LIKE(3, 4)
static int wrong_at(const struct text *x, long line, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail("%s:%ld: %s", x->r->path, line, what);
}

static char *text_line(struct text *x)
{
    char *line = next_line(&x->next);
    x->line += line != NULL;
    return line;
}

static void read_block(struct text *x)
{
    char *line;
    memset(&x->block, 0, sizeof x->block);
    x->block.line = x->line;
    while ((line = text_line(x)) != NULL && *line != '\0') {
        const size_t n = strcspn(line, "=");
        for (size_t k = 0; line[n] == '=' && k < N_KEYS; k++)
            if (strlen(keys[k]) == n && !strncmp(line, keys[k], n)) {
                x->block.value[k] = line + n + 1;
                x->block.at[k] = x->line;
            }
    }
}

/* Exactly n numbers, which the caller frees; NULL with a message */
static double *numbers(const struct text *x, enum key key, size_t n)
{
    const char *at = x->block.value[key];
    double *v = xcalloc(n + 1, sizeof *v);
    size_t got = 0;
    char *end;
    for (; at && got <= n; got++, at = end) {
        const double one = strtod(at, &end);
        if (end == at)
            break;
        if (got < n)
            v[got] = one;
    }
    if (at && got == n && at[strspn(at, " \t")] == '\0')
        return v;
    if (!at)
        wrong_at(x, x->block.line, "there is no line %s=", keys[key]);
    else
        wrong_at(x, x->block.at[key], "%s: is not a list of %zu number%s", keys[key], n,
                 as_counted(n, "", "s"));
    free(v);
    return NULL;
}

/* The same of integers within a range */
static double *integers(const struct text *x, enum key key, size_t n, double least, double most)
{
    double *v = numbers(x, key, n);
    for (size_t i = 0; v && i < n; i++)
        if (!(v[i] >= least && v[i] <= most && v[i] == floor(v[i]))) {
            wrong_at(x, x->block.at[key], "%s: value %zu is not an integer of %.0f..%.0f",
                     keys[key], i + 1, least, most);
            free(v);
            return NULL;
        }
    return v;
}

/* One integer; -1 with a message */
static double integer(const struct text *x, enum key key, double least, double most)
{
    double *v = integers(x, key, 1, least, most), one = v ? v[0] : -1;
    free(v);
    return one;
}

/* The columns of a tree, each a list */
struct lists {
    double *feature, *threshold, *type, *left, *right, *value, *boundary, *word;
    size_t n_leaves, n_sets;
};

static void free_lists(struct lists *l)
{
    free(l->feature);
    free(l->threshold);
    free(l->type);
    free(l->left);
    free(l->right);
    free(l->value);
    free(l->boundary);
    free(l->word);
}

static int read_sets(const struct text *x, struct lists *l)
{
    l->boundary = integers(x, KEY_cat_boundaries, l->n_sets + 1, 0, MOST_WORDS);
    if (!l->boundary)
        return -1;
    for (size_t i = 0; i < l->n_sets; i++)
        if (l->boundary[i] > l->boundary[i + 1])
            return wrong_at(x, x->block.at[KEY_cat_boundaries], "cat_boundaries: is not ascending");
    l->word = integers(x, KEY_cat_threshold, (size_t)l->boundary[l->n_sets], 0, UINT32_MAX);
    return l->word ? 0 : -1;
}

static int read_lists(const struct text *x, struct lists *l)
{
    const double leaves = integer(x, KEY_num_leaves, 1, MOST_LEAVES);
    const double sets = leaves < 0 ? -1 : integer(x, KEY_num_cat, 0, MOST_LEAVES);
    if (sets < 0)
        return -1;
    l->n_leaves = (size_t)leaves;
    l->n_sets = (size_t)sets;
    const size_t n = l->n_leaves - 1;
    return !(l->value = numbers(x, KEY_leaf_value, l->n_leaves))
                   || (n
                       && (!(l->feature = integers(x, KEY_split_feature, n, 0,
                                                   (double)x->r->t->n_features - 1))
                           || !(l->threshold = numbers(x, KEY_threshold, n))
                           || !(l->type = integers(x, KEY_decision_type, n, 0, 11))
                           || !(l->left = integers(x, KEY_left_child, n, -leaves, leaves))
                           || !(l->right = integers(x, KEY_right_child, n, -leaves, leaves))))
                   || (l->n_sets && read_sets(x, l))
               ? -1
               : 0;
}

/* The words of a set, which the threshold numbers */
static int take_set(struct text *x, const struct lists *l, struct file_node *node, size_t base)
{
    const double set = node->threshold;
    if (!(set >= 0 && set < (double)l->n_sets && set == floor(set)))
        return wrong_at(x, x->block.at[KEY_threshold], "threshold: %g is not a set of num_cat=%zu",
                        set, l->n_sets);
    const double first = l->boundary[(size_t)set];
    node->is_set = 1;
    node->word = (uint32_t)(base + (size_t)first);
    node->n_words = (uint32_t)(l->boundary[(size_t)set + 1] - first);
    x->r->t->is_set[node->feature] = 1;
    return 0;
}

static int take_nodes(struct text *x, const struct lists *l)
{
    const size_t base = x->r->t->n_words;
    for (size_t i = 0; l->n_sets && i < (size_t)l->boundary[l->n_sets]; i++)
        new_word(x->r, (uint32_t)l->word[i]);
    for (size_t i = 0; i + 1 < l->n_leaves; i++) {
        struct file_node *node = new_node(x->r);
        const unsigned type = (unsigned)l->type[i];
        node->threshold = l->threshold[i];
        node->feature = (uint32_t)l->feature[i];
        node->left = (int32_t)l->left[i];
        node->right = (int32_t)l->right[i];
        node->is_left = (type & 2) != 0;
        node->missing = type & (MISSING_ZERO | MISSING_NAN);
        if ((type & 1) && take_set(x, l, node, base))
            return -1;
    }
    return 0;
}

/* Terms of each leaf; behind the last one is where they end. */
static void take_terms(struct text *x, size_t n_leaves, const double *constant, const double *count,
                       const double *feature, const double *factor)
{
    struct file_trees *t = x->r->t;
    const size_t first = t->n_leaves - n_leaves;
    t->constant = xrealloc(t->constant, t->n_leaves, sizeof *t->constant);
    t->first_term = xrealloc(t->first_term, t->n_leaves + 1, sizeof *t->first_term);
    for (size_t i = 0, at = 0; i < n_leaves; i++) {
        t->constant[first + i] = constant[i];
        t->first_term[first + i] = t->n_terms;
        for (size_t k = 0; k < (size_t)count[i]; k++, at++) {
            t->term = xgrow(t->term, t->n_terms, &x->r->room.terms, sizeof *t->term);
            t->factor = xgrow(t->factor, t->n_terms, &x->r->room.factors, sizeof *t->factor);
            t->term[t->n_terms] = (uint32_t)feature[at];
            t->factor[t->n_terms++] = factor[at];
        }
    }
    t->first_term[t->n_leaves] = t->n_terms;
}

static int read_linear(struct text *x, struct file_tree *tree)
{
    const size_t n = tree->n_leaves;
    double *constant = numbers(x, KEY_leaf_const, n), *feature = NULL, *factor = NULL;
    double *count = constant ? integers(x, KEY_num_features, n, 0, MOST_FEATURES) : NULL;
    size_t all = 0;
    for (size_t i = 0; count && i < n; i++)
        all += (size_t)count[i];
    if (count)
        feature = integers(x, KEY_leaf_features, all, 0, (double)x->r->t->n_features - 1);
    if (feature)
        factor = numbers(x, KEY_leaf_coeff, all);
    if (factor) {
        tree->is_linear = 1;
        take_terms(x, n, constant, count, feature, factor);
    }
    const int bad = !factor;
    free(constant);
    free(count);
    free(feature);
    free(factor);
    return bad ? -1 : 0;
}

static int read_lightgbm_tree(struct text *x)
{
    struct lists l = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0};
    const char *linear;
    read_block(x);
    linear = x->block.value[KEY_is_linear];
    int bad = x->r->t->n == MOST_TREES ? wrong_at(x, x->line, "has more than %d trees", MOST_TREES)
                                       : read_lists(x, &l);
    if (!bad) {
        struct file_tree *tree = new_tree(x->r, l.n_leaves);
        for (size_t i = 0; i < l.n_leaves; i++)
            new_leaf(x->r, l.value[i]);
        bad = take_nodes(x, &l);
        if (!bad && !is_tree(x->r->t, tree))
            bad =
                wrong_at(x, x->block.line, "the children of tree %zu make no tree", x->r->t->n - 1);
        if (!bad && linear && !strcmp(linear, "1"))
            bad = read_linear(x, tree);
    }
    free_lists(&l);
    return bad;
}

/* The word at a list's place; the rest moves on. NULL: there is none. */
static char *next_word(char **list)
{
    char *word = *list + strspn(*list, " \t"), *end = word + strcspn(word, " \t");
    if (end == word)
        return NULL;
    *list = end + (*end != '\0');
    *end = '\0';
    return word;
}

static size_t count_words(const char *list)
{
    size_t n = 0;
    for (; list && *(list += strspn(list, " \t")) != '\0'; n++)
        list += strcspn(list, " \t");
    return n;
}

/* One output alone, of which more or less is better. */
static int check_outputs(const struct text *x)
{
    const struct block *b = &x->block;
    static const enum key ones[] = {KEY_num_class, KEY_num_tree_per_iteration};
    if (!b->value[KEY_version]
        || (strcmp(b->value[KEY_version], "v4") != 0 && strcmp(b->value[KEY_version], "v3") != 0))
        return wrong_at(x, b->at[KEY_version],
                        "version: \"%s\" is unknown here, which reads v3, v4",
                        b->value[KEY_version] ? b->value[KEY_version] : "");
    for (size_t i = 0; i < 2; i++)
        if (b->value[ones[i]] && strcmp(b->value[ones[i]], "1") != 0)
            return wrong_at(x, b->at[ones[i]], "%s=%s: a model of several classes ranks no tuples",
                            keys[ones[i]], b->value[ones[i]]);
    return 0;
}

/* "[1:99]" is of numbers, "-1:1:2" of categories, and "none" of neither. */
static void read_infos(struct text *x)
{
    char *infos = x->block.value[KEY_feature_infos], *word;
    for (size_t i = 0; infos && i < x->r->t->n_features && (word = next_word(&infos)); i++)
        x->r->t->is_set[i] = *word != '[' && strcmp(word, "none") != 0;
}

static int read_lightgbm_head(struct text *x, size_t *n_trees)
{
    char *names, *word;
    read_block(x);
    const double last =
        check_outputs(x) ? -1 : integer(x, KEY_max_feature_idx, 0, MOST_FEATURES - 1);
    if (last < 0)
        return -1;
    set_features(x->r->t, (size_t)last + 1);
    names = x->block.value[KEY_feature_names];
    if (count_words(names) != x->r->t->n_features)
        return wrong_at(x, names ? x->block.at[KEY_feature_names] : x->block.line,
                        "feature_names: are not %zu", x->r->t->n_features);
    for (size_t i = 0; (word = next_word(&names)) != NULL; i++)
        x->r->t->name[i] = xstrdup(word);
    read_infos(x);
    *n_trees = count_words(x->block.value[KEY_tree_sizes]);
    return 0;
}

static int read_labels_of_pandas(struct text *x, const char *list);

/* What follows the trees: of it only the categories matter. */
static int read_lightgbm_end(struct text *x)
{
    static const char start[] = "pandas_categorical:";
    char *line;
    while ((line = text_line(x)) != NULL)
        if (!strncmp(line, start, strlen(start)))
            return read_labels_of_pandas(x, line + strlen(start));
    return 0;
}

static int read_lightgbm(struct reading *r, struct buf *bytes)
{
    struct text x = {.r = r, .next = bytes->s};
    size_t n_trees = 0;
    char *line;
    r->t->program = "LightGBM";
    if (read_lightgbm_head(&x, &n_trees))
        return -1;
    while ((line = text_line(&x)) != NULL && strcmp(line, "end of trees") != 0)
        if (!strncmp(line, "Tree=", 5) && read_lightgbm_tree(&x))
            return -1;
    if (!line)
        return wrong_at(&x, x.line, "the file ends here, before \"end of trees\"");
    if (r->t->n != n_trees)
        return wrong_at(&x, x.line, "there are %zu trees, but tree_sizes has %zu", r->t->n,
                        n_trees);
    return read_lightgbm_end(&x);
}

/* ---- what needs JSON ---- */

#ifdef HAVE_JANSSON

#include "base/json.h"

/* ---- labels of categories ---- */

/* In the order of the columns of categories */
static int read_labels_of_pandas(struct text *x, const char *list)
{
    struct file_trees *t = x->r->t;
    json_t *all = json_loads(list, JSON_DECODE_ANY, NULL);
    size_t n = 0, at = 0;
    for (size_t i = 0; i < t->n_features; i++)
        n += t->is_set[i];
    int bad =
        json_is_null(all) || (json_is_array(all) && !json_array_size(all)) ? 0
        : json_is_array(all) && json_array_size(all) == n
            ? 0
            : wrong_at(x, x->line, "pandas_categorical: is not a list for each of %zu columns", n);
    for (size_t i = 0; i < t->n_features && !bad && json_array_size(all); i++) {
        const json_t *labels = t->is_set[i] ? json_array_get(all, at++) : NULL;
        for (size_t k = 0; k < json_array_size(labels); k++) {
            struct buf b = {NULL, 0, 0};
            if (json_scalar(json_array_get(labels, k), &b))
                (void)intern_text(&t->labels[i], b.s);
            buf_free(&b);
        }
    }
    json_decref(all);
    return bad;
}

/* ---- XGBoost's JSON ---- */

struct xgboost {
    struct reading *r;
    const json_t *model; /* of the trees */
    size_t tree;         /* being read */
};

PRINTF_LIKE(2, 3)
static int wrong_member(const struct xgboost *x, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return fail("%s: %s", x->r->path, what);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* Objectives, and what makes the margin of a base score */
enum link { LINK_NONE, LINK_LOGIT, LINK_LOG };
static const struct objective {
    const char *name;
    enum link link;
} objectives[] = {
    {"reg:squarederror", LINK_NONE},    {"reg:linear", LINK_NONE},
    {"reg:squaredlogerror", LINK_NONE}, {"reg:pseudohubererror", LINK_NONE},
    {"reg:absoluteerror", LINK_NONE},   {"reg:quantileerror", LINK_NONE},
    {"reg:logistic", LINK_LOGIT},       {"binary:logistic", LINK_LOGIT},
    {"binary:logitraw", LINK_NONE},     {"binary:hinge", LINK_NONE},
    {"count:poisson", LINK_LOG},        {"reg:gamma", LINK_LOG},
    {"reg:tweedie", LINK_LOG},          {"rank:pairwise", LINK_NONE},
    {"rank:ndcg", LINK_NONE},           {"rank:map", LINK_NONE},
};

/* "[1.5E0]" or "1.5E0": the margin that it stands for */
static int read_base(const struct xgboost *x, const json_t *learner)
{
    const json_t *param = json_object_get(learner, "learner_model_param");
    const char *name = text_of(json_object_get(learner, "objective"), "name");
    const char *text = text_of(param, "base_score");
    size_t i = 0;
    char *end;
    const float base = strtof(text + (*text == '['), &end);
    while (i < sizeof objectives / sizeof *objectives && strcmp(objectives[i].name, name) != 0)
        i++;
    if (i == sizeof objectives / sizeof *objectives)
        return wrong_member(x, "learner.objective: \"%s\" is unknown here", name);
    if (*text == '\0' || strcmp(end, *text == '[' ? "]" : "") != 0)
        return wrong_member(x, "learner.learner_model_param.base_score: \"%s\" is not a number",
                            text);
    x->r->t->base = objectives[i].link == LINK_LOGIT ? -logf(1.0f / base - 1.0f)
                    : objectives[i].link == LINK_LOG ? logf(base)
                                                     : base;
    return 0;
}

static int check_one_output(const struct xgboost *x, const json_t *learner)
{
    const json_t *param = json_object_get(learner, "learner_model_param");
    const char *classes = text_of(param, "num_class"), *targets = text_of(param, "num_target");
    if (strcmp(classes, "0") != 0 && strcmp(classes, "1") != 0)
        return wrong_member(x, "num_class: \"%s\": a model of several classes ranks no tuples",
                            classes);
    if (*targets != '\0' && strcmp(targets, "1") != 0)
        return wrong_member(x, "num_target: \"%s\": a model of several targets ranks no tuples",
                            targets);
    return 0;
}

static int read_names(const struct xgboost *x, const json_t *learner)
{
    const json_t *names = json_object_get(learner, "feature_names");
    const size_t n = json_array_size(names);
    if (!n || n > MOST_FEATURES)
        return wrong_member(x,
                            "learner.feature_names: there is none: train with names of features");
    set_features(x->r->t, n);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        x->r->t->name[i] = xstrdup(name ? name : "");
    }
    return 0;
}

/* Texts are bytes that follow each other; numbers stand in a list. */
static void read_labels(const struct xgboost *x)
{
    struct file_trees *t = x->r->t;
    const json_t *all = json_object_get(json_object_get(x->model, "cats"), "enc");
    for (size_t i = 0; i < t->n_features && i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i), *ends = json_object_get(one, "offsets");
        const json_t *values = json_object_get(one, "values");
        const size_t n = ends ? json_array_size(ends) : json_array_size(values) + 1;
        for (size_t k = 0; k + 1 < n; k++) {
            struct buf b = {NULL, 0, 0};
            json_int_t at = json_integer_value(json_array_get(ends, k));
            const json_int_t end = json_integer_value(json_array_get(ends, k + 1));
            if (!ends)
                json_scalar(json_array_get(values, k), &b);
            for (; ends && at >= 0 && at < end; at++)
                buf_printf(&b, "%c", (int)json_integer_value(json_array_get(values, (size_t)at)));
            (void)intern_text(&t->labels[i], b.s ? b.s : "");
            buf_free(&b);
        }
    }
}

/* ---- XGBoost's JSON: a tree ---- */

/* A list of n numbers of a tree; NULL with a message */
static const json_t *list_of(const struct xgboost *x, const json_t *tree, const char *name,
                             size_t n)
{
    const json_t *list = json_object_get(tree, name);
    if (list && json_array_size(list) == n)
        return list;
    wrong_member(x, "tree %zu: %s: is not a list of %zu numbers", x->tree, name, n);
    return NULL;
}

static double number_at(const json_t *list, size_t i)
{
    const json_t *v = json_array_get(list, i);
    return json_is_boolean(v) ? json_is_true(v) : json_number_value(v);
}

struct columns {
    const json_t *left, *right, *feature, *value, *is_left, *type;
};

static int32_t child(const struct columns *c, const json_t *list, size_t i)
{
    const double at = number_at(list, i);
    if (!(at >= 0 && at < (double)json_array_size(c->left)))
        return INT32_MAX; /* which is_tree refuses */
    return number_at(c->left, (size_t)at) < 0 ? ~(int32_t)at : (int32_t)at;
}

/* The sets of a tree: nodes that have them, where each begins among the categories, its size */
static int take_sets(const struct xgboost *x, const json_t *tree, size_t first)
{
    const json_t *nodes = json_object_get(tree, "categories_nodes");
    const json_t *starts = json_object_get(tree, "categories_segments");
    const json_t *sizes = json_object_get(tree, "categories_sizes");
    const json_t *all = json_object_get(tree, "categories");
    struct file_trees *t = x->r->t;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const double at = number_at(nodes, i), from = number_at(starts, i);
        const double size = number_at(sizes, i);
        if (!(at >= 0 && at < (double)(t->n_nodes - first) && from >= 0 && size >= 0
              && from + size <= (double)json_array_size(all)))
            return wrong_member(x, "tree %zu: categories_nodes: item %zu is beyond its list",
                                x->tree, i + 1);
        struct file_node *node = &t->node[first + (size_t)at];
        node->word = (uint32_t)t->n_words;
        for (size_t k = 0; k < (size_t)size; k++) {
            const double category = number_at(all, (size_t)from + k);
            if (!(category >= 0 && category < 1 << 24))
                return wrong_member(x, "tree %zu: categories: %g is none", x->tree, category);
            while (t->n_words - node->word <= (size_t)category / 32)
                new_word(x->r, 0);
            t->words[node->word + (size_t)category / 32] |= UINT32_C(1) << (size_t)category % 32;
        }
        node->n_words = (uint32_t)(t->n_words - node->word);
    }
    return 0;
}

static int take_tree(struct xgboost *x, const json_t *tree, const struct columns *c, double weight)
{
    struct file_trees *t = x->r->t;
    const size_t n = json_array_size(c->left), first = t->n_nodes;
    struct file_tree *to = new_tree(x->r, number_at(c->left, 0) < 0 ? 1 : n);
    to->weight = (float)weight;
    for (size_t i = 0; i < n; i++) {
        const int is_leaf = number_at(c->left, i) < 0;
        const double feature = number_at(c->feature, i);
        struct file_node *node = new_node(x->r);
        new_leaf(x->r, (double)(float)number_at(c->value, i));
        node->left = is_leaf ? ~0 : child(c, c->left, i);
        node->right = is_leaf ? ~0 : child(c, c->right, i);
        if (is_leaf)
            continue;
        if (!(feature >= 0 && feature < (double)t->n_features))
            return wrong_member(x, "tree %zu: split_indices: %g is not a feature", x->tree,
                                feature);
        node->feature = (uint32_t)feature;
        node->threshold = number_at(c->value, i);
        node->is_left = number_at(c->is_left, i) > 0;
        node->is_set = c->type && number_at(c->type, i) > 0;
    }
    return take_sets(x, tree, first) ? -1
           : is_tree(t, to)          ? 0
                            : wrong_member(x, "tree %zu: its children make no tree", x->tree);
}

static int read_xgboost_tree(struct xgboost *x, const json_t *tree, double weight)
{
    const size_t n = json_array_size(json_object_get(tree, "left_children"));
    const char *vector = text_of(json_object_get(tree, "tree_param"), "size_leaf_vector");
    struct columns c = {NULL, NULL, NULL, NULL, NULL, NULL};
    if (strcmp(vector, "0") != 0 && strcmp(vector, "1") != 0 && *vector != '\0')
        return wrong_member(x, "tree %zu: its leaves have %s values each", x->tree, vector);
    if (!n || n > MOST_LEAVES)
        return wrong_member(x, "tree %zu: left_children: is not a list of nodes", x->tree);
    if (!(c.left = list_of(x, tree, "left_children", n))
        || !(c.right = list_of(x, tree, "right_children", n))
        || !(c.feature = list_of(x, tree, "split_indices", n))
        || !(c.value = list_of(x, tree, "split_conditions", n))
        || !(c.is_left = list_of(x, tree, "default_left", n)))
        return -1;
    if (json_object_get(tree, "split_type") && !(c.type = list_of(x, tree, "split_type", n)))
        return -1;
    return take_tree(x, tree, &c, weight);
}

/* The object that has the trees, and with dart their weights */
static int find_trees(struct xgboost *x, const json_t *learner, const json_t **weights)
{
    const json_t *booster = json_object_get(learner, "gradient_booster");
    const char *name = text_of(booster, "name");
    *weights = NULL;
    if (!strcmp(name, "dart")) {
        *weights = json_object_get(booster, "weight_drop");
        booster = json_object_get(booster, "gbtree");
    } else if (strcmp(name, "gbtree") != 0) {
        return wrong_member(x, "learner.gradient_booster: \"%s\" has no trees that are read here",
                            name);
    }
    x->model = json_object_get(booster, "model");
    const json_t *trees = json_object_get(x->model, "trees");
    if (!json_array_size(trees) || json_array_size(trees) > MOST_TREES)
        return wrong_member(x, "learner.gradient_booster.model.trees: there is none");
    if (*weights && json_array_size(*weights) != json_array_size(trees))
        return wrong_member(x, "learner.gradient_booster.weight_drop: is not a list of %zu numbers",
                            json_array_size(trees));
    return 0;
}

static int read_trees(struct xgboost *x, const json_t *learner)
{
    const json_t *weights, *trees;
    if (check_one_output(x, learner) || find_trees(x, learner, &weights) || read_base(x, learner)
        || read_names(x, learner))
        return -1;
    read_labels(x);
    trees = json_object_get(x->model, "trees");
    const char *count = text_of(json_object_get(x->model, "gbtree_model_param"), "num_trees");
    if (strtoul(count, NULL, 10) != json_array_size(trees))
        return wrong_member(x, "there are %zu trees, but num_trees is \"%s\"",
                            json_array_size(trees), count);
    for (x->tree = 0; x->tree < json_array_size(trees); x->tree++)
        if (read_xgboost_tree(x, json_array_get(trees, x->tree),
                              weights ? number_at(weights, x->tree) : 1))
            return -1;
    return 0;
}

static int read_xgboost(struct reading *r, struct buf *bytes)
{
    struct json_text text = json_text_open(r->path, bytes);
    json_t *all = json_text_value(&text, NULL);
    const json_t *learner = json_object_get(all, "learner");
    struct xgboost x = {r, NULL, 0};
    r->t->program = "XGBoost";
    r->t->is_float = 1;
    int bad = !all      ? -1
              : learner ? read_trees(&x, learner)
                        : fail("%s: this JSON has no member `learner` of XGBoost", r->path);
    json_decref(all);
    return bad;
}

#else

static int read_labels_of_pandas(struct text *x, const char *list)
{
    return !strncmp(list, "null", 4) || !strncmp(list, "[]", 2)
               ? 0
               : fail_without(x->r->path, "jansson", "libjansson-dev");
}

static int read_xgboost(struct reading *r, struct buf *bytes)
{
    (void)bytes;
    return fail_without(r->path, "jansson", "libjansson-dev");
}

#endif

/* ---- the whole ---- */

static int read_either(struct reading *r, struct buf *bytes)
{
    const char *at = bytes->s + strspn(bytes->s, " \t\r\n");
    if (!strncmp(at, "{L", 2))
        return fail("%s: this is XGBoost's binary form (UBJSON): save the model as .json", r->path);
    if (*at == '{')
        return read_xgboost(r, bytes);
    if (!strncmp(at, "tree\n", 5))
        return read_lightgbm(r, bytes);
    return fail("%s:1: this is neither a text of LightGBM, which begins with \"tree\", nor JSON of "
                "XGBoost",
                r->path);
}

int file_trees_read(struct file_trees *t, const char *path)
{
    struct reading r = {t, path, {0, 0, 0, 0, 0, 0}};
    struct buf bytes = {NULL, 0, 0};
    memset(t, 0, sizeof *t);
    const int bad = read_unpacked(path, most_bytes, &bytes) || read_either(&r, &bytes) ? -1 : 0;
    buf_free(&bytes);
    return bad;
}
