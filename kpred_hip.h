/* kpred_hip.h - times candidates on the device with HIP events and picks the fastest
   SPDX-License-Identifier: MIT (see LICENSE)

In ONE C or C++ file:                      Everywhere else:
    #define KPRED_HIP_IMPLEMENTATION           #include "kpred_hip.h"
    #include "kpred_hip.h"

WHAT IT DOES   kpred_predict ranks the candidates, and this file measures which one is the fastest.
               kpred_hip_select launches k candidates on the caller's stream, times them in a race,
               and names the fastest. kpred_hip_time times one candidate. Nothing else of kpred
               includes this file. It needs a hosted C, its answers depend on measured times, and
               the guarantees of kpred.h do not cover it.

EXAMPLE        static hipError_t launch(void *user, const kpred_tuple *t, hipStream_t stream)
               { return my_kernel(user, t->value, stream); }
               ...
               kpred_hip_plan plan = { 0 };       // zero: the default of each member
               kpred_hip_timing timing[10];       // 600 bytes each
               kpred_hip_result result;
               plan.launch = launch; plan.user = &args; plan.stream = stream;
               plan.budget_us = 20000;
               if (kpred_hip_select(&plan, best, n, timing, &result) >= KPRED_HIP_OK) {
                   if (n == 1 || result.beaten) remember(problem, best[result.winner]);
                   if (!result.launched) launch(&args, &best[result.winner], stream);
               }

CONTRACT       launch is called any number of times for any candidate in any order. So what a launch
               writes must not depend on what an earlier launch wrote. Where it does (a sum in
               place, a fused update, an optimiser's step), `prepare` must restore it. After a timed
               selection the outputs are those of the candidate that ran last: launch the winner
               once more. If result.launched is 1, the winner was launched once, and nothing on the
               stream comes after it. No candidate may leave work on another stream.

THE RACE       1. Entry: the candidates have a warm-up launch one after the other, best-ranked
                  first. It loads the code, and `verify` looks at the outputs. The first that works
                  then has a timed launch, the probe. Warm-ups end when a candidate works and the
                  next one is not expected to fit into two thirds of the budget. It is expected to
                  cost what those before did, each by its fastest launch. Then the others have their
                  probes, the shortest warm-up first, up to five sixths of the budget.
                  One long launch does not keep the others out: what the longest launch takes
                  beyond a usual one does not count here. After a warm-up that alone passes the
                  budget comes no probe, and the other candidates get that budget once more.
               2. Candidates slower than drop_factor times the fastest are dropped.
               3. Rounds: each round launches all candidates that are left, in a new order, without
                  a pause, with a pair of events around each. Times are compared within a round
                  (the probes are the first round), so a clock that drifts or steps does no harm. A
                  candidate that is slower than the leader by more than two standard errors is
                  dropped. The race ends when one candidate is left, when the differences are known
                  to `tolerance`, or when the budget, the launches or the samples
                  (KPRED_HIP_SAMPLES) are used up.
               4. What is then left of the budget is for the candidates that were not reached: they
                  enter, and the rounds go on with those that are not dropped. Candidates for which
                  nothing is left stay KPRED_HIP_UNTRIED, and so they do if launches are batched.
               5. The winner is the best-ranked of the candidates that are slower than the leader by
                  at most `tolerance`. Remember it only if it was compared: result.beaten counts the
                  others that had, as the winner had, a usable time behind the warm-up. On a cold
                  device there may be none, as loading code uses up the budget: the next selection
                  of the problem finds the code loaded. With n = 1 there is nothing to compare.
               A time is not usable if HIP cannot read it, if it is not above 0, or from a quarter
               of an hour on. A candidate is dropped as slower after three rounds in which the
               leader and it have usable times. One without any is given up (KPRED_HIP_UNTIMED)
               after 12 rounds, or after 3 if half of what the entry left is spent, or no time of
               any of four candidates is usable.
               Launches shorter than least_us are batched: several stand between two events. With
               `prepare` or a flush they are not batched, because these come before every timed
               launch.

THE BUDGET     All that the device spends is charged. A launch that has begun is never stopped, so a
               race can take longer than budget_us. With T for the longest turn (a launch, or a
               batch, with its prepare and flush) and W for all turns up to the first candidate that
               works, without its own, a race of n candidates takes at most
                   max(budget_us, W) + max(n, 3) * T
               Proof: 3 T are for entry: the longest turn, and the warm-up and the probe that come
               last; all else had to fit. n T are for the last round, which had to fit, too, if it
               took as long as the fastest round before. This holds if all events can be read.
                                                                       [tests/hip/test_hip_plan.c]

ERRORS         An error of a candidate (of its launch, prepare, flush, or the events around it) is
               recorded in its timing and cleared, and the candidate is dropped. If only
               hipEventElapsedTime fails, the time is not usable. Codes 700 to 719 stay with the
               context: they end the selection with KPRED_HIP_ERR_STICKY and the timings so far.
               Only 701 (out of resources: the launch did not happen) counts as the candidate's own
               error, if the stream still works after it. The device is never reset. Events and the
               flush buffer are released on every path. No error is left behind for hipGetLastError.

STREAMS        0 is the null stream. Nothing is launched on a stream that is being captured: the
               winner is the best-ranked candidate, the status KPRED_HIP_CAPTURING. (The null stream
               counts as captured while another blocking stream is captured.) The stream must be of
               the current device. Another stream is refused with KPRED_HIP_ERR_STREAM before
               anything is launched. Work that is already on the stream is waited for, once. With a
               budget of 0 nothing is checked or waited for: the launches themselves may fail.

THREADS        One selection runs at a time on a stream. All state lives in the caller's objects.

NEEDS          From HIP: hipGetLastError hipGetDeviceCount hipStreamIsCapturing
               hipStreamSynchronize hipEventCreate hipEventDestroy hipEventRecord
               hipEventSynchronize hipEventElapsedTime hipMalloc hipFree hipMemsetAsync. From libc
               and libm: nothing.                                       [tests/hip/hip.sh]

CONFIGURATION
  KPRED_HIP_API_HEADER     the header to include, default <hip/hip_runtime_api.h>. A header that
                           maps these names to another runtime, such as examples/cuda_as_hip.h, may
                           stand here
  KPRED_HIP_STATIC         emit definitions with internal linkage, in each file that asks for them
  KPRED_HIP_SAMPLES        the most samples of a candidate; default 64. Each takes 8 bytes of a
                           timing

CONTENTS       >>hip-status >>hip-types >>hip-api | >>hip-statistics >>hip-candidate >>hip-race
               >>hip-judge >>hip-api-impl */
#ifndef KPRED_HIP_H
#define KPRED_HIP_H

#include "kpred.h"

#ifndef KPRED_HIP_API_HEADER
#define KPRED_HIP_API_HEADER <hip/hip_runtime_api.h>
#endif
#include KPRED_HIP_API_HEADER

#ifdef KPRED_HIP_STATIC
#ifndef KPRED_HIP_IMPLEMENTATION
#define KPRED_HIP_IMPLEMENTATION
#endif
#if defined(__GNUC__)
#define KPRED_HIP_API static __attribute__((unused))
#else /* no compiler warns of an inline function that nothing calls */
#define KPRED_HIP_API static inline
#endif
#else
#define KPRED_HIP_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>hip-status --------------------------------------------------------------------------- */

