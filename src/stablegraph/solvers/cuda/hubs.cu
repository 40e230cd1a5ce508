// Sums that identify hubs on a GPU; coarse_level.py launches them, ../hubs.py defines them.
//
// Result: sums in double precision in a fixed order (sums.cuh). Cost: one pass over the arrays.

KERNEL(4) add_products(i64 n, i64 parts, double* sums, u32* ticket, const i64* products, double* result) {
  __shared__ SumMemory<double> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) { return (double)products[i]; },
         [=](double sum) { *result = sum; });
}

// Count the entries of rows with more than one entry, and these rows.
KERNEL(4) add_joined(i64 n, i64 parts, Pair* sums, u32* ticket, const offset* lengths, double* result) {
  __shared__ SumMemory<Pair> shared;
  sum_up(shared, n, parts, sums, ticket, [=](i64 i) {
    return lengths[i] > 1 ? Pair{(double)lengths[i], 1.0} : Pair{0.0, 0.0};
  }, [=](Pair sum) { result[0] = sum.first, result[1] = sum.second; });
}
