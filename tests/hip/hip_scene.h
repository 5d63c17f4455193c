/* hip_scene.h - candidates with scripted times and faults on the simulated device of hip_standin.h
   SPDX-License-Identifier: MIT

   scene_begin sets all up, a test changes what it is about, scene_select or scene_time runs it and
   checks what holds after every path: check_result. */
#pragma once

#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
#define KPRED_HIP_STATIC
#include "kpred_hip.h"

#include "harness/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 31, MANY_LAUNCHES = 1024, MANY_CALLS = 1 << 16 };

/* How an error is told: returned and pending, one of both, or only by the next synchronisation */
enum scene_way { BOTH, RETURNED, PENDING, ASYNC };

/* What goes wrong at the at-th call for a candidate, counted from 1; 0: nothing */
struct scene_fault {
    size_t candidate;
    int at;
    hipError_t code;
    enum scene_way way;
};

static struct scene {
    /* the script */
    kpred_hip_plan plan;
    kpred_tuple candidates[MOST];
    size_t n;
    double us[MOST];                   /* of a launch */
    double noise;                      /* times 1 - noise to 1 + noise */
    double (*script)(size_t i, int k); /* us of its k-th launch, from 1; NULL: us and noise */
    double prepare_us, flush_us;
    double clock_us; /* what a look at the clock takes; it also sees the device's */
    struct scene_fault launch_fault, prepare_fault, flush_fault;
    uint32_t wrong;                          /* bit i: verify says so */
    hipError_t verify_leaves, launch_leaves; /* pending */
    hipError_t launch_returns;               /* scene_refuse does */
    uint64_t seed;

    /* what has happened */
    kpred_hip_status status;
    kpred_hip_result result;
    kpred_hip_timing timings[MOST];
    int launches[MOST], prepares[MOST], verified[MOST], flushes;
    int busy;                         /* launched, and not waited for since */
    double took[MOST][MANY_LAUNCHES]; /* us of each launch */
    double host_us;
    char trace[MANY_CALLS]; /* f p l v: callbacks, e: event recorded, m: memset */
    size_t traced;
} scene;

static inline double scene_uniform(void)
{
    return (double)(test_random64(&scene.seed) >> 11) / 9007199254740992.0;
}

/* log-uniform */
static inline double scene_between(double least, double most)
{
    return least * pow(most / least, scene_uniform());
}

static inline void scene_trace(char letter)
{
    if (scene.traced < MANY_CALLS - 1)
        scene.trace[scene.traced++] = letter;
}

/* ---- callbacks ---- */

static inline void scene_watch(enum standin_call call)
{
    if (call == STANDIN_hipEventSynchronize || call == STANDIN_hipStreamSynchronize)
        scene.busy = 0;
    if (call == STANDIN_hipEventRecord || call == STANDIN_hipMemsetAsync)
        scene_trace(call == STANDIN_hipEventRecord ? 'e' : 'm');
}

/* 1 if the fault is due; *error: what the callback returns then */
static inline int scene_due(const struct scene_fault *fault, size_t i, int call, hipError_t *error)
{
    *error = hipSuccess;
    if (call != fault->at || i != fault->candidate)
        return 0;
    if (fault->way == ASYNC)
        standin.async = fault->code;
    else if (fault->way != RETURNED)
        standin_fails(fault->code);
    if (fault->way == BOTH || fault->way == RETURNED)
        *error = fault->code;
    return 1;
}

static inline size_t scene_index(const kpred_tuple *candidate)
{
    return (size_t)(candidate - scene.candidates);
}

static inline hipError_t scene_launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const size_t i = scene_index(candidate);
    const int k = ++scene.launches[i];
    hipError_t error;
    double us;
    CHECK(user == &scene && stream == scene.plan.stream && i < scene.n);
    scene_trace('l');
    scene.busy = 1;
    if (scene_due(&scene.launch_fault, i, k, &error))
        return error;
    us = scene.us[i] * (1 + scene.noise * (2 * scene_uniform() - 1));
    if (scene.script)
        us = scene.script(i, k);
    if (k <= MANY_LAUNCHES)
        scene.took[i][k - 1] = us;
    error = standin_launch(us);
    if (error == hipSuccess && scene.launch_leaves != hipSuccess)
        standin.pending = scene.launch_leaves;
    return error;
}

/* For all candidates alike */
static inline hipError_t scene_refuse(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    (void)user, (void)stream;
    scene.launches[scene_index(candidate)]++;
    standin_fails(scene.launch_leaves);
    return scene.launch_returns;
}

