/* memsets.h - races of three memsets on a runtime that is really there
   SPDX-License-Identifier: MIT

   Behind kpred_hip.h. `launch` of whoever includes it calls memset_launch; `races_of_memsets` holds
   what each runtime has to give. RIGHT prints what is wrong. */
#pragma once

#include <stdio.h>

enum { N = 3, FASTEST = 1, SECOND = 2 };

static kpred_tuple candidates[N]; /* their megabytes */
static kpred_hip_plan plan;
static kpred_hip_timing timings[N];
static kpred_hip_result result;
static void *buffer; /* of the largest one */
static unsigned launches;
static int wrong;

#define RIGHT(x) ((x) ? (void)0 : (void)(wrong = 1, printf("line %d: not: %s\n", __LINE__, #x)))

static hipError_t memset_launch(const kpred_tuple *candidate, hipStream_t stream)
{
    launches++;
    return hipMemsetAsync(buffer, 0, (size_t)candidate->value[0] << 20, stream);
}

/* The first of them is the largest. */
static void set_memsets(const int32_t *megabytes, double budget_us)
{
    for (int i = 0; i < N; i++)
        candidates[i].value[0] = megabytes[i];
    plan.budget_us = budget_us;
    plan.drop_factor = 1e6; /* all of them reach the rounds */
}

static void open_memsets(void)
{
    RIGHT(hipMalloc(&buffer, (size_t)candidates[0].value[0] << 20) == hipSuccess);
    /* A processor finds its pages at the first touch, which takes long. */
    RIGHT(memset_launch(&candidates[0], 0) == hipSuccess && hipStreamSynchronize(0) == hipSuccess);
}

static kpred_hip_status race(void)
{
    kpred_hip_status status;
    launches = 0;
    status = kpred_hip_select(&plan, candidates, N, timings, &result);
    RIGHT(hipGetLastError() == hipSuccess);
    return status;
}

static void races_of_memsets(void)
{
    const double budget_us = plan.budget_us;
    RIGHT(race() == KPRED_HIP_OK && result.winner == FASTEST && result.launches == launches);
    RIGHT(timings[FASTEST].outcome == KPRED_HIP_WINNER && result.error == hipSuccess);
    RIGHT(timings[0].median_us > timings[FASTEST].median_us && timings[FASTEST].min_us > 0);
    RIGHT(kpred_hip_time(&plan, candidates, timings, &result) == KPRED_HIP_OK);
    RIGHT(timings[0].samples > 2 && timings[0].min_us > 0);
    RIGHT(timings[0].min_us <= timings[0].median_us);
    plan.budget_us = 0;
    RIGHT(race() == KPRED_HIP_RANKED && result.winner == 0 && result.launched == 1);
    plan.budget_us = budget_us;
}
