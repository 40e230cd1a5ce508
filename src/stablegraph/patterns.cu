// Patterns of products of sparse matrices on a GPU; patterns_cuda.py drives it.
//
// Result: that of patterns.py, with ascending rows.
//
// Idea: a row u of A B has the columns of all rows k of B for which A has an entry (u, k). Where so many pairs of
// entries meet that their columns fit into a table in shared memory, a warp puts them there, by hashes; then each finds
// its place by counting the smaller ones. For longer rows a block marks columns in a bitmap, which is in order already.
//
// Cost: twice, to count and to write, a step for each pair of entries, and for a row of m columns m * m / 32 steps of a
// warp, at most MOST_PAIRS each; for long rows a pass through a bitmap of all columns. Work memory: a bitmap a block.

#define TABLE 512  // columns that a warp can hold; a power of two
#define MOST_PAIRS (TABLE * 3 / 4)
#define NONE ((vertex)-1)

// How many pairs meet in row u, in all lanes.
DEVICE i64 pairs_of(i64 start, i64 end, const vertex* left_indices, const offset* right_indptr) {
  i64 pairs = 0;
  for (i64 e = start + lane_id(); e < end; e += WARP) {
    vertex k = left_indices[e];
    pairs += right_indptr[k + 1] - right_indptr[k];
  }
  return OneWarp().sum(pairs);
}

DEVICE void put(vertex column, vertex* table, u32 size) {
  for (u32 slot = hash32((u64)column) & (size - 1);; slot = (slot + 1) & (size - 1)) {
    vertex there = atomicCAS(table + slot, NONE, column);
    if (there == NONE || there == column) return;
  }
}

// Rows with few pairs. With `new_indices` null they are counted, and the others listed; else written.
KERNEL(3) short_rows(i64 n, const offset* left_indptr, const vertex* left_indices, const offset* right_indptr,
                     const vertex* right_indices, i64 diagonal, vertex* lengths, vertex* longs, i64* longs_length,
                     const i64* new_indptr, vertex* new_indices) {
  __shared__ vertex tables[BLOCK / WARP][TABLE];
  vertex* table = tables[threadIdx.x / WARP];
  for (i64 u = warp_id(); u < n; u += warp_count()) {
    i64 start = left_indptr[u], end = left_indptr[u + 1];
    i64 pairs = pairs_of(start, end, left_indices, right_indptr) + diagonal;
    if (pairs > MOST_PAIRS) {
      if (!new_indices && lane_id() == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    u32 size = WARP;
    while (3 * size < 4 * pairs) size *= 2;
    for (u32 slot = lane_id(); slot < size; slot += WARP) table[slot] = NONE;
    __syncwarp();
    if (diagonal && lane_id() == 0) put((vertex)u, table, size);
    for (i64 e = start + lane_id(); e < end; e += WARP) {
      vertex k = left_indices[e];
      for (i64 f = right_indptr[k], stop = right_indptr[k + 1]; f < stop; f++) put(right_indices[f], table, size);
    }
    __syncwarp();
    // Move the columns to the front.
    u32 found = 0;
    for (u32 slot = lane_id(); slot - lane_id() < size; slot += WARP) {
      vertex column = table[slot];
      u32 who = __ballot_sync(ALL_LANES, column != NONE);
      if (column != NONE) table[found + __popc(who & ((1u << lane_id()) - 1))] = column;
      found += __popc(who);
      __syncwarp();
    }
    if (new_indices) {
      i64 first = new_indptr[u];
      for (u32 i = lane_id(); i < found; i += WARP) {
        vertex column = table[i];
        u32 smaller = 0;
        for (u32 j = 0; j < found; j++) smaller += table[j] < column;
        new_indices[first + smaller] = column;
      }
    } else if (lane_id() == 0) {
      lengths[u] = (vertex)found;
    }
    __syncwarp();
  }
}

// Listed rows, a block each, which has a bitmap of `words` words.
KERNEL(4) long_rows(i64 count, const vertex* longs, i64 words, u32* bitmaps, const offset* left_indptr,
                    const vertex* left_indices, const offset* right_indptr, const vertex* right_indices, i64 diagonal,
                    vertex* lengths, const i64* new_indptr, vertex* new_indices) {
  __shared__ u32 in_warps[BLOCK / WARP];
  u32* bitmap = bitmaps + blockIdx.x * words;
  int warp = threadIdx.x / WARP;
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    vertex u = longs[i];
    for (i64 word = threadIdx.x; word < words; word += BLOCK) bitmap[word] = 0;
    __syncthreads();
    if (diagonal && threadIdx.x == 0) atomicOr(bitmap + u / 32, 1u << (u % 32));
    for (i64 e = left_indptr[u] + warp, end = left_indptr[u + 1]; e < end; e += BLOCK / WARP) {
      vertex k = left_indices[e];
      for (i64 f = right_indptr[k] + lane_id(), stop = right_indptr[k + 1]; f < stop; f += WARP) {
        vertex column = right_indices[f];
        atomicOr(bitmap + column / 32, 1u << (column % 32));
      }
    }
    __syncthreads();
    i64 place = new_indices ? new_indptr[u] : 0, total = 0;
    for (i64 first = 0; first < words; first += BLOCK) {
      i64 word = first + threadIdx.x;
      u32 bits = word < words ? *(volatile u32*)(bitmap + word) : 0, before = __popc(bits);
      for (int step = 1; step < WARP; step *= 2) {  // how many there are up to each lane
        u32 other = __shfl_up_sync(ALL_LANES, before, step);
        if (lane_id() >= step) before += other;
      }
      if (lane_id() == WARP - 1) in_warps[warp] = before;
      __syncthreads();
      i64 own = place + total + before - __popc(bits);
      for (int other = 0; other < BLOCK / WARP; other++) {
        if (other < warp) own += in_warps[other];
        total += in_warps[other];
      }
      if (new_indices)
        for (; bits; bits &= bits - 1) new_indices[own++] = (vertex)(word * 32 + __ffs(bits) - 1);
      __syncthreads();
    }
    if (!new_indices && threadIdx.x == 0) lengths[u] = (vertex)total;
  }
}
