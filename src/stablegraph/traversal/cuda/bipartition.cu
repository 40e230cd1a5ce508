// The two sides of bipartite components on a GPU; called by bipartition.py.
//
// Result: the side of each vertex, relative to the root of its tree, which is the smallest vertex of its component; and
// whether the component is odd. Both depend only on the graph, not on the schedule.
//
// Rule: an edge joins two different sides. A union-find tree stores for each vertex whether it is on the side of its
// root; an edge inside a tree between vertices of one side makes the tree odd.
//
// Idea: union-find with the side and the parent in one word, so that both change together. If a tree is odd, so is its
// component, and the rows of its vertices are no longer read: an edge to a tree that is not odd is also seen from the
// other end. If large components are not bipartite, two neighbors of each vertex make nearly all of them odd.
//
// 1. *hang*: the first neighbor of a vertex becomes its parent if it is smaller: no atomics, and no cycle.
// 2. *hook_second*: unite once with another neighbor if both roots are near. Without this step, all threads would climb
//    paths that other threads extend: all takes 1.3 to 2.3 times as long on random graphs, 0.9 times on grids.
//    *link_second*: unite with that neighbor until it is done, unless the tree is already odd.
// 3. *unite_rest*, *unite_hubs*: unite vertices in trees that are not odd with all their neighbors. Rows of up to SHORT
//    entries are read by a thread, of up to LONG by a warp, longer ones by all threads.
// 4. *settle*: shorten each path to one link. Each thread writes only the link of its own vertex, because shortening
//    other paths could overwrite a link to the root by an older ancestor. An odd vertex below a root makes the root
//    odd.
//
// If only one answer for the whole graph is wanted (`stops`), all kernels end when an odd component has been found.
//
// State: parent[v], twice the parent, plus one if v is on the other side; a root is its own parent. odd[v]: v, or a
// vertex below it, is in an odd component. state: the number of listed rows, and whether a component is odd.
//
// Races, all benign: parents are read and paths shortened by plain loads and stores. An outdated word is still true,
// because sides along a path never change. It never replaces the word of a root, which changes once, by
// compare-and-swap. Flags are only ever set. A thread skips a row only if it has seen a flag of the row's own
// component.
//
// Cost: two neighbors of each vertex, and the rows of vertices in components that are not yet known to be odd. Work
// memory: 9 bytes per vertex (17 with 64-bit ids).

template <class T> struct Unsigned;
template <> struct Unsigned<int> { typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };
typedef Unsigned<vertex>::type word;

#ifdef EMULATED
#define SHORT 3
#define LONG 9
#define CLIMB 2
#else
#define SHORT 32
#define LONG 4096
#define CLIMB 16
#endif

// Return twice an ancestor of v, plus one if v is on another side than the ancestor: the root, which may be slightly
// outdated, or with a limit, the ancestor after this number of steps.
template <int LIMIT> DEVICE word climb(word v, word* parent) {
  word side = 0, p = parent[v], above = parent[p >> 1];
  for (int step = 0; (LIMIT == 0 || step < LIMIT) && above >> 1 != p >> 1; step++) {
    word higher = above ^ (p & 1);
    parent[v] = higher;
    side ^= higher & 1, v = higher >> 1, p = parent[v], above = parent[p >> 1];
  }
  return p ^ side;
}

DEVICE word find(word v, word* parent) { return climb<0>(v, parent); }

// Return the neighbor of v after the one that may be its parent; v if there is none.
DEVICE vertex second_neighbor(i64 v, const offset* indptr, const vertex* indices) {
  offset e = indptr[v], end = indptr[v + 1];
  if (e < end && indices[e] < v) e++;  // this one is the parent
  return e < end ? indices[e] : (vertex)v;
}

// Record that u and v are on different sides of one component. Return whether the component is now known to be odd.
DEVICE bool unite(word u, word v, word* parent, u8* odd, i64* state) {
  word p = find(u, parent), q = find(v, parent) ^ 1;
  while (p >> 1 != q >> 1) {
    if (p < q) { word smaller = p; p = q, q = smaller; }
    word root = p >> 1, side = p & 1;
    if (atomicCAS(parent + root, root << 1, q ^ side) == root << 1) {
      if (odd[root]) odd[q >> 1] = 1;
      return odd[q >> 1];
    }
    p = find(root, parent) ^ side;
  }
  if (p != q) odd[p >> 1] = 1, state[1] = 1;
  return odd[p >> 1];
}

