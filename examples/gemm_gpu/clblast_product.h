/* clblast_product.h - the product of device.h by CLBlast, beside which tuples race
   SPDX-License-Identifier: MIT

   Behind device.h, with OpenCL. */
#pragma once

#include <clblast_c.h>

static inline hipError_t launch_clblast(struct device *d, hipStream_t stream)
{
    const struct problem *p = &d->product.of;
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    cl_command_queue queue = opencl_queue(stream);
    return (hipError_t)CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo,
                                    m, n, k, 1.0F, opencl_find_memory(d->a, 0)->buffer, 0, k,
                                    opencl_find_memory(d->b, 0)->buffer, 0, n, 0.0F,
                                    opencl_find_memory(d->c, 0)->buffer, 0, n, &queue, NULL);
}

/* A line of a file: a kernel of CLBlast, and NAME=VALUE words, which hold from now on. */
static inline int override_clblast(char *line)
{
    enum { MOST = 32 };
    const char *names[MOST], *kernel = strtok(line, " \n");
    size_t values[MOST], n = 0;
    for (char *word = strtok(NULL, " \n"); word != NULL && n < MOST; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (value == NULL)
            return -1;
        *value = '\0';
        names[n] = word;
        values[n++] = (size_t)strtoul(value + 1, NULL, 10);
    }
    return kernel == NULL
                   || CLBlastOverrideParameters(opencl_state.device, kernel, CLBlastPrecisionSingle,
                                                n, names, values)
                          != CLBlastSuccess
               ? -1
               : 0;
}

/* Takes the parameters of a file; an empty one leaves CLBlast's own. 0, or -1 with a message. */
static inline int tune_clblast(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[2000];
    int bad = file == NULL, at = 0;
    while (!bad && fgets(line, sizeof line, file) != NULL)
        at++, bad = override_clblast(line) != 0;
    if (bad)
        fprintf(stderr, "gemm_gpu: %s:%d: are not parameters of CLBlast\n", path, at);
    if (file != NULL)
        fclose(file);
    return bad ? -1 : 0;
}
