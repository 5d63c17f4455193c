/* board.h - what an image needs of the machine that it runs on without a system
   SPDX-License-Identifier: MIT */
#pragma once

/* The linker's script has the ends of the stack, which grows downwards. */
extern unsigned char stack_low[], stack_high[];

void board_put(char c);

/* Ends the emulator; ok: with the status that image.sh takes for success */
void board_leave(int ok);

/* The board calls it, on its stack, with .bss cleared. */
void image_main(void);
