/* util.c - messages, memory, text, input files, SHA-256
   SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- messages ---- */

const char *program_name = "kpred-train";

static int line_is_shown;

/* The last column stays free: some terminals begin the next line with it. */
void line_show(const char *text)
{
    const size_t width = terminal_width(STDERR_FILENO);
    size_t bytes = 0;
    for (size_t n = 0; text[bytes] != '\0'; bytes++) {
        n += ((unsigned char)text[bytes] & 0xc0) != 0x80; /* a character of UTF-8 begins */
        if (n >= width)
            break;
    }
    if (width == 0)
        return;
    fprintf(stderr, "\r\033[K%.*s", (int)bytes, text);
    fflush(stderr);
    line_is_shown = 1;
}

void line_wipe(void)
{
    if (line_is_shown)
        fputs("\r\033[K", stderr);
    line_is_shown = 0;
}

/* How many of n bytes go onto a line that has so much room. A command, which has a tail, is not
   broken within quotes. */
static size_t text_fitting(const char *s, size_t n, size_t room, const char *tail)
{
    const int is_command = *tail != '\0';
    size_t blank = 0, mark = 0;
    char quote = '\0';
    if (n <= room)
        return n;
    room -= room > strlen(tail) ? strlen(tail) : room;
    for (size_t i = strspn(s, " "); i < n && (i <= room || blank + mark == 0); i++)
        if (is_command && (s[i] == '"' || s[i] == '\'') && (quote == '\0' || quote == s[i]))
            quote = quote == '\0' ? s[i] : '\0';
        else if (s[i] == ' ' && quote == '\0')
            blank = i;
        else if (!is_command && strchr("|,", s[i]) != NULL && i < room)
            mark = i + 1;
    return blank > 0 ? blank : mark > 0 ? mark : n;
}

void text_fill(FILE *f, const char *s, size_t n, struct fill fill)
{
    while (n > 0) {
        const size_t room = fill.width > fill.at ? fill.width - fill.at : 0;
        size_t fits = text_fitting(s, n, room, fill.tail);
        for (size_t i = 0; i < fits; i++)
            fputc(s[i] == *FILL_GLUE ? ' ' : s[i], f);
        fits += fits < n && s[fits] == ' ';
        s += fits;
        n -= fits;
        if (n > 0)
            fprintf(f, "%s\n%*s", fill.tail, (int)fill.indent, "");
        fill.at = fill.indent;
    }
}

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

/* A value quoted in a message may hold anything, yet a message stays one line of text. */
static void print_line(const char *fmt, va_list args)
{
    char line[2048];
    int n = vsnprintf(line, sizeof line, fmt, args);
    for (char *p = line; *p != '\0';) {
        const unsigned char c = (unsigned char)*p, next = (unsigned char)p[1];
        const size_t size = utf8_length(p);
        const int steers = c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0); /* a terminal */
        *p = size == 0 || steers ? '?' : *p;
        p += size == 0 || steers ? 1 : size;
    }
    const size_t width = terminal_width(STDERR_FILENO);
    line_wipe();
    const size_t at = (size_t)fprintf(stderr, "%s: ", program_name);
    text_fill(stderr, line, strlen(line), (struct fill){at, 2, width > 0 ? width : SIZE_MAX, ""});
    fputs(n >= (int)sizeof line ? "...\n" : "\n", stderr);
}

static struct spared *sparing; /* NULL: nothing is spared */

int fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (sparing == NULL)
        print_line(fmt, args);
    else if (*sparing->first == '\0')
        vsnprintf(sparing->first, sizeof sparing->first, fmt, args);
    va_end(args);
    return -1;
}

void spare_begin(struct spared *s)
{
    sparing = s;
}

void spare_end(void)
{
    sparing = NULL;
}

void spare_note(const struct spared *s)
{
    spare_end();
    if (s->n != 0)
        note("%zu row%s left out, the first: %s", s->n, as_counted(s->n, " is", "s are"), s->first);
    else if (*s->first != '\0')
        note("a file is left out: %s", s->first);
}

int fail_without(const char *path, const char *library, const char *package)
{
    return fail("%s: needs %s, which this program was built without (Debian: apt-get install %s)",
                path, library, package);
}

static struct buf *notes_kept; /* NULL: none are */

void notes_keep(struct buf *lines)
{
    notes_kept = lines;
}

