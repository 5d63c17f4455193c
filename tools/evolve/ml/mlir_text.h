/* mlir_text.h - a network as an MLIR module
   SPDX-License-Identifier: MIT */
#pragma once

#include "net.h"

struct buf;

/* Appends a module of linalg on tensors with a function of the network's name: a batch of images
   goes in, a number for each label of each comes out. Values are constants, by their bits. */
void mlir_text(const struct net *net, long batch, struct buf *out);
