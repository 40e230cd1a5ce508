// Running sums. The array is divided into shares, one per warp. A warp first sums its share. After the sums of all
// shares have been added up, it writes the running sums of its elements.

// Replace each sum by the sum of all shares up to this one; for one warp.
KERNEL(8) add_up_sums(i64 shares, i64* sums) {
  i64 total = 0;
  for (i64 first = 0; first < shares; first += WARP) {
    i64 share = first + lane_id(), sum = sum_up_to_lane<i64>(share < shares ? sums[share] : 0) + total;
    if (share < shares) sums[share] = sum;
    total = __shfl_sync(ALL_LANES, sum, WARP - 1);
  }
}
