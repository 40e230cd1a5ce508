// The trees of the forest as parents, and the counters of the kernels; for boruvka.cu and boruvka_rounds.cu.

#define NONE (~0ull)
#define CLIMB 64

// Counters: zero between the kernels, except HUBS, LENGTH (from a `collect` kernel to `join`) and the second word of
// BARRIER. Three steps take turns: the current one, the previous one, which threads may still read, and the next one,
// which is being reset.
enum { HUBS, TREES, BETWEEN, LENGTH, HOOKS, UNFINISHED, STEPS = UNFINISHED + 3, BARRIER = STEPS + 6 };

DEVICE void choose(u32* chosen, i64 e) { atomicOr(chosen + (e >> 5), 1u << (e & 31)); }

// Move v towards its root by at most CLIMB steps, and link the start to it; return whether v is the root.
DEVICE bool climb(vertex* parent, vertex& v) {
  vertex start = v, first = parent[v], next = first;
  int steps = 0;
  while (next != v && steps++ < CLIMB) v = next, next = parent[v];
  if (v != first) parent[start] = v;
  return next == v;
}
