// Strong components by the highest ranks that reach a vertex and that it reaches; called by strong.py.
//
// Result: for each vertex the smallest vertex of its strong component, which depends only on the graph.
//
// Rule: let a(v) be the highest rank of a vertex that reaches v, and b(v) that of a vertex that v reaches. Vertices
// with different pairs (a, b) are in different components; and if a(v) = b(v), v is in the component of the vertex with
// that rank.
//
// Idea: phases. In each phase sweeps over the rows compute the pairs, until nothing changes: an arc (u, v) raises a(v)
// to a(u), and b(u) to b(v), and a vertex also takes over the pairs of the vertices with the ranks a(v) and b(v) (path
// compression). The vertex with the rank a(v) reaches v, and thus the vertex with the rank b(v); so v also raises the b
// of the first one and the a of the second one. A rank is the vertex's number with well-mixed bits. The number of
// sweeps on a path is therefore logarithmic in its length, even if its vertices are numbered consecutively. Then the
// vertices with a(v) = b(v) are finished; all other vertices start again, and arcs between different pairs no longer
// count. Only rows are read, so no transposed graph is needed.
//
// In the first phase one vertex with many incoming and outgoing arcs has the highest rank of all, `top`. Most directed
// graphs have one large component, which this phase finishes. The row of a vertex with b(v) = `top` is not read again
// once its a(v) has been propagated.
//
// A lane reads a row of up to TINY entries, eight lanes a row of up to SHORT, a warp a row of up to LONG. Longer rows
// are cut into pieces, which are listed together with the remaining vertices. A block sweeps over its vertices up to
// ROUNDS times while something changes; then it meets the other blocks at a barrier. All blocks run concurrently; the
// launch ends after a budget of work, and the next launch continues the sweeps.
//
// State: `pairs` twice, two ranks per vertex: those of this phase, and those of the previous phase, which determine the
// arcs that count. A finished vertex has its final pair in both: two equal ranks, which no unfinished vertex has.
// `passed`: the a(v) that a row has propagated. `left` and `pieces` twice: those of this phase and of the next one.
// Each piece has three numbers: the vertex, the first entry, and the propagated rank. The counts of a sweep or a
// division rotate among three places: the current counts, the previous counts, which other threads may still read, and
// the next counts, which are cleared.
//
// Races, all benign: threads read pairs of neighbors by plain loads while other threads raise them by atomic maxima.
// Pairs only increase within a phase. A sweep reads values from its beginning or later, and the phase ends after a
// sweep without a change.
//
// Cost: a phase takes a few sweeps over the rows of the remaining vertices. Work memory: 32 bytes per vertex (64 with
// 64-bit ids), and about 48 bytes per 200 entries.
//
// Source: G. Alabandi, W. Sands, G. Biros, M. Burtscher, "A GPU Algorithm for Detecting Strongly Connected Components",
// SC 2023.

typedef LABEL label;  // unsigned

#define NONE ((label)-1)
#define TINY 8
#define SHORT 64
#define LONG 1024
#define PIECE 256
#define GROUP 8  // lanes per short row
#define ROUNDS 4  // of a block, between two barriers
#define SAMPLES 1024  // arcs, for the pivot
#define SLOTS 2048
#define STRIDE 0x9E3779B1ull  // of the sample: large, and not aligned with any pattern
#define SWEEP_COSTS (1ll << 17)  // minimum cost of a sweep, as the number of entries that are read in the same time

enum { CHANGED, LEFT, PIECES, COUNTS };  // counts of a step: a sweep or a division
enum { NOW_LEFT = 3 * COUNTS, NOW_PIECES, PHASE, STEP, PIVOT };  // the state of the algorithm

struct Pair { label a, b; };

// Load both ranks of a vertex, with a single load if they have 32 bits.
DEVICE Pair pair_of(const label* pairs, i64 v) {
  if (sizeof(label) == 4) {
    u64 both = *(const u64*)(pairs + 2 * v);
    return {(label)(both & 0xffffffffu), (label)(both >> 32)};
  }
  return {pairs[2 * v], pairs[2 * v + 1]};
}
DEVICE void put_pair(label* pairs, i64 v, label a, label b) { pairs[2 * v] = a, pairs[2 * v + 1] = b; }

struct Sweep {
  i64 bits;  // ranks are below 2**bits
  const offset* indptr;
  const vertex* indices;
  label *pairs, *before;  // of this phase, and of the previous one: null in the first phase
};

