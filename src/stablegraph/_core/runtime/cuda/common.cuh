// The common beginning of all CUDA sources of the package: types, loops, worklists, barriers, and the rules that also
// exist in Python.
//
// VERTEX and OFFSET are the types of `indices` and `indptr`, and BLOCK is the number of threads of a block; they are
// defined when a source is compiled (source.py). Numbers among a kernel's parameters are of type i64; all other
// parameters are pointers.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef VERTEX vertex;
typedef OFFSET offset;

#define WARP 32
#define ALL_LANES 0xffffffffu
#define DEVICE __device__ __forceinline__

// A kernel whose use of registers is limited such that BLOCKS blocks fit on a multiprocessor at once.
#define KERNEL(BLOCKS) extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)

DEVICE int lane_id() { return threadIdx.x & (WARP - 1); }
DEVICE i64 thread_id() { return (i64)blockIdx.x * BLOCK + threadIdx.x; }
DEVICE i64 thread_count() { return (i64)gridDim.x * BLOCK; }
DEVICE i64 warp_id() { return thread_id() / WARP; }
DEVICE i64 warp_count() { return thread_count() / WARP; }

// Loops over items, one thread per item. The second form keeps the lanes of a warp together for ballots and shuffles;
// `i` may be `count` or more in some lanes.
#define EACH(i, count) for (i64 i = thread_id(); i < (count); i += thread_count())
#define EACH_TOGETHER(i, count) for (i64 i = thread_id(); i - lane_id() < (count); i += thread_count())

// Reductions over all lanes of a warp. All lanes must call them together; each gets the result.
template <class T> DEVICE T sum_of_lanes(T x) {
  for (int step = WARP / 2; step; step /= 2) x += __shfl_xor_sync(ALL_LANES, x, step);
  return x;
}
DEVICE u32 union_of_lanes(u32 x) {
  for (int step = WARP / 2; step; step /= 2) x |= __shfl_xor_sync(ALL_LANES, x, step);
  return x;
}

// Return the sum of `x` over this lane and all lanes before it. All lanes must call it together.
template <class T> DEVICE T sum_up_to_lane(T x) {
  for (int by = 1; by < WARP; by *= 2) {
    T before = __shfl_up_sync(ALL_LANES, x, by);
    if (lane_id() >= by) x += before;
  }
  return x;
}

// ---- Memory that other threads write at the same time ---------------------------------------------------------------

#ifdef EMULATED  // compiled by the host's compiler in tests, whose loads let other threads run first
using emulated::relaxed;
using emulated::store_relaxed;
using emulated::relax;
#else
DEVICE u32 relaxed(const u32* p) {
  u32 x;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
DEVICE u64 relaxed(const u64* p) {
  u64 x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
DEVICE int relaxed(const int* p) { return (int)relaxed((const u32*)p); }
DEVICE i64 relaxed(const i64* p) { return (i64)relaxed((const u64*)p); }
DEVICE void store_relaxed(u32* p, u32 x) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
DEVICE void store_relaxed(u64* p, u64 x) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
DEVICE void store_relaxed(int* p, int x) { store_relaxed((u32*)p, (u32)x); }
DEVICE void store_relaxed(i64* p, i64 x) { store_relaxed((u64*)p, (u64)x); }
DEVICE void relax() {}  // called in loops that wait for another thread
// CUDA provides these for unsigned numbers only.
DEVICE i64 atomicAdd(i64* p, i64 x) { return (i64)atomicAdd((u64*)p, (u64)x); }
DEVICE i64 atomicCAS(i64* p, i64 expected, i64 x) { return (i64)atomicCAS((u64*)p, (u64)expected, (u64)x); }
DEVICE i64 atomicExch(i64* p, i64 x) { return (i64)atomicExch((u64*)p, (u64)x); }
#endif

// ---- Worklists -----------------------------------------------------------------------------------------------------

// Assign a place behind `length` to each lane that wants one, with one atomic operation per warp. All lanes must call
// it together. The order of a list therefore varies between runs, and results must not depend on it.
template <class T> DEVICE T place_in(T* length, bool wanted) {
  u32 who = __ballot_sync(ALL_LANES, wanted);
  if (who == 0) return 0;
  int leader = __ffs(who) - 1;
  T base = 0;
  if (lane_id() == leader) base = atomicAdd(length, (T)__popc(who));
  base = __shfl_sync(ALL_LANES, base, leader);
  return base + __popc(who & ((1u << lane_id()) - 1));
}

// ---- A barrier of the whole grid, for kernels that are launched cooperatively ------------------------------------

// `barrier` is two words: the number of blocks that have arrived, which is zero between barriers, and the number of
// completed barriers. All threads must call it.
DEVICE void grid_barrier(u32* barrier) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    u32 generation = relaxed(barrier + 1);
    if (atomicAdd(barrier, 1u) == gridDim.x - 1) {
      store_relaxed(barrier, 0u);
      __threadfence();
      store_relaxed(barrier + 1, generation + 1);
    } else {
      while (relaxed(barrier + 1) == generation) relax();
    }
    __threadfence();
  }
  __syncthreads();
}

// ---- Rules that also exist in Python (tests compare them) -----------------------------------------------------------

// _core/runtime/random.py
DEVICE u32 hash32(u64 number) {
  u32 x = (u32)number;
  x = ((x >> 16) ^ x) * 0x45d9f3bu;
  x = ((x >> 16) ^ x) * 0x45d9f3bu;
  return (x >> 16) ^ x;
}
