// Short Kempe chains on a GPU; called by reduce.py. ../reduction/kempe.py defines what chains are used for.
//
// Result: as in ../reduction/kempe.py, where the vertices of the highest color are processed one after another, and
// each tries its pairs of colors in order. Rows must have no repeated entries.
//
// Rule: v takes a  <=>  (a, b) is the first pair whose chain has no neighbor of v of color b, and is not too long.
//
// Idea: speculation. Each warp has a vertex of the highest color and a pair of colors; all warps together have all
// pairs of the next `window` vertices. All warps follow their chains in the current colors. Then the swaps of the first
// vertices are performed, up to the first vertex whose chains could have been different after the swaps before it. That
// vertex is tried again in the next round. If there are more pairs than warps, the window is one vertex, and each warp
// tries several of its pairs.
//
// A round, with a grid barrier after each step:
// 0. (only for a window of one) *find_blocked*: the colors b that are useless for a, because neighbors of v of the two
//    colors are adjacent.
// 1. *follow*: the chains, each in the shared memory of its warp; the first pair of each vertex that succeeds.
// 2. Mark the neighbors of vertices that would be swapped. The mark is the first vertex of the window that swaps such a
//    neighbor, for both colors.
// 3. A chain depends on an earlier swap if one of its vertices has such a mark for the color that it looks for, or if v
//    has one for either color. The window ends at such a vertex. (Swapped vertices need no check: the chain reached
//    them from such a vertex.)
// 4. Perform the swaps before the end of the window, until the allowed work is used up, and move the window.
//
// State: near[u]: a bit for each vertex of the window (its position in `top`, modulo 64) that has u as a neighbor.
// mark[u, c]: the first vertex of the window that swaps a neighbor of u from or to a color of class c, plus a base that
// decreases in every round, so that marks are never cleared. best[slot]: the pair that succeeds, and the length of its
// chain. Every warp counts rounds, vertices and work for itself; all warps have equal counts.
//
// Cost: a few levels of neighbors per round, and five barriers. The number of vertices that a round completes depends
// on their distances from each other. Work memory: 24 bytes per vertex, 4 for each pair of colors.

#define MOST 128     // maximum number of vertices of a chain that a warp lists; `longest` is less
#define SLOTS 256    // of the hash table of these vertices
#define WINDOW 32
#define ROUNDS ((1 << 27) - 1)  // an upper bound of the number of rounds
#define CLASSES 4    // of colors, which marks distinguish
#define AT_ONCE 4     // entries that a thread of a warp reads at once
#define NO_COLOR (-1)
#define NONE (~0ull >> 1)
#define ABSENT ((vertex)-1)

enum { HEAD, WORK, FREED, ROUND, ARRAYS };
#define ARRAY_SIZE (WINDOW + 1)  // `best`, and the end of the window; two of these arrays alternate

// A chain in shared memory. `whole`: it consists of all neighbors of v of color a, which are too many to list.
struct Chain {
  vertex *vertices, *table;
  int listed;
  bool whole;
};

// Insert u into the table; return whether it is new.
DEVICE bool insert(vertex u, vertex* table) {
  u32 slot = hash32((u64)u) % SLOTS;
  for (;;) {
    vertex there = atomicCAS(table + slot, ABSENT, u);
    if (there == ABSENT) return true;
    if (there == u) return false;
    slot = (slot + 1) % SLOTS;
  }
}

// Return whether a neighbor of v of color a has a neighbor of color b; called by a warp.
DEVICE bool is_joined(i64 v, int a, int b, const offset* indptr, const vertex* indices, const int* colors) {
  for (i64 e = indptr[v], end = indptr[v + 1]; e < end; e++) {
    vertex u = indices[e];
    if (colors[u] != a) continue;
    for (i64 f = indptr[u] + lane_id(), last = indptr[u + 1]; f - lane_id() < last; f += WARP) {
      if (__any_sync(ALL_LANES, f < last && colors[indices[f]] == b)) return true;
    }
  }
  return false;
}

