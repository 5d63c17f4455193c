/* x86_64.S - from the 32 bits in which a PC's loader leaves it (PVH) to 64, with SSE
   SPDX-License-Identifier: MIT */

/* The loader finds the entry by this note. */
    .section .note.pvh, "a"
    .long 4, 4, 18 /* of name and value the bytes; XEN_ELFNOTE_PHYS32_ENTRY */
    .asciz "Xen"
    .long start

    .section .text.start, "ax"
    .code32
    .globl start
start:
    mov $stack_high, %esp
    /* All addresses stand for themselves: one table of 512 pages of 2 MB. */
    mov $third, %eax
    or $3, %eax
    mov %eax, fourth
    mov $second, %eax
    or $3, %eax
    mov %eax, third
    xor %ecx, %ecx
1:  mov %ecx, %eax
    shl $21, %eax
    or $0x83, %eax
    mov %eax, second(, %ecx, 8)
    inc %ecx
    cmp $512, %ecx
    jne 1b
    mov $fourth, %eax
    mov %eax, %cr3
    mov %cr4, %eax
    or $0x620, %eax /* PAE, OSFXSR, OSXMMEXCPT */
    mov %eax, %cr4
    mov $0xc0000080, %ecx /* EFER */
    rdmsr
    or $0x100, %eax /* LME */
    wrmsr
    mov %cr0, %eax
    and $~4, %eax /* EM */
    or $0x80000002, %eax /* PG, MP */
    mov %eax, %cr0
    lgdt table
    ljmp $8, $long_mode

    .code64
long_mode:
    xor %eax, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $stack_high, %rsp
    call image_main
2:  hlt
    jmp 2b

    .section .rodata.start, "a"
    .balign 8
segments:
    .quad 0, 0x00209a0000000000 /* none, and code of 64 bits */
table:
    .word table - segments - 1
    .long segments

    .section .bss.start, "aw", @nobits
    .balign 4096
fourth: .skip 4096
third:  .skip 4096
second: .skip 4096

    .section .note.GNU-stack, "", @progbits
