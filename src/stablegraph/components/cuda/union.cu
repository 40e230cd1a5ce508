// Connected components by union-find on a GPU, as in Afforest; called by union.py.
//
// Result: trees whose roots are the smallest vertices of their components, independent of the schedule; see
// ../union.py.
//
// Rule: root(u) == root(v)  <=>  a path connects u and v. To achieve this, the larger of two roots is linked below the
// smaller one by compare-and-swap: `hook`, and `unite`, which repeats until it is done.
//
// Idea: a few edges determine most of the result. The steps are those of one launch, with a barrier after each.
//
// 1. *hang*: the first neighbor of a vertex becomes its parent if it is smaller. This needs no atomics, because links
//    lead only to smaller vertices and so never make a cycle. If rows ascend, there is one tree for each vertex whose
//    neighbors are all larger: a single tree on a lattice.
// 2. *hook*: a second neighbor, which the first step has stored, so that no row is read again. In each round, every
//    vertex climbs at most CLIMB steps, then every root is hooked to a smaller one if a stored edge leads to it. The
//    rounds end when few edges still connect two trees, and *unite_waiting* unites these trees. Without the rounds, all
//    threads would unite trees while other threads extend the paths in them: on a random graph that takes 2.8 times as
//    long.
// 3. *giant*: the root to which most of a sample lead, found by one block.
// 4. *rest*: vertices below the giant root are skipped, all other vertices are united with all their neighbors. If the
//    pattern is symmetric, an edge between the two kinds is seen from the other end; otherwise no vertex is skipped.
//    Rows of up to SHORT entries are read by a thread, of up to LONG by a warp; longer ones are cut into pieces, which
//    are listed, and each is read by a warp in another step.
// 5. The trees are numbered (numbering.cuh).
//
// State: `parent`; `state`: the giant root (-1: none), the number of pieces, and the number of edges between two trees
// that each round found.
//
// Races, all benign: parents are read and paths are shortened by plain loads and stores, which the L1 cache may keep.
// An outdated parent is still an ancestor, and so is one that is written too late. Neither affects a root, which
// changes only once, by compare-and-swap. If a vertex is no longer a root, the compare-and-swap detects it.
//
// Cost: two neighbors of each vertex, a few accesses to each vertex in a few rounds, and all neighbors of vertices
// outside the giant component. Work memory: the parents, and 16 bytes per 512 entries.
//
// Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
// IPDPS 2018; J. Jaiganesh, M. Burtscher, "A High-Performance Connected Components Implementation for GPUs", HPDC 2018.

#define SHORT 24
#define LONG 1024
#define SAMPLES 512
#define SLOTS 1024
#define STRIDE 0x9E3779B1ull  // of the sample: large, and not aligned with any pattern
#ifdef EMULATED
#define CLIMB 3
#define ROUNDS 2
#else
#define CLIMB 1024  // maximum number of steps towards a root, in a sample or a round
#define ROUNDS 16
#endif
#define FEW 128  // rounds end when less than one of FEW vertices has an edge to another tree

enum { GIANT, PIECES, APART, STATE = APART + ROUNDS };

// Return the root of v, or a vertex that is CLIMB steps closer to it.
DEVICE label climb(label v, const label* parent) {
  label above = parent[v];
  for (int step = 0; step < CLIMB && above != v; step++) v = above, above = parent[v];
  return v;
}

// Set the parent of each vertex to its first neighbor, if that is smaller, and store another neighbor to unite later.
DEVICE void hang(i64 n, const offset* indptr, const vertex* indices, label* parent, label* waiting, i64* state) {
  EACH(i, STATE) state[i] = i == GIANT ? -1 : 0;
  EACH(v, n) {
    i64 e = indptr[v], end = indptr[v + 1];
    label own = (label)v, first = e < end ? (label)indices[e] : own, second = e + 1 < end ? (label)indices[e + 1] : own;
    parent[v] = min(first, own);
    waiting[v] = first > own ? first : second;
  }
}

// Hook roots along the waiting edges; count those edges that connected two trees.
DEVICE void hook(i64 n, const label* waiting, label* parent, i64* apart) {
  i64 count = 0, total;
  EACH(v, n) {
    label u = waiting[v];
    if (u == v) continue;
    label p = parent[v], q = parent[u];
    if (p == q) continue;
    count++;
    if (p < q) { label smaller = p; p = q, q = smaller; }
    if (parent[p] == p) atomicCAS(parent + p, p, q);
  }
  sum_before(count, total);
  if (threadIdx.x == 0 && total) atomicAdd(apart, total);
}

