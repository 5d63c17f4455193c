/* teachers.c - for test_training.steps: of small.f32, the floats of other networks
   SPDX-License-Identifier: MIT

   alone.f32 has the first teacher in the network's place, same.f32 the network and it twice. */
#include "train/additive_net.h"
#include "train/recipe.h"

static int save(const char *path, const struct net *nets, size_t n, uint64_t id)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL)
        return -1;
    net_save(nets, n, id, f);
    return fclose(f);
}

int main(void)
{
    static struct net nets[RECIPE_MAX_NETS];
    size_t n;
    uint64_t id;
    if (net_load(nets, RECIPE_MAX_NETS, "small.f32", &n, &id) != 0 || n < 3)
        return 1;
    const struct net same[] = {nets[0], nets[1], nets[1]};
    const int bad = save("alone.f32", nets + 1, 1, id) || save("same.f32", same, 3, id);
    for (size_t i = 0; i < n; i++)
        net_free(&nets[i]);
    return bad;
}
