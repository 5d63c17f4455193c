/* quote.c - see quote.h
   SPDX-License-Identifier: MIT */
#include "quote.h"

#include <string.h>

void quote(struct buf *to, const char *text, char star)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    const int is_plain = *text && text[strspn(text, plain)] == '\0';
    buf_puts(to, is_plain ? "" : "'");
    for (; *text; text++)
        if (*text == '\'')
            buf_puts(to, "'\\''");
        else
            buf_printf(to, "%c", *text == '*' ? star : *text);
    buf_puts(to, is_plain ? "" : "'");
}
