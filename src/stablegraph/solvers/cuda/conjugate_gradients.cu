// Conjugate gradients on a GPU, with a cycle in lower precision as preconditioner; launched by
// conjugate_gradients.py; see ../conjugate_gradients.py.
//
// State: REAL is the precision of the cycle, z its correction, and `scaled_r` its right-hand side. All numbers are
// stored on the device, at the indices below, and reported to the host after an iteration.
//
// The cycle works on r times a power of two, because r itself may exceed its range. Multiplying a preconditioner by a
// number does not change conjugate gradients.
//
// Cost: a cycle, a product with A, and four passes over 2, 3, 2 and 6 vectors per iteration.

#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

enum { DOWNHILL, LAST, CURVATURE, SCALE };  // r . z, the previous r . z, p . A p, and the factor `scaled_r` / r

// Convert a residual times `scale` to the cycle's precision. If `numbers` is set, an iteration starts: its first
// direction is z.
KERNEL(8) scale_residual(i64 n, i64 scale_bits, const double* r, REAL* scaled_r, double* numbers) {
  double scale = __longlong_as_double(scale_bits);
  EACH(i, n) scaled_r[i] = (REAL)(scale * r[i]);
  if (numbers && thread_id() == 0) numbers[SCALE] = scale, numbers[DOWNHILL] = INFINITE;
}

// Apply the correction for such a residual.
KERNEL(8) take_correction(i64 n, i64 scale_bits, const REAL* z, i64 zero, double* x) {
  double scale = __longlong_as_double(scale_bits);
  EACH(i, n) x[i] = zero ? (double)z[i] / scale : x[i] + (double)z[i] / scale;
}

// Compute r . z.
KERNEL(4) dot_with_correction(i64 n, i64 parts, double* sums, u32* ticket, const double* r, const REAL* z,
                              double* numbers) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return r[i] * (double)z[i]; }, [=](double sum) {
    numbers[LAST] = numbers[DOWNHILL];
    numbers[DOWNHILL] = sum;
  });
}

// Set p = z + (r . z / last r . z) p.
KERNEL(8) turn(i64 n, const REAL* z, const double* numbers, double* p) {
  double beta = numbers[DOWNHILL] / numbers[LAST];
  EACH(i, n) p[i] = (double)z[i] + beta * p[i];
}

KERNEL(4) dot(i64 n, i64 parts, double* sums, u32* ticket, const double* p, const double* q, double* numbers) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return p[i] * q[i]; },
         [=](double sum) { numbers[CURVATURE] = sum; });
}

// Set x += alpha p and r -= alpha q, with alpha = r . z / p . q; write r in the cycle's precision. Report r . z, p . q
// and r . r.
KERNEL(4) take_step(i64 n, i64 parts, double* sums, u32* ticket, const double* p, const double* q, double* x, double* r,
                    REAL* scaled_r, const double* numbers, double* reported) {
  __shared__ SumMemory<double> shared;
  double alpha = numbers[DOWNHILL] / numbers[CURVATURE], scale = numbers[SCALE];
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    x[i] += alpha * p[i];
    double remainder = r[i] - alpha * q[i];
    r[i] = remainder, scaled_r[i] = (REAL)(scale * remainder);
    return remainder * remainder;
  }, [=](double sum) { reported[0] = numbers[DOWNHILL], reported[1] = numbers[CURVATURE], reported[2] = sum; });
}
