// The rounds of Boruvka's algorithm on a GPU: a cooperative kernel. boruvka.cu has the other kernels and describes the
// algorithm.
//
// Result: `join` adds the minimum spanning forest of a list of edges between trees.
//
// Rule: every tree chooses its lightest edge to another tree, until no such edges exist. The edges are compared by
// (key << 32 | entry), if both have 32 bits, otherwise by 64-bit keys and then by entries.
//
// Idea: all blocks run at once and meet at barriers, so that the host launches one kernel for all rounds and reads one
// result. A round: `offer` (a 64-bit atomic minimum at both ends, unless a read shows that it is not needed), for
// 64-bit keys `offer_entries`, `hook`, and `relabel`, which lists the edges that still connect two trees.
//
// State: a list is in two arrays. `ends` has four rows of `room` ids: the roots of both ends of each edge now, and
// those after the next `relabel`. `marks` has two such rows of marks, or of keys, which are followed by two rows of
// entries.
//
// Races, all benign: those of trees.cuh, and several threads reset `best` to the same value. Lists vary only in order.
//
// Cost: at most log2(trees) rounds of three or four barriers; each round reads the remaining edges three times. Work
// memory: see boruvka.py.
//
// Source: as for boruvka.cu.

struct List {
  vertex *us, *vs;
  u64 *marks, *entries;  // entries: null if the marks contain them
};

// The state of the trees.
struct Trees {
  vertex* parent;
  u64 *best, *places;
};

DEVICE void offer(i64 size, const List& now, const Trees& trees) {
  EACH(i, size) {
    u64 mark = now.marks[i];
    vertex u = now.us[i], v = now.vs[i];
    if (mark < relaxed(trees.best + u)) atomicMin(trees.best + u, mark);
    if (mark < relaxed(trees.best + v)) atomicMin(trees.best + v, mark);
  }
}

// Offer the entries with the least key, to find the first one.
DEVICE void offer_entries(i64 size, const List& now, const Trees& trees) {
  EACH(i, size) {
    u64 mark = now.marks[i], entry = now.entries[i];
    vertex u = now.us[i], v = now.vs[i];
    if (mark == trees.best[u] && entry < relaxed(trees.places + u)) atomicMin(trees.places + u, entry);
    if (mark == trees.best[v] && entry < relaxed(trees.places + v)) atomicMin(trees.places + v, entry);
  }
}

// Choose the lightest edge of each tree, and hook the tree to the other one; if it is the lightest edge of both, hook
// the larger root to the smaller one. One edge hooks each root. Return the thread's number of edges.
DEVICE i64 hook(i64 size, const List& now, const Trees& trees, u32* chosen) {
  i64 edges = 0;
  EACH(i, size) {
    u64 mark = now.entries ? now.entries[i] : now.marks[i];
    const u64* winners = now.entries ? trees.places : trees.best;
    vertex u = now.us[i], v = now.vs[i];
    bool won_u = winners[u] == mark, won_v = winners[v] == mark;
    if (won_u || won_v) {
      choose(chosen, (i64)(now.entries ? mark : mark & 0xffffffffull));
      if (won_u && (!won_v || u > v)) trees.parent[u] = v; else trees.parent[v] = u;
      edges++;
    }
  }
  return edges;
}

// List the edges that still connect two trees, with their new roots, and reset the minima of these roots. Return
// whether a path was too long.
DEVICE bool relabel(i64 size, const List& now, const List& next, const Trees& trees, i64* length) {
  bool deep = false;
  EACH_TOGETHER(i, size) {
    vertex u = 0, v = 0;
    if (i < size) {
      u = now.us[i], v = now.vs[i];
      deep |= !climb(trees.parent, u);
      deep |= !climb(trees.parent, v);
    }
    i64 place = place_in(length, u != v);
    if (u != v) {
      next.us[place] = u, next.vs[place] = v, next.marks[place] = now.marks[i];
      trees.best[u] = trees.best[v] = NONE;
      if (now.entries) next.entries[place] = now.entries[i], trees.places[u] = trees.places[v] = NONE;
    }
  }
  return deep;
}

// Join the trees by the listed edges; report the length of the list and the number of chosen edges. If the list did not
// fit into the room, only its length is reported. `places` is null if the marks contain the entries.
KERNEL(1) join(i64 n, i64 room, vertex* ends, u64* marks, vertex* parent, u64* best, u64* places, u32* chosen,
               i64* counters, u32* barrier, i64* report) {
  List now = {ends, ends + room, marks, places ? marks + 2 * room : 0};
  List next = {ends + 2 * room, ends + 3 * room, marks + room, places ? marks + 3 * room : 0};
  Trees trees = {parent, best, places};
  i64 length = counters[LENGTH], size = length <= room ? length : 0, edges = 0;
  bool deep = false;
  for (int step = 0; size > 0; step++) {
    i64 *of_step = counters + STEPS + step % 3 * 2, *of_next = counters + STEPS + (step + 1) % 3 * 2;
    if (deep) {  // the last step met a path that was too long
      link_to_roots(n, parent, counters, barrier);
    } else {
      offer(size, now, trees);
      grid_barrier(barrier);
      if (places) {
        offer_entries(size, now, trees);
        grid_barrier(barrier);
      }
      edges += hook(size, now, trees, chosen);
      grid_barrier(barrier);
    }
    if (thread_id() == 0) of_next[0] = of_next[1] = 0;
    bool is_deep = relabel(size, now, next, trees, of_step);
    if (__any_sync(ALL_LANES, is_deep) && lane_id() == 0) store_relaxed(of_step + 1, (i64)1);
    grid_barrier(barrier);
    size = relaxed(of_step), deep = relaxed(of_step + 1) != 0;
    List last = now;
    now = next, next = last;
  }
  edges = sum_of_lanes(edges);
  if (lane_id() == 0 && edges > 0) atomicAdd(counters + HOOKS, edges);
  grid_barrier(barrier);
  if (thread_id() == 0) {
    report[0] = length, report[1] = relaxed(counters + HOOKS);
    counters[LENGTH] = counters[HOOKS] = 0;
    for (int i = 0; i < 6; i++) counters[STEPS + i] = 0;
  }
}
