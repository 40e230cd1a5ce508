// From edge arrays to CSR on a GPU; build_cuda.py drives it, and build.py says what comes out.
//
// Result: ascending rows, with or without loops and repeated entries, as build.py promises.
//
// Rule: the entry (u, v) stands at the number of entries that stay and are smaller, as pairs.
//
// Idea: an entry is one word, (row << bits | column), and a device-wide radix sort puts the words in order (CuPy's).
// Then a bit for each word says whether it stays, and sums of these say where it goes: a warp counts in a tile, a scan
// over the tiles follows, and the warp writes what stays. A row starts where its least word would stand.
//
// Races: none. Counts are sums.
//
// Cost: the sort, and four sweeps over the words. Work memory: 16 bytes an entry (32 with positions).

#define NONE (~0ull)  // a word of no entry, behind all others
#define TILE 256      // times 32 entries, for a warp
enum { LOOPS, LEAST, MOST };

DEVICE i64 lowest_of_warp(i64 x) {
  for (int by = WARP / 2; by; by /= 2) x = min(x, __shfl_xor_sync(ALL_LANES, x, by));
  return x;
}

// The least and the largest end; `results` begins as 0 and -1.
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

// The words of all edges, with those of (v, u) beside those of (u, v) if these are wanted, and the number of loops.
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

// A bit for each of the first `size` words that stays: all, or all that differ from the one before. And sums of tiles.
KERNEL(6) mark_kept(i64 size, i64 keep_all, const u64* __restrict__ words, u32* kept, i64* sums) {
  i64 groups = size / 32 + 1;
  for (i64 tile = warp_id(); tile * TILE < groups; tile += warp_count()) {
    i64 sum = 0, end = min(groups, (tile + 1) * TILE);
#pragma unroll 4
    for (i64 group = tile * TILE; group < end; group++) {
      i64 e = group * 32 + lane_id();
      bool keep = e < size && (keep_all || e == 0 || words[e] != words[e - 1]);
      u32 who = __ballot_sync(ALL_LANES, keep);
      if (lane_id() == 0) kept[group] = who;
      sum += __popc(who);
    }
    if (lane_id() == 0) sums[tile] = sum;
  }
}

// Write what stays: columns, and edges that entries come from. `order` has the place of each word before the sort, and
// an edge has 2^shift words. `ranks`: how many entries are before each group; `ends`: up to the end of each tile.
KERNEL(5) write_entries(i64 size, i64 bits, const u64* __restrict__ words, const u32* __restrict__ kept,
                        const i64* ends, const i64* __restrict__ order, i64 shift, i64* ranks,
                        vertex* indices, int* positions_32, i64* positions_64) {
  i64 groups = size / 32 + 1;
  u64 columns = ((u64)1 << bits) - 1;
  for (i64 tile = warp_id(); tile * TILE < groups; tile += warp_count()) {
    i64 before = tile ? ends[tile - 1] : 0, end = min(groups, (tile + 1) * TILE);
#pragma unroll 4
    for (i64 group = tile * TILE; group < end; group++) {
      u32 who = kept[group];
      i64 e = group * 32 + lane_id(), place = before + __popc(who & ((1u << lane_id()) - 1));
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

// Where rows start.
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

// The row of each entry.
KERNEL(8) write_rows(i64 n, i64 entries, const offset* indptr, vertex* rows) {
  each_entry(n, entries, indptr, [&](i64 u, i64 e) { rows[e] = (vertex)u; });
}
