// Component labels from trees: 0, 1, .. in the order of the roots, which are the smallest vertices of their trees. Used
// by numbering.cu and union.cu, whose blocks meet at a barrier between these steps.
//
// Result: as in numbering.py.
//
// Idea: the vertices are divided into ranges (shares) in ascending order, one block per share. The first step links
// every vertex to its root and counts the roots of each share. The second step gives the roots of a share consecutive
// numbers, starting from the sum of all counts before it. Each block computes this sum itself, because there are few
// shares. The third step copies the numbers from the roots.
//
// Races, all benign: threads shorten paths while other threads follow them. They replace parents by ancestors with
// atomic minima, which never undo a link to a root.
//
// Cost: three accesses to each vertex. Work memory: a number for each share.

typedef LABEL label;

DEVICE i64 start_of(i64 share, i64 shares, i64 n) { return n / shares * share + min(share, n % shares); }

// Return the root of v, and shorten the path to it for other threads.
DEVICE label root_of(i64 v, label* parent) {
  label above = parent[v], root = parent[above];
  while (root != above) {
    label higher = parent[root];
    atomicMin(parent + above, higher);
    above = root, root = higher;
  }
  return root;
}

// Link every vertex directly to its root, and count the roots of each share.
DEVICE void flatten_trees(i64 n, i64 shares, label* parent, label* counts) {
  __shared__ u32 in_block;
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    if (threadIdx.x == 0) in_block = 0;
    __syncthreads();
    u32 roots = 0;
    for (i64 v = start_of(share, shares, n) + threadIdx.x, end = start_of(share + 1, shares, n); v < end; v += BLOCK) {
      label root = root_of(v, parent);
      if (root == v) roots++;
      else parent[v] = root;
    }
    roots = sum_of_lanes(roots);
    if (lane_id() == 0 && roots) atomicAdd(&in_block, roots);
    __syncthreads();
    if (threadIdx.x == 0) counts[share] = (label)in_block;
    __syncthreads();
  }
}

// Give the roots of each share consecutive numbers; `total` becomes the number of roots.
DEVICE void number_roots(i64 n, i64 shares, const label* parent, const label* counts, label* labels, i64* total) {
  __shared__ u64 before;
  __shared__ u32 in_warp[BLOCK / WARP];
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    if (threadIdx.x == 0) before = 0;
    __syncthreads();
    u64 sum = 0;
    for (i64 i = threadIdx.x; i < share; i += BLOCK) sum += (u64)counts[i];
    for (int step = WARP / 2; step; step /= 2) sum += __shfl_down_sync(ALL_LANES, sum, step);
    if (lane_id() == 0 && sum) atomicAdd(&before, sum);
    __syncthreads();
    i64 number = (i64)before, start = start_of(share, shares, n), end = start_of(share + 1, shares, n);
    if (threadIdx.x == 0 && share == shares - 1) *total = number + (i64)counts[share];
    i64 next = number + (i64)counts[share];
    for (i64 base = start; base < end && number < next; base += BLOCK) {  // until all roots of the share have a number
      i64 v = base + threadIdx.x;
      bool is_root = v < end && parent[v] == v;
      u32 who = __ballot_sync(ALL_LANES, is_root);
      if (lane_id() == 0) in_warp[threadIdx.x / WARP] = __popc(who);
      __syncthreads();
      i64 own = number + __popc(who & ((1u << lane_id()) - 1));
      for (int warp = 0; warp < BLOCK / WARP; warp++) {
        if (warp < threadIdx.x / WARP) own += in_warp[warp];
        number += in_warp[warp];
      }
      if (is_root) labels[v] = (label)own;
      __syncthreads();
    }
    __syncthreads();
  }
}

// Number the trees; all threads of a cooperative kernel must call it. `total` becomes the number of trees.
DEVICE void number_trees(i64 n, i64 shares, label* parent, label* counts, label* labels, u32* barrier, i64* total) {
  flatten_trees(n, shares, parent, counts);
  grid_barrier(barrier);
  number_roots(n, shares, parent, counts, labels, total);
  grid_barrier(barrier);
  EACH(v, n) {
    label root = parent[v];
    if (root != v) labels[v] = labels[root];  // of a root, the label has its final value
  }
}
