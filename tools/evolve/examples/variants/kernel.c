/* kernel.c - a product of a matrix with a vector; the rows are filled from the left, zeros follow
   SPDX-License-Identifier: MIT

   sums[r] = the sum over c of filled[r][c] * x[c]. To stop at the first zero spares the rest of a
   row, but what can stop anywhere cannot be done by vectors: it depends on the problem which of
   both is faster. All is exact, so the sums are the same. kpred-evolve has to find for itself what
   -DSTOP=0 is. */
#ifndef STOP
#define STOP 1
#endif

void product(int rows, int cols, const int *filled, const int *x, int *sums)
{
    for (int r = 0; r < rows; r++) {
        int sum = 0;
        for (int c = 0; c < cols; c++) {
            if (STOP && filled[r * cols + c] == 0)
                break;
            sum += filled[r * cols + c] * x[c];
        }
        sums[r] = sum;
    }
}
