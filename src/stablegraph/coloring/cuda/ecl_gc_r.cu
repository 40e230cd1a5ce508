// The exchanges of ECL-GC-R on a GPU; called by reduce.py. ../reduction/ecl_gc_r.py defines an exchange.
//
// Result: after each pass the same coloring as ../reduction/ecl_gc_r.py.
//
// Rule: (x, y) is possible  <=>  no near vertex of color x has a neighbor of color y. If no pair is possible, groups
// exchange colors according to the sets of spare colors that ../reduction/ecl_gc_r.py defines.
//
// Idea: top vertices are listed in any order. A group is identified by its smallest vertex, which orders the groups in
// the same way as their numbers would. The first top vertex that reaches a near vertex becomes its owner; other top
// vertices that reach it are united with the owner. Groups are therefore found together with the near vertices, without
// reading the rows of near vertices. Teams of TEAM threads read a row together, CHUNK entries of it: longer rows are
// cut into pieces, with one team for each.
//
// State: owner[v]: of a near vertex a top neighbor, and its group once `strike_taken` is done; NOBODY for all other
// vertices, and between passes. parent[v], place[v]: of a top vertex the union-find parent, and its position in `top`.
// taken[x * h + y]: whether (x, y) is impossible. sets[place * palette + i]: spare[s, i] of the group whose smallest
// vertex has this place.
//
// Races, all benign: several threads write the same value to `taken` and to colors. Parents are read and paths
// shortened by plain loads and stores (union_find.cuh explains why this is harmless). Owners are replaced by
// roots while other threads read either of them; both lead to the same root.
//
// Cost: the rows of top vertices are read once, those of near vertices three times. Work memory: 12 bytes per vertex
// and 4 per top or near vertex (twice as much with 64-bit ids), h * h bytes, and 8 min(h, 32) + 4 bytes per top vertex.

#define NOBODY ((vertex)-1)
#define PALETTE_MASK(palette) ((u32)((1ull << (palette)) - 1))

enum { TOP, NEAR, FIRST, MOVED };  // the fields of `state`; FIRST: the first possible pair, as x * h + y

// Loop over the pieces of the rows of listed vertices, one team for each piece; all lanes of a warp iterate together.
#define EACH_PIECE(item, count) for (i64 item = thread_id() / TEAM, whole = (count); \
    item - lane_id() / TEAM < whole; item += thread_count() / TEAM)

DEVICE int rank_in_team() { return threadIdx.x & (TEAM - 1); }
DEVICE u32 or_of_team(u32 x) {
  for (int step = TEAM / 2; step; step /= 2) x |= __shfl_xor_sync(ALL_LANES, x, step);
  return x;
}

KERNEL(8) clear(i64 n, vertex* owner) { EACH(v, n) owner[v] = NOBODY; }

// Reset the counters, and mark no pair as impossible except (x, x).
KERNEL(8) begin(i64 highest, u8* taken, i64* state) {
  EACH(i, highest * highest) taken[i] = i / highest == i % highest;
  if (thread_id() < 4) state[thread_id()] = thread_id() == FIRST ? highest * highest : 0;
}

// List the top vertices; each one starts as its own group.
KERNEL(8) find_top(i64 n, i64 highest, const int* colors, vertex* top, vertex* place, vertex* parent, i64* state) {
  EACH_TOGETHER(v, n) {
    bool is_top = v < n && colors[v] == highest;
    if (!__any_sync(ALL_LANES, is_top)) continue;
    i64 i = place_in(state + TOP, is_top);
    if (is_top) top[i] = (vertex)v, place[v] = (vertex)i, parent[v] = (vertex)v;
  }
}

// List the near vertices, and unite top vertices that have a common neighbor.
KERNEL(8) find_near(i64 pieces, const offset* indptr, const vertex* indices, const vertex* top, vertex* parent,
                    vertex* owner, vertex* near, i64* state) {
  i64 count = state[TOP];
  EACH_PIECE(item, count * pieces) {
    i64 e = 0, end = 0;
    vertex v = 0;
    if (item < whole) {
      v = top[item % count];
      e = indptr[v] + item / count * CHUNK, end = min(e + CHUNK, (i64)indptr[v + 1]);
    }
    for (e += rank_in_team(); __any_sync(ALL_LANES, e < end); e += TEAM) {
      bool is_new = false;
      vertex u = e < end ? indices[e] : v;
      if (u != v) {
        vertex other = atomicCAS(owner + u, NOBODY, v);
        is_new = other == NOBODY;
        if (!is_new && other != v) unite(v, other, parent);
      }
      i64 i = place_in(state + NEAR, is_new);
      if (is_new) near[i] = u;
    }
  }
}

// Mark the impossible pairs.
KERNEL(8) strike_pairs(i64 pieces, const offset* indptr, const vertex* indices, const int* colors, i64 highest,
                       const vertex* near, u8* taken, const i64* state) {
  i64 count = state[NEAR];
  EACH_PIECE(item, count * pieces) {
    if (item >= whole) continue;
    vertex v = near[item % count];
    i64 e = indptr[v] + item / count * CHUNK, end = min(e + CHUNK, (i64)indptr[v + 1]);
    u8* row = taken + colors[v] * highest;
    for (e += rank_in_team(); e < end; e += TEAM) {
      int color = colors[indices[e]];
      if (color < highest && !row[color]) row[color] = 1;
    }
  }
}

