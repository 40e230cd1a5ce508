// Rows by length: a thread has a short one, a warp a long one, and all warps together go through a hub.
//
// Adjacent rows go to different warps, as hubs often have adjacent numbers (R-MAT graphs begin with theirs).

#define SHORT 32    // entries
#define HUB 8192    // more than so many
#define STRETCH 128 // entries of a row that a warp reads at a time, four a lane

template <class F> DEVICE void each_long_row(i64 n, const offset* indptr, F do_row) {
  for (i64 first = warp_id(); first < n; first += WARP * warp_count()) {
    i64 v = first + lane_id() * warp_count();
    i64 length = v < n ? (i64)indptr[v + 1] - (i64)indptr[v] : 0;
    for (u32 who = __ballot_sync(ALL_LANES, length > SHORT && length <= HUB); who; who &= who - 1)
      do_row(first + (__ffs(who) - 1) * warp_count());
  }
}

// Where each lane gets `count` places behind `length`, with one atomic operation for the warp.
template <class T> DEVICE T places_in(T* length, int count) {
  int upto = count;
  for (int by = 1; by < WARP; by *= 2) {
    int before = __shfl_up_sync(ALL_LANES, upto, by);
    if (lane_id() >= by) upto += before;
  }
  T base = 0;
  if (lane_id() == WARP - 1 && upto > 0) base = atomicAdd(length, (T)upto);
  return __shfl_sync(ALL_LANES, base, WARP - 1) + (upto - count);
}
