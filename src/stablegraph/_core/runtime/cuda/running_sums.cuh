// Running sums. The array is divided into shares, one per warp. A warp first sums its share. After the sums of all
// shares have been added up, it writes the running sums of its elements.

// Return the sum of `x` over this lane and all lanes before it.
DEVICE i64 sum_up_to_lane(i64 x) {
  for (int step = 1; step < WARP; step *= 2) {
    i64 before = __shfl_sync(ALL_LANES, x, (lane_id() - step) & (WARP - 1));
    if (lane_id() >= step) x += before;
  }
  return x;
}

// Replace each sum by the sum of all shares up to this one; for one warp.
KERNEL(8) add_up_sums(i64 shares, i64* sums) {
  i64 total = 0;
  for (i64 first = 0; first < shares; first += WARP) {
    i64 share = first + lane_id(), sum = sum_up_to_lane(share < shares ? sums[share] : 0) + total;
    if (share < shares) sums[share] = sum;
    total = __shfl_sync(ALL_LANES, sum, WARP - 1);
  }
}
