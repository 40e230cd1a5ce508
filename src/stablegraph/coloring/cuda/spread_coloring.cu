// First fit on several GPUs; called by spread_coloring.py.
//
// Result: the colors of jones_plassmann.cu.
//
// Rule, state, races and source: as in jones_plassmann.cu.
//
// Idea: each card has the states of all vertices, and colors the vertices of its own rows. Other vertices may take any
// color until their states are received. A state is a set of possible colors that only shrinks, so an outdated state
// costs time, but is never wrong: as on one GPU. A launch continues until an exchange is better than another turn
// (exchange.cuh). The first uncolored vertex of the order never waits after an exchange, because all vertices ahead of
// it are colored. Sets are sent, and not only colors, because the shortcuts halve the number of exchanges (RMAT with
// 8192 vertices on two cards: 24 instead of 59).
//
// Only states at a boundary are sent: of vertices that have a neighbor on another card, or a row of more than INSIDE
// entries, which are not searched. `sent`: the states that were sent, from row `first` on; 0 if none is.
//
// A launch first lists the vertices with short rows that still wait, and then reads only these, and for most of them
// only one neighbor: one that may take the vertex's lowest color. Its other neighbors are read only when this is no
// longer so.
//
// Cost of an exchange: a pass over `sent`, and over the states of uncolored vertices at the boundary.

#define ANY_COLOR (HAS_LONG ? WAITS | RANGE | FAR << 15 : WAITS | SET_OF_ALL)
#define INSIDE 64
#define ROUNDS 4  // lists in the first launch

// What a card reads and writes to color vertices with short rows.
struct Short {
  const offset* indptr;
  const vertex* indices;
  u32 *states, *words;
};

// Return whether u may take the lowest color that v may take, so that v cannot.
DEVICE bool blocks(i64 u, u32 state, const Short& s) {
  u32 other = relaxed(s.states + u);
  return state & WAITS && other & WAITS && may_take(other, lowest_in(state));
}

// Try to color v, unless u (if it is one) blocks it; return whether v still waits, and set u to a neighbor that blocks.
DEVICE bool try_unless(i64 v, vertex& u, const Short& s) {
  if (u >= 0 && blocks(u, s.states[v], s)) return true;
  u = -1;
  if (!try_short(v, s.indptr, s.indices, s.states, s.words)) return false;
  u32 state = s.states[v];
  for (u32 waits = s.words[v]; waits && u < 0; waits &= waits - 1) {
    vertex w = s.indices[(i64)s.indptr[v] + __ffs(waits) - 1];
    if (blocks(w, state, s)) u = w;
  }
  return true;
}

// Vertices with short rows that wait, and for each one that blocks it, or -1.
struct Waiting {
  vertex *list, *blockers;
};

// Try each of `count` vertices once, of a list or from `first` on, and list those that still wait.
DEVICE void list_waiting(i64 count, i64 first, const Waiting& before, const Waiting& next, i64* length,
                         const Short& s) {
  int lane = lane_id();
  for (i64 base = warp_id() * PLACED * WARP; base < count; base += warp_count() * PLACED * WARP) {
    vertex v[PLACED], u[PLACED];
    u32 who[PLACED];
    int total = 0;
    for (int k = 0; k < PLACED; k++) {
      i64 i = base + k * WARP + lane;
      bool is_any = i < count;
      v[k] = !is_any ? 0 : before.list ? before.list[i] : (vertex)(first + i);
      u[k] = is_any && before.list ? before.blockers[i] : -1;
      who[k] = __ballot_sync(ALL_LANES, is_any && try_unless(v[k], u[k], s));
      total += __popc(who[k]);
    }
    if (total == 0) continue;
    i64 at = lane == 0 ? atomicAdd(length, (i64)total) : 0;
    at = __shfl_sync(ALL_LANES, at, 0);
    for (int k = 0; k < PLACED; k++) {
      i64 place = at + __popc(who[k] & ((1u << lane) - 1));
      if (who[k] >> lane & 1) next.list[place] = v[k], next.blockers[place] = u[k];
      at += __popc(who[k]);
    }
  }
}

// Try the vertices of a list; return how many of this warp still wait.
DEVICE i64 turn_of_list(i64 count, const Waiting& waiting, bool eager, const Short& s) {
  i64 result = 0;
  EACH_TOGETHER(i, count) {
    i64 v = i < count ? (i64)waiting.list[i] : 0;
    vertex u = i < count ? waiting.blockers[i] : -1;
    u32 before, after = 0;
    do {
      before = after;
      after = __ballot_sync(ALL_LANES, i < count && try_unless(v, u, s));
    } while (eager && after && after != before);
    if (i < count) waiting.blockers[i] = u;
    result += __popc(after);
  }
  return result;
}

