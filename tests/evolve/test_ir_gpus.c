/* test_ir_gpus.c - kernels of GPUs: their barriers, and what is made of them without a GPU
   SPDX-License-Identifier: MIT */
#include "evolve/ir/module.h"
#include "evolve/ir/operators.h"
#include "ir_kernels.h"

static const struct gpu {
    struct ir_source source;
    const char *barrier; /* in its assembly */
    enum ir_form object;
    const char *begins; /* what that form begins with */
} gpus[] = {
    {{FIXTURE("reverse_amdgcn.c"), "reverse", "amdgcn-amd-amdhsa", "gfx90a", NULL, 1},
     "\ts_barrier",
     IR_CODE_OBJECT,
     "\177ELF"},
    {{FIXTURE("reverse_nvptx.ll"), "reverse", "nvptx64-nvidia-cuda", "sm_70", NULL, 1},
     "\tbar.sync",
     IR_ASSEMBLY,
     "//"},
};

/* The id of the first barrier, 0 if there is none */
static uint32_t barrier_of(struct ir *ir)
{
    for (uint32_t id = 1; id <= ir_size(ir); id++) {
        struct edits list = LIST({OP_DELETE, 0, id, 0, 0});
        struct ir_step step;
        const int fits = ir_steps(ir, &list, &step) == 0;
        const int is_barrier = fits && strstr(step.what, "barrier") != NULL;
        list_free(&list);
        if (fits)
            ir_steps_free(&step, 1);
        if (is_barrier)
            return id;
    }
    return 0;
}

/* Without one barrier the assembly has one less, and all forms can be made. */
static void drop_barrier(struct ir *ir, const struct gpu *gpu)
{
    const struct edits none = {NULL, 0, 0};
    struct edits list = LIST({OP_DELETE, 0, barrier_of(ir), 0, 0});
    char *before = emitted(ir, &none, IR_ASSEMBLY, NULL);
    char *after = emitted(ir, &list, IR_ASSEMBLY, NULL);
    CHECK_EQ(count_of(before, gpu->barrier), 2);
    CHECK_EQ(count_of(after, gpu->barrier), 1);
    free(before);
    free(after);
    before = emitted(ir, &list, gpu->object, "renamed");
    CHECK(strncmp(before, gpu->begins, strlen(gpu->begins)) == 0);
    free(before);
    list_free(&list);
}

/* Barriers move, are copied and swapped, and replaced by barriers only. */
static void edit_barrier(struct ir *ir)
{
    const uint32_t id = barrier_of(ir);
    for (uint32_t op = 0; op < N_OPERATORS; op++) {
        int n = 0;
        for (uint32_t where = 1; where <= ir_size(ir); where++) {
            struct edits list = LIST({(uint16_t)op, 0, id, where, 0});
            n += ir_applies(ir, &list);
            list_free(&list);
        }
        CHECK(op == OP_OPERAND ? n == 0 : op == OP_REPLACE ? n == 1 : n > 2);
    }
}

static void try_gpu(const struct gpu *gpu)
{
    struct ir *ir;
    enum outcome why;
    struct ir_source source = gpu->source;
    const struct edits none = {NULL, 0, 0};
    REQUIRE(ir_open(&ir, &source, &ir_baselines[2]) == 0);
    CHECK(barrier_of(ir) != 0);
    drop_barrier(ir, gpu);
    edit_barrier(ir);
    CHECK(ir_compile(ir, &none, &why) == NULL && why == OUTCOME_UNCOMPILED);
    ir_close(ir);
    source.edit_barriers = 0;
    REQUIRE(ir_open(&ir, &source, &ir_baselines[2]) == 0);
    CHECK_EQ(barrier_of(ir), 0);
    ir_close(ir);
}

static void amdgcn(void)
{
    try_gpu(&gpus[0]);
}

static void nvptx(void)
{
    try_gpu(&gpus[1]);
}

/* Without a linker there is no code object, and a message that says what is missing. */
static void without_linker(void)
{
    struct ir *ir;
    char said[1024];
    const struct edits none = {NULL, 0, 0};
    char *search = xstrdup(getenv("PATH"));
    REQUIRE(ir_open(&ir, &gpus[0].source, &ir_baselines[2]) == 0);
    setenv("PATH", "/nowhere", 1);
    FILE *messages = listen_to_stderr();
    const int status = ir_emit(ir, &none, IR_CODE_OBJECT, NULL, &(struct buf){0});
    take(messages, said, sizeof said);
    setenv("PATH", search, 1);
    CHECK(status == -1 && strstr(said, "lld-16") != NULL && strstr(said, "apt-get") != NULL);
    free(search);
    ir_close(ir);
}

/* Random lists for GPUs: the verifier takes them, and code is made of most. */
static void gpu_lists(void)
{
    for (size_t k = 0; k < 2; k++) {
        struct ir *ir;
        uint64_t random = 1;
        REQUIRE(ir_open(&ir, &gpus[k].source, &ir_baselines[2]) == 0);
        for (int i = 0; i < 200; i++) {
            struct edits list = {NULL, 0, 0};
            struct edit e;
            enum outcome why;
            while (list.n < 4 && ir_propose(ir, &list, &random, &e) == 0)
                edits_add(&list, &e);
            LLVMModuleRef module = build_module(ir, &list, &ir->passes, &why);
            CHECK_EQ(why, OUTCOME_VALID);
            if (module != NULL)
                LLVMDisposeModule(module);
            list_free(&list);
        }
        ir_close(ir);
    }
}

int main(void)
{
    RUN(amdgcn);
    RUN(nvptx);
    RUN(without_linker);
    RUN(gpu_lists);
    return test_end();
}