// The unique rank of a vertex, and the inverse function; as in ../../study/cfhp.py.
#define MIXER 0x4f1bbcdcbfa53e0bull
#define UNMIXER 0x270957fa0feedda3ull  // MIXER * UNMIXER = 1, modulo 2**64
DEVICE label rank_of(i64 v, i64 bits) {
  u64 x = (u64)v * MIXER & ((1ull << bits) - 1);
  return (label)(x ^ x >> (bits + 1) / 2);
}
DEVICE i64 vertex_of(label rank, i64 bits) {
  u64 x = rank;
  return (i64)((x ^ x >> (bits + 1) / 2) * UNMIXER & ((1ull << bits) - 1));
}
DEVICE label top_of(i64 bits) { return (label)(1ull << bits); }

// Follow arc e (if `any`) from a vertex with `a`, and with pair `last` in the previous phase: raise the a of its head,
// and return the head's b.
DEVICE label follow(bool any, i64 e, label a, const Pair& last, const Sweep& s, bool& rises) {
  if (!any) return 0;
  i64 u = s.indices[e];
  if (s.before) {
    Pair other = pair_of(s.before, u);
    if (other.a != last.a || other.b != last.b) return 0;
  }
  Pair head = pair_of(s.pairs, u);
  if (head.a < a && atomicMax(s.pairs + 2 * u, a) < a) rises = true;
  return head.b;
}

// Follow the arcs start, start + step, ..; return the largest b of their heads. AT_ONCE arcs together.
template <int AT_ONCE>
DEVICE label follow_all(i64 start, i64 end, i64 step, label a, const Pair& last, const Sweep& s, bool& rises) {
  label b = 0;
  for (i64 e = start; e < end; e += AT_ONCE * step) {
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) b = max(b, follow(e + j * step < end, e + j * step, a, last, s, rises));
  }
  return b;
}

DEVICE label largest_of(label b, int lanes) {
  for (int step = lanes / 2; step; step /= 2) b = max(b, __shfl_xor_sync(ALL_LANES, b, step));
  return b;
}

DEVICE void raise(label* p, label from, label to, bool& rises) {
  if (to > from && atomicMax(p, to) < to) rises = true;
}

// Return the pair of the vertex of this rank; the vertex of `top` is not looked up.
DEVICE Pair pair_of_rank(label rank, const Sweep& s) {
  return rank < top_of(s.bits) ? pair_of(s.pairs, vertex_of(rank, s.bits)) : Pair{rank, rank};
}

// Sweep once over the rows of the remaining vertices: each lane checks a vertex, then groups of lanes read rows.
DEVICE bool sweep(i64 count, const vertex* left, i64 piece_count, i64* pieces, label* passed, const Sweep& s) {
  const int groups = WARP / GROUP;
  bool rises = false;
  for (i64 i = thread_id(); i - lane_id() < count; i += thread_count()) {
    i64 v = 0, start = 0, end = 0;
    Pair own = {0, 0}, last = {0, 0}, tail = {0, 0};  // `tail`: of the vertex with the rank own.a
    label a = 0;
    bool reads = false;
    if (i < count) {
      v = left ? (i64)left[i] : i;
      own = pair_of(s.pairs, v);
      tail = pair_of_rank(own.a, s);
      a = max(own.a, tail.a);
      if (own.b != top_of(s.bits) || passed[v] != a) {
        start = s.indptr[v], end = s.indptr[v + 1], reads = end - start <= LONG;
      }
      if (reads && s.before) last = pair_of(s.before, v);
    }
    label b = own.b;
    i64 length = reads ? end - start : 0;
    if (length <= TINY) b = max(b, follow_all<4>(start, start + length, 1, a, last, s, rises));
    u32 shorts = __ballot_sync(ALL_LANES, length > TINY && length <= SHORT);
    for (int first = 0; first < WARP; first += groups) {
      if (!(shorts >> first & ((1u << groups) - 1))) continue;
      int owner = first + lane_id() / GROUP;
      i64 row = __shfl_sync(ALL_LANES, start, owner), row_end = __shfl_sync(ALL_LANES, end, owner);
      label of_row = __shfl_sync(ALL_LANES, a, owner);
      Pair of_last = {__shfl_sync(ALL_LANES, last.a, owner), __shfl_sync(ALL_LANES, last.b, owner)};
      if (!(shorts >> owner & 1)) row_end = row;
      label found = follow_all<2>(row + lane_id() % GROUP, row_end, GROUP, of_row, of_last, s, rises);
      found = __shfl_sync(ALL_LANES, largest_of(found, GROUP), lane_id() % groups * GROUP);
      if (lane_id() / groups == first / groups) b = max(b, found);
    }
    for (u32 who = __ballot_sync(ALL_LANES, length > SHORT); who; who &= who - 1) {
      int owner = __ffs(who) - 1;
      i64 row = __shfl_sync(ALL_LANES, start, owner), row_end = __shfl_sync(ALL_LANES, end, owner);
      label of_row = __shfl_sync(ALL_LANES, a, owner);
      Pair of_last = {__shfl_sync(ALL_LANES, last.a, owner), __shfl_sync(ALL_LANES, last.b, owner)};
      label found = largest_of(follow_all<2>(row + lane_id(), row_end, WARP, of_row, of_last, s, rises), WARP);
      if (lane_id() == owner) b = max(b, found);
    }
    if (i < count) {
      Pair head = pair_of_rank(b, s);
      if (own.a < top_of(s.bits)) raise(s.pairs + 2 * vertex_of(own.a, s.bits) + 1, tail.b, b, rises);
      if (b < top_of(s.bits)) raise(s.pairs + 2 * vertex_of(b, s.bits), head.a, a, rises);
      raise(s.pairs + 2 * v, own.a, a, rises);
      raise(s.pairs + 2 * v + 1, own.b, max(b, head.b), rises);
      if (reads) passed[v] = a;
    }
  }
  for (i64 i = warp_id(); i < piece_count; i += warp_count()) {
    i64 v = pieces[3 * i], start = pieces[3 * i + 1];
    Pair own = pair_of(s.pairs, v), last = {0, 0};
    label a = own.a;
    if (own.b == top_of(s.bits) && (label)pieces[3 * i + 2] == a) continue;
    if (s.before) last = pair_of(s.before, v);
    i64 end = min(start + PIECE, (i64)s.indptr[v + 1]);
    label b = largest_of(follow_all<2>(start + lane_id(), end, WARP, a, last, s, rises), WARP);
    if (lane_id() == 0) {
      raise(s.pairs + 2 * v + 1, own.b, b, rises);
      pieces[3 * i + 2] = (i64)a;
    }
  }
  return rises;
}

