/* kmeans.c - the nearest of some centroids for each of many points
   SPDX-License-Identifier: MIT

   The first of those that are equally near; the distance is squared. */
#include <float.h>

static float distance2(int features, const float *a, const float *b)
{
    float sum = 0;
    for (int f = 0; f < features; f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
}

/* Returns how many points have another centroid than before. */
int kmeans(int points, int features, int centroids, const float *point, const float *centroid,
           int *nearest, float *distance)
{
    int changed = 0;
    for (int p = 0; p < points; p++) {
        float least = FLT_MAX;
        int best = -1;
        for (int c = 0; c < centroids; c++) {
            const float d = distance2(features, point + p * features, centroid + c * features);
            if (d < least) {
                least = d;
                best = c;
            }
        }
        changed += nearest[p] != best;
        nearest[p] = best;
        distance[p] = least;
    }
    return changed;
}