DEVICE void unite_waiting(i64 n, const label* waiting, label* parent) {
  EACH(v, n) if (waiting[v] != v) unite((label)v, waiting[v], parent);
}

// Find the root of the largest tree, unless that tree is very deep; one block.
DEVICE void find_giant(i64 n, const label* parent, i64* state) {
  __shared__ label roots[SLOTS];
  __shared__ u32 counts[SLOTS], best;
  for (int slot = threadIdx.x; slot < SLOTS; slot += BLOCK) roots[slot] = -1, counts[slot] = 0;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < SAMPLES; i += BLOCK) {
    label v = (label)((u64)i * STRIDE % (u64)n);
    v = climb(v, parent);
    u32 slot = hash32((u64)v) % SLOTS;
    for (label there; (there = atomicCAS(roots + slot, (label)-1, v)) != -1 && there != v;) slot = (slot + 1) % SLOTS;
    u32 count = atomicAdd(counts + slot, 1u) + 1;
    atomicMax(&best, count << 16 | slot);
  }
  __syncthreads();
  if (threadIdx.x == 0) state[GIANT] = roots[best & 0xffffu];
}

// Unite each vertex that is not below the giant root with all its neighbors. Long rows become pieces: pairs of a vertex
// and its first entry in the piece.
DEVICE void unite_rest(i64 n, const offset* indptr, const vertex* indices, label* parent, i64* pieces, i64* state) {
  i64 giant = state[GIANT];
  EACH_TOGETHER(v, n) {
    i64 start = 0, end = 0;
    label root = 0;
    if (v < n) {
      root = find((label)v, parent);
      if (root != giant) start = indptr[v], end = indptr[v + 1];
    }
    if (end - start <= SHORT) for (i64 e = start; e < end; e++) root = unite(root, (label)indices[e], parent);
    for (u32 who = __ballot_sync(ALL_LANES, end - start > SHORT); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 first = __shfl_sync(ALL_LANES, start, leader), last = __shfl_sync(ALL_LANES, end, leader);
      label near = __shfl_sync(ALL_LANES, root, leader);
      if (last - first <= LONG) {
        for (i64 e = first + lane_id(); e < last; e += WARP) near = unite(near, (label)indices[e], parent);
      } else {
        i64 count = (last - first + LONG - 1) / LONG, base = 0;
        if (lane_id() == leader) base = atomicAdd(state + PIECES, count);
        base = __shfl_sync(ALL_LANES, base, leader);
        for (i64 i = lane_id(); i < count; i += WARP) {
          pieces[2 * (base + i)] = v - lane_id() + leader;
          pieces[2 * (base + i) + 1] = first + i * LONG;
        }
      }
      __syncwarp();
    }
  }
}

DEVICE void unite_pieces(const offset* indptr, const vertex* indices, label* parent, const i64* pieces,
                         const i64* state) {
  for (i64 i = warp_id(), count = state[PIECES]; i < count; i += warp_count()) {
    i64 v = pieces[2 * i], first = pieces[2 * i + 1], last = min(first + LONG, (i64)indptr[v + 1]);
    label near = (label)v;
    for (i64 e = first + lane_id(); e < last; e += WARP) near = unite(near, (label)indices[e], parent);
  }
}

// Label the components, and set `total` to their number. `symmetric`: whether the pattern is. `labels` first stores the
// waiting neighbors.
KERNEL(3) label_components(i64 n, const offset* indptr, const vertex* indices, i64 symmetric, i64 shares, label* parent,
                           label* labels, label* counts, i64* pieces, i64* state, u32* barrier, i64* total) {
  hang(n, indptr, indices, parent, labels, state);
  grid_barrier(barrier);
  i64 apart = n;
  for (int round = 0; round < ROUNDS && apart > n / FEW; round++) {
    EACH(v, n) parent[v] = climb((label)v, parent);
    grid_barrier(barrier);
    hook(n, labels, parent, state + APART + round);
    grid_barrier(barrier);
    apart = relaxed(state + APART + round);
  }
  if (apart) {
    unite_waiting(n, labels, parent);
    grid_barrier(barrier);
  }
  if (symmetric) {
    if (blockIdx.x == 0) find_giant(n, parent, state);
    grid_barrier(barrier);
  }
  unite_rest(n, indptr, indices, parent, pieces, state);
  grid_barrier(barrier);
  unite_pieces(indptr, indices, parent, pieces, state);
  grid_barrier(barrier);
  number_trees(n, shares, parent, counts, labels, barrier, total);
}
