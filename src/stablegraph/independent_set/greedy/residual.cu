// Large independent sets by residual degree, in one launch for many rounds; residual_cuda.py drives it.
//
// Result: the set of residual.py, whatever the schedule was.
//
// Rule: v is a candidate  <=>  d(v) <= max(2, the smallest d there is), with d the number of undecided neighbors;
// v joins  <=>  v is a candidate, and (d(v), -h(v), -v) < (d(u), -h(u), -u) for every undecided neighbor u;
// the neighbors of those that join are out, and a vertex whose last undecided neighbor went out is in.
//
// Idea: a wave takes many rounds of few candidates each, so candidates are listed, and all blocks run at once and meet
// at barriers, two in a round: those that are ahead of all their neighbors join; then their neighbors go out, and
// whoever puts one out lowers the degrees around it at once. Lists are those of residual.py: `low` for degrees up to 2,
// `high` for those up to `reach`, which a vertex enters when its degree falls to the bound. When both are empty a pass
// over all vertices finds the smallest degree, and `high` begins anew, a quarter above that. Eight lanes take a row of
// up to SHORT entries, a warp a longer one; the long rows of vertices that go out are cut into pieces, which are read
// by a warp each before the round is over.
//
// State: `residual`, a number a vertex: d(v) > 0 if undecided, 0 in, negative out. Two lists each `low` and `high`, one
// that is read and one that the next round reads; `joined`, of a round. Counts of a step (a round, or the search for
// candidates) have one of three places in turn: this step's, the last one's, which all may still read, and the next
// one's, which is cleared. The launch ends after a budget of work, and the next one goes on.
//
// Races, all benign. While vertices join, their 0 may be read for their degree: they are ahead before and after. While
// vertices go out, others lower their degrees: what is negative becomes more so, and is out all the same. One whose
// degree fell first, and then goes out, stands on a list as others do that were decided since: it is dropped there. A
// vertex that remains has lost one for each neighbor that went out, in whatever order; and it cannot fall to 0 beside a
// member, which is a neighbor that was counted and does not go out.
//
// Cost: about seven microseconds a round, and the row of each vertex once when it is decided, with a random access for
// each entry; rows of candidates until a neighbor is ahead. Work memory: the degree and five ids a vertex, and 16 bytes
// for 128 entries.
//
// Source for the serial algorithm: M. M. Halldorsson, J. Radhakrishnan, "Greed is Good: Approximating Independent Sets
// in Sparse and Bounded-Degree Graphs", Algorithmica 18, 1997.

#define LOW_DEGREE 2
#define SHORT 128  // entries of a row that eight lanes read; residual_cuda.py has it, too
#define PIECE 256
#define GROUP 8  // lanes to a short row
#define GROUP_LANES 255u
#define STEP_COSTS (1ll << 17)  // as many entries as are read in the time that a step takes at least
#define NO_DEGREE (~(u64)0)

enum { LOW, JOINED, PIECES, SMALLEST, COUNTS };  // of a step
enum { HIGH_LENGTHS = 3 * COUNTS, STEP = HIGH_LENGTHS + 2, REACH, HIGH, BARRIER };  // where the rounds stand

struct Round {
  const offset* indptr;
  const vertex* indices;
  i64 seed;
  offset* residual;
  vertex *low, *high;  // what vertices are appended to in this step
  u64* high_length;
  i64 reach;
  vertex* joined;
  i64* pieces;
  u64* counts;  // of this step
};

// Which warp this is, so that those with the smallest numbers are spread over all blocks.
DEVICE i64 spread_warp_id() { return (i64)(threadIdx.x / WARP) * gridDim.x + blockIdx.x; }

// Append a vertex of each lane that wants it to a list; all lanes of a warp together.
DEVICE void append(bool wanted, i64 v, vertex* list, u64* length) {
  u64 place = place_in(length, wanted);
  if (wanted) list[place] = (vertex)v;
}