// Collect the chain around v's neighbors of color a, by a warp; return its length, or -1 if it is useless.
DEVICE i64 follow(i64 v, int a, int b, u64 bit, i64 longest, const offset* indptr, const vertex* indices,
                  const u64* near,
                  const int* colors, Chain& chain) {
  int lane = lane_id();
  u32 before = (1u << lane) - 1;
  for (int i = lane; i < SLOTS; i += WARP) chain.table[i] = ABSENT;
  __syncwarp();
  i64 count = 0;
  for (i64 e = indptr[v] + lane, end = indptr[v + 1]; e - lane < end; e += WARP) {
    vertex u = e < end ? indices[e] : (vertex)v;
    bool mine = e < end && colors[u] == a;
    u32 who = __ballot_sync(ALL_LANES, mine);
    if (mine && count + __popc(who) <= MOST) {
      chain.vertices[count + __popc(who & before)] = u;
      insert(u, chain.table);
    }
    count += __popc(who);
  }
  __syncwarp();
  chain.whole = count > longest;
  chain.listed = chain.whole ? 0 : (int)count;
  if (chain.whole) return is_joined(v, a, b, indptr, indices, colors) ? -1 : count;
  for (int done = 0; done < chain.listed;) {
    // Process the entries of up to 32 rows as if they were one row.
    int batch = min(WARP, chain.listed - done), wanted = a;
    i64 start = 0, length = 0;
    if (lane < batch) {
      vertex w = chain.vertices[done + lane];
      start = indptr[w], length = indptr[w + 1] - start, wanted = a + b - colors[w];
    }
    i64 end = sum_up_to_lane(length);
    start -= end - length;
    i64 total = __shfl_sync(ALL_LANES, end, WARP - 1);
    for (i64 first = 0; first < total; first += AT_ONCE * WARP) {
      vertex u[AT_ONCE];
      int color[AT_ONCE];
      bool mine[AT_ONCE], hits = false;
      for (int j = 0; j < AT_ONCE; j++) {
        u[j] = (vertex)v, color[j] = NO_COLOR;
        if (first + j * WARP >= total) continue;
        i64 t = first + j * WARP + lane;
        int row = 0;
        for (int step = WARP / 2; step; step /= 2) {
          i64 other = __shfl_sync(ALL_LANES, end, row + step - 1);
          if (other <= t) row += step;
        }
        i64 e = __shfl_sync(ALL_LANES, start, row) + t;
        int other = __shfl_sync(ALL_LANES, wanted, row);
        if (t < total) u[j] = indices[e], color[j] = other;
      }
      for (int j = 0; j < AT_ONCE; j++) mine[j] = colors[u[j]] == color[j];
      for (int j = 0; j < AT_ONCE; j++) hits |= mine[j] && color[j] == b && (near[u[j]] & bit);
      if (__any_sync(ALL_LANES, hits)) return -1;
      for (int j = 0; j < AT_ONCE; j++) {
        u32 found = __ballot_sync(ALL_LANES, mine[j] && insert(u[j], chain.table));
        if (found == 0) continue;
        if (chain.listed + __popc(found) > longest) return -1;
        if (found >> lane & 1) chain.vertices[chain.listed + __popc(found & before)] = u[j];
        chain.listed += __popc(found);
      }
    }
    __syncwarp();
    done += batch;
  }
  return chain.listed;
}

// Stamp the pairs of colors for which two neighbors of v are adjacent.
DEVICE void find_blocked(i64 v, u64 bit, u32 stamp, i64 highest, const offset* indptr, const vertex* indices,
                         const u64* near, const int* colors, u32* blocked) {
  for (i64 e = indptr[v] + blockIdx.x, end = indptr[v + 1]; e < end; e += gridDim.x) {
    vertex u = indices[e];
    u32* row = blocked + colors[u] * (highest + 1);
    for (i64 f = indptr[u] + threadIdx.x, last = indptr[u + 1]; f < last; f += BLOCK) {
      vertex w = indices[f];
      if (near[w] & bit) row[colors[w]] = stamp;
    }
  }
}