// Return whether the graph is known not to be bipartite, and nothing else is wanted.
DEVICE bool is_over(const i64* state, i64 stops) { return stops && *(const volatile i64*)(state + 1); }

KERNEL(8) hang(i64 n, const offset* indptr, const vertex* indices, word* parent, u8* odd, vertex* first, i64* state) {
  if (thread_id() == 0) state[0] = state[1] = 0;
  EACH(v, n) {
    offset e = indptr[v];
    vertex u = e < indptr[v + 1] ? indices[e] : (vertex)v;
    parent[v] = u < v ? (word)u << 1 | 1 : (word)v << 1;
    odd[v] = 0;
    first[v] = (vertex)n;
  }
}

// Unite once with another neighbor if both roots are near and no other thread changes the larger one.
KERNEL(8) hook_second(i64 n, const offset* indptr, const vertex* indices, word* parent, u8* odd, i64* state,
                    i64 stops) {
  EACH(v, n) {
    if (is_over(state, stops)) return;
    vertex u = second_neighbor(v, indptr, indices);
    if (u == v) continue;
    word p = climb<CLIMB>((word)v, parent), q = climb<CLIMB>((word)u, parent) ^ 1;
    if (p < q) { word smaller = p; p = q, q = smaller; }
    word root = p >> 1, side = p & 1;
    if (root != q >> 1) {
      if (parent[root] == root << 1) atomicCAS(parent + root, root << 1, q ^ side);
    } else if (p != q) {
      odd[root] = 1, state[1] = 1;
    }
  }
}

KERNEL(8) link_second(i64 n, const offset* indptr, const vertex* indices, word* parent, u8* odd, i64* state,
                    i64 stops) {
  EACH(v, n) {
    if (is_over(state, stops)) return;
    vertex u = second_neighbor(v, indptr, indices);
    if (u != v && !odd[find((word)v, parent) >> 1]) unite((word)v, (word)u, parent, odd, state);
  }
}

KERNEL(6) unite_rest(i64 n, const offset* indptr, const vertex* indices, word* parent, u8* odd, vertex* listed,
                     i64* state, i64 stops) {
  if (__any_sync(ALL_LANES, is_over(state, stops))) return;  // all lanes, which work together below
  EACH_TOGETHER(v, n) {
    i64 start = 0, end = 0;
    if (v < n && !odd[find((word)v, parent) >> 1]) start = indptr[v], end = indptr[v + 1];
    bool is_odd = false;
    if (end - start <= SHORT) {
      for (i64 e = start; e < end && !is_odd; e++) {
        if (indices[e] != v) is_odd = unite((word)v, (word)indices[e], parent, odd, state);
      }
    }
    bool is_hub = end - start > LONG;
    i64 place = place_in(state, is_hub);
    if (is_hub) listed[place] = (vertex)v;
    for (u32 who = __ballot_sync(ALL_LANES, end - start > SHORT && !is_hub); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 from = __shfl_sync(ALL_LANES, start, leader), to = __shfl_sync(ALL_LANES, end, leader);
      i64 w = v - lane_id() + leader;
      bool done = false;
      for (i64 e = from + lane_id(); e - lane_id() < to && !done; e += WARP) {
        bool mine = e < to && indices[e] != w && unite((word)w, (word)indices[e], parent, odd, state);
        done = __any_sync(ALL_LANES, mine);
      }
    }
  }
}

KERNEL(6) unite_hubs(const offset* indptr, const vertex* indices, word* parent, u8* odd, const vertex* listed,
                     i64* state, i64 stops) {
  for (i64 i = 0, count = is_over(state, stops) ? 0 : state[0]; i < count; i++) {
    vertex v = listed[i];
    bool is_odd = odd[find((word)v, parent) >> 1];
    for (i64 e = indptr[v] + thread_id(), end = indptr[v + 1]; e < end && !is_odd; e += thread_count()) {
      if (indices[e] != v) is_odd = unite((word)v, (word)indices[e], parent, odd, state);
    }
  }
}

KERNEL(8) settle(i64 n, word* parent, u8* odd, const i64* state, i64 stops) {
  if (is_over(state, stops)) return;
  EACH(v, n) {
    word p = parent[v], above = parent[p >> 1];
    for (; above >> 1 != p >> 1; above = parent[p >> 1]) p = above ^ (p & 1);
    parent[v] = p;
    if (odd[v]) odd[p >> 1] = 1;
  }
}
