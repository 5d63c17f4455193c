/* twin.h - does the module of a network compute what the network in C does?
   SPDX-License-Identifier: MIT */
#pragma once

#include "base/util.h"
#include "evolve/ml/net.h"

/* Compiles the text of a module, whose path is for messages, and prints how far its numbers are
   from the network's; -1 after a message, which is one too if an image gets another label. */
int twin_check(const struct net *net, const struct images *images, size_t batch, const char *path,
               const struct buf *text);
