/* process.c - runs programs, gives up the rights of a process, ends one that gets no memory
   SPDX-License-Identifier: MIT

   process.h declares it. */
#define _GNU_SOURCE /* syscall, setrlimit's RLIMIT_NPROC */
#include "process.h"

#include "base/util.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

/* ---- rights: parent and memory ---- */

/* The parent may die before it is asked to be told: so it is looked at once more. */
int lock_to_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent)
        return -1;
    return setpgid(0, 0);
}

/* The pages this process has by now, in bytes; 0 if that is not known */
static size_t own_memory(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL)
        return 0;
    if (fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

int lock_memory(size_t more_bytes)
{
    struct rlimit memory;
    const size_t has = own_memory();
    if (has == 0 || getrlimit(RLIMIT_AS, &memory) != 0)
        return -1;
    memory.rlim_cur = (rlim_t)has + more_bytes;
    if (memory.rlim_max != RLIM_INFINITY && memory.rlim_cur > memory.rlim_max)
        memory.rlim_cur = memory.rlim_max;
    return setrlimit(RLIMIT_AS, &memory);
}

/* ---- rights: signals, files, limits ---- */

void lock_signals(void)
{
    sigset_t none;
    struct sigaction act = {.sa_handler = SIG_DFL};
    for (int i = 1; i < 65; i++)
        sigaction(i, &act, NULL); /* some cannot be set, which is as good */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(unsigned first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0u, 0u) == 0)
        return;
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    for (long fd = (long)first; fd < (most < 0 ? 1024 : most); fd++)
        close((int)fd);
}

int lock_files(int keep)
{
    const int null = open("/dev/null", O_RDWR);
    const int high =
        keep < 0 ? null : fcntl(keep, F_DUPFD, 4); /* what is put into 0..3 ends it not */
    if (null < 0 || high < 0)
        return -1;
    for (int fd = 0; fd < 3; fd++)
        if (dup2(null, fd) < 0)
            return -1;
    if (dup2(high, 3) < 0)
        return -1;
    close_from(4);
    return 0;
}

int lock_limits(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_FSIZE, &none) != 0 || setrlimit(RLIMIT_CORE, &none) != 0
        || setrlimit(RLIMIT_NPROC, &none) != 0 || setrlimit(RLIMIT_NOFILE, &none) != 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a core can go to a program in place of a file */
}

/* ---- rights: the filter ---- */

#ifdef THIS_MACHINE

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif
#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4
#endif

/* Some systems slow code down behind a filter, against attacks by its timing. That would falsify
   the times, and there is nothing secret here: so this is declined where it can be. */
static int install(const struct sock_fprog *program)
{
    const unsigned flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) == 0)
        return 0;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0);
}

/* The numbers of x86-64's second set of system calls (x32) have a bit of their own: they equal none
   of those that are let through. */
int lock_calls(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -1 : install(&program);
}

#else

int lock_calls(void)
{
    errno = ENOSYS;
    return -1;
}

#endif

/* ---- programs, and temporary folders ---- */

void process_add(struct process_words *words, const char *word)
{
    words->v = xgrow(words->v, words->n + 1, &words->cap, sizeof *words->v);
    words->v[words->n++] = xstrdup(word);
    words->v[words->n] = NULL;
}

void process_add_all(struct process_words *words, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++)
        process_add(words, *list);
}

void process_free(struct process_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->v[i]);
    free(words->v);
}

int process_run(struct process_words *words, FILE *input, struct buf *out)
{
    int status;
    const int why = process_read((const char *const *)words->v, input != NULL ? fileno(input) : -1,
                                 out, &status);
    if (why != 0)
        return why < 0 ? -1 : fail("%s cannot be started: %s", words->v[0], strerror(why));
    if (status > 128)
        return fail("%s was ended by signal %d", words->v[0], status - 128);
    return status;
}

/* ---- temporary folders ---- */

enum { MOST_FOLDERS = 8 };
static char *folder[MOST_FOLDERS]; /* those that are there */
static pid_t folder_owner;         /* a child that is forked leaves them alone */

static void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *entry;
    while (d != NULL && (entry = readdir(d)) != NULL)
        unlinkat(dirfd(d), entry->d_name, 0); /* "." and ".." stay */
    if (d != NULL)
        closedir(d);
    rmdir(path);
}

static void empty_folders(void)
{
    for (int i = 0; i < MOST_FOLDERS && folder_owner == getpid(); i++)
        if (folder[i] != NULL)
            empty_folder(folder[i]);
}

/* LLVM may end the program, which then leaves nothing, either. */
static void remember_folder(char *path)
{
    int i = 0;
    if (folder_owner == 0)
        atexit(empty_folders);
    folder_owner = getpid();
    while (i < MOST_FOLDERS - 1 && folder[i] != NULL)
        i++;
    folder[i] = path;
}

const char *process_folder(void)
{
    const char *temporary = getenv("TMPDIR");
    struct buf path = {NULL, 0, 0};
    if (temporary == NULL || temporary[0] == '\0')
        temporary = "/tmp";
    buf_printf(&path, "%s/kpred-evolve-XXXXXX", temporary);
    if (mkdtemp(path.s) != NULL) {
        remember_folder(path.s);
        return path.s;
    }
    fail("%s: cannot make a temporary folder: %s", temporary, strerror(errno));
    buf_free(&path);
    return NULL;
}

void process_drop_folder(const char *path)
{
    for (int i = 0; i < MOST_FOLDERS && path != NULL; i++)
        if (folder[i] == path) {
            empty_folder(path);
            free(folder[i]);
            folder[i] = NULL;
        }
}

/* ---- no memory ---- */

/* C++ would call abort(). The functions that change this have names of C++, and are looked for
   when the program runs: a build of LLVM may lack them. */

static pid_t first_process;

static void no_memory(void)
{
    static int is_ending;
    if (getpid() != first_process)
        raise(SIGKILL);
    if (is_ending) /* what exit calls needs memory, too */
        _exit(EXIT_FAILURE);
    is_ending = 1;
    fail("out of memory");
    exit(EXIT_FAILURE);
}

static void no_memory_of_llvm(void *user, const char *reason, int crash)
{
    (void)user;
    (void)reason;
    (void)crash;
    no_memory();
}

void no_memory_begin(void)
{
    void *all = dlopen(NULL, RTLD_LAZY);
    void (*of_new)(void (*)(void)) = NULL;
    void (*of_llvm)(void (*)(void *, const char *, int), void *) = NULL;
    first_process = getpid();
    if (all == NULL)
        return;
    *(void **)&of_new = dlsym(all, "_ZSt15set_new_handlerPFvvE");
    *(void **)&of_llvm = dlsym(all, "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
    if (of_new != NULL)
        of_new(no_memory);
    if (of_llvm != NULL)
        of_llvm(no_memory_of_llvm, NULL);
}
