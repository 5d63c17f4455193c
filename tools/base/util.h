/* util.h - what every part of the tools needs: messages, memory, text, files, SHA-256
   SPDX-License-Identifier: MIT

   Functions that can fail return 0, or -1 after one line that says what is wrong, through fail();
   only running out of memory ends the program. Needs libc, and POSIX or what platform.c has
   of Windows. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#if defined(__MINGW_PRINTF_FORMAT)
#define PRINTF_LIKE(text, first) __attribute__((format(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

/* ---- messages ---- */

struct buf; /* below */

extern const char *program_name; /* begins every message; "kpred-train" unless main sets it */

/* One line on standard error, control characters shown as `?`; always returns -1. */
int fail(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Says that a build without a library cannot take the file, and names Debian's package. */
int fail_without(const char *path, const char *library, const char *package);
/* The same for news that is not an error. */
void note(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* From now on they are added here as well, a line each; NULL: no longer. */
void notes_keep(struct buf *lines);
/* News with a command of the shell behind it, that stays one to be pasted. */
void note_command(const char *news, const char *command);

/* Files that nobody here can mend, such as those of a package, are left out, in whole or in part.
   Between spare_begin and spare_end, which do not nest, fail() keeps its first line alone. */
struct spared { /* all zero: nothing was left out */
    size_t n;   /* rows, which the caller counts; 0: the whole file */
    char first[1024];
};
void spare_begin(struct spared *s);
void spare_end(void);
/* What was left out, if anything was, in a line; it ends the sparing. */
void spare_note(const struct spared *s);

/* "row" or "rows", "is" or "are": `one` of 1, else `several` */
const char *as_counted(unsigned long long n, const char *one, const char *several);
/* Below 0, 0 or above it, as two numbers stand in their order */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))
static inline size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}
/* For qsort, of an array of texts or of numbers */
int compare_texts(const void *a, const void *b);
int compare_longs(const void *a, const void *b);

/* A line of progress, written again and again: on a terminal alone, cut to its width. A message, or
   line_wipe, takes it away first. */
void line_show(const char *text);
void line_wipe(void);
/* Columns of the terminal that a file is; 80 of one that does not say, 0: it is none */
size_t terminal_width(int fd);

/* Bytes of the character that begins at s; 0 if it is none: a byte out of place, one cut short, one
   longer than need be, a surrogate, or beyond U+10FFFF. */
size_t utf8_length(const char *s);

struct fill {
    size_t at, indent, width; /* where the first line goes on, the others begin, and all end */
    const char *tail;         /* of lines that go on: " \\" keeps a command of the shell whole */
};
#define FILL_GLUE "\a" /* a blank at which no line is broken */
/* n bytes of text, broken at blanks or, of a long word, behind a bar or a comma. */
void text_fill(FILE *f, const char *s, size_t n, struct fill fill);

/* Seconds of a clock that only goes forward */
double clock_seconds(void);
/* How many threads or processes to start: as many as were asked for; 0: one for each processor */
size_t worker_count(long asked);

/* ---- memory: never NULL; out of memory ends the program with status 1 ---- */

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
/* Room for one more than n elements, of which there is room for *cap. */
void *xgrow(void *p, size_t n, size_t *cap, size_t size);
char *xstrdup(const char *s);

/* What is freed together: all zero is empty */
struct heap {
    void **v;
    size_t n, cap;
};
void *heap_new(struct heap *h, size_t n, size_t size); /* as xcalloc */
void heap_free(struct heap *h);

/* ---- text ---- */

struct buf { /* all zero is the empty buffer; s is NULL or ends with a NUL that n does not count */
    char *s;
    size_t n, cap;
};

void buf_add(struct buf *b, const char *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list args) PRINTF_LIKE(2, 0);
void buf_drop(struct buf *b, size_t n); /* the first n bytes */
void buf_free(struct buf *b);

const char *base_name(const char *path); /* what follows the last slash */
int ends_with(const char *s, const char *tail);
/* Adds FOLDER/NAME; the folder may end with the slash. */
void buf_add_path(struct buf *b, const char *folder, const char *name);
/* Adds the path from the root, which can be pasted into any shell; 0, or -1 without a message: the
   working folder has no path, and the path is added as it is. */