// Color the vertices from `first` to `end`. `launch`: the number of earlier launches. `left` becomes 1 if some vertices
// still wait.
KERNEL(HAS_LONG ? 2 : 3) color_rows(i64 n, const offset* indptr, const vertex* indices, i64 by, i64 hashed, i64 seed,
                                    const offset* degree_ptr, i64 less, const u64* numbers, i64 first, i64 end,
                                    i64 launch, i64 turns, i64 calm, u32* states, u32* words, vertex* waits,
                                    vertex* listed, vertex* watched, vertex* counts, vertex* extra, vertex* waiting,
                                    i64* lengths, i64* moves, u32* barrier, i64* left) {
  Order order = {by, hashed, seed, degree_ptr, less, numbers, 0};
  bool eager = !hashed;
  i64 size = end - first, round = 0;
  i64 half = launch % 2 * size;
  Waiting list = {waiting + half, waiting + 2 * size + half};
  Waiting next = {waiting + size - half, waiting + 3 * size - half};
  Short s = {indptr, indices, states, words};
  if (launch == 0) {
    EACH(i, WAITING + ROUNDS) lengths[i] = 0;
    grid_barrier(barrier);
    start(n, indptr, indices, order, states, words, listed, watched, counts, extra, lengths);
    grid_barrier(barrier);
    EACH(v, n) if (v < first || v >= end) states[v] = ANY_COLOR;
    if (HAS_LONG) list_waits(n, indptr, indices, order, words, waits, listed, counts, extra, lengths);
    grid_barrier(barrier);
    list_waiting(size, first, {}, list, lengths + WAITING, s);
    grid_barrier(barrier);
  }
  do {
    i64 count = lengths[WAITING + round++];
    list_waiting(count, 0, list, next, lengths + WAITING + round, s);
    grid_barrier(barrier);
    Waiting before = list;
    list = next, next = before;
  } while (launch == 0 && round < ROUNDS - 1);
  i64 long_rows = HAS_LONG ? lengths[LISTED] : 0, count = lengths[WAITING + round];
  i64 own = max((i64)0, (count - thread_id() + thread_count() - 1) / thread_count());
  Pace& pace = pace_from(HAS_LONG ? -1 : sum_of_lanes(own));
  for (i64 turn = 0; turn < turns; turn++) {
    i64 work = turn_of_list(count, list, eager, s), rows = 0;
    bool some = HAS_LONG && turn_of_long(n, indptr, states, words, waits, listed, watched, counts, long_rows);
    for (i64 i = warp_id() + lane_id() * warp_count(); some && i < long_rows; i += WARP * warp_count()) {
      rows += watched[i] >= 0;
    }
    if (some) work += sum_of_lanes(rows);
    if (work == 0) return;
    if (!continues(work, calm, moves, pace)) break;
  }
  if (lane_id() == 0) store_relaxed(left, (i64)1);
}

// Find the boundary.
KERNEL(4) find_boundary(i64 first, i64 end, const offset* indptr, const vertex* indices, u32* sent) {
  EACH(i, end - first) {
    i64 e = indptr[first + i], row_end = indptr[first + i + 1];
    bool outside = row_end - e > INSIDE;
    for (; e < row_end && !outside; e++) outside = indices[e] < first || indices[e] >= end;
    sent[i] = outside ? ANY_COLOR : 0;
  }
}

// Report new states at the boundary. `last`: the number of the last list in `lengths`, which becomes the first one.
KERNEL(4) report_states(i64 first, i64 count, i64 last, const u32* states, i64* lengths, u32* sent, vertex* ids,
                        u32* values, i64 room, i64* counts) {
  i64 uncounted = 0;
  EACH_TOGETHER(i, count) {
    u32 before = i < count ? sent[i] : 0, state = before & WAITS ? states[first + i] : before;
    bool is_new = state != before;
    post_state(is_new, state, i, first, sent, ids, values, room, counts, uncounted);
  }
  post_rest(uncounted, counts);
  if (thread_id() == 0) {
    lengths[WAITING] = lengths[WAITING + last];
    for (int i = 1; i < ROUNDS; i++) lengths[WAITING + i] = 0;
  }
}

KERNEL(4) take_states(i64 count, const vertex* ids, const u32* values, u32* states) {
  EACH(i, count) states[ids[i]] = values[i];
}
