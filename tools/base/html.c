/* html.c - see html.h
   SPDX-License-Identifier: MIT */
#include "html.h"

size_t utf8_length(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)
        || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
        return 0;
    return n;
}

/* What a character is in HTML; NULL: itself */
static const char *html_escape(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return (unsigned char)c < ' ' || c == 0x7f ? " " : NULL;
    }
}

void html_text(struct buf *to, const char *text)
{
    for (size_t n; *text != '\0'; text += n) {
        const size_t length = utf8_length(text);
        const char *const other = length == 0 ? "\xef\xbf\xbd" : html_escape(*text);
        n = length > 0 ? length : 1;
        if (other != NULL)
            buf_puts(to, other);
        else
            buf_add(to, text, n);
    }
}

void html_pieces(struct buf *to, const char *const *pieces)
{
    for (; *pieces != NULL; pieces++)
        buf_puts(to, *pieces);
}