static inline hipError_t scene_prepare(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const size_t i = scene_index(candidate);
    hipError_t error;
    CHECK(user == &scene && stream == scene.plan.stream && i < scene.n);
    scene_trace('p');
    standin.now_us += scene.prepare_us;
    scene_due(&scene.prepare_fault, i, ++scene.prepares[i], &error);
    return error;
}

static inline hipError_t scene_flush(void *user, hipStream_t stream)
{
    hipError_t error;
    CHECK(user == &scene && stream == scene.plan.stream);
    scene_trace('f');
    standin.now_us += scene.flush_us;
    scene_due(&scene.flush_fault, 0, ++scene.flushes, &error);
    return error;
}

static inline int scene_verify(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    const size_t i = scene_index(candidate);
    CHECK(user == &scene && stream == scene.plan.stream && i < scene.n);
    CHECK_EQ(scene.launches[i], 1);
    CHECK(!scene.busy);
    scene_trace('v');
    scene.verified[i]++;
    if (scene.verify_leaves != hipSuccess)
        standin_fails(scene.verify_leaves);
    return !(scene.wrong >> i & 1);
}

static inline double scene_clock(void *user)
{
    CHECK(user == &scene);
    scene.host_us += scene.clock_us;
    return scene.host_us + standin.now_us;
}

/* ---- what always holds ---- */

static inline int scene_is_sticky(hipError_t error)
{
    return error >= 700 && error <= 719 && error != hipErrorLaunchOutOfResources;
}

static inline void check_timing(size_t i)
{
    const kpred_hip_timing *t = &scene.timings[i];
    CHECK_EQ(t->launches, scene.launches[i]);
    CHECK_EQ(t->outcome == KPRED_HIP_WINNER, scene.result.winner == i);
    CHECK_EQ(t->outcome == KPRED_HIP_FAILED, t->error != hipSuccess);
    CHECK(t->samples <= KPRED_HIP_SAMPLES && t->samples <= t->launches);
    CHECK(!t->start && !t->stop);
    if (t->samples)
        CHECK(t->min_us > 0 && t->min_us <= t->median_us && t->mad_us >= 0 && t->median_us < 1e12);
    else
        CHECK(!(t->median_us < 0 || t->median_us > 0) && !(t->min_us < 0 || t->min_us > 0)
              && !(t->mad_us < 0 || t->mad_us > 0));
    if (t->outcome == KPRED_HIP_UNTRIED)
        CHECK_EQ(t->launches, 0);
    if (t->outcome == KPRED_HIP_SLOWER || t->outcome == KPRED_HIP_LEVEL)
        CHECK(t->samples > 0);
}

/* The status, the winner and HIP's error go together. */
static inline void check_verdict(void)
{
    const kpred_hip_result *r = &scene.result;
    const kpred_hip_status status = scene.status;
    CHECK(r->winner < scene.n || r->winner == KPRED_HIP_NONE);
    if (status >= KPRED_HIP_OK)
        CHECK(r->winner != KPRED_HIP_NONE && r->error == hipSuccess);
    else if (status != KPRED_HIP_ERR_STICKY)
        CHECK(r->winner == KPRED_HIP_NONE && !scene_is_sticky(r->error));
    else
        CHECK(r->error != hipSuccess);
    if (status == KPRED_HIP_OK)
        CHECK(r->winner < scene.n && scene.timings[r->winner].samples > 0);
    CHECK(r->launched == 0 || (status == KPRED_HIP_RANKED && r->winner < scene.n));
    CHECK(r->what == 0);
}

/* Who was launched again, behind the warm-up, and has a time */
static inline size_t scene_timed(size_t i)
{
    return scene.launches[i] > 1 && scene.timings[i].samples > 0
           && scene.timings[i].outcome >= KPRED_HIP_SLOWER;
}

static inline void check_result(void)
{
    const kpred_hip_result *r = &scene.result;
    uint32_t launches = 0;
    size_t untried = 0, beaten = 0;
    CHECK_EQ(standin.live_events, 0);
    CHECK_EQ(standin.live_buffers, 0);
    CHECK_EQ(standin.misuse, 0);
    CHECK_EQ(hipGetLastError(), standin.sticky);
    check_verdict();
    for (size_t i = 0; i < scene.n; i++) {
        check_timing(i);
        launches += scene.timings[i].launches;
        untried += scene.launches[i] == 0;
        beaten += i != r->winner && scene_timed(i);
    }
    CHECK_EQ(r->untried, untried);
    CHECK_EQ(r->beaten, r->winner < scene.n && scene_timed(r->winner) ? beaten : 0);
    CHECK_EQ(r->launches, launches);
    CHECK(r->rounds <= KPRED_HIP_SAMPLES);
    CHECK(r->batch >= 1 && r->batch <= KPRED_HIP_MAX_BATCH);
    CHECK(r->device_us >= 0 && r->device_us < 1e12 && r->wall_us >= 0);
    CHECK(!scene.plan.max_launches || scene.plan.budget_us <= 0
          || r->launches <= scene.plan.max_launches);
}

