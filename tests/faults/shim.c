/* shim.c - preloaded into a program: the Nth memory request, or call of the system, goes wrong
   SPDX-License-Identifier: MIT

   usage: FAULT_COUNTS=FILE [FAULT_KIND=NAME FAULT_AT=N FAULT_HOW=HOW] LD_PRELOAD=shim.so COMMAND...

   FILE takes a 64-bit count of the calls of each kind, in the order of `kinds`, the calls of
   children included that are forked and not another program; `any` are those of the first process
   that are none of memory. HOW is a name of `hows`; with a `+` behind it, every call from the Nth
   on. What is fired is counted behind the kinds.

   glibc calls its own write and read without the table that a preloaded function would stand in: so
   the first bytes of those functions are written over with a jump. That is for x86-64. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { MEMORY, WRITE, READ, OPEN, SYNC, PLACE, CLOSE, LOCK, CUT, START, ANY, N_KINDS };
static const char *const kinds[N_KINDS] = {"memory", "write", "read", "open",  "sync", "place",
                                           "close",  "lock",  "cut",  "start", "any"};

/* Errors have their number, signals a negative one, and SHORT is none of both. */
enum { SHORT = 1000, FIRED = N_KINDS, N_COUNTS };
static const struct {
    const char *name;
    int what;
} hows[] = {{"nomem", ENOMEM}, {"full", ENOSPC},  {"io", EIO},        {"interrupted", EINTR},
            {"short", SHORT},  {"files", EMFILE}, {"nolock", ENOLCK}, {"again", EAGAIN},
            {"perm", EPERM},   {"int", -SIGINT},  {"term", -SIGTERM}, {"hup", -SIGHUP},
            {"kill", -SIGKILL}};

static uint64_t *counts; /* NULL: the program is not the one that is meant, or has not begun */
static uint64_t at;
static int kind = -1, how, from_then_on;
static pid_t first; /* the process that gets the signals */

/* ---- which call goes wrong ---- */

static int is_due(enum kind k)
{
    const uint64_t n = __atomic_add_fetch(&counts[k], 1, __ATOMIC_RELAXED);
    if ((int)k != kind || (n != at && (n < at || !from_then_on)))
        return 0;
    counts[FIRED]++;
    return 1;
}

/* What the call has to fail with; 0: nothing */
static int fault(enum kind k)
{
    if (counts == NULL)
        return 0;
    const int due = is_due(k);
    if (k != MEMORY && getpid() == first && is_due(ANY) && how < 0)
        raise(-how);
    return due && how > 0 ? how : 0;
}

static long failed(int why)
{
    errno = why;
    return -1;
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fault(MEMORY) ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fault(MEMORY) ? no_memory() : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fault(MEMORY) ? no_memory() : __libc_realloc(p, size);
}

/* ---- what glibc calls itself ---- */

/* Standard error stays whole: it is what tells of the fault. A pipe to a child is never full as a
   disk is. */
static int can_fail(int fd)
{
    struct stat st;
    return fd != STDERR_FILENO
           && (fd == STDOUT_FILENO || fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode));
}

static long do_write(long call, int fd, const void *bytes, size_t n, off_t where)
{
    const int why = can_fail(fd) ? fault(WRITE) : 0;
    if (why != 0 && why != SHORT)
        return failed(why);
    return syscall(call, fd, bytes, why == SHORT && n > 1 ? n / 2 : n, where);
}

static ssize_t faulty_write(int fd, const void *bytes, size_t n)
{
    return do_write(SYS_write, fd, bytes, n, 0);
}

static ssize_t faulty_pwrite(int fd, const void *bytes, size_t n, off_t where)
{
    return do_write(SYS_pwrite64, fd, bytes, n, where);
}

/* What is read without waiting is a pipe of tune, and what a forked child reads as well: neither
   has errors of a disk. */
static int can_fail_to_read(int fd)
{
    return getpid() == first && (syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) == 0;
}

static long do_read(long call, int fd, void *bytes, size_t n, off_t where)
{
    const int why = can_fail_to_read(fd) ? fault(READ) : 0;
    if (why != 0 && why != SHORT)
        return failed(why);
    return syscall(call, fd, bytes, why == SHORT && n > 1 ? n / 2 : n, where);
}

static ssize_t faulty_read(int fd, void *bytes, size_t n)
{
    return do_read(SYS_read, fd, bytes, n, 0);
}

static ssize_t faulty_pread(int fd, void *bytes, size_t n, off_t where)
{
    return do_read(SYS_pread64, fd, bytes, n, where);
}

static mode_t mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

