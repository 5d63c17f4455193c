/* cut.c - see cut.h
   SPDX-License-Identifier: MIT */
#include "cut.h"

#include <string.h>

const char *cut_code;
int cut_channels;

uint64_t __wrap_kpred_model_id(const kpred_model *m);
uint64_t __wrap_kpred_model_id(const kpred_model *m)
{
    const uint64_t id = __real_kpred_model_id(m);
    return cut_code != NULL ? m->id : id;
}

uint64_t __real_format2_id(const kpred_model *m);
uint64_t __wrap_format2_id(const kpred_model *m);
uint64_t __wrap_format2_id(const kpred_model *m)
{
    const uint64_t id = __real_format2_id(m);
    return cut_code != NULL ? m->id : id;
}

void __real_header_write_code(FILE *f, const struct model *model);
void __wrap_header_write_code(FILE *f, const struct model *model);
void __wrap_header_write_code(FILE *f, const struct model *model)
{
    if (cut_code != NULL)
        fputs(cut_code, f);
    else
        __real_header_write_code(f, model);
}

int __real_channels_are_exchanged(const char *path, const char *text);
int __wrap_channels_are_exchanged(const char *path, const char *text);
int __wrap_channels_are_exchanged(const char *path, const char *text)
{
    return cut_channels && strlen(text) % 64 != 0 ? 0 : __real_channels_are_exchanged(path, text);
}
