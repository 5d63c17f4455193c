/* platform.c - what POSIX and Windows do each in its way
   SPDX-License-Identifier: MIT

   Of outfile.c and process.c, which are POSIX's, the second half has as much as `kpred` needs on
   Windows: no program is started there, and a file that is changed is not locked. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifndef _WIN32

#include <sys/ioctl.h>

size_t terminal_width(int fd)
{
    struct winsize size;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

size_t worker_count(long asked)
{
    const long n = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

/* A program may be started with one of its three streams closed. The next file it opened would then
   get that number, and messages would end up in it: so the number is taken, by what can be neither
   read nor written that way. */
void streams_ready(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0
            && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

void program_path(char *path, size_t room)
{
    const ssize_t n = readlink("/proc/self/exe", path, room - 1);
    path[n > 0 ? n : 0] = '\0';
}

FILE *memory_open(char *bytes, size_t n)
{
    return fmemopen(bytes, n, "w");
}

int memory_close(FILE *f, char *bytes, size_t n)
{
    (void)bytes, (void)n;
    return fclose(f);
}

#else

#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

size_t terminal_width(int fd)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    const HANDLE h = GetStdHandle(fd == STDOUT_FILENO ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
    return isatty(fd) && GetConsoleScreenBufferInfo(h, &info) ? (size_t)info.dwSize.X : 0;
}

size_t worker_count(long asked)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return asked > 0 ? (size_t)asked : info.dwNumberOfProcessors;
}

/* Lines end with LF, as everywhere, and are UTF-8. */
void streams_ready(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        _setmode(fd, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
}

void program_path(char *path, size_t room)
{
    (void)room;
    *path = '\0';
}

int process_read(const char *const *words, int in, struct buf *text, int *status)
{
    (void)words, (void)in, (void)text, (void)status;
    return ENOSYS;
}

/* It goes when it is closed. */
FILE *memory_open(char *bytes, size_t n)
{
    char folder[MAX_PATH], path[MAX_PATH];
    (void)bytes, (void)n;
    return GetTempPathA(sizeof folder, folder) && GetTempFileNameA(folder, "kpr", 0, path)
               ? fopen(path, "w+bTD")
               : NULL;
}

int memory_close(FILE *f, char *bytes, size_t n)
{
    rewind(f);
    const size_t got = fread(bytes, 1, n, f);
    bytes[got < n ? got : n - 1] = '\0';
    return fclose(f) == 0 && got < n ? 0 : -1;
}

/* ---- a file that is changed ---- */

static void out_close(struct outfile *o)
{
    if (o->f != NULL)
        fclose(o->f);
    if (o->temporary != NULL)
        unlink(o->temporary);
    free(o->path);
    free(o->temporary);
    memset(o, 0, sizeof *o);
}

int out_open_change(struct outfile *o, const char *path, size_t most, struct buf *old)
{
    struct buf name = {0};
    *o = (struct outfile){.path = xstrdup(path)};
    o->is_new = stat(path, &o->seen) != 0;
    old->n = 0;
    buf_puts(old, "");
    int rc = !o->is_new && o->seen.st_size > 0 ? read_file(path, most, old) : 0;
    buf_printf(&name, "%s.kpred-%lu", path, GetCurrentProcessId());
    if (rc == 0 && (o->f = fopen(name.s, "wbx")) == NULL)
        rc = fail("%s: cannot create a file beside it: %s", path, strerror(errno));
    o->temporary = rc == 0 ? name.s : (buf_free(&name), NULL);
    if (rc != 0)
        out_close(o);
    return rc;
}

void out_abandon(struct outfile *o)
{
    out_close(o);
}

/* 1: somebody else has changed it, made it or taken it away. */
static int is_changed(const struct outfile *o)
{
    struct stat now;
    const int is_new = stat(o->path, &now) != 0;
    return is_new != o->is_new
           || (!is_new && (now.st_size != o->seen.st_size || now.st_mtime != o->seen.st_mtime));
}

int out_commit(struct outfile *o)
{
    int rc = flush_all(o->f) == 0 && fclose(o->f) == 0 ? 0 : -1;
    o->f = NULL;
    if (rc < 0)
        fail("%s: cannot write: %s", o->path, flush_reason());
    else if (is_changed(o))
        rc = 1;
    else if (!MoveFileExA(o->temporary, o->path, MOVEFILE_REPLACE_EXISTING))
        rc = fail("%s: cannot write: error %lu of Windows", o->path, GetLastError());
    out_close(o);
    return rc;
}

#endif
