/* hotspot3d.c - a step of the temperature of a stack of chips: seven points, with borders
   SPDX-License-Identifier: MIT */
struct weights { /* of a cell and its neighbours, and of the air around */
    float here, across, along, up, air;
};

void hotspot3d(int nx, int ny, int nz, const struct weights *weights, float step,
               const float *power, const float *in, float *out)
{
    const int plane = nx * ny;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                const int i = x + y * nx + z * plane;
                const int west = x == 0 ? i : i - 1;
                const int east = x == nx - 1 ? i : i + 1;
                const int north = y == 0 ? i : i - nx;
                const int south = y == ny - 1 ? i : i + nx;
                const int below = z == 0 ? i : i - plane;
                const int above = z == nz - 1 ? i : i + plane;
                out[i] = in[i] * weights->here + (in[west] + in[east]) * weights->across
                         + (in[north] + in[south]) * weights->along
                         + (in[below] + in[above]) * weights->up + step * power[i] + weights->air;
            }
}
