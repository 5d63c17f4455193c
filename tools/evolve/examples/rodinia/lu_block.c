/* lu_block.c - a block of a matrix becomes its triangles L, with ones on the diagonal, and U
   SPDX-License-Identifier: MIT

   In place, without pivots; a row of the matrix has `width` elements, of which the block has n. */
void lu_block(int n, int width, float *a)
{
    for (int k = 0; k < n; k++)
        for (int r = k; r < n; r++) {
            for (int i = 0; i < k; i++)
                a[k * width + r] -= a[k * width + i] * a[i * width + r];
            if (r == k)
                continue;
            for (int i = 0; i < k; i++)
                a[r * width + k] -= a[r * width + i] * a[i * width + k];
            a[r * width + k] /= a[k * width + k];
        }
}
