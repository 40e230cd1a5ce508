// CUDA C++ on the host, for tests: every CUDA thread is a fiber, and one operating system thread runs them in turn.
//
// A fiber runs until it must wait for other fibers at a barrier, a ballot or a shuffle. It may also yield when it
// accesses memory that other fibers write (`relaxed`, atomics); this is random, so schedules differ with the seed. If
// no fiber can continue, the program ends with a message, for example because some threads never reach a barrier.
// Shared memory is in a separate section, whose contents are exchanged when the fibers of another block run. Not
// emulated: the memory model (every write is visible to all fibers at once), time, and textures.

#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#define __device__
#define __global__
#define __host__
// Hidden: otherwise two libraries with the same function would use the shared memory of one of them.
#define __forceinline__ inline __attribute__((visibility("hidden")))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__
#define __shared__ static __attribute__((section("cuda_shared")))
#define __constant__
extern "C" {
extern char __start_cuda_shared[] __attribute__((weak));
extern char __stop_cuda_shared[] __attribute__((weak));
}

struct dim3 { unsigned x = 1, y = 1, z = 1; };
static dim3 threadIdx, blockIdx, blockDim, gridDim;

struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) longlong2 { long long x, y; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

namespace emulated {

typedef unsigned long long word;
constexpr int LANES = 32;
constexpr size_t STACK = 256 * 1024;

#ifdef __x86_64__
// A stack pointer, below which the registers are that a function must preserve. (`swapcontext` makes a system call.)
typedef void* Context;
__attribute__((naked, noinline)) static void switch_context(Context* from, Context* to) {
  asm volatile("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
               "movq %rsp, (%rdi)\n\tmovq (%rsi), %rsp\n\t"
               "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}
inline void begin_context(Context* context, char* stack, void (*body)()) {
  void** top = (void**)((size_t)(stack + STACK - 64) & ~(size_t)15);  // a function begins 8 bytes below a multiple of 16
  top[0] = (void*)body, top[1] = nullptr;
  for (int i = 1; i <= 6; i++) top[-i] = nullptr;
  *context = top - 6;
}
#else
typedef ucontext_t Context;
inline void switch_context(Context* from, Context* to) { swapcontext(from, to); }
inline void begin_context(Context* context, char* stack, void (*body)()) {
  getcontext(context);
  context->uc_stack.ss_sp = stack, context->uc_stack.ss_size = STACK, context->uc_link = nullptr;
  makecontext(context, body, 0);
}
#endif

struct Fiber {
  Context context;
  char* stack = nullptr;
  dim3 thread, block;
  bool finished = false;
  // A collective operation of lanes: the word of this lane, the mask of the lanes, and the lane whose word it wants.
  // Finally the wanted word (or the set of lanes with the word of this lane), and the lowest bits of all words.
  word brought = 0, mask = 0, received = 0;
  int wanted = 0;
  unsigned low_bits = 0;
  bool waits = false;
  unsigned waiting = 0;   // the number of lanes that wait with masks whose lowest lane is this one
  unsigned gone = 0;      // for the first lane of a warp: the lanes that have ended or do not exist
  bool at_barrier = false;
  unsigned barrier = 0;  // the number of barriers that its block had passed when it arrived
};

static std::vector<Fiber*> pool;
static std::vector<Fiber*> fibers;  // of this launch, block by block
static std::vector<std::vector<char>> shared;  // of each block
static std::vector<unsigned> arrived, passed;  // at a block's barrier: the number of threads, and of completed barriers
static std::vector<unsigned> votes;  // whether a thread of the block has voted true
static std::vector<unsigned> alive;  // threads of each block that have not ended
static Context scheduler;
static Fiber* current;
static size_t block_size;
static unsigned long long seed = 1, events = 0, steps = 0;

[[noreturn]] inline void fail(const char* why) {
  fprintf(stderr, "emulated CUDA: %s (block %u, thread %u)\n", why, blockIdx.x, threadIdx.x);
  fflush(stderr);
  abort();
}

inline void yield() { switch_context(&current->context, &scheduler); }
inline unsigned chance() { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return (unsigned)(seed >> 32); }
inline void perhaps_yield() { if (chance() % 16 == 0) { events++; yield(); } }
inline void relax() { if (++steps > 400000000ull) fail("a loop waits without end"); events++; yield(); }

inline Fiber** warp_of(const Fiber* fiber) {
  return &fibers[fiber->block.x * block_size + fiber->thread.x / LANES * LANES];
}

constexpr int EQUAL = -1;  // a lane that wants the set of lanes with an equal word

// Exchange a word among all lanes of `mask`; each lane gets the word of the lane that it wants. The lanes are looked at
// only when enough of them wait, so that an operation of a warp takes a number of steps that is linear in its lanes.
inline word meet(word mask, word brought, int wanted = 0) {
  Fiber** warp = warp_of(current);
  int own = current->thread.x % LANES, count = __builtin_popcountll(mask);
  if (!(mask >> own & 1)) fail("a lane calls a collective operation that its mask leaves out");
  if (mask & warp[0]->gone) fail("a lane of the mask has ended");
  current->brought = brought, current->mask = mask, current->wanted = wanted, current->waits = true;
  Fiber* lowest = warp[__builtin_ctzll(mask)];
  bool complete = ++lowest->waiting >= (unsigned)count;
  for (word rest = mask; complete && rest; rest &= rest - 1) {
    const Fiber* other = warp[__builtin_ctzll(rest)];
    complete = other->waits && other->mask == mask;
  }
  if (complete) {
    events++, lowest->waiting -= count;
    word all[LANES] = {};
    unsigned low_bits = 0;
    for (word rest = mask; rest; rest &= rest - 1) {
      int lane = __builtin_ctzll(rest);
      all[lane] = warp[lane]->brought, low_bits |= (unsigned)(all[lane] & 1) << lane;
    }
    for (word rest = mask; rest; rest &= rest - 1) {
      Fiber* other = warp[__builtin_ctzll(rest)];
      other->low_bits = low_bits, other->waits = false, other->received = 0;
      if (other->wanted != EQUAL) { other->received = all[other->wanted]; continue; }
      for (int lane = 0; lane < LANES; lane++)
        if (mask >> lane & 1 && all[lane] == other->brought) other->received |= (word)1 << lane;
    }
  }
  while (current->waits) yield();
  return current->received;
}

inline void barrier() {
  unsigned block = current->block.x, before = passed[block];
  if (++arrived[block] == alive[block]) arrived[block] = 0, passed[block]++, events++;
  current->at_barrier = true, current->barrier = before;
  while (passed[block] == before) yield();
  current->at_barrier = false;
}
inline bool can_continue(const Fiber* fiber) {
  return !fiber->finished && !fiber->waits && !(fiber->at_barrier && passed[fiber->block.x] == fiber->barrier);
}

inline void ended() {
  unsigned block = current->block.x;
  current->finished = true, events++;
  warp_of(current)[0]->gone |= 1u << current->thread.x % LANES;
  if (--alive[block] > 0 && arrived[block] == alive[block]) arrived[block] = 0, passed[block]++;
}

template <class T> T relaxed(const T* p) { perhaps_yield(); return *(volatile const T*)p; }
template <class T> void store_relaxed(T* p, T x) { perhaps_yield(); *(volatile T*)p = x; }

constexpr int MAX_ARGUMENTS = 26;
typedef void (*Kernel)(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word, word,
                       word, word, word, word, word, word, word, word, word, word);
static Kernel kernel;
static word arguments[MAX_ARGUMENTS];

inline void body() {
  word* a = arguments;
  kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16],
         a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25]);
  ended();
  yield();
}

}  // namespace emulated

