// Ranges of items for blocks (shares), and sums over the threads of a block.

// Return the first item of a share; `shares` shares divide `size` items.
DEVICE i64 start_of(i64 share, i64 shares, i64 size) { return size / shares * share + min(share, size % shares); }

// Return the sum of x over the threads of this block before this one, and the sum over all threads in `total`. All
// threads of the block must call it.
DEVICE i64 sum_before(i64 x, i64& total) {
  __shared__ i64 of_warp[BLOCK / WARP];
  i64 upto = sum_up_to_lane(x);
  int warp = threadIdx.x / WARP;
  if (lane_id() == WARP - 1) of_warp[warp] = upto;
  __syncthreads();
  i64 before = upto - x;
  total = 0;
  for (int i = 0; i < BLOCK / WARP; i++) {
    if (i < warp) before += of_warp[i];
    total += of_warp[i];
  }
  __syncthreads();
  return before;
}
