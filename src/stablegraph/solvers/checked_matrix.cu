// Checks of a solver's matrix on a GPU: whether anything is wrong, and of which kind; checked_matrix_cuda.py launches them.
//
// Result: faults[kind] is 1 where a fault of the kind of checked_matrix.py was found. Which one it is, the host finds out.
//
// State: HEIGHT x HEIGHT are the sizes of blocks. Cost: a pass through the matrix; `compare` looks for the partner of
// each block by bisection.

enum { PATTERN, UNSORTED, NOT_FINITE, NO_DIAGONAL, NO_PARTNER, UNEQUAL };

KERNEL(6) find_faults(i64 n, i64 blocks, const offset* indptr, const vertex* indices, const double* data,
                      i64* faults) {
  EACH(i, n * HEIGHT) {
    i64 row = i / HEIGHT, s = i % HEIGHT, start = indptr[row], end = indptr[row + 1], last = -1;
    if (start < 0 || start > end || end > blocks) {
      faults[PATTERN] = 1;
      continue;
    }
    double diagonal = 0;
    for (i64 e = start; e < end; e++) {
      i64 column = indices[e];
      if (column < 0 || column >= n) faults[PATTERN] = 1;
      if (column <= last) faults[UNSORTED] = 1;
      last = column;
      for (int c = 0; c < HEIGHT; c++) {
        double value = data[(e * HEIGHT + s) * HEIGHT + c];
        if (!(fabs(value) < INFINITE)) faults[NOT_FINITE] = 1;
        if (column == row && c == s) diagonal = value;
      }
    }
    if (fabs(diagonal) < LEAST) faults[NO_DIAGONAL] = 1;
  }
}

// Each block beside its transpose.
KERNEL(6) compare(i64 n, const offset* indptr, const vertex* indices, const double* data, const double* inverse,
                  i64* faults) {
  EACH(row, n) {
    for (i64 e = indptr[row], end = indptr[row + 1]; e < end; e++) {
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

// Whether a column below HEIGHT is not zero where it should be, or the other way round: it moves one unknown of a node.
KERNEL(8) find_other_moves(i64 n, i64 columns, const double* B, i64* found) {
  EACH(g, n * HEIGHT) {
    i64 i = g / HEIGHT, c = g % HEIGHT;
    if ((B[i * columns + c] != 0) != (i % HEIGHT == c)) *found = 1;
  }
}

// Where the entries of each node start, and the node of each unknown.
KERNEL(8) start_nodes(i64 n, const offset* indptr, offset* starts, vertex* node_of_unknown) {
  EACH(i, n + 1) starts[i] = indptr[i * HEIGHT];
  EACH(i, n * HEIGHT) node_of_unknown[i] = (vertex)(i / HEIGHT);
}

// Write the entries of rows of unknowns to the blocks of their nodes, which are zero.
KERNEL(6) fill_blocks(i64 n, const offset* indptr, const vertex* indices, const double* data,
                      const offset* blocks_indptr, const vertex* blocks_indices, double* blocks) {
  EACH(i, n * HEIGHT) {
    i64 node = i / HEIGHT, s = i % HEIGHT, place = blocks_indptr[node];
    for (i64 e = indptr[i], end = indptr[i + 1]; e < end; e++) {
      i64 column = indices[e];
      while (blocks_indices[place] < column / HEIGHT) place++;
      blocks[(place * HEIGHT + s) * HEIGHT + column % HEIGHT] = data[e];
    }
  }
}
