// Maximal independent set by fixed priorities: the asynchronous algorithm of ECL-MIS; the driver is priority.py.
//
// Result: the set of ../greedy/priority.py. It depends on the graph and the order, but not on the schedule.
//
// Rule: v joins  <=>  every neighbor of v that is not out is behind it; its neighbors then are out.
//
// Idea: no rounds. Each thread tries its vertices repeatedly, and reads states while other threads change them. This is
// harmless: a state changes once, from undecided to out or in, and a vertex that reads the new state only makes the
// same decision earlier. The lanes of a warp finish rows of more than LONG entries together.
//
// State: words of four bytes each (order.cuh): 0 out, 255 in, 1..253 undecided (the place in the order).
//
// Races, all benign: a thread may read a mixture of older and newer states. A vertex that reads a member as undecided,
// or reads it as in before its own state is out, waits for another turn.
//
// Cost: on average fewer than two entries of a row are read until a vertex is known to wait; rows of members are read
// twice. Work memory: one byte per vertex.
//
// Alternatives, measured on an H200 with 4 to 17 million vertices: lists of waiting vertices, with one launch per
// pass, take 1.3 to 1.5 times as long; a fence before a vertex is put in, 1.2 to 1.3 times; states in single bytes, up
// to 1.2 times; all three kernels in one launch with barriers, 1.0 to 1.2 times.
//
// Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
// Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018.

#ifdef EMULATED
#define LONG 3
#define MAX_TURNS 30
#define SAMPLE 16
#else
#define SAMPLE 512  // vertices whose numbers are sorted; the resolution of the bytes changes only the time
#define MAX_TURNS 4096  // passes over the vertices of a thread in one launch: bounds the latency of Ctrl-C
#define LONG 24  // entries that one thread reads before its whole warp continues
#endif

enum Found { DECIDED, WAITS, WINS, UNKNOWN };

// Return whether u, a neighbor of v, is ahead of v, whose byte is `own`.
DEVICE bool is_ahead(vertex u, vertex v, u32 own, const u32* words, const Order& order) {
  u32 byte = byte_of(words, u);
  return byte > own || (byte == own && outranks(u, v, order));
}

// Return whether v waits, wins, or is decided; UNKNOWN if its row is long and no neighbor at its beginning is ahead.
// If v waits, `u` becomes a neighbor for which it does.
DEVICE Found look(vertex v, const offset* indptr, const vertex* indices, const u32* words, const Order& order,
                  vertex& u) {
  u32 own = byte_of(words, v);
  if (!is_undecided(own)) return DECIDED;
  offset start = indptr[v], row_end = indptr[v + 1], end = row_end - start > LONG ? start + LONG : row_end, e = start;
  for (; end - e >= 4; e += 4) {  // four loads at once
    vertex a = indices[e], b = indices[e + 1], c = indices[e + 2], d = indices[e + 3];
    bool first = is_ahead(a, v, own, words, order), second = is_ahead(b, v, own, words, order);
    bool third = is_ahead(c, v, own, words, order), fourth = is_ahead(d, v, own, words, order);
    u = first ? a : second ? b : third ? c : d;
    if (first | second | third | fourth) return WAITS;
  }
  for (; e < end; e++) if (is_ahead(u = indices[e], v, own, words, order)) return WAITS;
  return end < row_end ? UNKNOWN : WINS;
}

