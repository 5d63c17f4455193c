/* cortex_m.c - a Cortex-M without a system: a vector table of two entries, and semihosting
   SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "board.h"

extern unsigned char bss_start[], bss_end[];

enum { SYS_WRITEC = 0x03, SYS_EXIT = 0x18, EXIT_DONE = 0x20026, EXIT_FAILED = 0x20023 };

/* A request to the debugger, which here is the emulator */
static void semihosting(uintptr_t request, uintptr_t argument)
{
    register uintptr_t r0 __asm__("r0") = request;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_put(char c)
{
    semihosting(SYS_WRITEC, (uintptr_t)&c);
}

void board_leave(int ok)
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
