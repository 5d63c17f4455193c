/* instruction.h - an instruction of a feature program that reads register 0
   SPDX-License-Identifier: MIT

   Include it after kpred.h. */
#pragma once

static inline kpred_instr instruction(int op, int b, int n, int32_t k)
{
    kpred_instr in;
    in.op = (uint8_t)op;
    in.a = 0;
    in.b = (uint8_t)b;
    in.n = (uint8_t)n;
    in.k = k;
    return in;
}
