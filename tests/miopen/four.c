/* four.c - kpred miopen with the four kernels that the paper judges
   SPDX-License-Identifier: MIT

   What is read of a log does not depend on what else ships, and of these miopen_oracle.py knows the
   rules. */
#define builtins shipped
#include "model/registry.c"
#undef builtins

#include "cli/commands.h"
#include "data/sample.h" /* SQLite, which the command needs */

extern const struct builtin builtins[];
const struct builtin builtins[] = {BUILTIN(conv_asm_1x1u) BUILTIN(conv_asm_bwd_wrw_1x1) BUILTIN(
    conv_asm_bwd_wrw_3x3) BUILTIN(conv_ocl_direct_fwd_1x1){NULL, NULL, NULL}};

int main(int argc, char **argv)
{
    static const struct command table[] = {{"miopen", "", cmd_miopen}, {NULL, NULL, NULL}};
    return commands_run("kpred", table, argc, argv);
}
