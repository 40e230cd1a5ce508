// The scheduler of emulated CUDA threads (emulated_cuda.h).

#define EMULATED_SCHEDULER
#include "emulated_cuda.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#ifndef __x86_64__
#include <ucontext.h>
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

constexpr size_t STACK = 256 * 1024;

#ifdef __x86_64__
// A stack pointer, below which the registers are that a function must preserve. (`swapcontext` makes a system call.)
// The processor predicts where a jump leads; it would expect that `ret` returns to the caller on the same stack.
typedef void* Context;
__attribute__((naked, noinline)) static void switch_context(Context* from, Context* to) {
  asm volatile("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
               "movq %rsp, (%rdi)\n\tmovq (%rsi), %rsp\n\t"
               "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tpopq %rcx\n\tjmp *%rcx");
}
inline void begin_context(Context* context, char* stack, size_t unused, void (*body)()) {
  void** top = (void**)((size_t)(stack + STACK - unused - 64) & ~(size_t)15);  // a function begins 8 bytes below it
  top[0] = (void*)body, top[1] = nullptr;
  for (int i = 1; i <= 6; i++) top[-i] = nullptr;
  *context = top - 6;
}
#else
typedef ucontext_t Context;
inline void switch_context(Context* from, Context* to) { swapcontext(from, to); }
inline void begin_context(Context* context, char* stack, size_t unused, void (*body)()) {
  getcontext(context);
  context->uc_stack.ss_sp = stack, context->uc_stack.ss_size = STACK - unused, context->uc_link = nullptr;
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
static std::vector<std::vector<char>> shared_memory;  // of each block
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
void perhaps_yield() { if (chance() % 16 == 0) { events++; yield(); } }
void relax() { if (++steps > 400000000ull) fail("a loop waits without end"); events++; yield(); }

inline Fiber** warp_of(const Fiber* fiber) {
  return &fibers[fiber->block.x * block_size + fiber->thread.x / LANES * LANES];
}

// Exchange a word among all lanes of `mask`; each lane gets the word of the lane that it wants. The lanes are looked at
// only when enough of them wait, so that an operation of a warp takes a number of steps that is linear in its lanes.
word meet(word mask, word brought, int wanted) {
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
unsigned ballot(word mask, bool vote) {
  meet(mask, vote);
  return current->low_bits;
}

void barrier() {
  unsigned block = current->block.x, before = passed[block];
  if (++arrived[block] == alive[block]) arrived[block] = 0, passed[block]++, events++;
  current->at_barrier = true, current->barrier = before;
  while (passed[block] == before) yield();
  current->at_barrier = false;
}
int any_of_block(bool vote) {
  unsigned block = current->block.x;
  votes[block] |= vote;
  barrier();
  int result = votes[block];
  barrier();
  votes[block] = 0;
  barrier();
  return result;
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

void launch(void* function, int blocks, int threads, const word* values, int count, word start, char* section,
            long bytes) {
  kernel = (Kernel)function;
  for (int i = 0; i < MAX_ARGUMENTS; i++) arguments[i] = i < count ? values[i] : 0;
  seed = start * 2654435761u + 88172645463325252ull, steps = 0;
  gridDim.x = blocks, blockDim.x = threads, block_size = threads;
  shared_memory.resize(blocks);
  for (std::vector<char>& memory : shared_memory) memory.clear();
  arrived.assign(blocks, 0), passed.assign(blocks, 0), votes.assign(blocks, 0), alive.assign(blocks, threads);
  fibers.clear();
  for (int i = 0; i < blocks * threads; i++) {
    if ((int)pool.size() <= i) { pool.push_back(new Fiber); pool.back()->stack = (char*)malloc(STACK); }
    Fiber* fiber = pool[i];
    fiber->thread.x = i % threads, fiber->block.x = i / threads, fiber->finished = fiber->waits = fiber->at_barrier = false;
    int lanes = std::min(LANES, threads - i % threads);
    fiber->waiting = 0, fiber->gone = lanes < LANES ? ~0u << lanes : 0;
    begin_context(&fiber->context, fiber->stack, i % 64 * 320, body);  // stacks in different sets of the caches
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
        if (resident >= 0) shared_memory[resident].assign(section, section + bytes);
        if (shared_memory[block].empty()) memset(section, 0xA5, bytes);  // not zero: a GPU does not clear it
        else memcpy(section, shared_memory[block].data(), bytes);
        resident = block;
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

}  // namespace emulated
