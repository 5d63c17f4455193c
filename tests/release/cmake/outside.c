/* outside.c - a model from outside of the tree, by the name that an installation gives it, or for a
   library (INSIDE) by the name that every way gives it
   SPDX-License-Identifier: MIT */
#define KPRED_IMPLEMENTATION
#ifdef INSIDE
#include "weights/conv_solver.h"
int tuning(void);
int tuning(void)
{
    return kpred_model_conv_solver.n_params == 1;
}
#else
#include <kpred/weights/conv_solver.h>
int main(void)
{
    return kpred_model_conv_solver.n_params != 1;
}
#endif
