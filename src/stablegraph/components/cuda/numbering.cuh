// Component labels from trees: 0, 1, .. in the order of the roots, which are the smallest vertices of their trees. Used
// by numbering.cu and union.cu, whose blocks meet at a barrier between these steps.
//
// Result: that of `number_trees` in ../../_core/engines/union.py.
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
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 roots = 0, total;
    for (i64 v = start_of(share, shares, n) + threadIdx.x, end = start_of(share + 1, shares, n); v < end; v += BLOCK) {
      label root = root_of(v, parent);
      if (root == v) roots++;
      else parent[v] = root;
    }
    sum_before(roots, total);
    if (threadIdx.x == 0) counts[share] = (label)total;
  }
}

// Give the roots of each share consecutive numbers; `total` becomes the number of roots.
DEVICE void number_roots(i64 n, i64 shares, const label* parent, const label* counts, label* labels, i64* total) {
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 sum = 0, number, start = start_of(share, shares, n), end = start_of(share + 1, shares, n);
    for (i64 i = threadIdx.x; i < share; i += BLOCK) sum += (i64)counts[i];
    sum_before(sum, number);
    i64 next = number + (i64)counts[share];
    if (threadIdx.x == 0 && share == shares - 1) *total = next;
    for (i64 base = start; base < end && number < next; base += BLOCK) {  // until all roots of the share have a number
      i64 v = base + threadIdx.x, roots;
      bool is_root = v < end && parent[v] == v;
      i64 own = number + sum_before(is_root, roots);
      if (is_root) labels[v] = (label)own;
      number += roots;
    }
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
