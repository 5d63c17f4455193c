/* hotspot.c - a step of a chip's temperature: heat flows between neighbours, and into the air
   SPDX-License-Identifier: MIT

   Cells at the border have no neighbour there, so no heat flows over it. */

/* What a cell gets from two neighbours that face each other, without the resistance between */
static float from_both(float here, float one, float other)
{
    return one + other - 2 * here;
}

void hotspot(int rows, int cols, const float *power, const float *in, float *out, float per_cap,
             float per_rx, float per_ry, float per_rz, float ambient)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const float here = in[r * cols + c];
            const float north = r > 0 ? in[(r - 1) * cols + c] : here;
            const float south = r < rows - 1 ? in[(r + 1) * cols + c] : here;
            const float west = c > 0 ? in[r * cols + c - 1] : here;
            const float east = c < cols - 1 ? in[r * cols + c + 1] : here;
            const float flow = power[r * cols + c] + from_both(here, north, south) * per_ry
                               + from_both(here, west, east) * per_rx + (ambient - here) * per_rz;
            out[r * cols + c] = here + per_cap * flow;
        }
}
