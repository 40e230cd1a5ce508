// Checks of a solver's matrix on a GPU: whether it has a fault of each kind; launched by checked_matrix.py.
//
// Result: faults[kind] is 1 if there is a fault of this kind of ../checked_matrix.py. The host then finds its position.
//
// State: blocks have HEIGHT x HEIGHT values; `find_faults` reads single entries. Cost: one pass over the matrix;
// `compare` also does a binary search for the partner of each block.

enum { PATTERN, UNSORTED, NOT_FINITE, NO_DIAGONAL, NO_PARTNER, UNEQUAL };

// `lanes` adjacent threads of a warp read a row.
KERNEL(6) find_faults(i64 n, i64 lanes, i64 blocks, const offset* indptr, const vertex* indices, const double* data,
                      i64* faults) {
  u32 team = (~0u >> (WARP - lanes)) << (lane_id() / lanes * lanes);
  EACH_TOGETHER(g, n * lanes) {
    bool is_row = g < n * lanes, has_diagonal = false;
    i64 row = g / lanes, start = is_row ? indptr[row] : 0, end = is_row ? indptr[row + 1] : 0;
    if (start < 0 || start > end || end > blocks) faults[PATTERN] = 1, end = start;
    for (i64 e = start + g % lanes; e < end; e += lanes) {
      i64 column = indices[e];
      double value = data[e];
      if (column < 0 || column >= n) faults[PATTERN] = 1;
      if (e > start && column <= indices[e - 1]) faults[UNSORTED] = 1;
      if (!(fabs(value) < INFINITE)) faults[NOT_FINITE] = 1;
      has_diagonal |= column == row && fabs(value) >= LEAST;
    }
    u32 lanes_with_diagonal = __ballot_sync(ALL_LANES, has_diagonal);
    if (is_row && !(lanes_with_diagonal & team)) faults[NO_DIAGONAL] = 1;
  }
}

// Compare each block with its transpose; `lanes` adjacent threads read a row.
KERNEL(6) compare(i64 n, i64 lanes, const offset* indptr, const vertex* indices, const double* data,
                  const double* inverse, i64* faults) {
  EACH(g, n * lanes) {
    i64 row = g / lanes;
    for (i64 e = indptr[row] + g % lanes, end = indptr[row + 1]; e < end; e += lanes) {
      i64 column = indices[e], first = indptr[column], last = indptr[column + 1];
      while (first < last) {
        i64 middle = (first + last) / 2;
        if (indices[middle] < row) first = middle + 1;
        else last = middle;
      }
      bool has_partner = first < indptr[column + 1] && indices[first] == row;
      if (!has_partner) faults[NO_PARTNER] = 1;
      for (int s = 0; s < HEIGHT; s++)
        for (int c = 0; c < HEIGHT; c++) {
          double partner = has_partner ? data[(first * HEIGHT + c) * HEIGHT + s] : 0;
          double difference = data[(e * HEIGHT + s) * HEIGHT + c] - partner;
          double scaled = difference * inverse[row * HEIGHT + s] * difference * inverse[column * HEIGHT + c];
          if (fabs(scaled) > ROUNDING) faults[UNEQUAL] = 1;
        }
    }
  }
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

// Find out whether one of the first HEIGHT columns moves other unknowns than one of each node, in order.
KERNEL(8) find_other_moves(i64 n, i64 columns, const double* B, i64* found) {
  EACH(g, n * HEIGHT) {
    i64 i = g / HEIGHT, c = g % HEIGHT;
    if ((B[i * columns + c] != 0) != (i % HEIGHT == c)) *found = 1;
  }
}

// Write the start of the entries of each node, and the node of each unknown.
KERNEL(8) start_nodes(i64 n, const offset* indptr, offset* starts, vertex* node_of_unknown) {
  EACH(i, n + 1) starts[i] = indptr[i * HEIGHT];
  EACH(i, n * HEIGHT) node_of_unknown[i] = (vertex)(i / HEIGHT);
}

// Copy the entries of rows of unknowns to the blocks of their nodes, which are initially zero.
// `lanes` adjacent threads read a row.
KERNEL(6) fill_blocks(i64 n, i64 lanes, const offset* indptr, const vertex* indices, const double* data,
                      const offset* blocks_indptr, const vertex* blocks_indices, double* blocks) {
  EACH(g, n * HEIGHT * lanes) {
    i64 i = g / lanes, node = i / HEIGHT, s = i % HEIGHT, place = blocks_indptr[node];
    for (i64 e = indptr[i] + g % lanes, end = indptr[i + 1]; e < end; e += lanes) {
      i64 column = indices[e];
      while (blocks_indices[place] < column / HEIGHT) place++;
      blocks[(place * HEIGHT + s) * HEIGHT + column % HEIGHT] = data[e];
    }
  }
}
