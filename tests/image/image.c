/* image.c - prints the signatures of the models that an image holds, and how much stack they took
   SPDX-License-Identifier: MIT

   `NAME hash` for each model, as tests/signature.c prints it, and `stack BYTES` last: from the
   frame that calls to the lowest byte that was written, in kpred_init and kpred_predict with every
   beam. The first part is the machine that it runs on without a system. */
#include "signature.h"
#include "weights/conv_asm_1x1u.h"
#include "weights/gemm_a8w8_blockscale.h"

/* The linker's script has the ends of the stack, which grows downwards. */
extern unsigned char stack_low[], stack_high[];

/* The board calls it, on its stack, with .bss cleared. */
void image_main(void);

#ifdef __arm__

/* ---- a Cortex-M: a vector table of two entries, and semihosting ---- */

extern unsigned char bss_start[], bss_end[];

enum { SYS_WRITEC = 0x03, SYS_EXIT = 0x18, EXIT_DONE = 0x20026, EXIT_FAILED = 0x20023 };

/* A request to the debugger, which here is the emulator */
static void semihosting(uintptr_t request, uintptr_t argument)
{
    register uintptr_t r0 __asm__("r0") = request;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void board_put(char c)
{
    semihosting(SYS_WRITEC, (uintptr_t)&c);
}

/* Ends the emulator; ok: with the status that image.sh takes for success */
static void board_leave(int ok)
{
    semihosting(SYS_EXIT, ok ? EXIT_DONE : EXIT_FAILED);
    for (;;)
        ;
}

void reset(void);

void reset(void)
{
    for (volatile unsigned char *p = bss_start; p < bss_end; p++)
        *p = 0;
    image_main();
}

/* What the processor reads at address 0: where the stack begins, and where the program does */
__attribute__((section(".vectors"), used)) static const struct {
    unsigned char *stack;
    void (*start)(void);
} vectors = {stack_high, reset};

#else

/* ---- a PC: the serial port, and the device that ends the emulator ---- */

enum { SERIAL = 0x3f8, SERIAL_STATUS = SERIAL + 5, CAN_WRITE = 0x20, EXIT = 0xf4 };

static void write_port(uint16_t port, uint8_t x)
{
    __asm__ volatile("outb %0, %1" : : "a"(x), "Nd"(port));
}

static uint8_t read_port(uint16_t port)
{
    uint8_t x;
    __asm__ volatile("inb %1, %0" : "=a"(x) : "Nd"(port));
    return x;
}

static void board_put(char c)
{
    while (!(read_port(SERIAL_STATUS) & CAN_WRITE))
        ;
    write_port(SERIAL, (uint8_t)c);
}

/* The emulator's status is twice the byte, and 1. */
static void board_leave(int ok)
{
    write_port(EXIT, ok ? 16 : 0);
    for (;;)
        ;
}

#endif

/* ---- what is printed ---- */

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
