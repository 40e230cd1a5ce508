// Minimum spanning forest by Boruvka's algorithm, for a GPU; the driver is boruvka_cuda.py.
//
// Result: the forest of forest_state.py, which is unique: edges are ordered by (key of the weight, upper entry).
//
// Rule: every tree chooses its lightest edge to another tree, until no such edges exist.
//
// Idea: in the first step, trees are single vertices and choose from their rows, without a list and without atomic
// operations. Then edges between trees are listed, light edges first, and a round runs three kernels over the list:
// `offer` (a 64-bit atomic minimum at both ends, unless a read shows that it is not needed), `hook`, and `relabel`,
// which lists the edges that still connect two trees. The order of a list varies from run to run. This does not affect
// the result, because the compared values contain the entry: (key << 32 | entry), if both have 32 bits. Otherwise
// `offer_entries` breaks ties of 64-bit keys in a second pass.
//
// Rows: a thread reads a short row, and a warp reads a long one. Hubs do not choose in the first step, which is correct
// because any subset of the trees may choose. All warps together collect the edges of hubs.
//
// State: `parent` leads from each vertex to the root of its tree; `best` (and `places`) are the minima at the roots;
// `chosen` has a bit for each entry.
//
// Paths to a root may contain all vertices (if weights ascend along a path). Therefore a thread climbs at most CLIMB
// steps at a time. `compress` links all vertices to their roots in log_CLIMB(n) passes. `relabel` reports whether it
// met a longer path; it is then repeated after `compress`.
//
// Races, all benign: `compress` and `relabel` replace parents by ancestors while other threads read them, and an old
// parent is also an ancestor. `break_pairs`: the larger vertex of a pair may find that the smaller one is already a
// root, and then chooses their edge again. Several threads reset `best` to the same value. Samples and lists vary only
// in order.
//
// Cost: two sweeps over the entries in most cases and a third for the first step, and at most log2(trees) rounds; each
// round at least halves the number of trees that still have edges. Work memory: see boruvka_cuda.py.
//
// Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023. This
// implementation adds the first step, 64-bit keys and the bound on climbs.

#define NONE (~0ull)
#define CLIMB 64
#define STRIDE 0x9e3779b97f4a7c15ull  // odd, so that samples are spread evenly
enum { TREES, BETWEEN, LENGTH, DEEP, UNFINISHED };  // counters

DEVICE void choose(u32* chosen, i64 e) { atomicOr(chosen + (e >> 5), 1u << (e & 31)); }

// Move v towards its root by at most CLIMB steps, and link the start to it; return whether v is the root.
DEVICE bool climb(vertex* parent, vertex& v) {
  vertex start = v, first = parent[v], next = first;
  int steps = 0;
  while (next != v && steps++ < CLIMB) v = next, next = parent[v];
  if (v != first) parent[start] = v;
  return next == v;
}

// ---- The first step: vertices choose ------------------------------------------------------------------------------

// Link v to the other end of its lightest entry e (to itself if e < 0); choose the edge if v is its smaller end.
DEVICE void link(i64 v, i64 e, const vertex* indices, vertex* parent, u32* chosen) {
  vertex u = e < 0 ? (vertex)v : indices[e];
  parent[v] = u;
  if (u > v) choose(chosen, e);
}

// Choose in short rows, list hubs, and reset the minima. The next kernel processes long rows.
KERNEL(6) choose_in_short_rows(i64 n, const offset* indptr, const vertex* indices, const BITS* bits, i64 flip, i64 bias,
                               i64 smallest, vertex* parent, u32* chosen, u64* best, u64* places, vertex* hubs,
                               i64* hub_count) {
  Weights weights = {bits, flip, bias, smallest};
  EACH(v, n) {
    best[v] = NONE;
    if (places) places[v] = NONE;
    i64 start = indptr[v], end = indptr[v + 1], lightest = -1;
    if (end - start <= SHORT) {
      u64 least = NONE;
      for (i64 e = start; e < end; e++) {
        u64 key = key_at(e, weights);
        if (indices[e] != v && (key < least || lightest < 0)) least = key, lightest = e;
      }
    } else if (end - start > HUB) {
      hubs[atomicAdd(hub_count, (i64)1)] = (vertex)v;
    }
    link(v, lightest, indices, parent, chosen);
  }
}

