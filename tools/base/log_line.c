/* log_line.c - see log_line.h
   SPDX-License-Identifier: MIT */
#include "log_line.h"

#include <stdlib.h>
#include <string.h>

void log_line_begin(struct log_line *l, FILE *f)
{
    *l = (struct log_line){.text = xmalloc(LOG_LINE_MOST + 1), .at_end = 1};
    skip_bom(f);
}

int log_line_read(struct log_line *l, FILE *f)
{
    size_t n = 0;
    int c = getc_unlocked(f);
    l->is_cut = 0;
    if (c == EOF)
        return 0;
    l->number += (size_t)l->at_end;
    for (; c != EOF && c != '\n' && c != '\r'; c = getc_unlocked(f)) {
        l->is_cut |= n == LOG_LINE_MOST;
        if (!l->is_cut)
            l->text[n++] = c != '\0' ? (char)c : ' ';
    }
    l->text[n] = '\0';
    l->at_end = c == '\n';
    return 1;
}

void log_line_end(struct log_line *l)
{
    free(l->text);
    l->text = NULL;
}

const char *log_line_called(const char *const *paths, size_t n)
{
    if (n > 1)
        return "the inputs";
    return n == 0 || strcmp(paths[0], "-") == 0 ? "standard input" : paths[0];
}
