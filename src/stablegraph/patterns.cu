// Patterns of products of sparse matrices on a GPU; patterns_cuda.py drives it.
//
// Result: that of patterns.py, with ascending rows.
//
// Idea of products: a row u of A B has the columns of all rows k of B for which A has an entry (u, k). Some LANES of a
// warp put them into a table in shared memory, by hashes. How many are new is the row's length. When all lengths
// are known that is done once more, and each column finds its place by counting the smaller ones. Rows with too many
// columns for that, or too many pairs of entries, are listed; a block puts them into a larger table, or marks them in a
// bitmap, which is in order already, where even that is too small. Most columns are there already when they are looked
// for, so a slot is read before it is written.
//
// Idea of transposes: entries are counted and dealt out to the rows of the transpose in any order, by atomics. Each
// leaves where it was, and sorting these places in each row puts the row in order.
//
// Cost of products: twice, to count and to write, a step of a lane for each pair of entries, and, the second time, for
// a row of m columns m * m / LANES or m * m / 256 steps; for long rows a pass through a bitmap of all columns. Work
// memory: a bitmap a block. What is read twice, A and the rows of B, is far less than the result and its values would
// be if they were written in rows as long as there are pairs (25 and 225 pairs for 9 and 30 columns on a 7-point grid).
// Cost of transposes: a few passes through the entries, and m * m / 32 steps for a row of m.

#define NONE ((vertex)-1)

enum {
  SLOTS = LANE_BYTES / sizeof(vertex),         // of a table, for each lane
  LARGE_TABLE = BLOCK_BYTES / sizeof(vertex),  // slots of a block's table
  MOST_SORTED = WARP_BYTES / sizeof(offset),   // entries of a transpose's row that a warp sorts
};

// How many pairs meet in a row, in all lanes.
template <int LANES>
DEVICE i64 pairs_of(i64 start, i64 end, const vertex* left_indices, const offset* right_indptr) {
  const PartOfWarp<LANES> team;
  i64 pairs = 0;
  for (i64 e = start + team.rank(); e < end; e += LANES) {
    vertex k = left_indices[e];
    pairs += right_indptr[k + 1] - right_indptr[k];
  }
  return team.sum(pairs);
}

// Put a column into a table, if there is room for it; 1 if it is new, else 0, and `full` is set if there is none.
DEVICE u32 put(vertex column, vertex* table, u32 size, bool& full) {
  u32 slot = hash32((u64)column);
  for (u32 probes = 0; probes < size; probes++, slot++) {
    vertex there = *(volatile vertex*)(table + (slot & (size - 1)));
    if (there == column) return 0;
    if (there != NONE) continue;
    there = atomicCAS(table + (slot & (size - 1)), NONE, column);
    if (there == NONE) return 1;
    if (there == column) return 0;
  }
  full = true;
  return 0;
}

// A table of so many slots that a quarter stays free, if there can be as many: a power of two.
DEVICE u32 size_for(i64 pairs, u32 least, u32 most) {
  u32 size = least;
  while (3 * (i64)size < 4 * pairs && size < most) size *= 2;
  return size;
}

// Short rows. With `new_indices` null their columns are counted, and other rows listed; else they are written.
template <int LANES>
DEVICE void short_rows(vertex* tables, i64 n, const offset* left_indptr, const vertex* left_indices,
                       const offset* right_indptr, const vertex* right_indices, i64 diagonal, vertex* lengths,
                       vertex* longs, i64* longs_length, const i64* new_indptr, vertex* new_indices) {
  const PartOfWarp<LANES> team;
  const u32 slots = SLOTS * LANES;
  vertex* table = tables + threadIdx.x / LANES * slots;
  for (i64 u = thread_id() / LANES; u < n; u += thread_count() / LANES) {
    i64 start = left_indptr[u], end = left_indptr[u + 1], first = new_indices ? new_indptr[u] : 0;
    i64 pairs = pairs_of<LANES>(start, end, left_indices, right_indptr) + diagonal;
    bool is_long = pairs > MOST_PAIRS * LANES || (new_indices && new_indptr[u + 1] - first > slots), full = false;
    u32 size = is_long ? 0 : size_for(pairs, LANES, slots), found = 0;
    for (u32 slot = team.rank(); slot < size; slot += LANES) table[slot] = NONE;
    team.meet();
    if (!is_long) {
      if (diagonal && team.rank() == 0) found += put((vertex)u, table, size, full);
      for (i64 e = start + team.rank(); e < end && !full; e += LANES) {
        vertex k = left_indices[e];
        for (i64 f = right_indptr[k], stop = right_indptr[k + 1]; f < stop && !full; f++)
          found += put(right_indices[f], table, size, full);
      }
    }
    is_long |= team.which(full) != 0;
    team.meet();
    if (!new_indices) {
      found = team.sum(found);
      if (team.rank() != 0) continue;
      if (is_long) longs[atomicAdd(longs_length, (i64)1)] = (vertex)u;
      else lengths[u] = (vertex)found;
      continue;
    }
    // Move the columns to the front.
    found = 0;
    for (u32 slot = team.rank(); slot < size; slot += LANES) {
      vertex column = table[slot];
      u32 who = team.which(column != NONE);
      if (column != NONE) table[found + __popc(who & ((1u << team.rank()) - 1))] = column;
      found += __popc(who);
      team.meet();
    }
    for (u32 i = team.rank(); i < found; i += LANES) {
      vertex column = table[i];
      u32 smaller = 0;
      for (u32 j = 0; j < found; j++) smaller += table[j] < column;
      new_indices[first + smaller] = column;
    }
    team.meet();
  }
}

#define WITH_LANES(LANES)                                                                                            \
  KERNEL(5) short_rows_##LANES(i64 n, const offset* left_indptr, const vertex* left_indices,                         \
                               const offset* right_indptr, const vertex* right_indices, i64 diagonal,                \
                               vertex* lengths, vertex* longs, i64* longs_length, const i64* new_indptr,             \
                               vertex* new_indices) {                                                                \
    __shared__ vertex tables[BLOCK * SLOTS];                                                                         \
    short_rows<LANES>(tables, n, left_indptr, left_indices, right_indptr, right_indices, diagonal, lengths, longs,   \
                      longs_length, new_indptr, new_indices);                                                        \
  }

WITH_LANES(4)
WITH_LANES(8)
WITH_LANES(16)
WITH_LANES(32)

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
    u32 size = in_table ? size_for(pairs, WARP, LARGE_TABLE) : 0;
    for (u32 slot = threadIdx.x; slot < size; slot += BLOCK) table[slot] = NONE;
    for (i64 word = threadIdx.x; !in_table && word < words; word += BLOCK) bitmap[word] = 0;
    __syncthreads();
    auto mark = [=](vertex column, vertex* table) {
      bool full = false;  // a quarter stays free
      if (in_table) put(column, table, size, full);
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
  __shared__ offset tables[BLOCK / WARP][MOST_SORTED];
  offset* table = tables[threadIdx.x / WARP];
  for (i64 column = warp_id(); column < columns; column += warp_count()) {
    i64 start = starts[column], length = starts[column + 1] - start;
    if (length > MOST_SORTED) {
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

// The inverse of a permutation: where in the transpose each entry of the pattern is.
KERNEL(8) invert(i64 size, const offset* origins, offset* places) { EACH(e, size) places[origins[e]] = (offset)e; }
