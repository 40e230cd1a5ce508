// One pass over a graph's entries on a GPU; called by ../facts.py, which documents the result and its use.
//
// Result: the numbers of ../facts.py, for any schedule, because they are sums modulo 2^64 and a maximum.
//
// Rule: the pattern is symmetric  <=>  the sum of a(u) b(v) over all entries equals the sum of b(u) a(v) (except with
// a probability of about 2^-58), with the hashes a and b of hashes.cuh.
//
// Idea: one thread scans a short row and lists the longer rows. One warp scans a long row. All warps together scan each
// of the few hubs, which would take one warp too long. The threads of a block add up their numbers, and the block adds
// each sum that is not zero to the results with one atomic operation. The input is not trusted: rows may begin and end
// outside the entries, and indices may be anything. (If a row is broken, rows may overlap, and there may be more long
// rows than the lists have room for. The excess rows are not scanned, which is harmless because such a graph is refused
// in any case.)
//
// Races: none. The order of the lists varies.
//
// Cost: the entries are read once. Work memory: 4 bytes for each row of more than SHORT entries (8 with 64-bit
// indices).

enum { BROKEN, OUTSIDE, DESCENTS, REPEATS, LOOPS, LOOP_ROWS, LONGEST, FORWARD, BACKWARD, COLUMNS };
enum { BEGIN = COLUMNS, END, LONG_ROWS, HUBS };  // further results: first and last of indptr, lengths of the lists

// The counts and sums of a thread.
struct Census {
  u32 broken, outside, descents, repeats, loops, loop_rows;
  i64 longest;
  u64 forward, backward;
};

// The sums of hashes, and the loops, of a row's entries.
struct Row {
  u64 first, second;
  u32 loops;
};

DEVICE void see(i64 u, i64 v, i64 previous, i64 n, Row& row, Census& census) {
  u64 first = first_hash(v);
  row.first += first;
  row.second += second_hash(first);
  row.loops += u == v;
  census.outside |= (u64)v >= (u64)n;
  census.descents += previous > v;
  census.repeats += previous == v;
}

// Add a row, or the part of it that a lane has scanned, to the census.
DEVICE void add(i64 u, const Row& row, Census& census) {
  u64 first = first_hash(u);
  census.loops += row.loops;
  census.forward += first * row.second;
  census.backward += second_hash(first) * row.first;
}

// Scan a lane's entries among start <= e < end of row u, whose first entry is at `begin`.
DEVICE void see_stretch(i64 u, i64 begin, i64 start, i64 end, i64 n, const vertex* indices, Row& row, Census& census) {
#pragma unroll 4
  for (i64 e = start + lane_id(); e < end; e += WARP)
    see(u, indices[e], e > begin ? (i64)indices[e - 1] : -1, n, row, census);
}

// Add up the numbers of all threads of a block, and add the sums to the results. All threads must call it.
DEVICE void add_up(const Census& census, u64 (*parts)[COLUMNS], u64* results) {
  u64 mine[COLUMNS] = {census.broken, census.outside, census.descents, census.repeats, census.loops,
                       census.loop_rows, (u64)census.longest, census.forward, census.backward};
  for (int k = 0; k < COLUMNS; k++) {
    for (int by = WARP / 2; by; by /= 2) {
      u64 other = __shfl_xor_sync(ALL_LANES, mine[k], by);
      mine[k] = k == LONGEST ? max(mine[k], other) : mine[k] + other;
    }
    if (lane_id() == 0) parts[threadIdx.x / WARP][k] = mine[k];
  }
  __syncthreads();
  int k = threadIdx.x;
  if (k < COLUMNS) {
    u64 all = parts[0][k];
    for (int warp = 1; warp < BLOCK / WARP; warp++) {
      u64 other = parts[warp][k];
      all = k == LONGEST ? max(all, other) : all + other;
    }
    if (k == LONGEST) atomicMax(results + k, all);
    else if (all) atomicAdd(results + k, all);
  }
}

KERNEL(5) scan_short_rows(i64 n, i64 entries, const offset* indptr, const vertex* indices, vertex* long_rows,
                          vertex* hubs, u32* hub_has_loop, i64 room, i64 hub_room, u64* results) {
  __shared__ u64 parts[BLOCK / WARP][COLUMNS];
  Census census = {};
  if (thread_id() == 0) results[BEGIN] = (u64)(i64)indptr[0], results[END] = (u64)(i64)indptr[n];
  EACH_TOGETHER(u, n) {
    i64 start = 0, end = 0;
    if (u < n) start = indptr[u], end = indptr[u + 1];
    if (start < 0 || end < start || end > entries) census.broken++, end = start;
    i64 length = end - start;
    bool is_long = length > SHORT && length <= HUB;
    i64 place = place_in((i64*)results + LONG_ROWS, is_long);
    if (is_long && place < room) long_rows[place] = (vertex)u;
    if (length > HUB) {
      place = atomicAdd((i64*)results + HUBS, (i64)1);
      if (place < hub_room) hubs[place] = (vertex)u, hub_has_loop[place] = 0;
    }
    census.longest = max(census.longest, length);
    if (length == 0 || length > SHORT) continue;
    Row row = {};
    i64 previous = -1;
#pragma unroll 4
    for (i64 e = start; e < end; e++) {
      i64 v = indices[e];
      see(u, v, previous, n, row, census);
      previous = v;
    }
    census.loop_rows += row.loops > 0;
    add(u, row, census);
  }
  add_up(census, parts, results);
}

KERNEL(5) scan_long_rows(i64 n, const offset* indptr, const vertex* indices, const vertex* long_rows, i64 room,
                         u64* results) {
  __shared__ u64 parts[BLOCK / WARP][COLUMNS];
  i64 count = min((i64)results[LONG_ROWS], room);
  if (count == 0) return;
  Census census = {};
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    i64 u = long_rows[i], start = indptr[u];
    Row row = {};
    see_stretch(u, start, start, indptr[u + 1], n, indices, row, census);
    add(u, row, census);
    census.loop_rows += __any_sync(ALL_LANES, row.loops > 0) && lane_id() == 0;
  }
  add_up(census, parts, results);
}

KERNEL(3) scan_hubs(i64 n, const offset* indptr, const vertex* indices, const vertex* hubs, u32* hub_has_loop, i64 room,
                    u64* results) {
  __shared__ u64 parts[BLOCK / WARP][COLUMNS];
  i64 count = min((i64)results[HUBS], room);
  if (count == 0) return;
  Census census = {};
  each_stretch_of_hubs(count, hubs, indptr, [&](i64 i, i64 u, i64 begin, i64 start, i64 end) {
    Row row = {};
    see_stretch(u, begin, start, min(start + STRETCH, end), n, indices, row, census);
    add(u, row, census);
    if (row.loops > 0) census.loop_rows += atomicExch(hub_has_loop + i, 1u) == 0;
  });
  add_up(census, parts, results);
}
