// Maximal independent set by fixed priorities, as ECL-MIS does it on a GPU; priority_cuda.py drives it.
//
// Result: the set of priority.py; it is a property of the graph and the order, not of the schedule.
//
// Rule: v joins  <=>  every neighbor of v that is not out is behind it; its neighbors then are out.
//
// Idea: no rounds. Each thread goes through its vertices again and again, and reads states while others change them.
// That does no harm: a state changes once, from undecided to out or in, and both only let a vertex decide what it would
// have decided later. Rows of more than LONG entries are finished by the warp together.
//
// State: words of four bytes each (order.cuh), 0 out, 255 in, 1..253 undecided: the place in the order.
//
// Races, all benign: a state that is read may be older than another one that is read after it. Whoever sees a member as
// undecided, or as in before its neighbors are out, waits for it once more.
//
// Cost: on average fewer than two entries of each row are read before a vertex is known to wait, and rows of members
// twice. Work memory: a byte a vertex.
//
// Measured on an H200: lists of those that wait, for one launch after another, take 1.3 to 1.5 times as long (4 to
// 17 million vertices); a fence before a vertex is put in, 1.2 to 1.3 times; states by single bytes up to 1.2 times.
//
// Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
// Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018.

#ifdef EMULATED
#define LONG 3
#define MOST_TURNS 30
#else
#define MOST_TURNS 4096  // through the vertices of a thread in one launch, so that Ctrl-C is heard
#define LONG 96  // entries that one thread reads before its warp helps
#endif

enum Found { DECIDED, WAITS, WINS, UNKNOWN };

// Whether u, a neighbor of v, is ahead of v, whose byte is `own`.
DEVICE bool is_ahead(vertex u, vertex v, u32 own, const u32* words, const Order& order) {
  u32 byte = byte_of(words, u);
  return byte > own || (byte == own && outranks(u, v, order));
}

// Whether v must wait, wins, or is decided already; UNKNOWN if its row is long, and nobody is ahead in its beginning.
DEVICE Found look(vertex v, const offset* indptr, const vertex* indices, const u32* words, const Order& order) {
  u32 own = byte_of(words, v);
  if (!is_undecided(own)) return DECIDED;
  offset start = indptr[v], row_end = indptr[v + 1], end = row_end - start > LONG ? start + LONG : row_end, e = start;
  for (; end - e >= 4; e += 4) {  // four loads at once
    vertex a = indices[e], b = indices[e + 1], c = indices[e + 2], d = indices[e + 3];
    bool ahead = is_ahead(a, v, own, words, order) | is_ahead(b, v, own, words, order);
    if (ahead | is_ahead(c, v, own, words, order) | is_ahead(d, v, own, words, order)) return WAITS;
  }
  for (; e < end; e++) if (is_ahead(indices[e], v, own, words, order)) return WAITS;
  return end < row_end ? UNKNOWN : WINS;
}

// One try at a vertex (none where v is negative), by all lanes of a warp together. Whether it still waits.
DEVICE bool attempt(vertex v, const offset* indptr, const vertex* indices, u32* words, const Order& order) {
  Found found = v < 0 ? DECIDED : look(v, indptr, indices, words, order);
  for (u32 who = __ballot_sync(ALL_LANES, found == UNKNOWN); who; who &= who - 1) {
    int leader = __ffs(who) - 1;
    vertex w = __shfl_sync(ALL_LANES, v, leader);
    i64 start = indptr[w], end = indptr[w + 1];
    u32 own = byte_of(words, w);  // put out meanwhile, it has a neighbor that is ahead, and about to be in
    bool ahead = false;
    for (i64 e = start + LONG; e < end && !ahead; e += WARP) {
      bool mine = e + lane_id() < end && is_ahead(indices[e + lane_id()], w, own, words, order);
      ahead = __any_sync(ALL_LANES, mine);
    }
    if (!ahead) {
      for (i64 e = start + lane_id(); e < end; e += WARP) if (indices[e] != w) put_out(words, indices[e]);
      if (lane_id() == leader) put_in(words, w);
    }
    if (lane_id() == leader) found = ahead ? WAITS : DECIDED;
  }
  if (found == WINS) {
    for (offset e = indptr[v], end = indptr[v + 1]; e < end; e++) if (indices[e] != v) put_out(words, indices[e]);
    put_in(words, v);
  }
  return found == WAITS;
}

// The byte of each vertex: a monotone image of the order, as fine as 253 values can be. Vertices without neighbors are
// in. `a` and `b` are for "ecl" the bits of the average degree, for "degree" and "high_degree" those of the largest one
// + 1 and how many of their logarithm belong to a byte, for "natural" bytes for each id.
KERNEL(8) write_bytes(i64 n, i64 seed, const offset* degree_ptr, i64 less, i64 a, i64 b, u8* bytes) {
  Order order = {seed, degree_ptr, less, 0};
  EACH(v, n) {
    i64 degree = degree_of(v, order);
    u32 hash = hash32(v + seed);
    u32 byte = IN;
    if (degree > 0) {
      if (BY == BY_HASH) byte = (u32)((u64)hash * TOP >> 32) + 1;
      else if (BY == BY_SMALLER_ID) byte = TOP - (u32)min((u64)v * a >> 32, (u64)TOP - 1);
      else if (BY == BY_ID) {  // ECL-MIS's: every step in single precision
        float average = __uint_as_float((u32)a), scaled = 126 * average;
        float x = (float)degree - (float)hash * 0x1p-32f;
        byte = 2 * __float2int_rn(__fdiv_rn(scaled, __fadd_rn(average, x))) | 1;
      } else {  // the bits of a float are, piecewise linearly, its logarithm
        float fraction = BY == BY_DEGREE ? 1 - (float)hash * 0x1p-32f : __fdiv_rn((float)v, (float)n);
        i64 bits = __float_as_int(__fadd_rn((float)degree, fraction)), lowest = 0x3f800000;  // those of 1
        i64 steps = BY == BY_DEGREE ? a - bits : bits - lowest;
        byte = (u32)((u64)min(max(steps, (i64)0), a - lowest) * b >> 32) + 1;
      }
    }
    bytes[v] = (u8)byte;
  }
}

// Decide all vertices, or many in MOST_TURNS turns; `left` becomes 1 if some wait still.
KERNEL(8) decide(i64 n, const offset* indptr, const vertex* indices, i64 seed, const offset* degree_ptr, i64 less,
                 const u64* values, u32* words, i64* left) {
  Order order = {seed, degree_ptr, less, values};
  bool some = true;
  for (int turn = 0; turn < MOST_TURNS && some; turn++) {
    some = false;
    EACH_TOGETHER(v, n) some |= attempt(v < n ? (vertex)v : -1, indptr, indices, words, order);
    some = __any_sync(ALL_LANES, some);
  }
  if (some && lane_id() == 0) store_relaxed(left, (i64)1);
}

// The mask of the set, four vertices at a time.
KERNEL(8) members(i64 n, const u32* words, u8* mask) {
  EACH(i, (n + 3) / 4) {
    u32 in = words[i];
    for (int k = 0; k < 4 && 4 * i + k < n; k++) mask[4 * i + k] = (in >> k * 8 & 255u) == IN;
  }
}
