// First fit at distance 2 on a GPU by nets, for any number of colors; called by at_two.py.
//
// Result: the first-fit coloring in the given order, in which vertices with a common neighbor also differ (../nets.py).
//
// Rule: color(v) = min({0, 1, 2, ...} - {color(w) : w ahead of v, in a net of v}). The nets of v are v and its
// neighbors, and the members of a net are the net itself and its neighbors; each net is therefore a row.
//
// Idea: if rows are long, nearly all vertices wait for the next vertex of the order. They are therefore colored in
// batches of the next BATCH vertices or fewer. `gather` does most of the work in parallel: for each vertex of the batch
// it collects the colors that its nets took before the batch, and the vertices of the batch with which it shares a net.
// `resolve` does the small sequential remainder in one block. It processes groups of 32 vertices: it removes the colors
// of earlier groups of the batch, then one warp colors the group. `advance` stores the new colors with the nets, and
// enters the next batch.
//
// Nets of many members (*large* nets) have a row of words with the taken colors, and a row with the vertices of the
// batch among their members. Of other nets the members are read. A vertex only needs the colors of a window of WINDOW
// words. No color below the window is free for it: the search begins at the largest of the hints of its large nets (the
// lowest word with a free color), and moves up until the first half of the window has a free color. If the free colors
// of the window are not enough, the batch ends before this vertex; for the first vertex of a batch they are always
// enough.
//
// State: a word per vertex: its color, or WAITS and its position in the order. `turn`: the beginning of the batch, the
// beginning of the previous batch, which of the two rows of members the batch uses (the other one is cleared
// meanwhile), and whether a color was needed for which the rows of words are too short. In this case all kernels return
// at once until the host has allocated longer rows.
//
// Races, all benign: `hints`, the lowest words with a free color, may be too low.
//
// Cost: for each entry a few words of a large net, or the members of another net; three launches for each batch. The
// time of the last one grows with the longest chain of vertices of the batch that wait for each other. Work memory: 4
// bytes and two ids per vertex; up to 4 bytes per entry for the colors of large nets, if the estimate of the number of
// colors is right; 4 bytes per entry for their members; and half a megabyte for the batch.
//
// The batches, groups and windows were developed for this library.

#define WAITS (1u << 31)
#define BATCH 1024  // vertices: a bit for each in the words of a warp
#define WINDOW 32  // words of 64 colors: one for each lane
#define HALVES (2 * WINDOW)  // the same in words of 32 colors, for shared memory
#define WARPS (BLOCK / WARP)
#define SHARE (WARP / WARPS)  // vertices of a group for each warp
#define AT_ONCE 4  // nets that a warp reads together
#define NOT_FOUND 0xffffffffu

enum { FIRST, BEFORE, SIDE, FULL };  // the fields of `turn`

// Return a net of v, or a member of v as a net: an entry of the row, or v itself after the last entry.
DEVICE i64 net_of(i64 v, const vertex* indices, i64 row, i64 length, i64 e) {
  return e < length ? (i64)indices[row + e] : v;
}

// Add a color to the large nets of v, by all threads of a block or a warp (`thread` of `threads`).
DEVICE void store(i64 v, u32 color, i64 thread, i64 threads, const offset* indptr, const vertex* indices,
                  const vertex* large, i64 width, u64* words) {
  if (color >= width * 64) return;
  i64 row = indptr[v], length = indptr[v + 1] - row;
  for (i64 e = thread; e <= length; e += threads) {
    i64 net = large[net_of(v, indices, row, length, e)];
    if (net >= 0) atomicOr(words + net * width + (color >> 6), 1ull << (color & 63));
  }
}

// Store the fixed colors: a warp for each vertex.
KERNEL(8) store_fixed(i64 n, const offset* indptr, const vertex* indices, const vertex* large, const int* fixed,
                      i64 width, u64* words) {
  for (i64 v = warp_id(); v < n; v += warp_count()) {
    if (fixed[v] >= 0) store(v, (u32)fixed[v], lane_id(), WARP, indptr, indices, large, width, words);
  }
}