// Try a vertex per lane (none if v is negative), with all lanes of a warp together. Return whether it still waits; then
// `u` becomes a neighbor for which it does, or -1 if that is none of the first LONG entries of its row.
DEVICE bool attempt(vertex v, const offset* indptr, const vertex* indices, u32* words, const Order& order, vertex& u) {
  Found found = v < 0 ? DECIDED : look(v, indptr, indices, words, order, u);
  if (found == UNKNOWN) u = -1;
  for (u32 who = __ballot_sync(ALL_LANES, found == UNKNOWN); who; who &= who - 1) {
    int leader = __ffs(who) - 1;
    vertex w = __shfl_sync(ALL_LANES, v, leader);
    i64 start = indptr[w], end = indptr[w + 1];
    u32 own = byte_of(words, w);  // if w is out by now, a neighbor that is ahead is about to be in
    bool ahead = false;
    for (i64 e = start + LONG + lane_id(); e - lane_id() < end && !ahead; e += 2 * WARP) {  // two loads at once
      vertex a = e < end ? indices[e] : w, b = e + WARP < end ? indices[e + WARP] : w;
      bool mine = is_ahead(a, w, own, words, order) | is_ahead(b, w, own, words, order);
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

#ifndef SEVERAL_CARDS  // the kernels of spread_sets.cu follow instead
// Write the byte of each vertex, a monotone image of the order on 253 values. Vertices without neighbors are in.
// Parameters: for "ecl", `a` is the bits of the average degree. For "degree" and "high_degree", `a` is the bits of the
// largest degree + 1, and `b` is the number of bytes per step of these bits, times 2^32. For "natural", `a` is the
// number of bytes per id, times 2^32.
KERNEL(2) write_bytes(i64 n, i64 seed, const offset* degree_ptr, i64 less, i64 a, i64 b, u8* bytes) {
  Order order = {seed, degree_ptr, less, 0};
  EACH(v, n) {
    i64 degree = degree_of(v, order);
    u32 hash = hash32(v + seed);
    u32 byte = IN;
    if (degree > 0) {
      if (BY == BY_HASH) byte = (u32)((u64)hash * TOP >> 32) + 1;
      else if (BY == BY_SMALLER_ID) byte = TOP - (u32)min((u64)v * a >> 32, (u64)TOP - 1);
      else if (BY == BY_ID) {  // as in ECL-MIS: every step in single precision
        float average = __uint_as_float((u32)a), scaled = 126 * average;
        float x = (float)degree - (float)hash * 0x1p-32f;
        byte = 2 * __float2int_rn(__fdiv_rn(scaled, __fadd_rn(average, x))) | 1;
      } else {  // the bits of a float approximate its logarithm
        float fraction = BY == BY_DEGREE ? 1 - (float)hash * 0x1p-32f : __fdiv_rn((float)v, (float)n);
        i64 bits = __float_as_int(__fadd_rn((float)degree, fraction)), lowest = 0x3f800000;  // the bits of 1
        i64 steps = BY == BY_DEGREE ? a - bits : bits - lowest;
        byte = (u32)((u64)min(max(steps, (i64)0), a - lowest) * b >> 32) + 1;
      }
    }
    bytes[v] = (u8)byte;
  }
}

// Numbers and ratios have no formula for the byte: it is 1 plus the number of quantiles of a sample that are not
// larger.
// Return a number that never decreases where the number or the ratio of a vertex increases (`score` in ratios.py).
DEVICE u64 key_of(i64 v, const Order& order, bool are_large) {
  u64 value = order.values[v];
  if (BY < BY_RATIO) return value >> 2;
  u64 divisor = degree_of(v, order) + 1;
  double ratio = BY == BY_FLOAT_RATIO ? __longlong_as_double((i64)value) / (double)divisor
                 : are_large          ? (double)(value / divisor)
                                      : (double)value / (double)divisor;
  return (u32)__float_as_int((float)min(ratio, 3.0e38));
}

// Write 252 quantiles of a sample, ascending, and 3 numbers that are larger than every key. One block sorts the sample
// by a bitonic network.
KERNEL(1) find_quantiles(i64 n, i64 seed, const offset* degree_ptr, i64 less, const u64* values, i64 are_large,
                         u64* quantiles) {
  __shared__ u64 sample[SAMPLE];
  Order order = {seed, degree_ptr, less, values};
  for (int i = threadIdx.x; i < SAMPLE; i += BLOCK) sample[i] = n ? key_of(i * n / SAMPLE, order, are_large != 0) : 0;
  for (int size = 2; size <= SAMPLE; size *= 2) {
    for (int step = size / 2; step; step /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < SAMPLE; i += BLOCK) {
        u64 left = sample[i], right = sample[i ^ step];
        if (!(i & step) && (left > right) == !(i & size)) sample[i] = right, sample[i ^ step] = left;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 255; i += BLOCK) {
    quantiles[i] = i < (int)TOP - 1 ? sample[i * (SAMPLE - 1) / ((int)TOP - 2)] : ~0ull;
  }
}

KERNEL(2) write_quantile_bytes(i64 n, i64 seed, const offset* degree_ptr, i64 less, const u64* values, i64 are_large,
                               const u64* quantiles, u8* bytes) {
  __shared__ u64 table[255];
  for (int i = threadIdx.x; i < 255; i += BLOCK) table[i] = quantiles[i];
  __syncthreads();
  Order order = {seed, degree_ptr, less, values};
  EACH(v, n) {
    u64 key = key_of(v, order, are_large != 0);
    int low = 0;
    for (int half = 128; half; half /= 2) low += table[low + half - 1] <= key ? half : 0;
    bytes[v] = (u8)(degree_of(v, order) > 0 ? low + 1 : IN);
  }
}

// Decide vertices in up to MAX_TURNS turns; `left` becomes 1 if some still wait.
KERNEL(2) decide(i64 n, const offset* indptr, const vertex* indices, i64 seed, const offset* degree_ptr, i64 less,
                 const u64* values, u32* words, i64* left) {
  Order order = {seed, degree_ptr, less, values};
  bool some = true;
  vertex u;  // not used
  for (int turn = 0; turn < MAX_TURNS && some; turn++) {
    some = false;
    EACH_TOGETHER(v, n) some |= attempt(v < n ? (vertex)v : -1, indptr, indices, words, order, u);
    some = __any_sync(ALL_LANES, some);
  }
  if (some && lane_id() == 0) store_relaxed(left, (i64)1);
}

// Write the mask of the set, four vertices at a time.
KERNEL(2) members(i64 n, const u32* words, u8* mask) {
  EACH(i, (n + 3) / 4) {
    u32 in = words[i];
    for (int k = 0; k < 4 && 4 * i + k < n; k++) mask[4 * i + k] = (in >> k * 8 & 255u) == IN;
  }
}
#endif
