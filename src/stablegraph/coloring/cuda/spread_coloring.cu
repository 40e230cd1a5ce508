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
// A launch first lists the vertices with short rows that still wait, and then reads only these.
//
// Cost of an exchange: a pass over `sent`, and over the states of uncolored vertices at the boundary.

#define ANY_COLOR (HAS_LONG ? WAITS | RANGE | FAR << 15 : WAITS | SET_OF_ALL)
#define INSIDE 64
#define ROUNDS 4  // lists in the first launch

// Try the short rows of a list; return how many vertices of this warp still wait.
DEVICE i64 turn_of_list(i64 count, const vertex* list, bool eager, const offset* indptr, const vertex* indices,
                        u32* states, u32* words) {
  i64 waiting = 0;
  EACH_TOGETHER(i, count) {
    i64 v = i < count ? (i64)list[i] : 0;
    u32 before, after = 0;
    do {
      before = after;
      after = __ballot_sync(ALL_LANES, i < count && try_short(v, indptr, indices, states, words));
    } while (eager && after && after != before);
    waiting += __popc(after);
  }
  return waiting;
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
  vertex *list = waiting + launch % 2 * size, *next = waiting + (launch + 1) % 2 * size;
  if (launch == 0) {
    EACH(i, WAITING + ROUNDS) lengths[i] = 0;
    grid_barrier(barrier);
    start(n, indptr, indices, order, states, words, listed, watched, counts, extra, lengths);
    grid_barrier(barrier);
    EACH(v, n) if (v < first || v >= end) states[v] = ANY_COLOR;
    if (HAS_LONG) list_waits(n, indptr, indices, order, words, waits, listed, counts, extra, lengths);
    grid_barrier(barrier);
    EACH_TOGETHER(i, size) {
      bool still = i < size && try_short(first + i, indptr, indices, states, words);
      i64 place = place_in(lengths + WAITING, still);
      if (still) list[place] = (vertex)(first + i);
    }
    grid_barrier(barrier);
  }
  do {
    round++;
    if (launch == 0) list = waiting + (round + 1) % 2 * size, next = waiting + round % 2 * size;
    list_short(n, round, indptr, indices, states, words, list, next, lengths);
    grid_barrier(barrier);
  } while (launch == 0 && round < ROUNDS - 1);
  i64 long_rows = HAS_LONG ? lengths[LISTED] : 0, count = lengths[WAITING + round];
  i64 own = max((i64)0, (count - thread_id() + thread_count() - 1) / thread_count());
  Pace pace = {moves, HAS_LONG ? -1 : sum_of_lanes(own), -1, 0};
  for (i64 turn = 0; turn < turns; turn++) {
    i64 work = turn_of_list(count, next, eager, indptr, indices, states, words), rows = 0;
    bool some = HAS_LONG && turn_of_long(n, indptr, states, words, waits, listed, watched, counts, long_rows);
    for (i64 i = warp_id() + lane_id() * warp_count(); some && i < long_rows; i += WARP * warp_count()) {
      rows += watched[i] >= 0;
    }
    if (some) work += sum_of_lanes(rows);
    if (work == 0) return;
    if (!continues(work, calm, pace)) break;
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
    i64 place = place_of(is_new, room, counts, uncounted);
    if (is_new) sent[i] = state;
    if (is_new && place < room) ids[place] = (vertex)(first + i), values[place] = state;
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