// Store the colors of the previous batch, remove it from the rows of members, and enter the next batch; a block for
// each vertex.
KERNEL(6) advance(i64 count, i64 batch, const vertex* order, const offset* indptr, const vertex* indices,
                  const vertex* large, i64 nets, i64 width, const u32* states, u64* words, u32* members, int* hints,
                  const i64* turn) {
  i64 first = turn[FIRST], before = turn[BEFORE];
  if (first >= count || turn[FULL]) return;
  u32 *entered = members + turn[SIDE] * nets * WARP, *left = members + (1 - turn[SIDE]) * nets * WARP;
  for (i64 task = blockIdx.x; task < 2 * batch; task += gridDim.x) {
    bool enters = task < batch;
    i64 i = enters ? task : task - batch, place = (enters ? first : before) + i;
    if (place >= count) continue;
    i64 v = order[place], row = indptr[v], length = indptr[v + 1] - row;
    for (i64 e = threadIdx.x; e <= length; e += BLOCK) {
      i64 net = large[net_of(v, indices, row, length, e)];
      if (net < 0) continue;
      if (enters) {
        atomicOr(entered + net * WARP + (i >> 5), 1u << (i & 31));
        int hint = hints[net], word = hint;
        while (word < width && relaxed(words + net * width + word) == ~0ull) word++;
        if (word != hint) hints[net] = word;
      } else left[net * WARP + (i >> 5)] = 0;
    }
    if (!enters && place < first) store(v, states[v], threadIdx.x, BLOCK, indptr, indices, large, width, words);
  }
}

// For each vertex of the batch, collect the taken colors in its window, the beginning of the window, and the vertices
// of the batch with a common net; a block for each vertex.
KERNEL(5) gather(i64 count, i64 batch, const vertex* order, const offset* indptr, const vertex* indices,
                 const vertex* large, i64 nets, i64 width, const u32* states, const u64* words, const u32* members,
                 const int* hints, const i64* turn, u64* windows, u32* common, int* starts) {
  __shared__ u32 taken[HALVES], others[WARP];
  __shared__ int start;
  i64 first = turn[FIRST];
  if (first >= count || turn[FULL]) return;
  const u32* entered = members + turn[SIDE] * nets * WARP;
  int lane = lane_id(), warp = threadIdx.x / WARP;
  for (i64 i = blockIdx.x; i < batch && first + i < count; i += gridDim.x) {
    i64 v = order[first + i], row = indptr[v], length = indptr[v + 1] - row;
    if (threadIdx.x == 0) start = 0;
    __syncthreads();
    int most = 0, from, found;
    for (i64 e = threadIdx.x; e <= length; e += BLOCK) {
      i64 net = large[net_of(v, indices, row, length, e)];
      if (net >= 0) most = max(most, hints[net]);
    }
    if (most) atomicMax(&start, most);
    for (;;) {
      __syncthreads();
      for (int word = threadIdx.x; word < HALVES; word += BLOCK) taken[word] = 0;
      if (threadIdx.x < WARP) others[threadIdx.x] = 0;
      __syncthreads();
      from = start;
      u64 mine = 0;
      u32 with = 0;
      for (i64 e = warp * AT_ONCE; e <= length; e += WARPS * AT_ONCE) {
        i64 u[AT_ONCE], net[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++) u[j] = net_of(v, indices, row, length, min(e + j, length));
        for (int j = 0; j < AT_ONCE; j++) net[j] = large[u[j]];
        for (int j = 0; j < AT_ONCE; j++) {
          if (net[j] < 0) continue;
          if (from + lane < width) mine |= words[net[j] * width + from + lane];
          with |= entered[net[j] * WARP + lane];
        }
        for (int j = 0; j < AT_ONCE && e + j <= length; j++) {
          if (net[j] >= 0) continue;
          i64 begin = indptr[u[j]], size = indptr[u[j] + 1] - begin;
          for (i64 k = lane; k <= size; k += WARP) {
            u32 state = states[net_of(u[j], indices, begin, size, k)];
            i64 place = (i64)(state ^ WAITS) - first, color = (i64)state - from * 64;
            if (state & WAITS) {
              if (place >= 0 && place < batch) atomicOr(others + (place >> 5), 1u << (place & 31));
            } else if (color >= 0 && color < 64 * WINDOW) atomicOr(taken + (color >> 5), 1u << (color & 31));
          }
        }
      }
      if ((u32)mine) atomicOr(taken + 2 * lane, (u32)mine);
      if (mine >> 32) atomicOr(taken + 2 * lane + 1, (u32)(mine >> 32));
      if (with) atomicOr(others + lane, with);
      __syncthreads();
      mine = (u64)taken[2 * lane + 1] << 32 | taken[2 * lane];
      u32 who = __ballot_sync(ALL_LANES, ~mine != 0);
      found = who ? __ffs(who) - 1 : WINDOW;
      if (found < WINDOW / 2) break;
      if (threadIdx.x == 0) start = from + found;
    }
    if (warp == 0) {
      windows[i * WINDOW + lane] = (u64)taken[2 * lane + 1] << 32 | taken[2 * lane];
      common[i * WARP + lane] = others[lane];
      if (lane == 0) starts[i] = from;
    }
  }
}

