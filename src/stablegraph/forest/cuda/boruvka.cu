// Minimum spanning forest by Boruvka's algorithm, for a GPU; the driver is boruvka.py, and boruvka_rounds.cu has
// the rounds.
//
// Result: the forest of ../forest_state.py, which is unique: edges are ordered by (key of the weight, upper entry).
//
// Rule: every tree chooses its lightest edge to another tree, until no such edges exist.
//
// Idea: in the first step, trees are single vertices and choose from their rows, without a list and without atomic
// operations. Then edges between trees are listed, light edges first, and the trees are joined by the listed edges in
// rounds. The order of a list varies from run to run. This does not affect the result, because edges are compared by
// their keys and then by their entries.
//
// Rows: a thread reads a short row, and a warp reads a long one. Hubs do not choose in the first step, which is correct
// because any subset of the trees may choose. All warps together collect the edges of hubs.
//
// State: `parent` leads from each vertex to the root of its tree; `best` (and `places`) are the minima at the roots;
// `chosen` has a bit for each entry.
//
// Launches: `join_vertices` runs the first step, counts the trees and samples the entries between them; `collect` lists
// edges; `join` runs the rounds; `write_forest` copies the chosen edges. Before a launch the host reads only numbers
// that it needs to allocate memory.
//
// Races, all benign: those of trees.cuh; in `break_pairs`, the larger vertex of a pair may find that the smaller one is
// already a root, and then chooses their edge again. Samples and lists vary only in order.
//
// Cost: two sweeps over the entries in most cases and a third for the first step, and at most log2(trees) rounds; each
// round at least halves the number of trees that still have edges. Work memory: see boruvka.py.
//
// Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023. This
// implementation adds the first step, 64-bit keys and the bound on climbs.

// ---- The first step: vertices choose ------------------------------------------------------------------------------

// Link v to the other end of its lightest entry e (to itself if e < 0); choose the edge if v is its smaller end.
DEVICE void link(i64 v, i64 e, const vertex* indices, vertex* parent, u32* chosen) {
  vertex u = e < 0 ? (vertex)v : indices[e];
  parent[v] = u;
  if (u > v) choose(chosen, e);
}

// Choose in short rows (unless `chooses` is false), list hubs, and reset the minima.
DEVICE void choose_in_short_rows(bool chooses, i64 n, const offset* indptr, const vertex* indices,
                                 const Weights& weights, vertex* parent, u32* chosen, u64* best, u64* places,
                                 vertex* hubs, i64* counters) {
  EACH(v, n) {
    best[v] = NONE;
    if (places) places[v] = NONE;
    i64 start = indptr[v], end = indptr[v + 1], lightest = -1;
    if (end - start <= SHORT) {
      u64 least = NONE;
      if (!chooses) end = start;
      for (i64 e = start; e < end; e++) {
        u64 key = key_at(e, weights);
        if (indices[e] != v && (key < least || lightest < 0)) least = key, lightest = e;
      }
    } else if (end - start > HUB) {
      hubs[atomicAdd(counters + HUBS, (i64)1)] = (vertex)v;
    }
    link(v, lightest, indices, parent, chosen);
  }
}

