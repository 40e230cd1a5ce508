// Lists of rows by their lengths, and passes over all rows of a level, on a GPU; called by rows.py.
//
// Result: lists whose order may vary; no result depends on it. Sums of integers. Trees of pieces, whose roots are their
// smallest vertices.
//
// Idea: the rows of each class and tier are counted, and then written. Both kernels count in shared memory first.
//
// Races: see union_find.cuh.
//
// Cost: a pass over the vertices for each of the two kernels, one over the entries for all others.

#define MAX_BINS 64
#define AT_ONCE 4  // vertices that a thread lists together

DEVICE int bin_of(i64 v, const u8* mask, u32 salt, i64 classes, const offset* indptr) {
  if (mask && mask[v] != 1) return -1;
  int own = classes > 1 ? (int)(draw(v, salt) & (u32)(classes - 1)) : 0;
  return own * TIERS + tier_of((i64)indptr[v + 1] - (i64)indptr[v]);
}

// Count the rows of each class and tier in `counts`: of vertices whose mask is 1, or of all without a mask. Also add
// the number of the first `listed` positions that were accepted.
KERNEL(8) count_rows(i64 n, const u8* mask, i64 salt, i64 classes, const offset* indptr, i64 listed, const u8* accepted,
                     i64* counts) {
  __shared__ u32 bins[MAX_BINS + 1];
  for (int i = threadIdx.x; i <= MAX_BINS; i += BLOCK) bins[i] = 0;
  __syncthreads();
  EACH(v, n) {
    int bin = bin_of(v, mask, (u32)salt, classes, indptr);
    if (bin >= 0) atomicAdd(bins + bin, 1u);
  }
  u32 moved = 0;
  EACH(i, listed) moved += accepted[i];
  moved = sum_of_lanes(moved);
  if (lane_id() == 0 && moved) atomicAdd(bins + MAX_BINS, moved);
  __syncthreads();
  for (int i = threadIdx.x; i < classes * TIERS; i += BLOCK)
    if (bins[i]) atomicAdd(counts + i, (i64)bins[i]);
  if (threadIdx.x == 0 && bins[MAX_BINS]) atomicAdd(counts + classes * TIERS, (i64)bins[MAX_BINS]);
}

// Write the rows that `count_rows` counts. `written` is initially 0.
KERNEL(6) list_rows(i64 n, const u8* mask, i64 salt, i64 classes, const offset* indptr, const i64* counts,
                    i64* written, i64* list) {
  __shared__ i64 starts[MAX_BINS], places[MAX_BINS];
  __shared__ u32 bins[MAX_BINS];
  int used = (int)classes * TIERS;
  for (int i = threadIdx.x; i < used; i += BLOCK) {
    starts[i] = 0;
    for (int before = 0; before < i; before++) starts[i] += counts[before];
  }
  for (i64 base = (i64)blockIdx.x * BLOCK * AT_ONCE; base < n; base += (i64)gridDim.x * BLOCK * AT_ONCE) {
    for (int i = threadIdx.x; i < used; i += BLOCK) bins[i] = 0;
    __syncthreads();
    int bin[AT_ONCE];
    u32 rank[AT_ONCE];
    for (int k = 0; k < AT_ONCE; k++) {
      i64 v = base + k * BLOCK + threadIdx.x;
      bin[k] = v < n ? bin_of(v, mask, (u32)salt, classes, indptr) : -1;
      rank[k] = bin[k] >= 0 ? atomicAdd(bins + bin[k], 1u) : 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < used; i += BLOCK)
      if (bins[i]) places[i] = starts[i] + atomicAdd(written + i, (i64)bins[i]);
    __syncthreads();
    for (int k = 0; k < AT_ONCE; k++)
      if (bin[k] >= 0) list[places[bin[k]] + rank[k]] = base + k * BLOCK + threadIdx.x;
    __syncthreads();
  }
}

// Sum the weights of each row; a loop counts twice. With labels, sum only the links inside the vertex's community.
KERNEL(6) sum_rows(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end,
                   const offset* indptr, const vertex* indices, const i64* weights, const label* labels, i64* sums) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    i64 sum = 0;
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
      i64 u = indices[e], weight = weight_of(e, weights);
      if (labels) sum += labels[u] == labels[v] ? weight : 0;
      else sum += u == v ? 2 * weight : weight;
    }
    sum = team.sum(sum);
    if (team.rank() == 0) sums[v] = sum;
  });
}

// Add the weights of all entries between communities.
KERNEL(6) sum_between(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end,
                      const offset* indptr, const vertex* indices, const i64* weights, const label* labels, i64* sum) {
  __shared__ u64 word;
  i64 between = 0;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size())
      if (labels[indices[e]] != labels[v]) between += weight_of(e, weights);
  });
  __syncthreads();
  between = OneBlock{&word}.sum(between);
  if (threadIdx.x == 0 && between) atomicAdd(sum, between);
}

// Unite each vertex with its neighbors in the same community.
KERNEL(6) unite_inside(const i64* list, i64 list_first, i64 short_first, i64 long_first, i64 list_end,
                       const offset* indptr, const vertex* indices, const label* labels, label* parent) {
  __shared__ u64 word;
  each_row(list, list_first, short_first, long_first, list_end, &word, [&](i64, i64 v, RowTeam team) {
    for (i64 e = (i64)indptr[v] + team.rank(), end = indptr[v + 1]; e < end; e += team.size()) {
      i64 u = indices[e];
      if (u < v && labels[u] == labels[v]) unite((label)v, (label)u, parent);
    }
  });
}
