// Conversion of edge arrays to CSR on a GPU; called by build.py; ../build.py documents the result.
//
// Result: ascending rows, with or without loops and repeated entries, as in ../build.py.
//
// Rule: the position of entry (u, v) is the number of kept entries that are smaller, compared as pairs.
//
// Idea: an entry is one word, (row << bits | column), and CuPy's device-wide radix sort sorts the words. Then a bit per
// word indicates whether it is kept, and prefix sums of these bits give the positions: each warp counts the bits in a
// tile, a scan over the tiles follows, and each warp writes the kept entries. A row starts at the position of its
// smallest possible word.
//
// Races: none. Counts are sums.
//
// Cost: the sort, and four sweeps over the words. Work memory: 16 bytes per entry (32 with positions).

#define NONE (~0ull)  // the word of a dropped entry, greater than all others
#define TILE 256      // groups of 32 entries in the tile of a warp
enum { LOOPS, LEAST, MOST };

DEVICE i64 lowest_of_warp(i64 x) {
  for (int by = WARP / 2; by; by /= 2) x = min(x, __shfl_xor_sync(ALL_LANES, x, by));
  return x;
}

// Find the least and the largest end; `results` is initialized to 0 and -1.
KERNEL(8) find_extent(i64 edges, const ENDS* u, const ENDS* v, i64* results) {
  i64 least = 0, most = -1;
  EACH(e, edges) {
    i64 a = u[e], b = v[e];
    least = min(least, min(a, b)), most = max(most, max(a, b));
  }
  least = lowest_of_warp(least), most = -lowest_of_warp(-most);
  if (lane_id() == 0) {
    if (least < 0) atomicMin(results + LEAST, least);
    if (most >= 0) atomicMax(results + MOST, most);
  }
}

// Pack all edges into words, with (v, u) next to (u, v) if `mirror` is set, and count the loops.
KERNEL(8) pack(i64 edges, const ENDS* u, const ENDS* v, i64 bits, i64 mirror, i64 drop_loops, u64* words,
               i64* results) {
  i64 loops = 0;
  EACH(e, edges) {
    u64 a = (u64)u[e], b = (u64)v[e];
    u64 word = a == b && drop_loops ? NONE : a << bits | b;
    loops += a == b;
    if (mirror) {
      words[2 * e] = word;
      words[2 * e + 1] = a == b ? NONE : b << bits | a;
    } else {
      words[e] = word;
    }
  }
  for (int by = WARP / 2; by; by /= 2) loops += __shfl_xor_sync(ALL_LANES, loops, by);
  if (lane_id() == 0 && loops > 0) atomicAdd(results + LOOPS, loops);
}

// Loops over a tile count from 0: the assembler of CUDA 12.0 repeats iterations of a loop from tile * TILE to an end.

// Mark the kept words among the first `size`: all, or those that differ from the preceding word. Sum them by tile.
KERNEL(6) mark_kept(i64 size, i64 keep_all, const u64* __restrict__ words, u32* kept, i64* sums) {
  i64 groups = size / 32 + 1;
  for (i64 tile = warp_id(); tile * TILE < groups; tile += warp_count()) {
    i64 sum = 0;
    int count = (int)min((i64)TILE, groups - tile * TILE);
#pragma unroll 4
    for (int k = 0; k < count; k++) {
      i64 group = tile * TILE + k, e = group * 32 + lane_id();
      bool keep = e < size && (keep_all || e == 0 || words[e] != words[e - 1]);
      u32 who = __ballot_sync(ALL_LANES, keep);
      if (lane_id() == 0) kept[group] = who;
      sum += __popc(who);
    }
    if (lane_id() == 0) sums[tile] = sum;
  }
}

// Write the kept entries: their columns and the numbers of their edges. `order` is the index of each word before the
// sort, and an edge has 2^shift words. `ranks`: kept entries before each group; `ends`: up to the end of each tile.
KERNEL(5) write_entries(i64 size, i64 bits, const u64* __restrict__ words, const u32* __restrict__ kept,
                        const i64* ends, const i64* __restrict__ order, i64 shift, i64* ranks,
                        vertex* indices, int* positions_32, i64* positions_64) {
  i64 groups = size / 32 + 1;
  u64 columns = ((u64)1 << bits) - 1;
  for (i64 tile = warp_id(); tile * TILE < groups; tile += warp_count()) {
    i64 before = tile ? ends[tile - 1] : 0;
    int count = (int)min((i64)TILE, groups - tile * TILE);
#pragma unroll 4
    for (int k = 0; k < count; k++) {
      i64 group = tile * TILE + k, e = group * 32 + lane_id();
      u32 who = kept[group];
      i64 place = before + __popc(who & ((1u << lane_id()) - 1));
      if (lane_id() == 0) ranks[group] = before;
      if (who >> lane_id() & 1) {
        indices[place] = (vertex)(words[e] & columns);
        if (positions_32) positions_32[place] = (int)(order[e] >> shift);
        if (positions_64) positions_64[place] = order[e] >> shift;
      }
      before += __popc(who);
    }
  }
}

// Write the start of each row.
KERNEL(8) write_starts(i64 n, i64 size, i64 bits, const u64* words, const u32* kept, const i64* ranks, offset* indptr) {
  EACH(u, n + 1) {
    u64 least = (u64)u << bits;
    i64 low = 0, high = size;
    while (low < high) {
      i64 middle = (low + high) >> 1;
      if (words[middle] < least) low = middle + 1; else high = middle;
    }
    indptr[u] = (offset)(ranks[low >> 5] + __popc(kept[low >> 5] & ((1u << (low & 31)) - 1)));
  }
}

// Write the row of each entry.
KERNEL(8) write_rows(i64 n, i64 entries, const offset* indptr, vertex* rows) {
  each_entry(n, entries, indptr, [&](i64 u, i64 e) { rows[e] = (vertex)u; });
}
