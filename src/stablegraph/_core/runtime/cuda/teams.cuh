// Threads that read a row together: one thread, a warp, or a block. All have the same functions, so that a kernel's
// rule is written once, for a `Team`. All threads of a team must call `any`, `least` and `sum` together, and get the
// same result. PartOfWarp is for short rows.

struct OneThread {
  DEVICE int rank() const { return 0; }
  DEVICE int size() const { return 1; }
  DEVICE bool any(bool p) const { return p; }
  template <class T> DEVICE T least(T x) const { return x; }
  DEVICE i64 sum(i64 x) const { return x; }
};

struct OneWarp {
  DEVICE int rank() const { return lane_id(); }
  DEVICE int size() const { return WARP; }
  DEVICE bool any(bool p) const { return __any_sync(ALL_LANES, p); }
  template <class T> DEVICE T least(T x) const {
    for (int step = WARP / 2; step; step /= 2) x = min(x, __shfl_xor_sync(ALL_LANES, x, step));
    return x;
  }
  DEVICE i64 sum(i64 x) const { return sum_of_lanes(x); }
};

struct OneBlock {
  u64* shared;  // one word in the shared memory of the block
  DEVICE int rank() const { return threadIdx.x; }
  DEVICE int size() const { return BLOCK; }
  DEVICE bool any(bool p) const { return __syncthreads_or(p); }
  template <class T> DEVICE T least(T x) const {  // of unsigned numbers
    x = OneWarp().least(x);
    if (threadIdx.x == 0) *shared = ~0ull;
    __syncthreads();
    if (lane_id() == 0) atomicMin(shared, (u64)x);
    return (T)together();
  }
  DEVICE i64 sum(i64 x) const {
    x = OneWarp().sum(x);
    if (threadIdx.x == 0) *shared = 0;
    __syncthreads();
    if (lane_id() == 0) atomicAdd(shared, (u64)x);
    return (i64)together();
  }
  DEVICE u64 together() const {
    __syncthreads();
    u64 all = *shared;
    __syncthreads();
    return all;
  }
};

// LANES adjacent lanes of a warp, a power of two. The other lanes of the warp may execute different code.
template <int LANES> struct PartOfWarp {
  DEVICE int rank() const { return threadIdx.x % LANES; }
  DEVICE int size() const { return LANES; }
  DEVICE u32 mask() const { return LANES == WARP ? ALL_LANES : ((1u << LANES % WARP) - 1) << first(); }
  DEVICE void meet() const { __syncwarp(mask()); }
  DEVICE u32 which(bool p) const { return __ballot_sync(mask(), p) >> first(); }  // bit i is lane i of the part
  template <class T> DEVICE T from(T x, int rank) const { return __shfl_sync(mask(), x, rank, LANES); }
  template <class T> DEVICE T sum(T x) const {
    for (int step = LANES / 2; step; step /= 2) x += __shfl_xor_sync(mask(), x, step);
    return x;
  }
  template <class T> DEVICE T least(T x) const {
    for (int step = LANES / 2; step; step /= 2) x = min(x, __shfl_xor_sync(mask(), x, step));
    return x;
  }
  DEVICE bool any(bool p) const { return __any_sync(mask(), p); }

 private:
  DEVICE int first() const { return lane_id() / LANES * LANES; }
};
