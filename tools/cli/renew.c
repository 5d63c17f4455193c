/* renew.c - `kpred-train relayout`: a header as it is written today; `kernels`: AITER's of today
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "aiter/kernel_list.h"
#include "model/header.h"
#include "model/model.h"

#include <stdlib.h>

/* ---- relayout: a header in the format of today, or for an edited spec ---- */

struct relayout_options {
    const char *old, *spec, *include_dir, *output;
    int force;
};

static int write_header(const struct relayout_options *o, const struct model *model,
                        const char *story)
{
    struct outfile out;
    if (out_open(&out, o->output))
        return -1;
    header_write(out.f, model, story);
    return out_commit(&out);
}

static int relayout(const struct relayout_options *o)
{
    const struct output to = {"-o", o->output};
    struct model model;
    char *story;
    if (outputs_check_input(&to, 1, "--spec", o->spec) != 0)
        return -1;
    if (!o->force && outputs_same(o->output, o->old))
        return fail("-o %s: is OLD.h, which is read; --force replaces it", o->output);
    if (header_check_kept(o->output, o->force) != 0)
        return -1;
    if (header_read_older(o->old, o->spec, &model, &story))
        return -1;
    if (o->spec)
        (void)clauses_note_slips(&model.clauses, model.spec);
    const int bad = (o->include_dir && header_set_include_dir(&model, o->include_dir))
                    || write_header(o, &model, story);
    free(story);
    model_free(&model);
    return bad ? -1 : 0;
}

int cmd_relayout(int argc, char **argv)
{
    struct relayout_options o = {0};
    const struct opt table[] = {
        OPT_SAYS("Writes a header that this kpred-train or an earlier one has written in the "
                 "format of today, without training: the network stays, and with it the order of "
                 "what is predicted. Headers of networks of the paper are refused."),
        OPT(TEXT, "OLD.h", &o.old,
            "the header; its id is checked, and the new one has an id of its own where anything "
            "changed that the runtime reads"),
        OPT(TEXT, "[--spec SPEC]", &o.spec,
            "the spec to put in place of that in the header. Name, fields, parameters and features "
            "are to be the same, or it has no [features]; titles, licences, rules, runs_on, "
            "[calibration] and how to train may differ"),
        OPT(TEXT, "[--include-dir DIR]", &o.include_dir,
            INCLUDE_DIR("as in OLD.h") "; for nothing ./"),
        OPT(TEXT, "-o NEW.h", &o.output,
            "written whole or not at all, in the place of a header that kpred-train has written, "
            "but not of OLD.h"),
        OPT(FLAG, "[--force]", &o.force, "replace OLD.h, or any other file"),
        {.usage = NULL},
    };
    const int status = opts_parse(table, argc, argv);
    return status < 0 ? relayout(&o) != 0 : status;
}

/* ---- kernels: a spec with the kernels that AITER has now ---- */

struct kernels_options {
    const char *spec, *output;
    struct opt_texts data;
    int force;
};

static int write_spec(const struct kernels_options *o, const struct kernel_list *list)
{
    struct outfile out;
    if (out_open_kept(&out, o->output, o->force) != 0)
        return -1;
    kernel_list_write(list, out.f);
    return out_commit(&out);
}

static int kernels(const struct kernels_options *o)
{
    const struct output to = {"-o", o->output};
    struct kernel_list list = {0};
    struct spec spec;
    if (spec_load(&spec, o->spec) != 0)
        return -1;
    const int bad = outputs_check_inputs(&to, 1, "--data", &o->data) != 0
                    || kernel_list_open(&list, &spec) != 0
                    || kernel_list_read(&list, o->data.v, o->data.n) != 0
                    || kernel_list_finish(&list) != 0 || write_spec(o, &list) != 0;
    kernel_list_free(&list);
    spec_free(&spec);
    return bad ? -1 : 0;
}

int cmd_kernels(int argc, char **argv)
{
    struct kernels_options o = {0};
    const struct opt table[] = {
        OPT_SAYS("Writes a spec with the kernels that a library has now: its section [kernels], "
                 "and the values of library, tile_m, tile_n, tile_k and variant. For specs with "
                 "format = aiter."),
        OPT(TEXT, "SPEC", &o.spec,
            "the spec; a kernel that it has keeps its number among its variants"),
        OPT(TEXTS, "--data FILE.csv...", &o.data,
            "CSV, also .bz2 and .gz: lists of kernels (columns family, libtype, gfx, kernelId, "
            "kernelName, tile_m, tile_n, tile_k, fields) and AITER's tables of tuned kernels. With "
            "a list, kernels that no file names are left out; with tables alone, those of the spec "
            "stay. The tile of a kernel that only tables name is read from its name"),
        OUTPUT_OPTIONS("NEW.spec", &o.output, &o.force),
        OPT_SAYS("With --force, NEW.spec may be SPEC.\nExample:\n  kpred-train kernels "
                 "weights/gemm_a8w8_blockscale.spec -o new.spec \\\n      --data "
                 "aiter/configs/a8w8_blockscale_tuned_gemm.csv"),
        {.usage = NULL},
    };
    int status = opts_parse(table, argc, argv);
    if (status < 0)
        status = outputs_check_force(o.force, o.output) != 0 ? 2 : kernels(&o) != 0;
    return opts_free(table, status);
}
