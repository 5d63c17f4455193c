/* matrix_tiles.h - the products of matrix.c by vectors of one width, which includes it for each
   SPDX-License-Identifier: MIT

   VECTOR: floats of a vector. OF(name): the name for that width. A compiler keeps in memory what is
   wider than the machine's vectors, so each machine gets those that it has. */

typedef float OF(lanes) __attribute__((vector_size(4 * VECTOR), aligned(4), may_alias));

/* One tile of some rows by 2 vectors stays in registers while k runs; every accumulator is named so
   that no compiler has to unroll a loop to see that. */
INLINE void OF(tile_rows_by_2)(size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                               size_t ldc, int add)
{
    OF(lanes) zero = {0};
#define START(i)                                                        \
    OF(lanes) left##i = add ? *(const OF(lanes) *)(c + (i)*ldc) : zero; \
    OF(lanes) right##i = add ? *(const OF(lanes) *)(c + (i)*ldc + VECTOR) : zero;
    EACH_ROW(START)
    for (size_t j = 0; j < k; j++) {
        OF(lanes) b0 = *(const OF(lanes) *)(b + j * ldb);
        OF(lanes) b1 = *(const OF(lanes) *)(b + j * ldb + VECTOR);
        const float *p = a.at + j * a.col_step;
#define STEP(i)                        \
    left##i += b0 * p[(i)*a.row_step]; \
    right##i += b1 * p[(i)*a.row_step];
        EACH_ROW(STEP)
    }
#define STORE(i)                           \
    *(OF(lanes) *)(c + (i)*ldc) = left##i; \
    *(OF(lanes) *)(c + (i)*ldc + VECTOR) = right##i;
    EACH_ROW(STORE)
}

INLINE void OF(tile_rows_by_1)(size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                               size_t ldc, int add)
{
    OF(lanes) zero = {0};
#define START1(i) OF(lanes) sum##i = add ? *(const OF(lanes) *)(c + (i)*ldc) : zero;
    EACH_ROW(START1)
    for (size_t j = 0; j < k; j++) {
        OF(lanes) b0 = *(const OF(lanes) *)(b + j * ldb);
        const float *p = a.at + j * a.col_step;
#define STEP1(i) sum##i += b0 * p[(i)*a.row_step];
        EACH_ROW(STEP1)
    }
#define STORE1(i) *(OF(lanes) *)(c + (i)*ldc) = sum##i;
    EACH_ROW(STORE1)
}

/* One row by 8 vectors: reads longer stretches of b, for products of few rows. */
INLINE void OF(tile_1_by_8)(size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                            int add)
{
    OF(lanes) zero = {0};
#define START8(i) OF(lanes) part##i = add ? *(const OF(lanes) *)(c + VECTOR * (i)) : zero;
    EIGHT(START8)
    for (size_t j = 0; j < k; j++) {
        const float *q = b + j * ldb, p = a.at[j * a.col_step];
#define STEP8(i) part##i += *(const OF(lanes) *)(q + VECTOR * (i)) * p;
        EIGHT(STEP8)
    }
#define STORE8(i) *(OF(lanes) *)(c + VECTOR * (i)) = part##i;
    EIGHT(STORE8)
}

INLINE void OF(tile_1_by_1)(size_t k, struct matrix a, const float *b, size_t ldb, float *c,
                            int add)
{
    OF(lanes) sum = {0};
    if (add)
        sum = *(const OF(lanes) *)c;
    for (size_t j = 0; j < k; j++)
        sum += *(const OF(lanes) *)(b + j * ldb) * a.at[j * a.col_step];
    *(OF(lanes) *)c = sum;
}

INLINE void OF(product)(struct matrix_product p)
{
    size_t i = 0, j;
    for (; i + ROWS <= p.m; i += ROWS, p.a.at += ROWS * p.a.row_step, p.c += ROWS * p.ldc) {
        for (j = 0; j + 2 * VECTOR <= p.n; j += 2 * VECTOR)
            OF(tile_rows_by_2)(p.k, p.a, p.b + j, p.ldb, p.c + j, p.ldc, p.add);
        for (; j < p.n; j += VECTOR)
            OF(tile_rows_by_1)(p.k, p.a, p.b + j, p.ldb, p.c + j, p.ldc, p.add);
    }
    for (; i < p.m; i++, p.a.at += p.a.row_step, p.c += p.ldc) {
        for (j = 0; j + 8 * VECTOR <= p.n; j += 8 * VECTOR)
            OF(tile_1_by_8)(p.k, p.a, p.b + j, p.ldb, p.c + j, p.add);
        for (; j < p.n; j += VECTOR)
            OF(tile_1_by_1)(p.k, p.a, p.b + j, p.ldb, p.c + j, p.add);
    }
}

BY_ITS_VECTORS static void OF(mul)(const struct matrix_product *p)
{
    OF(product)(*p);
}

/* A panel has 32 columns, or the last 16: both are known where it is compiled. */
BY_ITS_VECTORS static void OF(mul_packed)(const struct matrix_product *p)
{
    for (size_t j = 0; j < p->n; j += MATRIX_PANEL)
        if (panel_width(p->n, j) == MATRIX_PANEL)
            OF(product)(panel_of(p, j, MATRIX_PANEL));
        else
            OF(product)(panel_of(p, j, MATRIX_LANES));
}

#undef START
#undef STEP
#undef STORE
#undef START1
#undef STEP1
#undef STORE1
#undef START8
#undef STEP8
#undef STORE8
#undef VECTOR
#undef OF
#undef BY_ITS_VECTORS
#undef ROWS
#undef EACH_ROW
