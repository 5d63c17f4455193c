/* The default network, `additive`: float training and its integer twin.
 *
 *   c    = relu(W2 relu(W1 x + b1) + b2)               encoder, once a problem
 *   a_t  = Wc_t c + bc_t + sum over u < t of E_t[y_u]  the prefix enters through summed rows
 *   p_t  = softmax2(U_t relu(a_t) + o_t)               logits are in log2 units
 *
 * relu clips to 0..127/64. Parameters with a single value have no weights and probability 1.
 * An activation is an integer q of 0..127 that stands for q / 64, in every layer and in the input.
 * The integer network holds a matrix as int8 q with one exponent k, w = q / 2^k, and
 *
 *   activation  min(127, max(0, floor((acc + 2^(k-1)) / 2^k))), acc at the scale 2^-(6+k), k >= 1
 *   context     the products Wc_t c + bc_t of all parameters, one matrix, acc scale 2^-(6+kc)
 *   prefix      (sum of the int8 rows) << (6 + kc - ke_t), that shift being 0..15
 *   logit       acc << (10 - ku_t), Q16, ku_t <= 10
 *
 * Training gives the same bits on every compiler, vector width and number of threads (see
 * matrix.h): a minibatch is cut into NET_SHARDS parts whose gradients are added in order.
 */
#ifndef KPRED_ADDITIVE_H
#define KPRED_ADDITIVE_H

#include "adam.h"

#include <stddef.h>
#include <stdint.h>

enum { NET_MAX_PARAMS = 16, NET_MAX_VALUES = 128, NET_SHARDS = 4, NET_ONE = 64, NET_TOP = 127 };

/* Widths are multiples of 16; n_features counts the input's activations as they are stored. */
struct net_dims {
    size_t n_features, enc1, enc2, hidden, n_params;
    size_t n_values[NET_MAX_PARAMS];
};

enum net_kind { NET_MATRIX, NET_BIAS };

/* Matrices are stored input-major, [inputs][outputs], with the outputs padded to 16 (only those of
 * the logits ever need it; the padding stays 0). */
struct net_block {
    size_t at, rows, cols;
    enum net_kind kind;
    size_t exponent; /* index of the exponent that scales it */
};

enum { NET_W1, NET_B1, NET_W2, NET_B2, NET_WC, NET_BC, NET_FIRST_PARAM };
enum { NET_K1, NET_K2, NET_KC, NET_KE }; /* exponents: then ke_t, ku_t for each parameter */
enum { NET_MAX_EXPONENTS = NET_KE + 2 * NET_MAX_PARAMS };
enum { NET_MAX_BLOCKS = NET_FIRST_PARAM + 3 * NET_MAX_PARAMS };

struct net_layout {
    size_t n_blocks, n_weights, n_exponents, n_active;
    size_t slot[NET_MAX_PARAMS];          /* place of t among the parameters with weights */
    size_t first_row[NET_MAX_PARAMS + 1]; /* row of (u, value 0) in every later E_t; at n_params
                                             the number of values of all active parameters */
    struct net_block block[NET_MAX_BLOCKS];
    size_t emb[NET_MAX_PARAMS], out[NET_MAX_PARAMS], bias[NET_MAX_PARAMS]; /* block indexes */
};

struct net {
    struct net_dims dims;
    struct net_layout at;
    float *w;
};

/* What to learn from. Row i: x + i * n_features, y + i * n_params (indexes of values). */
struct net_rows {
    size_t n;
    const uint8_t *x;
    const uint8_t *y;
    const float *weight; /* [n]; null: 1 */
    const float *target; /* [n][net_target_width()] probabilities that replace y as what to learn
                            (y stays the prefix); null: y */
    const float *timed;  /* [n_timed][net_target_width()] of the first rows, the shares that their
                            times give (soft.h), for the regret */
    size_t n_timed;
};