// Whether u is undecided, or joins in this round, and ahead of v.
DEVICE bool is_ahead(vertex u, vertex v, offset own, const Round& s) {
  offset other = relaxed(s.residual + u);
  if (other < 0 || other > own) return false;
  if (other < own) return true;
  u32 hash_u = hash32(u + s.seed), hash_v = hash32(v + s.seed);
  return hash_u > hash_v || (hash_u == hash_v && u > v);
}

// Candidates join that are ahead of all their neighbors; the others that are undecided are kept, if there is a list.
// A warp takes four vertices of a short list, and 32 of a long one: fewer atomic operations on the lists' lengths.
DEVICE void join_listed(const vertex* list, i64 count, i64 limit, bool keeps, const Round& s) {
  int in_group = lane_id() % GROUP, batch = count > warp_count() * GROUP ? WARP : WARP / GROUP;
  for (i64 base = spread_warp_id() * batch; base < count; base += warp_count() * batch) {
    i64 i = base + lane_id(), start = 0, end = 0;
    bool is_listed = lane_id() < batch && i < count;
    vertex v = is_listed ? list[i] : 0;
    offset own = is_listed ? relaxed(s.residual + v) : (offset)-1;
    bool is_candidate = own > 0 && own <= limit;
    if (is_candidate) start = s.indptr[v], end = s.indptr[v + 1];
    bool is_short = end - start <= SHORT, is_behind = false;
    u32 candidates = __ballot_sync(ALL_LANES, is_candidate && is_short);
    for (int first = 0; first < batch; first += WARP / GROUP) {
      if (!(candidates >> first & (1u << WARP / GROUP) - 1)) continue;
      int from = first + lane_id() / GROUP;
      i64 e = __shfl_sync(ALL_LANES, start, from) + in_group;
      i64 last = __shfl_sync(ALL_LANES, is_short ? end : start, from);
      vertex w = __shfl_sync(ALL_LANES, v, from);
      offset degree = __shfl_sync(ALL_LANES, own, from);
      u32 found = 0;  // the lanes of groups whose vertices have a neighbor ahead
      for (; __any_sync(ALL_LANES, e < last); e += GROUP) {
        found |= __ballot_sync(ALL_LANES, e < last && is_ahead(s.indices[e], w, degree, s));
        if (found >> (lane_id() - in_group) & GROUP_LANES) last = e;
      }
      int group = lane_id() - first;
      if (group >= 0 && group < WARP / GROUP) is_behind = found >> group * GROUP & GROUP_LANES;
    }
    for (u32 who = __ballot_sync(ALL_LANES, !is_short); who; who &= who - 1) {
      int leader = __ffs(who) - 1;
      i64 row = __shfl_sync(ALL_LANES, start, leader), row_end = __shfl_sync(ALL_LANES, end, leader);
      vertex w = __shfl_sync(ALL_LANES, v, leader);
      offset degree = __shfl_sync(ALL_LANES, own, leader);
      bool found = false;
      for (; row < row_end && !found; row += WARP) {
        bool mine = row + lane_id() < row_end && is_ahead(s.indices[row + lane_id()], w, degree, s);
        found = __any_sync(ALL_LANES, mine);
      }
      if (lane_id() == leader) is_behind = found;
    }
    bool joins = is_candidate && !is_behind;
    if (joins) store_relaxed(s.residual + v, (offset)0);
    append(joins, v, s.joined, s.counts + JOINED);
    if (keeps) append(own > 0 && !joins, v, s.low, s.counts + LOW);
  }
}

// The degree falls of entry e, if `any`, in the row of a vertex that went out; all lanes of a warp together.
DEVICE void lower(bool any, i64 e, const Round& s) {
  vertex u = 0;
  offset before = 0;
  if (any) {
    u = s.indices[e];
    if (relaxed(s.residual + u) > 0) before = atomicAdd(s.residual + u, (offset)-1);
  }
  append(before == LOW_DEGREE + 1, u, s.low, s.counts + LOW);
  append(before > LOW_DEGREE + 1 && before == s.reach + 1, u, s.high, s.high_length);
}

