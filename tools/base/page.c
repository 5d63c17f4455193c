/* page.c - see page.h
   SPDX-License-Identifier: MIT */
#include "page.h"

#define NEEDS_plot_css
#define NEEDS_page_css
#define NEEDS_page_js
#include "page_texts.h"

void page_element(struct buf *page, const char *tag, const char *text)
{
    buf_printf(page, "<%s>", tag);
    html_text(page, text);
    buf_printf(page, "</%s>\n", tag);
}

/* ---- the frame ---- */

void page_begin(struct buf *page, const char *title)
{
    buf_puts(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page_element(page, "title", title);
    buf_puts(page, "<style>\n");
    html_pieces(page, plot_css);
    html_pieces(page, page_css);
    buf_puts(page, "</style>\n</head>\n<body>\n<main>\n");
    page_element(page, "h1", title);
    buf_puts(page, "<div class=\"side\">\n<section hidden>\n");
}

void page_part(struct buf *page, const char *title)
{
    buf_puts(page, "</section>\n<section>\n");
    page_element(page, "h2", title);
}

void page_end(struct buf *page)
{
    buf_puts(page, "</section>\n</div>\n</main>\n<script>\n");
    html_pieces(page, page_js);
    buf_puts(page, "</script>\n</body>\n</html>\n");
}

/* ---- what stands in a part ---- */

void page_say(struct buf *page, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    page_element(page, "p", text.s);
    buf_free(&text);
}

void page_lines(struct buf *page, char *lines)
{
    for (const char *line; lines != NULL && (line = next_line(&lines)) != NULL;)
        page_element(page, "p", line);
}

/* Wide tables are scrolled, by keys too. */
void page_table_begin(struct buf *page, const char *caption, const char *class)
{
    buf_puts(page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(page, caption);
    buf_printf(page, "\">\n<table class=\"%s\">\n", class);
    page_element(page, "caption", caption);
}

void page_table_end(struct buf *page)
{
    buf_puts(page, "</table>\n</div>\n");
}

void page_table(struct buf *page, const char *caption, const struct table *t)
{
    page_table_begin(page, caption, "sort");
    table_html(t, page);
    page_table_end(page);
}
