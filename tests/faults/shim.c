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

/* What is read without waiting is a pipe of tune, and what a forked child reads as well: neither
   has errors of a disk. */
static int can_fail_to_read(int fd)
{
    return getpid() == first && (syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) == 0;
}

/* why: 0, the error, or SHORT */
static long transfer(int why, long call, int fd, const void *bytes, size_t n, off_t where)
{
    if (why != 0 && why != SHORT)
        return failed(why);
    return syscall(call, fd, bytes, why == SHORT && n > 1 ? n / 2 : n, where);
}

static ssize_t faulty_write(int fd, const void *bytes, size_t n)
{
    return transfer(can_fail(fd) ? fault(WRITE) : 0, SYS_write, fd, bytes, n, 0);
}

static ssize_t faulty_pwrite(int fd, const void *bytes, size_t n, off_t where)
{
    return transfer(can_fail(fd) ? fault(WRITE) : 0, SYS_pwrite64, fd, bytes, n, where);
}

static ssize_t faulty_read(int fd, void *bytes, size_t n)
{
    return transfer(can_fail_to_read(fd) ? fault(READ) : 0, SYS_read, fd, bytes, n, 0);
}

static ssize_t faulty_pread(int fd, void *bytes, size_t n, off_t where)
{
    return transfer(can_fail_to_read(fd) ? fault(READ) : 0, SYS_pread64, fd, bytes, n, where);
}

/* FAULTY(NAME, KIND, its parameters, what it asks of the system). An optional one comes in the same
   register as any other. */
#define FAULTY(name, kind, parameters, call)            \
    static int faulty_##name parameters                 \
    {                                                   \
        const int why = fault(kind);                    \
        return (int)(why ? failed(why) : syscall call); \
    }
FAULTY(open, OPEN, (const char *path, int flags, mode_t mode),
       (SYS_openat, AT_FDCWD, path, flags, mode))
FAULTY(mkdir, OPEN, (const char *path, mode_t mode), (SYS_mkdir, path, mode))
FAULTY(fsync, SYNC, (int fd), (SYS_fsync, fd))
FAULTY(rename, PLACE, (const char *from, const char *to), (SYS_rename, from, to))
FAULTY(link, PLACE, (const char *from, const char *to), (SYS_link, from, to))
FAULTY(ftruncate, CUT, (int fd, off_t size), (SYS_ftruncate, fd, size))
FAULTY(flock, LOCK, (int fd, int operation), (SYS_flock, fd, operation))
FAULTY(pipe, START, (int ends[2]), (SYS_pipe2, ends, 0))

/* The file is closed, as Linux does it also where it reports an error. */
static int faulty_close(int fd)
{
    const int why = fault(CLOSE);
    const long rc = syscall(SYS_close, fd);
    return (int)(why ? failed(why) : rc);
}

static int faulty_fcntl(int fd, int command, void *argument)
{
    const int why = command == F_SETLK || command == F_SETLKW ? fault(LOCK) : 0;
    return (int)(why ? failed(why) : syscall(SYS_fcntl, fd, command, argument));
}

/* ---- processes and threads: the first of the functions of that name that follow ---- */

#define STARTS(type, name, refused, parameters, arguments) \
    type name parameters                                   \
    {                                                      \
        type(*next) parameters;                            \
        *(void **)&next = dlsym(RTLD_NEXT, #name);         \
        const int why = fault(START);                      \
        return why ? refused : next arguments;             \
    }
STARTS(pid_t, fork, (pid_t)failed(why), (void), ())
STARTS(int, pthread_create, why,
       (pthread_t * thread, const pthread_attr_t *how_made, void *(*run)(void *), void *to),
       (thread, how_made, run, to))
STARTS(int, posix_spawnp, why,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *how_made, char *const argv[], char *const environment[]),
       (pid, file, actions, how_made, argv, environment))

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
#define TO(function) (void (*)(void)) faulty_##function
    static const struct {
        const char *name;
        void (*to)(void);
    } changed[] = {
        {"write", TO(write)},   {"pwrite64", TO(pwrite)}, {"read", TO(read)},
        {"pread64", TO(pread)}, {"open", TO(open)},       {"mkdir", TO(mkdir)},
        {"fsync", TO(fsync)},   {"fdatasync", TO(fsync)}, {"rename", TO(rename)},
        {"link", TO(link)},     {"close", TO(close)},     {"__close_nocancel", TO(close)},
        {"fcntl64", TO(fcntl)}, {"flock", TO(flock)},     {"ftruncate64", TO(ftruncate)},
        {"pipe", TO(pipe)}};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        jump(changed[i].name, changed[i].to);
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
