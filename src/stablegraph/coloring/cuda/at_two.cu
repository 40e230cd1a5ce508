// First fit at distance 2 on a GPU, without building the graph of all pairs; called by at_two.py.
//
// Result: the first-fit coloring in the given order, in which vertices with a common neighbor also differ.
//
// Rule: color(v) = min({0, 1, 2, ...} - {color(w) : w within distance 2 of v and ahead of it}), with `is_ahead` of
// order.cuh.
//
// Idea: each thread visits its vertices repeatedly. A visit scans the vertices within distance 2: first the entries of
// the vertex's own row, then those of its neighbors' rows. The color of each colored vertex is added to a set; only
// vertices ahead can be colored at this time. At an uncolored vertex that is ahead, the scan stops. The vertex stores
// this position, and the scan continues from it once the watched vertex has a color. Each pair of vertices is therefore
// read once, and a visit to a waiting vertex reads only two words. At the end of the scan the vertex takes the lowest
// color that is not in the set. The color must be below 64; otherwise `full` becomes 1.
//
// State: `colors` (NONE: uncolored); `taken`, the set of colors found so far, bit c for color c; `watched`, the vertex
// that is waited for (-1: none); `places`, the position in the scan: the number of the row (0: the vertex's own row, k:
// the row of its k-th neighbor) and the offset in the row, 32 bits each.
//
// Races, all benign: a color may be read late, after other threads could already see it. The vertex then only waits
// longer.
//
// Cost: the sum of the squared lengths of rows. Work memory: 20 bytes and one id per vertex.

#define NONE 0xffffffffu
#define AT_ONCE 4  // loads in flight

// Set the initial states: all vertices are uncolored, except those with fixed colors.
KERNEL(8) start(i64 n, const int* fixed, u32* colors, vertex* watched, u64* taken, u64* places) {
  EACH(v, n) {
    colors[v] = fixed && fixed[v] >= 0 ? (u32)fixed[v] : NONE;
    watched[v] = -1;
    taken[v] = places[v] = 0;
  }
}

// Continue the scan of a vertex; return whether it still waits.
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

// Visit all vertices until they are colored, at most `turns` times. `eager`: if lanes of a warp wait for each other,
// visit them again at once. `flags`: the number of uncolored vertices, and whether a vertex needs a color from 64 on.
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
  u32 uncolored = 0;
  if (some) EACH(v, n) uncolored += colors[v] == NONE;
  uncolored = sum_of_lanes(uncolored);
  if (lane_id() == 0 && uncolored) atomicAdd(flags, uncolored);
}
