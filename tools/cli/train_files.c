/* train_files.c - the header and the float network that `train` writes
   SPDX-License-Identifier: MIT */
#include "train_run.h"

#include "model/header.h"

#include <sys/stat.h>

static int is_device(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Where the floats go; NULL: nowhere. Beside a device or a pipe, no file is left unasked. `beside`
   is to be freed. */
static const char *float_path(const struct train_options *o, struct buf *beside)
{
    if (o->net || o->float_out || is_device(o->output))
        return o->float_out;
    float_file_beside(o->output, beside);
    return beside->s;
}

int train_files_open(const struct train_options *o, struct train_files *to)
{
    struct buf beside = {NULL, 0, 0};
    const char *floats = float_path(o, &beside);
    const struct output named[] = {{"-o", o->output},
                                   {o->float_out ? "--float-out" : "the float file", floats}};
    int bad = outputs_check_apart(named, 2) || outputs_check_input(named, 2, "SPEC", o->spec)
              || outputs_check_inputs(named, 2, "--data", &o->data)
              || outputs_check_inputs(named, 2, "--beside", &o->beside)
              || header_check_kept(o->output, o->force) || out_open(&to->header, o->output);
    to->has_floats = floats != NULL;
    to->is_file = !is_device(o->output);
    if (!bad && floats && out_open(&to->floats, floats)) {
        out_abandon(&to->header);
        bad = 1;
    }
    buf_free(&beside);
    return bad;
}

void train_files_abandon(struct train_files *to)
{
    out_abandon(&to->header);
    if (to->has_floats)
        out_abandon(&to->floats);
}

/* The header does without the floats, but not the other way round. */
int train_files_commit(struct train_files *to, const struct train_options *o)
{
    if (out_commit(&to->header)) {
        if (to->has_floats)
            out_abandon(&to->floats);
        return -1;
    }
    if (!to->has_floats || out_commit(&to->floats) == 0)
        return 0;
    note("%s: is written all the same; eval --float alone needs the other file", o->output);
    return -1;
}
