/* families.h - AITER's families of tuned kernels: their tables, and the models that there are
   SPDX-License-Identifier: MIT

   Facts of github.com/ROCm/aiter at commit e4048607, aiter/jit/core.py and aiter/configs. */
#pragma once

enum family_id {
    FAMILY_BS,
    FAMILY_BSP,
    FAMILY_A4W4,
    FAMILY_BP,
    FAMILY_A8W8,
    FAMILY_BF16,
    FAMILY_BATCHED,
    FAMILY_FMOE,
    N_FAMILIES,
    FAMILY_NONE = -1
};

struct family {
    const char *name; /* as people write it, "a8w8_blockscale" */
    const char *short_name;
    const char
        *merge_name;      /* AITER's, the stem of its files; that of untuned lists has `untuned` */
    const char *variable; /* of the environment, which lists the files */
    const char *model;    /* the built-in model's name; NULL: kpred has none for the family */
    const char *files;    /* of models, in aiter/configs/model_configs: names before .csv */
    const char *kernel;   /* that every build of AITER has, or NULL */
    int has_libtype;      /* its tables have that column */
};

extern const struct family families[N_FAMILIES];

/* The family whose name is part of the last component of a path (of the names, the longest), or
   FAMILY_NONE. */
enum family_id family_of_file(const char *path);

/* The family that an option names, by any of its names; FAMILY_NONE with a message. */
enum family_id family_asked(const char *option, const char *text);
