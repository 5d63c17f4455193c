/* emit.c - `kpred-evolve emit`: the edited kernel as IR, assembly or object
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "session.h"

#include "base/opts.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: kpred-evolve emit KERNEL --function NAME -o FILE [--edits LIST] [--random N]\n"
    "                         [--form ir|asm|object|code-object] [--passes NAME]\n"
    "                         [--target TRIPLE] [--cpu NAME] [--barriers] [--cflags=TEXT]\n"
    "                         [--seed N]\n"
    "\n"
    "Optimises a kernel, applies edits to it, optimises it again and writes what comes out, for\n"
    "this machine or for a GPU that need not be there.\n"
    "\n"
    "  KERNEL             C (.c), OpenCL C (.cl), LLVM IR (.ll) or bitcode (.bc)\n"
    "  --function NAME    the function of KERNEL\n"
    "  -o FILE            what is written, whole or not at all\n"
    "  --edits LIST       as report prints it (default: none)\n"
    "  --random N         N more edits, drawn at random; the list goes to standard error\n"
    "  --form FORM        ir (default), asm, object, code-object: AMD's, linked by lld-16; PTX is\n"
    "                     the asm of nvptx64-nvidia-cuda\n"
    "  --passes NAME      those of a baseline, such as O3 (the default), or none\n"
    "  --target TRIPLE    such as amdgcn-amd-amdhsa (default: this machine)\n"
    "  --cpu NAME         a processor of the target, such as gfx90a\n"
    "  --barriers         barriers may be edited, too\n"
    "  --cflags=TEXT      more options for clang, separated by blanks, such as \"-DN=4 -g\"\n"
    "  --seed N           of what is drawn (default 1)\n";

struct emit_options {
    struct ir_source source;
    const char *output, *edits, *passes, *cflags;
    int form, barriers;
    long random, seed;
};

static const struct ir_passes *find_passes(const char *name)
{
    const struct ir_passes *passes =
        strcmp(name, "none") == 0 ? &ir_unoptimised : baseline_of(name);
    if (passes == NULL)
        fail("--passes \"%s\": is none of a baseline's, which check prints", name);
    return passes;
}

static int add_random(struct ir *ir, long n, long seed, struct edits *list)
{
    uint64_t random = (uint64_t)seed;
    struct edit e;
    struct buf text = {NULL, 0, 0};
    for (long i = 0; i < n; i++) {
        if (ir_propose(ir, list, &random, &e) != 0)
            return fail("--random %ld: there is no edit %ld", n, i + 1);
        edits_add(list, &e);
    }
    if (n > 0) {
        edits_print(list, edit_operators, &text);
        note("edits: %s", text.s);
        buf_free(&text);
    }
    return 0;
}

static int emit(const struct emit_options *o, struct ir *ir)
{
    struct edits list = {NULL, 0, 0};
    struct buf bytes = {NULL, 0, 0};
    int rc = 0;
    if (o->edits != NULL && edits_parse(o->edits, edit_operators, &list) != 0)
        rc = fail("--edits \"%s\": is no list of edits, as report prints them", o->edits);
    if (rc == 0)
        rc = add_random(ir, o->random, o->seed, &list);
    if (rc == 0 && !ir_applies(ir, &list))
        rc = fail("--edits \"%s\": does not apply to %s in %s", o->edits, o->source.function,
                  o->source.path);
    if (rc == 0)
        rc = ir_emit(ir, &list, (enum ir_form)o->form, NULL, &bytes);
    if (rc == 0)
        rc = out_whole(o->output, &bytes);
    edits_free(&list);
    buf_free(&bytes);
    return rc;
}

static int run(struct emit_options *o)
{
    const struct output to = {"-o", o->output};
    const struct ir_passes *passes = find_passes(o->passes);
    struct ir *ir;
    if (passes == NULL || outputs_check_input(&to, 1, "KERNEL", o->source.path) != 0)
        return -1;
    char **flags = words_of(o->cflags);
    o->source.flags = (const char *const *)flags;
    o->source.edit_barriers = o->barriers;
    int rc = ir_open(&ir, &o->source, passes);
    if (rc == 0) {
        rc = emit(o, ir);
        ir_close(ir);
    }
    free(flags);
    return rc;
}

int cmd_emit(int argc, char **argv)
{
    struct emit_options o;
    const struct opt table[] = {
        {.name = "KERNEL", .kind = OPT_TEXT, .to = &o.source.path, .is_required = 1},
        {.name = "--function", .kind = OPT_TEXT, .to = &o.source.function, .is_required = 1},
        {.name = "-o", .kind = OPT_TEXT, .to = &o.output, .is_required = 1},
        {.name = "--edits", .kind = OPT_TEXT, .to = &o.edits},
        {.name = "--random", .kind = OPT_COUNT, .to = &o.random, .least = 1, .most = 1000},
        {.name = "--form",
         .kind = OPT_CHOICE,
         .to = &o.form,
         .choices = "ir|asm|object|code-object"},
        {.name = "--passes", .kind = OPT_TEXT, .to = &o.passes},
        {.name = "--target", .kind = OPT_TEXT, .to = &o.source.target},
        {.name = "--cpu", .kind = OPT_TEXT, .to = &o.source.cpu},
        {.name = "--barriers", .kind = OPT_FLAG, .to = &o.barriers},
        {.name = "--cflags", .kind = OPT_TEXT, .to = &o.cflags},
        {.name = "--seed", .kind = OPT_COUNT, .to = &o.seed, .least = 0, .most = INT32_MAX},
        {.name = NULL},
    };
    memset(&o, 0, sizeof o);
    o.passes = "O3";
    o.seed = 1;
    const int status = opts_parse(table, help, argc, argv);
    return status < 0 ? run(&o) != 0 : status;
}
