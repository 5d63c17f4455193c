/* log.c - the file behind an archive: a heading, then checked lines that are only ever added
   SPDX-License-Identifier: MIT

   task.h declares it. */
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define TITLE "# kpred-evolve log 1"

struct pair {
    char *key, *value; /* its own */
};

struct log {
    char *path;
    FILE *f; /* read by it, written by its descriptor; the lock goes when it is closed */
    const char *line_end; /* of its last line: new ones end so too */
    uint64_t sum;
    struct pair *story;
    size_t n_story, cap_story;
    /* while it is read */
    char *line;
    size_t cap_line;
    ssize_t n_line;
    long number;
    off_t whole; /* bytes of whole lines so far */
};

/* ---- the story ---- */

/* Control characters would break lines; what stands for them is compared as well. */
static char *one_line(const char *text)
{
    char *copy = xstrdup(text);
    for (char *p = copy; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return copy;
}

static void story_add(struct log *l, const char *key, const char *value)
{
    l->story = xgrow(l->story, l->n_story, &l->cap_story, sizeof *l->story);
    l->story[l->n_story].key = one_line(key);
    l->story[l->n_story++].value = one_line(value);
}

const char *log_value(const struct log *l, const char *key)
{
    for (size_t i = 0; i < l->n_story; i++)
        if (strcmp(l->story[i].key, key) == 0)
            return l->story[i].value;
    return NULL;
}

/* Is a key of the log among the wanted ones? */
static int wanted(const struct log_pair *story, const char *key)
{
    for (; story->key != NULL; story++)
        if (strcmp(story->key, key) == 0)
            return 1;
    return 0;
}

static int same_value(const struct log *l, const struct log_pair *want)
{
    const char *is = log_value(l, want->key);
    char *value = one_line(want->value);
    int rc = 0;
    if (is == NULL)
        rc = fail("%s: is the log of another search: it has no \"%s\"", l->path, want->key);
    else if (strcmp(is, value) != 0)
        rc = fail("%s: is the log of another search: \"%s\" is \"%s\" there and \"%s\" here",
                  l->path, want->key, is, value);
    free(value);
    return rc;
}

/* Who reads alone may know less of the story than the log has. */
static int same_story(const struct log *l, enum log_mode mode, const struct log_pair *story)
{
    for (const struct log_pair *s = story; s->key != NULL; s++)
        if (same_value(l, s) != 0)
            return -1;
    for (size_t i = 0; i < l->n_story && mode != LOG_READ; i++)
        if (!wanted(story, l->story[i].key)
            && strncmp(l->story[i].key, LOG_TOLD, strlen(LOG_TOLD)) != 0)
            return fail("%s: is the log of another search: \"%s\" is \"%s\" there, and not set "
                        "here",
                        l->path, l->story[i].key, l->story[i].value);
    return 0;
}

/* ---- writing ---- */

/* FNV-1a */
static uint64_t sum_of(uint64_t sum, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static const uint64_t sum_begin = UINT64_C(0xcbf29ce484222325);

static uint32_t shown(uint64_t sum)
{
    return (uint32_t)(sum >> 32 ^ sum);
}

int log_append(struct log *l, const char *text)
{
    struct buf line = {0};
    const uint64_t sum = sum_of(l->sum, text, strlen(text));
    buf_printf(&line, "%s #%08" PRIx32 "%s", text, shown(sum), l->line_end);
    /* What a kill can leave is a part of the last line, never parts of several. */
    const int rc = append_whole(fileno(l->f), &line, l->path);
    if (rc == 0)
        l->sum = sum;
    buf_free(&line);
    return rc;
}

static int put_heading(struct log *l, const struct log_pair *story)
{
    struct buf text = {0};
    buf_puts(&text, TITLE "\n");
    for (; story->key != NULL; story++) {
        story_add(l, story->key, story->value);
        const struct pair *p = &l->story[l->n_story - 1];
        buf_printf(&text, "# %s %s\n", p->key, p->value);
    }
    l->sum = sum_of(sum_begin, text.s, text.n);
    buf_printf(&text, "# end %08" PRIx32 "\n", shown(l->sum));
    const int rc = append_whole(fileno(l->f), &text, l->path);
    buf_free(&text);
    return rc;
}

/* ---- reading ---- */

static int bad_line(const struct log *l, const char *what)
{
    return fail("%s:%ld: %s", l->path, l->number, what);
}

/* The next line, without its end, which an editor may have made CRLF: 1, 0 if there is no whole one
   left, or -1 with a message. */
static int read_line(struct log *l)
{
    l->n_line = getline(&l->line, &l->cap_line, l->f);
    if (l->n_line < 0 && !feof(l->f)) /* without memory there is no ferror */
        return fail("%s: cannot read: %s", l->path, strerror(errno));
    if (l->n_line <= 0)
        return 0;
    l->number++;
    if (l->line[l->n_line - 1] != '\n')
        return 0;
    l->whole += l->n_line;
    l->n_line--;
    const int is_crlf = l->n_line > 0 && l->line[l->n_line - 1] == '\r';
    l->n_line -= is_crlf;
    l->line_end = is_crlf ? "\r\n" : "\n";
    l->line[l->n_line] = '\0';
    return 1;
}

/* "key value" of a line of the heading, which it changes */
static int read_pair(struct log *l, char *text)
{
    char *blank = strchr(text, ' ');
    if (blank == NULL || blank == text)
        return bad_line(l, "is not a line of a heading");
    *blank = '\0';
    story_add(l, text, blank + 1);
    return 0;
}

/* Compares the checksum of eight hexadecimal digits. */
static int check_sum(const struct log *l, const char *digits, uint64_t sum)
{
    char want[9];
    snprintf(want, sizeof want, "%08" PRIx32, shown(sum));
    return strcmp(digits, want) == 0 ? 0 : bad_line(l, "is damaged: its checksum is another one");
}

static int read_title(struct log *l)
{
    skip_bom(l->f);
    l->whole = ftello(l->f);
    const int rc = read_line(l);
    if (rc < 0)
        return -1;
    if (l->n_line > 0 && strcmp(l->line, TITLE) == 0) {
        l->sum = sum_of(sum_begin, TITLE "\n", strlen(TITLE) + 1);
        return 0;
    }
    if (rc == 0 && l->n_line > 0 && strncmp(l->line, TITLE, (size_t)l->n_line) == 0)
        return fail("%s: ends within its heading", l->path);
    return fail("%s: is not a log of kpred-evolve", l->path);
}

static int read_heading(struct log *l)
{
    int rc = read_title(l);
    while (rc == 0) {
        rc = read_line(l);
        if (rc <= 0)
            return rc < 0 ? -1 : fail("%s: ends within its heading", l->path);
        if (strncmp(l->line, "# end ", 6) == 0)
            return check_sum(l, l->line + 6, l->sum);
        if (strncmp(l->line, "# ", 2) != 0)
            return bad_line(l, "is not a line of a heading, which has no end");
        l->line[l->n_line] = '\n';
        l->sum = sum_of(l->sum, l->line, (size_t)l->n_line + 1);
        l->line[l->n_line] = '\0';
        rc = read_pair(l, l->line + 2);
    }
    return rc;
}

static int take_line(struct log *l, const struct log_lines *lines)
{
    char *mark = l->n_line >= 10 ? l->line + l->n_line - 10 : l->line; /* " #01234567" */
    if (strlen(l->line) != (size_t)l->n_line || strncmp(mark, " #", 2) != 0)
        return bad_line(l, "is damaged: no checksum stands at its end");
    const uint64_t sum = sum_of(l->sum, l->line, (size_t)(mark - l->line));
    if (check_sum(l, mark + 2, sum) != 0)
        return -1;
    l->sum = sum;
    *mark = '\0';
    return lines->take(lines->user, l->line) == 0 ? 0
                                                  : bad_line(l, "is not a result of a candidate");
}

static int read_lines(struct log *l, const struct log_lines *lines)
{
    int rc;
    while ((rc = read_line(l)) > 0)
        if (take_line(l, lines) != 0)
            return -1;
    return rc;
}

/* What is behind the last whole line is what a kill left of a write. */
static int cut_rest(struct log *l, enum log_mode mode)
{
    if (l->n_line <= 0)
        return 0;
    note("%s:%ld: has no end, as a kill leaves a line: left out", l->path, l->number);
    if (mode != LOG_READ && ftruncate(fileno(l->f), l->whole) != 0)
        return fail("%s: cannot cut its last line off: %s", l->path, strerror(errno));
    return 0;
}

static int read_all(struct log *l, enum log_mode mode, const struct log_pair *story,
                    const struct log_lines *lines)
{
    int rc = read_heading(l);
    if (rc == 0)
        rc = same_story(l, mode, story);
    if (rc == 0)
        rc = read_lines(l, lines);
    return rc == 0 ? cut_rest(l, mode) : rc;
}

/* ---- opening ---- */

/* One that is written has a lock: two searches would each lack what the other evaluates. */
static int open_file(struct log *l, enum log_mode mode)
{
    if (mode != LOG_READ)
        return append_open(&l->f, l->path, "search", "") >= 0 ? 0 : -1;
    l->f = fopen(l->path, "rb");
    if (l->f == NULL)
        return fail("%s: cannot open: %s", l->path, strerror(errno));
    fcntl(fileno(l->f), F_SETFD, FD_CLOEXEC);
    return 0;
}

/* Nothing is left of a new file whose heading could not be written. */
static int log_begin(struct log *l, const struct log_pair *story, int is_file)
{
    const int rc = put_heading(l, story);
    if (rc != 0 && is_file)
        unlink(l->path);
    return rc;
}

static int open_log(struct log *l, enum log_mode mode, const struct log_pair *story,
                    const struct log_lines *lines)
{
    struct stat st;
    if (open_file(l, mode) != 0)
        return -1;
    if (fstat(fileno(l->f), &st) != 0)
        return fail("%s: cannot read: %s", l->path, strerror(errno));
    if (mode != LOG_READ && st.st_size == 0)
        return log_begin(l, story, S_ISREG(st.st_mode));
    if (mode == LOG_NEW)
        return fail("%s: is there already", l->path);
    return read_all(l, mode, story, lines);
}

int log_open(struct log **log, const char *path, enum log_mode mode, const struct log_pair *story,
             const struct log_lines *lines)
{
    struct log *l = xcalloc(1, sizeof *l);
    l->path = xstrdup(path);
    l->line_end = "\n";
    *log = l;
    if (open_log(l, mode, story, lines) == 0)
        return 0;
    log_close(l);
    *log = NULL;
    return -1;
}

void log_close(struct log *l)
{
    if (l == NULL)
        return;
    if (l->f != NULL)
        fclose(l->f);
    for (size_t i = 0; i < l->n_story; i++) {
        free(l->story[i].key);
        free(l->story[i].value);
    }
    free(l->story);
    free(l->line);
    free(l->path);
    free(l);
}