int buf_add_absolute(struct buf *b, const char *path);
/* A decimal integer and nothing else, within least..most; 0, or -1 without a message. */
int parse_int(const char *s, int64_t least, int64_t most, int64_t *out);

/* A number has one text, whoever writes it: 64 also for 64.0 and 6.4e1, 0.5 for .50, 1e-05 for
   0.00001, 1 and 0 for True and False. Whole numbers of 64 bits have all their digits, and others
   the fewest that bring them back, as Python writes them. Any other text is its own. */
enum { NUMBER_TEXT = 40 };
const char *number_text(const char *text, char out[NUMBER_TEXT]);
const char *double_text(double x, char text[NUMBER_TEXT]);
/* As parse_int, of such a number in any form */
int parse_whole(const char *s, int64_t least, int64_t most, int64_t *out);
/* Which of the texts it is; -1: none */
int text_find(const char *const *texts, size_t n, const char *text);
/* Which of the texts it is or, if it is none, which is the same number; -1: none is. */
int number_find(const char *const *texts, size_t n, const char *text);

/* A C identifier of at most 63 characters? */
int is_identifier(const char *s);
/* Cuts the next line off a text, in place, and moves *at behind it; NULL if there is none left. A
   line ends with LF or CRLF, the last one with nothing if it likes. */
char *next_line(char **at);
/* A text as kpred writes one: without the byte order mark that some editors put before it, and with
   LF where they end lines with CRLF. What holds a NUL byte is not a text, and stays as it is. */
void plain_text(struct buf *text);
/* Its bytes up to the end of the last line that has one: a kill, too, leaves a part of a line. */
size_t whole_lines(const struct buf *text);
/* Passes over the mark alone. */
void skip_bom(FILE *f);
/* The text without the blanks at its ends, in place. */
char *trim_blanks(char *s);
/* Adds a text as a shell reads it in one word, in quotes if need be. `star` stands for `*`, which
   might end a comment of C; '*' leaves it. */
void quote(struct buf *to, const char *text, char star);
/* A line on standard error, of any length, with which a shell sets a variable. */
void print_export(const char *name, const char *value);

/* ---- files ---- */

int is_folder(const char *path);
/* Opened for reading, or NULL with a message. */
FILE *open_input(const char *path);
/* Its first line, or as much as there is room for, as plain_text leaves it; 0 or -1 likewise. */
int first_line(const char *path, char *line, size_t size);
/* The whole file, 1..most bytes, added to `out`. */
int read_file(const char *path, size_t most, struct buf *out);
/* The same of a text, into an empty buffer, as plain_text leaves it. */
int read_text(const char *path, size_t most, struct buf *out);
/* The rest of an open one, 0..most bytes, added likewise; `path` is for messages. */
int read_stream(FILE *f, const char *path, size_t most, struct buf *out);

/* The lines of a log, one at a time, however long it is. A carriage return ends a line too, since
   progress bars are rewritten with it and other messages follow; lines are counted as editors do. A
   NUL byte is as good as a blank. */
enum { LOG_LINE_MOST = (1 << 20) - 1 }; /* bytes of a line; what is longer is cut there */

struct log_line {
    FILE *f;
    const char *path; /* that of the log, or "standard input" */
    char *text;
    size_t number;
    int is_cut;
    int at_end; /* the last one ended with LF, or the file begins */
};

/* "-" is standard input. 0, or -1 with a message. log_line_end afterwards. */
int log_line_open(struct log_line *l, const char *path);
/* The same of an open file; NULL: it could not be opened. Steps over a byte order mark. */
int log_line_begin(struct log_line *l, FILE *f, const char *path);
/* 1: a line was read, 0: there is none; -1 with a message that says what unpacks the file */
int log_line_read(struct log_line *l);
/* Closes the log, and adds the number of its lines. rc, or -1 with a message: it cannot be read. */
int log_line_end(struct log_line *l, int rc, size_t *lines);
/* What messages call the inputs of a command; none is standard input. */
const char *log_line_called(const char *const *paths, size_t n);

