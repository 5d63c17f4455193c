/* left.c - the families that kpred has no answer for, and vLLM's files of Mamba's state update
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "model/gpus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- families without an answer ---- */

/* What a run is of */
enum { VLLM = 1, SGLANG = 2, NVIDIA = 4, AMD = 8, AITER = 16, EXPERTS = 32, INT4 = 64 };
enum { MAMBA = 128, LINEAR = 256 };

static const struct {
    const char *name, *why;
    unsigned needs;
} families_left[] = {
    {"AITER's Triton JSON", "a row is right in 18 %: --top writes lists", AITER},
    {"FlyDSL's MoE (--moe-backend flydsl)", "two contents are public", VLLM | AMD | INT4},
    {"Mamba state update", "of AMD's GPUs one shape is public", VLLM | AMD | MAMBA},
    {"LoRA", "no data; VLLM_TUNED_CONFIG_FOLDER changes MoE with it", VLLM},
    {"LoRA", "20 files are public", SGLANG},
    {"Helion's kernels", "14 files are public", VLLM | NVIDIA},
    {"AITER's GDN", "its file has one number", AITER | LINEAR},
    {"AITER's grouped and mxscale MoE tables", "no model", AITER | EXPERTS},
};

static const char *const heads[] = {"mamba_head_dim", "mamba_d_head", "mamba_headdim", NULL};
static const char *const states[] = {"ssm_state_size", "mamba_d_state", NULL};

unsigned left_of_config(const struct lookups_how *how)
{
    struct hf_config *c = how->config;
    return (how->server == TRITON_VLLM ? VLLM : SGLANG)
           | (strncmp(how->device, "NVIDIA", 6) == 0 ? NVIDIA : AMD) | (how->has_aiter ? AITER : 0)
           | (how->experts.routed != 0 ? EXPERTS : 0)
           | (how->q.kind == QUANTIZED_INT4_WEIGHTS ? INT4 : 0)
           | (hf_number_any(c, heads) != 0 ? MAMBA : 0)
           | (hf_find(c, "linear_num_value_heads") != NULL ? LINEAR : 0);
}

void left_tell(unsigned of)
{
    for (size_t i = 0; i < sizeof families_left / sizeof *families_left; i++)
        if ((families_left[i].needs & ~of) == 0)
            note("not answered: %s: %s", families_left[i].name, families_left[i].why);
}

/* ---- Mamba's state update ---- */

struct state_name {
    int head, state;
    char device[DEVICE_SIZE], type[16];
};

static int read_state_name(struct state_name *s, const char *path)
{
    return sscanf(base_name(path),
                  "headdim=%d,dstate=%d,device_name=%127[^,],cache_dtype=%15[^.].json", &s->head,
                  &s->state, s->device, s->type)
           == 4;
}

int mamba_is_file(const char *path)
{
    struct state_name s;
    return read_state_name(&s, path);
}

/* Types of 16 bits share a file. */
void mamba_of_config(const struct lookups_how *how)
{
    static const char *const types[] = {"float16", "float32"};
    const int64_t head = hf_number_any(how->config, heads);
    const int64_t state = hf_number_any(how->config, states);
    for (int i = 0; i < 2 && head != 0 && state != 0 && how->server == TRITON_VLLM; i++) {
        struct buf name = {NULL, 0, 0};
        buf_printf(&name,
                   "headdim=%" PRId64 ",dstate=%" PRId64 ",device_name=%s,cache_dtype=%s.json",
                   head, state, how->device, types[i]);
        lookups_add_file(how->to, name.s, "Mamba state update");
        buf_free(&name);
    }
}

/* How far another GPU of NVIDIA's is, by its architecture; 0: it is the same; -1: it is no such
   file or GPU */
static int sister_distance(const struct state_name *s, const char *path)
{
    struct state_name other;
    if (!read_state_name(&other, path) || other.head != s->head || other.state != s->state
        || strcmp(other.type, s->type) != 0)
        return -1;
    if (strcmp(other.device, s->device) == 0)
        return 0;
    const struct chip *a = chip_of_device(s->device), *b = chip_of_device(other.device);
    return a != NULL && b != NULL ? 1 + abs(a->arch - b->arch) : -1;
}

int mamba_answer(struct answer *a, const struct interned *files)
{
    struct state_name s;
    int least = -1;
    (void)read_state_name(&s, a->of->file);
    for (size_t i = 0; i < files->n; i++) {
        const int d = sister_distance(&s, files->v[i].s);
        if (d < 0 || (least >= 0 && d > least)
            || (d == least && strcmp(a->from, files->v[i].s) < 0))
            continue;
        least = d;
        free(a->from);
        a->from = xstrdup(files->v[i].s);
    }
    if (least < 0)
        a->why = xstrdup(strncmp(s.device, "NVIDIA", 6) == 0
                             ? "--installed has no file of NVIDIA's GPUs for it"
                             : "that of another GPU of AMD's is seldom right");
    if (least >= 0)
        a->kind = least == 0 ? ANSWER_MEASURED : ANSWER_NEAREST;
    return least > 0 ? read_file(a->from, FOLDER_FILE_BYTES, &a->text) : 0;
}