// Find the first possible pair.
KERNEL(8) find_pair(i64 pairs, const u8* taken, i64* state) {
  EACH_TOGETHER(i, pairs) {
    u32 who = __ballot_sync(ALL_LANES, i < pairs && !taken[i]);
    if (who && lane_id() == __ffs(who) - 1) atomicMin(state + FIRST, i);
  }
}

// Perform the exchange for all vertices if a pair is possible; otherwise change nothing.
KERNEL(8) exchange_all(i64 highest, const vertex* top, const vertex* near, vertex* owner, int* colors, const i64* state,
                       i64* report) {
  i64 first = state[FIRST], x = first / highest, y = first % highest;
  if (thread_id() == 0) report[TOP] = state[TOP], report[NEAR] = state[NEAR], report[FIRST] = first;
  if (first == highest * highest) return;
  EACH(i, state[TOP]) colors[top[i]] = (int)x;
  EACH(i, state[NEAR]) {
    vertex v = near[i];
    owner[v] = NOBODY;
    if (colors[v] == x) colors[v] = (int)y;
  }
}

KERNEL(8) fill_sets(i64 groups, i64 palette, u32* sets) {
  EACH(i, groups * palette) sets[i] = PALETTE_MASK(palette) & ~(1u << i % palette);
}

// Remove the colors around near vertices from the sets; replace owners by groups.
KERNEL(8) strike_taken(i64 pieces, i64 count, i64 palette, const offset* indptr, const vertex* indices,
                       const int* colors, const vertex* near, const vertex* place, vertex* parent, vertex* owner,
                       u32* sets) {
  EACH_PIECE(item, count * pieces) {
    u32 found = 0;
    vertex v = item < whole ? near[item % count] : 0;
    int own = item < whole ? colors[v] : (int)palette;
    if (item < whole && item < count && rank_in_team() == 0) owner[v] = find(owner[v], parent);
    if (own < palette) {
      i64 e = indptr[v] + item / count * CHUNK, end = min(e + CHUNK, (i64)indptr[v + 1]);
      for (e += rank_in_team(); e < end; e += TEAM) {
        int color = colors[indices[e]];
        if (color < palette) found |= 1u << color;
      }
    }
    found = or_of_team(found);
    if (found && rank_in_team() == 0) atomicAnd(sets + (i64)place[find(owner[v], parent)] * palette + own, ~found);
  }
}

// Remove from the sets of near vertices the colors that an adjacent vertex of another group might take, if the set of
// the other vertex is ahead.
KERNEL(8) resolve(i64 pieces, i64 count, i64 palette, const offset* indptr, const vertex* indices, const int* colors,
                  const vertex* near, const vertex* place, const vertex* owner, const u32* before, u32* sets) {
  EACH_PIECE(item, count * pieces) {
    u32 lost = 0;
    vertex v = item < whole ? near[item % count] : 0, group = 0;
    int own = item < whole ? colors[v] : (int)palette;
    if (own < palette) {
      group = owner[v];
      int size = __popc(before[(i64)place[group] * palette + own]);
      i64 e = indptr[v] + item / count * CHUNK, end = min(e + CHUNK, (i64)indptr[v + 1]);
      for (e += rank_in_team(); e < end; e += TEAM) {
        vertex u = indices[e], other = owner[u];
        if (other == NOBODY || other == group) continue;
        int color = colors[u];
        if (color >= palette) continue;
        u32 theirs = before[(i64)place[other] * palette + color];
        int their_size = __popc(theirs);
        if (their_size > size || (their_size == size && other < group)) lost |= theirs;
      }
    }
    lost = or_of_team(lost);
    if (lost && rank_in_team() == 0) atomicAnd(sets + (i64)place[group] * palette + own, ~lost);
  }
}

// Choose a color for each group; `highest` if no color is possible.
KERNEL(8) choose(i64 groups, i64 palette, i64 highest, const u32* sets, int* choices) {
  EACH(i, groups) {
    i64 c = 0;
    while (c < palette && !sets[i * palette + c]) c++;
    choices[i] = (int)(c < palette ? c : highest);
  }
}

// Perform the exchange of each group, and count the top vertices that have another color afterwards.
KERNEL(8) exchange_groups(i64 tops, i64 nears, i64 palette, i64 highest, const vertex* top, const vertex* near,
                          const vertex* place, vertex* parent, vertex* owner, const u32* sets, const int* choices,
                          int* colors, i64* state) {
  EACH(i, nears) {
    vertex v = near[i];
    i64 group = place[owner[v]];
    int own = colors[v];
    if (own < palette && choices[group] == own) colors[v] = __ffs(sets[group * palette + own]) - 1;
    owner[v] = NOBODY;
  }
  EACH_TOGETHER(i, tops) {
    int choice = (int)highest;
    if (i < tops) choice = colors[top[i]] = choices[place[find(top[i], parent)]];
    place_in(state + MOVED, choice < highest);
  }
}

// Copy the counters to the host.
KERNEL(8) copy_counters(const i64* state, i64* report) {
  if (thread_id() < 4) report[thread_id()] = state[thread_id()];
}
