// Loops over rows by length: one thread per short row, one warp per long row, and all warps together for each hub.
//
// Adjacent rows go to different warps, because hubs often have adjacent numbers (R-MAT graphs begin with theirs).

#define SHORT 32    // maximum number of entries of a short row
#define HUB 8192    // a hub has more entries
#define STRETCH 128 // entries of a row that a warp reads at a time, four per lane

template <class F> DEVICE void each_long_row(i64 n, const offset* indptr, F do_row) {
  for (i64 first = warp_id(); first < n; first += WARP * warp_count()) {
    i64 v = first + lane_id() * warp_count();
    i64 length = v < n ? (i64)indptr[v + 1] - (i64)indptr[v] : 0;
    for (u32 who = __ballot_sync(ALL_LANES, length > SHORT && length <= HUB); who; who &= who - 1)
      do_row(first + (__ffs(who) - 1) * warp_count());
  }
}

// Call do_stretch for all stretches of the rows of listed hubs. The warps take turns across hubs: the first stretch of
// a hub goes to the warp after the last one used for the previous hub. Arguments: the index of the hub in the list, its
// vertex, the start of its row, the start of the stretch, and the end of the row.
template <class F> DEVICE void each_stretch_of_hubs(i64 count, const vertex* hubs, const offset* indptr, F do_stretch) {
  i64 warps = warp_count(), turn = 0;  // the first warp of the next hub
  for (i64 base = 0; base < count; base += WARP) {
    i64 i = base + lane_id(), of_lane = 0, start_of_lane = 0, end_of_lane = 0;
    if (i < count) of_lane = hubs[i], start_of_lane = indptr[of_lane], end_of_lane = indptr[of_lane + 1];
    for (int k = 0; k < WARP && base + k < count; k++) {
      i64 u = __shfl_sync(ALL_LANES, of_lane, k), start = __shfl_sync(ALL_LANES, start_of_lane, k);
      i64 end = __shfl_sync(ALL_LANES, end_of_lane, k), mine = warp_id() - turn;
      if (mine < 0) mine += warps;
      for (i64 e = start + mine * STRETCH; e < end; e += warps * STRETCH) do_stretch(base + k, u, start, e, end);
      turn = (turn + (end - start + STRETCH - 1) / STRETCH) % warps;
    }
  }
}

// Reserve `count` places per lane after `length`, with one atomic operation per warp; return the lane's first place.
template <class T> DEVICE T places_in(T* length, int count) {
  int upto = sum_up_to_lane(count);
  T base = 0;
  if (lane_id() == WARP - 1 && upto > 0) base = atomicAdd(length, (T)upto);
  return __shfl_sync(ALL_LANES, base, WARP - 1) + (upto - count);
}

// Return the row of entry e, one of low .. high: the last row that starts at or before it.
DEVICE i64 row_of(i64 e, const offset* indptr, i64 low, i64 high) {
  while (low < high) {
    i64 middle = (low + high + 1) >> 1;
    if ((i64)indptr[middle] <= e) low = middle; else high = middle - 1;
  }
  return low;
}

#define CHUNK 1024

// Call do_entry for all entries and their rows, one chunk of entries per warp: balanced for any row lengths.
template <class F> DEVICE void each_entry(i64 n, i64 entries, const offset* indptr, F do_entry) {
  for (i64 chunk = warp_id(); chunk * CHUNK < entries; chunk += warp_count()) {
    i64 first = chunk * CHUNK, end = min(first + CHUNK, entries);
    i64 low = row_of(first, indptr, 0, n - 1), high = row_of(end - 1, indptr, low, n - 1);
    for (i64 e = first + lane_id(); e < end; e += WARP) do_entry(row_of(e, indptr, low, high), e);
  }
}
