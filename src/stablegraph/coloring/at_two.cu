// First fit at distance 2 on a GPU, without the graph of all pairs; at_two_cuda.py drives it.
//
// Result: the first-fit coloring in the given order, in which vertices with a common neighbor differ, too.
//
// Rule: color(v) = min({0, 1, 2, ...} - {color(w) : w within distance 2 of v and ahead of it}), with `is_ahead` of
// order.cuh.
//
// Idea: each thread goes through its vertices again and again. A vertex goes through those within distance 2 of it: the
// entries of its own row, then those of its neighbors' rows. The color of one that has one is taken: only those ahead
// can have a color yet. At one without a color that is ahead, the vertex waits: it watches that one, and goes on from
// there when that has a color. So each pair of vertices is looked at once, and a turn of those that wait reads two
// words. At the end the lowest color that is not taken is taken. It has to be below 64: `full` becomes 1 if there is
// none.
//
// State: colors (NONE: none yet), the set of the colors taken so far, bit c for color c; whom a vertex watches (-1:
// nobody), and where that is: the number of the row (0: its own, k: that of its k-th neighbor) and the place in it, 32
// bits each.
//
// Races, all benign: a color may be seen later than it was written.
//
// Cost: the sum of the squared lengths of rows. Work memory: 20 bytes a vertex, and an id.

#define NONE 0xffffffffu
#define AT_ONCE 4  // loads

// First states: without colors, but for those that are given beforehand.
KERNEL(8) start(i64 n, const int* fixed, u32* colors, vertex* watched, u64* taken, u64* places) {
  EACH(v, n) {
    colors[v] = fixed && fixed[v] >= 0 ? (u32)fixed[v] : NONE;
    watched[v] = -1;
    taken[v] = places[v] = 0;
  }
}

// Go on with a vertex; whether it still waits.
DEVICE bool go_on(i64 v, const offset* indptr, const vertex* indices, const Order& order, u32* colors, vertex* watched,
                  u64* taken, u64* places, u32* full) {
  u32 own = colors[v];
  vertex held_by = watched[v];
  if (own != NONE) return false;
  if (held_by >= 0 && relaxed(colors + held_by) == NONE) return true;
  u64 set = taken[v], place = places[v], key = key_of(v, order);
  i64 row = indptr[v], length = indptr[v + 1] - row, number = place >> 32, e = place & 0xffffffffu;
  for (; number <= length; number++, e = 0) {
    i64 u = number ? (i64)indices[row + number - 1] : v, begin = indptr[u], size = indptr[u + 1] - begin;
    for (; e < size; e += AT_ONCE) {
      i64 w[AT_ONCE];
      u32 color[AT_ONCE];
      i64 ahead = -1;
      for (int j = 0; j < AT_ONCE; j++) w[j] = e + j < size ? (i64)indices[begin + e + j] : v;
      for (int j = 0; j < AT_ONCE; j++) color[j] = relaxed(colors + w[j]);
      for (int j = 0; j < AT_ONCE; j++) {
        if (color[j] < 64) set |= 1ull << color[j];
        else if (color[j] == NONE && w[j] != v && is_ahead(w[j], v, key, order)) ahead = w[j];
      }
      if (ahead >= 0) {
        watched[v] = (vertex)ahead, taken[v] = set, places[v] = (u64)number << 32 | (u64)e;
        return true;
      }
    }
  }
  if (~set == 0) store_relaxed(full, 1u);
  store_relaxed(colors + v, ~set ? (u32)__ffsll(~set) - 1 : 0u);
  return false;
}

// Color all vertices, or many in `turns` turns. `eager`: those of a warp that wait for each other go on at once again.
// `flags`: the first becomes 1 if some have no color, the second if some need one from 64 on.
KERNEL(5) color(i64 n, i64 eager, i64 turns, const offset* indptr, const vertex* indices, i64 by, i64 hashed, i64 seed,
                const offset* degree_ptr, i64 less, const u64* numbers, const int* fixed, u32* colors,
                vertex* watched, u64* taken, u64* places, u32* flags) {
  Order order = {by, hashed, seed, degree_ptr, less, numbers, fixed};
  bool some = true;
  for (int turn = 0; turn < turns && some; turn++) {
    some = false;
    EACH_TOGETHER(v, n) {
      u32 before, after = eager ? __ballot_sync(ALL_LANES, v < n && colors[v] == NONE) : 0;
      do {
        before = after;
        bool waits = v < n && go_on(v, indptr, indices, order, colors, watched, taken, places, flags + 1);
        after = __ballot_sync(ALL_LANES, waits);
      } while (eager && after && after != before);
      some |= after != 0;
    }
    if (__any_sync(ALL_LANES, relaxed(flags + 1) != 0)) break;
  }
  if (some && lane_id() == 0) store_relaxed(flags, 1u);
}