void note(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    print_line(fmt, args);
    va_end(args);
    if (notes_kept == NULL)
        return;
    va_start(args, fmt);
    buf_vprintf(notes_kept, fmt, args);
    buf_puts(notes_kept, "\n");
    va_end(args);
}

void note_command(const char *news, const char *command)
{
    const size_t width = terminal_width(STDERR_FILENO);
    if (width == 0) {
        note("%s: %s", news, command);
        return;
    }
    note("%s:", news);
    fputs("  ", stderr);
    text_fill(stderr, command, strlen(command), (struct fill){2, 6, width, " \\"});
    fputc('\n', stderr);
}

const char *as_counted(unsigned long long n, const char *one, const char *several)
{
    return n == 1 ? one : several;
}

int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int compare_longs(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return ORDER(x, y);
}

double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- memory ---- */

/* Memory is lacking in several threads at a time. Of two that call exit(), the second would end the
   program while the first is still removing files: so it waits here for the end. */
static void *need(void *p)
{
    static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
    if (p == NULL) {
        pthread_mutex_lock(&ending);
        spare_end();
        fail("out of memory");
        exit(EXIT_FAILURE);
    }
    return p;
}

void *xmalloc(size_t size)
{
    return need(malloc(size != 0 ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
    return need(n != 0 && size != 0 ? calloc(n, size) : calloc(1, 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size)
        need(NULL);
    return need(realloc(p, n * size != 0 ? n * size : 1));
}

void *xgrow(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap != 0 ? 2 * *cap : 64;
    return xrealloc(p, *cap, size);
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

void *heap_new(struct heap *h, size_t n, size_t size)
{
    h->v = xgrow(h->v, h->n, &h->cap, sizeof *h->v);
    return h->v[h->n++] = xcalloc(n, size);
}

void heap_free(struct heap *h)
{
    while (h->n > 0)
        free(h->v[--h->n]);
    free(h->v);
    *h = (struct heap){NULL, 0, 0};
}

/* ---- text ---- */

static void buf_reserve(struct buf *b, size_t more)
{
    if (more >= SIZE_MAX / 4 || b->n >= SIZE_MAX / 4)
        need(NULL);
    if (b->n + more + 1 > b->cap) {
        b->cap = 2 * b->cap > b->n + more + 1 ? 2 * b->cap : b->n + more + 64;
        b->s = xrealloc(b->s, b->cap, 1);
    }
}

void buf_add(struct buf *b, const char *bytes, size_t n)
{
    buf_reserve(b, n);
    if (n != 0)
        memcpy(b->s + b->n, bytes, n);
    b->n += n;
    b->s[b->n] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    if (n >= 0) {
        buf_reserve(b, (size_t)n);
        vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    buf_vprintf(b, fmt, args);
    va_end(args);
}

void buf_drop(struct buf *b, size_t n)
{
    memmove(b->s, b->s + n, b->n - n + 1);
    b->n -= n;
}

void buf_free(struct buf *b)
{
    free(b->s);
    b->s = NULL;
    b->n = b->cap = 0;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), t = strlen(tail);
    return n >= t && strcmp(s + n - t, tail) == 0;
}

void buf_add_path(struct buf *b, const char *folder, const char *name)
{
    buf_printf(b, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
}

int buf_add_absolute(struct buf *b, const char *path)
{
    char here[4096];
    const int is_known = *path == '/' || getcwd(here, sizeof here) != NULL;
    if (is_known && *path != '/')
        buf_add_path(b, here, path);
    else
        buf_puts(b, path);
    return is_known ? 0 : -1;
}

int is_identifier(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t n = strspn(s, letters);
    return n >= 1 && n <= 63 && s[n] == '\0' && (*s < '0' || *s > '9');
}

static const char bom[] = "\xef\xbb\xbf";

void plain_text(struct buf *text)
{
    size_t from = 0, to = 0;
    if (text->n == 0 || memchr(text->s, '\0', text->n) != NULL)
        return;
    if (strncmp(text->s, bom, sizeof bom - 1) == 0)
        from = sizeof bom - 1;
    else if (strchr(text->s, '\r') == NULL)
        return;
    for (; from < text->n; from++)
        if (text->s[from] != '\r' || text->s[from + 1] != '\n')
            text->s[to++] = text->s[from];
    text->s[text->n = to] = '\0';
}

size_t whole_lines(const struct buf *text)
{
    size_t n = text->n;
    while (n > 0 && text->s[n - 1] != '\n')
        n--;
    return n;
}

/* More than one byte goes back only where the first is that of a mark and the next is not. */
void skip_bom(FILE *f)
{
    size_t n = 0;
    int c = EOF;
    while (n + 1 < sizeof bom && (c = getc(f)) == (unsigned char)bom[n])
        n++;
    if (n + 1 == sizeof bom)
        return;
    if (c != EOF)
        ungetc(c, f);
    while (n > 0)
        ungetc((unsigned char)bom[--n], f);
}

char *trim_blanks(char *s)
{
    static const char blanks[] = " \t\r\n";
    s += strspn(s, blanks);
    size_t n = strlen(s);
    while (n > 0 && strchr(blanks, s[n - 1]) != NULL)
        n--;
    s[n] = '\0';
    return s;
}

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

void print_export(const char *name, const char *value)
{
    struct buf line = {NULL, 0, 0};
    buf_printf(&line, "  export %s=", name);
    quote(&line, value, '*');
    fprintf(stderr, "%s\n", line.s);
    buf_free(&line);
}

char *next_line(char **at)
{
    char *line = *at;
    if (*line == '\0')
        return NULL;
    const size_t n = strcspn(line, "\n");
    *at = line + n + (line[n] == '\n');
    line[n] = '\0';
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = '\0';
    return line;
}

/* ---- files ---- */

/* stat() would tie the library of vLLM's plug-in to glibc 2.33. */
int is_folder(const char *path)
{
    DIR *folder = opendir(path);
    return folder != NULL && closedir(folder) == 0;
}

/* A directory would open and only then fail to read, with a poorer message. */
FILE *open_input(const char *path)
{
    if (is_folder(path)) {
        fail("%s: is a directory", path);
        return NULL;
    }
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail("%s: cannot open: %s", path, strerror(errno));
    return f;
}

int first_line(const char *path, char *line, size_t size)
{
    FILE *f = open_input(path);
    *line = '\0';
    if (f == NULL)
        return -1;
    skip_bom(f);
    if (fgets(line, (int)size, f) != NULL)
        line[strcspn(line, "\r\n")] = '\0';
    fclose(f);
    return 0;
}

int read_stream(FILE *f, const char *path, size_t most, struct buf *out)
{
    const size_t start = out->n;
    size_t n;
    do {
        buf_reserve(out, 1 << 16);
        n = fread(out->s + out->n, 1, 1 << 16, f);
        out->n += n;
        out->s[out->n] = '\0';
    } while (n != 0 && out->n - start <= most);
    if (ferror(f))
        return fail("%s: cannot read: %s", path, strerror(errno));
    return out->n - start <= most ? 0 : fail("%s: is larger than %zu bytes", path, most);
}

int read_file(const char *path, size_t most, struct buf *out)
{
    const size_t start = out->n;
    FILE *f = open_input(path);
    if (f == NULL)
        return -1;
    const int rc = read_stream(f, path, most, out);
    fclose(f);
    return rc == 0 && out->n == start ? fail("%s: is empty", path) : rc;
}

int read_text(const char *path, size_t most, struct buf *out)
{
    const int rc = read_file(path, most, out);
    if (rc == 0)
        plain_text(out);
    return rc;
}

/* ---- outputs, whatever the system (outfile.c, platform.c) ---- */

int flush_all(FILE *f)
{
    const int lost = ferror(f);
    errno = 0;
    if (fflush(f) == 0 && !lost)
        return 0;
    if (errno == 0) {
        clearerr(f);
        putc('\n', f);
        fflush(f);
    }
    return -1;
}

const char *flush_reason(void)
{
    return errno != 0 ? strerror(errno) : "a part of it was lost";
}

int flush_stdout(void)
{
    return flush_all(stdout) == 0 ? 0 : fail("standard output: cannot write: %s", flush_reason());
}

int out_check_kept(const char *path, int force)
{
    struct stat st;
    if (force || path == NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    return fail("%s: is there already; --force replaces it", path);
}

/* ---- lines of logs ---- */

#ifdef _WIN32
#define getc_unlocked getc
#endif

int log_line_begin(struct log_line *l, FILE *f, const char *path)
{
    if (f == NULL)
        return fail("%s: cannot open: %s", path, strerror(errno));
    *l = (struct log_line){.f = f, .path = path, .text = xmalloc(LOG_LINE_MOST + 1), .at_end = 1};
    skip_bom(f);
    return 0;
}

int log_line_open(struct log_line *l, const char *path)
{
    if (strcmp(path, "-") == 0)
        return log_line_begin(l, stdin, "standard input");
    FILE *f = open_input(path);
    return f != NULL ? log_line_begin(l, f, path) : -1;
}

/* The first line is none of a packed file. */
static int check_packed(const struct log_line *l)
{
    const char *with = strncmp(l->text, "BZh", 3) == 0        ? "bunzip2"
                       : strncmp(l->text, "\x1f\x8b", 2) == 0 ? "gunzip"
                                                              : NULL;
    return with == NULL || l->number > 1
               ? 1
               : fail("%s: is packed; `%s -c` unpacks it into a pipe", l->path, with);
}

int log_line_read(struct log_line *l)
{
    size_t n = 0;
    int c = getc_unlocked(l->f);
    l->is_cut = 0;
    if (c == EOF)
        return 0;
    l->number += (size_t)l->at_end;
    for (; c != EOF && c != '\n' && c != '\r'; c = getc_unlocked(l->f)) {
        l->is_cut |= n == LOG_LINE_MOST;
        if (!l->is_cut)
            l->text[n++] = c != '\0' ? (char)c : ' ';
    }
    l->text[n] = '\0';
    l->at_end = c == '\n';
    return check_packed(l);
}

int log_line_end(struct log_line *l, int rc, size_t *lines)
{
    *lines += l->number;
    free(l->text);
    if (rc == 0 && ferror(l->f))
        rc = fail("%s: cannot read: %s", l->path, strerror(errno));
    if (l->f != stdin)
        fclose(l->f);
    return rc;
}

const char *log_line_called(const char *const *paths, size_t n)
{
    if (n > 1)
        return "the inputs";
    return n == 0 || strcmp(paths[0], "-") == 0 ? "standard input" : paths[0];
}

/* ---- SHA-256 ---- */

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be32(unsigned char *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (24 - 8 * i));
}

/* The words of the block, then each word that the 48 later rounds mix from them. */
static void schedule(uint32_t w[64], const unsigned char *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = load_be32(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[i - 7]
               + (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
    }
}

/* The eight words change their roles from round to round, so that none has to move. */
static inline void sha_round(uint32_t v[8], unsigned i, uint32_t add)
{
    const uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7];
    const uint32_t e = v[(4 - i) & 7], f = v[(5 - i) & 7], g = v[(6 - i) & 7];
    const uint32_t t =
        v[(7 - i) & 7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + add;
    v[(3 - i) & 7] += t;
    v[(7 - i) & 7] = t + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) | (a & c) | (b & c));
}

static void compress(uint32_t h[8], const unsigned char *block)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    uint32_t w[64], v[8];
    schedule(w, block);
    memcpy(v, h, sizeof v);
    for (size_t i = 0; i < 64; i += 8) {
        sha_round(v, 0, k[i] + w[i]);
        sha_round(v, 1, k[i + 1] + w[i + 1]);
        sha_round(v, 2, k[i + 2] + w[i + 2]);
        sha_round(v, 3, k[i + 3] + w[i + 3]);
        sha_round(v, 4, k[i + 4] + w[i + 4]);
        sha_round(v, 5, k[i + 5] + w[i + 5]);
        sha_round(v, 6, k[i + 6] + w[i + 6]);
        sha_round(v, 7, k[i + 7] + w[i + 7]);
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, start, sizeof start);
    s->n = 0;
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
    const unsigned char *p = data;
    while (n != 0) {
        size_t used = (size_t)(s->n % 64), part = 64 - used < n ? 64 - used : n;
        memcpy(s->block + used, p, part);
        s->n += part;
        p += part;
        n -= part;
        if (s->n % 64 == 0)
            compress(s->h, s->block);
    }
}

void sha256_end(struct sha256 *s, unsigned char digest[32])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    store_be32(length, (uint32_t)(s->n >> 29));
    store_be32(length + 4, (uint32_t)(s->n << 3 & 0xffffffff));
    sha256_add(s, padding, (size_t)(119 - s->n % 64) % 64 + 1);
    sha256_add(s, length, 8);
    for (int i = 0; i < 8; i++)
        store_be32(digest + 4 * i, s->h[i]);
}

static void end_hex(struct sha256 *s, char hex[65])
{
    unsigned char digest[32];
    sha256_end(s, digest);
    for (size_t i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

void sha256_hex(const void *data, size_t n, char hex[65])
{
    struct sha256 s;
    sha256_init(&s);
    sha256_add(&s, data, n);
    end_hex(&s, hex);
}
