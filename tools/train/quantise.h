/* quantise.h - from the additive network in floats to the integer network of kpred.h
   SPDX-License-Identifier: MIT

   It holds a matrix as int8 q with one exponent k, w = q / 2^k, and

     activation  min(127, max(0, floor((acc + 2^(k-1)) / 2^k))), acc at the scale 2^-(6+k), k >= 1
     context     the products Wc_t c + bc_t of all parameters, one matrix, acc scale 2^-(6+kc)
     prefix      (sum of the int8 rows) << (6 + kc - ke_t), that shift being 0..15
     logit       acc << (10 - ku_t), Q16, ku_t <= 10 */
#pragma once

#include "additive_net.h"
#include "model/model.h"

struct net_exponents {
    int k[NET_MAX_EXPONENTS];
};

/* Exponents that lose least, and the weights rounded to them: net_round(net, ..., out) makes of net
   the float network whose forward pass, with rounded activations, equals the integer one bit for
   bit (out has the same dimensions and may be net). */
void net_choose_exponents(const struct net *net, struct net_exponents *k);
void net_round(const struct net *net, const struct net_exponents *k, struct net *out);

/* Rounds the network into the model's arrays, with those exponents, and seals the model. 0, or -1
   with a message. */
int net_quantise(const struct net *net, struct model *model);
