/* freestanding.c - a prediction without a C library, with nothing between it and the kernel:

       cc -std=c99 -I. -ffreestanding -nostdlib -static examples/freestanding.c -o freestanding

   Exits with 0 if it got the tuples it asked for, best first and legal; 1 if not. Linux, x86-64 and
   aarch64: the two lines of assembly are the system call that ends the process. */
#define KPRED_IMPLEMENTATION
#include "weights/conv_asm_bwd_wrw_3x3.h"

static void leave(long status)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(60), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x0 __asm__("x0") = status;
    register long x8 __asm__("x8") = 93;
    __asm__ volatile("svc 0" : : "r"(x0), "r"(x8) : "memory");
#else
#error "this example knows the system calls of x86-64 and aarch64 only"
#endif
    for (;;)
        ;
}

static int predict(void)
{
    static int32_t arena[KPRED_CONV_ASM_BWD_WRW_3X3_ARENA(10)];
    static kpred_tuple best[10];
    static const int32_t problem[] = {KPRED_GPU_GFX900_56,
                                      KPRED_DIR_W,
                                      KPRED_DTYPE_FP32,
                                      32,
                                      64,
                                      56,
                                      56,
                                      64,
                                      1,
                                      1}; /* n c h w k stride groups */
    const kpred_model *model = &kpred_model_conv_asm_bwd_wrw_3x3;
    kpred_ctx ctx;
    size_t i, n = 0;
    if (kpred_init(&ctx, KPRED_VERSION, model, 10, arena, sizeof arena / sizeof *arena) != KPRED_OK
        || kpred_predict(&ctx, problem, model->n_fields, best, 10, &n) != KPRED_OK)
        return 1;
    for (i = 0; i < n; i++)
        if (!kpred_legal(model, problem, best[i].value)
            || (i > 0 && best[i].score > best[i - 1].score))
            return 1;
    return n == 10 ? 0 : 1;
}

/* Nobody called it, so on x86-64 the stack is not where a called function expects it. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
void _start(void);

void _start(void)
{
    leave(predict());
}
