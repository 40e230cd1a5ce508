// The counters of the kernels, and the choice of an edge; for boruvka.cu and boruvka_rounds.cu.

#define NONE (~0ull)

// Counters: zero between the kernels, except HUBS, LENGTH (from a `collect` kernel to `join`) and the second word of
// BARRIER. Three steps take turns: the current one, the previous one, which threads may still read, and the next one,
// which is being reset.
enum { HUBS, TREES, BETWEEN, LENGTH, HOOKS, UNFINISHED, STEPS = UNFINISHED + 3, BARRIER = STEPS + 6 };

DEVICE void choose(u32* chosen, i64 e) { atomicOr(chosen + (e >> 5), 1u << (e & 31)); }
