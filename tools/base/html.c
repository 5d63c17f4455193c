/* html.c - see html.h
   SPDX-License-Identifier: MIT */
#include "html.h"

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