// Set or clear the bit of a window vertex at its neighbors, by a warp.
DEVICE void note_near(i64 v, u64 bit, bool set, const offset* indptr, const vertex* indices, u64* near) {
  for (i64 e = indptr[v] + lane_id(), end = indptr[v + 1]; e < end; e += WARP) {
    if (set) atomicOr(near + indices[e], bit); else atomicAnd(near + indices[e], ~bit);
  }
}

DEVICE u32* mark_of(i64 v, int color, u32* mark) { return mark + v * CLASSES + (color & (CLASSES - 1)); }

// Mark the neighbors of w, which loses or gets the colors a and b, by a warp.
DEVICE void mark_around(i64 w, int a, int b, u32 own, const offset* indptr, const vertex* indices, u32* mark) {
  for (i64 e = indptr[w] + lane_id(), end = indptr[w + 1]; e < end; e += WARP) {
    atomicMin(mark_of(indices[e], a, mark), own);
    if ((a ^ b) & (CLASSES - 1)) atomicMin(mark_of(indices[e], b, mark), own);
  }
}

KERNEL(2) prepare(i64 n, i64 pairs, u64* near, u32* mark, u32* blocked, i64* control) {
  EACH(v, n) near[v] = 0;
  EACH(i, CLASSES * n) mark[i] = ~0u;
  EACH(i, pairs) blocked[i] = 0;
  EACH(i, ARRAYS + 2 * ARRAY_SIZE) control[i] = i < ARRAYS ? 0 : (i64)NONE;
}

