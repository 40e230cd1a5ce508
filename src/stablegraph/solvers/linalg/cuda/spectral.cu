// The spectral radius of D^-1 A on a GPU; launched by spectral.py; ../spectral.py describes the method.
//
// State: `scalars` are the scale of v, the scale of the previous vector, and beta, the coefficient between the two.
// `extremes` are Gershgorin's bound, and the minimum and the maximum of D^-1. HEIGHT is the block size of A.
//
// Idea: the host reads nothing until all steps have been launched. It then checks for conditions that should have ended
// the method earlier, or that make its result useless.
//
// Cost: one product with A (spmv.cu) and three passes over vectors per step.

enum { SCALE, LAST_SCALE, BETA };

// Extremes of numbers and 0, combined like sums.
struct Extremes {
  double bound, least, most;
  DEVICE Extremes operator+(const Extremes& other) const {
    return {fmax(bound, other.bound), fmin(least, other.least), fmax(most, other.most)};
  }
};

DEVICE Extremes from_lane_across(Extremes x, int step) {
  return {from_lane_across(x.bound, step), from_lane_across(x.least, step), from_lane_across(x.most, step)};
}
DEVICE Extremes written_by_others(const Extremes* p) {
  return {__ldcg(&p->bound), __ldcg(&p->least), __ldcg(&p->most)};
}

// Compute the inverse of each diagonal entry (0 for 0), and the extremes of these inverses and of the bounds of rows.
KERNEL(4) bound_rows(i64 n, i64 parts, Extremes* sums, u32* ticket, const offset* indptr, const vertex* indices,
                     const double* data, double* inverse, Extremes* extremes) {
  __shared__ SumMemory<Extremes> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    i64 row = i / HEIGHT, s = i % HEIGHT;
    double diagonal = 0, total = 0;
    for (i64 e = indptr[row], end = indptr[row + 1]; e < end; e++) {
      bool own = indices[e] == row;
#pragma unroll
      for (int c = 0; c < HEIGHT; c++) {
        double value = data[(e * HEIGHT + s) * HEIGHT + c];
        total += fabs(value);
        if (own && c == s) diagonal += value;
      }
    }
    double x = diagonal != 0 ? 1 / diagonal : 0;
    inverse[i] = x;
    return Extremes{diagonal != 0 ? total / fabs(diagonal) : 0, fmin(x, 0.0), fmax(x, 0.0)};
  }, [=](Extremes all) { *extremes = all; });
}

// Set the first v to hashes between -1/2 and 1/2, but 0 where the diagonal is 0.
KERNEL(4) start(i64 n, i64 parts, double* sums, u32* ticket, const double* inverse, double* v, double* scalars,
                double* squares) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    double x = inverse[i] != 0 ? hash32((u64)i) * (1.0 / 4294967296.0) - 0.5 : 0;
    v[i] = x;
    return inverse[i] != 0 ? x * x / fabs(inverse[i]) : 0;
  }, [=](double sum) { *squares = sum, scalars[SCALE] = 1 / sqrt(sum), scalars[LAST_SCALE] = scalars[BETA] = 0; });
}

// Set u = D^-1 A v, given A v, and compute the inner product of u and v. Also compute the inner product of u and the
// previous vector, and its difference from the value that symmetry implies.
KERNEL(4) apply(i64 n, i64 parts, Pair* sums, u32* ticket, const double* inverse, const double* v, const double* old,
                double* u, const double* scalars, double* alpha, double* gap) {
  double scale = scalars[SCALE];
  __shared__ SumMemory<Pair> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    double product = scale * u[i], x = inverse[i] * product;
    u[i] = x;
    return Pair{scale * v[i] * product, inverse[i] != 0 ? x * old[i] / fabs(inverse[i]) : 0};
  }, [=](Pair sum) {
    *alpha = sum.first;
    *gap = fabs(sum.second * scalars[LAST_SCALE] - scalars[BETA]);
  });
}

// Write the next vector, u - alpha v - beta old, to `old`. The whole diagonal has one sign.
KERNEL(4) next(i64 n, i64 parts, double* sums, u32* ticket, const double* inverse, const double* v, double* old,
               const double* u, double* scalars, const double* alpha, const Extremes* extremes, double* beta) {
  double along = (extremes->least < 0 ? -*alpha : *alpha) * scalars[SCALE], back = scalars[BETA] * scalars[LAST_SCALE];
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    double x = inverse[i] != 0 ? u[i] - along * v[i] - back * old[i] : old[i];
    old[i] = x;
    return inverse[i] != 0 ? x * x / fabs(inverse[i]) : 0;
  }, [=](double sum) {
    *beta = sqrt(sum), scalars[LAST_SCALE] = scalars[SCALE], scalars[SCALE] = 1 / sqrt(sum), scalars[BETA] = sqrt(sum);
  });
}
