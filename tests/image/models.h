/* models.h - the models of an image
   SPDX-License-Identifier: MIT */
#pragma once

#include "weights/conv_asm_1x1u.h"
#include "weights/gemm_a8w8_blockscale.h"
