/* devices.c - what a driver calls the GPU that an option names
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "model/gpus.h"

#include <stdlib.h>
#include <string.h>

/* Chips whose driver says more than their name: the usual one of servers. Facts from the names of
   the servers' files. */
static const struct {
    const char *chip, *device;
} usual[] = {
    {"A100", "NVIDIA_A100-SXM4-80GB"}, {"A800", "NVIDIA_A800-SXM4-80GB"},
    {"B300", "NVIDIA_B300_SXM6_AC"},   {"H100", "NVIDIA_H100_80GB_HBM3"},
    {"H20 3e", "NVIDIA_H20-3e"},       {"RTX A6000", "NVIDIA_RTX_A6000"},
};

/* With `_` for blanks. 0, or 1: it is too long, or no name of a file could hold it. */
static int set(char out[DEVICE_SIZE], const char *before, const char *text)
{
    if (snprintf(out, DEVICE_SIZE, "%s%s", before, text) >= DEVICE_SIZE
        || strpbrk(text, ",/") != NULL)
        return 1;
    for (char *p = out; *p != '\0'; p++)
        *p = *p == ' ' ? '_' : *p;
    return 0;
}

static int is_whole(const char *gpu)
{
    static const char *const makers[] = {"NVIDIA", "AMD", "Radeon", "Tesla", "Intel"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(gpu, makers[i], strlen(makers[i])) == 0)
            return 1;
    return 0;
}

/* A GeForce is a GTX, or an RTX with a number such as 4090; RTX 4000 is one for workstations. */
static int is_geforce(const struct chip *chip)
{
    if (strncmp(chip->name, "RTX ", 4) != 0)
        return strncmp(chip->name, "GTX ", 4) == 0;
    return strtol(chip->name + 4, NULL, 10) % 100 != 0;
}

static int set_chip(char out[DEVICE_SIZE], const struct chip *chip, const char *gpu,
                    const char *rest)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual && *rest == '\0'; i++)
        if (strcmp(usual[i].chip, chip->name) == 0)
            return set(out, "", usual[i].device);
    if (set(out, is_geforce(chip) ? "NVIDIA_GeForce_" : "NVIDIA_", *rest == '\0' ? chip->name : gpu)
        != 0)
        return 1;
    if (ends_with(out, "_Ada"))
        strcat(out, "_Generation");
    return 0;
}

int device_find(const char *gpu, char out[DEVICE_SIZE])
{
    const struct product *product = product_find(gpu);
    const char *rest, *vendor = gpu_vendor(gpu);
    char name[DEVICE_SIZE];
    const struct chip *chip = chip_find(gpu, &rest);
    int rc = 1;
    if (vendor != NULL && strcmp(vendor, "intel") == 0)
        return fail("--gpu: value \"%.60s\": kpred has no model of Intel's GPUs", gpu);
    product = product != NULL ? product : product_of_token(gpu);
    if (is_whole(gpu) && vendor != NULL)
        rc = set(out, "", gpu);
    else if (product != NULL) {
        snprintf(name, sizeof name, "%s %s", product->brand, product->name);
        rc = set(out, "AMD_", name);
    } else if (chip != NULL)
        rc = set_chip(out, chip, gpu, rest);
    if (rc != 0)
        return fail("--gpu: value \"%.60s\": is not a GPU that kpred knows; give the name that "
                    "torch.cuda.get_device_name() has",
                    gpu);
    return 0;
}
