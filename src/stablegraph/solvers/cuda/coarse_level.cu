// The tentative and the smoothed prolongator on a GPU; launched by coarse_level.py; see ../coarse_level.py.
//
// State: a node has HEIGHT unknowns, an aggregate COLUMNS. Blocks of T and P have HEIGHT x COLUMNS values, row by row.
// TEAM lanes work on an aggregate.
//
// Cost: as in ../coarse_level.py. Sums over an aggregate are added by a tree of its lanes.

// Return the sum over the lanes of an aggregate, in all lanes.
DEVICE double sum_of_lanes(double x) {
  for (int step = TEAM / 2; step; step /= 2) x += __shfl_xor_sync(ALL_LANES, x, step);
  return x;
}

// Orthonormalize the rows of each aggregate in T, initially the rows of B, and write the aggregate's part of R.
KERNEL(4) orthonormalize(i64 count, const offset* indptr, const vertex* nodes, double* T, double* R) {
  EACH_TOGETHER(t, count * TEAM) {
    bool exists = t < count * TEAM;
    i64 aggregate = exists ? t / TEAM : 0, first = (i64)indptr[aggregate] * HEIGHT + threadIdx.x % TEAM;
    i64 end = exists ? (i64)indptr[aggregate + 1] * HEIGHT : 0;
    auto at = [=](i64 m) { return T + ((i64)nodes[m / HEIGHT] * HEIGHT + m % HEIGHT) * COLUMNS; };
    for (int c = 0; c < COLUMNS; c++) {
      double size = 0;
      for (i64 m = first; m < end; m += TEAM) size += at(m)[c] * at(m)[c];
      size = sum_of_lanes(size);
      // Subtract the projections on all earlier columns, twice.
      double remainder = size;
      for (int d = 0; d < 2 * c; d++) {
        double share = 0;
        for (i64 m = first; m < end; m += TEAM) share += at(m)[d % c] * at(m)[c];
        share = sum_of_lanes(share);
        if (exists && threadIdx.x % TEAM == 0) R[(aggregate * COLUMNS + d % c) * COLUMNS + c] += share;
        remainder = 0;
        for (i64 m = first; m < end; m += TEAM) {
          double x = at(m)[c] - share * at(m)[d % c];
          at(m)[c] = x;
          remainder += x * x;
        }
        remainder = sum_of_lanes(remainder);
      }
      // Normalize the column, or set it to zero if it depends on earlier columns.
      double scale = 0;
      if (remainder > DEPENDENT * DEPENDENT * size) {
        scale = 1 / sqrt(remainder);
        if (exists && threadIdx.x % TEAM == 0) R[(aggregate * COLUMNS + c) * COLUMNS + c] = sqrt(remainder);
      }
      for (i64 m = first; m < end; m += TEAM) at(m)[c] *= scale;
    }
  }
}

// Compute P = T - omega D^-1 A T, where `data` is A T. `aggregates` is the pattern of T.
KERNEL(6) smooth(i64 n, const offset* indptr, const vertex* indices, const offset* aggregates_indptr,
                 const vertex* aggregates, const double* T, const double* inverse, i64 omega_bits, double* data) {
  const double omega = __longlong_as_double(omega_bits);
  const i64 size = HEIGHT * COLUMNS;
  for (i64 node = thread_id() / TEAM; node < n; node += thread_count() / TEAM) {
    i64 own = aggregates_indptr[node], start = indptr[node] * size;
    vertex aggregate = own < aggregates_indptr[node + 1] ? aggregates[own] : (vertex)-1;
    for (i64 g = start + threadIdx.x % TEAM, end = indptr[node + 1] * size; g < end; g += TEAM) {
      i64 in_block = g % size;
      double value = __dmul_rn(-omega * inverse[node * HEIGHT + in_block / COLUMNS], data[g]);
      if (indices[g / size] == aggregate) value = __dadd_rn(value, T[own * size + in_block]);
      data[g] = value;
    }
  }
}

// Copy the blocks of the transpose.
KERNEL(8) turn_blocks(i64 entries, const offset* places, const double* data, double* values) {
  const i64 size = HEIGHT * COLUMNS;
  EACH(g, entries * size) {
    i64 in_block = g % size, s = in_block % HEIGHT, c = in_block / HEIGHT;
    values[g] = data[places[g / size] * size + s * COLUMNS + c];
  }
}

// Write a 1 to the diagonal of each unknown of an aggregate that has no column in P: R is 0 at this position.
KERNEL(8) pin_unused(i64 count, const double* R, const offset* indptr, const vertex* indices, double* data) {
  EACH(i, count * COLUMNS) {
    if (R[i * COLUMNS + i % COLUMNS] != 0) continue;
    i64 aggregate = i / COLUMNS, c = i % COLUMNS;
    for (i64 e = indptr[aggregate]; e < indptr[aggregate + 1]; e++)
      if (indices[e] == aggregate) data[(e * COLUMNS + c) * COLUMNS + c] = 1;
  }
}
