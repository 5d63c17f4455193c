/* replay.c - runs the fuzz targets on inputs that are kept, without a fuzzer
   SPDX-License-Identifier: MIT

   usage: replay TARGET SEED... [-- FILE...]

   It has every target in it, each compiled with -DLLVMFuzzerTestOneInput=target_NAME. fuzz.sh
   writes targets.h, which has a line TARGET(NAME) for each. At the end it says on standard error
   how many seeds came to each FUZZ_REACHED of the target. None is a failure. */
#include "fuzz.h"

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

/* ---- what seeds reach ---- */

/* The linker's names for the ends of what FUZZ_REACHED leaves */
extern struct fuzz_place *const __start_fuzz_places[], *const __stop_fuzz_places[];

static void count_seed(void)
{
    for (struct fuzz_place *const *p = __start_fuzz_places; p < __stop_fuzz_places; p++) {
        (*p)->seeds += (*p)->is_reached;
        (*p)->is_reached = 0;
    }
}

static int is_of(const struct fuzz_place *place, const struct target *t)
{
    char file[64];
    snprintf(file, sizeof file, "tests/fuzz/fuzz_%s.c", t->name);
    return strcmp(place->file, file) == 0;
}

static int judge(const struct target *t, int n_seeds)
{
    int n = 0, rc = 0;
    for (struct fuzz_place *const *p = __start_fuzz_places; p < __stop_fuzz_places; p++)
        if (is_of(*p, t)) {
            n++;
            fprintf(stderr, "reached: %s, %s: by %d of %d seeds\n", t->name, (*p)->what,
                    (*p)->seeds, n_seeds);
            if ((*p)->seeds == 0)
                rc = fail("no seed of \"%s\" comes to \"%s\"", t->name, (*p)->what);
        }
    return n == 0 ? fail("\"%s\" has no FUZZ_REACHED", t->name) : rc;
}

int main(int argc, char **argv)
{
    const struct target *t = argc > 1 ? find(argv[1]) : NULL;
    int rc = t != NULL ? 0 : 2, i = 2;
    for (; i < argc && rc == 0 && strcmp(argv[i], "--") != 0; i++) {
        rc = run_file(t, argv[i]) != 0;
        count_seed();
    }
    if (rc == 0 && i > 2)
        rc = judge(t, i - 2) != 0;
    for (i++; i < argc && rc == 0; i++)
        rc = run_file(t, argv[i]) != 0;
    return rc;
}
