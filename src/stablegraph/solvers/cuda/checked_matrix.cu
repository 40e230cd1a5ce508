// Checks and conversion of a solver's matrix on a GPU; launched by checked_matrix.py.
//
// Result: faults[kind] is 1 if there is a fault of this kind. The host then finds its position.
//
// State: blocks have HEIGHT x HEIGHT values. `lanes` adjacent threads read a row. Cost: one pass over the matrix;
// `compare` also does a binary search for the partner of each block.

enum { NO_PARTNER, UNEQUAL };

// Compare each block with its transpose.
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

// Copy the entries of rows of unknowns to the blocks of their nodes, which are initially zero.
KERNEL(6) fill_blocks(i64 n, i64 lanes, const offset* indptr, const vertex* indices, const double* data,
                      const offset* blocks_indptr, const vertex* blocks_indices, double* blocks) {
  EACH(g, n * lanes) {
    i64 i = g / lanes, node = i / HEIGHT, s = i % HEIGHT, place = blocks_indptr[node];
    for (i64 e = indptr[i] + g % lanes, end = indptr[i + 1]; e < end; e += lanes) {
      i64 column = indices[e];
      while (blocks_indices[place] < column / HEIGHT) place++;
      blocks[(place * HEIGHT + s) * HEIGHT + column % HEIGHT] = data[e];
    }
  }
}
