/* kernels.c - `kpred-train kernels`: a spec with the kernels that AITER has now
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/opts.h"
#include "data/kernel_list.h"

#include <stdlib.h>

static const char help[] =
    "usage: kpred-train kernels SPEC --data FILE... [-o NEW [--force]]\n"
    "\n"
    "Writes a spec with the kernels that a library has now: its section [kernels], and the values\n"
    "of library, tile_m, tile_n, tile_k and variant. For specs with format = aiter.\n"
    "\n"
    "  SPEC           the spec; a kernel that it has keeps its number among its variants\n"
    "  --data FILE... CSV, also .bz2 and .gz: lists of kernels (columns family, libtype, gfx,\n"
    "                 kernelId, kernelName, tile_m, tile_n, tile_k, fields) and AITER's tables of\n"
    "                 tuned kernels. With a list, kernels that no file names are left out; with\n"
    "                 tables alone, those of the spec stay\n"
    "  -o NEW         written whole or not at all; default: standard output\n"
    "  --force        replace NEW if it is there; it may be SPEC\n"
    "\n"
    "Example: kpred-train kernels weights/gemm_a8w8_blockscale.spec -o new.spec \\\n"
    "             --data aiter/configs/a8w8_blockscale_tuned_gemm.csv\n";

struct options {
    const char *spec, *output;
    struct opt_texts data;
    int force;
};

static int write(const struct options *o, const struct kernel_list *list)
{
    struct outfile out;
    if (out_open_kept(&out, o->output, o->force) != 0)
        return -1;
    kernel_list_write(list, out.f);
    return out_commit(&out);
}

static int run(const struct options *o, const struct spec *spec)
{
    const struct output to = {"-o", o->output};
    struct kernel_list list;
    if (outputs_check_inputs(&to, 1, "--data", &o->data) != 0)
        return -1;
    int rc = kernel_list_open(&list, spec);
    if (rc == 0)
        rc = kernel_list_read(&list, o->data.v, o->data.n);
    if (rc == 0)
        rc = kernel_list_finish(&list);
    if (rc == 0)
        rc = write(o, &list);
    kernel_list_free(&list);
    return rc;
}

int cmd_kernels(int argc, char **argv)
{
    struct options o = {0};
    struct spec spec;
    const struct opt table[] = {
        {.name = "SPEC", .kind = OPT_TEXT, .to = &o.spec, .is_required = 1},
        {.name = "--data", .kind = OPT_TEXTS, .to = &o.data, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output},
        {.name = "--force", .kind = OPT_FLAG, .to = &o.force},
        {.name = NULL},
    };
    int status = opts_parse(table, help, argc, argv);
    if (status < 0 && outputs_check_force(o.force, o.output) != 0)
        status = 2;
    if (status < 0) {
        status = EXIT_FAILURE;
        if (spec_load(&spec, o.spec) == 0) {
            status = run(&o, &spec) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
            spec_free(&spec);
        }
    }
    free(o.data.v);
    return status;
}
