// Dense form and inverse of a small sparse matrix on a GPU; launched by dense.py, which describes the method.
//
// State: dense matrices are stored row by row. Cost: one pass over the named matrices.

// Write the entries of a matrix of `height` x `width` blocks to a dense matrix, which is initially zero; one warp per
// row.
KERNEL(8) write_dense(i64 rows, i64 height, i64 width, i64 columns, const offset* indptr, const vertex* indices,
                      const double* data, double* dense) {
  for (i64 row = warp_id(); row < rows; row += warp_count())
    for (i64 g = indptr[row] * height * width + lane_id(), end = indptr[row + 1] * height * width; g < end; g += WARP) {
      i64 e = g / (height * width), s = g / width % height, c = g % width;
      dense[(row * height + s) * columns + indices[e] * width + c] = data[g];
    }
}

// Write the diagonal of a matrix of `height` x `height` blocks.
KERNEL(8) write_diagonal(i64 rows, i64 height, const offset* indptr, const vertex* indices, const double* data,
                         double* diagonal) {
  EACH(i, rows * height) {
    i64 row = i / height, s = i % height;
    double found = 0;
    for (i64 e = indptr[row], end = indptr[row + 1]; e < end; e++)
      if (indices[e] == row) found = data[(e * height + s) * height + s];
    diagonal[i] = found;
  }
}

// Find out whether a Cholesky factor has a pivot that counts as zero, or does not exist.
KERNEL(8) find_small_pivots(i64 n, const double* factor, const int* failed, i64* found) {
  EACH(i, n) if (*failed || !(factor[i * n + i] * factor[i * n + i] > SINGULAR)) *found = 1;
}

// Find the largest sum of absolute values of a row. Write its bits, which have the same order (NaN after infinity), to
// `result`, which is initially 0.
KERNEL(8) largest_row(i64 n, const double* dense, u64* result) {
  for (i64 row = warp_id(); row < n; row += warp_count()) {
    double sum = 0;
    for (i64 column = lane_id(); column < n; column += WARP) sum += fabs(dense[row * n + column]);
    sum = sum_of_lanes(sum);
    if (lane_id() == 0) atomicMax(result, (u64)__double_as_longlong(sum));
  }
}