// The lane of the k-th bit, or -1 if there are not so many.
DEVICE int lane_of_bit(u32 bits, int k) {
  for (; k; k--) bits &= bits - 1;
  return __ffs(bits) - 1;
}

// Put out entry e, if `any`, in the row of a vertex that joined, and lower the degrees around; all lanes together.
DEVICE void put_out(bool any, i64 e, const Round& s) {
  vertex u = 0;
  bool found = false;
  if (any) {
    u = s.indices[e];
    found = relaxed(s.residual + u) > 0 && atomicMin(s.residual + u, (offset)-1) > 0;
  }
  for (u32 who = __ballot_sync(ALL_LANES, found); who;) {
    int leader = lane_of_bit(who, lane_id() / GROUP), in_group = lane_id() % GROUP;
    vertex w = __shfl_sync(ALL_LANES, u, max(leader, 0));
    i64 start = 0, end = 0;
    if (leader >= 0) start = s.indptr[w], end = s.indptr[w + 1];
    if (end - start > SHORT) {
      if (in_group == 0) {
        u64 place = atomicAdd(s.counts + PIECES, (u64)((end - start + PIECE - 1) / PIECE));
        for (i64 piece = start; piece < end; piece += PIECE, place++) {
          s.pieces[2 * place] = piece;
          s.pieces[2 * place + 1] = min(piece + PIECE, end);
        }
      }
      end = start;
    }
    for (i64 f = start + in_group; __any_sync(ALL_LANES, f < end); f += GROUP) lower(f < end, f, s);
    for (int k = 0; k < WARP / GROUP; k++) who &= who - 1;
  }
}

DEVICE void put_out_neighbors(i64 count, const Round& s) {
  int in_group = lane_id() % GROUP;
  for (i64 base = spread_warp_id() * (WARP / GROUP); base < count; base += warp_count() * (WARP / GROUP)) {
    i64 i = base + lane_id() / GROUP, start = 0, end = 0;
    if (i < count) start = s.indptr[s.joined[i]], end = s.indptr[s.joined[i] + 1];
    bool is_short = end - start <= SHORT;
    i64 e = start + in_group, last = is_short ? end : start, stride = GROUP;
    for (u32 who = __ballot_sync(ALL_LANES, !is_short && in_group == 0);; e += stride) {
      if (!__any_sync(ALL_LANES, e < last)) {  // the long rows come after the others, one by one
        if (!who) break;
        int leader = __ffs(who) - 1;
        e = __shfl_sync(ALL_LANES, start, leader) + lane_id(), last = __shfl_sync(ALL_LANES, end, leader);
        stride = WARP, who &= who - 1;
      }
      put_out(e < last, e, s);
    }
  }
}

DEVICE void lower_by_pieces(i64 count, const Round& s) {
  for (i64 i = spread_warp_id(); i < count; i += warp_count()) {
    i64 end = s.pieces[2 * i + 1];
    for (i64 e = s.pieces[2 * i]; e < end; e += WARP) lower(e + lane_id() < end, e + lane_id(), s);
  }
}

// The smallest degree that the lanes of a warp have found becomes that of the step, if it is smaller.
DEVICE void record_smallest(u64 degree, const Round& s) {
  for (int step = WARP / 2; step; step /= 2) degree = min(degree, __shfl_xor_sync(ALL_LANES, degree, step));
  if (lane_id() == 0 && degree < relaxed(s.counts + SMALLEST)) atomicMin(s.counts + SMALLEST, degree);
}

