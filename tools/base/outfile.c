/* outfile.c - output that appears whole or not at all
   SPDX-License-Identifier: MIT

   util.h declares it. No end of the program leaves a temporary file behind: a signal that ends it,
   and exit(), remove them. What a SIGKILL or a crash leaves is removed by the next program that
   makes one in the same folder: those whose lock nobody has. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* realpath */
#include "util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};

static const char ending[] = ".kpred-XXXXXX"; /* of a temporary name */

/* ---- temporary files: what exit and signals remove ---- */

enum { MAX_OPEN = 8 }; /* more at a time are possible, but a signal leaves them */
static const char *volatile unfinished[MAX_OPEN];
static int held[MAX_OPEN]; /* a second descriptor: so the lock stays when the first is closed */
static pid_t owner; /* a child of it that is forked has its names, and leaves its files alone */

static void remove_all(void)
{
    for (int i = 0; i < MAX_OPEN && owner == getpid(); i++)
        if (unfinished[i] != NULL)
            unlink(unfinished[i]);
}

/* The action is reset here and not by SA_RESETHAND: Linux resets it before it blocks the signal, so
   that a second one, close behind, would end the program with the files in place. */
static void remove_and_end(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number); /* it is blocked: it ends the program when the handler is left */
}

/* A signal that is ignored stays so: of `nohup`, and of what a shell runs in the background. */
static void catch_signals(void)
{
    struct sigaction act = {.sa_handler = remove_and_end}, old;
    sigfillset(&act.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ends[i], &act, NULL);
}

static void catch_ends(void)
{
    if (owner == 0)
        atexit(remove_all);
    owner = getpid();
    catch_signals();
}

static void remember(const char *name, int fd)
{
    int i = 0;
    while (i < MAX_OPEN && unfinished[i] != NULL)
        i++;
    if (i == MAX_OPEN)
        return;
    held[i] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    unfinished[i] = name;
}

/* It has another name by now, or is gone. */
static void temporary_forget(const char *name)
{
    for (int i = 0; i < MAX_OPEN; i++) {
        if (unfinished[i] != name)
            continue;
        unfinished[i] = NULL;
        if (held[i] >= 0)
            close(held[i]);
    }
}

/* ---- what a kill has left ---- */

/* Whose lock nobody has. It is one of flock: SQLite, which writes such a file too, gives up those
   of fcntl. A file system may have no locks: then nothing is removed. */