KERNEL(6) choose_in_long_rows(i64 n, const offset* indptr, const vertex* indices, const BITS* bits, i64 flip, i64 bias,
                              i64 smallest, vertex* parent, u32* chosen) {
  Weights weights = {bits, flip, bias, smallest};
  each_long_row(n, indptr, [&](i64 v) {
    i64 end = indptr[v + 1], lightest = -1;
    u64 least = NONE;
    for (i64 e = (i64)indptr[v] + lane_id(); e < end; e += WARP) {
      u64 key = key_at(e, weights);
      if (indices[e] != v && (key < least || lightest < 0)) least = key, lightest = e;
    }
    for (int by = WARP / 2; by; by /= 2) {
      u64 key = __shfl_xor_sync(ALL_LANES, least, by);
      i64 e = __shfl_xor_sync(ALL_LANES, lightest, by);
      if (e >= 0 && (lightest < 0 || key < least || (key == least && e < lightest))) least = key, lightest = e;
    }
    if (lane_id() == 0) link(v, lightest, indices, parent, chosen);
  });
}

// Make the smaller of two vertices that are linked to each other a root; choose the edges of other links downward.
KERNEL(8) break_pairs(i64 n, const offset* indptr, const vertex* indices, vertex* parent, u32* chosen) {
  EACH(v, n) {
    vertex u = parent[v];
    if (u == v) continue;
    if (parent[u] == v && v < u) {
      parent[v] = (vertex)v;
    } else if (parent[u] != v && v > u) {
      i64 low = indptr[u], high = (i64)indptr[u + 1] - 1;  // the range that contains the entry of v
      while (low < high) {
        i64 middle = (low + high) >> 1;
        if (indices[middle] < v) low = middle + 1; else high = middle;
      }
      choose(chosen, low);
    }
  }
}

// ---- Light edges between trees --------------------------------------------------------------------------------------

// Link vertices to their roots, in one pass; it ends at once if the previous pass has finished. The first pass counts
// the roots.
KERNEL(8) compress(i64 n, vertex* parent, i64 pass, i64* counters) {
  if (pass > 0 && counters[UNFINISHED + pass - 1] == 0) return;
  bool deep = false;
  i64 roots = 0;
  EACH(i, n) {
    vertex v = (vertex)i;
    deep |= !climb(parent, v);
    roots += v == i;
  }
  if (__any_sync(ALL_LANES, deep) && lane_id() == 0) counters[UNFINISHED + pass] = 1;
  for (int by = WARP / 2; by; by /= 2) roots += __shfl_xor_sync(ALL_LANES, roots, by);
  if (pass == 0 && lane_id() == 0 && roots > 0) atomicAdd(counters + TREES, roots);
}

// List the sampled upper entries between trees, and their keys.
KERNEL(6) sample(i64 samples, i64 n, i64 entries, const offset* indptr, const vertex* indices, const BITS* bits,
                 i64 flip, i64 bias, i64 smallest, const vertex* parent, u64* keys, i64* places, i64* counters) {
  Weights weights = {bits, flip, bias, smallest};
  EACH_TOGETHER(i, samples) {
    i64 e = (i64)((u64)i * STRIDE % (u64)entries), u = row_of(e, indptr, 0, n - 1);
    vertex v = indices[e];
    bool between = i < samples && u < v && parent[u] != parent[v];
    i64 place = place_in(counters + BETWEEN, between);
    if (between) keys[place] = key_at(e, weights), places[place] = e;
  }
}

// Find the sample with `rank` samples before it.
KERNEL(4) pick(i64 count, i64 rank, const u64* keys, const i64* places, u64* limit) {
  EACH(i, count) {
    u64 key = keys[i];
    i64 place = places[i], before = 0;
#pragma unroll 8
    for (i64 j = 0; j < count; j++) {
      bool sooner = places[j] < place || (places[j] == place && j < i);
      before += keys[j] < key || (keys[j] == key && sooner);
    }
    if (before == rank) limit[0] = key, limit[1] = (u64)place;
  }
}

// A list of edges: roots of both ends, and marks (key << 32 | entry; or the key, with separate `entries`).
struct List {
  vertex *us, *vs;
  u64 *marks, *entries;
  i64 room;
  i64* length;
};

struct Graph {
  const vertex* indices;
  Weights weights;
  const vertex* parent;
  const u64* limit;  // null: all edges
};

