/* room.h - how much memory a module takes for its tensors
   SPDX-License-Identifier: MIT */
#pragma once

#include <mlir-c/IR.h>
#include <stdint.h>

/* Bytes of a memory.h arena for one call: the sum of what memref.alloc asks for, of known sizes,
   each as often as it stands there */
uint64_t room_of(MlirModule module);
