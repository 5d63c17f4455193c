/* replay.c - runs the fuzz targets on inputs that are kept, without a fuzzer
   SPDX-License-Identifier: MIT

   usage: replay TARGET FILE...

   It has every target in it, each compiled with -DLLVMFuzzerTestOneInput=target_NAME. fuzz.sh
   writes targets.h, which has a line TARGET(NAME) for each. */
#include "base/util.h"

#include <string.h>

#define TARGET(name) int target_##name(const uint8_t *data, size_t size);
#include "targets.h"
#undef TARGET

static const struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, target_##name},
#include "targets.h"
#undef TARGET
};

static const struct target *find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    fail("\"%s\" is no target", name);
    return NULL;
}

static int run_file(const struct target *t, const char *path)
{
    struct buf input = {0};
    FILE *f = open_input(path);
    const int rc = f != NULL ? read_stream(f, path, 1 << 26, &input) : -1;
    if (f != NULL)
        fclose(f);
    if (rc == 0)
        t->run((const uint8_t *)input.s, input.n);
    buf_free(&input);
    return rc;
}

int main(int argc, char **argv)
{
    const struct target *t = argc > 1 ? find(argv[1]) : NULL;
    int rc = t != NULL ? 0 : 2;
    for (int i = 2; i < argc && rc == 0; i++)
        rc = run_file(t, argv[i]) != 0;
    return rc;
}