/* ---- a run ---- */

/* n candidates of the same time; a budget that does not end the race */
static inline void scene_begin(size_t n, double us)
{
    static const struct scene fresh;
    standin = standin_fresh;
    standin.watch = scene_watch;
    scene = fresh;
    scene.n = n;
    for (size_t i = 0; i < n; i++)
        scene.us[i] = us;
    scene.plan.user = &scene;
    scene.plan.launch = scene_launch;
    scene.plan.budget_us = 1e9;
}

/* The first of several takes the same time always; the others swing by scene.noise to either side,
   so that the first three times already show how much. */
static inline double swinging_us(size_t i, int k)
{
    return scene.us[i] * (i == 0 && scene.n > 1 ? 1 : 1 + scene.noise * (k % 3 - 1));
}

/* What is not set shows: as a time it is usable, 32.5 us. */
static inline void scene_poison(void)
{
    memset(&scene.result, 0x40, sizeof scene.result);
    memset(scene.timings, 0x40, sizeof scene.timings);
}

/* Room for n timings, behind which no memory can be read: who looks past the last one crashes.
   It is mapped, as sanitizers read all that malloc gives. */
static inline kpred_hip_timing *scene_room(size_t n)
{
    static char *end;
    if (!end) {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        const size_t bytes = (MOST * sizeof(kpred_hip_timing) + page - 1) / page * page;
        const int zero = open("/dev/zero", O_RDWR);
        char *block = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
        if (block == MAP_FAILED || mprotect(block + bytes, page, PROT_NONE))
            abort();
        close(zero);
        end = block + bytes;
    }
    return (kpred_hip_timing *)(void *)(end - n * sizeof(kpred_hip_timing));
}

static inline kpred_hip_status scene_run(int is_select)
{
    kpred_hip_timing *room = scene_room(scene.n);
    scene_poison();
    memcpy(room, scene.timings, scene.n * sizeof *room);
    scene.status =
        is_select ? kpred_hip_select(&scene.plan, scene.candidates, scene.n, room, &scene.result)
                  : kpred_hip_time(&scene.plan, scene.candidates, room, &scene.result);
    memcpy(scene.timings, room, scene.n * sizeof *room);
    check_result();
    return scene.status;
}

static inline kpred_hip_status scene_select(void)
{
    return scene_run(1);
}

static inline kpred_hip_status scene_time(void)
{
    return scene_run(0);
}

static inline int scene_near(double got, double want)
{
    return fabs(got - want) <= 1e-5 * fabs(want);
}

static inline void check_winner(size_t winner)
{
    CHECK_EQ(scene.status, KPRED_HIP_OK);
    CHECK_EQ(scene.result.winner, winner);
}

static inline size_t count_outcome(kpred_hip_outcome outcome)
{
    size_t n = 0;
    for (size_t i = 0; i < scene.n; i++)
        n += scene.timings[i].outcome == outcome;
    return n;
}

/* ---- scenes as rows of a table ---- */

enum { NOTHING = -1 }; /* of a count: there is none */

/* Of the plan, what a row does not say is as scene_begin has it. Of what comes of it, what a row
   does not say is not asked, but the status, KPRED_HIP_OK, and the winner, the first candidate. */
struct scene_row {
    const char *name;
    size_t n;
    double us;
    size_t other; /* a candidate of another time, if that is not 0 */
    double other_us;
    kpred_hip_plan plan;
    int has_no_budget, is_time; /* 0 us; kpred_hip_time */
    double (*script)(size_t i, int k);
    double noise, prepare_us, flush_us, memset_us, clock_us, host_us;
    struct scene_fault launch_fault, prepare_fault;
    uint32_t wrong;
    uint64_t seed;
    hipError_t verify_leaves, launch_returns, launch_leaves;
    hipError_t pending, sticky, async;
    int has_no_device, current_device;
    struct {
        enum standin_call call;
        int at;
        hipError_t code;
    } fails;
    double (*distort)(double us);
    struct {
        kpred_hip_status status;
        size_t winner;
        hipError_t error, earlier;
        int batch, rounds, least_rounds, launches, samples; /* samples of the winner */
        int untried, failed, wrong, untimed, slower, level, beaten;
        double median_us, device_us, wall_us; /* median_us of the winner */
        const char *trace;
    } want;
};

static inline void scene_set(const struct scene_row *row)
{
    scene_begin(row->n, row->us);
    if (row->other_us > 0)
        scene.us[row->other] = row->other_us;
    scene.plan = row->plan;
    scene.plan.user = &scene;
    scene.plan.launch = row->plan.launch ? row->plan.launch : scene_launch;
    scene.plan.budget_us = row->has_no_budget        ? 0
                           : row->plan.budget_us > 0 ? row->plan.budget_us
                                                     : 1e9;
    scene.script = row->script, scene.noise = row->noise, scene.seed = row->seed;
    scene.prepare_us = row->prepare_us, scene.flush_us = row->flush_us;
    scene.launch_fault = row->launch_fault, scene.prepare_fault = row->prepare_fault;
    scene.clock_us = row->clock_us, scene.host_us = row->host_us;
    scene.wrong = row->wrong, scene.verify_leaves = row->verify_leaves;
    scene.launch_returns = row->launch_returns, scene.launch_leaves = row->launch_leaves;
    standin.pending = row->pending, standin.sticky = row->sticky, standin.async = row->async;
    standin.devices = !row->has_no_device;
    standin.current_device = row->current_device;
    standin.memset_us = row->memset_us;
    standin.fail_at[row->fails.call] = row->fails.at;
    standin.fail_code[row->fails.call] = row->fails.code;
    standin.distort = row->distort;
}

/* A scene as a row has it, without a name; and selects. */
#define SCENE(...)  scene_set(&(const struct scene_row){.name = "", __VA_ARGS__})
#define SELECT(...) (SCENE(__VA_ARGS__), scene_select())

static inline void check_count(long long got, int want, const char *what)
{
    if (want != 0)
        test_equal(got, want == NOTHING ? 0 : want, __FILE__, __LINE__, what);
}

static inline void check_us(double got, double want, const char *what)
{
    if (want > 0)
        CHECK_OF(scene_near(got, want), what);
}

static inline void check_outcomes(const struct scene_row *row)
{
    check_count((long long)count_outcome(KPRED_HIP_UNTRIED), row->want.untried, "untried");
    check_count((long long)count_outcome(KPRED_HIP_FAILED), row->want.failed, "failed");
    check_count((long long)count_outcome(KPRED_HIP_WRONG), row->want.wrong, "wrong");
    check_count((long long)count_outcome(KPRED_HIP_UNTIMED), row->want.untimed, "untimed");
    check_count((long long)count_outcome(KPRED_HIP_SLOWER), row->want.slower, "slower");
    check_count((long long)count_outcome(KPRED_HIP_LEVEL), row->want.level, "level");
    check_count((long long)scene.result.beaten, row->want.beaten, "beaten");
}

/* Where all times are usable, the device knows what has been spent. */
static inline void scene_check(const struct scene_row *row)
{
    const kpred_hip_result *r = &scene.result;
    const size_t winner = row->want.status < KPRED_HIP_OK ? KPRED_HIP_NONE : row->want.winner;
    CHECK_EQ(scene.status, row->want.status);
    CHECK_EQ(r->winner, winner);
    CHECK_EQ(r->error, row->want.error);
    CHECK_EQ(r->earlier, row->want.earlier);
    check_count(r->batch, row->want.batch, "batch");
    check_count(r->rounds, row->want.rounds, "rounds");
    CHECK((int)r->rounds >= row->want.least_rounds);
    check_count(r->launches, row->want.launches, "launches");
    check_us(r->device_us, row->want.device_us, "device_us");
    check_us(r->wall_us, row->want.wall_us, "wall_us");
    check_outcomes(row);
    if (winner != KPRED_HIP_NONE && r->winner == winner) {
        check_count(scene.timings[winner].samples, row->want.samples, "samples");
        check_us(scene.timings[winner].median_us, row->want.median_us, "median_us");
    }
    if (scene.status == KPRED_HIP_OK && !row->distort && row->want.untimed == 0)
        CHECK(scene_near(r->device_us, standin.now_us));
    if (row->want.trace)
        CHECK(strcmp(scene.trace, row->want.trace) == 0);
    if (row->has_no_budget && scene.status == KPRED_HIP_RANKED) {
        CHECK(r->launched == 1 && scene.launches[winner] == 1);
        CHECK_EQ(standin.calls[STANDIN_hipEventCreate] + standin.calls[STANDIN_hipMalloc], 0);
        CHECK(row->plan.verify || standin.calls[STANDIN_hipStreamSynchronize] == 0);
    }
}

/* Each is a test of its own. */
static inline void scene_run_rows(const struct scene_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_start(rows[i].name);
        scene_set(&rows[i]);
        scene_run(!rows[i].is_time);
        scene_check(&rows[i]);
        test_stop();
    }
}
