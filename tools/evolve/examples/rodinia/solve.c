/* solve.c - many small systems of equations, each by elimination without pivots
   SPDX-License-Identifier: MIT

   Not of Rodinia's kind: a kernel of some 300 instructions, to see how many of such a size are
   tried in a second. The loops over the unknowns are unrolled by the compiler. */
enum { UNKNOWNS = 6 };

/* a: a matrix for each system, of which `det` gets the determinant; b, x: its right side, and what
   solves it; rest: how far off x is in its first row, squared */
void solve(int systems, const float *a, const float *b, float *x, float *det, float *rest)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (int s = 0; s < systems; s++) {
        float m[UNKNOWNS][UNKNOWNS + 1], product = 1, off = 0;
        for (int r = 0; r < UNKNOWNS; r++) {
            for (int c = 0; c < UNKNOWNS; c++)
                m[r][c] = a[(s * UNKNOWNS + r) * UNKNOWNS + c];
            m[r][UNKNOWNS] = b[s * UNKNOWNS + r];
        }
        for (int k = 0; k < UNKNOWNS; k++) {
            product *= m[k][k];
            for (int r = k + 1; r < UNKNOWNS; r++) {
                const float share = m[r][k] / m[k][k];
                for (int c = k + 1; c <= UNKNOWNS; c++)
                    m[r][c] -= share * m[k][c];
            }
        }
        for (int r = UNKNOWNS - 1; r >= 0; r--) {
            float sum = m[r][UNKNOWNS];
            for (int c = r + 1; c < UNKNOWNS; c++)
                sum -= m[r][c] * x[s * UNKNOWNS + c];
            x[s * UNKNOWNS + r] = sum / m[r][r];
        }
        for (int c = 0; c < UNKNOWNS; c++)
            off += a[s * UNKNOWNS * UNKNOWNS + c] * x[s * UNKNOWNS + c];
        off -= b[s * UNKNOWNS];
        det[s] = product;
        rest[s] = off * off;
    }
}
