/* targets.h - the fuzz targets: a fuzz_NAME.c each
   SPDX-License-Identifier: MIT */
#pragma once

#define FUZZ_TARGETS(X)                                                                         \
    X(predict)                                                                                  \
    X(spec)                                                                                     \
    X(clause)                                                                                   \
    X(header)                                                                                   \
    X(header_cut)                                                                               \
    X(csv) X(timed) X(packed) X(tensile) X(aiter_rows) X(perf_db) X(find_db) X(sqlite) X(tuner) \
        X(init) X(hf_config) X(aiter) X(kernel_list) X(driver) X(miopen) X(user_db) X(names)    \
            X(tuning) X(floats) X(commands)
