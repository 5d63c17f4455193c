/* left.c - the families that kpred has no answer for, and vLLM's files of Mamba's state update
   SPDX-License-Identifier: MIT */
#include "serve.h"

#include "base/names.h"
#include "model/gpus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- families without an answer ---- */

/* needs: what a run has to be of, blanks between */
static const struct {
    const char *name, *why, *needs;
} families_left[] = {
    {"AITER's Triton JSON", "a row is right in 18 %: --top writes lists", "aiter"},
    {"FlyDSL's MoE (--moe-backend flydsl)", "two contents are public", "vllm amd int4"},
    {"Mamba state update", "of AMD's GPUs one shape is public", "vllm amd mamba"},
    {"LoRA", "no data; VLLM_TUNED_CONFIG_FOLDER changes MoE with it", "vllm"},
    {"LoRA", "20 files are public", "sglang"},
    {"Helion's kernels", "14 files are public", "vllm nvidia"},
    {"AITER's GDN", "its file has one number", "aiter linear"},
    {"AITER's grouped and mxscale MoE tables", "no model", "aiter experts"},
};

static const char *const heads[] = {"mamba_head_dim", "mamba_d_head", "mamba_headdim", NULL};
static const char *const states[] = {"ssm_state_size", "mamba_d_state", NULL};

void left_of_config(struct buf *of, const struct lookups_how *how)
{
    struct hf_config *c = how->config;
    buf_printf(of, "%s %s%s%s%s%s%s", triton_servers[how->server],
               strncmp(how->device, "NVIDIA", 6) == 0 ? "nvidia" : "amd",
               how->has_aiter ? " aiter" : "", how->experts.routed != 0 ? " experts" : "",
               how->q.kind == QUANTIZED_INT4_WEIGHTS ? " int4" : "",
               hf_number_any(c, heads) != 0 ? " mamba" : "",
               hf_find(c, "linear_num_value_heads") != NULL ? " linear" : "");
}

void left_tell(const char *of)
{
    for (size_t i = 0; i < sizeof families_left / sizeof *families_left; i++) {
        int has_all = 1;
        for (const char *w = families_left[i].needs; *w != '\0'; w += strspn(w, " ")) {
            struct buf word = {NULL, 0, 0};
            buf_add(&word, w, strcspn(w, " "));
            has_all &= names_has_word(of, word.s);
            w += word.n;
            buf_free(&word);
        }
        if (has_all)
            note("not answered: %s: %s", families_left[i].name, families_left[i].why);
    }
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
