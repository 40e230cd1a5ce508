// Patterns of products of sparse matrices on a GPU; patterns.py drives it.
//
// Result: as in ../patterns.py, with ascending rows.
//
// Idea of products: a row u of A B has the columns of all rows k of B for which A has an entry (u, k). LANES lanes of a
// warp insert these columns into a hash table in shared memory; the number of new columns is the row's length. When all
// lengths are known, the tables are filled a second time, and the position of each column is the number of smaller
// columns. Rows with too many columns or too many pairs of entries are put into a list. A block processes each of them
// with a larger table, or, if that is too small as well, with a bitmap, which is already in order. Most columns are in
// the table when they are inserted again, so a slot is read before it is written.
//
// Idea of transposes: entries are counted and distributed to the rows of the transpose in any order, by atomics. Each
// entry stores its original position, and sorting these positions in each row restores the order.
//
// Cost of products: two passes, to count and to write, each with one step of a lane per pair of entries. For a row of m
// columns the second pass also takes m * m / LANES or m * m / 256 steps, and for long rows a scan of a bitmap of all
// columns. Work memory: one bitmap per block. Both passes read A and the rows of B. A single pass would need room for
// all pairs in each row of the result and its values, which is far more data (25 and 225 pairs for 9 and 30 columns on
// a 7-point grid).
//
// Cost of transposes: a few passes over the entries, and m * m / 32 steps for a row of m entries.

#define NONE ((vertex)-1)
#define REMEMBERED 2  // rows of B per lane whose bounds are read once

enum {
  SLOTS = LANE_BYTES / sizeof(vertex),         // of a table, per lane
  LARGE_TABLE = BLOCK_BYTES / sizeof(vertex),  // slots of a block's table
  MAX_SORTED = WARP_BYTES / sizeof(offset),   // maximum length of a transpose's row that a warp sorts
};

// Insert a column into a table. Return 1 if it is new, else 0. Set `full` if there is no free slot for it.
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

// Return the number of slots for a table: a power of two, such that a quarter stays free if `most` permits.
DEVICE u32 size_for(i64 pairs, u32 least, u32 most) {
  u32 size = least;
  while (3 * (i64)size < 4 * pairs && size < most) size *= 2;
  return size;
}

// Process short rows. If `new_indices` is null, count their columns and list the other rows; else write the columns.
template <int LANES>
DEVICE void short_rows(vertex* tables, i64 n, const offset* left_indptr, const vertex* left_indices,
                       const offset* right_indptr, const vertex* right_indices, i64 diagonal, vertex* lengths,
                       vertex* longs, i64* longs_length, const i64* new_indptr, vertex* new_indices) {
  const PartOfWarp<LANES> team;
  const u32 slots = SLOTS * LANES;
  vertex* table = tables + threadIdx.x / LANES * slots;
  for (i64 u = thread_id() / LANES; u < n; u += thread_count() / LANES) {
    i64 start = left_indptr[u], end = left_indptr[u + 1], first = new_indices ? new_indptr[u] : 0;
    i64 other = start + REMEMBERED * LANES + team.rank(), pairs = 0;  // an entry whose row of B is read twice
    offset rows[REMEMBERED], stops[REMEMBERED];
#pragma unroll
    for (int j = 0; j < REMEMBERED; j++) {
      i64 e = start + j * LANES + team.rank();
      vertex k = e < end ? left_indices[e] : 0;
      rows[j] = right_indptr[k], stops[j] = e < end ? right_indptr[k + 1] : rows[j];
      pairs += stops[j] - rows[j];
    }
    for (i64 e = other; e < end; e += LANES) {
      vertex k = left_indices[e];
      pairs += right_indptr[k + 1] - right_indptr[k];
    }
    pairs = team.sum(pairs) + diagonal;
    bool is_long = pairs > MAX_PAIRS * LANES || (new_indices && new_indptr[u + 1] - first > slots), full = false;
    u32 size = is_long ? 0 : size_for(pairs, LANES, slots), found = 0;
    for (u32 slot = team.rank(); slot < size; slot += LANES) table[slot] = NONE;
    team.meet();
    if (!is_long) {
      if (diagonal && team.rank() == 0) found += put((vertex)u, table, size, full);
#pragma unroll
      for (int j = 0; j < REMEMBERED; j++)
        for (offset f = rows[j]; f < stops[j] && !full; f++) found += put(right_indices[f], table, size, full);
      for (i64 e = other; e < end && !full; e += LANES) {
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

#define WITH_LANES(LANES, BLOCKS)                                                                                    \
  KERNEL(BLOCKS) short_rows_##LANES(i64 n, const offset* left_indptr, const vertex* left_indices,                    \
                                    const offset* right_indptr, const vertex* right_indices, i64 diagonal,           \
                                    vertex* lengths, vertex* longs, i64* longs_length, const i64* new_indptr,        \
                                    vertex* new_indices) {                                                           \
    __shared__ vertex tables[BLOCK * SLOTS];                                                                         \
    short_rows<LANES>(tables, n, left_indptr, left_indices, right_indptr, right_indices, diagonal, lengths, longs,   \
                      longs_length, new_indptr, new_indices);                                                        \
  }

WITH_LANES(4, 6)
WITH_LANES(8, 6)
WITH_LANES(16, 6)
WITH_LANES(32, 5)

// Process the listed rows, one block per row. Each block has a bitmap of `words` words.
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
      bool full = false;  // never set: a quarter of the slots stays free
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
        u32 bits = word < words ? *(volatile u32*)(bitmap + word) : 0, before = sum_up_to_lane((u32)__popc(bits));
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

// Copy the number of long rows and the number of entries to the host. (Atomics on host memory would be slow.)
KERNEL(8) report_counts(const i64* longs_length, const i64* end, i64* numbers) {
  if (thread_id() == 0) numbers[0] = *longs_length, numbers[1] = *end;
}

// ---- Transposes -----------------------------------------------------------------------------------------------------

KERNEL(8) count_columns(i64 size, const vertex* indices, vertex* counts) {
  EACH(e, size) atomicAdd(counts + indices[e], (vertex)1);
}

// Distribute the entries to their columns: `origins` gets their positions, in any order. `counts` are counted down.
KERNEL(8) deal_out(i64 size, const vertex* indices, const i64* starts, vertex* counts, offset* origins) {
  EACH(e, size) {
    vertex column = indices[e];
    origins[starts[column] + atomicAdd(counts + column, (vertex)-1) - 1] = (offset)e;
  }
}

// Sort the origins of each row of the transpose, and write its columns: the original rows of the entries. If a row is
// too long for a warp, set a flag for the host.
KERNEL(4) sort_rows(i64 columns, const i64* starts, const offset* origins, const vertex* rows, offset* sorted,
                    vertex* new_indices, i64* too_long) {
  __shared__ offset tables[BLOCK / WARP][MAX_SORTED];
  offset* table = tables[threadIdx.x / WARP];
  for (i64 column = warp_id(); column < columns; column += warp_count()) {
    i64 start = starts[column], length = starts[column + 1] - start;
    if (length > MAX_SORTED) {
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
