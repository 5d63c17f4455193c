/* relayout.c - `kpred-train relayout`: a header in the format of today, or for an edited spec
   SPDX-License-Identifier: MIT */
#include "commands.h"

#include "base/opts.h"
#include "model/header.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-train relayout OLD.h [--spec SPEC] [--include-dir DIR] -o NEW.h\n"
    "                            [--force]\n"
    "\n"
    "Writes a header that this kpred-train or an earlier one has written in the format of today,\n"
    "without training: the network stays, and with it the order of what is predicted.\n"
    "\n"
    "  OLD.h              the header; its id is checked\n"
    "  --spec SPEC        the spec to put in place of that in the header. Fields, parameters and\n"
    "                     features are to be the same; titles, rules, runs_on, [calibration] and\n"
    "                     how to train may differ\n"
    "  --include-dir DIR  what stands before kpred.h in the #include of NEW.h, such as ../; for\n"
    "                     nothing ./ (default: as in OLD.h)\n"
    "  -o NEW.h           written whole or not at all, in the place of a header that kpred-train\n"
    "                     has written, but not of OLD.h\n"
    "  --force            replace OLD.h, or any other file\n";

struct options {
    const char *old, *spec, *include_dir, *output;
    int force;
};

static int write(const struct options *o, const struct model *model, const char *story)
{
    struct outfile out;
    if (out_open(&out, o->output))
        return -1;
    header_write(out.f, model, story);
    return out_commit(&out);
}

static int run(const struct options *o)
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
                    || write(o, &model, story);
    free(story);
    model_free(&model);
    return bad ? -1 : 0;
}

int cmd_relayout(int argc, char **argv)
{
    struct options o;
    const struct opt table[] = {
        {.name = "OLD.h", .kind = OPT_TEXT, .to = &o.old, .is_required = 1},
        {.name = "--spec", .kind = OPT_TEXT, .to = &o.spec},
        {.name = "--include-dir", .kind = OPT_TEXT, .to = &o.include_dir},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = "--force", .kind = OPT_FLAG, .to = &o.force},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    const int status = opts_parse(table, help, argc, argv);
    return status < 0 ? run(&o) != 0 : status;
}
