/* main.c - asks both files of the program; their answers must agree
   SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
int32_t first(void);
int32_t second(void);
#ifdef __cplusplus
}
#endif

int main(void)
{
    printf("%ld\n", (long)first());
    return first() == 0 || first() != second();
}
