/* page.c - see page.h
   SPDX-License-Identifier: MIT */
#include "page.h"

#include "html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_page_css
#define NEEDS_page_js
#include "page_texts.h"

static void put_element(struct buf *page, const char *tag, const char *text)
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
    put_element(page, "title", title);
    buf_puts(page, "<style>\n");
    plot_style(page);
    html_pieces(page, page_css);
    buf_puts(page, "</style>\n</head>\n<body>\n<main>\n");
    put_element(page, "h1", title);
    buf_puts(page, "<div class=\"side\">\n<section hidden>\n");
}

void page_part(struct buf *page, const char *title)
{
    buf_puts(page, "</section>\n<section>\n");
    put_element(page, "h2", title);
}

void page_end(struct buf *page)
{
    buf_puts(page, "</section>\n</div>\n</main>\n<script>\n");
    html_pieces(page, page_js);
    buf_puts(page, "</script>\n</body>\n</html>\n");
}

/* ---- what stands in a part ---- */

void page_heading(struct buf *page, const char *text)
{
    put_element(page, "h3", text);
}

void page_say(struct buf *page, const char *fmt, ...)
{
    char *text;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const size_t n = (size_t)vsnprintf(NULL, 0, fmt, args) + 1;
    text = xmalloc(n);
    vsnprintf(text, n, fmt, again);
    va_end(again);
    va_end(args);
    put_element(page, "p", text);
    free(text);
}

/* Wide tables are scrolled, by keys too. */
static void open_table(struct buf *page, const char *caption, const char *class)
{
    buf_puts(page, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(page, caption);
    buf_printf(page, "\" data-name=\"");
    html_text(page, caption);
    buf_printf(page, "\">\n<table class=\"%s\">\n", class);
    put_element(page, "caption", caption);
}

static void close_table(struct buf *page)
{
    buf_puts(page, "</table>\n</div>\n");
}

void page_table(struct buf *page, const char *caption, const struct table *t)
{
    open_table(page, caption, "sort");
    table_html(t, page);
    close_table(page);
}

void page_plot(struct buf *page, struct plot *plot, const char *title, const char *x, const char *y)
{
    buf_puts(page, "<figure>\n");
    plot_svg(plot, title, x, y, 0, page);
    buf_puts(page, "</figure>\n");
}

void page_choice(struct buf *page, const char *label)
{
    buf_puts(page, "<div data-choose=\"");
    html_text(page, label);
    buf_puts(page, "\">\n");
}

void page_choice_end(struct buf *page)
{
    buf_puts(page, "</div>\n");
}

/* ---- a heat map ---- */

/* The share in percent, also as the depth of the colour: half of the best speed is nothing */
static void put_heat_cell(struct buf *page, double share, int is_judged)
{
    const double depth = share > 0.5 ? (share - 0.5) * 1.4 : 0;
    if (share < 0)
        buf_puts(page, "<td></td>");
    else
        buf_printf(page, "<td%s style=\"--a:%.2f\">%.0f</td>", is_judged ? " class=\"judged\"" : "",
                   depth, 100 * share);
}

void page_heat(struct buf *page, const struct heat *h)
{
    struct buf caption = {0};
    char text[32];
    buf_printf(&caption, "%s by %s", h->name[0], h->name[1]);
    open_table(page, caption.s, "heat");
    buf_puts(page, "<thead><tr><td></td>");
    for (size_t b = 0; b < h->n[1]; b++)
        put_element(page, "th", h->value(h->user, 1, b, text));
    buf_puts(page, "</tr></thead>\n<tbody>");
    for (size_t a = 0; a < h->n[0]; a++) {
        buf_puts(page, "<tr>");
        put_element(page, "th", h->value(h->user, 0, a, text));
        for (size_t b = 0; b < h->n[1]; b++) {
            const size_t at = a * h->n[1] + b;
            const int is_judged = h->measured[at] < 0;
            put_heat_cell(page, is_judged ? h->judged[at] : h->measured[at], is_judged);
        }
        buf_puts(page, "</tr>\n");
    }
    buf_puts(page, "</tbody>\n");
    close_table(page);
    buf_free(&caption);
}
