// Conjugate gradients on a GPU, with a cycle in lower precision as preconditioner; conjugate_gradients_cuda.py drives
// it, conjugate_gradients.py says what.
//
// State: REAL is the precision of the cycle, whose correction is z and whose right-hand side is `rest`. All numbers
// stay on the device, at the places below, and are told to the host after an iteration.
//
// The cycle works on r times a power of two, as r itself may be beyond its range: conjugate gradients are the same if a
// preconditioner is multiplied by a number.
//
// Cost: an iteration is a cycle, a product with A, and four passes, of 2, 3, 2 and 6 vectors.

#define INFINITE __longlong_as_double(0x7ff0000000000000ll)

enum { DOWNHILL, LAST, CURVATURE, SCALE };  // r . z, the one before, p . A p, what `rest` is of r

// A residual times `scale`, in the cycle's precision. With `numbers` iterations begin: their first direction is z.
KERNEL(8) scale_residual(i64 n, i64 scale_bits, const double* r, REAL* rest, double* numbers) {
  double scale = __longlong_as_double(scale_bits);
  EACH(i, n) rest[i] = (REAL)(scale * r[i]);
  if (numbers && thread_id() == 0) numbers[SCALE] = scale, numbers[DOWNHILL] = INFINITE;
}

// The correction for such a residual.
KERNEL(8) take_correction(i64 n, i64 scale_bits, const REAL* z, i64 zero, double* x) {
  double scale = __longlong_as_double(scale_bits);
  EACH(i, n) x[i] = zero ? (double)z[i] / scale : x[i] + (double)z[i] / scale;
}

// r . z
KERNEL(4) dot_with_correction(i64 n, i64 parts, double* sums, u32* ticket, const double* r, const REAL* z,
                              double* numbers) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return r[i] * (double)z[i]; }, [=](double sum) {
    numbers[LAST] = numbers[DOWNHILL];
    numbers[DOWNHILL] = sum;
  });
}

// p = z + (r . z / last r . z) p
KERNEL(8) turn(i64 n, const REAL* z, const double* numbers, double* p) {
  double beta = numbers[DOWNHILL] / numbers[LAST];
  EACH(i, n) p[i] = (double)z[i] + beta * p[i];
}

KERNEL(4) dot(i64 n, i64 parts, double* sums, u32* ticket, const double* p, const double* q, double* numbers) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return p[i] * q[i]; },
         [=](double sum) { numbers[CURVATURE] = sum; });
}

// x += alpha p and r -= alpha q with alpha = r . z / p . q; r in the cycle's precision; r . z, p . q, r . r are told.
KERNEL(4) take_step(i64 n, i64 parts, double* sums, u32* ticket, const double* p, const double* q, double* x, double* r,
                    REAL* rest, const double* numbers, double* told) {
  __shared__ SumMemory<double> shared;
  double alpha = numbers[DOWNHILL] / numbers[CURVATURE], scale = numbers[SCALE];
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    x[i] += alpha * p[i];
    double left = r[i] - alpha * q[i];
    r[i] = left, rest[i] = (REAL)(scale * left);
    return left * left;
  }, [=](double sum) { told[0] = numbers[DOWNHILL], told[1] = numbers[CURVATURE], told[2] = sum; });
}