// Return whether a color is in the window that begins at color `from`.
DEVICE bool in_window(u32 color, i64 from) { return color >= from && color < from + 64 * WINDOW; }

// Color the vertices of the batch, up to a vertex whose window has no free color; one block.
KERNEL(1) resolve(i64 count, i64 batch, const vertex* order, i64 width, u32* states, const u64* windows,
                  const u32* common, const int* starts, i64* turn) {
  __shared__ u32 taken[WARP][HALVES + 1];  // in the windows of a group; padded by one, so that lanes use all banks
  __shared__ u32 colors[BATCH], within[WARP];
  __shared__ int from[WARP], colored, full;
  i64 first = turn[FIRST];
  if (first >= count || turn[FULL]) return;
  int lane = lane_id(), warp = threadIdx.x / WARP, size = (int)min(batch, count - first);
  // Each lane has words of the vertices `warp`, `warp + WARPS`, ... of a group; those of the next group are prefetched.
  u64 window[SHARE];
  u32 others[SHARE];
  int start[SHARE];
  for (int k = 0; k < SHARE; k++) {
    int i = warp + k * WARPS;
    window[k] = i < size ? windows[i * WINDOW + lane] : 0;
    others[k] = i < size ? common[i * WARP + lane] : 0;
    start[k] = i < size ? starts[i] : 0;
  }
  if (threadIdx.x == 0) colored = size, full = 0;
  for (int group = 0; group * WARP < size; group++) {
    u32 earlier[SHARE];
    for (int k = 0; k < SHARE; k++) {
      int p = warp + k * WARPS, next = (group + 1) * WARP + p;
      taken[p][2 * lane] = (u32)window[k], taken[p][2 * lane + 1] = (u32)(window[k] >> 32);
      if (lane == group) within[p] = others[k];
      if (lane == 0) from[p] = start[k];
      earlier[k] = lane < group ? others[k] : 0;
      window[k] = next < size ? windows[next * WINDOW + lane] : 0;
      others[k] = next < size ? common[next * WARP + lane] : 0;
      start[k] = next < size ? starts[next] : 0;
    }
    __syncwarp();
    for (int k = 0; k < SHARE; k++) {
      int p = warp + k * WARPS;
      i64 lowest = (i64)from[p] * 64;
      for (u32 left = earlier[k]; left; left &= left - 1) {
        u32 color = colors[lane * WARP + __ffs(left) - 1];
        if (in_window(color, lowest)) atomicOr(&taken[p][(color - lowest) >> 5], 1u << (color & 31));
      }
    }
    __syncthreads();
    if (warp == 0) {
      int i = group * WARP + lane, word = 0;
      u32 color = NOT_FOUND, waits = within[lane] & ((1u << lane) - 1), left = __ballot_sync(ALL_LANES, i < size);
      u32 waited_for = union_of_lanes(waits);
      i64 lowest = (i64)from[lane] * 64;
      bool beyond = false;  // whether the color is beyond all words
      while (left) {
        bool ready = left >> lane & 1 && (waits & left) == 0;
        if (ready) {
          while (word < HALVES && taken[lane][word] == ~0u) word++;
          if (word < HALVES) {
            color = (u32)lowest + word * 32 + __ffs(~taken[lane][word]) - 1;
            beyond = color >= width * 64;
          }
          if (beyond) color = NOT_FOUND;
        }
        u32 now = __ballot_sync(ALL_LANES, ready);
        left &= ~now;
        for (now &= waited_for; now; now &= now - 1) {
          int other = __ffs(now) - 1;
          u32 its = __shfl_sync(ALL_LANES, color, other);
          if (waits >> other & 1 && in_window(its, lowest)) taken[lane][(its - lowest) >> 5] |= 1u << (its & 31);
        }
      }
      colors[i] = color;
      u32 without = __ballot_sync(ALL_LANES, i < size && color == NOT_FOUND);
      if (without && lane == __ffs(without) - 1) colored = i, full = beyond;
    }
    __syncthreads();
    if (colored < size) break;
  }
  for (int i = threadIdx.x; i < colored; i += BLOCK) states[order[first + i]] = colors[i];
  if (threadIdx.x == 0) {
    turn[FIRST] = first + colored, turn[BEFORE] = first;
    turn[SIDE] = 1 - turn[SIDE], turn[FULL] = full;
  }
}
