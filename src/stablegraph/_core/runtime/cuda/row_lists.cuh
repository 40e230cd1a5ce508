// Lists of vertices in three parts, by the length of their rows in the graph: a thread processes a short row, a warp a
// medium one, a block a long one. All parts are in one array: short rows upwards from its beginning, medium ones
// downwards from entry n - 1, long ones upwards from n. SHORT_ROW and LONG_ROW are the maximum numbers of entries for a
// thread and for a warp.

#define NONE ((vertex)((u64)1 << (8 * sizeof(vertex) - 1)))  // not to be listed
template <class T> struct Unsigned { typedef u64 type; };
template <> struct Unsigned<int> { typedef u32 type; };
typedef Unsigned<offset>::type entry;  // an index into `indices`; stepping past the last one does not overflow
enum Part { SHORT, MEDIUM, LONG, PARTS };

struct List {
  vertex* entries;
  i64* lengths;  // of the parts
  i64 n;
  DEVICE vertex& at(int part, i64 i) const { return entries[part == SHORT ? i : part == MEDIUM ? n - 1 - i : n + i]; }
};

DEVICE Part part_of(i64 length) { return length <= SHORT_ROW ? SHORT : length <= LONG_ROW ? MEDIUM : LONG; }

DEVICE void append(const List& next, int part, vertex again) {
  if (again == NONE) return;
  if (again < 0) part = SHORT;  // its row will not be read
  next.at(part, atomicAdd(next.lengths + part, (i64)1)) = again;
}

// The memory that the threads of a block share.
struct Shared {
  u64 word;
  i64 base;
  u32 before[BLOCK / WARP];
};

// `place_in` with one atomic operation per block: many lists initially contain all vertices, and atomic operations on
// the same address are serialized. All threads of the block must call it together.
DEVICE i64 place_in_block(i64* length, bool wanted, Shared* shared) {
  u32 who = __ballot_sync(ALL_LANES, wanted);
  int warp = threadIdx.x / WARP;
  if (lane_id() == 0) shared->before[warp] = __popc(who);
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 sum = 0;
    for (int other = 0; other < BLOCK / WARP; other++) {
      u32 own = shared->before[other];
      shared->before[other] = sum;
      sum += own;
    }
    shared->base = sum ? atomicAdd(length, (i64)sum) : 0;
  }
  __syncthreads();
  i64 place = shared->base + shared->before[warp] + __popc(who & ((1u << lane_id()) - 1));
  __syncwarp();  // before the next call writes `before`
  return place;
}

// A loop over items, one thread per item, that keeps the threads of a block together.
#define EACH_BY_BLOCKS(i, count) for (i64 i = thread_id(); i - threadIdx.x < (count); i += thread_count())

// Call `decide(listed, team)` for each entry of a list, and list its result in `next` unless it is NONE. If LISTS is
// false nothing is listed.
template <bool LISTS, class Decide>
DEVICE void sweep(const List& list, const List& next, Shared* shared, Decide decide) {
  i64 count = list.lengths[LONG];
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    vertex again = decide(list.at(LONG, i), OneBlock{&shared->word});
    if (LISTS && threadIdx.x == 0) append(next, LONG, again);
  }
  count = list.lengths[MEDIUM];
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    vertex again = decide(list.at(MEDIUM, i), OneWarp());
    if (LISTS && lane_id() == 0) append(next, MEDIUM, again);
  }
  count = list.lengths[SHORT];
  if constexpr (LISTS) {
    EACH_BY_BLOCKS(i, count) {
      vertex again = i < count ? decide(list.at(SHORT, i), OneThread()) : NONE;
      i64 place = place_in_block(next.lengths + SHORT, again != NONE, shared);
      if (again != NONE) next.at(SHORT, place) = again;
    }
  } else {
    EACH(i, count) decide(list.at(SHORT, i), OneThread());
  }
}