#ifndef KPRED_HIP_SAMPLES
#define KPRED_HIP_SAMPLES 64
#endif
#define KPRED_HIP_MAX_BATCH     256u         /* launches between two events, at most */
#define KPRED_HIP_RESOLUTION_US 0.5          /* of events; source: HIP's and CUDA's documentation */
#define KPRED_HIP_NONE          ((size_t)-1) /* no winner */

/* With a status of 0 or above there is a winner to launch. With a status below 0, result.error is
   HIP's own code of the reason, or result.what names the argument. */
#define KPRED_HIP_STATUS_LIST(X) X(KPRED_HIP_OK, 0, "timed") KPRED_HIP_NOT_TIMED_LIST(X)
#define KPRED_HIP_NOT_TIMED_LIST(X)                                                            \
    X(KPRED_HIP_RANKED, 1, "not timed: the best-ranked that works")                            \
    X(KPRED_HIP_CAPTURING, 2, "not launched: the stream is being captured")                    \
    X(KPRED_HIP_ERR_NULL, -1, "null pointer")                                 /* what */       \
    X(KPRED_HIP_ERR_VALUE, -2, "value out of range")                          /* what */       \
    X(KPRED_HIP_ERR_DEVICE, -3, "no device")                                  /* error */      \
    X(KPRED_HIP_ERR_STREAM, -4, "the stream is of another device, or broken") /* error */      \
    X(KPRED_HIP_ERR_EVENT, -5, "an event cannot be created")                  /* error */      \
    X(KPRED_HIP_ERR_MEMORY, -6, "no memory for the flush buffer")             /* error */      \
    X(KPRED_HIP_ERR_CANDIDATES, -7, "no candidate works") /* error: of the best-ranked one, */ \
    /* hipSuccess if verify found it wrong */                                                  \
    X(KPRED_HIP_ERR_STICKY, -8, "the context is lost to an earlier error") /* error */

#define KPRI_HIP_ENUM(name, code, text) , name = code
typedef enum kpred_hip_status {
    KPRED_HIP_OK = 0 KPRED_HIP_NOT_TIMED_LIST(KPRI_HIP_ENUM)
} kpred_hip_status;
#undef KPRI_HIP_ENUM

/* ---- >>hip-types ---------------------------------------------------------------------------- */

/* What to time and how. If all members but `launch` are zero, nothing is timed, and the first
   candidate that works is launched. An error of a callback counts as the candidate's. */
typedef struct kpred_hip_plan {
    void *user;         /* handed to every callback */
    hipStream_t stream; /* of the current device; 0: the null stream */

    /* Enqueues one launch of the candidate. Returns the error of the launch. An error that a launch
       leaves for hipGetLastError is seen as well. */
    hipError_t (*launch)(void *user, const kpred_tuple *candidate, hipStream_t stream);
    /* Optional: restores what a launch changes in place. It is enqueued before each launch and is
       not timed. */
    hipError_t (*prepare)(void *user, const kpred_tuple *candidate, hipStream_t stream);
    /* Optional: returns 1 if the outputs are right. It is called once for each candidate, after the
       candidate's first launch has completed. A wrong result never wins. Where this candidate wrote
       nothing, the outputs of an earlier candidate are still there, unless `prepare` overwrites
       them. An error that `verify` leaves pending is cleared; a sticky one counts. */
    int (*verify)(void *user, const kpred_tuple *candidate, hipStream_t stream);
    /* Optional: evicts caches. It is enqueued before each timed launch, after prepare, and is not
       timed. */
    hipError_t (*flush)(void *user, hipStream_t stream);
    /* Optional: the host's time in us, which never runs backwards. wall_us needs it. */
    double (*clock)(void *user);

    double budget_us;      /* device time to spend, with prepare and flush; THE BUDGET says
                              what a race takes at most. 0: trust the ranking, launch the
                              first that works, time nothing */
    double wall_us;        /* host time to spend, with the same exceptions; 0: no limit */
    double drop_factor;    /* >= 1; 0: 1.15 */
    double tolerance;      /* a relative difference of times that does not matter, below 1;
                              0: 0.005 */
    double least_us;       /* the shortest time between two events; 0: 20 */
    size_t flush_bytes;    /* device memory to allocate, and to clear before each timed
                              launch (twice the last-level cache is enough); 0: none */
    uint32_t max_launches; /* at least 2, with warm-ups; 0: no limit. It and wall_us limit
                              timed selections only */
} kpred_hip_plan;

typedef enum kpred_hip_outcome {
    KPRED_HIP_UNTRIED, /* never launched */
    KPRED_HIP_FAILED,  /* `error` says why */
    KPRED_HIP_WRONG,   /* verify said so */
    KPRED_HIP_UNTIMED, /* it works, but the events gave no usable time */
    KPRED_HIP_SLOWER,  /* dropped, or slower than the winner by more than the noise */
    KPRED_HIP_LEVEL,   /* it works, and its time does not differ from the winner's */
    KPRED_HIP_WINNER   /* on a captured stream it was not launched either */
} kpred_hip_outcome;

/* What was measured of one candidate; it needs no initial values. Times are of a launch, in us. */
typedef struct kpred_hip_timing {
    kpred_hip_outcome outcome;
    hipError_t error;  /* the first one; hipSuccess: none */
    uint32_t launches; /* all its launches, with the warm-up */
    uint32_t samples;  /* the usable times behind the next three members; 0: these are 0 */
    double median_us, min_us;
    double mad_us; /* median absolute deviation from the median */

    /* private: the event pair; the smaller times of the entry, of a launch and of what comes before
       it; all samples, usable or not */
    hipEvent_t start, stop;
    double entry_us, lead_us, sample_us[KPRED_HIP_SAMPLES];
    uint32_t rounds;
    size_t turn; /* the candidate whose turn it is in this place of a round */
} kpred_hip_timing;

typedef struct kpred_hip_result {
    size_t winner;      /* index of a candidate; KPRED_HIP_NONE: none. After a sticky
                           error it is the best so far, if there is one */
    int launched;       /* 1: the winner's launch is on the stream, and nothing after it */
    hipError_t error;   /* HIP's own error, see the status; else hipSuccess */
    hipError_t earlier; /* an error that was pending on entry; it is cleared */
    const char *what;   /* the argument that is wrong, or NULL */
    size_t untried;     /* candidates that were never launched */
    size_t beaten;      /* others that were timed behind their warm-ups, as the winner was */
    uint32_t launches, rounds, batch; /* launches in all; rounds of the race; launches per sample */
    double device_us;                 /* spent of the budget, also by warm-ups that load code */
    double wall_us;                   /* host time spent, if there is a clock */
} kpred_hip_result;

/* ---- >>hip-api ------------------------------------------------------------------------------ */

/* Finds the fastest of candidates[0..n-1], which stand best-ranked first, as kpred_predict returns
   them. timings[0..n-1] gets what was measured of each. All of *result and timings is set; with
   KPRED_HIP_ERR_NULL and _VALUE only result->what and ->winner are.
   Source: the race of MIOpen's generic search (one probe, then more), made robust. */
KPRED_HIP_API KPRED_MUST_CHECK kpred_hip_status kpred_hip_select(const kpred_hip_plan *plan,
                                                                 const kpred_tuple *candidates,
                                                                 size_t n,
                                                                 kpred_hip_timing *timings,
                                                                 kpred_hip_result *result);