// Return whether entry e of row u, whose root is given, is an upper entry between trees and within the limit.
DEVICE bool is_wanted(i64 u, vertex root, i64 e, const Graph& graph) {
  vertex v = graph.indices[e];
  if (v <= u) return false;
  if (graph.limit) {
    u64 key = key_at(e, graph.weights), last = graph.limit[0];
    if (key > last || (key == last && (u64)e > graph.limit[1])) return false;
  }
  return graph.parent[v] != root;
}

DEVICE void put(i64 place, i64 e, vertex root, const Graph& graph, const List& list) {
  if (place >= list.room) return;  // the caller compares the length with the room
  u64 key = key_at(e, graph.weights);
  list.us[place] = root;
  list.vs[place] = graph.parent[graph.indices[e]];
  list.marks[place] = list.entries ? key : key << 32 | (u64)e;
  if (list.entries) list.entries[place] = (u64)e;
}

// List the wanted entries in a warp's stretch of row u.
DEVICE void collect_stretch(i64 u, vertex root, i64 start, i64 end, const Graph& graph, const List& list) {
  u32 wanted = 0;
  for (int k = 0; k < STRETCH / WARP; k++) {
    i64 e = start + k * WARP + lane_id();
    if (e < end && is_wanted(u, root, e, graph)) wanted |= 1u << k;
  }
  i64 place = places_in(list.length, __popc(wanted));
  for (; wanted; wanted &= wanted - 1) put(place++, start + (__ffs(wanted) - 1) * WARP + lane_id(), root, graph, list);
}

#define COLLECT_PARAMETERS                                                                                          \
  i64 n, const offset *indptr, const vertex *indices, const BITS *bits, i64 flip, i64 bias, i64 smallest,           \
      const vertex *parent, const u64 *limit, vertex *us, vertex *vs, u64 *marks, u64 *entries, i64 room, i64 *counters
#define COLLECT_STRUCTS                                                       \
  Graph graph = {indices, {bits, flip, bias, smallest}, parent, limit};       \
  List list = {us, vs, marks, entries, room, counters + LENGTH};

KERNEL(5) collect_short_rows(COLLECT_PARAMETERS) {
  COLLECT_STRUCTS
  EACH_TOGETHER(u, n) {
    u32 wanted = 0;
    i64 start = 0;
    vertex root = 0;
    if (u < n) {
      start = indptr[u], root = parent[u];
      i64 entries_of_u = (i64)indptr[u + 1] - start;
      if (entries_of_u <= SHORT)
        for (int k = 0; k < entries_of_u; k++) if (is_wanted(u, root, start + k, graph)) wanted |= 1u << k;
    }
    i64 place = places_in(list.length, __popc(wanted));
    for (; wanted; wanted &= wanted - 1) put(place++, start + __ffs(wanted) - 1, root, graph, list);
  }
}

KERNEL(5) collect_long_rows(COLLECT_PARAMETERS) {
  COLLECT_STRUCTS
  each_long_row(n, indptr, [&](i64 u) {
    i64 end = indptr[u + 1];
    for (i64 e = indptr[u]; e < end; e += STRETCH) collect_stretch(u, parent[u], e, end, graph, list);
  });
}

KERNEL(5) collect_hubs(COLLECT_PARAMETERS, const vertex* hubs, const i64* hub_count) {
  COLLECT_STRUCTS
  each_stretch_of_hubs(*hub_count, hubs, indptr, [&](i64, i64 u, i64, i64 start, i64 end) {
    collect_stretch(u, parent[u], start, end, graph, list);
  });
}

// ---- Rounds -------------------------------------------------------------------------------------------------------

// Update the least marks at both ends; reading first saves most atomic operations. Reset the counters of `relabel`.
KERNEL(8) offer(i64 size, const vertex* us, const vertex* vs, const u64* marks, u64* best, i64* counters) {
  if (thread_id() == 0) counters[LENGTH] = counters[DEEP] = 0;
  EACH(i, size) {
    u64 mark = marks[i];
    vertex u = us[i], v = vs[i];
    if (mark < relaxed(best + u)) atomicMin(best + u, mark);
    if (mark < relaxed(best + v)) atomicMin(best + v, mark);
  }
}

// Update the first entry with the least key.
KERNEL(8) offer_entries(i64 size, const vertex* us, const vertex* vs, const u64* marks, const u64* entries,
                        const u64* best, u64* places) {
  EACH(i, size) {
    u64 mark = marks[i], entry = entries[i];
    vertex u = us[i], v = vs[i];
    if (mark == best[u] && entry < relaxed(places + u)) atomicMin(places + u, entry);
    if (mark == best[v] && entry < relaxed(places + v)) atomicMin(places + v, entry);
  }
}

// Choose the lightest edge of each tree, and hook the tree to the other one; if it is the lightest edge of both, hook
// the larger root to the smaller one. `marks` and `winners` are marks and `best`, or entries and `places`. One edge
// hooks each root.
KERNEL(8) hook(i64 size, const vertex* us, const vertex* vs, const u64* marks, const u64* winners, i64 entry_bits,
               vertex* parent, u32* chosen) {
  EACH(i, size) {
    u64 mark = marks[i];
    vertex u = us[i], v = vs[i];
    bool won_u = winners[u] == mark, won_v = winners[v] == mark;
    if (won_u || won_v) {
      choose(chosen, (i64)(mark & (u64)entry_bits));
      if (won_u && (!won_v || u > v)) parent[u] = v; else parent[v] = u;
    }
  }
}

// List the edges that still connect two trees, with their new roots, and reset the minima of these roots.
KERNEL(6) relabel(i64 size, const vertex* us, const vertex* vs, const u64* marks, const u64* entries, vertex* parent,
                  u64* best, u64* places, vertex* new_us, vertex* new_vs, u64* new_marks, u64* new_entries,
                  i64* counters) {
  bool deep = false;
  EACH_TOGETHER(i, size) {
    vertex u = 0, v = 0;
    if (i < size) {
      u = us[i], v = vs[i];
      deep |= !climb(parent, u);
      deep |= !climb(parent, v);
    }
    i64 place = place_in(counters + LENGTH, u != v);
    if (u != v) {
      new_us[place] = u, new_vs[place] = v, new_marks[place] = marks[i];
      best[u] = best[v] = NONE;
      if (entries) new_entries[place] = entries[i], places[u] = places[v] = NONE;
    }
  }
  if (__any_sync(ALL_LANES, deep) && lane_id() == 0) counters[DEEP] = 1;
}

// ---- The matrix ---------------------------------------------------------------------------------------------------

#define TILE 256  // words of `chosen` per warp

// Count the chosen entries in each tile.
KERNEL(8) count_tiles(i64 words, const u32* chosen, i64* sums) {
  for (i64 tile = warp_id(); tile * TILE < words; tile += warp_count()) {
    int sum = 0;
    for (i64 w = tile * TILE + lane_id(); w < min(words, (tile + 1) * TILE); w += WARP) sum += __popc(chosen[w]);
    for (int by = WARP / 2; by; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
    if (lane_id() == 0) sums[tile] = sum;
  }
}

// Copy the chosen entries in order. `ends` are the sums over all tiles up to and including each one. `ranks` receives
// the number of chosen entries before each word.
KERNEL(6) copy_chosen(i64 words, const u32* chosen, const i64* ends, const vertex* indices, const BITS* bits,
                      vertex* ranks, vertex* new_indices, BITS* new_bits) {
  for (i64 tile = warp_id(); tile * TILE < words; tile += warp_count()) {
    i64 before = tile ? ends[tile - 1] : 0;
    for (i64 first = tile * TILE; first < min(words, (tile + 1) * TILE); first += WARP) {
      i64 w = first + lane_id();
      u32 word = w < words ? chosen[w] : 0;
      int count = __popc(word), upto = count;
      for (int by = 1; by < WARP; by *= 2) {
        int others = __shfl_up_sync(ALL_LANES, upto, by);
        if (lane_id() >= by) upto += others;
      }
      i64 place = before + upto - count;
      if (w < words) ranks[w] = (vertex)place;
      for (; word; word &= word - 1, place++) {
        i64 e = w * 32 + __ffs(word) - 1;
        new_indices[place] = indices[e];
        new_bits[place] = bits[e];
      }
      before += __shfl_sync(ALL_LANES, upto, WARP - 1);
    }
  }
}

// Write the starts of the forest's rows.
KERNEL(8) write_rows(i64 n, const offset* indptr, const u32* chosen, const vertex* ranks, vertex* new_indptr) {
  EACH(v, n + 1) {
    i64 e = indptr[v];
    new_indptr[v] = ranks[e >> 5] + (vertex)__popc(chosen[e >> 5] & ((1u << (e & 31)) - 1));
  }
}