DEVICE void choose_in_long_rows(i64 n, const offset* indptr, const vertex* indices, const Weights& weights,
                                vertex* parent, u32* chosen) {
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
DEVICE void break_pairs(i64 n, const offset* indptr, const vertex* indices, vertex* parent, u32* chosen) {
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

// ---- Trees and light edges between them -----------------------------------------------------------------------------

#define STRIDE 0x9e3779b97f4a7c15ull  // odd, so that samples are spread evenly

struct Sample {
  i64 size, entries;  // of the sample, and of the graph
  u64* keys;
  i64* places;
};

// Link all vertices to their roots. Report the number of trees and the number of sampled upper entries between trees;
// list these entries and their keys.
DEVICE void find_trees(i64 n, const offset* indptr, const vertex* indices, const Weights& weights, const Sample& sample,
                       vertex* parent, i64* counters, u32* barrier, i64* report) {
  i64 roots = sum_of_lanes(link_to_roots(n, parent, counters, barrier));
  if (lane_id() == 0 && roots > 0) atomicAdd(counters + TREES, roots);
  EACH_TOGETHER(i, sample.size) {
    i64 e = (i64)((u64)i * STRIDE % (u64)sample.entries), u = row_of(e, indptr, 0, n - 1);
    vertex v = indices[e];
    bool between = i < sample.size && u < v && parent[u] != parent[v];
    i64 place = place_in(counters + BETWEEN, between);
    if (between) sample.keys[place] = key_at(e, weights), sample.places[place] = e;
  }
  grid_barrier(barrier);
  if (thread_id() == 0) {
    report[0] = relaxed(counters + TREES), report[1] = relaxed(counters + BETWEEN);
    counters[TREES] = counters[BETWEEN] = 0;
  }
}

// Run the first step, and find the trees. `has_long`: whether there are long rows; -1: no vertex chooses in the first
// step. Cooperative.
KERNEL(3) join_vertices(i64 n, i64 entries, i64 has_long, const offset* indptr, const vertex* indices, const BITS* bits,
                        i64 flip, i64 bias, i64 smallest, vertex* parent, u32* chosen, u64* best, u64* places,
                        vertex* hubs, i64 samples, u64* keys, i64* sampled, i64* counters, u32* barrier, i64* report) {
  Weights weights = {bits, flip, bias, smallest};
  EACH(w, entries / 32 + 1) chosen[w] = 0;
  EACH(i, COUNTERS) counters[i] = 0;
  grid_barrier(barrier);
  choose_in_short_rows(has_long >= 0, n, indptr, indices, weights, parent, chosen, best, places, hubs, counters);
  if (has_long > 0) choose_in_long_rows(n, indptr, indices, weights, parent, chosen);
  grid_barrier(barrier);
  break_pairs(n, indptr, indices, parent, chosen);
  grid_barrier(barrier);
  find_trees(n, indptr, indices, weights, {samples, entries, keys, sampled}, parent, counters, barrier, report);
}

// Find the trees after edges have been added. Cooperative.
KERNEL(3) find_roots(i64 n, i64 entries, const offset* indptr, const vertex* indices, const BITS* bits, i64 flip,
                     i64 bias, i64 smallest, vertex* parent, i64 samples, u64* keys, i64* sampled, i64* counters,
                     u32* barrier, i64* report) {
  Weights weights = {bits, flip, bias, smallest};
  find_trees(n, indptr, indices, weights, {samples, entries, keys, sampled}, parent, counters, barrier, report);
}

// Find the sample with `rank` samples before it; a warp for each sample.
KERNEL(4) pick(i64 count, i64 rank, const u64* keys, const i64* places, u64* limit) {
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    u64 key = keys[i];
    i64 place = places[i], before = 0;
    for (i64 j = lane_id(); j < count; j += WARP) {
      bool sooner = places[j] < place || (places[j] == place && j < i);
      before += keys[j] < key || (keys[j] == key && sooner);
    }
    if (sum_of_lanes(before) == rank && lane_id() == 0) limit[0] = key, limit[1] = (u64)place;
  }
}

// A list of edges: roots of both ends, and marks (key << 32 | entry; or the key, with separate `entries`). Its memory
// also has room for the next list; see boruvka_rounds.cu.
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

// Collect the edges between trees up to a limit (null: all). `longest`: the number of entries of the longest row.
KERNEL(2) collect(i64 n, const offset* indptr, const vertex* indices, const BITS* bits, i64 flip, i64 bias,
                  i64 smallest, const vertex* parent, const u64* limit, i64 is_wide, i64 longest, const vertex* hubs,
                  vertex* ends, u64* marks, i64 room, i64* counters) {
  Graph graph = {indices, {bits, flip, bias, smallest}, parent, limit};
  List list = {ends, ends + room, marks, is_wide ? marks + 2 * room : 0, room, counters + LENGTH};
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
  if (longest <= SHORT) return;
  each_long_row(n, indptr, [&](i64 u) {
    i64 end = indptr[u + 1];
    for (i64 e = indptr[u]; e < end; e += STRETCH) collect_stretch(u, parent[u], e, end, graph, list);
  });
  if (longest <= HUB) return;
  each_stretch_of_hubs(counters[HUBS], hubs, indptr, [&](i64, i64 u, i64, i64 start, i64 end) {
    collect_stretch(u, parent[u], start, end, graph, list);
  });
}

// ---- The matrix ---------------------------------------------------------------------------------------------------

// Copy the chosen entries in order, and write the starts of the rows. A block counts the chosen entries in each of its
// shares of `chosen`, and starts to copy behind those of all shares before it. `ranks`: chosen entries before each
// word. Cooperative.
KERNEL(2) write_forest(i64 n, i64 words, i64 shares, const offset* indptr, const vertex* indices, const BITS* bits,
                       const u32* chosen, i64* counts, vertex* ranks, vertex* new_indptr, vertex* new_indices,
                       BITS* new_bits, u32* barrier) {
  i64 total;
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 count = 0, end = start_of(share + 1, shares, words);
    for (i64 w = start_of(share, shares, words) + threadIdx.x; w < end; w += BLOCK) count += __popc(chosen[w]);
    sum_before(count, total);
    if (threadIdx.x == 0) counts[share] = total;
  }
  grid_barrier(barrier);
  for (i64 share = blockIdx.x; share < shares; share += gridDim.x) {
    i64 count = 0, place, end = start_of(share + 1, shares, words);
    for (i64 i = threadIdx.x; i < share; i += BLOCK) count += counts[i];
    sum_before(count, place);
    for (i64 first = start_of(share, shares, words); first < end; first += BLOCK) {
      i64 w = first + threadIdx.x;
      u32 word = w < end ? chosen[w] : 0;
      i64 k = place + sum_before(__popc(word), total);
      if (w < end) ranks[w] = (vertex)k;
      for (; word; word &= word - 1, k++) {
        i64 e = w * 32 + __ffs(word) - 1;
        new_indices[k] = indices[e];
        new_bits[k] = bits[e];
      }
      place += total;
    }
  }
  grid_barrier(barrier);
  EACH(v, n + 1) {
    i64 e = indptr[v];
    new_indptr[v] = ranks[e >> 5] + (vertex)__popc(chosen[e >> 5] & ((1u << (e & 31)) - 1));
  }
}