/* Times one candidate, until its median is known to `tolerance` or the budget is used up. */
KPRED_HIP_API KPRED_MUST_CHECK kpred_hip_status kpred_hip_time(const kpred_hip_plan *plan,
                                                               const kpred_tuple *candidate,
                                                               kpred_hip_timing *timing,
                                                               kpred_hip_result *result);

/* A few words about a status; "unknown status" for other numbers. */
KPRED_HIP_API const char *kpred_hip_status_string(kpred_hip_status status);

#ifdef __cplusplus
}
#endif
#endif

#if defined(KPRED_HIP_IMPLEMENTATION) && !defined(KPRED_HIP_IMPLEMENTED)
#define KPRED_HIP_IMPLEMENTED

#ifdef __cplusplus
#if defined(__GNUC__) /* this file is also C, and casts and initialises as C does */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif
extern "C" {
#endif

/* ---- >>hip-statistics ----------------------------------------------------------------------- */

/* Errors are kept as squares, because there is no square root without libm. */
#define KPRI_HIP_MAD_TO_SIGMA 1.4826    /* for normal noise */
#define KPRI_HIP_ENTRY_SHARE  (2.0 / 3) /* of the budget; the rest allows at least a round */
/* 1/5 of the sorted samples does not count at either end; with three or more, at least one. */
#define KPRI_HIP_TRIM       5u
#define KPRI_HIP_FIRST_LOOK 3u /* rounds in common before a candidate is dropped */
/* The times without a usable one after which no more are hoped for. Where two of five are not
   usable, that is one candidate in 60,000. */
#define KPRI_HIP_LAST_LOOK 12u
/* The samples needed where one candidate races alone: there are no other pairs that tell the noise,
   and a few samples show too little of it. */
#define KPRI_HIP_OWN_LOOK    9u
#define KPRI_HIP_SURE_SIGMAS 2.0 /* a candidate that is slower by this is dropped */

static void kpri_hip_sort(double *x, size_t n)
{
    size_t i, j;
    for (i = 1; i < n; i++) {
        const double value = x[i];
        for (j = i; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

/* x sorted, n > 0 */
static double kpri_hip_median(const double *x, size_t n)
{
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The mean of the middle. It is nearly as precise as the mean, and an outlier or a step does it no
   harm.
   x sorted, n > 0 */
static double kpri_hip_middle(const double *x, size_t n)
{
    const size_t cut = (n + 2) / KPRI_HIP_TRIM;
    double sum = 0;
    size_t i;
    for (i = cut; i < n - cut; i++)
        sum += x[i];
    return sum / (double)(n - 2 * cut);
}

/* x sorted, 0 < n <= KPRED_HIP_SAMPLES */
static double kpri_hip_mad(const double *x, size_t n)
{
    double away[KPRED_HIP_SAMPLES];
    const double median = kpri_hip_median(x, n);
    size_t i;
    for (i = 0; i < n; i++)
        away[i] = x[i] < median ? median - x[i] : x[i] - median;
    kpri_hip_sort(away, n);
    return kpri_hip_median(away, n);
}

/* Is the time usable: above zero, a number, and below a quarter of an hour? */
static int kpri_hip_usable(double us)
{
    return us > 0 && us < 1e9;
}

/* Collects the usable samples of a candidate, sorted, and returns how many there are. */
static size_t kpri_hip_samples(const kpred_hip_timing *t, double *x)
{
    size_t r, n = 0;
    for (r = 0; r < t->rounds; r++)
        if (kpri_hip_usable(t->sample_us[r]))
            x[n++] = t->sample_us[r];
    if (n == 0 && kpri_hip_usable(t->entry_us))
        x[n++] = t->entry_us;
    kpri_hip_sort(x, n);
    return n;
}

static void kpri_hip_summarise(kpred_hip_timing *t)
{
    double x[KPRED_HIP_SAMPLES];
    const size_t n = kpri_hip_samples(t, x);
    t->samples = (uint32_t)n;
    if (n == 0)
        return;
    t->median_us = kpri_hip_median(x, n);
    t->min_us = x[0];
    t->mad_us = kpri_hip_mad(x, n);
}

/* By how much is a candidate slower than another, relative, over the rounds that both have? */
typedef struct kpri_hip_gap {
    double mean, mad;
    size_t n;
} kpri_hip_gap;

static kpri_hip_gap kpri_hip_compare(const kpred_hip_timing *t, const kpred_hip_timing *other)
{
    double x[KPRED_HIP_SAMPLES];
    kpri_hip_gap gap = {0, 0, 0};
    size_t r;
    for (r = 0; r < t->rounds && r < other->rounds; r++)
        if (kpri_hip_usable(t->sample_us[r]) && kpri_hip_usable(other->sample_us[r]))
            x[gap.n++] = t->sample_us[r] / other->sample_us[r] - 1;
    if (gap.n == 0)
        return gap;
    kpri_hip_sort(x, gap.n);
    gap.mean = kpri_hip_middle(x, gap.n);
    gap.mad = kpri_hip_mad(x, gap.n);
    return gap;
}

/* ---- >>hip-candidate ------------------------------------------------------------------------ */

typedef struct kpri_hip_race {
    const kpred_hip_plan *plan;
    const kpred_tuple *candidates;
    size_t n;
    kpred_hip_timing *timings;
    kpred_hip_result *result;
    kpred_hip_status status;                 /* below KPRED_HIP_OK: the selection is over */
    double drop_factor, tolerance, least_us; /* from the plan, or the defaults */
    hipEvent_t round;                        /* the beginning of a round */
    void *buffer;                            /* for the flush */
    size_t racing;                           /* how many candidates are KPRED_HIP_LEVEL */
    double turn_us;                          /* the expected time of a turn of a round */
    double longest_us, apart_us; /* the longest turn on entry; what of it does not count */
    double began_us;             /* the start, by plan->clock */
    uint32_t batch, random;
    uint32_t rounds; /* behind the samples; the probes are a round */
} kpri_hip_race;

/* Does the error stay with the context? 701 is an exception: see ERRORS. */
static int kpri_hip_is_sticky(hipError_t error)
{
    return (int)error >= 700 && (int)error <= 719 && (int)error != 701;
}

static void kpri_hip_end(kpri_hip_race *race, kpred_hip_status status, hipError_t error)
{
    race->status = kpri_hip_is_sticky(error) ? KPRED_HIP_ERR_STICKY : status;
    race->result->error = error;
    (void)hipGetLastError();
}

/* Drops a candidate for an error and clears the error. A sticky error ends the selection. */
static void kpri_hip_fail(kpri_hip_race *race, kpred_hip_timing *t, hipError_t error)
{
    t->outcome = KPRED_HIP_FAILED;
    t->error = error;
    (void)hipGetLastError();
    if ((int)error == 701)
        error = hipStreamSynchronize(race->plan->stream);
    else if (!kpri_hip_is_sticky(error))
        return;
    if (error != hipSuccess)
        kpri_hip_end(race, KPRED_HIP_ERR_STICKY, error);
}

/* A launch through <<< >>> reports only to hipGetLastError. Not ready (600) is the answer to a
   query and no error. A sticky error counts more than a reason that the caller gives. */
static hipError_t kpri_hip_pending(hipError_t error)
{
    const hipError_t pending = hipGetLastError();
    if (error == hipSuccess ? (int)pending != 600 : kpri_hip_is_sticky(pending))
        return pending;
    return error;
}

static hipError_t kpri_hip_launch(kpri_hip_race *race, size_t i)
{
    const kpred_hip_plan *plan = race->plan;
    race->timings[i].launches++;
    race->result->launches++;
    return kpri_hip_pending(plan->launch(plan->user, &race->candidates[i], plan->stream));
}

static hipError_t kpri_hip_prepare(kpri_hip_race *race, size_t i)
{
    const kpred_hip_plan *plan = race->plan;
    if (!plan->prepare)
        return hipSuccess;
    return kpri_hip_pending(plan->prepare(plan->user, &race->candidates[i], plan->stream));
}

static hipError_t kpri_hip_flush(kpri_hip_race *race)
{
    const kpred_hip_plan *plan = race->plan;
    hipError_t error = hipSuccess;
    if (plan->flush)
        error = kpri_hip_pending(plan->flush(plan->user, plan->stream));
    if (error == hipSuccess && race->buffer)
        error = hipMemsetAsync(race->buffer, 0, plan->flush_bytes, plan->stream);
    return error;
}

/* Enqueues a whole timed turn, without waiting for it. */
static hipError_t kpri_hip_enqueue(kpri_hip_race *race, size_t i)
{
    kpred_hip_timing *t = &race->timings[i];
    const hipStream_t stream = race->plan->stream;
    uint32_t b;
    hipError_t error = kpri_hip_prepare(race, i);
    if (error == hipSuccess)
        error = kpri_hip_flush(race);
    if (error == hipSuccess)
        error = hipEventRecord(t->start, stream);
    for (b = 0; b < race->batch && error == hipSuccess; b++)
        error = kpri_hip_launch(race, i);
    if (error == hipSuccess)
        error = hipEventRecord(t->stop, stream);
    return error;
}

/* The us between two events; 0 if they are not usable. It waits for the later event. If only the
   time cannot be read, that is no error of what was launched. */
static hipError_t kpri_hip_elapsed(hipEvent_t from, hipEvent_t to, double *us)
{
    float ms = 0;
    hipError_t error = hipEventSynchronize(to);
    *us = 0;
    if (error != hipSuccess)
        return error;
    error = hipEventElapsedTime(&ms, from, to);
    if (error != hipSuccess && (int)error != 701 && !kpri_hip_is_sticky(error)) {
        (void)hipGetLastError();
        return hipSuccess;
    }
    if (error == hipSuccess && kpri_hip_usable(1e3 * (double)ms))
        *us = 1e3 * (double)ms;
    return error;
}

/* Runs a turn of the entry on its own, waits for it, and charges it. *us gets the time of the
   launch. */
static hipError_t kpri_hip_turn(kpri_hip_race *race, size_t i, double *us)
{
    kpred_hip_timing *t = &race->timings[i];
    double before_us = 0;
    hipError_t error = hipEventRecord(race->round, race->plan->stream);
    if (error == hipSuccess)
        error = kpri_hip_enqueue(race, i);
    if (error == hipSuccess)
        error = kpri_hip_elapsed(t->start, t->stop, us);
    if (error == hipSuccess)
        error = kpri_hip_elapsed(race->round, t->start, &before_us);
    if (t->launches < 2 || before_us < t->lead_us)
        t->lead_us = before_us;
    if (before_us + *us > race->longest_us)
        race->longest_us = before_us + *us;
    race->result->device_us += before_us + *us;
    return error;
}

/* ---- >>hip-race ----------------------------------------------------------------------------- */

/* Is enough left, of a share of the whole, for this much device time and this many launches? */
static int kpri_hip_affords(const kpri_hip_race *race, double us, size_t launches, double share)
{
    const kpred_hip_plan *plan = race->plan;
    const kpred_hip_result *done = race->result;
    const double begun_us = race->began_us + race->apart_us;
    if (plan->wall_us > 0 && plan->clock(plan->user) - begun_us >= plan->wall_us * share)
        return 0;
    if (plan->max_launches && (double)(done->launches + launches) > plan->max_launches * share)
        return 0;
    return done->device_us - race->apart_us + us <= plan->budget_us * share;
}

/* Does a turn of this length alone pass the budget? */
static int kpri_hip_passes_budget(const kpri_hip_race *race, double us)
{
    const kpred_hip_plan *plan = race->plan;
    return us > plan->budget_us || (plan->wall_us > 0 && us > plan->wall_us);
}

static int kpri_hip_verified(kpri_hip_race *race, size_t i)
{
    const kpred_hip_plan *plan = race->plan;
    const int right = !plan->verify /* whose name is a macro with arguments on Apple's systems */
                      || (plan->verify)(plan->user, &race->candidates[i], plan->stream);
    const hipError_t error = hipGetLastError();
    if (!right)
        race->timings[i].outcome = KPRED_HIP_WRONG;
    if (kpri_hip_is_sticky(error))
        kpri_hip_fail(race, &race->timings[i], error);
    return right && race->status >= KPRED_HIP_OK;
}

/* The warm-up. It may load code, so its time is only an upper bound. */
static void kpri_hip_warm_up(kpri_hip_race *race, size_t i)
{
    kpred_hip_timing *t = &race->timings[i];
    double us = 0;
    const hipError_t error = kpri_hip_turn(race, i, &us);
    if (error != hipSuccess) {
        kpri_hip_fail(race, t, error);
    } else if (kpri_hip_verified(race, i)) {
        t->entry_us = us;
        t->outcome = KPRED_HIP_LEVEL;
        race->racing++;
    }
}

/* The time of a turn by the fastest launches of the candidates that race, on average; 0: none of
   them has a time that is usable, and had a probe */
static double kpri_hip_usual_turn(const kpri_hip_race *race)
{
    double sum = 0;
    size_t i, n = 0;
    for (i = 0; i < race->n; i++) {
        const kpred_hip_timing *t = &race->timings[i];
        if (t->outcome == KPRED_HIP_LEVEL && t->launches > 1 && t->entry_us > 0) {
            sum += t->entry_us + t->lead_us;
            n++;
        }
    }
    return n ? sum / (double)n : 0;
}

/* The smaller time of warm-up and probe is hardly ever an outlier. A time that is not usable is
   charged as the other one of the pair, or as a usual one. Only the first probes come close enough
   to each other to be a round. */
static void kpri_hip_probe(kpri_hip_race *race, size_t i)
{
    kpred_hip_timing *t = &race->timings[i];
    const double warm_us = t->entry_us, usual_us = kpri_hip_usual_turn(race);
    double us = 0;
    const hipError_t error = kpri_hip_turn(race, i, &us);
    t->entry_us = 0;
    if (error != hipSuccess) {
        race->racing--;
        kpri_hip_fail(race, t, error);
        return;
    }
    if (warm_us <= 0 && us <= 0)
        race->result->device_us += 2 * usual_us;
    else if (warm_us <= 0 || us <= 0)
        race->result->device_us += warm_us + us;
    t->entry_us = warm_us > 0 && warm_us < us ? warm_us : us;
    t->sample_us[0] = us;
    t->rounds = race->result->rounds == 0;
}

/* Does another turn of the entry fit into this share, which is 1 after the first rounds? As long as
   no candidate works, only max_launches ends the entry. If one turn has passed the budget, no round
   follows for which a share is to be left. */
static int kpri_hip_goes_on_entering(kpri_hip_race *race, double share)
{
    const uint32_t most = race->plan->max_launches;
    const int is_passed = kpri_hip_passes_budget(race, race->longest_us);
    const double usual_us = kpri_hip_usual_turn(race);
    if (race->racing == 0)
        return !most || race->result->launches <= most - 2;
    if (share < 1)
        race->apart_us = race->longest_us - (is_passed ? 0 : usual_us);
    return kpri_hip_affords(race, usual_us, 1, is_passed ? 1 : share);
}

/* The candidate whose probe is next: that of the shortest warm-up, as it is the likeliest to be
   fast; KPRED_HIP_NONE: there is none. After a warm-up that passes the budget comes no probe. */
static size_t kpri_hip_next_probe(const kpri_hip_race *race)
{
    size_t i, next = KPRED_HIP_NONE;
    for (i = 0; i < race->n; i++) {
        const kpred_hip_timing *t = &race->timings[i];
        if (t->outcome == KPRED_HIP_LEVEL && t->launches == 1
            && !kpri_hip_passes_budget(race, t->lead_us + t->entry_us)
            && (next == KPRED_HIP_NONE || t->entry_us < race->timings[next].entry_us))
            next = i;
    }
    return next;
}

/* Warm-ups within the share, then probes in half of the rest, too. The first that works has its
   probe at once, which says what a launch takes. Returns how many candidates were tried. */
static size_t kpri_hip_enter(kpri_hip_race *race, double share)
{
    size_t i, next, tried = 0;
    for (i = 0; i < race->n && race->status >= KPRED_HIP_OK; i++) {
        if (race->timings[i].outcome != KPRED_HIP_UNTRIED
            || !kpri_hip_goes_on_entering(race, share))
            continue;
        kpri_hip_warm_up(race, i);
        tried++;
        if (race->status >= KPRED_HIP_OK && kpri_hip_usual_turn(race) <= 0
            && kpri_hip_next_probe(race) == i && kpri_hip_goes_on_entering(race, (1 + share) / 2))
            kpri_hip_probe(race, i);
    }
    while (race->status >= KPRED_HIP_OK && (next = kpri_hip_next_probe(race)) != KPRED_HIP_NONE
           && kpri_hip_goes_on_entering(race, (1 + share) / 2))
        kpri_hip_probe(race, next);
    race->apart_us = 0;
    return tried;
}

static void kpri_hip_drop(kpri_hip_race *race, kpred_hip_timing *t, kpred_hip_outcome outcome)
{
    t->outcome = outcome;
    race->racing--;
}

/* The us of a launch by the last usable time, also of the entry; 0: there is none */
static double kpri_hip_last(const kpred_hip_timing *t)
{
    uint32_t r = t->rounds;
    while (r > 0 && !kpri_hip_usable(t->sample_us[r - 1]))
        r--;
    return r > 0 ? t->sample_us[r - 1] : t->entry_us;
}

/* The us of the fastest candidate that still races, by its last time; 0: there is none */
static double kpri_hip_fastest(const kpri_hip_race *race)
{
    double least = 0;
    size_t i;
    for (i = 0; i < race->n; i++) {
        const kpred_hip_timing *t = &race->timings[i];
        const double us = kpri_hip_last(t);
        if (t->outcome == KPRED_HIP_LEVEL && us > 0 && (least <= 0 || us < least))
            least = us;
    }
    return least;
}

/* Drops the candidates that are far behind on entry, and sets the expected time of a turn. A late
   probe, perhaps by a faster clock, drops nobody who has raced. */
static void kpri_hip_drop_slow(kpri_hip_race *race)
{
    const double most = kpri_hip_fastest(race) * race->drop_factor;
    size_t i;
    for (i = 0; i < race->n; i++) {
        kpred_hip_timing *t = &race->timings[i];
        if (t->outcome == KPRED_HIP_LEVEL && t->rounds < 2 && most > 0 && t->entry_us > most)
            kpri_hip_drop(race, t, KPRED_HIP_SLOWER);
    }
    race->turn_us = kpri_hip_usual_turn(race);
}

/* The launches between two events. A time that is short of least_us by a twentieth is no reason for
   a larger batch. */
static uint32_t kpri_hip_wanted_batch(const kpri_hip_race *race)
{
    const kpred_hip_plan *plan = race->plan;
    const double us = kpri_hip_fastest(race);
    const double wanted = us > 0 ? race->least_us / us + 0.95 : 8.0 * race->batch;
    if (plan->prepare || plan->flush || race->buffer || us * race->batch >= 0.95 * race->least_us)
        return race->batch;
    return wanted < KPRED_HIP_MAX_BATCH ? (uint32_t)wanted : KPRED_HIP_MAX_BATCH;
}

/* Returns 1 if the batch has grown. Earlier samples then are not comparable any more and are
   forgotten. Enough must be left for some rounds with the larger batch. */
static int kpri_hip_grow_batch(kpri_hip_race *race)
{
    const size_t turns = KPRI_HIP_FIRST_LOOK * race->racing;
    const double launch_us = race->turn_us / race->batch;
    uint32_t batch = kpri_hip_wanted_batch(race);
    size_t i;
    while (batch > race->batch
           && !kpri_hip_affords(race, launch_us * batch * (double)turns, turns * batch, 1))
        batch /= 2;
    if (batch <= race->batch)
        return 0;
    race->batch = batch;
    race->turn_us = launch_us * batch;
    for (i = 0; i < race->n; i++)
        if (race->timings[i].outcome == KPRED_HIP_LEVEL)
            race->timings[i].rounds = 0;
    return 1;
}

static uint32_t kpri_hip_random(kpri_hip_race *race, uint32_t below)
{
    race->random ^= race->random << 13;
    race->random ^= race->random >> 17;
    race->random ^= race->random << 5;
    return race->random % below;
}

/* The turns of a round in a new order: a candidate should not always follow the same one. */
static void kpri_hip_shuffle(kpri_hip_race *race)
{
    kpred_hip_timing *t = race->timings;
    size_t i, n = 0;
    for (i = 0; i < race->n; i++)
        if (t[i].outcome == KPRED_HIP_LEVEL)
            t[n++].turn = i;
    for (i = n; i > 1; i--) {
        const size_t j = kpri_hip_random(race, (uint32_t)i), swap = t[j].turn;
        t[j].turn = t[i - 1].turn;
        t[i - 1].turn = swap;
    }
}

/* Reads the times of a round whose turns are enqueued. It returns the last usable stop event, or
   0. */
static hipEvent_t kpri_hip_collect(kpri_hip_race *race, size_t turns)
{
    hipEvent_t last = 0;
    size_t k;
    for (k = 0; k < turns && race->status >= KPRED_HIP_OK; k++) {
        kpred_hip_timing *t = &race->timings[race->timings[k].turn];
        double us = 0;
        hipError_t error;
        if (t->outcome != KPRED_HIP_LEVEL)
            continue;
        error = kpri_hip_elapsed(t->start, t->stop, &us);
        if (error != hipSuccess) {
            race->racing--;
            kpri_hip_fail(race, t, error);
            continue;
        }
        while (t->rounds < race->rounds)
            t->sample_us[t->rounds++] = -1; /* for zeros a compiler would call memset */
        t->sample_us[t->rounds++] = us / race->batch;
        last = t->stop;
    }
    return last;
}

/* Enqueues one turn of each candidate that still races, and returns how many there were. */
static size_t kpri_hip_enqueue_round(kpri_hip_race *race)
{
    const size_t turns = race->racing;
    size_t k;
    kpri_hip_shuffle(race);
    for (k = 0; k < turns && race->status >= KPRED_HIP_OK; k++) {
        const size_t i = race->timings[k].turn;
        const hipError_t error = kpri_hip_enqueue(race, i);
        if (error != hipSuccess) {
            race->racing--;
            kpri_hip_fail(race, &race->timings[i], error);
        }
    }
    return turns;
}

/* All turns are enqueued before it waits for the first, so the device does not wait for the host in
   between. The fastest round tells what to expect, so that one outlier does not end the race. If
   the round's own event fails, the cost of the round is a guess. */
static void kpri_hip_run_round(kpri_hip_race *race)
{
    hipEvent_t last;
    size_t turns;
    double us = 0;
    hipError_t error = kpri_hip_pending(hipEventRecord(race->round, race->plan->stream));
    if (kpri_hip_is_sticky(error)) {
        kpri_hip_end(race, KPRED_HIP_ERR_STICKY, error);
        return;
    }
    turns = kpri_hip_enqueue_round(race);
    last = kpri_hip_collect(race, turns);
    race->result->rounds++;
    if (error == hipSuccess && last && race->status >= KPRED_HIP_OK)
        error = kpri_hip_pending(kpri_hip_elapsed(race->round, last, &us));
    if (kpri_hip_is_sticky(error))
        kpri_hip_end(race, KPRED_HIP_ERR_STICKY, error);
    race->result->device_us += us > 0 ? us : race->turn_us * (double)turns;
    if (us > 0 && (race->turn_us <= 0 || us < race->turn_us * (double)turns))
        race->turn_us = us / (double)turns;
}

/* ---- >>hip-judge ---------------------------------------------------------------------------- */

/* The time of a launch, by all usable samples; 0: there is none */
static double kpri_hip_typical(const kpred_hip_timing *t)
{
    double x[KPRED_HIP_SAMPLES];
    const size_t n = kpri_hip_samples(t, x);
    return n > 0 ? kpri_hip_middle(x, n) : 0;
}

/* The fastest of the candidates with this outcome, by all their samples; KPRED_HIP_NONE: no time is
   usable */
static size_t kpri_hip_leader(const kpri_hip_race *race, kpred_hip_outcome outcome)
{
    double least = 0;
    size_t i, leader = KPRED_HIP_NONE;
    for (i = 0; i < race->n; i++) {
        const double us = kpri_hip_typical(&race->timings[i]);
        if (race->timings[i].outcome != outcome || us <= 0)
            continue;
        if (leader == KPRED_HIP_NONE || us < least) {
            least = us;
            leader = i;
        }
    }
    return leader;
}

/* The squared standard error of a gap. The noise is the noise of this pair or the mean noise of all
   pairs, whichever is larger, because a few samples may agree by chance. It is never below the
   resolution of the events. The middle of n samples is as precise as the mean of 0.85 n. */
static double kpri_hip_error2(const kpri_hip_race *race, kpri_hip_gap gap, double mean_mad,
                              double leader_us)
{
    const double mad = gap.mad > mean_mad ? gap.mad : mean_mad;
    const double sigma = KPRI_HIP_MAD_TO_SIGMA * mad;
    const double step = KPRED_HIP_RESOLUTION_US / (race->batch * leader_us);
    return (sigma * sigma + step * step / 6) / (0.85 * (double)gap.n);
}

/* The mean deviation of the gaps to the leader. pre: there is another candidate */
static double kpri_hip_mean_mad(const kpri_hip_race *race, size_t leader)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < race->n; i++)
        if (i != leader && race->timings[i].outcome == KPRED_HIP_LEVEL)
            sum += kpri_hip_compare(&race->timings[i], &race->timings[leader]).mad;
    return sum / (double)(race->racing - 1);
}

/* Compares all candidates that still race with the leader. It drops those that are slower by more
   than `sigmas` standard errors. It returns the squared error of the difference that is known least
   well. */
static double kpri_hip_judge(kpri_hip_race *race, size_t leader, double sigmas)
{
    const kpred_hip_timing *first = &race->timings[leader];
    const double us = kpri_hip_typical(first);
    const double mad = race->racing > 1 ? kpri_hip_mean_mad(race, leader) : 0;
    double widest = 0;
    size_t i;
    for (i = 0; i < race->n; i++) {
        kpred_hip_timing *t = &race->timings[i];
        kpri_hip_gap gap;
        double error2;
        if (i == leader || t->outcome != KPRED_HIP_LEVEL)
            continue;
        gap = kpri_hip_compare(t, first);
        if (gap.n < KPRI_HIP_FIRST_LOOK) {
            widest = 1;
            continue;
        }
        error2 = sigmas * sigmas * kpri_hip_error2(race, gap, mad, us);
        if (gap.mean > 0 && gap.mean * gap.mean > error2)
            kpri_hip_drop(race, t, KPRED_HIP_SLOWER);
        else if (error2 > widest)
            widest = error2;
    }
    return widest;
}

/* The rounds of a candidate, but for those before it entered */
static size_t kpri_hip_raced(const kpred_hip_timing *t)
{
    size_t r, n = 0;
    for (r = 0; r < t->rounds; r++)
        n += t->sample_us[r] >= 0;
    return n;
}

/* The rounds after which a candidate without a usable time is given up. Where no candidate has one,
   the rounds of all count. */
static size_t kpri_hip_last_look(const kpri_hip_race *race, double half_us)
{
    const int none =
        race->racing * KPRI_HIP_FIRST_LOOK >= KPRI_HIP_LAST_LOOK && kpri_hip_fastest(race) <= 0;
    return none || race->result->device_us > half_us ? KPRI_HIP_FIRST_LOOK : KPRI_HIP_LAST_LOOK;
}

/* Drops the candidates that had so many rounds and no usable time. */
static void kpri_hip_drop_untimed(kpri_hip_race *race, size_t rounds)
{
    size_t i;
    for (i = 0; i < race->n; i++) {
        kpred_hip_timing *t = &race->timings[i];
        double x[KPRED_HIP_SAMPLES];
        if (t->outcome == KPRED_HIP_LEVEL && kpri_hip_samples(t, x) == 0
            && kpri_hip_raced(t) >= rounds)
            kpri_hip_drop(race, t, KPRED_HIP_UNTIMED);
    }
}

/* The squared relative error of the median of the only candidate. A median is less precise than the
   middle: as precise as the mean of 0.64 n. */
static double kpri_hip_own_error2(const kpri_hip_race *race, size_t i)
{
    double x[KPRED_HIP_SAMPLES];
    kpri_hip_gap gap = {0, 0, 0};
    gap.n = kpri_hip_samples(&race->timings[i], x);
    if (gap.n < KPRI_HIP_OWN_LOOK)
        return 1;
    gap.mad = kpri_hip_mad(x, gap.n) / kpri_hip_median(x, gap.n);
    return KPRI_HIP_SURE_SIGMAS * KPRI_HIP_SURE_SIGMAS * 0.85 / 0.64
           * kpri_hip_error2(race, gap, 0, kpri_hip_median(x, gap.n));
}

/* Does the race know all that it is about? */
static int kpri_hip_decided(kpri_hip_race *race)
{
    const size_t leader = kpri_hip_leader(race, KPRED_HIP_LEVEL);
    double error2;
    if (leader == KPRED_HIP_NONE)
        return 0;
    error2 = race->n > 1 ? kpri_hip_judge(race, leader, KPRI_HIP_SURE_SIGMAS)
                         : kpri_hip_own_error2(race, leader);
    return error2 <= race->tolerance * race->tolerance;
}

/* Runs rounds as long as at least `racing` candidates are left. The batch grows in the first rounds
   only, so no stray time makes the race forget its samples. A candidate without a usable time gets
   no more than half of what is left. */
static void kpri_hip_run_rounds(kpri_hip_race *race, size_t racing)
{
    const double half_us = (race->result->device_us + race->plan->budget_us) / 2;
    while (race->status >= KPRED_HIP_OK && race->racing >= racing
           && race->rounds < KPRED_HIP_SAMPLES && race->result->rounds < KPRED_HIP_SAMPLES
           && kpri_hip_affords(race, race->turn_us * (double)race->racing,
                               race->racing * race->batch, 1)) {
        if (race->rounds < KPRI_HIP_FIRST_LOOK && kpri_hip_grow_batch(race))
            race->rounds = 0;
        kpri_hip_run_round(race);
        race->rounds++;
        kpri_hip_drop_untimed(race, kpri_hip_last_look(race, half_us));
        if (kpri_hip_decided(race))
            return;
    }
}

/* Leaves those that are slower than the leader by no more than what does not matter. Without a
   common round, all that is known of both counts. */
static void kpri_hip_drop_beaten(kpri_hip_race *race, size_t leader)
{
    const kpred_hip_timing *first = &race->timings[leader];
    size_t i;
    for (i = 0; i < race->n; i++) {
        kpred_hip_timing *t = &race->timings[i];
        const kpri_hip_gap gap = kpri_hip_compare(t, first);
        const double slower =
            gap.n > 0 ? gap.mean : kpri_hip_typical(t) / kpri_hip_typical(first) - 1;
        if (t->outcome == KPRED_HIP_LEVEL && slower > race->tolerance)
            kpri_hip_drop(race, t, KPRED_HIP_SLOWER);
    }
}

/* Finds the candidates from which the winner comes. If no candidate is left in the race, it takes
   the fastest of the dropped ones back. If no candidate has a usable time, it takes those without
   one. */
static kpred_hip_outcome kpri_hip_winners(kpri_hip_race *race)
{
    size_t leader;
    kpri_hip_drop_untimed(race, 0);
    leader = kpri_hip_leader(race, KPRED_HIP_LEVEL);
    if (leader != KPRED_HIP_NONE) {
        kpri_hip_drop_beaten(race, leader);
        return KPRED_HIP_LEVEL;
    }
    leader = kpri_hip_leader(race, KPRED_HIP_SLOWER);
    if (leader == KPRED_HIP_NONE)
        return KPRED_HIP_UNTIMED;
    race->timings[leader].outcome = KPRED_HIP_LEVEL;
    return KPRED_HIP_LEVEL;
}

/* The best-ranked of the candidates that are level with the leader wins. */
static void kpri_hip_name_winner(kpri_hip_race *race)
{
    kpred_hip_result *result = race->result;
    const kpred_hip_outcome outcome = kpri_hip_winners(race);
    size_t i;
    for (i = 0; i < race->n && race->timings[i].outcome != outcome; i++)
        ;
    if (i < race->n) {
        result->winner = i;
        race->timings[i].outcome = KPRED_HIP_WINNER;
        if (outcome == KPRED_HIP_UNTIMED && race->status >= KPRED_HIP_OK)
            race->status = KPRED_HIP_RANKED;
    } else if (race->status >= KPRED_HIP_OK) {
        kpri_hip_end(race, KPRED_HIP_ERR_CANDIDATES, race->timings[0].error);
    }
}

/* Was there a usable time behind the warm-up, which may have loaded code? */
static int kpri_hip_is_timed(const kpred_hip_timing *t)
{
    return t->samples > 0 && t->launches > 1 && t->outcome >= KPRED_HIP_SLOWER;
}

/* Sums up what the result says of all candidates. */
static void kpri_hip_count(kpri_hip_race *race)
{
    kpred_hip_result *result = race->result;
    size_t i;
    for (i = 0; i < race->n; i++) {
        kpri_hip_summarise(&race->timings[i]);
        result->untried += race->timings[i].launches == 0;
        if (kpri_hip_is_timed(&race->timings[i]))
            result->beaten++;
    }
    if (result->winner == KPRED_HIP_NONE || !kpri_hip_is_timed(&race->timings[result->winner]))
        result->beaten = 0;
    else
        result->beaten--;
}

/* ---- >>hip-api-impl ------------------------------------------------------------------------- */

/* Launches the best-ranked candidate that works. It waits for the launch only if `verify` has to
   look at the outputs. */
static void kpri_hip_trust(kpri_hip_race *race)
{
    size_t i;
    for (i = 0; i < race->n && race->status >= KPRED_HIP_OK; i++) {
        kpred_hip_timing *t = &race->timings[i];
        hipError_t error = kpri_hip_prepare(race, i);
        if (error == hipSuccess)
            error = kpri_hip_launch(race, i);
        if (error == hipSuccess && race->plan->verify)
            error = hipStreamSynchronize(race->plan->stream);
        if (error != hipSuccess) {
            kpri_hip_fail(race, t, error);
        } else if (kpri_hip_verified(race, i)) {
            t->outcome = KPRED_HIP_WINNER;
            race->result->winner = i;
            race->result->launched = 1;
            race->status = KPRED_HIP_RANKED;
            return;
        }
    }
    if (race->status >= KPRED_HIP_OK)
        kpri_hip_end(race, KPRED_HIP_ERR_CANDIDATES, race->timings[0].error);
}

/* Is there a device, and a stream that may be used? */
static void kpri_hip_open(kpri_hip_race *race)
{
    int devices = 0;
    hipStreamCaptureStatus capture = hipStreamCaptureStatusNone;
    hipError_t error;
    race->result->earlier = hipGetLastError();
    error = hipGetDeviceCount(&devices);
    if (error != hipSuccess || devices < 1) {
        kpri_hip_end(race, KPRED_HIP_ERR_DEVICE, error != hipSuccess ? error : hipErrorNoDevice);
        return;
    }
    error = hipStreamIsCapturing(race->plan->stream, &capture);
    if ((int)error == 906 /* the null stream, while another one is captured */
        || (error == hipSuccess && capture != hipStreamCaptureStatusNone)) {
        kpri_hip_end(race, KPRED_HIP_CAPTURING, hipSuccess);
        race->result->winner = 0;
        race->timings[0].outcome = KPRED_HIP_WINNER;
    } else if (error != hipSuccess) {
        kpri_hip_end(race, KPRED_HIP_ERR_STREAM, error);
    }
}

static void kpri_hip_create_event(kpri_hip_race *race, hipEvent_t *event)
{
    hipError_t error;
    if (race->status < KPRED_HIP_OK)
        return;
    error = hipEventCreate(event);
    if (error != hipSuccess) {
        *event = 0;
        kpri_hip_end(race, KPRED_HIP_ERR_EVENT, error);
    }
}

/* Makes the events and the buffer. Then it tries the stream, and waits for the work that is on it.
   An event cannot be recorded on a stream of another device. */
static void kpri_hip_acquire(kpri_hip_race *race)
{
    const kpred_hip_plan *plan = race->plan;
    hipError_t error;
    size_t i;
    kpri_hip_create_event(race, &race->round);
    for (i = 0; i < race->n; i++) {
        kpri_hip_create_event(race, &race->timings[i].start);
        kpri_hip_create_event(race, &race->timings[i].stop);
    }
    if (race->status < KPRED_HIP_OK)
        return;
    error = hipEventRecord(race->round, plan->stream);
    if (error == hipSuccess)
        error = hipStreamSynchronize(plan->stream);
    if (error != hipSuccess) {
        kpri_hip_end(race, KPRED_HIP_ERR_STREAM, error);
        return;
    }
    if (plan->flush_bytes && (error = hipMalloc(&race->buffer, plan->flush_bytes)) != hipSuccess) {
        race->buffer = 0;
        kpri_hip_end(race, KPRED_HIP_ERR_MEMORY, error);
    }
}

static void kpri_hip_destroy_event(hipEvent_t *event)
{
    if (*event)
        (void)hipEventDestroy(*event);
    *event = 0;
}

/* An error of the release itself is cleared: the answer stands. */
static void kpri_hip_release(kpri_hip_race *race)
{
    size_t i;
    kpri_hip_destroy_event(&race->round);
    for (i = 0; i < race->n; i++) {
        kpri_hip_destroy_event(&race->timings[i].start);
        kpri_hip_destroy_event(&race->timings[i].stop);
    }
    if (race->buffer)
        (void)hipFree(race->buffer);
    (void)hipGetLastError();
}

/* NULL, or the name of the member that is out of range. NaN is out of range. */
static const char *kpri_hip_out_of_range(const kpred_hip_plan *plan, size_t n)
{
    if (n == 0 || n > (size_t)0x7fffffff)
        return "n";
    if (!(plan->budget_us >= 0 && plan->budget_us < 1e18))
        return "plan->budget_us";
    if (!(plan->wall_us >= 0 && plan->wall_us < 1e18))
        return "plan->wall_us";
    if (!(plan->drop_factor == 0 || (plan->drop_factor >= 1 && plan->drop_factor < 1e18)))
        return "plan->drop_factor";
    if (!(plan->tolerance >= 0 && plan->tolerance < 1))
        return "plan->tolerance";
    if (!(plan->least_us >= 0 && plan->least_us < 1e18))
        return "plan->least_us";
    if (plan->max_launches == 1)
        return "plan->max_launches";
    return 0;
}

static const char *kpri_hip_is_null(const kpred_hip_plan *plan, const kpred_tuple *candidates,
                                    const kpred_hip_timing *timings, int one)
{
    if (!plan)
        return "plan";
    if (!plan->launch)
        return "plan->launch";
    if (!plan->clock && plan->wall_us > 0)
        return "plan->clock";
    if (!candidates)
        return one ? "candidate" : "candidates";
    return timings ? 0 : one ? "timing" : "timings";
}

static const kpred_hip_result kpri_hip_no_result = {
    KPRED_HIP_NONE, 0, hipSuccess, hipSuccess, 0, 0, 0, 0, 0, 1, 0, 0};

static void kpri_hip_clear(kpred_hip_timing *t)
{
    t->outcome = KPRED_HIP_UNTRIED;
    t->error = hipSuccess;
    t->launches = t->samples = t->rounds = 0;
    t->median_us = t->min_us = t->mad_us = t->entry_us = t->lead_us = 0;
    t->start = t->stop = 0;
}

/* What the first race leaves of the budget is for the candidates that were not reached. A larger
   batch would not let their probes compare. */
static void kpri_hip_race_all(kpri_hip_race *race, size_t least_racing)
{
    double share = KPRI_HIP_ENTRY_SHARE;
    while (race->batch == 1 && kpri_hip_enter(race, share) > 0) {
        kpri_hip_drop_slow(race);
        kpri_hip_run_rounds(race, least_racing);
        share = 1;
    }
}

/* The whole selection. pre: the arguments are checked */
static kpred_hip_status kpri_hip_run(kpri_hip_race *race, size_t least_racing)
{
    size_t i;
    for (i = 0; i < race->n; i++)
        kpri_hip_clear(&race->timings[i]);
    kpri_hip_open(race);
    if (race->status == KPRED_HIP_OK && race->plan->budget_us <= 0) {
        kpri_hip_trust(race);
    } else if (race->status == KPRED_HIP_OK) {
        kpri_hip_acquire(race);
        kpri_hip_race_all(race, least_racing);
        kpri_hip_name_winner(race);
        kpri_hip_release(race);
    }
    kpri_hip_count(race);
    return race->status;
}

static kpred_hip_status kpri_hip_start(const kpred_hip_plan *plan, const kpred_tuple *candidates,
                                       size_t n, kpred_hip_timing *timings,
                                       kpred_hip_result *result, size_t least_racing)
{
    kpri_hip_race race;
    kpred_hip_status status;
    if (!result)
        return KPRED_HIP_ERR_NULL;
    *result = kpri_hip_no_result;
    if ((result->what = kpri_hip_is_null(plan, candidates, timings, least_racing == 1)) != 0)
        return KPRED_HIP_ERR_NULL;
    if ((result->what = kpri_hip_out_of_range(plan, n)) != 0)
        return KPRED_HIP_ERR_VALUE;
    race.plan = plan;
    race.candidates = candidates;
    race.n = n;
    race.timings = timings;
    race.result = result;
    race.status = KPRED_HIP_OK;
    race.drop_factor = plan->drop_factor > 0 ? plan->drop_factor : 1.15;
    race.tolerance = plan->tolerance > 0 ? plan->tolerance : 0.005;
    race.least_us = plan->least_us > 0 ? plan->least_us : 20;
    race.round = 0;
    race.buffer = 0;
    race.racing = 0;
    race.turn_us = race.longest_us = race.apart_us = 0;
    race.began_us = plan->clock ? plan->clock(plan->user) : 0;
    race.batch = race.rounds = 1;
    race.random = 2463534242u;
    status = kpri_hip_run(&race, least_racing);
    result->batch = race.batch;
    result->wall_us = plan->clock ? plan->clock(plan->user) - race.began_us : 0;
    return status;
}

KPRED_HIP_API kpred_hip_status kpred_hip_select(const kpred_hip_plan *plan,
                                                const kpred_tuple *candidates, size_t n,
                                                kpred_hip_timing *timings, kpred_hip_result *result)
{
    return kpri_hip_start(plan, candidates, n, timings, result, 2);
}

KPRED_HIP_API kpred_hip_status kpred_hip_time(const kpred_hip_plan *plan,
                                              const kpred_tuple *candidate,
                                              kpred_hip_timing *timing, kpred_hip_result *result)
{
    return kpri_hip_start(plan, candidate, 1, timing, result, 1);
}

#define KPRI_HIP_TEXT(name, code, text) \
    case name: return text;
KPRED_HIP_API const char *kpred_hip_status_string(kpred_hip_status status)
{
    switch (status) {
        KPRED_HIP_STATUS_LIST(KPRI_HIP_TEXT)
    default: return "unknown status";
    }
}
#undef KPRI_HIP_TEXT

#ifdef __cplusplus
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif
