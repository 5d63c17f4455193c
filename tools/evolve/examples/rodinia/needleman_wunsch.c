/* needleman_wunsch.c - the scores of an alignment of two sequences
   SPDX-License-Identifier: MIT

   The table has a row and a column more than the sequences have letters. A score comes from the
   cell to the north-west with what the two letters are worth together, or from the north or the
   west with a gap. */
static int larger(int a, int b)
{
    return a > b ? a : b;
}

void needleman_wunsch(int rows, int cols, const signed char *first, const signed char *second,
                      const int *worth, int letters, int gap, int *table)
{
    const int width = cols + 1;
    for (int c = 0; c <= cols; c++)
        table[c] = -c * gap;
    for (int r = 1; r <= rows; r++) {
        table[r * width] = -r * gap;
        for (int c = 1; c <= cols; c++) {
            const int pair = worth[first[r - 1] * letters + second[c - 1]];
            const int both = table[(r - 1) * width + c - 1] + pair;
            const int down = table[(r - 1) * width + c] - gap;
            const int right = table[r * width + c - 1] - gap;
            table[r * width + c] = larger(both, larger(down, right));
        }
    }
}
