/* mlir_text.h - a network as an MLIR module
   SPDX-License-Identifier: MIT */
#pragma once

#include "net.h"

struct buf;

/* Waste that may be planted in the layer with the most multiplications, to see whether a search
   finds it: labels stay, but for the last bit of a number. No pass of MLIR or LLVM removes it. */
enum mlir_plant {
    PLANT_NOTHING,
    PLANT_DOUBLED,  /* the layer is computed twice, and the larger numbers are taken */
    PLANT_IDENTITY, /* behind it is a layer that changes nothing */
    PLANT_DEAD      /* another layer is added, times 0 */
};

/* Appends a module of linalg on tensors with a function of the network's name: a batch of images
   goes in, a number for each label of each comes out. Values are constants, by their bits. */
void mlir_text(const struct net *net, long batch, enum mlir_plant plant, struct buf *out);