static void remove_if_left(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

static int is_temporary(const char *name)
{
    const size_t n = strcspn(ending, "X");
    return strlen(name) == strlen(ending) && strncmp(name, ending, n) == 0
           && strspn(name + n, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
                  == strlen(name) - n;
}

/* In the folder of `name` */
static void remove_left(const char *name)
{
    struct buf path = {0};
    buf_add(&path, name, (size_t)(base_name(name) - name));
    const size_t n = path.n;
    DIR *folder = opendir(n > 0 ? path.s : ".");
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        if (!is_temporary(e->d_name))
            continue;
        path.n = n;
        buf_puts(&path, e->d_name);
        remove_if_left(path.s);
    }
    if (folder != NULL)
        closedir(folder);
    buf_free(&path);
}

/* ---- making one ---- */

/* Another program may have removed it before it was locked: -2. */
static int make_locked(char *name)
{
    struct stat st;
    const int fd = mkstemp(name);
    if (fd < 0)
        return -1;
    (void)flock(fd, LOCK_EX);
    if (fstat(fd, &st) != 0 || st.st_nlink > 0)
        return fd;
    close(fd);
    return -2;
}

/* Makes a file of the name, which has the ending and becomes that of the file: its descriptor,
   locked, or -1 with errno. The name has to stay where it is until temporary_forget. */
static int temporary_make(char *name)
{
    sigset_t all, before;
    const size_t n = strlen(name) - strlen(ending);
    int fd;
    remove_left(name);
    catch_ends();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    while ((fd = make_locked(name)) == -2)
        strcpy(name + n, ending);
    const int error = errno;
    if (fd >= 0)
        remember(name, fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return fd;
}

/* ---- signals that wait ---- */

static sigset_t before_hold;

void signals_hold(void)
{
    sigset_t waiting;
    sigemptyset(&waiting);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&waiting, ends[i]);
    sigprocmask(SIG_BLOCK, &waiting, &before_hold);
}

void signals_release(void)
{
    sigprocmask(SIG_SETMASK, &before_hold, NULL);
}

/* ---- opening ---- */

static void remove_temporary(struct outfile *o)
{
    if (o->temporary == NULL)
        return;
    unlink(o->temporary);
    temporary_forget(o->temporary);
}

static void out_close(struct outfile *o)
{
    if (o->f != NULL && o->f != stdout)
        fclose(o->f);
    if (o->old != NULL)
        fclose(o->old); /* and with it the lock */
    if (o->temporary != NULL)
        temporary_forget(o->temporary);
    free(o->path);
    free(o->temporary);
    memset(o, 0, sizeof *o);
}

/* A file in the directory of o->path, with the rights that `like` has or a new file would get. */
static int create_temporary(struct outfile *o, const struct stat *like)
{
    struct buf name = {0};
    mode_t mask = umask(0);
    umask(mask);
    buf_add(&name, o->path, (size_t)(base_name(o->path) - o->path));
    buf_puts(&name, ending);
    int fd = temporary_make(name.s);
    if (fd < 0) {
        int error = errno;
        buf_free(&name);
        return fail("%s: cannot create a file beside it: %s", o->path, strerror(error));
    }
    o->temporary = name.s;
    if (fchmod(fd, like != NULL ? like->st_mode & 0777 : 0666 & ~mask) != 0)
        note("%s: cannot set its permissions: %s", o->path, strerror(errno));
    o->f = fdopen(fd, "wb");
    if (o->f == NULL) {
        close(fd);
        remove_temporary(o);
        return fail("%s: cannot open: %s", o->path, strerror(errno));
    }
    return 0;
}

/* An existing path: what a link points to is replaced, not the link; a device is written to. */
static int open_existing(struct outfile *o, const char *path, const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return fail("%s: is a directory", path);
    if (!S_ISREG(st->st_mode)) {
        o->path = xstrdup(path);
        o->f = fopen(path, "wb");
        return o->f != NULL ? 0 : fail("%s: cannot open: %s", path, strerror(errno));
    }
    if (access(path, W_OK) != 0)
        return fail("%s: cannot write: %s", path, strerror(errno));
    o->path = realpath(path, NULL);
    if (o->path == NULL)
        return fail("%s: cannot open: %s", path, strerror(errno));
    return create_temporary(o, st);
}

/* The path that the symbolic link `path` names, as seen from here; NULL if it is none. */
static char *read_link(const char *path)
{
    char target[4096];
    const ssize_t n = readlink(path, target, sizeof target);
    struct buf b = {0};
    if (n <= 0 || (size_t)n == sizeof target)
        return NULL;
    if (target[0] != '/')
        buf_add(&b, path, (size_t)(base_name(path) - path));
    buf_add(&b, target, (size_t)n);
    return b.s;
}

/* A path at which there is nothing: of links whose last one names nothing, that which it names. */
static int open_missing(struct outfile *o, const char *path)
{
    char *to = xstrdup(path);
    int links = 0;
    for (char *next; links < 40 && (next = read_link(to)) != NULL; links++) {
        free(to);
        to = next;
    }
    o->path = to;
    if (*base_name(to) == '\0' || strcmp(path, "-") == 0)
        return fail("\"%s\": is not a file name", path);
    if (links == 40)
        return fail("%s: cannot open: %s", path, strerror(ELOOP));
    return create_temporary(o, NULL);
}

int out_open(struct outfile *o, const char *path)
{
    struct stat st;
    int rc = 0;
    memset(o, 0, sizeof *o);
    if (path == NULL)
        o->f = stdout;
    else
        rc = stat(path, &st) == 0 ? open_existing(o, path, &st) : open_missing(o, path);
    if (rc != 0)
        out_close(o);
    return rc;
}

int out_open_new(struct outfile *o, const char *path)
{
    *o = (struct outfile){.is_new = 1};
    const int rc = open_missing(o, path);
    if (rc != 0)
        out_close(o);
    return rc;
}

int out_open_kept(struct outfile *o, const char *path, int force)
{
    struct stat st;
    memset(o, 0, sizeof *o);
    if (out_check_kept(path, force) != 0)
        return -1;
    if (force || path == NULL || stat(path, &st) == 0)
        return out_open(o, path);
    const int rc = out_open_new(o, path);
    o->is_kept = rc == 0;
    return rc;
}

/* ---- changing a file ---- */

static int same_version(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Waits for the lock of the file that o->old has open. A file system may have no locks. */
static void lock(const struct outfile *o, const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int rc;
    while ((rc = fcntl(fileno(o->old), F_SETLKW, &whole)) != 0 && errno == EINTR)
        ;
    if (rc != 0)
        note("%s: cannot lock: %s: what another program writes meanwhile may be lost", path,
             strerror(errno));
}

/* Opens and locks the file at `path` into o->old: 0, 1 if it is another one by now, or gone, or -1
   with a message. */
static int open_locked(struct outfile *o, const char *path)
{
    struct stat st, now;
    o->old = fopen(path, "r+b");
    if (o->old == NULL)
        return errno == ENOENT ? 1 : fail("%s: cannot open: %s", path, strerror(errno));
    lock(o, path);
    if (fstat(fileno(o->old), &st) == 0 && stat(path, &now) == 0 && st.st_dev == now.st_dev
        && st.st_ino == now.st_ino)
        return 0;
    fclose(o->old);
    o->old = NULL;
    return 1;
}

/* The lock goes when any descriptor of the file is closed: so it is read through that one. */
static int read_old(struct outfile *o, const char *path, size_t most, struct buf *old)
{
    if (fstat(fileno(o->old), &o->seen) != 0)
        return fail("%s: cannot read: %s", path, strerror(errno));
    return read_stream(o->old, path, most, old);
}

static int open_change(struct outfile *o, const char *path, size_t most, struct buf *old)
{
    struct stat st;
    int rc;
    do {
        if (stat(path, &st) != 0) {
            o->is_new = 1;
            return open_missing(o, path);
        }
        if (!S_ISREG(st.st_mode))
            return open_existing(o, path, &st);
        rc = open_locked(o, path);
    } while (rc > 0);
    if (rc == 0)
        rc = read_old(o, path, most, old);
    return rc != 0 ? rc : open_existing(o, path, &o->seen);
}

int out_open_change(struct outfile *o, const char *path, size_t most, struct buf *old)
{
    memset(o, 0, sizeof *o);
    old->n = 0;
    buf_puts(old, "");
    const int rc = open_change(o, path, most, old);
    if (rc != 0)
        out_close(o);
    return rc;
}

/* ---- closing ---- */

void out_abandon(struct outfile *o)
{
    remove_temporary(o);
    out_close(o);
}

/* Everything written on the disk? Else errno says why. */
static int to_disk(const struct outfile *o)
{
    const int rc = flush_all(o->f);
    return rc == 0 && o->temporary != NULL ? fsync(fileno(o->f)) : rc;
}

int out_flush(struct outfile *o)
{
    if (o->f == stdout)
        return flush_stdout();
    return to_disk(o) == 0 ? 0 : fail("%s: cannot write: %s", o->path, flush_reason());
}

/* The same, and closed */
static int finish(struct outfile *o)
{
    int rc = to_disk(o);
    const int error = errno;
    if (fclose(o->f) != 0 && rc == 0)
        rc = -1;
    else
        errno = error;
    o->f = NULL;
    return rc;
}

/* Where there was nothing: 1 if by now there is something. A file system may have no hard links. */
static int put_new(const struct outfile *o)
{
    struct stat st;
    if (link(o->temporary, o->path) == 0)
        return unlink(o->temporary);
    if (errno == EEXIST || stat(o->path, &st) == 0)
        return 1;
    return rename(o->temporary, o->path);
}

/* The whole file to its place: 0, 1 if it would hide what another program wrote, -1 with errno. */
static int outfile_put(const struct outfile *o)
{
    struct stat now;
    if (o->is_new)
        return put_new(o);
    if (o->old != NULL && (stat(o->path, &now) != 0 || !same_version(&now, &o->seen)))
        return 1;
    return rename(o->temporary, o->path);
}

int out_commit(struct outfile *o)
{
    int rc;
    if (o->f == stdout) {
        rc = flush_stdout();
        out_close(o);
        return rc;
    }
    rc = finish(o);
    if (rc == 0 && o->temporary != NULL)
        rc = outfile_put(o);
    if (rc < 0)
        fail("%s: cannot write: %s", o->path, flush_reason());
    else if (rc > 0 && o->is_kept)
        rc = fail("%s: somebody has made it meanwhile; --force replaces it", o->path);
    if (rc != 0)
        remove_temporary(o);
    out_close(o);
    return rc;
}

int write_whole(int fd, const struct buf *bytes)
{
    for (size_t n = 0; n < bytes->n;) {
        const ssize_t part = write(fd, bytes->s + n, bytes->n - n);
        if (part < 0 && errno != EINTR)
            return -1;
        n += part > 0 ? (size_t)part : 0;
    }
    return 0;
}

int append_whole(int fd, const struct buf *bytes, const char *path)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    if (write_whole(fd, bytes) == 0)
        return 0;
    fail("%s: cannot write: %s", path, strerror(errno));
    if (lseek(fd, 0, SEEK_END) > size && ftruncate(fd, size) != 0)
        note("%s: its last line is cut", path);
    return -1;
}

int append_open(FILE **f, const char *path, const char *who, const char *hint)
{
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC;
    int fd = open(path, flags | O_EXCL, 0666);
    const int is_made = fd >= 0;
    if (fd < 0)
        fd = open(path, flags, 0666);
    *f = fd >= 0 ? fdopen(fd, "a+b") : NULL;
    if (*f == NULL) {
        fail("%s: cannot open: %s", path, strerror(errno));
        return fd >= 0 ? close(fd), -1 : -1;
    }
    rewind(*f);
    if (fcntl(fd, F_SETLK, &whole) == 0)
        return is_made;
    if (errno == EACCES || errno == EAGAIN)
        return fail("%s: another %s writes it now%s", path, who, hint);
    note("%s: cannot lock: %s: no other %s may write it meanwhile", path, strerror(errno), who);
    return is_made;
}

int out_folder(const char *path, const char *hint)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 1;
    const int why = errno; /* that of stat says nothing */
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode)
               ? 0
               : fail("%s: cannot make the folder: %s%s", path, strerror(why), hint);
}

