/* lavamd.c - forces between the particles of a box and those of its neighbour boxes
   SPDX-License-Identifier: MIT

   A particle is x, y, z and a charge; what acts on it is a potential and a force, four numbers
   again. The boxes stand in a cube, side by side. */
#include <stdint.h>
#include <string.h>

/* exp(-u) for u >= 0, to some six digits: a polynomial for the fraction of the power of two */
static float exp_of_minus(float u)
{
    const float power = -1.44269504f * u;
    float value, fraction;
    uint32_t bits;
    int whole;
    if (!(power > -126))
        return 0;
    whole = (int)power;
    fraction = power - (float)whole;
    value = 1 + fraction * (0.69314718f + fraction * (0.24022651f + fraction * 0.05550411f));
    value += fraction * fraction * fraction * fraction * (0.00961813f + fraction * 0.00133336f);
    memcpy(&bits, &value, sizeof bits);
    bits += (uint32_t)whole << 23;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void act_on(const float *here, const float *other, float a2, float *acts)
{
    const float dx = here[0] - other[0], dy = here[1] - other[1], dz = here[2] - other[2];
    const float v = exp_of_minus(a2 * (dx * dx + dy * dy + dz * dz));
    const float force = 2 * v * other[3];
    acts[0] += v * other[3];
    acts[1] += force * dx;
    acts[2] += force * dy;
    acts[3] += force * dz;
}

/* side: boxes along an edge of the cube; each: particles in a box */
void lavamd(int side, int each, float alpha, const float *particles, float *acts)
{
    const float a2 = 2 * alpha * alpha;
    for (int box = 0; box < side * side * side; box++) {
        const int x = box % side, y = box / side % side, z = box / (side * side);
        for (int i = box * each; i < (box + 1) * each; i++)
            for (int k = 0; k < 4; k++)
                acts[4 * i + k] = 0;
        for (int neighbour = 0; neighbour < 27; neighbour++) {
            const int nx = x + neighbour % 3 - 1, ny = y + neighbour / 3 % 3 - 1;
            const int nz = z + neighbour / 9 - 1, first = each * (nx + side * (ny + side * nz));
            if (nx < 0 || ny < 0 || nz < 0 || nx >= side || ny >= side || nz >= side)
                continue;
            for (int i = box * each; i < (box + 1) * each; i++)
                for (int j = first; j < first + each; j++)
                    act_on(particles + 4 * i, particles + 4 * j, a2, acts + 4 * i);
        }
    }
}
