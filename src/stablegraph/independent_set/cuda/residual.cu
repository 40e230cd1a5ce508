// Large independent sets by residual degree, with many rounds in one launch; the driver is residual.py.
//
// Result: the set of ../greedy/residual.py, on every schedule.
//
// Rule: v is a candidate  <=>  d(v) <= max(2, the smallest d of all), with d the number of undecided neighbors;
// v joins  <=>  v is a candidate, and (d(v), -h(v), -v) < (d(u), -h(u), -u) for every undecided neighbor u;
// the neighbors of joined vertices are out, and a vertex whose last undecided neighbor went out is in.
//
// Idea: a wave takes many rounds with few candidates each. Therefore candidates are listed, and all blocks run
// concurrently with two barriers per round. First, vertices that are ahead of all their neighbors join. Then their
// neighbors go out, and the warp that puts a vertex out decreases the degrees around it at once. The lists are those of
// ../greedy/residual.py: `low` for degrees up to 2, `high` for degrees up to `reach`; a vertex is added when its degree falls to
// the bound. When both lists are empty, a pass over all vertices finds the smallest degree, and `high` is rebuilt with
// a `reach` a quarter above it. Eight lanes read a row of up to SHORT entries, and a warp reads a longer one. Long rows
// of vertices that go out are cut into pieces; a warp reads each piece before the round ends.
//
// State: `residual`, one number per vertex: d(v) > 0 if undecided, 0 in, negative out. Two lists each for `low` and
// `high`: one to read and one for the next round. `joined`: the vertices that join in this round. The counts of a step
// (a round, or the search for candidates) use one of three slots in rotation: one for this step, one for the last step,
// which threads may still read, and one for the next step, which is being cleared. The launch ends when its budget of
// work is spent, and the next launch continues.
//
// Races, all benign. While a vertex joins, its neighbors may read its degree or 0; it is ahead of them with both. While
// a vertex goes out, threads may decrease its degree; a negative number becomes more negative and still means out. If a
// degree falls to a bound and the vertex then goes out, the vertex remains on a list; like all listed vertices that
// have been decided, it is dropped in the next pass. An undecided vertex has lost exactly one for each neighbor that
// went out, in any order. The degree of a neighbor of a member cannot fall to 0, because the member was counted and
// does not go out.
//
// Cost: about seven microseconds per round. The row of each vertex is read once when it is decided, with a random
// access for each entry; rows of candidates are read until a neighbor is ahead. Work memory: the degree and five ids
// per vertex, and 16 bytes per 128 entries.
//
// Source for the serial algorithm: M. M. Halldorsson, J. Radhakrishnan, "Greed is Good: Approximating Independent Sets
// in Sparse and Bounded-Degree Graphs", Algorithmica 18, 1997.

#define LOW_DEGREE 2
#define SHORT 128  // the longest row that eight lanes read; equal to _SHORT in residual.py
#define PIECE 256
#define GROUP 8  // lanes per short row
#define GROUP_LANES 255u
#define STEP_COSTS (1ll << 17)  // the number of entries that could be read in the minimum time of a step
#define NO_DEGREE (~(u64)0)

enum { LOW, JOINED, PIECES, SMALLEST, COUNTS };  // counts of a step
enum { HIGH_LENGTHS = 3 * COUNTS, STEP = HIGH_LENGTHS + 2, REACH, HIGH };  // places in `progress`

struct Round {
  const offset* indptr;
  const vertex* indices;
  i64 seed;
  offset* residual;
  vertex *low, *high;  // the lists to which this step appends
  u64* high_length;
  i64 reach;
  vertex* joined;
  i64* pieces;
  u64* counts;  // of this step
};

// Return the number of this warp; warps with small numbers are spread over all blocks.
DEVICE i64 spread_warp_id() { return (i64)(threadIdx.x / WARP) * gridDim.x + blockIdx.x; }

// Append the vertex of each lane with `wanted` to a list; all lanes of a warp work together.
DEVICE void append(bool wanted, i64 v, vertex* list, u64* length) {
  u64 place = place_in(length, wanted);
  if (wanted) list[place] = (vertex)v;
}

// Return whether u is ahead of v, and undecided or joining in this round.
DEVICE bool is_ahead(vertex u, vertex v, offset own, const Round& s) {
  offset other = relaxed(s.residual + u);
  if (other < 0 || other > own) return false;
  if (other < own) return true;
  u32 hash_u = hash32(u + s.seed), hash_v = hash32(v + s.seed);
  return hash_u > hash_v || (hash_u == hash_v && u > v);
}

// Let the candidates join that are ahead of all their neighbors; with `keeps`, append the other undecided vertices to
// `low`. A warp takes four vertices at a time from a short list, and 32 from a long one, which saves atomic operations
// on the lists' lengths.
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
      u32 found = 0;  // bits of lanes whose group has found a neighbor ahead
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

// Decrease the degree of entry e (if `any`) in the row of a vertex that went out; all lanes of a warp work together.
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

// Return the lane of the k-th bit, or -1 if there are at most k bits.
DEVICE int lane_of_bit(u32 bits, int k) {
  for (; k; k--) bits &= bits - 1;
  return __ffs(bits) - 1;
}

// Put out entry e (if `any`) in the row of a joined vertex, and decrease the degrees around it; all lanes together.
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
      if (!__any_sync(ALL_LANES, e < last)) {  // after the short rows, the warp reads the long rows one by one
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

// Update the smallest degree of the step with the smallest degree that the lanes of a warp have found.
DEVICE void record_smallest(u64 degree, const Round& s) {
  for (int step = WARP / 2; step; step /= 2) degree = min(degree, __shfl_xor_sync(ALL_LANES, degree, step));
  if (lane_id() == 0 && degree < relaxed(s.counts + SMALLEST)) atomicMin(s.counts + SMALLEST, degree);
}

// Rebuild `high` from vertices with the smallest degree or slightly above. Return whether any vertex is undecided.
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

// Run rounds until all vertices are decided or the budget is spent, and write the mask at the end; `left` becomes 1 if
// vertices remain. In the first launch, `progress` is zero. `lists` has room for 5 n vertices. `budget` is the number
// of entries per launch.
KERNEL(1) rounds(i64 n, const offset* indptr, const vertex* indices, i64 seed, i64 budget, offset* residual,
                 vertex* lists, i64* pieces, i64* progress, u8* mask, u32* barrier, i64* left) {
  u64 *counts = (u64*)progress, *high_lengths = counts + HIGH_LENGTHS;
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
      // Copy the undecided vertices of the list to its other buffer.
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