static int faulty_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    const int why = fault(OPEN);
    return (int)(why ? failed(why) : syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

static int faulty_mkdir(const char *path, mode_t mode)
{
    const int why = fault(OPEN);
    return (int)(why ? failed(why) : syscall(SYS_mkdir, path, mode));
}

static int faulty_fsync(int fd)
{
    const int why = fault(SYNC);
    return (int)(why ? failed(why) : syscall(SYS_fsync, fd));
}

static int faulty_rename(const char *from, const char *to)
{
    const int why = fault(PLACE);
    return (int)(why ? failed(why) : syscall(SYS_rename, from, to));
}

static int faulty_link(const char *from, const char *to)
{
    const int why = fault(PLACE);
    return (int)(why ? failed(why) : syscall(SYS_link, from, to));
}

static int faulty_ftruncate(int fd, off_t size)
{
    const int why = fault(CUT);
    return (int)(why ? failed(why) : syscall(SYS_ftruncate, fd, size));
}

/* The file is closed, as Linux does it also where it reports an error. */
static int faulty_close(int fd)
{
    const int why = fault(CLOSE);
    const long rc = syscall(SYS_close, fd);
    return (int)(why ? failed(why) : rc);
}

static int faulty_fcntl(int fd, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    const int why = command == F_SETLK || command == F_SETLKW ? fault(LOCK) : 0;
    return (int)(why ? failed(why) : syscall(SYS_fcntl, fd, command, argument));
}

static int faulty_flock(int fd, int operation)
{
    const int why = fault(LOCK);
    return (int)(why ? failed(why) : syscall(SYS_flock, fd, operation));
}

static int faulty_pipe(int ends[2])
{
    const int why = fault(START);
    return (int)(why ? failed(why) : syscall(SYS_pipe2, ends, 0));
}

/* ---- processes and threads: the first of the functions of that name that follow ---- */

pid_t fork(void)
{
    pid_t (*next)(void);
    *(void **)&next = dlsym(RTLD_NEXT, "fork");
    const int why = fault(START);
    return why ? (pid_t)failed(why) : next();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how_made, void *(*run)(void *),
                   void *to)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    const int why = fault(START);
    return why ? why : next(thread, how_made, run, to);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *how_made, char *const argv[], char *const environment[])
{
    int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]);
    *(void **)&next = dlsym(RTLD_NEXT, "posix_spawnp");
    const int why = fault(START);
    return why ? why : next(pid, file, actions, how_made, argv, environment);
}

/* ---- the beginning ---- */

/* mov $to, %rax; jmp *%rax */
static void jump(const char *name, void (*to)(void))
{
    unsigned char code[12] = {0x48, 0xb8, [10] = 0xff, [11] = 0xe0};
    unsigned char *old = dlsym(RTLD_NEXT, name);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)old & ~(page - 1);
    memcpy(code + 2, &to, sizeof to);
    if (old == NULL || mprotect((void *)start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        fprintf(stderr, "shim: cannot change %s\n", name);
        _exit(99);
    }
    memcpy(old, code, sizeof code);
}

static void change_libc(void)
{
    jump("write", (void (*)(void))faulty_write);
    jump("pwrite64", (void (*)(void))faulty_pwrite);
    jump("read", (void (*)(void))faulty_read);
    jump("pread64", (void (*)(void))faulty_pread);
    jump("open", (void (*)(void))faulty_open);
    jump("mkdir", (void (*)(void))faulty_mkdir);
    jump("fsync", (void (*)(void))faulty_fsync);
    jump("fdatasync", (void (*)(void))faulty_fsync);
    jump("rename", (void (*)(void))faulty_rename);
    jump("link", (void (*)(void))faulty_link);
    jump("ftruncate64", (void (*)(void))faulty_ftruncate);
    jump("close", (void (*)(void))faulty_close);
    jump("__close_nocancel", (void (*)(void))faulty_close);
    jump("fcntl64", (void (*)(void))faulty_fcntl);
    jump("flock", (void (*)(void))faulty_flock);
    jump("pipe", (void (*)(void))faulty_pipe);
}

static void choose(const char *kind_name, const char *how_name)
{
    const size_t n = strcspn(how_name, "+");
    from_then_on = how_name[n] == '+';
    for (int k = 0; k < N_KINDS; k++)
        if (strcmp(kinds[k], kind_name) == 0)
            kind = k;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (strlen(hows[i].name) == n && strncmp(hows[i].name, how_name, n) == 0)
            how = hows[i].what;
    if (kind < 0 || how == 0) {
        fprintf(stderr, "shim: no fault %s %s\n", kind_name, how_name);
        _exit(99);
    }
}

/* What the program starts, such as a shell, goes its way. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULT_COUNTS"), *n = getenv("FAULT_AT");
    if (path == NULL || strncmp(program_invocation_short_name, "kpred", 5) != 0)
        return;
    const int fd = open(path, O_RDWR);
    void *shared = mmap(NULL, N_COUNTS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || shared == MAP_FAILED) {
        fprintf(stderr, "shim: cannot open %s\n", path);
        _exit(99);
    }
    close(fd);
    if (n != NULL) {
        at = strtoull(n, NULL, 10);
        choose(getenv("FAULT_KIND"), getenv("FAULT_HOW"));
    }
    change_libc();
    first = getpid();
    counts = shared;
}