struct net_train_config {
    uint64_t seed;
    size_t epochs, batch, n_threads;
    size_t rounded_epochs; /* the last so many see rounded weights and activations */
    float rate, rate_end;  /* Adam's step, after the warm-up and at the end */
    float warm_up;         /* share of the steps */
    float weight_decay;    /* decoupled, of matrices alone */
    float temperature;     /* what fits the targets is the logits times this; 1: the logits */
    float regret;          /* part in the loss of what choosing by the probabilities costs: the
                              mean of log2(greatest share / share) over values that have one */
    float drop_input, drop_encoder, drop_hidden; /* shares of activations set to zero */
    float average; /* decay of the running average of weights, per step; 0: none */
};

/* loss in bits a row, of the training rows as seen on the way and of the validation rows (or 0) */
typedef void net_progress(void *user, size_t epoch, double loss, double validation);

struct net_exponents {
    int k[NET_MAX_EXPONENTS];
};

/* The integer network, laid out as the model's header holds it: rows of outputs, [out][in]. */
struct qnet {
    struct net_dims dims;
    struct net_layout at;
    struct net_exponents k;
    int8_t *w1, *w2, *wc; /* wc: n_active * hidden rows */
    int32_t *b1, *b2, *bc;
    int8_t *emb[NET_MAX_PARAMS]; /* [first_row[t]][hidden] */
    int8_t *out[NET_MAX_PARAMS]; /* [n_values[t]][hidden] */
    int32_t *bias[NET_MAX_PARAMS];
    size_t n_bytes; /* of all the arrays */
    void *memory;
};

/* Functions that return int give 0 when memory runs out or the dimensions are not possible. */
int net_new(struct net *net, const struct net_dims *dims); /* weights all 0 */
void net_free(struct net *net);
void net_init(struct net *net, uint64_t seed);
size_t net_target_width(const struct net_dims *dims); /* the sum of n_values */

int net_train(struct net *net, const struct net_rows *rows, const struct net_rows *validation,
              const struct net_train_config *config, net_progress *progress, void *user);

/* Sum of the rows' losses in bits and, where gradient is not null, its n_weights derivatives;
 * rounded: whether activations are rounded (the weights should then come from net_round). */
int net_loss(const struct net *net, const struct net_rows *rows, float temperature, float regret,
             int rounded, float *gradient, double *loss);

/* What an ensemble makes of the rows: targets gets the mean of the nets' probabilities given the
 * prefixes y, [n][net_target_width()]. With draws not null, values are drawn from those means on
 * the way and become the prefix, in y of the rows as well; a row's seed is one of draws. The nets
 * have the same inputs and values, and any widths. */
int net_ensemble(const struct net *nets, size_t n_nets, const struct net_rows *rows, uint8_t *y,
                 const uint64_t *draws, size_t n_threads, float *targets);

/* Exponents that lose least, and the weights rounded to them: net_round(net, ..., out) makes of net
 * the float network whose forward pass, with rounded activations, equals the integer one bit for
 * bit (out has the same dimensions and may be net). */
void net_choose_exponents(const struct net *net, struct net_exponents *k);
void net_round(const struct net *net, const struct net_exponents *k, struct net *out);
int net_quantise(const struct net *net, const struct net_exponents *k, struct qnet *out);
void qnet_free(struct qnet *net);

/* Whether no accumulator can overflow and every shift is in range; else 0 and a line of text. */
int qnet_check_bounds(const struct qnet *net, char *text, size_t size);

/* One problem: base[n_active * hidden], then for each prefix the n_values[t] logits. prefix holds
 * indexes of the values of the parameters before t. */
void net_context(const struct net *net, int rounded, const uint8_t *x, float *base);
void net_logits(const struct net *net, int rounded, const float *base, size_t t,
                const uint8_t *prefix, float *logits);
void qnet_context(const struct qnet *net, const uint8_t *x, int32_t *base);
void qnet_logits(const struct qnet *net, const int32_t *base, size_t t, const uint8_t *prefix,
                 int32_t *logits);

/* A file of float networks, one after the other: text of dimensions, then little-endian binary32.
 * net_load takes at most so many and says how many it holds; all that it gives are the caller's. */
int net_save(const struct net *nets, size_t n, const char *path);
int net_load(struct net *nets, size_t most, const char *path, size_t *n);

#endif