/* Output that appears whole or not at all (outfile.c): written under a temporary name in the same
   directory, which out_commit renames and no end of the program leaves behind. A symbolic link
   stays one: what it names is made or replaced. A path that is a device or a pipe is written
   directly; NULL is standard output. Exactly one of out_commit and out_abandon follows a successful
   out_open... */
struct outfile {
    FILE *f;
    char *path, *temporary;
    int is_new;       /* there was nothing at the path, and has to be nothing still */
    int is_kept;      /* of out_open_kept: if there is something by now, that is an error */
    FILE *old;        /* what is changed, locked; else NULL */
    struct stat seen; /* of that one when it was read */
};

int out_open(struct outfile *o, const char *path);
/* A file that is not there yet: out_commit returns 1 if by then it is, and leaves it as it is. */
int out_open_new(struct outfile *o, const char *path);
/* A file that people edit or measure: -1 with a message if there is one, not an empty one, and
   `force`, the option --force, is not set. out_open_kept opens it if not; out_commit says the same
   of one that was made meanwhile. out_check_kept only looks, before long work. */
int out_open_kept(struct outfile *o, const char *path, int force);
int out_check_kept(const char *path, int force);
/* A file that is read, changed and written back: `old` takes what it holds, at most so many bytes,
   nothing if there is none or it is a device. Others that change it so wait for each other. If
   somebody else wrote it or made it meanwhile, out_commit returns 1 and leaves it as it is: the
   caller begins again. */
int out_open_change(struct outfile *o, const char *path, size_t most, struct buf *old);
/* All that was written so far to the disk, before several are put in place: 0, or -1 likewise */
int out_flush(struct outfile *o);
int out_commit(struct outfile *o); /* -1 if any write failed: nothing is left behind then */
void out_abandon(struct outfile *o);
/* out_commit or, of work that failed, out_abandon: then -1 */
int out_end(struct outfile *o, int failed);
int out_whole(const char *path, const struct buf *bytes); /* all of a file in one step */
int out_folder(const char *path, const char *hint); /* 1: made, 0: it is there, -1 with a message */
/* Makes the folder, if it is not there, and waits until no other program has its lock, which ends
   with the program at the latest. 0, or -1 with a message. Then folder_release; failed: a folder
   that was made goes, if it is empty. */
struct locked_folder {
    const char *path;
    int fd, is_made;
};
int folder_lock(struct locked_folder *l, const char *path, const char *hint);
void folder_release(struct locked_folder *l, int failed);
/* To a descriptor, by one write if that takes all: -1 with errno; a part may be written then. */
int write_whole(int fd, const struct buf *bytes);
/* To the end of the file behind a descriptor: whole, or -1 with a message. What there was no room
   for is taken back. */
int append_whole(int fd, const struct buf *bytes, const char *path);
/* Opens a file that one program at a time adds to, such as a "tuner", from its beginning, or makes
   it: 1 if it was made, 0, or -1 with a message, which has the hint for who is not the only one.
   The lock goes when any descriptor of the file is closed. */
int append_open(FILE **f, const char *path, const char *who, const char *hint);
/* Is all that was written to `f` on its way? Else errno may say why: libc forgets the reason of an
   earlier write that failed, so one more is tried. */
int flush_all(FILE *f);
const char *flush_reason(void);
int flush_stdout(void); /* -1 after a message if anything written to standard output was lost */

/* ---- what each system does in its way (platform.c) ---- */

/* All three streams are there, and carry bytes. main calls it first. */
void streams_ready(void);
/* The path of this program, cut to the room; "" where the system does not tell */
void program_path(char *path, size_t room);
/* What is written to the file is in the n bytes, as a text, when memory_close has closed it. NULL
   or -1 without a message; -1: it has no room, too */
FILE *memory_open(char *bytes, size_t n);
int memory_close(FILE *f, char *bytes, size_t n);

/* Signals that would end the program wait between the two, which do not nest. */
void signals_hold(void);
void signals_release(void);

/* ---- SHA-256 (FIPS 180-4) ---- */

struct sha256 {
    uint32_t h[8];
    uint64_t n;
    unsigned char block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
void sha256_end(struct sha256 *s, unsigned char digest[32]);
void sha256_hex(const void *data, size_t n, char hex[65]);