extern "C" inline void emulated_launch(void* kernel, int blocks, int threads, const emulated::word* given, int count,
                                       unsigned long long seed) __attribute__((used));
extern "C" inline void emulated_launch(void* kernel, int blocks, int threads, const emulated::word* given, int count,
                                       unsigned long long seed) {
  using namespace emulated;
  emulated::kernel = (Kernel)kernel;
  for (int i = 0; i < MAX_ARGUMENTS; i++) arguments[i] = i < count ? given[i] : 0;
  emulated::seed = seed * 2654435761u + 88172645463325252ull, steps = 0;
  gridDim.x = blocks, blockDim.x = threads, block_size = threads;
  size_t bytes = __start_cuda_shared ? __stop_cuda_shared - __start_cuda_shared : 0;
  shared.assign(blocks, std::vector<char>(bytes, (char)0xA5));  // not zero: a GPU does not clear it
  arrived.assign(blocks, 0), passed.assign(blocks, 0), votes.assign(blocks, 0), alive.assign(blocks, threads);
  fibers.clear();
  for (int i = 0; i < blocks * threads; i++) {
    if ((int)pool.size() <= i) { pool.push_back(new Fiber); pool.back()->stack = (char*)malloc(STACK); }
    Fiber* fiber = pool[i];
    fiber->thread.x = i % threads, fiber->block.x = i / threads, fiber->finished = fiber->waits = fiber->at_barrier = false;
    int lanes = std::min(LANES, threads - i % threads);
    fiber->waiting = 0, fiber->gone = lanes < LANES ? ~0u << lanes : 0;
    begin_context(&fiber->context, fiber->stack, body);
    fibers.push_back(fiber);
  }
  int resident = -1;  // the block whose shared memory is in the section
  for (bool any = true; any;) {
    any = false;
    unsigned long long before = events;
    for (int turn = 0, first = chance() % blocks; turn < blocks; turn++) {
      int block = (first + turn) % blocks;
      if (alive[block] == 0) continue;
      any = true;
      if (bytes && resident != block) {
        if (resident >= 0) memcpy(shared[resident].data(), __start_cuda_shared, bytes);
        memcpy(__start_cuda_shared, shared[block].data(), bytes), resident = block;
      }
      for (int turns = threads, thread = chance() % threads; turns > 0; turns--, thread++) {
        if (thread == threads) thread = 0;
        current = fibers[(size_t)block * threads + thread];
        if (!can_continue(current)) continue;
        threadIdx = current->thread, blockIdx = current->block;
        switch_context(&scheduler, &current->context);
      }
    }
    if (any && events == before) fail("no thread can go on: some wait for others that never come");
  }
}

