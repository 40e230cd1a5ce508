// The counters of the kernels, the choice of an edge, and the links to roots; for boruvka.cu and boruvka_rounds.cu.
//
// Paths to a root may contain all vertices (if weights ascend along a path). Therefore a thread climbs at most CLIMB
// steps at a time, and all vertices are linked to their roots in log_CLIMB(n) passes.
//
// Race, benign: a thread that climbs replaces parents by ancestors while other threads read them, and an old parent is
// also an ancestor.

#define NONE (~0ull)
#define CLIMB 64

// Counters: zero between the kernels, except HUBS and LENGTH (from `collect` to `join`). Three steps take turns: the
// current one, the previous one, which threads may still read, and the next one, which is being reset.
enum { HUBS, TREES, BETWEEN, LENGTH, HOOKS, UNFINISHED, STEPS = UNFINISHED + 3, COUNTERS = STEPS + 6 };

DEVICE void choose(u32* chosen, i64 e) { atomicOr(chosen + (e >> 5), 1u << (e & 31)); }

// Move v towards its root by at most CLIMB steps, and link the start to it; return whether v is the root.
DEVICE bool climb(vertex* parent, vertex& v) {
  vertex start = v, first = parent[v], next = first;
  int steps = 0;
  while (next != v && steps++ < CLIMB) v = next, next = parent[v];
  if (v != first) parent[start] = v;
  return next == v;
}

// Link all vertices to their roots: each pass shortens a path by a factor of CLIMB. Return the thread's count of roots.
DEVICE i64 link_to_roots(i64 n, vertex* parent, i64* counters, u32* barrier) {
  u64* unfinished = (u64*)counters + UNFINISHED;
  i64 roots = 0;
  for (int pass = 0;; pass++) {
    if (thread_id() == 0) unfinished[(pass + 1) % 3] = 0;
    bool deep = false;
    EACH(i, n) {
      vertex v = (vertex)i;
      deep |= !climb(parent, v);
      roots += pass == 0 && v == i;
    }
    if (__any_sync(ALL_LANES, deep) && lane_id() == 0) store_relaxed(unfinished + pass % 3, (u64)1);
    grid_barrier(barrier);
    if (relaxed(unfinished + pass % 3)) continue;
    if (thread_id() == 0) unfinished[(pass + 2) % 3] = 0;
    return roots;
  }
}
