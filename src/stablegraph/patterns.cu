// Patterns of products of sparse matrices on a GPU; patterns_cuda.py drives it.
//
// Result: that of patterns.py, with ascending rows.
//
// Idea of products: a row u of A B has the columns of all rows k of B for which A has an entry (u, k). Where so many
// pairs of entries meet that their columns fit into a table in shared memory, a warp puts them there, by hashes, or a
// block into a larger one; then each column finds its place by counting the smaller ones. For still longer rows a block
// marks columns in a bitmap, which is in order already. Most columns are there already when they are looked for, so a
// slot is read before it is written.
//
// Idea of transposes: entries are counted and dealt out to the rows of the transpose in any order, by atomics. Each
// leaves where it was, and sorting these places in each row puts the row in order.
//
// Cost of products: twice, to count and to write, a step for each pair of entries, and for a row of m columns
// m * m / 32 or m * m / 256 steps; for long rows a pass through a bitmap of all columns. Work memory: a bitmap a block.
// Cost of transposes: a few passes through the entries, and m * m / 32 steps for a row of m.

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
    vertex there = *(volatile vertex*)(table + slot);
    if (there == NONE) there = atomicCAS(table + slot, NONE, column);
    if (there == NONE || there == column) return;
  }
}

// A table of so many slots that a quarter stays free.
DEVICE u32 size_for(i64 pairs) {
  u32 size = WARP;
  while (3 * size < 4 * pairs) size *= 2;
  return size;
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
    if (4 * pairs > 3 * TABLE) {
      if (!new_indices && lane_id() == 0) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      continue;
    }
    u32 size = size_for(pairs);
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
  __shared__ vertex table[LARGE_TABLE];
  __shared__ u32 in_warps[BLOCK / WARP];
  __shared__ u64 shared;
  __shared__ u32 place_in_table;
  u32* bitmap = bitmaps + blockIdx.x * words;
  int warp = threadIdx.x / WARP;
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    vertex u = longs[i];
    i64 start = left_indptr[u], end = left_indptr[u + 1], pairs = 0;
    for (i64 e = start + threadIdx.x; e < end; e += BLOCK) {
      vertex k = left_indices[e];
      pairs += right_indptr[k + 1] - right_indptr[k];
    }
    pairs = OneBlock{&shared}.sum(pairs) + diagonal;
    bool in_table = 4 * pairs <= 3 * LARGE_TABLE;
    u32 size = in_table ? size_for(pairs) : 0;
    for (u32 slot = threadIdx.x; slot < size; slot += BLOCK) table[slot] = NONE;
    for (i64 word = threadIdx.x; !in_table && word < words; word += BLOCK) bitmap[word] = 0;
    __syncthreads();
    auto mark = [=](vertex column, vertex* table) {
      if (in_table) put(column, table, size);
      else atomicOr(bitmap + column / 32, 1u << (column % 32));
    };
    if (diagonal && threadIdx.x == 0) mark(u, table);
    for (i64 e = start + warp; e < end; e += BLOCK / WARP) {
      vertex k = left_indices[e];
      for (i64 f = right_indptr[k] + lane_id(), stop = right_indptr[k + 1]; f < stop; f += WARP)
        mark(right_indices[f], table);
    }
    if (threadIdx.x == 0) place_in_table = 0;
    __syncthreads();
    i64 place = new_indices ? new_indptr[u] : 0, total = 0;
    if (in_table) {  // move the columns to the front, tile by tile
      for (u32 first = 0; first < size; first += BLOCK) {
        vertex column = first + threadIdx.x < size ? table[first + threadIdx.x] : NONE;
        __syncthreads();
        u32 to = place_in(&place_in_table, column != NONE);
        if (column != NONE) table[to] = column;
        __syncthreads();
      }
      total = place_in_table;
      for (u32 j = threadIdx.x; new_indices && j < total; j += BLOCK) {
        vertex column = table[j];
        u32 smaller = 0;
        for (u32 other = 0; other < total; other++) smaller += table[other] < column;
        new_indices[place + smaller] = column;
      }
    } else {
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
    }
    if (!new_indices && threadIdx.x == 0) lengths[u] = (vertex)total;
    __syncthreads();
  }
}

// How many long rows there are, and how many entries, for the host. (Atomics on its memory would be slow.)
KERNEL(8) tell(const i64* longs_length, const i64* end, i64* numbers) {
  if (thread_id() == 0) numbers[0] = *longs_length, numbers[1] = *end;
}

// ---- Transposes -----------------------------------------------------------------------------------------------------

KERNEL(8) count_columns(i64 size, const vertex* indices, vertex* counts) {
  EACH(e, size) atomicAdd(counts + indices[e], (vertex)1);
}

// Deal the entries out to their columns: `origins` are their places, in any order. `counts` count down.
KERNEL(8) deal_out(i64 size, const vertex* indices, const i64* starts, vertex* counts, offset* origins) {
  EACH(e, size) {
    vertex column = indices[e];
    origins[starts[column] + atomicAdd(counts + column, (vertex)-1) - 1] = (offset)e;
  }
}

// Sort the origins of each row of the transpose, and write its columns: the rows in which the entries were. Rows that
// are too long for a warp are told to the host.
KERNEL(4) sort_rows(i64 columns, const i64* starts, const offset* origins, const vertex* rows, offset* sorted,
                    vertex* new_indices, i64* too_long) {
  __shared__ offset tables[BLOCK / WARP][TABLE];
  offset* table = tables[threadIdx.x / WARP];
  for (i64 column = warp_id(); column < columns; column += warp_count()) {
    i64 start = starts[column], length = starts[column + 1] - start;
    if (length > TABLE) {
      if (lane_id() == 0) *too_long = 1;
      continue;
    }
    for (i64 i = lane_id(); i < length; i += WARP) table[i] = origins[start + i];
    __syncwarp();
    for (i64 i = lane_id(); i < length; i += WARP) {
      offset origin = table[i];
      i64 place = start;
      for (i64 j = 0; j < length; j++) place += table[j] < origin;
      sorted[place] = origin;
      new_indices[place] = rows[origin];
    }
    __syncwarp();
  }
}