// A list for the vertices with the smallest degree of all and those a little above. Whether any vertex is undecided.
DEVICE bool begin_high(i64 n, u32* barrier, Round& s) {
  u64 smallest = NO_DEGREE;
  EACH(v, n) if (s.residual[v] > 0) smallest = min(smallest, (u64)s.residual[v]);
  __syncwarp();
  record_smallest(smallest, s);
  grid_barrier(barrier);
  smallest = relaxed(s.counts + SMALLEST);
  if (smallest == NO_DEGREE) return false;
  s.reach = (i64)(smallest + smallest / 4);
  EACH_TOGETHER(v, n) append(v < n && s.residual[v] > 0 && s.residual[v] <= s.reach, v, s.high, s.high_length);
  grid_barrier(barrier);
  return true;
}

// All rounds, or as many as the budget allows, and then the mask; `left` becomes 1 if there are more. At first
// `progress` is zero. `lists` has room for five times n vertices. `budget`: of entries, for a launch.
KERNEL(1) rounds(i64 n, const offset* indptr, const vertex* indices, i64 seed, i64 budget, offset* residual,
                 vertex* lists, i64* pieces, i64* progress, u8* mask, i64* left) {
  u64 *counts = (u64*)progress, *high_lengths = counts + HIGH_LENGTHS;
  u32* barrier = (u32*)(progress + BARRIER);
  i64 step = progress[STEP], high = progress[HIGH], spent = 0;
  Round s = {indptr, indices, seed, residual, 0, 0, 0, progress[REACH], lists + 4 * n, pieces, counts};
  bool some = true;
  while (some && spent < budget) {
    s.counts = counts + step % 3 * COUNTS;
    if (thread_id() < COUNTS) counts[(step + 1) % 3 * COUNTS + thread_id()] = thread_id() == SMALLEST ? NO_DEGREE : 0;
    s.low = lists + (step & 1) * n, s.high = lists + (2 + high) * n, s.high_length = high_lengths + high;
    step++;
    if (step == 1) {
      EACH_TOGETHER(v, n) append(v < n && residual[v] > 0 && residual[v] <= LOW_DEGREE, v, s.low, s.counts + LOW);
      grid_barrier(barrier);
      spent += STEP_COSTS + n;
      continue;
    }
    const vertex* listed = lists + (step & 1) * n;
    i64 count = (i64)relaxed(counts + (step + 1) % 3 * COUNTS + LOW), limit = LOW_DEGREE;
    bool is_low = count > 0;
    if (!is_low) {
      count = (i64)relaxed(s.high_length);
      if (count == 0) {
        some = begin_high(n, barrier, s);
        spent += STEP_COSTS + 2 * n;
        continue;
      }
      // Drop from the list what is decided; it moves to the other place.
      const vertex* from = s.high;
      u64 *old_length = s.high_length, smallest = NO_DEGREE;
      high = 1 - high;
      s.high = lists + (2 + high) * n, s.high_length = high_lengths + high;
      EACH_TOGETHER(i, count) {
        vertex v = i < count ? from[i] : 0;
        offset degree = i < count ? residual[v] : 0;
        append(degree > 0, v, s.high, s.high_length);
        if (degree > 0) smallest = min(smallest, (u64)degree);
      }
      record_smallest(smallest, s);
      grid_barrier(barrier);
      spent += count;
      if (thread_id() == 0) *old_length = 0;
      smallest = relaxed(s.counts + SMALLEST);
      if (smallest == NO_DEGREE) continue;
      listed = s.high, count = (i64)relaxed(s.high_length), limit = (i64)smallest;
    }
    join_listed(listed, count, limit, is_low, s);
    grid_barrier(barrier);
    i64 joined = (i64)relaxed(s.counts + JOINED);
    if (joined) {
      put_out_neighbors(joined, s);
      grid_barrier(barrier);
      i64 piece_count = (i64)relaxed(s.counts + PIECES);
      if (piece_count) {
        lower_by_pieces(piece_count, s);
        grid_barrier(barrier);
      }
    }
    spent += STEP_COSTS + GROUP * (count + joined);
  }
  if (!some) EACH(v, n) mask[v] = residual[v] == 0;
  if (thread_id() == 0) {
    progress[STEP] = step, progress[REACH] = s.reach, progress[HIGH] = high;
    *left = some;
  }
}