KERNEL(2) swap_chains(const offset* indptr, const vertex* indices, i64 highest, i64 tops, const i64* top, i64 longest,
                      i64 allowed, i64 rounds, u64* near, u32* mark, u32* blocked, i64* control, u32* barrier,
                      int* colors, i64* report) {
  __shared__ vertex lists[BLOCK / WARP][MOST], tables[BLOCK / WARP][SLOTS];
  Chain chain = {lists[threadIdx.x / WARP], tables[threadIdx.x / WARP], 0, false};
  int lane = lane_id();
  i64 head = control[HEAD], work = control[WORK], freed = control[FREED], round = control[ROUND];
  i64 pairs = highest * (highest - 1) / 2, window = max((i64)1, min((i64)WINDOW, warp_count() / pairs));
  i64 until = min(head + window, tops);
  for (i64 i = head + warp_id(); i < until; i += warp_count()) {
    note_near(top[i], 1ull << i % 64, true, indptr, indices, near);
  }
  grid_barrier(barrier);
  for (i64 last = round + rounds; round < last && head < tops && work < allowed; round++) {
    u64* best = (u64*)control + ARRAYS + (round & 1) * ARRAY_SIZE;
    u64* next = (u64*)control + ARRAYS + (~round & 1) * ARRAY_SIZE;
    u64* end_of_window = best + WINDOW;
    if (thread_id() < ARRAY_SIZE) next[thread_id()] = NONE;
    i64 count = until - head;
    u32 base = (u32)(ROUNDS - round) * WINDOW;
    if (window == 1) {
      find_blocked(top[head], 1ull << head % 64, (u32)(round + 1), highest, indptr, indices, near, colors, blocked);
      grid_barrier(barrier);
    }

    // 1. Try a vertex and a pair, or several pairs, up to the first that succeeds. `pair` and `length` are those of the
    //    last try.
    i64 slot = warp_id() % count, v = top[head + slot], pair = warp_id() / count, length = -1;
    int a = 0, b = 0;
    bool has_tried = false;
    for (i64 one = pair; one < pairs && length < 0; one += warp_count()) {
      u64 known = __shfl_sync(ALL_LANES, relaxed(best + slot), 0);  // other warps may write it meanwhile
      if (known >> 32 < (u64)one) break;
      i64 rest = one;
      for (a = 0; rest >= highest - 1 - a; a++) rest -= highest - 1 - a;
      b = a + 1 + (int)rest;
      if (window == 1 && blocked[a * (highest + 1) + b] == (u32)(round + 1)) continue;
      has_tried = true, pair = one;
      length = follow(v, a, b, 1ull << (head + slot) % 64, longest, indptr, indices, near, colors, chain);
    }
    u64 found = (u64)pair << 32 | (u64)length;
    if (length >= 0 && lane == 0) atomicMin(best + slot, found);
    grid_barrier(barrier);

    // 2. Mark the neighbors of vertices that would be swapped, from the highest color to a, and between a and b.
    bool swaps = length >= 0 && relaxed(best + slot) == found;
    if (count > 1) {
      if (swaps) {
        u32 own = base + (u32)slot;
        mark_around(v, a, a, own, indptr, indices, mark);
        for (int i = 0; i < chain.listed; i++) mark_around(chain.vertices[i], a, b, own, indptr, indices, mark);
        if (chain.whole && lane == 0) atomicMin(end_of_window, (u64)slot + 1);
      }
      grid_barrier(barrier);

      // 3. Check whether the chain depends on an earlier swap.
      if (slot > 0 && has_tried && relaxed(best + slot) >> 32 >= (u64)pair) {
        u32 own = base + (u32)slot;
        bool depends = chain.whole || *mark_of(v, a, mark) < own || *mark_of(v, b, mark) < own;
        for (int i = lane; i < chain.listed; i += WARP) {
          vertex w = chain.vertices[i];
          depends |= *mark_of(w, a + b - colors[w], mark) < own;
        }
        if (__any_sync(ALL_LANES, depends) && lane == 0) atomicMin(end_of_window, (u64)slot);
      }
      grid_barrier(barrier);
    }

    // 4. Count the vertices that this round completes, and perform the swaps.
    u64 own = lane < count ? relaxed(best + lane) : NONE;
    i64 tried = (i64)(own >> 32), reached = (i64)(own & 0xffffffffu);
    i64 charge = own == NONE ? pairs * longest : tried * longest + reached + 1, sum = sum_up_to_lane(charge);
    bool settles = lane < count && (u64)lane < relaxed(end_of_window) && work + sum - charge < allowed;
    u32 who = __ballot_sync(ALL_LANES, settles);
    int settled = __popc(who);
    freed += __popc(__ballot_sync(ALL_LANES, lane < settled && own != NONE));
    work += __shfl_sync(ALL_LANES, sum, settled - 1);
    if (swaps && slot < settled) {
      for (int i = lane; i < chain.listed; i += WARP) colors[chain.vertices[i]] = a + b - colors[chain.vertices[i]];
      if (chain.whole) {
        for (i64 e = indptr[v] + lane, end = indptr[v + 1]; e < end; e += WARP) {
          if (colors[indices[e]] == a) colors[indices[e]] = b;
        }
      }
      if (lane == 0) colors[v] = a;
    }
    i64 new_head = head + settled, new_until = min(new_head + window, tops);
    for (i64 i = head + warp_id(); i < new_until; i += warp_count()) {
      if (i < new_head || i >= until) note_near(top[i], 1ull << i % 64, i >= new_head, indptr, indices, near);
    }
    head = new_head, until = new_until;
    grid_barrier(barrier);
  }
  if (thread_id() == 0) {
    control[HEAD] = head, control[WORK] = work, control[FREED] = freed, control[ROUND] = round;
    report[HEAD] = head, report[WORK] = work, report[FREED] = freed, report[ROUND] = round;
  }
}