// ---- Functions of CUDA ----------------------------------------------------------------------------------------------

inline void __syncthreads() { emulated::barrier(); }
inline int __syncthreads_or(int p) {
  unsigned block = emulated::current->block.x;
  emulated::votes[block] |= p != 0;
  emulated::barrier();
  int result = emulated::votes[block];
  emulated::barrier();
  emulated::votes[block] = 0;
  emulated::barrier();
  return result;
}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned) { emulated::relax(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulated::meet(mask, 0); }

namespace emulated {
template <class T> word bits(T x) { word w = 0; static_assert(sizeof(T) <= 8); memcpy(&w, &x, sizeof(T)); return w; }
template <class T> T from_bits(word w) { T x; memcpy(&x, &w, sizeof(T)); return x; }
inline int own_lane() { return current->thread.x % LANES; }
}

inline unsigned __ballot_sync(unsigned mask, bool p) {
  emulated::meet(mask, p);
  return emulated::current->low_bits;
}
inline int __any_sync(unsigned mask, bool p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, bool p) { return __ballot_sync(mask, p) == mask; }
template <class T> T __shfl_sync(unsigned mask, T x, int from, int width = 32) {
  int own = emulated::own_lane();
  return emulated::from_bits<T>(emulated::meet(mask, emulated::bits(x), own / width * width + (from & (width - 1))));
}
template <class T> T __shfl_down_sync(unsigned mask, T x, unsigned by, int width = 32) {
  int own = emulated::own_lane(), from = own % width + by < (unsigned)width ? own + by : own;
  return emulated::from_bits<T>(emulated::meet(mask, emulated::bits(x), from));
}
template <class T> T __shfl_up_sync(unsigned mask, T x, unsigned by, int width = 32) {
  int own = emulated::own_lane(), from = own % width >= (int)by ? own - by : own;
  return emulated::from_bits<T>(emulated::meet(mask, emulated::bits(x), from));
}
template <class T> T __shfl_xor_sync(unsigned mask, T x, int with, int width = 32) {
  int own = emulated::own_lane();
  return emulated::from_bits<T>(emulated::meet(mask, emulated::bits(x), own / width * width + ((own % width) ^ with)));
}
template <class T> unsigned __match_any_sync(unsigned mask, T x) {
  return (unsigned)emulated::meet(mask, emulated::bits(x), emulated::EQUAL);
}
#define EMULATED_ATOMIC(NAME, EXPRESSION)                                                            \
  template <class T, class U> T NAME(T* p, U value) {                                                \
    emulated::perhaps_yield(); T x = (T)value, old = *p; *p = (EXPRESSION); return old; }
EMULATED_ATOMIC(atomicAdd, old + x)
EMULATED_ATOMIC(atomicSub, old - x)
EMULATED_ATOMIC(atomicMin, x < old ? x : old)
EMULATED_ATOMIC(atomicMax, x > old ? x : old)
EMULATED_ATOMIC(atomicAnd, old & x)
EMULATED_ATOMIC(atomicOr, old | x)
EMULATED_ATOMIC(atomicXor, old ^ x)
EMULATED_ATOMIC(atomicExch, x)
template <class T, class U, class V> T atomicCAS(T* p, U expected, V value) {
  emulated::perhaps_yield(); T old = *p; if (old == (T)expected) *p = (T)value; return old;
}

template <class T> T __ldg(const T* p) { return *p; }
template <class T> T __ldcg(const T* p) { return *(volatile const T*)p; }
template <class T> T __ldcs(const T* p) { return *p; }
template <class T, class U> void __stcg(T* p, U x) { *p = (T)x; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
inline int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
inline int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(unsigned long long x) { return x ? __builtin_clzll(x) : 64; }
inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
inline float __uint_as_float(unsigned x) { return emulated::from_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return (unsigned)emulated::bits(x); }
inline int __float_as_int(float x) { return (int)emulated::bits(x); }
inline double __longlong_as_double(long long x) { return emulated::from_bits<double>((emulated::word)x); }
inline long long __double_as_longlong(double x) { return (long long)emulated::bits(x); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline int __float2int_rn(float x) { return (int)std::nearbyintf(x); }
template <class T, class U> std::common_type_t<T, U> min(T a, U b) { return b < a ? b : a; }
template <class T, class U> std::common_type_t<T, U> max(T a, U b) { return a < b ? b : a; }
