// CUDA C++ on the host, for tests: every CUDA thread is a fiber, and one operating system thread runs them in turn.
//
// A fiber runs until it must wait for other fibers at a barrier, a ballot or a shuffle. It may also yield when it
// accesses memory that other fibers write (`relaxed`, atomics); this is random, so schedules differ with the seed. If
// no fiber can continue, the program ends with a message, for example because some threads never reach a barrier.
// Shared memory is in a separate section, whose contents are exchanged when the fibers of another block run. Not
// emulated: the memory model (every write is visible to all fibers at once), time, and textures.
//
// Each source is compiled with this header. The scheduler (emulated_cuda.cpp) is compiled once, and all sources share
// it. The header includes few other headers, because the compiler would need more time for them than for a source.

#pragma once
#include <cmath>
#include <cstring>
#include <type_traits>

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

struct dim3 { unsigned x = 1, y = 1, z = 1; };
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

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
constexpr int EQUAL = -1;  // a lane that wants the set of lanes with an equal word

// The scheduler's functions for the current fiber.
word meet(word mask, word brought, int wanted = 0);
unsigned ballot(word mask, bool vote);
void barrier();
int any_of_block(bool vote);
void perhaps_yield();
void relax();
void launch(void* function, int blocks, int threads, const word* values, int count, word start, char* section,
            long bytes);  // with the section of shared memory

template <class T> T relaxed(const T* p) { perhaps_yield(); return *(volatile const T*)p; }
template <class T> void store_relaxed(T* p, T x) { perhaps_yield(); *(volatile T*)p = x; }

}  // namespace emulated

#ifndef EMULATED_SCHEDULER
extern "C" {
extern char __start_cuda_shared[] __attribute__((weak));  // of this library
extern char __stop_cuda_shared[] __attribute__((weak));
void emulated_launch(void* kernel, int blocks, int threads, const emulated::word* arguments, int count,
                     emulated::word seed) {
  long bytes = __start_cuda_shared ? __stop_cuda_shared - __start_cuda_shared : 0;
  emulated::launch(kernel, blocks, threads, arguments, count, seed, __start_cuda_shared, bytes);
}
}
#endif

// ---- Functions of CUDA ----------------------------------------------------------------------------------------------

inline void __syncthreads() { emulated::barrier(); }
inline int __syncthreads_or(int p) { return emulated::any_of_block(p != 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __nanosleep(unsigned) { emulated::relax(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { emulated::meet(mask, 0); }

namespace emulated {
template <class T> word bits(T x) { word w = 0; static_assert(sizeof(T) <= 8); memcpy(&w, &x, sizeof(T)); return w; }
template <class T> T from_bits(word w) { T x; memcpy(&x, &w, sizeof(T)); return x; }
inline int own_lane() { return threadIdx.x % LANES; }
}

inline unsigned __ballot_sync(unsigned mask, bool p) { return emulated::ballot(mask, p); }
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
