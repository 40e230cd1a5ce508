// Vectors of solvers on a GPU; launched by vectors.py; see ../vectors.py.
//
// Result: the same bits from run to run, for any number of threads (sums.cuh).
//
// State: numbers are passed as the bits of 64-bit integers. Results are written to host memory.
//
// Idea: an update and the sum that follows it are one pass. Cost: one pass over the named vectors.

KERNEL(4) dot(i64 n, i64 parts, double* sums, u32* ticket, const double* x, const double* y, double* result) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return x[i] * y[i]; }, [=](double sum) { *result = sum; });
}

// Set x += alpha p and r -= alpha q; compute r . r.
KERNEL(4) axpy_residual(i64 n, i64 parts, double* sums, u32* ticket, i64 alpha_bits, const double* p, const double* q,
                        double* x, double* r, double* result) {
  double alpha = __longlong_as_double(alpha_bits);
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    x[i] += alpha * p[i];
    double remainder = r[i] - alpha * q[i];
    r[i] = remainder;
    return remainder * remainder;
  }, [=](double sum) { *result = sum; });
}

// Set p = z + beta p.
KERNEL(8) xpby(i64 n, const double* z, i64 beta_bits, double* p) {
  double beta = __longlong_as_double(beta_bits);
  EACH(i, n) p[i] = z[i] + beta * p[i];
}

// Set x += alpha p.
KERNEL(8) axpy(i64 n, i64 alpha_bits, const double* p, double* x) {
  double alpha = __longlong_as_double(alpha_bits);
  EACH(i, n) x[i] += alpha * p[i];
}
