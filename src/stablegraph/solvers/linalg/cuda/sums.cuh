// Sums of floating-point numbers in a fixed order, and the operations that use these sums, in one launch.
//
// A sum is split into a number of parts, which are ranges of equal length. In each part the threads of a block take
// every BLOCK-th element, and a tree adds their sums. The block that finishes last adds the parts, by the same tree.
// The order therefore depends only on the length and the number of parts. Work memory: one number per part.

// Two sums at once.
struct Pair {
  double first, second;
  DEVICE Pair operator+(const Pair& other) const { return {first + other.first, second + other.second}; }
};

DEVICE double from_lane_across(double x, int step) { return __shfl_xor_sync(ALL_LANES, x, step); }
DEVICE Pair from_lane_across(Pair x, int step) {
  return {from_lane_across(x.first, step), from_lane_across(x.second, step)};
}

DEVICE double written_by_others(const double* p) { return __ldcg(p); }
DEVICE Pair written_by_others(const Pair* p) { return {__ldcg(&p->first), __ldcg(&p->second)}; }

// The shared memory of a block: the sums of its warps, and whether it is the last block.
template <class Number>
struct SumMemory {
  Number warps[BLOCK / WARP];
  bool is_last;
};

// Return the sum over a block, in thread 0.
template <class Number>
DEVICE Number sum_of_block(Number x, SumMemory<Number>& shared) {
  for (int step = WARP / 2; step; step /= 2) x = x + from_lane_across(x, step);
  __syncthreads();
  if (lane_id() == 0) shared.warps[threadIdx.x / WARP] = x;
  __syncthreads();
  Number total{};
  if (threadIdx.x == 0)
    for (int warp = 0; warp < BLOCK / WARP; warp++) total = total + shared.warps[warp];
  return total;
}

// Sum up the results of `each` for all elements; the last block calls `end` with the sum. `ticket` counts finished
// blocks, and is reset to 0.
template <class Number, class Each, class End>
DEVICE void sum_up(SumMemory<Number>& shared, i64 n, i64 parts, Number* sums, u32* ticket, Each each, End end) {
  i64 length = (n + parts - 1) / parts;
  for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
    Number sum{};
    i64 stop = min(n, (part + 1) * length);
    for (i64 i = part * length + threadIdx.x; i < stop; i += BLOCK) sum = sum + each(i);
    sum = sum_of_block(sum, shared);
    if (threadIdx.x == 0) sums[part] = sum;
  }
  if (threadIdx.x == 0) {
    __threadfence();
    shared.is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!shared.is_last) return;
  Number sum{};
  for (i64 part = threadIdx.x; part < parts; part += BLOCK) sum = sum + written_by_others(sums + part);
  sum = sum_of_block(sum, shared);
  if (threadIdx.x == 0) *ticket = 0, end(sum);
}