/* A lock of flock, as of temporary files; it waits. A file system may have no locks. */
static void lock_folder(const struct locked_folder *l)
{
    int rc = l->fd >= 0 ? flock(l->fd, LOCK_EX | LOCK_NB) : -1;
    if (rc != 0 && errno == EWOULDBLOCK) {
        note("%s: another program writes there: this one waits for it", l->path);
        rc = flock(l->fd, LOCK_EX);
    }
    while (rc != 0 && errno == EINTR)
        rc = flock(l->fd, LOCK_EX);
    if (rc != 0)
        note("%s: cannot lock: %s: what another program writes meanwhile may be lost", l->path,
             strerror(errno));
}

/* Who made a folder and failed has removed it. */
static int is_still_there(const struct locked_folder *l)
{
    struct stat st, now;
    return l->fd < 0
           || (fstat(l->fd, &st) == 0 && stat(l->path, &now) == 0 && st.st_dev == now.st_dev
               && st.st_ino == now.st_ino);
}

int folder_lock(struct locked_folder *l, const char *path, const char *hint)
{
    *l = (struct locked_folder){.path = path, .fd = -1};
    do {
        folder_release(l, 0);
        l->is_made = out_folder(path, hint);
        if (l->is_made < 0)
            return -1;
        l->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        lock_folder(l);
    } while (!is_still_there(l));
    return 0;
}

void folder_release(struct locked_folder *l, int failed)
{
    if (failed && l->is_made > 0)
        rmdir(l->path);
    if (l->fd >= 0)
        close(l->fd);
}

int out_whole(const char *path, const struct buf *bytes)
{
    struct outfile out;
    if (out_open(&out, path) != 0)
        return -1;
    fwrite(bytes->s, 1, bytes->n, out.f);
    return out_commit(&out);
}

int out_end(struct outfile *o, int failed)
{
    if (!failed)
        return out_commit(o);
    out_abandon(o);
    return -1;
}
