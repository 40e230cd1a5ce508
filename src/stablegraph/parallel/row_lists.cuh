// Lists of vertices in three parts, by the length of their rows in the graph: a thread takes a short row, a warp a medium
// one, a block a long one. All lie in one array: short rows from its beginning, medium ones from entry n - 1 down, long
// ones from n on. SHORT_ROW and LONG_ROW are the most entries that a thread reads, and a warp.

#define NONE ((vertex)((u64)1 << (8 * sizeof(vertex) - 1)))  // nothing to be listed
template <class T> struct Unsigned { typedef u64 type; };
template <> struct Unsigned<int> { typedef u32 type; };
typedef Unsigned<offset>::type entry;  // a place in `indices`; a step beyond the last one does not overflow
enum Part { SHORT, MEDIUM, LONG, PARTS };

struct List {
  vertex* entries;
  i64* lengths;  // of its parts
  i64 n;
  DEVICE vertex& at(int part, i64 i) const { return entries[part == SHORT ? i : part == MEDIUM ? n - 1 - i : n + i]; }
};

DEVICE Part part_of(i64 length) { return length <= SHORT_ROW ? SHORT : length <= LONG_ROW ? MEDIUM : LONG; }

DEVICE void append(const List& next, int part, vertex again) {
  if (again == NONE) return;
  if (again < 0) part = SHORT;  // it is not going to be read
  next.at(part, atomicAdd(next.lengths + part, (i64)1)) = again;
}

// Call `decide(listed, team)` for each entry of a list; what it returns is listed in `next`, unless it is NONE.
template <class Decide> DEVICE void sweep(const List& list, const List& next, u64* shared, Decide decide) {
  i64 count = list.lengths[LONG];
  for (i64 i = blockIdx.x; i < count; i += gridDim.x) {
    vertex again = decide(list.at(LONG, i), OneBlock{shared});
    if (threadIdx.x == 0) append(next, LONG, again);
  }
  count = list.lengths[MEDIUM];
  for (i64 i = warp_id(); i < count; i += warp_count()) {
    vertex again = decide(list.at(MEDIUM, i), OneWarp());
    if (lane_id() == 0) append(next, MEDIUM, again);
  }
  count = list.lengths[SHORT];
  EACH_TOGETHER(i, count) {
    vertex again = i < count ? decide(list.at(SHORT, i), OneThread()) : NONE;
    i64 place = place_in(next.lengths + SHORT, again != NONE);
    if (again != NONE) next.at(SHORT, place) = again;
  }
}
