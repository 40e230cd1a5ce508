// Products of a sparse matrix of blocks with a vector, and the smoothing steps that contain them (vectors.py).
//
// Result: as in ../vectors.py and ../../polynomial.py, up to rounding; the same bits from run to run.
//
// State: blocks have HEIGHT x WIDTH values. REAL is the type of values and vectors. AT_ONCE is the number of steps of a
// lane whose loads are in flight together. Block e is stored at data[e * HEIGHT * WIDTH], row by row.
//
// Idea: LANES lanes of a warp read a row of blocks together, each of them every LANES-th column, so that a value of x
// is read once for the HEIGHT rows of unknowns. Their sums are added by a tree that depends only on the number of
// lanes, which the driver chooses by the mean length of rows. The operation on the sum, END, is part of the same pass.
//
// Cost: one pass over the matrix; no work memory.

enum { MULTIPLY, ADD, RESIDUAL, STEP, STEP_FROM_ZERO };

// Compute the sums of row `row` of blocks times x, in all lanes.
template <int LANES>
DEVICE void row_times(i64 row, const offset* indptr, const vertex* indices, const REAL* data, const REAL* x,
                      REAL (&sums)[HEIGHT]) {
#pragma unroll
  for (int s = 0; s < HEIGHT; s++) sums[s] = 0;
  i64 end = (i64)indptr[row + 1] * WIDTH;
#pragma unroll AT_ONCE
  for (i64 g = (i64)indptr[row] * WIDTH + threadIdx.x % LANES; g < end; g += LANES) {
    i64 e = g / WIDTH, c = g % WIDTH;
    REAL value = x[(i64)indices[e] * WIDTH + c];
#pragma unroll
    for (int s = 0; s < HEIGHT; s++) sums[s] += data[(e * HEIGHT + s) * WIDTH + c] * value;
  }
  for (int step = LANES / 2; step; step /= 2) {
#pragma unroll
    for (int s = 0; s < HEIGHT; s++) sums[s] += __shfl_xor_sync(ALL_LANES, sums[s], step);
  }
}

// Compute each row with the operation END. `step` is the coefficients alpha and beta of a smoothing step:
// p = alpha last_p + beta D^-1 (b - A x), new_x = x + p.
// If alpha is 0, last_p is not read. If p is null, it is not written. p and last_p may be the same vector.
template <int LANES, int END>
DEVICE void each_row(i64 n, const offset* indptr, const vertex* indices, const REAL* data, const REAL* x, REAL* out,
                     const REAL* b, const REAL* inverse, const REAL* step, const REAL* last_p,
                     REAL* p) {
  EACH_TOGETHER(t, n * LANES) {
    i64 row = min(t / LANES, n - 1);
    REAL sums[HEIGHT];
    row_times<LANES>(row, indptr, indices, data, x, sums);
    if (t >= n * LANES) continue;
#pragma unroll
    for (int s = 0; s < HEIGHT; s++) {
      if (s % LANES != (int)(threadIdx.x % LANES)) continue;  // the lanes divide the rows of unknowns
      i64 i = row * HEIGHT + s;
      if (END == MULTIPLY) out[i] = sums[s];
      if (END == ADD) out[i] += sums[s];
      if (END == RESIDUAL) out[i] = b[i] - sums[s];
      if (END == STEP) {
        REAL along = step[1] * inverse[i] * (b[i] - sums[s]);
        if (step[0] != 0) along += step[0] * last_p[i];
        if (p) p[i] = along;
        out[i] = x[i] + along;
      }
    }
  }
}

#define READ const REAL* __restrict__
#define MATRIX i64 n, const offset *__restrict__ indptr, const vertex *__restrict__ indices, READ data
#define WITH_LANES(LANES)                                                                                             \
  KERNEL(4) multiply_##LANES(MATRIX, READ x, REAL* out) {                                                             \
    each_row<LANES, MULTIPLY>(n, indptr, indices, data, x, out, 0, 0, 0, 0, 0);                                       \
  }                                                                                                                   \
  KERNEL(4) add_product_##LANES(MATRIX, READ x, REAL* out) {                                                          \
    each_row<LANES, ADD>(n, indptr, indices, data, x, out, 0, 0, 0, 0, 0);                                            \
  }                                                                                                                   \
  KERNEL(4) residual_##LANES(MATRIX, READ x, REAL* out, READ b) {                                                     \
    each_row<LANES, RESIDUAL>(n, indptr, indices, data, x, out, b, 0, 0, 0, 0);                                       \
  }                                                                                                                   \
  KERNEL(4) step_##LANES(MATRIX, READ x, REAL* out, READ b, READ inverse, READ step, const REAL* last_p, REAL* p) {   \
    each_row<LANES, STEP>(n, indptr, indices, data, x, out, b, inverse, step, last_p, p);                             \
  }

WITH_LANES(1)
WITH_LANES(4)
WITH_LANES(8)
WITH_LANES(16)
WITH_LANES(32)

// Multiply without fusing the product with a sum; otherwise TwoSum would count its rounding error twice.
DEVICE double rounded_product(double a, double b) { return __dmul_rn(a, b); }
DEVICE float rounded_product(float a, float b) { return __fmul_rn(a, b); }

// Compute b - A x by compensated summation, as in ../vectors.py, with one thread per row of unknowns.
KERNEL(4) accurate_residual(MATRIX, READ x, READ b, REAL* out) {
  EACH(i, n * HEIGHT) {
    i64 row = i / HEIGHT, s = i % HEIGHT;
    REAL total = b[i], errors = 0;
    for (i64 e = indptr[row], end = indptr[row + 1]; e < end; e++)
      for (int c = 0; c < WIDTH; c++) {
        REAL a = data[(e * HEIGHT + s) * WIDTH + c], y = x[(i64)indices[e] * WIDTH + c];
        REAL product = rounded_product(a, y);
        errors -= fma(a, y, -product);  // TwoProduct
        REAL difference = total - product, subtracted = difference - total;
        errors += (total - (difference - subtracted)) - (product + subtracted);  // TwoSum
        total = difference;
      }
    out[i] = total + errors;
  }
}

// Make the first step from x = 0: x = p = beta D^-1 b.
KERNEL(8) step_from_zero(i64 n, REAL* x, const REAL* b, const REAL* inverse, const REAL* step) {
  EACH(i, n) x[i] = step[1] * inverse[i] * b[i];
}
