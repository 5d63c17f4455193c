/* image.c - prints the signatures of the models that an image holds, and how much stack they took
   SPDX-License-Identifier: MIT

   `NAME hash` for each model, as tests/signature.c prints it, and `stack BYTES` last: from the
   frame that calls to the lowest byte that was written, in kpred_init and kpred_predict with every
   beam. */
#include "models.h"
#include "signature.h"

#include "board.h"

enum { PAINT = 0xa5, MARGIN = 256 /* below this frame: what painting itself may take */ };

static const kpred_model *const models[] = {&kpred_model_conv_asm_1x1u,
                                            &kpred_model_gemm_a8w8_blockscale};

static void put(const char *s)
{
    for (; *s; s++)
        board_put(*s);
}

static void put_hash(uint64_t hash)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        board_put("0123456789abcdef"[hash >> shift & 15]);
}

static void put_number(uint32_t n)
{
    if (n > 9)
        put_number(n / 10);
    board_put("0123456789"[n % 10]);
}

/* Everything below `from` */
static void paint(unsigned char *from)
{
    for (volatile unsigned char *p = stack_low; p < from; p++)
        *p = PAINT;
}

/* How far below `from` the lowest byte lies that is no longer painted */
static uint32_t depth(const unsigned char *from)
{
    const volatile unsigned char *p = stack_low;
    while (p < from && *p == PAINT)
        p++;
    return (uint32_t)(from - p);
}

static __attribute__((noinline)) int run_models(uint64_t *hash)
{
    int ok = 1;
    for (int i = 0; i < (int)(sizeof models / sizeof *models); i++)
        ok = ok && signature_of(models[i], -1, hash + i);
    return ok;
}

void image_main(void)
{
    uint64_t hash[sizeof models / sizeof *models];
    unsigned char *here = (unsigned char *)__builtin_frame_address(0);
    int ok;
    paint(here - sizeof hash - MARGIN);
    ok = run_models(hash);
    for (int i = 0; ok && i < (int)(sizeof models / sizeof *models); i++) {
        put(models[i]->name);
        board_put(' ');
        put_hash(hash[i]);
        board_put('\n');
    }
    put("stack ");
    put_number(depth(here));
    board_put('\n');
    board_leave(ok);
}