// List the pieces of the row of each lane's vertex, if the lane has one and its row is long.
DEVICE void list_pieces(bool any, i64 v, i64* pieces, u64* count, const Sweep& s) {
  i64 start = 0, end = 0;
  if (any) start = s.indptr[v], end = s.indptr[v + 1];
  for (u32 who = __ballot_sync(ALL_LANES, end - start > LONG); who; who &= who - 1) {
    int leader = __ffs(who) - 1;
    i64 row = __shfl_sync(ALL_LANES, start, leader), row_end = __shfl_sync(ALL_LANES, end, leader);
    i64 tail = __shfl_sync(ALL_LANES, v, leader), parts = (row_end - row + PIECE - 1) / PIECE;
    u64 place = 0;
    if (lane_id() == leader) place = atomicAdd(count, (u64)parts);
    place = __shfl_sync(ALL_LANES, place, leader);
    for (i64 k = lane_id(); k < parts; k += WARP) {
      i64* piece = pieces + 3 * ((i64)place + k);
      piece[0] = tail, piece[1] = row + k * PIECE, piece[2] = (i64)NONE;
    }
  }
}

// Run all phases, or the number of sweeps that the budget of entries allows; `still_left` becomes the number of
// remaining vertices. Initially `progress` is zero; PIVOT is the pivot + 1, 0 for none. At the end `parent` has the
// smallest vertex of each component.
KERNEL(1) divide(i64 n, i64 entries, i64 bits, const offset* indptr, const vertex* indices, i64 budget, label* pairs,
                 label* passed, label* parent, vertex* left, i64* pieces, i64 most_pieces, i64* progress,
                 u32* barrier, i64* still_left) {
  __shared__ label heads[SLOTS];
  __shared__ u32 heads_count[SLOTS];
  __shared__ u64 best;
  u64* counts = (u64*)progress;
  i64 count = progress[NOW_LEFT], piece_count = progress[NOW_PIECES], phase = progress[PHASE], step = progress[STEP];
  i64 spent = 0;
  Sweep s = {bits, indptr, indices, pairs + phase % 2 * 2 * n, phase ? pairs + (phase + 1) % 2 * 2 * n : 0};
  if (step == 0) {
    if (blockIdx.x == 0 && entries > 0) {
      // Choose the pivot: draw a sample of arcs; of their heads, take the one with the largest product of incoming arcs
      // (in the sample) and outgoing arcs.
      for (int slot = threadIdx.x; slot < SLOTS; slot += BLOCK) heads[slot] = NONE, heads_count[slot] = 0;
      if (threadIdx.x == 0) best = 0;
      __syncthreads();
      for (int i = threadIdx.x; i < SAMPLES; i += BLOCK) {
        label v = (label)indices[(u64)i * STRIDE % (u64)entries];
        u32 slot = hash32((u64)v) % SLOTS;
        for (label there; (there = atomicCAS(heads + slot, NONE, v)) != NONE && there != v;) slot = (slot + 1) % SLOTS;
        u64 score = (u64)(atomicAdd(heads_count + slot, 1u) + 1) * (u64)(indptr[v + 1] - indptr[v]);
        atomicMax(&best, score * SLOTS + slot);
      }
      __syncthreads();
      if (threadIdx.x == 0 && best >= SLOTS) progress[PIVOT] = (i64)heads[best % SLOTS] + 1;
    }
    grid_barrier(barrier);
    i64 pivot = progress[PIVOT] - 1;
    EACH_TOGETHER(v, n) {
      label own = v == pivot ? top_of(bits) : rank_of(v, bits);
      if (v < n) put_pair(s.pairs, v, own, own), passed[v] = NONE;
      list_pieces(v < n, v, pieces, counts + PIECES, s);
    }
    grid_barrier(barrier);
    count = n, piece_count = (i64)relaxed(counts + PIECES), step = 1;
  }
  i64 pivot = progress[PIVOT] - 1;
  bool within = true;
  while (count > 0 && within) {
    const vertex* now = phase ? left + phase % 2 * n : 0;
    i64* now_pieces = pieces + phase % 2 * 3 * most_pieces;
    u64* of_step = counts + step % 3 * COUNTS;
    if (thread_id() < COUNTS) counts[(step + 1) % 3 * COUNTS + thread_id()] = 0;
    bool rises = sweep(count, now, piece_count, now_pieces, passed, s), again = rises;
    for (int round = 1; round < ROUNDS && __syncthreads_or(again); round++) {
      again = sweep(count, now, 0, now_pieces, passed, s);
      rises |= again;
    }
    if (__any_sync(ALL_LANES, rises) && lane_id() == 0) store_relaxed(of_step + CHANGED, (u64)1);
    grid_barrier(barrier);
    step++;
    spent += SWEEP_COSTS + (phase ? count * (1 + entries / n) : entries);
    if (relaxed(of_step + CHANGED)) {
      within = spent < budget;
      continue;
    }
    // Nothing has changed: divide. The pairs of this phase become the previous ones.
    of_step = counts + step % 3 * COUNTS;
    if (thread_id() < COUNTS) counts[(step + 1) % 3 * COUNTS + thread_id()] = 0;
    label* next_pairs = pairs + (phase + 1) % 2 * 2 * n;
    vertex* next = left + (phase + 1) % 2 * n;
    EACH_TOGETHER(i, count) {
      i64 v = i < count ? (now ? (i64)now[i] : i) : 0;
      bool stays = false;
      if (i < count) {
        Pair own = pair_of(s.pairs, v);
        stays = own.a != own.b;
        label rank = rank_of(v, bits);
        if (stays) put_pair(next_pairs, v, rank, rank), passed[v] = NONE;
        else put_pair(next_pairs, v, own.a, own.a);
      }
      u64 place = place_in(of_step + LEFT, stays);
      if (stays) next[place] = (vertex)v;
      list_pieces(stays, v, pieces + (phase + 1) % 2 * 3 * most_pieces, of_step + PIECES, s);
    }
    grid_barrier(barrier);
    count = (i64)relaxed(of_step + LEFT), piece_count = (i64)relaxed(of_step + PIECES);
    s.before = s.pairs, s.pairs = next_pairs;
    step++, phase++;
  }
  if (count == 0) {
    label* smallest = passed;
    EACH(v, n) smallest[v] = NONE;
    grid_barrier(barrier);
    EACH(v, n) {
      i64 key = pairs[2 * v] == top_of(bits) ? pivot : vertex_of(pairs[2 * v], bits);
      if (relaxed(smallest + key) > (label)v) atomicMin(smallest + key, (label)v);
    }
    grid_barrier(barrier);
    EACH(v, n) parent[v] = smallest[pairs[2 * v] == top_of(bits) ? pivot : vertex_of(pairs[2 * v], bits)];
  }
  if (thread_id() == 0) {
    progress[NOW_LEFT] = count, progress[NOW_PIECES] = piece_count, progress[PHASE] = phase, progress[STEP] = step;
    *still_left = count;
  }
}
