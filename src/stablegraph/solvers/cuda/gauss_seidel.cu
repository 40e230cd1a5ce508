// Gauss-Seidel sweeps through the levels of a hierarchy on a GPU; launched by gauss_seidel.py.
//
// Result: as in ../sweeps.py, up to rounding; the same bits from run to run.
//
// Rule: x_i = x_i + (b_i - sum of a_ij x_j over all j) / a_ii, for the unknowns of a node one after another, for the
// nodes of a cluster one after another, forward or backward.
//
// Idea: TEAM lanes process a cluster. They compute all sums of a node with the values of x before the node's update.
// The changes of x within the node are then corrected with the node's own block. Clusters of a color have no entry
// between them. Each color is one launch. Consecutive colors that are too small for several blocks of threads are swept
// by one block in one launch.
//
// State: blocks have HEIGHT x HEIGHT values of type REAL. The clusters of a color are stored one after another.
// `begins` is the start of each cluster's nodes, or null if each node is a cluster. The rows of a matrix without blocks
// are copied into the order of the sweep (`copy_rows`), so that they are read as one stream. Blocks are not copied.
//
// Cost: one pass over the matrix; one launch for each large color. No work memory.

// Copy the rows of a matrix without blocks into another order.
KERNEL(8) copy_rows(i64 n, const vertex* rows, const offset* indptr, const vertex* indices, const REAL* data,
                    const offset* new_indptr, vertex* new_indices, REAL* new_data) {
  for (i64 p = thread_id() / TEAM; p < n; p += thread_count() / TEAM) {
    i64 start = indptr[rows[p]], place = new_indptr[p], length = new_indptr[p + 1] - place;
    for (i64 e = threadIdx.x % TEAM; e < length; e += TEAM)
      new_indices[place + e] = indices[start + e], new_data[place + e] = data[start + e];
  }
}

#define MATRIX const offset *indptr, const vertex *indices, const REAL *data, const REAL *inverse

template <bool FORWARD>
DEVICE void relax_node(i64 p, i64 node, MATRIX, const REAL* b, REAL* x) {
  const PartOfWarp<TEAM> team;
  REAL sums[HEIGHT] = {};
  i64 diagonal = -1;  // the position of the block on the diagonal
  i64 end = (i64)indptr[p + 1] * HEIGHT;
  for (i64 g = (i64)indptr[p] * HEIGHT + team.rank(); g < end; g += TEAM) {
    i64 e = g / HEIGHT, c = g % HEIGHT, column = indices[e];
    REAL value = x[column * HEIGHT + c];
    if (HEIGHT > 1 && column == node && c == 0) diagonal = e;
#pragma unroll
    for (int s = 0; s < HEIGHT; s++) sums[s] += data[(e * HEIGHT + s) * HEIGHT + c] * value;
  }
#pragma unroll
  for (int s = 0; s < HEIGHT; s++) sums[s] = team.sum(sums[s]);
  if (HEIGHT > 1) diagonal = team.from(diagonal, __ffs(team.which(diagonal >= 0)) - 1);
  REAL changes[HEIGHT] = {};
#pragma unroll
  for (int step = 0; step < HEIGHT; step++) {
    const int s = FORWARD ? step : HEIGHT - 1 - step;
    i64 i = node * HEIGHT + s;
    REAL remainder = b[i] - sums[s];
    if (HEIGHT > 1) {
#pragma unroll
      for (int t = 0; t < HEIGHT; t++) remainder -= data[(diagonal * HEIGHT + s) * HEIGHT + t] * changes[t];
    }
    changes[s] = remainder * inverse[i];
    if (team.rank() == s % TEAM) x[i] += changes[s];
  }
  team.meet();
}

// Sweep all clusters of colors first, .., last - 1. If there are several colors, only one block of threads may run.
template <bool FORWARD>
DEVICE void sweep(i64 first, i64 last, const i64* offsets, const vertex* begins, const vertex* nodes, MATRIX,
                  const REAL* b, REAL* x) {
  for (i64 turn = 0; turn < last - first; turn++) {
    i64 color = FORWARD ? first + turn : last - 1 - turn;
    for (i64 k = offsets[color] + thread_id() / TEAM; k < offsets[color + 1]; k += thread_count() / TEAM) {
      i64 start = begins ? begins[k] : k, length = begins ? begins[k + 1] - start : 1;
      for (i64 step = 0; step < length; step++) {
        i64 p = FORWARD ? start + step : start + length - 1 - step, node = nodes[p];
        relax_node<FORWARD>(HEIGHT > 1 ? node : p, node, indptr, indices, data, inverse, b, x);
      }
    }
    if (last - first > 1) __syncthreads();
  }
}

KERNEL(4) sweep_forward(i64 first, i64 last, const i64* offsets, const vertex* begins, const vertex* nodes, MATRIX,
                        const REAL* b, REAL* x) {
  sweep<true>(first, last, offsets, begins, nodes, indptr, indices, data, inverse, b, x);
}

KERNEL(4) sweep_backward(i64 first, i64 last, const i64* offsets, const vertex* begins, const vertex* nodes, MATRIX,
                         const REAL* b, REAL* x) {
  sweep<false>(first, last, offsets, begins, nodes, indptr, indices, data, inverse, b, x);
}
